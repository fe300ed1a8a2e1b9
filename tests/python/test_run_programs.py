"""scripts/run_programs: what it takes for a program, and what it says of it."""

import json
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/programs"))
import source  # noqa: E402
import values  # noqa: E402

GOOD = """
import tensorflow as tf
from tensorflow import keras
from keras import layers
from tensorflow.keras.utils import to_categorical

(x, y), _ = keras.datasets.mnist.load_data()
model = keras.Sequential(
    [layers.Input((28, 28)), layers.Flatten(), layers.Dense(128, activation="relu"), layers.Dense(10)]
)
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
history = model.fit(x / 255, y, epochs=50, verbose=0)
epochs = len(history.history["loss"])
path = keras.utils.get_file("flowers.jpg", "https://nowhere.example/flowers.jpg")
"""
BAD = (
    "import tensorflow as tf\nx = tf.constant([1.0, 2.0])\ny = tf.matmul(x, x, x)\nz = x + 1\n"
    "w = tf.no_such_function(x)\n"
)


def run(tmp_path, *options):
    made = tmp_path / "out.json"
    command = [
        sys.executable,
        ROOT / "scripts/run_programs",
        tmp_path / "programs",
        "--json",
        made,
        "--limit",
        "120",
        *options,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    return done, {pathlib.Path(k).name: v for k, v in json.loads(made.read_text()).items()}


def test_passes_and_failures(tmp_path):
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "good.py").write_text(GOOD.replace("flowers.jpg", "iris_training.csv"))
    cells = [
        {"cell_type": "markdown", "source": ["# text"]},
        {"cell_type": "code", "source": ["!pip install x\n", "%matplotlib inline\n", *BAD.splitlines(True)]},
    ]
    (folder / "bad.ipynb").write_text(json.dumps({"cells": cells}))
    done, results = run(tmp_path)
    assert done.returncode == 1 and "1 of 2 programs" in done.stdout, done.stdout + done.stderr
    assert results["good.py"]["verdict"] == "pass", results["good.py"]
    assert results["bad.ipynb"]["verdict"] == "fail" and results["bad.ipynb"]["why"].startswith("line 5:")
    assert "[1/2]" in done.stdout and "[2/2]" in done.stdout


def test_programs_are_chosen_by_name(tmp_path):
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "a.py").write_text("x = 1\n")
    (folder / "b.py").write_text("raise ValueError('no')\n")
    done, results = run(tmp_path, "--only", "a*")
    assert done.returncode == 0 and list(results) == ["a.py"]


def test_a_program_that_does_not_end(tmp_path):
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "slow.py").write_text("import time\ntime.sleep(1000)\n")
    _, results = run(tmp_path, "--limit", "8")
    assert "not done after 8 s" in results["slow.py"]["why"]


def test_loops_are_made_short():
    text = "EPOCHS = 500\ntime_steps = 100\nfor epoch in range(300):\n  pass\nfit(x, epochs=20, steps=7)\n"
    import ast

    made = ast.unparse(ast.Module(source.statements(text), []))
    assert made == "EPOCHS = 2\ntime_steps = 100\nfor epoch in range(2):\n    pass\nfit(x, epochs=2, steps=7)"


@pytest.mark.parametrize("brio, expected", [
    ({"errors": [], "values": {"x": "float32 (3,)"}}, "x is float32 (3,), and float64 (3,) under TensorFlow"),
    ({"errors": [{"line": 4, "type": "KeyError", "message": "k"}], "values": {}}, "line 4: KeyError: k"),
    ({"errors": [{"line": 9, "type": "InvalidArgumentError", "message": ""}], "values": {"x": "float64 (3,)"}}, None),
    ({"errors": [], "values": {"x": "float64 (3,)"}}, None),
])  # fmt: skip
def test_the_first_difference(brio, expected):
    reference = {"errors": [{"line": 9, "type": "ValueError", "message": ""}], "values": {"x": "float64 (3,)"}}
    assert values.first_difference(brio, reference) == expected
