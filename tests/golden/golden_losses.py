"""The losses of Keras 3: each with its options, without and with weights and masks, under every reduction.

Inputs are multiples of 1/8 or 1/32, which are short in print and exact in every floating-point dtype.
"""

import keras
import numpy as np
import tensorflow as tf

REDUCTIONS = ("none", "sum", "sum_over_batch_size", "mean", "mean_with_sample_weight")
K = keras.losses


def eighths(rng, *shape):
    return np.float32(rng.integers(-24, 25, shape) / 8)


def positive(rng, *shape):
    return np.float32(rng.integers(1, 25, shape) / 8)


def unit(rng, *shape):
    return np.float32(rng.integers(1, 32, shape) / 32)


def binary(rng, *shape):
    return rng.integers(0, 2, shape).astype(np.int32)


def one_hot(rng, classes, *shape):
    return np.eye(classes, dtype=np.int32)[rng.integers(0, classes, shape)]


def directions(rng, *shape):
    x = rng.standard_normal(shape)
    return np.float32(x / np.linalg.norm(x, axis=-1, keepdims=True))


def regression(rng):
    for kind in (
        "MeanSquaredError",
        "MeanAbsoluteError",
        "MeanAbsolutePercentageError",
        "MeanSquaredLogarithmicError",
        "LogCosh",
        "Huber",
        "CosineSimilarity",
    ):
        yield kind, {}, eighths(rng, 4, 3), eighths(rng, 4, 3)
        yield kind, {}, eighths(rng, 2, 3, 2), eighths(rng, 2, 3, 2)
        yield kind, {}, rng.integers(-3, 4, (3, 2)).astype(np.int32), eighths(rng, 3, 2)
    yield "Huber", {"delta": 0.5}, eighths(rng, 4, 3), eighths(rng, 4, 3)
    yield "CosineSimilarity", {"axis": 1}, eighths(rng, 2, 3, 2), eighths(rng, 2, 3, 2)
    yield "MeanAbsolutePercentageError", {}, np.float32([[0, 0.5], [0, -2]]), np.float32([[0.25, 0.5], [0, 1]])
    yield "MeanSquaredLogarithmicError", {}, np.float32([[-1, 0.5], [0, 2]]), np.float32([[0.25, -0.5], [0, 1]])
    yield "MeanAbsoluteError", {}, eighths(rng, 4), eighths(rng, 4, 1)  # one axis less
    yield "MeanSquaredError", {}, eighths(rng, 2, 3, 1), eighths(rng, 2, 3)


def crossentropy(rng):
    for options in (
        {},
        {"label_smoothing": 0.25},
        {"from_logits": True},
        {"from_logits": True, "label_smoothing": 0.25},
    ):
        scores = eighths if options.get("from_logits") else unit
        yield "BinaryCrossentropy", options, binary(rng, 4, 3), scores(rng, 4, 3)
        yield "CategoricalCrossentropy", options, one_hot(rng, 3, 4), scores(rng, 4, 3)
    yield "BinaryCrossentropy", {"axis": 0}, binary(rng, 3, 2), unit(rng, 3, 2)
    yield "BinaryCrossentropy", {}, unit(rng, 2, 3, 2), unit(rng, 2, 3, 2)
    yield "CategoricalCrossentropy", {}, one_hot(rng, 3, 2, 2), unit(rng, 2, 2, 3)
    yield "CategoricalCrossentropy", {"axis": 1}, np.moveaxis(one_hot(rng, 3, 2, 2), -1, 1), unit(rng, 2, 3, 2)
    yield (
        "CategoricalCrossentropy",
        {"axis": 1, "from_logits": True},
        np.moveaxis(one_hot(rng, 3, 2, 2), -1, 1),
        eighths(rng, 2, 3, 2),
    )
    labels = np.int32([2, 0, 1, 1])
    for options in ({}, {"from_logits": True}, {"ignore_class": 1}, {"ignore_class": -1, "from_logits": True}):
        scores = eighths if options.get("from_logits") else unit
        given = np.where(labels == 0, -1, labels).astype(np.int32) if options.get("ignore_class") == -1 else labels
        yield "SparseCategoricalCrossentropy", options, given, scores(rng, 4, 3)
        yield "SparseCategoricalCrossentropy", options, given.reshape(2, 2), scores(rng, 2, 2, 3)
        yield "SparseCategoricalCrossentropy", options, given.reshape(4, 1), scores(rng, 4, 3)


