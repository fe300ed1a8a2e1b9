"""tf.compat.v1: graphs and sessions, and functions as TensorFlow 1 had them.

After disable_eager_execution() or disable_v2_behavior(), inside of `with tf.Graph().as_default():`, and from the first
placeholder on, functions add operations to a graph (brio/_graph), which Session.run() runs.
"""

import contextlib
import importlib
import types

import numpy as np

from brio import _core
from brio._graph import (
    control as _control,
    core as _graph,
    effects as _effects,
    infer as _infer,
    shapes as _shapes,
    state as _state,
    wrap as _wrap,
)
from brio._graph.core import Graph, Operation
from brio._graph.gradients import gradients, hessians
from brio._graph.run import IndexedSlicesValue, InteractiveSession, Session, SparseTensorValue
from brio._graph.shapes import Dimension, dimension_at_index, dimension_value
from brio._graph.variables import GraphKeys
from brio.compat._variables import (
    AUTO_REUSE, VariableScope, get_local_variable, get_variable, get_variable_scope, global_variables, local_variables,
    model_variables, moving_average_variables, trainable_variables, variable_scope,
)  # fmt: skip
from brio.compat.v1 import _functions, initializers

_MODULES = {
    "app",
    "data",
    "flags",
    "gfile",
    "image",
    "initializers",
    "layers",
    "logging",
    "losses",
    "metrics",
    "nn",
    "random",
    "summary",
    "train",
}


# ---- modes


def disable_eager_execution():
    """From now on functions add operations to the default graph."""
    _graph.set_graph_mode(True)


def enable_eager_execution(config=None, device_policy=None, execution_mode=None):
    """From now on functions compute."""
    _graph.set_graph_mode(False)


def disable_v2_behavior():
    """As disable_eager_execution(); sizes of shapes have `.value`, and tensors are equal where they are the same."""
    _graph.set_graph_mode(True)
    disable_control_flow_v2()
    _shapes.old_dimensions, _wrap.tensor_equality = True, False


def enable_v2_behavior():
    """Takes back disable_v2_behavior()."""
    _graph.set_graph_mode(False)
    enable_control_flow_v2()
    _shapes.old_dimensions, _wrap.tensor_equality = False, True


def disable_tensor_equality():
    """Tensors of graphs are equal where they are the same."""
    _wrap.tensor_equality = False


def enable_tensor_equality():
    """Tensors are compared element by element."""
    _wrap.tensor_equality = True


def disable_v2_tensorshape():
    """Sizes of the shapes of graph tensors have `.value`."""
    _shapes.old_dimensions = True


def enable_v2_tensorshape():
    """Sizes of shapes are numbers."""
    _shapes.old_dimensions = False


def enable_resource_variables():
    """Nothing to do: variables are read where their reading stands."""


def disable_resource_variables():
    """Nothing to do: variables are read where their reading stands."""


def resource_variables_enabled():
    """True."""
    return True


def disable_control_flow_v2():
    """cond() and case() give the one result of a list by itself, unless they are strict."""
    _control.unwraps = True


def enable_control_flow_v2():
    """cond() and case() give a list of one result as a list."""
    _control.unwraps = False


def executing_eagerly():
    """Do functions compute here?"""
    return _graph.building() is None and not _core._is_tracing()


executing_eagerly_outside_functions = executing_eagerly


# ---- graphs


def get_default_graph():
    """The graph that operations are added to."""
    return _graph.default_graph()


def reset_default_graph():
    """An empty graph in place of the default one."""
    _graph.reset_default_graph()


def get_default_session():
    """The session that eval() and run() use, or None."""
    return _graph.now.sessions[-1] if _graph.now.sessions else None


def add_to_collection(name, value):
    """Puts something into a collection of the graph."""
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names, value):
    """Puts something into several collections of the graph."""
    get_default_graph().add_to_collections(names, value)


def get_collection(key, scope=None):
    """A list of what is in a collection of the graph."""
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key):
    """The list of a collection of the graph itself."""
    return get_default_graph().get_collection_ref(key)


def set_random_seed(seed):
    """The seed of the graph: operations that draw begin with it in each session."""
    _state.set_random_seed(seed)


def get_seed(op_seed):
    """The seeds of the graph and of an operation."""
    return get_default_graph().seed, op_seed


class name_scope(_state.name_scope):
    """A scope whose name stands before those of operations."""


def op_scope(values, name, default_name=None):
    """As name_scope()."""
    return name_scope(name, default_name, values)


def variable_op_scope(values, name_or_scope, default_name=None, **kwargs):
    """As variable_scope()."""
    return variable_scope(name_or_scope, default_name, **kwargs)


class _Tensors(type):
    def __instancecheck__(cls, x):
        return isinstance(x, (_graph.Tensor, _core.Tensor))


class Tensor(metaclass=_Tensors):
    """Tensors, of graphs or with values: for isinstance()."""


def _graph_now():
    """The graph; the first placeholder of an old program begins it."""
    if _graph.building() is None:
        _graph.set_graph_mode(True)
    return _graph.building() or _graph.default_graph()


