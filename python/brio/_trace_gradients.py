"""tf.gradients in a tf.function: tapes that follow the whole trace, opened where the function's code,
or what it calls, names it.

A tape has to be there before what it follows is computed.
The innermost gives first gradients; the tape around it follows those, and so on."""

import contextlib
import functools
import threading
import types

from brio import _core, _nest

_NAMES = {"gradients", "hessians"}
_ORDERS = 3  # gradients of gradients of gradients
_named = {}  # by code object: does it name one of them?


class _Here(threading.local):
    tapes = None  # those of the trace of this thread, the innermost first
    made = None  # gradients that each of them gave


here = _Here()


# ---- which functions need it


def names_gradients(function, owner=None, seen=None):
    """Does the code of a function name tf.gradients, or that of functions,
    methods and models of the user's that it names?"""
    from brio._autograph import _is_library

    seen = set() if seen is None else seen
    owner = getattr(function, "__self__", owner)
    for inside in ("__func__", "python_function", "__func__"):
        function = getattr(function, inside, function)
    code = getattr(function, "__code__", None)
    if code is None or (code, type(owner)) in seen or _is_library(function):
        return False
    seen.add((code, type(owner)))
    names = _names_in(code)
    if names & _NAMES:
        return True
    cells = dict(zip(code.co_freevars, function.__closure__ or ()))
    found = [(function.__globals__[name], None) for name in names if name in function.__globals__]
    for cell in cells.values():
        with contextlib.suppress(ValueError):  # a cell that is empty yet
            found.append((cell.cell_contents, None))
    if owner is not None:
        held = getattr(owner, "__dict__", {})
        found += [(value, owner) for name in names if (value := getattr(type(owner), name, None)) is not None]
        found += [(held[name], None) for name in names if name in held]
    return any(names_gradients(called, of, seen) for value, own in found for called, of in _called_by(value, own))


def _called_by(value, owner):
    """(function, whose method it is) of what a call of the value runs."""
    if isinstance(value, (types.FunctionType, types.MethodType)) or hasattr(value, "python_function"):
        return [(value, owner)]
    if isinstance(value, type):
        return []
    return [
        (method, value)
        for name in ("call", "__call__")
        if isinstance(method := getattr(type(value), name, None), types.FunctionType)
    ]


def _names_in(code):
    if code not in _named:
        inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
        _named[code] = set(code.co_names).union(*map(_names_in, inner))
    return _named[code]


def followed(traced, function):
    """What is traced, with tapes around it where the function names tf.gradients;
    that is looked up when it is first traced."""
    needed = {}  # by the class of the first argument, which may be the object whose method this is

    @functools.wraps(traced)
    def call(*args, **kwargs):
        first = args[0] if args else None
        if type(first) not in needed:
            needed[type(first)] = names_gradients(function, first)
        if not needed[type(first)]:
            return traced(*args, **kwargs)
        with tapes():
            watch((args, kwargs, _captured(function)))
            return traced(*args, **kwargs)

    return call


def _captured(function):
    """Tensors that a function names and that lie outside of it."""
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is None:
        return []
    outside = [function.__globals__.get(name) for name in code.co_names]
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):
            outside.append(cell.cell_contents)
    return [x for x in outside if isinstance(x, _core.Tensor)]


# ---- following


@contextlib.contextmanager
def tapes():
    """Tapes for what is computed in the scope."""
    before = here.tapes, here.made
    with contextlib.ExitStack() as stack:
        opened = [stack.enter_context(_core.GradientTape(persistent=True)) for _ in range(_ORDERS)]
        here.tapes, here.made = opened[::-1], [[] for _ in range(_ORDERS)]
        try:
            yield
        finally:
            here.tapes, here.made = before


@contextlib.contextmanager
def body(values):
    """Tapes of its own for a branch or a round of a loop, where tapes follow the function around it."""
    if here.tapes is None:
        yield
        return
    with tapes():
        watch(values)
        yield


