"""tf.compat.v1.train's optimizers: operations that change variables, with TensorFlow 1's formulas and slots."""

import math

from brio import _core
from brio._graph import control, core, wrap
from brio._graph.gradients import gradients
from brio._graph.variables import GraphKeys, Variable, as_variable


class Optimizer:
    """minimize() is compute_gradients() and apply_gradients(): an operation that makes one step."""

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(self, use_locking=False, name=None):
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._name, self._slots, self._others = name, {}, {}

    def get_name(self):
        """Its name."""
        return self._name

    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=1, aggregation_method=None,
                 colocate_gradients_with_ops=False, name=None, grad_loss=None):  # fmt: skip
        """An operation that makes one step down the loss, and adds 1 to global_step."""
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        if not any(g is not None for g, _ in pairs):
            names = [v.name for _, v in pairs]
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support gradients, "
                f"between variables {names} and loss {loss}."
            )
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(
        self,
        loss,
        var_list=None,
        gate_gradients=1,
        aggregation_method=None,
        colocate_gradients_with_ops=False,
        grad_loss=None,
    ):
        """Pairs of gradient and variable."""
        if core.building() is None:
            return self._eager_gradients(loss, var_list)
        if callable(loss) and not isinstance(loss, core.Tensor):
            loss = loss()
        graph = core.building()
        if var_list is None:
            held = [*graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)]
        else:
            held = list(var_list) if isinstance(var_list, (list, tuple)) else [var_list]
        if not held:
            raise ValueError("No variables to optimize.")
        held = [as_variable(v) if not isinstance(v, core.Tensor) else v for v in held]
        found = gradients(loss, held, None if grad_loss is None else [grad_loss])
        return list(zip(found, held))

    def _eager_gradients(self, loss, var_list):
        if not callable(loss):
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled."
            )
        with _core.GradientTape() as tape:
            value = loss()
        held = list(var_list) if var_list is not None else list(tape.watched_variables())
        return list(zip(tape.gradient(value, held), held))

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """An operation that changes variables by their gradients, and adds 1 to global_step."""
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        if not pairs:
            raise ValueError("No gradients provided for any variable.")
        graph = core.building()
        if graph is None:
            return self._apply_eagerly(pairs, global_step)
        pairs = [(wrap.convert(g), as_variable(v)) for g, v in pairs]
        held = [v for _, v in pairs]
        with graph.control_dependencies(None):
            self._create(held)
        with graph.name_scope(name or self._name):
            inputs = {k: wrap.convert(self._number(x)) for k, x in self._numbers().items()}
            updates = [self._update(graph, g, v, inputs) for g, v in pairs]
            done = [*updates, *self._finish(graph, updates, inputs)]
        if global_step is None:
            made = control.group(*done, name=name or self._name)
        else:
            with graph.control_dependencies(done):
                made = as_variable(global_step).assign_add(1, name=name or self._name).op
        graph.add_to_collection(GraphKeys.TRAIN_OP, made)
        return made

    def _update(self, graph, gradient, variable, inputs):
        """The operation that changes one variable and its slots."""
        slots = [self._slots[variable][k] for k in self._slot_names]
        shared = list(self._others.values())
        names = list(inputs)
        rows = getattr(gradient, "rows", None) if self._only_rows else None  # of a table that is looked up in

        def run_in(state, op, values):
            numbers = {k: _core.cast(x, variable.dtype) for k, x in zip(names, values[1:])}
            old, held = state.read(variable), [state.read(s) for s in slots]
            new, kept = self._step(
                old,
                values[0],
                held,
                {k: _core.cast(state.read(s), variable.dtype) for k, s in zip(self._others, shared)},
                numbers,
            )
            if rows:
                taken = _taken(old, values[1 + len(names) :])
                new, kept = _core.where(taken, new, old), [_core.where(taken, a, b) for a, b in zip(kept, held)]
            for slot, value in zip(slots, kept):
                state.assign(slot, value)
            if variable.constraint is not None:
                new = variable.constraint(new)
            state.assign(variable, new)
            return []

        op = graph.add(
            f"Apply{self._name}",
            f"update_{variable._name}/Apply{self._name}",
            run=run_in,
            inputs=[gradient, *inputs.values(), *(rows or ())],
        )
        op.writes = (variable, *slots)
        op.needs = (variable, *slots, *shared)
        return op

    _slot_names = ()
    _only_rows = False  # does a step leave rows alone that have no gradient, where a gradient of 0 would change them?

    def _numbers(self):
        """Numbers of a step, by name: they may be tensors."""
        return {"lr": self._lr}

    @staticmethod
    def _number(x):
        x = x() if callable(x) and not hasattr(x, "_as_graph_element") and not isinstance(x, core.Tensor) else x
        return float(x) if isinstance(x, int) else x

    def _create(self, held):
        """Makes slots for variables that have none."""
        for variable in held:
            if variable not in self._slots:
                self._slots[variable] = {k: self._slot(variable, k) for k in self._slot_names}

    def _slot(self, variable, key):
        graph = variable.graph
        before, graph._scope = graph._scope, ""
        try:
            dtype = variable.dtype
            initial = (
                wrap.call(graph, lambda v: self._slot_value(key, v), "zeros", (variable,), {})
                if _unknown(variable)
                else None
            )
            if initial is None:
                sizes = [int(d) for d in variable.shape.as_list()]
                initial = wrap.call(graph, lambda: self._slot_value(key, _core.zeros(sizes, dtype)), "zeros", (), {})
            return Variable(initial, trainable=False, name=f"{variable._name}/{self._slot_scope(key)}")
        finally:
            graph._scope = before

    def _slot_scope(self, key):
        """What stands behind the variable's name in the slot's."""
        return self._name

    def _slot_value(self, key, like):
        return _core.zeros_like(like)

    def _finish(self, graph, updates, inputs):
        return []

    def get_slot(self, var, name):
        """What is kept for a variable under this name."""
        return self._slots.get(var, {}).get(name)

    def get_slot_names(self):
        """The names of what is kept for each variable."""
        return sorted(self._slot_names)

    def variables(self):
        """All that is kept."""
        return [*self._others.values(), *(s for slots in self._slots.values() for s in slots.values())]

    def _apply_eagerly(self, pairs, global_step):
        state = self.__dict__.setdefault("_eager", {"step": 0, "slots": {}})
        shared = self._eager_shared(state["step"])
        numbers = {k: float(self._number(x)) for k, x in self._numbers().items()}
        for g, v in pairs:
            slots = state["slots"].setdefault(v._key(), [self._slot_value(k, v.value()) for k in self._slot_names])
            new, kept = self._step(v.value(), _core.convert_to_tensor(g), slots, shared, numbers)
            constraint = getattr(v, "constraint", None)
            v.assign(new if constraint is None else constraint(new))
            state["slots"][v._key()] = kept
        state["step"] += 1
        if global_step is not None:
            global_step.assign_add(1)

    def _eager_shared(self, step):
        return {}


