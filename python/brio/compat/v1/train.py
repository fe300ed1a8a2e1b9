"""tf.compat.v1.train: optimizers, rates, counters of steps, and Savers."""

import importlib
import os
import types

from brio import _core
from brio._graph import core
from brio._graph.variables import GraphKeys
from brio.compat.v1._optimizers import (
    AdadeltaOptimizer, AdagradOptimizer, AdamOptimizer, ExponentialMovingAverage, FtrlOptimizer, GradientDescentOptimizer, MomentumOptimizer, Optimizer,
    ProximalAdagradOptimizer, ProximalGradientDescentOptimizer, RMSPropOptimizer, cosine_decay, exponential_decay, inverse_time_decay, natural_exp_decay,
    piecewise_constant, piecewise_constant_decay, polynomial_decay,
)  # fmt: skip
from brio.errors import NotFoundError

_eager_step = None


def create_global_step(graph=None):
    """The variable that counts steps; there must be none yet."""
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    return get_or_create_global_step(graph)


def get_or_create_global_step(graph=None):
    """The variable that counts steps."""
    global _eager_step
    found = get_global_step(graph)
    if found is not None:
        return found
    if core.building() is None:
        _eager_step = _core.Variable(0, trainable=False, name="global_step", dtype="int64")
        return _eager_step
    from brio.compat._variables import get_variable
    from brio.compat.v1 import initializers

    before, core.building()._variable_scopes = core.building()._variable_scopes, []
    try:
        return get_variable("global_step", [], "int64", initializers.zeros(), trainable=False, collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP])
    finally:
        core.default_graph()._variable_scopes = before


def get_global_step(graph=None):
    """The variable that counts steps, or None where none was made."""
    if core.building() is None and graph is None:
        return _eager_step
    graph = graph or core.default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if found:
        return found[0]
    return next((v for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES) if v.name == "global_step:0"), None)


def global_step(sess, global_step_tensor):
    """The number of steps in a session."""
    return int(sess.run(global_step_tensor))


def assert_global_step(global_step_tensor):
    """An error where this counts no steps."""
    if not global_step_tensor.dtype.is_integer or global_step_tensor.shape.rank != 0:
        raise TypeError(f'Existing "global_step" does not have integer type, or is no scalar: {global_step_tensor!r}')


class Saver:
    """Writes variables to checkpoints, and reads them again: all of them, or a list, or a dict by name."""

    def __init__(self, var_list=None, reshape=False, sharded=False, max_to_keep=5, keep_checkpoint_every_n_hours=10000.0, name=None,
                 restore_sequentially=False, saver_def=None, builder=None, defer_build=False, allow_empty=False, write_version=2,
                 pad_step_number=False, save_relative_paths=False, filename=None):  # fmt: skip
        from brio.compat._variables import global_variables

        self._given, self._keep, self._paths = var_list, max_to_keep, []
        if var_list is None and core.building() is not None:  # those that there are now
            var_list = global_variables()
        found = global_variables() if var_list is None else var_list
        if not found and not allow_empty:
            raise ValueError("No variables to save")
        self._named = dict(found) if isinstance(found, dict) else {v.name.split(":")[0]: v for v in found}

    def _cells(self, sess, making=False):
        """What a checkpoint saves: the cells of a session, or variables of eager code."""
        from brio._graph.variables import Variable, sizes, uninitialized

        cells = {}
        for name, v in self._named.items():
            if not isinstance(v, Variable):
                cells[name] = v
            elif v.core is not None:
                cells[name] = v.core
            else:
                if not making and not sess.has_value(v):
                    raise uninitialized(v)
                if making and not sess.has_value(v) and sizes(v) is None:
                    raise ValueError(f"[Saver.restore] the shape of '{v.name}' is not known")
                cells[name] = sess.value(v)
        return cells

    def save(self, sess, save_path, global_step=None, latest_filename=None, meta_graph_suffix="meta", write_meta_graph=True, write_state=True,
             strip_default_attrs=False, save_debug_info=False):  # fmt: skip
        """Writes SAVE_PATH, or SAVE_PATH-STEP, and returns that path."""
        from brio._checkpoint import Checkpoint, update_checkpoint_state

        step = ""
        if global_step is not None:
            number = global_step if isinstance(global_step, int) else (
                sess.run(global_step) if isinstance(global_step, core.Tensor) or hasattr(global_step, "_as_graph_element") else _core.convert_to_tensor(global_step).numpy())  # fmt: skip
            step = f"-{int(number)}"
        with core.paused():
            path = Checkpoint(**self._cells(sess)).write(f"{os.fspath(save_path)}{step}")
        self._paths = [p for p in self._paths if p != path] + [path]
        while self._keep and len(self._paths) > self._keep:
            old = self._paths.pop(0)
            for ending in (".json", ".safetensors"):
                if os.path.exists(old + ending):
                    os.remove(old + ending)
        if write_state:
            update_checkpoint_state(os.path.dirname(path) or ".", path, self._paths)
        return path

    def restore(self, sess, save_path):
        """Gives the variables of a session the values of a checkpoint."""
        from brio._checkpoint import Checkpoint
        from brio._graph.variables import Variable

        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        if not checkpoint_exists(save_path):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {save_path}")
        cells = self._cells(sess, making=True)
        with core.paused():
            try:
                Checkpoint(**cells).restore(save_path).assert_existing_objects_matched()
            except AssertionError as error:
                raise NotFoundError(f"Restoring from checkpoint failed: {error}. A variable has another name, or was not saved") from None
        for v in self._named.values():
            if isinstance(v, Variable) and v.core is None:
                sess.initialized.add(v)

    @property
    def last_checkpoints(self):
        """The checkpoints that are kept, the oldest first."""
        return list(self._paths)

    def set_last_checkpoints(self, last_checkpoints):
        """The checkpoints that are kept, the oldest first."""
        self._paths = list(last_checkpoints)

    def recover_last_checkpoints(self, checkpoint_paths):
        """Goes on with checkpoints of an earlier program."""
        self._paths = [p for p in checkpoint_paths if checkpoint_exists(p)]


