"""tf.data.Options: what a pipeline may be told about how it runs. Most is chosen by Brio and only taken note of."""

import enum


class _Group:
    def __init__(self, **values):
        self.__dict__.update(values)

    def __repr__(self):
        return repr(self.__dict__)


class AutotuneAlgorithm(enum.Enum):
    """How TensorFlow looks for the number of threads of each step; Brio looks in one way."""

    DEFAULT, HILL_CLIMB, GRADIENT_DESCENT, MAX_PARALLELISM, STAGE_BASED = 0, 1, 2, 3, 4


class ExternalStatePolicy(enum.Enum):
    """What becomes of state outside of a pipeline that is copied; nothing is copied here."""

    WARN, IGNORE, FAIL = 0, 1, 2


class AutotuneOptions(_Group):
    """What may be chosen while a pipeline runs."""

    def __init__(self):
        super().__init__(
            enabled=None, cpu_budget=None, ram_budget=None, autotune_algorithm=None, initial_parallelism=None,
            min_parallelism=None,
        )  # fmt: skip


class DistributeOptions(_Group):
    """How a pipeline is split among machines."""

    def __init__(self):
        super().__init__(auto_shard_policy=None, num_devices=None)


class OptimizationOptions(_Group):
    """How steps of a pipeline are joined."""

    def __init__(self):
        super().__init__(
            apply_default_optimizations=None, filter_fusion=None, filter_parallelization=None, inject_prefetch=None,
            map_and_batch_fusion=None, map_and_filter_fusion=None, map_fusion=None, map_parallelization=None,
            noop_elimination=None, parallel_batch=None, seq_interleave_prefetch=None, shuffle_and_repeat_fusion=None,
        )  # fmt: skip


class ServiceOptions(_Group):
    """What a service of data may do."""

    def __init__(self):
        super().__init__(pinned=None)


class Options:
    """Settings of a pipeline, for Dataset.with_options."""

    def __init__(self):
        self.deterministic = None
        self.experimental_deterministic = None
        self.experimental_slack = None
        self.experimental_warm_start = None
        self.experimental_external_state_policy = None
        self.experimental_symbolic_checkpoint = None
        self.dataset_name = None
        self.framework_type = []
        self.threading = _Group(max_intra_op_parallelism=None, private_threadpool_size=None)
        self.experimental_threading = self.threading
        self.autotune = AutotuneOptions()
        self.distribute_options = self.experimental_distribute = DistributeOptions()
        self.experimental_optimization = OptimizationOptions()
        self.experimental_service = ServiceOptions()

    def merge(self, options):
        """These options, with those that the other sets."""
        made = Options()
        for source in (self, options):
            for name, value in source.__dict__.items():
                if not isinstance(value, _Group):
                    if value is not None:
                        setattr(made, name, value)
                else:
                    getattr(made, name).__dict__.update({k: v for k, v in value.__dict__.items() if v is not None})
        return made


class ThreadingOptions(_Group):
    """How many threads a pipeline may use."""

    def __init__(self):
        super().__init__(max_intra_op_parallelism=None, private_threadpool_size=None)
