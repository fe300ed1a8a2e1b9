"""Functions of keras.ops on symbols: each is a step of a model by the name that Keras has for it,
so that the model can be written down."""

import functools
import inspect
import re

from brio import _core, _nest
from brio.keras.config import floatx

KerasTensor = _core.KerasTensor

# By the module of Keras': the functions, the class where its name is not the function's in capitals, and what they are
# called with: all other arguments are part of the step.
_TABLE = {
    "numpy": (
        "abs(x) absolute(x) add(x1,x2) all(x) allclose=AllClose(x1,x2) amax(x) amin(x) angle(x) any(x) append(x1,x2) "
        "arange(start,stop,step) arccos(x) arccosh(x) arcsin(x) arcsinh(x) arctan(x) arctan2(x1,x2) arctanh(x) "
        "argmax(x) argmin(x) argpartition(x) argsort(x) array(x) array_split(x) average(x,weights) bincount(x) "
        "bitwise_and(x,y) bitwise_invert(x) bitwise_left_shift(x,y) bitwise_not(x) bitwise_or(x,y) "
        "bitwise_right_shift(x,y) bitwise_xor(x,y) broadcast_to(x) cbrt(x) ceil(x) clip(x) concatenate(xs) conj(x) "
        "conjugate(x) copy(x) corrcoef(x) correlate(x1,x2) cos(x) cosh(x) count_nonzero(x) cross(x1,x2) cumprod(x) "
        "cumsum(x) deg2rad(x) diag(x) diagflat(x) diagonal(x) diff(a) digitize(x,bins) divide(x1,x2) "
        "divide_no_nan(x1,x2) dot(x1,x2) dsplit(x) dstack(xs) einsum(*operands,kwargs) empty_like(x) equal(x1,x2) "
        "exp(x) exp2(x) expand_dims(x) expm1(x) fabs(x) flip(x) fliplr(x) flipud(x) floor(x) floor_divide(x1,x2) "
        "fmax(x1,x2) fmin(x1,x2) fmod(x1,x2) full(fill_value) full_like(x,fill_value) gcd(x1,x2) geomspace(start,stop) "
        "get_item(x,key) greater(x1,x2) greater_equal(x1,x2) heaviside(x1,x2) histogram(x) hsplit(x) hstack(xs) "
        "hypot(x1,x2) i0(x) imag(x) inner(x1,x2) isclose(x1,x2,rtol,atol) isfinite(x) isin=IsIn(x1,x2) isinf(x) "
        "isnan(x) isneginf(x) isposinf(x) isreal(x) kron(x1,x2) lcm(x1,x2) ldexp(x1,x2) left_shift(x,y) less(x1,x2) "
        "less_equal(x1,x2) linspace(start,stop) log(x) log10(x) log1p(x) log2(x) logaddexp(x1,x2) logaddexp2(x1,x2) "
        "logical_and(x1,x2) logical_not(x) logical_or(x1,x2) logical_xor(x1,x2) logspace(start,stop) matmul(x1,x2) "
        "max(x) maximum(x1,x2) mean(x) median(x) meshgrid(*x) min(x) minimum(x1,x2) mod(x1,x2) moveaxis(x) "
        "multiply(x1,x2) nan_to_num(x) nanargmax(x) nanargmin(x) nancumprod(x) nancumsum(x) nanmax(x) nanmean(x) "
        "nanmedian(x) nanmin(x) nanpercentile(x,q) nanprod(x) nanquantile(x,q) nanstd(x) nansum(x) nanvar(x) ndim(x) "
        "negative(x) nextafter(x1,x2) nonzero(x) not_equal(x1,x2) ones_like(x) outer(x1,x2) pad(x,constant_values) "
        "percentile(x,q) power(x1,x2) prod(x) ptp(x) quantile(x,q) rad2deg(x) ravel(x) real(x) reciprocal(x) repeat(x) "
        "reshape(x) right_shift(x,y) roll(x) rot90(array) round(x) searchsorted=SearchSorted(sorted_sequence,values) "
        "select(condlist,choicelist,default) sign(x) signbit(x) sin(x) sinc(x) sinh(x) size(x) slogdet(x) sort(x) "
        "split(x) sqrt(x) square(x) squeeze(x) stack(x) std(x) subtract(x1,x2) sum(x) swapaxes(x) take(x,indices) "
        "take_along_axis(x,indices) tan(x) tanh(x) tensordot(x1,x2) tile(x) trace(x) transpose(x) trapezoid(y) tril(x) "
        "triu(x) true_divide(x1,x2) trunc(x) unique(x) unravel_index(indices) vander(x) var(x) vdot(x1,x2) view(x) "
        "vsplit(x) vstack(xs) where(condition,x1,x2) zeros_like(x) "
    ),
    "nn": (
        "adaptive_average_pool(inputs) adaptive_max_pool(inputs) average_pool(inputs) "
        "binary_crossentropy(target,output) categorical_crossentropy(target,output) celu(x) conv(inputs,kernel) "
        "conv_transpose(inputs,kernel) ctc_loss=CTCLoss(target,output,target_length,output_length) depth_to_space(x) "
        "depthwise_conv(inputs,kernel) dot_product_attention(query,key,value,bias,mask,scale) elu(x) fold(x) gelu(x) "
        "glu(x) hard_shrink(x) hard_sigmoid(x) hard_silu(x) hard_tanh(x) leaky_relu(x) log_sigmoid(x) log_softmax(x) "
        "max_pool(inputs) moments(x) multi_hot(inputs) normalize(x) one_hot(x) polar(abs_,angle) psnr=PSNR(x1,x2) "
        "relu(x) relu6(x) selu(x) separable_conv(inputs,depthwise_kernel,pointwise_kernel) sigmoid(x) silu(x) "
        "soft_shrink(x) softmax(x) softplus(x) softsign(x) space_to_depth(x) "
        "sparse_categorical_crossentropy(target,output) sparse_plus(x) sparse_sigmoid(x) sparsemax(x) squareplus(x) "
        "tanh_shrink(x) threshold(x) unfold(x) "
    ),
    "core": (
        "cast(x) saturate_cast(x) scatter(indices,values) scatter_update(inputs,indices,updates) "
        "slice(inputs,start_indices) slice_update(inputs,start_indices,updates) stop_gradient(variable) unstack(x) "
    ),
    "math": (
        "cdist=CDist(x,y) erf(x) erfc(x) erfinv(x) extract_sequences(x) fft=FFT(x) fft2=FFT2(x) ifft2=IFFT2(x) "
        "in_top_k(targets,predictions) irfft=IRFFT(x) istft=ISTFT(x) logdet(x) logsumexp(x) rfft=RFFT(x) rsqrt(x) "
        "segment_max(data,segment_ids) segment_min(data,segment_ids) segment_prod(data,segment_ids) "
        "segment_sum(data,segment_ids) stft=STFT(x) top_k(x) view_as_complex(x) view_as_real(x) "
    ),
    "linalg": (
        "cholesky(x) cholesky_inverse(x) det(x) eig(x) eigh(x) inv(x) lstsq(a,b) lu_factor(x) matrix_rank(x) norm(x) "
        "pinv(x) qr(x) solve(a,b) solve_triangular(a,b) svd=SVD(x) "
    ),
    "image": (
        "affine_transform(images,transform) crop_images(images) elastic_transform(images) extract_patches(images) "
        "gaussian_blur(images) hsv_to_rgb=HSVToRGB(images) map_coordinates(inputs,coordinates) pad_images(images) "
        "perspective_transform(images,start_points,end_points) resize(images) rgb_to_grayscale=RGBToGrayscale(images) "
        "rgb_to_hsv=RGBToHSV(images) scale_and_translate(images,output_shape,scale,translation) sobel_edges(images) "
        "ssim=SSIM(image1,image2) "
    ),
}
SYMBOL = object()  # in the place of a symbol, in a description


