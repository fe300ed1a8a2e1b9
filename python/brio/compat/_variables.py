"""Variables as TensorFlow 1 had them: by name in a graph, made in scopes, shared by reuse, saved by a Saver."""

import os

from brio import _core

AUTO_REUSE = "AUTO_REUSE"


class Graph:
    """Variables by their names. `with tf.Graph().as_default():` begins without any; operations need no graph here."""

    def __init__(self):
        self._variables, self._scopes, self._outside = {}, [], []

    def as_default(self):
        """The graph itself, for a with statement."""
        return self

    def __enter__(self):
        global _graph
        self._outside.append(_graph)
        _graph = self
        return self

    def __exit__(self, *error):
        global _graph
        _graph = self._outside.pop()


_graph = Graph()


def get_default_graph():
    """The graph that get_variable() looks into."""
    return _graph


def forget_variables():
    """What reset_default_graph() does to variables."""
    _graph._variables.clear()


class variable_scope:  # noqa: N801: TensorFlow's name
    """A prefix for the names of get_variable(). reuse=True: those that are there; AUTO_REUSE: or new ones."""

    def __init__(self, name_or_scope, default_name=None, values=None, initializer=None, regularizer=None, caching_device=None,
                 partitioner=None, custom_getter=None, reuse=None, dtype=None, use_resource=None, constraint=None, **kwargs):  # fmt: skip
        self._given, self._initializer, self.reuse = name_or_scope or default_name, initializer, reuse

    def __enter__(self):
        outer = _graph._scopes[-1] if _graph._scopes else None
        if isinstance(self._given, variable_scope):
            self.name = self._given.name
        else:
            self.name = f"{outer.name}/{self._given}" if outer and outer.name else str(self._given)
        if self.reuse is None and outer is not None:
            self.reuse = outer.reuse
        if self._initializer is None and outer is not None:
            self._initializer = outer._initializer
        _graph._scopes.append(self)
        return self

    def __exit__(self, *error):
        _graph._scopes.pop()

    def reuse_variables(self):
        """From now on get_variable() gives the variables that are there."""
        self.reuse = True


def get_variable_scope():
    """The innermost scope."""
    if _graph._scopes:
        return _graph._scopes[-1]
    made = variable_scope("")
    made.name = ""
    return made


def get_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True, **kwargs):
    """A variable of this name in the scopes around: a new one, by default as Keras initialises a kernel, or one that is shared."""
    from brio.keras import initializers

    scope = _graph._scopes[-1] if _graph._scopes else None
    full = f"{scope.name}/{name}" if scope and scope.name else name
    reuse = scope.reuse if scope else None
    if full in _graph._variables:
        if not reuse:
            raise ValueError(f"[get_variable] '{full}' exists already; share it by variable_scope(..., reuse=tf.compat.v1.AUTO_REUSE)")
        found = _graph._variables[full]
        if shape is not None and tuple(found.shape) != tuple(shape):
            raise ValueError(f"[get_variable] '{full}' has shape {tuple(found.shape)}, but {tuple(shape)} is asked for")
        return found
    if reuse is True:
        raise ValueError(f"[get_variable] '{full}' is to be shared, but there is none; make it first, or use AUTO_REUSE")
    make = initializers.get(initializer or (scope and scope._initializer) or "glorot_uniform")
    value = make(tuple(shape), dtype or "float32") if callable(make) else make
    made = _graph._variables[full] = _core.Variable(value, trainable=trainable, name=full, dtype=dtype)
    return made


def global_variables(scope=None):
    """The variables of get_variable(), in the order in which they were made; those whose names begin with a scope."""
    return [v for name, v in _graph._variables.items() if scope is None or name.startswith(scope)]


def trainable_variables(scope=None):
    """Those of them that training changes."""
    return [v for v in global_variables(scope) if v.trainable]


class Saver:
    """Writes variables to checkpoints, and reads them again: all of get_variable(), or a list, or a dict by name."""

    def __init__(self, var_list=None, max_to_keep=5, **kwargs):
        found = global_variables() if var_list is None else var_list
        if not found:
            raise ValueError("[Saver] there is nothing to save: name the variables in var_list, or make them by get_variable()")
        self._named = dict(found) if isinstance(found, dict) else {v.name.split(":")[0]: v for v in found}
        self._keep, self._paths = max_to_keep, []

    def _checkpoint(self):
        from brio._checkpoint import Checkpoint

        return Checkpoint(**self._named)

    def save(self, sess, save_path, global_step=None, **kwargs):
        """Writes SAVE_PATH, or SAVE_PATH-STEP, and returns that path."""
        from brio._checkpoint import update_checkpoint_state

        step = "" if global_step is None else f"-{int(_core.convert_to_tensor(global_step).numpy())}"
        path = self._checkpoint().write(f"{os.fspath(save_path)}{step}")
        self._paths = [p for p in self._paths if p != path] + [path]
        while self._keep and len(self._paths) > self._keep:
            old = self._paths.pop(0)
            for ending in (".json", ".safetensors"):
                os.remove(old + ending)
        update_checkpoint_state(os.path.dirname(path) or ".", path, self._paths)
        return path

    def restore(self, sess, save_path):
        """Gives the variables the values of a checkpoint."""
        self._checkpoint().restore(save_path).assert_existing_objects_matched()

    @property
    def last_checkpoints(self):
        """The checkpoints that are kept, the oldest first."""
        return list(self._paths)
