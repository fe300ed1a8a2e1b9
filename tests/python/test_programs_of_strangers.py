"""What programs of strangers do that TensorFlow 2.21 refuses, or that depends on a package: it works here."""

import numpy as np
import pytest

import brio as tf

keras = tf.keras


def test_labels_of_a_loss_of_ones_own():
    def product(y_true, y_pred):
        assert y_true.shape == y_pred.shape
        return tf.reduce_mean(y_true * y_pred)

    inputs = keras.Input((1,))
    model = keras.Model(inputs, keras.layers.Dense(1, kernel_initializer="ones")(inputs))
    model.compile("sgd", product)
    y = np.arange(150.0)
    assert model.evaluate(y[:, None], y, verbose=0) == pytest.approx(np.mean(y * y), rel=1e-5)


def test_clone_of_lambdas():
    inputs = keras.Input((120,))
    model = keras.Model(inputs, keras.layers.Lambda(lambda t: t[:, ::-1] * 2.0)(keras.layers.Dense(110)(inputs)))
    again = keras.models.clone_model(model)
    again.set_weights(model.get_weights())
    x = np.random.default_rng(0).normal(size=(3, 120)).astype("float32")
    np.testing.assert_allclose(model(x), again(x))


def test_activations_that_the_program_registered():
    with keras.utils.custom_object_scope({"twice": lambda x: x * 2.0}):
        assert float(tf.reduce_sum(keras.layers.Activation("twice")(np.ones((2, 130), "float32")))) == 520.0


def test_the_object_of_a_method_may_have_any_name(tmp_path):
    class Scaler(tf.Module):
        def __init__(this):
            super().__init__()
            this.w = tf.Variable(np.ones((130, 2), "float32"))

        @tf.function(input_signature=[tf.TensorSpec([None, 130], tf.float32)])
        def __call__(this, x):
            return x @ this.w

    module = Scaler()
    tf.saved_model.save(module, str(tmp_path), signatures={"serving_default": module.__call__})
    assert tf.saved_model.load(str(tmp_path))(tf.ones([3, 130])).shape == (3, 2)


@pytest.mark.filterwarnings("ignore:.*op by op")
def test_text_that_depends_on_a_tensor():
    @tf.function
    def name(x):
        if x > 0:
            found = "a"
        elif x == 0:
            found = "b"
        else:
            found = "c"
        return found

    assert [name(tf.constant(x)) for x in (1, 0, -1)] == ["a", "b", "c"]


def test_columns_of_pandas_have_two_axes():
    class Series:  # as pandas 3 calls its module
        __module__ = "pandas"

        def to_numpy(self):
            return np.arange(3.0)

    from brio.keras._batches import columns

    assert columns({"a": Series()})["a"].shape == (3, 1)
