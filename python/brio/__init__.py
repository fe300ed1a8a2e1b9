"""Brio: neural network training where the fast path is the default. `import brio as tf` runs TensorFlow's programs.

The functions are C++ (brio._core); submodules are loaded when they are first used.
"""

import importlib as _importlib

from brio import errors
from brio._core import *
from brio._function import TensorSpec, function
from brio._shape import TensorShape

__version__ = "0.1.0"
newaxis = None

# Submodules by name; `tf.keras` and the like work without an import of their own.
_SUBMODULES = {"keras"}


def __getattr__(name):
    if name in _SUBMODULES:
        return _importlib.import_module(f"brio.{name}")
    from brio._missing import explain

    raise AttributeError(explain(__name__, name))


def __dir__():
    return sorted(set(globals()) | _SUBMODULES)
