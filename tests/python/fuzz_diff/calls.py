"""Random calls, by seed. What may be called is found by walking the packages, and what to pass by the names of parameters.

A call is one Python expression over tf, keras, np and the helpers of values.py. TensorFlow says which are valid: of several
tries the first that it takes is kept, and now and then one that it refuses, so that both sides' exceptions are compared."""

import inspect
import random
import re

from fuzz_diff.values import COMPLEX, FLOATS, INTEGERS

# Modules whose functions are ops: arguments are tensors and plain values.
OP_MODULES = ("tf", "tf.math", "tf.linalg", "tf.nn", "tf.image", "tf.strings", "tf.signal", "tf.bitwise", "tf.sets", "tf.dtypes", "keras.ops",
              "keras.ops.image", "keras.activations", "keras.utils")  # fmt: skip
CLASS_MODULES = (
    "keras.layers",
    "keras.losses",
    "keras.metrics",
    "keras.optimizers",
    "keras.optimizers.schedules",
    "keras.regularizers",
    "keras.constraints",
)
# What draws at random, writes, reads files, takes functions, or is no computation.
SKIPPED = set("""
    print py_function numpy_function function custom_gradient recompute_grad stop_gradient while_loop cond case switch_case map_fn vectorized_map foldl foldr scan
    name_scope device init_scope control_dependencies group no_op identity_n load_library load_op_library executing_eagerly is_tensor timestamp
    variable_creator_scope compat_report Assert assert_equal assert_greater assert_less assert_rank fori_loop map associative_scan switch is_symbolic_tensor
    get_logger grad_pass_through gradients hessians inside_function register_tensor_conversion_function type_spec_from_value make_tensor_proto make_ndarray
    dropout experimental_dropout alpha_dropout fractional_max_pool fractional_avg_pool nce_loss sampled_softmax_loss all_candidate_sampler
    compute_accidental_hits fixed_unigram_candidate_sampler learned_unigram_candidate_sampler log_uniform_candidate_sampler uniform_candidate_sampler
    random_brightness random_contrast random_crop random_flip_left_right random_flip_up_down random_hue random_jpeg_quality random_saturation
    stateless_random_brightness stateless_random_contrast stateless_random_crop stateless_random_flip_left_right stateless_random_flip_up_down
    stateless_random_hue stateless_random_jpeg_quality stateless_random_saturation stateless_sample_distorted_bounding_box sample_distorted_bounding_box
    decode_image decode_jpeg decode_png decode_gif decode_bmp decode_and_crop_jpeg encode_jpeg encode_png extract_jpeg_shape is_jpeg adjust_jpeg_quality
    generate_checkerboard audio_dataset_from_directory image_dataset_from_directory text_dataset_from_directory get_file get_source_inputs plot_model
    model_to_dot save_img load_img array_to_img img_to_array set_random_seed enable_interactive_logging disable_interactive_logging
    is_interactive_logging_enabled register_keras_serializable deserialize_keras_object serialize_keras_object get_registered_name get_registered_object
    split_dataset timeseries_dataset_from_array pack_x_y_sample_weight unpack_x_y_sample_weight clear_session standardize_dtype
    get deserialize serialize empty empty_like parallel_stack is_keras_tensor convert_to_numpy view_as_real unique_name custom_object_scope
    get_custom_objects type_as shape_v2 ensure_shape guarantee_const audio draw_bounding_boxes constant_initializer load_image saved_model
    legacy_global reshape_like default is_backend backend_version print_msg Progbar
""".split())  # fmt: skip
SKIPPED_CLASSES = set("""
    Layer InputLayer InputSpec Wrapper RNN StackedRNNCells AbstractRNN Lambda TFSMLayer FlaxLayer JaxLayer TorchModuleWrapper HashedCrossing Hashing
    Loss Metric Optimizer LearningRateSchedule Regularizer Constraint Mean Sum MeanMetricWrapper LossScaleOptimizer MultiOptimizer
    StringLookup IntegerLookup TextVectorization Normalization Discretization CategoryEncoding Dropout AlphaDropout GaussianNoise GaussianDropout
    SpatialDropout1D SpatialDropout2D SpatialDropout3D ActivityRegularization MelSpectrogram STFTSpectrogram Pipeline RandAugment AugMix CutMix MixUp
    MaxNumBoundingBoxes AutoContrast Equalization Solarization Masking SpectralNormalization EinsumDense Embedding
""".split())  # fmt: skip

SMALL = (
    (),
    (1,),
    (2,),
    (3,),
    (4,),
    (5,),
    (2, 3),
    (3, 2),
    (3, 3),
    (4, 4),
    (1, 3),
    (2, 3, 4),
    (2, 2, 2),
    (1, 4, 4, 3),
    (2, 5, 6, 3),
    (2, 4, 4, 1),
    (2, 1, 3, 2, 2),
    (0,),
    (2, 0),
)
REAL = (
    (1000,),
    (128, 64),
    (64, 300),
    (16, 28, 28, 1),
    (4, 32, 32, 3),
    (20000,),
    (32, 1000),
    (16, 50, 32),
    (224, 96, 3),
    (2, 64, 48, 4),
)


