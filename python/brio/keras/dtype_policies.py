"""keras.dtype_policies."""

from brio._missing import attribute_error_of as _attribute_error_of
from brio.keras.mixed_precision import DTypePolicy

_missing = _attribute_error_of(__name__)
_ELSEWHERE = ("DTypePolicyMap", "FloatDTypePolicy")


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    if name in _ELSEWHERE:
        from brio.keras import _dtype_policy_map

        return getattr(_dtype_policy_map, name)
    return _missing(name)


def __dir__():
    return sorted({*globals(), *_ELSEWHERE})


def get(identifier):
    """A policy from its name, its config, or itself."""
    if isinstance(identifier, DTypePolicy):
        return identifier
    if isinstance(identifier, dict):
        if identifier.get("class_name") in _ELSEWHERE:
            return __getattr__(identifier["class_name"]).from_config(identifier["config"])
        return DTypePolicy(**identifier["config"])
    return DTypePolicy(identifier)


def serialize(policy):
    """The config of a policy."""
    from brio.keras._serialization import serialize_keras_object

    return serialize_keras_object(policy)


def deserialize(config, custom_objects=None):
    """A policy of a config."""
    return get(config)
