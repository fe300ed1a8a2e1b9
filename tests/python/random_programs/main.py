"""Random programs under Brio and beside TensorFlow:
python tests/python/random_programs/main.py [--programs N] [--seed S] [--python PYTHON].

PYTHON has TensorFlow 2.21; by default that of .venv-peers, which is made where it is missing (bench/requirements.txt).
Every program that ends in another way than under TensorFlow is told with its first difference; --show SEED prints one.
Exits with 1 where there is one. Where numbers differ, TensorFlow runs the program once more in 64 bits: a result that
lies as near to that as TensorFlow's own is no difference. KNOWN has the differences that stay, with the reason of
each."""

import argparse
import hashlib
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(ROOT / "bench"))

import numpy as np  # noqa: E402

from fuzz_diff.compare import RELATIVE, as_json, as_near, difference  # noqa: E402
from random_programs import programs  # noqa: E402

BATCH = 50  # programs a process
ALIKE = ("same", "rounding", "accepted", "known", "late")
# (pattern of the program, pattern of the difference, why)
KNOWN = (
    (
        r"self\.l\d+\(x\), self\.l\d+\(x\)\]|Trained\(inputs, \[",
        r"^\['(first|second|evaluated)'\].* keys ",
        (
            "several outputs of a subclassed model, or with a train_step of one's own: Keras names their losses and "
            "metrics otherwise"
        ),
    ),
    (r"F1Score\((threshold=0\.5)?\)", r"^\['evaluated'\]", "op by op, the loss of a sigmoid has no logits behind it"),
)


def loaded(path):
    """{seed: result} of what a worker wrote."""
    rows = {}
    if path.exists():
        with open(path, "rb") as file:
            while True:
                try:
                    seed, result = pickle.load(file)
                except (EOFError, pickle.UnpicklingError):
                    break
                rows[seed] = result
    return rows


def run(library, python, seeds, *how):
    """{seed: result}; ("raises", ["Crash"], …) where a program ended the process."""
    env = {
        **os.environ,
        "PYTHONPATH": f"{ROOT / 'build/release/python'}:{os.environ.get('PYTHONPATH', '')}",
        "CUDA_VISIBLE_DEVICES": "",
    }
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        left = list(seeds)
        while left:
            path = pathlib.Path(folder) / f"{len(left)}.pickle"
            done = subprocess.run(
                [python, str(HERE / "worker.py"), library, str(path), *map(str, left), *how],
                capture_output=True,
                text=True,
                env=env,
            )
            made = loaded(path)
            results.update(made)
            if done.returncode == 0:
                break
            left = [s for s in left if s not in made]
            if done.returncode == 1 or not left:
                raise SystemExit(f"the worker of {library} failed:\n{done.stderr[-2000:]}")
            results[left.pop(0)] = (
                "raises",
                ["Crash"],
                f"the process ended with {done.returncode}: {done.stderr[-300:]}",
            )
    return results


def late(result):
    """Was the time over, on a busy machine, before TensorFlow had done?"""
    return result[0] == "raises" and (result[1][0] == "TimeoutError" or "took longer than" in result[2])


class Kept:
    """TensorFlow's results in a folder, by the text of the program:
    those of programs that did not change are not made again."""

    def __init__(self, folder, python):
        self.folder, self.python = folder, python

    def results(self, seeds, *how):
        found = {}
        for seed in seeds:
            path = self._path(seed, how)
            if path and path.exists():
                found[seed] = pickle.loads(path.read_bytes())
        missing = [s for s in seeds if s not in found]
        if missing:
            made = run("tensorflow", self.python, missing, *how)
            for seed, result in made.items():
                if self.folder and not late(result):
                    self._path(seed, how).write_bytes(pickle.dumps(result))
            found.update(made)
        return found

    def _path(self, seed, how):
        name = hashlib.sha256((programs.source(seed) + repr(how)).encode()).hexdigest()[:24]
        return self.folder / f"{name}.pickle" if self.folder else None


