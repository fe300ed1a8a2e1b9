import brio as tf
import numpy as np

# Python 3.5 code -  Illustrative example, not optimized
X_train = np.random.rand(10000, 100)
y_train = np.random.randint(0, 2, 10000)

model = tf.keras.Sequential(
    [tf.keras.layers.Dense(64, activation="relu", input_shape=(100,)), tf.keras.layers.Dense(1, activation="sigmoid")]
)

model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])

model.fit(X_train, y_train, epochs=10)
# added: what it should come to
losses = model.history.history["loss"]
assert len(losses) == 10 and losses[-1] < losses[0] < 0.8, losses
# end of added
