"""TensorFlow with Keras: eager with a tape for `gd`, graph functions elsewhere; variant "xla" compiles them."""

import itertools
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf

import timing
from timing import measure, time_epochs

keras = tf.keras


def graph(variant):
    """The decorator for a step: a graph function, compiled by XLA if asked."""
    return tf.function(jit_compile=variant == "xla")


def gd_step():
    x, y = tf.constant(timing.GD_X, tf.float32), tf.constant(timing.GD_Y, tf.float32)
    theta = tf.Variable(tf.zeros([2]))
    optimizer = keras.optimizers.SGD(timing.GD_RATE)
    optimizer.build([theta])

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.linalg.matvec(x, theta) - y))
        optimizer.apply_gradients(zip(tape.gradient(loss, [theta]), [theta]))

    return step, theta


def time_step(step, variable, unit="us"):
    def run(n):
        for _ in range(n):
            step()
        variable.numpy()

    return measure(run, unit)


def gd():
    return time_step(*gd_step())


def gd_function():
    step, theta = gd_step()
    return time_step(tf.function(step), theta)


def mlp_model():
    model = keras.Sequential(
        [
            keras.Input((timing.MLP_IN,)),
            keras.layers.Dense(timing.MLP_HIDDEN, activation="relu"),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    return model, keras.optimizers.Adam(), keras.losses.BinaryCrossentropy()


def train_step(model, optimizer, loss_function, variant):
    optimizer.build(model.trainable_variables)

    @graph(variant)
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_function(y, model(x, training=True))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    return step


def mlp_batch(rows=timing.MLP_BATCH):
    x = tf.random.uniform((rows, timing.MLP_IN))
    return x, tf.cast(tf.random.uniform((rows, 1)) > 0.5, tf.float32)


def time_training(step, x, y, unit):
    def run(n):
        for _ in range(n):
            loss = step(x, y)
        loss.numpy()

    return measure(run, unit)


def mlp(variant=""):
    return time_training(train_step(*mlp_model(), variant), *mlp_batch(), "us")


def start():
    return {"loss": float(train_step(*mlp_model(), "")(*mlp_batch()))}


def fit():
    model, optimizer, loss = mlp_model()
    model.compile(optimizer=optimizer, loss=loss, metrics=["accuracy"])
    x, y = (t.numpy() for t in mlp_batch(timing.FIT_ROWS))

    def run(n):
        for _ in range(n):
            model.fit(x, y, epochs=1, batch_size=timing.MLP_BATCH, verbose=0)

    return measure(run, "ms")


def wide(variant=""):
    first, *hidden, last = timing.WIDE_LAYERS
    model = keras.Sequential([keras.Input((first,))])
    for width in hidden:
        model.add(keras.layers.Dense(width, activation="relu"))
    model.add(keras.layers.Dense(last))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    step = train_step(model, keras.optimizers.SGD(timing.WIDE_RATE), loss, variant)
    x = tf.random.normal((timing.WIDE_BATCH, first))
    y = tf.random.uniform((timing.WIDE_BATCH,), maxval=last, dtype=tf.int32)
    return time_training(step, x, y, "ms")


def lstm_layer(variant=""):
    layer = keras.layers.LSTM(timing.LSTM_UNITS, return_sequences=True)
    x = tf.random.normal((timing.LSTM_BATCH, timing.LSTM_TIME, timing.LSTM_FEATURES))
    layer(x)
    variables = [v.value for v in layer.trainable_variables]

    @tf.function(jit_compile=variant == "xla")
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(layer(x, training=True)))
        return tape.gradient(loss, variables)

    def run(n):
        for _ in range(n):
            gradients = step(x)
        gradients[-1].numpy()

    return measure(run, "ms")


def network(name, variant=""):
    import keras_networks

    model, loss, x, y = keras_networks.network(name)
    return time_training(
        train_step(model, keras.optimizers.Adam(), loss, variant), tf.constant(x), tf.constant(y), "ms"
    )


def lengths():
    words = keras.Input((None,), dtype="int32")
    rows = keras.layers.Embedding(timing.LENGTHS_ROWS, timing.LENGTHS_WIDTH)(words)
    out = keras.layers.Dense(1, activation="sigmoid")(keras.layers.LSTM(timing.LENGTHS_UNITS)(rows))
    model, optimizer, loss_function = (
        keras.Model(words, out),
        keras.optimizers.Adam(),
        keras.losses.BinaryCrossentropy(),
    )
    optimizer.build(model.trainable_variables)

    @tf.function(reduce_retracing=True)
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_function(y, model(x, training=True))
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    x = tf.random.uniform((timing.LENGTHS_BATCH, max(timing.LENGTHS)), maxval=timing.LENGTHS_ROWS, dtype=tf.int32)
    y = tf.cast(tf.random.uniform((timing.LENGTHS_BATCH, 1)) > 0.5, tf.float32)
    coming = itertools.cycle(timing.LENGTHS)

    def run(n):
        for _ in range(n):
            for length in itertools.islice(coming, 100):
                loss = step(x[:, :length], y)
        loss.numpy()

    result = measure(run, "ms", budget=6)
    steps = 100 * sum(timing.LENGTHS) / len(timing.LENGTHS) / 1000
    return {**result, "median": result["median"] / steps, "best": result["best"] / steps}


def embedding(variant="", make_optimizer=lambda: keras.optimizers.SGD(timing.EMBEDDING_RATE), unit="us"):
    batch, length = timing.EMBEDDING_BATCH
    words = keras.Input((length,), dtype="int32")
    rows = keras.layers.Embedding(timing.EMBEDDING_ROWS, timing.EMBEDDING_WIDTH)(words)
    out = keras.layers.Dense(1, activation="sigmoid")(keras.layers.GlobalAveragePooling1D()(rows))
    step = train_step(keras.Model(words, out), make_optimizer(), keras.losses.BinaryCrossentropy(), variant)
    x = tf.random.uniform((batch, length), maxval=timing.EMBEDDING_ROWS, dtype=tf.int32)
    y = tf.cast(tf.random.uniform((batch, 1)) > 0.5, tf.float32)
    return time_training(step, x, y, unit)


def embedding_adam(variant=""):
    return embedding(variant, keras.optimizers.Adam, "ms")


def chain(variant=""):
    x = tf.random.normal((timing.CHAIN_ELEMENTS,))

    @graph(variant)
    def step(x):
        a = x * 1.5 + 0.5
        b = tf.nn.relu(a)
        c = tf.sqrt(b + 1.0)
        d = c * x
        e = d - a
        f = tf.abs(e)
        g = tf.minimum(f, 10.0)
        return tf.reduce_mean(g * g)

    def run(n):
        for _ in range(n):
            step(x).numpy()

    return measure(run, "ms")


def xent(variant=""):
    logits = tf.random.normal((timing.XENT_ROWS, timing.XENT_CLASSES))
    labels = tf.random.uniform((timing.XENT_ROWS,), maxval=timing.XENT_CLASSES, dtype=tf.int32)

    @graph(variant)
    def step(labels, logits):
        with tf.GradientTape() as tape:
            tape.watch(logits)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        return loss, tape.gradient(loss, logits)

    def run(n):
        for _ in range(n):
            loss, gradient = step(labels, logits)
            loss.numpy(), gradient[-1, -1].numpy()

    return measure(run, "ms", budget=4)


def attention(variant="", shape=timing.ATTENTION_LONG):
    q, k, v, cotangent = (tf.random.normal(shape) for _ in range(4))

    @graph(variant)
    def step(q, k, v):
        with tf.GradientTape() as tape:
            tape.watch((q, k, v))
            out = keras.ops.dot_product_attention(q, k, v, is_causal=True)
        return tape.gradient(out, (q, k, v), cotangent)

    def run(n):
        for _ in range(n):
            for gradient in step(q, k, v):
                gradient[-1, -1, -1, -1].numpy()

    return measure(run, "ms")


def attention_short(variant=""):
    return attention(variant, timing.ATTENTION_SHORT)


def adam(variant=""):
    shape = (timing.ADAM_SIZE,)
    variables = [tf.Variable(tf.random.normal(shape)) for _ in range(timing.ADAM_TENSORS)]
    gradients = [tf.random.normal(shape) for _ in variables]
    optimizer = keras.optimizers.Adam()
    optimizer.build(variables)

    @graph(variant)
    def step(gradients):
        optimizer.apply_gradients(zip(gradients, variables))

    def run(n):
        for _ in range(n):
            step(gradients)
        variables[-1][-1].numpy()

    return measure(run, "ms")


def jpeg():
    return time_epochs(
        keras.utils.image_dataset_from_directory(
            str(timing.DATA / "clothing" / "train"),
            image_size=timing.PHOTO_SIZE,
            batch_size=timing.PHOTO_BATCH,
            verbose=False,
        ),
        "ms",
    )


def jpeg_train():
    mean, deviation = tf.constant(timing.PHOTO_MEAN), tf.constant(timing.PHOTO_DEVIATION)
    photos = keras.utils.image_dataset_from_directory(
        str(timing.DATA / "clothing" / "train"),
        image_size=timing.PHOTO_SIZE,
        batch_size=timing.PHOTO_BATCH,
        verbose=False,
    )
    return time_epochs(
        photos.map(
            lambda x, y: ((tf.image.random_flip_left_right(x) - mean) / deviation, y),
            num_parallel_calls=tf.data.AUTOTUNE,
        ).prefetch(tf.data.AUTOTUNE),
        "ms",
    )


def rows(step=None):
    x = tf.random.normal((timing.ROWS, timing.ROW_WIDTH))
    shuffled = tf.data.Dataset.from_tensor_slices(x).shuffle(timing.ROWS)
    if step:
        shuffled = shuffled.map(step, num_parallel_calls=tf.data.AUTOTUNE)
    batches = shuffled.batch(timing.ROW_BATCH).prefetch(tf.data.AUTOTUNE)
    return time_epochs(batches, "us", len(batches))


def rows_map():
    mean, deviation = tf.random.normal((timing.ROW_WIDTH,)), tf.exp(tf.random.normal((timing.ROW_WIDTH,)))
    return rows(lambda x: tf.nn.relu((x - mean) / deviation))


def shuffle():
    def run(n):
        for _ in range(n):
            next(iter(tf.data.Dataset.range(timing.SHUFFLED).shuffle(timing.SHUFFLED).batch(timing.ROW_BATCH)))

    return measure(run, "ms")


def feature(values):
    kind = {float: "float_list", int: "int64_list", bytes: "bytes_list"}[type(values[0])]
    lists = {"float_list": tf.train.FloatList, "int64_list": tf.train.Int64List, "bytes_list": tf.train.BytesList}
    return tf.train.Feature(**{kind: lists[kind](value=values)})


def example_of(features):
    return tf.train.Example(
        features=tf.train.Features(feature={k: feature([v]) for k, v in features.items()})
    ).SerializeToString()


def tfrecord():
    """Whoever comes first, Brio or this, writes the file."""
    side, file = timing.RECORD_SIDE, timing.BENCH_DATA / "pictures.tfrecord"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        with tf.io.TFRecordWriter(str(file) + ".part") as writer:
            for i in range(timing.RECORDS):
                writer.write(example_of({"image": os.urandom(side * side * 3), "label": i % 10}))
        os.rename(str(file) + ".part", file)
    specs = {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)}

    def parse(record):
        found = tf.io.parse_single_example(record, specs)
        return tf.reshape(tf.io.decode_raw(found["image"], tf.uint8), (side, side, 3)), found["label"]

    records = tf.data.TFRecordDataset(str(file)).map(parse, tf.data.AUTOTUNE)
    batches = records.shuffle(timing.RECORDS).batch(timing.RECORD_BATCH).prefetch(tf.data.AUTOTUNE)
    return time_epochs(batches, "us", timing.RECORDS)


