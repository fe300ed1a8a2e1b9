"""What callbacks, and metrics and random numbers that are Python's, know in the midst of a run:
text for its checkpoint."""

import base64
import json

import numpy as np

from brio import _core

_NOT_KEPT = ("model", "params", "validation_data")


def save(callbacks):
    """The text for a list of callbacks."""
    from brio.keras import _checkpoint_callbacks

    model = callbacks.model
    return json.dumps({
        "callbacks": [_of_callback(c) for c in callbacks.callbacks],
        "generators": [g.state.numpy().tolist() for g in _checkpoint_callbacks._seed_generators(model)],
        "metrics": [[_plain(v.numpy()) for v in m.variables] for m in _python_metrics(model)],
    })  # fmt: skip


def load(callbacks, text):
    """Gives everything back."""
    from brio.keras import _checkpoint_callbacks

    state, model = json.loads(text), callbacks.model
    for callback, row in zip(callbacks.callbacks, state["callbacks"]):
        if hasattr(callback, "_set_run_state"):
            callback._set_run_state(row)
        else:
            callback.__dict__.update({k: _made(v) for k, v in row.items()})
    for generator, row in zip(_checkpoint_callbacks._seed_generators(model), state["generators"]):
        generator.state.assign(row)
    for metric, rows in zip(_python_metrics(model), state["metrics"]):
        for variable, row in zip(metric.variables, rows):
            variable.assign(_core.cast(_made(row), variable.dtype))


def _python_metrics(model):
    from brio.keras import metrics

    return [m for m in model.metrics if metrics._is_python(m)]


def _of_callback(callback):
    if hasattr(callback, "_run_state"):
        return callback._run_state()
    return {
        k: _plain(v)
        for k, v in callback.__dict__.items()
        if k not in _NOT_KEPT and not k.startswith("__") and _is_plain(v)
    }


def _is_plain(value):
    if value is None or isinstance(value, (bool, int, float, str, np.ndarray, np.generic)):
        return not isinstance(value, np.ndarray) or value.dtype.kind in "biufc"
    if isinstance(value, (list, tuple)):
        return all(_is_plain(v) for v in value)
    return isinstance(value, dict) and all(isinstance(k, str) and _is_plain(v) for k, v in value.items())


def _plain(value):
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
        return {"__array__": [array.dtype.str, list(array.shape), data, isinstance(value, np.generic)]}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return {k: _plain(v) for k, v in value.items()} if isinstance(value, dict) else value


def _made(value):
    if isinstance(value, list):
        return [_made(v) for v in value]
    if not isinstance(value, dict):
        return value
    if "__array__" not in value:
        return {k: _made(v) for k, v in value.items()}
    dtype, shape, data, is_number = value["__array__"]
    array = np.frombuffer(base64.b64decode(data), np.dtype(dtype)).reshape(shape)
    return array[()] if is_number else array.copy()
