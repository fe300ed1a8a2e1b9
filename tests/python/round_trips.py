"""Models saved and loaded, in every combination:
kind of layer or model × built how × compiled how × trained or not × saved how.

    PYTHONPATH=build/release/python .venv/bin/python tests/python/round_trips.py    # all of them, in Brio
    ... tests/python/round_trips.py --keras PYTHON                                  # and files to and from Keras
    ... tests/python/round_trips.py --only LSTM --share 0.1 --seed 3                # a part

What is loaded must predict the same and make the same next step of training: in Brio the same bits, beside Keras the
same numbers to 1e-4. With --keras the files that one side writes are read by the other, by this script, in both
directions."""

import argparse
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

import numpy as np

from either import BRIO, keras, tf

L = keras.layers
INPUTS = {"rows": (130,), "steps": (7, 120), "picture": (9, 8, 6), "volume": (5, 4, 5, 3), "ids": (7,), "text": ()}
ROWS = 8


def sample(kind, seed=0):
    rng = np.random.default_rng(seed)
    if kind == "ids":
        return rng.integers(1, 150, (ROWS, *INPUTS[kind])).astype("int64")
    if kind == "text":
        return np.array([" ".join(rng.choice(["red", "green", "blue", "grey"], 3)) for _ in range(ROWS)])
    return rng.normal(size=(ROWS, *INPUTS[kind])).astype("float32")


def _words(layer):
    layer.adapt(["red green", "blue"])
    return layer


def _fitted(layer, kind):
    layer.adapt(sample(kind, 5))
    return layer