def example():
    """On one thread: the op parses a batch by itself."""
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    kinds = [
        *(("float", tf.float32) for _ in range(10)),
        *(("int", tf.int64) for _ in range(5)),
        *(("text", tf.string) for _ in range(5)),
    ]
    names = [f"{kind}_{k % 10 if kind == 'float' else k % 5}" for k, (kind, _) in enumerate(kinds)]
    values = {"float": lambda i: i + 0.5, "int": lambda i: i * 1000, "text": lambda i: b"word %d" % i}
    texts = tf.constant(
        [example_of({n: values[kind](i) for n, (kind, _) in zip(names, kinds)}) for i in range(timing.EXAMPLE_BATCH)]
    )
    specs = {n: tf.io.FixedLenFeature([], dtype) for n, (_, dtype) in zip(names, kinds)}
    parse = tf.function(lambda batch: tf.io.parse_example(batch, specs))

    def run(n):
        for _ in range(n):
            parse(texts)[names[0]].numpy()

    result = measure(run, "us")
    each = 1000 / timing.EXAMPLE_BATCH  # nanoseconds an example
    return {**result, "unit": "ns", "median": result["median"] * each, "best": result["best"] * each}


if __name__ == "__main__":
    names = (
        gd,
        gd_function,
        mlp,
        fit,
        wide,
        lstm_layer,
        lengths,
        embedding,
        embedding_adam,
        chain,
        xent,
        attention,
        attention_short,
        adam,
        jpeg,
        jpeg_train,
        rows,
        rows_map,
        shuffle,
        tfrecord,
        example,
        start,
    )
    timing.main(
        f"{tf.__version__}, Keras {keras.__version__}",
        {"packed": jpeg, **timing.networks(network), **{f.__name__: f for f in names}},
    )
