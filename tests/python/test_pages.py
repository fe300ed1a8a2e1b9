"""Every listing of examples/pages runs and asserts its result, in a process of its own."""

import pathlib
import subprocess
import sys

import pytest

PAGES = pathlib.Path(__file__).parents[2] / "examples" / "pages"


@pytest.mark.parametrize("script", sorted(p.name for p in PAGES.glob("page_*.py")))
def test_page(script):
    done = subprocess.run([sys.executable, str(PAGES / script)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]


def test_there_are_fifteen():
    assert len(list(PAGES.glob("page_*.py"))) == 15
