"""tf.image."""

import math as _math
from collections import namedtuple as _namedtuple

from brio import _core
from brio._core import _image
from brio._core._image import *
from brio._lazy import names as _names
from brio.io import (
    decode_bmp, decode_gif, decode_image, decode_jpeg, decode_png, encode_jpeg, encode_png, extract_jpeg_shape, is_jpeg,
)  # fmt: skip

__getattr__, __dir__, _HOMES = _names(
    __name__,
    {
        "_more_image": (
            "decode_and_crop_jpeg draw_bounding_boxes extract_glimpse non_max_suppression_overlaps "
            "non_max_suppression_padded non_max_suppression_with_scores random_jpeg_quality ssim_multiscale "
            "stateless_random_jpeg_quality stateless_sample_distorted_bounding_box"
        ),
    },
)


_Combined = _namedtuple(
    "CombinedNonMaxSuppression", ["nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections"]
)


class ResizeMethod:
    """Names of the ways in which tf.image.resize computes new pixels."""

    AREA, BICUBIC, BILINEAR, GAUSSIAN = "area", "bicubic", "bilinear", "gaussian"
    LANCZOS3, LANCZOS5, MITCHELLCUBIC, NEAREST_NEIGHBOR = "lanczos3", "lanczos5", "mitchellcubic", "nearest"


def _crop(value, size, seed, crop_pictures, draw):
    value = _core.convert_to_tensor(value)
    size = [int(n) for n in size]
    # Dataset.map writes this down: where only rows and columns are cut, their number may be another each time.
    shape = _core._shape_unseen(value)
    if len(size) != len(shape):
        raise ValueError(f"[random_crop] size has {len(size)} numbers, but the value has shape {shape}")
    if any(n > have for n, have in zip(size, shape)):
        raise _core_error(f"[random_crop] a piece of {size} does not fit into shape {shape}")
    rest = [i for i in range(len(size)) if size[i] != shape[i]]
    height = len(size) - 3
    if height >= 0 and len(size) <= 4 and all(i in (height, height + 1) for i in rest):
        cut = crop_pictures(value, size[height], size[height + 1], seed)
        return _core.ensure_shape(cut, size) if _core._journalling() else cut
    for axis in rest:
        start = draw(value.shape[axis] - size[axis] + 1, axis)
        value = _core.gather(value, start + _core.range(size[axis]), axis=axis)
    return value


def _core_error(text):
    from brio.errors import InvalidArgumentError

    return InvalidArgumentError(text)


def random_crop(value, size, seed=None, name=None):
    """A piece of this size from any place."""
    draw = _core._random.uniform
    return _crop(value, size, seed, _image._random_crop, lambda n, axis: draw([], 0, n, "int32", seed))


def stateless_random_crop(value, size, seed, name=None):
    """A piece of this size, a function of the seed alone."""
    first, second = (int(s) for s in seed)
    draw = _core._random.stateless_uniform
    return _crop(
        value,
        size,
        [first, second],
        _image._stateless_random_crop,
        lambda n, axis: draw([], [first, second + axis], 0, n, "int32"),
    )


def adjust_jpeg_quality(image, jpeg_quality, dct_method="", name=None):
    """A picture as JPEG of this quality shows it."""
    image = _core.convert_to_tensor(image)
    pixels = convert_image_dtype(image, "uint8", saturate=True)
    again = decode_jpeg(encode_jpeg(pixels, quality=int(jpeg_quality)), channels=image.shape[-1], dct_method=dct_method)
    return convert_image_dtype(again, image.dtype)


def _floats(a, b, max_val):
    a = convert_image_dtype(a, "float32")
    b = convert_image_dtype(b, "float32")
    return a, b


def psnr(a, b, max_val, name=None):
    """The peak signal-to-noise ratio of pictures, in decibels."""
    a, b = _core.convert_to_tensor(a), _core.convert_to_tensor(b)
    largest = float(convert_image_dtype(_core.cast(max_val, a.dtype), "float32"))
    a, b = _floats(a, b, max_val)
    error = _core.reduce_mean(_core._math.squared_difference(a, b), axis=[-3, -2, -1])
    return 20 * _math.log10(largest) - (10 / _math.log(10)) * _core._math.log(error)


