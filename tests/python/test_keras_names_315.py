"""Names of Keras 3.15 that came late: what no golden can hold, such as files and callbacks."""

import json
import zipfile

import numpy as np
import pytest

import brio as tf
from brio import keras


@keras.saving.register_keras_serializable("late")
class Scaled(keras.Operation):
    """A step of a program's own."""

    def __init__(self, factor, name=None):
        super().__init__(name=name)
        self.factor = factor

    def call(self, x):
        return x * self.factor


def test_operations_are_saved_with_models(tmp_path):
    x = keras.Input((10, 12, 4))
    scaled = Scaled(3.0)
    outputs = [scaled(x), scaled(keras.layers.Dense(2)(x)), keras.ops.rearrange(x, "b (h p) w c -> b h w (c p)", p=2),
               keras.ops.nanmedian(x, axis=2), keras.ops.conv_transpose(x, np.ones((3, 3, 5, 4), "float32"), 2, "same"),
               keras.ops.lu_factor(x[:, :10, :10, 0])[0], keras.ops.cdist(x, x)]  # fmt: skip
    model = keras.Model(x, outputs)
    model.save(tmp_path / "m.keras")
    data = np.random.default_rng(1).normal(size=(3, 10, 12, 4)).astype("float32")
    for made, again in zip(model(data), keras.models.load_model(tmp_path / "m.keras")(data)):
        np.testing.assert_allclose(made, again, rtol=1e-5)
    rows = [
        row
        for row in json.loads(zipfile.ZipFile(tmp_path / "m.keras").read("config.json"))["config"]["layers"]
        if row["name"] == scaled.name
    ]
    assert [len(row["inbound_nodes"]) for row in rows] == [2]


def test_vectorize_takes_functions_of_numbers_and_of_arrays():
    add = keras.ops.vectorize(lambda a, b: a + b)
    assert np.asarray(add([1, 2, 3, 4], 2)).tolist() == [3, 4, 5, 6]
    product = keras.ops.vectorize(lambda m, v: keras.ops.matmul(m, v), signature="(m,n),(n)->(m)")
    rng = np.random.default_rng(2)
    m, v = rng.normal(size=(20, 1, 3, 4)).astype("float32"), rng.normal(size=(5, 4)).astype("float32")
    np.testing.assert_allclose(
        product(m, v), np.einsum("abmn,bn->abm", np.broadcast_to(m, (20, 5, 3, 4)), v), rtol=1e-4, atol=1e-5
    )
    power = keras.ops.vectorize(lambda x, n: x**n, excluded={1})
    assert np.asarray(power(np.array([[1.0, 2.0], [3.0, 4.0]]), 2)).tolist() == [[1.0, 4.0], [9.0, 16.0]]
    with pytest.raises(ValueError, match="function"):
        keras.ops.vectorize(3)


def test_lu_factor_of_many_matrices_with_gradients():
    a = tf.constant(np.random.default_rng(3).normal(size=(7, 12, 12)))
    with tf.GradientTape() as tape:
        tape.watch(a)
        lu, places = keras.ops.lu_factor(a)
        lower = tf.linalg.band_part(lu, -1, 0)
        lower = tf.linalg.set_diag(lower, tf.ones(lower.shape[:-1], "float64"))
        product = tf.gather(tf.matmul(lower, tf.linalg.band_part(lu, 0, -1)), places, axis=1, batch_dims=1)
    np.testing.assert_allclose(product, a, atol=1e-10)
    np.testing.assert_allclose(tape.gradient(product, a), np.ones(a.shape), atol=1e-8)  # the product is a itself


def test_conv_transpose_with_gaps():
    x, k = np.random.default_rng(4).normal(size=(1, 6, 6, 3)).astype("float32"), np.ones((3, 3, 2, 3), "float32")
    made = keras.ops.conv_transpose(x, k, dilation_rate=2)
    wide = np.zeros((5, 5, 2, 3), "float32")
    wide[::2, ::2] = k
    np.testing.assert_allclose(made, keras.ops.conv_transpose(x, wide), rtol=1e-4, atol=1e-4)


def test_a_scope_that_fails_leaves_variables_as_they_were():
    variable = keras.Variable([1.0, 2.0])
    with pytest.raises(KeyError):
        with keras.StatelessScope([(variable, np.zeros(2))]):
            variable.assign([5.0, 6.0])
            raise KeyError("in the middle")
    assert variable.numpy().tolist() == [1.0, 2.0]
    variable.assign([3.0, 4.0])
    assert variable.numpy().tolist() == [3.0, 4.0]


