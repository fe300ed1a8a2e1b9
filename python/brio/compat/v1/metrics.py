"""tf.compat.v1.metrics: pairs of a value and of an operation that adds a batch to it. They count in local variables."""

import numpy as np

from brio import _core, _missing
from brio._graph import core, wrap
from brio._graph.variables import GraphKeys, Variable
from brio.compat._variables import variable_scope

__getattr__ = _missing.attribute_error_of(__name__)


def _op(kind, function, *args):
    return wrap.call(core.building(), function, kind, args, {})


def _local(name, shape=(), dtype="float32"):
    graph = core.building()
    size = list(shape)
    zeros = wrap.call(graph, lambda: _core.zeros(size, dtype), "zeros", (), {})
    return Variable(
        zeros, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES], name=name
    )


def _collected(value, update, metrics_collections, updates_collections):
    graph = core.building()
    if metrics_collections:
        graph.add_to_collections(metrics_collections, value)
    if updates_collections:
        graph.add_to_collections(updates_collections, update)
    return value, update


def _safe(a, b):
    return _core._math.divide_no_nan(a, b)


def _weighted(values, weights):
    """The sum of values and that of their weights."""
    values = _core.cast(values, "float32")
    if weights is None:
        return _core.reduce_sum(values), _core.cast(_core.size(values), "float32")
    weights = _core.cast(weights, "float32")
    while weights.shape.rank and weights.shape.rank < values.shape.rank:
        weights = _core.expand_dims(weights, -1)
    weights = _core.broadcast_to(weights, values.shape)
    return _core.reduce_sum(values * weights), _core.reduce_sum(weights)


def _averaged(name, function, args, weights, metrics_collections, updates_collections, root=False):
    """The mean of function(*args) over all batches."""
    finish = (lambda t, n: _core.sqrt(_safe(t, n))) if root else _safe
    with variable_scope(None, default_name=name):
        total, count = _local("total"), _local("count")

        def batch(weights, *given):
            added = _weighted(function(*given), weights)
            return [_core.cast(a, "float32") for a in added]

        added, counted = _op("batch", batch, weights, *args)
        value = _op("value", finish, total, count)
        update = _op("update_op", finish, total.assign_add(added), count.assign_add(counted))
    return _collected(value, update, metrics_collections, updates_collections)


