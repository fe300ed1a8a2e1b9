"""Layers of C++'s as Python classes: what they are made with, how they are called, and their configs."""

import inspect
import os
import re
import sys

from brio import _core
from brio.keras import _classes, _training_flag
from brio.keras._layer import KerasTensor, Layer, _is_value, _on_symbols, _remember_call, _take_input_shape, as_dense
from brio.keras._serialization import get_registered_object

# Keras 2's names and values of arguments, which Keras 3 still accepts.
_OLD_NAMES = {"LeakyReLU": {"alpha": "negative_slope"}}
_OLD_VALUES = {"output_mode": {"binary": "multi_hot", "tf-idf": "tf_idf"}}
_UNUSED = ("lora_rank", "lora_alpha", "quantization_config", "use_cudnn", "gptq_unpacked_column_size", "renorm",
           "renorm_clipping", "renorm_momentum", "synchronized", "flash_attention", "sparse", "bounding_box_format",
           "rms_scaling")  # fmt: skip
# Layers that Keras counts as built from the beginning: their configs have no input shapes.
_BUILT_AT_ONCE = re.compile(
    r"Activation|ELU|LeakyReLU|ReLU|Softmax|Identity|InputLayer|Masking|UnitNormalization|ActivityRegularization|"
    r"(Alpha|Gaussian|Spatial|)Dropout.*|GaussianNoise|Reshape|.*Pooling.*"
)
# Attributes that Keras reads at each call: they may be set on a layer that is part of a model.
_FOLLOWED = (
    "activation",
    "recurrent_activation",
    "rate",
    "dropout",
    "recurrent_dropout",
    "momentum",
    "epsilon",
    "negative_slope",
)
_SPATIAL = ("kernel_size", "strides", "dilation_rate", "pool_size", "size", "output_padding")


def _tuple(value, axes):
    """2 → (2, 2)."""
    return (value,) * axes if isinstance(value, int) else tuple(value) if isinstance(value, list) else value


def _sides(value, axes):
    """1, (1, 2) or ((1, 1), (2, 2)) as pairs, one for each axis."""
    if axes == 1:
        return [list(_tuple(value, 2))]
    return [[v, v] if isinstance(v, int) else list(v) for v in _tuple(value, axes)]


def _axes_of(kind):
    found = re.search(r"([123])D(Transpose)?$", kind)
    return int(found[1]) if found else 0


def _for_core(kind, text, given):
    """What C++ is given: Keras' short forms written out."""
    axes = _axes_of(kind)
    if kind.startswith(("Cropping", "ZeroPadding")):
        name = "cropping" if kind.startswith("Crop") else "padding"
        value = given.get(name, _classes.signature(text).parameters[name].default)
        given[name] = _sides(value, axes)
        if axes == 1:
            given[name] = given[name][0]
        given.pop("data_format") if given.get("data_format", 0) is None else None
    elif kind == "TextVectorization":
        if callable(given.setdefault("split", "whitespace")):
            raise ValueError(
                "TextVectorization: split is 'whitespace', 'character' or None; join what a function of yours gives in "
                "standardize"
            )
        if callable(given.setdefault("standardize", "lower_and_strip_punctuation")):
            given["standardize"] = None  # the function is called before C++ is
    elif kind == "UpSampling1D" and isinstance(given.get("size"), (list, tuple)):
        given["size"] = given["size"][0]
    elif kind == "Resizing":
        if given.pop("fill_mode", "constant") != "constant":
            raise ValueError("Resizing: fill_mode is 'constant' or left out")
    elif kind == "EinsumDense" and given.get("bias_axes", 0) is None:
        given.pop("bias_axes")
    if kind in ("StringLookup", "IntegerLookup", "TextVectorization"):
        given.pop("dtype", None)
        given.pop("ragged", None)  # handled here
        given.pop("vocabulary_dtype", None)
        given.pop("vocabulary_size", None)
    if kind in ("RNN", "StackedRNNCells"):
        from brio.keras._recurrent import as_cell

        if "cell" in given:
            given["cell"] = as_cell(given["cell"])
        else:
            given["cells"] = [as_cell(cell) for cell in given["cells"]]
    return given


