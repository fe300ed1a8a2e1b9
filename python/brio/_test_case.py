"""tf.test's TestCase, Benchmark and gradient checker."""

import contextlib
import re
import shutil
import tempfile
import time
import unittest

import numpy as np

from brio import _core, _nest


def _array(x):
    """A tensor, or anything that NumPy takes, as an array."""
    if hasattr(x, "dense_shape") and hasattr(x, "indices"):
        from brio import convert_to_tensor, sparse

        x = sparse.to_dense(x) if type(x).__name__ == "SparseTensor" else convert_to_tensor(x)
    if hasattr(x, "to_list"):
        return np.array(x.to_list(), dtype=object)
    if isinstance(x, (list, tuple)) and any(_core.is_tensor(v) or hasattr(v, "numpy") for v in x):
        return np.array([_array(v) for v in x])
    array = np.asarray(x.numpy() if hasattr(x, "numpy") else x)
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def _is_nested(x):
    if isinstance(x, dict) or hasattr(x, "_fields"):
        return True
    return isinstance(x, (list, tuple)) and any(isinstance(v, (dict, list, tuple)) or hasattr(v, "shape") for v in x)


class _EagerSession:
    """What session() gives where values are known at once."""

    def run(self, fetches, feed_dict=None):
        """The values of tensors, and what functions return."""
        return _nest.map_structure(lambda x: _array(x() if callable(x) else x), fetches)


