"""Residual networks, both kinds (He and others, 2015 and 2016): stages of blocks that add to what they get."""

from brio.keras import layers
from brio.keras.applications import _network

_EPSILON = 1.001e-5
# Numbers of blocks in the four stages, by depth.
DEPTHS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}
_HASHES = {
    "resnet50": ("2cb95161c43110f7111970584f804107", "4d473c1dd8becc155b73f8504c6f6626"),
    "resnet101": ("f1aeb4b969a6efcfb50fad2f0c20cfc5", "88cf7a10940856eca736dc7b7e228a21"),
    "resnet152": ("100835be76be38e30d865e96f2aaae62", "ee4c566cf9a93f14d82f913c2dc6dd0c"),
    "resnet50v2": ("3ef43a0b657b3be2300d5770ece849e0", "fac2f116257151a9d068a22e544a4917"),
    "resnet101v2": ("6343647c601c52e1368623803854d971", "c0ed64b8031c3730f411d2eb4eea35b5"),
    "resnet152v2": ("a49b44d1979771252814e80f8ec446f9", "ed17cf2e0169df9d443503ef94b23b33"),
}


def resnet(
    depth, second, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
):
    """second: normalise before convolutions, and not behind them."""
    symbol = _network.begin(input_shape, input_tensor, 224, 32, include_top, weights, classes)
    x = layers.ZeroPadding2D(((3, 3), (3, 3)), name="conv1_pad")(symbol)
    x = layers.Conv2D(64, 7, strides=2, name="conv1_conv")(x)
    if not second:
        x = _activated(x, "conv1_bn", "conv1_relu")
    x = layers.ZeroPadding2D(((1, 1), (1, 1)), name="pool1_pad")(x)
    x = layers.MaxPooling2D(3, strides=2, name="pool1_pool")(x)
    for stage, blocks in enumerate(DEPTHS[depth]):
        x = (_second_stage if second else _first_stage)(x, 64 << stage, blocks, stage, f"conv{stage + 2}_block")
    if second:
        x = _activated(x, "post_bn", "post_relu")
    if include_top:
        x = _network.classified(
            layers.GlobalAveragePooling2D(name="avg_pool")(x), classes, classifier_activation, weights
        )
    else:
        x = _network.pooled(x, pooling, "avg_pool", "max_pool")
    weights_of = f"resnet{depth}{'v2' if second else ''}"
    file = f"{weights_of}_weights_tf_dim_ordering_tf_kernels{'' if include_top else '_notop'}.h5"
    return _network.end(
        symbol,
        input_tensor,
        x,
        name,
        weights,
        "tensorflow/keras-applications/resnet",
        file,
        _HASHES[weights_of][0 if include_top else 1],
    )


def _normalised(x, name):
    return layers.BatchNormalization(axis=_network.channel_axis() % 4, epsilon=_EPSILON, name=name)(x)


def _activated(x, name, activation):
    return layers.Activation("relu", name=activation)(_normalised(x, name))


def _first_stage(x, filters, blocks, stage, name):
    for i in range(1, blocks + 1):
        x = _first_block(x, filters, 2 if i == 1 and stage else 1, i == 1, f"{name}{i}")
    return x


def _first_block(x, filters, stride, projects, name):
    shortcut = x
    if projects:
        shortcut = _normalised(layers.Conv2D(4 * filters, 1, strides=stride, name=name + "_0_conv")(x), name + "_0_bn")
    x = _activated(
        layers.Conv2D(filters, 1, strides=stride, name=name + "_1_conv")(x), name + "_1_bn", name + "_1_relu"
    )
    x = _activated(
        layers.Conv2D(filters, 3, padding="same", name=name + "_2_conv")(x), name + "_2_bn", name + "_2_relu"
    )
    x = _normalised(layers.Conv2D(4 * filters, 1, name=name + "_3_conv")(x), name + "_3_bn")
    x = layers.Add(name=name + "_add")([shortcut, x])
    return layers.Activation("relu", name=name + "_out")(x)


def _second_stage(x, filters, blocks, stage, name):
    for i in range(1, blocks + 1):
        x = _second_block(x, filters, 2 if i == blocks and stage < 3 else 1, i == 1, f"{name}{i}")
    return x


def _second_block(x, filters, stride, projects, name):
    before = _activated(x, name + "_preact_bn", name + "_preact_relu")
    if projects:
        shortcut = layers.Conv2D(4 * filters, 1, strides=stride, name=name + "_0_conv")(before)
    else:
        shortcut = layers.MaxPooling2D(1, strides=stride)(x) if stride > 1 else x
    x = layers.Conv2D(filters, 1, strides=1, use_bias=False, name=name + "_1_conv")(before)
    x = layers.ZeroPadding2D(((1, 1), (1, 1)), name=name + "_2_pad")(_activated(x, name + "_1_bn", name + "_1_relu"))
    x = layers.Conv2D(filters, 3, strides=stride, use_bias=False, name=name + "_2_conv")(x)
    x = layers.Conv2D(4 * filters, 1, name=name + "_3_conv")(_activated(x, name + "_2_bn", name + "_2_relu"))
    return layers.Add(name=name + "_out")([shortcut, x])
