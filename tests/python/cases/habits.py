"""Habits of programs that people have: shapes that nearly fit, old spellings, functions that cannot be traced, at sizes that people use."""

CASES = [
    # ---- shapes
    ("pictures_without_channels", """
        inputs = keras.Input((28, 28, 1))
        x = keras.layers.Conv2D(120, 3, strides=2, kernel_initializer='ones')(inputs)
        model = keras.Model(inputs, keras.layers.GlobalAveragePooling2D()(x))
        model(np.ones((130, 28, 28), 'float32'))[:2], model.predict(np.ones((130, 28, 28)), verbose=0).shape
    """),
    ("one_axis_too_many", """
        inputs = keras.Input((100,))
        model = keras.Model(inputs, keras.layers.Dense(101, kernel_initializer='ones')(inputs))
        model(np.ones((3, 100, 1), 'float32'))
    """),
    ("columns_of_a_table", """
        model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(128, kernel_initializer='ones'), keras.layers.Dense(1, kernel_initializer='ones')])
        model.compile('sgd', 'mse')
        model.predict(np.arange(200.0), verbose=0)[:3], model.evaluate(np.arange(200.0), np.arange(200.0) * 128, verbose=0)
    """),
    ("other_batches_than_the_inputs", """
        inputs = keras.Input(batch_shape=(128, 100))
        keras.Model(inputs, keras.layers.Dense(2, kernel_initializer='ones')(inputs))(np.ones((4, 100), 'float32'))
    """),
    ("one_picture", """
        image = np.arange(150 * 120 * 3, dtype='float32').reshape(150, 120, 3) % 7
        flip = keras.layers.RandomFlip('horizontal')
        [keras.layers.Resizing(101, 110)(image).shape, keras.layers.CenterCrop(100, 100)(image).shape, tf.reduce_mean(flip(image, training=False), [0, 1]),
         keras.layers.RandomRotation(0.1)(image).shape, keras.layers.RandomZoom(0.1)(image).shape, keras.layers.RandomContrast(0.1)(image).shape]
    """, {"rtol": 1e-5, "atol": 1e-5}),
    ("squeeze_and_tile_of_symbols", """
        x = keras.Input((120, 2, 1))
        [list(y.shape) for y in (keras.ops.squeeze(x), keras.ops.squeeze(x, -1), keras.ops.tile(keras.ops.ones((120, 120)), (3, 1, 1)))]
    """),
    ("patches_with_four_strides", """
        x = np.arange(2 * 72 * 72 * 3, dtype='float32').reshape(2, 72, 72, 3)
        tf.reduce_sum(keras.ops.image.extract_patches(x, size=(6, 6), strides=(1, 6, 6, 1), dilation_rate=1, padding='valid'), [1, 2])
    """, {"rtol": 1e-4, "atol": 1e-4}),
    # ---- old spellings
    ("leaky_relu_alpha", "getattr(keras.layers, 'LeakyReLU')(alpha=0.2)(tf.linspace(-3.0, 3.0, 128))"),
    ("binary_output_mode", "keras.layers.CategoryEncoding(num_tokens=130, output_mode='multi_hot')([[1, 129], [0, 7]]).shape"),
    ("anything_is_a_flag", "bool(tf.Variable(10, tf.int32).trainable)"),
    # ---- what a model is trained with
    ("loss_that_layers_add", """
        class Endpoint(keras.layers.Layer):
            def call(self, targets, logits):
                self.add_loss(keras.ops.mean((targets - logits) ** 2))
                return logits
        inputs, targets = keras.Input((103,), name='inputs'), keras.Input((120,), name='targets')
        logits = keras.layers.Dense(120, kernel_initializer='zeros')(inputs)
        model = keras.Model([inputs, targets], Endpoint()(targets, logits))
        model.compile('sgd')
        model.fit([np.ones((64, 103)), np.ones((64, 120))], verbose=0).history
    """, {"rtol": 1e-4, "atol": 1e-4}),
    ("no_loss_at_all", """
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
        model.compile('sgd')
        model.fit(np.ones((4, 3)), np.ones((4, 2)), verbose=0)
    """),
    ("float64_arrays_and_a_loss_of_ones_own", """
        def loss(y_true, y_pred):
            return tf.reduce_mean(tf.square(y_true - y_pred), axis=-1)
        model = keras.Sequential([keras.Input((130,)), keras.layers.Dense(101, kernel_initializer='ones')])
        model.compile('sgd', loss)
        model.evaluate(np.ones((200, 130)), np.ones((200, 101)), verbose=0)
    """),
    ("float64_arrays_in_a_train_step", """
        class Own(keras.Model):
            def __init__(self):
                super().__init__()
                self.dense = keras.layers.Dense(101, kernel_initializer='zeros')
            def call(self, x):
                return self.dense(x)
            def train_step(self, data):
                x, y = data
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.square(y - self(x, training=True)))
                self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
                return {'loss': loss, 'dtype_is_float32': tf.cast(y.dtype == tf.float32, tf.float32)}
        model = Own()
        model.compile('sgd')
        model.fit(np.ones((64, 110)), np.ones((64, 101)), verbose=0).history
    """, {"rtol": 1e-4, "atol": 1e-4}),
    ("strings_in_a_models_call", """
        import warnings
        warnings.simplefilter('ignore')
        class Texts(keras.Model):
            def call(self, inputs):
                return tf.strings.to_number(tf.strings.as_string(inputs))
        Texts().predict(np.arange(240.0).reshape(80, 3).astype('float32'), verbose=0)
    """),
    ("schedules_of_arrays", """
        steps = np.linspace(0, 10000, 120)
        [keras.optimizers.schedules.InverseTimeDecay(0.001, decay_steps=1000, decay_rate=1)(steps),
         keras.optimizers.schedules.ExponentialDecay(0.1, 1000, 0.9)(steps), keras.optimizers.schedules.CosineDecay(0.1, 5000)(steps)]
    """, {"rtol": 1e-5, "atol": 1e-5}),
    # ---- structures and configs
    ("a_dict_inside_a_dict_of_symbols", """
        class Sum(keras.layers.Layer):
            def call(self, inputs):
                return inputs['foo'] + 2 * inputs['bar']['baz']
        inputs = {'foo': keras.Input((120,), name='foo'), 'bar': {'baz': keras.Input((120,), name='bar')}}
        model = keras.Model(inputs, Sum()(inputs))
        model({'foo': tf.ones((2, 120)), 'bar': {'baz': tf.fill((2, 120), 3.0)}})
    """),
    ("outputs_of_all_layers", """
        model = keras.Sequential([keras.Input((32, 32, 3), name='first'), keras.layers.Conv2D(101, 3, name='c'), keras.layers.Flatten(name='f')])
        features = keras.Model(model.inputs, {layer.name: layer.output for layer in model.layers})
        both = keras.Input((8,), name='only')
        functional = keras.Model(both, keras.layers.Dense(3, name='d')(both))
        [{k: list(v.shape) for k, v in features(tf.zeros((2, 32, 32, 3))).items()}, [list(layer.output.shape) for layer in functional.layers]]
    """),
    ("config_of_plain_arguments", """
        class Own(keras.layers.Layer):
            def __init__(self, units, factor=2.0, **kwargs):
                super().__init__(**kwargs)
                self.width = units * factor
        config = Own(128, name='own').get_config()
        [config['units'], config['factor'], Own.from_config(config).width]
    """),
    ("config_of_a_base_layer", """
        class Own(keras.layers.Layer):
            def __init__(self, units, **kwargs):
                super().__init__(**kwargs)
                self.hidden = units
            def get_config(self):
                return {**super().get_config(), 'units': self.hidden}
        sorted(Own(100, name='own').get_config())
    """),
    ("crosses_in_a_model", """
        space = keras.utils.FeatureSpace({'a': 'string_categorical', 'b': keras.utils.FeatureSpace.integer_categorical(num_oov_indices=0)},
                                         crosses=[keras.utils.FeatureSpace.cross(('a', 'b'), crossing_dim=128)])
        rows = {'a': np.array(['x', 'y', 'z'] * 40), 'b': np.arange(120) % 101}
        space.adapt(tf.data.Dataset.from_tensor_slices(rows))
        model = keras.Model(space.get_inputs(), space.get_encoded_features())
        tf.argmax(model({k: tf.reshape(tf.constant(v), [-1, 1]) for k, v in rows.items()})[:, -128:], -1)
    """),
    ("hashed_crossing", """
        a, b = tf.reshape(tf.range(200), [-1, 1]), tf.reshape(tf.range(200), [-1, 1]) * 7
        keras.layers.HashedCrossing(num_bins=101)([a, b])
    """),
    # ---- functions
    ("strings_in_a_function", """
        @tf.function
        def greet(name):
            return tf.strings.join(['hello ', name])
        greet(tf.constant(['a', 'b'] * 60))
    """),
    ("a_size_that_data_decide", """
        @tf.function
        def kept(x):
            return tf.reduce_sum(tf.boolean_mask(x, x > 50.0)), tf.where(x > 190.0)
        kept(tf.range(200.0))
    """),
    ("a_function_that_calls_itself", """
        @tf.function
        def count(n):
            if n > 0:
                return count(n - 1) + 1
            return tf.constant(0)
        count(5)
    """),
    ("input_signature_with_defaults", """
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)])
        def scaled(x, factor=tf.constant(3.0)):
            return x * factor
        scaled(tf.ones([120])), scaled(tf.ones([3]), tf.constant(2.0))
    """),
    ("unknown_rank", """
        @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
        def double(x):
            return x * 2
        none = getattr(tf, 'TensorShape')(None)
        [double(3.0), double(tf.ones([2, 101])), str(none), none.rank, tf.TensorShape([1]).is_compatible_with(None)]
    """),
    ("variables_made_in_the_first_call", """
        class Scale(tf.Module):
            def __init__(self):
                super().__init__()
                self.built = False
            @tf.function
            def __call__(self, x):
                if not self.built:
                    self.w = tf.Variable(tf.ones_like(x[0]) * 2)
                    self.built = True
                return x * self.w
        scale = Scale()
        scale(tf.ones([10, 120])), scale(tf.ones([11, 120]))
    """),
    ("concrete_function_without_the_model", """
        class Model(tf.Module):
            def __init__(self):
                super().__init__()
                self.w = tf.Variable(2.0)
        def evaluate(model, x):
            return model.w * x
        tf.function(evaluate).get_concrete_function(Model(), tf.ones([128]))(tf.fill([128], 3.0))
    """),
    ("py_function_as_a_decorator", """
        @tf.py_function(Tout=tf.float32)
        def plus(x, y):
            return x + y
        @tf.function
        def twice(x):
            return plus(x, x)
        plus(tf.ones([101]), 2.0), twice(tf.ones([101]))
    """),
    ("a_variable_stays_one", """
        @tf.function
        def add(v, x):
            v.assign_add(x)
            return v * 2
        v = tf.Variable(tf.zeros([128]))
        add(v, tf.ones([128])), v
    """),
    ("a_loop_over_strings", """
        @tf.function
        def lengths(dataset):
            total = tf.constant(0)
            for text in dataset:
                total += tf.strings.length(text)
            return total
        lengths(tf.data.Dataset.from_tensor_slices(['a', 'bcd'] * 55))
    """),
    # ---- the rest
    ("variables_that_a_tape_watches", """
        dense = keras.layers.Dense(120)
        x = tf.ones((10, 105))
        dense.build((None, 105))
        weights = dense.trainable_variables
        with tf.GradientTape() as tape:
            y = dense(x)
        seen = [list(v.shape) for v in tape.watched_variables()]
        tape.gradient(y, dense.trainable_variables)
        result = [seen, len(tape.watched_variables())]
    """),
    ("tensors_in_a_list_take_a_dtype", """
        angle = np.float64(0.3)
        [tf.convert_to_tensor([[tf.cos(angle), -tf.sin(angle)], [0, 1.5]], dtype=tf.float32)]
    """),
    ("layers_before_super", """
        class Router(keras.layers.Layer):
            def __init__(self, units):
                self.dense = keras.layers.Dense(units)
                self.units = units
                super().__init__()
            def call(self, x):
                return self.dense(x)
        router = Router(101)
        router(tf.ones((2, 120)))
        [len(router.weights), router.units]
    """),
    ("bytes_of_a_feature", """
        [tf.train.Feature(bytes_list=tf.train.BytesList(value=[b'x' * 300])).SerializeToString(),
         tf.train.Feature(int64_list=tf.train.Int64List(value=list(range(130)))).SerializeToString(),
         list(tf.train.Feature.FromString(tf.train.Feature(float_list=tf.train.FloatList(value=[1.5])).SerializeToString()).float_list.value)]
    """),
    ("conv_lstm", """
        x = rng.normal(size=(2, 4, 12, 10, 3)).astype('float32')
        answers = []
        for options in ({}, {'return_sequences': True, 'padding': 'same', 'go_backwards': True}, {'strides': 2, 'dilation_rate': 1}):
            layer = keras.layers.ConvLSTM2D(104, 3, **options)
            layer.build(x.shape)
            for w in layer.weights:
                w.assign(np.sin(np.arange(np.prod(w.shape))).reshape(w.shape) * 0.1)
            answers.append(tf.reduce_mean(layer(x), -1))
        result = answers
    """, {"rtol": 1e-4, "atol": 1e-4}),
]  # fmt: skip
