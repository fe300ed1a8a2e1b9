"""keras.datasets.boston_housing: 506 suburbs of Boston in 13 numbers, and what houses cost there."""

from brio.keras.datasets import _houses


def load_data(path="boston_housing.npz", test_split=0.2, seed=113):
    """(x_train, y_train), (x_test, y_test)."""
    checksum = "f553886a1f8d56431e820c5b82552d9d95cfcb96d1e678153f8839538947dff5"
    return _houses.split(path, "boston_housing.npz", checksum, test_split, seed)
