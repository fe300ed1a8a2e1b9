"""Optimizers and schedules: three steps each from fixed weights and gradients."""

O = "keras.optimizers."  # noqa: E741  short for many rows


def steps(make, count=3):
    return f"""
        o = {O}{make}
        a = tf.Variable(rng.normal(size=(3, 2)).astype('float32'), name='a')
        b = tf.Variable(rng.normal(size=(2,)).astype('float32'), name='b')
        for _ in range({count}):
            g = [tf.constant(rng.normal(size=v.shape).astype('float32')) for v in (a, b)]
            o.apply_gradients(zip(g, [a, b]))
        result = [a.numpy(), b.numpy(), int(o.iterations), float(o.learning_rate)]"""


MAKES = [
    "SGD()",
    "SGD(0.1)",
    "SGD(0.1, momentum=0.9)",
    "SGD(learning_rate=0.1, momentum=0.9, nesterov=True)",
    "SGD(0.1, weight_decay=0.1)",
    "SGD(0.1, clipnorm=0.5)",
    "SGD(0.1, clipvalue=0.3)",
    "SGD(0.1, global_clipnorm=0.5)",
    "RMSprop()",
    "RMSprop(0.01, rho=0.8, momentum=0.5)",
    "RMSprop(0.01, centered=True)",
    "Adam()",
    "Adam(0.1)",
    "Adam(learning_rate=0.01, beta_1=0.8, beta_2=0.9, epsilon=1e-3)",
    "Adam(0.01, amsgrad=True)",
    "Adam(0.01, clipnorm=1.0, weight_decay=0.01)",
    "AdamW()",
    "AdamW(0.01, weight_decay=0.1)",
    "Adamax(0.01)",
    "Nadam(0.01)",
    "Adagrad(0.1)",
    "Adagrad(0.1, initial_accumulator_value=0.5)",
    "Adadelta(1.0)",
    "Adafactor(0.01)",
    "Adafactor(0.01, relative_step=False)",
    "Ftrl(0.1)",
    "Ftrl(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.1)",
    "Lion(0.01)",
    "Lamb(0.01)",
    "Adam(0.01, use_ema=True, ema_momentum=0.9, ema_overwrite_frequency=2)",
    "SGD(0.1, gradient_accumulation_steps=2)",
    "SGD(0.1, loss_scale_factor=4.0)",
    "SGD(keras.optimizers.schedules.ExponentialDecay(0.1, 1, 0.5))",
    "Adam(keras.optimizers.schedules.PiecewiseConstantDecay([1, 2], [0.1, 0.05, 0.01]))",
]


def schedule(make):
    return f"s = keras.optimizers.schedules.{make}; [s(step) for step in (0, 1, 3, 7, 10, 25)]"


