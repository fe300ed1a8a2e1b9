"""Golden values of recurrent layers, their cells and the wrappers around them. See golden_layers.py."""

import itertools

import keras
import numpy as np

from golden_layers import Cases

L = keras.layers
MASK = np.array([[1, 1, 0, 1], [0, 1, 1, 0]], bool)  # one sequence starts and ends with a masked step
BF16 = 3e-2  # eight bits of mantissa, rounded again in each of the time steps


def with_states(tensors):
    """A sequence (or the input of one step) and its states, as Keras takes them."""
    return tensors[0], list(tensors[1:])


def layers(c):
    for make, states in ((L.SimpleRNN, 1), (L.LSTM, 2), (L.GRU, 1)):
        name = make.__name__.lower()

        def x():
            return c.numbers(2, 4, 3)

        def initial():
            return [c.numbers(2, 2) for _ in range(states)]

        for sequences, state, backwards in itertools.product((False, True), repeat=3):
            options = {"return_sequences": sequences, "return_state": state, "go_backwards": backwards}
            tag = "/".join(k for k, v in options.items() if v)
            c.layer(f"{name}/{tag or 'last'}", make(2, **options), x())
            c.layer(f"{name}/mask/{tag or 'last'}", make(2, **options), x(), masks=[MASK])
        for sequences in (False, True):
            c.layer(
                f"{name}/initial_state/{sequences}",
                make(2, return_sequences=sequences, return_state=True),
                x(),
                *initial(),
                pack=with_states,
            )
            c.layer(
                f"{name}/initial_state/mask/{sequences}",
                make(2, return_sequences=sequences, return_state=True),
                x(),
                *initial(),
                pack=with_states,
                masks=[MASK],
            )
            c.layer(
                f"{name}/zero_output_for_mask/{sequences}",
                make(2, return_sequences=sequences, return_state=True, zero_output_for_mask=True),
                x(),
                masks=[MASK],
            )
        c.layer(f"{name}/no_bias", make(2, use_bias=False), x())
        c.layer(f"{name}/relu", make(2, activation="relu"), x())
        c.layer(f"{name}/unroll", make(2, unroll=True, return_sequences=True), x())
        c.layer(f"{name}/one_step", make(2), c.numbers(2, 1, 3))
        c.layer(f"{name}/one_unit", make(1, return_sequences=True), c.numbers(1, 3, 1))
        c.layer(f"{name}/stateful", make(2, stateful=True), x(), calls=2)
        c.layer(
            f"{name}/stateful/sequences", make(2, stateful=True, return_sequences=True, return_state=True), x(), calls=3
        )
        c.layer(f"{name}/stateful/mask", make(2, stateful=True, return_sequences=True), x(), masks=[MASK], calls=2)
        c.layer(f"{name}/dropout/inference", make(2, dropout=0.3, recurrent_dropout=0.4), x())
        c.layer(
            f"{name}/regularised",
            make(
                2, kernel_regularizer="l2", recurrent_regularizer="l1", bias_regularizer="l2", activity_regularizer="l2"
            ),
            x(),
        )
        c.layer(f"{name}/float64", make(2, return_sequences=True, dtype="float64"), x().astype(np.float64))
        c.layer(f"{name}/mixed_bfloat16", make(2, return_sequences=True, dtype="mixed_bfloat16"), x(), tolerance=BF16)
    for make in (L.LSTM, L.GRU):
        name = make.__name__.lower()
        for activation in ("hard_sigmoid", "tanh"):
            c.layer(f"{name}/recurrent_{activation}", make(2, recurrent_activation=activation), c.numbers(2, 4, 3))
    c.layer("lstm/unit_forget_bias", L.LSTM(2, unit_forget_bias=False), c.numbers(2, 4, 3))
    for bias in (True, False):
        for sequences in (True, False):
            c.layer(
                f"gru/reset_before/{bias}/{sequences}",
                L.GRU(2, reset_after=False, use_bias=bias, return_sequences=sequences),
                c.numbers(2, 4, 3),
            )
        c.layer(
            f"gru/reset_before/mask/{bias}",
            L.GRU(2, reset_after=False, use_bias=bias),
            c.numbers(2, 4, 3),
            masks=[MASK],
        )


