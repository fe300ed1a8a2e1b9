"""keras.ops: NumPy's names over Brio's functions, with Keras 3's meaning."""

from brio._missing import attribute_error_of
from brio.keras.ops import _operations, core, image, linalg, math, nn, numpy
from brio.keras.ops.core import *
from brio.keras.ops.linalg import *
from brio.keras.ops.math import *
from brio.keras.ops.nn import *
from brio.keras.ops.numpy import *

_operations.install(globals(), {"core": core, "image": image, "linalg": linalg, "math": math, "nn": nn, "numpy": numpy})
__getattr__ = attribute_error_of(__name__)
