"""keras.ops.image: pictures read at other places, between their pixels too."""

import functools
import itertools
import operator

import brio as tf
from brio import _core
from brio.keras.ops._convert import channels_last, name_of, of_values, tensor

_ORDERS = ("nearest", "bilinear")


def _one_of(function, what, given, allowed):
    if given not in allowed:
        raise ValueError(f"[{function}] {what} is {given!r}; it is one of {', '.join(allowed)}")


def _batch(function, images, data_format):
    """Pictures (batch, rows, columns, channels), and what gives a result the form that they had."""
    images, back = channels_last(images, data_format, -3)
    if len(images.shape) not in (3, 4):
        raise ValueError(f"[{function}] takes a picture or a batch of them, but got shape {tuple(images.shape)}")
    if len(images.shape) == 3:
        return images[None], lambda made: back(made[0])
    return images, back


def _floats(x):
    return x if x.dtype in ("float32", "float64") else _core.cast(x, "float32")


def extent(images):
    """How many rows and columns pictures have, as whole numbers and as floats:
    numbers where they are known, else tensors."""
    known = images.shape[1:3]
    if None not in tuple(known):
        return [int(n) for n in known], [float(n) for n in known]
    sizes = _core.shape(images)
    return [sizes[1], sizes[2]], [_core.cast(n, "float32") for n in (sizes[1], sizes[2])]


def steps(size, shape):
    """0.0, 1.0, ... up to a size, along the axis of `shape` that is -1."""
    return _core.reshape(_core.cast(_core.range(size), "float32"), shape)


# ---- transforms, as TensorFlow reads pictures


def _mapped(at, size, fill_mode):
    """Coordinates in a picture for those that may lie outside of it."""
    if isinstance(size, float) and size <= 1:
        return _core.zeros_like(at)
    if fill_mode == "reflect":  # one period is the picture and its mirror image
        place = at - 2.0 * size * tf.floor(at / (2.0 * size))
        at = _core.where(place >= size, 2.0 * size - place - 1.0, place)
    elif fill_mode == "wrap":  # as TensorFlow counts: whole turns are of size - 1, each shifts by size
        low = at + size * (tf.floor(-at / (size - 1.0)) + 1.0)
        high = at - size * tf.floor(at / (size - 1.0))
        at = _core.where(at < 0.0, low, _core.where(at > size - 1.0, high, at))
    return tf.clip_by_value(at, 0.0, size - 1.0)


def _pixels_at(images, x, y, interpolation):
    """The pixels of a batch at places inside of it, (batch, rows, columns) each."""
    (rows, columns), sizes = extent(images)
    flat = _core.reshape(images, [-1, images.shape[3]])
    picture = _core.reshape(_core.range(_core.shape(images)[0]), [-1, 1, 1]) * (rows * columns)
    whole = lambda at, size: _core.cast(tf.minimum(at, size - 1.0), "int32")
    row = lambda at: picture + whole(at, sizes[0]) * columns
    if interpolation == "nearest":
        return _core.gather(flat, row(y) + whole(x, sizes[1]))
    left, top = tf.floor(x), tf.floor(y)
    share = lambda v: _core.cast(_core.expand_dims(v, 3), flat.dtype)
    fx, fy = share(x - left), share(y - top)
    near, far, above, below = whole(left, sizes[1]), whole(left + 1.0, sizes[1]), row(top), row(top + 1.0)
    upper = (1.0 - fx) * _core.gather(flat, above + near) + fx * _core.gather(flat, above + far)
    lower = (1.0 - fx) * _core.gather(flat, below + near) + fx * _core.gather(flat, below + far)
    return (1.0 - fy) * upper + fy * lower


