"""tf.sparse, tf.ragged, tf.strings and tf.io: names of the rarer kind."""

SPARSE = """
        places = np.unique(rng.integers(0, 120 * 100, 400))
        def sparse(shift=0, dtype='float32'):
            at = (places + shift) % 12000
            at.sort()
            return tf.SparseTensor(np.stack([at // 100, at % 100], 1), (np.arange(1, len(at) + 1) % 9 - 3).astype(dtype), [120, 100])
        x = sparse()
        """

CASES = [
    (
        "split",
        SPARSE
        + "[[p.dense_shape, tf.reduce_sum(p.indices), tf.reduce_sum(p.values)] for n, axis in ((7, 0), (3, -1)) for p in tf.sparse.split(x, n, axis)]",
    ),
    (
        "retain",
        SPARSE
        + "y = tf.sparse.retain(x, x.values > 0)\n        [y.dense_shape, tf.reduce_sum(y.indices), y.values.shape]",
    ),
    (
        "fill_empty_rows",
        SPARSE
        + "y, empty = tf.sparse.fill_empty_rows(x, -7.0)\n        [y.dense_shape, y.indices[:20], tf.reduce_sum(y.values), empty]",
    ),
    (
        "fill_empty_rows_with_strings",
        "y, empty = tf.sparse.fill_empty_rows(tf.SparseTensor([[1, 3], [1, 1]], ['a', 'b'], [3, 4]), 'none')\n[y.indices, y.values, empty]",
    ),
    (
        "expand_dims",
        SPARSE
        + "[[y.dense_shape, tf.reduce_sum(y.indices, 0)] for y in (tf.sparse.expand_dims(x), tf.sparse.expand_dims(x, 0), tf.sparse.expand_dims(x, axis=-2))]",
    ),
    (
        "mask",
        "y = tf.sparse.mask(tf.IndexedSlices(tf.reshape(tf.range(360.0), [3, 120]), tf.constant([7, 2, 9])), tf.constant([2, 11]))\n[y.indices, tf.reduce_sum(y.values, 1)]",
    ),
    (
        "maximum_and_minimum",
        SPARSE
        + "[[y.indices[::50], tf.reduce_sum(y.values), y.values.shape] for y in (tf.sparse.maximum(x, sparse(5)), tf.sparse.minimum(x, sparse(5)))]",
    ),
    (
        "softmax",
        SPARSE
        + """
        v = tf.Variable(x.values)
        with tf.GradientTape() as tape:
            y = tf.sparse.softmax(tf.SparseTensor(x.indices, v, x.dense_shape))
            loss = tf.reduce_sum(y.values ** 2)
        [y.values[:40], loss, tape.gradient(loss, v)[:40]]
    """,
        {"rtol": 1e-4},
    ),
    (
        "segments",
        """
        data, ids, segments = tf.Variable(rng.normal(size=(150, 130)).astype('float32')), rng.integers(0, 150, 300), np.sort(rng.integers(0, 90, 300) // 2 * 2)
        made = []
        for f in (tf.sparse.segment_sum, tf.sparse.segment_mean, tf.sparse.segment_sqrt_n):
            for n in (None, 120):
                with tf.GradientTape() as tape:
                    y = f(data, ids, segments, num_segments=n)
                    loss = tf.reduce_sum(y * y)
                made.append([y.shape, loss, tf.reduce_sum(tf.convert_to_tensor(tape.gradient(loss, data)) * data), y[:3, 0]])
        made
    """,
        {"rtol": 1e-4},
    ),
    (
        "to_indicator",
        SPARSE
        + "y = tf.sparse.to_indicator(tf.cast(tf.abs(x), tf.int64), 150)\n        [y.shape, y.dtype, tf.reduce_sum(tf.cast(y, tf.int32), 0)[:8]]",
    ),
    (
        "reset_shape",
        SPARSE + "[tf.sparse.reset_shape(x).dense_shape, tf.sparse.reset_shape(x, [200, 101]).dense_shape]",
    ),
    ("reset_shape_that_is_too_small", "tf.sparse.reset_shape(tf.sparse.eye(5), [4, 5])"),
    (
        "bincount",
        """
        x, w = rng.integers(0, 12, (5, 130)), rng.uniform(size=(5, 130)).astype('float32')
        made = []
        for axis in (0, -1):
            for options in ({}, dict(minlength=20), dict(maxlength=7), dict(minlength=3, maxlength=15), dict(binary_output=True), dict(weights=w)):
                y = tf.sparse.bincount(x, axis=axis, **options)
                made.append([y.dense_shape, tf.reduce_sum(y.indices, 0), y.values[:9], y.values.dtype])
        made
    """,
        {"rtol": 1e-4},
    ),
    (
        "bincount_of_sparse_and_ragged",
        SPARSE
        + """
        y = tf.sparse.bincount(tf.cast(tf.abs(x), tf.int64), axis=-1)
        z = tf.sparse.bincount(tf.ragged.constant([[1, 5, 5], [], [2]]), axis=-1)
        [y.dense_shape, tf.reduce_sum(y.indices, 0), y.values[:20], z.dense_shape, z.indices, z.values, tf.sparse.bincount(tf.constant([3, 3, 1])).values]
    """,
    ),
    (
        "cross",
        """
        a = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ['a', 'b', 'c'], [2, 2])
        b = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [7, -8, 9], [2, 2])
        c = tf.constant([['x'], ['y']])
        [[y.indices, y.values, y.dense_shape] for y in (tf.sparse.cross([a, b]), tf.sparse.cross([c, a]), tf.sparse.cross([a, c], separator='-'))]
    """,
    ),
    (
        "cross_hashed",
        """
        a = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ['a', 'b', 'c'], [2, 2])
        n = tf.constant([[7, 8, 9], [-1, 2, 3]])
        c = tf.constant([['x'], ['a longer text of more than sixteen letters, and more than sixty-four of them in all']])
        [[y.indices, y.values, y.dense_shape] for y in (tf.sparse.cross_hashed([a, c]), tf.sparse.cross_hashed([n, a], 1000), tf.sparse.cross_hashed([n, c], 150, 5))]
    """,
    ),
    (
        "cross_of_ragged",
        """
        a, b = tf.ragged.constant([['a', 'b'], ['c'], []]), tf.ragged.constant([[1], [2, 3], [4]])
        [tf.ragged.cross([a, b]).to_list(), tf.ragged.cross([tf.constant([['x'], ['y'], ['z']]), b, a]).to_list(), tf.ragged.cross_hashed([a, b]).to_list(), tf.ragged.cross_hashed([b, a], 100, 77).to_list()]
    """,
    ),
    (
        "row_splits_of_segments",
        "[tf.ragged.segment_ids_to_row_splits([0, 0, 3, 3, 120]), tf.ragged.segment_ids_to_row_splits(tf.constant([1, 2], tf.int64), 5), tf.ragged.segment_ids_to_row_splits(tf.constant([1, 2], tf.int64), 3, tf.int32)]",
    ),
    (
        "stack_dynamic_partitions",
        """
        data = rng.integers(0, 100, (50,))
        y = tf.ragged.stack_dynamic_partitions(data, data % 7, 9)
        z = tf.ragged.stack_dynamic_partitions(tf.reshape(tf.range(12), [2, 3, 2]), tf.constant([[1, 0, 1], [2, 2, 1]]), 3)
        r = tf.ragged.stack_dynamic_partitions(tf.ragged.constant([[1, 2], [3], []]), tf.constant([1, 0, 1]), 2)
        [y.to_list(), z.to_list(), r.to_list()]
    """,
    ),
    # ---- strings
    (
        "characters_and_their_places",
        """
        texts = tf.constant(['a\u00df\u20ac', '', '\U0001f600 and \u4f60\u597d', 'tab\\tbed'])
        made = []
        for f in (tf.strings.unicode_decode_with_offsets, tf.strings.unicode_split_with_offsets):
            made += [[x.to_list() for x in f(texts, 'UTF-8')], list(f(texts[2], 'UTF-8')), [x.to_list() for x in f(tf.reshape(texts, [2, 2]), 'UTF-8')]]
        made + [[x.to_list() for x in tf.strings.unicode_decode_with_offsets(texts, 'UTF-8', replace_control_characters=True, replacement_char=63)]]
    """,
    ),
    (
        "characters_that_are_broken",
        """
        texts = tf.constant([b'ab\\xff\\xfecd', b'\\xe2\\x82', b'x\\xc3(y', b'\\xf0\\x9f\\x98z'])
        [[x.to_list() for x in tf.strings.unicode_decode_with_offsets(texts, 'UTF-8', errors=how)] for how in ('replace', 'ignore')]
    """,
    ),
    (
        "characters_that_are_broken_and_refused",
        "tf.strings.unicode_decode_with_offsets(tf.constant([b'ab\\xff']), 'UTF-8', errors='strict')",
    ),
    (
        "characters_of_wide_encodings",
        """
        text = 'a\u00df\U0001f600'
        [[list(tf.strings.unicode_decode_with_offsets(text.encode(n), n.upper())), list(tf.strings.unicode_split_with_offsets(text.encode(n), n.upper()))] for n in ('utf-16-be', 'utf-32-be')]
    """,
    ),
    # ---- files
    (
        "sparse_tensors_as_bytes",
        """
        x = tf.SparseTensor([[0, 3], [2, 1], [2, 119]], [1.5, -2.0, 7.0], [3, 120])
        rows = tf.io.serialize_many_sparse(x)
        one = tf.io.serialize_sparse(tf.SparseTensor([[3], [5]], ['a', 'b'], [9]))
        back = tf.io.deserialize_many_sparse(rows, tf.float32)
        stacked = tf.io.deserialize_many_sparse(tf.stack([one, one]), tf.string, rank=2)
        [rows.shape, one.shape, tf.io.parse_tensor(rows[2, 0], tf.int64), back.indices, back.values, back.dense_shape, stacked.indices, stacked.values, stacked.dense_shape]
    """,
    ),
    (
        "compressed_strings",
        """
        import gzip, zlib
        text = b'words ' * 200
        data = tf.data.Dataset.from_tensor_slices([zlib.compress(text), zlib.compress(b'')]).map(lambda x: tf.io.decode_compressed(x, 'ZLIB'))
        [tf.strings.length(tf.io.decode_compressed([gzip.compress(text), gzip.compress(b'a')], 'GZIP')), [len(x) for x in data.as_numpy_iterator()], tf.io.decode_compressed('as it is')]
    """,
    ),
    (
        "examples_in_json",
        """
        text = '{"features": {"feature": {"a": {"int64List": {"value": ["1", "-20"]}}, "b": {"bytesList": {"value": ["aGVsbG8="]}}, "c": {"floatList": {"value": [1.5]}}}}}'
        made = tf.io.parse_example(tf.io.decode_json_example([text, text]), {'a': tf.io.FixedLenFeature([2], tf.int64), 'b': tf.io.FixedLenFeature([], tf.string), 'c': tf.io.FixedLenFeature([], tf.float32)})
        made
    """,
    ),
    (
        "features_with_places_of_their_own",
        """
        def example(at, more, values):
            lists = {'at': tf.train.Feature(int64_list=tf.train.Int64List(value=at)), 'more': tf.train.Feature(int64_list=tf.train.Int64List(value=more)),
                     'values': tf.train.Feature(float_list=tf.train.FloatList(value=values))}
            return tf.train.Example(features=tf.train.Features(feature=lists)).SerializeToString()
        texts = [example([5, 119, 2], [0, 1, 2], [1.0, 2.0, 3.0]), example([], [], []), example([7], [3], [4.0])]
        spec = {'s': tf.io.SparseFeature('at', 'values', tf.float32, 120), 't': tf.io.SparseFeature(['at', 'more'], 'values', tf.float32, [120, 4], already_sorted=True), 'at': tf.io.VarLenFeature(tf.int64)}
        batch, one = tf.io.parse_example(texts, spec), tf.io.parse_single_example(texts[0], spec)
        data = tf.data.Dataset.from_tensor_slices(texts).map(lambda x: tf.io.parse_single_example(x, spec)['s']).map(tf.sparse.to_dense)
        [[x.indices, x.values, x.dense_shape] for x in (batch['s'], batch['t'], batch['at'], one['s'], one['t'])] + [[float(tf.reduce_sum(x)) for x in data]]
    """,
    ),
]
