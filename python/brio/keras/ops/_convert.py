"""What arguments of keras.ops become: tensors, and operands of one dtype."""

import numpy as np

import brio as tf
from brio import _core


def tensor(x, dtype=None):
    return x if isinstance(x, _core.KerasTensor) and dtype is None else tf.convert_to_tensor(x, dtype)


def floating(x):
    """Whole numbers as float32."""
    x = tensor(x)
    name = _name(x)
    return tf.cast(x, "float32") if "int" in name or name == "bool" else x


def _name(x):
    return x.dtype if isinstance(x.dtype, str) else x.dtype.name


def together(*values):
    """Tensors of one dtype, by Keras' rules: a float goes before a whole number, plain numbers take what the others are."""
    made = [v if isinstance(v, _core.KerasTensor) else v if isinstance(v, (bool, int, float)) else tensor(v) for v in values]
    names = {_name(v) for v in made if hasattr(v, "dtype")}
    plain = [v for v in made if not hasattr(v, "dtype")]
    if not names:
        return [tensor(v, "float32" if any(isinstance(p, float) for p in plain) else None) for v in made]
    dtype = _joined(names)
    if any(isinstance(v, float) for v in plain) and not dtype.startswith(("float", "bfloat", "complex")):
        dtype = "float32"
    return [tensor(v, dtype) if not hasattr(v, "dtype") else v if _name(v) == dtype else tf.cast(v, dtype) for v in made]


def _joined(names):
    floats = sorted((n for n in names if n.startswith(("float", "bfloat", "complex"))), key=lambda n: (n[:1], int("".join(c for c in n if c.isdigit()))))
    if {"float16", "bfloat16"} <= set(floats):
        return "float32"
    if floats:
        complexes = [n for n in floats if n.startswith("complex")]
        return (complexes or floats)[-1]
    if len(names) == 1:
        return next(iter(names))
    return np.result_type(*(np.dtype(n) for n in names)).name


def two(f, floats=False):
    """A function of two operands that become one dtype."""

    def call(x1, x2):
        a, b = together(x1, x2)
        return f(floating(a), floating(b)) if floats else f(a, b)

    return call


def one(f, floats=False):
    """A function of one operand."""

    def call(x):
        return f(floating(x) if floats else tensor(x))

    return call


def named(namespace, table, make, docs):
    """Puts what `make` makes of functions under their names into a module. One of C++'s says itself what it does, behind its signature."""
    for name, f in table.items():
        made = namespace[name] = make(f)
        made.__name__, made.__qualname__, made.__module__ = name, name, namespace["__name__"]
        made.__doc__ = docs.get(name) or f.__doc__.partition("\n\n")[2]
