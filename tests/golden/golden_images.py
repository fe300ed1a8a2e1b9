"""images_….json: tf.image, and Keras' MixUp and CutMix with given draws (see make_golden.py).

A case names its function, the dtype of `x` (pictures) and the options; tensors among the options are inputs. Where a
`gradient` stands, it is that of the sum of y · upstream.
"""

import json

import keras
import numpy as np
import tensorflow as tf

I = tf.image  # noqa: E741  short for many rows


class Cases:
    def __init__(self, case, name):
        self.case, self.name, self.cases = case, name, []
        self.rng = np.random.default_rng(5)

    def floats(self, *shape, low=0.0, high=1.0):
        # Few digits keep the files small.
        return np.round(self.rng.uniform(low, high, shape), 3).astype(np.float32)

    def integers(self, *shape, dtype=np.uint8):
        info = np.iinfo(dtype)
        return self.rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)

    def add(self, name, function, x, gradient=False, inputs=None, **params):
        x = tf.constant(x)
        outputs, inputs = {}, {"x": x.numpy(), **(inputs or {})}
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
            if gradient:
                inputs["upstream"] = self.floats(*y.shape, low=-1)
                total = tf.reduce_sum(y * inputs["upstream"])
        if gradient:
            outputs["gradient"] = tape.gradient(total, x)
        results = y if isinstance(y, tuple) else (y,)
        for i, result in enumerate(results):
            outputs[f"y_{i}"] = result.numpy()
        shown = {"function": name.split("/")[0], "dtype": x.dtype.name, "result": results[0].dtype.name, **params}
        self.cases.append(self.case(name, inputs, shown, {k: np.asarray(v) for k, v in outputs.items()}))

    def files(self):
        parts, size = [[]], 0
        for c in self.cases:
            size += len(json.dumps(c)) + 100
            if size > 45_000:
                parts.append([])
                size = len(json.dumps(c)) + 100
            parts[-1].append(c)
        return [(f"images_{self.name}_{i + 1}.json", part) for i, part in enumerate(parts)]


def sizes(c):
    methods = ("nearest", "bilinear", "bicubic", "lanczos3", "lanczos5", "area", "gaussian", "mitchellcubic")
    for method in methods:
        # TensorFlow's bicubic without antialias reads a table of 1024 steps, which is some 1e-3 off the formula.
        for antialias in (False, True):
            loose = {"tolerance": 2e-3} if method == "bicubic" and not antialias else {}
            for tag, shape, (height, width) in (
                ("smaller", (1, 7, 6, 2), (3, 4)),
                ("larger", (4, 3, 1), (6, 7)),
                ("same", (4, 5, 1), (4, 5)),
                ("mixed", (5, 4, 1), (8, 2)),
                ("much_smaller", (17, 1, 1), (2, 1)),
            ):
                c.add(
                    f"resize/{method}/{'antialias/' * antialias}{tag}",
                    lambda x: I.resize(x, (height, width), method, antialias=antialias),
                    c.floats(*shape, low=-1),
                    gradient=method == "bilinear" and not antialias,
                    height=height,
                    width=width,
                    method=method,
                    antialias=antialias,
                    **loose,
                )
        c.add(
            f"resize/{method}/uint8",
            lambda x: I.resize(x, (3, 5), method),
            c.integers(4, 4, 1),
            height=3,
            width=5,
            method=method,
            **({"tolerance": 2e-3} if method == "bicubic" else {}),
        )
    c.add(
        "resize/nearest/uint16",
        lambda x: I.resize(x, (5, 3), "nearest"),
        c.integers(3, 4, 1, dtype=np.uint16),
        height=5,
        width=3,
        method="nearest",
    )
    for shape, size in (
        ((4, 6, 1), (5, 5)),
        ((4, 6, 1), (2, 9)),
        ((2, 3, 5, 1), (9, 9)),
        ((7, 2, 1), (3, 3)),
        ((5, 5, 1), (3, 8)),
        ((9, 4, 1), (6, 6)),
    ):
        for method in ("bilinear", "nearest"):
            c.add(
                f"resize/preserve/{'x'.join(map(str, shape))}/{size[0]}x{size[1]}/{method}",
                lambda x: I.resize(x, size, method, preserve_aspect_ratio=True),
                c.floats(*shape),
                height=size[0],
                width=size[1],
                method=method,
                preserve_aspect_ratio=True,
            )
    for shape in ((4, 5, 1), (2, 5, 4, 1)):
        for dtype in ("float32", "uint8"):
            x = c.floats(*shape) if dtype == "float32" else c.integers(*shape)
            for size in ((2, 3), (3, 8), (7, 2), (6, 9), (4, 4), (5, 5)):
                c.add(
                    f"resize_with_crop_or_pad/{len(shape)}/{dtype}/{size[0]}x{size[1]}",
                    lambda x: I.resize_with_crop_or_pad(x, *size),
                    x,
                    gradient=dtype == "float32" and len(shape) == 4,
                    height=size[0],
                    width=size[1],
                )
                if size[0] != 3:
                    for method in ("bilinear", "nearest"):
                        c.add(
                            f"resize_with_pad/{len(shape)}/{dtype}/{size[0]}x{size[1]}/{method}",
                            lambda x: I.resize_with_pad(x, *size, method=method),
                            x,
                            height=size[0],
                            width=size[1],
                            method=method,
                        )
    c.add(
        "resize_with_pad/antialias",
        lambda x: I.resize_with_pad(x, 3, 4, antialias=True),
        c.floats(8, 7, 1),
        height=3,
        width=4,
        method="bilinear",
        antialias=True,
    )


