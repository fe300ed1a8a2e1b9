"""Made by scripts/api/stubs.py."""
from brio import _types as _t
from typing import Any
import builtins
from brio import audio as audio
from brio import autograph as autograph
from brio import bitwise as bitwise
from brio import compat as compat
from brio import config as config
from brio import data as data
from brio import debugging as debugging
from brio import distribute as distribute
from brio import dtypes as dtypes
from brio import errors as errors
from brio import experimental as experimental
from brio import image as image
from brio import io as io
from brio import keras as keras
from brio import linalg as linalg
from brio import lookup as lookup
from brio import math as math
from brio import nest as nest
from brio import nn as nn
from brio import ragged as ragged
from brio import random as random
from brio import saved_model as saved_model
from brio import sets as sets
from brio import signal as signal
from brio import sparse as sparse
from brio import strings as strings
from brio import summary as summary
from brio import test as test
from brio import train as train
from brio import version as version
from brio._compat_report import compat_report as compat_report
from brio._control import case as case
from brio._control import cond as cond
from brio._control import control_dependencies as control_dependencies
from brio._control import custom_gradient as custom_gradient
from brio._control import device as device
from brio._control import executing_eagerly as executing_eagerly
from brio._control import foldl as foldl
from brio._control import foldr as foldr
from brio._control import get_current_name_scope as get_current_name_scope
from brio._control import get_logger as get_logger
from brio._control import grad_pass_through as grad_pass_through
from brio._control import group as group
from brio._control import init_scope as init_scope
from brio._control import inside_function as inside_function
from brio._control import is_symbolic_tensor as is_symbolic_tensor
from brio._control import name_scope as name_scope
from brio._control import no_op as no_op
from brio._control import numpy_function as numpy_function
from brio._control import print as print
from brio._control import py_function as py_function
from brio._control import recompute_grad as recompute_grad
from brio._control import scan as scan
from brio._control import switch_case as switch_case
from brio._control import vectorized_map as vectorized_map
from brio._control import while_loop as while_loop
from brio._core import DType as DType
from brio._core import GradientTape as GradientTape
from brio._core import KerasTensor as KerasTensor
from brio._core import Tensor as Tensor
from brio._core import Variable as Variable
from brio._core import add_n as add_n
from brio._core import argmax as argmax
from brio._core import argmin as argmin
from brio._core import argsort as argsort
from brio._core import as_dtype as as_dtype
from brio._core import batch_to_space as batch_to_space
from brio._core import boolean_mask as boolean_mask
from brio._core import broadcast_dynamic_shape as broadcast_dynamic_shape
from brio._core import broadcast_static_shape as broadcast_static_shape
from brio._core import broadcast_to as broadcast_to
from brio._core import clip_by_norm as clip_by_norm
from brio._core import constant as constant
from brio._core import convert_to_tensor as convert_to_tensor
from brio._core import cumsum as cumsum
from brio._core import dynamic_partition as dynamic_partition
from brio._core import dynamic_stitch as dynamic_stitch
from brio._core import einsum as einsum
from brio._core import ensure_shape as ensure_shape
from brio._core import eye as eye
from brio._core import fill as fill
from brio._core import gather_nd as gather_nd
from brio._core import histogram_fixed_width as histogram_fixed_width
from brio._core import is_tensor as is_tensor
from brio._core import linspace as linspace
from brio._core import matmul as matmul
from brio._core import norm as norm
from brio._core import ones as ones
from brio._core import pad as pad
from brio._core import range as range
from brio._core import reduce_logsumexp as reduce_logsumexp
from brio._core import repeat as repeat
from brio._core import reshape as reshape
from brio._core import roll as roll
from brio._core import scatter_nd as scatter_nd
from brio._core import searchsorted as searchsorted
from brio._core import sequence_mask as sequence_mask
from brio._core import shape as shape
from brio._core import shape_n as shape_n
from brio._core import slice as slice
from brio._core import sort as sort
from brio._core import space_to_batch as space_to_batch
from brio._core import space_to_batch_nd as space_to_batch_nd
from brio._core import split as split
from brio._core import squeeze as squeeze
from brio._core import tensor_scatter_nd_add as tensor_scatter_nd_add
from brio._core import tensor_scatter_nd_max as tensor_scatter_nd_max
from brio._core import tensor_scatter_nd_min as tensor_scatter_nd_min
from brio._core import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from brio._core import tensor_scatter_nd_update as tensor_scatter_nd_update
from brio._core import tensordot as tensordot
from brio._core import transpose as transpose
from brio._core import truncatediv as truncatediv
from brio._core import truncatemod as truncatemod
from brio._core import unstack as unstack
from brio._core import zeros as zeros
from brio._function import function as function
from brio._graph.core import Graph as Graph
from brio._graph.gradients import gradients as gradients
from brio._graph.gradients import hessians as hessians
from brio._graph.run import Session as Session
from brio._module import Module as Module
from brio._more_arrays import bitcast as bitcast
from brio._more_arrays import edit_distance as edit_distance
from brio._more_arrays import get_static_value as get_static_value
from brio._more_arrays import identity_n as identity_n
from brio._more_arrays import meshgrid as meshgrid
from brio._more_arrays import reverse_sequence as reverse_sequence
from brio._more_arrays import strided_slice as strided_slice
from brio._more_arrays import unique as unique
from brio._more_arrays import unique_with_counts as unique_with_counts
from brio._more_arrays import unravel_index as unravel_index
from brio._more_math import clip_by_global_norm as clip_by_global_norm
from brio._more_math import scalar_mul as scalar_mul
from brio._ragged import RaggedTensor as RaggedTensor
from brio._shape import TensorShape as TensorShape
from brio._sparse import SparseTensor as SparseTensor
from brio._spec import IndexedSlices as IndexedSlices
from brio._spec import TensorSpec as TensorSpec
from brio._spec import UnconnectedGradients as UnconnectedGradients
from brio._spec import type_spec_from_value as type_spec_from_value
from brio._tensor_array import TensorArray as TensorArray
from brio.compat.v1 import global_variables_initializer as global_variables_initializer
from brio.compat.v1 import placeholder as placeholder
from brio.data._elements import RaggedTensorSpec as RaggedTensorSpec
from brio.data._elements import SparseTensorSpec as SparseTensorSpec
from brio.debugging import Assert as Assert
from brio.debugging import assert_equal as assert_equal
from brio.debugging import assert_greater as assert_greater
from brio.debugging import assert_less as assert_less
from brio.debugging import assert_rank as assert_rank
from brio.keras import initializers as initializers
from brio.keras import losses as losses
from brio.keras import metrics as metrics
from brio.keras import optimizers as optimizers
from brio.keras.initializers import Constant as _constant_initializer
from brio.keras.initializers import Ones as _ones_initializer
from brio.keras.initializers import RandomNormal as _random_normal_initializer
from brio.keras.initializers import RandomUniform as _random_uniform_initializer
from brio.keras.initializers import Zeros as _zeros_initializer
import brio._core

