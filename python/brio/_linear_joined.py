"""Linear operators that are made of others: products, adjoints, inverses, Kronecker's products, updates of low rank."""

from brio import _core
from brio._decompositions import complex_solve
from brio._linear_operator import LinearOperator, as_list, common, conjugated, transposed
from brio._linear_operators import LinearOperatorDiag, LinearOperatorIdentity, tensor


def every(operators, hint):
    """True where all have the hint, else None."""
    return True if all(getattr(o, hint) for o in operators) else None


def one_dtype(who, operators):
    """Operators as a list; an error where they are of several dtypes."""
    operators = list(operators)
    if not operators:
        raise ValueError(f"Expected a non-empty list of operators. Found: {operators}")
    if len({o.dtype.name for o in operators}) > 1:
        raise TypeError(
            f"[{who}] the operators are of {', '.join(o.dtype.name for o in operators)}; they must be of one dtype"
        )
    return operators


def total(parts):
    """The sum of tensors of shapes that go together."""
    made = parts[0]
    for part in parts[1:]:
        made = made + part
    return made


class LinearOperatorComposition(LinearOperator):
    """The product of operators, the last of which comes first.

    >>> a, b = tf.linalg.LinearOperatorDiag([2.0, 3.0]), tf.linalg.LinearOperatorFullMatrix([[0.0, 1.0], [1.0, 0.0]])
    >>> tf.linalg.LinearOperatorComposition([a, b]).matvec([5.0, 7.0]).numpy().tolist()
    [14.0, 15.0]
    """

    def __init__(
        self,
        operators,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
    ):
        self._operators = one_dtype("LinearOperatorComposition", operators)
        for a, b in zip(self._operators, self._operators[1:]):
            if a.domain_dimension != b.range_dimension:
                raise ValueError(f"Operators are incompatible: shapes {a.shape} and {b.shape} have no product.")
        if is_non_singular is None and all(o.is_square for o in self._operators):
            is_non_singular = every(self._operators, "is_non_singular")
        super().__init__(self._operators[0].dtype, None, is_non_singular, is_self_adjoint, is_positive_definite,
                         is_square, name or "_o_".join(o.name for o in self._operators),
                         {"operators": operators})  # fmt: skip

    operators = property(lambda self: self._operators, doc="The operators of the product.")

    def _shape(self):
        return [
            *common(*(o.batch_shape for o in self._operators)),
            self._operators[0].range_dimension,
            self._operators[-1].domain_dimension,
        ]

    def _to_dense(self):
        made = self._operators[-1].to_dense()
        for o in self._operators[-2::-1]:
            made = o._matmul(made, False)
        return made

    def _matmul(self, x, adjoint):
        for o in self._operators if adjoint else self._operators[::-1]:
            x = o._matmul(x, adjoint)
        return x

    def _all_square(self):
        return all(o.is_square for o in self._operators)

    def _solve(self, rhs, adjoint):
        if not self._all_square():
            return super()._solve(rhs, adjoint)
        for o in self._operators[::-1] if adjoint else self._operators:
            rhs = o.solve(rhs, adjoint)
        return rhs

    def _determinant(self):
        if not self._all_square():
            return super()._determinant()
        made = self._operators[0].determinant()
        for o in self._operators[1:]:
            made = made * o.determinant()
        return made

    def _log_abs_determinant(self):
        return (
            total([o.log_abs_determinant() for o in self._operators])
            if self._all_square()
            else super()._log_abs_determinant()
        )

    def _adjoint(self):
        return LinearOperatorComposition(
            [o.adjoint() for o in self._operators[::-1]],
            self.is_non_singular,
            self.is_self_adjoint,
            self.is_positive_definite,
        )

    def _inverse(self):
        if not self._all_square():
            return super()._inverse()
        return LinearOperatorComposition(
            [o.inverse() for o in self._operators[::-1]], True, self.is_self_adjoint, self.is_positive_definite
        )


