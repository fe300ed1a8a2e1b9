#!/usr/bin/env python3
"""A million calls of a tf.function and a hundred thousand of fit: time and resident memory stay what they were.

python tests/soak/python_door.py [--scale 0.01]: a part of it. `make soak` runs the whole.
"""

import argparse
import statistics
import sys
import time

import numpy as np

import brio as tf

GROWTH_MB, SLOWER = 2.0, 1.15  # an allocator's last pages; a busy moment of the machine


def resident_mb():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:")) / 1024


def soak(name, calls, step):
    """Medians of slices of the first and the last twentieth, after one for warming up."""
    part = max(1, calls // 20)
    each = max(1, part // 50)
    for _ in range(part):
        step()
    begun, first, last = resident_mb(), [], []
    for done in range(0, calls, each):
        start = time.perf_counter()
        for _ in range(each):
            step()
        took = (time.perf_counter() - start) / each
        if done < part:
            first.append(took)
        if done >= calls - part:
            last.append(took)
        if sys.stderr.isatty():
            print(f"\r{name:<22} {100 * done // calls:3d}%", end="", file=sys.stderr)
    ended, first, last = resident_mb(), statistics.median(first), statistics.median(last)
    print(
        f"\r{name:<22} first: {first * 1e6:9.2f} µs, last: {last * 1e6:9.2f} µs ({100 * (last / first - 1):+.1f}%); "
        f"resident {begun:.1f} → {ended:.1f} MB"
    )
    return ended - begun <= GROWTH_MB and last <= first * SLOWER


def function_call():
    x, y = tf.random.normal([8, 4]), tf.random.normal([8, 1])
    w = tf.Variable(tf.zeros([4, 1]))
    optimizer = tf.keras.optimizers.SGD(0.01)

    @tf.function
    def train(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ w - y))
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        return loss

    return lambda: train(x, y)


def function_with_new_inputs():
    doubled = tf.function(lambda x: tf.reduce_sum(x * 2))
    data = np.ones(16, np.float32)
    return lambda: doubled(tf.constant(data)).numpy()


def eager_step():
    w, optimizer = tf.Variable([1.0, 2.0]), tf.keras.optimizers.Adam(0.001)

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * w)
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])

    return step


def fit():
    x, y = np.random.rand(16, 4).astype(np.float32), np.random.rand(16, 1).astype(np.float32)
    model = tf.keras.Sequential(
        [tf.keras.Input((4,)), tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(1)]
    )
    model.compile(optimizer="adam", loss="mse")
    return lambda: model.fit(x, y, batch_size=8, epochs=1, verbose=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1.0, help="how much of it (1)")
    scale = parser.parse_args().scale
    tf.random.set_seed(1)
    works = [
        ("tf.function", 1_000_000, function_call),
        ("tf.function, new inputs", 1_000_000, function_with_new_inputs),
        ("eager step", 1_000_000, eager_step),
        ("fit", 100_000, fit),
    ]
    flat = [soak(name, max(100, int(calls * scale)), make()) for name, calls, make in works]
    if not all(flat):
        sys.exit(f"soak: time or memory grew by more than {SLOWER}× or {GROWTH_MB} MB")


if __name__ == "__main__":
    main()