def mean(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of values."""
    return _averaged(name or "mean", lambda v: v, (values,), weights, metrics_collections, updates_collections)


def accuracy(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How often predictions are the labels."""

    def same(labels, predictions):
        labels, predictions = _core.convert_to_tensor(labels), _core.convert_to_tensor(predictions)
        if labels.shape.rank == predictions.shape.rank + 1:
            labels = _core.squeeze(labels, -1)
        elif predictions.shape.rank == labels.shape.rank + 1:
            predictions = _core.squeeze(predictions, -1)
        return _core.cast(_core.equal(_core.cast(predictions, labels.dtype), labels), "float32")

    return _averaged(name or "accuracy", same, (labels, predictions), weights, metrics_collections, updates_collections)


def _errors(name, of_error, labels, predictions, weights, collections, root=False):
    """The mean of a function of predictions - labels over all batches."""
    error = lambda y, p: of_error(_core.cast(p, "float32") - _core.cast(y, "float32"))
    return _averaged(name, error, (labels, predictions), weights, *collections, root)


def mean_squared_error(
    labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The mean of squared errors."""
    collections = metrics_collections, updates_collections
    return _errors(name or "mean_squared_error", _core.square, labels, predictions, weights, collections)


def root_mean_squared_error(
    labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The root of the mean of squared errors."""
    collections = metrics_collections, updates_collections
    return _errors(
        name or "root_mean_squared_error", _core.square, labels, predictions, weights, collections, root=True
    )


def mean_absolute_error(
    labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The mean of the sizes of errors."""
    collections = metrics_collections, updates_collections
    return _errors(name or "mean_absolute_error", _core.abs, labels, predictions, weights, collections)


def mean_relative_error(
    labels, predictions, normalizer, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The mean of the sizes of errors, each divided by a number."""
    error = lambda y, p, n: _core.where(_core.equal(n, 0.0), _core.zeros_like(y), _safe(_core.abs(y - p), n))
    return _averaged(
        name or "mean_relative_error",
        error,
        (labels, predictions, normalizer),
        weights,
        metrics_collections,
        updates_collections,
    )


def percentage_below(values, threshold, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The share of values below a number."""
    return _averaged(
        name or "percentage_below_threshold",
        lambda v: _core.cast(v < threshold, "float32"),
        (values,),
        weights,
        metrics_collections,
        updates_collections,
    )


def _counts(name, labels, predictions, weights, wanted, finish, metrics_collections, updates_collections):
    """Of true and false positives and negatives: those that are wanted, and a function of them."""
    with variable_scope(None, default_name=name):
        cells = [_local(w) for w in wanted]

        def batch(labels, predictions, weights):
            y, p = _core.cast(labels, "bool"), _core.cast(predictions, "bool")
            masks = {
                "true_positives": lambda: y & p,
                "false_positives": lambda: ~y & p,
                "false_negatives": lambda: y & ~p,
                "true_negatives": lambda: ~y & ~p,
            }
            return [_weighted(masks[w](), weights)[0] for w in wanted]

        added = _op("batch", batch, labels, predictions, weights)
        value = _op("value", finish, *cells)
        update = _op("update_op", finish, *[c.assign_add(a) for c, a in zip(cells, added)])
    return _collected(value, update, metrics_collections, updates_collections)


def true_positives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How many are true and predicted."""
    return _counts(
        name or "true_positives",
        labels,
        predictions,
        weights,
        ["true_positives"],
        lambda a: a + 0.0,
        metrics_collections,
        updates_collections,
    )


def false_positives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How many are predicted and not true."""
    return _counts(
        name or "false_positives",
        labels,
        predictions,
        weights,
        ["false_positives"],
        lambda a: a + 0.0,
        metrics_collections,
        updates_collections,
    )


def false_negatives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How many are true and not predicted."""
    return _counts(
        name or "false_negatives",
        labels,
        predictions,
        weights,
        ["false_negatives"],
        lambda a: a + 0.0,
        metrics_collections,
        updates_collections,
    )


def true_negatives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How many are neither true nor predicted."""
    return _counts(
        name or "true_negatives",
        labels,
        predictions,
        weights,
        ["true_negatives"],
        lambda a: a + 0.0,
        metrics_collections,
        updates_collections,
    )


def _share(counted, others):
    return _safe(counted, counted + others)


def precision(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How many of the predicted ones are true."""
    wanted = ["true_positives", "false_positives"]
    return _counts(
        name or "precision", labels, predictions, weights, wanted, _share, metrics_collections, updates_collections
    )


def recall(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How many of the true ones are predicted."""
    wanted = ["true_positives", "false_negatives"]
    return _counts(
        name or "recall", labels, predictions, weights, wanted, _share, metrics_collections, updates_collections
    )


# How high a step of a curve is, between its two ends.
_HEIGHTS = {
    "trapezoidal": lambda a, b: (a + b) / 2.0,
    "careful_interpolation": lambda a, b: (a + b) / 2.0,
    "minoring": _core.minimum,
    "majoring": _core.maximum,
}


def auc(labels, predictions, weights=None, num_thresholds=200, metrics_collections=None, updates_collections=None,
        curve="ROC", name=None, summation_method="trapezoidal", thresholds=None):  # fmt: skip
    """The area under the curve of true and false positives ("ROC"), or of precision and recall ("PR"),
    by steps between thresholds."""
    if curve not in ("ROC", "PR"):
        raise ValueError(f"Curve must be either ROC or PR. Curve {curve} is unknown.")
    if summation_method not in _HEIGHTS:
        raise ValueError(f"[metrics.auc] summation_method must be one of {list(_HEIGHTS)}, but is {summation_method!r}")
    if thresholds is None:
        thresholds = [-1e-7, *(np.arange(1, num_thresholds - 1) / (num_thresholds - 1)), 1.0 + 1e-7]
    else:
        thresholds = [-1e-7, *sorted(thresholds), 1.0 + 1e-7]
    n = len(thresholds)

    def batch(labels, predictions, weights):
        y = _core.reshape(_core.cast(labels, "bool"), [1, -1])
        p = _core.reshape(_core.cast(predictions, "float32"), [1, -1]) > _core.reshape(
            _core.constant(thresholds, "float32"), [-1, 1]
        )
        w = (
            _core.ones_like(_core.cast(y, "float32"))
            if weights is None
            else _core.reshape(_core.broadcast_to(_core.cast(weights, "float32"), labels.shape), [1, -1])
        )
        return [_core.reduce_sum(_core.cast(m, "float32") * w, 1) for m in (y & p, ~y & p, y & ~p, ~y & ~p)]

    def finish(tp, fp, fn, tn):
        if curve == "PR" and summation_method == "careful_interpolation":
            return _interpolated_precision(tp, fp, fn)
        found = (tp + _TINY) / (tp + fn + _TINY)
        x, y = (fp / (fp + tn + _TINY), found) if curve == "ROC" else (found, (tp + _TINY) / (tp + fp + _TINY))
        return _core.reduce_sum((x[:-1] - x[1:]) * _HEIGHTS[summation_method](y[:-1], y[1:]))

    with variable_scope(None, default_name=name or "auc"):
        cells = [_local(w, (n,)) for w in ("true_positives", "false_positives", "false_negatives", "true_negatives")]
        added = _op("batch", batch, wrap.convert(labels), wrap.convert(predictions), weights)
        value = _op("value", finish, *cells)
        update = _op("update_op", finish, *[c.assign_add(a) for c, a in zip(cells, added)])
    return _collected(value, update, metrics_collections, updates_collections)


_TINY = 1e-6  # TensorFlow's, against divisions by 0


def _interpolated_precision(tp, fp, fn):
    """The area under precision and recall where true and predicted positives, not their ratio,
    change evenly between thresholds."""
    predicted = tp + fp
    gained, step = tp[:-1] - tp[1:], predicted[:-1] - predicted[1:]
    slope = _safe(gained, _core.maximum(step, 0.0))
    start = tp[1:] - slope * predicted[1:]
    ratio = _core.where(
        (predicted[:-1] > 0) & (predicted[1:] > 0), _safe(predicted[:-1], predicted[1:]), _core.ones_like(step)
    )
    return _core.reduce_sum(_safe(slope * (gained + start * _core._math.log(ratio)), tp[1:] + fn[1:]))
