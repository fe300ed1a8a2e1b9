"""Gradients: operations that ask the tape of the run."""

from brio import _core, _nest, _trace_gradients
from brio._graph import run, wrap
from brio._graph.core import Operation, Tensor, building
from brio._graph.variables import Variable, as_variable

# Through these nothing is differentiated in TensorFlow.
_CUT = {"StopGradient", "Floor", "Ceil", "Round", "Rint", "ZerosLike", "OnesLike", "zeros_like", "ones_like", "Const"}


class Gradient:
    """What an operation computes: gradients of targets with respect to sources."""

    def __init__(self, targets, sources, stops):
        self.targets, self.sources, self.stops = targets, sources, stops


def gradients(ys, xs, grad_ys=None, name="gradients", colocate_gradients_with_ops=False, gate_gradients=False,
              aggregation_method=None, stop_gradients=None, unconnected_gradients="none"):  # fmt: skip
    """The gradients of the sum of ys with respect to xs, in a list; None where ys do not depend on one."""
    graph = building()
    zero = (
        unconnected_gradients not in (None, "none")
        and getattr(unconnected_gradients, "value", unconnected_gradients) == "zero"
    )
    if graph is None:
        if _trace_gradients.here.tapes is not None:
            return _trace_gradients.gradients(ys, xs, grad_ys, stop_gradients, zero)
        if _core._tracing():
            raise RuntimeError(
                "[gradients] no function that is traced names tf.gradients itself; name it there, or use "
                "tf.GradientTape"
            )
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."
        )
    ys = [wrap.as_tensor(y, graph) for y in (_nest.flatten(ys))]
    single = not isinstance(xs, (list, tuple))
    sources = [_source(x) for x in ([xs] if single else xs)]
    stops = [_source(x) for x in ([] if stop_gradients is None else _nest.flatten(stop_gradients))]
    seeds = (
        [None] * len(ys)
        if grad_ys is None
        else [None if g is None else wrap.as_tensor(g, graph) for g in _nest.flatten(grad_ys)]
    )
    if len(seeds) != len(ys):
        raise ValueError(f"Passed {len(seeds)} grad_ys for {len(ys)} ys")
    for y in ys:
        if not (y.dtype.is_floating or y.dtype.is_complex or y.dtype.is_integer):
            raise TypeError(f"Gradients of tensors must be floating or complex (or integer), got: {y.dtype.name}")
    reached = _reached(
        ys, {id(s) for s in stops if isinstance(s, Tensor)}, {id(s) for s in stops if isinstance(s, Variable)}
    )
    asked = [s for s in sources if id(s) in reached]
    made = {}
    if asked:
        with graph.name_scope(name):
            made = dict(zip(map(id, asked), _add(graph, ys, asked, seeds, stops)))
    return [
        made.get(id(s)) if id(s) in made or not zero else wrap.call(graph, _core.zeros_like, "zeros_like", (s,), {})
        for s in sources
    ]


def _source(x):
    if isinstance(x, Tensor):
        return x.op.reads if x.op.reads is not None and x is x.op.reads._tensor else x
    return as_variable(x)


def _reached(ys, stops, stopped_variables):
    """Ids of the tensors and variables that ys depend on in a way that can be differentiated."""
    found, open_ = set(), list(ys)
    while open_:
        t = open_.pop()
        if id(t) in found or not (t.dtype.is_floating or t.dtype.is_complex):
            continue
        found.add(id(t))
        op = t.op
        if op.reads is not None:
            if id(op.reads) not in stopped_variables:
                found.add(id(op.reads))
            continue
        if id(t) in stops or op.type in _CUT:
            continue
        for v in getattr(op, "layer_variables", ()):
            found.add(id(v))
        open_ += op.inputs
        for body in op.bodies:
            open_ += [x for x in body.outputs if isinstance(x, Tensor)]
    return found


def _add(graph, ys, sources, seeds, stops):
    given = [s for s in seeds if s is not None]
    gradient = Gradient(ys, sources, stops)

    def run_in(state, op, values):
        targets = values[: len(ys)]
        rest = iter(values[len(ys) :])
        if stops:
            targets = _stopped(state, gradient, targets)
        directions = (
            None if not given else [_core.ones_like(y) if s is None else next(rest) for y, s in zip(targets, seeds)]
        )
        flat, counts = [], []
        for s in sources:
            handles = _handles(state, s)
            counts.append(len(handles))
            flat += handles
        found = iter(state.tape_of(op).gradient(targets, flat, output_gradients=directions) if flat else [])
        made = []
        for s, n in zip(sources, counts):
            parts = [g for g in (next(found) for _ in range(n)) if g is not None]
            parts = [_core.convert_to_tensor(p) for p in parts]
            made.append((_core.add_n(parts) if len(parts) > 1 else parts[0]) if parts else _zeros(state, s))
        return made

    # Sources that are tensors must have been computed, and watched, before.
    op = graph.add("Gradient", "grad", run=run_in, inputs=[*ys, *given])
    op.gradient = gradient
    made = [Tensor(op, s.dtype, (s if isinstance(s, Tensor) else s._tensor).dims) for s in sources]
    rows = _rows(ys)
    for s, tensor in zip(sources, made):
        tensor.rows = None if isinstance(s, Tensor) else rows.get(s)
    return made


