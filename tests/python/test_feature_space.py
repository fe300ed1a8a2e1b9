"""keras.utils.FeatureSpace where it does more than Keras', or says so where it does less."""

import numpy as np
import pytest

from brio import keras

Space = keras.utils.FeatureSpace


def test_bins_that_are_given_need_no_adapt():
    kind = Space.float_discretized(num_bins=None, bin_boundaries=[25.0, 50.0])
    made = Space({"age": kind})({"age": np.array([20.0, 30.0, 60.0], "float32")})
    assert made.numpy().tolist() == np.eye(3).tolist()


def test_a_space_is_saved_with_what_it_learned(tmp_path):
    rows = {"a": np.array(["x", "y", "z"] * 40), "b": np.arange(120) % 101, "c": np.linspace(0, 9, 120)}
    space = Space(
        {"a": "string_categorical", "b": Space.integer_hashed(110), "c": "float_normalized"}, crosses=[("a", "b")]
    )
    space.adapt(rows)
    space.save(tmp_path / "space.keras")
    again = keras.models.load_model(tmp_path / "space.keras")
    np.testing.assert_array_equal(again(rows), space(rows))
    model = keras.Model(again.get_inputs(), again.get_encoded_features())
    np.testing.assert_array_equal(model({k: v.reshape(-1, 1) for k, v in rows.items()}), space(rows))


def test_a_layer_of_unknown_size_cannot_be_one_hot():
    space = Space({"a": Space.feature("int32", keras.layers.Lambda(lambda x: x), "one_hot")})
    with pytest.raises(ValueError, match="how many categories 'a' has"):
        space({"a": np.array([1, 2])})


def test_encoded_features_need_adapt():
    with pytest.raises(ValueError, match="call adapt"):
        Space({"a": "float_normalized"}).get_encoded_features()
