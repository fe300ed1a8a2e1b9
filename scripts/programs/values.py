"""What a program leaves behind, in words that do not depend on random numbers, and where two runs of it differ."""

import types

_PLAIN = (bool, int, float, str, bytes)


def describe(value):
    """ "float32 (3, 4)" of a tensor or array, "int" of a number; None of what is not compared."""
    if isinstance(value, _PLAIN):  # NumPy's texts are texts
        return next(kind.__name__ for kind in _PLAIN if isinstance(value, kind))
    if isinstance(value, (list, tuple)):
        parts = [describe(v) for v in value[:20]]
        return f"{type(value).__name__} of {len(value)}: {parts}" if None not in parts else None
    kind = getattr(value, "dtype", None)
    if kind is not None and hasattr(value, "shape") and not isinstance(value, (type, types.ModuleType)):
        try:
            shape = tuple(value.shape)
        except (TypeError, ValueError):
            shape = "of unknown rank"
        return f"{getattr(kind, 'name', kind)} {shape}"
    return None


def first_difference(brio, tensorflow):
    """What a person should look at first, or None. The arguments are what run_one.py wrote."""
    expected = {(error["line"], error["type"]) for error in tensorflow["errors"]}
    for error in brio["errors"]:
        if (error["line"], error["type"]) not in expected and not _same_failure(error, tensorflow["errors"]):
            return f"line {error['line']}: {error['type']}: {error['message']}"
    for name, described in tensorflow["values"].items():
        found = brio["values"].get(name, described)
        if found != described:
            return f"{name} is {found}, and {described} under TensorFlow"
    return None


def _same_failure(error, others):
    """An error that TensorFlow raises at this line too,
    by another of its names (ValueError and InvalidArgumentError)."""
    alike = {"ValueError", "InvalidArgumentError", "TypeError"}
    return any(o["line"] == error["line"] and o["type"] in alike and error["type"] in alike for o in others)
