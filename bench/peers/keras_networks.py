"""The networks of bench/README.md in Keras, for whichever backend was chosen, with their batches."""

import keras
import numpy as np
from keras import layers

from timing import PICTURE_VARIANTS

rng = np.random.default_rng(1)


def pictures(batch, side):
    return rng.random((batch, side, side, 3), np.float32)


def below(shape, bound):
    return rng.integers(0, bound, shape).astype(np.int32)


def of_classes():
    return keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def of_pixels():
    return keras.losses.BinaryCrossentropy(from_logits=True)


def cnn(channels, window, stride, side):
    model = keras.Sequential(
        [
            keras.Input((side, side, 3)),
            layers.Conv2D(channels, window, strides=stride, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(10),
        ]
    )
    return model, of_classes(), pictures(32, side), below((32,), 10)


def separable(channels, window, stride, side):
    model = keras.Sequential(
        [
            keras.Input((side, side, 3)),
            layers.Conv2D(channels, window, strides=stride, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.DepthwiseConv2D(window, padding="same", activation="relu"),
            layers.Conv2D(2 * channels, 1, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(10),
        ]
    )
    return model, of_classes(), pictures(32, side), below((32,), 10)


def lstm():
    model = keras.Sequential([keras.Input((48, 1)), layers.LSTM(64), layers.Dense(1)])
    return model, keras.losses.MeanSquaredError(), rng.random((32, 48, 1), np.float32), rng.random((32, 1), np.float32)


def text_lstm():
    model = keras.Sequential(
        [
            keras.Input((80,), dtype="int32"),
            layers.Embedding(10000, 64),
            layers.Bidirectional(layers.LSTM(64, return_sequences=True)),
            layers.Bidirectional(layers.LSTM(32)),
            layers.Dense(1),
        ]
    )
    return model, of_pixels(), below((32, 80), 10000), (rng.random((32, 1)) > 0.5).astype(np.float32)


def resnet18():
    def conv_norm(x, filters, size, stride):
        x = layers.Conv2D(filters, size, strides=stride, padding="same", use_bias=False)(x)
        return layers.BatchNormalization(momentum=0.9, epsilon=1e-5)(x)

    picture = keras.Input((64, 64, 3))
    x = layers.ReLU()(conv_norm(picture, 64, 3, 1))
    for filters in (64, 128, 256, 512):
        for block in range(2):
            stride = 2 if filters > 64 and block == 0 else 1
            y = conv_norm(layers.ReLU()(conv_norm(x, filters, 3, stride)), filters, 3, 1)
            around = x if x.shape[3] == filters else conv_norm(x, filters, 1, stride)
            x = layers.ReLU()(layers.add([y, around]))
    model = keras.Model(picture, layers.Dense(10)(layers.GlobalAveragePooling2D()(x)))
    return model, of_classes(), pictures(32, 64), below((32,), 10)


def mobilenet():
    model = keras.applications.MobileNetV2(input_shape=(96, 96, 3), weights=None)
    return model, keras.losses.SparseCategoricalCrossentropy(), pictures(32, 96), below((32,), 1000)


class Positions(layers.Layer):
    def build(self, shape):
        self.places = self.add_weight(name="places", shape=shape[1:], initializer="glorot_uniform")

    def call(self, x):
        return x + self.places


def decoder(vocabulary=65, context=256, width=256, depth=6, heads=4):
    words = keras.Input((context,), dtype="int32")
    embedding = layers.Embedding(vocabulary, width)
    x = Positions()(embedding(words))
    for _ in range(depth):
        y = layers.LayerNormalization(epsilon=1e-5)(x)
        x = x + layers.MultiHeadAttention(heads, width // heads)(y, y, use_causal_mask=True)
        y = layers.LayerNormalization(epsilon=1e-5)(x)
        x = x + layers.Dense(width)(layers.Dense(4 * width, activation="gelu")(y))
    x = layers.LayerNormalization(epsilon=1e-5)(x)
    model = keras.Model(words, layers.Dense(vocabulary, use_bias=False)(x))
    return model, of_classes(), below((8, context), vocabulary), below((8, context), vocabulary)


def unet():
    def two(x, filters):
        for _ in range(2):
            x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
        return x

    x = picture = keras.Input((96, 96, 3))
    kept = []
    for filters in (16, 32, 64):
        kept.append(two(x, filters))
        x = layers.MaxPooling2D()(kept[-1])
    x = two(x, 128)
    for filters in (64, 32, 16):
        up = layers.Conv2DTranspose(filters, 2, strides=2)(x)
        x = two(layers.concatenate([kept.pop(), up]), filters)
    model = keras.Model(picture, layers.Conv2D(1, 1)(x))
    return model, of_pixels(), pictures(8, 96), (rng.random((8, 96, 96, 1)) > 0.5).astype(np.float32)


NETWORKS = {
    **{f"cnn{name}": lambda v=v: cnn(*v) for name, v in PICTURE_VARIANTS.items()},
    **{f"separable{name}": lambda v=v: separable(*v) for name, v in PICTURE_VARIANTS.items()},
    **{make.__name__: make for make in (lstm, text_lstm, resnet18, mobilenet, decoder, unet)},
}
SHORT = ("cnn_bf16", "separable_bf16")
NAMES = (*NETWORKS, *SHORT)


def network(name):
    """(model, loss, x, y) of a network; "…_bf16": under Keras' mixed policy."""
    if name in SHORT:
        keras.mixed_precision.set_global_policy("mixed_bfloat16")
        name = name.removesuffix("_bf16")
    return NETWORKS[name]()
