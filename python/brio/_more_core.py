"""Names of tf that are seldom used: TensorProtos, fingerprints, patches of volumes,
kinds of variables and of devices."""

import contextlib
import enum
import threading

from brio import _core
from brio.errors import InvalidArgumentError


class VariableSynchronization(enum.Enum):
    """When replicas of a variable are made equal."""

    AUTO, NONE, ON_WRITE, ON_READ = 0, 1, 2, 3


class VariableAggregation(enum.Enum):
    """How replicas of a variable become one value."""

    NONE, SUM, MEAN, ONLY_FIRST_REPLICA = 0, 1, 2, 3


class DeviceSpec:
    """The parts of a device's name.

    >>> tf.DeviceSpec(job="worker", task=1, device_type="GPU", device_index=0).to_string()
    '/job:worker/task:1/device:GPU:0'
    """

    __slots__ = ("_job", "_replica", "_task", "_device_type", "_device_index")

    def __init__(self, job=None, replica=None, task=None, device_type=None, device_index=None):
        self._job = None if job is None else str(job)
        self._replica, self._task, self._device_index = (
            None if n is None else int(n) for n in (replica, task, device_index)
        )
        self._device_type = None if device_type is None else str(device_type).upper()

    job = property(lambda self: self._job, doc="The name of the job, or None.")
    replica = property(lambda self: self._replica, doc="The number of the replica, or None.")
    task = property(lambda self: self._task, doc="The number of the task, or None.")
    device_type = property(lambda self: self._device_type, doc="CPU or GPU, or None.")
    device_index = property(lambda self: self._device_index, doc="The number of the device, or None.")

    @classmethod
    def from_string(cls, spec):
        """The parts of a name."""
        return cls().parse_from_string(spec)

    def parse_from_string(self, spec):
        """The parts of a name."""
        found = {}
        for part in filter(None, (spec or "").split("/")):
            key, *rest = part.split(":")
            if key in ("job", "replica", "task") and len(rest) == 1:
                found[key] = rest[0]
            elif key.lower() in ("cpu", "gpu") and len(rest) <= 1:
                found["device_type"] = key
                found["device_index"] = rest[0] if rest and rest[0] != "*" else None
            elif key == "device" and 1 <= len(rest) <= 2:
                found["device_type"] = rest[0] if rest[0] != "*" else None
                found["device_index"] = rest[1] if len(rest) == 2 and rest[1] != "*" else None
            else:
                raise ValueError(
                    f"[DeviceSpec] {spec!r} has a part {part!r}; a name is such as "
                    "'/job:worker/replica:0/task:0/device:GPU:0'"
                )
        return DeviceSpec(**found)

    def to_string(self):
        """The name."""
        parts = [
            f"/{what}:{value}"
            for what, value in (("job", self._job), ("replica", self._replica), ("task", self._task))
            if value is not None
        ]
        if self._device_type is not None:
            parts.append(f"/device:{self._device_type}:{'*' if self._device_index is None else self._device_index}")
        return "".join(parts)

    def _parts(self):
        return {name[1:]: getattr(self, name) for name in self.__slots__}

    def make_merged_spec(self, dev):
        """With the parts that another one has."""
        return DeviceSpec(**{**self._parts(), **{k: v for k, v in dev._parts().items() if v is not None}})

    def replace(self, **kwargs):
        """With other parts."""
        return DeviceSpec(**{**self._parts(), **kwargs})

    def __eq__(self, other):
        return isinstance(other, DeviceSpec) and self._parts() == other._parts()

    def __hash__(self):
        return hash(self.to_string())

    def __repr__(self):
        return f"<DeviceSpec {self.to_string()}>"


class CriticalSection:
    """What is executed in it is executed by one thread at a time.

    >>> section, v = tf.CriticalSection(), tf.Variable(1)
    >>> section.execute(lambda: v.assign_add(2)).numpy().item()
    3
    """

    def __init__(self, name=None, shared_name=None, critical_section_def=None, import_scope=None):
        self._name, self._lock = name or shared_name or "critical_section", threading.RLock()

    name = property(lambda self: self._name, doc="The name of the section.")

    def execute(self, fn, exclusive_resource_access=True, name=None):
        """What a function returns, which nothing else runs beside."""
        with self._lock:
            return fn()


