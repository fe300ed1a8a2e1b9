"""tf.types."""

from brio._missing import attribute_error_of
from brio.types import experimental

__getattr__ = attribute_error_of(__name__)