def placeholder(dtype, shape=None, name=None):
    """A value that Session.run() is fed."""
    dtype, graph = _core.as_dtype(dtype), _graph_now()
    return _graph.Tensor(graph.add("Placeholder", name), dtype, _infer.dims_of(graph, shape))


def placeholder_with_default(input, shape, name=None):
    """A value that Session.run() may be fed; else it is this one."""
    graph = _graph_now()
    default = _wrap.convert(input)
    op = graph.add("PlaceholderWithDefault", name, run=lambda state, op, values: values, inputs=[default])
    return _graph.Tensor(op, default.dtype, _infer.dims_of(graph, shape))


def sparse_placeholder(dtype, shape=None, name=None):
    """A sparse tensor that Session.run() is fed."""
    from brio._sparse import SparseTensor

    made, rank = object.__new__(SparseTensor), None if shape is None else len(shape)
    name = name or "sparse_placeholder"
    made.values, made.indices = (
        placeholder(dtype, [None], f"{name}/values"),
        placeholder("int64", [None, rank], f"{name}/indices"),
    )
    made.dense_shape = placeholder("int64", [rank], f"{name}/shape")
    if rank is not None:  # what is computed of it has these sizes
        made.dense_shape.known = _infer.dims_of(made.dense_shape.graph, shape)
    return made


# ---- variables


def Variable(initial_value=None, trainable=None, collections=None, validate_shape=True, caching_device=None, name=None,
             variable_def=None, dtype=None, expected_shape=None, import_scope=None, constraint=None, use_resource=None,
             synchronization=None, aggregation=None, shape=None):  # fmt: skip
    """A variable: of the graph, or in eager code tf.Variable."""
    from brio._graph.variables import Variable as OfGraph

    if _graph.building() is None:
        return _core.Variable(
            initial_value, trainable=trainable, name=name, dtype=dtype, constraint=constraint, shape=shape
        )
    return OfGraph(initial_value, trainable, collections, validate_shape, name=name, variable_def=variable_def,
                   dtype=dtype, constraint=constraint, shape=shape)  # fmt: skip


def variables_initializer(var_list, name="init"):
    """The operation that initialises these variables; in eager code they have their values."""
    graph = _graph.building()
    if graph is None:
        if _graph.now.graphs or _graph.is_graph_mode_set() or not get_default_graph().get_operations():
            return _Nothing()
        graph = get_default_graph()
    op = graph.add("NoOp", name, run=lambda state, op, values: [])
    op.control_inputs += [v.initializer for v in var_list if hasattr(v, "initializer")]
    return op


class _Nothing:
    """An operation that has nothing to do."""

    def _as_graph_element(self):
        graph = get_default_graph()
        return graph.add("NoOp", run=lambda state, op, values: [])

    def run(self, feed_dict=None, session=None):
        """Does nothing."""


def global_variables_initializer():
    """The operation that initialises all variables."""
    return variables_initializer(global_variables())


initialize_all_variables = global_variables_initializer


def initialize_variables(var_list, name="init"):
    """The operation that initialises these variables."""
    return variables_initializer(var_list, name)


def local_variables_initializer():
    """The operation that initialises local variables, such as those of metrics."""
    return variables_initializer(local_variables())


initialize_local_variables = local_variables_initializer


def tables_initializer(name="init_all_tables"):
    """An operation that does nothing: tables have their values from the start."""
    return variables_initializer([], name)


def all_variables():
    """All variables."""
    return global_variables()


def is_variable_initialized(variable):
    """Does a variable have a value in the session?"""
    from brio._graph import variables

    return variables.is_variable_initialized(variable)


def report_uninitialized_variables(var_list=None, name="report_uninitialized_variables"):
    """The names of variables that have no value in the session."""
    from brio._graph import variables

    held = list(var_list if var_list is not None else [*global_variables(), *local_variables()])
    states = variables.variables_state(held)
    names = [v.name.split(":")[0] for v in held]

    def report(*have):
        return np.array([n.encode() for n, h in zip(names, have) if not h], dtype=object)

    return host_operation(get_default_graph(), "report_uninitialized_variables", report, states, "string", name)


def host_operation(graph, kind, function, inputs, dtype, name=None, dims=None):
    """An operation that is a function of the NumPy arrays that a run gave."""
    op = graph.add(kind, name)
    op.host, op.host_inputs = function, list(inputs)
    return _graph.Tensor(op, dtype, dims)


def assert_variables_initialized(var_list=None):
    """An operation that reads variables: that is an error where one has no value."""
    from brio._graph.variables import as_variable

    op = get_default_graph().add("NoOp", "assert_variables_initialized", run=lambda state, op, values: [])
    op.control_inputs += [
        as_variable(v).op for v in (var_list if var_list is not None else [*global_variables(), *local_variables()])
    ]
    return op


def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    """An operation that sets a variable."""
    return ref.assign(value, name=name)


def assign_add(ref, value, use_locking=None, name=None):
    """An operation that adds to a variable."""
    return ref.assign_add(value, name=name)