# Layers that take one input, by the input they are given. Each is followed by what makes a few numbers of its result.
ROW = {
    "Activation": lambda: L.Activation("tanh"), "ActivityRegularization": lambda: L.ActivityRegularization(l2=0.01),
    "AlphaDropout": lambda: L.AlphaDropout(0.2), "BatchNormalization": lambda: L.BatchNormalization(),
    "Dense": lambda: L.Dense(150, "relu"), "Dropout": lambda: L.Dropout(0.3), "ELU": lambda: L.ELU(0.5),
    "EinsumDense": lambda: L.EinsumDense("ab,bc->ac", 140, bias_axes="c"),
    "GaussianDropout": lambda: L.GaussianDropout(0.2), "GaussianNoise": lambda: L.GaussianNoise(0.3),
    "Identity": lambda: L.Identity(), "LayerNormalization": lambda: L.LayerNormalization(),
    "LeakyReLU": lambda: L.LeakyReLU(), "ThresholdedReLU": lambda: L.ThresholdedReLU(0.5), "PReLU": lambda: L.PReLU(),
    "ReLU": lambda: L.ReLU(), "RMSNormalization": lambda: L.RMSNormalization(),
    "RepeatVector": lambda: L.RepeatVector(3), "Rescaling": lambda: L.Rescaling(0.5, 1.0),
    "Reshape": lambda: L.Reshape((13, 10)), "Softmax": lambda: L.Softmax(),
    "SpectralNormalization": lambda: L.SpectralNormalization(L.Dense(110)),
    "UnitNormalization": lambda: L.UnitNormalization(), "GroupNormalization": lambda: L.GroupNormalization(13),
    "Normalization": lambda: _fitted(L.Normalization(), "rows"),
    "Discretization": lambda: L.Discretization([-1.0, 0.0, 1.0]),
}  # fmt: skip
STEPS = {
    "AdaptiveAveragePooling1D": lambda: L.AdaptiveAveragePooling1D(3),
    "AdaptiveMaxPooling1D": lambda: L.AdaptiveMaxPooling1D(4),
    "MelSpectrogram": lambda: L.MelSpectrogram(32, 16, num_mel_bins=5),
    "STFTSpectrogram": lambda: L.STFTSpectrogram("magnitude", 4, 2), "AveragePooling1D": lambda: L.AveragePooling1D(2),
    "Bidirectional": lambda: L.Bidirectional(L.LSTM(101)), "Conv1D": lambda: L.Conv1D(110, 3),
    "Conv1DTranspose": lambda: L.Conv1DTranspose(30, 3), "Cropping1D": lambda: L.Cropping1D(1),
    "DepthwiseConv1D": lambda: L.DepthwiseConv1D(3), "Flatten": lambda: L.Flatten(), "GRU": lambda: L.GRU(103),
    "GRUCell": lambda: L.RNN(L.GRUCell(30)), "GlobalAveragePooling1D": lambda: L.GlobalAveragePooling1D(),
    "GlobalMaxPooling1D": lambda: L.GlobalMaxPooling1D(),
    "LSTM": lambda: L.LSTM(105, return_sequences=True, dropout=0.1), "LSTMCell": lambda: L.RNN(L.LSTMCell(40)),
    "Masking": lambda: L.Masking(), "MaxPooling1D": lambda: L.MaxPooling1D(2), "Permute": lambda: L.Permute((2, 1)),
    "RNN": lambda: L.RNN(L.SimpleRNNCell(102)), "SeparableConv1D": lambda: L.SeparableConv1D(110, 3),
    "SimpleRNN": lambda: L.SimpleRNN(104), "SimpleRNNCell": lambda: L.RNN(L.SimpleRNNCell(12)),
    "SpatialDropout1D": lambda: L.SpatialDropout1D(0.2),
    "StackedRNNCells": lambda: L.RNN([L.LSTMCell(20), L.GRUCell(101)]),
    "TimeDistributed": lambda: L.TimeDistributed(L.Dense(107)), "UpSampling1D": lambda: L.UpSampling1D(2),
    "ZeroPadding1D": lambda: L.ZeroPadding1D(2),
}  # fmt: skip
PICTURE = {
    "AveragePooling2D": lambda: L.AveragePooling2D(2),
    "CenterCrop": lambda: L.CenterCrop(5, 4),
    "Conv2D": lambda: L.Conv2D(120, 3, padding="same"),
    "Conv2DTranspose": lambda: L.Conv2DTranspose(12, 3, strides=2),
    "Cropping2D": lambda: L.Cropping2D(1),
    "DepthwiseConv2D": lambda: L.DepthwiseConv2D(3),
    "GlobalAveragePooling2D": lambda: L.GlobalAveragePooling2D(),
    "GlobalMaxPooling2D": lambda: L.GlobalMaxPooling2D(),
    "MaxPooling2D": lambda: L.MaxPooling2D(2),
    "RandomBrightness": lambda: L.RandomBrightness(0.1, value_range=(0, 1)),
    "RandomContrast": lambda: L.RandomContrast(0.1),
    "RandomCrop": lambda: L.RandomCrop(6, 6),
    "RandomFlip": lambda: L.RandomFlip(),
    "RandomRotation": lambda: L.RandomRotation(0.1),
    "RandomTranslation": lambda: L.RandomTranslation(0.1, 0.1),
    "RandomZoom": lambda: L.RandomZoom(0.1),
    "Resizing": lambda: L.Resizing(5, 7),
    "SeparableConv2D": lambda: L.SeparableConv2D(104, 3),
    "SpatialDropout2D": lambda: L.SpatialDropout2D(0.2),
    "UpSampling2D": lambda: L.UpSampling2D(2),
    "ZeroPadding2D": lambda: L.ZeroPadding2D(1),
    "ConvLSTM1D": lambda: L.ConvLSTM1D(101, 3),
    "AdaptiveAveragePooling2D": lambda: L.AdaptiveAveragePooling2D((3, 2)),
    "AdaptiveMaxPooling2D": lambda: L.AdaptiveMaxPooling2D(3),
    "AutoContrast": lambda: L.AutoContrast((-3, 3)),
    "CutMix": lambda: L.CutMix(),
    "MixUp": lambda: L.MixUp(),
    ("ContrastLimitedAdaptiveHistogramEqualization"): lambda: L.ContrastLimitedAdaptiveHistogramEqualization(
        (-3, 3), 2.0, (2, 2)
    ),
    "RandomElasticTransform": lambda: L.RandomElasticTransform(value_range=(-3, 3)),
    "RandomErasing": lambda: L.RandomErasing(fill_value=0.5, value_range=(0, 1)),
    "RandomGaussianBlur": lambda: L.RandomGaussianBlur(0.7, 3, 0.8, (-3, 3)),
    "RandomInvert": lambda: L.RandomInvert(0.5, (0, 1)),
    "RandomPerspective": lambda: L.RandomPerspective(0.5, 0.3),
    "RandomPosterization": lambda: L.RandomPosterization(4, (-3, 3)),
    "RandomSharpness": lambda: L.RandomSharpness(0.4, (-3, 3)),
    "RandomShear": lambda: L.RandomShear(0.2, (0.1, 0.3)),
    "Solarization": lambda: L.Solarization(0.1, 0.3, (-3, 3)),
    "Pipeline": lambda: L.Pipeline([L.RandomFlip(), L.RandomInvert(0.5, (0, 1))]),
}
VOLUME = {
    "AveragePooling3D": lambda: L.AveragePooling3D(2), "Conv3D": lambda: L.Conv3D(101, 2),
    "Conv3DTranspose": lambda: L.Conv3DTranspose(4, 2), "Cropping3D": lambda: L.Cropping3D(1),
    "GlobalAveragePooling3D": lambda: L.GlobalAveragePooling3D(), "GlobalMaxPooling3D": lambda: L.GlobalMaxPooling3D(),
    "MaxPooling3D": lambda: L.MaxPooling3D(2), "ConvLSTM2D": lambda: L.ConvLSTM2D(102, 2, return_sequences=True),
    "SpatialDropout3D": lambda: L.SpatialDropout3D(0.2), "UpSampling3D": lambda: L.UpSampling3D(2),
    "ZeroPadding3D": lambda: L.ZeroPadding3D(1),
    "AdaptiveAveragePooling3D": lambda: L.AdaptiveAveragePooling3D((2, 3, 1)),
    "AdaptiveMaxPooling3D": lambda: L.AdaptiveMaxPooling3D(2),
}  # fmt: skip
IDS = {
    "ReversibleEmbedding": lambda: L.ReversibleEmbedding(151, 110, tie_weights=False, mask_zero=True),
    "Embedding": lambda: L.Embedding(151, 110, mask_zero=True),
    "CategoryEncoding": lambda: L.CategoryEncoding(151, "multi_hot"), "Hashing": lambda: L.Hashing(120),
    "IntegerLookup": lambda: L.IntegerLookup(vocabulary=list(range(1, 120))),
}  # fmt: skip
TEXT = {
    "TextVectorization": lambda: _words(L.TextVectorization(output_mode="int", output_sequence_length=4)),
    "StringLookup": lambda: L.StringLookup(vocabulary=["red green blue", "grey grey grey"]),
}  # fmt: skip
SINGLE = {"rows": ROW, "steps": STEPS, "picture": PICTURE, "volume": VOLUME, "ids": IDS, "text": TEXT}

