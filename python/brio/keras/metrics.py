"""keras.metrics."""

from brio import _core
from brio._missing import attribute_error_of as _attribute_error_of
from brio.keras import _classes, _serialization, _signatures

__getattr__ = _attribute_error_of(__name__)


class Metric:
    """A number that adds up over batches.

    Derive from it: make variables with add_variable(), and write update_state(y_true, y_pred, sample_weight=None) and
    result().
    """

    def __init__(self, dtype=None, name=None):
        self.name = name or _core._unique_name(_classes.snake(type(self).__name__))
        self.dtype = dtype or "float32"
        self._variables = []
        self._made = None

    @property
    def _brio(self):
        if self._made is None:
            self._made = _core._python_metric(self.name, self)
        return self._made

    def add_variable(self, shape=(), initializer="zeros", dtype=None, aggregation=None, name=None):
        """A variable that belongs to the metric."""
        from brio.keras import initializers

        made = initializers.get(initializer)(shape, dtype or self.dtype)
        self._variables.append(_core.Variable(made, trainable=False, name=f"{self.name}/{name or 'variable'}"))
        return self._variables[-1]

    def add_weight(self, shape=(), initializer="zeros", dtype=None, name=None):
        """A variable that belongs to the metric."""
        if isinstance(shape, str):  # Keras 2 had the name first
            shape, name = (), shape
        return self.add_variable(shape, initializer, dtype, name=name)

    @property
    def variables(self):
        """The metric's variables."""
        return list(self._variables)

    weights = trainable_variables = variables

    def update_state(self, *args, **kwargs):
        """Takes a batch into account: override it."""
        raise NotImplementedError(f"{type(self).__name__} needs update_state(y_true, y_pred, sample_weight=None)")

    def result(self):
        """The value so far: override it."""
        raise NotImplementedError(f"{type(self).__name__} needs result()")

    def reset_state(self):
        """Sets all variables to 0."""
        for variable in self._variables:
            variable.assign(_core.zeros(variable.shape, variable.dtype))

    def reset_states(self):
        """The old name of reset_state()."""
        self.reset_state()

    def stateless_update_state(self, metric_variables, *args, **kwargs):
        """The values of the variables after a batch, given those before it; the metric stays as it is."""
        return self._stateless(metric_variables, lambda: self.update_state(*args, **kwargs))[1]

    def stateless_result(self, metric_variables):
        """The value that these values of the variables stand for."""
        return self._stateless(metric_variables, self.result)[0]

    def stateless_reset_state(self):
        """The values of the variables at the beginning."""
        return self._stateless(self.variables, self.reset_state)[1]

    def _stateless(self, values, call):
        from brio.keras import _stateless

        if len(values) != len(self.variables):
            raise ValueError(
                f"[{self.name}] metric_variables has {len(values)} values, but the metric has {len(self.variables)} "
                "variables; give one for each"
            )
        return _stateless.run(self.variables, values, call)

    def __call__(self, *args, **kwargs):
        self.update_state(*args, **kwargs)
        return self.result()

    def get_config(self):
        """What the metric was made with."""
        return {"name": self.name, "dtype": self.dtype}

    @classmethod
    def from_config(cls, config):
        """A metric of a config."""
        return cls(**config)

    def __repr__(self):
        return f"<{type(self).__name__} name={self.name}>"


