"""Which names of ../shared/API.csv are covered: python tests/python/coverage.py [FIRST | --write].

The file lists the names that public tutorials use, in the order of how many do. A name is covered when a case whose
source uses it passes; it may also exist without a case, or be missing. FIRST: only the first so many rows (default:
all). --write: puts the counts and the missing names into docs/compat.md."""

import ast
import csv
import json
import os
import pathlib
import sys
import textwrap

import brio
import golden

sys.path.insert(0, str(golden.HERE))
PATH = pathlib.Path(os.environ.get("BRIO_API_CSV", golden.HERE.parents[2] / "shared" / "API.csv"))
# Needs a TPU, several machines or an estimator, or is of another product.
OUT_OF_SCOPE = (
    "tf.compat.v1.estimator", "tf.distribute.TPUStrategy", "tf.distribute.experimental.TPUStrategy",
    "tf.distribute.coordinator", "tf.distribute.experimental.coordinator", "tf.distribute.ParameterServerStrategy",
    "tf.distribute.experimental.ParameterServerStrategy", "tf.distribute.Server",
    "tf.distribute.cluster_resolver.TPUClusterResolver", "tf.estimator", "tf.experimental.dtensor", "tf.feature_column",
    "tf.lite", "tf.tpu", "tf.compat.v1.feature_column", "tf.compat.v1.layers", "tf.experimental.tensorrt",
    "tf.compiler", "tf.graph_util", "tf.compat.v1.distribute", "tf.compat.v1.lite", "tf.compat.v1.tpu",
    "keras.distribution", "keras.dtensor", "keras.estimator", "tf.config.experimental_connect_to_cluster",
)  # fmt: skip
# What TensorFlow 2.21 with Keras 3.15 has not either: tutorials of other releases use it.
GONE = """
keras.backend.experimental.enable_tf_random_generator keras.experimental.CosineDecay keras.layers.DenseFeatures
keras.ops.random.uniform keras.ops.reduce_mean keras.optimizers.experimental.AdamW keras.utils.SidecarEvaluator
keras.utils.experimental.DatasetCreator tf.compat.v1.keras.experimental.LinearModel
tf.compat.v1.keras.experimental.WideDeepModel tf.compat.v1.keras.layers.DenseFeatures
tf.compat.v1.keras.utils.DeterministicRandomTestTool
tf.compat.v1.keras.utils.get_or_create_layer tf.compat.v1.keras.utils.track_tf1_style_variables
""".split()
PAGE = golden.HERE.parents[1] / "docs" / "compat.md"
BEGIN, END = "<!-- written by tests/python/coverage.py --write -->", "<!-- end of what coverage.py wrote -->"


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


def groups_of(rows):
    """Names by how far they go."""
    covered = covered_names()
    groups = {"covered": [], "without a case": [], "missing": [], "gone": [], "out of scope": []}
    for name in rows:
        if name.startswith(OUT_OF_SCOPE):
            groups["out of scope"].append(name)
        elif name in covered:
            groups["covered"].append(name)
        elif exists(name):
            groups["without a case"].append(name)
        else:
            groups["gone" if name in GONE else "missing"].append(name)
    return groups


def write(groups, total):
    """Puts the counts and the missing names into docs/compat.md."""
    counts = {group: len(names) for group, names in groups.items()}
    said = (
        f"Of the {total} names that public tutorials use, {counts['covered']} are covered: a case that uses the name "
        f"agrees with TensorFlow. {counts['without a case']} more are there without a case, {counts['out of scope']} "
        f"are out of scope, and {counts['gone']} are in TensorFlow 2.21 no more. These {counts['missing']} are absent, "
        "in the order of use:"
    )
    absent = ", ".join(f"`{name}`" for name in groups["missing"]) + "."
    wrap = lambda t: textwrap.fill(t, 128, break_long_words=False, break_on_hyphens=False)
    text = f"{BEGIN}\n\n{wrap(said)}\n\n{wrap(absent)}\n\n{END}"
    page = PAGE.read_text()
    start, end = page.index(BEGIN), page.index(END) + len(END)
    PAGE.write_text(page[:start] + text + page[end:])


def main():
    if not PATH.exists():
        print(f"skipped: {PATH} is not there; BRIO_API_CSV says where it is")
        return
    rows = [row["name"] for row in csv.DictReader(PATH.open())]
    if sys.argv[1:] == ["--write"]:
        write(groups_of(rows), len(rows))
        return
    rows = rows[: int(sys.argv[1]) if len(sys.argv) > 1 else len(rows)]
    for group, names in groups_of(rows).items():
        print(f"{group}: {len(names)} of {len(rows)}")
        if group != "covered":
            print("  " + " ".join(names))


if __name__ == "__main__":
    main()
