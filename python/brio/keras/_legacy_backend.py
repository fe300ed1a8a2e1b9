"""The functions that tf.keras.backend still has for programs of Keras 2:
each is a short form of functions of tf and keras.ops."""

import builtins

import numpy as np

from brio import _control, _core, _nest, math, nn
from brio.keras import config

# ---- variables and values


def variable(value, dtype=None, name=None, constraint=None):
    """A variable."""
    return _core.Variable(value, dtype=_core.as_dtype(dtype or config.floatx()), name=name, constraint=constraint)


def constant(value, dtype=None, shape=None, name=None):
    """A tensor of these numbers."""
    return _core.constant(value, dtype or config.floatx(), shape)


def zeros(shape, dtype=None, name=None):
    """A variable of zeros."""
    return _core.Variable(_core.zeros(shape, dtype or config.floatx()), name=name)


def ones(shape, dtype=None, name=None):
    """A variable of ones."""
    return _core.Variable(_core.ones(shape, dtype or config.floatx()), name=name)


def eye(size, dtype=None, name=None):
    """A variable of an identity matrix."""
    return _core.Variable(_core.eye(size, dtype=dtype or config.floatx()), name=name)


def zeros_like(x, dtype=None, name=None):
    """Zeros of the shape of x."""
    return _core.zeros_like(x, dtype=dtype)


def ones_like(x, dtype=None, name=None):
    """Ones of the shape of x."""
    return _core.ones_like(x, dtype=dtype)


def random_normal_variable(shape, mean, scale, dtype=None, name=None, seed=None):
    """A variable of numbers from a normal distribution."""
    return variable(_random().normal(shape, mean, scale, dtype or config.floatx(), seed), dtype, name)


def random_uniform_variable(shape, low, high, dtype=None, name=None, seed=None):
    """A variable of numbers from a uniform distribution."""
    return variable(_random().uniform(shape, low, high, dtype or config.floatx(), seed), dtype, name)


def batch_get_value(tensors):
    """The values of variables, as arrays."""
    return [x.numpy() for x in tensors]


def batch_set_value(tuples):
    """Sets variables: [(variable, value)]."""
    for x, value in tuples or ():
        x.assign(np.asarray(value, dtype=x.dtype.name))


def count_params(x):
    """How many numbers a variable holds."""
    return int(np.prod(tuple(x.shape)))


def update(x, new_x):
    """Sets a variable."""
    return x.assign(new_x)


def update_add(x, increment):
    """Adds to a variable."""
    return x.assign_add(increment)


def update_sub(x, decrement):
    """Takes away from a variable."""
    return x.assign_sub(decrement)


def moving_average_update(x, value, momentum):
    """Moves a variable towards a value."""
    momentum, value = _core.cast(momentum, x.dtype), _core.cast(value, x.dtype)
    return x.assign_sub((x - value) * (1 - momentum))


def eval(x):
    """The value of a tensor, as an array."""
    return _core.convert_to_tensor(x).numpy()


# ---- what a tensor is


def shape(x):
    """The shape, as a tensor."""
    return _core.shape(x)


def int_shape(x):
    """The shape, as a tuple."""
    return tuple(x.shape)


def ndim(x):
    """How many axes there are."""
    return len(x.shape)


def dtype(x):
    """The name of the dtype."""
    return _core.as_dtype(x.dtype).name


def is_sparse(tensor):
    """Is this a SparseTensor?"""
    return type(tensor).__name__ == "SparseTensor"


def to_dense(tensor):
    """A dense tensor of a sparse one."""
    from brio import sparse

    return sparse.to_dense(tensor) if is_sparse(tensor) else tensor


def cast(x, dtype):
    """x in another dtype."""
    return _core.cast(x, dtype)


def cast_to_floatx(x):
    """x in Keras' default dtype: a tensor, or an array."""
    if isinstance(x, (_core.Tensor, _core.Variable)):
        return _core.cast(x, config.floatx())
    return np.asarray(x, dtype=config.floatx())


