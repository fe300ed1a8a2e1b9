"""Nothing grows: not by arguments that change in every call, not by shapes, not by models that come and go."""

import gc
import time

import numpy as np

import brio as tf


def resident_kb():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4


def test_a_function_of_numbers_that_change_stays_quick_and_small():
    calls = []

    @tf.function
    def f(x, n):
        calls.append(n)
        return x * float(n)

    x = tf.ones([100])
    for n in range(3000):
        f(x, n)
    assert f.experimental_get_tracing_count() == 3000 and len(calls) == 3000
    assert f(x, 2999)[0].numpy() == 2999.0 and len(calls) == 3000  # the newest are there
    assert f(x, 0)[0].numpy() == 0.0 and len(calls) == 3001  # the oldest is traced again
    # Looking an old one up costs the same as the newest, however many there are.
    kept = list(range(2000, 3000))
    best = min(_seconds(lambda: [f(x, n) for n in kept]) / len(kept) for _ in range(3))
    newest = min(_seconds(lambda: [f(x, 2999) for _ in kept]) / len(kept) for _ in range(3))
    assert best < 8 * newest + 2e-5


def _seconds(f):
    began = time.perf_counter()
    f()
    return time.perf_counter() - began


def test_a_function_keeps_apart_what_is_not_equal():
    @tf.function
    def kind(x, n):
        return tf.constant(type(n).__name__)

    values = [1, 1.0, True, "1", None, (1,), [1], {"a": 1}, {"a": 2}]
    names = [kind(tf.ones([1]), v).numpy().decode() for v in values]
    assert names == [type(v).__name__ for v in values]
    assert [kind(tf.ones([1]), v).numpy().decode() for v in values] == names
    assert kind.experimental_get_tracing_count() == len(values)


def test_models_that_come_and_go_beside_an_unread_tensor_leave_nothing():
    x = np.random.default_rng(1).normal(size=(64, 8)).astype("float32")
    unread = tf.ones([3]) * 2.0 + 1.0

    def one():
        model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(128), tf.keras.layers.Dense(1)])
        model.compile("adam", "mse")
        model.fit(x, x[:, :1], batch_size=32, verbose=0)

    for _ in range(400):
        one()
    gc.collect()
    before = resident_kb()
    for _ in range(600):
        one()
    gc.collect()
    assert (resident_kb() - before) / 600 < 1.5  # kilobytes a model; a leak of its weights is 15
    assert unread.numpy().tolist() == [3.0, 3.0, 3.0]
