"""Functions whose sizes are None: traced once, for every size, as TensorFlow counts traces."""

import numpy as np
import pytest

import brio as tf

keras = tf.keras
rng = np.random.default_rng(3)


def data(*shape):
    return rng.normal(size=shape).astype("float32")


def signed(*shapes):
    return [tf.TensorSpec(shape, tf.float32) for shape in shapes]


def check(f, plain, *calls):
    """One trace serves all calls, and gives what the plain function gives."""
    for arguments in calls:
        for a, b in zip(tf.nest.flatten(f(*arguments)), tf.nest.flatten(plain(*map(tf.constant, arguments)))):
            assert a.shape == b.shape
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    assert f.experimental_get_tracing_count() == 1


def test_a_constant_of_the_size_of_the_first_call():
    """[None, None] beside a captured constant of 30."""
    table = tf.constant(data(30, 8))

    def plain(x):
        return tf.matmul(x, table), tf.reduce_mean(x, 0)

    check(tf.function(plain, input_signature=signed([None, None])), plain, [data(30, 30)], [data(7, 30)], [data(1, 30)])


def test_batch_and_length():
    def plain(x):
        n, t = tf.shape(x)[0], tf.shape(x)[1]
        flat = tf.reshape(x, [n * t, 8])
        positions = tf.cast(tf.range(t), tf.float32)
        return (
            tf.reshape(flat, [n, t, 8]) + positions[None, :, None],
            tf.zeros([n, t]),
            tf.reduce_sum(x, 1) / tf.cast(t, tf.float32),
        )

    check(
        tf.function(plain, input_signature=signed([None, None, 8])),
        plain,
        *[[data(n, t, 8)] for n, t in ((32, 100), (5, 7), (1, 1), (64, 33))],
    )