# ---- products


def dot(x, y):
    """The product of the last axis of x with the last but one of y."""
    x, y = _core.convert_to_tensor(x), _core.convert_to_tensor(y)
    return _core.tensordot(x, y, [[x.shape.rank - 1], [builtins.max(y.shape.rank - 2, 0)]])


def batch_dot(x, y, axes=None):
    """The product along axes of x and y, for each element of a batch."""
    from brio.keras.layers import Dot

    if isinstance(axes, int):
        axes = (axes, axes)
    x_rank, y_rank = len(x.shape), len(y.shape)
    if axes is None:
        axes = [x_rank - 1, y_rank - 1] if y_rank == 2 else [x_rank - 1, y_rank - 2]
    return Dot(axes=tuple(a % n for a, n in zip(axes, (x_rank, y_rank))))([x, y])


def transpose(x):
    """The axes in the opposite order."""
    return _core.transpose(x)


def gather(reference, indices):
    """The rows at indices."""
    return _core.gather(reference, indices)


# ---- reductions


def _axis(x, axis, keepdims, function):
    return function(x, axis=axis, keepdims=keepdims)


def _numbers(x):
    x = _core.convert_to_tensor(x)
    return _core.cast(x, config.floatx()) if x.dtype == _core.bool else x


def max(x, axis=None, keepdims=False):
    """The largest."""
    return _axis(x, axis, keepdims, _core.reduce_max)


def min(x, axis=None, keepdims=False):
    """The smallest."""
    return _axis(x, axis, keepdims, _core.reduce_min)


def sum(x, axis=None, keepdims=False):
    """The sum."""
    return _axis(x, axis, keepdims, _core.reduce_sum)


def prod(x, axis=None, keepdims=False):
    """The product."""
    return _axis(x, axis, keepdims, _core.reduce_prod)


def mean(x, axis=None, keepdims=False):
    """The mean; of bools, how many are true."""
    return _axis(_numbers(x), axis, keepdims, _core.reduce_mean)


def var(x, axis=None, keepdims=False):
    """The variance."""
    return _axis(_numbers(x), axis, keepdims, math.reduce_variance)


def std(x, axis=None, keepdims=False):
    """The standard deviation."""
    return _axis(_numbers(x), axis, keepdims, math.reduce_std)


def any(x, axis=None, keepdims=False):
    """Is any true?"""
    return _axis(_core.cast(x, "bool"), axis, keepdims, _core.reduce_any)


def all(x, axis=None, keepdims=False):
    """Are all true?"""
    return _axis(_core.cast(x, "bool"), axis, keepdims, _core.reduce_all)


def argmax(x, axis=-1):
    """Where the largest lies."""
    return _core.argmax(x, axis)


def argmin(x, axis=-1):
    """Where the smallest lies."""
    return _core.argmin(x, axis)


def cumsum(x, axis=0):
    """Running sums."""
    return _core.cumsum(x, axis=axis)


def cumprod(x, axis=0):
    """Running products."""
    return math.cumprod(x, axis=axis)


# ---- element by element


def square(x):
    """x times x."""
    return _core.square(x)


def abs(x):
    """Without the sign."""
    return _core.abs(x)


def sqrt(x):
    """The square root; of negative numbers 0."""
    x = _core.convert_to_tensor(x)
    return _core.sqrt(_core.maximum(x, _core.zeros([], x.dtype)))


def exp(x):
    """e to the power of x."""
    return _core.exp(x)


def log(x):
    """The natural logarithm."""
    return math.log(x)


def round(x):
    """The nearest integer; halves become even."""
    return _core.round(x)


def sign(x):
    """-1, 0 or 1."""
    return _core.sign(x)


def pow(x, a):
    """x to the power of a."""
    return _core.pow(x, a)


