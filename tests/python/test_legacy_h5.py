"""Whole models and weights in .h5 files: both ways in Brio, and as Keras wrote them."""

import pathlib

import numpy as np
import pytest

import brio as tf

keras = tf.keras
FIXTURE = pathlib.Path(__file__).parent / "fixtures" / "keras_model.h5"


def functional():
    inputs = keras.Input((32,), name="inputs")
    hidden = keras.layers.BatchNormalization()(keras.layers.Dense(120, activation="relu")(inputs))
    model = keras.Model(inputs, keras.layers.Add()([keras.layers.Dense(16)(hidden), keras.layers.Dense(16)(inputs)]))
    model.compile("adam", "mse", metrics=["mae"])
    return model


def sequential():
    model = keras.Sequential(
        [
            keras.Input((8, 8, 3)),
            keras.layers.Conv2D(101, 3, activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dense(5),
        ]
    )
    model.compile(keras.optimizers.SGD(0.1, momentum=0.9), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


DATA = {
    functional: (np.linspace(-1, 1, 64 * 32).reshape(64, 32), np.ones((64, 16))),
    sequential: (np.linspace(0, 1, 64 * 192).reshape(64, 8, 8, 3), np.arange(64) % 5),
}


@pytest.mark.parametrize("make", [functional, sequential])
def test_a_model_goes_on_where_it_was(tmp_path, make):
    x, y = DATA[make]
    model = make()
    model.fit(x, y, verbose=0)
    model.save(tmp_path / "m.h5")
    again = keras.models.load_model(tmp_path / "m.h5")
    np.testing.assert_array_equal(again.predict(x, verbose=0), model.predict(x, verbose=0))
    assert int(again.optimizer.iterations) == int(model.optimizer.iterations)
    losses = [m.fit(x, y, shuffle=False, verbose=0).history["loss"] for m in (model, again)]
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-6)


def test_weights_by_order_and_by_name(tmp_path):
    x, _ = DATA[functional]
    model, other = functional(), functional()
    model.save(tmp_path / "m.hdf5")
    other.load_weights(tmp_path / "m.hdf5")
    np.testing.assert_array_equal(other.predict(x, verbose=0), model.predict(x, verbose=0))
    inputs = keras.Input((32,))
    part = keras.Model(inputs, keras.layers.Dense(120, name=model.layers[1].name)(inputs))
    part.load_weights(tmp_path / "m.hdf5", by_name=True)
    np.testing.assert_array_equal(part.get_weights()[0], model.layers[1].get_weights()[0])


def test_what_does_not_fit_changes_nothing(tmp_path):
    functional().save(tmp_path / "m.h5")
    model = sequential()
    before = model.get_weights()
    with pytest.raises(ValueError, match="layers"):
        model.load_weights(tmp_path / "m.h5")
    inputs = keras.Input((32,))
    hidden = keras.layers.BatchNormalization()(keras.layers.Dense(119)(inputs))
    narrow = keras.Model(inputs, keras.layers.Add()([keras.layers.Dense(16)(hidden), keras.layers.Dense(16)(inputs)]))
    with pytest.raises(ValueError, match=r"shape \(32, 119\), but the file has \(32, 120\)"):
        narrow.load_weights(tmp_path / "m.h5")
    assert all(np.array_equal(a, b) for a, b in zip(before, model.get_weights()))


def test_a_damaged_file_is_named(tmp_path):
    model = sequential()
    model.save(tmp_path / "m.h5")
    data = (tmp_path / "m.h5").read_bytes()
    (tmp_path / "cut.h5").write_bytes(data[: len(data) // 2])
    with pytest.raises((tf.errors.DataLossError, ValueError), match="cut.h5"):
        keras.models.load_model(tmp_path / "cut.h5")


def test_a_flipped_bit_is_found(tmp_path):
    model, path = sequential(), tmp_path / "m.h5"
    model.save(path)
    data = bytearray(path.read_bytes())
    for at in range(len(data) // 50, len(data) - 16, len(data) // 25):
        data[at] ^= 4
        path.write_bytes(data)
        for load in keras.models.load_model, model.load_weights:
            with pytest.raises(tf.errors.DataLossError, match="m.h5 is damaged"):
                load(path)
        data[at] ^= 4


def test_a_model_that_keras_wrote():
    """fixtures/keras_model.h5 is of Keras 3.15: Dense(103), BatchNormalization, Dense(4) of 6 numbers,
    trained for an epoch."""
    model = keras.models.load_model(FIXTURE)
    x = np.linspace(-1, 1, 5 * 6).reshape(5, 6).astype("float32")
    wanted = np.load(FIXTURE.with_suffix(".npy"))
    np.testing.assert_allclose(model.predict(x, verbose=0), wanted, rtol=1e-5, atol=1e-6)
    assert type(model.optimizer).__name__ == "Adam" and int(model.optimizer.iterations) == 2
