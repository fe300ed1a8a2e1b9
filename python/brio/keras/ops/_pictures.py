"""keras.ops.image: pictures resampled along their axes, their edges, patches and likeness."""

import math

import numpy as np

import brio as tf
from brio import _core
from brio.keras.ops._convert import as_dtype, channels_last, floating, name_of, of_values, tensor


def _lanczos(radius):
    def kernel(x):
        y = radius * tf.sin(math.pi * x) * tf.sin(math.pi * x / radius)
        made = _core.where(
            x > 1e-3, y / _core.where(x > 0, math.pi**2 * tf.square(x), _core.ones_like(x)), _core.ones_like(x)
        )
        return _core.where(x > radius, _core.zeros_like(x), made)

    return kernel


def _cubic(x):
    near = (1.5 * x - 2.5) * x * x + 1.0
    far = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return _core.where(x >= 2.0, _core.zeros_like(x), _core.where(x >= 1.0, far, near))


_KERNELS = {
    **dict.fromkeys(("linear", "bilinear", "trilinear", "triangle"), lambda x: tf.maximum(0.0, 1.0 - x)),
    **dict.fromkeys(("cubic", "bicubic", "tricubic"), _cubic),
    "lanczos3": _lanczos(3.0),
    "lanczos5": _lanczos(5.0),
}


def _weights(size, new, scale, translation, kernel, antialias):
    """How much of each old element is in each new one, (size, new)."""
    wide = tf.maximum(1.0 / scale, 1.0) if antialias else 1.0
    at = (_core.range(new, dtype=scale.dtype) + 0.5 - translation) / scale - 0.5
    weights = kernel(tf.abs(at[None] - _core.range(size, dtype=scale.dtype)[:, None]) / wide)
    total = tf.reduce_sum(weights, axis=0, keepdims=True)
    some = tf.abs(total) > 1000.0 * float(np.finfo(np.float32).eps)
    weights = _core.where(some, weights / _core.where(some, total, _core.ones_like(total)), _core.zeros_like(weights))
    return _core.where(tf.logical_and(at >= -0.5, at <= size - 0.5)[None], weights, _core.zeros_like(weights))


@of_values
def scale_and_translate(images, output_shape, scale, translation, spatial_dims, method, antialias=True):
    """Tensors resampled along some axes: what is at x comes to scale · x + translation.

    >>> keras.ops.image.scale_and_translate(
    ...     np.float32([[1, 3]]), (1, 4), np.float32([2]), np.float32([0]), (1,), "linear"
    ... ).numpy().tolist()
    [[1.0, 1.5, 2.5, 3.0]]
    """
    if method not in _KERNELS:
        raise ValueError(f"[scale_and_translate] method is {method!r}; it is one of {', '.join(_KERNELS)}")
    images, scale, translation = tensor(images), floating(scale), floating(translation)
    whole = images.dtype.is_integer
    made = _core.cast(images, "float32") if whole else images
    for i, axis in enumerate(spatial_dims):
        axis %= len(images.shape)
        weights = _weights(
            images.shape[axis],
            output_shape[axis],
            scale[i],
            _core.cast(translation[i], scale.dtype),
            _KERNELS[method],
            antialias,
        )
        made = tf.experimental.numpy.moveaxis(
            _core.tensordot(made, _core.cast(weights, made.dtype), axes=[[axis], [0]]), -1, axis
        )
    if whole:
        low, high = (_core.cast(f(images), "float32") for f in (tf.reduce_min, tf.reduce_max))
        made = _core.cast(tf.clip_by_value(tf.round(made), low, high), images.dtype)
    return made


def sobel_edges(images, data_format=None):
    """The derivatives of pictures along rows and columns, by Sobel's filter, along a new last axis.

    >>> keras.ops.image.sobel_edges(np.ones((1, 4, 4, 3), "float32")).shape
    TensorShape([1, 4, 4, 3, 2])
    """
    images, _ = channels_last(images, data_format, -3)
    edges = tf.image.sobel_edges(images)
    return tf.transpose(edges, [0, 3, 1, 2, 4]) if data_format == "channels_first" else edges


def ssim(image1, image2, max_val=1.0, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03, data_format=None):
    """The structural similarity of pictures, 1 where they are the same.

    >>> picture = np.random.uniform(size=(16, 16, 3)).astype("float32")
    >>> round(float(keras.ops.image.ssim(picture, picture)), 4)
    1.0
    """
    first, second = (channels_last(x, data_format, -3)[0] for x in (image1, image2))
    if len(first.shape) not in (3, 4) or len(first.shape) != len(second.shape):
        raise ValueError(
            f"[ssim] takes two pictures or two batches of them, but got shapes {tuple(first.shape)} and "
            f"{tuple(second.shape)}"
        )
    single, dtype = len(first.shape) == 3, first.dtype
    x, y = (floating(v[None] if single else v) for v in (first, second))
    at = np.arange(filter_size) - (filter_size - 1) / 2
    bell = np.exp(-0.5 * (at / filter_sigma) ** 2)
    bell = _core.constant(bell / bell.sum(), x.dtype)

    def blurred(v):
        for shape in ([-1, 1, 1, 1], [1, -1, 1, 1]):
            v = _core._nn.depthwise_conv2d(
                v, _core.tile(_core.reshape(bell, shape), [1, 1, v.shape[-1], 1]), [1, 1, 1, 1], "VALID"
            )
        return v

    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    mx, my = blurred(x), blurred(y)
    light = (2.0 * mx * my + c1) / (mx * mx + my * my + c1)
    contrast = (2.0 * (blurred(x * y) - mx * my) + c2) / (blurred(x * x) - mx * mx + blurred(y * y) - my * my + c2)
    made = _core.cast(tf.reduce_mean(light * contrast, axis=[1, 2, 3]), dtype)
    return made[0] if single else made


def extract_patches_3d(volumes, size, strides=None, dilation_rate=1, padding="valid", data_format=None):
    """The values of each window of volumes, one after the other in the place of the channels.

    >>> keras.ops.image.extract_patches_3d(np.ones((2, 8, 8, 8, 3), "float32"), 4).shape
    TensorShape([2, 2, 2, 2, 192])
    """
    from brio.keras.ops.nn import conv

    volumes, back = channels_last(volumes, data_format, -4)
    size = (size,) * 3 if isinstance(size, int) else tuple(size)
    strides = size if strides is None else (strides,) * 3 if isinstance(strides, int) else tuple(strides)
    if len(size) != 3 or len(strides) != 3 or len(volumes.shape) not in (4, 5):
        raise ValueError(
            f"[extract_patches_3d] size {size} and strides {strides} for shape {tuple(volumes.shape)}; give a number, "
            "or three"
        )
    depth = math.prod(size) * volumes.shape[-1]
    kernel = _core.reshape(
        _core.eye(depth, dtype=name_of(volumes) if "float" in name_of(volumes) else "float32"),
        [*size, volumes.shape[-1], depth],
    )
    single = len(volumes.shape) == 4
    made = conv(floating(volumes[None] if single else volumes), kernel, strides, padding, None, dilation_rate)
    made = as_dtype(made, name_of(volumes))
    return back(made[0] if single else made)
