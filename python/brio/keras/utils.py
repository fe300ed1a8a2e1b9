"""keras.utils."""

from brio import _core


class _Variables(type):
    """Every variable is one of Keras'."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, _core.Variable)

    def __subclasscheck__(cls, other):
        return issubclass(other, _core.Variable)


class Variable(metaclass=_Variables):
    """keras.Variable(initializer, shape, dtype, ...):
    a tf.Variable of a value, or of what an initializer gives for a shape."""

    _makes = _core.Variable

    def __new__(
        cls,
        initializer,
        shape=None,
        dtype=None,
        trainable=True,
        autocast=True,
        aggregation="none",
        synchronization="auto",
        name=None,
        **kwargs,
    ):
        if isinstance(initializer, str):
            from brio.keras import initializers

            initializer = initializers.get(initializer)
        dtype = _named(dtype)
        if callable(initializer) and not _core.is_tensor(initializer):
            if shape is None:
                raise ValueError("keras.Variable: an initializer needs the shape of the variable; give shape=")
            dtype = dtype or _floatx()
            value = initializer(shape, dtype=dtype)
        else:
            value = _core.convert_to_tensor(initializer, dtype)
            if dtype is None and not hasattr(initializer, "dtype") and value.dtype.is_floating:
                value = _core.cast(value, _floatx())
        return _core.Variable(value, trainable=trainable, name=name, dtype=dtype, constraint=kwargs.get("constraint"))


def _named(dtype):
    """The name of a dtype, also of "int" and int."""
    from brio.keras.backend import standardize_dtype

    return None if dtype is None else standardize_dtype(dtype)


def _floatx():
    from brio.keras.config import floatx

    return floatx()


def standardize_dtype(dtype):
    """The name of a dtype; of None that of floats.

    >>> keras.utils.standardize_dtype(tf.int32), keras.utils.standardize_dtype(None)
    ('int32', 'float32')
    """
    return _floatx() if dtype is None else _named(dtype)


def set_random_seed(seed):
    """Seeds Python's, NumPy's and Brio's random numbers."""
    import random

    import numpy as np

    random.seed(seed)
    np.random.seed(seed % (1 << 32))
    _core._set_random_seed(seed)


def clear_session(free_memory=True):
    """Names of layers count from the beginning again."""
    _core._reset_unique_names()


def to_categorical(x, num_classes=None):
    """Class numbers as one-hot rows."""
    import numpy as np

    of_tensor = isinstance(x, (_core.Tensor, _core.Variable))
    x = np.asarray(x.numpy() if of_tensor else x).astype("int64")
    shape = x.shape[:-1] if x.ndim > 1 and x.shape[-1] == 1 else x.shape
    flat = x.reshape(-1)
    num_classes = num_classes or (int(flat.max()) + 1 if flat.size else 0)
    rows = np.zeros((flat.size, num_classes))
    if not of_tensor:
        rows[np.arange(flat.size), flat] = 1
        return rows.reshape(shape + (num_classes,))
    known = (flat >= 0) & (flat < num_classes)  # of a tensor, what is no class has none
    rows[np.arange(flat.size)[known], flat[known]] = 1
    return _core.constant(rows.reshape(shape + (num_classes,)), "float32")


def normalize(x, axis: "int | None" = -1, order=2):
    """Rows of length 1."""
    import numpy as np

    if not isinstance(x, np.ndarray):
        from brio.keras import ops

        return ops.normalize(x, axis=axis, order=order)
    length = np.atleast_1d(np.linalg.norm(x, order, axis))
    length[length == 0] = 1
    return x / np.expand_dims(length, -1 if axis is None else axis)


def pad_sequences(sequences, maxlen=None, dtype="int32", padding="pre", truncating="pre", value=0.0):
    """Lists of different lengths as the rows of one array."""
    import numpy as np

    for what, given in (("padding", padding), ("truncating", truncating)):
        if given not in ("pre", "post"):
            raise ValueError(f"pad_sequences: {what} is {given!r}; it is 'pre' or 'post'")
    if not hasattr(sequences, "__len__") or not all(hasattr(s, "__len__") for s in sequences):
        raise ValueError("pad_sequences takes a list of lists")
    maxlen = max((len(s) for s in sequences), default=0) if maxlen is None else maxlen
    inner = next((np.asarray(s).shape[1:] for s in sequences if len(s)), ())
    rows = np.full((len(sequences), maxlen, *inner), value, dtype=object if dtype in (object, str) else dtype)
    for row, sequence in zip(rows, sequences):
        if not len(sequence) or not maxlen:
            continue
        part = sequence[-maxlen:] if truncating == "pre" else sequence[:maxlen]
        if padding == "post":
            row[: len(part)] = part
        else:
            row[-len(part) :] = part
    return rows


def get_uid(prefix=""):
    """How often this was asked for a prefix."""
    _uids[prefix] = _uids.get(prefix, 0) + 1
    return _uids[prefix]


_uids = {}


