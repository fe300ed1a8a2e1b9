"""Operations that do something: they print, check, or call functions of Python's."""

import sys
import weakref

from brio import _control, _core, _nest
from brio._graph import nested, wrap
from brio._graph.core import Tensor, building
from brio.errors import _UnknownValueError


def print_op(*inputs, output_stream=None, summarize=3, sep=" ", end="\n", name=None, first_n=None):
    """An operation that prints; where first_n is a number, only that often in each session."""
    graph, counts = building(), weakref.WeakKeyDictionary()
    structure, tensors = nested.taken_apart(
        nested.swap(list(inputs), lambda x: wrap.as_tensor(x) if hasattr(x, "_as_graph_element") else x),
        nested.is_graph_tensor,
    )

    def run_in(state, op, values):
        if first_n is not None and first_n >= 0:
            _needs_values("tf.Print with first_n")
            counts[state.session] = counts.get(state.session, 0) + 1
            if counts[state.session] > first_n:
                return []
        _control_print(
            *nested.put_together(structure, values), output_stream=output_stream, summarize=summarize, sep=sep, end=end
        )
        return []

    op = graph.add("PrintV2", name, run=run_in, inputs=tensors)
    return op


def _needs_values(what):
    """Ends a trace: the run goes on without one."""
    if _core._is_tracing():
        raise _UnknownValueError(f"{what} needs values")


def _control_print(*args, **kwargs):
    getattr(_control.print, "_behind", _control.print)(*args, **kwargs)


def print_v1(input_, data, message=None, first_n=None, summarize=None, name=None):
    """tf.Print: the same value, and its run prints data."""
    graph = building()
    data = [wrap.as_tensor(d) if not isinstance(d, str) else d for d in data]
    op = print_op(
        message or "",
        *data,
        output_stream=sys.stderr,
        summarize=3 if summarize is None else summarize,
        sep="",
        first_n=first_n,
    )
    with graph.control_dependencies([op]):
        return wrap.call(graph, _core.identity, "Print", (input_,), {})


def assert_op(condition, data, summarize=None, name=None):
    """An operation that fails where a truth does not hold."""
    graph = building()
    tensors = [wrap.convert(condition), *[wrap.convert(d) for d in data]]

    def run_in(state, op, values):
        _core._assert_with_data(values[0], "assertion failed", list(values[1:]))
        return []

    return graph.add("Assert", name, run=run_in, inputs=tensors)


def py_func(func, inp, Tout, stateful=True, name=None):
    """What a function of Python's makes of NumPy arrays."""
    return _python("PyFunc", func, inp, Tout, name, lambda x: x.numpy())


def py_function(func=None, inp=None, Tout=None, name=None):
    """What a function of Python's makes of tensors."""
    return _python("EagerPyFunc", func, inp, Tout, name, lambda x: x)


def _python(kind, func, inp, types, name, argument):
    graph = building()
    tensors = [wrap.convert(x) for x in (inp if isinstance(inp, (list, tuple)) else [inp])]
    specs = _nest.flatten(types) if types is not None else []

    def run_in(state, op, values):
        _needs_values("a function of Python's")
        made = func(*[argument(x) for x in values])
        made = _nest.flatten(made) if specs else []
        if len(made) != len(specs):
            from brio.errors import InvalidArgumentError

            raise InvalidArgumentError(
                f"[py_func] the function returned {len(made)} results, but {len(specs)} were announced"
            )
        return [
            _core.convert_to_tensor(x, _dtype(s)) if not isinstance(x, _core.Tensor) else x for x, s in zip(made, specs)
        ]

    op = graph.add(kind, name, run=run_in, inputs=tensors)
    from brio._graph import infer

    outputs = [Tensor(op, _dtype(s), infer.dims_of(graph, s.shape) if hasattr(s, "shape") else None) for s in specs]
    if not outputs:
        return op
    return _nest.pack(types, outputs) if isinstance(types, (list, tuple)) else outputs[0]


def _dtype(spec):
    return _core.as_dtype(spec.dtype if hasattr(spec, "shape") else spec)
