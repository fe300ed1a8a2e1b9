"""Connectionist temporal classification: the doors of the loss, and decoders, which run on the host."""

import numpy as np

from brio import _core
from brio._sparse import SparseTensor


def loss(labels, logits, label_length, logit_length, logits_time_major=True, unique=None, blank_index=None, name=None):
    """Minus the log of the probability that logits read as the labels, of each sequence.
    Sparse labels have lengths of their own."""
    logits = _core.convert_to_tensor(logits)
    if logits_time_major:
        logits = _core.transpose(logits, [1, 0, 2])
    if isinstance(labels, SparseTensor):
        blank_index = -1 if blank_index is None else blank_index
        labels, label_length = dense_labels(labels, logits.shape[0])
    blank = 0 if blank_index is None else int(blank_index)
    result = _core._losses._ctc_loss(
        _core.convert_to_tensor(labels),
        _floats(logits),
        _core.convert_to_tensor(label_length),
        _core.convert_to_tensor(logit_length),
        blank,
    )
    return _core.cast(result, logits.dtype) if logits.dtype.name in ("float16", "bfloat16") else result


def sparse_loss(labels, inputs=None, sequence_length=None, preprocess_collapse_repeated=False, ctc_merge_repeated=True,
                ignore_longer_outputs_than_inputs=False, time_major=True, logits=None):  # fmt: skip
    """TensorFlow 1's: labels are sparse, and the blank is the last class."""
    if preprocess_collapse_repeated or not ctc_merge_repeated:
        raise ValueError(
            "[ctc_loss] repeated labels are merged after the loss, as in tf.nn.ctc_loss; leave "
            "preprocess_collapse_repeated and ctc_merge_repeated out"
        )
    return loss(labels, inputs if logits is None else logits, None, sequence_length, time_major, blank_index=-1)


def dense_labels(labels, batch):
    """(labels, how many of each row count) of a sparse tensor."""
    from brio import sparse

    rows = labels.indices[:, 0]
    counts = _core._math.unsorted_segment_sum(_core.ones_like(rows, "int32"), _core.cast(rows, "int32"), batch)
    dense = sparse.to_dense(labels)
    return (dense if dense.shape[1] else _core.zeros([batch, 1], dense.dtype)), counts


def unique_labels(labels, name=None):
    """(the classes of each row once, in order and filled up with 0, the place of each label among them)."""
    rows = _core.convert_to_tensor(labels).numpy()
    found, places = np.zeros(rows.shape, np.int64), np.zeros(rows.shape, np.int32)
    for i, row in enumerate(rows):
        classes, first, inverse = np.unique(row, return_index=True, return_inverse=True)
        order = np.argsort(np.argsort(first))
        found[i, order] = classes
        places[i] = order[inverse.reshape(-1)]
    return _core.constant(found), _core.constant(places)


def collapse_repeated(labels, seq_length, name=None):
    """(labels without repeats, filled up with 0, how many are left of each row)."""
    rows, lengths = _core.convert_to_tensor(labels).numpy(), _core.convert_to_tensor(seq_length).numpy()
    kept = [[v for j, v in enumerate(row[:n]) if j == 0 or v != row[j - 1]] for row, n in zip(rows, lengths)]
    width = max([len(k) for k in kept], default=0)
    made = np.zeros((len(kept), width), rows.dtype)
    for i, values in enumerate(kept):
        made[i, : len(values)] = values
    return _core.constant(made), _core.constant(np.array([len(k) for k in kept], np.int32))


# ---- decoders


def beam_search(inputs, sequence_length, beam_width=100, top_paths=1, merge_repeated=False):
    """([sparse labels] of the most likely readings, (batch, top_paths) logarithms of their probabilities).
    The blank is the last class."""
    logits, lengths = _core.convert_to_tensor(inputs).numpy(), _core.convert_to_tensor(sequence_length).numpy()
    if logits.ndim != 3 or logits.dtype.kind != "f" or 0 in logits.shape:
        raise ValueError(
            f"[ctc_beam_search_decoder] takes logits (time, batch, classes), but got {logits.dtype} of shape "
            f"{logits.shape}"
        )
    if (
        lengths.dtype.kind not in "iu"
        or lengths.shape != logits.shape[1:2]
        or lengths.min() < 0
        or lengths.max() > logits.shape[0]
    ):
        raise ValueError(
            f"[ctc_beam_search_decoder] sequence_length has shape {lengths.shape} and dtype {lengths.dtype}; give each "
            f"of {logits.shape[1]} sequences an integer from 0 to {logits.shape[0]}"
        )
    if not 0 < top_paths <= beam_width:
        raise ValueError(
            f"[ctc_beam_search_decoder] {top_paths} readings are asked of a beam of {beam_width}; give a wider one"
        )
    with np.errstate(all="ignore"):  # logits of inf have readings of nan
        exact = logits.astype(np.float64)
        top = exact.max(-1, keepdims=True)
        chances = exact - top - np.log(np.exp(exact - top).sum(-1, keepdims=True))
        best = [_beams(chances[:n, b], beam_width)[:top_paths] for b, n in enumerate(lengths.tolist())]
    decoded = [
        _sparse([_merged(row[k][0]) if merge_repeated else row[k][0] for row in _filled(best, top_paths)])
        for k in range(top_paths)
    ]
    return decoded, _core.constant(
        np.array([[score for _, score in row] for row in _filled(best, top_paths)], logits.dtype).reshape(
            len(best), top_paths
        )
    )


