"""Applies what the doctor proposes to the text of a program, as its reader would: by pasting.

    text, changed = applied(text, finding)

A remedy is a line, or a piece of one, and a comment that says where it belongs.
"..." in it stands for what is there already.
"""

import ast
import copy
import re

# Remedies that need something only the author of a program knows: what a generator yields i-th, how long a sample is.
NOT_A_LINE = re.compile(
    r"range\(n\)\.map\(f\)|without py_function|keep numbers, not tensors|make batches in|brio "
    r"pack|bucket_by_sequence_length|let shapes come back|give it as a tensor|and variables of tf\.float32|make .+ "
    r"cheaper|without a loop over elements"
)


class CannotApply(Exception):
    pass


def is_a_line(finding):
    return not NOT_A_LINE.search(finding["remedy"])


def name_of(call):
    """`fit` of model.fit(…), fit(…)"""
    f = call.func
    return f.attr if isinstance(f, ast.Attribute) else f.id if isinstance(f, ast.Name) else None


def calls(tree, name=None):
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and (name is None or name_of(n) == name)]
    return sorted(found, key=lambda n: (n.lineno, n.col_offset))


def is_dots(node):
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def set_keyword(call, keyword, value):
    for given in call.keywords:
        if given.arg == keyword:
            given.value = value
            return
    call.keywords.append(ast.keyword(keyword, value))


def update(call, wanted):
    """Arguments of `wanted` go in the place of the call's: dots and plain names stand for what is there."""
    for i, argument in enumerate(wanted.args):
        if not is_dots(argument) and not isinstance(argument, ast.Name):
            call.args[i : i + 1] = [argument]
    for keyword in wanted.keywords:
        set_keyword(call, keyword.arg, keyword.value)


class Swap(ast.NodeTransformer):
    def __init__(self, old, new):
        self.old, self.new, self.times = old, new, 0

    def visit(self, node):
        if node is self.old:
            self.times += 1
            return self.new
        return self.generic_visit(node)


def swap(tree, old, new):
    swapper = Swap(old, new)
    swapper.visit(tree)
    if swapper.times != 1:
        raise CannotApply(f"the place of {ast.unparse(old)} was not found")


def parse_call(text):
    """`.batch(32)`, `model.fit(..., x=1)` → the call; a leading dot hangs it on `_`."""
    return ast.parse("_" + text if text.startswith(".") else text, mode="eval").body


def within(tree, line):
    """The innermost function around a line of the program."""
    around = [f for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) and f.lineno <= line <= f.end_lineno]
    return max(around, key=lambda f: f.lineno, default=None)


def line_of(where):
    found = re.search(r":(\d+)", where)
    if not found:
        raise CannotApply(f"{where} names no line")
    return int(found[1])


# ---- one function for each kind of line


def chain_behind(tree, call, name):
    """from_generator(…) → from_generator(…).cache()"""
    found = calls(tree, name)
    if not found:
        raise CannotApply(f"the program calls no {name}()")
    swap(tree, found[0], ast.Call(ast.Attribute(found[0], call.func.attr), call.args, call.keywords))


def change_or_chain(tree, call):
    """.batch(32) where there is a .batch(…); .prefetch(…) behind the batches where there is none."""
    name = call.func.attr
    found = [c for c in calls(tree, name) if isinstance(c.func, ast.Attribute)]
    if found:
        return update(found[-1], call)
    return chain_behind(tree, call, "batch")


def move_before(tree, first, second):
    """a.map(f).filter(g) → a.filter(g).map(f), for ".filter(...) before .map(...)" """
    for late in calls(tree, first):
        early = late.func.value if isinstance(late.func, ast.Attribute) else None
        if isinstance(early, ast.Call) and name_of(early) == second:
            source = early.func.value
            moved = ast.Call(ast.Attribute(source, first), late.args, late.keywords)
            return swap(tree, late, ast.Call(ast.Attribute(moved, second), early.args, early.keywords))
    raise CannotApply(f"no .{second}(…).{first}(…) in the program")


def decorate(tree, part, decorator, where):
    """@tf.function above the function whose line is named, or in the place of the one that is there."""
    decorator = ast.parse(decorator, mode="eval").body
    function = within(tree, line_of(where))
    if isinstance(decorator, ast.Call) and function.decorator_list:
        function.decorator_list = [decorator]
    elif isinstance(decorator, ast.Call):  # step = tf.function(step)
        made = [c for c in calls(part, "function") if isinstance(c.func, ast.Attribute)]
        if not made:
            raise CannotApply("the program makes no tf.function")
        update(made[0], decorator)
    else:
        function.decorator_list.insert(0, decorator)


def around_statement(tree, test, where):
    """if step % 100 == 0: around the statement at a line, counted by the loop that it is in."""
    line = line_of(where)
    loops = [n for n in ast.walk(tree) if isinstance(n, ast.For) and n.lineno < line <= n.end_lineno]
    if not loops:
        raise CannotApply(f"no loop around line {line}")
    inside = [n for n in loops if within(tree, n.lineno) is within(tree, line)]
    loop = min(inside, key=lambda n: n.lineno)  # the outermost in its function counts the steps
    at = next(i for i, s in enumerate(loop.body) if s.lineno <= line <= s.end_lineno)
    for name in [n for n in ast.walk(test) if isinstance(n, ast.Name)]:
        name.id = loop.target.id
    loop.body[at] = ast.If(test, [loop.body[at]], [])


