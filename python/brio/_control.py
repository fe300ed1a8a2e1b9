"""Control flow, functions of Python's in the midst of tensors, effects, and scopes.

Eagerly there are values to look at, so that branches and loops are Python's own. While a function is traced they become
part of it (brio/python/control.cpp)."""

import contextlib
import functools
import sys

from brio import _autograph, _core, _nest
from brio._spec import TensorSpec


def _holds(pred):
    return bool(pred)


def _traced(*values):
    return _core._is_tracing() and any(not _core._is_known(v) for v in values)


def cond(pred, true_fn=None, false_fn=None, name=None):
    """What one of two functions returns, as a truth says.

    >>> int(tf.cond(tf.constant(3) > 2, lambda: tf.constant(1), lambda: tf.constant(0)))
    1
    """
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError("[cond] true_fn and false_fn must be functions")
    if not _traced(pred):
        return true_fn() if _holds(pred) else false_fn()
    return _core._cond_structured(pred, _of_numbers(true_fn), _of_numbers(false_fn))


def _of_numbers(branch):
    """A branch that gives no strings: with these the function around it runs op by op."""

    def run():
        result = branch()
        if any(_core.is_tensor(x) and x.dtype == _core.string for x in _nest.flatten(result)):
            from brio.errors import _UnknownValueError

            raise _UnknownValueError("[cond] a branch gives strings, which cannot be traced")
        return result

    return run


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name="case"):
    """What the function of the first truth that holds returns, or else the default's."""
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    for pair in pairs:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not callable(pair[1]):
            raise TypeError("[case] takes pairs of a truth and a function")
    if exclusive and not any(_traced(p) for p, _ in pairs) and sum(_holds(p) for p, _ in pairs) > 1:
        from brio.errors import InvalidArgumentError

        raise InvalidArgumentError("[case] more than one truth holds, but exclusive=True")

    def rest(i):
        if i == len(pairs):
            if default is None:
                from brio.errors import InvalidArgumentError

                raise InvalidArgumentError("[case] none of the truths holds, and there is no default")
            return default()
        if i == len(pairs) - 1 and default is None and _traced(pairs[i][0]):
            return pairs[i][1]()
        return cond(pairs[i][0], pairs[i][1], lambda: rest(i + 1))

    return rest(0)


def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    """What the function of this number returns, or else the default's, or the last one's."""
    if isinstance(branch_fns, dict):
        branches = dict(branch_fns)
    elif branch_fns and isinstance(branch_fns[0], (list, tuple)):
        branches = dict(branch_fns)
    else:
        branches = dict(enumerate(branch_fns))
    if not branches or not all(callable(f) for f in branches.values()):
        raise TypeError("[switch_case] branch_fns must be functions, one for each number")
    other = default if default is not None else branches[max(branches)]
    if not _traced(branch_index):
        return branches.get(int(branch_index), other)()

    def rest(keys):
        if not keys:
            return other()
        return _core._cond_structured(_core.equal(branch_index, keys[0]), branches[keys[0]], lambda: rest(keys[1:]))

    return rest(sorted(branches))


def _listed(structure):
    return list(structure) if isinstance(structure, (list, tuple)) else [structure]


def while_loop(
    cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, swap_memory=False,
    maximum_iterations=None, name=None,
):  # fmt: skip
    """What the body makes of the variables, again and again while the condition holds.

    >>> [int(v) for v in tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + i), (0, 0))]
    [4, 6]
    """
    if not callable(cond) or not callable(body):
        raise TypeError("[while_loop] cond and body must be functions")
    if not isinstance(loop_vars, (list, tuple)):
        loop_vars = [loop_vars]
    if not loop_vars:
        raise ValueError("[while_loop] No loop variables provided")
    if _core._is_tracing():
        return _core._while_structured(cond, body, loop_vars, maximum_iterations)
    variables = _nest.map_structure(_core.convert_to_tensor, loop_vars)
    limit = None if maximum_iterations is None else int(maximum_iterations)
    rounds = 0
    while (limit is None or rounds < limit) and _holds(cond(*variables)):
        result = body(*variables)
        result = list(result) if isinstance(result, (list, tuple)) else [result]
        if len(result) != len(variables):
            raise ValueError(f"[while_loop] the body returns {len(result)} variables, but was given {len(variables)}")
        result = _nest.map_structure(_core.convert_to_tensor, result)
        variables = (
            type(variables)(result) if not hasattr(variables, "_fields") else _nest.named(type(variables), result)
        )
        rounds += 1
    return variables


