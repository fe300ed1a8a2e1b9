"""keras.callbacks."""

import csv
import math
import os
import warnings

import numpy as np

from brio import _core


class Callback:
    """What else happens during fit. Derive from it and write the methods that are needed."""

    def __init__(self):
        self.params, self._model = None, None
        self.validation_data = None

    def set_params(self, params):
        """Takes what is known of the training: epochs, steps."""
        self.params = params

    def set_model(self, model):
        """Takes the model that is trained."""
        self._model = model

    @property
    def model(self):
        """The model that is trained."""
        return self._model

    def on_train_begin(self, logs=None):
        """Called before training."""

    def on_train_end(self, logs=None):
        """Called after training."""

    def on_epoch_begin(self, epoch, logs=None):
        """Called before each epoch."""

    def on_epoch_end(self, epoch, logs=None):
        """Called after each epoch, with its metrics in logs."""

    def on_train_batch_begin(self, batch, logs=None):
        """Called before each batch."""
        self.on_batch_begin(batch, logs=logs)

    def on_train_batch_end(self, batch, logs=None):
        """Called after each batch, with the metrics so far in logs."""
        self.on_batch_end(batch, logs=logs)

    def on_batch_begin(self, batch, logs=None):
        """The old name of on_train_batch_begin."""

    def on_batch_end(self, batch, logs=None):
        """The old name of on_train_batch_end."""

    def on_test_begin(self, logs=None):
        """Called before evaluation."""

    def on_test_end(self, logs=None):
        """Called after evaluation."""

    def on_test_batch_begin(self, batch, logs=None):
        """Called before each batch of an evaluation."""

    def on_test_batch_end(self, batch, logs=None):
        """Called after each batch of an evaluation."""

    def on_predict_begin(self, logs=None):
        """Called before prediction."""

    def on_predict_end(self, logs=None):
        """Called after prediction."""

    def on_predict_batch_begin(self, batch, logs=None):
        """Called before each batch of a prediction."""

    def on_predict_batch_end(self, batch, logs=None):
        """Called after each batch of a prediction."""


def in_order(logs):
    """Logs by their names, those of the validation at the end, as Keras has them."""
    return dict(sorted(logs.items(), key=lambda item: (item[0].startswith("val_"), item[0])))


class History(Callback):
    """The logs of every epoch."""

    def __init__(self):
        super().__init__()
        self.history, self.epoch = {}, []
        self.batch_choice = None  # of batch_size="auto"

    def on_epoch_end(self, epoch, logs=None):
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class LambdaCallback(Callback):
    """Functions as a callback."""

    def __init__(self, on_epoch_begin=None, on_epoch_end=None, on_train_begin=None, on_train_end=None,
                 on_train_batch_begin=None, on_train_batch_end=None, **functions):  # fmt: skip
        super().__init__()
        functions.update(on_epoch_begin=on_epoch_begin, on_epoch_end=on_epoch_end, on_train_begin=on_train_begin,
                         on_train_end=on_train_end, on_train_batch_begin=on_train_batch_begin,
                         on_train_batch_end=on_train_batch_end)  # fmt: skip
        for name, function in functions.items():
            if not hasattr(Callback, name):
                raise TypeError(f"a callback has no method '{name}'")
            if function is not None:
                setattr(self, name, function)


def _timer(callback, method):
    """What counts a callback's time for the doctor; None where the method does nothing worth it."""
    if (
        isinstance(callback, History)
        or not hasattr(Callback, method)
        or not (_overrides(callback, method) or "batch" in method)
    ):
        return None
    from brio.keras._checkpoint_callbacks import BackupAndRestore, ModelCheckpoint

    return _core._CallbackTimer(
        f"{type(callback).__name__}.{method}", isinstance(callback, (BackupAndRestore, ModelCheckpoint))
    )


def _overrides(callback, name):
    return name in callback.__dict__ or getattr(type(callback), name) is not getattr(Callback, name)


