"""Signatures of functions and methods as text with types: those of C++, of Python, and of classes made from tables."""

import ast
import inspect
import re

import rules

EMPTY = inspect.Parameter.empty


def of(name, value, module, owner=None):
    """inspect.Signature of a function or method, or one that is given, with annotations as text;
    None where nothing is known."""
    if isinstance(value, inspect.Signature):
        found = value
    elif hasattr(value, "__nb_signature__"):
        found = _of_nanobind(value.__nb_signature__[0])
    else:
        try:
            found = inspect.signature(value)
        except (ValueError, TypeError):
            found = _of_first_line(value)
            if found is None:
                return None
    parameters = [
        p.replace(
            annotation=_type(p, name, owner), default=p.default if p.default is EMPTY else _Text(_default(p.default))
        )
        for p in found.parameters.values()
    ]
    first = 1 if owner and parameters and parameters[0].name in ("self", "cls") else 0
    parameters[:first] = [p.replace(annotation=EMPTY) for p in parameters[:first]]
    return inspect.Signature(parameters, return_annotation=result(name, found.return_annotation, module, owner))


def result(name, declared, module, owner=None):
    """The type of what a function returns."""
    key = f"{owner}.{name}" if owner else f"{module}.{name}"
    if key in rules.RESULTS:
        return rules.RESULTS[key]
    if owner in rules.OF_CLASSES and not name.startswith("_"):
        return rules.OF_CLASSES[owner]
    if name in rules.OF_METHODS and owner:
        return rules.OF_METHODS[name]
    if declared is not EMPTY and declared not in ("object", "typing.Any"):
        return _named(declared)
    return "Tensor" if module in rules.OF_TENSORS and not owner else "Any"


class _Text:
    """A default as it is written."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def _default(value):
    if isinstance(value, _Text):
        return value.text
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return repr(value) if repr(value) not in ("inf", "-inf", "nan") else f'float("{value!r}")'
    if isinstance(value, tuple) and all(v is None or isinstance(v, (bool, int, float, str)) for v in value):
        return repr(value)
    return "..."


def _type(p, name, owner):
    if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or f"{owner if name == '__init__' else name}.{p.name}" in rules.OPEN:
        return "Any"
    declared = None if p.annotation is EMPTY else _named(p.annotation)
    optional = declared is not None and declared.endswith(" | None")
    declared = declared and declared.replace(" | None", "")
    if declared in (None, "object", "Any", "handle"):
        is_word = (
            isinstance(p.default, str) and rules.TYPES.get(p.name) == "_t.TensorLike"
        )  # weights="imagenet" names a file
        declared = "Any" if is_word else rules.TYPES.get(p.name) or _of_default(p.default)
        # A model takes datasets and dictionaries where a function takes tensors, and a layer policies where it takes
        # dtypes.
        declared = "Any" if owner and declared in ("_t.TensorLike", "_t.DTypeLike") else declared
        optional = p.default is None or repr(p.default) == "None" or (owner and p.name in rules.AXES)
    if declared == "Any":
        return "Any"
    return f"{declared} | None" if optional or p.default is None or repr(p.default) == "None" else declared


def _of_default(value):
    """Where the name says nothing: a switch takes truth, a word a word; a number may also be several."""
    text = value.text if isinstance(value, _Text) else repr(value)
    return "bool" if text in ("True", "False") else "Any"


def _named(annotation):
    """nanobind's and Python's names for a type as the stubs have them."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    text = re.sub(r"\b(brio\._core\.)(Tensor|Variable|DType|KerasTensor)\b", r"\2", text)
    text = re.sub(r"\btyping\.Optional\[(.*)\]$", r"\1 | None", text)  # before Python 3.10
    text = re.sub(r"\btyping\.Any\b|\bobject\b|\bhandle\b", "Any", text)
    return "Any" if text.startswith("Any |") or "brio." in text else text


def _of_nanobind(entry):
    text, _, *values = entry
    if len(values) == 1 and (values[0] is None or isinstance(values[0], tuple)):  # nanobind 3 has them in a tuple
        values = list(values[0] or ())
    for i in range(len(values)):
        mark = f"\\={i}" if f"\\={i}" in text else f"\\{i}"
        text = text.replace(mark, f'"default {i}"', 1)
    text = re.sub(r"^def \(", "def f(", text)
    return _of_source(text, lambda node: values[int(ast.literal_eval(node).split()[1])])


def _of_first_line(value):
    """A plain C method writes its signature in the first line of its docstring."""
    line = (value.__doc__ or "").partition("\n")[0]
    if not re.match(r"\w+\(.*\)$", line):
        return None
    return _of_source(re.sub(r"\((?=.)", "(self, ", f"def {line}", count=1), ast.literal_eval)


def _of_source(text, default_of):
    node = ast.parse(text + ": ...").body[0]
    a, parameters = node.args, []
    positional = [*a.posonlyargs, *a.args]
    defaults = [EMPTY] * (len(positional) - len(a.defaults)) + [default_of(d) for d in a.defaults]

    def add(arg, kind, default=EMPTY):
        annotation = EMPTY if arg.annotation is None else ast.unparse(arg.annotation)
        parameters.append(inspect.Parameter(arg.arg, kind, default=default, annotation=annotation))

    for arg, default in zip(positional, defaults):
        only = arg in a.posonlyargs
        add(arg, inspect.Parameter.POSITIONAL_ONLY if only else inspect.Parameter.POSITIONAL_OR_KEYWORD, default)
    if a.vararg:
        add(a.vararg, inspect.Parameter.VAR_POSITIONAL)
    for arg, default in zip(a.kwonlyargs, a.kw_defaults):
        add(arg, inspect.Parameter.KEYWORD_ONLY, EMPTY if default is None else default_of(default))
    if a.kwarg:
        add(a.kwarg, inspect.Parameter.VAR_KEYWORD)
    returned = EMPTY if node.returns is None else ast.unparse(node.returns)
    return inspect.Signature(parameters, return_annotation=returned)


def text_of(signature):
    """(x: T, axis: int = 0) -> R, annotations as they are written."""
    parts, seen_star, previous = [], False, None
    for p in signature.parameters.values():
        if previous == p.POSITIONAL_ONLY and p.kind != p.POSITIONAL_ONLY:
            parts.append("/")
        if p.kind == p.KEYWORD_ONLY and not seen_star:
            parts.append("*")
            seen_star = True
        seen_star |= p.kind == p.VAR_POSITIONAL
        text = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "") + p.name
        text += "" if p.annotation is EMPTY else f": {p.annotation}"
        if p.default is not EMPTY:
            text += f" = {p.default!r}" if p.annotation is not EMPTY else f"={p.default!r}"
        parts.append(text)
        previous = p.kind
    if previous == inspect.Parameter.POSITIONAL_ONLY:
        parts.append("/")
    returned = signature.return_annotation
    return f"({', '.join(parts)})" + ("" if returned is EMPTY else f" -> {returned}")
