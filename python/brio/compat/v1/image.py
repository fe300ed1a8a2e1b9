"""tf.compat.v1.image: as tf.image, with TensorFlow 1's names."""

import importlib

import numpy as np

from brio import _core
from brio._graph import wrap


def _behind(name):
    function = getattr(importlib.import_module("brio.image"), name)
    return getattr(function, "_behind", function)


def _resized(images, size, method=0, align_corners=False, preserve_aspect_ratio=False, name=None):
    methods = {0: "bilinear", 1: "nearest", 2: "bicubic", 3: "area"}
    method = getattr(method, "value", method)
    method = methods.get(method, method)
    if method == "area":
        return _behind("resize")(images, size, method)
    if method not in ("bilinear", "nearest"):
        raise NotImplementedError(f"[resize_images] Brio has TensorFlow 1's bilinear, nearest and area, not {method}; tf.image.resize has others")
    x = _core.convert_to_tensor(images)
    single = x.shape.rank == 3
    x = _core.expand_dims(x, 0) if single else x
    for axis, new in ((1, int(size[0])), (2, int(size[1]))):
        x = _along(x, axis, new, method, align_corners)
    return _core.squeeze(x, 0) if single else x


def _along(x, axis, new, method, corners):
    """One axis of another size; TensorFlow 1's pixels begin at their corners, not around their centers."""
    old = int(x.shape[axis])
    scale = (old - 1) / (new - 1) if corners and new > 1 else old / new
    at = np.arange(new, dtype=np.float32) * np.float32(scale)
    if method == "nearest":
        index = np.round(at) if corners else np.floor(at)
        return _core.gather(x, np.minimum(index.astype(np.int32), old - 1), axis=axis)
    x = _core.cast(x, "float32")
    low = np.floor(at).astype(np.int32)
    share = (at - low).reshape([-1 if i == axis else 1 for i in range(4)])
    a, b = _core.gather(x, np.minimum(low, old - 1), axis=axis), _core.gather(x, np.minimum(low + 1, old - 1), axis=axis)
    return a + (b - a) * share


resize_images = wrap.door(_resized, "resize")
resize_images.__name__, resize_images.__doc__ = "resize_images", "Pictures of another size."
resize = resize_images


def resize_image_with_crop_or_pad(image, target_height, target_width):
    """The middle of pictures, with zeros around where they are too small."""
    return getattr(importlib.import_module("brio.image"), "resize_with_crop_or_pad")(image, target_height, target_width)


def resize_bilinear(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Pictures of another size, by the four pixels around."""
    return resize_images(images, size, 0, align_corners)


def resize_nearest_neighbor(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Pictures of another size, by the nearest pixel."""
    return resize_images(images, size, 1, align_corners)


def __getattr__(name):
    return getattr(importlib.import_module("brio.image"), name)


def __dir__():
    return sorted(set(globals()) | set(dir(importlib.import_module("brio.image"))))
