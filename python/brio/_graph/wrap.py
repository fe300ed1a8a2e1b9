"""Doors before the public functions: in graph mode a call becomes an operation,
elsewhere it is the call that it was."""

import functools
import importlib
import operator
import types

import numpy as np

from brio import _core
from brio._graph import by_rule, core, infer, keras_calls, nested
from brio._graph.core import Operation, Tensor, building

# What TensorFlow calls the operations of functions, where that is not the function's name in capitals.
_KINDS = {
    "reduce_mean": "Mean", "reduce_sum": "Sum", "reduce_max": "Max", "reduce_min": "Min", "reduce_prod": "Prod",
    "reduce_any": "Any", "reduce_all": "All", "matmul": "MatMul", "multiply": "Mul", "subtract": "Sub",
    "divide": "truediv", "argmax": "ArgMax", "argmin": "ArgMin", "bias_add": "BiasAdd", "relu": "Relu",
    "relu6": "Relu6", "elu": "Elu", "conv2d": "Conv2D", "conv3d": "Conv3D", "max_pool2d": "MaxPool2d",
    "max_pool": "MaxPool", "avg_pool": "AvgPool",
    "softmax_cross_entropy_with_logits": "softmax_cross_entropy_with_logits", "expand_dims": "ExpandDims",
    "concat": "concat", "stack": "stack", "split": "split", "one_hot": "one_hot", "zeros": "zeros", "ones": "ones",
    "fill": "Fill", "range": "range", "where": "Where", "gather": "GatherV2", "transpose": "transpose", "pad": "Pad",
    "dropout": "dropout", "embedding_lookup": "embedding_lookup", "zeros_like": "zeros_like", "ones_like": "ones_like",
    "pow": "Pow", "clip_by_value": "clip_by_value", "floordiv": "floordiv", "truediv": "truediv", "mod": "FloorMod",
    "sparse_softmax_cross_entropy_with_logits": "SparseSoftmaxCrossEntropyWithLogits",
    "sigmoid_cross_entropy_with_logits": "logistic_loss", "l2_loss": "L2Loss", "moments": "moments", "sqrt": "Sqrt",
    "add_n": "AddN", "strided_slice": "StridedSlice", "tensordot": "Tensordot", "identity": "Identity", "cast": "Cast",
    "normal": "random_normal", "uniform": "random_uniform", "truncated_normal": "truncated_normal",
    "log_softmax": "LogSoftmax",
}  # fmt: skip


def kind_of(name):
    """The kind, and so the default name, of an operation."""
    return _KINDS.get(name) or "".join(part.capitalize() for part in name.split("_"))


def _is_symbolic(x):
    return isinstance(x, (Tensor, Operation)) or hasattr(x, "_as_graph_element")


def call(graph, function, kind, args, kwargs, needs_tensor=False, of_user=False):
    """A call of a function of tensors, as an operation of the graph. of_user: it runs code of the user's."""
    found, eager = [], False

    def take(leaf):
        nonlocal eager
        if isinstance(leaf, Tensor):
            found.append(leaf)
        elif hasattr(leaf, "_as_graph_element") or isinstance(leaf, _core.Variable):
            leaf = as_tensor(leaf, graph)
            found.append(leaf)
        elif isinstance(leaf, (_core.Tensor, _core.KerasTensor)):
            eager = True
        elif isinstance(leaf, np.ndarray):
            return leaf.copy()  # as it is now
        return leaf

    given = nested.swap((args, kwargs), take)
    if not found and (eager or needs_tensor):
        return function(*args, **kwargs)
    for tensor in found:
        if tensor.graph is not graph:
            raise ValueError(
                f"{tensor!r} is not from the graph that is built here; all of what an operation takes must be of one "
                "graph"
            )
    structure, inputs = nested.taken_apart(given, nested.is_graph_tensor)

    def run(values):
        a, k = nested.put_together(structure, values)
        return function(*a, **k)

    name = kwargs.get("name") if isinstance(kwargs.get("name"), str) else None
    return add_call(graph, kind, run, inputs, name, by_rule.of_call(graph, function, *given), of_user)


