"""AutoGraph in objects that are called: their statements over tensors are rewritten as those of functions are."""

import functools

import pytest

import brio as tf

pytestmark = pytest.mark.filterwarnings("ignore:.*op by op")  # as arrays that grow in loops do


class Search(tf.Module):
    """Appends what a layer scores highest, until that is 3 or there are enough."""

    def __init__(self):
        super().__init__()
        self.table = tf.constant([[0.0] * i + [1.0] + [0.0] * (150 - i) for i in range(1, 128)])

    def __call__(self, start, most=8):
        found = tf.TensorArray(tf.int64, size=0, dynamic_size=True)
        found = found.write(0, start)
        for i in tf.range(most):
            best = tf.argmax(self.table[tf.cast(found.read(i), tf.int32)])
            found = found.write(i + 1, best)
            if best == 126:
                break
        return found.stack()


class Exported(tf.Module):
    def __init__(self, search):
        super().__init__()
        self.search = search

    @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
    def __call__(self, start):
        return self.search(start, most=5)


def test_an_object_that_a_function_calls():
    search = Search()
    eager = search(tf.constant(120, tf.int64), 9).numpy().tolist()
    assert eager == [120, 121, 122, 123, 124, 125, 126]
    assert Exported(search)(tf.constant(120, tf.int64)).numpy().tolist() == eager[:6]
    f = tf.function(lambda x: search(x, most=tf.constant(9)))
    assert f(tf.constant(120, tf.int64)).numpy().tolist() == eager
    assert f(tf.constant(3, tf.int64)).numpy().tolist() == list(range(3, 13))


def test_a_partial_that_a_function_calls():
    search = functools.partial(Search().__call__, most=3)

    @tf.function
    def run(x):
        return search(x)

    assert run(tf.constant(5, tf.int64)).numpy().tolist() == [5, 6, 7, 8]


def test_a_lambda_in_the_head_of_a_statement():
    search = Search()
    for f in [tf.function(lambda x: search(x, most=2))]:
        assert f(tf.constant(5, tf.int64)).numpy().tolist() == [5, 6, 7]
