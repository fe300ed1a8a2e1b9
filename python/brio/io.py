"""tf.io."""

import functools
import inspect

from brio import _core
from brio import _gfile as gfile
from brio._core import _io
from brio._core._io import *
from brio._lazy import names as _names
from brio._parsing import (
    FixedLenFeature, FixedLenSequenceFeature, RaggedFeature, SparseFeature, TFRecordOptions, TFRecordWriter,
    VarLenFeature, parse_example, parse_sequence_example, parse_single_example, parse_single_sequence_example,
)  # fmt: skip

__getattr__, __dir__, _HOMES = _names(__name__, {
    "_more_image": "decode_and_crop_jpeg",
    "_more_io": "deserialize_many_sparse match_filenames_once serialize_many_sparse serialize_sparse",
})  # fmt: skip


def _as_one_step(function):
    """Of a function that Dataset.map writes down: it reads its first argument in Python, and so does a replay."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        if not _core._journalling():
            return function(*args, **kwargs)
        bound = inspect.signature(function).bind(*args, **kwargs)
        name, kinds = next(iter(bound.arguments)), []

        def run(x):
            made = function(**{**bound.arguments, name: x})
            kinds.append(type(made))
            return made if isinstance(made, list) else [made]

        made = _core._journal_call(run, [_core.convert_to_tensor(bound.arguments[name])])
        return made if kinds[0] is list else made[0]

    return call


def read_file(filename, name=None):
    """The bytes of a file."""
    return _io._read_file(filename)


def decode_image(contents, channels=None, dtype="uint8", name=None, expand_animations=True):
    """The pixels of a JPEG, PNG or BMP file's bytes, whichever they are."""
    dtype = _core.as_dtype(dtype)
    if dtype in (_core.uint8, _core.uint16):
        return _io._decode_image(contents, channels, dtype)
    return _core._image.convert_image_dtype(_io._decode_image(contents, channels, "uint8"), dtype)


@_as_one_step
def decode_gif(contents, name=None):
    """The frames of a GIF file's bytes: (frames, height, width, 3).

    >>> import base64
    >>> tf.io.decode_gif(base64.b64decode("R0lGODdhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=")).numpy().tolist()
    [[[[255, 255, 255]]]]
    """
    from brio import _gif

    return _core.constant(_gif.frames(_core.convert_to_tensor(contents).numpy()))


def extract_jpeg_shape(contents, output_type="int32", name=None):
    """The height, width and channels that a JPEG file's bytes tell."""
    return _core.cast(_io._picture_size(contents), output_type)


def decode_raw(input_bytes, out_type, little_endian=True, fixed_length=None, name=None):
    """The bytes of strings as numbers along a last axis."""
    x = _core.convert_to_tensor(input_bytes)
    if fixed_length is not None:
        import numpy as np

        size = _core.as_dtype(out_type).size
        if fixed_length <= 0 or fixed_length % size:
            raise ValueError(
                f"[decode_raw] fixed_length is {fixed_length}, which is no multiple of the {size} bytes of a number"
            )
        texts = np.asarray(x.numpy(), dtype=object).reshape(-1).tolist()
        x = _core.reshape(_core.constant([t[:fixed_length].ljust(fixed_length, b"\0") for t in texts]), x.shape)
    return _io._decode_raw(x, out_type, little_endian)


def _each(x, f):
    import numpy as np

    x = _core.convert_to_tensor(x)
    texts = np.asarray(x.numpy(), dtype=object).reshape(-1).tolist()
    return _core.reshape(_core.constant([f(t) for t in texts]), x.shape)


@_as_one_step
def encode_base64(input, pad=False, name=None):
    """Strings in the letters of base64 that go in web addresses."""
    import base64

    return _each(input, lambda t: base64.urlsafe_b64encode(t) if pad else base64.urlsafe_b64encode(t).rstrip(b"="))