def _in_new_words(kind, given):
    """Replaces Keras 2's names and values, and several cells by the layer that they are as one, in place."""
    if kind == "RNN" and isinstance(given.get("cell"), (list, tuple)):
        from brio.keras import layers

        given["cell"] = layers.StackedRNNCells(list(given["cell"]))
    for old, new in _OLD_NAMES.get(kind, {}).items():
        if old in given:
            given[new] = given.pop(old)
    for name, values in _OLD_VALUES.items():
        if name in given and isinstance(given[name], str):
            given[name] = values.get(given[name], given[name])


def _by_registered_names(given):
    """Puts the initializers, activations, ... that the program registered (get_custom_objects) in the place of their
    names."""
    for name, value in given.items():
        if isinstance(value, str) and name.endswith(("activation", "initializer", "regularizer", "constraint")):
            own = get_registered_object(value)
            if own is not None:
                given[name] = own() if isinstance(own, type) else own


class Builtin(Layer):
    """A layer of C++'s. A class derived from one may override call() and build(): the C++ layer is then inside."""

    _of_one_picture = False  # also without a batch
    _takes_masks_off = False  # removes the masks of its inputs, once it was called on tensors
    _input_names = ()  # names of call()'s inputs, if there are several

    def __init__(self, *args, **kwargs):
        cls = type(self)
        text = cls._text
        given = _classes.bound(cls, text, args, kwargs)
        _in_new_words(cls._kind, given)
        if cls._kind == "Embedding":
            given.pop("input_length", None)
        elif "input_dim" not in _classes.signature(text).parameters:
            _take_input_shape(self, given)
        else:
            shape = given.pop("input_shape", None)
            if shape is not None:
                object.__setattr__(self, "_input_shape", tuple(shape))
        trainable = given.pop("trainable", True)
        given.pop("autocast", None)
        config = dict(given)
        _classes.without_defaults(text, given, _UNUSED)
        for name in ("name", "dtype"):
            if given.get(name, 0) is None:
                given.pop(name)
        weights = given.pop("weights", None)
        _by_registered_names(given)
        handle = _core._make_layer(cls._kind, **_for_core(cls._kind, text, given))
        if cls.call is not Builtin.call or cls.build is not Builtin.build or cls._is_changed():
            Layer.__init__(self, name=given.get("name"), dtype=given.get("dtype"))
            object.__setattr__(self, "_inner", handle)
            self._handle.add_layer(handle)
        else:
            object.__setattr__(self, "_inner", handle)
            self._adopt(handle)
        object.__setattr__(self, "_config", config)
        if not trainable:
            self.trainable = False
        if weights is not None:
            self._handle.build([(None, None)])
            self.set_weights(weights)

    @classmethod
    def _is_changed(cls):
        """Does a class derived from it override another part of its work than call() and build()?"""
        return False

    def __call__(self, *args, **kwargs):
        if self._inner is not self._handle:
            return Layer.__call__(self, *args, **kwargs)
        return self._run(args, kwargs)

    def call(self, *args, **kwargs):
        """The layer's work; use the layer itself, layer(x), to have it built first."""
        return self._run(args, kwargs)

    def build(self, input_shape=None):
        """Makes the weights for inputs of this shape."""
        object.__setattr__(self, "_built_for", input_shape)
        nested = input_shape and isinstance(input_shape[0], (list, tuple))
        if (
            self._kind == "Dense" and input_shape and not nested and len(input_shape) == 1
        ):  # the shape has no batch axis
            input_shape = (None, *input_shape)
        of_strings = self._kind in ("StringLookup", "TextVectorization") and not self._config.get("invert")
        self._inner.build(list(input_shape) if nested else [input_shape], of_strings)

    def _run(self, args, kwargs):
        if args and "brio._ragged" in sys.modules:
            from brio.keras import _ragged_layers

            if _ragged_layers.is_ragged(args[0]):
                return _ragged_layers.called(self, self._kind, self._run, args, kwargs)
        if args and hasattr(args[0], "dense_shape"):
            args = (as_dense(args[0]), *args[1:])
        if isinstance(kwargs.get("mask"), KerasTensor):  # a mask that is an input of the model, or made from one
            return _on_symbols(self, args, kwargs, kwargs.pop("training", None))
        training, mask = kwargs.pop("training", None), kwargs.pop("mask", None)
        if training is None:
            training = _training_flag.inherited()
        causal, scores = kwargs.pop("use_causal_mask", False), kwargs.pop("return_attention_scores", False)
        if self._input_names:
            args, kwargs, mask = self._in_order(args, kwargs, mask)
        inputs = []
        for value in (*args, *kwargs.values()):
            if (
                isinstance(value, (list, tuple))
                and value
                and any(_is_value(v) or isinstance(v, KerasTensor) for v in value)
            ):
                inputs += value
            elif value is not None:
                inputs.append(value)
        if "_built_for" not in self.__dict__:
            self._note_shapes(args, inputs)
        if mask is not None and not isinstance(mask, (list, tuple)):
            mask = [mask]
        if not (inputs and isinstance(inputs[0], KerasTensor)):
            if self._of_one_picture and _is_value(inputs[0]) and len(inputs[0].shape) == 3:
                return self._run((_core.convert_to_tensor(inputs[0])[None],), {"training": training})[0]
            result = self._packed(self._inner.call(inputs, training, mask, causal, scores))
            if self._takes_masks_off:
                for value in inputs:
                    if isinstance(value, _core.Tensor):
                        _core._drop_mask(value)
            return result
        made = self._packed(self._inner.keeping(self).call(inputs, training, mask, causal, scores))
        _remember_call(self, inputs, made)
        return made

    def _note_shapes(self, args, inputs):
        """Keeps the shapes of the first call: a config tells them."""
        shape = lambda v: tuple(getattr(v, "shape", ()))
        if args and isinstance(args[0], (list, tuple)) and len(inputs) >= len(args[0]) and not self._input_names:
            noted = [shape(v) for v in args[0]]
        else:
            noted = [shape(v) for v in inputs] if self._input_names else shape(inputs[0]) if inputs else ()
        object.__setattr__(self, "_built_for", noted)

    def get_build_config(self):
        """What build_from_config() makes the weights of."""
        shapes = self.__dict__.get("_built_for")
        if not shapes or _BUILT_AT_ONCE.fullmatch(self._kind):
            return None
        if self._input_names and isinstance(shapes, list):
            return {"shapes_dict": {f"{name}_shape": s for name, s in zip(self._input_names, shapes)}}
        return {"input_shape": shapes}

    def _in_order(self, args, kwargs, mask):
        """Inputs by their names in order; masks by theirs."""
        given = dict(zip(self._input_names, args)) | {n: kwargs.pop(n) for n in self._input_names if n in kwargs}
        masks = [kwargs.pop(f"{n}_mask", None) for n in self._input_names[:3]]
        attention = kwargs.pop("attention_mask", None)
        if kwargs:
            raise TypeError(
                f"{type(self).__name__} is called with {', '.join(self._input_names)}, but got {', '.join(kwargs)}"
            )
        if attention is not None:
            given.setdefault("key", given["value"])
            if given["key"] is None:
                given["key"] = given["value"]
            given["attention_mask"] = attention
        if any(m is not None for m in masks):
            mask = masks
        return tuple(given.get(n) for n in (*self._input_names, "attention_mask") if given.get(n) is not None), {}, mask

    def _packed(self, results):
        return results[0] if len(results) == 1 else results

    def compute_mask(self, inputs, previous_mask=None):
        """The mask of the result; None where there is none."""
        listed = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        masks = (
            None
            if previous_mask is None
            else list(previous_mask)
            if isinstance(previous_mask, (list, tuple))
            else [previous_mask]
        )
        return _core._mask_of(self._inner.call(listed, None, masks)[0])

    # ---- configs

    def get_config(self):
        """What the layer was made with; from_config() makes another of it."""
        from brio.keras._serialization import serialize_keras_object

        if "_config" not in self.__dict__:
            import json

            return json.loads(self._inner.to_json())["config"]
        config = self._base_config()
        config.pop("dtype") if "dtype" in self._config and self._config["dtype"] is None else None
        kind, axes = self._kind, _axes_of(self._kind)
        for name, parameter in _classes.signature(self._text).parameters.items():
            if name in ("name", "dtype", "lora_rank", "lora_alpha", "gptq_unpacked_column_size", "weights"):
                continue
            value = self._config.get(name, parameter.default)
            if name in _SPATIAL and axes and kind != "UpSampling1D":
                value = _tuple(value, axes)
            elif name in ("cropping", "padding") and kind.startswith(("Cropping", "ZeroPadding")):
                value = _sides(value, axes) if axes > 1 else _sides(value, 1)[0]
            elif name == "data_format" and value is None:
                value = "channels_last"
            if name == "strides" and value is None:
                value = _tuple(
                    self._config.get("pool_size", _classes.signature(self._text).parameters["pool_size"].default), axes
                )
            config[name] = serialize_keras_object(self._function(name, value))
        return self._finish_config(config)

    def _finish_config(self, config):
        kind = self._kind
        if kind == "MultiHeadAttention" and config["value_dim"] is None:
            config["value_dim"] = config["key_dim"]
        elif kind == "Normalization" and isinstance(config["axis"], int):
            config["axis"] = (config["axis"],)
        elif kind in ("RandomRotation", "RandomBrightness", "RandomContrast") and isinstance(
            config["factor"], (int, float)
        ):
            config["factor"] = (0 if kind == "RandomContrast" else -config["factor"], config["factor"])
        elif kind == "EinsumDense" and isinstance(config["output_shape"], int):
            config["output_shape"] = (config["output_shape"],)
        elif kind == "Discretization" or kind.startswith("SpatialDropout"):
            config.pop("trainable")  # these layers have no such option in Keras
        return config

    @staticmethod
    def _function(name, value):
        """The initializer, regularizer, constraint or activation that an argument names; otherwise itself."""
        if isinstance(value, str):
            if name.endswith("initializer"):
                from brio.keras import initializers

                return initializers.get(value)
            if name.endswith("regularizer"):
                from brio.keras import regularizers

                return regularizers.get(value)
            if name.endswith("constraint"):
                from brio.keras import constraints

                return constraints.get(value)
        if name.endswith("activation"):
            from brio.keras import activations

            return activations.get(value)
        return value

    @classmethod
    def from_config(cls, config):
        """A layer of a config."""
        from brio.keras._serialization import deserialize_keras_object

        def made(value):
            if isinstance(value, (list, tuple)) and value and isinstance(value[0], dict):
                return [deserialize_keras_object(v) for v in value]
            return deserialize_keras_object(value) if isinstance(value, dict) else value

        if cls.__init__ is not Builtin.__init__:  # a user's class knows its own arguments
            return cls(**{k: made(v) for k, v in config.items()})
        known = (*_classes.signature(cls._text).parameters, "name", "dtype", "trainable")
        given = {
            k: v for k, v in config.items() if k in known or (v is not None and k not in ("data_format", "lora_alpha"))
        }
        return cls(**{k: made(v) for k, v in given.items()})

    def __setattr__(self, name, value):
        if "_config" in self.__dict__ and type(self).build is Builtin.build and self._weight(name) is not None:
            raise AttributeError(
                f"[{type(self).__name__}] {name} of layer '{self.name}' is a variable that the layer keeps; set its "
                f"value: layer.{name}.assign(...)"
            )
        is_option = "_config" in self.__dict__ and name in _classes.signature(type(self)._text).parameters
        has_own_call = type(self).call is not Builtin.call
        if is_option and name in _FOLLOWED:
            try:
                self._inner.set_option(name, value)
            except TypeError:
                if not has_own_call:
                    raise  # otherwise the name is one of the program's class, for something else
        Layer.__setattr__(self, name, value)
        if is_option and not has_own_call:
            self._config[name] = value  # used for copies of the layer and for files

    def _weight(self, name):
        for variable in self.__dict__["_inner"].variables():
            if variable.path.rsplit("/", 1)[-1] == name:
                return variable
        return None

    def __getattr__(self, name):
        # Weights by their names (layer.kernel), and the layer's arguments (layer.units).
        if name.startswith("__") or "_inner" not in self.__dict__:
            raise AttributeError(name)
        weight = self._weight(name)
        if weight is not None:
            return weight
        parameters = _classes.signature(type(self)._text).parameters
        if name in parameters:
            if "_config" not in self.__dict__:
                config = self.get_config()
            else:
                config = self.__dict__["_config"]
            if name in config:
                return self._function(name, config[name])
            if parameters[name].default is not inspect.Parameter.empty:
                return self._function(name, parameters[name].default)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


