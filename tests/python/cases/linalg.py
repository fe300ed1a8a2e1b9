"""tf.linalg."""

_A = "tf.constant([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 5.0]])"
_B = "tf.constant([[1.0], [2.0], [3.0]])"

CASES = [
    ("matvec", f"[tf.linalg.matvec({_A}, [1.0, 2.0, 3.0]), tf.linalg.matvec([[1.0, 2.0]], [3.0], transpose_a=True)]"),
    (
        "norm",
        f"[tf.norm([3.0, 4.0]), tf.norm({_A}, axis=1), tf.norm({_A}, ord=1), tf.linalg.norm({_A}, ord='fro', axis=[0, 1]), tf.norm([3.0, -4.0], ord=np.inf), tf.norm({_A}, ord=1, axis=[0, 1]), tf.norm({_A}, ord=2, axis=(-2, -1), keepdims=True), tf.norm([3.0, 4.0], ord=3)]",
    ),
    ("norm_ord", "tf.norm([1.0], ord='nuc')"),
    ("normalize", "tf.linalg.normalize([3.0, 4.0])"),
    ("l2_normalize", "tf.linalg.l2_normalize([3.0, 4.0])"),
    ("cross", "tf.linalg.cross([1.0, 2.0, 3.0], [0.0, 1.0, -1.0])"),
    ("global_norm", "tf.linalg.global_norm([tf.constant([3.0]), tf.constant([4.0])])"),
    (
        "diag",
        "[tf.linalg.diag([1.0, 2.0]), tf.linalg.diag([1, 2], k=1), tf.linalg.diag([[1, 2], [3, 4]]), tf.linalg.diag([1, 2], num_rows=3, num_cols=2), tf.linalg.diag([1.0, 2.0], padding_value=9.0)]",
    ),
    ("diag_part", f"[tf.linalg.diag_part({_A}), tf.linalg.diag_part({_A}, k=-1)]"),
    ("set_diag", f"tf.linalg.set_diag({_A}, [7.0, 8.0, 9.0])"),
    ("tensor_diag", "[tf.linalg.tensor_diag([1, 2]), tf.linalg.tensor_diag_part([[1, 2], [3, 4]])]"),
    ("band_part", f"[tf.linalg.band_part({_A}, 0, -1), tf.linalg.band_part({_A}, num_lower=1, num_upper=0)]"),
    ("trace", f"tf.linalg.trace({_A})"),
    ("matrix_transpose", "[tf.linalg.matrix_transpose([[1, 2], [3, 4]]), tf.linalg.adjoint([[1 + 1j, 2], [3, 4j]])]"),
    (
        "cholesky",
        f"x = {_A}\nwith tf.GradientTape() as t:\n  t.watch(x)\n  y = tf.reduce_sum(tf.linalg.cholesky(x))\nresult = [tf.linalg.cholesky(x), t.gradient(y, x)]",
    ),
    ("cholesky_solve", f"tf.linalg.cholesky_solve(tf.linalg.cholesky({_A}), {_B})"),
    ("qr", f"q, r = tf.linalg.qr({_A}); [q @ r, tf.abs(r)]", {"atol": 1e-5}),
    ("qr_full", "q, r = tf.linalg.qr([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], full_matrices=True); [q.shape, r.shape]"),
    (
        "svd",
        f"s, u, v = tf.linalg.svd({_A}); [s, u @ tf.linalg.diag(s) @ tf.transpose(v), tf.linalg.svd({_A}, compute_uv=False)]",
        {"atol": 1e-5},
    ),
    ("eigh", f"e, v = tf.linalg.eigh({_A}); [e, tf.abs(v), tf.linalg.eigvalsh({_A})]", {"atol": 1e-5}),
    ("solve", f"[tf.linalg.solve({_A}, {_B}), tf.linalg.solve({_A}, {_B}, adjoint=True)]", {"atol": 1e-6}),
    ("solve_singular", "tf.linalg.solve([[1.0, 2.0], [2.0, 4.0]], [[1.0], [2.0]]).numpy()"),
    (
        "triangular_solve",
        "[tf.linalg.triangular_solve([[2.0, 0.0], [1.0, 4.0]], [[2.0], [5.0]]), tf.linalg.triangular_solve([[2.0, 1.0], [0.0, 4.0]], [[2.0], [5.0]], lower=False)]",
    ),
    ("inv", f"[tf.linalg.inv({_A}), tf.linalg.inv({_A}, adjoint=True)]", {"atol": 1e-6}),
    (
        "det",
        f"x = {_A}\nwith tf.GradientTape() as t:\n  t.watch(x)\n  y = tf.linalg.det(x)\nresult = [y, t.gradient(y, x)]",
    ),
    ("slogdet", f"a, b = tf.linalg.slogdet({_A}); [a, b, tf.linalg.logdet({_A})]"),
    (
        "lstsq",
        "a = tf.constant([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]]); b = tf.constant([[1.0], [2.0], [2.0]]); [tf.linalg.lstsq(a, b), tf.linalg.lstsq(a, b, l2_regularizer=0.5), tf.linalg.lstsq(a, b, fast=False)]",
        {"atol": 1e-5},
    ),
    ("pinv", "tf.linalg.pinv([[1.0, 0.4, 0.5], [0.4, 0.2, 0.25]])", {"rtol": 1e-4}),
    ("matrix_rank", "[tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]), tf.linalg.matrix_rank(tf.eye(3))]"),
    ("expm", "tf.linalg.expm([[0.0, 1.0], [-1.0, 0.5]])"),
    ("not_square", "tf.linalg.inv(tf.zeros([2, 3]))", {"raises": "Exception"}),
]
