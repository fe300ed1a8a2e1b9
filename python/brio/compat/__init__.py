"""tf.compat: what programs of several versions of Python and TensorFlow ask for."""

import contextlib as _contextlib
import datetime as _datetime
import numbers as _numbers

from brio._graph.shapes import dimension_at_index, dimension_value
from brio._missing import explain as _explain
from brio.compat import v1

_horizon = _datetime.date(2026, 1, 16)  # of the release whose names these are
bytes_or_text_types = (bytes, str)


def __getattr__(name):
    if name == "v2":
        import brio

        return brio
    if name in ("integral_types", "real_types", "complex_types"):
        import numpy as np

        return {
            "integral_types": (_numbers.Integral, np.integer),
            "real_types": (_numbers.Real, np.integer, np.floating),
            "complex_types": (_numbers.Complex, np.number),
        }[name]
    raise AttributeError(name if name.startswith("__") else _explain(__name__, name))


def __dir__():
    return sorted({*globals(), "v2", "integral_types", "real_types", "complex_types"})


def as_bytes(text, encoding="utf-8"):
    """Text as bytes."""
    return text if isinstance(text, bytes) else text.encode(encoding)


def as_text(text, encoding="utf-8"):
    """Bytes as text."""
    return text.decode(encoding) if isinstance(text, bytes) else text


as_str = as_text


def as_str_any(value, encoding="utf-8"):
    """Bytes as text, and the text of anything else.

    >>> tf.compat.as_str_any(b"a"), tf.compat.as_str_any(3)
    ('a', '3')
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path):
    """A path object as text; what is none stays.

    >>> import pathlib
    >>> tf.compat.path_to_str(pathlib.PurePosixPath("a") / "b")
    'a/b'
    """
    return as_str_any(path.__fspath__()) if hasattr(path, "__fspath__") else path


def forward_compatible(year, month, day):
    """May a program use what came into TensorFlow on that day?

    >>> tf.compat.forward_compatible(2019, 1, 1)
    True
    """
    return _horizon > _datetime.date(year, month, day)


@_contextlib.contextmanager
def forward_compatibility_horizon(year, month, day):
    """A scope in which that day is the one until which forward_compatible() says yes."""
    global _horizon
    before, _horizon = _horizon, max(_horizon, _datetime.date(year, month, day))  # a day that is past changes nothing
    try:
        yield
    finally:
        _horizon = before
