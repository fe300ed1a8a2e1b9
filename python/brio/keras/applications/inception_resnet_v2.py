"""keras.applications.inception_resnet_v2: branches of different windows,
added to what they began with (Szegedy and others, 2016)."""

from brio.keras import layers
from brio.keras.applications import _network, imagenet_utils
from brio.keras.applications.inception_v3 import _chain, _conv, _joined
from brio.keras.saving import register_keras_serializable

_HASHES = ("e693bd0210a403b3192acc6073ad2e96", "d19885ff4a710c122648d3b5c3b684e4")
# The branches of each kind of block: (filters, window) one after the other.
_BRANCHES = {
    "block35": (((32, 1),), ((32, 1), (32, 3)), ((32, 1), (48, 3), (64, 3))),
    "block17": (((192, 1),), ((128, 1), (160, (1, 7)), (192, (7, 1)))),
    "block8": (((192, 1),), ((192, 1), (224, (1, 3)), (256, (3, 1)))),
}


def InceptionResNetV2(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None,
                      classes=1000, classifier_activation="softmax", name="inception_resnet_v2"):  # fmt: skip
    """InceptionResNetV2."""
    symbol = _network.begin(input_shape, input_tensor, 299, 75, include_top, weights, classes)
    x = _conv(symbol, 32, 3, 2, "valid")
    x = _conv(x, 32, 3, 1, "valid")
    x = layers.MaxPooling2D(3, strides=2)(_conv(x, 64, 3))
    x = _conv(x, 80, 1, 1, "valid")
    x = layers.MaxPooling2D(3, strides=2)(_conv(x, 192, 3, 1, "valid"))
    branches = [_chain(x, *chain) for chain in (((96, 1),), ((48, 1), (64, 5)), ((64, 1), (96, 3), (96, 3)))]
    x = _joined([*branches, _conv(layers.AveragePooling2D(3, strides=1, padding="same")(x), 64, 1)], "mixed_5b")
    for i in range(1, 11):
        x = _block(x, 0.17, "block35", i)
    x = _reduced(x, (((384, 3),), ((256, 1), (256, 3), (384, 3))), "mixed_6a")
    for i in range(1, 21):
        x = _block(x, 0.1, "block17", i)
    x = _reduced(x, (((256, 1), (384, 3)), ((256, 1), (288, 3)), ((256, 1), (288, 3), (320, 3))), "mixed_7a")
    for i in range(1, 10):
        x = _block(x, 0.2, "block8", i)
    x = _block(x, 1.0, "block8", 10, activation=None)
    x = _conv(x, 1536, 1, name="conv_7b")
    if include_top:
        x = _network.classified(
            layers.GlobalAveragePooling2D(name="avg_pool")(x), classes, classifier_activation, weights
        )
    else:
        x = _network.pooled(x, pooling)
    file = f"inception_resnet_v2_weights_tf_dim_ordering_tf_kernels{'' if include_top else '_notop'}.h5"
    return _network.end(
        symbol,
        input_tensor,
        x,
        name,
        weights,
        "tensorflow/keras-applications/inception_resnet_v2",
        file,
        _HASHES[0 if include_top else 1],
    )


@register_keras_serializable(package="keras.src.applications.inception_resnet_v2")
class CustomScaleLayer(layers.Layer):
    """The first of two inputs plus a share of the second."""

    def __init__(self, scale, **kwargs):
        super().__init__(**kwargs)
        self.scale = scale

    def get_config(self):
        return {**super().get_config(), "scale": self.scale}

    def call(self, inputs):
        return inputs[0] + inputs[1] * self.scale


def _reduced(x, chains, name):
    """Branches whose last convolution takes every second place, beside a maximum that does."""
    branches = [_conv(_chain(x, *chain[:-1]), *chain[-1], 2, "valid") for chain in chains]
    return _joined([*branches, layers.MaxPooling2D(3, strides=2, padding="valid")(x)], name)


def _block(x, scale, kind, index, activation="relu"):
    mixed = _joined([_chain(x, *chain) for chain in _BRANCHES[kind]], f"{kind}_{index}_mixed")
    up = layers.Conv2D(x.shape[_network.channel_axis()], 1, padding="same", name=f"{kind}_{index}_conv")(mixed)
    x = CustomScaleLayer(scale)([x, up])
    return x if activation is None else layers.Activation(activation, name=f"{kind}_{index}_ac")(x)


def preprocess_input(x, data_format=None):
    """Pictures of 0 … 255 as this network takes them, -1 … 1."""
    return imagenet_utils.preprocess_input(x, data_format, "tf")


def decode_predictions(preds, top=5):
    """Names of the `top` most likely of 1,000 classes, for each row."""
    return imagenet_utils.decode_predictions(preds, top)
