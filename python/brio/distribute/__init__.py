"""tf.distribute: one program on several replicas, each with its part of every batch.

A strategy knows the replicas and what connects them (_replicas.py); what programs call (scope, run, reduce, datasets)
is written over that, so that more devices or machines are another set of replicas and nothing else. Today this process
has one.
"""

import importlib as _importlib

_SUBMODULES = ("cluster_resolver", "experimental")
_DEFINED_IN = {
    "_strategy": (
        "MirroredStrategy",
        "MultiWorkerMirroredStrategy",
        "OneDeviceStrategy",
        "ReplicaContext",
        "RunOptions",
        "Strategy",
        "StrategyExtended",
        "experimental_set_strategy",
        "get_replica_context",
        "get_strategy",
        "has_strategy",
        "in_cross_replica_context",
    ),
    "_input": ("DistributedDataset", "DistributedIterator", "InputContext", "InputOptions", "InputReplicationMode"),
    "_replicas": (
        "CrossDeviceOps",
        "DistributedValues",
        "HierarchicalCopyAllReduce",
        "NcclAllReduce",
        "ReduceOp",
        "ReductionToOneDevice",
    ),
}
_HOMES = {name: module for module, names in _DEFINED_IN.items() for name in names}


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    if name in _SUBMODULES:
        return _importlib.import_module(f"brio.distribute.{name}")
    if name in _HOMES:
        found = globals()[name] = getattr(_importlib.import_module(f"brio.distribute.{_HOMES[name]}"), name)
        return found
    if name in ("TPUStrategy", "ParameterServerStrategy", "Server", "coordinator"):
        raise NotImplementedError(
            f"brio has no tf.distribute.{name}: replicas of brio are alike and work in step; use MirroredStrategy"
        )
    if name.startswith("__"):
        raise AttributeError(name)
    from brio._missing import explain

    raise AttributeError(explain(__name__, name))


def __dir__():
    return sorted(set(_SUBMODULES) | set(_HOMES))
