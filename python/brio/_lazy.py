"""Modules that are loaded when they are first used, and forks: a child whose parent forked while another thread loaded
a module would wait for that module's lock for ever. So a fork waits until no other thread is loading one."""

import importlib
import os
import sys
import time
from _thread import get_ident

_loading = set()  # threads
_LONGEST_WAIT = 5.0  # seconds: a module that takes longer may be waiting for the fork itself


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


def public(module):
    """__all__ of this module: `from module import *` then also finds the names that are loaded when they are first
    used."""
    own = sys.modules[module]
    foreign = {
        name
        for name, value in vars(own).items()
        if isinstance(value, type(sys)) and not value.__name__.startswith("brio")
    }
    return [name for name in dir(own) if not name.startswith("_") and name not in foreign]


def names(module, homes):
    """__getattr__, __dir__ and _HOMES of a module some of whose names other modules define:
    those are loaded when a name is first used.

    `homes` has the names, by module of this package; behind "=" a module that is itself what the name stands for.
    """
    places = {name: home for home, held in homes.items() for name in held.split()}

    def found(name):
        if name in places:
            home = places[name]
            made = load(f"brio.{home[1:]}") if home[0] == "=" else getattr(load(f"brio.{home}"), name)
            setattr(sys.modules[module], name, made)
            return made
        if name == "__all__":
            return public(module)
        if name.startswith("__"):  # Python itself asks for these
            raise AttributeError(name)
        from brio._missing import explain

        raise AttributeError(explain(module, name))

    return found, lambda: sorted(set(vars(sys.modules[module])) | set(places)), places
