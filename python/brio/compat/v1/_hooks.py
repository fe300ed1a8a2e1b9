"""Sessions with hooks around their runs: they save, log, count and stop."""

import os
import time

from brio._graph import core
from brio._graph.variables import GraphKeys
from brio.compat.v1 import logging
from brio.compat.v1._global_step import get_global_step
from brio.compat.v1._saver import Saver, latest_checkpoint
from brio.errors import OutOfRangeError


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


class SecondOrStepTimer:
    """Says each n-th step, or after so many seconds, that something is due."""

    def __init__(self, every_secs=None, every_steps=None):
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._secs, self._steps = every_secs, every_steps
        self.reset()

    def reset(self):
        """Forgets what happened."""
        self._last_step = self._last_time = None

    def should_trigger_for_step(self, step):
        """Is it due at this step?"""
        if self._last_step is None:
            return True
        if self._last_step == step:
            return False
        return (
            time.time() >= self._last_time + self._secs
            if self._secs is not None
            else step >= self._last_step + self._steps
        )

    def update_last_triggered_step(self, step):
        """It happened at this step; returns the seconds and steps since the last time, None at first."""
        now, before = time.time(), (self._last_time, self._last_step)
        self._last_time, self._last_step = now, step
        return (None, None) if before[1] is None else (now - before[0], step - before[1])

    def last_triggered_step(self):
        """The step at which it happened last."""
        return self._last_step


def _steps_counter(who):
    counter = get_global_step()
    if counter is None:
        raise RuntimeError(f"Global step should be created to use {who}.")
    return counter


class StopAtStepHook(SessionRunHook):
    """Ends the training at a step, or after so many."""

    def __init__(self, num_steps=None, last_step=None):
        if (num_steps is None) == (last_step is None):
            raise ValueError("Exactly one of num_steps or last_step must be specified.")
        self._steps, self._last = num_steps, last_step

    def begin(self):
        """Finds the counter of steps."""
        self._counter = _steps_counter("StopAtStepHook")

    def after_create_session(self, session, coord):
        """Where it began."""
        if self._last is None:
            self._last = int(session.run(self._counter)) + self._steps

    def after_run(self, run_context, run_values):
        """Counts."""
        if int(run_context.session.run(self._counter)) >= self._last:
            run_context.request_stop()


class LoggingTensorHook(SessionRunHook):
    """Logs tensors each n-th run, or each n seconds, or at the end."""

    def __init__(self, tensors, every_n_iter=None, every_n_secs=None, at_end=False, formatter=None):
        never = at_end and every_n_iter is None and every_n_secs is None
        if not never and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.")
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        self._tensors = dict(tensors) if isinstance(tensors, dict) else {getattr(t, "name", t): t for t in tensors}
        self._timer = None if never else SecondOrStepTimer(every_n_secs, every_n_iter)
        self._formatter, self._at_end = formatter, at_end

    def begin(self):
        """Counts from 0."""
        self._count = 0
        if self._timer is not None:
            self._timer.reset()

    def before_run(self, run_context):
        """Asks for the tensors."""
        self._now = self._timer is not None and self._timer.should_trigger_for_step(self._count)
        return SessionRunArgs(self._tensors) if self._now else None

    def after_run(self, run_context, run_values):
        """Logs them."""
        if self._now:
            self._log(run_values.results)
        self._count += 1

    def end(self, session):
        """Logs them."""
        if self._at_end:
            self._log(session.run(self._tensors))

    def _log(self, values):
        seconds = None if self._timer is None else self._timer.update_last_triggered_step(self._count)[0]
        told = self._formatter(values) if self._formatter else ", ".join(f"{k} = {v}" for k, v in values.items())
        logging.info(told if self._formatter or seconds is None else f"{told} ({seconds:.3f} sec)")


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


class CheckpointSaverListener:
    """What is called around each save of a CheckpointSaverHook."""

    def begin(self):
        """Before the session is made."""

    def before_save(self, session, global_step_value):
        """Before each save."""

    def after_save(self, session, global_step_value):
        """After each save; True ends the training."""

    def end(self, session, global_step_value):
        """At the end."""