class Attention(Builtin):
    """Attention of several heads is called with query, value and key apart."""

    _input_names = ("query", "value", "key")


class MultiHeadAttention(Attention):
    """As Keras', which uses the masks of its inputs up: a layer that takes one of these tensors later sees none."""

    _takes_masks_off = True


class Merging(Builtin):
    """Add and its kin: an input with one sample goes with each sample of the others."""

    def _run(self, args, kwargs):
        values = args[0] if args and isinstance(args[0], (list, tuple)) else ()
        symbols = [isinstance(v, KerasTensor) for v in values]
        batches = {v.shape[0] for v in values if hasattr(v, "shape") and len(v.shape)}
        if not (any(symbols) and not all(symbols)) and (1 not in batches or len(batches) < 2):
            return super()._run(args, kwargs)
        if any(symbols):
            return _on_symbols(self, args, kwargs, kwargs.pop("training", None))
        values = [_core.convert_to_tensor(v) for v in values]
        most = next(v for v in values if v.shape[0] != 1)
        count = _core.shape(most)[0] if most.shape[0] is None else most.shape[0]
        return super()._run(
            ([v if v.shape[0] != 1 else _core.broadcast_to(v, [count, *v.shape[1:]]) for v in values], *args[1:]),
            kwargs,
        )


