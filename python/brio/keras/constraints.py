"""keras.constraints."""

from brio import _core
from brio._missing import attribute_error_of as _attribute_error_of
from brio.keras import _classes, _serialization

__getattr__ = _attribute_error_of(__name__)


class Constraint:
    """Where a weight is put after each update. Derive from it and write __call__(w)."""

    def __call__(self, x):
        return self._brio(x)

    def get_config(self):
        """What it was made with."""
        return dict(self._config)

    @classmethod
    def from_config(cls, config):
        """One of a config."""
        return cls(**config)


def _make(name, text):
    class Made(Constraint):
        def __init__(self, *args, **kwargs):
            given = _classes.bound(type(self), text, args, kwargs)
            self._config = {n: given.get(n, p.default) for n, p in _classes.signature(text).parameters.items()}
            self._brio = _core._constraint(name, given)
            self.__dict__.update(self._config)

    return Made


_classes.module_classes(globals(), "CONSTRAINTS", _make)

max_norm, min_max_norm, non_neg, unit_norm = MaxNorm, MinMaxNorm, NonNeg, UnitNorm  # noqa: F821


def get(identifier):
    """A constraint from its name, its config, or itself."""
    return _classes.get(identifier, globals(), Constraint, _core._constraint_named)


def serialize(constraint):
    """The config of a constraint."""
    return _serialization.serialize_keras_object(constraint)


def deserialize(config, custom_objects=None):
    """A constraint of a config."""
    return _serialization.deserialize_keras_object(config, custom_objects)
