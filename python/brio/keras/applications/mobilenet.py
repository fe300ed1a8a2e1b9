"""keras.applications.mobilenet: depthwise convolutions, for phones (Howard and others, 2017)."""

from brio.keras import layers
from brio.keras.applications import _network, imagenet_utils

_SIZES = (128, 160, 192, 224)
# Channels and stride of each block.
_BLOCKS = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *((512, 1),) * 5, (1024, 2), (1024, 1))
_IN_NAMES = {1.0: "1_0", 0.75: "7_5", 0.5: "5_0", 0.25: "2_5"}


def MobileNet(input_shape=None, alpha=1.0, depth_multiplier=1, dropout=0.001, include_top=True, weights="imagenet",
              input_tensor=None, pooling=None, classes=1000, classifier_activation="softmax", name=None):  # fmt: skip
    """MobileNet; alpha is its width."""
    if weights == "imagenet" and (depth_multiplier != 1 or alpha not in _IN_NAMES):
        raise ValueError(
            f"weights of ImageNet are there for depth_multiplier=1 and alpha of {sorted(_IN_NAMES)}, but they are "
            f"{depth_multiplier} and {alpha}"
        )
    size = (
        input_shape[0]
        if input_shape is not None and input_shape[0] == input_shape[1] and input_shape[0] in _SIZES
        else 224
    )
    symbol = _network.begin(input_shape, input_tensor, size, 32, include_top, weights, classes)
    rows = _network.rows(input_shape, size, 32, include_top, weights)
    x = layers.Conv2D(int(32 * alpha), (3, 3), padding="same", use_bias=False, strides=(2, 2), name="conv1")(symbol)
    x = layers.BatchNormalization(axis=_network.channel_axis(), name="conv1_bn")(x)
    x = layers.ReLU(6.0, name="conv1_relu")(x)
    for number, (filters, stride) in enumerate(_BLOCKS, 1):
        x = _block(x, int(filters * alpha), depth_multiplier, stride, number)
    if include_top:
        _network.check_activation(classifier_activation, weights)
        x = layers.GlobalAveragePooling2D(keepdims=True)(x)
        x = layers.Dropout(dropout, name="dropout")(x)
        x = layers.Conv2D(classes, (1, 1), padding="same", name="conv_preds")(x)
        x = layers.Reshape((classes,), name="reshape_2")(x)
        x = layers.Activation(classifier_activation, name="predictions")(x)
    else:
        x = _network.pooled(x, pooling)
    file = f"mobilenet_{_IN_NAMES.get(alpha)}_{rows}_tf{'' if include_top else '_no_top'}.h5"
    return _network.end(
        symbol,
        input_tensor,
        x,
        name or f"mobilenet_{alpha:0.2f}_{rows}",
        weights,
        "tensorflow/keras-applications/mobilenet",
        file,
    )


def _block(x, filters, depth_multiplier, stride, number):
    axis = _network.channel_axis()
    if stride == 2:
        x = layers.ZeroPadding2D(((0, 1), (0, 1)), name=f"conv_pad_{number}")(x)
    x = layers.DepthwiseConv2D((3, 3), padding="same" if stride == 1 else "valid", depth_multiplier=depth_multiplier,
                               strides=(stride, stride), use_bias=False, name=f"conv_dw_{number}")(x)  # fmt: skip
    x = layers.BatchNormalization(axis=axis, name=f"conv_dw_{number}_bn")(x)
    x = layers.ReLU(6.0, name=f"conv_dw_{number}_relu")(x)
    x = layers.Conv2D(filters, (1, 1), padding="same", use_bias=False, strides=(1, 1), name=f"conv_pw_{number}")(x)
    x = layers.BatchNormalization(axis=axis, name=f"conv_pw_{number}_bn")(x)
    return layers.ReLU(6.0, name=f"conv_pw_{number}_relu")(x)


def preprocess_input(x, data_format=None):
    """Pictures of 0 … 255 as this network takes them, -1 … 1."""
    return imagenet_utils.preprocess_input(x, data_format, "tf")


def decode_predictions(preds, top=5):
    """Names of the `top` most likely of 1,000 classes, for each row."""
    return imagenet_utils.decode_predictions(preds, top)
