"""keras.datasets.california_housing: 20,640 districts of California in 8 numbers, and what houses cost there."""

from brio.keras.datasets import _houses


def load_data(version="large", path="california_housing.npz", test_split=0.2, seed=113):
    """(x_train, y_train), (x_test, y_test); version="small" has 600 districts."""
    if version not in ("small", "large"):
        raise ValueError(f"california_housing.load_data(): version is 'small' or 'large', but got {version!r}")
    checksum = "1a2e3a52e0398de6463aebe6f4a8da34fb21fbb6b934cf88c3425e766f2a1a6f"
    return _houses.split(
        path, "california_housing.npz", checksum, test_split, seed, 600 if version == "small" else None
    )
