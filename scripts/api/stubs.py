"""Writes the type stubs of the package, brio/**/*.pyi: python scripts/api/stubs.py FOLDER. The build does it.

Each module of the package has a stub in which type checkers find what is there only when the program runs: functions of
C++, classes made from tables, names that are loaded when they are first used."""

import ast
import builtins
import enum
import importlib
import inspect
import pathlib
import re
import sys
import textwrap
import types

import rules
import signatures
import surface

HEADER = '"""Made by scripts/api/stubs.py."""\n'
IMPORTS = {
    r"\bcollections\.abc\.": "import collections.abc",
    r"\bAny\b": "from typing import Any",
    r"\bnp\.": "import numpy as np",
    r"\bbrio\.data\._dataset\.": "import brio.data._dataset",
    r"\b_t\.": "from brio import _types as _t",
    **{
        rf"(?<![\w.]){name}\b": f"from brio._core import {name}"
        for name in ("DType", "KerasTensor", "Tensor", "Variable")
    },
    r"(?<![\w.])TensorShape\b": "from brio._shape import TensorShape",
}
SPECIAL = set(
    (
        "__init__ __call__ __enter__ __exit__ __iter__ __next__ __len__ __getitem__ __setitem__ __delitem__ "
        "__contains__ __bool__ __float__ __int__ __index__ __array__ __getattr__ __hash__ __get__ _get_variable_index"
    ).split()
)
BINARY = "add sub mul truediv floordiv mod pow matmul and or xor".split()
UNARY = "neg pos abs invert".split()
COMPARE = "lt le eq ne gt ge".split()
OPERATORS = {f"__{side}{op}__" for op in BINARY + UNARY + COMPARE for side in ("", "r") if op not in ("eq", "ne")}


class Stub:
    """One .pyi in the making."""

    def __init__(self, module):
        self.module, self.blocks, self.defined, self.imports = module, {}, set(), set()

    def export(self, module, name, alias):
        """What another module has, here too."""
        if name == alias:
            self.imports.add(f"from {module} import {name} as {name}")
        else:
            self.imports.add(f"from {module} import {name} as _{alias}")
            self.blocks[alias] = f"{alias} = _{alias}\n"

    def text(self):
        body = "\n".join(self.blocks[name] for name in sorted(self.blocks))
        body = self._with_builtins(body)
        own = set(self.blocks)
        wanted = sorted(
            line for pattern, line in IMPORTS.items()
            if re.search(pattern, re.sub(r'"""(?:.|\n)*?"""', "", body)) and line.rsplit(" ", 1)[1] not in own
        )  # fmt: skip
        if "Any" in own:  # tf.raw_ops has an operation of this name
            body, wanted = re.sub(r"(-> |: |\| |\[)Any\b(?!\()", r"\1typing.Any", body), [*wanted, "import typing"]
        head = wanted + (["import builtins"] if "builtins." in body else []) + sorted(self.imports)
        return HEADER + "\n".join(head) + "\n\n" + body

    def _with_builtins(self, body):
        """tf.bool is a dtype and tf.range a function: in their module the names of Python's own are written out."""
        hidden = [n for n in self.blocks if hasattr(builtins, n)]
        if not hidden:
            return body
        names = "|".join(hidden)
        pattern = re.compile(rf"((?:: |-> |\| |\[|, )(?:\w+ \| )*)({names})\b(?![(:\w.])")
        lines = []
        for line in body.split("\n"):
            if re.match(r"\s*(def|\w+: )", line):
                previous = None
                while previous != line:
                    previous, line = line, pattern.sub(r"\1builtins.\2", line)
            lines.append(line)
        return "\n".join(lines)


