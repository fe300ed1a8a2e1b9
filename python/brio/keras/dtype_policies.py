"""keras.dtype_policies."""

from brio._missing import attribute_error_of as _attribute_error_of
from brio.keras.mixed_precision import DTypePolicy  # noqa: F401

__getattr__ = _attribute_error_of(__name__)


def get(identifier):
    """A policy from its name, its config, or itself."""
    if isinstance(identifier, DTypePolicy):
        return identifier
    if isinstance(identifier, dict):
        return DTypePolicy(**identifier["config"])
    return DTypePolicy(identifier)


def serialize(policy):
    """The config of a policy."""
    from brio.keras._serialization import serialize_keras_object

    return serialize_keras_object(policy)


def deserialize(config, custom_objects=None):
    """A policy of a config."""
    return get(config)
