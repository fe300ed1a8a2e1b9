#!/usr/bin/env python3
"""Makes the golden values of tests/golden/*.json with Keras 3 on tensorflow-cpu 2.21 (see README.md here).

Run it with a Python that has them, such as that of `make bench`:  .venv-peers/bin/python tests/golden/make_golden.py
"""

import importlib
import json
import os
import pathlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np
import tensorflow as tf

import golden_attention
import golden_linalg
import golden_optimizers

HERE = pathlib.Path(__file__).resolve().parent
rng = np.random.default_rng(20)


# --- The form of the files: one array a line, so that a diff reads well ----------------------------------------------


def array(value):
    value = np.asarray(value)
    if value.dtype.kind in "OSU":  # strings: one character for each byte
        texts = [v.encode() if isinstance(v, str) else bytes(v) for v in value.ravel()]
        return {"shape": list(value.shape), "data": [t.decode("latin-1") for t in texts]}
    if value.dtype == np.float64:
        value = value.astype(np.float32)
    numbers = [int(v) if value.dtype.kind in "iub" else float(f"{float(v):.9g}") for v in value.ravel()]
    assert all(np.isfinite(numbers)), "JSON has no infinities"
    return {"shape": list(value.shape), "data": numbers}


def case(name, inputs, params, outputs):
    for key, value in params.items():
        assert isinstance(value, (int, float, str)), (name, key, value)
    return {
        "name": name,
        "inputs": {k: array(v) for k, v in inputs.items()},
        "params": {k: int(v) if isinstance(v, bool) else v for k, v in params.items()},
        "outputs": {k: array(v) for k, v in outputs.items()},
    }


def write(file, cases):
    def compact(value):
        return json.dumps(value, separators=(", ", ": "), allow_nan=False)

    def section(values):
        return "{" + ",".join(f"\n   {compact(k)}: {compact(v)}" for k, v in values.items()) + "}"

    texts = []
    for c in cases:
        parts = (f'"name": {compact(c["name"])}', *(f'"{s}": {section(c[s])}' for s in ("inputs", "params", "outputs")))
        texts.append("{" + ",\n  ".join(parts) + "}")
    text = "[" + ",\n ".join(texts) + "]\n"
    assert json.loads(text) == cases and len({c["name"] for c in cases}) == len(cases)
    assert len(text) < 50_000, (file, len(text))
    (HERE / file).write_text(text)
    print(f"{file}: {len(cases)} cases, {len(text)} bytes")


# --- Losses -----------------------------------------------------------------------------------------------------------


def losses():
    """The loss under each reduction, and the gradient of sum_over_batch_size with respect to y_pred."""

    def probabilities(*shape):
        raw = rng.uniform(0.02, 1, shape).astype(np.float32)
        return raw / raw.sum(-1, keepdims=True)

    def normal(*shape):
        return (2 * rng.standard_normal(shape)).astype(np.float32)

    binary = (rng.random((6, 3)) > 0.5).astype(np.float32)
    one_hot = np.eye(4, dtype=np.float32)[[2, 0, 3, 1, 1]]
    labels = np.array([2, 0, 3, 1, 1], np.int32)
    unit = rng.uniform(0.02, 0.98, (6, 3)).astype(np.float32)
    K = keras.losses
    table = [  # name, class, options, y_true, y_pred
        ("binary_crossentropy", K.BinaryCrossentropy, {}, binary, unit),
        ("binary_crossentropy/smoothed", K.BinaryCrossentropy, {"label_smoothing": 0.1}, binary, unit),
        ("binary_crossentropy/logits", K.BinaryCrossentropy, {"from_logits": True}, binary, normal(6, 3)),
        (
            "binary_crossentropy/logits_smoothed",
            K.BinaryCrossentropy,
            {"from_logits": True, "label_smoothing": 0.2},
            binary,
            normal(6, 3),
        ),
        ("categorical_crossentropy", K.CategoricalCrossentropy, {}, one_hot, probabilities(5, 4)),
        (
            "categorical_crossentropy/smoothed",
            K.CategoricalCrossentropy,
            {"label_smoothing": 0.1},
            one_hot,
            probabilities(5, 4),
        ),
        # Rows that do not sum to 1: Keras divides by the sum first.
        ("categorical_crossentropy/unnormalised", K.CategoricalCrossentropy, {}, one_hot, 3 * probabilities(5, 4)),
        ("categorical_crossentropy/logits", K.CategoricalCrossentropy, {"from_logits": True}, one_hot, normal(5, 4)),
        ("sparse_categorical_crossentropy", K.SparseCategoricalCrossentropy, {}, labels, probabilities(5, 4)),
        (
            "sparse_categorical_crossentropy/logits",
            K.SparseCategoricalCrossentropy,
            {"from_logits": True},
            labels,
            normal(5, 4),
        ),
        ("mean_squared_error", K.MeanSquaredError, {}, normal(5, 3), normal(5, 3)),
    ]
    cases = []
    for name, make, options, y_true, y_pred in table:
        weight = rng.uniform(0, 2, len(y_true)).astype(np.float32)
        weight[1] = 0
        for weighted in (False, True):
            inputs = {"y_true": y_true, "y_pred": y_pred, **({"sample_weight": weight} if weighted else {})}
            outputs, x = {}, tf.constant(y_pred)
            for reduction in ("none", "sum", "sum_over_batch_size"):
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    loss = make(reduction=reduction, **options)(y_true, x, sample_weight=weight if weighted else None)
                outputs[reduction] = loss
            outputs["gradient"] = tape.gradient(loss, x)
            cases.append(case(name + "/weighted" * weighted, inputs, {"loss": name.split("/")[0], **options}, outputs))

    # Certain and wrong, certain and right: the probabilities are clipped to [1e-7, 1 - 1e-7] first.
    edge_true, edge = np.float32([[1, 0, 1, 0]]), np.float32([[0, 1, 1, 0]])
    for name, function, t, p in (
        ("binary_crossentropy", K.BinaryCrossentropy(), edge_true, edge),
        ("categorical_crossentropy", K.CategoricalCrossentropy(), np.float32([[1, 0]]), np.float32([[0, 1]])),
        ("sparse_categorical_crossentropy", K.SparseCategoricalCrossentropy(), np.int32([0]), np.float32([[0, 1]])),
    ):
        inputs = {"y_true": t, "y_pred": p}
        cases.append(case(f"{name}/clipped", inputs, {"loss": name}, {"sum_over_batch_size": function(t, p)}))
    large_true, large = np.float32([[1, 0, 1, 0]]), np.float32([[100, 100, -100, -100]])
    loss = K.BinaryCrossentropy(from_logits=True)(large_true, large)
    cases.append(
        case(
            "binary_crossentropy/large_logits",
            {"y_true": large_true, "y_pred": large},
            {"loss": "binary_crossentropy", "from_logits": True},
            {"sum_over_batch_size": loss},
        )
    )
    return cases


