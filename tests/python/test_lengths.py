"""Sequences of many lengths, and batches of many sizes: a step is traced once for all of them."""

import numpy as np
import pytest

import brio as tf

keras = tf.keras


def sequences(n=120, longest=90):
    rng = np.random.default_rng(5)
    return [rng.integers(1, 50, size=length).astype("int32") for length in rng.integers(1, longest, size=n)]


def label(words):
    return words, tf.cast(tf.reduce_sum(words) % 2, tf.float32)


def of_sequences():
    words = sequences()
    return tf.data.Dataset.from_generator(lambda: iter(words), output_signature=tf.TensorSpec([None], tf.int32)).map(
        label
    )


def bucketed():
    return of_sequences().bucket_by_sequence_length(lambda words, y: tf.shape(words)[0], [20, 45, 70], [9, 7, 5, 3])


def padded():
    return of_sequences().padded_batch(8, padded_shapes=([None], []))


def ragged():
    return of_sequences().ragged_batch(8).map(lambda words, y: (words.to_tensor(), y))


def growing():
    """No two batches have as many rows."""
    words = sequences()

    def batches():
        start = 0
        for rows in range(1, 15):
            part = words[start : start + rows]
            start += rows
            width = max(map(len, part))
            yield (
                np.stack([np.pad(w, (0, width - len(w))) for w in part]),
                np.array([w.sum() % 2 for w in part], "float32"),
            )

    signature = tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None], tf.float32)
    return tf.data.Dataset.from_generator(batches, output_signature=signature)


def make_model():
    keras.utils.set_random_seed(1)
    return keras.Sequential(
        [
            keras.layers.Embedding(50, 8, mask_zero=True),
            keras.layers.LSTM(6),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )


@pytest.mark.filterwarnings("ignore:.*the function runs in Python")
@pytest.mark.parametrize("make", [bucketed, padded, ragged, growing], ids=lambda make: make.__name__)
def test_fit_traces_its_step_once_for_a_size_and_once_for_all(make):
    def fitted(**options):
        traces = []

        def loss(y, p):
            traces.append(p.shape.as_list())
            return keras.losses.binary_crossentropy(tf.reshape(y, [-1, 1]), p)

        model = make_model()
        model.compile("adam", loss, **options)
        model.fit(make(), epochs=2, verbose=0)
        return model.get_weights(), traces

    weights, traces = fitted()
    assert len(traces) == 2
    for actual, expected in zip(weights, fitted(run_eagerly=True)[0]):
        np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.filterwarnings("ignore:.*the function runs in Python")
@pytest.mark.parametrize("make", [bucketed, padded, ragged, growing], ids=lambda make: make.__name__)
def test_a_step_by_hand_is_traced_once(make):
    model, adam = make_model(), keras.optimizers.Adam()
    model.build((None, None))

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None], tf.float32)])
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(keras.losses.binary_crossentropy(y[:, None], model(x, training=True)))
        adam.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    losses = [float(step(x, y)) for _ in range(6) for x, y in make()]
    assert step.experimental_get_tracing_count() == 1
    assert np.isfinite(losses).all() and adam.iterations == len(losses)