def clip(x, min_value, max_value):
    """x within bounds."""
    if isinstance(min_value, (int, float)) and isinstance(max_value, (int, float)) and max_value < min_value:
        max_value = min_value
    return _core.clip_by_value(
        x, -np.inf if min_value is None else min_value, np.inf if max_value is None else max_value
    )


def equal(x, y):
    """x == y."""
    return _core.equal(x, y)


def not_equal(x, y):
    """x != y."""
    return _core.not_equal(x, y)


def greater(x, y):
    """x > y."""
    return _core.greater(x, y)


def greater_equal(x, y):
    """x >= y."""
    return _core.greater_equal(x, y)


def less(x, y):
    """x < y."""
    return _core.less(x, y)


def less_equal(x, y):
    """x <= y."""
    return _core.less_equal(x, y)


def maximum(x, y):
    """The larger of each two."""
    return _core.maximum(x, y)


def minimum(x, y):
    """The smaller of each two."""
    return _core.minimum(x, y)


def sin(x):
    """The sine."""
    return _core.sin(x)


def cos(x):
    """The cosine."""
    return _core.cos(x)


# ---- shapes


def concatenate(tensors, axis=-1):
    """Tensors one after the other."""
    return _core.concat([to_dense(x) for x in tensors], axis)


def reshape(x, shape):
    """The elements in another shape."""
    return _core.reshape(x, shape)


def permute_dimensions(x, pattern):
    """The axes in another order."""
    return _core.transpose(x, perm=pattern)


def resize_images(x, height_factor, width_factor, data_format, interpolation="nearest"):
    """Pictures that many times as large."""
    from brio.keras.layers import UpSampling2D

    return UpSampling2D((height_factor, width_factor), data_format=data_format, interpolation=interpolation)(x)


def resize_volumes(x, depth_factor, height_factor, width_factor, data_format):
    """Volumes that many times as large."""
    from brio.keras.layers import UpSampling3D

    return UpSampling3D((depth_factor, height_factor, width_factor), data_format=data_format)(x)


def repeat_elements(x, rep, axis):
    """Each element rep times along an axis."""
    return _core.repeat(x, rep, axis)


def repeat(x, n):
    """(batch, size) as (batch, n, size)."""
    return _core.tile(_core.expand_dims(x, 1), [1, n, 1])


def arange(start, stop=None, step=1, dtype="int32"):
    """The numbers from start to stop."""
    if stop is None:
        start, stop = 0, start
    made = _core.range(start, stop, step)
    return made if dtype == "int32" else _core.cast(made, dtype)


def tile(x, n):
    """x side by side n times along each axis."""
    return _core.tile(x, [n] if isinstance(n, int) else n)


def flatten(x):
    """One axis."""
    return _core.reshape(x, [-1])


def batch_flatten(x):
    """Two axes, of which the first stays."""
    return _core.reshape(x, _core.stack([-1, _core.reduce_prod(_core.shape(x)[1:])]))


def expand_dims(x, axis=-1):
    """One more axis."""
    return _core.expand_dims(x, axis)


def squeeze(x, axis):
    """Without an axis of size 1."""
    return _core.squeeze(x, [axis])


def stack(x, axis=0):
    """Tensors along a new axis."""
    return _core.stack(x, axis=axis)


def reverse(x, axes):
    """Turned round along axes."""
    return _core.reverse(x, [axes] if isinstance(axes, int) else axes)


def temporal_padding(x, padding=(1, 1)):
    """Zeros before and after the steps."""
    return _core.pad(x, [[0, 0], [padding[0], padding[1]], [0, 0]])


def spatial_2d_padding(x, padding=((1, 1), (1, 1)), data_format=None):
    """Zeros around pictures."""
    around = [list(padding[0]), list(padding[1])]
    return _core.pad(x, [[0, 0], [0, 0], *around] if data_format == "channels_first" else [[0, 0], *around, [0, 0]])


