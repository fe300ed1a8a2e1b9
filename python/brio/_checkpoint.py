"""tf.train.Checkpoint and CheckpointManager: variables of objects in a safetensors file, with a manifest beside it.

A checkpoint PREFIX is two files: PREFIX.safetensors with the numbers, and PREFIX.json, which says which variable of
which object each is and is written last. The directory's file `checkpoint` names the newest, as TensorFlow's does. Each
has a checksum, and is compared with it when it is read.
"""

import os
import re
import time
import weakref

import numpy as np

from brio import _core, _files, _safetensors

_FORMAT = "brio checkpoint 1"


def _manifest(prefix):
    """What a checkpoint says that it holds: {name: {"dtype", "shape"}}."""
    made = _files.read_json(prefix + ".json")
    if made.get("format") != _FORMAT or not isinstance(made.get("variables"), dict):
        raise _files._damaged(prefix + ".json", f"it is not of the format '{_FORMAT}'")
    return made["variables"]


def _other_names(prefix):
    """{a variable's name by the attributes that lead to it: its name in the file}, of what Keras' objects hold."""
    found = _files.read_json(prefix + ".json").get("also", {})
    return {k: v for k, v in found.items() if isinstance(v, str)} if isinstance(found, dict) else {}


_ATTRIBUTES = "/.ATTRIBUTES/VARIABLE_VALUE"  # what TensorFlow's names of variables end with


def _in_file(prefix, name):
    """The name in the file of a variable by any of its names."""
    plain = name[: -len(_ATTRIBUTES)] if name.endswith(_ATTRIBUTES) else name
    return plain if plain in _manifest(prefix) else _other_names(prefix).get(plain, name)


def _values(prefix):
    """{name: array} of a checkpoint, which must be what its manifest says."""
    about, values = _manifest(prefix), _safetensors.load(prefix + ".safetensors")
    for name in [*about, *values]:
        if name not in values or name not in about:
            where, other = (".json", ".safetensors") if name in about else (".safetensors", ".json")
            raise _files._damaged(prefix + where, f"it has '{name}', which {prefix}{other} does not have")
        if list(np.shape(values[name])) != about[name]["shape"]:
            shapes = about[name]["shape"], list(np.shape(values[name]))
            raise _files._damaged(
                prefix + ".json", f"'{name}' has shape {shapes[0]} in it, and {shapes[1]} in {prefix}.safetensors"
            )
    return values


def _variables(obj, path=(), seen=None):
    """(name, variable) of everything that an object holds:
    variables, layers, optimizers, modules, lists, dictionaries."""
    seen = set() if seen is None else seen
    if isinstance(obj, _core.Variable):
        yield "/".join(path), obj
        return
    if id(obj) in seen:
        return
    seen.add(id(obj))
    if isinstance(obj, dict):
        for key, value in obj.items():
            yield from _variables(value, (*path, str(key)), seen)
    elif isinstance(obj, (list, tuple)):
        for i, value in enumerate(obj):
            yield from _variables(value, (*path, str(i)), seen)
    elif hasattr(obj, "_handle") or hasattr(
        obj, "_brio"
    ):  # layers, models, metrics and optimizers list theirs in order
        for i, variable in enumerate(obj.variables):
            yield "/".join((*path, str(i))), variable
        optimizer = getattr(obj, "__dict__", {}).get("optimizer")
        if optimizer is not None and optimizer is not obj:
            yield from _variables(optimizer, (*path, "optimizer"), seen)
    elif isinstance(obj, Checkpoint) or _is_module(obj):
        for key, value in sorted(vars(obj).items()):
            if not (isinstance(obj, Checkpoint) and key.startswith("_")):  # a module's own names may begin with one
                yield from _variables(value, (*path, key), seen)
    elif _iterates(obj):
        yield "/".join(path), _Position(obj)


class _Position:
    """Where an iterator over a dataset stands, in the place of a variable."""

    dtype = _core.as_dtype("uint8")

    def __init__(self, iterator):
        self._iterator = iterator

    def _key(self):
        return id(self._iterator)

    def now(self):
        return _core.convert_to_tensor(np.frombuffer(self._iterator.save(), np.uint8))

    def assign(self, value):
        self._iterator.restore(np.asarray(value).tobytes())


