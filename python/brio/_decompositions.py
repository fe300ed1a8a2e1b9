"""Functions of tf.linalg of the rarer kind: LU, roots and logarithms of matrices, matrices of three diagonals."""

from collections import namedtuple

from brio import _core
from brio._core import _linalg
from brio._host import on_host
from brio.errors import InvalidArgumentError

Lu = namedtuple("Lu", ["lu", "p"])
_PANEL = 32  # columns that are worked on one by one before the rest of the matrix follows


def complex_solve(a, b):
    """The solution of a x = b, for complex matrices too: as real ones of twice the size."""
    if not a.dtype.is_complex:
        return _linalg.solve(a, b)
    real, imag = _core._math.real, _core._math.imag
    whole = _core.concat([_core.concat([real(a), -imag(a)], -1), _core.concat([imag(a), real(a)], -1)], -2)
    both = _linalg.solve(whole, _core.concat([real(b), imag(b)], -2))
    n = a.shape[-1]
    return _core.complex(both[..., :n, :], both[..., n:, :])


def _square(who, x):
    x = _core.convert_to_tensor(x)
    if x.shape.rank is None or x.shape.rank < 2 or x.shape[-1] != x.shape[-2]:
        raise InvalidArgumentError(f"[{who}] takes square matrices, but the shape is {tuple(x.shape)}")
    return x


def _factored(array):
    """LU of a batch of matrices and the order of their rows, panel by panel."""
    import numpy as np

    n = array.shape[-1]
    a = np.array(array, copy=True).reshape(-1, n, n)
    count = np.arange(len(a))
    order = np.tile(np.arange(n), (len(a), 1))
    for begin in range(0, n, _PANEL):
        end = min(begin + _PANEL, n)
        for k in range(begin, end):
            pivot = k + np.abs(a[:, k:, k]).argmax(1)
            if pivot.max(initial=k) > k:
                for x in (a, order):
                    x[count, k], x[count, pivot] = x[count, pivot].copy(), x[count, k].copy()
            top = a[:, k, k]
            if (top == 0).any():
                raise InvalidArgumentError("[lu] a matrix is not invertible")
            a[:, k + 1 :, k] /= top[:, None]
            a[:, k + 1 :, k + 1 : end] -= a[:, k + 1 :, k, None] * a[:, None, k, k + 1 : end]
        if end < n:
            lower = np.tril(a[:, begin:end, begin:end], -1) + np.eye(end - begin, dtype=a.dtype)
            a[:, begin:end, end:] = np.linalg.solve(lower, a[:, begin:end, end:])
            a[:, end:, end:] -= a[:, end:, begin:end] @ a[:, begin:end, end:]
    return a.reshape(array.shape), order.reshape(array.shape[:-1])


def _parts(lower_upper):
    upper = _linalg.band_part(lower_upper, 0, -1)
    below = lower_upper - upper
    return below + _linalg.diag(_core.ones_like(_linalg.diag_part(lower_upper))), upper


def _adjoint(x):
    return _linalg.adjoint(x) if x.dtype.is_complex else _linalg.matrix_transpose(x)


def _rows_in_order(x, order):
    """The rows of matrices in the order that belongs to each."""
    rank = len(order.shape)
    return _core.gather(x, order, axis=rank - 1, batch_dims=rank - 1)


def _undone(order):
    return _core.argsort(order, axis=-1)


def lu(input, output_idx_type="int32", name=None):
    """L and U in one matrix (the diagonal is U's), and the order of rows: rows p of the input are L U.

    >>> lu, p = tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]])
    >>> lu.numpy().tolist(), p.numpy().tolist()
    ([[4.0, 4.0], [0.25, 1.0]], [1, 0])
    """
    from brio._control import custom_gradient

    x = _square("lu", input)

    both, order = on_host(_factored, [x], [(x.shape, x.dtype), (x.shape[:-1], "int64")])

    @custom_gradient
    def factored(x):
        def gradient(above):
            lower, upper = _parts(both)
            inner = _core.matmul(_adjoint(lower), above)
            inner = inner - _linalg.band_part(inner, 0, -1)  # strictly below the diagonal
            inner += _linalg.band_part(_core.matmul(above, _adjoint(upper)), 0, -1)
            if x.dtype.is_complex:
                left = complex_solve(_adjoint(lower), inner)
                made = _adjoint(complex_solve(upper, _adjoint(left)))
            else:
                left = _linalg.triangular_solve(lower, inner, adjoint=True)
                made = _adjoint(_linalg.triangular_solve(upper, _adjoint(left), lower=False))
            return _rows_in_order(made, _undone(order))

        return _core.identity(both), gradient

    return Lu(factored(x), _core.cast(order, output_idx_type))


