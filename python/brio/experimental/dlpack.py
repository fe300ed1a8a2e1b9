"""tf.experimental.dlpack: tensors that go to other libraries and come from them."""

from brio import _core
from brio._missing import attribute_error_of

__getattr__ = attribute_error_of(__name__)


def to_dlpack(tf_tensor):
    """A capsule of a tensor's values, which another library takes; they are a copy.

    >>> tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(tf.constant([1, 2]))).numpy().tolist()
    [1, 2]
    """
    tensor = _core.convert_to_tensor(tf_tensor)
    if tensor.dtype in ("string", "bfloat16"):
        raise TypeError(f"[to_dlpack] a tensor of {tensor.dtype.name} cannot go to another library this way; cast it")
    import numpy as np

    return np.array(tensor.numpy()).__dlpack__()


class _OfCapsule:
    """What NumPy asks for: an object that gives the capsule once."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __dlpack__(self, **options):
        return self._capsule

    def __dlpack_device__(self):
        return 1, 0  # the CPU


def from_dlpack(dlcapsule):
    """The tensor of a capsule, or of another library's array in the CPU's memory."""
    import numpy as np

    return _core.convert_to_tensor(
        np.from_dlpack(dlcapsule if hasattr(dlcapsule, "__dlpack__") else _OfCapsule(dlcapsule))
    )
