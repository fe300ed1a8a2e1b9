"""Numbers that were once wrong without a word: integers that overflow, sizes above 100, epochs that go on, masks of metrics, gradients that are none."""

SETUP = "c = tf.constant\nK = keras.ops\n"
CASES = []


def add(name, source, **options):
    CASES.append((name, SETUP + source, options))


for dtype, most in (
    ("int8", 127),
    ("uint8", 255),
    ("int16", 32767),
    ("uint16", 65535),
    ("int32", 2**31 - 1),
    ("uint32", 2**32 - 1),
):
    add(
        f"mean_{dtype}",
        f"x = c([{most}] * 4, '{dtype}')\n[tf.reduce_mean(x), tf.reduce_mean(tf.reshape(x, [2, 2]), axis=0, keepdims=True), tf.reduce_mean(c([], '{dtype}'))]",
    )
    add(f"sum_{dtype}", f"x = c([{most}] * 4, '{dtype}')\n[tf.reduce_sum(x), tf.reduce_prod(x), tf.cumsum(x)]")
    add(
        f"ops_{dtype}",
        f"x = c([{most}, 3, {most}, 2], '{dtype}')\n[K.sum(x), K.prod(x), K.mean(x), K.average(x), K.cumsum(x), K.cumprod(x), K.max(x), K.median(c([1, 4, 9], '{dtype}'))]",
    )
    add(f"trace_{dtype}", f"x = tf.fill([3, 3], c({most}, '{dtype}'))\n[tf.linalg.trace(x), K.trace(x)]")
add(
    "mean_picture",
    "x = np.full((224, 224, 3), 200, 'uint8')\n[tf.reduce_mean(x), tf.reduce_mean(x, axis=[0, 1]), K.mean(x), K.sum(x), K.var(x)]",
)
add("mean_negative", "[tf.reduce_mean(c([-5, -6, -7, 0], t)) for t in ('int8', 'int16', 'int32', 'int64')]")
add(
    "ops_mean_half",
    "x = tf.cast(tf.fill([100000], 3.0), 'float16')\n[K.mean(x), K.mean(tf.reshape(x, [100, 1000]), axis=1)[:3]]",
)
add(
    "ops_bool",
    "x = c([True, True, False])\n[K.sum(x), K.prod(x), K.mean(x), K.cumsum(x), K.cumprod(x), K.max(x), K.var(x)]",
)
add(
    "matmul_int8",
    "x = tf.fill([3, 3], c(127, 'int8'))\n[K.matmul(x, x), K.einsum('ij,jk->ik', x, x), K.matmul(x[None], x)]",
)
add("matmul_bool", "x = c([[True, True], [False, True]])\nK.matmul(x, x)")

add(
    "reshape_150",
    "x = np.arange(900, dtype='float32').reshape(2, 450)\n[keras.layers.Reshape((-1, 150))(x), keras.layers.Reshape((150, 3))(x), keras.layers.Reshape((450, 1))(x).shape]",
)
SIZES = {
    "dense": "keras.layers.Dense(300)", "reshape": "keras.layers.Reshape((-1, 200))", "repeat": "keras.layers.Flatten(), keras.layers.RepeatVector(250)",
    "conv1d": "keras.layers.Conv1D(130, 120)", "separable": "keras.layers.SeparableConv1D(140, 3)", "depthwise": "keras.layers.DepthwiseConv1D(101, depth_multiplier=3)",
    "pool": "keras.layers.MaxPooling1D(110)", "average_pool": "keras.layers.AveragePooling1D(101, strides=105)", "upsampling": "keras.layers.UpSampling1D(130)",
    "padding": "keras.layers.ZeroPadding1D((150, 101))", "cropping": "keras.layers.Cropping1D((101, 102))", "lstm": "keras.layers.LSTM(120)",
    "gru": "keras.layers.GRU(128, return_sequences=True)", "einsum": "keras.layers.EinsumDense('abc,cd->abd', (400, 130))", "dilated": "keras.layers.Conv1D(2, 3, dilation_rate=101)",
    "strided": "keras.layers.Conv1D(2, 3, strides=101)", "transposed": "keras.layers.Conv1DTranspose(2, 110, strides=101)", "locally": "keras.layers.TimeDistributed(keras.layers.Dense(150))",
}  # fmt: skip
for _name, _layers in SIZES.items():
    add(
        f"size_{_name}",
        f"m = keras.Sequential([keras.Input((400, 2)), {_layers}])\n[tuple(m.output_shape), [tuple(w.shape) for w in m.weights], tuple(m(np.zeros((1, 400, 2), 'float32')).shape)]",
    )
