"""model.export(format="onnx"): onnxruntime computes what the model does, for any number of samples.
Skipped where it is not installed."""

import numpy as np
import pytest

from brio import keras

runtime = pytest.importorskip(
    "onnxruntime", reason="onnxruntime is not installed, so that nothing can run what was exported"
)
L = keras.layers
PICTURE = (12, 10, 3)


def sequence(shape, *layers, dtype="float32"):
    return keras.Sequential([keras.Input(shape, dtype=dtype), *layers])


def residual():
    picture = keras.Input(PICTURE)
    x = L.ReLU()(L.BatchNormalization()(L.Conv2D(8, 3, padding="same", use_bias=False)(picture)))
    y = L.Add()([x, L.Conv2D(8, 3, padding="same")(x)])
    both = L.Concatenate()([x, y])
    gate = L.Reshape((1, 1, 16))(L.Dense(16, activation="sigmoid")(L.GlobalAveragePooling2D()(both)))
    return keras.Model(picture, L.Dense(4, activation="softmax")(L.Flatten()(L.Multiply()([both, gate]))))


MODELS = {
    "mlp": lambda: sequence((6,), L.Dense(16, activation="relu"), L.Dense(3, activation="softmax")),
    "page_001": lambda: sequence(
        (28, 28, 1),
        L.Conv2D(32, 3, activation="relu"),
        L.MaxPooling2D(),
        L.Conv2D(64, 3, activation="relu"),
        L.MaxPooling2D(),
        L.Flatten(),
        L.Dropout(0.5),
        L.Dense(10, activation="softmax"),
    ),
    "separable": lambda: sequence(
        PICTURE,
        L.SeparableConv2D(8, 3, padding="same"),
        L.DepthwiseConv2D(3, strides=2, padding="same"),
        L.AveragePooling2D(2, padding="same"),
        L.GlobalMaxPooling2D(),
    ),
    "residual": residual,
    "transposed": lambda: sequence(
        PICTURE,
        L.Conv2DTranspose(5, 3, strides=2, padding="same"),
        L.UpSampling2D(2),
        L.ZeroPadding2D(1),
        L.Conv2D(2, 3, dilation_rate=2),
    ),
    "lstm": lambda: sequence((9, 4), L.LSTM(8, return_sequences=True), L.LSTM(5, go_backwards=True), L.Dense(1)),
    "gru": lambda: sequence((9, 4), L.Bidirectional(L.GRU(6, return_sequences=True)), L.SimpleRNN(4)),
    "embedding": lambda: sequence((11,), L.Embedding(50, 6, mask_zero=True), L.LSTM(5), L.Dense(2), dtype="int32"),
}


@pytest.mark.parametrize("name", MODELS)
def test_onnxruntime_computes_the_same(tmp_path, name):
    model, rng = MODELS[name](), np.random.default_rng(0)
    path = str(tmp_path / "m.onnx")
    model.export(path, format="onnx", verbose=False)
    session = runtime.InferenceSession(path)
    (given,) = session.get_inputs()
    for rows in (1, 5):
        shape = (rows, *model.inputs[0].shape[1:])
        x = (
            rng.integers(0, 50, shape).astype("int32")
            if name == "embedding"
            else rng.normal(size=shape).astype("float32")
        )
        (got,) = session.run(None, {given.name: x})
        np.testing.assert_allclose(got, np.asarray(model(x, training=False)), rtol=1e-4, atol=1e-5)


def test_an_op_that_onnx_has_not_is_named_with_its_layer(tmp_path):
    model = keras.Sequential([keras.Input((4,)), L.Lambda(lambda x: keras.ops.fft((x, x * 0))[0], name="spectrum")])
    with pytest.raises(ValueError, match="spectrum"):
        model.export(str(tmp_path / "m.onnx"), format="onnx", verbose=False)
