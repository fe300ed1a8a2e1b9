"""Golden values of layers: forward, gradients of inputs and weights, and what a call changes. See make_golden.py.

`layer_case` works for any layer: the case holds the layer's own config as Keras writes it, its weights and its inputs,
so the test that reads it needs to know no layer by name.
"""

import json

import keras
import numpy as np
import tensorflow as tf


def plain(config):
    """A config without what Keras adds for itself."""
    if isinstance(config, dict):
        dropped = (
            "build_config",
            "shared_object_id",
            "lora_rank",
            "lora_alpha",
            "quantization_config",
            "quantization_mode",
            "registered_name",
            "module",
        )
        return {k: plain(v) for k, v in config.items() if k not in dropped}
    if isinstance(config, (list, tuple)):
        return [plain(v) for v in config]
    return config


def short(rng, shape, low=-1.0, high=1.0):
    """Numbers of few digits: the files stay small."""
    return np.round(rng.uniform(low, high, shape), 2).astype(np.float32)


class Cases:
    """Collects cases into files under 50 kB."""

    def __init__(self, case, prefix, seed=20):
        self.case, self.prefix, self.rng, self.cases = case, prefix, np.random.default_rng(seed), []

    def numbers(self, *shape, low=-1.0, high=1.0):
        return short(self.rng, shape, low, high)

    def layer(
        self,
        name,
        layer,
        *inputs,
        training=False,
        masks=None,
        weights=None,
        tolerance=None,
        calls=1,
        gradients=True,
        call=None,
        pack=None,
    ):
        """One layer on its inputs. `weights`: otherwise drawn, positive where a variance is. `calls`: how often it is
        called before the results are taken, for layers that change themselves. `call`: more arguments of the call.
        `pack`: the arguments that Keras is given, from the list of inputs; otherwise the input or the list."""
        inputs = [np.asarray(x) for x in inputs]
        tensors = [tf.constant(x) for x in inputs]
        arguments = pack(tensors) if pack else (tensors[0] if len(tensors) == 1 else tensors,)
        call = dict(call or {})
        keywords = dict(call)
        if masks is not None and "mask" not in layer._call_signature.parameters:
            for tensor, mask in zip(tensors, masks):  # a layer that only passes masks on takes those of its inputs
                if mask is not None:
                    tensor._keras_mask = tf.constant(mask)
        elif masks is not None:
            keywords["mask"] = (
                tf.constant(masks[0]) if len(masks) == 1 else [None if m is None else tf.constant(m) for m in masks]
            )
        if layer._call_has_training_arg:
            keywords["training"] = training
        layer(*arguments, **keywords)
        if weights is None:
            weights = []
            for w in layer.weights:
                positive = "variance" in w.path
                weights.append(self.numbers(*w.shape, low=0.5 if positive else -1, high=1.5 if positive else 1))
        layer.set_weights(weights)
        if getattr(layer, "stateful", False):  # the call that built it moved it on
            layer.reset_state()
        for _ in range(calls - 1):
            layer(*arguments, **keywords)
        floats = [t for t in tensors if t.dtype.is_floating] if gradients else []
        trainable = list(layer.trainable_weights) if gradients else []
        with tf.GradientTape() as tape:
            for t in floats:
                tape.watch(t)
            outputs = tf.nest.flatten(layer(*arguments, **keywords))
            strings = any(y.dtype == tf.string for y in outputs)
            upstream = [] if strings else [self.numbers(*y.shape, low=-0.4) for y in outputs]  # sums that do not vanish
            total = tf.add_n(
                [
                    tf.reduce_sum(
                        tf.cast(y, "float32" if y.dtype != "float64" else y.dtype)
                        * tf.cast(u, "float32" if y.dtype != "float64" else y.dtype)
                    )
                    for y, u in zip(outputs, upstream)
                ]
                or [0.0]
            )
        found = tape.gradient(total, floats + [w.value for w in trainable]) if gradients else []

        given = {f"x_{i}": x for i, x in enumerate(inputs)}
        given |= {f"weight_{i}": w for i, w in enumerate(weights)}
        given |= {f"upstream_{i}": u for i, u in enumerate(upstream)}
        for i, mask in enumerate(masks or []):
            if mask is not None:
                given[f"mask_{i}"] = np.asarray(mask).astype(np.int32)
        results = {f"y_{i}": tf.cast(y, tf.float32) if y.dtype.is_floating else y for i, y in enumerate(outputs)}
        for i, y in enumerate(outputs):
            mask = getattr(y, "_keras_mask", None)
            if mask is not None:
                results[f"mask_{i}"] = tf.cast(mask, tf.int32)
        names = [f"gradient_x_{i}" for i, x in enumerate(inputs) if x.dtype.kind == "f" and gradients]
        names += [f"gradient_weight_{i}" for i, w in enumerate(layer.weights) if gradients and w.trainable]
        for key, gradient in zip(names, found):
            if gradient is not None:
                results[key] = tf.cast(tf.convert_to_tensor(gradient), tf.float32)
        if layer.non_trainable_weights:
            results |= {
                f"after_{i}": tf.cast(w.value, tf.float32) for i, w in enumerate(layer.weights) if not w.trainable
            }
        if layer.losses:
            results["losses"] = tf.cast(tf.add_n(layer.losses), tf.float32)
        config = plain(keras.saving.serialize_keras_object(layer))
        params = {"config": json.dumps(config, separators=(",", ":")), "training": int(training), "calls": calls}
        params |= {
            f"dtype_x_{i}": "string" if x.dtype.kind in "OSU" else x.dtype.name
            for i, x in enumerate(inputs)
            if x.dtype != np.float32
        }
        params |= {key: int(value) for key, value in call.items()}
        if tolerance:
            params["tolerance"] = tolerance
        self.cases.append(self.case(name, given, params, {k: np.asarray(v) for k, v in results.items()}))

    def files(self):
        """(file, cases) with as many cases as fit."""
        files, size = [[]], 0
        for c in self.cases:
            length = len(json.dumps(c)) + 100
            if size + length > 48_000 and files[-1]:
                files.append([])
                size = 0
            files[-1].append(c)
            size += length
        return [(f"{self.prefix}_{i + 1}.json", cases) for i, cases in enumerate(files)]


