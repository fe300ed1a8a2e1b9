"""Savers: variables of a session in checkpoints, and which checkpoints a directory holds."""

import os
import time

import numpy as np

from brio import _checkpoint, _core
from brio._graph import core
from brio.errors import InvalidArgumentError, NotFoundError


class Saver:
    """Writes variables to checkpoints, and reads them again: all of them, or a list, or a dict by name."""

    def __init__(self, var_list=None, reshape=False, sharded=False, max_to_keep=5,
                 keep_checkpoint_every_n_hours=10000.0, name=None, restore_sequentially=False, saver_def=None,
                 builder=None, defer_build=False, allow_empty=False, write_version=2, pad_step_number=False,
                 save_relative_paths=False, filename=None):  # fmt: skip
        for argument, value in (("saver_def", saver_def), ("builder", builder)):
            if value is not None:
                raise NotImplementedError(
                    f"[Saver] {argument}={value!r} is not supported: Brio has no graphs as protocol buffers; leave it "
                    "out"
                )
        self._given, self._keep, self._paths, self._reshape, self._empty = (
            var_list,
            max_to_keep,
            [],
            reshape,
            allow_empty,
        )
        self._hours, self._padded, self._times = keep_checkpoint_every_n_hours, pad_step_number, {}
        self._keep_from, self._named = time.time() + keep_checkpoint_every_n_hours * 3600, None
        if not defer_build:
            self.build()

    def build(self):
        """Finds the variables: those that were given, or those that there are now."""
        from brio.compat._variables import global_variables

        found = global_variables() if self._given is None else self._given
        if not found and not self._empty:
            raise ValueError("No variables to save")
        self._named = dict(found) if isinstance(found, dict) else {v.name.split(":")[0]: v for v in found}

    def _check_built(self, what):
        if self._named is None:
            raise RuntimeError(f"`build()` should be called before {what} if defer_build==True")

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

    def save(self, sess, save_path, global_step=None, latest_filename=None, meta_graph_suffix="meta",
             write_meta_graph=True, write_state=True, strip_default_attrs=False, save_debug_info=False):  # fmt: skip
        """Writes SAVE_PATH, or SAVE_PATH-STEP, and returns that path."""
        self._check_built("save")
        step = ""
        if global_step is not None:
            number = global_step
            if isinstance(global_step, core.Tensor) or hasattr(global_step, "_as_graph_element"):
                number = sess.run(global_step)
            elif not isinstance(global_step, int):
                number = _core.convert_to_tensor(global_step).numpy()
            step = f"-{int(number):08d}" if self._padded else f"-{int(number)}"
        with core.paused():
            path = _checkpoint.Checkpoint(**self._cells(sess)).write(f"{os.fspath(save_path)}{step}")
        self._paths, self._times[path] = [p for p in self._paths if p != path] + [path], time.time()
        while self._keep and len(self._paths) > self._keep:
            self._forget(self._paths.pop(0))
        if write_state:
            _checkpoint.update_checkpoint_state(os.path.dirname(path) or ".", path, self._paths, latest_filename)
        return path

    def _forget(self, path):
        """Removes a checkpoint; each n hours one stays for good."""
        if self._times.pop(path, 0.0) > self._keep_from:
            self._keep_from += self._hours * 3600
            return
        for ending in (".json", ".safetensors"):
            if os.path.exists(path + ending):
                os.remove(path + ending)

    def restore(self, sess, save_path):
        """Gives the variables of a session the values of a checkpoint."""
        from brio._graph.variables import Variable

        self._check_built("restore")
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        if not checkpoint_exists(save_path):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {save_path}")
        cells = self._cells(sess, making=True)
        with core.paused():
            if self._reshape:
                _restore_reshaped(cells, save_path)
            else:
                _restore(cells, save_path)
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


def _restore(cells, path):
    try:
        _checkpoint.Checkpoint(**cells).restore(path).assert_existing_objects_matched()
    except AssertionError as error:
        raise NotFoundError(
            f"Restoring from checkpoint failed: {error}. A variable has another name, or was not saved"
        ) from None


def _restore_reshaped(cells, path):
    """Values whose shapes may be others than those of the variables, where they have as many elements."""
    values = _checkpoint._values(os.fspath(path))
    for name, cell in cells.items():
        if name not in values:
            raise NotFoundError(
                f"Restoring from checkpoint failed: {path} has no '{name}'. A variable has another name, or was not "
                "saved"
            )
        if np.size(values[name]) != cell.shape.num_elements():
            raise InvalidArgumentError(
                f"[Saver.restore] '{name}' has shape {np.shape(values[name])} in {path}, which cannot be reshaped to "
                f"{tuple(cell.shape)}"
            )
    for name, cell in cells.items():
        cell.assign(_core.reshape(_core.cast(values[name], cell.dtype), list(cell.shape)))


def latest_checkpoint(checkpoint_dir, latest_filename=None):
    """The newest checkpoint of a directory, or None."""
    return _checkpoint.latest_checkpoint(checkpoint_dir, latest_filename)


def checkpoint_exists(checkpoint_prefix):
    """Is there such a checkpoint?"""
    return os.path.exists(f"{os.fspath(checkpoint_prefix)}.json") or os.path.exists(
        f"{os.fspath(checkpoint_prefix)}.safetensors"
    )


def get_checkpoint_state(checkpoint_dir, latest_filename=None):
    """The newest checkpoint of a directory, and all that are kept; None where there is none."""
    return _checkpoint.get_checkpoint_state(checkpoint_dir, latest_filename)
