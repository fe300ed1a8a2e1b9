import brio as tf

# added: pictures and a model
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pictures import two_class_folder

folder = two_class_folder()
model = tf.keras.Sequential(
    [
        tf.keras.layers.Input(shape=(224, 224, 3)),
        tf.keras.layers.Rescaling(1 / 255.0),
        tf.keras.layers.Conv2D(8, 5, strides=4, activation="relu"),
        tf.keras.layers.GlobalAveragePooling2D(),
        tf.keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(optimizer="adam", loss="binary_crossentropy")
# end of added


def preprocess(image, label):
    image = tf.image.resize(image, (224, 224))  # Resize within the loop!
    image = tf.image.random_flip_left_right(image)  # Augmentation within the loop!
    return image, label


dataset = tf.keras.utils.image_dataset_from_directory(
    # added: a folder that is there, in place of 'path/to/images'
    folder,
    # end of added
    labels="inferred",
    label_mode="binary",
    image_size=(256, 256),
    batch_size=32,
    shuffle=True,
)

dataset = dataset.map(preprocess)  # Preprocessing in the loop!
dataset = dataset.prefetch(tf.data.AUTOTUNE)

model.fit(dataset, epochs=10)
# added: it learns to tell light pictures from dark ones
losses = model.history.history["loss"]
assert len(losses) == 10 and losses[-1] < losses[0], losses
# end of added
