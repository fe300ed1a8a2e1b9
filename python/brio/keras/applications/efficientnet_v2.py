"""keras.applications.efficientnet_v2: EfficientNets whose first blocks are whole convolutions (Tan and Le, 2021).
Pictures of 0 … 255 go in."""

import math

from brio.keras import layers
from brio.keras.applications import _network, imagenet_utils
from brio.keras.applications.efficientnet import _DENSE, _KERNEL, excited

_DROP_PATH, _MOMENTUM = 0.2, 0.9
# Repeats, channels in and out, expansion, stride, and whether the block is fused, of each stage.
_SMALL = (
    (1, 32, 16, 1, 1, True),
    (2, 16, 32, 4, 2, True),
    (2, 32, 48, 4, 2, True),
    (3, 48, 96, 4, 2, False),
    (5, 96, 112, 6, 1, False),
    (8, 112, 192, 6, 2, False),
)
_STAGES = {
    **dict.fromkeys(("b0", "b1", "b2", "b3"), _SMALL),
    "-s": (
        (2, 24, 24, 1, 1, True),
        (4, 24, 48, 4, 2, True),
        (4, 48, 64, 4, 2, True),
        (6, 64, 128, 4, 2, False),
        (9, 128, 160, 6, 1, False),
        (15, 160, 256, 6, 2, False),
    ),
    "-m": (
        (3, 24, 24, 1, 1, True),
        (5, 24, 48, 4, 2, True),
        (5, 48, 80, 4, 2, True),
        (7, 80, 160, 4, 2, False),
        (14, 160, 176, 6, 1, False),
        (18, 176, 304, 6, 2, False),
        (5, 304, 512, 6, 1, False),
    ),
    "-l": (
        (4, 32, 32, 1, 1, True),
        (7, 32, 64, 4, 2, True),
        (7, 64, 96, 4, 2, True),
        (10, 96, 192, 4, 2, False),
        (19, 192, 224, 6, 1, False),
        (25, 224, 384, 6, 2, False),
        (7, 384, 640, 6, 1, False),
    ),
}
# Width, depth, size of pictures, and checksums of the weights with and without the top.
_SIZES = {
    "b0": (1.0, 1.0, 224, "21ecbf6da12460d5c40bb2f29ceb2188", "893217f2bb855e2983157299931e43ff"),
    "b1": (1.0, 1.1, 240, "069f0534ff22adf035c89e2d9547a9dc", "0e80663031ca32d657f9caa404b6ec37"),
    "b2": (1.1, 1.2, 260, "424e49f28180edbde1e94797771950a7", "1dfe2e7a5d45b6632553a8961ea609eb"),
    "b3": (1.2, 1.4, 300, "1f1fc43bd98a6e4fd8fdfd551e02c7a0", "f6abf7b5849ac99a89b50dd3fd532856"),
    "-s": (1.0, 1.0, 384, "e1d88a8495beba45748fedd0cecbe016", "af0682fb74e8c54910f2d4393339c070"),
    "-m": (1.0, 1.0, 480, "a3bf6aa3276309f4fc6a34aa114c95cd", "1b8dc055df72dde80d614482840fe342"),
    "-l": (1.0, 1.0, 480, "27e6d408b53c7ebc868fefa357689935", "b0b66b5c863aef5b46e8608fe1711615"),
}