__version__: str

def abs(*args: Any, **kwargs: Any) -> Any:
    """abs(x: object | None, name: object | None = None) -> object

    The absolute value of each element.
    """

def acos(*args: Any, **kwargs: Any) -> Any:
    """acos(x: object | None, name: object | None = None) -> object

    The inverse cosine of each element, in radians.
    """

def acosh(*args: Any, **kwargs: Any) -> Any:
    """acosh(x: object | None, name: object | None = None) -> object

    The inverse hyperbolic cosine of each element.
    """

def add(*args: Any, **kwargs: Any) -> Any:
    """add(x: object | None, y: object | None, name: object | None = None) -> object

    x + y, element by element; strings are joined.
    """

def as_string(*args: Any, **kwargs: Any) -> Any:
    """as_string(input: object | None, precision: object = -1, scientific: bool = False, shortest: bool = False, width: object = -1, fill: str = '', name: object | None = None) -> object

    Numbers as text.
    """

def asin(*args: Any, **kwargs: Any) -> Any:
    """asin(x: object | None, name: object | None = None) -> object

    The inverse sine of each element, in radians.
    """

def asinh(*args: Any, **kwargs: Any) -> Any:
    """asinh(x: object | None, name: object | None = None) -> object

    The inverse hyperbolic sine of each element.
    """

