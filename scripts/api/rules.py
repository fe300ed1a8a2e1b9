"""Types of arguments and results where neither C++ nor the source of a function says them.

TensorFlow uses few names for arguments, always in one sense; so a name says the type. tests/python/test_types.py runs
mypy over the cases that pass, which would find a type that is too narrow."""

TENSORS = """
a b x y x1 x2 t input inputs value values tensor tensors input_tensor indices updates params ids data labels logits
features image images image1 image2 img1 img2 signals log_input targets predictions bias matrix rhs diagonal real imag
segment_ids condition img mean variance frequency_weights tensor1 tensor2 y_true y_pred sample_weight
coeffs base sequences mask masks lengths frame_length element source spectrograms stfts mel box_tensor on_value
off_value clip_value_min clip_value_max clip_norm ref weights start_indices target sorted_sequence boxes scores
box_indices contents serialized
""".split()
DTYPES = "dtype output_type out_type dtype_hint type type_value saturate_dtype dst_dtype".split()
SHAPES = "shape target_shape output_shape input_shape batch_shape noise_shape dense_shape".split()
AXES = "axis axes dim reduction_indices".split()
TYPES = {
    "name": "str",
    **dict.fromkeys(TENSORS, "_t.TensorLike"),
    **dict.fromkeys(DTYPES, "_t.DTypeLike"),
    **dict.fromkeys(SHAPES, "_t.ShapeLike"),
    **dict.fromkeys(AXES, "_t.Axis"),
}

# Arguments that mean something else than their name does elsewhere.
OPEN = {
    "tensordot.axes", "InputSpec.axes", "dct.type", "idct.type", "parse_example.features",
    "parse_example_dataset.features", "make_batched_features_dataset.features", "parse_single_example.features",
    "parse_single_sequence_example.features", "parse_sequence_example.features",
    "timeseries_dataset_from_array.targets", "is_tensor.x", "TensorSpec.shape", "TensorShape.dims", "__new__.dims",
    "convert_format.boxes", "clip_to_image_size.boxes",
}  # fmt: skip

