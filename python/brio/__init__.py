"""Brio: neural network training where the fast path is the default. `import brio as tf` runs TensorFlow's programs.

The functions are C++ (brio._core); submodules are loaded when they are first used.
"""

import os as _os

from brio import errors
from brio._core import *
from brio._lazy import load as _load
from brio._shape import TensorShape

del one_hot  # noqa: F821  # _more_arrays has one that takes more

if any(_os.environ.get(name) for name in ("BRIO_DOCTOR", "BRIO_DOCTOR_PAGE", "BRIO_TRACE")):
    from brio import _doctor

__version__ = (
    "2.21.0"  # TensorFlow's version, whose names and meanings these are: programs ask whether it is new enough
)
__brio_version__ = "0.1.0"
newaxis = None

# Submodules by name: `tf.keras` and others work without a separate import.
_SUBMODULES = {
    "audio", "autodiff", "autograph", "bitwise", "compat", "config", "data", "debugging", "distribute", "dtypes",
    "experimental", "image", "io", "keras", "linalg", "lookup", "math", "nest", "nn", "profiler", "quantization",
    "queue", "ragged", "random", "raw_ops", "saved_model", "sets", "signal", "sparse", "strings", "summary",
    "sysconfig", "test", "train", "types", "version",
}  # fmt: skip
# Names that Python modules define, by module. They are loaded when they are first used, too.
_DEFINED_IN = {
    "_compat_report": ("compat_report",),
    "_control": (
        "case", "cond", "control_dependencies", "custom_gradient", "device", "executing_eagerly", "foldl", "foldr",
        "get_current_name_scope", "get_logger", "grad_pass_through", "group", "init_scope", "inside_function",
        "is_symbolic_tensor", "map_fn", "name_scope", "no_op", "numpy_function", "print", "py_function",
        "recompute_grad", "scan", "switch_case", "vectorized_map", "while_loop",
    ),
    "_function": ("function",),
    "_initializers": ("constant_initializer",),
    "_module": ("Module",),
    "_more_arrays": (
        "bitcast", "edit_distance", "get_static_value", "identity_n", "meshgrid", "one_hot", "reverse_sequence",
        "strided_slice", "unique", "unique_with_counts", "unravel_index",
    ),
    "_graph.core": ("Operation",),
    "_index_shuffle": ("random_index_shuffle",),
    "_more_core": (
        "AggregationMethod", "guarantee_const", "no_gradient", "register_tensor_conversion_function",
        "required_space_to_batch_paddings", "CriticalSection", "DeviceSpec", "VariableAggregation",
        "VariableSynchronization", "extract_volume_patches", "fingerprint", "histogram_fixed_width_bins",
        "make_ndarray", "make_tensor_proto", "parallel_stack", "variable_creator_scope",
    ),
    "_more_nn": ("approx_top_k", "conv"),
    "_more_ragged": ("ragged_fill_empty_rows",),
    "_more_signal": ("fftnd", "ifftnd", "irfftnd", "rfftnd"),
    "_more_math": ("clip_by_global_norm", "saturate_cast", "scalar_mul", "timestamp"),
    "linalg": ("eig", "eigvals"),
    "_decompositions": ("matrix_square_root",),
    "_ragged": ("RaggedTensor",),
    "_sparse": ("SparseTensor",),
    "_spec": ("IndexedSlices", "TensorSpec", "TypeSpec", "UnconnectedGradients", "type_spec_from_value"),
    "_tensor_array": ("TensorArray",),
    "_type_specs": ("IndexedSlicesSpec", "NoneTensorSpec", "OptionalSpec", "TensorArraySpec"),
    "data._elements": ("RaggedTensorSpec", "SparseTensorSpec"),
    "debugging": ("Assert", "assert_equal", "assert_greater", "assert_less", "assert_rank"),
    "strings": ("as_string",),
}  # fmt: skip
# TensorFlow's other names for parts of Keras, and TensorFlow 1's for sessions.
_ALIASES = {
    "initializers": "keras.initializers", "losses": "keras.losses", "metrics": "keras.metrics",
    "optimizers": "keras.optimizers", "placeholder": "compat.v1", "Session": "compat.v1", "Graph": "compat.v1",
    "global_variables_initializer": "compat.v1", "gradients": "compat.v1", "hessians": "compat.v1",
}  # fmt: skip
# Initializers under the names that TensorFlow has for them.
_INITIALIZERS = {
    "ones_initializer": "Ones", "random_normal_initializer": "RandomNormal",
    "random_uniform_initializer": "RandomUniform", "zeros_initializer": "Zeros",
}  # fmt: skip
_HOMES = {name: module for module, names in _DEFINED_IN.items() for name in names}


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    if name in _SUBMODULES:
        return _load(f"brio.{name}")
    if name in _ALIASES:
        module = _load(f"brio.{_ALIASES[name]}")
        return getattr(module, name) if _ALIASES[name] == "compat.v1" else module
    if name in _HOMES:
        found = globals()[name] = getattr(_load(f"brio.{_HOMES[name]}"), name)
        return found
    if name in _INITIALIZERS:
        return getattr(_load("brio.keras.initializers"), _INITIALIZERS[name])
    if name in ("double", "half"):
        return as_dtype({"double": "float64", "half": "float16"}[name])  # noqa: F405
    if name == "tuple":
        from brio._control import tuple_

        return tuple_
    from brio._missing import explain

    raise AttributeError(explain(__name__, name))


def __dir__():
    return sorted(set(globals()) | _SUBMODULES | set(_HOMES) | set(_ALIASES) | set(_INITIALIZERS) | {"double", "half"})
