"""tf.compat.v1.nn.rnn_cell: what recurrent networks do in one step.
Variables are made in the scopes of the first call."""

import collections
import re
import zlib

from brio import _core, _missing, _nest
from brio._core import _random
from brio._graph import core, wrap
from brio.compat._variables import get_variable, variable_scope
from brio.compat.v1 import initializers

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

    def __init__(self, trainable=True, name=None, dtype=None, _reuse=None):
        self._own_name, self._reuse, self._dtype, self._trainable = name, _reuse, dtype, trainable
        self._made = False

    @property
    def _default_name(self):
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(self).__name__).lower()

    def _weight(self, name, shape, inputs, initializer):
        return get_variable(
            name, shape, dtype=self._dtype or inputs.dtype, initializer=initializer, trainable=self._trainable
        )

    def _linear(self, x, units, prefix="", kernel_initializer=None, bias_initializer=None):
        """x @ kernel + bias."""
        w = self._weight(f"{prefix}kernel", [int(x.shape[-1]), units], x, kernel_initializer)
        b = self._weight(
            f"{prefix}bias", [units], x, initializers.zeros() if bias_initializer is None else bias_initializer
        )
        return _op("BiasAdd", lambda v, m, c: _core.matmul(v, m) + c, x, w, b)

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
        if batch_size is None:
            batch_size = _op("strided_slice", lambda x: _core.shape(x)[0], inputs)
        return self.zero_state(batch_size, inputs.dtype if dtype is None else dtype)

    @property
    def trainable_variables(self):
        """The variables of the cell that training changes."""
        return (
            []
            if self._scope is None
            else [
                v
                for v in core.default_graph().get_collection("trainable_variables")
                if v.name.startswith(self._scope.name + "/")
            ]
        )

    variables = weights = trainable_weights = trainable_variables


def _zeros(size, batch, dtype):
    if isinstance(size, LSTMStateTuple):
        return LSTMStateTuple(*(_zeros(s, batch, dtype) for s in size))
    if isinstance(size, (list, tuple)):
        return tuple(_zeros(s, batch, dtype) for s in size)
    return _op("zeros", lambda n: _core.zeros([n, size], dtype), batch)


def _joined(*parts):
    return _op("concat", lambda *p: _core.concat(list(p), 1), *parts)


class BasicRNNCell(RNNCell):
    """output = activation(input @ W + state @ U + b)."""

    _default_name = "basic_rnn_cell"

    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None, trainable=True):
        super().__init__(trainable, name, dtype, reuse)
        self._units, self._activation = num_units, _activation(activation)

    state_size = output_size = property(lambda self: self._units, doc="How many units there are.")

    def call(self, inputs, state):
        """One step."""
        output = _op("Tanh", self._activation, self._linear(_joined(inputs, state), self._units))
        return output, output


class GRUCell(RNNCell):
    """A gated recurrent unit."""

    _default_name = "gru_cell"

    def __init__(self, num_units, activation=None, reuse=None, kernel_initializer=None, bias_initializer=None,
                 name=None, dtype=None, trainable=True):  # fmt: skip
        super().__init__(trainable, name, dtype, reuse)
        self._units, self._activation, self._kernel, self._bias = (
            num_units,
            _activation(activation),
            kernel_initializer,
            bias_initializer,
        )

    state_size = output_size = property(lambda self: self._units, doc="How many units there are.")

    def call(self, inputs, state):
        """One step."""
        bias = initializers.ones() if self._bias is None else self._bias
        gates = self._linear(_joined(inputs, state), 2 * self._units, "gates/", self._kernel, bias)
        r, u = _op("split", lambda g: tuple(_core.split(_core.sigmoid(g), 2, 1)), gates)
        candidate = self._linear(_joined(inputs, r * state), self._units, "candidate/", self._kernel, self._bias)
        output = _op("GRU", lambda u, s, c: u * s + (1 - u) * self._activation(c), u, state, candidate)
        return output, output


