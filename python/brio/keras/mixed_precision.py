"""keras.mixed_precision and keras.dtype_policies."""

from brio import _core


class DTypePolicy:
    """In which dtype layers compute, and in which they keep their weights."""

    def __init__(self, name=None):
        self.name, self.compute_dtype, self.variable_dtype = _core._policy_dtypes(name)

    def __repr__(self):
        return f'<DTypePolicy "{self.name}">'

    def __eq__(self, other):
        return isinstance(other, DTypePolicy) and other.name == self.name

    def __hash__(self):
        return hash(self.name)

    def get_config(self):
        """What the policy was made with."""
        return {"name": self.name}

    @classmethod
    def from_config(cls, config):
        """A policy of a config."""
        return cls(**config)


Policy = DTypePolicy


def set_global_policy(policy):
    """Sets the policy of layers that are made from now on."""
    _core._set_global_policy(policy)


def global_policy():
    """The policy of layers that say none."""
    return DTypePolicy(_core._global_policy())


set_dtype_policy, dtype_policy = set_global_policy, global_policy


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    if name == "LossScaleOptimizer":
        from brio.keras.optimizers import LossScaleOptimizer

        return LossScaleOptimizer
    from brio._missing import explain

    raise AttributeError(explain(__name__, name) if not name.startswith("__") else name)


def __dir__():
    return sorted({*globals(), "LossScaleOptimizer"})