def around_method(tree, test, where):
    """if batch % 50 == 0: around what Slow.on_train_batch_end does."""
    owner, method = where.split(".")
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == owner:
            body = next(f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == method)
            body.body = [ast.If(test, body.body, [])]
            return
    for call in calls(tree, owner):  # LambdaCallback(on_train_batch_begin=f)
        for keyword in call.keywords:
            if keyword.arg == method:
                f = next(f for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) and f.name == keyword.value.id)
                f.body = [ast.If(test, f.body, [])]
                return
    raise CannotApply(f"{where} is not in the program")


def decorate_method(tree, decorator, name):
    """@functools.lru_cache(None) above Pictures.__getitem__"""
    owner, method = name.split(".")
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == owner:
            body = next(f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == method)
            body.decorator_list.insert(0, ast.parse(decorator, mode="eval").body)
            return
    raise CannotApply(f"{name} is not in the program")


def replace_layer(tree, call, layer, without_pooling):
    """Conv2D(32, 9, padding="same") → SeparableConv2D(32, 9, padding="same"), for the n-th of its kind."""
    kind = re.sub(r"^Separable", "", name_of(call))
    number = int(re.search(r"_(\d+)$", layer)[1]) if re.search(r"_\d+$", layer) else 0
    old = calls(tree, kind)[number]
    new = copy.deepcopy(old)
    new.func = call.func
    for keyword in call.keywords:
        set_keyword(new, keyword.arg, keyword.value)
    if without_pooling:
        for layers in [n for n in ast.walk(tree) if isinstance(n, ast.List) and old in n.elts]:
            at = layers.elts.index(old)
            if "Pooling" not in (name_of(layers.elts[at + 1]) or ""):
                raise CannotApply("no pooling behind the layer")
            del layers.elts[at + 1]
    swap(tree, old, new)


def before_the_model(part, statement):
    """In the place of a line that says otherwise, if there is one."""
    call = statement.value
    found = calls(part, name_of(call))
    if found:
        found[0].args = call.args
    else:
        part.body[:0] = [statement]


def wrap_all(part, header):
    block = ast.parse(header + "\n    pass").body[0]
    block.body = part.body
    part.body = [block]


def applied(text, finding, function):
    """The program with the remedy of a finding; what is no line of its own goes into this function of it."""
    tree = ast.parse(text)
    part = next(f for f in tree.body if isinstance(f, ast.FunctionDef) and f.name == function)
    code, _, comment = (p.strip() for p in finding["remedy"].partition("#"))
    where = finding["where"]
    order = re.match(r"\.(\w+)\(.*?\) before \.(\w+)\(", code)
    if order:
        move_before(part, *order.groups())
    elif code.startswith("@") and re.match(r"above \w+\.\w+", comment):
        decorate_method(tree, code[1:], re.match(r"above (\w+\.\w+)", comment)[1])
    elif code.startswith("@"):
        decorate(tree, part, code[1:], where)
    elif code.startswith("with "):
        wrap_all(part, code)
    elif code.startswith("if "):
        test = ast.parse(code + " pass").body[0].test
        if comment.startswith("around what"):
            around_method(part, test, where)
        else:
            around_statement(tree, test, where)
    elif comment.startswith("before the model is made"):
        before_the_model(part, ast.parse(code).body[0])
    elif comment.startswith("for ") and "Conv" in code:
        replace_layer(part, parse_call(code), where, "without the pooling" in comment)
    elif comment.startswith("right behind"):
        chain_behind(part, parse_call(code), re.match(r"right behind (\w+)", comment)[1])
    elif re.match(r"\w+=[^=]", code):  # save_freq=200  # batches, in place of what ModelCheckpoint has now
        keyword, value = code.split("=", 1)
        set_keyword(calls(part, re.search(r"what (\w+)", comment)[1])[0], keyword, ast.parse(value, mode="eval").body)
    elif code.startswith("."):
        change_or_chain(part, parse_call(code))
    else:
        call = parse_call(code)
        found = calls(part, name_of(call))
        if name_of(call) == "compile":  # here and where a helper hands it on
            found = [
                c for c in calls(part) if any(k.arg in {w.arg for w in call.keywords} for k in c.keywords)
            ] or found
        if not found:
            raise CannotApply(f"the program calls no {name_of(call)}()")
        update(found[0], call)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


# ---- the slow form of a case as a program


class Fold(ast.NodeTransformer):
    """Takes out what a case would do if it were mended."""

    def visit_Name(self, node):
        return ast.Constant(False) if node.id == "mended" else node

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        known = isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Constant)
        return ast.Constant(not node.operand.value) if known else node

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        decides = isinstance(node.op, ast.Or)
        rest = [v for v in node.values if not (isinstance(v, ast.Constant) and v.value is (not decides))]
        if any(isinstance(v, ast.Constant) and v.value is decides for v in rest):
            return ast.Constant(decides)
        return rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)

    def visit_IfExp(self, node):
        self.generic_visit(node)
        return (node.body if node.test.value else node.orelse) if isinstance(node.test, ast.Constant) else node

    def visit_If(self, node):
        self.generic_visit(node)
        return (node.body if node.test.value else node.orelse) if isinstance(node.test, ast.Constant) else node


def program_of(text, name):
    """slow_runs.py with the slow form of one case alone in it."""
    tree = ast.parse(text)
    for f in tree.body:
        if isinstance(f, ast.FunctionDef) and f.name == name:
            f.body = [Fold().visit(s) for s in f.body]
            f.body = [s for one in f.body for s in (one if isinstance(one, list) else [one])]
            f.args.args[0].arg = "_"
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
