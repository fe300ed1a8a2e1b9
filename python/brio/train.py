"""tf.train."""

from brio._example import (
    BytesList, Example, Feature, FeatureList, FeatureLists, Features, FloatList, Int64List, SequenceExample,
)  # fmt: skip
from brio._missing import attribute_error_of

__getattr__ = attribute_error_of(__name__)
