"""Where the elements of a tf.data.Dataset come from: its static methods."""

from brio import _core, _nest
from brio._core import _sources
from brio._spec import TensorSpec
from brio.data import _elements

Dataset = None  # the class itself; set by _dataset.py
_numbers = range  # Python's range: a dataset has its own


class Sources:
    """What Dataset inherits."""

    @staticmethod
    def from_tensors(tensors, name=None):
        """One element."""
        spec, flat = _elements.normalize(tensors)
        if hasattr(tensors, "row_splits"):
            spec = type(spec).from_value(tensors)
        return Dataset(_sources.from_tensors(flat, _elements.template(spec)), spec, lambda: [flat])

    @staticmethod
    def from_tensor_slices(tensors, name=None):
        """The rows of tensors."""
        spec, flat = _elements.normalize(tensors)
        if not all(isinstance(leaf, TensorSpec) for leaf in _nest.flatten(spec)):
            return _rows_of(_elements.pack(spec, flat))
        for leaf in _nest.flatten(spec):
            if leaf.shape.rank == 0:
                raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        sizes = {leaf.shape[0] for leaf in _nest.flatten(spec)}
        if len(sizes) > 1:
            raise ValueError(
                f"Dimensions {sorted(sizes)} are not compatible: the tensors have different numbers of rows"
            )
        return Dataset(_sources.from_tensor_slices(flat, _elements.template(spec)), _elements.without_first_axis(spec))

    @staticmethod
    def from_generator(generator, output_types=None, output_shapes=None, args=None, output_signature=None, name=None):
        """The elements that a generator function of Python's yields."""
        from brio.data._generator import from_generator

        return from_generator(generator, output_types, output_shapes, args, output_signature)

    @staticmethod
    def range(*args, output_type="int64", name=None):
        """Integers: stop; start, stop; or start, stop, step."""
        numbers = [int(a) for a in args]
        if not 1 <= len(numbers) <= 3:
            raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(numbers)}.")
        start, stop = (0, numbers[0]) if len(numbers) == 1 else numbers[:2]
        step = numbers[2] if len(numbers) == 3 else 1
        dtype = _core.as_dtype(output_type)
        first = list(_numbers(start, stop, step)[:3]) if step else []
        made = Dataset(
            _sources.range(start, stop, step),
            TensorSpec([], "int64"),
            lambda: [[_core.constant(n, "int64")] for n in first],
        )
        return made if dtype == _core.int64 else made.map(lambda x: _core.cast(x, dtype))

    @staticmethod
    def counter(start=0, step=1, dtype="int64", name=None):
        """start, start + step, … without end."""
        far = (1 << 62) if int(step) > 0 else -(1 << 62)
        return Dataset.range(start, far, step, output_type=dtype)

    @staticmethod
    def random(seed=None, rerandomize_each_iteration=None, name=None):
        """Random integers without end."""
        draw = lambda i: _core._random.stateless_uniform([], [seed, i], 0, 1 << 32, "int64")
        if seed is None:
            draw = lambda i: _core._random.uniform([], 0, 1 << 31, "int64")
        return Dataset.counter().map(draw)

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None, name=None):
        """The names of files that match patterns."""
        patterns = texts_of(file_pattern)
        core = _sources.list_files(patterns, shuffle is None or bool(shuffle), number_of(seed))
        return Dataset(core, TensorSpec([], "string"))

    @staticmethod
    def zip(*args, datasets=None, name=None):
        """Elements of several datasets side by side; it ends with the shortest."""
        given = datasets if datasets is not None else args[0] if len(args) == 1 else args
        all_ = _nest.flatten(given) if _nest.is_nested(given) else [given]
        for dataset in all_:
            if not isinstance(dataset, Dataset):
                raise TypeError(
                    "The argument to `Dataset.zip()` must be a (nested) structure of `Dataset` objects. Got "
                    f"{type(dataset)}."
                )
        if isinstance(given, list):
            raise TypeError(
                "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects. "
                "Python `list` is not supported and you should use `tuple` instead."
            )
        spec = _nest.map_structure(lambda d: d.element_spec, given)

        def examples():
            found = [d._examples() for d in all_]
            return [[t for e in found for t in e[0]]] if all(found) else []

        return Dataset(_zipped(given), spec, examples, all(d._static for d in all_))

    @staticmethod
    def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=True, name=None):
        """Elements of the datasets whose numbers choice_dataset gives."""
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        if choice_dataset.element_spec != TensorSpec([], "int64"):
            raise TypeError(
                f"Elements of `choice_dataset` must be scalar int64 tensors but are {choice_dataset.element_spec}."
            )
        core = _sources.choose(
            [d._brio_dataset for d in datasets], choice_dataset._brio_dataset, bool(stop_on_empty_dataset)
        )
        return _merged(datasets, core)

    @staticmethod
    def sample_from_datasets(
        datasets, weights=None, seed=None, stop_on_empty_dataset=False, rerandomize_each_iteration=None, name=None
    ):
        """Elements of the datasets at random."""
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        weights = [] if weights is None else [float(w) for w in weights]
        core = _sources.sample(
            [d._brio_dataset for d in datasets], weights, number_of(seed), bool(stop_on_empty_dataset)
        )
        return _merged(datasets, core)


