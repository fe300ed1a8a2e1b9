"""Threads side by side: models that train, functions that are traced and called, tapes beside eager code. Whatever the
others do, each gets what it gets alone. A second or so each."""

import subprocess
import sys
import threading
import time

import numpy as np

import brio as tf

SECONDS = 1.0


def side_by_side(*jobs):
    """Runs jobs in threads of their own, all begun at once; raises what one of them raised."""
    failures, begin = [], threading.Barrier(len(jobs))

    def run(job):
        try:
            begin.wait()
            job()
        except BaseException as error:  # noqa: BLE001  it is raised below
            failures.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "a thread hangs"
    if failures:
        raise failures[0]


def for_a_while():
    end = time.monotonic() + SECONDS
    i = 0
    while time.monotonic() < end:
        yield i
        i += 1


def small_model(seed, units):
    rng = np.random.default_rng(seed)
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(units, "tanh"), tf.keras.layers.Dense(1)])
    model.set_weights([rng.normal(size=w.shape).astype("float32") for w in model.get_weights()])
    model.compile("adam", "mse", metrics=["mae"])
    return model


def trained(seed, units, epochs):
    x = np.random.default_rng(seed).normal(size=(40, 3)).astype("float32")
    model = small_model(seed, units)
    losses = model.fit(x, x[:, :1], batch_size=8, epochs=epochs, shuffle=False, verbose=0).history["loss"]
    return [*model.get_weights(), np.array(losses), model.predict(x, verbose=0)]


def test_models_train_side_by_side():
    kinds = [(1, 4), (2, 7), (3, 4)]
    alone = {kind: trained(*kind, 30) for kind in kinds}

    def job(kind):
        for _ in for_a_while():
            for found, wanted in zip(trained(*kind, 30), alone[kind]):
                np.testing.assert_array_equal(found, wanted)

    side_by_side(*(lambda kind=kind: job(kind) for kind in kinds))


def test_a_function_is_called_while_others_trace_it():
    w = tf.Variable([2.0])

    @tf.function
    def f(x, k):
        total = tf.reduce_sum(x) * w
        return (total, x * k) if x.shape[0] % 2 else {"sum": total, "scaled": x * k}

    def job(first):
        for i in for_a_while():
            n, k = 1 + (first + i) % 17, float(i % 3)
            x = np.arange(n, dtype="float32")
            found = f(tf.constant(x), k)
            total, scaled = found if n % 2 else (found["sum"], found["scaled"])
            np.testing.assert_array_equal(total.numpy(), [2 * x.sum()])
            np.testing.assert_array_equal(scaled.numpy(), x * k)

    side_by_side(*(lambda first=first: job(first) for first in (0, 5, 5, 11)))


def test_a_tape_follows_its_own_thread_alone():
    v = tf.Variable(3.0)

    def with_tape():
        for i in for_a_while():
            with tf.GradientTape() as tape:
                y = v * v * float(i % 5)
                time.sleep(0)  # let the others go on
                y = tf.sin(y) * v
            x = 9.0 * (i % 5)
            wanted = np.sin(x) + 3 * np.cos(x) * 6 * (i % 5)
            np.testing.assert_allclose(tape.gradient(y, v).numpy(), wanted, rtol=2e-4, atol=2e-4)

    def eager():
        for i in for_a_while():
            x = tf.constant(np.full((4, 4), float(i % 7), "float32"))
            found = tf.reduce_sum(tf.matmul(x, x) + v * 0.0 + v)
            assert float(found) == 16 * (4 * (i % 7) ** 2 + 3)

    side_by_side(with_tape, eager, with_tape, eager)


def test_datasets_are_read_side_by_side():
    dataset = tf.data.Dataset.range(40).map(lambda x: x * 3, num_parallel_calls=2).batch(7).prefetch(2)

    def job():
        for _ in for_a_while():
            found = np.concatenate([batch.numpy() for batch in dataset])
            np.testing.assert_array_equal(found, np.arange(40) * 3)

    side_by_side(job, job, job)


def test_a_generator_that_walks_a_dataset_may_be_left_in_the_middle():
    """The thread that runs it waits for its dataset while the pipeline around it goes away:
    it ends as a generator that is closed."""
    ended = []

    def slow(x):
        time.sleep(0.05)
        return x

    def walk():
        try:
            for x in tf.data.Dataset.range(100).map(lambda x: tf.py_function(slow, [x], tf.int64)):  # noqa: UP028  a loop of its own
                yield x
        except Exception as error:  # none comes, as it is no error
            ended.append(error)
            raise
        finally:
            ended.append("left")

    for _ in range(3):
        numbers = iter(tf.data.Dataset.from_generator(walk, output_signature=tf.TensorSpec((), tf.int64)).prefetch(8))
        assert int(next(numbers)) == 0
        del numbers
    assert ended == ["left"] * 3


def test_a_program_ends_that_holds_an_iterator_by_its_dataset_alone():
    """The function of the dataset holds the iterator, which holds the dataset:
    they go together, when the interpreter ends."""
    program = """
import brio as tf
def run():
    names = {"tf": tf}
    exec("numbers = tf.data.Dataset.range(100).map(lambda x: x + 1).as_numpy_iterator(); next(numbers)", names)
run()
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
