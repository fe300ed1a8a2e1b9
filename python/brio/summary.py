"""tf.summary: what TensorBoard shows, written to event files."""

import contextlib
import re
import threading

import numpy as np

from brio import _core, _events, _missing

__getattr__ = _missing.attribute_error_of(__name__)


class SummaryWriter:
    """Writes to a directory. `with writer.as_default():` makes it the one that scalar() and its kin write to."""

    def __init__(self, logdir, filename_suffix=""):
        self._file, self._before = _events.EventFile(str(logdir), filename_suffix), []

    def init(self):
        """Nothing needs to be done before writing."""

    @contextlib.contextmanager
    def as_default(self, step=None):
        """A scope in which tf.summary writes here."""
        before = _now.__dict__.get("writer"), _now.__dict__.get("step")
        _now.writer = self
        if step is not None:
            _now.step = step
        try:
            yield self
        finally:
            _now.writer, _now.step = before
            self.flush()

    def set_as_default(self, step=None):
        """tf.summary writes here from now on."""
        _now.writer = self
        if step is not None:
            _now.step = step

    def flush(self):
        """Writes out what is held back."""
        self._file.flush()

    def close(self):
        """Writes out what is held back and closes the file."""
        self._file.close()


class _Now(threading.local):
    writer = step = None
    recording = True


_now = _Now()


def create_file_writer(logdir, max_queue=None, flush_millis=None, filename_suffix="", name=None):
    """A writer of events that TensorBoard reads, in this directory."""
    return SummaryWriter(logdir, filename_suffix or "")


def create_noop_writer():
    """A writer that writes nothing."""
    return None


@contextlib.contextmanager
def record_if(condition):
    """A scope in which events are written only if the condition holds."""
    before, _now.recording = _now.recording, bool(condition() if callable(condition) else condition)
    try:
        yield
    finally:
        _now.recording = before


def should_record_summaries():
    """Would events be written now?"""
    return _now.writer is not None and _now.recording


@contextlib.contextmanager
def _experimental_step(step):
    before, _now.step = _now.step, step
    try:
        yield
    finally:
        _now.step = before


class experimental:
    """tf.summary.experimental: the step that events are written with."""

    @staticmethod
    def set_step(step):
        """Sets the step of events that say none."""
        _now.step = step

    @staticmethod
    def get_step():
        """The step of events that say none."""
        return _now.step

    @staticmethod
    @contextlib.contextmanager
    def summary_scope(name, default_name="summary", values=None):
        """A name scope that gives (tag, scope) for what is written in it."""
        from brio._control import get_current_name_scope, name_scope

        name = name or default_name
        around = get_current_name_scope()
        with name_scope(re.sub(r"[^\w.\-/]", "", name, flags=re.ASCII).lstrip("/") or None) as scope:
            yield f"{around}/{name}" if around else name, scope

    @staticmethod
    def write_raw_pb(tensor, step=None, name=None):
        """Writes a Summary message that is serialised already."""
        data = tensor.numpy() if hasattr(tensor, "numpy") else tensor
        return _write("summary", "", data, step)


def _write(method, name, data, step, *args):
    step = _now.step if step is None else step
    if not should_record_summaries():
        return False
    if step is None:
        raise ValueError("a summary needs a step: pass step=, or set one by writer.as_default(step=...)")
    getattr(_now.writer._file, method)(name, data, int(np.asarray(step)), *args)
    return True


def scalar(name, data, step=None, description=None):
    """One number."""
    return _write("scalar", name, float(np.asarray(data)), step)


def histogram(name, data, step=None, buckets=None, description=None):
    """How values are spread."""
    return _write("histogram", name, np.asarray(data), step, 30 if buckets is None else buckets)


def text(name, data, step=None, description=None):
    """Writes a text."""
    return _write("text", name, data if isinstance(data, (str, bytes)) else _core.convert_to_tensor(data).numpy(), step)


def audio(name, data, sample_rate, step=None, max_outputs=3, encoding=None, description=None):
    """Sounds (n, samples, channels), numbers from -1 to 1, as WAV files."""
    data = np.asarray(data)
    if data.ndim != 3:
        raise ValueError(f"summary.audio() takes (n, samples, channels), but got shape {data.shape}")
    if encoding not in (None, "wav"):
        raise ValueError(f"summary.audio(): encoding is {encoding!r}; it is 'wav'")
    return _write("sounds", name, data[: int(max_outputs)], step, int(np.asarray(sample_rate)))


def image(name, data, step=None, max_outputs=3, description=None):
    """Pictures (n, height, width, channels): numbers from 0 to 1, or uint8."""
    data = np.asarray(data)
    if data.ndim != 4:
        raise ValueError(f"summary.image() takes (n, height, width, channels), but got shape {data.shape}")
    return _write("images", name, _pictures(data[:max_outputs]), step)


def _pictures(data):
    """Width, height and PNG file of each of (n, height, width, channels)."""
    from brio import io

    if data.dtype != np.uint8:
        data = (np.clip(data, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8)
    return [(p.shape[1], p.shape[0], io.encode_png(_core.convert_to_tensor(p)).numpy()) for p in data]


def flush(writer=None, name=None):
    """Writes out what is held back."""
    writer = writer or _now.writer
    if writer is not None:
        writer.flush()


def write(tag, tensor, step=None, metadata=None, name=None):
    """Writes a number under a tag."""
    return scalar(tag, tensor, step)


def trace_on(*args, **kwargs):
    """Brio writes no graphs: nothing happens."""


def trace_off():
    """Brio writes no graphs: nothing happens."""


def trace_export(*args, **kwargs):
    """Brio writes no graphs: nothing happens."""
