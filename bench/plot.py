"""plot.py BENCH.json PICTURE.png: one panel a workload, one bar a contender, on a logarithmic scale."""

import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

COLOURS = {
    "brio": "#d1495b",
    "copy": "#bbbbbb",
    "numpy": "#4d77a5",
    "tf": "#e9a23b",
    "tf_xla": "#f3cd8f",
    "torch": "#66806a",
    "torch_compile": "#a8bfa9",
    "jax": "#7a5c86",
}


def main(source, picture):
    with open(source) as file:
        report = json.load(file)
    workloads = list(dict.fromkeys(r["workload"] for r in report["results"] if "median" in r))
    if not workloads:
        sys.exit("there is no result to plot")
    columns = min(3, len(workloads))
    rows = -(-len(workloads) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(4.6 * columns, 3 * rows + 0.6), squeeze=False)
    for axis in axes.flat[len(workloads) :]:
        axis.remove()
    for axis, workload in zip(axes.flat, workloads):
        results = [r for r in report["results"] if r["workload"] == workload and "median" in r]
        names = [r["contender"] for r in results]
        medians = [r["median"] for r in results]
        bars = axis.bar(names, medians, color=[COLOURS.get(n, "grey") for n in names])
        axis.bar_label(bars, [f"{m:.3g}" for m in medians], fontsize=8)
        axis.set_yscale("log")
        axis.set_ylim(min(medians) / 3, max(medians) * 3)
        axis.set_title(f"{workload}, {results[0]['unit']}", fontsize=10)
        axis.tick_params(axis="x", labelsize=7, rotation=20)
        axis.tick_params(axis="y", labelsize=7)
        axis.spines[["top", "right"]].set_visible(False)
    machine = report["machine"]
    figure.suptitle(
        f"Medians, smaller is better. {report['date'][:10]}, {machine['cpu']}, {machine['cores']} cores", fontsize=10
    )
    figure.tight_layout()
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:])
