"""keras.backend: what programs still use of it."""

from brio import _core
from brio._missing import attribute_error_of
from brio.keras.config import (  # noqa: F401
    backend, epsilon, floatx, image_data_format, set_epsilon, set_floatx, set_image_data_format,
)  # fmt: skip
from brio.keras.utils import clear_session, get_uid  # noqa: F401

__getattr__ = attribute_error_of(__name__)


def get_value(x):
    """The value of a variable, as a NumPy array."""
    return x.numpy() if hasattr(x, "numpy") else x


def set_value(x, value):
    """Sets a variable."""
    x.assign(value)


def result_type(*dtypes):
    """The dtype that values of these dtypes have together."""
    from brio.keras.ops import _convert

    plain = {int: "int", float: "float", None: _convert.tf.keras.config.floatx()}
    return _convert.result_type(*(plain[d] if d is None or d in (int, float) else _core.as_dtype(d).name for d in dtypes))


def is_float_dtype(dtype):
    """Is this a floating-point dtype?"""
    return _core.as_dtype(dtype).is_floating


def is_int_dtype(dtype):
    """Is this an integer dtype?"""
    return _core.as_dtype(dtype).is_integer


def is_keras_tensor(x):
    """Is this a symbol of a functional model?"""
    return isinstance(x, _core.KerasTensor)


def standardize_dtype(dtype):
    """The name of a dtype."""
    return "float32" if dtype is None else _core.as_dtype(dtype).name
