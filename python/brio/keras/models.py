"""keras.models: Model, Sequential and functional models."""

import json

from brio import _core, _nest
from brio._missing import attribute_error_of as _attribute_error_of
from brio.errors import _UnknownValueError
from brio.keras import _serialization, _training_flag
from brio.keras import config as _config
from brio.keras._layer import KerasTensor, Layer, as_dense, on_symbols, remembering
from brio.keras._trainer import Trainer, _without_none, is_list_of_values, listed
from brio.keras.layers import _python_layer

__getattr__ = _attribute_error_of(__name__)

__all__ = ["Functional", "Model", "Sequential", "clone_model", "load_model", "model_from_json", "save_model"]


def _is_functional(args, kwargs):
    return (
        len(args) == 2
        or "outputs" in kwargs
        or (len(args) == 1 and isinstance(args[0], KerasTensor) and "inputs" not in kwargs)
    )


class Model(Trainer, Layer):
    """Layers with the ways to train them.

    Model(inputs, outputs) is the graph between symbols; a class derived from Model writes call(inputs).

    >>> inputs = keras.Input((4,))
    >>> hidden = keras.layers.Dense(8, activation="relu")(inputs)
    >>> model = keras.Model(inputs, keras.layers.Dense(1)(hidden))
    >>> model.output_shape
    (None, 1)
    """

    def __new__(cls, *args, **kwargs):
        if cls is Model and _is_functional(args, kwargs):
            cls = Functional
        return remembering(object.__new__(cls), args, kwargs)

    def __init__(self, *args, name=None, trainable=True, dtype=None, **kwargs):
        if _is_functional(args, kwargs):
            if not isinstance(self, Functional):
                self.__class__ = _also_functional(type(self))
            Functional._connect(self, *args, name=name, trainable=trainable, **kwargs)
            return
        super().__init__(name=name, trainable=trainable, dtype=dtype, **kwargs)

    # ---- looking inside

    @property
    def layers(self):
        """The layers of the model."""
        return [_python_layer(handle) for handle in self._handle.layers()]

    def get_layer(self, name=None, index=None):
        """A layer by its name or number."""
        if index is not None:
            if index >= len(self.layers):
                raise ValueError(f"there is no layer {index}: the model has {len(self.layers)}")
            return self.layers[index]
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise ValueError(f"no layer is called '{name}'; there are {', '.join(layer.name for layer in self.layers)}")

    def summary(
        self,
        line_length=None,
        positions=None,
        print_fn=None,
        expand_nested=False,
        show_trainable=False,
        layer_range=None,
    ):
        """Prints the layers with the shapes that they give and their weights."""
        (print_fn or print)(self._summary_text(expand_nested))

    def _summary_text(self, expand_nested=False):
        try:
            text = self._trainer.summary_text()
        except _UnknownValueError:  # sizes depend on data: what the symbols say is all that there is
            text = self._summary_of_symbols()
        if expand_nested:
            inside = [layer for layer in self.layers if isinstance(layer, Model)]
            text += "".join("\n" + layer._summary_text(True) for layer in inside)
        return text

    def _repr_html_(self):
        """The summary, for notebooks."""
        import html

        return f"<pre style='line-height:1.2'>{html.escape(self._summary_text())}</pre>"

    def build(self, input_shape=None):
        """Makes the weights for inputs of this shape, batch included."""
        if input_shape is None:
            raise ValueError("build() needs the shape of the inputs, batch included: build((None, 28, 28))")
        if (
            "_building" in self.__dict__
        ):  # by the build() of a derived class, which may make layers before this or after
            object.__setattr__(self, "_call_builds", True)
        else:
            self._build_once(input_shape)

    def _own_build(self):
        return type(self).build is not Model.build

    # ---- configs and files

    def get_config(self):
        """What the model is made of."""
        if type(self) is Model:
            return {}
        return super().get_config()

    get_config._by_default = True

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """A model of a config."""
        with _serialization.CustomObjectScope(custom_objects):
            if "layers" in config and "input_layers" in config:
                from brio.keras import _graph

                inputs, outputs = _graph.read(config, lambda row: _serialization._made(row))
                kind = Functional if cls in (Model, Functional) else cls
                return kind(
                    inputs=inputs, outputs=outputs, name=config.get("name"), trainable=config.get("trainable", True)
                )
            return cls(**config)

    def to_json(self, **kwargs):
        """What the model is made of, as JSON."""
        return json.dumps(_serialization.serialize_keras_object(self), **kwargs)

    def save(self, filepath, overwrite=True, zipped=None, **kwargs):
        """Writes architecture, weights and optimizer to one file, x.keras."""
        from brio.keras import saving

        saving.save_model(self, filepath, overwrite, zipped, **kwargs)

    def save_weights(self, filepath, overwrite=True, **kwargs):
        """Writes the weights: .weights.h5 or .safetensors."""
        from brio.keras import saving

        saving.save_weights(self, filepath, overwrite, **kwargs)

    def load_weights(self, filepath, skip_mismatch=False, **kwargs):
        """Reads weights that save_weights() or Keras wrote."""
        from brio.keras import saving

        saving.load_weights(self, filepath, skip_mismatch, **kwargs)

    def export(self, filepath, format="tf_saved_model", verbose=None, input_signature=None, **kwargs):
        """Writes the call of the model as a SavedModel,
        whose endpoint `serve` tf.saved_model.load() and TFSMLayer find, or as "onnx"."""
        from brio.keras.export import export_model, export_onnx

        if format not in ("tf_saved_model", "onnx"):
            raise ValueError(
                f"brio exports models as 'tf_saved_model' and 'onnx', but the format is {format!r}; "
                "model.save('x.keras') writes a file that Keras loads"
            )
        (export_onnx if format == "onnx" else export_model)(self, filepath, verbose, input_signature)


