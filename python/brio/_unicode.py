"""Characters of strings and where they begin: tf.strings.unicode_decode_with_offsets and unicode_split_with_offsets."""

import numpy as np

from brio import _core
from brio._ragged import RaggedTensor
from brio.errors import InvalidArgumentError

# By encoding: Python's name, and how many bytes a character takes.
_ENCODINGS = {
    "UTF-8": ("utf-8", lambda c: 1 + (c >= 0x80) + (c >= 0x800) + (c >= 0x10000)),
    "UTF-16-BE": ("utf-16-be", lambda c: 2 + 2 * (c >= 0x10000)),
    "UTF-32-BE": ("utf-32-be", lambda c: 4 + 0 * c),
}


def _points(text):
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.int64)


def _decoded(who, data, encoding, errors, mark):
    """The characters of some bytes as numbers, and the byte at which each begins."""
    name, width = _ENCODINGS[encoding]
    points, offsets, at = [], [], 0

    def take(text):
        nonlocal at
        found = _points(text)
        sizes = width(found)
        points.append(found)
        offsets.append(at + np.cumsum(sizes) - sizes)
        at += int(sizes.sum())

    while True:
        try:
            take(data[at:].decode(name))
            break
        except UnicodeDecodeError as error:
            begin, size = at + error.start, error.end - error.start
            take(data[at:begin].decode(name))
            if errors == "strict":
                raise InvalidArgumentError(
                    f"[strings.{who}] byte {begin} of a string is no {encoding}; errors='replace' or 'ignore' goes on"
                ) from None
            if errors == "replace":
                points.append(np.array([mark], np.int64))
                offsets.append(np.array([begin], np.int64))
            at = begin + size
    return np.concatenate(points), np.concatenate(offsets)


def _checked(who, encoding, errors):
    encoding = str(encoding).upper().replace("_", "-")
    encoding = {"UTF8": "UTF-8"}.get(encoding, encoding)
    if encoding not in _ENCODINGS:
        raise ValueError(f"[strings.{who}] input_encoding is {encoding!r}; it is one of {', '.join(_ENCODINGS)}")
    if errors not in ("replace", "strict", "ignore"):
        raise ValueError(f"[strings.{who}] errors is {errors!r}; it is 'replace', 'strict' or 'ignore'")
    return encoding


def _of_each(who, input, encoding, errors, mark, finish):
    """(characters, offsets): vectors of one string, rows of several."""
    if isinstance(input, RaggedTensor):
        made, offsets = _of_each(who, input.flat_values, encoding, errors, mark, finish)
        return _in_rows(input, made), _in_rows(input, offsets)
    x = _core.convert_to_tensor(input)
    encoding = _checked(who, encoding, errors)
    texts = np.asarray(x.numpy(), object).reshape(-1).tolist()
    parts = [_decoded(who, text, encoding, errors, mark) for text in texts]
    lengths = [len(p) for p, _ in parts]
    points = finish(np.concatenate([p for p, _ in parts] or [np.zeros(0, np.int64)]), encoding)
    offsets = _core.constant(np.concatenate([o for _, o in parts] or [np.zeros(0, np.int64)]))
    if x.shape.rank == 0:
        return points, offsets
    both = []
    for values in (points, offsets):
        made = RaggedTensor.from_row_lengths(values, lengths)
        for n in reversed(x.shape[1:]):
            made = RaggedTensor.from_uniform_row_length(made, int(n))
        both.append(made)
    return tuple(both)


def _in_rows(like, values):
    inner = _in_rows(like.values, values) if isinstance(like.values, RaggedTensor) else values
    return RaggedTensor(inner, like.row_splits)


def unicode_decode_with_offsets(
    input, input_encoding, errors="replace", replacement_char=65533, replace_control_characters=False, name=None
):
    """The characters of strings, as numbers, and the byte at which each begins.

    >>> [x.numpy().tolist() for x in tf.strings.unicode_decode_with_offsets("aß", "UTF-8")]
    [[97, 223], [0, 1]]
    """

    def finish(points, encoding):
        if replace_control_characters:
            points = np.where(points < 0x20, replacement_char, points)
        return _core.constant(points.astype(np.int32))

    return _of_each("unicode_decode_with_offsets", input, input_encoding, errors, replacement_char, finish)


def unicode_split_with_offsets(input, input_encoding, errors="replace", replacement_char=65533, name=None):
    """The characters of strings, as strings, and the byte at which each begins.

    >>> [x.numpy().tolist() for x in tf.strings.unicode_split_with_offsets("aß", "UTF-8")]
    [[b'a', b'\\xc3\\x9f'], [0, 1]]
    """

    def finish(points, encoding):
        made = [chr(c).encode(_ENCODINGS[encoding][0], "surrogatepass") for c in points.tolist()]
        return _core.constant(made, "string", shape=[len(made)])

    return _of_each("unicode_split_with_offsets", input, input_encoding, errors, replacement_char, finish)
