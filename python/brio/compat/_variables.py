"""Variables as TensorFlow 1 had them: by name in a graph, made in scopes, shared by reuse."""

import contextlib
import enum
import functools

from brio import _core
from brio._graph import core, wrap
from brio._graph.shapes import plain
from brio._graph.variables import GraphKeys, Variable


class _Reuse(enum.Enum):
    AUTO_REUSE = 1


AUTO_REUSE = _Reuse.AUTO_REUSE


class VariableScope:
    """What get_variable() does in a scope: the prefix of names, sharing, initializer and regularizer."""

    def __init__(
        self,
        name="",
        reuse=None,
        initializer=None,
        regularizer=None,
        custom_getter=None,
        dtype="float32",
        constraint=None,
        original="",
    ):
        self.name, self.reuse, self.initializer, self.regularizer = name, reuse, initializer, regularizer
        self.custom_getter, self.dtype, self.constraint, self.original_name_scope = (
            custom_getter,
            _core.as_dtype(dtype),
            constraint,
            original,
        )

    def reuse_variables(self):
        """From now on get_variable() gives the variables that are there."""
        self.reuse = True

    def set_initializer(self, initializer):
        """The initializer of variables that name none."""
        self.initializer = initializer

    def set_regularizer(self, regularizer):
        """The regularizer of variables that name none."""
        self.regularizer = regularizer

    def get_collection(self, name):
        """What is in a collection, of this scope."""
        return core.default_graph().get_collection(name, self.name + "/" if self.name else None)

    def trainable_variables(self):
        """The variables of this scope that training changes."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self):
        """The variables of this scope."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)


def _scopes():
    return core.default_graph()._variable_scopes


def get_variable_scope():
    """The innermost scope."""
    scopes = _scopes()
    if not scopes:
        scopes.append(VariableScope())
    return scopes[-1]


class variable_scope:
    """A prefix for the names of get_variable(). reuse=True: those that are there; AUTO_REUSE: or new ones."""

    def __init__(self, name_or_scope, default_name=None, values=None, initializer=None, regularizer=None,
                 caching_device=None, partitioner=None, custom_getter=None, reuse=None, dtype=None, use_resource=None,
                 constraint=None, auxiliary_name_scope=True):  # fmt: skip
        if name_or_scope is None and default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        self._given, self._default = name_or_scope, default_name
        self._how = {
            "initializer": initializer,
            "regularizer": regularizer,
            "custom_getter": custom_getter,
            "dtype": dtype,
            "constraint": constraint,
        }
        self._reuse, self._names = reuse, auxiliary_name_scope

    def __enter__(self):
        self._stack = contextlib.ExitStack()
        graph, outer = core.default_graph(), get_variable_scope()
        prefix = f"{outer.name}/" if outer.name else ""
        again = isinstance(self._given, VariableScope)
        if again:
            name, shown, base = self._given.name, self._given.name.rsplit("/", 1)[-1], self._given
        else:
            if self._given is None:
                counts, name = graph._scope_counts, prefix + self._default
                taken = counts.get(name, 0)
                counts[name] = taken + 1
                shown = self._default if not taken else f"{self._default}_{taken}"
            else:
                shown = self._given
                graph._scope_counts[prefix + shown] = graph._scope_counts.get(prefix + shown, 0) + 1
            name, base = (prefix + shown).rstrip("/") if shown else prefix.rstrip("/"), outer
            if self._given == "":
                name = outer.name
        scope = VariableScope(
            name,
            base.reuse if self._reuse is None else self._reuse,
            base.initializer,
            base.regularizer,
            base.custom_getter,
            base.dtype,
            base.constraint,
        )
        if not again and self._reuse is None:
            scope.reuse = outer.reuse
        if self._reuse is False and outer.reuse is True and not again:
            scope.reuse = True  # sharing goes on inside
        for key, value in self._how.items():
            if value is not None:
                setattr(scope, key, _core.as_dtype(value) if key == "dtype" else value)
        if self._how["custom_getter"] is not None and base.custom_getter is not None:
            scope.custom_getter = _getter_inside(base.custom_getter, self._how["custom_getter"])
        if self._names and shown and core.building() is not None:
            scope.original_name_scope = self._stack.enter_context(graph.name_scope(shown))
        _scopes().append(scope)
        self._stack.callback(_scopes().pop)
        return scope

    def __exit__(self, *error):
        return self._stack.__exit__(*error)


def _getter_inside(outer, inner):
    """The getter of a scope inside of one that has a getter too: what it calls is the outer one."""
    return lambda getter, name, *args, **kwargs: inner(functools.partial(outer, getter), name, *args, **kwargs)


def get_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None, collections=None,
                 caching_device=None, partitioner=None, validate_shape=True, use_resource=None, custom_getter=None,
                 constraint=None, synchronization=None, aggregation=None):  # fmt: skip
    """A variable of this name in the scopes around: a new one, or one that is shared."""
    scope = get_variable_scope()
    getter = custom_getter or scope.custom_getter
    given = {"shape": shape, "dtype": dtype, "initializer": initializer, "regularizer": regularizer,
             "trainable": trainable, "collections": collections, "constraint": constraint,
             "validate_shape": validate_shape}  # fmt: skip
    full = f"{scope.name}/{name}" if scope.name else name
    if getter is not None:
        return getter(
            lambda name, **kwargs: _get(name, scope, **{k: v for k, v in kwargs.items() if k in given}), full, **given
        )
    return _get(full, scope, **given)


