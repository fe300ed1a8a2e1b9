"""Whole programs: training loops of one's own, steps of one's own, callbacks, schedules, optimizers."""

START = """
        shown, layers = [], keras.layers
        def show(*values):
            shown.extend(values)
        def det(model, scale=0.5):  # weights that depend on nothing but their shapes
            for i, w in enumerate(model.weights):
                if 'seed' not in w.name and 'int' not in str(w.dtype):
                    v = np.random.RandomState(i).uniform(-scale, scale, w.shape)
                    w.assign((np.abs(v) + 0.5 if 'variance' in w.name else v).astype('float32'))
            return model
"""


def case(text):
    return (
        START
        + text
        + """
        result = shown"""
    )


CASES = [
    ("custom_loop", case("""
        x = np.linspace(-1, 1, 64).astype('float32').reshape(-1, 1)
        y = 3 * x + 2
        model = det(keras.Sequential([layers.Input((1,)), layers.Dense(8, activation='tanh'), layers.Dense(1)]))
        opt = keras.optimizers.Adam(0.05)
        loss_fn = keras.losses.MeanSquaredError()
        train_loss = keras.metrics.Mean(name='train_loss')
        mae = keras.metrics.MeanAbsoluteError()
        ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(10)

        @tf.function
        def train_step(x, y):
            with tf.GradientTape() as tape:
                pred = model(x, training=True)
                loss = loss_fn(y, pred)
            grads = tape.gradient(loss, model.trainable_variables)
            opt.apply_gradients(zip(grads, model.trainable_variables))
            train_loss.update_state(loss)
            mae.update_state(y, pred)
            return loss
        for epoch in range(3):
            train_loss.reset_state()
            mae.reset_state()
            for step, (bx, by) in enumerate(ds):
                loss = train_step(bx, by)
                if step % 3 == 0:
                    show(float(loss))
            show(epoch, train_loss.result(), mae.result())
        show(model.predict(x[:5], verbose=0), int(opt.iterations))"""), {"rtol": 0.001}),
    ("gan", case("""
        class GAN(keras.Model):

            def __init__(self, disc, gen, latent):
                super().__init__()
                self.disc, self.gen, self.latent = (disc, gen, latent)
                self.d_tracker = keras.metrics.Mean(name='d_loss')
                self.g_tracker = keras.metrics.Mean(name='g_loss')

            def compile(self, d_opt, g_opt, loss_fn):
                super().compile()
                self.d_opt, self.g_opt, self.loss_fn = (d_opt, g_opt, loss_fn)

            @property
            def metrics(self):
                return [self.d_tracker, self.g_tracker]

            def train_step(self, real):
                n = tf.shape(real)[0]
                z = tf.ones((n, self.latent)) * 0.3
                fake = self.gen(z)
                both = tf.concat([fake, real], axis=0)
                labels = tf.concat([tf.ones((n, 1)), tf.zeros((n, 1))], axis=0)
                with tf.GradientTape() as tape:
                    d_loss = self.loss_fn(labels, self.disc(both))
                g = tape.gradient(d_loss, self.disc.trainable_weights)
                self.d_opt.apply_gradients(zip(g, self.disc.trainable_weights))
                mis = tf.zeros((n, 1))
                with tf.GradientTape() as tape:
                    g_loss = self.loss_fn(mis, self.disc(self.gen(z)))
                g = tape.gradient(g_loss, self.gen.trainable_weights)
                self.g_opt.apply_gradients(zip(g, self.gen.trainable_weights))
                self.d_tracker.update_state(d_loss)
                self.g_tracker.update_state(g_loss)
                return {'d_loss': self.d_tracker.result(), 'g_loss': self.g_tracker.result()}
        disc = det(keras.Sequential([keras.Input((4,)), layers.Dense(6), layers.LeakyReLU(negative_slope=0.2), layers.Dense(1)]))
        gen = det(keras.Sequential([keras.Input((3,)), layers.Dense(6), layers.LeakyReLU(negative_slope=0.2), layers.Dense(4)]))
        gan = GAN(disc, gen, 3)
        gan.compile(keras.optimizers.Adam(0.01), keras.optimizers.Adam(0.01), keras.losses.BinaryCrossentropy(from_logits=True))
        data = np.random.RandomState(0).normal(size=(20, 4)).astype('float32')
        h = gan.fit(tf.data.Dataset.from_tensor_slices(data).batch(8), epochs=3, verbose=0)
        show(h.history, gen.get_weights()[0])"""), {"rtol": 0.001}),
    ("siamese_triplet", case("""
        emb = det(keras.Sequential([keras.Input((4,)), layers.Dense(6, activation='relu'), layers.Dense(3)]))
        a, p, n = (keras.Input((4,), name=k) for k in ('anchor', 'positive', 'negative'))

        class Distance(layers.Layer):

            def call(self, anchor, positive, negative):
                return (tf.reduce_sum(tf.square(anchor - positive), -1), tf.reduce_sum(tf.square(anchor - negative), -1))
        d = Distance()(emb(a), emb(p), emb(n))
        net = keras.Model(inputs=[a, p, n], outputs=d)

        class Siamese(keras.Model):

            def __init__(self, net, margin=0.5):
                super().__init__()
                self.net, self.margin = (net, margin)
                self.tracker = keras.metrics.Mean(name='loss')

            def call(self, inputs):
                return self.net(inputs)

            def train_step(self, data):
                with tf.GradientTape() as t:
                    loss = self._l(data)
                g = t.gradient(loss, self.net.trainable_weights)
                self.optimizer.apply_gradients(zip(g, self.net.trainable_weights))
                self.tracker.update_state(loss)
                return {'loss': self.tracker.result()}

            def test_step(self, data):
                self.tracker.update_state(self._l(data))
                return {'loss': self.tracker.result()}

            def _l(self, data):
                ap, an = self.net(data)
                return tf.maximum(ap - an + self.margin, 0.0)

            @property
            def metrics(self):
                return [self.tracker]
        r = np.random.RandomState(0)
        arr = [r.normal(size=(9, 4)).astype('float32') for _ in range(3)]
        ds = tf.data.Dataset.from_tensor_slices(tuple(arr)).batch(4)
        s = Siamese(net)
        s.compile(optimizer=keras.optimizers.Adam(0.01), weighted_metrics=[])
        h = s.fit(ds, epochs=2, validation_data=ds, verbose=0)
        show(h.history)
        cs = keras.metrics.CosineSimilarity()
        show(cs(arr[0], arr[1]))"""), {"rtol": 0.001}),
    ("autoencoder_subclass", case("""
        class AE(keras.models.Model):

            def __init__(self, latent, shape):
                super().__init__()
                self.encoder = keras.Sequential([layers.Flatten(), layers.Dense(latent, activation='relu')])
                self.decoder = keras.Sequential([layers.Dense(int(np.prod(shape)), activation='sigmoid'), layers.Reshape(shape)])

            def call(self, x):
                return self.decoder(self.encoder(x))
        X = np.random.RandomState(0).uniform(size=(12, 4, 4)).astype('float32')
        ae = AE(5, (4, 4))
        ae(X)
        det(ae)
        ae.compile(optimizer='adam', loss=keras.losses.MeanSquaredError())
        h = ae.fit(X, X, epochs=3, batch_size=4, shuffle=False, validation_data=(X, X), verbose=0)
        show(h.history, ae.encoder(X[:1]).numpy(), ae.count_params())

        class Denoise(keras.Model):

            def __init__(self):
                super().__init__()
                self.encoder = keras.Sequential([layers.Input(shape=(8, 8, 1)), layers.Conv2D(4, 3, activation='relu', padding='same', strides=2)])
                self.decoder = keras.Sequential([layers.Conv2DTranspose(4, kernel_size=3, strides=2, activation='relu', padding='same'), layers.Conv2D(1, kernel_size=(3, 3), activation='sigmoid', padding='same')])

            def call(self, x):
                return self.decoder(self.encoder(x))
        de = Denoise()
        Z = np.random.RandomState(1).uniform(size=(3, 8, 8, 1)).astype('float32')
        de(Z)
        det(de)
        show(de(Z)[0, 0])
        de.compile('adam', 'mse')
        show(de.fit(Z, Z, epochs=2, verbose=0, shuffle=False).history)"""), {"rtol": 0.001}),
    ("style_grad_input", case("""
        cnn = det(keras.Sequential([keras.Input((8, 8, 3)), layers.Conv2D(3, 3, activation='relu', name='c1'), layers.MaxPooling2D(), layers.Conv2D(4, 2, name='c2')]))
        feat = keras.Model(cnn.inputs, [cnn.get_layer(n).output for n in ('c1', 'c2')])

        def gram(x):
            r = tf.linalg.einsum('bijc,bijd->bcd', x, x)
            s = tf.shape(x)
            return r / tf.cast(s[1] * s[2], tf.float32)
        img = tf.Variable(np.random.RandomState(0).uniform(size=(1, 8, 8, 3)).astype('float32'))
        target = [gram(f) for f in feat(tf.ones((1, 8, 8, 3)))]
        opt = keras.optimizers.Adam(0.02, beta_1=0.99, epsilon=0.1)

        @tf.function
        def step():
            with tf.GradientTape() as t:
                l = tf.add_n([tf.reduce_mean((gram(a) - b) ** 2) for a, b in zip(feat(img), target)]) + 0.1 * tf.image.total_variation(img)[0] / 100
            g = t.gradient(l, img)
            opt.apply_gradients([(g, img)])
            img.assign(tf.clip_by_value(img, 0.0, 1.0))
            return l
        show([step() for _ in range(3)], img[0, 0])
        x = tf.constant(np.random.RandomState(1).uniform(size=(1, 8, 8, 3)).astype('float32'))
        with tf.GradientTape() as t:
            t.watch(x)
            p = tf.reduce_sum(cnn(x))
        show(tf.sign(t.gradient(p, x))[0, 0])"""), {"rtol": 0.001}),
    ("grad_misc", case("""
        x = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape(persistent=True) as t2:
            with tf.GradientTape() as t1:
                y = tf.reduce_sum(x ** 3)
            g = t1.gradient(y, x)
        show(g, t2.gradient(g, x), t2.jacobian(g, x))

        @tf.custom_gradient
        def log1pexp(x):
            e = tf.exp(x)

            def grad(up):
                return up * (1 - 1 / (1 + e))
            return (tf.math.log(1 + e), grad)
        c = tf.constant(100.0)
        with tf.GradientTape() as t:
            t.watch(c)
            y = log1pexp(c)
        show(t.gradient(y, c))
        a, b = (tf.Variable(2.0), tf.Variable(3.0))
        with tf.GradientTape() as t:
            z = tf.stop_gradient(a * b) + a
        show(t.gradient(z, {'a': a, 'b': b}), None if False else 0)
        with tf.GradientTape() as t:
            z = a * a
        show(t.gradient(z, [a, b], unconnected_gradients=tf.UnconnectedGradients.ZERO))
        with tf.GradientTape(watch_accessed_variables=False) as t:
            t.watch(b)
            z = a * b
        show(t.gradient(z, [a, b]))
        m = tf.Variable(tf.ones((2, 2)))
        with tf.GradientTape() as t:
            v = tf.linalg.det(m + tf.constant([[1.0, 0.0], [0.0, 2.0]]))
        show(t.gradient(v, m))
        e = tf.Variable(np.arange(8, dtype='float32').reshape(4, 2))
        with tf.GradientTape() as t:
            l = tf.reduce_sum(tf.gather(e, [1, 1, 3]) ** 2)
        show(tf.convert_to_tensor(t.gradient(l, e)))
        with tf.GradientTape() as t:
            l = tf.reduce_sum(tf.nn.embedding_lookup(e, [0, 2]))
        o = keras.optimizers.Adagrad(0.1)
        o.apply_gradients([(t.gradient(l, e), e)])
        show(e)

        def f(x):
            return tf.map_fn(lambda r: r * tf.reduce_sum(r), x)
        w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as t:
            l = tf.reduce_sum(f(w))
        show(t.gradient(l, w))

        @tf.function
        def wl(x):
            i = tf.constant(0)
            y = x
            while i < 3:
                y = y * x
                i += 1
            return y
        with tf.GradientTape() as t:
            y = wl(a)
        show(y, t.gradient(y, a))
        show(tf.hessians if False else 0)"""), {"rtol": 0.001}),
    ("schedules", case("""
        s = [keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9, staircase=True), keras.optimizers.schedules.CosineDecay(0.1, 20, alpha=0.1, warmup_target=0.2, warmup_steps=5), keras.optimizers.schedules.PiecewiseConstantDecay([5, 10], [1.0, 0.5, 0.1]), keras.optimizers.schedules.PolynomialDecay(0.1, 10, 0.01, power=2.0, cycle=True), keras.optimizers.schedules.InverseTimeDecay(0.1, 2, 0.5), keras.optimizers.schedules.CosineDecayRestarts(0.1, 5)]
        show([[float(f(i)) for i in (0, 1, 4, 5, 7, 12, 25)] for f in s])

        class Noam(keras.optimizers.schedules.LearningRateSchedule):

            def __init__(self, d_model, warmup_steps=4000):
                super().__init__()
                self.d_model = tf.cast(d_model, tf.float32)
                self.warmup_steps = warmup_steps

            def __call__(self, step):
                step = tf.cast(step, dtype=tf.float32)
                return tf.math.rsqrt(self.d_model) * tf.math.minimum(tf.math.rsqrt(step), step * self.warmup_steps ** (-1.5))
        m = det(keras.Sequential([keras.Input((2,)), layers.Dense(1)]))
        m.compile(keras.optimizers.Adam(Noam(16, 4), beta_1=0.9, beta_2=0.98, epsilon=1e-09), 'mse')
        h = m.fit(np.ones((8, 2), 'float32'), np.ones((8, 1), 'float32'), batch_size=2, epochs=2, verbose=0)
        show(h.history, float(m.optimizer.learning_rate))
        m.compile(keras.optimizers.SGD(0.1), 'mse')
        lrs = []
        h = m.fit(np.ones((4, 2), 'float32'), np.ones((4, 1), 'float32'), epochs=3, verbose=0, callbacks=[keras.callbacks.LearningRateScheduler(lambda e, lr: lr * 0.5), keras.callbacks.LambdaCallback(on_epoch_end=lambda e, logs: lrs.append(float(m.optimizer.learning_rate)))])
        show(lrs, h.history)
        m.optimizer.learning_rate = 0.3
        show(float(m.optimizer.learning_rate))
        m.optimizer.learning_rate.assign(0.7)
        show(float(m.optimizer.learning_rate))"""), {"rtol": 0.001}),
    ("gradient_accumulation_ema", case("""
        v = tf.Variable([1.0, 2.0])
        o = keras.optimizers.SGD(0.1, gradient_accumulation_steps=2)
        for i in range(4):
            o.apply_gradients([(tf.constant([1.0, float(i)]), v)])
            show(v)
        w = tf.Variable(1.0)
        o = keras.optimizers.AdamW(0.1, weight_decay=0.1, use_ema=True, ema_momentum=0.5, clipnorm=0.5)
        for i in range(3):
            o.apply_gradients([(tf.constant(2.0), w)])
        show(w)
        o.finalize_variable_values([w])
        show(w)
        for cls in ('SGD', 'Adam', 'RMSprop', 'Adagrad', 'Adadelta', 'Adamax', 'Nadam', 'Ftrl', 'AdamW', 'Lion', 'Adafactor', 'Lamb'):
            u = tf.Variable([[1.0, -2.0], [0.5, 3.0]])
            o = getattr(keras.optimizers, cls)(learning_rate=0.05)
            for i in range(3):
                with tf.GradientTape() as t:
                    l = tf.reduce_sum(u ** 2)
                o.apply_gradients(zip(t.gradient(l, [u]), [u]))
            show(cls, u, o.get_config()['learning_rate'])
        o = keras.optimizers.Adam()
        m = det(keras.Sequential([keras.Input((2,)), layers.Dense(1)]))
        o.build(m.trainable_variables)
        show(len(o.variables))"""), {"rtol": 0.001}),
    ("callbacks_misc", case("""
        import tempfile, os
        d = tempfile.mkdtemp()
        X = np.linspace(0, 1, 32).astype('float32').reshape(-1, 1)
        Y = 2 * X
        m = det(keras.Sequential([keras.Input((1,)), layers.Dense(1)]))
        m.compile(keras.optimizers.SGD(0.5), 'mse')
        es = keras.callbacks.EarlyStopping(monitor='loss', patience=2, min_delta=0.001, restore_best_weights=True)
        rl = keras.callbacks.ReduceLROnPlateau(monitor='loss', factor=0.5, patience=1, min_delta=0.01)
        h = m.fit(X, Y, epochs=30, batch_size=8, shuffle=False, verbose=0, callbacks=[es, rl, keras.callbacks.CSVLogger(d + '/l.csv'), keras.callbacks.ModelCheckpoint(d + '/m-{epoch:02d}.keras', save_best_only=True, monitor='loss'), keras.callbacks.TerminateOnNaN()])
        show(h.history)
        show(es.stopped_epoch)
        show(open(d + '/l.csv').readline())
        show(sorted(os.listdir(d))[:3])
        show(float(m.optimizer.learning_rate))
        order = []

        class A(keras.callbacks.Callback):

            def on_batch_end(self, b, logs=None):
                order.append('A.on_batch_end')

            def on_train_batch_end(self, b, logs=None):
                order.append('A.on_train_batch_end')

        class B(keras.callbacks.Callback):

            def on_batch_end(self, b, logs=None):
                order.append('B.on_batch_end')
        m.fit(X, Y, batch_size=32, verbose=0, callbacks=[A(), B()])
        show(order)"""), {"rtol": 0.001}),
    ("custom_metric_callback", case("""
        class F1(keras.metrics.Metric):

            def __init__(self, name='f1', **kw):
                super().__init__(name=name, **kw)
                self.tp = self.add_weight(name='tp', initializer='zeros')
                self.fp = self.add_weight(name='fp', initializer='zeros')
                self.fn = self.add_weight(name='fn', initializer='zeros')

            def update_state(self, y_true, y_pred, sample_weight=None):
                y_true = tf.cast(y_true, 'float32')
                p = tf.cast(y_pred > 0.5, 'float32')
                self.tp.assign_add(tf.reduce_sum(y_true * p))
                self.fp.assign_add(tf.reduce_sum((1 - y_true) * p))
                self.fn.assign_add(tf.reduce_sum(y_true * (1 - p)))

            def result(self):
                return 2 * self.tp / (2 * self.tp + self.fp + self.fn + 1e-07)

            def reset_state(self):
                for v in self.variables:
                    v.assign(0.0)
        log = []

        class Rec(keras.callbacks.Callback):

            def on_train_begin(self, logs=None):
                log.append('tb')

            def on_epoch_begin(self, e, logs=None):
                log.append(f'eb{e}')

            def on_train_batch_begin(self, b, logs=None):
                log.append(f'b{b}')

            def on_train_batch_end(self, b, logs=None):
                log.append(f'e{b}:' + ','.join(sorted(logs)))

            def on_test_begin(self, logs=None):
                log.append('testb')

            def on_test_batch_end(self, b, logs=None):
                log.append(f'te{b}')

            def on_test_end(self, logs=None):
                log.append('teste:' + ','.join(sorted(logs)))

            def on_epoch_end(self, e, logs=None):
                log.append(f'ee{e}:' + ','.join(sorted(logs)))

            def on_train_end(self, logs=None):
                log.append('te:' + ','.join(sorted(logs or {})))
        r = np.random.RandomState(0)
        X, Y = (r.normal(size=(20, 3)).astype('float32'), r.randint(0, 2, (20, 1)))
        m = det(keras.Sequential([keras.Input((3,)), layers.Dense(1, activation='sigmoid')]))
        m.compile('sgd', 'binary_crossentropy', metrics=[F1(), 'AUC', keras.metrics.Precision(name='prec')])
        h = m.fit(X, Y, batch_size=8, epochs=2, validation_split=0.25, shuffle=False, verbose=0, callbacks=[Rec()])
        show(h.history, log)"""), {"rtol": 0.001}),
    ("class_weights", case("""
        r = np.random.RandomState(0)
        X, Y = (r.normal(size=(12, 3)).astype('float32'), r.randint(0, 3, 12))
        for eager in (False, True):
            for y, loss in ((Y, 'sparse_categorical_crossentropy'), (np.eye(3, dtype='float32')[Y], 'categorical_crossentropy')):
                m = det(keras.Sequential([keras.Input((3,)), layers.Dense(3, activation='softmax')]))
                m.compile('sgd', loss, weighted_metrics=['accuracy'], run_eagerly=eager)
                h = m.fit(X, y, batch_size=5, epochs=2, shuffle=False, verbose=0, class_weight={0: 1.0, 1: 5.0, 2: 0.5})
                show(h.history)
            m = det(keras.Sequential([keras.Input((3,)), layers.Dense(3, activation='softmax')]))
            m.compile('sgd', 'sparse_categorical_crossentropy', run_eagerly=eager)
            h = m.fit(X, Y, batch_size=5, epochs=2, shuffle=False, verbose=0, sample_weight=np.arange(12) / 10.0)
            show(h.history)
            h = m.fit(tf.data.Dataset.from_tensor_slices((X, Y)).batch(5), epochs=1, verbose=0, class_weight={0: 1.0, 1: 5.0, 2: 0.5})
            show(h.history)"""), {"rtol": 0.001}),
    ("mixed_precision", case("""
        keras.mixed_precision.set_global_policy('mixed_bfloat16')
        m = keras.Sequential([keras.Input((4,)), layers.Dense(8, activation='relu'), layers.Dense(2), layers.Activation('softmax', dtype='float32')])
        det(m)
        show(m.layers[0].compute_dtype)
        show(m.layers[0].variable_dtype)
        show(str(m.layers[0].kernel.dtype).replace("<dtype: '", '').replace("'>", ''))
        show(m.layers[2].compute_dtype)
        o = m(np.ones((2, 4), 'float32'))
        show(o.dtype.name if hasattr(o.dtype, 'name') else str(o.dtype))
        m.compile('sgd', 'sparse_categorical_crossentropy')
        h = m.fit(np.ones((8, 4), 'float32'), np.zeros(8), epochs=2, verbose=0)
        show([round(v, 2) for v in h.history['loss']])
        keras.mixed_precision.set_global_policy('mixed_float16')
        m = keras.Sequential([keras.Input((4,)), layers.Dense(2)])
        m.compile(keras.optimizers.Adam(), 'mse')
        show(type(m.optimizer).__name__)
        opt = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.SGD(0.1), initial_scale=1024.0)
        v = tf.Variable(1.0)
        with tf.GradientTape() as t:
            l = v * 3.0
            sl = opt.scale_loss(l)
        g = t.gradient(sl, [v])
        opt.apply_gradients(zip(g, [v]))
        show(float(sl), v)
        keras.mixed_precision.set_global_policy('float32')"""), {"rtol": 0.001}),
    ("save_load", case("""
        import tempfile, os
        d = tempfile.mkdtemp()

        @keras.saving.register_keras_serializable(package='my')
        class Scale(layers.Layer):

            def __init__(self, k=2.0, **kw):
                super().__init__(**kw)
                self.k = k

            def build(self, s):
                self.w = self.add_weight(shape=(s[-1],), initializer='ones', name='w')
                self.built = True

            def call(self, x):
                return x * self.w * self.k

            def get_config(self):
                c = super().get_config()
                c.update({'k': self.k})
                return c
        inp = keras.Input((3,))
        o = layers.Dense(2, kernel_regularizer=keras.regularizers.L2(0.01))(Scale(3.0)(inp))
        m = det(keras.Model(inp, o))
        m.compile(keras.optimizers.Adam(0.01), 'mse', metrics=['mae'])
        X = np.ones((6, 3), 'float32')
        Y = np.zeros((6, 2), 'float32')
        m.fit(X, Y, epochs=2, verbose=0)
        m.save(d + '/m.keras')
        m2 = keras.models.load_model(d + '/m.keras')
        show(np.allclose(m(X), m2(X)), m2.evaluate(X, Y, verbose=0), int(m2.optimizer.iterations), m2.layers[1].k)
        h = m.fit(X, Y, epochs=1, verbose=0, shuffle=False)
        h2 = m2.fit(X, Y, epochs=1, verbose=0, shuffle=False)
        show(h.history, h2.history)
        m.save_weights(d + '/w.weights.h5')
        m3 = keras.models.clone_model(m)
        m3.load_weights(d + '/w.weights.h5')
        show(np.allclose(m(X), m3(X)))
        j = m.to_json()
        m4 = keras.models.model_from_json(j)
        m4.set_weights(m.get_weights())
        show(np.allclose(m(X), m4(X)))
        cfg = m.get_config()
        m5 = keras.Model.from_config(cfg)
        show([l.name for l in m5.layers] == [l.name for l in m.layers])
        ck = tf.train.Checkpoint(model=m, step=tf.Variable(7))
        p = ck.save(d + '/ck')
        m.layers[1].w.assign([0.0, 0.0, 0.0])
        ck.restore(p)
        show(m.layers[1].w, os.path.basename(p))
        mgr = tf.train.CheckpointManager(ck, d + '/mgr', max_to_keep=2)
        [mgr.save() for _ in range(4)]
        show([os.path.basename(q) for q in mgr.checkpoints], os.path.basename(mgr.latest_checkpoint))"""), {"rtol": 0.001}),
    ("learning_tf_module", case("""
        class Dense(tf.Module):

            def __init__(self, i, o, name=None):
                super().__init__(name=name)
                self.w = tf.Variable(tf.ones([i, o]) * 0.1, name='w')
                self.b = tf.Variable(tf.zeros([o]), name='b')

            def __call__(self, x):
                return tf.nn.relu(x @ self.w + self.b)

        class MLP(tf.Module):

            def __init__(self):
                super().__init__()
                self.layers = [Dense(3, 4), Dense(4, 1)]
                self.extra = {'s': tf.Variable(1.0, trainable=False)}

            @tf.function
            def __call__(self, x):
                for l in self.layers:
                    x = l(x)
                return x * self.extra['s']
        m = MLP()
        show(m(tf.ones((2, 3))))
        show(len(m.variables))
        show(len(m.trainable_variables))
        show(len(m.submodules))
        show(m.name)
        show([v.name for v in m.trainable_variables])
        opt = keras.optimizers.SGD(0.1)
        for _ in range(2):
            with tf.GradientTape() as t:
                l = tf.reduce_mean((m(tf.ones((2, 3))) - 1.0) ** 2)
            opt.apply_gradients(zip(t.gradient(l, m.trainable_variables), m.trainable_variables))
            show(l)
        import tempfile
        p = tf.train.Checkpoint(model=m).write(tempfile.mkdtemp() + '/c')
        m.layers[0].w.assign(tf.zeros([3, 4]))
        tf.train.Checkpoint(model=m).read(p)
        show(m.layers[0].w)"""), {"rtol": 0.001}),
    ("rl_reinforce", case("""
        model = det(keras.Sequential([keras.Input((4,)), layers.Dense(8, activation='relu'), layers.Dense(2)]))
        opt = keras.optimizers.RMSprop(0.01)

        def discounted(rewards, gamma=0.9):
            n = tf.shape(rewards)[0]
            returns = tf.TensorArray(dtype=tf.float32, size=n)
            rewards = tf.cast(rewards[::-1], tf.float32)
            s = tf.constant(0.0)
            shape = s.shape
            for i in tf.range(n):
                s = rewards[i] + gamma * s
                s.set_shape(shape)
                returns = returns.write(i, s)
            return returns.stack()[::-1]

        @tf.function
        def train(states, actions, rewards):
            with tf.GradientTape() as t:
                logp = tf.nn.log_softmax(model(states))
                chosen = tf.reduce_sum(logp * tf.one_hot(actions, 2), 1)
                r = discounted(rewards)
                r = (r - tf.reduce_mean(r)) / (tf.math.reduce_std(r) + 1e-08)
                loss = -tf.reduce_sum(chosen * r)
            g = t.gradient(loss, model.trainable_variables)
            g, norm = tf.clip_by_global_norm(g, 1.0)
            opt.apply_gradients(zip(g, model.trainable_variables))
            return (loss, norm)
        st = np.random.RandomState(0).normal(size=(5, 4)).astype('float32')
        show(train(st, [0, 1, 0, 1, 1], [1.0, 0.0, 1.0, 1.0, 0.0]))
        show(train(st, [0, 1, 0, 1, 1], [1.0, 0.0, 1.0, 1.0, 0.0]))
        show(discounted(tf.constant([1.0, 2.0, 3.0])))"""), {"rtol": 0.001}),
]  # fmt: skip
