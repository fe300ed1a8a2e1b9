"""tf.ragged_fill_empty_rows."""

import collections

from brio import _core

_Filled = collections.namedtuple(
    "RaggedFillEmptyRows", ["output_value_rowids", "output_values", "empty_row_indicator", "reverse_index_map"]
)


def ragged_fill_empty_rows(value_rowids, values, nrows, default_value, name=None):
    """The values of ragged rows with a default in each row that has none:
    (rows of values, values, which rows were empty, where values went).

    >>> tf.ragged_fill_empty_rows([0, 0, 2], [1, 2, 3], 4, -1).output_values.numpy().tolist()
    [1, 2, -1, 3, -1]
    """
    rows, values = _core.cast(value_rowids, "int64"), _core.convert_to_tensor(values)
    default = _core.convert_to_tensor(default_value, values.dtype)
    every = _core.range(_core.cast(nrows, "int64"))
    empty = _core.logical_not(_core.reduce_any(_core.equal(every[:, None], rows[None, :]), axis=1))
    added = _core.where(empty)[:, 0]
    both = _core.concat([rows, added], 0)
    order = _core.argsort(both, stable=True)
    defaults = _core.broadcast_to(default, _core.concat([_core.shape(added), _core.shape(values)[1:]], 0))
    taken = _core.gather(_core.concat([values, defaults], 0), order)
    return _Filled(
        _core.gather(both, order), taken, empty, _core.cast(_core.argsort(order), "int64")[: _core.shape(rows)[0]]
    )
