"""Sessions: what is fetched, with what it depends on, is put in order once and runs as one traced function.

Order: operations come when what they take and what they are told to wait for is there. What assigns waits for
everything that does not: so all of a run sees the variables as they were, unless control dependencies say otherwise.
"""

import collections
import contextlib
import heapq
import weakref

import numpy as np

from brio import _core
from brio._graph import core, nested, variables
from brio._graph.core import Operation, Tensor, now, paused
from brio.errors import InvalidArgumentError, _UnknownValueError

_anywhere = contextlib.nullcontext()


def closure(tensors, operations, given):
    """All operations that these depend on, other than through tensors that are given."""
    found, open_ = {}, [*operations, *(t.op for t in tensors if t not in given)]
    while open_:
        op = open_.pop()
        if op in found:
            continue
        found[op] = True
        open_ += op.control_inputs
        open_ += [t.op for t in op.inputs if t not in given]
    return found


def ordered(ops, given, before=()):
    """Operations in the order of a run. `before`: pairs (first, second) besides those that they say themselves."""
    waits, follows = {}, {}
    extra = {}
    for first, second in before:
        extra.setdefault(second, []).append(first)
    for op in ops:
        needed = {
            d
            for d in (*op.control_inputs, *(t.op for t in op.inputs if t not in given), *extra.get(op, ()))
            if d in ops and d is not op
        }
        waits[op] = len(needed)
        for d in needed:
            follows.setdefault(d, []).append(op)
    heap = [(bool(op.writes), op.id, op) for op in ops if not waits[op]]
    heapq.heapify(heap)
    order = []
    while heap:
        op = heapq.heappop(heap)[2]
        order.append(op)
        for after in follows.get(op, ()):
            waits[after] -= 1
            if not waits[after]:
                heapq.heappush(heap, (bool(after.writes), after.id, after))
    if len(order) != len(ops):
        raise InvalidArgumentError("[Session.run] operations depend on one another in a circle")
    return order


def watched_by(order):
    """The tensors and variables that gradients among these operations are asked for."""
    tensors, held = set(), set()
    for op in order:
        if op.gradient:
            tensors.update(x for x in op.gradient.sources if isinstance(x, Tensor))
            held.update(x for x in op.gradient.sources if not isinstance(x, Tensor))
    return tensors, held


def levels_of(order):
    """How deep each operation is in gradients of gradients."""
    levels = {}
    for op in order:
        levels[op] = max((levels.get(t.op, 0) for t in op.inputs), default=0) + (1 if op.gradient else 0)
    return levels


class State:
    """The values of one run, or of one of the branches and loops inside of it."""

    def __init__(self, session, around=None):
        self.session, self.around = session, around
        self.values = {} if around is None else dict(around.values)
        self.now = {} if around is None else dict(around.now)  # variables as they are at this point
        self.read_as = {}  # the tensors that each variable was read as, here
        self.tapes, self.levels, self.tensors, self.held = [], {}, (), ()

    def run(self, order):
        """Runs operations in this order."""
        self.tensors, self.held = watched_by(order)
        if not self.tensors and not self.held:
            return self._run(order)
        self.levels = levels_of(order)
        with contextlib.ExitStack() as stack:
            # A tape does not follow its own gradients: those of gradients are asked of one around it.
            for _ in range(max(self.levels.values())):
                self.tapes.insert(
                    0, stack.enter_context(_core.GradientTape(persistent=True, watch_accessed_variables=False))
                )
            for variable in self.held:
                if variable.core is not None:
                    self._watch(variable.core)
            for tensor in self.tensors:
                if tensor in self.values:
                    self._watch(self.values[tensor])
            return self._run(order)

    def tape_of(self, op):
        """The tape that follows what an operation's gradients are of."""
        return self.tapes[self.levels[op] - 1]

    def _watch(self, value):
        if value.dtype.is_floating or value.dtype.is_complex:
            for tape in self.tapes:
                tape.watch(value)

    def _run(self, order):
        for op in order:
            if op.outputs and all(t in self.values for t in op.outputs):
                continue  # fed
            if op.run_in is None:
                raise InvalidArgumentError(_not_fed(op))
            given = [self.values[t] for t in op.inputs]
            with _core._device_scope(op.device) if op.device else _anywhere:
                if op.draws:
                    made = self.session.draws(op).call(lambda: op.run_in(self, op, given))  # noqa: B023
                else:
                    made = op.run_in(self, op, given)
            for tensor, value in zip(op.outputs, made):
                if tensor in self.values:
                    continue
                if tensor in self.tensors:
                    if op.reads is None and (value.dtype.is_floating or value.dtype.is_complex):
                        value = _core.identity(value)  # one of its own: another may be the same
                    self._watch(value)
                self.values[tensor] = value

    def read(self, variable):
        """The value of a variable at this point."""
        if variable.core is not None:
            return variable.core.value()
        if variable not in self.now:
            self.now[variable] = self.session.value(variable).value()
        value = self.now[variable]
        if variable in self.held:
            seen = self.read_as.setdefault(variable, [])
            if not any(value is s for s in seen):
                self._watch(value)
                seen.append(value)
        return value

    def assign(self, variable, value):
        """Sets a variable; returns its value."""
        if variable.core is not None:
            variable.core.assign(value)
            return variable.core.value()
        target = self.session.value(variable, value)
        if list(value.shape) != list(target.shape):
            raise InvalidArgumentError(
                f"[assign] the variable '{variable.name}' has shape {target.shape}, but the value {value.shape}"
            )
        target.assign(value)
        # Gradients end at what is assigned, as in TensorFlow: the next read is another beginning.
        self.now[variable] = _core.identity(_core.stop_gradient(target.value())) if self.tapes else target.value()
        return self.now[variable]

    def inner(self, body, values):
        """The results of a branch or of a round of a loop."""
        state = State(self.session, self)
        state.values.update(zip(body.inputs, values))
        state.run(body.order)
        for variable in body.writes:
            self.now.pop(variable, None)
        return [_core.constant(True) if isinstance(t, Operation) else state.values[t] for t in body.outputs]


