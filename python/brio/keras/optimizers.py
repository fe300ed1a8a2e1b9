"""keras.optimizers."""

import re
import sys
import types
import warnings

from brio import _core
from brio._missing import attribute_error_of as _attribute_error_of
from brio._missing import explain as _explain
from brio.keras import _classes, _serialization

_ELSEWHERE = ("MultiOptimizer", "OptimizerMap", "ScheduleFreeAdamW")  # which few programs use: they load when one does


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    if name in _ELSEWHERE:
        from brio.keras import _more_optimizers

        return getattr(_more_optimizers, name)
    raise AttributeError(_explain(__name__, name) if not name.startswith("__") else name)


def __dir__():
    return sorted({*globals(), *_ELSEWHERE})


class Optimizer:
    """Changes variables along their gradients. The classes of this module are C++.

    Derive from it and write update_step(gradient, variable, learning_rate), which assigns the variable; variables of
    its own are made in build(variables) by add_variable_from_reference(variable, name=...).
    """

    _owner = None  # the model that trains with it
    _also_taken = ("lr", "decay")  # by constructors, beside what their signatures name

    def __init__(self, learning_rate=0.01, weight_decay=None, clipnorm=None, clipvalue=None, global_clipnorm=None,
                 use_ema=False, ema_momentum=0.99, ema_overwrite_frequency=None, loss_scale_factor=None,
                 gradient_accumulation_steps=None, name=None, **kwargs):  # fmt: skip
        if kwargs:
            raise ValueError(f"{type(self).__name__} got arguments that no optimizer knows: {', '.join(kwargs)}")
        shared = {
            "weight_decay": weight_decay, "clipnorm": clipnorm, "clipvalue": clipvalue,
            "global_clipnorm": global_clipnorm, "use_ema": use_ema, "ema_momentum": ema_momentum,
            "ema_overwrite_frequency": ema_overwrite_frequency, "loss_scale_factor": loss_scale_factor,
            "gradient_accumulation_steps": gradient_accumulation_steps,
            "name": name or _classes.snake(type(self).__name__),
        }  # fmt: skip
        self._config = {"learning_rate": learning_rate, **shared}
        self._own, self._last = [], None
        self._take(_core._own_optimizer(self._update, learning_rate, **shared))

    def _update(self, gradient, variable, rate):
        if self._last is None:
            self.build(self._owner().trainable_variables if self._owner else [variable])
        decay = self._config["weight_decay"]
        if decay and not self._keeps_all(variable):
            variable.assign_sub(variable * _core.cast(rate * decay, variable.dtype))
        self.update_step(gradient, variable, rate)

    def _keeps_all(self, variable):
        """Does weight decay leave it alone?"""
        variables, names = self.__dict__.get("_not_decayed", ((), ()))
        return variable._key() in variables or any(re.search(name, variable.name) for name in names)

    def update_step(self, gradient, variable, learning_rate):
        """Changes one variable along its gradient: override it."""
        raise NotImplementedError(f"{type(self).__name__} needs update_step(gradient, variable, learning_rate)")

    def add_variable_from_reference(self, reference_variable, name=None, initializer="zeros"):
        """A variable of the shape of another."""
        return self.add_variable(reference_variable.shape, initializer, reference_variable.dtype, name=name)

    def add_variable(self, shape, initializer="zeros", dtype=None, aggregation=None, name=None):
        """A variable that belongs to the optimizer."""
        from brio.keras import initializers

        made = lambda: initializers.get(initializer)(shape, dtype or "float32")
        self._own.append(_core.Variable(made, trainable=False, name=f"{self.name}/{name or 'variable'}"))
        return self._own[-1]

    def _get_variable_index(self, variable):
        return [v._key() for v in self._last].index(variable._key())

    def assign(self, variable, value):
        """Sets a variable."""
        variable.assign(value)

    def assign_add(self, variable, value):
        """Adds to a variable."""
        variable.assign_add(value)

    def assign_sub(self, variable, value):
        """Takes away from a variable."""
        variable.assign_sub(value)

    def _take(self, brio):
        self._brio = brio
        self.name = brio.name
        if type(self).apply_gradients is Optimizer.apply_gradients and type(self).update_step is Optimizer.update_step:
            self.apply_gradients = brio.apply_gradients  # without a Python frame in between

    def apply_gradients(self, grads_and_vars, name=None):
        """One step: takes pairs of gradient and variable."""
        pairs = list(grads_and_vars)
        if self.__dict__.get("_last", self) is None:
            self.build([v for _, v in pairs])
        self._brio.apply_gradients(pairs)

    def apply(self, grads, trainable_variables=None):
        """One step: takes gradients and their variables apart."""
        variables = self._last if trainable_variables is None else trainable_variables
        self.apply_gradients(zip(grads, variables))

    def stateless_apply(self, optimizer_variables, grads, trainable_variables):
        """As in Keras on TensorFlow, an error: apply() changes the variables."""
        raise ValueError(
            "stateless_apply is not supported with the TensorFlow backend; call apply(grads, trainable_variables), "
            "which changes the variables"
        )

    def minimize(self, loss, var_list, tape=None):
        """One step down `loss`: a function of no arguments, or a tensor that `tape` followed.

        For a loss of placeholders (tf.compat.v1) it is an operation that Session.run() makes steps with.
        """
        if isinstance(loss, _core.KerasTensor):
            from brio.compat.v1 import TrainOp

            return TrainOp(self, loss, list(var_list))
        if callable(loss):
            with _core.GradientTape() as tape:
                loss = loss()
        elif tape is None:
            raise ValueError("minimize() needs a function of no arguments, or a tensor and the tape that followed it")
        variables = var_list() if callable(var_list) else var_list
        self.apply_gradients(zip(tape.gradient(loss, list(variables)), variables))

    @property
    def learning_rate(self):
        """The variable that holds it, or what the schedule gives at this step."""
        for variable in self._brio.variables():
            if variable.path.endswith("learning_rate"):
                return variable
        return self._brio.learning_rate()

    @learning_rate.setter
    def learning_rate(self, rate):
        if isinstance(self._config.get("learning_rate"), LearningRateSchedule) and not isinstance(
            rate, LearningRateSchedule
        ):
            raise TypeError(
                f"the learning rate of '{self.name}' comes from a schedule and cannot be set to {rate}; make the "
                "optimizer with a number"
            )
        self._brio.set_learning_rate(rate)

    lr = learning_rate

    @property
    def iterations(self):
        """How many steps were done."""
        return self._brio.iterations() if self._config.get("gradient_accumulation_steps") else self._brio.variables()[0]

    @property
    def variables(self):
        """The optimizer's variables: the count of steps, the rate, and what it keeps for each weight."""
        return self._brio.variables() + self.__dict__.get("_own", [])

    @property
    def built(self):
        """Does it know the variables that it changes?"""
        return self.__dict__.get("_last") is not None

    def build(self, variables):
        """Makes what it keeps for each variable."""
        self._last = list(variables)
        self._brio.build(self._last)
        self._run_when_built()

    def _when_built(self, run):
        """Calls run() when there is what it keeps for each variable: the values of a checkpoint go there."""
        self.__dict__["_waiting"] = run
        plain = self.apply_gradients

        def apply_gradients(grads_and_vars, name=None):
            pairs = list(grads_and_vars)
            if "_waiting" in self.__dict__:
                self.build([v for _, v in pairs])
            self.apply_gradients = plain
            return plain(pairs)

        self.apply_gradients = apply_gradients

    def _run_when_built(self):
        run = self.__dict__.pop("_waiting", None)
        if run is not None:
            run()

    def scale_loss(self, loss):
        """The loss times the scale of the gradients."""
        return self._brio.scale_loss(loss)

    def get_scaled_loss(self, loss):
        """The loss times the scale of the gradients."""
        return self._brio.scale_loss(loss)

    def get_unscaled_gradients(self, grads):
        """Gradients of a scaled loss, scaled back."""
        return list(grads)

    def exclude_from_weight_decay(self, var_list=None, var_names=None):
        """Weight decay leaves these variables alone."""
        self.__dict__["_not_decayed"] = {v._key() for v in var_list or ()}, list(var_names or ())
        self._brio.exclude_from_weight_decay(var_list or [], var_names or [])

    def finalize_variable_values(self, var_list):
        """Puts the moving means in the variables' place, where use_ema is on."""
        self._brio.finalize_variable_values(var_list)

    def get_config(self):
        """What the optimizer was made with."""
        rate = self._config["learning_rate"]
        rate = rate if isinstance(rate, LearningRateSchedule) else float(self.learning_rate)
        return {**self._config, "name": self.name, "learning_rate": _serialization.serialize_keras_object(rate)}

    @classmethod
    def from_config(cls, config):
        """An optimizer of a config."""
        if "learning_rate" in config:
            config = {**config, "learning_rate": _serialization._made(config["learning_rate"])}
        return cls(**config)

    def __repr__(self):
        return f"<{type(self).__name__} name={self.name}>"


