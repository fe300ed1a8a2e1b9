"""What functions of tensors take, for type checkers alone: there is no such module when a program runs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from brio._core import DType, KerasTensor, Tensor, Variable
from brio._ragged import RaggedTensor
from brio._shape import TensorShape
from brio._sparse import SparseTensor
from brio._spec import IndexedSlices

# What becomes a tensor by itself.
TensorLike = (
    Tensor
    | Variable
    | KerasTensor
    | RaggedTensor
    | SparseTensor
    | IndexedSlices
    | np.ndarray[Any, Any]
    | np.generic
    | complex
    | str
    | bytes
    | Sequence[Any]
)
# One number.
IntLike = int | np.integer[Any] | Tensor | Variable
FloatLike = float | np.number[Any] | Tensor | Variable
# One axis, several, or none named.
Axis = int | np.integer[Any] | Tensor | Sequence[int] | np.ndarray[Any, Any]
DTypeLike = DType | str | type | np.dtype[Any]
ShapeLike = TensorShape | Sequence[Any] | Tensor | np.ndarray[Any, Any] | int
# One seed, or the two that stateless functions take.
Seed = IntLike | Sequence[int] | np.ndarray[Any, Any]
