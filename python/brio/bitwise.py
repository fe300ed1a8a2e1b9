"""tf.bitwise."""

from brio._core._bitwise import *
from brio import _missing

__getattr__ = _missing.attribute_error_of(__name__)
