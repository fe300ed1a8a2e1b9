"""tf.dtypes."""

from brio._core import (
    DType, as_dtype, bfloat16, bool, cast, complex, complex64, complex128, float16, float32, float64, int8, int16,
    int32, int64, string, uint8, uint16, uint32, uint64,
)  # fmt: skip
from brio import _missing
from brio._more_math import saturate_cast

half, double = float16, float64
__getattr__ = _missing.attribute_error_of(__name__)