def _not_fed(op):
    tensor = op.outputs[0]
    return (
        f"You must feed a value for placeholder tensor '{op.name}' with dtype {tensor.dtype.name} and shape "
        f"{tensor.shape}"
    )


class Plan:
    """How to run one set of fetches with one set of feeds."""

    def __init__(self, session, fetches, fed):
        self.session, self.fed = session, fed
        self.fetches = fetches
        given = set(fed)
        wanted, self.operations = [], []
        self.recipe = [self._take(fetch, wanted, given) for fetch in fetches]
        self.wanted = wanted
        ops = closure(wanted, self.operations, given)
        self.order = self._in_order(ops, given)
        self.sources = [op for op in self.order if op.source is not None]
        self.made = {v for op in self.order for v in op.writes}
        self.asked = [op.asks_initialized for op in self.order if op.asks_initialized is not None]
        self.asked_state, self.function, self.eager = None, None, False
        self.fresh = self.made - session.initialized

    def _take(self, fetch, wanted, given):
        """How to make the answer for one fetch: the number of a tensor, a function of several, or nothing."""
        if isinstance(fetch, Operation):
            if fetch.host is None:
                self.operations.append(fetch)
                return None
            return (fetch.host, [self._take(t, wanted, given) for t in fetch.host_inputs])
        if fetch.op.host is not None and fetch not in given:
            return (fetch.op.host, [self._take(t, wanted, given) for t in fetch.op.host_inputs])
        for i, known in enumerate(wanted):  # identity: tensors compare element by element
            if known is fetch:
                return i
        wanted.append(fetch)
        return len(wanted) - 1

    def _in_order(self, ops, given):
        session = self.session
        initializers = {v: op for op in ops for v in op.writes if op is v.initializer}
        before = []
        for op in ops:
            v = op.reads
            if v is not None and v.core is None and not session.has_value(v) and v in initializers:
                before.append((initializers[v], op))  # one variable is initialised with another
        order = ordered(ops, given, before)
        has = set()
        for op in order:
            for v in (op.reads,) if op.reads is not None else op.needs:
                if (
                    v.core is None
                    and v not in has
                    and not session.has_value(v)
                    and not (op.outputs and op.outputs[0] in given)
                ):
                    raise variables.uninitialized(v)
            has.update(op.writes)
            for body in op.bodies:
                for inner in body.order:
                    v = inner.reads
                    if v is not None and v.core is None and v not in has and not session.has_value(v):
                        raise variables.uninitialized(v)
        return order

    def run(self, values):
        """The answers, given the values of what is fed."""
        if self.asked:
            asked = [self.session.has_value(v) for v in self.asked]
            if asked != self.asked_state:
                self.asked_state, self.function = asked, None
        for op in self.sources:
            values = values + op.source(self.session, op)
        if self.eager:
            results = self._body(*values)
        else:
            results = self._traced(values)
        if self.fresh:
            self.session.initialized |= self.fresh
            self.fresh = set()
        arrays = [_numpy(r) for r in results]
        return [self._answer(how, arrays) for how in self.recipe]

    def _answer(self, how, arrays):
        if how is None:
            return None
        if isinstance(how, tuple):
            return how[0](*[self._answer(one, arrays) for one in how[1]])
        return arrays[how]

    def _traced(self, values):
        if self.function is None:
            this = weakref.ref(self)  # else both would keep one another
            self.function = _core._Function(lambda *given: this()._body(*given), None)
        try:
            return self.function(*values)
        except _UnknownValueError:  # it cannot be traced: sizes that depend on values, texts, functions of Python's
            pass
        results = self._body(*values)
        self.eager, self.function = True, None
        return results

    def _body(self, *values):
        with paused():
            state = State(self.session)
            state.values.update(zip(self.fed, values))
            rest = iter(values[len(self.fed) :])
            for op in self.sources:
                for tensor in op.outputs:
                    state.values[tensor] = next(rest)
            state.run(self.order)
            return [state.values[t] for t in self.wanted]