class _Of(LinearOperator):
    def __init__(self, operator, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name):
        self._operator = operator
        hints = [
            h if h is not None else getattr(operator, n)
            for n, h in (
                ("is_non_singular", is_non_singular),
                ("is_self_adjoint", is_self_adjoint),
                ("is_positive_definite", is_positive_definite),
            )
        ]
        super().__init__(operator.dtype, None, *hints, is_square, name, {"operator": operator})

    operator = property(lambda self: self._operator, doc="The operator that it is made of.")


class LinearOperatorAdjoint(_Of):
    """The adjoint of an operator.

    >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorAdjoint(operator).to_dense().numpy().tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """

    def __init__(
        self, operator, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name=None
    ):
        super().__init__(
            operator,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name or operator.name + "_adjoint",
        )

    def _shape(self):
        *batch, rows, columns = self._operator.shape
        return [*batch, columns, rows]

    def _to_dense(self):
        return transposed(self._operator.to_dense())

    def _matmul(self, x, adjoint):
        return self._operator._matmul(x, not adjoint)

    def _solve(self, rhs, adjoint):
        return self._operator._solve(rhs, not adjoint)

    def _diag_part(self):
        return conjugated(self._operator.diag_part())

    def _determinant(self):
        return conjugated(self._operator.determinant())

    def _log_abs_determinant(self):
        return self._operator.log_abs_determinant()

    def _adjoint(self):
        return self._operator

    def cond(self, name="cond"):
        """Those of the operator."""
        return self._operator.cond()


class LinearOperatorInversion(_Of):
    """The inverse of an operator.

    >>> tf.linalg.LinearOperatorInversion(tf.linalg.LinearOperatorDiag([2.0, 4.0])).matvec([1.0, 1.0]).numpy().tolist()
    [0.5, 0.25]
    """

    def __init__(
        self, operator, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name=None
    ):
        if operator.is_non_singular is False or is_non_singular is False:
            raise ValueError(f"Operator should be non-singular: {operator}")
        super().__init__(
            operator, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name or operator.name + "_inv"
        )

    def _shape(self):
        return self._operator.shape

    def _matmul(self, x, adjoint):
        return self._operator._solve(x, adjoint)

    def _solve(self, rhs, adjoint):
        return self._operator._matmul(rhs, adjoint)

    def _determinant(self):
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self):
        return -self._operator.log_abs_determinant()

    def _eigvals(self):
        return _core.sort(1.0 / self._operator.eigvals(), axis=-1)

    def _inverse(self):
        return self._operator

    def cond(self, name="cond"):
        """Those of the operator."""
        return self._operator.cond()


