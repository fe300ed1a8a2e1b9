"""safetensors files: a JSON header with names, dtypes, shapes and places, then the numbers.

The header's metadata begin with a checksum of the whole file, in which its eight digits count as zeros.
"""

import json
import math
import os
import struct

import numpy as np

from brio import _core, _files

_NAMES = {"bool": "BOOL", "uint8": "U8", "int8": "I8", "int16": "I16", "uint16": "U16", "float16": "F16", "bfloat16": "BF16", "int32": "I32",
          "uint32": "U32", "float32": "F32", "float64": "F64", "int64": "I64", "uint64": "U64", "complex64": "C64"}  # fmt: skip
_WIDTHS = {"BOOL": 1, "U8": 1, "I8": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2, "I32": 4, "U32": 4, "F32": 4, "F64": 8, "I64": 8, "U64": 8, "C64": 8}
_BEFORE, _AFTER = b'{"__metadata__":{"brio_crc32c":"', b'"'  # what stands around the checksum, at byte 8 of a file
_DIGITS = 8 + len(_BEFORE)


def save(path, tensors, metadata=None):
    """Writes {name: tensor, variable or array}."""
    header, parts, at = {"__metadata__": {"brio_crc32c": "0" * 8, **(metadata or {})}}, [], 0
    for name, value in tensors.items():
        dtype = value.dtype.name
        array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
        bits = (np.ascontiguousarray(array).view(np.uint32) >> 16).astype(np.uint16) if dtype == "bfloat16" and array.itemsize == 4 else array
        data = np.ascontiguousarray(bits).tobytes()
        header[name] = {"dtype": _NAMES[dtype], "shape": [int(n) for n in array.shape], "data_offsets": [at, at + len(data)]}
        at += len(data)
        parts.append(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)

    head = struct.pack("<Q", len(text)) + text
    crc = _core._crc32c(head)
    for part in parts:
        crc = _core._crc32c(part, crc)

    def write(file):
        file.write(head[:_DIGITS] + b"%08x" % crc + head[_DIGITS + 8 :])
        for part in parts:
            file.write(part)

    _files.write_aside(path, write)


def check(path):
    """Compares the checksum of a file: False where it has none. A damaged file is a DataLossError."""
    import mmap

    with open(os.fspath(path), "rb") as file:
        if os.fstat(file.fileno()).st_size < _DIGITS + 9:
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data, memoryview(data) as view:
            if _files._differences(bytes(view[8:_DIGITS]) + bytes(view[_DIGITS + 8 : _DIGITS + 9]), _BEFORE + _AFTER) > 2:
                return False
            with view[:_DIGITS] as head, view[_DIGITS + 8 :] as rest:
                crc = _core._crc32c(rest, _core._crc32c(b"0" * 8, _core._crc32c(head)))
            if bytes(view[_DIGITS : _DIGITS + 8]) != b"%08x" % crc:
                raise _files._damaged(path)
    return True


def load(path):
    """{name: NumPy array}; bfloat16 numbers come as a tensor of float32."""
    size = os.path.getsize(path)
    check(path)
    fail = lambda why: ValueError(f"{path} is no safetensors file: {why}")  # noqa: E731
    with open(os.fspath(path), "rb") as file:
        head = file.read(8)
        if len(head) < 8:
            raise fail("it has fewer than 8 bytes")
        length = struct.unpack("<Q", head)[0]
        if length > 100_000_000 or 8 + length > size:
            raise fail(f"its header claims {length} bytes")
        try:
            header = json.loads(file.read(length), object_pairs_hook=_no_twins)
        except ValueError as error:
            raise fail(f"its header is no JSON: {error}") from None
        if not isinstance(header, dict):
            raise fail("its header is no object")
        header.pop("__metadata__", None)
        for name, about in header.items():
            if not isinstance(about, dict) or not {"dtype", "shape", "data_offsets"} <= set(about) or not _is_pair(about["data_offsets"]):
                raise fail(f"'{name}' is not described by dtype, shape and data_offsets")
        rows = sorted(header.items(), key=lambda row: row[1]["data_offsets"])
        at, tensors = 0, {}
        for name, about in rows:
            dtype, shape, (begin, end) = about["dtype"], about["shape"], about["data_offsets"]
            if dtype not in _WIDTHS:
                raise fail(f"'{name}' is {dtype}, which is not known")
            if not isinstance(shape, list) or any(not isinstance(n, int) or n < 0 for n in shape):
                raise fail(f"'{name}' has shape {shape}")
            if begin != at or end - begin != math.prod(shape) * _WIDTHS[dtype] or 8 + length + end > size:
                raise fail(f"'{name}' lies from {begin} to {end}, which does not fit")
            at = end
            tensors[name] = _array(dtype, shape, file.read(end - begin))
        if 8 + length + at != size:
            raise fail("there are bytes behind the last tensor")
    return {name: tensors[name] for name in header}


def _is_pair(x):
    return isinstance(x, list) and len(x) == 2 and all(isinstance(n, int) for n in x)


def _array(dtype, shape, data):
    if dtype == "BF16":
        bits = np.frombuffer(data, np.uint16).reshape(shape)
        return _core.convert_to_tensor((bits.astype(np.uint32) << 16).view(np.float32))
    plain = {v: k for k, v in _NAMES.items()}[dtype]
    return np.frombuffer(data, plain).reshape(shape)


def _no_twins(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is there twice")
    return found