class Draw:
    """The choices of one call: a shape and a dtype that its tensors share, and the arguments that names ask for."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.count = seed * 13
        self.restart()

    def restart(self):
        r = self.rng
        self.shape = r.choice(SMALL) if r.random() < 0.8 else r.choice(REAL)
        group = r.random()
        self.dtype = (
            r.choice(FLOATS)
            if group < 0.62
            else r.choice(INTEGERS)
            if group < 0.9
            else r.choice(COMPLEX)
            if group < 0.95
            else "bool"
        )
        self.kind = r.choices(("plain", "unit", "extreme", "whole", "spd", "sorted"), (10, 3, 2, 2, 2, 1))[0]
        self.given = 0

    def data(self, shape=None, dtype=None, kind=None, form=None):
        shape = self.shape if shape is None else tuple(shape)
        dtype = dtype or self.dtype
        self.count += 1
        kind = kind or self.kind
        if kind == "spd" and len(shape) < 2:
            kind = "plain"
        form = form or self.rng.choices("TNV", (10, 2, 1))[0]
        form = "T" if dtype in ("bfloat16", "string") else form
        return f"{form}({shape}, {dtype!r}, {self.count % 9973}{'' if kind == 'plain' else ', ' + repr(kind)})"

    def tensor(self):
        """One of the operands: behind the first, perhaps one that is to be broadcast."""
        self.given += 1
        shape = list(self.shape)
        if self.given > 1 and shape and self.rng.random() < 0.3:
            how = self.rng.random()
            if how < 0.4:
                shape = shape[self.rng.randrange(len(shape) + 1) :]
            elif how < 0.8:
                shape[self.rng.randrange(len(shape))] = 1
            else:
                return repr(self.rng.choice((1, 2, 0, -1, 0.5, 2.0)))
        return self.data(shape)

    def axis(self):
        rank = len(self.shape)
        return self.rng.randrange(-rank, rank) if rank else 0

    def axes(self):
        rank = len(self.shape)
        how = self.rng.random()
        if how < 0.3 or not rank:
            return None
        if how < 0.7:
            return self.axis()
        return self.rng.sample(range(rank), self.rng.randint(1, rank))

    def integers(self, n, low, high):
        return [self.rng.randint(low, high) for _ in range(n)]

    def anew(self):
        """Another shape of as many elements."""
        total = 1
        for n in self.shape:
            total *= n
        options = [[-1], [total], [1, -1], list(self.shape)[::-1], [-1, self.shape[-1] if self.shape else 1]]
        options += [[n, total // n] for n in (2, 3, 4, 5) if total and total % n == 0]
        return self.rng.choice(options)


def _int(low, high):
    return lambda d: d.rng.randint(low, high)


def _float(low, high):
    return lambda d: round(d.rng.uniform(low, high), 3)


def _of(*options):
    return lambda d: d.rng.choice(options)


def _bool(d):
    return d.rng.random() < 0.5


class Source(str):
    """Code, as opposed to a value that is to be shown."""


def _t(**how):
    return lambda d: Source(d.data(**{k: v(d) if callable(v) else v for k, v in how.items()}))


def _ids(d):
    return Source(d.data(shape=d.shape[:1], dtype=d.rng.choice(("int32", "int64")), kind="whole"))


def _sorted_ids(d):
    n = d.shape[0] if d.shape else 1
    return Source(
        f"np.array({sorted(d.integers(min(n, 50), 0, 3)) if n <= 50 else [i // 7 for i in range(n)]}, 'int32')"
    )


def _indices(d):
    n = d.shape[0] if d.shape else 1
    return Source(
        f"np.array({d.integers(d.rng.randint(1, 4), 0, max(n - 1, 0))}, {d.rng.choice(('int32', 'int64'))!r})"
    )


def _window(d):
    axes = max(1, len(d.shape) - 2)
    return d.rng.choice((1, 2, 3, [2] * axes, [1, *d.integers(axes, 1, 2), 1], d.integers(axes, 1, 3)))


NUMERIC_DTYPES = ("float32", "float64", "float16", "int32", "int64", "uint8", "int8", "int16", "bool", "complex64")
ACTIVATIONS = (
    None,
    "relu",
    "tanh",
    "sigmoid",
    "elu",
    "softmax",
    "gelu",
    "swish",
    "softplus",
    "linear",
    "leaky_relu",
    "hard_sigmoid",
    "mish",
    "selu",
)
# What a parameter of this name is given, whatever the function.
BY_NAME = {
    "axis": lambda d: d.axes() if d.rng.random() < 0.5 else d.axis(), "axes": lambda d: d.axes(), "axis1": lambda d: d.axis(), "axis2": lambda d: d.axis(),
    "keepdims": _bool, "keep_dims": _bool, "dtype": _of(*NUMERIC_DTYPES), "out_type": _of("int32", "int64", "float32"), "output_type": _of("int32", "int64"),
    "type": _of(*NUMERIC_DTYPES), "Tout": _of("complex64", "float32"), "shape": lambda d: d.anew(), "newshape": lambda d: d.anew(), "perm": lambda d: d.rng.sample(range(len(d.shape)), len(d.shape)),
    "num_or_size_splits": lambda d: d.rng.choice((1, 2, 3, 4)), "indices_or_sections": lambda d: d.rng.choice((1, 2, [1], [1, 2])), "multiples": lambda d: d.integers(len(d.shape), 1, 3),
    "repeats": lambda d: d.rng.choice((1, 2, 3, d.integers(max(len(d.shape), 1), 1, 3))), "paddings": lambda d: [d.integers(2, 0, 2) for _ in d.shape], "pad_width": lambda d: d.rng.choice((1, 2, [d.integers(2, 0, 2) for _ in d.shape])),
    "mode": _of("constant", "CONSTANT", "REFLECT", "SYMMETRIC", "reflect", "symmetric"), "constant_values": _int(0, 3), "begin": lambda d: [d.rng.randrange(n) if n else 0 for n in d.shape],
    "size": lambda d: d.rng.choice((d.integers(len(d.shape), 1, 2), [5, 7], (3, 4), [-1] * len(d.shape))), "strides": _window, "ksize": _window, "window_shape": _window, "pool_size": _window, "pooling_type": _of("MAX", "AVG"), "output_size": _of(1, 2, 3), "num_tokens": _of(2,),
    "padding": _of("valid", "same", "VALID", "SAME"), "data_format": _of(None, None, "channels_first"), "dilations": _of(None, 1), "dilation_rate": _of(1, 1, 2), "depth": _int(1, 6), "num_classes": _int(4, 6), "k": _int(0, 3), "name": lambda d: None,
    "seed": _int(1, 9), "condition": _t(dtype="bool"), "mask": _t(dtype="bool"), "pred": _bool, "indices": _indices, "segment_ids": _sorted_ids, "num_segments": _int(4, 5), "batch_dims": lambda d: 0, "on_value": _int(1, 3), "off_value": _int(0, 1),
    "exclusive": _bool, "reverse": _bool, "shift": _int(-4, 4), "direction": _of("ASCENDING", "DESCENDING"), "stable": _bool, "values": lambda d: Source(f"[{d.tensor()}, {d.tensor()}]") if d.rng.random() < 0.5 else Source(d.tensor()), "xs": lambda d: Source(f"[{d.tensor()}, {d.tensor()}]"),
    "arrays": lambda d: Source(f"[{d.tensor()}, {d.tensor()}]"), "side": _of("left", "right"), "clip_value_min": _float(-2, 0), "clip_value_max": _float(0, 3), "x_min": _float(-2, 0), "x_max": _float(0, 3), "clip_norm": _float(0.1, 4), "decimals": _int(0, 2),
    "transpose_a": _bool, "transpose_b": _bool, "adjoint_a": _bool, "adjoint_b": _bool, "adjoint": _bool, "upper": _bool, "lower": _bool, "full_matrices": _bool, "compute_uv": _bool, "ord": _of("euclidean", 1, 2, float("inf"), None, "fro", 3), "order": _of(1, 2, 3), "num_lower": _int(-1, 2), "num_upper": _int(-1, 2),
    "diagonal": lambda d: Source(d.data(shape=(*d.shape[:-2], min(d.shape[-2:])) if len(d.shape) > 1 else d.shape)), "offset": _int(-1, 1), "num_rows": _int(1, 4), "num_columns": _int(1, 4), "equation": _of("ij,jk->ik", "...i,...i->...", "ij->ji", "ii->i", "ij,ij->", "bij,bjk->bik", "i,j->ij"), "subscripts": _of("ij,jk->ik", "...i,...i->...", "ij->ji", "ij,ij->", "bij,bjk->bik", "i,j->ij"),
    "epsilon": _of(1e-3, 1e-6, 0.1), "alpha": _float(0.1, 2), "negative_slope": _float(0.01, 0.5), "max_value": _of(None, 6.0, 1.0), "threshold": _float(0, 1), "approximate": _bool, "beta": _float(0.1, 2), "b": lambda d: Source(d.tensor()), "delta": _float(0.1, 1), "gamma": _float(0.5, 2), "gain": _float(0.5, 2),
    "from_logits": _bool, "label_smoothing": _of(0.0, 0.1), "ignore_class": _of(None, 0, -1), "num_bits": _int(4, 8), "narrow_range": _bool, "bandwidth": _int(1, 2), "depth_radius": _int(1, 3), "bias": lambda d: Source(d.data(shape=d.shape[-1:])), "lambd": _float(0, 1), "factor": _of(0.5, 1.5), "minlength": _int(0, 8), "maxlength": _of(None, 3, 20),
    "value_range": _of([-3.0, 3.0], [0.0, 5.0]), "nbins": _int(2, 9), "bins": _of(5, 8), "range": _of(None, (-2, 2)), "weights": _t(dtype="float32"), "sorted": _bool, "method": _of("bilinear", "nearest", "bicubic", "area", "linear"), "interpolation": _of("bilinear", "nearest"), "antialias": _bool, "preserve_aspect_ratio": _bool, "sizes": _window, "rates": _of([1, 1, 1, 1]),
    "target_height": _int(2, 9), "target_width": _int(2, 9), "offset_height": _int(0, 2), "offset_width": _int(0, 2), "central_fraction": _of(0.5, 0.9, 1.0), "contrast_factor": _float(0.2, 2), "saturation_factor": _float(0.2, 2), "max_val": _of(1.0, 255.0), "filter_size": _of(3, 5), "filter_sigma": _of(1.5,), "block_size": _of(1, 2), "block_shape": _of([2], [2, 2], [1]), "crops": _of([[0, 0]], [[0, 0], [0, 0]]),
    "frame_length": _int(2, 6), "frame_step": _int(1, 4), "fft_length": _of(None, [8], 8), "window_length": _int(1, 9), "periodic": _bool, "norm": _of(None, "ortho"), "num": _int(1, 6), "start": _int(0, 3), "stop": _int(4, 9), "limit": _int(4, 9), "step": _int(1, 3), "endpoint": _bool, "indexing": _of("xy", "ij"), "N": _int(1, 5), "M": _of(None, 3), "n": _int(1, 4), "fill_value": _of(0, 1, 2.5, -3), "dims": lambda d: list(d.shape),
    "source": lambda d: d.axis(), "destination": lambda d: d.axis(), "x_max_value": _int(1, 3), "nan": _of(0.0, 1.0), "posinf": _of(None, 9.0), "neginf": _of(None, -9.0), "rtol": _of(1e-5, 0.1), "atol": _of(1e-8, 0.5), "equal_nan": _bool, "q": _of(0.5, [0.1, 0.9], 0.25), "minimum": _int(0, 2), "lengths": _t(dtype="int32", kind="whole"), "maxlen": _of(None, 5), "row_lengths": _t(dtype="int32", kind="whole"),
    "pattern": _of("a", "[a-z]+", "l+", "^.*$", r"\d"), "rewrite": _of("", "X", r"<\0>"), "sep": _of(None, ",", " "), "separator": _of("", "-"), "encoding": _of("", "utf-8"), "input_encoding": _of("UTF-8",), "output_encoding": _of("UTF-8",), "unit": _of("BYTE", "UTF8_CHAR"), "pos": _int(0, 2), "len": _int(1, 3), "ngram_width": _int(1, 2), "num_buckets": _int(2, 9), "key": _of([1, 2],), "precision": _of(-1, 2), "scientific": _bool, "width": _of(-1, 6), "fill": _of("",),
    "predictions": _t(kind="probable", dtype="float32"), "targets": _ids, "y_true": lambda d: Source(d.data(kind=d.rng.choice(("plain", "unit", "onehot", "whole")))), "y_pred": lambda d: Source(d.data(kind=d.rng.choice(("plain", "unit", "probable")), dtype="float32")), "labels": lambda d: Source(d.data(kind=d.rng.choice(("unit", "onehot", "probable")))), "logits": lambda d: Source(d.data()),
    "filters": lambda d: Source(d.data(shape=_kernel(d), kind="plain")), "kernel": lambda d: Source(d.data(shape=_kernel(d), kind="plain")), "filter": lambda d: Source(d.data(shape=_kernel(d), kind="plain")), "lower_freq": _of(20.0,), "mean": _t(shape=lambda d: d.shape[-1:]), "variance": _t(shape=lambda d: d.shape[-1:], kind="unit"), "scale": lambda d: None, "sample_weight": lambda d: None,
    "tensor1": lambda d: Source(d.tensor()), "a_is_sparse": lambda d: False, "b_is_sparse": lambda d: False, "rank": _int(1, 3), "sequence_length": _int(1, 3), "sequence_stride": _int(1, 2), "boundaries": _of([0.0, 1.0], [-1.0, 0.5, 2.0]), "validate_indices": lambda d: True, "sparse": lambda d: False, "ragged": lambda d: False, "align": _of("LEFT_RIGHT", "RIGHT_LEFT"), "padding_value": _int(0, 2), "rcond": lambda d: None, "fast": lambda d: True, "l2_regularizer": lambda d: 0.0,
    "start_indices": lambda d: [0] * len(d.shape), "updates": lambda d: Source(d.data(shape=d.shape[1:])), "top_cropping": _int(0, 1), "left_cropping": _int(0, 1), "bottom_cropping": _int(0, 1), "right_cropping": _int(0, 1), "top_padding": _int(0, 2), "left_padding": _int(0, 2), "bottom_padding": _int(0, 2), "right_padding": _int(0, 2), "num_elements": _int(1, 4), "sorted_sequence": _t(kind="sorted"), "edges": _t(kind="sorted", shape=lambda d: (4,)), "sampling_rate": _of(1,), "to": _int(1, 2), "value": lambda d: Source(d.tensor()),
}  # fmt: skip


def _kernel(d):
    """The shape of a convolution's kernel for an input of this shape."""
    channels = d.shape[-1] if d.shape else 1
    spatial = max(1, len(d.shape) - 2)
    return (*d.integers(spatial, 1, 3), channels, d.rng.choice((1, 2, 4)))


