"""keras.optimizers that few programs use: ScheduleFreeAdamW, and MultiOptimizer,
which hands variables to several others."""

import re
from collections.abc import MutableMapping

from brio import _core
from brio.keras import _serialization
from brio.keras.optimizers import LossScaleOptimizer, Optimizer


class ScheduleFreeAdamW(Optimizer):
    """AdamW whose weights are a mean of where the steps lead, in place of a schedule of the learning rate.

    >>> keras.optimizers.ScheduleFreeAdamW(warmup_steps=10).get_config()["warmup_steps"]
    10
    """

    def __init__(self, learning_rate=0.0025, beta_1=0.9, beta_2=0.999, epsilon=1e-8, warmup_steps=0, weight_decay=None,
                 clipnorm=None, clipvalue=None, global_clipnorm=None, use_ema=False, ema_momentum=0.99,
                 ema_overwrite_frequency=None, loss_scale_factor=None, gradient_accumulation_steps=None, name=None,
                 **kwargs):  # fmt: skip
        super().__init__(learning_rate, weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum,
                         ema_overwrite_frequency, loss_scale_factor, gradient_accumulation_steps, name,
                         **kwargs)  # fmt: skip
        self.beta_1, self.beta_2, self.epsilon, self.warmup_steps = beta_1, beta_2, epsilon, warmup_steps
        self._config.update(beta_1=beta_1, beta_2=beta_2, epsilon=epsilon, warmup_steps=warmup_steps)

    def build(self, variables):
        """Makes what it keeps for each variable: where the steps lead, and the mean of the squared gradients."""
        if self.built:
            return
        super().build(variables)
        self._steps, self._squares = [], []
        for variable in self._last:
            begin = lambda *_, variable=variable, **__: _core.identity(_core.convert_to_tensor(variable))
            self._steps.append(
                self.add_variable(variable.shape, begin, variable.dtype, name=_slot(variable, "momentum"))
            )
            self._squares.append(
                self.add_variable(variable.shape, "zeros", variable.dtype, name=_slot(variable, "velocity"))
            )

    @property
    def variables(self):
        """The optimizer's variables: the count of steps, the rate, and what it keeps for each weight."""
        own = [v for pair in zip(self.__dict__.get("_steps", ()), self.__dict__.get("_squares", ())) for v in pair]
        return self._brio.variables() + own

    def update_step(self, gradient, variable, learning_rate):
        """Changes one variable along its gradient."""
        number = lambda x: _core.cast(x, variable.dtype)
        rate, gradient, step = number(learning_rate), number(gradient), number(self.iterations + 1)
        if self.warmup_steps > 0:
            rate = rate * _core.minimum(step / number(float(self.warmup_steps)), number(1.0))
        at = self._get_variable_index(variable)
        steps, squares = self._steps[at], self._squares[at]
        squares.assign_add((gradient * gradient - squares) * (1 - self.beta_2))
        steps.assign_sub(
            rate * gradient / (_core.sqrt(squares / (1 - _core.pow(number(self.beta_2), step))) + self.epsilon)
        )
        mean = (
            variable - (1 - self.beta_1) * steps
        ) / self.beta_1  # Keras on TensorFlow takes where the steps lead now, too
        mean = (1 - 1 / step) * mean + steps / step
        variable.assign((1 - self.beta_1) * steps + self.beta_1 * mean)


def _slot(variable, what):
    """ "dense/kernel" → "dense_kernel_momentum", as Keras names it."""
    return f"{variable.path.replace('/', '_')}_{what}"


class OptimizerMap(MutableMapping):
    """Which optimizer a variable has, by its path or a regular expression for the whole of it.

    >>> optimizers = keras.optimizers.OptimizerMap(keras.optimizers.SGD(), {"encoder/.*": keras.optimizers.Adam()})
    >>> optimizers["encoder/dense/kernel"].name, optimizers["decoder/kernel"].name
    ('adam', 'sgd')
    """

    def __init__(self, default_optimizer, optimizer_map=None):
        if not isinstance(default_optimizer, Optimizer):
            raise TypeError(f"[OptimizerMap] default_optimizer is {default_optimizer!r}; it must be an Optimizer")
        if optimizer_map is not None and not isinstance(optimizer_map, dict):
            raise TypeError(f"[OptimizerMap] optimizer_map is {optimizer_map!r}; it must be a dictionary")
        self._default_optimizer, self._optimizer_map = default_optimizer, optimizer_map or {}

    @property
    def default_optimizer(self):
        """That of variables that no key names."""
        return self._default_optimizer

    def __getitem__(self, key):
        if key in self._optimizer_map:
            return self._optimizer_map[key]
        matching = [pattern for pattern in self._optimizer_map if re.fullmatch(pattern, key)]
        if len(matching) > 1:
            raise ValueError(f"[OptimizerMap] {matching} all name '{key}'; one of them must")
        return self._optimizer_map[matching[0]] if matching else self._default_optimizer

    def __setitem__(self, key, optimizer):
        if key in self._optimizer_map:
            raise ValueError(f"[OptimizerMap] '{key}' is there already; delete it first")
        if not isinstance(key, str):
            raise ValueError(f"[OptimizerMap] the key is {key!r}; it must be a string")
        if not isinstance(optimizer, Optimizer) or isinstance(optimizer, (LossScaleOptimizer, MultiOptimizer)):
            raise ValueError(
                f"[OptimizerMap] '{key}' is given {optimizer!r}; it must be an Optimizer, and none that has others "
                "inside"
            )
        self._optimizer_map[key] = optimizer

    def __delitem__(self, key):
        del self._optimizer_map[key]

    def __len__(self):
        return len(self._optimizer_map)

    def __iter__(self):
        return iter(self._optimizer_map)

    def __call__(self, variable):
        return self[variable.path]

    def get_config(self):
        """What the map was made with."""
        made = _serialization.serialize_keras_object
        return {"default_optimizer": made(self._default_optimizer), "optimizer_map": made(self._optimizer_map)}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """A map of a config."""
        with _serialization.CustomObjectScope(custom_objects):
            return cls(_serialization._made(config["default_optimizer"]), _serialization._made(config["optimizer_map"]))


