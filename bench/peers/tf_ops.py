"""The rows of `brio bench ops` in TensorFlow, eager."""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf

import timing
from rows import LARGE, SMALL, Rows, label

keras = tf.keras


def n(*shape):
    return tf.random.normal(shape)


def positive(*shape):
    return tf.random.uniform(shape, 0.5, 3)


def integers(shape, limit):
    return tf.random.uniform(shape, 0, limit, tf.int32)


def spd(size, *batch):
    a = n(*batch, size, size)
    return tf.matmul(a, a, transpose_b=True) + size * tf.eye(size)


ROWS = Rows(n)
over, given, row = ROWS.over, ROWS.given, ROWS.__setitem__


def large():
    return n(*LARGE)


def truths():
    return n(*LARGE) > 0


# elementwise
over("add", tf.add, [SMALL, SMALL], [LARGE, LARGE], [LARGE, (1024,)])
over("mul", tf.multiply, [SMALL, SMALL], [LARGE, (1024, 1)])
over("atan2", tf.atan2, [LARGE, LARGE])
over("squared_difference", tf.math.squared_difference, [LARGE, LARGE])
over("exp", tf.exp, [SMALL], [LARGE])
over("tanh", tf.tanh, [SMALL], [LARGE])
over("sin", tf.sin)
over("erf", tf.math.erf)
over("power", lambda x: tf.pow(x, 3.0))
over("sqrt", lambda x: tf.sqrt(tf.abs(x)))
over("round", tf.round)
over("is_nan", tf.math.is_nan)
over("clip", lambda x: tf.clip_by_value(x, -1, 1))
given("log 1024x1024", tf.math.log, lambda: positive(*LARGE))
given("lgamma 1024x1024", tf.math.lgamma, lambda: positive(*LARGE))
given("digamma 1024x1024", tf.math.digamma, lambda: positive(*LARGE))
given("pow 1024x1024", tf.pow, lambda: positive(*LARGE), large)
given("less 1024x1024", tf.less, large, large)
given("where 1024x1024", tf.where, truths, large, large)
given("floordiv i32 1024x1024", tf.math.floordiv, lambda: integers(LARGE, 1000), lambda: integers(LARGE, 100) + 1)
given("bitwise_and i32 1024x1024", tf.bitwise.bitwise_and, lambda: integers(LARGE, 1000), lambda: integers(LARGE, 1000))
given("logical_and 1024x1024", tf.logical_and, truths, truths)
over("cast i32", lambda x: tf.cast(x, tf.int32))
over("cast bf16", lambda x: tf.cast(x, tf.bfloat16))
over("cast f16", lambda x: tf.cast(x, tf.float16))
# activations
over("relu", tf.nn.relu, [SMALL], [LARGE])
over("sigmoid", tf.sigmoid, [SMALL], [LARGE])
over("gelu", tf.nn.gelu)
over("silu", tf.nn.silu)
over("elu", tf.nn.elu)
over("softplus", tf.nn.softplus)
over("softmax", tf.nn.softmax, [SMALL], [LARGE])
over("log_softmax", tf.nn.log_softmax)
# reductions
over("sum", tf.reduce_sum, [SMALL], [LARGE])
over("sum axis 0", lambda x: tf.reduce_sum(x, 0), [SMALL], [LARGE])
over("sum axis 1", lambda x: tf.reduce_sum(x, 1), [SMALL], [LARGE])
over("mean axis 1", lambda x: tf.reduce_mean(x, 1))
over("max axis 0", lambda x: tf.reduce_max(x, 0))
over("max axis 1", lambda x: tf.reduce_max(x, 1))
over("prod axis 1", lambda x: tf.reduce_prod(x, 1))
over("argmax axis 0", lambda x: tf.argmax(x, 0))
over("argmax axis 1", lambda x: tf.argmax(x, 1), [SMALL], [LARGE])
over("logsumexp axis 1", lambda x: tf.reduce_logsumexp(x, 1))
over("variance axis 1", lambda x: tf.math.reduce_variance(x, 1))
over("norm", tf.norm)
given("any axis 1 1024x1024", lambda x: tf.reduce_any(x, 1), lambda: n(*LARGE) > 9)
given("sum i32 1024x1024", tf.reduce_sum, lambda: integers(LARGE, 1000))
over("cumsum axis 0", lambda x: tf.cumsum(x, 0))
over("cumsum axis 1", lambda x: tf.cumsum(x, 1), [SMALL], [LARGE])
over("cumprod axis 1", lambda x: tf.math.cumprod(x, 1))
over("cumulative_logsumexp axis 1", lambda x: tf.math.cumulative_logsumexp(x, 1))
given(
    "bincount 1000000",
    lambda x: tf.math.bincount(x, minlength=1000, maxlength=1000),
    lambda: integers((1000000,), 1000),
)
given("histogram 1000000", lambda x: tf.histogram_fixed_width(x, [-4.0, 4.0], 100), lambda: n(1000000))
given(
    "unsorted_segment_sum 100000x16",
    lambda x, i: tf.math.unsorted_segment_sum(x, i, 1000),
    lambda: n(100000, 16),
    lambda: integers((100000,), 1000),
)
given(
    "unsorted_segment_max 100000x16",
    lambda x, i: tf.math.unsorted_segment_max(x, i, 1000),
    lambda: n(100000, 16),
    lambda: integers((100000,), 1000),
)
# products
over(
    "matmul", tf.matmul, [(16, 16)] * 2, [(64, 64)] * 2, [(512, 512)] * 2, [(64, 64, 64)] * 2, [(8, 1024), (1024, 1024)]
)
over("matmul transposed", lambda a, b: tf.matmul(a, b, transpose_b=True), [(256, 512)] * 2)
over("matvec", tf.linalg.matvec, [LARGE, (1024,)])
over("einsum bqhd,bkhd->bhqk", lambda a, b: tf.einsum("bqhd,bkhd->bhqk", a, b), [(8, 128, 8, 64)] * 2)
over("einsum bi,bj->ij", lambda a, b: tf.einsum("bi,bj->ij", a, b), [(256, 128)] * 2)
over("tensordot", lambda a, b: tf.tensordot(a, b, 2), [(64, 32, 64), (32, 64, 64)])
over("cross", tf.linalg.cross, [(100000, 3)] * 2)
given("matmul bf16 512x512", tf.matmul, *[lambda: tf.cast(n(512, 512), tf.bfloat16)] * 2)
given("attention 8x128x8x64", lambda q, k, v: keras.ops.dot_product_attention(q, k, v), *[lambda: n(8, 128, 8, 64)] * 3)
# convolutions
over(
    "conv2d",
    lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"),
    [(1, 8, 8, 4), (3, 3, 4, 8)],
    [(32, 28, 28, 32), (3, 3, 32, 64)],
    [(8, 14, 14, 256), (1, 1, 256, 256)],
)
over("conv2d stride 2", lambda x, w: tf.nn.conv2d(x, w, 2, "SAME"), [(8, 112, 112, 3), (7, 7, 3, 64)])
over("conv2d dilated", lambda x, w: tf.nn.conv2d(x, w, 1, "SAME", dilations=2), [(8, 28, 28, 32), (3, 3, 32, 32)])
over("conv2d groups", lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"), [(8, 28, 28, 64), (3, 3, 16, 64)])
over("conv1d", lambda x, w: tf.nn.conv1d(x, w, 1, "SAME"), [(32, 128, 64), (5, 64, 64)])
over("conv3d", lambda x, w: tf.nn.conv3d(x, w, [1] * 5, "SAME"), [(2, 16, 16, 16, 16), (3, 3, 3, 16, 32)])
over("depthwise_conv2d", lambda x, w: tf.nn.depthwise_conv2d(x, w, [1] * 4, "SAME"), [(8, 56, 56, 64), (3, 3, 64, 1)])
over(
    "conv2d_transpose",
    lambda x, w: tf.nn.conv2d_transpose(x, w, (8, 28, 28, 32), 2, "SAME"),
    [(8, 14, 14, 64), (3, 3, 32, 64)],
)
over("max_pool2d", lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID"), [(32, 28, 28, 64)])
over("avg_pool2d", lambda x: tf.nn.avg_pool2d(x, 2, 2, "VALID"), [(32, 28, 28, 64)])
over("max_pool2d 3x3 stride 2", lambda x: tf.nn.max_pool2d(x, 3, 2, "VALID"), [(8, 57, 57, 64)])
over("global_avg_pool", lambda x: tf.reduce_mean(x, (1, 2)), [(32, 14, 14, 256)])
# shapes
over("transpose", tf.transpose, [SMALL], [LARGE])
over("transpose 0 3 1 2", lambda x: tf.transpose(x, (0, 3, 1, 2)), [(32, 28, 28, 64)])
over("reverse axis 1", lambda x: tf.reverse(x, (1,)))
over("roll", lambda x: tf.roll(x, 100, 1))
PADDINGS = ((0, 0), (1, 1), (1, 1), (0, 0))
over("pad", lambda x: tf.pad(x, PADDINGS), [(32, 28, 28, 64)])
over("pad reflect", lambda x: tf.pad(x, PADDINGS, "REFLECT"), [(32, 28, 28, 64)])
over("tile 4 4", lambda x: tf.tile(x, (4, 4)), [(256, 256)])
over("repeat 4", lambda x: tf.repeat(x, 4, 1), [(512, 512)])
over("slice", lambda x: x[100:900, 100:900])
over("strided slice", lambda x: x[::2, ::2])
over("split 4", lambda x: tf.split(x, 4, 1))
over("broadcast_to", lambda x: tf.broadcast_to(x, LARGE), [(1, 1024)])
over("space_to_depth", lambda x: tf.nn.space_to_depth(x, 2), [(32, 28, 28, 64)])
over("concat axis 1", lambda x, y: tf.concat((x, y), 1), [SMALL, SMALL], [LARGE, LARGE])
over("stack", lambda x, y: tf.stack((x, y)), [LARGE, LARGE])
# indexing
given("gather 10000x128 4096", tf.gather, lambda: n(10000, 128), lambda: integers((4096,), 10000))
given("gather 32x32 8", tf.gather, lambda: n(32, 32), lambda: integers((8,), 32))
given("gather axis 1 1024x1024 256", lambda x, i: tf.gather(x, i, axis=1), large, lambda: integers((256,), 1024))
given("gather_nd 1024x1024 65536", tf.gather_nd, large, lambda: integers((65536, 2), 1024))
given("take_along_axis 1024x1024", lambda x, i: tf.gather(x, i, batch_dims=1), large, lambda: integers(LARGE, 1024))
given(
    "scatter_add 10000x128 4096",
    tf.tensor_scatter_nd_add,
    lambda: n(10000, 128),
    lambda: integers((4096, 1), 10000),
    lambda: n(4096, 128),
)
given(
    "scatter_update 10000x128 4096",
    tf.tensor_scatter_nd_update,
    lambda: n(10000, 128),
    lambda: integers((4096, 1), 10000),
    lambda: n(4096, 128),
)
given("one_hot 4096 1000", lambda i: tf.one_hot(i, 1000), lambda: integers((4096,), 1000))
given("sequence_mask 1024 1024", lambda lengths: tf.sequence_mask(lengths, 1024), lambda: integers((1024,), 1024))
given("boolean_mask 1000000", tf.boolean_mask, lambda: n(1000000), lambda: n(1000000) > 0)
given("nonzero 1000000", tf.where, lambda: n(1000000) > 0)
given("unique 100000", tf.unique, lambda: integers((100000,), 1000))
over("band_part", lambda x: tf.linalg.band_part(x, -1, 0))
over("diag_part", tf.linalg.diag_part)
row("linspace 1000000", lambda: lambda: tf.linspace(0.0, 1.0, 1000000))
row("range 1000000", lambda: lambda: tf.range(1000000))
row("eye 1024", lambda: lambda: tf.eye(1024))
# sorting
over("sort", tf.sort, [SMALL], [LARGE], [(1000000,)])
over("argsort", tf.argsort)
over("top_k 10", lambda x: tf.math.top_k(x, 10))
given("searchsorted 100000 in 10000", tf.searchsorted, lambda: tf.sort(n(10000)), lambda: n(100000))
# linear algebra
given("cholesky 256x256", tf.linalg.cholesky, lambda: spd(256))
given("cholesky 512x8x8", tf.linalg.cholesky, lambda: spd(8, 512))
given("solve 256x256", tf.linalg.solve, lambda: spd(256), lambda: n(256, 16))
given("triangular_solve 256x256", tf.linalg.triangular_solve, lambda: tf.linalg.cholesky(spd(256)), lambda: n(256, 16))
given("inv 256x256", tf.linalg.inv, lambda: spd(256))
given("inv 512x4x4", tf.linalg.inv, lambda: spd(4, 512))
given("det 256x256", tf.linalg.det, lambda: spd(256) / 256)
given("slogdet 256x256", tf.linalg.slogdet, lambda: spd(256))
over("qr", tf.linalg.qr, [(256, 256)])
over("svd", tf.linalg.svd, [(128, 128)])
given("eigh 128x128", tf.linalg.eigh, lambda: spd(128))
given("lstsq 512x32", tf.linalg.lstsq, lambda: n(512, 32), lambda: n(512, 4))
# random
row("uniform 32x32", lambda: lambda: tf.random.uniform(SMALL))
row("uniform 1024x1024", lambda: lambda: tf.random.uniform(LARGE))
row("normal 1024x1024", lambda: lambda: tf.random.normal(LARGE))
row("truncated_normal 1024x1024", lambda: lambda: tf.random.truncated_normal(LARGE))
row("integers 1024x1024", lambda: lambda: tf.random.uniform(LARGE, 0, 1000, tf.int32))
row("gamma 100000", lambda: lambda: tf.random.gamma((100000,), 2.0))
row("poisson 100000", lambda: lambda: tf.random.poisson((100000,), 4.0))
given("categorical 1000x100 10", lambda logits: tf.random.categorical(logits, 10), lambda: n(1000, 100))
given("shuffle 100000", tf.random.shuffle, lambda: n(100000))
given("dropout 1024x1024", lambda x: tf.nn.dropout(x, 0.5), large)


# layers
def layer(name, shape, make):
    def forward():
        x, made = n(*shape), make()
        return lambda: made(x, training=True)

    def with_gradient():
        made, x = make(), n(*shape)
        g = tf.random.normal(made(x, training=True).shape)

        def call():
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = made(x, training=True)
            return tape.gradient(y, [x, *made.trainable_variables], g)

        return call

    row(f"{name} {label(shape)}", forward)
    row(f"{name} with gradient {label(shape)}", with_gradient)


layer("layer_norm", (32, 128, 256), keras.layers.LayerNormalization)
layer("layer_norm", (8, 16), keras.layers.LayerNormalization)
layer("batch_norm", (32, 28, 28, 64), keras.layers.BatchNormalization)
layer("group_norm", (8, 28, 28, 64), lambda: keras.layers.GroupNormalization(8))
layer("rms_norm", (32, 128, 256), keras.layers.RMSNormalization)
layer("lstm", (32, 64, 128), lambda: keras.layers.LSTM(128, return_sequences=True))
layer("gru", (32, 64, 128), lambda: keras.layers.GRU(128, return_sequences=True))
layer("simple_rnn", (32, 64, 128), lambda: keras.layers.SimpleRNN(128, return_sequences=True))
given(
    "softmax_xent 1024x1000",
    lambda x, y: tf.nn.sparse_softmax_cross_entropy_with_logits(y, x),
    lambda: n(1024, 1000),
    lambda: integers((1024,), 1000),
)
given(
    "sigmoid_xent 1024x1024",
    lambda x, y: tf.nn.sigmoid_cross_entropy_with_logits(y, x),
    large,
    lambda: tf.cast(truths(), tf.float32),
)
over("mse", lambda x, y: tf.reduce_mean(tf.math.squared_difference(x, y)), [SMALL, SMALL], [LARGE, LARGE])


# optimizers
def optimizer(name, make):
    def prepare():
        weights = [tf.Variable(n(50000)) for _ in range(20)]
        gradients = [n(50000) for _ in weights]
        made = make()
        made.build(weights)
        return lambda: made.apply_gradients(zip(gradients, weights))

    row(f"{name} 20x50000", prepare)


optimizer("sgd", lambda: keras.optimizers.SGD(0.01))
optimizer("sgd momentum", lambda: keras.optimizers.SGD(0.01, momentum=0.9))
for name, kind in (
    ("rmsprop", "RMSprop"),
    ("adam", "Adam"),
    ("adagrad", "Adagrad"),
    ("adadelta", "Adadelta"),
    ("adamax", "Adamax"),
    ("nadam", "Nadam"),
):
    optimizer(name, lambda kind=kind: getattr(keras.optimizers, kind)(0.001))


# images
def pictures(count=8):
    return lambda: n(count, 224, 224, 3)


given("resize bilinear 112x112 8x224x224x3", lambda x: tf.image.resize(x, (112, 112)), pictures())
given("resize bilinear 448x448 2x224x224x3", lambda x: tf.image.resize(x, (448, 448)), pictures(2))
given("resize nearest 112x112 8x224x224x3", lambda x: tf.image.resize(x, (112, 112), "nearest"), pictures())
given("resize bicubic 112x112 8x224x224x3", lambda x: tf.image.resize(x, (112, 112), "bicubic"), pictures())
given("flip_left_right 8x224x224x3", tf.image.flip_left_right, pictures())
given("adjust_contrast 8x224x224x3", lambda x: tf.image.adjust_contrast(x, 1.5), pictures())
given("rgb_to_grayscale 8x224x224x3", tf.image.rgb_to_grayscale, pictures())


# complex numbers
def numbers(*shape):
    return lambda: tf.complex(n(*shape), n(*shape))


given("complex mul 1024x1024", tf.multiply, numbers(*LARGE), numbers(*LARGE))
given("complex abs 1024x1024", tf.abs, numbers(*LARGE))
for length in (256, 1024, 1000):
    given(f"fft 64x{length}", tf.signal.fft, numbers(64, length))
over("rfft", tf.signal.rfft, [(64, 1024)])


# strings
def lines(count):
    return lambda: tf.constant([f"Line {i} of some text, with {i * i % 97} words in it" for i in range(count)])


given("strings.length 2", tf.strings.length, lines(2))
given("strings.length 10000", tf.strings.length, lines(10000))
given("strings.lower 10000", tf.strings.lower, lines(10000))
given("strings.split 10000", tf.strings.split, lines(10000))
given("strings.regex_replace 10000", lambda x: tf.strings.regex_replace(x, "[0-9]+", "#"), lines(10000))
given("strings.to_hash_bucket_fast 10000", lambda x: tf.strings.to_hash_bucket_fast(x, 1000), lines(10000))
# control
given(
    "while_loop 100 rounds",
    lambda x: tf.while_loop(lambda v: tf.reduce_sum(v) < 3200, lambda v: [v + 1], [x]),
    lambda: tf.zeros(32),
)
given("cond", lambda p, x: tf.cond(p, lambda: x + 1, lambda: x * 2), lambda: tf.constant(True), lambda: n(32, 32))

if __name__ == "__main__":
    timing.measure_rows(tf.__version__, ROWS, sys.argv[1:])