def make_tensor_proto(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
    """Values as a TensorProto: SerializeToString() has its bytes.

    >>> tf.make_ndarray(tf.make_tensor_proto([1, 2])).tolist()
    [1, 2]
    """
    x = _core.convert_to_tensor(values, None if dtype is None else _core.as_dtype(dtype))
    if shape is not None:
        shape = [int(n) for n in shape]
        if tuple(x.shape) != tuple(shape):
            if verify_shape:
                raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, but got {tuple(x.shape)}.")
            x = (
                _core.broadcast_to(x, shape)
                if allow_broadcast or x.shape.num_elements() == 1
                else _core.reshape(x, shape)
            )
    return TensorProto(x)


class TensorProto:
    """A tensor as protocol buffers know it."""

    def __init__(self, tensor=None):
        self._tensor = _core.zeros([0]) if tensor is None else tensor

    @property
    def dtype(self):
        """The number of the dtype."""
        return self._tensor.dtype.as_datatype_enum

    @property
    def tensor_content(self):
        """The bytes of the elements."""
        return b"" if self._tensor.dtype == _core.string else bytes(self._tensor.__reduce__()[1][2])

    @property
    def tensor_shape(self):
        """The sizes."""
        return self._tensor.shape.as_proto() if hasattr(self._tensor.shape, "as_proto") else self._tensor.shape

    def SerializeToString(self, deterministic=None):
        """The message as bytes, which tf.io.parse_tensor reads."""
        from brio._tensor_proto import serialize

        return serialize(self._tensor)

    @classmethod
    def FromString(cls, serialized):
        """The message of bytes."""
        from brio._tensor_proto import _NAMES, _fields, parse

        number = dict(_fields(serialized)).get(1)
        return cls(parse(serialized, _core.as_dtype(_NAMES[number])))

    def __eq__(self, other):
        return isinstance(other, TensorProto) and self.SerializeToString() == other.SerializeToString()

    __hash__ = None


def make_ndarray(tensor):
    """The NumPy array of a TensorProto."""
    import numpy as np

    if not hasattr(tensor, "_tensor"):
        tensor = TensorProto.FromString(tensor.SerializeToString())
    return np.asarray(tensor._tensor.numpy())


def histogram_fixed_width_bins(values, value_range, nbins=100, dtype="int32", name=None):
    """The bin of each value, where a range is cut into bins of one width; what is outside is in the first or last one.

    The bins are int32, whatever dtype says, as TensorFlow's are.

    >>> tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy().tolist()
    [0, 0, 1, 2, 4, 4]
    """
    x = _core.convert_to_tensor(values)
    low, high = (_core.cast(v, x.dtype) for v in (value_range[0], value_range[1]))
    kind = x.dtype if x.dtype.is_floating else _core.float64
    share = _core.cast(x - low, kind) / _core.cast(high - low, kind)
    bins = _core.cast(_core.floor(share * _core.cast(nbins, kind)), "int64")
    count = _core.cast(nbins, "int64")
    return _core.cast(_core.clip_by_value(bins, _core.zeros_like(count), count - 1), "int32")


def parallel_stack(values, name="parallel_stack"):
    """Tensors of one shape, one behind the other along a new first axis."""
    return _core.stack(list(values))


def fingerprint(data, method="farmhash64", name=None):
    """Eight bytes for each row of data, which tell different rows apart.

    >>> tf.fingerprint([b"one", b"two"]).shape
    TensorShape([2, 8])
    """
    import numpy as np

    from brio._crossing import fingerprint64

    method = method.numpy().decode() if hasattr(method, "numpy") else method
    if method != "farmhash64":
        raise InvalidArgumentError(f"[fingerprint] method is {method!r}; it is 'farmhash64'")
    x = _core.convert_to_tensor(data)
    if x.shape.rank == 0:
        raise InvalidArgumentError("[fingerprint] data needs an axis of rows")
    rows = int(x.shape[0])
    if rows == 0:
        return _core.zeros([0, 8], "uint8")
    if x.dtype == _core.string:
        flat = np.asarray(x.numpy(), object).reshape(-1).tolist()
        numbers = fingerprint64(flat).astype("<u8")
        if x.shape.rank > 1:  # the fingerprint of the fingerprints of a row
            bytes_ = numbers.reshape(rows, -1)
            numbers = fingerprint64([row.tobytes() for row in bytes_]).astype("<u8")
    else:
        if x.dtype == _core.bfloat16:  # NumPy has no such numbers
            from brio._more_arrays import bitcast

            x = bitcast(x, "uint16")
        array = np.ascontiguousarray(x.numpy())
        numbers = fingerprint64([row.tobytes() for row in array.reshape(rows, -1)]).astype("<u8")
    return _core.constant(numbers.view(np.uint8).reshape(rows, 8))


def extract_volume_patches(input, ksizes, strides, padding, name=None):
    """The elements of each window of volumes, one after the other along the last axis.

    >>> tf.extract_volume_patches(tf.ones([1, 6, 6, 6, 2]), [1, 3, 3, 3, 1], [1, 3, 3, 3, 1], "VALID").shape
    TensorShape([1, 2, 2, 2, 54])
    """
    x = _core.convert_to_tensor(input)
    window, steps = [int(n) for n in ksizes][1:4], [int(n) for n in strides][1:4]
    if padding not in ("SAME", "VALID"):
        raise InvalidArgumentError(f"[extract_volume_patches] padding is {padding!r}; it is 'SAME' or 'VALID'")
    places = []
    for axis, (k, step) in enumerate(zip(window, steps), 1):
        size = int(x.shape[axis])
        count = -(-size // step) if padding == "SAME" else (size - k) // step + 1
        missing = max((count - 1) * step + k - size, 0) if padding == "SAME" else 0
        if missing:
            x = _core.pad(x, [[missing // 2, missing - missing // 2] if i == axis else [0, 0] for i in range(5)])
        places.append(_core.expand_dims(_core.range(count) * step, 1) + _core.range(k))  # (windows, k)
    for axis, at in zip((1, 3, 5), places):  # each axis becomes windows and places in them
        x = _core.gather(x, at, axis=axis)
    x = _core.transpose(x, [0, 1, 3, 5, 2, 4, 6, 7])
    return _core.reshape(x, [-1, *x.shape[1:4], window[0] * window[1] * window[2] * x.shape[7]])


@contextlib.contextmanager
def variable_creator_scope(variable_creator):
    """A scope in which a function makes the variables:
    it is called with what would make the next one, and with its arguments."""
    import brio

    original = brio.Variable

    class Creating(type):
        def __call__(cls, initial_value=None, trainable=None, validate_shape=True, caching_device=None, name=None,
                     variable_def=None, dtype=None, import_scope=None, constraint=None,
                     synchronization=VariableSynchronization.AUTO, aggregation=VariableAggregation.NONE, shape=None,
                     experimental_enable_variable_lifting=None, **more):  # fmt: skip
            given = {
                "initial_value": initial_value,
                "trainable": trainable,
                "name": name,
                "dtype": dtype,
                "constraint": constraint,
                "shape": shape,
                **more,
            }

            def next_creator(**kwargs):
                kept = {k: v for k, v in kwargs.items() if v is not None}
                return original(kept.pop("initial_value"), **kept)

            return variable_creator(next_creator, **given)

        def __instancecheck__(cls, x):
            return isinstance(x, original)

        def __getattr__(cls, name):
            return getattr(original, name)

    brio.Variable = Creating("Variable", (), {"__doc__": original.__doc__, "__module__": original.__module__})
    try:
        yield
    finally:
        brio.Variable = original


class AggregationMethod:
    """Names of the ways in which TensorFlow adds gradients; Brio adds them in one way."""

    ADD_N = DEFAULT = 0
    EXPERIMENTAL_TREE, EXPERIMENTAL_ACCUMULATE_N = 1, 2


def guarantee_const(input, name=None):
    """The tensor itself, of which the program says that it never changes.

    >>> tf.guarantee_const([1, 2]).numpy().tolist()
    [1, 2]
    """
    return _core.identity(input)


def no_gradient(op_type):
    """Says that operations of a type have no gradient; those of Brio that have none know it.

    >>> tf.no_gradient("MyOperation")
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")


def register_tensor_conversion_function(base_type, conversion_func, priority=100):
    """Makes objects of a class, or of several, taken for tensors:
    conversion_func(value, dtype, name, as_ref) gives the tensor.

    >>> class Celsius:
    ...     def __init__(self, degrees):
    ...         self.degrees = degrees
    >>> tf.register_tensor_conversion_function(
    ...     Celsius, lambda value, dtype=None, name=None, as_ref=False: tf.constant(value.degrees, dtype)
    ... )
    >>> float(tf.convert_to_tensor(Celsius(20.0)) + 1.0)
    21.0
    """
    kinds = base_type if isinstance(base_type, tuple) else (base_type,)
    if not kinds or not all(isinstance(kind, type) for kind in kinds):
        raise TypeError(
            f"[register_tensor_conversion_function] base_type is a class or a tuple of classes, but got {base_type!r}"
        )
    if not callable(conversion_func):
        raise TypeError(
            f"[register_tensor_conversion_function] conversion_func is a function, but got {conversion_func!r}"
        )
    for kind in kinds:
        own = vars(kind).get("__tf_tensor__")
        ways = [*getattr(own, "ways", ()), (priority, conversion_func)]
        ways.sort(key=lambda way: way[0])  # of two with one priority the first comes first
        try:
            kind.__tf_tensor__ = _conversion(ways)
        except TypeError:
            raise TypeError(
                f"[register_tensor_conversion_function] {kind.__name__} is Python's own, whose conversion is fixed"
            ) from None


def _conversion(ways):
    def converted(self, dtype=None, name=None):
        for _, way in ways:
            made = way(self, dtype, name, False)
            if made is not NotImplemented:
                return made
        raise TypeError(f"no conversion of {type(self).__name__} to a tensor of {dtype} is registered")

    converted.ways = ways
    return converted


def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None):
    """(paddings, crops) with which space_to_batch divides sizes evenly, and batch_to_space takes it back.

    >>> paddings, crops = tf.required_space_to_batch_paddings([5, 8], [2, 4])
    >>> paddings.numpy().tolist(), crops.numpy().tolist()
    ([[0, 1], [0, 0]], [[0, 1], [0, 0]])
    """
    sizes, blocks = (_core.cast(x, "int32") for x in (input_shape, block_shape))
    base = _core.zeros([blocks.shape[0], 2], "int32") if base_paddings is None else _core.cast(base_paddings, "int32")
    start, end = base[:, 0], base[:, 1]
    extra = (blocks - (sizes + start + end) % blocks) % blocks
    return _core.stack([start, end + extra], axis=1), _core.stack([_core.zeros_like(extra), extra], axis=1)