def cells(c):
    x, h, k = c.numbers(3, 4), c.numbers(3, 2), c.numbers(3, 2)
    for make, states in ((L.SimpleRNNCell, [h]), (L.LSTMCell, [h, k]), (L.GRUCell, [h])):
        name = make.__name__.lower()
        c.layer(name, make(2), x, *states, pack=with_states)
        c.layer(f"{name}/no_bias", make(2, use_bias=False, activation="elu"), x, *states, pack=with_states)
        c.layer(
            f"rnn/{name}", L.RNN(make(2), return_sequences=True, return_state=True), c.numbers(2, 4, 3), masks=[MASK]
        )
    c.layer("grucell/reset_before", L.GRUCell(2, reset_after=False), x, h, pack=with_states)
    stacks = {
        "lstm_gru": lambda: [L.LSTMCell(2), L.GRUCell(3)],
        "simple": lambda: [L.SimpleRNNCell(2), L.SimpleRNNCell(2)],
        "three": lambda: [L.GRUCell(2, reset_after=False), L.SimpleRNNCell(1), L.LSTMCell(2)],
    }
    for tag, make in stacks.items():
        for sequences, mask in ((False, None), (True, None), (False, [MASK]), (True, [MASK])):
            c.layer(
                f"rnn/stack/{tag}/{sequences}/{mask is not None}",
                L.RNN(L.StackedRNNCells(make()), return_sequences=sequences),
                c.numbers(2, 4, 3),
                masks=mask,
            )
    c.layer(
        "rnn/stack/backwards",
        L.RNN(L.StackedRNNCells(stacks["lstm_gru"]()), return_sequences=True, go_backwards=True, return_state=True),
        c.numbers(2, 4, 3),
    )
    c.layer(
        "rnn/stack/initial_state",
        L.RNN(L.StackedRNNCells(stacks["lstm_gru"]())),
        c.numbers(2, 4, 3),
        c.numbers(2, 2),
        c.numbers(2, 2),
        c.numbers(2, 3),
        pack=lambda t: (t[0], [[t[1], t[2]], [t[3]]]),
    )
    c.layer(
        "stacked_cells",
        L.StackedRNNCells(stacks["lstm_gru"]()),
        x,
        h,
        k,
        c.numbers(3, 3),
        pack=lambda t: (t[0], [[t[1], t[2]], [t[3]]]),
    )


def wrappers(c):
    def x():
        return c.numbers(2, 4, 3)

    for mode in ("concat", "sum", "mul", "ave", None):
        for sequences in (False, True):
            tag = f"{mode}/{'sequences' if sequences else 'last'}"
            c.layer(
                f"bidirectional/{tag}", L.Bidirectional(L.LSTM(2, return_sequences=sequences), merge_mode=mode), x()
            )
            c.layer(
                f"bidirectional/mask/{tag}",
                L.Bidirectional(L.GRU(2, return_sequences=sequences), merge_mode=mode),
                x(),
                masks=[MASK],
            )
    for mode in ("concat", None):
        c.layer(
            f"bidirectional/state/{mode}",
            L.Bidirectional(L.LSTM(2, return_sequences=True, return_state=True), merge_mode=mode),
            x(),
        )
    c.layer(
        "bidirectional/initial_state",
        L.Bidirectional(L.GRU(2)),
        x(),
        c.numbers(2, 2),
        c.numbers(2, 2),
        pack=with_states,
    )
    c.layer(
        "bidirectional/backward_layer",
        L.Bidirectional(
            L.LSTM(2, return_sequences=True),
            backward_layer=L.GRU(3, activation="relu", return_sequences=True, go_backwards=True),
        ),
        x(),
    )
    c.layer("bidirectional/cell", L.Bidirectional(L.RNN(L.SimpleRNNCell(2), return_sequences=True)), x(), masks=[MASK])
    c.layer("bidirectional/stateful", L.Bidirectional(L.SimpleRNN(2, stateful=True)), x(), calls=2)
    c.layer(
        "bidirectional/float64", L.Bidirectional(L.LSTM(2, dtype="float64"), dtype="float64"), x().astype(np.float64)
    )
    c.layer(
        "bidirectional/mixed_bfloat16",
        L.Bidirectional(L.LSTM(2, dtype="mixed_bfloat16"), dtype="mixed_bfloat16"),
        x(),
        tolerance=BF16,
    )
    c.layer("time_distributed/dense", L.TimeDistributed(L.Dense(2, activation="tanh")), x())
    c.layer("time_distributed/dense/mask", L.TimeDistributed(L.Dense(2)), x(), masks=[MASK])
    c.layer("time_distributed/conv2d", L.TimeDistributed(L.Conv2D(2, 2)), c.numbers(2, 2, 3, 3, 2))
    c.layer("time_distributed/conv1d/same", L.TimeDistributed(L.Conv1D(2, 3, padding="same")), c.numbers(1, 3, 4, 2))
    c.layer("time_distributed/flatten", L.TimeDistributed(L.Flatten()), c.numbers(2, 3, 2, 2))
    c.layer("time_distributed/lstm", L.TimeDistributed(L.LSTM(2)), c.numbers(2, 2, 3, 2))
    c.layer(
        "time_distributed/mixed_bfloat16",
        L.TimeDistributed(L.Dense(2, dtype="mixed_bfloat16"), dtype="mixed_bfloat16"),
        x(),
        tolerance=1.6e-2,
    )


def files(case):
    collected = Cases(case, "layers_recurrent")
    for section in (layers, cells, wrappers):
        section(collected)
    return collected.files()
