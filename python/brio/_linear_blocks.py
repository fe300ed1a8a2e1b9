"""Linear operators of blocks: along a diagonal, or in a lower triangle."""

from brio import _core
from brio._linear_joined import every, one_dtype, total
from brio._linear_operator import LinearOperator, as_list, common


class _Blocks(LinearOperator):
    """Operators of blocks: matmul and solve take lists of the blocks of an argument too, and give lists then."""

    def _in_blocks(self, x, compute, vectors, given, made, adjoint):
        if (
            isinstance(x, (list, tuple))
            and len(x) == len(given)
            and all(_core.is_tensor(p) or hasattr(p, "shape") for p in x)
        ):
            parts = [self._argument(p) for p in x]
            batch = common(*(p.shape[: -1 if vectors else -2] for p in parts))
            inner = 1 if vectors else 2
            parts = [_core.broadcast_to(p, [*batch, *p.shape[-inner:]]) for p in parts]
            axis = -1 if vectors else -2
            return _core.split(compute(_core.concat(parts, axis)), made, axis=axis)
        return compute(x)

    def matmul(self, x, adjoint=False, adjoint_arg=False, name="matmul"):
        """The product with matrices, with lists of their blocks, or with another operator."""
        rows, columns = self._block_sizes()
        given, made = (rows, columns) if adjoint else (columns, rows)
        return self._in_blocks(
            x, lambda t: LinearOperator.matmul(self, t, adjoint, adjoint_arg), False, given, made, adjoint
        )

    def matvec(self, x, adjoint=False, name="matvec"):
        """The product with vectors, or with lists of their blocks."""
        rows, columns = self._block_sizes()
        given, made = (rows, columns) if adjoint else (columns, rows)
        return self._in_blocks(x, lambda t: LinearOperator.matvec(self, t, adjoint), True, given, made, adjoint)

    def solve(self, rhs, adjoint=False, adjoint_arg=False, name="solve"):
        """The matrices whose product with the operator is rhs, which may be a list of blocks."""
        rows, columns = self._block_sizes()
        given, made = (columns, rows) if adjoint else (rows, columns)
        return self._in_blocks(
            rhs, lambda t: LinearOperator.solve(self, t, adjoint, adjoint_arg), False, given, made, adjoint
        )

    def solvevec(self, rhs, adjoint=False, name="solve"):
        """The vectors whose product with the operator is rhs, which may be a list of blocks."""
        rows, columns = self._block_sizes()
        given, made = (columns, rows) if adjoint else (rows, columns)
        return self._in_blocks(rhs, lambda t: LinearOperator.solvevec(self, t, adjoint), True, given, made, adjoint)


class LinearOperatorBlockDiag(_Blocks):
    """Operators along a diagonal.

    >>> a, b = tf.linalg.LinearOperatorIdentity(1), tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorBlockDiag([a, b]).to_dense().numpy().tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 2.0], [0.0, 3.0, 4.0]]
    """

    def __init__(
        self,
        operators,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=True,
        name=None,
    ):
        self._operators = one_dtype("LinearOperatorBlockDiag", operators)
        hints = [
            h if h is not None else every(self._operators, n)
            for n, h in (
                ("is_non_singular", is_non_singular),
                ("is_self_adjoint", is_self_adjoint),
                ("is_positive_definite", is_positive_definite),
            )
        ]
        square = is_square if all(o.is_square for o in self._operators) else None
        super().__init__(self._operators[0].dtype, None, *hints, square,
                         name or "_ds_".join(o.name for o in self._operators), {"operators": operators})  # fmt: skip

    operators = property(lambda self: self._operators, doc="The operators of the blocks.")

    def _block_sizes(self):
        return [int(o.range_dimension) for o in self._operators], [int(o.domain_dimension) for o in self._operators]

    def _shape(self):
        rows, columns = self._block_sizes()
        return [*common(*(o.batch_shape for o in self._operators)), sum(rows), sum(columns)]

    def _to_dense(self):
        batch, columns = as_list(self.batch_shape), int(self.domain_dimension)
        lines, before = [], 0
        for o in self._operators:
            size = int(o.domain_dimension)
            part = _core.broadcast_to(o.to_dense(), [*batch, int(o.range_dimension), size])
            lines.append(_core.pad(part, [[0, 0]] * (len(batch) + 1) + [[before, columns - before - size]]))
            before += size
        return _core.concat(lines, -2)

    def _each(self, x, sizes, f):
        parts = [f(o, part) for o, part in zip(self._operators, _core.split(x, sizes, axis=-2))]
        batch = common(*(p.shape[:-2] for p in parts))
        return _core.concat([_core.broadcast_to(p, [*batch, *p.shape[-2:]]) for p in parts], -2)

    def _matmul(self, x, adjoint):
        return self._each(x, self._block_sizes()[0 if adjoint else 1], lambda o, part: o._matmul(part, adjoint))

    def _solve(self, rhs, adjoint):
        return self._each(rhs, self._block_sizes()[1 if adjoint else 0], lambda o, part: o._solve(part, adjoint))

    def _determinant(self):
        made = self._operators[0].determinant()
        for o in self._operators[1:]:
            made = made * o.determinant()
        return made

    def _log_abs_determinant(self):
        return total([o.log_abs_determinant() for o in self._operators])

    def _diag_part(self):
        batch = as_list(self.batch_shape)
        parts = [o.diag_part() for o in self._operators]
        return _core.concat([_core.broadcast_to(p, [*batch, p.shape[-1]]) for p in parts], -1)

    def _eigvals(self):
        batch = as_list(self.batch_shape)
        parts = [o.eigvals() for o in self._operators]
        return _core.concat([_core.broadcast_to(p, [*batch, p.shape[-1]]) for p in parts], -1)

    def _same(self, operators, non_singular=None):
        return LinearOperatorBlockDiag(
            operators, non_singular or self.is_non_singular, self.is_self_adjoint, self.is_positive_definite
        )

    def _adjoint(self):
        return self._same([o.adjoint() for o in self._operators])

    def _inverse(self):
        return self._same([o.inverse() for o in self._operators], True)

    def _cholesky(self):
        return LinearOperatorBlockDiag([o.cholesky() for o in self._operators], True, None, None)


