"""The same functions inside tf.function: control flow becomes part of the trace, and sizes stay known."""


def _call(body, *arguments):
    return f"@tf.function(autograph=False)\n{body}\nresult = f({', '.join(arguments)})"


CASES = [
    (
        "shape_as_size",
        _call("def f(x):\n  s = tf.shape(x)\n  return tf.reshape(x, [s[0] * s[1], -1])", "tf.zeros([2, 3, 4])"),
    ),
    (
        "shape_concat",
        _call(
            "def f(x):\n  return tf.zeros(tf.concat([tf.shape(x)[:-1], [5]], 0)) + tf.cast(tf.size(x), tf.float32)",
            "tf.ones([2, 3])",
        ),
    ),
    (
        "shape_stack",
        _call("def f(x):\n  return tf.broadcast_to(x, tf.stack([4, tf.shape(x)[0]]))", "tf.constant([1.0, 2.0])"),
    ),
    ("range_of_shape", _call("def f(x):\n  return tf.range(tf.shape(x)[0]) * 2", "tf.zeros([3])")),
    ("one_hot_of_shape", _call("def f(x):\n  return tf.one_hot([0], depth=tf.shape(x)[1])", "tf.zeros([1, 3])")),
    (
        "cond",
        _call("def f(x):\n  return tf.cond(x > 0, lambda: x * 2, lambda: -x)", "tf.constant(3.0)")
        + "\nresult = [result, f(tf.constant(-5.0))]",
    ),
    (
        "cond_structure",
        _call(
            "def f(x):\n  return tf.cond(x > 0, lambda: {'a': x, 'b': [x * 2]}, lambda: {'a': -x, 'b': [x * 3]})",
            "tf.constant(-3.0)",
        ),
    ),
    (
        "cond_gradient",
        "@tf.function(autograph=False)\ndef f(x):\n  with tf.GradientTape() as t:\n    t.watch(x)\n    y = tf.cond(x > 0, lambda: x * x, lambda: x * 5)\n  return t.gradient(y, x)\nresult = [f(tf.constant(3.0)), f(tf.constant(-3.0))]",
    ),
    (
        "case",
        _call(
            "def f(x):\n  return tf.case([(x < 1, lambda: x + 10), (x < 3, lambda: x + 20)], default=lambda: x + 30)",
            "tf.constant(2)",
        )
        + "\nresult = [result, f(tf.constant(0)), f(tf.constant(9))]",
    ),
    (
        "switch_case",
        _call(
            "def f(i):\n  return tf.switch_case(i, [lambda: i * 10, lambda: i * 20], default=lambda: i - 1)",
            "tf.constant(1)",
        )
        + "\nresult = [result, f(tf.constant(0)), f(tf.constant(9))]",
    ),
    (
        "while_loop",
        _call(
            "def f(n):\n  return tf.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, x * 2.0), [tf.constant(0), tf.constant(1.0)])",
            "tf.constant(5)",
        ),
    ),
    (
        "while_loop_limit",
        _call(
            "def f(n):\n  return tf.while_loop(lambda i: i < n, lambda i: (i + 1,), [tf.constant(0)], maximum_iterations=3)",
            "tf.constant(50)",
        ),
    ),
    (
        "while_loop_gradient",
        "@tf.function(autograph=False)\ndef f(x):\n  with tf.GradientTape() as t:\n    t.watch(x)\n    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [tf.constant(0), tf.constant(1.0)])\n  return t.gradient(y, x)\nresult = f(tf.constant(2.0))",
    ),
    (
        "map_fn",
        _call(
            "def f(x):\n  return tf.map_fn(lambda r: tf.reduce_sum(r) * r, x)", "tf.constant([[1.0, 2.0], [3.0, 4.0]])"
        ),
    ),
    (
        "map_fn_types",
        _call(
            "def f(x):\n  return tf.map_fn(lambda r: (tf.cast(r, tf.float32), r + 1), x, fn_output_signature=(tf.float32, tf.int32))",
            "tf.constant([1, 2])",
        ),
    ),
    (
        "scan",
        _call(
            "def f(x):\n  return [tf.scan(lambda a, r: a + r, x), tf.scan(lambda a, r: a + r, x, initializer=10), tf.scan(lambda a, r: a * r, x, reverse=True)]",
            "tf.constant([1, 2, 3])",
        ),
    ),
    (
        "foldl",
        _call(
            "def f(x):\n  return [tf.foldl(lambda a, r: a * 10 + r, x), tf.foldr(lambda a, r: a * 10 + r, x), tf.foldl(lambda a, r: a + r, x, initializer=7)]",
            "tf.constant([1, 2, 3])",
        ),
    ),
    (
        "custom_gradient",
        "@tf.custom_gradient\ndef g(x):\n  return x * x, lambda d: d * 100\n@tf.function(autograph=False)\ndef f(x):\n  with tf.GradientTape() as t:\n    t.watch(x)\n    y = g(x) * 2\n  return [y, t.gradient(y, x)]\nresult = f(tf.constant(3.0))",
    ),
    (
        "jacobian",
        "@tf.function(autograph=False)\ndef f(x):\n  with tf.GradientTape() as t:\n    t.watch(x)\n    y = x * x * [1.0, 10.0]\n  return t.jacobian(y, x)\nresult = f(tf.constant([1.0, 2.0]))",
    ),
    ("assert_holds", _call("def f(x):\n  tf.debugging.assert_positive(x)\n  return x + 1", "tf.constant([1.0])")),
    (
        "assert_fails",
        _call("def f(x):\n  tf.debugging.assert_positive(x)\n  return x + 1", "tf.constant([-1.0])")
        + "\nresult.numpy()",
    ),
    (
        "print",
        "import tempfile, os; p = 'file://' + os.path.join(tempfile.mkdtemp(), 'x')\n@tf.function(autograph=False)\ndef f(x):\n  tf.print('x is', x, output_stream=p)\n  return x\nf(tf.constant([1, 2])); float(tf.reduce_sum(f(tf.constant([3, 4]))))\nresult = open(p[7:]).read()",
    ),
    ("is_eager", _call("def f(x):\n  return x if tf.executing_eagerly() else x + 1", "tf.constant(1)")),
    ("where_select", _call("def f(x):\n  return tf.where(x > 1, x, -x)", "tf.constant([1, 2, 3])")),
    (
        "boolean_mask_size",
        _call(
            "def f(x):\n  return tf.reduce_sum(tf.where(x > 1, x, tf.zeros_like(x)))", "tf.constant([1.0, 2.0, 3.0])"
        ),
    ),
    (
        "random_differs",
        "@tf.function(autograph=False)\ndef f():\n  return tf.random.uniform([4])\nresult = bool(tf.reduce_all(f() == f()))",
    ),
    (
        "shuffle_differs",
        "@tf.function(autograph=False)\ndef f():\n  return tf.random.shuffle(tf.range(30))\nresult = bool(tf.reduce_all(f() == f()))",
    ),
    (
        "image",
        _call(
            "def f(x):\n  x = tf.image.resize(x, [4, 4])\n  return tf.image.flip_left_right(tf.image.adjust_contrast(x, 1.5))",
            "tf.reshape(tf.range(12.0), [2, 2, 3])",
        ),
    ),
    ("einsum", _call("def f(x):\n  return tf.einsum('ij,kj->ik', x, x)", "tf.reshape(tf.range(6.0), [2, 3])")),
]
