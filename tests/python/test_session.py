"""Graph mode where TensorFlow 2.21 has nothing to compare with (tf.layers, cells), and what it costs:
the rest is cases/session.py."""

import ast
import gc
import os
import pathlib
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import numpy as np
import pytest

import brio as tf

v1 = tf.compat.v1


def data(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


@pytest.fixture
def graph():
    with tf.Graph().as_default() as made:
        yield made


def session():
    made = v1.Session()
    made.run(v1.variables_initializer([*v1.global_variables(), *v1.local_variables()]))
    return made


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_dense(graph):
    x = v1.placeholder(tf.float32, [None, 784])
    w, b = data(784, 256) * 0.05, data(256, seed=2)
    y = v1.layers.dense(x, 256, activation=tf.nn.relu, kernel_initializer=v1.constant_initializer(w),
                        bias_initializer=v1.constant_initializer(b),
                        kernel_regularizer=tf.keras.regularizers.l2(0.01))  # fmt: skip
    again = v1.layers.dense(x, 256, kernel_initializer=v1.constant_initializer(w), reuse=None)
    regularization = v1.losses.get_regularization_loss()
    train = v1.train.GradientDescentOptimizer(0.1).minimize(regularization)
    s = session()
    given = data(128, 784, seed=3)
    assert np.allclose(s.run(y, {x: given}), np.maximum(given @ w + b, 0), atol=1e-4)
    assert np.allclose(s.run(again, {x: given}), given @ w, atol=1e-4)
    assert [v.name for v in v1.trainable_variables()] == [
        "dense/kernel:0",
        "dense/bias:0",
        "dense_1/kernel:0",
        "dense_1/bias:0",
    ]
    assert np.isclose(s.run(regularization), 0.01 * (w**2).sum(), rtol=1e-4)
    s.run(train)
    assert np.allclose(s.run("dense/kernel:0"), w * (1 - 0.1 * 0.02), atol=1e-6)


def test_dense_shares_by_name(graph):
    x = v1.placeholder(tf.float32, [None, 4])
    a = v1.layers.dense(x, 3, name="shared")
    with pytest.raises(ValueError, match="already exists"):
        v1.layers.dense(x, 3, name="shared")
    b = v1.layers.dense(x, 3, name="shared", reuse=True)
    s = session()
    p, q = s.run([a, b], {x: data(2, 4)})
    assert (p == q).all() and len(v1.global_variables()) == 2


def test_conv2d_and_pooling(graph):
    x = v1.placeholder(tf.float32, [None, 28, 28, 3])
    y = v1.layers.conv2d(x, 16, 5, padding="same", activation=tf.nn.relu)
    z = v1.layers.flatten(v1.layers.max_pooling2d(y, 2, 2))
    up = v1.layers.conv2d_transpose(y, 4, 3, strides=2, padding="same")
    assert z.shape.as_list() == [None, 14 * 14 * 16] and up.shape.as_list() == [None, 56, 56, 4]
    s = session()
    given = data(32, 28, 28, 3)
    got, kernel = s.run([y, "conv2d/kernel:0"], {x: given})
    assert np.allclose(got, np.maximum(s.run(tf.nn.conv2d(x, kernel, 1, "SAME"), {x: given}), 0), atol=1e-5)


@pytest.mark.parametrize("known", [True, False])
def test_batch_normalization(graph, known):
    x = v1.placeholder(tf.float32, [None, 6])
    training = v1.placeholder(tf.bool, [])
    y = v1.layers.batch_normalization(x, training=True if known else training, momentum=0.9)
    updates = v1.get_collection(v1.GraphKeys.UPDATE_OPS)
    with tf.control_dependencies(updates):
        done = tf.identity(y)
    s = session()
    given = data(128, 6) * 3 + 5
    feed = {x: given} if known else {x: given, training: True}
    got = s.run(done, feed)
    mean, variance = given.mean(0), given.var(0)
    assert np.allclose(got, (given - mean) / np.sqrt(variance + 1e-3), atol=1e-4)
    assert np.allclose(s.run("batch_normalization/moving_mean:0"), 0.1 * mean, atol=1e-5)
    assert np.allclose(s.run("batch_normalization/moving_variance:0"), 0.9 + 0.1 * variance, atol=1e-4)
    if not known:
        got = s.run(y, {x: given, training: False})
        assert np.allclose(got, (given - 0.1 * mean) / np.sqrt(0.9 + 0.1 * variance + 1e-3), atol=1e-4)


def unit(w):
    return w / tf.norm(w)


POSITIVE = tf.keras.constraints.NonNeg()


@pytest.mark.parametrize(
    "make, sizes",
    [
        (lambda x, **bias: v1.layers.conv1d(x, 16, 3, kernel_constraint=unit, **bias), (28, 8)),
        (lambda x, **bias: v1.layers.conv2d(x, 16, 3, kernel_constraint=unit, **bias), (28, 28, 3)),
        (lambda x, **bias: v1.layers.conv3d(x, 4, 3, kernel_constraint=unit, **bias), (8, 8, 8, 2)),
        (lambda x, **bias: v1.layers.conv2d_transpose(x, 4, 3, kernel_constraint=unit, **bias), (14, 14, 8)),
        (
            lambda x, **bias: v1.layers.separable_conv2d(
                x, 16, 3, depthwise_constraint=unit, pointwise_constraint=unit, **bias
            ),
            (28, 28, 3),
        ),
    ],
)
def test_constraints_hold_after_steps(graph, make, sizes):
    x = v1.placeholder(tf.float32, [None, *sizes])
    y = make(x, bias_constraint=POSITIVE)
    train = v1.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_mean(y))
    s = session()
    s.run(train, {x: data(8, *sizes)})
    *kernels, bias = s.run(v1.trainable_variables())
    assert (bias == 0).all() and all(np.isclose((k**2).sum(), 1, atol=1e-4) for k in kernels)