class LinearOperatorKronecker(LinearOperator):
    """Kronecker's product of operators.

    >>> a, b = tf.linalg.LinearOperatorDiag([1.0, 2.0]), tf.linalg.LinearOperatorFullMatrix([[0.0, 1.0], [1.0, 0.0]])
    >>> tf.linalg.LinearOperatorKronecker([a, b]).matvec([1.0, 2.0, 3.0, 4.0]).numpy().tolist()
    [2.0, 1.0, 8.0, 6.0]
    """

    def __init__(
        self,
        operators,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
    ):
        self._operators = one_dtype("LinearOperatorKronecker", operators)
        hints = [
            h if h is not None else every(self._operators, n)
            for n, h in (
                ("is_non_singular", is_non_singular),
                ("is_self_adjoint", is_self_adjoint),
                ("is_positive_definite", is_positive_definite),
            )
        ]
        super().__init__(self._operators[0].dtype, None, *hints, is_square,
                         name or "_x_".join(o.name for o in self._operators), {"operators": operators})  # fmt: skip

    operators = property(lambda self: self._operators, doc="The operators of the product.")

    def _shape(self):
        rows = columns = 1
        for o in self._operators:
            rows, columns = rows * int(o.range_dimension), columns * int(o.domain_dimension)
        return [*common(*(o.batch_shape for o in self._operators)), rows, columns]

    def _to_dense(self):
        made = self._operators[0].to_dense()
        for o in self._operators[1:]:
            b = o.to_dense()
            both = _core.expand_dims(_core.expand_dims(made, -1), -3) * _core.expand_dims(_core.expand_dims(b, -2), -4)
            made = _core.reshape(
                both, [*both.shape[:-4], both.shape[-4] * both.shape[-3], both.shape[-2] * both.shape[-1]]
            )
        return made

    def _each(self, x, sizes, f):
        """f of the operators, each along its own part of the rows."""
        columns = int(x.shape[-1])
        for i, o in enumerate(self._operators):
            batch = as_list(x.shape[:-2])
            before = after = 1
            for n in sizes[:i]:
                before *= n[1]
            for n in sizes[i + 1 :]:
                after *= n[0]
            # (batch, before, own, after * columns) with own in front, so that one product serves all.
            parts = _core.reshape(x, [*batch, before, sizes[i][0], after * columns])
            n = len(batch)
            turned = _core.transpose(parts, [*range(n), n + 1, n, n + 2])
            made = f(o, _core.reshape(turned, [*batch, sizes[i][0], before * after * columns]))
            batch = as_list(made.shape[:-2])
            n = len(batch)
            made = _core.transpose(
                _core.reshape(made, [*batch, sizes[i][1], before, after * columns]), [*range(n), n + 1, n, n + 2]
            )
            x = _core.reshape(made, [*batch, before * sizes[i][1] * after, columns])
        return x

    def _block_sizes(self, backwards):
        sizes = [(int(o.domain_dimension), int(o.range_dimension)) for o in self._operators]
        return [(b, a) for a, b in sizes] if backwards else sizes

    def _matmul(self, x, adjoint):
        return self._each(x, self._block_sizes(adjoint), lambda o, part: o._matmul(part, adjoint))

    def _solve(self, rhs, adjoint):
        if not all(o.is_square for o in self._operators):
            return super()._solve(rhs, adjoint)
        return self._each(rhs, self._block_sizes(adjoint), lambda o, part: o._solve(part, adjoint))

    def _outer(self, vectors):
        made = vectors[0]
        for v in vectors[1:]:
            both = _core.expand_dims(made, -1) * _core.expand_dims(v, -2)
            made = _core.reshape(both, [*both.shape[:-2], both.shape[-2] * both.shape[-1]])
        return made

    def _diag_part(self):
        return self._outer([o.diag_part() for o in self._operators])

    def _eigvals(self):
        return _core.sort(self._outer([o.eigvals() for o in self._operators]), axis=-1)

    def _trace(self):
        made = self._operators[0].trace()
        for o in self._operators[1:]:
            made = made * o.trace()
        return made

    def _determinant(self):
        n, made = int(self.domain_dimension), None
        for o in self._operators:
            part = _core.pow(o.determinant(), _core.constant(n // int(o.domain_dimension), self.dtype))
            made = part if made is None else made * part
        return made

    def _log_abs_determinant(self):
        n = int(self.domain_dimension)
        return total([o.log_abs_determinant() * float(n // int(o.domain_dimension)) for o in self._operators])

    def _same(self, operators, non_singular=None):
        return LinearOperatorKronecker(
            operators, non_singular or self.is_non_singular, self.is_self_adjoint, self.is_positive_definite
        )

    def _adjoint(self):
        return self._same([o.adjoint() for o in self._operators])

    def _inverse(self):
        return (
            self._same([o.inverse() for o in self._operators], True)
            if all(o.is_square for o in self._operators)
            else super()._inverse()
        )

    def _cholesky(self):
        return LinearOperatorKronecker([o.cholesky() for o in self._operators], True)


class LinearOperatorLowRankUpdate(LinearOperator):
    """An operator plus U D Vᴴ, where U and V have few columns, and D is diagonal.

    >>> base = tf.linalg.LinearOperatorIdentity(2)
    >>> tf.linalg.LinearOperatorLowRankUpdate(base, [[1.0], [2.0]]).to_dense().numpy().tolist()
    [[2.0, 2.0], [2.0, 5.0]]
    """

    def __init__(self, base_operator, u, diag_update=None, v=None, is_diag_update_positive=None, is_non_singular=None,
                 is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorLowRankUpdate"):  # fmt: skip
        self._base = base_operator
        self._u = tensor(u)
        self._v = None if v is None else tensor(v)
        self._diag = None if diag_update is None else tensor(diag_update)
        self._positive = True if diag_update is None else is_diag_update_positive
        if (
            v is None
            and base_operator.is_self_adjoint
            and is_self_adjoint is None
            and not base_operator.dtype.is_complex
        ):
            is_self_adjoint = True
        if v is None and self._positive and base_operator.is_positive_definite and is_positive_definite is None:
            is_positive_definite = True
        parameters = {"base_operator": base_operator, "u": u, "diag_update": diag_update, "v": v}
        super().__init__(
            base_operator.dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )

    base_operator = property(lambda self: self._base, doc="The operator without the update.")
    u = property(lambda self: self._u, doc="The left columns.")
    v = property(lambda self: self._u if self._v is None else self._v, doc="The right columns.")
    is_diag_update_positive = property(lambda self: self._positive, doc="Is D positive?")
    diag_update = property(lambda self: self._diag, doc="The diagonal of D; None for ones.")

    @property
    def diag_operator(self):
        """D, as an operator."""
        if self._diag is None:
            return LinearOperatorIdentity(int(self._u.shape[-1]), dtype=self.dtype)
        return LinearOperatorDiag(self._diag, is_positive_definite=self._positive)

    def _shape(self):
        batch = common(
            self._base.batch_shape,
            self._u.shape[:-2],
            self.v.shape[:-2],
            [] if self._diag is None else self._diag.shape[:-1],
        )
        return [*batch, *self._base.shape[-2:]]

    def _to_dense(self):
        return self._base.to_dense() + _core.matmul(
            self.u, self.diag_operator._matmul(transposed(_core.convert_to_tensor(self.v)), False)
        )

    def _matmul(self, x, adjoint):
        u, v = _core.convert_to_tensor(self.u), _core.convert_to_tensor(self.v)
        u, v = (v, u) if adjoint else (u, v)
        return self._base._matmul(x, adjoint) + _core.matmul(
            u, self.diag_operator._matmul(_core.matmul(v, x, adjoint_a=True), adjoint)
        )

    def _capacitance(self, u, v, adjoint):
        """D^-1 + Vᴴ L^-1 U, and L^-1 U."""
        solved = self._base._solve(u, adjoint)
        inverse = _core.eye(int(self._u.shape[-1]), dtype=self.dtype)
        inverse = self.diag_operator._solve(inverse, adjoint)
        return inverse + _core.matmul(v, solved, adjoint_a=True), solved

    def _solve(self, rhs, adjoint):
        u, v = _core.convert_to_tensor(self.u), _core.convert_to_tensor(self.v)
        u, v = (v, u) if adjoint else (u, v)
        small, solved = self._capacitance(u, v, adjoint)
        first = self._base._solve(rhs, adjoint)
        return first - _core.matmul(solved, complex_solve(small, _core.matmul(v, first, adjoint_a=True)))

    def _small(self):
        from brio._linear_operators import LinearOperatorFullMatrix

        return LinearOperatorFullMatrix(
            self._capacitance(_core.convert_to_tensor(self.u), _core.convert_to_tensor(self.v), False)[0]
        )

    def _determinant(self):
        return self._small()._determinant() * self.diag_operator.determinant() * self._base.determinant()

    def _log_abs_determinant(self):
        return (
            self._small()._log_abs_determinant()
            + self.diag_operator.log_abs_determinant()
            + self._base.log_abs_determinant()
        )

    def _diag_part(self):
        u, v = _core.convert_to_tensor(self.u), conjugated(_core.convert_to_tensor(self.v))
        d = 1.0 if self._diag is None else _core.expand_dims(_core.convert_to_tensor(self._diag), -2)
        return self._base.diag_part() + _core.reduce_sum(u * d * v, axis=-1)
