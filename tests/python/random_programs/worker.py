"""One side of the comparison, many programs a process: python worker.py brio|tensorflow OUT SEED… [wide].

OUT grows program by program, so that a crash shows where it was. wide: the same programs in 64 bits."""

import ast
import linecache
import os
import pathlib
import pickle
import signal
import sys
import tempfile
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import numpy as np  # noqa: E402

from fuzz_diff import values  # noqa: E402
from random_programs import programs  # noqa: E402

SECONDS = 60  # a program that takes longer hangs
KEPT = 60  # numbers of an array


def packages(library):
    """(tf, keras)."""
    if library == "brio":
        import brio as tf

        return tf, tf.keras
    import keras
    import tensorflow as tf

    return tf, keras


def source_of(seed, wide=False):
    """The program of a seed; wide: in 64 bits."""
    text = programs.source(seed)
    first, _, rest = text.partition("\n")
    return f"POLICY = 'float64'\n{rest}" if wide else f"{first}\n{rest}"


def run(text, tf, keras):
    """("ok", result) or ("raises", [classes], message), with the line that raised."""
    keras.backend.clear_session()
    _set_defaults(keras)
    keras.utils.set_random_seed(1)
    file = f"<program {hash(text)}>"  # where inspect finds it: AutoGraph reads the source of functions
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(SECONDS)
    try:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            names = {"__name__": "program", "tf": tf, "keras": keras, "np": np, "folder": folder}
            exec(compile(ast.parse(text), file, "exec"), names)
            return ("ok", brief(values.plain(names["result"])))
    except Exception as error:  # noqa: BLE001  any exception is an answer
        line = _line(error, file)
        shown = text.splitlines()[line - 1].strip()[:160] if line else ""
        return (
            "raises",
            [c.__name__ for c in type(error).__mro__ if c not in (object, BaseException)],
            f"{' '.join(str(error).split())[:300]} [line {line}: {shown}]",
        )
    finally:
        signal.alarm(0)
        _set_defaults(keras)


def _set_defaults(keras):
    """A program may have set them, and whatever runs next in this process sees them too."""
    keras.config.set_floatx("float32")
    keras.config.set_dtype_policy("float32")


def _late(*_):
    raise TimeoutError(f"took longer than {SECONDS} s")


def _line(error, file):
    found, trace = 0, error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == file:
            found = found or trace.tb_lineno
        trace = trace.tb_next
    return found


def brief(result):
    """A result with the first numbers of its arrays, their sum and their size;
    floats as those of float32, beside their dtype."""
    kind = result[0]
    if kind == "list":
        return ("list", [brief(r) for r in result[1]])
    if kind == "dict":
        return ("dict", {k: brief(r) for k, r in result[1].items()})
    if kind == "value":
        return ("array", "float32", np.asarray(result[1], "float64")) if isinstance(result[1], float) else result
    _, dtype, array = result
    if array.dtype.kind != "f":
        return result
    flat = array.reshape(-1).astype("float64")
    with np.errstate(all="ignore"):
        numbers = np.concatenate([flat[:KEPT], [flat.mean(), np.abs(flat).mean()] if flat.size > KEPT else []])
    return ("list", [("value", dtype), ("value", str(array.shape)), ("array", "float32", numbers)])


def main(library, out, *seeds):
    wide = seeds[-1:] == ("wide",)
    tf, keras = packages(library)
    with open(out, "ab") as file:
        for seed in seeds[: -1 if wide else None]:
            pickle.dump((int(seed), run(source_of(int(seed), wide), tf, keras)), file)
            file.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
