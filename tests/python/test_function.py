"""tf.function beyond what TensorFlow does, and what it says when something is wrong."""

import functools
import gc
import traceback
import weakref

import pytest

import brio as tf
from brio import _dataset_loop


def test_return_behind_branches():
    @tf.function
    def f(x):
        if x > 10:
            return x
        elif x > 0:
            return x * 2
        return -x

    assert [float(f(tf.constant(v))) for v in (20.0, 3.0, -3.0)] == [20.0, 6.0, 3.0]


def test_return_inside_a_loop_over_tensors():
    @tf.function
    def f(n):
        for i in tf.range(n):
            if i * i > n:
                return i
        return -1

    assert [int(f(tf.constant(n))) for n in (10, 0)] == [4, -1]


def test_an_error_shows_the_line_of_the_user():
    @tf.function
    def f(x):
        y = x * 2
        if x > 0:
            y = tf.zeros([3]) + tf.zeros([4])
        return y

    with pytest.raises(ValueError, match="add") as caught:
        f(tf.constant(1.0))
    lines = [frame.line for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert "y = tf.zeros([3]) + tf.zeros([4])" in lines


def test_a_function_that_reads_values_runs_op_by_op_and_says_so_once():
    @tf.function(autograph=False)
    def f(x):
        return 1.0 if x > 0 else 2.0

    assert f(tf.constant(1.0)) == 1.0  # the first call may make what the second one finds: it is traced again
    with pytest.warns(UserWarning, match="f runs op by op, as it cannot be traced"):
        assert f(tf.constant(-1.0)) == 2.0
    assert f(tf.constant(3.0)) == 1.0 and f(tf.constant([3.0])[0]) == 1.0


def test_errors_of_the_program_are_no_reason_to_run_op_by_op():
    calls = []

    @tf.function
    def f(x):
        calls.append(1)
        raise KeyError("own")

    for _ in range(2):
        with pytest.raises(KeyError):
            f(tf.constant(1.0))
    assert len(calls) == 2


def test_a_failed_trace_is_tried_again():
    state = {"broken": True}

    @tf.function
    def f(x):
        if state["broken"]:
            raise KeyError("not yet")
        return x + 1

    with pytest.raises(KeyError, match="not yet"):
        f(tf.constant(1.0))
    state["broken"] = False
    assert float(f(tf.constant(1.0))) == 2.0


def test_methods_do_not_keep_their_object():
    class Model:
        @tf.function
        def f(self, x):
            return x + 1

    model = Model()
    model.f(tf.constant(1.0))
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_a_closure_and_its_defaults_stay():
    scale = tf.constant(3.0)

    def outer(bias=1.0, *, extra=2.0):
        @tf.function
        def f(x, k=2.0):
            if x > 0:
                return x * scale * k + bias + extra
            return x

        return f

    assert float(outer()(tf.constant(1.0))) == 9.0


def test_zero_argument_super_works():
    class Base:
        def f(self, x):
            return x + 1

    class Derived(Base):
        @tf.function
        def f(self, x):
            if x > 0:
                x = x * 2
            return super().f(x)

    assert float(Derived().f(tf.constant(2.0))) == 5.0


def test_decorated_functions_keep_their_decorator():
    def doubled(f):
        @functools.wraps(f)
        def call(x):
            if x > 0:
                return f(x) * 2
            return f(x)

        return call

    @doubled
    def inner(x):
        return x + 1

    outer = tf.function(lambda x: inner(x))
    named = tf.function(inner)
    for f in (outer, named):
        assert float(f(tf.constant(1.0))) == 4.0
        assert float(f(tf.constant(-1.0))) == 0.0


def total_of(dataset):
    s = tf.constant(0, tf.int64)
    for x in dataset:
        s += tf.reduce_sum(x)
    return s


def test_a_loop_over_a_dataset_is_traced_once_whatever_its_length():
    rounds = []

    @tf.function
    def f(dataset):
        s = tf.constant(0, tf.int64)
        for x in dataset:
            rounds.append(1)  # happens while it is traced
            s += x
        return s

    assert int(f(tf.data.Dataset.range(3000))) == 3000 * 2999 // 2
    assert len(rounds) <= 3
    endless = tf.data.Dataset.range(10).repeat()

    @tf.function
    def until(limit):
        s = tf.constant(0, tf.int64)
        for x in endless:
            s += x
            if s > limit:
                break
        return s

    assert int(until(tf.constant(1000, tf.int64))) == 1005


def test_a_loop_over_a_shuffled_dataset_has_another_order_each_time():
    dataset = tf.data.Dataset.range(1000).shuffle(1000)

    @tf.function
    def last():
        kept = tf.constant(-1, tf.int64)
        for x in dataset:
            kept = x
        return kept

    assert len({int(last()) for _ in range(8)}) > 1


def test_a_loop_over_elements_of_unknown_shapes_runs_op_by_op():
    f = tf.function(total_of)
    unknown = tf.data.Dataset.range(10).filter(lambda x: x > 2).batch(4)
    first = int(f(unknown))
    with pytest.warns(UserWarning, match="drop_remainder=True"):
        assert int(f(unknown)) == first == int(total_of(unknown))
    many = tf.data.Dataset.range(1, 7).map(lambda n: tf.range(n)).padded_batch(1)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"elements of shapes .*but one has \[\(1, 2\)\].*drop_remainder"
    ):
        f(many)


def test_an_error_in_a_dataset_comes_out_of_the_loop():
    def checked(x):
        tf.debugging.assert_less(x, tf.constant(3, tf.int64))
        return x

    with pytest.raises(tf.errors.InvalidArgumentError, match="assert_less"):
        tf.function(total_of)(tf.data.Dataset.range(6).map(checked))


def test_loops_that_fail_leave_few_iterators_open():
    @tf.function
    def f(limit):
        for x in tf.data.Dataset.range(6):
            tf.debugging.assert_less(x, limit)
        return limit

    for _ in range(20):
        with pytest.raises(tf.errors.InvalidArgumentError, match="assert_less"):
            f(tf.constant(3, tf.int64))
    gc.collect()
    assert 1 <= max(len(o.places) for o in gc.get_objects() if isinstance(o, _dataset_loop._Reader)) <= 4
    assert int(f(tf.constant(9, tf.int64))) == 9


def test_what_is_no_exception_passes_through_a_running_function():
    class Stop(BaseException):
        pass

    def stop(x):
        raise Stop

    @tf.function
    def f(x):
        return tf.py_function(stop, [x], tf.TensorSpec([], tf.float32))

    with pytest.raises(Stop):
        f(tf.constant(1.0))
