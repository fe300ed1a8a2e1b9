"""Tensors made, reshaped, cut, put together, picked from and scattered into."""

_A = "tf.reshape(tf.range(12), [3, 4])"
_F = "tf.reshape(tf.range(12.0), [3, 4])"

CASES = [
    (
        "cast",
        "[tf.cast([1.7, -1.7], tf.int32), tf.cast([0, 2], tf.bool), tf.cast([True, False], 'float32'), tf.cast([1, 2], np.float64), tf.dtypes.cast([1.5], tf.int64)]",
    ),
    ("cast_complex", "tf.cast([1.0, 2.0], tf.complex64)"),
    ("cast_string", "tf.cast(['1'], tf.int32)", {"raises": "Exception"}),
    ("cast_variable", "tf.cast(tf.Variable([1.5]), tf.int32)"),
    (
        "zeros",
        "[tf.zeros([2, 3]), tf.zeros(3, tf.int32), tf.zeros([]), tf.zeros((2,), dtype='bool'), tf.zeros(tf.constant([2, 1]))]",
    ),
    ("ones", "[tf.ones([2]), tf.ones([1, 2], tf.int64)]"),
    ("zeros_negative", "tf.zeros([-1])", {"raises": "Exception"}),
    (
        "zeros_like",
        "[tf.zeros_like([1, 2]), tf.zeros_like([1.5], dtype=tf.int32), tf.ones_like([[1.0]]), tf.ones_like([1.0, 2.0], tf.bool)]",
    ),
    ("fill", "[tf.fill([2, 3], 9), tf.fill([2], 1.5), tf.fill([2], True)]"),
    ("eye", "[tf.eye(2), tf.eye(2, 3), tf.eye(2, batch_shape=[2], dtype=tf.int32), tf.linalg.eye(2)]"),
    (
        "range",
        "[tf.range(5), tf.range(2, 5), tf.range(10, 0, -3), tf.range(0.0, 1.0, 0.25), tf.range(3, dtype=tf.int64), tf.range(start=1, limit=4, delta=2)]",
    ),
    ("range_float_limit", "tf.range(3.0)"),
    ("range_tensor", "tf.range(tf.constant(3, tf.int64))"),
    ("range_empty", "tf.range(5, 2)"),
    ("range_zero_delta", "tf.range(0, 5, 0)", {"raises": "Exception"}),
    (
        "linspace",
        "[tf.linspace(0.0, 1.0, 5), tf.linspace([0.0, 1.0], [1.0, 3.0], 3), tf.linspace([0.0, 1.0], [1.0, 3.0], 3, axis=-1), tf.linspace(0, 10, 3)]",
    ),
    ("meshgrid", "[tf.meshgrid([1, 2, 3], [4, 5]), tf.meshgrid([1, 2], [3, 4], indexing='ij')]"),
    (
        "one_hot",
        "[tf.one_hot([0, 2, -1], 3), tf.one_hot([0, 1], depth=2, on_value=5.0, off_value=-1.0), tf.one_hot([0, 1], 2, axis=0), tf.one_hot([[0, 1]], 2, dtype=tf.int32), tf.one_hot(1, 3), tf.one_hot([1], 3, on_value=7, off_value=0)]",
    ),
    (
        "sequence_mask",
        "[tf.sequence_mask([1, 3, 2]), tf.sequence_mask([1, 3], 5), tf.sequence_mask([[1], [0]], 2, dtype=tf.float32)]",
    ),
    (
        "shape",
        f"[tf.shape({_A}), tf.shape({_A}, out_type=tf.int64), tf.shape(3.0), tf.size({_A}), tf.rank({_A}), tf.size([1, 2, 3], out_type=tf.int64)]",
    ),
    ("shape_n", "tf.shape_n([[1, 2], [3, 4, 5]])"),
    ("shape_arithmetic", f"s = tf.shape({_A}); [s[0] * s[1], tf.reduce_prod(s), tf.concat([s[:1], [2, 2]], 0)]"),
    (
        "tensor_shape",
        "s = tf.TensorShape([2, None, 3]); [s.rank, s.as_list(), s.is_fully_defined(), str(s), s[1:].as_list(), tf.TensorShape([2, 3]).num_elements(), s.is_compatible_with([2, 5, 3])]",
    ),
    (
        "tensor_spec",
        "s = tf.TensorSpec([None, 3], tf.int32, name='x'); [s.shape.as_list(), s.dtype, s.name, s == tf.TensorSpec([None, 3], tf.int32, name='x'), s.is_compatible_with(tf.zeros([2, 3], tf.int32))]",
    ),
    ("tensor_spec_repr", "repr(tf.TensorSpec([2, None]))"),
    ("type_spec_from_value", "s = tf.type_spec_from_value(tf.zeros([2, 3])); [s.shape.as_list(), s.dtype]"),
    (
        "reshape",
        f"[tf.reshape({_A}, [4, 3]), tf.reshape({_A}, [2, -1]), tf.reshape({_A}, (12,)), tf.reshape({_A}, -1), tf.reshape([7], []), tf.reshape({_A}, tf.constant([6, 2]))]",
    ),
    ("reshape_bad", "tf.reshape([1, 2, 3], [2, 2])"),
    ("reshape_two_unknown", "tf.reshape([1, 2, 3, 4], [-1, -1])", {"raises": "Exception"}),
    ("expand_dims", f"[tf.expand_dims({_A}, 0).shape, tf.expand_dims({_A}, axis=-1).shape, tf.expand_dims(3.0, 0)]"),
    (
        "squeeze",
        "x = tf.zeros([1, 2, 1, 3]); [tf.squeeze(x).shape, tf.squeeze(x, 0).shape, tf.squeeze(x, axis=[0, 2]).shape, tf.squeeze(x, [-2]).shape]",
    ),
    ("squeeze_bad", "tf.squeeze(tf.zeros([2, 3]), 0)", {"raises": "Exception"}),
    (
        "transpose",
        f"[tf.transpose({_A}), tf.transpose(tf.reshape(tf.range(24), [2, 3, 4]), perm=[1, 0, 2]).shape, tf.transpose([[1 + 1j, 2]], conjugate=True)]",
    ),
    ("concat", f"[tf.concat([{_A}, {_A}], 0), tf.concat([{_A}, {_A}], axis=-1), tf.concat([[1, 2], [3]], 0)]"),
    ("concat_bad", "tf.concat([tf.zeros([2, 3]), tf.zeros([3, 2])], 0)", {"raises": "Exception"}),
    ("stack", "[tf.stack([[1, 2], [3, 4]]), tf.stack([[1, 2], [3, 4]], axis=1), tf.stack([1.0, 2.0])] "),
    ("unstack", f"[tf.unstack({_A}), tf.unstack({_A}, axis=1), tf.unstack([1, 2], num=2)]"),
    (
        "split",
        f"[tf.split({_A}, 3), tf.split({_A}, [1, 2], axis=0), tf.split({_A}, num_or_size_splits=2, axis=1), tf.split({_A}, [1, -1], 1)]",
    ),
    ("split_bad", f"tf.split({_A}, 5)", {"raises": "Exception"}),
    ("tile", "[tf.tile([1, 2], [3]), tf.tile([[1, 2]], [2, 2])]"),
    (
        "repeat",
        "[tf.repeat([1, 2], 3), tf.repeat([[1, 2], [3, 4]], 2, axis=1), tf.repeat([[1, 2], [3, 4]], [1, 2], axis=0), tf.repeat([1, 2, 3], repeats=[2, 0, 1])]",
    ),
    ("reverse", f"[tf.reverse({_A}, [0]), tf.reverse({_A}, axis=[0, 1]), tf.reverse([1, 2, 3], [-1])]"),
    ("roll", f"[tf.roll([1, 2, 3, 4], 1, 0), tf.roll({_A}, shift=[1, -1], axis=[0, 1])]"),
    (
        "pad",
        "x = tf.constant([[1, 2, 3], [4, 5, 6]]); p = [[1, 1], [2, 0]]; [tf.pad(x, p), tf.pad(x, p, 'REFLECT'), tf.pad(x, p, mode='SYMMETRIC'), tf.pad(x, p, constant_values=9), tf.pad(x, tf.constant(p))]",
    ),
    ("pad_mode", "tf.pad([[1.0]], [[1, 1], [1, 1]], 'EDGE')"),
    (
        "broadcast_to",
        "[tf.broadcast_to([1, 2, 3], [2, 3]), tf.broadcast_to([[1], [2]], [2, 3]), tf.broadcast_to(5, [2])]",
    ),
    ("broadcast_bad", "tf.broadcast_to([1, 2], [3])", {"raises": "Exception"}),
    (
        "broadcast_shapes",
        "[tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3])), tf.broadcast_dynamic_shape([2, 1], [3])]",
    ),
    ("slice", f"[tf.slice({_A}, [1, 0], [1, 2]), tf.slice({_A}, begin=[0, 1], size=[-1, 2])]"),
    ("slice_bad", f"tf.slice({_A}, [2, 0], [3, 1])", {"raises": "Exception"}),
    (
        "strided_slice",
        f"[tf.strided_slice({_A}, [0, 0], [3, 4], [2, 2]), tf.strided_slice({_A}, [1], [2], shrink_axis_mask=1), tf.strided_slice({_A}, [1, 1], [9, 9], [1, 1], begin_mask=1, end_mask=3)]",
    ),
    (
        "reverse_sequence",
        "x = tf.reshape(tf.range(12), [3, 4]); [tf.reverse_sequence(x, [2, 4, 1], seq_axis=1, batch_axis=0), tf.reverse_sequence(x, [3, 1, 2, 2], seq_axis=0, batch_axis=1)]",
    ),
    ("ensure_shape", "tf.ensure_shape(tf.zeros([2, 3]), [None, 3])"),
    ("ensure_shape_bad", "tf.ensure_shape(tf.zeros([2, 3]), [2, 4])"),
    ("identity", "[tf.identity([1.0, 2.0]), tf.identity(tf.Variable(3.0)), tf.identity_n([[1], [2.0]])]"),
    (
        "stop_gradient",
        "x = tf.Variable(3.0)\nwith tf.GradientTape() as t:\n  y = x * tf.stop_gradient(x)\nresult = t.gradient(y, x)",
    ),
    ("newaxis", "tf.constant([1, 2])[:, tf.newaxis].shape"),
    (
        "bitcast",
        "[tf.bitcast(tf.constant([1.0, -2.0]), tf.int32), tf.bitcast(tf.constant([[1, 2, 3, 4]], tf.uint8), tf.uint32), tf.bitcast(tf.constant([258], tf.int32), tf.uint8)]",
    ),
    ("unravel_index", "tf.unravel_index([5, 7], [2, 4])"),
    (
        "gather",
        f"[tf.gather({_A}, [2, 0]), tf.gather({_A}, 1), tf.gather({_A}, [[0, 1], [2, 2]], axis=1), tf.gather({_A}, indices=[3], axis=-1)]",
    ),
    ("gather_batch", "tf.gather([[1, 2, 3], [4, 5, 6]], [[2, 0], [1, 1]], batch_dims=1)"),
    ("gather_axis_batch", "tf.gather(tf.reshape(tf.range(12), [2, 2, 3]), [[2, 0], [1, 1]], axis=2, batch_dims=1)"),
    ("gather_out_of_range", "tf.gather([1, 2, 3], [3]).numpy()", {"raises": "Exception"}),
    (
        "gather_gradient",
        "x = tf.Variable([1.0, 2.0, 3.0])\nwith tf.GradientTape() as t:\n  y = tf.gather(x, [0, 2, 0]) * [1.0, 10.0, 100.0]\nresult = tf.convert_to_tensor(t.gradient(y, x))",
    ),
    (
        "gather_nd",
        f"[tf.gather_nd({_A}, [[0, 1], [2, 3]]), tf.gather_nd({_A}, [[1]]), tf.gather_nd([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [[1], [0]], batch_dims=1)]",
    ),
    (
        "scatter_nd",
        "[tf.scatter_nd([[4], [3], [1]], [9, 10, 11], [8]), tf.scatter_nd([[0, 1], [0, 1]], [1.0, 2.0], [2, 2])]",
    ),
    ("tensor_scatter_nd_update", "tf.tensor_scatter_nd_update([1, 2, 3, 4], [[1], [3]], [9, 10])"),
    ("tensor_scatter_nd_add", "tf.tensor_scatter_nd_add(tf.ones([4]), [[1], [3], [1]], [9.0, 10.0, 1.0])"),
    ("tensor_scatter_nd_sub", "tf.tensor_scatter_nd_sub([1, 1, 1], [[0], [2]], [5, 6])"),
    ("tensor_scatter_nd_max", "tf.tensor_scatter_nd_max([1, 5, 3], [[0], [1]], [4, 4])"),
    ("tensor_scatter_nd_min", "tf.tensor_scatter_nd_min([1, 5, 3], [[0], [1]], [4, 4])"),
    (
        "where",
        "[tf.where([True, False], [1, 2], [3, 4]), tf.where([[True], [False]], [1.0, 2.0], 0.0), tf.where([True, False, True]), tf.where([[0, 1], [2, 0]]), tf.where(tf.constant([1.0, -1.0]) > 0, 1.0, -1.0)]",
    ),
    ("where_one_given", "tf.where([True], [1], None)"),
    (
        "where_gradient",
        "x = tf.Variable([1.0, -2.0])\nwith tf.GradientTape() as t:\n  y = tf.where(x > 0, x * 3, x * 5)\nresult = t.gradient(y, x)",
    ),
    (
        "boolean_mask",
        f"[tf.boolean_mask({_A}, [True, False, True]), tf.boolean_mask([1, 2, 3], np.array([True, False, True])), tf.boolean_mask({_A}, [True, False, False, True], axis=1), tf.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]])]",
    ),
    (
        "unique",
        "a, b = tf.unique([1, 1, 2, 4, 4, 4, 7, 1]); [a, b, tf.unique([3, 3]).y, tf.unique([3.0], out_idx=tf.int64).idx]",
    ),
    ("unique_with_counts", "u = tf.unique_with_counts(['a', 'b', 'a']); [u.y, u.idx, u.count]"),
    ("dynamic_partition", "tf.dynamic_partition([10, 20, 30, 40], [0, 1, 1, 0], 2)"),
    ("dynamic_stitch", "tf.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]])"),
    (
        "space_to_batch",
        "x = tf.reshape(tf.range(16), [1, 4, 4, 1]); [tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]]), tf.batch_to_space(tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]]), [2, 2], [[0, 0], [0, 0]])]",
    ),
    ("get_static_value", "tf.get_static_value(tf.constant([1, 2]))"),
    (
        "is_tensor",
        "[tf.is_tensor(tf.constant(1)), tf.is_tensor(1), tf.is_tensor(np.array(1)), tf.is_tensor(tf.Variable(1.0))]",
    ),
    (
        "dtypes",
        "[tf.float32.name, tf.int64.is_integer, tf.float16.size, tf.bool.is_bool, tf.complex64.is_complex, tf.as_dtype('float64'), tf.dtypes.as_dtype(np.int32), tf.uint8.max, tf.int8.min, tf.bfloat16.is_floating, tf.string.name, tf.int16 == np.int16]",
    ),
    (
        "dtypes_module",
        "[tf.dtypes.float32, tf.dtypes.int32, tf.dtypes.int64, tf.dtypes.float64, tf.dtypes.string, tf.dtypes.bool, tf.uint32, tf.int8]",
    ),
    (
        "indexed_slices",
        "s = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([2]), dense_shape=tf.constant([3, 2])); tf.convert_to_tensor(s)",
    ),
    (
        "tensor_array",
        "a = tf.TensorArray(tf.float32, size=3, clear_after_read=False)\nfor i in range(3):\n  a = a.write(i, [i * 1.0, 1.0])\nresult = [a.stack(), a.read(1), a.concat(), a.size(), a.gather([2, 0])]",
    ),
    (
        "tensor_array_dynamic",
        "a = tf.TensorArray(tf.int32, size=0, dynamic_size=True); a = a.write(0, 5).write(1, 6); a.stack()",
    ),
    ("tensor_array_unstack", "tf.TensorArray(tf.int32, size=2).unstack([[1, 2], [3, 4]]).read(1)"),
    ("tensor_array_out_of_range", "tf.TensorArray(tf.int32, size=1).write(3, 1)", {"raises": "Exception"}),
    (
        "ragged_constant",
        "r = tf.ragged.constant([[1, 2], [], [3]]); [r, r.to_list(), r.to_tensor(), r.to_tensor(default_value=-1), r.row_lengths(), r[0], r.shape.as_list(), r.nrows()]",
    ),
    (
        "ragged_nested",
        "r = tf.ragged.constant([[[1], [2, 3]], [[4]]]); [r.to_list(), r.to_tensor(), r.ragged_rank, r.flat_values]",
    ),
    (
        "ragged_to_shape",
        "r = tf.ragged.constant([[1.0], [2.0, 3.0], [], [4.0, 5.0, 6.0]]); [r.to_tensor(9.0, shape=s) for s in ([None, 2], [2, None], [6, 4], [3, 2])]",
    ),
    (
        "ragged_made",
        "v = [1, 2, 3, 4]; [tf.RaggedTensor.from_row_splits(v, [0, 2, 4]).to_list(), tf.RaggedTensor.from_row_lengths(v, [1, 3]).to_list(), tf.RaggedTensor.from_value_rowids(v, [0, 0, 2, 2]).to_list(), tf.RaggedTensor.from_uniform_row_length(v, 2).to_list(), tf.RaggedTensor.from_tensor([[1, 2], [3, 0]], padding=0).to_list(), tf.RaggedTensor.from_nested_row_splits(v, [[0, 1], [0, 4]]).to_list()]",
    ),
    (
        "ragged_functions",
        "[tf.ragged.stack([[1, 2], [3]]).to_list(), tf.ragged.range([2, 3]).to_list(), tf.ragged.map_flat_values(tf.square, tf.ragged.constant([[1, 2], [3]])).to_list(), tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]]).to_list()]",
    ),
    ("nest_flatten", "tf.nest.flatten({'b': 1, 'a': [2, (3, 4)]})"),
    ("nest_map", "tf.nest.map_structure(lambda x, y: x + y, {'a': 1, 'b': (2, [3])}, {'a': 10, 'b': (20, [30])})"),
    (
        "nest_pack",
        "[tf.nest.pack_sequence_as({'a': 0, 'b': [0, 0]}, [1, 2, 3]), tf.nest.is_nested([1]), tf.nest.is_nested(1)]",
    ),
    ("nest_differs", "tf.nest.map_structure(lambda x, y: x, [1, 2], [1])"),
    ("nest_types_differ", "tf.nest.assert_same_structure([1], (1,))"),
]
