"""complex_*.json, complex_ops_*.json, fft_*.json and signal_*.json, by TensorFlow (see make_golden.py).

Complex numbers are stored as pairs along a last axis of two; "dtype_x" says which inputs they are. Gradients are those
of the first result, pulled back from "upstream"."""

import numpy as np
import tensorflow as tf

SEED = 31


def pairs(x):
    x = np.asarray(x)
    return np.stack([x.real, x.imag], -1) if np.iscomplexobj(x) else x


class Cases:
    def __init__(self, case):
        self.case, self.list = case, []
        self.rng = np.random.default_rng(SEED)

    def numbers(self, shape, dtype, low=-2.0, high=2.0):
        """Short decimals, so that the files stay short."""

        def part():
            return np.round(self.rng.uniform(low, high, shape), 2)

        dtype = np.dtype(dtype)
        return (part() + 1j * part() if dtype.kind == "c" else part()).astype(dtype)

    def add(self, name, call, inputs, params=None, lists=None, gradient=True):
        params, lists = params or {}, lists or {}
        tensors = {k: tf.constant(v) for k, v in inputs.items()}
        with tf.GradientTape() as tape:
            for x in tensors.values():
                tape.watch(x)
            y = call(*tensors.values(), **params, **lists)
        outputs, held = {"y_0": pairs(y.numpy())}, {k: pairs(v) for k, v in inputs.items()}
        if gradient:
            upstream = self.numbers(y.shape, y.dtype.as_numpy_dtype)
            held["upstream"] = pairs(upstream)
            gradients = tape.gradient(y, list(tensors.values()), tf.constant(upstream))
            for key, one in zip(tensors, gradients):
                outputs[f"gradient_{key}"] = pairs(tf.convert_to_tensor(one).numpy())
        held |= {k: np.int32(v) for k, v in lists.items()}
        shown = {"function": name.split("/")[0], "dtype": y.dtype.name, **params}
        shown |= {f"dtype_{k}": v.dtype.name for k, v in inputs.items()}
        self.list.append(self.case(name, held, shown, outputs))


def maths(case):
    c = Cases(case)
    m = tf.math
    unary = {
        "neg": m.negative,
        "square": m.square,
        "sqrt": m.sqrt,
        "exp": m.exp,
        "log": m.log,
        "reciprocal": m.reciprocal,
        "sin": m.sin,
        "cos": m.cos,
        "tanh": m.tanh,
        "abs": m.abs,
        "angle": m.angle,
        "real": m.real,
        "imag": m.imag,
        "conj": m.conj,
    }
    binary = {"add": m.add, "sub": m.subtract, "mul": m.multiply, "div": m.divide, "pow": m.pow}
    for dtype in ("complex64", "complex128"):
        for name, call in unary.items():
            for shape in ((), (3,), (2, 2)):
                c.add(f"{name}/{dtype}/{len(shape)}", call, {"x": c.numbers(shape, dtype, 0.2, 1.5)})
        for name, call in binary.items():
            for a, b in (((2,), (2,)), ((2, 2), (2,)), ((), (3,)), ((2, 1), (1, 2))):
                one = {"x": c.numbers(a, dtype, 0.3, 1.5), "y": c.numbers(b, dtype, 0.3, 1.5)}
                c.add(f"{name}/{dtype}/{a}{b}", call, one)
        real = "float32" if dtype == "complex64" else "float64"
        for a, b in (((3,), (3,)), ((2, 2), ()), ((2, 1), (2,))):
            c.add(f"complex/{dtype}/{a}{b}", tf.complex, {"x": c.numbers(a, real), "y": c.numbers(b, real)})
    return c.list