def parts(c):
    def each(name, function, *shape, **params):
        c.add(f"{name}/float", function, c.floats(*shape, low=-1), gradient=True, **params)
        c.add(f"{name}/uint8", function, c.integers(*shape), **params)
        c.add(f"{name}/uint16/batch", function, c.integers(2, *shape, dtype=np.uint16), **params)
        c.add(f"{name}/batch", function, c.floats(2, *shape), gradient=True, **params)

    for top, left, height, width in ((0, 0, 3, 4), (1, 2, 2, 1), (2, 0, 1, 3)):
        each(
            f"crop_to_bounding_box/{top}{left}{height}{width}",
            lambda x: I.crop_to_bounding_box(x, top, left, height, width),
            3,
            4,
            2,
            top=top,
            left=left,
            height=height,
            width=width,
        )
    for top, left, height, width in ((0, 0, 2, 3), (1, 2, 4, 5), (0, 1, 3, 4)):
        each(
            f"pad_to_bounding_box/{top}{left}{height}{width}",
            lambda x: I.pad_to_bounding_box(x, top, left, height, width),
            2,
            3,
            1,
            top=top,
            left=left,
            height=height,
            width=width,
        )
    for fraction in (0.1, 0.33, 0.5, 0.75, 0.875, 1.0):
        each(f"central_crop/{fraction}", lambda x: I.central_crop(x, fraction), 5, 6, 1, fraction=fraction)
    for name, function in (
        ("flip_left_right", I.flip_left_right),
        ("flip_up_down", I.flip_up_down),
        ("transpose", I.transpose),
    ):
        each(name, function, 2, 3, 2)
    for k in (0, 1, 2, 3, 5, -1):
        each(f"rot90/{k}", lambda x: I.rot90(x, k), 2, 3, 1, k=k)