def atan(*args: Any, **kwargs: Any) -> Any:
    """atan(x: object | None, name: object | None = None) -> object

    The inverse tangent of each element, in radians.
    """

def atan2(*args: Any, **kwargs: Any) -> Any:
    """atan2(y: object | None, x: object | None, name: object | None = None) -> object

    The angle of the point (x, y), element by element.
    """

def atanh(*args: Any, **kwargs: Any) -> Any:
    """atanh(x: object | None, name: object | None = None) -> object

    The inverse hyperbolic tangent of each element.
    """

bfloat16: brio._core.DType

bool: brio._core.DType

def cast(*args: Any, **kwargs: Any) -> Any:
    """cast(x: object | None, dtype: object | None, name: object | None = None) -> object

    The elements as another dtype.
    """

def clip_by_value(*args: Any, **kwargs: Any) -> Any:
    """clip_by_value(t: object, clip_value_min: object, clip_value_max: object, name: object | None = None) -> object

    t with what lies outside of [clip_value_min, clip_value_max] moved to its ends.
    """

def complex(*args: Any, **kwargs: Any) -> Any:
    """complex(real: object, imag: object, name: object | None = None) -> object

    real + imag · i, element by element.
    """

complex128: brio._core.DType

complex64: brio._core.DType

def concat(*args: Any, **kwargs: Any) -> Any:
    """concat(values: object, axis: object, name: object = 'concat') -> object

    The tensors one after the other along an axis.
    """

constant_initializer = _constant_initializer

def cos(*args: Any, **kwargs: Any) -> Any:
    """cos(x: object | None, name: object | None = None) -> object

    The cosine of each element, in radians.
    """

def cosh(*args: Any, **kwargs: Any) -> Any:
    """cosh(x: object | None, name: object | None = None) -> object

    The hyperbolic cosine of each element.
    """

def divide(*args: Any, **kwargs: Any) -> Any:
    """divide(x: object | None, y: object | None, name: object | None = None) -> object

    x / y, element by element; integers give floats.
    """

def equal(*args: Any, **kwargs: Any) -> Any:
    """equal(x: object | None, y: object | None, name: object | None = None) -> object

    True where x and y are equal.
    """

def exp(*args: Any, **kwargs: Any) -> Any:
    """exp(x: object | None, name: object | None = None) -> object

    e to the power of each element.
    """

def expand_dims(*args: Any, **kwargs: Any) -> Any:
    """expand_dims(input: object | None, axis: object | None, name: object | None = None) -> object

    The tensor with a new axis of size 1.
    """

float16: brio._core.DType

float32: brio._core.DType

float64: brio._core.DType

def floor(*args: Any, **kwargs: Any) -> Any:
    """floor(x: object | None, name: object | None = None) -> object

    The largest integer that is not above each element.
    """

def gather(*args: Any, **kwargs: Any) -> Any:
    """gather(params: object | None, indices: object | None, validate_indices: object | None = None, axis: object | None = None, batch_dims: object = 0, name: object | None = None) -> object

    The slices of params at the indices along an axis.
    """

def greater(*args: Any, **kwargs: Any) -> Any:
    """greater(x: object | None, y: object | None, name: object | None = None) -> object

    True where x > y.
    """

def greater_equal(*args: Any, **kwargs: Any) -> Any:
    """greater_equal(x: object | None, y: object | None, name: object | None = None) -> object

    True where x >= y.
    """

def identity(*args: Any, **kwargs: Any) -> Any:
    """identity(input: object | None, name: object | None = None) -> object

    The same tensor.
    """

int16: brio._core.DType

int32: brio._core.DType

int64: brio._core.DType

int8: brio._core.DType

def less(*args: Any, **kwargs: Any) -> Any:
    """less(x: object | None, y: object | None, name: object | None = None) -> object

    True where x < y.
    """

def less_equal(*args: Any, **kwargs: Any) -> Any:
    """less_equal(x: object | None, y: object | None, name: object | None = None) -> object

    True where x <= y.
    """

def logical_and(*args: Any, **kwargs: Any) -> Any:
    """logical_and(x: object | None, y: object | None, name: object | None = None) -> object

    True where both are.
    """

