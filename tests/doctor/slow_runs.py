"""Runs that are slow in one known way, and runs that are not.

    PYTHONPATH=build/release/python python tests/doctor/slow_runs.py NAME [mended]

runs one of them; under BRIO_DOCTOR=FILE.json the doctor writes what it thinks of it. It prints the seconds of training
for one sample. `mended` is the same run with the change that the doctor proposes.
"""

import functools
import os
import sys
import tempfile
import time

import numpy as np

import brio as tf

CASES, HEALTHY = {}, {}


class Case:
    def __init__(self, run, id, where, cause, also):
        self.run, self.id, self.where, self.cause, self.also = run, id, where, cause, also


def slow(id, where, cause=None, also=None, wants=True):
    """What the doctor must find first: its id, a part of its place, and the cause; `also`: the id and place of what
    comes next. Without what it `wants` of the machine the run is not slow."""

    def note(run):
        if wants:
            CASES[run.__name__] = Case(run, id, where, cause, also)
        return run

    return note


def machine_has(flag):
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return any(flag in line.split() for line in file if line.startswith("flags"))


def healthy(run):
    HEALTHY[run.__name__] = run
    return run


class Clock:
    seconds = samples = 0

    def __enter__(self):
        self.begin = time.perf_counter()
        return self

    def __exit__(self, *error):
        Clock.seconds += time.perf_counter() - self.begin


rng = np.random.default_rng(0)
tf.random.set_seed(1)


def rows(n, width=32):
    x = rng.random((n, width), dtype=np.float32)
    return x, x.sum(1, keepdims=True)


def dense(width=64, out=1, **compiled):
    model = tf.keras.Sequential([tf.keras.layers.Dense(width, activation="relu"), tf.keras.layers.Dense(out)])
    model.compile(**{"optimizer": "sgd", "loss": "mse", **compiled})
    return model


def fit(model, *data, samples, **options):
    with Clock():
        model.fit(*data, verbose=0, **options)
    Clock.samples += samples


