"""tf.types.experimental: the kinds of functions, of what is like a tensor, and of what functions are traced for."""

import abc
import inspect
import typing

import numpy as np

from brio import _core
from brio._function import AtomicFunction, ConcreteFunction, Function, FunctionType  # noqa: F401  names of this module
from brio._missing import attribute_error_of

__getattr__ = attribute_error_of(__name__)

GenericFunction = PolymorphicFunction = Function
TensorLike = typing.Union[
    _core.Tensor, _core.Variable, int, float, bool, str, bytes, complex, tuple, list, np.ndarray, np.generic
]


class Callable(abc.ABC):
    """What tf.function makes: functions, and those of one kind of arguments."""

    @property
    @abc.abstractmethod
    def function_type(self) -> inspect.Signature:
        """Its signature, with the kinds of arguments."""


for _kind in (Function, ConcreteFunction, AtomicFunction):
    Callable.register(_kind)


class TraceType(abc.ABC):
    """The kind of an argument that is no tensor: a function is traced once for each of those that are not equal."""

    @abc.abstractmethod
    def is_subtype_of(self, other):
        """Is what this stands for also what `other` stands for?"""

    @abc.abstractmethod
    def most_specific_common_supertype(self, others):
        """What stands for this and the others; None where nothing does."""

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context):
        """What the function sees of the argument while it is traced."""

    def to_tensors(self, value):
        """The tensors of an argument."""
        return []

    def from_tensors(self, tensors):
        """An argument of its tensors."""
        return self.placeholder_value(None)

    def flatten(self):
        """The kinds of its tensors."""
        return []

    def cast(self, value, cast_context):
        """An argument as one of this kind."""
        return value

    @abc.abstractmethod
    def __hash__(self): ...

    @abc.abstractmethod
    def __eq__(self, other): ...


class SupportsTracingProtocol(abc.ABC):
    """What says itself which kind of argument it is: it has __tf_tracing_type__(context)."""

    @abc.abstractmethod
    def __tf_tracing_type__(self, context): ...

    @classmethod
    def __subclasshook__(cls, other):
        return hasattr(other, "__tf_tracing_type__") if cls is SupportsTracingProtocol else NotImplemented
