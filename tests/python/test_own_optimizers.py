"""Optimizers that a program writes: a step that is not due, or that a gate refuses, changes nothing."""

import numpy as np
import pytest

import brio as tf

keras = tf.keras


class Momentum(keras.optimizers.Optimizer):
    def __init__(self, **kwargs):
        super().__init__(learning_rate=0.5, **kwargs)
        self.seen = tf.Variable(0.0)  # no slot: what the program keeps beside them

    def build(self, variables):
        if not self.built:
            super().build(variables)
            self.moments = [self.add_variable_from_reference(v, "moment") for v in variables]

    def update_step(self, gradient, variable, learning_rate):
        moment = self.moments[self._get_variable_index(variable)]
        self.assign(moment, moment * 0.5 + gradient)
        self.seen.assign_add(tf.reduce_max(gradient))
        self.assign_sub(variable, tf.cast(learning_rate, variable.dtype) * moment)


@pytest.fixture(params=["eager", "function"])
def apply(request):
    def step(optimizer, gradients, variables):
        optimizer.apply_gradients(zip(gradients, variables))

    return tf.function(step) if request.param == "function" else step


def test_gradients_are_accumulated(apply):
    optimizer, v = Momentum(gradient_accumulation_steps=2), tf.Variable(tf.ones([150]))
    optimizer.build([v])
    for i, wanted in enumerate([1.0, -0.5, -0.5, -4.75]):
        apply(optimizer, [tf.fill([150], 2.0 * (i + 1))], [v])
        np.testing.assert_array_equal(v, np.full(150, wanted))
    # The means are 3 and 7: each is used once.
    np.testing.assert_array_equal(optimizer.moments[0], np.full(150, 8.5))
    assert float(optimizer.seen) == 10.0 and int(optimizer.iterations) == 2


def test_a_step_that_is_not_finite_changes_nothing(apply):
    inner = Momentum()
    optimizer = keras.optimizers.LossScaleOptimizer(inner, initial_scale=4.0)
    v = tf.Variable(tf.ones([150]))
    optimizer.build([v])
    apply(optimizer, [tf.fill([150], 4.0)], [v])
    before = v.numpy(), inner.moments[0].numpy(), float(inner.seen)
    np.testing.assert_array_equal(before[0], np.full(150, 0.5))
    for bad in float("inf"), float("nan"):
        apply(optimizer, [tf.concat([tf.fill([149], 4.0), [bad]], 0)], [v])
        np.testing.assert_array_equal(v, before[0])
        np.testing.assert_array_equal(inner.moments[0], before[1])
        assert float(inner.seen) == before[2]


def test_what_a_branch_assigns_is_taken_back_too(apply):
    class Signs(keras.optimizers.Optimizer):
        def update_step(self, gradient, variable, learning_rate):
            tf.cond(
                tf.reduce_sum(gradient) > 0.0,
                lambda: variable.assign_sub(tf.ones_like(variable)),
                lambda: variable.assign_add(tf.ones_like(variable)),
            )

    optimizer, v = Signs(gradient_accumulation_steps=2), tf.Variable(tf.zeros([150]))
    optimizer.build([v])
    for gradient, wanted in (3.0, 0.0), (-1.0, -1.0), (-3.0, -1.0), (1.0, 0.0):
        apply(optimizer, [tf.fill([150], gradient)], [v])
        np.testing.assert_array_equal(v, np.full(150, wanted))


def test_schedule_free_adamw_with_accumulation_is_that_of_keras():
    optimizer = keras.optimizers.ScheduleFreeAdamW(learning_rate=0.1, gradient_accumulation_steps=2)
    v = keras.Variable([1.0, 2.0])
    for i in range(5):
        optimizer.apply([tf.constant([1.0, float(i)])], [v])
    np.testing.assert_allclose(v, [0.8500001, 1.8306787], rtol=2e-6)  # Keras 3.15
