"""keras.applications.resnet: residual networks (He and others, 2015)."""

from brio.keras.applications import _resnet, imagenet_utils


def ResNet50(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
               classifier_activation="softmax", name="resnet50"):  # fmt: skip
    """50 layers."""
    return _resnet.resnet(
        50, False, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
    )


def ResNet101(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
               classifier_activation="softmax", name="resnet101"):  # fmt: skip
    """101 layers."""
    return _resnet.resnet(
        101, False, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
    )


def ResNet152(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,
               classifier_activation="softmax", name="resnet152"):  # fmt: skip
    """152 layers."""
    return _resnet.resnet(
        152, False, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name
    )


def preprocess_input(x, data_format=None):
    """Pictures of 0 … 255 as this network takes them: blue first, centred."""
    return imagenet_utils.preprocess_input(x, data_format, "caffe")


def decode_predictions(preds, top=5):
    """Names of the `top` most likely of 1,000 classes, for each row."""
    return imagenet_utils.decode_predictions(preds, top)
