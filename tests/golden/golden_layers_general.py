"""Golden values of the layers beside Dense, convolutions and pooling. See golden_layers.py."""

import keras
import numpy as np

from golden_layers import Cases

L = keras.layers
HALF = 8e-3  # one rounding to bfloat16
SEVERAL = 1.6e-2  # some in a row


def step_mask(*shape):
    """Which steps count: the first always, others by a pattern."""
    flat = (np.arange(int(np.prod(shape))) * 7 % 5) > 1
    mask = flat.reshape(shape)
    mask[..., 0] = True
    return mask


def normalization(c):
    x = c.numbers(4, 3, low=-2, high=2)
    image = c.numbers(2, 3, 2, 3, low=-2, high=2)
    for training in (False, True):
        tag = "train" if training else "test"
        calls = 3 if training else 1
        batch = lambda name, layer, *inputs, **more: c.layer(
            f"batch_normalization/{name}/{tag}", layer, *inputs, training=training, calls=calls, **more
        )
        batch("rank_2", L.BatchNormalization(), x)
        batch("rank_3", L.BatchNormalization(), c.numbers(2, 4, 3))
        batch("rank_4", L.BatchNormalization(), image)
        batch("axis_1", L.BatchNormalization(axis=1), image)
        batch("axis_2", L.BatchNormalization(axis=-2), image)
        batch("momentum", L.BatchNormalization(momentum=0.5, epsilon=0.1), x)
        batch("no_center", L.BatchNormalization(center=False), x)
        batch("no_scale", L.BatchNormalization(scale=False), x)
        batch("plain", L.BatchNormalization(center=False, scale=False), x)
        batch(
            "regularised",
            L.BatchNormalization(
                beta_regularizer="l1",
                gamma_regularizer="l2",
                beta_initializer="ones",
                gamma_initializer="he_normal",
                moving_mean_initializer="ones",
                moving_variance_initializer="zeros",
                beta_constraint="non_neg",
                gamma_constraint="max_norm",
            ),
            x,
        )
        batch("mask", L.BatchNormalization(), c.numbers(3, 4, 2), masks=[step_mask(3, 4)])
        batch("mask_of_rank_4", L.BatchNormalization(), c.numbers(2, 3, 2, 2), masks=[step_mask(2, 3, 2)])
        batch("float64", L.BatchNormalization(dtype="float64"), x.astype(np.float64))
        batch("mixed_bfloat16", L.BatchNormalization(dtype="mixed_bfloat16"), x, tolerance=SEVERAL)
        batch("mixed_float16", L.BatchNormalization(dtype="mixed_float16"), x, tolerance=2e-3)
        batch("integers", L.BatchNormalization(), np.arange(8, dtype=np.int32).reshape(4, 2))
    c.layer(
        "batch_normalization/rank_5/train", L.BatchNormalization(), c.numbers(2, 2, 1, 2, 2), training=True, calls=2
    )

    for name, layer, shape in (
        ("default", L.LayerNormalization(), (3, 4)),
        ("rank_3", L.LayerNormalization(), (2, 3, 4)),
        ("axis_1", L.LayerNormalization(axis=1), (2, 3, 4)),
        ("axes", L.LayerNormalization(axis=[1, 2]), (2, 3, 4)),
        ("axes_behind", L.LayerNormalization(axis=[-1, -2]), (2, 3, 4)),
        ("axes_apart", L.LayerNormalization(axis=[1, 3]), (2, 3, 2, 2)),
        ("epsilon", L.LayerNormalization(epsilon=0.1), (3, 4)),
        ("no_center", L.LayerNormalization(center=False), (3, 4)),
        ("no_scale", L.LayerNormalization(scale=False), (3, 4)),
        ("plain", L.LayerNormalization(scale=False, center=False), (3, 4)),
        (
            "regularised",
            L.LayerNormalization(
                beta_regularizer="l2", gamma_regularizer="l1", gamma_constraint="non_neg", beta_constraint="unit_norm"
            ),
            (3, 4),
        ),
    ):
        c.layer(f"layer_normalization/{name}", layer, c.numbers(*shape, low=-2, high=2))
    c.layer("layer_normalization/mask", L.LayerNormalization(), c.numbers(2, 3, 4), masks=[step_mask(2, 3)])
    c.layer("layer_normalization/float64", L.LayerNormalization(dtype="float64"), c.numbers(3, 4).astype(np.float64))
    c.layer(
        "layer_normalization/mixed_bfloat16",
        L.LayerNormalization(dtype="mixed_bfloat16"),
        c.numbers(3, 4),
        tolerance=HALF,
    )

    for name, layer, shape in (
        ("two", L.GroupNormalization(2), (2, 3, 4)),
        ("one", L.GroupNormalization(1), (2, 3, 4)),
        ("each", L.GroupNormalization(-1), (2, 3, 4)),
        ("all", L.GroupNormalization(4), (3, 4)),
        ("rank_4", L.GroupNormalization(2), (2, 2, 3, 4)),
        ("axis_1", L.GroupNormalization(2, axis=1), (2, 4, 3, 2)),
        ("axis_2", L.GroupNormalization(3, axis=2), (2, 2, 3, 2)),
        ("axis_behind", L.GroupNormalization(2, axis=-2), (2, 3, 4, 2)),
        ("epsilon", L.GroupNormalization(2, epsilon=0.1), (2, 3, 4)),
        ("no_center", L.GroupNormalization(2, center=False), (2, 3, 4)),
        ("no_scale", L.GroupNormalization(2, scale=False), (2, 3, 4)),
        ("regularised", L.GroupNormalization(2, beta_regularizer="l2", gamma_regularizer="l1"), (2, 3, 4)),
    ):
        c.layer(f"group_normalization/{name}", layer, c.numbers(*shape, low=-2, high=2))
    c.layer("group_normalization/mask", L.GroupNormalization(2), c.numbers(2, 3, 4), masks=[step_mask(2, 3)])
    c.layer("group_normalization/float64", L.GroupNormalization(2, dtype="float64"), c.numbers(2, 4).astype(np.float64))
    c.layer(
        "group_normalization/mixed_bfloat16",
        L.GroupNormalization(2, dtype="mixed_bfloat16"),
        c.numbers(2, 3, 4),
        tolerance=HALF,
    )

    c.layer("rms_normalization/default", L.RMSNormalization(), c.numbers(3, 4))
    c.layer("rms_normalization/rank_3", L.RMSNormalization(), c.numbers(2, 3, 4))
    c.layer("rms_normalization/axes", L.RMSNormalization(axis=[1, 2], epsilon=0.1), c.numbers(2, 3, 4))
    c.layer("rms_normalization/float64", L.RMSNormalization(dtype="float64"), c.numbers(3, 4).astype(np.float64))
    c.layer(
        "rms_normalization/mixed_bfloat16",
        L.RMSNormalization(dtype="mixed_bfloat16"),
        c.numbers(3, 4),
        tolerance=SEVERAL,
    )
    c.layer("unit_normalization/default", L.UnitNormalization(), c.numbers(3, 4))
    c.layer("unit_normalization/axis_1", L.UnitNormalization(axis=1), c.numbers(2, 3, 4))
    c.layer("unit_normalization/axes", L.UnitNormalization(axis=[1, 2]), c.numbers(2, 3, 4))
    c.layer("unit_normalization/mask", L.UnitNormalization(), c.numbers(2, 3, 4), masks=[step_mask(2, 3)])
    c.layer("unit_normalization/float64", L.UnitNormalization(dtype="float64"), c.numbers(3, 4).astype(np.float64))
    c.layer(
        "unit_normalization/mixed_bfloat16",
        L.UnitNormalization(dtype="mixed_bfloat16"),
        c.numbers(3, 4),
        tolerance=SEVERAL,
    )
    for training in (False, True):
        tag = "train" if training else "test"
        spectral = lambda name, layer, x: c.layer(f"spectral_normalization/{name}/{tag}", layer, x, training=training)
        spectral("dense", L.SpectralNormalization(L.Dense(3)), c.numbers(2, 4))
        spectral("iterations", L.SpectralNormalization(L.Dense(3), power_iterations=3), c.numbers(2, 4))
        spectral("conv2d", L.SpectralNormalization(L.Conv2D(2, 2, activation="relu")), c.numbers(1, 3, 3, 2))
    zero = L.SpectralNormalization(L.Dense(3, use_bias=False))
    c.layer(
        "spectral_normalization/zeros/train",
        zero,
        c.numbers(2, 4),
        training=True,
        weights=[np.zeros((4, 3), np.float32), c.numbers(1, 3)],
    )