class _Core(Metric):
    """A metric of C++'s. A class that is derived from one may override its methods: then it is one of Python's."""

    def _take(self, brio):
        self._made = brio
        self.name, self.dtype = brio.name, "float32"
        if not _is_python(self):
            self.update_state, self.reset_state = (
                brio.update_state,
                brio.reset_state,
            )  # without a Python frame in between

    @property
    def _brio(self):
        return _core._python_metric(self.name, self) if _is_python(self) else self._made

    @property
    def variables(self):
        return self._made.variables() + self.__dict__.get("_variables", [])

    def add_variable(self, *args, **kwargs):
        """A variable that belongs to the metric."""
        self.__dict__.setdefault("_variables", [])
        return super().add_variable(*args, **kwargs)

    def update_state(self, *args, **kwargs):
        return self._made.update_state(*args, **kwargs)

    def reset_state(self):
        self._made.reset_state()

    def result(self):
        return self._made.result()

    def __getattr__(self, name):
        if name == "total_cm":  # MeanIoU's
            name = "total_confusion_matrix"
        for variable in self.__dict__["_made"].variables() if "_made" in self.__dict__ else ():
            if variable.path.rsplit("/", 1)[-1] == name:
                return variable
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def _is_python(metric):
    """Does Python do what the metric does?"""
    if not isinstance(metric, Metric):
        return False
    return not isinstance(metric, _Core) or any(
        getattr(type(metric), n) is not getattr(_Core, n) for n in ("update_state", "result", "reset_state")
    )


class Mean(_Core):
    """The mean of what it is given."""

    def __init__(self, name="mean", dtype=None):
        self._take(_core._mean(name))


class Sum(_Core):
    """The sum of what it is given."""

    def __init__(self, name="sum", dtype=None):
        self._take(_core._sum(name))


class MeanMetricWrapper(_Core):
    """The mean of fn(y_true, y_pred)."""

    def __init__(self, fn, name=None, dtype=None, **kwargs):
        call = (lambda t, p: fn(t, p, **kwargs)) if kwargs else fn
        self._take(_core._mean_of(name or getattr(fn, "__name__", "mean"), call))
        self._fn, self._fn_kwargs = fn, kwargs

    def get_config(self):
        return {**super().get_config(), "fn": _serialization.serialize_keras_object(self._fn), **self._fn_kwargs}

    @classmethod
    def from_config(cls, config):
        fn = config.get("fn")
        return cls(
            **{**config, "fn": _serialization.deserialize_keras_object(fn)} if isinstance(fn, (dict, str)) else config
        )


def _make(name, text):
    class Made(_Core):
        def __init__(self, *args, **kwargs):
            given = _classes.bound(type(self), text, args, kwargs)
            self._config = {n: given.get(n, p.default) for n, p in _classes.signature(text).parameters.items()}
            self._take(
                _core._metric(name, **{k: v for k, v in given.items() if k not in ("name", "dtype") or v is not None})
            )
            if self._config["dtype"] is None:
                self._config["dtype"] = "int64" if name.endswith("IoU") else "float32"
            self._config["name"], self.dtype = self.name, self._config["dtype"]
            self.__dict__.update({k: v for k, v in self._config.items() if k not in ("name", "dtype")})

        def get_config(self):
            if name == "AUC":
                return _of_thresholds(self._config)
            return dict(self._config)

    return Made


def _of_thresholds(config):
    """As Keras: thresholds only where they were given, and how many there are with 0 and 1."""
    given = config["thresholds"]
    if given is None:
        return {k: v for k, v in config.items() if k != "thresholds"}
    return {**config, "num_thresholds": len(given) + 2}


_classes.module_classes(globals(), "METRICS", _make, but=("Mean", "Sum"))

for _name in dir(_core._metrics):
    if not _name.startswith("_"):
        globals()[_name] = getattr(_core._metrics, _name)
for _name in ("mean_squared_error", "mean_absolute_error", "mean_absolute_percentage_error",
              "mean_squared_logarithmic_error", "binary_crossentropy", "categorical_crossentropy",
              "sparse_categorical_crossentropy", "binary_focal_crossentropy", "categorical_focal_crossentropy", "hinge",
              "squared_hinge", "categorical_hinge", "kl_divergence", "poisson", "log_cosh", "huber",
              "cosine_similarity"):  # fmt: skip
    globals()[_name] = getattr(_core._losses, _name)


