"""Files between Brio and Keras: python tests/python/exchange.py write|read|pack DIRECTORY.

Either side writes models, weights and what they answer; the other reads them and compares:

    PYTHONPATH=build/release/python .venv/bin/python tests/python/exchange.py write /tmp/files   # Brio writes
    python tests/python/exchange.py read /tmp/files                                              # Keras 3.15 reads

and the other way round. tests/python/fixtures holds what Keras wrote (test_keras_files.py reads it)."""

import json
import pathlib
import sys
import zipfile

import numpy as np

from either import BRIO, keras, tf

L = keras.layers


@keras.saving.register_keras_serializable(package="exchange")
class Block(L.Layer):
    """A layer of one's own with layers in attributes, lists and dictionaries."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.first = L.Dense(units)
        self.rest = [L.Dense(units), L.Dense(units)]
        self.named = {"out": L.Dense(1)}

    def build(self, shape):
        self.scale = self.add_weight(shape=(shape[-1],), name="scale")
        self.first.build(shape)
        for layer in (*self.rest, self.named["out"]):
            layer.build((*shape[:-1], self.units))

    def call(self, inputs):
        h = self.first(inputs * self.scale)
        for layer in self.rest:
            h = layer(h)
        return self.named["out"](h)

    def get_config(self):
        return {**super().get_config(), "units": self.units}


def models(rng):
    """(name, model, inputs)"""
    x = rng.normal(size=(3, 4)).astype("float32")
    yield (
        "dense",
        keras.Sequential(
            [
                keras.Input((4,)),
                L.Dense(3, activation="relu", kernel_regularizer="l2"),
                L.Dropout(0.2),
                L.BatchNormalization(),
                L.Dense(1),
            ]
        ),
        x,
    )
    a, b = keras.Input((4,), name="a"), keras.Input((2,), name="b")
    shared = L.Dense(3, name="shared")
    left, right = L.Dense(2, name="left")(shared(a)), L.Concatenate(name="join")([shared(a), b])
    yield (
        "branches",
        keras.Model(
            [a, b], {"p": L.Dense(1, name="p")(right), "q": L.Add(name="q")([left, L.Dense(2, name="r")(right)])}
        ),
        [x, x[:, :2]],
    )
    i = keras.Input((5,), dtype="int32", name="tokens")
    h = L.Embedding(7, 4, mask_zero=True)(i)
    h = L.Bidirectional(L.LSTM(3, return_sequences=True))(h)
    h = L.MultiHeadAttention(2, 3)(h, h)
    h = L.LayerNormalization()(h)
    h = L.RNN([L.GRUCell(2), L.SimpleRNNCell(3)], return_sequences=True)(h)
    yield (
        "sequence",
        keras.Model(i, L.TimeDistributed(L.Dense(2, activation="tanh"))(h)),
        rng.integers(1, 7, (2, 5)).astype("int32"),
    )
    yield (
        "pictures",
        keras.Sequential(
            [
                keras.Input((6, 6, 2)),
                L.Conv2D(3, 3, padding="same", activation="relu"),
                L.SeparableConv2D(2, 2),
                L.MaxPooling2D(),
                L.GlobalAveragePooling2D(),
                L.Dense(2, activation="softmax"),
            ]
        ),
        rng.normal(size=(2, 6, 6, 2)).astype("float32"),
    )
    yield "own", keras.Sequential([keras.Input((4,)), Block(3), L.Rescaling(2.0)]), x
    inner = keras.Sequential([keras.Input((4,)), L.Dense(3)], name="inner")
    j = keras.Input((4,), name="j")
    yield "nested", keras.Model(j, L.Dense(1)(inner(j))), x


def flat(y):
    return [np.asarray(y[k]).tolist() for k in sorted(y)] if isinstance(y, dict) else [np.asarray(y).tolist()]


def loss_after(model, x, rng):
    """One more step of training: the state of the optimizer is part of it."""
    y = rng.normal(size=np.asarray(model(x)).shape).astype("float32")
    return float(model.fit(x, y, epochs=2, shuffle=False, verbose=0).history["loss"][-1])


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    rng, answers = np.random.default_rng(3), {}
    for name, model, x in models(rng):
        model.set_weights([rng.uniform(0.1, 0.8, w.shape).astype(w.dtype) for w in model.get_weights()])
        if name in ("nested", "own"):
            model.compile(keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
            loss_after(model, x, np.random.default_rng(5))
        model.save(folder / f"{name}.keras")
        model.save_weights(folder / f"{name}.weights.h5")
        answers[name] = {"outputs": flat(model(x))}
        if name in ("nested", "own"):
            answers[name]["loss"] = loss_after(model, x, np.random.default_rng(6))
    if BRIO:
        writer = tf.summary.create_file_writer(str(folder / "events"))
        with writer.as_default():
            tf.summary.scalar("loss", 0.5, step=3)
            tf.summary.histogram("weights", np.arange(5.0), step=3)
            tf.summary.text("note", "hello", step=4)
        writer.close()
    (folder / "answers.json").write_text(json.dumps(answers))
    print(f"{folder}: {len(answers)} models written by {'Brio' if BRIO else 'Keras ' + keras.__version__}")


def read(folder):
    answers = json.loads((folder / "answers.json").read_text())
    rng, count = np.random.default_rng(3), 0
    for name, fresh, x in models(rng):
        for w in fresh.get_weights():
            rng.uniform(0.1, 0.8, w.shape)
        if name not in answers:
            continue
        want = answers[name]
        model = keras.models.load_model(folder / f"{name}.keras")
        check(f"{name}.keras", flat(model(x)), want["outputs"])
        if (folder / f"{name}.weights.h5").exists():
            fresh.load_weights(folder / f"{name}.weights.h5")
            check(f"{name}.weights.h5", flat(fresh(x)), want["outputs"])
        if "loss" in want:
            check(f"{name}: training goes on", loss_after(model, x, np.random.default_rng(6)), want["loss"])
        count += 1
    if not BRIO and (folder / "events").exists():
        read_events(folder / "events")
    print(f"{folder}: {count} models read by {'Brio' if BRIO else 'Keras ' + keras.__version__}")


def read_events(folder):
    found = {}
    for path in folder.iterdir():
        for event in tf.compat.v1.train.summary_iterator(str(path)):
            for value in event.summary.value:
                found[value.tag] = (event.step, tf.make_ndarray(value.tensor), value.metadata.plugin_data.plugin_name)
    assert found["loss"][0] == 3 and found["loss"][1] == np.float32(0.5) and found["loss"][2] == "scalars", found
    assert found["weights"][1].shape == (30, 3) and found["weights"][1][:, 2].sum() == 5, found
    assert found["note"][1].item() == b"hello", found


def check(what, got, want):
    for g, w in zip(got if isinstance(got, list) else [got], want if isinstance(want, list) else [want]):
        if not np.allclose(np.asarray(g), np.asarray(w), rtol=1e-4, atol=1e-5):
            raise SystemExit(f"{what}: {g}, not {w}")


def pack(folder):
    """Makes the files of a directory small enough to be kept: the same members, deflated."""
    for path in folder.glob("*.weights.h5"):
        path.unlink()
    for path in folder.glob("*.keras"):
        with zipfile.ZipFile(path) as old:
            members = [(name, old.read(name)) for name in old.namelist()]
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
            for name, data in members:
                new.writestr(name, data)


if __name__ == "__main__":
    {"write": write, "read": read, "pack": pack}[sys.argv[1]](pathlib.Path(sys.argv[2]))
