"""keras.optimizers."""

import sys
import types

from brio import _core
from brio.keras import _classes, _signatures


class Optimizer:
    """Changes variables along their gradients. The classes of this module are C++."""

    def _take(self, brio):
        self._brio = brio
        self.name = brio.name
        if type(self).apply_gradients is Optimizer.apply_gradients:
            self.apply_gradients = brio.apply_gradients  # without a Python frame in between

    def apply_gradients(self, grads_and_vars, name=None):
        self._brio.apply_gradients(grads_and_vars)

    def apply(self, grads, trainable_variables=None):
        variables = self._last if trainable_variables is None else trainable_variables
        self.apply_gradients(zip(grads, variables))

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
        self._brio.set_learning_rate(rate)

    lr = learning_rate

    @property
    def iterations(self):
        return self._brio.variables()[0]

    @property
    def variables(self):
        return self._brio.variables()

    def build(self, variables):
        self._last = list(variables)
        self._brio.build(self._last)

    def scale_loss(self, loss):
        return self._brio.scale_loss(loss)

    def get_scaled_loss(self, loss):
        return self._brio.scale_loss(loss)

    def get_unscaled_gradients(self, grads):
        return list(grads)

    def exclude_from_weight_decay(self, var_list=None, var_names=None):
        self._brio.exclude_from_weight_decay(var_list or [], var_names or [])

    def finalize_variable_values(self, var_list):
        self._brio.finalize_variable_values(var_list)

    def get_config(self):
        return dict(self._config)

    @classmethod
    def from_config(cls, config):
        return cls(**config)

    def __repr__(self):
        return f"<{type(self).__name__} name={self.name}>"


def _make(name, text):
    class Made(Optimizer):
        def __init__(self, *args, **kwargs):
            given = _classes.bound(type(self), text, args, kwargs)
            if "lr" in given:  # its old name
                given["learning_rate"] = given.pop("lr")
            self._config = {n: given.get(n, p.default) for n, p in _classes.signature(text).parameters.items()}
            self._take(_core._optimizer(name, **{k: v for k, v in given.items() if k != "name" or v is not None}))
            self._config["name"] = self.name

    return Made


_classes.module_classes(globals(), {k: v for k, v in _signatures.OPTIMIZERS.items() if k != "LossScaleOptimizer"}, _make)


class LossScaleOptimizer(Optimizer):
    """Keeps small gradients of a float16 computation from vanishing: scales the loss, and the gradients back."""

    def __init__(self, inner_optimizer, initial_scale=32768.0, dynamic_growth_steps=2000, name=None, **kwargs):
        self.inner_optimizer = get(inner_optimizer)
        self._take(_core._LossScaleOptimizer(self.inner_optimizer._brio, initial_scale, dynamic_growth_steps, name or "loss_scale_optimizer"))
        self._config = {"initial_scale": initial_scale, "dynamic_growth_steps": dynamic_growth_steps, "name": self.name}

    @property
    def loss_scale(self):
        return self._brio.loss_scale()

    @property
    def learning_rate(self):
        return self.inner_optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, rate):
        self.inner_optimizer.learning_rate = rate

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
        return {}

    @classmethod
    def from_config(cls, config):
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
_classes.module_classes(schedules.__dict__, _signatures.SCHEDULES, _make_schedule)
sys.modules[schedules.__name__] = schedules
legacy = sys.modules[__name__]  # the classes are the same: Keras 2's names for them


def get(identifier):
    """An optimizer from its name, its config, or itself."""
    if isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, dict):
        return globals()[identifier["class_name"]](**identifier["config"])
    if isinstance(identifier, str):
        for name, cls in globals().items():
            if name.lower() == identifier.lower() and isinstance(cls, type) and issubclass(cls, Optimizer):
                return cls()
        _core._optimizer_named(identifier)  # says which there are
    raise TypeError(f"an optimizer is a name or an Optimizer, but got {identifier!r}")
