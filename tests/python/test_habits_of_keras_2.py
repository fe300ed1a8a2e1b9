"""What programs of Keras 2 do and Keras 3 refuses: their intention is plain, so that it works here."""

import brio as tf
from brio import keras


class Part(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.drop = keras.layers.Dropout(0.5)

    def call(self, x, training=False, scale=None):
        x = self.drop(x, training=training)
        return x if scale is None else x * scale


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.second = Part(), Part()

    def call(self, x, training=False):
        return self.second(self.first(x, training), training, 3.0)


def test_training_may_stand_in_its_place():
    net, x = Net(), tf.ones([2, 150])
    traced = tf.function(lambda x, training: net(x, training))
    for call in (net, traced):
        assert float(tf.reduce_sum(call(x, False))) == 900.0
        assert float(tf.reduce_min(call(x, True))) == 0.0
    assert float(tf.reduce_min(net(x, tf.constant(True)))) == 0.0


def test_training_twice_is_an_error():
    try:
        Net()(tf.ones([2, 3]), True, training=True)
    except TypeError as error:
        assert "training" in str(error)
    else:
        raise AssertionError("nothing was raised")
