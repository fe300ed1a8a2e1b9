"""brio.compat_report("script.py"): what a TensorFlow script needs that Brio lacks, without running it."""

import ast
import difflib
import importlib
import os

# Where TensorFlow's and Keras' modules are here.
_ROOTS = {"tensorflow": "brio", "keras": "brio.keras", "tf_keras": "brio.keras", "brio": "brio"}


class Report:
    """Names that a script uses: those that Brio has, and those that it lacks with the lines that use them."""

    def __init__(self, path, found, missing):
        self.path, self.found, self.missing = path, found, missing

    def __bool__(self):
        """True where nothing is missing."""
        return not self.missing

    def __str__(self):
        total = len(self.found) + len(self.missing)
        lines = [f"{self.path}: {len(self.found)} of {total} names of TensorFlow and Keras are here"]
        width = max((len(name) for name in self.missing), default=0)
        for name, (places, hint) in sorted(self.missing.items()):
            where = "line " + ", ".join(map(str, places[:5])) + (", …" if len(places) > 5 else "")
            lines.append(f"  missing  {name:{width}}  {where}{f'; did you mean {hint}?' if hint else ''}")
        return "\n".join(lines)

    __repr__ = __str__


class _Names(ast.NodeVisitor):
    def __init__(self):
        self.aliases, self.used = {}, {}

    def visit_Import(self, node):
        for alias in node.names:
            root = alias.name.split(".")[0]
            if root in _ROOTS:
                self.aliases[alias.asname or root] = alias.name if alias.asname else root

    def visit_ImportFrom(self, node):
        if node.module and node.level == 0 and node.module.split(".")[0] in _ROOTS:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                self.aliases[alias.asname or alias.name] = full
                self._use(full, node.lineno)

    def visit_Attribute(self, node):
        parts, inner = [node.attr], node.value
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id in self.aliases:
            self._use(".".join([self.aliases[inner.id], *reversed(parts)]), node.lineno)
        else:
            self.generic_visit(node)

    def _use(self, name, line):
        self.used.setdefault(name, []).append(line)


def _look_up(name):
    """(the name as far as it is one of ours, whether all of it is here, the nearest name)"""
    parts = name.split(".")
    root, rest = _ROOTS[parts[0]], parts[1:]
    if rest[:1] == ["python"]:
        rest = rest[1:]  # tensorflow.python.keras, as old scripts have it
    found, shown = importlib.import_module(root), "tf" if root == "brio" else "keras"
    for part in rest:
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module(f"{found.__name__}.{part}")
            except (ImportError, AttributeError):
                if not (hasattr(found, "__path__") or type(found).__name__ == "module"):
                    return shown, True, None  # an attribute of a class or value: only running tells
                near = difflib.get_close_matches(part, [n for n in dir(found) if not n.startswith("_")], n=1)
                return f"{shown}.{part}", False, f"{shown}.{near[0]}" if near else None
        shown += f".{part}"
    return shown, True, None


def compat_report(path):
    """What the script at `path` needs that Brio lacks; the script is read, not run."""
    with open(os.fspath(path), encoding="utf-8") as file:  # a number would be somebody's open file
        names = _Names()
        names.visit(ast.parse(file.read(), str(path)))
    found, missing = set(), {}
    for name, lines in names.used.items():
        shown, here, hint = _look_up(name)
        if here:
            found.add(shown)
        else:
            places, _ = missing.setdefault(shown, ([], hint))
            places.extend(lines)
    return Report(path, found, missing)
