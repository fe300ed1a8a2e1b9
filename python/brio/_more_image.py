"""Functions of tf.image of the rarer kind: boxes and which of them stay, glimpses, similarity at several scales,
parts of JPEGs."""

from brio import _core
from brio._core import _random
from brio._host import on_host
from brio.errors import InvalidArgumentError

_COLORS = [
    (1, 1, 0, 1),
    (0, 0, 1, 1),
    (1, 0, 0, 1),
    (0, 1, 0, 1),
    (0.5, 0, 0.5, 1),
    (0.5, 0.5, 0, 1),
    (0.5, 0, 0, 1),
    (0, 0, 0.5, 1),
    (0, 1, 1, 1),
    (1, 0, 1, 1),
]


def draw_bounding_boxes(images, boxes, colors, name=None):
    """Pictures with boxes (y1, x1, y2, x2 in shares of the sides) drawn on them, a color each in turn.

    >>> tf.image.draw_bounding_boxes(tf.zeros([1, 9, 9, 3]), [[[0.0, 0.0, 1.0, 1.0]]], None).numpy()[0, 0, 4].tolist()
    [1.0, 1.0, 0.0]
    """
    import numpy as np

    x = _core.convert_to_tensor(images)
    boxes = _core.convert_to_tensor(boxes, dtype_hint="float32")
    depth = x.shape[3]
    table = (
        np.array(_COLORS, np.float32)
        if colors is None or not len(colors)
        else _core.convert_to_tensor(colors).numpy().astype(np.float32)
    )
    table = (
        table[:, :depth] if depth > 1 or colors is not None and len(colors) else np.ones((len(table), 1), np.float32)
    )

    def draw(pictures, boxes):
        made = np.array(pictures, copy=True)
        height, width = made.shape[1:3]
        for picture, own in zip(made, boxes.astype(np.float32)):
            for i, (y1, x1, y2, x2) in enumerate(own):
                top, bottom = int(y1 * np.float32(height - 1)), int(y2 * np.float32(height - 1))
                left, right = int(x1 * np.float32(width - 1)), int(x2 * np.float32(width - 1))
                if top > bottom or left > right or top >= height or bottom < 0 or left >= width or right < 0:
                    continue
                color = table[i % len(table)].astype(made.dtype)
                rows, columns = (
                    slice(max(top, 0), min(bottom, height - 1) + 1),
                    slice(max(left, 0), min(right, width - 1) + 1),
                )
                if top >= 0:
                    picture[top, columns] = color
                if bottom < height:
                    picture[bottom, columns] = color
                if left >= 0:
                    picture[rows, left] = color
                if right < width:
                    picture[rows, right] = color
        return made

    return on_host(draw, [x, boxes], [(x.shape, x.dtype)])[0]


def _picked(overlaps, scores, count, threshold, least, sigma=0.0):
    """The boxes that stay, best first, and their scores: others lose by how much they overlap with one that stays."""
    import numpy as np

    left = np.where(scores > least, scores.astype(np.float32), -np.inf)
    chosen, kept = [], []
    while len(chosen) < count and len(left):
        best = int(left.argmax())
        if not left[best] > least or left[best] == -np.inf:
            break
        chosen.append(best)
        kept.append(left[best])
        shared = overlaps[best]
        if sigma > 0:
            left = left * np.exp(-0.5 / sigma * shared * shared).astype(np.float32)
        left = np.where(shared > threshold, -np.inf, left) if sigma <= 0 else left
        left[chosen] = -np.inf
    return chosen, kept


def non_max_suppression_with_scores(
    boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float("-inf"), soft_nms_sigma=0.0, name=None
):
    """The numbers of the boxes with the best scores, and the scores;
    with soft_nms_sigma the scores of overlapping boxes fall in place of their going.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [0.0, 2.0, 1.0, 3.0]]
    >>> tf.image.non_max_suppression_with_scores(boxes, [0.5, 0.9, 0.4], 3)[0].numpy().tolist()
    [1, 2]
    """
    from brio.image import _intersection_over_union

    overlaps = _intersection_over_union(_core.convert_to_tensor(boxes, dtype_hint="float32").numpy())
    scores = _core.convert_to_tensor(scores, dtype_hint="float32")
    chosen, kept = _picked(
        overlaps,
        scores.numpy(),
        int(max_output_size),
        float(iou_threshold),
        float(score_threshold),
        float(soft_nms_sigma),
    )
    return _core.constant(chosen, "int32", shape=[len(chosen)]), _core.constant(
        [float(v) for v in kept], scores.dtype, shape=[len(kept)]
    )


def non_max_suppression_overlaps(
    overlaps, scores, max_output_size, overlap_threshold=0.5, score_threshold=float("-inf"), name=None
):
    """As non_max_suppression, of a matrix that says how much each pair of boxes overlaps.

    >>> tf.image.non_max_suppression_overlaps([[1.0, 0.9], [0.9, 1.0]], [0.5, 0.7], 2).numpy().tolist()
    [1]
    """
    overlaps, scores = _core.convert_to_tensor(overlaps).numpy(), _core.convert_to_tensor(scores).numpy()
    chosen, _ = _picked(overlaps, scores, int(max_output_size), float(overlap_threshold), float(score_threshold))
    return _core.constant(chosen, "int32", shape=[len(chosen)])