@pytest.mark.parametrize(
    "make",
    [
        lambda x, form: v1.layers.conv1d(x, 16, 3, data_format=form, kernel_initializer=fixed, bias_initializer=fixed),
        lambda x, form: v1.layers.max_pooling1d(x, 2, 2, data_format=form),
        lambda x, form: v1.layers.average_pooling1d(x, 3, 2, padding="same", data_format=form),
        lambda x, form: v1.layers.conv2d(
            x, 16, 3, strides=2, padding="same", data_format=form, kernel_initializer=fixed, bias_initializer=fixed
        ),
        lambda x, form: v1.layers.conv2d_transpose(
            x, 5, 3, strides=2, padding="same", data_format=form, kernel_initializer=fixed, bias_initializer=fixed
        ),
        lambda x, form: v1.layers.conv2d_transpose(
            x, 5, 4, strides=(2, 3), data_format=form, kernel_initializer=fixed, bias_initializer=fixed
        ),
        lambda x, form: v1.layers.separable_conv2d(
            x,
            16,
            3,
            strides=2,
            depth_multiplier=2,
            data_format=form,
            depthwise_initializer=fixed,
            pointwise_initializer=fixed,
            bias_initializer=fixed,
        ),
        lambda x, form: v1.layers.average_pooling2d(x, 2, 2, data_format=form),
        lambda x, form: v1.layers.flatten(x, data_format=form),
    ],
)
def test_channels_first(graph, make):
    sizes = (28, 3) if "1d" in str(make.__code__.co_names) else (28, 28, 3)
    given = data(8, *sizes)
    there, back = [0, len(sizes), *range(1, len(sizes))], [0, *range(2, len(sizes) + 1), 1]
    last, first = v1.placeholder(tf.float32, [None, *sizes]), v1.placeholder(tf.float32, [None, sizes[-1], *sizes[:-1]])
    a, b = make(last, "channels_last"), make(first, "channels_first")
    p, q = session().run([a, b], {last: given, first: given.transpose(there)})
    assert np.allclose(p, q if q.ndim == 2 else q.transpose(back), atol=1e-4)
    if q.ndim > 2:
        assert b.shape.as_list() == [None, *q.shape[1:]]


def fixed(shape, dtype=None):
    return tf.constant(data(*shape, seed=sum(shape)))


def test_data_formats_that_are_none(graph):
    x = v1.placeholder(tf.float32, [None, 28, 28, 3])
    with pytest.raises(ValueError, match=r"\[flatten\] data_format must be .* but is 'NCHW'"):
        v1.layers.flatten(x, data_format="NCHW")


def test_transposed_convolution_is_that_of_keras():
    x, w, b = data(4, 7, 7, 8), data(3, 3, 6, 8, seed=2), data(6, seed=3)
    layer = tf.keras.layers.Conv2DTranspose(6, 3, strides=2)
    layer.build(x.shape)
    layer.set_weights([w, b])
    want = layer(x).numpy()
    with tf.Graph().as_default():
        y = v1.layers.conv2d_transpose(
            x,
            6,
            3,
            strides=2,
            kernel_initializer=v1.constant_initializer(w),
            bias_initializer=v1.constant_initializer(b),
        )
        assert np.allclose(session().run(y), want, atol=1e-4)


def test_batch_normalization_with_constraints(graph):
    x = v1.placeholder(tf.float32, [None, 14, 14, 8])
    y = v1.layers.batch_normalization(
        x, training=True, gamma_constraint=tf.keras.constraints.MaxNorm(0.5), beta_constraint=POSITIVE
    )
    train = v1.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_sum(y))
    s = session()
    s.run(train, {x: data(32, 14, 14, 8)})
    gamma, beta = s.run(v1.trainable_variables())
    assert np.isclose(np.sqrt((gamma**2).sum()), 0.5, atol=1e-3) and (beta == 0).all()


@pytest.mark.parametrize("known", [True, False])
def test_batch_renormalization(graph, known):
    """As the paper has it: by the batch, then moved to what moving averages would have made."""
    x, training = v1.placeholder(tf.float32, [None, 16]), v1.placeholder(tf.bool, [])
    y = v1.layers.batch_normalization(x, training=True if known else training, momentum=0.9, renorm=True,
                                      renorm_momentum=0.8,
                                      renorm_clipping={"rmax": 1.5, "rmin": 0.5, "dmax": 2.0})  # fmt: skip
    with tf.control_dependencies(v1.get_collection(v1.GraphKeys.UPDATE_OPS)):
        step = tf.identity(y)
    s = session()
    mean, stddev = np.zeros(16, "float32"), np.ones(16, "float32")
    moving_mean, moving_stddev = mean, stddev
    for i in range(4):
        given = data(64, 16, seed=i) * 1.3 + 0.5
        got = s.run(step, {x: given} if known else {x: given, training: True})
        m, d = given.mean(0), np.sqrt(given.var(0) + 1e-3)
        want = (given - m) / d * np.clip(d / stddev, 0.5, 1.5) + np.clip((m - mean) / stddev, -2, 2)
        assert np.allclose(got, want, atol=1e-4)
        mean, stddev = mean * 0.8 + m * 0.2, stddev * 0.8 + d * 0.2
        moving_mean, moving_stddev = moving_mean * 0.9 + m * 0.1, moving_stddev * 0.9 + d * 0.1
    named = {
        n: s.run(f"batch_normalization/{n}:0")
        for n in ("moving_mean", "moving_variance", "renorm_mean", "renorm_stddev")
    }
    wanted = {
        "moving_mean": moving_mean,
        "moving_variance": moving_stddev**2 - 1e-3,
        "renorm_mean": mean,
        "renorm_stddev": stddev,
    }
    assert all(np.allclose(named[n], wanted[n], atol=1e-4) for n in wanted)
    if not known:
        got = s.run(step, {x: given, training: False})
        assert np.allclose(got, (given - moving_mean) / moving_stddev, atol=1e-3)
        assert (s.run("batch_normalization/moving_stddev:0") == s.run("batch_normalization/moving_stddev:0")).all()
        assert all((named[n] == s.run(f"batch_normalization/{n}:0")).all() for n in named)


