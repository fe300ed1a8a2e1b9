"""tf.function: a Python function that is traced once for each kind of arguments, then runs as one plan."""

import functools
import inspect
import sys
import weakref
from typing import Literal

from brio import _autograph, _core, _nest, _trace_gradients
from brio._spec import TensorSpec
from brio.errors import InvalidArgumentError

_PLAIN = (bool, int, float, str, bytes, type(None))


class Function(_core._Function):
    """What tf.function returns."""

    def __init__(self, python_function, input_signature=None, autograph=True, relax=False):
        self.python_function = python_function
        self.input_signature = None if input_signature is None else tuple(input_signature)
        self._bound, self._specified = weakref.WeakKeyDictionary(), []
        functools.update_wrapper(self, python_function, updated=())
        prepare = (
            None if input_signature is None else functools.partial(_as_specified, python_function, self.input_signature)
        )
        self._traced = (
            _trace_gradients.followed(_autograph.convert(python_function), python_function)
            if autograph
            else python_function
        )
        self._relax = relax
        super().__init__(_with_ragged_results(self._traced), prepare, *_open_sizes(self.input_signature), relax, True)

    def __get__(self, instance, owner=None):
        """A method: each object has traces of its own, since they hold what belongs to it."""
        if instance is None:
            return self
        try:
            return self._bound[instance]
        except KeyError:
            made = self._bound[instance] = type(self)(
                _method(self._traced, weakref.ref(instance)), self.input_signature, False, self._relax
            )
            return made
        except TypeError:  # an object without weak references
            return type(self)(self._traced.__get__(instance, owner), self.input_signature, False, self._relax)

    def get_concrete_function(self, *args, **kwargs):
        """This function for arguments of one kind, which may be given as TensorSpecs."""
        if self.input_signature is not None:
            if not args and not kwargs:
                args = self.input_signature
            return ConcreteFunction(self, args, kwargs, self._trace_of((self.input_signature, {})))
        specified = _nest.map_structure(_specified, (args, kwargs))
        if specified not in self._specified:  # for SavedModels
            self._specified.append(specified)
        return ConcreteFunction(self, args, kwargs, self._trace_of(specified))

    def _trace_of(self, specified):
        """(results as TensorSpecs, trace) for arguments of such kinds; None where no trace can be for all of them."""
        specs = [leaf for leaf in _nest.flatten(specified) if isinstance(leaf, TensorSpec)]
        if any(s.shape.rank is None for s in specs):
            return None
        numbers = iter(range(len(specs)))
        args, kwargs = _nest.map_structure(
            lambda leaf: (
                _core.convert_to_tensor(next(numbers), dtype="int64") if isinstance(leaf, TensorSpec) else leaf
            ),
            specified,
        )
        found = self._trace(tuple(args), kwargs, [(s.shape, s.dtype) for s in specs])
        if found is None:
            return None
        _, results, trace = found
        made = [TensorSpec(shape, dtype) for shape, dtype in trace.results]
        return _nest.map_structure(lambda x: made[int(x)] if _core.is_tensor(x) else x, results), trace

    def pretty_printed_concrete_signatures(self, verbose=True):
        """What went in and came out of each trace, as a text."""
        shown = lambda specs: ", ".join(f"{dtype} Tensor, shape={tuple(shape)}" for shape, dtype in specs)
        name = getattr(self.python_function, "__name__", "function")
        return "\n\n".join(
            f"{name}({shown(trace.arguments)})\n  Returns:\n    {shown(trace.results)}"
            for _, _, trace in self.saved_traces()
        )

    def experimental_get_tracing_count(self):
        """How often the function was traced."""
        return self.traces

    @property
    def function_spec(self):
        """The signature of the Python function."""
        return inspect.signature(self.python_function)

    @property
    def function_type(self):
        """The same, with the specs of an input_signature."""
        return FunctionType.of(self.python_function, self.input_signature or (), {})

    def __repr__(self):
        return f"<tf.function {getattr(self.python_function, '__qualname__', self.python_function)}>"


class FunctionType(inspect.Signature):
    """A signature whose annotations are the kinds of arguments:
    specs of tensors, and values that are part of the trace."""

    @classmethod
    def of(cls, function, args, kwargs, result=inspect.Signature.empty):
        """That of a Python function which is called with these."""
        signature = inspect.signature(function)
        try:
            bound = signature.bind_partial(*args, **kwargs)
        except TypeError:
            return cls(list(signature.parameters.values()))
        given = list(args) + list(kwargs.values())
        bound.apply_defaults()
        kinds = {
            n: v
            if any(v is g for g in given) and not isinstance(v, _PLAIN)
            else Literal[v]
            if isinstance(v, _PLAIN)
            else v
            for n, v in bound.arguments.items()
        }
        rows = [
            p.replace(annotation=kinds.get(n, p.annotation), default=p.empty)
            for n, p in signature.parameters.items()
            if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        ]
        return cls(rows, return_annotation=result)


