"""keras.ops: NumPy's functions that multiply vectors and matrices."""

import brio as tf
from brio.keras.ops._convert import as_dtype, name_of, own, tensor, together
from brio.keras.ops._elementwise import multiply
from brio.keras.ops._shaping import moveaxis
from brio.keras.ops.core import shape


def _factors(*operands):
    """Tensors of one dtype. Products of int8 are counted in int32;
    bools are as numbers, and the result is to be bool."""
    made = together(*operands)
    if name_of(made[0]) == "int8":
        return [tf.cast(x, "int32") for x in made], "int32"
    if name_of(made[0]) == "bool":
        return [tf.cast(x, "float32") for x in made], "bool"
    return made, name_of(made[0])


def matmul(x1, x2):
    """The product of matrices in the last two axes; of int8 in int32."""
    if min(len(shape(x1)), len(shape(x2))) == 1:
        (a, b), dtype = _factors(x1, x2)
        if len(a.shape) == 1 and len(b.shape) > 1:  # a row before a stack of matrices
            return as_dtype(tf.matmul(a[None], b)[..., 0, :], dtype)
        return as_dtype(tf.tensordot(a, b, [[-1], [0]]), dtype)
    (a, b), dtype = _factors(x1, x2)
    return as_dtype(tf.matmul(a, b), dtype)


def dot(x1, x2):
    """The sum of products over the last axis of x1 and the last but one of x2."""
    a, b = together(tensor(x1), tensor(x2))
    return _product(a, b, lambda a, b: tf.tensordot(a, b, [[-1], [0 if len(b.shape) == 1 else len(b.shape) - 2]]))


def _product(a, b, f):
    dtype = name_of(a)
    if dtype == "bool":
        a, b = tf.cast(a, "float32"), tf.cast(b, "float32")
    return as_dtype(a * b if not a.shape or not b.shape else f(a, b), dtype)


def vdot(x1, x2):
    """The sum of products of all elements."""
    return dot(tf.reshape(tensor(x1), [-1]), tf.reshape(tensor(x2), [-1]))


def inner(x1, x2):
    """The sum of products over the last axes."""
    a, b = together(tensor(x1), tensor(x2))
    return _product(a, b, lambda a, b: tf.tensordot(a, b, [[-1], [-1]]))


def outer(x1, x2):
    """The product of each element with each."""
    a, b = together(tensor(x1), tensor(x2))
    return multiply(tf.reshape(a, [-1, 1]), tf.reshape(b, [1, -1]))


def tensordot(x1, x2, axes=2):
    """The sum of products over several axes."""
    a, b = together(tensor(x1), tensor(x2))
    if name_of(a) == "bool":
        return tf.cast(tf.tensordot(tf.cast(a, "float32"), tf.cast(b, "float32"), axes), "bool")
    return tf.tensordot(a, b, axes)


def einsum(subscripts, *operands):
    """Products and sums as an equation says: einsum('ij,jk->ik', a, b)."""
    operands, dtype = _factors(*operands)
    return as_dtype(tf.einsum(subscripts, *operands), dtype)


def cross(x1, x2, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The vector product."""
    a, b = together(tensor(x1), tensor(x2))
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    flat = a.shape[-1] == b.shape[-1] == 2
    grown = lambda v: tf.pad(v, [[0, 0]] * (len(v.shape) - 1) + [[0, 1]]) if v.shape[-1] == 2 else v
    a, b = grown(a), grown(b)
    shape = tf.broadcast_static_shape(a.shape, b.shape)
    made = tf.linalg.cross(tf.broadcast_to(a, shape), tf.broadcast_to(b, shape))
    return made[..., 2] if flat else moveaxis(made, -1, axisc)


__all__ = own(globals())
