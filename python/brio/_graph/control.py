"""Branches and loops: they hold operations of their own, which a traced branch or loop runs."""

from brio import _control, _core, _nest
from brio._graph import core, effects, infer, nested, run, tensor_array, wrap
from brio._graph.core import Operation, Tensor, building

unwraps = False  # TensorFlow 1's branches, which give the one result of a list by itself


class Body:
    """Operations of a branch or of a loop's round: what it is given, what it gives, and what it takes from outside."""

    def __init__(self):
        self.operations, self.inputs, self.outputs, self.captures = [], [], [], []
        self.structure, self.order, self.writes = None, [], ()


def body_of(graph, function, specs, packed=None):
    """Describes function(*inputs), where specs are (dtype, dims) of the inputs."""
    body = Body()
    graph._bodies.append(body)
    control, graph._control = graph._control, []
    try:
        for dtype, dims in specs:
            body.inputs.append(Tensor(graph.add("Placeholder", "arg", run=None), dtype, dims))
        result = function(*(body.inputs if packed is None else packed(body.inputs)))
        result = nested.swap(
            result, lambda x: x if x is None or isinstance(x, (Tensor, Operation)) else wrap.convert(x)
        )
    finally:
        graph._control = control
        graph._bodies.pop()
    body.structure, body.outputs = nested.taken_apart(result, lambda x: isinstance(x, (Tensor, Operation)))
    _close(body)
    return body


def _close(body):
    """The operations that the results need, in order, and what they take from outside."""
    mine = set(body.operations)
    given = set(body.inputs)
    roots = [x for x in body.outputs if isinstance(x, Tensor)], [x for x in body.outputs if isinstance(x, Operation)]
    ops, captured = {}, {}
    open_ = [*roots[1]]
    for t in roots[0]:
        if t.op in mine:
            open_.append(t.op)
        else:
            captured[t] = True
    while open_:
        op = open_.pop()
        if op in ops or op not in mine:
            continue
        ops[op] = True
        open_ += op.control_inputs
        for t in op.inputs:
            if t in given:
                continue
            if t.op in mine:
                open_.append(t.op)
            else:
                captured[t] = True
    for t in body.inputs:
        ops.pop(t.op, None)
    captures = [t for t in captured if t not in given]
    body.captures, body.order = captures, run.ordered(ops, given | set(captures))
    body.writes = tuple({v for op in body.order for v in op.writes})


def carried_specs(graph, tensors):
    """Specs of what goes from round to round: a size that is not known need not stay what it is in the first."""
    return [
        (t.dtype, None if t.dims is None else tuple(d if type(d) is int else graph.new_size() for d in t.dims))
        for t in tensors
    ]


def carried_dims(graph, before, body_input, body_output):
    """Dims after the last round: those before the first, where a round keeps them."""
    if before is None or body_output is None or len(body_output) != len(before):
        return None
    return tuple(
        d if type(d) is int or given == made else graph.new_size()
        for d, given, made in zip(before, body_input, body_output)
    )


def _add(graph, kind, name, function, inputs, bodies, results, structure):
    """An operation that runs bodies: function(state, values, captured) gives the values of the results."""
    captures = []
    for body in bodies:
        captures += [c for c in body.captures if not any(c is k for k in captures)]
    n = len(inputs)

    def run_in(state, op, values):
        state.values.update(zip(captures, values[n:]))
        return function(state, values[:n])

    op = graph.add(kind, name, run=run_in, inputs=[*inputs, *captures])
    op.bodies, op.writes = tuple(bodies), tuple({v for b in bodies for v in b.writes})
    op.draws = False
    made = [Tensor(op, dtype, dims) for dtype, dims in results]
    return nested.put_together(structure, made) if made else op