def merging(c):
    kinds = (
        ("add", L.Add),
        ("subtract", L.Subtract),
        ("multiply", L.Multiply),
        ("average", L.Average),
        ("maximum", L.Maximum),
        ("minimum", L.Minimum),
    )
    for name, kind in kinds:
        many = 2 if name == "subtract" else 3
        mask, other = step_mask(2, 3), ~step_mask(2, 3)
        c.layer(f"{name}/same", kind(), *[c.numbers(2, 3) for _ in range(many)])
        c.layer(f"{name}/broadcast", kind(), c.numbers(2, 3, 4), c.numbers(2, 1, 4))
        c.layer(f"{name}/ranks", kind(), c.numbers(2, 3, 4), c.numbers(2, 4))
        c.layer(f"{name}/masks", kind(), *[c.numbers(2, 3, 2) for _ in range(2)], masks=[mask, other])
        c.layer(f"{name}/equal_masks", kind(), *[c.numbers(2, 3, 2) for _ in range(2)], masks=[mask, mask])
        c.layer(f"{name}/one_mask", kind(), *[c.numbers(2, 3, 2) for _ in range(2)], masks=[mask, None])
        c.layer(f"{name}/second_mask", kind(), *[c.numbers(2, 3, 2) for _ in range(2)], masks=[None, mask])
        if many == 3:
            c.layer(f"{name}/three_masks", kind(), *[c.numbers(2, 3, 2) for _ in range(3)], masks=[mask, other, mask])
        c.layer(f"{name}/float64", kind(dtype="float64"), *[c.numbers(2, 3).astype(np.float64) for _ in range(2)])
        c.layer(
            f"{name}/mixed_bfloat16",
            kind(dtype="mixed_bfloat16"),
            *[c.numbers(2, 3) for _ in range(2)],
            tolerance=SEVERAL,
        )
    c.layer("concatenate/last", L.Concatenate(), c.numbers(2, 3), c.numbers(2, 1), c.numbers(2, 2))
    c.layer("concatenate/axis_1", L.Concatenate(axis=1), c.numbers(2, 3, 2), c.numbers(2, 1, 2))
    c.layer("concatenate/axis_0", L.Concatenate(axis=0), c.numbers(2, 3), c.numbers(1, 3))
    c.layer(
        "concatenate/masks",
        L.Concatenate(axis=1),
        c.numbers(2, 3, 2),
        c.numbers(2, 2, 2),
        masks=[step_mask(2, 3), ~step_mask(2, 2)],
    )
    c.layer(
        "concatenate/one_mask",
        L.Concatenate(axis=1),
        c.numbers(2, 3, 2),
        c.numbers(2, 2, 2),
        masks=[step_mask(2, 3), None],
    )
    c.layer(
        "concatenate/masks_of_features",
        L.Concatenate(),
        c.numbers(2, 3, 2),
        c.numbers(2, 3, 1),
        masks=[step_mask(2, 3), ~step_mask(2, 3)],
    )
    c.layer(
        "concatenate/mixed_bfloat16",
        L.Concatenate(dtype="mixed_bfloat16"),
        c.numbers(2, 2),
        c.numbers(2, 1),
        tolerance=HALF,
    )
    for normalize in (False, True):
        tag = "/normalised" if normalize else ""
        dot = lambda name, axes, *shapes: c.layer(
            f"dot/{name}{tag}", L.Dot(axes, normalize=normalize), *[c.numbers(*shape) for shape in shapes]
        )
        dot("vectors", 1, (3, 4), (3, 4))
        dot("last", -1, (2, 3, 4), (2, 2, 4))
        dot("pair", (1, 2), (2, 3, 4), (2, 2, 3))
        dot("vector_matrix", (1, 2), (2, 3), (2, 4, 3))
        dot("matrix_vector", (2, 1), (2, 4, 3), (2, 3))
        dot("rank_4", (2, 1), (2, 2, 3, 2), (2, 3, 4))
        dot("behind", (-2, -1), (2, 3, 2), (2, 2, 3))


