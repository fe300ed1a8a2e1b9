"""A part of the round trips of models (round_trips.py has them all: make round-trips),
and what was once lost on the way."""

import pathlib
import sys
import warnings

import numpy as np
import pytest

import brio as tf
import round_trips
from brio import keras

L = keras.layers


def test_round_trips():
    done, failed = round_trips.run(share=0.02, seed=20, only=None)
    assert not failed, "\n".join(failed)
    assert done > 400


def test_every_layer_has_a_row():
    assert len({case.name for case in round_trips.cases()}) > 100


def weights_like(model, seed):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=w.shape).astype(w.dtype) for w in model.get_weights()]


@pytest.mark.parametrize(
    "make",
    [round_trips.branches, round_trips.residual, round_trips.nested, round_trips.two_inputs, round_trips.transformer],
)
def test_weights_are_in_the_order_of_layers(make):
    model = make()
    by_layers = [w.path for layer in model.layers for w in layer.weights]
    assert [w.path for w in model.weights] == by_layers
    values = weights_like(model, 1)
    model.set_weights(values)
    at = 0
    for layer in model.layers:
        for value in layer.get_weights():
            assert np.array_equal(value, values[at])
            at += 1
    assert at == len(values)


def test_the_order_is_that_of_keras():
    """As Keras 3.15 lists it: the furthest from the output first, though it was made last."""
    x = keras.Input((130,))
    short = L.Dense(120, name="short")(x)
    long = L.Dense(120, name="long_2")(L.Dense(110, name="long_1")(x))
    model = keras.Model(x, L.Dense(2, name="end")(L.Add(name="sum")([short, long])))
    assert [layer.name for layer in model.layers[1:]] == ["long_1", "short", "long_2", "sum", "end"]
    assert [w.path.split("/")[0] for w in model.weights] == ["long_1"] * 2 + ["short"] * 2 + ["long_2"] * 2 + [
        "end"
    ] * 2


def test_trained_weights_of_one_layer_come_before_the_others():
    model = keras.Sequential([keras.Input((130,)), round_trips.Scale()])
    assert [w.path.split("/")[-1] for w in model.weights] == ["factor", "shift", "count"]


# ---- models that could be saved and not loaded


def fitted(compiled="adam"):
    model = keras.Sequential([L.Dense(140, "relu"), L.Dropout(0.2), L.Dense(2)])
    model.compile(compiled, "mse")
    model.fit(round_trips.sample("rows"), np.ones((8, 2)), verbose=0)
    return model


def test_a_checkpoint_callback_writes_what_loads(tmp_path):
    model = keras.Sequential([keras.Sequential([L.Dense(140), L.BatchNormalization()]), L.Dense(2)])
    model.compile("adam", "mse")
    x = round_trips.sample("rows")
    model.fit(
        x,
        np.ones((8, 2)),
        epochs=2,
        verbose=0,
        callbacks=[keras.callbacks.ModelCheckpoint(tmp_path / "{epoch}.keras", monitor="loss")],
    )
    loaded = keras.models.load_model(tmp_path / "2.keras")
    assert np.array_equal(model.predict(x, verbose=0), loaded.predict(x, verbose=0))
    assert (
        model.fit(x, np.ones((8, 2)), shuffle=False, verbose=0).history
        == loaded.fit(x, np.ones((8, 2)), shuffle=False, verbose=0).history
    )
    assert loaded.input_shape == (None, 130) and model.inputs[0].shape == (None, 130)


def test_texts_into_a_sequential_without_input(tmp_path):
    vector = L.TextVectorization(output_sequence_length=4)
    vector.adapt(["red green", "blue"])
    model = keras.Sequential([vector, L.Embedding(150, 110), L.Flatten(), L.Dense(1)])
    x = np.array(["red blue", "green"])
    before = model(tf.constant(x)).numpy()
    model.save(tmp_path / "m.keras")
    assert np.array_equal(keras.models.load_model(tmp_path / "m.keras")(tf.constant(x)).numpy(), before)


