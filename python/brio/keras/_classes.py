"""Classes of Keras whose work is a C++ object: made from a table of signatures."""

import functools
import inspect
import re

from brio.keras import _docs, _signatures


def snake(name):
    """ "BatchNormalization" → "batch_normalization", "SGD" → "sgd", as Keras names things."""
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", re.sub(r"\W+", "", name))
    name = re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()
    return name.strip("_") or "layer"


@functools.cache
def signature(text):
    """inspect.Signature of "units, activation=None"."""
    scope = {}
    exec(f"def f({text}): pass", scope)  # noqa: S102  our own tables
    return inspect.signature(scope["f"])


def bound(cls, text, args, kwargs):
    """What was given, by name: defaults are C++'s affair. Names that the signature lacks stay for others to take."""
    names = list(signature(text).parameters)
    if len(args) > len(names):
        raise TypeError(
            f"{cls.__name__}() takes {len(names)} arguments ({', '.join(names)}), but {len(args)} were given"
        )
    given = dict(zip(names, args))
    for name, value in kwargs.items():
        if name in given:
            raise TypeError(f"{cls.__name__}() got two values for '{name}'")
        given[name] = value
    for name, parameter in signature(text).parameters.items():
        if parameter.default is parameter.empty and name not in given:
            raise TypeError(
                f"{cls.__name__}() needs '{name}': {cls.__name__}({text.split('=')[0].rsplit(',', 1)[0]}, ...)"
            )
    return given


def without_defaults(text, given, unused):
    """`given` without arguments that Brio has no use for; one with another value than its default is an error."""
    parameters = signature(text).parameters
    for name in unused:
        if name in given:
            value = given.pop(name)
            if name == "synchronized":  # there is one replica: alike either way
                continue
            if name in parameters and value != parameters[name].default and value is not None:
                raise ValueError(f"{name}={value!r} is not supported; leave it out")
    return given


def module_classes(namespace, table, make, but=()):
    """Adds make(name, signature) for each row of a table of _signatures to a module's namespace;
    not those named in `but`."""
    for name, text in getattr(_signatures, table).items():
        if name in but:
            continue
        cls = make(name, text)
        cls.__module__ = namespace["__name__"]
        cls.__qualname__ = cls.__name__ = name
        cls.__signature__ = signature(text)
        cls.__doc__ = _docs.of(table, name, cls.__signature__.parameters)
        namespace[name] = cls


def get(identifier, namespace, base, named):
    """What keras.initializers.get() and its kin make of a name, a config, a class or an object."""
    if identifier is None:
        return None
    if isinstance(identifier, type):
        return identifier()
    if callable(identifier):
        return identifier
    from brio.keras import _serialization

    if isinstance(identifier, dict):
        return _serialization.deserialize_keras_object(identifier)
    own = _serialization.get_registered_object(identifier)
    if own is not None:
        return own() if isinstance(own, type) else own
    found = namespace.get(identifier)
    if isinstance(found, type) and issubclass(found, base):
        return found()
    return named(identifier)  # says which there are
