"""Names of the rarer kind of which no file of answers can be kept:
what is random, and what TensorFlow's CPU does not compute."""

import subprocess
import sys
import time

import numpy as np
import pytest

import brio as tf


def zipf(n):
    p = np.log((np.arange(n) + 2.0) / (np.arange(n) + 1.0))
    return p / p.sum()


SAMPLERS = {
    "uniform": (lambda unique, k: tf.random.uniform_candidate_sampler([[3], [7]], 1, k, unique, 20), np.full(20, 0.05)),
    "log_uniform": (
        lambda unique, k: tf.nn.fixed_unigram_candidate_sampler(
            [[3], [7]], 1, k, unique, 20, unigrams=zipf(20).tolist()
        ),
        zipf(20),
    ),
    "zipf": (lambda unique, k: tf.random.log_uniform_candidate_sampler([[3], [7]], 1, k, unique, 20), zipf(20)),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_samplers_draw_by_their_weights(name):
    tf.random.set_seed(3)
    sample, shares = SAMPLERS[name]
    sampled, _, often = sample(False, 4000)
    found = np.bincount(sampled.numpy(), minlength=20) / 4000
    assert np.abs(found - shares).max() < 0.03
    np.testing.assert_allclose(often.numpy(), 4000 * shares[sampled.numpy()], rtol=1e-4)


@pytest.mark.parametrize("name", SAMPLERS)
def test_samplers_without_repeats(name):
    tf.random.set_seed(4)
    sample, shares = SAMPLERS[name]
    first, counted, often = np.zeros(20), np.zeros(20), []
    for _ in range(300):
        sampled, of_true, of_sampled = sample(True, 6)
        assert len(set(sampled.numpy())) == 6 and sampled.dtype == tf.int64
        first[sampled.numpy()[0]] += 1
        counted[sampled.numpy()] += 1
        often.append(of_true.numpy()[:, 0])
        assert (of_sampled.numpy() > 0).all() and (of_sampled.numpy() <= 1).all()
    assert np.abs(first / 300 - shares).max() < 0.12
    # What is expected of a class is how often it came.
    np.testing.assert_allclose(np.mean(often, 0), counted[[3, 7]] / 300, atol=0.1)


def test_learned_sampler_prefers_what_it_saw():
    tf.random.set_seed(5)
    for _ in range(30):
        tf.random.learned_unigram_candidate_sampler([[4]] * 40, 1, 5, True, 50, seed=11)
    sampled, _, _ = tf.random.learned_unigram_candidate_sampler([[4]] * 40, 1, 5, True, 50, seed=11)
    assert 4 in sampled.numpy()


@pytest.mark.parametrize("loss", [tf.nn.nce_loss, tf.nn.sampled_softmax_loss])
def test_sampled_losses_train(loss):
    tf.random.set_seed(6)
    rng = np.random.default_rng(1)
    labels = tf.constant(rng.integers(0, 300, (120, 1)))
    x = tf.constant(rng.normal(size=(120, 32)).astype("float32"))
    w, b = tf.Variable(tf.zeros([300, 32])), tf.Variable(tf.zeros([300]))

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            value = tf.reduce_mean(loss(w, b, labels, x, num_sampled=40, num_classes=300))
        for v, g in zip((w, b), tape.gradient(value, [w, b])):
            v.assign_sub(2.0 * tf.convert_to_tensor(g))
        return value

    values = [float(step()) for _ in range(40)]
    assert np.mean(values[-5:]) < 0.5 * np.mean(values[:3])
    assert len(set(values)) > 30  # other classes in each run


def test_fractional_windows():
    tf.random.set_seed(7)
    x = tf.Variable(np.random.default_rng(2).normal(size=(2, 50, 41, 3)).astype("float32"))
    for pool, fold in ((tf.nn.fractional_max_pool, np.max), (tf.nn.fractional_avg_pool, np.mean)):
        for pseudo in (False, True):
            for overlapping in (False, True):
                with tf.GradientTape() as tape:
                    y, rows, columns = pool(
                        x, [1.0, 1.44, 1.73, 1.0], pseudo_random=pseudo, overlapping=overlapping, seed=3
                    )
                g = tape.gradient(y, x)
                r, c, more = rows.numpy(), columns.numpy(), int(overlapping)
                assert y.shape == (2, 34, 23, 3) and (r[0], r[-1], c[0], c[-1]) == (0, 50, 0, 41)
                assert set(np.diff(r)) <= {1, 2} and set(np.diff(c)) <= {1, 2}
                want = [
                    [fold(x.numpy()[:, a : b + more, d : e + more], axis=(1, 2)) for d, e in zip(c, c[1:])]
                    for a, b in zip(r, r[1:])
                ]
                np.testing.assert_allclose(y.numpy(), np.transpose(want, [2, 0, 1, 3]), rtol=1e-5, atol=1e-6)
                assert float(tf.reduce_sum(g)) == pytest.approx(y.numpy().size, rel=1e-4)


def test_largest_and_smallest():
    x = np.random.default_rng(3).normal(size=(6, 150)).astype("float32")
    values, places = tf.math.approx_max_k(x, 5)
    np.testing.assert_array_equal(values.numpy(), np.sort(x)[:, :-6:-1])
    np.testing.assert_array_equal(np.take_along_axis(x, places.numpy(), 1), values.numpy())
    np.testing.assert_array_equal(tf.nn.approx_min_k(x, 2, reduction_dimension=0).values.numpy(), np.sort(x, 0)[:2])


def test_transforms_of_axes_are_numpys():
    x = np.random.default_rng(4).normal(size=(5, 12, 9, 8))
    z = x + 1j * x[::-1]
    for norm in (None, "forward", "ortho"):
        for axes, lengths in (((1, 3), None), ((0, 2, 3), (7, 9, 6)), ((-2, -1), (9, 8))):
            for ours, theirs, data in (
                (tf.signal.fftnd, np.fft.fftn, z),
                (tf.signal.ifftnd, np.fft.ifftn, z),
                (tf.signal.rfftnd, np.fft.rfftn, x),
            ):
                np.testing.assert_allclose(
                    ours(data, lengths, axes, norm).numpy(), theirs(data, lengths, axes, norm), atol=1e-9
                )
            there = np.fft.rfftn(x, lengths, axes, norm)
            np.testing.assert_allclose(
                tf.irfftnd(there, lengths, axes, norm).numpy(), np.fft.irfftn(there, lengths, axes, norm), atol=1e-9
            )


def test_gradient_of_lu():
    x = tf.constant(np.random.default_rng(5).normal(size=(2, 4, 4)))
    theory, steps = tf.test.compute_gradient(lambda x: tf.linalg.lu(x)[0], [x], delta=1e-6)
    np.testing.assert_allclose(theory[0], steps[0], atol=1e-5)


def test_glimpses_with_noise():
    x = tf.random.uniform([2, 20, 20, 1], 3, 4)
    for noise in ("uniform", "gaussian"):
        y = tf.image.extract_glimpse(
            x, [30, 30], [[5.0, 5.0]] * 2, centered=False, normalized=False, noise=noise
        ).numpy()
        np.testing.assert_array_equal(y[:, :15, :15], x[:, 5:, 5:].numpy())
        outside = y[:, 15:]
        assert outside.min() >= 3 and outside.max() <= 4 and 0.2 < outside.std() < 0.35


def test_random_qualities_and_boxes():
    picture = tf.constant(np.random.default_rng(6).integers(0, 255, (60, 50, 3)).astype("uint8"))
    same = [tf.image.stateless_random_jpeg_quality(picture, 20, 90, seed=(1, 2)).numpy() for _ in range(2)]
    np.testing.assert_array_equal(*same)
    assert len({tf.image.random_jpeg_quality(picture, 5, 95).numpy().tobytes() for _ in range(8)}) > 3
    with pytest.raises(ValueError, match="must be below"):
        tf.image.random_jpeg_quality(picture, 90, 20)
    boxes = tf.constant([[[0.2, 0.2, 0.8, 0.9]]])
    first, again = (tf.image.stateless_sample_distorted_bounding_box([60, 50, 3], boxes, (3, 4), 0.5) for _ in range(2))
    for a, b in zip(first, again):
        np.testing.assert_array_equal(a.numpy(), b.numpy())
    assert tf.slice(picture, first[0], first[1]).shape[2] == 3


def lzw(numbers, least):
    """Codes of a table that grows, as files have them."""
    clear, out, held, kept = 1 << least, bytearray(), 0, 0
    table, bits, text = {}, least + 1, ()

    def put(code):
        nonlocal held, kept
        held |= code << kept
        kept += bits
        while kept >= 8:
            out.append(held & 255)
            held, kept = held >> 8, kept - 8

    def begin():
        nonlocal table, bits
        put(clear)
        table, bits = {(i,): i for i in range(clear)}, least + 1

    begin()
    for n in numbers:
        if text + (n,) in table:
            text += (n,)
            continue
        put(table[text])
        if len(table) + 2 < 4096:
            table[text + (n,)] = len(table) + 2
            if len(table) + 1 == 1 << bits and bits < 12:
                bits += 1
        else:
            begin()
        text = (n,)
    put(table[text])
    put(clear + 1)
    out.append(held)
    data = bytes(out)
    return (
        bytes([least])
        + b"".join(bytes([len(data[i : i + 255])]) + data[i : i + 255] for i in range(0, len(data), 255))
        + b"\0"
    )


def gif(frames, colors):
    height, width = frames.shape[1:]
    size = b"".join(int(n).to_bytes(2, "little") for n in (width, height))
    parts = [b"," + b"\0" * 4 + size + b"\0" + lzw(f.reshape(-1).tolist(), 8) for f in frames]
    return b"GIF89a" + size + b"\xf7\0\0" + colors.tobytes() + b"".join(parts) + b";"


def test_gifs_of_usual_sizes():
    rng = np.random.default_rng(8)
    colors = rng.integers(0, 256, (256, 3)).astype(np.uint8)
    frames = (
        np.add.outer(np.arange(200) // 3, np.arange(200) // 2)[None]
        + np.arange(4)[:, None, None]
        + rng.integers(0, 3, (4, 200, 200))
    ) % 256
    data = gif(frames, colors)
    begin = time.perf_counter()
    made = tf.io.decode_gif(data).numpy()
    assert time.perf_counter() - begin < 2.0  # some 0.1 s on a machine that is idle
    np.testing.assert_array_equal(made, colors[frames])
    for cut in (0, 5, 30, 900, len(data) // 2):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.io.decode_gif(data[:cut])


def test_names_are_loaded_when_they_are_used():
    code = (
        "import sys, brio as tf; tf.nn.relu, tf.linalg.inv, tf.image.resize; print([m for m in sys.modules if "
        "'brio._linear' in m or 'brio._more_nn' in m or 'brio._sampling' in m])"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )
    assert tf.random.experimental.Generator.from_seed(1).uniform([2]).shape == (2,)
    assert tf.random.experimental.stateless_split([1, 2], 3).shape == (3, 2)
    with pytest.raises(AttributeError, match="did you mean"):
        tf.nn.sampled_softmax_los  # noqa: B018
    assert "LinearOperatorDiag" in dir(tf.linalg)


def test_test_cases_in_graph_mode():
    from brio.compat import v1

    with v1.Graph().as_default(), tf.test.TestCase().session() as session:
        x = v1.placeholder(tf.float32, [2, 9, 9, 1])
        y = tf.nn.dilation2d(x, tf.zeros([2, 2, 1]), [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1])
        assert session.run(y, {x: np.ones((2, 9, 9, 1), "float32")}).shape == (2, 9, 9, 1)
