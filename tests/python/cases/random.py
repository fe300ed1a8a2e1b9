"""tf.random: shapes, dtypes, ranges and moments; the numbers themselves are Brio's own."""

_NEAR = "lambda x, y, by: bool(abs(float(x) - y) < by)"

CASES = [
    (
        "uniform",
        f"near = {_NEAR}; x = tf.random.uniform([5000]); [x.shape, x.dtype, bool(tf.reduce_all((x >= 0) & (x < 1))), near(tf.reduce_mean(x), 0.5, 0.03), near(tf.math.reduce_std(x), 0.2887, 0.02)]",
    ),
    (
        "uniform_range",
        f"near = {_NEAR}; x = tf.random.uniform([3000], minval=-2, maxval=4); [bool(tf.reduce_all((x >= -2) & (x < 4))), near(tf.reduce_mean(x), 1.0, 0.2)]",
    ),
    ("uniform_ints", "x = tf.random.uniform([2000], 1, 7, dtype=tf.int32); [x.dtype, sorted(set(x.numpy().tolist()))]"),
    ("uniform_ints_without_max", "tf.random.uniform([2], dtype=tf.int32)"),
    ("uniform_dtypes", "[tf.random.uniform([2], dtype=d).dtype for d in (tf.float16, tf.float64, tf.bfloat16)]"),
    ("uniform_shapes", "[tf.random.uniform(s).shape for s in ([], [2, 3], (4,), tf.constant([1, 2]))]"),
    (
        "uniform_seeded",
        "tf.random.set_seed(5); a = tf.random.uniform([4]); tf.random.set_seed(5); b = tf.random.uniform([4]); bool(tf.reduce_all(a == b))",
    ),
    (
        "draws_differ",
        "tf.random.set_seed(5); a = tf.random.uniform([4]); b = tf.random.uniform([4]); bool(tf.reduce_all(a == b))",
    ),
    (
        "normal",
        f"near = {_NEAR}; x = tf.random.normal([5000], mean=3.0, stddev=2.0); [x.shape, x.dtype, near(tf.reduce_mean(x), 3.0, 0.15), near(tf.math.reduce_std(x), 2.0, 0.1)]",
    ),
    ("normal_positional", "tf.random.normal([2, 3], 0.0, 1.0, tf.float64).dtype"),
    (
        "truncated_normal",
        "x = tf.random.truncated_normal([5000], stddev=0.5); [bool(tf.reduce_all(tf.abs(x) <= 1.0)), x.shape]",
    ),
    (
        "gamma",
        f"near = {_NEAR}; x = tf.random.gamma([4000], alpha=2.0, beta=4.0); [x.shape, near(tf.reduce_mean(x), 0.5, 0.05), bool(tf.reduce_all(x > 0))]",
    ),
    (
        "gamma_shapes",
        "[tf.random.gamma([3], [0.5, 2.0]).shape, tf.random.gamma([2], [[1.0], [2.0]], [1.0, 2.0, 3.0]).shape]",
    ),
    (
        "poisson",
        f"near = {_NEAR}; x = tf.random.poisson([4000], 3.0); [x.shape, x.dtype, near(tf.reduce_mean(x), 3.0, 0.2)]",
    ),
    ("poisson_shape", "tf.random.poisson([5], [1.0, 10.0]).shape"),
    (
        "categorical",
        "x = tf.random.categorical(tf.math.log([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]), 200); [x.shape, x.dtype, sorted(set(x.numpy()[0].tolist())), sorted(set(x.numpy()[1].tolist()))]",
    ),
    ("categorical_dtype", "tf.random.categorical([[0.0, 0.0]], 3, dtype=tf.int32).dtype"),
    (
        "shuffle",
        "x = tf.random.shuffle(tf.range(50)); [x.shape, sorted(x.numpy().tolist()) == list(range(50)), x.numpy().tolist() != list(range(50))]",
    ),
    (
        "shuffle_rows",
        "x = tf.random.shuffle(tf.reshape(tf.range(6), [3, 2])).numpy(); bool((x[:, 1] - x[:, 0] == 1).all())",
    ),
    (
        "stateless_uniform",
        "a = tf.random.stateless_uniform([6], seed=[1, 2]); b = tf.random.stateless_uniform([6], seed=(1, 2)); c = tf.random.stateless_uniform([6], seed=[1, 3]); [bool(tf.reduce_all(a == b)), bool(tf.reduce_all(a == c)), a.shape, a.dtype]",
    ),
    (
        "stateless_uniform_ints",
        "sorted(set(tf.random.stateless_uniform([500], [1, 2], 0, 4, tf.int32).numpy().tolist()))",
    ),
    (
        "stateless_normal",
        f"near = {_NEAR}; x = tf.random.stateless_normal([4000], seed=[3, 4], mean=1.0, stddev=2.0); [near(tf.reduce_mean(x), 1.0, 0.15), near(tf.math.reduce_std(x), 2.0, 0.1)]",
    ),
    (
        "stateless_truncated_normal",
        "bool(tf.reduce_all(tf.abs(tf.random.stateless_truncated_normal([1000], [1, 2])) <= 2.0))",
    ),
    (
        "stateless_gamma",
        f"near = {_NEAR}; near(tf.reduce_mean(tf.random.stateless_gamma([4000], [1, 2], alpha=2.0)), 2.0, 0.15)",
    ),
    (
        "stateless_poisson",
        f"near = {_NEAR}; x = tf.random.stateless_poisson([4000], [1, 2], 4.0); [x.dtype, near(tf.reduce_mean(tf.cast(x, tf.float32)), 4.0, 0.2)]",
    ),
    ("stateless_categorical", "x = tf.random.stateless_categorical([[0.0, -1e9]], 5, seed=[7, 17]); [x, x.dtype]"),
    (
        "stateless_binomial",
        f"near = {_NEAR}; x = tf.random.stateless_binomial([3000], [1, 2], counts=10.0, probs=0.3); [x.dtype, near(tf.reduce_mean(tf.cast(x, tf.float32)), 3.0, 0.2)]",
    ),
    ("stateless_seed_bad", "tf.random.stateless_uniform([2], seed=[1, 2, 3])", {"raises": "Exception"}),
    (
        "generator",
        "g = tf.random.Generator.from_seed(1); a, b = g.normal([3]), g.normal([3]); h = tf.random.Generator.from_seed(1); [bool(tf.reduce_all(a == h.normal([3]))), bool(tf.reduce_all(a == b)), g.uniform([2, 2]).shape, g.truncated_normal([2]).dtype]",
    ),
    (
        "generator_uniform",
        "x = tf.random.Generator.from_seed(3).uniform([500], 2, 5, dtype=tf.int64); sorted(set(x.numpy().tolist()))",
    ),
    (
        "generator_reset",
        "g = tf.random.Generator.from_seed(1); a = g.normal([3]); g.reset_from_seed(1); bool(tf.reduce_all(a == g.normal([3])))",
    ),
    ("generator_split", "g = tf.random.Generator.from_seed(1).split(3); [len(g), g[0].normal([2]).shape]"),
    ("generator_nondeterministic", "tf.random.Generator.from_non_deterministic_state().normal([2]).shape"),
    ("generator_seeds", "x = tf.random.Generator.from_seed(1).make_seeds(2); [x.shape, x.dtype]"),
    ("generator_full_int", "tf.random.Generator.from_seed(1).uniform_full_int([3]).dtype"),
    ("global_generator", "tf.random.get_global_generator().uniform([2]).shape"),
    (
        "set_global_generator",
        "tf.random.set_global_generator(tf.random.Generator.from_seed(2)); a = tf.random.get_global_generator().normal([2]); bool(tf.reduce_all(a == tf.random.Generator.from_seed(2).normal([2])))",
    ),
    ("split", "a = tf.random.split([1, 2], num=3); [a.shape, bool(tf.reduce_all(a[0] == a[1]))]"),
    ("fold_in", "a = tf.random.fold_in([1, 2], 3); [a.shape, bool(tf.reduce_all(a == tf.random.fold_in([1, 2], 4)))]"),
    (
        "seeds_move_on",
        "draw = lambda: tf.random.uniform([8], seed=5).numpy().tolist(); tf.random.set_seed(1); a, b = draw(), draw(); tf.random.set_seed(1); c, d = draw(), draw(); tf.random.set_seed(2); e = draw(); [a == b, a == c, b == d, a == e]",
    ),
    (
        "seeds_are_apart",
        "tf.random.set_seed(1); a = tf.random.normal([8], seed=5).numpy().tolist(); tf.random.set_seed(1); tf.random.normal([8], seed=6); b = tf.random.normal([8], seed=5).numpy().tolist(); [a == b]",
    ),
    (
        "patterns_of_functions",
        """
        def pattern(*draws):
            seen = []
            for draw in (d.numpy().tolist() for d in draws):
                if draw not in seen:
                    seen.append(draw)
            return [seen.index(d.numpy().tolist()) for d in draws]
        def two(**seeds):
            return tf.function(lambda: (tf.random.uniform([4], **seeds), tf.random.normal([4], **seeds)))
        tf.random.set_seed(7)
        f, g = two(), two()
        result = [pattern(*f(), *g(), *f(), *g())]
        h, k = two(seed=1), two(seed=1)
        result.append(pattern(*h(), *h(), *k(), *k()))
        @tf.function
        def same():
            return tf.random.uniform([4], seed=1), tf.random.uniform([4], seed=1), tf.random.uniform([4], seed=2)
        result.append(pattern(*same(), *same()))
        @tf.function
        def shuffled():
            return tf.random.shuffle(tf.range(20), seed=3), tf.random.categorical(tf.zeros([2, 9]), 9, seed=3)
        result.append(pattern(*shuffled(), *shuffled()))""",
    ),
    (
        "set_seed_restarts_functions",
        """
        draws = []
        for seed in (None, 3):
            tf.random.set_seed(9)
            f = tf.function(lambda: tf.random.normal([4], seed=seed))
            a, b = f(), f()
            tf.random.set_seed(9)
            c, d = f(), f()
            draws += [bool(tf.reduce_all(a == b)), bool(tf.reduce_all(a == c)), bool(tf.reduce_all(b == d))]
        result = draws""",
    ),
    (
        "stateless_of_a_tensor",
        """
        @tf.function
        def f(seed):
            x = tf.reshape(tf.range(24.0), [2, 4, 3])
            return [tf.random.stateless_uniform([3], seed), tf.random.stateless_normal([3], seed), tf.random.stateless_uniform([3], seed, 0, 50, 'int32'),
                    tf.random.stateless_categorical(tf.zeros([1, 9]), 5, seed), tf.image.stateless_random_flip_left_right(x, seed), tf.image.stateless_random_brightness(x, 0.5, seed)]
        seeds = [tf.constant(pair) for pair in ([1, 2], [1, 2], [1, 3])]
        made = [[t.numpy().tolist() for t in f(seed)] for seed in seeds]
        plain = tf.random.stateless_uniform([3], [1, 2]).numpy().tolist()
        result = [made[0] == made[1], [a == b for a, b in zip(made[0], made[2])][:3], made[0][0] == plain]""",
    ),
    (
        "seeds_of_elements",
        """
        pairs = tf.data.Dataset.from_tensor_slices([[1, 2], [1, 3], [1, 2]])
        drawn = [x.numpy().tolist() for x in pairs.map(lambda seed: tf.random.stateless_uniform([4], seed))]
        counted = [x.numpy().tolist() for x in tf.data.Dataset.range(3).map(lambda i: tf.random.stateless_normal([4], [5, i]))]
        result = [drawn[0] == drawn[1], drawn[0] == drawn[2], counted[0] == counted[1], drawn[0] == tf.random.stateless_uniform([4], [1, 2]).numpy().tolist()]""",
    ),
    (
        "seed_generator_in_functions",
        """
        generator = keras.random.SeedGenerator(5)
        @tf.function
        def f():
            return keras.random.normal((4,), seed=generator)
        a, b, c = f().numpy().tolist(), f().numpy().tolist(), keras.random.normal((4,), seed=generator).numpy().tolist()
        result = [a == b, b == c, a == c, [int(n) for n in np.array(generator.state)][1]]
        class Noise(keras.layers.Layer):
            def __init__(self):
                super().__init__()
                self.seed_generator = keras.random.SeedGenerator(1)
            def call(self, x):
                return x + keras.random.normal(keras.ops.shape(x), seed=self.seed_generator)
        model = keras.Sequential([keras.Input((3,)), Noise()])
        result += [np.array_equal(model.predict(np.ones((2, 3)), verbose=0), model.predict(np.ones((2, 3)), verbose=0))]""",
    ),
]
