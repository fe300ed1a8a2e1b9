"""Replicas, values of which there is one for each of them, and how these become one value."""

import enum

from brio import _core, _nest


class ReduceOp(enum.Enum):
    """How the values of replicas become one."""

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def of(op):
        """ReduceOp of itself or of its name."""
        if isinstance(op, ReduceOp):
            return op
        try:
            return ReduceOp[str(op).upper()]
        except KeyError:
            raise ValueError(f"[distribute] values are reduced by 'SUM' or 'MEAN', but got {op!r}") from None


class DistributedValues:
    """One value for each replica of this process."""

    def __init__(self, values):
        self._values = tuple(values)

    @property
    def values(self):
        """The values, in the order of the replicas."""
        return self._values

    def __repr__(self):
        return "PerReplica:{\n" + ",\n".join(f"  {i}: {value}" for i, value in enumerate(self._values)) + "\n}"


class Replicas:
    """The replicas of this process and of others: how many, and what their values add up to.

    With more than one process, `total` and `first` come from the communicator, and `sum` goes through it.
    """

    def __init__(self, devices, total=None, first=0):
        self.devices, self.total, self.first = tuple(devices), total or len(devices), first

    def call(self, fn, args, kwargs, enter):
        """fn for each replica of this process; enter(i) makes i the replica that get_replica_context() tells of."""
        made = []
        for i in range(len(self.devices)):
            with enter(self.first + i):
                made.append(
                    fn(
                        *_nest.map_structure(lambda x, i=i: local(x, i), args),
                        **_nest.map_structure(lambda x, i=i: local(x, i), kwargs),
                    )
                )
        return _per_replica(made)

    def reduce(self, op, value):
        """The sum or mean of a value over all replicas."""
        values = [_core.convert_to_tensor(v) for v in local_values(value)]
        total = values[0]
        for one in values[1:]:
            total = total + one
        return total / self.total if op is ReduceOp.MEAN and self.total > 1 else total


def local(x, i):
    """The i-th replica's part of a value."""
    return x.values[i] if isinstance(x, DistributedValues) else x


def local_values(x):
    """The values of the replicas of this process; what is no DistributedValues is the value of each."""
    return x.values if isinstance(x, DistributedValues) else (x,)


def _per_replica(results):
    """Results of several replicas as one structure of DistributedValues; of one replica as they are."""
    if len(results) == 1:
        return results[0]
    flat = [_nest.flatten(r) for r in results]
    return _nest.pack(results[0], [DistributedValues(values) for values in zip(*flat)])


class CrossDeviceOps:
    """How replicas exchange values. There is one way here, which these classes all name."""

    def __init__(self, *args, **kwargs):
        pass


class HierarchicalCopyAllReduce(CrossDeviceOps):
    """Named by programs; see CrossDeviceOps."""


class NcclAllReduce(CrossDeviceOps):
    """Named by programs; see CrossDeviceOps."""


class ReductionToOneDevice(CrossDeviceOps):
    """Named by programs; see CrossDeviceOps."""
