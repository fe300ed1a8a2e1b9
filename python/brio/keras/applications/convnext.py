"""keras.applications.convnext: convolutions arranged as in a transformer (Liu and others, 2022).
Pictures of 0 … 255 go in."""

import brio as tf
from brio.keras import layers
from brio.keras.applications import _network, imagenet_utils
from brio.keras.models import Sequential

_BASE = "tensorflow/keras-applications/convnext"
# Blocks of the four stages, their channels, and checksums of the weights with and without the top.
_SIZES = {
    "tiny": (
        (3, 3, 9, 3),
        (96, 192, 384, 768),
        ("8ae6e78ce2933352b1ef4008e6dd2f17bc40771563877d156bc6426c7cf503ff"),
        ("d547c096cabd03329d7be5562c5e14798aa39ed24b474157cef5e85ab9e49ef1"),
    ),
    "small": (
        (3, 3, 27, 3),
        (96, 192, 384, 768),
        ("ce1277d8f1ee5a0ef0e171469089c18f5233860ceaf9b168049cb9263fd7483c"),
        ("6fc8009faa2f00c1c1dfce59feea9b0745eb260a7dd11bee65c8e20843da6eab"),
    ),
    "base": (
        (3, 3, 27, 3),
        (128, 256, 512, 1024),
        ("52cbb006d3dadd03f6e095a8ca1aca47aecdd75acb4bc74bce1f5c695d0086e6"),
        ("40a20c5548a5e9202f69735ecc06c990e6b7c9d2de39f0361e27baeb24cb7c45"),
    ),
    "large": (
        (3, 3, 27, 3),
        (192, 384, 768, 1536),
        ("070c5ed9ed289581e477741d3b34beffa920db8cf590899d6d2c67fba2a198a6"),
        ("96f02b6f0753d4f543261bc9d09bed650f24dd6bc02ddde3066135b63d23a1cd"),
    ),
    "xlarge": (
        (3, 3, 27, 3),
        (256, 512, 1024, 2048),
        ("c1f5ccab661354fc3a79a10fa99af82f0fbf10ec65cb894a3ae0815f17a889ee"),
        ("de3f8a54174130e0cecdc71583354753d557fcf1f4487331558e2a16ba0cfe05"),
    ),
}


class LayerScale(layers.Layer):
    """A factor for each channel, which is learned."""

    def __init__(self, init_values, projection_dim, **kwargs):
        super().__init__(**kwargs)
        self.init_values, self.projection_dim = init_values, projection_dim

    def build(self, input_shape=None):
        self.gamma = self.add_weight((self.projection_dim,), tf.keras.initializers.Constant(self.init_values))

    def call(self, inputs):
        return inputs * self.gamma


def _convnext(
    which,
    include_top,
    include_preprocessing,
    weights,
    input_tensor,
    input_shape,
    pooling,
    classes,
    classifier_activation,
    name,
):
    depths, widths, *hashes = _SIZES[which]
    symbol = x = _network.begin(input_shape, input_tensor, 224, 32, include_top, weights, classes)
    if include_preprocessing and x.shape[_network.channel_axis()] == 3:
        mean, deviation = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
        x = layers.Normalization(
            mean=[m * 255 for m in mean],
            variance=[(d * 255) ** 2 for d in deviation],
            name=name + "_prestem_normalization",
        )(x)
    stem = [
        layers.Conv2D(widths[0], kernel_size=4, strides=4, name=name + "_stem_conv"),
        _norm(name + "_stem_layernorm"),
    ]
    smaller = [Sequential(stem, name=name + "_stem")]
    for i in range(3):
        parts = [
            _norm(f"{name}_downsampling_layernorm_{i}"),
            layers.Conv2D(widths[i + 1], kernel_size=2, strides=2, name=f"{name}_downsampling_conv_{i}"),
        ]
        smaller.append(Sequential(parts, name=f"{name}_downsampling_block_{i}"))
    for i in range(4):
        x = smaller[i](x)
        for j in range(depths[i]):
            x = _block(x, widths[i], f"{name}_stage_{i}_block_{j}")
    if include_top:
        _network.check_activation(classifier_activation, weights)
        x = _norm(name + "_head_layernorm")(layers.GlobalAveragePooling2D(name=name + "_head_gap")(x))
        x = layers.Dense(classes, activation=classifier_activation, name=name + "_head_dense")(x)
    else:
        x = _norm(None)(_network.pooled(x, pooling))
    file = f"convnext_{which}{'' if include_top else '_notop'}.h5"
    return _network.end(symbol, input_tensor, x, name, weights, _BASE, file, hashes[0 if include_top else 1])


