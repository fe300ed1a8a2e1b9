#!/usr/bin/env python3
"""Runs Brio and its peers in turns on the workloads of bench/README.md; prints one table of medians and ratios.

Every contender is a process of its own, once a round, and the contenders take turns within a round (A B C A B C …), so
that a busy minute of the machine hits them alike. Writes bench.json and, with matplotlib, bench.png.
"""

import argparse
import datetime
import hashlib
import json
import os
import pathlib
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS_DIR = ROOT / "bench" / "peers"
VENV = ROOT / ".venv-peers"

# A contender: the file under bench/peers and the variant that it is called with. Their order is that of the columns.
CONTENDERS = {
    "numpy": ("numpy_peer.py",),
    "tf": ("tf_peer.py",),
    "tf_xla": ("tf_peer.py", "xla"),
    "torch": ("torch_peer.py",),
    "torch_compile": ("torch_peer.py", "compile"),
    "jax": ("jax_peer.py",),
}
# Training steps of whole networks; the first ten are those that docs/performance.md speaks of.
NETWORKS = (
    "cnn",
    "cnn_bf16",
    "separable",
    "separable_bf16",
    "lstm",
    "text_lstm",
    "resnet18",
    "mobilenet",
    "decoder",
    "unet",
    *(f"{kind}_{variant}" for kind in ("cnn", "separable") for variant in ("16", "64", "5x5", "stride2", "160")),
)
WORKLOADS = {
    "gd": ("numpy", "tf", "torch", "jax"),
    "gd_function": ("numpy", "tf", "torch", "jax"),
    "mlp": ("tf", "tf_xla", "torch", "torch_compile", "jax"),
    "fit": ("tf", "torch"),
    "wide": ("tf", "tf_xla", "torch", "torch_compile", "jax"),
    **dict.fromkeys(NETWORKS, ("tf", "tf_xla", "torch", "torch_compile", "jax")),
    "lstm_layer": ("tf", "tf_xla", "torch"),
    "lengths": ("tf",),
    "embedding": ("tf", "tf_xla", "torch"),
    "embedding_adam": ("tf", "tf_xla", "torch"),
    "chain": ("numpy", "tf", "tf_xla", "torch", "torch_compile", "jax"),
    "xent": ("tf", "tf_xla", "torch", "torch_compile", "jax"),
    "attention": ("tf", "tf_xla", "torch", "torch_compile"),
    "attention_short": ("tf", "tf_xla", "torch", "torch_compile"),
    "adam": ("numpy", "tf", "tf_xla", "torch", "torch_compile", "jax"),
    "jpeg": ("tf", "torch"),
    "jpeg_train": ("tf", "torch"),
    "packed": ("tf", "torch"),
    "rows": ("tf", "torch"),
    "rows_map": ("tf", "torch"),
    "shuffle": ("tf", "torch"),
    "tfrecord": ("tf",),
    "example": ("tf",),
    "start": ("tf", "torch", "jax"),
}
# What takes a turn beside a workload and is no peer: where memory bounds it, a plain copy that moves as many bytes
# ("copy"); the same work at one length ("one").
BESIDE = {"chain": "copy", "xent": "copy", "adam": "copy", "packed": "copy", "lengths": "one"}
UNITS = {
    "gd": "us",
    "gd_function": "us",
    "mlp": "us",
    "embedding": "us",
    "rows": "us",
    "rows_map": "us",
    "tfrecord": "us",
    "example": "ns",
}  # the others: ms
SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
STARTS_PER_ROUND = 3
QUIET = {
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_CPP_MAX_VLOG_LEVEL": "0",
    "JAX_PLATFORMS": "cpu",
    "CUDA_VISIBLE_DEVICES": "",
    "PYTHONWARNINGS": "ignore",
}


class Absent(Exception):
    """A contender that gave no result, and why."""


