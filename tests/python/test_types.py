"""The type stubs: mypy accepts what runs and finds mistakes, and stubs and package have the same names."""

import ast
import json
import pathlib
import re
import subprocess
import sys
import textwrap

import pytest

import brio
import golden

sys.path.insert(0, str(golden.HERE))
sys.path.insert(0, str(golden.HERE.parents[1] / "scripts" / "api"))
import surface

PACKAGE = pathlib.Path(brio.__file__).parent
TYPES = golden.HERE / "types"
# Kinds of errors that are about how a name of the package is used; others are about the case's own code.
ABOUT_USE = {
    "arg-type",
    "attr-defined",
    "call-arg",
    "call-overload",
    "dict-item",
    "index",
    "list-item",
    "misc",
    "operator",
    "union-attr",
}


def working_cases():
    """Cases without an exception, each as a function of one module."""
    parts, names = (
        ["import numpy as np", "import brio as tf", "from brio import keras", "rng = np.random.default_rng(7)"],
        [],
    )
    for file in golden.case_files():
        if file in (
            "session",
            "ragged_calls",
            "extension_types",
        ):  # there the same names give tensors of graphs, ragged ones or a case's own, with other methods
            continue
        answers = json.loads((golden.HERE / "golden" / f"{file}.json").read_text())
        for name, source, _ in golden.cases(file):
            if "raises" not in json.dumps(answers.get(name)):
                parts.append(f"def case_{len(names)}():\n" + textwrap.indent(textwrap.dedent(source).strip(), "    "))
                names.append(f"{file}/{name}")
    return "\n".join(parts) + "\n", names


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    """What mypy says of all files in one run: (file, line, kind, text)."""
    cases = tmp_path_factory.mktemp("types") / "cases.py"
    cases.write_text(working_cases()[0])
    cache = surface.ROOT / "build" / f"mypy-{sys.version_info[0]}.{sys.version_info[1]}"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--check-untyped-defs",
            "--no-error-summary",
            "--hide-error-context",
            "--no-pretty",
            "--disable-error-code=var-annotated",
            "--disable-error-code=func-returns-value",
            "--allow-redefinition",
            "--cache-dir",
            str(cache),
            TYPES / "right.py",
            TYPES / "wrong.py",
            cases,
        ],
        capture_output=True,
        text=True,
        env={"MYPYPATH": str(PACKAGE.parent), "PATH": ""},
        cwd=cases.parent,
    )
    assert not done.stderr, done.stderr
    found = []
    for line in done.stdout.splitlines():
        match = re.match(r"(.*?):(\d+): error: (.*?)(?:  \[([\w-]+)\])?$", line)
        if match:
            found.append((pathlib.Path(match[1]).name, int(match[2]), match[4], match[3]))
        else:
            assert ": note: " in line, line
    return found


def test_mypy_accepts_programs(errors):
    assert [e for e in errors if e[0] == "right.py"] == []


def test_mypy_accepts_the_stubs(errors):
    assert [e for e in errors if e[0].endswith(".pyi")] == []


def test_mypy_accepts_every_case_that_works(errors):
    text, names = working_cases()
    starts = dict(zip([n for n, line in enumerate(text.splitlines(), 1) if line.startswith("def case_")], names))
    found = {}
    for file, line, kind, message in errors:
        if file == "cases.py" and kind in ABOUT_USE:
            found.setdefault(starts[max(s for s in starts if s <= line)], []).append(
                f"{text.splitlines()[line - 1].strip()}: {message} [{kind}]"
            )
    assert not found, "\n".join(f"{n}: {m}" for n, ms in found.items() for m in ms)
    assert len(names) > 1000


def test_mypy_finds_mistakes(errors):
    wanted = [
        (n, m[1])
        for n, line in enumerate((TYPES / "wrong.py").read_text().splitlines(), 1)
        if (m := re.search(r"# E: (\S+)", line))
    ]
    assert [(n, kind) for file, n, kind, _ in errors if file == "wrong.py"] == wanted


def stub_of(module):
    path = PACKAGE.joinpath(*module.__name__.split(".")[1:])
    return path / "__init__.pyi" if (path / "__init__.pyi").exists() else path.with_suffix(".pyi")


@pytest.mark.parametrize("module", surface.public_modules(), ids=lambda m: m.__name__)
def test_stub_has_the_names_of_its_module(module):
    found = set()
    for node in ast.parse(stub_of(module).read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            found.add(node.target.id)
        elif isinstance(node, ast.Assign):
            found.add(node.targets[0].id)
        elif isinstance(node, ast.ImportFrom):
            found.update(alias.asname for alias in node.names if alias.asname)
    assert {n for n in found if not n.startswith("_")} == set(surface.names(module))


def test_the_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").exists()
