"""tf.queue: elements that are put in and taken out, of a capacity that is bounded."""

import collections as _collections
import heapq as _heapq
import random as _random

from brio import _core, _missing
from brio import errors as _errors

__getattr__ = _missing.attribute_error_of(__name__)


class QueueBase:
    """What queues do: enqueue(), dequeue(), close(). Eager code has one thread of control, so that nothing is waited
    for: a queue that is full, or that does not hold enough, is an error that says so."""

    def __init__(self, dtypes, shapes=None, names=None, capacity=None):
        dtypes = list(dtypes) if isinstance(dtypes, (list, tuple)) else [dtypes]
        self._dtypes = [_core.as_dtype(d) for d in dtypes]
        if shapes is not None and not (
            isinstance(shapes, (list, tuple))
            and all(isinstance(s, (list, tuple)) or hasattr(s, "rank") for s in shapes)
        ):
            shapes = [shapes]
        self._shapes = [None] * len(dtypes) if not shapes else [_core_shape(s) for s in shapes]
        if len(self._shapes) != len(dtypes):
            raise ValueError(
                f"Queue shapes must have the same length as dtypes, received {len(self._shapes)} shapes, {len(dtypes)} "
                "dtypes."
            )
        self._names = names if names is None or isinstance(names, (list, tuple)) else [names]
        self._capacity = int(capacity) if capacity is not None and int(capacity) > 0 else None
        self._elements, self._closed = _collections.deque(), False

    dtypes = property(lambda self: list(self._dtypes), doc="The types of an element's parts.")
    shapes = property(lambda self: list(self._shapes), doc="The shapes of an element's parts.")
    names = property(lambda self: self._names, doc="The names of an element's parts.")

    # ---- in

    def enqueue(self, vals, name=None):
        """Puts one element in."""
        self._put(self._parts(vals))

    def enqueue_many(self, vals, name=None):
        """Puts elements in: the rows of each part."""
        parts = self._parts(vals, many=True)
        rows = {p.shape[0] for p in parts}
        if len(rows) != 1:
            raise ValueError(f"the parts of enqueue_many() have {sorted(rows)} rows; give each as many")
        for i in range(rows.pop()):
            self._put([p[i] for p in parts])

    def _parts(self, vals, many=False):
        if isinstance(vals, dict):
            if self._names is None or sorted(vals) != sorted(self._names):
                raise ValueError(f"a dictionary needs the names of the queue, which are {self._names}")
            vals = [vals[n] for n in self._names]
        elif not isinstance(vals, (list, tuple)) or len(self._dtypes) == 1 and len(vals) != 1:
            vals = [vals]
        if len(vals) != len(self._dtypes):
            raise ValueError(f"an element has {len(self._dtypes)} parts, but {len(vals)} were given")
        parts = [_core.convert_to_tensor(v, d) for v, d in zip(vals, self._dtypes)]
        for part, shape in zip(parts, self._shapes):
            found = part.shape[1:] if many else part.shape
            if shape is not None and not shape.is_compatible_with(found):
                raise ValueError(f"Shapes {tuple(found)} and {tuple(shape)} are incompatible")
        return parts

    def _put(self, parts):
        if self._closed:
            raise _errors.CancelledError("the queue is closed")
        if self._capacity is not None and len(self._elements) >= self._capacity:
            raise _errors.ResourceExhaustedError(
                f"the queue holds {self._capacity} elements, its capacity: enqueue() would wait for ever"
            )
        self._add(parts)

    def _add(self, parts):
        self._elements.append(parts)

    # ---- out

    def dequeue(self, name=None):
        """Takes one element out."""
        return self._given(self._taken(1)[0])

    def dequeue_many(self, n, name=None):
        """Takes n elements out; their parts are stacked."""
        return self._given(self._stacked(self._taken(int(n))))

    def dequeue_up_to(self, n, name=None):
        """Takes n elements out, or what a closed queue still has."""
        return self._given(
            self._stacked(self._taken(min(int(n), max(1, len(self._elements))) if self._closed else int(n)))
        )

    def _taken(self, n):
        if len(self._elements) < n:
            what = f"the queue holds {len(self._elements)} elements, and {n} are asked for"
            raise _errors.OutOfRangeError(what if self._closed else f"{what}: dequeue() would wait for ever")
        return [self._pick() for _ in range(n)]

    def _pick(self):
        return self._elements.popleft()

    def _stacked(self, rows):
        return [_core.stack([row[i] for row in rows]) for i in range(len(self._dtypes))]

    def _given(self, parts):
        if self._names is not None:
            return dict(zip(self._names, parts))
        return parts[0] if len(parts) == 1 else parts

    # ---- the rest

    def size(self, name=None):
        """How many elements it holds."""
        return _core.constant(len(self._elements), "int32")

    def close(self, cancel_pending_enqueues=False, name=None):
        """No more elements are put in."""
        self._closed = True

    def is_closed(self, name=None):
        """Is it closed?"""
        return _core.constant(self._closed)


