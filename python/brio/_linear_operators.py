"""Linear operators of one kind each: full matrices, diagonals, identities, triangles, reflections,
permutations, Toeplitz's."""

from brio import _core
from brio._core import _linalg
from brio._decompositions import compact, complex_solve, dense_of, tridiagonal_matmul, tridiagonal_solve
from brio._linear_operator import LinearOperator, as_list, common, conjugated, log_of_size, transposed


def tensor(x, dtype=None):
    """A tensor, or a variable as it is, so that tapes and what trains find it."""
    return x if isinstance(x, _core.Variable) else _core.convert_to_tensor(x, dtype)


def _spread(x, batch, inner=2):
    """x with the axes of a batch in front."""
    return _core.broadcast_to(x, [*common(batch, x.shape[:-inner]), *x.shape[-inner:]])


class LinearOperatorFullMatrix(LinearOperator):
    """Matrices that are given in full.

    >>> tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]]).trace().numpy().item()
    5.0
    """

    def __init__(self, matrix, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorFullMatrix"):  # fmt: skip
        self._matrix = tensor(matrix)
        super().__init__(
            self._matrix.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            {"matrix": matrix},
        )

    matrix = property(lambda self: self._matrix, doc="The matrices.")

    def _shape(self):
        return self._matrix.shape

    def _to_dense(self):
        return _core.convert_to_tensor(self._matrix)


class LinearOperatorDiag(LinearOperator):
    """Diagonal matrices.

    >>> tf.linalg.LinearOperatorDiag([2.0, 4.0]).solvevec([2.0, 2.0]).numpy().tolist()
    [1.0, 0.5]
    """

    def __init__(
        self,
        diag,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorDiag",
    ):
        self._diag = tensor(diag)
        if is_self_adjoint is None and not self._diag.dtype.is_complex:
            is_self_adjoint = True
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
        super().__init__(
            self._diag.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name, {"diag": diag}
        )

    diag = property(lambda self: self._diag, doc="The diagonals.")

    def _shape(self):
        return [*self._diag.shape, self._diag.shape[-1]]

    def _to_dense(self):
        return _linalg.diag(_core.convert_to_tensor(self._diag))

    def _factor(self, adjoint):
        d = _core.convert_to_tensor(self._diag)
        return _core.expand_dims(conjugated(d) if adjoint else d, -1)

    def _matmul(self, x, adjoint):
        return self._factor(adjoint) * x

    def _solve(self, rhs, adjoint):
        return rhs / self._factor(adjoint)

    def _diag_part(self):
        return _core.convert_to_tensor(self._diag)

    def _determinant(self):
        return _core.reduce_prod(self._diag_part(), axis=-1)

    def _log_abs_determinant(self):
        return _core.cast(_core.reduce_sum(log_of_size(self._diag_part()), axis=-1), self.dtype)

    def _same(self, diag):
        return LinearOperatorDiag(diag, self.is_non_singular, self.is_self_adjoint, self.is_positive_definite, True)

    def _adjoint(self):
        return self._same(conjugated(self._diag_part()))

    def _inverse(self):
        return LinearOperatorDiag(1.0 / self._diag_part(), True, self.is_self_adjoint, self.is_positive_definite, True)

    def _cholesky(self):
        return LinearOperatorDiag(_core.sqrt(self._diag_part()), True, True, True, True)

    def _eigvals(self):
        return self._diag_part()

    def _times(self, other):
        if isinstance(other, LinearOperatorDiag):
            return LinearOperatorDiag(self._diag_part() * other._diag_part())
        return self if isinstance(other, LinearOperatorIdentity) else None


class _Identity(LinearOperator):
    def __init__(self, num_rows, batch_shape, dtype, hints, name, parameters):
        self._rows = int(num_rows)
        self._batch = (
            []
            if batch_shape is None
            else as_list(batch_shape.numpy() if hasattr(batch_shape, "numpy") else batch_shape)
        )
        if self._rows < 0:
            raise ValueError(f"Argument num_rows must be non-negative. Found: {num_rows}")
        super().__init__(dtype, None, *hints, name, parameters)

    def _shape(self):
        return [*self._batch, self._rows, self._rows]


class LinearOperatorIdentity(_Identity):
    """Identity matrices.

    >>> tf.linalg.LinearOperatorIdentity(3).to_dense().numpy().sum().item()
    3.0
    """

    def __init__(self, num_rows, batch_shape=None, dtype=None, is_non_singular=True, is_self_adjoint=True,
                 is_positive_definite=True, is_square=True, assert_proper_shapes=False,
                 name="LinearOperatorIdentity"):  # fmt: skip
        if not (is_non_singular and is_self_adjoint and is_positive_definite and is_square):
            raise ValueError("An identity operator is always non-singular, self-adjoint, positive definite and square.")
        super().__init__(
            num_rows,
            batch_shape,
            dtype or "float32",
            (True, True, True, True),
            name,
            {"num_rows": num_rows, "batch_shape": batch_shape, "dtype": dtype},
        )

    def _to_dense(self):
        return _core.eye(self._rows, batch_shape=self._batch, dtype=self.dtype)

    def _matmul(self, x, adjoint):
        return _spread(x, self._batch)

    def _solve(self, rhs, adjoint):
        return _spread(rhs, self._batch)

    def _diag_part(self):
        return _core.ones([*self._batch, self._rows], self.dtype)

    def _eigvals(self):
        return self._diag_part()

    def _determinant(self):
        return _core.ones(self._batch, self.dtype)

    def _log_abs_determinant(self):
        return _core.zeros(self._batch, self.dtype)

    def _inverse(self):
        return self

    def _cholesky(self):
        return self

    def _times(self, other):
        return other if not self._batch else None

    def cond(self, name="cond"):
        """1 for each."""
        return _core.ones(self._batch, self.dtype)


class LinearOperatorScaledIdentity(_Identity):
    """Identity matrices times a number each.

    >>> tf.linalg.LinearOperatorScaledIdentity(2, 3.0).determinant().numpy().item()
    9.0
    """

    def __init__(self, num_rows, multiplier, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=True, assert_proper_shapes=False, name="LinearOperatorScaledIdentity"):  # fmt: skip
        self._multiplier = tensor(multiplier)
        if is_self_adjoint is None and not self._multiplier.dtype.is_complex:
            is_self_adjoint = True
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(
            num_rows,
            self._multiplier.shape,
            self._multiplier.dtype,
            hints,
            name,
            {"num_rows": num_rows, "multiplier": multiplier},
        )

    multiplier = property(lambda self: self._multiplier, doc="The numbers.")

    def _factor(self, adjoint=False, axes=2):
        m = _core.convert_to_tensor(self._multiplier)
        return _core.reshape(conjugated(m) if adjoint else m, [*self._batch] + [1] * axes)

    def _to_dense(self):
        return self._factor() * _core.eye(self._rows, dtype=self.dtype)

    def _matmul(self, x, adjoint):
        return self._factor(adjoint) * x

    def _solve(self, rhs, adjoint):
        return rhs / self._factor(adjoint)

    def _diag_part(self):
        return self._factor(axes=1) * _core.ones([self._rows], self.dtype)

    def _eigvals(self):
        return self._diag_part()

    def _determinant(self):
        return _core.pow(_core.convert_to_tensor(self._multiplier), _core.constant(self._rows, self.dtype))

    def _log_abs_determinant(self):
        return _core.cast(self._rows * log_of_size(_core.convert_to_tensor(self._multiplier)), self.dtype)

    def _adjoint(self):
        factor = conjugated(_core.convert_to_tensor(self._multiplier))
        return LinearOperatorScaledIdentity(
            self._rows, factor, self.is_non_singular, self.is_self_adjoint, self.is_positive_definite
        )

    def _inverse(self):
        return LinearOperatorScaledIdentity(
            self._rows,
            1.0 / _core.convert_to_tensor(self._multiplier),
            True,
            self.is_self_adjoint,
            self.is_positive_definite,
        )

    def _cholesky(self):
        return LinearOperatorScaledIdentity(
            self._rows, _core.sqrt(_core.convert_to_tensor(self._multiplier)), True, True, True
        )

    def _times(self, other):
        if isinstance(other, LinearOperatorIdentity):
            return self
        if isinstance(other, LinearOperatorScaledIdentity):
            return LinearOperatorScaledIdentity(
                self._rows, _core.convert_to_tensor(self._multiplier) * other.multiplier
            )
        return None

    def cond(self, name="cond"):
        """1 for each."""
        return _core.ones(self._batch, self.dtype)


class LinearOperatorZeros(_Identity):
    """Matrices of zeros.

    >>> tf.linalg.LinearOperatorZeros(2, 3).matvec([1.0, 2.0, 3.0]).numpy().tolist()
    [0.0, 0.0]
    """

    def __init__(self, num_rows, num_columns=None, batch_shape=None, dtype=None, is_non_singular=False,
                 is_self_adjoint=True, is_positive_definite=False, is_square=True, assert_proper_shapes=False,
                 name="LinearOperatorZeros"):  # fmt: skip
        self._columns = int(num_rows if num_columns is None else num_columns)
        if is_non_singular or is_positive_definite:
            raise ValueError("A zero operator is always singular, and not positive definite.")
        square = self._columns == int(num_rows)
        super().__init__(num_rows, batch_shape, dtype or "float32", (False, is_self_adjoint and square, False, square),
                         name, {"num_rows": num_rows, "num_columns": num_columns})  # fmt: skip

    def _shape(self):
        return [*self._batch, self._rows, self._columns]

    def _to_dense(self):
        return _core.zeros(self._shape(), self.dtype)

    def _matmul(self, x, adjoint):
        return _core.zeros(
            [*common(self._batch, x.shape[:-2]), self._columns if adjoint else self._rows, x.shape[-1]], self.dtype
        )

    def _diag_part(self):
        return _core.zeros([*self._batch, min(self._rows, self._columns)], self.dtype)

    def _eigvals(self):
        return self._diag_part()

    def _determinant(self):
        return _core.zeros(self._batch, self.dtype)

    def _log_abs_determinant(self):
        return _core.zeros(self._batch, self.dtype) - float("inf")


class LinearOperatorLowerTriangular(LinearOperator):
    """Lower triangles of matrices.

    >>> tf.linalg.LinearOperatorLowerTriangular([[1.0, 7.0], [2.0, 3.0]]).determinant().numpy().item()
    3.0
    """

    def __init__(self, tril, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorLowerTriangular"):  # fmt: skip
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        self._tril = tensor(tril)
        super().__init__(
            self._tril.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name, {"tril": tril}
        )

    tril = property(lambda self: self._tril, doc="The matrices whose lower triangles count.")

    def _shape(self):
        return self._tril.shape

    def _to_dense(self):
        return _linalg.band_part(_core.convert_to_tensor(self._tril), -1, 0)

    def _solve(self, rhs, adjoint):
        matrix = self._to_dense()
        if matrix.dtype.is_complex:
            return complex_solve(transposed(matrix) if adjoint else matrix, rhs)
        return _linalg.triangular_solve(matrix, rhs, lower=True, adjoint=adjoint)

    def _diag_part(self):
        return _linalg.diag_part(_core.convert_to_tensor(self._tril))

    def _determinant(self):
        return _core.reduce_prod(self._diag_part(), axis=-1)

    def _log_abs_determinant(self):
        return _core.cast(_core.reduce_sum(log_of_size(self._diag_part()), axis=-1), self.dtype)

    def _times(self, other):
        return self if isinstance(other, LinearOperatorIdentity) else None


class LinearOperatorHouseholder(LinearOperator):
    """Reflections across the plane behind an axis.

    >>> tf.linalg.LinearOperatorHouseholder([1.0, 0.0]).matvec([3.0, 2.0]).numpy().tolist()
    [-3.0, 2.0]
    """

    def __init__(self, reflection_axis, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=None, name="LinearOperatorHouseholder"):  # fmt: skip
        self._reflection_axis = tensor(reflection_axis)
        if is_self_adjoint is False or is_positive_definite or is_non_singular is False or is_square is False:
            raise ValueError(
                "A Householder operator is always self-adjoint, non-singular and square, and never positive definite."
            )
        super().__init__(
            self._reflection_axis.dtype,
            None,
            is_non_singular,
            True,
            False,
            True,
            name,
            {"reflection_axis": reflection_axis},
        )

    reflection_axis = property(lambda self: self._reflection_axis, doc="The axes, of any length.")

    def _shape(self):
        return [*self._reflection_axis.shape, self._reflection_axis.shape[-1]]

    def _unit(self):
        axis = _core.convert_to_tensor(self._reflection_axis)
        return axis / _core.norm(axis, axis=-1, keepdims=True)

    def _matmul(self, x, adjoint):
        unit = _core.expand_dims(self._unit(), -1)
        return x - 2.0 * unit * _core.matmul(unit, x, adjoint_a=True)

    def _solve(self, rhs, adjoint):
        return self._matmul(rhs, adjoint)

    def _diag_part(self):
        unit = self._unit()
        return 1.0 - 2.0 * unit * conjugated(unit)

    def _eigvals(self):
        ones = _core.ones_like(self._unit())
        return _core.concat([-ones[..., :1], ones[..., 1:]], -1)

    def _determinant(self):
        return -_core.ones(as_list(self.batch_shape), self.dtype)

    def _log_abs_determinant(self):
        return _core.zeros(as_list(self.batch_shape), self.dtype)

    def _inverse(self):
        return self

    def cond(self, name="cond"):
        """1 for each."""
        return _core.ones(as_list(self.batch_shape), self.dtype)


class LinearOperatorPermutation(LinearOperator):
    """Matrices that put rows in another order: row i of a product is row perm[i].

    >>> tf.linalg.LinearOperatorPermutation([1, 2, 0]).matvec([5.0, 6.0, 7.0]).numpy().tolist()
    [6.0, 7.0, 5.0]
    """

    def __init__(self, perm, dtype="float32", is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=None, name="LinearOperatorPermutation"):  # fmt: skip
        self._perm = tensor(perm)
        if not self._perm.dtype.is_integer:
            raise TypeError("Argument `perm` must have integer `dtype`.")
        if is_non_singular is False or is_square is False:
            raise ValueError("A Permutation operator is always non-singular and square.")
        super().__init__(
            dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name, {"perm": perm}
        )

    perm = property(lambda self: self._perm, doc="The row that stands at each place.")

    def _shape(self):
        return [*self._perm.shape, self._perm.shape[-1]]

    def _to_dense(self):
        return _core.one_hot(_core.convert_to_tensor(self._perm), int(self._perm.shape[-1]), dtype=self.dtype)

    def _matmul(self, x, adjoint):
        order = _core.convert_to_tensor(self._perm)
        order = _core.argsort(order, axis=-1) if adjoint else order
        batch = common(order.shape[:-1], x.shape[:-2])
        x, order = _spread(x, batch), _spread(order, batch, 1)
        return _core.gather(x, order, axis=len(batch), batch_dims=len(batch))

    def _solve(self, rhs, adjoint):
        return self._matmul(rhs, not adjoint)

    def _log_abs_determinant(self):
        return _core.zeros(as_list(self.batch_shape), self.dtype)

    def cond(self, name="cond"):
        """1 for each."""
        return _core.ones(as_list(self.batch_shape), self.dtype)


class LinearOperatorToeplitz(LinearOperator):
    """Matrices that are constant along each diagonal, of their first column and row.

    >>> tf.linalg.LinearOperatorToeplitz([1.0, 2.0], [1.0, 3.0]).to_dense().numpy().tolist()
    [[1.0, 3.0], [2.0, 1.0]]
    """

    def __init__(self, col, row, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorToeplitz"):  # fmt: skip
        self._col, self._row = tensor(col), tensor(row)
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        super().__init__(
            self._row.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
            {"col": col, "row": row},
        )

    col = property(lambda self: self._col, doc="The first columns.")
    row = property(lambda self: self._row, doc="The first rows.")

    def _shape(self):
        n = self._row.shape[-1]
        return [*common(self._row.shape[:-1], self._col.shape[:-1]), n, n]

    def _both(self):
        batch = as_list(self.batch_shape)
        return _spread(_core.convert_to_tensor(self._col), batch, 1), _spread(
            _core.convert_to_tensor(self._row), batch, 1
        )

    def _to_dense(self):
        col, row = self._both()
        n = int(row.shape[-1])
        around = _core.concat([_core.reverse(row[..., 1:], [-1]), col], -1)  # from the corner above to the one below
        places = _core.expand_dims(_core.range(n), 1) - _core.range(n) + (n - 1)
        return _core.gather(around, places, axis=-1)

    def _matmul(self, x, adjoint):
        # The corner of a circulant matrix of twice the size, which a Fourier transform makes diagonal.
        col, row = self._both()
        if adjoint:
            col, row = conjugated(row), conjugated(col)
        n = int(row.shape[-1])
        first = _core.concat([col, _core.zeros_like(col[..., :1]), _core.reverse(row[..., 1:], [-1])], -1)
        wide = (
            "complex128"
            if self.dtype.size == 8 and not self.dtype.is_complex or self.dtype.name == "complex128"
            else "complex64"
        )
        spectrum = _core._signal.fft(_core.cast(first, wide))
        lines = _linalg.matrix_transpose(_core.pad(x, [[0, 0]] * (x.shape.rank - 2) + [[0, n], [0, 0]]))
        made = _core._signal.ifft(_core.expand_dims(spectrum, -2) * _core._signal.fft(_core.cast(lines, wide)))
        made = made if self.dtype.is_complex else _core._math.real(made)
        return _core.cast(_linalg.matrix_transpose(made)[..., :n, :], self.dtype)

    def _diag_part(self):
        col, _ = self._both()
        return _core.repeat(col[..., :1], int(col.shape[-1]), axis=-1)


class LinearOperatorTridiag(LinearOperator):
    """Matrices of three diagonals.

    >>> diagonals = [[3.0, 4.0, 0.0], [1.0, -1.0, 2.0], [0.0, 6.0, 7.0]]
    >>> tf.linalg.LinearOperatorTridiag(diagonals).to_dense().numpy()[0].tolist()
    [1.0, 3.0, 0.0]
    """

    def __init__(self, diagonals, diagonals_format="compact", is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name="LinearOperatorTridiag"):  # fmt: skip
        if is_square is False:
            raise ValueError("Only square tridiagonal operators are supported.")
        self._diagonals, self._format = diagonals, diagonals_format
        self._kept = compact("LinearOperatorTridiag", diagonals, diagonals_format)
        super().__init__(
            self._kept.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name,
            {"diagonals": diagonals, "diagonals_format": diagonals_format},
        )

    diagonals = property(lambda self: self._diagonals, doc="The diagonals as they were given.")
    diagonals_format = property(lambda self: self._format, doc="How they were given.")

    def _shape(self):
        return [*self._kept.shape[:-2], self._kept.shape[-1], self._kept.shape[-1]]

    def _compact(self, adjoint):
        d = compact("LinearOperatorTridiag", self._diagonals, self._format)
        if not adjoint:
            return d
        upper, main, lower = (conjugated(d[..., i, :]) for i in range(3))
        zero = _core.zeros_like(main[..., :1])
        return _core.stack(
            [_core.concat([lower[..., 1:], zero], -1), main, _core.concat([zero, upper[..., :-1]], -1)], axis=-2
        )

    def _to_dense(self):
        return dense_of(self._compact(False))

    def _diag_part(self):
        return self._compact(False)[..., 1, :]

    def _matmul(self, x, adjoint):
        return tridiagonal_matmul(self._compact(adjoint), x)

    def _solve(self, rhs, adjoint):
        d = self._compact(adjoint)
        batch = common(d.shape[:-2], rhs.shape[:-2])
        return tridiagonal_solve(_spread(d, batch), _spread(rhs, batch))
