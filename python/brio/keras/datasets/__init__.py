"""keras.datasets: well-known data, downloaded once or found where keras.utils.get_file() looks (~/.keras/datasets,
BRIO_DATA)."""

import importlib as _importlib

_SUBMODULES = (
    "boston_housing",
    "california_housing",
    "cifar10",
    "cifar100",
    "fashion_mnist",
    "imdb",
    "mnist",
    "reuters",
)
_ADDRESS = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    if name in _SUBMODULES:
        return _importlib.import_module(f"brio.keras.datasets.{name}")
    if name.startswith("__"):
        raise AttributeError(name)
    from brio._missing import explain

    raise AttributeError(explain(__name__, name))


def __dir__():
    return sorted(_SUBMODULES)
