"""What all networks of keras.applications begin and end with: the input, the top, the weights."""

import os
import warnings

from brio.keras import backend, layers
from brio.keras.models import Functional
from brio.keras.utils import get_file, get_source_inputs

_ADDRESS = "https://storage.googleapis.com/"


def channel_axis():
    """The axis of the channels."""
    return 1 if backend.image_data_format() == "channels_first" else -1


def begin(input_shape, input_tensor, size, smallest, include_top, weights, classes=1000, needs_size=None):
    """The symbol that a network begins with. size: what it was trained for;
    needs_size: whether its top needs a known size."""
    if not (weights in ("imagenet", None) or os.path.exists(weights)):
        raise ValueError(f"weights is None, 'imagenet' or the path of a file that is there, but got {weights!r}")
    if weights == "imagenet" and include_top and classes != 1000:
        raise ValueError(
            f"the weights of ImageNet are for 1000 classes, but classes is {classes}; pass include_top=False or "
            "weights=None"
        )
    shape = _shape(input_shape, size, smallest, include_top if needs_size is None else needs_size, weights)
    if input_tensor is None:
        return layers.Input(shape=shape)
    return input_tensor


def rows(input_shape, size, smallest, include_top, weights):
    """The height of pictures, which the names of some networks tell; None where it is open."""
    return (
        size
        if weights == "imagenet"
        else _shape(input_shape, size, smallest, include_top, weights)[
            1 if backend.image_data_format() == "channels_first" else 0
        ]
    )


def _shape(given, size, smallest, needs_size, weights):
    first = backend.image_data_format() == "channels_first"
    channels = (
        (given[0] if first else given[-1]) if given is not None and len(given) == 3 and weights != "imagenet" else 3
    )
    usual = (channels, size, size) if first else (size, size, channels)
    if given is None:
        return usual if needs_size else (3, None, None) if first else (None, None, 3)
    given = tuple(given)
    if len(given) != 3:
        raise ValueError(f"input_shape has three numbers, rows, columns and channels, but is {given}")
    sizes, found = (given[1:], given[0]) if first else (given[:2], given[2])
    if weights == "imagenet" and found != 3:
        raise ValueError(f"the weights of ImageNet are for 3 channels, but input_shape is {given}")
    if weights == "imagenet" and needs_size and given != usual:
        raise ValueError(f"with include_top=True and the weights of ImageNet input_shape is {usual}, but it is {given}")
    if found not in (1, 3):
        warnings.warn(f"this network is for pictures of 1 or 3 channels, but input_shape is {given}", stacklevel=4)
    if any(n is not None and n < smallest for n in sizes):
        raise ValueError(f"pictures are at least {smallest} × {smallest} for this network, but input_shape is {given}")
    if needs_size and None in given:
        raise ValueError(f"with include_top=True the size of pictures must be known, but input_shape is {given}")
    return given


def classified(x, classes, activation, weights):
    """The usual last layer."""
    check_activation(activation, weights)
    return layers.Dense(classes, activation=activation, name="predictions")(x)


def check_activation(activation, weights):
    """Weights of a file were trained for softmax."""
    if weights is not None and getattr(activation, "__name__", activation) not in ("softmax", "linear", None):
        raise ValueError(
            f"with weights that were trained classifier_activation is 'softmax' or None, but it is {activation!r}"
        )


def pooled(x, pooling, average=None, maximum=None):
    """What a network without its top ends with; average and maximum are names of layers."""
    if pooling == "avg":
        return layers.GlobalAveragePooling2D(name=average)(x)
    return layers.GlobalMaxPooling2D(name=maximum)(x) if pooling == "max" else x


def end(symbol, input_tensor, x, name, weights, folder, file, file_hash=None, kept_as=None):
    """The model between the symbols, with weights of a file, or of `file` in a folder of Keras' server,
    whose copy here may have another name."""
    model = Functional(symbol if input_tensor is None else get_source_inputs(input_tensor), x, name=name)
    if weights == "imagenet":
        weights = get_file(kept_as or file, f"{_ADDRESS}{folder}/{file}", cache_subdir="models", file_hash=file_hash)
    if weights is not None:
        model.load_weights(weights)
    return model


def padding_for(x, kernel):
    """Zeros before and after, so that a stride of 2 takes what TensorFlow's "same" takes of odd and even sizes."""
    rows = 2 if backend.image_data_format() == "channels_first" else 1
    sizes = x.shape[rows : rows + 2]
    less = (1, 1) if sizes[0] is None else tuple(1 - n % 2 for n in sizes)
    return tuple((kernel // 2 - n, kernel // 2) for n in less)


def divisible(channels, divisor=8, smallest=None):
    """The nearest multiple of the divisor that loses no more than a tenth."""
    made = max(smallest or divisor, int(channels + divisor / 2) // divisor * divisor)
    return made + divisor if made < 0.9 * channels else made
