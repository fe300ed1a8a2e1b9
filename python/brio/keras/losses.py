"""keras.losses."""

from brio import _core
from brio._missing import attribute_error_of as _attribute_error_of
from brio.keras import _classes, _serialization

__getattr__ = _attribute_error_of(__name__)


class Loss:
    """A loss: values that compare y_true with y_pred, and how they become one number.

    Derive from it and write call(y_true, y_pred) → one value per sample.
    """

    def __init__(self, name=None, reduction="sum_over_batch_size", dtype=None):
        self.name = name or _classes.snake(type(self).__name__)
        self.reduction, self.dtype = reduction, dtype or "float32"
        self._brio = _core._own_loss(self.name, self.call, reduction or "none")

    def __call__(self, y_true, y_pred, sample_weight=None):
        return self._brio(_floating(y_true), _floating(y_pred, wanted=True), sample_weight)

    def call(self, y_true, y_pred):
        """One value for each sample: override it."""
        raise NotImplementedError(f"{type(self).__name__} needs call(y_true, y_pred)")

    def get_config(self):
        """What the loss was made with."""
        return {"name": self.name, "reduction": self.reduction}

    @classmethod
    def from_config(cls, config):
        """A loss of a config."""
        return cls(**config)

    def __repr__(self):
        return f"<{type(self).__name__}(name={self.name})>"


def _floating(x, wanted=False):
    """float32, as Keras computes losses in; whole numbers may be classes and stay,
    where they are not to be predictions."""
    if not isinstance(x, _core.Tensor):
        if isinstance(x, (_core.KerasTensor, _core.Variable)):
            return x
        x = _core.convert_to_tensor(x)
    if x.dtype == "float64" or (wanted and x.dtype.is_integer):
        return _core.cast(x, "float32")
    return x


def _make(name, text):
    class Made(Loss):
        def __init__(self, *args, **kwargs):
            given = _classes.bound(type(self), text, args, kwargs)
            self._config = {n: given.get(n, p.default) for n, p in _classes.signature(text).parameters.items()}
            if given.get("reduction", "") == "auto":
                given.pop("reduction")
            self._brio = _core._loss(name, **{k: v for k, v in given.items() if k != "name" or v is not None})
            self.name, self.reduction, self.dtype = (
                self._brio.name,
                self._config["reduction"],
                self._config["dtype"] or "float32",
            )
            self.__dict__.update({k: v for k, v in self._config.items() if k not in ("name", "reduction", "dtype")})
            if type(self).call is not Made.call:  # a class of the user's has its own
                self._brio = _core._own_loss(self.name, self.call, self.reduction or "none")

        def call(self, y_true, y_pred):
            options = {k: v for k, v in self._config.items() if k not in ("name", "reduction", "dtype")}
            return _core._loss(name, reduction="none", **options)(y_true, y_pred)

        def get_config(self):
            return {n: v for n, v in self._config.items() if n != "dtype" or v is not None}

    return Made


_classes.module_classes(globals(), "LOSSES", _make)

for _name in dir(_core._losses):
    if not _name.startswith("_"):
        globals()[_name] = getattr(_core._losses, _name)


class Reduction:
    """Names of reductions, as Keras 2 had them."""

    NONE, SUM, SUM_OVER_BATCH_SIZE, AUTO = "none", "sum", "sum_over_batch_size", "sum_over_batch_size"


