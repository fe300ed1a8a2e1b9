"""tf.function beyond what TensorFlow does, and what it says when something is wrong."""

import functools
import gc
import traceback
import weakref

import pytest

import brio as tf


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


def test_reading_a_traced_value_says_what_to_do():
    @tf.function(autograph=False)
    def f(x):
        return 1.0 if x > 0 else 2.0

    with pytest.raises(tf.errors.InvalidArgumentError, match="traced"):
        f(tf.constant(1.0))


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
