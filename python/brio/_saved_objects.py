"""What SavedModels hold: rows that describe objects, with the graphs of functions as text. C++ writes them to files
(brio/train/saved_model.h), with the values of variables and constants.
"""

import json
import os

from brio import _core
from brio._function import ConcreteFunction, Function
from brio._saved_function import (
    RestoredFunction,
    Signature,
    can_be_signature,
    concrete_trace,
    signature_from,
    traces_of,
)
from brio._saved_values import parameters_of

FILE = "saved_model.json"
FORMAT = "brio saved model 1"


# ---- what objects are made of


class Restored:
    """An object of a SavedModel: what it held, as attributes; and its variables, with those of the objects in it."""

    def __getattr__(self, name):
        if name == "variables":
            return _variables(self)
        if name in ("trainable_variables", "non_trainable_variables"):
            return [v for v in _variables(self) if v.trainable == (name == "trainable_variables")]
        raise AttributeError(
            f"this object of a SavedModel has no '{name}'; it has {', '.join(sorted(vars(self))) or 'no attributes'}"
        )


class RestoredCallable(Restored):
    """The same with a function of the name __call__."""

    def __call__(self, *args, **kwargs):
        return self.__dict__["__call__"](*args, **kwargs)


class SignatureMap(dict):
    """Signatures by name: what `signatures` of a loaded SavedModel is."""


def _variables(obj):
    found = {}

    def visit(node, seen):
        if id(node) in seen:
            return
        seen.add(id(node))
        if isinstance(node, _core.Variable):
            found.setdefault(id(node), node)
        for _, child in children(node):
            visit(child, seen)

    visit(obj, set())
    return list(found.values())


def is_trackable(obj):
    """Is it kept in a SavedModel?"""
    from brio._checkpoint import Checkpoint
    from brio._module import Module

    return isinstance(
        obj, (_core.Variable, Function, ConcreteFunction, Signature, SignatureMap, Module, Checkpoint, Restored)
    ) or _of_keras(obj)


def _of_keras(obj):
    return (
        not isinstance(obj, type)
        and (hasattr(obj, "_handle") or hasattr(obj, "_brio"))
        and hasattr(type(obj), "variables")
    )


def children(obj):
    """(name, object) of what an object holds: its attributes, and functions that its class defines."""
    if isinstance(obj, (_core.Variable, Function, ConcreteFunction, Signature, SignatureMap)):
        return []
    if isinstance(obj, (list, tuple)):
        return [(str(i), v) for i, v in enumerate(obj)]
    if isinstance(obj, dict):
        return list(obj.items())
    if not is_trackable(obj):
        return []
    found = {
        name: value
        for name, value in vars(obj).items()
        if _is_kept(value) and not isinstance(value, (Signature, SignatureMap))
    }
    if _of_keras(obj):  # it lists its variables; what begins with _ is the machinery of layers
        found = {name: value for name, value in found.items() if not name.startswith("_")}
        found.update(
            (name, list(getattr(obj, name)))
            for name in ("variables", "trainable_variables", "non_trainable_variables")
            if hasattr(obj, name)
        )
    for name in dir(type(obj)):
        if name not in found and isinstance(getattr(type(obj), name, None), Function):
            found[name] = getattr(obj, name)
    return sorted(found.items())


def _is_kept(value, depth=0):
    if isinstance(value, dict):
        return depth < 20 and any(_is_kept(v, depth + 1) for v in value.values())
    if isinstance(value, (list, tuple)):
        return depth < 20 and any(_is_kept(v, depth + 1) for v in value)
    return is_trackable(value)


# ---- writing


