"""Programs as people write them: a type checker has nothing to say about them."""

from typing import Any

import numpy as np
from typing_extensions import assert_type

import brio as tf
from brio import keras
from brio.keras import layers


def tensors() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert_type(x, tf.Tensor)
    assert_type(x + 1, tf.Tensor)
    assert_type(2.0 * x @ x - x / 3, tf.Tensor)
    assert_type(x[0, ..., None], tf.Tensor)
    assert_type(x > 0, tf.Tensor)
    assert_type(x.shape, tf.TensorShape)
    assert_type(tf.reduce_sum(x, axis=[0, 1], keepdims=True), tf.Tensor)
    assert_type(tf.math.log(np.ones(3)), tf.Tensor)
    assert_type(tf.matmul(x, x, transpose_b=True), tf.Tensor)
    assert_type(tf.nn.softmax_cross_entropy_with_logits(labels=x, logits=x), tf.Tensor)
    y: float = float(x[0, 0])
    for row in x:
        y += float(row[0])
    if tf.reduce_all(x > 0):
        print(f"{x} {y:.2f}", x.dtype == tf.float32, len(x))
    _ = tf.cast(tf.random.normal([2, 3], seed=1), tf.int32)
    _ = tf.concat([x, x], axis=0) + tf.reshape(x, (2, -1)) + tf.zeros_like(x)
    _ = tf.where(x > 0, x, tf.zeros([2, 2])) + tf.linalg.inv(x) + tf.image.resize(tf.ones([1, 4, 4, 3]), [2, 2])


def gradients() -> None:
    v = tf.Variable([1.0, 2.0], name="v", trainable=True)
    optimizer = keras.optimizers.Adam(learning_rate=0.1)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(tf.constant(1.0))
        loss = tf.reduce_mean(tf.square(v * 2.0))
    gradient = tape.gradient(loss, v)
    optimizer.apply_gradients([(gradient, v)])
    v.assign_add(tf.ones([2]))
    v.assign(v - 1.0)

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        return x * v

    print(step(tf.ones([2])), step.get_concrete_function(tf.TensorSpec([2], tf.float32)))

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def twice(x: tf.Tensor) -> tf.Tensor:
        return 2 * x

    print(twice(tf.ones([3])))


def pipelines() -> None:
    dataset = tf.data.Dataset.from_tensor_slices((np.zeros((10, 2)), np.zeros(10)))
    dataset = dataset.shuffle(10, seed=1).map(lambda x, y: (x * 2, y), num_parallel_calls=tf.data.AUTOTUNE)
    dataset = dataset.batch(4, drop_remainder=True).repeat(2).prefetch(tf.data.AUTOTUNE).cache()
    for x, _ in dataset.take(1):
        print(x.shape)
    print(len(list(dataset.as_numpy_iterator())), dataset.element_spec, dataset.cardinality())
    example = tf.train.Example(
        features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1]))})
    )
    print(tf.io.parse_single_example(example.SerializeToString(), {"a": tf.io.FixedLenFeature([], tf.int64)}))


class Doubled(layers.Layer):
    def __init__(self, units: int = 4, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units = units

    def build(self, input_shape: Any = None) -> None:
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), initializer="glorot_uniform", name="kernel")

    def call(self, inputs: tf.Tensor) -> tf.Tensor:
        return 2.0 * tf.matmul(inputs, self.kernel)


class Mine(keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = Doubled(8)
        self.head = layers.Dense(1, activation="sigmoid")

    def call(self, inputs: Any, training: bool = False) -> Any:
        return self.head(self.hidden(inputs))

    def train_step(self, data: Any) -> Any:
        return super().train_step(data)


class Stop(keras.callbacks.Callback):
    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if logs and logs["loss"] < 0.1:
            self.model.stop_training = True


def models() -> None:
    model = keras.Sequential([keras.Input((4,)), layers.Dense(8, "relu"), layers.Dropout(0.5), layers.Dense(3)])
    model.add(layers.Softmax())
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(np.zeros((8, 4)), np.zeros(8), epochs=2, batch_size=4, verbose=0, callbacks=[Stop()])
    print(history.history["loss"], model.evaluate(np.zeros((8, 4)), np.zeros(8)), model.predict(np.zeros((2, 4))))
    model.summary()
    model.save("model.keras")
    loaded = keras.models.load_model("model.keras")
    print(loaded.layers[0].kernel, [w.shape for w in model.trainable_variables])
    inputs = keras.Input(shape=(28, 28, 1), name="pictures")
    x = layers.Conv2D(8, 3, padding="same", activation=tf.nn.relu)(inputs)
    x = layers.MaxPooling2D((2, 2))(layers.BatchNormalization()(x))
    outputs = layers.Dense(10)(layers.Flatten()(x))
    functional = keras.Model(inputs=inputs, outputs=outputs)
    functional.compile(
        optimizer=keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(0.1, 100, 0.9), momentum=0.9),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=[keras.metrics.SparseCategoricalAccuracy(name="accuracy")],
    )
    mine = Mine()
    mine.compile(loss=tf.losses.BinaryCrossentropy(), optimizer=tf.optimizers.legacy.Adam(lr=0.01))
    print(mine(np.zeros((2, 4), np.float32)), keras.ops.mean(np.ones(3), axis=0))