class Writer:
    def __init__(self):
        self.stubs = {}

    def stub(self, module):
        return self.stubs.setdefault(module, Stub(module))

    def add_module(self, module):
        stub = self.stub(module.__name__)
        if hasattr(module, "__version__"):
            stub.blocks["__version__"] = "__version__: str\n"
        for name, value in surface.names(module).items():
            if isinstance(value, types.ModuleType):
                stub.export(*value.__name__.rpartition(".")[::2], name)
            elif inspect.isclass(value) or surface.is_function(value):
                self.add_definition(module.__name__, name, value)
            else:
                stub.blocks[name] = f"{name}: {self.type_name(value, stub)}\n"

    def add_definition(self, module, name, value):
        stub = self.stub(module)
        home = home_of(value)
        if home is None or home == (module, name):
            self.define(stub, name, value)
        elif not surface.is_own(value):
            stub.export(*home, name)
        elif home[0] == module:
            self.define(stub, home[1], value)
            stub.blocks[name] = f"{name} = {home[1]}\n"
        else:
            self.define(self.stub(home[0]), home[1], value)
            stub.export(*home, name)

    def define(self, stub, name, value):
        if name not in stub.defined:
            stub.defined.add(name)
            stub.blocks[name] = (
                self.class_text(stub, name, value)
                if inspect.isclass(value)
                else function_text(name, value, stub.module)
            )

    def reference(self, cls, stub):
        """A class as this stub names it; its own stub is seen to."""
        if cls.__module__ == "builtins":
            return cls.__name__
        home = home_of(cls)
        if home is None or not home[0].startswith("brio"):
            return "Any"
        self.define(self.stub(home[0]), home[1], cls)
        if home[0] == stub.module:
            return home[1]
        stub.imports.add(f"import {home[0]}")
        return ".".join(home)

    def type_name(self, value, stub):
        if value is None:
            return "None"
        return self.reference(type(value), stub)

    # ---- classes

    def class_text(self, stub, name, cls):
        if issubclass(cls, enum.Enum):
            body = "".join(f"    {m.name} = {m.value!r}\n" for m in cls)
            stub.imports.add("import enum")
            return f"class {name}(enum.Enum):\n{doc_text(cls, 4)}{body}"
        if hasattr(cls, "_makes"):  # a class that makes objects of another
            made = function_text("__init__", vars(cls)["__new__"].__func__, stub.module, name, 4).replace(
                "(cls,", "(self,", 1
            )
            return f"class {name}({self.reference(cls._makes, stub)}):\n{doc_text(cls, 4)}{made}"
        bases = [
            self.reference(b, stub)
            for b in cls.__bases__
            if b is not object and not b.__module__.startswith("nanobind")
        ]
        lines = [doc_text(cls, 4), made_init(cls) if "__signature__" in vars(cls) else ""]
        open_ended = {"__setattr__"} if "__getattr__" in vars(cls) else set()
        for member, value in sorted(vars(cls).items()):
            if (
                not member.startswith("_")
                or member in SPECIAL | open_ended
                or (member in OPERATORS and isinstance(value, types.FunctionType))
            ):
                lines.append(self.member_text(stub, cls, member, value))
        found = assigned(cls) | set(rules.ATTRIBUTES.get(cls.__name__, ()))
        lines += [f"    {n}: Any\n" for n in sorted(found) if n not in vars(cls) and not n.startswith("_")]
        if name in rules.OF_ANY_ATTRIBUTES:
            stub.imports.add("from typing import Any")
            lines.append(
                "    def __getattr__(self, name: str) -> Any: ...\n"
                "    def __setattr__(self, name: str, value: Any) -> None: ...\n"
            )
        lines += operators(cls)
        body = "".join(lines) or "    ...\n"
        return f"class {name}{'(' + ', '.join(bases) + ')' if bases else ''}:\n{body}"

    def member_text(self, stub, cls, name, value):
        if name == "__hash__" and value is None:
            return ""
        if isinstance(value, (classmethod, staticmethod)):
            kind = type(value).__name__
            return f"    @{kind}\n" + function_text(name, value.__func__, stub.module, cls.__name__, 4)
        if isinstance(value, property) or inspect.isgetsetdescriptor(value):
            getter = getattr(value, "fget", None)
            declared = inspect.Parameter.empty
            if hasattr(getter, "__nb_signature__"):
                declared = signatures.of(name, getter, stub.module, cls.__name__).return_annotation
            result = rules.PROPERTIES.get(name) or signatures.result(name, declared, stub.module, cls.__name__)
            text = f"    @property\n    def {name}(self) -> {result}:" + body_text(value, 8)
            if getattr(value, "fset", None):
                text += f"    @{name}.setter\n    def {name}(self, value: Any) -> None: ...\n"
            return text
        if name == "__init__" and ("__signature__" in vars(cls) or type(value).__name__ == "wrapper_descriptor"):
            return ""
        if inspect.isroutine(value) or surface.is_function(value):
            return function_text(name, value, stub.module, cls.__name__, 4)
        return f"    {name}: {self.type_name(value, stub) if not callable(value) else 'Any'}\n"


