"""Reading SavedModels. The files are not to be trusted:
what does not belong together is a DataLossError that says where."""

import base64
import os

import numpy as np

from brio import _core, _files, _safetensors, errors
from brio._saved_function import RestoredFunction, Signature, Trace
from brio._saved_objects import FILE, FORMAT, Restored, RestoredCallable, SignatureMap


def load(export_dir):
    """The object of a SavedModel."""
    folder = os.fspath(export_dir)
    path = os.path.join(folder, FILE)
    if not os.path.exists(path):
        if any(os.path.exists(os.path.join(folder, f"saved_model.{end}")) for end in ("pb", "pbtxt")):
            raise errors.UnimplementedError(
                f"{folder} was written by TensorFlow, whose graphs brio does not read; in TensorFlow save the Keras "
                "model as x.keras, or its weights as x.weights.h5, and load that"
            )
        raise OSError(f"there is no SavedModel in {folder}: it has no file {FILE}")
    try:
        row = _files.read_json(path)
        if row.get("format") != FORMAT:
            raise ValueError(f"it is not of the format '{FORMAT}'")
        return _Reader(folder, row).root()
    except errors.DataLossError:
        raise
    except (ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError) as error:
        raise errors.DataLossError(f"{path}: {type(error).__name__}: {error}") from None


class _Reader:
    def __init__(self, folder, row):
        self.rows = row["objects"]
        file = row["values"]
        if os.path.basename(file) != file:
            raise ValueError(f"values are in a file of the directory, and not in {file!r}")
        values = _safetensors.load(os.path.join(folder, file))
        self.made, self.variables, self.open = [None] * len(self.rows), [], set()
        for number, about in enumerate(self.rows):
            if about["kind"] == "variable":
                value = _tensor(values[f"variable_{len(self.variables)}"], about["dtype"])
                if [int(n) for n in value.shape] != about["shape"]:
                    raise ValueError(
                        f"variable {len(self.variables)} has shape {about['shape']}, but its value has "
                        f"{tuple(value.shape)}"
                    )
                self.made[number] = _core.Variable(value, trainable=bool(about["trainable"]), name=str(about["name"]))
                self.variables.append(self.made[number])
        self.constants = []
        for i, dtype in enumerate(row["constants"]):
            self.constants.append(
                _strings(*row["strings"][str(i)]) if dtype == "string" else _tensor(values[f"constant_{i}"], dtype)
            )
        self.signatures = {
            str(key): Signature(str(key), Trace.of_row(trace, self.variables, self.constants))
            for key, trace in row["signatures"].items()
        }

    def root(self):
        # Objects first, then what they hold: they may hold each other.
        for number, about in enumerate(self.rows):
            if about["kind"] not in ("variable", "tuple"):
                self.made[number] = self.empty(about)
        for number, about in enumerate(self.rows):
            self.fill(self.made[number], about)
        if not self.made or not isinstance(self.made[0], Restored):
            raise ValueError("the first object is none that has attributes")
        self.made[0].signatures = SignatureMap(self.signatures)
        return self.made[0]

    def empty(self, about):
        kind = about["kind"]
        if kind == "object":
            return RestoredCallable() if "__call__" in about["attributes"] else Restored()
        if kind == "function":
            traces = [Trace.of_row(row, self.variables, self.constants) for row in about["traces"]]
            return RestoredFunction(str(about["name"]), about["parameters"], traces, bool(about["specified"]))
        if kind in ("list", "dict"):
            return [] if kind == "list" else {}
        raise ValueError(f"'{kind}' is no kind of object")

    def at(self, number):
        if not isinstance(number, int) or not 0 <= number < len(self.made):
            raise ValueError(f"there is no object {number!r}")
        if self.made[number] is None:  # a tuple: it is made of what it holds
            if number in self.open:
                raise ValueError(f"tuple {number} holds itself")
            self.open.add(number)
            self.made[number] = tuple(self.at(n) for n in self.rows[number]["items"])
        return self.made[number]

    def fill(self, made, about):
        if about["kind"] == "object":
            for name, number in about["attributes"].items():
                made.__dict__[name] = self.at(number)
        elif about["kind"] == "list":
            made.extend(self.at(number) for number in about["items"])
        elif about["kind"] == "dict":
            made.update({key: self.at(number) for key, number in about["items"].items()})


def _tensor(value, dtype):
    if dtype == "complex128":
        value = np.asarray(value)
        value = value[..., 0] + 1j * value[..., 1]
    return (
        _core.cast(value, dtype)
        if _core.as_dtype(dtype).name != getattr(value.dtype, "name", None)
        else _core.convert_to_tensor(value)
    )


def _strings(shape, items):
    return _core.reshape(_core.convert_to_tensor([base64.b64decode(s) for s in items], "string"), shape)
