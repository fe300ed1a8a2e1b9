"""The metrics of Keras 3, each streamed over three batches: the result after each of them, with and without weights.

Inputs are multiples of 1/8 or 1/32, which are short in print.
"""

import keras
import numpy as np
import tensorflow as tf

from golden_losses import binary, eighths, one_hot, unit

M = keras.metrics
SIZES = (4, 4, 2)


def classes(rng, count, *shape):
    return rng.integers(0, count, shape).astype(np.int32)


def means(rng):
    for kind in (
        "MeanSquaredError",
        "MeanAbsoluteError",
        "MeanAbsolutePercentageError",
        "MeanSquaredLogarithmicError",
        "RootMeanSquaredError",
        "CosineSimilarity",
        "LogCoshError",
        "PearsonCorrelation",
        "ConcordanceCorrelation",
    ):
        yield kind, {}, lambda n: (eighths(rng, n, 3), eighths(rng, n, 3))
    yield "MeanSquaredError", {}, lambda n: (eighths(rng, n, 2, 2), eighths(rng, n, 2, 2))
    yield "MeanAbsoluteError", {}, lambda n: (eighths(rng, n), eighths(rng, n, 1))
    yield "RootMeanSquaredError", {}, lambda n: (eighths(rng, n), eighths(rng, n))
    yield "RootMeanSquaredError", {}, lambda n: (eighths(rng, n, 2, 2), eighths(rng, n, 2, 2))
    for kind in ("CosineSimilarity", "PearsonCorrelation", "ConcordanceCorrelation"):
        yield kind, {"axis": 1}, lambda n: (eighths(rng, n, 3, 2), eighths(rng, n, 3, 2))
    for kind in ("Hinge", "SquaredHinge"):
        yield kind, {}, lambda n: (2 * binary(rng, n, 2) - 1, eighths(rng, n, 2))
    yield "CategoricalHinge", {}, lambda n: (one_hot(rng, 3, n), eighths(rng, n, 3))
    for kind in ("KLDivergence", "Poisson"):
        yield kind, {}, lambda n: (unit(rng, n, 2), unit(rng, n, 2))


def probabilities(rng):
    for options in ({}, {"label_smoothing": 0.25}, {"from_logits": True}):
        scores = eighths if "from_logits" in options else unit
        yield "BinaryCrossentropy", options, lambda n: (binary(rng, n, 2), scores(rng, n, 2))
        yield "CategoricalCrossentropy", options, lambda n: (one_hot(rng, 3, n), scores(rng, n, 3))
    yield (
        "CategoricalCrossentropy",
        {"axis": 1},
        lambda n: (np.moveaxis(one_hot(rng, 3, n, 2), -1, 1), unit(rng, n, 3, 2)),
    )
    for options in ({}, {"from_logits": True}, {"ignore_class": 1}):
        scores = eighths if "from_logits" in options else unit
        yield "SparseCategoricalCrossentropy", options, lambda n: (classes(rng, 3, n), scores(rng, n, 3))
    yield "SparseCategoricalCrossentropy", {"ignore_class": 0}, lambda n: (classes(rng, 3, n, 2), unit(rng, n, 2, 3))
    yield "Accuracy", {}, lambda n: (classes(rng, 2, n, 2), classes(rng, 2, n, 2))
    yield "BinaryAccuracy", {"threshold": 0.25}, lambda n: (binary(rng, n, 2, 2), unit(rng, n, 2, 2))
    yield "CategoricalAccuracy", {}, lambda n: (one_hot(rng, 3, n, 2), unit(rng, n, 2, 3))
    yield "SparseCategoricalAccuracy", {}, lambda n: (classes(rng, 3, n, 2), unit(rng, n, 2, 3))
    yield "SparseCategoricalAccuracy", {}, lambda n: (classes(rng, 3, n, 2, 1), unit(rng, n, 2, 3))
    for k in (1, 2, 3):
        yield "TopKCategoricalAccuracy", {"k": k}, lambda n: (one_hot(rng, 4, n), unit(rng, n, 4))
        yield "SparseTopKCategoricalAccuracy", {"k": k}, lambda n: (classes(rng, 4, n), unit(rng, n, 4))
    yield "TopKCategoricalAccuracy", {"k": 2}, lambda n: (one_hot(rng, 4, n, 2), unit(rng, n, 2, 4))
    yield "SparseTopKCategoricalAccuracy", {"k": 2}, lambda n: (classes(rng, 4, n, 2), unit(rng, n, 2, 4))
    yield (
        "SparseTopKCategoricalAccuracy",
        {"k": 2, "from_sorted_ids": True},
        lambda n: (classes(rng, 4, n), np.stack([rng.permutation(4) for _ in range(n)]).astype(np.int32)),
    )