def spatial_3d_padding(x, padding=((1, 1), (1, 1), (1, 1)), data_format=None):
    """Zeros around volumes."""
    around = [list(p) for p in padding]
    return _core.pad(x, [[0, 0], [0, 0], *around] if data_format == "channels_first" else [[0, 0], *around, [0, 0]])


def one_hot(indices, num_classes):
    """Rows with a 1 at the index."""
    return _core.one_hot(indices, num_classes)


# ---- control


def switch(condition, then_expression, else_expression):
    """One of two results; elementwise where the condition has axes."""
    if not len(_core.convert_to_tensor(condition).shape):
        called = [e if callable(e) else (lambda e=e: e) for e in (then_expression, else_expression)]
        return _control.cond(condition, *called)
    then, other = (e() if callable(e) else e for e in (then_expression, else_expression))
    condition = _core.cast(condition, "bool")
    for _ in range(len(then.shape) - len(condition.shape)):
        condition = _core.expand_dims(condition, -1)
    return _core.where(condition, then, other)


def map_fn(fn, elems, name=None, dtype=None):
    """fn of each row."""
    return _control.map_fn(fn, elems, dtype=dtype)


def foldl(fn, elems, initializer=None, name=None):
    """fn over the rows, from the first."""
    return _control.foldl(fn, elems, initializer=initializer)


def foldr(fn, elems, initializer=None, name=None):
    """fn over the rows, from the last."""
    return _control.foldr(fn, elems, initializer=initializer)


def gradients(loss, variables):
    """The gradients of a loss of a graph; eager code has tf.GradientTape."""
    from brio.compat import v1

    if _control.executing_eagerly():
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."
        )
    return v1.gradients(loss, variables)


def stop_gradient(variables):
    """The values, through which no gradient goes."""
    return _nest.map_structure(_core.stop_gradient, variables)


# ---- networks


def relu(x, alpha=0.0, max_value=None, threshold=0.0):
    """max(x, 0), with a slope below the threshold and an upper bound."""
    from brio.keras.activations import relu as made

    return made(x, negative_slope=alpha, max_value=max_value, threshold=threshold)


def elu(x, alpha=1.0):
    """x, or alpha * (exp(x) - 1) where it is negative."""
    made = nn.elu(x)
    return made if alpha == 1 else _core.where(_core.convert_to_tensor(x) > 0, made, alpha * made)


def softmax(x, axis=-1):
    """Rows that add up to 1."""
    return nn.softmax(x, axis=axis)


def softplus(x):
    """log(exp(x) + 1)."""
    return math.softplus(x)


def softsign(x):
    """x / (|x| + 1)."""
    return math.softsign(x)


def sigmoid(x):
    """1 / (1 + exp(-x))."""
    return _core.sigmoid(x)


def hard_sigmoid(x):
    """0.2 x + 0.5 within [0, 1], as in Keras 2."""
    x = _core.convert_to_tensor(x)
    return _core.clip_by_value(0.2 * x + 0.5, 0.0, 1.0)


def tanh(x):
    """The hyperbolic tangent."""
    return _core.tanh(x)


def dropout(x, level, noise_shape=None, seed=None):
    """x with some elements 0, and the others larger."""
    return nn.dropout(x, rate=level, noise_shape=noise_shape, seed=np.random.randint(10**7) if seed is None else seed)


def l2_normalize(x, axis=None):
    """x divided by its length."""
    return _core._math.l2_normalize(x, axis=axis)


def in_top_k(predictions, targets, k):
    """Is the target among the k largest?"""
    return math.in_top_k(targets, predictions, k)


def bias_add(x, bias, data_format=None):
    """x plus a bias for each channel."""
    bias = _core.convert_to_tensor(bias)
    if data_format == "channels_first" and len(x.shape) > 2:
        bias = _core.reshape(
            bias, [1, -1, *[1] * (len(x.shape) - 2)] if len(bias.shape) == 1 else [1, bias.shape[-1], *bias.shape[:-1]]
        )
    elif len(bias.shape) > 1:
        bias = _core.reshape(bias, [1, *bias.shape])
    return x + bias


