"""tf.nest: lists, tuples, named tuples and dictionaries of anything, as deep as you like."""

from brio import _missing, _nest
from brio._nest import is_nested

__getattr__ = _missing.attribute_error_of(__name__)


_leaves = ()  # classes that are tuples to Brio, and one value to programs: what tf.experimental.ExtensionType loads


class _Leaf:
    """One value in a structure that is taken apart."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


def _closed(structure):
    """A structure whose leaves that look like tuples do not."""
    if isinstance(structure, _leaves):
        return _Leaf(structure)
    if isinstance(structure, dict):
        return type(structure)((k, _closed(v)) for k, v in structure.items())
    if isinstance(structure, (list, tuple)):
        items = [_closed(v) for v in structure]
        return _nest.named(type(structure), items) if hasattr(structure, "_fields") else type(structure)(items)
    return structure


def flatten(structure, expand_composites=False):
    """All that is no list, tuple or dictionary, in order; dictionaries by sorted keys."""
    if not _leaves or expand_composites:
        return _nest.flatten(structure)
    return [leaf.value if isinstance(leaf, _Leaf) else leaf for leaf in _nest.flatten(_closed(structure))]


def assert_same_structure(nest1, nest2, check_types=True, expand_composites=False):
    """Raises unless both are lists, tuples and dictionaries in the same way."""
    if is_nested(nest1) != is_nested(nest2):
        raise ValueError(f"The two structures don't have the same nested structure: {nest1!r} and {nest2!r}")
    if not is_nested(nest1):
        return
    if check_types and type(nest1) is not type(nest2) and not (isinstance(nest1, dict) and isinstance(nest2, dict)):
        raise TypeError(
            f"The two structures don't have the same sequence type: {type(nest1).__name__} and {type(nest2).__name__}"
        )
    if len(nest1) != len(nest2) or (isinstance(nest1, dict) and set(nest1) != set(nest2)):
        raise ValueError(f"The two structures don't have the same nested structure: {nest1!r} and {nest2!r}")
    pairs = [(nest1[key], nest2[key]) for key in nest1] if isinstance(nest1, dict) else zip(nest1, nest2)
    for a, b in pairs:
        assert_same_structure(a, b, check_types)


def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    """The items of a list in a structure like another."""
    return _nest.pack(_closed(structure) if _leaves and not expand_composites else structure, flat_sequence)


def map_structure(func, *structure, **kwargs):
    """func of the items of one or several structures, in a structure like the first."""
    if not structure:
        raise ValueError("Must provide at least one structure")
    if not callable(func):
        raise TypeError(f"func must be callable, but got {func!r}")
    check_types = kwargs.pop("check_types", True)
    whole = _leaves and not kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            f"Only valid keyword arguments are `check_types` and `expand_composites`, not: `{', '.join(kwargs)}`"
        )
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types)
    if not whole:
        return _nest.map_structure(func, *structure)
    opened = lambda *leaves: func(*(leaf.value if isinstance(leaf, _Leaf) else leaf for leaf in leaves))
    return _nest.map_structure(opened, *map(_closed, structure))