def projected(images, transform, interpolation, fill_mode, fill_value):
    """A batch of pictures whose pixel (x, y) is read at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k),
    k = c0 x + c1 y + 1."""
    whole, (rows, columns) = extent(images)
    a0, a1, a2, b0, b1, b2, c0, c1 = (
        _core.reshape(c, [-1, 1, 1]) for c in _core.unstack(_core.cast(transform, "float32"), axis=1)
    )
    x, y = steps(whole[1], [1, 1, -1]), steps(whole[0], [1, -1, 1])
    k = c0 * x + c1 * y + 1.0
    at_x, at_y = (a0 * x + a1 * y + a2) / k, (b0 * x + b1 * y + b2) / k
    source = _floats(images)
    if fill_mode == "constant":
        at_x, at_y = (_rounded(v, interpolation) for v in (at_x, at_y))
        # A frame of the value, where all that lies outside is read.
        source = _core.pad(source, [[0, 0], [1, 1], [1, 1], [0, 0]], constant_values=fill_value)
        at_x, at_y = tf.clip_by_value(at_x + 1.0, 0.0, columns + 1.0), tf.clip_by_value(at_y + 1.0, 0.0, rows + 1.0)
    else:
        at_x, at_y = (_rounded(_mapped(v, n, fill_mode), interpolation) for v, n in ((at_x, columns), (at_y, rows)))
    return _core.cast(_pixels_at(source, at_x, at_y, interpolation), images.dtype)


def _rounded(at, interpolation):
    """The nearest whole number, halves away from 0, where pixels are not mixed."""
    return tf.sign(at) * tf.floor(tf.abs(at) + 0.5) if interpolation == "nearest" else at


@of_values
def affine_transform(images, transform, interpolation="bilinear", fill_mode="constant", fill_value=0, data_format=None):
    """Pictures whose pixel (x, y) is read at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) with k = c0 x + c1 y + 1;
    a transform is a0 ... c1.

    >>> right = [1.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    >>> keras.ops.image.affine_transform(np.float32([[[1], [2], [3]]]), np.float32(right)).numpy().ravel().tolist()
    [0.0, 1.0, 2.0]
    """
    _one_of("affine_transform", "interpolation", interpolation, _ORDERS)
    _one_of("affine_transform", "fill_mode", fill_mode, ("constant", "nearest", "wrap", "reflect"))
    images, back = _batch("affine_transform", images, data_format)
    transform = tensor(transform)
    if len(transform.shape) not in (1, 2) or transform.shape[-1] != 8:
        raise ValueError(f"[affine_transform] transform has shape {tuple(transform.shape)}; it is (8,), or (batch, 8)")
    transform = transform[None] if len(transform.shape) == 1 else transform
    return back(projected(images, transform, interpolation, fill_mode, fill_value))


def homography(start_points, end_points):
    """The transforms, (batch, 8), that read at start points what is at end points."""
    end, start = end_points, start_points
    x, y = end[..., 0], end[..., 1]
    none, one = _core.zeros_like(x), _core.ones_like(x)
    row = lambda first, to: _core.stack([*first, -to * x, -to * y], axis=-1)
    of_x = row([x, y, one, none, none, none], start[..., 0])
    of_y = row([none, none, none, x, y, one], start[..., 1])
    return _core.squeeze(
        tf.linalg.solve(_core.concat([of_x, of_y], axis=1), _core.concat([start[..., :1], start[..., 1:]], axis=1)),
        [-1],
    )


