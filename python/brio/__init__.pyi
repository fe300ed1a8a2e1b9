"""Made by scripts/api/stubs.py."""
from brio import audio as audio
from brio import autodiff as autodiff
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
from brio import profiler as profiler
from brio import quantization as quantization
from brio import queue as queue
from brio import ragged as ragged
from brio import random as random
from brio import raw_ops as raw_ops
from brio import saved_model as saved_model
from brio import sets as sets
from brio import signal as signal
from brio import sparse as sparse
from brio import strings as strings
from brio import summary as summary
from brio import sysconfig as sysconfig
from brio import test as test
from brio import train as train
from brio import types as types
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
from brio._control import map_fn as map_fn
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
from brio._core import abs as abs
from brio._core import acos as acos
from brio._core import acosh as acosh
from brio._core import add as add
from brio._core import add_n as add_n
from brio._core import argmax as argmax
from brio._core import argmin as argmin
from brio._core import argsort as argsort
from brio._core import as_dtype as as_dtype
from brio._core import asin as asin
from brio._core import asinh as asinh
from brio._core import atan as atan
from brio._core import atan2 as atan2
from brio._core import atanh as atanh
from brio._core import batch_to_space as batch_to_space
from brio._core import boolean_mask as boolean_mask
from brio._core import broadcast_dynamic_shape as broadcast_dynamic_shape
from brio._core import broadcast_static_shape as broadcast_static_shape
from brio._core import broadcast_to as broadcast_to
from brio._core import cast as cast
from brio._core import clip_by_norm as clip_by_norm
from brio._core import clip_by_value as clip_by_value
from brio._core import complex as complex
from brio._core import concat as concat
from brio._core import constant as constant
from brio._core import convert_to_tensor as convert_to_tensor
from brio._core import cos as cos
from brio._core import cosh as cosh
from brio._core import cumsum as cumsum
from brio._core import divide as divide
from brio._core import dynamic_partition as dynamic_partition
from brio._core import dynamic_stitch as dynamic_stitch
from brio._core import einsum as einsum
from brio._core import ensure_shape as ensure_shape
from brio._core import equal as equal
from brio._core import exp as exp
from brio._core import expand_dims as expand_dims
from brio._core import eye as eye
from brio._core import fill as fill
from brio._core import floor as floor
from brio._core import gather as gather
from brio._core import gather_nd as gather_nd
from brio._core import greater as greater
from brio._core import greater_equal as greater_equal
from brio._core import histogram_fixed_width as histogram_fixed_width
from brio._core import identity as identity
from brio._core import is_tensor as is_tensor
from brio._core import less as less
from brio._core import less_equal as less_equal
from brio._core import linspace as linspace
from brio._core import logical_and as logical_and
from brio._core import logical_not as logical_not
from brio._core import logical_or as logical_or
from brio._core import matmul as matmul
from brio._core import maximum as maximum
from brio._core import minimum as minimum
from brio._core import multiply as multiply
from brio._core import negative as negative
from brio._core import norm as norm
from brio._core import not_equal as not_equal
from brio._core import ones as ones
from brio._core import ones_like as ones_like
from brio._core import pad as pad
from brio._core import pow as pow
from brio._core import range as range
from brio._core import rank as rank
from brio._core import realdiv as realdiv
from brio._core import reduce_all as reduce_all
from brio._core import reduce_any as reduce_any
from brio._core import reduce_logsumexp as reduce_logsumexp
from brio._core import reduce_max as reduce_max
from brio._core import reduce_mean as reduce_mean
from brio._core import reduce_min as reduce_min
from brio._core import reduce_prod as reduce_prod
from brio._core import reduce_sum as reduce_sum
from brio._core import repeat as repeat
from brio._core import reshape as reshape
from brio._core import reverse as reverse
from brio._core import roll as roll
from brio._core import round as round
from brio._core import scatter_nd as scatter_nd
from brio._core import searchsorted as searchsorted
from brio._core import sequence_mask as sequence_mask
from brio._core import shape as shape
from brio._core import shape_n as shape_n
from brio._core import sigmoid as sigmoid
from brio._core import sign as sign
from brio._core import sin as sin
from brio._core import sinh as sinh
from brio._core import size as size
from brio._core import slice as slice
from brio._core import sort as sort
from brio._core import space_to_batch as space_to_batch
from brio._core import space_to_batch_nd as space_to_batch_nd
from brio._core import split as split
from brio._core import sqrt as sqrt
from brio._core import square as square
from brio._core import squeeze as squeeze
from brio._core import stack as stack
from brio._core import stop_gradient as stop_gradient
from brio._core import subtract as subtract
from brio._core import tan as tan
from brio._core import tanh as tanh
from brio._core import tensor_scatter_nd_add as tensor_scatter_nd_add
from brio._core import tensor_scatter_nd_max as tensor_scatter_nd_max
from brio._core import tensor_scatter_nd_min as tensor_scatter_nd_min
from brio._core import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from brio._core import tensor_scatter_nd_update as tensor_scatter_nd_update
from brio._core import tensordot as tensordot
from brio._core import tile as tile
from brio._core import transpose as transpose
from brio._core import truediv as truediv
from brio._core import truncatediv as truncatediv
from brio._core import truncatemod as truncatemod
from brio._core import unstack as unstack
from brio._core import where as where
from brio._core import zeros as zeros
from brio._core import zeros_like as zeros_like
from brio._core._strings import as_string as as_string
from brio._decompositions import sqrtm as _matrix_square_root
from brio._function import function as function
from brio._graph.core import Graph as Graph
from brio._graph.core import Operation as Operation
from brio._graph.gradients import gradients as gradients
from brio._graph.gradients import hessians as hessians
from brio._graph.run import Session as Session
from brio._index_shuffle import random_index_shuffle as random_index_shuffle
from brio._initializers import constant_initializer as constant_initializer
from brio._module import Module as Module
from brio._more_arrays import bitcast as bitcast
from brio._more_arrays import edit_distance as edit_distance
from brio._more_arrays import get_static_value as get_static_value
from brio._more_arrays import identity_n as identity_n
from brio._more_arrays import meshgrid as meshgrid
from brio._more_arrays import one_hot as one_hot
from brio._more_arrays import reverse_sequence as reverse_sequence
from brio._more_arrays import strided_slice as strided_slice
from brio._more_arrays import unique as unique
from brio._more_arrays import unique_with_counts as unique_with_counts
from brio._more_arrays import unravel_index as unravel_index
from brio._more_core import AggregationMethod as AggregationMethod
from brio._more_core import CriticalSection as CriticalSection
from brio._more_core import DeviceSpec as DeviceSpec
from brio._more_core import VariableAggregation as VariableAggregation
from brio._more_core import VariableSynchronization as VariableSynchronization
from brio._more_core import extract_volume_patches as extract_volume_patches
from brio._more_core import fingerprint as fingerprint
from brio._more_core import guarantee_const as guarantee_const
from brio._more_core import histogram_fixed_width_bins as histogram_fixed_width_bins
from brio._more_core import make_ndarray as make_ndarray
from brio._more_core import make_tensor_proto as make_tensor_proto
from brio._more_core import no_gradient as no_gradient
from brio._more_core import parallel_stack as parallel_stack
from brio._more_core import register_tensor_conversion_function as register_tensor_conversion_function
from brio._more_core import required_space_to_batch_paddings as required_space_to_batch_paddings
from brio._more_core import variable_creator_scope as variable_creator_scope
from brio._more_math import clip_by_global_norm as clip_by_global_norm
from brio._more_math import saturate_cast as saturate_cast
from brio._more_math import scalar_mul as scalar_mul
from brio._more_math import timestamp as timestamp
from brio._more_nn import approx_top_k as approx_top_k
from brio._more_nn import conv as conv
from brio._more_ragged import ragged_fill_empty_rows as ragged_fill_empty_rows
from brio._more_signal import fftnd as fftnd
from brio._more_signal import ifftnd as ifftnd
from brio._more_signal import irfftnd as irfftnd
from brio._more_signal import rfftnd as rfftnd
from brio._ragged import RaggedTensor as RaggedTensor
from brio._shape import TensorShape as TensorShape
from brio._sparse import SparseTensor as SparseTensor
from brio._spec import IndexedSlices as IndexedSlices
from brio._spec import TensorSpec as TensorSpec
from brio._spec import TypeSpec as TypeSpec
from brio._spec import UnconnectedGradients as UnconnectedGradients
from brio._spec import type_spec_from_value as type_spec_from_value
from brio._tensor_array import TensorArray as TensorArray
from brio._type_specs import IndexedSlicesSpec as IndexedSlicesSpec
from brio._type_specs import NoneTensorSpec as NoneTensorSpec
from brio._type_specs import OptionalSpec as OptionalSpec
from brio._type_specs import TensorArraySpec as TensorArraySpec
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
from brio.keras.initializers import Ones as _ones_initializer
from brio.keras.initializers import RandomNormal as _random_normal_initializer
from brio.keras.initializers import RandomUniform as _random_uniform_initializer
from brio.keras.initializers import Zeros as _zeros_initializer
from brio.linalg import eig as eig
from brio.linalg import eigvals as eigvals
import brio._core

__version__: str

bfloat16: brio._core.DType

bool: brio._core.DType

complex128: brio._core.DType

complex64: brio._core.DType

double: brio._core.DType

float16: brio._core.DType

float32: brio._core.DType

float64: brio._core.DType

half: brio._core.DType

int16: brio._core.DType

int32: brio._core.DType

int64: brio._core.DType

int8: brio._core.DType

matrix_square_root = _matrix_square_root

newaxis: None

ones_initializer = _ones_initializer

random_normal_initializer = _random_normal_initializer

random_uniform_initializer = _random_uniform_initializer

string: brio._core.DType

uint16: brio._core.DType

uint32: brio._core.DType

uint64: brio._core.DType

uint8: brio._core.DType

zeros_initializer = _zeros_initializer