def cond(pred, true_fn=None, false_fn=None, strict=False, name=None, fn1=None, fn2=None):
    """What one of two functions returns, as a truth says when it is run."""
    true_fn, false_fn = true_fn or fn1, false_fn or fn2
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError("'true_fn' and 'false_fn' arguments must be functions.")
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool")
    graph = building()
    pred = wrap.convert(pred)
    yes, no = body_of(graph, true_fn, []), body_of(graph, false_fn, [])
    if len(yes.outputs) != len(no.outputs):
        raise ValueError(
            f"[cond] true_fn and false_fn must return the same number of results, but return {len(yes.outputs)} and "
            f"{len(no.outputs)}"
        )
    results = []
    for a, b in zip(yes.outputs, no.outputs):
        if isinstance(a, Operation) or isinstance(b, Operation):
            results.append(("bool", ()))
            continue
        if a.dtype != b.dtype:
            raise TypeError(
                "true_fn and false_fn arguments to tf.cond must have the same number, type, and overall structure of "
                f"return values; {a.dtype.name} and {b.dtype.name} differ"
            )
        results.append((a.dtype, infer.common(graph, a.dims, b.dims)))

    def function(state, values):
        return _control.cond(_scalar(values[0]), lambda: state.inner(yes, []), lambda: state.inner(no, []))

    made = _add(graph, "cond", name or "cond", function, [pred], [yes, no], results, yes.structure)
    if isinstance(made, Tensor) and isinstance(yes.outputs[0], Operation):
        return made.op
    return made[0] if unwraps and not strict and type(made) in (list, tuple) and len(made) == 1 else made


def _scalar(x):
    return x if x.dtype.name == "bool" else _core.not_equal(x, _core.zeros_like(x))


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """What the function of the first truth that holds returns, or else the default's.
    An exclusive one fails where several hold."""
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    if exclusive and len(pairs) > 1:
        return _exclusively(pairs, lambda: case(pairs, default, False, strict, name))

    def rest(i):
        if i == len(pairs):
            return default()
        if i == len(pairs) - 1 and default is None:
            return pairs[i][1]()
        return cond(pairs[i][0], pairs[i][1], lambda: rest(i + 1), strict)

    return rest(0)


def _exclusively(pairs, choose):
    """choose(), after a look that not more than one truth holds."""
    graph = building()
    truths = [wrap.convert(p) for p, _ in pairs]
    at_most_one = wrap.call(
        graph, lambda *t: _core.add_n([_core.cast(_scalar(x), "int32") for x in t]) <= 1, "LessEqual", tuple(truths), {}
    )
    with graph.control_dependencies(
        [effects.assert_op(at_most_one, ["[case] exclusive=True, but several conditions hold:", *truths])]
    ):
        return nested.swap(choose(), lambda t: identity(t) if isinstance(t, Tensor) else t)


def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    """What the function of this number returns, or else the default's, or the last one's."""
    pairs = branch_fns.items() if isinstance(branch_fns, dict) else branch_fns
    branches = dict(pairs if pairs and not callable(next(iter(pairs))) else enumerate(pairs))
    other = default if default is not None else branches[max(branches)]
    branch_index = wrap.convert(branch_index)

    def rest(keys):
        if not keys:
            return other()
        return cond(branch_index == keys[0], branches[keys[0]], lambda: rest(keys[1:]))

    return rest(sorted(branches))


