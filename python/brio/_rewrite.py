"""The source half of AutoGraph (_autograph.py): rewrites the statements of a function into calls of that module."""

import ast
import itertools

AG = "ag__"  # the name under which rewritten source finds _autograph
RETURNED = "returned_"  # names of what a return inside a loop gives begin so


class _Names(ast.NodeVisitor):
    """Names that a list of statements sets in the scope around it."""

    def __init__(self):
        self.set, self.outer = [], set()

    def add(self, name):
        if name not in self.set:
            self.set.append(name)

    def visit_Name(self, node):
        if isinstance(node.ctx, (ast.Store, ast.Del)):
            self.add(node.id)

    def visit_FunctionDef(self, node):
        self.add(node.name)
        for decorator in node.decorator_list:
            self.visit(decorator)

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def visit_Lambda(self, node):
        pass

    def visit_ListComp(self, node):
        for generator in node.generators:  # only what := sets leaves a comprehension
            self.visit(generator.iter)

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def visit_Import(self, node):
        for alias in node.names:
            self.add((alias.asname or alias.name).split(".")[0])

    visit_ImportFrom = visit_Import

    def visit_ExceptHandler(self, node):
        if node.name:
            self.add(node.name)
        self.generic_visit(node)

    def visit_Global(self, node):
        self.outer.update(node.names)

    visit_Nonlocal = visit_Global


def _set_by(*blocks):
    names = _Names()
    for block in blocks:
        for statement in block:
            names.visit(statement)
    return [n for n in names.set if n not in names.outer]


def _contains(block, kinds, into_loops=True):
    """Is there such a statement, outside of functions of their own?"""
    for statement in block:
        if isinstance(statement, kinds):
            return True
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if not into_loops and isinstance(statement, (ast.For, ast.While)):
            if _contains(statement.orelse, kinds, into_loops):
                return True
            continue
        for field in ("body", "orelse", "finalbody", "handlers"):
            inner = getattr(statement, field, None)
            if isinstance(inner, list) and _contains(inner, kinds, into_loops):
                return True
    return False


def _ends(block):
    """Does every path through the block end in a return or raise?"""
    if not block:
        return False
    last = block[-1]
    if isinstance(last, (ast.Return, ast.Raise)):
        return True
    return isinstance(last, ast.If) and _ends(last.body) and _ends(last.orelse)