def test_stateless_metrics_in_a_function():
    metric = keras.metrics.Mean()

    @tf.function
    def step(state, values):
        state = metric.stateless_update_state(state, values)
        return state, metric.stateless_result(state)

    state = metric.stateless_reset_state()
    for batch in ([1.0, 2.0], [6.0, 7.0]):
        state, mean = step(state, tf.constant(batch))
    assert float(mean) == 4.0 and float(metric.result()) == 0.0


def test_wrappers_say_what_they_need_and_work_with_it():
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation="softmax")])
    model.compile("adam", "categorical_crossentropy")
    try:
        import sklearn  # noqa: F401
    except ImportError:
        with pytest.raises(ImportError, match="scikit-learn"):
            keras.wrappers.SKLearnClassifier(model)
        return
    from sklearn.base import clone
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(5)
    x = rng.normal(size=(150, 4))
    kinds = np.array(["a", "b", "c"])[np.argmax(x[:, :3], axis=1)]
    classifier = keras.wrappers.SKLearnClassifier(model, fit_kwargs={"epochs": 60, "verbose": 0, "batch_size": 10})
    pipeline = make_pipeline(StandardScaler(), classifier)
    assert set(pipeline.fit(x, kinds).predict(x)) <= {"a", "b", "c"}
    assert pipeline.score(x, kinds) > 0.7 and cross_val_score(clone(pipeline), x, kinds, cv=2).mean() > 0.5
    assert not model.optimizer.built or int(model.optimizer.iterations) == 0  # a copy was trained

    def make(X, y, units):
        made = keras.Sequential(
            [keras.Input((X.shape[1],)), keras.layers.Dense(units, "relu"), keras.layers.Dense(y.shape[1])]
        )
        made.compile(keras.optimizers.Adam(0.03), "mse")
        return made

    regressor = keras.wrappers.SKLearnRegressor(make, model_kwargs={"units": 16})
    target = x @ np.array([1.0, 2.0, -1.0, 0.5])
    assert regressor.fit(x, target, epochs=40, verbose=0).score(x, target) > 0.8
    assert regressor.predict(x).shape == (150,) and clone(regressor).model_kwargs == {"units": 16}
    transformer = keras.wrappers.SKLearnTransformer(make, model_kwargs={"units": 8}).fit(x, target, verbose=0)
    assert transformer.transform(x).shape == (150, 1)


def test_swapped_means_are_what_a_checkpoint_has(tmp_path):
    model = keras.Sequential([keras.Input((5,)), keras.layers.Dense(3)])
    model.compile(keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5), "mse")
    x = np.random.default_rng(6).normal(size=(40, 5)).astype("float32")
    seen = []
    watch = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: seen.append(model.get_weights()[0]))
    save = keras.callbacks.ModelCheckpoint(str(tmp_path / "{epoch}.weights.h5"), save_weights_only=True)
    model.fit(
        x, x[:, :3], epochs=2, verbose=0, callbacks=[watch, keras.callbacks.SwapEMAWeights(swap_on_epoch=True), save]
    )
    last = model.get_weights()[0]
    model.load_weights(tmp_path / "2.weights.h5")
    np.testing.assert_array_equal(model.get_weights()[0], last)  # the means stand in the model at the end
    assert not np.allclose(last, seen[1])


def test_several_optimizers_and_their_state_are_saved(tmp_path):
    x = np.random.default_rng(7).normal(size=(40, 5)).astype("float32")
    for optimizer in (
        keras.optimizers.MultiOptimizer(
            keras.optimizers.OptimizerMap(keras.optimizers.SGD(0.01), {".*first/.*": keras.optimizers.Adam(0.01)})
        ),
        keras.optimizers.ScheduleFreeAdamW(0.01, warmup_steps=3),
    ):
        model = keras.Sequential([keras.Input((5,)), keras.layers.Dense(8, name="first"), keras.layers.Dense(1)])
        model.compile(optimizer, "mse")
        model.fit(x, x[:, :1], epochs=2, verbose=0, shuffle=False)
        model.save(tmp_path / "m.keras")
        again = keras.models.load_model(tmp_path / "m.keras")
        both = [m.fit(x, x[:, :1], epochs=2, verbose=0, shuffle=False).history["loss"] for m in (model, again)]
        np.testing.assert_allclose(*both, rtol=1e-6)


def test_no_dtype_is_that_of_floats():
    assert keras.utils.standardize_dtype(None) == "float32"
