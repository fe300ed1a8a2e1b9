"""Connectionist temporal classification: losses, decoders and their doors, with as many classes and steps as texts and speech have."""

_DATA = """
        b, t, c, n = 4, 60, 128, 12
        logits = (rng.normal(size=(b, t, c)) * 2).astype('float32')
        labels = rng.integers(1, c - 1, (b, n)).astype('int32')
        labels[1, 3] = labels[1, 4]
        label_length, logit_length = np.array([12, 7, 1, 9], 'int32'), np.array([60, 41, 20, 33], 'int32')
"""

CASES = [
    (
        "loss",
        _DATA
        + "        result = tf.nn.ctc_loss(labels, logits, label_length, logit_length, logits_time_major=False, blank_index=0)",
        {"rtol": 1e-4},
    ),
    (
        "loss_with_time_first",
        _DATA
        + "        result = tf.nn.ctc_loss(labels, logits.transpose(1, 0, 2), label_length, logit_length, blank_index=-1)",
        {"rtol": 1e-4},
    ),
    (
        "loss_of_sparse_labels",
        _DATA
        + """
        dense = np.where(np.arange(n)[None] < label_length[:, None], labels, 0)
        result = tf.nn.ctc_loss(tf.sparse.from_dense(dense), logits.transpose(1, 0, 2), None, logit_length, blank_index=-1)
    """,
        {"rtol": 1e-4},
    ),
    (
        "gradient_of_the_loss",
        _DATA
        + """
        x = tf.Variable(logits)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.ctc_loss(labels, x, label_length, logit_length, logits_time_major=False, blank_index=0))
        result = tape.gradient(loss, x)[:, ::10, ::16]
    """,
        {"rtol": 1e-3, "atol": 1e-5},
    ),
    (
        "loss_of_ops",
        _DATA + "        result = keras.ops.ctc_loss(labels, logits, label_length, logit_length)",
        {"rtol": 1e-4},
    ),
    (
        "loss_of_ops_with_another_blank",
        _DATA + "        result = keras.ops.ctc_loss(labels, logits, label_length, logit_length, mask_index=127)",
        {"rtol": 1e-4},
    ),
    (
        "batch_cost",
        _DATA
        + """
        p = tf.nn.softmax(logits)
        result = tf.keras.backend.ctc_batch_cost(labels, p, logit_length[:, None], label_length[:, None])
    """,
        {"rtol": 1e-3},
    ),
    (
        "old_loss",
        _DATA
        + """
        dense = np.where(np.arange(n)[None] < label_length[:, None], labels, 0)
        result = tf.compat.v1.nn.ctc_loss(tf.sparse.from_dense(dense), logits.transpose(1, 0, 2), logit_length)
    """,
        {"rtol": 1e-4},
    ),
    (
        "a_function_of_the_loss",
        _DATA
        + """
        @tf.function
        def f(x):
            return tf.reduce_mean(tf.nn.ctc_loss(labels, x, label_length, logit_length, logits_time_major=False, blank_index=0))
        result = f(tf.constant(logits))
    """,
        {"rtol": 1e-4},
    ),
    (
        "greedy",
        _DATA
        + """
        decoded, scores = keras.ops.ctc_decode(logits, logit_length)
        result = [decoded, scores]
    """,
        {"rtol": 1e-4},
    ),
    (
        "greedy_of_probabilities",
        _DATA
        + """
        decoded, scores = tf.keras.backend.ctc_decode(tf.nn.softmax(logits), logit_length, greedy=True)
        result = [decoded[0], scores]
    """,
        {"rtol": 1e-3},
    ),
    (
        "beam_search",
        """
        logits = (np.random.default_rng(3).normal(size=(3, 12, 6)) * 2).astype('float32')
        decoded, scores = keras.ops.ctc_decode(logits, np.array([12, 9, 5]), strategy='beam_search', beam_width=100, top_paths=2)
        [decoded, scores]
    """,
        {"rtol": 1e-2},
    ),
    (
        "beam_search_of_the_last_class",
        """
        logits = (np.random.default_rng(4).normal(size=(12, 3, 6)) * 2).astype('float32')
        decoded, scores = tf.nn.ctc_beam_search_decoder(logits, np.array([12, 9, 5], 'int32'), beam_width=100, top_paths=2)
        [tf.sparse.to_dense(decoded[0], default_value=-1), tf.sparse.to_dense(decoded[1], default_value=-1), scores]
    """,
        {"rtol": 1e-4},
    ),
    ("unique_labels", "tf.nn.ctc_unique_labels(tf.constant([[7, 3, 7, 120], [5, 5, 5, 130]]))"),
    (
        "collapse_repeated",
        "tf.nn.collapse_repeated(tf.constant([[7, 7, 3, 3, 7], [5, 5, 5, 130, 1]]), tf.constant([5, 4]))",
    ),
    (
        "a_layer_that_adds_the_loss",
        _DATA
        + """
        class CTCLayer(keras.layers.Layer):
            def call(self, y_true, y_pred):
                batch = tf.cast(tf.shape(y_true)[0], dtype='int64')
                steps = tf.cast(tf.shape(y_pred)[1], dtype='int64') * tf.ones(shape=(batch, 1), dtype='int64')
                count = tf.cast(tf.shape(y_true)[1], dtype='int64') * tf.ones(shape=(batch, 1), dtype='int64')
                self.add_loss(tf.reduce_mean(tf.keras.backend.ctc_batch_cost(y_true, y_pred, steps, count)))
                return y_pred
        x, y = keras.Input((t, c)), keras.Input((n,))
        model = keras.Model([x, y], CTCLayer()(y, keras.layers.Softmax()(x)))
        model.compile('sgd')
        result = model.evaluate([logits, labels], verbose=0)
    """,
        {"rtol": 1e-3},
    ),
]
