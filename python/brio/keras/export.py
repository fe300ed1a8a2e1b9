"""keras.export: endpoints of models and layers as SavedModels."""

import functools
import os

from brio import _core, _missing, _nest
from brio._function import Function
from brio._saved_function import Signature, frozen, traces_of
from brio._saved_objects import Restored, save
from brio._spec import TensorSpec
from brio.keras._input_spec import InputSpec
from brio.keras._layer import KerasTensor, Layer

__all__ = ["ExportArchive"]


class ExportArchive:
    """Endpoints of layers and models for a SavedModel, which tf.saved_model.load() reads.

    >>> import tempfile
    >>> model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    >>> archive = keras.export.ExportArchive()
    >>> archive.track(model)
    >>> serve = archive.add_endpoint("serve", model.call, [keras.InputSpec(shape=(None, 2), dtype="float32")])
    >>> folder = tempfile.mkdtemp()
    >>> archive.write_out(folder, verbose=False)
    >>> tf.saved_model.load(folder).serve(tf.ones((3, 2))).shape
    TensorShape([3, 1])
    """

    def __init__(self, format="saved_model", **kwargs):
        if format != "saved_model":
            raise ValueError(f"an archive is written as 'saved_model', but the format is {format!r}")
        self._root, self._endpoints = Restored(), {}
        self._root.variables, self._root.trainable_variables, self._root.non_trainable_variables = [], [], []

    @property
    def variables(self):
        """The variables of what was tracked."""
        return self._root.variables

    @property
    def trainable_variables(self):
        """Those that are trained."""
        return self._root.trainable_variables

    @property
    def non_trainable_variables(self):
        """Those that are not trained."""
        return self._root.non_trainable_variables

    def track(self, resource):
        """Saves the variables of a layer or model, too. Those that an endpoint uses are saved anyway."""
        if not isinstance(resource, Layer):
            raise ValueError(
                f"an archive tracks layers and models, but got {resource!r} of type {type(resource).__name__}"
            )
        if not resource.built:
            raise ValueError(
                "the layer has not been built, and has no weights to export; call it on data, or build() it"
            )
        for name in ("variables", "trainable_variables", "non_trainable_variables"):
            getattr(self._root, name).extend(getattr(resource, name))

    def add_endpoint(self, name, fn, input_signature=None, **kwargs):
        """A function of the SavedModel: any of tensors with an input_signature, or a tf.function that was called."""
        if name in self._endpoints:
            raise ValueError(f"an endpoint is called '{name}' already")
        if kwargs:
            raise ValueError(f"{', '.join(kwargs)} are options of other backends")
        if input_signature is None:
            if not isinstance(fn, Function):
                raise ValueError(
                    "a function that is no tf.function needs an input_signature: [keras.InputSpec(shape=(None, 3), "
                    "dtype='float32')]"
                )
            if not traces_of(fn):
                raise ValueError(f"{fn!r} was never called; call it, or give an input_signature")
            made = fn
        else:
            made = Function(fn, _nest.map_structure(tensor_spec, input_signature), autograph=False)
        self._endpoints[name] = made
        setattr(self._root, name, made)
        return made

    def track_and_add_endpoint(self, name, resource, input_signature, **kwargs):
        """The call of a layer or model as an endpoint.
        Whoever is served is not training: layers that draw leave the input alone."""
        self.track(resource)

        @functools.wraps(resource.__call__)
        def serve(*args):
            return resource(*args, training=False)

        return self.add_endpoint(name, serve, input_signature, **kwargs)

    def add_variable_collection(self, name, variables):
        """Variables under a name, as an attribute of what load() gives."""
        if not isinstance(variables, (list, tuple, set)):
            raise ValueError(f"variables are a list, but got {type(variables).__name__}")
        if not all(isinstance(v, _core.Variable) for v in variables):
            raise ValueError(f"variables are expected, but there are {sorted({type(v).__name__ for v in variables})}")
        setattr(self._root, name, list(variables))

    def write_out(self, filepath, options=None, verbose=True):
        """Writes the SavedModel. The first endpoint is also the signature serving_default."""
        if not self._endpoints:
            raise ValueError("there is no endpoint yet; call add_endpoint()")
        endpoints = {name: frozen(fn) for name, fn in self._endpoints.items()}
        vars(self._root).update(endpoints, _all_variables=variables_used(endpoints.values(), self.variables))
        signatures = {name: fn.saved[0] for name, fn in endpoints.items()}
        signatures.setdefault("serving_default", next(iter(signatures.values())))
        save(self._root, filepath, signatures, options)
        if verbose:
            shown = "\n\n".join(f"* Endpoint '{name}'\n{_described(fn.saved[0])}" for name, fn in endpoints.items())
            print(f"Saved artifact at '{os.fspath(filepath)}'. The following endpoints are available:\n\n{shown}")


