"""tf.compat.v1.summary: operations that make records for TensorBoard, and the files that they are written to."""

import os
import re
import struct
import time

import numpy as np

from brio import _events, _missing
from brio._graph import core, wrap
from brio._graph.variables import GraphKeys

__getattr__ = _missing.attribute_error_of(__name__)


def _message(number, data):
    return _events.field(number, data)


def _float(number, value):
    return _events.varint(number << 3 | 5) + struct.pack("<f", value)


def _clean(name):
    """A name as TensorBoard takes it."""
    return re.sub(r"[^-/\w.]", "_", name).lstrip("/")


def _operation(kind, name, collections, make, tensor, family=None):
    """An operation that makes a record. One of a family has its name before the scopes too,
    so that TensorBoard shows families together."""
    from brio.compat.v1 import host_operation

    graph = core.building()
    if graph is None:
        raise RuntimeError("tf.compat.v1.summary needs a graph; use tf.summary in eager code")
    name = _clean(name) if family is None else f"{_clean(family)}/{_clean(name)}"
    tag = graph.unique_name(name, mark_as_used=False)
    tag = tag if family is None else f"{_clean(family)}/{tag}"
    made = host_operation(
        graph, kind, lambda value: make(tag, value), [wrap.as_tensor(tensor)], "string", name, ((), ())
    )
    graph.add_to_collections([GraphKeys.SUMMARIES] if collections is None else list(collections), made)
    return made


def scalar(name, tensor, collections=None, family=None):
    """A number."""
    return _operation(
        "ScalarSummary",
        name,
        collections,
        lambda tag, value: _message(1, _message(1, tag) + _float(2, float(value))),
        tensor,
        family,
    )


def histogram(name, values, collections=None, family=None):
    """How often values are how large."""
    return _operation(
        "HistogramSummary",
        name,
        collections,
        lambda tag, v: _message(1, _message(1, tag) + _message(5, _histogram(v))),
        values,
        family,
    )


def _limits():
    """TensorFlow's edges of buckets: powers of 1.1 on both sides of 0."""
    limits, edge = [], 1e-12
    while edge < 1e20:
        limits.append(edge)
        edge *= 1.1
    limits.append(1.7976931348623157e308)
    return np.array([*(-x for x in reversed(limits)), 0.0, *limits])


def _histogram(values):
    """A HistogramProto, in which empty buckets beside one another are one."""
    values = np.asarray(values, np.float64).reshape(-1)
    edges = _limits()
    counts = np.bincount(
        np.searchsorted(edges, values, side="right").clip(0, len(edges) - 1), minlength=len(edges)
    ).astype(np.float64)
    kept = [i for i in range(len(edges)) if counts[i] > 0 or i == len(edges) - 1 or counts[i + 1] > 0]
    numbers = (values.min(), values.max(), values.size, values.sum(), (values**2).sum()) if values.size else (0.0,) * 5
    head = b"".join(_events.field(i + 1, float(x)) for i, x in enumerate(numbers))
    return head + b"".join(
        _events.field(6 + k, struct.pack(f"<{len(kept)}d", *list_[kept])) for k, list_ in enumerate((edges, counts))
    )


def image(name, tensor, max_outputs=3, collections=None, family=None):
    """Pictures, (n, height, width, channels), of uint8 or of floats that are scaled."""

    def make(tag, pictures):
        from brio import io as brio_io

        made = b""
        shown = pictures[:max_outputs]
        for i, picture in enumerate(shown):
            if picture.dtype != np.uint8:
                low, high = float(picture.min()), float(picture.max())
                picture = (
                    picture * (255.0 / max(high, 1e-12))
                    if low >= 0
                    else 127.0 + picture * (127.0 / max(-low, high, 1e-12))
                )
                picture = picture.clip(0, 255).astype(np.uint8)
            with core.paused():
                png = brio_io.encode_png(picture).numpy()
            value = (
                _events.field(1, picture.shape[0])
                + _events.field(2, picture.shape[1])
                + _events.field(3, picture.shape[2])
                + _message(4, png)
            )
            made += _message(
                1, _message(1, f"{tag}/image" if len(shown) == 1 else f"{tag}/image/{i}") + _message(4, value)
            )
        return made

    return _operation("ImageSummary", name, collections, make, tensor, family)


