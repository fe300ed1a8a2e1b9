"""fit(memory_limit=, memory=): what a step takes is known before it runs, and brought below a limit."""

import numpy as np
import pytest

import brio as tf

keras = tf.keras


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def network(width=256, depth=10):
    keras.utils.set_random_seed(1)
    layers = [keras.layers.Dense(width, activation="gelu") for _ in range(depth)]
    return keras.Sequential([keras.Input((width,)), *layers, keras.layers.Dropout(0.1, seed=3), keras.layers.Dense(10)])


def train(**options):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(4096, 256)).astype("float32"), rng.integers(0, 10, 4096)
    model = network()
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    history = model.fit(x, y, batch_size=2048, epochs=2, shuffle=False, verbose=0, **options)
    return history, model.get_weights()


def test_what_a_step_takes_is_known():
    history, _ = train()
    memory = history.step_memory
    assert memory["rows"] == 2048 and memory["parts"] == 1 and memory["computed_again"] == 0
    assert 10 * 2048 * 256 * 4 < memory["bytes"] < 60 * 2048 * 256 * 4


def test_a_limit_is_kept_with_the_same_bits(capfd):
    history, expected = train()
    whole = history.step_memory["bytes"]
    history, weights = train(memory_limit=resident() + whole * 65 // 100, memory="fit")
    assert history.step_memory["bytes"] <= whole * 67 // 100
    assert history.step_memory["computed_again"] > 0 and history.step_memory["parts"] == 1
    for a, b in zip(expected, weights):
        np.testing.assert_array_equal(a, b)
    assert "brio: [fit] a step of 2048 rows would take" in capfd.readouterr().err


def test_without_leave_to_change_the_step_it_is_an_error():
    whole = train()[0].step_memory["bytes"]
    with pytest.raises(
        tf.errors.ResourceExhaustedError,
        match=r"a step of 2048 rows takes .*\n.*memory=\"fit\", computes \d+ ops again",
    ):
        train(memory_limit=resident() + whole // 2)


def test_words_and_loops_that_cannot():
    with pytest.raises(ValueError, match="it is 'say' or 'fit'"):
        train(memory="fits")
    model = network(depth=1)
    model.compile("sgd", "mse", run_eagerly=True)
    with pytest.raises(ValueError, match="run_eagerly"):
        model.fit(np.zeros((4, 256), "float32"), np.zeros((4, 10), "float32"), memory="fit")


def test_the_report_is_a_table():
    train()
    report = tf.profiler.experimental.memory_report()
    assert "parameters" in report and "process" in report and all(len(line) < 80 for line in report.splitlines())