class LinearOperatorBlockLowerTriangular(_Blocks):
    """Rows of operators, each one longer than the row above; nothing is behind the last of a row.

    >>> one = tf.linalg.LinearOperatorFullMatrix([[2.0]])
    >>> tf.linalg.LinearOperatorBlockLowerTriangular([[one], [one, one]]).matvec([1.0, 1.0]).numpy().tolist()
    [2.0, 4.0]
    """

    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorBlockLowerTriangular"):  # fmt: skip
        self._rows = [list(row) for row in operators]
        for i, row in enumerate(self._rows):
            if len(row) != i + 1:
                raise ValueError(
                    f"[LinearOperatorBlockLowerTriangular] row {i} has {len(row)} blocks; it needs {i + 1}"
                )
            if any(
                o.range_dimension != row[-1].range_dimension or o.domain_dimension != self._rows[j][j].domain_dimension
                for j, o in enumerate(row)
            ):
                raise ValueError(
                    f"[LinearOperatorBlockLowerTriangular] the blocks of row {i} do not fit those beside or above them"
                )
        one_dtype("LinearOperatorBlockLowerTriangular", [o for row in self._rows for o in row])
        if is_non_singular is None:
            is_non_singular = every([row[-1] for row in self._rows], "is_non_singular")
        super().__init__(self._rows[0][0].dtype, None, is_non_singular, is_self_adjoint, is_positive_definite,
                         is_square, name, {"operators": operators})  # fmt: skip

    operators = property(lambda self: self._rows, doc="The rows of operators.")

    def _diagonal(self):
        return [row[-1] for row in self._rows]

    def _block_sizes(self):
        return [int(o.range_dimension) for o in self._diagonal()], [int(o.domain_dimension) for o in self._diagonal()]

    def _shape(self):
        rows, columns = self._block_sizes()
        return [*common(*(o.batch_shape for row in self._rows for o in row)), sum(rows), sum(columns)]

    def _to_dense(self):
        batch, (rows, columns) = as_list(self.batch_shape), self._block_sizes()
        lines = []
        for row, height in zip(self._rows, rows):
            parts = [_core.broadcast_to(o.to_dense(), [*batch, height, int(o.domain_dimension)]) for o in row]
            lines.append(
                _core.pad(_core.concat(parts, -1), [[0, 0]] * (len(batch) + 1) + [[0, sum(columns[len(row) :])]])
            )
        return _core.concat(lines, -2)

    def _joined(self, parts):
        batch = common(*(p.shape[:-2] for p in parts))
        return _core.concat([_core.broadcast_to(p, [*batch, *p.shape[-2:]]) for p in parts], -2)

    def _matmul(self, x, adjoint):
        rows, columns = self._block_sizes()
        parts, n = _core.split(x, rows if adjoint else columns, axis=-2), len(rows)
        if adjoint:
            return self._joined(
                [total([self._rows[i][j]._matmul(parts[i], True) for i in range(j, n)]) for j in range(n)]
            )
        return self._joined([total([o._matmul(part, False) for o, part in zip(row, parts)]) for row in self._rows])

    def _solve(self, rhs, adjoint):
        rows, columns = self._block_sizes()
        parts, n = _core.split(rhs, columns if adjoint else rows, axis=-2), len(rows)
        found = [None] * n
        for i in reversed(range(n)) if adjoint else range(n):
            rest = parts[i]
            for j in range(i + 1, n) if adjoint else range(i):
                rest = rest - (
                    self._rows[j][i]._matmul(found[j], True) if adjoint else self._rows[i][j]._matmul(found[j], False)
                )
            found[i] = self._rows[i][i]._solve(rest, adjoint)
        return self._joined(found)

    def _determinant(self):
        made = self._rows[0][0].determinant()
        for o in self._diagonal()[1:]:
            made = made * o.determinant()
        return made

    def _log_abs_determinant(self):
        return total([o.log_abs_determinant() for o in self._diagonal()])

    def _diag_part(self):
        batch = as_list(self.batch_shape)
        return _core.concat(
            [_core.broadcast_to(o.diag_part(), [*batch, o.domain_dimension]) for o in self._diagonal()], -1
        )
