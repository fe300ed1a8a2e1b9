"""A slice of `make fuzz-api` and of `make fuzz-tool`: see scripts/fuzz_api and scripts/fuzz_tool."""

import pathlib
import subprocess
import sys

import pytest

import brio

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = pathlib.Path(brio.__file__).parents[1]


def test_nothing_public_crashes_hangs_or_raises_what_nobody_expects():
    command = [sys.executable, ROOT / "scripts" / "fuzz_api", "--calls", "4000", "--seed", "make test", "--package", PACKAGE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_tool_takes_any_argument():
    tool = PACKAGE.parent / "brio"
    if not tool.is_file():
        pytest.skip(f"the tool is not built beside the package: {tool}")
    done = subprocess.run([sys.executable, ROOT / "scripts" / "fuzz_tool", "--calls", "150", "--tool", tool], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