def _rows(elems):
    """How many there are, and a function to the i-th."""
    flat = [_core.convert_to_tensor(x) for x in _nest.flatten(elems)]
    if not flat or flat[0].shape.rank == 0:
        raise ValueError("elements must be tensors of rank 1 or more, to walk along their first axis")
    counts = {x.shape[0] for x in flat}
    if len(counts) != 1:
        raise ValueError(f"elements must have one length, but have {sorted(counts)}")
    return counts.pop(), lambda i: _nest.pack(elems, [x[i] for x in flat])


def _order(count, reverse):
    if count is None:
        from brio.errors import _UnknownValueError

        raise _UnknownValueError("[scan] the number of elements is not known while a function or model is traced")
    return list(range(count))[:: -1 if reverse else 1]


def _stacked(results):
    first = results[0]
    return _nest.pack(first, [_core.stack(list(column)) for column in zip(*map(_nest.flatten, results))])


def map_fn(
    fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False, infer_shape=True, name=None,
    fn_output_signature=None,
):  # fmt: skip
    """What a function makes of each row, stacked.

    >>> tf.map_fn(lambda row: tf.reduce_sum(row), tf.constant([[1, 2], [3, 4]])).numpy().tolist()
    [3, 7]
    """
    if not callable(fn):
        raise TypeError("[map_fn] fn must be a function")
    wanted = fn_output_signature if fn_output_signature is not None else dtype
    if any(hasattr(spec, "row_splits_dtype") for spec in _nest.flatten(wanted)):
        from brio._ragged_picking import map_fn as of_rows

        return of_rows(fn, elems, fn_output_signature=wanted)

    def call(row):
        result = fn(row)
        if wanted is None:
            return _nest.map_structure(_core.convert_to_tensor, result)
        types = _nest.flatten(wanted)
        leaves = [_of_type("map_fn", x, t) for x, t in zip(_nest.flatten(result), types)]
        return _nest.pack(result, leaves)

    count, row = _rows(elems)
    if _core._is_tracing():
        elems = _nest.map_structure(_core.convert_to_tensor, elems)
        return _core._scan(lambda carried, one: ((), call(one)), (), elems, False)[1]
    if count == 0:
        raise ValueError("[map_fn] there are no rows, so that the shape of the result is not known")
    return _stacked([call(row(i)) for i in range(count)])


def _of_type(who, x, wanted):
    dtype = _core.as_dtype(wanted.dtype if hasattr(wanted, "shape") else wanted)
    if not _core.is_tensor(x):
        return _core.convert_to_tensor(x, dtype)
    x = _core.convert_to_tensor(x)
    if x.dtype != dtype:
        from brio.errors import InvalidArgumentError

        raise InvalidArgumentError(f"[{who}] the function returned {x.dtype.name}, but {dtype.name} was announced")
    return x


def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """What a function makes of each row, stacked."""
    return map_fn(fn, elems)


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
    count, row = _rows(elems)
    if _core._is_tracing():
        tensors = _nest.map_structure(_core.convert_to_tensor, elems)
        if initializer is not None:
            carried = _nest.map_structure(_core.convert_to_tensor, initializer)
            rest = tensors
        else:
            carried = row(-1 if reverse else 0)
            rest = _nest.map_structure(lambda x: x[:-1] if reverse else x[1:], tensors)

        def step(before, one):
            after = fn(before, one)
            return after, after

        results = _core._scan(step, carried, rest, reverse)[1]
        if initializer is not None:
            return results
        parts = (lambda r, c: [r, _core.expand_dims(c, 0)]) if reverse else (lambda r, c: [_core.expand_dims(c, 0), r])
        return _nest.map_structure(lambda r, c: _core.concat(parts(r, c), axis=0), results, carried)
    results, state = [], initializer
    for i in _order(count, reverse):
        state = row(i) if state is None else fn(state, row(i))
        state = _nest.map_structure(_core.convert_to_tensor, state)
        results.append(state)
    return _stacked(results[:: -1 if reverse else 1])


