"""Candidates for losses over many classes: samplers, and the losses that compare true classes with sampled ones."""

from brio import _core
from brio.errors import InvalidArgumentError

_FAR = -3.4028234663852886e38  # the lowest float32: what is added to the logit of a class that is sampled and true


def _sampled(who, weights, true_classes, num_true, num_sampled, unique, seed):
    """Classes by their weights (range,), and how often the true and the sampled ones are expected."""
    true_classes = _core.cast(true_classes, "int64")
    if true_classes.shape.rank != 2 or true_classes.shape[1] != num_true:
        raise InvalidArgumentError(
            f"[{who}] true_classes has shape {tuple(true_classes.shape)}; it must be (batch, num_true), and num_true "
            f"is {num_true}"
        )
    shares = weights / _core.reduce_sum(weights)
    count, range_max = int(num_sampled), weights.shape[0]
    if unique:
        if count > range_max:
            raise InvalidArgumentError(
                f"[{who}] {count} different classes of {range_max} are asked for; sample fewer, or with unique=False"
            )
        # As drawing again whatever was drawn before: classes in the order of exponential waiting times.
        waits = -_core._math.log1p(-_core._random.uniform([range_max], dtype="float64", seed=seed)) / shares
        sampled = _core._math._top_k(-waits, count)[1]
        drawn = _core.cumsum(_core.gather(shares, sampled), exclusive=True)  # the chance of drawing an old one
        often = _core._math.log(_core.clip_by_value(drawn, 1e-300, 1.0 - 1e-12))
        again = _core._math.log1p(-_core._random.uniform([count], dtype="float64", seed=seed)) / often
        tries = _core.cast(count, "float64") + _core.reduce_sum(_core.floor(again))
    else:
        edges = _core.cumsum(shares)
        sampled = _core.searchsorted(
            edges[:-1], _core._random.uniform([count], dtype="float64", seed=seed), side="right"
        )
        tries = None
    sampled = _core.cast(sampled, "int64")

    def expected(classes):
        share = _core.gather(shares, classes)
        often = share * float(count) if tries is None else -_core._math.expm1(tries * _core._math.log1p(-share))
        return _core.cast(often, "float32")

    return _result()(sampled, expected(true_classes), expected(sampled))


def _result():
    from collections import namedtuple

    return namedtuple("CandidateSampler", ["sampled_candidates", "true_expected_count", "sampled_expected_count"])


def uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Classes that are all equally likely: (sampled, how often the true ones are expected, how often the sampled ones).

    >>> sampled, of_true, of_sampled = tf.random.uniform_candidate_sampler([[3], [7]], 1, 5, True, 100)
    >>> sampled.shape, of_true.shape, of_sampled.shape
    (TensorShape([5]), TensorShape([2, 1]), TensorShape([5]))
    """
    return _sampled(
        "uniform_candidate_sampler",
        _core.ones([int(range_max)], "float64"),
        true_classes,
        num_true,
        num_sampled,
        unique,
        seed,
    )


def log_uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Classes by Zipf's law: the lower the number, the likelier. For classes in the order of how often they occur."""
    numbers = _core.range(int(range_max), dtype="float64")
    weights = _core._math.log((numbers + 2.0) / (numbers + 1.0))
    return _sampled("log_uniform_candidate_sampler", weights, true_classes, num_true, num_sampled, unique, seed)


_learned = {}  # by arguments: how often each class was a true one


