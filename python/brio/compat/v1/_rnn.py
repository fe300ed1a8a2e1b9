"""Recurrent networks of TensorFlow 1: a cell, called for each step."""

from brio import _core, _nest
from brio._graph import core, nested, wrap
from brio._graph.control import _add, body_of, carried_specs
from brio.compat._variables import variable_scope


def _where(condition, a, b):
    return wrap.call(
        core.building(),
        lambda c, x, y: _core.where(_core.reshape(c, [-1] + [1] * (x.shape.rank - 1)), x, y),
        "Select",
        (condition, a, b),
        {},
    )


def dynamic_rnn(
    cell,
    inputs,
    sequence_length=None,
    initial_state=None,
    dtype=None,
    parallel_iterations=None,
    swap_memory=False,
    time_major=False,
    scope=None,
):
    """The results of a cell for each step, and its last state.
    Behind the end of a sequence results are 0 and the state stays."""
    graph = core.building()
    with variable_scope(scope or "rnn"):
        x = wrap.convert(inputs)
        if not time_major:
            x = _transposed(graph, x)
        if x.dims is None or len(x.dims) < 2:
            raise ValueError(f"[dynamic_rnn] inputs must have rank 3, but have shape {x.shape}")
        state = initial_state if initial_state is not None else _zero_state(graph, cell, x, dtype)
        structure, first = nested.taken_apart(nested.swap(state, wrap.convert), nested.is_graph_tensor)
        n = len(first)
        lengths = (
            []
            if sequence_length is None
            else [wrap.call(graph, lambda s: _core.cast(s, "int32"), "Cast", (wrap.convert(sequence_length),), {})]
        )
        row = [(x.dtype, x.dims[1:]), ("int32", ())]

        def one(*given):
            before, (input_, time) = given[:n], given[n : n + 2]
            output, after = cell(input_, nested.put_together(structure, list(before)))
            _, leaves = nested.taken_apart(after, nested.is_graph_tensor)
            if lengths:
                goes_on = time < lengths[0]
                leaves = [_where(goes_on, a, b) for a, b in zip(leaves, before)]
                output = _where(goes_on, output, wrap.call(graph, _core.zeros_like, "zeros_like", (output,), {}))
            return [*leaves, output]

        step = body_of(graph, one, carried_specs(graph, first) + row)

        def function(state, values):
            start, along = list(values[:n]), values[n]
            steps = _core.range(int(along.shape[0]))
            if _core._is_tracing():
                last, outputs = _core._scan(
                    lambda carried, item: _split(state.inner(step, [*carried, *item]), n), start, [along, steps], False
                )
                return [*last, outputs]
            outputs = []
            for t in range(int(along.shape[0])):
                made = state.inner(step, [*start, along[t], steps[t]])
                start = made[:n]
                outputs.append(made[n])
            return [*start, _core.stack(outputs)]

        out = step.outputs[n]
        results = [(t.dtype, t.dims) for t in first] + [
            (out.dtype, None if out.dims is None else (x.dims[0], *out.dims))
        ]
        made = _add(
            graph, "while", "while", function, [*first, x], [step], results, [nested.Place(i) for i in range(n + 1)]
        )
        outputs = made[n] if time_major else _transposed(graph, made[n])
    return outputs, nested.put_together(structure, made[:n])


def _split(made, n):
    return list(made[:n]), made[n]


def _transposed(graph, x):
    return wrap.call(graph, lambda v: _core.transpose(v, [1, 0, *range(2, v.shape.rank)]), "transpose", (x,), {})


def _zero_state(graph, cell, x, dtype):
    if dtype is None:
        raise ValueError("If there is no initial_state, you must give a dtype.")
    batch = x.shape[1]
    if batch is None or not isinstance(batch, int):
        batch = wrap.call(graph, lambda v: _core.shape(v)[1], "strided_slice", (x,), {})
    return cell.zero_state(batch, dtype)


def bidirectional_dynamic_rnn(cell_fw, cell_bw, inputs, sequence_length=None, initial_state_fw=None,
                              initial_state_bw=None, dtype=None, parallel_iterations=None, swap_memory=False,
                              time_major=False, scope=None):  # fmt: skip
    """The results of a cell from the front and of another from the back, and their last states."""
    graph = core.building()
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as fw:
            output_fw, state_fw = dynamic_rnn(
                cell_fw, inputs, sequence_length, initial_state_fw, dtype, time_major=time_major, scope=fw
            )
        time, batch = (0, 1) if time_major else (1, 0)

        def reversed_(x):
            if sequence_length is None:
                return wrap.call(graph, lambda v: _core.reverse(v, [time]), "ReverseV2", (x,), {})
            from brio import _more_arrays

            call = getattr(_more_arrays.reverse_sequence, "_behind", _more_arrays.reverse_sequence)
            return wrap.call(
                graph,
                lambda v, s: call(v, s, seq_axis=time, batch_axis=batch),
                "ReverseSequence",
                (x, wrap.convert(sequence_length)),
                {},
            )

        with variable_scope("bw") as bw:
            output_bw, state_bw = dynamic_rnn(
                cell_bw,
                reversed_(wrap.convert(inputs)),
                sequence_length,
                initial_state_bw,
                dtype,
                time_major=time_major,
                scope=bw,
            )
    return (output_fw, reversed_(output_bw)), (state_fw, state_bw)


def static_rnn(cell, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    """The results of a cell for a list of inputs, as a list, and its last state."""
    if not inputs:
        raise ValueError("inputs must not be empty")
    graph = core.building()
    with variable_scope(scope or "rnn") as held:
        flat = [wrap.convert(x) for x in inputs]
        if initial_state is not None:
            state = initial_state
        else:
            batch = flat[0].shape[0]
            state = cell.zero_state(
                batch
                if isinstance(batch, int)
                else wrap.call(graph, lambda v: _core.shape(v)[0], "strided_slice", (flat[0],), {}),
                dtype,
            )
        lengths = None if sequence_length is None else wrap.convert(sequence_length)
        outputs = []
        for time, x in enumerate(flat):
            if time:
                held.reuse_variables()
            output, after = cell(x, state)
            if lengths is not None:
                goes_on = wrap.call(graph, lambda s, t=time: _core.cast(s, "int32") > t, "Greater", (lengths,), {})
                after = _nest.map_structure(lambda a, b: _where(goes_on, a, b), after, state)  # noqa: B023
                output = _where(goes_on, output, wrap.call(graph, _core.zeros_like, "zeros_like", (output,), {}))
            outputs.append(output)
            state = after
    return outputs, state


def static_bidirectional_rnn(
    cell_fw, cell_bw, inputs, initial_state_fw=None, initial_state_bw=None, dtype=None, sequence_length=None, scope=None
):
    """The results of two cells from both ends, joined, and their last states."""
    graph = core.building()
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as fw:
            forward, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length, fw)
        with variable_scope("bw") as bw:
            backward, state_bw = static_rnn(cell_bw, inputs[::-1], initial_state_bw, dtype, sequence_length, bw)
    outputs = [
        wrap.call(graph, lambda a, b: _core.concat([a, b], 1), "concat", pair, {})
        for pair in zip(forward, backward[::-1])
    ]
    return outputs, state_fw, state_bw