def _ssim_map(x, y, largest, filter_size, filter_sigma, k1, k2):
    channels = x.shape[-1]
    at = _core.range(filter_size, dtype="float32") - (filter_size - 1) / 2.0
    g = -_core.square(at) / (2 * filter_sigma**2)
    kernel = _core._nn.softmax(_core.reshape(_core.reshape(g, [1, -1]) + _core.reshape(g, [-1, 1]), [1, -1]))
    kernel = _core.tile(_core.reshape(kernel, [filter_size, filter_size, 1, 1]), [1, 1, channels, 1])

    def blurred(picture):
        flat = _core.reshape(picture, [-1, *picture.shape[-3:]])
        result = _core._nn.depthwise_conv2d(flat, kernel, [1, 1, 1, 1], "VALID")
        return _core.reshape(result, [*picture.shape[:-3], *result.shape[1:]])

    c1, c2 = (k1 * largest) ** 2, (k2 * largest) ** 2
    mx, my = blurred(x), blurred(y)
    light = (2 * mx * my + c1) / (_core.square(mx) + _core.square(my) + c1)
    contrast = (2 * (blurred(x * y) - mx * my) + c2) / (
        blurred(_core.square(x) + _core.square(y)) - (_core.square(mx) + _core.square(my)) + c2
    )
    return light * contrast, contrast


def ssim(img1, img2, max_val, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03, return_index_map=False):
    """The structural similarity of pictures."""
    img1, img2 = _core.convert_to_tensor(img1), _core.convert_to_tensor(img2)
    if any(_core._surely_less(n, filter_size) for n in img1.shape[-3:-1]):
        raise _core_error(f"[ssim] pictures of shape {img1.shape} are smaller than the filter, {filter_size}")
    largest = float(convert_image_dtype(_core.cast(max_val, img1.dtype), "float32"))
    img1, img2 = _floats(img1, img2, max_val)
    similar, _ = _ssim_map(img1, img2, largest, filter_size, filter_sigma, k1, k2)
    return _core.reduce_mean(similar, axis=-1) if return_index_map else _core.reduce_mean(similar, axis=[-3, -2, -1])


def sobel_edges(image):
    """The derivatives of pictures along rows and columns, by Sobel's filter, along a new last axis."""
    image = _core.convert_to_tensor(image)
    channels = image.shape[3]
    filters = _core.constant([[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]], image.dtype)
    kernel = _core.tile(_core.reshape(_core.transpose(filters, [1, 2, 0]), [3, 3, 1, 2]), [1, 1, channels, 1])
    padded = _core.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    edges = _core._nn.depthwise_conv2d(padded, kernel, [1, 1, 1, 1], "VALID")
    return _core.reshape(edges, [*image.shape, 2])


def extract_patches(images, sizes, strides, rates, padding, name=None):
    """The pixels of each window, one after the other along the last axis."""
    images = _core.convert_to_tensor(images)
    _, rows, columns, _ = sizes
    channels = images.shape[-1]
    depth = rows * columns * channels
    kernel = _core.reshape(
        _core.eye(depth, dtype=images.dtype if images.dtype.is_floating else "float32"),
        [rows, columns, channels, depth],
    )
    pixels = images if images.dtype.is_floating else _core.cast(images, "float32")
    patches = _core._nn.conv2d(pixels, kernel, list(strides), padding, dilations=list(rates))
    return patches if images.dtype.is_floating else _core.cast(patches, images.dtype)


def _intersection_over_union(boxes):
    """Of each pair of boxes (y1, x1, y2, x2), in NumPy."""
    import numpy as np

    y1, x1 = np.minimum(boxes[:, 0], boxes[:, 2]), np.minimum(boxes[:, 1], boxes[:, 3])
    y2, x2 = np.maximum(boxes[:, 0], boxes[:, 2]), np.maximum(boxes[:, 1], boxes[:, 3])
    height = np.clip(np.minimum(y2[:, None], y2) - np.maximum(y1[:, None], y1), 0, None)
    width = np.clip(np.minimum(x2[:, None], x2) - np.maximum(x1[:, None], x1), 0, None)
    area, shared = (y2 - y1) * (x2 - x1), height * width
    union = area[:, None] + area - shared
    return np.where((area[:, None] <= 0) | (area <= 0), 0, shared / np.where(union > 0, union, 1))