def reshaping(c):
    c.layer("reshape/whole", L.Reshape((3, 4)), c.numbers(2, 12))
    c.layer("reshape/open", L.Reshape((-1, 2)), c.numbers(2, 3, 4))
    c.layer("reshape/flat", L.Reshape((-1,)), c.numbers(2, 3, 2))
    c.layer("reshape/to_scalar", L.Reshape(()), c.numbers(2, 1))
    c.layer("reshape/integers", L.Reshape((2, 2)), np.arange(8, dtype=np.int32).reshape(2, 4))
    c.layer("permute/two", L.Permute((2, 1)), c.numbers(2, 3, 4))
    c.layer("permute/three", L.Permute((3, 1, 2)), c.numbers(2, 3, 4, 2))
    c.layer("repeat_vector", L.RepeatVector(3), c.numbers(2, 4))
    for size in (1, (0, 2), (2, 1)):
        c.layer(f"cropping1d/{size}", L.Cropping1D(size), c.numbers(2, 5, 2))
        for order in ("channels_last", "channels_first"):
            c.layer(f"zero_padding1d/{size}/{order}", L.ZeroPadding1D(size, data_format=order), c.numbers(2, 3, 2))
    for size in (1, (1, 0), ((1, 0), (0, 2))):
        for order in ("channels_last", "channels_first"):
            c.layer(f"cropping2d/{size}/{order}", L.Cropping2D(size, data_format=order), c.numbers(1, 3, 4, 4))
            c.layer(f"zero_padding2d/{size}/{order}", L.ZeroPadding2D(size, data_format=order), c.numbers(1, 2, 3, 2))
    for size in (1, (1, 0, 1), ((1, 0), (0, 2), (0, 0))):
        for order in ("channels_last", "channels_first"):
            shape = (1, 3, 4, 3, 1) if order == "channels_last" else (1, 1, 3, 4, 3)
            c.layer(f"cropping3d/{size}/{order}", L.Cropping3D(size, data_format=order), c.numbers(*shape))
            c.layer(
                f"zero_padding3d/{size}/{order}", L.ZeroPadding3D(size, data_format=order), c.numbers(1, 1, 2, 1, 2)
            )
    c.layer("up_sampling1d/2", L.UpSampling1D(), c.numbers(2, 3, 2))
    c.layer("up_sampling1d/3", L.UpSampling1D(3), c.numbers(1, 2, 2))
    for order in ("channels_last", "channels_first"):
        for size in (2, (1, 3), (3, 2)):
            for interpolation in ("nearest", "bilinear"):
                c.layer(
                    f"up_sampling2d/{size}/{interpolation}/{order}",
                    L.UpSampling2D(size, data_format=order, interpolation=interpolation),
                    c.numbers(1, 2, 3, 2),
                )
        c.layer(f"up_sampling3d/2/{order}", L.UpSampling3D(data_format=order), c.numbers(1, 2, 1, 2, 2))
        c.layer(
            f"up_sampling3d/several/{order}", L.UpSampling3D((1, 2, 3), data_format=order), c.numbers(1, 1, 2, 1, 2)
        )
    c.layer("up_sampling2d/bilinear/one_row", L.UpSampling2D((2, 4), interpolation="bilinear"), c.numbers(1, 1, 2, 1))
    c.layer(
        "up_sampling2d/bilinear/mixed_bfloat16",
        L.UpSampling2D(interpolation="bilinear", dtype="mixed_bfloat16"),
        c.numbers(1, 2, 2, 1),
        tolerance=SEVERAL,
    )


