"""SparseTensor: the elements that are not 0, and where they are. What is computed of them is computed densely."""

from brio import _core
from brio._shape import TensorShape


class SparseTensor:
    """values[i] lies at indices[i]; everything else is 0.

    >>> tf.sparse.to_dense(tf.SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 2])).numpy().tolist()
    [[0, 5], [6, 0]]
    """

    def __init__(self, indices, values, dense_shape):
        _let_functions_take_it()
        self.indices = _core.cast(_core.convert_to_tensor(indices, dtype_hint="int64"), "int64")
        self.values = _core.convert_to_tensor(values)
        self.dense_shape = _core.cast(_core.convert_to_tensor(dense_shape, dtype_hint="int64"), "int64")
        if self.indices.shape.rank != 2 or self.indices.shape[0] != self.values.shape[0]:
            raise ValueError(
                f"[SparseTensor] indices of shape {self.indices.shape} do not name places of {self.values.shape[0]} "
                "values"
            )
        if self.indices.shape[1] != self.dense_shape.shape[0]:
            raise ValueError(
                f"[SparseTensor] indices have {self.indices.shape[1]} columns, but the shape has "
                f"{self.dense_shape.shape[0]} axes"
            )

    dtype = property(lambda self: self.values.dtype, doc="The type of elements.")
    shape = property(
        lambda self: TensorShape(_core._sizes_from(self.dense_shape)), doc="The shape of the whole tensor."
    )

    def get_shape(self):
        """The shape of the whole tensor."""
        return self.shape

    def with_values(self, new_values):
        """Other values at the same places."""
        return SparseTensor(self.indices, new_values, self.dense_shape)

    @classmethod
    def from_value(cls, value):
        """A sparse tensor of what has indices, values and dense_shape."""
        return cls(value.indices, value.values, value.dense_shape)

    def __mul__(self, other):
        at = _core.gather_nd(
            _core.broadcast_to(_core.convert_to_tensor(other, dtype_hint=self.dtype), self.shape), self.indices
        )
        return self.with_values(self.values * at)

    def __truediv__(self, other):
        at = _core.gather_nd(
            _core.broadcast_to(_core.convert_to_tensor(other, dtype_hint=self.dtype), self.shape), self.indices
        )
        return self.with_values(self.values / at)

    def __repr__(self):
        return f"SparseTensor(indices={self.indices}, values={self.values}, dense_shape={self.dense_shape})"


_taken = []


def _let_functions_take_it():
    """From the first sparse tensor on, functions of each element (tf.cast, tf.abs) take one:
    they give one of the same places."""
    if not _taken:
        _taken.append(True)
        from brio.experimental import _dispatch

        _dispatch.for_class(SparseTensor, lambda f, x, *args, **kwargs: x.with_values(f(x.values, *args, **kwargs)))
