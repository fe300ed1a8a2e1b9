"""tf.experimental.dispatch_for_api and its kin: functions of tf that know what to do with classes of the user's.

A function is replaced when the first handler for it is registered, so that other programs pay nothing.
"""

import functools
import importlib
import inspect
import typing

from brio import _core

_MODULES = (
    "brio brio.math brio.nn brio.strings brio.linalg brio.image brio.bitwise brio.random brio.sparse brio.ragged "
    "brio.signal brio.sets brio.debugging"
).split()
_UNARY = {
    "brio": (
        "abs acos acosh asin asinh atan atanh cast clip_by_value cos cosh exp floor identity negative ones_like round "
        "saturate_cast sigmoid sign sin sinh sqrt square tan tanh zeros_like"
    ),
    "brio.math": (
        "abs acos acosh angle asin asinh atan atanh bessel_i0 bessel_i0e bessel_i1 bessel_i1e ceil conj cos cosh "
        "digamma erf erfc erfcinv erfinv exp expm1 floor imag is_finite is_inf is_nan lgamma log log1p log_sigmoid "
        "logical_not ndtri negative real reciprocal reciprocal_no_nan rint round rsqrt sigmoid sign sin sinh softplus "
        "softsign sqrt square tan tanh"
    ),
    "brio.nn": "dropout elu gelu leaky_relu relu relu6 selu sigmoid silu softplus softsign swish tanh",
    "brio.bitwise": "invert",
    "brio.strings": "as_string length lower strip to_number upper",
    "brio.debugging": "check_numerics",
}
_BINARY = {
    "brio": (
        "add atan2 complex divide equal floor_div greater greater_equal less less_equal logical_and logical_or maximum "
        "minimum multiply not_equal pow realdiv subtract truediv"
    ),
    "brio.math": (
        "add atan2 divide divide_no_nan equal floordiv floormod greater greater_equal less less_equal logical_and "
        "logical_or logical_xor maximum minimum mod multiply multiply_no_nan nextafter not_equal polygamma pow "
        "squared_difference subtract truediv xdivy xlog1py xlogy zeta"
    ),
    "brio.bitwise": "bitwise_and bitwise_or bitwise_xor left_shift right_shift",
}


def _places(api):
    """(module, name) of every public name of a function."""
    api = getattr(api, "_dispatched", api)
    found = []
    for module in map(importlib.import_module, _MODULES):
        for name in dir(module):
            if (
                not name.startswith("_")
                and getattr(vars(module).get(name), "_dispatched", vars(module).get(name)) is api
            ):
                found.append((module, name))
    return found


def _handlers(module, name):
    """The list of handlers of a function, which is replaced by one that asks them first."""
    f = getattr(module, name)
    if hasattr(f, "_handlers"):
        return f._handlers
    handlers = []

    @functools.wraps(f)
    def call(*args, **kwargs):
        for takes, run in handlers:
            if takes(args, kwargs):
                return run(f, args, kwargs)
        return f(*args, **kwargs)

    call._dispatched, call._handlers = f, handlers
    setattr(module, name, call)
    return handlers


def _is(value, kind):
    """Is it what an annotation says?"""
    origin = typing.get_origin(kind)
    if origin is typing.Union:
        return any(_is(value, option) for option in typing.get_args(kind))
    if origin is list or origin in (tuple, typing.Sequence):
        inner = typing.get_args(kind)[0]
        return isinstance(value, (list, tuple)) and bool(value) and all(_is(v, inner) for v in value)
    if isinstance(kind, type):
        return isinstance(value, kind) or kind is _core.Tensor and isinstance(value, _core.Variable)
    return True


def _needed(kind):
    """The classes of an annotation that are not TensorFlow's: one value at least must be of one."""
    if typing.get_origin(kind):
        return {c for option in typing.get_args(kind) for c in _needed(option)}
    return {kind} if isinstance(kind, type) and not kind.__module__.startswith(("brio", "builtins")) else set()


