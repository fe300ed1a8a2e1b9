"""Functions of SavedModels: the traces of a tf.function, and what is made of them when they are loaded."""

import functools
import inspect
import threading
import warnings
import weakref

from brio import _core, _nest
from brio._function import ConcreteFunction, Function
from brio._saved_values import (
    decode,
    encode,
    is_tensor,
    numbers_in,
    parameters_of,
    signature_of,
    specs_of,
    takes,
    tensor_names,
)
from brio._spec import TensorSpec


class Trace:
    """One trace: the arguments by name and the results, as _saved_values writes them, and the graph."""

    def __init__(self, arguments, results, graph, names):
        self.arguments, self.results, self.graph = arguments, results, graph
        if len(names) != len(graph.arguments):
            raise ValueError(f"the graph takes {len(graph.arguments)} tensors, but {len(names)} have names")
        self.specs = [TensorSpec(shape, dtype, name) for (shape, dtype), name in zip(graph.arguments, names)]
        self.result_specs = specs_of(graph.results)
        for rows, known in ((list(arguments.values()), self.specs), ([results], self.result_specs)):
            if any(not isinstance(n, int) or not 0 <= n < len(known) for n in numbers_in(rows)):
                raise ValueError("a tensor of the arguments or results is not one of the graph's")

    def __call__(self, tensors):
        return decode(self.results, self.graph.call(tensors))

    def row(self, variables, constants):
        """JSON of the trace."""
        return {
            "arguments": self.arguments,
            "results": self.results,
            "names": [s.name for s in self.specs],
            "graph": self.graph.write(variables, constants),
        }

    @classmethod
    def of_row(cls, row, variables, constants):
        return cls(
            dict(row["arguments"]), row["results"], _core._read_trace(row["graph"], variables, constants), row["names"]
        )

    def shown(self):
        """For errors: the arguments that it takes."""
        return "(" + ", ".join(f"{name}={decode(row, self.specs)!r}" for name, row in self.arguments.items()) + ")"


_state = threading.local()


def saving():
    """Is a function traced now for a file?"""
    return getattr(_state, "saving", False)


def warn_of_print():
    """tf.print is Python's code, which a file has not."""
    warnings.warn("tf.print() is left out of the function that is saved: the loaded one prints nothing", stacklevel=3)


def traces_of(function):
    """The traces of a tf.function: those that it made, and that of its input_signature."""
    if isinstance(function, RestoredFunction):
        return function.saved
    wanted = [((*function.input_signature,), {})] if function.input_signature is not None else function._specified
    made = [trace for args, kwargs in wanted for trace in _of_known_ranks(function, args, kwargs)]
    if function.input_signature is None:
        kind_of = lambda named, graph: (repr(named), repr([(tuple(s), d.name) for s, d in graph.arguments]))
        known = {kind_of(trace.arguments, trace.graph) for trace in made}
        for arguments, results, graph in function.saved_traces():
            number_of = lambda x: int(x) if is_tensor(x) else None
            named = _by_name(function, *arguments, number_of)
            if kind_of(named, graph) in known:
                continue
            made.append(
                Trace(
                    named,
                    encode(results, number_of),
                    graph,
                    tensor_names(parameters_of(function.python_function), named, {}),
                )
            )
    return made


_RANKS = range(5)  # of what a spec of unknown rank stands for in a file


def _of_known_ranks(function, args, kwargs):
    """A trace for each rank that arguments of unknown rank may have, as far as the function takes it;
    one trace where all are known."""
    open_ = lambda leaf: isinstance(leaf, TensorSpec) and leaf.shape.rank is None
    if not any(map(open_, _nest.flatten((args, kwargs)))):
        return [traced(function, args, kwargs)]
    made, failure = [], None
    for rank in _RANKS:
        known = lambda leaf, rank=rank: TensorSpec([None] * rank, leaf.dtype, leaf.name) if open_(leaf) else leaf
        try:
            made.append(traced(function, *_nest.map_structure(known, (args, kwargs))))
        except (ValueError, TypeError) as error:  # not for this rank
            failure = error
    if not made:
        raise failure
    return made


