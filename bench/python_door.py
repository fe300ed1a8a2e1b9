#!/usr/bin/env python3
"""Times the Python package beside TensorFlow, PyTorch, JAX and NumPy: python3 bench/python_door.py [WORKLOAD…].

A workload is a piece of Python for each contender that leaves seconds per unit in `seconds`. Every run is a process of
its own; the contenders take turns, and the best of the rounds counts, since other work on the machine only ever adds
time.
"""

import argparse
import json
import os
import pathlib
import sys
import time

import run

BRIO_PYTHON = run.ROOT / ".venv/bin/python"
PACKAGE = run.ROOT / "build/release/python"

BEST = """
import time
def best(f, n, repeats=7):
    f(min(n, 200))
    times = []
    for _ in range(repeats):
        start = time.perf_counter(); f(n); times.append((time.perf_counter() - start) / n)
    return min(times)
"""

GD_DATA = """
import numpy as np
X = np.array([[1, 2], [3, 4], [5, 6]], np.float32); y = np.array([7, 8, 9], np.float32)
"""
GD_NUMPY = (
    GD_DATA
    + """
def loop(n):
    theta, rate, m = np.zeros(2, np.float32), np.float32(0.01), np.float32(3)
    for _ in range(n):
        predictions = X @ theta
        error = predictions - y
        gradient = (X.T @ error) / m
        theta -= rate * gradient
seconds = best(loop, 20000)
"""
)
GD_TF = (
    GD_DATA
    + """
X, y = tf.constant(X), tf.constant(y)
theta = tf.Variable(tf.zeros([2])); optimizer = tf.optimizers.SGD(0.01)
def step():
    with tf.GradientTape() as tape:
        predictions = PRODUCT
        loss = tf.reduce_mean(tf.square(predictions - y))
    gradients = tape.gradient(loss, theta)
    optimizer.apply_gradients([(gradients, theta)])
"""
)
GD_EAGER = (
    GD_TF
    + """
def loop(n):
    for _ in range(n):
        with tf.GradientTape() as tape:
            predictions = PRODUCT
            loss = tf.reduce_mean(tf.square(predictions - y))
        gradients = tape.gradient(loss, theta)
        optimizer.apply_gradients([(gradients, theta)])
seconds = best(loop, COUNT)
"""
)
GD_FUNCTION = (
    GD_TF
    + """
kept = tf.function(step)
def loop(n):
    for _ in range(n): kept()
seconds = best(loop, COUNT)
"""
)
MLP = """
import numpy as np
rng = np.random.default_rng(0)
x, y = tf.constant(rng.random((32, 100), dtype=np.float32)), tf.constant(rng.random((32, 1), dtype=np.float32))
model = tf.keras.Sequential([tf.keras.layers.Dense(64, activation='relu'), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam()
@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x) - y))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss
def loop(n):
    for _ in range(n): train_step(x, y)
seconds = best(loop, COUNT)
"""
MLP_JAX = """
import jax, jax.numpy as jnp, numpy as np
rng = np.random.default_rng(0)
x, y = jnp.asarray(rng.random((32, 100), dtype=np.float32)), jnp.asarray(rng.random((32, 1), dtype=np.float32))
p = [jnp.asarray(rng.random(s, dtype=np.float32)) for s in ((100, 64), (64,), (64, 1), (1,))]
m, v, t = [jnp.zeros_like(a) for a in p], [jnp.zeros_like(a) for a in p], jnp.zeros(())
def loss(p): return jnp.mean((jax.nn.relu(x @ p[0] + p[1]) @ p[2] + p[3] - y) ** 2)
@jax.jit
def step(p, m, v, t):
    l, g = jax.value_and_grad(loss)(p); t = t + 1
    m = [0.9 * a + 0.1 * b for a, b in zip(m, g)]; v = [0.999 * a + 0.001 * b * b for a, b in zip(v, g)]
    p = [a - 1e-3 * (b / (1 - 0.9 ** t)) / (jnp.sqrt(c / (1 - 0.999 ** t)) + 1e-7) for a, b, c in zip(p, m, v)]
    return p, m, v, t, l
def loop(n):
    global p, m, v, t
    for _ in range(n): p, m, v, t, l = step(p, m, v, t)
    l.block_until_ready()
seconds = best(loop, 2000)
"""
EXPRESSION = "((a + b) * a - b).sum()"
EAGER_OP = {
    "brio": "import brio as tf\na, b = tf.constant([1., 2., 3.]), tf.constant([4., 5., 6.])\n"
    "def loop(n):\n  for _ in range(n): c = float(tf.reduce_sum((a + b) * a - b))\nseconds = best(loop, 20000)",
    "tf": "import tensorflow as tf\na, b = tf.constant([1., 2., 3.]), tf.constant([4., 5., 6.])\n"
    "def loop(n):\n  for _ in range(n): c = float(tf.reduce_sum((a + b) * a - b))\nseconds = best(loop, 2000)",
    "torch": "import torch\na, b = torch.tensor([1., 2., 3.]), torch.tensor([4., 5., 6.])\n"
    f"def loop(n):\n  for _ in range(n): c = float({EXPRESSION})\nseconds = best(loop, 20000)",
    "numpy": "import numpy as np\na, b = np.array([1., 2., 3.], np.float32), np.array([4., 5., 6.], np.float32)\n"
    f"def loop(n):\n  for _ in range(n): c = float({EXPRESSION})\nseconds = best(loop, 20000)",
}
IMPORT = (
    "import subprocess, sys, time\ntimes = []\nfor _ in range(5):\n  start = time.perf_counter()\n"
    "  subprocess.run([sys.executable, '-c', 'import MODULE'], check=True, stderr=subprocess.DEVNULL); "
    "times.append(time.perf_counter() - start)\n"
    "start = time.perf_counter(); subprocess.run([sys.executable, '-c', 'pass'], check=True); bare = "
    "time.perf_counter() - start\n"
    "seconds = min(times) - bare"
)
PAGE = (run.ROOT / "examples/pages/page_000_1.py").read_text()
SCRIPT = (
    "import subprocess, sys, time\ntimes = []\nfor _ in range(3):\n  start = time.perf_counter()\n"
    f"  subprocess.run([sys.executable, '-c', {PAGE!r}.replace('import brio', 'import MODULE')], check=True, "
    "stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
    "  times.append(time.perf_counter() - start)\nseconds = min(times)"
)


