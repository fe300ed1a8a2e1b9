"""Names of TensorFlow that few programs use: compat, descriptions, rarer datasets, special functions and the like."""

CASES = [
    # ---- compat, version, train
    ("compat_of_python", """
        import pathlib
        [tf.compat.as_str_any(b'abc'), tf.compat.as_str_any(3.5), tf.compat.path_to_str(pathlib.PurePosixPath('a') / 'b'), tf.compat.path_to_str('x'),
         [isinstance(x, tf.compat.bytes_or_text_types) for x in (b'', '', 1)], [isinstance(x, tf.compat.integral_types) for x in (1, np.int8(2), 1.0)],
         [isinstance(x, tf.compat.real_types) for x in (1, 1.5, np.float32(1), 1j)], [isinstance(x, tf.compat.complex_types) for x in (1j, np.complex64(1), '')]]
    """),
    ("compat_of_sizes", """
        shape = tf.TensorShape([3, None, 130])
        [tf.compat.dimension_value(shape[0]), tf.compat.dimension_value(shape[1]), tf.compat.dimension_at_index(shape, 2).value, tf.compat.dimension_at_index(shape, 1).value]
    """),
    ("compat_forward", """
        answers = [tf.compat.forward_compatible(2020, 1, 2), tf.compat.forward_compatible(2099, 1, 2)]
        with tf.compat.forward_compatibility_horizon(2018, 8, 2):
            answers += [tf.compat.forward_compatible(2018, 8, 1), tf.compat.forward_compatible(2018, 8, 2)]
        answers
    """),
    ("version_numbers", "[tf.version.VERSION, tf.version.GRAPH_DEF_VERSION_MIN_CONSUMER, tf.version.GRAPH_DEF_VERSION_MIN_PRODUCER, tf.version.GRAPH_DEF_VERSION > 2000]"),
    ("threads_stop_together", """
        import threading, time
        coordinator = tf.train.Coordinator()
        seen = []
        def work():
            while not coordinator.should_stop():
                seen.append(1)
                time.sleep(0.001)
        threads = [threading.Thread(target=work) for _ in range(3)]
        [t.start() for t in threads]
        time.sleep(0.02)
        coordinator.request_stop()
        coordinator.join(threads)
        [len(seen) > 0, coordinator.joined, coordinator.should_stop()]
    """),
    ("threads_raise_together", """
        coordinator = tf.train.Coordinator()
        with coordinator.stop_on_exception():
            raise ValueError('broken')
        coordinator.join([])
    """),
    ("checkpoints_as_they_come", """
        import os, tempfile
        folder = tempfile.mkdtemp()
        ckpt = tf.train.Checkpoint(v=tf.Variable(tf.zeros([130])))
        manager = tf.train.CheckpointManager(ckpt, folder, 3)
        manager.save(options=tf.train.CheckpointOptions(enable_async=False))
        seen = []
        for path in tf.train.checkpoints_iterator(folder, timeout=0, timeout_fn=lambda: len(seen) >= 2):
            seen.append(os.path.basename(path))
            if len(seen) < 2:
                manager.save()
        seen
    """),
    ("what_belongs_to_an_object", """
        root = tf.Module()
        root.leaf = tf.Module()
        root.leaf.v = tf.Variable(1.0)
        view = tf.train.TrackableView(root)
        found = view.descendants()
        [sorted(view.children(root)), found[0] is root, found[1] is root.leaf, len(found), view.root is root]
    """),
    ("options_of_checkpoints", "vars_of = tf.train.CheckpointOptions(experimental_io_device='/job:localhost'); result = [vars_of.experimental_io_device, vars_of.enable_async]"),
    # ---- descriptions
    ("descriptions_are_type_specs", """
        kinds = [tf.TensorSpec([2]), tf.SparseTensorSpec([2]), tf.RaggedTensorSpec([2, None]), tf.data.DatasetSpec(tf.TensorSpec([])), tf.IndexedSlicesSpec(),
                 tf.OptionalSpec(tf.TensorSpec([])), tf.TensorArraySpec(), tf.NoneTensorSpec(), tf.data.IteratorSpec(tf.TensorSpec([]))]
        [[isinstance(k, tf.TypeSpec) for k in kinds], isinstance(tf.constant(1), tf.TypeSpec), [k.value_type.__name__ for k in kinds[1:3]]]
    """),
    ("descriptions_of_slices", """
        s = tf.IndexedSlices(tf.ones([3, 130]), tf.constant([0, 4, 2]), tf.constant([10, 130]))
        spec = tf.IndexedSlicesSpec([None, 130], tf.float32, tf.int32, tf.int32)
        [repr(tf.IndexedSlicesSpec([3, 4])), spec == tf.IndexedSlicesSpec([None, 130], tf.float32, tf.int32, tf.int32), spec == tf.IndexedSlicesSpec(),
         spec.is_compatible_with(s), spec.is_compatible_with(tf.IndexedSlicesSpec([5, 130], tf.float64)), spec.value_type is tf.IndexedSlices]
    """),
    ("descriptions_of_arrays_and_more", """
        [repr(tf.TensorArraySpec([3], tf.int32)), repr(tf.OptionalSpec(tf.TensorSpec([], tf.int32))), repr(tf.NoneTensorSpec()),
         tf.TensorArraySpec([3]) == tf.TensorArraySpec([3])]
    """),
    ("descriptions_of_both", """
        a, b = tf.TensorSpec([2, 130]), tf.TensorSpec([5, 130])
        both = a.most_specific_common_supertype([b])
        [list(both.shape), a.is_subtype_of(both), both.is_subtype_of(a), a.most_specific_common_supertype([tf.TensorSpec([2], tf.int32)]) is None,
         list(tf.SparseTensorSpec([2, 3]).most_specific_common_supertype([tf.SparseTensorSpec([4, 3])]).shape)]
    """),
    ("optional_values", """
        full, empty = tf.experimental.Optional.from_value(tf.range(130)), tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32))
        [full.has_value(), empty.has_value(), tf.reduce_sum(full.get_value()), full.element_spec == tf.TensorSpec([130], tf.int32)]
    """),
    # ---- datasets
    ("batches_of_sparse_rows", """
        ds = tf.data.Dataset.range(1, 6).map(lambda n: tf.range(n)).apply(tf.data.experimental.dense_to_sparse_batch(2, [7]))
        [[tf.sparse.to_dense(b), b.dense_shape, b.indices[-1]] for b in ds]
    """),
    ("groups_reduced", """
        reducer = tf.data.experimental.Reducer(lambda key: (tf.constant(0.0), tf.constant(0.0)), lambda state, x: (state[0] + tf.reduce_sum(x[1]), state[1] + 1.0),
                                               lambda total, count: total / count)
        ds = tf.data.Dataset.from_tensor_slices((tf.range(120) % 7, rng.normal(size=(120, 30)).astype('float32')))
        made = ds.apply(tf.data.experimental.group_by_reducer(lambda k, x: tf.cast(k, tf.int64), reducer))
        [made.element_spec == tf.TensorSpec([], tf.float32), [float(x) for x in made]]
    """, {"rtol": 1e-4}),
    ("dataset_of_a_list", """
        ds = tf.data.experimental.from_list([(1, 'a'), (2, 'b'), (3, 'c')])
        pictures = tf.data.experimental.from_list([{'x': np.full((120, 100), i, 'float32')} for i in range(4)])
        [list(ds), [tf.reduce_sum(p['x']) for p in pictures], int(ds.cardinality())]
    """),
    ("dataset_of_an_empty_list", "tf.data.experimental.from_list([])"),
    ("tables_of_datasets", """
        keys = tf.data.Dataset.range(150)
        ds = tf.data.Dataset.zip((keys, keys.map(lambda x: tf.strings.as_string(x * 2))))
        table = tf.data.experimental.table_from_dataset(ds, default_value='n/a', key_dtype=tf.int64)
        words = tf.data.Dataset.from_tensor_slices(['a', 'b', 'c', 'd'])
        index = tf.data.experimental.index_table_from_dataset(words, vocab_size=3, num_oov_buckets=2)
        plain = tf.data.experimental.index_table_from_dataset(words, default_value=-7)
        made = tf.lookup.StaticHashTable(tf.data.experimental.DatasetInitializer(ds), 'none')
        [table.lookup(tf.constant([0, 149, 150], tf.int64)), index.lookup(tf.constant(['b', 'c', 'd', 'zz'])), plain.lookup(tf.constant(['d', 'x'])),
         made.lookup(tf.constant([3], tf.int64)), table.size()]
    """),
    ("padded_to_a_number", """
        ds = tf.data.Dataset.from_tensor_slices({'a': rng.normal(size=(5, 30)).astype('float32'), 'b': tf.range(5)}).apply(tf.data.experimental.pad_to_cardinality(8))
        [int(ds.cardinality()), [(tf.reduce_sum(x['a']), x['b'], x['valid']) for x in ds]]
    """, {"rtol": 1e-4}),
    ("examples_parsed_in_batches", """
        import os, tempfile
        def example(i):
            return tf.train.Example(features=tf.train.Features(feature={
                'x': tf.train.Feature(float_list=tf.train.FloatList(value=[i, 2.0 * i])), 'y': tf.train.Feature(int64_list=tf.train.Int64List(value=[i % 3]))})).SerializeToString()
        file = os.path.join(tempfile.mkdtemp(), 'a.tfrecord')
        tf.data.experimental.TFRecordWriter(file).write(tf.data.Dataset.from_tensor_slices([example(i) for i in range(10)]))
        features = {'x': tf.io.FixedLenFeature([2], tf.float32), 'y': tf.io.FixedLenFeature([], tf.int64)}
        parsed = tf.data.TFRecordDataset(file).batch(4).apply(tf.data.experimental.parse_example_dataset(features))
        whole = tf.data.experimental.make_batched_features_dataset(file, 4, features, label_key='y', num_epochs=1, shuffle=False)
        endless = tf.data.experimental.make_batched_features_dataset(file, 4, features, shuffle_seed=1)
        [[(b['x'], b['y']) for b in parsed], [(x['x'], y) for x, y in whole], [tuple(b['x'].shape) for b in endless.take(5)]]
    """),
    ("records_of_one_length", """
        import os, tempfile
        folder = tempfile.mkdtemp()
        for name in 'ab':
            tf.io.write_file(os.path.join(folder, name), b'HEAD' + bytes(range(30)) + b'END')
        ds = tf.data.FixedLengthRecordDataset([os.path.join(folder, n) for n in 'ab'], 10, header_bytes=4, footer_bytes=3)
        [[tf.reduce_sum(tf.cast(tf.io.decode_raw(x, tf.uint8), tf.int32)) for x in ds], ds.element_spec == tf.TensorSpec([], tf.string)]
    """),
    ("records_of_no_length", """
        import os, tempfile
        file = os.path.join(tempfile.mkdtemp(), 'a')
        tf.io.write_file(file, b'abcdefg')
        list(tf.data.FixedLengthRecordDataset(file, 3))
    """),
    ("numpy_iterators", """
        it = tf.data.Dataset.range(5).map(lambda x: {'a': x, 'b': tf.fill([3], x)}).as_numpy_iterator()
        [isinstance(it, tf.data.NumpyIterator), next(it), next(it), len(list(it))]
    """),
    ("options_of_datasets", """
        options = tf.data.Options()
        options.autotune.enabled = True
        options.autotune.autotune_algorithm = tf.data.experimental.AutotuneAlgorithm.STAGE_BASED
        options.experimental_optimization.map_fusion = True
        kinds = [isinstance(options.autotune, tf.data.experimental.AutotuneOptions), isinstance(options.experimental_optimization, tf.data.experimental.OptimizationOptions),
                 isinstance(options.experimental_distribute, tf.data.experimental.DistributeOptions)]
        [kinds, list(tf.data.Dataset.range(3).with_options(options)), tf.data.experimental.SHARD_HINT, tf.data.experimental.ExternalStatePolicy.FAIL.value]
    """),
    # ---- functions
    ("bessel_functions", """
        x = np.concatenate([np.linspace(0.01, 5, 60), np.linspace(5, 90, 71)])
        s = tf.math.special
        [tf.stack([s.bessel_j0(x), s.bessel_j1(-x), s.bessel_y0(x), s.bessel_y1(x)])[:, ::13], tf.stack([s.bessel_k0(x), s.bessel_k0e(x), s.bessel_k1(x), s.bessel_k1e(x)])[:, ::13],
         tf.reduce_sum(s.bessel_i0e(x)), tf.reduce_sum(s.bessel_i1e(x))]
    """, {"rtol": 1e-9, "atol": 1e-12}),
    ("special_integrals", """
        x = np.concatenate([np.linspace(0.01, 5, 60), np.linspace(5, 50, 71)])
        s = tf.math.special
        tf.stack([s.dawsn(-x), s.expint(x), s.fresnel_cos(x), s.fresnel_sin(-x), s.spence(x)])[:, ::13]
    """, {"rtol": 1e-9, "atol": 1e-12}),
    ("special_functions_in_functions", """
        @tf.function
        def f(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                s = tf.math.special
                y = s.bessel_j0(x) * s.bessel_k1e(x) + s.dawsn(x) + s.fresnel_sin(x) + s.spence(x) + s.expint(x) / 100 + s.bessel_y1(x)
            return y, tape.gradient(y, x)
        f(tf.constant(np.linspace(0.5, 6, 12), tf.float32))
    """, {"rtol": 2e-4}),
    ("places_in_a_random_order", """
        [tf.random_index_shuffle(tf.range(12), seed=[1, 2, 3], max_index=11), tf.random_index_shuffle(5, [7, 8, 9], 1000000), tf.random.experimental.index_shuffle(tf.constant(3, tf.int64), [1, 2], tf.constant(10**10, tf.int64)),
         tf.random_index_shuffle([0, 1, 2], [[1, 2, 3], [4, 5, 6], [7, 8, 9]], [99, 99, 50], rounds=8), tf.random_index_shuffle(0, [1, 2, 3], 0)]
    """),
    ("places_beyond_the_order", "tf.random_index_shuffle(12, seed=[1, 2, 3], max_index=11)"),
    ("empty_rows_of_ragged_values", """
        made = tf.ragged_fill_empty_rows(tf.constant([0, 0, 2, 5], tf.int64), tf.constant([1.0, 2.0, 3.0, 4.0]), tf.constant(7, tf.int64), -1.0)
        list(made)
    """),
    ("paddings_that_are_required", """
        [list(tf.required_space_to_batch_paddings([5, 8, 7], [2, 4, 3])), list(tf.required_space_to_batch_paddings([10, 11], [4, 3], [[1, 2], [0, 1]])),
         tf.guarantee_const([1, 2]), tf.AggregationMethod.EXPERIMENTAL_ACCUMULATE_N]
    """),
    ("convolutions_of_any_rank", """
        x = rng.normal(size=(2, 30, 25, 6)).astype('float32')
        k = rng.normal(size=(3, 3, 6, 13)).astype('float32')
        v, kv = rng.normal(size=(2, 6, 9, 9, 3)).astype('float32'), rng.normal(size=(2, 3, 3, 3, 5)).astype('float32')
        made = [tf.conv(x, k, [1, 2, 2, 1], 'SAME'), tf.conv(v, kv, [1, 1, 1, 1, 1], 'VALID'), tf.conv(x[None], k, [1, 1, 1, 1], 'VALID', batch_dims=2),
                tf.conv(x, k, [1, 1, 1, 1], 'EXPLICIT', explicit_paddings=[0, 0, 1, 2, 0, 1, 0, 0])]
        [[tuple(m.shape), tf.reduce_sum(m * tf.cast(tf.reshape(tf.range(tf.size(m)) % 17, m.shape), tf.float32))] for m in made]
    """, {"rtol": 1e-3}),
    ("arrays_over_dlpack", """
        x = np.arange(130, dtype='float32').reshape(10, 13)
        [tf.reduce_sum(tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(tf.constant(x)))), tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(tf.constant([1, 2, 3])))]
    """),
    ("several_diagonals", """
        x = rng.normal(size=(2, 5, 7)).astype('float32')
        part = tf.linalg.diag_part(x, k=(-1, 2), padding_value=9.0, align='LEFT_RIGHT')
        with tf.GradientTape() as tape:
            t = tf.constant(x)
            tape.watch(t)
            y = tf.reduce_sum(tf.square(tf.linalg.diag_part(t, k=(0, 1))))
        [part, tf.linalg.diag(part, k=(-1, 2), num_rows=5, num_cols=7, align='LEFT_RIGHT'), tf.reduce_sum(tf.linalg.set_diag(x, part * 2, k=(-1, 2), align='LEFT_RIGHT'), 2),
         tf.reduce_sum(tape.gradient(y, t), 1), tf.linalg.diag([[1., 2.], [3., 0.]], k=(0, 1))]
    """),
    ("sparse_zeros_stay_in_another_shape", """
        s = tf.SparseTensor([[0, 1], [2, 0], [2, 3]], [1.5, 0.0, 4.0], [4, 5])
        list(map(lambda r: [r.indices, r.values, r.dense_shape], [tf.sparse.reshape(s, [20]), tf.sparse.reshape(s, [2, -1, 2])]))
    """),
    ("cosine_transforms_of_any_size", """
        import warnings
        warnings.simplefilter('ignore')  # that it runs op by op
        @tf.function(input_signature=[tf.TensorSpec([None, None])])
        def f(x):
            return tf.signal.idct(tf.signal.dct(x * 2.0, norm='ortho'), norm='ortho') + tf.signal.dct(x, n=None, type=2)
        x = rng.normal(size=(3, 130)).astype('float32')
        [tf.reduce_sum(f(x)[:, ::7], 1), f(x[:, :5])]
    """, {"rtol": 1e-3, "atol": 1e-4}),
    ("names_of_settings", """
        tf.autograph.set_verbosity(0)
        tf.no_gradient('SomeOperation')
        [tf.config.experimental.get_device_policy(), tf.config.experimental.get_synchronous_execution(), tf.config.experimental.get_virtual_device_configuration(tf.config.list_physical_devices('CPU')[0]) is None,
         tf.sysconfig.get_build_info()['is_rocm_build'], 'file' in tf.io.gfile.get_registered_schemes(), tf.autograph.experimental.Feature.ALL.value,
         sorted(f.value for f in tf.autograph.experimental.Feature.all_but(tf.autograph.experimental.Feature.LISTS))]
    """),
    ("settings_that_are_not", "tf.config.experimental.set_device_policy('loud')"),
]  # fmt: skip
