"""Sums and means of the rows that sparse numbers name: tf.nn.embedding_lookup_sparse and its kin."""

from brio import _core
from brio.errors import InvalidArgumentError

_COMBINERS = ("mean", "sqrtn", "sum")


def _table(params):
    return _core.concat(list(params), 0) if isinstance(params, (list, tuple)) else params


def _combiner(who, combiner):
    combiner = "mean" if combiner is None else combiner
    if combiner not in _COMBINERS:
        raise ValueError(f"[{who}] combiner is {combiner!r}; it is one of {', '.join(_COMBINERS)}")
    return combiner


def _combined(rows, weights, segments, count, combiner):
    """The weighted rows of each segment as one; 0 where a segment has none."""
    column = _core.reshape(weights, [-1] + [1] * (rows.shape.rank - 1))
    total = _core._math.unsorted_segment_sum(rows * column, segments, count)
    if combiner == "sum":
        return total
    size = _core._math.unsorted_segment_sum(column if combiner == "mean" else _core.square(column), segments, count)
    return _core._math.divide_no_nan(total, size if combiner == "mean" else _core.sqrt(size))


def _rows(params, ids, max_norm):
    from brio.nn import embedding_lookup

    return embedding_lookup(_table(params), ids, max_norm)


def embedding_lookup_sparse(
    params, sp_ids, sp_weights, combiner=None, max_norm=None, name=None, allow_fast_lookup=False
):
    """For each row of sparse (or ragged) ids the mean, the sum, or the sum by the root of the weights' squares,
    of the table's rows.

    >>> ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [2, 0, 1], [2, 2])
    >>> tf.nn.embedding_lookup_sparse(tf.constant([[1.0], [2.0], [3.0]]), ids, None, "sum").numpy().tolist()
    [[4.0], [2.0]]
    """
    combiner = _combiner("embedding_lookup_sparse", combiner)
    if hasattr(sp_ids, "flat_values"):  # ragged
        ids, segments = sp_ids.values, sp_ids.value_rowids()
        weights = None if sp_weights is None else sp_weights.values
    else:
        if not hasattr(sp_ids, "indices"):
            raise TypeError(
                f"[embedding_lookup_sparse] sp_ids is a {type(sp_ids).__name__}; it must be a SparseTensor or a "
                "RaggedTensor"
            )
        ids, segments = sp_ids.values, sp_ids.indices[:, 0]
        weights = None if sp_weights is None else sp_weights.values
    rows = _rows(params, ids, max_norm)
    weights = _core.ones(_core.shape(ids), rows.dtype) if weights is None else _core.cast(weights, rows.dtype)
    count = int(segments[-1]) + 1 if segments.shape[0] else 0
    return _combined(rows, weights, segments, count, combiner)


def safe_embedding_lookup_sparse(embedding_weights, sparse_ids, sparse_weights=None, combiner="mean", default_id=None,
                                 max_norm=None, name=None, allow_fast_lookup=False):  # fmt: skip
    """As embedding_lookup_sparse, without ids below 0 and without weights that are not above 0 (but for sums); rows
    without ids are 0, or those of default_id.

    >>> ids = tf.SparseTensor([[0, 0], [2, 1]], [2, -1], [3, 2])
    >>> tf.nn.safe_embedding_lookup_sparse(tf.constant([[1.0], [2.0], [3.0]]), ids).numpy().tolist()
    [[3.0], [0.0], [0.0]]
    """
    combiner = _combiner("safe_embedding_lookup_sparse", combiner)
    if hasattr(sparse_ids, "flat_values"):
        sparse_ids = sparse_ids.to_sparse()
        sparse_weights = None if sparse_weights is None else sparse_weights.to_sparse()
    outer = [int(n) for n in sparse_ids.shape[:-1]]
    if not outer:
        raise InvalidArgumentError(
            f"[safe_embedding_lookup_sparse] ids of shape {sparse_ids.shape} have no rows; they need two axes or more"
        )
    segments, count = sparse_ids.indices[:, 0], outer[0]
    for axis, size in enumerate(outer[1:], 1):
        segments, count = segments * size + sparse_ids.indices[:, axis], count * size
    ids = sparse_ids.values
    keep = ids >= 0
    rows = _rows(embedding_weights, _core.maximum(ids, _core.zeros_like(ids)), max_norm)
    if sparse_weights is None:
        weights = _core.ones(_core.shape(ids), rows.dtype)
    else:
        weights = _core.cast(sparse_weights.values, rows.dtype)
        if combiner != "sum":
            keep = keep & (weights > 0)
    weights = _core.where(keep, weights, _core.zeros_like(weights))
    made = _combined(rows, weights, segments, count, combiner)
    there = _core._math.unsorted_segment_sum(_core.cast(keep, "int32"), segments, count) > 0
    there = _core.reshape(there, [-1] + [1] * (made.shape.rank - 1))
    if default_id is not None:
        made = _core.where(there, made, _rows(embedding_weights, _core.constant([default_id], "int64"), max_norm))
    return _core.reshape(made, [*outer, *made.shape[1:]])
