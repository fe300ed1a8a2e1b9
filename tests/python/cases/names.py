"""Names that tutorials use and no other file of cases does: readers of files, old names, sessions. V1 is tf.compat.v1."""

_FILES = "import tempfile, os; d = tempfile.mkdtemp(); at = lambda n: os.path.join(d, n)"
_PICTURES = f"""{_FILES}
for c in 'ab':
    os.makedirs(at(c))
    for i in range(3):
        tf.io.write_file(at(c + '/' + str(i) + '.png'), tf.io.encode_png(tf.cast(tf.fill([4, 5, 3], i * 10 + ord(c)), tf.uint8)))
"""
_GRAPH = "graph = tf.Graph().as_default()"
_OLD = "y, p = np.array([[0.0], [1.0]], 'float32'), np.array([[0.5], [0.25]], 'float32')"


def _legacy(name):
    # TensorFlow 2.21 has Keras 3's classes alone; the old name is Brio's.
    return f"o = (tf.keras.optimizers.{name} if tf.__name__ == 'tensorflow' else tf.keras.optimizers.legacy.{name})(0.5); v = tf.Variable([1.0, 2.0]); o.apply_gradients([(tf.constant([0.5, -1.0]), v)]); v"


CASES = [
    # ---- readers
    ("csv_dataset", _FILES + "; tf.io.write_file(at('x.csv'), 'a,b\\n1,2.5\\n3,4.5\\n'); [[x for x in row] for row in tf.data.experimental.CsvDataset(at('x.csv'), [tf.int32, tf.float32], header=True)]"),
    ("make_csv_dataset", _FILES + "; tf.io.write_file(at('x.csv'), 'a,b,y\\n1,2.5,0\\n3,4.5,1\\n'); s = tf.data.experimental.make_csv_dataset(at('x.csv'), 2, label_name='y', num_epochs=1, shuffle=False); [[dict(x), y] for x, y in s]"),
    ("text_lines", _FILES + "; tf.io.write_file(at('x.txt'), 'one\\ntwo\\n\\nthree'); [x for x in tf.data.TextLineDataset([at('x.txt')])]"),
    ("records", _FILES + """
with tf.io.TFRecordWriter(at('x.tfrecord')) as w:
    for s in (b'one', b'', b'three'):
        w.write(s)
[list(tf.data.TFRecordDataset(at('x.tfrecord'))), list(tf.data.TFRecordDataset([at('x.tfrecord')] * 2).take(4))]"""),
    ("list_files", _FILES + "; [tf.io.write_file(at(n), n) for n in ('b.txt', 'a.txt', 'c.md')]; [os.path.basename(p.numpy()) for p in tf.data.Dataset.list_files(at('*.txt'), shuffle=False)]"),
    ("image_directory", _PICTURES + "s = keras.utils.image_dataset_from_directory(d, image_size=(2, 2), batch_size=4, shuffle=False); [[x.shape, tf.reduce_mean(x), y] for x, y in s] + [s.class_names]"),
    ("text_directory", _FILES + """
for c in 'ab':
    os.makedirs(at(c))
    tf.io.write_file(at(c + '/x.txt'), 'text of ' + c)
s = keras.utils.text_dataset_from_directory(d, shuffle=False, label_mode='binary')
[[x, y] for x, y in s]"""),
    ("timeseries", "[[x, y] for x, y in keras.preprocessing.timeseries_dataset_from_array(np.arange(6.0), np.arange(6.0) * 2, 3, batch_size=2)]"),
    ("ragged_feature", "e = tf.train.Example(features=tf.train.Features(feature={'x': tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2, 3]))})).SerializeToString(); tf.io.parse_single_example(e, {'x': tf.io.RaggedFeature(tf.int64)})['x']"),
    ("cardinality", "[tf.data.experimental.cardinality(tf.data.Dataset.range(7)), tf.data.experimental.cardinality(tf.data.Dataset.range(3).repeat())]"),
    ("counter", "[x for x in tf.data.experimental.Counter(start=2, step=3).take(3)]"),
    ("ignore_errors", "[x for x in tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0]).map(lambda x: tf.debugging.check_numerics(1.0 / x, 'inf')).apply(tf.data.experimental.ignore_errors())]"),
    ("dense_to_ragged_batch", "[x.to_list() for x in tf.data.Dataset.range(4).map(lambda n: tf.range(n)).apply(tf.data.experimental.dense_to_ragged_batch(2))]"),
    ("auto_shard", "[p.name for p in (tf.data.experimental.AutoShardPolicy.DATA, tf.data.experimental.AutoShardPolicy.OFF)]"),
    ("checkpoint_readers", _FILES + """
p = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).save(at('ckpt'))
r = tf.train.load_checkpoint(p)
names = [n for n, shape in tf.train.list_variables(p) if n.startswith('v')]
[len(names), r.get_tensor(names[0]), [s for n, s in r.get_variable_to_shape_map().items() if n.startswith('v')]]"""),
    # ---- summaries
    ("summary_file", _FILES + "; w = tf.summary.create_file_writer(d); w.init(); w.flush(); w.close(); [n.startswith('events.out.tfevents') for n in os.listdir(d)]"),
    # ---- Keras under other names
    ("layer_aliases", "x = np.arange(8.0, dtype='float32').reshape(1, 4, 2); q = x.reshape(1, 2, 2, 2); [keras.layers.GlobalAvgPool1D()(x), keras.layers.MaxPool1D(2)(x), keras.layers.GlobalMaxPool2D()(q), keras.layers.average([x, 2 * x]), keras.layers.multiply([x, x])]"),
    ("loss_aliases", _OLD + "; [keras.losses.mean_absolute_error(y, p), keras.losses.kl_divergence(y + 0.5, p), keras.losses.get('mae')(y, p), keras.losses.get('MSE')(y, p)]"),
    ("loss_base", _OLD + """
class Mine(tf.losses.Loss):
    def call(self, y_true, y_pred):
        return tf.reduce_sum(tf.abs(y_true - y_pred), -1)
Mine()(y, p)"""),
    ("reduction_sum", _OLD + "; keras.losses.MeanSquaredError(reduction='sum' if tf.__name__ == 'tensorflow' else keras.losses.Reduction.SUM)(y, p)"),
    ("short_losses", _OLD + "; [f(y, p) for f in ([keras.losses.mean_absolute_error, keras.losses.mean_squared_error] if tf.__name__ == 'tensorflow' else [keras.losses.mae, keras.losses.MSE])]"),
    ("metrics_alias", "m = tf.metrics.SparseCategoricalAccuracy(); m.update_state([0, 1], [[0.9, 0.1], [0.8, 0.2]]); m.result()"),
    ("schedule_alias", "s = tf.optimizers.schedules.PiecewiseConstantDecay([2, 4], [1.0, 0.5, 0.1]); [s(i) for i in (1, 3, 5)]"),
    ("legacy_sgd", _legacy("SGD")),
    ("legacy_adam", _legacy("Adam")),
    ("legacy_adagrad", _legacy("Adagrad")),
    ("legacy_rmsprop", _legacy("RMSprop")),
    ("legacy_ftrl", _legacy("Ftrl")),
    ("loss_scale", "o = (keras.optimizers.LossScaleOptimizer if tf.__name__ == 'tensorflow' else keras.mixed_precision.LossScaleOptimizer)(keras.optimizers.SGD(0.5)); v = tf.Variable([1.0]); l = o.scale_loss(tf.constant(2.0)); o.apply_gradients([(tf.constant([32768.0]), v)]); [l, v]"),
    ("ops_left", "x = np.array([1.0, 4.0, 2.0], 'float32'); [keras.ops.amax(x), keras.ops.greater_equal(x, 2), keras.ops.less(x, 2), keras.ops.logical_or([True, False], [False, False]), keras.ops.nn.gelu(x), keras.ops.nn.relu(-x), keras.ops.nn.sigmoid(x), keras.ops.fft((x, np.zeros_like(x))), keras.ops.rfft(x)]"),
    ("registered", """
@keras.utils.register_keras_serializable('here', 'Twice')
class Two(keras.layers.Layer):
    def call(self, x):
        return 2 * x
a = keras.saving.get_registered_name(Two)
with keras.saving.custom_object_scope({'mine': Two}):
    b = keras.saving.get_registered_object('mine').__name__
[a, b, keras.saving.get_custom_objects()['here>Twice'].__name__]"""),
    ("sequence", """
class Batches(keras.utils.Sequence):
    def __len__(self):
        return 3
    def __getitem__(self, i):
        return np.full((2, 1), float(i), 'float32'), np.full((2, 1), 2.0 * i, 'float32')
m = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, kernel_initializer='ones')])
m.compile('sgd', 'mse')
h = m.fit(Batches(), shuffle=False, verbose=0)
[isinstance(h, keras.callbacks.History), h.history['loss'], m.evaluate(Batches(), verbose=0)]""", {"rtol": 1e-4}),
    ("pack", "[len(keras.utils.pack_x_y_sample_weight(1.0, 2.0)), len(keras.utils.pack_x_y_sample_weight(1.0, 2.0, 3.0))]"),
    ("backend", "keras.backend.set_image_data_format('channels_last'); keras.config.disable_traceback_filtering(); a = [keras.backend.image_data_format(), keras.backend.standardize_dtype('float32')]; keras.config.enable_traceback_filtering(); a"),
    # ---- TensorFlow 1
    ("v1_values", "[V1.boolean_mask([1, 2, 3], [True, False, True]), V1.gather_nd([[1, 2], [3, 4]], [[1, 0]]), V1.nn.bias_add([[1.0, 2.0]], [3.0, 4.0]), V1.scan(lambda a, x: a + x, tf.constant([1, 2, 3])), V1.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=[[1.0, 2.0]]), V1.SparseTensor([[0, 1]], [5.0], [2, 2]).values]"),
    ("v1_initializers", "[V1.constant_initializer(3.0)([2]), V1.zeros_initializer()([2]), V1.ones_initializer()([2]), V1.initializers.zeros()([2]), V1.initializers.glorot_normal()([2, 3]).shape]"),
    ("v1_keras", "m = V1.keras.models.Sequential([V1.keras.layers.InputLayer(input_shape=(2,)), V1.keras.layers.Dense(1, kernel_initializer='ones', kernel_regularizer=V1.keras.regularizers.L2(0.1))]); [m(np.ones((1, 2), 'float32')), V1.keras.layers.Concatenate()([np.ones((1, 2)), np.zeros((1, 1))])]"),
    ("v1_devices", "[d.device_type for d in tf.compat.v1.config.list_logical_devices('CPU')]"),
    ("v1_losses", "tf.compat.v1.losses.mean_squared_error(tf.constant([1.0, 2.0]), tf.constant([0.0, 4.0]))"),
    ("v1_session", _GRAPH + """
with graph:
    x = V1.placeholder(tf.float32, [None, 2])
    w = V1.get_variable('w', [2, 1], initializer=V1.constant_initializer(0.5))
    y = tf.matmul(x, w)
    with V1.Session() as s:
        s.run(V1.global_variables_initializer())
        result = [s.run(y, {x: [[1.0, 2.0]]}), s.run([y, w], feed_dict={x: [[3.0, 4.0]]})]"""),
    ("v1_training", _GRAPH + """
def train(optimizer):
    x = V1.placeholder(tf.float32, [None])
    w = tf.Variable(0.5) if tf.__name__ != 'tensorflow' else V1.Variable(0.5)
    loss = tf.reduce_mean(tf.square(w * x - 1.0))
    step = optimizer.minimize(loss, var_list=[w])
    with V1.Session() as s:
        s.run(V1.global_variables_initializer())
        for _ in range(3):
            s.run(step, {x: [1.0, 2.0]})
        return s.run(w)
with graph:
    result = [train(V1.train.GradientDescentOptimizer(0.1)), train(V1.train.AdamOptimizer(0.1))]"""),
    ("v1_adagrad", _GRAPH + """
with graph:
    x = V1.placeholder(tf.float32, [None])
    w = V1.get_variable('w2', [1], initializer=V1.ones_initializer())
    step = V1.train.AdagradOptimizer(0.5).minimize(tf.reduce_mean(tf.square(w * x - 3.0)), var_list=[w])
    with V1.Session(config=V1.ConfigProto(allow_soft_placement=True)) as s:
        s.run(V1.global_variables_initializer())
        for _ in range(3):
            s.run(step, {x: [1.0, 2.0]})
        result = s.run(w)"""),
    ("v1_scopes", _GRAPH + """
def dense(x):
    with V1.variable_scope('layer', reuse=V1.AUTO_REUSE):
        w = V1.get_variable('w', [2, 1], initializer=V1.constant_initializer(0.5))
        b = V1.get_variable('b', [1], initializer=V1.zeros_initializer(), trainable=False)
        return tf.matmul(x, w) + b
with graph:
    x = V1.placeholder(tf.float32, [None, 2])
    y = dense(x) + dense(x)
    with V1.variable_scope('a') as outer:
        with V1.variable_scope('b'):
            name = V1.get_variable('c', [1]).name
    with V1.Session() as s:
        s.run(V1.global_variables_initializer())
        result = [s.run(y, {x: [[1.0, 2.0]]}), [v.name for v in V1.global_variables()], [v.name for v in V1.trainable_variables()], name, outer.name, len(V1.global_variables('layer'))]"""),
    ("v1_scope_exists", _GRAPH + """
with graph:
    V1.get_variable('w', [1])
    V1.get_variable('w', [1])"""),
    ("v1_scope_missing", _GRAPH + """
with graph:
    with V1.variable_scope('s', reuse=True):
        V1.get_variable('w', [1])"""),
    ("v1_scope_shape", _GRAPH + """
with graph:
    V1.get_variable('w', [1])
    with V1.variable_scope(V1.get_variable_scope(), reuse=True):
        V1.get_variable('w', [2])"""),
    ("v1_saver", _GRAPH + """
import os, tempfile
d = tempfile.mkdtemp()
with graph:
    v = V1.get_variable('v', [2], initializer=V1.ones_initializer())
    saver = V1.train.Saver(max_to_keep=2)
    with V1.Session() as s:
        s.run(V1.global_variables_initializer())
        paths = [saver.save(s, os.path.join(d, 'model'), global_step=i) for i in range(3)]
        saver.restore(s, V1.train.latest_checkpoint(d))
        result = [s.run(v), [os.path.basename(p) for p in paths], [os.path.basename(p) for p in saver.last_checkpoints]]"""),
    ("v1_saver_nothing", _GRAPH + """
with graph:
    V1.train.Saver()"""),
    ("graph", "g = tf.Graph(); [isinstance(g, tf.Graph), isinstance(tf.compat.v1.Graph(), tf.compat.v1.Graph)]"),
    ("v1_all_losses", """
y, p, w = np.array([[1.0, 0.0], [0.0, 1.0]], 'float32'), np.array([[0.5, 2.0], [0.25, -1.0]], 'float32'), np.array([[1.0], [0.0]], 'float32')
result = [V1.losses.mean_squared_error(y, p), V1.losses.mean_squared_error(y, p, w), V1.losses.absolute_difference(y, p, weights=2.0), V1.losses.softmax_cross_entropy(y, p), V1.losses.softmax_cross_entropy(y, p, weights=[1.0, 0.0], label_smoothing=0.1), V1.losses.sparse_softmax_cross_entropy([0, 1], p), V1.losses.sparse_softmax_cross_entropy([0, 1], p, [0.5, 0.0]), V1.losses.sigmoid_cross_entropy(y, p), V1.losses.sigmoid_cross_entropy(y, p, label_smoothing=0.2)]"""),
    ("v1_schedules", """
step = tf.Variable(4, dtype=tf.int64)
result = [V1.train.exponential_decay(0.1, step, 10, 0.5)(), V1.train.exponential_decay(0.1, step, 3, 0.5, staircase=True)(), V1.train.polynomial_decay(0.1, step, 10, 0.01, power=2.0)()]"""),
    ("v1_global_step", "s = V1.train.get_or_create_global_step(); a = V1.train.get_or_create_global_step(); tf.compat.v1.enable_tensor_equality(); [s.dtype, s.shape, V1.train.get_global_step() is not None or tf.executing_eagerly()]"),
    ("ragged_spec", "s = tf.RaggedTensorSpec([None, None], tf.int32); [s.shape, s.dtype]"),
    ("ragged_from_sparse", "r = tf.RaggedTensor.from_sparse(tf.sparse.from_dense([[1, 2, 0], [0, 0, 0], [3, 0, 0]])); [r.to_list(), r.row_splits]"),
    ("ragged_from_sparse_gap", "tf.RaggedTensor.from_sparse(tf.sparse.from_dense([[1, 0, 2]]))"),
    ("ops_fft2", "x = np.arange(8.0, dtype='float32').reshape(2, 2, 2); keras.ops.fft2((x, x * 0.5))"),
    ("combined_nms", """
b = np.array([[[[0, 0, 1, 1]], [[0, 0.1, 1, 1.1]], [[0, 0, 0.2, 0.2]]]], 'float32')
s = np.array([[[0.9, 0.1], [0.8, 0.7], [0.3, 0.6]]], 'float32')
result = [list(tf.image.combined_non_max_suppression(b, s, 2, 5, iou_threshold=0.5, score_threshold=0.2)), list(tf.image.combined_non_max_suppression(b, s, 1, 9, pad_per_class=True, clip_boxes=False))]"""),
    ("ctc_greedy", """
x = np.log(np.array([[[0.6, 0.3, 0.1], [0.1, 0.2, 0.7]], [[0.7, 0.2, 0.1], [0.2, 0.7, 0.1]], [[0.1, 0.1, 0.8], [0.1, 0.8, 0.1]], [[0.5, 0.4, 0.1], [0.8, 0.1, 0.1]]], 'float32'))
d, n = tf.nn.ctc_greedy_decoder(x, [4, 3])
e, m = tf.nn.ctc_greedy_decoder(x, [4, 3], merge_repeated=False, blank_index=0)
result = [d[0].indices, d[0].values, d[0].dense_shape, n, e[0].values, m]"""),
    ("autograph_code", """
def f(x):
    if x > 0:
        x = x + 1
    return x
@tf.autograph.experimental.do_not_convert
def g(x):
    return x
[isinstance(tf.autograph.to_code(f), str), 'def ' in tf.autograph.to_code(f), tf.autograph.to_graph(f)(tf.constant(2)), g(3)]"""),
    ("utils_config", "c = keras.utils.Config(rate=0.1, units=3); c.rate = 0.2; c['name'] = 'x'; c.freeze(); [c.as_dict(), c.to_json(), list(c), len(c), 'rate' in c, c.get('z', 5), c.frozen]"),
    ("utils_config_frozen", "c = keras.utils.Config(rate=0.1); c.freeze(); c.rate = 1.0"),
    ("utils_config_missing", "keras.utils.Config(rate=0.1).rat"),
]  # fmt: skip
CASES = [(name, source.replace("V1.", "tf.compat.v1."), *options) for name, source, *options in CASES]