def busy(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


# ---- input


@slow("input_bound", "generator", "one_thread")
def generator_that_waits(mended):
    def items():
        for i in range(160):
            time.sleep(0.002)
            yield np.full(32, i, np.float32), np.ones(1, np.float32)

    ds = tf.data.Dataset.from_generator(items, output_signature=(tf.TensorSpec([32]), tf.TensorSpec([1])))
    fit(dense(), (ds.cache() if mended else ds).batch(8), epochs=4, samples=640)


@slow("input_bound", "generator", "one_thread")
def generator_that_computes(mended):
    def items():
        for i in range(120):
            busy(0.002)
            yield np.full(32, i, np.float32), np.ones(1, np.float32)

    ds = tf.data.Dataset.from_generator(items, output_signature=(tf.TensorSpec([32]), tf.TensorSpec([1])))
    ds = (ds.cache() if mended else ds).map(lambda x, y: (x / 255.0, y)).batch(8).prefetch(2)
    fit(dense(), ds, epochs=4, samples=480)


@slow("input_bound", "Pictures.__getitem__", "python_map")
def a_sequence_that_computes(mended):
    class Pictures(tf.keras.utils.Sequence):
        def __len__(self):
            return 30

        def __getitem__(self, i):
            busy(0.01)
            return np.full((32, 32), i, np.float32), np.ones((32, 1), np.float32)

    if mended:
        Pictures.__getitem__ = functools.lru_cache(None)(Pictures.__getitem__)
    fit(dense(), Pictures(), epochs=4, samples=4 * 30 * 32)


@slow("input_bound", "generator", "one_thread")
def generator_of_batches(mended):
    """Given to fit() as it is."""
    x, y = rows(32)

    def batch(i=0):
        time.sleep(0.01)
        return x

    def batches():
        for _ in range(60):
            yield batch(), y

    if mended:
        ds = tf.data.Dataset.range(60).map(
            lambda i: (tf.ensure_shape(tf.numpy_function(batch, [i], tf.float32), [32, 32]), tf.constant(y))
        )
        fit(dense(), ds, samples=60 * 32)
    else:
        fit(dense(), batches(), samples=60 * 32)


@slow("input_bound", "map", "python_map")
def map_in_python(mended):
    x, y = rows(200)

    def slowly(v):
        busy(0.001)
        return v * 2

    ds = tf.data.Dataset.from_tensor_slices((x, y)).map(
        lambda a, b: (tf.ensure_shape(tf.numpy_function(slowly, [a], tf.float32), [32]), b)
    )
    fit(dense(), (ds.cache() if mended else ds).batch(20), epochs=4, samples=800)


def _heavy(rounds):
    weights = tf.constant(rng.random((128, 128), dtype=np.float32) / 64)

    def heavy(x, y):
        h = tf.tile(x[None], [128, 4])
        for _ in range(rounds):
            h = tf.matmul(h, weights)
        return h[0, :32], y

    return heavy


@slow("input_bound", "map", "one_thread")
def map_of_one_thread(mended):
    x, y = rows(256)
    calls = tf.data.AUTOTUNE if mended else 1
    ds = (
        tf.data.Dataset.from_tensor_slices((x, y))
        .map(lambda a, b: (_wait(a, 2.0), b), num_parallel_calls=calls)
        .batch(16)
    )
    fit(dense(), ds, epochs=2, samples=512)


def _wait(x, ms):
    """A part of a map that waits without Python's lock, as a slow disk does."""
    return tf.ensure_shape(tf.numpy_function(lambda v: (time.sleep(ms * 1e-3), v)[1], [x], tf.float32), [32])


@slow("input_bound", "map", "repeated_work")
def map_that_repeats(mended):
    x, y = rows(192)
    ds = tf.data.Dataset.from_tensor_slices((x, y)).map(_heavy(24))
    fit(dense(), (ds.cache() if mended else ds).batch(16), epochs=5, samples=960)


@slow("input_bound", "map", "order")
def map_behind_the_cache(mended):
    x, y = rows(192)
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    ds = ds.map(_heavy(24)).cache() if mended else ds.cache().map(_heavy(24))
    fit(dense(), ds.batch(16), epochs=5, samples=960)


@slow("input_bound", "map", "order")
def map_before_the_filter(mended):
    x, y = rows(640)
    x[:, 0] = np.arange(640) % 5
    keep = lambda a, b: tf.equal(a[0], 0.0)
    heavy = _heavy(24)
    through = lambda a, b: (a + 0 * heavy(a, b)[0], b)
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    ds = ds.filter(keep).map(through) if mended else ds.map(through).filter(keep)
    fit(dense(), ds.batch(16), epochs=2, samples=256)


def _pictures(folder, n, size):
    noise = rng.integers(0, 255, (size // 8, size // 8, 3), dtype=np.uint8)
    for i in range(n):
        os.makedirs(os.path.join(folder, "ab"[i % 2]), exist_ok=True)
        picture = np.kron(np.roll(noise, i, 0), np.ones((8, 8, 1), np.uint8))
        tf.io.write_file(os.path.join(folder, "ab"[i % 2], f"{i}.jpg"), tf.io.encode_jpeg(picture))


def _small_cnn():
    model = tf.keras.Sequential(
        [tf.keras.layers.Conv2D(4, 3, strides=4), tf.keras.layers.GlobalAveragePooling2D(), tf.keras.layers.Dense(2)]
    )
    model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


@slow("input_bound", "decode", "decode")
def pictures_of_a_folder(mended):
    with tempfile.TemporaryDirectory() as folder:
        _pictures(folder, 64, 512)
        ds = tf.keras.utils.image_dataset_from_directory(
            folder, image_size=(64, 64), batch_size=None, verbose=False, seed=1
        )
        fit(_small_cnn(), (ds.cache() if mended else ds).batch(16), epochs=5, samples=320)


@slow("input_bound", "map", "decode")
def pictures_by_a_map(mended):
    with tempfile.TemporaryDirectory() as folder:
        _pictures(folder, 64, 512)
        files = sorted(os.path.join(d, f) for d, _, names in os.walk(folder) for f in names)

        def load(path, label):
            picture = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
            return tf.image.resize(picture, [64, 64]), label

        ds = tf.data.Dataset.from_tensor_slices((files, np.arange(64) % 2)).map(load)
        fit(_small_cnn(), (ds.cache() if mended else ds).batch(16), epochs=5, samples=320)


# ---- around the step


@slow("callback_bound", "Slow.on_train_batch_end")
def callback_of_each_batch(mended):
    class Slow(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            if not mended or batch % 50 == 0:
                time.sleep(0.002)

    fit(dense(), *rows(6400), epochs=2, callbacks=[Slow()], samples=12800)


@slow("callback_bound", "Drawing.on_epoch_end")
def callback_of_each_epoch(mended):
    class Drawing(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            if not mended or epoch % 5 == 0:
                busy(0.1)

    fit(dense(256), *rows(4000), epochs=10, callbacks=[Drawing()], samples=40000)


@slow("callback_bound", "LambdaCallback.on_train_batch_begin")
def callback_of_a_lambda(mended):
    def before(batch, logs):
        if not mended or batch % 50 == 0:
            time.sleep(0.001)

    fit(
        dense(),
        *rows(6400),
        epochs=2,
        callbacks=[tf.keras.callbacks.LambdaCallback(on_train_batch_begin=before)],
        samples=12800,
    )


@slow("evaluation_bound", "validation")
def validation_of_more_than_training(mended):
    fit(
        dense(256),
        *rows(1600),
        epochs=10,
        validation_data=rows(16000),
        validation_freq=5 if mended else 1,
        samples=16000,
    )


@slow("checkpoint_bound", "ModelCheckpoint")
def checkpoint_of_each_batch(mended):
    with tempfile.TemporaryDirectory() as folder:
        save = tf.keras.callbacks.ModelCheckpoint(
            os.path.join(folder, "w.weights.h5"), save_weights_only=True, save_freq=2000 if mended else 4
        )
        fit(dense(128), *rows(6400), epochs=2, callbacks=[save], samples=12800)


@slow("metric_bound", "metrics")
def metrics_of_many_thresholds(mended):
    x, y = rows(6400)
    metrics = (
        []
        if mended
        else [tf.keras.metrics.AUC(num_thresholds=2000), tf.keras.metrics.PrecisionAtRecall(0.5, num_thresholds=2000)]
    )
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(32, activation="relu"), tf.keras.layers.Dense(1, activation="sigmoid")]
    )
    model.compile("sgd", "binary_crossentropy", metrics=metrics)
    fit(model, x, (y > 16).astype(np.float32), epochs=2, samples=12800)


# ---- the step


@slow("tiny_batch", "batch_size")
def batch_of_one(mended):
    fit(
        dense(256),
        *rows(8000),
        epochs=1 if not mended else 4,
        batch_size=32 if mended else 1,
        samples=8000 if not mended else 32000,
    )


@slow("tiny_batch", "batch")
def batch_of_two_from_a_dataset(mended):
    ds = tf.data.Dataset.from_tensor_slices(rows(12000)).batch(32 if mended else 2)
    fit(dense(256), ds, epochs=1 if not mended else 4, samples=12000 if not mended else 48000)


def _loop(step, n=2000):
    x, y = (tf.constant(v) for v in rows(32))
    for _ in range(20):
        step(x, y)
    with Clock():
        for _ in range(n):
            step(x, y)
    Clock.samples += 32 * n


def _by_hand(width=64):
    model = tf.keras.Sequential([tf.keras.layers.Dense(width, activation="relu"), tf.keras.layers.Dense(1)])
    model.build([None, 32])
    optimizer = tf.keras.optimizers.SGD(0.01)
    optimizer.build(model.trainable_variables)

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    return step


@slow("eager_loop", "slow_runs.py")
def eager_steps(mended):
    step = _by_hand()
    _loop(tf.function(step) if mended else step)


@slow("eager_loop", "slow_runs.py")
def eager_gradient_descent(mended):
    """The program of the page on gradient descent."""
    theta = tf.Variable(tf.zeros([32, 1]))

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(x, theta) - y))
        theta.assign_sub(0.001 * tape.gradient(loss, theta))

    _loop(tf.function(step) if mended else step, 4000)


@slow("eager_loop", "run_eagerly")
def eager_fit(mended):
    fit(dense(run_eagerly=not mended), *rows(12800), epochs=1, samples=12800)


@slow("retracing", "step_of (slow_runs.py")
def number_that_changes(mended):
    plain = _by_hand()

    def step_of(x, y, k):
        return plain(x * k, y)

    step = tf.function(step_of)
    x, y = (tf.constant(v) for v in rows(32))
    with Clock():
        for i in range(150):
            step(x, y, tf.constant(1 + i * 1e-6) if mended else 1 + i * 1e-6)
    Clock.samples += 150 * 32


@slow("retracing", "step (slow_runs.py")
def shape_that_changes(mended):
    step = tf.function(_by_hand(), reduce_retracing=mended)
    x, y = rows(400)
    with Clock():
        for i in range(200):
            step(tf.constant(x[: 100 + i]), tf.constant(y[: 100 + i]))
    Clock.samples += 200 * 200


@slow("host_reads", "slow_runs.py")
def loss_that_is_printed(mended):
    step = tf.function(_by_hand())
    x, y = (tf.constant(v) for v in rows(32))
    out = open(os.devnull, "w")
    for _ in range(20):
        step(x, y)
    with Clock():
        for i in range(3000):
            loss = step(x, y)
            if not mended or i % 100 == 0:
                for _ in range(10):
                    print(f"step {i}: loss {loss.numpy():.6f} of {float(loss):.3f}", file=out, flush=True)
    Clock.samples += 3000 * 32


@slow("float64", "")
def doubles(mended):
    dtype = tf.float32 if mended else tf.float64
    w1, w2 = (tf.Variable(tf.cast(tf.random.normal(s), dtype) / 32) for s in ([512, 1024], [1024, 1]))

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.nn.relu(x @ w1) @ w2 - y))
        optimizer.apply_gradients(zip(tape.gradient(loss, [w1, w2]), [w1, w2]))
        return loss

    optimizer = tf.keras.optimizers.SGD(1e-4)
    x, y = (tf.cast(v, dtype) for v in rows(256, 512))
    for _ in range(5):
        step(x, y)
    with Clock():
        for _ in range(100):
            step(x, y)
    Clock.samples += 100 * 256