class Rewriter(ast.NodeTransformer):
    def __init__(self):
        self._numbers = itertools.count(1)

    def _new(self, base):
        return f"{base}_{next(self._numbers)}__"

    # -- returns and breaks become values, before anything else

    def function(self, node):
        node.decorator_list = []
        node.returns = None
        node.body = self._block(self._returns_at_the_end(self._returns_out_of_loops(node.body)))
        return node

    def _returns_out_of_loops(self, block):
        """`return` inside a loop sets a flag and breaks; behind the loop the flag returns."""
        out = []
        for statement in block:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                out.append(statement)
                continue
            for field in ("body", "orelse", "finalbody"):
                if isinstance(getattr(statement, field, None), list):
                    setattr(statement, field, self._returns_out_of_loops(getattr(statement, field)))
            if (
                isinstance(statement, (ast.For, ast.While))
                and not statement.orelse
                and _contains(statement.body, ast.Return)
            ):
                flag, value = self._new("did_return"), self._new(RETURNED.strip("_"))
                statement.body = _ReturnToBreak(flag, value).block(statement.body)
                out += [*_parse(f"{flag} = False", statement), statement]
                out += _parse(f"if {flag}:\n  return {value}", statement)
            else:
                out.append(statement)
        return out

    def _returns_at_the_end(self, block):
        """What follows an `if` that may return goes into its branches."""
        for i, statement in enumerate(block):
            if isinstance(statement, ast.If) and _contains([statement], ast.Return):
                rest = block[i + 1 :]
                statement.body = self._returns_at_the_end(
                    statement.body if _ends(statement.body) else statement.body + _copies(rest)
                )
                statement.orelse = self._returns_at_the_end(
                    statement.orelse if _ends(statement.orelse) else statement.orelse + rest
                )
                return block[: i + 1]
        return block

    # -- statements

    def _block(self, block):
        out = []
        for statement in block:
            made = self.visit(statement)
            out += made if isinstance(made, list) else [made] if made is not None else []
        return out

    def visit_FunctionDef(self, node):
        inner = Rewriter()
        inner._numbers = self._numbers
        decorators = node.decorator_list
        node = inner.function(node)
        node.decorator_list = [self.visit(d) for d in decorators]
        return node

    def visit_AsyncFunctionDef(self, node):
        return node

    visit_ClassDef = visit_AsyncFunctionDef

    def visit_Lambda(self, node):
        node.body = self.visit(node.body)
        return node

    def _part(self, name, arguments, block, results, at):
        """A function of the state that runs a block and gives the state back."""
        made = _parse(f"def {name}({', '.join(arguments)}):\n  pass", at)[0]
        made.body = block + _parse(f"return ({''.join(r + ', ' for r in results)})", at)
        return made

    def visit_If(self, node):
        if _contains([node], (ast.Break, ast.Continue), into_loops=False):
            return self._plain_if(node)
        test = self.visit(node.test)
        state = _set_by(node.body, node.orelse)
        returns = _contains([node], ast.Return)
        body, orelse = self._block(node.body), self._block(node.orelse)
        on_true, on_false = self._new("if_body"), self._new("else_body")
        if returns:  # the last statement: the branches give what the function returns
            parts = []
            for name, block in ((on_true, body), (on_false, orelse)):
                made = _parse(f"def {name}({', '.join(state)}):\n  pass", node)[0]
                made.body = block + ([] if _ends(block) else _parse("return None", node))
                parts.append(made)
            call = _parse(f"return {AG}.if_return(None, {on_true}, {on_false}, {_state(state)})", node)[0]
            call.value.args[0] = test
            return [*parts, call]
        parts = [self._part(on_true, state, body, state, node), self._part(on_false, state, orelse or [], state, node)]
        target = f"({', '.join(state)},) = " if state else ""
        call = _parse(f"{target}{AG}.if_stmt(None, {on_true}, {on_false}, {_state(state)}, {tuple(state)!r})", node)[0]
        call.value.args[0] = test
        return [*parts, call]

    def _plain_if(self, node):  # inside a loop that stays as it is
        node.test = self.visit(node.test)
        node.body, node.orelse = self._block(node.body), self._block(node.orelse)
        return node

    def visit_While(self, node):
        if node.orelse:
            return self._plain_loop(node)
        setup, body, flags = self._without_breaks(node)
        state = _set_by(body)
        test = self.visit(node.test)
        test_name, body_name = self._new("loop_test"), self._new("loop_body")
        check = _parse(f"def {test_name}({', '.join(state)}):\n  return None", node)[0]
        check.body[0].value = _and_not(flags, test, node)
        part = self._part(body_name, state, self._block(body), state, node)
        target = f"({', '.join(state)},) = " if state else ""
        call = _parse(f"{target}{AG}.while_stmt({test_name}, {body_name}, {_state(state)}, {tuple(state)!r})", node)
        return [*self._block(setup), check, part, *call]

    def visit_For(self, node):
        if node.orelse:
            return self._plain_loop(node)
        setup, body, flags = self._without_breaks(node)
        state = _set_by([ast.Assign([node.target], ast.Constant(None))], body)
        body_name, item, more = self._new("loop_body"), self._new("item"), self._new("loop_more")
        assign = ast.copy_location(ast.Assign([node.target], ast.copy_location(ast.Name(item, ast.Load()), node)), node)
        part = self._part(body_name, [item, *state], [assign, *self._block(body)], state, node)
        check = _parse(f"def {more}({', '.join(state)}):\n  return True", node)[0]
        check.body[0].value = _and_not(flags, ast.Constant(True), node)
        target = f"({', '.join(state)},) = " if state else ""
        call = _parse(
            f"{target}{AG}.for_stmt(None, {more if flags else None}, {body_name}, {_state(state)}, {tuple(state)!r})",
            node,
        )[0]
        call.value.args[0] = self.visit(node.iter)
        return [*self._block(setup), *([check] if flags else []), part, call]

    def _plain_loop(self, node):
        if isinstance(node, ast.While):
            node.test = self.visit(node.test)
        else:
            node.iter = self.visit(node.iter)
        node.body, node.orelse = self._block(node.body), self._block(node.orelse)
        return node

    def _without_breaks(self, node):
        """break and continue set flags, and what follows them is done only where none is set."""
        setup, flags, body = [], [], node.body
        if _contains(body, ast.Continue, into_loops=False):
            flag = self._new("did_continue")
            body = _parse(f"{flag} = False", node) + _FlagJump(ast.Continue, flag).block(body)
            setup += _parse(f"{flag} = False", node)
        if _contains(body, ast.Break, into_loops=False):
            flag = self._new("did_break")
            body = _FlagJump(ast.Break, flag).block(body)
            setup += _parse(f"{flag} = False", node)
            flags.append(flag)
        return setup, body, flags

    def visit_Return(self, node):
        node.value = _call(
            "returned",
            [self.visit(node.value) if node.value is not None else ast.copy_location(ast.Constant(None), node)],
            node,
        )
        return node

    def visit_Assert(self, node):
        message = self.visit(node.msg) if node.msg else ast.Constant(None)
        call = _parse(f"{AG}.assert_stmt(None, None)", node)[0]
        call.value.args = [self.visit(node.test), ast.copy_location(ast.Lambda(_no_arguments(), message), node)]
        return call

    # -- expressions

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        return _call(name, [ast.copy_location(ast.Lambda(_no_arguments(), v), node) for v in node.values], node)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return _call("not_", [node.operand], node) if isinstance(node.op, ast.Not) else node

    def visit_IfExp(self, node):
        self.generic_visit(node)
        branches = [ast.copy_location(ast.Lambda(_no_arguments(), b), node) for b in (node.body, node.orelse)]
        return _call("if_exp", [node.test, *branches], node)

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) == 1 or not all(
            isinstance(x, (ast.Name, ast.Constant, ast.Attribute)) for x in node.comparators[:-1]
        ):
            return node
        sides = [node.left, *node.comparators]
        pairs = [ast.copy_location(ast.Compare(a, [op], [b]), node) for a, op, b in zip(sides, node.ops, sides[1:])]
        return _call("and_", [ast.copy_location(ast.Lambda(_no_arguments(), p), node) for p in pairs], node)

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in (
            "super",
            "locals",
            "globals",
            "vars",
            "dir",
            "eval",
            "exec",
        ):
            return node
        node.func = _call("callee", [node.func], node)
        return node