@pytest.mark.parametrize("virtual, batch", [(8, 32), (128, 256), (7, 21)])
def test_virtual_batches(graph, virtual, batch):
    x = v1.placeholder(tf.float32, [None, 6, 5])
    y = v1.layers.batch_normalization(x, training=True, momentum=0.9, virtual_batch_size=virtual)
    assert y.shape.as_list() == [None, 6, 5]
    train = v1.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(y**4))
    with tf.control_dependencies(v1.get_collection(v1.GraphKeys.UPDATE_OPS)):
        y = tf.identity(y)
    s = session()
    given = data(batch, 6, 5) * 2 + 1
    got = s.run(y, {x: given})
    parts = given.reshape(virtual, -1, 6, 5)
    mean, variance = parts.mean((0, 2), keepdims=True), parts.var((0, 2), keepdims=True)
    assert np.allclose(got, ((parts - mean) / np.sqrt(variance + 1e-3)).reshape(given.shape), atol=1e-4)
    assert np.allclose(s.run("batch_normalization/moving_mean:0"), 0.1 * mean.mean(1, keepdims=True), atol=1e-4)
    s.run(train, {x: given})
    assert (s.run("batch_normalization/gamma:0") < 1).all()


def test_adjusted_normalization(graph):
    x, training = v1.placeholder(tf.float32, [None, 20]), v1.placeholder(tf.bool, [])
    scale, bias = np.linspace(0.9, 1.1, 20).astype("float32"), np.linspace(-0.1, 0.1, 20).astype("float32")
    y = v1.layers.batch_normalization(
        x, training=training, adjustment=lambda shape: (tf.ones([shape[-1]]) * scale, tf.zeros([shape[-1]]) + bias)
    )
    s = session()
    given = data(128, 20)
    plain = (given - given.mean(0)) / np.sqrt(given.var(0) + 1e-3)
    assert np.allclose(s.run(y, {x: given, training: True}), plain * scale + bias, atol=1e-4)
    assert np.allclose(s.run(y, {x: given, training: False}), given / np.sqrt(1 + 1e-3), atol=1e-4)


def test_normalization_of_several_axes(graph):
    x = v1.placeholder(tf.float32, [None, 6, 5])
    y = v1.layers.batch_normalization(x, axis=[1, 2], training=True)
    given = data(32, 6, 5)
    assert np.allclose(session().run(y, {x: given}), (given - given.mean(0)) / np.sqrt(given.var(0) + 1e-3), atol=1e-4)
    assert [v.shape.as_list() for v in v1.trainable_variables()] == [[1, 6, 5], [1, 6, 5]]


@pytest.mark.parametrize("how, told", [
    ({"fused": True}, "fused=True normalises pictures along axis 1 or 3, but got rank 2"),
    ({"renorm": True, "renorm_clipping": {"max": 1.0}}, r"but has \['max'\]"),
    ({"virtual_batch_size": 4, "adjustment": lambda shape: (1.0, 0.0)}, "does not go with adjustment"),
    ({"virtual_batch_size": -1}, "must be a positive integer"),
])  # fmt: skip
def test_normalizations_that_cannot_be(graph, how, told):
    with pytest.raises(ValueError, match=told):
        v1.layers.batch_normalization(v1.placeholder(tf.float32, [None, 8]), **how)
    with pytest.raises(ValueError, match="fused=True does not go with renorm"):
        v1.layers.batch_normalization(v1.placeholder(tf.float32, [None, 8, 8, 3]), fused=True, renorm=True)


def test_resized_to_a_size_that_is_fed(graph):
    x, size = v1.placeholder(tf.float32, [None, None, None, 3]), v1.placeholder(tf.int32, [2])
    made = [v1.image.resize_images(x, size, method) for method in range(4)]
    fixed_size = [v1.image.resize_images(x, [14, 21], method) for method in range(4)]
    assert all(t.shape.as_list() == [None, None, None, 3] for t in made) and fixed_size[2].shape.as_list() == [
        None,
        14,
        21,
        3,
    ]
    for sizes in ((28, 28), (20, 31)):
        a, b = v1.Session().run([made, fixed_size], {x: data(4, *sizes, 3), size: [14, 21]})
        assert all((p == q).all() for p, q in zip(a, b))


def test_ratios_that_are_not_known(graph):
    x = v1.placeholder(tf.float32, [None, None, None, 3])
    known, unknown = (
        v1.image.resize_images(t, [224, 224], preserve_aspect_ratio=True) for t in (tf.zeros([2, 60, 80, 3]), x)
    )
    assert known.shape.as_list() == [2, 168, 224, 3] and unknown.shape.as_list() == [None, None, None, 3]
    assert v1.Session().run(unknown, {x: data(2, 60, 80, 3)}).shape == (2, 168, 224, 3)


