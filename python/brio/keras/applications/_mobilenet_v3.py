"""MobileNetV3: inverted residuals that an architecture search chose (Howard and others, 2019).
Pictures of 0 … 255 go in."""

from brio.keras import layers
from brio.keras.applications import _network

# Expansion, channels, window, stride, and whether there is squeeze and excitation and hard swish, of each block.
_SMALL = (
    (1, 16, 3, 2, True, False), (72 / 16, 24, 3, 2, False, False), (88 / 24, 24, 3, 1, False, False),
    (4, 40, 5, 2, True, True), (6, 40, 5, 1, True, True), (6, 40, 5, 1, True, True), (3, 48, 5, 1, True, True),
    (3, 48, 5, 1, True, True), (6, 96, 5, 2, True, True), (6, 96, 5, 1, True, True), (6, 96, 5, 1, True, True),
)  # fmt: skip
_LARGE = (
    (1, 16, 3, 1, False, False), (4, 24, 3, 2, False, False), (3, 24, 3, 1, False, False), (3, 40, 5, 2, True, False),
    (3, 40, 5, 1, True, False), (3, 40, 5, 1, True, False), (6, 80, 3, 2, False, True), (2.5, 80, 3, 1, False, True),
    (2.3, 80, 3, 1, False, True), (2.3, 80, 3, 1, False, True), (6, 112, 3, 1, True, True), (6, 112, 3, 1, True, True),
    (6, 160, 5, 2, True, True), (6, 160, 5, 1, True, True), (6, 160, 5, 1, True, True),
)  # fmt: skip
_HASHES = {
    "large_224_0.75_float": ("765b44a33ad4005b3ac83185abf1d0eb", "40af19a13ebea4e2ee0c676887f69a2e"),
    "large_224_1.0_float": ("59e551e166be033d707958cf9e29a6a7", "07fb09a5933dd0c8eaafa16978110389"),
    "large_minimalistic_224_1.0_float": ("675e7b876c45c57e9e63e6d90a36599c", "ec5221f64a2f6d1ef965a614bdae7973"),
    "small_224_0.75_float": ("cb65d4e5be93758266aa0a7f2c6708b7", "ebdb5cc8e0b497cd13a7c275d475c819"),
    "small_224_1.0_float": ("8768d4c2e7dee89b9d02b2d03d65d862", "d3e8ec802a04aa4fc771ee12a9a9b836"),
    "small_minimalistic_224_1.0_float": ("99cd97fb2fcdad2bf028eb838de69e37", "cde8136e733e811080d9fcd8a252f7e4"),
}


def _mobilenet(kind, blocks, last, input_shape, alpha, minimalistic, include_top, weights, input_tensor, classes,
               pooling, dropout_rate, classifier_activation, include_preprocessing, name):  # fmt: skip
    trained = f"{kind}{'_minimalistic' if minimalistic else ''}_224_{float(alpha)}_float"
    if weights == "imagenet" and trained not in _HASHES:
        raise ValueError(
            "weights of ImageNet are there for alpha of 0.75 and 1.0, and of 1.0 where minimalistic, but alpha is "
            f"{alpha}"
        )
    symbol = x = _network.begin(input_shape, input_tensor, 224, 32, include_top, weights, classes, needs_size=False)
    act = (lambda y: layers.ReLU()(y)) if minimalistic else (lambda y: layers.Activation("hard_swish")(y))
    if include_preprocessing:
        x = layers.Rescaling(scale=1.0 / 127.5, offset=-1.0)(x)
    x = layers.Conv2D(16, kernel_size=3, strides=(2, 2), padding="same", use_bias=False, name="conv")(x)
    x = act(_normalised(x, "conv_bn"))
    for number, (expansion, filters, window, stride, excites, swishes) in enumerate(blocks):
        own = act if swishes else (lambda y: layers.ReLU()(y))
        x = _block(
            x,
            expansion,
            _network.divisible(filters * alpha),
            3 if minimalistic else window,
            stride,
            excites and not minimalistic,
            own,
            number,
        )
    x = layers.Conv2D(
        _network.divisible(x.shape[_network.channel_axis()] * 6),
        kernel_size=1,
        padding="same",
        use_bias=False,
        name="conv_1",
    )(x)
    x = act(_normalised(x, "conv_1_bn"))
    if include_top:
        _network.check_activation(classifier_activation, weights)
        last = _network.divisible(last * alpha) if alpha > 1.0 else last
        x = layers.GlobalAveragePooling2D(keepdims=True)(x)
        x = act(layers.Conv2D(last, kernel_size=1, padding="same", use_bias=True, name="conv_2")(x))
        if dropout_rate > 0:
            x = layers.Dropout(dropout_rate)(x)
        x = layers.Flatten()(layers.Conv2D(classes, kernel_size=1, padding="same", name="logits")(x))
        x = layers.Activation(classifier_activation, name="predictions")(x)
    else:
        x = _network.pooled(x, pooling, "avg_pool", "max_pool")
    file = f"weights_mobilenet_v3_{trained}{'' if include_top else '_no_top_v2'}.h5"
    hashes = _HASHES.get(trained, (None, None))
    return _network.end(
        symbol,
        input_tensor,
        x,
        name,
        weights,
        "tensorflow/keras-applications/mobilenet_v3",
        file,
        hashes[0 if include_top else 1],
    )


