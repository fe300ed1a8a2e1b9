"""keras.applications.efficientnet: width, depth and size grow together (Tan and Le, 2019).
Pictures of 0 … 255 go in."""

import math

from brio.keras import layers
from brio.keras.applications import _network, imagenet_utils

_KERNEL = {
    "class_name": "VarianceScaling",
    "config": {"scale": 2.0, "mode": "fan_out", "distribution": "truncated_normal"},
}
_DENSE = {"class_name": "VarianceScaling", "config": {"scale": 1 / 3, "mode": "fan_out", "distribution": "uniform"}}
# Window, repeats, channels in and out, expansion and stride of each stage of B0.
_STAGES = (
    (3, 1, 32, 16, 1, 1),
    (3, 2, 16, 24, 6, 2),
    (5, 2, 24, 40, 6, 2),
    (3, 3, 40, 80, 6, 2),
    (5, 3, 80, 112, 6, 1),
    (5, 4, 112, 192, 6, 2),
    (3, 1, 192, 320, 6, 1),
)
# Width, depth, size of pictures, dropout, and checksums of the weights with and without the top.
_SIZES = {
    "b0": (1.0, 1.0, 224, 0.2, "902e53a9f72be733fc0bcb005b3ebbac", "50bc09e76180e00e4465e1a485ddc09d"),
    "b1": (1.0, 1.1, 240, 0.2, "1d254153d4ab51201f1646940f018540", "74c4e6b3e1f6a1eea24c589628592432"),
    "b2": (1.1, 1.2, 260, 0.3, "b15cce36ff4dcbd00b6dd88e7857a6ad", "111f8e2ac8aa800a7a99e3239f7bfb39"),
    "b3": (1.2, 1.4, 300, 0.3, "ffd1fdc53d0ce67064dc6a9c7960ede0", "af6d107764bb5b1abb91932881670226"),
    "b4": (1.4, 1.8, 380, 0.4, "18c95ad55216b8f92d7e70b3a046e2fc", "ebc24e6d6c33eaebbd558eafbeedf1ba"),
    "b5": (1.6, 2.2, 456, 0.4, "ace28f2a6363774853a83a0b21b9421a", "38879255a25d3c92d5e44e04ae6cec6f"),
    "b6": (1.8, 2.6, 528, 0.5, "165f6e37dce68623721b423839de8be5", "9ecce42647a20130c1f39a5d4cb75743"),
    "b7": (2.0, 3.1, 600, 0.5, "8c03f828fec3ef71311cd463b6759d99", "cbcfe4450ddf6f3ad90b1b398090fe4a"),
}
_DEVIATIONS, _DROP_PATH = (0.229, 0.224, 0.225), 0.2


def _efficientnet(
    which, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
):
    width, depth, size, dropout, *hashes = _SIZES[which]
    symbol = _network.begin(input_shape, input_tensor, size, 32, include_top, weights, classes)
    x = layers.Normalization(axis=_network.channel_axis() % 4)(layers.Rescaling(1.0 / 255.0)(symbol))
    if weights == "imagenet":  # as Keras: the weights were trained with roots in the place of deviations
        x = layers.Rescaling([1.0 / math.sqrt(d) for d in _DEVIATIONS])(x)
    x = layers.ZeroPadding2D(padding=_network.padding_for(x, 3), name="stem_conv_pad")(x)
    x = layers.Conv2D(
        _network.divisible(32 * width),
        3,
        strides=2,
        padding="valid",
        use_bias=False,
        kernel_initializer=_KERNEL,
        name="stem_conv",
    )(x)
    x = _activated(x, "stem_")
    repeats = [math.ceil(depth * stage[1]) for stage in _STAGES]
    done = 0
    for i, (window, _, before, after, expansion, stride) in enumerate(_STAGES):
        before, after = _network.divisible(before * width), _network.divisible(after * width)
        for j in range(repeats[i]):
            x = _block(
                x,
                before if j == 0 else after,
                after,
                window,
                stride if j == 0 else 1,
                expansion,
                _DROP_PATH * done / sum(repeats),
                f"block{i + 1}{chr(97 + j)}_",
            )
            done += 1
    x = _activated(_pointwise(x, _network.divisible(1280 * width), "top_conv"), "top_")
    if include_top:
        _network.check_activation(classifier_activation, weights)
        x = layers.Dropout(dropout, name="top_dropout")(layers.GlobalAveragePooling2D(name="avg_pool")(x))
        x = layers.Dense(classes, activation=classifier_activation, kernel_initializer=_DENSE, name="predictions")(x)
    else:
        x = _network.pooled(x, pooling, "avg_pool", "max_pool")
    file = f"efficientnet{which}{'' if include_top else '_notop'}.h5"
    return _network.end(
        symbol, input_tensor, x, name, weights, "keras-applications", file, hashes[0 if include_top else 1]
    )