def _fold(fn, elems, initializer, reverse):
    count, row = _rows(elems)
    order = _order(count, reverse)
    if initializer is None:
        state, order = row(order[0]), order[1:]
    else:
        state = _nest.map_structure(_core.convert_to_tensor, initializer)
    if _core._is_tracing() and order:
        tensors = _nest.map_structure(_core.convert_to_tensor, elems)
        if initializer is None:
            tensors = _nest.map_structure(lambda x: x[:-1] if reverse else x[1:], tensors)
        return _core._scan(lambda before, one: (fn(before, one), ()), state, tensors, reverse)[0]
    for i in order:
        state = fn(state, row(i))
    return _nest.map_structure(_core.convert_to_tensor, state)


def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """The last result of a function of what it returned before and of the next row."""
    return _fold(fn, elems, initializer, False)


def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """As foldl, from the last row to the first."""
    return _fold(fn, elems, initializer, True)


# ---- Python functions


def _call_python(who, func, inp, Tout, stateful, to_argument):
    inputs = [_core.convert_to_tensor(x) for x in _listed(inp)]
    types = _nest.flatten(Tout)
    if _core._journalling():  # a function of Dataset.map is being written down: this is one step of it
        return _nest.pack(
            Tout,
            _core._journal_call(
                lambda *x: _nest.flatten(_call_python(who, func, x, Tout, stateful, to_argument)), inputs
            ),
        )
    if not (_core._is_tracing() and any(not _core._is_known(x) for x in inputs)):
        result = func(*map(to_argument, inputs))
        if Tout is None or (isinstance(Tout, (list, tuple)) and not Tout):
            return None if Tout is None else []
        leaves = _nest.flatten(result)
        if len(leaves) != len(types):
            from brio.errors import InvalidArgumentError

            raise InvalidArgumentError(
                f"[{who}] the function returned {len(leaves)} results, but {len(types)} were announced"
            )
        made = [_of_type(who, x, t) for x, t in zip(leaves, types)]
        return _nest.pack(Tout, made)
    for t in types:
        if not isinstance(t, TensorSpec) or not t.shape.is_fully_defined():
            from brio.errors import _UnknownValueError

            raise _UnknownValueError(
                f"[{who}] inside a traced function the shapes of its results must be known: "
                "give Tout=tf.TensorSpec(shape, dtype) in place of a dtype"
            )

    def run(*arrays):
        return [_of_type(who, x, t) for x, t in zip(_nest.flatten(func(*map(to_argument, arrays))), types)]

    return _nest.pack(Tout, _core._host_call(run, inputs, types, stateful))


def py_function(func=None, inp=None, Tout=None, name=None):
    """What a function of Python's makes of tensors, which it can look at also inside a traced function."""
    if func is None:  # as a decorator
        return lambda f: functools.wraps(f)(lambda *args: py_function(f, list(args), Tout))
    return _call_python("py_function", func, inp, Tout, True, lambda x: x)


def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):
    """What a function of Python's makes of NumPy arrays."""
    if func is None:  # as a decorator
        return lambda f: functools.wraps(f)(lambda *args: numpy_function(f, list(args), Tout, stateful))
    return _call_python("numpy_function", func, inp, Tout, stateful, lambda x: x.numpy())


def custom_gradient(f=None):
    """A function whose gradient is computed by another: f returns its result and that function.

    >>> @tf.custom_gradient
    ... def clipped(x):
    ...     return x, lambda upstream: tf.clip_by_value(upstream, -1.0, 1.0)
    """
    if f is None:
        return custom_gradient

    def compute(*args, **kwargs):
        inner = _autograph.convert(f) if _core._tracing() else f
        return _core._custom_gradient(lambda *tensors: inner(*tensors, **kwargs), *args)

    @functools.wraps(f)
    def call(*args, **kwargs):
        graphs = sys.modules.get("brio._graph.wrap")  # loaded in graph mode
        graph = graphs and graphs.building()
        return graphs.call(graph, compute, f.__name__, args, kwargs) if graph else compute(*args, **kwargs)

    return call


def grad_pass_through(f):
    """f, through which gradients pass as if it were not there."""

    @custom_gradient
    def call(*args):
        return f(*args), lambda gradient: gradient

    return call


def recompute_grad(f):
    """f itself: what is computed again is decided for a whole step, by fit(memory_limit=..., memory="fit")."""
    return f


# ---- effects and scopes