for _name, _layers in {
    "conv": "keras.layers.Conv2D(2, (3, 120))", "pool": "keras.layers.AveragePooling2D((2, 110), strides=(1, 105))", "upsampling": "keras.layers.UpSampling2D((1, 103))",
    "padding": "keras.layers.ZeroPadding2D(((0, 1), (110, 120)))", "cropping": "keras.layers.Cropping2D(((0, 0), (101, 7)))", "resizing": "keras.layers.Resizing(120, 330)",
    "center": "keras.layers.CenterCrop(4, 150)", "transposed": "keras.layers.Conv2DTranspose(2, (1, 101), strides=(1, 1))", "depthwise": "keras.layers.DepthwiseConv2D((1, 105))",
}.items():  # fmt: skip
    add(
        f"size2_{_name}",
        f"m = keras.Sequential([keras.Input((4, 200, 1)), {_layers}])\n[tuple(m.output_shape), tuple(m(np.zeros((1, 4, 200, 1), 'float32')).shape)]",
    )
add(
    "size_embedding",
    "m = keras.Sequential([keras.Input((500,), dtype='int32'), keras.layers.Embedding(20000, 128)])\ntuple(m.output_shape)",
)
add(
    "size_functions",
    "x = tf.range(1000)\n[tf.reshape(x, [-1, 125]).shape, tf.tile(x[:2], [300]).shape, tf.repeat(x[:3], 150).shape, tf.one_hot(x[:2], 500).shape, tf.roll(x, 700, 0)[:2], tf.pad(x[:1], [[200, 300]]).shape]",
)
add("axis_101", "tf.reduce_sum(tf.zeros([2, 3]), axis=101)")

_FIT = """
x = np.arange(10, dtype='float32')[:, None]
def losses(n, eager=False, data=None, **options):
    m = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    m.compile(keras.optimizers.SGD(0.0), loss=lambda y, p: y + 0 * p, run_eagerly=eager)
    data = dict(x=x, y=x, batch_size=1) if data is None else dict(x=data)
    return m.fit(**data, epochs=6, steps_per_epoch=n, shuffle=False, verbose=0, **options).history
"""
for _eager in (False, True):
    add(f"steps_per_epoch_{_eager}", _FIT + f"[losses(n, {_eager}) for n in (3, 4, 5, 10)]")
    add(
        f"steps_per_epoch_dataset_{_eager}",
        _FIT
        + f"ds = tf.data.Dataset.from_tensor_slices((x, x)).batch(1)\n[losses(n, {_eager}, ds) for n in (4, 5)] + [losses(4, {_eager}, ds.repeat())]",
    )
add(
    "steps_per_epoch_validation",
    _FIT + "losses(4, validation_data=(x, x), validation_steps=2, validation_batch_size=3)",
)

_MASKED = """
x = np.array([[1, 2, 0, 0], [3, 0, 0, 0], [1, 1, 1, 1]])
y = np.array([[1, 0, 1, 1], [0, 1, 1, 1], [1, 1, 0, 0]])
def history(eager=False, **options):
    i = keras.Input((4,))
    h = keras.layers.Embedding(5, 2, mask_zero=True, embeddings_initializer=keras.initializers.Constant(0.3))(i)
    o = keras.layers.TimeDistributed(keras.layers.Dense(2, activation='softmax', kernel_initializer=keras.initializers.Constant(0.1)))(h)
    m = keras.Model(i, o)
    m.compile(keras.optimizers.SGD(0.0), 'sparse_categorical_crossentropy', run_eagerly=eager, **options)
    return m.fit(x, y, verbose=0).history
"""
for _eager in (False, True):
    for _name, _options in {"metrics": "metrics=['accuracy']", "weighted": "weighted_metrics=['accuracy']", "both": "metrics=['accuracy'], weighted_metrics=['accuracy']", "twice": "metrics=['accuracy', 'acc']",
                            "own": "metrics=[keras.metrics.SparseCategoricalAccuracy(name='a')], weighted_metrics=[keras.metrics.SparseCategoricalAccuracy(name='a')]"}.items():  # fmt: skip
        add(f"mask_{_name}_{_eager}", _MASKED + f"history({_eager}, {_options})")
