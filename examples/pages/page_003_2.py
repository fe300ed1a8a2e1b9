import brio as tf
import numpy as np

# added: pictures, labels, and PIL or a stand-in for the three methods the page uses
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pictures import some_pictures

try:
    from PIL import Image
except ImportError:
    from pictures import Image
# end of added

# Offline Preprocessing:
# added: paths and labels in place of "#...get list of image paths...", and a model
image_paths, labels = some_pictures()
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
processed_images = []
processed_labels = []
for path, label in zip(image_paths, labels):
    img = Image.open(path).resize((224, 224))
    img = np.array(img)  # convert to numpy for efficient tensorflow processing
    # Apply Augmentations here (Random flips, crops etc)
    processed_images.append(img)
    processed_labels.append(label)
processed_images = np.array(processed_images)
processed_labels = np.array(processed_labels)

dataset = tf.data.Dataset.from_tensor_slices((processed_images, processed_labels))
dataset = dataset.batch(64).prefetch(tf.data.AUTOTUNE)


model.fit(dataset, epochs=10)
# added: what it should come to
losses = model.history.history["loss"]
assert len(losses) == 10 and losses[-1] < losses[0], losses
# end of added
