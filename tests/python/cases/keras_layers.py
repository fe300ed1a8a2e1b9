"""Every layer: made as users make it, with fixed weights, its results and gradients."""


def _shapes(shape):
    return shape if isinstance(shape, list) else [shape]


def layer(make, shape, call="", draw="rng.normal(size={}).astype('float32')", low=-0.5):
    """The results and gradients of one layer, whose weights are drawn alike on both sides."""
    inputs = ", ".join(draw.format(s) for s in _shapes(shape))
    one = not isinstance(shape, list)
    return f"""
        layer = {make}
        given = [tf.constant(v) for v in ({inputs},)]
        x = {"given[0]" if one else "given"}
        layer(x{call})
        layer.set_weights([rng.uniform({low}, 1.0, w.shape).astype(w.dtype) for w in layer.get_weights()])
        with tf.GradientTape() as tape:
            tape.watch(given)
            y = layer(x{call})
            loss = sum(tf.reduce_sum(v * v * v) for v in tf.nest.flatten(y))
        weights = layer.trainable_variables
        result = [y, tape.gradient(loss, given + weights), [w.name for w in layer.weights]]"""


def value(make, x):
    return f"layer = {make}; layer({x})"


L = "keras.layers."
POSITIVE = "rng.uniform(0.1, 2.0, size={}).astype('float32')"
TOKENS = "rng.integers(0, 5, size={})"


def tokens(make, shape=(2, 4), call=""):
    return f"""
        layer = {make}
        x = {TOKENS.format(shape)}
        layer(x)
        layer.set_weights([rng.normal(size=w.shape).astype(w.dtype) for w in layer.get_weights()])
        with tf.GradientTape() as tape:
            y = layer(x{call})
            loss = tf.reduce_sum(tf.square(y))
        result = [y, [tf.convert_to_tensor(g) for g in tape.gradient(loss, layer.trainable_variables)]]"""


