"""tf.compat.v1.layers: functions that make variables in the scopes around and use them at once."""

import importlib
import math

from brio import _core
from brio._core import _nn
from brio._graph import by_rule, core, infer, wrap
from brio._graph.variables import GraphKeys
from brio.compat._variables import get_variable, made_by, resolved, variable_scope
from brio.compat.v1 import initializers


def _op(kind, function, *args):
    return wrap.call(core.building(), function, kind, args, {})


def _activated(x, activation):
    if activation is None:
        return x
    if isinstance(activation, str):
        from brio.keras import activations

        activation = activations.get(activation)
        return _op("Activation", activation, x)
    return activation(x)


def _regularized(regularizer, result):
    """The loss of a regularizer of a layer's result."""
    if regularizer is not None:
        from brio.compat._variables import regularized

        core.building().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, regularized(regularizer, result))


def _pair(x, n=2):
    return list(x) if isinstance(x, (list, tuple)) else [x] * n


def _form(who, data_format, rank):
    """Whether channels come before the axes of space, and the letters of these axes as kernels name them."""
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"[{who}] data_format must be 'channels_first' or 'channels_last', but is {data_format!r}")
    first, letters = data_format == "channels_first", "DHW"[3 - rank :]
    return first, f"NC{letters}" if first else f"N{letters}C"


def _channels(x, first):
    found = x.shape[1 if first else -1] if x.dims is not None else None
    if found is None:
        raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
    return int(found)


def _around(first, sizes, channels=1):
    """Sizes of the axes of space, with 1 for the samples and one for the channels."""
    return [1, channels, *sizes] if first else [1, *sizes, channels]


def _scope(name, default, reuse):
    return variable_scope(name, default_name=default, reuse=reuse)


def _variable(name, shape, dtype, initializer, regularizer, trainable, constraint=None):
    return get_variable(name, shape, dtype, initializer, regularizer, trainable, constraint=constraint)


class _Tail:
    """What a layer does last: it adds a bias, calls the activation, and keeps the loss of its result."""

    def __init__(self, activation, use_bias, initializer, regularizer, constraint, activity_regularizer, trainable):
        self.activation, self.use_bias, self.activity_regularizer = activation, use_bias, activity_regularizer
        self.bias = (initializer or initializers.zeros(), regularizer, trainable, constraint)

    def __call__(self, y, size, axes_behind=0):
        if self.use_bias:
            bias = _variable("bias", [size], y.dtype, *self.bias)
            y = _op(
                "BiasAdd", lambda v, b: v + (_core.reshape(b, [-1] + [1] * axes_behind) if axes_behind else b), y, bias
            )
        y = _activated(y, self.activation)
        _regularized(self.activity_regularizer, y)
        return y


def dense(inputs, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None,
          kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
          bias_constraint=None, trainable=True, name=None, reuse=None):  # fmt: skip
    """activation(inputs @ kernel + bias)."""
    x = wrap.convert(inputs)
    tail = _Tail(
        activation, use_bias, bias_initializer, bias_regularizer, bias_constraint, activity_regularizer, trainable
    )
    with _scope(name, "dense", reuse):
        width = x.shape[-1] if x.dims is not None else None
        if width is None or not isinstance(width, int):
            raise ValueError("The last dimension of the inputs to `Dense` should be defined. Found `None`.")
        kernel = _variable(
            "kernel", [int(width), units], x.dtype, kernel_initializer, kernel_regularizer, trainable, kernel_constraint
        )
        rank = len(x.dims)
        y = _op(
            "MatMul",
            lambda v, w: _core.matmul(v, w) if rank == 2 else _core.tensordot(v, w, [[rank - 1], [0]]),
            x,
            kernel,
        )
        return tail(y, units)


def _conv(
    rank, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, kernel_how, tail, name, reuse
):
    x = wrap.convert(inputs)
    first, form = _form(f"conv{rank}d", data_format, rank)
    steps, apart = _pair(strides, rank), _pair(dilation_rate, rank)
    if rank == 3:
        steps, apart = _around(first, steps), _around(first, apart)
    convolve = {1: _nn.conv1d, 2: _nn.conv2d, 3: _nn.conv3d}[rank]
    with _scope(name, f"conv{rank}d", reuse):
        channels = _channels(x, first)
        kernel = _variable("kernel", [*_pair(kernel_size, rank), channels, filters], x.dtype, *kernel_how)
        y = _op(
            f"Conv{rank}D",
            lambda v, k: convolve(v, k, steps if rank > 1 else steps[0], padding.upper(), form, apart),
            x,
            kernel,
        )
        return tail(y, filters, rank if first else 0)


