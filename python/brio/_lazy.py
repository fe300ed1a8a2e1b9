"""Modules that are loaded when they are first used, and forks: a child whose parent forked while another thread loaded a
module would wait for that module's lock for ever. So a fork waits until no other thread is loading one."""

import importlib
import os
import time
from _thread import get_ident

_loading = set()  # threads
_LONGEST_WAIT = 5.0  # seconds: a module that takes longer may be one that waits for the fork


def load(name):
    """The module of this full name."""
    me = get_ident()
    outermost = me not in _loading
    _loading.add(me)
    try:
        return importlib.import_module(name)
    finally:
        if outermost:
            _loading.discard(me)


def _wait_for_others():
    me, until = get_ident(), time.monotonic() + _LONGEST_WAIT
    while _loading - {me} and time.monotonic() < until:
        time.sleep(0.001)


def _forget_others():
    _loading.intersection_update({get_ident()})


os.register_at_fork(before=_wait_for_others, after_in_child=_forget_others)
