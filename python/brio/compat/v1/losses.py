"""tf.compat.v1.losses: one number each, the mean over what has a weight; in a graph they are put into a collection."""

import functools
import inspect

from brio import _core, _missing
from brio._graph import core, wrap
from brio._graph.variables import GraphKeys

__getattr__ = _missing.attribute_error_of(__name__)


class Reduction:
    """What becomes of the losses of elements."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_OVER_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_BY_NONZERO_WEIGHTS = SUM_OVER_NONZERO_WEIGHTS


def _reduced(values, weights, reduction=Reduction.SUM_BY_NONZERO_WEIGHTS):
    weights = _core.cast(weights, values.dtype)
    if weights.shape.rank == values.shape.rank - 1 and weights.shape.rank:
        weights = _core.expand_dims(weights, -1)
    elif weights.shape.rank == values.shape.rank + 1:
        weights = _core.squeeze(weights, -1)
    weighted = values * weights
    if reduction == Reduction.NONE:
        return weighted
    total = _core.reduce_sum(weighted)
    if reduction == Reduction.SUM:
        return total
    whole = _core.broadcast_to(weights, values.shape)
    if reduction == Reduction.MEAN:
        return _core._math.divide_no_nan(total, _core.reduce_sum(whole))
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        return total / _core.cast(_core.size(values), values.dtype)
    return _core._math.divide_no_nan(total, _core.reduce_sum(_core.cast(whole != 0, values.dtype)))


def _loss(function):
    """A loss by its elements, with the parameters that all have."""
    own = list(inspect.signature(function).parameters.values())
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    of_all = {"scope": None, "loss_collection": GraphKeys.LOSSES, "reduction": Reduction.SUM_BY_NONZERO_WEIGHTS}
    more = [inspect.Parameter(n, kind, default=d) for n, d in of_all.items()]
    weights = inspect.Parameter("weights", kind, default=1.0)
    at = 3 if function.__name__ == "cosine_distance" else 2  # as TensorFlow has them
    signature = inspect.Signature(
        [*own[:at], weights, *own[at:], *more] if at == 2 else [*own[:at], weights, *more, *own[at:]]
    )

    def whole(given, weights, reduction):
        return _reduced(function(**given), weights, reduction)

    @functools.wraps(function)
    def call(*args, **kwargs):
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        given = dict(given.arguments)
        given.pop("scope")
        weights, collection, reduction = given.pop("weights"), given.pop("loss_collection"), given.pop("reduction")
        graph = core.building()
        if graph is None:
            return whole(given, weights, reduction)
        made = wrap.call(graph, whole, wrap.kind_of(function.__name__), (given, weights, reduction), {})
        if collection:
            graph.add_to_collection(collection, made)
        return made

    call.__signature__ = signature
    return call


def _pair(labels, predictions):
    predictions = _core.convert_to_tensor(predictions)
    if predictions.dtype.is_integer:
        predictions = _core.cast(predictions, "float32")
    return _core.cast(labels, predictions.dtype), predictions


def _same_shape(labels, predictions):
    if labels.shape.rank != predictions.shape.rank or any(a != b for a, b in zip(labels.shape, predictions.shape)):
        raise ValueError(f"Shapes {predictions.shape} and {labels.shape} are incompatible")


@_loss
def mean_squared_error(labels, predictions):
    """(predictions - labels) squared."""
    labels, predictions = _pair(labels, predictions)
    _same_shape(labels, predictions)
    return _core.square(predictions - labels)


@_loss
def absolute_difference(labels, predictions):
    """|predictions - labels|."""
    labels, predictions = _pair(labels, predictions)
    _same_shape(labels, predictions)
    return _core.abs(predictions - labels)


@_loss
def huber_loss(labels, predictions, delta=1.0):
    """Half the square of small errors, the size of large ones."""
    labels, predictions = _pair(labels, predictions)
    _same_shape(labels, predictions)
    error = _core.abs(predictions - labels)
    small = _core.minimum(error, delta)
    return 0.5 * small * small + delta * (error - small)


@_loss
def log_loss(labels, predictions, epsilon=1e-07):
    """The cross entropy of labels 0 and 1 and probabilities."""
    labels, predictions = _pair(labels, predictions)
    _same_shape(labels, predictions)
    return -labels * _core._math.log(predictions + epsilon) - (1 - labels) * _core._math.log(1 - predictions + epsilon)


@_loss
def hinge_loss(labels, logits):
    """max(0, 1 - logits) of labels 1, max(0, 1 + logits) of labels 0."""
    labels, logits = _pair(labels, logits)
    return _core._nn.relu(1 - (2 * labels - 1) * logits)


@_loss
def cosine_distance(labels, predictions, axis=None, dim=None):
    """1 - the sum of products, along an axis of vectors of length 1."""
    labels, predictions = _pair(labels, predictions)
    return 1 - _core.reduce_sum(predictions * labels, axis if axis is not None else dim, True)


@_loss
def softmax_cross_entropy(onehot_labels, logits, label_smoothing=0):
    """The cross entropy of one-hot labels and logits."""
    logits = _core.convert_to_tensor(logits)
    labels = _core.cast(onehot_labels, logits.dtype)
    _same_shape(labels, logits)
    if label_smoothing:
        labels = labels * (1 - label_smoothing) + label_smoothing / labels.shape[-1]
    return _core._nn.softmax_cross_entropy_with_logits(_core.stop_gradient(labels), logits)


@_loss
def sparse_softmax_cross_entropy(labels, logits):
    """The cross entropy of class numbers and logits."""
    labels, logits = _core.convert_to_tensor(labels), _core.convert_to_tensor(logits)
    if labels.shape.rank == logits.shape.rank:
        labels = _core.squeeze(labels, -1)
    return _core._nn.sparse_softmax_cross_entropy_with_logits(labels, logits)


@_loss
def sigmoid_cross_entropy(multi_class_labels, logits, label_smoothing=0):
    """The cross entropy of labels 0 and 1 and logits, element by element."""
    logits = _core.convert_to_tensor(logits)
    labels = _core.cast(multi_class_labels, logits.dtype)
    if label_smoothing:
        labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
    return _core._nn.sigmoid_cross_entropy_with_logits(labels, logits)


def mean_pairwise_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES):
    """The squared differences between the errors of each pair of elements of a sample, summed over samples."""

    def whole(labels, predictions, weights):
        labels, predictions = _pair(labels, predictions)
        error = predictions - labels
        axes = list(range(1, error.shape.rank))
        weights = _core.cast(weights, error.dtype)
        while weights.shape.rank and weights.shape.rank < error.shape.rank:
            weights = _core.expand_dims(weights, -1)
        n = _core.reduce_sum(_core.cast(_core.broadcast_to(weights, error.shape) != 0, error.dtype), axes, True)
        squares, total = _core.reduce_sum(_core.square(error), axes, True), _core.reduce_sum(error, axes, True)
        each = 2.0 * (
            _core._math.divide_no_nan(squares, n - 1.0) - _core._math.divide_no_nan(_core.square(total), n * (n - 1.0))
        )
        return _core.reduce_sum(each * weights)

    graph = core.building()
    if graph is None:
        return whole(labels, predictions, weights)
    made = wrap.call(graph, whole, "mean_pairwise_squared_error", (labels, predictions, weights), {})
    if loss_collection:
        graph.add_to_collection(loss_collection, made)
    return made


def compute_weighted_loss(
    losses, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES, reduction=Reduction.SUM_BY_NONZERO_WEIGHTS
):
    """One number of the losses of elements and their weights."""
    graph = core.building()
    if graph is None:
        return _reduced(_core.convert_to_tensor(losses), weights, reduction)
    made = wrap.call(
        graph, lambda v, w: _reduced(_core.convert_to_tensor(v), w, reduction), "weighted_loss", (losses, weights), {}
    )
    if loss_collection:
        graph.add_to_collection(loss_collection, made)
    return made


def add_loss(loss, loss_collection=GraphKeys.LOSSES):
    """Puts a loss into the collection."""
    if loss_collection and core.building() is not None:
        core.building().add_to_collection(loss_collection, loss)


def get_losses(scope=None, loss_collection=GraphKeys.LOSSES):
    """The losses of the graph."""
    return core.default_graph().get_collection(loss_collection, scope)


def get_regularization_losses(scope=None):
    """The losses of regularizers."""
    return core.default_graph().get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def _sum(graph, losses, name):
    if not losses:
        return wrap.constant(0.0)
    return wrap.call(graph, lambda *x: _core.add_n([_core.convert_to_tensor(v) for v in x]), "AddN", tuple(losses), {})


def get_regularization_loss(scope=None, name="total_regularization_loss"):
    """The sum of the losses of regularizers."""
    return _sum(core.building(), get_regularization_losses(scope), name)


def get_total_loss(add_regularization_losses=True, name="total_loss", scope=None):
    """The sum of all losses."""
    return _sum(
        core.building(),
        get_losses(scope) + (get_regularization_losses(scope) if add_regularization_losses else []),
        name,
    )