def non_max_suppression_padded(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float("-inf"),
                               pad_to_max_output_size=False, name=None, sorted_input=False,
                               canonicalized_coordinates=False, tile_size=512):  # fmt: skip
    """The numbers of the boxes that stay, for each picture of a batch, filled up with 0 where that is asked for,
    and how many there are.

    >>> idx, count = tf.image.non_max_suppression_padded([[0.0, 0.0, 1.0, 1.0]], [0.5], 3, pad_to_max_output_size=True)
    >>> idx.numpy().tolist(), count.numpy().item()
    ([0, 0, 0], 1)
    """
    import numpy as np

    from brio.image import _intersection_over_union

    boxes = _core.convert_to_tensor(boxes, dtype_hint="float32").numpy()
    scores, size = _core.convert_to_tensor(scores, dtype_hint="float32").numpy(), int(max_output_size)
    if boxes.ndim > 2 and not pad_to_max_output_size:
        raise ValueError("'pad_to_max_output_size' (value False) must be True for batched input")
    batch = boxes.shape[:-2]
    rows = boxes.reshape(-1, *boxes.shape[-2:])
    pairs = zip(rows, scores.reshape(len(rows), -1))
    found = [
        _picked(_intersection_over_union(b), s, size, float(iou_threshold), float(score_threshold))[0] for b, s in pairs
    ]
    counts = _core.constant(np.array([len(f) for f in found], np.int32).reshape(batch))
    if not pad_to_max_output_size:
        return _core.constant(found[0], "int32", shape=[len(found[0])]), counts
    made = np.zeros((len(rows), size), np.int32)
    for row, chosen in zip(made, found):
        row[: len(chosen)] = chosen
    return _core.constant(made.reshape(*batch, size)), counts


_POWERS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def ssim_multiscale(img1, img2, max_val, power_factors=_POWERS, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03):
    """The structural similarity of pictures at several scales, each half of the one before, weighted.

    >>> x = tf.random.uniform([1, 180, 180, 3])
    >>> round(float(tf.image.ssim_multiscale(x, x, 1.0)[0]), 3)
    1.0
    """
    from brio.image import _core_error, _floats, _ssim_map, convert_image_dtype

    a, b = _core.convert_to_tensor(img1), _core.convert_to_tensor(img2)
    largest = float(convert_image_dtype(_core.cast(max_val, a.dtype), "float32"))
    a, b = _floats(a, b, max_val)
    parts = []
    for scale in range(len(power_factors)):
        if scale:
            a, b = (_halved(x) for x in (a, b))
        if any(_core._surely_less(n, filter_size) for n in a.shape[-3:-1]):
            raise _core_error(
                f"[ssim_multiscale] at scale {scale} pictures of shape {a.shape} are smaller than the filter, "
                f"{filter_size}; give larger ones or fewer power_factors"
            )
        similar, contrast = _ssim_map(a, b, largest, filter_size, filter_sigma, k1, k2)
        last = scale == len(power_factors) - 1
        parts.append(_core._nn.relu(_core.reduce_mean(similar if last else contrast, axis=[-3, -2])))
    weights = _core.constant(list(power_factors), "float32")
    return _core.reduce_mean(_core.reduce_prod(_core.pow(_core.stack(parts, axis=-1), weights), axis=-1), axis=-1)


def _halved(x):
    flat = _core.reshape(x, [-1, *x.shape[-3:]])
    odd = [int(n) % 2 for n in x.shape[-3:-1]]
    if any(odd):
        flat = _core.pad(flat, [[0, 0], [0, odd[0]], [0, odd[1]], [0, 0]], mode="SYMMETRIC")
    small = _core._nn.avg_pool2d(flat, 2, 2, "VALID")
    return _core.reshape(small, [*x.shape[:-3], *small.shape[1:]])


