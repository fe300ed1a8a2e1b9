"""What stopped programs of others in the third round: each case is one cause, at sizes that people use."""

CASES = [
    # ---- variables
    (
        "parts_of_variables",
        """
        v = tf.Variable(tf.reshape(tf.range(600.), [30, 20]))
        v[0, 1].assign(42.)
        v[:, 2].assign(tf.range(30.))
        v[4:6, ::4].assign(tf.fill([2, 5], 7.))
        v[..., -1:].assign(tf.zeros([30, 1]))
        same = v[3].assign(v[2])
        [v, v[3], tf.reduce_sum(same)]
    """,
    ),
    (
        "part_of_a_variable_is_a_tensor",
        """
        v = tf.Variable(tf.reshape(tf.range(300.), [3, 100]))
        row = v[1]
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v[1] * v[2, ::-1])
        [isinstance(row, tf.Tensor), row + 1, tf.matmul(v[:2], v[1:], transpose_b=True), tape.gradient(y, v)]
    """,
    ),
    (
        "part_of_a_wrong_shape",
        """
        v = tf.Variable(tf.zeros([4, 100]))
        v[0].assign(tf.ones([7]))
    """,
        {"raises": "ValueError"},
    ),
    (
        "parts_of_variables_in_a_function",
        """
        v = tf.Variable(tf.zeros([4, 120]))
        @tf.function
        def f(i, x):
            v[i].assign(x)
            v[0, :3].assign(v[0, :3] + [1., 2., 3.])
            return tf.reduce_sum(v)
        [f(tf.constant(2), tf.ones([120])), f(tf.constant(3), tf.ones([120])), v[:, :4]]
    """,
    ),
    (
        "rows_of_variables",
        """
        v = tf.Variable(tf.ones([150, 4]))
        at = lambda values, rows: tf.IndexedSlices(tf.constant(values), tf.constant(rows))
        v.scatter_update(at([[5.] * 4, [6.] * 4], [149, 3]))
        v.scatter_add(at([[1.] * 4, [2.] * 4], [3, 3]))
        v.scatter_sub(at([[.5] * 4], [0]))
        v.scatter_mul(at([[3.] * 4], [1]))
        v.scatter_div(at([[4.] * 4], [2]))
        v.scatter_min(at([[.1] * 4], [4]))
        v.scatter_max(at([[9.] * 4], [5]))
        v[:6], v[149]
    """,
    ),
    (
        "elements_of_variables",
        """
        v = tf.Variable(tf.zeros([120, 3]))
        v.scatter_nd_update([[0, 0], [119, 2]], [100., 200.])
        v.scatter_nd_add([[0, 0], [0, 0]], [1., 2.])
        v.scatter_nd_sub([[5]], [[1., 2., 3.]])
        [v[0], v[119], v[5], v.gather_nd([[0, 0], [5, 1]]), v.sparse_read([119])]
    """,
    ),
    ("rows_without_indexed_slices", "tf.Variable(tf.zeros([3, 4])).scatter_update(tf.ones([4]))"),
    # ---- names of TensorFlow
    (
        "version_is_new_enough",
        "[tuple(int(n) for n in tf.__version__.split('.')[:2]) >= (2, 8), tf.__version__ >= '2.0']",
    ),
    (
        "time_in_a_function",
        """
        f = tf.function(lambda: tf.timestamp())
        a, b = f(), f()
        [a.dtype.name, a.shape, bool(b >= a), bool(tf.timestamp() > 1.6e9), tf.timestamp().dtype.name]
    """,
    ),
    ("old_dtypes", "[tf.double.name, tf.half.name, tf.constant([1, 2], dtype=tf.double)]"),
    (
        "eigenvalues",
        """
        x = tf.constant(np.triu(np.ones((5, 5))) + np.diag(np.arange(5.)))
        values, vectors = tf.linalg.eig(x)
        order = tf.argsort(tf.math.real(values))
        [tf.gather(values, order), tf.linalg.eigvals(tf.constant([[2., 0.], [0., 2.]])), tf.reduce_max(tf.abs(tf.cast(x, 'complex128') @ vectors - vectors * values)) < 1e-9]
    """,
    ),
    (
        "constant_initializer_reshapes",
        """
        w = np.arange(9, dtype='float32').reshape(1, 3, 3)
        layer = keras.layers.Conv2D(1, 3, kernel_initializer=tf.constant_initializer(w), bias_initializer=tf.constant_initializer([0.5]))
        layer(np.ones((1, 5, 5, 1), 'float32'))
    """,
    ),
    (
        "queues",
        """
        q = tf.queue.FIFOQueue(100, [tf.int32, tf.string], shapes=[(), ()])
        q.enqueue([10, b'windy'])
        q.enqueue_many([[11, 12], [b'sunny', b'cloudy']])
        first = q.dequeue()
        [first, q.size(), q.dequeue_many(2), q.size()]
    """,
    ),
    (
        "queues_of_other_orders",
        """
        p = tf.queue.PriorityQueue(10, tf.string, shapes=[()])
        for n, text in [(3, 'c'), (1, 'a'), (2, 'b')]:
            p.enqueue((tf.constant(n, tf.int64), text))
        padded = tf.queue.PaddingFIFOQueue(5, tf.int32, shapes=[(None,)])
        padded.enqueue(([1, 2],))
        padded.enqueue(([3, 4, 5],))
        [[p.dequeue()[1] for _ in range(3)], padded.dequeue_many(2)]
    """,
    ),
    (
        "moving_averages",
        """
        v, w = tf.Variable(tf.zeros([130])), tf.Variable(1.0)
        ema, counted = tf.train.ExponentialMovingAverage(0.9), tf.train.ExponentialMovingAverage(0.99, num_updates=3)
        for i in range(4):
            v.assign_add(tf.ones([130]))
            w.assign(w * 2)
            ema.apply([v, w])
            counted.apply([w])
        [ema.average(v)[:3], ema.average(w), counted.average(w), ema.average(tf.Variable(1.0)) is None]
    """,
    ),
    (
        "directions_forwards",
        """
        x, w = tf.constant(np.linspace(0, 1, 120).astype('float32')), tf.Variable(tf.ones([2, 3]))
        with tf.autodiff.ForwardAccumulator(x, tf.ones([120])) as acc:
            y = tf.sin(x) * x
            z = tf.constant(3.0) * 2.0
        with tf.autodiff.ForwardAccumulator(primals=w, tangents=tf.constant([[1., 0., 0.], [0., 2., 0.]])) as over:
            loss = tf.reduce_sum((tf.constant([[2., 3.], [1., 4.]]) @ w) ** 2)
        [acc.jvp(y), acc.jvp(z), acc.jvp(z, unconnected_gradients=tf.UnconnectedGradients.ZERO), over.jvp(loss)]
    """,
    ),
    (
        "directions_forwards_over_gradients",
        """
        x = tf.constant([2.0, 3.0, 4.0])
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1., 1., 0.])) as acc:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(x ** 3 * x[0])
            gradient = tape.gradient(y, x)
        [gradient, acc.jvp(gradient)]
    """,
    ),
    ("encodings_by_other_names", "tf.strings.unicode_decode(['Café', '咖啡'], 'UTF8')"),
    # ---- datasets
    (
        "datasets_on_disk",
        """
        import tempfile
        folder = tempfile.mkdtemp()
        data = tf.data.Dataset.from_tensor_slices(({'a': np.arange(300), 'b': [str(i) for i in range(300)]}, np.linspace(0, 1, 300))).batch(128)
        data.save(folder + '/d')
        back = tf.data.Dataset.load(folder + '/d')
        data.unbatch().save(folder + '/g', compression='GZIP')
        rows = tf.data.Dataset.load(folder + '/g', compression='GZIP')
        [[(x['a'].shape, x['b'][-1], y[0]) for x, y in back], int(back.cardinality()), len(list(rows)), sorted(back.element_spec[0])]
    """,
    ),
    (
        "datasets_in_several_files",
        """
        import tempfile
        folder = tempfile.mkdtemp()
        tf.data.Dataset.range(100).save(folder, shard_func=lambda x: x % 3)
        back = tf.data.Dataset.load(folder, reader_func=lambda files: files.shuffle(3).flat_map(lambda f: f))
        sorted(back.as_numpy_iterator())
    """,
    ),
    (
        "snapshots",
        """
        import tempfile
        folder, made = tempfile.mkdtemp(), []
        data = tf.data.Dataset.range(120).map(lambda x: x * 2).snapshot(folder + '/s')
        [list(data.as_numpy_iterator())[-3:], len(list(data)), str(data.element_spec)]
    """,
    ),
    ("no_dataset_there", "tf.data.Dataset.load('/nonexistent/folder')"),
    (
        "classes_in_other_proportions",
        """
        y = (np.arange(2000) % 10 == 0).astype('int32')
        made = tf.data.Dataset.from_tensor_slices((np.zeros((2000, 130), 'float32'), y)).rejection_resample(lambda x, y: y, target_dist=[0.5, 0.5], initial_dist=[0.9, 0.1])
        classes = [int(c) for c, (x, y) in made]
        counted = tf.data.Dataset.from_tensor_slices(y).rejection_resample(lambda y: y, [0.5, 0.5])
        share = np.mean([int(c) for c, _ in counted])
        [0.4 < np.mean(classes) < 0.6, len(classes) > 250, 0.3 < share < 0.7, str(made.element_spec)]
    """,
    ),
    (
        "elements_that_may_be_missing",
        """
        it = iter(tf.data.Dataset.range(2))
        found = [it.get_next_as_optional() for _ in range(3)]
        [[o.has_value() for o in found], found[1].get_value()]
    """,
    ),
    (
        "element_that_is_missing",
        """
        it = iter(tf.data.Dataset.range(0))
        it.get_next_as_optional().get_value()
    """,
    ),
    # ---- Keras
    (
        "backend_of_keras_2",
        """
        K = tf.keras.backend
        x, y = tf.constant(np.linspace(-1, 1, 240).reshape(2, 120).astype('float32')), tf.ones([120, 3])
        [K.dot(x, y), K.square(x)[0, :3], K.mean(x, axis=1), K.mean(tf.constant([True, False, False])), K.std(x), K.var(x, axis=-1, keepdims=True), K.sqrt(x)[0, :2], K.clip(x, 0.1, 0.2)[1, -2:],
         K.batch_dot(tf.ones([2, 3, 4]), tf.ones([2, 4, 5])), K.batch_dot(x, x, axes=1), K.batch_dot(tf.ones([2, 6, 4]), tf.ones([2, 5, 4]), axes=2).shape, K.int_shape(x), K.ndim(x), K.dtype(x),
         K.concatenate([x, x]).shape, K.permute_dimensions(x, (1, 0)).shape, K.repeat(x, 3).shape, K.repeat_elements(x, 2, 1).shape, K.arange(3), K.tile(x, [1, 2]).shape, K.batch_flatten(tf.ones([2, 3, 4])).shape]
    """,
    ),
    (
        "backend_of_keras_2_for_networks",
        """
        K = tf.keras.backend
        x, p = tf.constant(np.linspace(0.1, 0.9, 12).reshape(3, 4).astype('float32')), tf.constant([[.2, .5, .2, .1]] * 3)
        [K.binary_crossentropy(tf.round(x), x), K.categorical_crossentropy(tf.one_hot([0, 1, 2], 4), p), K.sparse_categorical_crossentropy(tf.constant([0, 1, 2]), p), K.relu(x - 0.5, alpha=0.1, max_value=0.3), K.elu(x - 0.5, 0.7),
         K.hard_sigmoid(x * 4), K.softmax(x), K.l2_normalize(x, axis=1), K.in_top_k(p, tf.constant([1, 3, 0]), 2), K.bias_add(x, tf.constant([1., 2., 3., 4.])), K.one_hot([1, 2], 110).shape, K.switch(x > 0.5, x, -x), K.reverse(x, 1),
         K.conv1d(tf.ones([1, 8, 2]), tf.ones([3, 2, 4]), padding='causal'), K.pool2d(tf.ones([1, 6, 6, 1]), (2, 2), (2, 2), pool_mode='avg').shape, K.spatial_2d_padding(tf.ones([1, 2, 2, 1])).shape,
         K.rnn(lambda i, s: (i + s[0], [i + s[0]]), tf.ones([2, 5, 3]), [tf.zeros([2, 3])])[0]]
    """,
    ),
    (
        "variables_of_keras_2",
        """
        K = tf.keras.backend
        v = K.variable(np.ones((3, 110)))
        K.update_add(v, K.ones_like(v))
        K.moving_average_update(v, tf.zeros([3, 110]), 0.9)
        [K.count_params(v), K.get_value(v)[0, :2], K.eval(K.sum(v)), v.dtype if isinstance(v.dtype, str) else v.dtype.name]
    """,
    ),
    (
        "float64_by_default",
        """
        keras.backend.clear_session()
        keras.backend.set_floatx('float64')
        try:
            model = keras.Sequential([keras.layers.Dense(110, activation='relu', input_shape=(3,), kernel_initializer='ones'), keras.layers.Dense(1, kernel_initializer='ones')])
            model.compile('sgd', 'mse', metrics=['mae'])
            x = np.linspace(0, 1, 24).reshape(8, 3)
            history = model.fit(x, x[:, :1], epochs=1, batch_size=4, shuffle=False, verbose=0)
            result = [keras.backend.floatx(), str(model.weights[0].dtype).replace("<dtype: '", '').replace("'>", ''), model.predict(x, verbose=0).dtype.name, keras.Input((3,)).dtype if isinstance(keras.Input((3,)).dtype, str) else keras.Input((3,)).dtype.name, model(x).dtype.name]
        finally:
            keras.backend.set_floatx('float32')
            keras.backend.clear_session()
    """,
    ),
    ("floatx_that_is_none", "keras.backend.set_floatx('float13')"),
    (
        "classes_as_initializers",
        """
        layer = keras.layers.Dense(120, kernel_initializer=keras.initializers.Ones, bias_initializer=keras.initializers.Zeros, kernel_regularizer=keras.regularizers.L2)
        layer.build((None, 3))
        class Own(keras.layers.Layer):
            def build(self, shape):
                self.w = self.add_weight(name='w', shape=tf.TensorShape((shape[-1], 5)), initializer=keras.initializers.Zeros, trainable=True)
            def call(self, x):
                return x @ self.w
        [layer(np.ones((1, 3), 'float32'))[0, :2], layer.losses, Own()(np.ones((2, 130), 'float32'))]
    """,
    ),
    (
        "add_variable",
        """
        class Own(keras.layers.Layer):
            def build(self, shape):
                self.kernel = self.add_variable(shape=[int(shape[-1]), 104], initializer='ones', name='kernel')
            def call(self, x):
                return tf.matmul(x, self.kernel)
        layer = Own()
        [layer(tf.ones([2, 5]))[0, :2], [v.name for v in layer.trainable_variables]]
    """,
    ),
    (
        "states_to_begin_with",
        """
        [[s.shape for s in keras.layers.LSTM(128).get_initial_state(4)], [s.shape for s in keras.layers.GRU(100).get_initial_state(batch_size=2)],
         keras.layers.LSTM(128).state_size, keras.layers.GRU(110)(tf.ones([4, 3, 2]), initial_state=keras.layers.GRU(110).get_initial_state(4)).shape]
    """,
    ),
    (
        "train_step_of_keras_2",
        """
        class Net(keras.Sequential):
            def train_step(self, data):
                x, y = data
                with tf.GradientTape() as tape:
                    y_pred = self(x, training=True)
                    loss = self.compiled_loss(y, y_pred, regularization_losses=self.losses)
                variables = self.trainable_variables
                self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
                self.compiled_metrics.update_state(y, y_pred)
                return {m.name: m.result() for m in self.metrics}
        model = Net([keras.Input((130,)), keras.layers.Dense(1, kernel_initializer='zeros')])
        model.compile('sgd', 'mse', metrics=[keras.metrics.MeanAbsoluteError()])
        history = model.fit(np.ones((8, 130)), np.ones((8, 1)), batch_size=4, epochs=2, verbose=0)
        sorted(history.history)
    """,
    ),
    (
        "calls_without_state",
        """
        layer = keras.layers.Dense(110, kernel_initializer='zeros')
        layer.build((None, 3))
        made, others = layer.stateless_call([tf.ones([3, 110]), tf.ones([110])], [], tf.ones([2, 3]))
        [made[:, :2], len(others), layer.get_weights()[0].sum()]
    """,
    ),
    (
        "metrics_of_a_layer",
        """
        class Own(keras.layers.Layer):
            def __init__(self):
                super().__init__()
                self.seen = keras.metrics.Mean(name='seen')
            def call(self, x):
                self.seen.update_state(tf.reduce_mean(x))
                return x
        layer = Own()
        layer(tf.ones([2, 130]))
        [[m.name for m in layer.metrics], layer.metrics[0].result(), keras.layers.Dense(3).metrics]
    """,
    ),
    (
        "losses_of_targets_of_a_lower_rank",
        """
        p = tf.constant(np.linspace(0.1, 0.9, 130).reshape(1, 130).astype('float32'))
        y = tf.constant([0, 1] * 65)
        [keras.losses.mean_squared_error(y, p), tf.losses.MAE(y, p), keras.losses.MeanSquaredError()(y, p)]
    """,
    ),
    (
        "branches_of_strings",
        """
        import warnings
        warnings.simplefilter('ignore')
        @tf.function
        def told(m):
            if tf.strings.length(tf.strings.format('{}', m)) == 1:
                return tf.strings.join(['0', tf.strings.format('{}', m)])
            else:
                return tf.strings.format('{}', m)
        [told(tf.constant(7)), told(tf.constant(42)), tf.function(lambda x: tf.cond(x > 0, lambda: tf.constant('a'), lambda: tf.constant('b')))(tf.constant(1))]
    """,
    ),
    (
        "layers_made_in_build",
        """
        class Net(keras.Model):
            def build(self, input_shape):
                self.first, self.second = keras.layers.Dense(104, activation='relu'), keras.layers.Dense(1)
                super().build(input_shape)
            def call(self, x):
                return self.second(self.first(x))
        net = Net()
        net.build(input_shape=(None, 2))
        called = Net()
        called(tf.ones([3, 2]))
        [net(tf.ones([3, 2])).shape, len(net.weights), net.count_params(), len(called.weights)]
    """,
    ),
    (
        "build_without_a_batch",
        """
        layer = keras.layers.Dense(110)
        layer.build((2,))
        [layer.kernel.shape, layer(tf.ones([3, 2])).shape]
    """,
    ),
    ("seeds_that_are_floats", "tf.random.set_seed(1.0)"),
    (
        "prints_in_saved_functions",
        """
        import tempfile, warnings
        warnings.simplefilter('ignore')
        class Told(tf.Module):
            @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
            def double(self, x):
                tf.print('twice', tf.size(x))
                return x * 2
        folder = tempfile.mkdtemp()
        tf.saved_model.save(Told(), folder)
        tf.saved_model.load(folder).double(tf.range(120.))[-1]
    """,
    ),
    (
        "dicts_of_a_dataset_in_a_train_step",
        """
        class Net(keras.Model):
            def __init__(self):
                super().__init__()
                self.dense = keras.layers.Dense(1, kernel_initializer='zeros')
            def call(self, x):
                return self.dense(x['a']) + tf.cast(x['b'], 'float32')
            def train_step(self, data):
                x, y = data
                with tf.GradientTape() as tape:
                    loss = self.compute_loss(y=y['out'], y_pred=self(x, training=True))
                self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
                return {'loss': loss, 'keys': float(len(x) + len(y))}
        net = Net()
        net.compile('sgd', 'mse')
        data = tf.data.Dataset.from_tensor_slices(({'b': np.ones((8, 1), 'int64'), 'a': np.ones((8, 130), 'float32')}, {'out': np.ones((8, 1), 'float32')})).batch(4)
        first = net.fit(data, verbose=0).history
        net.compile('sgd', 'mse')
        [first, sorted(net.fit(data, verbose=0).history)]
    """,
    ),
    (
        "scores_of_each_class",
        """
        import warnings
        warnings.simplefilter('ignore')
        x, y = np.linspace(0, 1, 80).reshape(8, 10).astype('float32'), np.eye(4, dtype='float32')[np.arange(8) % 4]
        model = keras.Sequential([keras.Input((10,)), keras.layers.Dense(4, activation='softmax', kernel_initializer='ones')])
        model.compile('sgd', 'categorical_crossentropy', metrics=[keras.metrics.F1Score(threshold=0.2)])
        history = model.fit(x, y, batch_size=4, shuffle=False, verbose=0, validation_data=(x, y)).history
        found = model.evaluate(x, y, verbose=0)
        [np.shape(history['f1_score']), np.shape(history['val_f1_score']), np.asarray(found[1]), type(found[0]).__name__]
    """,
    ),
    (
        "subclassed_functional_models_in_files",
        """
        import os, tempfile
        @keras.saving.register_keras_serializable('third')
        class Trained(keras.Model):
            def train_step(self, data):
                return super().train_step(data)
        inputs = keras.Input((130,))
        model = Trained(inputs, keras.layers.Dense(2, kernel_initializer='ones')(inputs))
        path = os.path.join(tempfile.mkdtemp(), 'm.keras')
        model.save(path)
        back, copied = keras.models.load_model(path), keras.models.model_from_json(model.to_json())
        [type(back).__name__, isinstance(back, Trained), isinstance(copied, Trained), back(np.ones((1, 130), 'float32'))]
    """,
    ),
    (
        "bytes_into_a_sequential",
        """
        x = (np.arange(2 * 8 * 8 * 3) % 256).reshape(2, 8, 8, 3).astype('uint8')
        made = [keras.Sequential([keras.layers.AveragePooling2D(2)])(x), keras.Sequential([keras.layers.ZeroPadding2D(1), keras.layers.Conv2D(104, 3, kernel_initializer='ones')])(x)]
        [made[0], made[0].dtype.name, made[1][0, 0, 0, :2]]
    """,
    ),
    (
        "one_layer_several_times",
        """
        block = keras.layers.Dense(104, activation='relu', kernel_initializer='ones')
        model = keras.Sequential([keras.layers.Dense(104, kernel_initializer='ones'), block, block, keras.layers.Dense(1, kernel_initializer='ones')])
        made = model(np.full((2, 3), 0.01, 'float32'))
        [made, len(model.layers), len(model.weights), model.count_params()]
    """,
    ),
    (
        "constraints_of_variables",
        """
        layer = keras.layers.Dense(110, kernel_constraint='non_neg')
        layer.build((None, 3))
        [layer.kernel.constraint(tf.constant([-1., 2.])), layer.bias.constraint, tf.Variable(1.0).constraint, tf.Variable([-1.0, 1.0], constraint=lambda x: tf.abs(x)).constraint(tf.constant([-3.0]))]
    """,
    ),
    (
        "dropout_of_sizes_that_are_unknown",
        """
        class Own(keras.layers.Layer):
            def __init__(self):
                super().__init__()
                self.seeds = keras.random.SeedGenerator(1337)
            def call(self, x):
                return keras.random.dropout(x, 0.5, seed=self.seeds)
        inputs = keras.Input((130,))
        model = keras.Model(inputs, Own()(inputs))
        [model.output_shape, model(tf.ones([4, 130])).shape]
    """,
    ),
    (
        "ragged_tensors_as_others",
        """
        x, y = tf.ragged.constant([[3, 1, 4, 1], [], [5, 9, 2], list(range(120))]), tf.ragged.constant([[[1, 2], [3]], [], [[4, 5, 6]]])
        s, t = x.to_sparse(), y.to_sparse()
        [s.indices, s.values, s.dense_shape, t.indices, t.values, y.nested_row_lengths(), y.nested_value_rowids(), x.merge_dims(0, 1), y.merge_dims(1, 2), y.merge_dims(0, 1), y.merge_dims(0, 2), x.get_shape()]
    """,
    ),
]