def conv1d(inputs, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1,
           activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None, kernel_regularizer=None,
           bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None,
           trainable=True, name=None, reuse=None):  # fmt: skip
    """Filters slid over sequences."""
    kernel_how = (kernel_initializer, kernel_regularizer, trainable, kernel_constraint)
    tail = _Tail(
        activation, use_bias, bias_initializer, bias_regularizer, bias_constraint, activity_regularizer, trainable
    )
    return _conv(
        1, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, kernel_how, tail, name, reuse
    )


def conv2d(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last",
           dilation_rate=(1, 1), activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None,
           kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
           bias_constraint=None, trainable=True, name=None, reuse=None):  # fmt: skip
    """Filters slid over pictures."""
    kernel_how = (kernel_initializer, kernel_regularizer, trainable, kernel_constraint)
    tail = _Tail(
        activation, use_bias, bias_initializer, bias_regularizer, bias_constraint, activity_regularizer, trainable
    )
    return _conv(
        2, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, kernel_how, tail, name, reuse
    )


def conv3d(inputs, filters, kernel_size, strides=(1, 1, 1), padding="valid", data_format="channels_last",
           dilation_rate=(1, 1, 1), activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None,
           kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
           bias_constraint=None, trainable=True, name=None, reuse=None):  # fmt: skip
    """Filters slid over volumes."""
    kernel_how = (kernel_initializer, kernel_regularizer, trainable, kernel_constraint)
    tail = _Tail(
        activation, use_bias, bias_initializer, bias_regularizer, bias_constraint, activity_regularizer, trainable
    )
    return _conv(
        3, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, kernel_how, tail, name, reuse
    )


def conv2d_transpose(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last",
                     activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None,
                     kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                     bias_constraint=None, trainable=True, name=None, reuse=None):  # fmt: skip
    """The gradient of conv2d, as a layer: pictures become larger."""
    x = wrap.convert(inputs)
    first, form = _form("conv2d_transpose", data_format, 2)
    tail = _Tail(
        activation, use_bias, bias_initializer, bias_regularizer, bias_constraint, activity_regularizer, trainable
    )
    size, steps = _pair(kernel_size), _pair(strides)
    more = [max(s - t, 0) if padding.lower() == "valid" else 0 for s, t in zip(size, steps)]

    def run(v, k):
        space = [n * t + m for n, t, m in zip(v.shape[2:] if first else v.shape[1:3], steps, more)]
        return _nn.conv2d_transpose(
            v, k, [v.shape[0], *_around(first, space, filters)[1:]], steps, padding.upper(), form
        )

    run.rule = lambda v, k: by_rule.Spec(
        v.dtype, [v.dims[0], *([filters, None, None] if first else [None, None, filters])]
    )
    with _scope(name, "conv2d_transpose", reuse):
        channels = _channels(x, first)
        kernel = _variable(
            "kernel",
            [*size, filters, channels],
            x.dtype,
            kernel_initializer,
            kernel_regularizer,
            trainable,
            kernel_constraint,
        )
        return tail(_op("conv2d_transpose", run, x, kernel), filters, 2 if first else 0)


def separable_conv2d(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last",
                     dilation_rate=(1, 1), depth_multiplier=1, activation=None, use_bias=True,
                     depthwise_initializer=None, pointwise_initializer=None, bias_initializer=None,
                     depthwise_regularizer=None, pointwise_regularizer=None, bias_regularizer=None,
                     activity_regularizer=None, depthwise_constraint=None, pointwise_constraint=None,
                     bias_constraint=None, trainable=True, name=None, reuse=None):  # fmt: skip
    """Filters of each channel, then a product over channels."""
    x = wrap.convert(inputs)
    first, form = _form("separable_conv2d", data_format, 2)
    tail = _Tail(
        activation, use_bias, bias_initializer, bias_regularizer, bias_constraint, activity_regularizer, trainable
    )
    steps, apart = _around(first, _pair(strides)), _pair(dilation_rate)
    with _scope(name, "separable_conv2d", reuse):
        channels = _channels(x, first)
        sizes = [*_pair(kernel_size), channels, depth_multiplier], [1, 1, channels * depth_multiplier, filters]
        deep = _variable(
            "depthwise_kernel",
            sizes[0],
            x.dtype,
            depthwise_initializer,
            depthwise_regularizer,
            trainable,
            depthwise_constraint,
        )
        point = _variable(
            "pointwise_kernel",
            sizes[1],
            x.dtype,
            pointwise_initializer,
            pointwise_regularizer,
            trainable,
            pointwise_constraint,
        )
        y = _op(
            "separable_conv2d",
            lambda v, d, p: _nn.separable_conv2d(v, d, p, steps, padding.upper(), form, apart),
            x,
            deep,
            point,
        )
        return tail(y, filters, 2 if first else 0)