def embedding(c):
    ids = np.array([[1, 0, 3], [2, 2, 0]], np.int32)
    c.layer("embedding/default", L.Embedding(4, 2), ids)
    c.layer("embedding/rank_1", L.Embedding(4, 2), ids[0])
    c.layer("embedding/rank_3", L.Embedding(4, 2), ids.reshape(1, 2, 3))
    c.layer("embedding/int64", L.Embedding(4, 3), ids.astype(np.int64))
    c.layer("embedding/floats", L.Embedding(4, 3), ids.astype(np.float32), gradients=False)
    c.layer("embedding/mask_zero", L.Embedding(4, 2, mask_zero=True), ids)
    c.layer("embedding/regularised", L.Embedding(4, 2, "glorot_uniform", "l2", "unit_norm"), ids)
    c.layer("embedding/float64", L.Embedding(4, 2, dtype="float64"), ids)
    c.layer("embedding/mixed_bfloat16", L.Embedding(4, 2, mask_zero=True, dtype="mixed_bfloat16"), ids, tolerance=HALF)
    x = c.numbers(2, 4, 3)
    x[0, 1] = 0
    x[1, 2, 0] = 0
    x[1, 3] = 0.5
    c.layer("masking/default", L.Masking(), x)
    c.layer("masking/value", L.Masking(0.5), x)
    c.layer("masking/rank_2", L.Masking(), np.float32([[0, 0], [0, 1]]))
    c.layer("masking/before", L.Masking(), x, masks=[step_mask(2, 4)])
    c.layer("masking/mixed_bfloat16", L.Masking(dtype="mixed_bfloat16"), x, tolerance=HALF)