class Progbar:
    """A bar on the terminal for loops of one's own."""

    def __init__(self, target, width=20, verbose=1, interval=0.05, stateful_metrics=None, unit_name="step"):
        import time

        self.target, self.width, self.verbose, self.interval, self.unit_name = (
            target,
            width,
            verbose,
            interval,
            unit_name,
        )
        self.stateful_metrics, self._sums, self._seen = set(stateful_metrics or ()), {}, 0
        self._start, self._shown = time.monotonic(), 0.0

    def update(self, current, values=None, finalize=None):
        """Draws the bar at this step, with values of metrics."""
        import sys
        import time

        for name, value in values or []:
            if name in self.stateful_metrics:
                self._sums[name] = (float(value), 1)
            else:
                total, n = self._sums.get(name, (0.0, 0))
                steps = max(current - self._seen, 1)
                self._sums[name] = (total + float(value) * steps, n + steps)
        self._seen = current
        finalize = current >= self.target if finalize is None and self.target else bool(finalize)
        now = time.monotonic()
        if not self.verbose or (now - self._shown < self.interval and not finalize):
            return
        self._shown = now
        share = min(current / self.target, 1.0) if self.target else 0.0
        bar = "\u2501" * int(self.width * share) + " " * (self.width - int(self.width * share)) if self.target else ""
        numbers = " - ".join(f"{name}: {total / max(n, 1):.4f}" for name, (total, n) in self._sums.items())
        each = (now - self._start) / max(current, 1) * 1000
        text = f"{current}/{self.target or 'Unknown'} {bar} {each:.0f}ms/{self.unit_name}" + (
            f" - {numbers}" if numbers else ""
        )
        sys.stdout.write(("\r" if self.verbose == 1 else "") + text + ("\n" if finalize else ""))
        sys.stdout.flush()

    def add(self, n, values=None):
        """Moves the bar on by n steps."""
        self.update(self._seen + n, values)


def is_interactive_logging_enabled():
    """True."""
    return True


def disable_interactive_logging():
    """Taken: fit(verbose=...) says what is written."""


def enable_interactive_logging():
    """Taken: fit(verbose=...) says what is written."""


def is_keras_tensor(x):
    """Is this a symbol of a functional model?"""
    return isinstance(x, _core.KerasTensor)


def get_source_inputs(tensor):
    """The symbols that a symbol depends on."""
    return [symbol for _, symbol in _core._inputs_of([tensor])]


def split_dataset(dataset, left_size=None, right_size=None, shuffle=False, seed=None):
    """Two datasets: so many elements, or such a share of them, and the rest."""
    from brio import data

    if not isinstance(dataset, data.Dataset):
        dataset = data.Dataset.from_tensor_slices(dataset)
    n = int(dataset.cardinality())
    if n < 0:
        n = sum(1 for _ in dataset)
    if shuffle:
        dataset = dataset.shuffle(max(n, 1), seed=seed, reshuffle_each_iteration=False)
    count = lambda size: size if size is None or isinstance(size, int) else round(size * n)
    left, right = count(left_size), count(right_size)
    if left is None and right is None:
        raise ValueError("split_dataset needs left_size or right_size")
    left = n - right if left is None else left
    right = n - left if right is None else right
    return dataset.take(left), dataset.skip(left).take(right)


_ELSEWHERE = {
    "audio_dataset_from_directory": "brio.keras._audio_files",
    **dict.fromkeys(
        ("image_dataset_from_directory", "text_dataset_from_directory", "timeseries_dataset_from_array"),
        "brio.data._readers",
    ),
    "get_file": "brio.keras._download",
    **dict.fromkeys(("plot_model", "model_to_dot"), "brio.keras._drawing"),
    "Config": "brio.keras._config_object",
    "FeatureSpace": "brio.keras._feature_space",
    **dict.fromkeys(("PyDataset", "Sequence"), "brio.keras._py_dataset"),
    **dict.fromkeys(("pack_x_y_sample_weight", "unpack_x_y_sample_weight"), "brio.keras._batches"),
    **dict.fromkeys(("load_img", "img_to_array", "array_to_img", "save_img"), "brio.keras._pictures"),
    **dict.fromkeys(
        (
            "CustomObjectScope",
            "custom_object_scope",
            "deserialize_keras_object",
            "get_custom_objects",
            "get_registered_name",
            "get_registered_object",
            "register_keras_serializable",
            "serialize_keras_object",
        ),
        "brio.keras.saving",
    ),
}


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    if name == "bounding_boxes":
        from brio.keras import _bounding_boxes

        return _bounding_boxes
    if name in _ELSEWHERE:
        import importlib

        return getattr(importlib.import_module(_ELSEWHERE[name]), name)
    if name.startswith("__"):
        raise AttributeError(name)
    from brio._missing import explain

    raise AttributeError(explain(__name__, name))


def __dir__():
    return sorted({*globals(), *_ELSEWHERE, "bounding_boxes"})