def dense_and_convolution(c):
    L = keras.layers
    x = c.numbers(3, 4)
    c.layer("dense", L.Dense(2), x)
    c.layer("dense/no_bias", L.Dense(2, use_bias=False), x)
    for activation in ("relu", "sigmoid", "tanh", "softmax", "gelu", "elu"):
        c.layer(f"dense/{activation}", L.Dense(3, activation=activation), x)
    c.layer("dense/rank_3", L.Dense(2, activation="relu"), c.numbers(2, 3, 4))
    c.layer(
        "dense/regularised",
        L.Dense(
            2, kernel_regularizer=keras.regularizers.L1L2(0.1, 0.2), bias_regularizer="l2", activity_regularizer="l1"
        ),
        x,
    )
    c.layer(
        "dense/orthogonal", L.Dense(3, kernel_regularizer=keras.regularizers.OrthogonalRegularizer(0.1, "columns")), x
    )
    c.layer("dense/float64", L.Dense(2, activation="tanh", dtype="float64"), x.astype(np.float64))
    c.layer("dense/mixed_bfloat16", L.Dense(2, activation="relu", dtype="mixed_bfloat16"), x, tolerance=8e-3)
    c.layer("dense/bfloat16", L.Dense(2, dtype="bfloat16"), x, tolerance=1.6e-2)
    c.layer("dense/mixed_float16", L.Dense(2, activation="relu", dtype="mixed_float16"), x, tolerance=1e-3)
    for padding in ("valid", "same"):
        for strides, dilation in ((1, 1), (2, 1), (1, 2)):
            tag = f"{padding}/{strides}/{dilation}"
            c.layer(f"conv1d/{tag}", L.Conv1D(2, 3, strides, padding, dilation_rate=dilation), c.numbers(2, 7, 2))
            c.layer(
                f"conv2d/{tag}", L.Conv2D(2, (3, 2), strides, padding, dilation_rate=dilation), c.numbers(1, 5, 6, 2)
            )
            c.layer(f"conv3d/{tag}", L.Conv3D(1, 2, strides, padding, dilation_rate=dilation), c.numbers(1, 3, 4, 3, 1))
            c.layer(
                f"depthwise_conv2d/{tag}",
                L.DepthwiseConv2D(3, strides, padding, depth_multiplier=2, dilation_rate=dilation),
                c.numbers(1, 5, 6, 2),
            )
            c.layer(
                f"depthwise_conv1d/{tag}",
                L.DepthwiseConv1D(3, strides, padding, depth_multiplier=2, dilation_rate=dilation),
                c.numbers(1, 6, 2),
            )
        for strides in (1, 2):
            c.layer(
                f"conv1d_transpose/{padding}/{strides}", L.Conv1DTranspose(2, 3, strides, padding), c.numbers(2, 4, 2)
            )
            c.layer(
                f"conv2d_transpose/{padding}/{strides}",
                L.Conv2DTranspose(2, 3, strides, padding),
                c.numbers(1, 3, 4, 2),
            )
            c.layer(
                f"conv3d_transpose/{padding}/{strides}",
                L.Conv3DTranspose(1, 2, strides, padding),
                c.numbers(1, 2, 3, 2, 1),
            )
    c.layer("conv1d/causal", L.Conv1D(2, 3, padding="causal", dilation_rate=2, activation="relu"), c.numbers(1, 6, 2))
    c.layer("conv2d/groups", L.Conv2D(4, 3, groups=2, activation="tanh"), c.numbers(1, 5, 4, 4))
    c.layer("conv2d/no_bias", L.Conv2D(2, 1, use_bias=False), c.numbers(1, 3, 3, 3))
    c.layer("conv2d/regularised", L.Conv2D(2, 2, kernel_regularizer="l2", bias_regularizer="l1"), c.numbers(1, 3, 3, 2))
    c.layer("conv2d/mixed_bfloat16", L.Conv2D(2, 2, dtype="mixed_bfloat16"), c.numbers(1, 4, 4, 2), tolerance=1.6e-2)
    c.layer("conv2d/float64", L.Conv2D(2, 2, dtype="float64"), c.numbers(1, 4, 4, 2).astype(np.float64))
    c.layer(
        "conv2d_transpose/output_padding", L.Conv2DTranspose(1, 3, 2, "same", output_padding=1), c.numbers(1, 3, 3, 1)
    )


