"""Graphs, their operations and tensors, names and collections; and which graph is the one now."""

import contextlib
import re
import threading

from brio import _core
from brio._graph.shapes import Shape, UnknownShape

# ---- which mode this is


class _Now(threading.local):
    """Of one thread: the graphs that were entered, and how deep code runs that computes although there is a graph."""

    def __init__(self):
        self.graphs, self.paused, self.sessions = [], 0, []


now = _Now()
_default = None  # the graph where none was entered
_graph_mode = False  # is eager execution switched off?


def building():
    """The graph that operations are added to; None where functions compute."""
    if now.paused:
        return None
    graph = now.graphs[-1] if now.graphs else (_default_graph() if _graph_mode else None)
    if graph is None or _core._tracing() or _core._journalling():  # inside of a function or a dataset: as ever
        return None
    return graph


def in_graph_mode():
    """Would a function that is called here become an operation?"""
    return building() is not None


def _default_graph():
    global _default
    if _default is None:
        _default = Graph()
    return _default


def default_graph():
    """The innermost graph that was entered, or the one that is there from the start."""
    return now.graphs[-1] if now.graphs else _default_graph()


def reset_default_graph():
    """A new graph in place of the default one."""
    global _default
    if now.graphs:
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, exit the nesting "
            "and create a new graph."
        )
    _default = None


def set_graph_mode(on):
    """disable_eager_execution() and enable_eager_execution()."""
    global _graph_mode
    if bool(on) != _graph_mode:
        _graph_mode = bool(on)
        _doors(1 if on else -1)


def is_graph_mode_set():
    """Is eager execution switched off?"""
    return _graph_mode


_open, _lock = 0, threading.Lock()


def _doors(change):
    """Doors stand before the functions while there is a graph in some thread; else functions are what they are."""
    global _open
    from brio._graph import wrap

    with _lock:
        _open += change
        wrap.put_doors(_open > 0)


class paused:
    """A scope in which functions compute, as they do outside of graph mode."""

    def __enter__(self):
        now.paused += 1

    def __exit__(self, *error):
        now.paused -= 1


# ---- graphs