def _rows(ys):
    """By variable, the numbers of the rows that ys take of it, where they take it in no other way:
    TensorFlow's gradient has only these then."""
    found = {}
    for op in run.closure(ys, [], ()):
        for i, t in enumerate(op.inputs):
            variable = t.op.reads
            if variable is None:
                continue
            if op.type not in ("GatherV2", "embedding_lookup") or i or len(op.inputs) != 2:
                found[variable] = None
            elif found.get(variable, ()) is not None:
                found.setdefault(variable, []).append(op.inputs[1])
        for variable in getattr(op, "layer_variables", ()):
            found[variable] = None
    return found


def _handles(state, source):
    if isinstance(source, Tensor):
        return [state.values[source]] if source in state.values else []
    if source.core is not None:
        return [source.core]
    return state.read_as.get(source, [])


def _zeros(state, source):
    value = state.values[source] if isinstance(source, Tensor) else state.read(source)
    return _core.zeros_like(value)


def _stopped(state, gradient, targets):
    """The targets once more, of stops that are constants. Equal parts are computed once: plans merge them."""
    stops = {s if isinstance(s, Tensor) else s._tensor for s in gradient.stops}
    again = run.State(state.session, state)
    again.tapes, again.levels, again.tensors, again.held, again.read_as = (
        state.tapes,
        state.levels,
        state.tensors,
        state.held,
        state.read_as,
    )
    for s in stops:
        if s in again.values:
            again.values[s] = _core.stop_gradient(again.values[s])
    ops = run.closure(gradient.targets, [], stops)
    below = set()  # what depends on a stop
    for op in run.ordered(ops, stops):
        if op.writes or op.draws or op.reads is not None or op.source is not None:
            continue
        if any(t in stops or t.op in below for t in op.inputs):
            below.add(op)
    keep = [op for op in run.ordered(ops, stops) if op in below]
    for op in keep:
        for t in op.outputs:
            if t not in stops:
                again.values.pop(t, None)
    again._run(keep)
    sources = {id(s) for s in gradient.sources}
    if any(id(s) in sources for s in gradient.stops):  # a source that is a stop: what depends on it directly counts
        return _partial(state, gradient, keep, stops)
    return [again.values[t] for t in gradient.targets]


def _partial(state, gradient, keep, stops):
    """Stops that are sources too: they are cut from what they are made of, and watched anew."""
    again = run.State(state.session, state)
    again.tapes, again.levels, again.tensors, again.held, again.read_as = (
        state.tapes,
        state.levels,
        state.tensors,
        state.held,
        state.read_as,
    )
    for s in stops:
        if s in again.values:
            value = _core.identity(_core.stop_gradient(state.values[s]))
            state._watch(value)
            state.values[s] = again.values[s] = value
    for op in keep:
        for t in op.outputs:
            if t not in stops:
                again.values.pop(t, None)
    again._run(keep)
    return [again.values[t] for t in gradient.targets]


def hessians(ys, xs, name="hessians", colocate_gradients_with_ops=False, gate_gradients=False, aggregation_method=None):
    """The matrix of second derivatives of the sum of ys, for each of xs."""
    if building() is None and _trace_gradients.here.tapes is not None:
        return _trace_gradients.hessians(ys, xs)
    made = []
    for x in _nest.flatten(xs):
        (first,) = gradients(ys, x, name=name)
        flat = wrap.call(building(), lambda g: _core.reshape(g, [-1]), "Reshape", (first,), {})
        n = flat.shape[0]
        if n is None:
            raise ValueError("[hessians] needs a shape that is known")
        rows = [gradients(flat[i], x)[0] for i in range(int(n))]
        shape = list(x.shape)
        made.append(
            wrap.call(building(), lambda r, s=shape: _core.reshape(_core.stack(r), s + s), "Reshape", (rows,), {})
        )
    return made


class GradientTape:
    """A tape in graph mode: the graph knows what depends on what; the tape, which variables count."""

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self._persistent, self._all_variables, self._watched, self._used = (
            persistent,
            watch_accessed_variables,
            set(),
            False,
        )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def watch(self, tensor):
        """Lets a variable count, where others do not."""
        self._watched.update(id(x) for x in _nest.flatten(tensor))

    def gradient(self, target, sources, output_gradients=None, unconnected_gradients="none"):
        """The gradients of a target with respect to sources, in their structure."""
        if self._used and not self._persistent:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
            )
        self._used = True
        flat = _nest.flatten(sources)
        counts = [self._all_variables or isinstance(x, Tensor) or id(x) in self._watched for x in flat]
        found = iter(
            gradients(
                target,
                [x for x, yes in zip(flat, counts) if yes],
                output_gradients,
                unconnected_gradients=unconnected_gradients,
            )
        )
        return _nest.pack(sources, [next(found) if yes else None for yes in counts])


def is_operation(x):
    return isinstance(x, Operation)
