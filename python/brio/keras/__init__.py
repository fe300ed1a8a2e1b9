"""tf.keras: Keras 3's names over Brio's layers, losses, metrics and optimizers, which are C++."""

from brio._lazy import load as _load

_SUBMODULES = {
    "activations", "applications", "callbacks", "constraints", "initializers", "layers", "losses", "metrics",
    "mixed_precision", "models", "backend", "config", "datasets", "dtype_policies", "export", "ops", "optimizers",
    "preprocessing", "quantizers", "random", "regularizers", "saving", "tree", "utils", "visualization", "wrappers",
}  # fmt: skip
_NAMES = {
    "Input": "layers",
    "InputSpec": "layers",
    **dict.fromkeys(("Function", "KerasTensor", "Operation"), "_symbolic"),
    **dict.fromkeys(("RematScope", "StatelessScope", "remat"), "_stateless"),
    "Layer": "layers",
    "Model": "models",
    "Sequential": "models",
    "Optimizer": "optimizers",
    "Loss": "losses",
    "Metric": "metrics",
    "Initializer": "initializers",
    "Quantizer": "quantizers",
    "Regularizer": "regularizers",
    "Variable": "utils",
    **dict.fromkeys(("DTypePolicy", "FloatDTypePolicy"), "dtype_policies"),
}
_OF_TF = {"device", "name_scope"}
__all__ = sorted(_SUBMODULES | set(_NAMES) | _OF_TF | {"version"})  # from keras import *
__version__ = "3.15.0"  # whose names and definitions these are


def version():
    """The version of Keras whose names and definitions these are."""
    return __version__


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    if name in _SUBMODULES:
        return _load(f"brio.keras.{name}")
    if name in _OF_TF:
        return getattr(_load("brio"), name)
    if name in _NAMES:
        return getattr(_load(f"brio.keras.{_NAMES[name]}"), name)
    from brio._missing import explain

    raise AttributeError(explain(__name__, name))


def __dir__():
    return sorted(set(globals()) | _SUBMODULES | set(_NAMES) | _OF_TF)
