"""Ragged tensors as in TensorFlow: what is made of them row by row, by number, by mask, in functions, datasets and layers."""

import textwrap

# 150 rows of 0 to 12 numbers, and rows of rows.
_ROWS = """
    lengths = np.arange(150) * 7 % 13
    x = tf.RaggedTensor.from_row_lengths(tf.reshape(tf.range(900.0)[:int(lengths.sum())] % 37.0, [-1]), lengths)
    deep = tf.RaggedTensor.from_row_lengths(x, [30, 0, 70, 50])
    def told(y):
        if isinstance(y, tf.RaggedTensor):
            return [y.shape.as_list(), tf.reduce_sum(tf.cast(y.flat_values, tf.float64)), [tf.reduce_sum(s * tf.range(tf.size(s, s.dtype)) % 1009) for s in y.nested_row_splits]]
        return [y.shape.as_list(), tf.reduce_sum(tf.cast(y, tf.float64))]
"""


def case(source):
    return textwrap.dedent(_ROWS) + textwrap.dedent(source).strip() + "\n"


def each(*sources):
    return case("[" + ", ".join(f"told({s})" for s in sources) + "]")


CASES = [
    # ---- construction
    ("ranges", """
        n = np.arange(1000) % 17
        [tf.ragged.range([0, 5, 8], [3, 3, 12]), tf.ragged.range([10, 0], [0, 10], [-3, 4]), tf.ragged.range(tf.constant([3, 0], tf.int64)).dtype,
         tf.ragged.range([3, 2], row_splits_dtype=tf.int32).row_splits, tf.ragged.range([0., .5], [2., 3.], .5), tf.ragged.range(3, dtype=tf.float32),
         tf.ragged.range(0, [3, 4]), tf.ragged.range([]).row_splits, tf.reduce_sum(tf.ragged.range(n).values), tf.reduce_sum(tf.ragged.range(-n, n, 3), 1)[:20]]
    """),
    ("ranges_of_other_numbers_of_rows", "tf.ragged.range([1, 2], [3, 4, 5])"),
    ("ranges_without_a_step", "tf.ragged.range([1], [5], [0])"),
    ("constants", """
        T = tf.ragged.constant
        [T([[1, 2], [3]], row_splits_dtype=tf.int32).row_splits, T([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1), T([[[1, 2], [3, 4]], []], inner_shape=(2,)).shape.as_list(),
         T([np.arange(3), np.arange(0), [7]]), T([[1, 2], [3, 4]], ragged_rank=0), T([[[]], []], dtype=tf.int32).shape.as_list(), T([[], []]).dtype, T([["a"], []]), T([[True], []])]
    """),
    ("constants_of_other_depths", "tf.ragged.constant([[1, 2], 3])"),
    ("constants_of_a_greater_rank", "tf.ragged.constant([[1], [2, 3]], ragged_rank=2)"),
    ("constants_of_other_inner_shapes", "tf.ragged.constant([[[1, 2]], [[3]]], ragged_rank=1)"),
    ("rows_of_one_length", """
        R = tf.RaggedTensor.from_uniform_row_length
        t = R(tf.RaggedTensor.from_row_splits(tf.range(10), [0, 3, 5, 9, 10]), 2)
        [R([1, 2, 3, 4], 2).shape.as_list(), R([1, 2, 3, 4], 2).uniform_row_length, R(tf.zeros([0]), 0, nrows=3).shape.as_list(), t.shape.as_list(), t[:, 1], t[:, :, :1], tf.reduce_sum(t, 1),
         t.to_tensor(), t.bounding_shape(), tf.split(t, 2, axis=1)[1], R([1, 2, 3, 4], 2).numpy()]
    """),
    ("rows_that_do_not_fit", "tf.RaggedTensor.from_uniform_row_length([1, 2, 3], 2)"),
    ("other_encodings", case("""
        F = tf.RaggedTensor
        [told(F.from_row_starts(x.values, x.row_starts())), told(F.from_row_limits(x.values, x.row_limits())), told(F.from_value_rowids(x.values, x.value_rowids(), nrows=150)),
         told(F.from_nested_value_rowids(x.values, deep.nested_value_rowids(), [4, 150])), told(x.with_row_splits_dtype(tf.int32)), told(F.from_sparse(x.to_sparse())),
         told(F.from_tensor(x.to_tensor(-1.0), padding=-1.0)), told(F.from_tensor(x.to_tensor(), lengths=lengths)), told(F.from_tensor(np.ones((4, 5, 6)), ragged_rank=2)),
         deep.row_lengths(axis=2).flat_values, deep.bounding_shape(axis=[1, 2]), told(deep.merge_dims(0, 1)), told(deep.merge_dims(1, 2))]""")),
    ("numbers_of_rows_that_fall", "tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 2, 1])"),
    ("more_rows_than_announced", "tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 1, 2], nrows=2)"),
    ("values_of_another_number", "tf.ragged.constant([[1, 2], [3]]).with_values([1, 2])"),
    ("texts_of_them", "[str(tf.ragged.constant([[1, 2], [3]])), repr(tf.ragged.constant([['a'], []])), repr(tf.ragged.constant([[[1], []], []])), repr(tf.ragged.range(tf.range(20)))]"),
    ("arrays_of_them", "[tf.ragged.constant([[1, 2], [3, 4]]).numpy(), tf.ragged.constant([[[1], [2]], [[3], [4]]]).numpy(), tf.ragged.constant([['a'], ['b']]).numpy(), tf.ragged.constant([[], []]).numpy()]"),
    ("segments", """
        S = tf.ragged.row_splits_to_segment_ids
        [S([0, 3, 3, 5]), S(tf.constant([0, 1])), S([0, 2], out_type=tf.int32), tf.reduce_sum(S(np.arange(0, 90000, 3))), tf.ragged.segment_ids_to_row_splits([0, 0, 2], num_segments=5)]
    """),
    ("segments_of_nothing", "tf.ragged.row_splits_to_segment_ids([])"),
    # ---- parts
    ("slices", each("x[3]", "x[1:]", "x[:, :2]", "x[:, -3:]", "x[:, :-1]", "x[::-1]", "x[:, ::2]", "x[:, ::-1]", "x[..., :1]", "x[:, tf.newaxis]", "x[:, :, tf.newaxis]", "x[tf.newaxis]", "deep[0, 5]", "deep[2:, :3]",
                    "deep[:, :, :1]", "deep[:, ::-1, 1:]", "deep[..., -1:]", "x[5:140:3, 1:]", "x[160:]")),
    ("a_number_in_rows_of_any_length", "tf.ragged.constant([[1, 2], [3]])[:, 0]"),
    ("a_row_that_is_not_there", "tf.ragged.constant([[1, 2], [3]])[5]"),
    ("rows_by_number", each("tf.gather(x, [149, 3, 3])", "tf.gather(x, [[1, 2], [0, 5]])", "tf.gather(x, tf.ragged.constant([[1], [0, 7]]))", "tf.gather(deep, [3, 0])", "tf.gather(tf.ones([40, 3]), tf.cast(x, tf.int32))",
                            "tf.gather(tf.ragged.constant([[1., 2.], [3., 4., 5.]]), [1, 0], axis=1)")),
    ("numbers_in_each_row", """
        T = tf.ragged.constant
        p, q = T([[3, 1, 2], [5, 4]]), T([[[1], [2, 3]], [[4]]])
        [tf.gather(p, [[0], [1]], batch_dims=1), tf.gather(p, T([[0, 2], [1]]), batch_dims=1), tf.gather(p, [0, 1], batch_dims=1), tf.gather(tf.constant([[1, 2], [3, 4]]), T([[1], [0, 0]]), batch_dims=1),
         tf.gather(p, T([[0, 2], [1]]), axis=1, batch_dims=1), tf.gather(p, T([[0, 2], [1]]), batch_dims=-1), tf.gather(q, T([[1, 0], [0]]), batch_dims=1), tf.gather(q, T([[[0], [1]], [[0]]]), batch_dims=2)]
    """),
    ("rows_out_of_range", "tf.gather(tf.ragged.constant([[1], [2]]), [5])"),
    ("numbers_for_several_axes", """
        T = tf.ragged.constant
        p = T([[3, 1, 2], [5, 4]])
        [tf.gather_nd(p, [[0, 2], [1, 1]]), tf.gather_nd(p, [[0], [1]]), tf.gather_nd(p, [0, 1]), tf.gather_nd(p, [[[0, 1], [1, 0]], [[0, 0], [0, 2]]]), tf.gather_nd(T([[[1], [2, 3]], [[4]]]), [[0, 1], [1, 0]]),
         tf.gather_nd(tf.constant([[1, 2], [3, 4]]), T([[[0, 1]], [[1, 0], [1, 1]]], ragged_rank=1))]
    """),
    ("masks", each("tf.ragged.boolean_mask(x, x > 20.0)", "tf.ragged.boolean_mask(x, np.arange(150) % 3 == 0)", "tf.ragged.boolean_mask(deep, deep.with_values(deep.values.row_lengths() > 5))",
                   "tf.ragged.boolean_mask(deep, deep > 9.0)", "tf.ragged.boolean_mask(np.arange(24.0).reshape(2, 3, 4), [[True, False, True], [False, False, True]])", "tf.where(x > 20.0)", "tf.where(x > 20.0, x, -x)",
                   "tf.where(x > 20.0, x, 0.0)")),
    ("masks_of_other_rows", "tf.ragged.boolean_mask(tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[True], [True, False]]))"),
    # ---- reductions and operators
    ("reductions_of_any_axes", each("tf.reduce_sum(deep, 0)", "tf.reduce_sum(deep, 1)", "tf.reduce_max(deep[2:], [0, 1])", "tf.reduce_sum(deep, [0, 2])", "tf.reduce_sum(deep, [0, 1, 2])", "tf.reduce_mean(deep[2:], [1, 2])",
                                    "tf.reduce_sum(deep, 2, keepdims=True)", "tf.reduce_sum(x, 0, keepdims=True)", "tf.reduce_mean(tf.ragged.constant([[1, 2], [4]]), 1)", "tf.reduce_any(x > 30.0, 0)")),
    ("spread", """
        a = tf.RaggedTensor.from_row_lengths(tf.sin(tf.range(500.0)), [5] * 60 + [8] * 25)
        [tf.math.reduce_variance(a, 1)[::7], tf.math.reduce_std(a, 1)[::7], tf.math.reduce_variance(a), tf.math.reduce_std(a), tf.math.reduce_variance(a, 0)]
    """, {"rtol": 1e-4, "atol": 1e-5}),
    ("broadcasting", each("x + tf.reshape(tf.range(150.0), [150, 1])", "tf.reshape(tf.range(150.0), [150, 1]) * x", "x + tf.constant([[5.0]])", "deep + tf.reshape([1.0, 2.0, 3.0, 4.0], [4, 1, 1])", "deep * 2.0",
                          "tf.ragged.constant([[[1.0, 2.0], [3.0]], [[4.0]]]) + tf.ragged.constant([[10.0, 20.0], [30.0]])[:, :, tf.newaxis]", "tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1) * tf.constant([[[10]], [[20]]])",
                          "2.0 ** tf.minimum(x, 3.0)", "tf.add_n([x, x, x])", "tf.math.maximum(x, tf.ones([150, 1]))")),
    ("operands_of_other_rows", "tf.ragged.constant([[1, 2], [3]]) + tf.ragged.constant([[1], [2, 3]])"),
    ("operands_of_other_splits", "tf.ragged.constant([[1]], row_splits_dtype=tf.int32) + tf.ragged.constant([[1]])"),
    # ---- other forms
    ("joined_along_any_axis", each("tf.concat([x, x], 0)", "tf.concat([x, x], -1)", "tf.concat([x, tf.ones([150, 2])], 1)", "tf.stack([x, x], 0)", "tf.stack([x, x], 1)", "tf.stack([x, x], 2)", "tf.concat([deep, deep], 2)", "tf.concat([deep, deep], 1)",
                                   "tf.ragged.stack([x, x * 2.0], axis=1)", "tf.ragged.stack([tf.ones([2]), tf.ones([3])])", "tf.ragged.stack([tf.ones([1, 2]), tf.ones([2, 1])])")),
    ("repeated_and_turned", each("tf.tile(x, [2, 3])", "tf.tile(deep, [1, 2, 1])", "tf.tile(deep, [2, 1, 2])", "tf.tile(x, [1, 0])", "tf.reverse(x, [0, 1])", "tf.reverse(deep, [0, 2])", "tf.reverse(deep, [1])", "tf.one_hot(tf.cast(x, tf.int32), 40)",
                                 "tf.split(x, 3)[1]", "tf.split(x, [100, 50])[1]", "tf.squeeze(tf.expand_dims(x, 1), 1)", "tf.expand_dims(deep, -1)")),
    ("matrices", """
        T = tf.ragged.constant
        a, b = T([[[1., 2.], [3., 4.]], [[5., 6.]]], ragged_rank=1), T([[[1., 2.], [3., 4.]], [[5., 6.]]])
        [tf.matmul(a, tf.ones((2, 2, 1))), tf.matmul(a, T([[[1., 2., 3.], [4., 5., 6.]], [[1.], [2.]]])), tf.matmul(b, b, transpose_b=True), tf.matmul(a, a, transpose_a=True), tf.nn.softmax(a)]
    """),
    ("counts", "r = tf.ragged.constant([[1, 2, 2], [2]]); [tf.math.bincount(r), tf.math.bincount(r, axis=-1), tf.math.unsorted_segment_sum(r, tf.ragged.constant([[0, 1, 1], [1]]), 2), *tf.dynamic_partition(r, [1, 0], 2)]".replace("; ", "\n")),
    # ---- functions of rows, gradients
    ("rows_through_functions", """
        R = tf.RaggedTensorSpec
        a = tf.ragged.range(tf.range(40) % 6)
        [tf.map_fn(lambda r: r * 2, a, fn_output_signature=R([None], tf.int32)), tf.map_fn(tf.range, tf.constant([3, 1, 0]), fn_output_signature=R([None], tf.int32)),
         tf.map_fn(lambda n: tf.ragged.range(tf.range(n)), tf.constant([2, 3]), fn_output_signature=R([None, None], tf.int32)), tf.map_fn(lambda r: (tf.reduce_sum(r), r + 1), a, fn_output_signature=(tf.int32, R([None], tf.int32)))[0],
         tf.map_fn(lambda t: t[0] + t[1], (a, tf.range(40)), fn_output_signature=R([None], tf.int32)), tf.map_fn(lambda d: tf.reduce_sum(d['a']) * d['b'], {'a': a, 'b': tf.range(40)}, fn_output_signature=tf.int32), tf.map_fn(lambda r: r * 3, a)]
    """),
    ("specs", """
        R = tf.RaggedTensorSpec
        s, x = R([2, None], tf.int32), tf.ragged.constant([[1], [2, 3]])
        [s.is_compatible_with(x), R([3, None], tf.int32).is_compatible_with(x), R([None, None], tf.float32).is_compatible_with(x), s.ragged_rank, s.row_splits_dtype, R.from_value(x).shape.as_list(), repr(s), s == R([2, None], tf.int32),
         R([None, None, 3]).ragged_rank, repr(tf.type_spec_from_value(x))]
    """),
    ("functions_of_ragged_arguments", """
        @tf.function
        def f(x, y):
            return {'sum': x + y['y'], 'rows': tf.reduce_max(x, 1), 'spread': tf.math.reduce_variance(x, 1), 'more': [x + tf.constant([[10.], [20.]])]}
        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32), tf.TensorSpec([], tf.float32)])
        def g(x, n):
            return x * n, tf.reduce_sum(x, 1), x.row_lengths()
        T = tf.ragged.constant
        a, b, c = T([[1., 2.], [3.]]), T([[10., 20.], [30.]]), T([[1.], [2., 3.]])
        [f(a, {'y': a}), f(b, {'y': a}), f(c, {'y': c}), g(a, 2.), g(T([[1.], [3., 4.], [5., 6., 7.]]), 3.)]
    """),
    ("functions_of_other_rows", """
        @tf.function
        def f(x, y):
            return x + y
        f(tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[1], [2, 3]]))
    """),
    ("arguments_of_another_dtype", """
        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
        def f(x):
            return x * 2
        f(tf.ragged.constant([[1, 2], [3]]))
    """),
    ("gradients_through_rows", """
        flat = lambda rows: rows.flat_values
        with tf.GradientTape(persistent=True) as tape:
            v = tf.Variable([[1., 2.], [3., 4.], [5., 6.]])
            a = tf.RaggedTensor.from_row_lengths(v, [2, 1])
            ls = [tf.reduce_sum(tf.reduce_max(a, 1) ** 2), tf.reduce_sum(a.to_tensor() ** 2), tf.reduce_sum((a + tf.constant([[[1.]], [[2.]]])).values ** 2), tf.reduce_sum(flat(tf.stack([a, a], 1)) ** 3),
                  tf.reduce_sum(tf.gather(a, [[0], [0]], batch_dims=1) ** 2), tf.reduce_sum(tf.gather_nd(a, [[0, 1], [1, 0]]) ** 2), tf.reduce_sum(flat(tf.matmul(a, a, transpose_b=True))), tf.reduce_sum(tf.reduce_mean(a, 0) ** 2),
                  tf.reduce_sum((tf.reverse(a, [1]) * a).values), tf.reduce_sum(flat(tf.ragged.boolean_mask(a, a > 2.)) ** 2), tf.reduce_sum(flat(tf.tile(a, [2, 2, 1])) ** 2), tf.reduce_sum(tf.reduce_prod(a, 1))]
        [tf.convert_to_tensor(tape.gradient(l, v)) for l in ls]
    """),
    ("gradients_of_ragged_sources", """
        a = tf.ragged.constant([[1., 2.], [3.]])
        with tf.GradientTape() as tape:
            tape.watch(a)
            l = tf.reduce_sum(a * a)
        tape.gradient(l, a)
    """),
    # ---- datasets, files, layers
    ("batches_of_rows", case("""
        D = tf.data.Dataset
        d = D.from_tensor_slices((x, np.arange(150))).batch(64)
        [[[told(b), y[-1]] for b, y in d], repr(D.from_tensor_slices(x).batch(2).element_spec), [told(b) for b in D.from_tensor_slices(x).batch(64).map(lambda b: b * 2.0)], [told(b) for b in D.from_tensor_slices(deep).batch(3)],
         [told(b) for b in D.from_tensor_slices(x).batch(150).unbatch().batch(100)], [told(b['x']) for b in D.from_tensor_slices({'x': x}).batch(64, drop_remainder=True)], repr(D.from_tensors(x).element_spec)]""")),
    ("words_of_a_dataset", """
        d = tf.data.Dataset.from_tensor_slices(['a b c', 'd', 'e f']).batch(2).map(lambda s: tf.strings.split(s)).map(lambda w: (tf.strings.length(w), w.row_lengths(), w.to_tensor(), tf.strings.reduce_join(w, axis=-1, separator='-')))
        [[a.to_list(), b, c, e] for a, b, c, e in d]
    """),
    ("parsed_in_rows", """
        F, G = tf.train.Feature, tf.io.RaggedFeature
        I = lambda v: F(int64_list=tf.train.Int64List(value=v))
        ex = [tf.train.Example(features=tf.train.Features(feature={'a': I(v), 'l': I(l), 's': I(s), 'st': I(st), 'lim': I(li), 'id': I(i)})).SerializeToString()
              for v, l, s, st, li, i in (([1, 2, 3], [1, 2], [0, 1, 3], [0, 1], [1, 3], [0, 1, 1]), ([4, 5], [0, 2], [0, 0, 2], [0, 0], [0, 2], [1, 1]))]
        z = lambda p: {'z': G(tf.int64, value_key='a', partitions=p)}
        parts = (G.RowLengths('l'), G.RowSplits('s'), G.RowStarts('st'), G.RowLimits('lim'), G.ValueRowIds('id'))
        [[tf.io.parse_example(ex, z([p]))['z'] for p in parts], [tf.io.parse_single_example(ex[0], z([p]))['z'] for p in parts], tf.io.parse_example(ex[:1] * 2, z([G.UniformRowLength(3)]))['z'].shape.as_list(),
         tf.io.parse_example(ex, {'a': G(tf.int64)})['a'], tf.io.parse_example(ex, {'a': G(tf.int64, row_splits_dtype=tf.int64)})['a'].row_splits]
    """),
    ("layers", """
        L, T = keras.layers, tf.ragged.constant
        a, ids = T([[1., -2.], [3.]]), T([[1, 2], [3]])
        class Mean(L.Layer):
            def call(self, x):
                return tf.reduce_mean(x, 1)
        m = keras.Sequential([L.Embedding(10, 4, embeddings_initializer='ones'), Mean(), L.Dense(1, kernel_initializer='ones')])
        [m(ids), L.Activation('relu')(a), L.Lambda(lambda x: x * 2)(a), L.Rescaling(2.)(a), L.Add()([a, a]), L.Concatenate()([a, a]), L.IntegerLookup(vocabulary=[3, 4])(ids), L.CategoryEncoding(5, output_mode='multi_hot')(ids),
         L.GlobalAveragePooling1D()(L.Embedding(10, 4, embeddings_initializer='ones')(ids)), L.StringLookup(vocabulary=['a', 'b'], output_mode='multi_hot')(T([['a', 'b'], ['c']]))]
    """),
    ("saved_functions", """
        import tempfile
        class M(tf.Module):
            @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
            def f(self, x):
                return tf.reduce_sum(x, 1), tf.reduce_max(x, 1), tf.reduce_mean(x, 1)
            @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.int64)])
            def g(self, v, s):
                return {'sum': tf.reduce_sum(tf.RaggedTensor.from_row_splits(v, s), 1)}
        d, m = tempfile.mkdtemp(), M()
        tf.saved_model.save(m, d, signatures=m.g)
        l = tf.saved_model.load(d)
        [list(l.f(tf.ragged.constant([[1., 2.], [3.]]))), l.signatures['serving_default'](v=tf.constant([1., 2., 3.]), s=tf.constant([0, 1, 1, 3], tf.int64))]
    """),
]  # fmt: skip
