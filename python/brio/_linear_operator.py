"""LinearOperator: a batch of matrices that may be known by less than all of their elements."""

from brio import _core
from brio._core import _linalg
from brio._decompositions import complex_solve
from brio._module import Module
from brio._shape import TensorShape


def transposed(x):
    """The adjoint of matrices."""
    return _linalg.adjoint(x) if x.dtype.is_complex else _linalg.matrix_transpose(x)


def conjugated(x):
    """x, conjugated where it is complex."""
    return _core._math.conj(x) if x.dtype.is_complex else x


def log_of_size(x):
    """The logarithm of |x|."""
    return _core._math.log(_core.abs(x))


def as_list(shape):
    """The sizes of a shape, as numbers."""
    return [int(n) for n in shape]


def common(*shapes):
    """The shape to which batches of these shapes spread."""
    found = TensorShape([])
    for shape in shapes:
        found = _core.broadcast_static_shape(found, TensorShape(shape))
    return as_list(found)


class LinearOperator(Module):
    """A batch of matrices. Subclasses say what they are with _shape() and _matmul(), or _to_dense();
    everything else follows.

    >>> operator = tf.linalg.LinearOperatorDiag([2.0, 3.0])
    >>> operator.matvec([1.0, 1.0]).numpy().tolist(), operator.determinant().numpy().item()
    ([2.0, 3.0], 6.0)
    """

    def __init__(self, dtype, graph_parents=None, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=None, name=None, parameters=None):  # fmt: skip
        super().__init__(name=None)
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            is_non_singular = True
        if is_non_singular or is_positive_definite:
            if is_square is False:
                raise ValueError("A non-singular or positive definite matrix is always square.")
            is_square = True
        if is_self_adjoint and is_square is False:
            raise ValueError("A self-adjoint matrix is always square.")
        for hint in (is_non_singular, is_self_adjoint, is_positive_definite, is_square):
            if hint is not None and not isinstance(hint, bool):
                raise TypeError(f"[{type(self).__name__}] a hint is {hint!r}; it is True, False or None")
        self._hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        self._dtype = None if dtype is None else _core.as_dtype(dtype)
        self._operator_name = name or type(self).__name__
        self._given = dict(parameters or {})

    dtype = property(lambda self: self._dtype, doc="The type of elements.")
    name = property(lambda self: self._operator_name, doc="The name of the operator.")
    parameters = property(lambda self: dict(self._given), doc="What the operator was made with, by name.")
    is_non_singular = property(lambda self: self._hints[0], doc="Has it an inverse? None where that is not known.")
    is_self_adjoint = property(lambda self: self._hints[1], doc="Is it its own adjoint? None where that is not known.")
    is_positive_definite = property(
        lambda self: self._hints[2], doc="Is it positive definite? None where that is not known."
    )

    @property
    def graph_parents(self):
        """The tensors that it is made of: none is kept here."""
        return []

    @property
    def is_square(self):
        """Are its matrices square?"""
        square = self.domain_dimension == self.range_dimension
        if self._hints[3] is not None and self._hints[3] != square:
            raise ValueError(f"User provided is_square hint conflicts with the shape {self.shape}.")
        return square

    # ---- shapes

    def _shape(self):
        raise NotImplementedError(f"{type(self).__name__} must have _shape()")

    @property
    def shape(self):
        """The sizes of the batch and of the matrices."""
        return TensorShape(self._shape())

    @property
    def batch_shape(self):
        """The sizes of the batch."""
        return self.shape[:-2]

    @property
    def tensor_rank(self):
        """How many axes the dense tensor has."""
        return self.shape.rank

    @property
    def domain_dimension(self):
        """How many columns the matrices have."""
        return self.shape[-1]

    @property
    def range_dimension(self):
        """How many rows the matrices have."""
        return self.shape[-2]

    def shape_tensor(self, name="shape_tensor"):
        """The sizes, as a tensor."""
        return _core.constant(as_list(self.shape), "int32")

    def batch_shape_tensor(self, name="batch_shape_tensor"):
        """The sizes of the batch, as a tensor."""
        sizes = as_list(self.batch_shape)
        return _core.constant(sizes, "int32", shape=[len(sizes)])

    def tensor_rank_tensor(self, name="tensor_rank_tensor"):
        """How many axes the dense tensor has, as a tensor."""
        return _core.constant(self.tensor_rank)

    def domain_dimension_tensor(self, name="domain_dimension_tensor"):
        """How many columns the matrices have, as a tensor."""
        return _core.constant(int(self.domain_dimension))

    def range_dimension_tensor(self, name="range_dimension_tensor"):
        """How many rows the matrices have, as a tensor."""
        return _core.constant(int(self.range_dimension))

    # ---- what subclasses know better

    def _to_dense(self):
        return self._matmul(
            _core.eye(int(self.domain_dimension), batch_shape=as_list(self.batch_shape), dtype=self.dtype), False
        )

    def _matmul(self, x, adjoint):
        matrix = self._to_dense()
        return _core.matmul(transposed(matrix) if adjoint else matrix, x)

    def _solve(self, rhs, adjoint):
        matrix = self._to_dense()
        if self.is_positive_definite and self.is_self_adjoint and not matrix.dtype.is_complex:
            return (
                _linalg.cholesky_solve(_linalg.cholesky(matrix), rhs)
                if len(matrix.shape) == len(rhs.shape)
                else _linalg.solve(matrix, rhs)
            )
        return complex_solve(transposed(matrix) if adjoint else matrix, rhs)

    def _diag_part(self):
        return _linalg.diag_part(self._to_dense())

    def _determinant(self):
        matrix = self._to_dense()
        if not matrix.dtype.is_complex:
            return _linalg.det(matrix)
        import numpy as np

        from brio._host import on_host

        return on_host(np.linalg.det, [matrix], [(matrix.shape[:-2], matrix.dtype)])[0]

    def _log_abs_determinant(self):
        matrix = self._to_dense()
        if not matrix.dtype.is_complex:
            return _linalg.slogdet(matrix)[1]
        real, imag = _core._math.real(matrix), _core._math.imag(matrix)
        whole = _core.concat([_core.concat([real, -imag], -1), _core.concat([imag, real], -1)], -2)
        return _core.cast(0.5 * _linalg.slogdet(whole)[1], matrix.dtype)

    def _trace(self):
        return _core.reduce_sum(self._diag_part(), axis=-1)

    def _adjoint(self):
        from brio._linear_joined import LinearOperatorAdjoint

        return LinearOperatorAdjoint(self, is_non_singular=self.is_non_singular, is_self_adjoint=self.is_self_adjoint,
                                     is_positive_definite=self.is_positive_definite,
                                     is_square=True if self.is_square else None)  # fmt: skip

    def _inverse(self):
        from brio._linear_joined import LinearOperatorInversion

        return LinearOperatorInversion(
            self,
            is_non_singular=True,
            is_self_adjoint=self.is_self_adjoint,
            is_positive_definite=self.is_positive_definite,
            is_square=True,
        )

    def _cholesky(self):
        from brio._linear_operators import LinearOperatorLowerTriangular

        return LinearOperatorLowerTriangular(
            _linalg.cholesky(self._to_dense()), is_non_singular=True, is_self_adjoint=False, is_square=True
        )

    def _times(self, other):
        """The product with another operator, where it is simpler than a composition; else None."""
        return None

    def _eigvals(self):
        return _linalg.eigvalsh(self._to_dense())

    # ---- what everybody asks for

    def _needs_square(self, what, invertible=False):
        if not self.is_square:
            raise NotImplementedError(f"[{type(self).__name__}.{what}] the matrices are not square: {self.shape}")
        if invertible and self.is_non_singular is False:
            raise NotImplementedError(f"[{type(self).__name__}.{what}] the matrices are singular")

    def to_dense(self, name="to_dense"):
        """The matrices as a tensor."""
        return self._to_dense()

    def _argument(self, x):
        x = _core.convert_to_tensor(x, dtype_hint=self.dtype)
        if x.dtype != self.dtype:
            raise TypeError(
                f"[{type(self).__name__}] an argument is of {x.dtype.name}, but the operator of {self.dtype.name}"
            )
        return x

    def matmul(self, x, adjoint=False, adjoint_arg=False, name="matmul"):
        """The product with matrices, or with another operator."""
        if isinstance(x, LinearOperator):
            left, right = self.adjoint() if adjoint else self, x.adjoint() if adjoint_arg else x
            if left.domain_dimension != right.range_dimension:
                raise ValueError(
                    f"Operators are incompatible. Expected `x` to have dimension {left.domain_dimension} but got "
                    f"{right.range_dimension}."
                )
            return left._product(right)
        x = self._argument(x)
        x = transposed(x) if adjoint_arg else x
        self._check(x, self.range_dimension if adjoint else self.domain_dimension)
        return self._matmul(x, adjoint)

    def _check(self, x, size):
        if x.shape.rank < 2 or x.shape[-2] != size:
            raise ValueError(
                f"[{type(self).__name__}] a matrix of shape {tuple(x.shape)} does not go with an operator of shape "
                f"{self.shape}; it needs {size} rows"
            )

    def _product(self, other):
        made = self._times(other)
        if made is None:
            from brio._linear_joined import LinearOperatorComposition

            made = LinearOperatorComposition([self, other])
        return made

    def __matmul__(self, other):
        return self.matmul(other)

    def matvec(self, x, adjoint=False, name="matvec"):
        """The product with vectors."""
        return _core.squeeze(self.matmul(_core.expand_dims(self._argument(x), -1), adjoint), [-1])

    def solve(self, rhs, adjoint=False, adjoint_arg=False, name="solve"):
        """The matrices whose product with the operator is rhs."""
        self._needs_square("solve", True)
        if isinstance(rhs, LinearOperator):
            return (self.adjoint() if adjoint else self).inverse().matmul(rhs, adjoint_arg=adjoint_arg)
        rhs = self._argument(rhs)
        rhs = transposed(rhs) if adjoint_arg else rhs
        self._check(rhs, self.domain_dimension if adjoint else self.range_dimension)
        return self._solve(rhs, adjoint)

    def solvevec(self, rhs, adjoint=False, name="solve"):
        """The vectors whose product with the operator is rhs."""
        return _core.squeeze(self.solve(_core.expand_dims(self._argument(rhs), -1), adjoint), [-1])

    def determinant(self, name="det"):
        """The determinants."""
        self._needs_square("determinant")
        return self._determinant()

    def log_abs_determinant(self, name="log_abs_det"):
        """The logarithms of the sizes of the determinants."""
        self._needs_square("log_abs_determinant")
        return self._log_abs_determinant()

    def trace(self, name="trace"):
        """The sums of the main diagonals."""
        return self._trace()

    def diag_part(self, name="diag_part"):
        """The main diagonals."""
        return self._diag_part()

    def add_to_tensor(self, x, name="add_to_tensor"):
        """The sum with a tensor."""
        return self._argument(x) + self._to_dense()

    def adjoint(self, name="adjoint"):
        """The operator of the adjoint matrices."""
        return self if self.is_self_adjoint else self._adjoint()

    @property
    def H(self):
        """The operator of the adjoint matrices."""
        return self.adjoint()

    def inverse(self, name="inverse"):
        """The operator of the inverse matrices."""
        if self.is_non_singular is False:
            raise ValueError("Cannot take the Inverse: This operator represents a singular matrix.")
        self._needs_square("inverse")
        return self._inverse()

    def cholesky(self, name="cholesky"):
        """The operator of the lower triangles whose product with their adjoints is this one,
        which is positive definite and self-adjoint."""
        if not (self.is_positive_definite and self.is_self_adjoint):
            raise ValueError("Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix.")
        return self._cholesky()

    def cond(self, name="cond"):
        """The ratios of the largest to the smallest singular values."""
        if self.is_self_adjoint:
            sizes = _core.abs(self.eigvals())
            return _core.cast(_core.reduce_max(sizes, axis=-1) / _core.reduce_min(sizes, axis=-1), self.dtype)
        values = _linalg._svdvals(self._to_dense())
        return values[..., 0] / values[..., -1]

    def eigvals(self, name="eigvals"):
        """The eigenvalues, rising, of self-adjoint matrices."""
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        return self._eigvals()

    def _assert(self, holds, what):
        from brio import debugging

        debugging.Assert(holds, [what])

    def assert_non_singular(self, name="assert_non_singular"):
        """An error where a matrix is singular, or nearly so."""
        limit = 1e6 if self.dtype.size == 4 else 1e14
        self._assert(_core.reduce_all(_core.abs(self.cond()) < limit), "Singular matrix up to precision epsilon.")

    def assert_positive_definite(self, name="assert_positive_definite"):
        """An error where a matrix is not positive definite."""
        matrix = self._to_dense()
        half = 0.5 * (matrix + transposed(matrix))
        self._assert(_core.reduce_all(_linalg.eigvalsh(half) > 0), "Operator was not positive definite.")

    def assert_self_adjoint(self, name="assert_self_adjoint"):
        """An error where a matrix is not its own adjoint."""
        matrix = self._to_dense()
        self._assert(_core.reduce_all(_core.equal(matrix, transposed(matrix))), "Matrix was not equal to its adjoint.")

    def __repr__(self):
        return f"<{type(self).__name__} shape={tuple(self.shape)} dtype={self.dtype.name}>"
