"""Exceptions that handlers of signals raise: whoever takes an exception for an error of what was running lets these
pass."""


def let_pass(error):
    """Raises `error` again if it comes from a handler of a signal that the program has set."""
    import signal  # here: most programs never need it

    handlers = {code for number in signal.valid_signals() if (code := _code(signal.getsignal(number))) is not None}
    place = error.__traceback__
    while place is not None:
        if place.tb_frame.f_code in handlers:
            raise error
        place = place.tb_next


def _code(handler):
    if not callable(handler):
        return None
    method = getattr(type(handler), "__call__", None)  # noqa: B004  the function itself is wanted
    return getattr(handler, "__code__", None) or getattr(method, "__code__", None)