def lu_reconstruct(lower_upper, perm, validate_args=False, name=None):
    """The matrix that lu() took apart."""
    lower, upper = _parts(_square("lu_reconstruct", lower_upper))
    return _rows_in_order(_core.matmul(lower, upper), _undone(_core.convert_to_tensor(perm)))


def lu_solve(lower_upper, perm, rhs, validate_args=False, name=None):
    """The solution of A x = rhs, of what lu() made of A.

    >>> lu, p = tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]])
    >>> tf.linalg.lu_solve(lu, p, [[5.0], [12.0]]).numpy().round(3).tolist()
    [[1.0], [2.0]]
    """
    both, order = _square("lu_solve", lower_upper), _core.convert_to_tensor(perm)
    rhs = _core.convert_to_tensor(rhs, dtype_hint=both.dtype)
    if both.shape[-1] != rhs.shape[-2]:
        raise InvalidArgumentError(
            f"[lu_solve] rhs of shape {tuple(rhs.shape)} does not go with matrices of shape {tuple(both.shape)}"
        )
    outer = _core.broadcast_static_shape(both.shape[:-2], rhs.shape[:-2])
    rhs = _core.broadcast_to(rhs, [*outer, *rhs.shape[-2:]])
    order = _core.broadcast_to(order, [*outer, order.shape[-1]])
    lower, upper = _parts(both)
    rhs = _rows_in_order(rhs, order)
    if both.dtype.is_complex:
        return complex_solve(upper, complex_solve(lower, rhs))
    return _linalg.triangular_solve(upper, _linalg.triangular_solve(lower, rhs), lower=False)


def lu_matrix_inverse(lower_upper, perm, validate_args=False, name=None):
    """The inverse of the matrix that lu() took apart."""
    both = _square("lu_matrix_inverse", lower_upper)
    return lu_solve(both, perm, _core.eye(both.shape[-1], dtype=both.dtype))


# ---- roots and logarithms


def _root(array):
    """Square roots of a batch of matrices: by eigenvalues where these say it well,
    else by Denman's and Beavers' iteration."""
    import numpy as np

    n = array.shape[-1]
    made = np.zeros_like(array).reshape(-1, n, n)
    for a, out in zip(array.reshape(-1, n, n), made):
        if not np.isfinite(a).all():
            out[:] = np.nan
            continue
        wide = a.astype(np.complex128)
        values, vectors = np.linalg.eig(wide)
        found = None
        if np.linalg.cond(vectors) < 1e6:
            found = (vectors * np.sqrt(values)) @ np.linalg.inv(vectors)
        else:
            y, z = wide, np.eye(n, dtype=np.complex128)
            try:
                for _ in range(60):
                    y, z, before = (y + np.linalg.inv(z)) / 2, (z + np.linalg.inv(y)) / 2, y
                    if np.abs(y - before).max() <= 1e-14 * np.abs(y).max():
                        break
                found = y
            except np.linalg.LinAlgError:
                found = np.full((n, n), np.nan)
        if not np.iscomplexobj(a):
            found = (
                found.real
                if np.abs(found.imag).max(initial=0) <= 1e-6 * max(np.abs(found).max(initial=0), 1e-300)
                else np.full((n, n), np.nan)
            )
        out[:] = found
    return made.reshape(array.shape)