@slow("optimizer_bound", "adam")
def embedding_of_many_words(mended):
    words = rng.integers(0, 50000, (2000, 8))
    labels = (words.sum(1, keepdims=True) % 2).astype(np.float32)
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Embedding(50000, 32),
            tf.keras.layers.GlobalAveragePooling1D(),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy")
    fit(
        model,
        words,
        labels,
        epochs=1 if not mended else 4,
        batch_size=32 * (4 if mended else 1),
        samples=2000 if not mended else 8000,
    )


@slow("padding_waste", "padded_batch")
def texts_of_many_lengths(mended):
    lengths = np.where(np.arange(512) % 16 == 0, 200, rng.integers(5, 20, 512))
    texts = [rng.integers(1, 1000, n) for n in lengths]

    def items():
        for text in texts:
            yield text, np.float32([text[0] % 2])

    ds = tf.data.Dataset.from_generator(items, output_signature=(tf.TensorSpec([None], tf.int64), tf.TensorSpec([1])))
    if mended:
        ds = ds.bucket_by_sequence_length(lambda x, y: tf.shape(x)[0], [32], [32, 32])
    else:
        ds = ds.padded_batch(32)
    model = tf.keras.Sequential(
        [tf.keras.layers.Embedding(1000, 64), tf.keras.layers.LSTM(64), tf.keras.layers.Dense(1)]
    )
    model.compile("sgd", "mse")
    fit(model, ds.cache(), epochs=3, samples=1536)


