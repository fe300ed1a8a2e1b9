"""keras.applications.mobilenet_v3: what goes into MobileNetV3Small and MobileNetV3Large, and what comes out."""

from brio.keras.applications import imagenet_utils


def preprocess_input(x, data_format=None):
    """Pictures of 0 … 255 as this network takes them: unchanged."""
    return x


def decode_predictions(preds, top=5):
    """Names of the `top` most likely of 1,000 classes, for each row."""
    return imagenet_utils.decode_predictions(preds, top)
