"""keras.applications.resnet50: ResNet50 under its older address."""

from brio.keras.applications.resnet import ResNet50, decode_predictions, preprocess_input  # noqa: F401