def confusion(rng):
    for kind in ("TruePositives", "TrueNegatives", "FalsePositives", "FalseNegatives"):
        yield kind, {}, lambda n: (binary(rng, n), unit(rng, n))
        yield kind, {"thresholds": [0.25]}, lambda n: (binary(rng, n, 2), unit(rng, n, 2))
        yield kind, {"thresholds": [0.25, 0.75]}, lambda n: (binary(rng, n, 2), unit(rng, n, 2))
        yield kind, {"thresholds": [0.0, 0.5, 1.0]}, lambda n: (binary(rng, n, 1), unit(rng, n, 1))  # even ones
    for kind in ("Precision", "Recall"):
        yield kind, {}, lambda n: (binary(rng, n), unit(rng, n))
        yield kind, {}, lambda n: (binary(rng, n), unit(rng, n, 1))
        yield kind, {}, lambda n: (binary(rng, n, 2, 2), unit(rng, n, 2, 2))
        yield kind, {"thresholds": [0.25, 0.75]}, lambda n: (binary(rng, n, 2), unit(rng, n, 2))
        yield kind, {"thresholds": [0.0, 0.25, 0.5, 0.75, 1.0]}, lambda n: (binary(rng, n, 2), edges(rng, n, 2))
        yield kind, {"top_k": 2}, lambda n: (binary(rng, n, 4), unit(rng, n, 4))
        yield kind, {"top_k": 2, "thresholds": [0.5]}, lambda n: (binary(rng, n, 4), unit(rng, n, 4))
        yield kind, {"class_id": 1}, lambda n: (binary(rng, n, 3), unit(rng, n, 3))
        yield kind, {"class_id": 2, "top_k": 1}, lambda n: (one_hot(rng, 3, n), unit(rng, n, 3))
        yield kind, {"class_id": 0, "thresholds": [0.25, 0.5]}, lambda n: (binary(rng, n, 2, 3), unit(rng, n, 2, 3))


def edges(rng, *shape):
    """Scores at thresholds: 0, 0.25, … 1."""
    return np.float32(rng.integers(0, 5, shape) / 4)


def limits(rng):
    for kind, argument in (
        ("SensitivityAtSpecificity", "specificity"),
        ("SpecificityAtSensitivity", "sensitivity"),
        ("PrecisionAtRecall", "recall"),
        ("RecallAtPrecision", "precision"),
    ):
        for value in (0.5, 0.75):
            yield kind, {argument: value}, lambda n: (binary(rng, n), unit(rng, n))
        yield kind, {argument: 0.5, "num_thresholds": 1}, lambda n: (binary(rng, n, 1), unit(rng, n, 1))
        yield kind, {argument: 0.5, "num_thresholds": 5}, lambda n: (binary(rng, n, 2), edges(rng, n, 2))
        yield kind, {argument: 0.5, "class_id": 1, "num_thresholds": 2}, lambda n: (binary(rng, n, 2), edges(rng, n, 2))


