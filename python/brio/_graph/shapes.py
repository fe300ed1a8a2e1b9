"""Shapes of graph tensors, some of whose sizes may not be known."""

from brio._shape import TensorShape

old_dimensions = False  # disable_v2_behavior(): shape[i] has .value


def _arithmetic(cls):
    """Sums, products and quotients of dimensions are dimensions; of one that is not known they are not known."""

    def operation(name):
        def compute(self, other):
            if other is not None and not isinstance(other, (int, UnknownDimension)):
                return NotImplemented  # floats, tensors and lists know what to do with an integer
            if self.value is None or getattr(other, "value", other) is None:
                return UnknownDimension()
            return Dimension(getattr(int, name)(self, other))

        return compute

    for name in ("add", "sub", "mul", "floordiv", "mod"):
        setattr(cls, f"__{name}__", operation(f"__{name}__"))
        setattr(cls, f"__r{name}__", operation(f"__r{name}__"))
    return cls


@_arithmetic
class Dimension(int):
    """A size that is known, with TensorFlow 1's `.value`."""

    value = property(int, doc="The size.")

    def __repr__(self):
        return f"Dimension({int(self)})"

    def __str__(self):
        return str(int(self))


@_arithmetic
class UnknownDimension:
    """A size that is not known: its value is None."""

    value = None

    def __eq__(self, other):
        return None

    __ne__ = __eq__
    __hash__ = object.__hash__

    def __int__(self):
        raise TypeError("__int__ returned non-int (type NoneType)")

    __index__ = __int__

    def __str__(self):
        return "?"

    def __repr__(self):
        return "Dimension(None)"


def dimension_value(dimension):
    """A size as a number or None, whatever stands for it.

    >>> tf.compat.dimension_value(tf.ones([2, 3]).shape[1])
    3
    """
    return getattr(dimension, "value", dimension)


def dimension_at_index(shape, index):
    """The size at a place of a shape, as TensorFlow 1's Dimension.

    >>> tf.compat.dimension_at_index(tf.ones([2, 3]).shape, 1).value
    3
    """
    size = None if shape.rank is None else shape[index]
    return UnknownDimension() if size is None else Dimension(size)


class Shape(TensorShape):
    """The sizes of a graph tensor's axes."""

    __slots__ = ()

    def __getitem__(self, key):
        found = tuple.__getitem__(self, key)
        if isinstance(key, slice):
            return Shape(found)
        if old_dimensions:
            return UnknownDimension() if found is None else Dimension(found)
        return found

    def __iter__(self):
        if not old_dimensions:
            return tuple.__iter__(self)
        return iter([self[i] for i in range(len(self))])

    def as_list(self):
        """The sizes as a list."""
        return list(tuple.__iter__(self))

    def plain(self):
        """The same without TensorFlow 1's dimensions."""
        return TensorShape(tuple.__iter__(self))

    def num_elements(self):
        """The product of all sizes; None where one is not known."""
        return self.plain().num_elements()

    def is_compatible_with(self, other):
        """Could both describe one tensor?"""
        return isinstance(other, UnknownShape) or self.plain().is_compatible_with(plain(other))

    def merge_with(self, other):
        """What is known from this shape or the other."""
        return (
            Shape(self.as_list()) if isinstance(other, UnknownShape) else Shape(self.plain().merge_with(plain(other)))
        )

    def concatenate(self, other):
        """This shape with another's sizes behind it."""
        return Shape(self.as_list() + list(plain(other)))

    def __repr__(self):
        return f"TensorShape({self.as_list()})"

    def __str__(self):
        return str(self.plain()).replace("None", "?") if old_dimensions else str(self.plain())

    def __reduce__(self):
        return TensorShape, (tuple(self.as_list()),)

    @property
    def dims(self):
        """The sizes as a list."""
        return [self[i] for i in range(len(self))] if old_dimensions else self.as_list()


def plain(dims):
    """Sizes as a list of ints and None, whatever they were; None for an unknown rank."""
    if dims is None or isinstance(dims, UnknownShape):
        return None
    if isinstance(dims, int):
        return [int(dims)]
    return [
        None if getattr(d, "value", d) is None or d == -1 else int(d)
        for d in (dims.as_list() if hasattr(dims, "as_list") else dims)
    ]


class UnknownShape(TensorShape):
    """A shape of unknown rank."""

    __slots__ = ()

    def __new__(cls):
        return tuple.__new__(cls, ())

    rank = ndims = dims = property(lambda self: None, doc="Not known.")

    def as_list(self):
        """There is none."""
        raise ValueError("as_list() is not defined on an unknown TensorShape.")

    def is_fully_defined(self):
        """False."""
        return False

    def is_compatible_with(self, other):
        """True: it may be any shape."""
        return True

    def num_elements(self):
        """Not known."""

    def merge_with(self, other):
        """The other shape."""
        return other

    def __len__(self):
        raise ValueError("Cannot take the length of shape with unknown rank.")

    def __getitem__(self, key):
        return None if not isinstance(key, slice) else self

    def __iter__(self):
        raise ValueError("Cannot iterate over a shape with unknown rank.")

    def __bool__(self):
        return False

    def __repr__(self):
        return "TensorShape(None)"

    def __str__(self):
        return "<unknown>"


Shape.__name__ = UnknownShape.__name__ = "TensorShape"  # as users see them