def _norm(name):
    return layers.LayerNormalization(epsilon=1e-6, name=name)


def _block(inputs, width, name):
    x = layers.Conv2D(width, kernel_size=7, padding="same", groups=width, name=name + "_depthwise_conv")(inputs)
    x = layers.Dense(4 * width, name=name + "_pointwise_conv_1")(_norm(name + "_layernorm")(x))
    x = layers.Dense(width, name=name + "_pointwise_conv_2")(layers.Activation("gelu", name=name + "_gelu")(x))
    x = LayerScale(1e-6, width, name=name + "_layer_scale")(x)
    return inputs + layers.Activation("linear", name=name + "_identity")(x)


def ConvNeXtTiny(include_top=True, include_preprocessing=True, weights="imagenet", input_tensor=None, input_shape=None,
                pooling=None, classes=1000, classifier_activation="softmax", name="convnext_tiny"):  # fmt: skip
    """ConvNeXt, tiny."""
    return _convnext(
        "tiny",
        include_top,
        include_preprocessing,
        weights,
        input_tensor,
        input_shape,
        pooling,
        classes,
        classifier_activation,
        name,
    )


def ConvNeXtSmall(include_top=True, include_preprocessing=True, weights="imagenet", input_tensor=None, input_shape=None,
                pooling=None, classes=1000, classifier_activation="softmax", name="convnext_small"):  # fmt: skip
    """ConvNeXt, small."""
    return _convnext(
        "small",
        include_top,
        include_preprocessing,
        weights,
        input_tensor,
        input_shape,
        pooling,
        classes,
        classifier_activation,
        name,
    )


def ConvNeXtBase(include_top=True, include_preprocessing=True, weights="imagenet", input_tensor=None, input_shape=None,
                pooling=None, classes=1000, classifier_activation="softmax", name="convnext_base"):  # fmt: skip
    """ConvNeXt, base."""
    return _convnext(
        "base",
        include_top,
        include_preprocessing,
        weights,
        input_tensor,
        input_shape,
        pooling,
        classes,
        classifier_activation,
        name,
    )


def ConvNeXtLarge(include_top=True, include_preprocessing=True, weights="imagenet", input_tensor=None, input_shape=None,
                pooling=None, classes=1000, classifier_activation="softmax", name="convnext_large"):  # fmt: skip
    """ConvNeXt, large."""
    return _convnext(
        "large",
        include_top,
        include_preprocessing,
        weights,
        input_tensor,
        input_shape,
        pooling,
        classes,
        classifier_activation,
        name,
    )


def ConvNeXtXLarge(include_top=True, include_preprocessing=True, weights="imagenet", input_tensor=None,
                input_shape=None, pooling=None, classes=1000, classifier_activation="softmax",
                name="convnext_xlarge"):  # fmt: skip
    """ConvNeXt, xlarge."""
    return _convnext(
        "xlarge",
        include_top,
        include_preprocessing,
        weights,
        input_tensor,
        input_shape,
        pooling,
        classes,
        classifier_activation,
        name,
    )


def preprocess_input(x, data_format=None):
    """Pictures of 0 … 255 as this network takes them: unchanged."""
    return x


def decode_predictions(preds, top=5):
    """Names of the `top` most likely of 1,000 classes, for each row."""
    return imagenet_utils.decode_predictions(preds, top)
