"""tf and tf.test: names of the rarer kind."""

CASES = [
    (
        "tensor_protos",
        """
        made = []
        for v in ([1, 2], [[1.5, 2.0]], ['a', 'bc'], True, np.arange(130.0)):
            proto = tf.make_tensor_proto(v)
            made.append([tf.make_ndarray(proto), proto.dtype, tf.io.parse_tensor(proto.SerializeToString(), tf.constant(v).dtype)])
        made + [tf.make_ndarray(tf.make_tensor_proto(3.0, dtype=tf.float64, shape=[2, 3])), tf.make_ndarray(tf.make_tensor_proto([1, 2, 3, 4], shape=[2, 2]))]
    """,
    ),
    ("tensor_proto_of_a_wrong_shape", "tf.make_tensor_proto([1, 2, 3], shape=[2], verify_shape=True)"),
    (
        "bins_of_a_histogram",
        """
        x = tf.constant(rng.normal(size=(3, 120)).astype('float32'))
        [tf.histogram_fixed_width_bins(x, [-1.0, 1.0], 7)[:, :20], tf.histogram_fixed_width_bins(tf.range(150.0), [10.0, 120.0])[::10]]
    """,
    ),
    ("parallel_stack", "tf.function(lambda: tf.parallel_stack([[1, 2], [3, 4], [5, 6]]))()"),
    (
        "fingerprints",
        "[tf.fingerprint(['one', 'a longer text of more than sixteen letters, and more than sixty-four of them, in all']), tf.fingerprint(tf.range(6)), tf.fingerprint([[1.0, 2.0], [3.0, 4.0]])]",
    ),
    ("fingerprints_of_rows_of_texts", "tf.fingerprint([['a', 'b'], ['c', 'd']])"),
    (
        "patches_of_volumes",
        """
        x = tf.Variable(rng.normal(size=(2, 12, 10, 9, 3)).astype('float32'))
        made = []
        for k, step, padding in ((3, 2, 'VALID'), (3, 2, 'SAME'), (2, 1, 'SAME')):
            with tf.GradientTape() as tape:
                y = tf.extract_volume_patches(x, [1, k, k, 2, 1], [1, step, step, 1, 1], padding)
                loss = tf.reduce_sum(y * y)
            made.append([y.shape, y[1, 1, 2, 0, :9], loss, tf.reduce_sum(tape.gradient(loss, x) * x)])
        made
    """,
        {"rtol": 1e-4},
    ),
    (
        "devices_by_parts",
        """
        a = tf.DeviceSpec(job='worker', replica=0, task=3, device_type='gpu', device_index=2)
        b = tf.DeviceSpec.from_string('/job:ps/device:CPU:*')
        [a.to_string(), b.to_string(), b.job, b.device_type, b.device_index, a.make_merged_spec(b).to_string(), a.replace(task=9).to_string(), a == tf.DeviceSpec.from_string(a.to_string()), tf.DeviceSpec.from_string('/cpu:0').to_string()]
    """,
    ),
    ("no_name_of_a_device", "tf.DeviceSpec.from_string('/job:a/what:1')"),
    (
        "critical_sections",
        """
        v, section = tf.Variable(1.0), tf.CriticalSection()
        [section.execute(lambda: v.assign_add(2.0).read_value()), section.execute(lambda: v * 5)]
    """,
    ),
    (
        "kinds_of_variables",
        "[tf.VariableSynchronization.ON_READ.name, tf.VariableAggregation.MEAN.name, tf.VariableSynchronization.AUTO.value, tf.VariableAggregation.ONLY_FIRST_REPLICA.value]",
    ),
    (
        "scopes_that_make_variables",
        """
        seen = []
        def creator(next_creator, **kwargs):
            seen.append([kwargs['name'], kwargs['trainable']])
            kwargs['trainable'] = False
            return next_creator(**kwargs)
        with tf.variable_creator_scope(creator):
            v = tf.Variable(tf.ones([120]), name='inside')
        w = tf.Variable(1.0)
        [v.trainable, w.trainable, seen, isinstance(v, tf.Variable), v.shape]
    """,
    ),
    (
        "test_cases",
        """
        class Case(tf.test.TestCase):
            def test_good(self):
                x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
                self.assertAllClose(x, [[1.0, 2.0], [3.0, 4.0 + 1e-7]])
                self.assertAllClose({'a': x, 'b': [1.0, tf.ones(3)]}, {'a': x.numpy(), 'b': [1.0, np.ones(3)]})
                self.assertAllEqual(tf.constant(['a', 'b']), ['a', 'b'])
                self.assertAllInRange(x, 1.0, 4.0)
                self.assertAllInSet(tf.constant([1, 2, 1]), {1, 2})
                self.assertShapeEqual(np.ones((2, 2)), x)
                self.assertAllGreater(x, 0.5)
                self.assertAllLessEqual(x, 4.0)
                self.assertNotAllClose(x, x + 1)
                self.assertNotAllEqual(x, x + 1)
                self.assertDTypeEqual(x, tf.float32)
                self.assertNear(1.0, 1.01, 0.1)
                self.assertArrayNear([1.0, 2.0], [1.0, 2.01], 0.1)
                self.assertAllCloseAccordingToType(tf.constant([1.0], tf.float16), [1.0005])
                self.assertLen([1, 2], 2)
                self.assertEqual(self.evaluate({'a': x})['a'].shape, (2, 2))
                with self.assertRaisesOpError('(?i)'):
                    tf.reshape(x, [7])
                with self.cached_session() as session:
                    self.assertAllEqual(self.evaluate(tf.random.uniform([2]) * 0), [0, 0])
            def test_close(self):
                self.assertAllClose(tf.ones(3), np.ones(3) + 1e-3)
            def test_equal(self):
                self.assertAllEqual([1, 2], tf.constant([1, 3]))
            def test_range(self):
                self.assertAllInRange(tf.constant([1.0, 5.0]), 1.0, 5.0, open_upper_bound=True)
            def test_shape(self):
                self.assertAllClose(tf.ones([3]), tf.ones([3, 1]))
            def test_raises(self):
                with self.assertRaisesOpError('no such words'):
                    tf.reshape(tf.ones(6), [7])
            def test_files(self):
                import os
                with open(os.path.join(self.get_temp_dir(), 'f'), 'w') as f:
                    f.write('x')
        import unittest
        found = unittest.TestResult()
        unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(found)
        [found.testsRun - sum(n == 'test_session' for n in dir(Case)), sorted(t.id().split('.')[-1] for t, _ in found.failures), [e[-300:] for t, e in found.errors]]
    """,
    ),
    (
        "checked_gradients",
        """
        x, w = tf.constant(rng.normal(size=(3, 4))), tf.constant(rng.normal(size=(4, 2)))
        theory, steps = tf.test.compute_gradient(lambda a, b: tf.tanh(tf.matmul(a, b)), [x, w])
        [t.shape for t in theory] + [theory[0], bool(np.allclose(theory[1], steps[1], atol=1e-4)), bool(np.allclose(theory[0], steps[0], atol=1e-4))]
    """,
        {"rtol": 1e-6},
    ),
]