@_as_one_step
def decode_base64(input, name=None):
    """The strings that letters of base64 stand for."""
    import base64

    return _each(input, lambda t: base64.urlsafe_b64decode(t + b"=" * (-len(t) % 4)))


@_as_one_step
def matching_files(pattern, name=None):
    """The names of files that match patterns, in order."""
    patterns = _core.convert_to_tensor(pattern).numpy()
    patterns = [patterns] if isinstance(patterns, bytes) else patterns.reshape(-1).tolist()
    names = sorted({name for p in patterns for name in _io._glob(p.decode())})
    return _core.reshape(_core.constant(names, "string"), [len(names)])


@_as_one_step
def decode_csv(
    records, record_defaults, field_delim=",", use_quote_delim=True, na_value="", name=None, select_cols=None
):
    """The fields of lines of CSV, a tensor for each column."""
    import csv

    from brio.errors import InvalidArgumentError

    x = _core.convert_to_tensor(records)
    lines = [x.numpy()] if x.shape.rank == 0 else x.numpy().reshape(-1).tolist()
    how = csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE
    rows = [next(csv.reader([line.decode()], delimiter=field_delim, quoting=how)) for line in lines]
    chosen = range(len(record_defaults)) if select_cols is None else select_cols
    columns = []
    for place, default in zip(chosen, record_defaults):
        is_dtype = not hasattr(default, "shape") and not isinstance(default, (list, tuple, int, float, str, bytes))
        default = (
            _core.zeros([0], _core.as_dtype(default))
            if is_dtype
            else _core.reshape(_core.convert_to_tensor(default), [-1])
        )
        fields = []
        for number, row in enumerate(rows):
            if select_cols is None and len(row) != len(record_defaults):
                raise InvalidArgumentError(
                    f"[decode_csv] expect {len(record_defaults)} fields but have {len(row)} in record {number}"
                )
            text = row[place]
            if text in ("", na_value):
                if default.shape[0] == 0:
                    raise InvalidArgumentError(f"[decode_csv] field {place} is required but missing in record {number}")
                fields.append(default.numpy()[0])
            elif default.dtype == _core.string:
                fields.append(text)
            else:
                try:
                    fields.append(float(text) if default.dtype.is_floating else int(text))
                except ValueError:
                    raise InvalidArgumentError(
                        f"[decode_csv] field {place} in record {number} is no valid {default.dtype.name}: {text}"
                    ) from None
        column = _core.constant([f.item() if hasattr(f, "item") else f for f in fields], default.dtype)
        columns.append(_core.reshape(column, x.shape))
    return columns


@_as_one_step
def decode_compressed(bytes, compression_type="", name=None):
    """Strings without their compression: "ZLIB", "GZIP", or "" for none.

    >>> import zlib
    >>> tf.io.decode_compressed(zlib.compress(b"text"), "ZLIB").numpy()
    b'text'
    """
    from brio import _more_io

    return _more_io.decode_compressed(bytes, compression_type)


@_as_one_step
def decode_json_example(json_examples, name=None):
    """Examples that are written in JSON, as protocol buffers write them, in bytes for tf.io.parse_example.

    >>> text = '{"features": {"feature": {"a": {"int64List": {"value": ["7"]}}}}}'
    >>> tf.io.parse_single_example(
    ...     tf.io.decode_json_example(text), {"a": tf.io.FixedLenFeature([], tf.int64)}
    ... )["a"].numpy().item()
    7
    """
    from brio import _more_io

    return _more_io.decode_json_example(json_examples)


@_as_one_step
def serialize_tensor(tensor, name=None):
    """A tensor as bytes of TensorFlow's protocol buffer, TensorProto."""
    from brio._tensor_proto import serialize

    return _core.constant(serialize(_core.convert_to_tensor(tensor)))


@_as_one_step
def parse_tensor(serialized, out_type, name=None):
    """The tensor that serialize_tensor wrote."""
    from brio._tensor_proto import parse

    return parse(_core.convert_to_tensor(serialized).numpy(), _core.as_dtype(out_type))
