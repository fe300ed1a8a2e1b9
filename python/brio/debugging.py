"""tf.debugging: checks that raise InvalidArgumentError; in a traced function they are made at every call."""

from brio import _core, _missing

__getattr__ = _missing.attribute_error_of(__name__)


def Assert(condition, data, summarize=None, name=None):
    """Raises where the condition does not hold, with the data."""
    _core._assert_with_data(condition, "the condition does not hold", list(data))


def _pair(x, y):
    x = _core.convert_to_tensor(x)
    return x, _core.convert_to_tensor(y, dtype_hint=x.dtype)


def _compare(name, holds, sign):
    def check(x, y, message=None, summarize=None, name=None):
        x, y = _pair(x, y)
        _core._assert_with_data(
            holds(x, y), f"[{check.__name__}] x {sign} y does not hold" + (f": {message}" if message else ""), [x, y]
        )

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"Raises unless x {sign} y for all elements."
    return check


assert_equal = _compare("assert_equal", _core.equal, "==")
assert_less = _compare("assert_less", _core.less, "<")
assert_less_equal = _compare("assert_less_equal", _core.less_equal, "<=")
assert_greater = _compare("assert_greater", _core.greater, ">")
assert_greater_equal = _compare("assert_greater_equal", _core.greater_equal, ">=")


def assert_none_equal(x, y, summarize=None, message=None, name=None):
    """Raises unless x != y for all elements."""
    x, y = _pair(x, y)
    _core._assert_with_data(
        _core.not_equal(x, y), "[assert_none_equal] x != y does not hold" + (f": {message}" if message else ""), [x, y]
    )


def _sign(name, holds, what):
    def check(x, message=None, summarize=None, name=None):
        x = _core.convert_to_tensor(x)
        _core._assert_with_data(
            holds(x, _core.zeros_like(x)),
            f"[{check.__name__}] x {what} 0 does not hold" + (f": {message}" if message else ""),
            [x],
        )

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"Raises unless x {what} 0 for all elements."
    return check


assert_positive = _sign("assert_positive", _core.greater, ">")
assert_negative = _sign("assert_negative", _core.less, "<")
assert_non_negative = _sign("assert_non_negative", _core.greater_equal, ">=")
assert_non_positive = _sign("assert_non_positive", _core.less_equal, "<=")


def assert_near(x, y, rtol=None, atol=None, message=None, summarize=None, name=None):
    """Raises unless |x - y| <= atol + rtol |y| for all elements; both are ten epsilons by default."""
    x, y = _pair(x, y)
    import numpy as np

    default = 10 * float(np.finfo(x.dtype.as_numpy_dtype).eps)
    rtol, atol = default if rtol is None else rtol, default if atol is None else atol
    near = _core.abs(x - y) <= atol + rtol * _core.abs(y)
    _core._assert_with_data(near, "[assert_near] x and y are not near" + (f": {message}" if message else ""), [x, y])


def assert_all_finite(x, message, name=None):
    """x, once it is sure that no element is NaN or infinite."""
    x = _core.convert_to_tensor(x)
    _core._assert_with_data(
        _core._math.is_finite(x), f"[check_numerics] {message}: the tensor has NaN or infinite elements", [x]
    )
    return _core.identity(x)


def check_numerics(tensor, message, name=None):
    """The tensor, once it is sure that no element is NaN or infinite."""
    return assert_all_finite(tensor, message)


def _rank(x):
    return len(x.shape) if hasattr(x, "shape") else _core.convert_to_tensor(x).shape.rank


def _require(holds, text, message=None, error=ValueError):
    if not holds:
        raise error((f"{message}. " if message else "") + text)


def assert_rank(x, rank, message=None, name=None):
    """Raises unless x has this rank."""
    _require(_rank(x) == int(rank), f"[assert_rank] the tensor has rank {_rank(x)}, not {int(rank)}", message)


def assert_rank_at_least(x, rank, message=None, name=None):
    """Raises unless x has this rank or a higher one."""
    _require(
        _rank(x) >= int(rank), f"[assert_rank_at_least] the tensor has rank {_rank(x)}, below {int(rank)}", message
    )


def assert_rank_in(x, ranks, message=None, name=None):
    """Raises unless x has one of these ranks."""
    ranks = [int(r) for r in ranks]
    _require(_rank(x) in ranks, f"[assert_rank_in] the tensor has rank {_rank(x)}, which is none of {ranks}", message)


def assert_scalar(tensor, message=None, name=None):
    """Raises unless a tensor has no axes."""
    _require(_rank(tensor) == 0, f"[assert_scalar] the tensor has rank {_rank(tensor)}, not 0", message)


def assert_integer(x, message=None, name=None):
    """Raises unless x is of integers."""
    dtype = _core.convert_to_tensor(x).dtype
    _require(dtype.is_integer, f"[assert_integer] the tensor is of {dtype.name}", message, TypeError)


def assert_type(tensor, tf_type, message=None, name=None):
    """Raises unless a tensor is of this dtype."""
    dtype = _core.convert_to_tensor(tensor).dtype
    _require(dtype == _core.as_dtype(tf_type), f"[assert_type] the tensor is of {dtype.name}", message, TypeError)


def assert_same_float_dtype(tensors=None, dtype=None):
    """The one floating-point dtype that all tensors have."""
    found = {_core.convert_to_tensor(t).dtype.name for t in tensors or []} | (
        {_core.as_dtype(dtype).name} if dtype else set()
    )
    _require(len(found) <= 1, f"[assert_same_float_dtype] the tensors are of {sorted(found)}")
    common = _core.as_dtype(found.pop() if found else "float32")
    _require(common.is_floating, f"[assert_same_float_dtype] the tensors are of {common.name}, which is no float")
    return common


def assert_proper_iterable(values):
    """Raises unless this is a list, a tuple or the like, of tensors."""
    bad = isinstance(values, (str, bytes)) or hasattr(values, "dtype") or not hasattr(values, "__iter__")
    _require(not bad, f"[assert_proper_iterable] {type(values).__name__} is no list of tensors", None, TypeError)


def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """Raises unless tensors have these shapes; a name stands for one size wherever it is."""
    known = {}
    for tensor, want in shapes.items() if hasattr(shapes, "items") else shapes:
        have = list(_core.convert_to_tensor(tensor).shape)
        want = [want] if isinstance(want, (str, int)) else list(want)
        same = len(have) == len(want)
        for size, sign in zip(have, want):
            if sign is None or sign == "." or sign == "*":
                continue
            if isinstance(sign, str) and not sign.isdigit():
                same = same and known.setdefault(sign, size) == size
            else:
                same = same and int(sign) == size
        _require(same, f"[assert_shapes] a tensor has shape {have}, which is not {want} with {known}", message)


def is_numeric_tensor(tensor):
    """Is this a tensor of numbers?"""
    return _core.is_tensor(tensor) and tensor.dtype.is_numeric


_log_placement = False


def set_log_device_placement(enabled):
    """Says whether each plan that is made prints, on standard error, where its steps run.
    BRIO_EXPLAIN=placement says more of what that costs."""
    global _log_placement
    _log_placement = bool(enabled)
    _core._set_log_placement(_log_placement)


def get_log_device_placement():
    """What set_log_device_placement was told."""
    return _log_placement


def enable_traceback_filtering():
    """Brio's tracebacks are short as they are."""


def disable_traceback_filtering():
    """Brio's tracebacks are whole as they are."""


def is_traceback_filtering_enabled():
    """True: Brio's own frames are C++."""
    return True