class Convolution(Builtin):
    """Conv1D, Conv2D, Conv3D: a class derived from one may override convolution_op() alone."""

    def convolution_op(self, inputs, kernel):
        """The convolution of inputs with a kernel, by the layer's strides, padding and dilation,
        without bias and activation."""
        from brio.keras import ops

        axes = _axes_of(self._kind)
        strides, dilation = (_tuple(getattr(self, name), axes) for name in ("strides", "dilation_rate"))
        if self.padding == "causal":
            left = dilation[0] * (kernel.shape[0] - 1)
            inputs = _core.pad(inputs, [[0, 0], [left, 0], [0, 0]])
        return ops.conv(
            inputs,
            kernel,
            strides=strides,
            padding="valid" if self.padding == "causal" else self.padding,
            dilation_rate=dilation,
            data_format=self.data_format,
        )

    @classmethod
    def _is_changed(cls):
        return (
            cls.convolution_op is not Convolution.convolution_op and cls._kind != "Conv1D"
        )  # in Keras its call() does not use it

    def _run(self, args, kwargs):
        if not self._is_changed() or self._inner is self._handle:
            return super()._run(args, kwargs)
        made = self.convolution_op(args[0], self.kernel)
        if self.use_bias:
            first = self.data_format == "channels_first"
            made = made + (_core.reshape(self.bias, [1, -1] + [1] * _axes_of(self._kind)) if first else self.bias)
        return made if self.activation is None else self.activation(made)