def _taken(table, rows):
    """Which rows of a table these are, beside its other axes."""
    n = table.shape[0]
    flat = _core.concat([_core.reshape(_core.cast(r, "int64"), [-1]) for r in rows], 0)
    mask = _core.tensor_scatter_nd_update(
        _core.zeros([n], "int32"), _core.expand_dims(flat, 1), _core.ones_like(flat, dtype="int32")
    )
    return _core.reshape(mask > 0, [n] + [1] * (table.shape.rank - 1))


def _unknown(variable):
    shape = variable.shape
    return shape.rank is None or None in shape.as_list()


class GradientDescentOptimizer(Optimizer):
    """variable -= learning_rate * gradient."""

    def __init__(self, learning_rate, use_locking=False, name="GradientDescent"):
        super().__init__(use_locking, name)
        self._lr = learning_rate

    def _step(self, v, g, slots, shared, n):
        return v - n["lr"] * g, []


class MomentumOptimizer(Optimizer):
    """accumulation = momentum * accumulation + gradient; variable -= learning_rate * accumulation."""

    _only_rows = True
    _slot_names = ("momentum",)

    def __init__(self, learning_rate, momentum, use_locking=False, name="Momentum", use_nesterov=False):
        super().__init__(use_locking, name)
        self._lr, self._momentum, self._nesterov = learning_rate, momentum, use_nesterov

    def _numbers(self):
        return {"lr": self._lr, "momentum": self._momentum}

    def _step(self, v, g, slots, shared, n):
        moving = slots[0] * n["momentum"] + g
        change = g * n["lr"] + moving * n["momentum"] * n["lr"] if self._nesterov else moving * n["lr"]
        return v - change, [moving]