def logical_not(*args: Any, **kwargs: Any) -> Any:
    """logical_not(x: object | None, name: object | None = None) -> object

    True where an element is false.
    """

def logical_or(*args: Any, **kwargs: Any) -> Any:
    """logical_or(x: object | None, y: object | None, name: object | None = None) -> object

    True where one or both are.
    """

def map_fn(fn: Any, elems: Any, dtype: _t.DTypeLike | None = None, parallel_iterations: Any = None, back_prop: builtins.bool = True, swap_memory: builtins.bool = False, infer_shape: builtins.bool = True, name: str | None = None, fn_output_signature: Any = None) -> Any:
    """What a function makes of each row, stacked.

    >>> tf.map_fn(lambda row: tf.reduce_sum(row), tf.constant([[1, 2], [3, 4]])).numpy().tolist()
    [3, 7]
    """

def maximum(*args: Any, **kwargs: Any) -> Any:
    """maximum(x: object | None, y: object | None, name: object | None = None) -> object

    The larger of x and y, element by element.
    """

def minimum(*args: Any, **kwargs: Any) -> Any:
    """minimum(x: object | None, y: object | None, name: object | None = None) -> object

    The smaller of x and y, element by element.
    """

def multiply(*args: Any, **kwargs: Any) -> Any:
    """multiply(x: object | None, y: object | None, name: object | None = None) -> object

    x * y, element by element.
    """

def negative(*args: Any, **kwargs: Any) -> Any:
    """negative(x: object | None, name: object | None = None) -> object

    Each element with the other sign.
    """

newaxis: None

def not_equal(*args: Any, **kwargs: Any) -> Any:
    """not_equal(x: object | None, y: object | None, name: object | None = None) -> object

    True where x and y differ.
    """

def one_hot(*args: Any, **kwargs: Any) -> Any:
    """one_hot(indices: object, depth: object, on_value: object | None = None, off_value: object | None = None, axis: object | None = None, dtype: object | None = None, name: object | None = None) -> object

    A new axis with 1 at the index and 0 elsewhere.
    """

ones_initializer = _ones_initializer

def ones_like(*args: Any, **kwargs: Any) -> Any:
    """ones_like(input: object | None, dtype: object | None = None, layout: object | None = None, name: object | None = None) -> object

    A tensor of ones with the shape and dtype of another.
    """

def pow(*args: Any, **kwargs: Any) -> Any:
    """pow(x: object | None, y: object | None, name: object | None = None) -> object

    x to the power of y, element by element.
    """

random_normal_initializer = _random_normal_initializer

random_uniform_initializer = _random_uniform_initializer

def rank(*args: Any, **kwargs: Any) -> Any:
    """rank(input: object, name: object | None = None) -> object

    How many axes a tensor has.
    """

def realdiv(*args: Any, **kwargs: Any) -> Any:
    """realdiv(x: object | None, y: object | None, name: object | None = None) -> object

    x / y, element by element.
    """

def reduce_all(*args: Any, **kwargs: Any) -> Any:
    """reduce_all(input_tensor: object | None, axis: object | None = None, keepdims: bool = False, name: object | None = None) -> object

    True where all over axes are.
    """

def reduce_any(*args: Any, **kwargs: Any) -> Any:
    """reduce_any(input_tensor: object | None, axis: object | None = None, keepdims: bool = False, name: object | None = None) -> object

    True where one or more over axes are.
    """

def reduce_max(*args: Any, **kwargs: Any) -> Any:
    """reduce_max(input_tensor: object | None, axis: object | None = None, keepdims: bool = False, name: object | None = None) -> object

    The largest over axes.
    """

def reduce_mean(*args: Any, **kwargs: Any) -> Any:
    """reduce_mean(input_tensor: object | None, axis: object | None = None, keepdims: bool = False, name: object | None = None) -> object

    The mean over axes.
    """

def reduce_min(*args: Any, **kwargs: Any) -> Any:
    """reduce_min(input_tensor: object | None, axis: object | None = None, keepdims: bool = False, name: object | None = None) -> object

    The smallest over axes.
    """

