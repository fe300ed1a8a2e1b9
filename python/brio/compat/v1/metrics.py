"""tf.compat.v1.metrics: pairs of a value and of an operation that adds a batch to it. They count in local variables."""

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
    return Variable(zeros, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES], name=name)


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
        return _core.reduce_sum(values), float(values.shape.num_elements())
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


def mean_squared_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of squared errors."""
    return _averaged(
        name or "mean_squared_error",
        lambda a,
        b: _core.square(_core.cast(b, "float32") - _core.cast(a, "float32")),
        (labels, predictions),
        weights,
        metrics_collections,
        updates_collections,
    )


def root_mean_squared_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The root of the mean of squared errors."""
    return _averaged(
        name or "root_mean_squared_error",
        lambda a,
        b: _core.square(_core.cast(b, "float32") - _core.cast(a, "float32")),
        (labels, predictions),
        weights,
        metrics_collections,
        updates_collections,
        True,
    )


def mean_absolute_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of the sizes of errors."""
    return _averaged(
        name or "mean_absolute_error",
        lambda a,
        b: _core.abs(_core.cast(b, "float32") - _core.cast(a, "float32")),
        (labels, predictions),
        weights,
        metrics_collections,
        updates_collections,
    )


def mean_relative_error(labels, predictions, normalizer, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of the sizes of errors, each divided by a number."""
    return _averaged(
        name or "mean_relative_error",
        lambda a,
        b,
        n: _core.where(_core.equal(n, 0.0), _core.zeros_like(a), _safe(_core.abs(a - b), n)),
        (labels, predictions, normalizer),
        weights,
        metrics_collections,
        updates_collections,
    )


def percentage_below(values, threshold, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The share of values below a number."""
    return _averaged(
        name or "percentage_below_threshold", lambda v: _core.cast(v < threshold, "float32"), (values,), weights, metrics_collections, updates_collections
    )


def _counts(name, labels, predictions, weights, wanted, finish, metrics_collections, updates_collections):
    """Of true and false positives and negatives: those that are wanted, and a function of them."""
    with variable_scope(None, default_name=name):
        cells = [_local(w) for w in wanted]

        def batch(labels, predictions, weights):
            y, p = _core.cast(labels, "bool"), _core.cast(predictions, "bool")
            masks = {"true_positives": lambda: y & p, "false_positives": lambda: ~y & p, "false_negatives": lambda: y & ~p, "true_negatives": lambda: ~y & ~p}
            return [_weighted(masks[w](), weights)[0] for w in wanted]

        added = _op("batch", batch, labels, predictions, weights)
        value = _op("value", finish, *cells)
        update = _op("update_op", finish, *[c.assign_add(a) for c, a in zip(cells, added)])
    return _collected(value, update, metrics_collections, updates_collections)


def true_positives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How many are true and predicted."""
    return _counts(name or "true_positives", labels, predictions, weights, ["true_positives"], lambda a: a + 0.0, metrics_collections, updates_collections)


def false_positives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How many are predicted and not true."""
    return _counts(name or "false_positives", labels, predictions, weights, ["false_positives"], lambda a: a + 0.0, metrics_collections, updates_collections)


def false_negatives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How many are true and not predicted."""
    return _counts(name or "false_negatives", labels, predictions, weights, ["false_negatives"], lambda a: a + 0.0, metrics_collections, updates_collections)


def true_negatives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How many are neither true nor predicted."""
    return _counts(name or "true_negatives", labels, predictions, weights, ["true_negatives"], lambda a: a + 0.0, metrics_collections, updates_collections)


def precision(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How many of the predicted ones are true."""
    return _counts(
        name or "precision",
        labels,
        predictions,
        weights,
        ["true_positives", "false_positives"],
        lambda t,
        f: _safe(t, t + f),
        metrics_collections,
        updates_collections,
    )


def recall(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How many of the true ones are predicted."""
    return _counts(
        name or "recall",
        labels,
        predictions,
        weights,
        ["true_positives", "false_negatives"],
        lambda t,
        f: _safe(t, t + f),
        metrics_collections,
        updates_collections,
    )


def auc(labels, predictions, weights=None, num_thresholds=200, metrics_collections=None, updates_collections=None, curve="ROC", name=None,
        summation_method="trapezoidal", thresholds=None):  # fmt: skip
    """The area under the curve of true and false positives, by the trapezoids between thresholds."""
    if curve != "ROC" or summation_method != "trapezoidal":
        raise NotImplementedError("[metrics.auc] Brio has the ROC curve with trapezoids; keras.metrics.AUC has others")
    if thresholds is None:
        thresholds = [-1e-7, *((i + 1) / (num_thresholds - 1) for i in range(num_thresholds - 2)), 1.0 + 1e-7]
    else:
        thresholds = [-1e-7, *sorted(thresholds), 1.0 + 1e-7]
    n = len(thresholds)

    def batch(labels, predictions, weights):
        y = _core.reshape(_core.cast(labels, "bool"), [1, -1])
        p = _core.reshape(_core.cast(predictions, "float32"), [1, -1]) > _core.reshape(_core.constant(thresholds, "float32"), [-1, 1])
        w = _core.ones_like(_core.cast(y, "float32")) if weights is None else _core.reshape(
            _core.broadcast_to(_core.cast(weights, "float32"), labels.shape), [1, -1]
        )
        return [_core.reduce_sum(_core.cast(m, "float32") * w, 1) for m in (y & p, ~y & p, y & ~p, ~y & ~p)]

    def finish(tp, fp, fn, tn):
        hit, alarm = (tp + 1e-6) / (tp + fn + 1e-6), fp / (fp + tn + 1e-6)
        return _core.reduce_sum((alarm[:-1] - alarm[1:]) * (hit[:-1] + hit[1:]) / 2.0)

    with variable_scope(None, default_name=name or "auc"):
        cells = [_local(w, (n,)) for w in ("true_positives", "false_positives", "false_negatives", "true_negatives")]
        added = _op("batch", batch, wrap.convert(labels), wrap.convert(predictions), weights)
        value = _op("value", finish, *cells)
        update = _op("update_op", finish, *[c.assign_add(a) for c, a in zip(cells, added)])
    return _collected(value, update, metrics_collections, updates_collections)