def colours(c):
    def rgb(name, function, gradient=True, channels=3, **params):
        c.add(f"{name}/float", function, c.floats(2, 3, channels), gradient=gradient, **params)
        c.add(f"{name}/batch", function, c.floats(2, 2, 2, channels), gradient=gradient, **params)
        # Greys, black, white, primaries, equal pairs.
        edges = np.float32(
            [
                0,
                0,
                0,
                1,
                1,
                1,
                0.5,
                0.5,
                0.5,
                1,
                0,
                0,
                0,
                1,
                0,
                0,
                0,
                1,
                1,
                1,
                0,
                0,
                1,
                1,
                1,
                0,
                1,
                0.2,
                0.2,
                0.7,
                0.7,
                0.2,
                0.7,
                0.2,
                0.7,
                0.7,
            ]
        )
        c.add(f"{name}/edges", function, edges.reshape(3, 4, 3)[..., :channels], **params)

    def integers(name, function, channels=3, **params):
        c.add(f"{name}/uint8", function, c.integers(2, 3, channels), **params)
        c.add(f"{name}/uint8/batch", function, c.integers(2, 3, 2, channels), **params)
        if name != "grayscale_to_rgb":  # TensorFlow does not tile uint16
            # float32's last digit is worth more than what keeps uint16 from the next smaller number.
            steps = {"steps": 1} if name.startswith(("adjust_hue", "adjust_saturation")) else {}
            c.add(f"{name}/uint16", function, c.integers(2, 3, channels, dtype=np.uint16), **params, **steps)

    def both(name, function, gradient=True, channels=3, **params):
        rgb(name, function, gradient, channels, **params)
        integers(name, function, channels, **params)

    for name in ("rgb_to_hsv", "hsv_to_rgb", "rgb_to_yiq", "yiq_to_rgb", "rgb_to_yuv", "yuv_to_rgb"):
        rgb(name, getattr(I, name), gradient=name != "hsv_to_rgb")
    c.add("rgb_to_hsv/beyond", I.rgb_to_hsv, c.floats(3, 4, 3, low=-1, high=3))
    c.add("hsv_to_rgb/beyond", I.hsv_to_rgb, c.floats(3, 4, 3, low=-0.5, high=1.5))
    both("rgb_to_grayscale", I.rgb_to_grayscale)
    both("grayscale_to_rgb", I.grayscale_to_rgb, channels=1)
    for delta in (-0.4, 0.0, 0.15, 0.9):
        both(f"adjust_brightness/{delta}", lambda x: I.adjust_brightness(x, delta), delta=delta, channels=2)
    for factor in (0.0, 0.5, 1.0, 2.5, -1.0):
        both(
            f"adjust_contrast/{factor}",
            lambda x: I.adjust_contrast(x, factor),
            gradient=False,
            factor=factor,
            channels=2,
        )
    for factor in (0.0, 0.4, 1.0, 1.7, 6.0, -1.0):
        both(f"adjust_saturation/{factor}", lambda x: I.adjust_saturation(x, factor), gradient=False, factor=factor)
        c.add(
            f"adjust_saturation/{factor}/beyond",
            lambda x: I.adjust_saturation(x, factor),
            c.floats(2, 4, 3, low=-1, high=2),
            factor=factor,
        )
    for delta in (-1.0, -0.7, -0.1, 0.0, 0.05, 0.3, 0.5, 1.0):
        both(f"adjust_hue/{delta}", lambda x: I.adjust_hue(x, delta), gradient=False, delta=delta)
        c.add(
            f"adjust_hue/{delta}/beyond",
            lambda x: I.adjust_hue(x, delta),
            c.floats(2, 4, 3, low=-1, high=2),
            delta=delta,
        )
    for gamma, gain in ((0.0, 1.0), (0.5, 1.0), (1.0, 1.0), (2.2, 1.0), (0.7, 1.5), (1.3, 0.4)):
        both(
            f"adjust_gamma/{gamma}/{gain}",
            lambda x: I.adjust_gamma(x, gamma, gain),
            gamma=gamma,
            gain=gain,
            channels=1,
            gradient=gamma > 0,
        )
    both("per_image_standardization", I.per_image_standardization, channels=2)
    c.add("per_image_standardization/flat", I.per_image_standardization, np.full((2, 3, 3, 1), 7, np.float32))
    c.add("per_image_standardization/signed", I.per_image_standardization, c.floats(2, 4, 3, 1, low=-100, high=100))
    for shape in ((4, 3, 2), (2, 3, 4, 2)):
        c.add(f"total_variation/{len(shape)}", I.total_variation, c.floats(*shape, low=-1), gradient=True)
    c.add("image_gradients", I.image_gradients, c.floats(2, 3, 4, 2, low=-1))
    c.add("image_gradients/thin", I.image_gradients, c.floats(2, 1, 4, 1, low=-1))
    mean, deviation = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])
    for tag, x in (
        ("float", c.floats(2, 3, 3)),
        ("batch", c.floats(2, 2, 2, 3)),
        ("uint8", c.integers(2, 2, 2, 3)),
        ("uint16", c.integers(2, 2, 3, dtype=np.uint16)),
    ):
        c.add(
            f"normalize/{tag}",
            lambda x: (I.convert_image_dtype(x, tf.float32) - mean) / deviation,
            x,
            gradient=x.dtype == np.float32,
            inputs={"mean": mean, "deviation": deviation},
        )
        c.add(
            f"normalize/{tag}/one",
            lambda x: (I.convert_image_dtype(x, tf.float32) - 0.5) / 0.25,
            x,
            inputs={"mean": np.float32(0.5), "deviation": np.float32(0.25)},
        )