class BasicLSTMCell(RNNCell):
    """A long short-term memory."""

    _default_name = "basic_lstm_cell"

    def __init__(
        self,
        num_units,
        forget_bias=1.0,
        state_is_tuple=True,
        activation=None,
        reuse=None,
        name=None,
        dtype=None,
        trainable=True,
    ):
        super().__init__(trainable, name, dtype, reuse)
        self._units, self._forget_bias, self._tuple, self._activation = (
            num_units,
            forget_bias,
            state_is_tuple,
            _activation(activation),
        )

    @property
    def state_size(self):
        """How large the two parts of the state are."""
        return LSTMStateTuple(self._units, self._units) if self._tuple else 2 * self._units

    output_size = property(lambda self: self._units, doc="How many units there are.")

    def call(self, inputs, state):
        """One step."""
        c, h = state if self._tuple else _op("split", lambda s: tuple(_core.split(s, 2, 1)), state)
        gates = self._linear(_joined(inputs, h), 4 * self._units)
        new_c, new_h = _op("LSTM", lambda g, c: _lstm(g, c, self._forget_bias, self._activation), gates, c)
        return new_h, (LSTMStateTuple(new_c, new_h) if self._tuple else _joined(new_c, new_h))


def _lstm(gates, c, forget_bias, activation):
    i, j, f, o = _core.split(gates, 4, 1)
    new_c = c * _core.sigmoid(f + forget_bias) + _core.sigmoid(i) * activation(j)
    return new_c, activation(new_c) * _core.sigmoid(o)


class LSTMCell(BasicLSTMCell):
    """A long short-term memory, with peepholes and a projection where they are asked for."""

    _default_name = "lstm_cell"

    def __init__(self, num_units, use_peepholes=False, cell_clip=None, initializer=None, num_proj=None, proj_clip=None,
                 num_unit_shards=None, num_proj_shards=None, forget_bias=1.0, state_is_tuple=True, activation=None,
                 reuse=None, name=None, dtype=None, trainable=True):  # fmt: skip
        super().__init__(num_units, forget_bias, state_is_tuple, activation, reuse, name, dtype, trainable)
        self._peepholes, self._clip, self._initializer, self._proj, self._proj_clip = (
            use_peepholes,
            cell_clip,
            initializer,
            num_proj,
            proj_clip,
        )

    @property
    def state_size(self):
        """How large the two parts of the state are."""
        return LSTMStateTuple(self._units, self.output_size) if self._tuple else self._units + self.output_size

    output_size = property(lambda self: self._proj or self._units, doc="How large the output is.")

    def call(self, inputs, state):
        """One step."""
        c, h = state if self._tuple else _op("split", lambda s: (s[:, : self._units], s[:, self._units :]), state)
        gates = self._linear(_joined(inputs, h), 4 * self._units, kernel_initializer=self._initializer)
        diagonals = ("w_f_diag", "w_i_diag", "w_o_diag") if self._peepholes else ()
        peepholes = [self._weight(n, [self._units], inputs, self._initializer) for n in diagonals]

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
            w = self._weight("projection/kernel", [self._units, self._proj], inputs, self._initializer)
            new_h = _op("MatMul", _core.matmul, new_h, w)
            if self._proj_clip is not None:
                new_h = _op("clip_by_value", lambda h: _core.clip_by_value(h, -self._proj_clip, self._proj_clip), new_h)
        return new_h, (LSTMStateTuple(new_c, new_h) if self._tuple else _joined(new_c, new_h))


class MultiRNNCell(RNNCell):
    """Cells above one another."""

    _default_name = "multi_rnn_cell"

    def __init__(self, cells, state_is_tuple=True):
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        self._cells, self._tuple = list(cells), state_is_tuple
        sizes = [c.state_size for c in self._cells]
        if not state_is_tuple and any(isinstance(s, (list, tuple)) for s in sizes):
            raise ValueError(
                f"Some cells return tuples of states, but the flag state_is_tuple is not set.  State sizes are: {sizes}"
            )

    @property
    def state_size(self):
        """The states of all cells."""
        sizes = tuple(c.state_size for c in self._cells)
        return sizes if self._tuple else sum(sizes)

    output_size = property(lambda self: self._cells[-1].output_size, doc="That of the last cell.")

    def zero_state(self, batch_size, dtype):
        """A state of zeros."""
        return (
            tuple(c.zero_state(batch_size, dtype) for c in self._cells)
            if self._tuple
            else super().zero_state(batch_size, dtype)
        )

    def call(self, inputs, state):
        """One step of each."""
        sizes = [c.state_size for c in self._cells]
        if not self._tuple:
            state = _op("split", lambda s: tuple(_core.split(s, sizes, 1)), state)
        after = []
        for i, (cell, before) in enumerate(zip(self._cells, state)):
            with variable_scope(f"cell_{i}"):
                inputs, new = cell(inputs, before)
            after.append(new)
        return inputs, tuple(after) if self._tuple else _joined(*after)


