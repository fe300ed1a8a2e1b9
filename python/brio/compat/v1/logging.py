"""tf.compat.v1.logging: levels, and functions that log with Python's logger "brio"."""

import logging as _logging

DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50
_logger = _logging.getLogger("brio")


def set_verbosity(v):
    """The level below which nothing is logged."""
    _logger.setLevel(v)


def get_verbosity():
    """The level below which nothing is logged."""
    return _logger.getEffectiveLevel()


def log(level, msg, *args, **kwargs):
    """Logs at a level."""
    _logger.log(level, msg, *args, **kwargs)


def debug(msg, *args, **kwargs):
    """Logs what helps to find mistakes."""
    _logger.debug(msg, *args, **kwargs)


def info(msg, *args, **kwargs):
    """Logs what happens."""
    _logger.info(msg, *args, **kwargs)


def warning(msg, *args, **kwargs):
    """Logs what may be wrong."""
    _logger.warning(msg, *args, **kwargs)


warn = warning


def error(msg, *args, **kwargs):
    """Logs what is wrong."""
    _logger.error(msg, *args, **kwargs)


def fatal(msg, *args, **kwargs):
    """Logs what the program cannot go on with."""
    _logger.critical(msg, *args, **kwargs)


def log_every_n(level, msg, n, *args):
    """Logs each n-th time."""
    count = _counts[msg] = _counts.get(msg, -1) + 1
    if count % n == 0:
        _logger.log(level, msg, *args)


def log_first_n(level, msg, n, *args):
    """Logs the first n times."""
    count = _counts[msg] = _counts.get(msg, -1) + 1
    if count < n:
        _logger.log(level, msg, *args)


_counts = {}


def flush():
    """Nothing is held back."""
