"""What stopped programs of strangers in a fifth round: each cause at sizes that people use."""

CASES = [
    # ---- names of import *
    (
        "names_of_import_star",
        """
        import importlib
        import sys
        root = 'tensorflow' if tf.__name__ == 'tensorflow' else 'brio'
        def star(module):
            names = {}
            importlib.import_module(root)
            exec(f"from {root}.{module} import *", names) if root == 'brio' else names.update(vars(eval('tf.' + module)))
            return names
        [sorted(n for n in wanted.split() if n in star(module)) for module, wanted in (
            ('keras.callbacks', 'ModelCheckpoint BackupAndRestore TensorBoard EarlyStopping History'),
            ('keras.layers', 'ConvLSTM2D ConvLSTM1D MixUp Dense Input InputLayer'),
            ('keras.backend', 'clip mean flatten epsilon'), ('keras.utils', 'plot_model get_file to_categorical Sequence'),
            ('keras.applications', 'VGG16 vgg16 MobileNetV2'), ('keras.datasets', 'mnist cifar10'), ('keras', 'layers models Sequential'),
            ('linalg', 'logm LinearOperatorDiag inv'), ('nn', 'nce_loss relu'))]
    """,
    ),
    # ---- training
    (
        "training_is_true_by_default",
        """
        class Half(keras.layers.Layer):
            def __init__(self):
                super().__init__()
                self.norm = keras.layers.BatchNormalization(momentum=0.0)
            def call(self, x, training=True):
                return self.norm(x) * (1.0 if training else -1.0)
        class Net(keras.Model):
            def __init__(self):
                super().__init__()
                self.half, self.dense = Half(), keras.layers.Dense(1, kernel_initializer='ones')
            def call(self, x, training=None):
                return self.dense(self.half(x))
        x = rng.normal(size=(64, 130)).astype('float32') + 3.0
        net, layer = Net(), Half()
        said = [net(x), net(x, training=False), net(x, training=True), layer(x), layer(x, training=False)]
        chain, symbol = keras.Sequential([Half()]), keras.Input((130,))
        graph, fixed = keras.Model(symbol, Half()(symbol)), keras.Model(symbol, Half()(symbol, training=False))
        said += [chain(x), chain(x, training=False), chain.predict(x, verbose=0), graph(x), graph.predict(x, verbose=0), fixed(x)]
        net.compile('sgd', 'mse')
        said += [net.predict(x, verbose=0), np.float32(net.evaluate(x, np.zeros((64, 1)), verbose=0))]
        [[np.float32(np.sum(np.sign(v))), np.float32(np.max(np.abs(v)))] for v in said]
    """,
        {"rtol": 1e-3, "atol": 1e-3},
    ),
    (
        "steps_of_a_model_that_trains_by_default",
        """
        class Flow(keras.Model):
            def __init__(self):
                super().__init__()
                self.scale = self.add_weight(shape=(120,), initializer='ones', name='scale')
                self.seen = keras.metrics.Mean(name='loss')
            def call(self, x, training=True):
                return x * self.scale if training else x / self.scale
            def train_step(self, data):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.square(self(data) - 2.0))
                self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
                self.seen.update_state(loss)
                return {'loss': self.seen.result()}
            def test_step(self, data):
                self.seen.update_state(tf.reduce_mean(tf.square(self(data) - 2.0)))
                return {'loss': self.seen.result()}
            @property
            def metrics(self):
                return [self.seen]
        x = rng.uniform(1, 2, size=(128, 120)).astype('float32')
        flow = Flow()
        flow.compile(keras.optimizers.Adam(0.05))
        history = flow.fit(x, epochs=2, batch_size=32, shuffle=False, verbose=0, validation_data=(x[:40],)).history
        [history, flow.evaluate(x, verbose=0), np.float32(flow.predict(x, verbose=0).sum())]
    """,
        {"rtol": 1e-3},
    ),
    (
        "validation_data_of_inputs_alone",
        """
        class Auto(keras.Model):
            def __init__(self):
                super().__init__()
                self.net = keras.layers.Dense(110, kernel_initializer='ones')
            def call(self, x):
                return self.net(x)
            def train_step(self, data):
                return {'loss': tf.reduce_mean(self(data))}
            def test_step(self, data):
                x = data[0] if isinstance(data, tuple) else data
                return {'loss': tf.reduce_mean(self(x)), 'rows': tf.shape(x)[0]}
        model = Auto()
        model.compile('sgd')
        x = np.ones((90, 110), 'float32')
        history = model.fit(x, batch_size=45, verbose=0, validation_data=(x[:32],)).history
        [sorted(history), history['val_rows'], history['val_loss']]
    """,
    ),
    (
        "logs_are_in_the_order_of_their_names",
        """
        class Seen(keras.callbacks.Callback):
            def __init__(self):
                super().__init__()
                self.rows = []
            def on_epoch_end(self, epoch, logs=None):
                self.rows.append(list(logs))
            def on_test_end(self, logs=None):
                self.rows.append(list(logs))
            def on_predict_batch_end(self, batch, logs=None):
                self.rows.append([self.params['steps'], self.params['epochs']])
        model = keras.Sequential([keras.Input((20,)), keras.layers.Dense(150, 'softmax')])
        model.compile('sgd', 'sparse_categorical_crossentropy', metrics=['sparse_top_k_categorical_accuracy', 'accuracy'])
        x, y, seen = rng.normal(size=(120, 20)).astype('float32'), np.arange(120), Seen()
        history = model.fit(x, y, epochs=1, verbose=0, validation_split=0.25, callbacks=[seen, keras.callbacks.ReduceLROnPlateau()])
        model.predict(x, batch_size=60, verbose=0, callbacks=[seen])
        [list(history.history), seen.rows, list(model.evaluate(x, y, verbose=0, return_dict=True)),
         list(model.train_on_batch(x, y, return_dict=True))]
    """,
    ),
    # ---- losses and metrics
    (
        "losses_that_override_being_called",
        """
        class Contrastive(keras.losses.Loss):
            def __init__(self, temperature=1.0, name=None):
                super().__init__(name=name)
                self.temperature = temperature
            def __call__(self, labels, features, sample_weight=None):
                features = tf.math.l2_normalize(features, axis=1)
                logits = tf.matmul(features, features, transpose_b=True) / self.temperature
                labels = tf.reshape(labels, [-1, 1])
                same = tf.cast(tf.equal(labels, tf.transpose(labels)), 'float32')
                same /= tf.reduce_sum(same, 1, keepdims=True)
                return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(same, logits))
        model = keras.Sequential([keras.Input((24,)), keras.layers.Dense(128, activation='tanh')])
        model.layers[0].set_weights([np.linspace(-1, 1, 24 * 128).reshape(24, 128), np.zeros(128)])
        model.compile(keras.optimizers.SGD(0.1), Contrastive(0.05))
        x, y = rng.normal(size=(96, 24)).astype('float32'), np.arange(96) % 10
        model.fit(x, y, epochs=2, batch_size=32, shuffle=False, verbose=0).history
    """,
        {"rtol": 1e-3},
    ),
    (
        "means_of_functions_in_files",
        """
        import os, tempfile
        @keras.saving.register_keras_serializable('fifth')
        def determination(y_true, y_pred):
            return 1.0 - tf.reduce_sum(tf.square(y_true - y_pred)) / (tf.reduce_sum(tf.square(y_true - tf.reduce_mean(y_true))) + 1e-7)
        model = keras.Sequential([keras.Input((12,)), keras.layers.Dense(3, kernel_initializer='ones')])
        model.compile('sgd', 'mse', metrics=[
            keras.metrics.MeanMetricWrapper(fn=determination, name='r2'), keras.metrics.MeanMetricWrapper(keras.losses.huber, name='h', delta=0.5)])
        x, y = rng.normal(size=(130, 12)).astype('float32'), rng.normal(size=(130, 3)).astype('float32')
        model.fit(x, y, verbose=0, batch_size=130)
        file = os.path.join(tempfile.mkdtemp(), 'm.keras')
        model.save(file)
        again = keras.models.load_model(file).evaluate(x, y, batch_size=130, verbose=0, return_dict=True)
        [again, sorted(keras.metrics.MeanMetricWrapper(keras.losses.huber, name='h', delta=0.5).get_config())]
    """,
        {"rtol": 1e-3},
    ),
    (
        "confusion_matrix_of_iou",
        """
        iou = keras.metrics.MeanIoU(num_classes=150)
        iou.update_state(rng.integers(0, 150, 5000), rng.integers(0, 150, 5000))
        [iou.total_cm.shape, tf.reduce_sum(iou.total_cm), iou.total_cm.numpy()[:3, :3]]
    """,
        {"any_dtype": True},
    ),
    # ---- layers whose arguments change, and in datasets
    (
        "arguments_that_change_before_a_model_is_made_again",
        """
        import warnings
        warnings.simplefilter('ignore')  # that the model itself goes on as before
        model = keras.Sequential([keras.Input((130,)), keras.layers.Dense(16, 'relu'), keras.layers.Dropout(0.5), keras.layers.Dense(10)])
        for layer in model.layers:
            for name in ('kernel_regularizer',):
                if hasattr(layer, name):
                    setattr(layer, name, keras.regularizers.l2(0.01))
        model.layers[0].activation = keras.activations.tanh
        model.layers[1].rate = 0.25
        weights = [rng.normal(size=w.shape) * 0.1 for w in model.get_weights()]
        again = []
        for made in (keras.models.model_from_json(model.to_json()), keras.models.clone_model(model)):
            made.set_weights(weights)
            again += [len(made.losses), tf.add_n(made.losses), tf.reduce_sum(made(np.ones((2, 130)))), made.layers[1].rate]
        again
    """,
        {"rtol": 1e-4},
    ),
    (
        "layers_of_several_arguments_in_a_dataset",
        """
        class Both(keras.layers.Layer):
            def __init__(self):
                super().__init__()
                self.pictures, self.masks = keras.layers.Rescaling(2.0), keras.layers.Rescaling(3.0)
            def call(self, inputs, labels, shift=0.0):
                return self.pictures(inputs) + shift, self.masks(labels)
        x, y = rng.uniform(size=(10, 120, 100, 3)).astype('float32'), np.ones((10, 120, 100, 1), 'float32')
        pairs = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)
        layer = Both()
        moved = pairs.map(lambda a, b: layer(a, labels=b, shift=1.0))
        [[tf.reduce_mean(a), tf.reduce_mean(b), a.shape] for d in (pairs.map(layer), moved) for a, b in d]
    """,
        {"rtol": 1e-4},
    ),
    (
        "masks_that_are_inputs_of_a_model",
        """
        import os, tempfile
        words, mask = keras.Input((None, 16)), keras.Input((None,), dtype='bool')
        hidden = keras.layers.LSTM(130, return_sequences=True)(words, mask=mask)
        pooled = keras.layers.GlobalAveragePooling1D()(hidden, mask=mask)
        model = keras.Model([words, mask], keras.layers.Dense(1)(pooled))
        model.set_weights([rng.normal(size=w.shape) * 0.1 for w in model.get_weights()])
        x, kept = rng.normal(size=(6, 40, 16)).astype('float32'), np.arange(40)[None] < np.array([[3], [40], [5], [1], [20], [39]])
        model.compile('sgd', 'mse')
        history = model.fit([x, kept], np.ones((6, 1)), epochs=2, verbose=0).history
        file = os.path.join(tempfile.mkdtemp(), 'm.keras')
        model.save(file)
        again, copy = keras.models.load_model(file), keras.models.clone_model(model)
        copy.set_weights(model.get_weights())
        [history, model([x, kept]), again([x, kept]), copy.predict([x, kept], verbose=0)]
    """,
        {"rtol": 1e-3},
    ),
    (
        "folders_of_h5_files",
        """
        import os, tempfile
        file = os.path.join(tempfile.mkdtemp(), 'models', 'first', 'm.h5')
        model = keras.Sequential([keras.Input((130,)), keras.layers.Dense(3, kernel_initializer='ones')])
        model.save(file)
        keras.models.load_model(file)(np.ones((2, 130)))
    """,
    ),
    (
        "cardinality_that_is_asserted",
        """
        numbers = tf.data.Dataset.range(200).filter(lambda i: i % 2 == 0)
        known = numbers.apply(tf.data.experimental.assert_cardinality(100))
        [numbers.cardinality(), known.cardinality(), len(known), tf.data.experimental.cardinality(known), len(list(known))]
    """,
    ),
    # ---- other
    (
        "one_hot_of_floats_of_numpy",
        """
        y = (np.arange(300) % 150).astype('float32')
        [tf.reduce_sum(tf.one_hot(y, depth=150), 0), tf.argmax(tf.one_hot(y[:9].astype('float64'), 150), 1), tf.one_hot(np.array([True, False]), 2),
         tf.one_hot(np.float64(2), 4, on_value=5, off_value=1), tf.one_hot([0, 2], 3, axis=0, dtype='int32')]
    """,
    ),
    (
        "options_of_loops",
        """
        @tf.function
        def rows(n):
            result = tf.constant([0.0])
            for i in tf.range(n):
                tf.autograph.experimental.set_loop_options(shape_invariants=[(result, tf.TensorShape([None]))])
                result = tf.concat([result, [tf.cast(i, tf.float32)]], 0)
            return result
        import warnings
        warnings.simplefilter('ignore')  # that it runs op by op
        [rows(tf.constant(130)), rows(tf.constant(2))]
    """,
    ),
    ("one_hot_of_a_tensor_of_floats", "tf.one_hot(tf.constant([1.0, 2.0]), 3)"),
]
