"""tf.profiler.experimental: writes down what the steps of a program were spent on, and the parts of it that it names.

The steps that the recorder saw and what Trace() named lie in LOGDIR/plugins/profile/DATE/HOST.trace.json, in the form
that chrome://tracing and Perfetto show.
"""

import collections
import json
import os
import socket
import threading
import time

from brio import _core, errors
from brio._missing import attribute_error_of

__getattr__ = attribute_error_of(__name__)

_session = None  # what start() began
_lock = threading.Lock()


class ProfilerOptions(
    collections.namedtuple("ProfilerOptions", "host_tracer_level python_tracer_level device_tracer_level delay_ms")
):
    """How much is written down. Brio writes what Trace() names, whatever the levels."""

    __slots__ = ()

    def __new__(cls, host_tracer_level=2, python_tracer_level=0, device_tracer_level=1, delay_ms=None):
        return super().__new__(cls, host_tracer_level, python_tracer_level, device_tracer_level, delay_ms)


def start(logdir, options=None):
    """Begins to write down steps of training, and what Trace() names."""
    global _session
    with _lock:
        if _session is not None:
            raise errors.AlreadyExistsError("[profiler] another profile is being written: stop() it first")
        _session = (os.fspath(logdir), [], _core._trace_begin())


def stop(save=True):
    """Ends it, and writes the file unless save is False."""
    global _session
    with _lock:
        if _session is None:
            raise errors.UnavailableError("[profiler] there is no profile to stop: start() one")
        (logdir, events, begun), _session = _session, None
    if save:
        events = json.loads(_core._chrome_trace(begun))["traceEvents"] + events
        folder = os.path.join(logdir, "plugins", "profile", time.strftime("%Y_%m_%d_%H_%M_%S"))
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"{socket.gethostname()}.trace.json"), "w", encoding="utf-8") as file:
            json.dump({"displayTimeUnit": "ms", "traceEvents": events}, file)


def memory_ledger():
    """The bytes that tensors hold, by owner: {"parameters": {"bytes": ..., "peak": ...}, ...}."""
    return _core._memory_ledger()


def memory_report():
    """The same as a table, with what the process holds in all: print(memory_report())."""
    return _core._memory_report()


def plan_cache_stats():
    """What the cache of plans holds: plans, bytes, hits, misses, evictions, and why the newest miss was one."""
    return _core._plan_cache_stats()


def kernel_times():
    """Of a training step, the seconds of each op, longest first: measured in one step of 32."""
    return _core._kernel_times()


def doctor():
    """What limits the training that ran longest so far, as the doctor's report: a dictionary."""
    return json.loads(_core._doctor_json())


class Profile:
    """start() and stop() around a piece of a program: with Profile(logdir): ..."""

    def __init__(self, logdir, options=None):
        self._logdir, self._options = logdir, options

    def __enter__(self):
        start(self._logdir, self._options)

    def __exit__(self, *error):
        stop()


class Trace:
    """Names a piece of a program: with Trace("train", step_num=step, _r=1): ..."""

    def __init__(self, name, **kwargs):
        self._name, self._about = name, {k: str(v) for k, v in kwargs.items() if k != "_r"}

    def set_metadata(self, **kwargs):
        """More to be said of it."""
        self._about.update({k: str(v) for k, v in kwargs.items()})

    def __enter__(self):
        self._begun = time.perf_counter_ns()
        return self

    def __exit__(self, *error):
        if _session is not None:
            end = time.perf_counter_ns()
            _session[1].append(
                {
                    "name": self._name,
                    "ph": "X",
                    "ts": self._begun / 1000,
                    "dur": (end - self._begun) / 1000,
                    "pid": os.getpid(),
                    "tid": threading.get_ident(),
                    "args": self._about,
                }
            )
