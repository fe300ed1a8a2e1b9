"""Writes docs/api/*.md from the docstrings of the package: python scripts/api/pages.py [--check].

One page for each public module, and an index. --check: only says which pages are out of date."""

import inspect
import sys
import types

import signatures
import surface

PAGES = surface.ROOT / "docs" / "api"
MADE = "<!-- Made by scripts/api/pages.py from the docstrings; `make docs` writes it again. -->\n"


def call_text(name, value, module, owner=None):
    """f(x, axis=None), without types and without `name`, which is taken and not used."""
    signature = signatures.of(name, value, module, owner)
    if signature is None:
        return f"{name}(...)"
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    if owner and parameters and parameters[0].name in ("self", "cls"):
        parameters = parameters[1:]
    if not owner and parameters and parameters[-1].name == "name":
        parameters = parameters[:-1]
    return name + signatures.text_of(inspect.Signature(parameters))


def cell(text):
    """Text inside of a table."""
    return text.replace("|", "\\|").replace("\n", " ")


def row(what, doc):
    return f"| `{cell(what)}` | {cell(surface.sentence(doc))} |\n"


TABLE = "| | |\n|---|---|\n"


def class_text(name, cls, module):
    doc = inspect.cleandoc(surface.own_doc(cls) or "")
    text, _, arguments = doc.partition("\n\nArguments:\n")
    parts = [f"## {name}\n\n"]
    if not issubclass(cls, BaseException):
        parts.append(f"`{constructor(name, cls, module)}`\n\n")
    parts.append(with_code(text))
    if arguments:
        parts += ["\n", *(f"- {line.strip()}\n" for line in arguments.split("\n"))]
    rows = []
    for member, value in sorted(surface.members(cls).items()):
        doc = surface.member_doc(cls, member)
        shown = (
            member
            if isinstance(value, property)
            else call_text(member, getattr(value, "__func__", value), module, cls.__name__)
        )
        if doc and not inherited(cls, member):
            rows.append(row(shown, doc))
    if rows:
        parts += ["\n", TABLE, *rows]
    return "".join(parts)


def with_code(text):
    """Text in which examples are blocks of code."""
    lines, inside = [], False
    for line in text.split("\n"):
        if line.startswith(">>>") and not inside:
            lines.append("```python")
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append(line)
    return "\n".join(lines + ["```"] * inside) + "\n"


def inherited(cls, member):
    """Is it a base's method, written again without more to say?"""
    return not surface.own_doc(vars(cls)[member]) and any(hasattr(base, member) for base in cls.__bases__)


def constructor(name, cls, module):
    if "__signature__" in vars(cls):
        return f"{name}{signatures.text_of(inspect.signature(cls))}"
    for base in cls.__mro__:
        if "__init__" in vars(base) and base is not object:
            made = vars(base)["__init__"]
            text = call_text("__init__", made, module, name)
            return name + text[len("__init__") :]
    return f"{name}()"


def page(module, documented):
    """The page of a module, and how many names it has. documented: classes of earlier pages, with their names there."""
    name = surface.tensorflow_name(module)
    found = surface.names(module)
    if module.__name__.startswith("brio.compat.v1"):  # it has all of tf as well
        other = surface.module_of("brio" + module.__name__[len("brio.compat.v1") :])
        found = {n: v for n, v in found.items() if getattr(other, n, None) is not v}
    functions = {n: v for n, v in found.items() if surface.is_function(v) and not inspect.isclass(v)}
    classes = {n: v for n, v in found.items() if inspect.isclass(v) and surface.is_own(v)}
    modules = [n for n, v in found.items() if isinstance(v, types.ModuleType)]
    constants = [n for n in found if n not in functions and n not in classes and n not in modules]
    parts = [f"# {name}\n\n", MADE, "\n"]
    about = inspect.cleandoc(module.__doc__ or "")
    if about.rstrip(".") != name:
        parts.append(about + "\n\n")
    if functions:
        parts += [
            TABLE,
            *(row(call_text(n, v, module.__name__), surface.own_doc(v)) for n, v in functions.items()),
            "\n",
        ]
    if constants:
        parts += ["Values: ", ", ".join(f"`{n}`" for n in constants), ".\n\n"]
    for n, cls in classes.items():
        if cls in documented:
            page_name, there = documented[cls]
            parts.append(f"## {n}\n\nThe same as [{page_name}.{there}]({page_name}.md#{there.lower()}).\n\n")
        else:
            documented[cls] = name, n
            parts += [class_text(n, cls, module.__name__), "\n"]
    return "".join(parts).rstrip("\n") + "\n", len(functions) + len(classes) + len(constants)


def pages():
    """The text of each page, by path."""
    made, rows, total, documented = {}, [], 0, {}
    for module in surface.public_modules():
        if any(part.startswith("_") for part in module.__name__.split(".")):
            continue
        text, count = page(module, documented)
        if not count:
            continue
        name = surface.tensorflow_name(module)
        made[PAGES / f"{name}.md"] = text
        rows.append(f"| [{name}]({name}.md) | {count} | {cell(surface.sentence(module.__doc__))} |\n")
        total += count
    made[PAGES / "README.md"] = "".join(
        [
            "# The Python API\n\n",
            MADE,
            (
                f"\n{total} names in {len(rows)} modules. `import brio as tf`; `keras` is `tf.keras`.\n"
                "[compat.md](../compat.md) says where Brio differs from TensorFlow.\n\n"
            ),
            "| module | names | |\n|---|---|---|\n",
            *rows,
        ]
    )
    return made


def main():
    made = pages()
    stale = [p for p, text in made.items() if not p.exists() or p.read_text() != text]
    gone = [p for p in PAGES.glob("*.md") if p not in made]
    if "--check" in sys.argv:
        for path in stale + gone:
            print(f"{path.relative_to(surface.ROOT)} is out of date: run `make docs`")
        return 1 if stale or gone else 0
    PAGES.mkdir(exist_ok=True)
    for path in gone:
        path.unlink()
    for path in stale:
        path.write_text(made[path])
    print(f"{len(made)} pages, {len(stale)} changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
