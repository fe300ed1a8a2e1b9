"""keras.applications.imagenet_utils: pictures as networks that were trained on ImageNet take them,
and what their outputs are called."""

import json

import numpy as np

from brio import _core
from brio.keras import backend
from brio.keras.utils import get_file

# What is subtracted from the channels, and by what they are divided; of "caffe" in the order blue, green, red.
_MEANS = {"caffe": (103.939, 116.779, 123.68), "torch": (0.485, 0.456, 0.406)}
_DEVIATIONS = {"torch": (0.229, 0.224, 0.225)}
_classes = None


def preprocess_input(x, data_format=None, mode="caffe"):
    """Pictures of 0 … 255 as a network wants them: "tf" -1 … 1, "torch" normalised, "caffe" blue first and centred."""
    if mode not in ("caffe", "tf", "torch"):
        raise ValueError(f"preprocess_input(): mode is 'caffe', 'tf' or 'torch', but got {mode!r}")
    data_format = data_format or backend.image_data_format()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(
            f"preprocess_input(): data_format is 'channels_first' or 'channels_last', but got {data_format!r}"
        )
    if isinstance(x, np.ndarray) and not issubclass(x.dtype.type, np.floating):
        x = x.astype(backend.floatx())
    elif not isinstance(x, (np.ndarray, _core.KerasTensor)):
        x = _core.convert_to_tensor(x)
        x = x if x.dtype.is_floating else _core.cast(x, backend.floatx())
    if mode == "tf":
        return _shifted(x, 127.5, None, 1.0)
    axis = -1 if data_format == "channels_last" else len(x.shape) - 3
    along = [1] * len(x.shape)
    along[axis] = 3
    if mode == "caffe":
        x = _blue_first(x, axis)
    mean = np.reshape(_MEANS[mode], along)
    return _shifted(
        x,
        255.0 if mode == "torch" else None,
        np.reshape(_DEVIATIONS[mode], along) if mode in _DEVIATIONS else None,
        mean,
    )


def _shifted(x, scale, deviation, mean):
    """(x / scale - mean) / deviation; arrays of floats are changed in place, as Keras does."""
    if isinstance(x, np.ndarray):
        if scale is not None:
            x /= scale
        x -= mean
        if deviation is not None:
            x /= deviation
        return x
    dtype = x.dtype
    constant = lambda numbers: _core.constant(np.asarray(numbers, "float32"), dtype)
    x = x if scale is None else x / scale
    x = x - (mean if isinstance(mean, float) else constant(mean))
    return x if deviation is None else x / constant(deviation)


def _blue_first(x, axis):
    if isinstance(x, np.ndarray):
        return np.flip(x, axis)
    from brio.keras import ops

    return ops.flip(x, axis=axis)


def decode_predictions(preds, top=5):
    """For each row of 1,000 probabilities the `top` largest, as (number of WordNet, name, probability)."""
    global _classes
    if len(preds.shape) != 2 or preds.shape[1] != 1000:
        raise ValueError(f"decode_predictions() takes predictions of shape (n, 1000), but got {tuple(preds.shape)}")
    if _classes is None:
        address = "https://storage.googleapis.com/download.tensorflow.org/data/imagenet_class_index.json"
        with open(
            get_file(
                "imagenet_class_index.json",
                address,
                cache_subdir="models",
                file_hash="c2c37ea517e94d9795004a39431a14cb",
            ),
            encoding="utf-8",
        ) as file:
            _classes = json.load(file)
    rows = np.asarray(preds)
    return [[(*_classes[str(i)], row[i]) for i in row.argsort()[::-1][:top]] for row in rows]