def reduce_prod(*args: Any, **kwargs: Any) -> Any:
    """reduce_prod(input_tensor: object | None, axis: object | None = None, keepdims: bool = False, name: object | None = None) -> object

    The product over axes.
    """

def reduce_sum(*args: Any, **kwargs: Any) -> Any:
    """reduce_sum(input_tensor: object | None, axis: object | None = None, keepdims: bool = False, name: object | None = None) -> object

    The sum over axes.
    """

def reverse(*args: Any, **kwargs: Any) -> Any:
    """reverse(tensor: object | None, axis: object | None, name: object | None = None) -> object

    The elements from last to first along axes.
    """

def round(*args: Any, **kwargs: Any) -> Any:
    """round(x: object | None, name: object | None = None) -> object

    The nearest integer of each element; halves go to the even one.
    """

def saturate_cast(value: _t.TensorLike, dtype: _t.DTypeLike, name: str | None = None) -> Any:
    """The elements as another dtype, those that it does not hold moved to its ends."""

def sigmoid(*args: Any, **kwargs: Any) -> Any:
    """sigmoid(x: object | None, name: object | None = None) -> object

    1 / (1 + exp(-x)) of each element.
    """

def sign(*args: Any, **kwargs: Any) -> Any:
    """sign(x: object | None, name: object | None = None) -> object

    -1, 0 or 1 for each element; of complex numbers, x / |x|.
    """

def sin(*args: Any, **kwargs: Any) -> Any:
    """sin(x: object | None, name: object | None = None) -> object

    The sine of each element, in radians.
    """

def sinh(*args: Any, **kwargs: Any) -> Any:
    """sinh(x: object | None, name: object | None = None) -> object

    The hyperbolic sine of each element.
    """

def size(*args: Any, **kwargs: Any) -> Any:
    """size(input: object, out_type: object | None = None, name: object | None = None) -> object

    How many elements a tensor has.
    """

def sqrt(*args: Any, **kwargs: Any) -> Any:
    """sqrt(x: object | None, name: object | None = None) -> object

    The square root of each element.
    """

def square(*args: Any, **kwargs: Any) -> Any:
    """square(x: object | None, name: object | None = None) -> object

    Each element times itself.
    """

def stack(*args: Any, **kwargs: Any) -> Any:
    """stack(values: object | None, axis: object = 0, name: object | None = None) -> object

    The tensors side by side along a new axis.
    """

def stop_gradient(*args: Any, **kwargs: Any) -> Any:
    """stop_gradient(input: object | None, name: object | None = None) -> object

    The same tensor, through which no gradient flows.
    """

string: brio._core.DType

def subtract(*args: Any, **kwargs: Any) -> Any:
    """subtract(x: object | None, y: object | None, name: object | None = None) -> object

    x - y, element by element.
    """

def tan(*args: Any, **kwargs: Any) -> Any:
    """tan(x: object | None, name: object | None = None) -> object

    The tangent of each element, in radians.
    """

def tanh(*args: Any, **kwargs: Any) -> Any:
    """tanh(x: object | None, name: object | None = None) -> object

    The hyperbolic tangent of each element.
    """

def tile(*args: Any, **kwargs: Any) -> Any:
    """tile(input: object | None, multiples: object | None, name: object | None = None) -> object

    The whole tensor so many times along each axis.
    """

def truediv(*args: Any, **kwargs: Any) -> Any:
    """truediv(x: object | None, y: object | None, name: object | None = None) -> object

    x / y, element by element; integers give floats.
    """

uint16: brio._core.DType

uint32: brio._core.DType

uint64: brio._core.DType

uint8: brio._core.DType

def where(*args: Any, **kwargs: Any) -> Any:
    """where(condition: object, x: object | None = None, y: object | None = None, name: object | None = None) -> object

    x where the condition holds and y elsewhere; alone, the positions where it holds.
    """

zeros_initializer = _zeros_initializer

def zeros_like(*args: Any, **kwargs: Any) -> Any:
    """zeros_like(input: object | None, dtype: object | None = None, layout: object | None = None, name: object | None = None) -> object

    A tensor of zeros with the shape and dtype of another.
    """
