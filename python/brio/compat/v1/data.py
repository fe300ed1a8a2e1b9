"""tf.compat.v1.data: datasets, and iterators over them that a session asks for the next element."""

import importlib

from brio import _core, errors
from brio._graph import core, infer, nested
from brio._graph.core import Tensor


class Iterator:
    """get_next() is the next element of a dataset, in each run of a session another one."""

    def __init__(self, dataset=None, spec=None, by_hand=True):
        self._dataset, self._spec, self._by_hand = dataset, spec if spec is not None else dataset.element_spec, by_hand
        self._next, self._eager = None, None
        graph = core.default_graph()
        self._made = graph.add("Iterator", run=lambda state, op, values: []) if core.building() is not None else None
        self.initializer = (
            self.make_initializer(dataset) if by_hand and dataset is not None and self._made else self._made
        )

    def make_initializer(self, dataset, name=None):
        """The operation that lets it begin with a dataset."""
        graph = core.building()
        op = graph.add("MakeIterator", name)

        def begin():
            def start(session):
                with core.paused():
                    session._iterators[self] = iter(dataset)

            return start

        op.source = lambda session, op: begin()(session) or []
        op.run_in = lambda state, op, values: []
        return op

    def get_next(self, name=None):
        """The next element, in the structure of the dataset's."""
        if self._made is None:
            self._eager = self._eager or iter(self._dataset)
            return next(self._eager)
        graph = core.building()
        op = graph.add("IteratorGetNext", name)
        structure, specs = nested.taken_apart(
            self._spec, lambda x: hasattr(x, "shape") and hasattr(x, "dtype") and not isinstance(x, _core.Tensor)
        )
        made = [Tensor(op, s.dtype, infer.dims_of(graph, s.shape)) for s in specs]
        op.source = lambda session, op: self._pull(session)
        return nested.put_together(structure, made)

    def _pull(self, session):
        with core.paused():
            running = session._iterators.get(self)
            if running is None:
                if self._by_hand:
                    raise errors.FailedPreconditionError(
                        "GetNext() failed because the iterator has not been initialized. Ensure that you have run the "
                        "initializer operation for this iterator before getting the next element."
                    )
                running = session._iterators[self] = iter(self._dataset)
            try:
                element = next(running)
            except StopIteration:
                raise errors.OutOfRangeError("End of sequence") from None
            return [x for x in nested.leaves(element) if isinstance(x, _core.Tensor)]

    @property
    def output_types(self):
        """The dtypes of an element."""
        return nested.swap(self._spec, lambda s: s.dtype)

    @property
    def output_shapes(self):
        """The shapes of an element."""
        return nested.swap(self._spec, lambda s: s.shape)

    @property
    def element_spec(self):
        """What an element is like."""
        return self._spec

    @staticmethod
    def from_structure(output_types, output_shapes=None, shared_name=None, output_classes=None):
        """An iterator without a dataset: make_initializer() gives it one."""
        from brio._spec import TensorSpec

        for kind in [] if output_classes is None else nested.leaves(output_classes):
            if kind.__name__ != "Tensor":
                raise NotImplementedError(
                    f"[Iterator.from_structure] output_classes has {kind.__name__}, but elements are tensors; give "
                    "them as tensors"
                )

        types = nested.leaves(output_types)
        shapes = [None] * len(types) if output_shapes is None else _shapes(output_shapes)
        specs = iter([_Spec(s, t) if s is None else TensorSpec(s, t) for s, t in zip(shapes, types)])
        return Iterator(None, nested.swap(output_types, lambda _: next(specs)))


class _Spec:
    """A tensor whose shape is not known."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, _core.as_dtype(dtype)


def _shapes(x):
    if hasattr(x, "rank"):
        return [x]
    if isinstance(x, dict):
        return [s for v in x.values() for s in _shapes(v)]
    return [s for v in x for s in _shapes(v)]


def make_one_shot_iterator(dataset):
    """An iterator that begins by itself; in eager code, Python's."""
    if core.building() is None:
        return iter(dataset)
    return Iterator(dataset, by_hand=False)


def make_initializable_iterator(dataset, shared_name=None):
    """An iterator that begins when its initializer is run."""
    if core.building() is None:
        raise RuntimeError("make_initializable_iterator is not supported when eager execution is enabled")
    return Iterator(dataset)


def get_output_types(dataset_or_iterator):
    """The dtypes of an element."""
    return nested.swap(dataset_or_iterator.element_spec, lambda s: s.dtype)


def get_output_shapes(dataset_or_iterator):
    """The shapes of an element."""
    return nested.swap(dataset_or_iterator.element_spec, lambda s: s.shape)


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    return getattr(importlib.import_module("brio.data"), name)


def __dir__():
    return sorted(set(globals()) | set(dir(importlib.import_module("brio.data"))))