def add_call(graph, kind, run, inputs, name=None, rule=None, of_user=False):
    """An operation that is run(values of inputs); returns its results in their structure."""
    result = infer.infer(graph, kind, run, inputs, rule, of_user)
    if not result.tensors and not result.effects:
        return result.structure  # no tensors: there is nothing to be computed later

    def run_in(state, op, values):
        return [x for x in nested.leaves(run(values)) if nested.is_value(x)]

    op = graph.add(kind, name, run=run_in, inputs=inputs)
    made = infer.outputs(op, result)
    return made if result.tensors else op


def as_tensor(x, graph=None):
    """A graph tensor of a variable, a tensor or a value."""
    if isinstance(x, Tensor):
        return x
    if hasattr(x, "_as_tensor"):
        return x._as_tensor()
    if isinstance(x, _core.Variable):
        from brio._graph import variables

        return variables.of_core(x, graph or building())._as_tensor()
    return convert(x)


def constant_of(graph, value, name=None):
    """An operation that is a value."""
    op = graph.add("Const", name, run=lambda state, op, values: [value])
    op.value = value
    return Tensor(op, value.dtype, tuple(value.shape))


def convert(value, dtype=None, dtype_hint=None, name=None, preferred_dtype=None):
    """convert_to_tensor() in graph mode."""
    graph = building()
    dtype_hint = dtype_hint if dtype_hint is not None else preferred_dtype
    if hasattr(value, "_as_graph_element") or isinstance(value, (Tensor, _core.Variable)):
        tensor = as_tensor(value, graph)
        if dtype is not None and tensor.dtype != _core.as_dtype(dtype):
            raise ValueError(
                f"Tensor conversion requested dtype {_core.as_dtype(dtype).name} for Tensor with dtype "
                f"{tensor.dtype.name}: {tensor!r}"
            )
        return tensor
    if any(_is_symbolic(leaf) for leaf in nested.leaves(value)):
        return call(
            graph,
            lambda v: _core.convert_to_tensor(v, dtype, dtype_hint),
            "packed",
            (value,),
            {"name": name} if name else {},
            False,
        )
    with core.paused():
        made = _core.convert_to_tensor(value, dtype, dtype_hint)
    return constant_of(graph, made, name)


def constant(value, dtype=None, shape=None, name="Const"):
    """tf.constant in graph mode."""
    with core.paused():
        made = _core.constant(value, dtype, shape)
    return constant_of(building(), made, name)


def door(function, kind, needs_tensor=False):
    """The function, which in graph mode adds an operation."""

    @functools.wraps(function)
    def at(*args, **kwargs):
        graph = building()
        if graph is None:
            return function(*args, **kwargs)
        if "name" in kwargs and not takes_name(function):
            return call(
                graph,
                lambda *a, **k: function(*a, **{n: v for n, v in k.items() if n != "name"}),
                kind,
                args,
                kwargs,
                needs_tensor,
            )
        return call(graph, function, kind, args, kwargs, needs_tensor)

    at._behind = function
    if hasattr(function, "__nb_signature__"):  # what documentation and help() read
        at.__nb_signature__ = function.__nb_signature__
    return at


def takes_name(function):
    return not isinstance(function, types.FunctionType) or "name" in function.__code__.co_varnames


def special_door(function, in_graph):
    """The function outside of graph mode, another one in it."""

    @functools.wraps(function)
    def at(*args, **kwargs):
        return function(*args, **kwargs) if building() is None else in_graph(*args, **kwargs)

    at._behind = function
    return at


# ---- operators of graph tensors


def _operate(function, kind, a, b):
    graph = building()
    if graph is None:
        raise RuntimeError("a tensor of a graph was met where values are computed; session.run() gives its value")
    if not (_is_symbolic(a) or _is_symbolic(b)):
        return NotImplemented
    if b is None or a is None or isinstance(a, str) or isinstance(b, str) and (a.dtype.name != "string"):
        return NotImplemented
    if isinstance(a, Tensor) and isinstance(b, Tensor) and a.dtype != b.dtype:
        raise TypeError(
            f"Input 'y' of '{kind}' Op has type {b.dtype.name} that does not match type {a.dtype.name} of argument "
            "'x'; use tf.cast"
        )
    return call(graph, function, kind, (a, b), {})


