"""tf.test: what tests ask of the machine."""

from brio import config
from brio._lazy import names as _names

__getattr__, __dir__, _HOMES = _names(__name__, {"_test_case": "Benchmark TestCase compute_gradient main"})


def gpu_device_name():
    """The name of a GPU, "/device:GPU:0", or "" where there is none."""
    devices = config.list_logical_devices("GPU")
    return devices[0].name if devices else ""


def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None):
    """Is there a GPU?"""
    return gpu_device_name() != ""


def is_built_with_cuda():
    """Does Brio use CUDA? It finds out as it runs."""
    return is_gpu_available()


def is_built_with_gpu_support():
    """Does Brio use GPUs? It finds out as it runs."""
    return is_gpu_available()


def is_built_with_rocm():
    """False: of GPUs Brio uses NVIDIA's."""
    return False


def is_built_with_xla():
    """False: Brio plans and fuses by itself."""
    return False
