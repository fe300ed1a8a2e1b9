"""What goldens cannot hold of rarer names: random operations, sounds in event files, and names that are not there."""

import glob

import numpy as np
import pytest

import brio as tf


def test_random_raw_operations_are_in_their_ranges():
    seed = [3, 4]
    uniform = tf.raw_ops.StatelessRandomUniform(shape=[20000], seed=seed).numpy()
    assert 0 <= uniform.min() and uniform.max() < 1 and abs(uniform.mean() - 0.5) < 0.01
    normal = tf.raw_ops.StatelessRandomNormal(shape=[20000], seed=seed).numpy()
    assert abs(normal.mean()) < 0.03 and abs(normal.std() - 1) < 0.03
    assert abs(tf.raw_ops.StatelessTruncatedNormal(shape=[20000], seed=seed).numpy()).max() <= 2
    whole = tf.raw_ops.StatelessRandomUniformInt(shape=[20000], seed=seed, minval=3, maxval=9).numpy()
    assert sorted(set(whole.tolist())) == [3, 4, 5, 6, 7, 8]
    full = tf.raw_ops.StatelessRandomUniformFullInt(shape=[20000], seed=seed, dtype=tf.uint32).numpy()
    assert full.dtype == np.uint32 and full.max() > 2**31 and len(set(full.tolist())) > 19900
    assert (tf.raw_ops.StatelessRandomUniform(shape=[20000], seed=seed).numpy() == uniform).all()
    one, other = (tf.raw_ops.RandomStandardNormal(shape=[5], dtype=tf.float32).numpy() for _ in range(2))
    assert (one != other).any()


def test_every_raw_operation_can_be_made():
    assert len(dir(tf.raw_ops)) > 400
    for name in dir(tf.raw_ops):
        assert callable(getattr(tf.raw_ops, name)), name
    with pytest.raises(AttributeError, match="did you mean"):
        _ = tf.raw_ops.MatMull
    assert not hasattr(tf.config.experimental, "no_such_setting")


def test_sounds_in_event_files(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default(step=3):
        assert tf.summary.audio("beep", np.sin(np.linspace(0, 90, 800))[None, :, None], 8000)
        tf.summary.experimental.write_raw_pb(b"\x0a\x0b\x0a\x03raw\x15\x00\x00\x80\x3f", step=4)
        with tf.summary.experimental.summary_scope("a loss") as (tag, scope):
            assert tag == "a loss"
    writer.close()
    (file,) = glob.glob(f"{tmp_path}/*")
    data = open(file, "rb").read()
    assert b"beep" in data and b"RIFF" in data and b"WAVE" in data and b"audio" in data and b"raw" in data


def test_a_function_that_names_no_gradients_has_no_tapes():
    from brio import _trace_gradients

    seen = []

    @tf.function
    def plain(x):
        seen.append(_trace_gradients.here.tapes)
        return x * 2

    @tf.function
    def named(x):
        seen.append(_trace_gradients.here.tapes)
        return tf.gradients(x * x, x)[0]

    plain(tf.constant(1.0))
    assert float(named(tf.constant(3.0))) == 6.0
    assert seen[0] is None and len(seen[1]) == 3 and _trace_gradients.here.tapes is None


def test_classes_taken_for_tensors():
    class Length:
        def __init__(self, metres):
            self.metres = metres

    tf.register_tensor_conversion_function(
        Length, lambda value, dtype=None, name=None, as_ref=False: NotImplemented, priority=50
    )
    tf.register_tensor_conversion_function(
        Length, lambda value, dtype=None, name=None, as_ref=False: tf.constant(value.metres, dtype or tf.float32)
    )
    assert float(tf.convert_to_tensor(Length(2.5))) == 2.5
    assert float(tf.add(Length(1.0), 2.0)) == 3.0
    assert tf.multiply([1.0, 2.0], Length(3.0)).numpy().tolist() == [3.0, 6.0]
    with pytest.raises(TypeError, match="Python's own"):
        tf.register_tensor_conversion_function(int, lambda value, **_: value)


def test_names_that_stand_for_others():
    assert tf.compat.v2 is tf
    assert tf.compat.dimension_at_index(tf.TensorShape(None), 1).value is None
    iterator = tf.data.Dataset.range(3).as_numpy_iterator()
    assert [int(iterator.next()), *map(int, iterator)] == [0, 1, 2]
    values, _ = tf.approx_top_k([[1.0, 5.0, 3.0]], k=2)
    assert values.numpy().tolist() == [[5.0, 3.0]]
    assert tf.approx_top_k([1.0, 5.0, 3.0], k=1, is_max_k=False).indices.numpy().tolist() == [0]


def test_fingerprints_are_of_the_bytes():
    x = tf.cast(tf.constant([[1.5, 2.25], [3.0, -1.0]]), "bfloat16")
    wanted = [[81, 82, 220, 239, 81, 203, 179, 107], [50, 101, 170, 36, 58, 178, 175, 213]]  # TensorFlow 2.21
    assert tf.fingerprint(x).numpy().tolist() == wanted


def test_incomplete_gamma_functions_at_infinity():
    a, x = tf.constant([np.inf, np.inf, 2.0]), tf.constant([1.5, 0.0, np.inf])
    assert tf.math.igammac(a, x).numpy().tolist() == [1.0, 1.0, 0.0]
    assert tf.math.igamma(a, x).numpy().tolist() == [0.0, 0.0, 1.0]
