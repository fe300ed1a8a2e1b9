"""Whole programs: models and layers as tutorials write them."""

from cases.programs_training import case

CASES = [
    ("vae_keras3", case("""
        class Sampling(layers.Layer):

            def __init__(self, **kw):
                super().__init__(**kw)
                self.seed_generator = keras.random.SeedGenerator(1337)

            def call(self, inputs):
                m, lv = inputs
                eps = keras.random.normal(shape=(keras.ops.shape(m)[0], keras.ops.shape(m)[1]), seed=self.seed_generator)
                return m + keras.ops.exp(0.5 * lv) * eps
        s = Sampling()
        m, lv = (tf.zeros((4, 2)), tf.zeros((4, 2)))

        @tf.function
        def f(m, lv):
            return s((m, lv))
        a, b, c = (f(m, lv), f(m, lv), s((m, lv)))
        show(bool(np.allclose(a, b)), bool(np.allclose(b, c)), a.shape)
        inp = keras.Input((6,))
        h = layers.Dense(5, activation='relu')(inp)
        zm = layers.Dense(2, name='zm')(h)
        zl = layers.Dense(2, name='zl')(h)
        z = Sampling()([zm, zl])
        enc = keras.Model(inp, [zm, zl, z], name='encoder')
        li = keras.Input((2,))
        dec = keras.Model(li, layers.Dense(6, activation='sigmoid')(layers.Dense(5, activation='relu')(li)), name='decoder')

        class VAE(keras.Model):

            def __init__(self, enc, dec, **kw):
                super().__init__(**kw)
                self.encoder, self.decoder = (enc, dec)
                self.total = keras.metrics.Mean(name='loss')
                self.rec = keras.metrics.Mean(name='reconstruction_loss')
                self.kl = keras.metrics.Mean(name='kl_loss')

            @property
            def metrics(self):
                return [self.total, self.rec, self.kl]

            def train_step(self, data):
                with tf.GradientTape() as tape:
                    zm, zl, z = self.encoder(data)
                    r = self.decoder(z)
                    rl = keras.ops.mean(keras.ops.sum(keras.losses.binary_crossentropy(data[..., None], r[..., None]), axis=1))
                    kl = -0.5 * (1 + zl - keras.ops.square(zm) - keras.ops.exp(zl))
                    kl = keras.ops.mean(keras.ops.sum(kl, axis=1))
                    t = rl + kl
                g = tape.gradient(t, self.trainable_weights)
                self.optimizer.apply_gradients(zip(g, self.trainable_weights))
                self.total.update_state(t)
                self.rec.update_state(rl)
                self.kl.update_state(kl)
                return {'loss': self.total.result(), 'reconstruction_loss': self.rec.result(), 'kl_loss': self.kl.result()}
        vae = VAE(enc, dec)
        vae.compile(optimizer=keras.optimizers.Adam())
        h = vae.fit(np.random.RandomState(1).uniform(size=(32, 6)).astype('float32'), epochs=2, batch_size=16, verbose=0)
        show(sorted(h.history), len(vae.trainable_weights), [bool(np.isfinite(v).all()) for v in h.history.values()])"""), {"rtol": 0.001}),
    ("masking", case("""
        x = np.random.RandomState(0).normal(size=(3, 5, 2)).astype('float32')
        x[0, 3:] = 0
        x[1, 1:] = 0
        model = det(keras.Sequential([keras.Input((5, 2)), layers.Masking(0.0), layers.LSTM(4, return_sequences=True), layers.TimeDistributed(layers.Dense(3)), layers.GlobalAveragePooling1D()]))
        show(model(x))
        emb = layers.Embedding(6, 3, mask_zero=True)
        ids = np.array([[1, 2, 0], [3, 0, 0]])
        o = emb(ids)
        show(o._keras_mask, emb.compute_mask(ids))

        class MaskUser(layers.Layer):

            def __init__(self):
                super().__init__()
                self.supports_masking = True

            def call(self, inputs, mask=None):
                m = tf.cast(mask, inputs.dtype)[..., None]
                return tf.reduce_sum(inputs * m, 1) / tf.reduce_sum(m, 1)

        class TemporalSoftmax(layers.Layer):

            def call(self, inputs, mask=None):
                e = tf.exp(inputs) * tf.cast(mask, 'float32')[..., None]
                return e / tf.reduce_sum(e, axis=1, keepdims=True)
        m2 = keras.Sequential([keras.Input((3,), dtype='int32'), layers.Embedding(6, 3, mask_zero=True), MaskUser()])
        det(m2)
        show(m2(ids), m2.predict(ids, verbose=0))
        m3 = keras.Sequential([keras.Input((3,), dtype='int32'), layers.Embedding(6, 3, mask_zero=True), TemporalSoftmax()])
        det(m3)
        show(m3(ids))"""), {"rtol": 0.001}),
    ("stateful_layer", case("""
        class MovingMean(layers.Layer):

            def __init__(self, momentum=0.9, **kw):
                super().__init__(**kw)
                self.momentum = momentum

            def build(self, shape):
                self.mean = self.add_weight(name='mean', shape=(shape[-1],), initializer='zeros', trainable=False)
                self.count = self.add_weight(name='count', shape=(), initializer='zeros', trainable=False, dtype='float32')
                super().build(shape)

            def call(self, x, training=False):
                if training:
                    self.mean.assign(self.momentum * self.mean + (1 - self.momentum) * tf.reduce_mean(x, 0))
                    self.count.assign_add(1.0)
                return x - self.mean

            def get_config(self):
                return {**super().get_config(), 'momentum': self.momentum}
        inp = keras.Input((3,))
        o = layers.Dense(1)(MovingMean(0.5)(inp))
        m = det(keras.Model(inp, o), 0.2)
        m.compile('sgd', 'mse')
        x = np.arange(24, dtype='float32').reshape(8, 3) / 10
        m.fit(x, x[:, :1], batch_size=4, epochs=2, shuffle=False, verbose=0)
        show(m.layers[1].mean)
        show(m.layers[1].count)
        show(m.layers[1].get_config()['momentum'])
        show(m.evaluate(x, x[:, :1], verbose=0))
        show(len(m.trainable_weights))
        show(len(m.non_trainable_weights))"""), {"rtol": 0.001}),
    ("layer_nesting", case("""
        class Block(layers.Layer):

            def __init__(self, units, **kw):
                super().__init__(**kw)
                self.units = units
                self.fcs = [layers.Dense(units) for _ in range(2)]
                self.d = {'out': layers.Dense(1)}

            def call(self, x, training=None):
                for f in self.fcs:
                    x = tf.nn.relu(f(x))
                self.add_loss(0.01 * tf.reduce_sum(tf.square(x)))
                return self.d['out'](x)

        class Net(keras.Model):

            def __init__(self):
                super().__init__()
                self.block = Block(4, name='blk')
                self.bn = layers.BatchNormalization(name='bn')

            def call(self, x, training=False):
                return self.bn(self.block(x), training=training)
        n = Net()
        X = np.random.RandomState(0).normal(size=(8, 3)).astype('float32')
        n(X)
        det(n)
        show(len(n.weights))
        show([w.shape.as_list() if hasattr(w.shape, 'as_list') else list(w.shape) for w in n.weights])
        show(len(n.losses))
        show(len(n.trainable_weights))
        n(X)
        show(n.losses)
        n.compile('sgd', 'mse')
        h = n.fit(X, X[:, :1], epochs=2, batch_size=4, shuffle=False, verbose=0)
        show(h.history, n.evaluate(X, X[:, :1], verbose=0))
        show([l.name for l in n.layers], [w.path for w in n.block.weights][:2] if False else 0, n.get_layer('blk').units)

        class Linear(layers.Layer):

            def __init__(self, units=2, **kw):
                super().__init__(**kw)
                self.units = units

            def build(self, s):
                self.w = self.add_weight(shape=(s[-1], self.units), initializer='ones', trainable=True, regularizer=keras.regularizers.l2(0.1), constraint=keras.constraints.NonNeg())
                self.b = self.add_weight(shape=(self.units,), initializer='zeros')

            def call(self, x):
                return tf.matmul(x, self.w) + self.b

            def get_config(self):
                c = super().get_config()
                c['units'] = self.units
                return c
        l = Linear(3)
        show(l(X[:1]), l.losses, l.get_config()['units'], Linear.from_config(l.get_config()).units, l.count_params())
        m = keras.Sequential([keras.Input((3,)), Linear(1)])
        m.compile('sgd', 'mse')
        show(m.fit(X, X[:, :1] * -5, epochs=2, shuffle=False, verbose=0).history, m.layers[0].w)"""), {"rtol": 0.001}),
    ("text_pipeline", case("""
        texts = ['the cat sat on the mat', 'the dog ate my homework!', 'cats and dogs, living together', 'a cat', 'dog dog dog']
        labels = [0, 1, 1, 0, 1]
        ds = tf.data.Dataset.from_tensor_slices((texts, labels))
        vec = layers.TextVectorization(max_tokens=12, output_sequence_length=5)
        vec.adapt(ds.map(lambda t, l: t).batch(2))
        show(vec.get_vocabulary(), vec(['the cat zzz', 'dog']))
        tds = ds.map(lambda t, l: (vec(t), l)).batch(2)
        for x, y in tds:
            show(x, y)
        m = det(keras.Sequential([keras.Input((5,), dtype='int64'), layers.Embedding(12, 4), layers.GlobalAveragePooling1D(), layers.Dense(1, activation='sigmoid')]))
        m.compile('adam', 'binary_crossentropy', metrics=['accuracy'])
        h = m.fit(tds, epochs=2, verbose=0)
        show(h.history)

        def standardize(s):
            s = tf.strings.lower(s)
            s = tf.strings.regex_replace(s, '[^a-z ]', '')
            return s
        words = ds.map(lambda t, l: tf.strings.split(standardize(t)))
        for w in words.take(2):
            show(w)
        vec2 = layers.TextVectorization(standardize=standardize, split='whitespace', output_mode='multi_hot', max_tokens=8)
        vec2.adapt(texts)
        show(vec2(texts[:2]))
        n = layers.TextVectorization(ngrams=2, output_mode='count', max_tokens=10)
        n.adapt(texts)
        show(n(['the cat sat']), n.get_vocabulary())
        t = layers.TextVectorization(output_mode='tf_idf', max_tokens=10)
        t.adapt(texts)
        show(t(['the cat dog dog']))"""), {"rtol": 0.001}),
    ("keras_ops", case("""
        o = keras.ops
        x = np.arange(6, dtype='float32').reshape(2, 3)
        show(o.expand_dims(x, (-2, -1)).shape)
        show(o.expand_dims(x, (0, -1)).shape)
        show(o.scatter_update(x, [[0, 1]], [9.0]))
        show(o.slice_update(x, [0, 1], np.ones((2, 2), 'float32')))
        show(o.segment_sum(np.array([1.0, 2.0, 3.0], 'float32'), np.array([0, 0, 1])))
        show(o.one_hot([0, 2], 3))
        show(o.softmax(x))
        show(o.logsumexp(x, 1))
        show(o.top_k(x, 2)[0])
        show(o.einsum('ij,kj->ik', x, x))
        show(o.norm(x))
        show(o.where(x > 2, x, 0.0))
        show(o.take_along_axis(x, np.array([[2, 0], [1, 1]]), 1))
        show(o.cumsum(x, 1))
        show(o.clip(x, 1, 4))
        show(o.argsort(-x))
        show(o.mean(x, axis=0))
        show(o.var(x))
        show(o.std(x, 1))
        show(o.median(x, 1))
        show(o.quantile(x, 0.3))
        show(o.pad(x, ((1, 1), (0, 1))))
        show(o.flip(x, 1))
        show(o.roll(x, 1, 1))
        show(o.tile(x, (2, 1)))
        show(o.repeat(x, 2, 1))
        show(o.split(x, 3, 1))
        show(o.stack([x, x], 1).shape)
        show(o.concatenate([x, x], -1))
        show(o.unstack(x))
        show(o.meshgrid(o.arange(2), o.arange(3)))
        show(o.linspace(0.0, 1.0, 4))
        show(o.tri(3))
        show(o.eye(2))
        show(o.outer([1.0, 2.0], [3.0, 4.0]))
        show(o.dot(x, x.T))
        show(o.isnan(x))
        show(o.sign(-x))
        show(o.relu(x - 2))
        show(o.gelu(x))
        show(o.silu(x))
        show(o.sigmoid(x))
        show(o.hard_sigmoid(x))
        show(o.elu(-x))
        show(o.log_softmax(x))
        show(o.erf(x))
        show(o.rsqrt(x + 1))
        show(o.square(x))
        show(o.maximum(x, 2))
        show(o.all(x > 0))
        show(o.any(x > 4))
        show(o.count_nonzero(x))
        show(o.bincount([0, 1, 1, 3]))
        show(o.digitize(x, [1.0, 3.0]))
        show(o.signbit([-0.0, 0.0, -1.0]))
        show(o.nan_to_num([np.nan, np.inf]))
        show(o.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
        show(o.in_top_k([1], [[0.1, 0.9]], 1))
        show(o.cast(x, 'int32'))
        show(o.shape(x))
        show(o.size(x))
        show(o.ndim(x))
        show(o.trace(x))
        show(o.diag([1.0, 2.0]))
        show(o.tril(x))
        show(o.triu(x))
        show(o.average(x, weights=[1.0, 2.0, 3.0], axis=1))
        show(o.vectorized_map(lambda r: r * 2, x))
        show(o.scan(lambda c, a: (c + a, c * a), 0.0, np.array([1.0, 2.0, 3.0], 'float32')))
        show(o.while_loop(lambda i: i < 5, lambda i: i + 2, 0))
        show(o.fori_loop(0, 3, lambda i, v: v + i, 0))
        show(o.cond(True, lambda: 1, lambda: 2))
        show(o.map(lambda r: o.sum(r), x))
        show(o.switch(1, [lambda a: a, lambda a: a * 2], 3.0))
        show(o.fft((x, x))[0])
        show(o.moments(x, [0]))
        show(o.normalize(x, axis=1))
        show(o.moveaxis(x, 0, 1).shape)
        show(o.image.resize(np.ones((4, 4, 1), 'float32'), (2, 2)))
        show(o.conv(np.ones((1, 4, 4, 1), 'float32'), np.ones((2, 2, 1, 1), 'float32')))
        show(o.max_pool(np.arange(16, dtype='float32').reshape(1, 4, 4, 1), 2))
        show(o.dot_product_attention(np.ones((1, 2, 1, 4), 'float32'), np.ones((1, 2, 1, 4), 'float32'), np.ones((1, 2, 1, 4), 'float32')))
        show(o.binary_crossentropy([1.0, 0.0], [0.9, 0.2]))
        show(o.select([x > 3], [x], 0.0))
        show(o.logaddexp(x, x))
        show(o.isclose(x, x))
        show(o.lstsq(np.eye(2, dtype='float32'), np.ones(2, 'float32')))
        show(o.rot90(x))

        @tf.function
        def f(x, i):
            return o.slice_update(x, (i, 0), tf.ones((1, 3)))
        show(f(tf.constant(x), tf.constant(1)))
        for red in ('add', 'max', 'min', 'mul'):
            show(o.scatter_update(x, [[0, 1]], [3.0], reduction=red))"""), {"rtol": 0.001}),
    ("autograph", case("""
        @tf.function
        def collatz(n):
            steps = 0
            while n != 1:
                if n % 2 == 0:
                    n = n // 2
                else:
                    n = 3 * n + 1
                steps += 1
            return steps
        show(collatz(tf.constant(6)))

        @tf.function
        def fizz(n):
            out = tf.TensorArray(tf.int32, size=7)
            for i in tf.range(n):
                if i == 5:
                    continue
                if i % 3 == 0 and i % 2 == 0:
                    v = 6
                elif i % 3 == 0:
                    v = 3
                else:
                    v = i
                out = out.write(i, v)
            return out.stack()
        show(fizz(tf.constant(7)))

        @tf.function
        def nested(n):
            t = 0
            for i in tf.range(n):
                for j in tf.range(i):
                    if j == 2:
                        break
                    t += i * j
                if t > 30:
                    continue
                t += 1
            return t
        show(nested(tf.constant(6)))

        @tf.function
        def cond_none(x, training=None):
            if training:
                return x * 2
            return x if tf.reduce_sum(x) > 0 else -x
        show(cond_none(tf.constant([-1.0, -2.0])), cond_none(tf.constant([1.0]), training=True))

        @tf.function
        def prints(x):
            tf.print('x', x, summarize=2)
            tf.debugging.assert_positive(x)
            return x
        show(prints(tf.constant([1, 2])))
        try:
            prints(tf.constant([-1, 2]))
            show('no')
        except tf.errors.InvalidArgumentError:
            show('assert')

        class Counter(tf.Module):

            def __init__(self):
                super().__init__()
                self.v = None

            @tf.function
            def __call__(self, x):
                if self.v is None:
                    self.v = tf.Variable(0.0)
                self.v.assign_add(x)
                return self.v
        c = Counter()
        show(c(1.0), c(tf.constant(2.0)), len(c.variables))
        f = tf.function(lambda x, y: x + y, input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)])
        show(f([1.0, 2.0], 3.0))
        cf = f.get_concrete_function()
        show(cf(tf.constant([1.0]), tf.constant(2.0)))

        @tf.function
        def lst(x):
            l = []
            for i in range(3):
                l.append(x * i)
            return tf.stack(l)
        show(lst(tf.constant(2)))

        @tf.function
        def chained(x):
            return 0 < x < 5
        show(chained(tf.constant(3)), chained(tf.constant(7)))"""), {"rtol": 0.001}),
    ("tfrecord_feature", case("""
        import tempfile
        d = tempfile.mkdtemp()
        p = d + '/x.tfrecord'

        def feat(i):
            return tf.train.Example(features=tf.train.Features(feature={'id': tf.train.Feature(int64_list=tf.train.Int64List(value=[i])), 'v': tf.train.Feature(float_list=tf.train.FloatList(value=[i, i * 2.0])), 's': tf.train.Feature(bytes_list=tf.train.BytesList(value=[b'n%d' % i])), 'var': tf.train.Feature(int64_list=tf.train.Int64List(value=list(range(i))))}))
        with tf.io.TFRecordWriter(p) as w:
            for i in range(3):
                w.write(feat(i).SerializeToString())
        spec = {'id': tf.io.FixedLenFeature([], tf.int64), 'v': tf.io.FixedLenFeature([2], tf.float32), 's': tf.io.FixedLenFeature([], tf.string, default_value=''), 'var': tf.io.VarLenFeature(tf.int64), 'missing': tf.io.FixedLenFeature([1], tf.float32, default_value=[7.0])}
        for e in tf.data.TFRecordDataset([p]).map(lambda r: tf.io.parse_single_example(r, spec)):
            show(e['id'], e['v'], e['s'], tf.sparse.to_dense(e['var']), e['missing'])
        b = tf.io.parse_example([feat(i).SerializeToString() for i in range(3)], spec)
        show(b['id'], tf.sparse.to_dense(b['var']), b['var'].dense_shape)
        for e in tf.data.TFRecordDataset(p).batch(2).map(lambda r: tf.io.parse_example(r, {'var': tf.io.RaggedFeature(tf.int64), 'v': tf.io.FixedLenFeature([2], tf.float32)})):
            show(e['var'].to_list(), e['v'])
        x = tf.io.serialize_tensor(tf.constant([[1.5]]))
        show(tf.io.parse_tensor(x, tf.float32))
        ex = tf.train.Example.FromString(feat(1).SerializeToString())
        show(ex.features.feature['id'].int64_list.value[0], sorted(ex.features.feature))
        tf.io.write_file(d + '/a.txt', 'hello\\nworld')
        show(tf.io.read_file(d + '/a.txt'))
        show([l for l in tf.data.TextLineDataset(d + '/a.txt')])
        show(tf.io.gfile.exists(d + '/a.txt'))
        show([f.endswith('a.txt') for f in tf.io.gfile.glob(d + '/*.txt')])"""), {"rtol": 0.001}),
]  # fmt: skip
