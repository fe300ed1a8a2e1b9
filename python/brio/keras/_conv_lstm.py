"""ConvLSTM1D, 2D and 3D: an LSTM whose products are convolutions (Shi and others, 2015)."""

import brio as tf
from brio import _core
from brio.keras import activations, backend, constraints, initializers, regularizers
from brio.keras._layer import Layer


class ConvLSTMCell(Layer):
    """One step: gates are convolutions of the input and of the state."""

    def __init__(self, layer, **kwargs):
        super().__init__(**kwargs)
        object.__setattr__(self, "_of", layer)

    def build(self, input_shape):
        of = self._of
        channels = input_shape[1 if of.data_format == "channels_first" else -1]
        if channels is None:
            raise ValueError(
                f"[{of.name}] the channels of the input must be known, but its shape is {tuple(input_shape)}"
            )
        make = lambda what, shape: self.add_weight(
            shape,
            getattr(of, f"{what}_initializer"),
            name=what,
            regularizer=getattr(of, f"{what}_regularizer"),
            constraint=getattr(of, f"{what}_constraint"),
        )
        self.kernel = make("kernel", (*of.kernel_size, channels, 4 * of.filters))
        self.recurrent_kernel = self.add_weight((*of.kernel_size, of.filters, 4 * of.filters), of.recurrent_initializer,
                                                name="recurrent_kernel", regularizer=of.recurrent_regularizer,
                                                constraint=of.recurrent_constraint)  # fmt: skip
        self.bias = make("bias", (4 * of.filters,)) if of.use_bias else None
        if of.use_bias and of.unit_forget_bias:  # gates: input, forget, candidate, output
            self.bias.assign(
                tf.concat([self.bias[: of.filters], tf.ones([of.filters]), self.bias[2 * of.filters :]], 0)
            )