def tensorflow(code, brio_count, tf_count):
    return {
        "brio": "import brio as tf\n"
        + code.replace("PRODUCT", "tf.matmul(X, theta)").replace("COUNT", str(brio_count)),
        "tf": "import tensorflow as tf\n"
        + code.replace("PRODUCT", "tf.linalg.matvec(X, theta)").replace("COUNT", str(tf_count)),
    }


WORKLOADS = {  # name: (unit, seconds in it, code by contender)
    "import": (
        "ms",
        1e-3,
        {
            "brio": IMPORT.replace("MODULE", "brio"),
            "tf": IMPORT.replace("MODULE", "tensorflow"),
            "torch": IMPORT.replace("MODULE", "torch"),
        },
    ),
    "gd_eager": ("us", 1e-6, {**tensorflow(GD_EAGER, 20000, 300), "numpy": GD_NUMPY}),
    "gd_function": ("us", 1e-6, {**tensorflow(GD_FUNCTION, 20000, 1000), "numpy": GD_NUMPY}),
    "page_000": ("s", 1, {"brio": SCRIPT.replace("MODULE", "brio"), "tf": SCRIPT.replace("MODULE", "tensorflow")}),
    "mlp_function": ("us", 1e-6, {**tensorflow(MLP, 20000, 500), "jax": MLP_JAX}),
    "eager_op": ("us", 1e-6, EAGER_OP),
}
CONTENDERS = ["brio", "numpy", "tf", "torch", "jax"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "workloads", nargs="*", default=list(WORKLOADS), metavar="WORKLOAD", help=f"of {', '.join(WORKLOADS)}"
    )
    parser.add_argument("--python", help="a Python that has the peers; otherwise .venv-peers is made and used")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path, default=run.ROOT / "build/bench_python.json")
    arguments = parser.parse_args()
    unknown = set(arguments.workloads) - set(WORKLOADS)
    if unknown:
        parser.error(f"there is no workload {', '.join(sorted(unknown))}; known: {', '.join(WORKLOADS)}")
    peers = arguments.python or run.make_venv()
    os.environ.update(run.QUIET)
    found, started = {}, time.monotonic()
    for turn in range(arguments.rounds):
        for name in arguments.workloads:
            for contender, code in WORKLOADS[name][2].items():
                run.progress(f"round {turn + 1}/{arguments.rounds}: {name}, {contender}", started)
                python = str(BRIO_PYTHON) if contender == "brio" else peers
                os.environ["PYTHONPATH"] = str(PACKAGE) if contender == "brio" else ""
                try:
                    output = run.spawn([python, "-c", BEST + code + "\nprint('SECONDS', seconds)"], 300)["output"]
                except run.Absent as reason:
                    print(f"\nbench: {name}, {contender}: {reason}", file=sys.stderr)
                    continue
                seconds = float(output.rsplit("SECONDS", 1)[1])
                found.setdefault(name, {}).setdefault(contender, []).append(seconds)
    run.progress("", started)
    print("| workload | unit | " + " | ".join(CONTENDERS) + " | best peer ÷ brio |\n|" + "---|" * (len(CONTENDERS) + 3))
    for name, cells in found.items():
        unit, scale, _ = WORKLOADS[name]
        best = {c: min(v) / scale for c, v in cells.items()}
        others = [v for c, v in best.items() if c != "brio"]
        ratio = f"{min(others) / best['brio']:.2f}" if others and "brio" in best else ""
        print(
            f"| `{name}` | {unit} | "
            + " | ".join(f"{best[c]:.3g}" if c in best else "" for c in CONTENDERS)
            + f" | {ratio} |"
        )
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(
        json.dumps({"machine": run.machine(), "rounds": arguments.rounds, "seconds": found}, indent=1) + "\n"
    )
    print(f"wrote {run.shown(arguments.out)}")


if __name__ == "__main__":
    main()