STRINGY = ("tf.strings.",)


def _arguments(d, parameters, table=BY_NAME, known=0.4):
    """Source of arguments for parameters, by name."""
    made = []
    for name, p in parameters:
        optional = p.default is not inspect.Parameter.empty
        if p.kind is p.VAR_KEYWORD or (optional and d.rng.random() > known):
            continue
        if p.kind is p.VAR_POSITIONAL:
            made += [d.tensor() for _ in range(d.rng.randint(1, 2))]
            continue
        if name in table:
            value = table[name](d)
            if value is None and (optional or name == "name"):
                continue
        elif optional:
            if isinstance(p.default, bool):
                value = _bool(d)
            elif isinstance(p.default, int):
                value = d.rng.choice((p.default, d.rng.randint(0, 3)))
            elif isinstance(p.default, float):
                value = d.rng.choice((p.default, round(d.rng.uniform(0, 1), 3)))
            else:
                continue
        else:
            value = Source(d.tensor())
        shown = (
            value
            if isinstance(value, Source)
            else f"float({str(value)!r})"
            if isinstance(value, float) and value in (float("inf"), float("-inf"))
            else repr(value)
        )
        if optional or (table is not BY_NAME and not isinstance(value, Source)):
            made.append(f"{name}={shown}")
        elif any("=" in m.split("(")[0] for m in made):
            made.append(f"{name}={shown}")
        else:
            made.append(shown)
    return ", ".join(made)


