"""tf.function and AutoGraph."""

CASES = [
    ("traces_by_shape_and_dtype", """
        count = [0]
        @tf.function
        def f(x):
            count[0] += 1
            return x * 2
        f(tf.constant([1.0])); f(tf.constant([2.0])); f(tf.constant([1.0, 2.0])); f(tf.constant([1]))
        result = count[0]"""),
    ("traces_by_python_value", """
        count = [0]
        @tf.function
        def f(x, k):
            count[0] += 1
            return x * k
        result = [f(tf.constant(2.0), 3), f(tf.constant(2.0), 4), f(tf.constant(2.0), 3), count[0]]"""),
    ("structures", """
        @tf.function
        def f(d, *more, flag=True):
            return {'a': d['x'] + more[0], 'b': (d['y'], None), 'c': [flag]}
        r = f({'x': tf.constant(1.0), 'y': tf.constant([2, 3])}, tf.constant(5.0))
        result = [r['a'], r['b'][0], r['b'][1]]"""),
    ("variables", """
        v = tf.Variable(1.0)
        @tf.function
        def f(x):
            v.assign_add(x)
            return v * 10
        result = [f(tf.constant(2.0)), f(tf.constant(3.0)), v]"""),
    ("variable_made_on_first_call", """
        class M(tf.Module):
            v = None
            @tf.function
            def __call__(self, x):
                if self.v is None:
                    self.v = tf.Variable(3.0)
                return self.v * x
        m = M()
        result = [m(tf.constant(2.0)), m(tf.constant(4.0))]"""),
    ("methods_have_their_own_state", """
        class C:
            def __init__(self, v):
                self.v = tf.Variable(v)
            @tf.function
            def f(self, x):
                return self.v * x
        a, b = C(2.0), C(5.0)
        result = [a.f(tf.constant(3.0)), b.f(tf.constant(3.0))]"""),
    ("gradient_through", """
        w = tf.Variable([1.0, 2.0])
        @tf.function
        def f(x):
            return tf.reduce_sum(w * w * x)
        with tf.GradientTape() as tape:
            y = f(tf.constant([3.0, 4.0]))
        result = [y, tape.gradient(y, w)]"""),
    ("gradient_inside", """
        w = tf.Variable(3.0)
        @tf.function
        def f(x):
            with tf.GradientTape() as tape:
                y = w * w * x
            return tape.gradient(y, w)
        result = f(tf.constant(2.0))"""),
    ("input_signature", """
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def f(x):
            return tf.reduce_sum(x)
        result = [f(tf.constant([1.0, 2.0])), f([1.0, 2.0, 3.0])]"""),
    ("input_signature_refuses", """
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def f(x):
            return tf.reduce_sum(x)
        result = f(tf.constant([[1.0]]))""", {"raises": "TypeError"}),
    ("calls_function", """
        @tf.function
        def g(x):
            return x + 1
        @tf.function
        def f(x):
            return g(x) * g(x)
        result = f(tf.constant(2.0))"""),
    ("if_else", """
        @tf.function
        def f(x):
            if x > 0:
                y = x * 2
            else:
                y = x - 1
            return y
        result = [f(tf.constant(3.0)), f(tf.constant(-3.0))]"""),
    ("if_returns", """
        @tf.function
        def f(x):
            if x > 10:
                return x
            elif x > 0:
                return x * 2
            else:
                return -x
        result = [f(tf.constant(v)) for v in (20.0, 3.0, -3.0)]"""),
    ("if_expression", """
        @tf.function
        def f(x):
            return x if x > 0 else -x
        result = [f(tf.constant(3.0)), f(tf.constant(-4.0))]"""),
    ("and_or_not", """
        @tf.function
        def f(x, y):
            if x > 0 and not y > 0 or x > 100:
                return 1
            return 0
        result = [f(tf.constant(a), tf.constant(b)) for a, b in ((1, -1), (1, 1), (200, 5), (-1, -1))]"""),
    ("while_loop", """
        @tf.function
        def collatz(n):
            steps = 0
            while n != 1:
                if n % 2 == 0:
                    n = n // 2
                else:
                    n = 3 * n + 1
                steps += 1
            return steps
        result = collatz(tf.constant(27))"""),
    ("break_and_continue", """
        @tf.function
        def f(n):
            total = 0
            i = 0
            while i < n:
                i += 1
                if i == 3:
                    continue
                if i > 7:
                    break
                total += i
            return total, i
        result = [f(tf.constant(5)), f(tf.constant(20))]"""),
    ("for_over_rows", """
        @tf.function
        def f(x):
            total = tf.zeros([2])
            for row in x:
                if tf.reduce_sum(row) > 3:
                    total += row
            return total
        result = f(tf.constant([[1.0, 1.0], [2.0, 2.0], [5.0, 0.0]]))"""),
    ("for_over_tf_range", """
        @tf.function
        def f(n):
            total = 0
            for i in tf.range(n):
                if i % 2 == 0:
                    total += i
            return total
        result = f(tf.constant(10))"""),
    ("for_over_python_range", """
        @tf.function
        def f(x):
            for i in range(3):
                x = x + i
            return x
        result = f(tf.constant(1))"""),
    ("loop_gradient", """
        @tf.function
        def f(x, n):
            y = x
            i = 0
            while i < n:
                y = y * x
                i += 1
            return y
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, tf.constant(3))
        result = [y, tape.gradient(y, x)]"""),
    ("helper_is_converted", """
        def clip(x):
            if x > 1:
                return tf.ones_like(x)
            return x
        @tf.function
        def f(x):
            return clip(x) + clip(x * 10)
        result = f(tf.constant(0.5))"""),
    ("python_side_effects_once", """
        log = []
        @tf.function
        def f(x):
            log.append('traced')
            return x
        for _ in range(3):
            f(tf.constant(1.0))
        result = len(log)"""),
    ("unset_variable", """
        @tf.function
        def f(x):
            if x > 0:
                y = x
            return y
        result = f(tf.constant(1.0))""", {"raises": "Exception"}),
    ("loop_changes_shape", """
        @tf.function
        def f(n):
            x = tf.zeros([1])
            for i in tf.range(n):
                x = tf.concat([x, x], 0)
            return x
        result = f(tf.constant(3))""", {"raises": "ValueError"}),
    ("concrete_function_of_open_sizes_runs_nothing", """
        steps = tf.Variable(0.0)
        @tf.function
        def f(x):
            steps.assign_add(1.0)
            return {'sum': tf.reduce_sum(x, 0), 'product': x @ tf.transpose(x)}, tf.reshape(x, (-1, 65))
        concrete = f.get_concrete_function(tf.TensorSpec([None, 130], tf.float32))
        shapes = tf.nest.map_structure(lambda t: t.shape.as_list(), concrete.structured_outputs)
        concrete.graph
        before = float(steps)
        sums = [float(tf.reduce_sum(f(tf.ones((n, 130)))[1])) for n in (3, 200, 7)]
        [shapes, before, float(steps), sums, f.experimental_get_tracing_count(), concrete(tf.ones((2, 130)))[0]['product']]
    """),
    ("concrete_function_that_does_not_fit", "tf.function(lambda x: tf.matmul(x, tf.ones((3, 4)))).get_concrete_function(tf.TensorSpec((None, 5)))"),
    ("concrete_function", """
        @tf.function
        def f(x):
            return x + 1
        c = f.get_concrete_function(tf.TensorSpec([2], tf.float32))
        result = c(tf.constant([1.0, 2.0]))"""),
    ("branch_assigns", """
        v = tf.Variable(1.0)
        @tf.function
        def f(x):
            if x > 0:
                v.assign_add(x)
            return v * 10
        result = [f(tf.constant(2.0)), f(tf.constant(-2.0)), f(tf.constant(3.0)), v]"""),
    ("branches_assign_different_variables", """
        a, b = tf.Variable(0), tf.Variable(0)
        @tf.function
        def f(x):
            if x > 0:
                a.assign_add(1)
            else:
                b.assign(b - 1)
            return a.read_value(), b.read_value()
        result = [f(tf.constant(1.0)), f(tf.constant(-1.0)), f(tf.constant(1.0)), a, b]"""),
    ("cond_assigns", """
        v = tf.Variable([1.0, 2.0])
        @tf.function
        def f(x):
            return tf.cond(x > 0, lambda: v.assign(v * 2), lambda: v.assign_sub([1.0, 1.0]))
        result = [f(tf.constant(1)), f(tf.constant(0)), v]"""),
    ("while_assigns", """
        v = tf.Variable(0)
        @tf.function
        def f(n):
            while v < n:
                v.assign_add(3)
            return v + 100
        result = [f(tf.constant(10)), f(tf.constant(5)), v]"""),
    ("for_range_assigns", """
        total, last = tf.Variable(0), tf.Variable(-1)
        @tf.function
        def f(n):
            for i in tf.range(n):
                if i % 2 == 0:
                    total.assign_add(i)
                last.assign(i)
            return total * 1
        result = [f(tf.constant(5)), f(tf.constant(3)), total, last]"""),
    ("training_loop_inside", """
        w = tf.Variable([1.0, -2.0])
        optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.5)
        optimizer.build([w])
        @tf.function
        def train(x, y, steps):
            loss = tf.constant(0.0)
            for _ in tf.range(steps):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.square(tf.linalg.matvec(x, w) - y))
                optimizer.apply_gradients([(tape.gradient(loss, w), w)])
            return loss
        result = [train(tf.constant([[1.0, 2.0], [3.0, 1.0]]), tf.constant([1.0, 2.0]), tf.constant(10)), w, int(optimizer.iterations)]"""),
    ("adam_inside_a_while", """
        w = tf.Variable(4.0)
        optimizer = tf.keras.optimizers.Adam(0.5)
        optimizer.build([w])
        @tf.function
        def train():
            rounds = tf.constant(0)
            while w * w > 1.0 and rounds < 50:
                with tf.GradientTape() as tape:
                    loss = w * w
                optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
                rounds += 1
            return rounds
        result = [train(), w]"""),
    ("scan_assigns", """
        seen = tf.Variable(0.0)
        @tf.function
        def f(x):
            def step(carry, e):
                seen.assign_add(e)
                return carry + e * seen
            return tf.scan(step, x, initializer=tf.constant(0.0))
        result = [f(tf.constant([1.0, 2.0, 3.0])), seen]"""),
    ("side_effects_once_under_tapes", """
        count = [0]
        w = tf.Variable(2.0)
        @tf.function
        def f(x):
            count[0] += 1
            return w * x
        gradients = []
        for i in range(3):
            with tf.GradientTape() as tape:
                y = f(tf.constant(float(i)))
            gradients.append(tape.gradient(y, w))
        result = [gradients, count[0]]"""),
    ("second_gradient_through", """
        @tf.function
        def cube(x):
            return x * x * x
        x = tf.constant(2.0)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = cube(x)
            dy = inner.gradient(y, x)
        result = [y, dy, outer.gradient(dy, x)]"""),
    ("assigns_under_a_tape", """
        w, count = tf.Variable(2.0), tf.Variable(0)
        @tf.function
        def f(x):
            count.assign_add(1)
            return w * w * x
        with tf.GradientTape() as tape:
            y = f(tf.constant(3.0)) + f(tf.constant(4.0))
        result = [tape.gradient(y, w), count]"""),
    ("own_gradient_under_a_tape", """
        @tf.custom_gradient
        def clipped(x):
            return x * 2, lambda g: g * 100
        @tf.function
        def f(x):
            return clipped(x) + x
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        result = [y, tape.gradient(y, x)]"""),
    ("structure_by_shape", """
        @tf.function
        def f(x):
            if x.shape[0] > 2:
                return x, x * 2
            return {'a': x + 1}
        result = [f(tf.ones(2)), f(tf.ones(3)), f(tf.ones(2)), f(tf.ones(3))]"""),
    ("dataset_loop", """
        dataset = tf.data.Dataset.from_tensor_slices(np.arange(10, dtype='float32')).batch(4)
        count = tf.Variable(0.0)
        @tf.function
        def total(dataset):
            s, n = tf.constant(0.0), 0
            for x in dataset:
                s += tf.reduce_sum(x)
                n += 1
                count.assign_add(tf.cast(tf.shape(x)[0], tf.float32))
            return s, n
        result = [total(dataset), count.numpy(), total(dataset), count.numpy()]"""),
    ("dataset_loop_break", """
        @tf.function
        def first_large():
            found = tf.constant(-1, tf.int64)
            for i, x in enumerate(tf.data.Dataset.range(100)):
                if x == 2:
                    continue
                found = i
                if x > 5:
                    break
            return found
        @tf.function
        def of_two():
            s = tf.constant(0, tf.int64)
            for a, b in zip(tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)):
                s += a * b
            return s
        @tf.function
        def of_dicts():
            s = tf.constant(0)
            for element in tf.data.Dataset.from_tensor_slices({'a': [1, 2, 3], 'b': [[4], [5], [6]]}):
                s += element['a'] * element['b'][0]
            return s
        @tf.function
        def of_none():
            s = tf.constant(5, tf.int64)
            for x in tf.data.Dataset.range(0):
                s += x
            return s
        result = [first_large(), of_two(), of_dicts(), of_none()]"""),
    ("dataset_loop_reads_anew", """
        seen = []
        def numbers():
            seen.append(1)
            yield from (len(seen), 10)
        dataset = tf.data.Dataset.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int32))
        @tf.function
        def total():
            s = tf.constant(0)
            for x in dataset:
                s += x
            return s
        a, b, c = (int(total()) for _ in range(3))
        result = [b - a, c - b]"""),
    ("dataset_iterator", """
        iterator = iter(tf.data.Dataset.range(10))
        @tf.function
        def three(iterator):
            s = tf.constant(0, tf.int64)
            for _ in tf.range(3):
                s += next(iterator)
            return s
        @tf.function
        def one(iterator):
            return iterator.get_next()
        @tf.function
        def until(iterator, limit):
            s = tf.constant(0, tf.int64)
            for x in iterator:
                s += x
                if x >= limit:
                    break
            return s
        result = [three(iterator), one(iterator), next(iterator), until(iterator, 6), next(iterator)]
        try:
            while True:
                one(iterator)
        except tf.errors.OutOfRangeError:
            result.append('end')"""),
    ("dataset_loop_trains", """
        x = np.linspace(0, 1, 10).astype('float32').reshape(-1, 1)
        dataset = tf.data.Dataset.from_tensor_slices((x, 2 * x)).batch(4)
        model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
        model.set_weights([np.full(w.shape, 0.5, 'float32') for w in model.get_weights()])
        optimizer = keras.optimizers.SGD(0.05)
        @tf.function
        def epoch(dataset):
            total = 0.0
            for x, y in dataset:
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean((model(x) - y) ** 2)
                optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
                total += loss
            return total
        result = [epoch(dataset), epoch(dataset), model.get_weights()]"""),
    ("tensor_array_in_loops", """
        @tf.function
        def discounted(rewards):
            n = tf.shape(rewards)[0]
            returns = tf.TensorArray(dtype=tf.float32, size=n)
            s = tf.constant(0.0)
            for i in tf.range(n):
                s = rewards[i] + 0.9 * s
                returns = returns.write(i, s)
            return returns.stack()[::-1]
        @tf.function
        def some(n):
            out = tf.TensorArray(tf.int32, size=7)
            for i in tf.range(n):
                if i == 5:
                    continue
                if i % 3 == 0 and i % 2 == 0:
                    v = 6
                elif i % 3 == 0:
                    v = 3
                else:
                    v = i
                out = out.write(i, v)
                if i > 2:
                    out = out.write(i, out.read(i) * 10)
            return out.stack()
        @tf.function
        def rows(x):
            out = tf.TensorArray(tf.float32, size=3, element_shape=[2])
            i = 0
            while i < 3:
                out = out.write(i, x * tf.cast(i, tf.float32))
                i += 1
            return out.concat(), out.gather([2, 0]), out.size()
        x = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(discounted(x) ** 2)
        result = [discounted(x), tape.gradient(y, x), some(tf.constant(7)), some(tf.constant(2)), rows(tf.constant([1.0, 2.0]))]"""),
]  # fmt: skip