# Layers that take several inputs: (how they are called, on which input).
SEVERAL = {
    **{name: (lambda x, name=name: getattr(L, name)()([L.Dense(120)(x), L.Dense(120)(x)]), "rows")
       for name in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate")},
    "HashedCrossing": (lambda x: L.HashedCrossing(120)([x, x]), "ids"),
    "Dot": (lambda x: L.Dot(-1)([L.Dense(120)(x), L.Dense(120)(x)]), "rows"),
    "Attention": (lambda x: L.Attention(use_scale=True)([L.Dense(110)(x), L.Dense(110)(x)]), "steps"),
    "AdditiveAttention": (lambda x: L.AdditiveAttention()([L.Dense(30)(x), L.Dense(30)(x)]), "steps"),
    "MultiHeadAttention": (lambda x: L.MultiHeadAttention(4, 26)(x, L.Dense(120)(x)), "steps"),
    "GroupQueryAttention": (lambda x: L.GroupQueryAttention(16, 4, 2)(x, x), "steps"),
}  # fmt: skip
# Those that are bases of others, are given code, read what another test writes, or take what no input here is: (batch,
# time, volume).
NO_CASE = {
    "ConvLSTM3D",
    "InputLayer",
    "Lambda",
    "Layer",
    "RandomHeight",
    "RandomWidth",
    "TFSMLayer",
    "Wrapper",  # two: sizes by chance
    # of three channels, or of boxes, or such that Keras cannot write them: test_picture_layers.py has them
    "AugMix",
    "Equalization",
    "MaxNumBoundingBoxes",
    "RandAugment",
    "RandomColorDegeneration",
    "RandomColorJitter",
    "RandomGrayscale",
    "RandomHue",
    "RandomSaturation",
}
WHOLE = {
    "HashedCrossing",
    "Discretization",
    "CategoryEncoding",
    "Hashing",
    "IntegerLookup",
    "StringLookup",
    "TextVectorization",
}  # give no floats
HOST = {"Hashing", "IntegerLookup", "StringLookup", "TextVectorization"}  # are code of the host, which is not exported
RANDOM = {"Dropout", "AlphaDropout", "GaussianDropout", "GaussianNoise", "SpatialDropout1D", "SpatialDropout2D",
          "SpatialDropout3D", "LSTM", "RandomBrightness", "RandomContrast", "RandomCrop", "RandomFlip",
          "RandomRotation", "RandomTranslation", "RandomZoom", "CutMix", "MixUp", "Pipeline", "RandomElasticTransform",
          "RandomErasing", "RandomGaussianBlur", "RandomInvert", "RandomPerspective", "RandomPosterization",
          "RandomSharpness", "RandomShear", "Solarization"}  # fmt: skip


def head(name, kind):
    made = [L.Rescaling(0.01)] if name in WHOLE else []
    # RandomCrop crops in training alone, in Keras as here, so that what follows must take any size.
    flat = {"StringLookup": lambda: L.Reshape((1,)), "RandomCrop": lambda: L.GlobalAveragePooling2D()}.get(
        name, L.Flatten
    )()
    return [*made, flat, L.Dense(2)]


@keras.saving.register_keras_serializable(package="round_trips")
class Chain(keras.Model):
    """Layers in a list, called one after the other."""

    def __init__(self, parts, **kwargs):
        super().__init__(**kwargs)
        self.parts = parts

    def call(self, x, training=None):
        for part in self.parts:
            x = part(x, training=training) if isinstance(part, (L.Dropout, L.BatchNormalization)) else part(x)
        return x

    def get_config(self):
        return {**super().get_config(), "parts": [keras.saving.serialize_keras_object(p) for p in self.parts]}

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "parts": [keras.saving.deserialize_keras_object(p) for p in config["parts"]]})


