"""keras.dtype_policies.DTypePolicyMap and FloatDTypePolicy."""

import re
from collections.abc import MutableMapping

from brio.keras.mixed_precision import DTypePolicy


class FloatDTypePolicy(DTypePolicy):
    """A DTypePolicy, by the name that it had.

    >>> keras.FloatDTypePolicy("mixed_float16").compute_dtype
    'float16'
    """


class DTypePolicyMap(DTypePolicy, MutableMapping):
    """Which policy a layer has, by its path or a regular expression for the whole of it.

    >>> policies = keras.dtype_policies.DTypePolicyMap("float32", {"encoder/.*": keras.DTypePolicy("bfloat16")})
    >>> policies["encoder/dense"].name, policies["head"].name
    ('bfloat16', 'float32')
    """

    def __init__(self, default_policy=None, policy_map=None):
        from brio.keras import dtype_policies

        if isinstance(default_policy, DTypePolicyMap):
            raise ValueError("[DTypePolicyMap] default_policy is a map; it must be one policy")
        if policy_map is not None and not isinstance(policy_map, dict):
            raise TypeError(f"[DTypePolicyMap] policy_map is {policy_map!r}; it must be a dictionary")
        self._default_policy_arg, self._policy_map = default_policy, policy_map or {}
        self.default_policy = dtype_policies.get(default_policy)

    name = property(lambda self: f"map_{self.default_policy.name}", doc="The name of the default policy behind map_.")
    compute_dtype = property(lambda self: self.default_policy.compute_dtype, doc="That of the default policy.")
    variable_dtype = property(lambda self: self.default_policy.variable_dtype, doc="That of the default policy.")

    def __getitem__(self, key):
        if key in self._policy_map:
            return self._policy_map[key]
        matching = [pattern for pattern in self._policy_map if re.fullmatch(pattern, key)]
        if len(matching) > 1:
            raise ValueError(f"[DTypePolicyMap] {matching} all name '{key}'; one of them must")
        return self._policy_map[matching[0]] if matching else self.default_policy

    def __setitem__(self, key, policy):
        from brio.keras import dtype_policies

        if key in self._policy_map:
            raise ValueError(f"[DTypePolicyMap] '{key}' is there already; delete it first")
        self._policy_map[key] = dtype_policies.get(policy)

    def __delitem__(self, key):
        del self._policy_map[key]

    def __contains__(self, key):
        return key in self._policy_map

    def __len__(self):
        return len(self._policy_map)

    def __iter__(self):
        return iter(self._policy_map)

    def __eq__(self, other):
        return isinstance(other, DTypePolicyMap) and (other.default_policy, other._policy_map) == (
            self.default_policy,
            self._policy_map,
        )

    __hash__ = None

    def __repr__(self):
        mapping = [(key, policy.name) for key, policy in self._policy_map.items()]
        return f"<DTypePolicyMap at {hex(id(self))} default_policy={self.default_policy.name}, mapping={mapping}>"

    def get_config(self):
        """What the map was made with."""
        from brio.keras._serialization import serialize_keras_object

        return {
            "default_policy": serialize_keras_object(self._default_policy_arg),
            "policy_map": serialize_keras_object(self._policy_map),
        }

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """A map of a config."""
        from brio.keras._serialization import deserialize_keras_object

        return cls(**{k: deserialize_keras_object(v, custom_objects) for k, v in config.items()})
