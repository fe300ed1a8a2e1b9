"""keras.saving: .keras files, .weights.h5 and .safetensors.
Files are written aside, synced and renamed, with a checksum.

What is read is compared with the model first, all of it, and then assigned:
a load that fails leaves the model as it was.
"""

import datetime
import json
import os
import shutil
import tempfile
import zipfile
import zlib

import numpy as np

from brio import _core, _files, errors
from brio._missing import attribute_error_of as _attribute_error_of
from brio.keras import _state
from brio.keras._serialization import (
    CustomObjectScope, deserialize_keras_object, get_custom_objects, get_registered_name, get_registered_object,
    register_keras_serializable, serialize_keras_object,
)  # fmt: skip

__getattr__ = _attribute_error_of(__name__)

custom_object_scope = CustomObjectScope
_LARGEST = 1 << 32  # of a member of a ZIP file that is far larger than what is stored
_VERSION = "3.15.0"


# ---- weights as HDF5


def _write_bytes(path, groups, datasets):
    """Makes an HDF5 file in memory and writes it: the library does not survive a disk that is full while it writes."""
    with open(path, "wb") as file:
        file.write(_core._hdf5_bytes(os.fspath(path), groups, datasets))


def _bytes(variable):
    """(dtype, shape, bytes) of a variable."""
    value = variable.numpy()
    array = np.ascontiguousarray(value)
    return variable.dtype.name, list(np.shape(value)), array.tobytes()


def _values(array):
    """The same of a NumPy array, for layers that write their own."""
    array = np.asarray(array)
    return array.dtype.name, list(array.shape), np.ascontiguousarray(array).tobytes()


def _is_own(entry, method):
    """Has the class of an entry's owner this method from its user, not from Layer?"""
    found = getattr(type(entry.owner), method, None)
    return found is not None and not hasattr(found, "_by_default")


def _own_store(entry):
    """What save_own_variables() of a class of the user's writes, or None where it has none."""
    if not _is_own(entry, "save_own_variables"):
        return None
    store = {}
    entry.owner.save_own_variables(store)
    return store


def _write_h5(model, path, about=None):
    """`about` is a text that goes with the weights, which _about() reads."""
    groups, rows = [], []
    for entry in _state.entries(model):
        folder = f"{entry.path}/vars" if entry.path else "vars"
        groups.append((folder, {"name": entry.name}))
        own = _own_store(entry)
        rows += [(f"{folder}/{k}", v) for k, v in (enumerate(entry.variables) if own is None else own.items())]
    if about is not None:
        groups.append((_ABOUT, {"about": about}))
    # Made one after the other: they need not all be in memory twice.
    _write_bytes(
        path, groups, ((name, *(_bytes(v) if isinstance(v, _core.Variable) else _values(v))) for name, v in rows)
    )


_ABOUT = "brio_about"


def _about(path):
    """The text that was written with weights, or None."""
    reader = _reader(path)
    return reader.text(_ABOUT, "about") if (_ABOUT, True) in [tuple(row) for row in reader.names("")] else None


def _reader(path, image=None):
    """Opens an HDF5 file, or the bytes of one. One that is damaged is a DataLossError that names it."""
    try:
        return _core._Hdf5Reader(path) if image is None else _core._Hdf5Reader(image, path)
    except errors.DataLossError as error:
        raise _files._damaged(path, str(error)) from None


def _numbers(dtype, shape, data):
    if dtype == "bfloat16":
        bits = np.frombuffer(data, np.uint16).reshape(shape)
        return _core.convert_to_tensor((bits.astype(np.uint32) << 16).view(np.float32))
    return np.frombuffer(data, dtype).reshape(shape)


class _H5:
    """The datasets of a file, read when they are asked for."""

    def __init__(self, path, image=None):
        self.path, self.reader, self.found = path, _reader(path, image), {}

    def _inside(self, at):
        if at not in self.found:
            self.found[at] = dict(self._call(self.reader.names, at))
        return self.found[at]

    def _call(self, function, argument):
        try:
            return function(argument)
        except errors.DataLossError as error:
            raise _files._damaged(self.path, str(error)) from None

    def names(self, path):
        """Names of the datasets under <path>/vars."""
        at = ""
        for part in [p for p in path.split("/") if p] + ["vars"]:
            if not self._inside(at).get(part):
                return []
            at = f"{at}/{part}" if at else part
        return [n for n, is_group in self._inside(at).items() if not is_group]

    def read(self, path, name):
        return _numbers(*self._call(self.reader.read, f"{path}/vars/{name}" if path else f"vars/{name}"))