class MultiOptimizer(Optimizer):
    """Several optimizers, each for some of the variables: an OptimizerMap says which, or a function of a variable.

    >>> adam = keras.optimizers.Adam()
    >>> optimizer = keras.optimizers.MultiOptimizer(
    ...     keras.optimizers.OptimizerMap(keras.optimizers.SGD(), {".*embedding.*": adam})
    ... )
    >>> [inner.name for inner in optimizer.optimizers]
    ['adam', 'sgd']
    """

    def __init__(self, optimizer_map, loss_scale_factor=None, name=None):
        super().__init__(0.0, loss_scale_factor=loss_scale_factor, name=name)
        self.loss_scale_factor = loss_scale_factor
        self._optimizer_map, self._inner_optimizers = optimizer_map, []
        known = list(optimizer_map.values()) if hasattr(optimizer_map, "values") else []
        for optimizer in (*known, getattr(optimizer_map, "default_optimizer", None)):
            if optimizer is not None:
                self._place_of(optimizer)

    def _place_of(self, optimizer):
        if not isinstance(optimizer, Optimizer) or isinstance(optimizer, (LossScaleOptimizer, MultiOptimizer)):
            raise ValueError(
                f"[MultiOptimizer] a variable is given {optimizer!r}; it must be an Optimizer, and none that has "
                "others inside"
            )
        for place, known in enumerate(self._inner_optimizers):
            if known is optimizer:
                return place
        self._inner_optimizers.append(optimizer)
        return len(self._inner_optimizers) - 1

    @property
    def optimizers(self):
        """The optimizers inside."""
        return self._inner_optimizers

    def build(self, variables):
        """Hands each variable to its optimizer."""
        if self.built:
            return
        self._last = list(variables)
        self._places = {v._key(): self._place_of(self._optimizer_map(v)) for v in self._last}
        for place, optimizer in enumerate(self._inner_optimizers):
            mine = [v for v in self._last if self._places[v._key()] == place]
            if mine:
                optimizer.build(mine)
        self._run_when_built()

    def apply_gradients(self, grads_and_vars, name=None):
        """One step of each optimizer: takes pairs of gradient and variable."""
        pairs = list(grads_and_vars)
        if not self.built:
            self.build([v for _, v in pairs])
        if self.loss_scale_factor:
            pairs = [(g if g is None else g / self.loss_scale_factor, v) for g, v in pairs]
        for place, optimizer in enumerate(self._inner_optimizers):
            mine = [(g, v) for g, v in pairs if self._places[v._key()] == place]
            if mine:
                optimizer.apply_gradients(mine)
        self.iterations.assign_add(1)

    def apply(self, grads, trainable_variables=None):
        """One step: takes gradients and their variables apart."""
        if trainable_variables is None and not self.built:
            raise ValueError(
                "[MultiOptimizer] gradients without variables need an optimizer that knows them; call build(variables) "
                "first"
            )
        variables = self._last if trainable_variables is None else list(trainable_variables)
        if len(grads) != len(variables):
            raise ValueError(
                f"[MultiOptimizer] {len(grads)} gradients for {len(variables)} variables; give one for each"
            )
        self.apply_gradients(zip(grads, variables))

    def scale_loss(self, loss):
        return loss if not self.loss_scale_factor else loss * self.loss_scale_factor

    @property
    def learning_rate(self):
        """An error: each of the optimizers inside has its own."""
        raise AttributeError("[MultiOptimizer] has no learning rate; each of its `optimizers` has one")

    @learning_rate.setter
    def learning_rate(self, rate):
        raise AttributeError("[MultiOptimizer] has no learning rate; set that of its `optimizers`")

    @property
    def iterations(self):
        """How many steps were done."""
        return self._brio.variables()[0]

    @property
    def variables(self):
        """Its count of steps and rate, and the variables of the optimizers inside."""
        return self._brio.variables()[:2] + [
            v for optimizer in self.__dict__.get("_inner_optimizers", ()) for v in optimizer.variables
        ]

    def finalize_variable_values(self, var_list):
        """Puts the moving means in the variables' place, where an optimizer inside has use_ema."""
        for place, optimizer in enumerate(self._inner_optimizers):
            mine = [v for v in var_list if self._places.get(v._key()) == place]
            if mine:
                optimizer.finalize_variable_values(mine)

    def get_config(self):
        """What the optimizer was made with."""
        optimizers = _serialization.serialize_keras_object(self._optimizer_map)
        return {"optimizer_map": optimizers, "loss_scale_factor": self.loss_scale_factor, "name": self.name}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """An optimizer of a config."""
        with _serialization.CustomObjectScope(custom_objects):
            return cls(**{**config, "optimizer_map": _serialization._made(config["optimizer_map"])})


for _cls in (ScheduleFreeAdamW, OptimizerMap, MultiOptimizer):
    _cls.__module__ = "brio.keras.optimizers"  # where programs and files have them
