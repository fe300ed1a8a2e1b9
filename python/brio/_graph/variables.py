"""Variables of graphs: operations that read and assign what each session keeps for itself."""

import contextlib

from brio import _core
from brio._graph import core, infer, wrap
from brio._graph.core import Symbol, Tensor, building
from brio._graph.shapes import plain
from brio.errors import FailedPreconditionError


class GraphKeys:
    """The names of collections."""

    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    TRAIN_OP = "train_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    INIT_OP = "init_op"
    READY_OP = "ready_op"
    SUMMARY_OP = "summary_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"


class Variable(Symbol):
    """A variable of a graph. It has a value in a session once its initializer was run there."""

    core = None  # the variable that holds the value for all sessions, where it is a layer's

    def __init__(self, initial_value=None, trainable=None, collections=None, validate_shape=True, caching_device=None,
                 name=None, variable_def=None, dtype=None, expected_shape=None, import_scope=None, constraint=None,
                 use_resource=None, synchronization=None, aggregation=None, shape=None):  # fmt: skip
        if variable_def is not None:
            raise NotImplementedError(
                "[Variable] variable_def is not supported: Brio has no graphs as protocol buffers; give an "
                "initial_value"
            )
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        graph = building()
        self.graph, self.constraint = graph, constraint
        with graph.control_dependencies(None), _at_root(graph):
            full = graph.unique_name(name or "Variable")
            with graph.name_scope(full + "/"):
                if callable(initial_value) and not isinstance(initial_value, (Tensor, Variable)):
                    with graph.name_scope("Initializer"):
                        initial_value = initial_value()
                self.initial_value = wrap.convert(initial_value, dtype, name="initial_value")
            self._make(
                full,
                self.initial_value.dtype,
                _dims(graph, self.initial_value, shape, validate_shape),
                trainable,
                collections,
            )
            self.initializer = self._add("Assign", _assign_run(self), [self.initial_value])

    def _make(self, full, dtype, dims, trainable, collections):
        graph = self.graph
        self._name, self._dtype = full, dtype
        self.trainable = True if trainable is None else bool(trainable)
        self.op = graph.add("VarHandleOp", full + "/", run=_read_run(self))
        self._tensor = Tensor(self.op, dtype, dims)
        self.op.reads = self
        keys = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
        if (
            self.trainable
            and GraphKeys.TRAINABLE_VARIABLES not in keys
            and (collections is None or GraphKeys.GLOBAL_VARIABLES in keys)
        ):
            keys.append(GraphKeys.TRAINABLE_VARIABLES)
        graph.add_to_collections(keys, self)

    def _add(self, kind, run, inputs):
        """An operation that assigns."""
        with self.graph.name_scope(self._name + "/"):
            op = self.graph.add(kind, run=run, inputs=inputs)
        op.writes = (self,)
        Tensor(op, self._dtype, self._tensor.dims)
        return op

    # ---- what it is

    @property
    def name(self):
        """Its name, with ':0'."""
        return self._name + ":0"

    @property
    def dtype(self):
        """The type of its elements."""
        return self._dtype

    @property
    def shape(self):
        """The sizes of its axes."""
        return self._tensor.shape

    def get_shape(self):
        """The sizes of its axes."""
        return self.shape

    @property
    def ndim(self):
        """How many axes it has."""
        return self.shape.rank

    @property
    def device(self):
        """Where it is, once it has a value."""
        return "" if self.core is None else self.core.device

    @property
    def handle(self):
        """The variable itself."""
        return self

    def _as_graph_element(self):
        return self._tensor

    def _as_tensor(self):
        """Its value, read after what the code around depends on."""
        graph = building()
        after = tuple(c for scope in graph._control for c in scope) if graph else ()
        if not after or graph is not self.graph:
            return self._tensor
        key = (self, after, graph._bodies[-1] if graph._bodies else None)
        if key not in graph._reads:
            with graph.name_scope(self._name + "/"):
                op = graph.add("ReadVariableOp", run=_read_run(self))
            op.reads = self
            graph._reads[key] = Tensor(op, self._dtype, self._tensor.dims)
        return graph._reads[key]

    def value(self):
        """Its value, as a tensor."""
        return self._as_tensor()

    def read_value(self):
        """Its value, as a tensor."""
        return wrap.call(building(), _core.identity, "Identity", (self,), {})

    def initialized_value(self):
        """Its value, or what it will be initialised with where it has none yet."""
        op = self.graph.add(
            "cond",
            f"{self._name.rsplit('/', 1)[-1]}_initialized",
            run=_initialized_run(self),
            inputs=[self.initial_value],
        )
        op.asks_initialized = self
        return Tensor(op, self._dtype, self._tensor.dims)

    def eval(self, session=None):
        """Its value in a session, or in the default one."""
        return core._session(session).run(self)

    def load(self, value, session=None):
        """Sets the value in a session."""
        core._session(session)._set_variable(self, value)

    def set_shape(self, shape):
        """Says what the sizes will be, where that is not known."""
        self._tensor.set_shape(shape)

    def is_initialized(self, name=None):
        """Does it have a value in the session?"""
        return is_variable_initialized(self)

    # ---- assigning

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """An operation that sets the value; its result is the new value."""
        value = wrap.convert(value, self._dtype)
        if self._tensor.dims is not None and value.dims is not None and not value.shape.is_compatible_with(self.shape):
            raise ValueError(
                f"Cannot assign value to variable '{self.name}': Shape mismatch. The variable shape {self.shape}, and "
                f"the assigned value shape {value.shape} are incompatible."
            )
        return self._assignment("Assign", _assign_run(self), value, read_value, name)

    def assign_add(self, delta, use_locking=False, name=None, read_value=True):
        """An operation that adds to the value; its result is the new value."""
        return self._assignment(
            "AssignAdd", _update_run(self, _core.add), wrap.convert(delta, self._dtype), read_value, name
        )

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
        """An operation that takes away from the value; its result is the new value."""
        return self._assignment(
            "AssignSub", _update_run(self, _core.subtract), wrap.convert(delta, self._dtype), read_value, name
        )

    def _assignment(self, kind, run, value, read_value, name):
        graph = building()
        op = graph.add(kind, name, run=run, inputs=[value])
        op.writes = (self,)
        op.needs = () if kind == "Assign" else (self,)
        made = Tensor(op, self._dtype, self._tensor.dims)
        return made if read_value else op

    def _scattered(self, kind, function, indices, updates, name):
        def run(state, op, values):
            return [state.assign(self, function(state.read(self), _core.expand_dims(values[0], -1), values[1]))]

        op = building().add(kind, name, run=run, inputs=[wrap.convert(indices), wrap.convert(updates, self._dtype)])
        op.writes = op.needs = (self,)
        return Tensor(op, self._dtype, self._tensor.dims)

    def scatter_update(self, sparse_delta, use_locking=False, name=None):
        """An operation that sets rows."""
        return self._scattered(
            "ScatterUpdate", _core.tensor_scatter_nd_update, sparse_delta.indices, sparse_delta.values, name
        )

    def scatter_add(self, sparse_delta, use_locking=False, name=None):
        """An operation that adds to rows."""
        return self._scattered(
            "ScatterAdd", _core.tensor_scatter_nd_add, sparse_delta.indices, sparse_delta.values, name
        )

    def scatter_sub(self, sparse_delta, use_locking=False, name=None):
        """An operation that takes away from rows."""
        return self._scattered(
            "ScatterSub", _core.tensor_scatter_nd_sub, sparse_delta.indices, sparse_delta.values, name
        )

    def __iter__(self):
        return iter(self._as_tensor())

    def __tf_tensor__(self, dtype=None, name=None):
        raise TypeError(f"{self.name} belongs to a graph and has values in sessions; session.run() gives them")

    def numpy(self):
        """A variable of a graph has values in sessions: Session.run() gives them."""
        raise NotImplementedError(
            f"numpy() is only available when eager execution is enabled; {self.name} has a value in each session"
        )

    def __repr__(self):
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self._dtype.name}>"


