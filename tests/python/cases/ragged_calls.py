"""Functions of tf called on ragged and sparse tensors, with hundreds of rows."""

_ROWS = """
        lengths = np.arange(150) % 7
        rt = tf.RaggedTensor.from_row_lengths(tf.range(lengths.sum(), dtype=tf.float32), lengths)
        words = tf.RaggedTensor.from_row_lengths([f'w{i}' for i in range(lengths.sum())], lengths)
"""


def case(text):
    return _ROWS + "        " + text.strip() + "\n"


CASES = [
    ("elements", case("[tf.sqrt(rt).flat_values, tf.cast(rt, tf.int32).flat_values, tf.square(rt).flat_values, tf.math.log(rt + 1).flat_values, tf.nn.relu(rt - 100.0).flat_values]")),
    ("two_at_once", case("[tf.add(rt, rt).flat_values, tf.multiply(rt, 2.0).flat_values, tf.maximum(rt, 100.0).flat_values, tf.where(rt > 50.0, rt, -rt).flat_values, tf.equal(rt, 3.0).flat_values]")),
    ("reductions", case("[tf.reduce_sum(rt, 1), tf.reduce_max(rt, -1), tf.reduce_mean(rt, axis=1), tf.reduce_sum(rt, 0), tf.reduce_mean(rt), tf.reduce_any(rt > 400.0, 1), tf.reduce_all(rt > 5.0, 1), tf.reduce_min(rt, axis=1)]")),
    ("reductions_that_keep_axes", case("[tf.reduce_sum(rt, 1, keepdims=True), tf.reduce_sum(rt, [0, 1])]")),
    ("joined", case("[tf.concat([rt, rt], 0).row_lengths(), tf.concat([rt, rt + 1, rt], axis=1).flat_values, tf.tile(rt, [1, 2]).flat_values, tf.expand_dims(rt, 0).shape.rank, tf.expand_dims(rt, -1).shape.rank]")),
    ("rows_by_number", case("[tf.gather(rt, [3, 149, 3]).flat_values, tf.gather(tf.range(1000.0), tf.cast(rt, tf.int32)).flat_values, tf.reverse(rt, [1]).flat_values, tf.size(rt), tf.rank(rt)]")),
    ("texts", case("[tf.strings.length(words).flat_values, tf.strings.upper(words).flat_values, tf.strings.substr(words, 0, 1).flat_values, tf.strings.reduce_join(words, axis=1, separator=' '), tf.strings.join([words, '!']).flat_values, tf.strings.regex_replace(words, 'w', '').flat_values]")),
    ("embeddings", case("""ids = tf.cast(rt, tf.int32)
        table = tf.reshape(tf.range(500.0 * 4), [500, 4])
        [tf.reduce_sum(tf.nn.embedding_lookup(table, ids).flat_values, 0), tf.nn.embedding_lookup(table, ids).shape.rank]""")),
    ("rows_through_a_function", case("tf.map_fn(tf.reduce_sum, rt, fn_output_signature=tf.float32)")),
    ("rows_of_a_dataset", case("[tf.reduce_sum(x) + tf.cast(y, tf.float32) for x, y in tf.data.Dataset.from_tensor_slices((rt, np.arange(150)))][:20]")),
    ("sparse_rows_of_a_dataset", """
        sp = tf.sparse.from_dense(np.arange(120 * 3).reshape(120, 3) % 5)
        [tf.sparse.to_dense(x * 2) for x in tf.data.Dataset.from_tensor_slices(sp)][:20]
    """),
    ("sparse_through_layers", """
        x = keras.Input((104,), sparse=True)
        model = keras.Model(x, keras.layers.Dense(101, kernel_initializer='ones')(x))
        sp = tf.sparse.from_dense(np.arange(120 * 104, dtype='float32').reshape(120, 104) % 3)
        [model(sp)[:, 0], model.predict(sp, verbose=0)[:, -1]]
    """),
    ("a_slice_beside_it", "tf.sparse.slice(tf.sparse.from_dense([[1, 2], [3, 4]]), [0, 10], [2, 2]).values"),
]  # fmt: skip