def test_dropout_by_a_flag(graph):
    x, training = v1.placeholder(tf.float32, [None, 100]), v1.placeholder(tf.bool, [])
    y = v1.layers.dropout(x, 0.3, training=training)
    s = session()
    ones = np.ones((200, 100), "float32")
    assert (s.run(y, {x: ones, training: False}) == 1).all()
    got = s.run(y, {x: ones, training: True})
    assert 0.68 < (got > 0).mean() < 0.72 and np.allclose(got.max(), 1 / 0.7)


def lstm(x, kernel, bias, units, lengths=None):
    h = c = np.zeros((len(x), units), "float32")
    outputs = []
    for t in range(x.shape[1]):
        i, j, f, o = np.split(np.concatenate([x[:, t], h], 1) @ kernel + bias, 4, 1)
        new_c = c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j)
        new_h = np.tanh(new_c) * sigmoid(o)
        on = np.ones((len(x), 1), bool) if lengths is None else (t < np.array(lengths))[:, None]
        c, h = np.where(on, new_c, c), np.where(on, new_h, h)
        outputs.append(np.where(on, new_h, 0))
    return np.stack(outputs, 1), c, h


@pytest.mark.parametrize("lengths", [None, [28, 5, 1, 0]])
def test_dynamic_rnn_of_an_lstm(graph, lengths):
    x = v1.placeholder(tf.float32, [None, 28, 28])
    n = v1.placeholder(tf.int32, [None])
    cell = v1.nn.rnn_cell.BasicLSTMCell(64)
    outputs, state = v1.nn.dynamic_rnn(cell, x, sequence_length=None if lengths is None else n, dtype=tf.float32)
    assert outputs.shape.as_list() == [None, 28, 64]
    loss = tf.reduce_mean(tf.square(outputs))
    train = v1.train.GradientDescentOptimizer(5.0).minimize(loss)
    s = session()
    given = data(4, 28, 28)
    feed = {x: given} if lengths is None else {x: given, n: lengths}
    kernel = s.run("rnn/basic_lstm_cell/kernel:0")
    got, last = s.run([outputs, state], feed)
    want, c, h = lstm(given, kernel, np.zeros(256, "float32"), 64, lengths)
    assert np.allclose(got, want, atol=1e-5) and np.allclose(last.c, c, atol=1e-5) and np.allclose(last.h, h, atol=1e-5)
    before = s.run(loss, feed)
    for _ in range(5):
        s.run(train, feed)
    assert s.run(loss, feed) < before


def test_cells_in_layers_and_both_ways(graph):
    x, n, keep = (
        v1.placeholder(tf.float32, [None, 12, 5]),
        v1.placeholder(tf.int32, [None]),
        v1.placeholder(tf.float32, []),
    )
    cells = [v1.nn.rnn_cell.DropoutWrapper(v1.nn.rnn_cell.GRUCell(8), output_keep_prob=keep) for _ in range(2)]
    outputs, states = v1.nn.dynamic_rnn(v1.nn.rnn_cell.MultiRNNCell(cells), x, sequence_length=n, dtype=tf.float32)
    (forward, backward), _ = v1.nn.bidirectional_dynamic_rnn(
        v1.nn.rnn_cell.LSTMCell(6), v1.nn.rnn_cell.LSTMCell(6, use_peepholes=True, num_proj=3), x, n, dtype=tf.float32
    )
    unrolled, last = v1.nn.static_rnn(v1.nn.rnn_cell.BasicRNNCell(4), tf.unstack(x, 12, 1), dtype=tf.float32)
    s = session()
    feed = {x: data(3, 12, 5), n: [12, 5, 1], keep: 1.0}
    got = s.run([outputs, states, forward, backward, unrolled[-1], last], feed)
    assert (
        (got[0][1, 5:] == 0).all()
        and np.allclose(got[0][1, 4], got[1][1][1])
        and got[3].shape == (3, 12, 3)
        and (got[4] == got[5]).all()
    )
    kernel = s.run("rnn/basic_rnn_cell/kernel:0")
    h = np.zeros((3, 4), "float32")
    for t in range(12):
        h = np.tanh(np.concatenate([feed[x][:, t], h], 1) @ kernel)
    assert np.allclose(got[4], h, atol=1e-5)
    names = [v.name for v in v1.trainable_variables()]
    assert (
        "rnn/multi_rnn_cell/cell_0/gru_cell/gates/kernel:0" in names
        and "bidirectional_rnn/bw/lstm_cell/projection/kernel:0" in names
    )


def test_gru_cell_with_initializers(graph):
    x = v1.placeholder(tf.float32, [None, 28, 28])
    cell = v1.nn.rnn_cell.GRUCell(
        64, kernel_initializer=v1.constant_initializer(0.01), bias_initializer=v1.constant_initializer(-0.5)
    )
    outputs, _ = v1.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    given = data(8, 28, 28)
    h = np.zeros((8, 64), "float32")
    for t in range(28):
        gate = sigmoid(np.concatenate([given[:, t], h], 1).sum(1, keepdims=True) * 0.01 - 0.5)
        h = gate * h + (1 - gate) * np.tanh(
            np.concatenate([given[:, t], gate * h], 1).sum(1, keepdims=True) * 0.01 - 0.5
        )
    assert np.allclose(session().run(outputs, {x: given})[:, -1], h, atol=1e-5)