def activation_layers(c):
    x = np.float32([[-3, -1, -0.5, 0.25], [0.5, 1, 3, 8]])
    for name, layer in (
        ("default", L.ReLU()),
        ("max_value", L.ReLU(max_value=6)),
        ("slope", L.ReLU(negative_slope=0.2)),
        ("threshold", L.ReLU(threshold=0.75)),
        ("all", L.ReLU(2, 0.1, 0.75)),
        ("mixed_bfloat16", L.ReLU(6.0, 0.25, dtype="mixed_bfloat16")),
    ):
        c.layer(f"relu_layer/{name}", layer, x, tolerance=HALF if "mixed" in name else None)
    c.layer("relu_layer/mask", L.ReLU(), c.numbers(2, 3, 2), masks=[step_mask(2, 3)])
    c.layer("leaky_relu_layer/default", L.LeakyReLU(), x)
    c.layer("leaky_relu_layer/slope", L.LeakyReLU(0.1), x)
    c.layer("leaky_relu_layer/float64", L.LeakyReLU(0.1, dtype="float64"), x.astype(np.float64))
    c.layer("prelu/default", L.PReLU(), x)
    c.layer("prelu/rank_3", L.PReLU(), c.numbers(2, 3, 2))
    c.layer("prelu/shared", L.PReLU(shared_axes=[1]), c.numbers(2, 3, 2))
    c.layer("prelu/shared_two", L.PReLU(shared_axes=[1, 2]), c.numbers(2, 3, 2, 2))
    c.layer("prelu/regularised", L.PReLU("ones", "l2", "non_neg"), x)
    c.layer("prelu/mixed_bfloat16", L.PReLU(dtype="mixed_bfloat16"), x, tolerance=SEVERAL)
    c.layer("elu/default", L.ELU(), x)
    c.layer("elu/alpha", L.ELU(0.3), x)
    c.layer("softmax/default", L.Softmax(), x)
    c.layer("softmax/axis_1", L.Softmax(axis=1), c.numbers(2, 3, 2))
    c.layer("softmax/axes", L.Softmax(axis=[1, 2]), c.numbers(2, 3, 2))
    c.layer("softmax/axis_in_list", L.Softmax(axis=[-1]), c.numbers(2, 3))
    c.layer("softmax/mask", L.Softmax(), c.numbers(2, 3), masks=[step_mask(2, 3)])
    c.layer("softmax/all_masked", L.Softmax(), c.numbers(2, 3), masks=[np.array([[1, 0, 1], [0, 0, 0]], bool)])
    c.layer("softmax/mask_of_one", L.Softmax(axis=1), c.numbers(2, 3, 2), masks=[step_mask(2, 3)[..., None]])
    c.layer("softmax/mixed_bfloat16", L.Softmax(dtype="mixed_bfloat16"), c.numbers(2, 3), tolerance=SEVERAL)
    c.layer(
        "softmax/mixed_float16/mask",
        L.Softmax(dtype="mixed_float16"),
        c.numbers(2, 3),
        masks=[step_mask(2, 3)],
        tolerance=2e-3,
    )
    c.layer("identity/default", L.Identity(), x)
    c.layer("identity/mask", L.Identity(), c.numbers(2, 3, 2), masks=[step_mask(2, 3)])
    c.layer("identity/mixed_bfloat16", L.Identity(dtype="mixed_bfloat16"), x, tolerance=HALF)


