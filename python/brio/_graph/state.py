"""Seeds, scopes of names, and what of a program's start has no tensors."""

import contextlib

from brio._graph import core


def set_random_seed(seed):
    """The seed of the graph: operations that draw begin with it in each session."""
    if core.building() is None:
        from brio import random

        getattr(random.set_seed, "_behind", random.set_seed)(seed)
        return
    core.default_graph().seed = None if seed is None else int(seed)


@contextlib.contextmanager
def init_scope():
    """In graph mode: what is made in here depends on nothing around it."""
    with core.default_graph().control_dependencies(None):
        yield


class name_scope:
    """A scope whose name stands before those of operations."""

    def __init__(self, name=None, default_name=None, values=None):
        self._name = name if name is not None else default_name
        if self._name is not None and not isinstance(self._name, str):
            raise ValueError("[name_scope] takes a name")

    @property
    def name(self):
        """The name of the scope."""
        return self._name

    def __enter__(self):
        self._scope = core.default_graph().name_scope(self._name)
        return self._scope.__enter__()

    def __exit__(self, *error):
        return self._scope.__exit__(*error)