def text(name, tensor, collections=None):
    """Text."""

    def make(tag, value):
        values = [value] if isinstance(value, (bytes, str)) else list(np.asarray(value, object).reshape(-1))
        return _message(
            1, _message(1, tag) + _message(8, _events.tensor(values)) + _message(9, _events.metadata("text", 2))
        )

    return _operation("TensorSummaryV2", name, collections, make, tensor)


def tensor_summary(
    name, tensor, summary_description=None, collections=None, summary_metadata=None, family=None, display_name=None
):
    """Any tensor, with what TensorBoard is to know of it."""
    about = b"" if summary_metadata is None else summary_metadata.SerializeToString()
    about += b"".join(
        _message(n, text) for n, text in ((2, display_name), (3, summary_description)) if text is not None
    )

    def make(tag, value):
        return _message(1, _message(1, tag) + _message(8, _events.tensor(value)) + _message(9, about))

    return _operation("TensorSummaryV2", name, collections, make, tensor, family)


def merge(inputs, collections=None, name=None):
    """Several records as one."""
    from brio.compat.v1 import host_operation

    made = host_operation(
        core.building(),
        "MergeSummary",
        lambda *values: b"".join(values),
        list(inputs),
        "string",
        name or "Merge/MergeSummary",
        ((), ()),
    )
    if collections:
        core.building().add_to_collections(list(collections), made)
    return made


def merge_all(key=GraphKeys.SUMMARIES, scope=None, name=None):
    """All records of the graph as one; None where there are none."""
    found = core.default_graph().get_collection(key, scope)
    return merge(found, name=name) if found else None


class FileWriter:
    """Writes records to a file of a directory, which TensorBoard reads."""

    def __init__(
        self, logdir, graph=None, max_queue=10, flush_secs=120, graph_def=None, filename_suffix=None, session=None
    ):
        self._directory, self._file = os.fspath(logdir), _events.EventFile(os.fspath(logdir), filename_suffix or "")

    def get_logdir(self):
        """The directory."""
        return self._directory

    def add_summary(self, summary, global_step=None):
        """Writes what a session made of an operation of tf.summary."""
        data = summary.SerializeToString() if hasattr(summary, "SerializeToString") else bytes(summary)
        self._file._record(
            _events.field(1, time.time()) + _events.field(2, int(global_step or 0)) + _events.field(5, data)
        )

    def add_event(self, event):
        """Writes an event."""
        self._file._record(event.SerializeToString())

    def add_graph(self, graph, global_step=None, graph_def=None):
        """Nothing is written: TensorBoard's graphs are TensorFlow's own."""

    def add_session_log(self, session_log, global_step=None):
        """Nothing is written."""

    def add_run_metadata(self, run_metadata, tag, global_step=None):
        """Nothing is written."""

    def flush(self):
        """Writes what is left."""
        self._file.flush()

    def close(self):
        """Writes what is left, and closes the file."""
        self._file.flush()
        self._file.close()

    def reopen(self):
        """Goes on in another file."""
        self._file = _events.EventFile(self._directory)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


class Summary:
    """Records that are made by hand: Summary(value=[Summary.Value(tag="loss", simple_value=0.5)])."""

    class Value:
        """One number under a name."""

        def __init__(self, tag="", simple_value=0.0):
            self.tag, self.simple_value = tag, simple_value

    def __init__(self, value=()):
        self.value = list(value)

    def SerializeToString(self):
        """The bytes of the message."""
        return b"".join(_message(1, _message(1, v.tag) + _float(2, float(v.simple_value))) for v in self.value)
