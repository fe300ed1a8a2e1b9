"""Arguments of TensorFlow 1 that are taken and left alone.
None of them changes what is computed; a test finds others."""

# By name, or by function and name where the same name means something elsewhere.
IGNORED = frozenset(
    (
        # what operations, scopes and threads are called
        "name", "DEFINE_*.module_name", "mean_pairwise_squared_error.scope", "compute_weighted_loss.scope",
        "make_initializable_iterator.shared_name", "from_structure.shared_name", "TensorArray.tensor_array_name",
        "variable_scope.values", "variable_op_scope.values",
        # where something runs, how many of it at once, and how memory and locks are used
        "use_locking", "parallel_iterations", "swap_memory", "use_cudnn_on_gpu", "caching_device", "use_resource",
        "synchronization", "aggregation", "aggregation_method", "colocate_gradients_with_ops", "gate_gradients",
        "colocate_with_first_write_call", "clear_after_read", "DeviceWrapper.device", "enable_eager_execution.config",
        "device_policy", "execution_mode", "Session.config", "run.options", "make_callable.accept_options",
        "py_func.stateful", "run.feed_dict", "run.session",
        # how a variable is cut into parts of several machines: here it is whole
        "partitioner", "partition_info", "num_unit_shards", "num_proj_shards",
        # what TensorFlow itself leaves alone today
        "gather.validate_indices", "embedding_lookup.validate_indices", "moments.shift", "expected_shape",
        "import_scope",
        # what is known without being told: shapes are inferred and checked where they are known, classes are counted
        "infer_shape", "assign.validate_shape", "num_true",
        # how much of a tensor a message shows, how flags are written back
        "assert_op.summarize", "DEFINE_*.serializer",
        # files: of graphs, which are not written; how variables are laid out in a checkpoint; when events reach the
        # disk
        "save_graph_def", "meta_graph_suffix", "write_meta_graph", "strip_default_attrs", "save_debug_info",
        "FileWriter.graph", "FileWriter.graph_def", "FileWriter.session", "add_graph.graph", "add_graph.graph_def",
        "add_graph.global_step", "add_session_log.session_log", "add_session_log.global_step",
        "add_run_metadata.run_metadata", "add_run_metadata.tag", "add_run_metadata.global_step", "sharded",
        "restore_sequentially", "write_version", "save_relative_paths", "Saver.filename", "max_queue", "flush_secs",
        # threads and machines to wait for: there are none
        "MonitoredTrainingSession.stop_grace_period_secs", "max_wait_secs", "start_queue_runners.sess",
        "start_queue_runners.coord", "start_queue_runners.daemon", "start_queue_runners.start",
        "start_queue_runners.collection",
    )
)  # fmt: skip
