"""Cases that mean the same under TensorFlow and under Brio.

A case is a piece of Python that uses `tf`, `keras` and `np` and leaves its answer in `result`, or is one expression.
make_golden.py runs it under TensorFlow and keeps the answer; test_golden.py runs it under Brio and compares. A case may
fail: then the class of the exception is the answer, and Brio's must be of the same class or of one that is also that.
"""

import ast
import base64
import importlib
import linecache
import pathlib
import re
import textwrap

import numpy as np

HERE = pathlib.Path(__file__).parent


def case_files():
    """Modules of cases/: each has CASES, a list of (name, source) or (name, source, options)."""
    return sorted(p.stem for p in (HERE / "cases").glob("*.py") if p.stem != "__init__")


def cases(file):
    module = importlib.import_module(f"cases.{file}")
    seen = set()
    for name, source, *options in module.CASES:
        if name in seen:
            raise ValueError(f"cases/{file}.py has two cases named {name}")
        seen.add(name)
        yield name, source, (options[0] if options else {})


def run(source, tf):
    """The answer of a case as plain data."""
    # Keras by itself has names that tf.keras lacks, such as keras.ops.
    keras = importlib.import_module("keras") if tf.__name__ == "tensorflow" else tf.keras
    keras.utils.set_random_seed(1)
    # The same numbers on both sides, whatever ran before.
    names = {"__name__": "case", "tf": tf, "keras": keras, "np": np, "rng": np.random.default_rng(7)}
    source = textwrap.dedent(source).strip()
    tree = ast.parse(source)
    # Where inspect finds it: AutoGraph reads the source of functions.
    file = f"<case {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    try:
        if isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
            exec(compile(tree, file, "exec"), names)
            result = eval(compile(last, file, "eval"), names)
        else:
            exec(compile(tree, file, "exec"), names)
            result = names["result"]
        return plain(result)
    except Exception as error:  # noqa: BLE001  any exception is an answer
        return {
            "raises": [c.__name__ for c in type(error).__mro__ if c not in (object, BaseException)],
            "message": of_any_machine(str(error))[:120],
        }


def of_any_machine(message):
    """A message without addresses, lines of a traceback and directories."""
    message = re.sub(r"0x[0-9a-f]+", "0x", message)
    message = re.sub(r'\n *File "[^\n]*(\n    [^\n]*)?', "", message)
    return re.sub(r"(?<![\w./:])(/[\w.+-]+)+/(?=[\w.+-])", "", message)


def plain(value):
    if value is None or isinstance(value, (bool, str)):
        return {"value": value}
    if isinstance(value, (int, float)):
        return {"number": repr(value)}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {"dict": {str(k): plain(v) for k, v in value.items()}}
    if type(value).__name__ == "TensorShape":
        return {"value": str(tuple(value))}
    if isinstance(value, (list, tuple)):
        return {"list": [plain(v) for v in value]}
    if hasattr(value, "as_numpy_dtype"):
        return {"value": f"dtype {value.name}"}
    if hasattr(value, "to_dense") and hasattr(value, "indices"):
        return {"list": [plain(value.indices), plain(value.values)]}
    if hasattr(value, "values") and hasattr(value, "row_splits"):
        return {"list": [plain(value.values), plain(value.row_splits)]}
    if hasattr(value, "values") and hasattr(value, "indices") and hasattr(value, "dense_shape"):  # IndexedSlices
        import tensorflow as tf

        value = tf.convert_to_tensor(value)
    array = value.numpy() if hasattr(value, "numpy") else np.asarray(value)
    if isinstance(array, bytes):
        return plain(array)
    array = np.asarray(array)
    if array.dtype == object:
        return {"list": [plain(v) for v in array.reshape(-1).tolist()], "shape": list(array.shape)}
    dtype = array.dtype.name
    if dtype == "bfloat16":
        array = array.astype(np.float32)
    # As text: small, readable in a diff, and every bit of a double.
    flat = array.reshape(-1)
    if array.dtype.kind == "c":
        numbers = [[float(v.real), float(v.imag)] for v in flat.tolist()]
    else:
        numbers = flat.tolist()
        if array.dtype.kind == "f":
            numbers = [float(f"{v:.9g}") if array.dtype.itemsize <= 4 else v for v in numbers]
    return {"dtype": dtype, "shape": list(array.shape), "data": numbers}


def differences(got, want, options, where="result"):
    """What is different, as lines; none where they agree."""
    if "raises" in want or "raises" in got:
        if "raises" not in want:
            return [f"{where}: raised {got['raises'][0]}: {got['message']}"]
        wanted = options.get("raises", want["raises"][0])
        if "raises" not in got:
            return [f"{where}: nothing was raised, but TensorFlow raises {want['raises'][0]}: {want['message']}"]
        return [] if wanted in got["raises"] else [f"{where}: raised {got['raises']} ({got['message']}), not {wanted}"]
    if "list" in want and "list" in got:
        if len(want["list"]) != len(got["list"]):
            return [f"{where}: {len(got['list'])} items, not {len(want['list'])}"]
        return [
            d
            for i, (g, w) in enumerate(zip(got["list"], want["list"]))
            for d in differences(g, w, options, f"{where}[{i}]")
        ]
    if "dict" in want and "dict" in got:
        if sorted(want["dict"]) != sorted(k for k in got["dict"] if k in want["dict"] or not options.get("more_keys")):
            return [f"{where}: keys {sorted(got['dict'])}, not {sorted(want['dict'])}"]
        return [
            d for k in want["dict"] for d in differences(got["dict"][k], want["dict"][k], options, f"{where}[{k!r}]")
        ]
    if "number" in want and "number" in got:
        g, w = float(got["number"]), float(want["number"])
        same = (
            g == w
            or (np.isnan(g) and np.isnan(w))
            or np.isclose(g, w, rtol=options.get("rtol", 1e-5), atol=options.get("atol", 1e-7))
        )
        return [] if same else [f"{where}: {g}, not {w}"]
    if "data" in want and "data" in got:
        for key in ("dtype", "shape"):
            if got[key] != want[key] and not (key == "dtype" and options.get("any_dtype")):
                return [f"{where}: {key} {got[key]}, not {want[key]}"]
        g, w = np.array(got["data"], dtype=np.float64), np.array(want["data"], dtype=np.float64)
        if want["dtype"] in ("bool",) or want["dtype"].startswith(("int", "uint")):
            return [] if np.array_equal(g, w) else [f"{where}: {got['data']}, not {want['data']}"]
        finite = np.abs(w[np.isfinite(w)])
        scale = finite.max() if finite.size else 0.0
        narrow = want["dtype"] in ("float16", "bfloat16")
        rtol = options.get("rtol", {"float16": 2e-3, "bfloat16": 1e-2}.get(want["dtype"], 1e-5))
        atol = options.get("atol", 1e-6 * max(scale, 1e-30) * (1000 if narrow else 1))
        if np.allclose(g, w, rtol=rtol, atol=atol, equal_nan=True):
            return []
        return [
            f"{where}: {got['data'][:8]}, not {want['data'][:8]} (largest difference {np.nanmax(np.abs(g - w)):.3g})"
        ]
    return [] if got == want else [f"{where}: {str(got)[:200]}, not {str(want)[:200]}"]
