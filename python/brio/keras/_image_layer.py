"""What layers that change pictures share: how they are called, what they draw,
and dictionaries of pictures with their labels, boxes and masks."""

import inspect

import brio as tf
from brio import _core, _nest
from brio.keras import _boxes, backend, random
from brio.keras._layer import KerasTensor, Layer, _shapes_only

_probe = None


def trains():
    """Does the call that this thread is in train? Where nobody says so it does, as in a map over a dataset."""
    global _probe
    if _probe is None:  # C++ knows, and tells layers of its own: this one gives another shape
        _probe = _core._make_layer("RandomCrop", height=1, width=1, seed=0, name="probe")
    return _probe.call([_core.zeros([1, 1, 2, 1])])[0].shape[2] == 1


def _tensors(data):
    """A dictionary whose arrays and lists of numbers are tensors."""
    return {k: _tensors(v) if isinstance(v, dict) else _core.convert_to_tensor(v) for k, v in data.items()}


class TakesDicts(Layer):
    """A layer that trains unless it is told otherwise, and whose call() also takes a dictionary, {"images":
    ..., "labels": ...}."""

    trains_unless_told = True

    def __call__(self, data, *args, **kwargs):
        leaves = _nest.flatten(data) if isinstance(data, dict) else ()
        if not isinstance(data, dict) or any(isinstance(x, KerasTensor) for x in leaves):
            return super().__call__(data, *args, **kwargs)
        data, made = _tensors(data), []

        def run(*tensors):
            training = kwargs.get("training")
            made[:] = [
                self.call(
                    _nest.pack(data, tensors),
                    *args,
                    **{**kwargs, "training": trains() if training is None else training},
                )
            ]
            return _nest.flatten(made[0])

        leaves = _nest.flatten(data)
        results = _core._journal_call(run, leaves) if _core._journalling() else run(*leaves)
        return _nest.pack(made[0], results)

    def _core_call(self, tensors, training, masks):
        return super()._core_call(tensors, training or trains(), masks)


def pair(layer, what, given, low, high, bottom=None):
    """The range (lower, upper) that a number or a pair in [low, high] stands for;
    that of a number begins at `bottom`, or at its negative."""
    several = isinstance(given, (tuple, list))
    numbers = list(given) if several else [given]
    if len(numbers) != (2 if several else 1) or any(
        isinstance(n, bool) or not isinstance(n, (int, float)) for n in numbers
    ):
        raise ValueError(f"[{layer}] {what} is {given!r}; it is a number, or a pair of numbers, in [{low}, {high}]")
    if min(numbers) > high or max(numbers) < low or (not several and not low <= given <= high):
        raise ValueError(f"[{layer}] {what} is {given!r}; it lies in [{low}, {high}]")
    if several:
        return tuple(sorted(numbers))
    return (max(-abs(given), low) if bottom is None else bottom, abs(given))


def value_pair(layer, given):
    """The two numbers of a value_range, the lower one first."""
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ValueError(f"[{layer}] value_range is {given!r}; it is a pair of numbers, such as (0, 255)")
    return tuple(sorted(given))


def rescaled(x, old, new):
    """Values of one range in another."""
    if tuple(old) == tuple(new):
        return x
    return (x - old[0]) / (old[1] - old[0]) * (new[1] - new[0]) + new[0]


def each(x):
    """One number for each picture, (batch,), beside pictures."""
    return _core.reshape(x, [-1, 1, 1, 1])


