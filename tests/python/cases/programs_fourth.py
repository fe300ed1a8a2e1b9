"""What stopped programs of strangers in a fourth round: each cause at sizes that people use."""

CASES = [
    # ---- losses and metrics
    (
        "metrics_of_layers_are_logged",
        """
        class Watched(keras.layers.Layer):
            def __init__(self):
                super().__init__()
                self.mean = keras.metrics.Mean(name='activity')
            def call(self, x):
                self.mean.update_state(x)
                self.add_loss(0.1 * tf.reduce_mean(x))
                return x * 2.0
        x = rng.uniform(size=(200, 30)).astype('float32')
        model = keras.Sequential([keras.Input((30,)), keras.layers.Dense(110, kernel_initializer='ones'), Watched()])
        model.compile('sgd', 'mse', metrics=['mae'])
        history = model.fit(x, np.zeros((200, 110)), epochs=2, batch_size=50, shuffle=False, verbose=0, validation_data=(x, np.zeros((200, 110)))).history
        [sorted(history), [round(float(v), 2) for v in history['activity']], sorted(model.evaluate(x, np.zeros((200, 110)), verbose=0, return_dict=True))]
    """,
        {"rtol": 1e-2, "atol": 1e-2},
    ),
    (
        "short_names_of_metrics",
        "[float(tf.reduce_mean(f(np.arange(128.0)[None], np.ones((1, 128))))) for f in (tf.keras.metrics.mse, tf.keras.metrics.mae, tf.keras.metrics.MSLE)]",
    ),
    # ---- recurrent layers and loops
    (
        "cells_of_ones_own_in_a_stack_and_in_files",
        """
        import os, tempfile
        @keras.saving.register_keras_serializable('fourth')
        class Minimal(keras.layers.Layer):
            def __init__(self, units, **kwargs):
                super().__init__(**kwargs)
                self.units = self.state_size = units
            def build(self, shape):
                self.kernel = self.add_weight(shape=(shape[-1], self.units))
                self.recurrent = self.add_weight(shape=(self.units, self.units))
            def call(self, inputs, states):
                output = tf.tanh(tf.matmul(inputs, self.kernel) + tf.matmul(states[0], self.recurrent))
                return output, [output]
            def get_config(self):
                return {**super().get_config(), 'units': self.units}
        x = rng.normal(size=(4, 12, 30)).astype('float32')
        same = []
        for cell in (Minimal(130), [Minimal(40), Minimal(20)], [Minimal(30), keras.layers.GRUCell(120)]):
            model = keras.Sequential([keras.Input((12, 30)), keras.layers.RNN(cell), keras.layers.Dense(1)])
            file = os.path.join(tempfile.mkdtemp(), 'm.keras')
            model.save(file)
            same.append(np.allclose(model(x), keras.models.load_model(file)(x), atol=1e-5))
        several = keras.layers.RNN([Minimal(7), Minimal(3)], return_sequences=True, return_state=True)(x)
        [same, [tuple(t.shape) for t in several]]
    """,
    ),
    (
        "array_that_grows_in_a_loop",
        """
        import warnings
        warnings.simplefilter('ignore')  # that it runs op by op
        @tf.function
        def fibonacci(n):
            array = tf.TensorArray(tf.int64, size=0, dynamic_size=True, clear_after_read=False)
            array = array.write(0, tf.constant(0, tf.int64))
            array = array.write(1, tf.constant(1, tf.int64))
            for i in tf.range(2, n):
                array = array.write(i, array.read(i - 1) + array.read(i - 2))
            return array.stack()
        [fibonacci(tf.constant(60)), fibonacci(tf.constant(5))]
    """,
    ),
    (
        "several_arrays_that_grow_in_a_loop",
        """
        import warnings
        warnings.simplefilter('ignore')  # that it runs op by op
        @tf.function
        def episode(steps):
            rewards = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
            states = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
            state = tf.ones([100])
            for t in tf.range(steps):
                state = state * 0.9
                rewards = rewards.write(t, tf.reduce_sum(state))
                states = states.write(t, state)
                if tf.reduce_sum(state) < 40.0:
                    break
            return rewards.stack(), states.stack()
        [tf.reduce_sum(r) for r in episode(tf.constant(20))] + [tuple(s.shape) for s in episode(tf.constant(20))]
    """,
        {"rtol": 1e-4, "atol": 1e-4},
    ),
    (
        "several_arrays_of_a_known_size",
        """
        @tf.function
        def both(n):
            a, b = tf.TensorArray(tf.float32, 120), tf.TensorArray(tf.int32, 120)
            for i in tf.range(120):
                a = a.write(i, tf.ones([3]) * tf.cast(i, tf.float32))
                b = b.write(i, i * n)
            return a.stack(), b.stack()
        [tf.reduce_sum(t) for t in both(tf.constant(2))]
    """,
    ),
    # ---- models
    (
        "sequential_that_begins_with_a_model",
        """
        inputs = keras.Input((40, 40, 3))
        base = keras.Model(inputs, keras.layers.GlobalAveragePooling2D()(keras.layers.Conv2D(120, 3)(inputs)))
        base.trainable = False
        model = keras.Sequential([base, keras.layers.Dense(5, activation='softmax')])
        [model.output_shape, model.input_shape, model.built, model.count_params(), len(model.trainable_weights), keras.Sequential([model, keras.layers.Dense(2)]).output_shape]
    """,
    ),
    (
        "names_of_symbols",
        """
        a, b = keras.Input((8,), name='age'), keras.Input((12,), name='text')
        model = keras.Model({'age': a, 'text': b}, keras.layers.Concatenate()([a, b]))
        [i.name for i in model.inputs]  # type: ignore[attr-defined]
    """,
    ),
    (
        "values_of_variables_for_a_stateless_call",
        """
        layer = keras.layers.Dense(130)
        layer.build((None, 20))
        made, rest = layer.stateless_call([tf.ones((20, 130)), tf.ones((130,))], [], np.ones((2, 20), 'float32'))
        again, _ = layer.stateless_call([np.array(v) for v in layer.trainable_variables], [], np.zeros((2, 20), 'float32'))
        [tf.reduce_sum(made), len(rest), tf.reduce_sum(again)]
    """,
    ),
    # ---- training
    (
        "callbacks_know_the_number_of_steps",
        """
        seen = []
        class Watch(keras.callbacks.Callback):
            def on_train_begin(self, logs=None):
                seen.append(dict(self.params))
        x, y = np.ones((230, 120), 'float32'), np.ones(230, 'float32')
        model = keras.Sequential([keras.Input((120,)), keras.layers.Dense(1)])
        model.compile('sgd', 'mse')
        data = tf.data.Dataset.from_tensor_slices((x, y)).batch(60)
        for given in (dict(x=x, y=y), dict(x=x, y=y, batch_size=7, validation_split=0.25), dict(x=data), dict(x=data.repeat(), steps_per_epoch=3)):
            model.fit(verbose=0, callbacks=[Watch()], **given)
        seen
    """,
    ),
    (
        "learning_rate_that_a_schedule_gives",
        """
        model = keras.Sequential([keras.Input((120,)), keras.layers.Dense(1)])
        model.compile(keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)), 'mse')
        model.optimizer.learning_rate = 0.5
    """,
    ),
    (
        "rates_on_a_plateau_are_those_of_32_bits",
        """
        x = np.linspace(-1, 1, 200)[:, None]
        model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(110, kernel_initializer='ones'), keras.layers.Dense(1, kernel_initializer='ones')])
        model.compile(keras.optimizers.SGD(0.1 / 1000), 'mse')
        watch = keras.callbacks.ReduceLROnPlateau(monitor='loss', factor=0.1, patience=1, min_delta=1e9, min_lr=1e-7)
        model.fit(x, x, epochs=6, callbacks=[watch], verbose=0).history['learning_rate']
    """,
        {"rtol": 1e-5, "atol": 0},
    ),
    (
        "decay_of_an_optimizer_is_ignored",
        """
        import warnings
        warnings.simplefilter('ignore')
        v = tf.Variable(np.ones(120, 'float32'))
        keras.optimizers.RMSprop(learning_rate=0.1, decay=3e-8).apply_gradients([(tf.ones(120), v)])  # type: ignore[call-arg]
        v
    """,
        {"rtol": 1e-4, "atol": 1e-5},
    ),
    (
        "iterators_in_checkpoints",
        """
        import os, tempfile
        def data():
            return iter(tf.data.Dataset.range(1000).map(lambda x: {'a': x, 'b': [x, x * 2]}).batch(8).repeat())
        it = data()
        for _ in range(19):
            next(it)
        path = tf.train.Checkpoint(step=tf.Variable(4), iterator=it).save(os.path.join(tempfile.mkdtemp(), 'ck'))
        again, step = data(), tf.Variable(0)
        tf.train.Checkpoint(step=step, iterator=again).restore(path).assert_consumed()
        [next(again)['a'], next(it)['a'], step]
    """,
    ),
    # ---- preprocessing
    (
        "texts_of_any_length_without_padding",
        """
        layer = keras.layers.TextVectorization(ragged=True)
        layer.adapt(['the quick brown fox', 'the lazy dog', 'the fox'])
        [layer(['the dog', 'fox fox unknown the', '']).to_list(), layer('the fox'), [t.numpy().tolist() for t in tf.data.Dataset.from_tensor_slices(['the', 'lazy dog']).map(layer)]]
    """,
    ),
    (
        "one_text_or_number_in_the_place_of_a_batch",
        """
        text = keras.layers.TextVectorization(output_sequence_length=6)
        text.adapt(tf.data.Dataset.from_tensor_slices(['the quick brown fox', 'the lazy dog']))  # without batch()
        counts = keras.layers.TextVectorization(output_mode='multi_hot')
        counts.adapt(['a b c', 'c d'])
        scaled = keras.layers.Normalization(axis=None)
        scaled.adapt(np.arange(130.0))
        [text('the fox'), counts('a b'), scaled(64.5), keras.layers.Discretization([1.0, 2.0])(1.5), keras.layers.CategoryEncoding(3, output_mode='one_hot')(1),
         keras.layers.Embedding(120, 7, embeddings_initializer='ones')(tf.constant(100)), keras.layers.StringLookup(vocabulary=['a', 'b'])('b')]
    """,
        {"rtol": 1e-5, "atol": 1e-5},
    ),
    ("no_directory_there", "keras.utils.image_dataset_from_directory('/nonexistent/folder')"),
    (
        "layers_that_keras_3_has_for_keras_2",
        """
        x = rng.uniform(size=(2, 32, 32, 3)).astype('float32')
        layers = tf.keras.layers
        [layers.ThresholdedReLU(0.5)(x), layers.RandomHeight((0.5, 0.5))(x, training=True).shape, layers.RandomWidth((-0.5, -0.5))(x, training=True).shape, layers.RandomWidth(0.3)(x, training=False)]
    """,
    ),
    # ---- tensors
    ("random_integers_without_end", "tf.data.Dataset.random(seed=3).take(2).element_spec.dtype.name"),
    (
        "trees_of_keras",
        """
        tree, made = keras.tree, {'b': [1, (2, 3)], 'a': None}
        [tree.flatten_with_path(made), tree.lists_to_tuples(made), tree.map_shape_structure(len, {'a': (None, 3), 'b': [(1, 2, 3), (2,)]}), tree.is_nested([1]),
         tree.traverse(lambda x: x + 1 if isinstance(x, int) else None, made), tree.map_structure(lambda a: a * 2, {'q': (1, [2])}), tree.pack_sequence_as(made, [9, 8, 7, 6])]
    """,
    ),
    (
        "pandas_like_columns_in_a_dictionary",
        """
        class Stack(keras.Model):
            def __init__(self):
                super().__init__()
                self.out = keras.layers.Dense(110, kernel_initializer='ones')
            def call(self, inputs):
                return self.out(tf.concat([tf.cast(inputs[k], tf.float32) for k in sorted(inputs)], axis=-1))
        model = Stack()
        model.compile('sgd', 'mse')
        model.predict({'a': np.arange(150.0)[:, None], 'b': np.ones((150, 1))}, verbose=0).sum()
    """,
        {"rtol": 1e-4},
    ),
]
