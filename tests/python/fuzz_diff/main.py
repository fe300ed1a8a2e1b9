"""Random calls of Brio beside TensorFlow: python tests/python/fuzz_diff/main.py [--calls N] [--seed S] [--python
PYTHON] [--only PATTERN].

PYTHON has TensorFlow 2.21; by default that of .venv-peers, which is made where it is missing (bench/requirements.txt).
Each difference is printed with a line of Python that shows it, unless docs/compat.md lists it with a reason. Exits with
1 where there is one that is not listed."""

import argparse
import fnmatch
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(ROOT / "bench"))

from fuzz_diff import values  # noqa: E402
from fuzz_diff.compare import Known, as_json, as_near, difference  # noqa: E402

BATCH = 2000  # calls a process
ALIKE = ("same", "accepted", "rounding")


def loaded(path):
    rows = []
    with open(path, "rb") as file:
        while True:
            try:
                rows.append(pickle.load(file))
            except (EOFError, pickle.UnpicklingError):
                return rows


def worker(python, *arguments):
    env = {
        **os.environ,
        "PYTHONPATH": f"{ROOT / 'build/release/python'}:{os.environ.get('PYTHONPATH', '')}",
        "CUDA_VISIBLE_DEVICES": "",
    }
    done = subprocess.run(
        [python, str(HERE / "worker.py"), *map(str, arguments)], capture_output=True, text=True, env=env
    )
    return done.returncode, done.stderr


def fail(what, said):
    raise SystemExit(f"{what} failed:\n{said[-2000:]}")


def made_calls(peers, names, first, count, folder):
    """(seed, name, source, result) of TensorFlow. Where it crashes, the seed is left out."""
    path = folder / f"made-{first}.pickle"
    at = first
    while at < first + count:
        code, said = worker(peers, "make", names, path, at, first + count)
        rows = loaded(path) if path.exists() else []
        if code == 0:
            return rows
        at = max([at, *(row[0] + 1 for row in rows)]) + 1
        print(f"TensorFlow ended with {code} at seed {at - 1}", file=sys.stderr)
        if code == 1:
            fail("TensorFlow's worker", said)
    return loaded(path)


