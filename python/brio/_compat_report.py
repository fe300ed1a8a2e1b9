"""brio.compat_report("script.py"): what a TensorFlow script or notebook needs that Brio lacks, without running it."""

import ast
import difflib
import importlib
import inspect
import json
import os
import tokenize
import types

# Where TensorFlow's and Keras' modules are here.
_ROOTS = {"tensorflow": "brio", "keras": "brio.keras", "tf_keras": "brio.keras", "brio": "brio"}
# Packages on top of TensorFlow: programs that use them need more than Brio.
_COMPANIONS = {
    "tensorflow_addons", "tensorflow_datasets", "tensorflow_hub", "tensorflow_probability", "tensorflow_text",
    "tensorflow_model_optimization", "tensorflow_io", "tensorflow_transform", "tensorflow_graphics",
    "tensorflow_federated", "tensorflow_recommenders", "tensorflow_ranking", "tf_agents", "tf_slim", "keras_cv",
    "keras_nlp", "keras_hub", "keras_tuner", "kerastuner", "autokeras", "tensorboard",
}  # fmt: skip


class Report:
    """Names that a script uses: those that Brio has, those that it lacks with the lines that use them,
    and what only running tells."""

    def __init__(self, path, found, missing, unclear=()):
        self.path, self.found, self.missing, self.unclear = path, found, missing, list(unclear)

    def __bool__(self):
        """True where nothing is missing, as far as reading tells."""
        return not self.missing

    def __str__(self):
        total = len(self.found) + len(self.missing)
        lines = [f"{self.path}: {len(self.found)} of {total} names of TensorFlow and Keras are here"]
        width = max((len(name) for name in self.missing), default=0)
        for name, (places, hint) in sorted(self.missing.items()):
            lines.append(f"  missing  {name:{width}}  {_where(places)}{f'; did you mean {hint}?' if hint else ''}")
        lines += [f"  unclear  {what}  {_where([line])}" for what, line in self.unclear]
        return "\n".join(lines)

    __repr__ = __str__


def _where(places):
    return "line " + ", ".join(map(str, places[:5])) + (", …" if len(places) > 5 else "")


class _Names(ast.NodeVisitor):
    """Names of TensorFlow in a script. A name that is bound to one (`layers = tf.keras.layers`) stands for it."""

    def __init__(self):
        self.aliases, self.used, self.calls, self.companions, self.unclear = {}, {}, [], {}, []

    def visit_Import(self, node):
        for alias in node.names:
            root = alias.name.split(".")[0]
            if root in _ROOTS:
                self.aliases[alias.asname or root] = alias.name if alias.asname else root
                if "." in alias.name:
                    self._use(alias.name, node.lineno)
            self._note_companion(root, node.lineno)

    def visit_ImportFrom(self, node):
        if not node.module or node.level:
            return
        root = node.module.split(".")[0]
        self._note_companion(root, node.lineno)
        if root not in _ROOTS:
            return
        for alias in node.names:
            if alias.name == "*":
                self._use(node.module, node.lineno)
                self.unclear.append((f"from {node.module} import *: which of its names are used", node.lineno))
                continue
            full = f"{node.module}.{alias.name}"
            self.aliases[alias.asname or alias.name] = full
            self._use(full, node.lineno)

    def visit_Assign(self, node):
        self.generic_visit(node)
        name = self._name_of(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                if name:
                    self.aliases[target.id] = name
                else:
                    self.aliases.pop(target.id, None)  # it stands for something else from here on

    def visit_Attribute(self, node):
        name = self._name_of(node)
        if name:
            self._use(name, node.lineno)
        else:
            self.generic_visit(node)

    def visit_Call(self, node):
        name = self._name_of(node.func)
        if name:
            self.calls.append((name, [k.arg for k in node.keywords if k.arg], node.lineno))
        self.generic_visit(node)

    def _name_of(self, node):
        """tensorflow.keras.layers of an expression that names it, or None."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name) and node.id in self.aliases:
            return ".".join([self.aliases[node.id], *reversed(parts)])
        return None

    def _note_companion(self, root, line):
        if root in _COMPANIONS:
            self.companions.setdefault(root, []).append(line)

    def _use(self, name, line):
        self.used.setdefault(name, []).append(line)


def _look_up(name):
    """(the name as far as it is one of ours, whether all of it is here, the nearest name, what it stands for)"""
    parts = name.split(".")
    root, rest = _ROOTS[parts[0]], parts[1:]
    if rest[:1] == ["python"]:
        rest = rest[1:]  # tensorflow.python.keras, as old scripts have it
    found, shown = importlib.import_module(root), "tf" if root == "brio" else "keras"
    for part in rest:
        inner = _member(found, part)
        if inner is None and not isinstance(found, (types.ModuleType, type)):
            return shown, True, None, None  # an attribute of a value: only running tells
        if inner is None:
            near = difflib.get_close_matches(part, [n for n in dir(found) if not n.startswith("_")], n=1)
            return f"{shown}.{part}", False, f"{shown}.{near[0]}" if near else None, None
        found = inner[0]
        shown += f".{part}"
    return shown, True, None, found


def _member(owner, name):
    """(what it is,), or None where there is no such thing."""
    try:
        return (getattr(owner, name),)
    except AttributeError:
        pass
    except Exception:  # noqa: BLE001  it is there, and says so in its own way
        return (None,)
    if isinstance(owner, types.ModuleType) and hasattr(owner, "__path__"):
        try:
            return (importlib.import_module(f"{owner.__name__}.{name}"),)
        except ImportError:
            pass
    return None


def _unknown_keywords(value, keywords):
    """Keywords that it does not take."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):  # it does not say
        return []
    if any(p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in parameters):
        return []
    known = {p.name for p in parameters if p.kind != p.POSITIONAL_ONLY} | set(getattr(value, "_also_taken", ()))
    return [k for k in keywords if k not in known]


def _source(path):
    """The text of a script, or of the cells of a notebook; lines are counted through all cells."""
    if not str(path).endswith(".ipynb"):
        with tokenize.open(path) as file:
            return file.read()
    with open(os.fspath(path), encoding="utf-8") as file:
        try:
            cells = json.load(file)["cells"]
            text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} is no notebook: {error}") from None
    return "\n".join(_without_command(line) for line in text.split("\n"))


def _without_command(line):
    """Commands of the notebook's own (%time, !pip) are no Python."""
    command = line.lstrip().startswith(("%", "!"))
    return line[: len(line) - len(line.lstrip())] + "pass" if command else line


def compat_report(path):
    """What the script or notebook at `path` needs that Brio lacks: names, keyword arguments, packages.
    It is read, not run."""
    path = os.fspath(path)  # a number would be somebody's open file
    names = _Names()
    try:
        names.visit(ast.parse(_source(path), path))
    except SyntaxError as error:
        raise ValueError(f"{path}, line {error.lineno}: this is not Python 3: {error.msg}") from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path} cannot be read as Python: {error}") from None
    found, missing = set(), {}

    def lacks(what, lines, hint=None):
        missing.setdefault(what, ([], hint))[0].extend(lines)

    for name, lines in names.used.items():
        shown, here, hint, _ = _look_up(name)
        if here:
            found.add(shown)
        else:
            lacks(shown, lines, hint)
    for name, keywords, line in names.calls:
        shown, here, _, value = _look_up(name)
        for keyword in _unknown_keywords(value, keywords) if here and value is not None else []:
            lacks(f"{shown}({keyword}=)", [line])
    for package, lines in names.companions.items():
        lacks(f"package {package}", lines)
    return Report(path, found, missing, names.unclear)
