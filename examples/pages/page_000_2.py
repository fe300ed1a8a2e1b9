import brio as tf
import numpy as np


# Python 3.5 code - Illustrative example, limited effectiveness in 3.5
@tf.function
def train_step(images, labels):
    with tf.GradientTape() as tape:
        predictions = model(images)
        loss = tf.keras.losses.binary_crossentropy(labels, predictions)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


# ... (rest of the model definition and training loop as in Example 1)
# added: model, optimizer, data and loop
rng = np.random.default_rng(0)
X_train = rng.random((1000, 100), dtype=np.float32)
y_train = (X_train.sum(1, keepdims=True) > 50).astype(np.float32)
model = tf.keras.Sequential(
    [tf.keras.layers.Dense(64, activation="relu", input_shape=(100,)), tf.keras.layers.Dense(1, activation="sigmoid")]
)
optimizer = tf.keras.optimizers.Adam()
loss_of = lambda: float(tf.reduce_mean(tf.keras.losses.binary_crossentropy(y_train, model(X_train))))
before = loss_of()
for _ in range(20):
    for i in range(0, 1000, 50):
        train_step(X_train[i : i + 50], y_train[i : i + 50])
after = loss_of()
assert after < 0.9 * before, (before, after)
# TensorFlow traces twice, since the optimizer makes its variables in the first call.
assert train_step.experimental_get_tracing_count() == (2 if tf.__name__ == "tensorflow" else 1)
# end of added
