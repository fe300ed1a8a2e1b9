"""Datasets on disk (save, load, snapshot), elements that may be missing, and classes in other proportions."""

import os
import struct
import uuid

from brio import _core, _files, _nest, errors
from brio._spec import TensorSpec
from brio.data import _elements

_ABOUT, _FORMAT = "dataset.json", "brio dataset 1"


# ---- files: a folder with dataset.json, which is written last, and one TFRecord file per shard with one record per
# element. Both have checksums, which load() and `brio verify` compare.


def save(dataset, path, compression=None, shard_func=None, checkpoint_args=None):
    """Writes the elements. shard_func(*element) gives the number of the file that an element goes to."""
    writer = _Writer(_folder(path), dataset.element_spec, compression)
    try:
        for element in dataset:
            writer.add(element, _shard_of(element, shard_func))
        writer.finish()
    finally:
        writer.abandon()


def _shard_of(element, shard_func):
    return 0 if shard_func is None else int(shard_func(*(element if isinstance(element, tuple) else (element,))))


class _Writer:
    """Files of names that nobody knows until dataset.json has them:
    a reader sees the old dataset or the new one, whole."""

    def __init__(self, folder, spec, compression):
        if not _elements.is_plain(spec):
            raise TypeError("[Dataset.save] elements are tensors; make ragged and sparse ones dense before, with map()")
        if compression not in (None, "", "NONE", "GZIP"):
            raise ValueError(f"[Dataset.save] compression is {compression!r}; it is None or 'GZIP'")
        os.makedirs(folder, exist_ok=True)
        self.folder, self.spec, self.compression = folder, spec, "GZIP" if compression == "GZIP" else ""
        self.writers, self.counts, self.run = {}, {}, uuid.uuid4().hex[:12]

    def add(self, element, shard):
        from brio import io

        if shard not in self.writers:
            self.writers[shard], self.counts[shard] = io.TFRecordWriter(self._path(shard), self.compression), 0
        texts = [io.serialize_tensor(t).numpy() for t in _nest.flatten(element)]
        self.writers[shard].write(b"".join(struct.pack("<Q", len(t)) + t for t in texts))
        self.counts[shard] += 1

    def _name(self, shard):
        return f"{self.run}-{shard:05}.tfrecord"

    def _path(self, shard):
        return os.path.join(self.folder, self._name(shard))

    def finish(self):
        shards = []
        for shard in sorted(self.writers):
            self.writers[shard].close()
            with open(self._path(shard), "rb") as file:
                os.fsync(file.fileno())
            shards.append(
                {"file": self._name(shard), "elements": self.counts[shard], "bytes": os.path.getsize(self._path(shard))}
            )
        leaves = [
            [list(leaf.shape) if leaf.shape.rank is not None else None, leaf.dtype.name]
            for leaf in _nest.flatten(self.spec)
        ]
        about = {
            "format": _FORMAT,
            "files": shards,
            "compression": self.compression,
            "leaves": leaves,
            "structure": _written(self.spec),
        }
        _files.write_json(os.path.join(self.folder, _ABOUT), about)
        self.writers = {}

    def abandon(self):
        """Removes what was written, unless it is finished."""
        for shard, writer in self.writers.items():
            writer.close()
            os.unlink(self._path(shard))
        self.writers = {}


def load(path, element_spec=None, compression=None, reader_func=None):
    """The elements that save() wrote. reader_func(datasets of the files) says in which order they come."""
    from brio.data._dataset import Dataset

    folder = _folder(path)
    about = os.path.join(folder, _ABOUT)
    if not os.path.exists(about):
        raise errors.NotFoundError(f"[Dataset.load] {folder} holds no dataset: there is no {_ABOUT}")
    found = _files.read_json(about)
    if found.get("format") != _FORMAT:
        raise _files._damaged(about, f"it is not of the format '{_FORMAT}'")
    spec = _read(found["structure"], iter(found["leaves"]))
    if element_spec is not None and str(element_spec) != str(spec):
        raise ValueError(f"[Dataset.load] the elements are {spec}, not {element_spec}")
    shards = [_shard(folder, row, found["compression"], spec) for row in found["files"]]
    if reader_func is not None:
        return reader_func(_Shards(shards))
    if not shards:
        return Dataset.from_generator(lambda: iter(()), output_signature=spec)
    made = shards[0]
    for one in shards[1:]:
        made = made.concatenate(one)
    return made


def _shard(folder, row, compression, spec):
    from brio import io
    from brio._control import numpy_function
    from brio.data._readers import TFRecordDataset
    from brio.data.experimental import assert_cardinality

    path, leaves = os.path.join(folder, row["file"]), _nest.flatten(spec)
    have = os.path.getsize(path) if os.path.exists(path) else None
    if have != row["bytes"]:
        what = "it is not there" if have is None else f"it has {have} bytes"
        raise _files._damaged(path, f"{what}, and {os.path.join(folder, _ABOUT)} says that it has {row['bytes']}")

    def read(record):
        at, parts = 0, []
        for leaf in leaves:
            (size,) = struct.unpack_from("<Q", record, at)
            parts.append(io.parse_tensor(record[at + 8 : at + 8 + size], leaf.dtype).numpy())
            at += 8 + size
        return parts

    def element(record):
        parts = numpy_function(read, [record], [leaf.dtype for leaf in leaves])
        for part, leaf in zip(parts, leaves):
            part.set_shape(leaf.shape)
        return _nest.pack(spec, list(parts))

    made = TFRecordDataset(path, compression).map(element).apply(assert_cardinality(row["elements"]))
    made._spec = spec
    return made


