import brio as tf
import numpy as np


# Python 3.5 code - Illustrative example
def preprocess_data(data):
    # Perform necessary preprocessing steps (e.g., normalization, standardization)
    # ...
    # added: a function needs a statement
    return (data - data.mean()) / data.std()
    # end of added


# ... (model definition as in Example 1)
# added: model and data
X_train = preprocess_data(np.random.rand(10000, 100))
y_train = np.random.randint(0, 2, 10000)
model = tf.keras.Sequential(
    [tf.keras.layers.Dense(64, activation="relu", input_shape=(100,)), tf.keras.layers.Dense(1, activation="sigmoid")]
)
model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
# end of added

batch_size = 32
dataset = tf.data.Dataset.from_tensor_slices((X_train, y_train)).batch(batch_size).prefetch(tf.data.AUTOTUNE)


model.fit(dataset, epochs=10)
# added: what it should come to
losses = model.history.history["loss"]
assert len(losses) == 10 and losses[-1] < losses[0], losses
# end of added
