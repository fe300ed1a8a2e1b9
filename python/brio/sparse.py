"""tf.sparse: what is often used of it."""

import math as _math

from brio import _core
from brio._lazy import names as _names
from brio._sparse import SparseTensor
from brio.errors import InvalidArgumentError as _InvalidArgumentError

__getattr__, __dir__, _HOMES = _names(
    __name__,
    {
        "_more_sparse": (
            "bincount expand_dims fill_empty_rows mask maximum minimum reset_shape retain segment_mean segment_sqrt_n "
            "segment_sum softmax split to_indicator"
        ),
    },
)


def to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    """The tensor with all its zeros, or another default."""
    values, shape = sp_input.values, sp_input.shape
    if default_value is None:
        default_value = "" if values.dtype == _core.string else 0
    if values.dtype == _core.string:  # strings are not scattered: each place says which of them it is
        places = _core.scatter_nd(sp_input.indices, _core.range(1, values.shape[0] + 1), shape)
        return _core.gather(_core.concat([_core.reshape(_core.constant(default_value), [1]), values], 0), places)
    filled = _core.fill(shape, _core.cast(default_value, values.dtype))
    return _core.tensor_scatter_nd_update(filled, sp_input.indices, values)


def from_dense(tensor, name=None):
    """The elements that are not 0, in order."""
    tensor = _core.convert_to_tensor(tensor)
    indices = _core.where(_core.not_equal(tensor, _core.zeros_like(tensor) if tensor.dtype != _core.string else ""))
    return SparseTensor(indices, _core.gather_nd(tensor, indices), _core.shape(tensor))


def reorder(sp_input, name=None):
    """The elements in the order of their places."""
    key = _core.zeros([sp_input.values.shape[0]], "int64")
    for axis, size in enumerate(sp_input.shape):
        key = key * size + sp_input.indices[:, axis]
    order = _core.argsort(key, stable=True)
    return SparseTensor(
        _core.gather(sp_input.indices, order), _core.gather(sp_input.values, order), sp_input.dense_shape
    )


def sparse_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    """The product of a sparse and a dense matrix."""
    a, b = (to_dense(x) if isinstance(x, SparseTensor) else x for x in (sp_a, b))
    return _core.matmul(a, b, adjoint_a=adjoint_a, adjoint_b=adjoint_b)


def add(a, b, threshold=0):
    """The sum; sparse where both are."""
    both = isinstance(a, SparseTensor) and isinstance(b, SparseTensor)
    total = (to_dense(a) if isinstance(a, SparseTensor) else a) + (to_dense(b) if isinstance(b, SparseTensor) else b)
    if not both:
        return total
    places = _core.concat([a.indices, b.indices], axis=0)
    touched = _core.scatter_nd(places, _core.ones([places.shape[0]], "int32"), a.shape)
    indices = _core.where(touched > 0)
    return SparseTensor(indices, _core.gather_nd(total, indices), a.dense_shape)


def transpose(sp_input, perm=None, name=None):
    """The axes in another order; reversed where perm is not given."""
    perm = list(range(len(sp_input.shape)))[::-1] if perm is None else [int(p) for p in perm]
    moved = SparseTensor(
        _core.gather(sp_input.indices, perm, axis=1), sp_input.values, _core.gather(sp_input.dense_shape, perm)
    )
    return reorder(moved)


