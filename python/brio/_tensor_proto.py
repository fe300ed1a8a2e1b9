"""Tensors as bytes of TensorFlow's TensorProto: dtype (1), tensor_shape (2), tensor_content (4), string_val (8)."""

from brio import _core
from brio._numpy import _ENUMS
from brio.errors import InvalidArgumentError

_NAMES = {number: name for name, number in _ENUMS.items()}


def _varint(n):
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def _field(number, payload):
    return _varint(number << 3 | 2) + _varint(len(payload)) + payload


def serialize(tensor):
    import numpy as np

    shape = b"".join(_field(2, b"\x08" + _varint(n) if n else b"") for n in tensor.shape)
    out = b"\x08" + _varint(_ENUMS[tensor.dtype.name]) + _field(2, shape)
    if tensor.dtype == _core.string:
        return out + b"".join(_field(8, text) for text in np.asarray(tensor.numpy(), dtype=object).reshape(-1).tolist())
    content = bytes(tensor.__reduce__()[1][2])
    return out + (_field(4, content) if content else b"")


def _read_varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise InvalidArgumentError("[parse_tensor] the bytes are no TensorProto: they end in a number")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _fields(data):
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        if key & 7 == 0:
            value, at = _read_varint(data, at)
        elif key & 7 == 2:
            size, at = _read_varint(data, at)
            if at + size > len(data):
                raise InvalidArgumentError(
                    "[parse_tensor] the bytes are no TensorProto: a field is longer than they are"
                )
            value, at = data[at : at + size], at + size
        else:
            raise InvalidArgumentError("[parse_tensor] the bytes are no TensorProto that Brio reads")
        yield key >> 3, value


def parse(data, dtype):
    name, shape, content, texts = None, [], b"", []
    for number, value in _fields(data):
        if number == 1:
            name = _NAMES.get(value)
        elif number == 2:
            for inner, dim in _fields(value):
                if inner == 2:
                    shape.append(dict(_fields(dim)).get(1, 0))
        elif number == 4:
            content = value
        elif number == 8:
            texts.append(value)
    if name is None or name != dtype.name:
        raise InvalidArgumentError(f"[parse_tensor] the bytes hold a tensor of {name}, but out_type is {dtype.name}")
    if dtype == _core.string:
        return _core.reshape(_core.constant(texts, "string"), shape)
    return _core._restored(name, shape, content)