def sqrtm(input, name=None):
    """The square root of matrices: the one whose product with itself is the input.

    >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy().round(3).tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    from brio._control import custom_gradient

    x = _square("sqrtm", input)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise InvalidArgumentError(
            f"[sqrtm] takes matrices of floating-point or complex numbers, but got {x.dtype.name}"
        )

    @custom_gradient
    def rooted(x):
        root = on_host(_root, [x], [(x.shape, x.dtype)])[0]

        def gradient(above):  # X with R* X + X R* = above, R* the adjoint root: a system of n² numbers
            n, r = x.shape[-1], _adjoint(root)
            eye = _core.eye(n, dtype=x.dtype)
            outer = list(x.shape[:-2])
            left = _core.einsum("...ik,jl->...ijkl", r, eye)
            right = _core.einsum("ik,...lj->...ijkl", eye, r)
            system = _core.reshape(left + right, [*outer, n * n, n * n])
            return _core.reshape(complex_solve(system, _core.reshape(above, [*outer, n * n, 1])), x.shape)

        return root, gradient

    return rooted(x)


def _logarithm(array):
    import numpy as np

    n = array.shape[-1]
    made = np.zeros_like(array).reshape(-1, n, n)
    nodes, weights = np.polynomial.legendre.leggauss(16)
    for a, out in zip(array.reshape(-1, n, n), made):
        wide = a.astype(np.complex128)
        values, vectors = np.linalg.eig(wide)
        if np.linalg.cond(vectors) < 1e6:
            out[:] = (vectors * np.log(values)) @ np.linalg.inv(vectors)
            continue
        halvings, eye = 0, np.eye(n)
        while np.abs(wide - eye).sum(0).max() > 0.25 and halvings < 60:
            wide, halvings = _root(wide), halvings + 1
        x = wide - eye
        out[:] = 2**halvings * sum(w / 2 * x @ np.linalg.inv(eye + (t + 1) / 2 * x) for t, w in zip(nodes, weights))
    return made.reshape(array.shape)


def logm(input, name=None):
    """The logarithm of complex matrices: the one whose exponential is the input. It has no gradient.

    >>> tf.linalg.logm(tf.constant([[1, 0], [0, 1j]], tf.complex64)).numpy()[1, 1].round(3).item()
    1.5709999799728394j
    """
    x = _square("logm", input)
    if not x.dtype.is_complex:
        raise InvalidArgumentError(f"[logm] takes complex matrices, but got {x.dtype.name}; tf.cast makes them")
    return on_host(_logarithm, [x], [(x.shape, x.dtype)])[0]


# ---- matrices of three diagonals, and bands


def compact(who, diagonals, diagonals_format, size=None):
    """The diagonals above, on and below the main one as (..., 3, n)."""
    if diagonals_format == "compact":
        found = _core.convert_to_tensor(diagonals)
        if found.shape.rank < 2 or found.shape[-2] != 3:
            raise ValueError(f"[{who}] takes 3 diagonals in format 'compact', but got shape {tuple(found.shape)}")
        return found
    if diagonals_format == "sequence":
        if len(diagonals) != 3:
            raise ValueError(f"[{who}] takes 3 diagonals, but got {len(diagonals)}")
        upper, main, lower = (_core.convert_to_tensor(d) for d in diagonals)
        n = main.shape[-1]
        if upper.shape[-1] == n - 1:
            upper = _core.concat([upper, _core.zeros_like(upper[..., :1])], -1) if n > 1 else _core.zeros_like(main)
        if lower.shape[-1] == n - 1:
            lower = _core.concat([_core.zeros_like(lower[..., :1]), lower], -1) if n > 1 else _core.zeros_like(main)
        return _core.stack([upper, main, lower], axis=-2)
    if diagonals_format == "matrix":
        matrix = _square(who, diagonals)
        one = _core.zeros_like(matrix[..., 0, :1])
        upper = _core.concat([_linalg.diag_part(matrix, k=1), one], -1)
        lower = _core.concat([one, _linalg.diag_part(matrix, k=-1)], -1)
        return _core.stack([upper, _linalg.diag_part(matrix), lower], axis=-2)
    raise ValueError(f"[{who}] diagonals_format is {diagonals_format!r}; it is 'compact', 'sequence' or 'matrix'")


def dense_of(diagonals):
    """The matrix of compact diagonals."""
    upper, main, lower = diagonals[..., 0, :-1], diagonals[..., 1, :], diagonals[..., 2, 1:]
    made = _linalg.diag(main)
    return made + _linalg.diag(upper, k=1) + _linalg.diag(lower, k=-1) if main.shape[-1] > 1 else made


_DENSE = 512  # a system of more unknowns is parted


def _solved(d, rhs):
    n = d.shape[-1]
    if n <= _DENSE:
        return complex_solve(dense_of(d), rhs)
    # Every 64th unknown stands between blocks, which are solved on their own for the right side and for both
    # neighbours; what is left is a system of three diagonals for those between.
    size = 64
    count = n // size  # blocks of 63 unknowns and one behind each; the last block is what remains
    rest = n - count * size
    outer = list(d.shape[:-2])
    rhs = _core.broadcast_to(rhs, [*_core.broadcast_static_shape(d.shape[:-2], rhs.shape[:-2]), *rhs.shape[-2:]])
    wide = list(rhs.shape[:-2])
    head, tail = d[..., : count * size], d[..., count * size :]
    blocks = _core.reshape(head, [*outer, 3, count, size])
    blocks = _core.transpose(
        blocks, [*range(len(outer)), len(outer) + 1, len(outer), len(outer) + 2]
    )  # (..., block, 3, size)
    inner, between = blocks[..., :-1], blocks[..., -1]  # (..., block, 3, size - 1), (..., block, 3)
    k = rhs.shape[-1]
    right = _core.reshape(rhs[..., : count * size, :], [*wide, count, size, k])
    b_inner, b_between = right[..., :-1, :], right[..., -1, :]
    matrices = dense_of(inner)
    first = (
        _core.one_hot(0, size - 1, dtype=d.dtype) * inner[..., 2, :1]
    )  # what multiplies the unknown before the block
    last = _core.one_hot(size - 2, size - 1, dtype=d.dtype) * inner[..., 0, -1:]
    sides = _core.stack([first, last], axis=-1)
    both = complex_solve(matrices, sides)
    own = complex_solve(matrices, b_inner)
    # x_inner = own - both[..., 0] * before - both[..., 1] * behind, where before is that of the last block.
    lower, main, upper = between[..., 2], between[..., 1], between[..., 0]
    low, high = both[..., -1, :], both[..., 0, :]
    new_main = main - lower * low[..., 1]
    new_lower = -lower * low[..., 0]
    new_right = b_between - _core.expand_dims(lower, -1) * own[..., -1, :]
    # The block behind each: of the last, the rest.
    next_high = _core.concat([high[..., 1:, :], _core.zeros_like(high[..., :1, :])], -2)
    next_own = _core.concat([own[..., 1:, 0, :], _core.zeros_like(own[..., :1, 0, :])], -2)
    new_main = new_main - upper * next_high[..., 0]
    new_upper = -upper * next_high[..., 1]
    new_right = new_right - _core.expand_dims(upper, -1) * next_own
    if rest:
        matrix = dense_of(tail)
        start = _core.expand_dims(_core.one_hot(0, rest, dtype=d.dtype) * tail[..., 2, :1], -1)
        behind, last_own = complex_solve(matrix, start), complex_solve(matrix, rhs[..., count * size :, :])
        ends = _core.one_hot(count - 1, count, dtype=d.dtype) * upper[..., -1:]
        new_main = new_main - ends * behind[..., 0, :]
        new_right = new_right - _core.expand_dims(ends, -1) * last_own[..., :1, :]
    x = _solved(_core.stack([new_upper, new_main, new_lower], axis=-2), new_right)
    before = _core.concat([_core.zeros_like(x[..., :1, :]), x[..., :-1, :]], -2)
    within = (
        own
        - _core.expand_dims(both[..., 0], -1) * _core.expand_dims(before, -2)
        - _core.expand_dims(both[..., 1], -1) * _core.expand_dims(x, -2)
    )
    made = _core.reshape(_core.concat([within, _core.expand_dims(x, -2)], -2), [*wide, count * size, k])
    return _core.concat([made, last_own - behind * x[..., -1:, :]], -2) if rest else made


def tridiagonal_solve(diagonals, rhs, diagonals_format="compact", transpose_rhs=False, conjugate_rhs=False, name=None,
                      partial_pivoting=True, perturb_singular=False):  # fmt: skip
    """The solution of A x = rhs, where A has three diagonals.

    >>> diagonals = tf.constant([[1.0, 1.0, 0.0], [4.0, 4.0, 4.0], [0.0, 1.0, 1.0]])
    >>> tf.linalg.tridiagonal_solve(diagonals, [5.0, 6.0, 5.0]).numpy().round(3).tolist()
    [1.0, 1.0, 1.0]
    """
    if perturb_singular:
        raise ValueError(
            "[tridiagonal_solve] perturb_singular=True is not supported; add a small number to the main diagonal"
        )
    d = compact("tridiagonal_solve", diagonals, diagonals_format)
    rhs = _core.convert_to_tensor(rhs, dtype_hint=d.dtype)
    if rhs.shape.rank not in (d.shape.rank, d.shape.rank - 1):
        raise ValueError(
            f"[tridiagonal_solve] rhs has shape {tuple(rhs.shape)}; "
            f"for diagonals of shape {tuple(d.shape)} it has {d.shape.rank - 1} or {d.shape.rank} axes"
        )
    if conjugate_rhs:
        rhs = _core._math.conj(rhs)
    vector = rhs.shape.rank == d.shape.rank - 1
    rhs = _core.expand_dims(rhs, -1) if vector else _linalg.matrix_transpose(rhs) if transpose_rhs else rhs
    if rhs.shape[-2] != d.shape[-1]:
        raise ValueError(
            f"[tridiagonal_solve] a right side of {rhs.shape[-2]} rows does not go with matrices of {d.shape[-1]}"
        )
    x = _solved(d, rhs)
    return _core.squeeze(x, [-1]) if vector else x


def tridiagonal_matmul(diagonals, rhs, diagonals_format="compact", name=None):
    """The product of matrices that have three diagonals with others.

    >>> diagonals = tf.constant([[1.0, 1.0, 0.0], [4.0, 4.0, 4.0], [0.0, 1.0, 1.0]])
    >>> tf.linalg.tridiagonal_matmul(diagonals, [[1.0], [1.0], [1.0]]).numpy().tolist()
    [[5.0], [6.0], [5.0]]
    """
    rhs = _core.convert_to_tensor(rhs)
    d = compact("tridiagonal_matmul", diagonals, diagonals_format)
    upper, main, lower = (_core.expand_dims(d[..., i, :], -1) for i in range(3))
    zero = _core.zeros_like(rhs[..., :1, :])
    above, below = _core.concat([rhs[..., 1:, :], zero], -2), _core.concat([zero, rhs[..., :-1, :]], -2)
    return upper * above + main * rhs + lower * below


def banded_triangular_solve(bands, rhs, lower=True, adjoint=False, name=None):
    """The solution of A x = rhs, where A is a triangle of a few diagonals, the rows of bands:
    from the main one down, or from the top to it.

    >>> tf.linalg.banded_triangular_solve([[2.0, 2.0], [9.0, 1.0]], [[2.0], [5.0]]).numpy().tolist()
    [[1.0], [2.0]]
    """
    bands, rhs = _core.convert_to_tensor(bands), _core.convert_to_tensor(rhs)
    count, n = bands.shape[-2:]
    matrix = None
    for i in range(count):
        step = i if lower else count - 1 - i
        row = bands[..., i, step:] if lower else bands[..., i, : n - step]
        part = _linalg.diag(row, k=-step if lower else step)
        matrix = part if matrix is None else matrix + part
    if bands.dtype.is_complex:
        return complex_solve(_adjoint(matrix) if adjoint else matrix, rhs)
    return _linalg.triangular_solve(matrix, rhs, lower=lower, adjoint=adjoint)


def eigh_tridiagonal(alpha, beta, eigvals_only=True, select="a", select_range=None, tol=None, name=None):
    """The eigenvalues, rising, of matrices with alpha on the main diagonal and beta beside it,
    and the eigenvectors as columns.

    All of them (select='a'), those in (min, max] ('v'), or those of the numbers min to max ('i').

    >>> tf.linalg.eigh_tridiagonal([2.0, 2.0], [1.0]).numpy().round(3).tolist()
    [1.0, 3.0]
    """
    alpha, beta = _core.convert_to_tensor(alpha), _core.convert_to_tensor(beta)
    if alpha.shape[-1] != beta.shape[-1] + 1:
        raise ValueError(
            f"[eigh_tridiagonal] beta of {beta.shape[-1]} elements does not go with alpha of {alpha.shape[-1]}; it is "
            "shorter by one"
        )
    if beta.dtype.is_complex:
        if not eigvals_only:
            raise ValueError(
                "[eigh_tridiagonal] complex matrices have eigenvalues here, no eigenvectors; pass eigvals_only=True"
            )
        alpha, beta = _core._math.real(alpha), _core.abs(beta)  # which has the same eigenvalues
    matrix = _linalg.diag(alpha)
    if alpha.shape[-1] > 1:
        matrix = matrix + _linalg.diag(beta, k=1) + _linalg.diag(beta, k=-1)
    values, vectors = (_linalg.eigvalsh(matrix), None) if eigvals_only else _linalg.eigh(matrix)
    if select == "i":
        first, last = (int(n) for n in select_range)
        values, vectors = values[..., first : last + 1], None if eigvals_only else vectors[..., first : last + 1]
    elif select == "v":
        least, most = (float(v) for v in select_range)
        inside = _core.where((values > least) & (values <= most))[:, -1]
        values, vectors = (
            _core.gather(values, inside, axis=-1),
            None if eigvals_only else _core.gather(vectors, inside, axis=-1),
        )
    elif select != "a":
        raise ValueError(f"[eigh_tridiagonal] select is {select!r}; it is 'a', 'v' or 'i'")
    return values if eigvals_only else (values, vectors)


matrix_square_root = sqrtm
