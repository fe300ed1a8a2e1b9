"""keras.applications.densenet: each layer gets the outputs of all before it (Huang and others, 2016)."""

from brio.keras import layers
from brio.keras.applications import _network, imagenet_utils

_GROWTH = 32
# Layers of the four stages, and checksums of the weights with and without the top.
_DEPTHS = {
    121: ((6, 12, 24, 16), ("9d60b8095a5708f2dcce2bca79d332c7", "30ee3e1110167f948a6b9946edeeb738")),
    169: ((6, 12, 32, 32), ("d699b8f76981ab1b30698df4c175e90b", "b8c4d4c20dd625c148057b9ff1c1176b")),
    201: ((6, 12, 48, 32), ("1ceb130c1ea1b78c3bf6114dbdfd8807", "c13680b51ded0fb44dff2d8f86ac8bb1")),
}


def _densenet(depth, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name):
    blocks, hashes = _DEPTHS[depth]
    symbol = _network.begin(input_shape, input_tensor, 224, 32, include_top, weights, classes)
    x = layers.ZeroPadding2D(((3, 3), (3, 3)))(symbol)
    x = layers.Conv2D(64, 7, strides=2, use_bias=False, name="conv1_conv")(x)
    x = layers.ZeroPadding2D(((1, 1), (1, 1)))(_activated(x, "conv1_bn", "conv1_relu"))
    x = layers.MaxPooling2D(3, strides=2, name="pool1")(x)
    for stage, count in enumerate(blocks, 2):
        for i in range(1, count + 1):
            x = _block(x, f"conv{stage}_block{i}")
        if stage < 5:
            x = _transition(x, f"pool{stage}")
    x = _activated(x, "bn", "relu")
    if include_top:
        x = _network.classified(
            layers.GlobalAveragePooling2D(name="avg_pool")(x), classes, classifier_activation, weights
        )
    else:
        x = _network.pooled(x, pooling, "avg_pool", "max_pool")
    file = f"densenet{depth}_weights_tf_dim_ordering_tf_kernels{'' if include_top else '_notop'}.h5"
    return _network.end(
        symbol,
        input_tensor,
        x,
        name,
        weights,
        "tensorflow/keras-applications/densenet",
        file,
        hashes[0 if include_top else 1],
    )


def _activated(x, name, activation):
    x = layers.BatchNormalization(axis=_network.channel_axis() % 4, epsilon=1.001e-5, name=name)(x)
    return layers.Activation("relu", name=activation)(x)


def _block(x, name):
    new = layers.Conv2D(4 * _GROWTH, 1, use_bias=False, name=name + "_1_conv")(
        _activated(x, name + "_0_bn", name + "_0_relu")
    )
    new = layers.Conv2D(_GROWTH, 3, padding="same", use_bias=False, name=name + "_2_conv")(
        _activated(new, name + "_1_bn", name + "_1_relu")
    )
    return layers.Concatenate(axis=_network.channel_axis() % 4, name=name + "_concat")([x, new])


def _transition(x, name):
    """Half of the channels, half of the rows and columns."""
    x = _activated(x, name + "_bn", name + "_relu")
    x = layers.Conv2D(x.shape[_network.channel_axis()] // 2, 1, use_bias=False, name=name + "_conv")(x)
    return layers.AveragePooling2D(2, strides=2, name=name + "_pool")(x)


def DenseNet121(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
                classifier_activation="softmax", name="densenet121"):  # fmt: skip
    """121 layers."""
    return _densenet(
        121, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
    )


def DenseNet169(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
                classifier_activation="softmax", name="densenet169"):  # fmt: skip
    """169 layers."""
    return _densenet(
        169, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
    )


def DenseNet201(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
                classifier_activation="softmax", name="densenet201"):  # fmt: skip
    """201 layers."""
    return _densenet(
        201, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
    )


def preprocess_input(x, data_format=None):
    """Pictures of 0 … 255 as this network takes them, normalised."""
    return imagenet_utils.preprocess_input(x, data_format, "torch")


def decode_predictions(preds, top=5):
    """Names of the `top` most likely of 1,000 classes, for each row."""
    return imagenet_utils.decode_predictions(preds, top)
