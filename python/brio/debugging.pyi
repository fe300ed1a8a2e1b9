"""Made by scripts/api/stubs.py."""
from brio import _types as _t
from typing import Any

def Assert(condition: _t.TensorLike, data: _t.TensorLike, summarize: Any = None, name: str | None = None) -> Any:
    """Raises where the condition does not hold, with the data."""

def assert_all_finite(x: _t.TensorLike, message: Any, name: str | None = None) -> Any:
    """x, once it is sure that no element is NaN or infinite."""

def assert_equal(x: _t.TensorLike, y: _t.TensorLike, message: Any = None, summarize: Any = None, name: str | None = None) -> Any:
    """Raises unless x == y for all elements."""

def assert_greater(x: _t.TensorLike, y: _t.TensorLike, message: Any = None, summarize: Any = None, name: str | None = None) -> Any:
    """Raises unless x > y for all elements."""

def assert_greater_equal(x: _t.TensorLike, y: _t.TensorLike, message: Any = None, summarize: Any = None, name: str | None = None) -> Any:
    """Raises unless x >= y for all elements."""

def assert_integer(x: _t.TensorLike, message: Any = None, name: str | None = None) -> Any:
    """Raises unless x is of integers."""

def assert_less(x: _t.TensorLike, y: _t.TensorLike, message: Any = None, summarize: Any = None, name: str | None = None) -> Any:
    """Raises unless x < y for all elements."""

def assert_less_equal(x: _t.TensorLike, y: _t.TensorLike, message: Any = None, summarize: Any = None, name: str | None = None) -> Any:
    """Raises unless x <= y for all elements."""

def assert_near(x: _t.TensorLike, y: _t.TensorLike, rtol: Any = None, atol: Any = None, message: Any = None, summarize: Any = None, name: str | None = None) -> Any:
    """Raises unless |x - y| <= atol + rtol |y| for all elements; both are ten epsilons by default."""

def assert_negative(x: _t.TensorLike, message: Any = None, summarize: Any = None, name: str | None = None) -> Any:
    """Raises unless x < 0 for all elements."""

def assert_non_negative(x: _t.TensorLike, message: Any = None, summarize: Any = None, name: str | None = None) -> Any:
    """Raises unless x >= 0 for all elements."""

def assert_non_positive(x: _t.TensorLike, message: Any = None, summarize: Any = None, name: str | None = None) -> Any:
    """Raises unless x <= 0 for all elements."""

def assert_none_equal(x: _t.TensorLike, y: _t.TensorLike, summarize: Any = None, message: Any = None, name: str | None = None) -> Any:
    """Raises unless x != y for all elements."""

def assert_positive(x: _t.TensorLike, message: Any = None, summarize: Any = None, name: str | None = None) -> Any:
    """Raises unless x > 0 for all elements."""

def assert_proper_iterable(values: _t.TensorLike) -> Any:
    """Raises unless this is a list, a tuple or the like, of tensors."""

def assert_rank(x: _t.TensorLike, rank: Any, message: Any = None, name: str | None = None) -> Any:
    """Raises unless x has this rank."""

def assert_rank_at_least(x: _t.TensorLike, rank: Any, message: Any = None, name: str | None = None) -> Any:
    """Raises unless x has this rank or a higher one."""

def assert_rank_in(x: _t.TensorLike, ranks: Any, message: Any = None, name: str | None = None) -> Any:
    """Raises unless x has one of these ranks."""

def assert_same_float_dtype(tensors: _t.TensorLike | None = None, dtype: _t.DTypeLike | None = None) -> Any:
    """The one floating-point dtype that all tensors have."""

def assert_scalar(tensor: _t.TensorLike, message: Any = None, name: str | None = None) -> Any:
    """Raises unless a tensor has no axes."""

def assert_shapes(shapes: Any, data: _t.TensorLike | None = None, summarize: Any = None, message: Any = None, name: str | None = None) -> Any:
    """Raises unless tensors have these shapes; a name stands for one size wherever it is."""

def assert_type(tensor: _t.TensorLike, tf_type: Any, message: Any = None, name: str | None = None) -> Any:
    """Raises unless a tensor is of this dtype."""

def check_numerics(tensor: _t.TensorLike, message: Any, name: str | None = None) -> Any:
    """The tensor, once it is sure that no element is NaN or infinite."""

def disable_traceback_filtering() -> Any:
    """Brio's tracebacks are whole as they are."""

def enable_traceback_filtering() -> Any:
    """Brio's tracebacks are short as they are."""

def get_log_device_placement() -> Any:
    """What set_log_device_placement was told."""

def is_numeric_tensor(tensor: _t.TensorLike) -> Any:
    """Is this a tensor of numbers?"""

def is_traceback_filtering_enabled() -> Any:
    """True: Brio's own frames are C++."""

def set_log_device_placement(enabled: Any) -> Any:
    """Says whether each plan that is made prints, on standard error, where its steps run. BRIO_EXPLAIN=placement says more of what that costs."""
