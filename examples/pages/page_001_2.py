import brio as tf

# Enable mixed precision
policy = tf.keras.mixed_precision.Policy("mixed_float16")
tf.keras.mixed_precision.set_global_policy(policy)

# Example model (any suitable model)
model = tf.keras.Sequential(
    [
        tf.keras.layers.Conv2D(32, (3, 3), activation="relu", input_shape=(224, 224, 3)),
        tf.keras.layers.MaxPooling2D((2, 2)),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(10, activation="softmax"),
    ]
)

optimizer = tf.keras.optimizers.Adam()  # Use any valid optimizer
loss_fn = tf.keras.losses.CategoricalCrossentropy()  #  Use any valid loss function


@tf.function
def train_step(images, labels):
    with tf.GradientTape() as tape:
        predictions = model(images)
        loss = loss_fn(labels, predictions)
        scaled_loss = optimizer.get_scaled_loss(loss)  # For mixed precision
    scaled_gradients = tape.gradient(scaled_loss, model.trainable_variables)
    gradients = optimizer.get_unscaled_gradients(scaled_gradients)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


# added: data
tf.random.set_seed(1)
train_dataset = [
    (tf.random.uniform([4, 224, 224, 3], seed=i), tf.one_hot(tf.constant([0, 1, 2, 3]), 10)) for i in range(3)
]
losses = []
# end of added
# Training loop (with the mixed precision policy applied above)
for images, labels in train_dataset:
    loss_value = train_step(images, labels)
    print(f"Loss: {loss_value}")
    # added
    losses.append(float(loss_value))
    # end of added
# added: weights are float32, results are float16
assert all(0 < loss < 1000 for loss in losses), losses
assert model.layers[0].kernel.dtype == tf.float32 and model(images).dtype == tf.float16
# end of added
