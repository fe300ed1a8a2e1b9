"""tf.nn."""

_X = "tf.constant([[-1.5, -0.5, 0.0], [0.25, 2.0, 7.0]])"
_IMAGE = "tf.reshape(tf.range(32.0), [1, 4, 4, 2]) / 10"
_FILTER = "tf.reshape(tf.range(24.0), [2, 2, 2, 3]) / 20 - 0.5"

CASES = []


def case(name, source, **options):
    CASES.append((name, source, options))


for _f, _args in [
    ("relu", ""), ("relu6", ""), ("elu", ""), ("selu", ""), ("leaky_relu", ""), ("leaky_relu", ", alpha=0.3"), ("gelu", ""),
    ("gelu", ", approximate=True"), ("silu", ""), ("swish", ", beta=2.0"), ("softplus", ""), ("softsign", ""), ("tanh", ""),
    ("sigmoid", ""), ("softmax", ""), ("softmax", ", axis=0"), ("log_softmax", ""), ("log_softmax", ", axis=0"), ("crelu", ""),
    ("l2_loss", ""), ("l2_normalize", ", axis=1"),
]:  # fmt: skip
    _id = _f + (_args.replace(", ", "_").replace("=", "_").replace(".", "") if _args else "")
    case(
        _id,
        f"x = {_X}\nwith tf.GradientTape() as t:\n  t.watch(x)\n  y = tf.nn.{_f}(x{_args})\n  z = tf.reduce_sum(y * y)\nresult = [y, t.gradient(z, x)]",
    )
