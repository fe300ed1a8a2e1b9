"""What arguments of keras.ops become: tensors, and operands of one dtype."""

import functools

import brio as tf
from brio import _core


def tensor(x, dtype=None):
    return x if isinstance(x, _core.KerasTensor) and dtype is None else tf.convert_to_tensor(x, dtype)


def name_of(x):
    """The name of a tensor's dtype."""
    return x.dtype if isinstance(x.dtype, str) else x.dtype.name


def as_dtype(x, name):
    """x in this dtype."""
    return x if name_of(x) == name else tf.cast(x, name)


def is_whole(name):
    """Is this the name of an integer or bool dtype?"""
    return "int" in name or name == "bool"


def floating(x):
    """Whole numbers as float32."""
    x = tensor(x)
    return as_dtype(x, tf.keras.config.floatx()) if is_whole(name_of(x)) else x


def channels_last(x, data_format, axis=1):
    """x with its channels, which "channels_first" has at this axis, at the end;
    and what moves those of a result back."""
    x = tensor(x)
    if data_format in (None, "channels_last"):
        return x, lambda made: made
    if data_format != "channels_first":
        raise ValueError(f"[keras.ops] data_format is {data_format!r}; it is 'channels_last' or 'channels_first'")
    axes = list(range(len(x.shape)))
    axes.append(axes.pop(axis))
    return tf.transpose(x, axes), lambda made: tf.transpose(made, [axes.index(i) for i in range(len(axes))])


# What each dtype may become, by Keras' rules; "int" and "float" are plain numbers of Python, which take what the others
# are.
_NEXT = {
    "bool": ["int"], "int": ["uint8", "int8", "complex64"], "uint8": ["int16", "uint16"], "uint16": ["int32", "uint32"],
    "uint32": ["int64", "uint64"], "uint64": ["float"], "int8": ["int16"], "int16": ["int32"], "int32": ["int64"],
    "int64": ["float"], "float": ["bfloat16", "float16"], "bfloat16": ["float32"], "float16": ["float32"],
    "float32": ["float64", "complex64"], "float64": ["complex128"], "complex64": ["complex128"], "complex128": [],
}  # fmt: skip


@functools.lru_cache(None)
def _above(name):
    return frozenset([name]).union(*(_above(n) for n in _NEXT[name]))


@functools.lru_cache(512)
def _least(names):
    if len(names) == 1:
        return next(iter(names))
    common = frozenset.intersection(*(_above(n) for n in names))
    return next((n for n in names if n in common), None) or next(n for n in common if common <= _above(n))


def result_type(*names):
    """The dtype that operands of these become. "int" and "float" are plain numbers."""
    unknown = [n for n in names if n not in _NEXT]
    if unknown and len(set(names)) > 1:
        raise ValueError(
            f"[keras.ops] {unknown[0]} does not go together with {sorted(set(names) - {unknown[0]})}; cast one of them"
        )
    least = _least(frozenset(names))
    floatx = tf.keras.config.floatx()
    return {"int": "int" + floatx[-2:], "float": floatx}.get(least, least)


def together(*values):
    """Tensors of one dtype, by Keras' rules: a float goes before a whole number,
    plain numbers take what the others are."""
    made = [v if isinstance(v, (bool, int, float)) else tensor(v) for v in values]
    weak = lambda v: "bool" if isinstance(v, bool) else "int" if isinstance(v, int) else "float"
    dtype = result_type(*(name_of(v) if hasattr(v, "dtype") else weak(v) for v in made))
    return [tensor(v, dtype) if not hasattr(v, "dtype") else as_dtype(v, dtype) for v in made]


def two(f, floats=False, plain=True):
    """A function of two operands that become one dtype.
    Where plain is not set, numbers of Python are tensors of their own dtype."""

    def call(x1, x2):
        a, b = together(x1, x2) if plain else together(tensor(x1), tensor(x2))
        return f(floating(a), floating(b)) if floats else f(a, b)

    return call


def one(f, floats=False):
    """A function of one operand."""

    def call(x):
        return f(floating(x) if floats else tensor(x))

    return call


def named(namespace, table, make, docs):
    """Puts what `make` makes of functions under their names into a module.
    One of C++'s says itself what it does, behind its signature."""
    for name, f in table.items():
        made = namespace[name] = make(f)
        made.__name__, made.__qualname__, made.__module__ = name, name, namespace["__name__"]
        made.__doc__ = docs.get(name) or f.__doc__.partition("\n\n")[2]


def of_values(f):
    """Says of a function that it cannot be called on symbols: one that is, is one step of the model."""
    f.of_values = True
    return f


def own(namespace):
    """The public functions that a module defines itself."""
    return [
        name
        for name, f in namespace.items()
        if not name.startswith("_") and getattr(f, "__module__", None) == namespace["__name__"]
    ]