class AdamOptimizer(Optimizer):
    """Adam: epsilon is added to the root before it is corrected."""

    _slot_names = ("m", "v")

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-08, use_locking=False, name="Adam"):
        super().__init__(use_locking, name)
        self._lr, self._beta1, self._beta2, self._epsilon = learning_rate, beta1, beta2, epsilon

    def _numbers(self):
        return {"lr": self._lr, "beta1": self._beta1, "beta2": self._beta2, "epsilon": self._epsilon}

    def _create(self, held):
        if not self._others:
            for key, value in (("beta1_power", self._beta1), ("beta2_power", self._beta2)):
                self._others[key] = Variable(wrap.convert(self._number(value), "float32"), trainable=False, name=key)
        super()._create(held)

    def _step(self, v, g, slots, shared, n):
        rate = n["lr"] * _core.sqrt(1 - shared["beta2_power"]) / (1 - shared["beta1_power"])
        m = slots[0] + (g - slots[0]) * (1 - n["beta1"])
        s = slots[1] + (_core.square(g) - slots[1]) * (1 - n["beta2"])
        return v - rate * m / (_core.sqrt(s) + n["epsilon"]), [m, s]

    def _finish(self, graph, updates, inputs):
        with graph.control_dependencies(updates):
            return [
                self._others[f"{b}_power"].assign(self._others[f"{b}_power"]._as_tensor() * inputs[b], read_value=False)
                for b in ("beta1", "beta2")
            ]

    def _eager_shared(self, step):
        return {
            "beta1_power": _core.constant(float(self._beta1) ** (step + 1)),
            "beta2_power": _core.constant(float(self._beta2) ** (step + 1)),
        }


class AdagradOptimizer(Optimizer):
    """accumulation += gradient²; variable -= learning_rate * gradient / sqrt(accumulation)."""

    _slot_names = ("accumulator",)

    def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False, name="Adagrad"):
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(use_locking, name)
        self._lr, self._initial = learning_rate, initial_accumulator_value

    def _slot_value(self, key, like):
        return _core.zeros_like(like) + self._initial

    def _step(self, v, g, slots, shared, n):
        total = slots[0] + _core.square(g)
        return v - n["lr"] * g * _core._math.rsqrt(total), [total]


class AdadeltaOptimizer(Optimizer):
    """Adadelta."""

    _only_rows = True
    _slot_names = ("accum", "accum_update")

    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-08, use_locking=False, name="Adadelta"):
        super().__init__(use_locking, name)
        self._lr, self._rho, self._epsilon = learning_rate, rho, epsilon

    def _numbers(self):
        return {"lr": self._lr, "rho": self._rho, "epsilon": self._epsilon}

    def _step(self, v, g, slots, shared, n):
        total = slots[0] * n["rho"] + _core.square(g) * (1 - n["rho"])
        change = _core.sqrt(slots[1] + n["epsilon"]) * _core._math.rsqrt(total + n["epsilon"]) * g
        changes = slots[1] * n["rho"] + _core.square(change) * (1 - n["rho"])
        return v - n["lr"] * change, [total, changes]


class RMSPropOptimizer(Optimizer):
    """RMSProp: epsilon is under the root, and the mean square begins with 1."""

    _only_rows = True

    def __init__(
        self, learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False, centered=False, name="RMSProp"
    ):
        super().__init__(use_locking, name)
        self._lr, self._decay, self._momentum, self._epsilon, self._centered = (
            learning_rate,
            decay,
            momentum,
            epsilon,
            centered,
        )
        self._slot_names = ("rms", "mg", "momentum") if centered else ("rms", "momentum")

    def _numbers(self):
        return {"lr": self._lr, "decay": self._decay, "momentum": self._momentum, "epsilon": self._epsilon}

    def _slot_value(self, key, like):
        return _core.ones_like(like) if key == "rms" else _core.zeros_like(like)

    def _step(self, v, g, slots, shared, n):
        square = slots[0] + (_core.square(g) - slots[0]) * (1 - n["decay"])
        if self._centered:
            mean = slots[1] + (g - slots[1]) * (1 - n["decay"])
            spread = square - _core.square(mean) + n["epsilon"]
            moving = slots[2] * n["momentum"] + n["lr"] * g * _core._math.rsqrt(spread)
            return v - moving, [square, mean, moving]
        moving = slots[1] * n["momentum"] + n["lr"] * g * _core._math.rsqrt(square + n["epsilon"])
        return v - moving, [square, moving]


