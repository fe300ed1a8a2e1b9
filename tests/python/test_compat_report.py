"""compat_report reads a script and names what is missing."""

import json

import pytest

import brio as tf


def test_names_what_is_missing(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import tensorflow as tf\n"
        "from tensorflow import keras\n"
        "from tensorflow.keras.layers import Dense, Dens\n"
        "x = tf.constant(1.0)\n"
        "y = tf.flor(x)\n"
        "z = keras.layers.Conv2D(3, 3)\n"
        "tf.flor(y)\n"
        "raise SystemExit('this is not run')\n"
    )
    report = tf.compat_report(script)
    assert not report
    assert report.missing == {"tf.flor": ([5, 7], "tf.floor"), "tf.keras.layers.Dens": ([3], "tf.keras.layers.Dense")}
    assert "did you mean tf.floor?" in str(report)


def test_a_script_that_has_all(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import tensorflow as tf\nm = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n")
    report = tf.compat_report(str(script))
    assert report and report.found == {"tf.keras.Sequential", "tf.keras.layers.Dense"}


def report_of(tmp_path, source, name="script.py"):
    script = tmp_path / name
    script.write_bytes(source if isinstance(source, bytes) else source.encode())
    return tf.compat_report(script)


def test_names_that_stand_for_modules_and_classes_are_followed(tmp_path):
    source = """
import tensorflow.keras.backend as K, tensorflow as tf
layers = tf.keras.layers
Set = tf.data.Dataset
layers.Dense(3)
layers.NoSuchLayer(4)
Set.from_nowhere()
K.no_such_function()
layers = [1]
layers.append(2)
"""
    report = report_of(tmp_path, source)
    assert set(report.missing) == {
        "tf.keras.layers.NoSuchLayer",
        "tf.data.Dataset.from_nowhere",
        "tf.keras.backend.no_such_function",
    }
    assert report.missing["tf.keras.layers.NoSuchLayer"][0] == [6]


def test_keywords_and_packages_that_are_not_here(tmp_path):
    source = (
        "import tensorflow as tf\nimport tensorflow_hub as hub\ntf.range(3, no_such=1)\n"
        "tf.function(lambda x: x, autograph=False)\n"
    )
    assert set(report_of(tmp_path, source).missing) >= {"package tensorflow_hub"}
    source = (
        "from tensorflow.keras.utils import to_categorical\nto_categorical([1], num_classes=3)\n"
        "to_categorical([1], no_such=3)\n"
    )
    assert set(report_of(tmp_path, source).missing) == {"tf.keras.utils.to_categorical(no_such=)"}


def test_star_imports_are_said_to_be_unclear(tmp_path):
    report = report_of(tmp_path, "from tensorflow.keras.layers import *\nDense(3)\n")
    assert report and len(report.unclear) == 1 and "unclear" in str(report)


def test_notebooks_and_other_encodings(tmp_path):
    cells = [
        {"cell_type": "markdown", "source": ["not code"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "import tensorflow as tf\n", "tf.flor(1.0)"]},
    ]
    report = report_of(tmp_path, json.dumps({"cells": cells}), "book.ipynb")
    assert report.missing == {"tf.flor": ([3], "tf.floor")}
    latin = "# -*- coding: latin-1 -*-\nimport tensorflow as tf\nname = 'caf\xe9'\ntf.ones(3)\n".encode("latin-1")
    assert report_of(tmp_path, latin)
    assert report_of(tmp_path, b"\xef\xbb\xbfimport tensorflow as tf\ntf.ones(3)\n")


@pytest.mark.parametrize("source", [b"print 'python 2'\n", b"\xff\xfe\x00", b"x = (\n", b"def f(:\n"])
def test_what_is_no_python_is_an_error_that_names_the_file(tmp_path, source):
    with pytest.raises(ValueError, match="script.py"):
        report_of(tmp_path, source)


def test_what_constructors_take_beside_their_signatures_is_here(tmp_path):
    source = """
import tensorflow as tf
from tensorflow.keras import layers
tf.keras.Sequential([
    layers.Dense(64, activation="relu", input_shape=(100,), name="first", dtype="float32", trainable=False),
    layers.LeakyReLU(alpha=0.1, name="leaky"),
    layers.Embedding(1000, 64, input_length=80, weights=None),
    layers.Conv2D(128, 3, batch_input_shape=(None, 224, 224, 3), kernel_initializer="he_normal"),
], name="all")
tf.keras.optimizers.Adam(lr=0.1, decay=0.0, clipnorm=1.0)
layers.Dense(3, no_such=1)
"""
    assert set(report_of(tmp_path, source).missing) == {"tf.keras.layers.Dense(no_such=)"}
