"""keras.layers."""

import inspect

from brio import _core
from brio.keras import _builtin, _builtin_pictures, _classes, _recurrent
from brio.keras._input_spec import InputSpec  # noqa: F401
from brio.keras._layer import KerasTensor, Layer, _known  # noqa: F401
from brio.keras.config import floatx as _floatx

_BASES = {
    "MultiHeadAttention": _builtin.MultiHeadAttention,
    "GroupQueryAttention": _builtin.Attention,
    **dict.fromkeys(("Add", "Average", "Maximum", "Minimum", "Multiply", "Subtract"), _builtin.Merging),
    **dict.fromkeys(("Conv1D", "Conv2D", "Conv3D"), _builtin.Convolution),
    **dict.fromkeys(("Resizing", "CenterCrop"), _builtin_pictures.Resized),
    **dict.fromkeys(
        ("RandomCrop", "RandomFlip", "RandomRotation", "RandomTranslation", "RandomZoom"), _builtin_pictures.Moved
    ),
    **dict.fromkeys(("RandomBrightness", "RandomContrast"), _builtin_pictures.Colored),
    **dict.fromkeys(("CategoryEncoding", "Hashing", "Embedding", "Rescaling"), _builtin.OfNumbers),
    **dict.fromkeys(("Normalization", "Discretization"), _builtin.Adapted),
    **dict.fromkeys(("StringLookup", "IntegerLookup", "TextVectorization"), _builtin.WithVocabulary),
    **dict.fromkeys(("LSTM", "GRU", "SimpleRNN", "RNN", "Bidirectional"), _recurrent.Recurrent),
    **dict.fromkeys(("LSTMCell", "GRUCell", "SimpleRNNCell"), _recurrent.Cell),
    "StackedRNNCells": _recurrent.StackedCells,
}


def _make(name, text):
    class Made(_BASES.get(name, _builtin.Builtin)):
        _kind, _text = name, text
        _also_taken = (*_builtin.Layer._also_taken, *_builtin._OLD_NAMES.get(name, ()))

    return Made


_classes.module_classes(globals(), "LAYERS", _make, but=("InputLayer", "Layer", "Sequential"))

AvgPool1D, AvgPool2D, AvgPool3D = AveragePooling1D, AveragePooling2D, AveragePooling3D  # noqa: F821
MaxPool1D, MaxPool2D, MaxPool3D = MaxPooling1D, MaxPooling2D, MaxPooling3D  # noqa: F821
GlobalAvgPool1D, GlobalAvgPool2D = GlobalAveragePooling1D, GlobalAveragePooling2D  # noqa: F821
GlobalAvgPool3D = GlobalAveragePooling3D  # noqa: F821
GlobalMaxPool1D, GlobalMaxPool2D, GlobalMaxPool3D = GlobalMaxPooling1D, GlobalMaxPooling2D, GlobalMaxPooling3D  # noqa: F821
Convolution1D, Convolution2D, Convolution3D = Conv1D, Conv2D, Conv3D  # noqa: F821
Convolution1DTranspose, Convolution2DTranspose = Conv1DTranspose, Conv2DTranspose  # noqa: F821
Convolution3DTranspose = Conv3DTranspose  # noqa: F821
SeparableConvolution1D, SeparableConvolution2D = SeparableConv1D, SeparableConv2D  # noqa: F821
GroupedQueryAttention = GroupQueryAttention  # noqa: F821


def _merge(cls):
    def merge(inputs, **kwargs):
        return cls(**kwargs)(inputs)

    merge.__name__ = merge.__qualname__ = _classes.snake(cls.__name__)
    merge.__doc__ = f"{cls.__name__} of a list of tensors."
    return merge


add, subtract, multiply, average = _merge(Add), _merge(Subtract), _merge(Multiply), _merge(Average)  # noqa: F821
maximum, minimum = _merge(Maximum), _merge(Minimum)  # noqa: F821


def concatenate(inputs, axis=-1, **kwargs):
    """A list of tensors joined along an axis."""
    return Concatenate(axis=axis, **kwargs)(inputs)  # noqa: F821


def dot(inputs, axes=-1, **kwargs):
    """The product of two tensors, summed along an axis of each."""
    return Dot(axes=axes, **kwargs)(inputs)  # noqa: F821


class Lambda(Layer):
    """Any function of tensors as a layer."""

    def __init__(self, function, output_shape=None, mask=None, arguments=None, **kwargs):
        super().__init__(**kwargs)
        self.function, self.arguments = function, dict(arguments or {})
        self._takes = frozenset(inspect.signature(function).parameters) if callable(function) else ()

    def call(self, inputs, mask=None, training=None):
        given = {"mask": mask, "training": training}
        return self.function(inputs, **self.arguments, **{k: v for k, v in given.items() if k in self._takes})

    def get_config(self):
        from brio.keras._serialization import serialize_keras_object

        return {**self._base_config(), "function": serialize_keras_object(self.function), "arguments": self.arguments}

    @classmethod
    def from_config(cls, config):
        from brio.keras._serialization import _made

        return cls(**{**config, "function": _made(config["function"])})


