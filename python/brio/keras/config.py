"""keras.config."""

from brio._missing import attribute_error_of
from brio.keras._serialization import enable_unsafe_deserialization  # noqa: F401
from brio.keras.mixed_precision import dtype_policy, set_dtype_policy  # noqa: F401

__getattr__ = attribute_error_of(__name__)
_epsilon = 1e-7


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
    """'float32', the dtype of layers that say none."""
    return "float32"


def set_floatx(value):
    """Takes 'float32', which it is; set_dtype_policy() sets the dtype of layers."""
    if value != "float32":
        raise ValueError(f"floatx is float32 here; for layers of {value} there is keras.config.set_dtype_policy('{value}')")


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