def regularization(c):
    """Without training; what they draw is not Keras' and is tested by its moments."""
    for name, layer, shape in (
        ("spatial_dropout1d", L.SpatialDropout1D(0.4), (2, 3, 2)),
        ("spatial_dropout1d/seed", L.SpatialDropout1D(0.4, seed=3), (2, 3, 2)),
        ("spatial_dropout2d", L.SpatialDropout2D(0.4), (1, 2, 3, 2)),
        ("spatial_dropout2d/first", L.SpatialDropout2D(0.4, "channels_first"), (1, 2, 3, 2)),
        ("spatial_dropout3d", L.SpatialDropout3D(0.4, seed=1), (1, 2, 1, 3, 2)),
        ("spatial_dropout3d/first", L.SpatialDropout3D(0.4, "channels_first"), (1, 2, 1, 3, 2)),
        ("gaussian_noise", L.GaussianNoise(0.5, seed=2), (2, 3)),
        ("gaussian_dropout", L.GaussianDropout(0.5, seed=2), (2, 3)),
        ("alpha_dropout", L.AlphaDropout(0.5, seed=2), (2, 3)),
        ("alpha_dropout/noise_shape", L.AlphaDropout(0.5, noise_shape=(None, 1)), (2, 3)),
    ):
        c.layer(f"{name}/test", layer, c.numbers(*shape), weights=[])
    for kind in (L.GaussianNoise, L.GaussianDropout, L.AlphaDropout, L.Dropout, L.SpatialDropout1D):
        c.layer(f"{kind.__name__}/nothing/train", kind(0.0), c.numbers(2, 3, 2), training=True, masks=[step_mask(2, 3)])
    c.layer("activity_regularization/none", L.ActivityRegularization(), c.numbers(2, 3))
    c.layer("activity_regularization/both", L.ActivityRegularization(0.1, 0.2), c.numbers(2, 3))
    c.layer("activity_regularization/l1", L.ActivityRegularization(l1=0.5), c.numbers(2, 3, 2), masks=[step_mask(2, 3)])


