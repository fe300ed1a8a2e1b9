"""SavedModels: what is loaded does what was saved."""

START = """
        import os, tempfile
        folder = tempfile.mkdtemp()
        def at(name):
            return os.path.join(folder, name)
        def again(obj, **kwargs):
            tf.saved_model.save(obj, at('m'), **kwargs)
            return tf.saved_model.load(at('m'))
        x = rng.normal(size=(5, 3)).astype('float32')
        class Linear(tf.Module):
            def __init__(self, n=2):
                super().__init__()
                self.w = tf.Variable(np.arange(3 * n, dtype='float32').reshape(3, n), name='w')
                self.b = tf.Variable(np.ones(n, 'float32'), trainable=False, name='b')
            @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
            def __call__(self, x):
                return tf.matmul(x, self.w) + self.b
            @tf.function
            def scaled(self, x, factor=2.0, twice=False):
                y = x * factor
                return {'y': y, 'all': [y + 1, (y - 1, 'text')]} if twice else y
        def model():
            m = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, activation='relu'), keras.layers.Dense(2)])
            m.set_weights([rng.normal(size=w.shape).astype(w.dtype) for w in m.get_weights()])
            return m
        def same(a, b):
            return bool(np.allclose(np.asarray(a), np.asarray(b), atol=1e-5))
        def raises(f):
            try:
                return f()
            except Exception as error:
                return [c.__name__ for c in (ValueError, TypeError, KeyError, AttributeError, AssertionError, OSError) if isinstance(error, c)][:1]
"""


def case(text):
    return START + (text if text.startswith("\n") else "        " + text)