def test_cells_that_are_not_trained(graph):
    x = v1.placeholder(tf.float32, [None, 5, 4])
    kinds = v1.nn.rnn_cell.BasicRNNCell, v1.nn.rnn_cell.GRUCell, v1.nn.rnn_cell.BasicLSTMCell, v1.nn.rnn_cell.LSTMCell
    for i, kind in enumerate(kinds):
        v1.nn.dynamic_rnn(kind(8, trainable=False), x, dtype=tf.float32, scope=f"rnn{i}")
        with pytest.raises(TypeError, match="trainabel"):
            kind(8, trainabel=False)
    assert len(v1.global_variables()) == 10 and not v1.trainable_variables()
    v1.nn.rnn_cell.GRUCell(8, dtype=tf.float64)(
        v1.placeholder(tf.float64, [None, 4]), v1.placeholder(tf.float64, [None, 8])
    )
    assert all(v.dtype == tf.float64 for v in v1.trainable_variables())


def test_cells_in_layers_with_one_state(graph):
    x = v1.placeholder(tf.float32, [None, 12, 5])
    cells = [v1.nn.rnn_cell.GRUCell(n, kernel_initializer=fixed) for n in (8, 6)]
    whole = v1.nn.rnn_cell.MultiRNNCell(cells, state_is_tuple=False)
    assert whole.state_size == 14
    outputs, state = v1.nn.dynamic_rnn(whole, x, dtype=tf.float32)
    with v1.variable_scope("again"):
        cells = [v1.nn.rnn_cell.GRUCell(n, kernel_initializer=fixed) for n in (8, 6)]
        wanted, parts = v1.nn.dynamic_rnn(v1.nn.rnn_cell.MultiRNNCell(cells), x, dtype=tf.float32)
    got, one, want, two = session().run([outputs, state, wanted, parts], {x: data(3, 12, 5)})
    assert (got == want).all() and (one == np.concatenate(two, 1)).all()
    with pytest.raises(ValueError, match="state_is_tuple is not set"):
        v1.nn.rnn_cell.MultiRNNCell([v1.nn.rnn_cell.BasicLSTMCell(4)], state_is_tuple=False)


class Echo(v1.nn.rnn_cell.RNNCell):
    """Gives what it is given, and keeps its state: what a wrapper drops can be seen."""

    state_size = output_size = property(lambda self: 100)

    def call(self, inputs, state):
        return inputs, state


def test_variational_dropout_is_the_same_in_all_steps(graph):
    x = v1.placeholder(tf.float32, [None, 20, 100])
    keep = v1.placeholder(tf.float32, [])
    cell = v1.nn.rnn_cell.DropoutWrapper(
        Echo(), input_keep_prob=keep, output_keep_prob=0.5, variational_recurrent=True, input_size=100, dtype=tf.float32
    )
    outputs, _ = v1.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    s = session()
    ones = np.ones((8, 20, 100), "float32")
    a, b = s.run(outputs, {x: ones, keep: 0.8}), s.run(outputs, {x: ones, keep: 0.8})
    assert (a == a[:1, :1]).all() and (a != b).any() and np.allclose(np.unique(a), [0, 1 / 0.4])
    assert 0.2 < (a[0, 0] > 0).mean() < 0.6
    other = v1.nn.rnn_cell.DropoutWrapper(Echo(), output_keep_prob=0.5)
    free = session().run(v1.nn.dynamic_rnn(other, x, dtype=tf.float32, scope="free")[0], {x: ones})
    assert (free != free[:1, :1]).any()


def test_variational_dropout_needs_sizes(graph):
    with pytest.raises(ValueError, match="dtype must be provided"):
        v1.nn.rnn_cell.DropoutWrapper(Echo(), 0.5, variational_recurrent=True)
    with pytest.raises(ValueError, match="input_size must be provided"):
        v1.nn.rnn_cell.DropoutWrapper(Echo(), 0.5, variational_recurrent=True, dtype=tf.float32)
    with pytest.raises(ValueError, match="state_keep_prob must be between 0 and 1: 1.5"):
        v1.nn.rnn_cell.DropoutWrapper(Echo(), state_keep_prob=1.5)


def test_what_is_dropped_of_a_state(graph):
    def after(**how):
        cell = v1.nn.rnn_cell.DropoutWrapper(
            v1.nn.rnn_cell.BasicLSTMCell(50, reuse=v1.AUTO_REUSE), state_keep_prob=0.5, seed=3, **how
        )
        return cell(tf.ones([4, 10]), cell.zero_state(4, tf.float32))[1]

    states = (
        after(),
        after(dropout_state_filter_visitor=lambda s: True),
        after(dropout_state_filter_visitor=lambda s: not hasattr(s, "c")),
    )
    zeros = [[(part == 0).any() for part in state] for state in session().run(states)]
    assert zeros == [[False, True], [True, True], [False, False]]


def test_seeds_of_a_wrapper_are_several(graph):
    x = tf.ones([50, 100])
    output, state = v1.nn.rnn_cell.DropoutWrapper(Echo(), output_keep_prob=0.5, state_keep_prob=0.5, seed=7)(x, x)
    a, b = session().run([output, state])
    assert 0.4 < (a == b).mean() < 0.6


def test_candidate_samplers(graph):
    drawn, true, sampled = v1.nn.log_uniform_candidate_sampler(tf.constant([[1], [5]], tf.int64), 1, 64, True, 1000)
    s = session()
    a, t, e = s.run([drawn, true, sampled])
    assert len(set(a.tolist())) == 64 and a.min() >= 0 and a.max() < 1000 and t.shape == (2, 1) and e.shape == (64,)
    often = np.bincount(np.concatenate([s.run(drawn) for _ in range(50)]), minlength=1000)
    assert often[:10].mean() > 5 * often[500:].mean() and (s.run(drawn) != a).any()
    assert np.allclose(t[0, 0], often[1] / 50, atol=0.15)


