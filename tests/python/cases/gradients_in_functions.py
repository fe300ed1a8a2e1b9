"""tf.gradients and tf.hessians in functions that are traced."""

CASES = [
    ("gradients_of_arguments_and_what_is_computed", """
        x = rng.normal(size=(20, 130)).astype('float32')
        w = tf.Variable(rng.normal(size=(130, 150)).astype('float32') * 0.1)
        @tf.function
        def f(x):
            h = tf.nn.relu(tf.matmul(x, w))
            loss = tf.reduce_mean(tf.square(h))
            gx, gh, gw = tf.gradients(loss, [x, h, w])
            return loss, tf.reduce_sum(gx, 1)[:3], tf.reduce_sum(gh), tf.reduce_sum(gw, 0)[:3]
        f(x)
    """, {"rtol": 1e-4}),
    ("gradients_of_constants_made_inside", """
        @tf.function
        def f():
            a = tf.zeros([1])
            b = 2 * a
            return tf.gradients([a + b], [a, b])
        f()
    """),
    ("gradients_with_stops", """
        @tf.function
        def f():
            a = tf.ones([3])
            b = 2 * a
            c = b * b
            return [*tf.gradients([a + b], [a, b], stop_gradients=[a, b]), *tf.gradients(a * c + b, [a, b, c], stop_gradients=[b, c]),
                    *tf.gradients(a * c + b, [a, b, c]), *tf.gradients(a * c + b, [a, b], stop_gradients=[c])]
        f()
    """),
    ("gradients_of_gradients", """
        @tf.function
        def f(x):
            y = tf.reduce_sum(x ** 4)
            first, = tf.gradients(y, x)
            second, = tf.gradients(first, x)
            third, = tf.gradients(second, x)
            return y, first, second, third, tf.gradients(first * x + y, x)[0]
        f(tf.constant([1.0, 2.0, -3.0]))
    """),
    ("gradients_that_are_none", """
        @tf.function
        def f(x, n):
            y = tf.square(x)
            z = tf.exp(n)
            found = tf.gradients(y, [x, z, n])
            return [g for g in found if g is not None], tf.gradients(y, [z], unconnected_gradients=tf.UnconnectedGradients.ZERO), tf.gradients(tf.stop_gradient(y), x)[0] is None
        f(tf.constant(3.0), tf.constant([1.0, 2.0]))[:2]
    """),
    ("gradients_along_directions", """
        @tf.function
        def f(x):
            return tf.gradients([x * x, tf.sin(x)], x, grad_ys=[tf.constant([1.0, 0.0]), tf.constant([0.5, 2.0])])[0]
        f(tf.constant([1.0, 2.0]))
    """),
    ("gradients_in_helpers_and_methods", """
        def slope(y, x):
            return tf.gradients(y, [x])[0]
        class Penalty(tf.Module):
            def __init__(self):
                self.w = tf.Variable([[1.0, -2.0], [0.5, 3.0]])
            def critic(self, x):
                return tf.reduce_sum(tf.tanh(x @ self.w), 1)
            @tf.function
            def loss(self, x):
                g = self.slopes(x)
                return tf.reduce_mean(tf.square(tf.norm(g, axis=1) - 1.0))
            def slopes(self, x):
                return slope(self.critic(x), x)
        p = Penalty()
        x = tf.constant(rng.normal(size=(5, 2)).astype('float32'))
        with tf.GradientTape() as tape:
            loss = p.loss(x)
        [loss, tape.gradient(loss, p.w)]
    """),
    ("gradients_of_captured_tensors", """
        c = tf.constant([1.0, 2.0, 3.0])
        @tf.function
        def f(x):
            return tf.gradients(tf.reduce_sum(c * c * x), [c, x])
        f(tf.constant(4.0))
    """),
    ("gradients_in_a_loop", """
        @tf.function
        def descend(x):
            for _ in tf.range(20):
                loss = tf.reduce_sum(tf.square(x - 3.0))
                x = x - 0.1 * tf.gradients(loss, x)[0]
            return x
        descend(tf.constant([0.0, 10.0]))
    """),
    ("gradients_with_keras_models", """
        model = keras.Sequential([keras.Input((30,)), keras.layers.Dense(110, activation='tanh', kernel_initializer='ones'), keras.layers.Dense(1, kernel_initializer='ones')])
        x = rng.normal(size=(16, 30)).astype('float32') / 10
        @tf.function
        def step(x):
            loss = tf.reduce_mean(tf.square(model(x)))
            return tf.gradients(loss, model.trainable_variables)
        [tf.reduce_sum(g) for g in step(x)]
    """, {"rtol": 1e-4}),
    ("gradients_with_an_open_signature", """
        @tf.function(input_signature=[tf.TensorSpec([None, 4])])
        def f(x):
            return tf.gradients(tf.reduce_sum(tf.square(x), 1), x)[0]
        [f(tf.ones([2, 4])), f(tf.ones([5, 4]) * 2)]
    """),
    ("hessians_in_functions", """
        @tf.function
        def f(x):
            return tf.hessians(tf.reduce_sum(x ** 3) + x[0] * x[1], x)
        f(tf.constant([1.0, 2.0, 3.0]))
    """),
    ("gradients_in_eager_code", "tf.gradients(tf.constant(1.0), tf.constant(1.0))"),
    ("gradients_of_texts", """
        @tf.function
        def f(x):
            return tf.gradients(tf.strings.as_string(x), x)
        f(tf.constant(1.0))
    """),
]  # fmt: skip
