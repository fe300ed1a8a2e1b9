"""layers_attention_….json: attention layers (see golden_layers.py)."""

import keras
import numpy as np
import tensorflow as tf

from golden_layers import Cases


def on_a_list(kind):
    """The layer of Keras, called on one list of inputs, whose masks it finds on the tensors."""

    def call(self, inputs, mask=None, **keywords):
        inputs = [tf.identity(x) for x in inputs]
        for x, m in zip(inputs, mask or []):
            if m is not None:
                x._keras_mask = m
        if len(inputs) > 3:
            keywords["attention_mask"] = inputs.pop()
        results = kind.__call__(self, *inputs, **keywords)
        if isinstance(results, tuple):  # a layer inside leaves its mask on the scores; they have none of their own
            results[1]._keras_mask = None
        return results

    # Under its own name, for the config.
    name = "GroupQueryAttention" if kind is keras.layers.GroupQueryAttention else kind.__name__
    return type(name, (kind,), {"__call__": call})


def attention(c):
    L = keras.layers
    q, v, k = c.numbers(2, 3, 4), c.numbers(2, 5, 4), c.numbers(2, 5, 4)
    short_mask = np.array([[1, 1, 0], [1, 0, 1]], bool)
    long_mask = np.array([[1, 0, 1, 1, 0], [0, 1, 1, 0, 1]], bool)
    tags = {
        "": {},
        "/causal": {"use_causal_mask": True},
        "/scores": {"return_attention_scores": True},
        "/causal_scores": {"use_causal_mask": True, "return_attention_scores": True},
    }
    kinds = {
        "dot": lambda **o: L.Attention(**o),
        "dot_scale": lambda **o: L.Attention(use_scale=True, **o),
        "concat": lambda **o: L.Attention(score_mode="concat", **o),
        "concat_scale": lambda **o: L.Attention(score_mode="concat", use_scale=True, **o),
        "additive": lambda **o: L.AdditiveAttention(**o),
        "additive_plain": lambda **o: L.AdditiveAttention(use_scale=False, **o),
    }
    for name, make in kinds.items():
        c.layer(f"{name}/key", make(), q, v, k)
        c.layer(f"{name}/masks", make(), q, v, masks=[short_mask, long_mask])
        for tag, call in tags.items():
            if name in ("dot", "additive"):
                c.layer(name + tag, make(), q, v, call=call)
    c.layer(
        "dot/masks_causal",
        L.Attention(),
        q,
        v,
        k,
        masks=[short_mask, long_mask, None],
        call={"use_causal_mask": True, "return_attention_scores": True},
    )
    c.layer("dot/query_mask", L.Attention(), q, v, masks=[short_mask, None])
    c.layer("dot/value_mask", L.Attention(), q, v, masks=[None, long_mask])
    c.layer("dot/value_features", L.Attention(), q, c.numbers(2, 5, 3), k)
    c.layer("dot/dropout_inference", L.Attention(dropout=0.5, seed=3), q, v)
    c.layer("dot/float64", L.Attention(use_scale=True, dtype="float64"), q.astype(np.float64), v.astype(np.float64))
    # bfloat16 has 8 bits: scores, weights and results are each rounded.
    c.layer("dot/mixed_bfloat16", L.Attention(use_scale=True, dtype="mixed_bfloat16"), q, v, tolerance=2.5e-2)
    c.layer("additive/mixed_bfloat16", L.AdditiveAttention(dtype="mixed_bfloat16"), q, v, tolerance=2.5e-2)


