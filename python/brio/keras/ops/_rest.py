"""keras.ops: functions of NumPy's that few programs call:
whole numbers, orders and histograms, what passes NaN over."""

import itertools

import numpy as np

import brio as tf
from brio import _core
from brio.keras.ops import _making, _picking, _reducing
from brio.keras.ops._convert import as_dtype, floating, is_whole, name_of, of_values, own, result_type, tensor, together


def angle(x):
    """The angle of a complex number: 0 of a positive one, π of a negative one."""
    x = tensor(x)
    return tf.math.angle(x if "complex" in name_of(x) else floating(x))


def empty_like(x, dtype=None):
    """Zeros in the shape of x: nothing is left uninitialized."""
    return tf.zeros_like(tensor(x), dtype)


def get_item(x, key):
    """x[key]. A list is a tuple, except for NumPy's arrays, of which it takes the elements of these numbers."""
    if isinstance(x, np.ndarray):
        return x[key]
    return (x if hasattr(x, "shape") else tensor(x))[tuple(key) if isinstance(key, list) else key]


# ---- whole numbers


def _whole(name, x1, x2):
    a, b = tensor(x1), tensor(x2)
    if "int" not in name_of(a) or "int" not in name_of(b):
        raise TypeError(f"[{name}] takes whole numbers, but got {name_of(a)} and {name_of(b)}")
    a, b = together(a, b)
    return (a, b) if "uint" in name_of(a) else (tf.abs(a), tf.abs(b))


@of_values
def gcd(x1, x2):
    """The greatest common divisor; of 0 and n it is n."""
    a, b = _whole("gcd", x1, x2)
    shape = tf.broadcast_static_shape(a.shape, b.shape)

    def step(a, b):
        done = tf.equal(b, 0)
        return tf.where(done, a, b), tf.where(done, b, tf.math.floormod(a, tf.where(done, tf.ones_like(b), b)))

    return tf.while_loop(
        lambda a, b: tf.reduce_any(tf.not_equal(b, 0)), step, [tf.broadcast_to(a, shape), tf.broadcast_to(b, shape)]
    )[0]


@of_values
def lcm(x1, x2):
    """The least common multiple; of 0 and any number it is 0."""
    a, b = _whole("lcm", x1, x2)
    divisor = gcd(a, b)
    none = tf.equal(divisor, 0)
    return tf.where(
        none, tf.zeros_like(divisor), a * tf.math.floordiv(b, tf.where(none, tf.ones_like(divisor), divisor))
    )


@of_values
def nextafter(x1, x2):
    """The next float64 behind x1 on the way to x2, in the dtype of both."""
    a, b = tensor(x1), tensor(x2)
    return tf.cast(
        tf.math.nextafter(tf.cast(a, "float64"), tf.cast(b, "float64")), result_type(name_of(a), name_of(b), "float")
    )


@of_values
def i0(x):
    """The modified Bessel function of order 0."""
    x = tensor(x)
    return tf.math.bessel_i0(tf.cast(x, "float64") if name_of(x) == "int64" else floating(x))


@of_values
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """num numbers from start to stop, each the same multiple of the one before."""
    wide = tf.as_dtype(dtype).name if dtype is not None else tf.keras.config.floatx()
    start, stop = (tf.cast(tensor(v), wide) for v in (start, stop))
    exponents = [tf.math.log(tf.abs(v)) / tf.math.log(tf.cast(10, wide)) for v in (start, stop)]
    made = _making.logspace(*exponents, num=num, endpoint=endpoint, dtype=dtype, axis=axis)
    sign = as_dtype(tf.sign(start), name_of(made))
    return made * (tf.expand_dims(sign, axis) if len(sign.shape) else sign)


@of_values
def vander(x, N=None, increasing=False):
    """The powers of each element: a row of N, from the highest down unless they are to increase."""
    x = tensor(x)
    N = x.shape[0] if N is None else N
    powers = tf.range(N) if increasing else tf.range(N - 1, -1, -1)
    wide = result_type(name_of(x), "float32")
    return as_dtype(tf.pow(tf.cast(tf.expand_dims(x, -1), wide), tf.cast(powers, wide)), name_of(x))


# ---- orders, places and counts


@of_values
def argpartition(x, kth, axis: "int | None" = -1):
    """Places of elements: those of the kth + 1 smallest come first. In order they are, as here, parted at every kth."""
    return _picking.argsort(x, axis)


@of_values
def unravel_index(indices, shape):
    """Places in a tensor of this shape, one tensor for each axis, of places in the row of all its elements."""
    if None in shape:
        raise ValueError(f"[unravel_index] shape is {shape}; all sizes must be known")
    indices, places = tensor(indices), []
    for size in reversed(shape):
        places.append(tf.math.floormod(indices, tf.cast(size, indices.dtype)))
        indices = tf.math.floordiv(indices, tf.cast(size, indices.dtype))
    return tuple(reversed(places))


