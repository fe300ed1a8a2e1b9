"""keras.KerasTensor, keras.Operation and keras.Function:
symbols, what is called on them, and what lies between them."""

import inspect

from brio import _core, _nest
from brio.keras import _classes
from brio.keras._graph import OperationLayer


class _Symbols(type):
    """Every symbol is a KerasTensor."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, _core.KerasTensor)

    def __subclasscheck__(cls, other):
        return issubclass(other, _core.KerasTensor)


class KerasTensor(metaclass=_Symbols):
    """A tensor of a shape and dtype, without values: layers and functions called on it give others.

    >>> keras.KerasTensor((None, 3), "float32", name="x")
    <KerasTensor shape=(None, 3), dtype=float32, sparse=False, ragged=False, name=x>
    """

    _makes = _core.KerasTensor

    def __new__(cls, shape, dtype="float32", sparse=False, ragged=False, record_history=True, name=None, **kwargs):
        if kwargs.keys() - {"ragged_rank", "row_splits_dtype"}:
            raise TypeError(f"[KerasTensor] unknown arguments: {', '.join(kwargs)}")
        if sparse or ragged:
            raise ValueError(
                "[KerasTensor] symbols of sparse and ragged tensors are dense here; leave sparse= and ragged= out"
            )
        shape = tuple(shape)
        if not shape:
            raise ValueError(
                "[KerasTensor] shape is (); a symbol has the axis of the batch, at least: KerasTensor((None,))"
            )
        name = name or _core._unique_name("keras_tensor")
        return _core._input(shape[1:], -1 if shape[0] is None else int(shape[0]), _core.as_dtype(dtype).name, name)


class Operation:
    """Something that maps tensors to tensors, without weights.
    Derive from it and write call(); on symbols it is a step of a model.

    >>> class Scale(keras.Operation):
    ...     def __init__(self, factor, **kwargs):
    ...         super().__init__(**kwargs)
    ...         self.factor = factor
    ...     def call(self, x):
    ...         return x * self.factor
    >>> x = keras.Input((3,))
    >>> keras.Model(x, Scale(2.0)(x))(tf.ones([1, 3])).numpy().tolist()
    [[2.0, 2.0, 2.0]]
    """

    def __new__(cls, *args, **kwargs):
        self = object.__new__(cls)
        self._made_with = (args, kwargs)
        return self

    def __init__(self, name=None):
        self.name = str(name) if name else _core._unique_name(_classes.snake(type(self).__name__))
        self._step, self._calls = None, None

    def __call__(self, *args, **kwargs):
        if any(isinstance(x, _core.KerasTensor) for x in _nest.flatten((args, kwargs))):
            return self.symbolic_call(*args, **kwargs)
        return self.call(*args, **kwargs)

    def call(self, *args, **kwargs):
        """The work: override it."""
        raise NotImplementedError(f"{type(self).__name__} needs call()")

    def symbolic_call(self, *args, **kwargs):
        """What it gives for symbols."""
        self._step = self._step or _OperationStep(self)
        made = self._step(*args, **kwargs)
        if self._calls is None:
            symbols = [x for x in _nest.flatten((args, kwargs)) if isinstance(x, _core.KerasTensor)]
            self._calls = (symbols[0] if len(symbols) == 1 else symbols, made)
        return made

    def compute_output_spec(self, *args, **kwargs):
        """Symbols of the shapes and dtypes that it gives."""
        return self.symbolic_call(*args, **kwargs)

    def get_config(self):
        """What it was made with; from_config() makes another of it."""
        if type(self).get_config is not Operation.get_config:  # called by the one of a class, which adds its own
            return {"name": self.name}
        args, kwargs = self._made_with
        given = inspect.signature(type(self).__init__).bind(None, *args, **kwargs)
        found = {"name": self.name} if {"name", "kwargs"} & set(given.signature.parameters) else {}
        for name, value in list(given.arguments.items())[1:]:
            kind = given.signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                raise NotImplementedError(f"{type(self).__name__} takes *{name} and needs get_config() of its own")
            value = value if kind is inspect.Parameter.VAR_KEYWORD else {name: value}
            found.update({k: v for k, v in value.items() if k != "name"})
        return found

    @classmethod
    def from_config(cls, config):
        """One of a config."""
        return cls(**config)

    def _called(self):
        if self._calls is None:
            raise AttributeError(f"operation '{self.name}' was not called on symbols: it has no input and output")
        return self._calls

    @property
    def input(self):
        """The symbol that it was called on first."""
        return self._called()[0]

    @property
    def output(self):
        """The symbol that it gave then."""
        return self._called()[1]

    def __repr__(self):
        return f"<Operation name={self.name}>"


class _OperationStep(OperationLayer):
    """An operation of a program's as a step of a model."""

    def __init__(self, operation):
        super().__init__({"config": {"name": operation.name}}, operation.call)
        object.__setattr__(self, "operation", operation)

    def _described(self):
        from brio.keras._serialization import serialize_keras_object

        return serialize_keras_object(self.operation)


class Function(Operation):
    """The way from some symbols to others, as a function of tensors.

    >>> x = keras.KerasTensor((None, 2))
    >>> keras.Function(x, keras.ops.exp(x) * 2)(tf.zeros([1, 2])).numpy().tolist()
    [[2.0, 2.0]]
    """

    def __init__(self, inputs, outputs, name=None):
        from brio.keras.models import Functional

        super().__init__(name=name)
        self._graph = Functional(inputs, outputs, name=self.name)

    def call(self, inputs):
        """What the outputs are for these inputs."""
        return self._graph(inputs)

    def symbolic_call(self, inputs):
        """What it gives for symbols."""
        return self._graph(inputs)

    def compute_output_shape(self, input_shape):
        """The shapes of the outputs for inputs of these shapes."""
        return self._graph.compute_output_shape(input_shape)

    @property
    def inputs(self):
        """The symbols that it begins with."""
        return self._graph.inputs

    @property
    def outputs(self):
        """The symbols that it ends with."""
        return self._graph.outputs

    @property
    def operations(self):
        """The layers and functions on the way."""
        from brio.keras.layers import InputLayer, _python_layer

        found = [_python_layer(h) for h in self._graph._handle.layers()]
        return [getattr(step, "operation", step) for step in found if not isinstance(step, InputLayer)]

    input = property(lambda self: self._graph.input, doc="The symbols that it begins with, as they were given.")
    output = property(lambda self: self._graph.output, doc="The symbols that it ends with, as they were given.")