def _holds(value, classes):
    return (
        isinstance(value, tuple(classes))
        or type(value) in (list, tuple)
        and any(isinstance(v, tuple(classes)) for v in value)
    )


def dispatch_for_api(api, *signatures):
    """A decorator: the function is called in the place of `api` where arguments are of the classes that its annotations
    name."""

    def decorate(target):
        own = inspect.signature(target)
        rows = list(signatures) or [{n: p.annotation for n, p in own.parameters.items() if p.annotation is not p.empty}]
        names = list(own.parameters)
        if not rows[0]:
            raise ValueError(f"[dispatch_for_api] {target.__name__} names no classes: annotate its parameters")
        rows = [{names[k] if isinstance(k, int) else k: v for k, v in row.items()} for row in rows]

        def takes(args, kwargs):
            try:
                given = own.bind(*args, **kwargs).arguments
            except TypeError:
                return False
            for row in rows:
                classes = {c for kind in row.values() for c in _needed(kind)}
                if all(n in given and _is(given[n], kind) for n, kind in row.items()) and any(
                    _holds(given[n], classes) for n in row
                ):
                    return True
            return False

        places = _places(api)
        if not places:
            raise ValueError(f"[dispatch_for_api] {getattr(api, '__name__', api)!r} is no function of tf")
        entry = (takes, lambda f, args, kwargs: target(*args, **kwargs))
        _register(target, places, entry)
        return target

    return decorate


_registered = {}  # handler → [(list, entry)]


def _register(target, places, entry):
    for module, name in places:
        handlers = _handlers(module, name)
        handlers.append(entry)
        _registered.setdefault(target, []).append((handlers, entry))


def _elementwise(table, kinds, run):
    def decorate(handler):
        classes = {c for kind in kinds for c in _needed(kind)}

        def takes(args, kwargs):
            given = args[: len(kinds)]
            return len(given) == len(kinds) and all(map(_is, given, kinds)) and any(_holds(v, classes) for v in given)

        for module, names in table.items():
            found = importlib.import_module(module)
            places = [(found, name) for name in names.split() if hasattr(found, name)]
            _register(handler, places, (takes, lambda f, args, kwargs: run(handler, f, args, kwargs)))
        return handler

    return decorate


def dispatch_for_unary_elementwise_apis(x_type):
    """A decorator: handler(f, x) is called for functions of each element of an x of this class."""
    return _elementwise(
        _UNARY,
        [x_type],
        lambda handler, f, args, kwargs: handler(functools.partial(_with, f, args[1:], kwargs), args[0]),
    )


def dispatch_for_binary_elementwise_apis(x_type, y_type):
    """A decorator: handler(f, x, y) is called for functions of pairs of elements,
    where x and y are of these classes."""
    return _elementwise(
        _BINARY,
        [x_type, y_type],
        lambda handler, f, args, kwargs: handler(lambda x, y: f(x, y, *args[2:], **kwargs), *args[:2]),
    )


def for_class(cls, handler):
    """handler(f, x, *args, **kwargs) is called for functions of each element of an x of a class of Brio's own."""
    for module, names in _UNARY.items():
        found = importlib.import_module(module)
        places = [(found, name) for name in names.split() if hasattr(found, name)]
        _register(
            handler,
            places,
            (
                lambda args, kwargs: bool(args) and type(args[0]) is cls,
                lambda f, args, kwargs: handler(f, *args, **kwargs),
            ),
        )


def _with(f, args, kwargs, x):
    return f(x, *args, **kwargs)


def unregister_dispatch_for(dispatch_target):
    """Forgets a handler."""
    if dispatch_target not in _registered:
        raise ValueError(f"[unregister_dispatch_for] {dispatch_target!r} was not registered")
    for handlers, entry in _registered.pop(dispatch_target):
        handlers.remove(entry)
