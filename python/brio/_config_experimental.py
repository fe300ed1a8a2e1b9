"""tf.config.experimental."""

from brio import _missing

__getattr__ = _missing.attribute_error_of("brio.config.experimental")
_growth = {}


def __dir__():
    return [n for n in globals() if not n.startswith("_")]


def set_memory_growth(device, enable):
    """Takes notice: memory of the CPU always grows."""
    _growth[device] = bool(enable)


def get_memory_growth(device):
    """What set_memory_growth was told."""
    return _growth.get(device, False)


def enable_op_determinism():
    """Nothing to do: every operation of Brio gives the same numbers each time, whatever the number of threads."""


def list_physical_devices(device_type=None):
    """The devices of this machine that Brio uses."""
    from brio import config

    return config.list_physical_devices(device_type)


def list_logical_devices(device_type=None):
    """The devices that programs name."""
    from brio import config

    return config.list_logical_devices(device_type)


def set_visible_devices(devices, device_type=None):
    """Says which devices are to be used."""
    from brio import config

    config.set_visible_devices(devices, device_type)


def get_visible_devices(device_type=None):
    """The devices that are used."""
    from brio import config

    return config.get_visible_devices(device_type)


def VirtualDeviceConfiguration(memory_limit=None, experimental_priority=None):
    """The old name of tf.config.LogicalDeviceConfiguration."""
    from brio import config

    return config.LogicalDeviceConfiguration(memory_limit, experimental_priority)


def set_virtual_device_configuration(device, logical_devices):
    """The old name of tf.config.set_logical_device_configuration."""
    from brio import config

    config.set_logical_device_configuration(device, logical_devices)


def get_device_details(device):
    """What is known of a device beside its name: nothing."""
    return {}


def enable_tensor_float_32_execution(enabled):
    """Nothing to do: products of float32 are computed in float32."""


def tensor_float_32_execution_enabled():
    """False: products of float32 are computed in float32."""
    return False
