"""Losses, metrics, activations, initializers, regularizers and constraints."""

L = "keras.losses."
DATA = "y, p = rng.uniform(0.1, 1.0, (4, 3)).astype('float32'), rng.uniform(0.1, 0.9, (4, 3)).astype('float32')\n"
BINARY = "y, p = (rng.uniform(size=(4, 3)) > 0.5).astype('float32'), rng.uniform(0.1, 0.9, (4, 3)).astype('float32')\n"
ONEHOT = "y = np.eye(3, dtype='float32')[[0, 2, 1, 1]]\np = rng.uniform(0.1, 1.0, (4, 3)).astype('float32')\np = p / p.sum(-1, keepdims=True)\n"
SPARSE = "y = np.array([0, 2, 1, 1])\np = rng.uniform(0.1, 1.0, (4, 3)).astype('float32')\np = p / p.sum(-1, keepdims=True)\n"


def loss(make, data):
    """As it is, weighted, with each reduction, and its gradient."""
    plain, rest = make.split("(", 1)
    of = lambda more: f"{plain}({rest[:-1]}{', ' if rest != ')' and more else ''}{more})"
    return f"""
{data}w = np.array([0.5, 1.0, 2.0, 0.0], 'float32')
q = tf.constant(p)
with tf.GradientTape() as tape:
    tape.watch(q)
    value = {of("")}(y, q)
result = [value, {of("")}(y, p, sample_weight=w), {of("reduction='sum'")}(y, p), {of("reduction=None")}(y, p), {of("reduction='none'")}(y, p, w), tape.gradient(value, q)]"""