# What a name tells of the first tensor.
RANKS = {
    "1d": ((2, 5, 3), (2, 40, 8)),
    "2d": ((1, 4, 4, 3), (2, 6, 5, 2), (4, 32, 32, 3)),
    "3d": ((1, 4, 4, 3, 2), (2, 4, 5, 4, 1)),
}
PICTURES = ((4, 4, 3), (2, 5, 6, 3), (1, 8, 9, 1), (64, 48, 3))
MATRICES = ((3, 3), (2, 4, 4), (5, 3), (2, 3, 5), (40, 40))


def _hint(d, name):
    short = name.rpartition(".")[2].lower()
    rank = next((r for r in RANKS if short.endswith(r) or f"{r}_" in short), None)
    if d.rng.random() < 0.1:
        return
    if rank and "fft" not in short:
        d.shape = d.rng.choice(RANKS[rank])
    elif ".image." in name:
        d.shape = d.rng.choice(PICTURES)
        d.dtype = d.rng.choice(("float32", "uint8", "float32", "float64"))
        d.kind = "unit" if d.dtype != "uint8" else "plain"
    elif ".linalg." in name and len(d.shape) < 2:
        d.shape = d.rng.choice(MATRICES)
    elif "fft" in short and d.rng.random() < 0.7:
        d.dtype = "float32" if short.startswith("rfft") else "complex64"


def _float_dtype(d):
    return d.rng.choice(("float32", "float32", "float64"))


def _scatter(name):
    def call(d):
        rows, width, n = d.rng.choice((3, 6, 200)), d.rng.choice(((), (2,), (2, 3))), d.rng.randint(1, 4)
        dtype = d.rng.choice(("float32", "int32", "float64", "int64"))
        where = f"np.array({[[i] for i in d.rng.sample(range(rows), min(n, rows))]})"
        updates = d.data((min(n, rows), *width), dtype, "plain", "T")
        if name.endswith(("scatter_nd", "scatter")):
            return f"{name}({where}, {updates}, {[rows, *width]})"
        return f"{name}({d.data((rows, *width), dtype, 'plain', 'T')}, {where}, {updates})"

    return call


def _transposed(name, axes):
    def call(d):
        kernel, stride, low, high = (
            d.integers(axes, 1, 3),
            d.rng.randint(1, 2),
            d.rng.randint(1, 3),
            d.rng.randint(1, 3),
        )
        sizes, padding, dtype = d.integers(axes, 2, 5), d.rng.choice(("SAME", "VALID")), _float_dtype(d)
        out = [n * stride if padding == "SAME" else (n - 1) * stride + k for n, k in zip(sizes, kernel)]
        return f"{name}({d.data((2, *sizes, low), dtype, 'plain', 'T')}, {d.data((*kernel, high, low), dtype, 'plain', 'T')}, {[2, *out, high]}, {stride}, {padding!r})"

    return call


def _lists(name, **more):
    return lambda d: (
        f"{name}([{', '.join(d.data((2, 3), 'float32', 'plain', 'T') for _ in range(3))}]{''.join(', ' + str(v) for v in more.values())})"
    )


def _convolved(name):
    def call(d):
        dtype, size, low = _float_dtype(d), d.rng.choice(((5, 6), (28, 28), (4, 9))), d.rng.randint(1, 3)
        x, kernel = d.data((2, *size, low), dtype, "plain", "T"), d.data((2, 3, low, 2), dtype, "plain", "T")
        padding, s = d.rng.choice(("'SAME'", "'VALID'")), d.rng.randint(1, 2)
        if "separable" in name:
            return f"{name}({x}, {kernel}, {d.data((1, 1, 2 * low, 3), dtype, 'plain', 'T')}, strides=[1, {s}, {s}, 1], padding={padding})"
        return f"{name}({x}, {kernel}, {f'rate={s}' if 'atrous' in name else f'strides=[1, {s}, {s}, 1]'}, padding={padding})"

    return call


