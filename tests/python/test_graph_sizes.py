"""Sizes that a graph does not know: what shapes say before a run, and that every run may have others."""

import numpy as np
import pytest

import brio as tf

v1 = tf.compat.v1
rng = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as made:
        yield made


def data(*shape):
    return rng.normal(size=shape).astype("float32")


def floats(*shape):
    return v1.placeholder(tf.float32, shape)


def shape(t):
    return None if t.shape.rank is None else t.shape.as_list()


def run(fetches, feed=None):
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        return session.run(fetches, feed)


# ---- shapes


def test_relations_between_sizes_hold():
    """Of x and what is computed of it: what cannot be is refused where it is written."""
    x = floats(None, 20)
    assert shape(x + 1.0) == [None, 20] and shape(tf.concat([x, x], 0)) == [None, 20]
    assert shape(tf.reshape(x, [-1]) - tf.reshape(tf.transpose(x), [-1])) == [None]
    longer = tf.concat([x, tf.zeros([1, 20])], 0)
    with pytest.raises(ValueError, match="add"):  # n + 2 and n + 3 rows, whatever n is
        tf.concat([x, tf.zeros([2, 20])], 0) + tf.concat([x, tf.zeros([3, 20])], 0)
    with pytest.raises(ValueError, match="concat"):
        tf.concat([x, longer], 1)
    with pytest.raises(ValueError):
        tf.reshape(x, [-1, 7])[:, :8] + tf.zeros([9])
    assert shape(longer[:-1] + x) == [None, 20]


