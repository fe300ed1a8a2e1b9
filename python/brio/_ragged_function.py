"""Ragged tensors as arguments and results of tf.function:
their tensors go in and out one by one, and are put together again."""

import functools

from brio import _core
from brio._ragged import RaggedTensor

_TENSORS = {_core.Tensor}  # most calls have such arguments alone


class _Held(tuple):
    """The flat values and row splits of a ragged tensor, which structures of tensors are taken apart and made of."""

    _fields = ()  # as a named tuple: `_make` is asked for a new one
    _uniform = ()

    @classmethod
    def _make(cls, parts):
        values, *splits = parts
        for one, uniform in zip(reversed(splits), reversed(cls._uniform)):
            values = RaggedTensor._of(values, one, uniform)
        return values


@functools.cache
def _kind(uniform):
    return type("_Held", (_Held,), {"_uniform": uniform})


def held(x):
    """A structure with ragged tensors taken apart."""
    if type(x) is RaggedTensor:
        lengths, splits, inner = [], [], x
        while type(inner) is RaggedTensor:
            lengths.append(inner._uniform)
            splits.append(inner.row_splits)
            inner = inner.values
        return _kind(tuple(lengths))((inner, *splits))
    return _changed(x, held)


def released(x):
    """The structure again."""
    return x._make(x) if isinstance(x, _Held) else _changed(x, released)


def rebuilt(parts):
    """A ragged tensor of its flat values and row splits."""
    return _kind((None,) * (len(parts) - 1))._make(parts)


def has_held(x):
    """Is one that was taken apart in this structure?"""
    return (
        isinstance(x, _Held)
        or type(x) in (list, tuple)
        and any(map(has_held, x))
        or isinstance(x, dict)
        and any(map(has_held, x.values()))
    )


def _changed(x, change):
    if type(x) in (list, tuple):
        made = [change(v) for v in x]
        return x if all(a is b for a, b in zip(made, x)) else type(x)(made)
    if isinstance(x, dict):
        made = {k: change(v) for k, v in x.items()}
        return x if all(made[k] is x[k] for k in x) else made if type(x) is dict else type(x)(made)
    if isinstance(x, tuple) and hasattr(x, "_make") and not isinstance(x, _Held):
        made = [change(v) for v in x]
        return x if all(a is b for a, b in zip(made, x)) else type(x)._make(made)
    return x


def install():
    """From now on functions look for ragged tensors among their arguments."""
    plain = (
        _core._Function.__call__
    )  # not that of the class derived from it, which graph mode replaces and takes away again

    def __call__(self, *args, **kwargs):
        if (kwargs or set(map(type, args)) != _TENSORS) and not (_core._is_tracing() or _core._journalling()):
            args, kwargs = held(args), held(kwargs)
        made = plain(self, *args, **kwargs)
        return made if type(made) is _core.Tensor else released(made)

    _core._Function.__call__ = __call__
    _watch_ragged(_core.GradientTape)


def conformed(function, spec, value):
    """An argument as a RaggedTensorSpec of an input_signature says."""
    value = released(value)
    if not isinstance(value, RaggedTensor):
        if spec.ragged_rank == 0:
            return _core.convert_to_tensor(value, dtype_hint=spec.dtype)
        raise TypeError(
            f"{function.__name__}(): the input_signature says {spec}, but an argument is a {type(value).__name__}"
        )
    if not spec.is_compatible_with(value):
        raise TypeError(
            f"{function.__name__}(): the input_signature says {spec}, but an argument is of "
            f"{type(spec).from_value(value)}"
        )
    return held(value)


def _watch_ragged(tape):
    """GradientTape.watch() and gradient() of ragged tensors: of their values."""
    watch, gradient = tape.watch, tape.gradient

    def watch_values(self, tensor):
        if _has_ragged(tensor):
            tensor = _map(lambda x: x.flat_values if type(x) is RaggedTensor else x, tensor)
        return watch(self, tensor)

    def gradient_of_values(self, target, sources, *args, **kwargs):
        if not (_has_ragged(target) or _has_ragged(sources)):
            return gradient(self, target, sources, *args, **kwargs)
        flat = functools.partial(_map, lambda x: x.flat_values if type(x) is RaggedTensor else x)
        made = gradient(self, flat(target), flat(sources), *args, **kwargs)
        return _map(
            lambda x, g: x.with_flat_values(g) if type(x) is RaggedTensor and g is not None else g, sources, made
        )

    watch_values.__doc__, gradient_of_values.__doc__ = watch.__doc__, gradient.__doc__
    tape.watch, tape.gradient = watch_values, gradient_of_values


def _has_ragged(x):
    if type(x) in (list, tuple):
        return any(map(_has_ragged, x))
    return any(map(_has_ragged, x.values())) if isinstance(x, dict) else type(x) is RaggedTensor


def _map(f, x, *others):
    if type(x) in (list, tuple):
        return type(x)(_map(f, *row) for row in zip(x, *others))
    if isinstance(x, dict):
        return {k: _map(f, v, *(o[k] for o in others)) for k, v in x.items()}
    return f(x, *others)