class _FlagJump(ast.NodeTransformer):
    """Replaces break or continue of this loop by setting a flag."""

    def __init__(self, kind, flag):
        self.kind, self.flag = kind, flag

    def block(self, block):
        for i, statement in enumerate(block):
            if isinstance(statement, self.kind):
                return block[:i] + _parse(f"{self.flag} = True", statement)
            if isinstance(statement, (ast.For, ast.While, ast.FunctionDef, ast.ClassDef)) or not _contains(
                [statement], self.kind, into_loops=False
            ):
                continue
            for field in ("body", "orelse", "finalbody"):
                if isinstance(getattr(statement, field, None), list):
                    setattr(
                        statement,
                        field,
                        self.block(getattr(statement, field))
                        or [ast.copy_location(ast.Pass(), statement)][: field == "body"],
                    )
            rest = self.block(block[i + 1 :])
            if not rest:
                return block[: i + 1]
            guard = _parse(f"if not {self.flag}:\n  pass", statement)[0]
            guard.body = rest
            return [*block[: i + 1], guard]
        return block


class _ReturnToBreak:
    def __init__(self, flag, value):
        self.flag, self.value = flag, value

    def block(self, block):
        out = []
        for statement in block:
            if isinstance(statement, ast.Return):
                assign = _parse(f"{self.value} = None", statement)[0]
                if statement.value is not None:
                    assign.value = statement.value
                return [*out, assign, *_parse(f"{self.flag} = True\nbreak", statement)]
            if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.While)):
                for field in ("body", "orelse", "finalbody"):
                    if isinstance(getattr(statement, field, None), list):
                        setattr(statement, field, self.block(getattr(statement, field)))
            out.append(statement)
        return out


def _parse(source, at):
    """Statements from source, at the place of another."""
    made = ast.parse(source).body
    for statement in made:
        for node in ast.walk(statement):
            ast.copy_location(node, at)
            if hasattr(node, "lineno"):
                node.end_lineno = node.lineno
    return made


def _copies(block):
    import copy

    return copy.deepcopy(block)


def _no_arguments():
    return ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def _call(name, arguments, at):
    function = ast.Attribute(ast.Name(AG, ast.Load()), name, ast.Load())
    return ast.fix_missing_locations(ast.copy_location(ast.Call(function, arguments, []), at))


def _state(names):
    return "(" + "".join(f"{AG}.get(lambda: {name}, {name!r}), " for name in names) + ")"


def _and_not(flags, test, at):
    if not flags:
        return test
    parts = [_call("not_", [ast.copy_location(ast.Name(flag, ast.Load()), at)], at) for flag in flags] + [test]
    return _call("and_", [ast.copy_location(ast.Lambda(_no_arguments(), p), at) for p in parts], at)
