"""Control flow, functions of Python's, effects, tapes, modules, scopes, settings."""

_SQUARE = "@tf.custom_gradient\ndef f(x):\n  return x * x, lambda g: g * 100\n"

CASES = [
    (
        "cond",
        "[tf.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2)), tf.cond(tf.constant(3) < 2, lambda: 1.0, lambda: 2.0)]",
    ),
    ("cond_structure", "tf.cond(tf.constant(False), lambda: {'a': 1}, lambda: {'a': 2})"),
    ("cond_no_function", "tf.cond(tf.constant(True), 1, 2)"),
    (
        "case",
        "x = tf.constant(2); [tf.case([(x < 1, lambda: 10), (x < 3, lambda: 20)], default=lambda: 30), tf.case([(x > 5, lambda: 1)], default=lambda: 7)]",
    ),
    (
        "switch_case",
        "[tf.switch_case(tf.constant(1), [lambda: 10, lambda: 20]), tf.switch_case(tf.constant(5), [lambda: 10, lambda: 20]), tf.switch_case(tf.constant(7), {0: lambda: 30}, default=lambda: 40)]",
    ),
    (
        "while_loop",
        "tf.while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, x * 2.0), [tf.constant(0), tf.constant(1.0)])",
    ),
    ("while_loop_one", "tf.while_loop(lambda i: i < 10, lambda i: (i + 3,), [tf.constant(0)])"),
    ("while_loop_limit", "tf.while_loop(lambda i: True, lambda i: [i + 1], [tf.constant(0)], maximum_iterations=4)"),
    (
        "while_loop_gradient",
        "x = tf.Variable(2.0)\nwith tf.GradientTape() as t:\n  _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, tf.constant(1.0)])\nresult = t.gradient(y, x)",
    ),
    ("while_loop_empty", "tf.while_loop(lambda: True, lambda: [], [])", {"raises": "Exception"}),
    (
        "map_fn",
        "[tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3])), tf.map_fn(tf.reduce_sum, tf.ones([2, 3])), tf.map_fn(lambda x: x[0] + x[1], (tf.constant([1, 2]), tf.constant([3, 4])), fn_output_signature=tf.int32)]",
    ),
    (
        "map_fn_types",
        "[tf.map_fn(lambda x: tf.cast(x, tf.float32) / 2, tf.constant([1, 2]), dtype=tf.float32), tf.map_fn(lambda x: (x, -x), tf.constant([1, 2]), fn_output_signature=(tf.int32, tf.int32))]",
    ),
    (
        "map_fn_gradient",
        "x = tf.Variable([1.0, 2.0])\nwith tf.GradientTape() as t:\n  y = tf.map_fn(lambda v: v ** 3, x)\nresult = t.gradient(y, x)",
    ),
    ("vectorized_map", "tf.vectorized_map(lambda x: x * 2, tf.constant([1.0, 2.0]))"),
    (
        "scan",
        "[tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3])), tf.scan(lambda a, x: a * x, tf.constant([1.0, 2.0, 3.0]), initializer=10.0), tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3]), reverse=True)]",
    ),
    (
        "scan_structure",
        "tf.scan(lambda a, x: (a[1], a[0] + a[1]), tf.range(4), initializer=(tf.constant(0), tf.constant(1)))",
    ),
    (
        "foldl",
        "[tf.foldl(lambda a, x: a * 10 + x, tf.constant([1, 2, 3])), tf.foldr(lambda a, x: a * 10 + x, tf.constant([1, 2, 3])), tf.foldl(lambda a, x: a + x, tf.constant([1.0, 2.0]), initializer=5.0)]",
    ),
    (
        "py_function",
        "[tf.py_function(lambda x: x + 1, [tf.constant(2)], tf.int32), tf.py_function(lambda x, y: [x * y, x], [2.0, 3.0], [tf.float32, tf.float32])]",
    ),
    ("py_function_sees_values", "tf.py_function(lambda x: float(x.numpy()) * 2, [3.0], tf.float32)"),
    (
        "py_function_gradient",
        "x = tf.Variable(3.0)\nwith tf.GradientTape() as t:\n  y = tf.py_function(lambda v: v * v, [x], tf.float32)\nresult = t.gradient(y, x)",
    ),
    (
        "py_function_raises",
        "def f(x):\n  raise KeyError('no')\ntf.py_function(f, [1], tf.int32)",
        {"raises": "Exception"},
    ),
    (
        "numpy_function",
        "[tf.numpy_function(lambda x: np.sinh(x), [np.float32(1.0)], tf.float32), tf.numpy_function(lambda x, y: (x + y).astype(np.float32), [[1.0, 2.0], [3.0, 4.0]], tf.float32)]",
    ),
    (
        "custom_gradient",
        f"{_SQUARE}x = tf.Variable(3.0)\nwith tf.GradientTape() as t:\n  y = f(x)\nresult = [y, t.gradient(y, x)]",
    ),
    (
        "custom_gradient_two",
        "@tf.custom_gradient\ndef f(x, y):\n  return x * y, lambda g: (g * 10, g * 20)\na = tf.Variable(3.0); b = tf.Variable(4.0)\nwith tf.GradientTape() as t:\n  z = f(a, b)\nresult = [z, t.gradient(z, [a, b])]",
    ),
    (
        "custom_gradient_chain",
        f"{_SQUARE}x = tf.constant([1.0, 2.0])\nwith tf.GradientTape() as t:\n  t.watch(x)\n  y = tf.reduce_sum(f(2 * x) * 3)\nresult = t.gradient(y, x)",
    ),
    (
        "grad_pass_through",
        "x = tf.Variable(3.0)\nwith tf.GradientTape() as t:\n  y = tf.grad_pass_through(lambda v: v * 7)(x)\nresult = [y, t.gradient(y, x)]",
    ),
    (
        "recompute_grad",
        "x = tf.Variable(3.0); f = tf.recompute_grad(lambda v: v * v)\nwith tf.GradientTape() as t:\n  y = f(x)\nresult = t.gradient(y, x)",
    ),
    (
        "jacobian",
        "x = tf.Variable([1.0, 2.0, 3.0])\nwith tf.GradientTape() as t:\n  y = tf.stack([x[0] * x[1], tf.reduce_sum(x ** 2)])\nresult = t.jacobian(y, x)",
    ),
    (
        "jacobian_structure",
        "a = tf.Variable([1.0, 2.0]); b = tf.Variable(3.0); c = tf.Variable(1.0)\nwith tf.GradientTape(persistent=True) as t:\n  y = a * b\nresult = [t.jacobian(y, [a, b]), t.jacobian(y, {'c': c}), t.jacobian(y, c, unconnected_gradients=tf.UnconnectedGradients.ZERO)]",
    ),
    (
        "jacobian_matrix",
        "x = tf.constant([[1.0, 2.0], [3.0, 4.0]])\nwith tf.GradientTape() as t:\n  t.watch(x)\n  y = tf.matmul(x, x)\nresult = t.jacobian(y, x)",
    ),
    (
        "batch_jacobian",
        "x = tf.constant([[1.0, 2.0], [3.0, 4.0]])\nwith tf.GradientTape() as t:\n  t.watch(x)\n  y = x ** 2 * [1.0, 10.0]\nresult = t.batch_jacobian(y, x)",
    ),
    (
        "batch_jacobian_shapes",
        "x = tf.Variable([1.0, 2.0])\nwith tf.GradientTape() as t:\n  y = x * x\nt.batch_jacobian(y, x)",
        {"raises": "Exception"},
    ),
    (
        "jacobian_twice",
        "x = tf.Variable([1.0])\nwith tf.GradientTape() as t:\n  y = x * x\nt.jacobian(y, x)\nt.jacobian(y, x)",
    ),
    (
        "hessian",
        "x = tf.Variable([1.0, 2.0])\nwith tf.GradientTape() as a:\n  with tf.GradientTape() as b:\n    y = tf.reduce_sum(x ** 3)\n  g = b.gradient(y, x)\nresult = a.jacobian(g, x)",
    ),
    (
        "stop_recording",
        "x = tf.Variable(2.0)\nwith tf.GradientTape() as t:\n  y = x * x\n  with t.stop_recording():\n    z = y * x\n  w = y * z\nresult = t.gradient(w, x)",
    ),
    (
        "tape_persistent_inside",
        "x = tf.Variable([1.0, 2.0])\nwith tf.GradientTape(persistent=True) as t:\n  y = x ** 4\n  a = t.gradient(y, x)\n  b = t.gradient(a, x)\n  z = tf.reduce_sum(b * x)\nresult = [a, b, t.gradient(b, x), t.gradient(z, x), t.gradient(y, x)]",
    ),
    (
        "tape_persistent_after",
        "x = tf.Variable([1.0, 2.0])\nwith tf.GradientTape(persistent=True) as t:\n  y = x ** 4\na = t.gradient(y, x)\nresult = [a, t.gradient(a, x)]",
    ),
    (
        "tape_inside_once",
        "x = tf.Variable(2.0)\nwith tf.GradientTape() as o:\n  with tf.GradientTape() as t:\n    y = x ** 3\n    a = t.gradient(y, x)\n    z = a * x\nresult = [a, o.gradient(z, x)]",
    ),
    (
        "burgers_equation",
        "n = tf.constant(np.linspace(-1, 1, 256).reshape(128, 2)); w = tf.constant(np.cos(np.arange(300.0)).reshape(2, 150) / 9); v = tf.constant(np.sin(np.arange(150.0)).reshape(150, 1) / 9)\nx, s = n[:, :1], n[:, 1:]\n@tf.function\ndef residual(x, s):\n  with tf.GradientTape(persistent=True) as t:\n    t.watch([x, s]); u = tf.matmul(tf.tanh(tf.matmul(tf.concat([x, s], 1), w)), v); u_x = t.gradient(u, x)\n  u_xx = t.gradient(u_x, x); u_s = t.gradient(u, s)\n  del t\n  return u_s + u * u_x - 0.01 * u_xx\nresult = residual(x, s)",
    ),
    (
        "tape_reset",
        "x = tf.Variable(2.0)\nwith tf.GradientTape() as t:\n  y = x * x\n  t.reset()\n  z = x * x * x\nresult = [t.gradient(z, x)]",
    ),
    (
        "tape_unwatched_variables",
        "x = tf.Variable(2.0); y = tf.Variable(3.0)\nwith tf.GradientTape(watch_accessed_variables=False) as t:\n  t.watch(x)\n  z = x * y\nresult = t.gradient(z, [x, y])",
    ),
    (
        "tape_int",
        "x = tf.constant(2)\nwith tf.GradientTape() as t:\n  t.watch(x)\n  y = x * x\nresult = t.gradient(y, x)",
    ),
    (
        "print_to_file",
        "import tempfile, os; p = os.path.join(tempfile.mkdtemp(), 'x'); tf.print('x:', tf.constant([[1.5, 2.0]]), [tf.constant(1), 'b'], {'k': tf.constant(2)}, output_stream='file://' + p); tf.print(tf.range(10), tf.constant('s'), sep='|', end='!', output_stream='file://' + p); tf.print(tf.range(10), summarize=-1, output_stream='file://' + p); open(p).read()",
    ),
    ("assert_equal", "tf.debugging.assert_equal([1, 2], [1, 2])"),
    ("assert_equal_fails", "tf.debugging.assert_equal([1, 2], [1, 3], message='no')"),
    ("top_assert_equal", "tf.assert_equal(1, 2)"),
    (
        "assert_less",
        "[tf.debugging.assert_less(1, 2), tf.debugging.assert_less_equal([1, 2], 2), tf.debugging.assert_greater(2.0, 1.0), tf.debugging.assert_greater_equal(2, 2), tf.debugging.assert_none_equal([1], [2]), tf.assert_less(1, 2), tf.assert_greater(2, 1)]",
    ),
    ("assert_less_fails", "tf.debugging.assert_less([1, 5], 2)"),
    (
        "assert_signs",
        "[tf.debugging.assert_positive([1.0]), tf.debugging.assert_negative([-1]), tf.debugging.assert_non_negative([0, 1]), tf.debugging.assert_non_positive([0.0])]",
    ),
    ("assert_positive_fails", "tf.debugging.assert_positive([0.0])"),
    ("assert_near", "tf.debugging.assert_near([1.0], [1.0 + 1e-7])"),
    ("assert_near_fails", "tf.debugging.assert_near(1.0, 1.1)"),
    (
        "assert_rank",
        "[tf.debugging.assert_rank([[1]], 2), tf.assert_rank(1, 0), tf.debugging.assert_rank_at_least([[1]], 1), tf.debugging.assert_rank_in([1], [0, 1]), tf.debugging.assert_scalar(3)]",
    ),
    ("assert_rank_fails", "tf.debugging.assert_rank([1], 2)"),
    (
        "assert_types",
        "[tf.debugging.assert_integer(1), tf.debugging.assert_type(tf.constant(1.0), tf.float32), tf.debugging.is_numeric_tensor(tf.constant(1)), tf.debugging.assert_same_float_dtype([tf.constant(1.0)])]",
    ),
    ("assert_integer_fails", "tf.debugging.assert_integer(1.5)"),
    ("assert_type_fails", "tf.debugging.assert_type(tf.constant(1), tf.float32)"),
    ("assert_shapes", "tf.debugging.assert_shapes([(tf.zeros([2, 3]), ('N', 'D')), (tf.zeros([3]), ('D',))])"),
    ("assert_shapes_fails", "tf.debugging.assert_shapes([(tf.zeros([2, 3]), ('N', 'D')), (tf.zeros([4]), ('D',))])"),
    ("assert_proper_iterable_fails", "tf.debugging.assert_proper_iterable(tf.constant([1]))"),
    ("Assert", "tf.debugging.Assert(tf.constant(True), [1])"),
    ("Assert_fails", "tf.Assert(tf.constant(False), [tf.constant([1, 2])])"),
    ("check_numerics", "[tf.debugging.check_numerics([1.0, 2.0], 'x'), tf.debugging.assert_all_finite(3.0, 'x')]"),
    ("check_numerics_fails", "tf.debugging.check_numerics([1.0, float('nan')], 'bad')"),
    (
        "module",
        "class M(tf.Module):\n  def __init__(self):\n    super().__init__(name='m')\n    self.w = tf.Variable(1.0, name='w')\n    self.b = tf.Variable(2.0, trainable=False)\n    self.inner = [tf.Module(), {'v': tf.Variable(3.0)}]\nm = M()\nresult = [m.name, len(m.variables), len(m.trainable_variables), len(m.submodules), [float(v) for v in m.variables]]",
    ),
    ("module_names", "class MyDense2D(tf.Module): pass\nresult = [MyDense2D().name, tf.Module(name='x').name]"),
    ("module_bad_name", "tf.Module(name='not valid')"),
    (
        "module_nested",
        "class D(tf.Module):\n  def __init__(self, n, name=None):\n    super().__init__(name=name)\n    self.w = tf.Variable(tf.ones([n]), name='w')\nclass S(tf.Module):\n  def __init__(self):\n    super().__init__()\n    self.z = D(1)\n    self.a = D(2)\n    self.v = tf.Variable(0.0)\nresult = [v.shape for v in S().variables]",
    ),
    ("device", "with tf.device('/CPU:0'):\n  x = tf.constant(1) + 1\nresult = x"),
    (
        "scopes",
        "with tf.name_scope('a') as s:\n  x = tf.constant(1)\nwith tf.init_scope():\n  pass\nwith tf.control_dependencies([x]):\n  y = tf.identity(x)\nresult = [s, y, tf.executing_eagerly(), tf.no_op() is None, tf.group(x) is None]",
    ),
    (
        "config",
        "[len(tf.config.list_physical_devices('GPU')), tf.config.list_physical_devices('CPU')[0].name, tf.config.list_physical_devices('CPU')[0].device_type, tf.config.list_logical_devices('CPU')[0].name, tf.config.functions_run_eagerly(), [d.name for d in tf.config.get_visible_devices('CPU')]]",
    ),
    (
        "config_settings",
        "tf.config.set_soft_device_placement(True); tf.config.set_visible_devices([], 'GPU'); tf.config.run_functions_eagerly(True); a = tf.config.functions_run_eagerly(); tf.config.run_functions_eagerly(False); [a, tf.config.get_soft_device_placement()]",
    ),
    # Called, it would make TensorFlow refuse other cases.
    ("config_determinism", "callable(tf.config.experimental.enable_op_determinism)"),
    (
        "config_optimizer",
        "tf.config.optimizer.set_experimental_options({'constant_folding': True}); tf.config.optimizer.get_experimental_options()['constant_folding']",
    ),
    ("log_device_placement", "tf.debugging.set_log_device_placement(False); tf.debugging.get_log_device_placement()"),
    ("version", "tf.version.VERSION.split('.')[0]"),
    ("logger", "tf.get_logger().setLevel('ERROR')"),
    (
        "errors_classes",
        "[issubclass(tf.errors.InvalidArgumentError, tf.errors.OpError), tf.errors.NotFoundError.__name__, tf.errors.OutOfRangeError.__name__, tf.errors.UnimplementedError.__name__]",
    ),
    (
        "catch_invalid",
        "try:\n  tf.reshape([1, 2, 3], [2, 2])\n  result = 'none'\nexcept tf.errors.InvalidArgumentError as e:\n  result = isinstance(e.message, str)",
    ),
]