class CallbackList:
    """What C++ calls. Every method returns whether training is to stop."""

    def __init__(self, callbacks=None, add_history=False, add_progbar=False, model=None, **params):
        self.callbacks, self.model = list(callbacks or []), model
        if add_history:
            self.callbacks.append(History())
        for callback in self.callbacks:
            if not isinstance(callback, Callback):
                raise TypeError(f"a callback is a keras.callbacks.Callback, but got {callback!r}")
            callback.set_model(model)
            callback.set_params(
                {**params, "resumed": lambda: self._resumed} if isinstance(callback, CSVLogger) else params
            )
        self.batch_hooks = tuple(
            any(
                _overrides(c, f"on_{part}_batch_{when}") or (part == "train" and _overrides(c, f"on_batch_{when}"))
                for c in self.callbacks
                for when in ("begin", "end")
            )  # fmt: skip
            for part in ("train", "test", "predict")
        )
        self.sees_predictions = any(_overrides(c, "on_predict_batch_end") for c in self.callbacks)
        self._params, self._timers = params, {}
        if model is not None:
            model.__dict__.update(_initial_epoch=None, _initial_step=None, _order=None)

    _resumed = False  # the run goes on from a checkpoint

    def _save_state(self):
        """What the callbacks know, as text, for a checkpoint of the run."""
        from brio.keras import _run_state

        return _run_state.save(self)

    def _load_state(self, text):
        """Gives the callbacks back what _save_state() wrote."""
        from brio.keras import _run_state

        _run_state.load(self, text)

    @property
    def initial_epoch(self):
        """Where a run that was cut off goes on, where a callback found that out."""
        return self.model.__dict__.get("_initial_epoch")

    @property
    def initial_step(self):
        """The same within that epoch: how many of its steps were done."""
        return self.model.__dict__.get("_initial_step")

    @property
    def order(self):
        """What fit() draws the order of rows from: a callback may put that of an earlier run in its place."""
        return self.model.__dict__.get("_order")

    @order.setter
    def order(self, state):
        self.model.__dict__["_order"] = state

    def set_params(self, params):
        """Tells every callback what is known of the training."""
        self._params = params
        for callback in self.callbacks:
            callback.set_params(params)

    def set_model(self, model):
        """Tells every callback of the model that is trained."""
        self.model = model
        for callback in self.callbacks:
            callback.set_model(model)

    def append(self, callback):
        """One callback more."""
        callback.set_model(self.model)
        callback.set_params(self._params)
        self.callbacks.append(callback)
        self._timers = {}

    def _all(self, method, *args):
        if args and isinstance(args[-1], dict) and len(args[-1]) > 1:
            ordered = in_order(args[-1])
            args[-1].clear()  # the dictionary stays the same one: callbacks add to it what others read
            args[-1].update(ordered)
        timers = self._timers.get(method)
        if timers is None:
            timers = self._timers[method] = [_timer(callback, method) for callback in self.callbacks]
        for callback, timer in zip(self.callbacks, timers):
            timer(getattr(callback, method), *args) if timer else getattr(callback, method)(*args)
        return bool(getattr(self.model, "stop_training", False))

    def on_epoch_begin(self, epoch, logs=None):
        """Calls every callback."""
        if self.model is not None:
            self.model._begin_part(training=True)
        return self._all("on_epoch_begin", epoch, logs or {})

    def on_test_begin(self, logs=None):
        """Calls every callback."""
        if self.model is not None:
            self.model._begin_part(training=False)
        return self._all("on_test_begin", logs or {})

    def on_train_batch_begin(self, batch, logs=None):
        """Calls every callback."""
        return self._all("on_train_batch_begin", batch, logs)

    def on_train_batch_end(self, batch, logs=None):
        """Calls every callback."""
        return self._all("on_train_batch_end", batch, logs)

    def __getattr__(self, method):
        if not method.startswith("on_"):
            raise AttributeError(method)
        return lambda *args: self._all(method, *args)


# Callbacks of Keras. C++ has the same for C++'s users (brio/train/callbacks.h); these have Keras' attributes, which
# programs read and derived classes change.