def _on_tensors(handle, tensors, training, masks):
    return handle.call(tensors, training, masks)


_with_functional = {}


def _also_functional(cls):
    """A class derived from Model, for an object that is made of symbols."""
    if cls not in _with_functional:
        _with_functional[cls] = type(
            cls.__name__,
            (cls, Functional),
            {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "_made_of": cls},
        )
    return _with_functional[cls]


class Functional(Model):
    """The graph of layers between symbols."""

    _is_of_layers = True

    def __init__(self, *args, **kwargs):
        Functional._connect(self, *args, **kwargs)

    def _connect(self, inputs=None, outputs=None, name=None, trainable=True, **kwargs):
        for what, symbols in (("inputs", inputs), ("outputs", outputs)):
            for symbol in _nest.flatten(symbols):
                if not isinstance(symbol, KerasTensor):
                    raise ValueError(
                        f"Model({what}=...) takes what Input() and layers called on it give, but got {symbol!r}"
                    )
        self._adopt(_core._functional(_nest.flatten(inputs), _nest.flatten(outputs), name))
        self.__dict__.update(_inputs_list=_nest.flatten(inputs), _outputs_list=_nest.flatten(outputs))
        self.__dict__["_structures"] = (inputs, outputs)
        # The Python objects live as long as the model.
        self.__dict__["_kept"] = [_python_layer(h) for h in self._handle.layers()]
        for symbol in self._inputs_list:  # so that layer.output is what the model begins with
            object.__setattr__(_python_layer(_core._symbol_layer(symbol)), "_symbol", symbol)
        self.__dict__["input_names"] = [_core._symbol_layer(s).name for s in self._inputs_list]
        names = (
            sorted(outputs) if isinstance(outputs, dict) else [_core._symbol_layer(s).name for s in self._outputs_list]
        )
        self.__dict__["output_names"] = [_called_name(n) for n in names]
        self.__dict__["_layer_names"] = [_core._symbol_layer(s).name for s in self._outputs_list]
        if not trainable:
            self.trainable = False

    @_training_flag.told_if_given
    def __call__(self, inputs, training=None, mask=None):
        masks = None if mask is None else mask if isinstance(mask, (list, tuple)) else [mask]
        symbolic = isinstance(_nest.flatten(inputs)[0], KerasTensor)
        handle = self._handle.keeping(self) if symbolic else self._handle
        made = self._pack_outputs(
            (on_symbols if symbolic else _on_tensors)(handle, self._flat_inputs(inputs), training, masks)
        )
        if symbolic:
            from brio.keras._layer import _remember_call

            _remember_call(self, inputs, made)
        return made

    call = __call__

    def _flat_inputs(self, x):
        if isinstance(x, dict):
            structure = self._structures[0]
            if (
                isinstance(structure, dict)
                and set(structure) <= set(x)
                and any(isinstance(v, (dict, list, tuple)) for v in structure.values())
            ):
                return _nest.flatten({k: x[k] for k in structure})
            names = sorted(structure) if isinstance(structure, dict) and set(structure) <= set(x) else self.input_names
            missing = [n for n in names if n not in x]
            if missing:
                raise ValueError(f"the inputs of this model are {names}, but {missing} are not given")
            return [as_dense(x[n]) for n in names]
        x = as_dense(x)
        return (
            listed(x) if len(self._inputs_list) > 1 or not isinstance(x, (list, tuple)) or is_list_of_values(x) else [x]
        )

    def _flat_targets(self, y):
        y = _without_none(y)
        if isinstance(y, dict):
            missing = [n for n in self.output_names if n not in y]
            if missing and len(missing) == len(self.output_names):
                raise ValueError(f"the outputs of this model are {self.output_names}, but y has {sorted(y)}")
            return [y[n] for n in self.output_names if n in y]
        return listed(y)

    def _pack_outputs(self, results):
        structure = self._structures[1]
        return _nest.pack(structure, results) if isinstance(structure, (dict, list, tuple)) else results[0]

    def _output_names(self, loss, given):
        return self.output_names

    @property
    def layers(self):
        from brio.keras import _graph

        return [layer for layer in super().layers if not _graph.is_operation(layer)]

    @property
    def inputs(self):
        """The symbols that the model begins with."""
        return list(self._inputs_list)

    @property
    def outputs(self):
        """The symbols that the model ends with."""
        return list(self._outputs_list)

    @property
    def input(self):
        """The symbol that the model begins with."""
        return (
            self._structures[0]
            if len(self._inputs_list) > 1 or isinstance(self._structures[0], dict)
            else self._inputs_list[0]
        )

    @property
    def output(self):
        """The symbol that the model ends with."""
        return (
            self._structures[1]
            if len(self._outputs_list) > 1 or isinstance(self._structures[1], dict)
            else self._outputs_list[0]
        )

    def _summary_of_symbols(self):
        rows = []
        for layer in self.layers:
            found = [s for s in _nest.flatten(layer.__dict__.get("_calls", ((), ()))[1]) if s is not None]
            shapes = [str(tuple(s.get().shape)) for s in found if hasattr(s, "get") and s.get() is not None]
            shapes = shapes or [str(layer.batch_shape)] if hasattr(layer, "batch_shape") else shapes
            rows.append(
                (
                    f"{layer.name} ({getattr(type(layer), '__name__', '')})",
                    ", ".join(shapes) or "?",
                    f"{layer.count_params():,}",
                )
            )
        wide = [max(len(row[i]) for row in [("Layer (type)", "Output Shape", "Param #"), *rows]) for i in range(3)]
        lines = [
            "  ".join(cell.ljust(n) for cell, n in zip(row, wide))
            for row in [("Layer (type)", "Output Shape", "Param #"), *rows]
        ]
        return "\n".join([f'Model: "{self.name}"', *lines, f"Total params: {self.count_params():,}"])

    def get_config(self):
        from brio.keras import _graph

        return _graph.write(self)

    def get_build_config(self):
        return {"input_shape": None}  # its symbols have shapes