def _make(name, text):
    class Made(Optimizer):
        def __init__(self, *args, **kwargs):
            given = _classes.bound(type(self), text, args, kwargs)
            if type(self).update_step is not Optimizer.update_step:
                raise TypeError(
                    f"{type(self).__name__} overrides update_step() of {name}, whose step is C++; derive it from "
                    "keras.optimizers.Optimizer"
                )
            if given.pop("decay", None) is not None:
                warnings.warn(
                    "decay= is no longer supported and is ignored, as in Keras 3; give learning_rate a schedule",
                    stacklevel=2,
                )
            if "lr" in given:  # its old name
                given["learning_rate"] = given.pop("lr")
            self._config = {n: given.get(n, p.default) for n, p in _classes.signature(text).parameters.items()}
            self._take(_core._optimizer(name, **{k: v for k, v in given.items() if k != "name" or v is not None}))
            if given.get("name") is None:
                self.name = _classes.snake(type(self).__name__)
            self._config["name"] = self.name
            self.__dict__.update({k: v for k, v in self._config.items() if k not in ("name", "learning_rate")})

    return Made


_classes.module_classes(globals(), "OPTIMIZERS", _make, but=("LossScaleOptimizer",))


class LossScaleOptimizer(Optimizer):
    """Keeps small gradients of a float16 computation from vanishing: scales the loss, and the gradients back."""

    def __init__(self, inner_optimizer, initial_scale=32768.0, dynamic_growth_steps=2000, name=None, **kwargs):
        self.inner_optimizer = get(inner_optimizer)
        self._take(
            _core._LossScaleOptimizer(
                self.inner_optimizer._brio, initial_scale, dynamic_growth_steps, name or "loss_scale_optimizer"
            )
        )
        self._config = {"initial_scale": initial_scale, "dynamic_growth_steps": dynamic_growth_steps, "name": self.name}
        self.initial_scale, self.dynamic_growth_steps = initial_scale, dynamic_growth_steps

    def get_config(self):
        return {**self._config, "inner_optimizer": _serialization.serialize_keras_object(self.inner_optimizer)}

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "inner_optimizer": _serialization._made(config["inner_optimizer"])})

    @property
    def built(self):
        return self.inner_optimizer.built

    def build(self, variables):
        self.inner_optimizer.build(list(variables))
        self._brio.build(self.inner_optimizer._last)
        self._run_when_built()

    @property
    def loss_scale(self):
        """The scale now."""
        return self._brio.loss_scale()

    dynamic_scale = loss_scale

    @property
    def learning_rate(self):
        return self.inner_optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, rate):
        self.inner_optimizer.learning_rate = rate

    @property
    def iterations(self):
        """How many steps were done: steps whose gradients were not finite do not count."""
        return self.inner_optimizer.iterations

    def get_unscaled_gradients(self, grads):
        return self._brio.get_unscaled_gradients(grads)


