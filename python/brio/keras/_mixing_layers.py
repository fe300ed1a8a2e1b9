"""Layers that mix pictures with each other, or changes of pictures, and chains of such layers."""

import brio as tf
from brio import _core
from brio.keras import random
from brio.keras._color_layers import (
    Brightness,
    Contrast,
    RandomColorDegeneration,
    RandomPosterization,
    RandomSharpness,
    Solarization,
)
from brio.keras._histogram_layers import AutoContrast, Equalization
from brio.keras._image_layer import ImageLayer, TakesDicts, pair, value_pair
from brio.keras._warp_layers import RandomShear, Rotation, Translation, anywhere, inside

BYTE = (0, 255)


def _order(layer, images):
    """The pictures of a batch in any order."""
    return _core.argsort(layer.one_each(images))


def _beta(layer, images, alpha):
    """A share for each picture, of a beta distribution."""
    shape = [_core.shape(images)[0]]
    one, other = (random.gamma(shape, alpha, seed=layer.generator) for _ in range(2))
    either = _core.cast(layer.one_each(images) < 0.5, "float32")  # where alpha is so small that both are 0
    total = one + other
    return _core.where(total > 0, one / _core.where(total > 0, total, 1.0), either)


def _blended(x, order, share):
    """Each row of x mixed with another."""
    x = x if x.dtype.is_floating else _core.cast(x, "float32")
    share = _core.cast(_core.reshape(share, [-1, *[1] * (len(x.shape) - 1)]), x.dtype)
    return share * x + (1.0 - share) * _core.gather(x, order)


class MixUp(ImageLayer):
    """Each picture of a batch mixed with another, and their labels (one-hot) as well, in training;
    shares are of a beta distribution.

    >>> batch = {"images": np.random.uniform(0, 255, (4, 8, 8, 3)), "labels": np.eye(4)}
    >>> mixed = keras.layers.MixUp(alpha=0.2, seed=1)(batch)
    >>> mixed["labels"].numpy().sum(axis=1).round(4).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """

    def __init__(self, alpha=0.2, data_format=None, seed=None, **kwargs):
        super().__init__(data_format=data_format, seed=seed, **kwargs)
        self.alpha = alpha

    def draw(self, images):
        """With which other picture each is mixed, and its own share."""
        return _order(self, images), _beta(self, images, self.alpha)

    def change(self, images, drawn):
        """The pictures mixed."""
        return _blended(images, *drawn)

    def mix_labels(self, labels, drawn):
        """The labels mixed alike."""
        return _blended(_core.convert_to_tensor(labels), *drawn)

    def change_masks(self, masks, drawn):
        """The masks mixed alike."""
        return _blended(_core.convert_to_tensor(masks), *drawn)

    def move_boxes(self, boxes, drawn):
        """The boxes of both pictures."""
        return {
            **boxes,
            **{
                k: _core.concat([boxes[k], _core.gather(boxes[k], drawn[0])], axis=1)
                for k in ("boxes", "labels")
                if k in boxes
            },
        }


class CutMix(ImageLayer):
    """A rectangle of each picture of a batch replaced by that of another, in training;
    labels (one-hot) are mixed by the areas.

    >>> batch = {"images": np.random.uniform(0, 255, (4, 8, 8, 3)), "labels": np.eye(4)}
    >>> mixed = keras.layers.CutMix(seed=1)(batch)
    >>> mixed["labels"].numpy().sum(axis=1).round(4).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """

    def __init__(self, factor=1.0, seed=None, data_format=None, **kwargs):
        super().__init__(data_format=data_format, seed=seed, **kwargs)
        self.factor = pair("CutMix", "factor", factor, 0, 1)

    def draw(self, images):
        """From which other picture each takes a piece, which pixels those are, and its own share."""
        side = tf.sqrt(1.0 - _beta(self, images, self.uniform([], *self.factor) + 1e-6))
        box = anywhere(self, images, side, side)
        return _order(self, images), inside(images, box), 1.0 - side * side

    def change(self, images, drawn):
        """The pictures with pieces of others."""
        order, cut, _ = drawn
        return _core.where(cut, _core.gather(images, order), images)

    change_masks = change

    def mix_labels(self, labels, drawn):
        """The labels mixed by the areas."""
        return _blended(_core.convert_to_tensor(labels), drawn[0], drawn[2])

    def move_boxes(self, boxes, drawn):
        """There is no saying."""


