"""Structures of tensors in Python: lists, tuples, named tuples and dictionaries."""


def is_nested(x):
    """Is this a list, a tuple or a dict?"""
    return isinstance(x, (list, tuple, dict))


def flatten(structure):
    """The leaves in order; dictionaries by sorted keys, as tf.nest."""
    if isinstance(structure, dict):
        return [leaf for key in _sorted(structure) for leaf in flatten(structure[key])]
    if isinstance(structure, (list, tuple)):
        return [leaf for item in structure for leaf in flatten(item)]
    return [structure]


def pack(structure, leaves):
    """`leaves` in the form of `structure`."""
    leaves = iter(leaves)
    packed = _pack(structure, leaves)
    if next(leaves, leaves) is not leaves:
        raise ValueError("there are more leaves than the structure has places")
    return packed


def map_structure(f, *structures):
    flat = [flatten(s) for s in structures]
    if len({len(f) for f in flat}) > 1:
        raise ValueError("the structures differ")
    return pack(structures[0], [f(*leaves) for leaves in zip(*flat)])


def named(cls, items):
    """A named tuple of items, or what else has fields."""
    return cls._make(items) if hasattr(cls, "_make") else cls(*items)


def _sorted(d):
    try:
        return sorted(d)
    except TypeError:
        return list(d)


def _pack(structure, leaves):
    if isinstance(structure, dict):
        packed = {key: _pack(structure[key], leaves) for key in _sorted(structure)}
        return type(structure)((key, packed[key]) for key in structure)
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return named(type(structure), [_pack(item, leaves) for item in structure])
    if isinstance(structure, (list, tuple)):
        return type(structure)([_pack(item, leaves) for item in structure])
    try:
        return next(leaves)
    except StopIteration:
        raise ValueError("there are fewer leaves than the structure has places") from None
