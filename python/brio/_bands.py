"""Several diagonals of matrices at once: what tf.linalg.diag,
diag_part and set_diag do where k is a pair of numbers."""

from brio import _core
from brio._core import _linalg
from brio.errors import InvalidArgumentError


def pair(k):
    """(lowest, highest) where k has two numbers, else None."""
    if isinstance(k, int) or k is None:
        return None
    numbers = [int(n) for n in _core.convert_to_tensor(k).numpy().reshape(-1)]
    if len(numbers) != 2:
        return None
    if numbers[0] > numbers[1]:
        raise InvalidArgumentError(f"[diag] k is {tuple(numbers)}; its first number is the lower diagonal")
    return tuple(numbers)


def single(k):
    """k as one number."""
    return k if isinstance(k, int) else int(_core.convert_to_tensor(k).numpy().reshape(-1)[0])


def _rows(k, rows, columns, align):
    """(diagonal, its length, zeros before it, zeros behind it), the highest first."""
    if k[0] <= -max(rows, 1) or k[1] >= max(columns, 1):
        raise InvalidArgumentError(
            f"[diag] k is {k}, but a matrix of {rows} rows and {columns} columns has the diagonals "
            f"{1 - max(rows, 1)} to {max(columns, 1) - 1}"
        )
    lengths = {d: min(rows + min(d, 0), columns - max(d, 0)) for d in range(k[0], k[1] + 1)}
    longest = max(lengths.values())
    upper, lower = align.split("_")
    for d in sorted(lengths, reverse=True):
        missing = longest - lengths[d]
        to_right = (upper if d >= 0 else lower) == "RIGHT"
        yield d, lengths[d], missing if to_right else 0, 0 if to_right else missing


def diag_part(x, k, padding_value, align):
    """The diagonals, one in each row, the highest first."""
    x = _core.convert_to_tensor(x)
    out = []
    for d, _, before, behind in _rows(k, x.shape[-2], x.shape[-1], align):
        part = _linalg.diag_part(x, k=d)
        out.append(
            _core.pad(part, [[0, 0]] * (len(part.shape) - 1) + [[before, behind]], constant_values=padding_value)
        )
    return _core.stack(out, axis=-2)


def set_diag(x, diagonals, k, align):
    """A matrix with other diagonals."""
    x, diagonals = _core.convert_to_tensor(x), _core.convert_to_tensor(diagonals)
    for row, (d, length, before, _) in enumerate(_rows(k, x.shape[-2], x.shape[-1], align)):
        x = _linalg.set_diag(x, diagonals[..., row, before : before + length], k=d)
    return x


def diag(diagonals, k, num_rows, num_cols, padding_value, align):
    """A matrix of these diagonals, as small as it can be where its sizes are not given."""
    diagonals = _core.convert_to_tensor(diagonals)
    longest = int(diagonals.shape[-1])
    least = longest + max(-k[1], 0), longest + max(k[0], 0)
    if num_rows < 0 and num_cols < 0:
        num_rows = num_cols = max(least)
    elif num_rows < 0:
        num_rows = least[0]
    elif num_cols < 0:
        num_cols = least[1]
    empty = _core.fill([*diagonals.shape[:-2], num_rows, num_cols], _core.cast(padding_value, diagonals.dtype))
    return set_diag(empty, diagonals, k, align)
