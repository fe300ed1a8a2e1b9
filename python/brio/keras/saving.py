"""keras.saving: .keras files, .weights.h5 and .safetensors. Files are written aside, synced and renamed."""

import datetime
import json
import os
import tempfile
import zipfile

import numpy as np

from brio import _core
from brio._missing import attribute_error_of as _attribute_error_of
from brio.keras import _state
from brio.keras._serialization import (  # noqa: F401: names of keras.saving
    CustomObjectScope, deserialize_keras_object, get_custom_objects, get_registered_name, get_registered_object,
    register_keras_serializable, serialize_keras_object,
)  # fmt: skip

__getattr__ = _attribute_error_of(__name__)

custom_object_scope = CustomObjectScope
_LARGEST = 1 << 32  # of a member of a ZIP file that is far larger than what is stored
_VERSION = "3.15.0"


def write_aside(path, write):
    """Calls write(file) for a file beside `path`, which then takes its place: a reader sees the old or the new, whole."""
    path = os.fspath(path)
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        raise IsADirectoryError(f"{path} is a directory")
    handle, beside = tempfile.mkstemp(prefix=os.path.basename(path) + ".", suffix=".tmp", dir=folder)
    os.close(handle)
    try:
        with open(beside, "w+b") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise
    directory = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


# ---- weights as HDF5


def _hdf5():
    try:
        from brio import _hdf5

        return _hdf5
    except ImportError as error:
        raise ImportError(f"this build of brio cannot read and write HDF5 files ({error}): install libhdf5-dev and build it again") from None


def _bytes(variable):
    """(dtype, shape, bytes) of a variable."""
    value = variable.numpy()
    array = np.ascontiguousarray(value)
    return variable.dtype.name, list(np.shape(value)), array.tobytes()


def _values(array):
    """The same of a NumPy array, for layers that write their own."""
    array = np.asarray(array)
    return array.dtype.name, list(array.shape), np.ascontiguousarray(array).tobytes()


def _own_store(entry):
    """What save_own_variables() of a class of the user's writes, or None where it has none."""
    method = getattr(type(entry.owner), "save_own_variables", None)
    if method is None:
        return None
    store = {}
    entry.owner.save_own_variables(store)
    return store


def _write_h5(model, path):
    groups, datasets = [], []
    for entry in _state.entries(model):
        folder = f"{entry.path}/vars" if entry.path else "vars"
        groups.append((folder, {"name": entry.name}))
        own = _own_store(entry)
        rows = [(str(i), _bytes(v)) for i, v in enumerate(entry.variables)] if own is None else [(str(k), _values(v)) for k, v in own.items()]
        datasets += [(f"{folder}/{name}", *parts) for name, parts in rows]
    _hdf5().write(path, groups, datasets)


def _numbers(dtype, shape, data):
    if dtype == "bfloat16":
        bits = np.frombuffer(data, np.uint16).reshape(shape)
        return _core.convert_to_tensor((bits.astype(np.uint32) << 16).view(np.float32))
    return np.frombuffer(data, dtype).reshape(shape)


class _H5:
    """The datasets of a file, read when they are asked for."""

    def __init__(self, path):
        self.reader = _hdf5().Reader(path)

    def names(self, path):
        """Names of the datasets under <path>/vars."""
        at = ""
        for part in [p for p in path.split("/") if p] + ["vars"]:
            if part not in [n for n, is_group in self.reader.names(at) if is_group]:
                return []
            at = f"{at}/{part}" if at else part
        return [n for n, is_group in self.reader.names(at) if not is_group]

    def read(self, path, name):
        return _numbers(*self.reader.read(f"{path}/vars/{name}" if path else f"vars/{name}"))


def _read_into(model, source, skip_mismatch, what):
    problems = []
    for entry in _state.entries(model):
        names = source.names(entry.path)
        load = getattr(type(entry.owner), "load_own_variables", None)
        if load is not None:
            entry.owner.load_own_variables({name: source.read(entry.path, name) for name in names})
            continue
        from brio.keras.optimizers import Optimizer

        optimizer = isinstance(entry.owner, Optimizer)
        if len(names) != len(entry.variables):
            if not optimizer or (names and entry.variables[2:]):  # an optimizer that has not begun to train has no slots
                problems.append(f"'{entry.name}' ({entry.path or 'the model'}) has {len(entry.variables)} variables, but the file has {len(names)}")
            continue
        for i, variable in enumerate(entry.variables):
            value = source.read(entry.path, str(i))
            if tuple(np.shape(value)) != tuple(variable.shape):
                problems.append(f"variable {i} of '{entry.name}' ({entry.path}) has shape {tuple(variable.shape)}, but the file has {tuple(np.shape(value))}")
                continue
            variable.assign(_core.cast(value, variable.dtype))
    if problems and skip_mismatch:
        import warnings

        warnings.warn(f"{what}: left as they were: " + "; ".join(problems), stacklevel=3)
    elif problems:
        raise ValueError(f"{what} does not fit the model: " + "; ".join(problems[:5]))


