"""keras.applications.inception_v3: branches of different windows side by side (Szegedy and others, 2015)."""

from brio.keras import layers
from brio.keras.applications import _network, imagenet_utils

_HASHES = ("9a0d58056eeedaa3f26cb7ebd46da564", "bcbd6486424b2319ff4ef7d526e38f63")


def InceptionV3(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
                classifier_activation="softmax", name="inception_v3"):  # fmt: skip
    """InceptionV3."""
    symbol = _network.begin(input_shape, input_tensor, 299, 75, include_top, weights, classes)
    x = _conv(symbol, 32, (3, 3), 2, "valid")
    x = _conv(x, 32, (3, 3), 1, "valid")
    x = layers.MaxPooling2D((3, 3), strides=(2, 2))(_conv(x, 64, (3, 3)))
    x = _conv(x, 80, (1, 1), 1, "valid")
    x = layers.MaxPooling2D((3, 3), strides=(2, 2))(_conv(x, 192, (3, 3), 1, "valid"))
    for i, filters in enumerate((32, 64, 64)):
        branches = [
            _chain(x, (64, (1, 1))),
            _chain(x, (48, (1, 1)), (64, (5, 5))),
            _chain(x, (64, (1, 1)), (96, (3, 3)), (96, (3, 3))),
        ]
        x = _joined([*branches, _averaged(x, filters)], f"mixed{i}")
    x = _joined(
        [
            _conv(x, 384, (3, 3), 2, "valid"),
            _conv(_chain(x, (64, (1, 1)), (96, (3, 3))), 96, (3, 3), 2, "valid"),
            _halved(x),
        ],
        "mixed3",
    )
    for i, n in enumerate((128, 160, 160, 192), 4):
        branches = [_conv(x, 192, (1, 1)), _chain(x, (n, (1, 1)), (n, (1, 7)), (192, (7, 1)))]
        branches.append(_chain(x, (n, (1, 1)), (n, (7, 1)), (n, (1, 7)), (n, (7, 1)), (192, (1, 7))))
        x = _joined([*branches, _averaged(x, 192)], f"mixed{i}")
    small = _conv(_chain(x, (192, (1, 1))), 320, (3, 3), 2, "valid")
    x = _joined(
        [small, _conv(_chain(x, (192, (1, 1)), (192, (1, 7)), (192, (7, 1))), 192, (3, 3), 2, "valid"), _halved(x)],
        "mixed8",
    )
    for i in range(2):
        single = _conv(x, 320, (1, 1))
        short = _split(_conv(x, 384, (1, 1)), f"mixed9_{i}")
        x = _joined(
            [single, short, _split(_chain(x, (448, (1, 1)), (384, (3, 3))), None), _averaged(x, 192)], f"mixed{9 + i}"
        )
    if include_top:
        x = _network.classified(
            layers.GlobalAveragePooling2D(name="avg_pool")(x), classes, classifier_activation, weights
        )
    else:
        x = _network.pooled(x, pooling)
    file = f"inception_v3_weights_tf_dim_ordering_tf_kernels{'' if include_top else '_notop'}.h5"
    return _network.end(
        symbol,
        input_tensor,
        x,
        name,
        weights,
        "tensorflow/keras-applications/inception_v3",
        file,
        _HASHES[0 if include_top else 1],
    )


def _conv(x, filters, window, stride=1, padding="same", name=None):
    x = layers.Conv2D(filters, window, strides=(stride, stride), padding=padding, use_bias=False, name=name)(x)
    x = layers.BatchNormalization(axis=_network.channel_axis() % 4, scale=False, name=name and name + "_bn")(x)
    return layers.Activation("relu", name=name and name + "_ac")(x)


def _chain(x, *convolutions):
    for filters, window in convolutions:
        x = _conv(x, filters, window)
    return x


def _joined(branches, name):
    return layers.Concatenate(axis=_network.channel_axis() % 4, name=name)(branches)


def _averaged(x, filters):
    return _conv(layers.AveragePooling2D((3, 3), strides=(1, 1), padding="same")(x), filters, (1, 1))


def _halved(x):
    return layers.MaxPooling2D((3, 3), strides=(2, 2))(x)


def _split(x, name):
    return _joined([_conv(x, 384, (1, 3)), _conv(x, 384, (3, 1))], name)


def preprocess_input(x, data_format=None):
    """Pictures of 0 … 255 as this network takes them, -1 … 1."""
    return imagenet_utils.preprocess_input(x, data_format, "tf")


def decode_predictions(preds, top=5):
    """Names of the `top` most likely of 1,000 classes, for each row."""
    return imagenet_utils.decode_predictions(preds, top)