def _pooling(who, rank, kind, function, doc):
    def pooling(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
        _, form = _form(who, data_format, rank)
        size, steps = _pair(pool_size, rank), _pair(strides, rank)
        return _op(kind, lambda v: function(v, size, steps, padding.upper(), form), inputs)

    pooling.__name__, pooling.__doc__ = who, doc
    return pooling


max_pooling1d = _pooling("max_pooling1d", 1, "MaxPool", _nn.max_pool1d, "The largest of each window of sequences.")
max_pooling2d = _pooling("max_pooling2d", 2, "MaxPool", _nn.max_pool2d, "The largest of each window.")
average_pooling1d = _pooling("average_pooling1d", 1, "AvgPool", _nn.avg_pool1d, "The mean of each window of sequences.")
average_pooling2d = _pooling("average_pooling2d", 2, "AvgPool", _nn.avg_pool2d, "The mean of each window.")


def flatten(inputs, name=None, data_format="channels_last"):
    """One axis behind that of the samples; channels vary fastest."""
    first, _ = _form("flatten", data_format, 2)

    def run(x):
        if first and x.shape.rank > 2:
            x = _core.transpose(x, [0, *range(2, x.shape.rank), 1])
        return _core.reshape(x, [x.shape[0], math.prod(x.shape[1:])])

    return _op("Reshape", run, wrap.convert(inputs))


def _is_training(training):
    """True or False where that is known, else None."""
    if isinstance(training, core.Tensor) or hasattr(training, "_as_graph_element"):
        return None
    return bool(training)


def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, name=None):
    """inputs with a share of elements 0 while training."""
    from brio.compat.v1.nn import dropped

    known = _is_training(training)
    if known is False:
        return _op("Identity", _core.identity, inputs)
    if known:
        return _op("dropout", lambda x, r: dropped(x, r, noise_shape, seed), inputs, rate)
    return _op(
        "dropout",
        lambda x, r, t: _core.where(_core.cast(t, "bool"), dropped(x, r, noise_shape, seed), x),
        inputs,
        rate,
        training,
    )


def batch_normalization(inputs, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer=None,
                        gamma_initializer=None, moving_mean_initializer=None, moving_variance_initializer=None,
                        beta_regularizer=None, gamma_regularizer=None, beta_constraint=None, gamma_constraint=None,
                        training=False, trainable=True, name=None, reuse=None, renorm=False, renorm_clipping=None,
                        renorm_momentum=0.99, fused=None, virtual_batch_size=None, adjustment=None):  # fmt: skip
    """Normalised by the batch while training, and by moving averages else.
    Their updates are in the collection UPDATE_OPS."""
    x = wrap.convert(inputs)
    rank = len(x.dims)
    axes = sorted({a % rank for a in (axis if isinstance(axis, (list, tuple)) else [axis])})
    if fused and (rank != 4 or axes not in ([1], [3])):
        raise ValueError(
            f"[batch_normalization] fused=True normalises pictures along axis 1 or 3, but got rank {rank} and "
            f"axis={axis}; leave fused out"
        )
    _check_normalization(axes, fused, renorm, renorm_clipping, virtual_batch_size, adjustment)
    if virtual_batch_size:
        y = _reshaped(
            lambda v: [virtual_batch_size, -1, *v.shape[1:]],
            infer.dims_of(x.graph, [virtual_batch_size, None, *x.shape.as_list()[1:]]),
            x,
        )
        axes = [a + 1 for a in axes]
    else:
        y = x
    bessel = (
        rank == 4 and axes in ([1], [3]) and fused is not False and not (renorm or virtual_batch_size or adjustment)
    )
    with _scope(name, "batch_normalization", reuse):
        norm = _Normalization(y, axes, epsilon, training, bessel, virtual_batch_size is not None)
        gamma = (
            norm.variable(
                "gamma", gamma_initializer or initializers.ones(), gamma_regularizer, trainable, gamma_constraint
            )
            if scale
            else None
        )
        beta = (
            norm.variable(
                "beta", beta_initializer or initializers.zeros(), beta_regularizer, trainable, beta_constraint
            )
            if center
            else None
        )
        mean = norm.variable("moving_mean", moving_mean_initializer or initializers.zeros())
        ones = moving_variance_initializer or initializers.ones()
        variance = norm.variable("moving_variance", ones)
        more = [norm.variable(n, i) for n, i in (
            ("moving_stddev", _Root(ones)), ("renorm_mean", moving_mean_initializer or initializers.zeros()),
            ("renorm_stddev", _Root(ones))
        )] if renorm else []  # fmt: skip
        clipping = renorm_clipping or {}
        adjusted = adjustment(_op("Shape", _core.shape, x)) if adjustment else ()
        y, new = norm.normalized(y, gamma, beta, mean, variance, more[1:], clipping, adjusted)
        if norm.known is not False:
            norm.update(momentum, renorm_momentum, (mean, variance, *more), new)
        return _reshaped(lambda v, like: like.shape, x.dims, y, x) if virtual_batch_size else y


