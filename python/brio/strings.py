"""tf.strings."""

from brio import _core
from brio._core import _strings
from brio._core._strings import *
from brio._lazy import names as _names
from brio._ragged import RaggedTensor as _RaggedTensor
from brio.errors import InvalidArgumentError as _InvalidArgumentError

__getattr__, __dir__, _HOMES = _names(__name__, {"_unicode": "unicode_decode_with_offsets unicode_split_with_offsets"})


def _lists(x, split_now):
    """What splitting gives: a vector for one string, rows for several."""
    if isinstance(x, _RaggedTensor):
        return x.with_values(_lists(x.values, split_now))
    values, splits, rows = split_now(x)
    if len(rows) == 0:
        return values
    ragged = _RaggedTensor(values, splits)
    for n in reversed(rows[1:]):
        ragged = _RaggedTensor.from_uniform_row_length(ragged, n)
    return ragged


def _cased(name, change, ascii_only):
    def call(input, encoding="", name=None):
        if encoding not in ("", "utf-8", "utf8"):
            raise _InvalidArgumentError(
                f"[strings.{call.__name__}] encoding is {encoding!r}; it is 'utf-8', or '' for ASCII letters alone"
            )
        if isinstance(input, _RaggedTensor):
            return input.with_flat_values(call(input.flat_values, encoding))
        if encoding == "":
            return ascii_only(input, "")
        x = _core.convert_to_tensor(input)
        if not _core._is_known(x):
            import brio

            made = brio.numpy_function(_each(change), [x], "string")
            made.set_shape(x.shape)
            return made
        return _core.constant(_each(change)(x.numpy()), "string", shape=x.shape)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Strings in {name} case: ASCII letters alone, or with encoding='utf-8' those of every language."
    return call


def _each(change):
    import numpy as np

    def call(array):
        array = np.asarray(array, object)
        made = np.empty(array.shape, object)
        made.reshape(-1)[:] = [change(s.decode("utf-8", "replace")).encode() for s in array.reshape(-1)]
        return made if array.ndim else made[()]

    return call


lower = _cased("lower", str.lower, _strings.lower)
upper = _cased("upper", str.upper, _strings.upper)


def split(input, sep=None, maxsplit=-1, name=None):
    """Strings cut at a separator, or at white space."""
    return _lists(input, lambda x: _strings._split(x, sep, maxsplit))


def bytes_split(input, name=None):
    """The bytes of strings."""
    return _lists(input, _strings._bytes_split)


def _utf8(who, encoding):
    if str(encoding).upper().replace("_", "").replace("-", "") != "UTF8":
        raise ValueError(f"[strings.{who}] encoding {encoding!r} is not supported; it is 'UTF-8'")


def unicode_split(input, input_encoding, errors="replace", replacement_char=65533, name=None):
    """The characters of strings, as strings."""
    _utf8("unicode_split", input_encoding)
    return _lists(input, _strings._unicode_split)


def unicode_decode(
    input, input_encoding, errors="replace", replacement_char=65533, replace_control_characters=False, name=None
):
    """The characters of strings, as numbers."""
    characters = unicode_split(input, input_encoding)
    flat = characters.flat_values if isinstance(characters, _RaggedTensor) else characters
    points = [ord(c.decode("utf-8")) for c in flat.numpy().tolist()]
    numbers = _core.constant(points, "int32", shape=[len(points)])
    return characters.with_flat_values(numbers) if isinstance(characters, _RaggedTensor) else numbers


def unicode_encode(input, output_encoding, errors="replace", replacement_char=65533, name=None):
    """Strings of the characters that numbers stand for."""
    _utf8("unicode_encode", output_encoding)
    if isinstance(input, _RaggedTensor):
        return _core.constant(["".join(map(chr, row)) for row in input.to_list()])
    points = _core.convert_to_tensor(input).numpy()
    if points.ndim == 1:
        return _core.constant("".join(map(chr, points.tolist())))
    return _core.constant(["".join(map(chr, row)) for row in points.tolist()])


