"""keras.utils."""

from brio import _core

Variable = _core.Variable


def set_random_seed(seed):
    """Seeds Python's, NumPy's and Brio's random numbers."""
    import random

    import numpy as np

    random.seed(seed)
    np.random.seed(seed % (1 << 32))
    _core._set_random_seed(seed)


def clear_session(free_memory=True):
    _core._reset_unique_names()


def to_categorical(x, num_classes=None):
    """Class numbers as one-hot rows."""
    import numpy as np

    x = np.asarray(x, dtype="int64")
    shape = x.shape[:-1] if x.ndim > 1 and x.shape[-1] == 1 else x.shape
    flat = x.reshape(-1)
    num_classes = num_classes or (int(flat.max()) + 1 if flat.size else 0)
    rows = np.zeros((flat.size, num_classes))
    rows[np.arange(flat.size), flat] = 1
    return rows.reshape(shape + (num_classes,))


def normalize(x, axis=-1, order=2):
    import numpy as np

    length = np.atleast_1d(np.linalg.norm(x, order, axis))
    length[length == 0] = 1
    return x / np.expand_dims(length, axis)


def __getattr__(name):
    if name in ("image_dataset_from_directory", "text_dataset_from_directory", "timeseries_dataset_from_array"):
        from brio.data import _readers

        return getattr(_readers, name)
    if name in ("PyDataset", "Sequence"):
        from brio.keras import _py_dataset

        return getattr(_py_dataset, name)
    if name.startswith("__"):
        raise AttributeError(name)
    from brio._missing import explain

    raise AttributeError(explain(__name__, name))
