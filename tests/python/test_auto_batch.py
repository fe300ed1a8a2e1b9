"""fit(batch_size="auto"): what was chosen is said and can be read."""

import numpy as np
import pytest

import brio as tf


def model():
    made = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(1)])
    made.compile("adam", "mse")
    return made


x = np.random.default_rng(0).random((1600, 8), dtype=np.float32)
y = x.sum(1, keepdims=True)


def test_it_chooses_and_says_so(capfd):
    trained = model()
    history = trained.fit(x, y, epochs=12, batch_size="auto", validation_split=0.1)
    choice = history.batch_choice
    sizes = list(choice["samples_a_second"])
    assert sizes[0] == 32 and sizes == [32 * 2**i for i in range(len(sizes))]
    assert choice["batch_size"] in sizes
    assert choice["samples_a_second"][choice["batch_size"]] >= max(choice["samples_a_second"].values()) / 1.021
    assert choice["why_no_larger"] != "training ended"
    out = capfd.readouterr().out
    assert out.count("batch_size auto: ") == 1 and f"batch_size auto: {choice['batch_size']} taken" in out
    assert history.history["loss"][-1] < history.history["loss"][0]
    assert trained.fit(x, y, batch_size=64, verbose=0).batch_choice is None


def test_every_step_counts():
    trained = model()
    steps = []
    watch = tf.keras.callbacks.LambdaCallback(on_train_batch_end=lambda step, logs: steps.append(step))
    trained.fit(x, y, epochs=3, batch_size="auto", verbose=0, callbacks=[watch])
    assert int(trained.optimizer.iterations) == len(steps)


def test_what_is_wrong():
    with pytest.raises(ValueError, match="give a number of rows, or 'auto'"):
        model().fit(x, y, batch_size="large")
    batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(32)
    with pytest.raises(ValueError, match=r"choose the size in its batch\(\)"):
        model().fit(batches, batch_size="auto")
    with pytest.raises(ValueError, match=r"choose the size in its batch\(\)"):
        model().fit(((a, b) for a, b in [(x, y)]), batch_size="auto")
    with pytest.raises(ValueError, match="accumulate = 4"):
        model().fit(x, y, batch_size="auto", accumulate=4)
    eager = model()
    eager.compile("adam", "mse", run_eagerly=True)
    with pytest.raises(ValueError, match="run_eagerly"):
        eager.fit(x, y, batch_size="auto")