def test_weights_of_before_fit_after_it_and_of_another_optimizer(tmp_path):
    model = fitted()
    untrained = keras.Sequential([keras.Input((130,)), L.Dense(140, "relu"), L.Dropout(0.2), L.Dense(2)])
    untrained.compile("adam", "mse")
    untrained.save_weights(tmp_path / "before.weights.h5")
    with pytest.warns(UserWarning, match="optimizer begins anew"):
        model.load_weights(tmp_path / "before.weights.h5")
    assert all(np.array_equal(a, b) for a, b in zip(model.get_weights(), untrained.get_weights()))
    fitted().save_weights(tmp_path / "adam.weights.h5")
    other = fitted("sgd")
    with pytest.warns(UserWarning, match="optimizer begins anew"):
        other.load_weights(tmp_path / "adam.weights.h5")


@pytest.mark.parametrize("ending", [".weights.h5", ".safetensors"])
def test_a_load_that_fails_changes_nothing(tmp_path, ending):
    keras.Sequential([keras.Input((130,)), L.Dense(120), L.Dense(3)]).save_weights(tmp_path / f"w{ending}")
    model = keras.Sequential([keras.Input((130,)), L.Dense(120), L.Dense(2)])
    before = model.get_weights()
    with pytest.raises(ValueError, match="does not fit the model, which was left as it was"):
        model.load_weights(tmp_path / f"w{ending}")
    assert all(np.array_equal(a, b) for a, b in zip(model.get_weights(), before))


def test_a_failed_restore_changes_nothing(tmp_path):
    path = tf.train.Checkpoint(a=tf.Variable(np.ones(150)), b=tf.Variable(np.ones(3))).save(tmp_path / "ck")
    a = tf.Variable(np.zeros(150))
    with pytest.raises(ValueError, match="nothing was restored"):
        tf.train.Checkpoint(a=a, b=tf.Variable(np.zeros(2))).restore(path)
    assert a.numpy().sum() == 0


class Unbuilt(keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.second = L.Dense(140), L.Dense(2)

    def call(self, x):
        return self.second(self.first(x))


def step(model, optimizer, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x)))
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return float(loss)


@pytest.mark.parametrize("make", [Unbuilt, lambda: keras.Sequential([L.Dense(140), L.Dense(2)]), lambda: L.Dense(120)])
def test_a_checkpoint_is_restored_before_there_are_weights(tmp_path, make):
    """As TensorFlow's guide does it: restore(), then the loop, which makes weights and slots."""
    x = round_trips.sample("rows")
    model, optimizer = make(), keras.optimizers.Adam(0.01)
    for _ in range(3):
        step(model, optimizer, x)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(model=model, optimizer=optimizer), tmp_path, 2)
    manager.save()
    want = [step(model, optimizer, x) for _ in range(3)]
    model, optimizer = make(), keras.optimizers.Adam(0.01)
    tf.train.Checkpoint(model=model, optimizer=optimizer).restore(tf.train.latest_checkpoint(tmp_path))
    assert [step(model, optimizer, x) for _ in range(3)] == want
    assert int(optimizer.iterations) == 6


def test_fit_restores_what_waits(tmp_path):
    x, y = round_trips.sample("rows"), np.ones((8, 2), "float32")

    def compiled():
        model = Unbuilt()
        model.compile(keras.optimizers.Adam(0.01), "mse")
        return model

    model = compiled()
    model.fit(x, y, verbose=0)
    path = tf.train.Checkpoint(model=model).save(tmp_path / "ck")
    other = compiled()
    tf.train.Checkpoint(model=other).restore(path)
    assert model.fit(x, y, verbose=0, shuffle=False).history == other.fit(x, y, verbose=0, shuffle=False).history


# ---- going on after a cut


class Cut(keras.callbacks.Callback):
    def __init__(self, after):
        super().__init__()
        self.left = after

    def on_train_batch_end(self, batch, logs=None):
        self.left -= 1
        if self.left == 0:
            raise InterruptedError


@pytest.mark.parametrize("save_freq, eager", [("epoch", False), (4, False), (3, False), (4, True)])
def test_a_run_that_was_cut_off_ends_as_if_it_had_not_been(tmp_path, save_freq, eager):
    x, y = np.random.default_rng(0).normal(size=(36, 130)).astype("float32"), np.ones((36, 2), "float32")

    def run(cut):
        keras.utils.set_random_seed(5)
        model = keras.Sequential(
            [keras.Input((130,)), L.Dense(120), L.Dropout(0.3), L.Dropout(0.3, seed=2), L.Dense(2)]
        )
        model.compile(keras.optimizers.Adam(0.01), "mse", run_eagerly=eager)
        backup = keras.callbacks.BackupAndRestore(tmp_path / "backup", save_freq=save_freq)
        callbacks = [backup, Cut(cut)] if cut else [backup]
        model.fit(x, y, batch_size=4, epochs=3, verbose=0, shuffle=not eager, callbacks=callbacks)
        return model.get_weights()

    want = run(None)
    for cut in (1, 13, 5, 9):
        if cut == 9:
            keras.utils.set_random_seed(6)  # of a process that begins with other random numbers
        with pytest.raises(InterruptedError):
            run(cut)
    got = run(None)
    assert all(np.array_equal(a, b) for a, b in zip(want, got))
    assert not (tmp_path / "backup").exists()


