"""Reads pickled arrays and nothing else: what a file names beside them is an error,
so that it runs no code of its own."""

import pickle
import zipfile

_ALLOWED = {
    ("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode"),
    *((f"numpy.{core}.multiarray", name) for core in ("core", "_core") for name in ("_reconstruct", "scalar")),
    *((f"numpy.{core}.numeric", "_frombuffer") for core in ("core", "_core")),
}  # fmt: skip


class _Unpickler(pickle.Unpickler):
    def find_class(self, module, name):
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"the file names {module}.{name}, which no dataset needs; it is not read")
        return super().find_class(module, name)


def load(file):
    """What an open file holds; texts of Python 2 are bytes."""
    return _Unpickler(file, encoding="bytes").load()


def load_npz(path):
    """Arrays by name of an .npz file; those of lists are pickled in it."""
    import numpy as np

    found = {}
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            with archive.open(member) as file:
                version = np.lib.format.read_magic(file)
                read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
                shape, _, dtype = read(file)
                if dtype.hasobject:
                    array = load(file)
                else:
                    array = np.frombuffer(file.read(), dtype)
                found[member[: -len(".npy")]] = array.reshape(shape)
    return found
