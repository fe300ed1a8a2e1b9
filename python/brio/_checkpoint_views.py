"""Waiting for checkpoints, what belongs to an object, and options of checkpoints."""

import time

from brio import _checkpoint, _core


class CheckpointOptions:
    """How a checkpoint is written. What concerns other machines and threads is taken and not needed.

    >>> tf.train.CheckpointOptions(enable_async=True).enable_async
    True
    """

    def __init__(self, experimental_io_device=None, experimental_enable_async_checkpoint=False,
                 experimental_write_callbacks=None, enable_async=False, experimental_skip_slot_variables=False,
                 experimental_sharding_callback=None):  # fmt: skip
        self.experimental_io_device, self.experimental_write_callbacks = (
            experimental_io_device,
            experimental_write_callbacks,
        )
        self.enable_async = self.experimental_enable_async_checkpoint = bool(
            enable_async or experimental_enable_async_checkpoint
        )
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback


def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
    """Each newest checkpoint of a folder as it comes;
    after a timeout it ends, unless timeout_fn() says that there will be more.

    >>> import tempfile
    >>> list(tf.train.checkpoints_iterator(tempfile.mkdtemp(), timeout=0))
    []
    """
    seen = None
    while True:
        end = None if timeout is None else time.monotonic() + timeout
        while (path := _checkpoint.latest_checkpoint(checkpoint_dir)) in (None, seen):
            if end is not None and time.monotonic() + min(1.0, timeout) > end:
                path = None
                break
            time.sleep(1.0 if end is None else min(1.0, max(end - time.monotonic(), 0.01)))
        if path is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        began, seen = time.monotonic(), path
        yield path
        left = began + min_interval_secs - time.monotonic()
        if left > 0:
            time.sleep(left)


def _is_trackable(x):
    return (
        isinstance(x, (_core.Variable, _checkpoint.Checkpoint, list, dict))
        or _checkpoint._is_module(x)
        or hasattr(x, "variables")
    )


class TrackableView:
    """The objects that belong to an object: its attributes that hold variables, and theirs.

    >>> module = tf.Module()
    >>> module.v = tf.Variable(1.0)
    >>> list(tf.train.TrackableView(module).children(module))
    ['v']
    """

    def __init__(self, root):
        self._root = root

    root = property(lambda self: self._root, doc="The object at the top.")

    @classmethod
    def children(cls, obj, save_type="checkpoint", **kwargs):
        """What an object holds, by name."""
        if isinstance(obj, dict):
            held = {str(k): v for k, v in obj.items()}
        elif isinstance(obj, (list, tuple)):
            held = {str(i): v for i, v in enumerate(obj)}
        elif isinstance(obj, _core.Variable):
            held = {}
        else:
            held = {k: v for k, v in getattr(obj, "__dict__", {}).items() if not k.startswith("_")}
        return {k: v for k, v in held.items() if _is_trackable(v)}

    def descendants(self):
        """The object and all that belongs to it, the nearest first."""
        found, seen = [self._root], {id(self._root)}
        for obj in found:
            for child in self.children(obj).values():
                if id(child) not in seen:
                    seen.add(id(child))
                    found.append(child)
        return found