def _boxes(d, n):
    return f"np.sort(N(({n}, 2, 2), 'float32', {d.rng.randint(0, 999)}, 'unit'), axis=1).reshape({n}, 4)"


# Functions whose arguments hang together more closely than names tell.
BY_FUNCTION = {
    **{n: _scatter(n) for n in ("tf.scatter_nd", "keras.ops.scatter", "tf.tensor_scatter_nd_update", "tf.tensor_scatter_nd_add", "tf.tensor_scatter_nd_sub",
                                "tf.tensor_scatter_nd_max", "tf.tensor_scatter_nd_min", "keras.ops.scatter_update")},
    **{n: _transposed(n, a) for n, a in (("tf.nn.conv1d_transpose", 1), ("tf.nn.conv2d_transpose", 2), ("tf.nn.conv3d_transpose", 3), ("tf.nn.conv_transpose", 2))},
    **{n: _convolved(n) for n in ("tf.nn.atrous_conv2d", "tf.nn.separable_conv2d", "tf.nn.depthwise_conv2d")},
    "tf.clip_by_global_norm": _lists("tf.clip_by_global_norm", norm=1.5), "tf.linalg.global_norm": _lists("tf.linalg.global_norm"), "tf.math.accumulate_n": _lists("tf.math.accumulate_n"), "tf.shape_n": _lists("tf.shape_n"),
    "tf.math.polyval": _lists("tf.math.polyval", x=2.0), "keras.ops.fft": lambda d: f"keras.ops.fft(({d.data((2, 8), 'float32', 'plain', 'T')}, {d.data((2, 8), 'float32', 'plain', 'T')}))",
    "keras.ops.fft2": lambda d: f"keras.ops.fft2(({d.data((2, 4, 8), 'float32', 'plain', 'T')}, {d.data((2, 4, 8), 'float32', 'plain', 'T')}))",
    "keras.ops.digitize": lambda d: f"keras.ops.digitize({d.data(kind='plain', form='T')}, np.array([-1.0, 0.0, 2.5]))",
    "keras.ops.cholesky": lambda d: f"keras.ops.cholesky({d.data(d.rng.choice(((3, 3), (2, 4, 4), (120, 120))), _float_dtype(d), 'spd', 'T')}, upper={_bool(d)})",
    "tf.linalg.cholesky": lambda d: f"tf.linalg.cholesky({d.data(d.rng.choice(((3, 3), (2, 4, 4), (120, 120))), _float_dtype(d), 'spd', 'T')})",
    "keras.ops.dot_product_attention": lambda d: f"keras.ops.dot_product_attention({', '.join(d.data((2, 5, 2, 4), 'float32', 'plain', 'T') for _ in range(3))}, is_causal={_bool(d)})",
    "keras.ops.select": lambda d: f"keras.ops.select([{d.data((3, 2), 'bool', 'plain', 'T')}, {d.data((3, 2), 'bool', 'plain', 'T')}], [{d.data((3, 2), d.dtype, 'plain', 'T')}, {d.data((3, 2), d.dtype, 'plain', 'T')}], 1)",
    "keras.ops.slice_update": lambda d: f"keras.ops.slice_update({d.data((5, 6), 'float32', 'plain', 'T')}, [1, {d.rng.randint(0, 3)}], {d.data((2, 3), 'float32', 'plain', 'T')})",
    "tf.broadcast_static_shape": lambda d: f"tf.broadcast_static_shape(tf.TensorShape({d.rng.choice(([1, 3], [2, 1], [None, 3]))}), tf.TensorShape({d.rng.choice(([3], [2, 3], [1, 1]))}))",
    "tf.dynamic_stitch": lambda d: f"tf.dynamic_stitch([[0, 2], [1, 3]], [{d.data((2, 3), 'float32', 'plain', 'T')}, {d.data((2, 3), 'float32', 'plain', 'T')}])",
    "tf.image.crop_and_resize": lambda d: f"tf.image.crop_and_resize({d.data((2, 6, 7, 3), d.rng.choice(('float32', 'uint8')), 'plain', 'T')}, {_boxes(d, 3)}, [0, 1, 1], [{d.rng.randint(1, 4)}, 5], method={d.rng.choice(('bilinear', 'nearest'))!r})",
    "tf.image.non_max_suppression": lambda d: f"tf.image.non_max_suppression({_boxes(d, 12)}, N((12,), 'float32', {d.rng.randint(0, 999)}, 'unit'), {d.rng.randint(1, 12)}, iou_threshold={d.rng.choice((0.2, 0.5))})",
    "tf.reverse_sequence": lambda d: f"tf.reverse_sequence({d.data((3, 4, 2), 'float32', 'plain', 'T')}, {d.integers(3, 0, 4)}, seq_axis=1, batch_axis=0)",
    "tf.nn.sparse_softmax_cross_entropy_with_logits": lambda d: f"tf.nn.sparse_softmax_cross_entropy_with_logits({d.data((5,), 'int32', 'whole', 'T')}, {d.data((5, 4), _float_dtype(d), 'plain', 'T')})",
    "tf.nn.log_poisson_loss": lambda d: f"tf.nn.log_poisson_loss({d.data((5, 4), 'float32', 'unit', 'T')}, {d.data((5, 4), 'float32', 'plain', 'T')}, compute_full_loss={_bool(d)})",
    "tf.nn.ctc_greedy_decoder": lambda d: f"tf.nn.ctc_greedy_decoder({d.data((5, 2, 4), 'float32', 'plain', 'T')}, [5, 4])",
    "tf.space_to_batch": lambda d: f"tf.space_to_batch({d.data((2, 4, 6, 1), 'float32', 'plain', 'T')}, [2, 2], [[0, 0], [{d.rng.choice((0, 2))}, 0]])",
    "tf.space_to_batch_nd": lambda d: f"tf.space_to_batch_nd({d.data((2, 4, 6, 1), 'float32', 'plain', 'T')}, [2, 2], [[0, 0], [{d.rng.choice((0, 2))}, 0]])",
    "tf.strings.format": lambda d: f"tf.strings.format('a {{}} b', {d.data((3,), d.rng.choice(('int32', 'float32')), 'whole', 'T')})",
    "tf.strings.unicode_encode": lambda d: "tf.strings.unicode_encode(tf.constant([[72, 196], [105, 26085]]), 'UTF-8')",
    "tf.linalg.tensor_diag_part": lambda d: f"tf.linalg.tensor_diag_part({d.data(d.rng.choice(((3, 3), (2, 3, 2, 3))), 'float32', 'plain', 'T')})",
    "keras.losses.CTC": lambda d: f"keras.losses.CTC()(tf.constant([[1, 2], [2, 1]]), {d.data((2, 6, 4), 'float32', 'plain', 'T')})",
}  # fmt: skip


