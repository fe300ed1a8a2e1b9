"""keras.ops: tensors, shapes, loops."""

import numpy as np

import brio as tf
from brio import _core, _nest
from brio.keras.ops._convert import tensor, together


def shape(x):
    """The sizes as a tuple. While a function is traced, those that are not known are tensors;
    of a symbol they are None."""
    if not hasattr(x, "shape"):
        x = tensor(x)
    sizes = tuple(x.shape)
    if None in sizes and isinstance(x, _core.Tensor):
        known = tf.shape(x)
        return tuple(known[i] if size is None else size for i, size in enumerate(sizes))
    return sizes


def cast(x, dtype):
    """x in another dtype."""
    if hasattr(x, "dense_shape"):  # a sparse tensor stays one
        return x.with_values(tf.cast(x.values, dtype))
    return tf.cast(tensor(x), dtype)


def saturate_cast(x, dtype):
    """x in another dtype; what does not fit becomes its largest or smallest number."""
    return tf.saturate_cast(tensor(x), dtype)


def convert_to_tensor(x, dtype=None, sparse=None, ragged=None):
    """x as a tensor."""
    if hasattr(x, "row_splits"):
        return x if dtype is None else tf.cast(x, dtype)
    return tensor(x) if dtype is None else tf.cast(tensor(x), dtype)


def convert_to_numpy(x):
    """x as a NumPy array of its own."""
    return np.array(x.numpy() if hasattr(x, "numpy") else x)


def is_tensor(x):
    """Is this a tensor?"""
    return isinstance(x, _core.Tensor)


def stop_gradient(variable):
    """The same value, through which no gradient passes."""
    return tf.stop_gradient(tensor(variable))


def cond(pred, true_fn, false_fn):
    """true_fn() or false_fn(), as pred says."""
    return tf.cond(tensor(pred), true_fn, false_fn)


def while_loop(cond, body, loop_vars, maximum_iterations=None):
    """Runs body on the loop's variables while cond of them holds."""
    single = not isinstance(loop_vars, (list, tuple))
    variables = (loop_vars,) if single else tuple(loop_vars)

    def step(*values):
        made = body(*values)
        return tuple(made) if isinstance(made, (list, tuple)) else (made,)

    made = tf.while_loop(lambda *values: cond(*values), step, variables, maximum_iterations=maximum_iterations)
    return made[0] if single else tuple(made)


def fori_loop(lower, upper, body_fun, init_val):
    """Runs body_fun(i, value) for i from lower to upper."""
    made = tf.while_loop(lambda i, v: i < upper, lambda i, v: (i + 1, body_fun(i, v)), (tensor(lower), init_val))
    return made[1]


def map(f, xs):
    """f of each row, stacked."""
    return (
        tf.map_fn(f, xs)
        if not _nest.is_nested(xs)
        else _stacked([f(_nest.pack(xs, leaves)) for leaves in zip(*(tf.unstack(v) for v in _nest.flatten(xs)))])
    )


def _stacked(rows):
    return _nest.map_structure(lambda *v: tf.stack(v), *rows)


def vectorized_map(function, elements):
    """function of each row, stacked."""
    return map(function, elements)


def scan(f, init, xs=None, length=None, reverse=False, unroll=1):
    """carry, y = f(carry, x) along the first axis; returns the last carry and all y."""
    flat = [] if xs is None else [tf.unstack(tensor(x)) for x in _nest.flatten(xs)]
    n = len(flat[0]) if flat else length
    carry, made = init, [None] * n
    for i in reversed(range(n)) if reverse else range(n):
        x = None if xs is None else _nest.pack(xs, [rows[i] for rows in flat])
        carry, made[i] = f(carry, x)
    return carry, (None if made and made[0] is None else _stacked(made))


def associative_scan(f, elems, reverse=False, axis=0):
    """The running results of an associative function of two elements, along an axis."""
    rows = tf.unstack(tensor(elems), axis=axis)
    rows = rows[::-1] if reverse else rows
    made = rows[:1]
    for row in rows[1:]:
        made.append(f(made[-1], row))
    return tf.stack(made[::-1] if reverse else made, axis=axis)


def switch(index, branches, *operands):
    """branches[index](*operands)."""
    return tf.switch_case(tensor(index), [lambda b=b: b(*operands) for b in branches])


def unstack(x, num=None, axis=0):
    """The slices along an axis, as a list."""
    return tf.unstack(tensor(x), num, axis)


def scatter(indices, values, shape):
    """A tensor of zeros of this shape with values added at indices."""
    return tf.scatter_nd(tensor(indices), tensor(values), shape)


def scatter_update(inputs, indices, updates, reduction=None):
    """inputs with updates put at indices, or combined there by a reduction ('add', 'max', 'min', 'mul')."""
    known = {
        None: tf.tensor_scatter_nd_update,
        "add": tf.tensor_scatter_nd_add,
        "max": tf.tensor_scatter_nd_max,
        "min": tf.tensor_scatter_nd_min,
        "mul": _scatter_mul,
    }
    if reduction not in known:
        raise ValueError(f"[scatter_update] reduction is {reduction!r}; it is None, 'add', 'max', 'min' or 'mul'")
    inputs, updates = together(inputs, updates)
    return known[reduction](inputs, tensor(indices), updates)


def _scatter_mul(inputs, indices, updates):
    sizes = [int(n) for n in inputs.shape]
    depth = int(indices.shape[-1])
    steps = [int(np.prod(sizes[i + 1 : depth])) for i in range(depth)]
    places = tf.reshape(tf.reduce_sum(indices * tf.constant(steps, indices.dtype), axis=-1), [-1])
    factors = tf.math.unsorted_segment_prod(
        tf.reshape(updates, [-1, *sizes[depth:]]), places, int(np.prod(sizes[:depth]))
    )
    return inputs * tf.reshape(factors, sizes)


def slice(inputs, start_indices, shape):
    """The part of this shape that begins at start_indices."""
    return tf.slice(tensor(inputs), start_indices, shape)


def slice_update(inputs, start_indices, updates):
    """inputs with updates written over the part that begins at start_indices."""
    inputs, updates = together(inputs, updates)
    starts = tf.unstack(tf.cast(tensor(start_indices), "int32"))
    grids = tf.meshgrid(*(tf.range(n) + start for n, start in zip(updates.shape, starts)), indexing="ij")
    return tf.tensor_scatter_nd_update(inputs, tf.stack(grids, -1), updates)


def custom_gradient(f):
    """A function whose gradient is what it returns beside its result."""
    return tf.custom_gradient(f)


def dtype(x):
    """The name of the dtype of x."""
    return tensor(x).dtype.name


__all__ = [n for n in dir() if not n.startswith("_") and n not in ("np", "tf", "tensor", "together")]