def latest_checkpoint(checkpoint_dir, latest_filename=None):
    """The newest checkpoint of a directory, or None."""
    from brio import _checkpoint

    return _checkpoint.latest_checkpoint(checkpoint_dir, latest_filename)


def checkpoint_exists(checkpoint_prefix):
    """Is there such a checkpoint?"""
    return os.path.exists(f"{os.fspath(checkpoint_prefix)}.json") or os.path.exists(f"{os.fspath(checkpoint_prefix)}.safetensors")


def get_checkpoint_state(checkpoint_dir, latest_filename=None):
    """The newest checkpoint of a directory, and all that are kept; None where there is none."""
    newest = latest_checkpoint(checkpoint_dir, latest_filename)
    return None if newest is None else types.SimpleNamespace(model_checkpoint_path=newest, all_model_checkpoint_paths=[newest])


class Coordinator:
    """Stops threads: Brio's datasets need none."""

    def __init__(self, clean_stop_exception_types=None):
        self._stop = False

    def should_stop(self):
        """Was request_stop() called?"""
        return self._stop

    def request_stop(self, ex=None):
        """Asks threads to stop."""
        self._stop = True

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        """Waits for threads."""
        for thread in threads or ():
            thread.join(stop_grace_period_secs)


def start_queue_runners(sess=None, coord=None, daemon=True, start=True, collection="queue_runners"):
    """No threads: Brio has no queues."""
    return []


class MonitoredTrainingSession:
    """A session that initialises variables, or restores the newest checkpoint of a directory, and saves there at its end."""

    def __init__(self, master="", is_chief=True, checkpoint_dir=None, scaffold=None, hooks=None, chief_only_hooks=None, save_checkpoint_secs=600,
                 save_summaries_steps=None, config=None, **kwargs):  # fmt: skip
        from brio.compat import v1

        self._session, self._directory = v1.Session(config=config), checkpoint_dir
        graph = self._session.graph
        with graph.as_default():
            self._saver = Saver() if checkpoint_dir and v1.global_variables() else None
            init = v1.variables_initializer([*v1.global_variables(), *v1.local_variables()])
        self._session.run(init)
        newest = latest_checkpoint(checkpoint_dir) if self._saver else None
        if newest:
            self._saver.restore(self._session, newest)
        self._stop, self.graph = False, graph

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """As Session.run()."""
        try:
            return self._session.run(fetches, feed_dict)
        except StopIteration:
            self._stop = True
            raise

    def should_stop(self):
        """Has the input ended?"""
        return self._stop

    def __enter__(self):
        self._session.__enter__()
        return self

    def __exit__(self, kind, error, trace):
        if kind is None and self._saver:
            os.makedirs(self._directory, exist_ok=True)
            self._saver.save(self._session, os.path.join(self._directory, "model.ckpt"), get_global_step(self.graph))
        self._session.__exit__(kind, error, trace)
        return kind is not None and issubclass(kind, StopIteration)

    def close(self):
        """Frees the values of variables."""
        self._session.close()


def match_filenames_once(pattern, name=None):
    """The files that match a pattern."""
    import glob

    return sorted(glob.glob(pattern))


def __getattr__(name):
    return getattr(importlib.import_module("brio.train"), name)


def __dir__():
    return sorted(set(globals()) | set(dir(importlib.import_module("brio.train"))))