def main():
    arguments = parse_arguments()
    python = arguments.python or (make_venv() if arguments.peers else None)
    os.environ.update(QUIET, TORCHINDUCTOR_CACHE_DIR=str(ROOT / "build" / "torch-cache"))
    os.environ.setdefault("BRIO_BENCH_DATA", str(ROOT / "build" / "bench-data"))

    # samples[workload][contender]: the results of the rounds, or an Absent
    samples = {name: {} for name in arguments.only}
    turns = [
        (turn, workload, contender)
        for workload in arguments.only
        for turn in range(arguments.rounds)
        for contender in (
            "brio",
            *([BESIDE[workload]] if workload in BESIDE else []),
            *(p for p in WORKLOADS[workload] if p in arguments.peers),
        )
    ]
    started = time.monotonic()
    for done, (turn, workload, contender) in enumerate(turns):
        progress(f"[{done + 1}/{len(turns)}] {workload}: {contender}, round {turn + 1}", started)
        cell = samples[workload].setdefault(contender, [])
        if isinstance(cell, Absent):
            continue
        try:
            cell.append(run_contender(workload, contender, python, arguments))
        except Absent as reason:
            samples[workload][contender] = reason
    progress("", started)

    report = {
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "machine": machine(),
        "rounds": arguments.rounds,
        "results": [combine(w, c, cell) for w, row in samples.items() for c, cell in row.items()],
    }
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(report, indent=1) + "\n")
    print_table(report, arguments)
    plot(python, arguments.out)


def parse_arguments():
    def names(known):
        def parse(text):
            chosen = [n for n in text.split(",") if n]
            for name in chosen:
                if name not in known:
                    raise argparse.ArgumentTypeError(f"'{name}' is not one of {', '.join(known)}")
            return chosen

        return parse

    parser = argparse.ArgumentParser(prog="bench/run.py", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only",
        nargs="+",
        choices=WORKLOADS,
        default=list(WORKLOADS),
        metavar="NAME",
        help=f"these workloads: {' '.join(WORKLOADS)}",
    )
    parser.add_argument("--rounds", type=int, default=3, help="turns that each contender gets (3)")
    parser.add_argument(
        "--peers",
        type=names(CONTENDERS),
        default=list(CONTENDERS),
        metavar="A,B,…",
        help=f"these peers: {','.join(CONTENDERS)}; '' for none",
    )
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "bench.json", help="build/bench.json")
    parser.add_argument("--python", help="a Python that has the peers; otherwise .venv-peers is made and used")
    parser.add_argument("--brio", default=str(ROOT / "build" / "release" / "brio"), help="build/release/brio")
    parser.add_argument("--timeout", type=int, default=600, help="seconds that one process may take (600)")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds must be at least 1")
    return arguments


def make_venv():
    """The Python of .venv-peers, made or brought up to date when bench/requirements.txt has changed."""
    requirements = ROOT / "bench" / "requirements.txt"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()
    stamp, python = VENV / "requirements.sha256", VENV / "bin" / "python"
    if stamp.exists() and stamp.read_text() == digest:
        return str(python)
    try:
        import ensurepip  # noqa: F401  Debian splits it off into python3-venv
        import venv  # noqa: F401
    except ImportError as error:
        sys.exit(
            f"bench: this Python ({sys.executable}) cannot make a virtual environment ({error}).\n"
            "bench: on Debian run `apt-get install python3-venv`, or name a Python that has the peers: --python"
        )
    print("bench: installing the peers into .venv-peers (some GB, only this once)", file=sys.stderr)
    for command in (
        [sys.executable, "-m", "venv", str(VENV)],
        [str(python), "-m", "pip", "install", "--quiet", "-r", str(requirements)],
    ):
        if subprocess.run(command).returncode != 0:
            sys.exit(
                f"bench: this failed: {' '.join(command)}\n"
                "bench: see the lines above; remove .venv-peers to start afresh"
            )
    stamp.write_text(digest)
    return str(python)