@keras.saving.register_keras_serializable(package="round_trips")
class Scale(L.Layer):
    """Weights of its own, the first of which is not trained."""

    def build(self, shape):
        self.count = self.add_weight(shape=(), initializer="zeros", trainable=False, name="count")
        self.factor = self.add_weight(shape=(shape[-1],), initializer="ones", name="factor")
        self.shift = self.add_weight(shape=(shape[-1],), initializer="zeros", name="shift")

    def call(self, x):
        return x * self.factor + self.shift


def _input(kind):
    return keras.Input(INPUTS[kind], dtype={"ids": "int64", "text": "string"}.get(kind, "float32"))


def _functional(kind, graph):
    x = _input(kind)
    return keras.Model(x, graph(x))


def _through(x, layers):
    for layer in layers:
        x = layer(x)
    return x


# ---- models of several kinds


def branches():
    a = _input("rows")
    shared = L.Dense(120, "relu", name="shared")
    left = L.Dense(110, name="left")(shared(a))
    right = L.Dense(110, name="right")(L.Dense(130, name="wide")(a))
    late = L.BatchNormalization()(shared(right_size(right)))
    return keras.Model(a, L.Dense(2)(L.Concatenate()([right, late, L.Add()([left, right])])))


def right_size(x):
    return L.Dense(130, name="back")(x)