def reshape(sp_input, shape, name=None):
    """The same elements in another shape.

    >>> tf.sparse.reshape(tf.sparse.from_dense([[0, 5], [7, 0]]), [4]).indices.numpy().tolist()
    [[1], [2]]
    """
    old, new = [int(n) for n in sp_input.shape], [int(n) for n in _core.convert_to_tensor(shape).numpy()]
    if -1 in new and _math.prod(n for n in new if n != -1):
        new[new.index(-1)] = _math.prod(old) // _math.prod(n for n in new if n != -1)
    if _math.prod(old) != _math.prod(new):
        raise _InvalidArgumentError(f"[sparse.reshape] {old} and {new} do not hold the same number of elements")
    steps = lambda sizes: [_math.prod(sizes[i + 1 :]) for i in range(len(sizes))]
    places = _core.reduce_sum(sp_input.indices * _core.constant(steps(old), "int64", shape=[len(old)]), axis=1)
    columns = [places // step % n for step, n in zip(steps(new), new)]
    return SparseTensor(_core.stack(columns, axis=1), sp_input.values, new)


def concat(axis, sp_inputs, expand_nonconcat_dims=False, name=None):
    """Sparse tensors, one after the other along an axis."""
    if (
        not isinstance(sp_inputs, (list, tuple))
        or not sp_inputs
        or not all(isinstance(s, SparseTensor) for s in sp_inputs)
    ):
        raise TypeError("[sparse.concat] takes a list of sparse tensors")
    if not -len(sp_inputs[0].shape) <= axis < len(sp_inputs[0].shape):
        raise ValueError(f"[sparse.concat] axis {axis} is out of range for shape {sp_inputs[0].shape}")
    axis %= len(sp_inputs[0].shape)
    indices, offset = [], 0
    for part in sp_inputs:
        step = _core.one_hot(axis, len(part.shape), dtype="int64") * offset
        indices.append(part.indices + step)
        offset += part.shape[axis]
    shape = [offset if i == axis else n for i, n in enumerate(sp_inputs[0].shape)]
    return reorder(SparseTensor(_core.concat(indices, 0), _core.concat([p.values for p in sp_inputs], 0), shape))


def slice(sp_input, start, size, name=None):
    """What lies in a box, counted from its corner."""
    start, size = _core.cast(start, "int64"), _core.cast(size, "int64")
    end = _core.maximum(_core.minimum(start + size, sp_input.dense_shape), start)  # a box beside it is empty
    inside = _core.reduce_all((sp_input.indices >= start) & (sp_input.indices < end), axis=1)
    return SparseTensor(
        _core.boolean_mask(sp_input.indices, inside) - start, _core.boolean_mask(sp_input.values, inside), end - start
    )


def map_values(op, *args, **kwargs):
    """op of the elements that are not 0."""
    like = next(a for a in args if isinstance(a, SparseTensor))
    return like.with_values(op(*[a.values if isinstance(a, SparseTensor) else a for a in args], **kwargs))


def _reduced(fold, sp_input, axis, keepdims):
    return fold(to_dense(sp_input), axis, bool(keepdims))


def reduce_sum(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    """The sum over axes."""
    return _reduced(_core.reduce_sum, sp_input, axis, keepdims)


def reduce_max(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    """The largest of the elements that are not 0, over axes; 0 where there is none."""
    lowest = sp_input.dtype.min
    smallest = to_dense(sp_input, int(lowest) if sp_input.dtype.is_integer else float(lowest))
    largest = _core.reduce_max(smallest, axis, bool(keepdims))
    return _core.where(
        _core.equal(
            largest, _core.constant(int(lowest) if sp_input.dtype.is_integer else float(lowest), sp_input.dtype)
        ),
        _core.zeros_like(largest),
        largest,
    )


def eye(num_rows, num_columns=None, dtype="float32", name=None):
    """A sparse matrix that has 1 on the main diagonal."""
    return from_dense(_core.eye(num_rows, num_columns, dtype=dtype))


def cross(inputs, name=None, separator=None):
    """All combinations of the values of columns, row by row, as strings.

    >>> tf.sparse.cross([tf.constant([["a", "b"]]), tf.constant([[7]])]).values.numpy().tolist()
    [b'a_X_7', b'b_X_7']
    """
    from brio._crossing import sparse_cross

    return sparse_cross(inputs, name, separator)


def cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    """All combinations of the values of columns, row by row, as numbers of buckets."""
    from brio._crossing import sparse_cross_hashed

    return sparse_cross_hashed(inputs, num_buckets, hash_key, name)
