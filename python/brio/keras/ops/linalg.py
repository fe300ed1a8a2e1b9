"""keras.ops.linalg."""

import brio as tf
from brio.keras.ops._convert import floating, tensor


def cholesky(x, upper=False):
    """The triangular L, or U where upper is set, of x = L LT."""
    made = tf.linalg.cholesky(floating(x))
    return tf.linalg.matrix_transpose(made) if upper else made


def det(x):
    """The determinant."""
    return tf.linalg.det(floating(x))


def inv(x):
    """The inverse."""
    return tf.linalg.inv(floating(x))


def norm(x, ord=None, axis=None, keepdims=False):
    """Of vectors along an axis, of matrices along two, or of all elements."""
    x = floating(x)
    rank = len(x.shape)
    axes = tuple(range(rank)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    if any(not -rank <= a < rank for a in axes):
        raise ValueError(f"[norm] axis is {axis}, but x has shape {tuple(x.shape)}: axes lie in [{-rank}, {rank})")
    axes = tuple(a % rank for a in axes)
    if len(axes) not in (1, 2):
        raise ValueError(f"[norm] there are {len(axes)} axes; vectors have one and matrices two: give axis")
    if ord is None or ord == ("fro" if len(axes) == 2 else 2):
        return tf.sqrt(tf.reduce_sum(x * tf.math.conj(x), axis=axes, keepdims=keepdims))
    return _vector_norm(x, ord, axes[0], keepdims) if len(axes) == 1 else _matrix_norm(x, ord, axes, keepdims)


def _vector_norm(x, ord, axis, keepdims):
    if isinstance(ord, str):
        raise ValueError(f"[norm] ord is {ord!r}, which vectors do not have; give a number, inf or -inf")
    if ord in (float("inf"), float("-inf")):
        return (tf.reduce_max if ord > 0 else tf.reduce_min)(tf.abs(x), axis=axis, keepdims=keepdims)
    if ord == 0:
        return tf.reduce_sum(tf.cast(tf.not_equal(x, tf.zeros_like(x)), x.dtype), axis=axis, keepdims=keepdims)
    size = tf.abs(x)
    ord = tf.cast(ord, size.dtype)
    return tf.pow(tf.reduce_sum(tf.pow(size, ord), axis=axis, keepdims=keepdims), 1 / ord)


def _matrix_norm(x, ord, axes, keepdims):
    if ord in (1, -1, float("inf"), float("-inf")):
        along, over = axes if abs(ord) == 1 else axes[::-1]
        sums = tf.reduce_sum(tf.abs(x), axis=along, keepdims=True)
        made = (tf.reduce_max if ord > 0 else tf.reduce_min)(sums, axis=over, keepdims=True)
        return made if keepdims else tf.squeeze(made, axes)
    if ord not in ("nuc", 2, -2):
        raise ValueError(f"[norm] ord is {ord!r}, which matrices do not have; it is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf")
    rest = [a for a in range(len(x.shape)) if a not in axes]
    values = tf.linalg.svd(tf.transpose(x, rest + list(axes)), compute_uv=False)
    made = {"nuc": tf.reduce_sum, 2: tf.reduce_max, -2: tf.reduce_min}[ord](values, axis=-1)
    for a in sorted(axes) if keepdims else ():
        made = tf.expand_dims(made, a)
    return made


def qr(x, mode="reduced"):
    """Q, whose columns are orthogonal, and the triangular R of x = Q R."""
    return tuple(tf.linalg.qr(floating(x), full_matrices=mode == "complete"))


def solve(a, b):
    """The x of a x = b."""
    a, b = floating(a), floating(b)
    return tf.linalg.solve(a, b[..., None])[..., 0] if len(b.shape) == len(a.shape) - 1 else tf.linalg.solve(a, b)


def solve_triangular(a, b, lower=False):
    """The x of a x = b for a triangular a."""
    a, b = floating(a), floating(b)
    vector = len(b.shape) == len(a.shape) - 1
    made = tf.linalg.triangular_solve(a, b[..., None] if vector else b, lower=lower)
    return made[..., 0] if vector else made


def svd(x, full_matrices=True, compute_uv=True):
    """u, s and vT of x = u diag(s) vT; or s alone."""
    if not compute_uv:
        return tf.linalg.svd(floating(x), compute_uv=False)
    s, u, v = tf.linalg.svd(floating(x), full_matrices=full_matrices)
    return u, s, tf.linalg.matrix_transpose(v)


def eigh(x):
    """The eigenvalues, rising, and eigenvectors of a symmetric matrix."""
    return tuple(tf.linalg.eigh(floating(x)))


def lstsq(a, b, rcond=None):
    """The x for which a x is nearest to b."""
    a, b = floating(a), floating(b)
    if len(b.shape) == 1:
        return lstsq(a, b[:, None], rcond)[:, 0]
    if rcond is not None:
        return tf.matmul(tf.linalg.pinv(a, rcond), b)
    return tf.linalg.lstsq(a, b, fast=False)


__all__ = [n for n in dir() if not n.startswith("_") and n not in ("tf", "floating", "tensor")]
