"""VGG: convolutions of 3 × 3 and nothing else (Simonyan and Zisserman, 2014)."""

from brio.keras import layers
from brio.keras.applications import _network

_FILTERS = (64, 128, 256, 512, 512)


def vgg(
    depths, hashes, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, name, file
):
    """depths: how many convolutions each of the five blocks has."""
    symbol = x = _network.begin(input_shape, input_tensor, 224, 32, include_top, weights, classes)
    for block, (filters, depth) in enumerate(zip(_FILTERS, depths), 1):
        for i in range(1, depth + 1):
            x = layers.Conv2D(filters, (3, 3), activation="relu", padding="same", name=f"block{block}_conv{i}")(x)
        x = layers.MaxPooling2D((2, 2), strides=(2, 2), name=f"block{block}_pool")(x)
    if include_top:
        x = layers.Flatten(name="flatten")(x)
        x = layers.Dense(4096, activation="relu", name="fc1")(x)
        x = layers.Dense(4096, activation="relu", name="fc2")(x)
        x = _network.classified(x, classes, classifier_activation, weights)
    else:
        x = _network.pooled(x, pooling)
    named = f"{file}_weights_tf_dim_ordering_tf_kernels{'' if include_top else '_notop'}.h5"
    return _network.end(
        symbol,
        input_tensor,
        x,
        name,
        weights,
        f"tensorflow/keras-applications/{file}",
        named,
        hashes[0 if include_top else 1],
    )
