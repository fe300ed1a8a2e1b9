"""keras.datasets.cifar100: 60,000 pictures of 100 classes in 20 groups, of 32 × 32 pixels."""

import os

from brio.keras.datasets import _cifar


def load_data(label_mode="fine"):
    """(x_train, y_train), (x_test, y_test): uint8 arrays of shapes (50000, 32, 32, 3) and (50000, 1),
    and 10,000 more to test with."""
    if label_mode not in ("fine", "coarse"):
        raise ValueError(f"cifar100.load_data(): label_mode is 'fine' or 'coarse', but got {label_mode!r}")
    checksum = "85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7"
    folder = _cifar.folder("cifar-100-python-target", "cifar-100-python.tar.gz", "cifar-100-python", checksum)
    labels = f"{label_mode}_labels".encode()
    return tuple(_cifar.batch(os.path.join(folder, part), labels) for part in ("train", "test"))
