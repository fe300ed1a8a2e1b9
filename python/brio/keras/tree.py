"""keras.tree: lists, tuples and dictionaries of anything, as deep as you like."""

from brio import _missing
from brio.nest import assert_same_structure, flatten, is_nested, map_structure, pack_sequence_as

__getattr__ = _missing.attribute_error_of(__name__)

__all__ = [
    "MAP_TO_NONE", "assert_same_paths", "assert_same_structure", "flatten", "flatten_with_path", "is_nested",
    "lists_to_tuples", "map_shape_structure", "map_structure", "map_structure_up_to", "pack_sequence_as", "traverse",
]  # fmt: skip


class MAP_TO_NONE:
    """What a function of traverse() returns to put None there."""


def flatten_with_path(structure):
    """(path, leaf) of all that is no list, tuple or dictionary; a path has the keys and numbers that lead there."""
    return list(_with_path(structure, ()))


def _with_path(structure, path):
    if isinstance(structure, dict):
        for key in sorted(structure):
            yield from _with_path(structure[key], (*path, key))
    elif isinstance(structure, (list, tuple)):
        for i, item in enumerate(structure):
            yield from _with_path(item, (*path, i))
    else:
        yield path, structure


def assert_same_paths(a, b):
    """Raises unless the same keys and numbers lead to the leaves of both."""
    paths = [{path for path, _ in flatten_with_path(s)} for s in (a, b)]
    if paths[0] != paths[1]:
        raise ValueError(
            f"`a` and `b` don't have the same paths: {sorted(paths[0], key=str)} and {sorted(paths[1], key=str)}"
        )


def lists_to_tuples(structure):
    """The same with tuples for lists."""
    return traverse(lambda x: tuple(lists_to_tuples(v) for v in x) if type(x) is list else None, structure)


def map_structure_up_to(shallow_structure, func, *structures):
    """func of what the structures have where `shallow_structure` has a leaf."""
    if isinstance(shallow_structure, dict):
        return type(shallow_structure)(
            (k, map_structure_up_to(v, func, *(s[k] for s in structures))) for k, v in shallow_structure.items()
        )
    if isinstance(shallow_structure, (list, tuple)):
        values = [map_structure_up_to(v, func, *(s[i] for s in structures)) for i, v in enumerate(shallow_structure)]
        return (
            type(shallow_structure)(*values)
            if hasattr(shallow_structure, "_fields")
            else type(shallow_structure)(values)
        )
    return func(*structures)


def map_shape_structure(func, structure):
    """func of each shape: a tuple of numbers and None is one."""
    is_shape = lambda x: isinstance(x, (list, tuple)) and all(n is None or isinstance(n, int) for n in x)
    made = lambda x: _Made(func(tuple(x))) if is_shape(x) else None
    return map_structure(lambda leaf: leaf.value if isinstance(leaf, _Made) else leaf, traverse(made, structure))


class _Made:
    """A result, which may look like a structure."""

    def __init__(self, value):
        self.value = value


def traverse(func, structure, top_down=True):
    """The structure with each part replaced by what func gives for it; None leaves a part as it is, to be gone into."""
    if top_down:
        made = func(structure)
        if made is not None:
            return None if made is MAP_TO_NONE else made
    if is_nested(structure):
        items = structure.items() if isinstance(structure, dict) else enumerate(structure)
        parts = [(key, traverse(func, value, top_down)) for key, value in items]
        if isinstance(structure, dict):
            structure = type(structure)(parts)
        else:
            values = [value for _, value in parts]
            structure = type(structure)(*values) if hasattr(structure, "_fields") else type(structure)(values)
    if top_down:
        return structure
    made = func(structure)
    return structure if made is None else None if made is MAP_TO_NONE else made