def test_sizes_of_two_placeholders_may_be_equal():
    x, y = floats(None, 32), floats(None, 32)
    made = [x + y, tf.concat([x, y], 1), tf.reduce_sum(x * y, 1) - tf.reduce_mean(y, 1), (x + y) * x - y]
    assert [shape(t) for t in made] == [[None, 32], [None, 64], [None], [None, 32]]
    with v1.Session() as s:
        for n, m in ((128, 128), (7, 7), (1, 1)):
            a, b = data(n, 32), data(m, 32)
            found = s.run(made, {x: a, y: b})
            for f, e in zip(found, [a + b, np.concatenate([a, b], 1), (a * b).sum(1) - b.mean(1), (a + b) * a - b]):
                np.testing.assert_allclose(f, e, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(s.run(made[0], {x: data(1, 32) * 0, y: b}), b)  # one row is broadcast
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            s.run(made[1], {x: data(3, 32), y: data(4, 32)})


def test_a_row_of_numbers_meets_a_batch_of_one():
    """A placeholder's batch may be 1: what is longer beside it is no mistake before the run."""
    x, y = floats(None), floats(None)
    z = x + y
    assert shape(z + tf.concat([x, [1.0]], 0)) == [None]
    np.testing.assert_allclose(run(z + tf.concat([x, [1.0]], 0), {x: [2.0], y: [1.0, 2.0]}), [5.0, 5.0])


@pytest.mark.parametrize("sizes", [(None, 28, 28, 3), (32, None, None, 3), (None, None, None, 3)])
def test_pictures(sizes):
    x = floats(*sizes)
    k = tf.constant(data(3, 3, 3, 8))
    conv, valid = tf.nn.conv2d(x, k, 1, "SAME"), tf.nn.conv2d(x, k, 2, "VALID")
    pool, up = (
        tf.nn.max_pool2d(conv, 2, 2, "VALID"),
        v1.layers.conv2d_transpose(conv, 4, 3, 2, "same", kernel_initializer=v1.ones_initializer()),
    )
    whole = sizes[1] is not None
    assert shape(conv) == [*sizes[:3], 8] and shape(valid) == [
        sizes[0],
        13 if whole else None,
        13 if whole else None,
        8,
    ]
    assert shape(pool) == [sizes[0], *([14, 14] if whole else [None, None]), 8]
    assert shape(up) == [sizes[0], *([56, 56] if whole else [None, None]), 4]
    pooled = tf.reduce_mean(conv, [1, 2])
    dense = v1.layers.dense(pooled, 10, kernel_initializer=v1.ones_initializer())
    assert shape(dense) == [sizes[0], 10]
    with v1.Session() as s:
        s.run(v1.global_variables_initializer())
        for given in ((5, 31, 17), (1, 8, 12)):
            n, h, w = (own or other for own, other in zip(sizes, given))
            found = s.run([conv, valid, pool, up, dense], {x: data(n, h, w, 3)})
            assert [f.shape[1:] for f in found] == [
                (h, w, 8),
                ((h - 1) // 2, (w - 1) // 2, 8),
                (h // 2, w // 2, 8),
                (2 * h, 2 * w, 4),
                (10,),
            ]
            assert {len(f) for f in found} == {n}


def test_shape_arithmetic():
    x = floats(None, None, 64)
    n, t, d = tf.unstack(tf.shape(x))
    heads = tf.transpose(tf.reshape(x, [n, t, 8, d // 8]), [0, 2, 1, 3])
    scores = tf.matmul(heads, heads, transpose_b=True)
    back = tf.reshape(tf.transpose(tf.matmul(tf.nn.softmax(scores), heads), [0, 2, 1, 3]), tf.shape(x))
    mask = tf.linalg.band_part(tf.ones([t, t]), -1, 0)
    made = [heads, scores, back, mask, tf.reshape(x, [n * t, d]), tf.tile(x[:, :1], [1, t, 1]),
        tf.zeros(tf.shape(x)[:2]), tf.range(t), x[:, : t // 2], tf.reshape(x, tf.concat([tf.shape(x)[:1], [-1]], 0)),
        tf.fill([n, 2 * t + 1], 3), tf.one_hot(tf.zeros([n], tf.int32), t),
        tf.sequence_mask(tf.fill([n], 3), t)]  # fmt: skip
    assert [shape(m) for m in made] == [
        [None, 8, None, 8], [None, 8, None, None], [None, None, 64], [None, None], [None, 64], [None, None, 64],
        [None, None], [None], [None, None, 64], [None, None], [None, None], [None, None], [None, None],
    ]  # fmt: skip
    with v1.Session() as s:
        for a, b in ((16, 100), (3, 8), (1, 1)):
            found = s.run(made, {x: data(a, b, 64)})
            assert [f.shape for f in found] == [
                (a, 8, b, 8), (a, 8, b, b), (a, b, 64), (b, b), (a * b, 64), (a, b, 64), (a, b), (b,), (a, b // 2, 64),
                (a, b * 64), (a, 2 * b + 1), (a, b), (a, b)
            ]  # fmt: skip


def test_known_values_of_shapes():
    x = floats(None, 6, 4)
    assert shape(tf.reshape(x, [-1, tf.shape(x)[1] * tf.shape(x)[2]])) == [None, 24]
    assert shape(tf.reshape(x, tf.stack([tf.shape(x)[0], 24]))) == [None, 24]
    assert shape(tf.zeros([tf.reduce_prod(tf.shape(x)[1:])])) == [24]
    assert shape(tf.zeros([tf.size(x[0])])) == [24]
    assert shape(tf.reshape(x, tf.concat([tf.shape(x)[:1], [3, 8]], 0))) == [None, 3, 8]


def test_set_shape():
    x = floats(None, None)
    y = x * 2.0
    y.set_shape([None, 5])
    assert shape(y) == [None, 5] and shape(x) == [None, None] and shape(tf.matmul(y, tf.ones([5, 2]))) == [None, 2]
    with pytest.raises(ValueError, match="not compatible"):
        y.set_shape([None, 6])
    with pytest.raises(ValueError, match="not compatible"):
        y.set_shape([5])
    longer = tf.concat([x, tf.zeros([3, 5])], 0)
    with pytest.raises(ValueError, match="not compatible"):  # three rows and more
        longer.set_shape([2, 5])
    a = v1.placeholder(tf.float32)
    a.set_shape([None, 3])
    assert shape(a) == [None, 3]
    np.testing.assert_allclose(run(tf.reduce_sum(a, 1), {a: np.ones((4, 3))}), [3.0] * 4)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda x: x[1:], [None, 3]), (lambda x: x[:-1], [None, 3]), (lambda x: x[::2], [None, 3]),
        (lambda x: x[::-1, ::2], [None, 2]), (lambda x: x[0], [3]), (lambda x: x[-1], [3]),
        (lambda x: x[:, None], [None, 1, 3]), (lambda x: x[..., 0], [None]), (lambda x: x[2:5], [None, 3]),
        (lambda x: x[:, 1], [None]), (lambda x: tf.strided_slice(x, [0, 0], [2, 3]), [None, 3]),
        (lambda x: tf.slice(x, [0, 1], [-1, 2]), [None, 2]), (lambda x: tf.split(x, 3, 1)[0], [None, 1]),
        (lambda x: tf.split(x, [1, 2], 1)[1], [None, 2]), (lambda x: tf.split(x, 2)[0], [None, 3]),
        (lambda x: tf.unstack(x, axis=1)[0], [None]), (lambda x: tf.pad(x, [[1, 1], [0, 2]]), [None, 5]),
        (lambda x: tf.reverse(x, [0]), [None, 3]), (lambda x: tf.gather(x, [0, 0, 1]), [3, 3]),
        (lambda x: tf.expand_dims(x, 1), [None, 1, 3]), (lambda x: tf.stack([x, x], 1), [None, 2, 3]),
        (lambda x: tf.reduce_sum(x, 0), [3]), (lambda x: tf.cumsum(x), [None, 3]), (lambda x: tf.argmax(x, 1), [None]),
        (lambda x: tf.nn.top_k(x, 2)[0], [None, 2]), (lambda x: tf.sort(x, 0), [None, 3]),
        (lambda x: tf.einsum("ij,kj->ik", x, x), [None, None]), (lambda x: tf.linalg.diag(x), [None, 3, 3]),
        (lambda x: tf.nn.dropout(x, 0.5), [None, 3]), (lambda x: tf.nn.l2_normalize(x, 1), [None, 3]),
        (lambda x: tf.roll(x, 1, 0), [None, 3]), (lambda x: tf.repeat(x, 2, 0), [None, 3]),
        (lambda x: tf.random.shuffle(x), [None, 3]), (lambda x: tf.nn.moments(x, [0])[0], [3]),
        (lambda x: v1.losses.mean_squared_error(x, x + 1.0), []),
        (lambda x: tf.image.flip_left_right(tf.reshape(x, [-1, 1, 1, 3])), [None, 1, 1, 3]),
        (lambda x: tf.signal.rfft(x), [None, 2]), (lambda x: tf.keras.layers.Dense(7)(x), [None, 7]),
    ],
)  # fmt: skip
def test_batches(make, expected):
    x = floats(None, 3)
    y = make(x)
    assert shape(y) == expected
    for n in (6, 10):
        assert len(run(y, {x: data(n, 3)}).shape) == len(expected)


# ---- what values decide


def test_sizes_that_values_decide():
    x, w = floats(None, 3), floats(None)
    where, (unique, index), kept, rows = (
        tf.where(x > 0),
        tf.unique(w),
        tf.boolean_mask(x, w > 0),
        tf.gather_nd(x, tf.where(x > 0)),
    )
    counts, parts = tf.unique_with_counts(w).count, tf.dynamic_partition(x, tf.cast(w > 0, tf.int32), 2)
    made = [
        where,
        unique,
        index,
        kept,
        rows,
        counts,
        *parts,
        tf.reduce_sum(kept, 0),
        tf.boolean_mask(x, x > 0),
        tf.math.bincount(tf.cast(w > 0, tf.int32)),
        tf.sequence_mask(tf.cast(w, tf.int32)),
    ]
    assert [shape(t) for t in made] == [
        [None, 2],
        [None],
        [None],
        [None, 3],
        [None],
        [None],
        [None, 3],
        [None, 3],
        [3],
        [None],
        [None],
        [None, None],
    ]
    assert [t.dtype.name for t in made[:3]] == ["int64", "float32", "int32"]
    for n in (5, 9):
        a, b = data(n, 3), data(n) + 0.1
        found = run(made, {x: a, w: b})
        np.testing.assert_array_equal(found[0], np.argwhere(a > 0))
        np.testing.assert_allclose(found[3], a[b > 0])
        np.testing.assert_allclose(found[4], a[a > 0])
        np.testing.assert_allclose(found[8], a[b > 0].sum(0), rtol=1e-5)


def test_numbers_that_are_fed():
    """Shapes, positions and counts that a run is given."""
    x, k, two, some = (
        floats(None, 3),
        v1.placeholder(tf.int32, []),
        v1.placeholder(tf.int32, [2]),
        v1.placeholder(tf.int32, [None]),
    )
    made = [tf.zeros([k, 2]), tf.range(k), x[:k], x[k:], x[k], tf.reshape(x, two), tf.tile(x, two), tf.reshape(x, some),
        tf.fill(some, 1.0), tf.one_hot([0, 1], k), tf.nn.top_k(x, k).values, tf.random.normal([k, 4]),
        tf.transpose(x, some), tf.reduce_sum(x, k - 2),
        tf.math.unsorted_segment_sum(x, tf.zeros(tf.shape(x)[:1], tf.int32), k), tf.eye(k)]  # fmt: skip
    assert [shape(t) for t in made] == [
        [None, 2], [None], [None, 3], [None, 3], [3], [None, None], [None, None], None, None, [2, None], [None, None],
        [None, 4], [None, None], None, [None, 3], [None, None]
    ]  # fmt: skip
    found = run(made[:7], {x: data(4, 3), k: 2, two: [3, 4]})
    assert [f.shape for f in found] == [(2, 2), (2,), (2, 3), (2, 3), (3,), (3, 4), (12, 12)]
    assert run(made[7], {x: data(4, 3), some: [2, 3, 2]}).shape == (2, 3, 2) and run(
        made[8], {some: [2, 1, 3]}
    ).shape == (2, 1, 3)
    assert [f.shape for f in run(made[9:], {x: data(4, 3), k: 2, some: [1, 0]})] == [
        (2, 2),
        (4, 2),
        (2, 4),
        (3, 4),
        (3,),
        (2, 3),
        (2, 2),
    ]


def test_texts():
    t, one = v1.placeholder(tf.string, [None]), v1.placeholder(tf.string, [])
    made = [
        tf.strings.join([t, t], "-"),
        tf.strings.upper(t),
        tf.strings.length(t),
        tf.reshape(t, [-1, 1]),
        tf.concat([t, t], 0),
        tf.strings.split(one),
        tf.strings.to_number(t[:1]),
        t[0],
        tf.strings.reduce_join(t),
    ]
    assert [shape(m) for m in made] == [[None], [None], [None], [None, 1], [None], [None], [None], [], []]
    assert [m.dtype.name for m in made] == [
        "string",
        "string",
        "int32",
        "string",
        "string",
        "string",
        "float32",
        "string",
        "string",
    ]
    found = run(made, {t: ["1", "bc", "d"], one: "a b c"})
    assert (
        found[0].tolist() == [b"1-1", b"bc-bc", b"d-d"]
        and found[5].tolist() == [b"a", b"b", b"c"]
        and found[8] == b"1bcd"
        and found[3].shape == (3, 1)
    )


def test_masked_training():
    """Gradients through a size that values decide."""
    x, y = floats(None, 8), floats(None)
    w = tf.Variable(tf.zeros([8, 1]))
    error = tf.boolean_mask(tf.squeeze(tf.matmul(x, w), 1) - y, y > 0)
    train = v1.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(error**2))
    with v1.Session() as s:
        s.run(v1.global_variables_initializer())
        for n in (64, 100, 31):
            a = data(n, 8)
            s.run(train, {x: a, y: a.sum(1)})
        assert s.run(tf.reduce_sum(w)) > 0.1


# ---- unknown ranks


def test_unknown_ranks():
    a, b = v1.placeholder(tf.float32), v1.placeholder(tf.float32)
    made = [
        a * 2.0,
        a + b,
        tf.reduce_sum(a),
        tf.shape(a),
        tf.reshape(a, [-1, 2]),
        tf.matmul(a, tf.ones([2, 5])),
        tf.rank(a),
        tf.cast(a, tf.int32),
        tf.reduce_mean((a - b) ** 2),
        tf.nn.softmax(a),
    ]
    assert [shape(t) for t in made] == [
        None,
        None,
        [],
        [None],
        [None, 2],
        made[5].shape.rank and [None, 5],
        [],
        None,
        [],
        None,
    ]
    with v1.Session() as s:
        for size in ((4, 2), (1, 2), (6, 2)):
            x, y = data(*size), data(*size)
            found = s.run(made, {a: x, b: y})
            np.testing.assert_allclose(found[1], x + y, rtol=1e-6)
            np.testing.assert_allclose(found[5], x @ np.ones((2, 5)), rtol=1e-5)
            np.testing.assert_allclose(found[8], ((x - y) ** 2).mean(), rtol=1e-5)
        assert s.run(made[0], {a: 3.0}) == 6.0
        assert s.run(made[0], {a: data(2, 3, 4, 5, 6)}).shape == (2, 3, 4, 5, 6)


def test_the_dtype_of_an_unknown_rank_is_known():
    a = v1.placeholder(tf.float32)
    assert tf.argmax(a, 1).dtype == tf.int64 and tf.cast(a, tf.bool).dtype == tf.bool and (a > 1.0).dtype == tf.bool
    assert tf.nn.conv3d(a, tf.ones([2, 2, 2, 1, 4]), [1] * 5, "SAME").shape.rank == 5  # no other rank does


def test_rates_and_masks_without_shapes():
    """As tutorials feed them."""
    x, keep, rate = floats(None, 16), v1.placeholder(tf.float32), v1.placeholder(tf.float32)
    w = tf.Variable(data(16, 4))
    y = v1.nn.dropout(tf.matmul(x, w), keep_prob=keep)
    assert shape(y) == [None, 4] or shape(y) is None
    train = v1.train.GradientDescentOptimizer(rate).minimize(tf.reduce_sum(y**2))
    with v1.Session() as s:
        s.run(v1.global_variables_initializer())
        before = s.run(tf.reduce_sum(y**2), {x: np.ones((8, 16)), keep: 1.0})
        for _ in range(3):
            s.run(train, {x: np.ones((8, 16)), keep: 1.0, rate: 0.001})
        assert s.run(tf.reduce_sum(y**2), {x: np.ones((8, 16)), keep: 1.0}) < before


# ---- branches, loops, gradients


def test_branches():
    x, p = floats(None, 4), v1.placeholder(tf.bool, [])
    same = tf.cond(p, lambda: x + 1.0, lambda: x * 2.0)
    other = tf.cond(p, lambda: x, lambda: tf.concat([x, x], 0))
    assert shape(same) == shape(other) == [None, 4]
    assert shape(same + x) == [None, 4]
    with v1.Session() as s:
        for n in (3, 128):
            a = data(n, 4)
            np.testing.assert_allclose(s.run(same, {x: a, p: False}), a * 2)
            assert s.run(other, {x: a, p: True}).shape == (n, 4) and s.run(other, {x: a, p: False}).shape == (2 * n, 4)


def test_loops():
    x = floats(None, 5)
    w = tf.Variable(np.eye(5, dtype="float32") * 0.5)
    _, power = tf.while_loop(lambda i, h: i < 4, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w)) + x), [0, x])
    any_rows = [tf.TensorShape([]), tf.TensorShape([None, 5])]
    _, grown = tf.while_loop(
        lambda i, h: i < 3, lambda i, h: (i + 1, tf.concat([h, x], 0)), [0, x], shape_invariants=any_rows
    )
    total = tf.while_loop(lambda i, s: i < tf.shape(x)[0], lambda i, s: (i + 1, s + x[i]), [0, tf.zeros([5])])[1]
    gradient = tf.gradients(tf.reduce_sum(power), [x, w])
    sums, halved = tf.scan(lambda a, r: a + r, x), tf.map_fn(lambda r: r / 2.0, x)
    assert [shape(t) for t in (power, grown, total, *gradient, sums, halved)] == [
        [None, 5],
        [None, 5],
        [5],
        [None, 5],
        [5, 5],
        [None, 5],
        [None, 5],
    ]
    with v1.Session() as s:
        s.run(v1.global_variables_initializer())
        for n in (2, 40):
            a = data(n, 5)
            found = s.run([power, grown, total, *gradient, sums, halved], {x: a})
            assert found[0].shape == (n, 5) and found[1].shape == (4 * n, 5) and found[3].shape == (n, 5)
            np.testing.assert_allclose(found[2], a.sum(0), rtol=1e-4, atol=1e-4)
            np.testing.assert_allclose(found[5], a.cumsum(0), rtol=1e-4, atol=1e-4)


def test_a_loop_whose_size_grows_without_invariants():
    """The size in the body is not the one before the loop."""
    x = floats(None)
    _, grown = tf.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, tf.concat([h, [1.0]], 0)), [0, x])
    assert shape(grown) == [None]
    assert shape(grown - tf.concat([x, [1.0, 1.0, 1.0]], 0)) == [None]
    assert run(grown, {x: [5.0]}).tolist() == [5.0, 1.0, 1.0, 1.0]


