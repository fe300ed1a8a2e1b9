"""AutoGraph: Python's if, while, for, break, continue, return, and, or and not over tensors.

A function that is traced sees tensors without values, which Python's own statements cannot ask for their truth.
convert() rewrites the source of the function (_rewrite.py): each statement becomes a call of this module's if_stmt,
while_stmt, for_stmt, which do what Python does where the values are known, and make tf.cond and tf.while_loop where
they are not. Lines keep their numbers, so that an error shows the user's own line.
"""

import ast
import functools
import inspect
import sys
import textwrap
import types

from brio import _core, _nest, _trace_gradients
from brio._rewrite import AG, RETURNED, Rewriter
from brio._tensor_array import TensorArray
from brio.errors import _UnknownValueError

# ---- functions

_converted = {}  # by code object


def convert(f):
    """`f` with its statements rewritten; `f` itself where it has no source or is not the user's."""
    if isinstance(f, types.MethodType):
        return types.MethodType(convert(f.__func__), f.__self__)
    if isinstance(f, functools.partial):
        return functools.partial(convert(f.func), *f.args, **f.keywords)
    if not isinstance(f, types.FunctionType) or _is_library(f) or getattr(f, "_autograph_no", False):
        return f
    code = f.__code__
    if code not in _converted:
        _converted[code] = _rewritten(f)
    made = _converted[code]
    if made is None:
        return f
    cells = dict(zip(code.co_freevars, f.__closure__ or ()))
    cells[AG] = types.CellType(sys.modules[__name__])
    again = types.FunctionType(
        made, f.__globals__, f.__name__, f.__defaults__, tuple(cells[name] for name in made.co_freevars)
    )
    again.__kwdefaults__, again.__dict__, again.__qualname__ = f.__kwdefaults__, dict(f.__dict__), f.__qualname__
    return again


def _rewritten(f):
    """The code object of the rewritten function, or None."""
    try:
        lines, first = inspect.getsourcelines(
            f.__code__
        )  # of f itself; inspect would follow a decorator to the function inside
        tree = _parsed(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError, IndentationError):
        return None  # no source: code that was typed in, or a lambda in lines that are not a statement
    definition = _definition(tree, f.__code__)
    if definition is None:
        return None
    if any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await)) for n in ast.walk(tree)):
        return None
    ast.increment_lineno(tree, first - 1)
    function = Rewriter().function(definition)
    function.name = "converted__"  # outside, the name is f's own: a function may call itself
    # Free variables stay free: they are parameters of an enclosing function.
    outer = ast.parse(f"def outer__({', '.join([AG, *(v for v in f.__code__.co_freevars if v != AG)])}):\n  pass").body[
        0
    ]
    outer.body = [function]
    module = ast.fix_missing_locations(ast.Module([outer], []))
    scope = compile(module, inspect.getsourcefile(f.__code__) or "<autograph>", "exec")
    around = next(c for c in scope.co_consts if isinstance(c, types.CodeType))
    made = next(c for c in around.co_consts if isinstance(c, types.CodeType) and c.co_name == "converted__")
    return made.replace(co_name=f.__code__.co_name)


def _parsed(source):
    try:
        return ast.parse(source)
    except SyntaxError:  # a lambda in the head of a statement, whose body is not part of the lines
        return ast.parse(source.rstrip() + "\n    pass")


def _definition(tree, code):
    """The def in the source of a function; a lambda as a def, where the source has only one that it can be."""
    if code.co_name != "<lambda>":
        return tree.body[0] if len(tree.body) == 1 and isinstance(tree.body[0], ast.FunctionDef) else None
    names = code.co_varnames[: code.co_argcount]
    found = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Lambda) and tuple(a.arg for a in n.args.posonlyargs + n.args.args) == names
    ]
    if len(found) != 1:
        return None
    made = ast.parse("def lambda__(): return 0").body[0]
    made.args, made.body[0].value = found[0].args, found[0].body
    return ast.fix_missing_locations(ast.copy_location(made, found[0]))


