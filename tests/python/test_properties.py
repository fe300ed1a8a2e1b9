"""Indexing, broadcasting and shapes against NumPy, on cases that Hypothesis makes up."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import brio as tf

# A few seconds in all; the same cases each time. How long it takes to draw them says nothing of Brio: under sanitizers,
# or beside other work, that is more than Hypothesis expects.
settings.register_profile(
    "brio", max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("brio")

shapes = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
full_shapes = hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4)
dtypes = st.sampled_from([np.float32, np.float64, np.int32, np.int64, np.uint8, np.bool_])


def numbered(shape, dtype=np.int32):
    return np.arange(math.prod(shape)).reshape(shape).astype(dtype)


def same(tensor, array):
    got = tensor.numpy()
    assert tuple(tensor.shape) == np.shape(array)
    assert np.asarray(got).dtype == np.asarray(array).dtype
    np.testing.assert_array_equal(got, array)


@given(shapes, dtypes)
def test_arrays_come_back_as_they_went(shape, dtype):
    array = numbered(shape, dtype)
    same(tf.constant(array), array)
    np.testing.assert_array_equal(np.asarray(tf.constant(array)), array)


@given(st.data(), full_shapes)
def test_basic_indexing(data, shape):
    array = numbered(shape)
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    same(tf.constant(array)[key], array[key])


@given(st.data(), full_shapes)
def test_indexing_by_an_array_of_integers(data, shape):
    array = numbered(shape)
    rows = data.draw(
        hnp.arrays(
            np.int32,
            hnp.array_shapes(min_dims=1, max_dims=2, max_side=3),
            elements=st.integers(-shape[0], shape[0] - 1),
        )
    )
    same(tf.constant(array)[rows], array[rows])
    same(tf.constant(array)[tf.constant(rows)], array[rows])


@given(st.data(), full_shapes)
def test_indexing_by_a_mask(data, shape):
    array = numbered(shape)
    depth = data.draw(st.integers(1, len(shape)))
    mask = data.draw(hnp.arrays(np.bool_, shape[:depth]))
    same(tf.constant(array)[mask], array[mask])
    same(tf.boolean_mask(array, mask), array[mask])


@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=3))
def test_broadcasting(shapes):
    a, b = (numbered(shape, np.float32) + 1 for shape in shapes.input_shapes)
    x, y = tf.constant(a), tf.constant(b)
    for ours, theirs in [
        (x + y, a + b),
        (x - y, a - b),
        (x * y, a * b),
        (tf.maximum(x, y), np.maximum(a, b)),
        (x < y, a < b),
    ]:
        same(ours, theirs)
    same(tf.where(x < y, x, y), np.where(a < b, a, b))
    assert tuple(tf.broadcast_static_shape(x.shape, y.shape)) == shapes.result_shape


@given(hnp.array_shapes(min_dims=1, max_dims=3, max_side=3), hnp.array_shapes(min_dims=1, max_dims=3, max_side=3))
def test_what_does_not_broadcast_is_refused(a, b):
    try:
        np.broadcast_shapes(a, b)
    except ValueError:
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.zeros(a) + tf.zeros(b)


@given(hnp.mutually_broadcastable_shapes(num_shapes=1, max_dims=4, max_side=3))
def test_broadcast_to(shapes):
    (shape,) = shapes.input_shapes
    array = numbered(shape)
    same(tf.broadcast_to(array, shapes.result_shape), np.broadcast_to(array, shapes.result_shape))


@given(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3))
def test_gradients_have_the_shapes_of_their_sources(shapes):
    x, y = (tf.Variable(tf.ones(shape)) for shape in shapes.input_shapes)
    with tf.GradientTape() as tape:
        z = x * y
    gradients = tape.gradient(z, [x, y])
    count = math.prod(shapes.result_shape)
    for gradient, source in zip(gradients, (x, y)):
        assert gradient.shape == source.shape
        assert float(tf.reduce_sum(gradient)) == count if source.shape.num_elements() else True


@given(st.data(), full_shapes)
def test_reshape(data, shape):
    array = numbered(shape)
    sizes, left = [], math.prod(shape)
    while left > 1 and len(sizes) < 5:
        size = data.draw(st.sampled_from([d for d in range(1, left + 1) if left % d == 0]))
        sizes.append(size)
        left //= size
    sizes.append(left)
    same(tf.reshape(array, sizes), array.reshape(sizes))
    place = data.draw(st.integers(0, len(sizes) - 1))
    same(tf.reshape(array, sizes[:place] + [-1] + sizes[place + 1 :]), array.reshape(sizes))


@given(full_shapes, st.lists(st.integers(-2, 6), max_size=4))
def test_reshape_agrees_on_what_is_wrong(shape, sizes):
    array = numbered(shape)
    ok = sizes.count(-1) <= 1 and all(s >= -1 for s in sizes)
    try:
        wanted = array.reshape(sizes) if ok else None
    except ValueError:
        wanted = None
    if wanted is None:
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.reshape(array, sizes)
    else:
        same(tf.reshape(array, sizes), wanted)


@given(st.data(), full_shapes)
def test_transpose(data, shape):
    array = numbered(shape)
    order = data.draw(st.permutations(range(len(shape))))
    same(tf.transpose(array, order), array.transpose(order))
    same(tf.transpose(array), array.T)


@given(st.data(), full_shapes, st.booleans())
def test_reductions(data, shape, keepdims):
    array = numbered(shape)
    axes = data.draw(st.lists(st.integers(0, len(shape) - 1), unique=True))
    axes = tuple(a - len(shape) if data.draw(st.booleans()) else a for a in axes)
    for ours, theirs in [(tf.reduce_sum, np.sum), (tf.reduce_max, np.max), (tf.reduce_min, np.min)]:
        same(ours(array, axes, keepdims), theirs(array, axis=axes, keepdims=keepdims).astype(np.int32))
    same(tf.reduce_sum(array), np.sum(array, dtype=np.int32))


@given(st.data(), full_shapes)
def test_concat_and_split(data, shape):
    array = numbered(shape)
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    cut = data.draw(st.integers(0, shape[axis]))
    first, second = tf.split(array, [cut, shape[axis] - cut], axis=axis)
    wanted = np.split(array, [cut], axis=axis)
    same(first, wanted[0])
    same(second, wanted[1])
    same(tf.concat([first, second], axis), array)
    same(tf.stack([array, array], axis), np.stack([array, array], axis))


@given(st.data(), full_shapes)
def test_gather_and_take(data, shape):
    array = numbered(shape)
    axis = data.draw(st.integers(0, len(shape) - 1))
    indices = data.draw(
        hnp.arrays(
            np.int64, hnp.array_shapes(min_dims=0, max_dims=2, max_side=3), elements=st.integers(0, shape[axis] - 1)
        )
    )
    same(tf.gather(array, indices, axis=axis), np.take(array, indices, axis))


@given(st.data(), full_shapes)
def test_pad_tile_roll_reverse(data, shape):
    array = numbered(shape)
    axis = data.draw(st.integers(0, len(shape) - 1))
    pads = data.draw(
        st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=len(shape), max_size=len(shape))
    )
    times = data.draw(st.lists(st.integers(0, 2), min_size=len(shape), max_size=len(shape)))
    shift = data.draw(st.integers(-5, 5))
    same(tf.pad(array, pads), np.pad(array, pads))
    same(tf.tile(array, times), np.tile(array, times))
    same(tf.roll(array, shift, axis), np.roll(array, shift, axis))
    same(tf.reverse(array, [axis]), np.flip(array, axis))
    same(tf.expand_dims(array, axis), np.expand_dims(array, axis))


@given(st.lists(st.floats(allow_nan=False, allow_subnormal=False, width=32), max_size=20))
def test_sort(values):
    array = np.array(values, np.float32)
    same(tf.sort(array), np.sort(array))
    same(tf.argsort(array, stable=True), np.argsort(array, kind="stable").astype(np.int32))


@given(st.data())
def test_nothing_that_is_nested_crashes(data):
    leaf = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=3),
        st.binary(max_size=3),
        st.complex_numbers(),
    )
    value = data.draw(
        st.recursive(
            leaf,
            lambda inner: st.one_of(
                st.lists(inner, max_size=3),
                st.tuples(inner, inner),
                st.dictionaries(st.text(max_size=1), inner, max_size=2),
            ),
            max_leaves=8,
        )
    )
    try:
        tf.constant(value).numpy()
    except (TypeError, ValueError, OverflowError):
        pass


def test_lists_without_end_are_refused():
    endless = []
    endless.append(endless)
    deep = 1
    for _ in range(5000):
        deep = [deep]
    for value in (endless, deep):
        with pytest.raises((ValueError, RecursionError)):
            tf.constant(value)


def test_sizes_past_memory_are_refused():
    with pytest.raises((ValueError, MemoryError)):
        tf.zeros([2**40, 2**40])
    with pytest.raises((ValueError, MemoryError)):
        tf.zeros([2**45]).numpy()