def batch_normalization(x, mean, var, beta, gamma, axis=-1, epsilon=1e-3):
    """x with a mean and a variance taken away, scaled and moved."""
    rank = len(x.shape)
    if axis % rank != rank - 1:
        to = [-1 if i == axis % rank else 1 for i in range(rank)]
        mean, var, beta, gamma = (None if v is None else _core.reshape(v, to) for v in (mean, var, beta, gamma))
    return nn.batch_normalization(x, mean, var, beta, gamma, epsilon)


def _padding(padding):
    if padding not in ("same", "valid"):
        raise ValueError(f"Invalid padding: {padding}")
    return padding.upper()


def conv1d(x, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    """Convolution along steps."""
    from brio.keras import ops

    if padding == "causal":
        x, padding = temporal_padding(x, (dilation_rate * (kernel.shape[0] - 1), 0)), "valid"
    return ops.conv(x, kernel, strides, padding, data_format or "channels_last", dilation_rate)


def conv2d(x, kernel, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1)):
    """Convolution of pictures."""
    from brio.keras import ops

    return ops.conv(x, kernel, strides, padding, data_format or "channels_last", dilation_rate)


def conv3d(x, kernel, strides=(1, 1, 1), padding="valid", data_format=None, dilation_rate=(1, 1, 1)):
    """Convolution of volumes."""
    from brio.keras import ops

    return ops.conv(x, kernel, strides, padding, data_format or "channels_last", dilation_rate)


def conv2d_transpose(x, kernel, output_shape, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1)):
    """The gradient of a convolution, as a layer."""
    shape = [_core.shape(x)[0] if n is None else n for n in output_shape]
    return nn.conv2d_transpose(x, kernel, shape, strides, _padding(padding), dilations=dilation_rate)


def depthwise_conv2d(x, depthwise_kernel, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1)):
    """Convolution of each channel by itself."""
    from brio.keras import ops

    return ops.depthwise_conv(x, depthwise_kernel, strides, padding, data_format or "channels_last", dilation_rate)


def separable_conv2d(
    x, depthwise_kernel, pointwise_kernel, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1)
):
    """Convolution of each channel by itself, then over the channels."""
    from brio.keras import ops

    return ops.separable_conv(
        x, depthwise_kernel, pointwise_kernel, strides, padding, data_format or "channels_last", dilation_rate
    )


def _pool(x, size, strides, padding, data_format, mode):
    from brio.keras import ops

    if mode not in ("max", "avg"):
        raise ValueError(f"Invalid pooling mode: {mode}")
    return (ops.max_pool if mode == "max" else ops.average_pool)(
        x, size, strides, padding, data_format or "channels_last"
    )


def pool2d(x, pool_size, strides=(1, 1), padding="valid", data_format=None, pool_mode="max"):
    """Pooling of pictures."""
    return _pool(x, pool_size, strides, padding, data_format, pool_mode)


def pool3d(x, pool_size, strides=(1, 1, 1), padding="valid", data_format=None, pool_mode="max"):
    """Pooling of volumes."""
    return _pool(x, pool_size, strides, padding, data_format, pool_mode)


# ---- losses


def binary_crossentropy(target, output, from_logits=False):
    """Of each element."""
    from brio.keras import ops

    return ops.binary_crossentropy(target, output, from_logits=from_logits)


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """Of each row."""
    from brio.keras import ops

    return ops.categorical_crossentropy(target, output, from_logits=from_logits, axis=axis)


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1, ignore_class=None):
    """Of each row, whose target is a number."""
    from brio.keras import ops

    target = _core.cast(target, "int64")
    if len(target.shape) == len(output.shape) and target.shape[-1] == 1:
        target = _core.squeeze(target, [-1])
    if ignore_class is None:
        return ops.sparse_categorical_crossentropy(target, output, from_logits=from_logits, axis=axis)
    valid = _core.not_equal(target, ignore_class)
    found = ops.sparse_categorical_crossentropy(
        _core.where(valid, target, _core.zeros_like(target)), output, from_logits=from_logits, axis=axis
    )
    return _core.where(valid, found, _core.zeros_like(found))


