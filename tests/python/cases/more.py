"""Sparse tensors, lookup tables, settings, and other names that tutorials use."""

_S = "tf.SparseTensor(indices=[[0, 1], [1, 2]], values=[5.0, 6.0], dense_shape=[2, 3])"

CASES = [
    (
        "sparse_to_dense",
        f"s = {_S}; [tf.sparse.to_dense(s), s.indices, s.values, s.dense_shape, s.shape, s.dtype, tf.sparse.to_dense(s, default_value=-1.0)]",
    ),
    ("sparse_strings", "tf.sparse.to_dense(tf.sparse.SparseTensor([[0, 1]], ['a'], [1, 2]))"),
    ("sparse_from_dense", "s = tf.sparse.from_dense([[0, 1], [2, 0]]); [s.indices, s.values, s.dense_shape]"),
    ("sparse_matmul", f"tf.sparse.sparse_dense_matmul({_S}, tf.ones([3, 2]))"),
    ("sparse_add", f"s = tf.sparse.add({_S}, {_S}); [s.indices, s.values, tf.sparse.add({_S}, tf.ones([2, 3]))]"),
    (
        "sparse_moves",
        f"a = tf.sparse.transpose({_S}); b = tf.sparse.concat(0, [{_S}, {_S}]); c = tf.sparse.slice({_S}, [0, 1], [2, 2]); d = tf.sparse.reorder(tf.SparseTensor([[1, 0], [0, 0]], [1, 2], [2, 2])); [tf.sparse.to_dense(a), tf.sparse.to_dense(b), tf.sparse.to_dense(c), d.values]",
    ),
    (
        "sparse_fold",
        f"[tf.sparse.reduce_sum({_S}, 0), tf.sparse.reduce_max({_S}, axis=1), tf.sparse.map_values(tf.square, {_S}).values, tf.sparse.to_dense(tf.sparse.eye(2)), tf.sparse.to_dense(tf.sparse.reshape({_S}, [3, 2]))]",
    ),
    ("sparse_times", f"({_S} * tf.constant([[2.0], [3.0]])).values"),
    ("sparse_bad", "tf.SparseTensor([[0, 1]], [1.0, 2.0], [2, 2])"),
    (
        "static_hash_table",
        "t = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a', 'b'], tf.constant([1, 2], tf.int64)), default_value=-1); [t.lookup(tf.constant(['b', 'z', 'a'])), t.size(), t[tf.constant(['a'])]]",
    ),
    (
        "static_hash_table_numbers",
        "t = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(tf.constant([3, 7], tf.int64), ['x', 'y']), default_value='?'); t.lookup(tf.constant([[7, 3], [0, 3]], tf.int64))",
    ),
    (
        "static_vocabulary_table",
        "t = tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(['a', 'b'], tf.constant([0, 1], tf.int64)), num_oov_buckets=3); [t.lookup(tf.constant(['b', 'zebra', 'a', 'qq'])), t.size()]",
    ),
    (
        "text_file_table",
        "import tempfile, os; p = os.path.join(tempfile.mkdtemp(), 'v.txt'); open(p, 'w').write('emerson\\nlake\\npalmer\\n'); t = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(p, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), -1); t.lookup(tf.constant(['palmer', 'x']))",
    ),
    (
        "tensor_class",
        "[isinstance(tf.constant(1), tf.Tensor), isinstance(1, tf.Tensor), isinstance(tf.Variable(1.0), tf.Variable)]",
    ),
    (
        "device_configuration",
        "c = tf.config.LogicalDeviceConfiguration(memory_limit=10); [c.memory_limit, callable(tf.config.set_logical_device_configuration), callable(tf.config.experimental.set_memory_growth), callable(tf.config.experimental.set_virtual_device_configuration), tf.config.experimental.VirtualDeviceConfiguration(memory_limit=5).memory_limit]",
    ),
    ("config_jit", "tf.config.optimizer.set_jit(False); tf.config.experimental.list_physical_devices('GPU')"),
    (
        "gfile_names",
        "import tempfile, os; d = tempfile.mkdtemp(); tf.io.gfile.makedirs(d + '/a/b'); tf.io.gfile.mkdir(d + '/c'); a = [sorted(tf.io.gfile.listdir(d)), sorted(os.path.basename(p) for p in tf.io.gfile.glob(d + '/*')), tf.io.gfile.isdir(d + '/c'), [len(x[1]) for x in tf.io.gfile.walk(d)][0]]; tf.io.gfile.rename(d + '/c', d + '/e'); tf.io.gfile.rmtree(d); a + [tf.io.gfile.exists(d)]",
    ),
    ("gfile_listdir_missing", "tf.io.gfile.listdir('/nonexistent/x')"),
    (
        "initializers",
        "[tf.initializers.zeros()([2]), tf.zeros_initializer()([2]), tf.ones_initializer()([2], tf.int32), tf.constant_initializer(3.0)([2]), tf.initializers.RandomNormal(stddev=0.1)([3]).shape, tf.random_normal_initializer()([2, 2]).dtype, tf.random_uniform_initializer(0.0, 1.0)([3]).shape, tf.initializers.TruncatedNormal()([2]).shape]",
    ),
    (
        "keras_aliases",
        "[tf.losses.MeanSquaredError()([0.0, 1.0], [1.0, 1.0]), tf.metrics.BinaryAccuracy().name, type(tf.optimizers.SGD()).__name__]",
    ),
    (
        "sets",
        "a, b = tf.constant([[1, 2, 2], [3, 4, 5]]), tf.constant([[2, 9, 9], [5, 4, 4]]); [[s.indices, s.values, s.dense_shape] for s in (tf.sets.intersection(a, b), tf.sets.union(a, b), tf.sets.difference(a, b), tf.sets.difference(a, b, aminusb=False))]",
    ),
    ("sets_size", "tf.sets.size(tf.sparse.from_dense([[1, 2, 2], [3, 0, 0]]))"),
    (
        "edit_distance",
        "h = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ['a', 'b', 'c'], [2, 2]); t = tf.SparseTensor([[0, 0], [0, 1], [0, 2], [1, 0]], ['a', 'x', 'b', 'd'], [2, 3]); [tf.edit_distance(h, t), tf.edit_distance(h, t, normalize=False)]",
    ),
    (
        "wav",
        "x = tf.constant([[0.0, 0.5], [-1.0, 1.0], [0.25, -0.25]]); b = tf.audio.encode_wav(x, 8000); a = tf.audio.decode_wav(b); [b, a.audio, a.sample_rate, tf.audio.decode_wav(b, desired_samples=5)[0], tf.audio.decode_wav(b, desired_channels=1).audio]",
    ),
    ("wav_garbage", "tf.audio.decode_wav(b'nothing of the kind')"),
    (
        "lookup_tables_that_change",
        """
        dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, default_value=-1.0, empty_key=-1, deleted_key=-2)
        dense.insert(tf.constant([1, 2], tf.int64), [0.5, 1.5])
        words = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
        words.insert(tf.constant(['q', 'w']), tf.constant([5, 6], tf.int64))
        words.insert(tf.constant(['q']), tf.constant([7], tf.int64))
        words.remove(tf.constant(['w']))
        rows = tf.lookup.experimental.MutableHashTable(tf.int32, tf.float32, default_value=[0.0, 1.0])
        rows.insert(tf.constant([3]), [[2.0, 4.0]])
        result = [dense.lookup(tf.constant([2, 3], tf.int64)), dense.size(), words.lookup(tf.constant(['q', 'w'])), words.size(), rows.lookup(tf.constant([3, 4])),
                  [x for x in tf.data.Dataset.from_tensor_slices(['q', 'r']).map(words.lookup)], [k.numpy().tolist() for k in words.export()]]""",
    ),
    (
        "lookup_in_a_function",
        """
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(tf.constant([9, 2, 5]), tf.constant([1.5, 2.5, 3.5])), -1.0)
        @tf.function
        def f(x):
            return table.lookup(x) + 1
        result = [f(tf.constant([[2, 3], [9, 100]])), f(tf.constant(5)), tf.is_tensor(None), tf.is_tensor('a')]""",
    ),
    (
        "ragged_operators",
        """
        a = tf.ragged.constant([[1, 2, 3], [], [4, 5]])
        b = tf.ragged.constant([[[1.0], [2.0, 3.0]], [[]]])
        result = [x.to_list() for x in (a + 10, 10 - a, a * a, a / 2, a // 2, a % 2, -a, a ** 2, a == 2, a > a, a != 1, a + tf.constant([[100], [200], [300]]), b * 2.0, abs(-b), ~(a > 2), (a > 1) & (a < 4))]""",
    ),
    (
        "ragged_operators_of_other_rows",
        """
        result = tf.ragged.constant([[1, 2], [3]]) + tf.ragged.constant([[1], [2, 3]])""",
        {"raises": "Exception"},
    ),
]
