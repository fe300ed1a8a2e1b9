"""Callbacks that write models to files: ModelCheckpoint and BackupAndRestore."""

import json
import os
import shutil

from brio import _core
from brio.keras.callbacks import Callback, MonitorCallback


class _EveryBatches(Callback):
    """When so many batches have passed, of one epoch after the other."""

    def _reset_count(self):
        self._seen, self._last = 0, None

    def _is_due(self, batch):
        if self.save_freq == "epoch":
            return False
        self._seen += batch + 1 if self._last is None or batch <= self._last else batch - self._last
        self._last = batch
        if self._seen < self.save_freq:
            return False
        self._seen = 0
        return True

    def _check_freq(self):
        if self.save_freq != "epoch" and not isinstance(self.save_freq, int):
            raise ValueError(
                f"{type(self).__name__}: save_freq is {self.save_freq!r}; it is 'epoch' or a number of batches"
            )


class ModelCheckpoint(MonitorCallback, _EveryBatches):
    """Writes the model, or its weights, during training. The name may hold {epoch} and the names of logs."""

    def __init__(self, filepath, monitor="val_loss", verbose=0, save_best_only=False, save_weights_only=False,
                 mode="auto", save_freq="epoch", initial_value_threshold=None):  # fmt: skip
        super().__init__(monitor, mode, initial_value_threshold)
        self.filepath, self.verbose, self.save_best_only = os.fspath(filepath), verbose, save_best_only
        self.save_weights_only, self.save_freq = save_weights_only, save_freq
        self._epoch = 0
        self._check_freq()
        self._reset_count()
        if save_weights_only and not self.filepath.endswith((".weights.h5", ".safetensors")):
            raise ValueError(
                "ModelCheckpoint with save_weights_only=True writes files that end in .weights.h5, but the name is "
                f"{self.filepath}"
            )
        if not save_weights_only and not self.filepath.endswith(".keras"):
            raise ValueError(f"ModelCheckpoint writes files that end in .keras, but the name is {self.filepath}")

    def on_epoch_begin(self, epoch, logs=None):
        self._epoch = epoch

    def on_train_batch_end(self, batch, logs=None):
        if self._is_due(batch):
            self._save(self._epoch, batch, logs or {})

    def on_epoch_end(self, epoch, logs=None):
        if self.save_freq == "epoch":
            self._save(epoch, None, logs or {})

    def _save(self, epoch, batch, logs):
        numbers = {"epoch": epoch + 1, **({} if batch is None else {"batch": batch + 1}), **logs}
        try:
            path = self.filepath.format(**numbers)
        except KeyError as error:
            raise KeyError(
                f"ModelCheckpoint cannot name its file {self.filepath}: there is no {error}; there is "
                f"{', '.join(numbers)}"
            ) from None
        if not self._is_wanted(epoch, logs, path):
            return
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        if self.save_weights_only:
            self.model.save_weights(path, overwrite=True)
        else:
            self.model.save(path, overwrite=True)

    def _is_wanted(self, epoch, logs, path):
        if not self.save_best_only:
            if self.verbose:
                print(f"\nEpoch {epoch + 1}: saving model to {path}")
            return True
        current = self._current(logs)
        if current is None:
            return True
        best = "None" if self.best is None else f"{self.best:.5f}"
        if not self._is_improvement(current, self.best):
            if self.verbose:
                print(f"\nEpoch {epoch + 1}: {self.monitor} did not improve from {best}")
            return False
        if self.verbose:
            print(f"\nEpoch {epoch + 1}: {self.monitor} improved from {best} to {current:.5f}, saving model to {path}")
        self.best = current
        return True