class _OfMany(ImageLayer):
    """Changes of pictures of which chance takes some."""

    def _make_changes(self, names, interpolation):
        low, high = self.factor
        colors = {"value_range": self.value_range}
        moves = {"interpolation": interpolation}
        bits = max(1, int(8 * high))
        made = {
            "random_shear": lambda: RandomShear(x_factor=self.factor, y_factor=self.factor, **moves),
            "random_translation": lambda: Translation(self.factor, **moves),
            "random_rotation": lambda: Rotation(self.factor, **moves),
            "random_brightness": lambda: Brightness(self.factor, **colors),
            "random_color_degeneration": lambda: RandomColorDegeneration(self.factor, **colors),
            "random_contrast": lambda: Contrast(self.factor, **colors),
            "random_sharpness": lambda: RandomSharpness(self.factor, **colors),
            "random_posterization": lambda: RandomPosterization(bits, **colors),
            "solarization": lambda: Solarization(self.factor, self.factor, **colors),
            "auto_contrast": lambda: AutoContrast(**colors),
            "equalization": lambda: Equalization(**colors),
        }
        changes = [made[name]() for name in names]
        for change in changes:
            change.generator = self.generator
        object.__setattr__(self, "_changes", changes)  # no layers of a model's: they have nothing to save

    def _which(self, count, most):
        """Numbers below `most`."""
        return random.randint([count], 0, most, seed=self.generator)

    def _one(self, which, x, drawn, how):
        """One change, of which only the one that is taken is computed; `how` is the method."""
        steps = [lambda c=c, d=d: _core.cast(getattr(c, how)(x, d), x.dtype) for c, d in zip(self._changes, drawn)]
        return tf.switch_case(which, [*steps, lambda: _core.identity(x)])


_CHANGES = ("random_shear", "random_translation", "random_rotation", "random_posterization", "solarization",
            "auto_contrast", "equalization", "random_brightness", "random_color_degeneration", "random_contrast",
            "random_sharpness")  # fmt: skip


class RandAugment(_OfMany):
    """num_ops changes of pictures, one after the other, that chance takes of eleven, in training;
    `factor` is how strong they are.

    >>> pictures = np.random.uniform(0, 255, (2, 16, 16, 3))
    >>> keras.layers.RandAugment(num_ops=3, factor=0.3, seed=1)(pictures).shape
    TensorShape([2, 16, 16, 3])
    """

    def __init__(
        self, value_range=BYTE, num_ops=2, factor=0.5, interpolation="bilinear", seed=None, data_format=None, **kwargs
    ):
        super().__init__(data_format=data_format, seed=seed, **kwargs)
        self.value_range, self.num_ops, self.interpolation = (
            value_pair("RandAugment", value_range),
            num_ops,
            interpolation,
        )
        self.factor = pair("RandAugment", "factor", factor, 0, 1)
        self._make_changes(_CHANGES, interpolation)

    def draw(self, images):
        """Which changes are taken, and what each draws."""
        return _core.unstack(self._which(self.num_ops, len(self._changes)), num=self.num_ops), [
            c.draw(images) for c in self._changes
        ]

    def change(self, images, drawn):
        """The pictures changed."""
        for which in drawn[0]:
            images = self._one(which, images, drawn[1], "change")
        return images

    def change_masks(self, masks, drawn):
        """The masks moved alike."""
        for which in drawn[0]:
            masks = self._one(which, masks, drawn[1], "change_masks")
        return masks

    def move_boxes(self, boxes, drawn):
        """The boxes moved alike."""
        for which in drawn[0]:
            at = boxes["boxes"]
            steps = [
                lambda c=c, d=d, at=at: c.move_boxes({"boxes": at}, d)["boxes"] for c, d in zip(self._changes, drawn[1])
            ]
            boxes = {**boxes, "boxes": tf.switch_case(which, steps)}
        return boxes