def _read_into(model, source, skip_mismatch, what, is_new=False):
    from brio.keras.optimizers import Optimizer

    problems, notes, values, own = [], [], [], []
    keeper = getattr(model, "optimizer", None)
    if keeper is not None and len(source.names("optimizer")) > len(keeper.variables) and model.trainable_variables:
        keeper.build(model.trainable_variables)  # what it keeps for each weight is in the file, and would be lost
    others = {id(e.owner): e.path for e in _state.entries(model, by_attributes=True) if e.owner is not None}
    for entry in _state.entries(model):
        names = source.names(entry.path)
        if not names and others.get(id(entry.owner), entry.path) != entry.path:
            entry.path = others[id(entry.owner)]
            names = source.names(entry.path)
        if _is_own(entry, "load_own_variables"):
            own.append((entry, {name: source.read(entry.path, name) for name in names}))
            continue
        where = f"'{entry.name}' ({entry.path or 'the model'})"
        rows, wrong = [], []
        if is_new and isinstance(entry.owner, Optimizer) and 0 < len(names) < len(entry.variables):
            entry.variables = entry.variables[
                : len(names)
            ]  # it had not begun to train: what it keeps for weights is what it begins with
        if sorted(names) != sorted(str(i) for i in range(len(entry.variables))):
            wrong = [f"{where} has {len(entry.variables)} variables, but the file has {len(names)}"]
        else:
            for i, variable in enumerate(entry.variables):
                value = source.read(entry.path, str(i))
                if tuple(np.shape(value)) == tuple(variable.shape):
                    rows.append((variable, value))
                else:
                    wrong.append(
                        f"variable {i} of {where} has shape {tuple(variable.shape)}, but the file has "
                        f"{tuple(np.shape(value))}"
                    )
        if wrong and isinstance(
            entry.owner, Optimizer
        ):  # as Keras: weights are of use without what an optimizer keeps for them
            if names:
                notes.append(f"the optimizer begins anew, as the file's state does not fit it: {wrong[0]}")
            continue
        problems += wrong
        values += rows
    if problems and not skip_mismatch:
        raise ValueError(f"{what} does not fit the model, which was left as it was: " + "; ".join(problems[:5]))
    if problems:
        notes.append("left as they were: " + "; ".join(problems))
    for note in notes:
        import warnings

        warnings.warn(f"{what}: {note}", stacklevel=4)
    _load_own(own)
    for variable, value in values:
        variable.assign(_core.cast(value, variable.dtype))


def _load_own(rows):
    """Calls load_own_variables() of classes of the user's; where one fails, what they changed is put back."""
    before = [(v, v.numpy()) for entry, _ in rows for v in entry.variables]
    try:
        for entry, store in rows:
            entry.owner.load_own_variables(store)
    except BaseException:
        for variable, value in before:
            variable.assign(value)
        raise


def save_weights(model, filepath, overwrite=True, max_shard_size=None, **kwargs):
    """Writes x.weights.h5, as Keras does, or x.safetensors."""
    filepath = os.fspath(filepath)
    if not model.built and model.weights == []:
        raise ValueError("a model that has not been built has no weights to write; call it on data, or build() it")
    if max_shard_size is not None:
        raise ValueError("weights are written to one file; leave max_shard_size out")
    if not filepath.endswith((".weights.h5", ".safetensors")):
        raise ValueError(f"The filename must end in `.weights.h5`, or in .safetensors, but the name is {filepath}")
    _check_overwrite(filepath, overwrite)
    if filepath.endswith(".safetensors"):
        from brio import _safetensors

        _safetensors.save(
            filepath,
            {
                f"{e.path}/{i}" if e.path else str(i): v
                for e in _state.entries(model)
                for i, v in enumerate(e.variables)
            },
            {"format": "brio"},
        )
        return
    _files.write_aside(filepath, lambda file: _write_h5(model, file.name), _files.BINARY)


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
        with _archive(filepath) as archive:
            _from_archive(archive, lambda source: _read_into(model, source, skip_mismatch, filepath))
    elif filepath.endswith((".h5", ".hdf5")) and not kwargs.get("_is_backup") and _is_legacy(filepath):
        from brio.keras import _legacy_h5

        _legacy_h5.load_weights(model, filepath, skip_mismatch, by_name)
    elif filepath.endswith("weights.h5") or kwargs.get("_is_backup"):
        _files.check_file(filepath, _files.BINARY)
        _read_into(model, _H5(filepath), skip_mismatch, filepath)
    else:
        raise ValueError(
            f"weights are read from .weights.h5, .h5, .keras and .safetensors files, but the name is {filepath}"
        )


def _is_legacy(path):
    from brio.keras import _legacy_h5

    return _legacy_h5.is_legacy(path)


def save_backup(model, path, state):
    """Weights with a dictionary of plain data, in one file."""
    _files.write_aside(path, lambda file: _write_h5(model, file.name, json.dumps(state)), _files.BINARY)


