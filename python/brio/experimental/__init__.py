"""tf.experimental."""

from brio._missing import attribute_error_of
from brio.experimental import numpy  # noqa: F401

__getattr__ = attribute_error_of(__name__)