def _is_library(f):
    root = (f.__globals__.get("__name__") or "").split(".")[
        0
    ]  # a decorator gives its wrapper the module of the wrapped function
    if root in ("brio", "numpy", "scipy", "matplotlib", "PIL", "pytest") or root in getattr(
        sys, "stdlib_module_names", ()
    ):
        return root != "__main__"
    return False


# ---- functions that the rewritten source calls


class Undefined:
    """A name that has no value yet."""

    def __init__(self, name):
        self.name = name

    def _refuse(self, *args, **kwargs):
        raise UnboundLocalError(
            f"'{self.name}' is used before it has a value: a branch or loop over tensors sets it on some paths only"
        )

    __getattr__ = __call__ = __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __getitem__ = __bool__ = (
        _refuse
    )
    __truediv__ = __neg__ = __lt__ = __gt__ = __le__ = __ge__ = __iter__ = __len__ = _refuse


def get(read, name):
    try:
        return read()
    except (NameError, UnboundLocalError):
        return Undefined(name)


def returned(value):
    for leaf in _nest.flatten(value):
        if isinstance(leaf, Undefined):
            leaf._refuse()
    return value


def callee(f):
    """What to call in place of `f`."""
    return _callee(f) if _trace_gradients.here.tapes is None else _trace_gradients.watching(_callee(f))


def _callee(f):
    if f in _BUILTINS if isinstance(f, (types.BuiltinFunctionType, type)) else False:
        return _BUILTINS[f]
    if f is _core.range:
        return _tf_range
    if (
        isinstance(getattr(f, "__self__", None), _core._DatasetIterator)
        and f.__name__ == "get_next"
        and _core._tracing()
    ):
        return functools.partial(_next, f.__self__)
    if isinstance(f, (types.FunctionType, types.MethodType, functools.partial)):
        return convert(f)
    method = getattr(type(f), "__call__", None)  # noqa: B004  the function itself is wanted
    if isinstance(method, types.FunctionType):  # an object of the program's own class
        made = convert(method)
        return f if made is method else types.MethodType(made, f)
    return f


def _traced(x):
    return isinstance(x, _core.Tensor) and not _core._readable(x)


def not_(x):
    return _core.logical_not(_truth(x)) if _traced(x) else not x


def _truth(x):
    return x if x.dtype == "bool" else _core.not_equal(x, 0)


def and_(*parts):
    value = parts[0]()
    for part in parts[1:]:
        if _traced(value):
            other = part()
            value = _core.logical_and(_truth(value), _truth(_core.convert_to_tensor(other)))
        elif not value:
            return value
        else:
            value = part()
    return value


def or_(*parts):
    value = parts[0]()
    for part in parts[1:]:
        if _traced(value):
            other = part()
            value = _core.logical_or(_truth(value), _truth(_core.convert_to_tensor(other)))
        elif value:
            return value
        else:
            value = part()
    return value


def if_exp(test, on_true, on_false):
    if not _traced(test):
        return on_true() if test else on_false()
    return _cond(test, lambda: (on_true(),), lambda: (on_false(),), ("the value",))[0]


def if_stmt(test, on_true, on_false, state, names):
    if not _traced(test):
        return on_true(*state) if test else on_false(*state)
    if any(map(_is_returned, state)):
        state = _with_place_for_returned((on_true, on_false), state)
    return _cond(test, lambda: on_true(*state), lambda: on_false(*state), names)


def if_return(test, on_true, on_false, state):
    if not _traced(test):
        return on_true(*state) if test else on_false(*state)
    return _cond(test, lambda: (on_true(*state),), lambda: (on_false(*state),), ("the value returned",))[0]


def _is_leaf(x):
    if isinstance(x, Undefined):
        return False
    return isinstance(x, (_core.Tensor, _core.Variable, bool, int, float)) or (
        hasattr(x, "dtype") and hasattr(x, "shape")
    )


