"""Models and weights in Keras 2's HDF5 form, x.h5: layers by name, each with the names of its weights.
Keras 3 reads and writes it too."""

import json
import os

import numpy as np

from brio import _core, _files, errors
from brio.keras import saving

_LIMIT = 64512  # bytes of an attribute, above which Keras writes it in parts


def save_model(model, path, include_optimizer=True):
    """Writes config, weights, and how the model was compiled."""
    if not model.built and not model.weights:
        raise ValueError("a model that has not been built has no weights to write; call it on data, or build() it")
    about = {
        "backend": "tensorflow",
        "keras_version": saving._VERSION,
        "model_config": json.dumps(saving.serialize_keras_object(model)),
    }
    optimizer = getattr(model, "optimizer", None)
    compiled = model.get_compile_config() if include_optimizer and optimizer is not None else None
    if compiled:
        about["training_config"] = json.dumps(_training_config(model, compiled))
    groups, rows = [("", about)], []
    _weights(model, "model_weights", groups, rows)
    if compiled and optimizer.variables:
        _subset("optimizer_weights", optimizer.variables, groups, rows)
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)  # Keras makes the folder for this kind of file
    arrays = ((name, *saving._bytes(v)) for name, v in rows)
    _files.write_aside(path, lambda file: saving._write_bytes(file.name, groups, arrays), _files.BINARY)


def _training_config(model, compiled):
    given = {k: compiled.get(k) for k in ("loss", "metrics", "weighted_metrics", "loss_weights")}
    return {
        **given,
        "optimizer_config": {
            "class_name": type(model.optimizer).__name__,
            "config": saving.serialize_keras_object(model.optimizer.get_config()),
        },
    }


