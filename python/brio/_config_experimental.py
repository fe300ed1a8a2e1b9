"""tf.config.experimental."""

from brio import _core, _missing

__getattr__ = _missing.attribute_error_of("brio.config.experimental")
_growth = {}


def __dir__():
    return [n for n in globals() if not n.startswith("_")]


def set_memory_growth(device, enable):
    """Takes notice: Brio takes memory of a device as it needs it, and gives back what it has not used for long."""
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
    """What is known of a device beside its name: {"device_name": ...} where it has one."""
    from brio import config

    name = config._named(device, "get_device_details")
    found = [description for known, _, _, description in _core._devices(False) if known == name]
    return {"device_name": found[0]} if found[0] else {}


def _device(device, who):
    name = _core._device_name(device)
    if name is None:
        from brio import config

        raise ValueError(
            f"[{who}] no device is called {device!r}; there are: "
            f"{', '.join(d.name for d in config.list_logical_devices())}"
        )
    return name


def get_memory_info(device):
    """The bytes of a device's memory that tensors hold now ("current") and held at most ("peak");
    of the CPU, what Brio's ledger has.

    >>> sorted(tf.config.experimental.get_memory_info("CPU:0"))
    ['current', 'peak']
    """
    return _core._memory_info(_device(device, "get_memory_info"))


def get_memory_usage(device):
    """The bytes of a device's memory that tensors hold now."""
    return get_memory_info(device)["current"]


def reset_memory_stats(device):
    """From now on the peak is counted anew. That of the CPU is the ledger's and stays."""
    _core._reset_memory_peak(_device(device, "reset_memory_stats"))


def get_device_traffic():
    """What went to devices and came back since the start, or since reset_device_traffic: by device, the number of
    copies and their bytes, and under "host_ops" the ops that a device has no kernel for, which the CPU ran: how often,
    the bytes that were copied for them, and the seconds."""
    return _core._device_traffic()


def reset_device_traffic():
    """Counts what get_device_traffic gives from zero."""
    _core._reset_device_traffic()


def enable_tensor_float_32_execution(enabled):
    """May products and convolutions of float32 be computed in TF32 on GPUs, several times faster and about as exact as
    float16? Off unless asked for. It counts for what is traced or planned from now on."""
    _core._set_tensor_float_32(bool(enabled))


def tensor_float_32_execution_enabled():
    """May products of float32 be computed in TF32 on GPUs?"""
    return _core._tensor_float_32()


def get_virtual_device_configuration(device):
    """The old name of tf.config.get_logical_device_configuration."""
    from brio import config

    return config.get_logical_device_configuration(device)


_policy, _synchronous = "silent", True


def set_device_policy(device_policy):
    """Keeps what TensorFlow is told of tensors on another device than their operation: Brio copies them."""
    global _policy
    if device_policy not in (None, "silent", "silent_for_int32", "warn", "explicit"):
        raise ValueError(f"Not a valid device policy: {device_policy!r}")
    _policy = device_policy or "silent"


def get_device_policy():
    """What set_device_policy was told.

    >>> tf.config.experimental.get_device_policy()
    'silent'
    """
    return _policy


def set_synchronous_execution(enable):
    """Keeps the setting: a value is computed when it is read, in any case."""
    global _synchronous
    _synchronous = True if enable is None else bool(enable)


def get_synchronous_execution():
    """What set_synchronous_execution was told.

    >>> tf.config.experimental.get_synchronous_execution()
    True
    """
    return _synchronous


def enable_mlir_bridge():
    """Nothing to do: there is one compiler."""


def disable_mlir_bridge():
    """Nothing to do: there is one compiler."""