def test_gradients_of_batches():
    x, y = floats(None, None, 10), v1.placeholder(tf.int32, [None, None])
    w = tf.Variable(data(10, 7))
    logits = tf.tensordot(x, w, [[2], [0]])
    mask = tf.cast(tf.sequence_mask(tf.reduce_sum(tf.cast(y >= 0, tf.int32), 1), tf.shape(y)[1]), tf.float32)
    loss = tf.reduce_sum(
        v1.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.maximum(y, 0), logits=logits) * mask
    ) / tf.reduce_sum(mask)
    gx, gw = tf.gradients(loss, [x, w])
    assert (
        shape(logits) == [None, None, 7]
        and shape(loss) == []
        and shape(gx) == [None, None, 10]
        and shape(gw) == [10, 7]
    )
    with v1.Session() as s:
        s.run(v1.global_variables_initializer())
        for n, t in ((4, 12), (32, 5), (1, 1)):
            found = s.run([loss, gx, gw], {x: data(n, t, 10), y: rng.integers(0, 7, (n, t))})
            assert np.isfinite(found[0]) and found[1].shape == (n, t, 10)


# ---- mistakes


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda x, a: tf.matmul(x, tf.ones([4, 2])), "matmul"), (lambda x, a: x + tf.ones([4]), "add"),
        (lambda x, a: tf.concat([x, tf.ones([2, 4])], 0), "concat"),
        (lambda x, a: tf.nn.conv2d(tf.reshape(x, [-1, 1, 1, 3]), tf.ones([1, 1, 4, 8]), 1, "SAME"), "conv"),
        (lambda x, a: tf.transpose(x, [0, 1, 2]), "transpose"), (lambda x, a: x[:, 3], "out of bounds"),
        (lambda x, a: tf.unstack(x), "not known"), (lambda x, a: tf.reduce_sum(x, 2), "axis"),
        (lambda x, a: tf.concat([a, tf.ones([2], tf.int32)], 0), "concat"),
        (lambda x, a: tf.gather_nd(x, [[0, 0, 0]]), "gather"),
    ],
)  # fmt: skip
def test_what_is_wrong_for_every_size_is_refused_at_once(make, match):
    x, a = floats(None, 3), v1.placeholder(tf.float32)
    with pytest.raises((ValueError, IndexError), match=match):
        make(x, a)