@of_values
def histogram(x, bins=10, range=None):
    """How many elements of a vector lie in each of so many equal bins, in the dtype of x; and the edges of the bins."""
    if not isinstance(bins, int):
        raise TypeError(f"[histogram] bins is {bins!r}; it must be an int")
    if bins < 0:
        raise ValueError(f"[histogram] bins is {bins}; it must not be negative")
    if range and (not isinstance(range, tuple) or len(range) < 2 or range[1] < range[0]):
        raise ValueError(f"[histogram] range is {range!r}; it must be a tuple (low, high)")
    x = tensor(x)
    if len(x.shape) > 1:
        raise ValueError(f"[histogram] x has shape {tuple(x.shape)}; it must have one axis")
    wide = x if not is_whole(name_of(x)) else tf.cast(x, "float64")
    low, high = (tf.reduce_min(wide), tf.reduce_max(wide)) if not range else (tf.cast(v, wide.dtype) for v in range[:2])
    edges = as_dtype(tf.linspace(low, high, bins + 1), name_of(x))
    inside = tf.logical_and(wide >= low, wide <= high)
    places = tf.searchsorted(edges[1:-1], x, "right") if bins > 1 else tf.zeros_like(x, dtype="int32")
    counts = tf.math.unsorted_segment_sum(tf.cast(inside, "int32"), tf.cast(places, "int32"), bins)
    return tf.cast(counts, x.dtype), edges


@of_values
def corrcoef(x):
    """How far each row goes with each other one, from -1 to 1."""
    x = tensor(x)
    x = x if name_of(x) == "int64" else floating(x)
    x = tf.cast(x, "float64") if name_of(x) == "int64" else x
    if not len(x.shape):
        return tf.constant(np.nan, tf.keras.config.floatx())
    rows = x if len(x.shape) > 1 else x[None]
    apart = rows - tf.reduce_mean(rows, -1, keepdims=True)
    together_ = tf.matmul(apart, apart, adjoint_b=True) / tf.cast(tf.shape(x)[-1] - 1, x.dtype)
    deviation = tf.sqrt(tf.math.real(tf.linalg.diag_part(together_)))
    made = together_ / tf.cast(deviation[..., :, None] * deviation[..., None, :], together_.dtype)
    made = made if len(x.shape) > 1 else made[0, 0]
    real = tf.clip_by_value(tf.math.real(made), -1.0, 1.0)
    return tf.complex(real, tf.clip_by_value(tf.math.imag(made), -1.0, 1.0)) if "complex" in name_of(made) else real


@of_values
def correlate(x1, x2, mode="valid"):
    """The sums of products of two vectors, one moved along the other."""
    if mode not in ("valid", "same", "full"):
        raise ValueError(f"[correlate] mode is {mode!r}; it is 'valid', 'same' or 'full'")
    a, b = tensor(x1), tensor(x2)
    if len(a.shape) != 1 or len(b.shape) != 1:
        raise ValueError(f"[correlate] takes vectors, but got shapes {tuple(a.shape)} and {tuple(b.shape)}")
    dtype = result_type(name_of(a), name_of(b))
    dtype = "float64" if dtype == "int64" else dtype if dtype in ("bfloat16", "float16", "float64") else "float32"
    a, b = as_dtype(a, dtype), as_dtype(b, dtype)
    n, m = int(a.shape[0]), int(b.shape[0])
    if mode != "valid":
        a = tf.pad(a, [[m - 1, m - 1]])
    made = tf.nn.convolution(a[None, :, None], b[:, None, None])[0, :, 0]
    if mode == "same":
        begin = (n + m - 1 - max(n, m)) // 2
        made = made[begin : begin + max(n, m)]
    return made


def slogdet(x):
    """The sign of the determinant, and the logarithm of its size."""
    return tuple(tf.linalg.slogdet(floating(x)))


# ---- without NaN


def _nanarg(f, beyond, x, axis, keepdims):
    x = tensor(x)
    if "float" not in name_of(x):
        return f(x, axis, keepdims)
    lost = tf.math.is_nan(x)
    made = f(tf.where(lost, tf.cast(beyond, x.dtype), x), axis, keepdims)
    return tf.where(tf.reduce_all(lost, axis, keepdims), tf.cast(-1, made.dtype), made)


def nanargmax(x, axis=None, keepdims=False):
    """Where the first of the largest is that is no NaN; -1 where all are."""
    return _nanarg(_reducing.argmax, -np.inf, x, axis, keepdims)


def nanargmin(x, axis=None, keepdims=False):
    """Where the first of the smallest is that is no NaN; -1 where all are."""
    return _nanarg(_reducing.argmin, np.inf, x, axis, keepdims)