class LearningRateSchedule:
    """A rate that depends on the step. Derive from it and write __call__(step)."""

    def __init__(self):
        self._brio = _core._own_schedule(self)

    def __new__(cls, *args, **kwargs):
        self = super().__new__(cls)
        self._brio = _core._own_schedule(self)
        return self

    def __call__(self, step):
        raise NotImplementedError(f"{type(self).__name__} needs __call__(step)")

    def get_config(self):
        """What the schedule was made with."""
        return {}

    @classmethod
    def from_config(cls, config):
        """A schedule of a config."""
        return cls(**config)


def _make_schedule(name, text):
    class Made(LearningRateSchedule):
        def __new__(cls, *args, **kwargs):
            return object.__new__(cls)

        def __init__(self, *args, **kwargs):
            given = _classes.bound(type(self), text, args, kwargs)
            self._config = {n: given.get(n, p.default) for n, p in _classes.signature(text).parameters.items()}
            self._brio = _core._schedule(name, **{k: v for k, v in given.items() if k != "name"})

        def __call__(self, step):
            return self._brio(step)

        def get_config(self):
            return dict(self._config)

    return Made


schedules = types.ModuleType("brio.keras.optimizers.schedules", "keras.optimizers.schedules.")
schedules.LearningRateSchedule = LearningRateSchedule
_classes.module_classes(schedules.__dict__, "SCHEDULES", _make_schedule)


def _serialize_schedule(learning_rate_schedule):
    """The config of a schedule.

    >>> keras.optimizers.schedules.serialize(keras.optimizers.schedules.ExponentialDecay(0.1, 100, 0.9))["class_name"]
    'ExponentialDecay'
    """
    return _serialization.serialize_keras_object(learning_rate_schedule)


def _deserialize_schedule(config, custom_objects=None):
    """A schedule of a config."""
    return _serialization.deserialize_keras_object(config, custom_objects)


for _name, _function in (("serialize", _serialize_schedule), ("deserialize", _deserialize_schedule)):
    _function.__module__, _function.__name__, _function.__qualname__ = schedules.__name__, _name, _name
    setattr(schedules, _name, _function)
schedules.__getattr__ = _attribute_error_of(schedules.__name__)
sys.modules[schedules.__name__] = schedules
legacy = sys.modules[__name__]  # the classes are the same: Keras 2's names for them


def serialize(optimizer):
    """The config of an optimizer."""
    return _serialization.serialize_keras_object(optimizer)


def deserialize(config, custom_objects=None):
    """An optimizer of a config."""
    return _serialization.deserialize_keras_object(config, custom_objects)


def get(identifier):
    """An optimizer from its name, its config, or itself."""
    if isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, dict):
        return _serialization.deserialize_keras_object(identifier)
    if isinstance(identifier, str):
        own = _serialization.get_registered_object(identifier)
        if own is not None:
            return own() if isinstance(own, type) else own
        for name in _ELSEWHERE:
            if name.lower() == identifier.lower() and name == "ScheduleFreeAdamW":
                return __getattr__(name)()
        for name, cls in globals().items():
            if name.lower() == identifier.lower() and isinstance(cls, type) and issubclass(cls, Optimizer):
                return cls()
        _core._optimizer_named(identifier)  # says which there are
    raise TypeError(f"an optimizer is a name or an Optimizer, but got {identifier!r}")
