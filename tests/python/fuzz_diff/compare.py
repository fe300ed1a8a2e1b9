"""Are two results the same? And the differences that are known: a table of docs/compat.md."""

import fnmatch
import pathlib
import re

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
# How far results may lie apart, beside the size of the largest: rounding differs in order and in functions.
RELATIVE = {"float64": 1e-9, "float32": 2e-5, "float16": 4e-3, "bfloat16": 3e-2, "complex64": 2e-5, "complex128": 1e-9}


def difference(want, got, exact=1.0):
    """(kind, what) of the first difference, or None. Kinds: refused, accepted, class, dtype, shape, value, structure."""
    if want[0] == "raises" or got[0] == "raises":
        if want[0] == "ok":
            return "refused", f"{got[1][0]}: {got[2]}"
        if got[0] == "ok":
            return "accepted", f"TensorFlow raises {want[1][0]}: {want[2][:100]}"
        return None if _alike(want[1], got[1]) else ("class", f"raises {got[1][0]} ({got[2][:80]}), not {want[1][0]} ({want[2][:80]})")
    return _between(want[1], got[1])


# Classes that mean: an argument is wrong. Which of them a library raises depends on where it looks.
_WRONG = {"ValueError", "TypeError", "InvalidArgumentError", "IndexError", "UnimplementedError", "NotFoundError", "OutOfRangeError", "AttributeError",
          "KeyError", "ZeroDivisionError", "OverflowError", "AssertionError", "NotImplementedError", "InternalError", "FailedPreconditionError", "LookupError"}  # fmt: skip


def _alike(want, got):
    return got[0] in want or want[0] in got or (want[0] in _WRONG and bool(set(got) & (_WRONG - {"InternalError", "AssertionError", "LookupError"})))


def _between(want, got, where=""):
    if want[0] != got[0]:
        kinds = {want[0], got[0]}
        if kinds == {"array", "value"}:  # a number of Python and a scalar
            a, b = (np.asarray(x[2] if x[0] == "array" else x[1]) for x in (want, got))
            return None if a.shape == b.shape and a.dtype.kind in "biuf" and np.allclose(a, b, equal_nan=True) else ("structure", f"{where} {got[0]}, not {want[0]}")
        return "structure", f"{where} a {got[0]} ({str(got[1])[:60]}), not a {want[0]} ({str(want[1])[:60]})"
    if want[0] == "value":
        a, b = want[1], got[1]
        same = a == b or (isinstance(a, float) and isinstance(b, float) and (abs(a - b) <= 1e-5 * max(1, abs(a)) or (a != a and b != b)))
        return None if same or (isinstance(a, str) and a.startswith("a ")) else ("value", f"{where} {b!r}, not {a!r}")
    if want[0] == "list":
        if len(want[1]) != len(got[1]):
            return "structure", f"{where} {len(got[1])} items, not {len(want[1])}"
        return next((d for i, (a, b) in enumerate(zip(want[1], got[1])) if (d := _between(a, b, f"{where}[{i}]"))), None)
    if want[0] == "dict":
        if sorted(want[1]) != sorted(got[1]):
            return "structure", f"{where} keys {sorted(got[1])}, not {sorted(want[1])}"
        return next((d for k in want[1] if (d := _between(want[1][k], got[1][k], f"{where}[{k!r}]"))), None)
    (_, dtype, a), (_, other, b) = want, got
    if dtype != other:
        return "dtype", f"{where} {other}, not {dtype}"
    if a.shape != b.shape:
        return "shape", f"{where} {b.shape}, not {a.shape}"
    if a.dtype.kind not in "fc":
        wrong = a != b
        if not np.any(wrong):
            return None
        at = tuple(int(i) for i in np.argwhere(wrong)[0]) if a.ndim else ()
        return "value", f"{where} {b[at]!r}, not {a[at]!r}, at {at}; {int(np.sum(wrong))} of {a.size} differ"
    with np.errstate(all="ignore"):
        x, y = (v.astype(np.complex128 if a.dtype.kind == "c" else np.float64) for v in (a, b))
        finite = np.isfinite(x)
        largest = np.max(np.abs(x[finite])) if finite.any() else 0.0
        bound = RELATIVE[dtype] * (np.abs(x) + 0.5 * largest) + RELATIVE[dtype] * 0.1
        wrong = np.where(finite & np.isfinite(y), np.abs(x - y) > bound, ~((x == y) | (np.isnan(x) & np.isnan(y))))
    if not np.any(wrong):
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0]) if a.ndim else ()
    return "value", f"{where} {b[at]!r}, not {a[at]!r}, at {at}; {int(np.sum(wrong))} of {a.size} differ"


def as_json(result):
    """A result as JSON keeps it; from_json gives it back."""
    kind, *rest = result
    if kind == "list":
        return {"list": [as_json(r) for r in rest[0]]}
    if kind == "dict":
        return {"dict": {k: as_json(r) for k, r in rest[0].items()}}
    if kind == "value":
        return {"value": repr(rest[0]) if isinstance(rest[0], complex) else rest[0]}
    dtype, array = rest
    flat = array.reshape(-1)
    if dtype == "string":
        numbers = [s.decode("latin-1") if isinstance(s, bytes) else s for s in flat.tolist()]
    elif array.dtype.kind == "c":
        numbers = [[v.real, v.imag] for v in flat.tolist()]
    else:
        numbers = [float(f"{v:.9g}") for v in flat.tolist()] if array.dtype.kind == "f" and array.dtype.itemsize <= 4 else flat.tolist()
    return {"array": dtype, "shape": list(array.shape), "data": numbers}


def from_json(kept):
    if "list" in kept:
        return ("list", [from_json(r) for r in kept["list"]])
    if "dict" in kept:
        return ("dict", {k: from_json(r) for k, r in kept["dict"].items()})
    if "value" in kept:
        return ("value", kept["value"])
    dtype, shape, data = kept["array"], kept["shape"], kept["data"]
    if dtype == "string":
        made = np.empty(len(data), object)
        made[:] = [s.encode("latin-1") for s in data]
    elif dtype.startswith("complex"):
        made = np.array([complex(*v) for v in data], dtype)
    else:
        made = np.array(data, "float32" if dtype == "bfloat16" else dtype)
    return ("array", dtype, made.reshape(shape))


class Known:
    """The rows of docs/compat.md between the marks: | `call` | `kind` | why |. A call is a pattern of its source, * standing for anything."""

    def __init__(self, path=ROOT / "docs" / "compat.md"):
        text = path.read_text()
        part = re.search(r"<!-- fuzz-diff -->(.*?)<!-- /fuzz-diff -->", text, re.S)
        self.rows, self.used = [], {}
        for line in part[1].splitlines() if part else ():
            cells = [c.strip() for c in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
            if len(cells) == 3 and cells[0].startswith("`"):
                patterns = [p.replace("\\|", "|") for p in re.findall(r"`([^`]+)`", cells[0])]
                kinds = re.findall(r"`([^`]+)`", cells[1])
                self.rows.append((patterns, kinds, cells[2]))

    def why(self, source, kind):
        """The reason, where the difference is a known one."""
        for i, (patterns, kinds, reason) in enumerate(self.rows):
            if kind in kinds and any(fnmatch.fnmatchcase(source, _plain_pattern(p)) for p in patterns):
                self.used[i] = self.used.get(i, 0) + 1
                return reason
        return None


def _plain_pattern(pattern):
    return "*" + pattern.replace("[", "[[]") + "*"
