"""Nothing leaks, hangs or crashes: garbage, threads, signals, fork, pickle, and nonsense as arguments."""

import copy
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import brio as tf

keras = tf.keras


class Doubled(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(2)

    def call(self, x):
        return self.dense(x) * 2


class Subclassed(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = Doubled()

    def call(self, x):
        return self.inner(x)


def functional():
    x = keras.Input((2,))
    return keras.Model(x, Doubled()(x) + 1)


@pytest.mark.parametrize("make", [Subclassed, functional, lambda: keras.Sequential([Doubled(), keras.layers.Dense(2)])])
def test_a_model_goes_when_nobody_holds_it(make):
    model = make()
    model.compile("sgd", "mse")
    model.fit(np.ones((8, 2)), np.ones((8, 2)), verbose=0)
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_a_layer_that_only_the_graph_holds_lives():
    model = functional()
    gc.collect()
    assert model(np.ones((3, 2), np.float32)).shape == (3, 2)


def test_steps_do_not_grow():
    v = tf.Variable(tf.zeros([4]))
    optimizer = keras.optimizers.Adam()

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(v - x))
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])
        return loss

    def resident():
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    x = tf.ones([4])
    for _ in range(2000):
        step(x)
    gc.collect()
    objects, before = len(gc.get_objects()), resident()
    for _ in range(20000):
        step(x)
    gc.collect()
    assert len(gc.get_objects()) <= objects + 50
    assert resident() - before < 1 << 20
    assert step.experimental_get_tracing_count() == 1


def test_threads_train_models_of_their_own():
    failures = []

    def work():
        try:
            model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
            model.compile("adam", "mse")
            model.fit(np.random.rand(256, 4), np.random.rand(256), epochs=5, verbose=0)
        except BaseException as error:  # noqa: BLE001  it is shown below
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures and not any(t.is_alive() for t in threads)


def interrupted(call):
    """Calls it, sends Ctrl-C while it runs, and expects that it ends soon."""
    sent = []

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.3, send)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    assert time.monotonic() - sent[0] < 5  # a tenth of a second on a quiet machine
    timer.join()


def test_control_c_stops_fit_and_leaves_the_model_usable():
    model = keras.Sequential([keras.layers.Dense(64), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    x, y = np.random.rand(2000, 100), np.random.rand(2000)
    model.fit(x, y, verbose=0)
    interrupted(lambda: model.fit(x, y, epochs=1000000, verbose=0))
    assert model.fit(x, y, verbose=0).history["loss"]


def test_control_c_stops_a_dataset_that_gives_nothing():
    none = tf.data.Dataset.range(10**12).filter(lambda x: x < 0)
    interrupted(lambda: list(none.batch(4).prefetch(2)))
    interrupted(lambda: next(iter(none.ignore_errors())))


def test_control_c_stops_waiting_for_a_slow_element():
    go_on = threading.Event()

    def slow(x):
        if x == 3:  # the first two are looked at when the dataset is described
            go_on.wait(60)
        return x

    late = tf.data.Dataset.range(4).map(lambda x: tf.py_function(slow, [x], tf.int64), num_parallel_calls=2).prefetch(2)
    iterator = iter(late)
    assert [int(next(iterator)) for _ in range(3)] == [0, 1, 2]
    interrupted(lambda: next(iterator))
    go_on.set()
    assert int(next(iterator)) == 3  # nothing was lost


def test_fork_after_use():
    x = tf.constant([1.0, 2.0])
    float(tf.reduce_sum(x))
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, str(float(tf.reduce_sum(x * 2))).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        assert answer.read() == "6.0"
    os.waitpid(child, 0)


def test_spawned_processes():
    code = (
        "import brio as tf, multiprocessing as m\ndef f(x): return float(tf.reduce_sum(x))\n"
        "if __name__ == '__main__':\n"
        "  with m.get_context('fork').Pool(2) as p: print(p.map(f, [tf.constant([1.0, 2.0])] * 3))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[3.0, 3.0, 3.0]", done.stderr


@pytest.mark.parametrize("value", [[1.5, 2.5], [[1, 2], [3, 4]], [True], ["a", "bc"], 3.0])
def test_tensors_are_pickled(value):
    x = tf.constant(value)
    again = pickle.loads(pickle.dumps(x))
    assert again.dtype == x.dtype and again.shape == x.shape
    assert np.array_equal(again.numpy(), x.numpy())


def test_copies():
    x, v = tf.constant([1.0]), tf.Variable([1.0])
    assert copy.copy(x) is x and copy.deepcopy(x) is x  # they cannot change
    other = copy.deepcopy(v)
    other.assign([5.0])
    assert float(v[0]) == 1.0
    assert pickle.loads(pickle.dumps(tf.int64)) == tf.int64


def test_exceptions_of_callbacks_layers_and_losses_reach_the_caller():
    class Broken(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            raise KeyError("from the callback")

    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    with pytest.raises(KeyError, match="from the callback"):
        model.fit(np.ones((4, 2)), np.ones(4), verbose=0, callbacks=[Broken()])

    def loss(y_true, y_pred):
        raise ZeroDivisionError("from the loss")

    model.compile("sgd", loss)
    with pytest.raises(ZeroDivisionError, match="from the loss"):
        model.fit(np.ones((4, 2)), np.ones(4), verbose=0)

    class BrokenLayer(keras.layers.Layer):
        def call(self, x):
            raise LookupError("from the layer")

    with pytest.raises(LookupError, match="from the layer"):
        keras.Sequential([BrokenLayer()])(np.ones((1, 1)))


def test_a_list_that_holds_itself():
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="deeper"):
        tf.constant(endless)
    with pytest.raises((RecursionError, ValueError)):
        tf.function(lambda x: 0)(endless)


def test_more_memory_than_there_is():
    with pytest.raises(tf.errors.ResourceExhaustedError):
        tf.zeros([10**12]).numpy()


def test_a_name_that_does_not_exist():
    with pytest.raises(AttributeError, match="did you mean tf.floor"):
        tf.flor  # noqa: B018


@pytest.mark.parametrize("module, name, near", [
    ("layers", "Desne", "Dense"), ("optimizers", "Adm", "Adam"), ("optimizers.schedules", "CosineDecy", "CosineDecay"),
    ("losses", "Hubr", "Huber"), ("metrics", "Acuracy", "Accuracy"), ("activations", "rellu", "relu"),
    ("initializers", "GlorotUnifrm", "GlorotUniform"), ("regularizers", "L1L3", "L1L2"),
    ("constraints", "MaxNrm", "MaxNorm"), ("models", "Sequental", "Sequential"), ("saving", "lod_model", "load_model"),
    ("callbacks", "EarlyStoping", "EarlyStopping"), ("mixed_precision", "set_globl_policy", "set_global_policy"),
    ("utils", "to_categoricl", "to_categorical"), ("dtype_policies", "DTypePolcy", "DTypePolicy"),
    ("random", "nromal", "normal"), ("ops", "matmull", "matmul"), ("", "Sequental", "Sequential"),
])  # fmt: skip
def test_an_unknown_name_of_keras_says_what_is_near(module, name, near):
    where = tf.keras
    for part in filter(None, module.split(".")):
        where = getattr(where, part)
    shown = ".".join(filter(None, ("tf.keras", module)))
    with pytest.raises(AttributeError, match=f"brio has no {shown}.{name}; did you mean {shown}.{near}"):
        getattr(where, name)