# --- Metrics ----------------------------------------------------------------------------------------------------------


def metrics():
    """Three batches of 5, 5 and 3 rows; "result" is the metric after each of them."""
    sizes = (5, 5, 3)
    M = keras.metrics

    def classes(n, count=4):
        return rng.integers(0, count, n).astype(np.int32)

    def unit(*shape):
        return rng.random(shape).astype(np.float32)

    table = [
        ("Accuracy", {}, lambda n: (classes(n, 2), classes(n, 2))),
        ("BinaryAccuracy", {}, lambda n: ((unit(n, 1) > 0.5).astype(np.float32), unit(n, 1))),
        ("BinaryAccuracy", {"threshold": 0.3}, lambda n: ((unit(n, 2) > 0.5).astype(np.float32), unit(n, 2))),
        ("CategoricalAccuracy", {}, lambda n: (np.eye(4, dtype=np.float32)[classes(n)], unit(n, 4))),
        ("SparseCategoricalAccuracy", {}, lambda n: (classes(n), unit(n, 4))),
        ("SparseCategoricalAccuracy", {}, lambda n: (classes(n)[:, None], unit(n, 4))),
        ("MeanSquaredError", {}, lambda n: (unit(n, 3), unit(n, 3))),
    ]
    cases = []
    for index, (kind, options, draw) in enumerate(table):
        batches = [draw(n) for n in sizes]
        weights = [rng.uniform(0, 2, n).astype(np.float32) for n in sizes]
        for weighted in (False, True):
            metric = getattr(M, kind)(**options)
            inputs, results = {}, []
            for i, ((y_true, y_pred), weight) in enumerate(zip(batches, weights)):
                inputs |= {f"y_true_{i}": y_true, f"y_pred_{i}": y_pred}
                if weighted:
                    inputs[f"sample_weight_{i}"] = weight
                metric.update_state(y_true, y_pred, sample_weight=weight if weighted else None)
                results.append(float(metric.result()))
            name = f"{kind}/{index}{'/weighted' * weighted}"
            cases.append(case(name, inputs, {"metric": kind, **options}, {"result": results}))

    # The probability that equals the threshold is not above it; of equal scores the first counts.
    y_true, y_pred = np.float32([[0], [0], [1]]), np.float32([[0.5], [0.5], [0.5]])
    result = [float(M.BinaryAccuracy()(y_true, y_pred))]
    cases.append(
        case(
            "BinaryAccuracy/tie",
            {"y_true_0": y_true, "y_pred_0": y_pred},
            {"metric": "BinaryAccuracy"},
            {"result": result},
        )
    )
    y_true, y_pred = np.int32([0, 1, 2]), np.float32([[0.4, 0.4, 0.2], [0.4, 0.4, 0.2], [0.2, 0.4, 0.4]])
    result = [float(M.SparseCategoricalAccuracy()(y_true, y_pred))]
    cases.append(
        case(
            "SparseCategoricalAccuracy/tie",
            {"y_true_0": y_true, "y_pred_0": y_pred},
            {"metric": "SparseCategoricalAccuracy"},
            {"result": result},
        )
    )
    return cases


# --- Initialisers -----------------------------------------------------------------------------------------------------