@slow("growth", "other")
def predictions_that_are_kept(mended):
    w = tf.Variable(tf.random.normal([256, 1024]) / 32)
    optimizer = tf.keras.optimizers.SGD(1e-4)

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            made = tf.matmul(x, w)
            loss = tf.reduce_mean(tf.square(made))
        optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
        return made

    x = tf.constant(rows(64, 256)[0])
    kept = []
    with Clock():
        for _ in range(3000):
            made = step(x)
            if not mended:
                kept.append(made)
    Clock.samples += 3000 * 64


# ---- the layers and their precision


@slow("layer_bound", "conv2d")
def wide_convolution(mended):
    layers = tf.keras.layers
    if mended:
        wide = layers.SeparableConv2D(32, 7, padding="same", activation="relu")
    else:
        wide = layers.Conv2D(32, 7, padding="same", activation="relu")
    model = tf.keras.Sequential([layers.Conv2D(32, 1), wide, layers.GlobalAveragePooling2D(), layers.Dense(10)])
    model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    fit(
        model,
        rng.random((640, 16, 16, 3), dtype=np.float32),
        rng.integers(0, 10, 640),
        epochs=2,
        batch_size=32,
        samples=1280,
    )


@slow("layer_bound", "conv1d")
def wide_convolution_of_series(mended):
    layers = tf.keras.layers
    if mended:
        wide = layers.SeparableConv1D(64, 21, padding="same", activation="relu")
    else:
        wide = layers.Conv1D(64, 21, padding="same", activation="relu")
    model = tf.keras.Sequential([layers.Conv1D(64, 1), wide, layers.GlobalAveragePooling1D(), layers.Dense(1)])
    model.compile("adam", "mse")
    fit(
        model,
        rng.random((640, 40, 4), dtype=np.float32),
        rng.random((640, 1), dtype=np.float32),
        epochs=2,
        batch_size=32,
        samples=1280,
    )


