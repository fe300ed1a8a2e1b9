"""Axes as they are given, counted from either end."""

from brio.errors import InvalidArgumentError


def positive_axis(who, axis, rank):
    """The axis counted from the front."""
    if not -rank <= int(axis) < rank:
        raise InvalidArgumentError(f"[{who}] axis {axis} is out of range for {rank} axes")
    return int(axis) % rank
