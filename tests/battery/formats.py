"""What Brio writes, for the batteries: each format with how it is written with one number in it and how that number is
read back.

A file of number n holds n in all of its values, so that parts of two files that were mixed up are noticed."""

import os
import pathlib

import numpy as np

import brio as tf
from brio import keras

L = keras.layers


def model(n, width=130):
    made = keras.Sequential([keras.Input((width,)), L.Dense(width), L.Dense(2)])
    made.compile(keras.optimizers.SGD(0.0, momentum=0.9), "mse")
    made.optimizer.build(made.trainable_variables)
    made.set_weights([np.full_like(w, n) for w in made.get_weights()])
    return made


def number(values):
    """The one number that all of them are."""
    found = {float(v) for array in values for v in np.unique(np.asarray(array))}
    if len(found) != 1:
        raise AssertionError(f"numbers of several files are mixed: {sorted(found)[:5]}")
    return found.pop()


class Format:
    """save(folder, n) writes the files; load(folder) gives n, or raises.
    sealed: every bit counts, also those that no reader looks at."""

    def __init__(self, save, load, sealed=True):
        self.save, self.load, self.sealed = save, load, sealed


def _weights(name):
    def save(folder, n):
        model(n).save_weights(os.path.join(folder, name))

    def load(folder):
        into = model(-1)
        into.load_weights(os.path.join(folder, name))
        return number(into.get_weights())

    return Format(save, load)


def _whole(name):
    def load(folder):
        return number(keras.models.load_model(os.path.join(folder, name)).get_weights())

    return Format(lambda folder, n: model(n).save(os.path.join(folder, name)), load)


def _checkpoint():
    def save(folder, n):
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(model=model(n)), folder, 2)
        manager.save(int(n))

    def load(folder):
        into = model(-1)
        tf.train.Checkpoint(model=into).restore(tf.train.latest_checkpoint(folder)).assert_existing_objects_matched()
        return number(into.get_weights())

    return Format(save, load)


def _saved_model():
    def save(folder, n):
        module = tf.Module()
        module.v = tf.Variable(np.full((130, 7), n, "float32"))
        module.add = tf.function(lambda x: x + module.v, input_signature=[tf.TensorSpec([130, 7])])
        tf.saved_model.save(module, os.path.join(folder, "saved"))

    def load(folder):
        loaded = tf.saved_model.load(os.path.join(folder, "saved"))
        return number([loaded.v, loaded.add(tf.zeros((130, 7)))])

    return Format(save, load)


def _records(compression):
    def save(folder, n):
        with tf.io.TFRecordWriter(os.path.join(folder, "r.tfrecord"), compression) as writer:
            for _ in range(40):
                writer.write(np.full(50, n, "float32").tobytes())

    def load(folder):
        rows = [
            np.frombuffer(r, "float32")
            for r in tf.data.TFRecordDataset(os.path.join(folder, "r.tfrecord"), compression or "").as_numpy_iterator()
        ]
        if len(rows) != 40:
            raise ValueError(f"there are {len(rows)} records")
        return number(rows)

    return Format(save, load, sealed=compression is None)


def _cache():
    def data(folder, n):
        rows = np.full((30, 20), n, "float32")
        return tf.data.Dataset.from_tensor_slices(rows).cache(os.path.join(folder, "cache"))

    def save(folder, n):
        for path in pathlib.Path(folder).glob("cache*"):
            path.unlink()
        list(data(folder, n))

    return Format(save, lambda folder: number(list(data(folder, -1).as_numpy_iterator())))


def _png():
    def save(folder, n):
        keras.utils.save_img(os.path.join(folder, "p.png"), np.full((20, 30, 3), int(n) % 200, "uint8"), scale=False)

    def load(folder):
        return number([tf.io.decode_png(tf.io.read_file(os.path.join(folder, "p.png")))])

    return Format(save, load, sealed=False)


FORMATS = {
    "keras": _whole("m.keras"), "h5": _weights("m.weights.h5"), "whole_h5": _whole("m.h5"),
    "safetensors": _weights("m.safetensors"), "checkpoint": _checkpoint(), "saved_model": _saved_model(),
    "tfrecord": _records(None), "tfrecord_gzip": _records("GZIP"), "tfrecord_zlib": _records("ZLIB"),
    "cache": _cache(), "png": _png(),
}  # fmt: skip
