"""keras.applications.mobilenet_v2: inverted residuals (Sandler and others, 2018)."""

from brio.keras import layers
from brio.keras.applications import _network, imagenet_utils

_SIZES, _ALPHAS = (96, 128, 160, 192, 224), (0.35, 0.50, 0.75, 1.0, 1.3, 1.4)
# Channels, stride of the first and number of the blocks of each stage.
_STAGES = ((16, 1, 1), (24, 2, 2), (32, 2, 3), (64, 2, 4), (96, 1, 3), (160, 2, 3), (320, 1, 1))


def MobileNetV2(input_shape=None, alpha=1.0, include_top=True, weights="imagenet", input_tensor=None, pooling=None,
                classes=1000, classifier_activation="softmax", name=None):  # fmt: skip
    """MobileNetV2; alpha is its width."""
    if weights == "imagenet" and alpha not in _ALPHAS:
        raise ValueError(f"weights of ImageNet are there for alpha of {_ALPHAS}, but it is {alpha}")
    shape = input_shape if input_shape is not None or input_tensor is None else tuple(input_tensor.shape)[1:]
    size = shape[0] if shape is not None and shape[0] == shape[1] and shape[0] in _SIZES else 224
    symbol = _network.begin(input_shape, input_tensor, size, 32, include_top, weights, classes)
    rows = _network.rows(input_shape, size, 32, include_top, weights)
    x = _normalised(
        layers.Conv2D(_network.divisible(32 * alpha), 3, strides=(2, 2), padding="same", use_bias=False, name="Conv1")(
            symbol
        ),
        "bn_Conv1",
    )
    x = layers.ReLU(6.0, name="Conv1_relu")(x)
    number = 0
    for filters, stride, repeats in _STAGES:
        for i in range(repeats):
            x = _block(x, 6 if number else 1, stride if i == 0 else 1, _network.divisible(int(filters * alpha)), number)
            number += 1
    last = _network.divisible(1280 * alpha) if alpha > 1.0 else 1280
    x = _normalised(layers.Conv2D(last, kernel_size=1, use_bias=False, name="Conv_1")(x), "Conv_1_bn")
    x = layers.ReLU(6.0, name="out_relu")(x)
    if include_top:
        x = _network.classified(layers.GlobalAveragePooling2D()(x), classes, classifier_activation, weights)
    else:
        x = _network.pooled(x, pooling)
    file = f"mobilenet_v2_weights_tf_dim_ordering_tf_kernels_{float(alpha)}_{rows}{'' if include_top else '_no_top'}.h5"
    return _network.end(
        symbol,
        input_tensor,
        x,
        name or f"mobilenetv2_{alpha:0.2f}_{rows}",
        weights,
        "tensorflow/keras-applications/mobilenet_v2",
        file,
    )


def _normalised(x, name):
    return layers.BatchNormalization(axis=_network.channel_axis(), epsilon=1e-3, momentum=0.999, name=name)(x)


def _block(inputs, expansion, stride, filters, number):
    channels, before = inputs.shape[_network.channel_axis()], f"block_{number}_" if number else "expanded_conv_"
    x = inputs
    if number:
        x = layers.Conv2D(expansion * channels, kernel_size=1, padding="same", use_bias=False, name=before + "expand")(
            x
        )
        x = layers.ReLU(6.0, name=before + "expand_relu")(_normalised(x, before + "expand_BN"))
    if stride == 2:
        x = layers.ZeroPadding2D(padding=_network.padding_for(x, 3), name=before + "pad")(x)
    x = layers.DepthwiseConv2D(
        kernel_size=3,
        strides=stride,
        use_bias=False,
        padding="same" if stride == 1 else "valid",
        name=before + "depthwise",
    )(x)
    x = layers.ReLU(6.0, name=before + "depthwise_relu")(_normalised(x, before + "depthwise_BN"))
    x = layers.Conv2D(filters, kernel_size=1, padding="same", use_bias=False, name=before + "project")(x)
    x = _normalised(x, before + "project_BN")
    return layers.Add(name=before + "add")([inputs, x]) if channels == filters and stride == 1 else x


def preprocess_input(x, data_format=None):
    """Pictures of 0 … 255 as this network takes them, -1 … 1."""
    return imagenet_utils.preprocess_input(x, data_format, "tf")


def decode_predictions(preds, top=5):
    """Names of the `top` most likely of 1,000 classes, for each row."""
    return imagenet_utils.decode_predictions(preds, top)