def non_max_suppression(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float("-inf"), name=None):
    """The numbers of the boxes with the best scores that do not overlap each other by more than a threshold."""
    import numpy as np

    scores = _core.convert_to_tensor(scores).numpy()
    overlaps = _intersection_over_union(_core.convert_to_tensor(boxes).numpy())
    chosen = []
    for i in np.argsort(-scores, kind="stable"):
        if len(chosen) >= int(max_output_size) or not scores[i] > score_threshold:
            break
        if all(overlaps[i, j] <= iou_threshold for j in chosen):
            chosen.append(int(i))
    return _core.constant(chosen, "int32", shape=[len(chosen)])


def combined_non_max_suppression(boxes, scores, max_output_size_per_class, max_total_size, iou_threshold=0.5,
                                 score_threshold=float("-inf"), pad_per_class=False, clip_boxes=True,
                                 name=None):  # fmt: skip
    """The best boxes of each picture over all classes: boxes, scores, classes, and how many there are;
    zeros behind them."""
    import numpy as np

    boxes, scores = _core.convert_to_tensor(boxes).numpy(), _core.convert_to_tensor(scores).numpy()
    per_class, total = int(max_output_size_per_class), int(max_total_size)
    size = min(total, per_class * scores.shape[2]) if pad_per_class else total
    n = boxes.shape[0]
    made = np.zeros((n, size, 4), np.float32), np.zeros((n, size), np.float32), np.zeros((n, size), np.float32)
    counts = np.zeros(n, np.int32)
    for b in range(n):
        found = []
        for c in range(scores.shape[2]):
            own = boxes[b, :, c if boxes.shape[2] > 1 else 0]
            chosen = non_max_suppression(own, scores[b, :, c], per_class, iou_threshold, score_threshold).numpy()
            found += [(scores[b, i, c], c, own[i]) for i in chosen]
        found = sorted(found, key=lambda one: -one[0])[:size]
        counts[b] = len(found)
        for i, (score, c, box) in enumerate(found):
            made[0][b, i], made[1][b, i], made[2][b, i] = np.clip(box, 0.0, 1.0) if clip_boxes else box, score, c
    return _Combined(*(_core.constant(x) for x in made), _core.constant(counts))


def crop_and_resize(image, boxes, box_indices, crop_size, method="bilinear", extrapolation_value=0.0, name=None):
    """Boxes (y1, x1, y2, x2 in shares of the sides) of pictures, resized; corners stay corners."""
    image = _core.convert_to_tensor(image)
    pixels = _core.cast(image, "float32")
    boxes = _core.convert_to_tensor(boxes, dtype_hint="float32")
    n, (rows, columns) = boxes.shape[0], (int(s) for s in crop_size)

    def places(low, high, size, count):
        if count > 1:
            step = (high - low) * ((size - 1) / (count - 1))
            return _core.expand_dims(low * (size - 1), 1) + _core.expand_dims(step, 1) * _core.range(
                count, dtype="float32"
            )
        return _core.expand_dims(0.5 * (low + high) * (size - 1), 1)

    y = places(boxes[:, 0], boxes[:, 2], image.shape[1], rows)  # (boxes, rows)
    x = places(boxes[:, 1], boxes[:, 3], image.shape[2], columns)
    inside = _core.expand_dims((y >= 0) & (y <= image.shape[1] - 1), 2) & _core.expand_dims(
        (x >= 0) & (x <= image.shape[2] - 1), 1
    )
    batch = _core.broadcast_to(_core.reshape(_core.cast(box_indices, "int32"), [n, 1, 1]), [n, rows, columns])

    def read(yy, xx):
        yy = _core.cast(_core.clip_by_value(yy, 0.0, image.shape[1] - 1.0), "int32")
        xx = _core.cast(_core.clip_by_value(xx, 0.0, image.shape[2] - 1.0), "int32")
        yy = _core.broadcast_to(_core.expand_dims(yy, 2), [n, rows, columns])
        xx = _core.broadcast_to(_core.expand_dims(xx, 1), [n, rows, columns])
        return _core.gather_nd(pixels, _core.stack([batch, yy, xx], axis=-1))

    if method == "nearest":
        result = read(_core.floor(y + 0.5), _core.floor(x + 0.5))
    elif method == "bilinear":
        top, left = _core.floor(y), _core.floor(x)
        fy = _core.reshape(y - top, [n, rows, 1, 1])
        fx = _core.reshape(x - left, [n, 1, columns, 1])
        bottom, right = _core._math.ceil(y), _core._math.ceil(x)
        upper = read(top, left) + (read(top, right) - read(top, left)) * fx
        lower = read(bottom, left) + (read(bottom, right) - read(bottom, left)) * fx
        result = upper + (lower - upper) * fy
    else:
        raise ValueError(f"[crop_and_resize] method is {method!r}; it is 'bilinear' or 'nearest'")
    return _core.where(_core.expand_dims(inside, 3), result, _core.constant(float(extrapolation_value)))


