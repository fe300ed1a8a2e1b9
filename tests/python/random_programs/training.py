"""Losses, metrics, optimizers, data and callbacks at random, as source."""

OPTIMIZERS = (
    "'sgd'", "'adam'", "'rmsprop'", "'adamw'", "'nadam'", "'adagrad'", "'adamax'",
    "keras.optimizers.SGD(0.05)", "keras.optimizers.SGD(0.02, momentum=0.9)", "keras.optimizers.SGD(learning_rate=0.02, momentum=0.9, nesterov=True)",
    "keras.optimizers.SGD(0.02, weight_decay=0.01)", "keras.optimizers.SGD(0.05, clipnorm=0.5)", "keras.optimizers.SGD(0.05, clipvalue=0.1)", "keras.optimizers.SGD(0.05, global_clipnorm=1.0)",
    "keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(0.05, 2, 0.5))", "keras.optimizers.SGD(keras.optimizers.schedules.CosineDecay(0.05, 10))",
    "keras.optimizers.SGD(keras.optimizers.schedules.PiecewiseConstantDecay([2, 4], [0.05, 0.01, 0.001]))", "keras.optimizers.SGD(keras.optimizers.schedules.PolynomialDecay(0.05, 6, 0.01))",
    "keras.optimizers.Adam(0.003)", "keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.8, epsilon=1e-4)", "keras.optimizers.Adam(1e-3, amsgrad=True)", "keras.optimizers.Adam(1e-3, clipnorm=1.0)",
    "keras.optimizers.Adam(1e-3, use_ema=True, ema_momentum=0.9)", "keras.optimizers.AdamW(1e-3, weight_decay=0.01)", "keras.optimizers.RMSprop(1e-3, momentum=0.5)", "keras.optimizers.RMSprop(1e-3, centered=True)",
    "keras.optimizers.Adagrad(0.01)", "keras.optimizers.Adadelta(0.5)", "keras.optimizers.Nadam(1e-3)", "keras.optimizers.Adamax(2e-3)", "keras.optimizers.Ftrl(0.05)", "keras.optimizers.Lion(1e-3)",
    "keras.optimizers.Adafactor(0.01)", "keras.optimizers.Adam(1e-3, gradient_accumulation_steps=2)",
)  # fmt: skip

# (activation of the head, loss) by task
LOSSES = {
    "sparse": (
        ("softmax", "'sparse_categorical_crossentropy'"), ("softmax", "keras.losses.SparseCategoricalCrossentropy()"), (None, "keras.losses.SparseCategoricalCrossentropy(from_logits=True)"),
        ("softmax", "keras.losses.sparse_categorical_crossentropy"), (None, "keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)"),
        (None, "lambda y_true, y_pred: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.cast(tf.reshape(y_true, tf.shape(y_pred)[:-1]), 'int32'), logits=y_pred)"),
    ),
    "onehot": (
        ("softmax", "'categorical_crossentropy'"), (None, "keras.losses.CategoricalCrossentropy(from_logits=True)"), ("softmax", "keras.losses.CategoricalCrossentropy(label_smoothing=0.1)"),
        ("softmax", "keras.losses.CategoricalFocalCrossentropy()"), ("softmax", "'kl_divergence'"), ("softmax", "'categorical_hinge'"), ("softmax", "keras.losses.Dice()"), ("softmax", "'mse'"),
    ),
    "binary": (
        ("sigmoid", "'binary_crossentropy'"), (None, "keras.losses.BinaryCrossentropy(from_logits=True)"), ("sigmoid", "keras.losses.BinaryCrossentropy(label_smoothing=0.2)"),
        ("sigmoid", "keras.losses.BinaryFocalCrossentropy(gamma=1.5, apply_class_balancing=True)"), ("tanh", "'hinge'"), ("tanh", "keras.losses.SquaredHinge()"), ("sigmoid", "keras.losses.Tversky(alpha=0.3, beta=0.7)"),
    ),
    "regression": (
        (None, "'mse'"), (None, "'mean_squared_error'"), (None, "'mae'"), (None, "keras.losses.Huber(delta=0.7)"), (None, "keras.losses.LogCosh()"), (None, "keras.losses.CosineSimilarity()"),
        (None, "keras.losses.MeanSquaredError(reduction='sum')"), (None, "'mean_absolute_percentage_error'"), ("softplus", "'poisson'"), ("softplus", "keras.losses.MeanSquaredLogarithmicError()"),
        (None, "lambda y_true, y_pred: tf.reduce_mean(tf.square(y_true - y_pred), axis=-1)"), (None, "lambda y_true, y_pred: keras.ops.abs(y_pred - y_true)"),
    ),
}  # fmt: skip

METRICS = {
    "sparse": ("'accuracy'", "'acc'", "keras.metrics.SparseCategoricalAccuracy()", "keras.metrics.SparseTopKCategoricalAccuracy(k=2)", "keras.metrics.SparseCategoricalCrossentropy(from_logits=True)"),
    "onehot": ("'accuracy'", "keras.metrics.CategoricalAccuracy(name='own')", "keras.metrics.TopKCategoricalAccuracy(k=2)", "'mse'", "keras.metrics.F1Score(average='macro')", "keras.metrics.OneHotMeanIoU(3)"),
    "binary": ("'accuracy'", "keras.metrics.BinaryAccuracy(threshold=0.4)", "keras.metrics.AUC()", "keras.metrics.Precision()", "keras.metrics.Recall(name='r')", "keras.metrics.TruePositives()", "keras.metrics.F1Score(threshold=0.5)"),
    "regression": ("'mae'", "'mse'", "keras.metrics.MeanAbsoluteError()", "keras.metrics.RootMeanSquaredError()", "keras.metrics.R2Score()", "keras.metrics.CosineSimilarity()", "keras.metrics.MeanAbsolutePercentageError()"),
}  # fmt: skip

CALLBACKS = (
    "keras.callbacks.ReduceLROnPlateau(monitor='loss', patience=0, factor=0.5)", "keras.callbacks.EarlyStopping(monitor='loss', patience=1, restore_best_weights=True)", "keras.callbacks.TerminateOnNaN()",
    "keras.callbacks.LearningRateScheduler(lambda epoch, lr: lr * 0.5)", "keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: told.append(sorted(logs)))",
    "Told()", "keras.callbacks.ModelCheckpoint(path('best.weights.h5'), save_weights_only=True, monitor='loss', save_best_only=True)", "keras.callbacks.CSVLogger(path('log.csv'))",
)  # fmt: skip


def targets(rng, task, rows, shape, classes):
    """The source of an array of targets for outputs of a shape, whose last axis is classes."""
    shape = (rows, *shape[:-1])
    if task == "sparse":
        form = rng.choice((shape, (*shape, 1))) if len(shape) == 1 else shape
        return f"g.integers(0, {classes}, {form!r}).astype({rng.choice(('int64', 'int32', 'uint8', 'float32', 'int64'))!r})"
    if task == "onehot":
        return f"np.eye({classes}, dtype={rng.choice(('float32', 'float64', 'float32'))!r})[g.integers(0, {classes}, {shape!r})]"
    if task == "binary":
        form = shape if classes == 1 and len(shape) == 1 and rng.random() < 0.4 else (*shape, classes)
        return f"g.integers(0, 2, {form!r}).astype({rng.choice(('int64', 'float32', 'uint8', 'float64', 'bool'))!r})"
    return f"g.uniform(0.2, 2, {(*shape, classes)!r}).astype({rng.choice(('float32', 'float32', 'float64'))!r})"
