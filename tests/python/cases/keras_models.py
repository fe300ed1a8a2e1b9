"""Models: how they are made, trained with fixed weights and without shuffling, and looked into."""

# A small model with weights drawn alike on both sides, and data.
START = """
        x = rng.normal(size=(10, 4)).astype('float32')
        y = rng.normal(size=(10, 1)).astype('float32')
        def fixed(model):
            model.set_weights([rng.normal(size=w.shape).astype(w.dtype) * 0.5 for w in model.get_weights()])
            return model
        def small():
            return fixed(keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation='relu'), keras.layers.Dense(1)]))
        def rounded(history):
            return {k: [float(v) for v in values] for k, values in history.history.items()}
"""


def case(text):
    return START + (text if text.startswith("\n") else "        " + text)


CASES = [
    ("fit", case("""
        model = small()
        model.compile(optimizer='sgd', loss='mse')
        h = model.fit(x, y, epochs=2, batch_size=4, shuffle=False, verbose=0)
        result = [rounded(h), h.epoch, model.get_weights(), model.evaluate(x, y, verbose=0), model.predict(x, verbose=0)]"""), {"rtol": 1e-4}),
    ("fit_adam_metrics", case("""
        model = small()
        model.compile(keras.optimizers.Adam(0.01), keras.losses.MeanSquaredError(), metrics=['mae', keras.metrics.RootMeanSquaredError()])
        h = model.fit(x, y, epochs=2, batch_size=5, shuffle=False, verbose=0)
        result = [rounded(h), model.evaluate(x, y, verbose=0), model.evaluate(x, y, verbose=0, return_dict=True)]"""), {"rtol": 1e-4}),
    ("fit_validation_data", case("""
        model = small()
        model.compile('sgd', 'mse', metrics=['mae'])
        h = model.fit(x[:6], y[:6], epochs=3, batch_size=3, shuffle=False, verbose=0, validation_data=(x[6:], y[6:]), validation_freq=2)
        result = rounded(h)"""), {"rtol": 1e-4}),
    ("fit_validation_split", case("""
        model = small()
        model.compile('sgd', 'mse')
        h = model.fit(x, y, epochs=2, batch_size=4, shuffle=False, verbose=0, validation_split=0.3)
        result = rounded(h)"""), {"rtol": 1e-4}),
    ("fit_sample_weight", case("""
        model = small()
        model.compile('sgd', 'mse', metrics=['mae'], weighted_metrics=['mse'])
        h = model.fit(x, y, epochs=2, shuffle=False, verbose=0, sample_weight=np.arange(10.0) / 10)
        result = rounded(h)"""), {"rtol": 1e-4}),
    ("fit_class_weight", case("""
        model = fixed(keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation='softmax')]))
        model.compile('sgd', 'sparse_categorical_crossentropy', metrics=['accuracy'])
        h = model.fit(x, np.arange(10) % 3, epochs=2, shuffle=False, verbose=0, class_weight={0: 1.0, 1: 2.0, 2: 0.5})
        result = rounded(h)"""), {"rtol": 1e-4}),
    ("fit_initial_epoch", case("""
        model = small()
        model.compile('sgd', 'mse')
        h = model.fit(x, y, epochs=5, initial_epoch=3, shuffle=False, verbose=0)
        result = [h.epoch, len(h.history['loss'])]""")),
    ("fit_steps_per_epoch", case("""
        model = small()
        model.compile('sgd', 'mse')
        h = model.fit(x, y, epochs=2, batch_size=2, steps_per_epoch=2, shuffle=False, verbose=0)
        result = [len(h.history['loss'])]""")),
    ("fit_generator", case("""
        def batches():
            while True:
                for i in range(0, 10, 5):
                    yield x[i:i + 5], y[i:i + 5]
        model = small()
        model.compile('sgd', 'mse')
        h = model.fit(batches(), steps_per_epoch=2, epochs=2, verbose=0)
        result = rounded(h)"""), {"rtol": 1e-4}),
    ("fit_pydataset", case("""
        class Batches(keras.utils.PyDataset):
            def __len__(self):
                return 2
            def __getitem__(self, i):
                return x[i * 5:i * 5 + 5], y[i * 5:i * 5 + 5]
        model = small()
        model.compile('sgd', 'mse')
        h = model.fit(Batches(), epochs=2, shuffle=False, verbose=0)
        result = [rounded(h), model.evaluate(Batches(), verbose=0)]"""), {"rtol": 1e-4}),
    ("fit_not_compiled", case("model = small()\n        result = model.fit(x, y)")),
    ("fit_wrong_rows", case("model = small()\n        model.compile('sgd', 'mse')\n        result = model.fit(x, y[:5], verbose=0)")),
    ("fit_wrong_features", case("model = small()\n        model.compile('sgd', 'mse')\n        result = model.fit(x[:, :2], y, verbose=0)")),
    ("fit_no_loss", case("model = small()\n        model.compile('sgd')\n        result = model.fit(x, y, verbose=0)")),
    ("fit_regularized", case("""
        model = fixed(keras.Sequential([keras.Input((4,)), keras.layers.Dense(2, kernel_regularizer='l2', activity_regularizer=keras.regularizers.L1(0.01)), keras.layers.Dense(1)]))
        model.compile('sgd', 'mse')
        h = model.fit(x, y, epochs=2, batch_size=5, shuffle=False, verbose=0)
        result = [rounded(h), model.evaluate(x, y, verbose=0)]"""), {"rtol": 1e-4}),
    ("fit_frozen_layer", case("""
        model = small()
        model.layers[0].trainable = False
        before = model.layers[0].get_weights()
        model.compile('sgd', 'mse')
        model.fit(x, y, verbose=0)
        result = [bool(np.array_equal(a, b)) for a, b in zip(before, model.layers[0].get_weights())] + [len(model.trainable_weights)]""")),
    ("fit_batch_norm", case("""
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), keras.layers.BatchNormalization(), keras.layers.Dense(1)])
        model.set_weights([rng.uniform(0.1, 1.0, w.shape).astype(w.dtype) for w in model.get_weights()])
        model.compile('sgd', 'mse')
        h = model.fit(x, y, epochs=2, batch_size=5, shuffle=False, verbose=0)
        result = [rounded(h), model.get_weights()]"""), {"rtol": 1e-3}),  # the variances of 5 rows are sums in another order
    ("fit_conv", case("""
        pictures = rng.normal(size=(6, 8, 8, 1)).astype('float32')
        model = fixed(keras.Sequential([keras.Input((8, 8, 1)), keras.layers.Conv2D(2, 3, activation='relu'), keras.layers.MaxPooling2D(), keras.layers.Flatten(), keras.layers.Dense(3, activation='softmax')]))
        model.compile('adam', 'sparse_categorical_crossentropy', metrics=['accuracy'])
        h = model.fit(pictures, np.arange(6) % 3, epochs=2, batch_size=3, shuffle=False, verbose=0)
        result = rounded(h)"""), {"rtol": 1e-4}),
    ("fit_lstm", case("""
        texts = rng.integers(1, 6, (6, 5))
        model = fixed(keras.Sequential([keras.Input((5,), dtype='int32'), keras.layers.Embedding(6, 3, mask_zero=True), keras.layers.LSTM(2), keras.layers.Dense(1, activation='sigmoid')]))
        model.compile('adam', 'binary_crossentropy', metrics=['accuracy'])
        h = model.fit(texts, np.arange(6) % 2, epochs=2, batch_size=3, shuffle=False, verbose=0)
        result = rounded(h)"""), {"rtol": 1e-4}),
    ("accuracy_means", case("""
        seen = []
        for loss, units, activation, target in (('binary_crossentropy', 1, 'sigmoid', np.arange(10) % 2), ('categorical_crossentropy', 3, 'softmax', np.eye(3)[np.arange(10) % 3]), ('sparse_categorical_crossentropy', 3, 'softmax', np.arange(10) % 3)):
            model = fixed(keras.Sequential([keras.Input((4,)), keras.layers.Dense(units, activation=activation)]))
            model.compile('sgd', loss, metrics=['accuracy'])
            seen.append(model.evaluate(x, target, verbose=0))
        result = seen"""), {"rtol": 1e-4}),
    ("train_on_batch", case("""
        model = small()
        model.compile('sgd', 'mse', metrics=['mae'])
        a = model.train_on_batch(x[:5], y[:5])
        b = model.train_on_batch(x[5:], y[5:], return_dict=True)
        c = model.test_on_batch(x, y)
        result = [[float(v) for v in a], {k: float(v) for k, v in b.items()}, [float(v) for v in c], model.predict_on_batch(x[:2])]"""), {"rtol": 1e-4}),
    ("train_on_batch_weights", case("""
        model = small()
        model.compile('sgd', 'mse')
        result = [float(model.train_on_batch(x, y, sample_weight=np.linspace(0, 1, 10))), model.get_weights()]"""), {"rtol": 1e-4}),
    ("predict_batches", case("model = small()\n        result = [model.predict(x, batch_size=3, verbose=0).shape, type(model.predict(x, verbose=0)).__name__, bool(np.allclose(model.predict(x, batch_size=4, verbose=0), np.asarray(model(x)), atol=1e-5))]")),
    ("sequential_add", case("""
        model = keras.Sequential(name='seq')
        model.add(keras.Input(shape=(4,)))
        model.add(keras.layers.Dense(3, name='a'))
        model.add(keras.layers.Dense(2, name='b'))
        n = len(model.layers)
        model.pop()
        result = [n, len(model.layers), [l.name for l in model.layers], model.name, model.output_shape, model.input_shape, model.built]""")),
    ("sequential_deferred", case("""
        model = keras.Sequential([keras.layers.Dense(3), keras.layers.Dense(2)])
        before = model.built
        model.build((None, 4))
        result = [before, model.built, len(model.weights), model.count_params(), [w.shape for w in model.weights]]""")),
    ("sequential_called", case("""
        model = keras.Sequential([keras.layers.Dense(2, kernel_initializer='ones')])
        result = [model(tf.ones((1, 3))), model.built, len(model.weights)]""")),
    ("sequential_input_shape_argument", case("""
        model = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(4,)), tf.keras.layers.Dense(1)])
        result = [len(model.weights), model.output_shape]""")),
    ("sequential_not_a_layer", "keras.Sequential([3])", {"raises": "Exception"}),
    ("sequential_nested", case("""
        inner = keras.Sequential([keras.layers.Dense(3, activation='relu'), keras.layers.Dense(2)])
        model = fixed(keras.Sequential([keras.Input((4,)), inner, keras.layers.Dense(1)]))
        result = [model(x), len(model.layers), len(model.weights)]""")),
    ("functional", case("""
        inputs = keras.Input(shape=(4,), name='in')
        h = keras.layers.Dense(3, activation='relu', name='h')(inputs)
        outputs = keras.layers.Dense(1, name='out')(h)
        model = fixed(keras.Model(inputs=inputs, outputs=outputs, name='net'))
        model.compile('sgd', 'mse')
        hist = model.fit(x, y, epochs=2, batch_size=5, shuffle=False, verbose=0)
        result = [rounded(hist), model.name, [l.name for l in model.layers], model.input_shape, model.output_shape, model.get_layer('h').units, model.input_names if hasattr(model, 'input_names') else ['in']]"""), {"rtol": 1e-4}),
    ("functional_positional", case("i = keras.Input((4,))\n        model = keras.models.Model(i, keras.layers.Dense(2, kernel_initializer='ones')(i))\n        result = model(x)")),
    ("functional_two_inputs", case("""
        a, b = keras.Input((4,), name='a'), keras.Input((2,), name='b')
        out = keras.layers.Dense(1)(keras.layers.Concatenate()([keras.layers.Dense(3)(a), b]))
        model = fixed(keras.Model([a, b], out))
        z = x[:, :2]
        model.compile('sgd', 'mse')
        h1 = model.fit([x, z], y, epochs=1, shuffle=False, verbose=0)
        h2 = model.fit({'a': x, 'b': z}, y, epochs=1, shuffle=False, verbose=0)
        result = [rounded(h1), rounded(h2), model.predict([x, z], verbose=0), model({'a': x, 'b': z}), model([x, z])]"""), {"rtol": 1e-4}),
    ("functional_dict_inputs", case("""
        a, b = keras.Input((4,), name='a'), keras.Input((2,), name='b')
        model = fixed(keras.Model({'left': a, 'right': b}, keras.layers.Dense(1)(keras.layers.concatenate([a, b]))))
        result = [model({'left': x, 'right': x[:, :2]}), model.predict({'right': x[:, :2], 'left': x}, verbose=0)]"""), {"rtol": 1e-4}),
    ("functional_two_outputs", case("""
        i = keras.Input((4,))
        h = keras.layers.Dense(3, activation='relu')(i)
        u, v = keras.layers.Dense(1, name='u')(h), keras.layers.Dense(2, activation='softmax', name='v')(h)
        model = fixed(keras.Model(i, [u, v]))
        model.compile('sgd', loss=['mse', 'sparse_categorical_crossentropy'], loss_weights=[1.0, 0.5], metrics=[['mae'], ['accuracy']])
        h = model.fit(x, [y, np.arange(10) % 2], epochs=2, batch_size=5, shuffle=False, verbose=0)
        result = [rounded(h), model.evaluate(x, [y, np.arange(10) % 2], verbose=0, return_dict=True), [p.shape for p in model.predict(x, verbose=0)]]"""), {"rtol": 1e-4}),
    ("functional_named_outputs", case("""
        i = keras.Input((4,))
        u, v = keras.layers.Dense(1, name='u')(i), keras.layers.Dense(2, activation='softmax', name='v')(i)
        model = fixed(keras.Model(i, {'u': u, 'v': v}))
        model.compile('sgd', loss={'u': 'mse', 'v': 'sparse_categorical_crossentropy'}, loss_weights={'u': 0.3, 'v': 2.0}, metrics={'v': ['accuracy']})
        h = model.fit(x, {'u': y, 'v': np.arange(10) % 2}, epochs=2, batch_size=5, shuffle=False, verbose=0)
        p = model.predict(x[:2], verbose=0)
        result = [rounded(h), sorted(p), p['u'], model(x[:2])['v']]"""), {"rtol": 1e-4}),
    ("functional_one_loss_for_all", case("""
        i = keras.Input((4,))
        model = fixed(keras.Model(i, [keras.layers.Dense(1, name='u')(i), keras.layers.Dense(1, name='v')(i)]))
        model.compile('sgd', 'mse')
        h = model.fit(x, [y, y], epochs=1, shuffle=False, verbose=0)
        result = rounded(h)"""), {"rtol": 1e-4}),
    ("functional_shared_layer", case("""
        a, b = keras.Input((4,)), keras.Input((4,))
        shared = keras.layers.Dense(2, activation='tanh')
        model = fixed(keras.Model([a, b], keras.layers.Dense(1)(keras.layers.Subtract()([shared(a), shared(b)]))))
        result = [model([x, x[::-1]]), len(model.weights)]""")),
    ("functional_nested_model", case("""
        i = keras.Input((4,))
        encoder = keras.Model(i, keras.layers.Dense(2, name='code')(i), name='encoder')
        j = keras.Input((2,))
        decoder = keras.Model(j, keras.layers.Dense(4)(j), name='decoder')
        k = keras.Input((4,))
        model = fixed(keras.Model(k, decoder(encoder(k)), name='auto'))
        result = [model(x), [l.name for l in model.layers][1:], len(model.weights), model.get_layer('encoder').get_layer('code').units]""")),
    ("functional_operators", case("""
        i = keras.Input((4,))
        h = keras.layers.Dense(4, kernel_initializer='ones')(i)
        model = keras.Model(i, 2 * h + i[:, :1] - 1.0)
        result = model(x)""")),
    ("functional_residual", case("""
        i = keras.Input((4, 4, 2))
        h = keras.layers.Conv2D(2, 3, padding='same', activation='relu')(i)
        h = keras.layers.add([h, i])
        model = fixed(keras.Model(i, keras.layers.GlobalAveragePooling2D()(h)))
        result = model(rng.normal(size=(2, 4, 4, 2)).astype('float32'))""")),
    ("functional_intermediate", case("""
        model = small()
        part = keras.Model(model.inputs, [l.output for l in model.layers])
        result = [part(x[:2]), part.output_shape]""")),
    ("functional_intermediate_by_name", case("""
        i = keras.Input((4,))
        model = fixed(keras.Model(i, keras.layers.Dense(1)(keras.layers.Dense(3, name='mid')(i))))
        part = keras.Model(inputs=model.input, outputs=model.get_layer('mid').output)
        result = [part(x[:2]), len(part.weights)]""")),
    ("functional_training_argument", case("""
        i = keras.Input((4,))
        model = keras.Model(i, keras.layers.Dropout(0.5)(i, training=True))
        out = np.asarray(model(np.ones((50, 4), 'float32')))
        result = bool((out == 0).any())""")),
    ("functional_attention", case("""
        q, v = keras.Input((3, 4)), keras.Input((5, 4))
        model = fixed(keras.Model([q, v], keras.layers.MultiHeadAttention(2, 3)(query=q, value=v)))
        result = model([rng.normal(size=(2, 3, 4)).astype('float32'), rng.normal(size=(2, 5, 4)).astype('float32')])""")),
    ("functional_lstm_states", case("""
        i = keras.Input((3, 4))
        _, h, c = keras.layers.LSTM(2, return_state=True)(i)
        j = keras.Input((3, 4))
        model = fixed(keras.Model([i, j], keras.layers.LSTM(2, return_sequences=True)(j, initial_state=[h, c])))
        data = rng.normal(size=(2, 3, 4)).astype('float32')
        result = model([data, data])""")),
    ("functional_disconnected", "a, b = keras.Input((2,)), keras.Input((2,)); keras.Model(a, keras.layers.Dense(1)(b))"),
    ("functional_not_symbols", "keras.Model(keras.Input((2,)), np.ones(3))", {"raises": "Exception"}),
    ("model_no_such_layer", case("result = small().get_layer('no_such')")),
    ("get_layer_index", case("m = small()\n        result = [m.get_layer(index=0).units, m.get_layer(m.layers[1].name).units]")),
    ("subclass", case("""
        class Net(keras.Model):
            def __init__(self):
                super().__init__()
                self.a = keras.layers.Dense(3, activation='relu')
                self.b = keras.layers.Dense(1)
            def call(self, inputs, training=None):
                return self.b(self.a(inputs))
        model = Net()
        model(x)
        fixed(model)
        model.compile('adam', 'mse', metrics=['mae'])
        h = model.fit(x, y, epochs=2, batch_size=4, shuffle=False, verbose=0)
        result = [rounded(h), len(model.layers), model.built, model.predict(x, verbose=0)]"""), {"rtol": 1e-4}),
    ("subclass_dropout", case("""
        class Net(keras.Model):
            def __init__(self, **kwargs):
                super().__init__(**kwargs)
                self.d = keras.layers.Dropout(0.5)
            def call(self, inputs, training=False):
                return self.d(inputs, training=training)
        net = Net(name='n')
        out = np.asarray(net(np.ones((50, 4), 'float32'), training=True))
        result = [net(np.ones((2, 2), 'float32')), bool((out == 0).any()), net.name]""")),
    ("subclass_dict_outputs", case("""
        class Net(keras.Model):
            def __init__(self):
                super().__init__()
                self.a, self.b = keras.layers.Dense(1, kernel_initializer='ones'), keras.layers.Dense(2, kernel_initializer='ones')
            def call(self, inputs):
                return {'a': self.a(inputs), 'b': self.b(inputs)}
        net = Net()
        p = net.predict(x, verbose=0)
        result = [sorted(p), p['a'], net(x[:2])]""")),
    ("subclass_two_inputs", case("""
        class Net(keras.Model):
            def __init__(self):
                super().__init__()
                self.a = keras.layers.Dense(1, kernel_initializer='ones')
            def call(self, inputs):
                u, v = inputs
                return self.a(u) + self.a(v)
        net = Net()
        net.compile('sgd', 'mse')
        h = net.fit([x, 2 * x], y, epochs=1, shuffle=False, verbose=0)
        result = [rounded(h), net.predict([x, x], verbose=0).shape]"""), {"rtol": 1e-4}),
    ("train_step", case("""
        class Net(keras.Model):
            def train_step(self, data):
                x, y = data
                with tf.GradientTape() as tape:
                    p = self(x, training=True)
                    loss = self.compute_loss(y=y, y_pred=p)
                grads = tape.gradient(loss, self.trainable_variables)
                self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
                for metric in self.metrics:
                    if metric.name == 'loss':
                        metric.update_state(loss)
                    else:
                        metric.update_state(y, p)
                return {m.name: m.result() for m in self.metrics}
        i = keras.Input((4,))
        model = fixed(Net(i, keras.layers.Dense(1)(i)))
        model.compile('sgd', 'mse', metrics=['mae'])
        h = model.fit(x, y, epochs=2, batch_size=5, shuffle=False, verbose=0)
        result = rounded(h)"""), {"rtol": 1e-4}),
    ("train_step_own_metrics", case("""
        tracker = keras.metrics.Mean(name='loss')
        mae = keras.metrics.MeanAbsoluteError(name='mae')
        class Net(keras.Model):
            def train_step(self, data):
                x, y = data
                with tf.GradientTape() as tape:
                    p = self(x, training=True)
                    loss = keras.losses.mean_squared_error(y, p)
                grads = tape.gradient(loss, self.trainable_variables)
                self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
                tracker.update_state(loss)
                mae.update_state(y, p)
                return {'loss': tracker.result(), 'mae': mae.result()}
            @property
            def metrics(self):
                return [tracker, mae]
        i = keras.Input((4,))
        model = fixed(Net(i, keras.layers.Dense(1)(i)))
        model.compile(optimizer='sgd')
        h = model.fit(x, y, epochs=2, batch_size=5, shuffle=False, verbose=0)
        result = rounded(h)"""), {"rtol": 1e-4}),
    ("test_step", case("""
        class Net(keras.Model):
            def test_step(self, data):
                x, y = data
                p = self(x, training=False)
                return {'loss': tf.reduce_mean(tf.abs(y - p)), 'twice': tf.reduce_mean(p) * 2}
        i = keras.Input((4,))
        model = fixed(Net(i, keras.layers.Dense(1)(i)))
        model.compile('sgd', 'mse')
        result = {k: float(v) for k, v in model.evaluate(x, y, verbose=0, return_dict=True).items()}"""), {"rtol": 1e-4}),
    ("compute_loss", case("""
        class Net(keras.Model):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
                self.tracker = keras.metrics.Mean(name='loss')
            def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
                loss = tf.reduce_mean(tf.square(y_pred - y)) + 0.5
                self.tracker.update_state(loss)
                return loss
            def reset_metrics(self):
                self.tracker.reset_state()
            @property
            def metrics(self):
                return [self.tracker]
        i = keras.Input((4,))
        model = fixed(Net(i, keras.layers.Dense(1)(i)))
        model.compile('sgd')
        h = model.fit(x, y, epochs=2, batch_size=5, shuffle=False, verbose=0)
        result = rounded(h)"""), {"rtol": 1e-4}),
    ("gan_like", case("""
        class Pair(keras.Model):
            def __init__(self, a, b):
                super().__init__()
                self.a, self.b = a, b
            def compile(self, opt_a, opt_b):
                super().compile()
                self.opt_a, self.opt_b = opt_a, opt_b
            def train_step(self, data):
                x, y = data
                with tf.GradientTape() as tape:
                    la = tf.reduce_mean(tf.square(self.a(x) - y))
                self.opt_a.apply_gradients(zip(tape.gradient(la, self.a.trainable_weights), self.a.trainable_weights))
                with tf.GradientTape() as tape:
                    lb = tf.reduce_mean(tf.abs(self.b(x) - self.a(x)))
                self.opt_b.apply_gradients(zip(tape.gradient(lb, self.b.trainable_weights), self.b.trainable_weights))
                return {'la': la, 'lb': lb}
        a, b = small(), small()
        model = Pair(a, b)
        model.compile(keras.optimizers.SGD(0.1), keras.optimizers.Adam(0.1))
        h = model.fit(x, y, epochs=2, batch_size=10, shuffle=False, verbose=0)
        result = rounded(h)"""), {"rtol": 1e-4}),
    ("run_eagerly", case("""
        calls = []
        class Net(keras.Model):
            def __init__(self):
                super().__init__()
                self.d = keras.layers.Dense(1, kernel_initializer='ones')
            def call(self, inputs):
                calls.append(1)
                return self.d(inputs)
        net = Net()
        net.compile('sgd', 'mse', run_eagerly=True)
        h = net.fit(x, y, epochs=2, batch_size=5, shuffle=False, verbose=0)
        result = [rounded(h), len(calls) >= 4]"""), {"rtol": 1e-4}),
    ("steps_per_execution", case("""
        model = small()
        model.compile('sgd', 'mse', steps_per_execution=2)
        result = rounded(model.fit(x, y, epochs=2, batch_size=5, shuffle=False, verbose=0))"""), {"rtol": 1e-4}),
    ("add_loss_in_fit", case("""
        class Penalty(keras.layers.Layer):
            def call(self, inputs):
                self.add_loss(0.1 * tf.reduce_mean(tf.square(inputs)))
                return inputs
        model = fixed(keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), Penalty(), keras.layers.Dense(1)]))
        model.compile('sgd', 'mse')
        result = rounded(model.fit(x, y, epochs=2, batch_size=5, shuffle=False, verbose=0))"""), {"rtol": 1e-4}),
    ("custom_training_loop", case("""
        model, o, loss_fn, metric = small(), keras.optimizers.Adam(0.01), keras.losses.MeanSquaredError(), keras.metrics.MeanAbsoluteError()
        @tf.function
        def step(x, y):
            with tf.GradientTape() as tape:
                p = model(x, training=True)
                loss = loss_fn(y, p)
            o.apply_gradients(zip(tape.gradient(loss, model.trainable_weights), model.trainable_weights))
            metric.update_state(y, p)
            return loss
        losses = [step(tf.constant(x), tf.constant(y)) for _ in range(3)]
        result = [losses, metric.result(), model.get_weights()]"""), {"rtol": 1e-4}),
    ("mixed_precision_fit", case("""
        keras.mixed_precision.set_global_policy('mixed_float16')
        try:
            model = fixed(keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), keras.layers.Dense(1, dtype='float32')]))
            model.compile('sgd', 'mse')
            h = model.fit(x, y, epochs=1, shuffle=False, verbose=0)
            result = [rounded(h), model.layers[0].compute_dtype, type(model.optimizer).__name__]
        finally:
            keras.mixed_precision.set_global_policy('float32')"""), {"rtol": 1e-2}),  # half precision
    ("summary_lines", case("""
        lines = []
        keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, name='a')], name='net').summary(print_fn=lambda *a, **k: lines.append(a[0]))
        text = str(lines)
        result = ['net' in text, 'a (Dense)' in text, '15' in text]""")),
    ("compute_output_shape", case("m = small()\n        result = [m.compute_output_shape((None, 4)), m.output_shape, m.layers[0].output.shape[1]]")),
    ("count_params", case("m = small()\n        result = [m.count_params(), len(m.weights), len(m.trainable_variables), len(m.non_trainable_variables)]")),
    ("weights_names", case("""
        m = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2, name='a')])
        result = [[w.name for w in m.weights], [w.path[-8:] for w in m.weights][:1]]""")),
    ("clone_model", case("m = small()\n        c = keras.models.clone_model(m)\n        c.set_weights(m.get_weights())\n        result = bool(np.allclose(np.asarray(c(x)), np.asarray(m(x)), atol=1e-5))")),
    ("config_round_trip", case("""
        m = small()
        again = keras.Sequential.from_config(m.get_config())
        again.set_weights(m.get_weights())
        result = [again(x), [l.name for l in again.layers] == [l.name for l in m.layers]]""")),
    ("config_functional", case("""
        a, b = keras.Input((4,), name='a'), keras.Input((4,), name='b')
        shared = keras.layers.Dense(2, name='s')
        m = fixed(keras.Model([a, b], [keras.layers.Add(name='sum')([shared(a), shared(b)]), shared(b)], name='m'))
        again = keras.Model.from_config(m.get_config())
        again.set_weights(m.get_weights())
        result = [again([x, x[::-1]]), again.name, [l.name for l in again.layers], m.get_config()['input_layers'], m.get_config()['output_layers']]""")),
    ("to_json", case("""
        m = small()
        again = keras.models.model_from_json(m.to_json())
        again.set_weights(m.get_weights())
        result = again(x)""")),
    ("model_properties", case("""
        m = small()
        m.compile('adam', 'mse', metrics=['mae'])
        result = [type(m.optimizer).__name__, m.loss, m.built, m.trainable, float(m.optimizer.learning_rate)]""")),
    ("stop_training", case("""
        class Stop(keras.callbacks.Callback):
            def on_epoch_end(self, epoch, logs=None):
                if epoch == 1:
                    self.model.stop_training = True
        m = small()
        m.compile('sgd', 'mse')
        result = m.fit(x, y, epochs=5, shuffle=False, verbose=0, callbacks=[Stop()]).epoch""")),
    ("compile_wrong_loss", "m = keras.Sequential([keras.layers.Dense(1)]); m.compile('sgd', 'no_such_loss'); m.fit(np.ones((2, 2)), np.ones((2, 1)), verbose=0)"),
    ("compile_wrong_optimizer", "m = keras.Sequential([keras.layers.Dense(1)]); m.compile('no_such_optimizer', 'mse')"),
    ("labels_n_and_n1", case("""
        m = fixed(keras.Sequential([keras.Input((4,)), keras.layers.Dense(1, activation='sigmoid')]))
        m.compile('sgd', 'binary_crossentropy', metrics=['accuracy'])
        result = m.evaluate(x, (np.arange(10) % 2).astype('float32'), verbose=0)"""), {"rtol": 1e-4}),
    ("steps_of_ones_own_give_different_logs", """
        class Own(keras.Model):
            def __init__(self):
                super().__init__()
                self.dense = keras.layers.Dense(1)
            def call(self, x):
                return self.dense(x)
            def train_step(self, data):
                x, y = data
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
                gradients = tape.gradient(loss, self.trainable_variables)
                self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
                return {'a_loss': loss, 'b_norm': tf.linalg.global_norm(gradients), 'c': loss * 2}
            def test_step(self, data):
                x, y = data
                return {'zz': tf.reduce_mean(abs(self(x, training=False) - y))}
        x = np.arange(12, dtype='float32').reshape(6, 2) / 10
        model = Own()
        model(x)
        model.set_weights([np.full(w.shape, 0.5, 'float32') for w in model.get_weights()])
        model.compile(optimizer=keras.optimizers.SGD(0.1))
        history = model.fit(x, x[:, :1], epochs=3, batch_size=3, shuffle=False, validation_data=(x, x[:, :1]), verbose=0)
        result = [history.history, model.evaluate(x, x[:, :1], verbose=0, return_dict=True)]""", {"rtol": 1e-4}),
    ("own_step_with_other_inputs_than_x", """
        inputs = [keras.Input((4,)) for _ in range(3)]
        embed = keras.layers.Dense(3)
        class Distance(keras.layers.Layer):
            def call(self, a, p, n):
                return tf.reduce_sum((a - p) ** 2, -1), tf.reduce_sum((a - n) ** 2, -1)
        net = keras.Model(inputs, Distance()(*(embed(i) for i in inputs)))
        net.set_weights([np.linspace(-1, 1, w.size).reshape(w.shape).astype('float32') for w in net.get_weights()])
        class Siamese(keras.Model):
            def __init__(self, net):
                super().__init__()
                self.net = net
                self.tracker = keras.metrics.Mean(name='loss')
            def call(self, inputs):
                return self.net(inputs)
            def train_step(self, data):
                with tf.GradientTape() as tape:
                    ap, an = self.net(data)
                    loss = tf.maximum(ap - an + 0.5, 0.0)
                self.optimizer.apply_gradients(zip(tape.gradient(loss, self.net.trainable_weights), self.net.trainable_weights))
                self.tracker.update_state(loss)
                return {'loss': self.tracker.result()}
            @property
            def metrics(self):
                return [self.tracker]
        model = Siamese(net)
        model.compile(optimizer=keras.optimizers.SGD(0.01))
        data = tf.data.Dataset.from_tensor_slices(tuple(rng.normal(size=(9, 4)).astype('float32') for _ in range(3))).batch(4)
        result = model.fit(data, epochs=2, verbose=0).history""", {"rtol": 1e-4}),
    ("own_metric_begins_anew", """
        class Rows(keras.metrics.Metric):
            def __init__(self, name='rows', **kwargs):
                super().__init__(name=name, **kwargs)
                self.rows = self.add_weight(name='rows', initializer='zeros')
            def update_state(self, y_true, y_pred, sample_weight=None):
                self.rows.assign_add(tf.cast(tf.shape(y_true)[0], 'float32'))
            def result(self):
                return self.rows + 0.0
        class Doubled(keras.metrics.MeanSquaredError):
            def update_state(self, y_true, y_pred, sample_weight=None):
                return super().update_state(2.0 * y_true, 2.0 * y_pred, sample_weight)
        class Classes(keras.metrics.MeanIoU):
            def update_state(self, y_true, y_pred, sample_weight=None):
                return super().update_state(tf.cast(y_true > 0.5, 'int32'), tf.cast(y_pred > 0.5, 'int32'), sample_weight)
        x = np.linspace(-1, 2, 60).reshape(20, 3).astype('float32')
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
        model.set_weights([np.full(w.shape, 0.25, 'float32') for w in model.get_weights()])
        model.compile(keras.optimizers.SGD(0.0), 'mse', metrics=[Rows(), Doubled(name='doubled'), Classes(2, name='iou'), 'mse'])
        history = model.fit(x, x[:, :1], batch_size=8, epochs=3, validation_split=0.25, shuffle=False, verbose=0).history
        result = [{k: [round(float(v), 4) for v in values] for k, values in history.items()}, [round(float(v), 4) for v in model.evaluate(x, x[:, :1], verbose=0)]]"""),
    ("class_weight_eagerly", """
        x, classes = rng.normal(size=(12, 3)).astype('float32'), np.arange(12) % 3
        result = []
        for eager in (False, True):
            for y, loss in ((classes, 'sparse_categorical_crossentropy'), (np.eye(3, dtype='float32')[classes], 'categorical_crossentropy')):
                model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(3, activation='softmax')])
                model.set_weights([np.linspace(-1, 1, w.size).reshape(w.shape).astype('float32') for w in model.get_weights()])
                model.compile('sgd', loss, weighted_metrics=['accuracy'], run_eagerly=eager)
                weights = {0: 1.0, 1: 5.0, 2: 0.5}
                result.append(model.fit(x, y, batch_size=5, epochs=2, shuffle=False, verbose=0, class_weight=weights).history)
                result.append(model.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(5), epochs=1, verbose=0, class_weight=weights).history)
                result.append(model.evaluate(tf.data.Dataset.from_tensor_slices((x, y)).batch(5), verbose=0))""", {"rtol": 1e-4}),
    ("losses_of_outputs_over_unequal_batches", """
        inputs = keras.Input((3,))
        model = keras.Model(inputs, [keras.layers.Dense(1, name='p')(inputs), keras.layers.Dense(2, name='k')(inputs)])
        model.set_weights([np.full(w.shape, 0.3, 'float32') for w in model.get_weights()])
        model.compile('sgd', loss=['mse', 'mae'])
        x = rng.normal(size=(12, 3)).astype('float32')
        y = [x[:, :1], x[:, :2]]
        result = [model.fit(x, y, batch_size=5, shuffle=False, verbose=0).history, model.evaluate(x, y, batch_size=5, verbose=0, return_dict=True)]""", {"rtol": 1e-4}),
    ("predict_steps", """
        class Halved(keras.Model):
            def __init__(self):
                super().__init__()
                self.dense = keras.layers.Dense(2, kernel_initializer='ones')
            def call(self, x):
                return self.dense(x)
            def predict_step(self, data):
                return {'half': self(data, training=False) / 2.0}
        x = np.arange(12, dtype='float32').reshape(6, 2)
        plain = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, kernel_initializer='ones')])
        endless = tf.data.Dataset.from_tensor_slices(x).batch(2).repeat()
        own = Halved()
        own.compile()
        result = [plain.predict(endless, steps=4, verbose=0), own.predict(x, batch_size=4, verbose=0), own.predict(endless, steps=2, verbose=0)]""", {"rtol": 1e-4}),
    ("layers_added_after_a_call", """
        result = []
        for begin in ([keras.Input((4,))], []):
            model = keras.Sequential([*begin, keras.layers.Dense(3, kernel_initializer='ones')])
            a = model(np.ones((2, 4), 'float32'))
            lines = []
            model.summary(print_fn=lambda line, **kwargs: lines.append(line))
            model.add(keras.layers.Dense(2, kernel_initializer='ones'))
            b = model(np.ones((2, 4), 'float32'))
            model.compile('sgd', 'mse')
            loss = model.fit(np.ones((4, 4)), np.ones((4, 2)), epochs=2, verbose=0).history['loss']
            result += [a, b, loss, len(model.weights), '(None, 3)' in '\\n'.join(lines) or '(2, 3)' in '\\n'.join(lines)]""", {"rtol": 1e-4}),
]  # fmt: skip
