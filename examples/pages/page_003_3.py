import brio as tf
import numpy as np

# added: records and a model
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pictures import record_pattern

pattern = record_pattern()
model = tf.keras.Sequential(
    [
        tf.keras.layers.Input(shape=(224, 224, 3)),
        tf.keras.layers.Rescaling(1 / 255.0),
        tf.keras.layers.Conv2D(8, 5, strides=4, activation="relu"),
        tf.keras.layers.GlobalAveragePooling2D(),
        tf.keras.layers.Dense(2, activation="softmax"),
    ]
)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
# end of added

# Assuming images are already preprocessed and saved to efficient format (e.g., TFRecord)


def read_tfrecord(example):
    features = {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)}
    example = tf.io.parse_single_example(example, features)
    image = tf.io.decode_raw(example["image"], tf.uint8)
    image = tf.reshape(image, [224, 224, 3])  # Assumes 224x224 RGB images
    label = example["label"]
    return image, label


# added: files that are there, in place of 'path/to/tfrecords/*.tfrecord'
dataset = tf.data.TFRecordDataset(pattern)
# end of added
dataset = dataset.map(read_tfrecord, num_parallel_calls=tf.data.AUTOTUNE)
dataset = dataset.shuffle(buffer_size=10000)  # Buffer size adjusted as needed
dataset = dataset.batch(64).prefetch(tf.data.AUTOTUNE)

model.fit(dataset, epochs=10)
# added: what it should come to
losses = model.history.history["loss"]
assert len(losses) == 10 and losses[-1] < losses[0], losses
# end of added