add("metrics_of_one_name", "m = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, kernel_initializer='ones')])\nm.compile(keras.optimizers.SGD(0.0), 'mse', metrics=['mae', 'mae'], weighted_metrics=['mae'])\n"
    "m.fit(np.arange(8, dtype='float32').reshape(4, 2), np.arange(4, dtype='float32'), sample_weight=np.array([1., 2., 3., 4.]), verbose=0).history")  # fmt: skip
_MASKS = "x = np.array([[1, 2, 0, 0], [3, 0, 0, 0], [4, 3, 2, 1]])\nL, one = keras.layers, keras.initializers.Constant(0.2)\ndef emb():\n    e = L.Embedding(5, 3, mask_zero=True)\n    e.build((None, 4))\n    e.set_weights([np.arange(15).reshape(5, 3).astype('float32') / 10 - 0.5])\n    return e\n"
for _merge in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate"):
    for _other in (
        "L.Conv1D(3, 1, kernel_initializer=one)(q)",
        "L.Dense(3, kernel_initializer=one)(q)",
        "L.MultiHeadAttention(1, 2, kernel_initializer=one)(q, q)",
        "L.Attention()([q, q])",
    ):
        _name = f"{_merge}_{_other.split('(')[0][2:]}"
        add(
            f"mask_{_name}",
            _MASKS
            + f"def f(i):\n    q = emb()(i)\n    s = L.{_merge}()([q, {_other}])\n    return L.LSTM(2, kernel_initializer=one, recurrent_initializer=one)(s)\ni = keras.Input((4,))\n[keras.Model(i, f(i))(x), f(x)]",
        )
add("mask_residual_attention", "x = np.array([[1, 2, 0, 0], [3, 0, 0, 0]])\nkeras.utils.set_random_seed(3)\ni = keras.Input((4,))\none = keras.initializers.Constant(0.2)\n"
    "e = keras.layers.Embedding(5, 3, mask_zero=True, embeddings_initializer=one)(i)\na = keras.layers.MultiHeadAttention(1, 2, kernel_initializer=one)(e, e)\ns = keras.layers.Add()([e, a])\n"
    "keras.Model(i, [s, keras.layers.LSTM(2, kernel_initializer=one, recurrent_initializer=one)(s)])(x)")  # fmt: skip
add("loss_scale_iterations", "o = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.1))\nv = keras.Variable([1.0, 2.0])\nseen = []\nfor g in ([1.0, 1.0], [1.0, 1.0], [np.inf, 1.0]):\n"
    "    o.apply_gradients([(c(g), v)])\n    seen.append((int(o.iterations), int(o.inner_optimizer.iterations)))\nresult = seen")  # fmt: skip

_GRADIENT = "v, w, x = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0]), c([1.5, 2.5])\ndef g(target, source, **o):\n    with tf.GradientTape() as t:\n        pass\n    return t.gradient(target, source, **o)\n"
add(
    "gradient_of_itself",
    _GRADIENT + "[g(v, v), g(v, [v, w]), g(v, w), g([v, w], [v, w]), g(v, v, output_gradients=c([5.0, 6.0])), g(x, x)]",
)
add(
    "gradient_of_itself_and_more",
    _GRADIENT + "with tf.GradientTape() as t:\n    y = v * 2\nresult = t.gradient([y, v], v)",
)
for _name in ("floor", "math.ceil", "round", "math.rint", "sign"):
    add(
        f"gradient_{_name}",
        f"x = c([1.5, -2.5])\ndef g(f):\n    with tf.GradientTape() as t:\n        t.watch(x)\n        y = f(x)\n    return t.gradient(y, x)\n[g(tf.{_name}), g(lambda x: tf.{_name}(x) + x), g(lambda x: x // 2.0), g(lambda x: x % 2.0)]",
    )

for _a, _b, _shape in (
    ("uint8", "int32", (3, 4)),
    ("int32", "uint8", (3,)),
    ("uint8", "float32", (4,)),
    ("float32", "uint8", ()),
    ("float64", "float32", (2, 2)),
    ("float32", "complex64", (3, 2)),
    ("int16", "float16", (2, 2)),
):
    add(
        f"bitcast_{_a}_{_b}",
        f"tf.bitcast(c(np.arange({int(__import__('numpy').prod(_shape))}).astype('{_a}').reshape({_shape})), tf.{_b})",
    )
