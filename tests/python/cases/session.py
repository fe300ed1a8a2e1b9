"""Graph mode: whole programs as TensorFlow 1's users write them, run in sessions. S is tf.compat.v1; each case is inside of a graph of its own."""

import textwrap

_HEAD = """
S = tf.compat.v1
def data(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype('float32') * 0.5
def labels(n, classes, seed=2):
    return np.random.default_rng(seed).integers(0, classes, n)
with tf.Graph().as_default():
"""

_PROGRAMS = [
    ("linear_regression", """
    x = S.placeholder(tf.float32, [None, 3])
    y = S.placeholder(tf.float32, [None, 1])
    W = tf.Variable(tf.zeros([3, 1]), name='W')
    b = tf.Variable(tf.zeros([1]), name='b')
    loss = tf.reduce_mean(tf.square(tf.matmul(x, W) + b - y))
    train = S.train.GradientDescentOptimizer(0.1).minimize(loss)
    X = data(100, 3); Y = X @ np.float32([[1], [2], [3]]) + 0.5
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        losses = [s.run([train, loss], {x: X, y: Y})[1] for _ in range(50)]
        result = [losses, s.run(W), s.run(b)]"""),
    ("mnist_softmax", """
    x = S.placeholder(tf.float32, [None, 784])
    y_ = S.placeholder(tf.float32, [None, 10])
    W = tf.Variable(tf.zeros([784, 10]))
    b = tf.Variable(tf.zeros([10]))
    y = tf.nn.softmax(tf.matmul(x, W) + b)
    cross_entropy = tf.reduce_mean(-tf.reduce_sum(y_ * tf.math.log(y), axis=[1]))
    step = S.train.GradientDescentOptimizer(0.5).minimize(cross_entropy)
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1)), tf.float32))
    X, Y = data(128, 784), np.eye(10, dtype='float32')[labels(128, 10)]
    s = S.InteractiveSession()
    S.global_variables_initializer().run()
    for _ in range(20):
        step.run({x: X, y_: Y})
    result = [cross_entropy.eval({x: X, y_: Y}), accuracy.eval({x: X, y_: Y}), b.eval()]
    s.close()"""),
    ("mlp_784_256_10_adam", """
    x = S.placeholder(tf.float32, [None, 784], name='x')
    y = S.placeholder(tf.int64, [None], name='y')
    def layer(t, n_in, n_out, name, seed):
        with S.variable_scope(name):
            w = S.get_variable('w', initializer=data(n_in, n_out, seed=seed) * 0.1)
            b = S.get_variable('b', [n_out], initializer=S.zeros_initializer())
        return tf.matmul(t, w) + b
    hidden = tf.nn.relu(layer(x, 784, 256, 'h', 3))
    logits = layer(hidden, 256, 10, 'out', 4)
    loss = tf.reduce_mean(S.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
    train = S.train.AdamOptimizer(1e-3).minimize(loss)
    X, Y = data(128, 784), labels(128, 10)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        losses = [s.run([loss, train], {x: X, y: Y})[0] for _ in range(10)]
        result = [losses, [v.name for v in S.global_variables()], [v.name for v in S.trainable_variables()], logits.shape]""", {"rtol": 1e-3}),
    ("cnn", """
    x = S.placeholder(tf.float32, [None, 784])
    y = S.placeholder(tf.float32, [None, 10])
    keep = S.placeholder(tf.float32)
    def weight(shape, seed):
        return tf.Variable(data(*shape, seed=seed) * 0.2)
    image = tf.reshape(x, [-1, 28, 28, 1])
    h = tf.nn.relu(S.nn.conv2d(image, weight([5, 5, 1, 8], 1), strides=[1, 1, 1, 1], padding='SAME') + tf.Variable(tf.constant(0.1, shape=[8])))
    h = S.nn.max_pool(h, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')
    h = tf.nn.relu(S.nn.conv2d(h, weight([5, 5, 8, 16], 2), strides=[1, 1, 1, 1], padding='SAME') + tf.Variable(tf.constant(0.1, shape=[16])))
    h = S.nn.max_pool(h, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')
    flat = tf.reshape(h, [-1, 7 * 7 * 16])
    fc = tf.nn.relu(tf.matmul(flat, weight([7 * 7 * 16, 64], 3)) + tf.Variable(tf.constant(0.1, shape=[64])))
    drop = S.nn.dropout(fc, keep_prob=keep)
    logits = tf.matmul(drop, weight([64, 10], 4)) + tf.Variable(tf.constant(0.1, shape=[10]))
    loss = tf.reduce_mean(S.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=logits))
    train = S.train.AdamOptimizer(1e-4).minimize(loss)
    X, Y = data(32, 784), np.eye(10, dtype='float32')[labels(32, 10)]
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        losses = []
        for _ in range(3):
            s.run(train, feed_dict={x: X, y: Y, keep: 1.0})
            losses.append(s.run(loss, feed_dict={x: X, y: Y, keep: 1.0}))
        result = [losses, flat.shape, logits.shape, len(S.global_variables())]""", {"rtol": 1e-3}),
    ("autoencoder", """
    x = S.placeholder(tf.float32, [None, 784])
    W = {n: tf.Variable(data(*shape, seed=i) * 0.1, name=n) for i, (n, shape) in enumerate([('e1', (784, 128)), ('e2', (128, 32)), ('d1', (32, 128)), ('d2', (128, 784))])}
    B = {n: tf.Variable(tf.zeros([size])) for n, size in [('e1', 128), ('e2', 32), ('d1', 128), ('d2', 784)]}
    h = x
    for n in ('e1', 'e2', 'd1', 'd2'):
        h = tf.nn.sigmoid(tf.add(tf.matmul(h, W[n]), B[n]))
    cost = tf.reduce_mean(tf.pow(x - h, 2))
    train = S.train.RMSPropOptimizer(0.01).minimize(cost)
    X = np.abs(data(64, 784)).clip(0, 1)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        result = [s.run([train, cost], {x: X})[1] for _ in range(5)]""", {"rtol": 1e-3}),
    ("word2vec_nce", """
    vocabulary, size = 1000, 64
    inputs = S.placeholder(tf.int32, shape=[128])
    targets = S.placeholder(tf.int32, shape=[128, 1])
    embeddings = tf.Variable(data(vocabulary, size))
    embed = S.nn.embedding_lookup(embeddings, inputs)
    weights, biases = tf.Variable(data(vocabulary, size, seed=5)), tf.Variable(tf.zeros([vocabulary]))
    sampled = tf.constant(np.arange(0, 640, 10), tf.int64)
    values = (sampled, tf.constant(np.full((128, 1), 0.3, 'float32')), tf.constant(np.full(64, 0.2, 'float32')))
    loss = tf.reduce_mean(S.nn.nce_loss(weights=weights, biases=biases, labels=targets, inputs=embed, num_sampled=64, num_classes=vocabulary, sampled_values=values))
    soft = tf.reduce_mean(S.nn.sampled_softmax_loss(weights=weights, biases=biases, labels=targets, inputs=embed, num_sampled=64, num_classes=vocabulary, sampled_values=values))
    train = S.train.GradientDescentOptimizer(1.0).minimize(loss)
    norm = tf.sqrt(S.reduce_sum(tf.square(embeddings), 1, keep_dims=True))
    similarity = tf.matmul(S.nn.embedding_lookup(embeddings / norm, tf.constant([1, 2, 3])), embeddings / norm, transpose_b=True)
    I, T = labels(128, vocabulary), labels(128, vocabulary, 7).reshape(-1, 1)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        losses = [s.run([train, loss, soft], {inputs: I, targets: T})[1:] for _ in range(5)]
        result = [losses, s.run(similarity)[:, :10]]""", {"rtol": 1e-4, "atol": 1e-5}),
    ("gan_two_optimizers", """
    z, real = S.placeholder(tf.float32, [None, 16]), S.placeholder(tf.float32, [None, 32])
    def dense(t, name, n, seed):
        with S.variable_scope(name, reuse=S.AUTO_REUSE):
            w = S.get_variable('w', initializer=data(int(t.shape[1]), n, seed=seed))
            return tf.matmul(t, w) + S.get_variable('b', [n], initializer=S.zeros_initializer())
    def generator(t):
        with S.variable_scope('generator'):
            return dense(tf.nn.relu(dense(t, 'a', 64, 1)), 'b', 32, 2)
    def discriminator(t):
        with S.variable_scope('discriminator', reuse=S.AUTO_REUSE):
            return dense(tf.nn.leaky_relu(dense(t, 'a', 64, 3)), 'b', 1, 4)
    fake = generator(z)
    d_real, d_fake = discriminator(real), discriminator(fake)
    ce = lambda l, v: tf.reduce_mean(S.nn.sigmoid_cross_entropy_with_logits(logits=l, labels=tf.ones_like(l) * v))
    d_loss, g_loss = ce(d_real, 1.0) + ce(d_fake, 0.0), ce(d_fake, 1.0)
    tv = S.trainable_variables()
    d_vars, g_vars = [v for v in tv if v.name.startswith('discriminator')], [v for v in tv if v.name.startswith('generator')]
    d_step = S.train.AdamOptimizer(1e-3, beta1=0.5).minimize(d_loss, var_list=d_vars)
    g_step = S.train.AdamOptimizer(1e-3, beta1=0.5).minimize(g_loss, var_list=g_vars)
    Z, R = data(64, 16), data(64, 32, seed=9)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        out = []
        for _ in range(5):
            _, d = s.run([d_step, d_loss], {z: Z, real: R})
            _, g = s.run([g_step, g_loss], {z: Z})
            out += [d, g]
        result = [out, [v.name for v in d_vars], [v.name for v in g_vars]]""", {"rtol": 1e-3}),
    ("dqn_target_network", """
    state, action, target = S.placeholder(tf.float32, [None, 4]), S.placeholder(tf.int32, [None]), S.placeholder(tf.float32, [None])
    def net(scope, seed):
        with S.variable_scope(scope):
            w1, w2 = S.get_variable('w1', initializer=data(4, 24, seed=seed)), S.get_variable('w2', initializer=data(24, 2, seed=seed + 1))
        return tf.matmul(tf.nn.relu(tf.matmul(state, w1)), w2)
    q, q_target = net('online', 1), net('target', 11)
    chosen = tf.reduce_sum(q * tf.one_hot(action, 2), axis=1)
    loss = tf.reduce_mean(tf.square(target - chosen))
    train = S.train.AdamOptimizer(0.01).minimize(loss, var_list=S.trainable_variables('online'))
    copy = [S.assign(t, o) for t, o in zip(S.global_variables('target'), S.global_variables('online')[:2])]
    soft = tf.group(*[t.assign(0.9 * t + 0.1 * o) for t, o in zip(S.trainable_variables('target'), S.trainable_variables('online'))])
    X, A, T = data(32, 4), labels(32, 2), data(32, seed=8)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        before = s.run(q_target, {state: X[:2]})
        for _ in range(3):
            s.run(train, {state: X, action: A, target: T})
        middle = s.run(q_target, {state: X[:2]})
        s.run(soft)
        mixed = s.run(q_target, {state: X[:2]})
        s.run(copy)
        result = [before, middle, mixed, s.run(q_target, {state: X[:2]}), s.run(q, {state: X[:2]})]""", {"rtol": 1e-4}),
    ("regularization_in_the_loss", """
    x, y = S.placeholder(tf.float32, [None, 20]), S.placeholder(tf.float32, [None, 1])
    w = S.get_variable('w', initializer=data(20, 1), regularizer=lambda t: 0.5 * tf.nn.l2_loss(t))
    b = S.get_variable('b', [1], initializer=S.zeros_initializer(), regularizer=lambda t: 0.1 * tf.reduce_sum(tf.abs(t)))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y)) + S.losses.get_regularization_loss()
    train = S.train.GradientDescentOptimizer(0.1).minimize(loss)
    X, Y = data(64, 20), data(64, 1, seed=4)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        result = [[s.run([loss, train], {x: X, y: Y})[0] for _ in range(10)], s.run(w), len(S.get_collection(S.GraphKeys.REGULARIZATION_LOSSES))]"""),
    ("l1_l2_terms_alone", """
    w = tf.Variable(data(10, 5))
    l1, l2 = tf.reduce_sum(tf.abs(w)), tf.nn.l2_loss(w)
    g1, g2 = tf.gradients(l1, w)[0], tf.gradients(l2, [w])[0]
    train = S.train.GradientDescentOptimizer(0.5).minimize(l1 * 0.01 + l2)
    with S.Session() as s:
        s.run(w.initializer)
        first = s.run([l1, l2, g1, g2])
        s.run(train)
        result = [first, s.run([l1, l2, g1, g2]), s.run(w)]"""),
    ("learning_rate_decay", """
    step = tf.Variable(0, trainable=False, name='global_step')
    rates = [S.train.exponential_decay(0.1, step, 10, 0.5), S.train.exponential_decay(0.1, step, 3, 0.5, staircase=True), S.train.polynomial_decay(0.1, step, 10, 0.01, power=2.0),
             S.train.piecewise_constant(step, [2, 4], [1.0, 0.5, 0.1]), S.train.inverse_time_decay(0.1, step, 2, 0.5), S.train.natural_exp_decay(0.1, step, 2, 0.5), S.train.cosine_decay(0.1, step, 10)]
    w = tf.Variable(5.0)
    train = S.train.GradientDescentOptimizer(rates[0]).minimize(w * w, global_step=step)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        out = []
        for _ in range(6):
            out.append(s.run(rates))
            s.run(train)
        result = [out, s.run(step), s.run(w)]"""),
    ("learning_rate_placeholder", """
    lr = S.placeholder(tf.float32, [])
    w = tf.Variable([1.0, 2.0])
    train = S.train.MomentumOptimizer(lr, 0.9).minimize(tf.reduce_sum(w ** 2))
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        result = []
        for rate in (0.1, 0.01, 0.2):
            s.run(train, {lr: rate})
            result.append(s.run(w))"""),
    ("optimizers", """
    makers = [lambda: S.train.GradientDescentOptimizer(0.1), lambda: S.train.MomentumOptimizer(0.1, 0.9), lambda: S.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
              lambda: S.train.AdamOptimizer(0.1), lambda: S.train.AdagradOptimizer(0.1), lambda: S.train.RMSPropOptimizer(0.1), lambda: S.train.RMSPropOptimizer(0.1, momentum=0.5, centered=True),
              lambda: S.train.AdadeltaOptimizer(0.5), lambda: S.train.FtrlOptimizer(0.1), lambda: S.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.02),
              lambda: S.train.ProximalGradientDescentOptimizer(0.1, 0.01, 0.02), lambda: S.train.ProximalAdagradOptimizer(0.1, 0.1, 0.01, 0.02)]
    X = data(32, 6)
    result = []
    for make in makers:
        with tf.Graph().as_default():
            w = tf.Variable(data(6, 2, seed=3), name='w')
            o = make()
            train = o.minimize(tf.reduce_mean(tf.square(tf.matmul(tf.constant(X), w) - 1.0)))
            with S.Session() as s:
                s.run(S.global_variables_initializer())
                for _ in range(4):
                    s.run(train)
                result.append([s.run(w), sorted(v.name for v in S.global_variables()), o.get_slot_names()])""", {"rtol": 1e-4}),
    ("optimizers_of_tables", """
    makers = [lambda: S.train.GradientDescentOptimizer(0.1), lambda: S.train.MomentumOptimizer(0.1, 0.9), lambda: S.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True), lambda: S.train.AdamOptimizer(0.1),
              lambda: S.train.AdagradOptimizer(0.1), lambda: S.train.RMSPropOptimizer(0.1, momentum=0.5), lambda: S.train.RMSPropOptimizer(0.1, centered=True), lambda: S.train.AdadeltaOptimizer(0.5), lambda: S.train.FtrlOptimizer(0.1),
              lambda: S.train.ProximalGradientDescentOptimizer(0.1, 0.01, 0.02), lambda: S.train.ProximalAdagradOptimizer(0.1, 0.1, 0.01, 0.02)]
    result = []
    for make in makers:
        with tf.Graph().as_default():
            table, ids = tf.Variable(data(8, 3)), S.placeholder(tf.int32, [None])
            whole = tf.Variable(data(8, 3, seed=5))
            loss = tf.reduce_sum(S.nn.embedding_lookup(table, ids) ** 2) + tf.reduce_sum(tf.gather(whole, ids)) + tf.nn.l2_loss(whole)
            train = make().minimize(loss)
            with S.Session() as s:
                s.run(S.global_variables_initializer())
                for rows in ([1, 2, 2], [2, 5], [0, 1], [2]):
                    s.run(train, {ids: rows})
                result.append(s.run([table, whole]))""", {"rtol": 1e-4}),
    ("clipped_gradients", """
    w = tf.Variable(data(8, 3)); b = tf.Variable(tf.ones([3])); unused = tf.Variable(1.0)
    loss = tf.reduce_sum(tf.matmul(tf.constant(data(4, 8, seed=2) * 10), w) ** 2) + tf.reduce_sum(b ** 3)
    o = S.train.GradientDescentOptimizer(0.1)
    pairs = o.compute_gradients(loss)
    grads, norm = tf.clip_by_global_norm([g for g, _ in pairs if g is not None], 1.0)
    train = o.apply_gradients(zip(grads, [v for g, v in pairs if g is not None]))
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        n, _ = s.run([norm, train])
        result = [[g is None for g, _ in pairs], n, s.run([w, b])]"""),
    ("gradients_with_seeds_and_stops", """
    a = tf.constant(2.0); b = a * 3.0; c = a * b
    x = S.placeholder(tf.float32, [3])
    y = [x * 2.0, x ** 2]
    g = tf.gradients(y, x, grad_ys=[tf.constant([1.0, 2.0, 3.0]), tf.ones([3])])
    with S.Session() as s:
        result = [s.run(tf.gradients(c, [a, b])), s.run(tf.gradients(c, [a, b], stop_gradients=[a, b])), s.run(tf.gradients(c, a, stop_gradients=[b])), s.run(g, {x: [1.0, 2.0, 3.0]}),
                  tf.gradients(c, tf.constant(1.0)), tf.gradients(tf.stop_gradient(x), x), tf.gradients(tf.floor(x), x)]"""),
    ("tapes_of_graphs", """
    v, w = tf.Variable(data(10, 3)), tf.Variable(2.0)
    with tf.GradientTape(watch_accessed_variables=False) as some:
        some.watch(w)
        y = tf.reduce_sum(v ** 2) * w
    with tf.GradientTape(persistent=True) as all_:
        z = tf.reduce_sum(v ** 2) * w
    g, h, k = some.gradient(y, [v, w]), all_.gradient(z, [v, w]), all_.gradient(z, w)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        result = [g[0], s.run([g[1], h, k])]"""),
    ("tape_of_a_graph_twice", """
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
    tape.gradient(y, v)
    tape.gradient(y, v)""", {"raises": "RuntimeError"}),
    ("second_gradients", """
    x = S.placeholder(tf.float32, [4])
    w = tf.Variable([1.0, 2.0, 3.0, 4.0])
    y = tf.reduce_sum(w ** 3 * x ** 2)
    gx = tf.gradients(y, x)[0]
    penalty = tf.reduce_sum(gx ** 2)
    train = S.train.GradientDescentOptimizer(1e-4).minimize(y + penalty)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        d = {x: [1.0, 0.5, 0.25, 2.0]}
        out = s.run([gx, tf.gradients(gx, x)[0], tf.gradients(penalty, w)[0], tf.gradients(tf.gradients(y, w)[0], w)[0], S.hessians(y, w)[0]], d)
        s.run(train, d)
        result = [out, s.run(w)]"""),
    ("assign_runs_each_time", """
    v = tf.Variable(1.0); n = tf.Variable(0, trainable=False)
    double, more, less = v.assign(v * 2.0), S.assign_add(n, 3), S.assign_sub(n, 1)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        result = [s.run(double), s.run(double), s.run(more), s.run(more), s.run(less), s.run([v, n]), v.eval(), (v + 1.0).eval()]"""),
    ("initializers_reset", """
    v = tf.Variable([1.0, 2.0]); u = S.Variable(v.initial_value * 2.0)
    init = S.global_variables_initializer()
    with S.Session() as s:
        s.run(init)
        s.run([v.assign([9.0, 9.0]), u.assign_add([1.0, 1.0])])
        changed = s.run([v, u])
        s.run(v.initializer)
        one = s.run([v, u])
        s.run(init)
        result = [changed, one, s.run([v, u])]"""),
    ("sessions_have_their_own_values", """
    v = tf.Variable(1.0)
    add = v.assign_add(1.0)
    init = S.global_variables_initializer()
    a, b = S.Session(), S.Session()
    a.run(init); a.run(add); a.run(add); b.run(init)
    first = [a.run(v), b.run(v)]
    v.load(10.0, b)
    a.run(add)
    result = [first, a.run(v), b.run(v)]"""),
    ("uninitialized", """
    v = tf.Variable(1.0)
    S.Session().run(v + 1.0)""", {"raises": "FailedPreconditionError"}),
    ("uninitialized_add", """
    v = tf.Variable(1.0)
    S.Session().run(v.assign_add(1.0))""", {"raises": "FailedPreconditionError"}),
    ("uninitialized_is_reported", """
    v, w = tf.Variable(1.0, name='v'), tf.Variable(2.0, name='w')
    report = S.report_uninitialized_variables()
    known = S.is_variable_initialized(w)
    with S.Session() as s:
        before = s.run(report).tolist()
        s.run(S.variables_initializer([w]))
        result = [before, s.run(report).tolist(), s.run(known), s.run(w)]"""),
    ("not_fed", """
    x = S.placeholder(tf.float32, [None])
    S.Session().run(x + 1.0)""", {"raises": "InvalidArgumentError"}),
    ("fed_another_shape", """
    x = S.placeholder(tf.float32, [None, 2])
    S.Session().run(x + 1.0, {x: np.zeros((3, 4))})""", {"raises": "ValueError"}),
    ("fed_a_tensor", """
    x = S.placeholder(tf.float32, [2])
    S.Session().run(x + 1.0, {x: tf.zeros([2])})""", {"raises": "TypeError"}),
    ("fetch_none", """
    tf.constant(1.0)
    S.Session().run(None)""", {"raises": "TypeError"}),
    ("closed", """
    c = tf.constant(1.0)
    s = S.Session()
    s.close()
    s.run(c)""", {"raises": "RuntimeError"}),
    ("placeholders_of_any_shape", """
    a, b, c, d = S.placeholder(tf.float32), S.placeholder(tf.float32, []), S.placeholder(tf.int32, [None, None]), S.placeholder_with_default(tf.constant([1.0, 2.0]), [None])
    with S.Session() as s:
        result = [s.run(a * 2.0, {a: 3}), s.run(a * 2.0, {a: [[1, 2], [3, 4]]}), s.run(a + b, {a: [1.0, 2.0], b: 1}), s.run(tf.reduce_sum(c, axis=1), {c: [[1, 2, 3], [4, 5, 6]]}),
                  s.run(d + 1.0), s.run(d + 1.0, {d: [5.0]}), str(a.shape), b.shape, c.shape, d.shape, s.run(tf.shape(a), {a: np.zeros((2, 5))}), s.run(tf.transpose(a), {a: np.arange(6).reshape(2, 3)})]"""),
    ("any_tensor_can_be_fed", """
    x = S.placeholder(tf.float32, [2])
    h = x * 2.0
    y = h + 1.0
    with S.Session() as s:
        result = [s.run(y, {h: [10.0, 20.0]}), s.run(h, {'Placeholder:0': [1.0, 2.0]})]"""),
    ("structures", """
    import collections
    P = collections.namedtuple('P', 'a b')
    x = S.placeholder(tf.float32, [2])
    with S.Session() as s:
        r = s.run({'a': x, 'b': [x + 1.0, (x * 2.0,)], 'c': P(x - 1.0, tf.constant(3)), 'd': tf.no_op()}, {x: [1.0, 2.0]})
        result = [r['a'], r['b'], r['c'].a, r['c'].b, r['d'], type(r['b'][1]).__name__, s.run([]), s.run(['mul:0', 'sub:0'], {x: [1.0, 2.0]})]"""),
    ("one_state_for_all_fetches", """
    v = tf.Variable(1.0)
    with tf.control_dependencies([v.assign_add(1.0)]):
        after = tf.identity(v)
        twice = after * 2.0
    loss = v * 3.0
    step = S.train.GradientDescentOptimizer(0.1).minimize(v * v)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        result = [s.run([after, twice]), s.run([after, twice]), s.run(loss)]
        l, _ = s.run([tf.gradients(v * v, v)[0], step])
        result += [l, s.run(v)]"""),
    ("control_dependencies_in_a_row", """
    v = tf.Variable(1.0)
    a = v.assign(10.0)
    with tf.control_dependencies([a]):
        b = v.assign_add(5.0)
        with tf.control_dependencies([b]):
            c = v.read_value() * 2.0
            d = v.assign(v * 0.5)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        result = [s.run([b, c]), s.run(d), s.run(v)]"""),
    ("two_steps_in_a_run", """
    v = tf.Variable(1.0); o = S.train.GradientDescentOptimizer(0.1); first = o.minimize(v * v)
    with tf.control_dependencies([first]):
        second = o.minimize(v * v + 0.0)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        s.run(second)
        result = s.run(v)"""),
    ("sparse_fetch", """
    sp = tf.SparseTensor([[0, 1], [1, 2]], [3.0, 4.0], [2, 3])
    with S.Session() as s:
        r = s.run(sp)
        result = [r.indices, r.values, r.dense_shape, s.run(tf.sparse.to_dense(sp)), type(r).__name__]"""),
    ("group_and_tuple", """
    v, w = tf.Variable(0.0), tf.Variable(0.0)
    both = tf.group(v.assign_add(1.0), w.assign_sub(1.0))
    t = tf.tuple([v + 1.0, w + 1.0], control_inputs=[])
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        s.run(both); both.run()
        result = [s.run([v, w]), s.run(t), s.run(both)]"""),
    ("random_draws_anew", """
    u = S.random_uniform([1000]); n = S.random_normal([1000], 5.0, 2.0); t = S.truncated_normal([1000]); e = u - u
    w = tf.Variable(S.random_normal([100, 100], stddev=0.1))
    with S.Session() as s:
        a, b = s.run([u, u]); c = s.run(u); d = s.run(n)
        s.run(w.initializer); w1 = s.run(w); s.run(w.initializer); w2 = s.run(w)
        result = [bool((a == b).all()), bool((a == c).any()), s.run(e), bool(abs(d.mean() - 5) < 0.5), bool(abs(d.std() - 2) < 0.3), bool(abs(s.run(t)).max() <= 2), bool((w1 == w2).any()), bool(abs(w1.std() - 0.1) < 0.01)]"""),
    ("seeds", """
    S.set_random_seed(42)
    a, b, c, d = S.random_uniform([4]), S.random_uniform([4]), S.random_uniform([4], seed=7), S.random_uniform([4], seed=7)
    def take(s): return [s.run(x).tolist() for x in (a, b, c, d)] + [s.run([a, c])[0].tolist()]
    p, q = take(S.Session()), take(S.Session())
    result = [p == q, p[0] != p[1], p[2] == p[3], p[0] != p[4]]"""),
    ("dropout", """
    x = tf.ones([2000]); keep = S.placeholder(tf.float32, []); rate = S.placeholder(tf.float32, [])
    y, z = S.nn.dropout(x, keep_prob=keep), tf.nn.dropout(x, rate=rate)
    with S.Session() as s:
        a, b, c = s.run(y, {keep: 0.5}), s.run(y, {keep: 1.0}), s.run(z, {rate: 0.25})
        result = [sorted(set(a.tolist())), bool(0.4 < (a > 0).mean() < 0.6), b, bool(0.7 < (c > 0).mean() < 0.8), bool((s.run(y, {keep: 0.5}) != a).any())]"""),
    ("names", """
    a = tf.constant(1.0); b = tf.constant([2.0], name='b'); x = S.placeholder(tf.float32, [1]); y = S.placeholder(tf.float32, [1], name='inputs')
    v = tf.Variable(1.0); w = tf.Variable(2.0, name='w'); w2 = tf.Variable(2.0, name='w')
    c = a + b; d = a * b; e = tf.add(a, b, name='total'); f = a + b
    with S.name_scope('scope'):
        g = tf.constant(3.0); h = a - b; u = tf.Variable(1.0, name='u')
        with S.name_scope('inner'):
            i = tf.identity(a, name='same')
    with S.name_scope('scope'):
        j = tf.constant(3.0)
    with S.variable_scope('vs'):
        k = S.get_variable('k', [1]); l = tf.constant(1.0); m = tf.Variable(1.0, name='m')
    result = [t.name for t in (a, b, x, y, v, w, w2, c, d, e, f, g, h, u, i, j, k, l, m)] + [c.op.name, e.op.name, S.get_default_graph().get_tensor_by_name('total:0') is e,
              S.get_default_graph().get_operation_by_name('scope/inner/same').name, tf.reduce_mean(b).name, tf.matmul([[1.0]], [[1.0]]).name, tf.nn.relu(b).name, tf.square(b).name]"""),
    ("missing_names", """
    g = S.get_default_graph()
    tf.constant(1.0, name='a')
    def kind(f):
        try: f()
        except Exception as e: return type(e).__name__
    result = [kind(lambda: g.get_tensor_by_name('b:0')), kind(lambda: g.get_operation_by_name('b')), kind(lambda: g.get_tensor_by_name('a')), kind(lambda: g.get_tensor_by_name('a:1')), kind(lambda: S.Session().run('b:0'))]"""),
    ("finalized", """
    a = tf.constant(1.0)
    S.get_default_graph().finalize()
    a + 1.0""", {"raises": "RuntimeError"}),
    ("another_graph", """
    a = tf.constant(1.0)
    with tf.Graph().as_default():
        b = tf.constant(2.0)
        S.Session().run(a)""", {"raises": "ValueError"}),
    ("graphs_apart", """
    g1, g2 = tf.Graph(), tf.Graph()
    with g1.as_default():
        a = tf.Variable(1.0, name='v'); i1 = S.global_variables_initializer()
    with g2.as_default():
        b = tf.Variable(2.0, name='v'); i2 = S.global_variables_initializer()
    with S.Session(graph=g1) as s:
        s.run(i1); first = [s.run(a), tf.constant(1.0).graph is g1]
    with S.Session(graph=g2) as s:
        s.run(i2); second = s.run(b)
    result = [first, second, len(S.global_variables()), a.name, b.name]"""),
    ("collections", """
    v = tf.Variable(1.0, name='v'); w = tf.Variable(2.0, trainable=False, name='w'); l = S.Variable(3.0, collections=[S.GraphKeys.LOCAL_VARIABLES], trainable=False, name='l')
    S.add_to_collection('mine', v); S.add_to_collection('mine', 5)
    result = [[x.name for x in f()] for f in (S.global_variables, S.trainable_variables, S.local_variables)] + [len(S.get_collection('mine')), S.get_collection('none'), [x.name for x in S.get_collection(S.GraphKeys.GLOBAL_VARIABLES, 'w')]]"""),
    ("variable_scopes", """
    def layer(reuse=None):
        with S.variable_scope('layer', reuse=reuse, initializer=S.constant_initializer(0.5)):
            return S.get_variable('w', [2, 2])
    a, b = layer(), layer(True)
    with S.variable_scope('outer') as scope:
        c = S.get_variable('c', [1], initializer=S.ones_initializer())
        with S.variable_scope('inner'):
            d = S.get_variable('d', [2], initializer=S.constant_initializer([1.0, 2.0]))
    with S.variable_scope(scope, reuse=True):
        e = S.get_variable('c', [1])
    with S.variable_scope('auto', reuse=S.AUTO_REUSE):
        f = S.get_variable('f', shape=(), dtype=tf.int32); g = S.get_variable('f', shape=(), dtype=tf.int32)
    with S.variable_scope(None, default_name='unique'):
        h = S.get_variable('x', [1])
    with S.variable_scope(None, default_name='unique'):
        i = S.get_variable('x', [1])
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        result = [a is b, c is e, f is g, [v.name for v in (a, c, d, f, h, i)], s.run([a, d, f]), scope.name, [v.name for v in S.trainable_variables('outer')]]"""),
    ("get_variable_twice", """
    S.get_variable('a', [1])
    S.get_variable('a', [1])"""),
    ("reuse_of_none", """
    with S.variable_scope('a', reuse=True):
        S.get_variable('b', [1])"""),
    ("cond", """
    p = S.placeholder(tf.bool, []); x = S.placeholder(tf.float32, [2]); v = tf.Variable(1.0)
    y = tf.cond(p, lambda: x * v, lambda: x - 1.0)
    z = tf.cond(tf.reduce_sum(x) > 0, lambda: (x, tf.constant(1)), lambda: (-x, tf.constant(0)))
    u = tf.cond(p, lambda: v.assign(5.0), lambda: v.assign(7.0))
    g = tf.gradients(y, [x, v])
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        d = {x: [1.0, 2.0]}
        result = [s.run(y, {**d, p: True}), s.run(y, {**d, p: False}), s.run(z, d), s.run(z, {x: [-1.0, -2.0]}), s.run(g, {**d, p: True}), s.run(u, {p: True}), s.run(v), s.run(u, {p: False}), s.run(v)]"""),
    ("case", """
    x = S.placeholder(tf.float32, [])
    y = S.case([(x < 1.0, lambda: tf.constant(10.0)), (x < 2.0, lambda: x * 2.0)], default=lambda: tf.constant(-1.0))
    k = S.placeholder(tf.int32, [])
    z = tf.switch_case(k, [lambda: tf.constant(1), lambda: tf.constant(2), lambda: tf.constant(3)])
    with S.Session() as s:
        result = [[s.run(y, {x: v}) for v in (0.0, 1.5, 3.0)], [s.run(z, {k: v}) for v in (0, 1, 2, 9)]]"""),
    ("while_loop", """
    n = S.placeholder(tf.int32, []); w = tf.Variable([[1.0, 2.0], [0.5, 1.0]])
    i, a = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, tf.matmul(a, w)), [tf.constant(0), tf.eye(2)])
    f = tf.while_loop(lambda i, a, b: i < 10, lambda i, a, b: [i + 1, b, a + b], [0, 0, 1])
    g = tf.gradients(tf.reduce_sum(tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.matmul(a, w)), [tf.constant(0), tf.eye(2)])[1]), w)[0]
    m = tf.while_loop(lambda x: x < 100.0, lambda x: x * 2.0, [tf.constant(1.0)], maximum_iterations=3)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        result = [s.run([i, a], {n: 3}), s.run(i, {n: 0}), s.run(f), s.run(g), s.run(m)]"""),
    ("while_loop_that_grows", """
    i, a = tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, tf.concat([a, [i]], 0)), [tf.constant(0), tf.constant([100])], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])
    with S.Session() as s:
        result = [s.run(a), a.shape]"""),
    ("map_scan_fold", """
    x = S.placeholder(tf.float32, [None, 3]); v = tf.Variable(2.0)
    m = tf.map_fn(lambda r: tf.reduce_sum(r) * v, x)
    c = tf.scan(lambda a, r: a + r, x); c2 = tf.scan(lambda a, r: a * 0.5 + tf.reduce_sum(r), x, initializer=tf.constant(1.0))
    f = tf.foldl(lambda a, r: a + tf.reduce_sum(r) * v, x, initializer=tf.constant(0.0))
    g = tf.gradients(tf.reduce_sum(m) + tf.reduce_sum(c) + f, [x, v])
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        result = s.run([m, c, c2, f] + g, {x: data(5, 3)}) + [m.shape, c.shape]"""),
    ("shapes_from_tensors", """
    x = S.placeholder(tf.float32, [None, 4, 5])
    n = tf.shape(x)[0]
    y = tf.reshape(x, [n, 20]); z = tf.reshape(x, tf.stack([-1, 5])); u = tf.zeros([n, 3]); w = tf.tile(tf.ones([1, 2]), [n, 1]); k = tf.random.uniform(tf.shape(x)); r = tf.range(n); e = tf.expand_dims(x, -1)
    q = tf.concat([y, u], 1); o = tf.fill(tf.stack([n, 2]), 7.0); sl = x[:, :2, 1:]; sp = tf.split(y, 4, axis=1); us = tf.unstack(x, axis=1); oh = tf.one_hot(r, 6)
    with S.Session() as s:
        result = [[str(t.shape) for t in (y, u, w, e, q, sl, sp[0], us[0])], [t.shape for t in s.run([y, z, u, w, k, e, q, o, sl, sp[1], us[2], oh], {x: data(6, 4, 5)})], s.run(r, {x: data(3, 4, 5)}), len(us), len(sp)]"""),
    ("shapes_that_do_not_fit", """
    tf.matmul(S.placeholder(tf.float32, [None, 3]), tf.ones([4, 2]))""", {"raises": "ValueError"}),
    ("a_tensor_is_no_bool", """
    x = S.placeholder(tf.float32, [])
    if x > 1.0:
        pass""", {"raises": "TypeError"}),
    ("sizes_by_values", """
    x = S.placeholder(tf.float32, [None]); w = tf.Variable(2.0)
    kept = tf.boolean_mask(x, x > 0); where = tf.where(x > 0); u, idx = tf.unique(x)
    loss = tf.reduce_sum(kept * w)
    train = S.train.GradientDescentOptimizer(0.1).minimize(loss)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        d = {x: [1.0, -2.0, 3.0, 1.0]}
        out = s.run([kept, where, u, idx, loss], d)
        s.run(train, d)
        result = [out, s.run(w), s.run(kept, {x: [-1.0]})]"""),
    ("py_func", """
    x = S.placeholder(tf.float32, [None]); calls = []
    y = S.py_func(lambda a: (calls.append(1), (a * 2).astype('float32'))[1], [x], tf.float32)
    y.set_shape([None])
    z = tf.reduce_sum(y) + 1.0
    with S.Session() as s:
        before = len(calls)
        result = [before, s.run(z, {x: [1.0, 2.0]}), s.run(z, {x: [3.0]}), len(calls), y.shape]"""),
    ("tf_function_and_keras_ops_inside", """
    @tf.function
    def f(a):
        return a * 2.0 + 1.0
    x = S.placeholder(tf.float32, [None, 3])
    y = f(x)
    with S.Session() as s:
        result = s.run(y, {x: data(2, 3)})"""),
    ("saver", """
    import tempfile, os
    d = tempfile.mkdtemp()
    v, w = tf.Variable([1.0, 2.0], name='v'), S.get_variable('w', [2, 2], initializer=S.ones_initializer())
    n = tf.Variable(0, name='n', trainable=False)
    train = S.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(v ** 2) + tf.reduce_sum(w), global_step=n)
    saver = S.train.Saver()
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        for _ in range(3): s.run(train)
        path = saver.save(s, os.path.join(d, 'model'), global_step=n)
        kept = s.run([v, w, n])
        for _ in range(2): s.run(train)
        next_ = s.run(v)
    with S.Session() as s:
        saver.restore(s, S.train.latest_checkpoint(d))
        restored = s.run([v, w, n])
        for _ in range(2): s.run(train)
        result = [os.path.basename(path), kept, restored, next_, s.run(v)]"""),
    ("saver_of_some", """
    import tempfile, os
    d = tempfile.mkdtemp()
    v, w = tf.Variable(1.0, name='v'), tf.Variable(2.0, name='w')
    saver = S.train.Saver({'other': v}, max_to_keep=1)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        saver.save(s, os.path.join(d, 'a'), write_meta_graph=False); s.run(v.assign(5.0)); saver.restore(s, os.path.join(d, 'a'))
        result = [s.run(v), len(saver.last_checkpoints)]
        s2 = S.Session(); saver.restore(s2, os.path.join(d, 'a')); result.append(s2.run(v))
        s2.run(w)""", {"raises": "FailedPreconditionError"}),
    ("batch_norm_update_ops", """
    x = S.placeholder(tf.float32, [None, 4]); training = S.placeholder(tf.bool, [])
    moving = S.get_variable('moving', [4], initializer=S.zeros_initializer(), trainable=False)
    gamma = S.get_variable('gamma', [4], initializer=S.ones_initializer())
    mean, var = S.nn.moments(x, [0])
    S.add_to_collection(S.GraphKeys.UPDATE_OPS, S.assign(moving, moving * 0.9 + mean * 0.1))
    used = tf.cond(training, lambda: mean, lambda: moving)
    y = tf.nn.batch_normalization(x, used, var, None, gamma, 1e-3)
    loss = tf.reduce_mean(y ** 4)
    with tf.control_dependencies(S.get_collection(S.GraphKeys.UPDATE_OPS)):
        train = S.train.GradientDescentOptimizer(0.1).minimize(loss)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        for _ in range(3): s.run(train, {x: data(64, 4) + 2.0, training: True})
        result = [s.run([moving, gamma]), s.run(y, {x: data(64, 4)[:3], training: False})]""", {"rtol": 1e-4}),
    ("losses", """
    y, p = S.placeholder(tf.float32, [None, 3]), S.placeholder(tf.float32, [None, 3])
    w = tf.constant([[1.0], [0.0], [2.0], [1.0]])
    L = S.losses
    made = [L.mean_squared_error(y, p), L.mean_squared_error(y, p, w), L.absolute_difference(y, p), L.huber_loss(y, p), L.log_loss(y, tf.sigmoid(p)), L.hinge_loss(y, p), L.cosine_distance(y, p, axis=1),
            L.softmax_cross_entropy(y, p), L.sigmoid_cross_entropy(y, p, label_smoothing=0.1), L.sparse_softmax_cross_entropy(tf.argmax(y, 1), p), L.mean_squared_error(y, p, reduction=L.Reduction.SUM),
            L.mean_squared_error(y, p, reduction=L.Reduction.NONE), L.mean_pairwise_squared_error(y, p)]
    total = tf.add_n([made[0], made[2]])
    Y = np.eye(3, dtype='float32')[labels(4, 3)]
    with S.Session() as s:
        result = [s.run(made, {y: Y, p: data(4, 3)}), len(L.get_losses()), s.run(total, {y: Y, p: data(4, 3)})]""", {"rtol": 1e-4}),
    ("metrics", """
    y, p = S.placeholder(tf.int64, [None]), S.placeholder(tf.int64, [None]); q = S.placeholder(tf.float32, [None])
    M = S.metrics
    pairs = [M.accuracy(y, p), M.mean(q), M.precision(y, p), M.recall(y, p), M.mean_squared_error(tf.cast(y, tf.float32), q), M.root_mean_squared_error(tf.cast(y, tf.float32), q), M.mean_absolute_error(tf.cast(y, tf.float32), q), M.auc(y, q), M.true_positives(y, p)]
    with S.Session() as s:
        s.run(S.local_variables_initializer())
        for i in range(3):
            updates = s.run([u for _, u in pairs], {y: labels(50, 2, i), p: labels(50, 2, i + 10), q: np.random.default_rng(i).random(50).astype('float32')})
        result = [updates, s.run([v for v, _ in pairs])]
        s.run(S.local_variables_initializer())
        result.append(s.run(pairs[0][0]))""", {"rtol": 1e-4}),
    ("areas_under_curves", """
    y, p, w = S.placeholder(tf.bool, [None]), S.placeholder(tf.float32, [None]), S.placeholder(tf.float32, [None])
    pairs = [S.metrics.auc(y, p, curve=c, summation_method=m, num_thresholds=n, weights=v) for c in ('ROC', 'PR')
             for m in ('trapezoidal', 'careful_interpolation', 'minoring', 'majoring') for n, v in ((200, None), (11, w))]
    pairs.append(S.metrics.auc(y, p, curve='PR', summation_method='careful_interpolation', thresholds=[0.7, 0.2, 0.5]))
    with S.Session() as s:
        s.run(S.local_variables_initializer())
        empty = s.run([v for v, _ in pairs])
        for i in range(3):
            r = np.random.default_rng(i); truth = r.random(500) < 0.3
            updates = s.run([u for _, u in pairs], {y: truth, p: (r.random(500) * 0.7 + truth * 0.3).astype('float32'), w: r.random(500).astype('float32')})
        result = [empty, updates, s.run([v for v, _ in pairs])]""", {"rtol": 1e-4}),
    ("no_such_curve", """
    S.metrics.auc(tf.constant([True]), tf.constant([0.5]), curve='DET')""", {"raises": "ValueError"}),
    ("no_such_summation", """
    S.metrics.auc(tf.constant([True]), tf.constant([0.5]), summation_method='simpson')""", {"raises": "ValueError"}),
    ("loop_without_gradients", """
    x = S.placeholder(tf.float32, [3])
    def powers(**how):
        return S.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * x), [tf.constant(0), x], **how)[1]
    a, b = powers(), powers(back_prop=False)
    made = [S.map_fn(lambda v: v * v, x, back_prop=False), S.scan(lambda a, v: a * v, x, back_prop=False), S.foldl(lambda a, v: a * v, x, back_prop=False),
            S.foldr(lambda a, v: a * v, x, back_prop=False), tf.map_fn(lambda v: v * v, x, back_prop=False), tf.while_loop(lambda v: v[0] < 9.0, lambda v: (v * 2.0,), [x], back_prop=False)[0]]
    g, none = tf.gradients(a + b, x), [tf.gradients(m, x) for m in (b, *made)]
    with S.Session() as s:
        result = [s.run([g, a, b, *made], {x: [1.0, 2.0, 3.0]}), none]"""),
    ("templates", """
    def dense(x, units, seed):
        w = S.get_variable('w', initializer=data(int(x.shape[1]), units, seed=seed))
        return tf.matmul(x, w) + S.get_variable('b', [units], initializer=S.ones_initializer())
    seen = []
    def quiet(getter, name, *args, **kwargs):
        seen.append(name)
        return getter(name, *args, **{**kwargs, 'trainable': False})
    x = S.placeholder(tf.float32, [None, 20])
    late, now = S.make_template('layer', dense, units=8), S.make_template('layer', dense, create_scope_now_=True, units=8, seed=3)
    named = S.make_template('any', dense, unique_name_='own', custom_getter_=quiet)
    a, b, c = late(x, seed=1), now(x), named(x, units=4, seed=2)
    d, e, f = late(x, seed=9), now(x), named(x, units=4, seed=9)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        result = [s.run([a, b, c, d, e, f], {x: data(5, 20)}), [v.name for v in S.global_variables()], [v.name for v in S.trainable_variables()], seen,
                  now.variable_scope.name, [v.name for v in late.trainable_variables]]"""),
    ("getters_in_getters", """
    def outer(getter, name, *args, **kwargs):
        return getter(name, *args, **kwargs) * 2.0
    def inner(getter, name, *args, **kwargs):
        return getter(name, *args, **kwargs) + 1.0
    with S.variable_scope('a', custom_getter=outer):
        one = S.get_variable('v', [], initializer=S.constant_initializer(3.0))
        with S.variable_scope('b', custom_getter=inner):
            two = S.get_variable('v', [], initializer=S.constant_initializer(3.0))
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        result = s.run([one, two])"""),
    ("branches_keep_lists", """
    p = S.placeholder(tf.bool, [])
    a, b = tf.cond(p, lambda: [tf.constant(1.0)], lambda: [tf.constant(2.0)]), S.case([(p, lambda: (tf.constant(1.0),))], default=lambda: (tf.constant(2.0),))
    with S.Session() as s:
        result = [type(a).__name__, type(b).__name__, s.run([a, b], {p: True})]"""),
    ("exclusive_case", """
    x = S.placeholder(tf.float32, [])
    y = S.case([(x > 0.0, lambda: x * 2.0), (x < -1.0, lambda: -x)], default=lambda: tf.constant(7.0), exclusive=True)
    with S.Session() as s:
        result = [s.run(y, {x: v}) for v in (3.0, -2.0, -0.5)]"""),
    ("exclusive_case_with_two", """
    x = S.placeholder(tf.float32, [])
    y = S.case([(x > 0.0, lambda: x * 2.0), (x > 1.0, lambda: -x)], default=lambda: tf.constant(7.0), exclusive=True)
    with S.Session() as s:
        good = s.run(y, {x: 0.5})
        s.run(y, {x: 3.0})""", {"raises": "InvalidArgumentError"}),
    ("slots_of_ftrl_by_name", """
    w = tf.Variable(data(20, 3), name='w')
    S.train.FtrlOptimizer(0.1, accum_name='sums', linear_name='lines').minimize(tf.nn.l2_loss(w))
    result = sorted(v.name for v in S.global_variables())"""),
    ("constants_of_the_shape", """
    a = S.get_variable('a', [2, 3], initializer=S.constant_initializer(data(2, 3), verify_shape=True))
    b = S.get_variable('b', [3, 2], initializer=S.constant_initializer(data(2, 3), verify_shape=True))
    with S.Session() as s:
        result = s.run(S.global_variables_initializer())""", {"raises": "TypeError"}),
    ("tables_in_parts", """
    labels_, inputs = tf.constant(labels(64, 100)[:, None]), tf.constant(data(64, 16))
    W, B = [tf.constant(data(n, 16, seed=n)) for n in (34, 33, 33)], [tf.constant(data(n, seed=n)) for n in (34, 33, 33)]
    sampled = (tf.constant(np.arange(3, 100, 7)), tf.constant(np.full((64, 1), 0.3, 'float32')), tf.constant(np.full(14, 0.2, 'float32')))
    made = [f(weights=W, biases=B, labels=labels_, inputs=inputs, num_sampled=14, num_classes=100, sampled_values=sampled, partition_strategy=how)
            for f in (S.nn.nce_loss, S.nn.sampled_softmax_loss) for how in ('mod', 'div')]
    made += [S.nn.embedding_lookup(W, [0, 5, 99, 40], partition_strategy=how) for how in ('mod', 'div')]
    with S.Session() as s:
        result = s.run(made)""", {"rtol": 1e-4}),
    ("parts_of_no_kind", """
    S.nn.embedding_lookup([tf.ones([3, 2]), tf.ones([3, 2])], [0], partition_strategy='rows')""", {"raises": "ValueError"}),
    ("sparse_to_dense_out_of_order", """
    loose = S.sparse_to_dense([[1, 0], [0, 2]], [3, 4], [1.0, 2.0], validate_indices=False)
    strict = S.sparse_to_dense([[1, 0], [0, 2]], [3, 4], [1.0, 2.0])
    with S.Session() as s:
        good = s.run(loose)
        s.run(strict)""", {"raises": "InvalidArgumentError"}),
    ("moving_average_without_bias", """
    x = S.placeholder(tf.float32, [2]); v = tf.Variable(5.0, name='v')
    ema = S.train.ExponentialMovingAverage(0.9, zero_debias=True)
    keep = ema.apply([x, v])
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        result = []
        for i in range(4):
            s.run(keep, {x: [i + 1.0, 3.0]}); result.append(s.run([ema.average(x), ema.average(v)]))"""),
    ("elements_by_kind", """
    x = S.placeholder(tf.float32, [], name='x')
    tf.compat.v1.get_default_graph().as_graph_element('x:0', allow_tensor=False)""", {"raises": "ValueError"}),
    ("datasets", """
    ds = tf.data.Dataset.from_tensor_slices((np.arange(10, dtype='float32').reshape(5, 2), np.arange(5)))
    a, b = S.data.make_one_shot_iterator(ds.batch(2)).get_next()
    it = S.data.make_initializable_iterator(ds.map(lambda x, y: (x * 2.0, y)).repeat(2).batch(4))
    c, d = it.get_next()
    w = tf.Variable(1.0)
    y = tf.reduce_sum(a) * w
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        out = []
        try:
            while True: out.append(s.run([y, b]))
        except tf.errors.OutOfRangeError:
            out.append('end')
        s.run(it.initializer); first = s.run([c, d]); s.run(it.initializer); again = s.run(d)
        result = [out, first, again, a.dtype, b.dtype, a.shape[1]]"""),
    ("iterator_not_initialized", """
    it = S.data.make_initializable_iterator(tf.data.Dataset.range(3))
    S.Session().run(it.get_next())""", {"raises": "FailedPreconditionError"}),
    ("reinitializable_iterator", """
    a, b = tf.data.Dataset.range(3).batch(3), tf.data.Dataset.range(10, 14).batch(2)
    it = S.data.Iterator.from_structure(tf.int64, tf.TensorShape([None]))
    x = it.get_next(); ia, ib = it.make_initializer(a), it.make_initializer(b)
    with S.Session() as s:
        s.run(ia); one = s.run(x); s.run(ib)
        result = [one, s.run(x), s.run(x), x.shape]"""),
    ("summaries", """
    import tempfile, os, glob
    x = S.placeholder(tf.float32, [])
    S.summary.scalar('loss', x); S.summary.histogram('values', tf.constant([1.0, 2.0, 3.0]) * x)
    merged = S.summary.merge_all()
    d = tempfile.mkdtemp()
    with S.Session() as s:
        with S.summary.FileWriter(d, s.graph) as w:
            for i in range(3): w.add_summary(s.run(merged, {x: i * 1.0}), i)
        made = s.run(S.get_collection(S.GraphKeys.SUMMARIES)[0], {x: 2.0})
        result = [len(glob.glob(os.path.join(d, 'events*'))), isinstance(s.run(merged, {x: 1.0}), bytes), made, s.run(S.get_collection(S.GraphKeys.SUMMARIES)[1], {x: 1.0})]"""),
    ("summaries_of_families", """
    x = S.placeholder(tf.float32, [])
    picture = tf.constant((np.abs(data(2, 8, 8, 1)) * 100).astype('uint8'))
    with tf.name_scope('train'):
        made = [S.summary.scalar('loss', x, family='losses'), S.summary.scalar('loss', x, family='losses'), S.summary.scalar('my loss', x), S.summary.histogram('h', [1.0, 2.0] * x, family='a b')]
        tags = S.summary.image('pictures', picture, family='all')
    with S.Session() as s:
        import re
        result = [s.run(made, {x: 2.0}), re.findall(rb'all/[a-z/]*[0-9]?', s.run(tags)), [m.op.name for m in made]]"""),
    ("summaries_of_tensors", """
    made = [S.summary.tensor_summary('t', tf.constant([1.0, 2.0]), summary_description='two numbers', display_name='Two', family='f'), S.summary.tensor_summary('u', tf.constant([3]))]
    with S.Session() as s:
        result = s.run(made)"""),
    ("moving_average", """
    v = tf.Variable(0.0, name='v'); u = tf.Variable([1.0, 1.0])
    ema = S.train.ExponentialMovingAverage(0.9)
    step = v.assign_add(1.0)
    with tf.control_dependencies([step]):
        keep = ema.apply([v, u])
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        result = []
        for _ in range(3):
            s.run(keep); result.append(s.run([v, ema.average(v)]))
        result.append(ema.average_name(v))"""),
    ("monitored_session", """
    import tempfile
    d = tempfile.mkdtemp(); seen = []
    class Watch(S.train.SessionRunHook):
        def begin(self): seen.append('begin')
        def before_run(self, context): return S.train.SessionRunArgs(w)
        def after_run(self, context, values): seen.append(values.results.tolist() if hasattr(values.results, 'tolist') else float(values.results))
        def end(self, session): seen.append('end')
    step = S.train.get_or_create_global_step(); w = tf.Variable(1.0)
    train = S.train.GradientDescentOptimizer(0.1).minimize(w * w, global_step=step)
    with S.train.MonitoredTrainingSession(checkpoint_dir=d, hooks=[S.train.StopAtStepHook(last_step=3), Watch()]) as s:
        while not s.should_stop(): s.run(train)
    with S.train.MonitoredTrainingSession(checkpoint_dir=d, hooks=[S.train.StopAtStepHook(num_steps=2)]) as s:
        while not s.should_stop(): last = s.run([train, step, w])
    result = [seen[0], seen[-1], len(seen), last[1]]"""),
    ("monitored_session_saves_steps", """
    import tempfile, os, glob
    d, seen = tempfile.mkdtemp(), []
    class Listener(S.train.CheckpointSaverListener):
        def before_save(self, session, step): seen.append(('before', int(step)))
        def after_save(self, session, step): seen.append(('after', int(step)))
        def end(self, session, step): seen.append(('end', int(step)))
    step = S.train.get_or_create_global_step(); w = tf.Variable(1.0)
    train = S.train.GradientDescentOptimizer(0.1).minimize(w * w, global_step=step)
    hook = S.train.CheckpointSaverHook(os.path.join(d, 'own'), save_steps=4, listeners=[Listener()])
    with S.train.MonitoredTrainingSession(checkpoint_dir=d, save_checkpoint_steps=3, hooks=[S.train.StopAtStepHook(last_step=10), hook]) as s:
        while not s.should_stop(): s.run(train)
    names = lambda folder: [os.path.basename(p) for p in S.train.get_checkpoint_state(folder).all_model_checkpoint_paths]
    result = [names(d), names(os.path.join(d, 'own')), seen]"""),
    ("monitored_session_saves_seconds", """
    import tempfile, os, time
    from unittest import mock
    d, e, now, later = tempfile.mkdtemp(), tempfile.mkdtemp(), time.time, [0]
    step = S.train.get_or_create_global_step(); add = S.assign_add(step, 1)
    names = lambda folder: [os.path.basename(p) for p in S.train.get_checkpoint_state(folder).all_model_checkpoint_paths]
    with mock.patch('time.time', lambda: now() + later[0]), S.train.MonitoredTrainingSession(checkpoint_dir=d, save_checkpoint_secs=600) as s:
        for i in range(3):
            s.run(add); later[0] = 700 if i >= 1 else 0
        s.run(add)
    with S.train.MonitoredTrainingSession(checkpoint_dir=e) as s:
        for i in range(3): s.run(add)
    result = [names(d), names(e)]"""),
    ("monitored_session_never_saves", """
    import tempfile, os
    d = tempfile.mkdtemp()
    step = S.train.get_or_create_global_step(); add = S.assign_add(step, 1)
    with S.train.MonitoredTrainingSession(checkpoint_dir=d, save_checkpoint_secs=None) as s:
        s.run(add)
    result = S.train.latest_checkpoint(d)"""),
    ("monitored_session_writes_summaries", """
    import tempfile, glob, os
    def written(folder):
        tags = []
        for path in glob.glob(os.path.join(folder, 'events*')):
            bytes_ = open(path, 'rb').read()
            at = 0
            while at < len(bytes_):
                n = int.from_bytes(bytes_[at:at + 8], 'little'); record = bytes_[at + 12:at + 12 + n]; at += n + 16
                tags.append((b'loss' in record and n < 100, b'global_step/sec' in record))
        return [sum(t[0] for t in tags), sum(t[1] for t in tags)]
    step = S.train.get_or_create_global_step(); add = S.assign_add(step, 1)
    S.summary.scalar('loss', tf.cast(step, tf.float32))
    result = []
    for how in ({}, {'save_summaries_steps': 7}, {'save_summaries_secs': 600}, {'save_summaries_steps': None, 'save_summaries_secs': None}, {'log_step_count_steps': 5}):
        d, e = tempfile.mkdtemp(), tempfile.mkdtemp()
        with S.train.MonitoredTrainingSession(checkpoint_dir=d, summary_dir=e, save_graph_def=False, **how) as s:
            for _ in range(21): s.run(add)
        result += [written(e), written(d)]"""),
    ("scaffold", """
    import tempfile
    d = tempfile.mkdtemp()
    step = S.train.get_or_create_global_step()
    x = S.placeholder(tf.float32, [2]); v = S.Variable(x, name='v'); w = tf.Variable(1.0, name='w')
    seven = w.assign(7.0)
    made = lambda: S.train.Scaffold(init_op=S.global_variables_initializer(), init_feed_dict={x: [3.0, 4.0]}, init_fn=lambda scaffold, session: session.run(seven))
    scaffolds = [made(), made()]
    add = [w.assign_add(1.0), S.assign_add(step, 1)]
    result = []
    for scaffold in scaffolds:
        with S.train.MonitoredTrainingSession(checkpoint_dir=d, scaffold=scaffold) as s:
            s.run(add); result.append(s.run([v, w, step]))"""),
    ("hooks_that_cannot_be", """
    result = []
    for make in (lambda: S.train.LoggingTensorHook(['x'], every_n_iter=1, every_n_secs=1), lambda: S.train.LoggingTensorHook(['x']), lambda: S.train.LoggingTensorHook(['x'], every_n_iter=0),
                 lambda: S.train.CheckpointSaverHook('d'), lambda: S.train.CheckpointSaverHook('d', save_secs=1, save_steps=1), lambda: S.train.StepCounterHook(1, 1),
                 lambda: S.train.SummarySaverHook(save_steps=1), lambda: S.train.StopAtStepHook(1, 1)):
        try:
            make(); result.append('made')
        except ValueError:
            result.append('ValueError')"""),
    ("logged_tensors", """
    import logging, time
    lines = []
    class Keep(logging.Handler):
        def emit(self, record): lines.append(record.getMessage())
    x = tf.Variable(0.0, name='x'); step = S.train.get_or_create_global_step(); add = x.assign_add(1.0)
    logger = logging.getLogger('brio' if tf.__name__ == 'brio' else 'tensorflow')
    keep, level = Keep(), logger.level
    logger.addHandler(keep); logger.setLevel(logging.INFO)
    L = S.train.LoggingTensorHook
    result = []
    for hook in (L({'x': x}, every_n_iter=3), L({'x': x}, at_end=True), L({'x': x}, every_n_iter=4, at_end=True, formatter=lambda v: 'value %g' % v['x']), L({'x': x}, every_n_secs=100.0)):
        del lines[:]
        with S.train.MonitoredTrainingSession(hooks=[hook]) as s:
            for _ in range(7): s.run(add)
        result.append([l.split(' (')[0] for l in lines if l.startswith(('x = ', 'value'))])
    logger.removeHandler(keep); logger.setLevel(level)"""),
    ("saver_reshapes", """
    import tempfile, os
    path = os.path.join(tempfile.mkdtemp(), 'm')
    v = tf.Variable(data(6, 4), name='v')
    with S.Session() as s:
        s.run(v.initializer); kept = S.train.Saver().save(s, path, write_meta_graph=False)
    with tf.Graph().as_default():
        w = tf.Variable(tf.zeros([3, 8]), name='v')
        with S.Session() as s:
            S.train.Saver(reshape=True).restore(s, kept)
            result = s.run(w)"""),
    ("saver_options", """
    import tempfile, os
    d = tempfile.mkdtemp()
    v = tf.Variable(1.0, name='v')
    late = S.train.Saver(defer_build=True)
    u = tf.Variable(2.0, name='u')
    try:
        late.save(S.Session(), os.path.join(d, 'x')); built = 'built'
    except RuntimeError:
        built = 'RuntimeError'
    late.build()
    padded, hours = S.train.Saver(pad_step_number=True), S.train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=1.0)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        saved = [os.path.basename(late.save(s, os.path.join(d, 'late'))), os.path.basename(padded.save(s, os.path.join(d, 'padded'), global_step=12, latest_filename='newest'))]
        import time
        from unittest import mock
        now = time.time
        with mock.patch('time.time', lambda: now() + 1.5 * 3600):
            for i in range(3):
                hours.save(s, os.path.join(d, 'h'), global_step=i)
        s.run(u.assign(9.0)); late.restore(s, os.path.join(d, 'late'))
        left = [S.train.checkpoint_exists(os.path.join(d, 'h-%d' % i)) for i in range(3)]
        result = [built, saved, left, s.run(u), os.path.basename(S.train.latest_checkpoint(d, 'newest')), os.path.basename(S.train.latest_checkpoint(d))]"""),
    ("coordinator", """
    import threading, time, sys
    def told(use, **how):
        c = S.train.Coordinator(**how)
        try:
            use(c)
            return ['joined', c.should_stop(), c.joined]
        except Exception as error:
            return [type(error).__name__, c.should_stop(), c.joined]
    def failing(c, error):
        def work():
            try:
                raise error
            except Exception as e:
                c.request_stop(e)
        t = threading.Thread(target=work); t.start(); c.join([t])
    def scoped(c):
        def work():
            with c.stop_on_exception():
                raise KeyError('x')
        t = threading.Thread(target=work); c.register_thread(t); t.start(); c.join()
    def counting(c):
        n = []
        def work():
            while not c.should_stop():
                n.append(1); time.sleep(0.001)
                if len(n) == 5: c.request_stop()
        t = threading.Thread(target=work); t.start(); c.join([t])
    def slow(c, **how):
        t = threading.Thread(target=time.sleep, args=(1.0,), daemon=True); t.start(); c.request_stop(); c.join([t], stop_grace_period_secs=0.05, **how)
    result = [told(lambda c: failing(c, ValueError('bad'))), told(lambda c: failing(c, tf.errors.OutOfRangeError(None, None, 'end'))), told(scoped), told(counting),
              told(lambda c: failing(c, KeyError('x')), clean_stop_exception_types=(KeyError,)), told(slow), told(lambda c: slow(c, ignore_live_threads=True)),
              told(lambda c: (c.request_stop(), c.wait_for_stop(1.0), c.clear_stop()))]"""),
    ("old_names", """
    x = tf.constant([[1.0, -2.0], [3.0, 4.0]]); i = tf.constant([[7, 8], [9, 10]])
    with S.Session() as s:
        result = s.run([S.reduce_sum(x, reduction_indices=[1]), S.reduce_mean(x, 0, keep_dims=True), S.argmax(x, dimension=1), S.to_float(i), S.to_int32(x), S.log(tf.abs(x)), S.div(i, 2), S.diag([1.0, 2.0]),
                        S.matrix_inverse(x), S.count_nonzero(x), S.squeeze(tf.ones([1, 2]), squeeze_dims=[0]), S.where([True, False], x, -x), S.expand_dims(x, dim=0), S.is_nan(x), S.mod(i, 4), S.norm(x), S.global_norm([x, x]),
                        S.nn.softmax(x, dim=0), S.nn.l2_normalize(x, dim=1), S.nn.xw_plus_b(x, x, [1.0, 1.0]), S.sparse_to_dense([0, 2], [4], [5.0, 6.0]), S.nn.log_softmax(x), tf.linspace(0.0, 1.0, 3)])"""),
    ("resized_images", """
    x = tf.constant(data(1, 4, 6, 2))
    with S.Session() as s:
        result = s.run([S.image.resize_images(x, [8, 9]), S.image.resize_images(x, [2, 3], method=1), S.image.resize_bilinear(x, [7, 11], align_corners=True), S.image.resize_nearest_neighbor(x, [5, 5])])"""),
    ("resized_in_all_ways", """
    x = tf.constant(data(2, 24, 32, 1))
    I, made = S.image, []
    for size in ([48, 40], [10, 13], [1, 50]):
        for f in (I.resize_bilinear, I.resize_nearest_neighbor, I.resize_bicubic):
            made += [f(x, size), f(x, size, align_corners=True), f(x, size, half_pixel_centers=True)]
        made += [I.resize_area(x, size), I.resize_area(x, size, align_corners=True)]
    with S.Session() as s:
        result = [[r.dtype.name, r.shape, r[:1, ::6, ::9].copy()] for r in s.run(made)]""", {"rtol": 1e-4, "atol": 2e-6}),
    ("resized_with_their_ratio", """
    x = S.placeholder(tf.uint8, [None, 60, 81, 1])
    made = [S.image.resize_images(x, size, method, preserve_aspect_ratio=True) for size in ([224, 224], [31, 100], [60, 200]) for method in range(4)]
    same = S.image.resize_images(x, [60, 81])
    one = S.image.resize_images(tf.constant(data(20, 30, 3)), [41, 77], 'bicubic', preserve_aspect_ratio=True)
    pictures = (np.abs(data(2, 60, 81, 1)) * 100).astype('uint8')
    with S.Session() as s:
        result = [[r.dtype.name, r.shape, r[:1, ::31, ::29].copy()] for r in s.run([*made, same, one], {x: pictures})]""", {"rtol": 1e-4, "atol": 1e-3}),
    ("resized_by_both", """
    S.Session().run(S.image.resize_bilinear(tf.zeros([1, 4, 4, 1]), [2, 2], align_corners=True, half_pixel_centers=True))""", {"raises": "ValueError"}),
    ("gradient_of_bicubic", """
    x = tf.Variable(data(1, 12, 12, 2))
    y = S.image.resize_bicubic(x, [28, 28])
    g = tf.gradients(tf.reduce_sum(y ** 2), x)[0]
    with S.Session() as s:
        s.run(x.initializer)
        result = s.run(g)""", {"rtol": 1e-4}),
    ("rows_of_a_variable", """
    v = tf.Variable(tf.zeros([4, 2]))
    ops = [S.scatter_update(v, [0, 2], [[1.0, 1.0], [2.0, 2.0]]), S.scatter_add(v, [1], [[3.0, 3.0]]), S.scatter_sub(v, [2], [[1.0, 1.0]])]
    rows = tf.gather(v, [2, 0])
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        for o in ops: s.run(o)
        result = [s.run(v), s.run(rows)]"""),
    ("assertions", """
    x = S.placeholder(tf.float32, [None])
    with tf.control_dependencies([S.assert_positive(x)]):
        y = tf.identity(x)
    with S.Session() as s:
        good = s.run(y, {x: [1.0, 2.0]})
        s.run(y, {x: [1.0, -2.0]})""", {"raises": "InvalidArgumentError"}),
    ("lstm_by_hand", """
    x = S.placeholder(tf.float32, [None, 10, 8]); y = S.placeholder(tf.float32, [None, 4]); units = 32
    W, b = tf.Variable(data(40, 128)), tf.Variable(tf.zeros([128])); V = tf.Variable(data(32, 4, seed=6))
    n = tf.shape(x)[0]
    h = c = tf.zeros([n, units])
    for t in range(10):
        i, j, f, o = tf.split(tf.matmul(tf.concat([x[:, t], h], 1), W) + b, 4, 1)
        c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        h = tf.tanh(c) * tf.sigmoid(o)
    loss = tf.reduce_mean(S.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=tf.matmul(h, V)))
    train = S.train.AdamOptimizer(0.01).minimize(loss)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        d = {x: data(32, 10, 8), y: np.eye(4, dtype='float32')[labels(32, 4)]}
        result = [s.run([train, loss], d)[1] for _ in range(5)]""", {"rtol": 1e-3}),
    ("ten_thousand_rows_of_eager_numbers", """
    X = data(10000, 20); Y = X.sum(1, keepdims=True)
    x, y = S.placeholder(tf.float32, [None, 20]), S.placeholder(tf.float32, [None, 1])
    w = tf.Variable(tf.zeros([20, 1])); b = tf.Variable(0.0)
    cost = tf.reduce_sum(tf.pow(tf.matmul(x, w) + b - y, 2)) / (2 * 128)
    train = S.train.GradientDescentOptimizer(0.05).minimize(cost)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        for i in range(0, 10000, 128):
            s.run(train, feed_dict={x: X[i:i + 128], y: Y[i:i + 128]})
        result = [s.run(w), s.run(b), s.run(cost, {x: X, y: Y})]""", {"rtol": 1e-3}),
    ("sparse_placeholder", """
    sp = S.sparse_placeholder(tf.float32, [3, 4])
    y = tf.sparse.to_dense(sp); w = tf.Variable(tf.ones([4, 2])); z = tf.sparse.sparse_dense_matmul(sp, w)
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        result = s.run([y, z], {sp: (np.array([[0, 1], [2, 3]]), np.array([5.0, 6.0], 'float32'), np.array([3, 4]))})"""),
    ("texts", """
    t = S.placeholder(tf.string, [None])
    with S.Session() as s:
        result = [s.run(tf.strings.join([t, t], '-'), {t: ['a', 'bc']}), s.run(tf.strings.length(t), {t: ['a', 'bcd']}), s.run(tf.constant('hello')), s.run(tf.strings.to_number(t), {t: ['1.5', '2']})]"""),
    ("make_template", """
    def f(x):
        return x * S.get_variable('w', [], initializer=S.constant_initializer(3.0))
    t = S.make_template('scale', f)
    a, b = t(tf.constant(1.0)), t(tf.constant(2.0))
    with S.Session() as s:
        s.run(S.global_variables_initializer())
        result = [s.run([a, b]), [v.name for v in S.global_variables()]]"""),
    ("custom_gradient", """
    @tf.custom_gradient
    def clipped(x):
        return tf.identity(x), lambda g: tf.clip_by_value(g, -1.0, 1.0)
    x = S.placeholder(tf.float32, [3])
    y = tf.reduce_sum(clipped(x) ** 2)
    with S.Session() as s:
        result = s.run([y, tf.gradients(y, x)[0]], {x: [0.1, 2.0, -3.0]})"""),
    ("eager_after", """
    a = tf.constant(1.0)
    mode = tf.executing_eagerly()
result = [mode, tf.executing_eagerly(), (tf.constant(2.0) * 3.0).numpy(), hasattr(a, 'op')]"""),
]  # fmt: skip

CASES = [
    (name, _HEAD + textwrap.indent(source.lstrip("\n"), "") + "\n", *options) for name, source, *options in _PROGRAMS
]
