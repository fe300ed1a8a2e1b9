"""einsum.json, products.json, factorizations.json and linear_solve.json, by TensorFlow (see make_golden.py)."""

import keras
import numpy as np
import tensorflow as tf

SIZES = {"i": 2, "j": 3, "k": 2, "l": 2, "b": 2, "h": 2, "d": 2, "n": 3, "m": 2, "A": 2, "B": 3, "c": 2, "e": 2}

EQUATIONS = [  # with the shapes of ellipses, where there are any, one per operand
    "ij->ij",
    "ij->ji",
    "ij->i",
    "ij->j",
    "ij->",
    "ij",
    "ji",
    "ijk->kji",
    "ijk->kij",
    "ijk->jk",
    "ijk->k",
    "ijk",
    "i->i",
    "ii->i",
    "ii->",
    "ii",
    "iij->ij",
    "iij->j",
    "iji->j",
    "ijij->ij",
    "iii->i",
    "ijj->i",
    "iijj->ij",
    "iijj->",
    "i,i->",
    "i,i->i",
    "i,j->ij",
    "i,j->ji",
    "i,j->",
    "i,i",
    "ij,ij->ij",
    "ij,ij->",
    "ij,ij->i",
    "ij,ji->ij",
    "ij,ji->",
    "ij,jk->ik",
    "ij,jk->ki",
    "ij,jk",
    "ji,jk->ik",
    "ij,kj->ik",
    "ji,kj->ik",
    "ij,j->i",
    "ij,i->j",
    "j,jk->k",
    "ij,jk->",
    "ij,jk->i",
    "ij,kl->ijkl",
    "ij,kl->",
    "ij,jk->ijk",
    "bij,bjk->bik",
    "bij,bkj->bik",
    "bji,bjk->bik",
    "bij,bjk->bki",
    "bij,bjk->ibk",
    "bij,jk->bik",
    "ij,bjk->bik",
    "bij,bij->b",
    "bij,bij->bi",
    "bij,bi->bj",
    "ibj,jkb->kib",
    "bnhd,bmhd->bhnm",
    "ijk,jkl->il",
    "ijk,kjl->il",
    "iij,jk->ik",
    "ii,ii->",
    "ii,jj->ij",
    "AB,Bc->Ac",
    "aB,Ba",
    "ij, jk -> ik",
    "ij,jk,kl->il",
    "ij,jk,kl->",
    "i,ij,j->",
    "i,j,k->ijk",
    "ij,ij,ij->ij",
    "bi,bj,ijk->bk",
    "ij,jk,kl,lm->im",
    ",->",
    ",ij->ij",
    "->",
    "i,->i",
]
WITH_ELLIPSIS = [
    ("...ij->...ji", [(2,)]),
    ("...ij->...i", [(2,)]),
    ("...i->...", [(2, 2)]),
    ("i...->...i", [(2,)]),
    ("i...j->j...", [(2,)]),
    ("...ii->...i", [(2,)]),
    ("...", [(2, 2)]),
    ("...ij", [(2,)]),
    ("...->...", [(3,)]),
    ("...ij,...jk->...ik", [(2,), (2,)]),
    ("...ij,...jk->...ik", [(2, 1), (2,)]),
    ("...ij,...jk->...ik", [(1,), (2,)]),
    ("...ij,...jk->...ik", [(), (2,)]),
    ("...ij,jk->...ik", [(2,), None]),
    ("...i,...i->...", [(2,), (1,)]),
    ("...i,i->...i", [(2,), None]),
    ("...,...->...", [(2, 1), (1, 3)]),
    ("i...,j...->ij...", [(2,), (2,)]),
    ("...ij,j->i...", [(2,), None]),
    ("b...i,b...j->b...ij", [(2,), (1,)]),
    ("...ij,...jk,...k->...i", [(2,), (), (2,)]),
    ("ij->...ij", [None]),
    ("i...,...i->...", [(2,), (2,)]),
]


def whole(values):
    """Small whole numbers as weights of the outputs: the products stay whole, and the file short."""
    return values % 5 - 2


def in_order(function):
    """Takes its tensors in order, whatever it calls them."""
    return lambda **tensors: function(*tensors.values())


