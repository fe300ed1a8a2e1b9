"""Initializers that TensorFlow itself has, where they differ from Keras'."""

from brio import _core
from brio.keras.initializers import Initializer


class constant_initializer(Initializer):
    """Numbers that are brought into the shape that is asked for.

    >>> tf.constant_initializer([1.0, 2.0, 3.0, 4.0])([2, 2]).numpy().tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """

    def __init__(self, value=0, support_partition=False):
        if not (isinstance(value, (bool, int, float, list, tuple)) or hasattr(value, "shape")):
            raise TypeError(
                f"Invalid type for initial value: {type(value).__name__}. Expected Python scalar, list or tuple of "
                "values, or numpy.ndarray."
            )
        self.value, self.support_partition = value, support_partition

    def __call__(self, shape, dtype=None, **kwargs):
        return _core.constant(self.value, None if dtype is None else _core.as_dtype(dtype), list(shape))

    def get_config(self):
        """What it was made with."""
        return {"value": self.value}
