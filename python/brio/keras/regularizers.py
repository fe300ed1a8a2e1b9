"""keras.regularizers."""

from brio import _core
from brio._missing import attribute_error_of as _attribute_error_of
from brio.keras import _classes, _serialization

__getattr__ = _attribute_error_of(__name__)


class Regularizer:
    """What large weights cost. Derive from it and write __call__(x) → a scalar."""

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
    class Made(Regularizer):
        def __init__(self, *args, **kwargs):
            given = _classes.bound(type(self), text, args, kwargs)
            self._config = {n: given.get(n, p.default) for n, p in _classes.signature(text).parameters.items()}
            self._brio = _core._regularizer(name, {k: float(v) if isinstance(v, int) else v for k, v in given.items()})
            self.__dict__.update(self._config)

    return Made


_classes.module_classes(globals(), "REGULARIZERS", _make)

l1, l2 = L1, L2  # noqa: F821
orthogonal_regularizer = OrthogonalRegularizer  # noqa: F821


def l1_l2(l1=0.01, l2=0.01):
    """L1L2 with these factors."""
    return L1L2(l1=l1, l2=l2)  # noqa: F821


def get(identifier):
    """A regularizer from its name, its config, or itself."""
    return _classes.get(identifier, globals(), Regularizer, _core._regularizer_named)


def serialize(regularizer):
    """The config of a regularizer."""
    return _serialization.serialize_keras_object(regularizer)


def deserialize(config, custom_objects=None):
    """A regularizer of a config."""
    return _serialization.deserialize_keras_object(config, custom_objects)