def unicode_transcode(
    input,
    input_encoding,
    output_encoding,
    errors="replace",
    replacement_char=65533,
    replace_control_characters=False,
    name=None,
):
    """Strings of one encoding in another."""
    import numpy as np

    x = _core.convert_to_tensor(input)
    flat = np.asarray(x.numpy(), dtype=object).reshape(-1).tolist()
    mark = chr(replacement_char)
    how = {"replace": "replace", "ignore": "ignore", "strict": "strict"}[errors]
    texts = [b.decode(input_encoding, how).replace("\ufffd", mark).encode(_plain(output_encoding)) for b in flat]
    return _core.reshape(_core.constant(texts), x.shape)


def _plain(encoding):
    return {"UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}.get(encoding.upper(), encoding)


def ngrams(
    data, ngram_width, separator=" ", pad_values=None, padding_width=None, preserve_short_sequences=False, name=None
):
    """Runs of so many strings, joined."""
    if pad_values is not None or preserve_short_sequences:
        raise NotImplementedError("[strings.ngrams] pad_values and preserve_short_sequences are not supported")
    widths = [ngram_width] if isinstance(ngram_width, int) else list(ngram_width)
    if isinstance(data, _RaggedTensor):
        values, splits, _ = _strings._ngrams(data.values, data.row_splits, [len(data)], widths, separator)
        return _RaggedTensor(values, splits)
    data = _core.convert_to_tensor(data)
    if data.shape.rank == 1:
        return _strings._ngrams(data, [0, int(data.shape[0])], [], widths, separator)[0]
    return ngrams(_RaggedTensor.from_tensor(data), widths, separator).to_tensor()


def format(template, inputs, placeholder="{}", summarize=3, name=None):
    """The template with each placeholder replaced by a tensor, as tf.print shows it."""
    inputs = inputs if isinstance(inputs, (list, tuple)) else [inputs]
    parts = template.split(placeholder)
    if len(parts) != len(inputs) + 1:
        raise ValueError(f"[strings.format] {len(inputs)} tensors for {len(parts) - 1} placeholders")
    text = parts[0]
    for value, part in zip(inputs, parts[1:]):
        text += _core._shown(value, summarize) + part
    return _core.constant(text)


def unsorted_segment_join(inputs, segment_ids, num_segments, separator="", name=None):
    """The strings that share an id, joined."""
    import math

    import numpy as np

    ids, texts = np.asarray(_core.convert_to_tensor(segment_ids)), _core.convert_to_tensor(inputs)
    if texts.dtype != "string":
        raise _InvalidArgumentError(
            f"[unsorted_segment_join] takes strings, but its inputs are {texts.dtype.name}; see strings.as_string"
        )
    texts, n = np.asarray(texts.numpy(), object), int(num_segments)
    if texts.shape[: ids.ndim] != ids.shape:
        raise _InvalidArgumentError(
            f"[unsorted_segment_join] ids of shape {ids.shape} do not lie along the first axes of strings of shape "
            f"{texts.shape}"
        )
    inner = texts.shape[ids.ndim :]
    groups = {}  # of the segments that have a string: there may be many more
    for row, i in zip(texts.reshape(ids.size, math.prod(inner)), ids.reshape(-1).tolist()):
        if i >= n:
            raise _InvalidArgumentError(f"[unsorted_segment_join] id {i} is out of range: there are {n} segments")
        if i >= 0:
            groups.setdefault(i, []).append(row)
    joined = []
    for rows in groups.values():
        for column in zip(*rows):
            made = b""
            for text in column:  # as TensorFlow, which puts no separator behind what is empty
                made = made + separator.encode() + text if made else text
            joined.append(made)
    joined += [b""] * math.prod(inner)  # the last row is that of all other segments
    at = _core.fill([n], np.int64(len(groups)))
    if groups:
        at = _core.tensor_scatter_nd_update(at, [[i] for i in groups], np.arange(len(groups)))
    return _core.gather(_core.constant(joined, "string", shape=[len(groups) + 1, *inner]), at)
