"""tf.compat.v1.image: as tf.image, with TensorFlow 1's names."""

import importlib

import numpy as np

from brio import _core
from brio._graph import by_rule, core, wrap

_METHODS = ("bilinear", "nearest", "bicubic", "area")  # by TensorFlow 1's numbers


def _resized(images, size, method=0, align_corners=False, preserve_aspect_ratio=False, name=None):
    method = getattr(method, "value", method)
    method = _METHODS[method] if method in range(4) else method
    if method not in _METHODS:
        raise ValueError(
            f"[resize_images] method must be one of {_METHODS} or their numbers 0 to 3, but is {method!r}; "
            "tf.image.resize has others"
        )
    x = _core.convert_to_tensor(images)
    single = x.shape.rank == 3
    x = _core.expand_dims(x, 0) if single else x
    old, new = [int(n) for n in x.shape[1:3]], [int(n) for n in size]
    if preserve_aspect_ratio:
        x = _interpolated(x, _kept_ratio(old, new), method, align_corners)
    elif old != new:
        x = _interpolated(x, new, method, align_corners)
    return _core.squeeze(x, 0) if single else x


def _interpolated(images, size, method, align_corners, half_pixel_centers=False, name=None):
    if align_corners and half_pixel_centers:
        raise ValueError("If half_pixel_centers is True, align_corners must be False.")
    x = _core.convert_to_tensor(images)
    for axis, new in ((1, int(size[0])), (2, int(size[1]))):
        x = _along(x, axis, new, method, align_corners, half_pixel_centers)
    return x


def _kept_ratio(old, new):
    """The largest size within another one that has the ratio of the old one."""
    factor = min(np.float32(n) / np.float32(o) for o, n in zip(old, new))
    return [int(np.round(factor * np.float32(o))) for o in old]


def _along(x, axis, new, method, corners, centers):
    """One axis of another size. TensorFlow 1's pixels begin at their corners,
    unless they are said to lie around their centers."""
    old = int(x.shape[axis])
    scale = np.float32(
        (old - 1) / (new - 1) if corners and new > 1 else old / max(new, 1)
    )  # 0: a size that is not known yet
    out = np.arange(new, dtype=np.float32)
    if method == "nearest":
        at = (out + np.float32(0.5)) * scale if centers else out * scale
        index = np.floor(at + np.float32(0.5)) if corners else np.floor(at)
        return _core.gather(x, np.minimum(index.astype(np.int32), old - 1), axis=axis)
    if method == "area":
        taps = _area_taps(out * scale, scale)
    else:
        at = (out + np.float32(0.5)) * scale - np.float32(0.5) if centers else out * scale
        taps = _linear_taps(at) if method == "bilinear" else _cubic_taps(at, old, centers)
    x = _core.cast(x, "float32")
    shape = [-1 if i == axis else 1 for i in range(4)]
    parts = [
        _core.gather(x, np.clip(index, 0, old - 1).astype(np.int32), axis=axis) * weight.reshape(shape)
        for index, weight in taps
    ]
    return _core.add_n(parts)


def _linear_taps(at):
    """Indices and weights of the two pixels around each place."""
    low = np.floor(at)
    return [(low, 1 - (at - low)), (low + 1, at - low)]


def _cubic_taps(at, old, centers):
    """Of four pixels; with centers, of those that lie inside of the picture.
    TensorFlow's weights are those of 1024 places between two pixels."""
    low, a = np.floor(at), -0.5 if centers else -0.75
    share = np.rint((at - low) * 1024) / 1024
    taps = [(low + k, _cubic(np.abs(share - k), a)) for k in (-1, 0, 1, 2)]
    if centers:
        taps = [(index, weight * ((index >= 0) & (index < old))) for index, weight in taps]
        total = sum(weight for _, weight in taps)
        taps = [(index, weight / total) for index, weight in taps]
    return [(index, weight.astype(np.float32)) for index, weight in taps]


def _cubic(x, a):
    """The weight of a pixel at a distance of x."""
    return np.where(x <= 1, ((a + 2) * x - (a + 3)) * x * x + 1, ((a * x - 5 * a) * x + 8 * a) * x - 4 * a)


def _area_taps(start, scale):
    """Of all pixels that an output's stretch covers: how much of it each is."""
    low, end = np.floor(start), start + scale
    taps = []
    for k in range(int(np.ceil(scale)) + 1):
        index = low + k
        covered = np.maximum(np.minimum(index + 1, end) - np.maximum(index, start), 0)
        taps.append((index, (covered / scale).astype(np.float32)))
    return taps


def _sizes_of_resized(images, size, method=0, align_corners=False, preserve_aspect_ratio=False):
    """For graphs: sides that are not known as numbers, and those that keep an unknown ratio."""
    nearest = getattr(method, "value", method) in (1, "nearest")
    sides = [None, None] if preserve_aspect_ratio or isinstance(size, core.Tensor) else list(size)
    return by_rule.with_sides(images, sides, None if nearest else "float32")


_resized.rule = _sizes_of_resized
_interpolated.rule = lambda images, size, method, *_, **__: _sizes_of_resized(images, size, method)
_resize, _interpolate = wrap.door(_resized, "resize"), wrap.door(_interpolated, "resize")


def resize_images(images, size, method=0, align_corners=False, preserve_aspect_ratio=False, name=None):
    """Pictures of another size; with their ratio, of the largest one inside of it."""
    return _resize(images, size, method, align_corners, preserve_aspect_ratio, name=name)


resize = resize_images


def resize_image_with_crop_or_pad(image, target_height, target_width):
    """The middle of pictures, with zeros around where they are too small."""
    return importlib.import_module("brio.image").resize_with_crop_or_pad(image, target_height, target_width)


def resize_bilinear(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Pictures of another size, by the four pixels around."""
    return _interpolate(images, size, "bilinear", align_corners, half_pixel_centers, name=name)


def resize_nearest_neighbor(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Pictures of another size, by the nearest pixel."""
    return _interpolate(images, size, "nearest", align_corners, half_pixel_centers, name=name)


def resize_bicubic(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Pictures of another size, by the sixteen pixels around."""
    return _interpolate(images, size, "bicubic", align_corners, half_pixel_centers, name=name)


def resize_area(images, size, align_corners=False, name=None):
    """Pictures of another size, by the mean of what each new pixel covers."""
    return _interpolate(images, size, "area", align_corners, name=name)


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    return getattr(importlib.import_module("brio.image"), name)


def __dir__():
    return sorted(set(globals()) | set(dir(importlib.import_module("brio.image"))))
