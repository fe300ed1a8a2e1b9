"""tf.device and what belongs to it, on a device whose memory the host cannot touch and which runs behind it."""

import os
import subprocess
import sys

import numpy as np
import pytest

import brio as tf
from brio import _core

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
WALLED = "/job:localhost/replica:0/task:0/device:WALLED:0"
OTHER = "/job:localhost/replica:0/task:0/device:WALLED:1"

pytestmark = pytest.mark.skipif(
    not hasattr(_core, "_walled_device"), reason="the walled device is a part of builds with tests"
)


@pytest.fixture(autouse=True)
def walled():
    for number in (0, 1):
        _core._walled_device(number)
    yield
    tf.config.set_soft_device_placement(True)
    _core._set_visible_devices([name for name, *_ in _core._devices(False)])
    assert _core._stray_accesses() == ""


def test_eager_values_lie_where_they_were_made():
    here = tf.constant([1.0, 2.0])
    with tf.device("/device:WALLED:0"):
        there = here + 1
        made = tf.constant([5.0, 6.0])
        with tf.device("walled:1"):
            other = there * 2
        again = there - made
    assert [x.device for x in (here, there, made, other, again, here * 2)] == [CPU, WALLED, WALLED, OTHER, WALLED, CPU]
    assert other.numpy().tolist() == [4.0, 6.0] and again.numpy().tolist() == [-3.0, -3.0]
    with tf.device("/WALLED:0"):
        with tf.device(None):
            assert tf.identity(here + 0).device == CPU
        moved = tf.identity(here)
    assert moved.device == WALLED and moved.numpy().tolist() == [1.0, 2.0]


def test_variables_know_theirs():
    with tf.device("WALLED:0"):
        v = tf.Variable([1.0, 2.0])
    assert v.device == WALLED
    with tf.device("WALLED:0"):
        v.assign_add([1.0, 1.0])
    assert v.device == WALLED and v.numpy().tolist() == [2.0, 3.0]
    assert tf.Variable(1.0).device == CPU


def test_names_as_tensorflow_spells_them():
    for name in (
        "WALLED:0",
        "/walled:0",
        "/device:WALLED:0",
        "/job:localhost/replica:0/task:0/device:WALLED:0",
        "walled",
    ):
        with tf.device(name):
            assert (tf.constant([1.0]) + 1).device == WALLED
    for name in ("", "/job:localhost"):
        with tf.device("/WALLED:0"), tf.device(name):
            assert (tf.constant([1.0]) + 1).device == WALLED
    for wrong in ("walled:x", "/job:worker/device:CPU:0", 3, lambda op: "CPU:0"):
        with pytest.raises(ValueError), tf.device(wrong):
            pass


def test_soft_placement():
    assert tf.config.get_soft_device_placement()
    with tf.device("/GPU:7"):
        assert (tf.constant([1.0]) + 1).device == CPU
    tf.config.set_soft_device_placement(False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="/device:CPU:0, .*/device:WALLED:0"), tf.device("/GPU:7"):
        pass


def test_listing_and_hiding():
    assert [d.name for d in tf.config.list_physical_devices("WALLED")] == [
        "/physical_device:WALLED:0",
        "/physical_device:WALLED:1",
    ]
    assert [d.name for d in tf.config.list_logical_devices("WALLED")] == ["/device:WALLED:0", "/device:WALLED:1"]
    second = tf.config.list_physical_devices("WALLED")[1]
    tf.config.set_visible_devices(second, "WALLED")
    assert tf.config.get_visible_devices("WALLED") == [second] and len(tf.config.get_visible_devices("CPU")) == 1
    assert [d.name for d in tf.config.list_logical_devices("WALLED")] == ["/device:WALLED:0"]
    tf.config.set_visible_devices([], "WALLED")
    with tf.device("/WALLED:0"):
        assert (tf.constant([1.0]) + 1).device == CPU
    with pytest.raises(ValueError, match="physical_device:CPU:0"):
        tf.config.set_visible_devices([tf.config.PhysicalDevice("/physical_device:GPU:9", "GPU")])
    assert (
        tf.test.gpu_device_name() == (tf.config.list_logical_devices("GPU") or [type("None", (), {"name": ""})])[0].name
    )
    assert tf.test.is_gpu_available() == bool(tf.config.list_physical_devices("GPU"))