def _reshaped(shape_of, dims, *inputs):
    """The first input in another shape. Its dims are given: what a batch is divisible by is not known before a run."""
    op = core.building().add(
        "Reshape", run=lambda state, op, values: [_core.reshape(values[0], shape_of(*values))], inputs=inputs
    )
    return core.Tensor(op, inputs[0].dtype, dims)


def _check_normalization(axes, fused, renorm, renorm_clipping, virtual_batch_size, adjustment):
    """What TensorFlow says of arguments that do not go together."""
    for argument, value in (("renorm", renorm), ("virtual_batch_size", virtual_batch_size), ("adjustment", adjustment)):
        if fused and value:
            raise ValueError(f"[batch_normalization] fused=True does not go with {argument}={value!r}; leave fused out")
    unknown = set(renorm_clipping or ()) - {"rmax", "rmin", "dmax"}
    if unknown:
        raise ValueError(
            f"[batch_normalization] renorm_clipping may have 'rmax', 'rmin' and 'dmax', but has {sorted(unknown)}"
        )
    if virtual_batch_size is not None and virtual_batch_size <= 0:
        raise ValueError(
            "[batch_normalization] virtual_batch_size must be a positive integer that divides the batch, but is "
            f"{virtual_batch_size!r}"
        )
    if virtual_batch_size is not None and 0 in axes:
        raise ValueError(
            "[batch_normalization] virtual_batch_size splits axis 0, so that axis cannot have it; leave "
            "virtual_batch_size out"
        )
    if virtual_batch_size is not None and adjustment is not None:
        raise ValueError(
            f"[batch_normalization] virtual_batch_size={virtual_batch_size} does not go with adjustment; leave one of "
            "them out"
        )


class _Root:
    """An initializer: the root of another one's value."""

    def __init__(self, initializer):
        self._initializer = resolved(initializer)

    def __call__(self, shape, dtype=None):
        return _op("Sqrt", _core.sqrt, wrap.convert(made_by(self._initializer, shape, dtype)))


