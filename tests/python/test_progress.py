"""What fit, evaluate and predict show while they run."""

import numpy as np
import pytest

import brio as tf

keras = tf.keras


def compiled(eager):
    model = keras.Sequential([keras.layers.Dense(120, activation="relu"), keras.layers.Dense(3)])
    model.compile("adam", "mse", run_eagerly=eager)
    return model


def lines(capsys):
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("eager", [False, True])
def test_a_bar_for_each(eager, capsys):
    model, x, y = compiled(eager), np.random.rand(100, 200), np.random.rand(100, 3)
    model.fit(x, y, epochs=2, validation_split=0.2)
    shown = lines(capsys)
    assert shown[0] == "Epoch 1/2" and shown[2] == "Epoch 2/2" and len(shown) == 4
    assert shown[1].startswith("3/3 ━━━━━━━━━━━━━━━━━━━━ ") and " - loss: " in shown[1] and " - val_loss: " in shown[1]
    model.evaluate(x, y)
    (shown,) = lines(capsys)
    assert shown.startswith("4/4 ━━━━━━━━━━━━━━━━━━━━ ") and " - loss: " in shown
    assert model.predict(x).shape == (100, 3)
    (shown,) = lines(capsys)
    assert shown.startswith("4/4 ━━━━━━━━━━━━━━━━━━━━ ") and shown.endswith("/step")


@pytest.mark.parametrize("eager", [False, True])
def test_a_line_or_nothing(eager, capsys):
    model, x, y = compiled(eager), np.random.rand(100, 200), np.random.rand(100, 3)
    model.fit(x, y, epochs=2, verbose=2)
    assert [line.split(" - ")[0] for line in lines(capsys)] == ["Epoch 1/2", "4/4", "Epoch 2/2", "4/4"]
    assert model.predict(x, verbose=2, steps=3).shape == (96, 3)
    assert lines(capsys)[0].startswith("3/3 - 0s - ")
    model.fit(x, y, verbose=0)
    model.evaluate(x, y, verbose=0)
    model.predict(x, verbose=0)
    assert lines(capsys) == []


def test_predictions_of_a_dataset_of_unknown_length(capsys):
    dataset = tf.data.Dataset.from_tensor_slices(np.random.rand(100, 200)).filter(lambda row: row[0] >= 0.0).batch(30)
    assert compiled(False).predict(dataset).shape == (100, 3)
    assert lines(capsys)[-1].startswith("4/4 ━━━━━━━━━━━━━━━━━━━━ ")


def test_a_predict_step_of_ones_own(capsys):
    class Own(keras.Sequential):
        def predict_step(self, data):
            return 2.0 * self(data, training=False)

    model = Own([keras.layers.Dense(3)])
    assert model.predict(np.random.rand(100, 200)).shape == (100, 3)
    assert lines(capsys)[-1].startswith("4/4 ━━━━━━━━━━━━━━━━━━━━ ")