def residual():
    x = _input("picture")
    h = L.Conv2D(16, 3, padding="same")(x)
    for width in (16, 32, 104):
        way = L.BatchNormalization()(L.Conv2D(width, 3, padding="same", use_bias=False)(L.ReLU()(h)))
        way = L.Conv2D(width, 3, padding="same")(L.ReLU()(way))
        short = h if h.shape[-1] == width else L.Conv2D(width, 1)(h)
        h = L.Add()([short, way])
    return keras.Model(x, L.Dense(2)(L.GlobalAveragePooling2D()(h)))


def two_inputs():
    a, b = keras.Input((130,), name="a"), keras.Input((130,), name="b")
    tower = keras.Sequential([L.Dense(110, "relu"), L.Dense(101)], name="tower")  # is built by the call
    return keras.Model([a, b], L.Dense(2)(L.Concatenate()([tower(b), tower(a), L.Dense(20)(a)])))


def nested():
    inner = keras.Sequential([keras.Input((130,)), L.Dense(120, "relu"), L.BatchNormalization()], name="inner")
    x = _input("rows")
    middle = keras.Model(x, [inner(x), L.Dense(7)(x)], name="middle")
    y = _input("rows")
    first, second = middle(y)
    return keras.Model(y, L.Dense(2)(L.Concatenate()([second, first])))


def nested_open():
    return keras.Sequential(
        [keras.Sequential([L.Dense(120), L.Dropout(0.2)]), keras.Sequential([L.Dense(50)]), L.Dense(2)]
    )


def transformer():
    ids = _input("ids")
    h = L.Embedding(151, 104)(ids)
    for _ in range(2):
        a = L.MultiHeadAttention(4, 26)(h, h, use_causal_mask=True)
        h = L.LayerNormalization()(L.Add()([h, a]))
        h = L.LayerNormalization()(L.Add()([h, L.Dense(104)(L.Dense(208, "gelu")(h))]))
    return keras.Model(ids, L.Dense(2)(L.GlobalAveragePooling1D()(h)))


def operators():
    """A residual network as many write it."""
    x = _input("rows")
    h = L.Dense(130)(x) + x
    h = abs(h * 0.5 - 1.0)[:, :120] / (2.0 + L.Dense(120)(x) ** 2)
    return keras.Model(x, L.Dense(2)(-h + L.Dense(120)(h)))


def frozen():
    """A trained base that is not trained further, as in transfer learning."""
    x = _input("rows")
    base = keras.Model(x, L.BatchNormalization()(L.Dense(120, "relu")(x)), name="base")
    base.trainable = False
    y = _input("rows")
    return keras.Model(y, L.Dense(2)(L.Dense(110)(base(y, training=False))))


def mixed():
    half = {"dtype": "mixed_bfloat16"}
    x = _input("rows")
    return keras.Model(x, L.Dense(2, dtype="float32")(L.LayerNormalization(**half)(L.Dense(120, "relu", **half)(x))))


def regularised():
    made = [
        L.Dense(
            120,
            kernel_regularizer="l2",
            bias_constraint=keras.constraints.MaxNorm(1.0),
            kernel_initializer=keras.initializers.HeNormal(3),
        )
    ]
    return keras.Sequential(
        [*made, L.Activation(keras.activations.gelu), L.Dense(2, activation=keras.layers.LeakyReLU(0.1))]
    )


