"""tf.compat.v1.initializers: what variables begin with. Each variable has numbers of its own."""

import math

from brio import _core, _missing
from brio._core import _random
from brio._graph import core, wrap

__getattr__ = _missing.attribute_error_of(__name__)


def _run(function):
    """What function() gives, or an operation that is that."""
    graph = core.building()
    return function() if graph is None else wrap.call(graph, function, "Initializer", (), {})


class Initializer:
    """Makes the first value of a variable: initializer(shape, dtype)."""

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = _core.as_dtype(dtype if dtype is not None else self.__dict__.get("dtype") or "float32")
        shape = [int(d) for d in shape]
        return _run(lambda: self._value(shape, dtype))

    def get_config(self):
        """What it was made with."""
        return {k: getattr(v, "name", v) for k, v in self.__dict__.items()}

    @classmethod
    def from_config(cls, config):
        """One of a config."""
        return cls(**config)


class zeros(Initializer):
    """All 0."""

    def __init__(self, dtype="float32"):
        self.dtype = _core.as_dtype(dtype)

    def _value(self, shape, dtype):
        return _core.zeros(shape, dtype)


class ones(Initializer):
    """All 1."""

    def __init__(self, dtype="float32"):
        self.dtype = _core.as_dtype(dtype)

    def _value(self, shape, dtype):
        return _core.ones(shape, dtype)


class constant(Initializer):
    """One number for all elements, or the elements themselves."""

    def __init__(self, value=0, dtype="float32", verify_shape=False):
        self.value, self.dtype, self.verify_shape = value, _core.as_dtype(dtype), verify_shape

    def _value(self, shape, dtype):
        made = _core.convert_to_tensor(self.value, dtype_hint=dtype)
        made = made if made.dtype == dtype else _core.cast(made, dtype)
        size = math.prod(shape)
        if self.verify_shape and list(made.shape) != list(shape):
            raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, got {tuple(made.shape)}.")
        if made.shape.num_elements() == size:
            return _core.reshape(made, shape)
        if made.shape.num_elements() == 1:
            return _core.fill(shape, _core.reshape(made, []))
        raise ValueError(f"[constant_initializer] {made.shape.num_elements()} values do not fill shape {tuple(shape)}")


class random_uniform(Initializer):
    """Numbers from [minval, maxval)."""

    def __init__(self, minval=0.0, maxval=None, seed=None, dtype="float32"):
        self.minval, self.maxval, self.seed, self.dtype = minval, maxval, seed, _core.as_dtype(dtype)

    def _value(self, shape, dtype):
        return _random.uniform(shape, self.minval, 1.0 if self.maxval is None else self.maxval, dtype, seed=self.seed)


class random_normal(Initializer):
    """Numbers of a normal distribution."""

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype="float32"):
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, _core.as_dtype(dtype)

    def _value(self, shape, dtype):
        return _random.normal(shape, self.mean, self.stddev, dtype, seed=self.seed)


class truncated_normal(random_normal):
    """Numbers of a normal distribution within two standard deviations."""

    def _value(self, shape, dtype):
        return _random.truncated_normal(shape, self.mean, self.stddev, dtype, seed=self.seed)


class variance_scaling(Initializer):
    """Numbers whose variance follows from how many inputs or outputs there are."""

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None, dtype="float32"):
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: {mode}")
        self.scale, self.mode, self.distribution, self.seed, self.dtype = (
            scale,
            mode,
            distribution.lower(),
            seed,
            _core.as_dtype(dtype),
        )

    def _value(self, shape, dtype):
        fan_in, fan_out = _fans(shape)
        size = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        scale = self.scale / max(1.0, size)
        if self.distribution in ("normal", "truncated_normal"):
            return _random.truncated_normal(shape, 0.0, math.sqrt(scale) / 0.87962566103423978, dtype, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return _random.normal(shape, 0.0, math.sqrt(scale), dtype, seed=self.seed)
        limit = math.sqrt(3.0 * scale)
        return _random.uniform(shape, -limit, limit, dtype, seed=self.seed)


def _fans(shape):
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


class glorot_uniform(variance_scaling):
    """Glorot's, from [-l, l)."""

    def __init__(self, seed=None, dtype="float32"):
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


class glorot_normal(variance_scaling):
    """Glorot's, of a normal distribution."""

    def __init__(self, seed=None, dtype="float32"):
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


def he_normal(seed=None):
    """He's, of a normal distribution."""
    return variance_scaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed=None):
    """He's, from [-l, l)."""
    return variance_scaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed=None):
    """LeCun's, of a normal distribution."""
    return variance_scaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed=None):
    """LeCun's, from [-l, l)."""
    return variance_scaling(1.0, "fan_in", "uniform", seed)


class uniform_unit_scaling(Initializer):
    """Numbers that keep the scale of what goes in."""

    def __init__(self, factor=1.0, seed=None, dtype="float32"):
        self.factor, self.seed, self.dtype = factor, seed, _core.as_dtype(dtype)

    def _value(self, shape, dtype):
        limit = math.sqrt(3 / max(1.0, math.prod(shape[:-1]))) * self.factor
        return _random.uniform(shape, -limit, limit, dtype, seed=self.seed)


class orthogonal(Initializer):
    """A matrix whose rows, or columns, are orthogonal."""

    def __init__(self, gain=1.0, seed=None, dtype="float32"):
        self.gain, self.seed, self.dtype = gain, seed, _core.as_dtype(dtype)

    def _value(self, shape, dtype):
        if len(shape) < 2:
            raise ValueError(f"The tensor to initialize must be at least two-dimensional. Received: {tuple(shape)}")
        rows, columns = math.prod(shape[:-1]), shape[-1]
        flat = _random.normal([max(rows, columns), min(rows, columns)], dtype=dtype, seed=self.seed)
        q, r = _core._linalg.qr(flat)
        q = q * _core.sign(_core._linalg.diag_part(r))
        return self.gain * _core.reshape(_core.transpose(q) if rows < columns else q, shape)


class identity(Initializer):
    """The identity matrix."""

    def __init__(self, gain=1.0, dtype="float32"):
        self.gain, self.dtype = gain, _core.as_dtype(dtype)

    def _value(self, shape, dtype):
        return self.gain * _core.eye(shape[0], shape[1], dtype=dtype)


def global_variables():
    """The operation that initialises all variables."""
    from brio.compat import v1

    return v1.global_variables_initializer()


def local_variables():
    """The operation that initialises local variables."""
    from brio.compat import v1

    return v1.local_variables_initializer()


def variables(var_list, name="init"):
    """The operation that initialises these variables."""
    from brio.compat import v1

    return v1.variables_initializer(var_list, name)


def tables_initializer(name="init_all_tables"):
    """Tables have their values from the start."""
    from brio.compat import v1

    return v1.tables_initializer(name)