class FtrlOptimizer(Optimizer):
    """FTRL-proximal."""

    _only_rows = True
    _slot_names = ("accum", "linear")

    def __init__(self, learning_rate, learning_rate_power=-0.5, initial_accumulator_value=0.1,
                 l1_regularization_strength=0.0, l2_regularization_strength=0.0, use_locking=False, name="Ftrl",
                 accum_name=None, linear_name=None, l2_shrinkage_regularization_strength=0.0, beta=None):  # fmt: skip
        super().__init__(use_locking, name)
        self._lr, self._power, self._initial = learning_rate, learning_rate_power, initial_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength
        self._shrinkage, self._beta = l2_shrinkage_regularization_strength, beta or 0.0
        self._scopes = {"accum": accum_name or name, "linear": linear_name or name}

    def _slot_scope(self, key):
        return self._scopes[key]

    def _slot_value(self, key, like):
        return _core.zeros_like(like) + (self._initial if key == "accum" else 0.0)

    def _step(self, v, g, slots, shared, n):
        accum, linear = slots
        lr, power = n["lr"], self._power
        shrunk = g + 2 * self._shrinkage * v if self._shrinkage else g
        l2 = self._l2 + self._beta / (2.0 * lr)
        new = accum + _core.square(g)
        powered, before = _core.pow(new, -power), _core.pow(accum, -power)
        linear = linear + shrunk - (powered - before) / lr * v
        quadratic = powered / lr + 2 * l2
        return _core.where(
            _core.abs(linear) > self._l1, (_core.sign(linear) * self._l1 - linear) / quadratic, _core.zeros_like(v)
        ), [new, linear]


class ProximalGradientDescentOptimizer(Optimizer):
    """A step, then l1 and l2 as a shrinking."""

    _only_rows = True

    def __init__(
        self,
        learning_rate,
        l1_regularization_strength=0.0,
        l2_regularization_strength=0.0,
        use_locking=False,
        name="ProximalGradientDescent",
    ):
        super().__init__(use_locking, name)
        self._lr, self._l1, self._l2 = learning_rate, l1_regularization_strength, l2_regularization_strength

    def _step(self, v, g, slots, shared, n):
        moved = v - n["lr"] * g
        return _core.sign(moved) * _core.maximum(_core.abs(moved) - n["lr"] * self._l1, 0.0) / (
            1.0 + self._l2 * n["lr"]
        ), []


class ProximalAdagradOptimizer(AdagradOptimizer):
    """AdagradOptimizer, then l1 and l2 as a shrinking."""

    _only_rows = True

    def __init__(
        self,
        learning_rate,
        initial_accumulator_value=0.1,
        l1_regularization_strength=0.0,
        l2_regularization_strength=0.0,
        use_locking=False,
        name="ProximalAdagrad",
    ):
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _step(self, v, g, slots, shared, n):
        total = slots[0] + _core.square(g)
        rate = n["lr"] * _core._math.rsqrt(total)
        moved = v - rate * g
        return _core.sign(moved) * _core.maximum(_core.abs(moved) - rate * self._l1, 0.0) / (1.0 + self._l2 * rate), [
            total
        ]


class ExponentialMovingAverage:
    """Averages of variables and tensors that forget slowly: apply() is the operation that updates them."""

    def __init__(self, decay, num_updates=None, zero_debias=False, name="ExponentialMovingAverage"):
        self._decay, self._updates, self._debias, self._name, self._averages = decay, num_updates, zero_debias, name, {}
        self._biased = {}  # of tensors, where their averages do not lean to the 0 that they begin with: sums and counts

    @property
    def name(self):
        """Its name."""
        return self._name

    def apply(self, var_list=None):
        """The operation that updates the averages of these."""
        graph = core.building()
        held = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES) if var_list is None else list(var_list)
        with graph.control_dependencies(None):
            self._create(graph, held)
        decay = wrap.convert(self._decay, dtype_hint="float32")
        if self._updates is not None:
            updates = wrap.call(graph, lambda n: _core.cast(n, "float32"), "Cast", (wrap.as_tensor(self._updates),), {})
            decay = wrap.call(
                graph, lambda d, n: _core.minimum(d, (1.0 + n) / (10.0 + n)), "Minimum", (decay, updates), {}
            )
        done = []
        for x in held:
            average = self._averages[id(x)][1]
            if id(x) in self._biased:
                done.append(self._unbiased(graph, x, average, decay))
                continue
            change = wrap.call(
                graph, lambda a, v, d: (a - v) * _core.cast(1.0 - d, a.dtype), "mul", (average, x, decay), {}
            )
            done.append(average.assign_sub(change, read_value=False))
        return control.group(*done, name=self._name)

    def _unbiased(self, graph, x, average, decay):
        """The operation that updates a sum and a count, and sets the average to what they say."""
        total, count = self._biased[id(x)]
        change = wrap.call(graph, lambda a, v, d: (a - v) * _core.cast(1.0 - d, a.dtype), "mul", (total, x, decay), {})
        moved, steps = total.assign_sub(change), count.assign_add(1.0)
        value = wrap.call(
            graph,
            lambda a, n, d: a / (1.0 - _core.pow(_core.cast(d, a.dtype), n)),
            "truediv",
            (moved, steps, decay),
            {},
        )
        return average.assign(value, read_value=False)

    def _create(self, graph, held):
        for x in held:
            if id(x) in self._averages:
                continue
            own = isinstance(x, Variable)
            if own:
                initial = x.initialized_value()
            else:
                sizes = x.shape.as_list()
                initial = wrap.call(graph, lambda s=sizes, d=x.dtype: _core.zeros(s, d), "zeros", (), {})
            before, graph._scope = graph._scope, ""
            try:
                self._averages[id(x)] = (x, Variable(initial, trainable=False, name=self.average_name(x)))
                if self._debias and not own:
                    zero = wrap.call(graph, lambda d=x.dtype: _core.zeros([], d), "zeros", (), {})
                    self._biased[id(x)] = tuple(
                        Variable(first, trainable=False, name=f"{self.average_name(x)}/{n}")
                        for n, first in (("biased", initial), ("local_step", zero))
                    )
            finally:
                graph._scope = before
            if own:
                graph.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, x)

    def average(self, var):
        """The variable that holds the average, or None."""
        return self._averages.get(id(var), (None, None))[1]

    def average_name(self, var):
        """The name of the variable that holds the average."""
        return f"{var.name.split(':')[0]}/{self._name}"

    def variables_to_restore(self, moving_avg_variables=None):
        """Variables by the names under which their averages are saved."""
        from brio.compat._variables import global_variables

        averaged = [x for x, _ in self._averages.values() if isinstance(x, Variable)] or moving_avg_variables or []
        taken = {id(a) for _, a in self._averages.values()}
        rest = [v for v in global_variables() if id(v) not in taken and not any(v is a for a in averaged)]
        return {**{self.average_name(v): v for v in averaged}, **{v._name: v for v in rest}}


