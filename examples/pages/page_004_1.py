import brio as tf

# added: data, model, loss, optimizer
import numpy as np

rng = np.random.default_rng(0)
features = rng.random((320, 4), dtype=np.float32)
training_data = {"features": features, "labels": features.sum(1, keepdims=True)}
preprocess_function = lambda sample: {"features": sample["features"] * 2 - 1, "labels": sample["labels"]}
model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(1)])
compute_loss = lambda predictions, labels: tf.reduce_mean(tf.square(predictions - labels))
optimizer = tf.keras.optimizers.Adam(0.01)
num_epochs = 10
losses = []
# end of added

# Define a dataset pipeline using tf.data
dataset = (
    tf.data.Dataset.from_tensor_slices(training_data)
    .map(preprocess_function)
    .shuffle(buffer_size=1000)
    .batch(batch_size=32)
    .prefetch(buffer_size=tf.data.AUTOTUNE)
)

# Training loop
for epoch in range(num_epochs):
    for batch in dataset:
        # Training step using the batched data
        with tf.GradientTape() as tape:
            predictions = model(batch["features"])
            loss = compute_loss(predictions, batch["labels"])
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        # added
        losses.append(float(loss))
        # end of added
# added: what it should come to
assert len(losses) == 100 and np.mean(losses[-10:]) < 0.5 * np.mean(losses[:10]), losses
# end of added