add("bitcast_too_small", "tf.bitcast(tf.zeros([3], tf.uint8), tf.int32)")
add("bitcast_bool", "tf.bitcast(tf.constant([True]), tf.uint8)")
add(
    "strings_case",
    "x = c(['Ärger ÉÈ Ω ß', 'İstanbul ǅ ﬁ Σας', 'ŉ ΑΣ', '', 'abc XYZ'])\n[f(x, encoding=e) for f in (tf.strings.lower, tf.strings.upper) for e in ('', 'utf-8')]",
)
add("strings_case_invalid", "tf.strings.lower(c(b'\\xffA'), encoding='utf-8')")
add("strings_case_encoding", "tf.strings.lower('A', encoding='latin-1')")
add(
    "strings_case_map",
    "list(tf.data.Dataset.from_tensor_slices(['Ä', 'Éa']).map(lambda s: tf.strings.lower(s, encoding='utf-8')))",
)

for _ord in ("None", "1", "2", "3", "np.inf", "-np.inf", "0", "'fro'", "'nuc'", "-2"):
    add(
        f"norm_vector_{_ord}",
        f"[K.norm(c([1.0, -2.0, 3.0]), ord={_ord}), K.norm(c([[1.0, -2.0], [3.0, 4.0]]), ord={_ord}, axis=0, keepdims=True), K.norm(c([1, -2, 3]), ord={_ord})]",
    )
    add(
        f"norm_matrix_{_ord}",
        f"[K.norm(c([[1.0, -2.0], [3.0, 4.0]]), ord={_ord}), K.norm(c([[[1.0, -2.0], [3.0, 4.0]]]), ord={_ord}, axis=(1, 2), keepdims=True), K.norm(c([[[1.0, -2.0], [3.0, 4.0]]]), ord={_ord}, axis=(-1, 0))]",
    )
add(
    "norm_complex",
    "c = lambda x: tf.constant(x, tf.complex64)\nz = c([1 + 1j, 2 - 3j, 0j])\n[K.norm(z), K.norm(z, ord=2), K.norm(z, ord=np.inf), K.norm(c([[1 + 1j, 2 - 3j], [0j, 1j]])), K.norm(c([[1 + 1j, 2 - 3j], [0j, 1j]]), ord=1)]",
)
add(
    "bincount_rows",
    "x = c([[1, 2, 2], [0, 0, 5]])\n[K.bincount(x), K.bincount(x, weights=c([[1.0, 2.0, 3.0], [0.5, 0.5, 0.5]])), K.bincount(x, minlength=8), K.bincount(c([1, 2, 2]), weights=c([1, 2, 3]), minlength=5)]",
)
for _q in ("0.3", "[0.1, 0.5]", "[[0.1, 0.9], [0.2, 0.3]]"):
    add(
        f"quantile_{_q}",
        f"x = np.arange(12, dtype='float32').reshape(3, 4)\n[K.quantile(x, {_q}, axis=a, keepdims=k) for a in (None, 0, 1, (0, 1)) for k in (False, True)]",
    )
add(
    "median_nan",
    "x = np.array([[1.0, np.nan, 3.0], [4.0, 5.0, 6.0]], 'float32')\n[f for a in (None, 0, 1) for f in (K.median(x, axis=a), K.quantile(x, [0.2, 0.5], axis=a))]",
)
add("datetime", "tf.constant(np.datetime64('2020-01-01'))")
add("celu", "x = c([-1.0, 0.0, 2.0])\n[f(x, alpha=a) for f in (keras.activations.celu, K.celu) for a in (1.0, 2, 0.5)]")

_WAV = """
import struct
def wav(n, says, channels=1):
    return b'RIFF' + struct.pack('<I', 36 + says) + b'WAVEfmt ' + struct.pack('<IHHIIHH', 16, 1, channels, 8000, 16000 * channels, 2 * channels, 16) + b'data' + struct.pack('<I', says) + b'\\x01\\x02' * (n // 2)
"""
for _n, _says, _channels in ((8, 8, 1), (6, 8, 1), (0, 8, 1), (8, 8, 2), (6, 6, 2), (8, 6, 1), (0, 0, 1)):
    add(f"wav_{_n}_{_says}_{_channels}", _WAV + f"tf.audio.decode_wav(wav({_n}, {_says}, {_channels}))[0]")

