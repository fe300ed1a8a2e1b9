"""compat_report reads a script and names what is missing."""

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
