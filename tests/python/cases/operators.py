"""tf.linalg: LU, roots and logarithms of matrices, three diagonals, and linear operators."""

ALL_OF_ONE = """
        def told(o, x, y=None, self_adjoint=False):
            y = x if y is None else y
            made = [tuple(o.shape), tuple(o.batch_shape), int(o.domain_dimension), int(o.range_dimension), o.tensor_rank, o.shape_tensor(), o.batch_shape_tensor(), o.dtype.name,
                    o.is_self_adjoint, o.is_positive_definite, o.is_non_singular, o.is_square, o.to_dense(), o.matmul(x), o.matmul(y, adjoint=True), o.diag_part()]
            if o.is_square:
                made += [o.trace(), o.add_to_tensor(tf.ones(o.shape, o.dtype)), o.determinant(), o.log_abs_determinant()]
                if o.is_non_singular is not False:
                    made += [o.solve(x), o.solve(x, adjoint=True), o.solvevec(x[..., 0]), abs(o.cond())]
                    made += [o.inverse().to_dense(), o.inverse().matmul(x)]
            made += [o.matvec(x[..., 0]), o.adjoint().to_dense(), o.H.matmul(y)]
            if self_adjoint:
                made.append(o.eigvals())
            kept = [m for m in made if hasattr(m, 'shape')]
            sums = [np.sum(np.asarray(m) * np.reshape(np.arange(np.size(m)) % 7 + 1, np.shape(m))) for m in kept]
            words = ' '.join([str(m) for m in made if not hasattr(m, 'shape')] + [str(tuple(m.shape)) for m in kept])
            return [words.replace(' ', ''), np.array([np.real(n) + 2 * np.imag(n) for n in sums], 'float32')]
        def random(*shape):
            return tf.constant(rng.normal(size=shape))
        x = random(3, 12, 4)
        O = tf.linalg
        """


def _operator(make, *more):
    return ALL_OF_ONE + f"told({make}, {', '.join(more) or 'x'})"


