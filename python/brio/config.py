"""tf.config. There is one device, the CPU."""

from collections import namedtuple

from brio import _config_experimental as experimental
from brio import _missing

PhysicalDevice = namedtuple("PhysicalDevice", ["name", "device_type"])
LogicalDevice = namedtuple("LogicalDevice", ["name", "device_type"])
_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")
_visible = [_CPU]
_logical = None
_eager = False

__getattr__ = _missing.attribute_error_of(__name__)


class LogicalDeviceConfiguration:
    """What a part of a device may use."""

    def __init__(self, memory_limit=None, experimental_priority=None, experimental_device_ordinal=None):
        self.memory_limit = memory_limit


def list_physical_devices(device_type=None):
    """The devices of this machine that Brio uses: the CPU."""
    return [_CPU] if device_type in (None, "CPU") else []


def list_logical_devices(device_type=None):
    """The devices that programs name: as many as set_logical_device_configuration made."""
    count = len(_logical) if _logical else len(_visible)
    return [LogicalDevice(f"/device:CPU:{i}", "CPU") for i in range(count)] if device_type in (None, "CPU") else []


def get_visible_devices(device_type=None):
    """The devices that are used."""
    return [d for d in _visible if device_type in (None, d.device_type)]


def set_visible_devices(devices, device_type=None):
    """Chooses devices; the CPU is all there is."""
    global _visible
    several = isinstance(devices, (list, tuple)) and not isinstance(devices, PhysicalDevice)
    devices = devices if several else [devices]
    for device in devices:
        if device not in list_physical_devices():
            raise ValueError(f"[set_visible_devices] Unrecognized device: {device!r}")
    _visible = list(devices) if device_type in (None, "CPU") else _visible


def set_logical_device_configuration(device, logical_devices):
    """Parts of a device; they share what it has."""
    global _logical
    if device not in list_physical_devices():
        raise ValueError(f"[set_logical_device_configuration] Unrecognized device: {device!r}")
    _logical = list(logical_devices)


def get_logical_device_configuration(device):
    """The parts of a device, or None."""
    return _logical


def set_soft_device_placement(enabled):
    """Takes notice: all is on the CPU."""


def get_soft_device_placement():
    """True: all is on the CPU, whatever it was meant for."""
    return True


def run_functions_eagerly(run_eagerly):
    """Says whether functions of tf.function run as plain Python."""
    global _eager
    _eager = bool(run_eagerly)


def functions_run_eagerly():
    """Do functions of tf.function run as plain Python?"""
    return _eager


experimental_run_functions_eagerly, experimental_functions_run_eagerly = run_functions_eagerly, functions_run_eagerly


class optimizer:
    """What TensorFlow's graph optimizer is told. Brio's passes are always on; the settings are kept and given back."""

    _options, _jit = {}, ""

    @classmethod
    def set_experimental_options(cls, options):
        """Keeps switches of TensorFlow's passes."""
        cls._options.update(options)

    @classmethod
    def get_experimental_options(cls):
        """The switches that were set."""
        return dict(cls._options)

    @classmethod
    def set_jit(cls, enabled):
        """Keeps the setting."""
        cls._jit = "autoclustering" if enabled is True else enabled or ""

    @classmethod
    def get_jit(cls):
        """The setting."""
        return cls._jit


class threading:
    """How many threads work. 0: as many as the machine has cores."""

    _intra = _inter = 0

    @classmethod
    def set_intra_op_parallelism_threads(cls, num_threads):
        """Sets how many threads share one operation's work."""
        from brio import _core

        cls._intra = int(num_threads)
        _core._set_thread_count(cls._intra)

    @classmethod
    def get_intra_op_parallelism_threads(cls):
        """What was set; 0 where nothing was."""
        return cls._intra

    @classmethod
    def set_inter_op_parallelism_threads(cls, num_threads):
        """Takes notice: Brio runs operations one after the other, each on all threads."""
        cls._inter = int(num_threads)

    @classmethod
    def get_inter_op_parallelism_threads(cls):
        """What was set; 0 where nothing was."""
        return cls._inter
