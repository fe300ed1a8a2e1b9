"""Event files, which TensorBoard reads: TFRecords of Event messages, written by hand as protocol buffers."""

import os
import struct
import time

import numpy as np

from brio import _core

_DTYPES = {"float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int64": 9, "bool": 10}


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def field(number, value):
    """A field of a message: an int as varint, a float as double, and bytes or text with their length."""
    if isinstance(value, (bool, int, np.integer)):
        return varint(number << 3) + varint(int(value))
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensor(values):
    """A TensorProto."""
    if isinstance(values, (list, tuple)):  # texts
        shape = field(2, field(1, len(values)))
        return field(1, 7) + field(2, shape) + b"".join(field(8, v) for v in values)
    if isinstance(values, (str, bytes)):
        return field(1, 7) + field(2, b"") + field(8, values)
    values = np.ascontiguousarray(values)
    shape = b"".join(field(2, field(1, int(n))) for n in values.shape)
    return field(1, _DTYPES[values.dtype.name]) + field(2, shape) + field(4, values.tobytes())


def metadata(plugin, data_class, content=b""):
    """A SummaryMetadata."""
    return field(1, field(1, plugin) + (field(2, content) if content else b"")) + field(4, data_class)


class EventFile:
    """Appends events to one file of a directory; the file is C++'s (brio/formats/event_file.h)."""

    def __init__(self, directory, suffix=""):
        self._file = _core._Events(os.fspath(directory), suffix)
        self.path = self._file.path

    def _record(self, data):
        self._file.write(data)

    def layers(self, model):
        """The layers of a model and how they are connected."""
        self._file.layers(model._handle)

    def value(self, tag, step, proto, about):
        """One value: a TensorProto with its SummaryMetadata."""
        made = field(1, tag) + field(8, proto) + field(9, about)
        self._record(field(1, time.time()) + field(2, int(step)) + field(5, field(1, made)))

    def scalar(self, tag, value, step):
        self.value(tag, step, tensor(np.float32(value)), metadata("scalars", 1))

    def histogram(self, tag, values, step, buckets=30):
        self.value(
            tag,
            step,
            tensor(_histogram(np.asarray(values, np.float64).reshape(-1), buckets)),
            metadata("histograms", 2),
        )

    def text(self, tag, values, step):
        self.value(tag, step, tensor(values), metadata("text", 2))

    def images(self, tag, pictures, step):
        """PNG files of (n, height, width, channels), beside their size."""
        texts = [str(pictures[0][0]), str(pictures[0][1]), *(p[2] for p in pictures)]
        self.value(tag, step, tensor(texts), metadata("images", 3))

    def sounds(self, tag, data, step, rate):
        """WAV files of (n, samples, channels), each beside a description that is empty."""
        from brio.audio import encode_wav

        files = [encode_wav(np.asarray(one, np.float32), rate).numpy() for one in data]
        shape = field(2, field(1, len(files))) + field(2, field(1, 2))
        proto = field(1, 7) + field(2, shape) + b"".join(field(8, file) + field(8, b"") for file in files)
        self.value(tag, step, proto, metadata("audio", 3, field(2, 11)))

    def summary(self, tag, data, step):
        """A Summary message as it is."""
        self._record(field(1, time.time()) + field(2, int(step)) + field(5, data))

    def flush(self):
        self._file.flush()

    def close(self):
        self._file.close()


def _histogram(values, buckets):
    """Rows (left, right, count)."""
    if not values.size:
        return np.zeros((buckets, 3))
    low, high = values.min(), values.max()
    if low == high:
        rows = np.zeros((buckets, 3))
        rows[:, 0] = rows[:, 1] = low
        rows[-1, 2] = values.size
        return rows
    counts, edges = np.histogram(values, bins=buckets, range=(low, high))
    return np.stack([edges[:-1], edges[1:], counts], axis=1).astype(np.float64)
