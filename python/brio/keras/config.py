"""keras.config."""

import os

from brio import _core
from brio._missing import attribute_error_of
from brio.keras._serialization import enable_unsafe_deserialization  # noqa: F401
from brio.keras.mixed_precision import dtype_policy, set_dtype_policy  # noqa: F401

__getattr__ = attribute_error_of(__name__)
_epsilon = 1e-7
_floatx = "float32"
_max_epochs, _max_steps = (
    int(os.environ[name]) if name in os.environ else None for name in ("KERAS_MAX_EPOCHS", "KERAS_MAX_STEPS_PER_EPOCH")
)
_flash_attention = None


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
    """Sets the dtype of what says none: 'float16', 'bfloat16', 'float32' or 'float64'.
    A dtype policy that was set stays."""
    global _floatx
    if value not in ("bfloat16", "float16", "float32", "float64"):
        raise ValueError(
            f"Unknown `floatx` value: {value}. Expected one of 'bfloat16', 'float16', 'float32', 'float64'"
        )
    if _core._global_policy() == _floatx:
        _core._set_global_policy(value)
    _floatx = value


def image_data_format():
    """'channels_last': where pictures have their channels unless a layer says otherwise."""
    return "channels_last"


def set_image_data_format(data_format):
    """Takes 'channels_last', which it is; a layer takes data_format."""
    if data_format != "channels_last":
        raise ValueError(
            "pictures are channels_last unless a layer says otherwise: pass data_format='channels_first' to it"
        )


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
    global _flash_attention
    _flash_attention = None


def disable_flash_attention():
    """Taken: the result is the same."""
    global _flash_attention
    _flash_attention = False


def is_flash_attention_enabled():
    """False after disable_flash_attention(), else None: nobody said."""
    return _flash_attention


def is_nnx_enabled():
    """False: that is of another backend."""
    return False


def set_backend(backend):
    """Takes 'tensorflow', whose names and numbers these are; another one is an error."""
    if backend != "tensorflow":
        raise ValueError(f"[set_backend] backend is {backend!r}; Brio computes itself, as 'tensorflow' does")


def max_epochs():
    """The most epochs that a fit() does, or None; KERAS_MAX_EPOCHS in the environment sets it, too.

    >>> keras.config.max_epochs() is None
    True
    """
    return _max_epochs


def set_max_epochs(max_epochs):
    """Sets the most epochs that a fit() does: to try a script out."""
    global _max_epochs
    _max_epochs = max_epochs


def max_steps_per_epoch():
    """The most batches of an epoch, a test or a prediction, or None;
    KERAS_MAX_STEPS_PER_EPOCH in the environment sets it, too.

    >>> keras.config.max_steps_per_epoch() is None
    True
    """
    return _max_steps


def set_max_steps_per_epoch(max_steps_per_epoch):
    """Sets the most batches of an epoch, a test or a prediction: to try a script out."""
    global _max_steps
    _max_steps = max_steps_per_epoch


def _at_most_epochs(epochs):
    if _max_epochs and _max_epochs < epochs:
        import warnings

        warnings.warn(f"Limiting epochs to {_max_epochs}", stacklevel=4)
        return _max_epochs
    return epochs


def _at_most_steps(steps, known=None):
    """Steps, or the most that there may be, where the data have more: `known` is how many they have."""
    if _max_steps and _max_steps < (steps or known or _max_steps + 1):
        import warnings

        warnings.warn(f"Limiting steps_per_epoch to {_max_steps}", stacklevel=4)
        return _max_steps
    return steps
