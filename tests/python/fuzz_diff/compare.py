"""Are two results the same? And the differences that are known: a table of docs/compat.md."""

import fnmatch
import pathlib
import re

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
# How far results may lie apart, beside the size of the largest: rounding differs in order and in functions.
RELATIVE = {"float64": 1e-9, "float32": 2e-5, "float16": 4e-3, "bfloat16": 3e-2, "complex64": 2e-5, "complex128": 1e-9}


# What no program can mean to get: a mistake of TensorFlow's own.
TENSORFLOWS_OWN = ("UnboundLocalError", "MemoryError")


def difference(want, got):
    """(kind, what) of the first difference, or None.
    Kinds: refused, no complex, accepted, class, dtype, shape, value, sign, structure."""
    if want[0] == "raises" or got[0] == "raises":
        if want[0] == "ok":
            return "no complex" if NO_COMPLEX.search(got[2]) else "refused", f"{got[1][0]}: {got[2]}"
        if got[0] == "ok":
            return "accepted", f"TensorFlow raises {want[1][0]}: {want[2][:100]}"
        if want[1][0] in TENSORFLOWS_OWN:
            return None
        return (
            None
            if _alike(want[1], got[1])
            else ("class", f"raises {got[1][0]} ({got[2][:80]}), not {want[1][0]} ({want[2][:80]})")
        )
    found = _between(want[1], got[1])
    if found and found[0] == "value" and _between(_sizes(want[1]), _sizes(got[1])) is None:
        return "sign", found[1]
    return found


NO_COMPLEX = re.compile("takes no complex|but got complex")


def _sizes(result):
    """A result with the absolute values of its numbers."""
    if result[0] == "list":
        return ("list", [_sizes(r) for r in result[1]])
    return (*result[:2], np.abs(result[2])) if result[0] == "array" and result[2].dtype.kind == "f" else result


# Classes that mean: an argument is wrong. Which of them a library raises depends on where it looks.
_WRONG = {"ValueError", "TypeError", "InvalidArgumentError", "IndexError", "UnimplementedError", "NotFoundError",
          "OutOfRangeError", "AttributeError", "KeyError", "ZeroDivisionError", "OverflowError", "AssertionError",
          "NotImplementedError", "InternalError", "FailedPreconditionError", "LookupError"}  # fmt: skip


def _alike(want, got):
    return (
        got[0] in want
        or want[0] in got
        or (want[0] in _WRONG and bool(set(got) & (_WRONG - {"InternalError", "AssertionError", "LookupError"})))
    )


def _between(want, got, where=""):
    if want[0] != got[0]:
        kinds = {want[0], got[0]}
        if kinds == {"array", "value"}:  # a number of Python and a scalar
            a, b = (np.asarray(x[2] if x[0] == "array" else x[1]) for x in (want, got))
            return (
                None
                if a.shape == b.shape and a.dtype.kind in "biuf" and np.allclose(a, b, equal_nan=True)
                else ("structure", f"{where} {got[0]}, not {want[0]}")
            )
        return "structure", f"{where} a {got[0]} ({str(got[1])[:60]}), not a {want[0]} ({str(want[1])[:60]})"
    if want[0] == "value":
        a, b = want[1], got[1]
        same = a == b or (
            isinstance(a, float)
            and isinstance(b, float)
            and (abs(a - b) <= 1e-5 * max(1, abs(a)) or (a != a and b != b))
        )
        return None if same or (isinstance(a, str) and a.startswith("a ")) else ("value", f"{where} {b!r}, not {a!r}")
    if want[0] == "list":
        if len(want[1]) != len(got[1]):
            return "structure", f"{where} {len(got[1])} items, not {len(want[1])}"
        return next(
            (d for i, (a, b) in enumerate(zip(want[1], got[1])) if (d := _between(a, b, f"{where}[{i}]"))), None
        )
    if want[0] == "dict":
        if sorted(want[1]) != sorted(got[1]):
            return "structure", f"{where} keys {sorted(got[1])}, not {sorted(want[1])}"
        return next((d for k in want[1] if (d := _between(want[1][k], got[1][k], f"{where}[{k!r}]"))), None)
    (_, dtype, a), (_, other, b) = want, got
    if dtype != other:
        return "dtype", f"{where} {other}, not {dtype}"
    if a.shape != b.shape:
        return "shape", f"{where} {b.shape}, not {a.shape}"
    return _values_differ(dtype, a, b, where)