def _iterates(obj):
    """Is it an iterator over a dataset, which can be saved? That over elements with more than tensors has one
    inside."""
    return hasattr(obj, "element_spec") and hasattr(obj, "save") and hasattr(obj, "restore")


def _by_attributes(obj, path=(), seen=None):
    """(name, variable) of what Keras' objects inside of an object hold,
    by the attributes that lead there: "net/l1/bias"."""
    seen = set() if seen is None else seen
    if id(obj) in seen or isinstance(obj, _core.Variable):
        return
    seen.add(id(obj))
    if hasattr(obj, "_handle"):
        for variable in obj.variables:  # those of layers inside come again, by longer names
            yield "/".join((*path, variable.path.rsplit("/", 1)[-1])), variable
        items = [(k, v) for k, v in vars(obj).items() if not k.startswith("_") and hasattr(v, "_handle")]
        items += [("layers", obj.layers)] if hasattr(obj, "layers") else []
    elif isinstance(obj, dict):
        items = obj.items()
    elif isinstance(obj, (list, tuple)):
        items = enumerate(obj)
    elif isinstance(obj, Checkpoint) or _is_module(obj):
        items = [(k, v) for k, v in vars(obj).items() if not k.startswith("_")]
    else:
        items = ()
    for key, value in items:
        yield from _by_attributes(value, (*path, str(key)), seen)


def _is_module(obj):
    from brio._module import Module

    return isinstance(obj, Module)


def _holders(obj, path="", seen=None):
    """(prefix of names, object) of layers, models and optimizers,
    which make their variables when they are first used."""
    seen = set() if seen is None else seen
    if id(obj) in seen:
        return
    seen.add(id(obj))
    if hasattr(obj, "_handle") or hasattr(obj, "_brio"):
        yield path, obj
        obj = {"optimizer": getattr(obj, "__dict__", {}).get("optimizer")}
    items = obj.items() if isinstance(obj, dict) else enumerate(obj) if isinstance(obj, (list, tuple)) else ()
    if isinstance(obj, Checkpoint) or _is_module(obj):
        items = [(k, v) for k, v in vars(obj).items() if not (isinstance(obj, Checkpoint) and k.startswith("_"))]
    for key, value in items:
        yield from _holders(value, f"{path}{key}/", seen)


def _restore_later(owner, values, path):
    def restore():
        variables = owner.variables
        for i, value in values.items():
            if i >= len(variables) or tuple(np.shape(value)) != tuple(variables[i].shape):
                shape = tuple(variables[i].shape) if i < len(variables) else "none"
                what = f"variable {i} of '{owner.name}' has shape {tuple(np.shape(value))}, but the object has {shape}"
                raise ValueError(f"{path}: {what}; nothing was restored to it")
        for i, value in values.items():
            variables[i].assign(_core.cast(value, variables[i].dtype))

    owner._when_built(restore)


class _Status:
    """What restore() found: which variables the checkpoint has, and which the program."""

    def __init__(self, path, missing, unused):
        self._path, self._missing, self._unused = path, missing, unused

    def assert_consumed(self):
        if self._missing or self._unused:
            raise AssertionError(f"{self._path}: without a value {self._missing}; without a variable {self._unused}")
        return self

    def assert_existing_objects_matched(self):
        if self._missing:
            raise AssertionError(f"{self._path}: without a value {self._missing}")
        return self

    def assert_nontrivial_match(self):
        return self

    def expect_partial(self):
        return self

    def run_restore_ops(self, session=None):
        return self

    initialize_or_restore = run_restore_ops