def _apart(y_true, y_pred, axis):
    """Targets and predictions of one dtype and rank, and their means along an axis."""
    from brio.keras.losses import _of_one_rank

    y_pred = _core.convert_to_tensor(y_pred)
    y_true, y_pred = _of_one_rank(_core.cast(_core.convert_to_tensor(y_true), y_pred.dtype), y_pred)
    return y_true, y_pred, *(_core.reduce_mean(y, axis=axis, keepdims=True) for y in (y_true, y_pred))


def pearson_correlation(y_true, y_pred, axis=-1):
    """How far predictions go with targets along an axis, from -1 to 1.

    >>> keras.metrics.pearson_correlation([[0.0, 1.0, 2.0]], [[1.0, 3.0, 5.0]]).numpy().round(4).tolist()
    [1.0]
    """
    y_true, y_pred, true, predicted = _apart(y_true, y_pred, axis)
    y_true, y_pred = y_true - true, y_pred - predicted
    spread = lambda y: _core.sqrt(_core.reduce_mean(y * y, axis=axis, keepdims=True))
    return _core.reduce_mean(y_true / spread(y_true) * (y_pred / spread(y_pred)), axis=axis)


def concordance_correlation(y_true, y_pred, axis=-1):
    """How far predictions are targets along an axis:
    as pearson_correlation(), and less where their means or spreads differ.

    >>> keras.metrics.concordance_correlation([[0.0, 1.0, 0.5]], [[0.1, 0.9, 0.5]]).numpy().round(3)
    array([0.976], dtype=float32)
    """
    y_true, y_pred, true, predicted = _apart(y_true, y_pred, axis)
    spread = lambda y, mean: _core.reduce_mean((y - mean) * (y - mean), axis=axis, keepdims=True)
    norm = spread(y_true, true) + spread(y_pred, predicted) + (true - predicted) * (true - predicted)
    return _core.reduce_mean(2 * (y_true - predicted) * (y_pred - predicted) / (norm + 1e-7), axis=axis)


mse = MSE = mean_squared_error  # noqa: F821
mae = MAE = mean_absolute_error  # noqa: F821
mape = MAPE = mean_absolute_percentage_error  # noqa: F821
msle = MSLE = mean_squared_logarithmic_error  # noqa: F821
kld, KLD, logcosh = kl_divergence, kl_divergence, log_cosh  # noqa: F821


def get(identifier):
    """A metric from its name, its config, or itself."""
    if identifier is None or isinstance(identifier, Metric) or callable(identifier):
        return identifier
    if isinstance(identifier, dict):
        return _serialization.deserialize_keras_object(identifier)
    own = _serialization.get_registered_object(identifier)
    if own is not None:
        return own() if isinstance(own, type) else own
    if isinstance(globals().get(identifier), type) and issubclass(globals()[identifier], Metric):
        return globals()[identifier]()
    made = _core._metric_named(identifier)
    short = {"mse": "MeanSquaredError", "mae": "MeanAbsoluteError", "mape": "MeanAbsolutePercentageError",
             "msle": "MeanSquaredLogarithmicError", "bce": "BinaryCrossentropy", "kld": "KLDivergence"}  # fmt: skip
    for name in _signatures.METRICS:
        if name == short.get(identifier.lower()) or _classes.snake(name) == identifier:
            return globals()[name](name=identifier)
    found = _Core.__new__(_Core)
    found._take(made)
    return found


def serialize(metric):
    """The config of a metric."""
    return _serialization.serialize_keras_object(metric)


def deserialize(config, custom_objects=None):
    """A metric of a config."""
    return _serialization.deserialize_keras_object(config, custom_objects)


def _core_metric(metric):
    """The C++ object of whatever compile() takes as a metric."""
    if isinstance(metric, str) and _serialization.get_registered_object(metric) is None:
        return _core._metric_named(metric)
    if isinstance(metric, (str, dict)):
        metric = get(metric)
    if isinstance(metric, Metric):
        return metric._brio
    if callable(metric):
        return _core._mean_of(getattr(metric, "__name__", type(metric).__name__), metric)
    raise TypeError(f"a metric is a name, a Metric or a function of y_true and y_pred, but got {metric!r}")
