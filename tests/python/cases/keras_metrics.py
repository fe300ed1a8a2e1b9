"""Metrics: each over two batches, with weights, and reset."""

M = "keras.metrics."
DATA = "rng.uniform(0.1, 1.0, (4, 3)).astype('float32'), rng.uniform(0.1, 0.9, (4, 3)).astype('float32')"
BINARY = "(rng.uniform(size=(8,)) > 0.5).astype('float32'), rng.uniform(0.0, 1.0, (8,)).astype('float32')"
ONEHOT = "np.eye(3, dtype='float32')[rng.integers(0, 3, 6)], rng.dirichlet([1, 1, 1], 6).astype('float32')"
SPARSE = "rng.integers(0, 3, 6), rng.dirichlet([1, 1, 1], 6).astype('float32')"
CLASSES = "rng.integers(0, 3, 10), rng.integers(0, 3, 10)"


def metric(make, data, weights=True):
    n = {BINARY: 8, DATA: 4, CLASSES: 10}.get(data, 6)
    weighted = (
        f"m.update_state(*batch(), sample_weight=rng.uniform(size=({n},)).astype('float32')); seen.append(np.array(m.result()))"
        if weights
        else ""
    )
    return f"""
        m = {M}{make}
        batch = lambda: ({data})
        seen = [np.array(m(*batch())), np.array(m(*batch()))]
        {weighted}
        m.reset_state()
        m.update_state(*batch())
        result = seen + [m.result(), m.name]"""