CASES = [
    *((f"{make.split('(')[0]}_{i}", steps(make)) for i, make in enumerate(MAKES)),
    *((f"schedule_{i}", schedule(make)) for i, make in enumerate([
        "CosineDecay(0.1, 10)", "CosineDecay(0.1, 10, alpha=0.1, warmup_target=0.2, warmup_steps=3)", "CosineDecayRestarts(0.1, 5)", "CosineDecayRestarts(0.1, 5, t_mul=1.5, m_mul=0.9, alpha=0.1)",
        "ExponentialDecay(0.1, decay_steps=5, decay_rate=0.5)", "ExponentialDecay(0.1, 5, 0.5, staircase=True)", "InverseTimeDecay(0.1, 5, 0.5)", "InverseTimeDecay(0.1, 5, 0.5, staircase=True)",
        "PiecewiseConstantDecay([2, 8], [1.0, 0.5, 0.1])", "PolynomialDecay(0.1, 10)", "PolynomialDecay(0.1, 10, end_learning_rate=0.01, power=2.0, cycle=True)"])),
    ("learning_rate_is_set", "o = keras.optimizers.Adam(0.1); o.learning_rate = 0.5; a = float(o.learning_rate); o.learning_rate.assign(0.25); [a, float(o.learning_rate), float(o.learning_rate.numpy())]"),
    ("schedule_is_not_set", "o = keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(0.1, 1, 0.5)); o.learning_rate = 0.5", {"raises": "Exception"}),
    ("own_schedule", """
        class Warmup(keras.optimizers.schedules.LearningRateSchedule):
            def __init__(self, top):
                self.top = top
            def __call__(self, step):
                step = tf.cast(step, tf.float32)
                return self.top * tf.minimum(1.0, (step + 1) / 4.0)
            def get_config(self):
                return {'top': self.top}
        o = keras.optimizers.SGD(Warmup(0.4))
        v = tf.Variable(1.0)
        seen = []
        for _ in range(5):
            o.apply_gradients([(tf.constant(1.0), v)])
            seen.append(float(v))
        result = [seen, float(o.learning_rate)]"""),
    ("callable_rate", "o = keras.optimizers.SGD(lambda: 0.5); v = tf.Variable(1.0); o.apply_gradients([(tf.constant(1.0), v)]); v.numpy()"),
    ("apply", "o = keras.optimizers.SGD(0.5); v = tf.Variable([1.0, 2.0]); o.build([v]); o.apply([tf.constant([1.0, 1.0])]); o.apply([tf.constant([1.0, 1.0])], [v]); v.numpy()"),
    ("minimize", """
        o = keras.optimizers.SGD(0.1)
        v = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            loss = v * v
        grads = tape.gradient(loss, [v])
        o.apply_gradients(zip(grads, [v]))
        result = v.numpy()"""),
    ("gradient_none", "o = keras.optimizers.SGD(0.5); v, w = tf.Variable(1.0), tf.Variable(2.0); o.apply_gradients([(tf.constant(1.0), v), (None, w)]); [v.numpy(), w.numpy()]"),
    ("gradients_all_none", "keras.optimizers.SGD(0.5).apply_gradients([(None, tf.Variable(2.0))])"),
    ("get", "k = keras.optimizers; [type(k.get('adam')).__name__, type(k.get('SGD')).__name__, type(k.get('rmsprop')).__name__, type(k.get(k.Adam(0.1))).__name__, type(k.get({'class_name': 'SGD', 'config': {'learning_rate': 0.3}})).__name__]"),
    ("get_unknown", "keras.optimizers.get('no_such')"),
    ("unknown_argument", "keras.optimizers.Adam(speed=3)", {"raises": "Exception"}),
    ("config_round_trip", "a = keras.optimizers.Adam(0.3, beta_1=0.5); b = keras.optimizers.Adam.from_config(a.get_config()); [float(b.learning_rate), b.beta_1]"),
    ("config_schedule", "a = keras.optimizers.SGD(keras.optimizers.schedules.CosineDecay(0.1, 10)); b = keras.optimizers.SGD.from_config(a.get_config()); float(b.learning_rate)"),
    ("variables", "o = keras.optimizers.Adam(); v = tf.Variable([1.0, 2.0], name='v'); o.build([v]); [len(o.variables), [x.shape for x in o.variables]]"),
    ("exclude_from_weight_decay", """
        o = keras.optimizers.AdamW(0.1, weight_decay=0.5)
        a, b = keras.Variable([1.0], name='kernel'), keras.Variable([1.0], name='bias')
        o.exclude_from_weight_decay(var_names=['bias'])
        o.apply_gradients([(tf.constant([0.0]), a), (tf.constant([0.0]), b)])
        result = [np.array(a), np.array(b)]"""),
    ("loss_scale", "o = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.1), initial_scale=4.0); v = tf.Variable(1.0); o.build([v]); s = o.scale_loss(tf.constant(2.0)); o.apply_gradients([(tf.constant(4.0), v)]); [s, v.numpy()]"),
    ("own_optimizer", """
        class Signed(keras.optimizers.Optimizer):
            def __init__(self, learning_rate=0.1, name='signed', **kwargs):
                super().__init__(learning_rate=learning_rate, name=name, **kwargs)
            def build(self, variables):
                super().build(variables)
                self.steps = [self.add_variable_from_reference(v, name='steps') for v in variables]
            def update_step(self, gradient, variable, learning_rate):
                steps = self.steps[self._get_variable_index(variable)]
                self.assign_add(steps, tf.ones_like(gradient))
                self.assign_sub(variable, tf.sign(gradient) * learning_rate)
        o = Signed(0.5)
        v = keras.Variable([1.0, 2.0])
        for _ in range(2):
            o.apply_gradients([(tf.constant([3.0, -4.0]), v)])
        result = [np.array(v), np.array(o.steps[0]), int(o.iterations), o.name]"""),
    ("own_optimizer_in_fit", """
        class Plain(keras.optimizers.Optimizer):
            def update_step(self, gradient, variable, learning_rate):
                self.assign_sub(variable, gradient * learning_rate)
        m = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, kernel_initializer='ones')])
        m.compile(Plain(0.1), 'mse')
        m.fit(np.ones((4, 2)), np.zeros((4, 1)), epochs=2, verbose=0)
        result = m.get_weights()"""),
]  # fmt: skip
