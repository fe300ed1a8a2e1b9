"""Objects that answer badly: what a program may hand to a function by mistake, or on purpose."""

import numpy as np


class Boom(Exception):
    """What the objects below raise. It has to reach the caller as it is."""


class RaisingItem:
    def __len__(self):
        return 3

    def __getitem__(self, i):
        raise Boom("item")


class RaisingLen:
    def __len__(self):
        raise Boom("len")

    def __getitem__(self, i):
        return [1.0, 2.0][i]


class RaisingIter:
    def __iter__(self):
        raise Boom("iter")


class RaisingMidway:
    """Gives two items, then fails."""

    def __iter__(self):
        yield 1.0
        yield 2.0
        raise Boom("next")


class RaisingArray:
    def __array__(self, dtype=None, copy=None):
        raise Boom("array")


class LyingArray:
    def __array__(self, dtype=None, copy=None):
        return "no array"


class RaisingIndex:
    def __index__(self):
        raise Boom("index")


class RaisingFloat:
    def __float__(self):
        raise Boom("float")


class RaisingBool:
    def __bool__(self):
        raise Boom("bool")


class RaisingText:
    def __repr__(self):
        raise Boom("repr")

    __str__ = __repr__


class RaisingAttribute:
    def __getattr__(self, name):
        raise Boom(name)


class RaisingEq:
    __hash__ = None

    def __eq__(self, other):
        raise Boom("eq")


class RaisingCall:
    def __call__(self, *args, **kwargs):
        raise Boom("call")


class LyingLen:
    def __len__(self):
        return 2**62

    def __getitem__(self, i):
        return [1.0, 2.0][i]


class Number(int):
    """A subclass of a number, as NumPy scalars and enums are."""


class Text(str):
    pass


def inside_itself():
    x = [1.0]
    x.append(x)
    return x


def dict_inside_itself():
    x = {"a": 1.0}
    x["b"] = x
    return x


def deep():
    x = 1.0
    for _ in range(2000):
        x = [x]
    return x


def read_only():
    x = np.ones((2, 3), np.float32)
    x.flags.writeable = False
    return x


def raising(*args, **kwargs):
    raise Boom("function")


def gives_none(*args, **kwargs):
    return None


def gives_text(*args, **kwargs):
    return "text"


def generator():
    yield np.float32(1)
    raise Boom("generator")
