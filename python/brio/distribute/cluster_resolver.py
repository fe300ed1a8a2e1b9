"""tf.distribute.cluster_resolver: who takes part in a run, as TF_CONFIG says."""

import json
import os

from brio._missing import attribute_error_of
from brio.train import ClusterSpec

__getattr__ = attribute_error_of(__name__)


class ClusterResolver:
    """Which machines there are, and which of them this is."""

    def __init__(self):
        self.task_type, self.task_id, self.rpc_layer, self.environment = None, None, None, ""

    def cluster_spec(self):
        """The machines by their jobs."""
        raise NotImplementedError(f"{type(self).__name__} needs cluster_spec()")

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        """The address of a machine, or "" where there is none."""
        task_type, task_id = (
            self.task_type if task_type is None else task_type,
            self.task_id if task_id is None else task_id,
        )
        return (
            self.cluster_spec().task_address(task_type, task_id)
            if task_type is not None and task_id is not None
            else ""
        )

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        """Accelerators by kind: none."""
        return {}


class SimpleClusterResolver(ClusterResolver):
    """A cluster that is given."""

    def __init__(
        self,
        cluster_spec,
        master="",
        task_type=None,
        task_id=None,
        environment="",
        num_accelerators=None,
        rpc_layer=None,
    ):
        super().__init__()
        self._spec, self._master, self.task_type, self.task_id, self.environment = (
            cluster_spec,
            master,
            task_type,
            task_id,
            environment,
        )

    def cluster_spec(self):
        return self._spec

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        return super().master(task_type, task_id, rpc_layer) if task_type is not None else self._master


class TFConfigClusterResolver(ClusterResolver):
    """The cluster that the environment variable TF_CONFIG describes, in JSON."""

    def __init__(self, task_type=None, task_id=None, rpc_layer=None, environment=None):
        super().__init__()
        self._task = (task_type, task_id)
        self.rpc_layer, self.environment = rpc_layer, environment or self._config().get("environment", "")

    @staticmethod
    def _config():
        text = os.environ.get("TF_CONFIG") or "{}"
        try:
            return json.loads(text)
        except ValueError as error:
            raise ValueError(f"[distribute] TF_CONFIG is no JSON ({error}): {text}") from None

    @property
    def task_type(self):
        """The job of this process."""
        return self._task[0] if self._task[0] is not None else self._config().get("task", {}).get("type")

    @task_type.setter
    def task_type(self, value):
        self._task = (value, getattr(self, "_task", (None, None))[1])

    @property
    def task_id(self):
        """Its number among those of the same job."""
        found = self._task[1] if self._task[1] is not None else self._config().get("task", {}).get("index")
        return None if found is None else int(found)

    @task_id.setter
    def task_id(self, value):
        self._task = (getattr(self, "_task", (None, None))[0], value)

    def cluster_spec(self):
        return ClusterSpec(self._config().get("cluster", {}))
