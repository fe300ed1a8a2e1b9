"""Modes of TensorFlow's eager execution that Brio has in one way."""

import contextlib


@contextlib.contextmanager
def async_scope():
    """A scope in which operations may run later: they do so everywhere, and errors come where values are read."""
    yield


def async_clear_error():
    """Nothing to do: an error is raised where it is met, and leaves nothing behind."""