class TestCase(unittest.TestCase):
    """unittest's, with checks of tensors; each test begins with the same random seed.

    >>> case = tf.test.TestCase()
    >>> case.assertAllClose(tf.constant([1.0, 2.0]), [1.0, 2.0 + 1e-8])
    """

    def __init__(self, methodName="runTest"):
        super().__init__(methodName)
        self._temp_dir = None

    def runTest(self):
        """Nothing: so that a case can be made on its own."""

    def setUp(self):
        """Sets the seeds of all random numbers."""
        super().setUp()
        import random

        from brio import random as tensors

        random.seed(87654321)
        np.random.seed(87654321)
        tensors.set_seed(87654321)

    def tearDown(self):
        """Takes the temporary directory away."""
        if self._temp_dir is not None:
            shutil.rmtree(self._temp_dir, ignore_errors=True)
            self._temp_dir = None
        super().tearDown()

    def get_temp_dir(self):
        """A directory that is there until the test ends."""
        if self._temp_dir is None:
            self._temp_dir = tempfile.mkdtemp()
        return self._temp_dir

    def evaluate(self, tensors):
        """The values of tensors, in their structure; in graph mode those that the session gives."""
        if callable(tensors) and not hasattr(tensors, "numpy"):
            return self.evaluate(tensors())
        if hasattr(tensors, "dense_shape") or hasattr(tensors, "row_splits"):
            return tensors
        session = _default_session()
        if session is not None:
            return session.run(tensors)
        return _nest.map_structure(lambda x: x.numpy() if hasattr(x, "numpy") else x, tensors)

    @contextlib.contextmanager
    def session(self, graph=None, config=None, use_gpu=True, force_gpu=False):
        """A scope with a session; where values are known at once, with what stands for one."""
        import sys

        graphs = sys.modules.get("brio._graph.core")  # loaded in graph mode
        if graph is None and (graphs is None or graphs.building() is None):
            yield _EagerSession()
            return
        from brio.compat import v1

        with v1.Session(graph=graph, config=config) as made:
            yield made

    cached_session = session

    # ---- numbers

    def _both(self, a, b):
        return _array(a), _array(b)

    def _same_keys(self, a, b, msg):
        if isinstance(a, dict) or isinstance(b, dict):
            self.assertEqual(sorted(a), sorted(b), msg)
            return [(a[k], b[k]) for k in sorted(a)]
        self.assertEqual(len(a), len(b), msg)
        return list(zip(a, b))

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        """Fails where numbers, also in dictionaries and lists, differ by more than atol + rtol |b|."""
        if isinstance(a, dict) or isinstance(b, dict) or hasattr(a, "_asdict"):
            a, b = (x._asdict() if hasattr(x, "_asdict") else x for x in (a, b))
        if _is_nested(a) and _is_nested(b) and not self._rectangular(a, b):
            for one, two in self._same_keys(a, b, msg):
                self.assertAllClose(one, two, rtol, atol, msg)
            return
        x, y = self._both(a, b)
        self.assertEqual(x.shape, y.shape, f"shapes {x.shape} and {y.shape} differ. {msg or ''}")
        if x.dtype.kind in "OSU" or y.dtype.kind in "OSU":
            self.assertAllEqual(x, y, msg)
            return
        if x.dtype == np.float16 or y.dtype == np.float16:
            rtol, atol = max(rtol, 1e-3), max(atol, 1e-3)
        if not np.allclose(x, y, rtol=rtol, atol=atol, equal_nan=True):
            far = ~np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=True)
            self.fail(
                f"{np.count_nonzero(far)} of {far.size} numbers differ by more than rtol={rtol}, atol={atol}: "
                f"{x[far][:8]} and {y[far][:8]}. {msg or ''}"
            )

    def _rectangular(self, a, b):
        try:
            return (
                not isinstance(a, dict) and not isinstance(b, dict) and all(_array(x).dtype != object for x in (a, b))
            )
        except ValueError:
            return False

    def assertAllCloseAccordingToType(self, a, b, rtol=1e-6, atol=1e-6, float_rtol=1e-6, float_atol=1e-6,
                                      half_rtol=1e-3, half_atol=1e-3, bfloat16_rtol=1e-2, bfloat16_atol=1e-2,
                                      msg=None):  # fmt: skip
        """As assertAllClose, with tolerances by dtype."""
        names = {
            np.asarray(x).dtype.name if not hasattr(x, "dtype") else getattr(x.dtype, "name", str(x.dtype))
            for x in (a, b)
        }
        for dtypes, r, t in (
            ({"float32", "complex64"}, float_rtol, float_atol),
            ({"float16"}, half_rtol, half_atol),
            ({"bfloat16"}, bfloat16_rtol, bfloat16_atol),
        ):
            if names & dtypes:
                rtol, atol = max(rtol, r), max(atol, t)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNotAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        """Fails where all numbers are close."""
        try:
            self.assertAllClose(a, b, rtol, atol, msg)
        except AssertionError:
            return
        self.fail(f"all numbers are close. {msg or ''}")

    def assertAllEqual(self, a, b, msg=None):
        """Fails where elements differ."""
        x, y = self._both(a, b)
        self.assertEqual(x.shape, y.shape, f"shapes {x.shape} and {y.shape} differ. {msg or ''}")
        if x.dtype.kind in "OSU" or y.dtype.kind in "OSU":
            x, y = (
                np.array([v.encode() if isinstance(v, str) else v for v in array.reshape(-1).tolist()], dtype=object)
                for array in (x, y)
            )
        same = x == y
        if x.dtype.kind in "fc" and y.dtype.kind in "fc":
            same = same | (np.isnan(x) & np.isnan(y))
        if not np.all(same):
            self.fail(
                f"{np.size(same) - np.count_nonzero(same)} of {np.size(same)} elements differ: {x[~same][:8]} and "
                f"{y[~same][:8]}. {msg or ''}"
            )

    def assertNotAllEqual(self, a, b, msg=None):
        """Fails where all elements are equal."""
        try:
            self.assertAllEqual(a, b, msg)
        except AssertionError:
            return
        self.fail(f"all elements are equal. {msg or ''}")

    def _all(self, a, holds, words):
        x = _array(a)
        if not np.all(holds(x)):
            self.fail(f"elements are not all {words}: {x[~holds(x)][:8]}")

    def assertAllGreater(self, a, comparison_target):
        """Fails where an element is not greater."""
        self._all(a, lambda x: x > comparison_target, f"greater than {comparison_target}")

    def assertAllLess(self, a, comparison_target):
        """Fails where an element is not less."""
        self._all(a, lambda x: x < comparison_target, f"less than {comparison_target}")

    def assertAllGreaterEqual(self, a, comparison_target):
        """Fails where an element is less."""
        self._all(a, lambda x: x >= comparison_target, f"{comparison_target} or greater")

    def assertAllLessEqual(self, a, comparison_target):
        """Fails where an element is greater."""
        self._all(a, lambda x: x <= comparison_target, f"{comparison_target} or less")

    def assertAllInRange(self, target, lower_bound, upper_bound, open_lower_bound=False, open_upper_bound=False):
        """Fails where an element is outside a range."""
        above = (lambda x: x > lower_bound) if open_lower_bound else (lambda x: x >= lower_bound)
        below = (lambda x: x < upper_bound) if open_upper_bound else (lambda x: x <= upper_bound)
        words = f"in {'(' if open_lower_bound else '['}{lower_bound}, {upper_bound}{')' if open_upper_bound else ']'}"
        self._all(target, lambda x: above(x) & below(x), words)

    def assertAllInSet(self, target, expected_set):
        """Fails where an element is none of a set."""
        self._all(target, lambda x: np.isin(x, list(expected_set)), f"in {expected_set}")

    def assertShapeEqual(self, input_a, input_b, msg=None):
        """Fails where shapes differ."""
        a, b = (tuple(x.shape) if hasattr(x, "shape") else np.shape(x) for x in (input_a, input_b))
        self.assertEqual(a, b, msg)

    def assertDTypeEqual(self, target, expected_dtype):
        """Fails where the dtype of a tensor is another one."""
        dtype = target.dtype if hasattr(target, "dtype") else np.asarray(target).dtype
        self.assertEqual(_core.as_dtype(dtype), _core.as_dtype(expected_dtype))

    def assertNear(self, f1, f2, err, msg=None):
        """Fails where two numbers differ by more than err."""
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, f"{f1} and {f2} differ by more than {err}. {msg or ''}")

    def assertArrayNear(self, farray1, farray2, err, msg=None):
        """Fails where numbers of two lists differ by more than err."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for a, b in zip(farray1, farray2):
            self.assertNear(float(a), float(b), err, msg)

    def assertNDArrayNear(self, ndarray1, ndarray2, err, msg=None):
        """Fails where the length of the difference of two arrays is not below err."""
        length = np.linalg.norm(_array(ndarray1) - _array(ndarray2))
        self.assertTrue(length < err, f"the arrays are {length} apart, not less than {err}. {msg or ''}")

    def assertStartsWith(self, actual, expected_start, msg=None):
        """Fails where a text begins otherwise."""
        self.assertTrue(actual.startswith(expected_start), msg or f"{actual!r} does not start with {expected_start!r}")

    def assertEmpty(self, container, msg=None):
        """Fails where something is in a container."""
        self.assertEqual(len(container), 0, msg)

    def assertNotEmpty(self, container, msg=None):
        """Fails where nothing is in a container."""
        self.assertNotEqual(len(container), 0, msg)

    def assertLen(self, container, expected_len, msg=None):
        """Fails where a container has another length."""
        self.assertEqual(len(container), expected_len, msg)

    def assertBetween(self, value, minv, maxv, msg=None):
        """Fails where a number is outside a range."""
        self.assertTrue(minv <= value <= maxv, msg or f"{value} is not between {minv} and {maxv}")

    def assertSameElements(self, expected_seq, actual_seq, msg=None):
        """Fails where one of two lists has an element that the other has not."""
        self.assertEqual(set(expected_seq), set(actual_seq), msg)

    def assertDeviceEqual(self, device1, device2, msg=None):
        """Fails where two names are those of different devices."""
        one, two = (_core._canonical_device(d) if isinstance(d, str) else d for d in (device1, device2))
        self.assertEqual(one, two, msg)

    # ---- errors

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type, expected_err_re_or_predicate):
        """Fails where no such error comes, or one that a pattern or function does not accept."""
        accept = expected_err_re_or_predicate
        try:
            yield
        except exception_type as error:
            fits = (
                accept(error) if callable(accept) else re.search(accept, getattr(error, "message", None) or str(error))
            )
            if not fits:
                raise AssertionError(f"an error of another kind came: {error}") from error
        else:
            self.fail(f"{exception_type.__name__} was not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate):
        """As assertRaisesWithPredicateMatch, for tf.errors.OpError."""
        from brio.errors import OpError

        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    @contextlib.contextmanager
    def captureWritesToStream(self, stream):
        """What is written to a stream, such as sys.stderr, as an object with contents()."""
        import os

        stream.flush()
        number = stream.fileno()
        kept = os.dup(number)
        with tempfile.TemporaryFile() as file:
            os.dup2(file.fileno(), number)
            captured = _Captured(stream, file)
            try:
                yield captured
            finally:
                stream.flush()
                captured.keep()
                os.dup2(kept, number)
                os.close(kept)


class _Captured:
    def __init__(self, stream, file):
        self._stream, self._file, self._text = stream, file, None

    def keep(self):
        self._text = self.contents()

    def contents(self):
        if self._text is not None:
            return self._text
        self._stream.flush()
        at = self._file.tell()
        self._file.seek(0)
        text = self._file.read().decode("utf-8", "replace")
        self._file.seek(at)
        return text


def _default_session():
    import sys

    v1 = sys.modules.get("brio.compat.v1")
    return v1.get_default_session() if v1 is not None else None


class Benchmark:
    """A base for benchmarks: methods whose names begin with benchmark call report_benchmark().

    >>> tf.test.Benchmark().report_benchmark(wall_time=0.1, name="sum")
    sum: wall_time 0.1 s
    """

    def report_benchmark(
        self, iters=None, cpu_time=None, wall_time=None, throughput=None, extras=None, name=None, metrics=None
    ):
        """Prints what was measured."""
        known = (
            ("iters", iters, ""),
            ("cpu_time", cpu_time, " s"),
            ("wall_time", wall_time, " s"),
            ("throughput", throughput, " MB/s"),
        )
        parts = [f"{what} {value}{unit}" for what, value, unit in known if value is not None]
        parts += [f"{k} {v}" for k, v in (extras or {}).items()]
        parts += [f"{m['name']} {m['value']}" for m in metrics or []]
        print(f"{name or type(self).__name__}: {', '.join(parts)}")

    def evaluate(self, tensors):
        """The values of tensors."""
        return _nest.map_structure(lambda x: x.numpy() if hasattr(x, "numpy") else x, tensors)

    def run_op_benchmark(self, sess, op_or_tensor, feed_dict=None, burn_iters=2, min_iters=10, store_trace=False,
                         store_memory_usage=True, name=None, extras=None, mbs=0):  # fmt: skip
        """Runs an operation of a graph again and again, and reports the median of its times."""
        times = []
        for i in range(burn_iters + min_iters):
            begin = time.perf_counter()
            sess.run(op_or_tensor, feed_dict=feed_dict)
            if i >= burn_iters:
                times.append(time.perf_counter() - begin)
        median = float(np.median(times)) if times else 0.0
        self.report_benchmark(
            iters=min_iters,
            wall_time=median,
            throughput=mbs / median if mbs and median else None,
            extras=extras,
            name=name,
        )
        return {
            "name": name,
            "iters": min_iters,
            "wall_time": median,
            "extras": extras or {},
            "throughput": mbs / median if mbs and median else 0.0,
        }


def compute_gradient(f, x, delta=None):
    """Jacobians of f for each of a list of arguments: those of the tape, and those of small steps.

    >>> theory, steps = tf.test.compute_gradient(lambda x: x * x, [tf.constant([1.0, 3.0])])
    >>> theory[0].tolist(), bool(np.allclose(theory[0], steps[0], atol=1e-2))
    ([[2.0, 0.0], [0.0, 6.0]], True)
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError("[compute_gradient] x must be a list or tuple of tensors")
    xs = [_core.convert_to_tensor(v) for v in x]
    theory, steps = [], []
    for i, one in enumerate(xs):
        if delta is None:
            own = 1.0 / {"float16": 64, "bfloat16": 64}.get(one.dtype.name, 1024)
        else:
            own = delta
        with _core.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
            tape.watch(one)
            y = _core.convert_to_tensor(f(*[*xs[:i], one, *xs[i + 1 :]]))
            flat = _core.reshape(y, [-1])
            parts = [flat[j] for j in range(flat.shape[0])]
        rows = [tape.gradient(p, one) for p in parts]
        size = one.shape.num_elements()
        zeros = np.zeros(size, one.dtype.as_numpy_dtype)
        theory.append(
            np.array([zeros if r is None else _array(_core.convert_to_tensor(r)).reshape(-1) for r in rows]).reshape(
                len(parts), size
            )
        )
        values, columns = _array(one).astype(np.float64), []
        for j in range(size):
            ends = []
            for sign in (1, -1):
                moved = values.copy().reshape(-1)
                moved[j] += sign * own
                moved = _core.cast(_core.constant(moved.reshape(values.shape)), one.dtype)
                ends.append(_array(f(*[*xs[:i], moved, *xs[i + 1 :]])).astype(np.float64).reshape(-1))
            columns.append((ends[0] - ends[1]) / (2 * own))
        steps.append(np.array(columns).T.reshape(len(parts), size).astype(theory[-1].dtype))
    return tuple(theory), tuple(steps)


def main(argv=None):
    """Runs the tests of the program."""
    unittest.main(argv=argv)