class Checkpoint:
    """Objects whose variables are saved and restored together: Checkpoint(model=model, optimizer=optimizer).

    >>> import tempfile
    >>> v = tf.Variable(1.0)
    >>> path = tf.train.Checkpoint(v=v).save(tempfile.mkdtemp() + "/ckpt")
    >>> _ = v.assign(5.0)
    >>> _ = tf.train.Checkpoint(v=v).restore(path)
    >>> float(v)
    1.0
    """

    def __init__(self, root=None, **objects):
        if root is not None:
            self.root = root
        for name, obj in objects.items():
            setattr(self, name, obj)
        self._pending, self._counter = {}, None

    def __setattr__(self, name, value):
        """What becomes part of the object after restore() gets its value now,
        also what is put into a list of it later."""
        if not name.startswith("_"):
            from brio.keras._tracking import wrapped

            value = wrapped(value, lambda _: self._restore_new())
        object.__setattr__(self, name, value)
        if "_restorer" in self.__dict__ and not name.startswith("_"):
            self._restore_new()

    def _restore_new(self):
        if "_restorer" not in self.__dict__:
            return
        root, values, also, seen = self._restorer
        root = root()
        for name, variable in root._all() if root is not None else ():
            found = values.get(name, values.get(also.get(name)))
            if name not in seen and found is not None and tuple(np.shape(found)) == tuple(variable.shape):
                variable.assign(_core.cast(found, variable.dtype))
            seen.add(name)

    @property
    def save_counter(self):
        """How often it was saved."""
        if self._counter is None:
            self._counter = _core.Variable(0, dtype="int64", trainable=False, name="save_counter")
        return self._counter

    def _all(self):
        yield from _variables({k: v for k, v in vars(self).items() if not k.startswith("_")})
        yield "save_counter", self.save_counter

    def write(self, file_prefix, options=None):
        """Writes PREFIX as it is, without counting."""
        prefix = os.fspath(file_prefix)
        os.makedirs(os.path.dirname(os.path.abspath(prefix)), exist_ok=True)
        rows = {name: v.now() if isinstance(v, _Position) else v for name, v in self._all()}
        _safetensors.save(prefix + ".safetensors", rows)
        about = {name: {"dtype": v.dtype.name, "shape": [int(n) for n in v.shape]} for name, v in rows.items()}
        names = {v._key(): name for name, v in rows.items() if isinstance(v, _core.Variable)}
        also = {name: names[v._key()] for name, v in _by_attributes(self) if v._key() in names and name not in rows}
        _files.write_json(
            prefix + ".json", {"format": _FORMAT, "written": time.time(), "variables": about, "also": also}
        )
        return prefix

    def save(self, file_prefix, options=None):
        """Writes PREFIX-1, PREFIX-2, …"""
        self.save_counter.assign_add(1)
        path = self.write(f"{os.fspath(file_prefix)}-{int(self.save_counter.numpy())}")
        update_checkpoint_state(os.path.dirname(path) or ".", path)
        return path

    def read(self, save_path, options=None):
        """The same as restore()."""
        return self.restore(save_path, options)

    def restore(self, save_path, options=None):
        """Gives variables the values of a checkpoint; None restores nothing."""
        if save_path is None:
            return _Status("", [], [])
        path = os.fspath(save_path)
        if not os.path.exists(path + ".json"):
            from brio import errors

            raise errors.NotFoundError(f"there is no checkpoint {path}")
        values = _values(path)
        waiting = [] if options == "now" else self._wait(values, path)
        missing, found = [], []
        every, also = dict(values), _other_names(path)
        for name, variable in self._all():
            if name not in values and also.get(name) not in every:
                missing.append(name)
                continue
            value = values.pop(name) if name in values else every[also[name]]
            if not isinstance(variable, _Position) and tuple(np.shape(value)) != tuple(variable.shape):
                raise ValueError(
                    f"{path}: '{name}' has shape {tuple(np.shape(value))}, but the variable has "
                    f"{tuple(variable.shape)}; nothing was restored"
                )
            found.append((variable, value))
        for variable, value in found:
            variable.assign(_core.cast(value, variable.dtype))
        for wait in waiting:
            wait()
        for inside in _checkpoints(self):
            object.__setattr__(inside, "_restorer", (weakref.ref(self), every, also, {name for name, _ in self._all()}))
        return _Status(path, [m for m in missing if m != "save_counter"], list(values))

    def _wait(self, values, path):
        """What has no variables yet gets its values when it makes them.
        Returns what to do when all else is restored."""
        waiting = []
        for prefix, owner in _holders({k: v for k, v in vars(self).items() if not k.startswith("_")}):
            names = [n for n in values if n.startswith(prefix) and n[len(prefix) :].isdigit()]
            of = getattr(owner, "_owner", None) or getattr(getattr(owner, "inner_optimizer", None), "_owner", None)
            model = of() if of is not None else None
            if hasattr(owner, "_brio") and model is not None and model.built and len(names) > len(owner.variables):
                owner.build(model.trainable_variables)
            if len(names) <= len(owner.variables) or (hasattr(owner, "_handle") and owner.built):
                continue
            mine = {int(n[len(prefix) :]): values[n] for n in names}
            waiting.append(lambda owner=owner, mine=mine: _restore_later(owner, mine, path))
        return waiting


