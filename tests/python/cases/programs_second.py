"""What stopped programs of others in the second round: each case is one cause, at sizes that people use."""

CASES = [
    # ---- masks and calls
    (
        "mask_is_that_of_the_first_argument",
        """
        class Two(keras.layers.Layer):
            def __init__(self):
                super().__init__()
                self.supports_masking = True
            def call(self, inputs, memory, mask=None):
                if mask is not None:
                    inputs = inputs * keras.ops.cast(mask[:, :, None], inputs.dtype)
                return inputs + keras.ops.mean(memory, axis=1, keepdims=True)
        words, seen = keras.Input((None,), dtype='int32'), keras.Input((None, 128))
        x = keras.layers.Embedding(300, 128, mask_zero=True, embeddings_initializer='ones')(words)
        model = keras.Model([words, seen], Two()(x, seen))
        outer = keras.Model([words, seen], model([words, seen]))
        outer([np.array([[7, 3, 0, 0]]), np.ones((1, 5, 128), 'float32')])[0, :, 0]
    """,
    ),
    (
        "masks_by_the_names_of_arguments",
        """
        class Two(keras.layers.Layer):
            def call(self, query, value, query_mask=None, value_mask=None):
                return [query[..., 0] * 0 + (0. if m is None else keras.ops.sum(keras.ops.cast(m, 'float32'))) for m in (query_mask, value_mask)]
        e = keras.layers.Embedding(300, 128, mask_zero=True)
        [v[0, 0] for v in Two()(e(np.array([[7, 3, 0]])), e(np.array([[0, 0, 5]])))]
    """,
    ),
    (
        "variables_made_of_random_tensors_in_build",
        """
        class Flexible(keras.layers.Layer):
            def __init__(self, out_features, **kwargs):
                super().__init__(**kwargs)
                self.out_features = out_features
            def build(self, input_shape):
                self.w = tf.Variable(tf.random.normal([input_shape[-1], self.out_features]), name='w')
                self.b = tf.Variable(tf.zeros([self.out_features]), name='b')
            def call(self, inputs):
                return tf.matmul(inputs, self.w) + self.b
        inputs = keras.Input((130,))
        model = keras.Model(inputs, Flexible(2)(Flexible(120)(inputs)))
        [model(tf.ones([3, 130])).shape, len(model.layers)]
    """,
    ),
    # ---- recurrent layers
    (
        "states_of_a_stateful_layer",
        """
        first, x = keras.layers.LSTM(128, stateful=True, kernel_initializer='ones', recurrent_initializer='zeros'), np.full((4, 7, 50), 0.01, 'float32')
        first(x)
        second = keras.layers.LSTM(128, kernel_initializer='zeros', recurrent_initializer='zeros')
        y = second(x, initial_state=first.states)
        [len(first.states), first.states[0][0, 0], first.states[1][0, 0], y[0, 0]]
    """,
    ),
    # ---- losses and metrics
    (
        "targets_that_broadcast",
        """
        y, p = np.linspace(0, 1, 800).reshape(8, 100).astype('float32'), np.linspace(1, 2, 8).reshape(8, 1).astype('float32')
        [keras.losses.mean_squared_error(y, p), keras.losses.MeanAbsoluteError()(y, p), keras.losses.Huber()(y, p)]
    """,
    ),
    (
        "fit_of_targets_that_broadcast",
        """
        model = keras.Sequential([keras.layers.Dense(1, kernel_initializer='zeros')])
        model.compile('sgd', loss='mean_squared_error')
        history = model.fit(np.ones((8, 10)), np.linspace(0, 1, 800).reshape(8, 100), verbose=0)
        history.history['loss']
    """,
    ),
    # ---- dtypes
    (
        "concatenate_promotes",
        """
        layer = keras.layers.Concatenate(axis=1)
        made = layer([tf.range(300, dtype='int64')[:, None], tf.ones([300, 1])])
        symbols = layer([keras.Input((1,), dtype='int64'), keras.Input((120,))])
        [made.dtype.name, made.shape, str(symbols.dtype), made[299]]
    """,
    ),
    (
        "one_hot_of_integers_beside_numbers",
        """
        lookup = keras.layers.IntegerLookup(vocabulary=list(range(120)), output_mode='one_hot')
        inputs = [keras.Input((1,), dtype='int64'), keras.Input((1,), dtype='float32')]
        joined = keras.layers.Concatenate(axis=1)([lookup(inputs[0]), inputs[1]])
        model = keras.Model(inputs, joined)
        made = model([np.array([[3], [119]]), np.array([[0.5], [1.5]])])
        [str(joined.dtype), made.shape, tf.reduce_sum(made, 1)]
    """,
    ),
    # ---- text
    (
        "texts_of_any_length_in_a_model",
        """
        vectorize = keras.layers.TextVectorization(output_mode='int')
        vectorize.adapt(['The Brain is wider than the Sky', 'For put them side by side', 'The one the other will contain'])
        inputs = keras.Input((1,), dtype='string')
        x = keras.layers.Embedding(vectorize.vocabulary_size(), 128, embeddings_initializer='ones')(vectorize(inputs))
        model = keras.Model(inputs, keras.layers.GlobalAveragePooling1D()(x))
        a = model(tf.constant([['The one the other will absorb'], ['Sky']]))
        import warnings
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # that it runs op by op
            b = model.predict(tf.constant([['side by side']]), verbose=0)
        [a.shape, a[:, 0], b[:, 0]]
    """,
    ),
    (
        "lookup_of_strings_in_a_traced_layer",
        """
        class Looked(keras.layers.Layer):
            def __init__(self, words):
                super().__init__()
                self.lookup = keras.layers.StringLookup(vocabulary=words, mask_token=None, num_oov_indices=0)
                self.blocks = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(words, list(range(len(words))), value_dtype=tf.int32), default_value=-1)
                self.embed = keras.layers.Embedding(len(words), 128, embeddings_initializer='ones')
            def call(self, inputs):
                mask = tf.cast(self.blocks.lookup(inputs) == 3, tf.float32)
                return self.embed(self.lookup(inputs)) * mask[:, None]
        words = [f'movie_{i}' for i in range(200)]
        inputs = keras.Input((), dtype=tf.string)
        model = keras.Model(inputs, Looked(words)(inputs))
        tf.reduce_sum(model(tf.constant(['movie_3', 'movie_7'])), 1)
    """,
    ),
    (
        "tf_idf_by_its_other_name",
        """
        layer = keras.layers.TextVectorization(output_mode='tf-idf', ngrams=2)
        layer.adapt(['The Brain is wider than the Sky', 'For put them side by side'])
        layer(['the Brain side'])
    """,
    ),
    # ---- saving
    (
        "variables_that_a_layer_saves_itself",
        """
        import os, tempfile
        @keras.saving.register_keras_serializable(package='second')
        class Own(keras.layers.Dense):
            def __init__(self, units, **kwargs):
                super().__init__(units, **kwargs)
                self.mine = keras.Variable(np.arange(units), name='mine', dtype='float32')
            def save_own_variables(self, store):
                super().save_own_variables(store)
                store['variables'] = self.mine.numpy()
            def load_own_variables(self, store):
                self.mine.assign(store['variables'])
                self.kernel.assign(next(store[i] for i in '012' if len(store[i].shape) == 2))
            def call(self, inputs):
                return super().call(inputs) + self.mine
        model = keras.Sequential([Own(120)])
        x = np.ones((8, 10), 'float32')
        y = model(x)
        model.layers[0].mine.assign(np.arange(120) * 2.)
        with tempfile.TemporaryDirectory() as folder:
            model.save(os.path.join(folder, 'own.keras'))
            again = keras.models.load_model(os.path.join(folder, 'own.keras'))
        [again.layers[0].mine, tf.reduce_max(abs(again(x) - model(x))), [w.shape for w in again.weights]]
    """,
    ),
    (
        "files_that_a_layer_saves_itself",
        """
        import os, tempfile
        @keras.saving.register_keras_serializable(package='second')
        class Assets(keras.layers.Dense):
            def __init__(self, vocab=None, *args, **kwargs):
                super().__init__(*args, **kwargs)
                self.vocab = vocab
            def save_assets(self, inner_path):
                with open(os.path.join(inner_path, 'vocabulary.txt'), 'w') as f:
                    f.write(self.vocab)
            def load_assets(self, inner_path):
                with open(os.path.join(inner_path, 'vocabulary.txt')) as f:
                    self.vocab = f.read().replace('<unk>', 'little')
        model = keras.Sequential([Assets(vocab='Mary had a <unk> lamb.', units=120)])
        model(np.ones((10, 10)))
        with tempfile.TemporaryDirectory() as folder:
            model.save(os.path.join(folder, 'assets.keras'))
            again = keras.models.load_model(os.path.join(folder, 'assets.keras'))
        again.layers[0].vocab
    """,
    ),
    (
        "build_with_more_arguments",
        """
        import os, tempfile
        @keras.saving.register_keras_serializable(package='second')
        class Built(keras.layers.Layer):
            def __init__(self, units=32, **kwargs):
                super().__init__(**kwargs)
                self.units = units
            def call(self, inputs):
                return keras.ops.matmul(inputs, self.w)
            def get_config(self):
                return dict(units=self.units, **super().get_config())
            def build(self, input_shape, layer_init):
                super().build(input_shape)
                self._input_shape = input_shape
                self.w = self.add_weight(shape=(input_shape[-1], self.units), initializer=layer_init, trainable=True)
                self.layer_init = layer_init
            def get_build_config(self):
                return {'layer_init': self.layer_init, 'input_shape': self._input_shape}
            def build_from_config(self, config):
                self.build(config['input_shape'], config['layer_init'])
        layer = Built(units=128)
        layer.build(input_shape=(8,), layer_init='random_normal')
        model = keras.Sequential([layer, keras.layers.Dense(1, activation='sigmoid')])
        x = np.ones((16, 8), 'float32')
        y = model(x)
        with tempfile.TemporaryDirectory() as folder:
            model.save(os.path.join(folder, 'built.keras'))
            again = keras.models.load_model(os.path.join(folder, 'built.keras'))
        [again.layers[0].layer_init, again.built, tf.reduce_max(abs(again(x) - y))]
    """,
    ),
    # ---- checkpoints
    (
        "names_inside_of_a_checkpoint",
        """
        import os, tempfile
        net = keras.Sequential([keras.layers.Dense(120)])
        step = tf.Variable(1)
        ckpt = tf.train.Checkpoint(step=step, weights=[tf.Variable(tf.ones([130]))])
        with tempfile.TemporaryDirectory() as folder:
            path = ckpt.save(os.path.join(folder, 'ckpt'))
            reader = tf.train.load_checkpoint(path)
            shapes, dtypes = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
            key = 'weights/0/.ATTRIBUTES/VARIABLE_VALUE'
            value = reader.get_tensor(key)
            found = reader.has_tensor(key)
        [shapes[key], dtypes[key].name, value.sum(), found, sorted(k for k in shapes if 'VARIABLE' in k)]
    """,
    ),
    (
        "restoring_what_an_object_has",
        """
        import os, tempfile
        class Net(keras.Model):
            def __init__(self):
                super().__init__()
                self.l1 = keras.layers.Dense(120, bias_initializer='ones')
            def call(self, x):
                return self.l1(x)
        net = Net()
        net(tf.ones([2, 3]))
        ckpt = tf.train.Checkpoint(net=net, step=tf.Variable(7))
        with tempfile.TemporaryDirectory() as folder:
            path = tf.train.CheckpointManager(ckpt, folder, max_to_keep=3).save()
            bias = tf.Variable(tf.zeros([120]))
            layer = tf.train.Checkpoint(bias=bias)
            status = tf.train.Checkpoint(net=tf.train.Checkpoint(l1=layer)).restore(path)
            status.assert_existing_objects_matched()
            first = bias.numpy().sum()
        first
    """,
    ),
    (
        "checkpoints_of_lists_and_dicts",
        """
        import os, tempfile
        save = tf.train.Checkpoint()
        save.listed = [tf.Variable(1.)]
        save.listed.append(tf.Variable(tf.ones([150]) * 2))
        save.mapped = {'one': save.listed[0]}
        save.mapped['two'] = save.listed[1]
        with tempfile.TemporaryDirectory() as folder:
            path = save.save(os.path.join(folder, 'lists'))
            restore = tf.train.Checkpoint()
            v2 = tf.Variable(tf.zeros([150]))
            restore.mapped = {'two': v2}
            restore.restore(path)
            a = v2.numpy().sum()
            restore.listed = []
            v1 = tf.Variable(0.)
            restore.listed.append(v1)
            b = v1.numpy()
        [a, b]
    """,
    ),
    # ---- data
    (
        "strings_put_together_in_py_function",
        """
        def widened(steps, times):
            return tf.concat((steps, [['Map']]), axis=0), tf.concat((times, [[1.5, 2.5]]), axis=0)
        ds = tf.data.Dataset.from_tensor_slices((tf.fill([120, 2, 1], 'Read'), tf.zeros([120, 2, 2])))
        ds = ds.map(lambda s, t: tf.py_function(widened, inp=(s, t), Tout=(s.dtype, t.dtype))).batch(50, drop_remainder=True).unbatch()
        s, t = next(iter(ds))
        [s, t]
    """,
    ),
    (
        "batches_of_sparse_elements",
        """
        x = tf.sparse.from_dense(np.eye(120, dtype='float32') * 3)
        ds = tf.data.Dataset.from_tensor_slices(x).batch(50)
        made = [b for b in ds]
        [[tuple(b.dense_shape.numpy().tolist()) for b in made], tf.sparse.to_dense(made[2])[19, 119], made[0].indices[49], tf.sparse.reduce_sum(made[1])]
    """,
    ),
    (
        "sparse_rows_train_a_model",
        """
        x = tf.sparse.from_dense(np.eye(120, dtype='float32'))
        ds = tf.data.Dataset.from_tensor_slices((x, np.ones((120, 1), 'float32'))).batch(40)
        model = keras.Sequential([keras.layers.Dense(1, kernel_initializer='zeros')])
        model.compile('sgd', 'mse')
        model.fit(ds, verbose=0).history['loss']
    """,
    ),
    ("searchsorted_stays_with_numbers", "tf.searchsorted(tf.range(0, 300, 3), tf.constant([0, 4, 298]))"),
    # ---- functions
    (
        "functions_of_unknown_rank_are_saved",
        """
        import tempfile
        class Module(tf.Module):
            @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
            def twice(self, x):
                return x * 2
        with tempfile.TemporaryDirectory() as folder:
            tf.saved_model.save(Module(), folder)
            loaded = tf.saved_model.load(folder)
        [loaded.twice(tf.ones([3])), loaded.twice(tf.ones([2, 130])), loaded.twice(tf.constant(4.))]
    """,
        {},
    ),
    (
        "generic_and_concrete_functions_are_types",
        """
        @tf.function
        def f(x):
            return x + 1
        c = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
        [isinstance(f, tf.types.experimental.GenericFunction), isinstance(c, tf.types.experimental.ConcreteFunction), isinstance(f, tf.types.experimental.ConcreteFunction),
         isinstance(tf.constant(1), tf.types.experimental.TensorLike) if not isinstance(tf.types.experimental.TensorLike, type(None)) and hasattr(tf.types.experimental.TensorLike, '__mro__') else True]
    """,
    ),
    (
        "profiler_names",
        """
        import tempfile
        options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=3, python_tracer_level=1, device_tracer_level=1)
        with tempfile.TemporaryDirectory() as folder:
            tf.profiler.experimental.start(folder, options=options)
            for step in range(3):
                with tf.profiler.experimental.Trace('train', step_num=step, _r=1):
                    x = tf.reduce_sum(tf.ones([128, 128]))
            tf.profiler.experimental.stop()
            with tf.profiler.experimental.Profile(folder):
                y = x + 1
        y
    """,
    ),
]
CASES += [
    (
        "variables_of_keras",
        """
        a = keras.Variable(initializer=np.arange(120), shape=(120,), dtype='int', trainable=False)
        b, c = keras.Variable('zeros', (120, 3)), keras.Variable(keras.initializers.Ones(), shape=(2,), dtype='float32')
        [keras.backend.standardize_dtype(v.dtype) for v in (a, b, c, keras.Variable(3), keras.Variable(np.ones(2)))] + [a.trainable, a.shape, b.shape, isinstance(a, keras.Variable)]
    """,
    ),
    (
        "steps_over_parts_of_different_sizes",
        """
        class Two(keras.Model):
            def __init__(self):
                super().__init__()
                self.dense = keras.layers.Dense(1, kernel_initializer='ones')
            def train_step(self, data):
                a, (b, y) = data
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(self.dense(tf.concat((a, b), 0))) + tf.reduce_mean(y)
                self.optimizer.apply_gradients(zip(tape.gradient(loss, self.dense.trainable_weights), self.dense.trainable_weights))
                return {'loss': loss, 'rows': tf.cast(tf.shape(a)[0] + 1000 * tf.shape(b)[0], tf.float32)}
        few = tf.data.Dataset.from_tensor_slices((np.ones((25, 130), 'float32'), np.ones((25, 1), 'float32'))).batch(5)
        many = tf.data.Dataset.from_tensor_slices(np.ones((500, 130), 'float32')).batch(100)
        model = Two()
        model.compile('sgd')
        model.fit(tf.data.Dataset.zip((many, few)), verbose=0).history
    """,
    ),
    (
        "models_of_functions_are_saved",
        """
        import os, tempfile
        ops = keras.ops
        inputs = keras.Input((12, 120))
        x = ops.expand_dims(inputs, -1)
        x = ops.squeeze(ops.concatenate([x, x], axis=-1)[..., 0:1], -1)
        x = ops.transpose(ops.matmul(x, ops.transpose(x, (0, 2, 1))), (0, 2, 1)) / 100.
        x = ops.where(x > 0.5, x, 0.25) + ops.maximum(ops.mean(x, axis=-1, keepdims=True), 0.5)
        a, b = ops.split(ops.reshape(x, (-1, 144)), 2, axis=-1)
        x = ops.softmax(ops.stack([a, b], axis=1)) + ops.cast(ops.one_hot(ops.argmax(a, axis=-1), 72), 'float32')[:, None]
        x = ops.einsum('bij,bkj->bik', x, x) + ops.clip(ops.sum(x), 0, 1)
        model = keras.Model(inputs, ops.logsumexp(x, axis=-1))
        value = np.linspace(0, 1, 3 * 12 * 120).reshape(3, 12, 120).astype('float32')
        again = keras.Model.from_config(model.get_config())
        with tempfile.TemporaryDirectory() as folder:
            model.save(os.path.join(folder, 'm.keras'))
            loaded = keras.models.load_model(os.path.join(folder, 'm.keras'))
        cloned = keras.models.clone_model(model)
        rows = model.get_config()['layers']
        [model(value), again(value), loaded(value), cloned(value), [r['class_name'] for r in rows], len(model.layers)]
    """,
        {"rtol": 1e-4},
    ),
    (
        "configs_of_functions",
        """
        i = keras.Input((24, 128))
        def row(y):
            r = keras.Model(i, y).get_config()['layers'][-1]
            return [r['module'], r['class_name'], r['registered_name'], sorted((k, str(v)) for k, v in r['config'].items() if k != 'name'), len(r['inbound_nodes'][0]['args'])]
        o = keras.ops
        [row(y) for y in (o.expand_dims(i, -1), o.mean(i, axis=1, keepdims=True), o.concatenate([i, i], axis=-1), o.softmax(i), o.cast(i, 'int32'), o.power(i, 2),
                          o.clip(i, 0, 1), o.repeat(i, 2, axis=1), o.logsumexp(i, axis=-1), o.norm(i, axis=-1), o.normalize(i), o.tanh(i), o.stack([i, i], axis=1),
                          o.maximum(i, 0.5), o.one_hot(o.cast(i, 'int32'), 5), o.matmul(i, o.transpose(i, (0, 2, 1))), o.einsum('btd,bsd->bts', i, i))]
    """,
    ),
]
CASES += [
    (
        "sounds_of_a_directory",
        """
        import os, tempfile
        with tempfile.TemporaryDirectory() as folder:
            for c in ('yes', 'no'):
                os.makedirs(os.path.join(folder, c))
                for i in range(4):
                    sound = tf.audio.encode_wav(np.full((1000 + 100 * i, 1), 0.25 if c == 'yes' else -0.25, 'float32'), 16000)
                    tf.io.write_file(os.path.join(folder, c, f'{i}.wav'), sound)
            ds = keras.utils.audio_dataset_from_directory(folder, batch_size=3, shuffle=False, verbose=False)
            batches = [(x.shape, x[0, 0, 0], y) for x, y in ds]
            train, val = keras.utils.audio_dataset_from_directory(folder, batch_size=64, validation_split=0.25, seed=0, output_sequence_length=1200, subset='both', label_mode='categorical', verbose=False)
            x, y = next(iter(train))
            u, v = next(iter(val))
        [batches, ds.class_names, x.shape, y.shape, u.shape, v.shape, str(x.dtype), str(y.dtype)]
    """,
    ),
]
CASES += [
    (
        "convolutions_of_ones_own",
        """
        class Called(keras.layers.Conv2D):
            def call(self, inputs):
                mean, var = tf.nn.moments(self.kernel, axes=[0, 1, 2], keepdims=True)
                result = self.convolution_op(inputs, (self.kernel - mean) / tf.sqrt(var + 1e-10))
                return result + self.bias if self.use_bias else result
        class Overridden(keras.layers.Conv2D):
            def convolution_op(self, inputs, kernel):
                mean, var = tf.nn.moments(kernel, axes=[0, 1, 2], keepdims=True)
                return super().convolution_op(inputs, (kernel - mean) / tf.sqrt(var + 1e-10))
        class Causal(keras.layers.Conv1D):
            def convolution_op(self, inputs, kernel):
                return 2 * super().convolution_op(inputs, kernel)
        x = np.linspace(-1, 1, 2 * 12 * 12 * 3).reshape(2, 12, 12, 3).astype('float32')
        def set(layer):
            layer.build((None, 12, 12, 3) if layer.__class__.__name__ != 'Causal' else (None, 12, 3))
            k = layer.kernel
            k.assign(np.sin(np.arange(np.prod(k.shape))).reshape(k.shape))
            layer.bias.assign(np.full(128, 0.5))
            return layer
        a, b = set(Called(128, 3, padding='same')), set(Overridden(128, 3, strides=2, activation='relu'))
        c = set(Causal(128, 3, padding='causal', dilation_rate=2))
        model = keras.Sequential([keras.Input((12, 12, 3)), Overridden(120, 3)])
        [a(x)[:, ::4, ::4, ::40], b(x)[:, ::2, ::2, ::40], c(x[:, 0])[:, ::4, ::40], model.output_shape, len(model.weights)]
    """,
        {"rtol": 1e-4, "atol": 1e-4},
    ),
]
CASES += [
    (
        "zeros_of_strings_are_empty",
        "[tf.zeros([0, 1], tf.string), tf.zeros([2, 3], tf.string), tf.zeros_like(tf.constant(['a', 'b'])), tf.concat([tf.zeros([0, 1], tf.string), [['x']]], 0)]",
    ),
    (
        "init_scope_leaves_a_trace",
        """
        made, sums = [], []
        @tf.function
        def f(x):
            with tf.init_scope():
                if not made:
                    made.append(tf.Variable(tf.ones([130]) * 2))
                sums.append(tf.reduce_sum(made[0]))
            return x * made[0]
        [tf.reduce_sum(f(tf.ones([130]))), sums[0]]
    """,
    ),
    (
        "merging_layers_promote",
        """
        a, b = tf.fill([2, 120], 3), tf.fill([2, 120], 0.5)
        c = tf.cast(a, 'uint8')
        l = keras.layers
        [x[0, 0] for x in (l.Add()([a, b]), l.Multiply()([a, b]), l.Maximum()([a, b]), l.Subtract()([b, a]), l.Minimum()([c, a]), l.Add()([c, tf.cast(a, 'int8')]), l.concatenate([c, tf.cast(b, 'float16')]))]
    """,
    ),
]
CASES += [
    (
        "an_output_without_a_loss",
        """
        inputs = keras.Input((30,))
        x = keras.layers.Dense(120, kernel_initializer='ones')(inputs)
        model = keras.Model(inputs, [keras.layers.Dense(10, kernel_initializer='zeros', name='words')(x), x])
        model.compile('sgd', loss=[keras.losses.SparseCategoricalCrossentropy(from_logits=True), None])
        data = tf.data.Dataset.from_tensor_slices((np.ones((64, 30), 'float32'), np.arange(64) % 10)).batch(64)
        first = model.fit(data, verbose=0).history
        second = model.fit(np.ones((64, 30)), np.arange(64) % 10, batch_size=64, verbose=0).history
        [sorted(first), first['loss'], sorted(second), [p.shape for p in model.predict(np.ones((3, 30)), verbose=0)]]
    """,
    ),
    (
        "strings_in_models",
        """
        import re, warnings
        standardize = lambda x: tf.strings.regex_replace(tf.strings.lower(x), '[%s]' % re.escape('!,.'), '')
        vectorize = keras.layers.TextVectorization(standardize=standardize, output_sequence_length=5)
        vectorize.adapt(['Good movie!', 'a BAD movie.'])
        texts = keras.Input((1,), dtype='string')
        x = keras.layers.Embedding(300, 128, embeddings_initializer='ones')(vectorize(texts))
        model = keras.Model(texts, keras.layers.GlobalAveragePooling1D()(x))
        word = keras.Input((), dtype='string')
        number = keras.layers.StringLookup(vocabulary=['a', 'b'])(keras.ops.expand_dims(word, -1))
        other = keras.Model(word, number)
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # that it runs op by op
            p = model.predict(tf.constant([['BAD!']]), verbose=0)
        [model(tf.constant([['good, movie'], ['x']])).shape, p.shape, other(tf.constant(['b', 'a', 'z'])), vectorize(tf.constant(['Bad, movie']))]
    """,
    ),
    (
        "cells_of_wide_states_and_results",
        """
        class Cell(keras.layers.Layer):
            def __init__(self, **kwargs):
                super().__init__(**kwargs)
                self.state_size = 8 * 128
            def call(self, x, states):
                y = x + tf.reshape(states[0], [-1, 8, 128])
                return y, [tf.reshape(y, [-1, 8 * 128])]
        x = np.ones((2, 5, 8, 128), 'float32')
        layer = keras.layers.RNN(Cell(), return_sequences=True)
        inputs = keras.Input((5, 8, 128))
        model = keras.Model(inputs, keras.layers.RNN(Cell())(inputs))
        [layer(x)[0, :, 3, 7], keras.layers.RNN(Cell())(x).shape, model(x)[1, 7, 127], isinstance(layer.cell, Cell)]
    """,
    ),
    (
        "pieces_of_pictures",
        """
        tf.random.set_seed(3)
        pieces = [tf.image.sample_distorted_bounding_box([240, 320, 3], tf.constant([[[0.25, 0.25, 0.75, 0.75]]]), min_object_covered=0.5, area_range=(0.2, 0.9)) for _ in range(20)]
        good = all(0.2 <= float(s[0] * s[1]) / 76800 <= 0.9 for _, s, _ in pieces) and all(0 <= int(b[0]) and int(b[0] + s[0]) <= 240 and int(b[1] + s[1]) <= 320 for b, s, _ in pieces)
        picture = tf.slice(tf.ones([240, 320, 3]), pieces[0][0], pieces[0][1])
        [good, pieces[0][0].shape, pieces[0][1].dtype.name, pieces[0][2].shape, len(picture.shape), len({int(b[0]) for b, _, _ in pieces}) > 3]
    """,
    ),
    (
        "sparse_rows_apart_again",
        """
        x = tf.sparse.from_dense(np.eye(120, dtype='float32') * 3)
        ds = tf.data.Dataset.from_tensor_slices(x).batch(50).unbatch()
        rows = [tf.sparse.to_dense(e) for e in ds]
        [len(rows), rows[119][119], rows[0].shape]
    """,
    ),
    (
        "concrete_functions_say_what_they_take",
        """
        @tf.function
        def f(a, b):
            return a ** b
        square = f.get_concrete_function(a=tf.TensorSpec(None, tf.float32), b=2)
        def kind(call):
            try:
                call()
            except Exception as e:
                return [c.__name__ for c in (tf.errors.InvalidArgumentError, TypeError) if isinstance(e, c)][0]
        [square(tf.constant(10.)), kind(lambda: square(tf.constant(10.), b=3)), kind(lambda: square(tf.constant(1)))]
    """,
    ),
]
CASES += [
    (
        "functions_of_sparse_tensors",
        """
        x = tf.sparse.from_dense(np.eye(130) * -3)
        [tf.sparse.to_dense(f(x))[7, 7] for f in (tf.abs, tf.square, lambda s: tf.cast(s, 'int32'), tf.math.negative, lambda s: keras.ops.cast(s, 'float32'))]
    """,
    ),
    (
        "losses_that_are_added_in_a_row",
        """
        class Adds(keras.layers.Layer):
            def call(self, x):
                self.add_loss(keras.ops.sum(x, axis=1, keepdims=True))
                return x
        inputs = keras.Input((130,))
        model = keras.Model(inputs, Adds()(inputs))
        model.compile('sgd')
        model.evaluate(np.full((8, 130), 0.5), verbose=0)
    """,
    ),
    (
        "layers_whose_sizes_depend_on_data",
        """
        import warnings
        class Picked(keras.layers.Layer):
            def call(self, x, y):
                rows = tf.boolean_mask(x, y[:, 0] >= 0)
                self.add_loss(tf.reduce_sum(rows) * 0.1)
                return x * tf.reduce_max(rows)
        x, y = keras.Input((130,)), keras.Input((None,))
        model = keras.Model([x, y], Picked()(x, y))
        model.compile('sgd')
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # that it runs op by op
            loss = model.evaluate([np.ones((8, 130)), np.linspace(-1, 1, 40).reshape(8, 5)], verbose=0)
        [model.output_shape[1], loss, model([np.ones((2, 130), 'float32'), np.ones((2, 3), 'float32')]).shape]
    """,
    ),
]