def test_scopes_share_no_random_numbers(graph):
    with v1.variable_scope("a", initializer=v1.truncated_normal_initializer(stddev=0.1)):
        a, b = v1.get_variable("a", [50, 50]), v1.get_variable("b", [50, 50])
    s = session()
    p, q = s.run([a, b])
    assert (p != q).all() and np.abs(p).max() <= 0.2 and 0.07 < p.std() < 0.1
    s.run(a.initializer)
    assert (s.run(a) != p).all()


def test_layers_of_keras(graph):
    x = v1.placeholder(tf.float32, [None, 20])
    layer = tf.keras.layers.Dense(5, kernel_regularizer=tf.keras.regularizers.L2(0.1))
    y = tf.keras.layers.Activation("relu")(layer(x))
    loss = tf.reduce_mean(y**2) + tf.add_n(layer.losses)
    train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
    step = tf.keras.optimizers.SGD(0.1).minimize(loss, var_list=layer.trainable_variables)
    s = session()
    feed = {x: data(64, 20)}
    losses = [s.run([loss, train], feed)[0] for _ in range(10)]
    assert losses == sorted(losses, reverse=True) and losses[-1] < 0.9 * losses[0]
    s.run(step, feed)
    assert s.run(loss, feed) < losses[-1]


def test_keras_computes_in_graph_mode(graph):
    x, y = data(256, 20), (data(256, 20)[:, :1] > 0).astype("float32")

    class Own(tf.keras.layers.Layer):
        def build(self, shape):
            self.w = self.add_weight(shape=(shape[-1], 4), name="w")

        def call(self, inputs):
            return tf.nn.relu(tf.matmul(inputs, self.w) + tf.constant(0.1))

    model = tf.keras.Sequential([tf.keras.Input((20,)), Own(), tf.keras.layers.Dense(1, activation="sigmoid")])
    model.compile(
        "adam", lambda a, b: tf.reduce_mean(tf.square(a - b)) + tf.reduce_sum(tf.zeros([2])), metrics=["accuracy"]
    )
    history = model.fit(x, y, epochs=3, verbose=0).history["loss"]
    assert history[-1] < history[0]
    data_set = tf.data.Dataset.from_tensor_slices((x, y)).map(lambda a, b: (a * 2.0 + tf.constant(1.0), b)).batch(64)
    model.fit(data_set, epochs=1, verbose=0)
    given = v1.placeholder(tf.float32, [None, 20])
    assert np.allclose(v1.Session().run(model(given), {given: x}), model.predict(x, verbose=0), atol=1e-6)


def test_a_failed_run_changes_nothing(graph):
    v, x = tf.Variable(1.0), v1.placeholder(tf.float32, [None])
    with tf.control_dependencies([tf.debugging.Assert(tf.reduce_all(x > 0), [x])]):
        step = v.assign_add(tf.reduce_sum(x))
    s = session()
    s.run(step, {x: [1.0]})
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError):
            s.run(step, {x: [-1.0]})
    assert s.run(v) == 2.0 and s.run(step, {x: [3.0]}) == 5.0


def unused(path):
    """(class or function, parameter) of what a file's public functions take and never read."""
    tree = ast.parse(path.read_text())
    for owner in (node for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.ClassDef))):
        for f in owner.body:
            if not isinstance(f, ast.FunctionDef) or f.name.startswith("_") and f.name not in ("__init__", "__call__"):
                continue
            body = f.body[1:] if ast.get_docstring(f) else f.body
            read = {n.id for statement in body for n in ast.walk(statement) if isinstance(n, ast.Name)}
            overridden = (
                isinstance(owner, ast.ClassDef)
                and owner.name.endswith(("Hook", "Listener", "Optimizer"))
                and f.name != "__init__"
            )
            who = owner.name if f.name == "__init__" else f.name
            for argument in [*f.args.args, *f.args.kwonlyargs, *filter(None, [f.args.vararg, f.args.kwarg])]:
                if argument.arg not in read and argument.arg not in ("self", "cls") and not overridden:
                    yield "DEFINE_*" if who.startswith("DEFINE_") else who, argument.arg


def test_no_argument_is_ignored():
    from brio.compat.v1 import _ignored

    root = pathlib.Path(tf.__file__).parent
    files = [*(root / "compat" / "v1").glob("*.py"), root / "compat" / "_variables.py"]
    files += [
        root / "_graph" / f"{name}.py"
        for name in ("control", "effects", "gradients", "run", "tensor_array", "variables")
    ]
    found = {(who, argument) for path in files for who, argument in unused(path)}
    assert len(found) > 50
    wrong = {
        f"{who}.{argument}"
        for who, argument in found
        if argument not in _ignored.IGNORED and f"{who}.{argument}" not in _ignored.IGNORED
    }
    assert not wrong, wrong
    stale = _ignored.IGNORED - {x for who, argument in found for x in (argument, f"{who}.{argument}")}
    assert not stale, stale


