"""tf.distribute with one replica."""

CASES = [
    ("scope_run_reduce", """
        strategy = tf.distribute.MirroredStrategy()
        with strategy.scope():
            v = tf.Variable(tf.ones([120]))
        each = strategy.run(lambda x: v * x, args=(tf.range(120.0),))
        [strategy.num_replicas_in_sync, strategy.reduce('SUM', each, axis=None), strategy.reduce(tf.distribute.ReduceOp.MEAN, each, axis=0)]
    """),
    ("a_training_loop", """
        strategy = tf.distribute.MirroredStrategy()
        with strategy.scope():
            model = keras.Sequential([keras.Input((100,)), keras.layers.Dense(101, kernel_initializer='zeros')])
            optimizer = keras.optimizers.SGD(0.1)
        data = tf.data.Dataset.from_tensor_slices((np.ones((100, 100), 'float32'), np.ones((100, 101), 'float32'))).batch(32)
        @tf.function
        def step(batch):
            def one(x, y):
                with tf.GradientTape() as tape:
                    loss = tf.nn.compute_average_loss(tf.reduce_mean((model(x) - y) ** 2, -1), global_batch_size=32)
                optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
                return loss
            return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(one, args=batch), axis=None)
        [step(batch) for batch in strategy.experimental_distribute_dataset(data)]
    """, {"rtol": 1e-4, "atol": 1e-4}),
    ("fit_in_a_scope", """
        with tf.distribute.OneDeviceStrategy('/cpu:0').scope():
            model = keras.Sequential([keras.Input((100,)), keras.layers.Dense(101, kernel_initializer='zeros')])
            model.compile('sgd', 'mse')
        model.fit(np.ones((64, 100)), np.ones((64, 101)), verbose=0).history
    """, {"rtol": 1e-4, "atol": 1e-4}),
    ("who_is_asked_where", """
        strategy = tf.distribute.MirroredStrategy()
        seen = [tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context()]
        with strategy.scope():
            seen += [tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context(), tf.distribute.get_strategy() is strategy]
            def body():
                context = tf.distribute.get_replica_context()
                seen.extend([tf.distribute.in_cross_replica_context(), int(context.replica_id_in_sync_group), context.num_replicas_in_sync])
                return context.all_reduce('SUM', tf.ones([3]))
            total = strategy.run(body)
        result = [seen, total, strategy.experimental_local_results(total)]
    """),
    ("datasets_of_a_function", """
        strategy = tf.distribute.MultiWorkerMirroredStrategy()
        def make(context):
            return tf.data.Dataset.range(250).batch(context.get_per_replica_batch_size(120)).shard(context.num_input_pipelines, context.input_pipeline_id)
        [strategy.cluster_resolver.task_type, [tf.reduce_sum(x) for x in strategy.distribute_datasets_from_function(make)]]
    """),
    ("cluster_specs", """
        spec = tf.train.ClusterSpec({'worker': ['a:1', 'b:2'], 'ps': ['c:3']})
        [spec.jobs, spec.num_tasks('worker'), spec.task_address('worker', 1), spec.as_dict(), spec.job_tasks('ps')]
    """),
    ("a_name_of_no_reduction", "tf.distribute.MirroredStrategy().reduce('MEDIAN', tf.ones([3]), axis=None)"),
]  # fmt: skip