def nancumprod(x, axis=None, dtype=None):
    """Running products that pass NaN over."""
    from brio.keras.ops import numpy

    return _reducing.cumprod(numpy.nan_to_num(x, nan=1.0), axis=axis, dtype=dtype)


@of_values
def nanmedian(x, axis=None, keepdims=False):
    """The number in the middle of those that are no NaN."""
    return tensor(x) if axis in ((), []) else nanquantile(x, 0.5, axis, keepdims=keepdims)


@of_values
def nanpercentile(x, q, axis=None, method="linear", keepdims=False):
    """The number below which q percent lie of those that are no NaN."""
    return nanquantile(x, tf.cast(tensor(q), tf.keras.config.floatx()) / 100, axis, method, keepdims)


@of_values
def nanquantile(x, q, axis=None, method="linear", keepdims=False):
    """The numbers below which the shares q lie of those that are no NaN."""
    x, q = floating(x), tf.cast(tensor(q), "float64")
    rank = len(x.shape)
    axes = (
        list(range(rank))
        if axis is None
        else sorted(a % rank for a in (axis if isinstance(axis, (list, tuple)) else [axis]))
    )
    rest = [a for a in range(rank) if a not in axes]
    sizes = [tf.shape(x)[a] if x.shape[a] is None else x.shape[a] for a in range(rank)]
    rows = tf.reshape(tf.transpose(x, rest + axes), [*(sizes[a] for a in rest), -1])
    if rows.shape[-1] == 0:  # nothing is the same as nothing but NaN
        rows = tf.fill([*rows.shape[:-1], 1], tf.cast(np.nan, x.dtype))
    lost = tf.math.is_nan(rows)
    count = tf.reduce_sum(tf.cast(tf.logical_not(lost), "int32"), -1, keepdims=True)
    rows = tf.sort(tf.where(lost, tf.cast(np.inf, x.dtype), rows))  # behind all numbers
    place = tf.cast(tf.maximum(count - 1, 0), "float64") * tf.reshape(q, [-1])
    low, high = tf.floor(place), tf.math.ceil(place)
    shares = {
        "linear": lambda: place - low, "lower": lambda: tf.zeros_like(place), "higher": lambda: high - low,
        "nearest": lambda: tf.round(place) - low, "midpoint": lambda: 0.5 * (high - low),
    }  # fmt: skip
    if method not in shares:
        raise ValueError(f"[nanquantile] method is {method!r}; it is one of {', '.join(shares)}")
    a, b = (tf.gather(rows, tf.cast(at, "int32"), axis=-1, batch_dims=len(rest)) for at in (low, high))
    share = tf.cast(shares[method](), x.dtype)
    made = tf.where(
        tf.equal(share, 0), a, tf.where(tf.equal(share, 1), b, a * (1 - share) + b * share)
    )  # a or b may be infinite
    made = tf.where(tf.equal(count, 0), tf.cast(np.nan, x.dtype), made)
    made = tf.transpose(made, [len(rest), *range(len(rest))])
    return tf.reshape(
        made, [*q.shape, *(1 if i in axes else sizes[i] for i in range(rank) if keepdims or i not in axes)]
    )


# ---- the same bits, and functions of rows


