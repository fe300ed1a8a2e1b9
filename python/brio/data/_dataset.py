"""tf.data.Dataset: Python describes the pipeline, C++ runs it."""

from brio import _core, _nest
from brio._core import _sources
from brio._spec import TensorSpec
from brio.data import _elements
from brio.data import _sources_of as sources
from brio.data._options import Options
from brio.data._sources_of import number_of, text_of

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


class Dataset(sources.Sources):
    """Elements, and what happens to them on their way: each method returns a new dataset.

    >>> dataset = tf.data.Dataset.range(6).map(lambda x: x * x).batch(4)
    >>> [batch.numpy().tolist() for batch in dataset]
    [[0, 1, 4, 9], [16, 25]]
    """

    def __init__(self, core, element_spec, examples=None, static=True):
        """`examples`: () → elements as lists of tensors to try functions with; default: the first ones."""
        self._brio_dataset, self._spec, self._made_examples, self._static = core, element_spec, examples, static
        self._known_examples, self._asserted = None, None

    def _next(self, core, element_spec=None, examples=None, static=None):
        made = Dataset.__new__(Dataset)
        Dataset.__init__(
            made,
            core,
            self.element_spec if element_spec is None else element_spec,
            self._examples if examples is None else examples,
            self._static if static is None else static,
        )
        return made

    def _examples(self):
        if self._known_examples is None:
            read = self._made_examples or (lambda: self._brio_dataset.first(2))
            self._known_examples = read()
        return self._known_examples

    def _batch_examples(self, size, batched):
        """Batches of the example; small ones where large ones would cost much memory."""
        found = self._examples()[:1]
        if not found:
            return []
        row = sum(t.dtype.size * t.shape.num_elements() for t in found[0] if t.dtype != _core.string)
        size = size if size is not None and size * row <= 1 << 26 else max(1, min(size or 2, (1 << 26) // max(row, 1)))
        core = _sources.from_tensors(found[0], _elements.template(self.element_spec)).repeat(size)
        return batched(core, size).first(1)

    # ---- what it is

    @property
    def element_spec(self):
        """The types of an element's tensors."""
        if callable(self._spec):
            self._spec = self._spec()
        return self._spec

    def cardinality(self, name=None):
        """The number of elements, INFINITE_CARDINALITY or UNKNOWN_CARDINALITY."""
        return _core.constant(self._cardinality(), "int64")

    def _cardinality(self):
        known = self._brio_dataset.cardinality()
        return self._asserted if known < 0 and self._asserted is not None else known

    def __len__(self):
        n = self._cardinality()
        if n < 0:
            raise TypeError(
                "The dataset is infinite." if n == INFINITE_CARDINALITY else "The dataset length is unknown."
            )
        return n

    def __bool__(self):
        return True

    def __repr__(self):
        return f"<{type(self).__name__} element_spec={self.element_spec}>"

    def explain(self, seconds=1.0):
        """Reads for so long and returns a text that says where the time went; print() it."""
        return self._brio_dataset.explain(float(seconds))

    # ---- walking

    def __iter__(self):
        spec = self.element_spec
        if not _elements.is_plain(spec):
            return _Iterator(self)
        iterator = self._brio_dataset.iterate(_elements.template(spec))
        iterator.element_spec = spec
        return iterator

    def as_numpy_iterator(self, name=None):
        """Elements as NumPy's arrays."""
        from brio.data._more_experimental import NumpyIterator

        return NumpyIterator(self)

    def get_single_element(self, name=None):
        """The only element."""
        from brio.errors import InvalidArgumentError

        found = self._brio_dataset.take(2).first(2)
        if len(found) != 1:
            raise InvalidArgumentError("Dataset was empty." if not found else "Dataset had more than one element.")
        return _elements.pack(self.element_spec, found[0])

    # ---- order and number

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=True, name=None):
        """Random order, from a buffer of that many elements; AUTOTUNE shuffles all of them."""
        again = True if reshuffle_each_iteration is None else bool(reshuffle_each_iteration)
        return self._next(self._brio_dataset.shuffle(int(buffer_size), number_of(seed), again))

    def repeat(self, count=None, name=None):
        """The elements count times; None: without end."""
        return self._next(self._brio_dataset.repeat(number_of(count, -1)))

    def take(self, count, name=None):
        """The first elements; -1: all."""
        return self._next(self._brio_dataset.take(int(count)) if int(count) >= 0 else self._brio_dataset)

    def skip(self, count, name=None):
        """All but the first elements; -1: none."""
        count = int(count)
        return self._next(self._brio_dataset.skip(count) if count >= 0 else self._brio_dataset.take(0))

    def shard(self, num_shards, index, name=None):
        """Every num_shards-th element."""
        return self._next(self._brio_dataset.shard(int(num_shards), int(index)))

    def concatenate(self, dataset, name=None):
        """The elements of this one, then those of another."""
        a, b = self.element_spec, dataset.element_spec
        if not _elements._same_structure(a, b):
            raise TypeError(f"Two datasets to concatenate have different types {a} and {b}")
        return self._next(
            self._brio_dataset.concatenate(dataset._brio_dataset),
            _elements.common(a, b),
            lambda: self._examples() + dataset._examples(),
            self._static and dataset._static,
        )

    def enumerate(self, start=0, name=None):
        """(number, element) of each element."""
        return self._next(
            self._brio_dataset.enumerate(int(start)),
            (TensorSpec([], "int64"), self.element_spec),
            lambda: [[_core.constant(int(start), "int64"), *example] for example in self._examples()],
        )

    def unique(self, name=None):
        """Elements that were not there before."""
        return self._next(self._brio_dataset.unique())

    # ---- batches

    def batch(self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None, name=None):
        """Elements, batch_size at a time."""
        n, drop = int(batch_size), bool(drop_remainder)
        if _elements.has_sparse(self.element_spec):
            spec, stacked = _elements.sparse_batch(self.element_spec, n if drop else None)
            batched = lambda core, size, cut=False: core.ragged_batch(size, cut, stacked)
            return self._next(
                batched(self._brio_dataset, n, drop), spec, lambda: self._batch_examples(n, batched), False
            )
        if any(
            isinstance(leaf, _elements._RaggedRows) for leaf in _nest.flatten(self.element_spec)
        ):  # lengths of rows become splits
            return self.map(lambda *parts: parts if type(self.element_spec) is tuple else parts[0]).batch(n, drop)
        if _elements.has_ragged(self.element_spec):
            spec, stacked = _elements.ragged_batch(self.element_spec, n if drop else None)
            batched = lambda core, size, cut=False: core.ragged_batch(size, cut, stacked)
            return self._next(
                batched(self._brio_dataset, n, drop), spec, lambda: self._batch_examples(n, batched), False
            )
        return self._next(
            self._brio_dataset.batch(n, drop),
            _elements.with_first_axis(self.element_spec, n if drop else None),
            lambda: self._batch_examples(n, lambda core, size: core.batch(size, False)),
        )

    def padded_batch(self, batch_size, padded_shapes=None, padding_values=None, drop_remainder=False, name=None):
        """Batches of elements of different sizes, which are filled up."""
        n, drop, spec = int(batch_size), bool(drop_remainder), self.element_spec
        leaves = _elements.dense_leaves(spec)
        shapes, values = _paddings(spec, padded_shapes, padding_values)
        if shapes is None:
            full = [[None] * len(leaf.shape) for leaf in leaves]
        else:
            full = [[None if d < 0 else d for d in shape] for shape in shapes]
        sizes = iter(full)
        made = _nest.map_structure(lambda leaf: TensorSpec([n if drop else None, *next(sizes)], leaf.dtype), spec)
        return self._next(
            self._brio_dataset.padded_batch(n, shapes, values, drop),
            made,
            lambda: self._batch_examples(n, lambda core, size: core.padded_batch(size, shapes, values, False)),
            static=shapes is not None and all(-1 not in shape for shape in shapes),
        )

    def unbatch(self, name=None):
        """The rows of elements as elements."""
        if _elements.has_sparse(self.element_spec) or _elements.has_ragged(self.element_spec):
            return self.flat_map(lambda *parts: Dataset.from_tensor_slices(parts if len(parts) > 1 else parts[0]))
        return self._next(
            self._brio_dataset.unbatch(),
            _elements.without_first_axis(self.element_spec),
            lambda: [
                row
                for e in self._examples()
                for row in _sources.from_tensors(e, _elements.template(self.element_spec)).unbatch().first(1)
            ],
        )

    def rebatch(self, batch_size, drop_remainder=False, name=None):
        """Batches of another size; a list of sizes is taken in turn."""
        sizes = [int(n) for n in (batch_size if _nest.is_nested(batch_size) else [batch_size])]
        rows = _elements.without_first_axis(self.element_spec)
        fixed = sizes[0] if len(sizes) == 1 and drop_remainder else None
        return self._next(
            self._brio_dataset.rebatch(sizes, bool(drop_remainder)), _elements.with_first_axis(rows, fixed)
        )

    def ragged_batch(self, batch_size, drop_remainder=False, row_splits_dtype="int64", name=None):
        """Batches of elements of different lengths as ragged tensors."""
        leaves = _elements.dense_leaves(self.element_spec)
        dense = [i for i, leaf in enumerate(leaves) if leaf.shape.is_fully_defined()]
        batched = lambda core, n: core.ragged_batch(n, bool(drop_remainder), dense)
        spec = _nest.map_structure(_elements.ragged_batch_spec, self.element_spec)
        return self._next(
            batched(self._brio_dataset, int(batch_size)),
            spec,
            lambda: self._batch_examples(int(batch_size), batched),
            False,
        )

    def window(self, size, shift=None, stride=1, drop_remainder=False, name=None):
        """Datasets of `size` elements, each `shift` behind the one before."""
        size, shift, stride = int(size), number_of(shift, int(size)), int(stride)
        for name_, value in (("size", size), ("shift", shift), ("stride", stride)):
            if value < 1:
                raise ValueError(f"Invalid `{name_}`. Tensor must be greater than zero, but it is {value}.")
        rows = self._brio_dataset.window(size, shift, stride, bool(drop_remainder))
        spec = _nest.map_structure(_elements.DatasetSpec, self.element_spec)
        return self._next(
            rows, spec, lambda: self._batch_examples(size, lambda core, n: core.batch(n, False)), static=False
        )

    # ---- functions

    def map(
        self,
        map_func,
        num_parallel_calls=None,
        deterministic=None,
        synchronous=None,
        use_unbounded_threadpool=False,
        name=None,
    ):
        """map_func of each element. It is called once; what it does is then done by C++ threads without Python.
        Reports call it by its name."""
        f = _elements.learn("Dataset.map", map_func, self)
        calls = number_of(num_parallel_calls, AUTOTUNE)
        core = self._brio_dataset.map(f.core, f.traced, _elements.template(f.spec), calls, str(name or "map"))
        made = self._next(core, f.spec, lambda: f.examples, f.traced)
        made._learned = f
        return made

    def filter(self, predicate, name=None):
        """The elements for which predicate is true."""
        f = self._predicate("Dataset.filter", predicate)
        return self._next(self._brio_dataset.filter(f.core, f.traced))

    def take_while(self, predicate, name=None):
        """Elements up to the first for which predicate is false."""
        f = self._predicate("Dataset.take_while", predicate)
        return self._next(self._brio_dataset.take_while(f.core, f.traced))

    def _predicate(self, who, predicate):
        f = _elements.learn(who, predicate, self)
        if not isinstance(f.spec, TensorSpec) or f.spec.shape.rank != 0 or f.spec.dtype != _core.bool:
            raise ValueError(f"{who}: the predicate must return one bool, but it returns {f.spec}")
        return f

    def flat_map(self, map_func, name=None):
        """The elements of the datasets that map_func makes, one after the other."""
        call, inner, examples, static = self._nested("Dataset.flat_map", map_func)
        core = self._brio_dataset.flat_map(lambda *x: call(*x)._brio_dataset, _elements.template(inner))
        return self._next(core, inner, examples, static)

    def interleave(
        self, map_func, cycle_length=None, block_length=None, num_parallel_calls=None, deterministic=None, name=None
    ):
        """The elements of the datasets that map_func makes, from several in turn."""
        call, inner, examples, static = self._nested("Dataset.interleave", map_func)
        cycle, block = number_of(cycle_length, AUTOTUNE), number_of(block_length, 1)
        if cycle == AUTOTUNE:
            import os

            cycle = number_of(num_parallel_calls, AUTOTUNE)
            cycle = cycle if cycle > 0 else min(10, os.cpu_count() or 1)
        core = self._brio_dataset.interleave(
            lambda *x: call(*x)._brio_dataset,
            _elements.template(inner),
            cycle,
            block,
            number_of(num_parallel_calls, AUTOTUNE),
        )
        return self._next(core, inner, examples, static)

    def _nested(self, who, map_func):
        call = _elements.dataset_function(who, map_func, self.element_spec)
        found = self._examples()
        made = call(*(found[0] if found else _elements.made_up(self.element_spec)))
        return call, made.element_spec, made._examples, made._static

    def scan(self, initial_state, scan_func, name=None):
        """scan_func(state, element) → (next state, result) over all elements: the results."""
        state = _elements.normalize(initial_state)
        f = _elements.learn("Dataset.scan", scan_func, self, state)
        if not isinstance(f.spec, tuple) or len(f.spec) != 2:
            raise TypeError("Dataset.scan: the function must return (next state, result)")
        n = len(state[1])
        core = self._brio_dataset.scan(state[1], f.core, f.traced, _elements.template(f.spec[1]))
        return self._next(core, f.spec[1], lambda: [f.example[n:]], f.traced)

    def reduce(self, initial_state, reduce_func, name=None):
        """reduce_func(state, element) → next state over all elements: the last state."""
        state = _elements.normalize(initial_state)
        if self._brio_dataset.cardinality() == 0:
            return _elements.pack(state[0], state[1])
        f = _elements.learn("Dataset.reduce", reduce_func, self, state)
        if not _elements._same_structure(state[0], f.spec):
            raise TypeError(f"Dataset.reduce: the state is {state[0]}, but the function returns {f.spec}")
        return _elements.pack(f.spec, self._brio_dataset.reduce(state[1], f.core, f.traced))

    def group_by_window(self, key_func, reduce_func, window_size=None, window_size_func=None, name=None):
        """Elements of equal key, window_size at a time, as what reduce_func(key, dataset) makes of them."""
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` argument must be specified, but not both."
            )
        key = _elements.learn("Dataset.group_by_window", key_func, self)
        cache = {}

        def reduced(k, window):
            before = getattr(_elements._inner, "cache", None)
            _elements._inner.cache = cache
            try:
                return reduce_func(_core.constant(k, "int64"), self._next(window))
            finally:
                _elements._inner.cache = before

        example = self._examples()[:1] or [_elements.made_up(self.element_spec)]
        one = reduced(0, _sources.from_tensors(example[0], _elements.template(self.element_spec)))
        sized = (
            (lambda k: int(window_size))
            if window_size_func is None
            else (lambda k: int(window_size_func(_core.constant(k, "int64"))))
        )
        core = self._brio_dataset.group_by_window(
            key.core, lambda k, w: reduced(k, w)._brio_dataset, sized, _elements.template(one.element_spec)
        )
        return self._next(core, one.element_spec, one._examples, False)

    def bucket_by_sequence_length(self, element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes=None,
                                  padding_values=None, pad_to_bucket_boundary=False, no_padding=False,
                                  drop_remainder=False, name=None):  # fmt: skip
        """Padded batches of elements of similar length."""
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                f"`len(bucket_batch_sizes)={len(bucket_batch_sizes)}` and "
                f"`len(bucket_boundaries)={len(bucket_boundaries)}`."
            )
        length = _elements.learn("Dataset.bucket_by_sequence_length", element_length_func, self)
        padded = self.padded_batch(max(bucket_batch_sizes), padded_shapes, padding_values, drop_remainder)
        shapes, values = _paddings(self.element_spec, padded_shapes, padding_values)
        core = self._brio_dataset.bucket_by_sequence_length(
            length.core, [int(b) for b in bucket_boundaries], [int(n) for n in bucket_batch_sizes], shapes, values,
            bool(pad_to_bucket_boundary), bool(drop_remainder),
        )  # fmt: skip
        batched = _nest.map_structure(lambda leaf: TensorSpec([None, *leaf.shape[1:]], leaf.dtype), padded.element_spec)
        return self._next(core, batched, padded._examples, False)

    def apply(self, transformation_func, name=None):
        """transformation_func(self)."""
        made = transformation_func(self)
        if not isinstance(made, Dataset):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(made)}.")
        return made

    # ---- how it runs

    def cache(self, filename="", name=None):
        """Elements are made once and kept, in memory or in a file."""
        return self._next(self._brio_dataset.cache(text_of(filename)))

    def save(self, path, compression=None, shard_func=None, checkpoint_args=None):
        """Writes the elements to a folder, which Dataset.load() reads."""
        from brio.data import _kept

        _kept.save(self, path, compression, shard_func, checkpoint_args)

    @staticmethod
    def load(path, element_spec=None, compression=None, reader_func=None, wait=False):
        """The elements that save() wrote."""
        from brio.data import _kept

        return _kept.load(path, element_spec, compression, reader_func)

    def snapshot(self, path, compression="AUTO", reader_func=None, shard_func=None, name=None):
        """Elements are written to a folder while they are first walked over, and read from there from then on."""
        from brio.data import _kept

        return _kept.snapshot(self, path, compression, reader_func, shard_func)

    def rejection_resample(self, class_func, target_dist, initial_dist=None, seed=None, name=None):
        """(class, element): elements are left out at random, so that classes come as often as target_dist says."""
        from brio.data import _kept

        return _kept.rejection_resample(self, class_func, target_dist, initial_dist, seed)

    def prefetch(self, buffer_size, name=None):
        """Elements are made ahead."""
        return self._next(self._brio_dataset.prefetch(number_of(buffer_size, AUTOTUNE)))

    def ignore_errors(self, log_warning=False, name=None):
        """Elements that cannot be made are left out."""
        return self._next(self._brio_dataset.ignore_errors())

    def options(self):
        """The options of the pipeline."""
        return getattr(self, "_options", None) or Options()

    def with_options(self, options, name=None):
        """How the pipeline runs: deterministic, threading.private_threadpool_size, autotune.ram_budget (bytes)."""
        deterministic = options.deterministic is not False
        threads, ram = options.threading.private_threadpool_size or 0, options.autotune.ram_budget or 0
        made = self._next(self._brio_dataset.with_options(deterministic, threads, ram))
        made._options = options
        return made


sources.Dataset = Dataset


def _dims(shape):
    if _core.is_tensor(shape):
        return shape.numpy().reshape(-1).tolist()
    return [-1 if n is None else int(n) for n in ([shape] if isinstance(shape, int) else shape)]


def _paddings(spec, padded_shapes, padding_values):
    """Both for each tensor of an element, as C++ takes them."""
    leaves = _nest.flatten(spec)
    shapes = None if padded_shapes is None else [_dims(s) for s in _elements.flatten_up_to(spec, padded_shapes)]
    if padding_values is None:
        return shapes, None
    given = (
        _elements.flatten_up_to(spec, padding_values)
        if _nest.is_nested(padding_values)
        else [padding_values] * len(leaves)
    )
    return shapes, [_padding(v, leaf.dtype) for v, leaf in zip(given, leaves)]


def _padding(value, dtype):
    if value is None:
        return _core.constant("") if dtype == _core.string else _core.zeros([], dtype)
    return _core.convert_to_tensor(value, dtype)


class _Iterator:
    """Over elements that hold more than tensors."""

    def __init__(self, dataset):
        self.element_spec = dataset.element_spec
        self._core = dataset._brio_dataset.iterate(_elements.template(self.element_spec))

    def __iter__(self):
        return self

    def _pack(self, element):
        parts = [
            t
            for leaf in _elements.flatten_up_to(self.element_spec, element)
            for t in (leaf if isinstance(leaf, tuple) else [leaf])
        ]
        return _elements.pack(self.element_spec, parts)

    def __next__(self):
        return self._pack(next(self._core))

    next = __next__

    def get_next(self):
        return self._pack(self._core.get_next())

    def get_next_as_optional(self):
        return _next_or_none(self)

    def save(self):
        return self._core.save()

    def restore(self, state):
        self._core.restore(state)


def _next_or_none(iterator):
    """The next element, as a tf.experimental.Optional."""
    from brio.data import _kept

    return _kept.get_next_as_optional(iterator)


_core._DatasetIterator.get_next_as_optional = _next_or_none
