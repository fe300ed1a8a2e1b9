"""Recurrent layers and cells as Python classes, and cells written in Python."""

import math

from brio import _core, _nest
from brio.keras._builtin import Builtin


class Recurrent(Builtin):
    """RNN, LSTM, GRU, SimpleRNN, Bidirectional."""

    _input_names = ()

    def reset_states(self):
        """The next batch begins with a state of zeros."""
        _core._reset_states(self._inner)

    reset_state = reset_states

    @property
    def states(self):
        """What a stateful layer keeps from one batch to the next; None of any other, and before its first batch."""
        return (_core._kept_states(self._inner) if self._kind != "Bidirectional" else []) or None

    @property
    def state_size(self):
        """The sizes of the states."""
        size = self.cell.state_size
        return size if isinstance(size, (list, tuple)) else [size]

    def get_initial_state(self, batch_size=None):
        """States of zeros for so many samples."""
        return self.cell.get_initial_state(batch_size=batch_size)

    @property
    def cell(self):
        """The cell that each step runs."""
        from brio.keras.layers import _python_layer

        given = self.__dict__.get("_config", {}).get("cell")
        if hasattr(given, "_handle"):  # also one of Python's, which C++ has behind another
            return given
        return _python_layer(self._inner.layers()[0])

    @property
    def forward_layer(self):
        """The layer that runs forwards."""
        return self._part(0)

    @property
    def backward_layer(self):
        """The layer that runs backwards."""
        return self._part(1)

    def _part(self, index):
        from brio.keras.layers import _python_layer

        if self._kind != "Bidirectional":
            raise AttributeError(f"'{type(self).__name__}' object has no forward_layer and backward_layer")
        return _python_layer(self._inner.layers()[index])

    def _packed(self, results):
        if self._kind == "RNN":
            cell = self.cell
            if len(results) > 1 and isinstance(cell, StackedCells):
                return [results[0], *_nest.pack(cell.state_size, results[1:])]
            results = self._in_shape(cell, list(results))
        return results[0] if len(results) == 1 else results

    def _in_shape(self, cell, results):
        """Results and states of a cell of Python's in the shapes that it gave them."""
        from brio.keras import ops

        shapes = [
            cell.__dict__.get("_output_shape", ()),
            *(_state_shapes(cell.state_size) if len(results) > 1 and not isinstance(cell, Builtin) else ()),
        ]
        for i, shape in enumerate(shapes):
            if len(shape) > 1:
                time = (results[i].shape[1],) if i == 0 and self.return_sequences else ()
                results[i] = ops.reshape(results[i], (-1, *(n if n is not None else -1 for n in time), *shape))
        return results


class Cell(Builtin):
    """One step of a recurrent layer."""

    @property
    def state_size(self):
        """The sizes of the states."""
        return [self.units] * 2 if self._kind == "LSTMCell" else self.units

    @property
    def output_size(self):
        """The size of the result."""
        return self.units

    def _packed(self, results):
        return results[0], list(results[1:])

    def build_from_config(self, config):
        """The layer around it builds it."""

    def get_initial_state(self, batch_size=None, dtype=None):
        """States of zeros for so many samples."""
        sizes = _nest.flatten(self.state_size)
        return [_core.zeros([batch_size, size], dtype or "float32") for size in sizes]


class StackedCells(Builtin):
    """Several cells as one."""

    def build_from_config(self, config):
        """The layer around it builds it."""

    @property
    def cells(self):
        """The cells, the first one first."""
        from brio.keras.layers import _python_layer

        given = self.__dict__.get("_config", {}).get("cells")
        if given and all(
            hasattr(cell, "_handle") for cell in given
        ):  # also those of Python's, which C++ has behind others
            return list(given)
        return [_python_layer(handle) for handle in self._inner.layers()]

    @property
    def state_size(self):
        """The sizes of all states."""
        return [cell.state_size for cell in self.cells]

    @property
    def output_size(self):
        """The size of the last cell's result."""
        return self.cells[-1].output_size


def as_cell(cell):
    """A cell for C++: one of its own, or a layer of Python's that has state_size."""
    if not hasattr(cell, "_handle"):
        raise TypeError(f"a cell is a layer with call(inputs, states) and state_size, but got {cell!r}")
    if isinstance(cell, (Cell, StackedCells)) and cell._inner is cell._handle:
        return cell
    if not hasattr(cell, "state_size"):
        raise ValueError(f"{type(cell).__name__} is no cell: it has no state_size")
    if "_as_cell" not in cell.__dict__:
        shapes = _state_shapes(cell.state_size)
        sizes = [math.prod(shape) for shape in shapes]
        output = getattr(cell, "output_size", None)
        output = sizes[0] if output is None else output if isinstance(output, int) else math.prod(output)

        def step(tensors, training):
            flat = [_core.reshape(t, [-1, *shape]) if len(shape) > 1 else t for t, shape in zip(tensors[1:], shapes)]
            states = flat if len(flat) > 1 or isinstance(cell.state_size, (list, tuple)) else [flat[0]]
            from brio.keras._layer import _call_arguments

            kwargs = {"training": training} if "training" in _call_arguments(type(cell)) else {}
            made, new = cell(tensors[0], states, **kwargs)
            object.__setattr__(cell, "_output_shape", tuple(made.shape[1:]))
            return [_in_a_row(made), *(_in_a_row(s) for s in _nest.flatten(new))]

        object.__setattr__(cell, "_as_cell", _core._python_cell(cell._handle, sizes, output, step))
    return _Handle(cell.__dict__["_as_cell"])


def _state_shapes(state_size):
    """The shape of each state of a sample: a number is one axis, a list of numbers is a state for each,
    a shape is a state of its own."""
    given = state_size if isinstance(state_size, list) or type(state_size) is tuple else [state_size]
    return [(s,) if isinstance(s, int) else tuple(s) for s in given]


def _in_a_row(x):
    """C++ keeps states and results as (batch, numbers)."""
    return x if len(x.shape) <= 2 else _core.reshape(x, [-1, math.prod(x.shape[1:])])


class _Handle:
    """What C++ looks for where it takes a layer."""

    def __init__(self, handle):
        self._handle = handle