LOOSE = {"rtol": 1e-4, "atol": 1e-5}
CASES = [
    (
        "lu",
        """
        x = tf.Variable(rng.normal(size=(3, 70, 70)))
        lu, p = tf.linalg.lu(x)
        rhs = rng.normal(size=(3, 70, 2))
        [p, lu[1, :3, :3], tf.reduce_sum(lu), tf.linalg.lu_solve(lu, p, rhs)[0, :5], tf.reduce_sum(tf.linalg.lu_reconstruct(lu, p) * x),
         tf.linalg.lu_matrix_inverse(lu, p)[1, :3, :3], tf.linalg.lu(x, tf.int64)[1].dtype]
    """,
        {"rtol": 1e-6, "atol": 1e-7},
    ),
    (
        "lu_in_a_function",
        """
        @tf.function
        def solved(a, b):
            lu, p = tf.linalg.lu(a)
            return tf.linalg.lu_solve(lu, p, b)
        a = rng.normal(size=(130, 130)).astype('float32')
        tf.reduce_max(tf.abs(tf.matmul(a, solved(tf.constant(a), tf.ones([130, 1]))) - 1)) < 1e-2
    """,
    ),
    ("lu_of_a_matrix_that_is_not_square", "tf.linalg.lu(tf.ones([3, 4]))"),
    (
        "square_roots_of_matrices",
        """
        a = rng.normal(size=(2, 6, 6))
        x = tf.Variable(np.matmul(a, a.transpose(0, 2, 1)) + np.eye(6))
        with tf.GradientTape() as tape:
            y = tf.linalg.sqrtm(x)
            loss = tf.reduce_sum(y * y * tf.range(6.0, dtype=tf.float64))
        jordan = tf.constant([[4.0, 1.0], [0.0, 4.0]], tf.float64)
        [y[1], tape.gradient(loss, x)[1], tf.linalg.sqrtm(jordan), tf.linalg.sqrtm(tf.constant([[0, 1], [-1, 0]], tf.complex128)), tf.matrix_square_root(x)[0, 0]]
    """,
        {"rtol": 1e-6, "atol": 1e-7},
    ),
    (
        "logarithms_of_matrices",
        """
        a = rng.normal(size=(4, 4)) + 1j * rng.normal(size=(4, 4))
        [tf.linalg.logm(a), tf.linalg.logm(tf.constant([[4.0, 1.0, 0], [0.0, 4.0, 1], [0, 0, 4]], tf.complex64))]
    """,
        {"rtol": 1e-5, "atol": 1e-6},
    ),
    (
        "tridiagonal_systems",
        """
        d, b = tf.Variable(rng.normal(size=(2, 3, 150)) + np.array([0, 4, 0])[:, None]), tf.Variable(rng.normal(size=(2, 150, 3)))
        made = []
        with tf.GradientTape() as tape:
            y = tf.linalg.tridiagonal_solve(d, b)
            loss = tf.reduce_sum(y * y)
        g = tape.gradient(loss, [d, b])
        made += [y[0, :4], loss, g[0][:, :, 70:74], g[1][1, :4]]
        parts = [d[:, 0, :-1], d[:, 1], d[:, 2, 1:]]
        made += [tf.linalg.tridiagonal_solve(parts, b[:, :, 0], 'sequence')[:, :4], tf.linalg.tridiagonal_matmul(d, b)[1, :4], tf.linalg.tridiagonal_matmul([d[:, 0], d[:, 1], d[:, 2]], b, 'sequence')[1, -3:]]
        matrix = tf.constant(rng.normal(size=(30, 30)) + 5 * np.eye(30))
        made += [tf.linalg.tridiagonal_solve(matrix, b[0, :30], 'matrix')[:3], tf.linalg.tridiagonal_solve(matrix, tf.transpose(b[0, :30]), 'matrix', transpose_rhs=True)[:3]]
        made
    """,
        {"rtol": 1e-6, "atol": 1e-8},
    ),
    (
        "large_tridiagonal_systems",
        """
        made = []
        for n in (1000, 1024, 5000):
            d, b = tf.constant(rng.normal(size=(3, n)) + np.array([0, 4, 0])[:, None]), tf.constant(rng.normal(size=(n, 2)))
            y = tf.linalg.tridiagonal_solve(d, b)
            made += [y[::997], tf.reduce_sum(y)]
        made
    """,
        {"rtol": 1e-6, "atol": 1e-8},
    ),
    (
        "bands",
        """
        made = []
        for lower in (True, False):
            for adjoint in (False, True):
                bands = rng.normal(size=(2, 4, 120))
                bands[:, 0 if lower else -1] += 6
                made.append(tf.linalg.banded_triangular_solve(bands, rng.normal(size=(2, 120, 2)), lower=lower, adjoint=adjoint)[1, ::20])
        made
    """,
        {"rtol": 1e-6, "atol": 1e-8},
    ),
    (
        "eigenvalues_of_three_diagonals",
        """
        a, b = rng.normal(size=120), rng.normal(size=119)
        [tf.linalg.eigh_tridiagonal(a, b)[::10], tf.linalg.eigh_tridiagonal(a, b, select='i', select_range=[3, 9]), tf.linalg.eigh_tridiagonal(a, b, select='v', select_range=[-0.5, 0.5]),
         tf.linalg.eigh_tridiagonal(a, b, eigvals_only=False)[0][::10], abs(tf.linalg.eigh_tridiagonal(a, b, eigvals_only=False)[1])[:3, :3]]
    """,
        {"rtol": 1e-4, "atol": 1e-5},
    ),
    # ---- linear operators
    ("full_matrix", _operator("O.LinearOperatorFullMatrix(random(3, 12, 12))"), LOOSE),
    ("matrix_that_is_not_square", _operator("O.LinearOperatorFullMatrix(random(3, 5, 12))", "x", "x[:, :5]"), LOOSE),
    (
        "positive_definite_matrix",
        ALL_OF_ONE
        + """
        a = random(3, 12, 12)
        o = O.LinearOperatorFullMatrix(tf.matmul(a, a, transpose_b=True) + tf.eye(12, dtype=tf.float64), is_self_adjoint=True, is_positive_definite=True)
        told(o, x, self_adjoint=True) + [tf.reduce_sum(o.cholesky().to_dense()), type(o.cholesky()).__name__]
    """,
        LOOSE,
    ),
    ("diagonal", _operator("O.LinearOperatorDiag(random(3, 12), is_non_singular=True)", "x", "x", "True"), LOOSE),
    ("diagonal_without_batch", _operator("O.LinearOperatorDiag(random(12))"), LOOSE),
    ("identity", _operator("O.LinearOperatorIdentity(12, [3], tf.float64)", "x", "x", "True"), LOOSE),
    ("scaled_identity", _operator("O.LinearOperatorScaledIdentity(12, random(3))"), LOOSE),
    ("zeros", _operator("O.LinearOperatorZeros(12, batch_shape=[3], dtype=tf.float64)"), LOOSE),
    (
        "lower_triangle",
        _operator("O.LinearOperatorLowerTriangular(random(3, 12, 12) + 4 * tf.eye(12, dtype=tf.float64))"),
        LOOSE,
    ),
    ("reflection", _operator("O.LinearOperatorHouseholder(random(3, 12))"), LOOSE),
    (
        "permutation",
        _operator(
            "O.LinearOperatorPermutation(np.stack([rng.permutation(12) for _ in range(3)]).astype('int32'), tf.float64)"
        ),
        LOOSE,
    ),
    (
        "toeplitz",
        ALL_OF_ONE
        + """
        col = random(3, 12) + 5 * tf.one_hot(0, 12, dtype=tf.float64)
        told(O.LinearOperatorToeplitz(col, tf.concat([col[:, :1], random(3, 11)], 1)), x)
    """,
        LOOSE,
    ),
    (
        "three_diagonals",
        _operator("O.LinearOperatorTridiag(random(3, 3, 12) + tf.constant([[0.0], [5.0], [0.0]], tf.float64))"),
        LOOSE,
    ),
    (
        "circulant",
        _operator(
            "O.LinearOperatorCirculant(tf.cast(rng.uniform(1, 2, (3, 12)), tf.complex64))", "tf.cast(x, tf.complex64)"
        ),
        {"rtol": 1e-3, "atol": 1e-3},
    ),
    (
        "real_circulant",
        ALL_OF_ONE
        + """
        spectrum = tf.signal.fft(tf.cast(random(3, 12) + 5 * tf.one_hot(0, 12, dtype=tf.float64), tf.complex128))
        o = O.LinearOperatorCirculant(spectrum, tf.float64)
        [o.to_dense()[1, :2], o.matmul(x)[2, 0], o.matmul(x, adjoint=True)[1, 3], o.solve(x)[0, 1], o.determinant(), o.trace(), o.diag_part(), o.log_abs_determinant(), o.convolution_kernel()[1], o.is_self_adjoint]
    """,
        LOOSE,
    ),
    (
        "circulant_blocks",
        _operator(
            "O.LinearOperatorCirculant2D(tf.cast(rng.uniform(1, 2, (3, 3, 4)), tf.complex64))",
            "tf.cast(x, tf.complex64)",
        ),
        {"rtol": 1e-3, "atol": 1e-3},
    ),
    (
        "composition",
        _operator(
            "O.LinearOperatorComposition([O.LinearOperatorFullMatrix(random(3, 12, 12)), O.LinearOperatorDiag(random(12))])"
        ),
        LOOSE,
    ),
    (
        "adjoint_and_inversion",
        ALL_OF_ONE
        + """
        o = O.LinearOperatorFullMatrix(random(3, 12, 12) + 3 * tf.eye(12, dtype=tf.float64))
        told(O.LinearOperatorAdjoint(o), x) + told(O.LinearOperatorInversion(o), x)
    """,
        LOOSE,
    ),
    (
        "blocks_along_the_diagonal",
        ALL_OF_ONE
        + """
        o = O.LinearOperatorBlockDiag([O.LinearOperatorFullMatrix(random(3, 5, 5) + 3 * tf.eye(5, dtype=tf.float64)), O.LinearOperatorDiag(random(7))])
        parts = [x[:, :5], x[:, 5:]]
        told(o, x) + [tf.reduce_sum(p) for p in o.matmul(parts) + o.solve(parts) + o.matvec([p[..., 0] for p in parts])]
    """,
        LOOSE,
    ),
    (
        "blocks_below_the_diagonal",
        ALL_OF_ONE
        + """
        a, b, c = O.LinearOperatorFullMatrix(random(3, 5, 5) + 3 * tf.eye(5, dtype=tf.float64)), O.LinearOperatorFullMatrix(random(7, 5)), O.LinearOperatorDiag(random(7))
        o = O.LinearOperatorBlockLowerTriangular([[a], [b, c]])
        parts = [x[:, :5], x[:, 5:]]
        made = [tuple(o.shape), o.determinant(), o.log_abs_determinant(), o.trace(), o.diag_part(), o.to_dense()[1, 6], o.matmul(x)[0, ::5], o.matmul(x, adjoint=True)[1, ::5], o.solve(x)[1, ::5], o.solve(x, adjoint=True)[2, ::5]]
        made + [p[1, :1] for p in o.matmul(parts)] + [p[2] for p in o.solvevec([p[..., 0] for p in parts])]
    """,
        LOOSE,
    ),
    (
        "kronecker",
        _operator(
            "O.LinearOperatorKronecker([O.LinearOperatorFullMatrix(random(3, 3, 3)), O.LinearOperatorDiag(random(2)), O.LinearOperatorFullMatrix(random(2, 2))])"
        ),
        LOOSE,
    ),
    (
        "update_of_low_rank",
        _operator(
            "O.LinearOperatorLowRankUpdate(O.LinearOperatorDiag(tf.cast(rng.uniform(2, 3, 12), tf.float64)), random(3, 12, 2), random(3, 2), random(3, 12, 2))"
        ),
        LOOSE,
    ),
    (
        "update_of_low_rank_that_is_symmetric",
        ALL_OF_ONE
        + """
        o = O.LinearOperatorLowRankUpdate(O.LinearOperatorDiag(tf.cast(rng.uniform(2, 3, (3, 12)), tf.float64), is_positive_definite=True), random(3, 12, 2))
        told(o, x) + [tf.reduce_sum(o.cholesky().to_dense())]
    """,
        LOOSE,
    ),
    (
        "products_of_operators",
        ALL_OF_ONE
        + """
        d, f, i, l = O.LinearOperatorDiag(random(12)), O.LinearOperatorFullMatrix(random(3, 12, 12)), O.LinearOperatorIdentity(12, dtype=tf.float64), O.LinearOperatorLowerTriangular(random(12, 12))
        made = [a @ b for a, b in ((d, d), (i, f), (d, i), (l, l), (f, d))]
        [[type(m).__name__, tf.reduce_sum(m.to_dense())] for m in made]
    """,
        LOOSE,
    ),
    (
        "training_through_an_operator",
        """
        d, u = tf.Variable(np.linspace(1, 2, 120)), tf.Variable(rng.normal(size=(120, 3)))
        x = tf.constant(rng.normal(size=(120, 5)))
        def step():
            with tf.GradientTape() as tape:
                o = tf.linalg.LinearOperatorLowRankUpdate(tf.linalg.LinearOperatorDiag(d), u)
                loss = tf.reduce_sum(o.solve(x) ** 2) + o.log_abs_determinant()
            return loss, [tf.reduce_sum(abs(g)) for g in tape.gradient(loss, [d, u])]
        [step(), tf.function(step)(), len(tf.linalg.LinearOperatorDiag(d).trainable_variables)]
    """,
        {"rtol": 1e-6},
    ),
    (
        "hints_that_do_not_go_together",
        "tf.linalg.LinearOperatorFullMatrix(tf.eye(3), is_positive_definite=True, is_non_singular=False)",
    ),
    ("arguments_of_wrong_sizes", "tf.linalg.LinearOperatorDiag([1.0, 2.0]).matmul(tf.ones([3, 3]))"),
    ("no_cholesky", "tf.linalg.LinearOperatorFullMatrix(tf.eye(3)).cholesky()"),
]
