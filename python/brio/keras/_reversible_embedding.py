"""ReversibleEmbedding: vectors for numbers, and for vectors how near each number's is."""

import brio as tf
from brio import _core
from brio.keras import constraints, initializers, regularizers
from brio.keras._layer import Layer


class ReversibleEmbedding(Layer):
    """A vector for each number, as Embedding; layer(x, reverse=True) gives the products of vectors with those of all
    numbers.

    >>> layer = keras.layers.ReversibleEmbedding(100, 16)
    >>> layer(layer(np.array([[1, 2, 3]])), reverse=True).shape
    TensorShape([1, 3, 100])
    """

    def __init__(self, input_dim, output_dim, tie_weights=True, embeddings_initializer="uniform",
                 embeddings_regularizer=None, embeddings_constraint=None, mask_zero=False, reverse_dtype=None,
                 logit_soft_cap=None, **kwargs):  # fmt: skip
        if kwargs.pop("quantization_config", None) is not None:
            raise ValueError("[ReversibleEmbedding] quantization_config is not supported; leave it out")
        super().__init__(**kwargs)
        self.input_dim, self.output_dim, self.tie_weights, self.mask_zero = (
            int(input_dim),
            int(output_dim),
            tie_weights,
            mask_zero,
        )
        self.embeddings_initializer = initializers.get(embeddings_initializer)
        self.embeddings_regularizer, self.embeddings_constraint = (
            regularizers.get(embeddings_regularizer),
            constraints.get(embeddings_constraint),
        )
        self.reverse_dtype, self.logit_soft_cap = reverse_dtype, logit_soft_cap
        self.supports_masking = mask_zero
        object.__setattr__(self, "_reverses", False)  # did the last call?

    def build(self, input_shape=None):
        self.embeddings = self.add_weight((self.input_dim, self.output_dim), self.embeddings_initializer,
                                          name="embeddings", regularizer=self.embeddings_regularizer,
                                          constraint=self.embeddings_constraint)  # fmt: skip
        if not self.tie_weights:
            self.reverse_embeddings = self.add_weight(
                (self.output_dim, self.input_dim), self.embeddings_initializer, name="reverse_embeddings"
            )

    def call(self, inputs, reverse=False):
        object.__setattr__(self, "_reverses", reverse)
        if not reverse:
            numbers = inputs if inputs.dtype in ("int32", "int64") else _core.cast(inputs, "int32")
            return _core.cast(_core.gather(_core.convert_to_tensor(self.embeddings), numbers), self.compute_dtype)
        dtype = self.reverse_dtype or self.compute_dtype
        kernel = _core.cast(self.embeddings if self.tie_weights else self.reverse_embeddings, dtype)
        products = tf.tensordot(_core.cast(inputs, dtype), tf.transpose(kernel) if self.tie_weights else kernel, axes=1)
        return (
            products if self.logit_soft_cap is None else tf.tanh(products / self.logit_soft_cap) * self.logit_soft_cap
        )

    def compute_mask(self, inputs, previous_mask=None):
        """Which numbers are not 0, where mask_zero is set."""
        return tf.not_equal(inputs, _core.cast(0, inputs.dtype)) if self.mask_zero and not self._reverses else None


ReversibleEmbedding.__module__ = "brio.keras.layers"  # where configs find it