def run_contender(workload, contender, python, arguments):
    """One turn: {"unit", "median", "best", "n", "rss_mb"}, or Absent."""
    name = f"{workload}_{contender}" if contender in BESIDE.values() else workload
    if contender == "brio" or contender in BESIDE.values():
        if not os.access(arguments.brio, os.X_OK):
            raise Absent(f"{arguments.brio} has not been built")
        command = [arguments.brio, "bench", name, "--once" if workload == "start" else "--json"]
    else:
        file, *variant = CONTENDERS[contender]
        command = [python, str(PEERS_DIR / file), workload, *variant]

    runs = [spawn(command, arguments.timeout) for _ in range(STARTS_PER_ROUND if workload == "start" else 1)]
    result = reported(runs[-1]["output"], name)
    if workload == "start":  # the whole process is what is timed; the loss that it reports is the proof of its step
        times = [run["seconds"] * 1e3 for run in runs]
        result |= {"unit": "ms", "median": statistics.median(times), "best": min(times), "n": len(times)}
    unit = UNITS.get(workload, "ms")
    scale = SECONDS[result["unit"]] / SECONDS[unit]
    scaled = {"unit": unit, "median": result["median"] * scale, "best": result["best"] * scale}
    return {**result, **scaled, "rss_mb": max(run["rss_mb"] for run in runs)}


def reported(output, workload):
    """The line of JSON about the workload."""
    wanted = {"name", "loss"} if workload == "start" else {"name", "unit", "median", "best", "n"}
    for line in output.splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict) and found.get("name") == workload and wanted <= found.keys():
            if found.get("unit", "ms") not in SECONDS:
                raise Absent(f"its unit {found['unit']} is none of {', '.join(SECONDS)}")
            return found
    raise Absent(f"it printed no line of JSON about {workload} with {', '.join(sorted(wanted))}")


def spawn(command, timeout):
    """Runs a command to its end: seconds from spawn to exit, its output, and its peak resident memory.

    wait4 gives the peak, except that Linux counts the spawning process' own peak in it (the image before exec). A
    process that stays below that is read from /proc while it runs.
    """
    floor_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    before = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    outputs = [b"", b""]

    def drain(index, pipe):
        outputs[index] = pipe.read()

    seen_kb, over = [0], threading.Event()

    def watch():
        pause = 0.001
        while not over.wait(pause):
            seen_kb[0] = max(seen_kb[0], high_water_kb(process.pid))
            if seen_kb[0] > floor_kb:
                return  # wait4 will know better
            pause = min(2 * pause, 0.2)

    threads = [threading.Thread(target=drain, args=(i, p)) for i, p in enumerate((process.stdout, process.stderr))]
    threads.append(threading.Thread(target=watch))
    killer = threading.Timer(timeout, lambda: process.send_signal(9))
    for thread in (*threads, killer):
        thread.start()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - before
    process.returncode = os.waitstatus_to_exitcode(status)
    killer.cancel()
    over.set()
    for thread in threads:
        thread.join()
    process.stdout.close()
    process.stderr.close()
    output, errors = (o.decode(errors="replace") for o in outputs)
    if process.returncode != 0:
        if seconds >= timeout:
            raise Absent(f"it took longer than {timeout} s")
        lines = [line for line in errors.strip().splitlines() if line.strip()] or ["no message"]
        raise Absent(f"status {process.returncode}: {lines[-1][:200]}")
    peak_kb = usage.ru_maxrss if usage.ru_maxrss > floor_kb else seen_kb[0] or usage.ru_maxrss
    return {"seconds": seconds, "output": output, "rss_mb": peak_kb / 1024}


def high_water_kb(pid):
    try:
        with open(f"/proc/{pid}/status") as status:
            return next((int(line.split()[1]) for line in status if line.startswith("VmHWM:")), 0)
    except OSError:
        return 0


def combine(workload, contender, cell):
    """One result from the rounds of a contender: the median of the medians, the best of the bests."""
    result = {"workload": workload, "contender": contender}
    if isinstance(cell, Absent):
        return {**result, "absent": str(cell)}
    return {
        **result,
        "unit": cell[0]["unit"],
        "median": statistics.median(r["median"] for r in cell),
        "best": min(r["best"] for r in cell),
        "n": sum(r["n"] for r in cell),
        "rss_mb": round(max(r["rss_mb"] for r in cell), 1),
        "medians": [r["median"] for r in cell],
        **({"first_ms": round(statistics.median(r["first_ms"] for r in cell), 1)} if "first_ms" in cell[0] else {}),
        **{key: cell[0][key] for key in ("version", "planning") if key in cell[0]},
    }


