"""tf.profiler."""

from brio._missing import attribute_error_of
from brio.profiler import experimental

__getattr__ = attribute_error_of(__name__)
