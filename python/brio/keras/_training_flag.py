"""Whether layers train where nobody says so: call(x, training=True) holds then, for what it calls inside too,
as in Keras."""

import functools
import inspect
import threading

TOLD, BY_DEFAULT = "told", "by default"  # C++ knows; only Python does


class _State(threading.local):
    """How this thread knows of training: None, TOLD or BY_DEFAULT."""

    how = None


_state = _State()


def is_default(cls):
    """Does call() of this class have training=True? Looked up once a class."""
    if "_trains_by_default" not in cls.__dict__:
        parameter = inspect.signature(cls.call).parameters.get("training")
        type.__setattr__(cls, "_trains_by_default", parameter is not None and parameter.default is True)
    return cls._trains_by_default


def inherited():
    """The value of training for a layer of C++'s that is called without one."""
    return True if _state.how == BY_DEFAULT else None


def unsaid(cls):
    """The value of training for a layer that is called without one: True or None."""
    return True if _state.how == BY_DEFAULT or (_state.how is None and is_default(cls)) else None


class known:
    """While it is entered, training is known in this way."""

    def __init__(self, how):
        self._how = how

    def __enter__(self):
        self._before, _state.how = _state.how, self._how

    def __exit__(self, *error):
        _state.how = self._before


def told_by_loops(method):
    """A method of models of layers alone, whose C++ loops tell every layer: fit, evaluate, predict."""

    @functools.wraps(method)
    def call(self, *args, **kwargs):
        if not self._is_of_layers:
            return method(self, *args, **kwargs)
        with known(TOLD):
            return method(self, *args, **kwargs)

    return call


def told_if_given(method):
    """__call__ of such a model."""

    @functools.wraps(method)
    def call(self, inputs, training=None, mask=None):
        if training is None:
            return method(self, inputs, inherited(), mask)
        with known(TOLD):
            return method(self, inputs, training, mask)

    return call
