"""tf.autograph: Python's control flow over tensors. tf.function uses it by itself."""

import ast as _ast
import enum as _enum
import inspect as _inspect
import textwrap as _textwrap

from brio import _autograph, _core, _missing
from brio._rewrite import Rewriter as _Rewriter
from brio._shape import TensorShape as _TensorShape

__getattr__ = _missing.attribute_error_of(__name__)


def to_graph(entity, recursive=True, experimental_optional_features=None):
    """The function with its statements rewritten: `if`, `while` and `for` take tensors."""
    return _autograph.convert(entity)


def to_code(entity, recursive=True, experimental_optional_features=None):
    """The source of the rewritten function."""
    tree = _ast.parse(_textwrap.dedent(_inspect.getsource(entity)))
    if not isinstance(tree.body[0], _ast.FunctionDef):
        raise ValueError(f"[autograph.to_code] takes a function that is defined by def, but got {entity!r}")
    return _ast.unparse(_ast.fix_missing_locations(_Rewriter().function(tree.body[0])))


def set_verbosity(level, alsologtostdout=False):
    """Takes notice: what could not be traced is said in warnings whatever the level is."""


def trace(*args):
    """Prints while a function is traced: what it is traced with, not values.

    >>> tf.autograph.trace("x is", 3)
    x is 3
    """
    print(*args)


class experimental:
    """tf.autograph.experimental."""

    do_not_convert = staticmethod(_autograph.do_not_convert)

    class Feature(_enum.Enum):
        """Parts of AutoGraph that TensorFlow can be asked for; all of them are on."""

        ALL = "ALL"
        AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
        ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
        BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
        EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
        LISTS = "LISTS"
        NAME_SCOPES = "NAME_SCOPES"

        @classmethod
        def all(cls):
            """All of them."""
            return tuple(cls)

        @classmethod
        def all_but(cls, exclude):
            """All but these."""
            exclude = (exclude,) if isinstance(exclude, cls) else tuple(exclude)
            return tuple(f for f in cls if f not in (*exclude, cls.ALL))

    @staticmethod
    def set_loop_options(parallel_iterations=None, swap_memory=None, maximum_iterations=None, shape_invariants=None):
        """Says which sizes change in a loop over tensors: a function with such a loop runs op by op.
        A limit of rounds belongs into the loop's test."""
        from brio.errors import _UnknownValueError

        if maximum_iterations is not None:
            raise ValueError(
                f"[set_loop_options] maximum_iterations={maximum_iterations}; put the limit into the loop's test: "
                "`while i < limit and ...`"
            )
        if _core._tracing() and any(not _TensorShape(shape).is_fully_defined() for _, shape in shape_invariants or ()):
            raise _UnknownValueError(
                "[autograph.set_loop_options] a tensor of the loop changes its shape, which cannot be traced"
            )
