"""keras.layers: Brio's layers, which are C++, and layers written in Python."""

import inspect
import threading
import weakref

from brio import _autograph, _core, _nest
from brio.keras import _classes, _signatures

KerasTensor = _core.KerasTensor

# Layers by the address of their C++ module: one Python object for each.
_known = weakref.WeakValueDictionary()


def _is_value(x):
    return _core.is_tensor(x) or (hasattr(x, "dtype") and hasattr(x, "shape"))


class Layer:
    """Something with weights that maps tensors to tensors.

    Derive from it and write call(inputs); make weights with add_weight() in build(input_shape), or use other layers.
    """

    def __init__(self, *, activity_regularizer=None, trainable=True, dtype=None, autocast=True, name=None, **kwargs):
        if kwargs:
            _take_input_shape(self, kwargs)
            if kwargs:
                raise ValueError(f"{type(self).__name__} got arguments that no layer knows: {', '.join(kwargs)}")
        handle = _core._python_layer(self, _snake(type(self).__name__), name, dtype)
        object.__setattr__(self, "_pending", threading.local())
        self._adopt(handle)
        if activity_regularizer is not None:
            handle.set_activity_regularizer(activity_regularizer)
        if not autocast:
            handle.set_autocast(False)
        if not trainable:
            handle.trainable = False

    def _adopt(self, handle):
        object.__setattr__(self, "_handle", handle)
        _known[handle.id] = self

    # ---- what users override

    def build(self, input_shape=None):
        """Makes the weights. Called once, before the first call."""

    def call(self, *args, **kwargs):
        raise NotImplementedError(f"{type(self).__name__} needs call(inputs)")

    def compute_mask(self, inputs, previous_mask):
        return previous_mask

    def get_config(self):
        config = {"name": self.name, "trainable": self.trainable, "dtype": self.dtype_policy.name}
        given = inspect.signature(type(self).__init__).parameters
        own = [n for n, p in given.items() if n not in ("self", *config) and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
        missing = [n for n in own if not hasattr(self, n)]
        if missing:
            raise NotImplementedError(f"{type(self).__name__} takes {', '.join(missing)} and needs get_config() of its own")
        return {**config, **{n: getattr(self, n) for n in own}}

    @classmethod
    def from_config(cls, config):
        return cls(**config)

    # ---- being called

    def __call__(self, *args, **kwargs):
        training = kwargs.pop("training", None)
        flat = _nest.flatten((args, kwargs))
        symbolic = any(isinstance(x, KerasTensor) for x in flat)
        simple = not kwargs and len(args) == 1
        if symbolic and not simple:
            return _on_symbols(self, args, kwargs, training)
        values = [i for i, x in enumerate(flat) if isinstance(x, KerasTensor) or _is_value(x)]
        if not values and flat:  # a list of numbers
            args = (_nest.map_structure(_core.convert_to_tensor, args[0]) if not isinstance(args[0], list) else _core.convert_to_tensor(args[0]), *args[1:])
            flat = _nest.flatten((args, kwargs))
            values = [i for i, x in enumerate(flat) if _is_value(x)]
        if symbolic:
            made = self._handle.call([flat[i] for i in values], training)
            return _packed(self, made, args[0])
        stack = self._pending.__dict__.setdefault("stack", [])
        stack.append([(args, kwargs), flat, values, None])
        try:
            results = self._handle.call([flat[i] for i in values], training)
            return _nest.pack(stack[-1][3], results)
        finally:
            stack.pop()

    def _core_call(self, tensors, training, masks):
        stack = self._pending.__dict__.setdefault("stack", [])
        mine = stack[-1] if stack and stack[-1][3] is None else None
        if mine:
            structure, flat, values, _ = mine
            flat = list(flat)
            for place, tensor in zip(values, tensors):
                flat[place] = tensor
            args, kwargs = _nest.pack(structure, flat)
            kwargs = dict(kwargs)
        else:  # called by a model
            args, kwargs = (tensors[0] if len(tensors) == 1 else tensors,), {}
        takes = _call_arguments(type(self))
        if "training" in takes and "training" not in kwargs:
            kwargs["training"] = training
        if "mask" in takes and "mask" not in kwargs and any(m is not None for m in masks):
            kwargs["mask"] = masks[0] if len(masks) == 1 else masks
        if mine:
            mine[3] = ()  # a call of this layer inside itself has an entry of its own
        results = (_autograph.convert(self.call) if _core._tracing() else self.call)(*args, **kwargs)
        if results is None:
            raise ValueError(f"call() of {type(self).__name__} returned None; return a tensor")
        object.__setattr__(self, "_result_structure", results)
        if mine:
            mine[3] = results
        return _nest.flatten(results)

    def _core_build(self, shapes):
        if type(self).build is not Layer.build:
            self.build(shapes[0] if len(shapes) == 1 else shapes)

    def _core_masks(self, tensors, masks, results):
        if type(self).compute_mask is Layer.compute_mask:
            return None
        one = len(tensors) == 1
        made = self.compute_mask(tensors[0] if one else tensors, masks[0] if one else masks)
        return list(made) if isinstance(made, (list, tuple)) else [made] * results

    # ---- weights

    def add_weight(self, shape=None, initializer=None, dtype=None, trainable=True, autocast=True, regularizer=None,
                   constraint=None, aggregation=None, overwrite_with_gradient=False, name=None):  # fmt: skip
        """A variable that belongs to this layer."""
        if isinstance(shape, str):  # Keras 2 had the name first
            shape, name = initializer if isinstance(initializer, (tuple, list)) else (), shape
            initializer = None if isinstance(initializer, (tuple, list)) else initializer
        if initializer is None:
            initializer = "glorot_uniform" if shape else "zeros"
        return self._handle.add_weight(name or "variable", () if shape is None else shape, initializer, dtype, trainable,
                                       autocast, regularizer, constraint)  # fmt: skip

    def add_loss(self, loss):
        """Something to be added to the loss of the model: a scalar, or several."""
        for one in loss if isinstance(loss, (list, tuple)) else [loss]:
            self._handle.add_loss(one)

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        if "_handle" in self.__dict__:
            self._track(value)

    def _track(self, value):
        if isinstance(value, Layer):
            if value._handle.id not in [h.id for h in self._handle.layers()]:
                self._handle.add_layer(value._handle)
        elif isinstance(value, (list, tuple)):
            for item in value:
                self._track(item)
        elif isinstance(value, dict):
            for item in value.values():
                self._track(item)
        elif isinstance(value, _core.Variable):
            known = [v._key() for v in self._handle.variables()]
            if value._key() not in known:
                self._handle.add_variable(value)

    @property
    def weights(self):
        return self._handle.variables()

    variables = weights

    @property
    def trainable_weights(self):
        return self._handle.trainable_variables()

    trainable_variables = trainable_weights

    @property
    def non_trainable_weights(self):
        return self._handle.non_trainable_variables()

    non_trainable_variables = non_trainable_weights

    def get_weights(self):
        return [v.numpy() for v in self.weights]

    def set_weights(self, weights):
        self._handle.set_weights(list(weights))

    def count_params(self):
        return self._handle.count_params()

    # ---- the rest

    @property
    def name(self):
        return self._handle.name

    @property
    def built(self):
        return self._handle.built

    @built.setter
    def built(self, value):  # build() of Keras 2 ends with it; here being built is what C++ saw
        pass

    @property
    def trainable(self):
        return self._handle.trainable

    @trainable.setter
    def trainable(self, value):
        self._handle.trainable = bool(value)

    @property
    def dtype_policy(self):
        from brio.keras.mixed_precision import DTypePolicy

        return DTypePolicy(self._handle.policy)

    @property
    def dtype(self):
        return self.dtype_policy.variable_dtype

    variable_dtype = dtype

    @property
    def compute_dtype(self):
        return self.dtype_policy.compute_dtype

    @property
    def losses(self):
        return self._handle.losses()

    @property
    def supports_masking(self):
        return self.__dict__.get("_supports_masking", False)

    @supports_masking.setter
    def supports_masking(self, value):
        object.__setattr__(self, "_supports_masking", value)
        self._handle.set_supports_masking(value)

    def compute_output_shape(self, input_shape):
        nested = isinstance(input_shape, (list, tuple)) and input_shape and isinstance(input_shape[0], (list, tuple))
        shapes = self._handle.output_specs(list(input_shape) if nested else [input_shape])
        return tuple(shapes[0]) if len(shapes) == 1 else [tuple(s) for s in shapes]

    def __repr__(self):
        return f"<{type(self).__name__} name={self.name}, built={self.built}>"


def _snake(name):
    out = ""
    for i, c in enumerate(name):
        if c.isupper() and i and (not name[i - 1].isupper() or (i + 1 < len(name) and name[i + 1].islower())):
            out += "_"
        out += c.lower()
    return out.strip("_") or "layer"


def _call_arguments(cls):
    """Names that call() takes, looked up once a class."""
    if "_call_names" not in cls.__dict__:
        parameters = inspect.signature(cls.call).parameters
        names = frozenset(n for n, p in parameters.items() if p.kind is not p.VAR_KEYWORD)
        type.__setattr__(cls, "_call_names", names)
    return cls._call_names


def _packed(layer, results, like):
    """Results of a layer that was called on symbols: in the structure that its call() last returned."""
    structure = layer.__dict__.get("_result_structure")
    if structure is not None and len(_nest.flatten(structure)) == len(results):
        return _nest.pack(structure, results)
    return results[0] if len(results) == 1 else results


class _Step(Layer):
    """One call of a layer on symbols, with arguments beside them."""

    def __init__(self, layer, structure, flat, places, training):
        super().__init__(name=_core._unique_name(layer.name + "_call"))
        self._how = (structure, flat, places, training)
        self.layer = layer

    def call(self, inputs):
        structure, flat, places, training = self.__dict__["_how"]
        flat = list(flat)
        for place, tensor in zip(places, inputs if isinstance(inputs, list) else [inputs]):
            flat[place] = tensor
        args, kwargs = _nest.pack(structure, flat)
        if training is not None:
            kwargs = {**kwargs, "training": training}
        return self.layer(*args, **kwargs)


def _on_symbols(layer, args, kwargs, training):
    flat = _nest.flatten((args, kwargs))
    places = [i for i, x in enumerate(flat) if isinstance(x, KerasTensor)]
    step = _Step(layer, (args, kwargs), [None if i in places else x for i, x in enumerate(flat)], places, training)
    symbols = [flat[i] for i in places]
    return step(symbols if len(symbols) > 1 else symbols[0])


# ---- Brio's own layers

_UNUSED = ("lora_rank", "lora_alpha", "quantization_config", "use_cudnn", "gptq_unpacked_column_size", "renorm",
           "renorm_clipping", "renorm_momentum", "synchronized", "flash_attention", "zero_output_for_mask_", "sparse",
           "bounding_box_format")  # fmt: skip


def _take_input_shape(layer, given):
    """input_shape=, which Keras 2 had on every layer, for a Sequential to begin with."""
    shape = given.pop("input_shape", None)
    if "input_dim" in given:
        dim = given.pop("input_dim")
        shape = (given.pop("input_length", None), dim) if "input_length" in given else (dim,)
    if "batch_input_shape" in given:
        shape = given.pop("batch_input_shape")[1:]
    given.pop("batch_size", None) if shape is not None else None
    if shape is not None:
        object.__setattr__(layer, "_input_shape", tuple(shape) if isinstance(shape, (list, tuple)) else (shape,))


class _Builtin(Layer):
    """A layer of C++'s. A class derived from one may override call() and build(): the C++ layer is then inside."""

    def __init__(self, *args, **kwargs):
        cls = type(self)
        text = cls._text
        given = _classes.bound(cls, text, args, kwargs)
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
        _classes.without_defaults(text, given, _UNUSED)
        for name in ("name", "dtype"):
            if given.get(name, 0) is None:
                given.pop(name)
        for name in ("function", "arguments"):
            given.pop(name, None)
        overridden = cls.call is not _Builtin.call or cls.build is not _Builtin.build
        handle = _core._make_layer(cls._kind, **given)
        if overridden:
            Layer.__init__(self, name=given.get("name"), dtype=given.get("dtype"))
            object.__setattr__(self, "_inner", handle)
            self._handle.add_layer(handle)
        else:
            object.__setattr__(self, "_inner", handle)
            self._adopt(handle)
        object.__setattr__(self, "_config", given)
        if not trainable:
            self.trainable = False

    def __call__(self, *args, **kwargs):
        if self._inner is not self._handle:
            return Layer.__call__(self, *args, **kwargs)
        return self._run(args, kwargs)

    def call(self, *args, **kwargs):
        return self._run(args, kwargs)

    def build(self, input_shape=None):
        nested = input_shape and isinstance(input_shape[0], (list, tuple))
        self._inner.build(list(input_shape) if nested else [input_shape])

    def _run(self, args, kwargs):
        training, mask = kwargs.pop("training", None), kwargs.pop("mask", None)
        causal, scores = kwargs.pop("use_causal_mask", False), kwargs.pop("return_attention_scores", False)
        inputs = []
        for value in (*args, *kwargs.values()):
            if isinstance(value, (list, tuple)) and value and any(_is_value(v) or isinstance(v, KerasTensor) for v in value):
                inputs += value
            elif value is not None:
                inputs.append(value)
        if mask is not None and not isinstance(mask, (list, tuple)):
            mask = [mask]
        results = self._inner.call(inputs, training, mask, causal, scores)
        return results[0] if len(results) == 1 else results

    def get_config(self):
        import json

        return json.loads(self._inner.to_json())["config"]

    def __getattr__(self, name):
        # Weights by their names (layer.kernel), and what the layer was made with (layer.units).
        if name.startswith("__") or "_inner" not in self.__dict__:
            raise AttributeError(name)
        for variable in self.__dict__["_inner"].variables():
            if variable.path.rsplit("/", 1)[-1] == name:
                return variable
        config = self.__dict__.get("_config", {})
        if name in config:
            return config[name]
        parameters = _classes.signature(type(self)._text).parameters
        if name in parameters and parameters[name].default is not inspect.Parameter.empty:
            return parameters[name].default
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def _make(name, text):
    class Made(_Builtin):
        _kind, _text = name, text

    return Made


_classes.module_classes(
    globals(), {k: v for k, v in _signatures.LAYERS.items() if k not in ("InputLayer", "Layer", "Sequential")}, _make
)

AvgPool1D, AvgPool2D, AvgPool3D = AveragePooling1D, AveragePooling2D, AveragePooling3D  # noqa: F821
MaxPool1D, MaxPool2D, MaxPool3D = MaxPooling1D, MaxPooling2D, MaxPooling3D  # noqa: F821
GlobalAvgPool1D, GlobalAvgPool2D, GlobalAvgPool3D = GlobalAveragePooling1D, GlobalAveragePooling2D, GlobalAveragePooling3D  # noqa: F821
GlobalMaxPool1D, GlobalMaxPool2D, GlobalMaxPool3D = GlobalMaxPooling1D, GlobalMaxPooling2D, GlobalMaxPooling3D  # noqa: F821
Convolution1D, Convolution2D, Convolution3D = Conv1D, Conv2D, Conv3D  # noqa: F821
Convolution2DTranspose, SeparableConvolution2D = Conv2DTranspose, SeparableConv2D  # noqa: F821
GroupedQueryAttention = GroupQueryAttention  # noqa: F821


def _merge(cls):
    def merge(inputs, **kwargs):
        return cls(**kwargs)(inputs)

    merge.__name__ = merge.__qualname__ = _snake(cls.__name__)
    merge.__doc__ = f"{cls.__name__} of a list of tensors."
    return merge


add, subtract, multiply, average = _merge(Add), _merge(Subtract), _merge(Multiply), _merge(Average)  # noqa: F821
maximum, minimum = _merge(Maximum), _merge(Minimum)  # noqa: F821


def concatenate(inputs, axis=-1, **kwargs):
    return Concatenate(axis=axis, **kwargs)(inputs)  # noqa: F821


def dot(inputs, axes=-1, **kwargs):
    return Dot(axes=axes, **kwargs)(inputs)  # noqa: F821


class Lambda(Layer):
    """Any function of tensors as a layer."""

    def __init__(self, function, output_shape=None, mask=None, arguments=None, **kwargs):
        super().__init__(**kwargs)
        self.function, self.arguments = function, dict(arguments or {})

    def call(self, inputs):
        return self.function(inputs, **self.arguments)


class Wrapper(Layer):
    """A layer around another."""

    def __init__(self, layer, **kwargs):
        super().__init__(**kwargs)
        self.layer = layer


def Input(shape=None, batch_size=None, dtype=None, sparse=None, batch_shape=None, name=None, tensor=None):
    """What a functional model begins with: the shape of one sample."""
    if batch_shape is not None:
        shape, batch_size = tuple(batch_shape[1:]), batch_shape[0]
    if shape is None:
        raise ValueError("Input() needs the shape of one sample, without the batch: Input(shape=(28, 28, 1))")
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return _core._input(shape, -1 if batch_size is None else batch_size, dtype, name)


class InputLayer(Layer):
    """The same as a layer, to begin a Sequential with."""

    def __init__(self, shape=None, batch_size=None, dtype=None, sparse=None, batch_shape=None, name=None, input_shape=None, **kwargs):
        if batch_shape is not None:
            shape, batch_size = tuple(batch_shape[1:]), batch_shape[0]
        shape = input_shape if shape is None else shape
        self._adopt(_core._input_layer(tuple(shape), -1 if batch_size is None else batch_size, dtype, name))


def _python_layer(handle):
    """The Python object of a C++ layer: the one that made it, or one that is made for it now."""
    found = _known.get(handle.id) or handle.python_object()
    if found is not None:
        return found
    from brio.keras import models

    cls = {"Sequential": models.Sequential, "Functional": models.Functional}.get(handle.kind) or globals().get(handle.kind, Layer)
    made = cls.__new__(cls)
    object.__setattr__(made, "_inner", handle)
    object.__setattr__(made, "_config", {})
    made._adopt(handle)
    return made
