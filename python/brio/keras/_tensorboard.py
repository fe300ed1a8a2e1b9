"""The TensorBoard callback."""

import os
import time

import numpy as np

from brio import _events, summary
from brio.keras.callbacks import Callback
from brio.profiler import experimental as profiler


def _batches_of(profile_batch):
    """The first and the last batch to profile, counted from 1, of a number or two; None: none."""
    if isinstance(profile_batch, str):
        profile_batch = tuple(int(n) for n in profile_batch.split(","))
    first, last = profile_batch if isinstance(profile_batch, (tuple, list)) else (profile_batch, profile_batch)
    if first < 0 or last < first:
        raise ValueError(
            f"TensorBoard: profile_batch is {profile_batch!r}; it is the number of a batch, or those of the first and "
            "the last one"
        )
    return (first, last) if first > 0 else None


class TensorBoard(Callback):
    """Writes losses and metrics, and where asked for the spread of the weights, to event files."""

    def __init__(self, log_dir="logs", histogram_freq=0, write_graph=True, write_images=False,
                 write_steps_per_second=False, update_freq="epoch", profile_batch=0, embeddings_freq=0,
                 embeddings_metadata=None):  # fmt: skip
        super().__init__()
        self.log_dir, self.histogram_freq, self.write_graph, self.write_images = (
            os.fspath(log_dir),
            histogram_freq,
            write_graph,
            write_images,
        )
        self.write_steps_per_second = write_steps_per_second
        self.update_freq = 1 if update_freq == "batch" else update_freq
        if self.update_freq != "epoch" and not isinstance(self.update_freq, int):
            raise ValueError(
                f"TensorBoard: update_freq is {update_freq!r}; it is 'epoch', 'batch' or a number of batches"
            )
        if embeddings_freq or embeddings_metadata:
            raise ValueError(
                "TensorBoard: embeddings are not written; leave embeddings_freq and embeddings_metadata out"
            )
        self._files, self._step = {}, 0
        self._profiled = _batches_of(profile_batch)

    def _file(self, part):
        if part not in self._files:
            self._files[part] = _events.EventFile(os.path.join(self.log_dir, part), ".v2")
        return self._files[part]

    def on_train_begin(self, logs=None):
        self._step = 0
        if self.write_graph and getattr(self.model, "_handle", None) is not None:
            self._file("train").layers(self.model)

    def on_train_batch_begin(self, batch, logs=None):
        if self._profiled and self._step + 1 == self._profiled[0]:
            profiler.start(os.path.join(self.log_dir, "train"))
            self._profiles = True

    def _stop_profile(self):
        if self.__dict__.pop("_profiles", False):
            profiler.stop()

    def on_epoch_begin(self, epoch, logs=None):
        self._began, self._began_at = time.monotonic(), self._step

    def on_train_batch_end(self, batch, logs=None):
        self._step += 1
        if self._profiled and self._step == self._profiled[1]:
            self._stop_profile()
        if self.update_freq != "epoch" and self._step % self.update_freq == 0:
            for name, value in (logs or {}).items():
                self._file("train").scalar(f"batch_{name}", value, self._step - 1)

    def on_epoch_end(self, epoch, logs=None):
        train, validation = {}, {}
        for name, value in (logs or {}).items():
            (validation if name.startswith("val_") else train)[name[4:] if name.startswith("val_") else name] = value
        optimizer = getattr(self.model, "optimizer", None)
        if optimizer is not None and "learning_rate" not in train:
            train["learning_rate"] = float(optimizer.learning_rate)
        if self.write_steps_per_second and self._step > self._began_at:
            train["steps_per_second"] = (self._step - self._began_at) / max(time.monotonic() - self._began, 1e-9)
        for part, numbers in (("train", train), ("validation", validation)):
            for name, value in numbers.items():
                self._file(part).scalar(f"epoch_{name}", value, epoch)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            for layer in self.model.layers:
                for weight in layer.weights:
                    name, value = weight.path.replace(":", "_"), np.asarray(weight.numpy())
                    self._file("train").histogram(name + "/histogram", value, epoch)
                    if self.write_images:
                        self._write_image(name + "/image", value, epoch)
        for file in self._files.values():
            file.flush()

    def _write_image(self, tag, weight, epoch):
        """A weight as pictures, laid out as Keras does; one of four axes of some size has no such form."""
        picture = np.squeeze(weight).astype(np.float32)
        if picture.ndim == 1:
            picture = picture.reshape(1, -1, 1, 1)
        elif picture.ndim == 2:
            picture = (picture.T if picture.shape[0] > picture.shape[1] else picture)[None, ..., None]
        elif picture.ndim == 3:
            picture = np.transpose(picture, (2, 0, 1))[..., None]
        if picture.ndim == 4 and picture.shape[-1] in (1, 3, 4):
            self._file("train").images(tag, summary._pictures(picture[:3]), epoch)

    def on_test_end(self, logs=None):
        optimizer = getattr(self.model, "optimizer", None)
        if optimizer is None:
            return
        for name, value in (logs or {}).items():
            self._file("validation").scalar(f"evaluation_{name}_vs_iterations", value, int(optimizer.iterations))

    def on_train_end(self, logs=None):
        self._stop_profile()
        for file in self._files.values():
            file.close()
        self._files = {}
