"""keras.ops, keras.random, keras.backend, keras.config and keras.utils."""

A = "a = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.5]], 'float32')\n"
EXPRESSIONS = """
    shape(a) | cast(a, 'int32') | reshape(a, (3, 2)) | mean(a) | mean(a, axis=0, keepdims=True) | concatenate([a, a], axis=1) | expand_dims(a, 1) | sum(a, axis=1) | transpose(a) |
    transpose(a, (1, 0)) | matmul(a, a.T) | arange(5) | arange(1, 2, 0.25) | arange(0, 10, 3, dtype='float32') | squeeze(a[:, :1], 1) | stack([a, a]) | square(a) | tile(a, (2, 1)) | tile(a, 2) | clip(a, -1, 2) |
    ones((2, 2)) | zeros((2,), dtype='int32') | cos(a) | sin(a) | softmax(a) | softmax(a, axis=0) | where(a > 0, a, 0.0) | where(a > 0) | split(a, 3, axis=1) | split(a, [1], axis=1) | argmax(a) | argmax(a, axis=1) | argmin(a, axis=0) |
    eye(3) | eye(2, 3, k=1) | exp(a) | one_hot(np.array([0, 2]), 3) | gelu(a) | multiply(a, 2) | tensordot(a, a, axes=[[1], [1]]) | stop_gradient(a) | linspace(0.0, 1.0, 5) | linspace(0, 1, 4, endpoint=False) | repeat(a, 2, axis=0) | repeat(a, 2) |
    array([1, 2]) | divide(a, 2) | divide(np.array([1, 2]), 2) | ones_like(a) | log(np.abs(a)) | abs(a) | pad(a, ((1, 1), (1, 1))) | pad(a, ((0, 1), (1, 0)), constant_values=2.0) | pad(a, ((1, 1), (1, 1)), mode='reflect') | add(a, 1) | einsum('ij,kj->ik', a, a) |
    sqrt(np.abs(a)) | floor(a) | ceil(a) | minimum(a, 0.0) | maximum(a, 0) | round(a) | round(a, 1) | take(a, np.array([2, 0]), axis=1) | take(a, 4) | take(a, [-1, 0], axis=0) | relu(a) | unstack(a) | unstack(a, axis=1) | max(a) | max(a, axis=1) | equal(a, 4.0) |
    flip(a) | flip(a, axis=1) | norm(a) | norm(a, axis=1) | norm(a, ord=1, axis=1) | sigmoid(a) | slice(a, (0, 1), (2, 2)) | top_k(a, 2) | zeros_like(a) | take_along_axis(a, np.array([[0], [2]]), axis=1) | arccos(a / 5) | normalize(a) | normalize(a, axis=0, order=1) |
    broadcast_to(a[:1], (3, 3)) | power(a, 2) | all(a > -3) | any(a > 3, axis=0) | logical_not(a > 0) | logical_and(a > 0, a < 2) | min(a, axis=0) | ravel(a) | roll(a, 1) | roll(a, 1, axis=1) | rsqrt(np.abs(a)) | std(a) | std(a, axis=0) | var(a) | subtract(a, 1) |
    tri(3) | tril(a) | triu(a, 1) | convert_to_numpy(convert_to_tensor(a)) | convert_to_tensor(a, dtype='float16') | cumsum(a, axis=1) | cumsum(a) | cumprod(a, axis=0) | prod(a, axis=0) | sort(a) | argsort(a) | argsort(a, axis=0) | median(a) | median(a, axis=1) | quantile(a, 0.25) | quantile(a, [0.1, 0.9], axis=1) |
    diag(np.array([1.0, 2.0])) | diag(a @ a.T) | diagonal(a) | trace(a @ a.T) | dot(a, a.T) | outer(np.array([1.0, 2.0]), np.array([3.0, 4.0])) | vstack([a, a]) | hstack([a, a]) | meshgrid(np.array([1, 2]), np.array([3, 4, 5])) | moveaxis(a[None], 0, 2) | swapaxes(a, 0, 1) |
    isnan(a) | isfinite(a) | isclose(a, a + 1e-9) | nan_to_num(np.array([np.nan, np.inf, 1.0], 'float32')) | sign(a) | negative(a) | reciprocal(a) | tanh(a) | sinh(a) | log1p(np.abs(a)) | expm1(a) | log2(np.abs(a)) | log10(np.abs(a)) | arctan2(a, 2 * a) | mod(a, 2) | floor_divide(a, 2) |
    greater(a, 1) | less_equal(a, 1) | not_equal(a, 4.0) | logsumexp(a) | logsumexp(a, axis=1) | full((2, 2), 3.0) | full_like(a, 2) | identity(2) | count_nonzero(a > 0) | average(a, axis=1, weights=np.array([1.0, 2.0, 3.0])) | digitize(a, np.array([0.0, 2.0])) | bincount(np.array([1, 1, 3])) |
    append(a, a) | nonzero(a > 0) | ndim(a) | size(a) | vdot(a, a) | inner(a, a) | erf(a) | leaky_relu(a, negative_slope=0.1) | elu(a) | selu(a) | silu(a) | softplus(a) | log_softmax(a) | relu6(a * 3) | hard_sigmoid(a) | diff(a) | scatter(np.array([[0], [2]]), np.array([1.0, 2.0], 'float32'), (4,)) |
    scatter_update(a, np.array([[0, 1]]), np.array([9.0], 'float32')) | slice_update(a, (0, 1), np.ones((2, 2), 'float32')) | in_top_k(np.array([0, 1]), a, 1) | segment_sum(a, np.array([0, 0])) | segment_max(a, np.array([1, 0])) | moments(a, axes=[0]) | multi_hot(np.array([[0, 1], [2, 2]]), num_classes=3) |
    binary_crossentropy(np.array([1.0, 0.0], 'float32'), np.array([0.6, 0.2], 'float32')) | categorical_crossentropy(np.array([[0.0, 1.0]], 'float32'), np.array([[0.3, 0.7]], 'float32')) | sparse_categorical_crossentropy(np.array([1]), np.array([[0.3, 0.7]], 'float32')) | add(np.array([1, 2]), np.array([0.5, 0.5], 'float32')) | multiply(np.array([1, 2]), 2.5) | mean(np.array([1, 2])) |
    cond(True, lambda: 1, lambda: 2) | while_loop(lambda i: i < 5, lambda i: i + 2, 0) | fori_loop(0, 4, lambda i, v: v + i, 0) | map(lambda x: x * 2, a) | vectorized_map(lambda x: x * 2, a) | scan(lambda c, x: (c + x, c), 0.0, a[0]) | cholesky(a @ a.T + np.eye(2, dtype='float32')) | inv(a @ a.T) | det(a @ a.T) | solve(a @ a.T, np.ones((2, 1), 'float32')) |
    image.resize(a[None, :, :, None], (4, 3)) | image.extract_patches(a[None, :, :, None], 2) | image.crop_images(a[:, :, None], top_cropping=0, left_cropping=1, target_height=1, target_width=2) | image.pad_images(a[:, :, None], top_padding=1, left_padding=0, target_height=4, target_width=4) | nn.softmax(a) | linalg.norm(a) | numpy.mean(a) |
    max_pool(a[None, :, :, None], 2, strides=1) | average_pool(a[None, :, :, None], 2, strides=1, padding='same') | conv(a[None, :, :, None], np.ones((2, 2, 1, 1), 'float32')) | is_tensor(a) | saturate_cast(a * 200, 'uint8') | rot90(a) | tan(a) | batch_normalization(a, a.mean(0), a.var(0), axis=-1)
"""