def while_loop(cond=None, body=None, loop_vars=None, shape_invariants=None, parallel_iterations=10, back_prop=True,
               swap_memory=False, name=None, maximum_iterations=None, return_same_structure=False):  # fmt: skip
    """What the body makes of the variables, again and again while the condition holds, when it is run."""
    if not callable(cond) or not callable(body):
        raise TypeError("[while_loop] cond and body must be functions")
    if not isinstance(loop_vars, (list, tuple)):
        loop_vars = [loop_vars]
    if not loop_vars:
        raise ValueError("No loop variables provided.")
    graph = building()
    taken = nested.swap(loop_vars, lambda x: x if x is None else wrap.convert(x))
    structure, flat = nested.taken_apart(taken, nested.is_graph_tensor)
    specs = [(d, None if tensor_array.is_empty(t) else dims) for (d, dims), t in zip(carried_specs(graph, flat), flat)]
    if shape_invariants is not None:
        specs = [
            (dtype, infer.dims_of(graph, shape)) for (dtype, _), shape in zip(specs, _shape_leaves(shape_invariants))
        ]

    def packed(inputs):
        return nested.put_together(structure, inputs)

    test, step = body_of(graph, cond, specs, packed), body_of(graph, body, specs, packed)
    if len(step.outputs) != len(flat):
        raise ValueError(f"[while_loop] the body returns {len(step.outputs)} variables, but was given {len(flat)}")
    for i, (new, old) in enumerate(zip(step.outputs, step.inputs)):
        if new.dtype != old.dtype:
            raise TypeError(
                f"[while_loop] variable {i} enters the loop as {old.dtype.name}, but the body returns {new.dtype.name}"
            )
        if shape_invariants is None:  # an array that is written to has a shape after it alone
            specs[i] = (
                new.dtype,
                new.dims if old.dims is None else carried_dims(graph, flat[i].dims, old.dims, new.dims),
            )
        if (
            old.dims is not None
            and shape_invariants is None
            and (new.dims is None or _plain(new) != _plain(old))
            and not new.shape.is_compatible_with(old.shape)
        ):
            raise ValueError(
                f"'{flat[i].name}' has shape {old.shape} before the loop, but shape {new.shape} after one iteration. "
                "Provide shape invariants using the `shape_invariants` argument of tf.while_loop"
            )
    most_rounds = [] if maximum_iterations is None else [wrap.convert(maximum_iterations)]

    def function(state, values):
        start, most = values[: len(flat)], values[len(flat) :]
        if _core._is_tracing():
            start = tensor_array.with_buffers(start, lambda v: state.inner(step, v))
            limit = int(most[0]) if most else None
            return list(
                _core._while_structured(
                    lambda *v: _reshaped(state.inner(test, v)[0]),
                    lambda *v: tuple(state.inner(step, v)),
                    tuple(start),
                    limit,
                )
            )
        rounds = 0
        while (not most or rounds < int(most[0])) and bool(state.inner(test, start)[0]):
            start, rounds = state.inner(step, start), rounds + 1
        return start

    made = _add(graph, "while", name or "while", function, [*flat, *most_rounds], [test, step], specs, structure)
    made = made if back_prop else _without_gradients(made)
    return made[0] if len(made) == 1 and not return_same_structure else made


def _without_gradients(made):
    """The results of a loop, through which no gradient passes."""
    return nested.swap(made, lambda t: stop_gradient(t) if isinstance(t, Tensor) else t)


def _reshaped(x):
    return _core.reshape(x, [])


def _plain(t):
    return t.shape.as_list()


def _shape_leaves(x):
    if isinstance(x, (list, tuple)) and not isinstance(x, core.Shape) and not hasattr(x, "rank"):
        for item in x:
            yield from _shape_leaves(item)
    else:
        yield getattr(x, "shape", x)


# ---- along the first axis


def _rows(elems):
    """Tensors, and what one row of each is."""
    structure, flat = nested.taken_apart(nested.swap(elems, lambda x: wrap.convert(x)), nested.is_graph_tensor)
    for t in flat:
        if t.dims == ():
            raise ValueError("elements in elems must be 1+ dimensional Tensors, not scalars")
    return structure, flat, [(t.dtype, None if t.dims is None else t.dims[1:]) for t in flat]


def _counted(flat, dims):
    """Dims of rows behind one another."""
    if dims is None or flat[0].dims is None:
        return None
    return (flat[0].dims[0], *dims)


def map_fn(
    fn,
    elems,
    dtype=None,
    parallel_iterations=None,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    name=None,
    fn_output_signature=None,
):
    """What a function makes of each row, stacked."""
    graph = building()
    structure, flat, specs = _rows(elems)
    step = body_of(graph, fn, specs, lambda rows: (nested.put_together(structure, rows),))
    wanted = fn_output_signature if fn_output_signature is not None else dtype
    if wanted is not None:
        for t, d in zip(step.outputs, _nest.flatten(wanted)):
            d = _core.as_dtype(d.dtype if hasattr(d, "shape") else d)
            if t.dtype != d:
                raise TypeError(f"[map_fn] the function returns {t.dtype.name}, but {d.name} was announced")

    def function(state, values):
        return _control.map_fn(lambda rows: state.inner(step, rows), list(values))

    made = _add(
        graph,
        "map",
        name or "map",
        function,
        flat,
        [step],
        [(t.dtype, _counted(flat, t.dims)) for t in step.outputs],
        step.structure,
    )
    return made if back_prop else _without_gradients(made)


