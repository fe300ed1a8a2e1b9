"""The cells of docs/first-ten-minutes.ipynb run, one after the other."""

import json
import linecache
import pathlib

NOTEBOOK = pathlib.Path(__file__).parents[2] / "docs" / "first-ten-minutes.ipynb"


def test_every_cell_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        if cell["cell_type"] == "code":
            source, file = "".join(cell["source"]), f"<{cell['id']}>"
            # Where inspect finds it, as in a notebook.
            linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
            exec(compile(source, file, "exec"), names)