class _Shards:
    """What a reader_func is given: the datasets of the files, to be put in an order."""

    def __init__(self, shards):
        self._shards = shards

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=None, name=None):
        import random

        order = list(self._shards)
        random.Random(seed).shuffle(order)
        return _Shards(order)

    def flat_map(self, map_func, name=None):
        made = [map_func(s) for s in self._shards]
        all_ = made[0]
        for one in made[1:]:
            all_ = all_.concatenate(one)
        return all_

    def interleave(
        self, map_func, cycle_length=None, block_length=None, num_parallel_calls=None, deterministic=None, name=None
    ):
        if len(self._shards) > 1 and cycle_length not in (1,):
            from brio.data._dataset import Dataset

            made, turns = [map_func(s) for s in self._shards], Dataset.range(len(self._shards)).repeat()
            return Dataset.choose_from_datasets(made, turns, stop_on_empty_dataset=False)
        return self.flat_map(map_func)


def _folder(path):
    path = path.numpy().decode() if hasattr(path, "numpy") else path
    return os.fspath(path)


def _written(spec):
    if isinstance(spec, dict):
        return {"dict": {k: _written(v) for k, v in spec.items()}}
    if isinstance(spec, (list, tuple)):
        return {"tuple": [_written(v) for v in spec]}
    return "leaf"


def _read(structure, leaves):
    if structure == "leaf":
        shape, dtype = next(leaves)
        return TensorSpec(shape, dtype)
    if "dict" in structure:
        made = dict.fromkeys(structure["dict"])
        for k in sorted(made):  # flatten() uses the order of the names
            made[k] = _read(structure["dict"][k], leaves)
        return made
    return tuple(_read(v, leaves) for v in structure["tuple"])


def snapshot(dataset, path, compression="AUTO", reader_func=None, shard_func=None):
    """Elements that are written while they are first walked over, and read from there from then on."""
    from brio.data._dataset import Dataset

    folder = _folder(path)
    compression = "GZIP" if compression == "GZIP" else None

    def elements():
        if os.path.exists(os.path.join(folder, _ABOUT)):
            yield from load(folder, reader_func=reader_func)
            return
        writer = _Writer(folder, dataset.element_spec, compression)
        try:
            for element in dataset:
                writer.add(element, _shard_of(element, shard_func))
                yield element
            writer.finish()
        finally:  # also if the reader stops early
            writer.abandon()

    return Dataset.from_generator(elements, output_signature=dataset.element_spec)


# ---- resampling to other class proportions


def rejection_resample(dataset, class_func, target_dist, initial_dist=None, seed=None):
    """(class, element): elements are left out at random, so that classes come as often as target_dist says. Without
    initial_dist the proportions that there are are counted on the way."""
    from brio import random

    target = _core.cast(target_dist, "float32")
    classes = target.shape[0]
    with_class = dataset.map(
        lambda *element: (_core.convert_to_tensor(class_func(*element)), element[0] if len(element) == 1 else element)
    )
    if initial_dist is not None:
        counted = with_class.map(lambda c, element: (_core.cast(initial_dist, "float32"), c, element))
    else:

        def count(counts, item):
            counts = counts + _core.one_hot(item[0], classes)
            return counts, (counts / _core.reduce_sum(counts), item[0], item[1])

        counted = with_class.scan(
            _core.ones([classes]),
            lambda state, c, element=None: count(state, (c, element) if element is not None else c),
        )

    def kept(proportions, c, element):
        ratio = target / _core.maximum(proportions, 1e-9)
        return random.uniform([], seed=seed) <= _core.gather(ratio / _core.reduce_max(ratio), c)

    return counted.filter(kept).map(lambda _, c, element: (c, element))


# ---- optional elements


class Optional:
    """A value that may be missing: what Iterator.get_next_as_optional() gives."""

    def __init__(self, spec, value=None, has=False):
        self._spec, self._value, self._has = spec, value, has

    @classmethod
    def from_value(cls, value):
        """One that has a value."""
        return cls(
            _nest.map_structure(lambda v: TensorSpec.from_tensor(_core.convert_to_tensor(v)), value), value, True
        )

    @classmethod
    def empty(cls, element_spec):
        """One that has none."""
        return cls(element_spec)

    element_spec = property(lambda self: self._spec, doc="The types of the value.")

    def has_value(self, name=None):
        """Is there a value?"""
        return _core.constant(self._has)

    def get_value(self, name=None):
        """The value."""
        if not self._has:
            raise errors.InvalidArgumentError("The given optional does not have a value.")
        return self._value


def get_next_as_optional(iterator):
    """The next element, or an Optional without value at the end."""
    try:
        return Optional(iterator.element_spec, next(iterator), True)
    except StopIteration:
        return Optional.empty(iterator.element_spec)
