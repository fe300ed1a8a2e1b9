"""Layers that move, blur or erase pixels of pictures by chance."""

import brio as tf
from brio import _core
from brio.keras import _boxes, random
from brio.keras._image_layer import ImageLayer, each, pair
from brio.keras.ops import _warps

BYTE = (0, 255)


def _one_of(layer, what, given, allowed):
    if given not in allowed:
        raise ValueError(f"[{layer}] {what} is {given!r}; it is one of {', '.join(allowed)}")


class Affine(ImageLayer):
    """Pictures read at the places that a transform of each says: transform(images, drawn) is (batch, 8)."""

    def __init__(
        self, interpolation="bilinear", fill_mode="reflect", fill_value=0.0, data_format=None, seed=None, **kwargs
    ):
        super().__init__(data_format=data_format, seed=seed, **kwargs)
        _one_of(type(self).__name__, "interpolation", interpolation, ("nearest", "bilinear"))
        _one_of(type(self).__name__, "fill_mode", fill_mode, ("reflect", "wrap", "constant", "nearest"))
        self.interpolation, self.fill_mode, self.fill_value = interpolation, fill_mode, fill_value

    def change(self, images, drawn):
        """The pictures transformed."""
        return self._moved_pixels(images, drawn, self.interpolation)

    def change_masks(self, masks, drawn):
        """The masks transformed; classes are not mixed."""
        return self._moved_pixels(masks, drawn, "nearest")

    def _moved_pixels(self, images, transform, interpolation):
        return _warps.projected(images, transform, interpolation, self.fill_mode, self.fill_value)

    def move_boxes(self, boxes, drawn):
        """The boxes around where the corners of boxes are moved."""
        return {**boxes, "boxes": carried(boxes["boxes"], drawn)}


def carried(boxes, transform):
    """The boxes around where the corners of boxes, (batch, n, 4),
    are moved by transforms that say where pixels are read."""
    whole = _core.reshape(_core.concat([transform, _core.ones_like(transform[:, :1])], axis=1), [-1, 1, 3, 3])
    at = _boxes.corners(boxes)
    at = _core.concat([at, _core.ones_like(at[..., :1])], axis=-1)
    at = tf.linalg.matmul(at, tf.linalg.matrix_transpose(tf.linalg.inv(whole)))
    return _boxes.around(at[..., :2] / at[..., 2:])


def transforms(*columns):
    """(batch, 8) of columns (batch,); numbers stand for all pictures."""
    like = next(c for c in columns if not isinstance(c, (int, float)))
    columns = [_core.zeros_like(like) + c if isinstance(c, (int, float)) else c for c in columns]
    return _core.stack([*columns, *[_core.zeros_like(like)] * (8 - len(columns))], axis=1)


class RandomShear(Affine):
    """Pictures sheared by chance, in training: rows are shifted by up to x_factor of their distance from the top,
    columns by up to y_factor.

    >>> pictures = np.random.uniform(0, 255, (2, 8, 8, 3))
    >>> keras.layers.RandomShear(x_factor=0.3, fill_mode="constant", seed=1)(pictures).shape
    TensorShape([2, 8, 8, 3])
    """

    def __init__(self, x_factor=0.0, y_factor=0.0, interpolation="bilinear", fill_mode="reflect", fill_value=0.0,
                 data_format=None, seed=None, **kwargs):  # fmt: skip
        super().__init__(interpolation, fill_mode, fill_value, data_format, seed, **kwargs)
        for name, factor in (("x_factor", x_factor), ("y_factor", y_factor)):
            numbers = list(factor) if isinstance(factor, (tuple, list)) else [factor]
            own = (
                len(numbers) == 2 and numbers[0] == -numbers[1]
            )  # what Keras makes of a number, in a config that it cannot read itself
            if any(not 0 <= f <= 1 for f in numbers) and not own:
                raise ValueError(f"[RandomShear] {name} is {factor}; it lies in [0, 1]")
            setattr(self, name, pair("RandomShear", name, factor, -1, 1))

    def get_config(self):
        """What the layer was made with; from_config() makes another of it."""
        numbers = {n: f[1] for n, f in (("x_factor", self.x_factor), ("y_factor", self.y_factor)) if f[0] == -f[1]}
        return {**super().get_config(), **numbers}

    def draw(self, images):
        """The transform of each picture."""
        way = _core.where(self.one_each(images) > 0.5, -1.0, 1.0)
        return transforms(
            1.0, way * self.one_each(images, *self.x_factor), 0.0, way * self.one_each(images, *self.y_factor), 1.0
        )