def _efficientnet(
    which,
    include_top,
    weights,
    input_tensor,
    input_shape,
    pooling,
    classes,
    classifier_activation,
    include_preprocessing,
    name,
):
    width, depth, size, *hashes = _SIZES[which]
    symbol = x = _network.begin(input_shape, input_tensor, size, 32, include_top, weights, classes)
    wide = lambda filters: max(8, int(filters * width + 4) // 8 * 8)
    if include_preprocessing:
        x = _prepared(x, which.startswith("b"))
    x = layers.Conv2D(
        wide(_STAGES[which][0][1]),
        3,
        strides=2,
        padding="same",
        use_bias=False,
        kernel_initializer=_KERNEL,
        name="stem_conv",
    )(x)
    x = _activated(x, "stem_")
    done, blocks = 0, sum(stage[0] for stage in _STAGES[which])
    for i, (repeats, before, after, expansion, stride, fused) in enumerate(_STAGES[which]):
        before, after = wide(before), wide(after)
        for j in range(math.ceil(depth * repeats)):
            block = _fused_block if fused else _block
            x = block(
                x,
                before if j == 0 else after,
                after,
                stride if j == 0 else 1,
                expansion,
                _DROP_PATH * done / blocks,
                f"block{i + 1}{chr(97 + j)}_",
            )
            done += 1
    x = _activated(_conv(x, wide(1280), 1, 1, "top_conv"), "top_")
    if include_top:
        _network.check_activation(classifier_activation, weights)
        x = layers.Dropout(0.2, name="top_dropout")(layers.GlobalAveragePooling2D(name="avg_pool")(x))
        x = layers.Dense(classes, activation=classifier_activation, kernel_initializer=_DENSE, name="predictions")(x)
    else:
        x = _network.pooled(x, pooling, "avg_pool", "max_pool")
    file = f"efficientnetv2{which}{'' if include_top else '_notop'}.h5"
    return _network.end(
        symbol,
        input_tensor,
        x,
        name,
        weights,
        "tensorflow/keras-applications/efficientnet_v2",
        file,
        hashes[0 if include_top else 1],
    )


def _prepared(x, small):
    if small and x.shape[_network.channel_axis()] == 3:
        x = layers.Rescaling(scale=1.0 / 255)(x)
        return layers.Normalization(
            mean=[0.485, 0.456, 0.406], variance=[0.229**2, 0.224**2, 0.225**2], axis=_network.channel_axis() % 4
        )(x)
    return layers.Rescaling(scale=1.0 / 128.0, offset=-1)(x)


def _conv(x, filters, window, stride, name):
    return layers.Conv2D(
        filters, window, strides=stride, padding="same", use_bias=False, kernel_initializer=_KERNEL, name=name
    )(x)


def _normalised(x, name):
    return layers.BatchNormalization(axis=_network.channel_axis() % 4, momentum=_MOMENTUM, name=name)(x)


def _activated(x, name):
    return layers.Activation("swish", name=name + "activation")(_normalised(x, name + "bn"))


def _block(inputs, before, after, stride, expansion, drop_path, name):
    x = inputs
    if expansion != 1:
        x = _activated(_conv(x, before * expansion, 1, 1, name + "expand_conv"), name + "expand_")
    x = layers.DepthwiseConv2D(
        3, strides=stride, padding="same", use_bias=False, depthwise_initializer=_KERNEL, name=name + "dwconv2"
    )(x)
    x = excited(_activated(x, name), before * expansion, max(1, before // 4), _KERNEL, name)
    x = _normalised(_conv(x, after, 1, 1, name + "project_conv"), name + "project_bn")
    return _added(x, inputs, stride == 1 and before == after, drop_path, name)


def _fused_block(inputs, before, after, stride, expansion, drop_path, name):
    x = inputs
    if expansion != 1:
        x = _activated(_conv(x, before * expansion, 3, stride, name + "expand_conv"), name + "expand_")
        x = _normalised(_conv(x, after, 1, 1, name + "project_conv"), name + "project_bn")
    else:
        x = _activated(_conv(x, after, 3, stride, name + "project_conv"), name + "project_")
    return _added(x, inputs, stride == 1 and before == after, drop_path, name)


def _added(x, inputs, is_alike, drop_path, name):
    if not is_alike:
        return x
    if drop_path:
        x = layers.Dropout(drop_path, noise_shape=(None, 1, 1, 1), name=name + "drop")(x)
    return layers.Add(name=name + "add")([x, inputs])


def EfficientNetV2B0(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None,
                     classes=1000, classifier_activation="softmax", include_preprocessing=True,
                     name="efficientnetv2-b0"):  # fmt: skip
    """EfficientNetV2B0."""
    return _efficientnet(
        "b0",
        include_top,
        weights,
        input_tensor,
        input_shape,
        pooling,
        classes,
        classifier_activation,
        include_preprocessing,
        name,
    )


def EfficientNetV2B1(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None,
                     classes=1000, classifier_activation="softmax", include_preprocessing=True,
                     name="efficientnetv2-b1"):  # fmt: skip
    """EfficientNetV2B1."""
    return _efficientnet(
        "b1",
        include_top,
        weights,
        input_tensor,
        input_shape,
        pooling,
        classes,
        classifier_activation,
        include_preprocessing,
        name,
    )


def EfficientNetV2B2(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None,
                     classes=1000, classifier_activation="softmax", include_preprocessing=True,
                     name="efficientnetv2-b2"):  # fmt: skip
    """EfficientNetV2B2."""
    return _efficientnet(
        "b2",
        include_top,
        weights,
        input_tensor,
        input_shape,
        pooling,
        classes,
        classifier_activation,
        include_preprocessing,
        name,
    )


def EfficientNetV2B3(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None,
                     classes=1000, classifier_activation="softmax", include_preprocessing=True,
                     name="efficientnetv2-b3"):  # fmt: skip
    """EfficientNetV2B3."""
    return _efficientnet(
        "b3",
        include_top,
        weights,
        input_tensor,
        input_shape,
        pooling,
        classes,
        classifier_activation,
        include_preprocessing,
        name,
    )


def EfficientNetV2S(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None,
                     classes=1000, classifier_activation="softmax", include_preprocessing=True,
                     name="efficientnetv2-s"):  # fmt: skip
    """EfficientNetV2S."""
    return _efficientnet(
        "-s",
        include_top,
        weights,
        input_tensor,
        input_shape,
        pooling,
        classes,
        classifier_activation,
        include_preprocessing,
        name,
    )


def EfficientNetV2M(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None,
                     classes=1000, classifier_activation="softmax", include_preprocessing=True,
                     name="efficientnetv2-m"):  # fmt: skip
    """EfficientNetV2M."""
    return _efficientnet(
        "-m",
        include_top,
        weights,
        input_tensor,
        input_shape,
        pooling,
        classes,
        classifier_activation,
        include_preprocessing,
        name,
    )


def EfficientNetV2L(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None,
                     classes=1000, classifier_activation="softmax", include_preprocessing=True,
                     name="efficientnetv2-l"):  # fmt: skip
    """EfficientNetV2L."""
    return _efficientnet(
        "-l",
        include_top,
        weights,
        input_tensor,
        input_shape,
        pooling,
        classes,
        classifier_activation,
        include_preprocessing,
        name,
    )


def preprocess_input(x, data_format=None):
    """Pictures of 0 … 255 as this network takes them: unchanged."""
    return x


def decode_predictions(preds, top=5):
    """Names of the `top` most likely of 1,000 classes, for each row."""
    return imagenet_utils.decode_predictions(preds, top)
