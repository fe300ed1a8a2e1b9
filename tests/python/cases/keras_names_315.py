"""Names of Keras 3.15 that came late: functions of keras.ops, stateless metrics, operations, losses, optimizers, configs."""

CASES = [
    # ---- keras.ops
    (
        "ops_angle",
        "z = tf.complex(rng.normal(size=130).astype('float32'), rng.normal(size=130).astype('float32')); [keras.ops.angle(z), keras.ops.angle(np.array([-1, 0, 2])), keras.ops.angle(np.array([-1.5, 2.0], 'float64')), keras.ops.numpy.angle(np.array([1, -2], 'int64'))]",
        {"rtol": 1e-4, "atol": 1e-5},
    ),
    (
        "ops_argpartition_parts",
        """
        x = rng.integers(0, 1000, size=150)
        places = np.asarray(keras.ops.argpartition(x, 40))
        [sorted(x[places[:41]].tolist()) == np.sort(x)[:41].tolist(), str(keras.ops.argpartition(x, 3).dtype).endswith("int32'>") or keras.ops.argpartition(x, 3).dtype == 'int32', len(set(places.tolist()))]
    """,
    ),
    (
        "ops_cdist",
        """
        x, y = tf.constant(rng.normal(size=(2, 120, 5)), 'float32'), tf.constant(rng.normal(size=(2, 100, 5)), 'float32')
        with tf.GradientTape() as tape:
            tape.watch(x)
            d = keras.ops.cdist(x, y)
            total = tf.reduce_sum(d * d * d)
        [tuple(d.shape), tf.reduce_sum(d, [1, 2]), tf.reduce_sum(tape.gradient(total, x), [1])]
    """,
        {"rtol": 1e-4},
    ),
    ("ops_cdist_of_other_lengths", "keras.ops.cdist(np.zeros((3, 4), 'float32'), np.zeros((3, 5), 'float32'))"),
    (
        "ops_cholesky_inverse",
        """
        a = rng.normal(size=(30, 30)).astype('float32')
        a = a @ a.T + 30 * np.eye(30, dtype='float32')
        lower = np.linalg.cholesky(a).astype('float32')
        upper = np.ascontiguousarray(lower.T)
        made = keras.ops.cholesky_inverse(lower)
        [tf.reduce_sum(made, 0), np.allclose(made, np.linalg.inv(a), atol=1e-3), np.allclose(keras.ops.linalg.cholesky_inverse(upper, upper=True), np.linalg.inv(a), atol=1e-3)]
    """,
        {"rtol": 1e-3, "atol": 1e-5},
    ),
    (
        "ops_conv_transpose",
        """
        x = rng.normal(size=(2, 20, 17, 13)).astype('float32')
        k = rng.normal(size=(3, 4, 7, 13)).astype('float32')
        results = [keras.ops.conv_transpose(x, k, strides=s, padding=p, output_padding=o, dilation_rate=d)
                   for s, p, o, d in ((1, 'valid', None, 1), (2, 'same', None, 1), ((2, 3), 'valid', None, 1), ((2, 3), 'valid', 1, 1), (2, 'same', 1, 1))]
        results.append(keras.ops.nn.conv_transpose(x[:, :, 0], k[:, 0], strides=3, padding='same'))
        [[tuple(r.shape) for r in results], [tf.reduce_mean(tf.square(r)) for r in results]]
    """,
        {"rtol": 1e-4},
    ),
    (
        "ops_conv_transpose_gradients",
        """
        x, k = tf.constant(rng.normal(size=(2, 12, 3)), 'float32'), tf.constant(rng.normal(size=(5, 130, 3)), 'float32')
        with tf.GradientTape() as tape:
            tape.watch([x, k])
            total = tf.reduce_sum(tf.square(keras.ops.conv_transpose(x, k, strides=2, padding='same')))
        gx, gk = tape.gradient(total, [x, k])
        [tf.reduce_sum(gx, [0, 1]), tf.reduce_sum(gk, [0, 1])]
    """,
        {"rtol": 1e-3},
    ),
    (
        "ops_corrcoef",
        "x = rng.normal(size=(12, 130)).astype('float32'); x[3] = 2 * x[1]; c = keras.ops.corrcoef(x); [c, keras.ops.corrcoef((np.arange(12).reshape(3, 4) % 5).astype('int32'))]",
        {"rtol": 1e-3, "atol": 1e-5},
    ),
    (
        "ops_correlate",
        "a, b = rng.normal(size=130).astype('float32'), rng.normal(size=8).astype('float32'); [keras.ops.correlate(a, b), keras.ops.correlate(a, b, 'same')[:9], keras.ops.correlate(a, b, mode='full')[-9:], keras.ops.correlate(np.arange(5), np.array([1, 2])), keras.ops.correlate(np.arange(5), np.array([1.0, 2]), 'same')]",
        {"rtol": 1e-4, "atol": 1e-5},
    ),
    ("ops_correlate_of_another_mode", "keras.ops.correlate(np.arange(5), np.array([1, 2]), 'some')"),
    (
        "ops_eig",
        """
        a = rng.normal(size=(20, 20)).astype('float32')
        values, vectors = keras.ops.eig(a)
        [np.sort_complex(np.round(np.asarray(values), 2)).real, np.allclose(a @ np.asarray(vectors), np.asarray(vectors) * np.asarray(values), atol=1e-3)]
    """,
        {"atol": 2e-2},
    ),
    (
        "ops_empty_like",
        "[tuple(keras.ops.empty_like(np.ones((3, 5), 'float32')).shape), keras.ops.empty_like(tf.ones([2]), dtype='int32').dtype.name]",
    ),
    ("ops_erfc", "[keras.ops.erfc(np.linspace(-3, 3, 13).astype('float32'))]"),
    (
        "ops_gcd_and_lcm",
        "a, b = rng.integers(-500, 500, size=(120, 1)), rng.integers(0, 90, size=7); [tf.reduce_sum(keras.ops.gcd(a, b), 0), tf.reduce_sum(keras.ops.lcm(a, b), 0), keras.ops.gcd(np.array([12, 0], 'int32'), np.array([18, 0], 'int8')), keras.ops.lcm(np.array([4, 0], 'uint8'), np.array([6, 5], 'uint8'))]",
    ),
    ("ops_gcd_of_floats", "keras.ops.gcd(np.array([1.5], 'float32'), 2)"),
    (
        "ops_geomspace",
        "[keras.ops.geomspace(1, 1000, 4), keras.ops.geomspace(-1.0, -256.0, num=9), keras.ops.geomspace(2.0, 32.0, 4, endpoint=False), keras.ops.geomspace(1, 256, num=9, dtype='float64')]",
        {"rtol": 1e-4},
    ),
    (
        "ops_get_item",
        "x = rng.normal(size=(8, 100, 3)).astype('float32'); x = tf.constant(x); [keras.ops.get_item(x, (0, slice(2, 5), 1)), keras.ops.get_item(x, 3)[:2], tuple(keras.ops.get_item(x, (Ellipsis, None, 0)).shape)]",
    ),
    (
        "ops_histogram",
        "x = rng.normal(size=1000).astype('float32'); [keras.ops.histogram(x), keras.ops.histogram(x, bins=7, range=(-1.0, 2.0)), keras.ops.histogram(np.array([1.0, 1.0, 2.0], 'float32'), 2)]",
    ),
    ("ops_histogram_of_a_matrix", "keras.ops.histogram(np.zeros((3, 4), 'float32'))"),
    (
        "ops_i0",
        "[keras.ops.i0(np.linspace(-4, 4, 9).astype('float32')), keras.ops.i0(np.array([1, 2])), keras.ops.i0(np.array([1, 2], 'int32'))]",
    ),
    (
        "ops_jvp",
        """
        x = tf.constant(rng.normal(size=(20, 13)), 'float32')
        value, change = keras.ops.jvp(lambda a, b: (tf.tanh(a) * b, tf.reduce_sum(a)), (x, 2.0 * x), (tf.ones_like(x), x))
        again, changed, aux = keras.ops.linalg.jvp(lambda a: (tf.exp(a), tf.constant(3)), [x], [x], has_aux=True)
        [tf.reduce_sum(value[0], 0), value[1], tf.reduce_sum(change[0], 0), change[1], tf.reduce_sum(changed, 0), aux]
    """,
        {"rtol": 1e-4, "atol": 1e-4},
    ),
    (
        "ops_logdet_and_slogdet",
        "a = rng.normal(size=(3, 25, 25)).astype('float32'); p = a @ a.transpose(0, 2, 1) + 5 * np.eye(25, dtype='float32'); [keras.ops.logdet(p), keras.ops.slogdet(a)]",
        {"rtol": 1e-4},
    ),
    (
        "ops_lu_factor",
        "a = rng.normal(size=(60, 60)).astype('float32'); lu, p = keras.ops.lu_factor(a); [p, tf.reduce_sum(tf.abs(lu), 1)]",
        {"rtol": 1e-3},
    ),
    ("ops_lu_factor_of_no_square", "keras.ops.lu_factor(np.zeros((3, 4), 'float32'))"),
    (
        "ops_matrix_rank_and_pinv",
        "a = (rng.normal(size=(2, 40, 6)) @ rng.normal(size=(2, 6, 30))).astype('float32'); w = rng.normal(size=(30, 20)).astype('float32'); p = keras.ops.pinv(w); [keras.ops.matrix_rank(a, tol=1e-2), keras.ops.matrix_rank(w), tf.reduce_sum(p, 1), tf.reduce_sum(keras.ops.linalg.pinv(w, rcond=0.5), 1)]",
        {"rtol": 1e-3, "atol": 1e-4},
    ),
    (
        "ops_nanarg",
        "x = rng.normal(size=(9, 130)).astype('float32'); x[rng.uniform(size=x.shape) < 0.3] = np.nan; x[4] = np.nan; [keras.ops.nanargmax(x, axis=1), keras.ops.nanargmin(x, axis=0, keepdims=True)[0, :12], keras.ops.nanargmax(x), keras.ops.nanargmin(np.array([[3, 1], [0, 5]]), axis=1)]",
    ),
    (
        "ops_nan_orders",
        """
        x = rng.normal(size=(9, 20, 3)).astype('float32')
        x[rng.uniform(size=x.shape) < 0.3] = np.nan
        x[4, :, 1] = np.nan
        [keras.ops.nanmedian(x, axis=1), keras.ops.nanmedian(x), keras.ops.nanpercentile(x, 30, axis=(1, 2)), keras.ops.nanpercentile(x[:3], [10.0, 90.0], axis=1),
         keras.ops.nanquantile(x, 0.3, axis=0)[:4], tuple(keras.ops.nanquantile(x, 0.5, keepdims=True).shape)] + [keras.ops.nanquantile(x, [0.1, 0.56], axis=(0, 1), method=m) for m in ('lower', 'higher', 'nearest', 'midpoint', 'linear')]
    """,
        {"rtol": 1e-4},
    ),
    (
        "ops_nancumprod",
        "x = np.array([[1.0, np.nan, 2.0], [3.0, 0.5, np.nan]], 'float32'); [keras.ops.nancumprod(x), keras.ops.nancumprod(x, axis=1), keras.ops.nancumprod(np.array([2, 3]), dtype='float32')]",
    ),
    (
        "ops_nextafter",
        "[keras.ops.nextafter(np.array([1.0, 2.0]), np.array([2.0, 1.0])), keras.ops.nextafter(np.array([1, 2]), 3), keras.ops.nextafter(np.array([1.0], 'float32'), np.array([2.0], 'float32'))]",
    ),
    (
        "ops_rearrange",
        """
        x = rng.normal(size=(4, 30, 40, 3)).astype('float32')
        made = [keras.ops.rearrange(x, p, **k) for p, k in (('b h w c -> b c h w', {}), ('b h w c -> h (b w) c', {}), ('b (h1 h) (w1 w) c -> (b h1 w1) h w c', dict(h1=2, w1=2)),
                ('b (h h1) (w w1) c -> b h w (c h1 w1)', dict(h1=2, w1=4)), ('b h w c->(b h w c)', {}))]
        [[tuple(m.shape) for m in made], [tf.reshape(m, [-1])[100:110] for m in made]]
    """,
        {"rtol": 1e-3, "atol": 1e-4},
    ),
    (
        "ops_segments",
        "x, ids = rng.uniform(0.5, 1.5, size=(130, 3)).astype('float32'), np.sort(rng.integers(0, 5, size=130)); [keras.ops.segment_min(x, ids), keras.ops.segment_prod(x, ids, num_segments=5), keras.ops.segment_min(x, ids, sorted=True), keras.ops.segment_prod(np.array([1, 2, 10, 20]), np.array([0, 0, 1, 1]))]",
        {"rtol": 1e-4},
    ),
    (
        "ops_sparse_sigmoid",
        "x = tf.constant(np.linspace(-2, 2, 17), 'float32'); [keras.ops.sparse_sigmoid(x), keras.ops.nn.sparse_sigmoid(x)]",
    ),
    (
        "ops_unravel_index",
        "[keras.ops.unravel_index(np.array([5, 119, 0]), (10, 12)), keras.ops.unravel_index(tf.constant([7, 2], tf.int32), (2, 3, 4))]",
    ),
    (
        "ops_vander",
        "[keras.ops.vander(np.array([1, 2, 3])), keras.ops.vander(np.array([1.5, -2.0], 'float32'), N=4, increasing=True), keras.ops.vander(np.array([2, 3], 'int32'), 5)]",
    ),
    (
        "ops_view",
        "x = tf.constant(rng.integers(0, 2**31 - 1, size=(5, 8)), tf.int32); [keras.ops.view(x, 'uint8')[0], keras.ops.view(x, dtype='int64')[1], keras.ops.view(tf.constant([1.0, 2.0]), 'int32'), tuple(keras.ops.view(keras.ops.view(x, 'uint8'), 'int32').shape)]",
    ),
    ("ops_view_of_bytes_that_do_not_fit", "keras.ops.view(tf.zeros([3], tf.uint8), 'int32')"),
    (
        "ops_view_as_complex",
        "x = rng.normal(size=(120, 2)).astype('float32'); z = keras.ops.view_as_complex(x); [z[:5], np.allclose(keras.ops.view_as_real(z), x), tuple(keras.ops.view_as_real(np.zeros((3, 4), 'complex64')).shape)]",
    ),
    ("ops_view_as_complex_of_three", "keras.ops.view_as_complex(np.zeros((4, 3), 'float32'))"),
    (
        "ops_in_a_function",
        """
        @tf.function
        def f(x):
            m = keras.ops.rearrange(x, 'b (h p) c -> (b h) p c', p=4)
            return keras.ops.cdist(x, x), tf.reduce_sum(m, [0]), keras.ops.gcd(tf.range(1, 9), 6), keras.ops.correlate(x[0, :, 0], x[0, :3, 1], 'same')
        [tf.reduce_sum(v, list(range(len(v.shape) - 1))) for v in f(tf.constant(rng.normal(size=(3, 120, 5)), 'float32'))]
    """,
        {"rtol": 1e-3, "atol": 1e-4},
    ),
    (
        "ops_of_symbols",
        """
        x = keras.Input((10, 12, 4), batch_size=3)
        made = [keras.ops.rearrange(x, 'b (h h1) w c -> b h w (c h1)', h1=2), keras.ops.conv_transpose(x, np.ones((3, 3, 5, 4), 'float32'), 2, 'same'), keras.ops.cdist(x, x), keras.ops.nanmedian(x, axis=2),
                keras.ops.nanargmax(x, axis=1), keras.ops.view_as_real(keras.ops.view_as_complex(x[..., :2])), keras.ops.slogdet(x[:, :10, :10, 0])[1], keras.ops.pinv(x[:, :, :5, 0]), keras.ops.erfc(x), keras.ops.i0(x),
                keras.ops.argpartition(x, 3), keras.ops.get_item(x, (slice(None), 0)), keras.ops.vander(x[:, 0, 0, 0], N=3), keras.ops.angle(x), keras.ops.matrix_rank(x)]
        [[tuple(m.shape), m.dtype] for m in made]
    """,
    ),
    # ---- symbols, operations, state
    (
        "keras_tensors_and_functions",
        """
        x, y = keras.KerasTensor((None, 130), name='x'), keras.KerasTensor((None, 130), dtype='float32')
        f = keras.Function([x, y], {'a': keras.ops.exp(x) * y, 'b': keras.ops.sum(x, axis=1)}, name='both')
        made = f([np.full((4, 130), 0.5, 'float32'), np.ones((4, 130), 'float32')])
        shapes = f.compute_output_shape([(7, 130), (7, 130)])
        [repr(x), isinstance(keras.Input((3,)), keras.KerasTensor), isinstance(x, keras.KerasTensor), f.name, repr(f), tf.reduce_sum(made['a']), made['b'], sorted(made), [tuple(s.shape) for s in f.inputs],
         len(f.operations), tuple(keras.Function(x, keras.ops.exp(x))(keras.KerasTensor((5, 130))).shape)]
    """,
        {"rtol": 1e-4},
    ),
    (
        "keras_tensors_become_models",
        """
        keras.utils.set_random_seed(3)
        x = keras.KerasTensor((2, 12, 5))
        h = keras.layers.Dense(100)(x)
        [tuple(h.shape), tuple(keras.ops.mean(h, axis=1).shape), h.dtype]
    """,
    ),
    (
        "operations_of_ones_own",
        """
        class Blend315(keras.Operation):
            def __init__(self, share, name=None):
                super().__init__(name=name)
                self.share = share
            def call(self, x, y, shift=0.0):
                return self.share * x + (1 - self.share) * y + shift
            def compute_output_spec(self, x, y, shift=0.0):
                return keras.KerasTensor(x.shape, x.dtype)
        mix = Blend315(0.25)
        x, y = keras.Input((120,)), keras.Input((120,))
        out = mix(x, y, shift=1.0)
        again = mix(out, y)
        model = keras.Model([x, y], [out, again])
        results = model([np.ones((3, 120), 'float32'), np.zeros((3, 120), 'float32')])
        same = keras.Model.from_config(model.get_config(), custom_objects={"Blend315": Blend315})
        more = same([np.ones((3, 120), 'float32'), np.zeros((3, 120), 'float32')])
        [mix.name, repr(mix), mix.get_config(), Blend315.from_config(mix.get_config()).share, [r[:, 0] for r in results], [r[:, 0] for r in more], mix(np.float32(4), np.float32(8)), len(model.layers),
         tuple(mix.output.shape), len(mix.input), tuple(Blend315(0.5).compute_output_spec(x, y).shape)]
    """,
    ),
    (
        "operations_train_in_models",
        """
        class Double(keras.Operation):
            def call(self, x):
                return x * 2.0
        x = keras.Input((20,))
        model = keras.Model(x, Double()(keras.layers.Dense(110, kernel_initializer='ones')(x)))
        model.compile(keras.optimizers.SGD(0.001), 'mse')
        d = rng.normal(size=(64, 20)).astype('float32')
        model.fit(d, np.zeros((64, 110)), epochs=2, batch_size=16, shuffle=False, verbose=0).history['loss']
    """,
        {"rtol": 1e-3},
    ),
    (
        "stateless_scope",
        """
        v, w = keras.Variable(np.ones(130, 'float32')), keras.Variable(2.0)
        with keras.StatelessScope([(v, tf.fill([130], 5.0))]) as scope:
            inside = tf.reduce_sum(v * 1.0)
            v.assign_add(tf.ones([130]))
            before = scope.get_current_value(w) is None
            scope.add_update((w, tf.constant(9.0)))
            scope.add_loss(3.0)
        [inside, before, tf.reduce_sum(scope.get_current_value(v)), scope.get_current_value(w), v.numpy().sum(), w.numpy(), scope.losses]
    """,
    ),
    ("stateless_scope_of_another_shape", "keras.StatelessScope([(keras.Variable([1.0, 2.0]), np.ones(3, 'float32'))])"),
    ("stateless_scope_of_no_variable", "keras.StatelessScope([(1.0, np.ones(3, 'float32'))])"),
    (
        "stateless_scope_of_a_model",
        """
        model = keras.Sequential([keras.Input((12,)), keras.layers.Dense(130), keras.layers.BatchNormalization()])
        with keras.StatelessScope([(v, tf.ones(v.shape)) for v in model.variables]) as scope:
            inside = model(np.ones((4, 12), 'float32'), training=True)
            moved = [scope.get_current_value(v) for v in model.non_trainable_variables]
        [tf.reduce_sum(inside), [tf.reduce_sum(m) for m in moved], [float(tf.reduce_sum(v)) for v in model.non_trainable_variables]]
    """,
        {"rtol": 1e-4, "atol": 1e-4},
    ),
    (
        "stateless_metrics",
        """
        found = []
        for metric in (keras.metrics.Mean(), keras.metrics.MeanSquaredError(), keras.metrics.SparseCategoricalAccuracy(), keras.metrics.AUC(num_thresholds=20)):
            state = metric.stateless_reset_state()
            for _ in range(2):
                if isinstance(metric, keras.metrics.Mean) and metric.name == 'mean':
                    state = metric.stateless_update_state(state, rng.normal(size=130).astype('float32'))
                elif metric.name == 'sparse_categorical_accuracy':
                    state = metric.stateless_update_state(state, rng.integers(0, 5, size=130), rng.uniform(size=(130, 5)).astype('float32'))
                else:
                    state = metric.stateless_update_state(state, rng.integers(0, 2, size=130).astype('float32'), rng.uniform(size=130).astype('float32'))
            found += [metric.stateless_result(state), len(state), [float(tf.reduce_sum(v)) for v in metric.variables]]
        found
    """,
        {"rtol": 1e-4},
    ),
    ("stateless_metric_of_too_few", "keras.metrics.Mean().stateless_update_state([0.0], [1.0])"),
    ("stateless_apply", "keras.optimizers.Adam().stateless_apply([], [], [])"),
    (
        "remat",
        """
        x = tf.constant(rng.normal(size=(20, 13)), 'float32')
        f = keras.remat(lambda a: tf.tanh(a) * a)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        with keras.RematScope(mode='larger_than', output_size_threshold=10):
            layer = keras.layers.Dense(110, activation='relu', kernel_initializer='ones')
            h = layer(x)
        with keras.RematScope(mode='list_of_layers', layer_names=['a']), keras.name_scope('inside'), keras.device('cpu:0'):
            z = keras.layers.Dense(2, name='a', kernel_initializer='ones')(x)
        [tf.reduce_sum(y, 0), tf.reduce_sum(tape.gradient(y, x), 0), tf.reduce_sum(h), tf.reduce_sum(z)]
    """,
        {"rtol": 1e-3, "atol": 1e-4},
    ),
    ("remat_scope_of_another_mode", "keras.RematScope(mode='some')"),
    # ---- losses, metrics, configs
    (
        "circle_as_a_function",
        """
        e = rng.normal(size=(32, 130)).astype('float32')
        e /= np.linalg.norm(e, axis=1, keepdims=True)
        labels = rng.integers(0, 10, size=32)
        x = tf.constant(e)
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = keras.losses.circle(labels, x, gamma=20, margin=0.3)
            total = tf.reduce_sum(loss)
        [loss, tf.reduce_sum(tape.gradient(total, x), 1), keras.losses.circle(labels[:8], x[:8], ref_labels=labels, ref_embeddings=x, remove_diagonal=False), keras.losses.circle(labels, x)[:3]]
    """,
        {"rtol": 1e-3, "atol": 1e-3},
    ),
    (
        "metrics_as_functions",
        """
        t, p = rng.integers(0, 2, size=(12, 130)).astype('float32'), rng.uniform(0.01, 0.99, size=(12, 130)).astype('float32')
        one = np.eye(13, dtype='float32')[rng.integers(0, 13, size=12)]
        q = rng.uniform(0.01, 1, size=(12, 13)).astype('float32')
        [keras.metrics.binary_focal_crossentropy(t, p, apply_class_balancing=True), keras.metrics.categorical_focal_crossentropy(one, q / q.sum(1, keepdims=True)),
         keras.metrics.concordance_correlation(t, p), keras.metrics.pearson_correlation(t, p), keras.metrics.pearson_correlation(t, p, axis=0)[:9], keras.metrics.concordance_correlation(t, p, axis=0)[:9]]
    """,
        {"rtol": 1e-4, "atol": 1e-5},
    ),
    (
        "schedules_as_configs",
        "s = keras.optimizers.schedules; made = s.serialize(s.CosineDecay(0.1, 10)); again = s.deserialize(made); [made, float(again(3)), type(again).__name__]",
        {"rtol": 1e-4},
    ),
    (
        "standardized_dtypes",
        "[keras.utils.standardize_dtype(d) for d in ('float32', tf.bfloat16, np.dtype('int8'), int, float, 'bool')]",
    ),
    ("standardized_dtype_of_no_name", "keras.utils.standardize_dtype('foo')"),
    (
        "limits_of_epochs_and_steps",
        """
        import warnings
        warnings.simplefilter('ignore')
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
        model.compile('sgd', 'mse')
        x = np.ones((100, 3), 'float32')
        before = [keras.config.max_epochs(), keras.config.max_steps_per_epoch()]
        keras.config.set_max_epochs(2)
        keras.config.set_max_steps_per_epoch(3)
        try:
            found = [keras.config.max_epochs(), keras.config.max_steps_per_epoch()]
            history = model.fit(x, np.zeros((100, 1)), epochs=5, batch_size=10, verbose=0)
            steps = int(model.optimizer.iterations)
            rows = model.predict(x, batch_size=10, verbose=0).shape
            few = model.predict(x, batch_size=50, verbose=0).shape
        finally:
            keras.config.set_max_epochs(None)
            keras.config.set_max_steps_per_epoch(None)
        [before, found, len(history.history['loss']), steps, rows, few]
    """,
    ),
    (
        "flash_attention_and_nnx",
        "first = keras.config.is_flash_attention_enabled(); keras.config.disable_flash_attention(); second = keras.config.is_flash_attention_enabled(); keras.config.enable_flash_attention(); [first, second, keras.config.is_flash_attention_enabled(), keras.config.is_nnx_enabled()]",
    ),
    (
        "dtype_policies_by_path",
        """
        policies = keras.dtype_policies.DTypePolicyMap('float32', {'encoder/.*': keras.DTypePolicy('bfloat16')})
        policies['head'] = 'mixed_float16'
        made = keras.dtype_policies.serialize(policies)
        again = keras.dtype_policies.deserialize(made)
        [policies.name, policies.compute_dtype, policies['encoder/dense'].name, policies['head'].name, policies['other'].name, len(policies), 'encoder/x' in policies, list(policies), made, again['encoder/q'].name,
         keras.FloatDTypePolicy('mixed_float16').compute_dtype, keras.dtype_policies.FloatDTypePolicy('float32') == keras.DTypePolicy('float32'), repr(keras.FloatDTypePolicy('float16')),
         keras.dtype_policies.serialize(keras.FloatDTypePolicy('float32'))]
    """,
    ),
    (
        "dtype_policies_of_one_path_twice",
        "p = keras.dtype_policies.DTypePolicyMap('float32', {'a.*': keras.DTypePolicy('bfloat16'), 'ab': keras.DTypePolicy('float16'), '.*c': keras.DTypePolicy('float16')}); [p['ab'].name, p['ac']]",
    ),
    # ---- optimizers and what goes with them
    (
        "schedule_free_adamw",
        """
        model = keras.Sequential([keras.Input((20,)), keras.layers.Dense(110, kernel_initializer='ones'), keras.layers.Dense(1, kernel_initializer='ones')])
        optimizer = keras.optimizers.ScheduleFreeAdamW(learning_rate=0.01, warmup_steps=5, weight_decay=0.01)
        model.compile(optimizer, 'mse')
        optimizer.build(model.trainable_variables)  # else Keras 3.15 on TensorFlow begins at 0 when it trains in fit()
        x = rng.normal(size=(96, 20)).astype('float32')
        history = model.fit(x, x[:, :1] * 2, epochs=3, batch_size=16, shuffle=False, verbose=0).history['loss']
        [history, [v.path.split('_')[-1] for v in optimizer.variables[2:]], tf.reduce_sum(optimizer.variables[2]), optimizer.get_config()]
    """,
        {"rtol": 1e-3},
    ),
    (
        "schedule_free_adamw_by_hand",
        """
        v = keras.Variable(np.linspace(-1, 1, 130).astype('float32'))
        optimizer = keras.optimizers.ScheduleFreeAdamW(0.1)
        for _ in range(5):
            optimizer.apply([tf.constant(np.asarray(v) * 2)], [v])
        tf.convert_to_tensor(v)[::13]
    """,
        {"rtol": 1e-3, "atol": 1e-5},
    ),
    (
        "several_optimizers",
        """
        model = keras.Sequential([keras.Input((20,)), keras.layers.Dense(110, kernel_initializer='ones', name='encoder'), keras.layers.Dense(1, kernel_initializer='ones', name='head')])
        names = lambda optimizers: sorted(o.name.split('_')[0] for o in optimizers)
        many = keras.optimizers.OptimizerMap(keras.optimizers.SGD(0.0001), {'.*encoder/.*': keras.optimizers.Adam(0.01)})
        optimizer = keras.optimizers.MultiOptimizer(many)
        model.compile(optimizer, 'mse', metrics=['mae'])
        x = rng.normal(size=(96, 20)).astype('float32')
        history = model.fit(x, x[:, :1] * 2, epochs=3, batch_size=16, shuffle=False, verbose=0).history
        again = keras.optimizers.MultiOptimizer.from_config(optimizer.get_config())
        [history['loss'], history['mae'], names(optimizer.optimizers), names(again.optimizers), int(optimizer.iterations), [int(o.iterations) for o in optimizer.optimizers], len(optimizer.variables)]
    """,
        {"rtol": 2e-3},
    ),
    (
        "several_optimizers_by_a_function",
        """
        a, b = keras.Variable([1.0, 2.0], name='a'), keras.Variable([3.0], name='b')
        first, second = keras.optimizers.SGD(0.5), keras.optimizers.Adam(0.1)
        optimizer = keras.optimizers.MultiOptimizer(lambda v: first if 'a' in v.path.split('/')[-1][:1] else second)
        for _ in range(3):
            optimizer.apply([tf.constant([1.0, 1.0]), tf.constant([2.0])], [a, b])
        [a.numpy(), b.numpy(), optimizer.name[:15]]
    """,
        {"rtol": 1e-4},
    ),
    (
        "several_optimizers_have_no_rate",
        "keras.optimizers.MultiOptimizer(keras.optimizers.OptimizerMap(keras.optimizers.SGD())).learning_rate",
    ),
    ("optimizer_map_of_no_optimizer", "keras.optimizers.OptimizerMap('sgd')"),
    (
        "optimizer_map_with_a_key_twice",
        "m = keras.optimizers.OptimizerMap(keras.optimizers.SGD()); m['a'] = keras.optimizers.SGD(); m['a'] = keras.optimizers.SGD()",
    ),
    (
        "own_optimizers_decay_weights",
        """
        class Plain(keras.optimizers.Optimizer):
            def update_step(self, gradient, variable, learning_rate):
                self.assign_sub(variable, gradient * learning_rate)
        v, w = keras.Variable(np.ones(130, 'float32'), name='v'), keras.Variable(np.ones(3, 'float32'), name='kept')
        optimizer = Plain(0.1, weight_decay=0.5)
        optimizer.exclude_from_weight_decay(var_names=['kept'])
        for _ in range(3):
            optimizer.apply([tf.zeros([130]), tf.ones([3])], [v, w])
        [tf.reduce_sum(v), w.numpy()]
    """,
    ),
    (
        "swapped_means_of_weights",
        """
        model = keras.Sequential([keras.Input((20,)), keras.layers.Dense(110, kernel_initializer='ones'), keras.layers.Dense(1, kernel_initializer='ones')])
        model.compile(keras.optimizers.SGD(0.0005, use_ema=True, ema_momentum=0.9), 'mse')
        x = rng.normal(size=(96, 20)).astype('float32')
        seen = []
        class Watch(keras.callbacks.Callback):
            def on_epoch_end(self, epoch, logs=None):
                seen.append(float(tf.reduce_sum(self.model.weights[0])))
            def on_epoch_begin(self, epoch, logs=None):
                seen.append(float(tf.reduce_sum(self.model.weights[0])))
        found = []
        for on_epoch in (False, True):
            history = model.fit(x, x[:, :1] * 2, epochs=3, batch_size=16, shuffle=False, verbose=0, validation_data=(x, x[:, :1] * 2), callbacks=[keras.callbacks.SwapEMAWeights(swap_on_epoch=on_epoch), Watch()])
            found += [history.history['loss'], history.history['val_loss'], float(tf.reduce_sum(model.weights[0]))]
        found.append(model.evaluate(x, x[:, :1] * 2, verbose=0, callbacks=[keras.callbacks.SwapEMAWeights()]))
        [found, seen]
    """,
        {"rtol": 1e-3},
    ),
    (
        "swapped_means_that_are_not_kept",
        """
        model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
        model.compile('sgd', 'mse')
        model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0, validation_data=(np.ones((4, 2)), np.ones((4, 1))), callbacks=[keras.callbacks.SwapEMAWeights()])
    """,
    ),
    (
        "clones_are_compiled",
        """
        x = keras.Input((3,))
        models = [keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)]), keras.Model(x, keras.layers.Dense(2)(x))]
        found = []
        for model in models:
            model.compile(keras.optimizers.SGD(0.25), 'mse', metrics=['mae'])
            clone = keras.models.clone_model(model)
            found += [clone.compiled, clone.optimizer is not model.optimizer, float(clone.optimizer.learning_rate), sorted(clone.evaluate(np.ones((4, 3)), np.ones((4, 2)), verbose=0, return_dict=True))]
        found
    """,
    ),
    # ---- layers and training
    (
        "crossed_strings",
        """
        words = np.array(['w%d' % i for i in range(130)])[:, None]
        more = np.array(['x', 'yy', 'ä', '', 'a long one, with spaces'] * 26)[:, None]
        numbers = np.arange(130)[:, None]
        layer = keras.layers.HashedCrossing(num_bins=1000)
        [layer((tf.constant(words), tf.constant(more)))[:, 0], layer((tf.constant(words), tf.constant(numbers)))[:30, 0], layer((tf.constant('a'), tf.constant('b'))),
         tf.argmax(keras.layers.HashedCrossing(num_bins=7, output_mode='one_hot')((tf.constant(words[:20]), tf.constant(more[:20]))), -1)]
    """,
    ),
    (
        "crossed_strings_of_symbols",
        """
        a, b = keras.Input((1,), dtype='string'), keras.Input((1,), dtype='string')
        layer = keras.layers.HashedCrossing(num_bins=50)
        model = keras.Model([a, b], layer((a, b)))
        x, y = np.array([['a'], ['b'], ['c']]), np.array([['x'], ['y'], ['z']])
        [tf.cast(model([tf.constant(x), tf.constant(y)]), 'int64'), list(tf.data.Dataset.from_tensor_slices((x, y)).map(lambda u, v: layer((u, v))).as_numpy_iterator())]
    """,
    ),
    (
        "configs_say_what_layers_were_built_for",
        """
        x, t, ids = keras.Input((12, 12, 4)), keras.Input((6, 3)), keras.Input((9,), dtype='int32')
        layers = keras.layers
        found = {}
        for layer, inputs in ((layers.Conv2D(130, 3), (x,)), (layers.ReLU(), (x,)), (layers.Add(), ([x, x],)), (layers.Bidirectional(layers.LSTM(2)), (t,)), (layers.LSTM(2), (t,)),
                              (layers.TimeDistributed(layers.Dense(2)), (t,)), (layers.MultiHeadAttention(2, 3), (t, t)), (layers.Flatten(), (x,)), (layers.Embedding(150, 3), (ids,)), (layers.Dot(1), ([t, t],)),
                              (layers.Attention(), ([t, t],)), (layers.Resizing(3, 3), (x,)), (layers.RandomFlip(), (x,)), (layers.UpSampling2D(), (x,)), (layers.Softmax(), (x,)), (layers.PReLU(), (x,)),
                              (layers.Rescaling(2.0), (x,)), (layers.GaussianNoise(0.1), (x,)), (layers.BatchNormalization(), (x,)), (layers.Dropout(0.1), (x,)), (layers.MaxPooling2D(), (x,)),
                              (layers.GlobalAveragePooling2D(), (x,)), (layers.Reshape((36,)), (keras.Input((6, 6)),)), (layers.LayerNormalization(), (t,)), (layers.Concatenate(), ([x, x],)), (layers.Permute((2, 1)), (t,))):
            before = keras.layers.serialize(layer).get('build_config', 'none')
            layer(*inputs)
            found[type(layer).__name__] = [before, keras.layers.serialize(layer).get('build_config', 'none')]
        solo = layers.Dense(110)
        solo(np.ones((4, 3), 'float32'))
        found['solo'] = keras.layers.serialize(solo)['build_config']
        found
    """,
    ),
    (
        "configs_of_models_in_json",
        """
        import json
        keys = lambda row: [row.get('build_config', 'none'), row.get('compile_config', 'none')]
        found = []
        inner = keras.Sequential([keras.Input((30,)), keras.layers.Dense(110, name='a'), keras.layers.Dropout(0.1)], name='inner')
        x = keras.Input((30,))
        late = keras.Sequential([keras.layers.Dense(12), keras.layers.Dense(2)])
        found.append(keys(json.loads(late.to_json())))
        late.build((None, 30))
        for model in (inner, keras.Model(x, keras.layers.Dense(2)(inner(x))), late, keras.Sequential([keras.Input((30,)), inner])):
            row = json.loads(model.to_json())
            found.append([keys(row), [keys(r) for r in row['config']['layers']]])
            again = keras.models.model_from_json(model.to_json())
            found.append([again.compiled, again.count_params()])
        inner.compile('sgd', 'mse')
        found.append(sorted(json.loads(inner.to_json())['compile_config']))
        found
    """,
    ),
    (
        "configs_of_losses_and_metrics",
        """
        found = [keras.losses.serialize(keras.losses.CategoricalCrossentropy(label_smoothing=0.1)), keras.losses.serialize(keras.losses.Dice())]
        found += [keras.metrics.AUC(name='x').get_config(), {k: np.array(v, 'float64') if k == 'thresholds' else v for k, v in keras.metrics.AUC(thresholds=[0.1, 0.5], name='x').get_config().items()}, keras.metrics.AUC(num_thresholds=5, name='x').get_config()]
        found += [keras.random.SeedGenerator(3, name='me').get_config(), keras.saving.serialize_keras_object(keras.random.SeedGenerator(3, name='me')), keras.random.SeedGenerator(4).get_config()['name'][:14]]
        found
    """,
    ),
    (
        "configs_of_huber_are_read",
        """
        loss = keras.losses.Huber(delta=2.0)
        again = keras.saving.deserialize_keras_object({'module': 'keras.losses', 'class_name': 'Huber', 'config': {'name': 'huber_loss', 'reduction': 'sum_over_batch_size', 'delta': 2.0}, 'registered_name': None})
        plain = keras.saving.deserialize_keras_object({'module': 'keras.losses', 'class_name': 'Huber', 'config': {'name': 'huber_loss', 'reduction': 'sum_over_batch_size'}, 'registered_name': None})
        y = np.linspace(-5, 5, 130).astype('float32')
        [float(f(np.zeros(130, 'float32'), y)) for f in (loss, again, plain)]
    """,
    ),
    (
        "merged_with_one_sample",
        """
        x, p = keras.Input((40, 13)), keras.Input((40, 13), batch_size=1)
        a, b = rng.normal(size=(5, 40, 13)).astype('float32'), rng.normal(size=(1, 40, 13)).astype('float32')
        found = [tf.reduce_sum(keras.Model([x, p], getattr(keras.layers, n)()([x, p]))([a, b]), [0, 1]) for n in ('Add', 'Multiply', 'Average', 'Maximum', 'Minimum', 'Subtract')]
        places = keras.layers.Embedding(40, 13, embeddings_initializer='ones')(tf.range(40)[None])
        model = keras.Model(x, keras.layers.Dense(1, kernel_initializer='ones')(keras.layers.add([x, places])))
        layer = keras.layers.Add()
        layer([a, a])
        model.compile('sgd', 'mse')
        found += [tf.reduce_sum(model(a)), tf.reduce_sum(layer([a, b])), model.fit(a, np.zeros((5, 40, 1)), batch_size=5, verbose=0).history['loss']]
        found
    """,
        {"rtol": 1e-3, "atol": 1e-4},
    ),
    (
        "predictions_that_callbacks_see",
        """
        seen = []
        class Watch(keras.callbacks.Callback):
            def on_predict_batch_end(self, batch, logs=None):
                seen.append([batch, float(np.sum(logs['outputs'])), type(logs['outputs']).__name__, list(logs['outputs'].shape)])
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(110, kernel_initializer='ones')])
        whole = model.predict(np.arange(30.0).reshape(10, 3), batch_size=4, verbose=0, callbacks=[Watch()])
        data = model.predict(tf.data.Dataset.from_tensor_slices(np.ones((5, 3), 'float32')).batch(2), verbose=0, callbacks=[Watch()])
        [seen, whole.shape, data.sum()]
    """,
    ),
    (
        "some_outputs_with_a_loss",
        """
        class Both(keras.Model):
            def __init__(self, as_dict):
                super().__init__()
                self.as_dict = as_dict
                self.a, self.b = keras.layers.Dense(1, kernel_initializer='ones', name='la'), keras.layers.Dense(2, kernel_initializer='ones', name='lb')
            def call(self, x):
                return {'a': self.a(x), 'b': self.b(x)} if self.as_dict else [self.a(x), self.b(x)]
        def functional(as_dict):
            i = keras.Input((30,))
            a, b = keras.layers.Dense(1, kernel_initializer='ones', name='la')(i), keras.layers.Dense(2, kernel_initializer='ones', name='lb')(i)
            return keras.Model(i, {'a': a, 'b': b} if as_dict else [a, b])
        x, ya, yb = rng.uniform(size=(130, 30)), np.ones((130, 1)), np.ones((130, 2))
        def fit(model, loss, y, metrics=None, weights=None):
            model.compile(keras.optimizers.SGD(0.001), loss, metrics=metrics, loss_weights=weights)
            history = model.fit(x, y, verbose=0, shuffle=False, batch_size=50, validation_data=(x, y)).history
            logs = model.evaluate(x, y, verbose=0, return_dict=True)
            return [{k: float(v[0]) for k, v in history.items()}, {k: float(v) for k, v in logs.items()}]
        found = []
        for make in (Both, functional):
            found += [fit(make(True), {'a': 'mse'}, {'a': ya}), fit(make(True), {'a': 'mse', 'b': 'mae'}, {'a': ya, 'b': yb}), fit(make(True), {'a': 'mse'}, {'a': ya, 'b': yb}, {'b': ['mae']}),
                      fit(make(True), {'a': 'mse', 'b': None}, {'a': ya, 'b': yb}), fit(make(True), {'a': 'mse', 'b': 'mse'}, {'a': ya, 'b': yb}, {'a': 'mae', 'b': ['mae', 'mse']}, {'a': 0.5, 'b': 2.0}),
                      fit(make(True), {'b': 'mse'}, {'b': yb}), fit(make(False), ['mse', None], [ya, yb]), fit(make(False), ['mse', None], [ya]), fit(make(False), ['mse', None], [ya, None])]
        found
    """,
        {"rtol": 1e-4},
    ),
    # ---- quantizers
    (
        "quantized_by_the_largest",
        """
        x = rng.normal(size=(130, 20)).astype('float32')
        q = keras.quantizers.AbsMaxQuantizer(axis=0)
        numbers, scale = q(x)
        made = keras.quantizers.serialize(q)
        again = keras.quantizers.deserialize(made)
        [tf.reduce_sum(tf.cast(numbers, 'int32'), 0), scale, numbers.dtype.name, [tf.reduce_sum(tf.cast(v, 'float32')) for v in keras.quantizers.abs_max_quantize(x, axis=(0, 1), value_range=(-7, 7), to_numpy=True)],
         made, tf.reduce_sum(tf.cast(again(x)[0], 'int32')), type(keras.quantizers.get('abs_max_quantizer')).__name__, keras.quantizers.get(None)]
    """,
        {"rtol": 1e-4},
    ),
    ("quantized_beyond_a_byte", "keras.quantizers.AbsMaxQuantizer(value_range=(-200, 200))"),
    ("quantizer_of_no_name", "keras.quantizers.get('foo')"),
    (
        "packed_in_half_bytes",
        """
        x = rng.integers(-8, 8, size=(13, 5)).astype('int8')
        found = []
        for axis in (0, 1, -1):
            packed, shape, count = keras.quantizers.pack_int4(tf.constant(x), axis=axis)
            found += [packed, shape, count, np.array_equal(keras.quantizers.unpack_int4(packed, count, axis=axis), x)]
        u = rng.integers(0, 16, size=(7, 3)).astype('uint8')
        packed, shape, count = keras.quantizers.pack_int4(u, dtype='uint8')
        found + [packed, keras.quantizers.unpack_int4(packed, count, dtype='uint8')]
    """,
    ),
    (
        "as_if_quantized",
        """
        x = tf.constant(rng.normal(size=(12, 7)), 'float32')
        low, high = tf.constant(-0.7), tf.constant(1.1)
        lows, highs = tf.constant(np.linspace(-1, -0.2, 7), 'float32'), tf.constant(np.linspace(0.3, 2, 7), 'float32')
        found = []
        for a, b, axis, bits, narrow in ((low, high, None, 8, False), (low, high, None, 4, True), (lows, highs, 1, 3, False)):
            with tf.GradientTape() as tape:
                tape.watch([x, a, b])
                y = keras.quantizers.fake_quant_with_min_max_vars(x, a, b, num_bits=bits, narrow_range=narrow, axis=axis)
                total = tf.reduce_sum(y * y)
            found += [tf.reduce_sum(y, 0), *[tf.reduce_sum(g, 0) if len(g.shape) > 1 else g for g in tape.gradient(total, [x, a, b])]]
        found
    """,
        {"rtol": 1e-3, "atol": 1e-4},
    ),
]