def differences(seeds, theirs, ours, kept):
    """{seed: (kind, what)}."""
    found = {}
    for seed in seeds:
        if late(theirs[seed]):
            found[seed] = ("late", "")
        elif ours[seed][0] == "raises" and ours[seed][1][0] in ("Crash", "TimeoutError"):
            found[seed] = ("crash", ours[seed][2])
        else:
            found[seed] = difference(theirs[seed], ours[seed]) or ("same", "")
    for seed, (_, what) in found.items():
        if any(re.search(program, programs.source(seed)) and re.search(shown, what) for program, shown, _ in KNOWN):
            found[seed] = ("known", what)
    doubtful = [s for s, (kind, _) in found.items() if kind in ("value", "sign")]
    for seed, truth in (kept.results(doubtful, "wide") if doubtful else {}).items():
        if as_near(truth, theirs[seed], ours[seed]) or only_rounding(truth, theirs[seed], ours[seed], narrow(seed)):
            found[seed] = ("rounding", found[seed][1])
    return found


def only_rounding(truth, theirs, ours, narrow=False):
    """Do two runs differ by as much as rounding makes of this program? Training carries a difference from step to step:
    how far is told by how far TensorFlow itself, in the program's dtype, is from TensorFlow in 64 bits. Narrow: layers
    compute in bfloat16. A program whose numbers grow without bound tells nothing."""
    if any(r[0] == "raises" for r in (truth, theirs, ours)) or difference(theirs, ours)[0] not in ("value", "sign"):
        return False
    of_truth, of_theirs, of_ours = (list(_floats(r[1])) for r in (truth, theirs, ours))
    if not len(of_truth) == len(of_theirs) == len(of_ours):
        return False
    if any(not np.isfinite(a).all() or np.abs(a).max(initial=0) > 1e6 for a in of_truth + of_theirs):
        return True
    apart = lambda these: max(
        np.abs(a - t).max(initial=0) / max(1e-3, np.abs(t).max(initial=0)) for a, t in zip(these, of_truth)
    )
    return apart(of_ours) <= max(4 * apart(of_theirs), RELATIVE["bfloat16"] if narrow else 0)


def narrow(seed):
    """Does the program of a seed compute in bfloat16?"""
    return programs.Program(seed).policy.startswith("mixed")


def _floats(result):
    if result[0] in ("list", "dict"):
        for part in result[1] if result[0] == "list" else result[1].values():
            yield from _floats(part)
    elif result[0] == "array" and result[2].dtype.kind == "f":
        yield result[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--python", help="a Python with TensorFlow")
    parser.add_argument("--brio", default=str(ROOT / ".venv/bin/python"), help="a Python with Brio")
    parser.add_argument(
        "--keep",
        type=pathlib.Path,
        help="a folder for TensorFlow's results: programs that did not change take them from there",
    )
    parser.add_argument("--show", type=int, help="print the program of a seed and do no more")
    parser.add_argument(
        "--sample", type=pathlib.Path, help="write TensorFlow's results as goldens: see test_random_programs.py"
    )
    options = parser.parse_args()
    if options.show is not None:
        print(programs.source(options.show), end="")
        return 0
    if options.python is None:
        import run as bench

        options.python = bench.make_venv()
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    kept = Kept(options.keep, options.python)
    tally, sampled, first = {}, {}, options.seed * 1_000_000
    for begin in range(first, first + options.programs, BATCH):
        seeds = list(range(begin, min(begin + BATCH, first + options.programs)))
        theirs, ours = kept.results(seeds), run("brio", options.brio, seeds)
        for seed, (kind, what) in differences(seeds, theirs, ours, kept).items():
            tally[kind] = tally.get(kind, 0) + 1
            if theirs[seed][0] == "raises" and kind == "same":
                tally["of them errors of both"] = tally.get("of them errors of both", 0) + 1
            if kind not in ALIKE:
                print(f"{seed} {kind}: {what}", flush=True)
            if kind == "same" and theirs[seed][0] == "ok":
                sampled[seed] = theirs[seed]
        print(
            f"{seeds[-1] - first + 1} programs: " + ", ".join(f"{k} {v}" for k, v in sorted(tally.items())),
            file=sys.stderr,
            flush=True,
        )
    if options.sample:
        write_sample(options.sample, sampled)
    return 1 if any(kind not in (*ALIKE, "of them errors of both") for kind in tally) else 0


def write_sample(path, results, most=60, size=9000):
    """The first of them whose results are short. The programs themselves are not kept:
    a change of the generator asks for new goldens."""
    rows = {
        seed: [hashlib.sha256(programs.source(seed).encode()).hexdigest()[:16], as_json(r[1])]
        for seed, r in results.items()
    }
    lines = [f"{json.dumps(str(seed))}: {json.dumps(row, separators=(',', ':'))}" for seed, row in rows.items()]
    lines = [line for line in lines if len(line) < size][:most]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{path}: {len(lines)} programs, {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    sys.exit(main())
