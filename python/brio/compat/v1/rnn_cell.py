"""tf.compat.v1.nn.rnn_cell: what recurrent networks do in one step. Variables are made in the scopes of the first call."""

import collections

from brio import _core, _missing
from brio._graph import core, wrap
from brio.compat._variables import get_variable, variable_scope

__getattr__ = _missing.attribute_error_of(__name__)

LSTMStateTuple = collections.namedtuple("LSTMStateTuple", ("c", "h"))


def _op(kind, function, *args):
    return wrap.call(core.building(), function, kind, args, {})


def _activation(given):
    if given is None:
        return _core.tanh
    if isinstance(given, str):
        from brio.keras import activations

        given = activations.get(given)
    return getattr(given, "_behind", given)


class RNNCell:
    """What is called with an input and a state, and gives an output and the next state."""

    _scope = None

    def __init__(self, name=None, reuse=None, dtype=None):
        self._own_name, self._reuse, self._dtype = name, reuse, dtype
        self._made = False

    def __call__(self, inputs, state, scope=None):
        name = scope if scope is not None else (self._own_name or self._default_name)
        reuse = True if self._made else self._reuse
        if self._scope is not None and scope is None:
            with variable_scope(self._scope, reuse=True):
                return self.call(wrap.convert(inputs), state)
        with variable_scope(name, reuse=reuse) as held:
            if scope is None:
                self._scope = held
            self._made = True
            return self.call(wrap.convert(inputs), state)

    def zero_state(self, batch_size, dtype):
        """A state of zeros."""
        return _zeros(self.state_size, batch_size, dtype)

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """A state of zeros."""
        return self.zero_state(batch_size if batch_size is not None else inputs.shape[0], dtype or inputs.dtype)

    @property
    def trainable_variables(self):
        """The variables of the cell that training changes."""
        return [] if self._scope is None else [
            v for v in core.default_graph().get_collection("trainable_variables") if v.name.startswith(self._scope.name + "/")
        ]

    variables = weights = trainable_weights = trainable_variables


def _zeros(size, batch, dtype):
    if isinstance(size, LSTMStateTuple):
        return LSTMStateTuple(*(_zeros(s, batch, dtype) for s in size))
    if isinstance(size, (list, tuple)):
        return tuple(_zeros(s, batch, dtype) for s in size)
    return _op("zeros", lambda n: _core.zeros([n, size], dtype), batch)


def _linear(x, units, kernel="kernel", bias="bias", bias_value=0.0, kernel_initializer=None):
    """x @ kernel + bias."""
    from brio.compat.v1 import initializers

    w = get_variable(kernel, [int(x.shape[-1]), units], dtype=x.dtype, initializer=kernel_initializer)
    b = get_variable(bias, [units], dtype=x.dtype, initializer=initializers.constant(bias_value))
    return _op("BiasAdd", lambda v, m, c: _core.matmul(v, m) + c, x, w, b)


def _joined(*parts):
    return _op("concat", lambda *p: _core.concat(list(p), 1), *parts)


class BasicRNNCell(RNNCell):
    """output = activation(input @ W + state @ U + b)."""

    _default_name = "basic_rnn_cell"

    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(name, reuse, dtype)
        self._units, self._activation = num_units, _activation(activation)

    state_size = output_size = property(lambda self: self._units, doc="How many units there are.")

    def call(self, inputs, state):
        """One step."""
        output = _op("Tanh", self._activation, _linear(_joined(inputs, state), self._units))
        return output, output


class GRUCell(RNNCell):
    """A gated recurrent unit."""

    _default_name = "gru_cell"

    def __init__(self, num_units, activation=None, reuse=None, kernel_initializer=None, bias_initializer=None, name=None, dtype=None, **kwargs):
        super().__init__(name, reuse, dtype)
        self._units, self._activation, self._kernel = num_units, _activation(activation), kernel_initializer

    state_size = output_size = property(lambda self: self._units, doc="How many units there are.")

    def call(self, inputs, state):
        """One step."""
        gates = _linear(_joined(inputs, state), 2 * self._units, "gates/kernel", "gates/bias", 1.0, self._kernel)
        r, u = _op("split", lambda g: tuple(_core.split(_core.sigmoid(g), 2, 1)), gates)
        candidate = _linear(_joined(inputs, r * state), self._units, "candidate/kernel", "candidate/bias", 0.0, self._kernel)
        output = _op("GRU", lambda u, s, c: u * s + (1 - u) * self._activation(c), u, state, candidate)
        return output, output