class AtomicFunction:
    """A concrete function that takes its tensors in order."""

    def __init__(self, concrete):
        self._concrete = concrete

    def __call__(self, *args):
        return self._concrete(*args)

    @property
    def function_type(self):
        """Its signature, with the kinds of arguments."""
        return self._concrete.function_type

    @property
    def name(self):
        """The name of the function."""
        return self._concrete.name

    def __repr__(self):
        return f"<AtomicFunction> {self.name}{self.function_type}"


class ConcreteFunction:
    """A function for arguments of certain shapes and dtypes."""

    def __init__(self, function, args, kwargs, traced=None):
        # `traced`: (results as TensorSpecs, trace), or None if only a call can tell.
        self._function, self.structured_input_signature, self._traced = function, (args, kwargs), traced

    def __call__(self, *args, **kwargs):
        leaves = _nest.flatten(self.structured_input_signature)
        places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, TensorSpec) or _core.is_tensor(leaf)]
        given = self._in_order(args, kwargs, len(leaves), places)
        if len(given) != len(places):
            raise TypeError(f"this concrete function takes {len(places)} tensors, but got {len(given)} arguments")
        for place, value in zip(places, given):
            spec = leaves[place] if isinstance(leaves[place], TensorSpec) else TensorSpec.from_tensor(leaves[place])
            value = _core.convert_to_tensor(value)
            if spec.dtype != value.dtype:
                raise InvalidArgumentError(
                    f"this concrete function takes {spec}, but got a tensor of {value.dtype.name}"
                )
            if not spec.is_compatible_with(value):
                raise TypeError(
                    f"this concrete function takes {spec}, but got shape {value.shape} and dtype {value.dtype!r}"
                )
            leaves[place] = value
        args, kwargs = _nest.pack(self.structured_input_signature, leaves)
        return self._function(*args, **kwargs)

    def _in_order(self, args, kwargs, count, places):
        """The tensors that were given, in the order of the signature.
        What was no tensor at the trace need not be given again."""
        if kwargs:
            try:
                bound = inspect.signature(self._function.python_function).bind_partial(*args, **kwargs)
                args, kwargs = (*bound.args,), bound.kwargs
            except (TypeError, ValueError):
                pass
        given = _nest.flatten((args, kwargs))
        leaves = _nest.flatten(self.structured_input_signature)
        for place, value in enumerate(given if len(given) == count else ()):
            if (
                place not in places
                and isinstance(leaves[place], _PLAIN)
                and type(value) is type(leaves[place])
                and value != leaves[place]
            ):
                raise TypeError(f"this concrete function was traced for {leaves[place]!r}, but got {value!r}")
        return [given[place] for place in places] if len(given) == count else given

    @property
    def name(self):
        """The name of the function."""
        return f"__inference_{getattr(self._function.python_function, '__name__', 'function')}"

    @property
    def function_type(self):
        """Its signature, with the kinds of arguments and of the result."""
        return FunctionType.of(
            self._function.python_function, *self.structured_input_signature, self.structured_outputs
        )

    @property
    def inference_fn(self):
        """The function that takes its tensors in order."""
        return AtomicFunction(self)

    def __str__(self):
        kinds = self.function_type
        rows = "".join(f"\n  {n} ({p.kind.name}): {p.annotation}" for n, p in kinds.parameters.items())
        return f"ConcreteFunction Input Parameters:{rows}\nOutput Type:\n  {kinds.return_annotation}"

    @property
    def structured_outputs(self):
        """Descriptions of what it returns."""
        if self._traced is not None:
            return self._traced[0]
        return _nest.map_structure(lambda x: TensorSpec.from_tensor(x) if _core.is_tensor(x) else x, self._called())

    def _called(self):
        """Its results for zeros: what cannot be traced, such as a function that makes variables, runs."""
        args, kwargs = self.structured_input_signature
        return self._function(*_zeros(args), **_zeros(kwargs))

    @property
    def outputs(self):
        """The same in one list."""
        return _nest.flatten(self.structured_outputs)

    @property
    def output_shapes(self):
        """The shapes of what it returns."""
        return _nest.map_structure(lambda x: getattr(x, "shape", None), self.structured_outputs)

    @property
    def output_dtypes(self):
        """The dtypes of what it returns."""
        return _nest.map_structure(lambda x: getattr(x, "dtype", None), self.structured_outputs)

    @property
    def graph(self):
        """What was traced, as a graph of operations."""
        from brio._function_graph import FuncGraph

        if self._traced is not None:
            return FuncGraph(self.name, self._traced[1])
        self._called()
        return FuncGraph(self.name, self._function.saved_traces()[-1][2])

    def pretty_printed_signature(self, verbose=True):
        """What goes in and comes out, as a text."""
        return f"{self.name}{self.structured_input_signature} -> {self.structured_outputs}"

    @property
    def inputs(self):
        """Descriptions of the tensors that it takes."""
        return [s for s in _nest.flatten(self.structured_input_signature) if isinstance(s, TensorSpec)]