CASES = [
    (
        "module_call",
        case(
            "m = Linear()\n        g = again(m)\n        result = [g(tf.constant(x)), g(tf.constant(x[:1])), g(x), g.w, g.b]"
        ),
    ),
    (
        "batch_of_none_and_one",
        case("g = again(Linear())\n        result = [g(tf.zeros((0, 3))), g(tf.ones((1, 3))), g([[1., 2., 3.]])]"),
    ),
    (
        "attributes",
        case(
            "g = again(Linear())\n        result = [g.w.trainable, g.b.trainable, g.w.shape, g.b.dtype, g.w.name, hasattr(g, 'scaled'), hasattr(g, 'other'), callable(g)]"
        ),
    ),
    (
        "signatures_default",
        case("""
        g = again(Linear())
        f = g.signatures['serving_default']
        result = [sorted(g.signatures), f(x=tf.constant(x)), f(tf.constant(x)), sorted(f.structured_outputs), {k: [v.shape, v.dtype, v.name] for k, v in f.structured_input_signature[1].items()}, f.structured_outputs['output_0'].shape]"""),
    ),
    (
        "signature_wrong_names",
        case("""
        f = again(Linear()).signatures['serving_default']
        result = [raises(lambda: f(y=tf.constant(x))), raises(lambda: f()), raises(lambda: f(tf.constant(x), tf.constant(x)))]"""),
    ),
    (
        "two_functions_share_variables",
        case("""
        class C(tf.Module):
            def __init__(self):
                super().__init__()
                self.v = tf.Variable(1.0)
            @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
            def add(self, x):
                return self.v.assign_add(x)
            @tf.function(input_signature=[])
            def get(self):
                return self.v * 10.0
        g = again(C())
        a = [g.get(), g.add(2.0), g.get(), g.v]
        g.v.assign(7.0)
        result = a + [g.get(), g.add(tf.constant(1.0))]"""),
    ),
    (
        "traces_as_called",
        case("""
        m = Linear()
        m.scaled(tf.constant(x))
        m.scaled(tf.constant(x), 3.0)
        m.scaled(tf.constant(x[0]), twice=True)
        g = again(m)
        r = g.scaled(tf.constant(x[0]), twice=True)
        result = [g.scaled(tf.constant(x)), g.scaled(tf.constant(x), 3.0), g.scaled(tf.constant(x), factor=3.0), r['y'], r['all'][0], r['all'][1][0],
                  raises(lambda: g.scaled(tf.constant(x), 4.0)), raises(lambda: g.scaled(tf.constant(x[:2]))), raises(lambda: g.scaled(tf.constant([1, 2])))]"""),
    ),
    (
        "untraced",
        case("g = again(Linear())\n        result = [hasattr(g, 'scaled'), raises(lambda: g.scaled(tf.constant(x)))]"),
    ),
    (
        "nothing_to_call",
        case("""
        m = tf.Module()
        m.v = tf.Variable([1.0, 2.0])
        g = again(m)
        result = [g.v, callable(g), raises(lambda: g(1.0)), len(g.signatures)]"""),
    ),
    (
        "concrete_function_attribute",
        case("""
        m = tf.Module()
        m.v = tf.Variable(3.0)
        f = tf.function(lambda x: x * m.v)
        m.f = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
        g = again(m)
        result = [g.f(tf.constant([1.0, 2.0])), g.f(tf.constant([5.0]))]"""),
    ),
    (
        "get_concrete_function_is_kept",
        case("""
        m = tf.Module()
        m.f = tf.function(lambda x: x * 2)
        m.f.get_concrete_function(tf.TensorSpec([None], tf.float32))
        m.f.get_concrete_function(tf.TensorSpec([], tf.int32))
        g = again(m)
        result = [g.f(tf.constant([1.0, 2.0])), g.f(tf.constant(4)), raises(lambda: g.f(tf.constant([1])))]"""),
    ),
    (
        "signatures_argument",
        case("""
        m = Linear()
        m.f = tf.function(lambda t: m(t) + 1.0)
        g = again(m, signatures=m.f.get_concrete_function(tf.TensorSpec([None, 3], tf.float32, name='inputs')))
        f = g.signatures['serving_default']
        result = [sorted(g.signatures), sorted(f(inputs=tf.constant(x))), f(inputs=tf.constant(x))['output_0']]"""),
    ),
    (
        "signatures_dictionary",
        case("""
        m = tf.Module()
        m.v = tf.Variable([1.0, 2.0, 3.0])
        @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, name='rows'), tf.TensorSpec([], tf.float32, name='k')])
        def f(a, k):
            return {'sum': a + m.v * k, 'product': a * m.v}
        @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
        def h(n):
            return n + 1, n - 1
        m.f = f
        g = again(m, signatures={'first': f, 'second': h})
        a = g.signatures['first'](rows=tf.constant(x), k=tf.constant(2.0))
        b = g.signatures['second'](n=tf.constant([1, 2]))
        result = [sorted(g.signatures), a, b, raises(lambda: g.signatures['third'])]"""),
    ),
    (
        "signature_of_what_is_none",
        case("""
        m = Linear()
        result = [raises(lambda: again(m, signatures=m.scaled)), raises(lambda: again(m, signatures={'a': 3}))]"""),
    ),
    (
        "save_what_is_no_object",
        case("result = [raises(lambda: again(3)), raises(lambda: again('text')), raises(lambda: again(lambda: 1))]"),
    ),
    (
        "untracked_variable",
        case("""
        v = tf.Variable(1.0)
        m = tf.Module()
        m.f = tf.function(lambda x: x * v, input_signature=[tf.TensorSpec([], tf.float32)])
        result = raises(lambda: again(m))"""),
    ),
    (
        "load_nothing",
        case(
            "result = [raises(lambda: tf.saved_model.load(at('none'))), tf.saved_model.contains_saved_model(at('none'))]"
        ),
    ),
    (
        "contains",
        case(
            "tf.saved_model.save(Linear(), at('m'))\n        result = [tf.saved_model.contains_saved_model(at('m')), tf.saved_model.contains_saved_model(folder)]"
        ),
    ),
    (
        "nested_modules",
        case("""
        class Stack(tf.Module):
            def __init__(self):
                super().__init__()
                self.layers = [Linear(3), Linear(3)]
                self.head = Linear(2)
                self.by_name = {'a': self.head, 'b': tf.Variable(5.0)}
                self.pair = (tf.Variable(1), tf.Variable(2))
                self.inner = tf.Module()
                self.inner.v = tf.Variable(4.0)
                self.same = self.inner
            @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
            def __call__(self, x):
                for layer in self.layers:
                    x = layer(x)
                return self.head(x) * self.inner.v
        g = again(Stack())
        result = [g(tf.constant(x)), len(g.layers), g.layers[1].w, g.layers[0](tf.constant(x)), g.by_name['b'], g.pair[1], g.inner.v, g.same is g.inner, g.by_name['a'](tf.constant(x))]"""),
    ),
    (
        "cycle_of_objects",
        case("""
        a, b = tf.Module(), tf.Module()
        a.b, b.a, b.v = b, a, tf.Variable(2.0)
        g = again(a)
        result = [g.b.a is g, g.b.v, g.b.a.b.v]"""),
    ),
    (
        "control_flow",
        case("""
        class C(tf.Module):
            @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)])
            def f(self, x, n):
                for i in tf.range(n):
                    if tf.reduce_sum(x) > 10.0:
                        x = x - tf.cast(i, tf.float32)
                    else:
                        x = x * 2.0
                return x
        g = again(C())
        result = [g.f(tf.constant([1.0, 2.0]), 5), g.f(tf.constant([4.0]), tf.constant(3)), g.f(tf.constant([4.0, 1.0, 1.0]), 0)]"""),
    ),
    (
        "shapes_as_values",
        case("""
        class C(tf.Module):
            @tf.function(input_signature=[tf.TensorSpec([None, None, 2], tf.float32)])
            def f(self, x):
                s = tf.shape(x)
                flat = tf.reshape(x, [s[0] * s[1], 2])
                return {'flat': flat, 'size': tf.size(x), 'mean': tf.reduce_mean(x, axis=[0, 1]), 'last': x[-1], 'first': x[:, 0], 'shape': s,
                        'share': tf.reduce_sum(x) / tf.cast(s[0], tf.float32), 'range': tf.range(s[1]), 'zeros': tf.zeros([s[1], s[0]])}
        g = again(C())
        t = rng.normal(size=(2, 3, 2)).astype('float32')
        result = [g.f(tf.constant(t)), g.f(tf.constant(t[:1]))]"""),
    ),
    (
        "structured_signature",
        case("""
        class C(tf.Module):
            @tf.function(input_signature=[{'a': tf.TensorSpec([None], tf.float32), 'b': tf.TensorSpec([None], tf.float32)}, [tf.TensorSpec([], tf.float32)]])
            def f(self, d, more):
                return d['a'] * more[0] + d['b']
        g = again(C())
        result = [g.f({'a': tf.constant([1.0, 2.0]), 'b': tf.constant([3.0, 4.0])}, [tf.constant(2.0)]), raises(lambda: g.f({'a': tf.constant([1.0])}, [tf.constant(2.0)])), g.f({'a': [1.0], 'b': [2.0]}, [3.0])]"""),
    ),
    (
        "gradient_of_loaded",
        case("""
        g = again(Linear())
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(g(tf.constant(x)) ** 2)
        result = [loss, tape.gradient(loss, g.w)]"""),
    ),
    (
        "train_loaded",
        case("""
        g = again(Linear(1))
        y = x @ np.array([[1.0], [-2.0], [0.5]], 'float32')
        losses = []
        for _ in range(5):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((g(tf.constant(x)) - y) ** 2)
            g.w.assign_sub(0.1 * tape.gradient(loss, g.w))
            losses.append(loss)
        result = [losses, g.w]"""),
    ),
    (
        "save_loaded_again",
        case("""
        g = again(Linear())
        g.w.assign(g.w * 2)
        tf.saved_model.save(g, at('n'))
        h = tf.saved_model.load(at('n'))
        result = [h(tf.constant(x)), h(tf.constant(x[:2])), sorted(h.signatures), h.signatures['serving_default'](tf.constant(x[:1])), h.b.trainable]"""),
    ),
    (
        "loaded_in_a_module",
        case("""
        class Outer(tf.Module):
            def __init__(self, inner):
                super().__init__()
                self.inner = inner
            @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
            def __call__(self, x):
                return self.inner(x) * 10.0
        tf.saved_model.save(Linear(), at('inner'))
        g = again(Outer(tf.saved_model.load(at('inner'))))
        result = [g(tf.constant(x)), g.inner(tf.constant(x)), g.inner.w]"""),
    ),
    (
        "loaded_in_a_function",
        case("""
        g = again(Linear())
        @tf.function
        def f(x):
            return g(x) + g(x * 2)
        result = [f(tf.constant(x)), f(tf.constant(x[:2]))]"""),
    ),
    (
        "loaded_in_a_dataset",
        case("""
        g = again(Linear())
        d = tf.data.Dataset.from_tensor_slices(x).batch(2).map(lambda rows: g(rows))
        result = [r for r in d]"""),
    ),
    (
        "overwrite",
        case("""
        tf.saved_model.save(Linear(2), at('m'))
        m = Linear(4)
        m.w.assign(m.w + 1)
        result = again(m)(tf.constant(x))"""),
    ),
    (
        "random_numbers",
        case("""
        class C(tf.Module):
            @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
            def f(self, x):
                return tf.random.normal(tf.shape(x))
        g = again(C())
        a, b = g.f(tf.zeros(100)), g.f(tf.zeros(100))
        result = [a.shape, bool(tf.reduce_all(a == b))]"""),
    ),
    (
        "dtypes",
        case("""
        class C(tf.Module):
            def __init__(self):
                super().__init__()
                self.values = [tf.Variable(tf.cast([1, 2, 3], d)) for d in ('float16', 'bfloat16', 'float64', 'int8', 'uint8', 'int64', 'complex64', 'complex128')] + [tf.Variable([True, False])]
                self.table = tf.constant(np.arange(100, dtype='float64'))
            @tf.function(input_signature=[])
            def f(self):
                return [v + v for v in self.values[:-1]] + [tf.reduce_sum(self.table)]
        g = again(C())
        result = [[v.dtype for v in g.values], [tf.cast(v, 'complex128') for v in g.values], [tf.cast(v, 'complex128') for v in g.f()]]"""),
    ),
    (
        "asserts_are_kept",
        case("""
        class C(tf.Module):
            @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
            def f(self, x):
                tf.debugging.assert_less(x, 5.0)
                return x * 2.0
        g = again(C())
        result = [g.f(tf.constant([1.0, 2.0])), raises(lambda: [g.f(tf.constant([1.0, 7.0])).numpy(), 'nothing'][1]) != 'nothing']"""),
    ),
    (
        "positional_and_keyword",
        case("""
        class C(tf.Module):
            @tf.function
            def f(self, a, b=None, *more, scale=1.0, **rest):
                y = a * scale
                for m in more:
                    y = y + m
                for name in sorted(rest):
                    y = y + rest[name]
                return y if b is None else y + b
        m = C()
        one = tf.constant(1.0)
        m.f(one)
        m.f(one, one, one, one)
        m.f(one, scale=3.0, extra=one)
        g = again(m)
        result = [g.f(one), g.f(a=one), g.f(one, None), g.f(one, one, one, one), g.f(one, scale=3.0, extra=one), raises(lambda: g.f(one, scale=5.0)), raises(lambda: g.f()), raises(lambda: g.f(one, other=one))]"""),
    ),
    (
        "checkpoint_object",
        case("""
        root = tf.train.Checkpoint(v=tf.Variable(2.0))
        root.f = tf.function(lambda x: x * root.v, input_signature=[tf.TensorSpec([], tf.float32)])
        g = again(root)
        result = [g.f(3.0), g.v]"""),
    ),
    (
        "keras_in_a_module",
        case("""
        class C(tf.Module):
            def __init__(self):
                super().__init__()
                self.net = model()
            @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
            def predict(self, x):
                return tf.nn.softmax(self.net(x, training=False))
        m = C()
        g = again(m)
        result = [same(g.predict(tf.constant(x)), m.predict(tf.constant(x))), g.predict(tf.constant(x[:2])).shape]"""),
    ),
    (
        "keras_model_saved",
        case("""
        m = model()
        g = again(m)
        f = g.signatures['serving_default']
        out = f(tf.constant(x))
        result = [sorted(g.signatures), same(list(out.values())[0], m(x)), len(out), list(out)]"""),
    ),
    (
        "keras_model_with_functions",
        case("""
        class Net(keras.Model):
            def __init__(self):
                super().__init__()
                self.d = keras.layers.Dense(2)
            def call(self, x):
                return self.d(x)
            @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
            def scores(self, x):
                return {'scores': tf.nn.softmax(self(x))}
        m = Net()
        m(x)
        g = again(m, signatures={'scores': m.scores})
        result = [same(g.scores(tf.constant(x))['scores'], tf.nn.softmax(m(x))), sorted(g.signatures), list(g.signatures['scores'](tf.constant(x)))]"""),
    ),
    (
        "keras_export",
        case("""
        m = model()
        m.export(at('m'), verbose=False)
        g = tf.saved_model.load(at('m'))
        out = g.signatures['serving_default'](tf.constant(x))
        result = [same(g.serve(tf.constant(x)), m(x)), same(g.serve(x[:1]), m(x[:1])), sorted(g.signatures), list(out), same(out['output_0'], m(x)), [v.shape for v in g.variables], len(g.trainable_variables), len(g.non_trainable_variables)]"""),
    ),
    (
        "keras_export_functional",
        case("""
        a, b = keras.Input((3,), name='a'), keras.Input((2,), name='b')
        h = keras.layers.Concatenate()([keras.layers.Dense(4, activation='tanh')(a), b])
        m = keras.Model([a, b], [keras.layers.Dense(1, name='p')(h), keras.layers.Dense(2, name='q')(h)])
        m.set_weights([rng.normal(size=w.shape).astype(w.dtype) for w in m.get_weights()])
        m.export(at('m'), verbose=False)
        g = tf.saved_model.load(at('m'))
        given = [tf.constant(x), tf.constant(x[:, :2])]
        out, want = g.serve(given), m(given)
        named = g.signatures['serve'](a=given[0], b=given[1])
        result = [same(out[0], want[0]), same(out[1], want[1]), sorted(named), same(named['output_1'], want[1]), sorted(g.signatures['serve'].structured_input_signature[1])]"""),
    ),
    (
        "keras_export_dictionary",
        case("""
        a, b = keras.Input((3,), name='a'), keras.Input((3,), name='b')
        m = keras.Model({'a': a, 'b': b}, {'s': keras.layers.Add()([a, b]), 'd': keras.layers.Subtract()([a, b])})
        m.export(at('m'), verbose=False)
        g = tf.saved_model.load(at('m'))
        out = g.serve({'a': tf.constant(x), 'b': tf.constant(x * 2)})
        named = g.signatures['serving_default'](a=tf.constant(x), b=tf.constant(x))
        result = [out['s'], out['d'], sorted(named), named['d']]"""),
    ),
    (
        "keras_export_layers",
        case("""
        i = keras.Input((8, 8, 1))
        h = keras.layers.Conv2D(4, 3, padding='same', strides=2, activation='relu')(i)
        h = keras.layers.BatchNormalization()(h)
        h = keras.layers.MaxPooling2D()(h)
        h = keras.layers.Flatten()(h)
        h = keras.layers.Dropout(0.5)(h)
        h = keras.layers.Reshape((4, 4))(h)
        h = keras.layers.LSTM(3, return_sequences=True)(h)
        h = keras.layers.MultiHeadAttention(2, 3)(h, h)
        h = keras.layers.LayerNormalization()(h)
        h = keras.layers.GlobalAveragePooling1D()(h)
        m = keras.Model(i, keras.layers.Dense(2, activation='softmax')(h))
        m.set_weights([rng.uniform(0.1, 0.9, w.shape).astype(w.dtype) for w in m.get_weights()])
        m.export(at('m'), verbose=False)
        g = tf.saved_model.load(at('m'))
        t = rng.normal(size=(3, 8, 8, 1)).astype('float32')
        result = [same(g.serve(tf.constant(t)), m(t)), same(g.serve(tf.constant(t[:1])), m(t[:1])), len(g.trainable_variables)]"""),
    ),
    (
        "keras_export_subclass",
        case("""
        class Net(keras.Model):
            def __init__(self):
                super().__init__()
                self.a, self.b = keras.layers.Dense(4, activation='relu'), keras.layers.Dense(2)
                self.drop = keras.layers.Dropout(0.5)
            def call(self, x, training=False):
                return self.b(self.drop(self.a(x), training=training))
        m = Net()
        m(x)
        m.export(at('m'), verbose=False)
        g = tf.saved_model.load(at('m'))
        result = [same(g.serve(tf.constant(x[:4])), m(x[:4])), len(g.trainable_variables)]"""),
    ),
    (
        "keras_export_trained_and_compiled",
        case("""
        m = model()
        m.compile('adam', 'mse')
        m.fit(x, x[:, :2], epochs=2, verbose=0)
        m.export(at('m'), verbose=False)
        g = tf.saved_model.load(at('m'))
        result = same(g.serve(tf.constant(x)), m.predict(x, verbose=0))"""),
    ),
    (
        "keras_export_unbuilt",
        case("m = keras.Sequential([keras.layers.Dense(2)])\n        result = raises(lambda: m.export(at('m')))"),
    ),
    ("keras_export_format", case("result = raises(lambda: model().export(at('m'), format='nothing'))")),
    (
        "keras_export_signature",
        case("""
        m = model()
        m.export(at('m'), verbose=False, input_signature=[keras.InputSpec(shape=(2, 3), dtype='float32', name='rows')])
        g = tf.saved_model.load(at('m'))
        result = [same(g.serve(tf.constant(x[:2])), m(x[:2])), raises(lambda: g.serve(tf.constant(x))), list(g.signatures['serve'].structured_input_signature[1])]"""),
    ),
    (
        "tfsm_layer",
        case("""
        m = model()
        m.export(at('m'), verbose=False)
        layer = keras.layers.TFSMLayer(at('m'), call_endpoint='serve')
        other = keras.layers.TFSMLayer(at('m'), call_endpoint='serving_default')
        result = [same(layer(x), m(x)), same(other(x)['output_0'], m(x)), [w.shape for w in layer.weights], len(layer.trainable_weights), layer.get_config()['call_endpoint'], raises(lambda: keras.layers.TFSMLayer(at('m'), call_endpoint='other'))]"""),
    ),
    (
        "tfsm_layer_in_a_model",
        case("""
        m = model()
        m.export(at('m'), verbose=False)
        net = keras.Sequential([keras.Input((3,)), keras.layers.TFSMLayer(at('m')), keras.layers.Dense(1)])
        net.compile('sgd', 'mse')
        before = [np.array(w) for w in net.get_weights()]
        net.fit(x, x[:, :1], epochs=2, verbose=0)
        changed = [not np.allclose(a, b) for a, b in zip(before, net.get_weights())]
        result = [net.output_shape, len(net.trainable_weights), changed, net.predict(x, verbose=0).shape]"""),
    ),
    (
        "tfsm_layer_config",
        case("""
        m = model()
        m.export(at('m'), verbose=False)
        layer = keras.layers.TFSMLayer(at('m'), name='loaded')
        config = layer.get_config()
        made = keras.layers.TFSMLayer.from_config(config, safe_mode=False)
        result = [same(made(x), m(x)), made.name, raises(lambda: keras.layers.TFSMLayer.from_config(config)), sorted(set(config) - {'trainable', 'dtype'})]"""),
    ),
    (
        "gradient_of_loaded_layers",
        case("""
        i = keras.Input((4, 6))
        h = keras.layers.LayerNormalization()(keras.layers.Dense(6)(i))
        h = keras.layers.GroupNormalization(2)(h)
        h = keras.layers.GRU(3, return_sequences=True)(h)
        m = keras.Model(i, keras.layers.MultiHeadAttention(2, 3)(h, h))
        m.set_weights([rng.uniform(0.1, 0.9, w.shape).astype(w.dtype) for w in m.get_weights()])
        m.export(at('m'), verbose=False)
        g = tf.saved_model.load(at('m'))
        t = tf.constant(rng.normal(size=(3, 4, 6)).astype('float32'))
        with tf.GradientTape() as tape:
            tape.watch(t)
            loss = tf.reduce_mean(g.serve(t) ** 2)
        result = [loss, tape.gradient(loss, t)]"""),
        {"atol": 2e-7},
    ),  # the roundings of five layers
    (
        "tfsm_training_endpoint",
        case("""
        d = keras.layers.Dense(2)
        d.build((None, 3))
        archive = keras.export.ExportArchive()
        archive.track(d)
        spec = [tf.TensorSpec([None, 3], tf.float32)]
        archive.add_endpoint('serve', lambda t: d(t), spec)
        archive.add_endpoint('train', lambda t: d(t) * 2.0, spec)
        archive.write_out(at('m'), verbose=False)
        layer = keras.layers.TFSMLayer(at('m'), call_training_endpoint='train')
        result = [same(layer(x), d(x)), same(layer(x, training=True), d(x) * 2.0)]"""),
    ),
    (
        "export_archive",
        case("""
        m = model()
        archive = keras.export.ExportArchive()
        archive.track(m)
        archive.add_endpoint('call', m.call, input_signature=[keras.InputSpec(shape=(None, 3), dtype='float32')])
        archive.add_endpoint('twice', lambda t: m(t) * 2.0, input_signature=[tf.TensorSpec((None, 3), tf.float32)])
        archive.add_variable_collection('extra', [tf.Variable(3.0)])
        archive.write_out(at('m'), verbose=False)
        g = tf.saved_model.load(at('m'))
        result = [same(g.call(tf.constant(x)), m(x)), same(g.twice(tf.constant(x)), m(x) * 2.0), sorted(g.signatures), g.extra[0], len(archive.variables), len(archive.trainable_variables), len(archive.non_trainable_variables)]"""),
    ),
    (
        "export_archive_errors",
        case("""
        archive = keras.export.ExportArchive()
        spec = [tf.TensorSpec((None, 3), tf.float32)]
        archive.add_endpoint('a', lambda t: t, spec)
        result = [raises(lambda: archive.add_endpoint('a', lambda t: t, spec)), raises(lambda: archive.add_endpoint('b', lambda t: t)), raises(lambda: archive.add_endpoint('c', tf.function(lambda t: t))),
                  raises(lambda: archive.track(3)), raises(lambda: archive.track(keras.layers.Dense(2))), raises(lambda: archive.add_variable_collection('v', 3)), raises(lambda: archive.add_variable_collection('v', [3])),
                  raises(lambda: keras.export.ExportArchive().write_out(at('m')))]"""),
    ),
    (
        "export_archive_traced_function",
        case("""
        v = tf.Variable(2.0)
        f = tf.function(lambda t: t * v)
        f(tf.constant([1.0, 2.0]))
        archive = keras.export.ExportArchive()
        archive.add_endpoint('f', f)
        archive.write_out(at('m'), verbose=False)
        g = tf.saved_model.load(at('m'))
        result = [g.f(tf.constant([3.0, 4.0])), raises(lambda: g.f(tf.constant([3.0])))]"""),
    ),
    (
        "options",
        case("""
        o = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
        tf.saved_model.save(Linear(), at('m'), options=o)
        g = tf.saved_model.load(at('m'), options=tf.saved_model.LoadOptions(allow_partial_checkpoint=True))
        result = [g(tf.constant(x)), o.experimental_custom_gradients, o.namespace_whitelist, o.function_aliases, tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY, tf.saved_model.SERVING]"""),
    ),
    (
        "another_dtype",
        case("""
        class C(tf.Module):
            def __init__(self):
                super().__init__()
                self.v = tf.Variable([1.0, 2.0])
            @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
            def f(self, x):
                return tf.concat([x, self.v], 0)
        g = again(C())
        result = [g.f(tf.constant([5.0])), raises(lambda: g.f(tf.constant(['a'])))]"""),
    ),
]
