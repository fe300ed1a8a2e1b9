"""Mistakes that a type checker finds before the program runs:
the comment of a line is the kind of error that mypy gives."""

import numpy as np

import brio as tf
from brio import keras
from brio.keras import layers

x = tf.constant([1.0, 2.0])
tf.reduce_sums(x)  # E: attr-defined
tf.nn.reluu(x)  # E: attr-defined
keras.layers.Densee(3)  # E: attr-defined
from brio.keras.layers import Dence  # E: attr-defined

tf.reduce_sum(x, axes=0)  # E: call-arg
tf.reduce_sum(x, axis="rows")  # E: arg-type
tf.reduce_sum()  # E: call-arg
tf.reduce_sum(x, keepdims="yes")  # E: arg-type
tf.matmul(x)  # E: call-arg
tf.math.log(None)  # E: arg-type
tf.math.log({"a": 1})  # E: arg-type
tf.reshape(x, shape=3.5)  # E: arg-type
tf.cast(x, dtype=3)  # E: arg-type
x.reshape(2, 1)  # E: attr-defined
x[0] = 1.0  # E: index
x + None  # E: operator
y: int = tf.reduce_sum(x)  # E: assignment
tf.Variable()  # E: call-arg
tf.Variable(1.0).assing(2.0)  # E: attr-defined
layers.Dense()  # E: call-arg
layers.Dense(3, activatoin="relu")  # E: call-arg
layers.Conv2D(3)  # E: call-arg
keras.optimizers.Adam(beta1=0.9)  # E: call-arg
keras.losses.MeanSquaredError(from_logits=True)  # E: call-arg
keras.Sequential([]).fitt(np.zeros(3))  # E: attr-defined
keras.Sequential([]).fit(np.zeros(3), epoch=3)  # E: call-arg
tf.data.Dataset.range(3).bacth(2)  # E: attr-defined
tf.data.Dataset.range(3).batch()  # E: call-arg
tf.GradientTape(persist=True)  # E: call-arg