class OfNumbers(Builtin):
    """A layer that takes one number or text as well as a batch of them."""

    def _run(self, args, kwargs):
        if args and _is_one(args[0]):
            made = super()._run((_core.expand_dims(_core.convert_to_tensor(args[0]), 0), *args[1:]), kwargs)
            return made if self._kind in ("Normalization", "CategoryEncoding") else _core.squeeze(made, [0])
        return super()._run(args, kwargs)


class Adapted(OfNumbers):
    """A layer that learns what it needs from data, before training."""

    def adapt(self, data, batch_size=None, steps=None):
        """Learns what the layer needs from data: an array, or a dataset."""
        batches = batches_of(data, steps)
        object.__setattr__(self, "_rank", len(batches[0].shape) if batches else 0)
        _core._adapt(self._inner, batches)
        if batches and self._kind == "Normalization":  # its weights exist from now on: a config says for which shape
            object.__setattr__(self, "_built_for", (None, *tuple(batches[0].shape)[1:]))

    def reset_state(self):
        """Forgets what adapt() learned."""
        fresh = type(self)(**{**self._config, "name": None})
        object.__setattr__(self, "_inner", fresh._inner)
        self._adopt(fresh._inner)

    @property
    def bin_boundaries(self):
        """Where one bin ends and the next begins."""
        return _core._bin_boundaries(self._inner)

    def __getattr__(self, name):
        found = super().__getattr__(name)
        if (
            self._kind == "Normalization"
            and name in ("mean", "variance")
            and _core.is_tensor(found)
            and "_rank" in self.__dict__
        ):
            # In the shape in which it is used with the data.
            axes = self.axis if isinstance(self.axis, (list, tuple)) else [] if self.axis is None else [self.axis]
            kept, sizes = {a % self._rank for a in axes}, iter(found.shape)
            return _core.reshape(found, [next(sizes) if a in kept else 1 for a in range(self._rank)])
        return found