def auc(rng):
    for curve in ("ROC", "PR", "PRGAIN"):
        for method in ("interpolation", "minoring", "majoring"):
            yield "AUC", {"curve": curve, "summation_method": method}, lambda n: (binary(rng, n, 1), unit(rng, n, 1))
        yield "AUC", {"curve": curve, "num_thresholds": 5}, lambda n: (binary(rng, n, 2), edges(rng, n, 2))
        yield "AUC", {"curve": curve, "thresholds": [0.75, 0.125]}, lambda n: (binary(rng, n), unit(rng, n))
        yield "AUC", {"curve": curve, "multi_label": True}, lambda n: (binary(rng, n, 2), unit(rng, n, 2))
    yield "AUC", {}, lambda n: (binary(rng, n), unit(rng, n, 1))
    yield "AUC", {"num_thresholds": 2}, lambda n: (binary(rng, n), unit(rng, n))
    yield "AUC", {"thresholds": [0.5]}, lambda n: (binary(rng, n), edges(rng, n))  # even ones
    yield "AUC", {"from_logits": True}, lambda n: (binary(rng, n), eighths(rng, n))
    yield "AUC", {"label_weights": [0.25, 1.5]}, lambda n: (binary(rng, n, 2), unit(rng, n, 2))
    yield (
        "AUC",
        {"label_weights": [0.25, 1.5], "thresholds": [0.25, 0.375]},
        lambda n: (binary(rng, n, 2), unit(rng, n, 2)),
    )
    yield (
        "AUC",
        {"multi_label": True, "num_labels": 2, "label_weights": [0.25, 1.5]},
        lambda n: (binary(rng, n, 2), unit(rng, n, 2)),
    )
    yield (
        "AUC",
        {"multi_label": True, "label_weights": [0.25, 1.5], "curve": "PR"},
        lambda n: (binary(rng, n, 2), unit(rng, n, 2)),
    )
    yield ("AUC", {"multi_label": True, "thresholds": [0.25, 0.375]}, lambda n: (binary(rng, n, 2), unit(rng, n, 2)))


def scores(rng):
    for kind in ("F1Score", "FBetaScore"):
        for average in (None, "micro", "macro", "weighted"):
            for threshold in (None, 0.5):
                options = ({"average": average} if average else {}) | ({"threshold": threshold} if threshold else {})
                options |= {"beta": 2.0} if kind == "FBetaScore" else {}
                yield kind, options, lambda n: (binary(rng, n, 3), unit(rng, n, 3))
    yield "F1Score", {}, lambda n: (binary(rng, n, 2), np.float32(rng.integers(0, 2, (n, 2)) / 2))  # rows of zeros
    for aggregation in ("uniform_average", "variance_weighted_average", "none"):
        for regressors in (0, 2):
            options = {"class_aggregation": aggregation, "num_regressors": regressors}
            yield "R2Score", options, lambda n: (eighths(rng, n, 2), eighths(rng, n, 2))
    yield "R2Score", {"num_regressors": 6}, lambda n: (eighths(rng, n, 1), eighths(rng, n, 1))  # too many at first
    yield "R2Score", {}, lambda n: (eighths(rng, n), eighths(rng, n, 1))