def _normalised(x, name):
    return layers.BatchNormalization(axis=_network.channel_axis(), epsilon=1e-3, momentum=0.999, name=name)(x)


def _block(inputs, expansion, filters, window, stride, excites, act, number):
    channels, name = inputs.shape[_network.channel_axis()], f"expanded_conv_{number}_" if number else "expanded_conv_"
    x, wide = inputs, _network.divisible(channels * expansion)
    if number:
        x = act(
            _normalised(
                layers.Conv2D(wide, kernel_size=1, padding="same", use_bias=False, name=name + "expand")(x),
                name + "expand_bn",
            )
        )
    if stride == 2:
        x = layers.ZeroPadding2D(padding=_network.padding_for(x, window), name=name + "depthwise_pad")(x)
    x = layers.DepthwiseConv2D(
        window, strides=stride, padding="same" if stride == 1 else "valid", use_bias=False, name=name + "depthwise"
    )(x)
    x = act(_normalised(x, name + "depthwise_bn"))
    if excites:
        x = _excited(x, wide, name + "squeeze_excite_")
    x = _normalised(
        layers.Conv2D(filters, kernel_size=1, padding="same", use_bias=False, name=name + "project")(x),
        name + "project_bn",
    )
    return layers.Add(name=name + "add")([inputs, x]) if stride == 1 and channels == filters else x


def _excited(x, filters, name):
    factor = layers.GlobalAveragePooling2D(keepdims=True, name=name + "avg_pool")(x)
    factor = layers.Conv2D(_network.divisible(filters * 0.25), kernel_size=1, padding="same", name=name + "conv")(
        factor
    )
    factor = layers.Conv2D(filters, kernel_size=1, padding="same", name=name + "conv_1")(
        layers.ReLU(name=name + "relu")(factor)
    )
    factor = layers.ReLU(6.0)(factor + 3.0) * (1.0 / 6.0)
    return layers.Multiply(name=name + "mul")([x, factor])


def MobileNetV3Small(input_shape=None, alpha=1.0, minimalistic=False, include_top=True, weights="imagenet",
                     input_tensor=None, classes=1000, pooling=None, dropout_rate=0.2, classifier_activation="softmax",
                     include_preprocessing=True, name="MobileNetV3Small"):  # fmt: skip
    """MobileNetV3, small; alpha is its width."""
    return _mobilenet("small", _SMALL, 1024, input_shape, alpha, minimalistic, include_top, weights, input_tensor,
                      classes, pooling, dropout_rate, classifier_activation, include_preprocessing, name)  # fmt: skip


def MobileNetV3Large(input_shape=None, alpha=1.0, minimalistic=False, include_top=True, weights="imagenet",
                     input_tensor=None, classes=1000, pooling=None, dropout_rate=0.2, classifier_activation="softmax",
                     include_preprocessing=True, name="MobileNetV3Large"):  # fmt: skip
    """MobileNetV3, large; alpha is its width."""
    return _mobilenet("large", _LARGE, 1280, input_shape, alpha, minimalistic, include_top, weights, input_tensor,
                      classes, pooling, dropout_rate, classifier_activation, include_preprocessing, name)  # fmt: skip