wrap.give_operators(Variable)


@contextlib.contextmanager
def _at_root(graph):
    """Outside of the branches and loops that are being described: a variable is made once."""
    before, graph._bodies = graph._bodies, []
    try:
        yield
    finally:
        graph._bodies = before


def _dims(graph, initial, shape, validate):
    if shape is not None:
        return infer.dims_of(graph, shape)
    return initial.dims if validate else None


# ---- what the operations do in a run (run.py)


def _read_run(variable):
    return lambda state, op, values: [state.read(variable)]


def _assign_run(variable):
    return lambda state, op, values: [state.assign(variable, values[0])]


def _update_run(variable, function):
    return lambda state, op, values: [state.assign(variable, function(state.read(variable), values[0]))]


def _initialized_run(variable):
    return lambda state, op, values: [state.read(variable) if state.session.has_value(variable) else values[0]]


def of_core(variable, graph):
    """The variable of a graph that stands for a variable of a layer, or of eager code:
    it has one value for all sessions."""
    known = graph._collections.setdefault("_of_core", {})
    key = variable._key()
    if key not in known:
        made = object.__new__(Variable)
        made.graph, made.core, made.constraint, made.initial_value = graph, variable, None, None
        with graph.control_dependencies(None), _at_root(graph):
            name = graph.unique_name(getattr(variable, "path", variable.name.split(":")[0]))
            made._make(name, variable.dtype, infer.dims_of(graph, variable.shape), variable.trainable, None)
            made.initializer = graph.add("NoOp", run=lambda state, op, values: [])
        known[key] = made
    return known[key]


def as_variable(x):
    """A variable of the graph: itself, or what stands for a layer's."""
    if isinstance(x, Variable):
        return x
    if isinstance(x, _core.Variable):
        return of_core(x, building() or core.default_graph())
    raise TypeError(f"a variable is asked for, but got {x!r}")


def is_variable_initialized(variable):
    """Does a variable have a value in the session that runs this?"""
    return variables_state([variable])[0]


def variables_state(variables):
    """Bools that say in a session which variables have values there."""
    made = []
    for variable in variables:
        op = building().add(
            "VarIsInitializedOp", run=lambda state, op, values, v=variable: [_core.constant(state.session.has_value(v))]
        )
        op.asks_initialized = variable
        made.append(Tensor(op, "bool", ()))
    return made


def uninitialized(variable):
    """The error of reading a variable that has no value."""
    return FailedPreconditionError(
        f"Could not find variable {variable._name}: it was read before it had a value in this session; run its "
        "initializer first, for instance session.run(tf.compat.v1.global_variables_initializer())"
    )


def sizes(variable):
    """The sizes of a variable, where all are known."""
    dims = plain(variable.shape)
    return None if dims is None or None in dims else dims
