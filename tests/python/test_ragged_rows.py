"""Ragged tensors of as many rows as people have: what is done row by row must not look at all rows for each."""

import time

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
    for key in (slice(0, 2), slice(1, None), slice(None, None, 2), slice(None, None, -1), slice(3, None), slice(2, 1), slice(-2, None)):
        assert x[key].to_list() == lists[key], key
    assert tf.ragged.constant([["a"], [], ["b", "c"]])[1:].to_list() == [[], [b"b", b"c"]]
