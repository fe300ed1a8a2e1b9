"""keras.utils.PyDataset: batches that a class of Python's makes by their number."""

import math

from brio import _core
from brio.keras import callbacks as _callbacks


class PyDataset:
    """Override __len__, the number of batches, and __getitem__, which returns a batch:
    (x, y) or (x, y, sample_weight)."""

    def __init__(self, workers=1, use_multiprocessing=False, max_queue_size=10):
        self.workers, self.use_multiprocessing, self.max_queue_size = workers, use_multiprocessing, max_queue_size

    @property
    def num_batches(self):
        """How many batches there are."""
        return len(self)

    def __getitem__(self, index):
        raise NotImplementedError("a PyDataset needs a method __getitem__(self, index)")

    def on_epoch_begin(self):
        """Called before each epoch."""

    def on_epoch_end(self):
        """Called after each epoch."""

    @property
    def _brio_dataset(self):
        return self._dataset(False)._brio_dataset

    def _dataset(self, shuffle):
        from brio.data import Dataset, _elements

        count = self.num_batches
        if count is None or math.isinf(count):
            raise NotImplementedError("a PyDataset needs a number of batches: __len__")
        spec = _elements.normalize(self[0], lists=True)[0]

        def batch(number):
            flat = _core._journal_call(lambda n: _elements.normalize(self[int(n)], lists=True)[1], [number])
            return _elements.pack(spec, flat)

        numbers = Dataset.range(count)
        if shuffle:
            numbers = numbers.shuffle(count)
        return numbers.map(batch, name=f"{type(self).__name__}.__getitem__").prefetch(max(1, self.max_queue_size))

    def _for_training(self, shuffle, callbacks):
        """What fit() reads, and its callbacks with this one's hooks among them."""
        given = list(callbacks) if isinstance(callbacks, (list, tuple)) else [] if callbacks is None else [callbacks]
        return self._dataset(shuffle), [*given, _Epochs(self)]


Sequence = PyDataset


class _Epochs(_callbacks.Callback):
    def __init__(self, dataset):
        super().__init__()
        self.dataset = dataset

    def on_epoch_begin(self, epoch, logs=None):
        getattr(self.dataset, "on_epoch_begin", lambda: None)()

    def on_epoch_end(self, epoch, logs=None):
        self.dataset.on_epoch_end()
