"""tf.bitwise."""

from brio import _missing
from brio._core._bitwise import *

__getattr__ = _missing.attribute_error_of(__name__)