def test_shapes_as_values():
    def plain(x):
        shape = tf.shape(x)
        return (
            tf.broadcast_to(x[:1], shape), tf.ones(shape), tf.reshape(x, tf.concat([shape[:1], [-1]], 0)),
            tf.tile(x[:, :1], [1, shape[1]]), x[: shape[0] // 2], x[:, :-1], x[::2], tf.pad(x, [[0, 1], [2, 0]]),
            tf.linalg.band_part(tf.ones([shape[1], shape[1]]), -1, 0), tf.fill([tf.size(x)], 2.0), tf.transpose(x),
            tf.concat([x, x], 0), tf.one_hot(tf.argmax(x, 1), 5), tf.slice(x, [0, 1], [shape[0] // 2, -1]),
        )  # fmt: skip

    check(
        tf.function(plain, input_signature=signed([None, None])),
        plain,
        *[[data(n, m)] for n, m in ((128, 64), (6, 5), (2, 3))],
    )


def test_sizes_are_none_for_the_function():
    seen = []

    @tf.function(input_signature=signed([None, 3], [None]))
    def f(x, y):
        seen.append((x.shape.as_list(), y.shape.as_list(), tf.matmul(x, x, transpose_b=True).shape.as_list()))
        return x + y[:, None]

    f(data(4, 3), data(4))
    f(data(9, 3), data(9))
    assert seen == [([None, 3], [None], [None, None])]
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        f(data(9, 3), data(8))


def test_gradients_and_variables():
    w = tf.Variable(data(20, 4))

    def loss(x, y):
        return tf.reduce_mean(tf.square(tf.matmul(x, w) - y))

    @tf.function(input_signature=signed([None, 20], [None, 4]))
    def step(x, y):
        with tf.GradientTape() as tape:
            value = loss(x, y)
        return value, tape.gradient(value, w)

    for n in (32, 100, 1, 7):
        x, y = data(n, 20), data(n, 4)
        with tf.GradientTape() as tape:
            expected = loss(tf.constant(x), tf.constant(y))
        value, gradient = step(x, y)
        np.testing.assert_allclose(value, expected, rtol=1e-5)
        np.testing.assert_allclose(gradient, tape.gradient(expected, w), rtol=1e-4, atol=1e-5)
    assert step.experimental_get_tracing_count() == 1


def test_loops_over_a_size():
    def plain(x):
        total = tf.zeros([tf.shape(x)[1]])
        for i in tf.range(tf.shape(x)[0]):
            total += x[i] * tf.cast(i, tf.float32)
        for row in x:
            total += row
        return total

    f = tf.function(plain, input_signature=signed([None, None]))
    for n, m in ((5, 3), (12, 100)):
        x = data(n, m)
        np.testing.assert_allclose(f(x), (x * np.arange(n)[:, None]).sum(0) + x.sum(0), rtol=1e-4, atol=1e-4)
    assert f.experimental_get_tracing_count() == 1


def test_reduce_retracing():
    f = tf.function(lambda x: tf.reduce_sum(tf.reshape(x, [-1, 2]), 0), reduce_retracing=True)
    for n in (4, 6, 8, 100, 2):
        x = data(n)
        np.testing.assert_allclose(f(x), x.reshape(-1, 2).sum(0), rtol=1e-5, atol=1e-5)
    assert f.experimental_get_tracing_count() == 2


@pytest.mark.parametrize(
    "make",
    [
        lambda i: keras.layers.LSTM(16)(i),
        lambda i: keras.layers.GRU(16, return_sequences=True)(i),
        lambda i: keras.layers.Bidirectional(keras.layers.LSTM(8))(i),
        lambda i: keras.layers.Conv1D(32, 5, padding="same", activation="relu")(i),
        lambda i: keras.layers.GlobalAveragePooling1D()(keras.layers.Conv1D(32, 3, strides=2)(i)),
        lambda i: keras.layers.Dense(64)(i),
        lambda i: keras.layers.MultiHeadAttention(4, 16)(i, i),
        lambda i: keras.layers.LayerNormalization()(i + keras.layers.Dense(24)(i)),
        lambda i: keras.layers.Concatenate()([i, keras.layers.Dropout(0.5)(i)]),
        lambda i: keras.layers.MaxPooling1D(2, padding="same")(i),
        lambda i: tf.reduce_sum(i, 1) / tf.cast(tf.shape(i)[1], "float32"),
    ],
    ids=[
        "lstm",
        "gru",
        "bidirectional",
        "conv",
        "strided",
        "dense",
        "attention",
        "residual",
        "concatenate",
        "pooling",
        "shape",
    ],
)
def test_models_of_any_batch_and_length(make, tmp_path):
    inputs = keras.Input((None, 24))
    model = keras.Model(inputs, make(inputs))
    f = tf.function(lambda x: model(x, training=False), input_signature=signed([None, None, 24]))
    model.export(tmp_path / "m", verbose=False)
    loaded = tf.saved_model.load(tmp_path / "m")
    for n, t in ((3, 40), (1, 7), (16, 100)):
        x = data(n, t, 24)
        expected = model(x, training=False)
        np.testing.assert_allclose(f(x), expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(loaded.serve(x), expected, rtol=1e-4, atol=1e-5)
    assert f.experimental_get_tracing_count() == 1


@pytest.mark.parametrize(
    ("layer", "size"),
    [
        (lambda: keras.layers.Resizing(30, 40), (30, 40)),
        (lambda: keras.layers.Resizing(30, 40, crop_to_aspect_ratio=True), (30, 40)),
        (lambda: keras.layers.Resizing(30, 40, pad_to_aspect_ratio=True), (30, 40)),
        (lambda: keras.layers.CenterCrop(20, 24), (20, 24)),
        (lambda: keras.layers.RandomCrop(20, 24), (20, 24)),
        (lambda: keras.layers.RandomFlip(), None),
        (lambda: keras.layers.RandomRotation(0.1), None),
        (lambda: keras.layers.RandomZoom(0.2), None),
        (lambda: keras.layers.RandomTranslation(0.1, 0.1), None),
        (lambda: keras.layers.RandomContrast(0.2), None),
        (lambda: keras.layers.RandomBrightness(0.2), None),
        (lambda: keras.layers.Rescaling(0.1), None),
        (lambda: keras.layers.UpSampling2D(2, interpolation="bilinear"), "double"),
    ],
    ids=[
        "resizing",
        "crop_ratio",
        "pad_ratio",
        "center_crop",
        "random_crop",
        "flip",
        "rotation",
        "zoom",
        "translation",
        "contrast",
        "brightness",
        "rescaling",
        "upsampling",
    ],
)
def test_pictures_of_any_size_in_a_model(layer, size):
    inputs = keras.Input((None, None, 3))
    model = keras.Sequential(
        [layer(), keras.layers.Conv2D(8, 3, padding="same"), keras.layers.GlobalAveragePooling2D()]
    )
    nested = keras.Model(inputs, keras.layers.Dense(2)(model(inputs)))
    shape = layer()(inputs).shape
    assert shape == (None, None, None, 3) if size in (None, "double") else shape == (None, *size, 3)
    assert nested.output_shape == (None, 2)
    for n, h, w in ((2, 64, 48), (3, 25, 100)):
        assert nested(data(n, h, w, 3), training=True).shape == (n, 2)
        alone = layer()(data(n, h, w, 3))
        assert alone.shape[1:3] == ((h, w) if size is None else (2 * h, 2 * w) if size == "double" else size)


def test_augmentation_of_any_batch_is_traced_once():
    augment = keras.Sequential(
        [
            keras.layers.RandomFlip(seed=1),
            keras.layers.RandomRotation(0.1, seed=2),
            keras.layers.RandomContrast(0.2, seed=3),
        ]
    )
    f = tf.function(lambda x: augment(x, training=True), input_signature=signed([None, 32, 32, 3]))
    for n in (8, 1, 5):
        assert f(data(n, 32, 32, 3)).shape == (n, 32, 32, 3)
    assert f.experimental_get_tracing_count() == 1