@pytest.mark.parametrize(
    "use, told",
    [
        (lambda: v1.Session("grpc://localhost:2222"), r"\[Session\] target='grpc://localhost:2222'"),
        (lambda: v1.train.MonitoredTrainingSession(is_chief=False), "is_chief=False"),
        (lambda: v1.train.Saver(saver_def=3, var_list=[tf.Variable(1.0)]), r"\[Saver\] saver_def=3"),
        (lambda: v1.Variable(variable_def=3), r"\[Variable\] variable_def"),
        (lambda: v1.train.Scaffold(ready_op=3), r"\[Scaffold\] ready_op=3"),
        (
            lambda: v1.data.Iterator.from_structure(tf.int64, output_classes=tf.SparseTensor),
            "output_classes has SparseTensor",
        ),
        (lambda: tf.TensorArray(tf.float32, 3, flow=tf.constant(1.0)), r"\[TensorArray\] handle and flow"),
    ],
)
def test_what_there_is_not_is_refused(graph, use, told):
    with pytest.raises(NotImplementedError, match=told):
        use()


def test_variables_without_values_are_found(graph):
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    one, all_ = v1.assert_variables_initialized([w]), v1.assert_variables_initialized()
    s = v1.Session()
    s.run(w.initializer)
    assert s.run(one) is None
    with pytest.raises(tf.errors.FailedPreconditionError):
        s.run(all_)
    s.run(v.initializer)
    assert s.run(all_) is None


def test_branches_of_tensorflow_1_unwrap_lists(graph):
    p = v1.placeholder(tf.bool, [])
    v1.disable_control_flow_v2()
    try:
        one, kept = (
            v1.cond(p, lambda: [tf.constant(1.0)], lambda: [tf.constant(2.0)], strict=strict)
            for strict in (False, True)
        )
    finally:
        v1.enable_control_flow_v2()
    assert v1.Session().run([one, kept], {p: True}) == [1.0, [1.0]]


def test_prints_the_first_times(graph, capfd):
    x = v1.placeholder(tf.float32, [3])
    y = v1.Print(x * 2.0, [x], "x is ", first_n=2)
    s = session()
    for _ in range(5):
        s.run(y, {x: [1.0, 2.0, 3.0]})
    assert capfd.readouterr().err.count("x is ") == 2


def test_constraints_in_eager_code():
    w = v1.Variable([1.0, -1.0], constraint=POSITIVE)
    v1.train.GradientDescentOptimizer(0.1).minimize(lambda: tf.reduce_sum(w**2), var_list=[w])
    assert np.allclose(w.numpy(), [0.8, 0])


def test_errors_of_runs_come_out(graph):
    x = v1.placeholder(tf.float32)
    y = tf.matmul(x, tf.ones([3, 2]))
    s = session()
    with pytest.raises(tf.errors.InvalidArgumentError):
        s.run(y, {x: np.ones((2, 4))})
    assert s.run(y, {x: np.ones((2, 3))}).tolist() == [[3, 3], [3, 3]]
    z = v1.py_func(lambda a: 1 / 0, [x], tf.float32)
    with pytest.raises(ZeroDivisionError):
        s.run(z, {x: 1.0})


def test_sessions_are_freed(graph):
    w = tf.Variable(tf.zeros([100, 100]))
    x = v1.placeholder(tf.float32, [None, 100])
    step = v1.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(tf.matmul(x, w) ** 2))
    s = session()
    s.run(step, {x: data(4, 100)})
    cells = [weakref.ref(c) for c in s._values.values()]
    plan = weakref.ref(next(iter(s._plans.values())))
    del s
    gc.collect()
    assert plan() is None and all(c() is None for c in cells)


def test_a_run_is_fast(graph):
    x = v1.placeholder(tf.float32, [None, 2])
    w = tf.Variable(tf.zeros([2, 1]))
    step = v1.train.GradientDescentOptimizer(0.01).minimize(tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0)))
    s = session()
    feed = {x: np.ones((4, 2), "float32")}
    s.run(step, feed)
    best = np.inf
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(200):
            s.run(step, feed)
        best = min(best, (time.perf_counter() - start) / 200)
    assert best < 300e-6, (
        f"{best * 1e6:.0f} µs"
    )  # some 10 µs on a free machine; tracing or recording would take more than 500


