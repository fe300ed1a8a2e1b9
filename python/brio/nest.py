"""tf.nest: lists, tuples, named tuples and dictionaries of anything, as deep as you like."""

from brio._missing import attribute_error_of

__getattr__ = attribute_error_of(__name__)


def is_nested(seq):
    """Is this a list, tuple or dictionary?"""
    return isinstance(seq, (list, tuple, dict))


def _items(structure):
    """What a structure holds, dictionaries by sorted keys."""
    if isinstance(structure, dict):
        return [structure[key] for key in _keys(structure)]
    return list(structure)


def _keys(dictionary):
    try:
        return sorted(dictionary)
    except TypeError:
        raise TypeError("nest only supports dicts with sortable keys.") from None


def _like(structure, items):
    if isinstance(structure, dict):
        made = dict(zip(_keys(structure), items))
        ordered = [(key, made[key]) for key in structure]  # the order of the keys stays
        return type(structure)(ordered) if type(structure) is not dict else dict(ordered)
    if hasattr(structure, "_fields"):
        return type(structure)(*items)
    return type(structure)(items)


def flatten(structure, expand_composites=False):
    """All that is no list, tuple or dictionary, in order."""
    if not is_nested(structure):
        return [structure]
    return [leaf for item in _items(structure) for leaf in flatten(item)]


def assert_same_structure(nest1, nest2, check_types=True, expand_composites=False):
    """Raises unless both are lists, tuples and dictionaries in the same way."""
    if is_nested(nest1) != is_nested(nest2):
        raise ValueError(f"The two structures don't have the same nested structure: {nest1!r} and {nest2!r}")
    if not is_nested(nest1):
        return
    if check_types and type(nest1) is not type(nest2) and not (isinstance(nest1, dict) and isinstance(nest2, dict)):
        raise TypeError(f"The two structures don't have the same sequence type: {type(nest1).__name__} and {type(nest2).__name__}")
    if len(nest1) != len(nest2) or (isinstance(nest1, dict) and set(nest1) != set(nest2)):
        raise ValueError(f"The two structures don't have the same nested structure: {nest1!r} and {nest2!r}")
    for a, b in zip(_items(nest1), _items(nest2)):
        assert_same_structure(a, b, check_types)


def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    """The items of a list in a structure like another."""
    if not is_nested(structure):
        if len(flat_sequence) != 1:
            raise ValueError(f"The structure is one item, but there are {len(flat_sequence)} to put into it")
        return flat_sequence[0]
    wanted = len(flatten(structure))
    if wanted != len(flat_sequence):
        raise ValueError(f"The structure has {wanted} items, but there are {len(flat_sequence)} to put into it")
    rest = iter(flat_sequence)

    def pack(part):
        return _like(part, [pack(item) for item in _items(part)]) if is_nested(part) else next(rest)

    return pack(structure)


def map_structure(func, *structure, **kwargs):
    """func of the items of one or several structures, in a structure like the first."""
    if not structure:
        raise ValueError("Must provide at least one structure")
    if not callable(func):
        raise TypeError(f"func must be callable, but got {func!r}")
    check_types = kwargs.pop("check_types", True)
    kwargs.pop("expand_composites", None)
    if kwargs:
        raise ValueError(f"Only valid keyword arguments are `check_types` and `expand_composites`, not: `{', '.join(kwargs)}`")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types)
    return pack_sequence_as(structure[0], [func(*leaves) for leaves in zip(*map(flatten, structure))])