def _rows():
    for home, text in _TABLE.items():
        for name, cls, names in re.findall(r"(\w+)(?:=(\w+))?\(([^)]*)\)", text):
            yield home, name, cls or "".join(w.capitalize() for w in name.split("_")), names.split(",")


def function_of(class_name):
    """The name of the function that Keras has a class for."""
    found = [name for _, name, cls, _ in _rows() if cls == class_name]
    return found[0] if found else None


def install(namespace, modules):
    """Lets the functions of these modules, and of the namespace that collects them, describe their steps."""
    for home, name, cls, names in _rows():
        module = modules.get(home)
        f = (
            getattr(module, name, None)
            if module is not None and hasattr(module, "__dict__") and name in vars(module)
            else None
        )
        if f is None:
            continue
        described = _described(f, {"module": f"keras.src.ops.{home}", "class_name": cls, "registered_name": cls}, names)
        setattr(module, name, described)
        if home != "image":
            namespace[name] = described


def _is_symbolic(x):
    kind = type(x)
    return kind is KerasTensor or (kind is list or kind is tuple) and any(type(v) is KerasTensor for v in x[:64])


def _described(f, row, names):
    @functools.wraps(f)
    def call(*args, **kwargs):
        for x in args:
            if _is_symbolic(x):
                return _step(f, row, names, args, kwargs)
        if kwargs:
            for x in kwargs.values():
                if _is_symbolic(x):
                    return _step(f, row, names, args, kwargs)
        return f(*args, **kwargs)

    return call


def _step(f, row, names, args, kwargs):
    bound = inspect.signature(f).bind(*args, **kwargs)
    bound.apply_defaults()
    given, called = dict(bound.arguments), []
    for name in names:
        if name.startswith("*"):
            called += given.pop(name[1:], ())
        elif name in given:
            called.append(given.pop(name))
    while called and called[-1] is None:
        called.pop()
    if any(
        isinstance(x, KerasTensor) for x in _nest.flatten(given)
    ):  # a size that is a symbol: no step of Keras' has one
        return f(*args, **kwargs)
    given = {k: v for k, v in given.items() if k != "kwargs"}
    if row["class_name"] in ("OneHot", "MultiHot") and given.get("dtype") is None:
        given["dtype"] = floatx()
    if "data_format" in given and given["data_format"] is None:
        given["data_format"] = "channels_last"
    if getattr(f, "of_values", False):
        return _composite(f, row, given, called, names)
    made = f(*args, **kwargs)
    return made if describe(made, row, given, called) else _composite(f, row, given, called, names)


def describe(made, row, given, called):
    """Says of the step that made these symbols what Keras calls it. False where it was more than one step."""
    symbols = [x for x in _nest.flatten(called) if isinstance(x, KerasTensor)]
    results = [x for x in _nest.flatten(made) if isinstance(x, KerasTensor)]
    like = _nest.map_structure(lambda x: SYMBOL if isinstance(x, KerasTensor) else x, called)
    return bool(results) and _core._describe_operation(
        results, symbols, row["class_name"], ({**row, "config": given}, like)
    )


def _composite(f, row, given, called, names):
    """Several steps are one, of Python's."""
    from brio.keras._graph import OperationLayer

    subject = names[0][1:] if names[0].startswith("*") else None
    if subject:  # einsum("…", *operands)
        function = lambda *tensors: f(*given.values(), *tensors)
    else:
        function = lambda *tensors: f(**dict(zip(names, tensors)), **given)
    config = {"name": _core._unique_name(f.__name__), **given}
    return OperationLayer({**row, "config": config}, function)(*called)
