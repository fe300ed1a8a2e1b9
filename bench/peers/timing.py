"""What every peer shares: the shapes of the workloads, the stopwatch, and the line of JSON that it reports."""

import functools
import json
import os
import pathlib
import sys
import tempfile
import time

# The workloads, as bench/README.md defines them.
GD_X = [[1, 2], [3, 4], [5, 6]]
GD_Y = [7, 8, 9]
GD_RATE = 0.01
MLP_BATCH, MLP_IN, MLP_HIDDEN = 32, 100, 64
FIT_ROWS = 10_000
WIDE_LAYERS, WIDE_BATCH, WIDE_RATE = (1024, 4096, 4096, 10), 256, 0.01
LSTM_BATCH, LSTM_TIME, LSTM_FEATURES, LSTM_UNITS = 32, 64, 128, 128
LENGTHS_BATCH, LENGTHS_ROWS, LENGTHS_WIDTH, LENGTHS_UNITS, LENGTHS = (
    8,
    1000,
    32,
    64,
    [8 + i * 73 % 1000 for i in range(1000)],
)
EMBEDDING_ROWS, EMBEDDING_WIDTH, EMBEDDING_BATCH, EMBEDDING_RATE = 100_000, 128, (64, 32), 0.01
PICTURE_VARIANTS = {  # channels, window, stride and side of `cnn` and `separable`
    "": (32, 3, 1, 224),
    "_16": (16, 3, 1, 224),
    "_64": (64, 3, 1, 224),
    "_5x5": (32, 5, 1, 224),
    "_stride2": (32, 3, 2, 224),
    "_160": (32, 3, 1, 160),
}
CHAIN_ELEMENTS = 16 * 1024 * 1024
ATTENTION_LONG, ATTENTION_SHORT = (2, 1024, 8, 64), (8, 128, 8, 64)  # batch, length, heads, depth
XENT_ROWS, XENT_CLASSES = 8192, 32000
ADAM_TENSORS, ADAM_SIZE = 50, 500_000
ROWS, ROW_WIDTH, ROW_BATCH = 10_000, 100, 32
PHOTO_SIZE, PHOTO_BATCH = (224, 224), 32
PHOTO_MEAN, PHOTO_DEVIATION = [124.0, 116.0, 104.0], [58.0, 57.0, 57.0]
SHUFFLED = 10_000_000
RECORDS, RECORD_SIDE, RECORD_BATCH = 1000, 224, 64
EXAMPLE_BATCH = 128
BENCH_DATA = pathlib.Path(os.environ.get("BRIO_BENCH_DATA", os.path.join(tempfile.gettempdir(), "brio-bench-data")))
DATA = pathlib.Path(os.environ.get("BRIO_DATA", pathlib.Path(__file__).resolve().parents[2] / ".." / "shared" / "data"))

SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


def measure(run, unit, warm_up=0.5, block=0.02, budget=2, blocks=30):
    """Times run(n), which does n iterations and waits until they are done.

    Warms up, picks n so that a block takes about `block` seconds, then times at least 3 blocks and at most `blocks`,
    stopping when `budget` seconds are spent. Returns median and best time an iteration, and the time of the very first.
    """
    clock = time.perf_counter
    start = clock()
    run(1)  # compiles, traces, allocates
    first = clock() - start
    n, start = 1, clock()
    while True:
        before = clock()
        run(n)
        took = clock() - before
        if took < block / 2 and n < 1 << 24:
            n *= 2
        elif clock() - start > warm_up:
            break
    for _ in range(2):  # the last one may have been an outlier (a recompilation, a busy machine)
        before = clock()
        run(n)
        took = min(took, clock() - before)
    n = max(1, round(n * block / max(took, 1e-9)))

    times, start = [], clock()
    while len(times) < 3 or (len(times) < blocks and clock() - start < budget):
        before = clock()
        run(n)
        times.append((clock() - before) / n / SECONDS[unit])
    times.sort()
    middle = len(times) // 2
    median = times[middle] if len(times) % 2 else (times[middle - 1] + times[middle]) / 2
    return {"unit": unit, "median": median, "best": times[0], "n": len(times) * n, "first_ms": first * 1e3}


def time_epochs(batches, unit, elements=1):
    """Times an epoch over anything that can be iterated, or an element of it where their number is given."""

    def run(n):
        for _ in range(n):
            for _batch in batches:
                pass

    result = measure(run, unit, budget=4)
    return {**result, "median": result["median"] / elements, "best": result["best"] / elements}


def networks(run):
    """The workloads that are whole networks: run(name, variant…) of each."""
    pairs = [f"{kind}{variant}" for kind in ("cnn", "separable") for variant in (*PICTURE_VARIANTS, "_bf16")]
    names = [*pairs, "lstm", "text_lstm", "resnet18", "mobilenet", "decoder", "unet"]
    return {name: functools.partial(run, name) for name in names}


def main(version, workloads):
    """Runs the workload named on the command line: NAME [VARIANT]. Its function returns what measure(…) returned; that
    of `start` returns the loss of its one step."""
    name, *variant = sys.argv[1:]
    print(json.dumps({"name": name, "version": version, **workloads[name](*variant)}))


def measure_rows(version, rows, beginnings):
    """Times the rows (name → makes the inputs, returns the call) whose names begin so; one line of JSON each."""
    for name, make in rows.items():
        if beginnings and not name.startswith(tuple(beginnings)):
            continue
        call = make()

        def run(count):
            for _ in range(count):
                call()

        result = measure(run, "us", warm_up=0.03, block=0.005, budget=0.3, blocks=25)
        print(json.dumps({"name": name, "version": version, **result}), flush=True)
