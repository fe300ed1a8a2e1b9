"""keras.ops: functions of NumPy's that fewer programs call."""

_X = """
        x = np.linspace(-3, 3, 120, dtype='float32').reshape(10, 12)
        y = np.where(x > 2, np.nan, x).astype('float32')
        i = np.arange(120, dtype='int32').reshape(10, 12)
        ops = keras.ops
"""

CASES = [
    (name, _X + "        " + text)
    for name, text in {
        "fabs": "[ops.fabs(x), ops.fabs(i)]", "trunc": "[ops.trunc(x), ops.trunc(i)]", "cbrt": "ops.cbrt(x)", "fmod": "ops.fmod(x, 0.7)",
        "fmax": "[ops.fmax(y, 0.5), ops.fmin(y, x)]", "heaviside": "ops.heaviside(np.round(x), 0.5)", "sinc": "ops.sinc(x)",
        "infinities": "[f(np.where(x > 2, np.inf, np.where(x < -2, -np.inf, x)).astype('float32')) for f in (ops.isposinf, ops.isneginf, ops.isreal)]", "logaddexp2": "ops.logaddexp2(x, x[::-1])",
        "ldexp": "ops.ldexp(x, i % 5)", "bits": "[ops.bitwise_invert(i), ops.bitwise_left_shift(i, 2), ops.right_shift(i, 3)]",
        "isin": "[ops.isin(i, [3, 50, 119]), ops.isin(i, [3, 50], invert=True)]", "allclose": "[ops.allclose(x, x + 1e-9), ops.allclose(x, x + 1)]",
        "nansum": "[ops.nansum(y), ops.nansum(y, axis=1), ops.nanprod(y[:, :2], axis=0, keepdims=True)]",
        "nanmean": "[ops.nanmean(y), ops.nanmean(y, axis=0), ops.nanvar(y, axis=0), ops.nanstd(y)]",
        "nanmax": "[ops.nanmax(y), ops.nanmax(y, axis=1), ops.nanmin(y, axis=0)]", "ptp": "[ops.ptp(x), ops.ptp(x, axis=1)]",
        "percentile": "ops.percentile(x, [10.0, 50.0], axis=1)", "trapezoid": "[ops.trapezoid(x), ops.trapezoid(x, dx=0.5, axis=0)]",
        "flips": "[ops.flipud(i), ops.fliplr(i)]", "stacks": "[ops.dstack([x, x + 1]), ops.dstack([i[0], i[1]])]",
        "splits": "[*ops.hsplit(i, 3), *ops.vsplit(i, 2), *ops.dsplit(i.reshape(10, 3, 4), 2)]", "diagflat": "ops.diagflat(i[:2, :3], 1)",
        "kron": "[ops.kron(i[:3, :4], i[:2, :5]), ops.kron(i[0], i[1])]",
        "separable_conv": "ops.separable_conv(ops.reshape(x, (1, 10, 12, 1)), ops.ones((3, 3, 1, 2)), ops.ones((1, 1, 2, 101)) / 9, padding='same')[..., 0]",
        "blocks": "[ops.depth_to_space(ops.reshape(i, (1, 2, 5, 12)), 2), ops.space_to_depth(ops.reshape(i, (1, 10, 12, 1)), 2)]",
        "windows": "[ops.bartlett(101), ops.blackman(101), ops.hamming(101), ops.hanning(101), ops.kaiser(101, 8.0)]",
    }.items()
]  # fmt: skip
CASES = [(*case, {"rtol": 1e-4, "atol": 1e-5}) for case in CASES]
