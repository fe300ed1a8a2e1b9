"""keras.preprocessing: old names of what keras.utils has."""

from brio._missing import attribute_error_of
from brio.keras.preprocessing import image, sequence, text
from brio.keras.utils import image_dataset_from_directory, text_dataset_from_directory, timeseries_dataset_from_array

__getattr__ = attribute_error_of(__name__)