def conversions(c):
    dtypes = ("float16", "float32", "float64", "uint8", "uint16", "int8", "int16", "int32")
    for source in dtypes:
        for target in dtypes:
            if {source, target} in ({"float16", wide} for wide in ("uint16", "int16", "int32")):
                continue  # beyond what float16 holds
            if source.startswith("float"):
                # What lies outside of [0, 1] has no defined result without saturate.
                x = np.float32([0, 1, 0.5, 0.25, 0.1, 0.999, 0.003, 0.7]).astype(source)
                wide = np.float32([-0.3, 1.4, 2, -5, 0.2, 1, 0, 0.8]).astype(source)
                # float32 cannot hold the largest int32, which TensorFlow rounds down and Brio reaches.
                if target == "int32":
                    x, wide = x[2:], wide[4:5]
            else:
                info = np.iinfo(source)
                x = np.concatenate(
                    [np.array([info.min, info.max, 0, 1], source), c.integers(4, dtype=np.dtype(source).type)]
                )
                wide = x
            x, wide = x.reshape(2, -1, 1), wide.reshape(1, -1, 1)
            c.add(f"convert_image_dtype/{source}/{target}", lambda v: I.convert_image_dtype(v, target), x, to=target)
            c.add(
                f"convert_image_dtype/{source}/{target}/saturate",
                lambda v: I.convert_image_dtype(v, target, saturate=True),
                wide,
                to=target,
                saturate=True,
            )