class _ConvLSTM(Layer):
    """Steps of a ConvLSTMCell along axis 1."""

    _axes = 2

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1,
                 activation="tanh", recurrent_activation="sigmoid", use_bias=True, kernel_initializer="glorot_uniform",
                 recurrent_initializer="orthogonal", bias_initializer="zeros", unit_forget_bias=True,
                 kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, recurrent_constraint=None, bias_constraint=None, dropout=0.0,
                 recurrent_dropout=0.0, seed=None, return_sequences=False, return_state=False, go_backwards=False,
                 stateful=False, **kwargs):  # fmt: skip
        for name in ("unroll", "zero_output_for_mask"):
            kwargs.pop(name, None)
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        each = lambda n: (n,) * self._axes if isinstance(n, int) else tuple(n)
        self.filters, self.kernel_size, self.strides, self.dilation_rate = (
            int(filters),
            each(kernel_size),
            each(strides),
            each(dilation_rate),
        )
        self.padding, self.data_format = padding.lower(), data_format or backend.image_data_format()
        self.activation, self.recurrent_activation = activations.get(activation), activations.get(recurrent_activation)
        self.use_bias, self.unit_forget_bias = use_bias, unit_forget_bias
        self.kernel_initializer, self.recurrent_initializer, self.bias_initializer = map(
            initializers.get, (kernel_initializer, recurrent_initializer, bias_initializer)
        )
        self.kernel_regularizer, self.recurrent_regularizer, self.bias_regularizer = map(
            regularizers.get, (kernel_regularizer, recurrent_regularizer, bias_regularizer)
        )
        self.kernel_constraint, self.recurrent_constraint, self.bias_constraint = map(
            constraints.get, (kernel_constraint, recurrent_constraint, bias_constraint)
        )
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.dropout, self.recurrent_dropout, self.seed = dropout, recurrent_dropout, seed
        self.return_sequences, self.return_state, self.go_backwards, self.stateful = (
            return_sequences,
            return_state,
            go_backwards,
            stateful,
        )
        self.cell = ConvLSTMCell(self)
        object.__setattr__(self, "_states", None)

    def build(self, input_shape):
        shape = tuple(input_shape[0] if isinstance(input_shape[0], (list, tuple)) else input_shape)
        if len(shape) != self._axes + 3:
            raise ValueError(
                f"[{self.name}] takes inputs of rank {self._axes + 3}, (batch, time, ..., channels), but got {shape}"
            )
        self.cell._build_once((shape[0], *shape[2:]))

    def call(self, inputs, mask=None, training=None, initial_state=None):
        first = self.data_format == "channels_first"
        if first:
            inputs = tf.transpose(inputs, [0, 1, *range(3, self._axes + 3), 2])
        gates = self._input_gates(inputs, training)
        states = self._first_states(gates, initial_state)
        dropped = self._dropped(states[0], self.recurrent_dropout, training)
        steps = [gates] if mask is None else [gates, tf.transpose(mask)]
        last, every = _core._scan(
            lambda state, x: self._step(state, x, dropped), states, steps, bool(self.go_backwards)
        )
        if self.stateful:
            for kept, now in zip(self._states, last):
                kept.assign(now)
        result = tf.transpose(every[0], [1, 0, *range(2, self._axes + 3)]) if self.return_sequences else last[0]
        if self.return_sequences and self.go_backwards:
            result = tf.reverse(result, [1])
        results = [result, *last] if self.return_state else [result]
        if first:
            results = [_channels_first(r, self._axes) for r in results]
        return results if self.return_state else results[0]

    def _input_gates(self, inputs, training):
        """What the input adds to the gates, for all steps at once: (time, batch, ..., 4 · filters)."""
        sizes = tf.shape(inputs)
        flat = tf.reshape(inputs, tf.concat([[sizes[0] * sizes[1]], sizes[2:]], 0))
        made = tf.nn.convolution(
            self._dropped(flat, self.dropout, training) * flat if self.dropout and training else flat,
            self._cast(self.cell.kernel),
            strides=list(self.strides),
            padding=self.padding.upper(),
            dilations=list(self.dilation_rate),
        )
        if self.use_bias:
            made = made + self._cast(self.cell.bias)
        made = tf.reshape(made, tf.concat([sizes[:2], tf.shape(made)[1:]], 0))
        return tf.transpose(made, [1, 0, *range(2, self._axes + 3)])

    def _step(self, state, step, dropped):
        hidden, memory = state
        around = hidden if dropped is None else hidden * dropped
        gates = step[0] + tf.nn.convolution(around, self._cast(self.cell.recurrent_kernel), strides=1, padding="SAME")
        enter, forget, candidate, leave = tf.split(gates, 4, axis=-1)
        now = self.recurrent_activation(forget) * memory + self.recurrent_activation(enter) * self.activation(candidate)
        out = self.recurrent_activation(leave) * self.activation(now)
        if len(step) > 1:  # what is masked leaves the state as it was
            keep = tf.reshape(step[1], tf.concat([tf.shape(step[1]), [1] * (self._axes + 1)], 0))
            out, now = tf.where(keep, out, hidden), tf.where(keep, now, memory)
        return [out, now], [out]

    def _first_states(self, gates, given):
        if given is not None:
            return [tf.convert_to_tensor(s) for s in given]
        zeros = tf.zeros_like(gates[0, ..., : self.filters])
        if not self.stateful:
            return [zeros, tf.zeros_like(zeros)]
        if self._states is None:
            object.__setattr__(
                self, "_states", [tf.Variable(lambda: tf.zeros(tuple(zeros.shape)), trainable=False) for _ in range(2)]
            )
        return [tf.convert_to_tensor(s) for s in self._states]

    def reset_states(self):
        """The state is 0 again."""
        for state in self._states or ():
            state.assign(tf.zeros_like(state))

    reset_state = reset_states

    def _dropped(self, like, rate, training):
        """Factors that are 0 for a share of the numbers; None where nothing is dropped."""
        return tf.nn.dropout(tf.ones_like(like), rate) if rate and training else None

    def _cast(self, variable):
        return tf.cast(variable, self.compute_dtype)

    def compute_mask(self, inputs, previous_mask=None):
        return previous_mask if self.return_sequences else None


def _channels_first(x, axes):
    rank = len(x.shape)
    return tf.transpose(x, [*range(rank - axes - 1), rank - 1, *range(rank - axes - 1, rank - 1)])


class ConvLSTM1D(_ConvLSTM):
    """A ConvLSTM over rows: (batch, time, rows, channels)."""

    _axes = 1


class ConvLSTM2D(_ConvLSTM):
    """A ConvLSTM over pictures: (batch, time, rows, columns, channels)."""


class ConvLSTM3D(_ConvLSTM):
    """A ConvLSTM over volumes: (batch, time, planes, rows, columns, channels)."""

    _axes = 3


for _cls in (ConvLSTM1D, ConvLSTM2D, ConvLSTM3D):
    _cls.__module__ = "brio.keras.layers"  # where configs find it