@slow("precision", "mixed_bfloat16")
def bfloat16_that_does_not_pay(mended):
    tf.keras.mixed_precision.set_global_policy("float32" if mended else "mixed_bfloat16")
    x, y = rows(6400, 64)
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(64, activation="tanh") for _ in range(6)] + [tf.keras.layers.Dense(1)]
    )
    model.compile("sgd", "mse")
    fit(model, x, y, epochs=3, batch_size=64, samples=19200)


@slow("precision", "float32", wants=machine_has("avx512_bf16") or machine_has("amx_bf16"))
def float32_where_bfloat16_pays(mended):
    if mended:
        tf.keras.mixed_precision.set_global_policy("mixed_bfloat16")
    x, y = rows(1024, 1024)
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(1024, activation="relu") for _ in range(4)] + [tf.keras.layers.Dense(1, dtype="float32")]
    )
    model.compile("sgd", "mse")
    fit(model, x, y / 1024, epochs=4, batch_size=128, samples=4096)


# ---- two causes at once


@slow("input_bound", "generator", "one_thread", also=("callback_bound", "Slow.on_train_batch_end"))
def generator_and_callback(mended):
    class Slow(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            if not mended or batch % 50 == 0:
                time.sleep(0.006)

    def items():
        for i in range(160):
            time.sleep(0.002)
            yield np.full(32, i, np.float32), np.ones(1, np.float32)

    ds = tf.data.Dataset.from_generator(items, output_signature=(tf.TensorSpec([32]), tf.TensorSpec([1])))
    fit(dense(), (ds.cache() if mended else ds).batch(8), epochs=4, callbacks=[Slow()], samples=640)


@slow("evaluation_bound", "validation", also=("callback_bound", "Drawing.on_epoch_end"))
def validation_and_callback(mended):
    class Drawing(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            if not mended or epoch % 5 == 0:
                time.sleep(0.002)

    fit(
        dense(256),
        *rows(1600),
        epochs=10,
        validation_data=rows(100000),
        validation_freq=5 if mended else 1,
        callbacks=[Drawing()],
        samples=16000,
    )


# ---- a device that runs behind the host, as a GPU does: a part of builds with tests


@slow("small_work_on_device", "walled:0", wants=hasattr(tf._core, "_walled_device"))
def little_work_on_a_device(mended):
    tf._core._walled_device(0)
    step = tf.function(_by_hand())
    x, y = (tf.constant(v) for v in rows(32))
    with tf.device("CPU:0" if mended else "walled:0"):
        for _ in range(20):
            step(x, y)
        with Clock():
            for _ in range(600):
                loss = step(x, y)
            float(loss)
    Clock.samples += 600 * 32


@slow("host_code", "")
def batches_by_hand(mended):
    step = tf.function(_by_hand())
    x, y = rows(3200)
    ds = (
        tf.data.Dataset.from_tensor_slices((x, y)).batch(32)
        if mended
        else [(x[i : i + 32], y[i : i + 32]) for i in range(0, 3200, 32)]
    )
    with Clock():
        for _ in range(4):
            for a, b in ds:
                if not mended:
                    a = np.array([[float(v) for v in row] for row in a], np.float32)
                step(a, b)
    Clock.samples += 4 * 3200


# ---- healthy


@healthy
def rows_in_memory():
    fit(dense(512), *rows(20000, 256), epochs=4, batch_size=128, samples=80000)


@healthy
def rows_of_a_dataset():
    fit(
        dense(512),
        tf.data.Dataset.from_tensor_slices(rows(20000, 256)).shuffle(20000).batch(128),
        epochs=4,
        samples=80000,
    )


@healthy
def rows_with_metrics_and_validation():
    fit(
        dense(512, metrics=["mae"]),
        *rows(20000, 256),
        epochs=4,
        batch_size=128,
        validation_data=rows(400, 256),
        samples=80000,
    )


@healthy
def pictures_in_memory():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Conv2D(16, 3, activation="relu"),
            tf.keras.layers.MaxPooling2D(),
            tf.keras.layers.Conv2D(32, 3, activation="relu"),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(10),
        ]
    )
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    fit(
        model,
        rng.random((2048, 28, 28, 1), dtype=np.float32),
        rng.integers(0, 10, 2048),
        epochs=2,
        batch_size=64,
        samples=4096,
    )


