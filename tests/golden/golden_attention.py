"""attention.json and attention_causal.json: keras.ops.dot_product_attention on TensorFlow,
with gradients (see make_golden.py)."""

import keras
import numpy as np


def make(one):
    rng = np.random.default_rng(31)

    def numbers(*shape):
        return np.round(rng.uniform(-1, 1, shape), 2).astype(np.float32)

    def attend(query, key, value, mask=None, bias=None, scale=None, is_causal=0):
        return keras.ops.dot_product_attention(
            query, key, value, bias=bias, mask=mask, scale=scale, is_causal=bool(is_causal)
        )

    def add(name, q, k, v=None, mask=None, bias=None, dtype=np.float32, **params):
        inputs = {
            "query": numbers(*q).astype(dtype),
            "key": numbers(*k).astype(dtype),
            "value": numbers(*(v or k)).astype(dtype),
        }
        gradient = ["query", "key", "value"]
        if mask is not None:
            inputs["mask"] = rng.uniform(0, 1, mask) < 0.6 if isinstance(mask, tuple) else mask
        if bias is not None:
            inputs["bias"] = numbers(*bias).astype(dtype)
            gradient.append("bias")
        made = files["attention_causal" if params.get("is_causal") else "attention"]
        made.append(one(f"attention/{name}", attend, inputs, params, gradient=gradient, wave=lambda x: x % 5 - 2))

    files = {"attention": [], "attention_causal": []}
    same = (2, 3, 2, 2)
    for causal in (0, 1):
        tag = "causal" if causal else "all"
        add(f"{tag}/self", same, same, is_causal=causal)
        add(f"{tag}/longer_keys", (1, 2, 2, 3), (1, 5, 2, 3), is_causal=causal)
        add(f"{tag}/longer_queries", (1, 5, 2, 3), (1, 2, 2, 3), is_causal=causal)
        add(f"{tag}/mask", same, same, mask=(2, 2, 3, 3), is_causal=causal)
        add(f"{tag}/mask_of_keys", same, same, mask=(2, 1, 1, 3), is_causal=causal)
        add(f"{tag}/mask_of_queries", same, same, mask=(2, 1, 3, 1), is_causal=causal)
        add(
            f"{tag}/one_query_sees_nothing",
            (1, 3, 1, 2),
            (1, 4, 1, 2),
            mask=np.array([[[[1, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 1]]]], bool),
            is_causal=causal,
        )
        add(f"{tag}/bias", same, same, bias=(2, 2, 3, 3), is_causal=causal)
        add(f"{tag}/bias_of_heads", same, same, bias=(1, 2, 1, 1), is_causal=causal)
        add(f"{tag}/mask_and_bias", same, same, mask=(1, 1, 3, 3), bias=(1, 1, 3, 3), is_causal=causal)
        add(f"{tag}/value_depth", same, same, (2, 3, 2, 3), is_causal=causal)
        add(f"{tag}/scale", same, same, scale=0.7, is_causal=causal)
        add(f"{tag}/groups", (1, 3, 4, 3), (1, 4, 2, 3), is_causal=causal)
        add(f"{tag}/float64", same, same, dtype=np.float64, is_causal=causal)
    add("one_of_each", (1, 1, 1, 1), (1, 1, 1, 1))
    add("odd_depth", (1, 2, 1, 7), (1, 3, 1, 7))
    add("one_key", (1, 3, 2, 2), (1, 1, 2, 2))
    return files