for _dtype in ("int8", "int16", "int32", "int64"):
    add(f"pow_{_dtype}", f"tf.pow(c([2, 3, 0, 1, -2, -1], '{_dtype}'), c([3, 5, 0, 7, 3, 4], '{_dtype}'))")
add(
    "pow_huge",
    "[tf.pow(c(2, tf.int64), c(2**62, tf.int64)), tf.pow(c(3, tf.int64), c(2**62 + 5, tf.int64)), tf.pow(c([2, 3]), c([2**31 - 1, 2**30]))]",
)
add("pow_negative", "tf.pow(c([2, 1]), c([-1, 2]))")
add("pow_negative_traced", "tf.function(lambda a, b: tf.pow(a, b))(c([2, 1]), c([-1, 2]))")
add("power_negative", "K.power(np.array([2, 1]), [-1])")
add("power", "[K.power(np.array([2, 1], 'int32'), [2]), K.power(c([2, 3], 'uint8'), 2), K.power(c([2.0]), 3)]")

_PICTURES = "r = np.random.default_rng(3)\nx = r.normal(size=(2, 3, 6, 8)).astype('float32')\nd = 'channels_first'\n"
for _name, _call in {
    "max_pool": "K.max_pool(x, 2, data_format=d)", "max_pool_1d": "K.max_pool(x[0], 2, data_format=d)", "average_pool": "K.average_pool(x, 2, (1, 2), 'same', d)",
    "depthwise": "K.depthwise_conv(x, r.normal(size=(2, 2, 3, 2)).astype('float32'), data_format=d)", "resize": "K.image.resize(x, (3, 4), data_format=d)",
    "resize_one": "K.image.resize(x[0], (3, 4), data_format=d)", "grey": "K.image.rgb_to_grayscale(x, data_format=d)", "hsv": "K.image.rgb_to_hsv(abs(x), data_format=d)",
    "crop": "K.image.crop_images(x, 1, 1, target_height=2, target_width=2, data_format=d)", "pad": "K.image.pad_images(x, 1, 1, target_height=9, target_width=11, data_format=d)",
}.items():  # fmt: skip
    add(f"channels_first_{_name}", _PICTURES + _call)
add("conv_int", "K.conv(np.arange(6, dtype='int32').reshape(1, 3, 2), np.ones((1, 2, 2), 'int32'))")
add(
    "array_split",
    "[*K.array_split(c([5, 8, -4, 3, -8]), 2), *K.array_split(np.arange(10.0).reshape(2, 5), 3, axis=-1), *K.array_split(c([1.0]), 3)]",
)
add("trace_beside", "[K.trace(c([[1, 2, 3]]), offset=k) for k in (-1, 0, 2, 3)]")
add("diff_scalar", "K.diff(5)")
add("diff_axis", "K.diff(c([1.0, 2.0]), axis=3)")
add(
    "quantile_infinite",
    "x = np.array([[-np.inf, 1, 2, 3], [3, np.inf, 5, 1]], 'float32')\n[K.quantile(x, [0.1, 0.9], axis=1, method=m) for m in ('linear', 'lower', 'higher', 'nearest')]",
)
add(
    "running_bool",
    "x = c([2.5, -0.5, 0.0, 3.0])\n[K.cumprod(x, dtype='bool'), K.cumsum(x, dtype='bool'), K.cumsum(c([True, True]))]",
)
add("append_half", "K.append(tf.cast(c([1.0]), 'float16'), 0.5)")
add(
    "lstsq",
    "a = np.random.default_rng(1).normal(size=(5, 3)).astype('float32')\nd = np.array([[1, 2], [2, 4], [3, 6]], 'float32')\n[K.lstsq(a, a[:, :2]), K.lstsq(a.T, a[:3]), K.lstsq(d, c([1.0, 2.0, 4.0])), K.lstsq(a, a[:, 0], rcond=0.5)]",
)
add(
    "dct_of_nothing",
    "[tf.signal.dct(tf.zeros([0])), tf.signal.dct(tf.zeros([2, 0]), n=2), tf.signal.idct(tf.zeros([2, 0]))]",
)
add("dct_1_of_one", "tf.signal.dct(tf.zeros([2, 1]), type=1)")
add("expm_infinite", "tf.linalg.expm(c([[1.0, np.inf], [0.0, 1.0]]))")
add("to_categorical_variable", "keras.utils.to_categorical(tf.Variable([1, 2]), num_classes=4)")
add("static_value", "[tf.get_static_value(tf.Variable(3)), tf.get_static_value(c(3)), tf.get_static_value(np.ones(2))]")
add(
    "quantile_between",
    "[K.quantile(tf.cast(np.arange(11.0), t), q, method=m) for t in ('float32', 'float64', 'int32') for q in (0.1, 0.7, np.float64(0.7)) for m in ('lower', 'higher', 'nearest')]",
)