class Graph:
    """Operations by name, and collections of what belongs together."""

    def __init__(self):
        self._operations, self._by_name, self._used = [], {}, {}
        self._collections, self._scope, self._control, self._devices = {}, "", [], []
        self._variables = {}  # of get_variable(), by name
        self._variable_scopes, self._scope_counts = [], {}
        self._bodies = []  # of the branches and loops that are being described
        self._finalized, self.seed, self._reads = False, None, {}
        self.symbols = 0  # of sizes that are not known

    @contextlib.contextmanager
    def as_default(self):
        """A scope in which operations are added to this graph."""
        _doors(1)
        now.graphs.append(self)
        before, now.paused = now.paused, 0
        try:
            yield self
        finally:
            now.paused = before
            now.graphs.remove(self)
            _doors(-1)

    # ---- names

    def unique_name(self, name, mark_as_used=True):
        """The name inside of the scopes around; one that is taken gets a number."""
        return self._unique(f"{self._scope}/{name}" if self._scope else name, mark_as_used)

    def _unique(self, full, mark=True):
        key = full.lower()
        count = self._used.get(key, 0)
        if mark:
            self._used[key] = count + 1
        if not count:
            return full
        made = full
        while made.lower() in self._used:
            made, count = f"{full}_{count}", count + 1
        if mark:
            self._used[key], self._used[made.lower()] = count, 1
        return made

    @contextlib.contextmanager
    def name_scope(self, name):
        """A scope whose name stands before those of operations."""
        before = self._scope
        if not name:
            self._scope = ""
        elif name.endswith("/"):
            self._scope = name[:-1]
        else:
            if not re.fullmatch(r"[A-Za-z0-9_.\\/>-]+", name):
                raise ValueError(f"'{name}' is not a valid scope name")
            self._scope = self.unique_name(name)
        try:
            yield self._scope + "/" if self._scope else ""
        finally:
            self._scope = before

    # ---- operations

    def new_size(self):
        """A size that is not known: a symbol of its own."""
        self.symbols += 1
        return _core._size_symbol(self.symbols - 1)

    def add(self, kind, name=None, **how):
        """A new operation."""
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        if name and name.endswith("/"):  # a scope that is its operation's name
            full = name[:-1]
        else:
            name = re.sub(r"[^A-Za-z0-9_.\\/>-]", "_", name or kind)
            full = self.unique_name(name)
        op = Operation(self, full, kind, **how)
        op.id = len(self._operations)
        if self._devices:
            self._place(op)
        for scope in self._control:
            op.control_inputs += [c for c in scope if c not in op.control_inputs]
        if self._bodies:
            op.body = self._bodies[-1]
            op.body.operations.append(op)
        self._operations.append(op)
        self._by_name[full] = op
        return op

    def get_operations(self):
        """All operations, in the order in which they were made."""
        return list(self._operations)

    def get_operation_by_name(self, name):
        """The operation of this name."""
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        if name not in self._by_name:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        return self._by_name[name]

    def get_tensor_by_name(self, name):
        """The tensor of this name: that of its operation, a colon and which of the results it is."""
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        operation, colon, index = name.partition(":")
        if not colon or not index.isdigit():
            raise ValueError(
                f"The name {name!r} looks like an (invalid) Operation name, not a Tensor. Tensor names must be of the "
                'form "<op_name>:<output_index>".'
            )
        if operation not in self._by_name:
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, {operation!r}, does not "
                "exist in the graph."
            )
        outputs = self._by_name[operation].outputs
        if int(index) >= len(outputs):
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, {operation!r}, exists but "
                f"only has {len(outputs)} outputs."
            )
        return outputs[int(index)]

    def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
        """The tensor or operation of a name, or what is one already."""
        if isinstance(obj, str):
            found = self.get_tensor_by_name(obj) if ":" in obj else self.get_operation_by_name(obj)
        else:
            found = obj._as_graph_element() if hasattr(obj, "_as_graph_element") else obj
        allowed = {Tensor: allow_tensor, Operation: allow_operation}
        if not allowed.get(type(found), False):
            raise (ValueError if isinstance(obj, str) else TypeError)(
                f"Can not convert a {type(obj).__name__} into a "
                f"{' or '.join(k.__name__ for k, yes in allowed.items() if yes)}."
            )
        return found

    def finalize(self):
        """From now on nothing can be added."""
        self._finalized = True

    @property
    def finalized(self):
        """Can nothing be added any more?"""
        return self._finalized

    @property
    def version(self):
        """How many operations there are."""
        return len(self._operations)

    def is_feedable(self, tensor):
        """Can it be fed?"""
        return True

    @contextlib.contextmanager
    def control_dependencies(self, control_inputs):
        """A scope whose operations happen after these."""
        before = self._control
        if control_inputs is None:
            self._control = []
        else:
            self._control = [*self._control, [_operation_of(c) for c in control_inputs]]
        try:
            yield
        finally:
            self._control = before

    @contextlib.contextmanager
    def device(self, device_name_or_function):
        """A scope whose operations run on that device; a function is given each operation and says which.
        None: as outside of any scope."""
        before = self._devices
        if device_name_or_function is None:
            self._devices = []
        else:
            if isinstance(device_name_or_function, str):
                _core._canonical_device(device_name_or_function)  # raises for what is no name
            elif not callable(device_name_or_function):
                raise ValueError(
                    f"[device] takes the name of a device or a function, but got {device_name_or_function!r}"
                )
            self._devices = [*self._devices, device_name_or_function]
        try:
            yield
        finally:
            self._devices = before

    def _place(self, op):
        for each in self._devices:
            name = each(op) if callable(each) else each
            op.device = _core._canonical_device(name or "") or op.device

    @contextlib.contextmanager
    def gradient_override_map(self, op_type_map):
        """Not supported: tf.custom_gradient gives a function a gradient of its own."""
        raise NotImplementedError(
            "[gradient_override_map] use tf.custom_gradient, or tf.stop_gradient, for a gradient of one's own"
        )
        yield

    # ---- collections

    def add_to_collection(self, name, value):
        """Puts something into a collection."""
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names, value):
        """Puts something into several collections."""
        for name in [names] if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection(self, name, scope=None):
        """A list of what is in a collection; of what has a name that begins with the scope."""
        found = list(self._collections.get(name, []))
        if scope is None:
            return found
        pattern = re.compile(scope)
        return [x for x in found if hasattr(x, "name") and pattern.match(x.name)]

    def get_collection_ref(self, name):
        """The list of a collection itself."""
        return self._collections.setdefault(name, [])

    def clear_collection(self, name):
        """Empties a collection."""
        self._collections.pop(name, None)

    def get_all_collection_keys(self):
        """The names of collections."""
        return [k for k in self._collections if isinstance(k, str)]

    collections = property(get_all_collection_keys, doc="The names of collections.")

    def as_graph_def(self, *args, **kwargs):
        """The operations, as far as a program may look at them: `.node` has name, op and input."""
        import types

        nodes = [
            types.SimpleNamespace(name=op.name, op=op.type, input=[t.name for t in op.inputs])
            for op in self._operations
        ]
        return types.SimpleNamespace(node=nodes)


def _operation_of(x):
    if hasattr(x, "_as_graph_element"):
        x = x._as_graph_element()
    if isinstance(x, Tensor):
        return x.op
    if isinstance(x, Operation):
        return x
    raise TypeError(f"[control_dependencies] takes operations and tensors of the graph, but got {x!r}")