def batches_of(data, steps=None):
    """Tensors of what adapt() takes: an array, or a dataset or other iterable of batches."""
    if _is_value(data) or (isinstance(data, (list, tuple)) and not any(_is_value(v) for v in data)):
        return [_core.convert_to_tensor(data)]
    batches = []
    for i, batch in enumerate(data):
        if steps is not None and i >= steps:
            break
        batch = _core.convert_to_tensor(batch[0] if isinstance(batch, (tuple, list)) else batch)
        batches.append(batch if len(batch.shape) else _core.expand_dims(batch, 0))
    return batches


def _is_one(x):
    """One number or text in the place of a batch."""
    if isinstance(x, (str, bytes, int, float)):
        return True
    shape = None if isinstance(x, KerasTensor) else getattr(x, "shape", None)  # of a tensor, variable, NumPy's numbers
    return shape is not None and len(shape) == 0


class WithVocabulary(Adapted):
    """StringLookup, IntegerLookup, TextVectorization."""

    def adapt(self, data, batch_size=None, steps=None):
        """Learns the vocabulary from data: an array, or a dataset."""
        super().adapt([self._standardized(b) for b in batches_of(data, steps)])

    def _run(self, args, kwargs):
        given = args[0]
        if hasattr(given, "flat_values"):  # a ragged tensor: use each of its values if values stay separate
            if self._kind == "TextVectorization" or self.output_mode != "int":
                return super()._run(args, kwargs)
            return given.with_flat_values(self._run((given.flat_values, *args[1:]), kwargs))
        single = _is_one(given)
        if single:
            given = _core.expand_dims(_core.convert_to_tensor(given), 0)
        made = super()._run((self._standardized(given), *args[1:]), kwargs)
        if single:
            return _core.squeeze(made, [0]) if self.output_mode == "int" or self._kind == "TextVectorization" else made
        return _without_padding(made) if self._config.get("ragged") and not isinstance(made, KerasTensor) else made

    def _standardized(self, texts):
        own = self.__dict__.get("_config", {}).get("standardize")
        return (
            own(texts if isinstance(texts, KerasTensor) else _core.convert_to_tensor(texts)) if callable(own) else texts
        )

    def get_vocabulary(self, include_special_tokens=True):
        """The tokens, in the order of their ids."""
        return _core._vocabulary(self._inner, include_special_tokens)

    def set_vocabulary(self, vocabulary, idf_weights=None):
        """Takes these tokens, or those of a file."""
        _core._set_vocabulary(
            self._inner, _tokens(vocabulary), [] if idf_weights is None else [float(w) for w in idf_weights]
        )

    def vocabulary_size(self):
        """How many tokens there are, with those for masks and unknown words."""
        return _core._vocabulary_size(self._inner)

    def save_assets(self, dir_path):
        """Writes the vocabulary into a folder of a model file."""
        if self.__dict__.get("_config", {}).get("vocabulary") is not None:
            return  # the config has it
        folders = [dir_path]
        if self._kind == "TextVectorization":  # Keras has a StringLookup inside of it
            folders.append(os.path.join(dir_path, "_lookup_layer"))
        for folder in folders:
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, "vocabulary.txt"), "w", encoding="utf-8", newline="") as file:
                file.write("\n".join(str(t) for t in self.get_vocabulary(include_special_tokens=False)))

    def load_assets(self, dir_path):
        """Reads the vocabulary from a folder of a model file."""
        path = os.path.join(dir_path, "vocabulary.txt")
        if self.__dict__.get("_config", {}).get("vocabulary") is not None or not os.path.exists(path):
            return
        with open(path, encoding="utf-8", newline="") as file:
            tokens = file.read().split("\n")
        if tokens != [""]:
            self.set_vocabulary([int(t) for t in tokens] if self._kind == "IntegerLookup" else tokens)


def _without_padding(ids):
    """A row for each text, as long as it has tokens: 0 is no token."""
    from brio._ragged import RaggedTensor

    return RaggedTensor.from_tensor(ids, padding=0)


def _tokens(vocabulary):
    if isinstance(vocabulary, str):
        with open(os.fspath(vocabulary), encoding="utf-8") as f:
            return f.read().splitlines()
    return [
        t.decode() if isinstance(t, bytes) else t
        for t in (vocabulary.tolist() if hasattr(vocabulary, "tolist") else list(vocabulary))
    ]
