"""Batches that Python makes one after the other: generators and other iterables.
PyDatasets are datasets (_py_dataset.py)."""

import numpy as np

from brio import _core, _nest


def unpack_x_y_sample_weight(data):
    """(x, y, sample_weight) of what a batch is: x alone, a tuple of two or of three."""
    if isinstance(data, list):
        data = tuple(data)
    if not isinstance(data, tuple):
        return data, None, None
    if len(data) > 3:
        raise ValueError(f"a batch is x, (x, y) or (x, y, sample_weight), but it has {len(data)} parts")
    return (*data, None, None)[:3]


def pack_x_y_sample_weight(x, y=None, sample_weight=None):
    """(x,), (x, y) or (x, y, sample_weight), as batches of a dataset are."""
    if y is None:
        return x if not isinstance(x, (list, tuple)) else (x,)
    return (x, y) if sample_weight is None else (x, y, sample_weight)


def tensors(structure):
    return None if structure is None else [_core.convert_to_tensor(v) for v in _nest.flatten(structure)]


class Batches:
    """What C++ draws batches from. `flat` makes the lists of tensors that a model takes of (x, y, sample_weight)."""

    def __init__(self, source, flat, shuffle=False, class_weight=None):
        self.source, self.flat, self.shuffle = source, flat, shuffle
        self.class_weight = class_weight
        self.indexed = hasattr(source, "__getitem__") and hasattr(source, "__len__")
        self.steps = len(source) if self.indexed else None
        if hasattr(source, "_brio_dataset") and not self.indexed:
            n = int(source.cardinality())
            self.steps = n if n >= 0 else None
        self.again = not self.indexed and iter(source) is not source  # a new iterator each epoch
        self.iterator = None
        self.continues = False  # an epoch goes on where the last one stopped: for steps_per_epoch
        self.running, self.taken = None, 0

    def start(self, epoch):
        if self.continues and self.running is not None and self.taken != self.steps:
            return self.running
        self.taken = 0
        if self.indexed:
            self.running = self._by_number(epoch)
            return self.running
        if self.again or self.iterator is None:
            self.iterator = iter(self.source)
        self.running = self._ended(self._parts(self.iterator))
        return self.running

    def _ended(self, batches):
        yield from batches
        self.running = None

    def _by_number(self, epoch):
        if hasattr(self.source, "on_epoch_begin"):
            self.source.on_epoch_begin()
        order = np.random.permutation(self.steps) if self.shuffle else range(self.steps)
        yield from self._parts(self.source[int(i)] for i in order)
        if hasattr(self.source, "on_epoch_end"):
            self.source.on_epoch_end()

    def _parts(self, batches):
        for batch in batches:
            self.taken += 1
            yield self.flat(*unpack_x_y_sample_weight(batch))


def columns(x):
    """Columns of a pandas table as (rows, 1): one number for each sample, as Keras takes them."""
    if isinstance(x, dict):
        return type(x)((k, columns(v)) for k, v in x.items())
    if type(x) in (list, tuple):
        return type(x)(map(columns, x)) if any(map(_is_column, x)) else x
    return x.to_numpy()[:, None] if _is_column(x) else x


def _is_column(x):
    return type(x).__name__ == "Series" and type(x).__module__.split(".")[0] == "pandas"


class Cut:
    """The batches of arrays, in their structure."""

    def __init__(self, x, batch_size):
        self.x, self.batch_size = _nest.map_structure(_core.convert_to_tensor, x), batch_size
        self.rows = len(_nest.flatten(self.x)[0])
        self.steps = -(-self.rows // batch_size)

    def start(self, epoch):
        for begin in range(0, self.rows, self.batch_size):
            yield _nest.map_structure(lambda t, a=begin: t[a : a + self.batch_size], self.x)


def is_python_source(x):
    """Something that gives batches one by one, and is no array or structure of them."""
    if hasattr(type(x), "_brio_dataset") or hasattr(x, "_brio_dataset"):
        return False
    return hasattr(x, "__next__") or (
        hasattr(x, "__iter__")
        and not hasattr(x, "__array__")
        and not hasattr(x, "shape")
        and not isinstance(x, (list, tuple, dict, str))
        and not hasattr(x, "_brio_dataset")
    )


def gathered(source, steps=None):
    """Every batch of a finite source, as whole arrays (x, y, sample_weight)."""
    batches = Batches(source, lambda *parts: parts)
    parts = [[], [], []]
    for i, batch in enumerate(batches.start(0)):
        if steps is not None and i >= steps:
            break
        for into, part in zip(parts, batch):
            into.append(part)
    if not parts[0]:
        raise ValueError("the data has no batches")
    join = lambda rows: (
        None if rows[0] is None else _nest.map_structure(lambda *v: np.concatenate([np.asarray(a) for a in v]), *rows)
    )
    return tuple(join(rows) for rows in parts)


def without_sparse(source):
    """A dataset whose sparse tensors are made dense: layers compute with all numbers."""
    from brio.data import _elements

    spec = getattr(source, "element_spec", None)
    if spec is None or not _elements.has_sparse(spec):
        return source
    from brio import _nest
    from brio.keras._layer import as_dense

    return source.map(lambda *parts: _nest.map_structure(as_dense, parts if len(parts) > 1 else parts[0]))