def pooling(c):
    L = keras.layers
    for axes, shape in ((1, (2, 7, 2)), (2, (1, 6, 5, 2)), (3, (1, 4, 4, 3, 1))):
        for kind in ("Max", "Average"):
            make = getattr(L, f"{kind}Pooling{axes}D")
            for padding in ("valid", "same"):
                for size, strides in ((2, None), (3, 1), (2, 3)):
                    if size == 3 and axes == 3 and padding == "valid":
                        continue
                    x = c.rng.permutation(int(np.prod(shape))).reshape(shape).astype(np.float32)
                    c.layer(
                        f"{kind.lower()}_pooling{axes}d/{padding}/{size}/{strides}", make(size, strides, padding), x
                    )
            whole = getattr(L, f"Global{kind}Pooling{axes}D")
            x = c.rng.permutation(int(np.prod(shape))).reshape(shape).astype(np.float32)
            c.layer(f"global_{kind.lower()}_pooling{axes}d", whole(), x)
            c.layer(f"global_{kind.lower()}_pooling{axes}d/keepdims", whole(keepdims=True), x)
    c.layer(
        "global_average_pooling1d/mask",
        L.GlobalAveragePooling1D(),
        c.numbers(2, 4, 3),
        masks=[np.array([[1, 1, 0, 1], [1, 0, 0, 0]], bool)],
    )
    c.layer("max_pooling2d/channels_last_bf16", L.MaxPooling2D(dtype="bfloat16"), c.numbers(1, 4, 4, 2), tolerance=8e-3)
    for rank in (2, 3, 4):
        c.layer(f"flatten/{rank}", L.Flatten(), c.numbers(*(2, 3, 2, 2)[:rank]))
    c.layer("dropout/inference", L.Dropout(0.5), c.numbers(2, 3))
    for name in ("relu", "gelu", "softmax", "mish", "hard_sigmoid"):
        c.layer(f"activation/{name}", L.Activation(name), c.numbers(2, 3))


def files(case):
    made = []
    for section in (dense_and_convolution, pooling):
        collected = Cases(case, f"layers_{section.__name__}")
        section(collected)
        made += collected.files()
    return made
