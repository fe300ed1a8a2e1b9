"""keras.datasets.mnist: 70,000 handwritten digits of 28 × 28 pixels."""

import numpy as np

from brio.keras.datasets import _ADDRESS
from brio.keras.utils import get_file


def load_data(path="mnist.npz"):
    """(x_train, y_train), (x_test, y_test): uint8 arrays of shapes (60000, 28, 28) and (60000,),
    and 10,000 more to test with."""
    path = get_file(
        path, _ADDRESS + "mnist.npz", file_hash="731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1"
    )
    with np.load(path, allow_pickle=False) as file:
        return (file["x_train"], file["y_train"]), (file["x_test"], file["y_test"])
