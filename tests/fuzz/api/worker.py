"""One process of the fuzzer of the Python door: makes calls and says what came of them.

    worker.py SEED FIRST COUNT NOTE     calls FIRST … FIRST+COUNT-1 of SEED
    worker.py --call TEXT               one call

NOTE is a file that always holds the number and the text of the call that is being made, for whoever finds this process
dead or stuck. Each failure is one line of JSON on standard output; the last line has the counts."""

import contextlib
import faulthandler
import io
import json
import os
import random
import resource
import sys
import time
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np

import brio as tf
import nasty
import settings

keras = tf.keras
MEMORY = 6 << 30  # no call has a right to more
GROWTH = 1 << 30  # nor to keep more


def built_layer():
    layer = keras.layers.Dense(3)
    layer.build((None, 2))
    return layer


def built_model():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["mae"])
    return model


def functional_model():
    x = keras.Input((3,))
    model = keras.Model(x, keras.layers.Dense(2)(keras.layers.Concatenate()([keras.layers.Dense(150)(x), x])))
    model.compile("adam", "mse")
    return model


NAMES = {
    "tf": tf,
    "keras": keras,
    "np": np,
    "nasty": nasty,
    "built_layer": built_layer,
    "built_model": built_model,
    "functional_model": functional_model,
}

# What a caller of TensorFlow is prepared for, and what Python itself raises of structures that hold themselves
# (RecursionError) or of lists that no memory holds (MemoryError). SystemError is not among them.
EXPECTED = (
    TypeError, ValueError, IndexError, KeyError, AttributeError, OverflowError, AssertionError, StopIteration,
    ArithmeticError, BufferError, NotImplementedError, LookupError, OSError, ImportError, EOFError, np.ma.MAError,
    RecursionError, MemoryError, nasty.Boom, tf.errors.OpError, Warning, tf.compat.v1.flags.Error,
)  # fmt: skip
UNEXPECTED_TEXT = ("std::", "bad_cast", "bad_alloc", "basic_string", "vector::")


def evaluate(text):
    return eval(text, dict(NAMES))


def consume(result, depth=0):
    """Reads what came back, as a program would."""
    if isinstance(result, (tf.Tensor, tf.Variable)):
        result.numpy()
    elif isinstance(result, (list, tuple)) and depth < 3:
        for item in result[:8]:
            consume(item, depth + 1)
    elif isinstance(result, dict) and depth < 3:
        for item in list(result.values())[:8]:
            consume(item, depth + 1)
    elif isinstance(result, tf.data.Dataset):
        for _, item in zip(range(3), result):
            consume(item, depth + 1)
    elif depth == 0 and type(result).__module__.startswith("brio"):
        repr(result)


def why_bad(error):
    """What is wrong with an exception, or None."""
    if isinstance(error, tf.errors.InternalError):
        return "an error of our own"
    text = str(error)
    if any(word in text for word in UNEXPECTED_TEXT):
        return "a message from inside"
    if isinstance(error, tf.errors.OpError) and not text.strip():
        return "an error without a word"
    if isinstance(error, EXPECTED):
        return None
    if isinstance(error, RuntimeError) and text:
        return None  # Python's and TensorFlow's own kind for a wrong order of calls
    return "an exception that nobody expects"


def attempt(text):
    """Why the call failed, or None."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            consume(evaluate(text))
    except Exception as error:  # noqa: BLE001  which ones is what is tested
        try:
            bad = why_bad(error)
        except nasty.Boom:
            return None
        return bad and f"{bad}: {type(error).__name__}: {str(error)[:300]}"
    except BaseException as error:  # noqa: BLE001
        return f"an exception that nobody expects: {type(error).__name__}"
    finally:
        settings.restore()
    return None


class Calls:
    """The calls of a seed, by number: each is made from the seed and its number alone."""

    def __init__(self, seed):
        import targets
        import values

        self.seed, self.values = seed, values
        self.targets = targets.functions() + targets.methods(evaluate)

    def text(self, number):
        pick = random.Random(f"{self.seed}:{number}")
        target = pick.choice(self.targets)
        nastiness = pick.choice([0.1, 0.35, 1.0])

        def value(name):
            return pick.choice(self.values.NASTY if pick.random() < nastiness else self.values.plausible(name))

        count = min(pick.choice([0, 1, 1, 2, 2, 3, 4, 6]), len(target.positional) + (pick.random() < 0.03))
        given = [value(target.positional[i] if i < len(target.positional) else "") for i in range(count)]
        rest = [name for name in target.keywords if name not in target.positional[:count] and name]
        for name in pick.sample(rest, min(pick.choice([0, 0, 1, 2]), len(rest))):
            given.append(f"{name}={value(name)}")
        return f"{target.text}({', '.join(given)})"


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def main():
    faulthandler.enable()
    np.seterr(all="ignore")
    os.makedirs("scratch", exist_ok=True)
    if "ASAN_OPTIONS" not in os.environ:  # which maps terabytes, and has a bound of its own
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.argv[1] == "--call":
        bad = attempt(sys.argv[2])
        print(bad or "as expected")
        sys.exit(bad is not None)
    seed, first, count, note = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    calls = Calls(seed)
    out = sys.stdout
    fd = os.open(note, os.O_WRONLY | os.O_CREAT)
    before, failures = resident(), 0
    for number in range(first, first + count):
        text = calls.text(number)
        os.pwrite(fd, f"{number}\n{text}\n".encode("utf-8", "backslashreplace").ljust(1 << 14), 0)
        started = time.monotonic()
        bad = attempt(text)
        took = time.monotonic() - started
        if not bad and took > 10:
            bad = f"took {took:.0f} s"
        if not bad and (number & 15 == 0 or took > 0.1) and (now := resident()) > before + GROWTH:
            bad, before = (
                f"the process grew by {(now - before) >> 20} MB, in this call or in the fifteen before it",
                now,
            )
        if bad:
            failures += 1
            print(json.dumps({"number": number, "call": text, "why": bad}), file=out, flush=True)
    print(json.dumps({"done": count, "failures": failures}), file=out, flush=True)
    os._exit(0)  # what the calls left behind need not be taken down in order; other tests do that


if __name__ == "__main__":
    main()
