"""keras.ops: NumPy's names over Brio's functions, with Keras 3's meaning."""

from brio._missing import attribute_error_of
from brio.keras.ops import _operations, core, image, linalg, math, nn, numpy  # noqa: F401
from brio.keras.ops.core import *  # noqa: F403
from brio.keras.ops.linalg import *  # noqa: F403
from brio.keras.ops.math import *  # noqa: F403
from brio.keras.ops.nn import *  # noqa: F403
from brio.keras.ops.numpy import *  # noqa: F403

_operations.install(globals(), {"core": core, "image": image, "linalg": linalg, "math": math, "nn": nn, "numpy": numpy})
__getattr__ = attribute_error_of(__name__)