def _of_its_tensor(call):
    """A call of one tensor as a function, and the tensor: "lambda x: f(x, 2), T(…)"."""
    tensor = re.search(r"T\(\([^()]*\)[^()]*\)", call)[0]
    return f"lambda x: {call.replace(tensor, 'x')}, {tensor}"


def _op(name, f):
    if name in BY_FUNCTION:
        return BY_FUNCTION[name]
    parameters = list(inspect.signature(f).parameters.items())
    stringy = name.startswith(STRINGY)

    def call(d):
        if stringy and d.rng.random() < 0.85:
            d.dtype, d.shape = "string", d.rng.choice(((), (1,), (3,), (2, 2)))
        _hint(d, name)
        made = f"{name}({_arguments(d, parameters)})"
        how = d.rng.random()
        if made.count("T(") != 1:
            return made
        if how < 0.06 and d.dtype in ("float32", "float64") and "kernel" not in made:
            return f"gradient({_of_its_tensor(made)})"
        return f"traced({_of_its_tensor(made)})" if how < 0.1 else made

    return call


# ---- classes

BY_CLASS_NAME = {
    "units": _of(1, 3, 150), "filters": _of(1, 2, 4, 130), "kernel_size": _of(1, 2, 3), "strides": _of(1, 2), "padding": _of("valid", "same"), "data_format": _of(None, None, "channels_first"), "dilation_rate": _of(1, 1, 2), "groups": _of(1, 1, 2), "activation": _of(*ACTIVATIONS), "recurrent_activation": _of("sigmoid", "tanh"),
    "use_bias": _bool, "kernel_initializer": lambda d: None, "bias_initializer": lambda d: None, "axis": lambda d: d.rng.choice((-1, 1, -1, [1, 2])), "epsilon": _of(1e-3, 1e-5), "momentum": _of(0.0, 0.9, 0.5), "center": _bool, "scale": _bool, "pool_size": _of(1, 2, 3), "size": _of(1, 2, 3, (2, 3)), "target_shape": lambda d: d.rng.choice(((-1,), (-1, 150), (1, -1), (-1, 2))), "dims": lambda d: d.rng.choice(((1,), (2, 1), (1, 2), (2, 1, 3), (3, 1, 2))), "n": _of(1, 3, 200),
    "num_heads": _of(1, 2, 3), "key_dim": _of(1, 2, 8), "value_dim": _of(None, 2), "num_query_heads": _of(2, 4), "num_key_value_heads": _of(1, 2), "head_dim": _of(2, 4), "return_sequences": _bool, "return_state": _bool, "go_backwards": _bool, "unroll": _bool, "reset_after": _bool, "merge_mode": _of("concat", "sum", "mul", "ave"), "interpolation": _of("nearest", "bilinear"), "cropping": _of(1, 0, (1, 0)), "height": _of(3, 8, 120), "width": _of(3, 8, 130), "offset": _float(-1, 1), "alpha": _float(0.1, 2), "negative_slope": _float(0, 0.5), "max_value": _of(None, 6.0), "threshold": _float(0, 1),
    "layer": lambda d: Source(d.rng.choice(("keras.layers.Dense(3)", "keras.layers.LSTM(2, return_sequences=True)", "keras.layers.GRU(3)", "keras.layers.Conv1D(2, 2)", "keras.layers.SimpleRNN(2)"))), "depth_multiplier": _of(1, 2), "keepdims": _bool, "normalize": _bool, "axes": _of(1, 2, -1, (1, 2), (2, 1)), "score_mode": _of("dot",), "use_scale": _bool, "dropout": _of(0.0,), "recurrent_dropout": _of(0.0,), "rate": _of(0.0, 0.5), "shared_axes": _of(None, [1]), "attention_axes": lambda d: None, "use_gate": _bool, "flash_attention": lambda d: None,
    "name": lambda d: None, "dtype": lambda d: None, "seed": lambda d: None, "trainable": lambda d: None, "autocast": lambda d: None, "reduction": _of("sum_over_batch_size", "sum", "none", "mean", "mean_with_sample_weight"), "from_logits": _bool, "label_smoothing": _of(0.0, 0.1, 0.3), "delta": _of(0.5, 1.0, 2.0), "gamma": _of(0.5, 1.0, 2.0), "ignore_class": _of(None, 0, -1), "apply_class_balancing": _bool, "beta": _of(0.3, 0.7), "smooth": _of(1e-6, 1.0), "num_classes": _of(4,), "num_thresholds": _of(2, 5, 200), "curve": _of("ROC", "PR"), "summation_method": _of("interpolation", "minoring", "majoring"), "thresholds": _of(None, 0.3, [0.2, 0.7]), "multi_label": _of(False,), "num_labels": lambda d: None, "label_weights": lambda d: None, "top_k": _of(None, 2), "class_id": _of(None, 0, 1), "specificity": _of(0.5, 0.9), "sensitivity": _of(0.5, 0.9), "recall": _of(0.5, 0.9), "precision": _of(0.5, 0.9), "target_class_ids": _of([0], [0, 1]), "k": _of(1, 2, 3), "average": _of(None, "micro", "macro", "weighted"), "sparse_y_true": _bool, "sparse_y_pred": _bool, "class_aggregation": _of(None, "uniform_average", "variance_weighted_average"), "num_regressors": _of(0,), "normalizer": _of([1.0, 2.0, 3.0],),
    "learning_rate": _of(0.01, 0.1, 1e-3), "nesterov": _bool, "beta_1": _of(0.9, 0.5), "beta_2": _of(0.99, 0.999), "amsgrad": _bool, "rho": _of(0.9, 0.5), "centered": _bool, "weight_decay": _of(None, 0.01, 0.1), "clipnorm": lambda d: None, "clipvalue": lambda d: None, "global_clipnorm": lambda d: None, "use_ema": _bool, "ema_momentum": _of(0.9, 0.5), "ema_overwrite_frequency": _of(None, 2), "loss_scale_factor": lambda d: None, "gradient_accumulation_steps": _of(None, 2), "initial_accumulator_value": _of(0.1, 0.5), "l1": _of(0.01, 0.5), "l2": _of(0.01, 0.5), "l1_regularization_strength": _of(0.0, 0.01), "l2_regularization_strength": _of(0.0, 0.01), "l2_shrinkage_regularization_strength": _of(0.0, 0.01), "learning_rate_power": _of(-0.5,), "relative_step": _bool, "warmup_init": _of(False,), "beta_2_decay": _of(-0.8,), "epsilon_1": _of(1e-30,), "epsilon_2": _of(1e-3,), "clip_threshold": _of(1.0,),
    "initial_learning_rate": _of(0.1, 1.0), "decay_steps": _of(3, 10), "decay_rate": _of(0.5, 0.9), "staircase": _bool, "boundaries": _of([2, 5],), "values": _of([1.0, 0.5, 0.1],), "end_learning_rate": _of(0.0, 0.01), "power": _of(1.0, 2.0), "cycle": _bool, "warmup_target": _of(None, 2.0), "warmup_steps": _of(0, 4), "first_decay_steps": _of(3, 6), "t_mul": _of(1.0, 2.0), "m_mul": _of(1.0, 0.5), "factor": _of(0.01, 0.5), "min_value": _of(0.0, 0.5), "max_norm": _of(1.0,), "crop_to_aspect_ratio": _of(False,), "pad_to_aspect_ratio": _of(False,), "fill_value": _of(0.0,), "fill_mode": _of("constant",), "antialias": _bool, "activity_regularizer": lambda d: None, "orthogonal": _bool, "stateful": lambda d: None,
}  # fmt: skip
LAYER_INPUTS = (
    (2, 3),
    (4, 6),
    (2, 5, 3),
    (2, 6, 4),
    (1, 4, 4, 3),
    (2, 6, 5, 2),
    (2, 4, 4, 4, 2),
    (3, 300),
    (16, 28, 28, 1),
    (2, 40, 30),
    (2, 150, 2),
    (1, 12, 12, 8),
)
MERGES = ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate", "Dot")
ATTENTIONS = ("Attention", "AdditiveAttention")