def home_of(value):
    """(module, name) of where a class or function is defined, if it is found there under its own name."""
    try:
        module, name = value.__module__, value.__name__
        return (module, name) if getattr(importlib.import_module(module), name) is value else None
    except (AttributeError, ImportError, TypeError):
        return None


def made_init(cls):
    """The constructor of a class that is made from a table of signatures."""
    given = list(inspect.signature(cls).parameters.values())
    known = {p.name for p in given}
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    more = [
        inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None)
        for n in getattr(cls, "_also_taken", ())
        if n not in known
    ]
    described = signatures.of("__init__", inspect.Signature([own, *given, *more]), cls.__module__, cls.__name__)
    return f"    def __init__{signatures.text_of(described.replace(return_annotation='None'))}: ...\n"


def operators(cls):
    """Arithmetic of tensors, whose functions are slots of C++."""
    have = vars(cls)
    if not type(cls).__name__.startswith("nb_type"):
        return []
    lines = []
    for op in BINARY:
        lines += [
            f"    def __{side}{op}__(self, other: _t.TensorLike) -> Tensor: ...\n"
            for side in ("", "r")
            if f"__{side}{op}__" in have
        ]
    lines += [f"    def __{op}__(self) -> Tensor: ...\n" for op in UNARY if f"__{op}__" in have]
    if "__add__" in have:
        for op in COMPARE:
            ignored = "  # type: ignore[override]" if op in ("eq", "ne") else ""
            other = "object" if op in ("eq", "ne") else "_t.TensorLike"
            lines.append(f"    def __{op}__(self, other: {other}) -> Tensor: ...{ignored}\n")
    return lines


def assigned(cls):
    """Names that the methods of a class written in Python assign to self."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError, SyntaxError):
        return set()
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }


def function_text(name, value, module, owner=None, indent=0):
    signature = signatures.of(name, value, module, owner)
    space = " " * indent
    if owner and name in rules.OVERRIDDEN:
        signature = None
    text = signatures.text_of(signature) if signature else rules.UNTOLD.get(name, "(*args: Any, **kwargs: Any) -> Any")
    if owner and not signature and not text.startswith("(self"):
        text = text.replace("(", "(self, ", 1)
    return f"{space}def {name}{text}:" + body_text(value, indent + 4)


def body_text(value, indent):
    doc = surface.own_doc(value)
    return "\n" + doc_text(value, indent) if doc and doc.strip() else " ...\n"


def doc_text(value, indent):
    doc = surface.own_doc(value)
    if not doc or not doc.strip():
        return ""
    space = " " * indent
    lines = inspect.cleandoc(doc).replace("\\", "\\\\").replace('"""', "'''").split("\n")
    end = " " if lines[-1].endswith('"') else ""
    start = " " if lines[0].startswith('"') else ""
    if len(lines) == 1:
        return f'{space}"""{start}{lines[0]}{end}"""\n'
    return (
        f'{space}"""{start}'
        + "\n".join([lines[0], *(space + line if line else "" for line in lines[1:])])
        + f'\n{space}"""\n'
    )


def path_of(module, modules):
    """A module with others below it is a folder."""
    path = pathlib.PurePath(*module.split(".")[1:])
    return path / "__init__.pyi" if any(m.startswith(module + ".") for m in modules) else path.with_suffix(".pyi")


def stubs():
    """The text of each stub, by its path in the package."""
    writer = Writer()
    for module in surface.public_modules():
        writer.add_module(module)
    return {path_of(name, writer.stubs): stub.text() for name, stub in writer.stubs.items()}


def main():
    folder = pathlib.Path(sys.argv[1])
    for old in folder.rglob("*.pyi"):
        if not (old.is_symlink() and old.exists()):  # a link is to a stub that was written by hand
            old.unlink()
    for path, text in stubs().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


if __name__ == "__main__":
    main()
