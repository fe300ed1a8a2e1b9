"""keras.datasets.fashion_mnist: 70,000 pictures of clothes, of 28 × 28 pixels."""

import gzip
import os

import numpy as np

from brio.keras.datasets import _ADDRESS
from brio.keras.utils import get_file


def load_data():
    """(x_train, y_train), (x_test, y_test): uint8 arrays of shapes (60000, 28, 28) and (60000,),
    and 10,000 more to test with."""
    return _part("train"), _part("t10k")


def _part(name):
    labels = _numbers(f"{name}-labels-idx1-ubyte.gz", 8)
    return _numbers(f"{name}-images-idx3-ubyte.gz", 16).reshape(len(labels), 28, 28), labels


def _numbers(name, header):
    path = get_file(name, _ADDRESS + name, cache_subdir=os.path.join("datasets", "fashion-mnist"))
    with gzip.open(path, "rb") as file:
        return np.frombuffer(file.read(), np.uint8, offset=header)