def sample_distorted_bounding_box(image_size, bounding_boxes, seed=0, min_object_covered=0.1, aspect_ratio_range=None,
                                  area_range=None, max_attempts=None, use_image_if_no_bounding_boxes=None,
                                  name=None):  # fmt: skip
    """A random piece of a picture that covers a share of one of the boxes:
    (begin and size for tf.slice, the box (1, 1, 4))."""
    given = [_core.convert_to_tensor(image_size), _core.convert_to_tensor(bounding_boxes)]
    draws = _core._random.uniform([max_attempts or 100, 4], seed=seed or None)
    options = (
        float(min_object_covered),
        aspect_ratio_range or (0.75, 1.33),
        area_range or (0.05, 1.0),
        bool(use_image_if_no_bounding_boxes),
    )
    if _core._journalling():  # one step of what Dataset.map writes down
        return tuple(
            _core._journal_call(
                lambda size, boxes, numbers: _sampled_box(size, boxes, numbers, *options), [*given, draws]
            )
        )
    return tuple(_sampled_box(*given, draws, *options))


def _sampled_box(image_size, boxes, draws, covered, ratios, areas, without_boxes):
    import math

    import numpy as np

    height, width = (int(n) for n in image_size.numpy()[:2])
    boxes = boxes.numpy().reshape(-1, 4)
    if not len(boxes):
        if not without_boxes:
            from brio.errors import InvalidArgumentError

            raise InvalidArgumentError(
                "[sample_distorted_bounding_box] there are no boxes; give some, or use_image_if_no_bounding_boxes=True"
            )
        boxes = np.array([[0, 0, 1, 1]], np.float32)
    sides = boxes * [height, width, height, width]
    found = (0, 0, height, width)
    for one, two, three, four in draws.numpy().tolist():
        ratio = ratios[0] + one * (ratios[1] - ratios[0])
        least, most = (round(math.sqrt(a * height * width / ratio)) for a in areas)
        most = min(most, height, int((width + 0.5 - 1e-7) / ratio))
        rows = min(least, most) + int(two * (max(most - least, 0) + 1))
        columns = round(rows * ratio)
        if not (
            0 < rows <= height
            and 0 < columns <= width
            and areas[0] * height * width <= rows * columns <= areas[1] * height * width
        ):
            continue
        top, left = int(three * (height - rows + 1)), int(four * (width - columns + 1))
        common = np.clip(np.minimum(sides[:, 2], top + rows) - np.maximum(sides[:, 0], top), 0, None) * np.clip(
            np.minimum(sides[:, 3], left + columns) - np.maximum(sides[:, 1], left), 0, None
        )
        whole = (sides[:, 2] - sides[:, 0]) * (sides[:, 3] - sides[:, 1])
        if (common >= covered * whole).any():
            found = (top, left, rows, columns)
            break
    top, left, rows, columns = found
    box = np.array([[[top / height, left / width, (top + rows) / height, (left + columns) / width]]], np.float32)
    dtype = image_size.dtype
    return [_core.constant([top, left, 0], dtype), _core.constant([rows, columns, -1], dtype), _core.constant(box)]