def watch(values):
    """What is not computed from something else has gradients too."""
    if here.tapes is None:
        return values
    for leaf in _nest.flatten(values):
        if isinstance(leaf, _core.Tensor) and (leaf.dtype.is_floating or leaf.dtype.is_complex):
            for tape in here.tapes:
                tape.watch(leaf)
    return values


def watching(function):
    """A function whose results are watched."""
    return lambda *args, **kwargs: watch(function(*args, **kwargs))


# ---- gradients


def gradients(ys, xs, grad_ys=None, stop_gradients=None, zero=False):
    """As tf.gradients, of what the tapes followed."""
    ys = [_core.convert_to_tensor(y) for y in _nest.flatten(ys)]
    for y in ys:
        if y.dtype in ("string", "bool"):
            raise TypeError(f"Gradients of tensors must be floating or complex (or integer), got: {y.dtype.name}")
    seeds = [None] * len(ys) if grad_ys is None else _nest.flatten(grad_ys)
    if len(seeds) != len(ys):
        raise ValueError(f"Passed {len(seeds)} grad_ys for {len(ys)} ys")
    pairs = [(y, s) for y, s in zip(ys, seeds) if y.dtype.is_floating or y.dtype.is_complex]
    sources = _nest.flatten(xs)
    if not pairs:
        found = [None] * len(sources)
    else:
        targets = [y for y, _ in pairs]
        seeds = [_core.ones_like(y) if s is None else _core.convert_to_tensor(s, dtype_hint=y.dtype) for y, s in pairs]
        order = _order(targets)
        stops = [] if stop_gradients is None else _nest.flatten(stop_gradients)
        found = _cut(here.tapes[order], targets, sources, seeds, stops)
        here.made[order] += [g for g in found if g is not None]
    return [_core.zeros_like(x) if g is None and zero else g for g, x in zip(found, sources)]


def _order(targets):
    """How many times gradients were taken on the way to these targets."""
    for order in range(_ORDERS - 1, 0, -1):
        made = here.made[order - 1]
        if made and any(g is not None for g in here.tapes[order].gradient(targets, made)):
            return order
    if here.made[-1] and any(any(y is g for g in here.made[-1]) for y in targets):
        raise ValueError(f"[gradients] a tf.function follows gradients of order {_ORDERS} at most; use tf.GradientTape")
    return 0


def _differentiable(x):
    return isinstance(x, (_core.Tensor, _core.Variable)) and (x.dtype.is_floating or x.dtype.is_complex)


def _pull(tape, targets, sources, seeds):
    """Gradients with respect to sources, None for what has none."""
    asked = [x for x in sources if _differentiable(x)]
    found = iter(tape.gradient(targets, asked, output_gradients=seeds) if asked else [])
    return [next(found) if _differentiable(x) else None for x in sources]


def _cut(tape, targets, sources, seeds, stops):
    """Gradients along the ways that do not go through a stop: all of them, less those that do."""
    stops = [s for s in stops if _differentiable(s)]
    every = _pull(tape, targets, [*stops, *sources], seeds)
    if not stops:
        return every
    total, found = every[: len(stops)], every[len(stops) :]
    # reaches[i][j]: what stop i gives to stop j is not None
    reaches = [
        [i != j and g is not None for j, g in enumerate(_pull(tape, [s], stops, [_core.ones_like(s)]))]
        for i, s in enumerate(stops)
    ]
    for i in sorted(range(len(stops)), key=lambda i: sum(row[i] for row in reaches)):  # the last ones first
        if total[i] is None:
            continue
        given = _pull(tape, [_core.convert_to_tensor(stops[i])], [*stops, *sources], [total[i]])
        for into, places in ((total, stops), (found, sources)):
            gave = given[: len(stops)] if into is total else given[len(stops) :]
            for j, g in enumerate(gave):
                if g is not None and places[j] is not stops[i] and into[j] is not None:
                    into[j] = into[j] - g
    return found


def hessians(ys, xs):
    """As tf.hessians, of what the tapes followed."""
    made = []
    for x in _nest.flatten(xs):
        (first,) = gradients(ys, x)
        made.append(None if first is None else here.tapes[_order([first])].jacobian(first, x))
    return made
