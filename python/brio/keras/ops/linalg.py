"""keras.ops.linalg."""

import numpy as np

import brio as tf
from brio.keras.ops._convert import floating, of_values


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
        raise ValueError(
            f"[norm] ord is {ord!r}, which matrices do not have; it is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf"
        )
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


@of_values
def pinv(x, rcond=None):
    """The pseudoinverse: singular values below rcond times the largest count as 0."""
    x = floating(x)
    if None not in x.shape:
        return tf.linalg.pinv(x, rcond)
    s, u, v = tf.linalg.svd(x)  # how many matrices there are is not known yet
    rcond = (
        10.0 * max(x.shape[-2:]) * float(np.finfo(tf.as_dtype(x.dtype).as_numpy_dtype).eps) if rcond is None else rcond
    )
    kept = s > rcond * tf.reduce_max(s, -1, keepdims=True)
    inverse = tf.where(kept, 1 / tf.where(kept, s, tf.ones_like(s)), tf.zeros_like(s))
    return tf.matmul(v * inverse[..., None, :], u, transpose_b=True)


@of_values
def matrix_rank(x, tol=None):
    """How many singular values are larger than tol."""
    return tf.linalg.matrix_rank(floating(x), tol)


@of_values
def eig(x):
    """The eigenvalues and eigenvectors, which are complex, of a square matrix."""
    return tuple(tf.linalg.eig(_square("eig", floating(x))))


@of_values
def cholesky_inverse(x, upper=False):
    """The inverse of the matrix whose Cholesky factor x is."""
    x = _square("cholesky_inverse", floating(x))
    inverse = tf.linalg.triangular_solve(x, tf.eye(x.shape[-1], dtype=x.dtype), lower=not upper)
    return tf.matmul(inverse, inverse, transpose_a=not upper, transpose_b=upper)


def _square(name, x):
    if len(x.shape) < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"[{name}] x has shape {tuple(x.shape)}; it must be a square matrix, or several")
    return x


@of_values
def lu_factor(x):
    """L and U in one matrix, the ones on L's diagonal left out, and for each row of x which row of L U it is."""
    x = _square("lu_factor", floating(x))
    n = int(x.shape[-1])
    outer = list(x.shape[:-2])
    a = tf.reshape(x, [-1, n, n])
    at = tf.range(n)
    order = tf.zeros_like(a[:, :, 0], dtype="int32") + at
    for k in range(n):
        sizes = tf.where(at < k, tf.cast(-1, tf.math.real(a).dtype), tf.abs(a[:, :, k]))
        pivot = tf.cast(tf.argmax(sizes, -1), "int32")[:, None]
        swap = tf.where(tf.equal(at, k), pivot, tf.where(tf.equal(at[None], pivot), k, at))
        a, order = (tf.gather(v, swap, axis=1, batch_dims=1) for v in (a, order))
        below = tf.cast(at > k, a.dtype)
        factors = tf.math.divide_no_nan(a[:, :, k], a[:, k : k + 1, k]) * below
        a = a - factors[:, :, None] * (a[:, k : k + 1, :] * below)
        a = tf.where(tf.logical_and(at[:, None] > k, tf.equal(at[None, :], k)), factors[:, :, None], a)
    outer = [-1] if None in outer else outer
    return tf.reshape(a, [*outer, n, n]), tf.reshape(tf.argsort(order, -1), [*outer, n])


def jvp(fun, primals, tangents, has_aux=False):
    """(fun(*primals), how it changes along tangents), and behind them what fun gives besides, where it has that."""
    points = [tf.identity(x) for x in tf.nest.flatten(primals)]  # each its own, should one stand in two places
    ways = [tf.cast(tf.convert_to_tensor(t), x.dtype) for t, x in zip(tf.nest.flatten(tangents), points)]
    with tf.autodiff.ForwardAccumulator(points, ways) as forward:
        made = fun(*tf.nest.pack_sequence_as(primals, points))
        made, *aux = made if has_aux else (made,)
        changes = tf.nest.map_structure(forward.jvp, made)
    return (made, changes, *aux)


__all__ = [n for n in dir() if not n.startswith("_") and n not in ("np", "tf", "floating")]
