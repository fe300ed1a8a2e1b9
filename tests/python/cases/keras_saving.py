"""Models and weights in files, and checkpoints."""

START = """
        import os, tempfile
        folder = tempfile.mkdtemp()
        x = rng.normal(size=(6, 4)).astype('float32')
        y = rng.normal(size=(6, 1)).astype('float32')
        def fixed(model):
            model.set_weights([rng.normal(size=w.shape).astype(w.dtype) for w in model.get_weights()])
            return model
        def small():
            return fixed(keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation='relu'), keras.layers.Dense(1)]))
        def at(name):
            return os.path.join(folder, name)
        def same(a, b):
            return bool(np.allclose(np.asarray(a), np.asarray(b), atol=1e-5))
"""


def case(text):
    return START + (text if text.startswith("\n") else "        " + text)


CASES = [
    ("save_load", case("m = small()\n        m.save(at('m.keras'))\n        again = keras.models.load_model(at('m.keras'))\n        result = [same(again(x), m(x)), [l.name for l in again.layers] == [l.name for l in m.layers], os.listdir(folder)]")),
    ("save_load_compiled", case("""
        m = small()
        m.compile(keras.optimizers.Adam(0.01), 'mse', metrics=['mae'])
        m.fit(x, y, epochs=2, shuffle=False, verbose=0)
        m.save(at('m.keras'))
        again = keras.saving.load_model(at('m.keras'))
        a = again.fit(x, y, epochs=1, shuffle=False, verbose=0).history['loss']
        b = m.fit(x, y, epochs=1, shuffle=False, verbose=0).history['loss']
        result = [same(a, b), int(again.optimizer.iterations), type(again.optimizer).__name__, round(float(again.optimizer.learning_rate), 5)]""")),
    ("load_without_compile", case("m = small()\n        m.compile('sgd', 'mse')\n        m.save(at('m.keras'))\n        again = keras.models.load_model(at('m.keras'), compile=False)\n        result = again.fit(x, y)")),
    ("save_functional", case("""
        a, b = keras.Input((4,), name='a'), keras.Input((2,), name='b')
        h = keras.layers.Dense(3, name='h')
        u = keras.layers.Concatenate(name='c')([h(a), b])
        m = fixed(keras.Model([a, b], {'p': keras.layers.Dense(1, name='p')(u), 'q': keras.layers.Dense(2, name='q')(h(a))}, name='net'))
        m.save(at('m.keras'))
        again = keras.models.load_model(at('m.keras'))
        first, second = m([x, x[:, :2]]), again([x, x[:, :2]])
        result = [same(first['p'], second['p']), same(first['q'], second['q']), again.name, [l.name for l in again.layers] == [l.name for l in m.layers]]""")),
    ("save_nested", case("""
        inner = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2)], name='inner')
        i = keras.Input((4,))
        m = fixed(keras.Model(i, keras.layers.Dense(1)(inner(i))))
        m.save(at('m.keras'))
        result = same(keras.models.load_model(at('m.keras'))(x), m(x))""")),
    ("save_recurrent_attention", case("""
        i = keras.Input((5,), dtype='int32')
        h = keras.layers.Embedding(7, 4)(i)
        h = keras.layers.Bidirectional(keras.layers.LSTM(3, return_sequences=True))(h)
        h = keras.layers.MultiHeadAttention(2, 3)(h, h)
        h = keras.layers.TimeDistributed(keras.layers.Dense(2))(h)
        m = fixed(keras.Model(i, keras.layers.GlobalAveragePooling1D()(h)))
        m.save(at('m.keras'))
        t = rng.integers(0, 7, (2, 5))
        result = same(keras.models.load_model(at('m.keras'))(t), m(t))""")),
    ("save_conv", case("""
        m = keras.Sequential([keras.Input((6, 6, 1)), keras.layers.Conv2D(2, 3), keras.layers.BatchNormalization(), keras.layers.MaxPooling2D(), keras.layers.Flatten(), keras.layers.Dropout(0.3), keras.layers.Dense(2)])
        m.set_weights([rng.uniform(0.1, 1.0, w.shape).astype(w.dtype) for w in m.get_weights()])
        m.save(at('m.keras'))
        z = rng.normal(size=(2, 6, 6, 1)).astype('float32')
        result = same(keras.models.load_model(at('m.keras'))(z), m(z))""")),
    ("save_custom_layer", case("""
        @keras.saving.register_keras_serializable(package='t')
        class Scale(keras.layers.Layer):
            def __init__(self, factor, **kwargs):
                super().__init__(**kwargs)
                self.factor = factor
            def build(self, shape):
                self.w = self.add_weight(shape=(shape[-1],), name='w')
            def call(self, inputs):
                return inputs * self.w * self.factor
            def get_config(self):
                return {**super().get_config(), 'factor': self.factor}
        m = fixed(keras.Sequential([keras.Input((4,)), Scale(3.0), keras.layers.Dense(1)]))
        m.save(at('m.keras'))
        result = same(keras.models.load_model(at('m.keras'))(x), m(x))""")),
    ("save_custom_objects", case("""
        class Twice(keras.layers.Layer):
            def call(self, inputs):
                return 2 * inputs
        m = fixed(keras.Sequential([keras.Input((4,)), Twice(), keras.layers.Dense(1)]))
        m.save(at('m.keras'))
        result = same(keras.models.load_model(at('m.keras'), custom_objects={'Twice': Twice})(x), m(x))""")),
    ("save_custom_unknown", case("""
        class Thrice(keras.layers.Layer):
            def call(self, inputs):
                return 3 * inputs
        m = keras.Sequential([keras.Input((4,)), Thrice()])
        m.save(at('m.keras'))
        result = keras.models.load_model(at('m.keras'))""")),
    ("save_subclass", case("""
        @keras.saving.register_keras_serializable(package='t')
        class Net(keras.Model):
            def __init__(self, units, **kwargs):
                super().__init__(**kwargs)
                self.units = units
                self.d = keras.layers.Dense(units)
                self.rest = [keras.layers.Dense(2), keras.layers.Dense(1)]
            def call(self, inputs):
                h = self.d(inputs)
                for layer in self.rest:
                    h = layer(h)
                return h
            def get_config(self):
                return {'units': self.units}
        m = Net(3)
        m(x)
        fixed(m)
        m.save(at('m.keras'))
        result = same(keras.models.load_model(at('m.keras'))(x), m(x))""")),
    ("save_lambda_unsafe", case("""
        m = fixed(keras.Sequential([keras.Input((4,)), keras.layers.Lambda(lambda t: t * 2), keras.layers.Dense(1)]))
        m.save(at('m.keras'))
        result = keras.models.load_model(at('m.keras'))"""), {"raises": "Exception"}),
    ("save_custom_loss", case("""
        @keras.saving.register_keras_serializable(package='t')
        def mine(a, b):
            return tf.reduce_mean(tf.abs(a - b))
        m = small()
        m.compile('sgd', loss=mine)
        m.save(at('m.keras'))
        again = keras.models.load_model(at('m.keras'))
        result = same(again.evaluate(x, y, verbose=0), m.evaluate(x, y, verbose=0))""")),
    ("save_wrong_name", case("result = small().save(at('m.model'))")),
    ("load_missing", case("result = keras.models.load_model(at('none.keras'))")),
    ("load_broken", case("open(at('b.keras'), 'w').write('no zip')\n        result = keras.models.load_model(at('b.keras'))"), {"raises": "Exception"}),
    ("weights", case("m, again = small(), small()\n        m.save_weights(at('w.weights.h5'))\n        again.load_weights(at('w.weights.h5'))\n        result = [same(again(x), m(x)), os.listdir(folder)]")),
    ("weights_wrong_name", case("result = small().save_weights(at('w.h5'))")),
    ("weights_mismatch", case("small().save_weights(at('w.weights.h5'))\n        other = keras.Sequential([keras.Input((4,)), keras.layers.Dense(5), keras.layers.Dense(1)])\n        result = other.load_weights(at('w.weights.h5'))")),
    ("weights_skip_mismatch", case("""
        import warnings
        m = small()
        m.save_weights(at('w.weights.h5'))
        other = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), keras.layers.Dense(2)])
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            other.load_weights(at('w.weights.h5'), skip_mismatch=True)
        result = same(other.get_weights()[0], m.get_weights()[0])""")),
    ("weights_not_built", case("result = keras.Sequential([keras.layers.Dense(1)]).save_weights(at('w.weights.h5'))")),
    ("weights_of_keras_file", case("m, again = small(), small()\n        m.save(at('m.keras'))\n        again.load_weights(at('m.keras'))\n        result = same(again(x), m(x))")),
    ("text_layers", case("""
        v = keras.layers.TextVectorization(output_sequence_length=4)
        v.adapt(['a b c', 'b c', 'c'])
        i = keras.Input((), dtype='string')
        m = keras.Model(i, v(i))
        m.save(at('m.keras'))
        t = tf.constant(['c b', 'a z'])
        result = [m(t), keras.models.load_model(at('m.keras'))(t)]""")),
    ("checkpoint", case("""
        m, o = small(), keras.optimizers.Adam(0.1)
        o.build(m.trainable_variables)
        v = tf.Variable([1.0, 2.0])
        c = tf.train.Checkpoint(v=v)
        path = c.save(at('ck'))
        v.assign([5.0, 6.0])
        c.restore(path)
        result = [v.numpy(), os.path.basename(path), os.path.basename(tf.train.latest_checkpoint(folder)), int(c.save_counter)]""")),
    ("checkpoint_restore_none", case("v = tf.Variable(1.0)\n        tf.train.Checkpoint(v=v).restore(tf.train.latest_checkpoint(folder))\n        result = [v.numpy(), tf.train.latest_checkpoint(folder)]")),
    ("checkpoint_missing", case("result = tf.train.Checkpoint(v=tf.Variable(1.0)).restore(at('none'))"), {"raises": "Exception"}),
    ("checkpoint_manager", case("""
        v = tf.Variable(0.0)
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(step=tf.Variable(1), v=v), folder, max_to_keep=2)
        for i in range(4):
            v.assign(float(i))
            manager.save()
        w = tf.Variable(9.0)
        c = tf.train.Checkpoint(step=tf.Variable(1), v=w)
        again = tf.train.CheckpointManager(c, folder, max_to_keep=2)
        c.restore(again.latest_checkpoint)
        result = [[os.path.basename(p) for p in manager.checkpoints], w.numpy(), os.path.basename(again.latest_checkpoint), int(c.save_counter)]""")),
    ("checkpoint_model", case("""
        m, n = small(), small()
        path = tf.train.Checkpoint(model=m).save(at('ck'))
        tf.train.Checkpoint(model=n).restore(path)
        result = same(m(x), n(x))"""), ),
    ("private_attributes_of_modules", """
        import tempfile
        class Counter(tf.Module):
            def __init__(self):
                super().__init__()
                self._count = tf.Variable(1.0)
                self.parts = [tf.Variable(2.0)]
        counter = Counter()
        path = tf.train.Checkpoint(counter=counter).write(tempfile.mkdtemp() + '/c')
        counter._count.assign(7.0)
        counter.parts[0].assign(8.0)
        tf.train.Checkpoint(counter=counter).read(path).assert_consumed()
        result = [counter._count, counter.parts[0]]"""),
]  # fmt: skip