class ImageLayer(TakesDicts):
    """A layer whose pictures are of a batch and have their channels last while draw() and change() see them.

    draw(images) gives what is left to chance, change(images, drawn) the new pictures;
    move_boxes, mix_labels and change_masks do what goes with them.
    """

    _without_training = False  # does it change pictures also then?

    def __init__(self, bounding_box_format=None, data_format=None, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.bounding_box_format = bounding_box_format
        self.data_format = backend.image_data_format() if data_format is None else data_format
        if self.data_format not in ("channels_last", "channels_first"):
            raise ValueError(
                f"[{type(self).__name__}] data_format is {data_format!r}; it is 'channels_last' or 'channels_first'"
            )
        self.seed = seed
        self.generator = None if seed is None else random.SeedGenerator(seed)  # else those of the global generator

    # ---- what is left to chance

    def uniform(self, shape, low=0.0, high=1.0):
        """Numbers in [low, high)."""
        return random.uniform(shape, low, high, seed=self.generator)

    def one_each(self, images, low=0.0, high=1.0):
        """A number for each picture."""
        return self.uniform([_core.shape(images)[0]], low, high)

    def chosen(self, images, share):
        """Which pictures are changed: each with a chance that is drawn from a range."""
        chance = share[0] if share[0] == share[1] else self.one_each(images, *share)
        return each(self.one_each(images) < chance)

    def draw(self, images):
        """What is left to chance, for a batch of pictures."""

    def change(self, images, drawn):
        """The new pictures."""
        raise NotImplementedError

    def mix_labels(self, labels, drawn):
        """The new labels."""
        return labels

    def move_boxes(self, boxes, drawn):
        """The new boxes, of (left, top, right, bottom) in pixels; None where there is no saying."""
        return boxes

    def change_masks(self, masks, drawn):
        """The new segmentation masks."""
        return masks

    # ---- being called

    def call(self, data, training=True):
        several = isinstance(data, dict)
        images = data["images"] if several else data
        rank = len(images.shape)
        if rank not in (3, 4):
            raise ValueError(f"[{self.name}] takes a picture or a batch of them, but got shape {images.shape}")
        of_shapes = _shapes_only.depth and None in tuple(
            images.shape[-3:]
        )  # all that is asked for is what the result is like
        if of_shapes or (not training and not self._without_training):
            images = self._computed(images)
            return {**data, "images": images} if several else images
        batch = lambda x: x if rank == 4 else _core.expand_dims(_core.convert_to_tensor(x), 0)
        alone = lambda x: x if rank == 4 else _core.squeeze(x, [0])
        pictures = self._turned(self._computed(batch(images)), True)
        drawn = self.draw(pictures)
        made = {"images": alone(self._turned(_core.cast(self.change(pictures, drawn), self.compute_dtype), False))}
        if not several:
            return made["images"]
        if "labels" in data:
            made["labels"] = alone(self.mix_labels(batch(data["labels"]), drawn))
        if "segmentation_masks" in data:
            made["segmentation_masks"] = alone(
                self._turned(self.change_masks(self._turned(batch(data["segmentation_masks"]), True), drawn), False)
            )
        if "bounding_boxes" in data:
            boxes = {k: batch(v) for k, v in data["bounding_boxes"].items()}
            made["bounding_boxes"] = {
                k: alone(v)
                for k, v in self._moved(boxes, drawn, _core.shape(pictures)[1], _core.shape(pictures)[2]).items()
            }
        return {**data, **made}

    def _computed(self, images):
        return _core.cast(images, self.compute_dtype)

    def _turned(self, x, to_last):
        if self.data_format == "channels_last" or len(x.shape) != 4:
            return x
        return _core.transpose(x, [0, 2, 3, 1] if to_last else [0, 3, 1, 2])

    def _moved(self, boxes, drawn, height, width):
        if not self.bounding_box_format:
            raise ValueError(
                f"[{self.name}] got bounding boxes of no known format; make the layer with bounding_box_format='xyxy' "
                "or another"
            )
        if type(self).move_boxes is ImageLayer.move_boxes:
            return boxes
        size = {"height": height, "width": width}
        pixels = _boxes.convert_format(boxes, self.bounding_box_format, "xyxy", **size)
        moved = self.move_boxes(pixels, drawn)
        if moved is None:
            raise ValueError(f"[{self.name}] cannot say where boxes are afterwards; leave 'bounding_boxes' out")
        return _boxes.convert_format(_boxes.clip_to_image_size(moved, **size), "xyxy", self.bounding_box_format, **size)

    def compute_output_shape(self, input_shape):
        """The shape of the pictures, which stays."""
        return input_shape

    def get_config(self):
        """What the layer was made with; from_config() makes another of it."""
        config = self._base_config()
        own = [
            n
            for n, p in inspect.signature(type(self).__init__).parameters.items()
            if n != "self" and p.kind is not p.VAR_KEYWORD
        ]
        names = dict.fromkeys(
            [*own, "data_format", *(["bounding_box_format"] if self.bounding_box_format is not None else [])]
        )
        return {**config, **{n: getattr(self, n) for n in names}}


def gray(images):
    """The luminance of pictures: one channel."""
    if images.shape[-1] == 1:
        return images
    weights = _core.constant([0.2989, 0.587, 0.114], images.dtype)
    return tf.reduce_sum(images * weights, axis=-1, keepdims=True)