def load_backup(model, path):
    """Reads the weights that save_backup() wrote, and returns the dictionary; None where Keras wrote the file."""
    load_weights(model, path, _is_backup=True)
    text = _about(os.fspath(path))
    return None if text is None else json.loads(text)


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
    if filepath.endswith((".h5", ".hdf5")):
        from brio.keras import _legacy_h5

        _check_overwrite(filepath, overwrite)
        return _legacy_h5.save_model(model, filepath, kwargs.get("include_optimizer", True))
    if not filepath.endswith(".keras"):
        raise ValueError(
            f"models are written to files that end in .keras or .h5, but the name is {filepath}; for weights alone "
            "there is save_weights()"
        )
    _check_overwrite(filepath, overwrite)
    config = json.dumps(serialize_keras_object(model))
    about = json.dumps({"keras_version": _VERSION, "date_saved": datetime.datetime.now().strftime("%Y-%m-%d@%H:%M:%S")})

    def write(file):
        with zipfile.ZipFile(file, "w") as archive:
            archive.comment = _files.BINARY.of(0)
            archive.writestr("metadata.json", about)
            archive.writestr("config.json", config)
            with _files.aside(filepath) as weights:
                _write_h5(model, weights.name)
                with archive.open("model.weights.h5", "w", force_zip64=True) as member:
                    shutil.copyfileobj(weights, member, 1 << 20)
            for entry in _state.entries(model):
                if hasattr(entry.owner, "save_assets"):
                    _save_assets(archive, entry)
        _files.add_seal(file, _files.BINARY, instead=_files.BINARY.size)

    _files.write_aside(filepath, write)


def load_model(filepath, custom_objects=None, compile=True, safe_mode=True):
    """The model of a .keras file."""
    filepath = os.fspath(filepath)
    if not filepath.endswith((".keras", ".h5", ".hdf5")):
        raise ValueError(f"models are read from .keras and .h5 files, but the name is {filepath}")
    if not os.path.exists(filepath):
        raise ValueError(f"there is no file {filepath}")
    if not filepath.endswith(".keras"):
        from brio.keras import _legacy_h5

        return _legacy_h5.load_model(filepath, custom_objects, compile, safe_mode)
    with _archive(filepath) as archive:
        config = json.loads(_member(archive, "config.json"))
        if not compile:
            config["compile_config"] = None
        model = deserialize_keras_object(config, custom_objects, safe_mode)
        _from_archive(archive, lambda source: _read_into(model, source, False, filepath, is_new=True))
        for entry in _state.entries(model):
            if hasattr(entry.owner, "load_assets"):
                _load_assets(archive, entry)
    return model


def _save_assets(archive, entry):
    """Files that an object writes into a folder go into the archive."""
    with tempfile.TemporaryDirectory() as folder:
        entry.owner.save_assets(folder)
        for at, _, names in os.walk(folder):
            for name in sorted(names):
                inside = os.path.relpath(os.path.join(at, name), folder)
                archive.write(
                    os.path.join(at, name), f"assets/{entry.path}/{inside}" if entry.path else f"assets/{inside}"
                )


def _load_assets(archive, entry):
    """Gives an object a folder with the files that it wrote."""
    before = f"assets/{entry.path}/" if entry.path else "assets/"
    with tempfile.TemporaryDirectory() as folder:
        for name in archive.namelist():
            inside = os.path.normpath(name[len(before) :])
            if not name.startswith(before) or name.endswith("/"):
                continue
            if inside.startswith("..") or os.path.isabs(inside):
                raise ValueError(f"{archive.filename}: the name {name!r} leads out of its folder")
            os.makedirs(os.path.dirname(os.path.join(folder, inside)), exist_ok=True)
            with open(os.path.join(folder, inside), "wb") as file:
                file.write(_member(archive, name))
        entry.owner.load_assets(folder)


def _archive(path):
    """A .keras file, compared with its checksum."""
    _files.check_file(path, _files.BINARY)
    try:
        return zipfile.ZipFile(path)
    except zipfile.BadZipFile:
        raise ValueError(f"{path} is no .keras file: it is not a ZIP archive") from None


def _member(archive, name):
    try:
        info = archive.getinfo(name)
    except KeyError:
        raise ValueError(f"{archive.filename} is no .keras file: it has no {name}") from None
    if info.file_size > _LARGEST and info.file_size > 100 * max(info.compress_size, 1):
        raise ValueError(
            f"{archive.filename}: {name} claims {info.file_size} bytes, but {info.compress_size} are stored"
        )
    try:
        return archive.read(name)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise _files._damaged(archive.filename, f"its member {name} cannot be read ({error})") from None


def _from_archive(archive, read):
    """Calls read(source) with the weights of a .keras file."""
    read(_H5(f"{archive.filename}: model.weights.h5", _member(archive, "model.weights.h5")))


class KerasFileEditor:
    """Not part of Brio: an error says so."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("brio has no KerasFileEditor")