_WHOLE = "('int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32')"
add(
    "whole_roots",
    f"[K.cbrt(c([1, 8, 27], t)) for t in {_WHOLE}] + [K.cbrt(c([True])), K.cbrt([1, 8]), K.cbrt(np.array([3, -5, 5]))]",
)
add("root_of_doubles", "K.cbrt(np.array([2.414074227568173, -0.29]))", rtol=1e-14, atol=0)
add(
    "ldexp_ends",
    "[K.ldexp(np.array([0, 3, -3], 'int64'), np.array([2**40, 2**40, -(2**40)])), K.ldexp(np.array([np.inf, -np.inf, 0.0, 2.5], 'float32'), np.array([-3000, -3000, 3000, 2]))]",
)
add(
    "logaddexp2_infinite",
    "x = np.array([np.inf, -np.inf, np.inf, np.nan, 1.0], 'float32')\nK.logaddexp2(x, np.array([np.inf, -np.inf, -np.inf, 1.0, 300.0], 'float32'))",
)
add(
    "whole_steps",
    f"[K.heaviside(c([1, 0], t), c([1, 3], t)) for t in {_WHOLE}] + [K.heaviside(c([1, 0], 'int32'), c([1, 0], 'int64')), K.heaviside(c([1, 0], 'int64'), 0.5), K.heaviside(c([1, 0], 'float16'), 1)]",
)
add("trapezoid_halves", "x = np.arange(128, dtype='float32').reshape(8, 16)\nof = lambda y: [y.dtype.name, tf.cast(y, 'float32')]\n"
    "[of(K.trapezoid(tf.cast(x, t), dx=d, axis=a)) for t in ('bfloat16', 'float16', 'float64') for a in (0, -1) for d in (1.0, 0.133)] + [of(K.trapezoid(c([1, 2, 3], 'bfloat16'), x=[1.0, 2.0, 4.0]))]", rtol=2e-2)  # fmt: skip
add(
    "trapezoid_places",
    "x = np.arange(6, dtype='float32').reshape(2, 3)\n[K.trapezoid(x, x=x * x, axis=0), K.trapezoid(x, x=x * x), K.trapezoid(x, x=[1.0, 3.0], axis=0)]",
)
add(
    "broadcast_dynamic_shape_wide",
    "w = lambda *s: c(s, 'int64')\n[tf.broadcast_dynamic_shape(w(1, 2), w(2, 1)), tf.broadcast_dynamic_shape(w(0, 1), w(0, 1)), tf.broadcast_dynamic_shape(w(3, 1), [1, 128]), tf.broadcast_dynamic_shape([3, 1], [1, 128])]",
)
add(
    "relu_whole",
    f"f = keras.activations.relu\n[f(c([8, 50, 1], t), max_value=m, threshold=b) for t in {_WHOLE} for m in (None, 6.0, 2.5) for b in (0.0, 0.867, 1.5)] + [f(c([-8, 50, 1]), negative_slope=2, threshold=b, max_value=9) for b in (0, 3)]",
)
add(
    "relu_bounds",
    "x = c([-8.0, 50.0, 1.0, -1.5])\nf = keras.activations.relu\n[f(x, max_value=-2.5), f(x, max_value=2.5, threshold=-10.0), f(x, negative_slope=0.5, max_value=6, threshold=-2.0), f(c([np.nan, np.inf]), threshold=-1.0)]",
)
add(
    "argsort_of_one",
    "[K.argsort(0.5), K.argsort(np.array(0.6, 'float32'), axis=None), K.argsort(c(True)), K.argsort(np.arange(200) % 7)]",
)
add("flips_of_one", "[K.flipud(0.5), K.fliplr(c(3)), K.flip(c(2.0))]")
add("windows_of_any_length", "n = [c(12.0), c([7.0]), np.array([0], 'uint16'), np.array([True]), c(1.5), c(0.4), 4.3, c(6 + 1j), np.array(1.5 + 0j), tf.Variable(9.0), c(6.0, 'bfloat16')]\n"
    "o = [c(12.0), 4.7, np.array(4.7), c(6 + 1j), np.array(1.5 + 0j), tf.Variable(9), c(6.0, 'bfloat16')]\n"
    "[[getattr(K, w)(x) for x in v] for w, v in (('bartlett', n), ('blackman', n), ('hamming', o), ('hanning', o))] + [[getattr(K, 'kaiser')(x, b) for x in o for b in (2, [2.0], c(2.0, 'float64'))]]", rtol=1e-4, atol=1e-5)  # fmt: skip