class MonitorCallback(Callback):
    """Watches one number of the logs."""

    def __init__(self, monitor="val_loss", mode="auto", baseline=None, min_delta=0):
        super().__init__()
        if mode not in ("auto", "min", "max"):
            raise ValueError(f"{type(self).__name__}: mode is '{mode}'; it is 'auto', 'min' or 'max'")
        self.monitor, self.mode, self.best, self.min_delta = monitor, mode, baseline, abs(min_delta)

    def _current(self, logs):
        current = (logs or {}).get(self.monitor)
        if current is None:
            known = ", ".join(logs or {})
            warnings.warn(
                f"{type(self).__name__} watches '{self.monitor}', which is not there; there is {known}", stacklevel=3
            )
        return current

    def _is_improvement(self, value, reference):
        if reference is None:
            return True
        up = self.mode == "max"
        if self.mode == "auto":
            up = _core._goes_up(self.monitor)
            if up is None:
                raise ValueError(
                    f"{type(self).__name__} cannot tell whether '{self.monitor}' gets better by going up or down; pass "
                    "mode='max' or mode='min'"
                )
        return value - self.min_delta > reference if up else value + self.min_delta < reference


class EarlyStopping(MonitorCallback):
    """Ends training when a number no longer gets better.

    >>> stop = keras.callbacks.EarlyStopping(monitor="val_loss", patience=3, restore_best_weights=True)
    """

    def __init__(self, monitor="val_loss", min_delta=0, patience=0, verbose=0, mode="auto", baseline=None,
                 restore_best_weights=False, start_from_epoch=0):  # fmt: skip
        super().__init__(monitor, mode, min_delta=min_delta)
        self.patience, self.verbose, self.baseline = patience, verbose, baseline
        self.restore_best_weights, self.start_from_epoch = restore_best_weights, start_from_epoch
        self.wait, self.stopped_epoch, self.best_weights, self.best_epoch = 0, 0, None, 0

    def on_train_begin(self, logs=None):
        self.wait, self.stopped_epoch, self.best, self.best_weights, self.best_epoch = 0, 0, None, None, 0

    def on_epoch_end(self, epoch, logs=None):
        current = self._current(logs)
        if current is None or epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None:
            self.best_weights, self.best_epoch = self.model.get_weights(), epoch
        self.wait += 1
        if self._is_improvement(current, self.best):
            self.best, self.best_epoch = current, epoch
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            if self.baseline is None or self._is_improvement(current, self.baseline):
                self.wait = 0
            return
        if self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def on_train_end(self, logs=None):
        if self.stopped_epoch > 0 and self.verbose:
            print(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if self.restore_best_weights and self.best_weights is not None:
            if self.verbose:
                print(f"Restoring model weights from the end of the best epoch: {self.best_epoch + 1}.")
            self.model.set_weights(self.best_weights)


class ReduceLROnPlateau(MonitorCallback):
    """Lowers the learning rate when a number no longer gets better."""

    def __init__(
        self,
        monitor="val_loss",
        factor=0.1,
        patience=10,
        verbose=0,
        mode="auto",
        min_delta=1e-4,
        cooldown=0,
        min_lr=0.0,
        **kwargs,
    ):
        super().__init__(monitor, mode, min_delta=min_delta)
        if factor >= 1.0:
            raise ValueError(f"ReduceLROnPlateau: factor is {factor}; it is less than 1")
        self.factor, self.patience, self.verbose, self.cooldown, self.min_lr = (
            factor,
            patience,
            verbose,
            cooldown,
            min_lr,
        )
        self.cooldown_counter = self.wait = 0

    def on_train_begin(self, logs=None):
        self.best, self.cooldown_counter, self.wait = None, 0, 0

    def in_cooldown(self):
        """Is it waiting after a change of the rate?"""
        return self.cooldown_counter > 0

    def on_epoch_end(self, epoch, logs=None):
        logs = {} if logs is None else logs
        logs["learning_rate"] = float(self.model.optimizer.learning_rate)
        current = self._current(logs)
        if current is None:
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self._is_improvement(current, self.best):
            self.best, self.wait = current, 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience:
                old = float(np.float32(self.model.optimizer.learning_rate))  # Keras keeps it in 32 bits
                if old > self.min_lr:
                    self.model.optimizer.learning_rate = new = max(old * self.factor, self.min_lr)
                    if self.verbose:
                        print(f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing learning rate to {new}.")
                    self.cooldown_counter, self.wait = self.cooldown, 0


class LearningRateScheduler(Callback):
    """The learning rate of each epoch: schedule(epoch, rate) or schedule(epoch)."""

    def __init__(self, schedule, verbose=0):
        super().__init__()
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch, logs=None):
        try:
            rate = self.schedule(epoch, float(self.model.optimizer.learning_rate))
        except TypeError:  # it takes the epoch alone
            rate = self.schedule(epoch)
        if not isinstance(rate, (float, int)) and not hasattr(rate, "dtype"):
            raise ValueError(f"the schedule of LearningRateScheduler gave {rate!r}; it gives a float")
        self.model.optimizer.learning_rate = float(rate)
        if self.verbose:
            print(f"\nEpoch {epoch + 1}: LearningRateScheduler setting learning rate to {float(rate)}.")

    def on_epoch_end(self, epoch, logs=None):
        if logs is not None:
            logs["learning_rate"] = float(self.model.optimizer.learning_rate)


class TerminateOnNaN(Callback):
    """Ends training at a loss that is not finite."""

    def __init__(self, raise_error=False):
        super().__init__()
        self.raise_error = raise_error

    def on_batch_end(self, batch, logs=None):
        loss = (logs or {}).get("loss")
        if loss is not None and not math.isfinite(loss):
            if self.raise_error:
                raise RuntimeError(f"NaN or Inf loss encountered at batch {batch}")
            print(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True


class CSVLogger(Callback):
    """A line of a file for each epoch."""

    def __init__(self, filename, separator=",", append=False):
        super().__init__()
        self.filename, self.sep, self.append = os.fspath(filename), separator, append
        self.keys, self.csv_file, self._header = None, None, True

    def on_train_begin(self, logs=None):
        if self.append and os.path.exists(self.filename):
            with open(self.filename) as f:
                self._header = not f.readline()
        if self.csv_file:
            self.csv_file.close()
        resumed = (self.params or {}).get("resumed", lambda: False)()
        self.csv_file, self.keys = (
            open(os.fspath(self.filename), "a" if self.append or resumed else "w", newline=""),
            None,
        )

    def _run_state(self):
        return {"keys": self.keys, "header": self._header, "bytes": os.path.getsize(self.filename)}

    def _set_run_state(self, state):
        self.keys, self._header = state["keys"], state["header"]
        os.truncate(
            self.filename, min(state["bytes"], os.path.getsize(self.filename))
        )  # what comes behind is written again

    def on_epoch_end(self, epoch, logs=None):
        logs = logs or {}
        first = self.keys is None
        if first:
            self.keys = sorted(logs)
            if self.keys and not any(k.startswith("val_") for k in self.keys):
                self.keys += [f"val_{k}" for k in self.keys]
        writer = csv.writer(self.csv_file, delimiter=self.sep)
        if first and self._header:
            writer.writerow(["epoch", *self.keys])
        writer.writerow([epoch, *(logs.get(k, "NA") for k in self.keys)])
        self.csv_file.flush()

    def on_train_end(self, logs=None):
        if self.csv_file:
            self.csv_file.close()
            self.csv_file = None


class ProgbarLogger(Callback):
    """A bar for each epoch. fit() has its own: this one is for loops of one's own."""

    def __init__(self):
        super().__init__()
        self.progbar = self.seen = None

    def on_epoch_begin(self, epoch, logs=None):
        from brio.keras.utils import Progbar

        self.progbar, self.seen = Progbar((self.params or {}).get("steps")), 0
        print(f"Epoch {epoch + 1}/{(self.params or {}).get('epochs', 1)}")

    def on_train_batch_end(self, batch, logs=None):
        self.seen = batch + 1
        self.progbar.update(self.seen, list((logs or {}).items()), finalize=False)

    def on_epoch_end(self, epoch, logs=None):
        self.progbar.update(self.seen or 1, list((logs or {}).items()), finalize=True)


class RemoteMonitor(Callback):
    """Out of scope: it sends to a server."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("brio sends nothing over the network; write a Callback of your own that does")


_ELSEWHERE = {
    "ModelCheckpoint": "_checkpoint_callbacks",
    "BackupAndRestore": "_checkpoint_callbacks",
    "TensorBoard": "_tensorboard",
    "SwapEMAWeights": "_swap_ema",
}


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    if name in _ELSEWHERE:
        import importlib

        return getattr(importlib.import_module(f"brio.keras.{_ELSEWHERE[name]}"), name)
    from brio._missing import explain

    raise AttributeError(explain(__name__, name) if not name.startswith("__") else name)


def __dir__():
    return sorted(set(globals()) | set(_ELSEWHERE))
