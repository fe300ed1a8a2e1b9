"""Methods of tf.Variable that few programs use: parts that are assigned to, and rows that are scattered."""

from brio import _core
from brio.errors import InvalidArgumentError, OutOfRangeError

_HOW = {
    "assign": _core.tensor_scatter_nd_update,
    "assign_add": _core.tensor_scatter_nd_add,
    "assign_sub": _core.tensor_scatter_nd_sub,
}


def assign_part(variable, key, value, how):
    """v[key].assign(value) and its kin: the numbers that v[key] picks are scattered into the flat variable."""
    shape = variable.shape
    places = _core.reshape(_core.range(shape.num_elements()), shape)[key]
    value = _core.convert_to_tensor(value, dtype_hint=variable.dtype)
    if value.dtype != variable.dtype:
        raise InvalidArgumentError(
            f"[assign] the part is {variable.dtype.name} and the value {value.dtype.name}; cast it"
        )
    if value.shape != places.shape and value.shape.rank:
        raise InvalidArgumentError(
            f"[assign] the part has shape {tuple(places.shape)} and the value {tuple(value.shape)}"
        )
    flat = _HOW[how](
        _core.reshape(variable, [-1]),
        _core.reshape(places, [-1, 1]),
        _core.reshape(_core.broadcast_to(value, _core.shape(places)), [-1]),
    )
    return variable.assign(_core.reshape(flat, shape))


# ---- rows that IndexedSlices name


def _rows(variable, delta, change):
    from brio._spec import IndexedSlices

    if not hasattr(delta, "indices") or not hasattr(delta, "values"):
        raise TypeError(f"sparse_delta is not IndexedSlices: {delta!r}. Give {IndexedSlices.__name__}(values, indices)")
    indices = _core.convert_to_tensor(delta.indices)
    values = _core.convert_to_tensor(delta.values, dtype_hint=variable.dtype)
    rows = _core.concat([_core.shape(indices), _core.shape(variable)[1:]], 0)
    return change(
        variable,
        _core.reshape(indices, [-1, 1]),
        _core.reshape(_core.broadcast_to(values, rows), _core.concat([[-1], _core.shape(variable)[1:]], 0)),
    )


def scatter_update(variable, sparse_delta, use_locking=False, name=None):
    """Sets rows."""
    return _rows(variable, sparse_delta, scatter_nd_update)


def scatter_add(variable, sparse_delta, use_locking=False, name=None):
    """Adds to rows."""
    return _rows(variable, sparse_delta, scatter_nd_add)


def scatter_sub(variable, sparse_delta, use_locking=False, name=None):
    """Takes away from rows."""
    return _rows(variable, sparse_delta, scatter_nd_sub)


def scatter_min(variable, sparse_delta, use_locking=False, name=None):
    """The smaller of each number and the new one."""
    return _rows(variable, sparse_delta, lambda v, i, u: v.assign(_core.tensor_scatter_nd_min(v, i, u)))


def scatter_max(variable, sparse_delta, use_locking=False, name=None):
    """The larger of each number and the new one."""
    return _rows(variable, sparse_delta, lambda v, i, u: v.assign(_core.tensor_scatter_nd_max(v, i, u)))


def scatter_mul(variable, sparse_delta, use_locking=False, name=None):
    """Multiplies rows. An index that stands twice multiplies twice."""
    return _rows(variable, sparse_delta, lambda v, i, u: v.assign(v * _product(v, i, u)))


def scatter_div(variable, sparse_delta, use_locking=False, name=None):
    """Divides rows. An index that stands twice divides twice."""
    return _rows(variable, sparse_delta, lambda v, i, u: v.assign(_divided(v, _product(v, i, u))))


def _product(variable, indices, updates):
    from brio import math

    made = math.unsorted_segment_prod(updates, _core.reshape(indices, [-1]), variable.shape[0])
    return made


def _divided(a, b):
    return a // b if a.dtype.is_integer else a / b


# ---- parts at indices


def scatter_nd_update(variable, indices, updates, name=None):
    """Sets parts."""
    return variable.assign(_core.tensor_scatter_nd_update(variable, indices, _of(variable, updates)))


def scatter_nd_add(variable, indices, updates, name=None):
    """Adds to parts."""
    return variable.assign(_core.tensor_scatter_nd_add(variable, indices, _of(variable, updates)))


def scatter_nd_sub(variable, indices, updates, name=None):
    """Takes away from parts."""
    return variable.assign(_core.tensor_scatter_nd_sub(variable, indices, _of(variable, updates)))


def _of(variable, updates):
    return _core.convert_to_tensor(updates, dtype_hint=variable.dtype)


def batch_scatter_update(variable, sparse_delta, use_locking=False, name=None):
    """Sets rows of each element of a batch: the last axis of the indices counts along that axis of the variable."""
    indices = _core.convert_to_tensor(sparse_delta.indices)
    axes = [_core.range(n, dtype=indices.dtype) for n in indices.shape[:-1]]
    places = [
        _core.broadcast_to(_core.reshape(a, [-1 if j == i else 1 for j in range(len(indices.shape))]), indices.shape)
        for i, a in enumerate(axes)
    ]
    return scatter_nd_update(variable, _core.stack([*places, indices], -1), sparse_delta.values)


def gather_nd(variable, indices, name=None):
    """The parts at indices."""
    return _core.gather_nd(variable, indices)


def sparse_read(variable, indices, name=None):
    """The rows at indices."""
    return _core.gather(variable, indices)


# ---- the rest


def count_up_to(variable, limit):
    """Adds 1 and returns the value before; at the limit, OutOfRangeError."""
    before = _core.convert_to_tensor(variable)
    if int(before) >= limit:
        raise OutOfRangeError(f"[count_up_to] {variable.name} reached its limit {limit}")
    before = before + 0
    variable.assign_add(1)
    return before


def set_shape(variable, shape):
    """Checks that the shape is this one."""
    _core.convert_to_tensor(variable).set_shape(shape)


def evaluated(variable, session=None):
    """The values."""
    return variable.numpy()