def _text(x, summarize):
    if _core.is_tensor(x) or type(x).__module__ == "numpy" and hasattr(x, "dtype"):
        return _core._shown(x, summarize)
    if isinstance(x, dict):
        return "{" + ", ".join(f"{k!r}: {_inner(v, summarize)}" for k, v in x.items()) + "}"
    if isinstance(x, list):
        return "[" + ", ".join(_inner(v, summarize) for v in x) + "]"
    if isinstance(x, tuple):
        return "(" + ", ".join(_inner(v, summarize) for v in x) + ("," if len(x) == 1 else "") + ")"
    return str(x)


def _inner(x, summarize):
    return repr(x) if isinstance(x, str) else _text(x, summarize)


def print(*inputs, output_stream=None, summarize=3, sep=" ", end="\n", name=None):
    """Prints tensors and other things; inside a traced function, at every call."""

    def now(*values):
        leaves = iter(values)
        shown = [_nest.map_structure(lambda x: next(leaves) if _core.is_tensor(x) else x, x) for x in inputs]
        _write(sep.join(_text(x, summarize) for x in shown) + end, output_stream)
        return []

    tensors = [x for x in _nest.flatten(list(inputs)) if _core.is_tensor(x)]
    if _core._journalling():
        _core._journal_call(now, [_core.convert_to_tensor(x) for x in tensors])
    elif _core._is_tracing():
        from brio import _saved_function

        if _saved_function.saving():  # the file holds no Python code
            _saved_function.warn_of_print()
            return
        _core._host_call(now, [_core.convert_to_tensor(x) for x in tensors], [], True)
    else:
        now(*tensors)


def _write(text, stream):
    if stream is None:
        stream = sys.stderr
    if isinstance(stream, str):
        if stream.startswith("file://"):
            with open(stream[len("file://") :], "a") as file:
                file.write(text)
            return
        raise ValueError(f"[print] output_stream is {stream!r}; it is sys.stdout, sys.stderr or 'file://PATH'")
    if hasattr(stream, "write"):
        stream.write(text)
    else:
        stream(text.rstrip("\n"))  # a logging function


def group(*inputs, **kwargs):
    """None: what is grouped has happened already."""


def no_op(name=None):
    """None: nothing happens."""


def tuple_(tensors, control_inputs=None, name=None):
    """The same tensors, as a list."""
    return list(tensors)


def executing_eagerly():
    """False while a function is traced."""
    return not _core._is_tracing()


def inside_function():
    """True while a function is traced."""
    return _core._is_tracing()


def is_symbolic_tensor(tensor):
    """True for what has no value yet: a function is traced."""
    return not _core._is_known(tensor)


@contextlib.contextmanager
def control_dependencies(control_inputs):
    """Nothing to do: things happen in the order in which they stand."""
    yield


@contextlib.contextmanager
def device(device_name):
    """A scope whose operations run on that device, and whose tensors and variables lie there.

    None: where they would without any scope. A device that is not there is the CPU, unless
    tf.config.set_soft_device_placement(False) was called. In a tf.function such operations run there wherever the
    function is called.

    >>> with tf.device("/CPU:0"):
    ...     x = tf.constant([1.0, 2.0]) * 2
    >>> x.device
    '/job:localhost/replica:0/task:0/device:CPU:0'
    """
    graphs = sys.modules.get("brio._graph.core")  # loaded in graph mode
    if graphs is not None and graphs.building() is not None:
        with graphs.default_graph().device(device_name):
            yield
        return
    if callable(device_name):
        raise ValueError("[device] takes a function in graph mode only; give it the name of a device")
    if device_name is not None and not isinstance(device_name, str):
        raise ValueError(f"[device] takes the name of a device, but got {device_name!r}")
    scope = _core._device_scope(device_name)
    if scope is None:
        yield
        return
    with scope:
        yield


@contextlib.contextmanager
def init_scope():
    """What is computed in here is computed at once, also while a function is traced around it."""
    with _core._InitScope():
        yield


_scopes = []


class name_scope:
    """Names of a scope stand before those of what is made in it."""

    def __init__(self, name):
        if not isinstance(name, str):
            raise ValueError("[name_scope] takes a name")
        self._name = name

    @property
    def name(self):
        """The name of the scope."""
        return self._name

    def __enter__(self):
        _scopes.append(self._name)
        return "/".join(_scopes) + "/"

    def __exit__(self, *_):
        _scopes.pop()


def get_current_name_scope():
    """The names of the scopes around."""
    return "/".join(_scopes)


def get_logger():
    """The logger of Python's that messages go to."""
    import logging

    return logging.getLogger("brio")