# name → (how it is made, its input)
MODELS = {
    "branches": (branches, "rows"), "residual": (residual, "picture"), "two_inputs": (two_inputs, "pair"),
    "nested": (nested, "rows"), "nested_open": (nested_open, "rows"), "transformer": (transformer, "ids"),
    "operators": (operators, "rows"), "frozen": (frozen, "rows"), "mixed": (mixed, "rows"),
    "regularised": (regularised, "rows"),
    "own_layers": (lambda: keras.Sequential([Scale(), L.Dense(120), Scale(), L.Dense(2)]), "rows"),
    "subclass": (lambda: Chain([L.Dense(140), Scale(), L.BatchNormalization(), L.Dense(2)]), "rows"),
    "subclass_of_open": (lambda: Chain([keras.Sequential([L.Dense(110), L.Dense(30)]), L.Dense(2)]), "rows"),
}  # fmt: skip
WAYS = ("given", "call", "fit", "functional", "nested", "subclass")  # how the model of a layer is built
COMPILED = (None, "adam", "momentum", "scaled")
SAVED = ("keras", "h5", "safetensors", "checkpoint", "export")


def optimizer(how):
    o = keras.optimizers
    return {
        "adam": lambda: o.Adam(0.01),
        "momentum": lambda: o.SGD(0.01, momentum=0.9),
        "scaled": lambda: o.LossScaleOptimizer(o.Adam(0.01)),
    }[how]()


class Case:
    """One model: what it is made of, and how it is built, compiled and trained."""

    def __init__(self, name, way, compiled, trained):
        self.name, self.way, self.compiled, self.trained = name, way, compiled, trained
        self.kind = next((k for k, rows in SINGLE.items() if name in rows), None) or (
            SEVERAL[name][1] if name in SEVERAL else MODELS[name][1]
        )

    def __str__(self):
        return f"{self.name}/{self.way}/{self.compiled}/{'trained' if self.trained else 'untrained'}"

    def x(self, seed=0):
        return (
            [sample("rows", seed), sample("rows", seed + 100)]
            if self.kind == "pair"
            else self.tensor(sample(self.kind, seed))
        )

    def tensor(self, x):
        return tf.constant(x) if self.kind == "text" else x  # Keras takes no arrays of texts

    def y(self):
        return np.random.default_rng(8).normal(size=(ROWS, 2)).astype("float32")

    def model(self, seed, trained=None):
        """Made, built, compiled and trained as the case says."""
        keras.utils.set_random_seed(seed)
        trained = self.trained if trained is None else trained
        model = self.made()
        if self.compiled:
            model.compile(optimizer(self.compiled), "mse", run_eagerly=not BRIO)  # Keras spends a second on each trace
        if self.way == "fit":
            model.fit(self.x(), self.y(), verbose=0, batch_size=ROWS)
            trained -= 1
        elif not model.built or self.way == "call":
            model(self.x())
        for _ in range(trained):
            model.train_on_batch(self.x(), self.y())
        return model

    def made(self):
        if self.name in MODELS:
            return MODELS[self.name][0]()
        if self.name in SEVERAL:
            return _functional(self.kind, lambda x: _through(SEVERAL[self.name][0](x), head(self.name, self.kind)))
        layers = [SINGLE[self.kind][self.name](), *head(self.name, self.kind)]
        if self.way == "given":
            return keras.Sequential([_input(self.kind), *layers])
        if self.way in ("call", "fit"):
            return keras.Sequential(layers)
        if self.way == "subclass":
            return Chain(layers)
        if self.way == "nested":  # a Sequential that is built where it is called
            return _functional(self.kind, lambda x: layers[-1](keras.Sequential(layers[:-1], name="inner")(x)))
        return _functional(self.kind, lambda x: _through(x, layers))


def cases():
    """All of them. A layer without a row here is an error: give it one."""
    names = {
        getattr(L, n).__name__ for n in dir(L) if isinstance(getattr(L, n), type) and issubclass(getattr(L, n), L.Layer)
    }
    known = {n for rows in SINGLE.values() for n in rows} | set(SEVERAL) | NO_CASE
    if BRIO and names - known:
        raise SystemExit(f"these layers have no row in tests/python/round_trips.py: {sorted(names - known)}")
    for rows in SINGLE.values():
        for name, way in itertools.product(rows, WAYS):
            yield from _training(name, way)
    for name in SEVERAL:
        yield from _training(name, "functional")
    for name in MODELS:
        for way in ("call", "fit"):
            yield from _training(name, way)