class _Array(tuple):
    """A TensorArray as a structure: its tensor, and what it is an array of."""


def _opened(values):
    return tuple(
        _Array((v._buffer, (v.dtype, v.element_shape))) if isinstance(v, TensorArray) and v._buffer is not None else v
        for v in values
    )


def _closed(values):
    return tuple(
        TensorArray(v[1][0], element_shape=v[1][1])._with(v[0]) if isinstance(v, _Array) else v for v in values
    )


def _cond(test, on_true, on_false, names):
    """Both branches traced. A value is a tensor in both, or the same object in both."""
    seen = {}

    def branch(which, run):
        def traced():
            with _trace_gradients.body(()):
                values = _opened(run())
            seen[which] = values
            out = []
            for value, other, name in zip(values, seen.get(True, values), names):
                flat, wanted = _nest.flatten(value), _nest.flatten(other)
                if isinstance(other, Undefined) or isinstance(value, Undefined):
                    if not isinstance(other, Undefined) and which is False:  # the first branch gave tensors for it
                        out += [
                            _core.zeros(w.shape, w.dtype)
                            for w in map(_core.convert_to_tensor, filter(_is_leaf, wanted))
                        ]
                    continue
                if len(flat) != len(wanted):
                    raise ValueError(
                        f"{name} has another structure in each branch of an if over a tensor: {value!r} and {other!r}"
                    )
                for leaf, first in zip(flat, wanted):
                    if not _is_leaf(first):
                        if leaf is not first and leaf != first:
                            if isinstance(leaf, (str, bytes)) and isinstance(first, (str, bytes)):
                                raise _UnknownValueError(
                                    f"[tf.function] {name} is a text that depends on a tensor, which cannot be traced"
                                )
                            raise TypeError(
                                f"{name} is {first!r} in one branch of an if over a tensor and {leaf!r} in the other; "
                                "only tensors may differ"
                            )
                        continue
                    like = _core.convert_to_tensor(first) if isinstance(first, (_core.Tensor, _core.Variable)) else None
                    try:
                        out.append(
                            _core.convert_to_tensor(
                                leaf,
                                dtype=like.dtype
                                if like is not None and not isinstance(leaf, (_core.Tensor, _core.Variable))
                                else None,
                            )
                        )
                    except (TypeError, ValueError):
                        raise TypeError(
                            f"{name} is a tensor in one branch of an if over a tensor and {leaf!r} in the other"
                        ) from None
            _refuse_strings(out, "an if over a tensor")
            return out

        return traced

    results = iter(_core._cond(_truth(test), branch(True, on_true), branch(False, on_false)))
    out = []
    for value, other, name in zip(seen[True], seen[False], names):
        if isinstance(value, Undefined) or isinstance(other, Undefined):
            if not isinstance(value, Undefined):
                for leaf in _nest.flatten(value):
                    if _is_leaf(leaf):
                        next(results)
            out.append(Undefined(name))
            continue
        out.append(_nest.pack(value, [next(results) if _is_leaf(leaf) else leaf for leaf in _nest.flatten(value)]))
    return _closed(out)


def _refuse_strings(tensors, where):
    """Branches and loops of a plan have numbers alone; with strings the function runs op by op."""
    if any(t.dtype == _core.string for t in tensors):
        raise _UnknownValueError(f"[tf.function] {where} gives strings, which cannot be traced")


def while_stmt(test, body, state, names):
    while True:
        more = test(*state)
        if _traced(more):
            return _loop(test, body, state, names)
        if not more:
            return state
        state = body(*state)


