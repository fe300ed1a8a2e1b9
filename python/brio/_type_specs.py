"""Descriptions of values that are no tensors: slices, arrays, optionals, iterators, None."""

from brio import _core
from brio._shape import TensorShape
from brio._spec import IndexedSlices, TypeSpec


class IndexedSlicesSpec(TypeSpec):
    """Describes tf.IndexedSlices.

    >>> tf.IndexedSlicesSpec([10, 4]).dtype
    tf.float32
    """

    def __init__(self, shape=None, dtype="float32", indices_dtype="int64", dense_shape_dtype=None, indices_shape=None):
        self._shape, self._dtype, self._indices_dtype = (
            TensorShape(shape),
            _core.as_dtype(dtype),
            _core.as_dtype(indices_dtype),
        )
        self._dense_shape_dtype = None if dense_shape_dtype is None else _core.as_dtype(dense_shape_dtype)
        self._indices_shape = TensorShape([None] if indices_shape is None else indices_shape)

    shape = property(lambda self: self._shape, doc="The shape of the whole tensor.")
    dtype = property(lambda self: self._dtype, doc="The type of elements.")
    value_type = property(lambda self: IndexedSlices, doc="The class of what it describes.")

    def _serialize(self):
        return self._shape, self._dtype, self._indices_dtype, self._dense_shape_dtype, self._indices_shape


class TensorArraySpec(TypeSpec):
    """Describes a tf.TensorArray.

    >>> tf.TensorArraySpec([3]).element_shape
    TensorShape([3])
    """

    def __init__(self, element_shape=None, dtype="float32", dynamic_size=False, infer_shape=True):
        self.element_shape, self.dtype = TensorShape(element_shape), _core.as_dtype(dtype)
        self._dynamic_size, self._infer_shape = bool(dynamic_size), bool(infer_shape)

    @property
    def value_type(self):
        """The class of what it describes."""
        from brio._tensor_array import TensorArray

        return TensorArray

    @staticmethod
    def from_value(value):
        """The description of an array."""
        return TensorArraySpec(value.element_shape, value.dtype, value.dynamic_size, True)

    def _serialize(self):
        return self.element_shape, self.dtype, self._dynamic_size, self._infer_shape


class _OfElements(TypeSpec):
    def __init__(self, element_spec):
        self._element_spec = element_spec

    def _serialize(self):
        return (self._element_spec,)


class OptionalSpec(_OfElements):
    """Describes a tf.experimental.Optional.

    >>> tf.OptionalSpec(tf.TensorSpec([2])).value_type.__name__
    'Optional'
    """

    @property
    def value_type(self):
        """The class of what it describes."""
        from brio.data._kept import Optional

        return Optional

    @staticmethod
    def from_value(value):
        """The description of an optional."""
        return OptionalSpec(value.element_spec)


class IteratorSpec(_OfElements):
    """Describes an iterator over a dataset.

    >>> tf.data.IteratorSpec(tf.TensorSpec([])) == tf.data.IteratorSpec(tf.TensorSpec([]))
    True
    """

    @property
    def value_type(self):
        """The class of what it describes."""
        return _core._DatasetIterator

    @staticmethod
    def from_value(value):
        """The description of an iterator."""
        return IteratorSpec(value.element_spec)


class NoneTensorSpec(TypeSpec):
    """Describes None.

    >>> tf.NoneTensorSpec().is_compatible_with(tf.NoneTensorSpec())
    True
    """

    value_type = property(lambda self: type(None), doc="The class of what it describes.")

    def _serialize(self):
        return ()


def of(value):
    """The description of a value of this package that is no tensor; None where it has none."""
    name = type(value).__name__
    if isinstance(value, IndexedSlices):
        wide = None if value.dense_shape is None else value.dense_shape.dtype
        return IndexedSlicesSpec(value.shape, value.dtype, value.indices.dtype, wide, value.indices.shape)
    if name == "TensorArray":
        return TensorArraySpec.from_value(value)
    if name == "Optional":
        return OptionalSpec.from_value(value)
    if name == "SparseTensor":
        from brio.data._elements import SparseTensorSpec

        return SparseTensorSpec(value.shape, value.dtype)
    if name == "RaggedTensor":
        from brio.data._elements import RaggedTensorSpec

        return RaggedTensorSpec.from_value(value)
    if hasattr(value, "_brio_dataset"):
        from brio.data._elements import DatasetSpec

        return DatasetSpec(value.element_spec)
    return None
