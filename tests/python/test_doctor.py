"""The doctor: what it says of runs that are slow in one known way (tests/doctor), and how it ends with a program."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import brio as tf

FOLDER = os.path.join(os.path.dirname(__file__), "..", "doctor")


def _load(name):
    sys.path.insert(0, FOLDER)
    spec = importlib.util.spec_from_file_location(f"doctor_{name}", os.path.join(FOLDER, f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check, cases, remedies = _load("check"), _load("slow_runs"), _load("remedies")

QUICK = ["generator_that_waits", "generator_of_batches", "map_in_python", "pictures_by_a_map", "map_behind_the_cache",
         "callback_of_each_batch", "validation_of_more_than_training", "batch_of_one", "eager_steps",
         "number_that_changes", "loss_that_is_printed", "wide_convolution_of_series", "bfloat16_that_does_not_pay",
         "generator_and_callback", *[n for n in ("little_work_on_a_device",) if n in cases.CASES]]  # fmt: skip


@pytest.mark.parametrize("name", QUICK)
def test_the_right_thing_comes_first(name):
    _, report = check.run(name, report=True)
    assert check.wrong(cases.CASES[name], report) == "", report["screen"]


@pytest.mark.parametrize(
    "name", ["map_behind_the_cache", "batch_of_one", "eager_gradient_descent", "bfloat16_that_does_not_pay"]
)
def test_a_remedy_works_when_it_is_pasted(name):
    assert check.paste(name, cases.CASES[name]) == ""


def test_what_is_pasted_is_what_the_report_says():
    """A remedy that means nothing here, or has no place in the program, is an error: it is not passed over."""
    text = "def case(_):\n    ds = make().map(f).batch(4)\n    fit(model, ds)\n"
    found = {"where": "map", "remedy": ".cache()  # right behind map(...); holds 1.00 kB of the 8.00 GB that are free"}
    assert "ds = make().map(f).cache().batch(4)" in remedies.applied(text, found, "case")
    assert "fit(model, ds, batch_size=32)" in remedies.applied(
        text, {"where": "", "remedy": "model.fit(..., batch_size=32)"}, "case"
    )
    with pytest.raises(remedies.CannotApply, match="calls no shuffle"):
        remedies.applied(text, {**found, "remedy": ".cache()  # right behind shuffle(...)"}, "case")
    with pytest.raises(SyntaxError):
        remedies.applied(text, {**found, "remedy": ".cache( or something like it"}, "case")


@pytest.mark.parametrize("name", ["rows_in_memory", "rows_of_a_dataset", "pictures_in_memory"])
def test_a_healthy_run_gets_no_advice(name):
    _, report = check.run(name, report=True)
    # They are in float32: where the machine multiplies bf16 faster, saying so is right.
    found = [f for f in check.findings(report) if f["id"] != "precision"]
    assert [f for f in found if f["gain"]["how"] != "none" and f["gain"]["factor"] > 1.05] == []


TRAINING = """
import time, numpy as np, os, sys
import brio as tf
x = np.ones((640, 8), np.float32)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
class Wait(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        time.sleep(0.002)
model.fit(x, x[:, :1], epochs=2, verbose=0, callbacks=[Wait()])
"""


def _program(tmp_path, rest, path="report.json", **options):
    environment = {**os.environ, "BRIO_DOCTOR": str(tmp_path / path)}
    environment.pop("BRIO_DOCTOR_OWNER", None)
    return subprocess.Popen(
        [sys.executable, "-c", TRAINING + rest],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.mark.parametrize(
    "rest, code",
    [
        ("", 0),
        ("sys.exit(3)", 3),
        ("raise ValueError('no')", 1),
        ("os._exit(5)", 5),
        ("import subprocess; subprocess.run([sys.executable, '-c', 'import brio'])", 0),
        ("p = os.fork()\nif p == 0: os._exit(0)\nos.waitpid(p, 0)", 0),
    ],  # fmt: skip
)
def test_the_report_is_written_whichever_way_a_program_ends(tmp_path, rest, code):
    process = _program(tmp_path, rest)
    _, err = process.communicate(timeout=120)
    assert process.returncode == code, err
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["version"] == 1 and report["steps"] == 39
    assert (
        report["findings"][0]["id"] == "callback_bound" and report["findings"][0]["where"] == "Wait.on_train_batch_end"
    )
    assert "callback_bound at Wait.on_train_batch_end" in err
    assert os.listdir(tmp_path) == ["report.json"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_a_report(tmp_path, number):
    # A shell that starts the tests in the background has SIGINT ignored.
    process = _program(
        tmp_path,
        "print('trained', flush=True)\ntime.sleep(60)",
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    assert process.stdout.readline() == "trained\n"
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode in (-number, 1, 130)
    assert json.loads((tmp_path / "report.json").read_text())["steps"] == 39


def test_a_full_disk_changes_nothing_but_a_line(tmp_path):
    process = _program(tmp_path, "print('done')", path="no/such/folder/report.json")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0 and out == "done\n"
    assert "could not be written" in err and err.count("could not be written") == 1


def test_fit_prints_the_verdict_and_changes_no_bit(capfd):
    def trained(**options):
        tf.keras.utils.set_random_seed(3)
        model = tf.keras.Sequential(
            [tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(1)]
        )
        model.compile("adam", "mse", metrics=["mae"])
        x = np.random.default_rng(0).random((400, 8), dtype=np.float32)
        for _ in range(2):
            model.fit(x, x.sum(1), epochs=3, batch_size=4, verbose=0, **options)
        return [w.numpy() for w in model.weights] + [tf.random.uniform([3]).numpy()]

    plain = trained()
    assert "brio doctor" not in capfd.readouterr().out
    with_doctor = trained(doctor=True)
    assert "brio doctor: " in capfd.readouterr().out
    assert all(np.array_equal(a, b) for a, b in zip(plain, with_doctor))


def test_figures_have_names_in_python():
    x = np.ones((320, 4), np.float32)
    model = tf.keras.Sequential([tf.keras.layers.Dense(4)])
    model.compile("sgd", "mse")
    model.fit(x, x, epochs=20, verbose=0)
    profiler = tf.profiler.experimental
    assert profiler.memory_ledger()["parameters"]["bytes"] > 0
    assert profiler.plan_cache_stats()["limit"] > 0
    assert any("sgd_update" in row["op"] for row in profiler.kernel_times())
    assert profiler.doctor()["steps"] > 0


def test_a_profile_has_the_steps(tmp_path):
    x = np.ones((320, 4), np.float32)
    model = tf.keras.Sequential([tf.keras.layers.Dense(4)])
    model.compile("sgd", "mse")
    with tf.profiler.experimental.Profile(str(tmp_path)):
        with tf.profiler.experimental.Trace("all of it"):
            begin = time.perf_counter() * 1e6
            model.fit(x, x, epochs=3, verbose=0)
            end = time.perf_counter() * 1e6
    (path,) = tmp_path.glob("plugins/profile/*/*.trace.json")
    events = json.loads(path.read_text())["traceEvents"]
    steps = [e for e in events if e["name"] == "step"]
    assert sum(e["args"]["steps"] for e in steps) == 29 and all(begin - 1000 <= e["ts"] <= end + 1000 for e in steps)
    assert any(e["name"] == "all of it" for e in events)


def test_explain_is_said_once(capfd):
    text = tf.data.Dataset.range(100).batch(10).explain(0.05)
    assert "limited by: " in text and capfd.readouterr().out == ""
