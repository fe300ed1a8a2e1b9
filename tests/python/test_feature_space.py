"""keras.utils.FeatureSpace where it does more than Keras', or says so where it does less."""

import numpy as np
import pytest

from brio import keras

Space = keras.utils.FeatureSpace


def test_bins_that_are_given_need_no_adapt():
    kind = Space.float_discretized(num_bins=None, bin_boundaries=[25.0, 50.0])
    made = Space({"age": kind})({"age": np.array([20.0, 30.0, 60.0], "float32")})
    assert made.numpy().tolist() == np.eye(3).tolist()


def test_crosses_are_no_part_of_a_model():
    space = Space({"a": Space.integer_hashed(4), "b": Space.integer_hashed(4)}, crosses=[("a", "b")])
    with pytest.raises(ValueError, match="call the space in Dataset.map"):
        space.get_encoded_features()


def test_a_layer_of_unknown_size_cannot_be_one_hot():
    space = Space({"a": Space.feature("int32", keras.layers.Lambda(lambda x: x), "one_hot")})
    with pytest.raises(ValueError, match="how many categories 'a' has"):
        space({"a": np.array([1, 2])})


def test_encoded_features_need_adapt():
    with pytest.raises(ValueError, match="call adapt"):
        Space({"a": "float_normalized"}).get_encoded_features()