OPERATORS = [
    ("add", operator.add, "add"), ("sub", operator.sub, "sub"), ("mul", operator.mul, "mul"),
    ("truediv", operator.truediv, "truediv"), ("floordiv", operator.floordiv, "floordiv"), ("mod", operator.mod, "mod"),
    ("pow", operator.pow, "pow"), ("matmul", _core.matmul, "matmul"), ("and", operator.and_, "and"),
    ("or", operator.or_, "or"), ("xor", operator.xor, "xor"),
]  # fmt: skip
COMPARISONS = [
    ("lt", operator.lt, "Less"),
    ("le", operator.le, "LessEqual"),
    ("gt", operator.gt, "Greater"),
    ("ge", operator.ge, "GreaterEqual"),
]
UNARY = [
    ("neg", operator.neg, "Neg"),
    ("abs", operator.abs, "Abs"),
    ("invert", operator.invert, "LogicalNot"),
    ("pos", lambda x: x, "Identity"),
]


def give_operators(cls):
    """What can be written with operators, for tensors and variables of graphs."""
    for name, function, kind in OPERATORS:
        _give(cls, name, function, kind)
    for name, function, kind in COMPARISONS:
        setattr(cls, f"__{name}__", lambda self, other, f=function, k=kind: _operate(f, k, self, other))
    for name, function, kind in UNARY:
        setattr(cls, f"__{name}__", lambda self, f=function, k=kind: call(building(), f, k, (self,), {}))
    cls.__getitem__ = lambda self, key: call(building(), operator.getitem, "strided_slice", (self, key), {})


def _give(cls, name, function, kind):
    setattr(cls, f"__{name}__", lambda self, other: _operate(function, kind, self, other))
    setattr(cls, f"__r{name}__", lambda self, other: _operate(function, kind, other, self))


tensor_equality = True


def equality(a, b, inverted):
    """a == b: element by element, or, after disable_v2_behavior(), whether they are the same."""
    if b is None or not tensor_equality or building() is None:
        return (a is not b) if inverted else (a is b)
    try:
        return call(
            building(), operator.ne if inverted else operator.eq, "NotEqual" if inverted else "Equal", (a, b), {}
        )
    except (TypeError, ValueError):
        return inverted


give_operators(Tensor)

# ---- putting doors into modules

# Modules all of whose functions are of tensors; keras: only where a tensor of a graph is given.
_MODULES = (
    "",
    "math",
    "nn",
    "linalg",
    "random",
    "strings",
    "image",
    "signal",
    "bitwise",
    "sets",
    "sparse",
    "ragged",
    "audio",
    "io",
    "debugging",
)
_KERAS = (
    "keras.ops",
    "keras.activations",
    "keras.losses",
    "keras.backend",
    "keras.metrics",
    "keras.utils",
    "keras.random",
)
# Functions that are none of tensors, or handle graphs by themselves.
_LEFT = {
    "is_tensor", "as_dtype", "executing_eagerly", "function", "nest", "device", "get_logger", "get_static_value",
    "inside_function", "is_symbolic_tensor", "compat_report", "type_spec_from_value", "get_current_name_scope",
    "gradients", "recompute_grad", "grad_pass_through", "custom_gradient", "memory_info", "set_memory_growth",
    "plan_cache_stats", "memory_ledger", "memory_report", "write_file", "flush", "list_files", "match_filenames_once",
    "get_global_generator", "set_global_generator", "create_rng_state", "is_keras_tensor", "enable_traceback_filtering",
    "disable_traceback_filtering", "is_traceback_filtering_enabled", "enable_check_numerics", "disable_check_numerics",
    "set_log_device_placement", "get_log_device_placement",
}  # fmt: skip
_state = {"there": False, "places": None}


def _specials():
    """What functions are in graph mode, by name."""
    from brio._graph import control, effects, gradients, state

    return {
        "convert_to_tensor": convert, "constant": constant, "cond": control.cond, "case": control.case,
        "while_loop": functools.partial(control.while_loop, return_same_structure=True),
        "switch_case": control.switch_case, "map_fn": control.map_fn, "scan": control.scan, "foldl": control.foldl,
        "foldr": control.foldr, "vectorized_map": control.map_fn, "group": control.group, "no_op": control.no_op,
        "tuple": control.tuple_, "tuple_": control.tuple_, "control_dependencies": control.control_dependencies,
        "print": effects.print_op, "py_function": effects.py_function, "numpy_function": effects.py_func,
        "set_seed": state.set_random_seed, "init_scope": state.init_scope, "executing_eagerly": lambda: False,
        "identity": control.identity, "gradients": gradients.gradients,
        "get_current_name_scope": lambda: core.default_graph()._scope, "stop_gradient": control.stop_gradient,
        "is_tensor": lambda x: True if _is_symbolic(x) and not isinstance(x, Operation) else _core.is_tensor(x),
        "dropout": _dropout, "get_static_value": lambda tensor, partial=False: static_value(tensor),
        "Assert": effects.assert_op,
    }  # fmt: skip


