import brio as tf

# Enable mixed precision training
policy = tf.keras.mixed_precision.Policy("mixed_float16")
tf.keras.mixed_precision.set_global_policy(policy)

# ... rest of the training code remains largely the same ...
# added: training code
import numpy as np

rng = np.random.default_rng(0)
x = rng.random((512, 16), dtype=np.float32)
y = (x.sum(1) > 8).astype(np.int32)
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(32, activation="relu"),
        tf.keras.layers.Dense(2),
        tf.keras.layers.Activation("softmax", dtype="float32"),
    ]
)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(x, y, epochs=20, verbose=0).history
assert model.layers[0].compute_dtype == "float16" and model.layers[0].kernel.dtype == tf.float32
assert history["loss"][-1] < 0.9 * history["loss"][0], history["loss"]
# end of added