def test_a_function_with_parts_on_two_devices():
    @tf.function
    def f(x):
        with tf.device("/WALLED:0"):
            y = tf.matmul(x, x)
            inside.append(y.device)
        with tf.device("/WALLED:1"):
            z = tf.tanh(y)
            inside.append(z.device)
        w = z + x
        inside.append(w.device)
        return w

    inside = []
    x = np.array([[0.5, 0.25], [-0.5, 1.0]], np.float32)
    for _ in range(3):
        np.testing.assert_allclose(f(x), np.tanh(x @ x) + x, rtol=1e-6)
    assert inside == [WALLED, OTHER, ""]
    assert f.experimental_get_tracing_count() == 1


def test_a_function_runs_where_it_is_called():
    f = tf.function(lambda x: x * 2)
    x = tf.constant([1.0, 2.0])
    assert f(x).device == CPU
    with tf.device("/WALLED:0"):
        assert f(x).device == WALLED
    assert f.experimental_get_tracing_count() == 1


def test_gradients_across_devices():
    def step():
        with tf.GradientTape() as tape:
            with tf.device("/WALLED:0"):
                y = a * a
            with tf.device("/WALLED:1"):
                z = tf.reduce_sum(y * b)
        return tape.gradient(z, [a, b])

    a, b = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
    for run in (step, tf.function(step)):
        da, db = run()
        assert da.numpy().tolist() == [6.0, 16.0] and db.numpy().tolist() == [1.0, 4.0]


def test_what_fails_in_a_scope_is_raised_at_its_end():
    with pytest.raises(tf.errors.InvalidArgumentError, match="too large"), tf.device("/WALLED:0"):
        tf.debugging.assert_less(tf.constant([3.0]), 2.0, message="too large")
    assert (tf.constant([1.0]) + 1).numpy().tolist() == [2.0]


def test_graph_mode():
    with tf.compat.v1.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2])
        with tf.device("/WALLED:0"):
            y = x * 2
        with tf.device(lambda op: "/WALLED:1"):
            z = y + 1
        with tf.device("/WALLED:0"), tf.device(None):
            w = z - x
        assert [t.device for t in (x, y, z, w)] == ["", "/device:WALLED:0", "/device:WALLED:1", ""]
        before = tf.config.experimental.get_device_traffic()
        with tf.compat.v1.Session() as session:
            assert session.run(w, {x: [1.0, 2.0]}).tolist() == [2.0, 3.0]
        after = tf.config.experimental.get_device_traffic()
        assert all(after[d]["copies_in"] > before[d]["copies_in"] for d in ("walled:0", "walled:1"))


def model_of(seed):
    tf.keras.utils.set_random_seed(seed)
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(8, activation="relu", input_shape=(4,)), tf.keras.layers.Dense(1)]
    )
    model.compile(optimizer="adam", loss="mse", metrics=["mae"])
    return model


def trained(seed=3):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(64, 4)).astype(np.float32)
    model = model_of(seed)
    history = model.fit(x, x.sum(1, keepdims=True), epochs=2, batch_size=16, validation_split=0.25, verbose=0)
    return model, x, history.history


def test_fit_evaluate_predict():
    here, x, history = trained()
    with tf.device("/WALLED:0"):
        there, _, history_there = trained()
        assert there.weights[0].device == WALLED
        assert history == history_there
        np.testing.assert_array_equal(here.predict(x, verbose=0), there.predict(x, verbose=0))
        assert here.evaluate(x, x[:, :1], verbose=0) == there.evaluate(x, x[:, :1], verbose=0)
    traffic = tf.config.experimental.get_device_traffic()["walled:0"]
    assert traffic["copies_in"] > 0 and traffic["bytes_in"] >= traffic["copies_in"]


