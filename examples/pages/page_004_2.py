import brio as tf

# added: data, model, loss, and names that the page leaves undefined
import numpy as np

rng = np.random.default_rng(0)
features = rng.random((320, 4), dtype=np.float32)
dataset = tf.data.Dataset.from_tensor_slices({"features": features, "labels": features.sum(1, keepdims=True)}).batch(10)
model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(1)])
compute_loss = lambda predictions, labels: tf.reduce_mean(tf.square(predictions - labels))
learning_rate, num_epochs, i = 0.01, 5, -1
losses = []
# end of added

accumulation_steps = 8  # Accumulate gradients over multiple smaller batches

optimizer = tf.keras.optimizers.Adam(learning_rate=learning_rate)

# Training loop
for epoch in range(num_epochs):
    for batch in dataset:
        # added: the page uses i without counting it
        i += 1
        # end of added
        with tf.GradientTape() as tape:
            predictions = model(batch["features"])
            loss = compute_loss(predictions, batch["labels"])
        gradients = tape.gradient(loss, model.trainable_variables)
        accumulated_gradients = [tf.zeros_like(g) for g in gradients]
        accumulated_gradients = [tf.add(ag, g) for ag, g in zip(accumulated_gradients, gradients)]

        if (i + 1) % accumulation_steps == 0:
            scaled_gradients = [ag / accumulation_steps for ag in accumulated_gradients]
            optimizer.apply_gradients(zip(scaled_gradients, model.trainable_variables))
            accumulated_gradients = [tf.zeros_like(g) for g in gradients]
        # added
        losses.append(float(loss))
        # end of added
# added: a step every eight batches
assert int(optimizer.iterations) == num_epochs * 32 // accumulation_steps
assert np.mean(losses[-32:]) < np.mean(losses[:32]), losses
# end of added