def variables_used(functions, order):
    """The variables that loaded functions use: those that are trained, then the others, as they stand in `order`."""
    places = {id(v): i for i, v in enumerate(order)}
    found = {}
    for function in functions:
        for trace in [function.trace] if isinstance(function, Signature) else function.saved:
            found.update((id(v), v) for v in trace.graph.variables if v is not None)
    return sorted(found.values(), key=lambda v: (not v.trainable, places.get(id(v), len(places))))


def _described(trace):
    takes = "\n".join(f"    {spec.name}: {spec}" for spec in trace.specs)
    gives = "\n".join(f"    {spec}" for spec in trace.result_specs)
    return f"  Args:\n{takes}\n  Returns:\n{gives}"


def tensor_spec(x):
    """A TensorSpec of an InputSpec, a symbol or a tensor."""
    if isinstance(x, TensorSpec):
        return x
    if isinstance(x, InputSpec):
        if x.shape is None or x.dtype is None:
            raise ValueError(f"an InputSpec of an input_signature has a shape and a dtype, but got {x!r}")
        return TensorSpec(x.shape, x.dtype, x.name)
    if not hasattr(x, "shape") or not hasattr(x, "dtype"):
        raise TypeError(
            f"an input_signature is made of InputSpecs, TensorSpecs, symbols and tensors, but got {x!r} of type "
            f"{type(x).__name__}"
        )
    return TensorSpec(
        (None, *tuple(x.shape)[1:]), x.dtype, _core._symbol_layer(x).name if isinstance(x, KerasTensor) else None
    )


def signature_of_model(model):
    """What a model takes, with any number of samples."""
    from brio.keras.models import Functional, Sequential

    if not model.built:
        raise ValueError("the model has not been built, and has no weights to export; call it on data, or build() it")
    if isinstance(model, Functional):
        return [_nest.map_structure(tensor_spec, model._structures[0])]
    if isinstance(model, Sequential):
        if model._symbols is not None:
            return [tensor_spec(model.input)]
        if model._built_input() is not None:
            return [TensorSpec(*model._built_input())]
    shape = model.__dict__.get("_built_for")
    if shape is None:
        raise ValueError(
            "the model has never been called, so that the shape of its inputs is not known; call it on data before it "
            "is exported, or give an input_signature"
        )
    return [_specs_of_shapes(shape, model.compute_dtype)]


def _specs_of_shapes(shape, dtype):
    if isinstance(shape, list) and shape and isinstance(shape[0], (list, tuple)):
        return [_specs_of_shapes(s, dtype) for s in shape]
    return TensorSpec((None, *shape[1:]), dtype)


def export_model(model, filepath, verbose=None, input_signature=None):
    """What model.export() does: the call of the model as the endpoint `serve`."""
    archive = ExportArchive()
    archive.track_and_add_endpoint(
        "serve", model, signature_of_model(model) if input_signature is None else input_signature
    )
    archive.write_out(filepath, verbose=verbose is None or verbose)


def export_onnx(model, filepath, verbose=None, input_signature=None):
    """The call of the model as an ONNX file, for any number of samples.
    An op that ONNX has not is named with its layer."""

    @functools.wraps(model.__call__)
    def serve(*args):
        return model(*args, training=False)

    signature = signature_of_model(model) if input_signature is None else input_signature
    (trace,) = traces_of(Function(serve, _nest.map_structure(tensor_spec, signature), autograph=False))
    outputs = [f"output_{i}" for i in range(len(trace.result_specs))]
    trace.graph.write_onnx(os.fspath(filepath), [spec.name for spec in trace.specs], outputs, model.name)
    if verbose is None or verbose:
        print(f"Saved artifact at '{os.fspath(filepath)}'.")


__getattr__ = _missing.attribute_error_of(__name__)
