"""Strategies: where variables are, who computes what, and how results come together."""

import contextlib
import threading

from brio import _core, _nest
from brio.distribute._replicas import DistributedValues, ReduceOp, Replicas, local_values


class _Current(threading.local):
    """The strategies whose scopes this thread is in, and the replica that it computes for."""

    def __init__(self):
        self.strategies, self.replicas = [], []


_current = _Current()


class RunOptions:
    """Taken by Strategy.run(); nothing of it applies here."""

    def __init__(
        self,
        experimental_enable_dynamic_batch_size=True,
        experimental_bucketizing_dynamic_shape=False,
        experimental_xla_options=None,
    ):
        self.experimental_enable_dynamic_batch_size = experimental_enable_dynamic_batch_size
        self.experimental_bucketizing_dynamic_shape = experimental_bucketizing_dynamic_shape
        self.experimental_xla_options = experimental_xla_options


class Strategy:
    """One program on several replicas.

    >>> strategy = tf.distribute.MirroredStrategy()
    >>> with strategy.scope():
    ...     v = tf.Variable(2.0)
    >>> float(strategy.reduce("SUM", strategy.run(lambda: v * 3.0), axis=None))
    6.0
    """

    def __init__(self, replicas=None, cluster_resolver=None):
        self._replicas = replicas or Replicas(["/device:CPU:0"])
        self.cluster_resolver = cluster_resolver
        self.extended = StrategyExtended(self)

    @property
    def num_replicas_in_sync(self):
        """The number of replicas, of all processes."""
        return self._replicas.total

    @contextlib.contextmanager
    def scope(self):
        """Variables that are made in it belong to all replicas."""
        if _current.strategies and _current.strategies[-1] is not self:
            raise RuntimeError(
                f"[distribute] a scope of {_current.strategies[-1]!r} is open: scopes of two strategies cannot be "
                "nested"
            )
        _current.strategies.append(self)
        try:
            yield self
        finally:
            _current.strategies.pop()

    def run(self, fn, args=(), kwargs=None, options=None):
        """Calls fn once for each replica, with its part of the arguments;
        of one replica the result is a plain value."""
        return self._replicas.call(fn, tuple(args), dict(kwargs or {}), self._replica)

    @contextlib.contextmanager
    def _replica(self, number):
        _current.strategies.append(self)
        _current.replicas.append(ReplicaContext(self, number))
        try:
            yield
        finally:
            _current.replicas.pop()
            _current.strategies.pop()

    def reduce(self, reduce_op, value, axis=None):
        """Sum or mean over all replicas, and over an axis of the values where one is given."""
        op = ReduceOp.of(reduce_op)
        if axis is None:
            return _nest.map_structure(lambda v: self._replicas.reduce(op, v), value)
        along = _core.reduce_sum if op is ReduceOp.SUM else _core.reduce_mean

        def reduced(v):
            parts = [along(_core.convert_to_tensor(p), axis) for p in local_values(v)]
            return self._replicas.reduce(op, DistributedValues(parts) if len(parts) > 1 else parts[0])

        return _nest.map_structure(reduced, value)

    def gather(self, value, axis):
        """The values of all replicas one behind the other along an axis."""
        return _core.concat([_core.convert_to_tensor(v) for v in local_values(value)], axis)

    def group(self, value, name=None):
        """Something to wait for: what was run is done."""
        return value

    def experimental_local_results(self, value):
        """The values of the replicas of this process."""
        return local_values(value)

    unwrap = experimental_local_results

    def experimental_distribute_values_from_function(self, value_fn):
        """value_fn(context) for each replica."""
        from brio.distribute.experimental import ValueContext

        first = self._replicas.first
        return DistributedValues(
            [value_fn(ValueContext(first + i, self.num_replicas_in_sync)) for i in range(len(self._replicas.devices))]
        )

    def experimental_distribute_dataset(self, dataset, options=None):
        """A dataset whose elements are split among the replicas."""
        from brio.distribute._input import DistributedDataset

        return DistributedDataset(self, dataset)

    def distribute_datasets_from_function(self, dataset_fn, options=None):
        """A dataset of dataset_fn(InputContext), which reads the part of this process."""
        from brio.distribute._input import DistributedDataset, InputContext

        return DistributedDataset(self, dataset_fn(InputContext(1, 0, self.num_replicas_in_sync)))

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def __repr__(self):
        return (
            f"<{type(self).__name__} of {self.num_replicas_in_sync} "
            f"replica{'s' if self.num_replicas_in_sync > 1 else ''}>"
        )

    def __deepcopy__(self, memo):
        return self