def test_a_backup_is_one_file(tmp_path):
    x, y = np.ones((36, 130)), np.ones((36, 2))
    model = keras.Sequential([keras.Input((130,)), L.Dense(2)])
    model.compile("adam", "mse")
    backup = keras.callbacks.BackupAndRestore(tmp_path, save_freq=4, double_checkpoint=True, delete_checkpoint=False)
    model.fit(x, y, batch_size=4, epochs=2, verbose=0, callbacks=[backup])
    from brio.keras import saving

    state = saving.load_backup(model, tmp_path / "latest.weights.h5")
    assert (state["epoch"], state["step"]) == (1, 7) and saving.load_backup(model, tmp_path / "latest.weights.h5.bkp")[
        "step"
    ] == 3
    whole = (tmp_path / "latest.weights.h5").read_bytes()
    (tmp_path / "latest.weights.h5").write_bytes(whole[:3000] + b"?" + whole[3001:])
    again = keras.callbacks.BackupAndRestore(tmp_path, save_freq=4, double_checkpoint=True)
    seen = []
    watch = keras.callbacks.LambdaCallback(on_train_batch_begin=lambda batch, logs: seen.append(batch))
    model.fit(x, y, batch_size=4, epochs=2, verbose=0, callbacks=[again, watch])
    assert seen[0] == 3  # from the copy


# ---- batteries

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "battery"))


@pytest.mark.parametrize("job, count", [("flip", 60), ("kill", 11), ("full_disk", 10)])
def test_battery(job, count):
    import battery

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problems = getattr(battery, job)(count, 3, None, **({"most": 3} if job == "kill" else {}))
    assert not problems, "\n".join(problems)


def test_leftovers_go_and_living_files_stay(tmp_path):
    import subprocess

    dead, mine = tmp_path / "m.keras.77.0.brio-part", tmp_path / "film.2020.1.part"
    dead.write_bytes(b"half a model")
    mine.write_bytes(b"of the user's")
    path, handle = tf._core._file_aside(str(tmp_path / "other"))  # this process writes it
    code = (
        "from brio import keras; keras.Sequential([keras.Input((2,)), "
        f"keras.layers.Dense(1)]).save({str(tmp_path / 'm.keras')!r})"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert not dead.exists() and mine.exists() and pathlib.Path(path).exists()
    import os

    os.close(handle)


def test_flushed_records_are_there(tmp_path):
    import subprocess

    path = str(tmp_path / "r.tfrecord")
    code = f"""
import os, brio as tf
w = tf.io.TFRecordWriter({path!r})
for i in range(100): w.write(b"%d" % i)
w.flush()
assert len(list(tf.data.TFRecordDataset({path!r}))) == 100
w.write(b"later")
os._exit(0)"""
    subprocess.run([sys.executable, "-c", code], check=True)
    assert [r.numpy() for r in tf.data.TFRecordDataset(path)] == [b"%d" % i for i in range(100)]
    with tf.io.TFRecordWriter(path, "GZIP") as writer:
        writer.write(b"a")
        writer.flush()
        writer.write(b"b")
    assert [r.numpy() for r in tf.data.TFRecordDataset(path, "GZIP")] == [b"a", b"b"]


def test_files_of_others_have_no_checksum_and_load(tmp_path):
    model = fitted()
    model.save_weights(tmp_path / "w.weights.h5")
    data = (tmp_path / "w.weights.h5").read_bytes()
    assert data[-21:-9] == b"BRIO-CRC32C "
    (tmp_path / "plain.weights.h5").write_bytes(data[:-21])
    model.load_weights(tmp_path / "plain.weights.h5")
    exchange = pathlib.Path(__file__).parent / "fixtures"
    assert list(exchange.glob("*.keras")) and keras.models.load_model(next(exchange.glob("dense.keras"))).built
