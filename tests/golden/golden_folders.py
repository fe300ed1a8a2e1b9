"""Batches that Keras' image_dataset_from_directory makes of the photos in BRIO_DATA: tests/golden/folders.json.

Run by make_golden.py. Without the photos the file stays as it is.
"""

import os
import pathlib

import keras
import numpy as np

DATA = pathlib.Path(os.environ.get("BRIO_DATA", pathlib.Path(__file__).resolve().parents[2] / ".." / "shared" / "data"))
FOLDER = DATA / "clothing" / "validation"

CASES = [{"interpolation": method} for method in ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5")] + [
    {"crop_to_aspect_ratio": True},
    {"pad_to_aspect_ratio": True},
    {"color_mode": "grayscale"},
    {"label_mode": "categorical"},
    {"label_mode": None},
    {"class_names": ["hat", "dress"], "label_mode": "binary"},
    {"image_size": (300, 7)},
    {"image_size": (6, 9), "crop_to_aspect_ratio": True, "interpolation": "bicubic"},
]


def files(case):
    if not FOLDER.is_dir():
        print(f"golden_folders: {FOLDER} is not there; folders.json stays as it is")
        return
    cases = []
    for options in CASES:
        wanted = {"image_size": (8, 6), "batch_size": 3, "shuffle": False, "verbose": False, **options}
        batches = keras.utils.image_dataset_from_directory(str(FOLDER), **wanted)
        first = next(iter(batches))
        pictures, labels = first if isinstance(first, tuple) else (first, None)
        pixels = np.asarray(pictures)
        outputs = {"pixels": pixels.reshape(-1)[:: max(1, pixels.size // 150)]}
        if labels is not None:
            outputs["labels"] = np.asarray(labels, "float32").reshape(-1)
        cases.append(
            case(
                "/".join(f"{k}={v}" for k, v in options.items()),
                {"shape": np.int32(pixels.shape)},
                {k: " ".join(v) if k == "class_names" else str(v) for k, v in options.items()},
                outputs,
            )
        )
    for subset in ("training", "validation"):
        split = keras.utils.image_dataset_from_directory(
            str(FOLDER), image_size=(8, 6), batch_size=3, seed=7, validation_split=0.3, subset=subset, verbose=False
        )
        first = [os.path.relpath(path, FOLDER) for path in split.file_paths[:12]]
        cases.append(case(f"split/{subset}", {}, {"count": len(split.file_paths), "first": "\n".join(first)}, {}))
    yield "folders.json", cases
