"""keras.applications.xception: depthwise separable convolutions (Chollet, 2016)."""

from brio.keras import layers
from brio.keras.applications import _network, imagenet_utils

_HASHES = ("0a58e3b7378bc2990ea3b43d5981f1f6", "b0042744bf5b25fce3cb969f33bebb97")


def Xception(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
             classifier_activation="softmax", name="xception"):  # fmt: skip
    """Xception."""
    symbol = _network.begin(input_shape, input_tensor, 299, 71, include_top, weights, classes)
    x = _convolved(symbol, 32, 2, "block1_conv1")
    x = _convolved(x, 64, 1, "block1_conv2")
    for block, filters in ((2, (128, 128)), (3, (256, 256)), (4, (728, 728))):
        x = _entry(x, filters, block)
    for block in range(5, 13):
        shortcut = x
        for i in (1, 2, 3):
            x = _separable(
                layers.Activation("relu", name=f"block{block}_sepconv{i}_act")(x), 728, f"block{block}_sepconv{i}"
            )
        x = layers.Add()([x, shortcut])
    x = _entry(x, (728, 1024), 13)
    for i, filters in ((1, 1536), (2, 2048)):
        x = layers.Activation("relu", name=f"block14_sepconv{i}_act")(_separable(x, filters, f"block14_sepconv{i}"))
    if include_top:
        x = _network.classified(
            layers.GlobalAveragePooling2D(name="avg_pool")(x), classes, classifier_activation, weights
        )
    else:
        x = _network.pooled(x, pooling)
    file = f"xception_weights_tf_dim_ordering_tf_kernels{'' if include_top else '_notop'}.h5"
    return _network.end(
        symbol,
        input_tensor,
        x,
        name,
        weights,
        "tensorflow/keras-applications/xception",
        file,
        _HASHES[0 if include_top else 1],
    )


def _normalised(x, name=None):
    return layers.BatchNormalization(axis=_network.channel_axis(), name=name)(x)


def _convolved(x, filters, stride, name):
    x = _normalised(
        layers.Conv2D(filters, (3, 3), strides=(stride, stride), use_bias=False, name=name)(x), name + "_bn"
    )
    return layers.Activation("relu", name=name + "_act")(x)


def _separable(x, filters, name):
    return _normalised(
        layers.SeparableConv2D(filters, (3, 3), padding="same", use_bias=False, name=name)(x), name + "_bn"
    )


def _entry(x, filters, block):
    """Two separable convolutions and a maximum of every second place, beside a shortcut."""
    shortcut = _normalised(layers.Conv2D(filters[1], (1, 1), strides=(2, 2), padding="same", use_bias=False)(x))
    for i, n in enumerate(filters, 1):
        if block != 2 or i != 1:  # what comes before is activated already
            x = layers.Activation("relu", name=f"block{block}_sepconv{i}_act")(x)
        x = _separable(x, n, f"block{block}_sepconv{i}")
    x = layers.MaxPooling2D((3, 3), strides=(2, 2), padding="same", name=f"block{block}_pool")(x)
    return layers.Add()([x, shortcut])


def preprocess_input(x, data_format=None):
    """Pictures of 0 … 255 as this network takes them, -1 … 1."""
    return imagenet_utils.preprocess_input(x, data_format, "tf")


def decode_predictions(preds, top=5):
    """Names of the `top` most likely of 1,000 classes, for each row."""
    return imagenet_utils.decode_predictions(preds, top)