def _called_name(name):
    """A call with arguments beside symbols is a step of its own (see Step); outputs go by the layer's name."""
    return (
        name[: name.rindex("_call")]
        if "_call" in name and name.rsplit("_call", 1)[1].strip("_0123456789") == ""
        else name
    )


class Sequential(Model):
    """Layers one after the other.

    >>> model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
    >>> model.compile(optimizer="adam", loss="mse")
    >>> history = model.fit(np.zeros((16, 4)), np.zeros(16), epochs=2, verbose=0)
    >>> len(history.history["loss"])
    2
    """

    _is_of_layers = True

    def __new__(cls, *args, **kwargs):
        return object.__new__(cls)

    def __init__(self, layers=None, trainable=True, name=None):
        self._adopt(_core._chain(name))
        self.__dict__.update(_kept=[], _symbols=None)
        for layer in layers or []:
            self.add(layer)
        if not trainable:
            self.trainable = False

    def add(self, layer, rebuild=True):
        """Adds a layer at the end."""
        from brio.keras.layers import InputLayer

        if isinstance(layer, KerasTensor):
            layer = _python_layer(_core._symbol_layer(layer))
        if not isinstance(layer, Layer):
            raise ValueError(f"a Sequential is made of layers, but got {layer!r}")
        if isinstance(layer, InputLayer):
            if self._kept:
                raise ValueError("an Input is the first of a Sequential's layers")
            symbol = _core._layer_symbol(layer._handle)
            self._begin_with(symbol)
            return
        shape = layer.__dict__.get("_input_shape")
        if shape is not None and not self._kept and self._symbols is None:
            self._begin_with(
                _core._input(shape, -1, "int32" if type(layer).__name__ == "Embedding" else _config.floatx(), None)
            )
        elif not self._kept and self._symbols is None:
            first = _only_input(layer)
            if first is not None:
                self._begin_with(_core._input(tuple(first.shape)[1:], -1, first.dtype, None))
        if self._handle.built:  # it was called: a chain that is built takes no more layers
            self._begin_again(self._kept)
        self._handle.add_layer(layer._handle)
        self._kept.append(layer)  # the Python object lives as long as the model
        if self._symbols is not None:  # weights are made at once
            self._symbols[1] = layer(self._symbols[1])

    def _begin_with(self, symbol):
        self.__dict__["_symbols"] = [symbol, symbol]
        _core._expect_input(self._handle, symbol)

    def _summary_text(self, expand_nested=False):
        if self._symbols is not None and self._kept and not self._handle.built:
            self.build()  # the layers have their weights: C++ learns what they were made for
        return super()._summary_text(expand_nested)

    def pop(self, rebuild=True):
        """Removes the last layer and returns it."""
        if not self._kept:
            raise TypeError("there is no layer to remove")
        removed = self._kept[-1]
        self._begin_again(self._kept[:-1])
        return removed

    def _begin_again(self, layers):
        """A chain of these layers, which keep their weights."""
        first = self._symbols and self._symbols[0]
        self.__dict__.pop("_made_trainer", None)
        self.__dict__["compiled"] = False
        self._adopt(_core._chain(self.name))
        self.__dict__.update(_kept=[], _symbols=None)
        if first is not None:
            self._begin_with(first)
        for layer in layers:
            self.add(layer)

    @_training_flag.told_if_given
    def __call__(self, inputs, training=None, mask=None):
        inputs = as_dense(inputs)
        if hasattr(inputs, "row_splits"):  # a ragged tensor: its layers one by one
            for layer in self.layers:
                inputs = layer(inputs, training=training) if training is not None else layer(inputs)
            return inputs
        flat = [inputs] if not isinstance(inputs, (list, tuple)) or not is_list_of_values(inputs) else list(inputs)
        handle = self._handle.keeping(self) if isinstance(flat[0], KerasTensor) else self._handle
        results = handle.call(flat, training, [mask] if mask is not None else None)
        made = results[0] if len(results) == 1 else results
        if isinstance(flat[0], KerasTensor):
            from brio.keras._layer import _remember_call

            _remember_call(self, inputs, made)
        return made

    call = __call__

    @property
    def layers(self):
        return (
            list(self._kept)
            if "_kept" in self.__dict__
            else [_python_layer(h) for h in self._handle.layers() if h.kind != "InputLayer"]
        )

    @property
    def built(self):
        return self._handle.built or (self._symbols is not None and bool(self._kept))

    @built.setter
    def built(self, value):
        pass

    def _built_input(self):
        """What a Sequential that begins with no Input was built for, as Keras writes it down: (shape, dtype);
        None where that is not known."""
        built_for = self._handle.built_for()
        if len(built_for) != 1:
            return None
        (shape, strings), first = built_for[0], self.layers[0]
        while isinstance(first, Sequential) and first.layers:
            first = first.layers[0]
        return (None, *tuple(shape)[1:]), "string" if strings else "int32" if type(
            first
        ).__name__ == "Embedding" else first.compute_dtype

    def _know_symbols(self, what):
        if self._symbols is None and self._handle.built and self._built_input() is not None:
            shape, dtype = self._built_input()
            symbol = end = _core._input(shape[1:], -1, dtype, None)
            for layer in self.layers:
                end = layer(end)
            self.__dict__["_symbols"] = [symbol, end]
        if self._symbols is None:
            raise AttributeError(
                f"this Sequential has no {what} before its input is known; begin it with keras.Input(shape)"
            )
        return self._symbols

    @property
    def input(self):
        """The symbol that the model begins with."""
        return self._know_symbols("input")[0]

    @property
    def output(self):
        """The symbol that the model ends with."""
        return self._know_symbols("output")[1]

    @property
    def inputs(self):
        """The symbols that the model begins with."""
        return [self.input]

    @property
    def outputs(self):
        """The symbols that the model ends with."""
        return _nest.flatten(self.output)

    def build(self, input_shape=None):
        """Makes the weights for inputs of this shape."""
        if input_shape is None and self._symbols is not None:
            input_shape = tuple(self.input.shape)
        super().build(input_shape)

    def _own_build(self):
        return False

    def _note_shapes(self):
        """C++ built the layers of a chain that was called: each is told what for."""
        if self._handle.built and self._built_input() is not None:
            shape = self._built_input()[0]
            for layer in self.layers:
                if "_built_for" not in layer.__dict__:
                    object.__setattr__(layer, "_built_for", tuple(shape))
                try:
                    shape = layer.compute_output_shape(shape)
                except ValueError:  # it needs more than a shape, such as texts
                    return

    def get_config(self):
        if self._symbols is None:
            self._note_shapes()
        layers = [_serialization.serialize_keras_object(layer) for layer in self.layers]
        config = {**self._base_config(), "layers": layers}
        if self._symbols is not None:
            first = _python_layer(_core._symbol_layer(self.input))
            config["layers"] = [_serialization.serialize_keras_object(first), *layers]
            config["build_input_shape"] = tuple(self.input.shape)
        elif self._handle.built and self._built_input() is not None:
            shape, dtype = self._built_input()
            config["layers"] = [_input_config(shape, dtype), *layers]
            config["build_input_shape"] = shape
        elif "_built_for" in self.__dict__:
            config["build_input_shape"] = self._built_for
        return config

    def get_build_config(self):
        if self._symbols is not None:
            return {"input_shape": tuple(self.input.shape)}
        known = self._built_input() if self._handle.built else None
        return (
            {"input_shape": known[0] if known is not None else self._built_for}
            if known is not None or "_built_for" in self.__dict__
            else None
        )

    def build_from_config(self, config):
        if not self.built:
            super().build_from_config(config)

    @classmethod
    def from_config(cls, config, custom_objects=None):
        rows = list(config["layers"])
        if (
            len(rows) > 1
            and rows[0]["class_name"] == "InputLayer"
            and rows[1]["class_name"] in ("StringLookup", "TextVectorization")
        ):
            if not rows[1]["config"].get("invert"):  # Keras writes the dtype that these compute in
                rows[0] = {**rows[0], "config": {**rows[0]["config"], "dtype": "string"}}
        with _serialization.CustomObjectScope(custom_objects):
            model = cls(
                [_serialization._made(row) for row in rows],
                name=config.get("name"),
                trainable=config.get("trainable", True),
            )
        if not model.built and config.get("build_input_shape"):
            model.build(config["build_input_shape"])
        return model