def make(op_case):
    named = {"einsum": lambda name: name.startswith("einsum/") and "..." not in name, "products": lambda name: True}
    files = split(products(op_case), named)
    factors = ("cholesky/", "qr", "svd", "eigh", "eigvalsh")
    named = {"factorizations": lambda name: name.startswith(factors), "linear_solve": lambda name: True}
    return files | split(linear_algebra(op_case), named)


def split(cases, belongs):
    """{file: those of the cases whose name belongs to it and to none before}"""
    files = {file: [] for file in belongs}
    for one in cases:
        files[next(file for file, test in belongs.items() if test(one["name"]))].append(one)
    return files


def products(op_case):
    rng = np.random.default_rng(21)

    def small(*shape):
        return rng.integers(-3, 4, shape).astype(np.float32)

    def one(name, call, inputs, params=None, lists=None):
        call = call if params or lists else in_order(call)
        return op_case(name, call, inputs, params, lists, gradient=tuple(inputs), wave=whole)

    cases = []

    def equation(text, ellipses=()):
        terms = text.split("->")[0].replace(" ", "").split(",")
        shapes = []
        for i, term in enumerate(terms):
            before, _, after = term.partition("...")
            middle = ellipses[i] if "..." in term else ()
            shapes.append([SIZES.get(c, 2) for c in before] + list(middle) + [SIZES.get(c, 2) for c in after])
        inputs = {name: small(*shape) for name, shape in zip("abcd", shapes)}
        name = f"einsum/{text}" + "".join(f"/{'x'.join(map(str, e))}" for e in ellipses if e)
        cases.append(one(name, lambda equation, **x: tf.einsum(equation, *x.values()), inputs, {"equation": text}))

    for text in EQUATIONS:
        equation(text)
    for text, ellipses in WITH_ELLIPSIS:
        equation(text, ellipses)

    x, y = small(2, 3, 2), small(3, 2, 2)
    for axes in (0, 1, 2):
        shapes = [(2, 2), (2, 2)] if axes == 0 else [(2, 3), (3, 2)] if axes == 1 else [(2, 3, 2), (3, 2, 2)]
        cases.append(
            one(f"tensordot/{axes}", tf.tensordot, {"a": small(*shapes[0]), "b": small(*shapes[1])}, {"axes": axes})
        )
    for a_axes, b_axes in (
        ([1], [0]),
        ([2], [1]),
        ([0, 1], [1, 0]),
        ([2, 1], [1, 0]),
        ([-1], [-1]),
        ([0], [2]),
        ([1, 0], [0, 2]),
    ):
        cases.append(
            one(
                f"tensordot_lists/{a_axes}{b_axes}",
                lambda a, b, a_axes, b_axes: tf.tensordot(a, b, [a_axes, b_axes]),
                {"a": x, "b": y},
                lists={"a_axes": a_axes, "b_axes": b_axes},
            )
        )
    for name, p, q, params in (
        ("", (3,), (3,), {"axis": -1}),
        ("/batch", (2, 3), (2, 3), {"axis": -1}),
        ("/axis_0", (3, 2), (3, 2), {"axis": 0}),
        ("/broadcast", (2, 1, 3), (2, 3), {"axis": -1}),
    ):
        dot = lambda a, b, axis: tf.reduce_sum(a * b, axis)
        cases.append(one(f"vecdot{name}", dot, {"a": small(*p), "b": small(*q)}, params))
    matvec = lambda a, b, transpose_a: tf.linalg.matvec(a, b, bool(transpose_a))
    cases += [
        one("vdot", keras.ops.vdot, {"a": small(2, 3), "b": small(2, 3)}),
        one("inner", keras.ops.inner, {"a": small(2, 3), "b": small(3)}),
        one("inner/matrices", keras.ops.inner, {"a": small(2, 3), "b": small(2, 2, 3)}),
        one("inner/scalar", keras.ops.inner, {"a": small(), "b": small(2, 2)}),
        one("outer", keras.ops.outer, {"a": small(2), "b": small(3)}),
        one("outer/matrices", keras.ops.outer, {"a": small(2, 2), "b": small(1, 3)}),
        one("cross", tf.linalg.cross, {"a": small(3), "b": small(3)}),
        one("cross/batch", tf.linalg.cross, {"a": small(2, 3), "b": small(2, 3)}),
        one("cross/broadcast", keras.ops.cross, {"a": small(2, 1, 3), "b": small(2, 3)}),
        one("kron", keras.ops.kron, {"a": small(2, 2), "b": small(1, 3)}),
        one("kron/vector", keras.ops.kron, {"a": small(2), "b": small(3)}),
        one("matvec", matvec, {"a": small(2, 3), "b": small(3)}, {"transpose_a": 0}),
        one("matvec/transposed", matvec, {"a": small(2, 3), "b": small(2)}, {"transpose_a": 1}),
        one("matvec/batch", matvec, {"a": small(2, 2, 3), "b": small(2, 3)}, {"transpose_a": 0}),
        one("matvec/broadcast", matvec, {"a": small(2, 3), "b": small(2, 3)}, {"transpose_a": 0}),
        one("trace", tf.linalg.trace, {"x": small(2, 3, 3)}),
        one("trace/wide", tf.linalg.trace, {"x": small(2, 3)}),
        one("matrix_transpose", tf.linalg.matrix_transpose, {"x": small(2, 2, 3)}),
    ]
    return cases


