"""Descriptions of tensors: TensorSpec, IndexedSlices, UnconnectedGradients."""

import enum

from brio import _core
from brio._shape import TensorShape


class TypeSpec:
    """What describes a kind of values: TensorSpec and its kin. _serialize() of a class gives what one description says.

    >>> isinstance(tf.TensorSpec([2]), tf.TypeSpec)
    True
    """

    __slots__ = ()

    value_type = property(lambda self: object, doc="The class of what it describes.")

    def is_compatible_with(self, spec_or_value):
        """Could this describe that?"""
        other = spec_or_value if isinstance(spec_or_value, TypeSpec) else type_spec_from_value(spec_or_value)
        return type(self) is type(other) and all(map(_compatible, self._serialize(), other._serialize()))

    def is_subtype_of(self, other):
        """Is all that this describes described by the other too?"""
        return type(self) is type(other) and all(map(_covers, other._serialize(), self._serialize()))

    def most_specific_common_supertype(self, others):
        """A description of all that this and others describe; None where there is none."""
        kinds = [self, *others]
        if any(type(kind) is not type(self) for kind in kinds):
            return None
        parts = [_joined(part) for part in zip(*(kind._serialize() for kind in kinds))]
        return None if any(part is NotImplemented for part in parts) else type(self)(*parts)

    def most_specific_compatible_type(self, other):
        """A description of all that this and another describe."""
        made = self.most_specific_common_supertype([other])
        if made is None:
            raise ValueError(f"no TypeSpec is compatible with both {self} and {other}")
        return made

    def __eq__(self, other):
        return type(self) is type(other) and self._serialize() == other._serialize()

    def __hash__(self):
        return hash(repr(self))

    def __repr__(self):
        return f"{type(self).__name__}{self._serialize()!r}"


def _compatible(a, b):
    if isinstance(a, (TensorShape, TypeSpec)) and type(a) is type(b):
        return a.is_compatible_with(b)
    return a == b


def _covers(a, b):
    """Does a say less than b, or the same?"""
    if isinstance(a, TensorShape) and isinstance(b, TensorShape):
        return a.rank is None or (a.rank == b.rank and all(m is None or m == n for m, n in zip(a, b)))
    return b.is_subtype_of(a) if isinstance(a, TypeSpec) and isinstance(b, TypeSpec) else a == b


def _joined(parts):
    """What all parts have in common; NotImplemented where they have nothing."""
    first = parts[0]
    if isinstance(first, TensorShape):
        if any(p.rank != first.rank or p.rank is None for p in parts):
            return TensorShape(None)
        return TensorShape([sizes[0] if all(n == sizes[0] for n in sizes) else None for sizes in zip(*parts)])
    if isinstance(first, TypeSpec):
        made = first.most_specific_common_supertype(parts[1:])
        return NotImplemented if made is None else made
    return first if all(p == first for p in parts) else NotImplemented


class TensorSpec(TypeSpec):
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

    def _serialize(self):
        return self._shape, self._dtype, self._name

    def is_subtype_of(self, other):
        """Is all that this describes described by the other too? Names do not count."""
        return isinstance(other, TensorSpec) and self._dtype == other._dtype and _covers(other._shape, self._shape)

    def most_specific_compatible_shape(self, other):
        """A description of both: sizes in which they differ are None."""
        if self._shape.rank != other.shape.rank or self._shape.rank is None:
            return TensorSpec(None, self._dtype, self._name)
        return TensorSpec([a if a == b else None for a, b in zip(self._shape, other.shape)], self._dtype, self._name)

    def __eq__(self, other):
        return isinstance(other, TensorSpec) and (self._shape, self._dtype, self._name) == (
            other._shape,
            other._dtype,
            other._name,
        )

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
    if not isinstance(value, (_core.Tensor, _core.Variable)) and type(value).__module__.split(".")[0] == "brio":
        from brio import _type_specs

        if (spec := _type_specs.of(value)) is not None:
            return spec
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