def _loop(test, body, state, names):
    """A loop whose test is a tensor: numbers and tensors of the state are carried, other objects stay what they are."""
    if any(map(_is_returned, state)):
        state = _with_place_for_returned((body,), state)
    state = _opened(_with_buffers(body, state))
    flat = [_nest.flatten(value) for value in state]
    carried = [(i, j) for i, leaves in enumerate(flat) for j, leaf in enumerate(leaves) if _is_leaf(leaf)]
    initial = [_core.convert_to_tensor(flat[i][j]) for i, j in carried]
    _refuse_strings(initial, "a loop over tensors")

    def unpacked(tensors):
        leaves = [list(f) for f in flat]
        for (i, j), tensor in zip(carried, tensors):
            leaves[i][j] = tensor
        return _closed(_nest.pack(value, leaf) for value, leaf in zip(state, leaves))

    def step(tensors):
        with _trace_gradients.body(tensors):
            after = _opened(body(*unpacked(tensors)))
        leaves = [_nest.flatten(value) for value in after]
        out = []
        for i, found in enumerate(leaves):
            if isinstance(state[i], Undefined):
                continue  # it is set again in each round
            if len(found) != len(flat[i]):
                raise ValueError(f"'{names[i]}' changes its structure in a loop over tensors")
        for (i, j), before in zip(carried, tensors):
            value = leaves[i][j]
            try:
                value = _core.convert_to_tensor(
                    value, dtype=None if isinstance(value, (_core.Tensor, _core.Variable)) else before.dtype
                )
            except (TypeError, ValueError):
                raise TypeError(
                    f"'{names[i]}' is a tensor before a loop over tensors and {value!r} after a round of it"
                ) from None
            if value.dtype != before.dtype or value.shape != before.shape:
                raise ValueError(
                    f"'{names[i]}' has shape {before.shape} and dtype {before.dtype!r} before a loop over tensors, and "
                    f"shape {value.shape} and dtype {value.dtype!r} after a round of it; they must stay the same"
                )
            out.append(value)
        return out

    results = _core._while(lambda tensors: _truth(_core.convert_to_tensor(test(*unpacked(tensors)))), step, initial)
    return unpacked(results)


def _with_buffers(body, state):
    """Each TensorArray of the state as one tensor.
    A round is tried where nothing tells the shape of an array's elements."""
    state = list(state)
    arrays = [i for i, value in enumerate(state) if isinstance(value, TensorArray)]
    probes = {}
    for i in arrays:
        buffer = state[i]._as_buffer()
        if buffer is None:
            probes[i] = state[i]._probe()
        else:
            state[i] = buffer
    if probes:
        _core._trial(lambda: body(*(probes.get(i, value) for i, value in enumerate(state))))
        for i, probe in probes.items():
            state[i] = state[i]._as_buffer(probe._written) or state[i]
    return tuple(state)


def _is_returned(value):
    return isinstance(value, Undefined) and value.name.startswith(RETURNED)


def _with_place_for_returned(parts, state):
    """What a return inside a loop gives has no value before it: zeros stand there, which nobody reads."""
    state = list(state)
    for part in parts:
        after = []
        _core._trial(lambda: after.extend(part(*state)))  # noqa: B023  called at once
        for i, value in enumerate(after):
            if _is_returned(state[i]) and not isinstance(value, Undefined):
                state[i] = _nest.map_structure(lambda x: _zeros_like(x) if _is_leaf(x) else x, value)
    return tuple(state)


def _zeros_like(x):
    x = _core.convert_to_tensor(x)
    return _core.zeros(_core._sizes(x), x.dtype)


class _TensorRange:
    """range() of tensors that are not known yet."""

    def __init__(self, *limits):
        limits = [_core.convert_to_tensor(x) for x in limits]
        dtype = next(x.dtype for x in limits if _traced(x))
        start, stop, step = (limits[0] * 0, limits[0], None) if len(limits) == 1 else (*limits, None)[:3]
        self.start, self.stop = _core.cast(start, dtype), _core.cast(stop, dtype)
        self.step = _core.cast(1, dtype) if step is None else _core.cast(step, dtype)