def linear_algebra(op_case):
    rng = np.random.default_rng(22)

    def regular(*shape):
        """Well conditioned, with numbers that are short to write."""
        n = min(shape[-2:])
        x = np.round(rng.standard_normal(shape), 1)
        x[..., np.arange(n), (np.arange(n) + 1) % n] += 3
        return x.astype(np.float32)

    def positive(*shape):
        x = np.round(rng.standard_normal(shape), 1)
        return np.round(x @ np.swapaxes(x, -1, -2) + 2 * np.eye(shape[-1]), 1).astype(np.float32)

    def apart(*shape):
        """Singular values and eigenvalues that lie apart."""
        n = min(shape[-2:])
        x = np.round(0.5 * rng.standard_normal(shape), 1)
        x[..., np.arange(n), np.arange(n)] += 2 * np.arange(1, n + 1)
        return x.astype(np.float32)

    def symmetric(*shape):
        x = apart(*shape)
        return ((x + np.swapaxes(x, -1, -2)) / 2).astype(np.float32)

    def sides(*shape):
        return np.round(rng.standard_normal(shape), 1).astype(np.float32)

    linalg = tf.linalg
    cases = []

    def one(name, call, inputs, params=None, gradient=True, dtype=np.float32):
        inputs = {k: v.astype(dtype) for k, v in inputs.items()}
        call = call if params else in_order(call)
        cases.append(op_case(name, call, inputs, params, gradient=tuple(inputs) if gradient else (), wave=whole))

    def with_flags(function):
        """Its parameters are 0 and 1 in the file."""
        return lambda matrix, rhs, **flags: function(matrix, rhs, **{k: bool(v) for k, v in flags.items()})

    for dtype, mark in ((np.float32, ""), (np.float64, "/f64")):
        for shape in ((1, 1), (3, 3), (2, 2, 2)) if dtype == np.float32 else ((3, 3),):
            size = mark + "/" + "x".join(map(str, shape))
            one(f"cholesky{size}", linalg.cholesky, {"input": positive(*shape)}, dtype=dtype)
            one(f"inv{size}", linalg.inv, {"input": regular(*shape)}, dtype=dtype)
            one(f"det{size}", linalg.det, {"input": regular(*shape)}, dtype=dtype)
            one(
                f"slogdet{size}",
                lambda input: tuple(reversed(linalg.slogdet(input))),
                {"input": regular(*shape)},
                dtype=dtype,
            )
            one(f"eigvalsh{size}", linalg.eigvalsh, {"tensor": symmetric(*shape)}, dtype=dtype)
            one(
                f"eigh{size}",
                lambda tensor: (linalg.eigh(tensor)[0], tf.abs(linalg.eigh(tensor)[1])),
                {"tensor": symmetric(*shape)},
                dtype=dtype,
            )
            one(
                f"eigh_vectors{size}",
                lambda tensor: linalg.eigh(tensor)[1] ** 2,
                {"tensor": symmetric(*shape)},
                dtype=dtype,
            )
            for adjoint in (0, 1):
                one(
                    f"solve/{adjoint}{size}",
                    with_flags(linalg.solve),
                    {"matrix": regular(*shape), "rhs": sides(*shape[:-1], 2)},
                    {"adjoint": adjoint},
                    dtype=dtype,
                )
                for lower in (0, 1):
                    if shape != (1, 1):
                        one(
                            f"triangular_solve/{adjoint}{lower}{size}",
                            with_flags(linalg.triangular_solve),
                            {"matrix": apart(*shape), "rhs": sides(*shape[:-1], 2)},
                            {"lower": lower, "adjoint": adjoint},
                            dtype=dtype,
                        )
        for shape in ((2, 2), (3, 2), (2, 3), (2, 2, 2)) if dtype == np.float32 else ((3, 2), (2, 3)):
            size = mark + "/" + "x".join(map(str, shape))
            one(f"qr{size}", linalg.qr, {"input": apart(*shape)}, dtype=dtype)
            one(f"qr_r{size}", lambda input: linalg.qr(input)[1], {"input": apart(*shape)}, dtype=dtype)
            one(
                f"svdvals{size}",
                lambda tensor: linalg.svd(tensor, compute_uv=False),
                {"tensor": apart(*shape)},
                dtype=dtype,
            )
            for full in (0, 1):
                svd = lambda tensor, full: linalg.svd(tensor, full_matrices=bool(full))
                if dtype == np.float64:
                    one(
                        f"svd/{full}{size}",
                        lambda tensor, full: tuple(tf.abs(x) for x in svd(tensor, full)),
                        {"tensor": apart(*shape)},
                        {"full": full},
                        dtype=dtype,
                    )
                one(
                    f"svd_u/{full}{size}",
                    lambda tensor, full: svd(tensor, full)[1] ** 2,
                    {"tensor": apart(*shape)},
                    {"full": full},
                    dtype=dtype,
                )
                one(
                    f"svd_v/{full}{size}",
                    lambda tensor, full: svd(tensor, full)[2] ** 2,
                    {"tensor": apart(*shape)},
                    {"full": full},
                    dtype=dtype,
                )
        for shape in ((3, 2), (2, 3), (2, 2)):
            size = mark + "/" + "x".join(map(str, shape))
            for l2 in (0.0, 0.5):
                one(
                    f"lstsq/{l2}{size}",
                    lambda matrix, rhs, l2: linalg.lstsq(matrix, rhs, l2_regularizer=l2),
                    {"matrix": apart(*shape), "rhs": sides(shape[0], 2)},
                    {"l2": l2},
                    dtype=dtype,
                )
            one(
                f"lstsq_slow{size}",
                lambda matrix, rhs: linalg.lstsq(matrix, rhs, fast=False),
                {"matrix": apart(*shape), "rhs": sides(shape[0], 2)},
                gradient=False,
                dtype=dtype,
            )
            one(f"pinv{size}", linalg.pinv, {"a": apart(*shape)}, dtype=dtype)
    one("qr_full", lambda input: linalg.qr(input, full_matrices=True), {"input": apart(4, 2)}, gradient=False)
    one("qr_full/wide", lambda input: linalg.qr(input, full_matrices=True), {"input": apart(2, 3)})
    one("cholesky_solve", linalg.cholesky_solve, {"chol": np.tril(apart(3, 3)), "rhs": sides(3, 2)})
    one("logdet", linalg.logdet, {"matrix": positive(2, 3, 3)})
    one(
        "matrix_rank",
        linalg.matrix_rank,
        {"a": np.float32([[[1, 2], [2, 4]], [[1, 0], [0, 1]], [[0, 0], [0, 0]]])},
        gradient=False,
    )
    one("norm_2", lambda tensor: tf.norm(tensor, ord=2, axis=[-2, -1]), {"tensor": apart(2, 2, 3)})
    one("norm_nuc", lambda tensor: keras.ops.norm(tensor, ord="nuc", axis=[-2, -1]), {"tensor": apart(2, 3, 2)})
    return cases