def initializers():
    """Bits cannot agree, distributions can. "limit" is the bound of a uniform one or the cut of a truncated one;
    "stddev" is the standard deviation of what is drawn; "mean" and "observed_stddev" are those of a large draw of
    Keras."""
    from keras.src.initializers.random_initializers import compute_fans

    cut = 0.87962566103423978  # the standard deviation of a normal that is cut at ±2
    scaled = {"Glorot": (1.0, "fan_avg"), "He": (2.0, "fan_in"), "Lecun": (1.0, "fan_in")}
    cases = []

    def add(name, kind, shape, params, limit, stddev):
        make = getattr(keras.initializers, kind)
        draws = [np.asarray(make(seed=seed, **params)(shape)) for seed in range(max(1, 200_000 // int(np.prod(shape))))]
        draw = np.concatenate([d.ravel() for d in draws]).astype(np.float64)
        error = 5 * stddev / np.sqrt(draw.size)
        assert abs(draw.mean() - params.get("mean", 0)) < error + 1e-7, (name, draw.mean(), error)
        assert abs(draw.std() - stddev) < 2 * error, (name, draw.std(), stddev)
        outputs = {"stddev": stddev, "mean": draw.mean(), "observed_stddev": draw.std()}
        if limit is not None:
            centre = params.get("mean", 0)
            assert np.abs(draw - centre).max() <= limit * 1.000001, (name, np.abs(draw).max(), limit)
            assert np.abs(draw - centre).max() > limit * 0.98, (name, np.abs(draw).max(), limit)
            outputs["limit"] = limit
        cases.append(case(name, {"shape": np.int32(shape)}, {"initializer": kind, **params}, outputs))

    for shape in ((100, 64), (64, 1), (3, 3, 16, 32), (7,)):
        fan_in, fan_out = compute_fans(shape)
        for family, (scale, mode) in scaled.items():
            fan = {"fan_in": fan_in, "fan_avg": (fan_in + fan_out) / 2}[mode]
            variance = scale / max(1.0, fan)
            text = "x".join(map(str, shape))
            add(f"{family}Uniform/{text}", f"{family}Uniform", shape, {}, np.sqrt(3 * variance), np.sqrt(variance))
            add(f"{family}Normal/{text}", f"{family}Normal", shape, {}, 2 * np.sqrt(variance) / cut, np.sqrt(variance))
    shape = (100, 64)
    add("RandomNormal", "RandomNormal", shape, {}, None, 0.05)
    add("RandomNormal/options", "RandomNormal", shape, {"mean": 1.0, "stddev": 0.5}, None, 0.5)
    add("TruncatedNormal", "TruncatedNormal", shape, {}, 0.1, 0.05 * cut)
    add("TruncatedNormal/options", "TruncatedNormal", shape, {"mean": 1.0, "stddev": 0.5}, 1.0, 0.5 * cut)
    add("RandomUniform", "RandomUniform", shape, {}, 0.05, 0.05 / np.sqrt(3))
    return cases


# --- Activations ------------------------------------------------------------------------------------------------------


def activations():
    """Values, and the gradient of their sum (for softmax and log_softmax: of the sum of values times "upstream")."""
    A = keras.activations
    grid = np.concatenate([np.linspace(-8, 8, 33), [-100, -30, -15, -1e-3, -1e-6, 1e-6, 1e-3, 15, 30, 100]])
    grid = grid.astype(np.float32)
    rows = np.concatenate([3 * rng.standard_normal((3, 5)), [[100, 0, -100, 99, 1]], [[0, 0, 0, 0, 0]]])
    rows = rows.astype(np.float32)
    upstream = rng.standard_normal(rows.shape).astype(np.float32)

    def one(name, function, x, weights=None, **params):
        x = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x, **params)
            total = tf.reduce_sum(y if weights is None else y * weights)
        inputs = {"x": x, **({} if weights is None else {"upstream": weights})}
        params = {"activation": name.split("/")[0], **params}
        return case(name, inputs, params, {"y": y, "gradient": tape.gradient(total, x)})

    elementwise = {n: getattr(A, n) for n in ("relu", "sigmoid", "tanh", "gelu", "elu", "softplus", "silu")}
    cases = [one(name, function, grid) for name, function in elementwise.items()]
    cases.append(one("gelu/approximate", A.gelu, grid, approximate=True))
    cases.append(one("elu/alpha", A.elu, grid, alpha=0.5))
    cases += [one(name, getattr(A, name), rows, upstream) for name in ("softmax", "log_softmax")]

    # The others on fewer points, with all their kinks among them.
    kinks = [0, 0.5, 1, 1.5, 2, 3, 6]
    small = np.float32(sorted({s * v for s in (-1, 1) for v in (*kinks, 1e-3, 0.3, 2.7, 4.5, 9, 30)}))
    names = (
        "relu6",
        "leaky_relu",
        "selu",
        "celu",
        "mish",
        "softsign",
        "hard_sigmoid",
        "hard_silu",
        "hard_tanh",
        "tanh_shrink",
        "hard_shrink",
        "soft_shrink",
        "squareplus",
        "sparse_plus",
        "sparse_sigmoid",
        "log_sigmoid",
    )
    cases += [one(name, getattr(A, name), small) for name in names]
    cases.append(one("exponential", A.exponential, small[np.abs(small) < 10]))
    for name, options in (
        ("relu/slope", {"negative_slope": 0.1}),
        ("relu/max", {"max_value": 2.0}),
        ("relu/max6", {"max_value": 6.0}),
        ("relu/threshold", {"threshold": 1.5}),
        ("relu/slope_max", {"negative_slope": 0.1, "max_value": 2.0}),
        ("relu/all", {"negative_slope": 0.1, "max_value": 2.0, "threshold": 1.0}),
        ("leaky_relu/slope", {"negative_slope": 0.3}),
        ("celu/alpha", {"alpha": 0.5}),
        ("hard_shrink/threshold", {"threshold": 1.0}),
        ("soft_shrink/threshold", {"threshold": 1.0}),
        ("squareplus/b", {"b": 2.0}),
        ("threshold", {"threshold": 0.5, "default_value": -7.0}),
    ):
        cases.append(one(name, getattr(A, name.split("/")[0]), small, **options))
    cases.append(one("softmax/axis", A.softmax, rows, upstream, axis=0))
    cases.append(one("log_softmax/axis", A.log_softmax, rows, upstream, axis=0))
    even = rows[:, :4]
    cases.append(one("glu", A.glu, even, upstream[:, :2]))
    cases.append(one("glu/axis", A.glu, even[:4], upstream[:2, :4], axis=0))
    cases.append(one("crelu", tf.nn.crelu, rows[:2], rng.standard_normal((2, 10)).astype(np.float32)))
    alpha = rng.uniform(0, 1, 5).astype(np.float32)
    prelu = keras.layers.PReLU(shared_axes=None)
    prelu.build((None, 5))
    prelu.set_weights([alpha])
    case_of_prelu = one("prelu", prelu, rows, upstream)
    case_of_prelu["inputs"]["alpha"] = array(alpha)
    cases.append(case_of_prelu)
    return cases


# --- Functions of tf.math ---------------------------------------------------------------------------------------------


def maths():
    """A function of x, or of x and y: its "value", and the gradients of the sum of its elements."""
    m = tf.math
    around = np.float32([-30, -8, -3, -1.5, -1, -0.5, -0.01, 0, 0.01, 0.5, 1, 1.5, 3, 8, 30])
    # The outermost has an exact (x + 1) / 2, from which TensorFlow's erfinv goes on.
    inside = np.float32([-0.9990234375, -0.9, -0.5, -0.1, -1e-3, 0, 1e-3, 0.1, 0.5, 0.9, 0.9990234375])
    positive = np.float32([1e-3, 0.1, 0.5, 1, 1.5, 2, 3.25, 10, 50, 1000])

    def one(name, function, *inputs):
        inputs = [tf.constant(v) for v in inputs]
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            value = function(*inputs)
            total = tf.reduce_sum(value) if value.dtype.is_floating else None
        outputs = {"value": value}
        if total is not None and name not in ("truncatemod", "truncatediv", "rint", "nextafter"):
            gradients = tape.gradient(total, inputs)
            outputs |= {f"gradient_{k}": g for k, g in zip("xyz", gradients) if g is not None}
        return case(name, dict(zip("xyz", inputs)), {"function": name.split("/")[0]}, outputs)

    cases = [one(name, getattr(m, name), around[np.abs(around) < 20]) for name in ("sinh", "cosh", "erfc")]
    cases += [one(name, getattr(m, name), around) for name in ("tan", "atan", "asinh", "rint", "reciprocal_no_nan")]
    cases += [one(name, getattr(m, name), inside) for name in ("asin", "acos", "atanh", "erfinv")]
    cases += [one(name, getattr(m, name), np.float32([1e-6, 1e-3, 0.1, 0.25, 0.5, 0.9, 0.999])) for name in ("ndtri",)]
    cases.append(one("erfcinv", m.erfcinv, np.float32([1e-6, 1e-3, 0.1, 0.5, 1, 1.5, 1.999])))
    cases.append(one("acosh", m.acosh, np.float32([1.001, 1.5, 2, 10, 1e6])))
    cases += [
        one(name, getattr(m, name), np.concatenate([positive, np.float32([-0.5, -1.25, -3.75])]))
        for name in ("lgamma", "digamma")
    ]
    for n in (1, 2, 3):
        cases.append(one(f"polygamma/{n}", lambda x, n=n: m.polygamma(tf.fill(x.shape, float(n)), x), positive[1:]))
    K = keras.ops
    cases += [one(name, getattr(K, name), around) for name in ("exp2", "deg2rad", "rad2deg")]
    cases += [one(name, getattr(K, name), positive) for name in ("log2", "log10")]
    cases.append(one("trunc", K.trunc, np.float32([-2.7, -2.5, -0.5, 0, 0.5, 2.5, 2.7])))

    x, y = (np.float32(v.ravel()) for v in np.meshgrid([-2.5, -1, 0, 0.5, 3], [-1.5, 0, 0.75, 4]))
    positive_y = np.abs(y) + np.float32(0.25)
    cases += [one(name, getattr(m, name), x, positive_y) for name in ("xlogy", "xlog1py", "xdivy")]
    cases += [one(name, getattr(m, name), x, y) for name in ("multiply_no_nan", "divide_no_nan", "squared_difference")]
    cases += [one(name, getattr(K, name), x, y + np.float32(0.1)) for name in ("hypot", "logaddexp")]
    cases += [one(name, getattr(tf, name), x, y + np.float32(0.125)) for name in ("truncatediv", "truncatemod")]
    cases += [one(name, getattr(m, name), x, y + np.float32(0.125)) for name in ("floordiv", "floormod", "nextafter")]
    rows = (2 * rng.standard_normal((3, 4))).astype(np.float32)
    cases.append(one("xlogy/broadcast", m.xlogy, rows, np.float32([0.5, 1, 2, 7])))

    a = np.int32([7, -7, 7, -7, 6, -6, 0, 100])
    b = np.int32([2, 2, -2, -2, 3, 3, 5, -7])
    cases += [one(f"{name}/integers", getattr(tf, name), a, b) for name in ("truncatediv", "truncatemod")]
    cases += [one(f"{name}/integers", getattr(m, name), a, b) for name in ("floordiv", "floormod")]
    shift = np.int32([0, 1, 5, 31, 2, 40, -1, 3])
    cases += [one(name, getattr(tf.bitwise, name), a, shift) for name in ("left_shift", "right_shift")]
    cases.append(one("bitwise_not", tf.bitwise.invert, a))

    kinks = np.float32([-3, -1, -0.5, 0, 0.5, 1, 3])
    cases.append(one("clip_by_value", lambda x: tf.clip_by_value(x, -1.0, 1.0), kinks))
    cases.append(one("clip_by_value/tensors", tf.clip_by_value, kinks, np.full(7, -1, np.float32), np.float32([0.5])))
    cases.append(one("polyval", lambda x: m.polyval([tf.constant(c) for c in (2.0, -1.0, 0.5)], x), kinks))
    for scale in (1, 0.1):
        cases.append(one(f"clip_by_norm/{scale}", lambda x: tf.clip_by_norm(x, 2.0), np.float32(scale) * rows))
    cases.append(one("clip_by_norm/rows", lambda x: tf.clip_by_norm(x, 2.0, axes=[1]), rows))
    cases.append(one("clip_by_norm/zero", lambda x: tf.clip_by_norm(x, 2.0), 0 * rows))
    cases.append(one("global_norm", lambda x, y: tf.linalg.global_norm([x, None, y]), rows, kinks))
    for norm in (1, 100):
        for part in (0, 1):
            cases.append(
                one(
                    f"clip_by_global_norm/{norm}/{part}",
                    lambda x, y, norm=norm, part=part: tf.clip_by_global_norm([x, y], float(norm))[0][part],
                    rows,
                    kinks,
                )
            )
    for c in cases:
        parts = c["name"].split("/")
        if parts[0] == "polygamma":
            c["params"]["order"] = int(parts[1])
        if parts[0] == "clip_by_norm":
            c["params"]["rows"] = int(parts[1] == "rows")
        if parts[0] == "clip_by_global_norm":
            c["params"] |= {"norm": int(parts[1]), "part": int(parts[2])}
    return cases


# --- Ops: shapes, reductions, indexing --------------------------------------------------------------------------------


def op_case(name, call, inputs, params=None, lists=None, gradient=(), wave=np.cos):
    """What call(**inputs, **params, **lists) gives, as y_0, y_1, …, and the gradient of sum(y_0 · upstream) with
    respect to the inputs that `gradient` names. Each input's dtype is a parameter; lists are inputs too. "function" is
    the name up to a slash."""
    params, lists = params or {}, lists or {}
    inputs = {k: tf.constant(v) for k, v in inputs.items()}
    with tf.GradientTape(persistent=True) as tape:
        for key in gradient:
            tape.watch(inputs[key])
        y = call(**inputs, **params, **lists)
        y = list(y) if isinstance(y, (list, tuple)) else [y]
        upstream = wave(np.arange(int(np.prod(y[0].shape)), dtype=np.float32)).reshape(y[0].shape)
        upstream = upstream.astype(y[0].dtype.as_numpy_dtype)
        if gradient:
            total = tf.reduce_sum(y[0] * upstream)
    outputs = {f"y_{i}": one for i, one in enumerate(y)}
    outputs |= {f"gradient_{key}": tf.convert_to_tensor(tape.gradient(total, inputs[key])) for key in gradient}
    shown = {"function": name.split("/")[0], **params, **{f"dtype_{k}": v.dtype.name for k, v in inputs.items()}}
    held = {**inputs, **{k: np.int32(v) for k, v in lists.items()}, **({"upstream": upstream} if gradient else {})}
    return case(name, held, shown, outputs)


def shapes():
    x = np.arange(1, 13, dtype=np.float32).reshape(2, 3, 2)
    m = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
    v = np.float32([5, 1, 4])
    image = np.arange(2 * 4 * 6 * 4, dtype=np.int32).reshape(2, 4, 6, 4)
    one = op_case
    cases = [
        one("tile", tf.tile, {"input": x}, lists={"multiples": [2, 1, 3]}, gradient=["input"]),
        one("tile/zero", tf.tile, {"input": m}, lists={"multiples": [2, 0]}),
        one("repeat", tf.repeat, {"input": m}, {"repeats": 2, "axis": 1}, gradient=["input"]),
        one("repeat_each", tf.repeat, {"input": m}, {"axis": 0}, {"repeats": [2, 0, 3]}, gradient=["input"]),
        one("reverse", tf.reverse, {"tensor": x}, lists={"axis": [0, -1]}, gradient=["tensor"]),
        one("roll", tf.roll, {"input": m}, lists={"shift": [1, -6], "axis": [0, 1]}, gradient=["input"]),
        one("roll/twice", tf.roll, {"input": m}, lists={"shift": [1, 2], "axis": [1, 1]}),
        one("rot90", lambda x, k: tf.experimental.numpy.rot90(x, k), {"x": m}, {"k": 1}),
        one("rot90/3", lambda x, k: tf.experimental.numpy.rot90(x, k), {"x": m}, {"k": -1}),
        one("moveaxis", tf.experimental.numpy.moveaxis, {"a": x}, {"source": 0, "destination": -1}),
        one("swapaxes", tf.experimental.numpy.swapaxes, {"a": x}, {"axis1": 0, "axis2": 2}),
        one("unstack", tf.unstack, {"value": m}, {"axis": 1}, gradient=["value"]),
        one("split", tf.split, {"value": m}, {"num_or_size_splits": 2, "axis": 1}),
        one("split_sizes", tf.split, {"value": m}, {"axis": -1}, {"num_or_size_splits": [1, 3, 0]}),
        one("stack", lambda a, b, axis: tf.stack([a, b], axis), {"a": m, "b": -m}, {"axis": -1}, gradient=["a"]),
        one("space_to_depth", tf.nn.space_to_depth, {"input": image}, {"block_size": 2}),
        one("depth_to_space", tf.nn.depth_to_space, {"input": image}, {"block_size": 2}),
        one("range", tf.range, dict(zip(("start", "limit", "delta"), np.int32([3, -8, -2])))),
        one("range/real", tf.range, dict(zip(("start", "limit", "delta"), np.float32([0, 1, 0.1])))),
        one("range/empty", tf.range, dict(zip(("start", "limit", "delta"), np.int32([3, 3, 2])))),
        one(
            "linspace",
            tf.linspace,
            {"start": np.float32([0, 5]), "stop": np.float32([10, 40])},
            {"num": 7, "axis": -1},
            gradient=["start", "stop"],
        ),
        one("linspace/two", tf.linspace, {"start": np.float32(2), "stop": np.float32(9)}, {"num": 2, "axis": 0}),
        one("linspace/one", tf.linspace, {"start": np.float32(2), "stop": np.float32(9)}, {"num": 1, "axis": 0}),
        one("linspace/none", tf.linspace, {"start": np.float32([2]), "stop": np.float32([9])}, {"num": 0, "axis": 0}),
        one("eye", tf.eye, {}, {"num_rows": 2, "num_columns": 3}, {"batch_shape": [2]}),
        one("sequence_mask", tf.sequence_mask, {"lengths": np.int32([[1, 3], [0, 7]])}, {"maxlen": 4}),
        one("sequence_mask/read", tf.sequence_mask, {"lengths": np.int32([1, 3, -2])}),
        one(
            "one_hot",
            tf.one_hot,
            {"indices": np.int32([[0, 2], [-1, 3]])},
            {"depth": 3, "on_value": 5.0, "off_value": -1.0, "axis": 1},
        ),
        one("band_part", tf.linalg.band_part, {"input": m}, {"num_lower": 1, "num_upper": 0}, gradient=["input"]),
        one("band_part/all_below", tf.linalg.band_part, {"input": m}, {"num_lower": -1, "num_upper": 1}),
        one("tril", tf.experimental.numpy.tril, {"m": m}, {"k": -1}),
        one("triu", tf.experimental.numpy.triu, {"m": m}, {"k": 1}),
    ]
    for indexing in ("xy", "ij"):
        grid = lambda a, b, c, indexing: tf.meshgrid(a, b, c, indexing=indexing)
        cases.append(one(f"meshgrid/{indexing}", grid, {"a": v, "b": v[:2], "c": v[:1]}, {"indexing": indexing}))
    for mode in ("REFLECT", "SYMMETRIC"):
        for name, paddings in (("", [[1, 2], [3, 0]]), ("/most", [[2, 2], [3, 3]])):
            cases.append(
                one(
                    f"mirror_pad/{mode}{name}",
                    tf.pad,
                    {"tensor": m},
                    {"mode": mode},
                    {"paddings": paddings},
                    gradient=["tensor"],
                )
            )
    for k in (-2, 0, 1, 3):
        n = min(3 + min(k, 0), 4 - max(k, 0))
        cases.append(one(f"diag/{k}", tf.linalg.diag, {"diagonal": m[:2]}, {"k": k}, gradient=["diagonal"]))
        cases.append(one(f"diag_part/{k}", tf.linalg.diag_part, {"input": m}, {"k": k}, gradient=["input"]))
        cases.append(
            one(
                f"set_diag/{k}",
                tf.linalg.set_diag,
                {"input": m, "diagonal": -v[:n]},
                {"k": k},
                gradient=["input", "diagonal"],
            )
        )
    for name, block, edges in (
        ("", [2, 2], [[0, 0], [0, 0]]),
        ("/edges", [2, 3], [[2, 0], [1, 2]]),
        ("/one", [4], [[1, 3]]),
    ):
        lists = {"block_shape": block, "paddings": edges}
        cases.append(one(f"space_to_batch{name}", tf.space_to_batch, {"input": image[..., :1]}, lists=lists))
        big = np.arange(int(np.prod(block)) * 2 * 4 * 6, dtype=np.int32).reshape(-1, 4, 6, 1)
        cases.append(
            one(
                f"batch_to_space{name}", tf.batch_to_space, {"input": big}, lists={"block_shape": block, "crops": edges}
            )
        )
    return cases


def reductions():
    x = rng.standard_normal((2, 4, 3)).astype(np.float32)
    with_zeros = np.float32([[2, 0, 3, 4], [1, 2, 3, 4], [0, 5, 0, 2]])
    ties = np.float32([[1, 3, 3], [2, 2, 0], [-1, -1, -1]])
    ids = np.int32([0, 0, 2, 2, 3])
    jumbled = np.int32([[3, 0], [-1, 3], [1, 3]])
    rows = np.float32([[1, 2], [3, 4], [5, -6], [7, 8], [0, 1]])
    points = np.float32([[1, 2], [2, 0], [2, 5]])
    one = op_case
    math = tf.math
    cases = [
        one("mean_int", tf.reduce_mean, {"input_tensor": np.int32([[-1, 0, -2, 0], [1, 1, 1, 0]])}, {"axis": 1}),
        one("argmax", tf.argmax, {"input": ties}, {"axis": 1}),
        one("argmin", tf.argmin, {"input": ties}, {"axis": 1}),
        one("argmax/axis_0", tf.argmax, {"input": x}, {"axis": 0}),
        one("argmin/middle", tf.argmin, {"input": x}, {"axis": -2}),
        one("logsumexp", tf.reduce_logsumexp, {"input_tensor": 60 * x}, {"axis": 1}, gradient=["input_tensor"]),
        one("variance", math.reduce_variance, {"input_tensor": x}, {"axis": 1}, gradient=["input_tensor"]),
        one("std", math.reduce_std, {"input_tensor": x}, {"axis": 1}, gradient=["input_tensor"]),
        one("moments", tf.nn.moments, {"x": x}, lists={"axes": [0, 2]}, gradient=["x"]),
        one("count_nonzero", math.count_nonzero, {"input": with_zeros}, {"axis": 1}),
        one("bincount", math.bincount, {"arr": np.int32([1, 1, 5, 0])}),
        one("bincount/min_max", math.bincount, {"arr": np.int32([1, 1, 5, 0])}, {"minlength": 3, "maxlength": 4}),
        one("bincount/max_wins", math.bincount, {"arr": np.int32([1, 1, 5])}, {"minlength": 5, "maxlength": 3}),
        one("bincount/long", math.bincount, {"arr": np.int32([1, 1])}, {"minlength": 4}),
        one("bincount/empty", math.bincount, {"arr": np.int32([])}),
        one("bincount/weights", math.bincount, {"arr": np.int32([1, 1, 5]), "weights": np.float32([0.5, 1, 2])}),
        one(
            "histogram_fixed_width",
            lambda values, low, high, nbins: tf.histogram_fixed_width(values, [low, high], nbins),
            {"values": np.float32([-1, 0, 1.5, 2, 5, 15, 4.999])},
            {"low": 0.0, "high": 5.0, "nbins": 5},
        ),
        one(
            "unsorted_segment_sum/matrix_ids",
            math.unsorted_segment_sum,
            {"data": np.float32([[1, 2], [3, 4], [5, 6]]), "segment_ids": jumbled},
            {"num_segments": 4},
        ),
    ]
    for order in ("1", "2", "3.5", "inf"):
        norm = lambda tensor, ord, axis: tf.norm(tensor, ord=float(ord), axis=axis)
        cases.append(one(f"norm/{order}", norm, {"tensor": x}, {"ord": order, "axis": 1}, gradient=["tensor"]))
    for order in ("1", "inf", "fro"):
        norm = lambda tensor, ord: tf.norm(tensor, ord=ord if ord == "fro" else float(ord), axis=[2, 0])
        cases.append(one(f"matrix_norm/{order}", norm, {"tensor": x}, {"ord": order}, gradient=["tensor"]))
    for exclusive in (False, True):
        for reverse in (False, True):
            options = {"axis": 1, "exclusive": exclusive, "reverse": reverse}
            name = f"{int(exclusive)}{int(reverse)}"
            cases.append(one(f"cumsum/{name}", tf.cumsum, {"x": x}, options, gradient=["x"]))
            cases.append(one(f"cumprod/{name}", math.cumprod, {"x": 1 + x * x}, options, gradient=["x"]))
            if not exclusive:  # else the first is -inf, which JSON does not have
                cases.append(
                    one(
                        f"cumulative_logsumexp/{name}",
                        math.cumulative_logsumexp,
                        {"x": 30 * x},
                        options,
                        gradient=["x"],
                    )
                )
    cases.append(
        one("cumprod/zeros", math.cumprod, {"x": with_zeros}, {"axis": 1, "exclusive": False, "reverse": False})
    )
    for kind in ("sum", "mean", "max", "min", "prod"):
        cases.append(
            one(
                f"segment_{kind}",
                getattr(math, f"segment_{kind}"),
                {"data": rows, "segment_ids": ids},
                gradient=["data"],
            )
        )
    for kind in ("sum", "mean", "max", "min", "prod", "sqrt_n"):
        function = getattr(math, f"unsorted_segment_{kind}")
        cases.append(
            one(
                f"unsorted_segment_{kind}",
                function,
                {"data": points, "segment_ids": np.int32([2, 0, 2])},
                {"num_segments": 3 if kind in ("max", "min") else 4},
                gradient=["data"],
            )
        )
        cases.append(
            one(
                f"unsorted_segment_{kind}/left_out",
                function,
                {"data": points, "segment_ids": np.int32([-1, 0, 1])},
                {"num_segments": 2},
                gradient=["data"],
            )
        )
    return cases


def indexing():
    p = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    ties = np.float32([[3, 1, 3, 2, 1], [0, 0, 0, 0, 0], [-1, 5, 5, -7, 5]])
    base = np.float32([[1, 2, 3], [4, 5, 6]])
    one = op_case
    cases = [
        one(
            "gather_batch",
            tf.gather,
            {"params": p, "indices": np.int32([[0, 2, 2], [1, 0, 1]])},
            {"axis": 1, "batch_dims": 1},
            gradient=["params"],
        ),
        one(
            "gather_batch/between",
            tf.gather,
            {"params": p, "indices": np.int32([[0, 3], [1, 1]])},
            {"axis": 2, "batch_dims": 1},
            gradient=["params"],
        ),
        one(
            "gather_batch/two",
            tf.gather,
            {"params": p, "indices": np.int32([[0, 3, 1], [1, 1, 2]])},
            {"axis": 2, "batch_dims": 2},
        ),
        one(
            "gather_nd",
            tf.gather_nd,
            {"params": p, "indices": np.int32([[[0, 1], [1, 2]], [[1, 0], [1, 0]]])},
            {"batch_dims": 0},
            gradient=["params"],
        ),
        one(
            "gather_nd/elements",
            tf.gather_nd,
            {"params": p, "indices": np.int32([[0, 1, 2], [1, 2, 3]])},
            {"batch_dims": 0},
        ),
        one(
            "gather_nd/nothing",
            tf.gather_nd,
            {"params": base, "indices": np.zeros((2, 0), np.int32)},
            {"batch_dims": 0},
        ),
        one(
            "gather_nd/batch",
            tf.gather_nd,
            {"params": p, "indices": np.int32([[[0, 1], [2, 2]], [[1, 0], [1, 3]]])},
            {"batch_dims": 1},
            gradient=["params"],
        ),
        one(
            "take_along_axis",
            keras.ops.take_along_axis,
            {"x": base, "indices": np.int32([[-1, 0], [1, -3]])},
            {"axis": 1},
            gradient=["x"],
        ),
        one(
            "take_along_axis/broadcast",
            keras.ops.take_along_axis,
            {"x": p, "indices": np.int32([[[2, 0, 1, 2]]])},
            {"axis": 1},
        ),
        one(
            "scatter_nd",
            lambda indices, updates, shape: tf.scatter_nd(indices, updates, shape),
            {"indices": np.int32([[1, 2], [0, 0], [1, 2]]), "updates": np.float32([1, 2, 4])},
            lists={"shape": [2, 3]},
            gradient=["updates"],
        ),
        one(
            "searchsorted",
            tf.searchsorted,
            {
                "sorted_sequence": np.float32([[1, 3, 3, 9], [0, 0, 1, 2]]),
                "values": np.float32([[3, 0, 10], [0, 1, -1]]),
            },
            {"side": "left"},
        ),
        one(
            "searchsorted/right",
            tf.searchsorted,
            {"sorted_sequence": np.float32([1, 3, 3, 9]), "values": np.float32([3, 0, 10, 9])},
            {"side": "right"},
        ),
        one(
            "in_top_k",
            tf.math.in_top_k,
            {
                "targets": np.int32([1, 2, 0, 5, -1]),
                "predictions": np.float32([[0.1, 0.2, 0.2], [0, 1, 2], [1, 2, 3], [1, 2, 3], [1, 2, 3]]),
            },
            {"k": 2},
        ),
        one("unique", tf.unique_with_counts, {"x": np.int32([5, 1, 5, 2, 1])}),
        one("where", tf.where, {"condition": np.array([[True, False], [True, True]])}),
        one("where/numbers", tf.where, {"condition": np.float32([[0, 2, 0], [0, 0, -1]])}),
        one(
            "boolean_mask",
            tf.boolean_mask,
            {"tensor": p, "mask": np.array([[True, False, True], [False, True, True]])},
            {"axis": 0},
            gradient=["tensor"],
        ),
        one("boolean_mask/axis", tf.boolean_mask, {"tensor": p, "mask": np.array([True, False, True])}, {"axis": 1}),
        one("boolean_mask/nothing", tf.boolean_mask, {"tensor": base, "mask": np.array([False, False])}, {"axis": 0}),
        one(
            "dynamic_partition",
            tf.dynamic_partition,
            {"data": p[0], "partitions": np.int32([2, 0, 2])},
            {"num_partitions": 3},
        ),
        one(
            "dynamic_stitch",
            lambda i, j, a, b: tf.dynamic_stitch([i, j], [a, b]),
            {"i": np.int32([0, 3]), "j": np.int32([1, 2]), "a": base, "b": -base},
            gradient=["a", "b"],
        ),
    ]
    places = {"indices": np.int32([[0], [1], [0]]), "updates": np.float32([[1, 9, 3], [0, 5, 8], [7, -2, 3]])}
    for kind in ("add", "sub", "max", "min"):
        cases.append(
            one(
                f"tensor_scatter_nd_{kind}",
                getattr(tf, f"tensor_scatter_nd_{kind}"),
                {"tensor": base, **places},
                gradient=["tensor", "updates"],
            )
        )
    apart = {"indices": np.int32([[0, 1], [1, 2]]), "updates": np.float32([10, 20])}
    cases.append(
        one(
            "tensor_scatter_nd_update",
            tf.tensor_scatter_nd_update,
            {"tensor": base, **apart},
            gradient=["tensor", "updates"],
        )
    )
    for direction in ("ASCENDING", "DESCENDING"):
        for axis in (-1, 0):
            options = {"axis": axis, "direction": direction}
            cases.append(one(f"sort/{direction}{axis}", tf.sort, {"values": ties}, options, gradient=["values"]))
            cases.append(one(f"argsort/{direction}{axis}", tf.argsort, {"values": ties}, options))
    for k in (0, 1, 3, 5):
        cases.append(one(f"top_k/{k}", tf.math.top_k, {"input": ties}, {"k": k}, gradient=["input"]))
    return cases


# --- A short training run ---------------------------------------------------------------------------------------------


def fit():
    """Dense(8, relu) → Dense(1, sigmoid) from given weights: Adam, batches of 4 in order, 3 epochs over 16 rows."""
    x = rng.standard_normal((16, 5)).astype(np.float32)
    y = (x[:, :1] * x[:, 1:2] > 0).astype(np.float32)
    weights = [(0.4 * rng.standard_normal(s)).astype(np.float32) for s in ((5, 8), (8,), (8, 1), (1,))]
    names = ("w1", "b1", "w2", "b2")
    cases = []
    for name, rate, batch in (("fit", 0.05, 4), ("fit/last_batch_smaller", 0.02, 6)):
        model = keras.Sequential(
            [keras.Input((5,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1, activation="sigmoid")]
        )
        model.set_weights(weights)
        model.compile(optimizer=keras.optimizers.Adam(rate), loss="binary_crossentropy", metrics=["accuracy"])
        history = model.fit(x, y, batch_size=batch, epochs=3, shuffle=False, verbose=0).history
        evaluated = model.evaluate(x, y, batch_size=batch, verbose=0)
        outputs = {
            "loss": history["loss"],
            "accuracy": history["accuracy"],
            **dict(zip(names, model.get_weights())),
            "predictions": model.predict(x, batch_size=batch, verbose=0),
            "evaluate": evaluated,
        }
        params = {"optimizer": "adam", "learning_rate": rate, "batch_size": batch, "epochs": 3}
        cases.append(case(name, {"x": x, "y": y, **dict(zip(names, weights))}, params, outputs))
    return cases


# --- Convolutions and pooling -----------------------------------------------------------------------------------------


def pulled(function, tensors, upstream):
    """function(*tensors), and the gradients of the sum of its values times upstream."""
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = function(*tensors)
        total = tf.reduce_sum(y * upstream(y.shape))
    return y, tape.gradient(total, tensors)


def small(shape):
    """Small whole numbers: short in print, as are sums of their products, which come out exact."""
    return rng.integers(-3, 4, shape).astype(np.float32)


def whole(value):
    assert np.all(np.round(value) == value)
    return np.int32(value)


def convolution():
    """y, and the gradients of the sum of y times "upstream" with respect to what was given."""
    K = keras.ops
    cases = []

    def one(name, op, x, filters, strides, padding="valid", dilations=None, data_format="channels_last", **sizes):
        axes = len(x) - 2
        strides, dilations = (strides,) * axes, (dilations or 1,) * axes
        upstream = []

        def weights(shape):
            upstream.append(small(shape))
            return upstream[0]

        sides = sizes.get("sides")
        options = {"strides": strides, "padding": padding, "data_format": data_format, "dilation_rate": dilations}
        if op == "conv" and sides:

            def function(x, f):
                pairs = [[0, 0], *np.reshape(sides, (-1, 2)).tolist(), [0, 0]]
                return tf.nn.conv2d(x, f, strides, pairs, dilations=dilations)
        elif op == "conv_transpose" and "output_size" in sizes:

            def function(x, f):
                return tf.nn.conv_transpose(
                    x, f, (x.shape[0], *sizes["output_size"], f.shape[-2]), strides, padding=padding.upper()
                )
        elif op == "conv_transpose":

            def function(x, f):
                return K.conv_transpose(x, f, output_padding=sizes.get("output_padding"), **options)
        else:

            def function(*tensors):
                return getattr(K, op)(*tensors, **options)

        names = ("x", "filter", "pointwise")[: 1 + len(filters)]
        tensors = [tf.constant(small(shape)) for shape in (x, *filters)]
        y, gradients = pulled(function, tensors, weights)
        inputs = {
            **dict(zip(names, tensors)),
            "upstream": upstream[0],
            "strides": strides,
            "dilations": dilations,
            **sizes,
        }
        params = {"op": op, "padding": "explicit" if sides else padding, "data_format": data_format}
        outputs = {"y": y, **{f"{n}_gradient": g for n, g in zip(names, gradients)}}
        cases.append(
            case(name, {k: whole(v) for k, v in inputs.items()}, params, {k: whole(v) for k, v in outputs.items()})
        )

    for padding in ("valid", "same"):
        one(f"conv1d/{padding}", "conv", (2, 5, 2), [(3, 2, 2)], 1, padding)
        one(f"conv1d/{padding}/stride", "conv", (1, 8, 2), [(3, 2, 2)], 2, padding)
        one(f"conv1d/{padding}/even_filter", "conv", (1, 7, 2), [(4, 2, 2)], 3, padding)
        one(f"conv2d/{padding}", "conv", (1, 4, 5, 2), [(3, 3, 2, 2)], 1, padding)
        one(f"conv2d/{padding}/stride", "conv", (1, 6, 5, 1), [(3, 2, 1, 2)], 2, padding)
        one(f"conv2d/{padding}/dilation", "conv", (1, 5, 4, 2), [(3, 2, 2, 2)], 1, padding, 2)
        one(f"conv2d/{padding}/groups", "conv", (1, 3, 3, 4), [(2, 2, 2, 4)], 1, padding)
        one(f"conv2d/{padding}/groups_stride", "conv", (1, 4, 5, 4), [(2, 3, 2, 2)], 2, padding)
        one(f"conv3d/{padding}/stride", "conv", (1, 3, 4, 3, 1), [(3, 2, 2, 1, 2)], 2, padding)
        one(f"conv1d_transpose/{padding}", "conv_transpose", (1, 4, 2), [(3, 2, 2)], 1, padding)
        one(f"conv1d_transpose/{padding}/stride", "conv_transpose", (1, 3, 2), [(2, 2, 2)], 3, padding)
        one(f"conv2d_transpose/{padding}", "conv_transpose", (1, 3, 2, 2), [(3, 3, 2, 2)], 2, padding)
        one(f"conv2d_transpose/{padding}/even_filter", "conv_transpose", (1, 3, 2, 2), [(4, 2, 1, 2)], 2, padding)
        one(
            f"conv2d_transpose/{padding}/output_padding",
            "conv_transpose",
            (1, 2, 3, 2),
            [(3, 3, 1, 2)],
            2,
            padding,
            output_padding=(1, 0),
        )
        one(f"conv3d_transpose/{padding}", "conv_transpose", (1, 2, 2, 2, 1), [(2, 3, 2, 1, 1)], 2, padding)
        one(f"depthwise_conv2d/{padding}", "depthwise_conv", (1, 4, 5, 2), [(3, 3, 2, 1)], 1, padding)
        one(f"depthwise_conv2d/{padding}/multiplier", "depthwise_conv", (1, 5, 4, 2), [(3, 2, 2, 2)], 2, padding)
        one(f"depthwise_conv2d/{padding}/dilation", "depthwise_conv", (1, 4, 6, 2), [(2, 3, 2, 1)], 1, padding, 2)
        one(f"depthwise_conv1d/{padding}", "depthwise_conv", (1, 6, 3), [(3, 3, 2)], 1, padding)
        one(f"separable_conv2d/{padding}", "separable_conv", (1, 3, 4, 2), [(3, 2, 2, 2), (1, 1, 4, 2)], 1, padding)
        one(f"separable_conv1d/{padding}/stride", "separable_conv", (1, 7, 2), [(3, 2, 2), (1, 4, 2)], 2, padding)
    one("conv2d/explicit", "conv", (1, 5, 4, 2), [(3, 3, 2, 2)], 2, sides=(1, 2, 0, 3))
    one("conv2d/pointwise", "conv", (2, 3, 2, 3), [(1, 1, 3, 2)], 1)
    one("conv2d_transpose/output_size", "conv_transpose", (1, 3, 3, 2), [(3, 3, 2, 2)], 2, "same", output_size=(5, 6))
    one("conv1d_transpose/same/dilation", "conv_transpose", (1, 4, 2), [(2, 3, 2)], 1, "same", 2)
    one("conv2d/channels_first", "conv", (1, 2, 5, 4), [(3, 2, 2, 3)], 2, "same", data_format="channels_first")
    return cases


def pooling():
    """y, and the gradient of the sum of y times "upstream". Some elements are equal."""
    cases = []
    table = [  # input, window, stride
        ((2, 7, 3), 2, 2),
        ((1, 8, 2), 3, 2),
        ((1, 6, 5, 3), 2, 2),
        ((1, 7, 6, 1), 3, 2),
        ((1, 5, 5, 2), 3, 1),
        ((1, 4, 7, 1), 2, 3),
        ((1, 5, 4, 3, 1), 2, 2),
        ((1, 3, 4, 3, 1), 3, 1),
    ]
    for op, function in (("max_pool", keras.ops.max_pool), ("avg_pool", keras.ops.average_pool)):
        for padding in ("valid", "same"):
            for shape, window, stride in table:
                for data_format in ("channels_last", "channels_first") if shape == (1, 6, 5, 3) else ("channels_last",):
                    # Over three axes TensorFlow gives the gradient to all of equal elements: there are none there.
                    distinct = rng.permutation(int(np.prod(shape))).reshape(shape).astype(np.float32)
                    x = tf.constant(distinct if len(shape) == 5 else small(shape))
                    upstream = []

                    def weights(y):
                        upstream.append(small(y))
                        return upstream[0]

                    y, (gradient,) = pulled(
                        lambda t: function(t, window, strides=stride, padding=padding, data_format=data_format),
                        [x],
                        weights,
                    )
                    name = f"{op}/{padding}/{'x'.join(map(str, shape))}/{window}/{stride}/{data_format}"
                    inputs = {
                        "x": x,
                        "upstream": upstream[0],
                        "window": np.int32([window]),
                        "strides": np.int32([stride]),
                    }
                    params = {"op": op, "padding": padding, "data_format": data_format}
                    cases.append(case(name, inputs, params, {"y": y, "gradient": gradient}))
    return cases


if __name__ == "__main__":
    print(f"TensorFlow {tf.__version__}, Keras {keras.__version__}")
    for make in (
        losses,
        metrics,
        initializers,
        activations,
        maths,
        fit,
        convolution,
        pooling,
        shapes,
        reductions,
        indexing,
    ):
        rng = np.random.default_rng(20)
        write(f"{make.__name__}.json", make())
    for section in (
        "golden_losses",
        "golden_metrics",
        "golden_layers",
        "golden_layers_images",
        "golden_layers_preprocessing",
        "golden_layers_general",
        "golden_layers_attention",
        "golden_layers_recurrent",
        "golden_layers_strings",
        "golden_strings",
        "golden_complex",
        "golden_records",
        "golden_pictures",
        "golden_files",
        "golden_folders",
        "golden_datasets",
        "golden_sources",
        "golden_images",
    ):
        for file, cases in importlib.import_module(section).files(case):
            write(file, cases)
    for name, cases in (golden_linalg.make(op_case) | golden_attention.make(op_case)).items():
        write(f"{name}.json", cases)
    for file, cases in golden_optimizers.optimizer_files(case):
        write(file, cases)
