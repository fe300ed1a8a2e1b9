"""SavedModels beyond what TensorFlow can be asked (cases/saved_model.py):
files, what cannot be saved, broken files, memory."""

import gc
import json
import os
import resource
import subprocess
import sys
import textwrap
import weakref

import numpy as np
import pytest

import brio as tf

keras = tf.keras


class Linear(tf.Module):
    def __init__(self, n=2):
        super().__init__()
        self.w = tf.Variable(np.arange(3 * n, dtype="float32").reshape(3, n))

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def __call__(self, x):
        return tf.matmul(x, self.w)


def saved_function(f, *specs, **attributes):
    module = tf.Module()
    for name, value in attributes.items():
        setattr(module, name, value)
    module.f = tf.function(f, input_signature=[tf.TensorSpec(*s) for s in specs])
    return module


def test_files(tmp_path):
    tf.saved_model.save(Linear(), tmp_path / "m")
    names = sorted(os.listdir(tmp_path / "m"))
    assert names[0] == "saved_model.json" and len(names) == 2 and names[1].endswith(".safetensors")
    tf.saved_model.save(Linear(3), tmp_path / "m")  # the values of the old one are gone
    assert len(os.listdir(tmp_path / "m")) == 2
    assert tf.saved_model.load(tmp_path / "m").w.shape == (3, 3)


def test_needs_none_of_the_code(tmp_path):
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, "relu"), keras.layers.Dense(2)])
    model.export(tmp_path / "m", verbose=False)
    program = f"""
        import sys
        import brio as tf
        loaded = tf.saved_model.load({str(tmp_path / "m")!r})
        print(loaded.serve(tf.ones((2, 3))).numpy().tolist())
        assert "brio.keras.layers" not in sys.modules
    """
    shown = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True, timeout=60
    )
    assert np.allclose(json.loads(shown.stdout), model(tf.ones((2, 3))), atol=1e-6)


def test_export_says_what_there_is(tmp_path, capsys):
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    model.export(tmp_path / "m")
    shown = capsys.readouterr().out
    assert "Endpoint 'serve'" in shown and "(None, 3)" in shown and "(None, 2)" in shown


@pytest.mark.parametrize("most", [100, 1000])  # bytes of a file: too few for the values, and for what describes them
def test_a_failed_save_leaves_the_old_one(most, tmp_path):
    tf.saved_model.save(Linear(), tmp_path / "m")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        with pytest.raises(tf.errors.ResourceExhaustedError, match=str(tmp_path)):
            tf.saved_model.save(Linear(5), tmp_path / "m")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert tf.saved_model.load(tmp_path / "m").w.shape == (3, 2)


def test_tensorflows_own_is_refused(tmp_path):
    (tmp_path / "saved_model.pb").write_bytes(b"\x08\x01")
    assert not tf.saved_model.contains_saved_model(tmp_path)
    with pytest.raises(NotImplementedError, match=r"written by TensorFlow.*x\.keras"):
        tf.saved_model.load(tmp_path)


@pytest.mark.parametrize(
    "f, why",
    [
        (lambda x: tf.py_function(lambda v: v * 2, [x], tf.float32), "py_function"),
        (lambda x: sum(x[i] for i in range(x.shape[0])), "NoneType"),
        (lambda x: x[: x.shape[0] // 2], "NoneType"),
        (lambda x: x + np.arange(x.shape[0]), "NoneType"),
    ],
    ids=["py_function", "python_loop", "half", "array"],
)
def test_refusals_name_the_reason(tmp_path, f, why):
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError), match=why):  # sizes that are None are None
        tf.saved_model.save(saved_function(f, ([None], tf.float32)), tmp_path)
    assert not tf.saved_model.contains_saved_model(tmp_path)


def test_arguments_that_are_objects_are_refused(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x, thing: x)
    module.f(tf.constant(1.0), object())
    with pytest.raises(ValueError, match="functions of tensors, numbers and text"):
        tf.saved_model.save(module, tmp_path)


