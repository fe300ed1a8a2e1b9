"""tf.linalg."""

import math as _math

from brio import _bands, _core
from brio._core import einsum, eye, matmul, norm, tensordot
from brio._core._linalg import *
from brio._core._math import l2_normalize
from brio._lazy import names as _names
from brio.errors import InvalidArgumentError as _InvalidArgumentError

__getattr__, __dir__, _HOMES = _names(
    __name__,
    {
        "_decompositions": (
            "banded_triangular_solve eigh_tridiagonal logm lu lu_matrix_inverse lu_reconstruct lu_solve sqrtm "
            "tridiagonal_matmul tridiagonal_solve"
        ),
        "_linear_operator": "LinearOperator",
        "_linear_operators": (
            "LinearOperatorDiag LinearOperatorFullMatrix LinearOperatorHouseholder LinearOperatorIdentity "
            "LinearOperatorLowerTriangular LinearOperatorPermutation LinearOperatorScaledIdentity "
            "LinearOperatorToeplitz LinearOperatorTridiag LinearOperatorZeros"
        ),
        "_linear_circulant": "LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D",
        "_linear_joined": (
            "LinearOperatorAdjoint LinearOperatorComposition LinearOperatorInversion LinearOperatorKronecker "
            "LinearOperatorLowRankUpdate"
        ),
        "_linear_blocks": "LinearOperatorBlockDiag LinearOperatorBlockLowerTriangular",
    },
)


def diag(diagonal, name="diag", k=0, num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT"):
    """Matrices with this diagonal, or with these between the two of k, and with padding_value elsewhere.

    >>> tf.linalg.diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    if (both := _bands.pair(k)) is not None:
        return _bands.diag(diagonal, both, num_rows, num_cols, padding_value, align)
    return _core._linalg.diag(diagonal, name, _bands.single(k), num_rows, num_cols, padding_value, align)


def diag_part(input, name="diag_part", k=0, padding_value=0, align="RIGHT_LEFT"):
    """A diagonal of matrices, or those between the two of k, the highest first.

    >>> tf.linalg.diag_part([[1, 2], [3, 4]], k=(0, 1)).numpy().tolist()
    [[0, 2], [1, 4]]
    """
    if (both := _bands.pair(k)) is not None:
        return _bands.diag_part(input, both, padding_value, align)
    return _core._linalg.diag_part(input, name, _bands.single(k), padding_value, align)


def set_diag(input, diagonal, name="set_diag", k=0, align="RIGHT_LEFT"):
    """Matrices with another diagonal, or with others between the two of k.

    >>> tf.linalg.set_diag(tf.zeros([2, 2]), [1.0, 2.0]).numpy().tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    if (both := _bands.pair(k)) is not None:
        return _bands.set_diag(input, diagonal, both, align)
    return _core._linalg.set_diag(input, diagonal, name, _bands.single(k), align)


def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """The singular values s, falling, and u and v of x = u diag(s) vT; or s alone."""
    if not compute_uv:
        return _core._linalg._svdvals(tensor)
    return _core._linalg._svd(tensor, full_matrices)


def normalize(tensor, ord="euclidean", axis=None, name=None):
    """The tensor divided by its norm, and the norm."""
    tensor = _core.convert_to_tensor(tensor)
    length = norm(tensor, ord=ord, axis=axis, keepdims=True)
    return tensor / length, length


def tensor_diag(diagonal, name=None):
    """A tensor of twice the rank with these elements on its diagonal."""
    diagonal = _core.convert_to_tensor(diagonal)
    shape = list(diagonal.shape)
    return _core.reshape(_core._linalg.diag(_core.reshape(diagonal, [-1])), shape + shape)


def tensor_diag_part(input, name=None):
    """The diagonal of a tensor whose first axes are as its last."""
    input = _core.convert_to_tensor(input)
    half = input.shape.rank // 2
    shape = list(input.shape[:half])
    if input.shape.rank % 2 or shape != list(input.shape[half:]):
        raise ValueError(
            f"[tensor_diag_part] the first half of the shape must be as the second, but it is {input.shape}"
        )
    n = input.shape[:half].num_elements()
    return _core.reshape(_core._linalg.diag_part(_core.reshape(input, [n, n])), shape)


def expm(input, name=None):
    """The exponential of matrices, by scaling, Taylor's series and squaring."""
    x = _core.convert_to_tensor(input)
    largest = float(_core.reduce_max(_core.reduce_sum(_core.abs(x), axis=-1))) if x.shape.num_elements() else 0.0
    halvings = int(largest).bit_length() + 1 if _math.isfinite(largest) else 0
    x = x / _core.constant(float(2**halvings), x.dtype)
    term = total = _core.eye(x.shape[-1], batch_shape=list(x.shape[:-2]), dtype=x.dtype)
    for i in range(1, 19):
        term = matmul(term, x) / _core.constant(float(i), x.dtype)
        total = total + term
    for _ in range(halvings):
        total = matmul(total, total)
    return total


def eig(tensor, name=None):
    """The eigenvalues, and the eigenvectors as columns, of square matrices that need not be symmetric:
    complex numbers. They have no gradient."""
    return _eig(tensor, True)


def eigvals(tensor, name=None):
    """The eigenvalues of square matrices that need not be symmetric: complex numbers. They have no gradient."""
    return _eig(tensor, False)


def _eig(tensor, vectors):
    import numpy as np

    from brio._control import numpy_function

    x = _core.convert_to_tensor(tensor)
    if x.shape.rank < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"[linalg.eig] takes square matrices, but the shape is {tuple(x.shape)}")
    if x.dtype.name not in ("float32", "float64", "complex64", "complex128"):
        raise _InvalidArgumentError(
            f"[linalg.eig] takes float32, float64, complex64 or complex128, but got {x.dtype.name}; cast it first"
        )
    complex_ = "complex128" if x.dtype.name in ("float64", "complex128") else "complex64"

    def compute(a):
        if not np.isfinite(a).all():
            raise _InvalidArgumentError("[linalg.eig] a matrix has NaN or infinity in it, and so no eigenvalues")
        values, columns = np.linalg.eig(a)
        return (values.astype(complex_), columns.astype(complex_)) if vectors else values.astype(complex_)

    made = numpy_function(compute, [x], [complex_, complex_] if vectors else complex_)
    for one, shape in zip(made if vectors else [made], (x.shape[:-1], x.shape)):
        one.set_shape(shape)
    return made