def test_threads_have_their_own_graphs():
    wrong = []

    def build(i):
        with tf.Graph().as_default():
            v = tf.Variable(float(i))
            for _ in range(20):
                v = v + 1.0
            with v1.Session() as s:
                s.run(v1.global_variables_initializer())
                if s.run(v) != i + 20:
                    wrong.append(i)

    def compute():
        for _ in range(200):
            if float(tf.add(tf.constant(1.0), 2.0)) != 3.0:
                wrong.append("eager")

    threads = [threading.Thread(target=build, args=(i,)) for i in range(4)] + [
        threading.Thread(target=compute) for _ in range(2)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_eager_functions_are_what_they_were():
    before = {n: getattr(tf, n) for n in ("add", "matmul", "Variable", "constant", "cond", "name_scope")}
    call = tf.keras.layers.Layer.__call__
    with tf.Graph().as_default():
        assert tf.add is not before["add"] and isinstance(tf.Variable(1.0), tf.Variable)
    assert all(getattr(tf, n) is f for n, f in before.items()) and tf.keras.layers.Layer.__call__ is call
    assert float(tf.function(lambda a: a * 2)(tf.constant(3.0))) == 6.0


OLD_PROGRAM = """
import numpy as np
import brio.compat.v1 as tf
tf.disable_v2_behavior()

flags = tf.app.flags
flags.DEFINE_integer("steps", 3, "how many")
FLAGS = flags.FLAGS

x = tf.placeholder("float", [None, 4], name="x")
y = tf.placeholder("float", [None])
w = tf.Variable(tf.random_normal([4, 1], stddev=0.1), name="w")
b = tf.Variable(tf.zeros([1]))
predictions = tf.squeeze(tf.matmul(x, w) + b, 1)
cost = tf.reduce_mean(tf.pow(predictions - y, 2), reduction_indices=0)
train = tf.train.GradientDescentOptimizer(0.1).minimize(cost)
assert x.get_shape()[1].value == 4 and x.get_shape()[0].value is None and str(x.shape) == "(?, 4)"
assert (w == b) is False and {w: 1}[w] == 1 and w in [b, w]
r = tf.random_uniform([3])

def main(argv):
    X = np.random.default_rng(0).normal(size=(50, 4)); Y = X.sum(1)
    with tf.Session() as sess:
        sess.run(tf.initialize_all_variables())
        for step in range(100 * FLAGS.steps):
            _, c = sess.run([train, cost], feed_dict={x: X, y: Y})
        assert c < 1e-3, c
        assert (r.eval() != r.eval()).any()
        assert sess.run("w:0").shape == (4, 1) and tf.get_default_session() is sess
    tf.reset_default_graph()
    assert not tf.global_variables()
    print("done", FLAGS.steps)

if __name__ == "__main__":
    tf.app.run()
"""


def test_an_old_program(tmp_path):
    (tmp_path / "program.py").write_text(textwrap.dedent(OLD_PROGRAM))
    there = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(os.path.abspath(tf.__file__)))}
    done = subprocess.run(
        [sys.executable, "program.py", "--steps=2"], cwd=tmp_path, env=there, capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stdout == "done 2\n", done.stderr


@pytest.fixture
def flags():
    made = v1.flags
    before = set(made.FLAGS)
    yield made
    for name in set(made.FLAGS) - before:
        delattr(made.FLAGS, name)


def test_flags_between_bounds(flags):
    flags.DEFINE_integer("batch_size", 64, "pictures in a batch", lower_bound=1, upper_bound=1024, short_name="b")
    flags.DEFINE_float("rate", 1e-3, "100% of the rate", lower_bound=0.0)
    assert flags.FLAGS(["program", "-b", "128", "--rate=0.1", "rest"]) == ["program", "rest"]
    assert (flags.FLAGS.batch_size, flags.FLAGS.b, flags.FLAGS.rate) == (128, 128, 0.1)
    for wrong in (["--batch_size=2000"], ["--batch_size=0"], ["--rate=-1"], ["--rate=fast"]):
        with pytest.raises(flags.IllegalFlagValueError):
            flags.FLAGS(["program", *wrong])
    with pytest.raises(flags.IllegalFlagValueError, match=r"--batch_size=0: it must be in \[1, 1024\]"):
        flags.FLAGS.batch_size = 0
    with pytest.raises(flags.IllegalFlagValueError, match="--size=0"):
        flags.DEFINE_integer("size", 0, "", lower_bound=1)


def test_flags_that_are_required(flags):
    flags.DEFINE_string("data_dir", None, "where the data lie")
    flags.DEFINE_string("log_dir", None, "where logs go", required=True)
    flags.mark_flag_as_required("data_dir")
    with pytest.raises(flags.IllegalFlagValueError, match="--data_dir must have a value other than None"):
        flags.FLAGS(["program", "--log_dir=logs"])
    with pytest.raises(flags.IllegalFlagValueError, match="--log_dir must have a value other than None"):
        flags.FLAGS(["program", "--data_dir=data"])
    flags.FLAGS(["program", "--data_dir=data", "--log_dir=logs"])
    assert flags.FLAGS.data_dir == "data"


def test_flags_that_are_no_truths(flags):
    flags.DEFINE_bool("shuffle", True, "")
    flags.DEFINE_enum("mode", "train", ["train", "eval"], "")
    flags.FLAGS(["program", "--noshuffle", "--mode=eval"])
    assert (flags.FLAGS.shuffle, flags.FLAGS.mode) == (False, "eval")
    for wrong in ("--shuffle=maybe", "--mode=test"):
        with pytest.raises(flags.IllegalFlagValueError):
            flags.FLAGS(["program", wrong])
    with pytest.raises(flags.UnrecognizedFlagError, match="'shufle'"):
        flags.FLAGS(["program", "--shufle=true"])
    assert flags.FLAGS(["program", "--shufle=true"], known_only=True) == ["program", "--shufle=true"]


def test_a_program_without_a_required_flag(tmp_path):
    program = """
        import brio.compat.v1 as tf
        tf.flags.DEFINE_string("data_dir", None, "where the data lie")
        tf.flags.mark_flag_as_required("data_dir")
        tf.app.run(lambda argv: print(tf.flags.FLAGS.data_dir))
    """
    (tmp_path / "program.py").write_text(textwrap.dedent(program))
    there = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(os.path.abspath(tf.__file__)))}
    failed, done = (
        subprocess.run([sys.executable, "program.py", *given], cwd=tmp_path, env=there, capture_output=True, text=True)
        for given in ([], ["--data_dir=x"])
    )
    assert (
        failed.returncode == 1
        and "Flag --data_dir must have a value" in failed.stderr
        and "Traceback" not in failed.stderr
    )
    assert done.stdout == "x\n"


def test_a_placeholder_begins_graph_mode(tmp_path):
    program = """
        import numpy as np, brio as tf
        before = tf.Variable(2.0)
        x = tf.placeholder(tf.float32, [None])
        w = tf.Variable(3.0)
        y = tf.reduce_sum(x) * w * before
        g = tf.gradients(y, [w, before])
        with tf.Session() as s:
            s.run(tf.global_variables_initializer())
            print(s.run(y, {x: [1.0, 2.0]}), s.run(g, {x: [1.0, 2.0]}))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True)
    assert done.stdout == "18.0 [np.float32(6.0), np.float32(9.0)]\n", done.stdout + done.stderr
