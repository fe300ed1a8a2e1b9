"""safetensors files: a JSON header with names, dtypes, shapes and places, then the numbers. C++ reads and writes them.

The header's metadata begin with a checksum of the whole file, in which its eight digits count as zeros.
"""

import os

import numpy as np

from brio import _core, errors


def save(path, tensors, metadata=None):
    """Writes {name: tensor, variable or array}."""
    _core._write_safetensors(os.fspath(path), list(tensors.items()), metadata or {})


def load(path):
    """{name: NumPy array}; bfloat16 numbers come as a tensor of float32."""
    try:
        rows = _core._read_safetensors(os.fspath(path))
    except errors.DataLossError as error:
        if "this is no safetensors file" in str(error):
            raise ValueError(str(error)) from None
        raise
    return {name: _array(*described) for name, described in rows}


def _array(dtype, shape, data):
    if dtype == "bfloat16":
        bits = np.frombuffer(data, np.uint16).reshape(shape)
        return _core.convert_to_tensor((bits.astype(np.uint32) << 16).view(np.float32))
    return np.frombuffer(data, dtype).reshape(shape)