def _class_parameters(cls):
    return [
        (n, p)
        for n, p in inspect.signature(cls.__init__).parameters.items()
        if n != "self" and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
    ]


def _layer(name, cls):
    parameters = _class_parameters(cls)
    short = name.rpartition(".")[2]

    def call(d):
        rank = next((r for r in RANKS if r in short.lower()), None)
        d.shape, d.dtype, d.kind = (
            d.rng.choice(RANKS[rank] if rank and d.rng.random() < 0.9 else LAYER_INPUTS),
            "float32",
            "plain",
        )
        made = f"{name}({_arguments(d, parameters, BY_CLASS_NAME)})"
        tensor = lambda shape=None: d.data(shape, form="T")
        inputs = tensor()
        if short in MERGES:
            inputs = ", ".join(tensor() for _ in range(2 if short in ("Subtract", "Dot") else d.rng.randint(2, 3)))
        elif short in ATTENTIONS:
            inputs = ", ".join(tensor() for _ in range(d.rng.randint(2, 3)))
        elif short in ("MultiHeadAttention", "GroupQueryAttention"):
            inputs = f"{tensor()}, call={{'value': {tensor()}{d.rng.choice(['', ', ' + repr('use_causal_mask') + ': True'])}}}"
        elif short.endswith("Cell"):
            states = 2 if "LSTM" in short else 1
            inputs = f"{tensor()}, call={{'states': [{', '.join('tf.zeros((' + str(d.shape[0]) + ', 3))' for _ in range(states))}]}}"
        training = (
            ", training=True"
            if d.rng.random() < 0.2 and "random" not in short.lower() and "dropout" not in made
            else ""
        )
        return f"run_layer({made}, {inputs}{training})"

    return call


CATEGORICAL = ("Categorical", "Focal", "Accuracy")


def _targets(d, name):
    """(y_true, y_pred) that a loss or a metric of this name may take."""
    rows = d.rng.choice((1, 3, 8, 300))
    classes = d.rng.choice((1, 2, 4, 4, 10))
    shape = d.rng.choice(((rows, classes), (rows, classes), (rows, 3, classes), (rows,)))
    d.kind = "plain"
    if "Sparse" in name or "sparse" in name:
        shape = (rows, 4)
        return d.data((rows,), d.rng.choice(("int32", "float32", "int64")), "whole", "T"), d.data(
            shape, "float32", d.rng.choice(("probable", "plain")), "T"
        )
    true = d.rng.choice(("plain", "unit", "onehot", "whole"))
    pred = d.rng.choice(("plain", "unit", "probable"))
    if any(
        c in name
        for c in (
            "Binary",
            "AUC",
            "Precision",
            "Recall",
            "True",
            "False",
            "SensitivityAt",
            "SpecificityAt",
            "IoU",
            "FBeta",
            "F1",
        )
    ):
        true, pred = "onehot" if len(shape) > 1 and classes > 1 else "whole", "unit"
        if true == "whole":
            return f"tf.cast({d.data(shape, 'bool', 'plain', 'T')}, 'float32')", d.data(shape, "float32", pred, "T")
    elif any(c in name for c in CATEGORICAL):
        true, pred = "onehot", d.rng.choice(("probable", "plain"))
        if classes == 1 or len(shape) == 1:
            shape = (rows, 4)
    return d.data(shape, "float32", true, "T"), d.data(shape, "float32", pred, "T")


def _weight(d):
    return "np.linspace(0.5, 2, 3).astype('float32')[:1]" if d.rng.random() < 0.3 else ""


def _loss(name, cls):
    parameters = _class_parameters(cls)

    def call(d):
        y_true, y_pred = _targets(d, name)
        weight = f", sample_weight={d.rng.choice((2.0, 0.5))}" if d.rng.random() < 0.2 else ""
        return f"{name}({_arguments(d, parameters, BY_CLASS_NAME)})({y_true}, {y_pred}{weight})"

    return call


def _metric(name, cls):
    parameters = _class_parameters(cls)

    def call(d):
        pairs = [f"({', '.join(_targets(d, name))})"]
        if d.rng.random() < 0.4:
            pairs.append(pairs[0])
        return f"run_metric({name}({_arguments(d, parameters, BY_CLASS_NAME)}), {', '.join(pairs)})"

    return call


