"""Names of Keras under which tutorials know things that other cases test under other names."""

_SPEC = """
class L(keras.layers.Layer):
    def __init__(self, spec):
        super().__init__()
        self.input_spec = spec
    def call(self, x):
        return x
"""
CASES = [
    ("layers_input", "i = keras.layers.Input(shape=(3,)); m = keras.models.Model(i, keras.layers.Dense(2, kernel_initializer='ones')(i)); m(np.ones((1, 3), 'float32'))"),
    ("models_sequential", "m = keras.models.Sequential([keras.layers.Input((3,)), keras.layers.Dense(2, kernel_initializer='ones')]); m(np.ones((1, 3), 'float32'))"),
    ("loss_functions", "y, p = np.array([1, 0]), np.array([[0.3, 0.7], [0.6, 0.4]], 'float32'); h = np.eye(2, dtype='float32')[y]; [keras.losses.sparse_categorical_crossentropy(y, p), keras.losses.binary_crossentropy(h, p), keras.losses.categorical_crossentropy(h, p), keras.losses.mean_squared_error(h, p)]"),
    ("loss_reduction", "[tf.keras.losses.Reduction.NONE, tf.keras.losses.MeanSquaredError(reduction=tf.keras.losses.Reduction.NONE)(np.ones((2, 2)), np.zeros((2, 2)))]"),
    ("pooling_short_names", "x = np.arange(16.0, dtype='float32').reshape(1, 4, 4, 1); [keras.layers.MaxPool2D(2)(x), keras.layers.GlobalAvgPool2D()(x), keras.layers.AvgPool2D(2)(x)]"),
    ("activations", "x = np.array([[-1.0, 0.5, 2.0]], 'float32'); [keras.activations.gelu(x), keras.activations.softmax(x), keras.activations.swish(x), keras.activations.sigmoid(x), keras.activations.relu(x), keras.activations.selu(x), keras.activations.tanh(x), keras.activations.elu(x), keras.activations.leaky_relu(x)]"),
    ("regularizers_get", "w = np.ones((2, 2), 'float32'); [keras.regularizers.get('l2')(w), keras.regularizers.get(keras.regularizers.L1L2(0.1, 0.1))(w)]"),
    ("initializers_serialize", "c = keras.initializers.serialize(keras.initializers.HeNormal(seed=1)); [c['class_name'], c['config']['seed'], type(keras.initializers.deserialize(c)).__name__]"),
    ("optimizer_names", "[type(o).__name__ for o in (keras.optimizers.Adam(), keras.optimizers.SGD(), keras.optimizers.RMSprop(), keras.optimizers.AdamW(), keras.optimizers.Adagrad())]"),
    ("schedule_names", "k = [keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9), keras.optimizers.schedules.CosineDecay(0.1, 10), keras.optimizers.schedules.PolynomialDecay(0.1, 10), keras.optimizers.schedules.InverseTimeDecay(0.1, 10, 0.5), keras.optimizers.schedules.PiecewiseConstantDecay([5], [1.0, 0.5])]; [s(4) for s in k]"),
    ("metric_names", "m = keras.metrics.MeanIoU(num_classes=2); m.update_state([0, 1], [1, 1]); [m.result(), keras.metrics.SparseCategoricalCrossentropy().name, keras.metrics.MeanAbsolutePercentageError().name]"),
    ("layer_names", "[keras.Layer.__name__, keras.layers.serialize(keras.layers.RepeatVector(2))['class_name'], keras.layers.deserialize(keras.layers.serialize(keras.layers.MaxPool3D())).name[:10]]"),
    ("model_from_config", "m = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)]); i = keras.Input((2,)); f = keras.Model(i, keras.layers.Dense(1)(i)); [keras.Sequential.from_config(m.get_config()).output_shape, keras.Model.from_config(f.get_config()).output_shape]"),
    ("utils_serialization", "c = keras.utils.serialize_keras_object(keras.layers.ReLU(name='r')); keras.utils.deserialize_keras_object(c).name"),
    ("version", "[int(keras.version().split('.')[0]), int(keras.__version__.split('.')[0])]"),
    ("input_spec_ndim", _SPEC + "L(keras.layers.InputSpec(ndim=3))(tf.ones((2, 3, 4)))"),
    ("input_spec_ndim_wrong", _SPEC + "L(keras.layers.InputSpec(ndim=3))(tf.ones((2, 3)))"),
    ("input_spec_min_ndim", _SPEC + "L(keras.layers.InputSpec(min_ndim=3))(tf.ones((2, 3, 4, 5)))"),
    ("input_spec_min_ndim_wrong", _SPEC + "L(keras.layers.InputSpec(min_ndim=3))(tf.ones((2, 3)))"),
    ("input_spec_max_ndim", _SPEC + "L(keras.layers.InputSpec(max_ndim=2))(tf.ones((2, 3)))"),
    ("input_spec_max_ndim_wrong", _SPEC + "L(keras.layers.InputSpec(max_ndim=2))(tf.ones((2, 3, 4)))"),
    ("input_spec_axes", _SPEC + "L(keras.layers.InputSpec(min_ndim=2, axes={-1: 3}))(tf.ones((2, 3)))"),
    ("input_spec_axes_wrong", _SPEC + "L(keras.layers.InputSpec(min_ndim=2, axes={-1: 3}))(tf.ones((2, 4)))"),
    ("input_spec_shape", _SPEC + "L(keras.layers.InputSpec(shape=(None, 3)))(tf.ones((5, 3)))"),
    ("input_spec_shape_wrong", _SPEC + "L(keras.layers.InputSpec(shape=(None, 3)))(tf.ones((5, 4)))"),
    ("input_spec_dtype", _SPEC + "L(keras.layers.InputSpec(dtype='float32'))(tf.ones((2,)))"),
    ("input_spec_dtype_wrong", _SPEC + "L(keras.layers.InputSpec(dtype='float32'))(tf.ones((2,), 'int32'))"),
    ("input_spec_squeeze", _SPEC + "L(keras.layers.InputSpec(shape=(None, 3, 1), allow_last_axis_squeeze=True))(tf.ones((2, 3)))"),
    ("input_spec_squeeze_wrong", _SPEC + "L(keras.layers.InputSpec(shape=(None, 3, 1), allow_last_axis_squeeze=True))(tf.ones((2, 4)))"),
    ("input_spec_several", _SPEC + "L([keras.layers.InputSpec(ndim=1), keras.layers.InputSpec(ndim=2)])([tf.ones([2]), tf.ones([2, 2])])[0]"),
    ("input_spec_too_few", _SPEC + "L([keras.layers.InputSpec(ndim=1), keras.layers.InputSpec(ndim=2)])([tf.ones([2])])"),
    ("input_spec_config", "s = keras.layers.InputSpec(ndim=3, axes={-1: 4}); c = s.get_config(); [c, repr(s), keras.layers.InputSpec.from_config(c).ndim]"),
    ("input_spec_high_axis", "keras.layers.InputSpec(ndim=2, axes={2: 4})"),
    ("input_spec_no_dict", "keras.layers.InputSpec(axes=[1])", {"raises": "TypeError"}),  # which Keras too means to raise
]  # fmt: skip
