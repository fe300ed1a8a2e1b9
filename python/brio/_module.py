"""tf.Module: an object whose variables can be listed."""

import re

from brio import _core, nest


class Module:
    """Holds variables and other modules as attributes, and lists them."""

    def __init__(self, name=None):
        name = _snake(type(self).__name__) if name is None else name
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise ValueError(f"{name!r} is not a valid module name. Module names must be valid Python identifiers.")
        self._name = name

    @property
    def name(self):
        """Its name."""
        return getattr(self, "_name", None) or _snake(type(self).__name__)

    @property
    def name_scope(self):
        """The scope of its name."""
        from brio._control import name_scope

        return name_scope(self.name)

    @property
    def variables(self):
        """All variables of this module and of those in it."""
        return tuple(self._flatten(predicate=_is_variable))

    @property
    def trainable_variables(self):
        """Those that are trained."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def non_trainable_variables(self):
        """Those that are not trained."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self):
        """All modules in this one."""
        return tuple(self._flatten(predicate=lambda x: isinstance(x, Module)))

    @classmethod
    def with_name_scope(cls, method):
        """A method in whose calls names begin with the module's."""
        import functools

        @functools.wraps(method)
        def call(self, *args, **kwargs):
            with self.name_scope:
                return method(self, *args, **kwargs)

        return call

    def _flatten(self, recursive=True, predicate=None, seen=None):
        seen = {id(self)} if seen is None else seen
        inner = []
        for _, attribute in sorted(vars(self).items()):
            for leaf in _leaves(attribute):
                if id(leaf) in seen:
                    continue
                if predicate(leaf):
                    seen.add(id(leaf))
                    yield leaf
                if recursive and (isinstance(leaf, Module) or _has_variables(leaf)):
                    inner.append(leaf)
        for module in inner:
            if isinstance(module, Module):
                seen.add(id(module))
                yield from module._flatten(recursive, predicate, seen)
            else:  # a layer: it lists its own
                for variable in module.variables:
                    if id(variable) not in seen and predicate(variable):
                        seen.add(id(variable))
                        yield variable


def _leaves(attribute):
    try:
        return nest.flatten(attribute)
    except TypeError:  # keys that have no order
        return [attribute]


def _is_variable(x):
    return isinstance(x, _core.Variable)


def _has_variables(x):
    return (
        not isinstance(x, (type, _core.Variable))
        and hasattr(type(x), "trainable_variables")
        and hasattr(type(x), "variables")
    )


def _snake(name):
    return re.sub(r"((?<=[a-z0-9])[A-Z]|(?<!^)[A-Z](?=[a-z]))", r"_\1", name).lower()