# Modules of functions that give one tensor unless RESULTS says otherwise.
OF_TENSORS = """
brio._core brio._core._math brio._core._nn brio._core._linalg brio._core._image brio._core._bitwise brio._core._signal
brio._core._strings brio._core._random brio._core._losses brio._more_math brio._more_arrays brio.nn brio.math
brio.linalg brio.image brio.signal brio.strings brio.random brio.audio brio.keras.ops.numpy brio.keras.ops.nn
brio.keras.ops.math brio.keras.ops.core brio.keras.ops.linalg brio.keras.ops.image brio.keras.activations
brio.keras.random brio.keras.losses brio._core._metrics brio._core._io brio.io brio.experimental.numpy
brio.experimental.numpy._dtypes brio.experimental.numpy.random
""".split()
_PAIR, _LIST = "tuple[Tensor, Tensor]", "list[Tensor]"
# Functions of other results, by result; "Any" where it depends on the arguments.
_FUNCTIONS = {
    _PAIR: """brio._core._image.image_gradients brio._core._linalg.eigh brio._core._linalg.qr brio._core._linalg.slogdet
        brio._core._nn.moments brio.keras.ops.nn.moments brio.linalg.normalize brio.nn.normalize_moments
        brio.nn.weighted_moments brio.keras.ops.linalg.qr brio.keras.ops.linalg.eigh brio.keras.ops.math.fft
        brio.keras.ops.math.fft2 brio.keras.ops.math.rfft""",
    _LIST: """brio._core.dynamic_partition brio._core.shape_n brio._core.split brio._core.unstack
        brio._more_arrays.identity_n brio._more_arrays.meshgrid brio.keras.ops.core.unstack
        brio.keras.ops.numpy.meshgrid brio.keras.ops.numpy.split brio.experimental.numpy.split brio.io.decode_csv""",
    "tuple[list[Tensor], Tensor]": "brio._more_math.clip_by_global_norm",
    "tuple[Tensor, ...]": "brio.keras.ops.numpy.nonzero",
    "tuple[Any, ...]": "brio.keras.ops.core.shape brio.experimental.numpy.shape",
    "None": """brio._core._random.set_seed brio.random.set_global_generator brio._core._io.write_file
        brio.experimental.numpy.random.seed""",
    "DType": "brio._core.as_dtype brio.experimental.numpy.result_type",
    "TensorShape": "brio._core.broadcast_static_shape",
    "bool": "brio._core.is_tensor brio.keras.ops.core.is_tensor",
    "int": "brio.keras.ops.numpy.ndim brio.experimental.numpy.ndim brio.experimental.numpy.size",
    "str": "brio.keras.ops.core.dtype",
    "np.ndarray[Any, Any]": "brio.keras.ops.core.convert_to_numpy",
    "KerasTensor": "brio.keras.layers.Input",
    "Generator": "brio.random.get_global_generator",
    "Any": """brio._more_arrays.get_static_value brio._more_arrays.unique brio._more_arrays.unique_with_counts
        brio._more_math.top_k brio.audio.decode_wav brio.image.combined_non_max_suppression brio.nn.ctc_greedy_decoder
        brio.keras.activations.deserialize brio.keras.activations.get brio.keras.activations.serialize
        brio.keras.losses.deserialize brio.keras.losses.get brio.keras.losses.serialize brio.keras.ops.core.cond
        brio.keras.ops.core.scan brio.keras.ops.core.map brio.keras.ops.core.while_loop brio.keras.ops.core.fori_loop
        brio.keras.ops.core.vectorized_map brio.keras.ops.core.switch brio.keras.ops.core.custom_gradient
        brio.keras.ops.core.associative_scan brio.keras.ops.math.top_k brio.keras.ops.numpy.where
        brio.keras.ops.numpy.unique brio.keras.ops.linalg.svd brio.linalg.svd brio.nn.sufficient_statistics
        brio.signal.inverse_stft_window_fn brio.strings.bytes_split brio.strings.ngrams brio.strings.split
        brio.strings.unicode_decode brio.strings.unicode_split brio.experimental.numpy.where
        brio.experimental.numpy.linspace""",
}
# Classes to whose objects programs add attributes: module.f = tf.function(...).
OF_ANY_ATTRIBUTES = ("Checkpoint", "Module")
RESULTS = {
    "Tensor.__getitem__": "Tensor",
    "Tensor.__iter__": "collections.abc.Iterator[Tensor]",
    "Variable.__getitem__": "Any",  # a tensor that can be assigned to
    "Variable.__iter__": "collections.abc.Iterator[Tensor]",
    "Variable.value": "Tensor",
    "Variable.read_value": "Tensor",
    "Variable.initialized_value": "Tensor",
    "Variable.assign": "Variable",
    "Variable.assign_add": "Variable",
    "Variable.assign_sub": "Variable",
    "KerasTensor.__getitem__": "KerasTensor",
    "GradientTape.__enter__": "GradientTape",
    "Dataset.as_numpy_iterator": "collections.abc.Iterator[Any]",
    "Dataset.cardinality": "Tensor",
    "Dataset.element_spec": "Any",
    "Dataset.explain": "str",
    "Dataset.get_single_element": "Any",
    "Dataset.options": "Any",
    "Dataset.reduce": "Any",
    "Dataset.apply": "Any",
    "Dataset.__iter__": "Any",  # an iterator with methods of TensorFlow's: get_next(), get_next_as_optional()
    "Layer.add_weight": "Variable",
    "Layer.build": "None",
    "Layer.call": "Any",
    "Layer.count_params": "int",
    "Layer.get_weights": "list[Any]",
    "Layer.weights": "list[Variable]",
    "Layer.variables": "list[Variable]",
    "Layer.trainable_weights": "list[Variable]",
    "Layer.trainable_variables": "list[Variable]",
    "Layer.non_trainable_weights": "list[Variable]",
    "Layer.non_trainable_variables": "list[Variable]",
}
RESULTS.update({name: result for result, names in _FUNCTIONS.items() for name in names.split()})
# Classes whose methods give others of their kind.
OF_CLASSES = {"Dataset": "Dataset", "Sources": "brio.data._dataset.Dataset"}

# Methods and properties that mean one thing wherever they are.
OF_METHODS = {
    "numpy": "Any",
    "get_shape": "TensorShape",
    "get_config": "dict[str, Any]",
    "__init__": "None",
    "__len__": "int",
    "__bool__": "bool",
    "__float__": "float",
    "__int__": "int",
    "__index__": "int",
    "__hash__": "int",
    "__contains__": "bool",
    "__exit__": "None",
}
PROPERTIES = {
    "shape": "TensorShape",
    "dtype": "Any",
    "ndim": "int",
    "name": "str",
    "path": "str",
    "device": "str",
    "trainable": "bool",
    "built": "bool",
}
# Methods that classes of users' write with arguments of their own: a type checker is told nothing that it could hold
# against them.
OVERRIDDEN = {"build", "call", "train_step", "test_step", "predict_step", "update_state"}
# Attributes that are not assigned as such.
ATTRIBUTES = {"Trainer": ["optimizer", "loss", "stop_training", "history"], "Layer": ["input_spec"]}
# Plain C functions without a signature.
UNTOLD = {"__enter__": "(self) -> Any", "__exit__": "(self, *exception: Any) -> None"}
