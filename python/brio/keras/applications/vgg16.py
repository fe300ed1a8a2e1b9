"""keras.applications.vgg16: 16 layers with weights (Simonyan and Zisserman, 2014)."""

from brio.keras.applications import _vgg, imagenet_utils

_HASHES = ("64373286793e3c8b2b4e3219cbf3544b", "6d6bbae143d832006294945121d1f1fc")


def VGG16(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
          classifier_activation="softmax", name="vgg16"):  # fmt: skip
    """VGG16."""
    return _vgg.vgg(
        (2, 2, 3, 3, 3),
        _HASHES,
        include_top,
        weights,
        input_tensor,
        input_shape,
        pooling,
        classes,
        classifier_activation,
        name,
        "vgg16",
    )


def preprocess_input(x, data_format=None):
    """Pictures of 0 … 255 as this network takes them: blue first, centred."""
    return imagenet_utils.preprocess_input(x, data_format, "caffe")


def decode_predictions(preds, top=5):
    """Names of the `top` most likely of 1,000 classes, for each row."""
    return imagenet_utils.decode_predictions(preds, top)
