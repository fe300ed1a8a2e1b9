"""The data that calls of both sides are given, and what their results become:
a pure function of shape, dtype, seed and kind."""

import math
import re

import numpy as np

FLOATS = ("float32", "float32", "float32", "float64", "float16", "bfloat16")
INTEGERS = ("int32", "int32", "int64", "uint8", "int8", "int16", "uint16", "uint32", "uint64")
COMPLEX = ("complex64", "complex128")
WIDE = {"float16": "float64", "bfloat16": "float64", "float32": "float64", "complex64": "complex128"}
WORDS = ("", "a", "Tag", "hello world", "42", "-7.5", "a,b,,c", "Ärger", "日本", "x y  z", "ABC", "0x1F", "1e3", "true")


def array(shape, dtype, seed, kind="plain"):
    """plain: small numbers; unit: in (0, 1); whole: 0 … 3; sorted; probable: rows that add up to 1; extreme: the ends
    of the dtype among them; spd: well-conditioned matrices."""
    rng = np.random.default_rng([seed, len(shape)])
    shape = tuple(shape)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype == "string":
        return np.array([WORDS[i] for i in rng.integers(0, len(WORDS), math.prod(shape))], object).reshape(shape)
    name = "float32" if dtype == "bfloat16" else dtype
    if kind == "whole":
        return rng.integers(0, 4, shape).astype(name)
    if kind == "unit":
        return rng.uniform(0.02, 0.98, shape).astype(name)
    if kind == "probable":
        made = rng.uniform(0.05, 1, shape)
        return (made / made.sum(-1, keepdims=True) if shape else made).astype(name)
    if kind == "onehot":
        n = shape[-1] if shape else 1
        return (np.arange(n) == np.asarray(rng.integers(0, n, shape[:-1]))[..., None]).astype(name)
    if kind == "spd" and len(shape) >= 2:
        n = shape[-1]
        made = rng.normal(size=shape)
        if shape[-2] == n:
            made = made @ np.swapaxes(made, -1, -2) / n + 2 * np.eye(n)
        return made.astype(name)
    if "int" in name:
        info = np.iinfo(name)
        made = rng.integers(-9 if info.min else 0, 10, shape).astype(name)
        if kind == "extreme" and made.size:
            flat = made.reshape(-1)
            flat[rng.integers(0, flat.size, max(1, flat.size // 3))] = info.max
            flat[rng.integers(0, flat.size, max(1, flat.size // 4))] = info.min
    else:
        made = rng.normal(0, 2, shape)
        if name.startswith("complex"):
            made = made + 1j * rng.normal(0, 2, shape)
        made = np.asarray(made).astype(name)
        if kind == "extreme" and made.size:
            flat = made.reshape(-1)
            for odd in (np.nan, np.inf, -np.inf, -0.0, 0.5, 1.5):
                flat[rng.integers(0, flat.size)] = odd
        if kind == "sorted":
            made = np.sort(made, axis=-1) if made.ndim else made
    if kind == "sorted" and made.ndim:
        made = np.sort(made, axis=-1)
    return made


def helpers(tf, wide=False):
    """What the source of a call may use besides tf, keras and np. Wide: tensors of the same numbers in 64 bits."""

    def tensor(shape, dtype, seed, kind="plain"):
        made = array(shape, dtype, seed, kind)
        made = tf.cast(tf.constant(made), "bfloat16") if dtype == "bfloat16" else tf.constant(made, dtype)
        return tf.cast(made, WIDE.get(dtype, dtype)) if wide else made

    def variable(shape, dtype, seed, kind="plain"):
        return tf.Variable(tensor(shape, dtype, seed, kind))

    def numpy_array(shape, dtype, seed, kind="plain"):
        made = array(shape, dtype, seed, kind)
        return made.astype(WIDE.get(dtype, dtype)) if wide else made

    return {"T": tensor, "V": variable, "N": numpy_array, **_programs(tf)}


def widened(source):
    """A call whose dtypes are of 64 bits, but for those of its data, which have a seed behind them."""
    return re.sub(r"'(\w+)'(?!, \d)", lambda m: repr(WIDE.get(m[1], m[1])), source)


def _programs(tf):
    import importlib

    keras = importlib.import_module("keras") if tf.__name__ == "tensorflow" else tf.keras

    def layer(made, *inputs, call=None, training=False):
        """The results, and the gradients for the inputs and weights,
        of a layer whose weights are set to known numbers."""
        inputs = list(inputs)
        given = inputs[0] if len(inputs) == 1 else inputs
        options = {**(call or {}), **({"training": True} if training else {})}
        made(given, **options)
        # Small, so that rounding does not grow from step to step.
        made.set_weights(
            [
                array(w.shape, "float32", i) * np.float32(0.3 / max(1, w.size / max(w.shape[-1:] or (1,))) ** 0.5)
                if w.dtype.kind == "f"
                else w
                for i, w in enumerate(made.get_weights())
            ]
        )
        watched = [x for x in inputs if getattr(x, "dtype", None) is not None and x.dtype in (tf.float32, tf.float64)]
        with tf.GradientTape() as tape:
            for x in watched:
                tape.watch(x)
            result = made(given, **options)
            flat = [tf.reshape(r, [-1]) for r in tf.nest.flatten(result) if r.dtype in (tf.float32, tf.float64)]
            total = (
                sum(tf.reduce_sum(r * tf.cast(tf.linspace(0.5, 1.5, r.shape[0]), r.dtype)) for r in flat if r.shape[0])
                if flat
                else None
            )
        gradients = tape.gradient(total, watched) if total is not None and watched else []
        return [result, gradients, [list(w.shape) for w in made.weights]]

    def metric(made, *updates):
        for update in updates:
            made.update_state(*update)
        first = plain(made.result())[-1]  # now: it may be the variable itself
        made.reset_state()
        made.update_state(*updates[0])
        return [first, made.result(), [list(v.shape) for v in made.variables]]

    def optimizer(made, shapes, steps, seed):
        weights = [
            keras.Variable(array(s, "float32", seed + i))
            if tf.__name__ == "tensorflow"
            else tf.Variable(array(s, "float32", seed + i))
            for i, s in enumerate(shapes)
        ]
        for step in range(steps):
            made.apply_gradients(
                [
                    (tf.constant(array(s, "float32", seed + 7 * step + i + 1)), w)
                    for i, (s, w) in enumerate(zip(shapes, weights))
                ]
            )
        return [tf.convert_to_tensor(w) for w in weights] + [int(made.iterations)]

    def elements(dataset, most=40):
        """The first elements, and what the dataset says of itself."""
        found = []
        for element in dataset:
            found.append(
                list(tf.nest.flatten(element))
                if not hasattr(element, "__iter__") or isinstance(element, (tuple, dict)) or hasattr(element, "shape")
                else list(element)
            )
            if len(found) >= most:
                break
        return [
            found,
            int(dataset.cardinality()),
            str(
                tf.nest.map_structure(
                    lambda s: (str(getattr(s, "shape", None)), getattr(getattr(s, "dtype", None), "name", None)),
                    tf.nest.flatten(dataset.element_spec),
                )
            ),
        ]

    def gradient(f, *inputs):
        """The result of f and its gradients."""
        with tf.GradientTape() as tape:
            for x in inputs:
                tape.watch(x)
            y = f(*inputs)
        return [y, tape.gradient(y, list(inputs))]

    def traced(f, *inputs):
        """f within tf.function."""
        return tf.function(f)(*inputs)

    return {
        "run_layer": layer,
        "run_metric": metric,
        "run_optimizer": optimizer,
        "elements": elements,
        "gradient": gradient,
        "traced": traced,
    }


def plain(value, depth=0):
    """A result as plain data: ("array", dtype, array), ("list", […]), ("dict", {…}) or ("value", x)."""
    if depth > 8:
        return ("value", "…")
    if value is None or isinstance(value, (bool, int, float, str, complex)):
        return ("value", value)
    if isinstance(value, bytes):
        return ("array", "string", np.asarray(value, object))
    if isinstance(value, dict):
        return ("dict", {str(k): plain(v, depth + 1) for k, v in value.items()})
    kind = type(value).__name__
    if kind == "TensorShape":
        return ("value", str(tuple(value)) if value.rank is not None else "unknown")
    if isinstance(value, (list, tuple)):
        return ("list", [plain(v, depth + 1) for v in value])
    if hasattr(value, "as_numpy_dtype"):
        return ("value", value.name)
    if kind == "RaggedTensor":
        return ("list", [plain(value.values, depth + 1), plain(value.row_splits, depth + 1)])
    if kind == "SparseTensor":
        return ("list", [plain(value.indices), plain(value.values), plain(value.dense_shape)])
    if kind == "IndexedSlices":
        return ("list", [plain(value.indices), plain(value.values)])
    if hasattr(value, "element_spec") or hasattr(value, "__next__"):
        return ("list", [plain(v, depth + 1) for _, v in zip(range(40), value)])
    made = value.numpy() if hasattr(value, "numpy") else value
    if isinstance(made, (str, bytes)):
        return ("array", "string", np.asarray(made, object))
    if not isinstance(made, (np.ndarray, np.generic)):
        return ("value", f"a {kind}")
    made = np.asarray(made)
    name = "string" if made.dtype.kind in "OSU" else made.dtype.name
    if (
        getattr(getattr(value, "dtype", None), "name", None) == "bfloat16"
    ):  # where NumPy has none, its numbers are float32
        name = "bfloat16"
    if name == "bfloat16":
        made = made.astype(np.float32)
    return ("array", name, made)