def _only_input(layer):
    """The symbol that a model begins with, where there is one alone."""
    if isinstance(layer, Functional):
        return layer.inputs[0] if len(layer.inputs) == 1 else None
    return layer._symbols[0] if isinstance(layer, Sequential) and layer._symbols is not None else None


def _input_config(shape, dtype):
    """That of an InputLayer which nobody made."""
    config = {
        "batch_shape": shape,
        "dtype": dtype,
        "sparse": False,
        "ragged": False,
        "name": "input_layer",
        "optional": False,
    }
    return {"module": "keras.layers", "class_name": "InputLayer", "config": config, "registered_name": None}


def _compiled_alike(made, model):
    """A clone of a compiled model is compiled, with an optimizer and metrics of its own."""
    from brio.keras.metrics import Metric
    from brio.keras.optimizers import Optimizer

    if model.__dict__.get("compiled"):
        given = model._compile_arguments
        own = lambda v: type(v).from_config(v.get_config()) if isinstance(v, (Metric, Optimizer)) else v
        made.compile(**_nest.map_structure(own, given))
    return made


def clone_model(model, input_tensors=None, clone_function=None, call_function=None, recursive=False):
    """The same layers with weights of their own, freshly made."""
    made = lambda layer: (clone_function or _fresh)(layer)
    if isinstance(model, Sequential):
        again = type(model)(
            [made(layer) for layer in model.layers]
            if model._symbols is None
            else [
                _core._input(tuple(model.input.shape)[1:], -1, model.input.dtype, None),
                *(made(layer) for layer in model.layers),
            ]
        )
        if not again.built and "_built_for" in model.__dict__:
            again.build(model._built_for)
        return _compiled_alike(again, model)
    if isinstance(model, Functional):
        from brio.keras import _graph

        originals = {layer.name: layer for layer in model.layers}

        def layer_of(row):
            return (
                _serialization._made(row)
                if row["class_name"] == "InputLayer" or row["name"] not in originals
                else made(originals[row["name"]])
            )

        inputs, outputs = _graph.read(model.get_config(), layer_of)
        return _compiled_alike(Functional(inputs=inputs, outputs=outputs, name=model.name), model)
    return type(model).from_config(model.get_config())


def _fresh(layer):
    if isinstance(layer, Model):
        return clone_model(layer)
    with _serialization._UnsafeScope(False):  # a lambda of the layer's is the program's own code
        return type(layer).from_config(layer.get_config())


def model_from_json(json_string, custom_objects=None):
    """A model of what to_json() gave; its weights are new."""
    return _serialization.deserialize_keras_object(json.loads(json_string), custom_objects)


def load_model(filepath, custom_objects=None, compile=True, safe_mode=True):
    """Reads a model that model.save() or Keras wrote."""
    from brio.keras import saving

    return saving.load_model(filepath, custom_objects, compile, safe_mode)


def save_model(model, filepath, overwrite=True, zipped=None, **kwargs):
    """Writes a model: model.save()."""
    from brio.keras import saving

    saving.save_model(model, filepath, overwrite, zipped, **kwargs)