def _training(name, way):
    for compiled, trained in itertools.product(COMPILED, (0, 2)):
        if compiled is None and (trained or way == "fit") or (way == "fit" and not trained):
            continue
        yield Case(name, way, compiled, trained)


# ---- in Brio


def predictions(model, x):
    return np.asarray(
        model(x, training=False) if not (BRIO and isinstance(x, np.ndarray)) else model.predict(x, verbose=0)
    )


def step(model, case):
    keras.utils.set_random_seed(77)
    return float(model.train_on_batch(case.x(3), case.y())), [np.asarray(w) for w in model.get_weights()]


def same(a, b):
    return len(a) == len(b) and all(np.array_equal(x, y, equal_nan=True) for x, y in zip(a, b))


def check(case, saved, folder, receiver_trained):
    """One round trip. Raises AssertionError where something differs."""
    model, x = case.model(1), case.x(2)
    want = predictions(model, x)
    path = os.path.join(folder, "m")
    if saved == "keras":
        model.save(path + ".keras")
        loaded = keras.models.load_model(path + ".keras")
    elif saved == "export":
        model.export(path + "-export", verbose=False)
        served = tf.saved_model.load(path + "-export")
        specs = [spec.dtype for spec in served.signatures["serving_default"].structured_input_signature[1].values()]
        inputs = [
            tf.cast(v, d) if d != tf.string else tf.constant(v)
            for v, d in zip(x if isinstance(x, list) else [x], specs)
        ]
        got = served.serve(inputs if isinstance(x, list) else inputs[0])
        assert np.array_equal(np.asarray(got), want), "the exported model predicts other numbers"
        return
    else:
        loaded = case.model(2, receiver_trained)
        if saved == "checkpoint":
            written = tf.train.Checkpoint(model=model).save(path + "-ck")
            status = tf.train.Checkpoint(model=loaded).restore(written)
            if case.trained == receiver_trained:
                status.assert_consumed()
        else:
            file = path + {"h5": ".weights.h5", "safetensors": ".safetensors"}[saved]
            model.save_weights(file)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore" if case.trained < receiver_trained else "error")
                loaded.load_weights(file)
    assert same(model.get_weights(), loaded.get_weights()), "the weights are others"
    assert np.array_equal(predictions(loaded, x), want, equal_nan=True), "it predicts other numbers"
    if case.compiled and not (
        saved != "keras" and case.trained < receiver_trained
    ):  # there the receiver's optimizer goes on
        assert loaded.compiled, "it is not compiled"
        first, second = step(model, case), step(loaded, case)
        assert first[0] == second[0], f"the next step has loss {second[0]}, not {first[0]}"
        assert same(first[1], second[1]), "the next step makes other weights"


def trips(share=1.0, seed=0, only=None):
    """(case, saved how, whether the receiver was trained), each with the probability `share`."""
    chosen = random.Random(seed)
    for case in cases():
        for saved in SAVED:
            if saved == "export" and (case.name in HOST or (case.way == "subclass" and case.kind == "ids")):
                continue  # a model of one's own is exported for floats, in Keras as here
            for receiver in (
                (0, 2) if saved not in ("keras", "export") and case.compiled and case.way != "fit" else (case.trained,)
            ):
                if (only is None or only in str(case)) and chosen.random() < share:
                    yield case, saved, receiver


def run(share, seed, only, out=print):
    """Runs them and returns (how many, what failed)."""
    done, failed = 0, []
    for case, saved, receiver in trips(share, seed, only):
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(case, saved, folder, receiver)
            except Exception as error:  # noqa: BLE001  all are wanted
                failed.append(f"{case}/{saved}/{receiver}: {type(error).__name__}: {str(error)[:300]}")
                out(failed[-1])
        done += 1
    return done, failed