@pytest.mark.parametrize("kind", ["checkpoint", "keras", "weights", "export"])
def test_checkpoints(kind, tmp_path):
    with tf.device("/WALLED:0"):
        model, x, _ = trained()
        expected = model.predict(x, verbose=0)
        path = str(tmp_path / {"keras": "m.keras", "weights": "m.weights.h5"}.get(kind, "m"))
        if kind == "checkpoint":
            path = tf.train.Checkpoint(model=model, optimizer=model.optimizer).save(path)
        elif kind == "weights":
            model.save_weights(path)
        elif kind == "export":
            model.export(path)
        else:
            model.save(path)
    for device in ("/CPU:0", "/WALLED:1"):
        with tf.device(device):
            if kind == "keras":
                other = tf.keras.models.load_model(path)
            elif kind == "export":
                served = tf.saved_model.load(path)
                np.testing.assert_array_equal(served.serve(tf.constant(x)), expected)
                continue
            else:
                other = model_of(11)
                if kind == "weights":
                    other.load_weights(path)
                else:
                    tf.train.Checkpoint(model=other, optimizer=other.optimizer).restore(path)
            np.testing.assert_array_equal(other.predict(x, verbose=0), expected)
            assert other.weights[0].device == (CPU if device == "/CPU:0" else OTHER)
            other.fit(x, x[:, :1], epochs=1, verbose=0)


def test_datasets_are_handed_over():
    x = np.arange(40, dtype=np.float32).reshape(20, 2)
    data = tf.data.Dataset.from_tensor_slices(x).map(lambda r: r + 1).batch(4).prefetch(2)
    with tf.device("/WALLED:0"):
        total = tf.Variable(tf.zeros([2]))

        @tf.function
        def step(batch):
            total.assign_add(tf.reduce_sum(batch, 0))

        for batch in data:
            step(batch)
        assert total.device == WALLED
        assert total.numpy().tolist() == (x + 1).sum(0).tolist()


def test_memory_and_traffic():
    tf.config.experimental.reset_device_traffic()
    with tf.device("/WALLED:1"):
        tf.config.experimental.reset_memory_stats("WALLED:1")
        before = tf.config.experimental.get_memory_info("WALLED:1")["current"]
        x = tf.constant(np.ones(1000, np.float32))
        info = tf.config.experimental.get_memory_info("WALLED:1")
        assert 4000 <= info["current"] - before <= 5000 and info["peak"] >= info["current"]
    traffic = tf.config.experimental.get_device_traffic()["walled:1"]
    assert (traffic["copies_in"], traffic["bytes_in"]) == (1, 4000)
    assert x.numpy().sum() == 1000
    assert tf.config.experimental.get_device_traffic()["walled:1"]["bytes_out"] == 4000
    with pytest.raises(ValueError, match="/device:CPU:0"):
        tf.config.experimental.get_memory_info("GPU:9")
    assert sorted(tf.config.experimental.get_memory_info("CPU:0")) == ["current", "peak"]


def run(program, **environment):
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, **environment}, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_explain_names_what_the_host_runs():
    program = "import brio as tf; print(tf.tanh(tf.constant([1.0, 2.0])).numpy())"
    text = run(program, BRIO_EXPLAIN="placement", BRIO_DEVICE="walled:0", BRIO_WALLED_LACKS="tanh")
    assert "tanh, which it has no kernel for, runs on the host: 16 bytes are copied" in text
    assert "tanh has no kernel on walled:0: 1 times on the host, 16 bytes copied" in text
    assert "BRIO_EXPLAIN knows no 'place'; there are: kernels, plans, placement" in run(program, BRIO_EXPLAIN="place")


def test_log_device_placement():
    text = run("import brio as tf; tf.debugging.set_log_device_placement(True); (tf.constant([1.0]) + 1).numpy()")
    assert CPU in text