def expressions():
    seen = {}
    for text in EXPRESSIONS.split("|"):
        text = text.strip()
        name = text.split("(")[0]
        seen[name] = seen.get(name, 0) + 1
        loose = {"rtol": 2e-5} if name in ("inv", "solve", "image.resize", "std", "var") else {}
        yield (
            f"{name}_{seen[name]}",
            f"{A}result = keras.ops.{text}".replace(
                "convert_to_numpy(convert_to_tensor", "convert_to_numpy(keras.ops.convert_to_tensor"
            ),
            loose,
        )


CASES = [
    *expressions(),
    ("ops_on_symbols", "i = keras.Input((3,)); m = keras.Model(i, keras.ops.relu(keras.ops.sum(i * 2, axis=-1, keepdims=True))); m(np.array([[1.0, 2.0, -1.0]], 'float32'))"),
    ("ops_in_function", "f = tf.function(lambda x: keras.ops.softmax(keras.ops.matmul(x, x))); f(tf.ones((2, 2)))"),
    ("ops_shape_of_symbol", "keras.ops.shape(keras.Input((3, None)))"),
    ("random_uniform", "v = np.asarray(keras.random.uniform((100, 100), minval=-1.0, maxval=3.0)); [v.shape, str(v.dtype), bool(abs(v.mean() - 1) < 0.1), bool(v.min() >= -1 and v.max() < 3)]"),
    ("random_normal", "v = np.asarray(keras.random.normal((100, 100), mean=2.0, stddev=0.5)); [v.shape, bool(abs(v.mean() - 2) < 0.05), bool(abs(v.std() - 0.5) < 0.05)]"),
    ("random_seed", "a, b = keras.random.normal((3,), seed=1337), keras.random.normal((3,), seed=1337); bool(np.array_equal(np.asarray(a), np.asarray(b)))"),
    ("random_seed_generator", "g = keras.random.SeedGenerator(42); a, b = keras.random.normal((3,), seed=g), keras.random.normal((3,), seed=g); bool(np.array_equal(np.asarray(a), np.asarray(b)))"),
    ("random_randint", "v = np.asarray(keras.random.randint((1000,), 0, 5)); [str(v.dtype), sorted(set(v.tolist()))]"),
    ("random_categorical", "v = np.asarray(keras.random.categorical(np.log([[0.0001, 0.9999]]), 50)); [v.shape, str(v.dtype), bool(v.mean() > 0.9)]"),
    ("random_dropout", "v = np.asarray(keras.random.dropout(np.ones((100, 100), 'float32'), 0.25)); [bool(abs((v == 0).mean() - 0.25) < 0.03), bool(np.allclose(v[v > 0], 1 / 0.75))]"),
    ("random_shuffle", "sorted(np.asarray(keras.random.shuffle(np.arange(10))).tolist())"),
    ("random_truncated", "v = np.asarray(keras.random.truncated_normal((1000,))); bool(np.abs(v).max() <= 2.0)"),
    ("backend", "[keras.backend.epsilon(), keras.backend.floatx(), keras.backend.image_data_format(), keras.backend.backend(), keras.config.backend(), keras.config.floatx()]"),
    ("clear_session", "keras.backend.clear_session(); keras.utils.clear_session(); keras.layers.Dense(1).name"),
    ("set_dtype_policy", "keras.config.set_dtype_policy('mixed_bfloat16'); n = keras.layers.Dense(1).compute_dtype; keras.config.set_dtype_policy('float32'); [n, keras.config.dtype_policy().name, keras.mixed_precision.Policy('mixed_float16').compute_dtype if hasattr(keras.mixed_precision, 'Policy') else 'float16', keras.dtype_policies.get('float16').name]"),
    ("global_policy", "keras.mixed_precision.set_global_policy('mixed_float16'); n = keras.layers.Dense(1).dtype_policy.name; keras.mixed_precision.set_global_policy('float32'); n"),
    ("to_categorical", "[keras.utils.to_categorical([0, 2, 1]), keras.utils.to_categorical(np.array([[0], [1]]), num_classes=3)]"),
    ("normalize", "keras.utils.normalize(np.array([[3.0, 4.0], [0.0, 0.0]]))"),
    ("pad_sequences", "k = keras.utils.pad_sequences; s = [[1], [2, 3], [4, 5, 6]]; [k(s), k(s, maxlen=2), k(s, padding='post'), k(s, maxlen=2, truncating='post'), k(s, value=-1), k(s, dtype='float32')]"),
    ("pad_sequences_old_name", "tf.keras.preprocessing.sequence.pad_sequences([[1, 2], [3]], maxlen=3)"),
    ("set_random_seed", "keras.utils.set_random_seed(7); a = np.random.rand(); keras.utils.set_random_seed(7); a == np.random.rand()"),
    ("pictures", """
        import os, tempfile
        path = os.path.join(tempfile.mkdtemp(), 'p.png')
        x = (np.arange(4 * 5 * 3) * 4 % 256).reshape(4, 5, 3).astype('float32')
        keras.utils.save_img(path, x, scale=False)
        img = keras.utils.load_img(path)
        gray = keras.utils.load_img(path, color_mode='grayscale')
        result = [img.size, keras.utils.img_to_array(img), keras.utils.img_to_array(keras.utils.array_to_img(x)), keras.utils.img_to_array(gray).shape, keras.utils.load_img(path, target_size=(2, 2)).size]"""),
    ("img_to_array_rank2", "keras.utils.img_to_array(np.ones((2, 3))).shape"),
    ("progbar", """
        import contextlib, io
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            bar = keras.utils.Progbar(3)
            for i in range(3):
                bar.update(i + 1, [('loss', float(i))])
        result = '3/3' in out.getvalue() and 'loss' in out.getvalue()"""),
    ("custom_object_scope", """
        def mine(x):
            return x * 2
        with keras.utils.custom_object_scope({'mine': mine}):
            layer = keras.layers.Dense.from_config(keras.layers.Dense(2, activation=mine, kernel_initializer='ones').get_config())
        result = layer(tf.ones((1, 2)))"""),
    ("register_serializable", """
        @keras.saving.register_keras_serializable(package='pack')
        class Twice(keras.layers.Layer):
            def call(self, x):
                return 2 * x
        config = keras.saving.serialize_keras_object(Twice(name='t'))
        again = keras.saving.deserialize_keras_object(config)
        result = [config['class_name'], config['registered_name'], again(tf.ones(2)), keras.saving.get_registered_name(Twice), keras.saving.get_registered_object('pack>Twice') is Twice]"""),
    ("keras_version", "keras.__version__.split('.')[0]"),
    ("variable", "v = keras.Variable(np.ones((2,)), dtype='float32', name='v'); v.assign(v + 1); [np.array(v), v.shape, str(v.dtype) if isinstance(v.dtype, str) else v.dtype.name]"),
    ("unpack", "keras.utils.unpack_x_y_sample_weight((np.ones(2), np.zeros(2)))"),
    ("split_dataset", "a, b = keras.utils.split_dataset(np.arange(10), left_size=0.8); [[int(v) for v in a], [int(v) for v in b]]"),
    ("axes_in_the_result", """
        x = np.zeros((2, 3), 'float32')
        result = [list(keras.ops.expand_dims(x, axis).shape) for axis in ((-2, -1), (0, -1), (1, 2), (-1, 0), -2, (3, 0))]"""),
    ("scatter_update_reductions", """
        x = np.arange(6, dtype='float32').reshape(2, 3)
        result = [keras.ops.scatter_update(x, np.array([[0, 1], [1, 2], [0, 1]]), np.array([3., 4., 5.], 'float32'), reduction=r) for r in ('add', 'max', 'min', 'mul')]
        result += [keras.ops.scatter_update(x, np.array([[1]]), np.array([[2., 3., 4.]], 'float32'), reduction='mul')]"""),
    ("slice_update_in_a_function", """
        @tf.function
        def f(cache, i):
            return keras.ops.slice_update(cache, (i, 0), tf.ones((1, 3)))
        result = [f(tf.zeros((4, 3)), tf.constant(i)) for i in (0, 2)]"""),
    ("signbit_of_zeros", """
        result = [keras.ops.signbit(np.array([-0.0, 0.0, -1.0, 2.0, -np.inf], 'float32')), keras.ops.signbit(np.array([-1, 0, 3]))]"""),
]  # fmt: skip