def circle(y_true, y_pred, ref_labels=None, ref_embeddings=None, remove_diagonal=True, gamma=80, margin=0.4):
    """For embeddings of length 1 and their classes:
    how much nearer others of the class should be than those of other classes.

    >>> keras.losses.circle([0, 1, 0], np.eye(3, dtype="float32")).numpy().round().astype(int).tolist()
    [54, 0, 54]
    """
    y_pred, labels = _core.convert_to_tensor(y_pred), _core.cast(_core.convert_to_tensor(y_true), "int32")
    others = y_pred if ref_embeddings is None else _core.convert_to_tensor(ref_embeddings)
    other_labels = labels if ref_labels is None else _core.cast(_core.convert_to_tensor(ref_labels), "int32")
    apart = _core.maximum(1.0 - _core.matmul(y_pred, others, transpose_b=True), 0.0)
    same = _core.equal(_core.reshape(labels, [-1, 1]), _core.reshape(other_labels, [1, -1]))
    other = _core.logical_not(same)
    if remove_diagonal:
        itself = _core.equal(_core.range(_core.shape(same)[0])[:, None], _core.range(_core.shape(same)[1])[None])
        same = _core.logical_and(same, _core.logical_not(itself))
    near = _log_of_sums(-gamma * _core.maximum(margin + apart, 0.0) * (margin - apart), same)
    far = _log_of_sums(gamma * _core.maximum(1 + margin - apart, 0.0) * (1 - margin - apart), other)
    none = _core.logical_or(
        _core.logical_not(_core.reduce_any(same, axis=1)), _core.logical_not(_core.reduce_any(other, axis=1))
    )
    return _core.where(none, _core.zeros_like(near), _core._nn.softplus(near + far))


def _log_of_sums(x, where):
    """log(sum(exp(x))) of each row, of what counts; 0 where nothing does."""
    low = _core.cast(-1e30, x.dtype)
    found = _core.reduce_logsumexp(_core.where(where, x, _core.zeros_like(x) + low), axis=1)
    return _core.where(_core.reduce_any(where, axis=1), found, _core.zeros_like(found))


mse = MSE = mean_squared_error  # noqa: F821
mae = MAE = mean_absolute_error  # noqa: F821
mape = MAPE = mean_absolute_percentage_error  # noqa: F821
msle = MSLE = mean_squared_logarithmic_error  # noqa: F821
bce, kld, KLD, logcosh = binary_crossentropy, kl_divergence, kl_divergence, log_cosh  # noqa: F821


def get(identifier):
    """A loss from its name, its config, or itself."""
    if identifier is None or isinstance(identifier, Loss) or callable(identifier):
        return identifier
    if isinstance(identifier, dict):
        return _serialization.deserialize_keras_object(identifier)
    own = _serialization.get_registered_object(identifier)
    if own is not None:
        return own
    if isinstance(globals().get(identifier), type) and issubclass(globals()[identifier], Loss):
        return globals()[identifier]()
    _core._loss_named(identifier)  # says which there are
    return globals().get(identifier, identifier)


def serialize(loss):
    """The config of a loss."""
    return _serialization.serialize_keras_object(loss)


def deserialize(name, custom_objects=None):
    """A loss of a name or config."""
    with _serialization.CustomObjectScope(custom_objects):
        return get(name)


def _core_loss(loss):
    """The C++ object of whatever compile() takes as a loss."""
    if loss is None:
        return None
    if isinstance(loss, str) and _serialization.get_registered_object(loss) is None:
        return _core._loss_named(loss)
    if isinstance(loss, (str, dict)):
        loss = get(loss)
    if isinstance(loss, Loss) and type(loss).__call__ is Loss.__call__:
        return loss._brio
    if callable(loss):  # a class may override __call__() in place of call()
        name = getattr(loss, "__name__", type(loss).__name__)
        return _core._own_loss(name, lambda y_true, y_pred: loss(*_of_one_rank(y_true, y_pred)), "sum_over_batch_size")
    raise TypeError(f"a loss is a name, a Loss or a function of y_true and y_pred, but got {loss!r}")


def _of_one_rank(y_true, y_pred):
    """Labels (n,) of predictions (n, 1) become (n, 1), as for Keras' own losses:
    a function that subtracts them would make (n, n)."""
    ranks = len(y_true.shape), len(y_pred.shape)
    if ranks[1] == ranks[0] + 1 and y_pred.shape[-1] == 1:
        return (_core.expand_dims(y_true, -1), y_pred) if ranks[0] == 1 else (y_true, _core.squeeze(y_pred, -1))
    if ranks[0] == ranks[1] + 1 and y_true.shape[-1] == 1:
        return (y_true, _core.expand_dims(y_pred, -1)) if ranks[1] == 1 else (_core.squeeze(y_true, -1), y_pred)
    return y_true, y_pred