class Operation:
    """One step of a graph: a function and what it is called with."""

    def __init__(self, graph, name, kind, run=None, inputs=(), control_inputs=()):
        self.graph, self.name, self.type, self.run_in = graph, name, kind, run
        self.inputs, self.control_inputs, self.outputs = list(inputs), list(control_inputs), []
        self.body, self.draws, self.value = None, False, None
        self.device = ""  # that it was put on
        self.writes, self.needs, self.reads = (
            (),
            (),
            None,
        )  # variables: that it assigns, whose values it needs for that, that it reads
        self.bodies, self.gradient, self.host, self.source, self.asks_initialized = (), None, None, None, None

    def run(self, feed_dict=None, session=None):
        """Runs it in a session, or in the default one."""
        _session(session).run(self, feed_dict)

    def values(self):
        """Its results."""
        return tuple(self.outputs)

    @property
    def node_def(self):
        """Its name, what it does and what it takes."""
        import types

        return types.SimpleNamespace(name=self.name, op=self.type, input=[t.name for t in self.inputs])

    def get_attr(self, name):
        """An attribute: the dtype of its result."""
        if name in ("dtype", "T") and self.outputs:
            return self.outputs[0].dtype
        raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")

    def __repr__(self):
        return f"<tf.Operation '{self.name}' type={self.type}>"


def _session(session):
    if session is None:
        session = now.sessions[-1] if now.sessions else None
    if session is None:
        raise ValueError(
            "Cannot evaluate tensor using `eval()`: No default session is registered. Use `with sess.as_default()` or "
            "pass an explicit session to `eval(session=sess)`"
        )
    return session


class Symbol:
    """What tensors and variables of graphs share:
    they are keys by themselves, are compared element by element, and are no truths."""

    __array_priority__ = 200
    __array_ufunc__ = None

    def ref(self):
        """A key for sets and dicts."""
        from brio._numpy import Reference

        return Reference(self)

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        from brio._graph import wrap

        return wrap.equality(self, other, False)

    def __ne__(self, other):
        from brio._graph import wrap

        return wrap.equality(self, other, True)

    def __bool__(self):
        from brio.errors import OperatorNotAllowedInGraphError

        raise OperatorNotAllowedInGraphError(
            "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed: it has no value before a session runs it; "
            "use tf.cond or tf.where"
        )


class Tensor(Symbol):
    """A result of an operation, which has a value when a session runs it.

    dims are its sizes, numbers or expressions (infer.py); None where its rank is unknown. known are the elements, in a
    row, of a few integers that follow from sizes: of shapes and what is computed of them.
    """

    def __init__(self, op, dtype, dims, known=None):
        self.op, self.value_index, self._dtype, self.dims, self.known = (
            op,
            len(op.outputs),
            _core.as_dtype(dtype),
            dims,
            known,
        )
        op.outputs.append(self)

    @property
    def name(self):
        """The name of its operation, and which of the results it is."""
        return f"{self.op.name}:{self.value_index}"

    @property
    def graph(self):
        """The graph that it belongs to."""
        return self.op.graph

    @property
    def dtype(self):
        """The type of its elements."""
        return self._dtype

    @property
    def shape(self):
        """The sizes of its axes; None where one is not known."""
        if self.dims is None:
            return UnknownShape()
        return Shape(d if type(d) is int else None for d in self.dims)

    def get_shape(self):
        """The sizes of its axes; None where one is not known."""
        return self.shape

    @property
    def ndim(self):
        """How many axes it has."""
        return self.shape.rank

    @property
    def device(self):
        """The device that its operation was put on."""
        return self.op.device

    def set_shape(self, shape):
        """Says what the sizes will be, where that is not known."""
        from brio._graph import infer

        infer.set_shape(self, shape)

    def eval(self, feed_dict=None, session=None):
        """Its value in a session, or in the default one."""
        return _session(session).run(self, feed_dict)

    def consumers(self):
        """The operations that take it."""
        return [op for op in self.graph._operations if any(t is self for t in op.inputs)]

    def __len__(self):
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` rather than `len(x)` "
            "for shape information."
        )

    def __iter__(self):
        if self.dims == ():
            raise TypeError("Cannot iterate over a scalar tensor.")
        if self.dims is None or type(self.dims[0]) is not int:
            raise TypeError("Cannot iterate over a tensor with unknown first dimension.")
        return iter([self[i] for i in range(self.dims[0])])

    def __tf_tensor__(self, dtype=None, name=None):
        raise TypeError(f"{self.name} belongs to a graph and has no value here; session.run() gives it")

    def numpy(self):
        """A tensor of a graph has no value: Session.run() computes it."""
        raise NotImplementedError(
            f"numpy() is only available when eager execution is enabled; {self.name} belongs to a graph, and "
            "session.run() gives its value"
        )

    def __repr__(self):
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self._dtype.name}>"

    def __str__(self):
        return f'Tensor("{self.name}", shape={self.shape}, dtype={self._dtype.name})'