def _merged(datasets, core):
    spec = datasets[0].element_spec
    for dataset in datasets[1:]:
        if not _elements._same_structure(spec, dataset.element_spec):
            raise TypeError(f"The datasets have elements of different types: {spec} and {dataset.element_spec}")
        spec = _elements.common(spec, dataset.element_spec)
    return Dataset(core, spec, lambda: [e for d in datasets for e in d._examples()], all(d._static for d in datasets))


def _zipped(given):
    if isinstance(given, Dataset):
        return given._brio_dataset
    if isinstance(given, dict):
        keys = _nest._sorted(given)
        return _sources.zip_named([_zipped(given[key]) for key in keys], [str(key) for key in keys])
    return _sources.zip([_zipped(item) for item in given])


def number_of(value, otherwise=None):
    return otherwise if value is None else int(value)


def text_of(value):
    if hasattr(value, "numpy"):
        value = value.numpy()
    if isinstance(value, bytes):
        return value.decode()
    import os

    return os.fspath(value)


def texts_of(value):
    """Names of files, however they are given."""
    if hasattr(value, "numpy"):
        value = value.numpy()
    if hasattr(value, "tolist") and not isinstance(value, bytes):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in texts_of(item)]
    return [text_of(value)]


def _rows_of(structure):
    """The rows of a structure that has ragged or sparse tensors in it."""
    from brio._ragged import RaggedTensor
    from brio._sparse import SparseTensor

    def count(x):
        return int(x.dense_shape[0]) if isinstance(x, SparseTensor) else len(x)

    def row(x, i):
        if isinstance(x, RaggedTensor):
            return _row(x, i)
        if isinstance(x, SparseTensor):
            own = _core.equal(x.indices[:, 0], i)
            return SparseTensor(
                _core.boolean_mask(x.indices, own)[:, 1:], _core.boolean_mask(x.values, own), x.dense_shape[1:]
            )
        return _core.gather(x, i)

    leaves = _nest.flatten(structure)
    counts = {count(x) for x in leaves}
    if len(counts) > 1:
        raise ValueError(f"Dimensions {sorted(counts)} are not compatible: the tensors have different numbers of rows")
    dataset = Dataset.range(counts.pop()).map(lambda i: _nest.pack(structure, [row(x, i) for x in leaves]))
    specs = [
        _elements.RowSpec([None, *s.shape[1:]], s.dtype) if isinstance(x, RaggedTensor) and x.ragged_rank == 1 else s
        for x, s in zip(leaves, _nest.flatten(dataset.element_spec))
    ]
    dataset._spec = _nest.pack(dataset.element_spec, specs)
    return dataset


def _row(x, i):
    """Row i of a ragged tensor, where i is written down rather than known."""
    from brio._ragged import RaggedTensor

    splits, inner = x.row_splits, x.values
    begin, end = _core.gather(splits, i), _core.gather(splits, i + 1)
    made = []
    while isinstance(inner, RaggedTensor):
        at = _core.gather(inner.row_splits, _core.range(begin, end + 1))
        begin, end = at[0], at[-1]
        made.append((at - begin, inner._uniform))
        inner = inner.values
    values = _core.gather(inner, _core.range(begin, end))
    for at, uniform in reversed(made):
        values = RaggedTensor._of(values, at, uniform)
    return values
