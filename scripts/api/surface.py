"""What of the Python package is public: its modules, their names, and what stands behind each.

Stubs, the API pages and the tests of both ask here, so that they agree on what there is."""

import importlib
import inspect
import pathlib
import re
import types

import brio

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "brio"


def public_modules():
    """The modules of the package whose names do not begin with _, in order."""
    found = []
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        if not any(part.startswith("_") for part in parts):
            found.append(".".join(parts))
    modules = {name: importlib.import_module(name) for name in found}
    for module in list(
        modules.values()
    ):  # those that are made when the package runs, and private ones with a public name
        modules.update({m.__name__: m for m in names(module).values() if isinstance(m, types.ModuleType)})
    return [modules[name] for name in sorted(modules)]


def tensorflow_name(module):
    """ "brio.nn" → "tf.nn", "brio.keras.layers" → "keras.layers": what programs call it."""
    name = module if isinstance(module, str) else module.__name__
    return re.sub(r"^tf\.keras", "keras", "tf" + name[len("brio") :])


def is_function(value):
    return isinstance(value, (types.FunctionType, types.BuiltinFunctionType)) or hasattr(value, "__nb_signature__")


def module_of(name):
    """The module of this name; None where there is none."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def is_own(value):
    """Is it of this package?"""
    return value.__module__.split(".")[0] == "brio" and value.__module__ != "brio._missing"  # which every module uses


def names(module):
    """Public names of a module with their values: what it defines or takes from the rest of the package."""
    listed = getattr(module, "__all__", None) or dir(module)
    found = {}
    for name in sorted(n for n in listed if not n.startswith("_")):
        value = getattr(module, name)
        if inspect.isfunction(value) and hasattr(
            value, "_takes_ragged"
        ):  # a function as it is before a ragged tensor is made
            value = value.__wrapped__
        if isinstance(value, types.ModuleType):
            # A part of the module, or a module under another name; any other is one that the module uses.
            parent, _, own = value.__name__.rpartition(".")
            if value.__name__.startswith("brio.") and (
                parent == module.__name__ or own != name or module in (brio, brio.compat.v1)
            ):
                found[name] = value
        elif hasattr(module, "__all__") or not (inspect.isclass(value) or is_function(value)) or is_own(value):
            found[name] = value
    return found


def own_doc(value):
    """The sentences written for it: not what it inherits, nor the signature that nanobind puts before."""
    if hasattr(value, "__nb_signature__") and not inspect.isclass(value):
        return next((doc for _, doc, *_ in value.__nb_signature__ if doc), None)
    if isinstance(value, property):
        return own_doc(value.fget) if hasattr(value.fget, "__nb_signature__") else value.__doc__
    if isinstance(value, (classmethod, staticmethod)):
        return own_doc(value.__func__)
    if inspect.isclass(value):
        return value.__dict__.get("__doc__")
    if type(value).__name__ == "wrapper_descriptor":  # Python's own words for a slot
        return None
    doc = getattr(value, "__doc__", None)
    # Of a plain C method: "gradient(target, sources)" and an empty line come first.
    return doc.partition("\n\n")[2] if doc and re.match(r"\w+\(.*\)\n\n", doc) else doc


def members(cls):
    """Public methods and properties that a class defines itself."""
    found = {}
    for name, value in vars(cls).items():
        if not name.startswith("_") and (
            isinstance(value, (property, classmethod, staticmethod)) or inspect.isroutine(value) or is_function(value)
        ):
            found[name] = value
    return found


def member_doc(cls, name):
    """The docstring of a method: its own, or that of the base's which it is a version of."""
    return next((doc for base in cls.__mro__ if name in vars(base) and (doc := own_doc(vars(base)[name]))), None)


def sentence(doc):
    """The first sentence or paragraph of a docstring, in one line."""
    return " ".join(inspect.cleandoc(doc).partition("\n\n")[0].split()) if doc else ""
