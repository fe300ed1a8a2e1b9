"""Makes training short: few batches of few epochs, weights that need no download."""

import functools
import inspect

_EPOCHS, _BATCHES = 2, 3


def shorten(keras):
    """Wraps fit, evaluate and predict of all models, and the makers of keras.applications."""
    for name in ("fit", "evaluate", "predict"):
        setattr(keras.Model, name, _short(getattr(keras.Model, name)))


def without_downloads(maker):
    """A maker of keras.applications whose weights are random."""

    @functools.wraps(maker)
    def made(*args, **kwargs):
        given = inspect.signature(maker).bind(*args, **kwargs)
        given.apply_defaults()
        if given.arguments.get("weights") == "imagenet":
            given.arguments["weights"] = None
        return maker(*given.args, **given.kwargs)

    return made


def _short(method):
    @functools.wraps(method)
    def short(self, *args, **kwargs):
        given = inspect.signature(method).bind(self, *args, **kwargs)
        values = given.arguments
        if values.get("epochs", 1) > _EPOCHS:
            values["epochs"] = values.get("initial_epoch", 0) + _EPOCHS
        rows = _BATCHES * (values.get("batch_size") or 32)
        split = values.get("validation_split") or 0
        if method.__name__ != "predict":  # whose results programs put beside their data
            for name in ("x", "y", "sample_weight"):
                if values.get(name) is not None:
                    values[name] = _first(values[name], int(rows / (1 - split)) if split else rows)
            if isinstance(values.get("validation_data"), tuple):
                values["validation_data"] = tuple(_first(v, rows) for v in values["validation_data"])
            elif values.get("validation_data") is not None:
                values["validation_data"] = _first(values["validation_data"], rows)
            for name in ("steps", "steps_per_epoch", "validation_steps"):
                if values.get(name):
                    values[name] = min(values[name], _BATCHES)
        return method(*given.args, **given.kwargs)

    return short


def _first(data, rows):
    """The first rows of arrays, the first batches of a dataset."""
    if isinstance(data, dict):
        return {k: _first(v, rows) for k, v in data.items()}
    if isinstance(data, (list, tuple)) and data and hasattr(data[0], "shape") and getattr(data[0], "shape", None):
        return type(data)(_first(v, rows) for v in data)
    if hasattr(data, "take") and hasattr(data, "element_spec"):
        return data.take(_BATCHES)
    if hasattr(data, "shape") and len(data.shape) and data.shape[0] and data.shape[0] > rows:
        return data[:rows]
    return data
