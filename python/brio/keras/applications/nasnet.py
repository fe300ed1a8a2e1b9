"""keras.applications.nasnet: cells that a search found (Zoph and others, 2017)."""

from brio.keras import backend, layers
from brio.keras.applications import _network, imagenet_utils

_HASHES = {
    "nasnet_mobile.h5": "020fb642bf7360b370c678b08e0adf61",
    "nasnet_mobile_no_top.h5": "1ed92395b5b598bdda52abe5c0dbfd63",
    "nasnet_large.h5": "11577c9a518f0070763c2b964a382f17",
    "nasnet_large_no_top.h5": "d81d89dc07e6e56530c4e77faddd61b5",
}


def NASNetMobile(input_shape=None, include_top=True, weights="imagenet", input_tensor=None, pooling=None, classes=1000,
                 classifier_activation="softmax", name="nasnet_mobile"):  # fmt: skip
    """NASNet of 5 million weights, for pictures of 224 × 224."""
    if not include_top and input_shape is None:
        input_shape = (224, 224, 3)
    return _network_of(
        1056,
        4,
        32,
        False,
        224,
        "mobile",
        input_shape,
        include_top,
        weights,
        input_tensor,
        pooling,
        classes,
        classifier_activation,
        name,
    )


def NASNetLarge(input_shape=None, include_top=True, weights="imagenet", input_tensor=None, pooling=None, classes=1000,
                classifier_activation="softmax", name="nasnet_large"):  # fmt: skip
    """NASNet of 89 million weights, for pictures of 331 × 331."""
    return _network_of(
        4032,
        6,
        96,
        True,
        331,
        "large",
        input_shape,
        include_top,
        weights,
        input_tensor,
        pooling,
        classes,
        classifier_activation,
        name,
    )


