"""TensorArrays of graphs: one tensor of all elements.
Before the first write its elements have no shape: it is (size, 0) then."""

from brio import _core
from brio._graph import core
from brio._graph.core import building


def _op(kind, function, *args):
    from brio._graph import wrap

    return wrap.call(building(), function, kind, args, {})


class TensorArray:
    """Tensors by number. write() returns another array."""

    def __init__(self, dtype, size=None, dynamic_size=None, clear_after_read=None, tensor_array_name=None, handle=None,
                 flow=None, infer_shape=True, element_shape=None, colocate_with_first_write_call=True,
                 name=None):  # fmt: skip
        if handle is not None or flow is not None:
            raise NotImplementedError("[TensorArray] handle and flow are not supported; hand the TensorArray itself on")
        self.dtype, self.dynamic_size, self.element_shape = _core.as_dtype(dtype), bool(dynamic_size), element_shape
        sizes = None if element_shape is None else core.Shape(element_shape).as_list()
        inner = [0] if sizes is None or None in sizes else sizes
        self.buffer = _op("TensorArrayV3", lambda n: _core.zeros([n, *inner], self.dtype), 0 if size is None else size)
        if inner == [0]:
            self.buffer.op.empty_array = True

    def _with(self, buffer):
        made = object.__new__(TensorArray)
        made.__dict__.update(self.__dict__)
        made.buffer = buffer
        return made

    @property
    def flow(self):
        """The tensor of all elements."""
        return self.buffer

    def identity(self):
        """The same array."""
        return self._with(_op("Identity", _core.identity, self.buffer))

    def write(self, index, value, name=None):
        """The array with a tensor at a number."""
        grows = self.dynamic_size

        def run(buffer, index, value):
            value = _core.cast(value, self.dtype) if not isinstance(value, _core.Tensor) else value
            rows, inner = _core._sizes(buffer)[0], _core._sizes(value)
            if _is_empty(buffer) and inner != (0,):
                buffer = _core.zeros([rows, *inner], value.dtype)
            if grows and _core._is_known(index) and int(index) >= rows:
                more = _core.zeros([int(index) + 1 - rows, *inner], value.dtype)
                buffer = _core.concat([buffer, more], 0)
            return _core.tensor_scatter_nd_update(buffer, _core.reshape(index, [1, 1]), _core.expand_dims(value, 0))

        return self._with(_op("TensorArrayWriteV3", run, self.buffer, index, value))

    def read(self, index, name=None):
        """The tensor at a number."""
        return _op("TensorArrayReadV3", _core.gather, self.buffer, index)

    def gather(self, indices, name=None):
        """The tensors at numbers, stacked."""
        return _op("TensorArrayGatherV3", _core.gather, self.buffer, indices)

    def scatter(self, indices, value, name=None):
        """The array with the rows of a tensor at numbers."""

        def run(buffer, indices, value):
            if _is_empty(buffer):
                buffer = _core.zeros([_core._sizes(buffer)[0], *_core._sizes(value)[1:]], value.dtype)
            return _core.tensor_scatter_nd_update(buffer, _core.expand_dims(indices, 1), value)

        return self._with(_op("TensorArrayScatterV3", run, self.buffer, indices, value))

    def unstack(self, value, name=None):
        """The array of the rows of a tensor."""
        return self._with(_op("TensorArrayScatterV3", _core.identity, value))

    def stack(self, name=None):
        """All tensors, stacked."""
        return _op("TensorArrayStack", _core.identity, self.buffer)

    def concat(self, name=None):
        """All tensors, one behind the other."""
        return _op("TensorArrayConcatV3", lambda b: _core.reshape(b, [-1, *_core._sizes(b)[2:]]), self.buffer)

    def size(self, name=None):
        """How many there are."""
        return _op("TensorArraySizeV3", lambda b: _core.shape(b)[0], self.buffer)

    def close(self, name=None):
        """Nothing to do."""


def _is_empty(buffer):
    return len(buffer.shape) == 2 and buffer.shape[1] == 0


def is_empty(tensor):
    """Is this the tensor of an array that was not written to?"""
    return getattr(tensor.op, "empty_array", False)


def with_buffers(values, body):
    """Arrays that a loop writes to first have the shape that its body gives them: it is tried once."""
    if not any(_is_empty(v) for v in values):
        return values
    shapes = []
    _core._trial(lambda: shapes.extend(tuple(r.shape) for r in body(list(values))))
    return [_core.zeros(s, v.dtype) if _is_empty(v) and tuple(v.shape) != s else v for v, s in zip(values, shapes)]
