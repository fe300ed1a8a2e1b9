"""Tables of houses: shuffled rows, and the prices that are to be found."""

import numpy as np

from brio.keras.datasets import _ADDRESS
from brio.keras.utils import get_file


def split(path, name, file_hash, test_split, seed, rows=None):
    """(x_train, y_train), (x_test, y_test) of an .npz file."""
    if not 0 <= test_split < 1:
        raise ValueError(f"load_data(): test_split is a share, 0 ≤ test_split < 1, but got {test_split}")
    with np.load(get_file(path, _ADDRESS + name, file_hash=file_hash), allow_pickle=False) as file:
        x, y = file["x"][:rows], file["y"][:rows]
    order = np.arange(len(x))
    np.random.RandomState(seed).shuffle(order)
    x, y, cut = x[order], y[order], int(len(x) * (1 - test_split))
    return (x[:cut].copy(), y[:cut].copy()), (x[cut:].copy(), y[cut:].copy())
