"""Data for the listings: small pictures of two kinds, dark and light, written once into a directory of their own."""

import atexit
import os
import shutil
import tempfile

import numpy as np

import brio as tf

_folder = tempfile.mkdtemp(prefix="brio-pages-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)


def _pixels(rng, light):
    return (rng.random((60, 80, 3)) * 100 + (150 if light else 0)).astype(np.uint8)


def two_class_folder(count=48):
    """A directory with one of pictures for each class."""
    rng = np.random.default_rng(0)
    for i in range(count):
        kind = ("dark", "light")[i % 2]
        os.makedirs(os.path.join(_folder, kind), exist_ok=True)
        tf.io.write_file(os.path.join(_folder, kind, f"{i}.jpg"), tf.io.encode_jpeg(_pixels(rng, i % 2)))
    return _folder


def some_pictures(count=48):
    """Paths of JPEG files, and a label for each."""
    two_class_folder(count)
    kinds = ("dark", "light")
    return [os.path.join(_folder, kinds[i % 2], f"{i}.jpg") for i in range(count)], [i % 2 for i in range(count)]


def record_pattern(count=48):
    """A pattern of TFRecord files whose examples hold raw pictures of 224 x 224 and labels."""
    rng = np.random.default_rng(0)
    for shard in range(2):
        with tf.io.TFRecordWriter(os.path.join(_folder, f"{shard}.tfrecord")) as writer:
            for i in range(count // 2):
                light = i % 2
                image = (rng.random((224, 224, 3)) * 100 + (150 if light else 0)).astype(np.uint8)
                feature = {
                    "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[image.tobytes()])),
                    "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[light])),
                }
                writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    return os.path.join(_folder, "*.tfrecord")


class Image:
    """The part of PIL that the page uses, for machines without it."""

    def __init__(self, pixels):
        self._pixels = pixels

    @classmethod
    def open(cls, path):
        return cls(tf.io.decode_jpeg(tf.io.read_file(path), channels=3))

    def resize(self, size):
        return Image(tf.cast(tf.image.resize(self._pixels, size[::-1]), tf.uint8))

    def __array__(self, dtype=None, copy=None):
        return self._pixels.numpy()
