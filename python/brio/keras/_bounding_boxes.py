"""keras.utils.bounding_boxes: formats of boxes, how much boxes overlap, and boxes as what an anchor is off by."""

import math

import brio as tf
from brio import _core, _missing
from brio.keras import _boxes, backend
from brio.keras._boxes import clip_to_image_size, convert_format

__all__ = ["affine_transform", "clip_to_image_size", "compute_ciou", "compute_iou", "convert_format", "crop",
           "decode_deltas_to_boxes", "encode_box_to_deltas", "pad"]  # fmt: skip
__getattr__ = _missing.attribute_error_of(__name__)


def _in_pixels(function, bounding_box_format):
    if bounding_box_format != "xyxy":
        raise ValueError(
            f"[{function}] bounding_box_format is {bounding_box_format!r}; it is 'xyxy': convert_format() gives that"
        )


def _floats(x):
    x = _core.convert_to_tensor(x)
    return x if x.dtype.is_floating else _core.cast(x, "float32")


def affine_transform(boxes, angle, translate_x, translate_y, scale, shear_x, shear_y, height, width, center_x=None,
                     center_y=None, bounding_box_format="xyxy"):  # fmt: skip
    """Boxes, (batch, n, 4), around what they hold when pictures are turned, moved, scaled and sheared:
    by degrees, and shares of the sides.

    >>> one, none = np.ones(1, "float32"), np.zeros(1, "float32")
    >>> moved = keras.utils.bounding_boxes.affine_transform(
    ...     np.float32([[[1, 2, 3, 4]]]), none, 0.1 * one, none, one, none, none, 11, 11
    ... )
    >>> moved.numpy().round(3).tolist()
    [[[2.0, 2.0, 4.0, 4.0]]]
    """
    _in_pixels("affine_transform", bounding_box_format)
    angle, shear_x, shear_y = (_floats(a) * (-math.pi / 180.0) for a in (angle, shear_x, shear_y))
    scale, to_x, to_y = (_floats(v) for v in (scale, translate_x, translate_y))
    x, y = (
        (0.5 if center_x is None else center_x) * (width - 1.0),
        (0.5 if center_y is None else center_y) * (height - 1.0),
    )
    b1 = tf.cos(angle - shear_y) / tf.cos(shear_y)
    b0 = tf.sin(angle - shear_y) / tf.cos(shear_y)
    a0 = tf.cos(angle) + b0 * tf.tan(shear_x)
    a1 = -(b1 * tf.tan(shear_x) + tf.sin(angle))
    column = lambda v: _core.reshape(v, [-1, 1, 1])
    at = _boxes.corners(_floats(boxes))
    right, down = at[..., 0] - x + column(to_x * (width - 1.0)), at[..., 1] - y + column(to_y * (height - 1.0))
    a0, a1, b0, b1 = (column(v * scale) for v in (a0, a1, b0, b1))
    return _boxes.around(_core.stack([a0 * right + a1 * down + x, b0 * right + b1 * down + y], axis=-1))


def crop(boxes, top, left, height, width, bounding_box_format="xyxy"):
    """Boxes in a piece of their picture, cut off at its edges.

    >>> keras.utils.bounding_boxes.crop(np.float32([[5, 5, 30, 30]]), 10, 0, 15, 20).numpy().tolist()
    [[5.0, 0.0, 20.0, 15.0]]
    """
    _in_pixels("crop", bounding_box_format)
    moved = pad(boxes, -top, -left)
    sides = _core.cast(_core.stack([width, height, width, height]), moved.dtype)
    return tf.maximum(tf.minimum(moved, sides), _core.zeros_like(moved))


def pad(boxes, top, left, height=None, width=None, bounding_box_format="xyxy"):
    """Boxes in a picture that has more rows at the top and more columns at the left.

    >>> keras.utils.bounding_boxes.pad(np.float32([[5, 5, 30, 30]]), 10, 1).numpy().tolist()
    [[6.0, 15.0, 31.0, 40.0]]
    """
    _in_pixels("pad", bounding_box_format)
    boxes = _core.convert_to_tensor(boxes)
    return boxes + _core.cast(_core.stack([left, top, left, top]), boxes.dtype)


def _size(image_shape):
    return {} if image_shape is None else {"height": image_shape[0], "width": image_shape[1]}


def _checked(function, encoding, variance):
    if encoding not in ("center_xywh", "center_yxhw"):
        raise ValueError(f"[{function}] the encoding is {encoding!r}; it is 'center_xywh' or 'center_yxhw'")
    variance = None if variance is None else _core.cast(_core.convert_to_tensor(variance), "float32")
    if variance is not None and variance.shape[-1] != 4:
        raise ValueError(f"[{function}] variance has shape {variance.shape}; it is 4 numbers")
    return variance


def encode_box_to_deltas(
    anchors, boxes, anchor_format, box_format, encoding_format="center_yxhw", variance=None, image_shape=None
):
    """What anchors are off boxes by: centres in sizes of the anchor, and logarithms of sizes.

    >>> deltas = keras.utils.bounding_boxes.encode_box_to_deltas(
    ...     [[0.0, 0.0, 10.0, 10.0]], [[5.0, 0.0, 15.0, 10.0]], "xyxy", "xyxy"
    ... )
    >>> deltas.numpy().tolist()
    [[0.0, 0.5, 0.0, 0.0]]
    """
    variance = _checked("encode_box_to_deltas", encoding_format, variance)
    anchors = convert_format(anchors, anchor_format, encoding_format, **_size(image_shape))
    boxes = convert_format(boxes, box_format, encoding_format, **_size(image_shape))
    own, wanted = (tf.maximum(b[..., 2:], backend.epsilon()) for b in (anchors, boxes))
    deltas = _core.concat([(boxes[..., :2] - anchors[..., :2]) / own, tf.math.log(wanted / own)], axis=-1)
    return deltas if variance is None else deltas / variance