def _not_the_memory(state):
    """What DropoutWrapper drops of a state, unless it is told otherwise: all but the c of LSTMs."""
    return LSTMStateTuple(False, True) if isinstance(state, LSTMStateTuple) else True


def _chosen(visitor, state):
    """Which leaves of a state a visitor chooses: it says yes or no of a part, or for each of its parts."""
    said = visitor(state)
    if not isinstance(state, (list, tuple)):
        return [bool(said)]
    each = said if isinstance(said, (list, tuple)) else [said] * len(state)
    return [
        chosen
        for part, yes in zip(state, each)
        for chosen in (_chosen(visitor, part) if yes else [False] * len(_nest.flatten(part)))
    ]


class DropoutWrapper(RNNCell):
    """A cell whose inputs, outputs or states lose elements:
    others in each step, or in a variational one the same in all steps of all samples."""

    def __init__(self, cell, input_keep_prob=1.0, output_keep_prob=1.0, state_keep_prob=1.0,
                 variational_recurrent=False, input_size=None, dtype=None, seed=None,
                 dropout_state_filter_visitor=None):  # fmt: skip
        super().__init__()
        self._cell, self._seed, self._visitor = cell, seed, dropout_state_filter_visitor or _not_the_memory
        self._keep = {"input": input_keep_prob, "state": state_keep_prob, "output": output_keep_prob}
        for what, keep in self._keep.items():
            if isinstance(keep, (int, float)) and not 0 <= keep <= 1:
                raise ValueError(f"Parameter {what}_keep_prob must be between 0 and 1: {keep}")
        self._noise = self._drawn_once(input_size, dtype) if variational_recurrent else None

    def _drawn_once(self, input_size, dtype):
        """The noise of all steps, for each leaf of inputs, states and outputs."""
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")
        if input_size is None and self._drops("input"):
            raise ValueError(
                "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, input_size must be provided"
            )
        sizes = {"input": input_size, "state": self._cell.state_size, "output": self._cell.output_size}
        return {
            what: [self._drawn(size, dtype, what, i) for i, size in enumerate(_sizes(sizes[what]))]
            for what in self._keep
            if self._drops(what)
        }

    def _drawn(self, size, dtype, what, i):
        shape = [1, *(size if hasattr(size, "rank") else [size])]
        return _op("random_uniform", lambda: _random.uniform(shape, dtype=dtype, seed=self._seed_of(what, i)))

    def _drops(self, what):
        keep = self._keep[what]
        return not isinstance(keep, (int, float)) or keep < 1

    def _seed_of(self, what, i):
        """A seed for each leaf, so that no two lose the same elements."""
        return None if self._seed is None else zlib.crc32(f"{self._seed} {what} {i}".encode()) & 0x7FFFFFFF

    state_size = property(lambda self: self._cell.state_size, doc="The cell's.")
    output_size = property(lambda self: self._cell.output_size, doc="The cell's.")

    def zero_state(self, batch_size, dtype):
        """A state of zeros."""
        return self._cell.zero_state(batch_size, dtype)

    def __call__(self, inputs, state, scope=None):
        output, after = self._cell(self._dropped("input", inputs), state, scope)
        return self._dropped("output", output), self._dropped("state", after, self._visitor)

    def _dropped(self, what, values, visitor=lambda part: True):
        if not self._drops(what):
            return values
        leaves, chosen = _nest.flatten(values), _chosen(visitor, values)
        return _nest.pack(
            values, [self._dropped_leaf(what, i, x) if yes else x for i, (x, yes) in enumerate(zip(leaves, chosen))]
        )

    def _dropped_leaf(self, what, i, x):
        from brio.compat.v1 import nn

        if self._noise is None:
            return nn.dropout(x, keep_prob=self._keep[what], seed=self._seed_of(what, i))
        return _op(
            "dropout",
            lambda v, noise, keep: v / keep * _core.floor(noise + keep),
            x,
            self._noise[what][i],
            self._keep[what],
        )


def _sizes(x):
    """The leaves of state_size and the like: numbers, or shapes."""
    return (
        [size for part in x for size in _sizes(part)]
        if isinstance(x, (list, tuple)) and not hasattr(x, "rank")
        else [x]
    )


class ResidualWrapper(RNNCell):
    """A cell whose inputs are added to its outputs."""

    def __init__(self, cell, residual_fn=None):
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

    def __init__(self, cell, device):
        super().__init__(cell)

    def __call__(self, inputs, state, scope=None):
        return self._cell(inputs, state, scope)