add(
    "quantiles_of_nothing",
    "x = tf.zeros([3, 2, 0])\n[K.median(x, axis=0), K.median(x, axis=-2, keepdims=True), K.median(x, axis=[0, 1]), K.quantile(x, [0.5, 0.2], axis=1)]",
)
add(
    "extremes_of_bools",
    "x = c([[True, False], [True, True], [False, False]])\n[f(x, axis=a, keepdims=k) for f in (K.nanmin, K.nanmax) for a in (None, 1, [0]) for k in (False, True)] + [K.nanmin(tf.zeros([2, 0], 'bool'), axis=1), K.nanmax(c([], 'bool'))]",
)
add(
    "normalize_anything",
    "f = keras.utils.normalize\nx = np.arange(1, 601, dtype='int16').reshape(2, 300)\n[f(tf.Variable(x), order=3)[:, ::99], f(c(x), order=1)[:, ::99], f(c([1.5])), f(c(1.5)), f([3.0, 4.0]), f(np.array([3, 4])), f(np.array([[3, 4]]), axis=None), f(tf.Variable([[1.5, 2.0]]), axis=None)]",
)
add(
    "concat_axis_list",
    "x = np.ones((2, 3))\n[tf.concat([x, x], a).shape for a in ([1], [0], [-1], c([1]), np.array([1]), np.int64(1), 1)]",
)
add("concat_axes", "tf.concat([[[1, 2]], [[3, 4]]], [0, 1])")
add(
    "constant_of_variable",
    "[tf.constant(tf.Variable([1.5, -2.5]), dtype=t) for t in ('int64', 'int8', 'float64', 'float16', 'bool', 'complex64')] + [tf.constant(tf.Variable([1, -2]), 'float32', shape=(1, 2)), tf.constant(tf.Variable(tf.zeros([2, 0])), 'int64')]",
)
add(
    "partition_of_nothing",
    "[tf.dynamic_partition(tf.zeros([0, 3]), [], 2), tf.dynamic_partition(tf.zeros([2, 0]), np.zeros((2, 0), 'float32'), 2)]",
)
add(
    "one_hot_complex",
    "[tf.one_hot([1, 0, 5], 3, dtype=t) for t in ('complex64', 'complex128')] + [tf.one_hot([1, 0], 3, on_value=1 + 2j, off_value=2 + 0j, dtype='complex64'), tf.one_hot([1], 2, on_value=c(1j, 'complex64'), axis=0), K.one_hot([1, 0], 3, dtype='complex64')]",
)
add(
    "reshape_of_nothing",
    "x = tf.zeros([0, 4])\n[tf.reshape(x, s).shape for s in ([-1, 0], [0, -1], [-1, 0, 2], [3, 0, -1])] + [tf.function(lambda v: tf.reshape(v, [-1, 0]))(x), K.reshape(x, [-1, 0]).shape]",
)
add("reshape_of_something", "tf.reshape(tf.zeros([2]), [0, -1])")
add(
    "trunc_gradient",
    "x = c([1.5, -2.5, -0.5])\nwith tf.GradientTape(persistent=True) as t:\n  t.watch(x)\n  y = K.trunc(x)\n  z = y * x\n[y, t.gradient(y, x), t.gradient(z, x)]",
)
add(
    "add_n_of_rows",
    "x = tf.ones([20000])\nwith tf.GradientTape() as t:\n  t.watch(x)\n  y = tf.add_n(x)\n[y, tf.reduce_sum(t.gradient(y, x))]",
)
add("bincount_of_a_box", "tf.math.bincount(tf.ones([2, 3, 4], 'int32'), axis=-1)")
add("bincount_below_zero", "tf.math.bincount([2**31 - 1, -1])")
add(
    "linspace_step",
    "[K.linspace(2, 9, num=n, retstep=True, dtype=t) for n in (0, 1, 3) for t in ('float16', 'float64', 'int8', 'int32', 'int64', None)]",
)
