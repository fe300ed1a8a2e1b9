"""make doctor-check: runs every slow case, applies the remedy, and compares the gain with what was predicted.

    python tests/doctor/check.py [NAME ...] [--rounds N]

Slow and mended runs take turns; the medians of the times for a sample are compared. Where the remedy is a line, it is
taken out of the report and applied to the program (remedies.py): the finding must be gone. Healthy runs must have
nothing to gain above 5%.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import remedies  # noqa: E402

# What other processes do to a run is not the run's fault.
NOT_ITS_FAULT = {"cpu_contention"}

PROGRAM = os.path.join(HERE, "slow_runs.py")
TOLERANCE = 0.15  # of a predicted gain, for all cases alike


def run(name, mended=False, report=False, program=PROGRAM):
    """(seconds for a sample, the doctor's report)"""
    environment = {**os.environ}
    environment.pop("BRIO_DOCTOR_OWNER", None)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        if report:
            environment["BRIO_DOCTOR"] = path
        command = [sys.executable, program, name] + (["mended"] if mended else [])
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise RuntimeError(f"{name} failed:\n{done.stderr}")
        found = None
        if report:
            with open(path, encoding="utf-8") as file:
                found = json.load(file)
            found["screen"] = done.stderr
        return float(done.stdout.split()[-1]), found


def findings(report):
    return [f for f in report["findings"] if f["id"] not in NOT_ITS_FAULT]


def wrong(case, report):
    """What the report gets wrong of a slow case; empty: nothing. Where the machine multiplies bf16, that pays for
    whatever multiplies much, and may come before the cause that the case has."""
    found = [f for f in findings(report) if f["id"] != "precision" or case.id == "precision"]
    if not found:
        return "nothing was found"
    first = found[0]
    if first["id"] != case.id:
        return f"{first['id']} at {first['where']} came first, not {case.id}"
    if case.where not in first["where"]:
        return f"the place is {first['where']}, not {case.where}"
    if case.cause and first["evidence"].get("cause") != case.cause:
        return f"the cause is {first['evidence'].get('cause')}, not {case.cause}"
    if case.also and not any(f["id"] == case.also[0] and case.also[1] in f["where"] for f in found[1:]):
        return f"{case.also[0]} at {case.also[1]} was not found"
    return ""


def paste(name, case):
    """Applies the remedies of a slow case, as they stand in the report, to its program.
    What went wrong; empty: nothing. None: a remedy is no line."""
    with open(os.path.join(HERE, "slow_runs.py"), encoding="utf-8") as file:
        text = remedies.program_of(file.read(), name)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "slow_runs.py")

        def tried():
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return run(name, report=True, program=path)

        slow, report = tried()
        said = wrong(case, report)
        if said:
            return said
        wanted = [findings(report)[0]] + [f for f in findings(report)[1:] if case.also and f["id"] == case.also[0]]
        for finding in wanted:
            if not remedies.is_a_line(finding):
                return None
            text = remedies.applied(text, finding, name)
        mended, after = tried()
    for before in wanted:
        for f in findings(after):
            if f["id"] == before["id"] and not much_less(before, slow, f, mended):
                return (
                    f"with {[f['remedy'] for f in wanted]} pasted, {f['id']} at {f['where']} is still "
                    f"there\n{after['screen']}"
                )
    return ""


def much_less(before, slow, after, mended):
    """What a callback takes that is called now and then, or an update of many weights after more samples,
    may still be most of what little is left."""
    shares = [f["evidence"].get("share") for f in (before, after)]
    return None not in shares and shares[1] * mended < 0.5 * shares[0] * slow


def check_slow(name, case, rounds):
    _, report = run(name, report=True)
    said = wrong(case, report)
    if said:
        print(f"{name}: {said}\n{report['screen']}")
        return False
    pasted = paste(name, case)
    if pasted:
        print(f"{name}: {pasted}")
        return False
    gain = findings(report)[0]["gain"]
    if gain["how"] == "none":
        print(f"{name}: right, no gain is given")
        return True
    before, after = [], []
    for _ in range(rounds):
        before.append(run(name)[0])
        after.append(run(name, mended=True)[0])
    measured = statistics.median(before) / statistics.median(after)
    off = gain["factor"] / measured - 1
    fine = abs(off) <= TOLERANCE
    print(
        f"{name}: {case.id}, predicted {gain['factor']:.2f} ({gain['how']}), measured {measured:.2f}, off by "
        f"{off:+.0%}{'' if fine else '  <-- too far'}"
    )
    return fine


def check_healthy(name):
    _, report = run(name, report=True)
    loud = [
        f"{f['id']} at {f['where']}: {f['gain']['factor']:.2f}"
        for f in findings(report)
        if f["gain"]["how"] != "none" and f["gain"]["factor"] > 1.05
    ]
    print(f"{name}: {'healthy' if not loud else ', '.join(loud)}")
    return not loud


def main():
    from slow_runs import CASES, HEALTHY

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    names = given.names or [*CASES, *HEALTHY]
    good = [check_slow(n, CASES[n], given.rounds) if n in CASES else check_healthy(n) for n in names]
    print(f"{sum(good)} of {len(good)} are as they should be")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
