"""tf.compat.v1.train: optimizers, rates, counters of steps, Savers, and sessions with hooks."""

import importlib

from brio.compat.v1._coordinator import Coordinator
from brio.compat.v1._global_step import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)
from brio.compat.v1._hooks import (
    CheckpointSaverHook, CheckpointSaverListener, LoggingTensorHook, MonitoredTrainingSession,
    NanLossDuringTrainingError, NanTensorHook, Scaffold, SecondOrStepTimer, SessionRunArgs, SessionRunContext,
    SessionRunHook, SessionRunValues, StepCounterHook, StopAtStepHook, SummarySaverHook,
)  # fmt: skip
from brio.compat.v1._optimizers import (
    AdadeltaOptimizer, AdagradOptimizer, AdamOptimizer, ExponentialMovingAverage, FtrlOptimizer,
    GradientDescentOptimizer, MomentumOptimizer, Optimizer, ProximalAdagradOptimizer, ProximalGradientDescentOptimizer,
    RMSPropOptimizer, cosine_decay, exponential_decay, inverse_time_decay, natural_exp_decay, piecewise_constant,
    piecewise_constant_decay, polynomial_decay,
)  # fmt: skip
from brio.compat.v1._saver import Saver, checkpoint_exists, get_checkpoint_state, latest_checkpoint


def start_queue_runners(sess=None, coord=None, daemon=True, start=True, collection="queue_runners"):
    """No threads: Brio has no queues."""
    return []


def match_filenames_once(pattern, name=None):
    """The files that match a pattern."""
    import glob

    return sorted(glob.glob(pattern))


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    return getattr(importlib.import_module("brio.train"), name)


def __dir__():
    return sorted(set(globals()) | set(dir(importlib.import_module("brio.train"))))
