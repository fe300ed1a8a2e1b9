"""keras.activations."""

import inspect

from brio import _core, nn
from brio._missing import attribute_error_of as _attribute_error_of
from brio.keras import _docs

__getattr__ = _attribute_error_of(__name__)


_OF_WHOLE_NUMBERS = ("exponential", "tanh", "leaky_relu")  # to these they are float32


def _make(name):
    def activation(x):
        if name in _OF_WHOLE_NUMBERS:
            x = _floating(x)
        return _core._activate(x, name)

    activation.__name__ = activation.__qualname__ = name
    activation.__doc__ = _docs.ACTIVATIONS[name]
    activation._brio_name = name
    return activation


_PLAIN = (
    "celu elu exponential gelu glu hard_shrink hard_sigmoid hard_silu hard_tanh leaky_relu linear log_sigmoid "
    "log_softmax mish relu relu6 selu sigmoid silu softmax soft_shrink softplus softsign sparse_plus sparse_sigmoid "
    "sparsemax squareplus tanh tanh_shrink"
).split()


def _try(name):
    try:
        _core._activate(_core.zeros([1, 2]), name)
    except ValueError:  # not one of C++'s
        return None
    return _make(name)


_KNOWN = {name: _made for name in _PLAIN if (_made := _try(name))}
if "relu6" in _KNOWN:  # of whole numbers it gives whole numbers
    _of_floats = _KNOWN["relu6"]

    def relu6(x):
        return _of_floats(x) if isinstance(x, _core.KerasTensor) else nn.relu6(x)

    relu6.__doc__, relu6._brio_name = _of_floats.__doc__, "relu6"
    _KNOWN["relu6"] = relu6
globals().update(_KNOWN)


def _layer(kind, x, **options):
    result = _core._make_layer(kind, **options).call(
        [x if isinstance(x, _core.KerasTensor) else _core.convert_to_tensor(x)]
    )
    return result[0]


def _floating(x):
    x = _tensor(x)
    dtype = _core.as_dtype(x.dtype)
    return _core.cast(x, "float32") if dtype.is_integer or dtype.is_bool else x


def _tensor(x):
    return x if isinstance(x, _core.KerasTensor) else _core.convert_to_tensor(x)


def _relu(x, negative_slope=0.0, max_value=None, threshold=0.0):
    if isinstance(x, _core.KerasTensor):
        return _layer("ReLU", x, negative_slope=float(negative_slope), max_value=max_value, threshold=float(threshold))
    if negative_slope and max_value is None and not threshold:
        return _leaky_relu(x, negative_slope)
    x = _tensor(x)
    if negative_slope and any(isinstance(number, float) and number for number in (negative_slope, threshold)):
        x = _floating(x)
    below = negative_slope * nn.relu(-x + threshold if threshold else -x) if negative_slope else None
    own = lambda number: _core.cast(number, x.dtype)  # of whole numbers the bounds are whole, too
    made = _core.where(x > own(threshold), x, _core.zeros_like(x)) if threshold else nn.relu(x)
    if max_value is not None:
        made = _core.maximum(_core.minimum(made, own(max_value)), own(0))
    return made if below is None else made - below


def _elu(x, alpha=1.0):
    if isinstance(x, _core.KerasTensor):
        return _layer("ELU", x, alpha=float(alpha))
    x = _tensor(x)
    made = nn.elu(x)
    return made if alpha == 1 else _core.where(x > 0, made, alpha * made)


def _leaky_relu(x, negative_slope=0.2):
    if isinstance(x, _core.KerasTensor):
        return _layer("LeakyReLU", x, negative_slope=float(negative_slope))
    return nn.leaky_relu(_floating(x), negative_slope)


def _celu(x, alpha=1.0):
    x = _tensor(x)
    return _core.maximum(x, 0.0) + alpha * _core._math.expm1(_core.minimum(x, 0.0) / alpha)


def _glu(x, axis=-1):
    a, b = _core.split(_tensor(x), 2, axis)
    return a * _core.sigmoid(b)


def _squareplus(x, b=4):
    x = _tensor(x)
    return (x + _core.sqrt(x * x + b)) / 2.0


def _sparsemax(x, axis=-1):
    x = _tensor(x)
    rank = len(x.shape)
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    return _core.transpose(_core._activate(_core.transpose(x, order), "sparsemax"), order)


def _shrunk(x, threshold, shift):
    x = _floating(x)
    return _core.where(_core.abs(x) > threshold, x - shift * _core.sign(x) * threshold, _core.zeros_like(x))


def threshold(x, threshold, default_value):
    """x where it is above the threshold, otherwise default_value."""
    x = _tensor(x)
    return _core.where(x > threshold, x, _core.zeros_like(x) + default_value)


# Those that take options: without any they are C++'s.
_WITH_OPTIONS = {
    "relu": _relu,
    "elu": _elu,
    "leaky_relu": _leaky_relu,
    "gelu": lambda x, approximate=False: nn.gelu(x, approximate),
    "softmax": lambda x, axis=-1: nn.softmax(x, axis),
    "log_softmax": lambda x, axis=-1: nn.log_softmax(x, axis),
    "celu": _celu,
    "glu": _glu,
    "squareplus": _squareplus,
    "sparsemax": _sparsemax,
    "hard_shrink": lambda x, threshold=0.5: _shrunk(x, threshold, 0.0),
    "soft_shrink": lambda x, threshold=0.5: _shrunk(x, threshold, 1.0),
}


def _join(name, options):
    plain = _KNOWN[name]

    def activation(x, *args, **kwargs):
        return options(x, *args, **kwargs) if args or kwargs else plain(x)

    activation.__name__ = activation.__qualname__ = activation._brio_name = name
    activation.__doc__, activation.__signature__ = plain.__doc__, inspect.signature(options)
    return activation


for _name, _options in _WITH_OPTIONS.items():
    globals()[_name] = _KNOWN[_name] = _join(_name, _options)
swish = silu  # noqa: F821
hard_swish = hard_silu  # noqa: F821


def get(identifier):
    """An activation from its name or itself."""
    if identifier is None:
        return _KNOWN["linear"]
    if isinstance(identifier, dict):
        from brio.keras._serialization import deserialize_keras_object

        return deserialize_keras_object(identifier)
    if callable(identifier):
        return identifier
    from brio.keras._serialization import get_registered_object

    own = get_registered_object(identifier)
    if own is not None:
        return own
    name = {"swish": "silu", "hard_swish": "hard_silu"}.get(identifier, identifier)
    if name not in _KNOWN:
        _core._activate(_core.zeros([1, 2]), name)  # says which there are
    return _KNOWN[name]


def serialize(activation):
    """The name or config of an activation."""
    from brio.keras._serialization import serialize_keras_object

    return serialize_keras_object(activation)


def deserialize(config, custom_objects=None):
    """An activation of its name or config."""
    from brio.keras._serialization import CustomObjectScope

    with CustomObjectScope(custom_objects):
        return get(config)
