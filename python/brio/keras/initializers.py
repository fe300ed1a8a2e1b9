"""keras.initializers."""

from brio import _core
from brio._missing import explain as _explain
from brio.keras import _classes, _serialization

_OF_SPECTRA = ("STFT", "STFTInitializer", "stft")  # one class, which few programs use: it loads when one does


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    if name in _OF_SPECTRA:
        from brio.keras._stft_initializer import STFT

        return STFT
    raise AttributeError(name if name.startswith("__") else _explain(__name__, name))


def __dir__():
    return sorted({*globals(), *_OF_SPECTRA})


class Initializer:
    """What a weight starts with: a function of shape and dtype. Derive from it and write __call__(shape, dtype)."""

    def __call__(self, shape, dtype=None, **kwargs):
        if "_value" in self.__dict__:
            return _core.broadcast_to(_core.cast(self._value, dtype or "float32"), shape)
        return self._brio(shape, dtype)

    def get_config(self):
        """What it was made with."""
        return dict(self._config)

    @classmethod
    def from_config(cls, config):
        """One of a config."""
        return cls(**config)

    def clone(self):
        """Another one like it."""
        return self.__class__.from_config(self.get_config())


def _make(name, text):
    class Made(Initializer):
        def __init__(self, *args, **kwargs):
            given = _classes.bound(type(self), text, args, kwargs)
            if name == "Constant" and hasattr(given.get("value"), "shape") and given["value"].shape:
                self._value = _core.convert_to_tensor(given["value"])
            elif name in ("Zeros", "Ones"):
                self._brio = _core._initializer_named(name.lower())
            else:
                self._brio = _core._initializer(name, given)
            self._config = {n: given.get(n, p.default) for n, p in _classes.signature(text).parameters.items()}
            self.__dict__.update(self._config)

    return Made


_classes.module_classes(globals(), "INITIALIZERS", _make)

zeros, ones, constant = Zeros, Ones, Constant  # noqa: F821
random_normal, random_uniform, truncated_normal = RandomNormal, RandomUniform, TruncatedNormal  # noqa: F821
glorot_normal, glorot_uniform, he_normal, he_uniform = GlorotNormal, GlorotUniform, HeNormal, HeUniform  # noqa: F821
lecun_normal, lecun_uniform, orthogonal = LecunNormal, LecunUniform, Orthogonal  # noqa: F821
variance_scaling, identity = VarianceScaling, Identity  # noqa: F821
uniform, normal, zero, one = RandomUniform, RandomNormal, Zeros, Ones  # noqa: F821


def get(identifier):
    """An initializer from its name, its config, or itself."""
    if isinstance(identifier, str) and identifier in _OF_SPECTRA:
        return __getattr__(identifier)()
    return _classes.get(identifier, globals(), Initializer, _core._initializer_named)


def serialize(initializer):
    """The config of an initializer."""
    return _serialization.serialize_keras_object(initializer)


def deserialize(config, custom_objects=None):
    """An initializer of a config."""
    return _serialization.deserialize_keras_object(config, custom_objects)