def multi_head(c):
    L = keras.layers
    MHA, GQA = on_a_list(L.MultiHeadAttention), on_a_list(L.GroupQueryAttention)

    def layer(name, *arguments, tolerance=1e-5, **keywords):
        # The key's bias shifts all logits of a query alike: its gradient is 0 but for rounding, which has no scale of
        # its own to be measured by.
        c.layer(name, *arguments, tolerance=tolerance, **keywords)

    q, v, k = c.numbers(2, 3, 4), c.numbers(2, 4, 3), c.numbers(2, 4, 2)
    short_mask = np.array([[1, 1, 0], [1, 0, 1]], bool)
    long_mask = np.array([[1, 0, 1, 1], [0, 1, 1, 0]], bool)
    key_mask = np.array([[1, 1, 1, 0], [1, 1, 1, 0]], bool)
    own = c.rng.uniform(0, 1, (2, 3, 4)) < 0.6
    tags = {
        "": {},
        "/causal": {"use_causal_mask": True},
        "/scores": {"return_attention_scores": True},
        "/causal_scores": {"use_causal_mask": True, "return_attention_scores": True},
    }
    for tag, call in tags.items():
        layer(f"mha/self{tag}", MHA(2, 3), q, q, call=call)
        layer(f"mha/cross{tag}", MHA(2, 3), q, v, k, call=call)
        layer(f"mha/masks{tag}", MHA(2, 3), q, v, masks=[short_mask, long_mask], call=call)
        layer(f"mha/attention_mask{tag}", MHA(2, 3), q, v, k, own.astype(np.int32), call=call)
        layer(f"mha/sliding_window{tag}", MHA(2, 3, sliding_window=2), q, v, call=call)
        layer(f"gqa/self{tag}", GQA(3, 4, 2), q, q, call=call)
        layer(f"gqa/masks{tag}", GQA(2, 2, 1), q, c.numbers(2, 4, 4), masks=[short_mask, long_mask], call=call)
        layer(
            f"gqa/attention_mask{tag}",
            GQA(2, 2, 1),
            q,
            c.numbers(2, 4, 4),
            c.numbers(2, 4, 4),
            own.astype(np.int32),
            call=call,
        )
    layer("mha/all_masks", MHA(2, 3), q, v, k, own.astype(np.int32), masks=[short_mask, long_mask, key_mask, None])
    layer("mha/attention_mask_of_heads", MHA(2, 3), q, v, v, (c.rng.uniform(0, 1, (2, 2, 3, 4)) < 0.6).astype(np.int32))
    layer("mha/attention_mask_repeated", MHA(2, 3), q, v, v, np.array([[[1, 0, 1, 1]]], np.int32))
    nothing = own.copy()
    nothing[0, 1] = False
    layer("mha/sees_nothing", MHA(2, 3), q, v, v, nothing.astype(np.int32))
    layer("mha/sees_nothing/dropout", MHA(2, 3, dropout=0.4), q, v, v, nothing.astype(np.int32))
    layer(
        "mha/sees_nothing/scores", MHA(2, 3), q, v, v, nothing.astype(np.int32), call={"return_attention_scores": True}
    )
    layer(
        "gqa/sees_nothing/dropout",
        GQA(2, 2, 1, dropout=0.4),
        q,
        c.numbers(2, 4, 4),
        c.numbers(2, 4, 4),
        nothing.astype(np.int32),
        call={"use_causal_mask": True},
    )
    layer("mha/value_dim", MHA(2, 3, value_dim=2), q, v)
    layer("mha/one_head", MHA(1, 4), q, v)
    layer("mha/no_bias", MHA(2, 3, use_bias=False), q, v)
    layer("mha/output_shape", MHA(2, 3, output_shape=5), q, v)
    layer("mha/output_shape_2", MHA(2, 3, output_shape=(2, 3)), q, v)
    layer("mha/gate", MHA(2, 3, use_gate=True), q, v)
    layer("mha/gate_value_dim", MHA(2, 3, value_dim=2, use_gate=True), q, v, call={"return_attention_scores": True})
    layer("mha/dropout_inference", MHA(2, 3, dropout=0.4, seed=2), q, v)
    layer("mha/regularised", MHA(2, 3, kernel_regularizer="l2", bias_regularizer="l1", activity_regularizer="l2"), q, v)
    layer("gqa/regularised", GQA(2, 2, 1, kernel_regularizer="l2", activity_regularizer="l1"), q, q)
    layer("gqa/no_bias_gate", GQA(2, 4, 2, use_bias=False, use_gate=True), q, q)
    layer("gqa/one_group", GQA(2, 4, 4), q, q)
    layer("gqa/key", GQA(2, 4, 2, sliding_window=1), q, c.numbers(2, 4, 4), c.numbers(2, 4, 3))
    image, other = c.numbers(1, 2, 3, 2), c.numbers(1, 2, 3, 3)
    layer("mha/axes_default", MHA(2, 2), image, other)
    layer("mha/axes_both", MHA(2, 2, attention_axes=(1, 2)), image, other, call={"return_attention_scores": True})
    layer("mha/axis_1", MHA(2, 2, attention_axes=1), image, other)
    layer("mha/axis_2", MHA(2, 2, attention_axes=(2,)), image, c.numbers(1, 2, 4, 3))
    layer("mha/axis_last", MHA(2, 2, attention_axes=(-2,)), image, other, call={"return_attention_scores": True})
    layer("mha/axes_turned", MHA(1, 2, attention_axes=(2, 1)), image, other, call={"return_attention_scores": True})
    layer(
        "mha/axis_2_mask",
        MHA(2, 2, attention_axes=(2,)),
        image,
        image,
        image,
        (c.rng.uniform(0, 1, (1, 3, 3)) < 0.6).astype(np.int32),
    )
    layer("mha/float64", MHA(2, 3, dtype="float64"), q.astype(np.float64), v.astype(np.float64))
    # bfloat16 has 8 bits: Keras rounds projections, scores, weights and sums, each once; Brio not all of them.
    layer("mha/mixed_bfloat16", MHA(2, 3, dtype="mixed_bfloat16"), q, v, tolerance=6e-2)
    layer(
        "mha/mixed_bfloat16_scores",
        MHA(2, 3, dtype="mixed_bfloat16"),
        q,
        v,
        tolerance=6e-2,
        call={"return_attention_scores": True},
    )
    layer("gqa/mixed_bfloat16", GQA(2, 4, 2, dtype="mixed_bfloat16"), q, q, tolerance=6e-2)


def files(case):
    collected = Cases(case, "layers_attention")
    attention(collected)
    multi_head(collected)
    return collected.files()
