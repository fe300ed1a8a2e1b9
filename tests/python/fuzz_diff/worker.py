"""One side of the comparison, many calls a process: python worker.py names|has|make|run … (see main.py).

names OUT            what TensorFlow has that calls are made of
has IN OUT           which of these names Brio has
make IN OUT A B      under TensorFlow: a call, with its result, for each seed from A to B, over the names of IN
run IN OUT FIRST [brio] [wide]
                     under either: the results of the calls of IN from FIRST on; OUT grows call by call, so that a crash
                     shows where it was. wide: all floats have 64 bits
"""

import json
import os
import pathlib
import pickle
import signal
import sys
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
warnings.simplefilter("ignore")

from fuzz_diff import calls, values  # noqa: E402

SECONDS = 20  # a call that takes longer hangs
TRIES = 14
MOST_BYTES = 4_000_000


def packages(brio):
    if brio:
        import brio as tf

        return tf, tf.keras
    import keras
    import tensorflow as tf

    return tf, keras


def _late(*_):
    raise TimeoutError(f"took longer than {SECONDS} s")


def evaluate(source, space):
    """("ok", result) or ("raises", [classes], message)."""
    try:
        return _evaluated(source, space)
    except TimeoutError as error:  # of the alarm, told while another exception was handled
        return ("raises", ["TimeoutError"], str(error))


def _evaluated(source, space):
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(SECONDS)
    try:
        return ("ok", values.plain(eval(source, dict(space))))
    except Exception as error:  # noqa: BLE001  any exception is an answer
        return ("raises", [c.__name__ for c in type(error).__mro__], str(error)[:160])
    finally:
        signal.alarm(0)


def size(result):
    kind, *rest = result
    if kind == "list":
        return sum(size(r) for r in rest[0])
    if kind == "dict":
        return sum(size(r) for r in rest[0].values())
    return rest[1].nbytes if kind == "array" else 8


def space_of(tf, keras, wide=False):
    import numpy as np

    return {"tf": tf, "keras": keras, "np": np, **values.helpers(tf, wide)}


def make(tf, keras, names, seed):
    """(name, source, result) of one call, by seed."""
    table = make.table = getattr(make, "table", None) or calls.found(tf, keras)
    space = make.space = getattr(make, "space", None) or space_of(tf, keras)
    draw = calls.Draw(seed)
    name = draw.rng.choice(names)
    keep_refused = draw.rng.random() < 0.12
    source = result = None
    for i in range(TRIES):
        draw.restart()
        try:
            source = table[name](draw)
        except (IndexError, ValueError, ZeroDivisionError):
            continue
        result = evaluate(source, space)
        if result[0] == "ok" and size(result[1]) <= MOST_BYTES or (keep_refused and i >= 2):
            return name, source, result
    return name, source, result if result and result[0] == "raises" else None


def main():
    what, *rest = sys.argv[1:]
    if what == "names":
        tf, keras = packages(False)
        pathlib.Path(rest[0]).write_text(json.dumps(list(calls.found(tf, keras))))
    elif what == "has":
        tf, keras = packages(True)
        roots = {"tf": tf, "keras": keras}
        names = json.loads(pathlib.Path(rest[0]).read_text())
        pathlib.Path(rest[1]).write_text(json.dumps([n for n in names if _has(n, roots)]))
    elif what == "make":
        tf, keras = packages(False)
        names = json.loads(pathlib.Path(rest[0]).read_text())
        with open(rest[1], "ab") as out:
            for seed in range(int(rest[2]), int(rest[3])):
                pickle.dump((seed, *make(tf, keras, names, seed)), out)
                out.flush()
    elif what == "run":
        tf, keras = packages("brio" in rest[3:])
        wide = "wide" in rest[3:]
        if wide:
            keras.config.set_floatx("float64")
        space = space_of(tf, keras, wide)
        made = pickle.loads(pathlib.Path(rest[0]).read_bytes())
        with open(rest[1], "ab") as out:
            for i in range(int(rest[2]), len(made)):
                pickle.dump((i, evaluate(values.widened(made[i]) if wide else made[i], space)), out)
                out.flush()


def _has(name, roots):
    try:
        return calls._resolve(name, roots) is not None
    except AttributeError:
        return False


if __name__ == "__main__":
    main()