def _filled(rows, count):
    return [row + [((), -np.inf)] * (count - len(row)) for row in rows]


def _merged(labels):
    return tuple(v for i, v in enumerate(labels) if i == 0 or v != labels[i - 1])


def _beams(chances, width):
    """[(labels, log of their probability)], the most likely first.
    A beam has two chances: that it ends with a blank, and that it does not."""
    blank = chances.shape[1] - 1
    beams = {(): (0.0, -np.inf)}
    for step in chances:
        following = {}

        def add(labels, ends_blank, ends_label, following=following):
            before = following.get(labels, (-np.inf, -np.inf))
            following[labels] = (np.logaddexp(before[0], ends_blank), np.logaddexp(before[1], ends_label))

        for labels, (ends_blank, ends_label) in beams.items():
            either = np.logaddexp(ends_blank, ends_label)
            add(labels, either + step[blank], ends_label + step[labels[-1]] if labels else -np.inf)
            for c in range(blank):
                add((*labels, c), -np.inf, (ends_blank if labels and labels[-1] == c else either) + step[c])
        ranked = sorted(following.items(), key=lambda item: -np.logaddexp(*item[1]))
        beams = dict(ranked[:width])
    return [
        (labels, float(np.logaddexp(*ends)))
        for labels, ends in sorted(beams.items(), key=lambda item: -np.logaddexp(*item[1]))
    ]


def _sparse(rows):
    indices = np.array([[i, j] for i, row in enumerate(rows) for j in range(len(row))], np.int64).reshape(-1, 2)
    return SparseTensor(
        indices,
        np.array([v for row in rows for v in row], np.int64),
        [len(rows), max([len(r) for r in rows], default=0)],
    )


def _floats(x):
    return _core.cast(x, "float32") if x.dtype.name in ("float16", "bfloat16") else x


def decode(inputs, sequence_lengths, strategy="greedy", beam_width=100, top_paths=1, merge_repeated=True, mask_index=0):
    """keras.ops.ctc_decode: ((paths, batch, time) labels filled up with -1, scores) of logits (batch, time,
    classes)."""
    from brio import nn

    inputs = _core.convert_to_tensor(inputs)
    batch, steps, classes = inputs.shape
    logits = _core.transpose(_core.cast(inputs, "float64" if inputs.dtype.name == "float64" else "float32"), [1, 0, 2])
    lengths = _core.cast(_core.convert_to_tensor(sequence_lengths), "int32")
    if strategy == "greedy":
        found, scores = nn.ctc_greedy_decoder(logits, lengths, merge_repeated, mask_index)
    elif strategy == "beam_search":
        if mask_index is not None:  # the decoder has the blank at the end
            mask_index %= classes
            logits = _core.concat(
                [logits[..., :mask_index], logits[..., mask_index + 1 :], logits[..., mask_index : mask_index + 1]], -1
            )
        found, scores = beam_search(logits, lengths, beam_width, top_paths)
    else:
        raise ValueError(f"[ctc_decode] strategy is {strategy!r}; it is 'greedy' or 'beam_search'")
    rows = _core.cast(_core.stack([padded(f, batch, steps) for f in found]), "int32")
    if strategy == "beam_search" and mask_index is not None:
        rows = _core.where(rows >= mask_index, rows + 1, rows)
    return rows, scores


def padded(found, batch, steps):
    """Sparse labels as (batch, steps), filled up with -1."""
    from brio import sparse

    return sparse.to_dense(SparseTensor(found.indices, found.values, [batch, steps]), default_value=-1)
