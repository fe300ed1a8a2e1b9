"""The source of a program: a script, or a notebook as one, and how its loops are made short."""

import ast
import json
import pathlib
import re
import textwrap

# What counts repetitions of training. Sizes of data ("time_steps") are left alone.
_REPETITIONS = re.compile(r"(^|_)(epochs?|episodes?|iterations?)$", re.IGNORECASE)
_FEW = 2
SHELL = "run_in_a_shell__"  # what runs the lines that are for a shell


def read(path):
    """The text of a .py file, or of the code cells of an .ipynb file without the shell's and IPython's lines."""
    path = pathlib.Path(path)
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return "\n".join(_python_of(textwrap.dedent("".join(cell["source"]))) for cell in cells) + "\n"


def _python_of(cell):
    lines, continued = [], False
    for line in cell.splitlines():
        foreign = continued or re.match(r"\s*[!%]", line)
        for_shell = foreign and not continued and line.lstrip().startswith("!")
        continued = bool(foreign) and line.rstrip().endswith("\\")
        indent = line[: len(line) - len(line.lstrip())]
        if for_shell and not continued:
            lines.append(f"{indent}{SHELL}({line.strip()!r})")
        else:
            lines.append(f"{indent}pass  # {line.strip()}" if foreign else line)
    text = "\n".join(lines)
    try:
        ast.parse(text)
    except SyntaxError:  # a cell of another language, or a piece to read
        return "\n".join(f"# {line}" for line in lines)
    return text


def statements(text):
    """The top-level statements, with few repetitions of what trains."""
    return _Shorter().visit(ast.parse(text)).body


class _Shorter(ast.NodeTransformer):
    def visit_Expr(self, node):
        """Scripts made of notebooks have what is for a shell in texts that begin with the word."""
        self.generic_visit(node)
        text = getattr(node.value, "value", None)
        if isinstance(text, str) and re.match(r"(shell|bash)\s*\n", text):
            return ast.copy_location(
                ast.fix_missing_locations(ast.parse(f"{SHELL}({text.split(chr(10), 1)[1]!r})").body[0]), node
            )
        return node

    def visit_Assign(self, node):
        self.generic_visit(node)
        if any(isinstance(t, ast.Name) and _REPETITIONS.search(t.id) for t in node.targets):
            node.value = _few(node.value)
        return node

    def visit_For(self, node):
        self.generic_visit(node)
        named = isinstance(node.target, ast.Name) and _REPETITIONS.search(node.target.id)
        called = isinstance(node.iter, ast.Call) and getattr(node.iter.func, "id", "") == "range"
        if named and called and len(node.iter.args) == 1:
            node.iter.args = [_few(node.iter.args[0])]
        return node

    def visit_keyword(self, node):
        self.generic_visit(node)
        if node.arg and _REPETITIONS.search(node.arg):
            node.value = _few(node.value)
        return node


def _few(node):
    """A constant that is at most _FEW; what is no constant stays."""
    if isinstance(node, ast.Constant) and type(node.value) is int and node.value > _FEW:
        return ast.copy_location(ast.Constant(_FEW), node)
    return node