class AugMix(_OfMany):
    """Pictures mixed with num_chains chains of up to chain_depth changes of them that chance takes,
    in training; `factor` is how strong they are.

    >>> pictures = np.random.uniform(0, 255, (2, 16, 16, 3))
    >>> keras.layers.AugMix(num_chains=2, chain_depth=2, seed=1)(pictures).shape
    TensorShape([2, 16, 16, 3])
    """

    def __init__(self, value_range=BYTE, num_chains=3, chain_depth=3, factor=0.3, alpha=1.0, all_ops=True,
                 interpolation="bilinear", seed=None, data_format=None, **kwargs):  # fmt: skip
        super().__init__(data_format=data_format, seed=seed, **kwargs)
        self.value_range, self.num_chains, self.chain_depth = value_pair("AugMix", value_range), num_chains, chain_depth
        self.factor, self.alpha = pair("AugMix", "factor", factor, 0, 1), alpha
        self.all_ops, self.interpolation = all_ops, interpolation
        self._make_changes(_CHANGES if all_ops else _CHANGES[:7], interpolation)

    def draw(self, images):
        """The share of each chain and of the pictures as they are;
        which changes the chains have, and what each draws."""
        chains = random.gamma([self.num_chains], self.alpha, seed=self.generator)
        one, other = _core.unstack(random.gamma([2], self.alpha, seed=self.generator), num=2)
        steps = self.num_chains * self.chain_depth
        which = _core.unstack(self._which(steps, len(self._changes) + 1), num=steps)
        return (
            chains / tf.reduce_sum(chains),
            one / (one + other),
            which,
            [[c.draw(images) for c in self._changes] for _ in which],
        )

    def change(self, images, drawn):
        """The pictures mixed with their chains."""
        return tf.clip_by_value(self._mixed(images, drawn, "change"), *self.value_range)

    def change_masks(self, masks, drawn):
        """The masks mixed alike."""
        return self._mixed(_core.cast(masks, "float32"), drawn, "change_masks")

    def _mixed(self, images, drawn, how):
        chains, own, which, draws = drawn
        mixed = _core.zeros_like(images)
        for chain in range(self.num_chains):
            made = images
            for step in range(chain * self.chain_depth, (chain + 1) * self.chain_depth):
                made = self._one(which[step], made, draws[step], how)
            mixed = mixed + made * _core.cast(chains[chain], made.dtype)
        own = _core.cast(own, images.dtype)
        return own * images + (1 - own) * mixed


class MaxNumBoundingBoxes(ImageLayer):
    """Dictionaries whose "bounding_boxes" are so many: those behind are cut off, and others filled up with fill_value.

    >>> boxes = {"boxes": np.ones((1, 3, 4)), "labels": np.ones((1, 3))}
    >>> layer = keras.layers.MaxNumBoundingBoxes(5, bounding_box_format="xyxy")
    >>> layer({"images": np.ones((1, 8, 8, 3)), "bounding_boxes": boxes})["bounding_boxes"]["labels"].numpy().tolist()
    [[1.0, 1.0, 1.0, -1.0, -1.0]]
    """

    _without_training = True

    def __init__(self, max_number, fill_value=-1, **kwargs):
        super().__init__(**kwargs)
        self.max_number, self.fill_value = int(max_number), int(fill_value)

    def change(self, images, drawn):
        """The pictures as they are."""
        return images

    def _moved(self, boxes, drawn, height, width):
        def made(x):
            x = _core.convert_to_tensor(x)[:, : self.max_number]
            return _core.pad(
                x,
                [[0, 0], [0, self.max_number - x.shape[1]], *[[0, 0]] * (len(x.shape) - 2)],
                constant_values=self.fill_value,
            )

        return {**boxes, **{k: made(boxes[k]) for k in ("boxes", "labels")}}


class Pipeline(TakesDicts):
    """Layers one after the other, each of which takes what the one before it gave, dictionaries too.

    >>> layer = keras.layers.Pipeline([keras.layers.Rescaling(2.0), keras.layers.RandomInvert(1.0)])
    >>> layer(np.float32([[[[100.0]]]]), training=False).numpy().ravel().tolist()
    [200.0]
    """

    def __init__(self, layers, name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        self._pipeline_layers = list(layers)

    @property
    def layers(self):
        """The layers."""
        return list(self._pipeline_layers)

    def call(self, inputs, training=True):
        for layer in self._pipeline_layers:
            inputs = layer(inputs, training=training)
        return inputs

    def get_config(self):
        """What the layer was made with; from_config() makes another of it."""
        from brio.keras._serialization import serialize_keras_object

        return {"name": self.name, "layers": serialize_keras_object(self._pipeline_layers)}

    @classmethod
    def from_config(cls, config):
        """A pipeline of a config."""
        from brio.keras._serialization import _made

        return cls(**{**config, "layers": [_made(layer) for layer in config["layers"]]})


for _cls in (AugMix, CutMix, MaxNumBoundingBoxes, MixUp, Pipeline, RandAugment):
    _cls.__module__ = "brio.keras.layers"  # where configs find it