class Wrapper(Layer):
    """A layer around another."""

    def __init__(self, layer, **kwargs):
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape=None):
        if not self.layer.built:
            self.layer.build(input_shape)

    @classmethod
    def from_config(cls, config):
        from brio.keras._serialization import _made

        return cls(**{**config, "layer": _made(config["layer"])})


def Input(shape=None, batch_size=None, dtype=None, sparse=None, batch_shape=None, name=None, tensor=None):
    """What a functional model begins with: the shape of one sample."""
    if batch_shape is not None:
        shape, batch_size = tuple(batch_shape[1:]), batch_shape[0]
    if shape is None:
        raise ValueError("Input() needs the shape of one sample, without the batch: Input(shape=(28, 28, 1))")
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return _core._input(shape, -1 if batch_size is None else batch_size, dtype or _floatx(), name)


class InputLayer(Layer):
    """The same as a layer, to begin a Sequential with."""

    def __init__(self, shape=None, batch_size=None, dtype=None, sparse=None, ragged=None, batch_shape=None,
                 input_tensor=None, optional=False, name=None, input_shape=None, trainable=True):  # fmt: skip
        if batch_shape is not None:
            shape, batch_size = tuple(batch_shape[1:]), batch_shape[0]
        shape = input_shape if shape is None else shape
        if shape is None:
            raise ValueError(
                "InputLayer() needs the shape of one sample, without the batch: InputLayer(shape=(28, 28, 1))"
            )
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self._adopt(_core._input_layer(shape, -1 if batch_size is None else batch_size, dtype or _floatx(), name))
        object.__setattr__(self, "batch_shape", (batch_size, *shape))
        object.__setattr__(self, "_dtype_name", _core.as_dtype(dtype or _floatx()).name)

    @property
    def dtype(self):
        """The dtype of the input."""
        return self._dtype_name

    @property
    def output(self):
        """The symbol that a model begins with."""
        return self.__dict__.get("_symbol") or _core._layer_symbol(self._handle)

    input = output

    def get_config(self):
        return {
            "batch_shape": self.batch_shape,
            "dtype": self.dtype,
            "sparse": False,
            "ragged": False,
            "name": self.name,
            "optional": False,
        }


def serialize(layer):
    """A config of a layer that deserialize() makes it of again."""
    from brio.keras._serialization import serialize_keras_object

    return serialize_keras_object(layer)


def deserialize(config, custom_objects=None):
    """A layer of a config that serialize() made."""
    from brio.keras._serialization import deserialize_keras_object

    return deserialize_keras_object(config, custom_objects)


def _python_layer(handle):
    """The Python object of a C++ layer: the one that made it, or one that is made for it now."""
    found = _known.get(handle.id) or handle.python_object()
    if found is not None:
        return found
    from brio.keras import models

    cls = {"Sequential": models.Sequential, "Functional": models.Functional}.get(handle.kind) or globals().get(
        handle.kind, Layer
    )
    made = cls.__new__(cls)
    if cls is InputLayer:
        import json

        config = json.loads(handle.to_json())["config"]
        shape = config.get("batch_shape") or [None, *config["shape"]]
        object.__setattr__(made, "batch_shape", tuple(shape))
        object.__setattr__(
            made,
            "_dtype_name",
            config["dtype"] if isinstance(config["dtype"], str) else config["dtype"]["config"]["name"],
        )
    object.__setattr__(made, "_inner", handle)
    made._adopt(handle)
    return made


# Which few programs use: they load when one does.
_ELSEWHERE = {
    name: module
    for module, names in {
        "_tfsm_layer": "TFSMLayer",
        "_hashed_crossing": "HashedCrossing",
        "_conv_lstm": "ConvLSTM1D ConvLSTM2D ConvLSTM3D",
        "_legacy_layers": "RandomHeight RandomWidth ThresholdedReLU",
        "_color_layers": (
            "RandomColorDegeneration RandomColorJitter RandomGrayscale RandomHue RandomInvert RandomPosterization "
            "RandomSaturation RandomSharpness Solarization"
        ),
        "_histogram_layers": "AutoContrast ContrastLimitedAdaptiveHistogramEqualization Equalization",
        "_warp_layers": "RandomElasticTransform RandomErasing RandomGaussianBlur RandomPerspective RandomShear",
        "_mixing_layers": "AugMix CutMix MaxNumBoundingBoxes MixUp Pipeline RandAugment",
        "_adaptive_pooling": (
            "AdaptiveAveragePooling1D AdaptiveAveragePooling2D AdaptiveAveragePooling3D AdaptiveMaxPooling1D "
            "AdaptiveMaxPooling2D AdaptiveMaxPooling3D"
        ),
        "_spectrograms": "MelSpectrogram STFTSpectrogram",
        "_reversible_embedding": "ReversibleEmbedding",
    }.items()
    for name in names.split()
}


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    if name in _ELSEWHERE:
        import importlib

        return getattr(importlib.import_module(f"brio.keras.{_ELSEWHERE[name]}"), name)
    from brio._missing import explain

    raise AttributeError(explain(__name__, name) if not name.startswith("__") else name)


def __dir__():
    return sorted({*globals(), *_ELSEWHERE})