class CheckpointSaverHook(SessionRunHook):
    """Saves at the start, each n-th step or each n seconds, and at the end."""

    def __init__(self, checkpoint_dir, save_secs=None, save_steps=None, saver=None, checkpoint_basename="model.ckpt",
                 scaffold=None, listeners=None, save_graph_def=True):  # fmt: skip
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._path, self._saver, self._scaffold = os.path.join(checkpoint_dir, checkpoint_basename), saver, scaffold
        self._timer, self._listeners = SecondOrStepTimer(save_secs, save_steps), listeners or []

    def begin(self):
        """Finds the counter of steps, and a Saver."""
        os.makedirs(os.path.dirname(self._path) or ".", exist_ok=True)
        self._counter = _steps_counter("CheckpointSaverHook")
        self._saver = self._saver or (self._scaffold.saver if self._scaffold else None) or _saver_of_the_graph()
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session, coord):
        """Saves what training begins with."""
        self._save(session, int(session.run(self._counter)))

    def after_run(self, run_context, run_values):
        """Saves."""
        step = int(run_context.session.run(self._counter))
        if self._timer.should_trigger_for_step(step) and self._save(run_context.session, step):
            run_context.request_stop()

    def end(self, session):
        """Saves."""
        last = int(session.run(self._counter))
        if last != self._timer.last_triggered_step():
            self._save(session, last)
        for listener in self._listeners:
            listener.end(session, last)

    def _save(self, session, step):
        """Saves; does a listener ask to stop?"""
        self._timer.update_last_triggered_step(step)
        for listener in self._listeners:
            listener.before_save(session, step)
        self._saver.save(session, self._path, step)
        return any([listener.after_save(session, step) for listener in self._listeners])  # noqa: C419  each one is called


def _saver_of_the_graph():
    """The one Saver that hooks share."""
    graph = core.default_graph()
    if not graph.get_collection(GraphKeys.SAVERS):
        graph.add_to_collection(GraphKeys.SAVERS, Saver(allow_empty=True))
    return graph.get_collection(GraphKeys.SAVERS)[0]


class SummarySaverHook(SessionRunHook):
    """Writes summaries each n-th step or each n seconds."""

    def __init__(
        self, save_steps=None, save_secs=None, output_dir=None, summary_writer=None, scaffold=None, summary_op=None
    ):
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._scaffold, self._summary, self._directory, self._writer = scaffold, summary_op, output_dir, summary_writer
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    def begin(self):
        """Finds the counter of steps, and the file."""
        self._next = None
        self._counter = _steps_counter("SummarySaverHook")
        self._writer = self._writer or _writer(self._directory)

    def before_run(self, run_context):
        """Asks for the summaries that are due."""
        due = self._next is None or self._timer.should_trigger_for_step(self._next)
        summary = self._scaffold.summary_op if self._summary is None else self._summary
        self._due = due and summary is not None
        return SessionRunArgs(summary) if self._due else None

    def after_run(self, run_context, run_values):
        """Writes them."""
        step = int(run_context.session.run(self._counter))
        if self._due:
            self._timer.update_last_triggered_step(step)
            found = run_values.results
            for summary in found if isinstance(found, (list, tuple)) else [found]:
                self._writer.add_summary(summary, step)
        self._next = step + 1

    def end(self, session):
        """Writes what is left."""
        self._writer.flush()


class StepCounterHook(SessionRunHook):
    """Logs and writes how many steps there are in a second."""

    def __init__(self, every_n_steps=100, every_n_secs=None, output_dir=None, summary_writer=None):
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer, self._directory, self._writer = (
            SecondOrStepTimer(every_n_secs, every_n_steps),
            output_dir,
            summary_writer,
        )

    def begin(self):
        """Finds the counter of steps, and the file."""
        self._counter = _steps_counter("StepCounterHook")
        if self._writer is None and self._directory:
            self._writer = _writer(self._directory)

    def after_run(self, run_context, run_values):
        """Counts."""
        from brio.compat.v1.summary import Summary

        step = int(run_context.session.run(self._counter))
        if not self._timer.should_trigger_for_step(step):
            return
        seconds, steps = self._timer.update_last_triggered_step(step)
        if steps is None:
            return
        tag, rate = f"{self._counter.op.name}/sec", steps / seconds
        if self._writer is not None:
            self._writer.add_summary(Summary(value=[Summary.Value(tag=tag, simple_value=rate)]), step)
        logging.info("%s: %g", tag, rate)


_writers = {}  # hooks of one directory write to one file


def _writer(directory):
    from brio.compat.v1.summary import FileWriter

    if directory not in _writers:
        _writers[directory] = FileWriter(directory)
    return _writers[directory]