def traced(function, args, kwargs):
    """A trace for arguments in which TensorSpecs, or tensors, stand for tensors. Sizes that are None stay unknown."""
    specs, results = [], []

    def number_of(x):
        if not isinstance(x, TensorSpec) and not is_tensor(x):
            return None
        specs.append(x if isinstance(x, TensorSpec) else TensorSpec.from_tensor(x))
        return len(specs) - 1

    arguments = _by_name(function, args, kwargs, number_of)
    structure = encode([list(args), dict(kwargs)], _counter(lambda x: isinstance(x, TensorSpec) or is_tensor(x)))

    def body(tensors):
        args, kwargs = decode(structure, tensors)
        leaves = []
        before, _state.saving = saving(), True
        try:
            results[:] = [encode(function._traced(*args, **kwargs), functools.partial(_result_number, leaves))]
        finally:
            _state.saving = before
        return leaves

    graph = _core._save_trace(body, [(s.shape, s.dtype) for s in specs])
    given = {i: s.name for i, s in enumerate(specs) if s.name}
    return Trace(arguments, results[0], graph, tensor_names(parameters_of(function.python_function), arguments, given))


def _counter(counts):
    count = [0]

    def number_of(x):
        if not counts(x):
            return None
        count[0] += 1
        return count[0] - 1

    return number_of


def _result_number(leaves, x):
    if not (is_tensor(x) or hasattr(x, "__array__") or type(x) in (bool, int, float)):
        return None
    leaves.append(_core.convert_to_tensor(x))
    return len(leaves) - 1


def _by_name(function, args, kwargs, number_of):
    """Arguments by the names of parameters; those that were left out have their defaults."""
    rows = parameters_of(function.python_function)
    given = signature_of(rows).bind(*args, **kwargs).arguments
    made = {name: encode(given[name], number_of) for name, _, _, _ in rows if name in given}
    return {
        **made,
        **{name: default for name, _, has, default in rows if has and name not in given and not numbers_in(default)},
    }


class RestoredFunction(Function):
    """A function of a SavedModel: it takes what one of its traces takes."""

    def __init__(self, name, parameters, traces, specified=False):
        # `specified`: it had an input_signature, to which its only trace belongs.
        self.saved, self.parameters, self.input_signature, self._specified, self.specified = (
            traces,
            parameters,
            None,
            [],
            specified,
        )
        self.__name__ = self.__qualname__ = name
        self._bound, self._signature = weakref.WeakKeyDictionary(), signature_of(parameters)
        self._defaults = {row[0]: row[3] for row in parameters if row[2]}
        self.python_function = self._traced = functools.partial(_replayed, traces)
        _core._Function.__init__(self, self._traced, self._found)

    def _found(self, args, kwargs):
        """(number of the trace, tensors) for arguments."""
        if not self.saved:
            raise ValueError(
                f"'{self.__name__}' was never traced before it was saved, so that nothing of it is there; call it, or "
                "give it an input_signature, and save again"
            )
        given = self._signature.bind(*args, **kwargs).arguments
        for convert in (False, True):
            for i, trace in enumerate(self.saved):
                tensors = [None] * len(trace.specs)
                if self._fits(trace, given, convert, tensors):
                    return (i, tensors), {}
        options = "\n".join(f"  {trace.shown()}" for trace in self.saved)
        raise (TypeError if self.specified else ValueError)(
            f"no trace of '{self.__name__}' takes ({', '.join(f'{n}={_shown(v)}' for n, v in given.items())}). The "
            f"SavedModel has:\n{options}"
        )

    def _fits(self, trace, given, convert, tensors):
        for name in trace.arguments.keys() | given.keys():
            if name not in trace.arguments:  # a default that is part of the trace was given another value
                return False
            if name in given:
                if not takes(trace.arguments[name], given[name], trace.specs, convert, tensors):
                    return False
            elif name not in self._defaults or self._defaults[name] != trace.arguments[name]:
                return False
        return True

    def get_concrete_function(self, *args, **kwargs):
        """The one of its traces that takes such arguments, which may be given as TensorSpecs."""
        ((number, _), _) = self._found(args, kwargs)
        trace = self.saved[number]
        return ConcreteFunction(self, args, kwargs, (decode(trace.results, trace.result_specs), trace.graph))

    @property
    def function_spec(self):
        """The signature of the Python function that was saved."""
        return self._signature

    def __repr__(self):
        return f"<tf.function {self.__name__} of a SavedModel>"


def _replayed(traces, number, tensors):
    return traces[number](tensors)


def _shown(value):
    return (
        TensorSpec.from_tensor(_core.convert_to_tensor(value))
        if is_tensor(value) or hasattr(value, "__array__")
        else repr(value)
    )