class _Normalization:
    """Of one call: which axes have means of their own, and whether those of the batch count."""

    def __init__(self, x, axes, epsilon, training, bessel, virtual):
        self.epsilon, self.training, self.bessel, self.virtual, self.known = (
            epsilon,
            training,
            bessel,
            virtual,
            _is_training(training),
        )
        rank = len(x.dims)
        self.others = [i for i in range(rank) if i not in axes and not (virtual and i == 1)]
        self.shape = [int(x.shape[i]) if i in axes else 1 for i in range(rank)]
        self.kept = self.shape if virtual or len(axes) > 1 else [int(x.shape[axes[0]])]
        self.dtype = "float32" if x.dtype.name in ("float16", "bfloat16") else x.dtype

    def variable(self, name, initializer, regularizer=None, trainable=False, constraint=None):
        return _variable(name, self.kept, self.dtype, initializer, regularizer, trainable, constraint)

    def normalized(self, x, gamma, beta, mean, variance, renorm, clipping, adjusted):
        """The result, and the mean and the variance that the moving averages follow."""

        def run(x, training, gamma, beta, mean, variance, renorm, adjusted):
            dtype, x = x.dtype, _core.cast(x, self.dtype)
            mean, variance = self._along(mean), self._along(variance)
            used_mean, used_variance, kept = mean, variance, variance
            if self.known is not False:
                used_mean, used_variance = _nn.moments(x, self.others, None, True)
                kept = used_variance * self._of_a_sample(x) if self.bessel else used_variance
            scale = offset = None
            if renorm and self.known is not False:
                scale, offset = self._corrections(used_mean, used_variance, *renorm, clipping)
            if adjusted and self.known is not False:
                scale, offset = _then(scale, offset, *adjusted)
            if self.known is None:
                flag = _core.cast(training, "bool")
                used_mean, used_variance = (
                    _core.where(flag, used_mean, mean),
                    _core.where(flag, used_variance, variance),
                )
                scale, offset = (
                    None if v is None else _core.where(flag, v, n * _core.ones_like(v))
                    for v, n in ((scale, 1.0), (offset, 0.0))
                )
            y = (x - used_mean) * _core._math.rsqrt(used_variance + self.epsilon)
            scale, offset = _then(scale, offset, self._along(gamma), self._along(beta))
            y = y if scale is None else y * scale
            y = y if offset is None else y + offset
            if self.virtual:  # the averages follow all virtual batches at once
                used_mean, kept = _core.reduce_mean(used_mean, 1, True), _core.reduce_mean(kept, 1, True)
            return _core.cast(y, dtype), _core.reshape(used_mean, self.kept), _core.reshape(kept, self.kept)

        training = self.training if self.known is None else None
        y, *new = _op("FusedBatchNormV3", run, x, training, gamma, beta, mean, variance, renorm, adjusted)
        return y, new

    def _along(self, v):
        return None if v is None else _core.reshape(v, self.shape)

    def _of_a_sample(self, x):
        """TensorFlow's kernel for pictures keeps the variance of a sample."""
        count = _core.cast(_core.reduce_prod(_core.gather(_core.shape(x), self.others)), self.dtype)
        return count / _core.maximum(count - 1, 1)

    def _corrections(self, mean, variance, renorm_mean, renorm_stddev, clipping):
        """What makes a batch that is normalised by itself one that is normalised by moving averages;
        constants for gradients."""
        stddev = _core.sqrt(variance + self.epsilon)
        moving = _core.maximum(self._along(renorm_stddev), self.epsilon**0.5)
        r, d = stddev / moving, (mean - self._along(renorm_mean)) / moving
        rmin, rmax, dmax = (clipping.get(key) for key in ("rmin", "rmax", "dmax"))
        r = r if rmin is None else _core.maximum(r, rmin)
        r = r if rmax is None else _core.minimum(r, rmax)
        d = d if dmax is None else _core.minimum(_core.maximum(d, -dmax), dmax)
        return _core.stop_gradient(r), _core.stop_gradient(d)

    def update(self, momentum, renorm_momentum, variables, new):
        """The operations that move the averages, in UPDATE_OPS."""
        mean, variance, *renorm = variables
        if not renorm:
            self._move(momentum, (mean, new[0]), (variance, new[1]))
            return
        stddev = _op("Sqrt", lambda v: _core.sqrt(v + self.epsilon), new[1])
        moving_stddev, renorm_mean, renorm_stddev = renorm
        self._move(renorm_momentum, (renorm_mean, new[0]), (renorm_stddev, stddev))
        _, moved = self._move(momentum, (mean, new[0]), (moving_stddev, stddev))
        after = _op("Square", lambda s: _core.maximum(_core.square(s) - self.epsilon, 0.0), moved)
        self._keep(variance.assign(self._if_training(after, variance)))

    def _move(self, momentum, *pairs):
        made = []
        for variable, value in pairs:
            change = _op("mul", lambda a, b: (a - b) * (1.0 - momentum), variable, value)
            made.append(variable.assign_sub(self._if_training(change)))
            self._keep(made[-1])
        return made

    def _if_training(self, value, other=None):
        if self.known:
            return value
        if other is None:
            return _op(
                "Select", lambda t, v: _core.where(_core.cast(t, "bool"), v, _core.zeros_like(v)), self.training, value
            )
        return _op("Select", lambda t, v, w: _core.where(_core.cast(t, "bool"), v, w), self.training, value, other)

    @staticmethod
    def _keep(assigned):
        core.building().add_to_collection(GraphKeys.UPDATE_OPS, assigned.op)


def _then(scale, offset, next_scale, next_offset):
    """x * scale + offset, times next_scale, plus next_offset: as one product and one sum. None is 1 or 0."""
    if next_scale is not None:
        scale = next_scale if scale is None else scale * next_scale
        offset = None if offset is None else offset * next_scale
    if next_offset is not None:
        offset = next_offset if offset is None else offset + next_offset
    return scale, offset


def __getattr__(name):
    kinds = {
        "Dense",
        "Conv1D",
        "Conv2D",
        "Conv3D",
        "Conv2DTranspose",
        "SeparableConv2D",
        "MaxPooling2D",
        "AveragePooling2D",
        "Flatten",
        "Dropout",
        "BatchNormalization",
    }
    if name in kinds:
        return getattr(importlib.import_module("brio.keras.layers"), name)
    from brio._missing import explain

    raise AttributeError(explain(__name__, name))
