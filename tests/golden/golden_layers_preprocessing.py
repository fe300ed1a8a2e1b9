"""Golden values of layers that prepare numbers. See golden_layers.py."""

import keras
import numpy as np

from golden_layers import Cases


def preprocessing(c):
    L = keras.layers
    x = c.numbers(3, 4)
    c.layer("rescaling", L.Rescaling(1 / 255), x)
    c.layer("rescaling/offset", L.Rescaling(2.0, offset=-1.0), x)
    c.layer("rescaling/integers", L.Rescaling(0.5), np.arange(6, dtype=np.int32).reshape(2, 3))
    c.layer("rescaling/mixed_bfloat16", L.Rescaling(0.5, dtype="mixed_bfloat16"), x, tolerance=8e-3)
    for invert in (False, True):
        tag = "/invert" if invert else ""
        c.layer(f"normalization/one{tag}", L.Normalization(axis=None, mean=0.5, variance=4.0, invert=invert), x)
        c.layer(
            f"normalization/each{tag}",
            L.Normalization(mean=[0.1, 0.2, 0.3, 0.4], variance=[1.0, 2.0, 3.0, 0.0], invert=invert),
            x,
        )
        # adapted: the weights of the case are what adapt() leaves
        layer = L.Normalization(invert=invert)
        layer.adapt(x)
        c.layer(f"normalization/adapted{tag}", layer, x, weights=[w.numpy() for w in layer.weights])
        layer = L.Normalization(axis=1, invert=invert)
        layer.adapt(c.numbers(5, 2, 3))
        c.layer(f"normalization/axis{tag}", layer, c.numbers(2, 2, 3), weights=[w.numpy() for w in layer.weights])
    tokens = np.array([[0, 2, 2], [1, 3, 0]], np.int32)
    for mode in ("multi_hot", "count"):
        c.layer(f"category_encoding/{mode}", L.CategoryEncoding(4, mode), tokens)
        c.layer(f"category_encoding/{mode}/flat", L.CategoryEncoding(4, mode), tokens[0])
    c.layer("category_encoding/one_hot", L.CategoryEncoding(4, "one_hot"), tokens[0])
    c.layer("category_encoding/one_hot/column", L.CategoryEncoding(4, "one_hot"), tokens[:, :1])
    edges = [-0.5, 0.0, 0.5]
    for mode in ("int", "one_hot", "multi_hot", "count"):
        c.layer(f"discretization/{mode}", L.Discretization(edges, output_mode=mode), c.numbers(3, 4), gradients=False)
    for n, bins in ((7, 3), (250, 4), (40, 60)):
        layer = L.Discretization(num_bins=bins)
        layer.adapt(c.numbers(n))
        c.layer(f"discretization/adapted/{n}/{bins}", layer, c.numbers(3, 4), gradients=False)


def files(case):
    collected = Cases(case, "layers_preprocessing")
    preprocessing(collected)
    return collected.files()
