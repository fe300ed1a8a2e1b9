"""tf.data: input pipelines."""

from brio import _core
from brio._lazy import names
from brio.data import experimental
from brio.data._dataset import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Dataset
from brio.data._elements import DatasetSpec
from brio.data._options import Options, ThreadingOptions
from brio.data._readers import TextLineDataset, TFRecordDataset

__getattr__, __dir__, _HOMES = names(
    __name__, {"_type_specs": "IteratorSpec", "data._more_experimental": "FixedLengthRecordDataset NumpyIterator"}
)

Iterator = _core._DatasetIterator


def make_one_shot_iterator(dataset):
    """tf.compat.v1.data: an iterator over the dataset."""
    return iter(dataset)
