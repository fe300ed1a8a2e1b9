"""Arguments and results of functions in SavedModels: structures of tensors and plain values, as JSON.

A tensor is its number: {"tensor": 0}. Lists, tuples and dictionaries are objects of one key; numbers, text, truth
values and None stand for themselves.
"""

import base64
import collections
import inspect

from brio import _core
from brio._shape import TensorShape
from brio._spec import TensorSpec


def is_tensor(x):
    """Is it a tensor or a variable?"""
    return x is not None and _core.is_tensor(x)


def encode(value, number_of):
    """JSON of a structure. number_of(x) is the number of a tensor, None for what is none. Raises ValueError."""
    number = number_of(value)
    if number is not None:
        return {"tensor": number}
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if hasattr(value, "row_splits_dtype") and hasattr(value, "tensor_specs"):
        value = value.tensor_specs()
        return {"ragged": [encode(v, number_of) for v in value]}
    if hasattr(value, "row_splits"):
        return {"ragged": [encode(v, number_of) for v in (value.flat_values, *value.nested_row_splits)]}
    if (
        isinstance(value, tuple) and hasattr(value, "_make") and hasattr(value, "_uniform")
    ):  # one that a function took apart
        return {"ragged": [encode(v, number_of) for v in value]}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {"named": [type(value).__name__, list(value._fields), [encode(v, number_of) for v in value]]}
    if isinstance(value, (list, tuple)) and not isinstance(value, TensorShape):
        return {"tuple" if isinstance(value, tuple) else "list": [encode(v, number_of) for v in value]}
    if isinstance(value, dict):
        return {"dict": [[encode(k, lambda _: None), encode(v, number_of)] for k, v in value.items()]}
    if isinstance(value, _core.DType):
        return {"dtype": value.name}
    raise ValueError(
        f"a SavedModel holds functions of tensors, numbers and text, but one takes or gives {value!r} of type "
        f"{type(value).__name__}"
    )


def decode(row, tensors):
    """The structure of what encode() gave, with other tensors."""
    if not isinstance(row, dict):
        return row
    ((kind, held),) = row.items()
    if kind == "tensor":
        return tensors[held]
    if kind == "bytes":
        return base64.b64decode(held)
    if kind == "named":
        return collections.namedtuple(held[0], held[1])(*(decode(v, tensors) for v in held[2]))
    if kind == "ragged":
        from brio._ragged_function import rebuilt

        return rebuilt([decode(v, tensors) for v in held])
    if kind in ("list", "tuple"):
        return (list if kind == "list" else tuple)(decode(v, tensors) for v in held)
    if kind == "dict":
        return {decode(k, ()): decode(v, tensors) for k, v in held}
    if kind == "dtype":
        return _core.as_dtype(held)
    raise ValueError(f"'{kind}' is no kind of value")


def numbers_in(row):
    """The numbers of the tensors in what encode() gave."""
    if isinstance(row, list):
        return [n for item in row for n in numbers_in(item)]
    if not isinstance(row, dict):
        return []
    return [row["tensor"]] if "tensor" in row else [n for held in row.values() for n in numbers_in(held)]


def tensor_names(parameters, arguments, given):
    """Names of the tensors by number, as TensorFlow gives them:
    those of TensorSpecs, else of the parameter, and then x_1, x_2."""
    pairs = []
    for name, kind, *_ in parameters:
        row = arguments.get(name)
        if row is not None and kind == inspect.Parameter.VAR_POSITIONAL:
            pairs += [(n, f"{name}_{i}") for i, item in enumerate(row["tuple"]) for n in numbers_in(item)]
        elif row is not None and kind == inspect.Parameter.VAR_KEYWORD:
            pairs += [(n, key) for key, item in row["dict"] for n in numbers_in(item)]
        else:
            pairs += [(n, name) for n in numbers_in(row)]
    names, taken = dict(given), set(given.values())
    for number, name in sorted(pair for pair in pairs if pair[0] not in given):
        free = next(n for n in (name if i == 0 else f"{name}_{i}" for i in range(len(pairs) + 1)) if n not in taken)
        names[number] = free
        taken.add(free)
    return [names.get(i) for i in range(len(names))]


def takes(row, given, specs, convert, tensors):
    """Is this the structure, with tensors that fit? They are put into `tensors`;
    `convert` makes such of other values."""
    if not isinstance(row, dict):
        return type(given) is type(row) and given == row
    ((kind, held),) = row.items()
    if kind == "tensor":
        return _takes_tensor(held, given, specs[held], convert, tensors)
    if kind == "dict":
        same = isinstance(given, dict) and {decode(k, ()) for k, _ in held} == set(given)
        return same and all(takes(v, given[decode(k, ())], specs, convert, tensors) for k, v in held)
    if kind == "ragged":
        if hasattr(given, "tensor_specs"):
            given = tuple(given.tensor_specs())
        if hasattr(given, "row_splits"):
            given = (given.flat_values, *given.nested_row_splits)
        return (
            isinstance(given, tuple)
            and len(given) == len(held)
            and all(takes(v, g, specs, convert, tensors) for v, g in zip(held, given))
        )
    if kind in ("list", "tuple", "named"):
        items = held[2] if kind == "named" else held
        same = isinstance(given, list if kind == "list" else tuple) and len(given) == len(items)
        return same and all(takes(v, g, specs, convert, tensors) for v, g in zip(items, given))
    return given == decode(row, ())


def _takes_tensor(number, given, spec, convert, tensors):
    if isinstance(given, TensorSpec):
        fits = spec.dtype == given.dtype and _covers(spec.shape, given.shape)
        tensors[number] = given
        return fits
    if not is_tensor(given):
        if not convert:
            return False
        try:
            given = _core.convert_to_tensor(given, dtype_hint=spec.dtype)
        except (TypeError, ValueError):
            return False
    value = _core.convert_to_tensor(given)
    if not spec.is_compatible_with(value):
        return False
    tensors[number] = value
    return True


def _covers(known, given):
    """Has each tensor of shape `given` this one too?"""
    if known.rank is None or given.rank is None:
        return known.rank is None
    return known.rank == given.rank and all(k is None or k == g for k, g in zip(known, given))


# ---- parameters of functions


def parameters_of(function):
    """[name, kind, has a default, default] of each parameter. A default that is a tensor is part of traces."""
    rows = []
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # a function that Python cannot look into
        return [
            ["args", int(inspect.Parameter.VAR_POSITIONAL), False, None],
            ["kwargs", int(inspect.Parameter.VAR_KEYWORD), False, None],
        ]
    for p in parameters:
        default = None
        if p.default is not p.empty:
            try:
                default = encode(p.default, lambda x: -1 if is_tensor(x) or hasattr(x, "__array__") else None)
            except ValueError:
                default = {"tensor": -1}
        rows.append([p.name, int(p.kind), p.default is not p.empty, default])
    return rows


def signature_of(rows):
    """What binds arguments to parameters."""
    made = []
    for name, kind, has_default, _ in rows:
        default = None if has_default else inspect.Parameter.empty
        made.append(inspect.Parameter(name, inspect._ParameterKind(kind), default=default))
    return inspect.Signature(made)


def specs_of(rows):
    """TensorSpecs of (shape, dtype) rows."""
    return [TensorSpec(shape, dtype) for shape, dtype in rows]
