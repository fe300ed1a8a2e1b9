"""keras.activations."""

from brio import _core


def _make(name):
    def activation(x):
        return _core._activate(x, name)

    activation.__name__ = activation.__qualname__ = name
    activation.__doc__ = f"The activation '{name}' of Keras."
    activation._brio_name = name
    return activation


_PLAIN = (
    "celu elu exponential gelu glu hard_shrink hard_sigmoid hard_silu hard_tanh leaky_relu linear log_sigmoid log_softmax "
    "mish relu relu6 selu sigmoid silu softmax soft_shrink softplus softsign sparse_plus sparsemax squareplus tanh "
    "tanh_shrink threshold"
).split()
_KNOWN = {}
for _name in _PLAIN:
    try:
        _core._activate(_core.zeros([1, 2]), _name)
    except ValueError:  # not one of C++'s
        continue
    _KNOWN[_name] = _make(_name)
globals().update(_KNOWN)
swish = silu  # noqa: F821
hard_swish = hard_silu  # noqa: F821


def get(identifier):
    """An activation from its name or itself."""
    if identifier is None:
        return _KNOWN["linear"]
    if callable(identifier):
        return identifier
    name = {"swish": "silu", "hard_swish": "hard_silu"}.get(identifier, identifier)
    if name not in _KNOWN:
        _core._activate(_core.zeros([1, 2]), name)  # says which there are
    return _KNOWN[name]


def serialize(activation):
    return getattr(activation, "_brio_name", getattr(activation, "__name__", None))
