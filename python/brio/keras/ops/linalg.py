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
    if ord is None and (axis is None or isinstance(axis, int)):
        return tf.sqrt(tf.reduce_sum(x * x, axis=axis, keepdims=keepdims))
    return tf.norm(x, ord="euclidean" if ord is None else ord, axis=axis, keepdims=keepdims)


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
    return tf.linalg.lstsq(a, b[..., None])[..., 0] if len(b.shape) == 1 else tf.linalg.lstsq(a, b)


__all__ = [n for n in dir() if not n.startswith("_") and n not in ("tf", "floating", "tensor")]
