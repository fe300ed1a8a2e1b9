"""Lets a program that imports TensorFlow and Keras have Brio:
import tensorflow, from tensorflow.keras import layers, import keras."""

import importlib
import importlib.abc
import importlib.machinery
import sys

_ROOTS = {"tensorflow": "brio", "keras": "brio.keras"}


class _AsBrio(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds tensorflow.x.y as brio.x.y: a module, or what a module has by that name."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in _ROOTS:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        root, _, rest = spec.name.partition(".")
        found = importlib.import_module(_ROOTS[root])
        for part in rest.split(".") if rest else []:
            if part == "python" or part == "src":  # TensorFlow's and Keras' own insides
                raise ModuleNotFoundError(f"No module named {spec.name!r}: it is private", name=spec.name)
            try:
                found = getattr(found, part)
            except AttributeError as error:
                raise ModuleNotFoundError(str(error), name=spec.name) from None
        self._spec = getattr(found, "__spec__", None)
        return found

    def exec_module(self, module):
        module.__spec__ = self._spec  # importing under a second name leaves the module as it was


def use_brio():
    """From now on `tensorflow` and `keras` are Brio."""
    sys.meta_path.insert(0, _AsBrio())


def imported():
    """(tf, keras) of the library in use."""
    return importlib.import_module("tensorflow"), importlib.import_module("keras")