def _values_differ(dtype, a, b, where):
    if a.dtype.kind in "fc":
        a, b = _widest(a), _widest(b)
        with np.errstate(all="ignore"):
            wrong = np.where(
                np.isfinite(a) & np.isfinite(b),
                np.abs(a - b) > _bound(dtype, a),
                ~((a == b) | (np.isnan(a) & np.isnan(b))),
            )
    else:
        wrong = a != b
    if not np.any(wrong):
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0]) if a.ndim else ()
    return "value", f"{where} {b[at]!r}, not {a[at]!r}, at {at}; {int(np.sum(wrong))} of {a.size} differ"


def _widest(a):
    """In float64; complex numbers as their two parts along a new axis."""
    return np.stack([a.real, a.imag], -1).astype(np.float64) if a.dtype.kind == "c" else a.astype(np.float64)


def _bound(dtype, x):
    """How far from x a result of the dtype may lie."""
    finite = np.isfinite(x)
    largest = np.max(np.abs(x[finite])) if finite.any() else 0.0
    return RELATIVE[dtype] * (np.abs(x) + 0.5 * largest) + RELATIVE[dtype] * 0.1


LARGEST = {
    "float16": 65504.0,
    "bfloat16": 3.3895313892515355e38,
    "float32": float(np.finfo(np.float32).max),
    "complex64": float(np.finfo(np.float32).max),
}


def as_near(truth, want, got):
    """Do these differ by rounding alone? Truth is the result of the same call in 64 bits:
    got lies as near to it as want, or as the dtype allows."""
    if any(result[0] == "raises" for result in (truth, want, got)):
        return False
    return _as_near(truth[1], want[1], got[1])


def _as_near(truth, want, got):
    if not truth[0] == want[0] == got[0]:
        return False
    if want[0] == "list":
        return len(truth[1]) == len(want[1]) == len(got[1]) and all(map(_as_near, truth[1], want[1], got[1]))
    if want[0] == "dict":
        return sorted(truth[1]) == sorted(want[1]) == sorted(got[1]) and all(
            _as_near(truth[1][k], want[1][k], got[1][k]) for k in want[1]
        )
    if want[0] == "array" and want[1] in LARGEST:
        same = (
            want[1] == got[1]
            and truth[2].shape == want[2].shape == got[2].shape
            and truth[2].dtype.kind == want[2].dtype.kind
        )
        return same and _errors_are_small(want[1], _widest(truth[2]), _widest(want[2]), _widest(got[2]))
    return _between(want, got) is None or _between(truth, got) is None


def _errors_are_small(dtype, truth, want, got):
    """What lies past the largest number of the dtype counts as that."""
    with np.errstate(all="ignore"):
        largest = LARGEST[dtype]
        t, w, g = (np.clip(x, -largest, largest) for x in (truth, want, got))
        theirs = np.where(np.isfinite(want), np.abs(w - t), 0)
        allowed = np.maximum(_bound(dtype, t), 2 * np.max(theirs[np.isfinite(theirs)], initial=0))
        return bool(np.all((np.abs(g - t) <= allowed) | (np.isnan(g) & np.isnan(t))))


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
        numbers = (
            [float(f"{v:.9g}") for v in flat.tolist()]
            if array.dtype.kind == "f" and array.dtype.itemsize <= 4
            else flat.tolist()
        )
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
    """The rows of docs/compat.md between the marks: | `call` | `kind` | why |.
    A call is a pattern of its source, * standing for anything."""

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
