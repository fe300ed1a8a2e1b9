"""tf.train.ExponentialMovingAverage: shadows of variables, which follow them slowly."""

from brio import _core


class ExponentialMovingAverage:
    """shadow = decay * shadow + (1 - decay) * variable, at each apply().

    >>> v = tf.Variable(0.0)
    >>> ema = tf.train.ExponentialMovingAverage(decay=0.5)
    >>> _ = ema.apply([v]); _ = v.assign(4.0); _ = ema.apply([v])
    >>> ema.average(v).numpy()
    np.float32(2.0)
    """

    def __init__(self, decay, num_updates=None, zero_debias=False, name="ExponentialMovingAverage"):
        self._decay, self._num_updates, self._zero_debias, self._name = decay, num_updates, zero_debias, name
        self._shadows = {}  # by the key of the variable: (variable, shadow, biased, steps)

    name = property(lambda self: self._name, doc="Its name.")

    def apply(self, var_list=None):
        """Moves the shadows of these variables; the first call makes them."""
        if var_list is None:
            raise ValueError("apply() needs the variables: there is no collection of all of them")
        decay = _core.convert_to_tensor(self._decay, "float32")
        if self._num_updates is not None:
            count = _core.cast(self._num_updates, "float32")
            decay = _core.minimum(decay, (1.0 + count) / (10.0 + count))
        for variable in var_list:
            if not variable.dtype.is_floating:
                raise TypeError(f"The variables must be half, float, or double: {variable.name}")
            self._move(variable, _core.cast(decay, variable.dtype))

    def _move(self, variable, decay):
        key = variable._key()
        if key not in self._shadows:
            name = f"{variable.name.split(':')[0]}/{self._name}"
            start = _core.zeros_like(variable) if self._zero_debias else _core.convert_to_tensor(variable)
            shadow = _core.Variable(start, trainable=False, name=name)
            extra = (
                (
                    _core.Variable(_core.zeros_like(variable), trainable=False),
                    _core.Variable(_core.zeros([], variable.dtype), trainable=False),
                )
                if self._zero_debias
                else ()
            )
            self._shadows[key] = (variable, shadow, extra)
        _, shadow, extra = self._shadows[key]
        if extra:  # begins at zero, and is divided by what the weights add up to
            biased, total = extra
            biased.assign(decay * biased + (1 - decay) * variable)
            total.assign(decay * total + (1 - decay))
            shadow.assign(biased / total)
        else:
            shadow.assign(shadow - (shadow - variable) * (1 - decay))

    def average(self, var):
        """The shadow of a variable; None where there is none."""
        found = self._shadows.get(var._key())
        return None if found is None else found[1]

    def average_name(self, var):
        """The name of its shadow."""
        found = self.average(var)
        return found.name.split(":")[0] if found is not None else f"{var.name.split(':')[0]}/{self._name}"

    def variables_to_restore(self, moving_avg_variables=None):
        """{name to restore from: variable}."""
        made = {shadow.name.split(":")[0]: variable for variable, shadow, _ in self._shadows.values()}
        known = {v._key() for v, _, _ in self._shadows.values()}
        return {**made, **{v.name.split(":")[0]: v for v in moving_avg_variables or () if v._key() not in known}}
