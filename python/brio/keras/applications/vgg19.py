"""keras.applications.vgg19: 19 layers with weights (Simonyan and Zisserman, 2014)."""

from brio.keras.applications import _vgg, imagenet_utils

_HASHES = ("cbe5617147190e668d6c5d5026f83318", "253f8cb515780f3b799900260a226db6")


def VGG19(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
          classifier_activation="softmax", name="vgg19"):  # fmt: skip
    """VGG19."""
    return _vgg.vgg(
        (2, 2, 4, 4, 4),
        _HASHES,
        include_top,
        weights,
        input_tensor,
        input_shape,
        pooling,
        classes,
        classifier_activation,
        name,
        "vgg19",
    )


def preprocess_input(x, data_format=None):
    """Pictures of 0 … 255 as this network takes them: blue first, centred."""
    return imagenet_utils.preprocess_input(x, data_format, "caffe")


def decode_predictions(preds, top=5):
    """Names of the `top` most likely of 1,000 classes, for each row."""
    return imagenet_utils.decode_predictions(preds, top)
