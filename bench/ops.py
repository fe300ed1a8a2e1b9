#!/usr/bin/env python3
"""Runs single ops of Brio, TensorFlow and PyTorch in turns and prints a row for each: microseconds and the ratio.

`brio bench ops` has the rows; bench/peers/tf_ops.py and torch_ops.py have the same ones by name. Every contender is a
process of its own, once a round, and the contenders take turns.
"""

import argparse
import datetime
import json
import os
import pathlib
import statistics
import sys
import time

import run

PEERS = {"tf": "tf_ops.py", "torch": "torch_ops.py"}
LONG = 10  # microseconds from which an op counts as work: there Brio may be 1.2 times slower, below not at all
ALLOWED = 1.2


def main():
    arguments = parse_arguments()
    python = arguments.python or run.make_venv()
    os.environ.update(run.QUIET)
    commands = {
        "brio": [arguments.brio, "bench", "ops", *arguments.rows, "--json"],
        **{peer: [python, str(run.PEERS_DIR / file), *arguments.rows] for peer, file in PEERS.items()},
    }
    families, samples, absent = {}, {}, {}
    started = time.monotonic()
    for turn in range(arguments.rounds):
        for contender, command in commands.items():
            run.progress(f"round {turn + 1}/{arguments.rounds}: {contender}", started)
            try:
                lines = run.spawn(command, arguments.timeout)["output"].splitlines()
            except run.Absent as reason:
                absent[contender] = str(reason)
                continue
            for line in lines:
                found = json.loads(line)
                if "family" in found:
                    families[found["name"]] = found["family"]
                samples.setdefault(found["name"], {}).setdefault(contender, []).append(found)
    run.progress("", started)
    if not families:
        sys.exit(f"bench: Brio gave no row: {absent.get('brio', 'no name begins so')}")

    results = [summary(name, family, samples[name]) for name, family in families.items()]
    report = {
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "machine": run.machine(),
        "rounds": arguments.rounds,
        "results": results,
        "absent": absent,
    }
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(report, indent=1) + "\n")
    print_table(report)
    print(f"wrote {run.shown(arguments.out)}")


def parse_arguments():
    parser = argparse.ArgumentParser(prog="bench/ops.py", description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", metavar="NAME", help="rows that begin so (all of them)")
    parser.add_argument("--rounds", type=int, default=3, help="turns that each contender gets (3)")
    parser.add_argument("--out", type=pathlib.Path, default=run.ROOT / "build" / "bench_ops.json")
    parser.add_argument("--python", help="a Python that has the peers; otherwise .venv-peers is made and used")
    parser.add_argument("--brio", default=str(run.ROOT / "build" / "release" / "brio"), help="build/release/brio")
    parser.add_argument("--timeout", type=int, default=600, help="seconds that one process may take (600)")
    return parser.parse_args()


def summary(name, family, row):
    """The median over the rounds of each contender's medians, and how many times slower Brio is than the best peer."""
    times = {c: statistics.median(r["median"] for r in results) for c, results in row.items()}
    peers = {c: t for c, t in times.items() if c != "brio"}
    best = min(peers, key=peers.get, default=None)
    slower = times["brio"] / peers[best] if best else None
    bound = ALLOWED if best and peers[best] > LONG else 1
    return {
        "name": name,
        "family": family,
        "us": times,
        "best_peer": best,
        "slower": slower,
        "holds": slower is None or slower <= bound,
    }


def print_table(report):
    rows = report["results"]
    wide = max(len(r["name"]) for r in rows)
    print(
        f"{report['date'][:10]}, {report['machine']['cpu']}, {report['machine']['cores']} cores, "
        f"{report['rounds']} rounds; medians in µs, smaller is better"
    )
    print(f"{'op':<{wide + 2}}{'brio':>10}{'tf':>10}{'torch':>10}  {'peer/brio':>9}")
    family = None
    for r in rows:
        if r["family"] != family:
            family = r["family"]
            print(family)
        cells = "".join(f"{run.number(r['us'][c]) if c in r['us'] else '—':>10}" for c in ("brio", *PEERS))
        ratio = "" if r["slower"] is None else run.number(1 / r["slower"]) + "x"
        print(f"  {r['name']:<{wide}}{cells}  {ratio:>9}{'' if r['holds'] else '  slower'}")
    late = [r for r in rows if not r["holds"]]
    print(
        f"{len(rows) - len(late)} of {len(rows)} rows hold: no slower than the best peer, "
        f"or than {ALLOWED} times it where that takes more than {LONG} µs"
    )
    for contender, reason in report["absent"].items():
        print(f"absent: {contender}: {reason}")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\nbench: interrupted")