class _Writer:
    def __init__(self):
        self.rows, self.numbers, self.alive, self.variables, self.functions, self.known = [], {}, [], [], [], {}

    def traces_of(self, function):
        """Made once: they are Python's work."""
        if id(function) not in self.known:
            self.known[id(function)] = traces_of(function)
            self.alive.append(function)
        return self.known[id(function)]

    def add(self, obj):
        """The number of an object; None for what is not kept."""
        if id(obj) in self.numbers:
            return self.numbers[id(obj)]
        if not _is_kept(obj):
            return None
        row, number = {}, len(self.rows)
        self.rows.append(row)
        self.numbers[id(obj)] = number
        self.alive.append(obj)  # its id is its own for so long
        if isinstance(obj, _core.Variable):
            row.update(
                kind="variable",
                dtype=obj.dtype.name,
                shape=[int(n) for n in obj.shape],
                trainable=obj.trainable,
                name=obj.path,
            )
            self.variables.append(obj)
        elif isinstance(obj, (Function, ConcreteFunction, Signature)):
            self.functions.append((row, obj))
        elif isinstance(obj, (list, tuple)):
            row.update(
                kind="tuple" if isinstance(obj, tuple) else "list",
                items=[n for n in map(self.add, obj) if n is not None],
            )
        elif isinstance(obj, dict):
            if any(not isinstance(key, str) for key in obj):
                raise ValueError(
                    "a dictionary of a SavedModel has names for keys, but one has "
                    f"{next(k for k in obj if not isinstance(k, str))!r}"
                )
            items = [(key, self.add(value)) for key, value in obj.items()]
            row.update(kind="dict", items={key: n for key, n in items if n is not None})
        else:
            items = [(name, self.add(child)) for name, child in children(obj)]
            row.update(kind="object", attributes={name: n for name, n in items if n is not None})
        return number

    def add_functions(self, constants):
        """Their traces, once all variables are known."""
        for row, function in self.functions:
            name = (
                getattr(function, "__name__", None)
                or getattr(getattr(function, "_function", None), "__name__", None)
                or "function"
            )
            if isinstance(function, Function):
                traces, inner = self.traces_of(function), function
            else:
                trace = function.trace if isinstance(function, Signature) else concrete_trace(function)
                traces, inner = [trace], function._function
            self.check_variables(name, traces)
            specified = inner.specified if isinstance(inner, RestoredFunction) else inner.input_signature is not None
            row.update(
                kind="function",
                name=name,
                parameters=_parameters(inner),
                specified=specified,
                traces=[t.row(self.variables, constants) for t in traces],
            )

    def check_variables(self, name, traces):
        for trace in traces:
            if -1 in trace.graph.uses(self.variables):
                raise AssertionError(
                    f"'{name}' uses a variable that is not an attribute of what is saved, nor of an object in it, so "
                    "that its value would be lost; make it one: self.v = v"
                )


def _parameters(function):
    return function.parameters if isinstance(function, RestoredFunction) else parameters_of(function.python_function)


def _default_signature(obj, writer):
    """The only function that can be one, where there is only one."""
    found = []
    for _, child in children(obj):
        if isinstance(child, (ConcreteFunction, Signature)) or (
            isinstance(child, Function) and can_be_signature(child)
        ):
            try:
                found.append(signature_from("serving_default", child, writer.traces_of))
            except ValueError:  # its results are no dictionary of tensors
                continue
    return {"serving_default": found[0]} if len(found) == 1 else {}


def _keras_signature(obj):
    """The call of a model."""
    if not _of_keras(obj) or not hasattr(obj, "export"):
        return {}
    from brio._nest import map_structure
    from brio._spec import TensorSpec
    from brio.keras.export import signature_of_model

    def serving_default(inputs):
        return obj(inputs)

    specs = map_structure(lambda s: TensorSpec(s.shape, s.dtype), signature_of_model(obj))
    return {"serving_default": Function(serving_default, specs, autograph=False)}


def save(obj, export_dir, signatures=None, options=None):
    """Writes an object with its variables and functions as a directory."""
    if _core._is_tracing():
        raise AssertionError("tf.saved_model.save cannot be part of a traced function; call it outside")
    if not _is_kept(obj) or isinstance(obj, (list, tuple, dict)):
        raise ValueError(
            "a SavedModel is made of a tf.Module, a Keras model, or another object that holds variables and "
            f"functions, but got {obj!r} of type {type(obj).__name__}"
        )
    writer, constants = _Writer(), []
    if signatures is None:
        signatures = _keras_signature(obj) or _default_signature(obj, writer)
    elif not isinstance(signatures, dict):
        signatures = {"serving_default": signatures}
    signatures = {key: signature_from(key, function, writer.traces_of) for key, function in signatures.items()}
    writer.add(obj)
    writer.add_functions(constants)
    for key, signature in signatures.items():
        writer.check_variables(key, [signature.trace])
    _write(
        os.fspath(export_dir),
        writer,
        {key: s.trace.row(writer.variables, constants) for key, s in signatures.items()},
        constants,
    )


def _write(folder, writer, signatures, constants):
    described = json.dumps({"objects": writer.rows, "signatures": signatures})
    _core._write_saved_model(folder, described, writer.variables, constants)
