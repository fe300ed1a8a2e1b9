"""Boxes around things in pictures: formats, and what of a box lies in its picture."""

import brio as tf
from brio import _core

FORMATS = ("xyxy", "yxyx", "xywh", "center_xywh", "center_yxhw", "rel_xyxy", "rel_yxyx", "rel_xywh", "rel_center_xywh")


def _to_corners(kind, a, b, c, d):
    """(left, top, right, bottom) of a box's four numbers."""
    if kind == "xyxy":
        return a, b, c, d
    if kind == "yxyx":
        return b, a, d, c
    if kind == "xywh":
        return a, b, a + c, b + d
    if kind == "center_yxhw":
        a, b, c, d = b, a, d, c
    return a - c / 2, b - d / 2, a + c / 2, b + d / 2


def _from_corners(kind, left, top, right, bottom):
    if kind == "xyxy":
        return left, top, right, bottom
    if kind == "yxyx":
        return top, left, bottom, right
    width, height = right - left, bottom - top
    if kind == "xywh":
        return left, top, width, height
    x, y = left + width / 2, top + height / 2
    return (y, x, height, width) if kind == "center_yxhw" else (x, y, width, height)


def _pixels_of(boxes, size, up):
    """Shares of a picture's sides as pixels, or the other way round."""
    height, width = (_core.cast(n, boxes.dtype) for n in size)
    sides = _core.stack([width, height, width, height])
    return boxes * sides if up else boxes / sides


def convert_format(boxes, source, target, height=None, width=None, dtype="float32"):
    """Boxes, or a dictionary with "boxes", of one format in another.

    >>> keras.utils.bounding_boxes.convert_format([[10.0, 20.0, 30.0, 60.0]], "xyxy", "xywh").numpy().tolist()
    [[10.0, 20.0, 20.0, 40.0]]
    """
    if isinstance(boxes, dict):
        return {**boxes, "boxes": convert_format(boxes["boxes"], source, target, height, width, dtype)}
    source, target = source.lower(), target.lower()
    if source not in FORMATS or target not in FORMATS:
        raise ValueError(
            f"[convert_format] the formats are {source!r} and {target!r}; they are two of {', '.join(FORMATS)}"
        )
    boxes = _core.cast(_core.convert_to_tensor(boxes), dtype)
    if boxes.shape[-1] != 4:
        raise ValueError(f"[convert_format] boxes of shape {boxes.shape}; the last axis has 4 numbers")
    if source == target:
        return boxes
    shares, wanted = source.startswith("rel_"), target.startswith("rel_")
    if (shares or wanted) and (height is None or width is None):
        raise ValueError(
            f"[convert_format] from {source} to {target} takes the height and width of the pictures, but got {height} "
            f"and {width}"
        )
    corners = _core.stack(_to_corners(source.replace("rel_", ""), *_core.unstack(boxes, axis=-1)), axis=-1)
    if shares != wanted:
        corners = _pixels_of(corners, (height, width), up=shares)
    return _core.stack(_from_corners(target.replace("rel_", ""), *_core.unstack(corners, axis=-1)), axis=-1)


def clip_to_image_size(bounding_boxes, height=None, width=None, bounding_box_format="xyxy"):
    """Boxes cut off at the picture's edges; the label of one of which nothing is left becomes -1."""
    if bounding_box_format not in ("xyxy", "rel_xyxy"):
        raise ValueError(
            f"[clip_to_image_size] bounding_box_format is {bounding_box_format!r}; it is 'xyxy' or 'rel_xyxy'"
        )
    shares = bounding_box_format == "rel_xyxy"
    if not shares and (height is None or width is None):
        raise ValueError("[clip_to_image_size] boxes in pixels take the height and width of the pictures")
    left, top, right, bottom = _core.unstack(_core.convert_to_tensor(bounding_boxes["boxes"]), axis=-1)
    cut = lambda at, size: tf.clip_by_value(at, 0, _core.cast(1 if shares else size, at.dtype))
    left, top, right, bottom = cut(left, width), cut(top, height), cut(right, width), cut(bottom, height)
    made = {**bounding_boxes, "boxes": _core.stack([left, top, right, bottom], axis=-1)}
    if bounding_boxes.get("labels") is not None:
        labels = _core.convert_to_tensor(bounding_boxes["labels"])
        made["labels"] = _core.where((right - left) * (bottom - top) > 0, labels, _core.cast(-1, labels.dtype))
    return made


def around(points):
    """The boxes (left, top, right, bottom) around corners, (..., 4, 2)."""
    return _core.concat([tf.reduce_min(points, axis=-2), tf.reduce_max(points, axis=-2)], axis=-1)


def corners(boxes):
    """The four corners of boxes (left, top, right, bottom), (..., 4, 2)."""
    left, top, right, bottom = _core.unstack(boxes, axis=-1)
    return _core.stack(
        [_core.stack([x, y], axis=-1) for x, y in ((left, top), (right, top), (right, bottom), (left, bottom))], axis=-2
    )
