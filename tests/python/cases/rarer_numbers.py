"""tf.math, tf.signal and tf.quantization: names of the rarer kind."""

INCOMPLETE = """
        a, x = tf.Variable(rng.uniform(0.05, 60, 120)), tf.Variable(rng.uniform(0.01, 90, 120))
        with tf.GradientTape() as tape:
            y = {call}
            loss = tf.reduce_sum(y * tf.range(120.0, dtype=tf.float64))
        [y[::7], [g[::7] for g in tape.gradient(loss, [{sources}])]]
"""

QUANTIZED = """
        x, low, high = tf.Variable(rng.normal(size=(30, 130)).astype('float32') * 3), tf.Variable({low}), tf.Variable({high})
        made = []
        for options in ({{}}, dict(num_bits=4), dict(num_bits=3, narrow_range=True)):
            with tf.GradientTape() as tape:
                y = tf.quantization.{name}(x, low, high, **options)  # type: ignore[arg-type]
                loss = tf.reduce_sum(y * y)
            made += [y[0, :5], loss] + [tf.reduce_sum(g * tf.range(float(g.shape[-1] if len(g.shape) else 1))) for g in tape.gradient(loss, [x, low, high])]
        made
"""

CASES = [
    ("igamma", INCOMPLETE.format(call="tf.math.igamma(a, x)", sources="a, x"), {"rtol": 1e-7, "atol": 1e-9}),
    ("igammac", INCOMPLETE.format(call="tf.math.igammac(a, x)", sources="a, x"), {"rtol": 1e-7, "atol": 1e-9}),
    (
        "betainc",
        INCOMPLETE.format(call="tf.math.betainc(a, x[::-1], tf.sigmoid(x / 90))", sources="x").replace(
            "g[::7]", "g[::7]"
        ),
        {"rtol": 1e-7, "atol": 1e-9},
    ),
    (
        "zeta",
        """
        x, q = tf.constant(rng.uniform(1.1, 9, 120)), tf.Variable(rng.uniform(0.1, 30, 120))
        with tf.GradientTape() as tape:
            y = tf.math.zeta(x, q)
        [y[::7], tape.gradient(y, q)[::7], tf.math.zeta(tf.constant([1.0, 2.0, 3.0]), tf.constant([2.0, 0.0, 1.0]))]
    """,
        {"rtol": 1e-8},
    ),
    (
        "edges_of_incomplete_functions",
        """
        a, x = tf.constant([0.0, -1.0, 2.0, 2.0, 1e3, 1e3, 0.5], tf.float64), tf.constant([1.0, 1.0, 0.0, np.inf, 1.01e3, 9e2, 1e-20], tf.float64)
        [tf.math.igamma(a, x), tf.math.igammac(a, x), tf.math.betainc(tf.constant([1.0, 2.0, 500.0, 0.1]), tf.constant([1.0, 3.0, 700.0, 0.2]), tf.constant([0.0, 1.0, 0.42, 0.999]))]
    """,
        {"rtol": 2e-3, "atol": 1e-6},
    ),
    (
        "incomplete_functions_in_a_function",
        """
        @tf.function
        def value(a, x):
            with tf.GradientTape() as tape:
                tape.watch([a, x])
                y = tf.math.igamma(a, x) + tf.math.zeta(x + 1.0, a)
            return y, tape.gradient(y, [x])[0]
        value(tf.constant([1.0, 2.0, 30.0]), tf.constant([2.0, 0.5, 31.0]))
    """,
        {"rtol": 1e-5},
    ),
    # ---- signals
    (
        "lapped_transforms",
        """
        x = tf.Variable(rng.normal(size=(2, 2100)).astype('float32'))
        made = []
        for window in (tf.signal.vorbis_window, tf.signal.kaiser_bessel_derived_window, None):
            for norm in (None, 'ortho'):
                with tf.GradientTape() as tape:
                    y = tf.signal.mdct(x, 240, window_fn=window, norm=norm, pad_end=norm is None)
                    back = tf.signal.inverse_mdct(y, window_fn=window, norm=norm)
                    loss = tf.reduce_sum(y * y)
                made += [y.shape, y[1, 2, :4], loss, back.shape, back[0, 300:303], tape.gradient(loss, x)[1, 500:502]]
        made
    """,
        {"rtol": 1e-3, "atol": 1e-3},
    ),
    ("lapped_frames_of_odd_lengths", "tf.signal.mdct(tf.ones([100]), 30)"),
    (
        "cosine_transform_of_type_4",
        "x = rng.normal(size=(3, 120))\n[tf.signal.dct(x, type=4)[:, :5], tf.signal.idct(x, type=4, norm='ortho')[:, :5]]",
        {"rtol": 1e-6},
    ),
    (
        "windows_of_kaiser_and_bessel",
        "[tf.signal.kaiser_bessel_derived_window(120)[::10], tf.signal.kaiser_bessel_derived_window(8, 4.0, tf.float64)]",
        {"rtol": 1e-4},
    ),
    # ---- few bits
    (
        "fake_quantization_of_a_fixed_range",
        """
        x = tf.Variable(rng.normal(size=(30, 130)).astype('float32') * 4)
        made = []
        for options in ({}, dict(min=0, max=1.5, num_bits=2), dict(min=-3.3, max=1.1, num_bits=5, narrow_range=True)):
            with tf.GradientTape() as tape:
                y = tf.quantization.fake_quant_with_min_max_args(x, **options)  # type: ignore[arg-type]
                loss = tf.reduce_sum(y * y)
            made += [y[0, :9], loss, tf.reduce_sum(tape.gradient(loss, x)), tf.reduce_sum(tf.quantization.fake_quant_with_min_max_args_gradient(x * 2, x, **options))]  # type: ignore[arg-type]
        made
    """,
        {"rtol": 1e-4, "atol": 1e-3},
    ),
    (
        "fake_quantization_of_a_range",
        QUANTIZED.format(low="-2.1", high="3.3", name="fake_quant_with_min_max_vars"),
        {"rtol": 1e-4, "atol": 1e-3},
    ),
    (
        "fake_quantization_of_channels",
        QUANTIZED.format(
            low="np.linspace(-4, -0.5, 130).astype('float32')",
            high="np.linspace(0.5, 4, 130).astype('float32')",
            name="fake_quant_with_min_max_vars_per_channel",
        ),
        {"rtol": 1e-4, "atol": 1e-3},
    ),
    (
        "gradients_of_fake_quantization",
        """
        x, g = rng.normal(size=(9, 12)).astype('float32') * 3, rng.normal(size=(9, 12)).astype('float32')
        [tf.reduce_sum(v) for v in tf.quantization.fake_quant_with_min_max_vars_gradient(g, x, -1.0, 2.0)] + [tf.reduce_sum(v) for v in tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient(g, x, [-1.0] * 12, [2.0] * 12)]
    """,
        {"rtol": 1e-4, "atol": 1e-5},
    ),
    (
        "quantized_and_back",
        """
        x = tf.Variable(rng.normal(size=(20, 12)).astype('float32') * 2)
        made = []
        for options in ({}, dict(num_bits=4), dict(range_given=True), dict(range_given=True, num_bits=3, narrow_range=True), dict(signed_input=False, num_bits=5), dict(round_mode='HALF_UP', num_bits=4)):
            with tf.GradientTape() as tape:
                y = tf.quantization.quantize_and_dequantize_v2(x, -1.5, 2.0, **options)
                loss = tf.reduce_sum(y * y)
            made += [y[0, :5], loss, tf.reduce_sum(tape.gradient(loss, x))]
        low, high = -np.linspace(0.5, 2, 12).astype('float32'), np.linspace(2, 0.5, 12).astype('float32')
        made + [tf.reduce_sum(abs(tf.quantization.quantize_and_dequantize_v2(x, low, high, num_bits=4, axis=1)), 0)]
    """,
        {"rtol": 1e-4, "atol": 1e-3},
    ),
]
