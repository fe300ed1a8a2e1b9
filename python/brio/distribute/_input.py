"""Datasets whose elements are split among the replicas of a strategy."""

import enum

from brio import _nest
from brio.data import Dataset
from brio.distribute._replicas import DistributedValues


class InputReplicationMode(enum.Enum):
    """Who makes a pipeline: each worker one, or one for each replica."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputOptions:
    """Taken by the distribution of datasets; nothing of it applies to one device."""

    def __init__(self, experimental_fetch_to_device=None, experimental_replication_mode=InputReplicationMode.PER_WORKER,
                 experimental_place_dataset_on_device=False, experimental_per_replica_buffer_size=1):  # fmt: skip
        self.experimental_fetch_to_device = experimental_fetch_to_device
        self.experimental_replication_mode = experimental_replication_mode
        self.experimental_place_dataset_on_device = experimental_place_dataset_on_device
        self.experimental_per_replica_buffer_size = experimental_per_replica_buffer_size


class InputContext:
    """Which part of the data a pipeline is to read."""

    def __init__(self, num_input_pipelines=1, input_pipeline_id=0, num_replicas_in_sync=1):
        self.num_input_pipelines, self.input_pipeline_id, self.num_replicas_in_sync = (
            num_input_pipelines,
            input_pipeline_id,
            num_replicas_in_sync,
        )

    def get_per_replica_batch_size(self, global_batch_size):
        """The part of a batch that each replica gets."""
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"[distribute] a batch of {global_batch_size} cannot be split evenly among {self.num_replicas_in_sync} "
                "replicas"
            )
        return global_batch_size // self.num_replicas_in_sync

    def __repr__(self):
        return (
            f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, total: {self.num_input_pipelines})"
        )


class DistributedDataset(Dataset):
    """A dataset of which each replica gets its share of every element. For one replica that is the whole element."""

    def __init__(self, strategy, dataset):
        super().__init__(dataset._brio_dataset, lambda: dataset.element_spec, dataset._examples, dataset._static)
        self._strategy = strategy

    def __iter__(self):
        replicas = len(self._strategy._replicas.devices)
        return super().__iter__() if replicas == 1 else DistributedIterator(super().__iter__(), replicas)


class DistributedIterator:
    """Elements in as many parts as there are replicas."""

    def __init__(self, elements, replicas):
        self._elements, self._replicas = elements, replicas
        self.element_spec = elements.element_spec

    def __iter__(self):
        return self

    def __next__(self):
        return self._split(next(self._elements))

    def get_next(self):
        """The next element; OutOfRangeError at the end."""
        return self._split(self._elements.get_next())

    def _split(self, element):
        def parts(x):
            size = -(-int(x.shape[0]) // self._replicas)
            return DistributedValues([x[i * size : (i + 1) * size] for i in range(self._replicas)])

        return _nest.map_structure(parts, element)