def _checkpoints(obj, seen=None):
    """A Checkpoint and those inside of it."""
    seen = set() if seen is None else seen
    if id(obj) in seen:
        return
    seen.add(id(obj))
    if isinstance(obj, Checkpoint):
        yield obj
        for key, value in list(vars(obj).items()):
            if not key.startswith("_"):
                yield from _checkpoints(value, seen)


def update_checkpoint_state(save_dir, model_checkpoint_path, all_model_checkpoint_paths=None, latest_filename=None):
    """Writes the file `checkpoint` of a directory, or one of another name:
    the newest checkpoint and those that are kept."""
    short = lambda p: (
        os.path.relpath(p, save_dir) if os.path.dirname(os.path.abspath(p)) == os.path.abspath(save_dir) else p
    )
    paths = list(all_model_checkpoint_paths or [model_checkpoint_path])
    if model_checkpoint_path not in paths:
        paths.append(model_checkpoint_path)
    lines = [
        f'model_checkpoint_path: "{short(model_checkpoint_path)}"',
        *(f'all_model_checkpoint_paths: "{short(p)}"' for p in paths),
    ]
    body = ("\n".join(lines) + "\n").encode()
    _files.write_aside(
        os.path.join(save_dir, latest_filename or "checkpoint"),
        lambda file: file.write(body + _files.TEXT.of(_core._crc32c(body))),
    )


class CheckpointState:
    """Which checkpoints a directory holds: the last one, and all that are kept."""

    def __init__(self, newest, paths):
        self.model_checkpoint_path, self.all_model_checkpoint_paths = newest, paths


def get_checkpoint_state(checkpoint_dir, latest_filename=None):
    """What the manifest of a directory says of its checkpoints; None where there is none."""
    path = os.path.join(os.fspath(checkpoint_dir), latest_filename or "checkpoint")
    if not os.path.exists(path):
        return None
    with open(os.fspath(path), "rb") as file:
        data = file.read()
    _files.TEXT.check(data, path)
    try:
        rows = re.findall(r'^(\w+): "(.*)"$', data.decode(), re.M)
    except UnicodeDecodeError as error:
        raise _files._damaged(path, f"it is no text ({error})") from None
    at = lambda p: p if os.path.isabs(p) else os.path.join(os.fspath(checkpoint_dir), p)
    newest = [at(p) for key, p in rows if key == "model_checkpoint_path"]
    return (
        CheckpointState(newest[0], [at(p) for key, p in rows if key == "all_model_checkpoint_paths"])
        if newest
        else None
    )


def latest_checkpoint(checkpoint_dir, latest_filename=None):
    """The newest checkpoint of a directory, or None."""
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    return (
        state.model_checkpoint_path
        if state is not None and os.path.exists(state.model_checkpoint_path + ".json")
        else None
    )


def list_variables(ckpt_dir_or_file):
    """(name, shape) of every variable of a checkpoint."""
    path = os.fspath(ckpt_dir_or_file)
    path = latest_checkpoint(path) if os.path.isdir(path) else path
    return [(name, row["shape"]) for name, row in sorted(_manifest(path).items())]


