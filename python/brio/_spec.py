"""Descriptions of tensors: TensorSpec, IndexedSlices, UnconnectedGradients."""

import enum

from brio import _core
from brio._shape import TensorShape


class TensorSpec:
    """The shape and dtype of tensors; a size that is not known is None."""

    __slots__ = ("_shape", "_dtype", "_name")

    def __init__(self, shape, dtype="float32", name=None):
        self._shape, self._dtype, self._name = TensorShape(shape), _core.as_dtype(dtype), name

    shape = property(lambda self: self._shape, doc="The sizes; None where one is not known.")
    dtype = property(lambda self: self._dtype, doc="The type of elements.")
    name = property(lambda self: self._name, doc="A name, or None.")
    value_type = property(lambda self: _core.Tensor, doc="The class of what it describes.")

    @classmethod
    def from_tensor(cls, tensor, name=None):
        """The description of one tensor."""
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec, name=None):
        """The same description under another name."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    def is_compatible_with(self, spec_or_value):
        """Could this describe that?"""
        other = spec_or_value if hasattr(spec_or_value, "shape") else _core.convert_to_tensor(spec_or_value)
        return self._dtype == other.dtype and self._shape.is_compatible_with(other.shape)

    def most_specific_compatible_shape(self, other):
        """A description of both: sizes in which they differ are None."""
        if self._shape.rank != other.shape.rank or self._shape.rank is None:
            return TensorSpec(None, self._dtype, self._name)
        return TensorSpec([a if a == b else None for a, b in zip(self._shape, other.shape)], self._dtype, self._name)

    def __eq__(self, other):
        return isinstance(other, TensorSpec) and (self._shape, self._dtype, self._name) == (other._shape, other._dtype, other._name)

    def __hash__(self):
        return hash((self._shape, self._dtype.name))

    def __repr__(self):
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"

    def __reduce__(self):
        return TensorSpec, (self._shape, self._dtype, self._name)


def type_spec_from_value(value):
    """The description of a tensor, or of an object of a class of one's own."""
    if hasattr(value, "_fields") and hasattr(type(value), "Spec"):
        from brio.experimental._extension_type import _spec_of

        return _spec_of(value)
    if hasattr(value, "row_splits"):
        from brio.data._elements import RaggedTensorSpec

        return RaggedTensorSpec.from_value(value)
    return TensorSpec.from_tensor(_core.convert_to_tensor(value))


class IndexedSlices:
    """Rows of a tensor and where they belong; the others are 0. It becomes that tensor wherever one is asked for."""

    def __init__(self, values, indices, dense_shape=None):
        self.values, self.indices = _core.convert_to_tensor(values), _core.convert_to_tensor(indices)
        self.dense_shape = None if dense_shape is None else _core.convert_to_tensor(dense_shape)

    dtype = property(lambda self: self.values.dtype, doc="The type of elements.")

    @property
    def shape(self):
        """The shape of the whole tensor, or None."""
        return None if self.dense_shape is None else TensorShape(self.dense_shape.numpy().tolist())

    def __tf_tensor__(self, dtype=None, name=None):
        if self.dense_shape is None:
            raise ValueError("[IndexedSlices] without a dense_shape this is no tensor")
        return _core.scatter_nd(_core.expand_dims(self.indices, 1), self.values, self.dense_shape)

    def __repr__(self):
        return f"IndexedSlices(indices={self.indices}, values={self.values}, dense_shape={self.dense_shape})"


class UnconnectedGradients(enum.Enum):
    """What GradientTape.gradient gives where the target does not depend on a source."""

    NONE, ZERO = "none", "zero"