def run_calls(python, sources, folder, *how):
    """The results; ("raises", ["Crash"], …) where a call ended the process. How: see worker.py."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
    given, path = folder / "given.pickle", folder / "run.pickle"
    given.write_bytes(pickle.dumps(sources))
    results = {}
    at = 0
    while at < len(sources):
        code, said = worker(python, "run", given, path, at, *how)
        results.update(dict(loaded(path)) if path.exists() else {})
        if code == 0:
            break
        if code == 1:
            fail(f"the worker {' '.join(how)}", said)
        at = max(results, default=-1) + 1
        results[at] = ("raises", ["Crash"], f"the process ended with {code}")
        at += 1
    return [results[i] for i in range(len(sources))]


def found_difference(source, want, got):
    """(kind, what)."""
    if got[0] == "raises" and got[1][0] in ("Crash", "TimeoutError"):
        return "crash", got[2]
    kind, what = difference(want, got) or ("same", "")
    if source.startswith("elements(") and kind == "value" and what.startswith(("[1]", "[2]")):
        kind = "spec"  # what a dataset says of its elements before they are made
    return kind, what


def differences(rows, results, peers, folder):
    """(kind, what) of each call. Of values that differ TensorFlow says in 64 bits what is right."""
    found = [found_difference(source, want, got) for (_, _, source, want), got in zip(rows, results)]
    doubtful = [i for i, (kind, _) in enumerate(found) if kind in ("value", "sign")]
    for i, truth in zip(doubtful, run_calls(peers, [rows[i][2] for i in doubtful], folder, "wide") if doubtful else ()):
        if as_near(truth, rows[i][3], results[i]):
            found[i] = ("rounding", found[i][1])
    return found


def reproducer(source):
    """One line of Python: small tensors are written out."""

    def shown(match):
        form, arguments = match[1], eval(f"({match[2]},)")
        made = values.array(*arguments)
        if made.size > 24:
            return match[0]
        dtype = {"string": "object", "bfloat16": "float32"}.get(arguments[1], arguments[1])
        listed = f"np.array({made.tolist()!r}, {dtype!r})"
        listed = re.sub(r"\b(nan|inf)\b", r"np.\1", listed)
        listed = listed if made.size or made.ndim == 1 else f"np.zeros({made.shape}, {arguments[1]!r})"
        if form == "N":
            return listed
        made = f"tf.constant({listed})" if arguments[1] != "bfloat16" else f"tf.cast({listed}, 'bfloat16')"
        return made if form == "T" else f"tf.Variable({made})"

    return re.sub(r"\b([TNV])\((\([^()]*\), '[a-z0-9]+', \d+(?:, '[a-z]+')?)\)", shown, source)


def small(result):
    """Is this a result of a few numbers?"""
    return result[0] == "ok" and len(pickle.dumps(result)) < 430


def write_sample(path, rows):
    """One call of each function, in order."""
    kept = {}
    for name, source, result in rows:
        if len(source) < 300 and "'extreme'" not in source:
            kept.setdefault(name, (source, result))
    lines = [
        f"{json.dumps(source)}: {json.dumps(as_json(result[1]), separators=(',', ':'))}"
        for _, (source, result) in sorted(kept.items())
    ]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{path}: {len(lines)} calls, {path.stat().st_size / 1000:.0f} kB")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--python", help="a Python with TensorFlow")
    parser.add_argument("--brio", default=str(ROOT / ".venv/bin/python"), help="a Python with Brio")
    parser.add_argument("--only", default="*", help="names of what is called, such as 'keras.layers.*'")
    parser.add_argument(
        "--keep", type=pathlib.Path, help="a folder for TensorFlow's results: a run with the same seed uses them again"
    )
    parser.add_argument(
        "--sample",
        type=pathlib.Path,
        help="write so many small calls, with TensorFlow's results, as goldens: see test_fuzz_diff.py",
    )
    parser.add_argument("--show", type=int, default=4, help="differences shown of each function")
    options = parser.parse_args()
    if options.python is None:
        import run as bench

        options.python = bench.make_venv()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        folder = options.keep or scratch
        folder.mkdir(parents=True, exist_ok=True)
        names, had = folder / "names.json", folder / "had.json"
        if not had.exists():
            for python, arguments in ((options.python, ("names", names)), (options.brio, ("has", names, had))):
                code, said = worker(python, *arguments)
                if code:
                    fail(arguments[0], said)
        chosen = [n for n in json.loads(had.read_text()) if fnmatch.fnmatchcase(n, options.only)]
        chosen += ["tf.data.Dataset"] * (len(chosen) // 25 if "tf.data.Dataset" in chosen else 0)
        if not chosen:
            raise SystemExit(f"nothing is called {options.only}")
        asked = scratch / "chosen.json"
        asked.write_text(json.dumps(chosen))
        tally, shown, never, known = {}, {}, set(chosen), Known()
        compared, sampled = 0, []
        for first in range(0, options.calls, BATCH):
            count = min(BATCH, options.calls - first)
            begin = options.seed * 10_000_000 + first
            kept = folder / f"kept-{options.seed}-{first}-{count}-{zlib.crc32(options.only.encode()):x}.pickle"
            rows = (
                loaded(kept)
                if options.keep and kept.exists()
                else made_calls(options.python, asked, begin, count, scratch)
            )
            if options.keep and not kept.exists():
                with open(kept, "wb") as file:
                    for row in rows:
                        pickle.dump(row, file)
            rows = [row for row in rows if row[3] is not None]
            if options.sample:
                sampled += [row[1:] for row in rows if small(row[3])]
            results = run_calls(options.brio, [row[2] for row in rows], scratch, "brio")
            for (seed, name, source, want), (kind, what) in zip(
                rows, differences(rows, results, options.python, scratch)
            ):
                compared += 1
                if want[0] == "ok":
                    never.discard(name)
                if kind not in ALIKE:
                    why = known.why(source, kind)
                    if why is None:
                        shown.setdefault((name, kind), []).append((source, what, seed))
                    kind = kind if why is None else "known"
                tally[kind] = tally.get(kind, 0) + 1
            print(f"{compared} calls: " + ", ".join(f"{k} {v}" for k, v in sorted(tally.items())), file=sys.stderr)
    if options.sample:
        write_sample(options.sample, sampled)
    for (name, kind), rows in sorted(shown.items(), key=lambda item: (item[0][1], item[0][0])):
        print(f"\n{name}: {kind}, {len(rows)} times")
        for source, what, _ in rows[: options.show]:
            print(f"  {reproducer(source)}\n    {what}")
    print(
        f"\n{compared} calls of {len(set(chosen))} functions: "
        + ", ".join(f"{k} {v}" for k, v in sorted(tally.items()))
    )
    if never and options.calls >= 10 * len(set(chosen)):
        print(f"never valid in this run: {', '.join(sorted(never))}")
    unlisted = sum(v for k, v in tally.items() if k not in (*ALIKE, "known"))
    return 1 if unlisted else 0


if __name__ == "__main__":
    sys.exit(main())