def learned_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Classes as often as they were true ones in earlier calls with these arguments; at first all equally likely."""
    key = (int(num_true), int(num_sampled), bool(unique), int(range_max), seed, name)
    if key not in _learned:
        with _core._InitScope():
            _learned[key] = _core.Variable(_core.ones([int(range_max)], "float64"), trainable=False)
    weights = _learned[key]
    made = _sampled(
        "learned_unigram_candidate_sampler", _core.identity(weights), true_classes, num_true, num_sampled, unique, seed
    )
    true_classes = _core.reshape(_core.cast(true_classes, "int64"), [-1])
    weights.assign_add(
        _core._math.unsorted_segment_sum(_core.ones_like(true_classes, "float64"), true_classes, int(range_max))
    )
    return made


def fixed_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, vocab_file="",
                                    distortion=1.0, num_reserved_ids=0, num_shards=1, shard=0, unigrams=(), seed=None,
                                    name=None):  # fmt: skip
    """Classes by weights that are given, or stand in the last column of a file;
    distortion is a power of them, and reserved classes come first and never."""
    if bool(vocab_file) == bool(len(unigrams)):
        raise InvalidArgumentError("[fixed_unigram_candidate_sampler] takes either vocab_file or unigrams")
    given = [float(w) for w in unigrams]
    if vocab_file:
        with open(vocab_file) as file:
            given = [float(line.rsplit(",", 1)[-1]) for line in file if line.strip()]
    weights = [0.0] * int(num_reserved_ids) + [w**distortion for w in given]
    weights = weights[int(shard) :: int(num_shards)]
    if num_shards == 1 and len(weights) != range_max:
        raise InvalidArgumentError(
            f"[fixed_unigram_candidate_sampler] {len(weights)} weights, with those of reserved classes, for "
            f"range_max={range_max}; give one for each class"
        )
    return _sampled(
        "fixed_unigram_candidate_sampler",
        _core.constant(weights, "float64"),
        true_classes,
        num_true,
        num_sampled,
        unique,
        seed,
    )


def all_candidate_sampler(true_classes, num_true, num_sampled, unique, seed=None, name=None):
    """All classes, to see what sampling costs: 0, 1, ... num_sampled - 1."""
    sampled = _core.range(int(num_sampled), dtype="int64")
    return _result()(
        sampled, _core.ones_like(_core.cast(true_classes, "int64"), "float32"), _core.ones_like(sampled, "float32")
    )


def _hits(true_classes, sampled):
    """Which sampled class is which true one: (batch, true, sampled).
    Of a class that is sampled several times the last, as in TensorFlow."""
    order = _core.argsort(sampled, stable=True)
    rising = _core.gather(sampled, order)
    last = _core.concat([_core.not_equal(rising[1:], rising[:-1]), _core.ones([1], "bool")], 0)
    once = _core.scatter_nd(_core.expand_dims(order, 1), _core.cast(last, "int32"), [sampled.shape[0]]) > 0
    return _core.equal(_core.expand_dims(true_classes, 2), sampled) & once


def compute_accidental_hits(true_classes, sampled_candidates, num_true, seed=None, name=None):
    """Where a sampled class is a true one: (rows of true_classes, places among the sampled ones, the lowest float32 for
    each).

    >>> [x.numpy().tolist() for x in tf.nn.compute_accidental_hits([[1], [4]], [9, 4, 1], 1)[:2]]
    [[0, 1], [2, 1]]
    """
    true_classes = _core.cast(true_classes, "int64")
    if true_classes.shape.rank != 2 or true_classes.shape[1] != num_true:
        raise InvalidArgumentError(
            f"[compute_accidental_hits] true_classes has shape {tuple(true_classes.shape)}; it must be (batch, "
            f"num_true), and num_true is {num_true}"
        )
    hits = _core.where(_hits(true_classes, _core.cast(sampled_candidates, "int64")))
    return _core.cast(hits[:, 0], "int32"), hits[:, 2], _core.fill(_core.shape(hits)[:1], _FAR)


def _logits(
    who,
    weights,
    biases,
    labels,
    inputs,
    num_sampled,
    num_classes,
    num_true,
    sampled_values,
    remove_accidental_hits,
    seed,
):
    """Logits of the true classes and of the sampled ones behind them, and what they should be."""
    weights, biases = (_core.concat(list(x), 0) if isinstance(x, (list, tuple)) else x for x in (weights, biases))
    inputs, labels = _core.convert_to_tensor(inputs), _core.cast(labels, "int64")
    if labels.shape.rank == 1 and num_true == 1:
        labels = _core.expand_dims(labels, 1)
    if labels.shape.rank != 2 or labels.shape[1] != num_true:
        raise InvalidArgumentError(
            f"[{who}] labels have shape {tuple(labels.shape)}; they must be (batch, num_true), and num_true is "
            f"{num_true}"
        )
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(labels, num_true, num_sampled, True, num_classes, seed)
    sampled, true_often, sampled_often = (_core.stop_gradient(x) for x in sampled_values)
    sampled = _core.cast(sampled, "int64")
    flat, of_true, size = _core.reshape(labels, [-1]), num_true, sampled.shape[0]
    rows = _core.gather(weights, _core.concat([flat, sampled], 0))
    offsets = _core.gather(biases, _core.concat([flat, sampled], 0))
    near, others = _core.reshape(rows[:-size], [-1, of_true, rows.shape[-1]]), rows[-size:]
    true_logits = _core.reduce_sum(_core.expand_dims(inputs, 1) * near, axis=2) + _core.reshape(
        offsets[:-size], [-1, of_true]
    )
    other_logits = _core.matmul(inputs, others, transpose_b=True) + offsets[-size:]
    if remove_accidental_hits:
        hits = _core.reduce_sum(_core.cast(_hits(labels, sampled), other_logits.dtype), axis=1)
        other_logits += _core.minimum(hits, _core.ones_like(hits)) * _FAR
    true_logits -= _core._math.log(_core.cast(true_often, true_logits.dtype))
    other_logits -= _core._math.log(_core.cast(sampled_often, other_logits.dtype))
    wanted = _core.concat([_core.ones_like(true_logits) / float(of_true), _core.zeros_like(other_logits)], 1)
    return _core.concat([true_logits, other_logits], 1), wanted


def nce_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
             remove_accidental_hits=False, name="nce_loss"):  # fmt: skip
    """Noise-contrastive estimation: each row of inputs is told from sampled classes, one sigmoid a class.
    A number for each row.

    >>> classes, near = tf.random.normal([1000, 16]), tf.random.normal([8, 16])
    >>> tf.nn.nce_loss(classes, tf.zeros([1000]), tf.ones([8, 1], tf.int64), near, 20, 1000).shape
    TensorShape([8])
    """
    logits, wanted = _logits(
        "nce_loss",
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        None,
    )
    return _core.reduce_sum(_core._nn.sigmoid_cross_entropy_with_logits(labels=wanted, logits=logits), axis=1)


def sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
                         remove_accidental_hits=True, seed=None, name="sampled_softmax_loss"):  # fmt: skip
    """The cross-entropy of a softmax over the true classes and sampled ones, in training with many classes.
    A number for each row.

    >>> classes, near = tf.random.normal([1000, 16]), tf.random.normal([8, 16])
    >>> tf.nn.sampled_softmax_loss(classes, tf.zeros([1000]), tf.ones([8, 1], tf.int64), near, 20, 1000).shape
    TensorShape([8])
    """
    logits, wanted = _logits(
        "sampled_softmax_loss",
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        seed,
    )
    return _core._nn.softmax_cross_entropy_with_logits(labels=_core.stop_gradient(wanted), logits=logits)
