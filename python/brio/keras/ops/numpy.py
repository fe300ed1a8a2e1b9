"""keras.ops: NumPy's functions."""

from brio.keras.ops import _elementwise, _further, _making, _picking, _products, _reducing, _rest, _shaping
from brio.keras.ops._elementwise import *  # noqa: F403
from brio.keras.ops._further import *  # noqa: F403
from brio.keras.ops._making import *  # noqa: F403
from brio.keras.ops._picking import *  # noqa: F403
from brio.keras.ops._products import *  # noqa: F403
from brio.keras.ops._reducing import *  # noqa: F403
from brio.keras.ops._rest import *  # noqa: F403
from brio.keras.ops._shaping import *  # noqa: F403

__all__ = sorted(
    name
    for part in (_elementwise, _further, _making, _picking, _products, _reducing, _rest, _shaping)
    for name in part.__all__
)
for _name in __all__:
    globals()[_name].__module__ = __name__  # where programs find them