def affine(c):
    def projective(x, rows, fill="CONSTANT", interpolation="BILINEAR", value=0.0):
        batch = x if len(x.shape) == 4 else x[None]
        y = tf.raw_ops.ImageProjectiveTransformV3(
            images=batch,
            transforms=tf.constant(np.reshape(rows, (-1, 8)), tf.float32),
            output_shape=batch.shape[1:3],
            fill_value=value,
            interpolation=interpolation,
            fill_mode=fill,
        )
        return y if len(x.shape) == 4 else y[0]

    def inverse(matrix):
        m = np.linalg.inv(matrix)
        return (m / m[2, 2]).ravel()[:8]

    def move(x, y):
        return np.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]])

    def steps(shape, scale=1, shear_x=0, shear_y=0, angle=0, right=0, down=0):
        height, width = shape[-3:-1]
        cx, cy = (width - 1) / 2, (height - 1) / 2
        turn = np.array([[np.cos(angle), np.sin(angle), 0], [-np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        shear = np.array([[1, np.tan(shear_x), 0], [np.tan(shear_y), 1, 0], [0, 0, 1]])
        return inverse(move(right, down) @ move(cx, cy) @ turn @ shear @ np.diag([scale, scale, 1]) @ move(-cx, -cy))

    def about(shape, sy, sx):
        height, width = shape[-3:-1]
        cx, cy = (width - 1) / 2, (height - 1) / 2
        return inverse(move(cx, cy) @ np.diag([1 / (1 + sx), 1 / (1 + sy), 1]) @ move(-cx, -cy))

    for shape, dtype in (((5, 4, 1), "float32"), ((2, 4, 5, 2), "float32"), ((4, 5, 1), "uint8")):
        for fill in ("CONSTANT", "REFLECT", "WRAP", "NEAREST"):
            for interpolation in ("BILINEAR", "NEAREST"):
                if dtype == "uint8" and fill != "REFLECT":
                    continue
                o = {"fill": fill, "interpolation": interpolation, "value": 0.25 if dtype == "float32" else 9.0}
                shown = {"fill": fill.lower(), "method": interpolation.lower(), "value": o["value"]}
                tag = f"{'x'.join(map(str, shape))}/{dtype}/{fill.lower()}/{interpolation.lower()}"
                x = c.floats(*shape) if dtype == "float32" else c.integers(*shape)
                for angle in (0.3, -1.1):
                    # TensorFlow's gradient is the inverse transform of the cotangent, which is not the derivative.
                    c.add(
                        f"rotate/{tag}/{angle}",
                        lambda x: projective(x, steps(shape, angle=angle), **o),
                        x,
                        angle=angle,
                        **shown,
                    )
                c.add(
                    f"translate/{tag}",
                    lambda x: projective(x, steps(shape, right=1.3, down=-0.6), **o),
                    x,
                    right=1.3,
                    down=-0.6,
                    **shown,
                )
                c.add(
                    f"zoom/{tag}",
                    lambda x: projective(x, about(shape, 0.37, -0.21), **o),
                    x,
                    height_factor=0.37,
                    width_factor=-0.21,
                    **shown,
                )
                every = {"scale": 1.3, "shear_x": 0.2, "shear_y": -0.15, "angle": 0.4, "right": 0.7, "down": -0.3}
                c.add(f"affine/{tag}", lambda x: projective(x, steps(shape, **every), **o), x, **every, **shown)
    # One amount for each picture.
    shape, o = (3, 4, 4, 1), {"fill": "constant", "method": "bilinear", "value": 0.0}
    x, angles = c.floats(*shape), np.float32([0.2, -0.7, 1.9])
    c.add(
        "rotate/each",
        lambda x: projective(x, [steps(shape, angle=a) for a in angles]),
        x,
        inputs={"angle": angles},
        **o,
    )
    ways = np.float32([[1, 0.3], [-0.4, 2], [0.1, -1.6]])
    c.add(
        "translate/each",
        lambda x: projective(x, [steps(shape, right=r, down=d) for r, d in ways]),
        x,
        inputs={"right": ways[:, 0].copy(), "down": ways[:, 1].copy()},
        **o,
    )
    factors = np.float32([[0.2, 0.3], [-0.4, 0.1], [0.15, -0.3]])
    c.add(
        "zoom/each",
        lambda x: projective(x, [about(shape, h, w) for h, w in factors]),
        x,
        inputs={"height_factor": factors[:, 0].copy(), "width_factor": factors[:, 1].copy()},
        **o,
    )

    # A box of its own for each picture is a crop that is resized.
    def resized(x, boxes, size, method):
        batch = x if len(x.shape) == 4 else x[None]
        boxes = np.broadcast_to(np.reshape(boxes, (-1, 4)), (batch.shape[0], 4))
        y = tf.stack([I.resize(I.crop_to_bounding_box(p, *map(int, b)), size, method) for p, b in zip(batch, boxes)])
        return y if len(x.shape) == 4 else y[0]

    for method in ("bilinear", "nearest"):
        for dtype in ("float32", "uint8"):
            for tag, shape, boxes, size in (
                ("one", (5, 6, 2), [1, 2, 3, 3], (4, 5)),
                ("whole", (4, 3, 1), [0, 0, 4, 3], (2, 5)),
                ("each", (3, 5, 5, 1), [[0, 0, 2, 5], [2, 1, 3, 1], [4, 4, 1, 1]], (3, 4)),
                ("same", (2, 4, 5, 1), [1, 1, 3, 3], (3, 3)),
            ):
                x = c.floats(*shape) if dtype == "float32" else c.integers(*shape)
                c.add(
                    f"resized_crop/{method}/{dtype}/{tag}",
                    lambda x: resized(x, boxes, size, method),
                    x,
                    gradient=method == "bilinear" and dtype == "float32",
                    inputs={"boxes": np.float32(boxes)},
                    height=size[0],
                    width=size[1],
                    method=method,
                )

    def cut(x, centres, mask, value):
        y = np.array(x)
        batch = y if y.ndim == 4 else y[None]
        for picture, (row, column) in zip(batch, np.broadcast_to(np.reshape(centres, (-1, 2)), (len(batch), 2))):
            top, left = row - mask[0] // 2, column - mask[1] // 2
            picture[max(0, top) : max(0, top + mask[0]), max(0, left) : max(0, left + mask[1])] = value
        return tf.constant(y)

    for tag, shape, centres in (
        ("one", (5, 6, 2), [2, 3]),
        ("edge", (4, 5, 1), [0, 4]),
        ("each", (3, 4, 5, 1), [[0, 0], [3, 1], [2, 4]]),
    ):
        for mask in ((2, 2), (1, 3), (4, 6), (3, 1)):
            for dtype in ("float32", "uint8"):
                x = c.floats(*shape) if dtype == "float32" else c.integers(*shape)
                value = 0.5 if dtype == "float32" else 127
                c.add(
                    f"cutout/{tag}/{mask[0]}x{mask[1]}/{dtype}",
                    lambda x: cut(x, centres, mask, value),
                    x,
                    inputs={"centres": np.int32(centres)},
                    mask_height=mask[0],
                    mask_width=mask[1],
                    value=value,
                )


def mixtures(c):
    L = keras.layers
    for tag, shape, classes in (("small", (3, 2, 3, 2), 4), ("one", (1, 3, 2, 1), 2), ("larger", (4, 5, 4, 1), 3)):
        n = shape[0]
        for dtype in ("float32", "uint8"):
            x = c.floats(*shape) if dtype == "float32" else c.integers(*shape)
            labels = np.eye(classes, dtype=np.float32)[c.rng.integers(0, classes, n)]
            order, weight = c.rng.permutation(n).astype(np.int32), c.floats(n)
            layer, how = L.MixUp(), {"mix_weight": tf.constant(weight), "permutation_order": tf.constant(order)}
            c.add(
                f"mixup/{tag}/{dtype}",
                lambda x: (layer.transform_images(x, how), layer.transform_labels(labels, how)),
                x,
                inputs={"labels": labels, "weights": weight, "order": order},
            )
            height, width = shape[1:3]
            low, high = c.floats(n, 2), c.floats(n, 2)
            low, high = np.minimum(low, high) * [height, width], np.maximum(low, high) * [height, width]
            boxes = np.concatenate([low, high], 1).astype(np.float32)  # top, left, bottom, right
            cut = L.CutMix()
            masks, kept = cut._generate_batch_mask(shape, tuple(tf.constant(boxes[:, i]) for i in (1, 3, 0, 2)))
            how_cut = {"batch_masks": masks, "mix_weight": kept, "permutation_order": tf.constant(order)}
            c.add(
                f"cutmix/{tag}/{dtype}",
                lambda x: (tf.cast(cut.transform_images(x, how_cut), x.dtype), cut.transform_labels(labels, how_cut)),
                x,
                inputs={"labels": labels, "boxes": boxes, "order": order},
            )


def files(case):
    result = []
    for make in (sizes, parts, colours, conversions, affine, mixtures):
        cases = Cases(case, make.__name__)
        make(cases)
        result += cases.files()
    return result
