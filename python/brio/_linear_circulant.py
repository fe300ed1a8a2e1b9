"""Circulant matrices: those that Fourier transforms make diagonal."""

from brio import _core
from brio._linear_operator import LinearOperator, as_list, conjugated, log_of_size


class _Circulant(LinearOperator):
    def __init__(
        self,
        depth,
        spectrum,
        input_output_dtype,
        is_non_singular,
        is_self_adjoint,
        is_positive_definite,
        is_square,
        name,
    ):
        self._given_spectrum, self._depth = (
            spectrum if isinstance(spectrum, _core.Variable) else _core.convert_to_tensor(spectrum),
            depth,
        )
        if not is_square:
            raise ValueError(f"A {type(self).__name__} operator is always square.")
        real = not self._given_spectrum.dtype.is_complex
        if real and is_self_adjoint is False:
            raise ValueError("A real spectrum always corresponds to a self-adjoint operator.")
        dtype = _core.as_dtype(input_output_dtype)
        super().__init__(
            dtype,
            None,
            is_non_singular,
            True if real else is_self_adjoint,
            is_positive_definite,
            True,
            name,
            {"spectrum": spectrum},
        )

    @property
    def spectrum(self):
        """The eigenvalues, in the order of a Fourier transform."""
        return self._given_spectrum

    @property
    def block_depth(self):
        """How many axes the transform has."""
        return self._depth

    @property
    def block_shape(self):
        """The sizes of these axes."""
        return self._given_spectrum.shape[-self._depth :]

    def _values(self):
        wide = "complex128" if self._given_spectrum.dtype.name in ("float64", "complex128") else "complex64"
        return _core.cast(_core.convert_to_tensor(self._given_spectrum), wide)

    def _shape(self):
        n = 1
        for size in self.block_shape:
            n *= int(size)
        return [*self._given_spectrum.shape[: -self._depth], n, n]

    def _transform(self, x, inverse=False):
        from brio import signal

        return getattr(signal, ("ifft" if inverse else "fft") + ("", "2d", "3d")[self._depth - 1])(x)

    def convolution_kernel(self, name="convolution_kernel"):
        """What the operator convolves with: the inverse transform of the spectrum."""
        return self._typed(self._transform(self._values(), True))

    def _typed(self, x):
        return _core.cast(x if self.dtype.is_complex else _core._math.real(x), self.dtype)

    def _applied(self, x, factors):
        """The transform of each column, times factors, back."""
        sizes, rows = as_list(self.block_shape), as_list(x.shape)[:-2]
        columns = _core._linalg.matrix_transpose(_core.cast(x, factors.dtype))
        turned = self._transform(_core.reshape(columns, [*rows, x.shape[-1], *sizes]))
        axis = len(factors.shape) - self._depth
        made = self._transform(turned * _core.expand_dims(factors, axis), True)
        made = _core.reshape(made, [*as_list(made.shape)[: -self._depth], -1])
        return self._typed(_core._linalg.matrix_transpose(made))

    def _matmul(self, x, adjoint):
        values = self._values()
        return self._applied(x, conjugated(values) if adjoint else values)

    def _solve(self, rhs, adjoint):
        values = self._values()
        return self._applied(rhs, 1.0 / (conjugated(values) if adjoint else values))

    def _flat(self):
        values = self._values()
        return _core.reshape(values, [*as_list(self.batch_shape), -1])

    def _determinant(self):
        return self._typed(_core.reduce_prod(self._flat(), axis=-1))

    def _log_abs_determinant(self):
        return _core.cast(_core.reduce_sum(log_of_size(self._flat()), axis=-1), self.dtype)

    def _trace(self):
        return self._typed(_core.reduce_sum(self._flat(), axis=-1))

    def _diag_part(self):
        n = int(self.domain_dimension)
        return _core.repeat(_core.expand_dims(self._trace() / _core.cast(n, self.dtype), -1), n, axis=-1)

    def _eigvals(self):
        return _core.convert_to_tensor(self._given_spectrum)

    def _again(self, values, non_singular):
        return type(self)(values, self.dtype, non_singular, self.is_self_adjoint, self.is_positive_definite, True)

    def _adjoint(self):
        return self._again(conjugated(self._values()), self.is_non_singular)

    def _inverse(self):
        return self._again(1.0 / _core.convert_to_tensor(self._given_spectrum), True)

    def _times(self, other):
        if isinstance(other, _Circulant) and other._depth == self._depth:
            return type(self)(self._values() * other._values(), self.dtype)
        return None

    def cond(self, name="cond"):
        """The ratios of the largest to the smallest eigenvalues, by size."""
        sizes = _core.abs(self._flat())
        return _core.cast(_core.reduce_max(sizes, axis=-1) / _core.reduce_min(sizes, axis=-1), self.dtype)

    def assert_hermitian_spectrum(self, name="assert_hermitian_spectrum"):
        """An error where the matrices are not real."""
        kernel = self._transform(self._values(), True)
        far = _core.reduce_max(_core.abs(_core._math.imag(kernel))) <= 1e-5 * _core.reduce_max(_core.abs(kernel))
        self._assert(far, "Spectrum was not Hermitian")


class LinearOperatorCirculant(_Circulant):
    """Matrices whose rows are the first one, moved by one more each, of their spectrum.

    >>> operator = tf.linalg.LinearOperatorCirculant([6.0, 4.0, 2.0, 4.0], tf.float32)
    >>> operator.to_dense().numpy()[0].round(3).tolist()
    [4.0, 1.0, 0.0, 1.0]
    """

    def __init__(self, spectrum, input_output_dtype="complex64", is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=True, name="LinearOperatorCirculant"):  # fmt: skip
        super().__init__(
            1, spectrum, input_output_dtype, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )


class LinearOperatorCirculant2D(_Circulant):
    """Circulant matrices of circulant blocks, of a spectrum with two axes.

    >>> tf.linalg.LinearOperatorCirculant2D(tf.ones([3, 4]), tf.float32).shape
    TensorShape([12, 12])
    """

    def __init__(self, spectrum, input_output_dtype="complex64", is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=True, name="LinearOperatorCirculant2D"):  # fmt: skip
        super().__init__(
            2, spectrum, input_output_dtype, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )


class LinearOperatorCirculant3D(_Circulant):
    """Circulant matrices of blocks of circulant blocks, of a spectrum with three axes.

    >>> tf.linalg.LinearOperatorCirculant3D(tf.ones([2, 3, 4]), tf.float32).shape
    TensorShape([24, 24])
    """

    def __init__(self, spectrum, input_output_dtype="complex64", is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=True, name="LinearOperatorCirculant3D"):  # fmt: skip
        super().__init__(
            3, spectrum, input_output_dtype, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name
        )