case("math_softmax", f"[tf.math.softmax({_X}), tf.math.log_softmax({_X})]")
case(
    "sigmoid_cross_entropy",
    "x = tf.Variable([1.0, -2.0, 3.0])\nwith tf.GradientTape() as t:\n  y = tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0, 0.0, 0.5], logits=x)\nresult = [y, t.gradient(y, x)]",
)
case("sigmoid_cross_entropy_shapes", "tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[1.0, 2.0])")
case(
    "softmax_cross_entropy",
    "x = tf.Variable([[1.0, 2.0, 0.5], [0.0, 0.0, 3.0]])\nwith tf.GradientTape() as t:\n  y = tf.nn.softmax_cross_entropy_with_logits(labels=[[0.0, 1.0, 0.0], [0.2, 0.3, 0.5]], logits=x)\nresult = [y, t.gradient(y, x)]",
)
case(
    "softmax_cross_entropy_axis",
    "tf.nn.softmax_cross_entropy_with_logits([[0.0, 1.0], [1.0, 0.0]], [[1.0, 2.0], [0.5, 3.0]], axis=0)",
)
case(
    "sparse_softmax_cross_entropy",
    "x = tf.Variable([[1.0, 2.0, 0.5], [0.0, 0.0, 3.0]])\nwith tf.GradientTape() as t:\n  y = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 2], logits=x)\nresult = [y, t.gradient(y, x)]",
)
case(
    "sparse_softmax_float_labels",
    "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1.0], logits=[[1.0, 2.0]])",
    raises="Exception",
)
case(
    "weighted_cross_entropy",
    "tf.nn.weighted_cross_entropy_with_logits(labels=[1.0, 0.0, 0.5], logits=[1.5, -0.1, 2.0], pos_weight=2.0)",
)
case(
    "log_poisson_loss",
    "[tf.nn.log_poisson_loss([1.0, 3.0], [0.5, 1.5]), tf.nn.log_poisson_loss([1.0, 3.0], [0.5, 1.5], compute_full_loss=True)]",
)
case("moments", f"[tf.nn.moments({_X}, [0]), tf.nn.moments({_X}, axes=[0, 1], keepdims=True)]")
case("weighted_moments", f"tf.nn.weighted_moments({_X}, [0], [[1.0], [3.0]])")
case("normalize_moments", "tf.nn.normalize_moments(4.0, tf.constant([8.0]), tf.constant([40.0]), None)")
case("sufficient_statistics", f"c, s, q, _ = tf.nn.sufficient_statistics({_X}, [0]); [c, s, q]")
case(
    "batch_normalization",
    f"tf.nn.batch_normalization({_X}, tf.constant([0.5, 0.0, 1.0]), tf.constant([2.0, 1.0, 4.0]), tf.constant([1.0, 1.0, 0.0]), tf.constant([2.0, 1.0, 1.0]), 1e-3)",
)
case(
    "batch_normalization_plain",
    f"tf.nn.batch_normalization({_X}, tf.constant(0.5), tf.constant(2.0), None, None, 1e-3)",
)
case(
    "bias_add",
    "[tf.nn.bias_add([[1.0, 2.0]], [10.0, 20.0]), tf.nn.bias_add(tf.zeros([1, 2, 1, 2]), [1.0, 2.0], data_format='NCHW')]",
)
case("dropout_rate_0", "tf.nn.dropout([1.0, 2.0], rate=0.0)")
case(
    "dropout",
    "x = tf.nn.dropout(tf.ones([10000]), rate=0.25, seed=1); [abs(float(tf.reduce_mean(x)) - 1) < 0.05, sorted(set(np.round(x.numpy(), 4).tolist()))]",
)
case(
    "dropout_noise_shape",
    "x = tf.nn.dropout(tf.ones([50, 4]), 0.5, noise_shape=[50, 1]).numpy(); [bool((x == x[:, :1]).all()), x.shape]",
)
case("dropout_bad_rate", "tf.nn.dropout([1.0], rate=1.5)")
case(
    "embedding_lookup",
    "[tf.nn.embedding_lookup(tf.constant([[1.0, 2.0], [3.0, 4.0]]), [1, 0, 1]), tf.nn.embedding_lookup(tf.constant([[3.0, 4.0]]), [[0]], max_norm=1.0)]",
)
case(
    "local_response_normalization",
    f"[tf.nn.local_response_normalization({_IMAGE}, depth_radius=1), tf.nn.lrn({_IMAGE}, 2, bias=2.0, alpha=0.5, beta=0.75)]",
)
case(
    "compute_average_loss",
    "[tf.nn.compute_average_loss([1.0, 2.0, 6.0]), tf.nn.compute_average_loss([1.0, 2.0], sample_weight=[1.0, 0.5], global_batch_size=4)]",
)
case("scale_regularization_loss", "tf.nn.scale_regularization_loss([1.0, 2.0])")
case(
    "conv2d",
    f"x = {_IMAGE}; k = {_FILTER}\nwith tf.GradientTape() as t:\n  t.watch([x, k])\n  y = tf.nn.conv2d(x, k, strides=1, padding='SAME')\n  z = tf.reduce_sum(y * y)\nresult = [y, t.gradient(z, [x, k])]",
)
case(
    "conv2d_options",
    f"x = {_IMAGE}; k = {_FILTER}; [tf.nn.conv2d(x, k, [1, 2, 2, 1], 'VALID'), tf.nn.conv2d(x, k, 1, 'VALID', dilations=2), tf.nn.conv2d(x, k, [1, 1], [[0, 0], [1, 0], [0, 2], [0, 0]])]",
)
case("conv2d_padding", f"tf.nn.conv2d({_IMAGE}, {_FILTER}, 1, 'FULL')", raises="Exception")
case("conv2d_channels", f"tf.nn.conv2d(tf.zeros([1, 4, 4, 3]), {_FILTER}, 1, 'SAME')", raises="Exception")
case(
    "conv1d",
    "x = tf.reshape(tf.range(10.0), [1, 5, 2]); k = tf.reshape(tf.range(12.0), [3, 2, 2]); [tf.nn.conv1d(x, k, stride=1, padding='SAME'), tf.nn.conv1d(x, k, 2, 'VALID')]",
)
case(
    "conv3d",
    "x = tf.reshape(tf.range(27.0), [1, 3, 3, 3, 1]); k = tf.ones([2, 2, 2, 1, 1]); tf.nn.conv3d(x, k, [1, 1, 1, 1, 1], 'VALID')",
)
case(
    "convolution",
    f"[tf.nn.convolution({_IMAGE}, {_FILTER}), tf.nn.convolution({_IMAGE}, {_FILTER}, strides=[2, 2], padding='SAME')]",
)
case(
    "depthwise_conv2d",
    f"tf.nn.depthwise_conv2d({_IMAGE}, tf.reshape(tf.range(16.0), [2, 2, 2, 2]), [1, 1, 1, 1], 'SAME')",
)
case(
    "separable_conv2d",
    f"tf.nn.separable_conv2d({_IMAGE}, tf.reshape(tf.range(8.0), [2, 2, 2, 1]), tf.reshape(tf.range(6.0), [1, 1, 2, 3]), [1, 1, 1, 1], 'VALID')",
)
case(
    "conv2d_transpose",
    f"x = {_IMAGE}; k = tf.reshape(tf.range(24.0), [2, 2, 3, 2]) / 10; [tf.nn.conv2d_transpose(x, k, [1, 8, 8, 3], strides=2), tf.nn.conv2d_transpose(x, k, output_shape=[1, 5, 5, 3], strides=1, padding='VALID')]",
)
case(
    "conv1d_transpose",
    "tf.nn.conv1d_transpose(tf.reshape(tf.range(6.0), [1, 3, 2]), tf.reshape(tf.range(8.0), [2, 2, 2]), [1, 6, 2], 2)",
)
case(
    "conv3d_transpose", "tf.nn.conv3d_transpose(tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, 1, 1]), [1, 4, 4, 4, 1], 2)"
)
case("conv_transpose", f"tf.nn.conv_transpose({_IMAGE}, tf.reshape(tf.range(24.0), [2, 2, 3, 2]), [1, 8, 8, 3], 2)")
case("atrous_conv2d", f"tf.nn.atrous_conv2d({_IMAGE}, {_FILTER}, rate=2, padding='SAME')")
case(
    "max_pool2d",
    f"x = {_IMAGE}\nwith tf.GradientTape() as t:\n  t.watch(x)\n  y = tf.nn.max_pool2d(x, 2, 2, 'VALID')\nresult = [y, t.gradient(y, x)]",
)
case(
    "max_pool",
    f"[tf.nn.max_pool({_IMAGE}, ksize=[1, 3, 3, 1], strides=[1, 1, 1, 1], padding='SAME'), tf.nn.max_pool2d({_IMAGE}, 3, 2, 'SAME'), tf.nn.max_pool1d(tf.reshape(tf.range(6.0), [1, 6, 1]), 2, 2, 'VALID'), tf.nn.max_pool3d(tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1]), 2, 2, 'VALID')]",
)
case(
    "avg_pool",
    f"[tf.nn.avg_pool({_IMAGE}, 2, 2, 'VALID'), tf.nn.avg_pool2d({_IMAGE}, 3, 2, 'SAME'), tf.nn.avg_pool1d(tf.reshape(tf.range(6.0), [1, 6, 1]), 2, 1, 'SAME'), tf.nn.avg_pool3d(tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1]), 2, 2, 'VALID')]",
)
case(
    "pool",
    f"[tf.nn.pool({_IMAGE}, [2, 2], 'MAX'), tf.nn.pool({_IMAGE}, [2, 2], 'AVG', strides=[2, 2], padding='SAME')]",
)
case(
    "depth_to_space",
    "x = tf.reshape(tf.range(16), [1, 2, 2, 4]); [tf.nn.depth_to_space(x, 2), tf.nn.space_to_depth(tf.nn.depth_to_space(x, 2), block_size=2)]",
)
case("space_to_batch_nn", "tf.nn.space_to_batch(tf.reshape(tf.range(16), [1, 4, 4, 1]), [2, 2], [[0, 0], [0, 0]])")