def _optimizer(name, cls):
    parameters = _class_parameters(cls)

    def call(d):
        extra = d.rng.choice(("", "", "", "clipnorm=0.5", "clipvalue=0.3", "global_clipnorm=0.7"))
        arguments = ", ".join(a for a in (_arguments(d, parameters, BY_CLASS_NAME), extra) if a)
        shapes = d.rng.choice(([(2,)], [(3, 4), (4,)], [(150, 120), (120,)], [(2, 3, 4)], [()]))
        return f"run_optimizer({name}({arguments}), {shapes}, {d.rng.randint(1, 5)}, {d.rng.randint(0, 99)})"

    return call


def _schedule(name, cls):
    parameters = _class_parameters(cls)
    return lambda d: f"[{name}({_arguments(d, parameters, BY_CLASS_NAME)})(i) for i in (0, 1, 3, 7, 30)]"


def _of_weight(name, cls):
    parameters = _class_parameters(cls)
    return lambda d: (
        f"{name}({_arguments(d, parameters, BY_CLASS_NAME)})({d.data(d.rng.choice(((3, 3), (4, 2), (150, 130), (2, 3, 4, 5))), 'float32', 'plain', 'T')})"
    )


# ---- datasets

STAGES = (
    lambda d: f".batch({d.rng.randint(1, 5)}{d.rng.choice(('', ', drop_remainder=True'))})", lambda d: f".take({d.rng.randint(-1, 9)})", lambda d: f".skip({d.rng.randint(0, 5)})",
    lambda d: f".repeat({d.rng.choice((1, 2, 3))})", lambda d: ".map(lambda *e: tf.nest.map_structure(lambda v: v * 2, e))", lambda d: ".map(lambda *e: e[0])",
    lambda d: ".map(lambda *e: (e[0], tf.cast(e[0], tf.float32) / 3))", lambda d: ".enumerate()", lambda d: ".cache()", lambda d: ".prefetch(2)",
    lambda d: f".shard({d.rng.randint(1, 3)}, 0)", lambda d: ".unbatch()", lambda d: ".filter(lambda *e: tf.reduce_sum(tf.cast(tf.nest.flatten(e)[0], tf.float32)) > 2)",
    lambda d: ".concatenate(tf.data.Dataset.range(3))", lambda d: f".padded_batch({d.rng.randint(1, 4)})", lambda d: f".rebatch({d.rng.randint(1, 5)})",
    lambda d: ".flat_map(lambda *e: tf.data.Dataset.from_tensors(e))", lambda d: f".interleave(lambda *e: tf.data.Dataset.from_tensors(e).repeat(2), cycle_length={d.rng.randint(1, 3)}, block_length={d.rng.randint(1, 2)})",
    lambda d: f".window({d.rng.randint(1, 4)}{d.rng.choice(('', ', shift=1', ', drop_remainder=True', ', stride=2'))}).flat_map(lambda w: w.batch(4))", lambda d: ".take_while(lambda *e: tf.reduce_sum(tf.cast(tf.nest.flatten(e)[0], tf.float32)) < 12)",
    lambda d: ".scan(tf.constant(0, tf.int64), lambda s, *e: (s + 1, s))", lambda d: ".unique()", lambda d: ".apply(lambda ds: ds.take(3))", lambda d: ".group_by_window(lambda e: e % 2, lambda k, w: w.batch(2), window_size=2)",
    lambda d: ".ragged_batch(2)", lambda d: ".sparse_batch(2, [4])", lambda d: ".snapshot" if False else ".prefetch(1)", lambda d: ".bucket_by_sequence_length(lambda e: tf.cast(e % 5, tf.int32), [2, 4], [2, 2, 2])",
)  # fmt: skip


def _dataset(d):
    if d.shape == () or 0 in d.shape or len(d.shape) > 3 or d.shape[0] > 300:
        d.shape = d.rng.choice(((6,), (5, 2), (7, 2, 3), (100, 3)))
    source = d.rng.choice((f"tf.data.Dataset.range({d.rng.randint(1, 12)})", f"tf.data.Dataset.from_tensor_slices({d.data(form='N', kind='plain', dtype=d.dtype if d.dtype not in ('bfloat16', 'bool') else 'float32')})",
                           f"tf.data.Dataset.from_tensor_slices(({d.data((6, 2), 'float32', 'plain', 'N')}, np.arange(6)))", "tf.data.Dataset.range(2, 30, 5)",
                           "tf.data.Dataset.zip((tf.data.Dataset.range(4), tf.data.Dataset.range(10, 16)))"))  # fmt: skip
    return f"elements({source}{''.join(d.rng.choice(STAGES)(d) for _ in range(d.rng.randint(1, 4)))})"


# ---- what there is


def _resolve(path, roots):
    at = roots
    for i, part in enumerate(path.split(".")):
        at = roots[part] if i == 0 else getattr(at, part, None)
        if at is None:
            return None
    return at


def found(tf, keras):
    """name: what makes a call of it. Everything public that a package has."""
    roots = {"tf": tf, "keras": keras}
    made, seen = {}, {}
    for module in OP_MODULES:
        space = _resolve(module, roots)
        for name in sorted(dir(space)) if space is not None else ():
            f = getattr(space, name, None)
            if (
                name.startswith(("_", "assert", "random", "stateless"))
                or name in SKIPPED
                or not callable(f)
                or inspect.isclass(f)
                or inspect.ismodule(f)
            ):
                continue
            try:
                inspect.signature(f)
            except (TypeError, ValueError):
                continue
            if seen.setdefault(id(f), module) == module or not module.startswith("tf"):
                made[f"{module}.{name}"] = f
    calls = {name: _op(name, f) for name, f in made.items()}
    kinds = {
        "layers": _layer,
        "losses": _loss,
        "metrics": _metric,
        "optimizers": _optimizer,
        "schedules": _schedule,
        "regularizers": _of_weight,
        "constraints": _of_weight,
    }
    for module in CLASS_MODULES:
        space = _resolve(module, roots)
        for name in sorted(dir(space)) if space is not None else ():
            cls = getattr(space, name)
            if (
                not inspect.isclass(cls)
                or name in SKIPPED_CLASSES
                or name.startswith(("_", "Random"))
                or (name.lower() == name)
            ):
                continue
            calls[f"{module}.{name}"] = BY_FUNCTION.get(f"{module}.{name}") or kinds[module.rpartition(".")[2]](
                f"{module}.{name}", cls
            )
    calls["tf.data.Dataset"] = _dataset
    return calls