def _difference(function, before, now):
    """For the doctor: which argument made a call be traced anew, as a text. (args, kwargs) with zeros for tensors."""
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = []
    label = lambda i: f"'{names[i]}'" if i < len(names) else str(i)
    pairs = [(label(i), a, b) for i, (a, b) in enumerate(zip(before[0], now[0]))]
    pairs += [(f"'{key}'", before[1].get(key), value) for key, value in now[1].items()]
    for name, a, b in pairs:
        if _core.is_tensor(a) and _core.is_tensor(b):
            continue
        if _core.is_tensor(a) or _core.is_tensor(b) or type(a) is not type(b) or a != b:
            return f"argument {name} changes: {_short(b)} after {_short(a)}"
    return None


def _short(value):
    text = "a tensor" if _core.is_tensor(value) else repr(value)
    return text if len(text) < 60 else text[:57] + "..."


def _open_sizes(signature):
    """(signature with numbers for tensors, (shape, dtype) of each), or (None, None) where it does not say all ranks."""
    specs = _nest.flatten(signature)
    if signature is None or not all(isinstance(s, TensorSpec) and s.shape.rank is not None for s in specs):
        return None, None
    numbers = iter(range(len(specs)))
    numbered = _nest.map_structure(lambda _: _core.convert_to_tensor(next(numbers), dtype="int64"), signature)
    return numbered, [(s.shape, s.dtype) for s in specs]


def _zeros(structure):
    """Tensors of the kinds that a signature says, where sizes that are not known are 1."""

    def made(leaf):
        if not isinstance(leaf, TensorSpec):
            return leaf
        sizes = [1 if n is None else n for n in leaf.shape] if leaf.shape.rank is not None else []
        return _core.fill(sizes, "") if leaf.dtype == _core.string else _core.zeros(sizes, leaf.dtype)

    return _nest.map_structure(made, structure)


def _specified(x):
    return TensorSpec.from_tensor(_core.convert_to_tensor(x)) if hasattr(x, "__array__") else x


def _method(function, instance):
    """`function` bound to an object that this does not keep alive."""

    @functools.wraps(function)
    def method(*args, **kwargs):
        return function(instance(), *args, **kwargs)

    try:  # without the object, whatever the parameter's name is
        method.__signature__ = _without_first(inspect.signature(function))
    except (TypeError, ValueError):  # a function that Python cannot inspect
        pass
    return method


def _without_first(signature):
    first, *rest = signature.parameters.values() or (None,)
    return signature if first is None or first.kind is first.VAR_POSITIONAL else signature.replace(parameters=rest)


def _as_specified(function, signature, args, kwargs):
    """Arguments as an input signature says: tensors of its dtypes. Throws TypeError where they are of other shapes."""
    parameters = {n: p.default for n, p in inspect.signature(function).parameters.items()}
    values = list(args)
    for name in list(parameters)[len(args) :]:
        if name in kwargs:
            values.append(kwargs[name])
        elif len(values) < len(signature) and parameters[name] is not inspect.Parameter.empty:
            values.append(parameters[name])
    if len(values) != len(signature):
        raise TypeError(
            f"{function.__name__}() takes {len(signature)} arguments by its input_signature, but {len(values)} were "
            "given"
        )
    return tuple(_conform(function, spec, value) for spec, value in zip(signature, values)), {}


def _with_ragged_results(f):
    """f, whose results are tensors and structures of them: ragged ones are taken apart."""

    @functools.wraps(f)
    def call(*args, **kwargs):
        result = f(*args, **kwargs)
        ragged = sys.modules.get("brio._ragged_function")  # loaded with the first ragged tensor
        return ragged.held(result) if ragged else result

    return call


def _conform(function, spec, value):
    if hasattr(spec, "row_splits_dtype"):
        from brio._ragged_function import conformed

        return conformed(function, spec, value)
    if isinstance(spec, dict):
        return {key: _conform(function, spec[key], value[key]) for key in spec}
    if hasattr(spec, "_fields"):
        return _nest.named(type(spec), [_conform(function, s, v) for s, v in zip(spec, value)])
    if isinstance(spec, (list, tuple)):
        return type(spec)(_conform(function, s, v) for s, v in zip(spec, value))
    tensor = _core.convert_to_tensor(value, dtype_hint=spec.dtype)
    if not spec.is_compatible_with(tensor):
        raise TypeError(
            f"{function.__name__}(): the input_signature says {spec}, but an argument has shape {tensor.shape} and "
            f"dtype {tensor.dtype!r}"
        )
    return tensor


def function(func=None, input_signature=None, autograph=True, jit_compile=None, reduce_retracing=False,
             experimental_implements=None, experimental_autograph_options=None, experimental_attributes=None,
             experimental_relax_shapes=None, experimental_compile=None,
             experimental_follow_type_hints=None):  # fmt: skip
    """Traces a Python function once for each kind of arguments and keeps the plan, which runs without Python.

    >>> @tf.function
    ... def total(n):
    ...     s = tf.constant(0)
    ...     for i in tf.range(n):
    ...         s += i
    ...     return s
    >>> int(total(tf.constant(5)))
    10
    """

    def made(f):
        if not callable(f):
            raise TypeError(f"tf.function takes a function, but got {f!r}")
        return Function(f, input_signature, autograph, bool(reduce_retracing or experimental_relax_shapes))

    return made if func is None else made(func)
