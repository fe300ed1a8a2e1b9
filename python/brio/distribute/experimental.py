"""tf.distribute.experimental: older names, and settings of how replicas exchange values."""

import enum

from brio._missing import attribute_error_of
from brio.distribute._strategy import MultiWorkerMirroredStrategy, OneDeviceStrategy  # noqa: F401

__getattr__ = attribute_error_of(__name__)


class CommunicationImplementation(enum.Enum):
    """What carries values between replicas; brio chooses."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


CollectiveCommunication = CommunicationImplementation


class CommunicationOptions:
    """Taken by strategies; nothing of it applies to one device."""

    def __init__(self, bytes_per_pack=0, timeout_seconds=None, implementation=CommunicationImplementation.AUTO):
        self.bytes_per_pack, self.timeout_seconds, self.implementation = bytes_per_pack, timeout_seconds, implementation


CollectiveHints = CommunicationOptions
Hints = CommunicationOptions


class ValueContext:
    """Which replica a value is made for."""

    def __init__(self, replica_id_in_sync_group=0, num_replicas_in_sync=1):
        self.replica_id_in_sync_group, self.num_replicas_in_sync = replica_id_in_sync_group, num_replicas_in_sync


class CentralStorageStrategy(OneDeviceStrategy):
    """Variables on the CPU, one replica."""

    def __init__(self, compute_devices=None, parameter_device=None):
        super().__init__("/device:CPU:0")