def _numpy(value):
    return value.numpy()


class _Growth:
    """Whether a loop adds operations to the graph that it runs:
    told once, as each stays in the graph, with the plan that runs it."""

    MANY = 200

    def __init__(self, operations):
        self.runs, self._operations, self._told = 0, operations, False
        self._extended = collections.deque(maxlen=self.MANY)  # (run, operations more), the newest

    def planned(self, operations):
        """A run had to be planned, when the graph had so many operations."""
        if self._told or operations == self._operations:
            return
        self._extended.append((self.runs, operations - self._operations))
        self._operations = operations
        since = self._extended[0][0]
        if len(self._extended) < self.MANY or self.runs - since >= 4 * self.MANY:  # now and then, by hand, is no loop
            return
        a_run = (sum(n for _, n in self._extended) - self._extended[0][1]) / (self.runs - since)
        _core._warn(
            f"[drift] recorded graph is being extended in your loop at {_core._user_line()}: +{a_run:.1f} ops a run "
            f"since run {since}; make the operations before the loop, and run them in it"
        )
        self._told = True


class Session:
    """Runs operations of a graph, and keeps the values of its variables."""

    def __init__(self, target="", graph=None, config=None):
        if target not in ("", None, "local"):
            raise NotImplementedError(
                f"[Session] target={target!r} is not supported: a session runs in this process; leave target out"
            )
        self.graph = graph if graph is not None else core.default_graph()
        if not isinstance(self.graph, core.Graph):
            raise TypeError(f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"')
        self._values, self.initialized, self._plans, self._draws, self._iterators = {}, set(), {}, {}, {}
        self._closed, self._entered = False, []
        self._growth = _Growth(len(self.graph._operations))

    # ---- what it keeps

    def has_value(self, variable):
        """Does a variable have a value here?"""
        return variable.core is not None or variable in self.initialized

    def value(self, variable, like=None):
        """The cell that holds a variable's value here; a new one for what is assigned for the first time."""
        cell = self._values.get(variable)
        if cell is None or (
            like is not None and variables.sizes(variable) is None and list(cell.shape) != list(like.shape)
        ):
            sizes = list(like.shape) if like is not None else variables.sizes(variable)
            cell = self._values[variable] = _core.Variable(
                lambda: (
                    _core.zeros(sizes, variable.dtype) if variable.dtype.name != "string" else _core.fill(sizes, "")
                ),
                trainable=variable.trainable,
                name=variable._name,
            )
        return cell

    def draws(self, op):
        """Where an operation's random numbers come from here."""
        found = self._draws.get(op)
        if found is None:
            seed = self.graph.seed
            found = self._draws[op] = _core._OpDraws(None if seed is None else seed & (2**64 - 1), op.id)
        return found

    def _set_variable(self, variable, value):
        value = _core.convert_to_tensor(value, dtype_hint=variable.dtype)
        value = value if value.dtype == variable.dtype else _core.cast(value, variable.dtype)
        if variable.core is not None:
            variable.core.assign(value)
            return
        sizes = variables.sizes(variable)
        if sizes is not None and list(value.shape) != sizes:
            raise ValueError(
                f"the variable '{variable.name}' has shape {tuple(sizes)}, but the value {tuple(value.shape)}"
            )
        with paused():
            self.value(variable, value).assign(value)
        self.initialized.add(variable)

    # ---- running

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """The values of what is fetched, as NumPy arrays, in the structure that it is given in."""
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if run_metadata is not None and hasattr(run_metadata, "step_stats"):
            run_metadata.step_stats = None
        single = isinstance(fetches, (Tensor, Operation))
        leaves = [fetches] if single else _leaves(fetches)
        fetched = leaves if single else [self._element(leaf) for leaf in leaves]
        feeds, fed_ = {}, []
        for key, value in (feed_dict or {}).items():
            self._feed(key, value, feeds, fed_)
        key = (tuple(map(id, fetched)), tuple(map(id, feeds)))
        self._growth.runs += 1
        plan = self._plans.get(key)
        if plan is None:
            for one in fetched:
                if isinstance(one, (Tensor, Operation)) and one.graph is not self.graph:
                    raise ValueError(
                        f"Fetch argument {one!r} cannot be interpreted as a Tensor. ({one!r} is not an element of this "
                        "graph.)"
                    )
            plan = (
                _Mixed(self, fetched, list(feeds))
                if any(not isinstance(f, (Tensor, Operation)) for f in fetched)
                else Plan(self, fetched, list(feeds))
            )
            self._plans[key] = plan
            self._growth.planned(len(self.graph._operations))
        answers = plan.run(list(feeds.values()))
        return answers[0] if single else _packed(fetches, iter(answers))

    def _element(self, x):
        if isinstance(x, (Tensor, Operation)):
            return x
        if isinstance(x, str):
            try:
                return self.graph.as_graph_element(x)
            except (KeyError, ValueError) as error:
                raise ValueError(f"Fetch argument {x!r} cannot be interpreted as a Tensor. ({error})") from None
        if hasattr(x, "_as_graph_element"):
            return x._as_graph_element()
        if isinstance(x, (_core.Tensor, _core.Variable)):
            return x
        raise TypeError(
            f"Fetch argument {x!r} has invalid type {type(x).__name__}, must be a string or Tensor. (Can not convert a "
            f"{type(x).__name__} into a Tensor or Operation.)"
        )

    def _feed(self, key, value, feeds, fed):
        if isinstance(key, str):
            try:
                key = self.graph.get_tensor_by_name(key)
            except (KeyError, ValueError) as error:
                raise TypeError(f"Cannot interpret feed_dict key as Tensor: {error}") from None
        elif hasattr(key, "_as_graph_element"):
            key = key._as_graph_element()
        if nested.is_composite(key):
            parts = (value.indices, value.values, value.dense_shape) if hasattr(value, "dense_shape") else value
            for tensor, one in zip((key.indices, key.values, key.dense_shape), parts):
                self._feed(tensor, one, feeds, fed)
            return
        if isinstance(key, (tuple, list)):
            for tensor, one in zip(key, value):
                self._feed(tensor, one, feeds, fed)
            return
        if not isinstance(key, Tensor):
            raise TypeError(f"Cannot interpret feed_dict key as Tensor: {key!r} is none of a graph")
        if key.graph is not self.graph:
            raise ValueError(f"Cannot interpret feed_dict key as Tensor: {key!r} is not an element of this graph")
        feeds[key] = fed_value(key, value)

    def make_callable(self, fetches, feed_list=None, accept_options=False):
        """A function of what feed_list names that runs the fetches."""
        return lambda *values: self.run(fetches, dict(zip(feed_list or (), values)))

    def list_devices(self):
        """The CPU."""
        import types

        return [types.SimpleNamespace(name="/job:localhost/replica:0/task:0/device:CPU:0", device_type="CPU")]

    # ---- being the default

    @property
    def sess_str(self):
        """Where it runs."""
        return ""

    def as_default(self):
        """A scope in which eval() and run() use this session; it stays open behind it."""
        return _Default(self)

    def __enter__(self):
        scope = self.graph.as_default()
        scope.__enter__()
        now.sessions.append(self)
        self._entered.append(scope)
        return self

    def __exit__(self, *error):
        now.sessions.remove(self)
        self._entered.pop().__exit__(*error)
        self.close()

    def close(self):
        """Frees the values of variables."""
        self._closed = True
        self._plans.clear()
        self._values.clear()
        self._iterators.clear()


class _Default:
    def __init__(self, session):
        self._session = session

    def __enter__(self):
        now.sessions.append(self._session)
        return self._session

    def __exit__(self, *error):
        now.sessions.remove(self._session)


class InteractiveSession(Session):
    """A session that is the default one from the start."""

    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        now.sessions.append(self)
        if graph is not None:
            self._scope = graph.as_default()
            self._scope.__enter__()

    def __exit__(self, *error):
        self.close()

    def __enter__(self):
        return self

    def close(self):
        """Frees the values of variables; another session is the default one from now on."""
        if self in now.sessions:
            now.sessions.remove(self)
            if hasattr(self, "_scope"):
                self._scope.__exit__(None, None, None)
        super().close()


class _Mixed:
    """Fetches some of which are values of eager code."""

    def __init__(self, session, fetched, fed):
        self.own = [f for f in fetched if isinstance(f, (Tensor, Operation))]
        self.fetched, self.plan = fetched, Plan(session, self.own, fed)

    def run(self, values):
        answers = iter(self.plan.run(values))
        return [next(answers) if isinstance(f, (Tensor, Operation)) else f.numpy() for f in self.fetched]


def fed_value(key, value):
    """What is fed, as a tensor of the dtype that is asked for. Throws where it is of another shape."""
    if isinstance(value, Tensor) or hasattr(value, "_as_graph_element"):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, strings, "
            "lists, numpy ndarrays, or TensorHandles."
        )
    dtype = key.dtype
    if isinstance(value, _core.Tensor):
        made = value if value.dtype == dtype else _core.cast(value, dtype)
    elif dtype.name == "string":
        made = _core.convert_to_tensor(
            np.asarray(value, dtype=object).tolist() if not isinstance(value, (str, bytes)) else value, dtype
        )
    else:
        if type(value) is int and np.asarray(value).astype(dtype.as_numpy_dtype) != value:
            raise TypeError(
                f"Type of feed value {value} with type {type(value)} is not compatible with Tensor type "
                f"{dtype.as_numpy_dtype}. Try explicitly setting the type of the feed tensor to a larger type (e.g. "
                "int64)."
            )
        made = _core.convert_to_tensor(np.asarray(value, dtype.as_numpy_dtype))
        if made.dtype != dtype:
            made = _core.cast(made, dtype)
    dims = key.dims
    if dims is not None:
        shape = tuple(made.shape)
        if len(shape) != len(dims) or any(type(d) is int and d != n for d, n in zip(dims, shape)):
            raise ValueError(f"Cannot feed value of shape {shape} for Tensor {key.name}, which has shape {key.shape}")
    return made