def focal(rng):
    for options in (
        {},
        {"gamma": 1.5},
        {"from_logits": True},
        {"label_smoothing": 0.25},
        {"from_logits": True, "label_smoothing": 0.25},
    ):
        scores = eighths if options.get("from_logits") else unit
        yield "BinaryFocalCrossentropy", options, binary(rng, 4, 2), scores(rng, 4, 2)
        yield "CategoricalFocalCrossentropy", options, one_hot(rng, 3, 3), scores(rng, 3, 3)
    yield "BinaryFocalCrossentropy", {"apply_class_balancing": True}, binary(rng, 4, 2), unit(rng, 4, 2)
    yield "BinaryFocalCrossentropy", {"apply_class_balancing": True, "alpha": 0.75}, binary(rng, 4, 2), unit(rng, 4, 2)
    yield "BinaryFocalCrossentropy", {"axis": 0}, binary(rng, 3, 2), unit(rng, 3, 2)
    yield "BinaryFocalCrossentropy", {}, binary(rng, 2, 2, 2), unit(rng, 2, 2, 2)
    yield "CategoricalFocalCrossentropy", {"alpha": 0.75}, one_hot(rng, 3, 3), unit(rng, 3, 3)
    yield "CategoricalFocalCrossentropy", {"alpha": [0.25, 0.5, 1.0]}, one_hot(rng, 3, 3), unit(rng, 3, 3)
    yield "CategoricalFocalCrossentropy", {"axis": 1}, np.moveaxis(one_hot(rng, 3, 2, 2), -1, 1), unit(rng, 2, 3, 2)
    yield "CategoricalFocalCrossentropy", {}, one_hot(rng, 3, 2, 2), unit(rng, 2, 2, 3)


def margins(rng):
    for kind in ("Hinge", "SquaredHinge"):
        yield kind, {}, 2 * binary(rng, 4, 3) - 1, eighths(rng, 4, 3)
        yield kind, {}, binary(rng, 4, 3), eighths(rng, 4, 3)  # zeros and ones alone
        yield kind, {}, np.float32([[0, 1], [-1, 1]]), eighths(rng, 2, 2)  # zeros among others
        yield kind, {}, binary(rng, 2, 2, 3), eighths(rng, 2, 2, 3)
    yield "CategoricalHinge", {}, one_hot(rng, 3, 4), eighths(rng, 4, 3)
    yield "CategoricalHinge", {}, one_hot(rng, 3, 2, 2), eighths(rng, 2, 2, 3)
    for kind in ("KLDivergence", "Poisson"):
        yield kind, {}, unit(rng, 4, 3), unit(rng, 4, 3)
        yield kind, {}, unit(rng, 2, 2, 3), unit(rng, 2, 2, 3)
        yield kind, {}, binary(rng, 4, 2), unit(rng, 4, 2)
    yield "KLDivergence", {}, np.float32([[0, 1], [0.5, 2]]), np.float32([[0.5, 0], [1.5, 0.25]])
    yield "Poisson", {}, rng.integers(0, 5, (3, 2)).astype(np.int32), positive(rng, 3, 2)