def _get(
    full,
    scope,
    shape=None,
    dtype=None,
    initializer=None,
    regularizer=None,
    trainable=None,
    collections=None,
    constraint=None,
    validate_shape=True,
):
    store = core.default_graph()._variables
    dtype = _core.as_dtype(dtype if dtype is not None else scope.dtype)
    if full in store:
        found = store[full]
        if not scope.reuse:
            raise ValueError(
                f"Variable {full} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in "
                "VarScope?"
            )
        if shape is not None and not found.shape.is_compatible_with(plain(shape)):
            raise ValueError(
                f"Trying to share variable {full}, but specified shape {tuple(plain(shape))} and found shape "
                f"{found.shape}."
            )
        if found.dtype != dtype:
            raise ValueError(
                f"Trying to share variable {full}, but specified dtype {dtype.name} and found dtype {found.dtype.name}."
            )
        return found
    if scope.reuse is True:
        raise ValueError(
            f"Variable {full} does not exist, or was not created with tf.get_variable(). Did you mean to set "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    initial = _initial(full, shape, dtype, initializer if initializer is not None else scope.initializer)
    trainable = True if trainable is None else trainable
    graph = core.building()
    if graph is None:
        made = _core.Variable(initial, trainable=trainable, name=full, dtype=dtype)
        made.constraint = constraint or scope.constraint
    else:
        before, graph._scope = graph._scope, ""  # the name is that of the variable scopes
        try:
            made = Variable(
                initial,
                trainable,
                collections,
                validate_shape,
                name=full,
                dtype=dtype,
                constraint=constraint or scope.constraint,
            )
        finally:
            graph._scope = before
    store[full] = made
    regularizer = regularizer if regularizer is not None else scope.regularizer
    if regularizer is not None and graph is not None:
        with graph.name_scope(full + "/Regularizer/"):
            loss = regularized(regularizer, made)
        if loss is not None:
            graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
    return made


def regularized(regularizer, variable):
    """The loss of a regularizer: one of Keras', or a function of tensors."""
    if hasattr(regularizer, "_brio") or type(regularizer).__module__.startswith("brio."):
        return wrap.call(core.building(), regularizer, "Regularizer", (variable,), {})
    return regularizer(variable)


def _initial(full, shape, dtype, initializer):
    """What a variable begins with: a value, or a function that makes it."""
    from brio.compat.v1 import initializers

    if initializer is None:
        if not (dtype.is_floating or dtype.is_complex or dtype.is_integer or dtype.name == "bool"):
            raise ValueError(f"An initializer for variable {full} of {dtype.name} is required")
        initializer = initializers.glorot_uniform() if dtype.is_floating or dtype.is_complex else initializers.zeros()
    initializer = resolved(initializer)
    if not callable(initializer) or isinstance(initializer, core.Tensor):
        return initializer
    if shape is None:
        raise ValueError(f"Shape of a new variable ({full}) must be fully defined, but instead was <unknown>.")
    sizes = plain(shape)
    if sizes is None or None in sizes:
        raise ValueError(
            f"Shape of a new variable ({full}) must be fully defined, but instead was {tuple(sizes or ())}."
        )
    return lambda: made_by(initializer, sizes, dtype)


def resolved(initializer):
    """An initializer by itself, by its class or by its name."""
    if isinstance(initializer, type):
        return initializer()
    if isinstance(initializer, str):
        from brio.keras import initializers as of_keras

        return of_keras.get(initializer)
    return initializer


def made_by(initializer, sizes, dtype):
    """The value that an initializer gives a variable: one of TensorFlow 1's or Keras', or a function."""
    graph = core.building()
    if graph is None or not type(initializer).__module__.startswith("brio.keras"):
        return _call(initializer, sizes, dtype)
    return wrap.call(graph, lambda: _call(initializer, sizes, dtype), "Initializer", (), {})


def _call(initializer, sizes, dtype):
    import inspect

    try:
        takes = inspect.signature(initializer).parameters
    except (TypeError, ValueError):
        takes = {"dtype": None}
    if not takes:  # tf.Variable's kind: a function of nothing
        return initializer()
    return (
        initializer(sizes, dtype=dtype)
        if "dtype" in takes or any(p.kind == p.VAR_KEYWORD for p in takes.values() if p)
        else initializer(sizes)
    )


def get_local_variable(name, *args, collections=None, **kwargs):
    """As get_variable(), among the local variables: they are not saved, nor trained."""
    kwargs["trainable"] = False
    return get_variable(name, *args, collections=[GraphKeys.LOCAL_VARIABLES, *(collections or ())], **kwargs)


# ---- collections of variables


def _eager_variables(scope):
    return [v for name, v in core.default_graph()._variables.items() if scope is None or name.startswith(scope)]


def _collection(key, scope):
    if core.building() is None and not core.default_graph().get_collection(key):
        return _eager_variables(scope)
    return core.default_graph().get_collection(key, scope)


def global_variables(scope=None):
    """All variables, in the order in which they were made; those whose names begin with a scope."""
    return _collection(GraphKeys.GLOBAL_VARIABLES, scope)


def trainable_variables(scope=None):
    """Those of them that training changes."""
    return [v for v in _collection(GraphKeys.TRAINABLE_VARIABLES, scope) if v.trainable]


def local_variables(scope=None):
    """The variables of metrics and the like, which are neither saved nor trained."""
    return core.default_graph().get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope=None):
    """The variables that were put into this collection."""
    return core.default_graph().get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope=None):
    """The variables that have moving averages."""
    return core.default_graph().get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)
