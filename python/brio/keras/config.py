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
    return _epsilon


def set_epsilon(value):
    if value != _epsilon:
        raise ValueError("brio's layers and losses have 1e-7 as their epsilon; give a layer its own")


def floatx():
    return "float32"


def set_floatx(value):
    if value != "float32":
        raise ValueError(f"floatx is float32 here; for layers of {value} there is keras.config.set_dtype_policy('{value}')")


def image_data_format():
    return "channels_last"


def set_image_data_format(data_format):
    if data_format != "channels_last":
        raise ValueError("pictures are channels_last unless a layer says otherwise: pass data_format='channels_first' to it")


def enable_traceback_filtering():
    pass


def disable_traceback_filtering():
    pass


def is_traceback_filtering_enabled():
    return False


def enable_interactive_logging():
    pass


def disable_interactive_logging():
    pass


def is_interactive_logging_enabled():
    return True


def enable_flash_attention():
    pass


def disable_flash_attention():
    pass