def _core_shape(shape):
    from brio._shape import TensorShape

    return None if shape is None else TensorShape(shape)


class FIFOQueue(QueueBase):
    """First in, first out: FIFOQueue(capacity, dtypes, shapes)."""

    def __init__(self, capacity, dtypes, shapes=None, names=None, shared_name=None, name="fifo_queue"):
        super().__init__(dtypes, shapes, names, capacity)
        self.name = name


class PaddingFIFOQueue(QueueBase):
    """First in, first out; where sizes are None, elements that are taken together are filled up with zeros."""

    def __init__(self, capacity, dtypes, shapes, names=None, shared_name=None, name="padding_fifo_queue"):
        super().__init__(dtypes, shapes, names, capacity)
        self.name = name

    def _stacked(self, rows):
        made = []
        for i in range(len(self._dtypes)):
            parts = [row[i] for row in rows]
            sizes = [max(p.shape[axis] for p in parts) for axis in range(parts[0].shape.rank)]
            made.append(
                _core.stack([_core.pad(p, [[0, n - m] for n, m in zip(sizes, p.shape)]) if sizes else p for p in parts])
            )
        return made


class RandomShuffleQueue(QueueBase):
    """Elements come out in random order; min_after_dequeue stay in until it is closed."""

    def __init__(
        self,
        capacity,
        min_after_dequeue,
        dtypes,
        shapes=None,
        names=None,
        seed=None,
        shared_name=None,
        name="random_shuffle_queue",
    ):
        super().__init__(dtypes, shapes, names, capacity)
        self.name, self._least, self._random = name, int(min_after_dequeue), _random.Random(seed)

    def _taken(self, n):
        if not self._closed and len(self._elements) < n + self._least:
            raise _errors.OutOfRangeError(
                f"the queue holds {len(self._elements)} elements, of which {self._least} stay: dequeue() would wait "
                "for ever"
            )
        return super()._taken(n)

    def _pick(self):
        at = self._random.randrange(len(self._elements))
        self._elements[at], self._elements[-1] = self._elements[-1], self._elements[at]
        return self._elements.pop()


class PriorityQueue(QueueBase):
    """The element of the smallest priority, an int64 that stands first, comes out first."""

    def __init__(self, capacity, types, shapes=None, names=None, shared_name=None, name="priority_queue"):
        types = list(types) if isinstance(types, (list, tuple)) else [types]
        shapes = None if shapes is None else [(), *(shapes if isinstance(shapes, list) else [shapes])]
        super().__init__(["int64", *types], shapes, names, capacity)
        self.name, self._elements, self._count = name, [], 0

    def _add(self, parts):
        self._count += 1
        _heapq.heappush(self._elements, (int(parts[0]), self._count, parts))

    def _pick(self):
        return _heapq.heappop(self._elements)[2]