@of_values
def perspective_transform(images, start_points, end_points, interpolation="bilinear", fill_value=0, data_format=None):
    """Pictures of which four points (x, y) are moved from start_points to end_points, (4, 2) or (batch, 4, 2).

    >>> corners = np.float32([[0, 0], [1, 0], [0, 1], [1, 1]])
    >>> picture = np.float32([[[1], [2]], [[3], [4]]])
    >>> keras.ops.image.perspective_transform(picture, corners, corners).numpy().ravel().round(3).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    _one_of("perspective_transform", "interpolation", interpolation, _ORDERS)
    images, back = _batch("perspective_transform", images, data_format)
    start, end = (_core.cast(tensor(p), "float32") for p in (start_points, end_points))
    if tuple(start.shape) != tuple(end.shape) or tuple(start.shape[-2:]) != (4, 2) or len(start.shape) not in (2, 3):
        raise ValueError(
            f"[perspective_transform] points of shapes {tuple(start.shape)} and {tuple(end.shape)}; both are (4, 2), "
            "or (batch, 4, 2)"
        )
    start, end = (p[None] if len(p.shape) == 2 else p for p in (start, end))
    return back(projected(images, homography(start, end), interpolation, "constant", fill_value))


# ---- coordinates, as SciPy has them


def _nodes(at, size, order, fill_mode):
    """[(index, is it inside, weight)] of the elements between which a coordinate lies, one or two."""
    if order == 0:
        at = at if at.dtype.is_integer else tf.round(at)
        found = [(_core.cast(at, "int32"), _core.ones([], at.dtype))]
    else:
        low = tf.floor(at)
        found = [(_core.cast(low, "int32"), 1 - (at - low)), (_core.cast(low, "int32") + 1, at - low)]
    return [(*_index(i, size, fill_mode), weight) for i, weight in found]


def _index(i, size, fill_mode):
    inside = None
    if fill_mode == "constant":
        inside = tf.logical_and(i >= 0, i < size)
    elif fill_mode == "wrap":
        i = tf.math.floormod(i, size)
    elif fill_mode != "nearest":  # of a period of two pictures, the second runs backwards
        place = tf.math.floormod(tf.abs(i), 2 * size)
        i = _core.where(place < size, place, 2 * size - place - (fill_mode == "reflect"))
    return tf.clip_by_value(i, 0, size - 1), inside


_FILLS = ("constant", "nearest", "wrap", "mirror", "reflect")


@of_values
def map_coordinates(inputs, coordinates, order, fill_mode="constant", fill_value=0):
    """The values at coordinates, of which there is a tensor for each axis:
    the nearest ones (order 0) or between them (order 1).

    >>> keras.ops.image.map_coordinates(
    ...     np.float32([[1, 2], [3, 5]]), [[0.5, 1.0], [0.5, 0.0]], order=1
    ... ).numpy().tolist()
    [2.75, 3.0]
    """
    _one_of("map_coordinates", "fill_mode", fill_mode, _FILLS)
    if order not in (0, 1):
        raise ValueError(f"[map_coordinates] order is {order}; it is 0 or 1")
    inputs, at = tensor(inputs), tensor(coordinates)
    if at.shape[0] != len(inputs.shape) or len(at.shape) < 2:
        raise ValueError(
            f"[map_coordinates] coordinates of shape {tuple(at.shape)} for shape {tuple(inputs.shape)}; give a tensor "
            "for each axis"
        )
    at = at if at.dtype.is_floating or order == 0 else _core.cast(at, "float32")
    return _mixed(inputs, list(zip(_core.unstack(at, axis=0), inputs.shape)), order, fill_mode, fill_value)


def _mixed(inputs, places, order, fill_mode, fill_value, before=None, channels=False):
    """Values at places [(coordinates, size)] along axes; `before` is the number of the picture that each is in."""
    flat = _core.reshape(inputs, [-1, inputs.shape[-1]] if channels else [-1])
    beside = (lambda x: _core.expand_dims(x, -1)) if channels else lambda x: x
    parts = []
    for corner in itertools.product(*(_nodes(at, size, order, fill_mode) for at, size in places)):
        at = before
        for (index, _, _), (_, size) in zip(corner, places):
            at = index if at is None else at * size + index
        value = _core.gather(flat, at)
        weight = beside(functools.reduce(operator.mul, (w for _, _, w in corner)))
        value = _core.cast(value, weight.dtype)
        if fill_mode == "constant":
            inside = functools.reduce(tf.logical_and, (i for _, i, _ in corner))
            value = _core.where(beside(inside), value, _core.cast(fill_value, value.dtype))
        parts.append(weight * value)
    made = functools.reduce(operator.add, parts)
    return _core.cast(tf.round(made) if inputs.dtype.is_integer and made.dtype.is_floating else made, inputs.dtype)


# ---- blurred and distorted pictures


def _bell(size, sigma, dtype, reach=None):
    """The weights of a Gaussian filter along an axis; 0 further from its middle than `reach`."""
    at = _core.range(size, dtype="float32") - (size - 1) / 2
    weights = tf.exp(-0.5 * tf.square(at / _core.cast(sigma, "float32")))
    weights = weights if reach is None else _core.where(tf.abs(at) <= reach, weights, _core.zeros_like(weights))
    return _core.cast(weights / tf.reduce_sum(weights), dtype)


def _filtered(images, kernel):
    kernel = _core.tile(_core.reshape(kernel, [*kernel.shape, 1, 1]), [1, 1, images.shape[-1], 1])
    return _core._nn.depthwise_conv2d(images, kernel, [1, 1, 1, 1], "SAME")


@of_values
def gaussian_blur(images, kernel_size=(3, 3), sigma=(1.0, 1.0), data_format=None):
    """Pictures blurred by a Gaussian filter of a size and of deviations along rows and columns.

    >>> keras.ops.image.gaussian_blur(np.ones((5, 5, 1), "float32"), sigma=(2.0, 2.0)).numpy()[2, 2].round(4).tolist()
    [1.0]
    """
    images, back = _batch("gaussian_blur", images, data_format)
    size, sigma = [int(n) for n in kernel_size], _core.unstack(_core.cast(tensor(sigma), "float32"), num=2)
    source = images if images.dtype.is_floating else _core.cast(images, "float32")
    first, second = (_bell(n, s, source.dtype) for n, s in zip(size, sigma))
    if size[0] == size[1]:  # as much in two steps
        made = _filtered(_filtered(source, _core.reshape(second, [-1, 1])), _core.reshape(first, [1, -1]))
    else:  # Keras' order of weights
        made = _filtered(source, _core.reshape(_core.reshape(second, [-1, 1]) * first, size))
    return back(_core.cast(made, images.dtype))


def distorted(images, alpha, sigma, most, interpolation, fill_mode, fill_value, draw):
    """A batch of pictures whose pixels are moved by smooth noise;
    `most` is the largest that sigma can be, draw(shape) gives normal numbers."""
    rows, columns = images.shape[1:3]
    if rows is None or columns is None:
        raise ValueError(f"[elastic_transform] pictures of shape {tuple(images.shape)}; rows and columns must be known")
    reach = 3.0 * tf.floor(
        _core.cast(sigma, "float32")
    )  # Keras' filters have 6 sigma | 1 weights, sigma cut to a whole number
    weights = _bell(6 * int(most) | 1, sigma, "float32", reach)
    noise = draw([_core.shape(images)[0], rows, columns, 1]) * sigma  # one for both axes, as Keras' seed draws it
    noise = _filtered(_filtered(noise, _core.reshape(weights, [-1, 1])), _core.reshape(weights, [1, -1])) * alpha
    y, x = steps(rows, [1, -1, 1]) + noise[..., 0], steps(columns, [1, 1, -1]) + noise[..., 0]
    picture = _core.reshape(_core.range(_core.shape(images)[0]), [-1, 1, 1])
    return _mixed(
        images, [(y, rows), (x, columns)], _ORDERS.index(interpolation), fill_mode, fill_value, picture, channels=True
    )


@of_values
def elastic_transform(
    images,
    alpha=20.0,
    sigma=5.0,
    interpolation="bilinear",
    fill_mode="reflect",
    fill_value=0.0,
    seed=None,
    data_format=None,
):
    """Pictures distorted by random moves of their pixels that are smooth over about sigma pixels and in proportion to
    alpha.

    >>> keras.ops.image.elastic_transform(np.ones((2, 16, 16, 3), "float32"), seed=1).shape
    TensorShape([2, 16, 16, 3])
    """
    from brio.keras import random

    _one_of("elastic_transform", "interpolation", interpolation, _ORDERS)
    _one_of("elastic_transform", "fill_mode", fill_mode, ("constant", "nearest", "wrap", "reflect", "mirror"))
    images, back = _batch("elastic_transform", images, data_format)
    draw = lambda shape: random.normal(shape, seed=seed)
    made = distorted(images, float(alpha), float(sigma), float(sigma), interpolation, fill_mode, fill_value, draw)
    return back(made if name_of(made) == name_of(images) else _core.cast(made, images.dtype))
