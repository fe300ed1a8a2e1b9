"""Whether this thread records what a function does to the elements of a dataset:
calls of layers are kept then with their arguments."""

import threading


class _State(threading.local):
    on = False


state = _State()


class Recording:
    """While it is entered, this thread records, or does not."""

    def __init__(self, on=True):
        self._on = on

    def __enter__(self):
        self._before, state.on = state.on, self._on

    def __exit__(self, *error):
        state.on = self._before
