"""Loops that grow in the ways of which people ask, and what Brio says of them."""

import inspect

import numpy as np
import pytest

import brio as tf
from brio import _core


@pytest.fixture(autouse=True)
def often():
    _core._sample_every(0.005)
    yield
    _core._sample_every(0.5)


def line_after(offset=0):
    return f"test_drift.py:{inspect.currentframe().f_back.f_lineno + 1 + offset}"


class Layer:
    def __init__(self):
        self.w = tf.Variable(tf.random.normal([256, 256], seed=1) * 0.05)
        self.x = tf.random.normal([64, 256], seed=2)
        self.optimizer = tf.keras.optimizers.SGD(1e-3)

    def loss(self):
        return tf.reduce_mean(tf.square(tf.matmul(self.x, self.w)))


def until_told(capsys, steps):
    """Runs steps until something is said; what that was."""
    said = ""
    for _ in range(20000):
        next(steps)
        said += capsys.readouterr().err
        if said:
            return said
    return said


def test_a_tape_that_is_left_open_is_named_with_the_line_of_the_loop(capsys):
    layer = Layer()
    where = []

    def steps():
        with tf.GradientTape(persistent=True) as tape:
            while True:
                loss = layer.loss()
                gradients = tape.gradient(loss, [layer.w])
                where[:] = [line_after()]
                layer.optimizer.apply_gradients(zip(gradients, [layer.w]))
                yield

    said = until_told(capsys, steps())
    assert said.startswith(f"brio: [drift] recorded graph is being extended in your loop at {where[0]}: +"), said
    assert " ops a step since step " in said and said.count("\n") == 1


def test_tensors_that_are_kept_in_a_list(capsys):
    layer, kept = Layer(), []

    @tf.function
    def train(x):
        with tf.GradientTape() as tape:
            made = tf.matmul(x, layer.w)
            loss = tf.reduce_mean(tf.square(made))
        layer.optimizer.apply_gradients(zip(tape.gradient(loss, [layer.w]), [layer.w]))
        return made

    where = []

    def steps():
        while True:
            where[:] = [line_after()]
            kept.append(train(layer.x))
            yield

    said = until_told(capsys, steps())
    assert said.startswith(f"brio: [drift] tensors that are kept by your loop at {where[0]}: +65."), said  # kB
    assert "losses.append(float(loss))" in said and said.count("\n") == 1


def test_variables_that_are_made_in_the_loop(capsys):
    layer, made = Layer(), []

    def steps():
        while True:
            made.append(tf.Variable(tf.zeros([256, 64])))
            with tf.GradientTape() as tape:
                loss = layer.loss() + tf.reduce_mean(made[-1])
            layer.optimizer.apply_gradients(zip(tape.gradient(loss, [layer.w]), [layer.w]))
            yield

    said = until_told(capsys, steps())
    assert said.startswith("brio: [drift] variables that are made in your loop at test_drift.py:"), said
    assert ": +65." in said and " kB a step since step " in said and said.count("\n") == 1


def test_state_of_new_variables(capsys):
    layer, kept = Layer(), []

    def steps():
        while True:
            with tf.GradientTape() as tape:
                loss = layer.loss()
            layer.optimizer.apply_gradients(zip(tape.gradient(loss, [layer.w]), [layer.w]))
            kept.append(tf.keras.optimizers.Adam())
            kept[-1].build([layer.w])
            yield

    said = until_told(capsys, steps())
    assert said.startswith("brio: [drift] optimizer state of new variables: +52"), said  # kB


def test_a_graph_that_a_loop_extends(capsys):
    v1 = tf.compat.v1
    x = np.ones([64, 256], np.float32)
    with tf.Graph().as_default(), v1.Session() as session:
        fed = v1.placeholder(tf.float32, [64, 256])
        w = v1.get_variable("w", [256, 256])
        loss = tf.reduce_mean(tf.square(tf.matmul(fed, w)))
        train = v1.train.GradientDescentOptimizer(0.01).minimize(loss)
        session.run(v1.global_variables_initializer())
        for _ in range(500):  # as it should be
            session.run([train, loss], {fed: x})
        assert capsys.readouterr().err == ""
        for _ in range(300):
            session.run(train, {fed: x})
            where = line_after()
            session.run(loss * 2.0, {fed: x})
    said = capsys.readouterr().err
    assert said.startswith(
        f"brio: [drift] recorded graph is being extended in your loop at {where}: +0.5 ops a run since run 503"
    ), said
    assert said.count("\n") == 1


def test_a_shuffle_buffer_that_is_too_large(capsys):
    def rows():
        for _ in range(10**6):
            yield np.zeros(256, np.float32), np.zeros(1, np.float32)

    spec = (tf.TensorSpec([256], tf.float32), tf.TensorSpec([1], tf.float32))
    options = tf.data.Options()
    options.autotune.ram_budget = 16 << 20
    batches = (
        tf.data.Dataset.from_generator(rows, output_signature=spec).shuffle(500_000).batch(64).with_options(options)
    )
    model = tf.keras.Sequential([tf.keras.layers.Dense(256, "relu"), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    with pytest.raises(Exception, match="does not fit the RAM budget"):
        model.fit(batches, verbose=0)
    assert "brio: [drift] shuffle buffer too large: " in capsys.readouterr().err


def test_nothing_is_said_of_healthy_loops(capsys):
    x = np.random.default_rng(1).normal(size=(6400, 64)).astype("float32")
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(256, "relu"), tf.keras.layers.Dropout(0.1), tf.keras.layers.Dense(1)]
    )
    model.compile("adam", "mse")
    model.fit(x, x[:, :1], batch_size=64, epochs=100, verbose=0, validation_split=0.1)
    layer, losses = Layer(), []
    for _ in range(2000):
        with tf.GradientTape() as tape:
            loss = layer.loss()
        layer.optimizer.apply_gradients(zip(tape.gradient(loss, [layer.w]), [layer.w]))
        losses.append(float(loss))
    assert capsys.readouterr().err == ""
