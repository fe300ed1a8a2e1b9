"""tf.compat.v1.layers: functions that make variables in the scopes around and use them at once."""

import importlib

from brio import _core
from brio._core import _nn
from brio._graph import core, wrap
from brio._graph.variables import GraphKeys
from brio.compat._variables import get_variable, variable_scope
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


def _scope(name, default, reuse):
    return variable_scope(name, default_name=default, reuse=reuse)


def _variable(name, shape, dtype, initializer, regularizer, trainable, constraint=None):
    return get_variable(name, shape, dtype, initializer, regularizer, trainable, constraint=constraint)


def dense(inputs, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None, kernel_regularizer=None,
          bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None,
          reuse=None):  # fmt: skip
    """activation(inputs @ kernel + bias)."""
    x = wrap.convert(inputs)
    with _scope(name, "dense", reuse):
        width = x.shape[-1] if x.dims is not None else None
        if width is None or not isinstance(width, int):
            raise ValueError("The last dimension of the inputs to `Dense` should be defined. Found `None`.")
        kernel = _variable("kernel", [int(width), units], x.dtype, kernel_initializer, kernel_regularizer, trainable, kernel_constraint)
        rank = len(x.dims[0])
        y = _op("MatMul", lambda v, w: _core.matmul(v, w) if rank == 2 else _core.tensordot(v, w, [[rank - 1], [0]]), x, kernel)
        if use_bias:
            bias = _variable("bias", [units], x.dtype, bias_initializer or initializers.zeros(), bias_regularizer, trainable, bias_constraint)
            y = _op("BiasAdd", lambda v, b: v + b, y, bias)
        y = _activated(y, activation)
        _regularized(activity_regularizer, y)
        return y


def _conv(rank, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, kernel_initializer,
          bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, trainable, name, reuse):  # fmt: skip
    x = wrap.convert(inputs)
    first = data_format == "channels_first"
    letters = "DHW"[3 - rank :]
    form = f"NC{letters}" if first else f"N{letters}C"
    with _scope(name, f"conv{rank}d", reuse):
        channels = int(x.shape[1 if first else -1])
        kernel = _variable("kernel", [*_pair(kernel_size, rank), channels, filters], x.dtype, kernel_initializer, kernel_regularizer, trainable)
        convolve = {1: _nn.conv1d, 2: _nn.conv2d, 3: _nn.conv3d}[rank]
        steps, apart = _pair(strides, rank), _pair(dilation_rate, rank)
        full = (lambda n: [1, 1, *n]) if first else (lambda n: [1, *n, 1])
        steps = full(steps) if rank == 3 else steps
        y = _op(
            f"Conv{rank}D", lambda v, k: convolve(v, k, steps if rank > 1 else steps[0], padding.upper(), form, apart if rank < 3 else full(apart)), x, kernel
        )
        if use_bias:
            bias = _variable("bias", [filters], x.dtype, bias_initializer or initializers.zeros(), bias_regularizer, trainable)
            y = _op("BiasAdd", (lambda v, b: v + _core.reshape(b, [-1] + [1] * rank)) if first else (lambda v, b: v + b), y, bias)
        y = _activated(y, activation)
        _regularized(activity_regularizer, y)
        return y


def conv1d(inputs, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1, activation=None,
           use_bias=True, kernel_initializer=None, bias_initializer=None, kernel_regularizer=None, bias_regularizer=None,
           activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):  # fmt: skip
    """Filters slid over sequences."""
    return _conv(1, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, kernel_initializer,
                 bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, trainable, name, reuse)  # fmt: skip


def conv2d(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", dilation_rate=(1, 1), activation=None,
           use_bias=True, kernel_initializer=None, bias_initializer=None, kernel_regularizer=None, bias_regularizer=None,
           activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):  # fmt: skip
    """Filters slid over pictures."""
    return _conv(2, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, kernel_initializer,
                 bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, trainable, name, reuse)  # fmt: skip


def conv3d(inputs, filters, kernel_size, strides=(1, 1, 1), padding="valid", data_format="channels_last", dilation_rate=(1, 1, 1),
           activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None, kernel_regularizer=None, bias_regularizer=None,
           activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):  # fmt: skip
    """Filters slid over volumes."""
    return _conv(3, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, kernel_initializer,
                 bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, trainable, name, reuse)  # fmt: skip


def conv2d_transpose(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", activation=None, use_bias=True,
                     kernel_initializer=None, bias_initializer=None, kernel_regularizer=None, bias_regularizer=None,
                     activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):  # fmt: skip
    """The gradient of conv2d, as a layer: pictures become larger."""
    x = wrap.convert(inputs)
    with _scope(name, "conv2d_transpose", reuse):
        size, steps = _pair(kernel_size), _pair(strides)
        kernel = _variable("kernel", [*size, filters, int(x.shape[-1])], x.dtype, kernel_initializer, kernel_regularizer, trainable)

        def run(v, k):
            more = [max(s - t, 0) if padding.lower() == "valid" else 0 for s, t in zip(size, steps)]
            shape = [v.shape[0], v.shape[1] * steps[0] + more[0], v.shape[2] * steps[1] + more[1], filters]
            return _nn.conv2d_transpose(v, k, shape, steps, padding.upper())

        y = _op("conv2d_transpose", run, x, kernel)
        if use_bias:
            y = _op(
                "BiasAdd", lambda v, b: v + b, y, _variable("bias", [filters], x.dtype, bias_initializer or initializers.zeros(), bias_regularizer, trainable)
            )
        y = _activated(y, activation)
        _regularized(activity_regularizer, y)
        return y