def _activated(x, name):
    x = layers.BatchNormalization(axis=_network.channel_axis() % 4, name=name + "bn")(x)
    return layers.Activation("swish", name=name + "activation")(x)


def _pointwise(x, filters, name):
    return layers.Conv2D(filters, 1, padding="same", use_bias=False, kernel_initializer=_KERNEL, name=name)(x)


def _block(inputs, before, after, window, stride, expansion, drop_path, name):
    x = inputs
    if expansion != 1:
        x = _activated(_pointwise(x, before * expansion, name + "expand_conv"), name + "expand_")
    if stride == 2:
        x = layers.ZeroPadding2D(padding=_network.padding_for(x, window), name=name + "dwconv_pad")(x)
    x = layers.DepthwiseConv2D(window, strides=stride, padding="valid" if stride == 2 else "same", use_bias=False,
                               depthwise_initializer=_KERNEL, name=name + "dwconv")(x)  # fmt: skip
    x = excited(_activated(x, name), before * expansion, max(1, before // 4), _KERNEL, name)
    x = layers.BatchNormalization(axis=_network.channel_axis() % 4, name=name + "project_bn")(
        _pointwise(x, after, name + "project_conv")
    )
    if stride != 1 or before != after:
        return x
    if drop_path > 0:
        x = layers.Dropout(drop_path, noise_shape=(None, 1, 1, 1), name=name + "drop")(x)
    return layers.Add(name=name + "add")([x, inputs])


def excited(x, filters, fewer, initializer, name):
    """Squeeze and excitation: each channel by a factor that all of them decide."""
    factor = layers.GlobalAveragePooling2D(name=name + "se_squeeze")(x)
    factor = layers.Reshape(
        (filters, 1, 1) if _network.channel_axis() == 1 else (1, 1, filters), name=name + "se_reshape"
    )(factor)
    factor = layers.Conv2D(
        fewer, 1, padding="same", activation="swish", kernel_initializer=initializer, name=name + "se_reduce"
    )(factor)
    factor = layers.Conv2D(
        filters, 1, padding="same", activation="sigmoid", kernel_initializer=initializer, name=name + "se_expand"
    )(factor)
    return layers.Multiply(name=name + "se_excite")([x, factor])


def EfficientNetB0(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None,
                   classes=1000, classifier_activation="softmax", name="efficientnetb0"):  # fmt: skip
    """EfficientNetB0."""
    return _efficientnet(
        "b0", include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
    )


def EfficientNetB1(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None,
                   classes=1000, classifier_activation="softmax", name="efficientnetb1"):  # fmt: skip
    """EfficientNetB1."""
    return _efficientnet(
        "b1", include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
    )


def EfficientNetB2(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None,
                   classes=1000, classifier_activation="softmax", name="efficientnetb2"):  # fmt: skip
    """EfficientNetB2."""
    return _efficientnet(
        "b2", include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
    )


def EfficientNetB3(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None,
                   classes=1000, classifier_activation="softmax", name="efficientnetb3"):  # fmt: skip
    """EfficientNetB3."""
    return _efficientnet(
        "b3", include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
    )


def EfficientNetB4(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None,
                   classes=1000, classifier_activation="softmax", name="efficientnetb4"):  # fmt: skip
    """EfficientNetB4."""
    return _efficientnet(
        "b4", include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
    )


def EfficientNetB5(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None,
                   classes=1000, classifier_activation="softmax", name="efficientnetb5"):  # fmt: skip
    """EfficientNetB5."""
    return _efficientnet(
        "b5", include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
    )


def EfficientNetB6(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None,
                   classes=1000, classifier_activation="softmax", name="efficientnetb6"):  # fmt: skip
    """EfficientNetB6."""
    return _efficientnet(
        "b6", include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
    )


def EfficientNetB7(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None,
                   classes=1000, classifier_activation="softmax", name="efficientnetb7"):  # fmt: skip
    """EfficientNetB7."""
    return _efficientnet(
        "b7", include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
    )


def preprocess_input(x, data_format=None):
    """Pictures of 0 … 255 as this network takes them: unchanged."""
    return x


def decode_predictions(preds, top=5):
    """Names of the `top` most likely of 1,000 classes, for each row."""
    return imagenet_utils.decode_predictions(preds, top)
