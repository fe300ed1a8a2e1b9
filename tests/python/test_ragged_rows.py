"""Ragged tensors of as many rows as people have: what is done row by row must not look at all rows for each."""

import time

import numpy as np
import pytest

import brio as tf


def test_print_list_and_slice_twenty_thousand_rows():
    values = list(range(100_000))
    x = tf.RaggedTensor.from_uniform_row_length(values, 5)
    begin = time.process_time()
    rows = x.to_list()
    text = repr(x)
    part = x[100:15_000]
    assert time.process_time() - begin < 5  # a look at all rows for each row took minutes
    assert rows[:2] == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]] and len(rows) == 20_000
    assert text.startswith("<tf.RaggedTensor [[0, 1, 2, 3, 4],")
    assert part.shape[0] == 14_900 and part[0].numpy().tolist() == [500, 501, 502, 503, 504]
    assert part.row_splits.numpy()[[0, 1, -1]].tolist() == [0, 5, 74_500]


def test_slices_at_any_place_and_step():
    x = tf.ragged.constant([[[1, 2], [3]], [], [[4]]])
    lists = [[[1, 2], [3]], [], [[4]]]
    for key in (
        slice(0, 2),
        slice(1, None),
        slice(None, None, 2),
        slice(None, None, -1),
        slice(3, None),
        slice(2, 1),
        slice(-2, None),
    ):
        assert x[key].to_list() == lists[key], key
    assert tf.ragged.constant([["a"], [], ["b", "c"]])[1:].to_list() == [[], [b"b", b"c"]]


def test_a_hundred_thousand_rows_take_no_loop_over_rows():
    lengths = np.arange(100_000) * 7 % 10
    begin = time.process_time()
    x = tf.ragged.range(tf.constant(lengths))
    made = [
        tf.gather(x, np.arange(100_000)[::-1].copy()), tf.ragged.boolean_mask(x, x % 2 == 0), tf.concat([x, x], 1),
        x[:, ::2], tf.reverse(x, [1]), tf.tile(x, [1, 2]), tf.stack([x, x], 1),
        tf.RaggedTensor.from_sparse(x.to_sparse()),
        tf.RaggedTensor.from_tensor(x.to_tensor(-1), padding=tf.constant(-1, tf.int64)),
        x + tf.ones([100_000, 1], tf.int64), tf.where(x > 3, x, -x),
    ]  # fmt: skip
    ids = tf.ragged.row_splits_to_segment_ids(x.row_splits)
    assert time.process_time() - begin < 4  # it takes a tenth of a second
    assert all(len(y) == 100_000 for y in made) and int(ids[-1]) == int(np.flatnonzero(lengths)[-1])
    assert made[7].values.numpy().tolist() == x.values.numpy().tolist() == made[8].values.numpy().tolist()


def test_functions_see_other_values_of_the_same_rows():
    @tf.function
    def total(x):
        return tf.reduce_sum(x, 1)

    def both():
        return [
            total(tf.ragged.constant([[1, 2], [3]])).numpy().tolist(),
            total(tf.ragged.constant([[10, 20], [30]])).numpy().tolist(),
        ]

    assert both() == [[3, 3], [30, 30]]
    with tf.Graph().as_default():  # which puts a call of its own in the place of a function's
        tf.constant(1)
    assert both() == [[3, 3], [30, 30]]
    assert total.traces == 1


def test_rows_that_are_arrays():
    rows = [np.arange(300.0), np.arange(7.0)]
    made = tf.ragged.constant(rows)
    assert made.dtype == tf.float64 and made.row_lengths().numpy().tolist() == [300, 7]
    np.testing.assert_array_equal(made.flat_values, np.concatenate(rows))
    assert tf.ragged.constant([np.array([1, 2], "uint8")]).dtype == tf.int32
    assert tf.ragged.constant([np.array([1, 2**40])]).dtype == tf.int64
    assert tf.ragged.constant(rows, "float16").dtype == tf.float16
    with pytest.raises((MemoryError, tf.errors.ResourceExhaustedError)):  # at once
        tf.ragged.constant(np.broadcast_to(np.float32(1), (3, 2**40)))
