"""Datasets on disk: a damaged file is a DataLossError that names it,
and a writer that is cut off leaves nothing to be read."""

import glob
import os

import numpy as np
import pytest

import brio as tf

Dataset = tf.data.Dataset


def kept(folder, compression=None):
    Dataset.from_tensor_slices({"a": np.arange(600).reshape(120, 5), "b": np.ones((120, 40))}).save(
        str(folder), compression=compression
    )


@pytest.mark.parametrize("compression", [None, "GZIP"])
@pytest.mark.parametrize("name", ["*.tfrecord", "dataset.json"])
def test_every_damage_is_named(tmp_path, compression, name):
    kept(tmp_path, compression)
    (file,) = glob.glob(str(tmp_path / name))
    whole = open(file, "rb").read()
    draws = np.random.default_rng(0)
    damaged = [whole[: draws.integers(len(whole))] for _ in range(8)]
    for at in draws.integers(len(whole), size=8):
        damaged.append(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
    for data in [*damaged, b"\0" * 5 + whole[20:]]:
        with open(file, "wb") as out:
            out.write(data)
        with pytest.raises(tf.errors.DataLossError, match=os.path.basename(file)):
            list(Dataset.load(str(tmp_path)))
    with open(file, "wb") as out:
        out.write(whole)
    assert len(list(Dataset.load(str(tmp_path)))) == 120


def test_a_file_that_is_gone(tmp_path):
    kept(tmp_path)
    os.unlink(glob.glob(str(tmp_path / "*.tfrecord"))[0])
    with pytest.raises(tf.errors.DataLossError, match="it is not there"):
        Dataset.load(str(tmp_path))


def test_what_is_not_finished_leaves_nothing(tmp_path):
    def failing():
        yield 1
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        Dataset.from_generator(failing, output_signature=tf.TensorSpec([], "int32")).save(str(tmp_path))
    assert os.listdir(tmp_path) == []
    snapshot = Dataset.range(100).snapshot(str(tmp_path / "s"))
    assert int(next(iter(snapshot))) == 0
    assert len(list(snapshot)) == 100 and "dataset.json" in os.listdir(tmp_path / "s")