# ---- beside Keras: one side writes a folder, the other reads it


def exchanged(share, seed, only):
    chosen = random.Random(seed)
    return [c for c in cases() if (only is None or only in str(c)) and chosen.random() < share]


def write(folder, share, seed, only):
    folder.mkdir(parents=True, exist_ok=True)
    answers = {}
    for i, case in enumerate(exchanged(share, seed, only)):
        model = case.model(1)
        x = case.x(2)
        row = {"case": str(case), "outputs": predictions(model, x).tolist(),
               "layers": [type(layer).__name__ for layer in model.layers],
               "weights": [list(w.shape) for w in model.weights]}  # fmt: skip
        model.save(folder / f"{i}.keras")
        model.save_weights(folder / f"{i}.weights.h5")
        if case.compiled:
            row["losses"] = [step(model, case)[0] for _ in range(3)]
        answers[i] = row
    (folder / "answers.json").write_text(json.dumps(answers))
    print(f"{folder}: {len(answers)} models written by {'Brio' if BRIO else 'Keras'}")


def close(a, b):
    return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-4, atol=1e-5)


def read(folder, share, seed, only):
    answers, failed = json.loads((folder / "answers.json").read_text()), []
    for i, case in enumerate(exchanged(share, seed, only)):
        want, problems = answers[str(i)], []
        assert want["case"] == str(case)
        x = case.x(2)
        try:
            model = keras.models.load_model(folder / f"{i}.keras")
            model.run_eagerly = not BRIO
            if not close(predictions(model, x), want["outputs"]):
                problems.append("the .keras file predicts other numbers")
            if [list(w.shape) for w in model.weights] != want["weights"]:
                problems.append("the weights are in another order")
            other = case.model(2)
            other.load_weights(folder / f"{i}.weights.h5")
            if not close(predictions(other, x), want["outputs"]):
                problems.append("the .weights.h5 file predicts other numbers")
            # Draws are each side's own. Adam in Keras on TensorFlow squares a token's gradients one by one
            # (docs/compat.md).
            sparse = case.compiled in ("adam", "scaled") and case.name in (
                "Embedding",
                "ReversibleEmbedding",
                "transformer",
            )
            if "losses" in want and case.name not in RANDOM and case.name != "nested_open" and not sparse:
                losses = [step(model, case)[0] for _ in range(3)]
                if not np.allclose(losses, want["losses"], rtol=2e-3, atol=1e-4):
                    problems.append(f"training goes on with {losses}, not {want['losses']}")
        except Exception as error:  # noqa: BLE001  all are wanted
            problems.append(f"{type(error).__name__}: {str(error)[:400]}")
        failed += [f"{case}: {p}" for p in problems]
    for line in failed:
        print(line)
    print(f"{folder}: {len(answers)} models read by {'Brio' if BRIO else 'Keras'}, {len(failed)} problems")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("job", nargs="?", default="run", choices=("run", "write", "read"))
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--keras", metavar="PYTHON", help="a Python that has Keras 3.15: files go both ways")
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only")
    given = parser.parse_args()
    part = (given.share, given.seed, given.only)
    if given.job == "write":
        return write(given.folder, *part)
    if given.job == "read":
        return read(given.folder, *part)
    done, failed = run(*part)
    print(f"{done} round trips in Brio, {len(failed)} failed")
    code = 1 if failed else 0
    if given.keras:
        with tempfile.TemporaryDirectory() as folder:
            options = [
                "--share",
                str(given.share),
                "--seed",
                str(given.seed),
                *(["--only", given.only] if given.only else []),
            ]
            clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
            for writer, reader, name in ((sys.executable, given.keras, "a"), (given.keras, sys.executable, "b")):
                for python, job in ((writer, "write"), (reader, "read")):
                    command = [python, __file__, job, os.path.join(folder, name), *options]
                    code |= subprocess.run(command, env=os.environ if python == sys.executable else clean).returncode
    return code


if __name__ == "__main__":
    sys.exit(main())