# ---- rates that change


def _rate(function, *args):
    """A tensor of the graph, or in eager code a function that gives the rate at the step now."""
    graph = core.building()
    if graph is None:
        return lambda: function(
            *[_core.cast(_core.convert_to_tensor(a.value() if hasattr(a, "value") else a), "float32") for a in args]
        )
    return wrap.call(graph, lambda *a: function(*[_core.cast(x, "float32") for x in a]), "Decay", args, {})


def exponential_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """learning_rate * decay_rate ** (global_step / decay_steps)."""
    return _rate(
        lambda r, s, n, d: r * _core.pow(d, _core.floor(s / n) if staircase else s / n),
        learning_rate,
        global_step,
        decay_steps,
        decay_rate,
    )


def natural_exp_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """learning_rate * exp(-decay_rate * global_step / decay_steps)."""
    return _rate(
        lambda r, s, n, d: r * _core.exp(-d * (_core.floor(s / n) if staircase else s / n)),
        learning_rate,
        global_step,
        decay_steps,
        decay_rate,
    )


def inverse_time_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """learning_rate / (1 + decay_rate * global_step / decay_steps)."""
    return _rate(
        lambda r, s, n, d: r / (1 + d * (_core.floor(s / n) if staircase else s / n)),
        learning_rate,
        global_step,
        decay_steps,
        decay_rate,
    )


def polynomial_decay(
    learning_rate, global_step, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False, name=None
):
    """From learning_rate to end_learning_rate along a power of the step."""

    def rate(r, s, n, e, p):
        if cycle:
            n = n * _core.where(_core.equal(s, 0.0), _core.ones_like(s), _core._math.ceil(s / n))
        else:
            s = _core.minimum(s, n)
        return (r - e) * _core.pow(1 - s / n, p) + e

    return _rate(rate, learning_rate, global_step, decay_steps, end_learning_rate, power)


def cosine_decay(learning_rate, global_step, decay_steps, alpha=0.0, name=None):
    """From learning_rate to alpha times of it along a cosine."""
    return _rate(
        lambda r, s, n, a: r * ((1 - a) * 0.5 * (1 + _core.cos(math.pi * _core.minimum(s, n) / n)) + a),
        learning_rate,
        global_step,
        decay_steps,
        alpha,
    )


def piecewise_constant(x, boundaries, values, name=None):
    """values[i] up to boundaries[i], and the last one behind them."""
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")

    def rate(step, *numbers):
        edges, levels = numbers[: len(boundaries)], numbers[len(boundaries) :]
        made = levels[-1]
        for edge, level in zip(reversed(edges), reversed(levels[:-1])):
            made = _core.where(step <= edge, level, made)
        return made

    return _rate(rate, x, *boundaries, *values)


piecewise_constant_decay = piecewise_constant