def _network_of(
    last,
    blocks,
    stem,
    skips,
    size,
    kind,
    input_shape,
    include_top,
    weights,
    input_tensor,
    pooling,
    classes,
    activation,
    name,
):
    """last: the channels of the end; stem: those of the beginning;
    skips: whether a cell after a reduction also sees what came before it."""
    if backend.image_data_format() == "channels_first":
        raise ValueError(
            "NASNet takes pictures whose channels are last: keras.config.set_image_data_format('channels_last')"
        )
    if weights == "imagenet" and input_shape is not None and None in tuple(input_shape):
        raise ValueError(
            f"with the weights of ImageNet the size of pictures must be known, but input_shape is {input_shape}"
        )
    symbol = _network.begin(input_shape, input_tensor, size, 32, include_top, weights, classes)
    filters = last // 24
    x = layers.Conv2D(
        stem, (3, 3), strides=(2, 2), padding="valid", use_bias=False, name="stem_conv1", kernel_initializer="he_normal"
    )(symbol)
    x = _normalised(x, "stem_bn1")
    x, before = _reduction(x, None, filters // 4, "stem_1")
    x, before = _reduction(x, before, filters // 2, "stem_2")
    for stage in range(3):
        if stage:
            x, reduced = _reduction(x, before, filters * 2**stage, f"reduce_{stage * blocks}")
            before = before if skips else reduced
        for i in range(blocks):
            x, before = _normal(x, before, filters * 2**stage, str(stage * blocks + i + (1 if stage else 0)))
    x = layers.Activation("relu")(x)
    if include_top:
        x = _network.classified(layers.GlobalAveragePooling2D()(x), classes, activation, weights)
    else:
        x = _network.pooled(x, pooling)
    file = f"NASNet-{kind}{'' if include_top else '-no-top'}.h5"
    kept_as = f"nasnet_{kind}{'' if include_top else '_no_top'}.h5"
    return _network.end(
        symbol, input_tensor, x, name, weights, "tensorflow/keras-applications/nasnet", file, _HASHES[kept_as], kept_as
    )


def _normalised(x, name):
    return layers.BatchNormalization(axis=-1, momentum=0.9997, epsilon=1e-3, name=name)(x)


def _projected(x, filters, name):
    return layers.Conv2D(filters, (1, 1), padding="same", use_bias=False, kernel_initializer="he_normal", name=name)(x)


def _separable(x, filters, kernel, block, stride=1):
    """Twice: an activation, a separable convolution, a normalisation; the first may take every second place."""
    x = layers.Activation("relu")(x)
    padding = "same"
    if stride == 2:
        x = layers.ZeroPadding2D(_network.padding_for(x, kernel), name=f"separable_conv_1_pad_{block}")(x)
        padding = "valid"
    x = layers.SeparableConv2D(
        filters,
        (kernel, kernel),
        strides=(stride, stride),
        name=f"separable_conv_1_{block}",
        padding=padding,
        use_bias=False,
    )(x)
    x = layers.Activation("relu")(_normalised(x, f"separable_conv_1_bn_{block}"))
    x = layers.SeparableConv2D(
        filters, (kernel, kernel), name=f"separable_conv_2_{block}", padding="same", use_bias=False
    )(x)
    return _normalised(x, f"separable_conv_2_bn_{block}")


def _adjusted(before, x, filters, block):
    """What came before, with the size and the channels of x."""
    if before is None:
        return x
    if before.shape[-2] != x.shape[-2]:
        before = layers.Activation("relu", name=f"adjust_relu_1_{block}")(before)
        first = layers.AveragePooling2D((1, 1), strides=(2, 2), padding="valid", name=f"adjust_avg_pool_1_{block}")(
            before
        )
        first = _projected(first, filters // 2, f"adjust_conv_1_{block}")
        second = layers.Cropping2D(((1, 0), (1, 0)))(layers.ZeroPadding2D(((0, 1), (0, 1)))(before))
        second = layers.AveragePooling2D((1, 1), strides=(2, 2), padding="valid", name=f"adjust_avg_pool_2_{block}")(
            second
        )
        second = _projected(second, filters // 2, f"adjust_conv_2_{block}")
        return _normalised(layers.concatenate([first, second], axis=-1), f"adjust_bn_{block}")
    if before.shape[-1] != filters:
        before = _projected(layers.Activation("relu")(before), filters, f"adjust_conv_projection_{block}")
        return _normalised(before, f"adjust_bn_{block}")
    return before


def _begun(x, before, filters, kind, block):
    """(what came before, x) as the branches of a cell take them."""
    before = _adjusted(before, x, filters, block)
    h = _projected(layers.Activation("relu")(x), filters, f"{kind}_conv_1_{block}")
    return before, _normalised(h, f"{kind}_bn_1_{block}")


def _pooled(kind, x, stride, name):
    return kind((3, 3), strides=(stride, stride), padding="same" if stride == 1 else "valid", name=name)(x)


def _normal(x, before, filters, block):
    """A cell that keeps the size: (its output, its input)."""
    average = layers.AveragePooling2D
    p, h = _begun(x, before, filters, "normal", block)
    left, right = (
        _separable(h, filters, 5, f"normal_left1_{block}"),
        _separable(p, filters, 3, f"normal_right1_{block}"),
    )
    branches = [p, layers.add([left, right], name=f"normal_add_1_{block}")]
    left, right = (
        _separable(p, filters, 5, f"normal_left2_{block}"),
        _separable(p, filters, 3, f"normal_right2_{block}"),
    )
    branches.append(layers.add([left, right], name=f"normal_add_2_{block}"))
    branches.append(layers.add([_pooled(average, h, 1, f"normal_left3_{block}"), p], name=f"normal_add_3_{block}"))
    left, right = _pooled(average, p, 1, f"normal_left4_{block}"), _pooled(average, p, 1, f"normal_right4_{block}")
    branches.append(layers.add([left, right], name=f"normal_add_4_{block}"))
    branches.append(layers.add([_separable(h, filters, 3, f"normal_left5_{block}"), h], name=f"normal_add_5_{block}"))
    return layers.concatenate(branches, axis=-1, name=f"normal_concat_{block}"), x


def _reduction(x, before, filters, block):
    """A cell that halves the size: (its output, its input)."""
    average, maximum = layers.AveragePooling2D, layers.MaxPooling2D
    p, h = _begun(x, before, filters, "reduction", block)
    h3 = layers.ZeroPadding2D(_network.padding_for(h, 3), name=f"reduction_pad_1_{block}")(h)
    left, right = (
        _separable(h, filters, 5, f"reduction_left1_{block}", 2),
        _separable(p, filters, 7, f"reduction_right1_{block}", 2),
    )
    x1 = layers.add([left, right], name=f"reduction_add_1_{block}")
    left, right = (
        _pooled(maximum, h3, 2, f"reduction_left2_{block}"),
        _separable(p, filters, 7, f"reduction_right2_{block}", 2),
    )
    x2 = layers.add([left, right], name=f"reduction_add_2_{block}")
    left, right = (
        _pooled(average, h3, 2, f"reduction_left3_{block}"),
        _separable(p, filters, 5, f"reduction_right3_{block}", 2),
    )
    x3 = layers.add([left, right], name=f"reduction_add3_{block}")
    x4 = layers.add([x2, _pooled(average, x1, 1, f"reduction_left4_{block}")])
    left, right = (
        _separable(x1, filters, 3, f"reduction_left4_{block}"),
        _pooled(maximum, h3, 2, f"reduction_right5_{block}"),
    )
    x5 = layers.add([left, right], name=f"reduction_add4_{block}")
    return layers.concatenate([x2, x3, x4, x5], axis=-1, name=f"reduction_concat_{block}"), x


def preprocess_input(x, data_format=None):
    """Pictures of 0 … 255 as this network takes them, -1 … 1."""
    return imagenet_utils.preprocess_input(x, data_format, "tf")


def decode_predictions(preds, top=5):
    """Names of the `top` most likely of 1,000 classes, for each row."""
    return imagenet_utils.decode_predictions(preds, top)
