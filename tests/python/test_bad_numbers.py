"""fit(on_bad_number=...): a loss or gradients that stop being finite."""

import numpy as np
import pytest

import brio as tf
from brio import keras

ROWS, WIDTH, BATCH = 640, 256, 64


def rows(spoiled=None):
    x = np.random.default_rng(1).normal(size=(ROWS, WIDTH)).astype("float32")
    y = x[:, :1].copy()
    if spoiled is not None:
        x[spoiled, 7] = np.nan
    return x, y


def model(*layers, **kwargs):
    keras.utils.set_random_seed(3)
    return keras.Sequential([keras.layers.Dense(WIDTH, "relu"), *layers, keras.layers.Dense(1)], **kwargs)


def fit(m, x, y, **kwargs):
    return m.fit(x, y, batch_size=BATCH, verbose=0, shuffle=False, **kwargs)


def said_when_stopped(m, x, y, **kwargs):
    with pytest.raises(ValueError) as caught:
        fit(m, x, y, on_bad_number="stop", **kwargs)
    return str(caught.value)


class LogOf(keras.layers.Layer):
    def call(self, x):
        return tf.math.log(x)


def test_a_row_of_the_input_is_named():
    m = model()
    m.compile("adam", "mse")
    said = said_when_stopped(m, *rows(spoiled=209))
    assert "step 4 of epoch 1" in said and "first bad number: x is not finite" in said
    assert "in row 17 of the batch (in the data: 209)" in said
    assert all(np.isfinite(w).all() for w in m.get_weights())


def test_a_layer_in_python_is_named():
    m = model(LogOf(name="log_of"), name="net")
    m.compile("adam", "mse")
    said = said_when_stopped(m, *rows())
    assert "first bad number: log, in net/log_of" in said
    assert "input 0: f32[64,256], min 0, max " in said and " inf" in said


def test_a_learning_rate_that_is_too_large():
    m = model()
    m.compile(keras.optimizers.SGD(1e30), "mse")
    assert "learning rate 1e+30" in said_when_stopped(m, *rows())


def test_a_loss_that_divides_by_zero():
    def relative(y, p):
        return tf.reduce_mean(tf.square(y - p) / (y - y), axis=-1)

    m = model()
    m.compile("adam", relative)
    said = said_when_stopped(m, *rows())
    assert "first bad number: div" in said and "in the loss 'relative'" in said


def test_a_step_that_is_skipped_leaves_weights_metrics_and_statistics(capsys):
    m = model(keras.layers.BatchNormalization())
    m.compile("adam", "mse", metrics=["mae"])
    history = fit(m, *rows(spoiled=330), epochs=3, on_bad_number="skip")
    assert all(np.isfinite(w).all() for w in m.get_weights())
    assert np.isfinite(history.history["loss"]).all() and np.isfinite(history.history["mae"]).all()
    said = capsys.readouterr().err
    assert said.count("first bad number") == 1 and "3 steps were left out" in said


def test_a_train_step_of_the_users_own_has_the_gate_too(capsys):
    class Own(keras.Model):
        def __init__(self):
            super().__init__()
            self.first, self.last = keras.layers.Dense(WIDTH, "relu"), keras.layers.Dense(1)

        def call(self, x):
            return self.last(self.first(x))

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(y - self(x, training=True)))
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
            return {"loss": loss}

    m = Own()
    m.compile("adam", "mse")
    fit(m, *rows(spoiled=330), epochs=2, on_bad_number="skip")
    assert all(np.isfinite(w).all() for w in m.get_weights())
    assert "in row 10 of the batch (in the data: 330)" in capsys.readouterr().err


def test_by_itself_a_line_says_so_and_training_goes_on(capsys):
    m = model()
    m.compile("adam", "mse")
    history = fit(m, *rows(spoiled=330), epochs=3)
    assert len(history.history["loss"]) == 3 and np.isnan(history.history["loss"]).all()
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and said.startswith("brio: [fit] the loss is nan by step 10 of epoch 1"), said


def test_it_is_found_from_the_checkpoint_before_it(tmp_path, capsys):
    def run(what, epochs, spoiled):
        m = model()
        m.compile("adam", "mse")
        fit(m, *rows(spoiled), epochs=epochs, resume=tmp_path / "run", save_freq=5, on_bad_number=what)

    run("warn", 1, None)
    run("warn", 2, 451)
    assert "from the checkpoint before it" in capsys.readouterr().err
    with pytest.raises(ValueError, match=r"(?s)step 8 of epoch 2.*in row 3 of the batch \(in the data: 451\)"):
        run("stop", 2, 451)


def test_an_overflow_that_the_scale_of_the_loss_mends_is_not_reported(capsys):
    policy = keras.mixed_precision.Policy("mixed_float16")
    keras.utils.set_random_seed(3)
    m = keras.Sequential([keras.layers.Dense(WIDTH, "relu", dtype=policy), keras.layers.Dense(1, dtype=policy)])
    scaled = keras.optimizers.LossScaleOptimizer(keras.optimizers.Adam(), initial_scale=1e9)
    m.compile(scaled, "mse")
    fit(m, *rows(), epochs=2, on_bad_number="skip")
    assert float(scaled.loss_scale) < 1e8
    assert capsys.readouterr().err == ""


def test_the_gate_changes_no_bit():
    def weights(what):
        m = model(keras.layers.BatchNormalization(), keras.layers.Dropout(0.1))
        m.compile("adam", "mse", metrics=["mae"])
        fit(m, *rows(), epochs=3, on_bad_number=what)
        return m.get_weights()

    for a, b in zip(weights("warn"), weights("skip")):
        assert a.tobytes() == b.tobytes()


def test_terminate_on_nan_still_ends_training(capsys):
    m = model()
    m.compile("adam", "mse")
    history = fit(m, *rows(spoiled=0), epochs=3, callbacks=[keras.callbacks.TerminateOnNaN()])
    assert len(history.epoch) == 1


def test_what_is_no_such_option_is_refused():
    m = model()
    m.compile("adam", "mse")
    with pytest.raises(ValueError, match="'warn', 'stop' or 'skip'"):
        fit(m, *rows(), on_bad_number="ignore")