def extract_glimpse(input, size, offsets, centered=True, normalized=True, noise="uniform", name=None):
    """A window of each picture around its offset (y, x), with noise ('uniform', 'gaussian' or 'zero') where it looks
    out of the picture.

    >>> tf.image.extract_glimpse(
    ...     tf.reshape(tf.range(16.0), [1, 4, 4, 1]), [2, 2], [[0.0, 0.0]]
    ... ).numpy().reshape(-1).tolist()
    [5.0, 6.0, 9.0, 10.0]
    """
    x = _core.convert_to_tensor(input)
    rows, columns = (int(n) for n in (size.numpy() if hasattr(size, "numpy") else size))
    height, width = int(x.shape[1]), int(x.shape[2])
    at = _core.convert_to_tensor(offsets, dtype_hint="float32")
    if noise not in ("uniform", "gaussian", "zero"):
        raise InvalidArgumentError(f"[extract_glimpse] noise is {noise!r}; it is 'uniform', 'gaussian' or 'zero'")
    if normalized:
        at = at * _core.constant([height, width], "float32")
    if centered:
        at = (at / 2.0 if normalized else at) + _core.constant([height / 2, width / 2], "float32")
        at = at - _core.constant([rows / 2, columns / 2], "float32") if normalized else at
    at = _core.cast(at, "int32")  # towards 0
    y = at[:, :1] + _core.range(rows)
    z = at[:, 1:] + _core.range(columns)
    inside = _core.logical_and(
        _core.expand_dims((y >= 0) & (y < height), 2), _core.expand_dims((z >= 0) & (z < width), 1)
    )
    found = _core.gather(x, _core.clip_by_value(y, 0, height - 1), axis=1, batch_dims=1)
    found = _core.gather(
        _core.transpose(found, [0, 2, 1, 3]), _core.clip_by_value(z, 0, width - 1), axis=1, batch_dims=1
    )
    found = _core.transpose(found, [0, 2, 1, 3])
    if noise == "zero":
        other = _core.zeros_like(found)
    else:
        low, high = _core.reduce_min(x), _core.reduce_max(x)
        if noise == "uniform":
            other = low + (high - low) * _random.uniform(list(found.shape), dtype=x.dtype)
        else:
            mean = _core.reduce_mean(x)
            deviation = _core.sqrt(_core.reduce_mean(_core.square(x - mean)))
            other = _core.clip_by_value(mean + deviation * _random.normal(list(found.shape), dtype=x.dtype), low, high)
    return _core.where(_core.expand_dims(inside, 3), found, other)


def _quality_range(who, low, high):
    if low < 0 or high < 0 or low > 100 or high > 100:
        raise ValueError(f"[{who}] qualities are {low} to {high}; they must be in [0, 100]")
    if low >= high:
        raise ValueError(f"[{who}] min_jpeg_quality, {low}, must be below max_jpeg_quality, {high}")


def random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed=None):
    """A picture as JPEG of a random quality shows it.

    >>> tf.image.random_jpeg_quality(tf.zeros([8, 8, 3], tf.uint8), 75, 95).shape
    TensorShape([8, 8, 3])
    """
    from brio.image import adjust_jpeg_quality

    _quality_range("random_jpeg_quality", min_jpeg_quality, max_jpeg_quality)
    return adjust_jpeg_quality(image, int(_random.uniform([], min_jpeg_quality, max_jpeg_quality, "int32", seed)))


def stateless_random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed):
    """A picture as JPEG of a random quality shows it, a function of the seed alone."""
    from brio.image import adjust_jpeg_quality

    _quality_range("stateless_random_jpeg_quality", min_jpeg_quality, max_jpeg_quality)
    return adjust_jpeg_quality(
        image, int(_random.stateless_uniform([], seed, min_jpeg_quality, max_jpeg_quality, "int32"))
    )


def stateless_sample_distorted_bounding_box(image_size, bounding_boxes, seed, min_object_covered=0.1,
                                            aspect_ratio_range=None, area_range=None, max_attempts=None,
                                            use_image_if_no_bounding_boxes=None, name=None):  # fmt: skip
    """A random piece of a picture that covers a share of one of the boxes, a function of the seed alone:
    (begin and size for tf.slice, the box (1, 1, 4)).

    >>> begin, size, box = tf.image.stateless_sample_distorted_bounding_box(
    ...     [30, 40, 3], [[[0.0, 0.0, 1.0, 1.0]]], [1, 2]
    ... )
    >>> begin.shape, size.shape, box.shape
    (TensorShape([3]), TensorShape([3]), TensorShape([1, 1, 4]))
    """
    from brio.image import _sampled_box

    given = [_core.convert_to_tensor(image_size), _core.convert_to_tensor(bounding_boxes)]
    draws = _random.stateless_uniform([max_attempts or 100, 4], seed)
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


def decode_and_crop_jpeg(contents, crop_window, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False,
                         acceptable_fraction=1, dct_method="", name=None):  # fmt: skip
    """The pixels of a part (y, x, height, width) of a JPEG file's bytes.

    >>> picture = tf.io.encode_jpeg(tf.zeros([20, 30, 3], tf.uint8))
    >>> tf.io.decode_and_crop_jpeg(picture, [2, 3, 10, 12]).shape
    TensorShape([10, 12, 3])
    """
    from brio.io import decode_jpeg

    y, x, rows, columns = (int(n) for n in (crop_window.numpy() if hasattr(crop_window, "numpy") else crop_window))
    pixels = decode_jpeg(contents, channels=channels, ratio=ratio, fancy_upscaling=fancy_upscaling,
                         try_recover_truncated=try_recover_truncated, acceptable_fraction=acceptable_fraction,
                         dct_method=dct_method)  # fmt: skip
    if (
        y < 0
        or x < 0
        or rows <= 0
        or columns <= 0
        or _core._surely_less(pixels.shape[0], y + rows)
        or _core._surely_less(pixels.shape[1], x + columns)
    ):
        raise InvalidArgumentError(
            f"[decode_and_crop_jpeg] the window {[y, x, rows, columns]} does not lie in a picture of {pixels.shape}"
        )
    return pixels[y : y + rows, x : x + columns]