class Scaffold:
    """What a MonitoredTrainingSession begins with, where that is not the usual:
    operations that initialise, summaries, a Saver."""

    def __init__(self, init_op=None, init_feed_dict=None, init_fn=None, ready_op=None, ready_for_local_init_op=None,
                 local_init_op=None, summary_op=None, saver=None, copy_from_scaffold=None,
                 local_init_feed_dict=None):  # fmt: skip
        for argument, value in (
            ("ready_op", ready_op),
            ("ready_for_local_init_op", ready_for_local_init_op),
            ("copy_from_scaffold", copy_from_scaffold),
        ):
            if value is not None:
                raise NotImplementedError(
                    f"[Scaffold] {argument}={value!r} is not supported; a variable without a value is an error when it "
                    "is read"
                )
        self.init_op, self.init_feed_dict, self._init_fn = init_op, init_feed_dict, init_fn
        self.local_init_op, self.local_init_feed_dict, self.summary_op, self.saver = (
            local_init_op,
            local_init_feed_dict,
            summary_op,
            saver,
        )

    def finalize(self):
        """Fills in what was not given."""
        from brio.compat import v1

        self.init_op = v1.global_variables_initializer() if self.init_op is None else self.init_op
        self.local_init_op = v1.local_variables_initializer() if self.local_init_op is None else self.local_init_op
        self.summary_op = v1.summary.merge_all() if self.summary_op is None else self.summary_op
        self.saver = _saver_of_the_graph() if self.saver is None else self.saver
        return self

    def _start(self, session, checkpoint):
        """Gives variables their values: those of a checkpoint, or the first ones."""
        if checkpoint:
            self.saver.restore(session, checkpoint)
        else:
            session.run(self.init_op, self.init_feed_dict)
            if self._init_fn is not None:
                self._init_fn(self, session)
        session.run(self.local_init_op, self.local_init_feed_dict)


_DEFAULT = object()


def _one_of(secs, steps, default_secs, default_steps):
    """How often: as it is said, or as TensorFlow does where neither is.
    Returns what a timer takes, or None for never."""
    if secs is _DEFAULT and steps is _DEFAULT:
        secs, steps = default_secs, default_steps
    secs, steps = (None if x is _DEFAULT or not x or x <= 0 else x for x in (secs, steps))
    return {"save_secs": secs, "save_steps": steps} if secs or steps else None


class MonitoredTrainingSession:
    """A session that initialises variables, or restores the newest checkpoint of a directory, calls hooks,
    saves and writes summaries."""

    def __init__(self, master="", is_chief=True, checkpoint_dir=None, scaffold=None, hooks=None, chief_only_hooks=None,
                 save_checkpoint_secs=_DEFAULT, save_summaries_steps=_DEFAULT, save_summaries_secs=_DEFAULT,
                 config=None, stop_grace_period_secs=120, log_step_count_steps=100, max_wait_secs=7200,
                 save_checkpoint_steps=_DEFAULT, summary_dir=None, save_graph_def=True):  # fmt: skip
        from brio.compat import v1

        if master or not is_chief:
            raise NotImplementedError(
                f"[MonitoredTrainingSession] master={master!r} and is_chief={is_chief} ask for a distributed session, "
                "which Brio does not have; leave them out and run one process"
            )
        summaries = _one_of(save_summaries_secs, save_summaries_steps, None, 100)
        checkpoints = _one_of(save_checkpoint_secs, save_checkpoint_steps, 600, None)
        scaffold, summary_dir = scaffold or Scaffold(), summary_dir or checkpoint_dir
        self._hooks = list(chief_only_hooks or ())
        if summary_dir and log_step_count_steps and log_step_count_steps > 0:
            self._hooks.append(StepCounterHook(log_step_count_steps, output_dir=summary_dir))
        if summary_dir and summaries:
            self._hooks.append(SummarySaverHook(output_dir=summary_dir, scaffold=scaffold, **summaries))
        if checkpoint_dir and checkpoints:
            self._hooks.append(CheckpointSaverHook(checkpoint_dir, scaffold=scaffold, **checkpoints))
        self._hooks += hooks or ()
        graph = self.graph = core.default_graph()
        with graph.as_default():
            for hook in self._hooks:
                hook.begin()
            scaffold.finalize()
        self._session, self._stop = v1.Session(graph=graph, config=config), False
        scaffold._start(self._session, latest_checkpoint(checkpoint_dir) if checkpoint_dir else None)
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
            results, found = self._session.run([fetches, more], feeds, options, run_metadata)
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
