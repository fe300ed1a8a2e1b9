"""Reads the pickled files of CIFAR: pictures of 32 × 32 pixels."""

import os

from brio.keras import backend
from brio.keras.datasets import _pickles
from brio.keras.utils import get_file


def folder(target, archive, inside, file_hash):
    """The folder of the extracted archive."""
    path = get_file(target, f"https://www.cs.toronto.edu/~kriz/{archive}", extract=True, file_hash=file_hash)
    return os.path.join(path, inside)


def batch(path, labels):
    """(pictures, labels) of one file, as uint8 arrays of shapes (n, 32, 32, 3) and (n, 1)."""
    import numpy as np

    with open(path, "rb") as file:
        found = _pickles.load(file)
    pictures = np.reshape(found[b"data"], (-1, 3, 32, 32))
    if backend.image_data_format() == "channels_last":
        pictures = pictures.transpose(0, 2, 3, 1)
    return pictures, np.reshape(np.asarray(found[labels], "uint8"), (-1, 1))