def _dropout(x, rate, noise_shape=None, seed=None, name=None):
    """tf.nn.dropout, whose rate may be a tensor in a graph."""
    from brio import nn
    from brio.compat.v1.nn import dropped

    function = (
        dropped
        if _is_symbolic(rate) or any(_is_symbolic(n) for n in nested.leaves(noise_shape))
        else getattr(nn.dropout, "_behind", nn.dropout)
    )
    return call(
        building(),
        lambda *a, name=None: function(*a),
        "dropout",
        (x, rate, noise_shape, seed),
        {"name": name} if name else {},
    )


def static_value(tensor):
    """The value of a constant; None of anything else."""
    if isinstance(tensor, Tensor):
        return None if tensor.op.value is None else tensor.op.value.numpy()
    return tensor.numpy() if hasattr(tensor, "numpy") else np.asarray(tensor)


def _classes():
    """Classes whose names give something else in graph mode."""
    from brio._control import name_scope
    from brio._graph import gradients, state, tensor_array, variables
    from brio._tensor_array import TensorArray

    return {
        "Variable": (_core.Variable, variables.Variable), "name_scope": (name_scope, state.name_scope),
        "GradientTape": (_core.GradientTape, gradients.GradientTape),
        "TensorArray": (TensorArray, tensor_array.TensorArray),
    }  # fmt: skip


def _class_door(original, in_graph):
    """A name for two classes: instances of both are its instances."""

    class Kind(type):
        def __instancecheck__(cls, x):
            return isinstance(x, (original, in_graph))

        def __subclasscheck__(cls, c):
            return c is Door or issubclass(c, (original, in_graph))

        def __call__(cls, *args, **kwargs):
            if cls is not Door:
                return type.__call__(cls, *args, **kwargs)
            return (original if building() is None else in_graph)(*args, **kwargs)

        def __getattr__(cls, name):
            return getattr(original, name)

    Door = Kind(
        original.__name__, (), {"__doc__": original.__doc__, "__module__": original.__module__, "_behind": original}
    )
    return Door


def put_doors(wanted):
    """Puts doors before the functions, or takes them away."""
    if wanted == _state["there"]:
        return
    if _state["places"] is None:
        _state["places"] = [*_places(), *keras_calls.places()]
    for owner, name, original, made in _state["places"]:
        if wanted or original is not None:
            setattr(owner, name, made if wanted else original)
        else:
            delattr(owner, name)  # it was its base's, or the module's __getattr__ has it
    _state["there"] = wanted


def _places():
    """(module, name, function, door) of all functions that have one."""
    specials, classes = _specials(), {name: _class_door(*pair) for name, pair in _classes().items()}
    doors, found = {}, []
    for name in (*_MODULES, *_KERAS):
        module = importlib.import_module(f"brio.{name}" if name else "brio")
        if not name:
            for lazy in module._HOMES:
                module.__dict__.setdefault(lazy, getattr(module, lazy))
            # Eager code finds it without an entry of its own, which would hide Python's from `from brio import *`.
            found.append((module, "tuple", None, _door_for(name, "tuple", module.tuple, specials, classes, doors)))
        elif hasattr(module, "_HOMES"):
            for lazy in module._HOMES:
                getattr(module, lazy)  # it is the module's from now on
        for attribute, value in list(vars(module).items()):
            if attribute.startswith("_") and attribute not in specials:
                continue
            made = _door_for(name, attribute, value, specials, classes, doors)
            if made is not None:
                found.append((module, attribute, value, made))
    return found


def _door_for(module, name, value, specials, classes, doors):
    if name in classes and module == "":
        return classes[name]
    if isinstance(value, (type, types.ModuleType)) or not callable(value) or hasattr(value, "_behind"):
        return None
    keras = module.startswith("keras")
    key = (id(value), keras)
    if key in doors:
        return doors[key]
    if name in specials and not keras:
        made = special_door(value, specials[name])
    elif name in _LEFT or name.startswith("_"):
        return None
    else:
        made = door(value, kind_of(name), needs_tensor=keras or module in ("io", "debugging"))
    doors[key] = made
    return made
