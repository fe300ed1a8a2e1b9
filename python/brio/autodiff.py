"""tf.autodiff: gradients from the back, and products with directions from the front."""

from brio import _core, _missing, _nest
from brio._core import GradientTape

__getattr__ = _missing.attribute_error_of(__name__)


class ForwardAccumulator:
    """The product of a Jacobian with a direction, for what is computed inside of it.

    >>> x = tf.constant([2.0, 3.0])
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as acc:
    ...     y = tf.reduce_sum(x * x)
    >>> acc.jvp(y).numpy()
    np.float32(4.0)

    Gradients are linear in what they are given from above:
    the gradient of that, with the direction given to it, is the product.
    """

    def __init__(self, primals, tangents):
        self._primals = _nest.flatten(primals)
        # a tangent may be a primal, too: what is watched of one is not of the other
        self._tangents = [
            _core.identity(_core.convert_to_tensor(t, dtype_hint=p.dtype))
            for p, t in zip(self._primals, _nest.flatten(tangents))
        ]
        for primal, tangent in zip(self._primals, self._tangents):
            if tuple(primal.shape) != tuple(tangent.shape):
                raise ValueError(
                    f"a tangent has shape {tuple(tangent.shape)}, and what it belongs to {tuple(primal.shape)}"
                )
        self._tape = None

    def __enter__(self):
        if self._tape is not None:
            raise ValueError("a ForwardAccumulator is entered once")
        self._tape = GradientTape(persistent=True, watch_accessed_variables=False)
        self._tape.__enter__()
        for primal in self._primals:
            self._tape.watch(primal)
        return self

    def __exit__(self, *error):
        self._tape.__exit__(*error)

    def jvp(self, primals, unconnected_gradients="none"):
        """The product for results that were computed inside;
        None, or zeros, for what does not depend on the primals."""
        return _nest.map_structure(
            lambda y: self._product(y, str(getattr(unconnected_gradients, "value", unconnected_gradients))), primals
        )

    def _product(self, target, unconnected):
        for primal, tangent in zip(self._primals, self._tangents):
            if target is primal:
                return tangent
        y = _core.convert_to_tensor(target)
        above = _core.zeros_like(y)
        with GradientTape(watch_accessed_variables=False) as outer:
            outer.watch(above)
            found = self._tape.gradient(target, self._primals, output_gradients=above)
        pairs = [(g, t) for g, t in zip(found, self._tangents) if g is not None]
        made = outer.gradient([g for g, _ in pairs], above, output_gradients=[t for _, t in pairs]) if pairs else None
        return _core.zeros_like(y) if made is None and unconnected == "zero" else made