CASES = [
    *((f"metric_{make.split('(')[0]}_{i}", metric(make, data, weights)) for i, (make, data, weights) in enumerate([
        ("AUC()", BINARY, True), ("AUC(num_thresholds=10, curve='PR')", BINARY, True), ("AUC(summation_method='minoring', num_thresholds=20)", BINARY, True),
        ("Accuracy()", CLASSES, True), ("BinaryAccuracy()", BINARY, False), ("BinaryAccuracy(threshold=0.3)", BINARY, False), ("BinaryCrossentropy()", BINARY, False),
        ("BinaryCrossentropy(from_logits=True)", BINARY, False), ("BinaryIoU(threshold=0.4)", BINARY, True), ("CategoricalAccuracy()", ONEHOT, True),
        ("CategoricalCrossentropy(label_smoothing=0.1)", ONEHOT, True), ("CategoricalHinge()", ONEHOT, True), ("ConcordanceCorrelation()", DATA, False),
        ("CosineSimilarity()", DATA, True), ("F1Score()", ONEHOT, False), ("F1Score(average='macro')", ONEHOT, False), ("FBetaScore(beta=2.0, threshold=0.5, average='micro')", ONEHOT, False),
        ("FalseNegatives()", BINARY, True), ("FalsePositives(thresholds=[0.3, 0.6])", BINARY, True), ("Hinge()", DATA, True), ("IoU(num_classes=3, target_class_ids=[0, 2])", CLASSES, True),
        ("KLDivergence()", DATA, True), ("LogCoshError()", DATA, True), ("MeanAbsoluteError()", DATA, True), ("MeanAbsolutePercentageError()", DATA, True),
        ("MeanIoU(num_classes=3)", CLASSES, True), ("MeanSquaredError()", DATA, True), ("MeanSquaredLogarithmicError()", DATA, True),
        ("OneHotIoU(num_classes=3, target_class_ids=[0])", ONEHOT, True), ("OneHotMeanIoU(num_classes=3)", ONEHOT, True), ("PearsonCorrelation()", DATA, False),
        ("Poisson()", DATA, True), ("Precision()", BINARY, True), ("Precision(thresholds=[0.2, 0.7])", BINARY, True), ("Precision(top_k=1, class_id=1)", ONEHOT, False), ("PrecisionAtRecall(0.5, num_thresholds=20)", BINARY, True),
        ("R2Score()", DATA, True), ("R2Score(class_aggregation=None)", DATA, True), ("Recall()", BINARY, True), ("RecallAtPrecision(0.6)", BINARY, True), ("RootMeanSquaredError()", DATA, True),
        ("SensitivityAtSpecificity(0.5)", BINARY, True), ("SparseCategoricalAccuracy()", SPARSE, True), ("SparseCategoricalCrossentropy()", SPARSE, True),
        ("SparseTopKCategoricalAccuracy(k=2)", SPARSE, True), ("SpecificityAtSensitivity(0.5)", BINARY, True), ("SquaredHinge()", DATA, True), ("TopKCategoricalAccuracy(k=2)", ONEHOT, True),
        ("TrueNegatives()", BINARY, True), ("TruePositives(0.3)", BINARY, True)])),
    ("mean", "m = keras.metrics.Mean(); m.update_state([1.0, 3.0]); a = m.result(); m.update_state(5.0, sample_weight=2.0); [a, m.result(), m.total, m.count]"),
    ("mean_weighted", "m = keras.metrics.Mean(name='x'); m.update_state([1.0, 3.0], sample_weight=[1.0, 0.0]); [m.result(), m.name, [v.shape for v in m.variables]]"),
    ("mean_called", "m = keras.metrics.Mean(); [m(2.0), m(4.0)]"),
    ("sum", "m = keras.metrics.Sum(); m.update_state([1.0, 3.0]); m.update_state(4.0); m.result()"),
    ("mean_float", "m = keras.metrics.Mean('loss', dtype=tf.float32); m.update_state(3); float(m.result())"),
    ("mean_metric_wrapper", "m = keras.metrics.MeanMetricWrapper(fn=lambda t, p: tf.abs(t - p), name='d'); m.update_state(np.array([1.0, 2.0]), np.array([1.5, 4.0])); [m.result(), m.name]"),
    ("own_metric", """
        class Positives(keras.metrics.Metric):
            def __init__(self, name='positives', **kwargs):
                super().__init__(name=name, **kwargs)
                self.n = self.add_variable(shape=(), initializer='zeros', name='n')
            def update_state(self, y_true, y_pred, sample_weight=None):
                self.n.assign(self.n + tf.reduce_sum(tf.cast(y_pred > 0.5, 'float32')))
            def result(self):
                return self.n
            def reset_state(self):
                self.n.assign(0.0)
        m = Positives()
        m.update_state([0, 1], np.array([0.3, 0.7]))
        a = float(m.result())
        m.update_state([0, 1], np.array([0.9, 0.7]))
        b = float(m.result())
        m.reset_state()
        result = [a, b, float(m.result()), m.name, len(m.variables)]"""),
    ("own_metric_add_weight", """
        class Count(keras.metrics.Metric):
            def __init__(self, **kwargs):
                super().__init__(**kwargs)
                self.n = self.add_weight(name='n', initializer='zeros')
            def update_state(self, y_true, y_pred, sample_weight=None):
                self.n.assign_add(1.0)
            def result(self):
                return self.n * 2
        m = Count(name='c')
        m.update_state(0, 0)
        result = [m.result(), m.name]"""),
    ("own_metric_in_fit", """
        class Largest(keras.metrics.Metric):
            def __init__(self, name='largest', **kwargs):
                super().__init__(name=name, **kwargs)
                self.v = self.add_variable(shape=(), initializer='zeros', name='v')
            def update_state(self, y_true, y_pred, sample_weight=None):
                self.v.assign(tf.maximum(self.v, tf.reduce_max(y_pred)))
            def result(self):
                return self.v
        model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, kernel_initializer='ones')])
        model.compile('sgd', 'mse', metrics=[Largest()])
        x = np.array([[1.0, 2.0], [3.0, 1.0], [0.5, 0.5]], 'float32')
        result = model.evaluate(x, np.ones((3, 1)), verbose=0, return_dict=True)"""),
    ("functions", """
        k = keras.metrics
        y, p = np.eye(3, dtype='float32')[[0, 2, 1]], np.array([[0.7, 0.2, 0.1], [0.3, 0.4, 0.3], [0.1, 0.8, 0.1]], 'float32')
        result = [k.categorical_accuracy(y, p), k.sparse_categorical_accuracy(np.array([0, 2, 1]), p), k.binary_accuracy(y, p), k.top_k_categorical_accuracy(y, p, k=2),
                  k.sparse_top_k_categorical_accuracy(np.array([0, 2, 1]), p, k=2), k.mean_squared_error(y, p), k.binary_crossentropy(y, p), k.categorical_crossentropy(y, p)]"""),
    ("get", "[type(keras.metrics.get(n)).__name__ for n in ('mae', 'AUC')]"),
    ("get_unknown", "keras.metrics.get('no_such')"),
    ("wrong_shape", "m = keras.metrics.MeanSquaredError(); m.update_state(np.ones((2, 3)), np.ones((2, 4)))", {"raises": "Exception"}),
    ("update_returns", "m = keras.metrics.BinaryAccuracy(); m.update_state([1.0, 0.0], [0.6, 0.7]); float(m.result())"),
    ("merge", "a, b = keras.metrics.Mean(), keras.metrics.Mean(); a.update_state([1.0]); b.update_state([3.0]); a.reset_state(); [a.result(), b.result()]"),
]  # fmt: skip
