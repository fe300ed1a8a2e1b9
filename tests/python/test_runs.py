"""Runs that are cut off and go on (fit(resume=...)), and models that go from one door to the other:
C++'s tool and Python."""

import csv
import os
import pathlib
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import brio as tf
from brio import _core, _safetensors, keras

TOOL = pathlib.Path(os.environ.get("BRIO_TOOL") or pathlib.Path(tf.__file__).parents[2] / "brio")


class CutOff(Exception):
    pass


class CutAt(keras.callbacks.Callback):
    """Ends the run after so many steps of this process, which is no part of its state: 0 never does."""

    def on_train_batch_end(self, batch, logs=None):
        state = self.model.__dict__
        state["_steps_left"] -= 1
        if state["_steps_left"] == 0:
            raise CutOff


class Noisy(keras.layers.Layer):
    """A layer in Python that draws by itself."""

    def __init__(self):
        super().__init__()
        self.seed = keras.random.SeedGenerator(3)

    def call(self, x, training=False):
        return x + 0.1 * keras.random.normal(tf.shape(x), seed=self.seed) if training else x


class Own(keras.Model):
    """A subclassed model."""

    def __init__(self):
        super().__init__()
        self.first, self.noise, self.last = keras.layers.Dense(6, "relu"), Noisy(), keras.layers.Dense(2)

    def call(self, x, training=False):
        return self.last(self.noise(self.first(x), training=training))


class Far(keras.metrics.Metric):
    """A metric that is Python's."""

    def __init__(self):
        super().__init__(name="far")
        self.total = self.add_weight(name="total", initializer="zeros")

    def update_state(self, y, p, sample_weight=None):
        self.total.assign_add(tf.reduce_sum(tf.abs(y - p)))

    def result(self):
        return self.total

    def reset_state(self):
        self.total.assign(0.0)


def sequential():
    return keras.Sequential(
        [
            keras.layers.Dense(8, "relu"),
            keras.layers.BatchNormalization(),
            keras.layers.Dropout(0.3),
            keras.layers.Dense(2),
        ]
    )


def run(make, log, folder=None, cut=0, epochs=3, dataset=False):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(44, 5)).astype("float32"), rng.normal(size=(44, 2)).astype("float32")
    keras.utils.set_random_seed(4)
    model = make()
    model.compile("adam", "mse", metrics=["mae", Far()])
    model.__dict__["_steps_left"] = cut
    callbacks = [
        CutAt(), keras.callbacks.EarlyStopping("loss", patience=2, restore_best_weights=True),
        keras.callbacks.ReduceLROnPlateau("loss", patience=1, min_delta=10.0), keras.callbacks.CSVLogger(log),
    ]  # fmt: skip
    options = {} if folder is None else {"resume": folder, "save_freq": 2}
    if dataset:
        data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(44, seed=3).batch(8)
        history = model.fit(
            data, epochs=epochs, verbose=0, callbacks=callbacks, validation_data=(x[:8], y[:8]), **options
        )
    else:
        history = model.fit(
            x, y, batch_size=8, epochs=epochs, verbose=0, callbacks=callbacks, validation_split=0.2, **options
        )
    return model, history


@pytest.mark.parametrize("make", [sequential, Own])
@pytest.mark.parametrize("dataset", [False, True])
def test_a_run_that_was_cut_off_ends_with_the_same_bits(tmp_path, make, dataset):
    whole, expected = run(make, tmp_path / "whole.csv", dataset=dataset)
    for cut in (3, 5, 7, 11):
        folder, log = tmp_path / f"run{cut}", tmp_path / f"{cut}.csv"
        with pytest.raises(CutOff):
            run(make, log, folder, cut, dataset=dataset)
        again, history = run(make, log, folder, dataset=dataset)
        assert history.history == expected.history and history.epoch == expected.epoch
        assert all(np.array_equal(a, b) for a, b in zip(whole.get_weights(), again.get_weights()))
        assert all(
            np.array_equal(a.numpy(), b.numpy()) for a, b in zip(whole.optimizer.variables, again.optimizer.variables)
        )
        assert log.read_text() == (tmp_path / "whole.csv").read_text()


def test_resume_says_what_it_cannot(tmp_path):
    model = sequential()
    model.compile("sgd", "mse", run_eagerly=True)
    x, y = np.zeros((8, 3)), np.zeros((8, 2))
    with pytest.raises(ValueError, match="run_eagerly"):
        model.fit(x, y, verbose=0, resume=tmp_path / "a")
    model.compile("sgd", "mse")
    with pytest.raises(ValueError, match="save_freq is 3, but resume"):
        model.fit(x, y, verbose=0, save_freq=3)
    model.fit(x, y, verbose=0, resume=tmp_path / "a")
    other = keras.Sequential([keras.layers.Dense(3), keras.layers.Dense(2)])
    other.compile("sgd", "mse")
    with pytest.raises(ValueError, match="the checkpoint is of another model"):
        other.fit(x, y, verbose=0, resume=tmp_path / "a")