class Signature:
    """A function from tensors by name to a dictionary of tensors: what `signatures` of a loaded SavedModel holds."""

    def __init__(self, name, trace):
        self.name, self.trace = name, trace
        self._names = [s.name for s in trace.specs]
        self._function = RestoredFunction(name, [["tensors", int(inspect.Parameter.VAR_KEYWORD), False, None]], [trace])

    def __call__(self, *args, **kwargs):
        if len(args) > (len(self._names) == 1):
            raise TypeError(
                f"signature '{self.name}' takes its arguments by name: {', '.join(self._names)}; {len(args)} were "
                "given without one"
            )
        given = {**dict(zip(self._names, args)), **kwargs}
        if set(given) != set(self._names):
            raise TypeError(
                f"signature '{self.name}' takes {', '.join(self._names)}, but got {', '.join(given) or 'nothing'}"
            )
        return self._function(**given)

    @property
    def structured_input_signature(self):
        """((), {name: TensorSpec}) of its arguments."""
        return (), {s.name: s for s in self.trace.specs}

    @property
    def structured_outputs(self):
        """{name: TensorSpec} of its results."""
        return {
            k: TensorSpec(s.shape, s.dtype, k) for k, s in decode(self.trace.results, self.trace.result_specs).items()
        }

    @property
    def inputs(self):
        """Descriptions of the tensors that it takes."""
        return list(self.trace.specs)

    @property
    def outputs(self):
        """Descriptions of the tensors that it gives."""
        return list(self.structured_outputs.values())

    def __repr__(self):
        return f"<signature {self.name}{self.trace.shown()}>"


def signature_from(key, function, traces_of=traces_of):
    """What `signatures=` was given as a signature: a function with an input_signature, or a concrete function."""
    if isinstance(function, Trace):
        trace = function
    elif isinstance(function, Signature):
        trace = function.trace
    elif isinstance(function, ConcreteFunction):
        trace = concrete_trace(function)
    elif isinstance(function, Function) and can_be_signature(function):
        trace = traces_of(function)[0]
    else:
        raise ValueError(
            f"a signature is a tf.function with an input_signature or a concrete function, but '{key}' is {function!r}"
        )
    names = [s.name for s in trace.specs]
    if len(set(names)) != len(names):
        raise ValueError(
            f"signature '{key}': more than one argument is called {next(n for n in names if names.count(n) > 1)!r}; "
            "give TensorSpecs names"
        )
    arguments = {"tensors": {"dict": [[name, {"tensor": i}] for i, name in enumerate(names)]}} if names else {}
    return Signature(key, Trace(arguments, _named_results(key, trace.results), trace.graph, names))


def can_be_signature(function):
    """Has a tf.function one trace alone?"""
    known = function.input_signature is not None and all(
        not isinstance(s, TensorSpec) or s.shape.rank is not None for s in _nest.flatten(function.input_signature)
    )
    return known or (isinstance(function, RestoredFunction) and len(function.saved) == 1)


def frozen(function):
    """A tf.function with the traces that it has now."""
    return RestoredFunction(
        function.__name__,
        parameters_of(function.python_function),
        traces_of(function),
        function.input_signature is not None,
    )


def concrete_trace(concrete):
    """The trace of a concrete function."""
    function, (args, kwargs) = concrete._function, concrete.structured_input_signature
    if not isinstance(function, RestoredFunction):
        return traced(function, args, kwargs)
    ((number, _), _) = function._found(args, kwargs)
    return function.saved[number]


def _named_results(key, row):
    """Results as a dictionary: those without a name are output_0, output_1, …"""
    kind = next(iter(row)) if isinstance(row, dict) else "none"
    if kind == "dict":
        named = row["dict"]
    elif kind == "named":
        named = list(zip(row["named"][1], row["named"][2]))
    else:
        items = row[kind] if kind in ("list", "tuple") else [row]
        named = [[f"output_{i}", item] for i, item in enumerate(items)]
    for name, item in named:
        if not isinstance(name, str):
            raise ValueError(f"signature '{key}': a name of its results is {name!r}, and no text")
        if not (isinstance(item, dict) and "tensor" in item):
            raise ValueError(
                f"signature '{key}': '{name}' of its results is no tensor; give a tensor, a list of them, or a "
                "dictionary"
            )
    return {"dict": [list(pair) for pair in named]}
