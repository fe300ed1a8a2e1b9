"""What happens to a process while it works: signals, forks, threads, its end. Each job runs small programs and counts
those that did not end as they should; a program that hangs for a minute is one of them."""

import concurrent.futures
import os
import random
import subprocess
import sys
import textwrap

BEGIN = """
import os, random, signal, sys, threading, time
import numpy as np
import brio as tf
x = np.random.default_rng(1).normal(size=(3000, 40)).astype("float32")
y = x[:, :1]
def forever():
    while True: yield np.ones(3, np.float32)
def made_model():
    model = tf.keras.Sequential([tf.keras.layers.Dense(128, "relu"), tf.keras.layers.Dense(1)])
    model.compile("adam", "mse", metrics=["mae"])
    return model
def fit(): made_model().fit(x, y, epochs=10**6, verbose=0)
def pipeline():
    data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(3000).map(lambda a, b: (a * 2.0, b)).batch(16).prefetch(2)
    made_model().fit(data, epochs=10**6, verbose=0)
def callback():
    busy = tf.keras.callbacks.LambdaCallback(on_train_batch_end=lambda *a: sum(range(500)))
    made_model().fit(x, y, epochs=10**6, verbose=0, callbacks=[busy])
def eager():
    v = tf.Variable(tf.ones([60, 60]))
    while True: v.assign(tf.tanh(tf.matmul(v, v)))
def generator():
    data = tf.data.Dataset.from_generator(forever, output_signature=tf.TensorSpec([3], tf.float32))
    for _ in data.batch(4).prefetch(2): pass
def loop():
    tf.function(lambda: tf.while_loop(lambda i: i >= 0, lambda i: (i + 1) % 1000, [tf.constant(0)]))()
def endless(*given):
    while True: sum(range(100))
def trace(): tf.function(endless)(tf.ones(3))
WORK = {f.__name__: f for f in (fit, pipeline, callback, eager, generator, loop, trace)}
"""

SIGNALLED = """
class Stop(Exception): pass
def handler(number, frame): raise Stop
signal.signal(signal.{signal}, handler)
threading.Timer({delay}, lambda: os.kill(os.getpid(), signal.{signal})).start()
began = time.monotonic()
try:
    WORK["{work}"]()
except Stop:
    late = time.monotonic() - began - {delay}
    assert late < 5, late
    assert float(tf.reduce_sum(tf.ones([50]))) == 50.0  # it goes on
    sys.exit(0)
"""

FORKED = """
threading.Thread(target=WORK["{work}"], daemon=True).start()
time.sleep({delay})
for _ in range(8):
    child = os.fork()
    if child == 0:
        ok = float(tf.reduce_sum(tf.ones([50]) * 2.0)) == 100.0
        ok = ok and sum(1 for _ in tf.data.Dataset.range(100).batch(7)) == 15
        os._exit(0 if ok else 3)
    assert os.waitpid(child, 0)[1] == 0
os._exit(0)
"""

ENDED = """
threading.Thread(target=WORK["{work}"], daemon=True).start()
time.sleep({delay})
"""

THREADED = """
model = made_model()
model.fit(x, y, verbose=0)
alone = model.evaluate(x, y, verbose=0)
found, failures = [], []
def run(f):
    try:
        for _ in range(4): f()
    except BaseException as error: failures.append(repr(error))
jobs = [lambda: found.append(model.evaluate(x, y, verbose=0)), lambda: found.append(model.evaluate(x, y, verbose=0)),
        lambda: model.predict(x, verbose=0), lambda: made_model().fit(x, y, verbose=0, epochs=2)]
random.Random({seed}).shuffle(jobs)
threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
for t in threads: t.start()
for t in threads: t.join()
assert not failures, failures
assert all(f == alone for f in found), (alone, found)
"""

WORKS = ["fit", "pipeline", "callback", "eager", "generator", "loop", "trace"]


def _one(template, numbers):
    program = BEGIN + textwrap.dedent(template).format(**numbers)
    try:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=60
        )
    except subprocess.TimeoutExpired:
        return f"hangs: {numbers}"
    return None if done.returncode == 0 else f"exit code {done.returncode}: {numbers}: {done.stderr[-2000:]}"


def _job(what, template, works):
    def run(count, seed, only):
        chosen = random.Random(seed)
        drawn = []
        for i in range(count):
            work = works[i % len(works)]
            if only in (None, work):
                delay = round(0.05 + chosen.random() * 0.6, 3)
                drawn.append(
                    {
                        "work": work,
                        "delay": delay,
                        "signal": chosen.choice(["SIGINT", "SIGTERM", "SIGUSR1"]),
                        "seed": chosen.randrange(1000),
                    }
                )
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            problems = [p for p in pool.map(lambda numbers: _one(template, numbers), drawn) if p]
        print(f"{what}: {len(drawn)} tried, {len(problems)} problems")
        return [f"{what}: {p}" for p in problems]

    return run


JOBS = {
    "signal": _job("signals", SIGNALLED, WORKS),
    "fork": _job("forks, eight each", FORKED, [w for w in WORKS if w != "loop"]),
    "end": _job("ends under a daemon thread", ENDED, [w for w in WORKS if w != "loop"]),
    "thread": _job("threads on one model", THREADED, ["fit"]),
}