def test_sigterm_ends_a_run_in_order(tmp_path):
    script = textwrap.dedent(f"""
        import numpy as np, brio as tf
        model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
        model.compile("sgd", "mse")
        class Say(tf.keras.callbacks.Callback):
            def on_epoch_begin(self, epoch, logs=None):
                print("epoch", flush=True)
            def on_train_end(self, logs=None):
                print("the end", flush=True)
        x, y = np.ones((64, 3)), np.ones((64, 2))
        model.fit(x, y, epochs=10**7, verbose=0, callbacks=[Say()], resume={str(tmp_path / "run")!r})
    """)
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(5):
        child.stdout.readline()
    child.send_signal(signal.SIGTERM)
    out, err = child.communicate(timeout=60)
    assert child.returncode == -signal.SIGTERM
    assert "the end" in out and "stopped by SIGTERM after step" in err and "saved as" in err
    assert list((tmp_path / "run").glob("step-*.json"))


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(1)
    rows = [(a, b, "high" if a + b > 0 else "low") for a, b in rng.normal(size=(120, 2)).round(3)]
    with open(tmp_path / "t.csv", "w", newline="") as file:
        csv.writer(file).writerows([("a", "b", "kind"), *rows])
    return tmp_path / "t.csv"


def tool(*words):
    done = subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_model_of_the_tool_loads_in_python(tmp_path, table):
    tool("fit", table, "--out", tmp_path / "run", "--epochs", 20, "--json")
    said = list(csv.DictReader(tool("predict", tmp_path / "run" / "model.keras", table, "--all").splitlines()))
    model = keras.models.load_model(tmp_path / "run" / "model.keras")
    with open(table) as file:
        x = np.array([[float(r["a"]), float(r["b"])] for r in csv.DictReader(file)], "float32")
    found = model.predict(x, verbose=0)
    assert np.allclose(found, [[float(r["high"]), float(r["low"])] for r in said], rtol=1e-5, atol=1e-6)
    assert type(model.optimizer).__name__ == "AdamW" and int(model.optimizer.iterations) > 0
    model.fit(x, np.zeros(len(x)), verbose=0)  # it trains on
    model.save(tmp_path / "again.keras")  # and what Python saves, the tool trains further
    tool("fit", table, "--model", tmp_path / "again.keras", "--epochs", 1, "--json")


def test_weights_go_both_ways(tmp_path):
    """The names in weight files are those of C++ and of Python alike."""
    inner = keras.Sequential([keras.Input((6,)), keras.layers.Dense(4), keras.layers.Dense(3)])
    x = keras.Input((7, 5))
    y = keras.layers.MultiHeadAttention(2, 3)(x, x)
    y = keras.layers.Bidirectional(keras.layers.LSTM(3))(y)
    model = keras.Model(x, inner(y))
    model.save_weights(tmp_path / "w.safetensors")
    names = set(_safetensors.load(tmp_path / "w.safetensors"))
    assert names == {name for name, _ in _core._weight_paths(model._handle)}


FIXTURES = pathlib.Path(__file__).parent / "fixtures"


@pytest.mark.parametrize("name", ["dense", "branches", "sequence", "pictures", "nested"])
def test_what_keras_wrote_loads_in_cpp(tmp_path, name):
    model = keras.models.load_model(FIXTURES / f"{name}.keras")
    loaded = dict(_core._weight_paths(_core._load_model_in_cpp(str(FIXTURES / f"{name}.keras"))))
    model.save_weights(tmp_path / "w.safetensors")
    expected = {
        k: v for k, v in _safetensors.load(tmp_path / "w.safetensors").items() if not k.startswith("optimizer/")
    }
    assert loaded.keys() == expected.keys() and len(loaded) > 0
    assert all(np.array_equal(loaded[k].numpy(), v) for k, v in expected.items())
    model.save(tmp_path / "m.keras")  # and what Python writes
    again = dict(_core._weight_paths(_core._load_model_in_cpp(str(tmp_path / "m.keras"))))
    assert all(np.array_equal(again[k].numpy(), v) for k, v in expected.items())


def test_inputs_by_name_load_in_cpp(tmp_path):
    x, m = keras.Input((4, 6)), keras.Input((4, 4), dtype="bool")
    model = keras.Model([x, m], keras.layers.MultiHeadAttention(2, 3)(x, value=x, attention_mask=m))
    model.save(tmp_path / "m.keras")
    handle = _core._load_model_in_cpp(str(tmp_path / "m.keras"))
    assert len(_core._weight_paths(handle)) == len(model.weights)


def test_cpp_says_what_it_cannot_load():
    with pytest.raises(ValueError, match="there is no layer 'Block'"):
        _core._load_model_in_cpp(str(FIXTURES / "own.keras"))
