"""keras.utils.plot_model: a box for each layer, a line for each value that goes from one to another."""

import xml.etree.ElementTree

import pytest

import brio as tf

keras = tf.keras


def parsed(drawing):
    root = xml.etree.ElementTree.fromstring(drawing.to_svg())
    kinds = [element.tag.rsplit("}", 1)[-1] for element in root.iter()]
    return kinds.count("rect"), kinds.count("line"), [e.text for e in root.iter() if e.tag.endswith("text")]


def branched():
    a, b = keras.Input((120,), name="a"), keras.Input((101,), name="b")
    joined = keras.layers.Concatenate(name="joined")([keras.layers.Dense(128, activation="relu", name="left")(a), b])
    return keras.Model([a, b], keras.layers.Dense(3, name="end")(joined))


def test_boxes_and_lines(tmp_path):
    drawing = keras.utils.plot_model(
        branched(), tmp_path / "m.svg", show_shapes=True, show_layer_names=True, show_layer_activations=True
    )
    boxes, lines, texts = parsed(drawing)
    assert (boxes, lines) == (5, 4)
    assert "left (Dense)" in texts and "Output shape: (None, 128)" in texts and "activation: relu" in texts
    assert (tmp_path / "m.svg").read_text() == drawing.to_svg()


def test_a_sequential_from_left_to_right():
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(120), keras.layers.Dense(3)])
    boxes, lines, _ = parsed(keras.utils.model_to_dot(model, rankdir="LR"))
    assert (boxes, lines) == (2, 1)


def test_other_names_than_svg(tmp_path):
    with pytest.warns(UserWarning, match="m.svg is written in the place of"):
        keras.utils.plot_model(branched(), tmp_path / "m.png")
    assert (tmp_path / "m.svg").exists() and not (tmp_path / "m.png").exists()


def test_a_model_without_shapes():
    with pytest.raises(ValueError, match="built"):
        keras.utils.plot_model(keras.Sequential([keras.layers.Dense(3)]))
