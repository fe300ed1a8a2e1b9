"""A slice of `make fuzz-api` and of `make fuzz-tool`: see scripts/fuzz_api and scripts/fuzz_tool."""

import pathlib
import subprocess
import sys

import pytest

import brio

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = pathlib.Path(brio.__file__).parents[1]


def test_nothing_public_crashes_hangs_or_raises_what_nobody_expects():
    command = [
        sys.executable,
        ROOT / "scripts" / "fuzz_api",
        "--calls",
        "4000",
        "--seed",
        "make test",
        "--package",
        PACKAGE,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


SETTING_CALLS = """
tf.compat.v1.placeholder(tf.float32)
tf.compat.v1.disable_eager_execution()
tf.compat.v1.disable_v2_behavior()
tf.compat.v1.InteractiveSession(graph=tf.compat.v1.Graph())
tf.config.run_functions_eagerly(True)
tf.config.set_visible_devices([])
keras.mixed_precision.set_global_policy("mixed_bfloat16")
tf.random.set_seed(7)
tf.random.get_global_generator().normal([2])
""".split("\n")[1:-1]

SETTINGS_PROGRAM = f"""
import sys
sys.path.insert(0, {str(ROOT / "tests" / "fuzz" / "api")!r})
import worker

tf = worker.tf

def settings():
    assert tf.executing_eagerly(), call
    drawn = tf.random.uniform([3]).numpy().tolist()
    dtype = worker.keras.layers.Dense(1).compute_dtype
    return drawn, tf.config.functions_run_eagerly(), tf.config.get_visible_devices(), dtype

for call in ["None", *{SETTING_CALLS!r}]:
    bad = worker.attempt(call)
    assert not bad, (call, bad)
    now = settings()
    before = now if call == "None" else before
    assert now == before, (call, now, before)
"""


def test_what_a_call_sets_is_gone_in_the_next():
    done = subprocess.run([sys.executable, "-c", SETTINGS_PROGRAM], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_the_tool_takes_any_argument():
    tool = PACKAGE.parent / "brio"
    if not tool.is_file():
        pytest.skip(f"the tool is not built beside the package: {tool}")
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "fuzz_tool", "--calls", "150", "--tool", tool],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
