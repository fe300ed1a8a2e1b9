"""Layers at random, with what they make of a shape:
the shapes that a program's generator keeps count of have no batch."""

ACTIVATIONS = (
    None,
    "relu",
    "tanh",
    "sigmoid",
    "gelu",
    "swish",
    "elu",
    "selu",
    "softplus",
    "leaky_relu",
    "mish",
    "hard_sigmoid",
    "softmax",
    "exponential",
)
MILD = (None, "relu", "tanh", "sigmoid", "gelu", "swish", "elu", "leaky_relu")


def call(name, *args, **kwargs):
    """The source of a call; arguments that are None are left out."""
    given = [repr(a) for a in args] + [f"{k}={v!r}" for k, v in kwargs.items() if v is not None]
    return f"keras.layers.{name}({', '.join(given)})"


def units(rng):
    return rng.choice((1, 2, 3, 5, 8, 16, 33, 64, 130))


def _sizes(rng, sizes, kernel, strides, padding, dilation=1):
    """What a window that moves makes of sizes; None where it does not fit."""
    if padding == "same":
        made = [-(-n // strides) for n in sizes]
    else:
        made = [(n - (kernel - 1) * dilation - 1) // strides + 1 for n in sizes]
    return None if min(made) < 1 else tuple(made)


def _window(rng, sizes):
    """(kernel, strides, padding, dilation, sizes made) of a window that fits."""
    while True:
        kernel, padding = rng.choice((1, 2, 3, 5)), rng.choice(("same", "valid"))
        strides, dilation = rng.choice(((1, 1), (1, 1), (2, 1), (3, 1), (1, 2)))
        made = _sizes(rng, sizes, kernel, strides, padding, dilation)
        if made:
            return kernel, strides, padding, dilation, made


# ---- what goes with every shape


def _dense(rng, shape):
    n = units(rng)
    more = rng.choice(
        (
            {},
            {},
            {"use_bias": False},
            {"kernel_regularizer": "l2"},
            {"bias_initializer": "ones"},
            {"kernel_constraint": "max_norm"},
        )
    )
    return call("Dense", n, activation=rng.choice(ACTIVATIONS), **more), (*shape[:-1], n)


def _activation(rng, shape):
    name = rng.choice(("ReLU", "LeakyReLU", "ELU", "PReLU", "Softmax", "Activation"))
    more = {
        "ReLU": {"max_value": rng.choice((None, 2.0))},
        "LeakyReLU": {"negative_slope": rng.choice((None, 0.1))},
        "ELU": {"alpha": 0.5},
    }.get(name, {})
    return (call(name, rng.choice(ACTIVATIONS[1:])) if name == "Activation" else call(name, **more)), shape


def _normalised(rng, shape):
    name = rng.choice(
        (
            "BatchNormalization",
            "BatchNormalization",
            "LayerNormalization",
            "UnitNormalization",
            "RMSNormalization",
            "GroupNormalization",
        )
    )
    more = {}
    if name == "BatchNormalization":
        more = rng.choice(({}, {"momentum": 0.9}, {"epsilon": 1e-5, "scale": False}, {"center": False}))
    elif name == "GroupNormalization":
        more = {"groups": rng.choice([g for g in (1, 2, 4, 8, -1) if g == -1 or shape[-1] % g == 0])}
    return call(name, **more), shape


def _identity_like(rng, shape):
    made = rng.choice(
        (
            call("Dropout", 0.0),
            call("Identity"),
            call("Rescaling", 0.5, offset=0.25),
            call("GaussianNoise", 0.0),
            call("ActivityRegularization", l2=0.01),
        )
    )
    return made, shape


def _lambda(rng, shape):
    return rng.choice(
        (
            "keras.layers.Lambda(lambda t: t * 0.5)",
            "keras.layers.Lambda(lambda t: 1 - t)",
            "keras.layers.Lambda(lambda t, by=0.1: abs(t) - by)",
        )
    ), shape


ANY = (_dense, _dense, _activation, _normalised, _identity_like, _lambda)


# ---- by the number of axes


def _conv(rng, shape):
    axes = len(shape) - 1
    kernel, strides, padding, dilation, made = _window(rng, shape[:-1])
    filters = rng.choice((1, 3, 4, 8, 16, 32, 120))
    kind = rng.choice(("Conv", "Conv", "Conv", "Separable", "Depthwise") if axes < 3 else ("Conv",))
    more = {
        "strides": strides if strides > 1 else None,
        "padding": padding,
        "activation": rng.choice(MILD),
        "dilation_rate": dilation if dilation > 1 else None,
        "use_bias": rng.choice((None, None, False)),
    }
    if axes == 1 and kind == "Conv" and padding == "same" and rng.random() < 0.3:
        more["padding"] = "causal"
    if kind == "Conv":
        groups = rng.choice([g for g in (1, 1, 1, 2, 4) if shape[-1] % g == 0 and filters % g == 0])
        return call(f"Conv{axes}D", filters, kernel, groups=groups if groups > 1 else None, **more), (*made, filters)
    if kind == "Separable":
        return call(f"SeparableConv{axes}D", filters, kernel, **more), (*made, filters)
    return call(f"DepthwiseConv{axes}D", kernel, depth_multiplier=rng.choice((None, 2)), **more), None


def _transposed(rng, shape):
    axes, filters, strides = len(shape) - 1, rng.choice((1, 4, 8)), rng.choice((1, 2))
    return call(
        f"Conv{axes}DTranspose",
        filters,
        rng.choice((2, 3)),
        strides=strides,
        padding="same",
        activation=rng.choice(MILD),
    ), (*(n * strides for n in shape[:-1]), filters)


def _pool(rng, shape):
    axes = len(shape) - 1
    size, strides, padding = rng.choice((2, 3)), rng.choice((None, 1, 2)), rng.choice(("same", "valid"))
    made = _sizes(rng, shape[:-1], size, strides or size, padding)
    if made is None:
        padding, made = "same", _sizes(rng, shape[:-1], size, strides or size, "same")
    return call(rng.choice(("MaxPooling", "AveragePooling")) + f"{axes}D", size, strides=strides, padding=padding), (
        *made,
        shape[-1],
    )


def _spread(rng, shape):
    axes, n = len(shape) - 1, rng.choice((1, 2))
    kind = rng.choice(("UpSampling", "ZeroPadding", "Cropping"))
    if kind == "UpSampling" and max(shape[:-1]) <= 20:
        return call(f"UpSampling{axes}D", n), (*(m * n for m in shape[:-1]), shape[-1])
    if kind == "Cropping" and min(shape[:-1]) > 2 * n:
        return call(f"Cropping{axes}D", n), (*(m - 2 * n for m in shape[:-1]), shape[-1])
    return call(f"ZeroPadding{axes}D", n), (*(m + 2 * n for m in shape[:-1]), shape[-1])


def _recurrent(rng, shape):
    name, n = rng.choice(("LSTM", "GRU", "SimpleRNN")), rng.choice((2, 5, 8, 32, 110))
    more = {
        "activation": rng.choice((None, None, "relu" if name == "SimpleRNN" else "sigmoid")),
        "go_backwards": rng.choice((None, None, True)),
        "reset_after": rng.choice((None, False)) if name == "GRU" else None,
    }
    many = rng.random() < 0.6
    made = call(name, n, return_sequences=many or None, **more)
    if rng.random() < 0.3:
        merge = rng.choice((None, "sum", "concat", "mul", "ave"))
        made = made.replace(", go_backwards=True", "")
        made = f"keras.layers.Bidirectional({made}{', merge_mode=' + repr(merge) if merge else ''})"
        n = n * 2 if merge in (None, "concat") else n
    return made, (shape[0], n) if many else (n,)


def _over_time(rng, shape):
    n = units(rng)
    return f"keras.layers.TimeDistributed({call('Dense', n, activation=rng.choice(MILD))})", (*shape[:-1], n)


def _einsum(rng, shape):
    n = rng.choice((4, 16, 101))
    return call("EinsumDense", "abc,cd->abd", output_shape=(None, n), bias_axes="d"), (shape[0], n)


def _global(rng, shape):
    return call(rng.choice(("GlobalAveragePooling", "GlobalMaxPooling")) + f"{len(shape) - 1}D"), (shape[-1],)


def _flatten(rng, shape):
    return call("Flatten"), None


def _permute(rng, shape):
    order = (2, 1) if len(shape) == 2 else (2, 1, 3)
    return call("Permute", order), tuple(shape[i - 1] for i in order)


def _resize(rng, shape):
    size = (rng.choice((6, 9)), rng.choice((7, 12)))
    return call("Resizing", *size, interpolation=rng.choice((None, "nearest"))), (*size, shape[-1])


BY_AXES = {
    1: ANY,
    2: (*ANY, _conv, _conv, _pool, _spread, _recurrent, _recurrent, _over_time, _einsum, _permute),
    3: (*ANY, _conv, _conv, _conv, _transposed, _pool, _pool, _spread, _permute, _resize, _over_time),
    4: (*ANY, _conv, _pool, _spread),
}
TO_VECTOR = (_global, _global, _flatten)


def layer(rng, shape):
    """(source, shape) of a layer for inputs of a shape."""
    while True:
        made, after = rng.choice(BY_AXES[len(shape)])(rng, shape)
        if after is None and "Depthwise" in made:
            after = _depthwise_shape(made, shape)
        if after is not None and 0 < size(after) <= 40000:
            return made, after


def _depthwise_shape(made, shape):
    options = dict(part.split("=") for part in made[made.index("(") + 1 : -1].split(", ")[1:])
    kernel, strides = int(made[made.index("(") + 1 :].split(",")[0].rstrip(")")), int(options.get("strides", 1))
    sizes = _sizes(
        None,
        shape[:-1],
        kernel,
        strides,
        options["padding"].strip("'").replace("causal", "same"),
        int(options.get("dilation_rate", 1)),
    )
    return (*sizes, shape[-1] * int(options.get("depth_multiplier", 1)))


def size(shape):
    """How many numbers."""
    product = 1
    for n in shape:
        product *= n
    return product


def to_vector(rng, shape):
    """(source, shape) of a layer that leaves one axis."""
    made, after = rng.choice(TO_VECTOR)(rng, shape)
    return made, after or (size(shape),)
