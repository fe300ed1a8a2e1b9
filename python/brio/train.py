"""tf.train."""

from brio._averages import ExponentialMovingAverage
from brio._checkpoint import (
    Checkpoint, CheckpointManager, get_checkpoint_state, latest_checkpoint, list_variables, load_checkpoint,
    load_variable,
)  # fmt: skip
from brio._checkpoint_views import CheckpointOptions, TrackableView, checkpoints_iterator
from brio._cluster import ClusterSpec
from brio._example import (
    BytesList, Example, Feature, FeatureList, FeatureLists, Features, FloatList, Int64List, SequenceExample,
)  # fmt: skip
from brio._lazy import names

__getattr__, __dir__, _HOMES = names(__name__, {"compat.v1._coordinator": "Coordinator"})
