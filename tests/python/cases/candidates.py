"""Losses over sampled classes, sums of rows that sparse numbers name, windows and what else tf.nn has of the rarer kind."""

SETUP = """
        w, b = tf.Variable(rng.normal(size=(500, 120)).astype('float32') * 0.1), tf.Variable(rng.normal(size=500).astype('float32'))
        x = tf.Variable(rng.normal(size=(64, 120)).astype('float32'))
        y = tf.constant(rng.integers(0, 500, (64, {true})))
        sampled = (tf.constant(rng.integers(0, 500, 130)), tf.constant(rng.uniform(0.01, 1, (64, {true})).astype('float32')), tf.constant(rng.uniform(0.01, 1, 130).astype('float32')))
"""


def _loss(true, call):
    return (
        SETUP.format(true=true)
        + f"""
        def value():
            return {call}
        def both():
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(value())
            return loss, [tf.reduce_sum(tf.abs(tf.convert_to_tensor(g))) for g in tape.gradient(loss, [w, b, x])]
        [value()[:5], both(), tf.function(both)()]
    """
    )


SPARSE_IDS = """
        table = tf.Variable(rng.normal(size=(300, 130)).astype('float32'))
        rows = np.sort(rng.integers(0, 120, 900))
        ids = tf.SparseTensor(np.stack([rows, np.arange(900)], 1), rng.integers({low}, 300, 900), [130, 900])
        weights = tf.SparseTensor(ids.indices, rng.normal({mean}, 1, 900).astype('float32'), [130, 900])
"""