CASES = [
    *((f"loss_{kind}", loss(f"{L}{kind}()", data)) for kind, data in [
        ("MeanSquaredError", DATA), ("MeanAbsoluteError", DATA), ("MeanAbsolutePercentageError", DATA), ("MeanSquaredLogarithmicError", DATA),
        ("CosineSimilarity", DATA), ("Huber", DATA), ("LogCosh", DATA), ("Poisson", DATA), ("KLDivergence", DATA), ("Hinge", BINARY),
        ("SquaredHinge", BINARY), ("CategoricalHinge", ONEHOT), ("BinaryCrossentropy", BINARY), ("BinaryFocalCrossentropy", BINARY),
        ("CategoricalCrossentropy", ONEHOT), ("CategoricalFocalCrossentropy", ONEHOT), ("SparseCategoricalCrossentropy", SPARSE),
        ("CategoricalGeneralizedCrossEntropy", SPARSE)]),
    ("loss_Dice", f"{BINARY}[{L}Dice()(y, p), {L}Dice(axis=(0,))(y, p)]"),
    ("loss_Tversky", f"{BINARY}[{L}Tversky()(y, p), {L}Tversky(alpha=0.2, beta=0.8)(y, p)]"),
    ("loss_Circle", f"{SPARSE}[{L}Circle()(y, p), {L}Circle(gamma=4.0, margin=0.2)(y, p)]"),
    ("loss_CTC", f"{L}CTC()(np.array([[1, 2, 0], [2, 1, 1]]), rng.normal(size=(2, 6, 4)).astype('float32'))"),
    ("loss_huber_delta", f"{DATA}{L}Huber(delta=0.2)(y, p)"),
    ("loss_bce_logits", loss(f"{L}BinaryCrossentropy(from_logits=True)", BINARY)),
    ("loss_bce_smoothing", loss(f"{L}BinaryCrossentropy(label_smoothing=0.2)", BINARY)),
    ("loss_bce_positional", f"{BINARY}{L}BinaryCrossentropy(True, 0.1)(y, p)"),
    ("loss_cce_logits", loss(f"{L}CategoricalCrossentropy(from_logits=True, label_smoothing=0.1)", ONEHOT)),
    ("loss_scce_logits", loss(f"{L}SparseCategoricalCrossentropy(from_logits=True)", SPARSE)),
    ("loss_scce_ignore", loss(f"{L}SparseCategoricalCrossentropy(ignore_class=1)", SPARSE)),
    ("loss_focal_options", f"{BINARY}{L}BinaryFocalCrossentropy(apply_class_balancing=True, alpha=0.3, gamma=1.5)(y, p)"),
    ("loss_cfc_options", f"{ONEHOT}{L}CategoricalFocalCrossentropy(alpha=0.3, gamma=1.5)(y, p)"),
    ("loss_column_labels", f"{L}SparseCategoricalCrossentropy()(np.array([[1], [0]]), np.array([[0.2, 0.8], [0.6, 0.4]], 'float32'))"),
    ("loss_of_lists", f"{L}MeanSquaredError()([[0.0, 1.0]], [[1.0, 1.0]])"),
    ("loss_of_ints", f"{L}MeanSquaredError()(np.array([1, 2]), np.array([2, 4]))"),
    ("loss_float64", f"{L}MeanSquaredError()(np.ones((2, 2)), np.zeros((2, 2)))"),
    ("loss_wrong_shape", f"{L}MeanSquaredError()(np.ones((2, 3)), np.zeros((2, 4)))", {"raises": "Exception"}),
    ("loss_bad_reduction", f"{L}MeanSquaredError(reduction='maximum')"),
    ("loss_names", "[keras.losses.MeanSquaredError().name, keras.losses.Huber().name, keras.losses.BinaryCrossentropy(name='b').name]"),
    ("loss_get", f"{DATA}k = keras.losses; [k.get('mse')(y, p), k.get('mean_absolute_error')(y, p), k.get(k.Huber())(y, p), k.get('MeanSquaredError')(y, p)]"),
    ("loss_get_unknown", "keras.losses.get('no_such_loss')"),
    ("loss_serialize", "c = keras.losses.serialize(keras.losses.Huber(delta=1.0)); [c['class_name'], c['module'], keras.losses.deserialize(c).name]"),
    ("loss_reduction_names", "k = tf.keras.losses.Reduction; [k.NONE, k.SUM, k.SUM_OVER_BATCH_SIZE]"),
    ("loss_functions", f"""
{DATA}k = keras.losses
result = [f(y, p) for f in (k.mean_squared_error, k.mean_absolute_error, k.mean_absolute_percentage_error, k.mean_squared_logarithmic_error,
                            k.cosine_similarity, k.huber, k.log_cosh, k.poisson, k.kl_divergence, k.hinge, k.squared_hinge, k.categorical_hinge)]"""),
    ("loss_crossentropy_functions", f"""
{ONEHOT}k = keras.losses
result = [k.binary_crossentropy(y, p), k.categorical_crossentropy(y, p), k.sparse_categorical_crossentropy(np.argmax(y, -1), p),
          k.sparse_categorical_crossentropy(np.argmax(y, -1), p, from_logits=True), k.binary_focal_crossentropy(y, p), k.categorical_focal_crossentropy(y, p)]"""),
    ("loss_own_function", f"""
{DATA}
def mine(y_true, y_pred):
    return tf.reduce_mean(tf.abs(y_true - y_pred) ** 3, axis=-1)
model = keras.Sequential([keras.layers.Identity()])
model.compile(loss=mine)
result = model.evaluate(p, y, verbose=0)"""),
    ("loss_own_class", f"""
{DATA}
class Mine(keras.losses.Loss):
    def __init__(self, power=3, name='mine'):
        super().__init__(name=name)
        self.power = power
    def call(self, y_true, y_pred):
        return tf.reduce_mean(tf.abs(y_true - y_pred) ** self.power, axis=-1)
m = Mine()
result = [m(y, p), m(y, p, sample_weight=np.array([1.0, 2.0, 0.0, 1.0], 'float32')), m.name, Mine(2)(y, p)]"""),
    ("activations", """
        x = tf.constant([[-3.0, -1.0, -0.2, 0.0, 0.5, 2.0, 7.0, 0.1]])
        k = keras.activations
        names = ('celu elu exponential gelu glu hard_shrink hard_sigmoid hard_silu hard_tanh leaky_relu linear log_sigmoid log_softmax mish '
                 'relu relu6 selu sigmoid silu softmax soft_shrink softplus softsign sparse_plus sparsemax squareplus tanh tanh_shrink threshold swish').split()
        result = [getattr(k, n)(x) if n != 'threshold' else k.threshold(x, 0.5, 20.0) for n in names if hasattr(k, n)]"""),
    ("activation_options", "x = tf.constant([[-3.0, -1.0, 0.5, 7.0]]); k = keras.activations; [k.relu(x, negative_slope=0.1, max_value=2.0, threshold=0.2), k.elu(x, alpha=0.5), k.leaky_relu(x, negative_slope=0.3), k.gelu(x, approximate=True), k.softmax(x, axis=-1)]"),
    ("activation_get", "k = keras.activations; [k.get('relu')(tf.constant([-1.0, 1.0])), k.get(None)(tf.constant([-1.0])), k.serialize(k.relu), k.deserialize('tanh').__name__]"),
    ("activation_unknown", "keras.activations.get('no_such')"),
    ("regularizers", "w = tf.constant([[1.0, -2.0], [3.0, 0.5]]); k = keras.regularizers; [k.L1(0.1)(w), k.L2(0.1)(w), k.L1L2(0.1, 0.2)(w), k.l1(0.3)(w), k.l2()(w), k.l1_l2(l1=0.1, l2=0.1)(w), k.OrthogonalRegularizer(0.1)(w), k.OrthogonalRegularizer(0.1, mode='columns')(w)]"),
    ("regularizer_get", "w = np.ones((2, 2), 'float32'); k = keras.regularizers; [k.get('l2')(w), k.get('L1')(w), k.get(k.L2(0.5))(w), k.get(None)]"),
    ("regularizer_own", """
        class Mine(keras.regularizers.Regularizer):
            def __init__(self, s):
                self.s = s
            def __call__(self, x):
                return self.s * tf.reduce_sum(tf.abs(x))
            def get_config(self):
                return {'s': self.s}
        layer = keras.layers.Dense(2, kernel_regularizer=Mine(0.5), kernel_initializer='ones')
        layer(tf.ones((1, 3)))
        result = [layer.losses, Mine(2.0).get_config()]"""),
    ("regularizer_function", "layer = keras.layers.Dense(2, kernel_regularizer=lambda w: 0.1 * tf.reduce_sum(w), kernel_initializer='ones'); layer(tf.ones((1, 3))); layer.losses"),
    ("constraints", "w = np.array([[1.0, -2.0], [3.0, 0.5]], 'float32'); k = keras.constraints; [k.MaxNorm(1.0)(w), k.MinMaxNorm(0.5, 1.0, rate=0.5)(w), k.NonNeg()(w), k.UnitNorm()(w), k.UnitNorm(axis=1)(w), k.max_norm(2)(w), k.unit_norm()(w)]"),
    ("constraint_get", "w = np.array([[1.0, -2.0]], 'float32'); [keras.constraints.get('non_neg')(w), keras.constraints.get('NonNeg')(w)]"),
    ("initializers_fixed", "k = keras.initializers; [k.Zeros()((2,)), k.Ones()(shape=(2, 2)), k.Constant(3.0)((2,)), k.Identity()((2, 2)), k.Identity(gain=2.0)((2, 3)), k.zeros()((1,)), k.get('ones')((2,)), k.Zeros()((2,), dtype='int32'), k.Constant(0.5)((2,), 'float64')]"),
    ("initializers_drawn", """
        def about(i, shape=(200, 100)):
            v = np.asarray(i(shape))
            return [v.shape, str(v.dtype), round(float(abs(v.mean())), 1), round(float(v.std() * np.sqrt(shape[0])), 1) if shape[0] == 200 else 0]
        k = keras.initializers
        result = [about(i) for i in (k.GlorotNormal(), k.GlorotUniform(), k.HeNormal(), k.HeUniform(), k.LecunNormal(), k.LecunUniform(), k.RandomNormal(),
                                     k.RandomUniform(), k.TruncatedNormal(), k.VarianceScaling(2.0, mode='fan_out', distribution='uniform'), k.glorot_uniform())]""", {"atol": 0.11}),  # the moments are rounded
    ("initializer_orthogonal", "v = np.asarray(keras.initializers.Orthogonal(gain=2.0)((4, 6))); np.round(v @ v.T, 3)"),
    ("initializer_seed", "a = keras.initializers.GlorotUniform(seed=3); b = keras.initializers.GlorotUniform(seed=3); bool(np.array_equal(np.asarray(a((3, 3))), np.asarray(b((3, 3)))))"),
    ("initializer_own", """
        class Mine(keras.initializers.Initializer):
            def __call__(self, shape, dtype=None):
                return tf.ones(shape, dtype=dtype) * 3
        d = keras.layers.Dense(2, kernel_initializer=Mine(), bias_initializer=lambda shape, dtype=None: tf.ones(shape, dtype))
        result = d(tf.ones((1, 2)))"""),
    ("initializer_tensor", "keras.layers.Dense(2, kernel_initializer=keras.initializers.Constant(np.array([[1.0, 2.0], [3.0, 4.0]])))(tf.ones((1, 2)))"),
    ("initializer_get", "[type(keras.initializers.get(n)).__name__ for n in ('glorot_uniform', 'he_normal', 'zeros', 'random_normal', 'orthogonal')]"),
    ("initializer_unknown", "keras.initializers.get('no_such')"),
    ("derived_from_one_of_keras", """
        class Weighted(keras.losses.BinaryCrossentropy):
            def __init__(self, factor, **kwargs):
                super().__init__(**kwargs)
                self.factor = factor
            def call(self, y_true, y_pred):
                return super().call(y_true, y_pred) * self.factor
        y, p = np.array([[1.0], [0.0]], 'float32'), np.array([[0.8], [0.4]], 'float32')
        model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, activation='sigmoid', kernel_initializer='ones')])
        model.compile('sgd', Weighted(3.0))
        result = [Weighted(3.0)(y, p), Weighted(2.0, reduction='sum')(y, p), model.evaluate(p, y, verbose=0)]""", {"rtol": 1e-4}),
]  # fmt: skip