class StrategyExtended:
    """What libraries ask of a strategy."""

    def __init__(self, strategy):
        self._strategy = strategy
        self.worker_devices = self.parameter_devices = strategy._replicas.devices

    def call_for_each_replica(self, fn, args=(), kwargs=None):
        """Strategy.run()."""
        return self._strategy.run(fn, args, kwargs)

    def reduce_to(self, reduce_op, value, destinations=None, options=None):
        """Strategy.reduce() of whole values."""
        return self._strategy.reduce(reduce_op, value, axis=None)

    def update(self, var, fn, args=(), kwargs=None, group=True):
        """fn(var, ...): there is one copy of a variable."""
        return fn(var, *args, **(kwargs or {}))

    def colocate_vars_with(self, var):
        """Variables are where the strategy puts them."""
        return contextlib.nullcontext()

    def variable_created_in_scope(self, v):
        """Is it one of the strategy's variables?"""
        return isinstance(v, _core.Variable)


class ReplicaContext:
    """The replica that is being computed, for what Strategy.run() calls."""

    def __init__(self, strategy, replica_id_in_sync_group):
        self.strategy, self.replica_id_in_sync_group = strategy, replica_id_in_sync_group

    @property
    def num_replicas_in_sync(self):
        """The number of replicas."""
        return self.strategy.num_replicas_in_sync

    def all_reduce(self, reduce_op, value, options=None):
        """The sum or mean of what the replicas have; each of them gets it."""
        return self.strategy.reduce(reduce_op, value, axis=None)

    def all_gather(self, value, axis, options=None):
        """What the replicas have, one behind the other; each of them gets it."""
        return _nest.map_structure(lambda v: self.strategy.gather(v, axis), value)

    def merge_call(self, merge_fn, args=(), kwargs=None):
        """merge_fn(strategy, ...) once for all replicas."""
        outer, _current.replicas = _current.replicas, []
        try:
            return merge_fn(self.strategy, *args, **(kwargs or {}))
        finally:
            _current.replicas = outer

    def __enter__(self):
        _current.replicas.append(self)
        return self

    def __exit__(self, *error):
        _current.replicas.pop()


class MirroredStrategy(Strategy):
    """Replicas on the devices of this machine, each with a copy of all variables."""

    def __init__(self, devices=None, cross_device_ops=None):
        super().__init__(Replicas(_one_device(devices)))


class OneDeviceStrategy(Strategy):
    """One replica, on a device of one's choice."""

    def __init__(self, device):
        super().__init__(Replicas(_one_device([device])))


class MultiWorkerMirroredStrategy(Strategy):
    """Replicas on several machines. TF_CONFIG, or the cluster_resolver, may name one worker."""

    def __init__(self, cluster_resolver=None, communication_options=None):
        from brio.distribute.cluster_resolver import TFConfigClusterResolver

        resolver = cluster_resolver or TFConfigClusterResolver()
        workers = sum(len(resolver.cluster_spec().as_dict().get(kind, ())) for kind in ("chief", "worker"))
        if workers > 1:
            raise NotImplementedError(
                f"[distribute] brio works on one machine in this version, but TF_CONFIG names {workers} workers"
            )
        super().__init__(Replicas(["/device:CPU:0"]), resolver)


def _one_device(devices):
    names = [d if isinstance(d, str) else getattr(d, "name", d) for d in devices or ["/device:CPU:0"]]
    if len(set(names)) != len(names):
        raise ValueError(f"[distribute] a device is named twice: {names}")
    if len(names) > 1:
        raise NotImplementedError(
            f"[distribute] brio has one device in this version, but the strategy is to use {names}"
        )
    return names


_default = Strategy()
_global = [_default]


def get_strategy():
    """The strategy whose scope this is; outside of all one of a single replica."""
    return _current.strategies[-1] if _current.strategies else _global[0]


def has_strategy():
    """Is this in the scope of a strategy?"""
    return get_strategy() is not _default


def experimental_set_strategy(strategy):
    """Makes a strategy that of the whole program; None ends that."""
    _global[0] = strategy or _default


def get_replica_context():
    """The replica that is being computed; None in a scope outside of run()."""
    if _current.replicas:
        return _current.replicas[-1]
    return None if has_strategy() else ReplicaContext(_default, 0)


def in_cross_replica_context():
    """Is this in a scope, but not in what run() calls?"""
    return get_replica_context() is None
