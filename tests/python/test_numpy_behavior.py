"""tf.experimental.numpy.experimental_enable_numpy_behavior() for a whole process:
operators and methods are as NumPy's."""

import subprocess
import sys
import textwrap


def run(program):
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_without_it_dtypes_do_not_meet():
    run("""
        import brio as tf
        try:
            tf.ones([2], tf.int32) + tf.ones([2])
        except ValueError:
            assert not hasattr(tf.ones([2]), "reshape")
        else:
            raise AssertionError("different dtypes met")
    """)


def test_operators_join_dtypes_as_numpy_does():
    run("""
        import numpy as np
        import brio as tf
        tf.experimental.numpy.experimental_enable_numpy_behavior()
        dtypes = ["bool", "uint8", "int8", "int32", "int64", "float16", "float32", "float64", "complex64"]
        for a in dtypes:
            for b in dtypes:
                x, y = np.array([1, 0], a), np.array([1, 1], b)
                made, want = tf.constant(x) == tf.constant(y), x == y
                assert (made.numpy() == want).all(), (a, b)
                if a != "bool" and b != "bool":
                    made, want = tf.constant(x) * tf.constant(y), x * y
                    assert made.dtype == want.dtype and (made.numpy() == want).all(), (a, b, made.dtype, want.dtype)
        assert (tf.ones([2], tf.float32) + 1.5).dtype == tf.float32
    """)


def test_methods():
    run("""
        import brio as tf
        tf.experimental.numpy.experimental_enable_numpy_behavior()
        x = tf.constant([[1, 2, 3], [4, 5, 6]])
        assert x.T.tolist() == [[1, 4], [2, 5], [3, 6]] == x.transpose().tolist() == x.transpose(1, 0).tolist()
        assert x.reshape(3, -1).tolist() == [[1, 2], [3, 4], [5, 6]] == x.reshape([3, 2]).tolist()
        assert x.ravel().tolist() == [1, 2, 3, 4, 5, 6] == x.flatten().tolist()
        assert x.astype("float32").dtype == tf.float32 and x.size == 6
        assert x.clip(2, 4).tolist() == [[2, 2, 3], [4, 4, 4]]
    """)


def test_other_modes_are_refused():
    run("""
        import brio as tf
        try:
            tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
        except ValueError as error:
            assert "leave dtype_conversion_mode out" in str(error)
        else:
            raise AssertionError("nothing was raised")
    """)


def test_floats_of_python_may_be_float32():
    run("""
        import numpy as np
        import brio as tf
        import brio.experimental.numpy as tnp
        assert tnp.asarray(1.0).dtype == tf.float64 and tnp.sqrt(tnp.ones([128], tnp.int64)).dtype == tf.float64
        tnp.experimental_enable_numpy_behavior(prefer_float32=True)
        assert tnp.asarray(1.0).dtype == tf.float32 and tnp.add(1.0, 2.0).dtype == tf.float32
        assert tnp.sqrt(tnp.ones([128], tnp.int64)).dtype == tf.float32
        assert tnp.asarray(np.ones(200)).dtype == tf.float64 and tnp.asarray([1.5, 2]).dtype == tf.float32
        tnp.experimental_enable_numpy_behavior()
        assert tnp.asarray(1.0).dtype == tf.float64
    """)
