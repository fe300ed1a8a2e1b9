"""tf.bitwise."""

from brio._core._bitwise import *
from brio._missing import attribute_error_of

__getattr__ = attribute_error_of(__name__)