def others(case):
    c = Cases(case)
    for dtype in ("complex64", "complex128"):
        x = lambda *shape: {"x": c.numbers(shape, dtype)}
        both = lambda a, b: {"x": c.numbers(a, dtype), "y": c.numbers(b, dtype)}
        for to in ("float32", "float64", "complex64", "complex128"):
            c.add(f"cast/{dtype}/{to}", lambda x, to: tf.cast(x, to), x(3), {"to": to})
        for to in ("int32", "bool"):
            c.add(f"cast/{dtype}/{to}", lambda x, to: tf.cast(x, to), x(3), {"to": to}, gradient=False)
        for source in ("float32", "float64"):
            c.add(f"cast/{source}/{dtype}", lambda x, to: tf.cast(x, to), {"x": c.numbers((3,), source)}, {"to": dtype})
        for source in (np.int32([1, -2]), np.bool_([True, False])):
            c.add(
                f"cast/{source.dtype}/{dtype}",
                lambda x, to: tf.cast(x, to),
                {"x": source},
                {"to": dtype},
                gradient=False,
            )
        for axis in (0, 1):
            for keep in (0, 1):
                for name, call in (("sum", tf.reduce_sum), ("mean", tf.reduce_mean), ("prod", tf.reduce_prod)):
                    c.add(
                        f"{name}/{dtype}/{axis}/{keep}",
                        lambda x, axis, keepdims, call=call: call(x, axis, bool(keepdims)),
                        x(2, 3),
                        {"axis": axis, "keepdims": keep},
                    )
        for a, b in (((2, 3), (3, 2)), ((2, 2, 3), (3, 1)), ((1, 2, 2), (2, 2, 2))):
            c.add(f"matmul/{dtype}/{a}{b}", tf.matmul, both(a, b))
        for equation, a, b in (
            ("ij,jk->ik", (2, 2), (2, 3)),
            ("bij,bkj->bki", (2, 1, 2), (2, 2, 2)),
            ("i,j->ij", (2,), (2,)),
        ):
            c.add(
                f"einsum/{dtype}/{equation}",
                lambda x, y, equation: tf.einsum(equation, x, y),
                both(a, b),
                {"equation": equation},
            )
        c.add(f"vdot/{dtype}", tf.experimental.numpy.vdot, both((3,), (3,)))
        c.add(f"outer/{dtype}", tf.experimental.numpy.outer, both((2,), (2,)))
        c.add(f"tensordot/{dtype}", lambda x, y: tf.tensordot(x, y, 1), both((2, 2), (2, 2)))
        c.add(f"adjoint/{dtype}", tf.linalg.adjoint, x(2, 2, 3))
        c.add(f"transpose/{dtype}", tf.transpose, x(2, 3))
        c.add(f"reverse/{dtype}", tf.reverse, x(2, 3), lists={"axis": [1]})
        c.add(f"tile/{dtype}", tf.tile, x(2, 2), lists={"multiples": [2, 1]})
        c.add(f"pad/{dtype}", tf.pad, x(2, 2), lists={"paddings": [[1, 0], [0, 1]]})
        c.add(f"gather/{dtype}", lambda x, indices: tf.gather(x, indices), x(3, 2), lists={"indices": [2, 0, 2]})
        c.add(f"concat/{dtype}", lambda x, y: tf.concat([x, y], 0), both((1, 2), (2, 2)))
        c.add(f"stack/{dtype}", lambda x, y: tf.stack([x, y], 1), both((2,), (2,)))
        c.add(f"broadcast_to/{dtype}", tf.broadcast_to, x(2, 1), lists={"shape": [2, 2]})
        c.add(f"slice/{dtype}", lambda x: x[1:, ::2], x(3, 3))
        c.add(f"select/{dtype}", lambda x, y: tf.where(tf.math.real(x) > 0, x, y), both((4,), (4,)))
        c.add(
            f"equal/{dtype}",
            tf.math.equal,
            {"x": np.array([1 + 2j, 3], dtype), "y": np.array([1 + 2j, 3j], dtype)},
            gradient=False,
        )
        c.add(
            f"not_equal/{dtype}",
            tf.math.not_equal,
            {"x": np.array([1 + 2j, 3], dtype), "y": np.array([1 + 2j, 3j], dtype)},
            gradient=False,
        )
    return c.list


def transforms(case):
    c = Cases(case)
    s = tf.signal
    for dtype in ("complex64", "complex128"):
        real = "float32" if dtype == "complex64" else "float64"
        for n in (1, 2, 3, 5, 8, 12):
            for name, call in (("fft", s.fft), ("ifft", s.ifft)):
                c.add(f"{name}/{dtype}/{n}", call, {"x": c.numbers((n,), dtype)})
            c.add(f"rfft/{dtype}/{n}", s.rfft, {"x": c.numbers((n,), real)})
        for n in (2, 3, 5):
            c.add(f"irfft/{dtype}/{n}", s.irfft, {"x": c.numbers((n,), dtype)})
        for n, length in ((5, 3), (3, 5), (4, 8), (6, 4), (4, 1)):
            c.add(
                f"rfft/{dtype}/{n}/{length}",
                s.rfft,
                {"x": c.numbers((2, n), real)},
                lists={"fft_length": [length]},
                gradient=length >= n,
            )  # TensorFlow's own fails where it crops
            c.add(
                f"irfft/{dtype}/{n}/{length}",
                s.irfft,
                {"x": c.numbers((n,), dtype)},
                lists={"fft_length": [length]},
                gradient=length // 2 + 1 >= n,
            )
        for shape in ((2, 3), (1, 2, 2)):
            for name, call in (("fft2d", s.fft2d), ("ifft2d", s.ifft2d)):
                c.add(f"{name}/{dtype}/{shape}", call, {"x": c.numbers(shape, dtype)})
        for name, call in (("fft3d", s.fft3d), ("ifft3d", s.ifft3d)):
            c.add(f"{name}/{dtype}", call, {"x": c.numbers((2, 2, 3), dtype)})
        c.add(f"rfft2d/{dtype}", s.rfft2d, {"x": c.numbers((2, 3), real)})
        c.add(f"irfft2d/{dtype}", s.irfft2d, {"x": c.numbers((2, 3), dtype)})
        c.add(f"rfft2d/{dtype}/length", s.rfft2d, {"x": c.numbers((2, 3), real)}, lists={"fft_length": [3, 4]})
        c.add(f"irfft2d/{dtype}/length", s.irfft2d, {"x": c.numbers((2, 3), dtype)}, lists={"fft_length": [3, 5]})
        c.add(
            f"irfft2d/{dtype}/crop",
            s.irfft2d,
            {"x": c.numbers((3, 3), dtype)},
            lists={"fft_length": [2, 3]},
            gradient=False,
        )
        c.add(f"rfft3d/{dtype}", s.rfft3d, {"x": c.numbers((2, 2, 3), real)}, gradient=False)
        c.add(f"irfft3d/{dtype}", s.irfft3d, {"x": c.numbers((2, 2, 3), dtype)}, gradient=False)
        for shape in ((5,), (2, 3)):
            for name, call in (("fftshift", s.fftshift), ("ifftshift", s.ifftshift)):
                c.add(f"{name}/{dtype}/{shape}", call, {"x": c.numbers(shape, dtype)})
                c.add(f"{name}/{dtype}/{shape}/last", call, {"x": c.numbers(shape, dtype)}, lists={"axes": [-1]})
    return c.list


