"""keras.ops.image."""

import brio as tf
from brio.keras.ops._convert import channels_last as _channels_last
from brio.keras.ops._convert import floating as _floating
from brio.keras.ops._pictures import extract_patches_3d, scale_and_translate, sobel_edges, ssim  # noqa: F401
from brio.keras.ops._warps import (  # noqa: F401
    affine_transform,
    elastic_transform,
    gaussian_blur,
    map_coordinates,
    perspective_transform,
)


def _pictures(images, data_format):
    return _channels_last(images, data_format, -3)


def resize(images, size, interpolation="bilinear", antialias=False, crop_to_aspect_ratio=False,
           pad_to_aspect_ratio=False, fill_mode="constant", fill_value=0.0, data_format="channels_last"):  # fmt: skip
    """Pictures (height, width, channels), or several, of another size."""
    images, back = _pictures(images, data_format)
    return back(_resized(images, size, interpolation, antialias, crop_to_aspect_ratio, pad_to_aspect_ratio, fill_value))


def _resized(images, size, interpolation, antialias, crop_to_aspect_ratio, pad_to_aspect_ratio, fill_value):
    if crop_to_aspect_ratio or pad_to_aspect_ratio:
        from brio.keras.layers import Resizing

        made = Resizing(*size, interpolation=interpolation, antialias=antialias,
                        crop_to_aspect_ratio=crop_to_aspect_ratio, pad_to_aspect_ratio=pad_to_aspect_ratio,
                        fill_value=fill_value)(images)  # fmt: skip
        return (
            made
            if isinstance(made, tf.keras.KerasTensor)
            else tf.cast(tf.round(made) if "int" in str(images.dtype) else made, images.dtype)
        )
    made = tf.image.resize(images, size, method=interpolation, antialias=antialias)
    return (
        made
        if made.dtype == images.dtype
        else tf.saturate_cast(tf.round(made), images.dtype)
        if "int" in str(images.dtype)
        else tf.cast(made, images.dtype)
    )


def rgb_to_grayscale(images, data_format=None):
    """The luminance of pictures: one channel."""
    images, back = _pictures(images, data_format)
    if images.shape[-1] == 1:
        return back(tf.identity(images))
    if images.shape[-1] != 3 or "float" in str(images.dtype):
        return back(tf.image.rgb_to_grayscale(images))
    grey = tf.reduce_sum(tf.cast(images, "float32") * tf.constant([0.2989, 0.587, 0.114]), axis=-1, keepdims=True)
    return back(tf.cast(grey, images.dtype))


def rgb_to_hsv(images, data_format=None):
    """Colours as hue, saturation and value."""
    images, back = _pictures(_floating(images), data_format)
    return back(tf.image.rgb_to_hsv(images))


def hsv_to_rgb(images, data_format=None):
    """Hue, saturation and value as red, green and blue."""
    images, back = _pictures(_floating(images), data_format)
    return back(tf.image.hsv_to_rgb(images))


def extract_patches(images, size, strides=None, dilation_rate=1, padding="valid", data_format="channels_last"):
    """(batch, rows, columns, size · size · channels)."""
    if not isinstance(size, int) and len(size) == 3:
        return extract_patches_3d(images, size, strides, dilation_rate, padding, data_format)
    pair = lambda v: (v, v) if isinstance(v, int) else tuple(v)[1:-1] if len(v) == 4 else tuple(v)
    (images, back), size = _pictures(images, data_format), pair(size)
    single = len(images.shape) == 3
    steps, rates = pair(size if strides is None else strides), pair(dilation_rate)
    made = tf.image.extract_patches(
        images[None] if single else images, [1, *size, 1], [1, *steps, 1], [1, *rates, 1], padding.upper()
    )
    return back(made[0] if single else made)


def crop_images(
    images,
    top_cropping=None,
    left_cropping=None,
    bottom_cropping=None,
    right_cropping=None,
    target_height=None,
    target_width=None,
    data_format=None,
):
    """Pictures with their borders cut off."""
    images, back = _pictures(images, data_format)
    height, width = images.shape[-3], images.shape[-2]
    top = height - target_height - bottom_cropping if top_cropping is None else top_cropping
    left = width - target_width - right_cropping if left_cropping is None else left_cropping
    rows = height - top - bottom_cropping if target_height is None else target_height
    columns = width - left - right_cropping if target_width is None else target_width
    return back(images[..., top : top + rows, left : left + columns, :])


def pad_images(
    images,
    top_padding=None,
    left_padding=None,
    bottom_padding=None,
    right_padding=None,
    target_height=None,
    target_width=None,
    data_format=None,
):
    """Pictures with borders of zeros."""
    images, back = _pictures(images, data_format)
    height, width = images.shape[-3], images.shape[-2]
    top = target_height - height - bottom_padding if top_padding is None else top_padding
    left = target_width - width - right_padding if left_padding is None else left_padding
    bottom = target_height - height - top if bottom_padding is None else bottom_padding
    right = target_width - width - left if right_padding is None else right_padding
    return back(tf.pad(images, [[0, 0]] * (len(images.shape) - 3) + [[top, bottom], [left, right], [0, 0]]))
