"""TensorShape: a tuple of sizes that knows TensorFlow's methods. A size that is not known is None."""

from brio._core import _Size


class TensorShape(tuple):
    """The sizes of a tensor's axes: a tuple in which a size that is not known is None.

    >>> tf.TensorShape([2, None]).is_compatible_with([2, 5])
    True
    """

    __slots__ = ()

    def __new__(cls, dims=()):
        if dims is None or isinstance(dims, UnknownShape):
            return tuple.__new__(UnknownShape)
        if isinstance(dims, int):
            dims = (dims,)
        # An expression stays one: functions of the package compute with it (brio/python/sizes.cpp).
        return tuple.__new__(cls, (d if d is None or type(d) is _Size else int(d) for d in dims))

    @property
    def rank(self):
        """How many axes there are; None where that is not known."""
        return len(self)

    ndims = rank

    @property
    def dims(self):
        """The sizes as a list."""
        return list(self)

    def as_list(self):
        """The sizes as a list."""
        return list(self)

    def num_elements(self):
        """The product of all sizes; None where one is not known."""
        n = 1
        for d in self:
            if d is None:
                return None
            n *= d
        return n

    def is_fully_defined(self):
        """Are all sizes known?"""
        return None not in self

    def with_rank(self, rank):
        """The same shape, which must have so many axes."""
        if rank != len(self):
            raise ValueError(f"shape {self} has rank {len(self)}, not {rank}")
        return self

    def concatenate(self, other):
        """This shape with another's sizes behind it."""
        return TensorShape(tuple(self) + tuple(other))

    def is_compatible_with(self, other):
        """Could both describe one tensor?"""
        other = TensorShape(other)
        if other.rank is None:
            return True
        return len(self) == len(other) and all(a is None or b is None or a == b for a, b in zip(self, other))

    def assert_is_compatible_with(self, other):
        """An error where both could not describe one tensor."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def merge_with(self, other):
        """What is known from this shape or the other."""
        self.assert_is_compatible_with(other)
        if TensorShape(other).rank is None:
            return self
        return TensorShape(b if a is None else a for a, b in zip(self, TensorShape(other)))

    def __getitem__(self, key):
        item = tuple.__getitem__(self, key)
        return TensorShape(item) if isinstance(key, slice) else item

    def __add__(self, other):
        return self.concatenate(other)

    def __radd__(self, other):
        return TensorShape(tuple(other) + tuple(self))

    def __eq__(self, other):
        if isinstance(other, list):
            other = tuple(other)
        return tuple.__eq__(self, other)

    def __ne__(self, other):
        return not self == other

    __hash__ = tuple.__hash__

    def __repr__(self):
        return f"TensorShape({list(self)})"

    def __str__(self):
        return tuple.__repr__(tuple(self))

    def __reduce__(self):
        return TensorShape, (tuple(self),)


class UnknownShape(TensorShape):
    """TensorShape(None): not even the number of axes is known."""

    __slots__ = ()
    rank = ndims = dims = property(lambda self: None)

    def _refuse(self, *args):
        raise ValueError(
            "the rank of this shape is not known, so that it has no sizes; give them, None for those that are not known"
        )

    as_list = with_rank = __len__ = __iter__ = _refuse

    def num_elements(self):
        return None

    def is_fully_defined(self):
        return False

    def concatenate(self, other):
        return self

    def is_compatible_with(self, other):
        return True

    def merge_with(self, other):
        return TensorShape(other)

    def __getitem__(self, key):
        return self if isinstance(key, slice) else None

    def __radd__(self, other):
        return self

    def __eq__(self, other):
        return isinstance(other, UnknownShape)

    def __hash__(self):
        return 0

    def __bool__(self):
        return False

    def __repr__(self):
        return "TensorShape(None)"

    def __str__(self):
        return "<unknown>"

    def __reduce__(self):
        return TensorShape, (None,)