def for_stmt(iterable, more, body, state, names):
    if isinstance(iterable, _TensorRange):
        up = _core.greater(iterable.step, 0)

        def test(i, *s):
            inside = _core.logical_or(
                _core.logical_and(up, i < iterable.stop), _core.logical_and(_core.logical_not(up), i > iterable.stop)
            )
            return and_(lambda: inside, lambda: more(*s)) if more else inside

        return _loop(
            test,
            lambda i, *s: (i + iterable.step, *body(i, *s)),
            (iterable.start, *state),
            ("the loop's counter", *names),
        )[1:]
    if isinstance(iterable, (_core.Tensor, _core.Variable)) and _core._tracing():
        rows = _core.convert_to_tensor(iterable)
        count = rows.shape[0]
        if count is None:
            count = _core.shape(rows)[0]
        elif count == 0:
            return state

        def test(i, *s):
            return and_(lambda: i < count, lambda: more(*s)) if more else i < count

        return _loop(
            test, lambda i, *s: (i + 1, *body(rows[i], *s)), (_core.constant(0), *state), ("the loop's counter", *names)
        )[1:]
    if _is_read_later(iterable):
        from brio import _dataset_loop

        return _dataset_loop.loop(iterable, more, body, state, names)
    for item in iterable:
        if more:
            go_on = more(*state)
            if _traced(go_on):
                # The number of rounds is known; some rounds may not happen.
                state = if_stmt(go_on, lambda *s, item=item: body(item, *s), lambda *s: s, state, names)
                continue
            if not go_on:
                break
        state = body(item, *state)
    return state


def assert_stmt(test, message):
    if _traced(test):
        _core._assert(_truth(test), str(message() or ""))
    else:
        assert test, message()


def _range(*limits):
    return _TensorRange(*limits) if any(map(_traced, limits)) else range(*limits)


def _tf_range(*limits, **options):
    unknown = any(_traced(x) and not _core._is_size(x) for x in limits)
    return _TensorRange(*limits) if unknown and not options else _core.range(*limits, **options)


def _int(x=0, *rest):
    return _core.cast(x, "int32") if _traced(x) else int(x, *rest)


def _float(x=0.0):
    return _core.cast(x, "float32") if _traced(x) else float(x)


def _bool(x=False):
    return _truth(x) if _traced(x) else bool(x)


def _max(*args, **kwargs):
    if not kwargs and len(args) > 1 and any(map(_traced, args)):
        return functools.reduce(_core.maximum, args)
    return max(*args, **kwargs)


def _min(*args, **kwargs):
    if not kwargs and len(args) > 1 and any(map(_traced, args)):
        return functools.reduce(_core.minimum, args)
    return min(*args, **kwargs)


def _is_read_later(x):
    """A dataset, or an iterator over one, in a function that is being traced."""
    return (
        (hasattr(x, "_brio_dataset") or isinstance(x, _core._DatasetIterator))
        and _core._tracing()
        and not _core._journalling()
    )


def _next(iterator, *otherwise):
    if not otherwise and _is_read_later(iterator):
        from brio import _dataset_loop

        return _dataset_loop.next_of(iterator)
    return next(iterator, *otherwise)


def _enumerate(items, start=0):
    return items.enumerate(start) if _is_read_later(items) and hasattr(items, "enumerate") else enumerate(items, start)


def _zip(*items, **options):
    if items and all(hasattr(x, "_brio_dataset") for x in items) and _is_read_later(items[0]):
        return type(items[0]).zip(items)
    return zip(*items, **options)


_BUILTINS = {
    range: _range, int: _int, float: _float, bool: _bool, max: _max, min: _min, next: _next, enumerate: _enumerate,
    zip: _zip,
}  # fmt: skip


def do_not_convert(f=None):
    """Keeps AutoGraph from rewriting a function."""
    if f is None:
        return do_not_convert
    f._autograph_no = True
    return f