def _leaves(x):
    if isinstance(x, dict):
        return [leaf for v in x.values() for leaf in _leaves(v)]
    if isinstance(x, (list, tuple)):
        return [leaf for v in x for leaf in _leaves(v)]
    if x is None:
        raise TypeError('Argument `fetch` = None has invalid type "NoneType". Cannot be None')
    if nested.is_composite(x):
        return [leaf for leaf in nested.leaves(x) if isinstance(leaf, (Tensor, _core.Tensor))]
    return [x]


def _packed(x, answers):
    if isinstance(x, dict):
        made = {k: _packed(v, answers) for k, v in x.items()}
        return made if type(x) is dict else type(x)(made)
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*[_packed(v, answers) for v in x])
    if isinstance(x, (list, tuple)):
        return type(x)([_packed(v, answers) for v in x])
    if nested.is_composite(x):
        return _composite(x, answers)
    return next(answers)


SparseTensorValue = collections.namedtuple("SparseTensorValue", ("indices", "values", "dense_shape"))
RaggedTensorValue = collections.namedtuple("RaggedTensorValue", ("values", "row_splits"))
IndexedSlicesValue = collections.namedtuple("IndexedSlicesValue", ("values", "indices", "dense_shape"))


def _composite(x, answers):
    from brio._sparse import SparseTensor

    values = [next(answers) for leaf in nested.leaves(x) if isinstance(leaf, (Tensor, _core.Tensor))]
    if isinstance(x, SparseTensor):
        return SparseTensorValue(*values)
    if hasattr(x, "row_splits"):
        return RaggedTensorValue(*values)
    return IndexedSlicesValue(*values, *([None] * (3 - len(values))))