class Rotation(Affine):
    """Pictures turned around their middles: what RandAugment does as RandomRotation."""

    def __init__(self, factor, **kwargs):
        super().__init__(**kwargs)
        self.factor = pair("RandomRotation", "factor", factor, -1, 1)

    def draw(self, images):
        """The transform of each picture."""
        y, x = ((size - 1.0) / 2.0 for size in _warps.extent(images)[1])
        angle = self.one_each(images, *self.factor) * 6.283185307179586
        c, s = tf.cos(angle), tf.sin(angle)
        return transforms(c, -s, x - x * c + y * s, s, c, y - x * s - y * c)


class Translation(Affine):
    """Pictures shifted: what RandAugment does as RandomTranslation."""

    def __init__(self, factor, **kwargs):
        super().__init__(**kwargs)
        self.factor = pair("RandomTranslation", "factor", factor, -1, 1)

    def draw(self, images):
        """The transform of each picture."""
        down, right = (self.one_each(images, *self.factor) * -size for size in _warps.extent(images)[1])
        return transforms(1.0, 0.0, right, 0.0, 1.0, down)


class RandomPerspective(Affine):
    """Pictures seen from the side, each with a chance of `factor`, in training:
    corners move by up to half of `scale` times where they are.

    >>> pictures = np.random.uniform(0, 255, (2, 8, 8, 3))
    >>> keras.layers.RandomPerspective(1.0, scale=0.3, seed=1)(pictures).shape
    TensorShape([2, 8, 8, 3])
    """

    def __init__(
        self, factor=1.0, scale=1.0, interpolation="bilinear", fill_value=0.0, seed=None, data_format=None, **kwargs
    ):
        super().__init__(interpolation, "constant", fill_value, data_format, seed, **kwargs)
        self.factor = pair("RandomPerspective", "factor", factor, 0, 1)
        if not 0.0 <= scale <= 1.0:
            raise ValueError(f"[RandomPerspective] scale is {scale}; it lies in [0, 1]")
        self.scale = scale

    def draw(self, images):
        """The transform of each picture; that of one that stays moves nothing."""
        bottom, right = (size - 1.0 for size in _warps.extent(images)[1])
        start = _core.constant([[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]) * _core.stack([right, bottom])
        n = _core.shape(images)[0]
        moved = _core.reshape(self.chosen(images, self.factor), [-1, 1, 1])
        share = _core.where(moved, self.uniform([n, 4, 2], -0.5 * self.scale, 0.5 * self.scale), 0.0)
        found = _warps.homography(start + _core.zeros_like(share), start + start * share)
        stays = _core.constant([[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
        return _core.where(_core.reshape(moved, [-1, 1]), found, stays)


class RandomElasticTransform(ImageLayer):
    """Pictures distorted like rubber, each with a chance of `factor`, in training; `scale` says how far.

    >>> pictures = np.random.uniform(0, 255, (2, 16, 16, 3))
    >>> keras.layers.RandomElasticTransform(1.0, scale=0.5, seed=1)(pictures).shape
    TensorShape([2, 16, 16, 3])
    """

    def __init__(self, factor=1.0, scale=1.0, interpolation="bilinear", fill_mode="reflect", fill_value=0.0,
                 value_range=BYTE, seed=None, data_format=None, **kwargs):  # fmt: skip
        super().__init__(data_format=data_format, seed=seed, **kwargs)
        _one_of("RandomElasticTransform", "interpolation", interpolation, ("nearest", "bilinear"))
        _one_of("RandomElasticTransform", "fill_mode", fill_mode, ("constant", "nearest", "wrap", "mirror", "reflect"))
        self.factor = pair("RandomElasticTransform", "factor", factor, 0, 1)
        self.scale = pair("RandomElasticTransform", "scale", scale, 0, 1)
        self.interpolation, self.fill_mode, self.fill_value, self.value_range = (
            interpolation,
            fill_mode,
            fill_value,
            tuple(value_range),
        )

    def draw(self, images):
        """Which pictures are changed, how far, and the seed of the noise, which masks go by too."""
        seed = tf.cast(random.uniform([2], 0, 2**31 - 1, dtype="int32", seed=self.generator), "int64")
        return self.chosen(images, self.factor), self.uniform([], *self.scale), seed

    def change(self, images, drawn):
        """The pictures distorted."""
        return tf.clip_by_value(self._distorted(images, drawn, self.interpolation), *self.value_range)

    def change_masks(self, masks, drawn):
        """The masks distorted; classes are not mixed."""
        return self._distorted(masks, drawn, "nearest")

    def _distorted(self, images, drawn, interpolation):
        if self.scale[1] == 0 or self.factor[1] == 0:
            return images
        chosen, scale, seed = drawn
        rows, columns = images.shape[1:3]
        if rows is None or columns is None:
            raise ValueError(f"[{self.name}] pictures of shape {tuple(images.shape)}; rows and columns must be known")
        sigma = lambda s: 0.05 * min(rows, columns) * s
        noise = lambda shape: tf.random.stateless_normal(shape, seed)
        alpha, fill = 0.1 * max(rows, columns) * scale, (self.fill_mode, self.fill_value)
        made = _warps.distorted(images, alpha, sigma(scale), sigma(self.scale[1]), interpolation, *fill, noise)
        return _core.where(chosen, made, images)

    def move_boxes(self, boxes, drawn):
        """There is no saying."""


class RandomGaussianBlur(ImageLayer):
    """Pictures blurred, each with a chance of `factor`, in training;
    the deviations of the filter are drawn from `sigma`.

    >>> keras.layers.RandomGaussianBlur(1.0, kernel_size=3, sigma=1.0)(
    ...     np.full((1, 5, 5, 3), 9.0)
    ... )[0, 2, 2].numpy().round(3).tolist()
    [9.0, 9.0, 9.0]
    """

    def __init__(self, factor=1.0, kernel_size=3, sigma=1.0, value_range=BYTE, data_format=None, seed=None, **kwargs):
        super().__init__(data_format=data_format, seed=seed, **kwargs)
        self.factor = pair("RandomGaussianBlur", "factor", factor, 0, 1)
        self.kernel_size = tuple(kernel_size) if isinstance(kernel_size, (tuple, list)) else (kernel_size, kernel_size)
        if len(self.kernel_size) != 2 or any(n % 2 == 0 for n in self.kernel_size):
            raise ValueError(f"[RandomGaussianBlur] kernel_size is {kernel_size}; it is an odd number, or two")
        self.sigma = pair("RandomGaussianBlur", "sigma", sigma, 0, 1)
        self.value_range = tuple(value_range)

    def draw(self, images):
        """Which pictures are blurred, and by what filter."""
        return self.chosen(images, self.factor), self.uniform([2], *self.sigma) + 1e-6

    def change(self, images, drawn):
        """Those pictures blurred."""
        chosen, sigma = drawn
        return tf.clip_by_value(
            _core.where(chosen, _warps.gaussian_blur(images, self.kernel_size, sigma), images), *self.value_range
        )


def inside(images, box):
    """Which pixels of pictures are in their box (left, right, top, bottom), (batch, rows, columns, 1)."""
    left, right, top, bottom = map(each, box)
    (rows, columns), _ = _warps.extent(images)
    x, y = _warps.steps(columns, [1, 1, -1, 1]), _warps.steps(rows, [1, -1, 1, 1])
    return tf.logical_and(tf.logical_and(x >= left, x < right), tf.logical_and(y >= top, y < bottom))


def anywhere(layer, images, across, down):
    """A box (left, right, top, bottom) of these shares of the sides, in any place, for each picture."""
    box = []
    for share, size in zip((across, down), reversed(_warps.extent(images)[1])):
        start = layer.one_each(images) * (size - share * size)
        box += [start, start + share * size]
    return box


class RandomErasing(ImageLayer):
    """A rectangle of each picture replaced by fill_value or by noise, with a chance of `factor`, in training;
    `scale` squares the share of a side.

    >>> float(tf.reduce_min(keras.layers.RandomErasing((1.0, 1.0), fill_value=0, seed=1)(np.ones((1, 32, 32, 1)))))
    0.0
    """

    def __init__(
        self, factor=1.0, scale=(0.02, 0.33), fill_value=None, value_range=BYTE, seed=None, data_format=None, **kwargs
    ):
        super().__init__(data_format=data_format, seed=seed, **kwargs)
        self.factor = pair("RandomErasing", "factor", factor, 0, 1)
        self.scale = pair("RandomErasing", "scale", scale, 0, 1)
        if isinstance(fill_value, (tuple, list)) and len(fill_value) != 3:
            raise ValueError(f"[RandomErasing] fill_value is {fill_value}; it is a number, or three")
        self.fill_value, self.value_range = fill_value, tuple(value_range)

    def draw(self, images):
        """Which pixels are replaced, and by what."""
        sides = [tf.sqrt(self.one_each(images, *self.scale)) for _ in range(2)]
        box = anywhere(self, images, *sides)
        if self.fill_value is None:
            fill = random.normal(_core.shape(images), seed=self.generator) * self.value_range[1]
        else:
            fill = _core.constant(self.fill_value, "float32")
        return tf.logical_and(inside(images, box), self.chosen(images, self.factor)), tf.clip_by_value(
            fill, *self.value_range
        )

    def change(self, images, drawn):
        """Those pixels replaced."""
        erased, fill = drawn
        return _core.where(erased, _core.cast(fill, images.dtype), images)


for _cls in (RandomElasticTransform, RandomErasing, RandomGaussianBlur, RandomPerspective, RandomShear):
    _cls.__module__ = "brio.keras.layers"  # where configs find it