def separable_and_einsum(c):
    for padding in ("valid", "same"):
        for strides, dilation in ((1, 1), (2, 1), (1, 2)):
            tag = f"{padding}/{strides}/{dilation}"
            c.layer(
                f"separable_conv1d/{tag}",
                L.SeparableConv1D(3, 2, strides, padding, dilation_rate=dilation),
                c.numbers(1, 5, 2),
            )
            c.layer(
                f"separable_conv2d/{tag}",
                L.SeparableConv2D(2, (2, 3), strides, padding, dilation_rate=dilation, depth_multiplier=2),
                c.numbers(1, 4, 5, 2),
            )
    c.layer("separable_conv1d/depth_multiplier", L.SeparableConv1D(2, 3, depth_multiplier=3), c.numbers(1, 4, 2))
    c.layer(
        "separable_conv2d/no_bias", L.SeparableConv2D(2, 2, use_bias=False, activation="relu"), c.numbers(1, 3, 3, 2)
    )
    c.layer(
        "separable_conv2d/regularised",
        L.SeparableConv2D(
            2,
            2,
            depthwise_regularizer="l2",
            pointwise_regularizer="l1",
            bias_regularizer="l2",
            activity_regularizer="l2",
            depthwise_initializer="he_normal",
            pointwise_initializer="ones",
            bias_initializer="ones",
            depthwise_constraint="max_norm",
            pointwise_constraint="unit_norm",
            bias_constraint="non_neg",
        ),
        c.numbers(1, 3, 3, 2),
    )
    c.layer(
        "separable_conv2d/mixed_bfloat16",
        L.SeparableConv2D(2, 2, dtype="mixed_bfloat16"),
        c.numbers(1, 3, 3, 2),
        tolerance=3e-2,
    )
    c.layer(
        "separable_conv2d/float64", L.SeparableConv2D(2, 2, dtype="float64"), c.numbers(1, 3, 3, 2).astype(np.float64)
    )
    for name, equation, shape, bias, x in (
        ("matrix", "ab,bc->ac", 3, "c", (2, 4)),
        ("no_bias", "ab,bc->ac", 3, None, (2, 4)),
        ("steps", "abc,cd->abd", (None, 3), "d", (2, 3, 4)),
        ("two_axes", "abc,bcd->ad", 3, "d", (2, 3, 2)),
        ("heads", "abc,cde->abde", (None, 2, 3), "de", (2, 3, 4)),
        ("heads_back", "abcd,cde->abe", (None, 3), "e", (2, 3, 2, 2)),
        ("turned", "abc,dc->adb", (2, 3), "d", (1, 3, 4)),
        ("bias_of_steps", "abc,cd->abd", (3, 2), "bd", (2, 3, 4)),
        ("bias_before", "abc,cd->abd", (3, 2), "b", (2, 3, 4)),
        ("left", "...x,xy->...y", 3, "y", (2, 3, 4)),
        ("left_of_two", "...x,xy->...y", 3, "y", (2, 4)),
        ("left_rank_4", "...xy,yz->...xz", (2, 3), "xz", (1, 2, 2, 3)),
        # Keras adds a bias of (n, 1) to the last axis where that has the size n: here it has not.
        ("right", "abx...,xy->aby...", (3, 2), "y", (1, 3, 4, 3)),
        ("right_turned", "ab...,bc->ac...", 3, "c", (2, 4, 2)),
        ("by_step", "abc,bcd->abd", (3, 2), "bd", (2, 3, 4)),
    ):
        c.layer(f"einsum_dense/{name}", L.EinsumDense(equation, shape, bias_axes=bias), c.numbers(*x))
    c.layer("einsum_dense/activation", L.EinsumDense("ab,bc->ac", 3, "relu", "c"), c.numbers(2, 4))
    c.layer(
        "einsum_dense/regularised",
        L.EinsumDense(
            "ab,bc->ac",
            3,
            bias_axes="c",
            kernel_regularizer="l2",
            bias_regularizer="l1",
            kernel_initializer="he_uniform",
            bias_initializer="ones",
            kernel_constraint="max_norm",
            bias_constraint="non_neg",
            activity_regularizer="l2",
        ),
        c.numbers(2, 4),
    )
    c.layer(
        "einsum_dense/float64",
        L.EinsumDense("ab,bc->ac", 3, bias_axes="c", dtype="float64"),
        c.numbers(2, 4).astype(np.float64),
    )
    c.layer(
        "einsum_dense/mixed_bfloat16",
        L.EinsumDense("ab,bc->ac", 3, bias_axes="c", dtype="mixed_bfloat16"),
        c.numbers(2, 4),
        tolerance=SEVERAL,
    )


def files(case):
    made = []
    for section in (
        normalization,
        merging,
        reshaping,
        embedding,
        activation_layers,
        regularization,
        separable_and_einsum,
    ):
        collected = Cases(case, f"layers_{section.__name__}")
        section(collected)
        made += collected.files()
    return made
