"""Every function, called with what it cannot take: an exception or an answer, never a crash or a hang."""

import inspect
import itertools

import numpy as np
import pytest

import brio as tf

# NumPy's own, where a complex number is given for a real one.
pytestmark = pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")


@pytest.fixture(autouse=True)
def somewhere_else(tmp_path, monkeypatch):
    """Functions that write files do it there."""
    monkeypatch.chdir(tmp_path)


NAMESPACES = [
    "",
    "bitwise",
    "debugging",
    "dtypes",
    "image",
    "linalg",
    "lookup",
    "math",
    "nest",
    "nn",
    "ragged",
    "random",
    "signal",
    "sparse",
    "strings",
]
# They would print, wait, or change how the others run.
LEFT_OUT = {
    "print",
    "set_seed",
    "set_global_generator",
    "map_fn",
    "while_loop",
    "vectorized_map",
    "get_logger",
    "placeholder",
    "set_log_device_placement",
}


def functions():
    for namespace in NAMESPACES:
        module = tf
        for part in filter(None, namespace.split(".")):
            module = getattr(module, part)
        for name in sorted(set(dir(module))):
            if name.startswith("_") or name in LEFT_OUT:
                continue
            value = getattr(module, name)
            if callable(value) and not inspect.isclass(value):
                yield pytest.param(value, id=f"{namespace + '.' if namespace else ''}{name}")


def values():
    """One of each kind; tensors small, so that what works is quick."""
    return [
        None, -1, 3, 2.5, float("nan"), "a", b"\xff", True, [], [[]], [1, [2]], [None], {}, object(), lambda x: x,
        np.zeros([2, 0], np.float32), np.array(["x"]), np.array([1 + 2j]), tf.constant(7),
        tf.constant([1.0, float("inf")]), tf.constant([[1, 2], [3, 4]]), tf.zeros([2, 3, 4, 5]), tf.zeros([0]),
        tf.constant("t"), tf.constant([True, False]), tf.Variable([1.0, 2.0]), 2**40, -(2**70),
    ]  # fmt: skip


def is_refusal(error):
    if isinstance(error, DeprecationWarning):  # what NumPy refuses today, NumPy 2.0 only warned of
        return "array" in str(error)
    return isinstance(
        error,
        (
            TypeError,
            ValueError,
            IndexError,
            KeyError,
            OverflowError,
            AttributeError,
            RuntimeError,
            MemoryError,
            AssertionError,
            tf.errors.OpError,
            StopIteration,
            LookupError,
            OSError,
        ),
    )


def read(result):
    for leaf in tf.nest.flatten(result):
        if isinstance(leaf, tf.Tensor):
            leaf.numpy()


def attempt(f, *arguments):
    try:
        read(f(*arguments))
    except Exception as error:  # noqa: BLE001  which ones is what is tested
        assert is_refusal(error), repr(error)
        assert not isinstance(error, tf.errors.InternalError), repr(error)


@pytest.mark.parametrize("f", list(functions()))
def test_refuses_or_answers(f):
    odd = values()
    attempt(f)
    for value in odd:
        attempt(f, value)
    # Pairs and triples, a few of all.
    for a, b in itertools.islice(itertools.product(odd, odd), 0, None, 29):
        attempt(f, a, b)
    for a, b, c in itertools.islice(itertools.product(odd, odd, odd), 5, None, 1999):
        attempt(f, a, b, c)