def separable_conv2d(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", dilation_rate=(1, 1),
                     depth_multiplier=1, activation=None, use_bias=True, depthwise_initializer=None, pointwise_initializer=None,
                     bias_initializer=None, depthwise_regularizer=None, pointwise_regularizer=None, bias_regularizer=None,
                     activity_regularizer=None, trainable=True, name=None, reuse=None, **constraints):  # fmt: skip
    """Filters of each channel, then a product over channels."""
    x = wrap.convert(inputs)
    with _scope(name, "separable_conv2d", reuse):
        channels = int(x.shape[-1])
        deep = _variable(
            "depthwise_kernel", [*_pair(kernel_size), channels, depth_multiplier], x.dtype, depthwise_initializer, depthwise_regularizer, trainable
        )
        point = _variable("pointwise_kernel", [1, 1, channels * depth_multiplier, filters], x.dtype, pointwise_initializer, pointwise_regularizer, trainable)
        y = _op(
            "separable_conv2d",
            lambda v,
            d,
            p: _nn.separable_conv2d(v, d, p, [1, *_pair(strides), 1], padding.upper(), "NHWC", _pair(dilation_rate)),
            x,
            deep,
            point,
        )
        if use_bias:
            y = _op(
                "BiasAdd", lambda v, b: v + b, y, _variable("bias", [filters], x.dtype, bias_initializer or initializers.zeros(), bias_regularizer, trainable)
            )
        y = _activated(y, activation)
        _regularized(activity_regularizer, y)
        return y


def _pooling(kind, function):
    def pooling(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
        form = "NCHW" if data_format == "channels_first" else "NHWC"
        return _op(kind, lambda v: function(v, _pair(pool_size), _pair(strides), padding.upper(), form), inputs)

    return pooling


max_pooling2d = _pooling("MaxPool", _nn.max_pool2d)
max_pooling2d.__doc__, max_pooling2d.__name__ = "The largest of each window.", "max_pooling2d"
average_pooling2d = _pooling("AvgPool", _nn.avg_pool2d)
average_pooling2d.__doc__, average_pooling2d.__name__ = "The mean of each window.", "average_pooling2d"


def max_pooling1d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    """The largest of each window of sequences."""
    return _op("MaxPool", lambda v: _nn.max_pool1d(v, pool_size, strides, padding.upper()), inputs)


def average_pooling1d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    """The mean of each window of sequences."""
    return _op("AvgPool", lambda v: _nn.avg_pool1d(v, pool_size, strides, padding.upper()), inputs)


def flatten(inputs, name=None, data_format="channels_last"):
    """One axis behind that of the samples."""

    def run(x):
        size = 1
        for d in x.shape[1:]:
            size *= int(d)
        return _core.reshape(x, [x.shape[0], size])

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
    return _op("dropout", lambda x, r, t: _core.where(_core.cast(t, "bool"), dropped(x, r, noise_shape, seed), x), inputs, rate, training)


def batch_normalization(inputs, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer=None, gamma_initializer=None,
                        moving_mean_initializer=None, moving_variance_initializer=None, beta_regularizer=None, gamma_regularizer=None,
                        beta_constraint=None, gamma_constraint=None, training=False, trainable=True, name=None, reuse=None, renorm=False,
                        renorm_clipping=None, renorm_momentum=0.99, fused=None, virtual_batch_size=None, adjustment=None):  # fmt: skip
    """Normalised by the batch while training, and by moving averages else. Their updates are in the collection UPDATE_OPS."""
    graph = core.building()
    x = wrap.convert(inputs)
    rank = len(x.dims[0])
    axis = axis[0] if isinstance(axis, (list, tuple)) else axis
    axis = axis % rank
    with _scope(name, "batch_normalization", reuse):
        n = int(x.shape[axis])
        gamma = _variable("gamma", [n], "float32", gamma_initializer or initializers.ones(), gamma_regularizer, trainable) if scale else None
        beta = _variable("beta", [n], "float32", beta_initializer or initializers.zeros(), beta_regularizer, trainable) if center else None
        mean = _variable("moving_mean", [n], "float32", moving_mean_initializer or initializers.zeros(), None, False)
        variance = _variable("moving_variance", [n], "float32", moving_variance_initializer or initializers.ones(), None, False)
        shape, others = [n if i == axis else 1 for i in range(rank)], [i for i in range(rank) if i != axis]
        known = _is_training(training)
        bessel = rank == 4 and fused is not False  # TensorFlow's kernel for pictures keeps the variance of a sample

        def run(x, mean, variance, training, gamma, beta):
            used_mean, used_variance, kept = mean, variance, variance
            if known is not False:
                batch_mean, batch_variance = _nn.moments(x, others)
                count = 1
                for i in others:
                    count *= int(x.shape[i])
                sample = batch_variance * (count / max(count - 1, 1)) if bessel else batch_variance
                if known:
                    used_mean, used_variance, kept = batch_mean, batch_variance, sample
                else:
                    flag = _core.cast(training, "bool")
                    used_mean, used_variance = _core.where(flag, batch_mean, mean), _core.where(flag, batch_variance, variance)
                    kept = _core.where(flag, sample, variance)
            factor = _core._math.rsqrt(used_variance + epsilon)
            if gamma is not None:
                factor = factor * gamma
            y = (x - _core.reshape(used_mean, shape)) * _core.reshape(factor, shape)
            if beta is not None:
                y = y + _core.reshape(beta, shape)
            return y, used_mean, kept

        y, new_mean, new_variance = _op("FusedBatchNormV3", run, x, mean, variance, training if known is None else None, gamma, beta)
        if known is not False:
            for variable, value in ((mean, new_mean), (variance, new_variance)):
                change = _op("mul", lambda a, b: (a - b) * (1.0 - momentum), variable, value)
                graph.add_to_collection(GraphKeys.UPDATE_OPS, variable.assign_sub(change).op)
    return y


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