def machine():
    def read(path, prefix):
        try:
            with open(path) as file:
                return next((line.split(":", 1)[1].strip() for line in file if line.startswith(prefix)), "unknown")
        except OSError:
            return "unknown"

    return {
        "cpu": read("/proc/cpuinfo", "model name"),
        "cores": len(os.sched_getaffinity(0)),
        "memory": read("/proc/meminfo", "MemTotal"),
        "system": f"{platform.system()} {platform.machine()}",
        "load": [round(x, 2) for x in os.getloadavg()],
    }


def progress(text, started):
    if not sys.stderr.isatty():
        if text:
            print(text, file=sys.stderr, flush=True)
        return
    width = shutil.get_terminal_size().columns - 1
    line = f"{text}  ({time.monotonic() - started:.0f} s)"[:width] if text else ""
    print(f"\r{line:<{width}}\r{line}", end="", file=sys.stderr, flush=True)


def number(value):
    """Three significant digits without an exponent."""
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3}f}"


def print_table(report, arguments):
    cells = {(r["workload"], r["contender"]): r for r in report["results"]}
    columns = ["brio", *(c for c in ("copy", "one", *CONTENDERS) if any((w, c) in cells for w in arguments.only))]
    rows = [["workload", "unit", *columns, "best peer", "peer/brio"]]
    for workload in arguments.only:
        here = {c: cells.get((workload, c)) for c in columns}
        present = {c: r for c, r in here.items() if r and "median" in r}
        peers = [c for c in present if c in CONTENDERS]
        best = min(peers, key=lambda c: present[c]["median"], default=None)
        unit = next((r["unit"] for r in present.values()), "")
        ratio = (
            ""
            if best is None or "brio" not in present
            else number(present[best]["median"] / present["brio"]["median"]) + "x"
        )

        def cell(contender, value):
            return value(present[contender]) if contender in present else "absent" if here[contender] else ""

        rows.append([workload, unit, *(cell(c, lambda r: number(r["median"])) for c in columns), best or "", ratio])
        if workload in NETWORKS:
            rows.append(
                [
                    "  first step",
                    "ms",
                    *(cell(c, lambda r: number(r["first_ms"])) if c in present else "" for c in columns),
                    "",
                    "",
                ]
            )
        rows.append(
            [
                "  peak RSS",
                "MB",
                *(cell(c, lambda r: f"{r['rss_mb']:.0f}") if c in present else "" for c in columns),
                "",
                "",
            ]
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    print(
        f"{report['date'][:10]}, {report['machine']['cpu']}, {report['machine']['cores']} cores, "
        f"{report['rounds']} rounds; medians, smaller is better"
    )
    for row in rows:
        left = {0, 1, len(row) - 2}
        line = (f"{text:<{w}}" if i in left else f"{text:>{w}}" for i, (text, w) in enumerate(zip(row, widths)))
        print("  ".join(line).rstrip())
    if "median" in cells.get(("lengths", "brio"), {}) and "median" in cells.get(("lengths", "one"), {}):
        brio = cells["lengths", "brio"]
        print(
            f"lengths: {number(brio['median'] / cells['lengths', 'one']['median'])} times the same work at one length; "
            f"plans for new lengths took {brio['planning']:.1%} of the time"
        )
    for result in report["results"]:
        if "absent" in result:
            print(f"absent: {result['workload']}, {result['contender']}: {result['absent']}")
    print(f"wrote {shown(arguments.out)}")


def shown(path):
    try:
        return path.resolve().relative_to(ROOT)
    except ValueError:
        return path


def plot(python, out):
    picture = out.with_suffix(".png")
    drawn = subprocess.run(
        [python or sys.executable, str(ROOT / "bench" / "plot.py"), str(out), str(picture)],
        capture_output=True,
        text=True,
    )
    if drawn.returncode == 0:
        print(f"wrote {shown(picture)}")
    else:
        reason = (drawn.stderr.strip().splitlines() or ["no message"])[-1]
        print(f"no plot: {reason}")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\nbench: interrupted")
