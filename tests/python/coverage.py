"""Which names of ../shared/API.csv are covered: python tests/python/coverage.py [FIRST].

The file lists the names that public tutorials use, in the order of how many do. A name is covered when a case whose source
uses it passes; it may also exist without a case, or be missing. FIRST: only the first so many rows (default: all)."""

import ast
import csv
import json
import os
import pathlib
import sys
import textwrap

import golden

import brio

sys.path.insert(0, str(golden.HERE))
PATH = pathlib.Path(os.environ.get("BRIO_API_CSV", golden.HERE.parents[2] / "shared" / "API.csv"))
# Needs a download, a TPU, several machines or an estimator, or is of another product.
OUT_OF_SCOPE = (
    "keras.applications", "keras.datasets", "keras.utils.get_file", "tf.compat.v1.estimator", "tf.distribute", "tf.estimator",
    "tf.experimental.dtensor", "tf.feature_column", "tf.lite", "tf.tpu", "tf.compat.v1.feature_column",
    "tf.compat.v1.data", "tf.compat.v1.layers", "tf.experimental.tensorrt", "tf.compiler", "tf.graph_util",
)  # fmt: skip


def chains(source):
    """Attribute chains in a piece of Python, each with all that it begins with: tf.math.log gives tf.math too."""
    found = set()
    for node in ast.walk(ast.parse(textwrap.dedent(source))):
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name) and node.id in ("tf", "keras"):
            parts.append(node.id)
            parts.reverse()
            found.update(".".join(parts[:i]) for i in range(2, len(parts) + 1))
    return {name.replace("tf.keras", "keras", 1) if name.startswith("tf.keras") else name for name in found}


def covered_names():
    """Names in the sources of cases that pass."""
    names = set()
    for file in golden.case_files():
        answers = json.loads((golden.HERE / "golden" / f"{file}.json").read_text())
        for name, source, options in golden.cases(file):
            if name in answers and not golden.differences(golden.run(source, brio), answers[name], options):
                names |= chains(source)
    return names


def exists(name):
    first, *rest = name.split(".")
    at = brio.keras if first == "keras" else brio
    for part in rest:
        try:
            at = getattr(at, part)
        except (AttributeError, ImportError):
            return False
    return True


def main():
    if not PATH.exists():
        print(f"skipped: {PATH} is not there; BRIO_API_CSV says where it is")
        return
    rows = [row["name"] for row in csv.DictReader(PATH.open())]
    rows = rows[: int(sys.argv[1]) if len(sys.argv) > 1 else len(rows)]
    covered = covered_names()
    groups = {"covered": [], "without a case": [], "missing": [], "out of scope": []}
    for name in rows:
        if name.startswith(OUT_OF_SCOPE):
            groups["out of scope"].append(name)
        elif name in covered:
            groups["covered"].append(name)
        else:
            groups["without a case" if exists(name) else "missing"].append(name)
    for group, names in groups.items():
        print(f"{group}: {len(names)} of {len(rows)}")
        if group != "covered":
            print("  " + " ".join(names))


if __name__ == "__main__":
    main()