CASES = [
    ("nce_loss", _loss(1, "tf.nn.nce_loss(w, b, y, x, 130, 500, sampled_values=sampled)"), {"rtol": 1e-4}),
    (
        "nce_loss_of_several_true_classes",
        _loss(
            3, "tf.nn.nce_loss(w, b, y, x, 130, 500, num_true=3, sampled_values=sampled, remove_accidental_hits=True)"
        ),
        {"rtol": 1e-4},
    ),
    (
        "sampled_softmax_loss",
        _loss(1, "tf.nn.sampled_softmax_loss(w, b, y, x, 130, 500, sampled_values=sampled)"),
        {"rtol": 1e-4},
    ),
    (
        "sampled_softmax_loss_with_hits",
        _loss(2, "tf.nn.sampled_softmax_loss(w, b, y, x, 130, 500, 2, sampled, False, 3)"),
        {"rtol": 1e-4},
    ),
    ("all_candidates", "list(tf.nn.all_candidate_sampler([[3], [8]], 1, 10, True))"),
    ("accidental_hits", "list(tf.nn.compute_accidental_hits([[1, 3], [4, 9], [2, 2]], [2, 9, 4, 3], 2))"),
    ("candidates_of_wrong_shapes", "tf.random.uniform_candidate_sampler([[1, 2]], 1, 3, True, 10)"),
    ("more_candidates_than_classes", "tf.random.uniform_candidate_sampler([[1]], 1, 30, True, 10)"),
    (
        "expected_counts_with_repeats",
        """
        a = tf.random.log_uniform_candidate_sampler([[0], [7], [140]], 1, 120, False, 150)
        b = tf.random.fixed_unigram_candidate_sampler([[0], [7], [149]], 1, 120, False, 150, distortion=0.75, num_reserved_ids=1, unigrams=list(range(1, 150)))
        [a[1], b[1], a[0].dtype, a[0].shape, b[2].shape]
    """,
        {"rtol": 1e-4},
    ),
    (
        "embedding_lookup_sparse",
        SPARSE_IDS.format(low=0, mean=2)
        + """
        made = []
        for combiner in ('mean', 'sqrtn', 'sum'):
            for given in (None, weights):
                for norm in (None, 5.0):
                    with tf.GradientTape() as tape:
                        found = tf.nn.embedding_lookup_sparse(table, ids, given, combiner, max_norm=norm)
                        loss = tf.reduce_sum(found * found)
                    made.append([found.shape, loss, tf.reduce_sum(tf.abs(tf.convert_to_tensor(tape.gradient(loss, table))))])
        made
    """,
        {"rtol": 1e-4},
    ),
    (
        "embedding_lookup_sparse_of_ragged_ids_and_parts",
        """
        table = rng.normal(size=(300, 130)).astype('float32')
        ids = tf.ragged.constant([[1, 2, 299], [5], [7, 7]])
        made = tf.nn.embedding_lookup_sparse([table[:150], table[150:]], ids, None, combiner='sum')
        [made.shape, tf.reduce_sum(made, 1), tf.reduce_sum(tf.nn.embedding_lookup_sparse(table, ids, None), 1)]
    """,
        {"rtol": 1e-4},
    ),
    (
        "safe_embedding_lookup_sparse",
        SPARSE_IDS.format(low=-40, mean=0.5)
        + """
        made = []
        for combiner in ('mean', 'sqrtn', 'sum'):
            for given in (None, weights):
                for default in (None, 4):
                    with tf.GradientTape() as tape:
                        found = tf.nn.safe_embedding_lookup_sparse(table, ids, given, combiner, default_id=default)
                        loss = tf.reduce_sum(found * found)
                    made.append([found.shape, loss, tf.reduce_sum(tf.abs(tf.convert_to_tensor(tape.gradient(loss, table)))), found[-1, :3]])
        made
    """,
        {"rtol": 1e-3},
    ),
    (
        "safe_lookup_in_a_function",
        """
        table = tf.constant(rng.normal(size=(300, 130)).astype('float32'))
        @tf.function
        def looked_up(indices, values):
            return tf.nn.safe_embedding_lookup_sparse(table, tf.SparseTensor(indices, values, [5, 2, 7]))
        made = looked_up(tf.constant([[0, 0, 1], [0, 0, 3], [3, 1, 2]], tf.int64), tf.constant([7, 8, 250], tf.int64))
        [made.shape, tf.reduce_sum(made, -1)]
    """,
        {"rtol": 1e-4},
    ),
    (
        "max_pool_with_argmax",
        """
        x = tf.Variable(rng.normal(size=(3, 121, 100, 5)).astype('float32'))
        made = []
        for size, step, padding, batch, kind in ((2, 2, 'VALID', False, tf.int64), (3, 2, 'SAME', True, tf.int64), ([1, 3, 2, 1], [1, 1, 2, 1], 'SAME', False, tf.int64)):
            with tf.GradientTape() as tape:
                y, at = tf.nn.max_pool_with_argmax(x, size, step, padding, include_batch_in_index=batch, output_dtype=kind)
                loss = tf.reduce_sum(y * y)
            g = tape.gradient(loss, x)
            made.append([y.shape, at.dtype, at[2, :3, :3, 1], at[0, -1, -2:, 0], tf.reduce_sum(tf.cast(at, tf.float64)), loss, tf.reduce_sum(g * x), tf.reduce_sum(g)])
        made
    """,
        {"rtol": 1e-4},
    ),
    (
        "max_pool_with_argmax_in_a_model",
        """
        inputs = keras.Input((40, 30, 4))
        class Pool(keras.layers.Layer):
            def call(self, x):
                return tf.nn.max_pool_with_argmax(x, 2, 2, 'SAME', include_batch_in_index=True)
        model = keras.Model(inputs, Pool()(inputs))
        y, at = model(rng.normal(size=(3, 40, 30, 4)).astype('float32'))
        [y.shape, tf.reduce_sum(y), tf.reduce_sum(at)]
    """,
        {"rtol": 1e-4},
    ),
    (
        "dilation_and_erosion",
        """
        x, f = tf.Variable(rng.normal(size=(2, 100, 81, 4)).astype('float32')), tf.Variable(rng.normal(size=(3, 4, 4)).astype('float32') * 0.3)
        made = []
        for call in (tf.nn.dilation2d, tf.nn.erosion2d):
            for step, padding, rate in ((1, 'SAME', 1), (2, 'VALID', 1), (1, 'SAME', 2), (3, 'SAME', 2)):
                with tf.GradientTape() as tape:
                    y = call(x, f, [1, step, step, 1], padding, 'NHWC', [1, rate, rate, 1])
                    loss = tf.reduce_sum(y * y)
                g = tape.gradient(loss, [x, f])
                made.append([y.shape, loss, tf.reduce_sum(g[0] * x), tf.reduce_sum(g[1] * f), y[0, 0, :2]])
        made
    """,
        {"rtol": 1e-3},
    ),
    (
        "fractional_pools_of_whole_ratios",
        """
        x = tf.Variable(rng.normal(size=(2, 40, 60, 3)).astype('float32'))
        made = []
        for call in (tf.nn.fractional_max_pool, tf.nn.fractional_avg_pool):
            for overlapping in (False, True):
                with tf.GradientTape() as tape:
                    y, rows, columns = call(x, [1.0, 2.0, 3.0, 1.0], overlapping=overlapping, pseudo_random=overlapping)
                    loss = tf.reduce_sum(y * y)
                made.append([y.shape, rows, columns, loss, tf.reduce_sum(tape.gradient(loss, x) * x)])
        made
    """,
        {"rtol": 1e-4},
    ),
    (
        "isotonic_regression",
        """
        x = tf.Variable(rng.normal(size=(3, 120)).astype('float32'))
        made = []
        for options in ({}, dict(decreasing=False), dict(axis=0)):
            with tf.GradientTape() as tape:
                y, runs = tf.nn.isotonic_regression(x, **options)
                loss = tf.reduce_sum(y * y * tf.range(120.0))
            made.append([y[1, ::15], runs[2, ::9], loss, tape.gradient(loss, x)[1, ::10]])
        made
    """,
        {"rtol": 1e-3, "atol": 1e-3},
    ),
    (
        "isotonic_regression_of_integers_in_a_function",
        "list(tf.function(lambda x: tf.nn.isotonic_regression(x, decreasing=False))(tf.constant([3, 1, 2, 5, 4, 4])))",
    ),
    (
        "batch_norm_with_global_normalization",
        """
        x = rng.normal(size=(2, 12, 10, 130)).astype('float32')
        m, v, b, g = (rng.uniform(0.5, 1, 130).astype('float32') for _ in range(4))
        [tf.reduce_sum(tf.nn.batch_norm_with_global_normalization(x, m, v, b, g, 1e-3, s) ** 2) for s in (True, False)]
    """,
        {"rtol": 1e-4},
    ),
    (
        "gradients_of_depthwise_convolutions",
        """
        x, f = rng.normal(size=(2, 20, 24, 6)).astype('float32'), rng.normal(size=(3, 3, 6, 2)).astype('float32')
        made = []
        for step, padding, rate in ((1, 'SAME', 1), (2, 'VALID', 1)):
            y = tf.nn.depthwise_conv2d(x, f, [1, step, step, 1], padding, dilations=[rate, rate])
            up = rng.normal(size=y.shape).astype('float32')
            a = tf.nn.depthwise_conv2d_backprop_input([2, 20, 24, 6], f, up, [1, step, step, 1], padding, dilations=[1, rate, rate, 1])
            b = tf.nn.depthwise_conv2d_backprop_filter(x, [3, 3, 6, 2], up, [1, step, step, 1], padding, dilations=[1, rate, rate, 1])
            made += [a.shape, tf.reduce_sum(a * x), b.shape, tf.reduce_sum(b * f)]
        made
    """,
        {"rtol": 1e-3},
    ),
    (
        "atrous_convolution_backwards",
        """
        x, f = tf.Variable(rng.normal(size=(2, 30, 20, 130)).astype('float32')), tf.Variable(rng.normal(size=(3, 3, 7, 130)).astype('float32'))
        made = []
        for padding, size in (('SAME', (30, 20)), ('VALID', (34, 24))):
            with tf.GradientTape() as tape:
                y = tf.nn.atrous_conv2d_transpose(x, f, [2, *size, 7], 2, padding)
                loss = tf.reduce_sum(y * y)
            made.append([y.shape, loss, *[tf.reduce_sum(abs(g)) for g in tape.gradient(loss, [x, f])]])
        made
    """,
        {"rtol": 1e-3},
    ),
    (
        "windows_with_gaps",
        """
        x, f = rng.normal(size=(2, 30, 21, 5)).astype('float32'), rng.normal(size=(3, 3, 5, 4)).astype('float32')
        made = []
        for padding in ('SAME', 'VALID'):
            for rate in ([2, 3], [1, 1], [1, 2]):
                y = tf.nn.with_space_to_batch(x, rate, padding, lambda x, n, p: tf.nn.conv2d(x, f, 1, p), filter_shape=[3, 3])
                made.append([y.shape, tf.reduce_sum(y * y)])
        made
    """,
        {"rtol": 1e-4},
    ),
]
