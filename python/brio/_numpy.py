"""What needs NumPy: it is imported when it is first used, not with the package."""


def bfloat16():
    """NumPy's type for bfloat16: that of ml_dtypes where it is installed, else float32."""
    try:
        import ml_dtypes

        return ml_dtypes.bfloat16
    except ImportError:
        import numpy as np

        return np.float32


def from_bfloat16_bits(bits):
    try:
        import ml_dtypes

        return bits.view(ml_dtypes.bfloat16)
    except ImportError:
        import numpy as np

        return np.asarray(bits.astype(np.uint32) << 16).view(np.float32)  # of one number << makes no array


def limit(numpy_type, which):
    import numpy as np

    kind = np.dtype(numpy_type).kind
    if kind == "b":
        return which == "max"
    info = np.iinfo(numpy_type) if kind in "iu" else np.finfo(numpy_type)
    return getattr(info, which)


def of_bytes(flat, shape):
    import numpy as np

    array = np.empty(len(flat), dtype=object)
    array[:] = flat
    return array.reshape(shape)


def text_of(array):
    """As TensorFlow shows values inside a repr: scalars without the array around them."""
    if getattr(array, "ndim", None) == 0:
        return str(array[()])
    return repr(array)


_ENUMS = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7, "complex64": 8, "int64": 9,
    "bool": 10, "bfloat16": 14, "uint16": 17, "complex128": 18, "float16": 19, "uint32": 22, "uint64": 23,
}  # fmt: skip


def enum_of(name):
    return _ENUMS[name]


class Reference:
    """What stands for a tensor or variable as the key of a dictionary: x.ref()."""

    __slots__ = ("_of",)

    def __init__(self, of):
        self._of = of

    def deref(self):
        return self._of

    def _key(self):
        return self._of._key() if hasattr(self._of, "_key") else id(self._of)

    def __eq__(self, other):
        return isinstance(other, Reference) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())


# What pickle calls: it finds functions by their names, which C++'s do not have.


def restored(dtype, shape, values):
    from brio import _core

    return _core._restored(dtype, shape, values)


def dtype(name):
    from brio import _core

    return _core.as_dtype(name)


def make_variable(value, trainable, name):
    from brio._core import Variable

    return Variable(value, trainable=trainable, name=name)
