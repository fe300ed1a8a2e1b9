"""keras.config."""

from brio import _core
from brio._missing import attribute_error_of
from brio.keras._serialization import enable_unsafe_deserialization  # noqa: F401
from brio.keras.mixed_precision import dtype_policy, set_dtype_policy  # noqa: F401

__getattr__ = attribute_error_of(__name__)
_epsilon = 1e-7
_floatx = "float32"


def backend():
    """Keras' name of what computes: programs ask for it to choose TensorFlow's names, which are Brio's too."""
    return "tensorflow"


def epsilon():
    """1e-7, the small number of Keras' layers and losses."""
    return _epsilon


def set_epsilon(value):
    """Takes 1e-7, which it is; any other number is an error."""
    if value != _epsilon:
        raise ValueError("brio's layers and losses have 1e-7 as their epsilon; give a layer its own")


def floatx():
    """The dtype of layers, inputs and data that say none: 'float32' unless set_floatx() says otherwise."""
    return _floatx


def set_floatx(value):
    """Sets the dtype of what says none: 'float16', 'bfloat16', 'float32' or 'float64'. A dtype policy that was set stays."""
    global _floatx
    if value not in ("bfloat16", "float16", "float32", "float64"):
        raise ValueError(f"Unknown `floatx` value: {value}. Expected one of 'bfloat16', 'float16', 'float32', 'float64'")
    if _core._global_policy() == _floatx:
        _core._set_global_policy(value)
    _floatx = value


def image_data_format():
    """'channels_last': where pictures have their channels unless a layer says otherwise."""
    return "channels_last"


def set_image_data_format(data_format):
    """Takes 'channels_last', which it is; a layer takes data_format."""
    if data_format != "channels_last":
        raise ValueError("pictures are channels_last unless a layer says otherwise: pass data_format='channels_first' to it")


def enable_traceback_filtering():
    """Taken: there is nothing to filter."""


def disable_traceback_filtering():
    """Taken: there is nothing to filter."""


def is_traceback_filtering_enabled():
    """False: there is nothing to filter."""
    return False


def enable_interactive_logging():
    """Taken: fit(verbose=...) says what is written."""


def disable_interactive_logging():
    """Taken: fit(verbose=...) says what is written."""


def is_interactive_logging_enabled():
    """True."""
    return True


def enable_flash_attention():
    """Taken: the result is the same."""


def disable_flash_attention():
    """Taken: the result is the same."""