class BasicLSTMCell(RNNCell):
    """A long short-term memory."""

    _default_name = "basic_lstm_cell"

    def __init__(self, num_units, forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(name, reuse, dtype)
        self._units, self._forget_bias, self._tuple, self._activation = num_units, forget_bias, state_is_tuple, _activation(activation)

    @property
    def state_size(self):
        """How large the two parts of the state are."""
        return LSTMStateTuple(self._units, self._units) if self._tuple else 2 * self._units

    output_size = property(lambda self: self._units, doc="How many units there are.")

    def call(self, inputs, state):
        """One step."""
        c, h = state if self._tuple else _op("split", lambda s: tuple(_core.split(s, 2, 1)), state)
        gates = _linear(_joined(inputs, h), 4 * self._units)
        new_c, new_h = _op("LSTM", lambda g, c: _lstm(g, c, self._forget_bias, self._activation), gates, c)
        return new_h, (LSTMStateTuple(new_c, new_h) if self._tuple else _joined(new_c, new_h))


def _lstm(gates, c, forget_bias, activation):
    i, j, f, o = _core.split(gates, 4, 1)
    new_c = c * _core.sigmoid(f + forget_bias) + _core.sigmoid(i) * activation(j)
    return new_c, activation(new_c) * _core.sigmoid(o)


class LSTMCell(BasicLSTMCell):
    """A long short-term memory, with peepholes and a projection where they are asked for."""

    _default_name = "lstm_cell"

    def __init__(self, num_units, use_peepholes=False, cell_clip=None, initializer=None, num_proj=None, proj_clip=None, num_unit_shards=None,
                 num_proj_shards=None, forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None, dtype=None, **kwargs):  # fmt: skip
        super().__init__(num_units, forget_bias, state_is_tuple, activation, reuse, name, dtype)
        self._peepholes, self._clip, self._initializer, self._proj, self._proj_clip = use_peepholes, cell_clip, initializer, num_proj, proj_clip

    @property
    def state_size(self):
        """How large the two parts of the state are."""
        return LSTMStateTuple(self._units, self.output_size) if self._tuple else self._units + self.output_size

    output_size = property(lambda self: self._proj or self._units, doc="How large the output is.")

    def call(self, inputs, state):
        """One step."""
        c, h = state if self._tuple else _op("split", lambda s: (s[:, : self._units], s[:, self._units :]), state)
        gates = _linear(_joined(inputs, h), 4 * self._units, kernel_initializer=self._initializer)
        peepholes = [
            get_variable(n, [self._units], dtype=inputs.dtype, initializer=self._initializer) for n in ("w_f_diag", "w_i_diag", "w_o_diag")
        ] if self._peepholes else []

        def step(g, c, *w):
            i, j, f, o = _core.split(g, 4, 1)
            f = f + self._forget_bias
            if w:
                f, i = f + w[0] * c, i + w[1] * c
            new = _core.sigmoid(f) * c + _core.sigmoid(i) * self._activation(j)
            if self._clip is not None:
                new = _core.clip_by_value(new, -self._clip, self._clip)
            return new, _core.sigmoid(o + w[2] * new if w else o) * self._activation(new)

        new_c, new_h = _op("LSTM", step, gates, c, *peepholes)
        if self._proj is not None:
            w = get_variable("projection/kernel", [self._units, self._proj], dtype=inputs.dtype, initializer=self._initializer)
            new_h = _op(
                "MatMul",
                lambda m,
                p: _core.matmul(m, p) if self._proj_clip is None else _core.clip_by_value(_core.matmul(m, p), -self._proj_clip, self._proj_clip),
                new_h,
                w,
            )
        return new_h, (LSTMStateTuple(new_c, new_h) if self._tuple else _joined(new_c, new_h))


class MultiRNNCell(RNNCell):
    """Cells above one another."""

    _default_name = "multi_rnn_cell"

    def __init__(self, cells, state_is_tuple=True):
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        self._cells, self._tuple = list(cells), state_is_tuple

    state_size = property(lambda self: tuple(c.state_size for c in self._cells), doc="The states of all cells.")
    output_size = property(lambda self: self._cells[-1].output_size, doc="That of the last cell.")

    def zero_state(self, batch_size, dtype):
        """A state of zeros."""
        return tuple(c.zero_state(batch_size, dtype) for c in self._cells)

    def call(self, inputs, state):
        """One step of each."""
        after = []
        for i, (cell, before) in enumerate(zip(self._cells, state)):
            with variable_scope(f"cell_{i}"):
                inputs, new = cell(inputs, before)
            after.append(new)
        return inputs, tuple(after)


class DropoutWrapper(RNNCell):
    """A cell whose inputs, outputs or states lose elements."""

    def __init__(
        self,
        cell,
        input_keep_prob=1.0,
        output_keep_prob=1.0,
        state_keep_prob=1.0,
        variational_recurrent=False,
        input_size=None,
        dtype=None,
        seed=None,
        **kwargs,
    ):
        super().__init__()
        self._cell, self._probabilities, self._seed = cell, (input_keep_prob, output_keep_prob, state_keep_prob), seed

    state_size = property(lambda self: self._cell.state_size, doc="The cell's.")
    output_size = property(lambda self: self._cell.output_size, doc="The cell's.")

    def zero_state(self, batch_size, dtype):
        """A state of zeros."""
        return self._cell.zero_state(batch_size, dtype)

    def __call__(self, inputs, state, scope=None):
        into, out, kept = self._probabilities
        output, after = self._cell(self._dropped(inputs, into), state, scope)
        if not (isinstance(kept, float) and kept == 1.0):
            after = LSTMStateTuple(after.c, self._dropped(after.h, kept)) if isinstance(after, LSTMStateTuple) else self._dropped(after, kept)
        return self._dropped(output, out), after

    def _dropped(self, x, keep):
        from brio.compat.v1 import nn

        return x if isinstance(keep, (int, float)) and keep >= 1 else nn.dropout(x, keep_prob=keep, seed=self._seed)


class ResidualWrapper(RNNCell):
    """A cell whose inputs are added to its outputs."""

    def __init__(self, cell, residual_fn=None, **kwargs):
        super().__init__()
        self._cell, self._residual = cell, residual_fn

    state_size = property(lambda self: self._cell.state_size, doc="The cell's.")
    output_size = property(lambda self: self._cell.output_size, doc="The cell's.")

    def zero_state(self, batch_size, dtype):
        """A state of zeros."""
        return self._cell.zero_state(batch_size, dtype)

    def __call__(self, inputs, state, scope=None):
        output, after = self._cell(inputs, state, scope)
        return (self._residual(inputs, output) if self._residual else wrap.convert(inputs) + output), after


class DeviceWrapper(ResidualWrapper):
    """The cell itself: all is on the CPU."""

    def __init__(self, cell, device, **kwargs):
        super().__init__(cell)

    def __call__(self, inputs, state, scope=None):
        return self._cell(inputs, state, scope)