@of_values
def view(x, dtype=None):
    """The same bytes as numbers of another dtype; the last axis grows or shrinks where these are of another width."""
    x = tensor(x)
    old, new = tf.as_dtype(x.dtype), tf.as_dtype(dtype or x.dtype)
    if old.size == new.size:
        return tf.bitcast(x, new)
    sizes = [tf.shape(x)[i] if n is None else n for i, n in enumerate(x.shape)]
    if not sizes or isinstance(sizes[-1], int) and sizes[-1] * old.size % new.size:
        raise ValueError(
            f"[view] {old.name} of shape {tuple(x.shape)} cannot be seen as {new.name}: the bytes of its last axis are "
            f"no multiple of {new.size}"
        )
    if old.size > new.size:
        return tf.reshape(tf.bitcast(x, new), [*sizes[:-1], sizes[-1] * (old.size // new.size)])
    ratio = new.size // old.size
    return tf.bitcast(tf.reshape(x, [*sizes[:-1], sizes[-1] // ratio, ratio]), new)


def vectorize(pyfunc, *, excluded=None, signature=None):
    """A function of numbers, or of arrays with the axes of a signature such as "(m,n),(n)->(m)",
    as one of arrays of these."""
    if not callable(pyfunc):
        raise ValueError(f"[vectorize] pyfunc is {pyfunc!r}; it must be a function")
    excluded = set(excluded or ())

    def vectorized(*args, **kwargs):
        moving = [i for i, a in enumerate(args) if i not in excluded and a is not None]
        named = {k: v for k, v in kwargs.items() if k in excluded}
        moving += [k for k in kwargs if k not in excluded]
        values = [tensor(args[i] if isinstance(i, int) else kwargs[i]) for i in moving]
        inner = (
            [0] * len(values)
            if signature is None
            else [len([n for n in part.split(",") if n.strip()]) for part in _inputs_of(signature)]
        )
        if len(inner) != len(values):
            raise TypeError(
                f"[vectorize] the signature {signature!r} has {len(inner)} arguments, but {len(values)} were given"
            )
        outer = ()
        for value, axes in zip(values, inner):
            outer = tuple(np.broadcast_shapes(outer, tuple(value.shape)[: len(value.shape) - axes]))

        def one(*rows):
            given, by_name = list(args), dict(named)
            for i, row in zip(moving, rows):
                if isinstance(i, int):
                    given[i] = row
                else:
                    by_name[i] = row
            return pyfunc(*given, **by_name)

        if not outer:
            return one(*values)
        rows = []
        for value, axes in zip(values, inner):
            own_axes = tuple(value.shape)[len(value.shape) - axes :]
            rows.append(tf.reshape(tf.broadcast_to(value, (*outer, *own_axes)), (-1, *own_axes)))
        made = [one(*row) for row in zip(*(tf.unstack(r) for r in rows))]
        back = lambda parts: tf.reshape(tf.stack(list(map(tensor, parts))), (*outer, *tensor(parts[0]).shape))
        return tuple(back(parts) for parts in zip(*made)) if isinstance(made[0], (list, tuple)) else back(made)

    vectorized.__name__, vectorized.__doc__ = getattr(pyfunc, "__name__", "vectorized"), pyfunc.__doc__
    return vectorized


def _inputs_of(signature):
    """ "(m,n),(n)->(m)" → ["m,n", "n"]."""
    inputs, arrow, _ = signature.replace(" ", "").partition("->")
    parts = [p.strip("()") for p in inputs.split("),(")]
    if not arrow or not inputs.startswith("("):
        raise ValueError(f"[vectorize] {signature!r} is no signature; one is as '(m,n),(n)->(m)'")
    return parts


def _terms(side):
    """ "b (h h1) c" → [["b"], ["h", "h1"], ["c"]]."""
    words = side.replace("(", " ( ").replace(")", " ) ").split()
    terms, group = [], None
    for word in words:
        if word == "(":
            group = []
        elif word == ")":
            terms.append(group)
            group = None
        elif group is None:
            terms.append([word])
        else:
            group.append(word)
    return terms


def rearrange(tensor, pattern, **axes_lengths):
    """Axes taken apart, moved and joined as a pattern says: "b (h h1) c -> b h (c h1)" with h1=2."""
    from brio.keras.ops._convert import tensor as as_tensor

    x = as_tensor(tensor)
    if isinstance(x, _core.KerasTensor):
        return _rearranged(x, pattern, axes_lengths)
    before, arrow, after = pattern.partition("->")
    taken, made = _terms(before), _terms(after)
    names = list(itertools.chain(*taken))
    if (
        not arrow
        or sorted(names) != sorted(itertools.chain(*made))
        or len(set(names)) != len(names)
        or len(taken) != len(x.shape)
    ):
        raise ValueError(
            f"[rearrange] {pattern!r} of shape {tuple(x.shape)}: both sides have the same names, each once, one term "
            "of the left side for each axis"
        )
    sizes = dict(axes_lengths)
    for i, (group, size) in enumerate(zip(taken, x.shape)):
        size = tf.shape(x)[i] if size is None else size
        unknown = [n for n in group if n not in axes_lengths]
        known = int(np.prod([axes_lengths[n] for n in group if n in axes_lengths], dtype=int))
        if len(unknown) > 1 or isinstance(size, int) and (size % known if unknown else size != known):
            raise ValueError(
                f"[rearrange] axis {i} of shape {tuple(x.shape)} is to be {group}; give the sizes of all but one, "
                f"whose product divides {size}"
            )
        sizes.update(dict.fromkeys(unknown, size // known))
    x = tf.reshape(x, [sizes[n] for n in names])
    x = tf.transpose(x, [names.index(n) for n in itertools.chain(*made)])
    return tf.reshape(x, [_times(sizes[n] for n in group) for group in made])


def _rearranged(symbol, pattern, axes_lengths):
    """As a step of a model, which Keras reads."""
    from brio.keras._graph import OperationLayer

    config = {"name": _core._unique_name("rearrange")}
    row = {
        "module": "keras.src.ops.einops",
        "class_name": "Rearrange",
        "registered_name": "Rearrange",
        "config": config,
    }
    return OperationLayer(row, rearrange)(symbol, pattern, **axes_lengths)


def _times(sizes):
    made = 1
    for size in sizes:
        made = size * made
    return made


__all__ = own(globals())
