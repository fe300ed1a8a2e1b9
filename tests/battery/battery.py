"""Batteries: python tests/battery/battery.py flip|kill|full-disk|signal|fork|end|thread|all [--count N] [--seed N]
[--only FORMAT].

flip       one bit of a file is flipped: loading says so, or gives the same; `brio verify` says so.
kill       kill -9 at a random instant while files are written, or while fit() backs up: what is there is whole and of
           one piece, a run that is resumed ends where it would have ended, and nothing is left behind after the next
           start.
full-disk  the disk is full after so many bytes: an error, the old file whole, and nothing left behind.
signal, fork, end, thread   what happens to a process while it works: processes.py"""

import argparse
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
TOOL = pathlib.Path(__file__).resolve().parents[2] / "build/release/brio"
EXPECTED = (OSError, ValueError)  # what a damaged file may raise: DataLossError is an OSError


def leftovers(folder):
    return [p for p in pathlib.Path(folder).rglob("*") if p.name.endswith((".brio-part", ".tmp"))]


# ---- flipped bits


def flip(count, seed, only):
    from formats import FORMATS

    chosen, problems, found = random.Random(seed), [], 0
    names = [n for n in FORMATS if only in (None, n)]
    with tempfile.TemporaryDirectory() as base:
        for name in names:
            os.makedirs(os.path.join(base, name))
            FORMATS[name].save(os.path.join(base, name), 7)
        for i in range(count):
            name = names[i % len(names)]
            folder = os.path.join(base, "flipped")
            shutil.copytree(os.path.join(base, name), folder)
            path = chosen.choice(sorted(p for p in pathlib.Path(folder).rglob("*") if p.is_file()))
            data = bytearray(path.read_bytes())
            at, bit = chosen.randrange(len(data)), chosen.randrange(8)
            data[at] ^= 1 << bit
            path.write_bytes(data)
            where = f"{name}: bit {bit} of byte {at} of {path.relative_to(folder)} ({len(data)} bytes)"
            harmless = False
            try:
                got = FORMATS[name].load(folder)
                harmless = got == 7
                if not harmless:
                    problems.append(f"{where}: it loads as {got}")
            except EXPECTED as error:
                found += 1
                if not str(error):
                    problems.append(f"{where}: {type(error).__name__} without a word")
            except Exception as error:  # noqa: BLE001  any is told
                problems.append(f"{where}: {type(error).__name__}: {error}")
            if TOOL.exists():
                checked = subprocess.run([TOOL, "verify", "--json", folder], capture_output=True, text=True)
                if checked.returncode != 1 and not (harmless and not FORMATS[name].sealed):
                    problems.append(f"{where}: brio verify ends with {checked.returncode}: {checked.stdout.strip()}")
            shutil.rmtree(folder)
    print(f"flip: {count} flipped bits, {found} refused when they were loaded, {len(problems)} problems")
    return problems


# ---- kills


def child_write(name, folder):
    from formats import FORMATS

    print("ready", flush=True)
    n = int(pathlib.Path(folder, "number").read_text())
    while True:
        n += 1
        FORMATS[name].save(folder, n)
        print(n, flush=True)


def child_flush(folder):
    import brio as tf

    writer = tf.io.TFRecordWriter(os.path.join(folder, "r.tfrecord"))
    print("ready", flush=True)
    n = 0
    while True:
        writer.write(b"%08d" % n)
        n += 1
        if n % 10 == 0:
            writer.flush()
            print(n, flush=True)


STEPS, EPOCHS, WIDTH = 9, 6, 120