def overlaps(rng):
    for dtype in ({}, {"dtype": "float32"}):
        yield (
            "IoU",
            {"num_classes": 3, "target_class_ids": [0, 2]} | dtype,
            lambda n: (classes(rng, 3, n), classes(rng, 3, n)),
        )
        yield "MeanIoU", {"num_classes": 3} | dtype, lambda n: (classes(rng, 3, n, 2), classes(rng, 3, n, 2))
        yield "BinaryIoU", {"threshold": 0.25} | dtype, lambda n: (binary(rng, n, 2), unit(rng, n, 2))
    yield "BinaryIoU", {"target_class_ids": [1]}, lambda n: (binary(rng, n, 2), edges(rng, n, 2))
    yield "MeanIoU", {"num_classes": 3, "ignore_class": 0}, lambda n: (classes(rng, 3, n, 2), classes(rng, 3, n, 2))
    yield "MeanIoU", {"num_classes": 4}, lambda n: (classes(rng, 3, n, 2), classes(rng, 3, n, 2))  # one occurs nowhere
    yield "MeanIoU", {"num_classes": 2}, lambda n: (classes(rng, 3, n, 2) - 1, classes(rng, 3, n, 2))  # no classes
    yield (
        "IoU",
        {"num_classes": 3, "target_class_ids": [0, 2], "sparse_y_pred": False},
        lambda n: (classes(rng, 3, n), unit(rng, n, 3)),
    )
    yield (
        "IoU",
        {"num_classes": 3, "target_class_ids": [1], "sparse_y_true": False},
        lambda n: (one_hot(rng, 3, n), classes(rng, 3, n)),
    )
    yield "OneHotIoU", {"num_classes": 3, "target_class_ids": [0, 2]}, lambda n: (one_hot(rng, 3, n), unit(rng, n, 3))
    yield (
        "OneHotIoU",
        {"num_classes": 3, "target_class_ids": [0, 2], "sparse_y_pred": True, "ignore_class": 1},
        lambda n: (one_hot(rng, 3, n), classes(rng, 3, n)),
    )
    yield "OneHotMeanIoU", {"num_classes": 3}, lambda n: (one_hot(rng, 3, n), unit(rng, n, 3))
    yield "OneHotMeanIoU", {"num_classes": 3, "sparse_y_pred": True}, lambda n: (one_hot(rng, 3, n), classes(rng, 3, n))


MASKED = (
    "MeanSquaredError",
    "Poisson",
    "CategoricalHinge",
    "BinaryCrossentropy",
    "SparseCategoricalCrossentropy",
    "TopKCategoricalAccuracy",
)


def cases_of(case, rng, table):
    cases = []
    for number, (kind, options, draw) in enumerate(table(rng)):
        batches = [draw(n) for n in SIZES]
        weights = [np.float32(rng.integers(0, 17, n) / 8) for n in SIZES]
        if table is overlaps:  # a weight for each label
            one_hot_labels = kind.startswith("OneHot") or "sparse_y_true" in options
            labels = [len(t) if one_hot_labels else t.size for t, _ in batches]
            weights = [np.float32(rng.integers(0, 9, n) / 4) for n in labels]
        if batches[0][1].ndim == 3 and "axis" not in options:  # a weight for each row of a sample
            weights = [np.float32(rng.integers(0, 17, p.shape[:2]) / 8) for _, p in batches]
        masks = [np.arange(np.size(w)).reshape(w.shape) % 3 != 1 for w in weights]
        variants = {"": (False, False), "weighted": (True, False)}
        if kind in MASKED:
            variants |= {"masked": (False, True), "both": (True, True)}
        for variant, (weighted, masked) in variants.items():
            made = {k: None if v == "none" else v for k, v in options.items()}
            metric = getattr(M, kind)(**made)
            inputs, results = {}, []
            for i, ((y_true, y_pred), weight, mask) in enumerate(zip(batches, weights, masks)):
                inputs |= {f"y_true_{i}": y_true, f"y_pred_{i}": y_pred}
                given = tf.constant(y_pred)
                if weighted:
                    inputs[f"sample_weight_{i}"] = weight
                if masked:
                    inputs[f"mask_{i}"] = mask.astype(np.int32)
                    keras.src.backend.set_keras_mask(given, tf.constant(mask))
                metric.update_state(y_true, given, sample_weight=weight if weighted else None)
                results.append(np.asarray(metric.result()))
            inputs |= {k: np.float32(v) for k, v in options.items() if isinstance(v, list)}
            params = {"metric": kind}
            params |= {f"integer_{x}": 1 for x, v in zip(("true", "pred"), batches[0]) if v.dtype == np.int32}
            params |= {k: v for k, v in options.items() if not isinstance(v, list)}
            name = f"{kind}/{number}" + f"/{variant}" * bool(variant)
            cases.append(case(name, inputs, params, {"result": np.stack(results)}))
    return cases


def files(case):
    for table in (means, probabilities, confusion, limits, auc, scores, overlaps):
        cases = cases_of(case, np.random.default_rng(22), table)
        for part, first in enumerate(range(0, len(cases), 40), 1):
            yield f"metrics_{table.__name__}_{part}.json", cases[first : first + 40]
