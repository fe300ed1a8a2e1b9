"""Files of Keras: what Keras wrote (fixtures), what Brio writes, and files that are broken."""

import json
import pathlib
import struct

import numpy as np
import pytest

import brio as tf
import exchange
from brio import keras

FIXTURES = pathlib.Path(__file__).parent / "fixtures"


def small():
    return keras.Sequential([keras.Input((4,)), keras.layers.Dense(2)])


def test_reads_what_keras_wrote(capsys):
    exchange.read(FIXTURES)
    assert f"{len(json.loads((FIXTURES / 'answers.json').read_text()))} models read by Brio" in capsys.readouterr().out


def test_reads_what_it_wrote(tmp_path):
    exchange.write(tmp_path)
    exchange.read(tmp_path)


def test_safetensors(tmp_path):
    model, other = small(), small()
    model.save_weights(tmp_path / "w.safetensors")
    other.load_weights(tmp_path / "w.safetensors")
    assert all(np.array_equal(a, b) for a, b in zip(model.get_weights(), other.get_weights()))
    data = (tmp_path / "w.safetensors").read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    assert length % 8 == 0 and header["layers/dense/0"] == {"dtype": "F32", "shape": [4, 2], "data_offsets": [0, 32]}


@pytest.mark.parametrize(
    "data, reason",
    [
        (b"abc", "fewer than 8"),
        (struct.pack("<Q", 1 << 40), "claims"),
        (struct.pack("<Q", 2) + b"no", "no JSON"),
        (
            struct.pack("<Q", 56) + b'{"t":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}  ' + b"12345678",
            "does not fit",
        ),
        (struct.pack("<Q", 56) + b'{"t":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}  ' + b"123456789", "behind"),
        (
            struct.pack("<Q", 56) + b'{"t":{"dtype":"Q32","shape":[2],"data_offsets":[0,8]}}  ' + b"12345678",
            "not known",
        ),
    ],
)
def test_broken_safetensors(tmp_path, data, reason):
    path = tmp_path / "w.safetensors"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=reason):
        small().load_weights(path)


def test_broken_hdf5(tmp_path):
    path = tmp_path / "w.weights.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(tf.errors.DataLossError, match="w.weights.h5 is damaged"):
        small().load_weights(path)
    small().save_weights(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(tf.errors.DataLossError, match="w.weights.h5 is damaged"):
        small().load_weights(path)


def test_a_failed_save_leaves_the_old_file(tmp_path):
    path = tmp_path / "m.keras"
    small().save(path)
    before = path.read_bytes()

    class Bad(keras.layers.Layer):
        def call(self, x):
            return x

        def save_own_variables(self, store):
            raise KeyError("mine")

    with pytest.raises(KeyError):
        keras.Sequential([keras.Input((4,)), Bad()]).save(path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]
    with pytest.raises(FileExistsError):
        small().save(path, overwrite=False)


def test_own_variables(tmp_path):
    class Mine(keras.layers.Layer):
        def build(self, shape):
            self.w = self.add_weight(shape=(2,), initializer="ones")

        def call(self, x):
            return x * self.w[0]

        def save_own_variables(self, store):
            store["twice"] = self.w.numpy() * 2

        def load_own_variables(self, store):
            self.w.assign(store["twice"] * 5)

    model = keras.Sequential([keras.Input((2,)), Mine()])
    model.save_weights(tmp_path / "m.weights.h5")
    model.load_weights(tmp_path / "m.weights.h5")
    assert model.get_weights()[0].tolist() == [10.0, 10.0]


def test_tensorboard(tmp_path):
    model = small()
    model.compile("sgd", "mse")
    board = keras.callbacks.TensorBoard(tmp_path, histogram_freq=1, update_freq="batch", write_images=True)
    model.fit(
        np.ones((4, 4)),
        np.ones((4, 2)),
        epochs=2,
        batch_size=2,
        verbose=0,
        validation_data=(np.ones((2, 4)), np.ones((2, 2))),
        callbacks=[board],
    )
    assert sorted(p.name for p in tmp_path.iterdir()) == ["train", "validation"]
    (path,) = (tmp_path / "train").iterdir()
    data, tags, at = path.read_bytes(), [], 0
    while at < len(data):
        length = struct.unpack("<Q", data[at : at + 8])[0]
        record = data[at + 12 : at + 12 + length]
        assert struct.unpack("<I", data[at + 8 : at + 12])[0] == tf._core._masked_crc32c(data[at : at + 8])
        tags += [
            t
            for t in (b"epoch_loss", b"batch_loss", b"epoch_learning_rate", b"histogram", b"/image", b"Dense")
            if t in record
        ]
        at += 16 + length
    assert (
        tags.count(b"epoch_loss") == 2
        and tags.count(b"batch_loss") == 4
        and tags.count(b"epoch_learning_rate") == 2
        and b"histogram" in tags
    )
    assert tags.count(b"Dense") == 1 and tags.count(b"/image") == 2 * len(model.weights)


def test_summary(tmp_path):
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        assert tf.summary.scalar("a", 1.0, step=0)
        assert tf.summary.image("p", np.zeros((1, 2, 2, 3)), step=0)
        with pytest.raises(ValueError, match="step"):
            tf.summary.scalar("a", 1.0)
        with tf.summary.record_if(False):
            assert not tf.summary.scalar("a", 1.0, step=1)
    assert not tf.summary.scalar("a", 1.0, step=0)


def test_out_of_scope():
    with pytest.raises(NotImplementedError):
        keras.callbacks.RemoteMonitor("x")


def test_checkpoint_of_a_model_and_its_optimizer(tmp_path):
    x, y = np.ones((4, 4), "float32"), np.ones((4, 2), "float32")
    model = small()
    model.compile("adam", "mse")
    model.fit(x, y, verbose=0)
    path = tf.train.Checkpoint(model=model).save(tmp_path / "ck")
    other = small()
    other.compile("adam", "mse")
    other.fit(x, y, verbose=0)
    tf.train.Checkpoint(model=other).restore(path).assert_consumed()
    assert model.fit(x, y, verbose=0).history == other.fit(x, y, verbose=0).history
    assert ("model/0", [4, 2]) in tf.train.list_variables(tmp_path)
    reader = tf.train.load_checkpoint(tmp_path)
    assert reader.has_tensor("model/1") and np.array_equal(
        reader.get_tensor("model/1"), np.asarray(tf.train.load_variable(path, "model/1"))
    )


def test_gathers_what_notebooks_show():
    assert "Dense" in small()._repr_html_()
