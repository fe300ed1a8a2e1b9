"""tf.config: the devices that there are, and how Brio runs."""

from collections import namedtuple

from brio import _config_experimental as experimental  # noqa: F401
from brio import _core, _missing

PhysicalDevice = namedtuple("PhysicalDevice", ["name", "device_type"])
LogicalDevice = namedtuple("LogicalDevice", ["name", "device_type"])
_logical = {}  # what set_logical_device_configuration was told, by device
_eager = False

__getattr__ = _missing.attribute_error_of(__name__)


class LogicalDeviceConfiguration:
    """What a part of a device may use."""

    def __init__(self, memory_limit=None, experimental_priority=None, experimental_device_ordinal=None):
        self.memory_limit = memory_limit


def _physical(name):
    kind, number = name.upper().split(":")
    return PhysicalDevice(f"/physical_device:{kind}:{number}", kind)


def _named(device, who):
    """Brio's own name of a physical device."""
    for name, *_ in _core._devices(False):
        if _physical(name) == device:
            return name
    raise ValueError(
        f"[{who}] Unrecognized device: {device!r}; there are: {', '.join(d.name for d in list_physical_devices())}"
    )


def list_physical_devices(device_type=None):
    """The devices of this machine that Brio can use: the CPU, and GPUs where there are some."""
    devices = [_physical(name) for name, *_ in _core._devices(False)]
    return [d for d in devices if device_type in (None, d.device_type)]


def list_logical_devices(device_type=None):
    """The devices that programs name: those that are visible,
    and the parts that set_logical_device_configuration made of the CPU."""
    devices = [LogicalDevice(f"/device:{kind}:{number}", kind) for _, kind, number, _ in _core._devices(True)]
    parts = _logical.get(list_physical_devices("CPU")[0])
    if parts and any(d.device_type == "CPU" for d in devices):
        cpus = [LogicalDevice(f"/device:CPU:{i}", "CPU") for i in range(len(parts))]
        devices = cpus + [d for d in devices if d.device_type != "CPU"]
    return [d for d in devices if device_type in (None, d.device_type)]


def get_visible_devices(device_type=None):
    """The devices that are used."""
    devices = [_physical(name) for name, *_ in _core._devices(True)]
    return [d for d in devices if device_type in (None, d.device_type)]


def set_visible_devices(devices, device_type=None):
    """Chooses devices: others, of that type or of any, are as if they were not there.
    At any time, and the CPU stays usable.

    >>> tf.config.set_visible_devices([], "GPU")
    """
    several = isinstance(devices, (list, tuple)) and not isinstance(devices, PhysicalDevice)
    devices = list(devices) if several else [devices]
    for device in devices:
        _named(device, "set_visible_devices")
        if device_type not in (None, device.device_type):
            raise ValueError(f"[set_visible_devices] {device.name} is no {device_type}")
    others = [d for d in get_visible_devices() if device_type not in (None, d.device_type)]
    _core._set_visible_devices([_named(d, "set_visible_devices") for d in [*others, *devices]])


def set_logical_device_configuration(device, logical_devices):
    """Parts of a device; they share what it has."""
    _named(device, "set_logical_device_configuration")
    _logical[device] = list(logical_devices)


def get_logical_device_configuration(device):
    """The parts of a device, or None."""
    return _logical.get(device)


def set_soft_device_placement(enabled):
    """Says what becomes of work for a device that is not there:
    it is done on the CPU, or raises InvalidArgumentError."""
    _core._set_soft_placement(bool(enabled))


def get_soft_device_placement():
    """Is work for a device that is not there done on the CPU?"""
    return _core._soft_placement()


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
