"""Stands in for the package tensorflow_datasets: load() of a few well-known datasets, small and random."""

import types

import numpy as np

import downloads

_PICTURES = {  # (shape, classes)
    "mnist": ((28, 28, 1), 10), "fashion_mnist": ((28, 28, 1), 10), "cifar10": ((32, 32, 3), 10),
    "cifar100": ((32, 32, 3), 100), "tf_flowers": ((240, 320, 3), 5), "caltech_birds2011": ((140, 160, 3), 200),
    "div2k": ((240, 320, 3), 2), "oxford_flowers102": ((96, 96, 3), 102), "cats_vs_dogs": ((110, 90, 3), 2),
    "stanford_dogs": ((100, 120, 3), 120), "stl10": ((96, 96, 3), 10), "horses_or_humans": ((300, 300, 3), 2),
    "omniglot": ((105, 105, 3), 1623), "svhn_cropped": ((32, 32, 3), 10), "beans": ((128, 128, 3), 3),
}  # fmt: skip
_COUNT = 96
__version__ = "4.9.9"


def load(name, split=None, as_supervised=False, with_info=False, batch_size=None, shuffle_files=False, **kwargs):
    """A dataset of a name, or of each split."""
    import tensorflow as tf

    base = name.split("/")[0].split(":")[0]
    columns, keys, classes = _columns(base, name)
    data = tf.data.Dataset.from_tensor_slices(tuple(columns[k] for k in keys) if as_supervised else columns)
    if batch_size:
        data = data.batch(_COUNT if batch_size == -1 else batch_size)
    if batch_size == -1:  # all of it, as tensors
        data = next(iter(data))
    names = ("trainA", "trainB", "testA", "testB") if base == "cycle_gan" else ("train", "test")
    parts = names if split is None else split
    made = (
        dict.fromkeys(parts, data)
        if split is None
        else [data for _ in parts]
        if isinstance(parts, (list, tuple))
        else data
    )
    return (made, _Info(columns, classes, keys)) if with_info else made


def _columns(base, name):
    numbers = np.random.default_rng(0)
    if base in _PICTURES:
        shape, classes = _PICTURES[base]
        pictures = numbers.integers(0, 256, (_COUNT, *shape), dtype=np.uint8)
        return {"image": pictures, "label": np.arange(_COUNT) % classes}, ("image", "label"), classes
    if base in ("imdb_reviews", "ag_news_subset", "glue"):
        return (
            {
                "text": np.array([downloads.sentence(30).encode() for _ in range(_COUNT)]),
                "label": np.arange(_COUNT) % 2,
            },
            ("text", "label"),
            2,
        )
    if base == "oxford_iiit_pet":
        masks = numbers.integers(1, 4, (_COUNT, 64, 64, 1), dtype=np.uint8)
        return (
            {
                "image": numbers.integers(0, 256, (_COUNT, 64, 64, 3), dtype=np.uint8),
                "segmentation_mask": masks,
                "label": np.arange(_COUNT) % 37,
            },
            ("image", "label"),
            37,
        )
    if base == "cycle_gan":
        return (
            {
                "image": numbers.integers(0, 256, (_COUNT, 256, 256, 3), dtype=np.uint8),
                "label": np.zeros(_COUNT, "int64"),
            },
            ("image", "label"),
            2,
        )
    if base == "iris":
        return (
            {"features": numbers.normal(size=(_COUNT, 4)).astype("float32"), "label": np.arange(_COUNT) % 3},
            ("features", "label"),
            3,
        )
    if base == "penguins":
        return (
            {"features": numbers.uniform(size=(_COUNT, 4)).astype("float32"), "species": np.arange(_COUNT) % 3},
            ("features", "species"),
            3,
        )
    if base == "wine_quality":
        names = (
            "fixed acidity",
            "volatile acidity",
            "citric acid",
            "residual sugar",
            "chlorides",
            "free sulfur dioxide",
            "total sulfur dioxide",
            "density",
            "pH",
            "sulphates",
            "alcohol",
        )
        features = {n: numbers.uniform(size=_COUNT).astype("float32") for n in names}
        return {"features": features, "quality": np.arange(_COUNT) % 10}, ("features", "quality"), 10
    if base == "movielens":
        texts = lambda n: np.array([str(i).encode() for i in numbers.integers(0, n, _COUNT)])
        return (
            {
                "user_id": texts(30),
                "movie_id": texts(40),
                "movie_title": texts(40),
                "user_rating": numbers.uniform(1, 5, _COUNT).astype("float32"),
            },
            ("user_id", "movie_id"),
            5,
        )
    raise FileNotFoundError(f"nothing stands in for the dataset {name}")


class Split:
    """The names of parts."""

    TRAIN, TEST, VALIDATION = "train", "test", "validation"


class _Info:
    """What programs ask of a dataset."""

    def __init__(self, columns, classes, keys):
        label = types.SimpleNamespace(
            num_classes=classes, int2str=lambda i: f"class {int(i)}", names=[f"class {i}" for i in range(classes)]
        )
        self.features = {
            **{k: types.SimpleNamespace(shape=getattr(v, "shape", ())[1:]) for k, v in columns.items()},
            keys[-1]: label,
            "label": label,
        }
        part = types.SimpleNamespace(num_examples=_COUNT)
        self.splits = {"train": part, "test": part, "validation": part}


def as_numpy(data):
    """Elements as NumPy arrays."""
    if hasattr(data, "as_numpy_iterator"):
        return data.as_numpy_iterator()
    return (
        type(data)(as_numpy(v) for v in data)
        if isinstance(data, (list, tuple))
        else {k: as_numpy(v) for k, v in data.items()}
        if isinstance(data, dict)
        else data.numpy()
    )


def disable_progress_bar():
    """There is none."""


def show_examples(*args, **kwargs):
    """Draws nothing."""


as_dataframe = show_examples
