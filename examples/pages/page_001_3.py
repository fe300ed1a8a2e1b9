import brio as tf

model = tf.keras.Sequential(
    [
        tf.keras.layers.Input(shape=(224, 224, 3)),
        # Regular Conv2D Layer
        tf.keras.layers.Conv2D(32, (3, 3), padding="same", activation="relu"),
        tf.keras.layers.MaxPooling2D((2, 2)),
        # Depthwise Separable Convolution
        tf.keras.layers.DepthwiseConv2D((3, 3), padding="same", activation="relu"),
        tf.keras.layers.Conv2D(64, (1, 1), padding="same", activation="relu"),  # Pointwise Convolution
        tf.keras.layers.MaxPooling2D((2, 2)),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(10, activation="softmax"),
    ]
)


optimizer = tf.keras.optimizers.Adam()
loss_fn = tf.keras.losses.CategoricalCrossentropy()


@tf.function
def train_step(images, labels):
    with tf.GradientTape() as tape:
        predictions = model(images)
        loss = loss_fn(labels, predictions)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


# added: data
tf.random.set_seed(1)
train_dataset = [(tf.random.uniform([4, 224, 224, 3], seed=7), tf.one_hot(tf.constant([0, 1, 2, 3]), 10))] * 5
losses = []
# end of added
# Training Loop
for images, labels in train_dataset:
    loss_value = train_step(images, labels)
    print(f"Loss: {loss_value}")
    # added
    losses.append(float(loss_value))
    # end of added
# added: the same batch again and again is learned
assert losses[-1] < losses[0], losses
assert model.count_params() == 2010378, model.count_params()
# end of added