def _in_parts(name, texts):
    """{name: texts}, or {name0: ..., name1: ...} where they are long."""
    width, parts = max((len(t.encode()) for t in texts), default=1), 1
    while -(-len(texts) // parts) * width > _LIMIT:
        parts += 1
    if parts == 1:
        return {name: list(texts)}
    return {f"{name}{i}": [str(t) for t in part] for i, part in enumerate(np.array_split(np.asarray(texts), parts))}


def _subset(group, variables, groups, rows):
    seen, names = {}, []
    for variable in variables:
        base = str(getattr(variable, "path", variable.name)).replace(":", "_")
        count = seen[base] = seen.get(base, 0) + 1
        names.append(base if count == 1 else f"{base}_{count - 1}")
    groups.append((group, _in_parts("weight_names", names)))
    rows += [(f"{group}/{name}", variable) for name, variable in zip(names, variables)]


def _weights(model, group, groups, rows):
    layers = list(model.layers)
    before = f"{group}/" if group else ""
    groups.append(
        (
            group,
            {
                **_in_parts("layer_names", [layer.name for layer in layers]),
                "backend": "tensorflow",
                "keras_version": saving._VERSION,
            },
        )
    )
    inside = set()
    for layer in layers:
        variables = _in_order(layer)
        inside |= {v._key() for v in variables}
        _subset(before + layer.name, variables, groups, rows)
    _subset(before + "top_level_model_weights", [v for v in _in_order(model) if v._key() not in inside], groups, rows)


def _in_order(layer):
    return [*layer.trainable_weights, *layer.non_trainable_weights]


class _File:
    """A file of this form. What is damaged is a DataLossError that names the file."""

    def __init__(self, path):
        self.path, self.reader = path, saving._reader(path)

    def _call(self, function, *args):
        try:
            return function(*args)
        except errors.DataLossError as error:
            raise _files._damaged(self.path, str(error)) from None

    def text(self, name):
        """An attribute of the file; None where it is absent."""
        return self._call(self.reader.texts, "", name)[0] if self._call(self.reader.has_attribute, "", name) else None

    def texts(self, group, name):
        """A list of texts, which may be in parts."""
        if self._call(self.reader.has_attribute, group, name):
            return self._call(self.reader.texts, group, name)
        found, part = [], 0
        while self._call(self.reader.has_attribute, group, f"{name}{part}"):
            found += self._call(self.reader.texts, group, f"{name}{part}")
            part += 1
        return found

    def groups(self, at=""):
        return {name for name, is_group in self._call(self.reader.names, at) if is_group}

    def arrays(self, group):
        return [
            saving._numbers(*self._call(self.reader.read, f"{group}/{name}"))
            for name in self.texts(group, "weight_names")
        ]


def is_legacy(path):
    """Is an HDF5 file of this form?"""
    file = _File(path)
    return (
        file._call(file.reader.has_attribute, "", "layer_names")
        or file._call(file.reader.has_attribute, "", "layer_names0")
        or "model_weights" in file.groups()
    )


def load_weights(model, path, skip_mismatch=False, by_name=False):
    """Reads weights into the layers of a model, in their order or by their names."""
    _files.check_file(path, _files.BINARY)
    file = _File(path)
    group = "model_weights" if "model_weights" in file.groups() and not file.texts("", "layer_names") else ""
    before = f"{group}/" if group else ""
    stored = [(name, file.arrays(before + name)) for name in file.texts(group, "layer_names")]
    stored = [(name, arrays) for name, arrays in stored if arrays]
    layers = [layer for layer in model.layers if layer.weights]
    if by_name:
        named = {layer.name: layer for layer in layers}
        pairs = [(named[name], name, arrays) for name, arrays in stored if name in named]
    elif len(layers) != len(stored):
        raise ValueError(
            f"{path} has weights for {len(stored)} layers, but the model has {len(layers)} layers with weights"
        )
    else:
        pairs = [(layer, name, arrays) for layer, (name, arrays) in zip(layers, stored)]
    rows = [(layer.name, name, _in_order(layer), arrays) for layer, name, arrays in pairs]
    top = before + "top_level_model_weights"
    if not by_name and top.rsplit("/", 1)[-1] in file.groups(group):
        inside = {v._key() for layer in model.layers for v in layer.weights}
        own = [v for v in _in_order(model) if v._key() not in inside]
        if own:
            rows.append((model.name, "top_level_model_weights", own, file.arrays(top)))
    _assign(rows, path, skip_mismatch)


def _assign(rows, path, skip_mismatch):
    """Compares all first: a file that does not fit leaves the model as it was."""
    problems, values = [], []
    for layer, name, variables, arrays in rows:
        if len(variables) != len(arrays):
            problems.append(f"'{layer}' has {len(variables)} weights, but '{name}' of the file has {len(arrays)}")
            continue
        for variable, array in zip(variables, arrays):
            if tuple(variable.shape) != tuple(np.shape(array)):
                problems.append(
                    f"a weight of '{layer}' has shape {tuple(variable.shape)}, but the file has "
                    f"{tuple(np.shape(array))}"
                )
            else:
                values.append((variable, array))
    if problems and not skip_mismatch:
        raise ValueError(f"{path} does not fit the model, which was left as it was: " + "; ".join(problems[:5]))
    for variable, array in values:
        variable.assign(_core.cast(array, variable.dtype))


def load_model(path, custom_objects=None, compile=True, safe_mode=True):
    """The model of a file that has its config."""
    _files.check_file(path, _files.BINARY)
    file = _File(path)
    config = file.text("model_config")
    if config is None:
        raise ValueError(f"{path} has weights and no config of a model: make the model, and call its load_weights()")
    model = saving.deserialize_keras_object(_in_new_form(json.loads(config)), custom_objects, safe_mode)
    load_weights(model, path)
    training = file.text("training_config")
    if compile and training is not None:
        _compile(model, json.loads(training), custom_objects)
        if "optimizer_weights" in file.groups():
            model.optimizer.build(model.trainable_variables)
            arrays = file.arrays("optimizer_weights")
            if len(arrays) == len(model.optimizer.variables):
                _assign([("the optimizer", "optimizer_weights", model.optimizer.variables, arrays)], path, False)
    return model


def _compile(model, training, custom_objects):
    from brio.keras import optimizers

    with saving.CustomObjectScope(custom_objects):
        found = {
            k: saving.deserialize_keras_object(training.get(k))
            for k in ("loss", "metrics", "weighted_metrics", "loss_weights")
        }
        model.compile(optimizer=optimizers.deserialize(_in_new_form(training["optimizer_config"])), **found)


def _in_new_form(config):
    """Keras 2 wrote {"class_name", "config"}: where a class is follows from its name, as Keras' own names are."""
    if isinstance(config, dict):
        made = {k: _in_new_form(v) for k, v in config.items()}
        if set(made) >= {"class_name", "config"} and "module" not in made and made["class_name"] != "__keras_tensor__":
            made["module"], made["registered_name"] = _module_of(made["class_name"]), made.get("registered_name")
        return made
    return [_in_new_form(v) for v in config] if isinstance(config, list) else config


def _module_of(name):
    import importlib

    if name in ("Functional", "Sequential", "Model"):
        return "keras"
    for home in ("layers", "optimizers", "losses", "metrics", "initializers", "regularizers", "constraints"):
        if hasattr(importlib.import_module(f"brio.keras.{home}"), name):
            return f"keras.{home}"
    return None


def is_hdf5(path):
    """Does a name mean this form, rather than Keras 3's .weights.h5?"""
    return os.fspath(path).endswith((".h5", ".hdf5")) and not os.fspath(path).endswith(".weights.h5")