def scan(
    fn,
    elems,
    initializer=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    reverse=False,
    name=None,
):
    """The running results of a function of what it returned before and of the next row."""
    return _along("scan", fn, elems, initializer, reverse, name, True, back_prop)


def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """The last result of a function of what it returned before and of the next row."""
    return _along("foldl", fn, elems, initializer, False, name, False, back_prop)


def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """As foldl, from the last row to the first."""
    return _along("foldr", fn, elems, initializer, True, name, False, back_prop)


def _along(kind, fn, elems, initializer, reverse, name, stacked, back_prop):
    graph = building()
    structure, flat, rows = _rows(elems)
    if initializer is None:
        carried_structure, first, carried = structure, [], rows
    else:
        carried_structure, first = nested.taken_apart(
            nested.swap(initializer, lambda x: wrap.convert(x)), nested.is_graph_tensor
        )
        carried = carried_specs(graph, first)
    n = len(carried)
    step = body_of(
        graph,
        fn,
        carried + rows,
        lambda all_: (nested.put_together(carried_structure, all_[:n]), nested.put_together(structure, all_[n:])),
    )

    def function(state, values):
        def one(before, row):
            return state.inner(step, [*before, *row])

        call = {"scan": _control.scan, "foldl": _control.foldl, "foldr": _control.foldr}[kind]
        start = list(values[len(flat) :]) or None
        more = {"reverse": reverse} if stacked else {}
        return call(one, list(values[: len(flat)]), start, **more)

    dims = [_counted(flat, t.dims) if stacked else t.dims for t in step.outputs]
    made = _add(
        graph,
        kind,
        name or kind,
        function,
        [*flat, *first],
        [step],
        [(t.dtype, d) for t, d in zip(step.outputs, dims)],
        step.structure,
    )
    return made if back_prop else _without_gradients(made)


# ---- order


def group(*inputs, **kwargs):
    """An operation that has happened when all of these have."""
    graph = building()
    needed = []
    for x in _nest.flatten(inputs):
        if x is None:
            raise TypeError(
                "'inputs' should be zero or more (nested) Tensors. Received 'None' with type '<class 'NoneType'>'."
            )
        needed.append(core._operation_of(x))
    op = graph.add("NoOp", kwargs.get("name") or "group_deps", run=lambda state, op, values: [])
    op.control_inputs += needed
    return op


def no_op(name=None):
    """An operation that does nothing."""
    return building().add("NoOp", name, run=lambda state, op, values: [])


def tuple_(tensors, control_inputs=None, name=None):
    """The same tensors, which are there when all of them and the control inputs are."""
    graph = building()
    after = [core._operation_of(t) for t in tensors if t is not None] + [
        core._operation_of(c) for c in control_inputs or ()
    ]
    with graph.control_dependencies(after):
        return [None if t is None else identity(t) for t in tensors]


def control_dependencies(control_inputs):
    """A scope whose operations happen after these."""
    if callable(control_inputs):
        control_inputs = control_inputs()
    return building().control_dependencies(control_inputs)


def identity(input, name=None):
    """The same value."""
    return wrap.call(
        building(),
        lambda x, name=None: _core.identity(x),
        "Identity",
        (wrap.convert(input),),
        {"name": name} if name else {},
    )


def stop_gradient(input, name=None):
    """The same value, through which no gradient passes."""
    return wrap.call(
        building(),
        lambda x, name=None: _core.stop_gradient(x),
        "StopGradient",
        (wrap.convert(input),),
        {"name": name} if name else {},
    )
