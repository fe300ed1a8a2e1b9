"""What to say of a name that Brio does not have."""

import difflib
import importlib


def explain(module, name):
    """ "brio has no tf.foo; did you mean tf.bar?" """
    shown = "tf" + module[len("brio") :]
    names = [n for n in dir(_module(module)) if not n.startswith("_")]
    return f"brio has no {shown}.{name}{nearest(name, names, shown + '.')}"


def _module(name):
    """The module of this name; some are parts of others under names of their own."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        parent, _, own = name.rpartition(".")
        return getattr(_module(parent), own, None)


def nearest(name, names, prefix=""):
    """ "; did you mean bar?", or nothing where none is near."""
    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {prefix}{near[0]}?" if near else ""


def attribute_error_of(module):
    """A module's __getattr__: nothing is found, and the error says what is near."""

    def missing(name):
        if name.startswith("__"):  # Python itself asks for these
            raise AttributeError(name)
        raise AttributeError(explain(module, name))

    return missing