CASES = [
    ("dense", layer(L + "Dense(3)", (2, 4))),
    ("dense_relu", layer(L + "Dense(3, 'relu')", (2, 4))),
    ("dense_function", layer(L + "Dense(3, activation=tf.nn.tanh)", (2, 4))),
    ("dense_no_bias", layer(L + "Dense(units=3, use_bias=False, kernel_initializer='he_normal')", (2, 4))),
    ("dense_rank3", layer(L + "Dense(3, activation='softmax')", (2, 3, 4))),
    ("dense_activation_class", layer(L + "Dense(3, activation=keras.layers.LeakyReLU(negative_slope=0.2))", (2, 4))),
    ("dense_bad_units", "keras.layers.Dense(-1)"),
    ("dense_unknown_argument", "keras.layers.Dense(3, colour='red')", {"raises": "Exception"}),
    ("dense_attributes", "d = keras.layers.Dense(3); d.build((None, 2)); [d.units, d.kernel.shape, d.bias.shape, d.use_bias, d.built, d.count_params()]"),
    ("dense_wrong_input", "d = keras.layers.Dense(3); d(np.ones((2, 4))); d(np.ones((2, 5)))"),
    ("activation", value(L + "Activation('elu')", "np.array([[-1.0, 2.0]])")),
    ("activation_function", value(L + "Activation(tf.nn.sigmoid)", "np.array([[-1.0, 2.0]])")),
    ("activity_regularization", """
        layer = keras.layers.ActivityRegularization(l1=0.1, l2=0.2)
        y = layer(np.ones((2, 3), 'float32'))
        result = [y, layer.losses]"""),
    ("add", layer(L + "Add()", [(2, 3), (2, 3)])),
    ("add_three", layer(L + "Add()", [(2, 3), (2, 3), (2, 3)])),
    ("add_broadcast", layer(L + "Add()", [(2, 1, 3), (2, 4, 3)])),
    ("add_wrong_shapes", "keras.layers.Add()([np.ones((2, 3)), np.ones((2, 4))])"),
    ("subtract", layer(L + "Subtract()", [(2, 3), (2, 3)])),
    ("multiply", layer(L + "Multiply()", [(2, 3), (2, 3)])),
    ("average", layer(L + "Average()", [(2, 3), (2, 3)])),
    ("maximum", layer(L + "Maximum()", [(2, 3), (2, 3)])),
    ("minimum", layer(L + "Minimum()", [(2, 3), (2, 3)])),
    ("concatenate", layer(L + "Concatenate()", [(2, 3), (2, 2)])),
    ("concatenate_axis", layer(L + "Concatenate(axis=1)", [(2, 3, 2), (2, 1, 2)])),
    ("concatenate_wrong", "keras.layers.Concatenate()([np.ones((2, 3)), np.ones((3, 3))])"),
    ("dot", layer(L + "Dot(axes=1)", [(2, 3), (2, 3)])),
    ("dot_axes_normalized", layer(L + "Dot(axes=(2, 1), normalize=True)", [(2, 3, 4), (2, 4, 5)])),
    ("merge_functions", "a, b = np.array([[1.0, 2.0]]), np.array([[3.0, 1.0]]); k = keras.layers; [k.add([a, b]), k.subtract([a, b]), k.multiply([a, b]), k.average([a, b]), k.maximum([a, b]), k.minimum([a, b]), k.concatenate([a, b]), k.dot([a, b], axes=1)]"),
    ("additive_attention", layer(L + "AdditiveAttention()", [(2, 3, 4), (2, 5, 4)])),
    ("attention", layer(L + "Attention()", [(2, 3, 4), (2, 5, 4)])),
    ("attention_key", layer(L + "Attention(use_scale=True, score_mode='concat')", [(2, 3, 4), (2, 5, 4), (2, 5, 4)]), {"atol": 1e-7}),  # the gradient of the query is nearly 0
    ("attention_causal", layer(L + "Attention()", [(2, 3, 4), (2, 3, 4)], ", use_causal_mask=True")),
    ("attention_scores", """
        q, v = rng.normal(size=(1, 2, 3)).astype('float32'), rng.normal(size=(1, 4, 3)).astype('float32')
        result = keras.layers.Attention()([q, v], return_attention_scores=True)"""),
    ("attention_mask", """
        q, v = rng.normal(size=(1, 2, 3)).astype('float32'), rng.normal(size=(1, 4, 3)).astype('float32')
        result = keras.layers.Attention()([q, v], mask=[None, np.array([[True, True, False, False]])])"""),
    ("multi_head_attention", """
        layer = keras.layers.MultiHeadAttention(num_heads=2, key_dim=3)
        q, v = [tf.constant(rng.normal(size=s).astype('float32')) for s in ((2, 3, 4), (2, 5, 4))]
        layer(q, v)
        layer.set_weights([rng.normal(size=w.shape).astype(w.dtype) for w in layer.get_weights()])
        with tf.GradientTape() as tape:
            y = layer(q, v)
            loss = tf.reduce_sum(y * y)
        result = [y, tape.gradient(loss, layer.trainable_variables), [w.shape for w in layer.weights]]""", {"atol": 1e-4}),  # the gradient of a key's bias is 0
    ("multi_head_attention_options", """
        layer = keras.layers.MultiHeadAttention(2, 3, value_dim=2, use_bias=False, output_shape=5)
        q = rng.normal(size=(2, 3, 4)).astype('float32')
        layer(query=q, value=q, key=q)
        layer.set_weights([rng.normal(size=w.shape).astype(w.dtype) for w in layer.get_weights()])
        result = layer(q, q, use_causal_mask=True, return_attention_scores=True)"""),
    ("multi_head_attention_mask", """
        layer = keras.layers.MultiHeadAttention(2, 3)
        q = rng.normal(size=(2, 3, 4)).astype('float32')
        layer(q, q)
        layer.set_weights([rng.normal(size=w.shape).astype(w.dtype) for w in layer.get_weights()])
        mask = np.array([[[True, False, True]] * 3, [[True, True, False]] * 3])
        result = layer(q, value=q, attention_mask=mask)"""),
    ("group_query_attention", """
        layer = keras.layers.GroupQueryAttention(3, 4, 2)
        q = rng.normal(size=(2, 3, 8)).astype('float32')
        layer(q, q)
        layer.set_weights([rng.normal(size=w.shape).astype(w.dtype) for w in layer.get_weights()])
        result = layer(q, q)"""),
    ("batch_normalization", layer(L + "BatchNormalization()", (4, 3), low=0.1)),
    ("batch_normalization_training", """
        layer = keras.layers.BatchNormalization(momentum=0.8, epsilon=1e-2)
        x = tf.constant(rng.normal(size=(4, 3)).astype('float32'))
        y = layer(x, training=True)
        result = [y, layer.moving_mean, layer.moving_variance, layer(x), len(layer.trainable_variables), layer.get_weights()]"""),
    ("batch_normalization_axis", layer(L + "BatchNormalization(axis=1, center=False)", (2, 3, 4), ", training=True", low=0.1)),
    ("batch_normalization_frozen", """
        layer = keras.layers.BatchNormalization()
        layer.trainable = False
        x = rng.normal(size=(4, 3)).astype('float32')
        y = layer(x, training=True)
        result = [y, layer.moving_mean, len(layer.trainable_variables), len(layer.non_trainable_variables)]"""),
    ("layer_normalization", layer(L + "LayerNormalization()", (2, 3, 4))),
    ("layer_normalization_axes", layer(L + "LayerNormalization(axis=[1, 2], epsilon=1e-6, scale=False)", (2, 3, 4))),
    ("rms_normalization", layer(L + "RMSNormalization()", (2, 4))),
    ("group_normalization", layer(L + "GroupNormalization(groups=2)", (2, 3, 4))),
    ("unit_normalization", layer(L + "UnitNormalization(axis=-1)", (2, 4))),
    ("spectral_normalization", "layer = keras.layers.SpectralNormalization(keras.layers.Dense(2)); layer(np.ones((2, 3), 'float32')).shape"),
    ("conv1d", layer(L + "Conv1D(3, 2)", (2, 5, 4))),
    ("conv1d_causal", layer(L + "Conv1D(3, 3, padding='causal', dilation_rate=2)", (2, 6, 2))),
    ("conv2d", layer(L + "Conv2D(3, 3)", (2, 5, 5, 2))),
    ("conv2d_pair", layer(L + "Conv2D(3, (3, 2), strides=(2, 1), padding='same', activation='relu')", (2, 5, 6, 2))),
    ("conv2d_groups", layer(L + "Conv2D(4, 3, groups=2, use_bias=False)", (1, 5, 5, 4))),
    ("conv2d_dilated", layer(L + "Conv2D(filters=2, kernel_size=2, dilation_rate=2)", (1, 6, 6, 2))),
    ("conv2d_kernel_too_large", "keras.layers.Conv2D(2, 7)(np.ones((1, 5, 5, 1), 'float32'))"),
    ("conv2d_wrong_rank", "keras.layers.Conv2D(2, 3)(np.ones((5, 5), 'float32'))"),
    ("conv3d", layer(L + "Conv3D(2, 2)", (1, 3, 4, 3, 2))),
    ("conv1d_transpose", layer(L + "Conv1DTranspose(3, 3, strides=2, padding='same')", (2, 4, 2))),
    ("conv2d_transpose", layer(L + "Conv2DTranspose(3, (3, 3), strides=(2, 2), padding='same')", (1, 3, 3, 2))),
    ("conv2d_transpose_output_padding", layer(L + "Conv2DTranspose(2, 3, strides=2, output_padding=1, padding='valid')", (1, 3, 3, 2))),
    ("conv3d_transpose", layer(L + "Conv3DTranspose(2, 2, strides=2)", (1, 2, 2, 2, 2))),
    ("depthwise_conv1d", layer(L + "DepthwiseConv1D(2, depth_multiplier=2)", (2, 5, 3))),
    ("depthwise_conv2d", layer(L + "DepthwiseConv2D(3, padding='same', depth_multiplier=2)", (1, 4, 4, 2))),
    ("separable_conv1d", layer(L + "SeparableConv1D(3, 2)", (2, 5, 2))),
    ("separable_conv2d", layer(L + "SeparableConv2D(3, 3, padding='same', activation='relu')", (1, 4, 4, 2))),
    ("max_pooling", "x = rng.normal(size=(1, 4, 4, 2)).astype('float32'); k = keras.layers; [k.MaxPooling2D()(x), k.MaxPool2D(2, 1)(x), k.MaxPooling2D((3, 2), strides=2, padding='same')(x)]"),
    ("average_pooling", "x = rng.normal(size=(1, 4, 4, 2)).astype('float32'); k = keras.layers; [k.AveragePooling2D(2)(x), k.AvgPool2D((3, 2), strides=2, padding='same')(x)]"),
    ("pooling_1d", "x = rng.normal(size=(1, 5, 2)).astype('float32'); k = keras.layers; [k.MaxPooling1D()(x), k.AveragePooling1D(3, 1)(x), k.GlobalMaxPooling1D()(x), k.GlobalAveragePooling1D(keepdims=True)(x)]"),
    ("pooling_3d", "x = rng.normal(size=(1, 4, 2, 2, 2)).astype('float32'); k = keras.layers; [k.MaxPooling3D()(x), k.AveragePooling3D(2, 1)(x), k.GlobalMaxPooling3D()(x), k.GlobalAveragePooling3D()(x)]"),
    ("global_pooling_2d", "x = rng.normal(size=(1, 4, 4, 2)).astype('float32'); k = keras.layers; [k.GlobalMaxPooling2D()(x), k.GlobalAveragePooling2D()(x), k.GlobalAvgPool2D(keepdims=True)(x), k.GlobalAveragePooling2D(data_format='channels_first')(x)]"),
    ("global_average_masked", "x = rng.normal(size=(2, 3, 2)).astype('float32'); keras.layers.GlobalAveragePooling1D()(x, mask=np.array([[True, True, False], [True, False, False]]))"),
    ("pooling_gradient", layer(L + "MaxPooling2D(2)", (1, 4, 4, 2))),
    ("average_pooling_gradient", layer(L + "AveragePooling2D(2, padding='same')", (1, 3, 3, 2))),
    ("cropping", "x = tf.reshape(tf.range(2 * 4 * 5 * 1), (2, 4, 5, 1)); k = keras.layers; [k.Cropping2D(1)(x), k.Cropping2D((1, 2))(x), k.Cropping2D(((0, 1), (2, 0)))(x), k.Cropping1D((1, 2))(x[..., 0])]"),
    ("cropping3d", "keras.layers.Cropping3D(((0, 1), (1, 0), (1, 1)))(tf.reshape(tf.range(27.0), (1, 3, 3, 3, 1)))"),
    ("zero_padding", "x = tf.ones((1, 2, 2, 1)); k = keras.layers; [k.ZeroPadding2D()(x), k.ZeroPadding2D((1, 2))(x), k.ZeroPadding2D(((0, 1), (2, 0)))(x), k.ZeroPadding1D(2)(x[..., 0]), k.ZeroPadding1D((0, 1))(x[..., 0])]"),
    ("zero_padding3d", "keras.layers.ZeroPadding3D(1)(tf.ones((1, 1, 1, 1, 1)))"),
    ("up_sampling", "x = tf.reshape(tf.range(4.0), (1, 2, 2, 1)); k = keras.layers; [k.UpSampling2D()(x), k.UpSampling2D((1, 2))(x), k.UpSampling2D(2, interpolation='bilinear')(x), k.UpSampling1D(3)(x[..., 0])]"),
    ("up_sampling3d", "keras.layers.UpSampling3D((1, 2, 1))(tf.reshape(tf.range(4.0), (1, 2, 2, 1, 1)))"),
    ("flatten", "[keras.layers.Flatten()(np.ones((2, 3, 4))).shape, keras.layers.Flatten()(np.ones((2,))).shape]"),
    ("flatten_channels_first", "keras.layers.Flatten(data_format='channels_first')(tf.reshape(tf.range(12), (1, 2, 3, 2)))"),
    ("reshape", "x = tf.reshape(tf.range(24), (2, 12)); k = keras.layers; [k.Reshape((3, 4))(x), k.Reshape((-1, 2))(x), k.Reshape(target_shape=[12, 1])(x)]"),
    ("reshape_wrong", "keras.layers.Reshape((5,))(np.ones((2, 12)))", {"raises": "Exception"}),
    ("permute", "keras.layers.Permute((2, 1))(tf.reshape(tf.range(12), (2, 3, 2)))"),
    ("permute_wrong", "keras.layers.Permute((2, 3))"),
    ("repeat_vector", "keras.layers.RepeatVector(3)(tf.constant([[1.0, 2.0]]))"),
    ("identity", "keras.layers.Identity()(tf.constant([1.0, 2.0]))"),
    ("masking", "y = keras.layers.Masking(mask_value=0.0)(np.array([[[1.0, 2.0], [0.0, 0.0]]], 'float32')); [y, y._keras_mask]"),
    ("relu", "x = tf.constant([-2.0, -0.5, 1.0, 7.0]); k = keras.layers; [k.ReLU()(x), k.ReLU(6.0)(x), k.ReLU(max_value=3, negative_slope=0.1, threshold=0.5)(x)]"),
    ("leaky_relu", "x = tf.constant([-2.0, -0.5, 1.0]); [keras.layers.LeakyReLU()(x), keras.layers.LeakyReLU(0.1)(x), keras.layers.LeakyReLU(negative_slope=0.5)(x)]"),
    ("elu_softmax", "x = tf.constant([[-2.0, -0.5, 1.0]]); [keras.layers.ELU(0.5)(x), keras.layers.Softmax()(x), keras.layers.Softmax(axis=0)(x)]"),
    ("softmax_mask", "keras.layers.Softmax()(tf.constant([[1.0, 2.0, 3.0]]), mask=np.array([[True, False, True]]))"),
    ("prelu", layer(L + "PReLU(shared_axes=[1])", (2, 3, 4))),
    ("dropout_inference", "x = tf.ones((2, 3)); k = keras.layers; [k.Dropout(0.5)(x), k.SpatialDropout1D(0.5)(x[None]), k.GaussianNoise(1.0)(x), k.GaussianDropout(0.5)(x), k.AlphaDropout(0.5)(x), k.SpatialDropout2D(0.5)(x[None, :, :, None]), k.SpatialDropout3D(0.5)(x[None, None, :, :, None])]"),
    ("dropout_training", """
        y = keras.layers.Dropout(0.25, seed=3)(tf.ones((100, 100)), training=True).numpy()
        result = [sorted(set(np.round(y.ravel(), 4).tolist())), bool(abs((y == 0).mean() - 0.25) < 0.02)]""", ),
    ("dropout_noise_shape", "y = keras.layers.Dropout(0.5, noise_shape=(None, 1))(tf.ones((50, 7)), training=True).numpy(); bool((y == y[:, :1]).all())"),
    ("spatial_dropout_training", "y = keras.layers.SpatialDropout1D(0.5)(tf.ones((20, 5, 7)), training=True).numpy(); bool((y == y[:, :1]).all() and 0 < (y == 0).mean() < 1)"),
    ("gaussian_noise_training", "y = keras.layers.GaussianNoise(0.5)(tf.zeros((100, 100)), training=True).numpy(); [bool(abs(y.mean()) < 0.1), bool(abs(y.std() - 0.5) < 0.1)]"),
    ("gaussian_dropout_training", "y = keras.layers.GaussianDropout(0.5)(tf.ones((100, 100)), training=True).numpy(); [bool(abs(y.mean() - 1) < 0.1), bool(abs(y.std() - 1) < 0.1)]"),
    ("alpha_dropout_training", "y = keras.layers.AlphaDropout(0.2)(tf.zeros((200, 100)), training=True).numpy(); len(set(np.round(y.ravel(), 3).tolist()))"),
    ("dropout_bad_rate", "keras.layers.Dropout(1.5)"),
    ("embedding", tokens(L + "Embedding(5, 3)")),
    ("embedding_mask", "layer = keras.layers.Embedding(5, 3, mask_zero=True); [layer.compute_mask(np.array([[0, 1, 2]])), layer(np.array([[0, 1]]))._keras_mask]"),
    ("embedding_weights", "keras.layers.Embedding(2, 2, weights=[np.array([[1.0, 2.0], [3.0, 4.0]])])(np.array([1, 0]))"),
    ("einsum_dense", layer(L + "EinsumDense('abc,cd->abd', output_shape=(None, 5), bias_axes='d')", (2, 3, 4))),
    ("lstm", layer(L + "LSTM(3)", (2, 4, 2))),
    ("lstm_sequences", layer(L + "LSTM(3, return_sequences=True, return_state=True)", (2, 4, 2))),
    ("lstm_backwards", layer(L + "LSTM(units=3, go_backwards=True, use_bias=False)", (2, 4, 2))),
    ("lstm_initial_state", """
        layer = keras.layers.LSTM(3)
        x, h, c = [tf.constant(rng.normal(size=s).astype('float32')) for s in ((2, 4, 2), (2, 3), (2, 3))]
        layer(x)
        layer.set_weights([rng.normal(size=w.shape).astype(w.dtype) for w in layer.get_weights()])
        result = layer(x, initial_state=[h, c])"""),
    ("lstm_mask", """
        layer = keras.layers.LSTM(3, return_sequences=True)
        x = rng.normal(size=(2, 4, 2)).astype('float32')
        layer(x)
        layer.set_weights([rng.normal(size=w.shape).astype(w.dtype) for w in layer.get_weights()])
        result = layer(x, mask=np.array([[True, True, False, False], [True, True, True, True]]))"""),
    ("lstm_stateful", """
        layer = keras.layers.LSTM(3, stateful=True)
        x = rng.normal(size=(2, 4, 2)).astype('float32')
        layer(x)
        layer.reset_states()
        layer.set_weights([rng.normal(size=w.shape).astype(w.dtype) if w.shape != (2, 3) else np.zeros((2, 3), 'float32') for w in layer.get_weights()])
        a = layer(x)
        b = layer(x)
        layer.reset_states()
        result = [a, b, layer(x)]"""),
    ("lstm_weights", "layer = keras.layers.LSTM(3); layer.build((None, None, 2)); [w.shape for w in layer.weights] + [layer.cell.units]"),
    ("gru", layer(L + "GRU(3)", (2, 4, 2))),
    ("gru_sequences", layer(L + "GRU(3, return_sequences=True, reset_after=False)", (2, 4, 2))),
    ("simple_rnn", layer(L + "SimpleRNN(3, activation='relu')", (2, 4, 2))),
    ("rnn_of_cell", layer(L + "RNN(keras.layers.LSTMCell(3), return_sequences=True)", (2, 4, 2))),
    ("rnn_of_cells", layer(L + "RNN([keras.layers.GRUCell(3), keras.layers.SimpleRNNCell(2)])", (2, 4, 2))),
    ("rnn_stacked_cells", layer(L + "RNN(keras.layers.StackedRNNCells([keras.layers.LSTMCell(3), keras.layers.LSTMCell(2)]), return_state=True)", (2, 4, 2))),
    ("lstm_cell", """
        cell = keras.layers.LSTMCell(3)
        x, h, c = [tf.constant(rng.normal(size=s).astype('float32')) for s in ((2, 4), (2, 3), (2, 3))]
        cell(x, [h, c])
        cell.set_weights([rng.normal(size=w.shape).astype(w.dtype) for w in cell.get_weights()])
        result = [cell(x, [h, c]), cell.state_size]"""),
    ("gru_cell", """
        cell = keras.layers.GRUCell(3)
        x, h = [tf.constant(rng.normal(size=s).astype('float32')) for s in ((2, 4), (2, 3))]
        cell(x, h)
        cell.set_weights([rng.normal(size=w.shape).astype(w.dtype) for w in cell.get_weights()])
        result = cell(x, h)[0]"""),
    ("rnn_own_cell", """
        class Cell(keras.layers.Layer):
            def __init__(self, units, **kwargs):
                super().__init__(**kwargs)
                self.units = units
                self.state_size = units
            def build(self, shape):
                self.w = self.add_weight(shape=(shape[-1], self.units), initializer='ones', name='w')
            def call(self, inputs, states):
                h = states[0] * 0.5 + tf.matmul(inputs, self.w)
                return h, [h]
        layer = keras.layers.RNN(Cell(3), return_sequences=True)
        result = layer(tf.constant(rng.normal(size=(2, 4, 2)).astype('float32')))"""),
    ("bidirectional", layer(L + "Bidirectional(keras.layers.LSTM(3))", (2, 4, 2))),
    ("bidirectional_sum", layer(L + "Bidirectional(keras.layers.GRU(3, return_sequences=True), merge_mode='sum')", (2, 4, 2))),
    ("bidirectional_backward", layer(L + "Bidirectional(keras.layers.SimpleRNN(3), backward_layer=keras.layers.SimpleRNN(2, go_backwards=True))", (2, 4, 2))),
    ("bidirectional_state", layer(L + "Bidirectional(keras.layers.LSTM(2, return_state=True))", (2, 4, 2))),
    ("time_distributed", layer(L + "TimeDistributed(keras.layers.Dense(3))", (2, 4, 2))),
    ("time_distributed_conv", layer(L + "TimeDistributed(keras.layers.Conv2D(2, 2))", (1, 2, 3, 3, 1))),
    ("lambda", "keras.layers.Lambda(lambda x: x * 2 + 1)(tf.constant([1.0, 2.0]))"),
    ("lambda_arguments", "keras.layers.Lambda(lambda x, k: x * k, arguments={'k': 3.0})(tf.constant([1.0, 2.0]))"),
    ("rescaling", "[keras.layers.Rescaling(1./255)(tf.constant([[0, 255]])), keras.layers.Rescaling(2.0, offset=-1.0)(tf.constant([[0.5]]))]"),
    ("normalization_adapt", """
        layer = keras.layers.Normalization()
        x = rng.normal(2.0, 3.0, size=(10, 3)).astype('float32')
        layer.adapt(x)
        result = [layer(x), layer.mean, layer.variance]"""),
    ("normalization_axis_none", "layer = keras.layers.Normalization(axis=None); layer.adapt(np.arange(10.0)); layer(np.array([0.0, 4.5]))"),
    ("normalization_given", "[keras.layers.Normalization(mean=3.0, variance=2.0)(np.array([[1.0], [5.0]], 'float32')), keras.layers.Normalization(mean=[1.0, 2.0], variance=[4.0, 9.0], invert=True)(np.ones((1, 2), 'float32'))]"),
    ("discretization", "[keras.layers.Discretization(bin_boundaries=[0.0, 1.0, 2.0])(np.array([[-1.0, 0.5, 1.0, 5.0]])), keras.layers.Discretization([0.0, 1.0], output_mode='one_hot')(np.array([[0.5], [3.0]]))]"),
    ("discretization_adapt", "layer = keras.layers.Discretization(num_bins=4, epsilon=0.01); layer.adapt(np.arange(100.0)); layer(np.array([[-1.0, 30.0, 60.0, 99.0]]))"),
    ("category_encoding", "k = keras.layers.CategoryEncoding; [k(num_tokens=4, output_mode='one_hot')(np.array([3, 2, 0, 1])), k(4)(np.array([[0, 1], [0, 0], [1, 2], [3, 1]])), k(4, output_mode='count')(np.array([[0, 1], [0, 0]]))]"),
    ("hashing", "[keras.layers.Hashing(num_bins=3)(tf.constant([['A'], ['B'], ['C'], ['D']])), keras.layers.Hashing(3, salt=[133, 137])(tf.constant([['A'], ['B']])), keras.layers.Hashing(5)(tf.constant([1, 2, 3]))]"),
    ("string_lookup", """
        layer = keras.layers.StringLookup(vocabulary=['a', 'b', 'c'])
        back = keras.layers.StringLookup(vocabulary=['a', 'b', 'c'], invert=True)
        x = tf.constant([['a', 'c', 'z'], ['b', 'a', 'a']])
        result = [layer(x), back(layer(x)), layer.get_vocabulary(), layer.vocabulary_size()]"""),
    ("string_lookup_adapt", """
        layer = keras.layers.StringLookup(num_oov_indices=0)
        layer.adapt(np.array(['b', 'a', 'b', 'c', 'b', 'a']))
        result = [layer.get_vocabulary(), layer(tf.constant(['a', 'b', 'c']))]"""),
    ("string_lookup_multi_hot", "keras.layers.StringLookup(vocabulary=['a', 'b'], output_mode='multi_hot')(tf.constant([['a', 'z'], ['b', 'b']]))"),
    ("string_lookup_count_mask", "[keras.layers.StringLookup(vocabulary=['a', 'b'], output_mode='count')(tf.constant([['a', 'z'], ['b', 'b']])), keras.layers.StringLookup(vocabulary=['a', 'b'], mask_token='')(tf.constant(['a', '', 'q']))]"),
    ("integer_lookup", """
        layer = keras.layers.IntegerLookup(vocabulary=[12, 36, 1138, 42])
        x = np.array([[12, 1138, 42], [42, 1000, 36]])
        result = [layer(x), [int(v) for v in layer.get_vocabulary()], keras.layers.IntegerLookup(vocabulary=[12, 36], output_mode='one_hot')(np.array([36, 12, 7]))]"""),
    ("integer_lookup_adapt", "layer = keras.layers.IntegerLookup(); layer.adapt(np.array([5, 3, 5, 7])); [[int(v) for v in layer.get_vocabulary()], layer(np.array([7, 5, 1]))]"),
    ("text_vectorization", """
        layer = keras.layers.TextVectorization(max_tokens=10, output_sequence_length=5)
        layer.adapt(np.array(['foo bar baz', 'foo, bar!', 'Foo']))
        result = [layer.get_vocabulary(), layer(tf.constant(['foo qux bar', 'baz'])), layer.vocabulary_size()]"""),
    ("text_vectorization_modes", """
        texts = tf.constant(['a b a', 'b c'])
        result = [keras.layers.TextVectorization(vocabulary=['a', 'b', 'c'], output_mode=mode)(texts) for mode in ('int', 'multi_hot', 'count')]"""),
    ("text_vectorization_split", "keras.layers.TextVectorization(vocabulary=['a', 'b'], split='character', standardize=None)(tf.constant(['ab', 'ba']))"),
    ("text_vectorization_ngrams", "layer = keras.layers.TextVectorization(ngrams=2); layer.adapt(['a b c', 'a b']); layer.get_vocabulary()"),
    ("text_vectorization_own_standardize", """
        layer = keras.layers.TextVectorization(standardize=lambda t: tf.strings.lower(t), vocabulary=['a!', 'b'])
        result = layer(tf.constant(['A! b']))"""),
    ("center_crop", "x = tf.reshape(tf.range(1.0, 26.0), (1, 5, 5, 1)); [keras.layers.CenterCrop(3, 3)(x), keras.layers.CenterCrop(height=2, width=4)(x)]"),
    ("resizing", "x = tf.reshape(tf.range(16.0), (1, 4, 4, 1)); [keras.layers.Resizing(2, 2)(x), keras.layers.Resizing(6, 5, interpolation='nearest')(x), keras.layers.Resizing(2, 4, crop_to_aspect_ratio=True)(x)]"),
    ("random_layers_inference", "x = tf.reshape(tf.range(16.0), (1, 4, 4, 1)); k = keras.layers; [k.RandomFlip()(x, training=False), k.RandomRotation(0.2)(x, training=False), k.RandomZoom(0.2)(x, training=False), k.RandomTranslation(0.1, 0.1)(x, training=False), k.RandomContrast(0.2)(x, training=False), k.RandomBrightness(0.2)(x, training=False), k.RandomCrop(2, 2)(x, training=False)]"),
    ("random_flip_training", "x = tf.reshape(tf.range(4.0), (1, 2, 2, 1)); y = keras.layers.RandomFlip('horizontal', seed=1)(x, training=True).numpy(); sorted(y.ravel().tolist())"),
    ("random_crop_training", "keras.layers.RandomCrop(2, 3)(tf.ones((2, 5, 5, 1)), training=True)"),
    ("input_layer", "[keras.layers.InputLayer(shape=(3,)).name[:11], tuple(keras.Input((3,)).shape), keras.Input(shape=(3, None), batch_size=2, dtype='int32').dtype]"),
    ("compute_output_shape", "k = keras.layers; [k.Dense(3).compute_output_shape((None, 4)), k.Conv2D(2, 3).compute_output_shape((None, 8, 8, 1)), k.LSTM(4, return_sequences=True).compute_output_shape((2, 5, 3)), k.Flatten().compute_output_shape((None, 3, 4)), k.Concatenate().compute_output_shape([(2, 3), (2, 4)])]"),
    ("names", "keras.utils.clear_session(); a, b, c = keras.layers.Dense(1), keras.layers.Dense(1), keras.layers.Conv2D(1, 1, name='mine'); [a.name, b.name, c.name, keras.layers.LSTM(1).name, keras.layers.Conv2DTranspose(1, 1).name]"),
    ("regularizers_as_losses", """
        layer = keras.layers.Dense(2, kernel_regularizer=keras.regularizers.l2(0.1), bias_regularizer='l1', activity_regularizer=keras.regularizers.L1(0.01), kernel_initializer='ones', bias_initializer='ones')
        y = layer(tf.ones((2, 3)))
        result = [y, sorted(float(v) for v in layer.losses)]"""),
    ("constraints_apply", """
        layer = keras.layers.Dense(2, kernel_constraint=keras.constraints.NonNeg())
        layer.build((None, 2))
        w = layer.kernel
        w.assign([[1.0, -1.0], [0.5, -0.5]])
        keras.optimizers.SGD(0.1).apply_gradients([(tf.ones((2, 2)), w)])
        result = w"""),
    ("trainable", "d = keras.layers.Dense(2); d.build((None, 3)); d.trainable = False; [len(d.trainable_weights), len(d.non_trainable_weights), len(d.weights), d.trainable]"),
    ("set_weights_wrong_count", "d = keras.layers.Dense(2); d.build((None, 3)); d.set_weights([np.ones((3, 2))])"),
    ("set_weights_wrong_shape", "d = keras.layers.Dense(2); d.build((None, 3)); d.set_weights([np.ones((2, 2)), np.ones(2)])"),
    ("mixed_precision", "d = keras.layers.Dense(2, dtype='mixed_float16', kernel_initializer='ones'); y = d(tf.ones((1, 3))); [y, d.dtype, d.compute_dtype, d.kernel.dtype if isinstance(d.kernel.dtype, str) else d.kernel.dtype.name, d.dtype_policy.name]"),
    ("float64_layer", "d = keras.layers.Dense(2, dtype='float64', kernel_initializer='ones'); d(np.ones((1, 3)))"),
    ("float64_input_is_cast", "d = keras.layers.Dense(2, kernel_initializer='ones'); d(np.ones((1, 3)))"),
    ("config_dense", "c = keras.layers.Dense(3, activation='relu', name='d', kernel_regularizer=keras.regularizers.L2(0.5)).get_config(); {k: v for k, v in c.items() if v is not None}"),
    ("config_conv2d", "keras.layers.Conv2D(3, 2, strides=2, padding='same', name='c').get_config()"),
    ("config_lstm", "{k: v for k, v in keras.layers.LSTM(3, return_sequences=True, name='l').get_config().items() if k not in ('use_cudnn', 'zero_output_for_mask')}"),
    ("config_dropout", "keras.layers.Dropout(0.3, name='d').get_config()"),
    ("config_batch_normalization", "c = keras.layers.BatchNormalization(name='b').get_config(); {k: c[k] for k in ('axis', 'momentum', 'epsilon', 'center', 'scale', 'gamma_initializer', 'moving_variance_initializer', 'beta_constraint', 'name', 'trainable')}"),
    ("config_embedding", "c = keras.layers.Embedding(4, 2, mask_zero=True, name='e').get_config(); {k: c[k] for k in ('input_dim', 'output_dim', 'mask_zero', 'embeddings_initializer', 'name')}"),
    ("config_pooling", "keras.layers.MaxPooling2D(name='m').get_config()"),
    ("from_config", "d = keras.layers.Dense.from_config(keras.layers.Dense(3, activation='tanh', name='d').get_config()); [d.units, d.name, d.activation.__name__]"),
    ("from_config_lstm", "d = keras.layers.LSTM.from_config(keras.layers.LSTM(3, dropout=0.2).get_config()); [d.units, d.dropout]"),
    ("serialize_layer", "c = keras.layers.serialize(keras.layers.ReLU(name='r')); d = keras.layers.deserialize(c); [c['class_name'], c['module'], d.name, type(d).__name__]"),
    # ---- layers written in Python
    ("own_layer", """
        class Linear(keras.layers.Layer):
            def __init__(self, units=32):
                super().__init__()
                self.units = units
            def build(self, input_shape):
                self.w = self.add_weight(shape=(input_shape[-1], self.units), initializer='ones', trainable=True)
                self.b = self.add_weight(shape=(self.units,), initializer='zeros', trainable=True)
            def call(self, inputs):
                return tf.matmul(inputs, self.w) + self.b
        layer = Linear(3)
        y = layer(tf.ones((2, 2)))
        result = [y, len(layer.weights), layer.built, layer.name, [w.shape for w in layer.get_weights()]]"""),
    ("own_layer_variables_in_init", """
        class Linear(keras.layers.Layer):
            def __init__(self, units=4, dim=2):
                super().__init__()
                self.w = self.add_weight(shape=(dim, units), initializer='ones')
                self.total = tf.Variable(tf.zeros((dim,)), trainable=False)
            def call(self, inputs):
                self.total.assign_add(tf.reduce_sum(inputs, axis=0))
                return inputs @ self.w
        layer = Linear()
        layer(tf.ones((2, 2)))
        layer(tf.ones((2, 2)))
        result = [layer.total, len(layer.trainable_weights)]"""),
    ("own_layer_nested", """
        class Block(keras.layers.Layer):
            def __init__(self):
                super().__init__()
                self.a, self.b = keras.layers.Dense(3, kernel_initializer='ones'), keras.layers.Dense(1, kernel_initializer='ones')
            def call(self, x):
                return self.b(tf.nn.relu(self.a(x)))
        block = Block()
        y = block(tf.ones((3, 4)))
        result = [y, len(block.weights), len(block.trainable_weights)]"""),
    ("own_layer_list_of_layers", """
        class Stack(keras.layers.Layer):
            def __init__(self, n, **kwargs):
                super().__init__(**kwargs)
                self.parts = [keras.layers.Dense(2, kernel_initializer='ones') for _ in range(n)]
            def call(self, x):
                for part in self.parts:
                    x = part(x)
                return x
        s = Stack(3)
        result = [s(tf.ones((1, 2))), len(s.weights)]"""),
    ("own_layer_list_appended", """
        class Stack(keras.layers.Layer):
            def __init__(self):
                super().__init__()
                self.parts = []
                for _ in range(3):
                    self.parts.append(keras.layers.Dense(2, kernel_initializer='ones'))
                self.by_name = {}
                self.by_name['x'] = keras.layers.Dense(2, kernel_initializer='ones')
            def call(self, x):
                for part in self.parts:
                    x = part(x)
                return self.by_name['x'](x)
        s = Stack()
        result = [s(tf.ones((1, 2))), len(s.weights)]"""),
    ("own_layer_training", """
        class Noise(keras.layers.Layer):
            def call(self, x, training=False):
                return x + 1 if training else x
        n = Noise()
        result = [n(tf.zeros(2)), n(tf.zeros(2), training=True), keras.Sequential([n])(tf.zeros((1, 2)), training=True)]"""),
    ("own_layer_add_loss", """
        class Penalty(keras.layers.Layer):
            def call(self, x):
                self.add_loss(1e-2 * tf.reduce_sum(x))
                return x
        p = Penalty()
        p(tf.ones((2, 2)))
        a = [float(v) for v in p.losses]
        p(tf.zeros((1, 1)))
        result = [a, [float(v) for v in p.losses]]"""),
    ("own_layer_mask", """
        class Sum(keras.layers.Layer):
            def call(self, x, mask=None):
                if mask is None:
                    return tf.reduce_sum(x, 1)
                return tf.reduce_sum(x * tf.cast(mask[..., None], x.dtype), 1)
        e = keras.layers.Embedding(4, 2, mask_zero=True, embeddings_initializer='ones')
        result = Sum()(e(np.array([[1, 2, 0], [3, 0, 0]])))"""),
    ("own_layer_compute_mask", """
        class Double(keras.layers.Layer):
            def __init__(self):
                super().__init__()
                self.supports_masking = True
            def call(self, x):
                return tf.concat([x, x], 1)
            def compute_mask(self, inputs, mask=None):
                return None if mask is None else tf.concat([mask, mask], 1)
        e = keras.layers.Embedding(4, 2, mask_zero=True)
        result = Double()(e(np.array([[1, 0]])))._keras_mask"""),
    ("own_layer_structures", """
        class Mix(keras.layers.Layer):
            def call(self, inputs, scale=1.0):
                return {'sum': inputs['a'] + inputs['b'][0], 'product': (inputs['a'] * scale, inputs['b'][1])}
        x = tf.constant([1.0, 2.0])
        result = Mix()({'a': x, 'b': [x, 3 * x]}, scale=2.0)"""),
    ("own_layer_several_arguments", """
        class Add(keras.layers.Layer):
            def call(self, a, b, c=None):
                return a + b + (0 if c is None else c)
        layer = Add()
        result = [layer(tf.ones(2), tf.ones(2)), layer(tf.ones(2), b=tf.ones(2), c=tf.ones(2))]"""),
    ("own_layer_config", """
        class Scale(keras.layers.Layer):
            def __init__(self, factor, **kwargs):
                super().__init__(**kwargs)
                self.factor = factor
            def call(self, x):
                return x * self.factor
            def get_config(self):
                return {**super().get_config(), 'factor': self.factor}
        c = Scale(3.0, name='s').get_config()
        again = Scale.from_config(c)
        result = [c, again(tf.ones(2)), again.name]"""),
    ("own_layer_auto_config", """
        class Scale(keras.layers.Layer):
            def __init__(self, factor, power=2, **kwargs):
                super().__init__(**kwargs)
                self.factor, self.power = factor, power
            def call(self, x):
                return x * self.factor
        c = Scale(3.0, name='s').get_config()
        result = [c['factor'], c['power'], c['name']]"""),
    ("own_layer_no_call", "class A(keras.layers.Layer): pass\nresult = A()(tf.ones(2))"),
    ("own_layer_no_super", """
        class A(keras.layers.Layer):
            def __init__(self):
                self.x = keras.layers.Dense(1)
        result = A()""", {"raises": "Exception"}),
    ("own_layer_lazy_layers", """
        class A(keras.layers.Layer):
            def build(self, shape):
                self.inner = keras.layers.Dense(shape[-1], kernel_initializer='ones')
                self.inner.build(shape)
            def call(self, x):
                return self.inner(x)
        a = A()
        result = [a(tf.ones((1, 3))), len(a.weights)]"""),
    ("own_layer_build_shapes", """
        seen = []
        class A(keras.layers.Layer):
            def build(self, shape):
                seen.append(shape)
            def call(self, x):
                return x[0] + x[1]
        A()([tf.ones((2, 3)), tf.ones((2, 3))])
        result = [[tuple(s) for s in shape] for shape in seen]"""),
    ("own_layer_error", """
        class A(keras.layers.Layer):
            def call(self, x):
                raise KeyError('mine')
        result = A()(tf.ones(2))""", {"raises": "KeyError"}),
    ("derived_from_dense", """
        class Twice(keras.layers.Dense):
            def call(self, x):
                return 2 * super().call(x)
        t = Twice(2, kernel_initializer='ones')
        result = [t(tf.ones((1, 3))), t.units, len(t.weights)]"""),
    ("gradient_through_own_layer", """
        class Poly(keras.layers.Layer):
            def build(self, shape):
                self.a = self.add_weight(shape=(), initializer='ones', name='a')
                self.b = self.add_weight(shape=(), initializer='zeros', name='b')
            def call(self, x):
                return self.a * x ** 2 + self.b
        p = Poly()
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(p(tf.constant([1.0, 2.0])))
        result = tape.gradient(loss, p.trainable_variables)"""),
    ("layer_that_needs_a_mask", """
        class TemporalSoftmax(keras.layers.Layer):
            def call(self, inputs, mask=None):
                e = tf.exp(inputs) * tf.cast(mask, 'float32')[..., None]
                return e / tf.reduce_sum(e, axis=1, keepdims=True)
        def fixed(model):
            model.set_weights([np.linspace(-1, 1, w.size).reshape(w.shape).astype('float32') for w in model.get_weights()])
            return model
        ids = np.array([[1, 2, 0], [3, 0, 0]])
        sequential = fixed(keras.Sequential([keras.Input((3,), dtype='int32'), keras.layers.Embedding(6, 3, mask_zero=True), TemporalSoftmax()]))
        inputs = keras.Input((None,), dtype='int32')
        functional = fixed(keras.Model(inputs, keras.layers.Dense(2)(TemporalSoftmax()(keras.layers.Embedding(6, 3, mask_zero=True)(inputs)))))
        result = [sequential(ids), functional(ids), functional.predict(ids, verbose=0), sequential.output_shape]""", {"rtol": 1e-4}),
    ("mask_that_is_dropped", """
        class Model(keras.Model):
            def __init__(self, drop):
                super().__init__()
                self.embedding, self.dense, self.drop = keras.layers.Embedding(5, 3, mask_zero=True), keras.layers.Dense(5), drop
            def call(self, x):
                logits = self.dense(self.embedding(x))
                if self.drop:
                    try:
                        del logits._keras_mask
                    except AttributeError:
                        pass
                return logits
        ids = np.array([[1, 2, 0, 0], [3, 4, 1, 0]])
        result = []
        for drop in (False, True):
            model = Model(drop)
            model(ids)
            model.set_weights([np.linspace(-1, 1, w.size).reshape(w.shape).astype('float32') for w in model.get_weights()])
            model.compile('sgd', keras.losses.SparseCategoricalCrossentropy(from_logits=True))
            result.append(model.fit(ids, ids, epochs=2, batch_size=1, shuffle=False, verbose=0).history['loss'])""", {"rtol": 1e-4}),
    ("lookups_of_single_values", """
        vectorize = keras.layers.TextVectorization(max_tokens=8, output_sequence_length=4)
        vectorize.adapt(['the cat sat', 'the dog'])
        lookup = keras.layers.StringLookup(vocabulary=['a', 'b'])
        numbers = keras.layers.IntegerLookup(vocabulary=[5, 7])
        hot = keras.layers.StringLookup(vocabulary=['a', 'b'], output_mode='one_hot')
        texts = tf.data.Dataset.from_tensor_slices((['the cat', 'dog'], [0, 1]))
        result = [vectorize('the cat'), lookup('b'), lookup(tf.constant('z')), numbers(tf.constant(7)), hot(tf.constant('a')),
                  [x for x, _ in texts.map(lambda text, label: (vectorize(text), label))], [x for x in texts.map(lambda text, label: lookup(text))]]"""),
    ("lookups_of_ragged_tensors", """
        characters = tf.strings.unicode_split(['abc', 'b'], 'UTF-8')
        ids = keras.layers.StringLookup(vocabulary=['a', 'b', 'c'], mask_token=None)
        back = keras.layers.StringLookup(vocabulary=ids.get_vocabulary(), invert=True, mask_token=None)
        found = ids(characters)
        result = [found.to_list(), found.to_tensor(), back(found).to_list(), tf.strings.reduce_join(back(found).to_tensor(), axis=-1)]"""),
]  # fmt: skip