class BackupAndRestore(_EveryBatches):
    """Keeps the state of a run in a directory; fit() goes on from there when the run was cut off.

    The weights, the epoch, the step within it (with save_freq=int), the order of shuffled rows and the state of random
    numbers are one file, latest.weights.h5, so that they belong together whenever the run ends.
    """

    def __init__(self, backup_dir, save_freq="epoch", double_checkpoint=False, delete_checkpoint=True):
        super().__init__()
        if not backup_dir:
            raise ValueError("BackupAndRestore needs a directory")
        self.backup_dir, self.save_freq = os.fspath(backup_dir), save_freq
        self.double_checkpoint, self.delete_checkpoint = double_checkpoint, delete_checkpoint
        self._weights = os.path.join(self.backup_dir, "latest.weights.h5")
        self._about = os.path.join(
            self.backup_dir, "training_metadata.json"
        )  # for Keras, and of a run that Keras began
        self._epoch = 0
        self._check_freq()
        self._reset_count()

    def on_train_begin(self, logs=None):
        if not self.model.built:
            raise ValueError(
                "BackupAndRestore needs a model that has its weights; call it on a batch of data before fit()"
            )
        try:
            self._load(self._weights, self._about)
        except (OSError, ValueError):
            if not os.path.exists(self._weights + ".bkp"):
                raise
            self._load(self._weights + ".bkp", self._about + ".bkp")

    def _load(self, weights, about):
        from brio.keras import saving

        state = None
        if os.path.exists(weights):
            if not self.model.optimizer.built:
                self.model.optimizer.build(self.model.trainable_variables)
            state = saving.load_backup(self.model, weights)
        if state is None and os.path.exists(about):
            with open(about) as f:
                state = {"epoch": json.load(f)["epoch"]}
        if state is not None:
            self._epoch = state["epoch"]
            self._go_on(state)

    def _go_on(self, state):
        self.model.__dict__.update(_initial_epoch=state["epoch"], _initial_step=state.get("step"))
        if state.get("order") is not None:
            self.model.__dict__["_order"] = tuple(state["order"])
        if state.get("global") is not None:
            _core._random._Generator._global()._restore(*state["global"])
        if len(state.get("layers") or ()) == len(self.model._handle.random_states()):
            self.model._handle.set_random_states([tuple(row) for row in state.get("layers") or ()])
        for generator, row in zip(_seed_generators(self.model), state.get("generators") or ()):
            generator.state.assign(row)

    def on_epoch_end(self, epoch, logs=None):
        self._epoch, self._last = epoch + 1, None
        if self.save_freq == "epoch":
            self._save(None)

    def on_train_batch_end(self, batch, logs=None):
        if self._is_due(batch):
            self._save(batch)

    def on_epoch_begin(self, epoch, logs=None):
        self._epoch = epoch

    def _save(self, batch):
        from brio._files import write_aside
        from brio.keras import saving

        os.makedirs(self.backup_dir, exist_ok=True)
        if self.double_checkpoint:
            for path in (self._weights, self._about):
                if os.path.exists(path):
                    with open(path, "rb") as old:
                        write_aside(path + ".bkp", lambda new, old=old: shutil.copyfileobj(old, new, 1 << 20))
        state = {
            "epoch": self._epoch, "step": 0 if batch is None else batch + 1, "order": self.model.__dict__.get("_order"),
            "global": _core._random._Generator._global()._state(), "layers": self.model._handle.random_states(),
            "generators": [g.state.numpy().tolist() for g in _seed_generators(self.model)],
        }  # fmt: skip
        saving.save_backup(self.model, self._weights, state)
        write_aside(self._about, lambda f: f.write(json.dumps({"epoch": self._epoch, "batch": batch or 0}).encode()))

    def on_train_end(self, logs=None):
        if self.delete_checkpoint:
            shutil.rmtree(self.backup_dir, ignore_errors=True)


def _seed_generators(model):
    """keras.random.SeedGenerator in the attributes of layers that are written in Python, in order."""
    from brio.keras import _state
    from brio.keras.random import SeedGenerator

    owners = [entry.owner for entry in _state.entries(model) if entry.owner is not None]
    return [
        value for owner in owners for _, value in sorted(owner.__dict__.items()) if isinstance(value, SeedGenerator)
    ]
