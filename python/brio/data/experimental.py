"""tf.data.experimental: names of earlier days, and CSV files."""

import enum as _enum

from brio._lazy import names as _names
from brio.data._dataset import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from brio.data._dataset import Dataset as _Dataset
from brio.data._options import (
    AutotuneAlgorithm, AutotuneOptions, DistributeOptions, ExternalStatePolicy, OptimizationOptions, ServiceOptions,
    ThreadingOptions,
)  # fmt: skip
from brio.data._readers import CsvDataset, make_csv_dataset

__getattr__, __dir__, _HOMES = _names(
    __name__,
    {
        "data._kept": "Optional",
        "data._more_experimental": (
            "DatasetInitializer Reducer TFRecordWriter dense_to_sparse_batch from_list group_by_reducer "
            "index_table_from_dataset make_batched_features_dataset pad_to_cardinality parse_example_dataset "
            "table_from_dataset"
        ),
    },
)

SHARD_HINT = -1

Counter = _Dataset.counter
RandomDataset = _Dataset.random
choose_from_datasets = _Dataset.choose_from_datasets
sample_from_datasets = _Dataset.sample_from_datasets


def save(dataset, path, compression=None, shard_func=None, checkpoint_args=None):
    """Writes the elements to a folder, as Dataset.save."""
    dataset.save(path, compression, shard_func, checkpoint_args)


load = _Dataset.load


def snapshot(path, compression="AUTO", reader_func=None, shard_func=None):
    """For Dataset.apply: as Dataset.snapshot."""
    return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)


def rejection_resample(class_func, target_dist, initial_dist=None, seed=None):
    """For Dataset.apply: as Dataset.rejection_resample."""
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


def get_next_as_optional(iterator):
    """The next element, or an Optional without value at the end."""
    return iterator.get_next_as_optional()


def parallel_interleave(
    map_func, cycle_length, block_length=1, sloppy=False, buffer_output_elements=None, prefetch_input_elements=None
):
    """For Dataset.apply: as Dataset.interleave."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)


def cardinality(dataset):
    """The number of elements."""
    return dataset.cardinality()


def assert_cardinality(expected_cardinality):
    """A transformation: the dataset is said to have that many elements, and has."""

    def apply(dataset):
        from brio.errors import FailedPreconditionError

        known = dataset._brio_dataset.cardinality()
        if known >= 0 and known != expected_cardinality:
            raise FailedPreconditionError(
                f"Input dataset was expected to contain {expected_cardinality} elements but contains {known}."
            )
        if known >= 0:
            return dataset
        made = dataset.take(expected_cardinality)
        made._asserted = int(expected_cardinality)
        return made

    return apply


def ignore_errors(log_warning=False):
    """For Dataset.apply: leaves out elements that fail."""
    return lambda dataset: dataset.ignore_errors(log_warning)


def unbatch():
    """For Dataset.apply: the rows of each element, one by one."""
    return lambda dataset: dataset.unbatch()


def unique():
    """For Dataset.apply: each element once."""
    return lambda dataset: dataset.unique()


def scan(initial_state, scan_func):
    """For Dataset.apply: a running fold, as Dataset.scan."""
    return lambda dataset: dataset.scan(initial_state, scan_func)


def take_while(predicate):
    """For Dataset.apply: elements until the predicate fails."""
    return lambda dataset: dataset.take_while(predicate)


def enumerate_dataset(start=0):
    """For Dataset.apply: (number, element)."""
    return lambda dataset: dataset.enumerate(start)


def group_by_window(key_func, reduce_func, window_size=None, window_size_func=None):
    """For Dataset.apply: as Dataset.group_by_window."""
    return lambda dataset: dataset.group_by_window(key_func, reduce_func, window_size, window_size_func)


def bucket_by_sequence_length(*args, **kwargs):
    """For Dataset.apply: as Dataset.bucket_by_sequence_length."""
    return lambda dataset: dataset.bucket_by_sequence_length(*args, **kwargs)


def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
    """For Dataset.apply: map, then batch."""
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)


def shuffle_and_repeat(buffer_size, count=None, seed=None):
    """For Dataset.apply: shuffle, then repeat."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def dense_to_ragged_batch(batch_size, drop_remainder=False, row_splits_dtype="int64"):
    """For Dataset.apply: as Dataset.ragged_batch."""
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


class AutoShardPolicy(_enum.IntEnum):
    """How datasets are split among machines; here there is one."""

    OFF, AUTO, FILE, DATA, HINT = -1, 0, 1, 2, 3


def prefetch_to_device(device, buffer_size=None):
    """For Dataset.apply: as Dataset.prefetch; there is one device."""
    return lambda dataset: dataset.prefetch(buffer_size)


def copy_to_device(target_device, source_device="/cpu:0"):
    """For Dataset.apply: the dataset itself; there is one device."""
    return lambda dataset: dataset


def get_single_element(dataset):
    """The only element of a dataset."""
    return dataset.get_single_element()


def get_structure(dataset_or_iterator):
    """The types of an element's tensors."""
    return dataset_or_iterator.element_spec


def at(dataset, index):
    """The element at that place."""
    from brio.errors import OutOfRangeError

    for element in dataset.skip(int(index)).take(1):
        return element
    raise OutOfRangeError(f"Index {int(index)} is past the end of the dataset")