def decode_deltas_to_boxes(
    anchors, boxes_delta, anchor_format, box_format, encoded_format="center_yxhw", variance=None, image_shape=None
):
    """The boxes that anchors are off by so much; dictionaries of several levels too.

    >>> boxes = keras.utils.bounding_boxes.decode_deltas_to_boxes(
    ...     [[0.0, 0.0, 10.0, 10.0]], [[0.0, 0.5, 0.0, 0.0]], "xyxy", "xyxy"
    ... )
    >>> boxes.numpy().tolist()
    [[5.0, 0.0, 15.0, 10.0]]
    """
    if isinstance(anchors, dict) and isinstance(boxes_delta, dict):
        how = (anchor_format, box_format, encoded_format, variance, image_shape)
        return {level: decode_deltas_to_boxes(own, boxes_delta[level], *how) for level, own in anchors.items()}
    variance = _checked("decode_deltas_to_boxes", encoded_format, variance)
    anchors, deltas = convert_format(anchors, anchor_format, encoded_format, **_size(image_shape)), _floats(boxes_delta)
    deltas = deltas if variance is None else deltas * variance
    boxes = _core.concat(
        [deltas[..., :2] * anchors[..., 2:] + anchors[..., :2], tf.exp(deltas[..., 2:]) * anchors[..., 2:]], axis=-1
    )
    return convert_format(boxes, encoded_format, box_format, **_size(image_shape))


def _sides(function, bounding_box_format, image_shape, *several):
    """(left, top, right, bottom) of boxes, each."""
    if "rel" in bounding_box_format and image_shape is None:
        raise ValueError(f"[{function}] boxes of {bounding_box_format} take image_shape, (height, width, channels)")
    return [
        _core.unstack(convert_format(b, bounding_box_format, "xyxy", **_size(image_shape)), axis=-1) for b in several
    ]


def _shared(first, second):
    """The width and the height of what boxes have in common."""
    width = tf.minimum(first[2], second[2]) - tf.maximum(first[0], second[0])
    height = tf.minimum(first[3], second[3]) - tf.maximum(first[1], second[1])
    return tf.maximum(width, _core.zeros_like(width)), tf.maximum(height, _core.zeros_like(height))


def _area(box):
    return (box[2] - box[0]) * (box[3] - box[1])


def compute_iou(boxes1, boxes2, bounding_box_format, use_masking=False, mask_val=-1, image_shape=None):
    """What each box of one list shares with each of another, (..., n, m), as a part of what both cover.

    >>> overlaps = keras.utils.bounding_boxes.compute_iou(
    ...     [[0.0, 0.0, 10.0, 10.0]], [[5.0, 0.0, 10.0, 10.0], [20.0, 0.0, 30.0, 5.0]], "xyxy"
    ... )
    >>> overlaps.numpy().round(4).tolist()
    [[0.5, 0.0]]
    """
    first, second = _sides("compute_iou", bounding_box_format, image_shape, boxes1, boxes2)
    if any(len(b[0].shape) not in (1, 2) for b in (first, second)):
        raise ValueError("[compute_iou] boxes are (n, 4), or (batch, n, 4)")
    first, second = [b[..., None] for b in first], [b[..., None, :] for b in second]
    width, height = _shared(first, second)
    made = width * height / (_area(first) + _area(second) - width * height + backend.epsilon())
    if not use_masking:
        return made
    none = lambda box: tf.reduce_max(_core.stack(box), axis=0) < 0.0
    return _core.where(tf.logical_or(none(first), none(second)), _core.cast(mask_val, made.dtype), made)


def compute_ciou(boxes1, boxes2, bounding_box_format, image_shape=None):
    """The complete IoU of pairs of boxes: less for centres that are apart,
    and for other shapes (Zheng and others, 2020).

    >>> round(float(keras.utils.bounding_boxes.compute_ciou([0.0, 0.0, 10.0, 10.0], [0.0, 0.0, 10.0, 10.0], "xyxy")), 4)
    1.0
    """
    epsilon = backend.epsilon()
    first, second = _sides("compute_ciou", bounding_box_format, image_shape, boxes1, boxes2)
    (w1, h1), (w2, h2) = ((b[2] - b[0], b[3] - b[1] + epsilon) for b in (first, second))
    width, height = _shared(first, second)
    iou = width * height / (w1 * h1 + w2 * h2 - width * height + 2 * epsilon)
    across = tf.maximum(first[2], second[2]) - tf.minimum(first[0], second[0])
    down = tf.maximum(first[3], second[3]) - tf.minimum(first[1], second[1])
    apart = (
        tf.square(first[0] + first[2] - second[0] - second[2]) / 4
        + tf.square(first[1] + first[3] - second[1] - second[3]) / 4
    )
    shape = 4 / math.pi**2 * tf.square(tf.atan(w2 / h2) - tf.atan(w1 / h1))
    return iou - (
        apart / (tf.square(across) + tf.square(down) + epsilon) + shape * shape / (shape - iou + (1 + epsilon))
    )
