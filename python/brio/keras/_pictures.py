"""Picture files and arrays: load_img, save_img, img_to_array, array_to_img. Brio's own decoders do the work."""

import os

import numpy as np

import brio as tf

_INTERPOLATIONS = {
    "nearest": "nearest",
    "bilinear": "bilinear",
    "bicubic": "bicubic",
    "lanczos": "lanczos5",
    "box": "area",
    "hamming": "bilinear",
}


class Picture:
    """Pixels as uint8, with what programs ask of a PIL image: size, mode, show() through a notebook, and np.array()."""

    def __init__(self, pixels):
        self.pixels = pixels

    @property
    def size(self):
        """(width, height)."""
        return self.pixels.shape[1], self.pixels.shape[0]

    @property
    def width(self):
        """Columns."""
        return self.size[0]

    @property
    def height(self):
        """Rows."""
        return self.size[1]

    @property
    def mode(self):
        """The channels, as PIL names them."""
        return {1: "L", 3: "RGB", 4: "RGBA"}[self.pixels.shape[2]]

    def __array__(self, dtype=None, copy=None):
        pixels = self.pixels[:, :, 0] if self.pixels.shape[2] == 1 else self.pixels
        return pixels.astype(dtype) if dtype is not None else pixels.copy()

    def resize(self, size, resample=None):
        """The picture in another size, (width, height)."""
        made = tf.image.resize(self.pixels, (size[1], size[0]), method="nearest" if resample is None else "bilinear")
        return Picture(np.asarray(tf.cast(made, "uint8")))

    def save(self, path, format=None):
        """Writes a PNG or JPEG file."""
        save_img(path, self.pixels, scale=False, file_format=format)

    def _repr_png_(self):
        return tf.io.encode_png(tf.constant(self.pixels)).numpy()


def _picture(pixels):
    """A PIL image where that package is installed, as programs go on with its functions; else a Picture."""
    try:
        from PIL import Image
    except ImportError:
        return Picture(pixels)
    return Image.fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels)


def load_img(path, color_mode="rgb", target_size=None, interpolation="nearest", keep_aspect_ratio=False):
    """A picture from a PNG, JPEG, BMP or GIF file."""
    channels = {"grayscale": 1, "rgb": 3, "rgba": 4}.get(color_mode)
    if channels is None:
        raise ValueError(f"load_img: color_mode is {color_mode!r}; it is 'grayscale', 'rgb' or 'rgba'")
    data = path.read() if hasattr(path, "read") else open(os.fspath(path), "rb").read()
    pixels = tf.io.decode_image(data, channels=channels, expand_animations=False)
    if target_size is not None and tuple(pixels.shape[:2]) != tuple(target_size):
        if interpolation not in _INTERPOLATIONS:
            raise ValueError(f"load_img: interpolation is {interpolation!r}; it is one of {', '.join(_INTERPOLATIONS)}")
        if keep_aspect_ratio:
            height, width = pixels.shape[:2]
            rows = min(height, int(width * target_size[0] / target_size[1]))
            columns = min(width, int(height * target_size[1] / target_size[0]))
            top, left = (height - rows) // 2, (width - columns) // 2
            pixels = pixels[top : top + rows, left : left + columns]
        made = tf.image.resize(pixels, target_size, method=_INTERPOLATIONS[interpolation])
        pixels = tf.saturate_cast(tf.round(tf.cast(made, "float32")), "uint8")
    return _picture(np.asarray(pixels))


def img_to_array(img, data_format=None, dtype=None):
    """(height, width, channels) of numbers."""
    array = np.asarray(img, dtype=dtype or "float32")
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3:
        raise ValueError(f"a picture has two or three axes, but the shape is {array.shape}")
    return np.moveaxis(array, 2, 0) if data_format == "channels_first" else array


def array_to_img(x, data_format=None, scale=True, dtype=None):
    """A picture of an array of pixels."""
    return _picture(_pixels(x, data_format, scale, dtype))


def _pixels(x, data_format=None, scale=True, dtype=None):
    x = np.asarray(x, dtype=dtype or "float32")
    if x.ndim != 3:
        raise ValueError(f"a picture has three axes, but the shape is {x.shape}")
    if data_format == "channels_first":
        x = np.moveaxis(x, 0, 2)
    if x.shape[2] not in (1, 3, 4):
        raise ValueError(f"a picture has 1, 3 or 4 channels, but the shape is {x.shape}")
    if scale:
        x = x - x.min()
        if x.max() != 0:
            x = x / x.max()
        x = x * 255
    return x.astype("uint8")


def save_img(path, x, data_format=None, file_format=None, scale=True, **kwargs):
    """Writes a PNG or JPEG file."""
    from brio._files import write_aside

    pixels = _pixels(x, data_format, scale)
    kind = (file_format or str(path).rsplit(".", 1)[-1]).lower()
    if kind in ("jpg", "jpeg"):
        data = tf.io.encode_jpeg(tf.constant(pixels[:, :, :3])).numpy()
    elif kind == "png":
        data = tf.io.encode_png(tf.constant(pixels)).numpy()
    else:
        raise ValueError(f"save_img writes PNG and JPEG files, but the file is {path}")
    write_aside(path, lambda file: file.write(data))
