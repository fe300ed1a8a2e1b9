"""What is set on a layer that is part of a model: options take effect, as in Keras; variables are not replaced."""

import numpy as np
import pytest

import brio as tf

keras = tf.keras
rng = np.random.default_rng(5)


def data(*shape):
    return rng.normal(size=shape).astype("float32")


def test_the_last_activation_is_taken_off():
    """As programs do that look at a classifier's scores (Grad-CAM)."""
    model = keras.applications.MobileNetV2(weights=None, input_shape=(96, 96, 3), classes=120)
    x = data(2, 96, 96, 3)
    before = model(x)
    model.layers[-1].activation = None
    after = model(x)
    np.testing.assert_allclose(tf.nn.softmax(after), before, rtol=1e-4)
    assert abs(float(tf.reduce_sum(after[0])) - 1) > 1e-3
    assert model.layers[-1].get_config()["activation"] == "linear"
    again = keras.models.clone_model(model)
    again.set_weights(model.get_weights())
    np.testing.assert_allclose(again(x), after, rtol=1e-4, atol=1e-8)


@pytest.mark.parametrize("layer, name, value", [
    (lambda: keras.layers.Dense(128), "activation", "relu"),
    (lambda: keras.layers.Dense(128), "activation", lambda x: x * 3),
    (lambda: keras.layers.Conv1D(128, 3), "activation", keras.activations.tanh),
    (lambda: keras.layers.EinsumDense("abc,cd->abd", output_shape=(None, 128)), "activation", "gelu"),
    (lambda: keras.layers.LSTM(128), "activation", "relu"),
    (lambda: keras.layers.GRU(128), "recurrent_activation", "tanh"),
    (lambda: keras.layers.LayerNormalization(), "epsilon", 0.5),
    (lambda: keras.layers.LeakyReLU(), "negative_slope", 0.7),
])  # fmt: skip
def test_options_take_effect(layer, name, value):
    made, fresh = layer(), layer()
    x = data(4, 20, 150)
    made(x), fresh(x)
    fresh.set_weights(made.get_weights())
    before = made(x)
    setattr(made, name, value)
    assert np.abs(made(x) - before).max() > 1e-3
    config = fresh.get_config()
    config[name] = made.get_config()[name] if not callable(value) else value
    other = type(fresh)(
        **{
            k: v
            for k, v in config.items()
            if k in ("units", "filters", "kernel_size", "equation", "output_shape", name)
        }
    )
    other(x)
    other.set_weights(made.get_weights())
    np.testing.assert_allclose(made(x), other(x), rtol=1e-5, atol=1e-6)


def test_rates_and_momentum():
    x = data(64, 200)
    dropout = keras.layers.Dropout(0.5)
    dropout(x, training=True)
    dropout.rate = 0.0
    np.testing.assert_array_equal(dropout(x, training=True), x)
    norm = keras.layers.BatchNormalization()
    norm(x)
    norm.momentum = 0.0
    norm(x, training=True)
    np.testing.assert_allclose(norm.moving_mean, x.mean(0), rtol=1e-4, atol=1e-5)


def test_fit_uses_what_was_set():
    model = keras.Sequential(
        [
            keras.Input((150,)),
            keras.layers.Dense(128, activation="relu"),
            keras.layers.Dropout(0.9),
            keras.layers.Dense(1),
        ]
    )
    model.layers[0].activation = None
    model.layers[1].rate = 0
    model.compile(keras.optimizers.SGD(0.0), "mse")
    x, y = data(96, 150), data(96, 1)
    linear = x @ model.layers[0].kernel.numpy() @ model.layers[2].kernel.numpy()
    np.testing.assert_allclose(
        model.fit(x, y, verbose=0, batch_size=96).history["loss"][0], ((linear - y) ** 2).mean(), rtol=1e-4
    )


def test_a_wrong_value_changes_nothing():
    layer = keras.layers.Dense(128, activation="relu")
    layer(data(2, 150))
    with pytest.raises(TypeError, match="activation"):
        layer.activation = 3
    assert layer.get_config()["activation"] == "relu"


@pytest.mark.parametrize("layer, name", [(lambda: keras.layers.Dense(128), "kernel"),
                                         (lambda: keras.layers.Conv1D(128, 3), "kernel"),
                                         (lambda: keras.layers.Embedding(1000, 128), "embeddings")])  # fmt: skip
def test_variables_are_set_by_their_values(layer, name):
    made = layer()
    made(np.zeros((2, 150)) if name == "embeddings" else data(2, 20, 150))
    with pytest.raises(AttributeError, match=rf"layer\.{name}\.assign"):
        setattr(made, name, tf.zeros(getattr(made, name).shape))
    assert isinstance(getattr(made, name), tf.Variable)


def test_a_layer_derived_from_one_keeps_its_own_names():
    class Noisy(keras.layers.Dense):
        def build(self, shape):
            super().build(shape)
            self.scale = self.add_weight(name="scale", shape=(128,), initializer="ones")

        def call(self, x):
            return super().call(x) * self.scale

    layer = Noisy(128, activation="relu")
    x = data(4, 150)
    before = layer(x)
    layer.activation = None
    assert float(tf.reduce_min(layer(x))) < 0 <= float(tf.reduce_min(before))
