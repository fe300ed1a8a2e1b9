"""Golden values of layers that prepare pictures. Those that draw are given ranges of one value.
See golden_layers.py."""

import keras
import numpy as np

from golden_layers import Cases


def images(c):
    L = keras.layers
    x = c.numbers(2, 5, 4, 2)
    for interpolation in ("nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"):
        for height, width in ((3, 2), (7, 9), (5, 8)):
            if interpolation.startswith("lanczos") and (height, width) == (5, 8):
                continue
            # Keras' bicubic and lanczos kernels read tables of 1024 steps, which is some 1e-3 off the formulas.
            loose = interpolation not in ("nearest", "bilinear")
            c.layer(
                f"resizing/{interpolation}/{height}x{width}",
                L.Resizing(height, width, interpolation),
                x,
                tolerance=2e-3 if loose else None,
                gradients=not loose,
            )
    for interpolation in ("bilinear", "bicubic"):
        c.layer(
            f"resizing/{interpolation}/antialias",
            L.Resizing(3, 2, interpolation, antialias=True),
            c.numbers(1, 7, 6, 1),
            gradients=interpolation == "bilinear",
        )
    c.layer("resizing/crop", L.Resizing(3, 4, crop_to_aspect_ratio=True), c.numbers(1, 6, 5, 2))
    c.layer("resizing/pad", L.Resizing(4, 3, pad_to_aspect_ratio=True, fill_value=0.5), c.numbers(1, 4, 7, 1))
    c.layer("resizing/float64", L.Resizing(3, 6, dtype="float64"), x.astype(np.float64))
    c.layer("center_crop", L.CenterCrop(3, 2), x)
    c.layer("center_crop/odd", L.CenterCrop(2, 3), x)
    c.layer("center_crop/enlarged", L.CenterCrop(6, 7), x)
    for name, make in (
        ("random_flip", L.RandomFlip()),
        ("random_rotation", L.RandomRotation(0.2)),
        ("random_zoom", L.RandomZoom(0.2)),
        ("random_translation", L.RandomTranslation(0.2, 0.3)),
        ("random_brightness", L.RandomBrightness(0.2)),
        ("random_contrast", L.RandomContrast(0.2)),
        ("random_crop", L.RandomCrop(3, 2)),
    ):
        c.layer(f"{name}/inference", make, x)
    for fill in ("constant", "reflect", "wrap", "nearest"):
        for interpolation in ("bilinear", "nearest"):
            o = {"fill_mode": fill, "interpolation": interpolation, "fill_value": 0.25}
            tag = f"{fill}/{interpolation}"
            flat = {"training": True, "gradients": False}
            # 0.1 of a turn leaves no coordinate on an edge between two pixels.
            c.layer(f"random_rotation/{tag}", L.RandomRotation((0.1, 0.1), **o), x, **flat)
            c.layer(f"random_zoom/{tag}", L.RandomZoom((0.37, 0.37), (-0.21, -0.21), **o), x, **flat)
            c.layer(f"random_translation/{tag}", L.RandomTranslation((0.53, 0.53), (-0.41, -0.41), **o), x, **flat)
    c.layer("random_crop/enlarged", L.RandomCrop(7, 6), x, training=True, gradients=False)
    c.layer("random_crop/one_side", L.RandomCrop(3, 6), x, training=True, gradients=False)
    c.layer("random_zoom/one_factor", L.RandomZoom((0.37, 0.37)), x, training=True, gradients=False)
    y = c.numbers(2, 3, 3, 2, low=0, high=255)
    c.layer("random_brightness", L.RandomBrightness((0.3, 0.3)), y, training=True, gradients=False)
    c.layer(
        "random_brightness/range",
        L.RandomBrightness((-0.3, -0.3), value_range=(0, 1)),
        c.numbers(1, 3, 3, 1, low=0),
        training=True,
        gradients=False,
    )


def files(case):
    collected = Cases(case, "layers_images")
    images(collected)
    return collected.files()