def binary_focal_crossentropy(target, output, apply_class_balancing=False, alpha=0.25, gamma=2.0, from_logits=False):
    """Of each element; what is predicted well counts less."""
    from brio.keras import ops

    target, output = _core.cast(target, output.dtype), _core.sigmoid(output) if from_logits else output
    right = target * output + (1 - target) * (1 - output)
    made = _core.pow(1.0 - right, gamma) * ops.binary_crossentropy(target, output)
    return made * (target * alpha + (1 - target) * (1 - alpha)) if apply_class_balancing else made


def categorical_focal_crossentropy(target, output, alpha=0.25, gamma=2.0, from_logits=False, axis=-1):
    """Of each row; what is predicted well counts less."""
    target, output = _core.cast(target, output.dtype), nn.softmax(output, axis=axis) if from_logits else output
    output = output / _core.reduce_sum(output, axis=axis, keepdims=True)
    output = _core.clip_by_value(output, config.epsilon(), 1.0 - config.epsilon())
    return _core.reduce_sum(alpha * _core.pow(1.0 - output, gamma) * -target * math.log(output), axis=axis)


# ---- random numbers


def _random():
    from brio import random

    return random


def random_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """From a normal distribution."""
    return _random().normal(
        shape, mean, stddev, dtype or config.floatx(), np.random.randint(10**7) if seed is None else seed
    )


def random_uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    """From a uniform distribution."""
    return _random().uniform(
        shape, minval, maxval, dtype or config.floatx(), np.random.randint(10**7) if seed is None else seed
    )


def random_bernoulli(shape, p=0.0, dtype=None, seed=None):
    """1 with a probability, else 0."""
    return _core.cast(random_uniform(shape, seed=seed) <= p, dtype or config.floatx())


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """From a normal distribution that is cut at two standard deviations."""
    return _random().truncated_normal(
        shape, mean, stddev, dtype or config.floatx(), np.random.randint(10**7) if seed is None else seed
    )


# ---- recurrence


def rnn(step_function, inputs, initial_states, go_backwards=False, mask=None, constants=None, unroll=False,
        input_length=None, time_major=False, zero_output_for_mask=False, return_all_outputs=True):  # fmt: skip
    """(last output, outputs, states) of step_function(input, states) over the steps."""
    sequence = _nest.map_structure(
        lambda x: x if time_major else _core.transpose(x, [1, 0, *range(2, len(x.shape))]), inputs
    )
    flat, states, outputs, last = _nest.flatten(sequence), tuple(initial_states), [], None
    steps = range(flat[0].shape[0])
    masks = None if mask is None else (mask if time_major else _core.transpose(mask, [1, 0]))
    for t in reversed(steps) if go_backwards else steps:
        output, new = step_function(_nest.pack(sequence, [x[t] for x in flat]), (*states, *(constants or ())))
        if masks is not None:
            keep = lambda a, b, t=t: _core.where(_core.reshape(masks[t], [-1, *[1] * (len(a.shape) - 1)]), a, b)
            output = keep(output, _core.zeros_like(output) if zero_output_for_mask or last is None else last)
            new = [keep(a, b) for a, b in zip(new, states)]
        states, last = tuple(new), output
        outputs.append(output)
    kept = _core.stack(outputs if return_all_outputs else outputs[-1:])
    return last, kept if time_major else _core.transpose(kept, [1, 0, *range(2, len(kept.shape))]), list(states)