def training(folder, save_freq):
    """The weights sum up what each step saw: its rows, and what two Dropouts left of them.
    They tell whether one was made twice."""
    import numpy as np

    from brio import keras

    keras.utils.set_random_seed(4)

    class Slow(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            time.sleep(0.002)

    last = keras.layers.Dense(1, use_bias=False, kernel_initializer="zeros")
    model = keras.Sequential(
        [keras.Input((WIDTH,)), keras.layers.Dropout(0.5, seed=3), keras.layers.Dropout(0.1), last]
    )
    model.compile(keras.optimizers.SGD(1.0), loss=lambda y, p: -keras.ops.mean(p))
    x = np.random.default_rng(0).normal(size=(STEPS * 4, WIDTH)).astype("float32")
    backup = keras.callbacks.BackupAndRestore(
        os.path.join(folder, "backup"), save_freq=save_freq, delete_checkpoint=False
    )
    print("ready", flush=True)
    model.fit(x, np.zeros((len(x), 1)), batch_size=4, epochs=EPOCHS, verbose=0, callbacks=[backup, Slow()])
    return model.get_weights()[0].ravel().tolist()


def child_train(folder, save_freq):
    print(json.dumps(training(folder, save_freq if save_freq == "epoch" else int(save_freq))), flush=True)


def start(*words):
    return subprocess.Popen([sys.executable, os.path.abspath(__file__), *words], stdout=subprocess.PIPE, text=True)


def kill_after(process, seconds):
    """Waits until it is ready, lets it work so long, kills it; returns what it said since, and whether it had ended."""
    process.stdout.readline()
    time.sleep(seconds)
    ended = process.poll() is not None
    process.send_signal(signal.SIGKILL)
    rest = process.stdout.read().splitlines()
    process.wait()
    return rest, ended


def kill(count, seed, only, most=20):
    """`most`: kills of one training."""
    from formats import FORMATS

    chosen, problems, resumed = random.Random(seed), [], 0
    names = [n for n in FORMATS if n not in ("cache", "png")] + ["flush", "train_epoch", "train_4"]
    names = [n for n in names if only in (None, n)]
    want = None
    with tempfile.TemporaryDirectory() as base:
        for i in range(count):
            name = names[i % len(names)]
            folder = os.path.join(base, name)
            os.makedirs(folder, exist_ok=True)
            if name.startswith("train"):
                shutil.rmtree(folder)
                os.makedirs(folder)
                freq = name.split("_")[1]
                want = training(os.path.join(base, "whole"), "epoch") if want is None else want
                shutil.rmtree(os.path.join(base, "whole"), ignore_errors=True)
                for _ in range(most):
                    said, ended = kill_after(start("train", folder, freq), chosen.uniform(0.0, 0.12))
                    resumed += 1
                    if ended:
                        break
                if not ended:
                    last = start("train", folder, freq)
                    said = last.communicate()[0].splitlines()
                got = json.loads(said[-1]) if said and said[-1].startswith("[") else said
                if got != want:
                    problems.append(
                        f"{name} {i}: the resumed run ends with other weights: {str(got)[:120]}, not {str(want)[:120]}"
                    )
            elif name == "flush":
                import brio as tf

                for path in pathlib.Path(folder).iterdir():
                    path.unlink()
                said, _ = kill_after(start("flush", folder), chosen.uniform(0.0, 0.1))
                flushed = int(said[-1]) if said else 0
                path = os.path.join(folder, "r.tfrecord")
                count_read = 0
                try:
                    for record in tf.data.TFRecordDataset(path).as_numpy_iterator() if os.path.exists(path) else ():
                        assert record == b"%08d" % count_read
                        count_read += 1
                except tf.errors.DataLossError:  # the record that was being written
                    pass
                if count_read < flushed:
                    problems.append(f"flush {i}: {flushed} records were flushed, {count_read} can be read")
            else:
                known = os.path.join(folder, "number")
                if not os.path.exists(known):
                    FORMATS[name].save(folder, 1)
                    pathlib.Path(known).write_text("1")
                before = int(pathlib.Path(known).read_text())
                said, _ = kill_after(start("write", name, folder), chosen.uniform(0.0, 0.1))
                least = int(said[-1]) if said else before
                try:
                    got = FORMATS[name].load(folder)
                    if not least <= got <= least + 1:
                        problems.append(f"{name} {i}: it was killed after file {least}, and holds {got}")
                    pathlib.Path(known).write_text(str(int(got)))
                except Exception as error:  # noqa: BLE001  any is told
                    problems.append(f"{name} {i}: {type(error).__name__}: {error}")
        for name in names:  # the next start cleans up
            folder = os.path.join(base, name)
            if os.path.isdir(folder) and name in FORMATS:
                process = start("write", name, folder)
                for _ in range(3):
                    process.stdout.readline()
                kill_after_reading = [p for p in leftovers(folder) if f".{process.pid}." not in p.name]
                process.kill()
                process.wait()
                problems += [f"{name}: {p.name} is left behind" for p in kill_after_reading]
                kept = [
                    p
                    for p in pathlib.Path(folder).rglob("*")
                    if p.is_file() and p.stat().st_size > 10_000 and not p.name.endswith(".brio-part")
                ]
                if len(kept) > 3:
                    problems.append(f"{name}: there are {len(kept)} large files: {[p.name for p in kept]}")
    print(f"kill: {count} rounds, {resumed} kills of a training, {len(problems)} problems")
    return problems


# ---- full disks


def child_full(name, folder, limit):
    from formats import FORMATS

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        FORMATS[name].save(folder, 2)
    except Exception as error:  # noqa: BLE001  which ones is what is tested
        print(f"{type(error).__name__}: {error}"[:300])
        sys.exit(0 if isinstance(error, (OSError, RuntimeError, MemoryError)) else 3)
    sys.exit(1)


def full_disk(count, seed, only):
    from formats import FORMATS

    chosen, problems, refused = random.Random(seed), [], 0
    names = [n for n in FORMATS if only in (None, n)]
    for i in range(count):
        name = names[i % len(names)]
        with tempfile.TemporaryDirectory() as folder:
            FORMATS[name].save(folder, 1)
            largest = max(p.stat().st_size for p in pathlib.Path(folder).rglob("*") if p.is_file())
            before = {p: p.read_bytes() for p in pathlib.Path(folder).rglob("*") if p.is_file()}
            limit = chosen.randrange(largest)
            ended = subprocess.run(
                [sys.executable, os.path.abspath(__file__), "full", name, folder, str(limit)],
                capture_output=True,
                text=True,
            )
            where = f"{name} with {limit} of {largest} bytes"
            refused += ended.returncode == 0
            if ended.returncode not in (0, 1):
                problems.append(f"{where}: ends with {ended.returncode}: {ended.stdout} {ended.stderr[-300:]}")
            try:
                got = FORMATS[name].load(folder)
                if got != (1 if ended.returncode == 0 else 2) and name != "cache":
                    problems.append(f"{where}: holds {got}")
            except Exception as error:  # noqa: BLE001  any is told
                if name != "cache":  # a cache is made anew
                    problems.append(f"{where}: {type(error).__name__}: {error}")
            problems += [f"{where}: {p.name} is left behind" for p in leftovers(folder)]
            if ended.returncode == 0 and name not in ("cache", "checkpoint", "saved_model"):
                problems += [f"{where}: {p.name} was changed" for p, data in before.items() if p.read_bytes() != data]
    print(f"full-disk: {count} full disks, {refused} said so, {len(problems)} problems")
    return problems


def main():
    import processes

    jobs = {"flip": flip, "kill": kill, "full-disk": full_disk, **processes.JOBS}
    if len(sys.argv) > 1 and sys.argv[1] in ("write", "flush", "train", "full"):
        words = sys.argv[2:]
        {
            "write": child_write,
            "flush": child_flush,
            "train": child_train,
            "full": lambda n, f, size: child_full(n, f, int(size)),
        }[sys.argv[1]](*words)
        return 0
    parser = argparse.ArgumentParser()
    parser.add_argument("job", choices=[*jobs, "all"])
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only")
    given = parser.parse_args()
    problems = []
    for name, counted in (
        ("flip", 2000),
        ("kill", 250),
        ("full-disk", 150),
        ("signal", 150),
        ("fork", 40),
        ("end", 100),
        ("thread", 20),
    ):
        if given.job in (name, "all"):
            problems += jobs[name](given.count or counted, given.seed, given.only)
    for line in problems:
        print(line)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