def test_what_is_wrong_for_some_sizes_is_refused_by_the_run():
    x = floats(None)
    y = tf.reshape(x, [-1, 4])
    assert shape(y) == [None, 4]
    with v1.Session() as s:
        assert s.run(y, {x: data(8)}).shape == (2, 4)
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="reshape"):
            s.run(y, {x: data(9)})
        assert s.run(y, {x: data(4)}).shape == (1, 4)


def test_squeeze_without_axes():
    """Which axes go depends on sizes: the rank is not known, in graphs and in functions of any size."""
    x = floats(None, 3, 1)
    y = tf.squeeze(x)
    assert y.shape.rank is None and shape(tf.squeeze(x, 2)) == [None, 3]
    with v1.Session() as s:
        assert s.run(y, {x: data(4, 3, 1)}).shape == (4, 3) and s.run(y, {x: data(1, 3, 1)}).shape == (3,)


def test_dimensions_of_tensorflow_1_compute_dimensions():
    rows, columns = v1.Dimension(150), v1.Dimension(4)
    assert [repr(d) for d in (rows * columns, 2 * rows, rows + 1, rows // columns, rows - columns, rows % columns)] == [
        "Dimension(600)", "Dimension(300)", "Dimension(151)", "Dimension(37)", "Dimension(146)",
        "Dimension(2)"]  # fmt: skip
    assert (rows * columns).value == 600 and str(rows) == "150" and v1.dimension_value(rows) == 150
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 150, 4])
        v1.disable_v2_tensorshape()
        try:
            assert (
                (x.shape[0] * 2).value is None
                and (2 * x.shape[0]).value is None
                and (x.shape[1] + x.shape[0]).value is None
            )
            assert v1.reshape(x, [-1, x.shape[1] * x.shape[2]]).shape.as_list() == [None, 600]
        finally:
            v1.enable_v2_tensorshape()
    # Beside anything else a size is a number.
    assert rows * 0.5 == 75.0 and 0.5 * rows == 75.0 and rows / 4 == 37.5 and [0] * columns == [0] * 4 == columns * [0]
    assert (
        (rows * np.float32(0.5)) == 75 and (rows * tf.constant([1.5, 2.0])).shape == (2,) and rows * np.int64(2) == 300
    )