def load_variable(ckpt_dir_or_file, name):
    """One tensor of a checkpoint, as a NumPy array."""
    path = os.fspath(ckpt_dir_or_file)
    path = latest_checkpoint(path) if os.path.isdir(path) else path
    return _values(path)[_in_file(path, name)]


class CheckpointReader:
    """What a checkpoint holds, by name."""

    def __init__(self, path):
        path = os.fspath(path)
        self._path = latest_checkpoint(path) if os.path.isdir(path) else path

    def get_variable_to_shape_map(self):
        """The names of all tensors with their shapes, as TensorFlow ends them."""
        return {name + _ATTRIBUTES: row["shape"] for name, row in self._rows()}

    def get_variable_to_dtype_map(self):
        """The names of all tensors with their dtypes."""
        return {name + _ATTRIBUTES: _core.as_dtype(row["dtype"]) for name, row in self._rows()}

    def _rows(self):
        about = _manifest(self._path)
        return sorted(
            [
                *about.items(),
                *((name, about[inside]) for name, inside in _other_names(self._path).items() if inside in about),
            ]
        )

    def has_tensor(self, name):
        """Is there a tensor of this name?"""
        return _in_file(self._path, name) in _manifest(self._path)

    def get_tensor(self, name):
        """The tensor of this name, as a NumPy array."""
        return load_variable(self._path, name)


def load_checkpoint(ckpt_dir_or_file):
    """A reader of a checkpoint's tensors."""
    return CheckpointReader(ckpt_dir_or_file)


class CheckpointManager:
    """Keeps the newest checkpoints of a directory and deletes older ones."""

    def __init__(self, checkpoint, directory, max_to_keep, keep_checkpoint_every_n_hours=None, checkpoint_name="ckpt",
                 step_counter=None, checkpoint_interval=None, init_fn=None):  # fmt: skip
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"CheckpointManager: max_to_keep is {max_to_keep}; it is 1 or more, or None for all")
        self.checkpoint, self.directory, self._max = checkpoint, os.fspath(directory), max_to_keep
        self._prefix, self._step, self._interval, self._init = (
            os.path.join(self.directory, checkpoint_name),
            step_counter,
            checkpoint_interval,
            init_fn,
        )
        self._last = None
        state = get_checkpoint_state(self.directory)
        self._paths = [p for p in (state.all_model_checkpoint_paths if state else []) if os.path.exists(p + ".json")]

    @property
    def checkpoints(self):
        """The checkpoints that are kept, the oldest first."""
        return list(self._paths)

    @property
    def latest_checkpoint(self):
        """The last one, or None."""
        return self._paths[-1] if self._paths else None

    @property
    def checkpoint_interval(self):
        """After how many steps a checkpoint is due."""
        return self._interval

    def save(self, checkpoint_number=None, check_interval=True, options=None):
        """Writes a checkpoint, removes what is too old, and returns the path; None where none is due."""
        if (
            check_interval
            and self._interval is not None
            and self._last is not None
            and int(self._step.numpy()) - self._last < self._interval
        ):
            return None
        if self._step is not None:
            self._last = int(self._step.numpy())
        if checkpoint_number is None:
            self.checkpoint.save_counter.assign_add(1)
            number = int(self.checkpoint.save_counter.numpy())
        else:
            number = int(np.asarray(checkpoint_number))
        path = self.checkpoint.write(f"{self._prefix}-{number}")
        self._paths = [p for p in self._paths if p != path] + [path]
        old = self._paths[: -self._max] if self._max is not None else []
        self._paths = self._paths[len(old) :]
        update_checkpoint_state(self.directory, path, self._paths)
        for gone in old:
            for ending in (".safetensors", ".json"):  # a kill in between leaves no numbers behind
                if os.path.exists(gone + ending):
                    os.unlink(gone + ending)
        return path

    def restore_or_initialize(self):
        """Restores the last checkpoint, or calls init_fn where there is none."""
        if self.latest_checkpoint is None:
            if self._init is not None:
                self._init()
            return None
        self.checkpoint.restore(self.latest_checkpoint)
        return self.latest_checkpoint