def save_weights(model, filepath, overwrite=True, max_shard_size=None, **kwargs):
    """Writes x.weights.h5, as Keras does, or x.safetensors."""
    filepath = os.fspath(filepath)
    if not model.built and model.weights == []:
        raise ValueError("a model that has not been built has no weights to write; call it on data, or build() it")
    if max_shard_size is not None:
        raise ValueError("weights are written to one file; leave max_shard_size out")
    if not filepath.endswith((".weights.h5", ".safetensors")):
        raise ValueError(f"a file of weights ends in .weights.h5 or .safetensors, but the name is {filepath}")
    _check_overwrite(filepath, overwrite)
    if filepath.endswith(".safetensors"):
        from brio import _safetensors

        _safetensors.save(filepath, {f"{e.path}/{i}" if e.path else str(i): v for e in _state.entries(model) for i, v in enumerate(e.variables)}, {"format": "brio"})
        return
    write_aside(filepath, lambda file: _write_h5(model, file.name))


def load_weights(model, filepath, skip_mismatch=False, by_name=False, **kwargs):
    """Reads weights into a model."""
    filepath = os.fspath(filepath)
    if not model.built and model.weights == []:
        raise ValueError("a model that has not been built has no weights to load into; call it on data, or build() it")
    if not os.path.exists(filepath):
        raise FileNotFoundError(f"there is no file {filepath}")
    if filepath.endswith(".safetensors"):
        from brio import _safetensors

        _read_into(model, _Safe(_safetensors.load(filepath)), skip_mismatch, filepath)
    elif filepath.endswith(".keras"):
        with zipfile.ZipFile(filepath) as archive:
            _from_archive(archive, lambda path: _read_into(model, _H5(path), skip_mismatch, filepath))
    elif filepath.endswith("weights.h5"):
        _read_into(model, _H5(filepath), skip_mismatch, filepath)
    else:
        raise ValueError(f"weights are read from .weights.h5, .keras and .safetensors files, but the name is {filepath}")


class _Safe:
    def __init__(self, tensors):
        self.tensors = tensors

    def names(self, path):
        before = f"{path}/" if path else ""
        return [k[len(before) :] for k in self.tensors if k.startswith(before) and "/" not in k[len(before) :]]

    def read(self, path, name):
        return self.tensors[f"{path}/{name}" if path else name]


def _check_overwrite(path, overwrite):
    if not overwrite and os.path.exists(path):
        raise FileExistsError(f"{path} is there already; pass overwrite=True to replace it")


# ---- models


def save_model(model, filepath, overwrite=True, zipped=None, **kwargs):
    """Writes x.keras: the config, the weights and the state of the optimizer. Keras loads it, and load_model() here."""
    filepath = os.fspath(filepath)
    if not filepath.endswith(".keras"):
        raise ValueError(f"models are written to files that end in .keras, but the name is {filepath}; for weights alone there is save_weights()")
    _check_overwrite(filepath, overwrite)
    config = json.dumps(serialize_keras_object(model))
    about = json.dumps({"keras_version": _VERSION, "date_saved": datetime.datetime.now().strftime("%Y-%m-%d@%H:%M:%S")})

    def write(file):
        with zipfile.ZipFile(file, "w") as archive, tempfile.TemporaryDirectory() as folder:
            archive.writestr("metadata.json", about)
            archive.writestr("config.json", config)
            weights = os.path.join(folder, "model.weights.h5")
            _write_h5(model, weights)
            archive.write(weights, "model.weights.h5")
            for entry in _state.entries(model):
                if hasattr(entry.owner, "save_assets"):
                    store = {}
                    entry.owner.save_assets(store)
                    for name, text in store.items():
                        archive.writestr(f"assets/{entry.path}/{name}", text)

    write_aside(filepath, write)


def load_model(filepath, custom_objects=None, compile=True, safe_mode=True):
    """The model of a .keras file."""
    filepath = os.fspath(filepath)
    if not filepath.endswith(".keras"):
        raise ValueError(f"models are read from .keras files, but the name is {filepath}")
    if not os.path.exists(filepath):
        raise ValueError(f"there is no file {filepath}")
    try:
        archive = zipfile.ZipFile(filepath)
    except zipfile.BadZipFile:
        raise ValueError(f"{filepath} is no .keras file: it is not a ZIP archive") from None
    with archive:
        config = json.loads(_member(archive, "config.json"))
        if not compile:
            config["compile_config"] = None
        model = deserialize_keras_object(config, custom_objects, safe_mode)
        _from_archive(archive, lambda path: _read_into(model, _H5(path), False, filepath))
        for entry in _state.entries(model):
            if hasattr(entry.owner, "load_assets"):
                before = f"assets/{entry.path}/"
                entry.owner.load_assets({n[len(before) :]: _member(archive, n).decode() for n in archive.namelist() if n.startswith(before)})
    return model


def _member(archive, name):
    try:
        info = archive.getinfo(name)
    except KeyError:
        raise ValueError(f"{archive.filename} is no .keras file: it has no {name}") from None
    if info.file_size > _LARGEST and info.file_size > 100 * max(info.compress_size, 1):
        raise ValueError(f"{archive.filename}: {name} claims {info.file_size} bytes, but {info.compress_size} are stored")
    return archive.read(name)


def _from_archive(archive, read):
    """Calls read(path) with the weights of a .keras file, laid down as a file of their own."""
    data = _member(archive, "model.weights.h5")
    with tempfile.NamedTemporaryFile(suffix=".weights.h5") as file:
        file.write(data)
        file.flush()
        read(file.name)


class KerasFileEditor:
    """Not part of Brio: an error says so."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("brio has no KerasFileEditor")