def assign_sub(ref, value, use_locking=None, name=None):
    """An operation that takes away from a variable."""
    return ref.assign_sub(value, name=name)


def _slices(indices, updates):
    return types.SimpleNamespace(indices=indices, values=updates)


def scatter_update(ref, indices, updates, use_locking=True, name=None):
    """An operation that sets rows of a variable."""
    return ref.scatter_update(_slices(indices, updates), name=name)


def scatter_add(ref, indices, updates, use_locking=False, name=None):
    """An operation that adds to rows of a variable."""
    return ref.scatter_add(_slices(indices, updates), name=name)


def scatter_sub(ref, indices, updates, use_locking=False, name=None):
    """An operation that takes away from rows of a variable."""
    return ref.scatter_sub(_slices(indices, updates), name=name)


def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs):
    """func_ with variables of its own, which all of its calls share;
    their scope gets its name now or with the first call."""
    made = _Template(name_, func_, unique_name_, custom_getter_, kwargs)
    if create_scope_now_:
        made._enter_first().close()
    return made


class _Template:
    """A function whose calls share variables."""

    def __init__(self, name, func, unique_name, custom_getter, kwargs):
        self.name, self.func, self._unique, self._getter, self._kwargs = name, func, unique_name, custom_getter, kwargs
        self.variable_scope, self._called = None, False

    def _enter_first(self):
        stack = contextlib.ExitStack()
        self.variable_scope = stack.enter_context(
            variable_scope(self._unique, default_name=self.name, custom_getter=self._getter)
        )
        return stack

    def __call__(self, *args, **kwargs):
        reuse, self._called = self._called or None, True
        with variable_scope(self.variable_scope, reuse=reuse) if self.variable_scope else self._enter_first():
            return self.func(*args, **{**self._kwargs, **kwargs})

    @property
    def variable_scope_name(self):
        """The prefix of its variables' names."""
        return None if self.variable_scope is None else self.variable_scope.name

    @property
    def variables(self):
        """Its variables."""
        return [] if self.variable_scope is None else self.variable_scope.global_variables()

    @property
    def trainable_variables(self):
        """Those of its variables that training changes."""
        return [] if self.variable_scope is None else self.variable_scope.trainable_variables()

    global_variables, weights, trainable_weights = variables, variables, trainable_variables


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, swap_memory=False,
               name=None, maximum_iterations=None, return_same_structure=False):  # fmt: skip
    """What the body makes of the variables, again and again while the condition holds;
    one variable by itself, not in a list."""
    from brio import _control as eager

    if _graph.building() is not None:
        return _control.while_loop(
            cond, body, loop_vars, shape_invariants, back_prop=back_prop, name=name,
            maximum_iterations=maximum_iterations, return_same_structure=return_same_structure,
        )  # fmt: skip
    made = eager.while_loop(cond, body, loop_vars, maximum_iterations=maximum_iterations)
    return made[0] if len(made) == 1 and not return_same_structure else made


# ---- sessions


def ConfigProto(**kwargs):
    """Settings of a session: they are kept, and nothing depends on them."""
    return types.SimpleNamespace(
        **{"gpu_options": types.SimpleNamespace(), "graph_options": types.SimpleNamespace(), **kwargs}
    )


def GPUOptions(**kwargs):
    """Settings of a session: they are kept, and nothing depends on them."""
    return types.SimpleNamespace(**kwargs)


def RunOptions(**kwargs):
    """Settings of a run: they are kept, and nothing depends on them."""
    return types.SimpleNamespace(**kwargs)


RunOptions.FULL_TRACE, RunOptions.NO_TRACE = 3, 0


class RunMetadata:
    """What a run tells about itself: nothing."""

    step_stats = None


def global_norm(t_list, name=None):
    """The norm of all tensors together."""
    return _functions.global_norm(t_list)


def py_func(func, inp, Tout, stateful=True, name=None):
    """What a function of Python's makes of NumPy arrays."""
    if _graph.building() is None:
        from brio import _control as eager

        return eager.numpy_function(func, inp, Tout)
    return _effects.py_func(func, inp, Tout, stateful, name)


def Print(input_, data, message=None, first_n=None, summarize=None, name=None):
    """The same value; when it is computed, data is printed."""
    return _effects.print_v1(input_, data, message, first_n, summarize, name)


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    if name in _MODULES:
        return importlib.import_module(f"brio.compat.v1.{name}")
    if name in _functions.FUNCTIONS:
        made = globals()[name] = _functions.FUNCTIONS[name]
        return made
    if name in ("FixedLenFeature", "FixedLenSequenceFeature", "VarLenFeature", "TFRecordReader"):
        return getattr(importlib.import_module("brio.io"), name)
    if name == "contrib":
        raise AttributeError("tf.contrib is gone since TensorFlow 2; tf.compat.v1.layers and tf.nn have most of it")
    return getattr(importlib.import_module("brio"), name)


def __dir__():
    return sorted(set(globals()) | _MODULES | set(_functions.FUNCTIONS) | set(dir(importlib.import_module("brio"))))
