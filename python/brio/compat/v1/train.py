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
from brio.errors import NotFoundError, OutOfRangeError

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
            number = global_step
            if isinstance(global_step, core.Tensor) or hasattr(global_step, "_as_graph_element"):
                number = sess.run(global_step)
            elif not isinstance(global_step, int):
                number = _core.convert_to_tensor(global_step).numpy()
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


class SessionRunArgs:
    """What a hook asks of a run: more to fetch and to feed."""

    def __init__(self, fetches, feed_dict=None, options=None):
        self.fetches, self.feed_dict, self.options = fetches, feed_dict, options


class SessionRunValues:
    """What a hook asked for."""

    def __init__(self, results, options=None, run_metadata=None):
        self.results, self.options, self.run_metadata = results, options, run_metadata


class SessionRunContext:
    """A run that a hook sees, and may be the last."""

    def __init__(self, original_args, session):
        self.original_args, self.session, self.stop_requested = original_args, session, False

    def request_stop(self):
        """Ends the training after this run."""
        self.stop_requested = True


class SessionRunHook:
    """What is called around runs of a MonitoredTrainingSession."""

    def begin(self):
        """Before the session is made: the graph may still be changed."""

    def after_create_session(self, session, coord):
        """When variables have their values."""

    def before_run(self, run_context):
        """Before each run: may return SessionRunArgs."""

    def after_run(self, run_context, run_values):
        """After each run."""

    def end(self, session):
        """At the end, where there was no error."""


class StopAtStepHook(SessionRunHook):
    """Ends the training at a step, or after so many."""

    def __init__(self, num_steps=None, last_step=None):
        if (num_steps is None) == (last_step is None):
            raise ValueError("Exactly one of num_steps or last_step must be specified.")
        self._steps, self._last = num_steps, last_step

    def begin(self):
        """Finds the counter of steps."""
        self._counter = get_global_step()
        if self._counter is None:
            raise RuntimeError("Global step should be created to use StopAtStepHook.")

    def after_create_session(self, session, coord):
        """Where it began."""
        if self._last is None:
            self._last = int(session.run(self._counter)) + self._steps

    def after_run(self, run_context, run_values):
        """Counts."""
        if int(run_context.session.run(self._counter)) >= self._last:
            run_context.request_stop()


class LoggingTensorHook(SessionRunHook):
    """Logs tensors each n-th run, and at the end where that is asked for."""

    def __init__(self, tensors, every_n_iter=None, every_n_secs=None, at_end=False, formatter=None):
        self._tensors = dict(tensors) if isinstance(tensors, dict) else {getattr(t, "name", t): t for t in tensors}
        self._every, self._formatter, self._count = every_n_iter or 1, formatter, 0

    def before_run(self, run_context):
        """Asks for the tensors."""
        self._now = self._count % self._every == 0
        return SessionRunArgs(self._tensors) if self._now else None

    def after_run(self, run_context, run_values):
        """Logs them."""
        from brio.compat.v1 import logging

        if self._now:
            logging.info(self._formatter(run_values.results) if self._formatter else ", ".join(f"{k} = {v}" for k, v in run_values.results.items()))
        self._count += 1


class NanLossDuringTrainingError(RuntimeError):
    """The loss is not a number."""


class NanTensorHook(SessionRunHook):
    """Ends the training where the loss is not a number."""

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        self._loss, self._fail = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context):
        """Asks for the loss."""
        return SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        """Looks at it."""
        if run_values.results != run_values.results:
            if self._fail:
                raise NanLossDuringTrainingError("NaN loss during training.")
            run_context.request_stop()


class CheckpointSaverHook(SessionRunHook):
    """Saves each n-th step, and at the end."""

    def __init__(self, checkpoint_dir, save_secs=None, save_steps=None, saver=None, checkpoint_basename="model.ckpt", scaffold=None, listeners=None):
        self._path, self._every, self._saver, self._count = os.path.join(checkpoint_dir, checkpoint_basename), save_steps, saver, 0

    def begin(self):
        """Makes the Saver."""
        os.makedirs(os.path.dirname(self._path) or ".", exist_ok=True)
        self._saver = self._saver or Saver()

    def after_run(self, run_context, run_values):
        """Saves."""
        self._count += 1
        if self._every and self._count % self._every == 0:
            self._saver.save(run_context.session, self._path, get_global_step(run_context.session.graph))

    def end(self, session):
        """Saves."""
        self._saver.save(session, self._path, get_global_step(session.graph))


class MonitoredTrainingSession:
    """A session that initialises variables, or restores the newest checkpoint of a directory, calls hooks, and saves at its end."""

    def __init__(self, master="", is_chief=True, checkpoint_dir=None, scaffold=None, hooks=None, chief_only_hooks=None, save_checkpoint_secs=600,
                 save_summaries_steps=None, save_summaries_secs=None, config=None, stop_grace_period_secs=120, log_step_count_steps=100,
                 max_wait_secs=7200, save_checkpoint_steps=None, summary_dir=None, save_graph_def=True):  # fmt: skip
        from brio.compat import v1

        self._hooks = [*(hooks or ()), *(chief_only_hooks or ())]
        graph = self.graph = core.default_graph()
        with graph.as_default():
            if checkpoint_dir and v1.global_variables():
                self._hooks.append(CheckpointSaverHook(checkpoint_dir, save_steps=save_checkpoint_steps))
            for hook in self._hooks:
                hook.begin()
            init = v1.variables_initializer([*v1.global_variables(), *v1.local_variables()])
            saver = Saver() if checkpoint_dir and v1.global_variables() else None
        self._session, self._stop = v1.Session(graph=graph, config=config), False
        self._session.run(init)
        newest = latest_checkpoint(checkpoint_dir) if saver else None
        if newest:
            saver.restore(self._session, newest)
        for hook in self._hooks:
            hook.after_create_session(self._session, None)

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """As Session.run(), with hooks around it."""
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._session)
        asked = [hook.before_run(context) for hook in self._hooks]
        feeds = dict(feed_dict or {})
        for args in asked:
            feeds.update((args.feed_dict if args else None) or {})
        more = [args.fetches if args is not None and args.fetches is not None else [] for args in asked]
        try:
            results, found = self._session.run([fetches, more], feeds)
        except OutOfRangeError:
            self._stop = True
            raise
        for hook, args, values in zip(self._hooks, asked, found):
            hook.after_run(context, SessionRunValues(values if args is not None else None))
        self._stop |= context.stop_requested
        return results

    def should_stop(self):
        """Did a hook ask to stop, or has the input ended?"""
        return self._stop

    def __enter__(self):
        self._session.__enter__()
        return self

    def __exit__(self, kind, error, trace):
        ended = kind is None or issubclass(kind, OutOfRangeError)
        if ended:
            for hook in self._hooks:
                hook.end(self._session)
        self._session.__exit__(kind, error, trace)
        return kind is not None and ended

    def close(self):
        """Calls the ends of hooks, and frees the values of variables."""
        for hook in self._hooks:
            hook.end(self._session)
        self._session.close()


def match_filenames_once(pattern, name=None):
    """The files that match a pattern."""
    import glob

    return sorted(glob.glob(pattern))


def __getattr__(name):
    return getattr(importlib.import_module("brio.train"), name)


def __dir__():
    return sorted(set(globals()) | set(dir(importlib.import_module("brio.train"))))
