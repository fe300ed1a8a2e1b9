"""tf.data: order, structures, remainders, functions, errors."""

_L = "def elements(d): return list(d.as_numpy_iterator())\n"


def _case(name, source, *rest):
    return (name, _L + source, *rest)


CASES = [
    _case("slices", "elements(tf.data.Dataset.from_tensor_slices([1, 2, 3]))"),
    _case("slices_tuple", "elements(tf.data.Dataset.from_tensor_slices(([1, 2], [[1.0], [2.0]])))"),
    _case("slices_dict", "elements(tf.data.Dataset.from_tensor_slices({'b': [1, 2], 'a': ['x', 'y']}))"),
    _case(
        "slices_nested", "elements(tf.data.Dataset.from_tensor_slices(({'a': [1, 2], 'b': ([3, 4], [5, 6])}, [7, 8])))"
    ),
    _case("slices_numpy", "elements(tf.data.Dataset.from_tensor_slices(np.arange(6).reshape(3, 2)))"),
    _case("slices_scalar", "tf.data.Dataset.from_tensor_slices(3)", {"raises": "ValueError"}),
    _case("slices_rows_differ", "tf.data.Dataset.from_tensor_slices(([1, 2], [1, 2, 3]))", {"raises": "ValueError"}),
    _case("tensors", "elements(tf.data.Dataset.from_tensors(([1, 2], 3.0)))"),
    _case("range", "elements(tf.data.Dataset.range(5))"),
    _case("range_step", "elements(tf.data.Dataset.range(10, 2, -3))"),
    _case("range_dtype", "elements(tf.data.Dataset.range(3, output_type=tf.float32))"),
    _case("batch", "elements(tf.data.Dataset.range(7).batch(3))"),
    _case("batch_drop", "elements(tf.data.Dataset.range(7).batch(3, drop_remainder=True))"),
    _case(
        "batch_dict", "elements(tf.data.Dataset.from_tensor_slices({'a': [1, 2, 3], 'b': ['x', 'y', 'z']}).batch(2))"
    ),
    _case("batch_twice", "elements(tf.data.Dataset.range(8).batch(2).batch(3))"),
    _case("batch_zero", "elements(tf.data.Dataset.range(8).batch(0))", {"raises": "InvalidArgumentError"}),
    _case(
        "batch_of_different_shapes",
        "elements(tf.data.Dataset.range(4).map(lambda x: tf.range(x)).batch(2))",
        {"raises": "InvalidArgumentError"},
    ),
    _case(
        "unbatch",
        "elements(tf.data.Dataset.from_tensor_slices(([[1, 2], [3, 4]], [['a', 'b'], ['c', 'd']])).unbatch())",
    ),
    _case("rebatch", "elements(tf.data.Dataset.range(10).batch(4).rebatch(3))"),
    _case("rebatch_sizes", "elements(tf.data.Dataset.range(8).batch(4).rebatch([2, 1, 1]))"),
    _case("padded_batch", "elements(tf.data.Dataset.range(1, 5).map(lambda x: tf.fill([x], x)).padded_batch(2))"),
    _case(
        "padded_batch_shape",
        "elements(tf.data.Dataset.range(1, 5).map(lambda x: tf.fill([x], x)).padded_batch(2, padded_shapes=[5]))",
    ),
    _case(
        "padded_batch_value",
        "elements(tf.data.Dataset.range(1, 4).map(lambda x: tf.fill([x], x)).padded_batch(2, padding_values=np.int64(-1)))",
    ),
    _case(
        "padded_batch_tuple",
        "elements(tf.data.Dataset.range(1, 4).map(lambda x: (tf.fill([x], x), tf.fill([2, x], 'a'))).padded_batch(2, ([None], [2, None]), (np.int64(9), 'z')))",
    ),
    _case(
        "padded_batch_too_small",
        "elements(tf.data.Dataset.range(1, 5).map(lambda x: tf.fill([x], x)).padded_batch(2, padded_shapes=[2]))",
        {"raises": "Exception"},
    ),
    _case("map", "elements(tf.data.Dataset.range(5).map(lambda x: x * x))"),
    _case(
        "map_tuple",
        "elements(tf.data.Dataset.from_tensor_slices(([1, 2], [3, 4])).map(lambda a, b: (a + b, {'p': a * b})))",
    ),
    _case(
        "map_dict",
        "elements(tf.data.Dataset.from_tensor_slices({'a': [1, 2], 'b': [3, 4]}).map(lambda d: d['a'] - d['b']))",
    ),
    _case("map_list_is_tuple", "elements(tf.data.Dataset.range(2).map(lambda x: [x, x + 1]))"),
    _case("map_number", "elements(tf.data.Dataset.range(2).map(lambda x: 7))"),
    _case(
        "map_strings",
        "elements(tf.data.Dataset.from_tensor_slices(['a b', 'c d e']).map(lambda s: tf.strings.split(s)))",
    ),
    _case(
        "map_strings_path",
        "elements(tf.data.Dataset.from_tensor_slices(['x/cat/1.jpg', 'x/dog/2.jpg']).map(lambda s: tf.strings.split(s, '/')[-2]))",
    ),
    _case(
        "map_strings_label",
        "names = tf.constant(['cat', 'dog'])\nelements(tf.data.Dataset.from_tensor_slices(['dog', 'cat']).map(lambda s: tf.argmax(s == names)))",
    ),
    _case("map_to_number", "elements(tf.data.Dataset.from_tensor_slices(['1', '2.5']).map(tf.strings.to_number))"),
    _case(
        "map_shape_of_element",
        "elements(tf.data.Dataset.range(1, 4).map(lambda x: tf.ones([x, 2])).map(lambda x: tf.reshape(x, [tf.shape(x)[0] * 2])))",
    ),
    _case(
        "map_static_rank",
        "elements(tf.data.Dataset.range(1, 4).map(lambda x: tf.ones([x, 2])).map(lambda x: x.shape.rank))",
    ),
    _case("map_cond", "elements(tf.data.Dataset.range(5).map(lambda x: tf.cond(x > 2, lambda: x * 10, lambda: x)))"),
    _case("map_where", "elements(tf.data.Dataset.range(5).map(lambda x: tf.where(x > 2, x * 10, x)))"),
    _case(
        "map_if",
        "def f(x):\n  if x > 2:\n    return x * 10\n  else:\n    return x\nelements(tf.data.Dataset.range(5).map(f))",
    ),
    _case("map_table", "table = tf.constant([5, 6, 7, 8])\nelements(tf.data.Dataset.range(4).map(lambda i: table[i]))"),
    _case("map_one_hot", "elements(tf.data.Dataset.range(3).map(lambda i: tf.one_hot(i, 3)))"),
    _case(
        "map_variable",
        "v = tf.Variable(10, dtype=tf.int64)\nd = tf.data.Dataset.range(2).map(lambda x: x + v)\na = elements(d)\nv.assign(20)\nresult = [a, elements(d)]",
    ),
    _case("map_function", "f = tf.function(lambda x: x + 1)\nelements(tf.data.Dataset.range(3).map(f))"),
    _case(
        "map_py_function",
        "elements(tf.data.Dataset.range(3).map(lambda x: tf.py_function(lambda y: y.numpy() * 2, [x], tf.int64)))",
    ),
    _case(
        "map_numpy_function",
        "elements(tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(lambda y: y + 5, [x], tf.int64)))",
    ),
    _case(
        "map_decode_csv",
        "elements(tf.data.Dataset.from_tensor_slices(['1,2.5,a', '3,,b']).map(lambda s: tf.io.decode_csv(s, [0, 9.0, ''])))",
    ),
    _case(
        "map_decode_raw",
        "elements(tf.data.Dataset.from_tensor_slices([b'ab', b'cd']).map(lambda s: tf.io.decode_raw(s, tf.uint8)))",
    ),
    _case(
        "map_layer",
        "layer = tf.keras.layers.Rescaling(0.5)\nelements(tf.data.Dataset.from_tensor_slices([[2.0], [4.0]]).batch(2).map(layer))",
    ),
    _case("map_none", "tf.data.Dataset.range(2).map(lambda x: None)", {"raises": "Exception"}),
    _case("map_wrong_arguments", "tf.data.Dataset.range(2).map(lambda x, y: x)", {"raises": "TypeError"}),
    _case(
        "map_error",
        "elements(tf.data.Dataset.range(3).map(lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x, tf.float32), 'bad')))",
        {"raises": "InvalidArgumentError"},
    ),
    _case(
        "ignore_errors",
        "elements(tf.data.Dataset.range(3).map(lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x, tf.float32), 'bad')).ignore_errors())",
    ),
    _case("filter", "elements(tf.data.Dataset.range(8).filter(lambda x: x % 3 == 0))"),
    _case(
        "filter_tuple",
        "elements(tf.data.Dataset.from_tensor_slices(([1, 2, 3], ['a', 'b', 'a'])).filter(lambda n, s: s == 'a'))",
    ),
    _case("filter_not_a_bool", "tf.data.Dataset.range(8).filter(lambda x: x)", {"raises": "ValueError"}),
    _case("take_while", "elements(tf.data.Dataset.range(8).take_while(lambda x: x < 4))"),
    _case("take_skip", "elements(tf.data.Dataset.range(8).skip(2).take(3))"),
    _case("take_all", "elements(tf.data.Dataset.range(3).take(-1))"),
    _case("skip_all", "elements(tf.data.Dataset.range(3).skip(-1))"),
    _case("repeat", "elements(tf.data.Dataset.range(3).repeat(2))"),
    _case("repeat_without_end", "elements(tf.data.Dataset.range(3).repeat().take(7))"),
    _case("shuffle_is_a_permutation", "sorted(elements(tf.data.Dataset.range(20).shuffle(5)))"),
    _case(
        "shuffle_by_seed",
        "d = tf.data.Dataset.range(20).shuffle(20, seed=3, reshuffle_each_iteration=False)\nelements(d) == elements(d)",
    ),
    _case("reshuffle", "d = tf.data.Dataset.range(50).shuffle(50)\nelements(d) == elements(d)"),
    _case("shuffle_zero", "elements(tf.data.Dataset.range(3).shuffle(0))", {"raises": "Exception"}),
    _case("concatenate", "elements(tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(5, 7)))"),
    _case(
        "concatenate_types",
        "tf.data.Dataset.range(2).concatenate(tf.data.Dataset.from_tensor_slices(['a']))",
        {"raises": "TypeError"},
    ),
    _case("enumerate", "elements(tf.data.Dataset.from_tensor_slices(['a', 'b']).enumerate(start=5))"),
    _case("shard", "elements(tf.data.Dataset.range(10).shard(3, 1))"),
    _case("zip", "elements(tf.data.Dataset.zip((tf.data.Dataset.range(3), tf.data.Dataset.range(10, 15))))"),
    _case("zip_arguments", "elements(tf.data.Dataset.zip(tf.data.Dataset.range(3), tf.data.Dataset.range(10, 15)))"),
    _case(
        "zip_dict",
        "elements(tf.data.Dataset.zip({'b': tf.data.Dataset.range(2), 'a': tf.data.Dataset.from_tensor_slices(['x', 'y'])}))",
    ),
    _case(
        "zip_nested",
        "a = tf.data.Dataset.range(2)\nelements(tf.data.Dataset.zip((a, (a.map(lambda x: -x), {'c': a}))))",
    ),
    _case("unique", "elements(tf.data.Dataset.from_tensor_slices([1, 37, 2, 37, 2, 1]).unique())"),
    _case(
        "cache",
        "calls = []\nd = tf.data.Dataset.range(3).map(lambda x: tf.py_function(lambda y: (calls.append(1), y)[1], [x], tf.int64)).cache()\nelements(d)\nn = len(calls)\nelements(d)\nlen(calls) == n",
    ),
    _case(
        "flat_map",
        "elements(tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).flat_map(tf.data.Dataset.from_tensor_slices))",
    ),
    _case("flat_map_range", "elements(tf.data.Dataset.range(4).flat_map(lambda n: tf.data.Dataset.range(n)))"),
    _case("flat_map_no_dataset", "tf.data.Dataset.range(4).flat_map(lambda n: n)", {"raises": "TypeError"}),
    _case(
        "interleave",
        "elements(tf.data.Dataset.range(1, 4).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2))",
    ),
    _case(
        "interleave_map",
        "elements(tf.data.Dataset.range(3).interleave(lambda x: tf.data.Dataset.range(2).map(lambda y: x * 10 + y), cycle_length=3))",
    ),
    _case("window", "[elements(w) for w in tf.data.Dataset.range(7).window(3)]"),
    _case(
        "window_flat_map",
        "elements(tf.data.Dataset.range(7).window(3, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(3)))",
    ),
    _case("window_stride", "elements(tf.data.Dataset.range(9).window(3, 2, 2).flat_map(lambda w: w))"),
    _case(
        "window_tuple",
        "elements(tf.data.Dataset.from_tensor_slices(([1, 2, 3, 4], [5, 6, 7, 8])).window(2).flat_map(lambda a, b: tf.data.Dataset.zip((a.batch(2), b))))",
    ),
    _case("reduce", "tf.data.Dataset.range(5).reduce(np.int64(0), lambda s, x: s + x)"),
    _case("reduce_tuple", "tf.data.Dataset.range(5).reduce((np.int64(0), 0.0), lambda s, x: (s[0] + x, s[1] + 1.0))"),
    _case("reduce_count", "tf.data.Dataset.range(5).reduce(0, lambda n, _: n + 1)"),
    _case("scan", "elements(tf.data.Dataset.range(5).scan(np.int64(1), lambda s, x: (s + x, s * x)))"),
    _case(
        "group_by_window",
        "elements(tf.data.Dataset.range(10).group_by_window(lambda x: x % 2, lambda k, w: w.batch(3), window_size=3))",
    ),
    _case(
        "bucket",
        "lists = [[0], [1, 2, 3, 4], [5, 6, 7], [7, 8, 9, 10, 11], [13, 14, 15, 16, 19, 20], [21, 22]]\nd = tf.data.Dataset.from_generator(lambda: iter(lists), tf.int64, output_shapes=[None])\nelements(d.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 5], [2, 2, 2]))",
    ),
    _case(
        "choose",
        "a, b = tf.data.Dataset.from_tensors('a').repeat(), tf.data.Dataset.from_tensors('b').repeat()\nelements(tf.data.Dataset.choose_from_datasets([a, b], tf.data.Dataset.range(2).repeat(2)))",
    ),
    _case(
        "sample_all",
        "a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)\nsorted(elements(tf.data.Dataset.sample_from_datasets([a, b], seed=1)))",
    ),
    _case(
        "generator",
        "elements(tf.data.Dataset.from_generator(lambda: iter([1, 2]), output_signature=tf.TensorSpec([], tf.int32)))",
    ),
    _case(
        "generator_tuple",
        "def g():\n  yield 1, [1.0, 2.0]\n  yield 2, [3.0]\nelements(tf.data.Dataset.from_generator(g, output_signature=(tf.TensorSpec([], tf.int64), tf.TensorSpec([None], tf.float32))))",
    ),
    _case(
        "generator_types",
        "elements(tf.data.Dataset.from_generator(lambda: iter([(1, 'a'), (2, 'b')]), (tf.int32, tf.string)))",
    ),
    _case(
        "generator_dict",
        "elements(tf.data.Dataset.from_generator(lambda: iter([{'a': 1}, {'a': 2}]), output_signature={'a': tf.TensorSpec([], tf.int32)}))",
    ),
    _case("generator_args", "elements(tf.data.Dataset.from_generator(lambda n: iter(range(n)), tf.int64, args=(3,)))"),
    _case(
        "generator_wrong_shape",
        "elements(tf.data.Dataset.from_generator(lambda: iter([[1, 2]]), output_signature=tf.TensorSpec([3], tf.int32)))",
        {"raises": "InvalidArgumentError"},
    ),
    _case(
        "generator_wrong_type",
        "elements(tf.data.Dataset.from_generator(lambda: iter(['a']), output_signature=tf.TensorSpec([], tf.int32)))",
        {"raises": "InvalidArgumentError"},
    ),
    _case("generator_not_callable", "tf.data.Dataset.from_generator([1, 2], tf.int32)", {"raises": "TypeError"}),
    _case(
        "cardinality",
        "d = tf.data.Dataset.range(10)\n[d.cardinality(), d.batch(3).cardinality(), d.repeat().cardinality(), d.filter(lambda x: x > 1).cardinality(), d.take(3).cardinality(), d.map(lambda x: x).cardinality()]",
    ),
    _case("len", "len(tf.data.Dataset.range(10).batch(4))"),
    _case("len_infinite", "len(tf.data.Dataset.range(10).repeat())", {"raises": "TypeError"}),
    _case("len_unknown", "len(tf.data.Dataset.range(10).filter(lambda x: x > 1))", {"raises": "TypeError"}),
    _case(
        "spec",
        "d = tf.data.Dataset.from_tensor_slices(([[1.0, 2.0]], ['a']))\n[str(d.element_spec[0].shape), d.element_spec[1].dtype.name]",
    ),
    _case(
        "spec_batch",
        "d = tf.data.Dataset.from_tensor_slices([[1.0, 2.0]])\n[str(d.batch(3).element_spec.shape), str(d.batch(3, drop_remainder=True).element_spec.shape)]",
    ),
    _case(
        "spec_map",
        "d = tf.data.Dataset.from_tensor_slices([[1.0, 2.0]] * 4).batch(3).map(lambda x: (x[:, 0], tf.transpose(x), tf.reduce_sum(x)))\n[str(s.shape) for s in d.element_spec]",
    ),
    _case(
        "spec_padded",
        "str(tf.data.Dataset.range(1, 5).map(lambda x: tf.fill([x], x)).padded_batch(2, padded_shapes=[4]).element_spec.shape)",
    ),
    _case("single_element", "tf.data.Dataset.from_tensors(5).get_single_element()"),
    _case(
        "single_element_of_more", "tf.data.Dataset.range(2).get_single_element()", {"raises": "InvalidArgumentError"}
    ),
    _case(
        "get_next", "i = iter(tf.data.Dataset.range(1))\na = i.get_next()\ni.get_next()", {"raises": "OutOfRangeError"}
    ),
    _case("apply", "elements(tf.data.Dataset.range(3).apply(lambda d: d.map(lambda x: x + 1)))"),
    _case(
        "options",
        "o = tf.data.Options()\no.deterministic = False\nsorted(elements(tf.data.Dataset.range(5).map(lambda x: x, num_parallel_calls=2).with_options(o)))",
    ),
    _case("prefetch", "elements(tf.data.Dataset.range(3).prefetch(tf.data.AUTOTUNE))"),
    _case(
        "constants",
        "[tf.data.AUTOTUNE, tf.data.INFINITE_CARDINALITY, tf.data.UNKNOWN_CARDINALITY, tf.data.experimental.AUTOTUNE]",
    ),
    _case(
        "example_bytes",
        "tf.train.Example(features=tf.train.Features(feature={'a': tf.train.Feature(int64_list=tf.train.Int64List(value=[1, -2, 300])), 'b': tf.train.Feature(float_list=tf.train.FloatList(value=[1.5])), 'c': tf.train.Feature(bytes_list=tf.train.BytesList(value=[b'xy']))})).SerializeToString(deterministic=True)",
    ),
    _case(
        "example_parsed",
        "e = tf.train.Example()\ne.features.feature['n'].int64_list.value.extend([3, 4])\ns = e.SerializeToString()\nt = tf.train.Example.FromString(s)\n[list(t.features.feature['n'].int64_list.value), t.features.feature['n'].WhichOneof('kind')]",
    ),
    _case("example_wrong_type", "tf.train.Int64List(value=['a'])", {"raises": "TypeError"}),
    _case(
        "parse_single",
        "e = tf.train.Example(features=tf.train.Features(feature={'x': tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0])), 'n': tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))})).SerializeToString()\ntf.io.parse_single_example(e, {'x': tf.io.FixedLenFeature([2], tf.float32), 'n': tf.io.FixedLenFeature([], tf.int64), 'm': tf.io.FixedLenFeature([], tf.int64, 5)})",
    ),
    _case(
        "parse_single_missing",
        "tf.io.parse_single_example(tf.train.Example().SerializeToString(), {'x': tf.io.FixedLenFeature([2], tf.float32)})",
        {"raises": "InvalidArgumentError"},
    ),
    _case(
        "parse_batch",
        "make = lambda v: tf.train.Example(features=tf.train.Features(feature={'x': tf.train.Feature(float_list=tf.train.FloatList(value=v))})).SerializeToString()\ntf.io.parse_example([make([1.0, 2.0]), make([3.0, 4.0])], {'x': tf.io.FixedLenFeature([2], tf.float32)})",
    ),
    _case(
        "parse_var_len",
        "make = lambda v: tf.train.Example(features=tf.train.Features(feature={'x': tf.train.Feature(int64_list=tf.train.Int64List(value=v))})).SerializeToString()\ntf.sparse.to_dense(tf.io.parse_example([make([1, 2]), make([]), make([3])], {'x': tf.io.VarLenFeature(tf.int64)})['x'])",
    ),
    _case(
        "parse_sequence_feature",
        "make = lambda v: tf.train.Example(features=tf.train.Features(feature={'x': tf.train.Feature(int64_list=tf.train.Int64List(value=v))})).SerializeToString()\ntf.io.parse_example([make([1, 2]), make([]), make([3])], {'x': tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True, default_value=-1)})",
    ),
    _case(
        "sequence_example",
        "f = lambda v: tf.train.Feature(int64_list=tf.train.Int64List(value=v))\ns = tf.train.SequenceExample(context=tf.train.Features(feature={'c': f([1])}), feature_lists=tf.train.FeatureLists(feature_list={'l': tf.train.FeatureList(feature=[f([1, 2]), f([3, 4])])})).SerializeToString()\ntf.io.parse_single_sequence_example(s, {'c': tf.io.FixedLenFeature([], tf.int64)}, {'l': tf.io.FixedLenSequenceFeature([2], tf.int64)})",
    ),
    _case(
        "timeseries",
        "elements(tf.keras.utils.timeseries_dataset_from_array(np.arange(10), np.arange(10) * 2, 3, batch_size=4))",
    ),
    _case(
        "timeseries_no_targets",
        "elements(tf.keras.utils.timeseries_dataset_from_array(np.arange(10.0), None, 4, sequence_stride=2, sampling_rate=2))",
    ),
]
