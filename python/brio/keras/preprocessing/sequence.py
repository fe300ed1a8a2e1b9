"""keras.preprocessing.sequence."""

from brio._missing import attribute_error_of
from brio.keras.utils import pad_sequences  # noqa: F401

__getattr__ = attribute_error_of(__name__)