def frames(case):
    c = Cases(case)
    s = tf.signal
    for dtype in ("float32", "float64"):
        for window in ("hann_window", "hamming_window"):
            for length in (1, 2, 5, 8):
                for periodic in (0, 1):
                    call = lambda length, periodic, window=window, dtype=dtype: getattr(s, window)(
                        length[0], bool(periodic), tf.as_dtype(dtype)
                    )
                    c.add(
                        f"{window}/{dtype}/{length}/{periodic}",
                        call,
                        {},
                        {"periodic": periodic},
                        {"length": [length]},
                        gradient=False,
                    )
    frame = lambda x, length, step, pad_end, axis: s.frame(x, length, step, bool(pad_end), axis=axis)
    for length, step in ((3, 1), (4, 2), (2, 3), (6, 4), (9, 2)):
        for pad_end in (0, 1):
            c.add(
                f"frame/{length}/{step}/{pad_end}",
                frame,
                {"x": c.numbers((8,), "float32")},
                {"length": length, "step": step, "pad_end": pad_end, "axis": -1},
            )
    c.add(
        "frame/axis", frame, {"x": c.numbers((2, 5, 2), "float32")}, {"length": 2, "step": 1, "pad_end": 0, "axis": 1}
    )
    for shape, step in (((3, 4), 1), ((3, 4), 2), ((3, 4), 3), ((3, 4), 4), ((2, 3), 5), ((2, 2, 4), 2), ((1, 3), 2)):
        c.add(
            f"overlap_and_add/{shape}/{step}",
            lambda x, step: s.overlap_and_add(x, step),
            {"x": c.numbers(shape, "float32")},
            {"step": step},
        )
    for length, step, n in ((4, 2, 0), (3, 1, 0), (5, 3, 8), (4, 2, 3)):
        for window in (0, 1):
            for pad_end in (0, 1):
                stft = lambda x, length, step, n, window, pad_end: s.stft(
                    x, length, step, n or None, s.hann_window if window else None, bool(pad_end)
                )
                c.add(
                    f"stft/{length}/{step}/{n}/{window}/{pad_end}",
                    stft,
                    {"x": c.numbers((8,), "float32")},
                    {"length": length, "step": step, "n": n, "window": window, "pad_end": pad_end},
                    gradient=n == 0 or n >= length,
                )
            inverse = lambda x, length, step, n, window: s.inverse_stft(
                x, length, step, n or None, s.hann_window if window else None
            )
            width = (n or 4) // 2 + 1
            c.add(
                f"inverse_stft/{length}/{step}/{n}/{window}",
                inverse,
                {"x": c.numbers((3, width), "complex64")},
                {"length": length, "step": step, "n": n, "window": window},
            )
    for length, step in ((4, 2), (8, 3), (5, 5)):
        call = lambda length, step: s.inverse_stft_window_fn(step)(length[0], tf.float32)
        c.add(f"inverse_stft_window/{length}/{step}", call, {}, {"step": step}, {"length": [length]}, gradient=False)
    return c.list


def files(case):
    for name, cases in (
        ("complex", maths(case)),
        ("complex_ops", others(case)),
        ("fft", transforms(case)),
        ("signal", frames(case)),
    ):
        half = len(cases) // 2
        yield f"{name}_1.json", cases[:half]
        yield f"{name}_2.json", cases[half:]