@healthy
def a_cached_map():
    ds = (
        tf.data.Dataset.from_tensor_slices(rows(10000, 256))
        .map(lambda x, y: (x / 2, y))
        .cache()
        .shuffle(10000)
        .batch(128)
        .prefetch(tf.data.AUTOTUNE)
    )
    fit(dense(512), ds, epochs=6, samples=60000)


@healthy
def texts():
    words = rng.integers(0, 500, (2048, 40))
    model = tf.keras.Sequential(
        [tf.keras.layers.Embedding(500, 32), tf.keras.layers.LSTM(64), tf.keras.layers.Dense(1)]
    )
    model.compile("adam", "mse")
    fit(model, words, words[:, :1].astype(np.float32), epochs=2, batch_size=64, samples=4096)


@healthy
def series():
    values = rng.random((6000, 4), dtype=np.float32)
    ds = tf.keras.utils.timeseries_dataset_from_array(values[:-10], values[10:, :1], sequence_length=20, batch_size=64)
    model = tf.keras.Sequential([tf.keras.layers.GRU(64), tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
    fit(model, ds, epochs=2, samples=12000)


@healthy
def a_function_in_a_loop():
    step = tf.function(_by_hand(1024))
    ds = tf.data.Dataset.from_tensor_slices(rows(20000)).batch(256).prefetch(tf.data.AUTOTUNE)
    with Clock():
        for _ in range(10):
            for x, y in ds:
                step(x, y)
    Clock.samples += 200000


@healthy
def a_light_callback():
    class Light(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            self.last = logs["loss"]

    fit(dense(512), *rows(20000, 256), epochs=4, batch_size=128, callbacks=[Light()], samples=80000)


@healthy
def batches_that_draw():
    ds = (
        tf.data.Dataset.from_tensor_slices(rows(10000, 256))
        .map(lambda x, y: (x + tf.random.uniform([256], 0, 0.01), y))
        .batch(128)
        .prefetch(tf.data.AUTOTUNE)
    )
    fit(dense(1024), ds, epochs=3, samples=30000)


if __name__ == "__main__":
    name = sys.argv[1]
    if name in CASES:
        CASES[name].run(len(sys.argv) > 2)
    else:
        HEALTHY[name]()
    print(f"{Clock.seconds / Clock.samples:.9f}")
