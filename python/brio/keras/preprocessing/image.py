"""keras.preprocessing.image."""

from brio._missing import attribute_error_of
from brio.keras._pictures import array_to_img, img_to_array, load_img, save_img  # noqa: F401
from brio.keras.preprocessing._augmentation import ImageDataGenerator, Iterator, apply_affine_transform  # noqa: F401
from brio.keras.utils import image_dataset_from_directory  # noqa: F401

__getattr__ = attribute_error_of(__name__)


def smart_resize(x, size, interpolation="bilinear", **kwargs):
    """Another size without stretching: what is too much is cut off."""
    import brio as tf
    from brio.keras.layers import Resizing

    made = Resizing(*size, interpolation=interpolation, crop_to_aspect_ratio=True)(tf.convert_to_tensor(x))
    return made.numpy() if not tf.is_tensor(x) else made
