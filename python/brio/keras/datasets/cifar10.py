"""keras.datasets.cifar10: 60,000 pictures of 10 classes, of 32 × 32 pixels."""

import os

import numpy as np

from brio.keras.datasets import _cifar


def load_data():
    """(x_train, y_train), (x_test, y_test): uint8 arrays of shapes (50000, 32, 32, 3) and (50000, 1),
    and 10,000 more to test with."""
    checksum = "6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce"
    folder = _cifar.folder("cifar-10-batches-py-target", "cifar-10-python.tar.gz", "cifar-10-batches-py", checksum)
    parts = [_cifar.batch(os.path.join(folder, f"data_batch_{i}"), b"labels") for i in range(1, 6)]
    train = tuple(np.concatenate(arrays) for arrays in zip(*parts))
    return train, _cifar.batch(os.path.join(folder, "test_batch"), b"labels")