def test_names_of_what_there_is(tmp_path):
    tf.saved_model.save(Linear(), tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    with pytest.raises(TypeError, match=r"TensorSpec\(shape=\(None, 3\)"):
        loaded(tf.ones((2, 4)))
    with pytest.raises(AttributeError, match="has no 'other'; it has __call__"):
        _ = loaded.other
    with pytest.raises(TypeError, match="by name: a, b"):
        two = tf.function(lambda a, b: a + b, input_signature=[tf.TensorSpec([], tf.float32)] * 2)
        module = tf.Module()
        module.two = two
        tf.saved_model.save(module, tmp_path)
        tf.saved_model.load(tmp_path).signatures["serving_default"](1.0, 2.0)
    assert [v.shape for v in loaded.variables] == [(3, 2)]
    assert len(loaded.trainable_variables) == 1 and loaded.non_trainable_variables == []


def test_a_loaded_function_is_traced_once_a_shape(tmp_path):
    tf.saved_model.save(Linear(), tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    f = vars(loaded)["__call__"]
    for _ in range(3):
        loaded(tf.ones((2, 3)))
        loaded(tf.ones((4, 3)))
    assert f.experimental_get_tracing_count() == 2


def test_a_gradient_of_ones_own_is_not_saved(tmp_path):
    @tf.custom_gradient
    def twice(x):
        return x * 2.0, lambda g: g * 100.0

    tf.saved_model.save(saved_function(lambda x: twice(x), ([None], tf.float32)), tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    x = tf.constant([1.0, 2.0])
    assert loaded.f(x).numpy().tolist() == [2.0, 4.0]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded.f(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="custom_gradient"):
        tape.gradient(y, x)


def test_constants_are_kept_once_and_strings_too(tmp_path):
    table = tf.constant(np.arange(1000, dtype="float32"))
    module = tf.Module()
    module.f = tf.function(lambda i: tf.gather(table, i), input_signature=[tf.TensorSpec([None], tf.int32)])
    module.g = tf.function(lambda i: tf.gather(table, i) * 2, input_signature=[tf.TensorSpec([None], tf.int32)])
    tf.saved_model.save(module, tmp_path)
    values = next(p for p in os.listdir(tmp_path) if p.endswith(".safetensors"))
    assert os.path.getsize(tmp_path / values) < 5000
    assert tf.saved_model.load(tmp_path).g(tf.constant([3, 5])).numpy().tolist() == [6.0, 10.0]


def test_nothing_is_left_of_what_was_loaded(tmp_path):
    tf.saved_model.save(Linear(), tmp_path)

    def use():
        loaded = tf.saved_model.load(tmp_path)
        loaded(tf.ones((2, 3)))
        loaded.signatures["serving_default"](tf.ones((2, 3)))
        return weakref.ref(loaded.w)

    left = [use() for _ in range(3)]
    gc.collect()
    assert [r() for r in left] == [None, None, None]


def test_keras_layers_of_any_number_of_samples(tmp_path):
    """Each layer with a batch of sizes that it was not traced with."""
    rng = np.random.default_rng(3)
    layers = [
        keras.layers.Conv1D(3, 3, padding="causal"), keras.layers.Conv1D(3, 3, strides=2, padding="same"),
        keras.layers.SeparableConv1D(4, 3), keras.layers.Conv1DTranspose(3, 3), keras.layers.MaxPooling1D(),
        keras.layers.AveragePooling1D(2, padding="same"), keras.layers.GRU(3),
        keras.layers.LSTM(3, return_sequences=True, go_backwards=True), keras.layers.SimpleRNN(3),
        keras.layers.Bidirectional(keras.layers.GRU(2)), keras.layers.TimeDistributed(keras.layers.Dense(2)),
        keras.layers.LayerNormalization(), keras.layers.GroupNormalization(2), keras.layers.BatchNormalization(),
        keras.layers.UnitNormalization(), keras.layers.Dropout(0.5), keras.layers.GaussianNoise(0.5),
        keras.layers.Softmax(), keras.layers.PReLU(), keras.layers.Flatten(), keras.layers.Reshape((-1,)),
        keras.layers.Permute((2, 1)), keras.layers.Cropping1D(1), keras.layers.ZeroPadding1D(2),
        keras.layers.UpSampling1D(2), keras.layers.GlobalMaxPooling1D(),
        keras.layers.EinsumDense("abc,cd->abd", output_shape=(None, 5)),
        keras.layers.Lambda(lambda t: t - tf.reduce_mean(t)), keras.layers.Rescaling(0.5),
        keras.layers.Normalization(mean=1.0, variance=2.0), keras.layers.RepeatVector(2),
    ]  # fmt: skip
    for i, layer in enumerate(layers):
        first = [keras.layers.Flatten()] if isinstance(layer, keras.layers.RepeatVector) else []
        model = keras.Sequential([keras.Input((6, 4)), *first, layer])
        model.export(tmp_path / str(i), verbose=False)
        loaded = tf.saved_model.load(tmp_path / str(i))
        for n in (1, 2, 5):
            x = rng.normal(size=(n, 6, 4)).astype("float32")
            assert np.array_equal(loaded.serve(x), model(x)), (layer, n)


# ---- broken files


@pytest.fixture
def manifest(tmp_path):
    module = Linear()
    module.list, module.pair = [tf.Variable(1.0), Linear()], (tf.Variable(2.0), tf.Variable(3.0))
    module.more = {"a": tf.constant(1.0), "b": tf.Variable([1, 2])}
    tf.saved_model.save(module, tmp_path)
    path = tmp_path / "saved_model.json"
    return path, json.loads(path.read_text())


def places(row, path=()):
    """All places of a JSON value."""
    yield path
    for key, value in row.items() if isinstance(row, dict) else enumerate(row) if isinstance(row, list) else ():
        yield from places(value, (*path, key))


def test_no_manifest_crashes(manifest, tmp_path):
    path, row = manifest
    whole = json.dumps(row)
    broken = 0
    for place in list(places(row)):
        for value in (None, -1, 10**30, "x", {}):
            changed = json.loads(whole)
            at = changed
            for key in place[:-1]:
                at = at[key]
            if place:
                at[place[-1]] = value
            path.write_text(json.dumps(changed if place else value))
            try:
                loaded = tf.saved_model.load(tmp_path)
            except tf.errors.DataLossError as error:
                assert "saved_model.json" in str(error)
                broken += 1
            else:
                try:
                    loaded(tf.ones((2, 3)))
                    list(loaded.variables)
                except (ValueError, TypeError, AttributeError):
                    pass
    assert broken > 300


def test_no_text_crashes(manifest, tmp_path):
    path, row = manifest
    text = path.read_text()
    for cut in range(0, len(text) - 2, max(1, len(text) // 100)):
        path.write_text(text[:cut])
        with pytest.raises(tf.errors.DataLossError):
            tf.saved_model.load(tmp_path)
    path.write_text("[" * 100_000)
    with pytest.raises(tf.errors.DataLossError):
        tf.saved_model.load(tmp_path)


def test_values_that_are_gone_or_elsewhere(manifest, tmp_path):
    path, row = manifest
    path.write_text(json.dumps({**row, "values": "../" + row["values"]}))
    with pytest.raises(tf.errors.DataLossError, match="a file of the directory"):
        tf.saved_model.load(tmp_path)
    path.write_text(json.dumps(row))
    os.unlink(tmp_path / row["values"])
    with pytest.raises(tf.errors.DataLossError):
        tf.saved_model.load(tmp_path)


class Texts(tf.Module):
    def __init__(self):
        super().__init__()
        words = [f"word {i}" for i in range(150)]
        init = tf.lookup.KeyValueTensorInitializer(tf.constant(words), tf.range(150.0))
        self.table = tf.lookup.StaticHashTable(init, -1.0)
        self.vectorize = keras.layers.TextVectorization(output_sequence_length=7)
        self.vectorize.adapt(["one two three", "two three", "Three!"])
        self.embedding = tf.Variable(tf.random.normal([self.vectorize.vocabulary_size(), 130]))

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def look(self, words):
        known = tf.strings.regex_full_match(words, "word [0-9]+")
        return {"value": self.table.lookup(words), "known": known, "bucket": tf.strings.to_hash_bucket_fast(words, 999)}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def means(self, texts):
        return tf.reduce_mean(tf.gather(self.embedding, self.vectorize(texts)), axis=1)


def test_tables_and_vocabularies_are_part_of_it(tmp_path):
    module = Texts()
    words, texts = tf.constant(["word 149", "word 3", "else"]), tf.constant(["Two, three", "", "one four"])
    looked, means = module.look(words), module.means(texts)
    tf.saved_model.save(module, tmp_path / "m", signatures={"look": module.look, "serving_default": module.means})
    tf.saved_model.save(tf.saved_model.load(tmp_path / "m"), tmp_path / "again")
    for folder in "m", "again":
        loaded = tf.saved_model.load(tmp_path / folder)
        for name, value in loaded.look(words).items():
            np.testing.assert_array_equal(value, looked[name])
        np.testing.assert_array_equal(loaded.means(texts), means)
    assert looked["value"].numpy().tolist() == [149.0, 3.0, -1.0]


def test_a_model_of_texts_is_exported(tmp_path):
    vectorize = keras.layers.TextVectorization(max_tokens=200, output_sequence_length=20)
    vectorize.adapt([f"film {i} was {'good' if i % 2 else 'bad'}" for i in range(150)])
    model = keras.Sequential(
        [
            keras.Input((1,), dtype="string"),
            vectorize,
            keras.layers.Embedding(vectorize.vocabulary_size(), 120),
            keras.layers.GlobalAveragePooling1D(),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    x = tf.constant([["film 7 was good"], ["a bad one"]])
    model.export(tmp_path / "served")
    served = tf.saved_model.load(tmp_path / "served")
    np.testing.assert_allclose(served.serve(x), model.predict(x, verbose=0), rtol=1e-6)
    # In a process that never had the layer.
    served = f"tf.saved_model.load({str(tmp_path / 'served')!r}).serve"
    code = f"import brio as tf; print({served}(tf.constant([['a bad one']])).shape)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "(1, 1)\n"
