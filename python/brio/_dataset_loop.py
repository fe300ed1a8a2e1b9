"""Loops over datasets in a traced function: elements are read when the function runs, not when it is traced.

What is traced has fixed shapes, while the last batch of a dataset is smaller, as a rule. So the body is traced for the
shapes of the first element and for those of the last one, and each round asks which of them comes next.
"""

import itertools
import threading

from brio import _autograph, _core, _nest
from brio._spec import TensorSpec
from brio.errors import InvalidArgumentError, _UnknownValueError

_ADVICE = (
    "batch(..., drop_remainder=True) or padded_batch with fixed shapes gives all elements one shape; or loop outside "
    "of the function and call it with each element"
)


_MOST_OPEN = 4  # of a loop, by one thread: a function may call itself by way of py_function


class _Reader:
    """The places where running functions stand in a dataset, by number: several threads may run one function."""

    def __init__(self, dataset, shapes):
        self.dataset, self.shapes = dataset, shapes
        self.places, self.numbers = {}, itertools.count()  # number → [iterator, the element that was looked at, thread]

    def open(self):
        number, thread = next(self.numbers), threading.get_ident()
        # A run that failed closes nothing: its places, the oldest of the thread, make room.
        own = [n for n, place in list(self.places.items()) if place[2] == thread]
        for n in own[: 1 - _MOST_OPEN]:
            del self.places[n]
        self.places[number] = [_elements_of(self.dataset), None, thread]
        return [_core.constant(number, "int64")]

    def look(self, number):
        """Which of the shapes the next element has; -1 where there is none."""
        place = self.places[int(number)]
        place[1] = next(place[0], None)
        return [_core.constant(-1 if place[1] is None else _index(self.dataset, self.shapes, place[1]))]

    def take(self, number):
        return self.places[int(number)][1]

    def close(self, number):
        del self.places[int(number)]
        return []


def _elements_of(source):
    for element in source:
        yield _nest.flatten(element)


def _index(dataset, shapes, element):
    found = [tuple(t.shape) for t in element]
    if found not in shapes:
        raise InvalidArgumentError(
            f"[tf.function] a loop over {dataset!r} was traced for elements of shapes {shapes}, but one has {found}; "
            f"{_ADVICE}"
        )
    return shapes.index(found)


def _shapes_of(dataset):
    """The shapes that elements have: one list for each kind of them."""
    leaves = _nest.flatten(dataset.element_spec)
    for leaf in leaves:
        if not isinstance(leaf, TensorSpec) or leaf.dtype == _core.string:
            raise _UnknownValueError(
                f"[tf.function] a loop over {dataset!r} has elements that a traced function cannot take, strings or "
                "others than plain tensors; loop outside of the function, or map them to numbers"
            )
    if all(leaf.shape.is_fully_defined() for leaf in leaves):
        return [[tuple(leaf.shape) for leaf in leaves]]
    length = (
        dataset._brio_dataset.cardinality() if hasattr(dataset, "_brio_dataset") else -2
    )  # an iterator does not say
    if length == -2:
        raise _UnknownValueError(
            f"[tf.function] a loop over {dataset!r} cannot be traced: neither the shapes of its elements are known nor "
            f"how many there are; {_ADVICE}"
        )
    found = dataset._brio_dataset.first(1)
    if length > 1:
        found += dataset._brio_dataset.skip(length - 1).first(1)
    shapes = []
    for element in found:
        one = [tuple(t.shape) for t in element]
        if one not in shapes:
            shapes.append(one)
    return shapes


def loop(dataset, more, body, state, names):
    """What AutoGraph makes of `for element in dataset`."""
    spec = dataset.element_spec
    dtypes = [leaf.dtype for leaf in _nest.flatten(spec)]
    reader = _Reader(dataset, _shapes_of(dataset))
    number = _core._host_call(reader.open, [], [TensorSpec([], "int64")], True)[0]

    def look():
        return _core._host_call(reader.look, [number], [TensorSpec([], "int32")], True)[0]

    def with_shapes(which):
        def run(*s):
            specs = [TensorSpec(shape, dtype) for shape, dtype in zip(reader.shapes[which], dtypes)]
            after = body(_nest.pack(spec, _core._host_call(reader.take, [number], specs, True)), *s)
            # What is set anew in each round, such as the element, may have another shape in the next.
            return tuple(then if isinstance(then, _autograph.Undefined) else now for then, now in zip(s, after))

        return run

    def any_of(which, kind, s):
        if which == len(reader.shapes) - 1:
            return with_shapes(which)(*s)
        return _autograph.if_stmt(
            _core.equal(kind, which), with_shapes(which), lambda *now: any_of(which + 1, kind, now), s, names
        )

    def round_(kind, *s):
        s = any_of(0, kind, s)
        return (look() if more is None else _autograph.if_exp(more(*s), look, lambda: _core.constant(-1)), *s)

    if reader.shapes:
        state = _autograph._loop(
            lambda kind, *s: _core.greater_equal(kind, 0), round_, (look(), *state), ("the loop's element", *names)
        )[1:]
    _core._host_call(reader.close, [number], [], True)
    return state


def next_of(iterator):
    """What AutoGraph makes of next(iterator) and iterator.get_next()."""
    spec = iterator.element_spec
    leaves = _nest.flatten(spec)
    if not all(
        isinstance(leaf, TensorSpec) and leaf.shape.is_fully_defined() and leaf.dtype != _core.string for leaf in leaves
    ):
        raise _UnknownValueError(
            f"[tf.function] next() of an iterator over {spec} cannot be traced: the shapes of its elements are not "
            f"known, or they are strings; {_ADVICE}"
        )

    def read():
        return _nest.flatten(iterator.get_next())

    return _nest.pack(spec, _core._host_call(read, [], leaves, True))