def others(rng):
    for kind in ("Dice", "Tversky"):
        for axis in (None, [1, 2], [0]):
            options = {} if axis is None else {"axis": axis}
            yield kind, options, binary(rng, 3, 2, 2), unit(rng, 3, 2, 2)
    yield "Tversky", {"alpha": 0.25, "beta": 0.75}, binary(rng, 3, 4), unit(rng, 3, 4)
    yield "Tversky", {"alpha": 0.25, "beta": 0.75, "axis": [1]}, binary(rng, 3, 4), unit(rng, 3, 4)
    # The last row is alone in its class.
    labels = np.int32([0, 1, 0, 1, 2])
    for options in ({}, {"gamma": 2.0}, {"gamma": 2.0, "margin": 0.25}, {"gamma": 2.0, "remove_diagonal": False}):
        yield "Circle", options, labels, directions(rng, 5, 3)
    yield "Circle", {"gamma": 2.0}, labels[:, None], directions(rng, 5, 3)
    for q in (0.5, 0.75):
        yield "CategoricalGeneralizedCrossEntropy", {"q": q}, np.int32([2, 0, 1]), unit(rng, 3, 3)
    yield "CTC", {}, np.int32([[1, 2, 2], [3, 0, 0]]), eighths(rng, 2, 6, 4)
    yield "CTC", {}, np.int32([[3, 1], [0, 0]]), eighths(rng, 2, 3, 4)
    yield "CTC", {}, np.int32([[1, 1, 2], [1, 2, 3]]), eighths(rng, 2, 3, 4)  # no time for the blank between 1 and 1


def outputs_of(kind, options, y_true, y_pred, weight, mask):
    made, outputs = getattr(K, kind), {}
    x = tf.constant(y_pred)
    if mask is not None:
        keras.src.backend.set_keras_mask(x, tf.constant(mask))
    for reduction in REDUCTIONS:
        with tf.GradientTape() as tape:
            tape.watch(x)
            outputs[reduction] = made(reduction=reduction, **options)(y_true, x, sample_weight=weight)
        if reduction == "sum_over_batch_size":
            outputs["gradient"] = tape.gradient(outputs[reduction], x)
    if weight is None and mask is None:  # the means are one: say it once
        del outputs["mean"], outputs["mean_with_sample_weight"]
    if kind == "CTC" and np.max(outputs["sum"]) > 500:  # TensorFlow's gradient is that of another number there
        del outputs["gradient"]
    return outputs


def cases_of(case, rng, table):
    cases = []
    for number, (kind, options, y_true, y_pred) in enumerate(table(rng)):
        values = getattr(K, kind)(reduction="none", **options)(y_true, y_pred).shape
        weight = np.float32(rng.integers(0, 17, values) / 8)
        mask = np.ones(values, bool)
        mask.flat[1::3] = False
        variants = {"": (None, None), "weighted": (weight, None), "masked": (None, mask), "both": (weight, mask)}
        if len(values) == 0:
            variants = {"": (None, None), "weighted": (np.float32([0.5, 2, 1]), None)}
        elif number % 4 == 0:
            variants["column"] = (weight[:, :1] if len(values) > 1 else weight[:, None], None)
        for variant, (w, m) in variants.items():
            inputs = {"y_true": y_true, "y_pred": y_pred}
            inputs |= {} if w is None else {"sample_weight": w}
            inputs |= {} if m is None else {"mask": m.astype(np.int32)}
            inputs |= {k: np.float32(v) for k, v in options.items() if isinstance(v, list)}
            params = {"loss": kind, "integers": np.issubdtype(y_true.dtype, np.integer)}
            params |= {k: v for k, v in options.items() if not isinstance(v, list)}
            outputs = outputs_of(
                kind, {k: tuple(v) if isinstance(v, list) else v for k, v in options.items()}, y_true, y_pred, w, m
            )
            cases.append(case(f"{kind}/{number}" + f"/{variant}" * bool(variant), inputs, params, outputs))
    return cases


def files(case):
    for table in (regression, crossentropy, focal, margins, others):
        cases = cases_of(case, np.random.default_rng(21), table)
        half = len(cases) // 2
        yield f"losses_{table.__name__}_1.json", cases[:half]
        yield f"losses_{table.__name__}_2.json", cases[half:]
