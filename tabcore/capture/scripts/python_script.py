"""A Python script, followed without running it: what it shows and writes.

Statements are followed in order, both branches of an if, loops over known items item by item, loops over a listing
as a `Loop` that the observation unrolls.
"""

from __future__ import annotations

import ast
import posixpath
from typing import TYPE_CHECKING

from tabcore.capture.patterns import UNKNOWN, is_literal, resolve
from tabcore.capture.scripts.python_calls import called, method_or_attribute
from tabcore.capture.scripts.python_values import (
    NOTHING,
    Data,
    Defined,
    Known,
    Listing,
    Many,
    Opaque,
    Value,
    flat,
    items_of,
    joined,
    merged,
    text_of,
)
from tabcore.capture.shows import Content, Loop, Names, Stream, Text, contents, literal_text, printed_names

if TYPE_CHECKING:
    from tabcore.capture.shell_state import Shell

MAX_CODE = 300_000
MAX_STEPS = 12_000
"""Expressions that are followed in one script, loops counted through."""
MAX_ITEMS = 60


def python_shows(
    code: str, shell: Shell, stdin: Stream | None, arguments: list[str], cell: bool = False
) -> Stream | None:
    """What a script shows; None when it is no Python. `cell`: a notebook's, which shows its last value."""
    if len(code) > MAX_CODE:
        return None
    try:
        tree = ast.parse(_without_magics(code) if cell else code)
        script = Script(shell.child(), stdin, arguments)
        script.block(tree.body)
        if cell and tree.body and isinstance(last := tree.body[-1], ast.Expr) and not _prints(last):
            script.printed([script.value(last.value)])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tuple(script.shows)


def _without_magics(code: str) -> str:
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in code.split("\n"))


def _prints(node: ast.Expr) -> bool:
    return isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name) and node.value.func.id == "print"


class Script:
    """A script being followed: its names, and what it has shown so far."""

    def __init__(self, shell: Shell, stdin: Stream | None, arguments: list[str], left: list[int] | None = None) -> None:
        self.shell = shell
        self.names: dict[str, Value] = {
            "sys.argv": Many(tuple(Known(word) for word in arguments)),
            "__file__": Known(UNKNOWN),
        }
        self.imported: dict[str, str] = {}
        self.shows: list[Content | Names | Text | Loop | object] = []  # type: ignore[assignment]
        self.stdin = _piped(stdin, shell)
        self.left = left if left is not None else [MAX_STEPS]
        self.depth = 0
        self.returned: list[Value] = []

    def fork(self) -> Script:
        """A copy that shows apart."""
        other = Script(self.shell, None, [], self.left)
        other.names, other.imported, other.stdin, other.depth = (
            dict(self.names),
            self.imported,
            self.stdin,
            self.depth + 1,
        )
        return other

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if self.left[0] <= 0 or self.depth > 12:
                return
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value):
                self.value(value)
            case ast.Assign(targets, value):
                made = self.value(value)
                for target in targets:
                    self.bind(target, made)
            case ast.AnnAssign(target, _, value) if value is not None:
                self.bind(target, self.value(value))
            case ast.AugAssign():
                self.augmented(node)
            case ast.For(target, iterable, body, orelse) | ast.AsyncFor(target, iterable, body, orelse):
                self.loop(target, self.value(iterable), body)
                self.block(orelse)
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
                self.names[name] = Defined(node)
            case ast.Return(value):
                self.returned.append(self.value(value) if value else NOTHING)
            case ast.Import() | ast.ImportFrom():
                self.imports(node)
            case _:
                self.compound(node)

    def compound(self, node: ast.stmt) -> None:
        match node:
            case ast.If(test, body, orelse) | ast.While(test, body, orelse):
                self.value(test)
                self.block(body)
                self.block(orelse)
            case ast.With(items, body) | ast.AsyncWith(items, body):
                for item in items:
                    made = self.value(item.context_expr)
                    if item.optional_vars is not None:
                        self.bind(item.optional_vars, made)
                self.block(body)
            case ast.Try(body, handlers, orelse, final):
                self.block(body)
                self.block(orelse)
                for handler in handlers:
                    self.block(handler.body)
                self.block(final)
            case ast.ClassDef(name):
                self.names[name] = NOTHING
            case _:
                pass

    def imports(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            origin = f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) and node.module else alias.name
            self.imported[alias.asname or alias.name.partition(".")[0]] = (
                origin if alias.asname or isinstance(node, ast.ImportFrom) else alias.name.partition(".")[0]
            )

    def bind(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(name):
                self.names[name] = value
            case ast.Tuple(parts) | ast.List(parts):
                self.unpack(parts, value)
            case ast.Starred(inner):
                self.bind(inner, value)
            case ast.Subscript(holder, key):
                self.absorb(holder, [self.value(key), value])
            case ast.Attribute():
                self.names[ast.unparse(target)] = value
            case _:
                pass

    def unpack(self, parts: list[ast.expr], value: Value) -> None:
        if isinstance(value, Many) and len(value.items) == len(parts):
            for part, item in zip(parts, value.items, strict=True):
                self.bind(part, item)
        elif isinstance(value, Listing) and value.walk and len(parts) == 3:
            self.bind(parts[0], Known(value.walk, is_path=True))
            self.bind(parts[1], NOTHING)
            self.bind(parts[2], Listing(value.base, value.printed))
        else:
            for part in parts:
                self.bind(part, value)

    def absorb(self, holder: ast.expr, values: list[Value]) -> None:
        """A container takes in values: `d[key] = value`, `rows.append(row)`."""
        name = ast.unparse(holder)
        before = self.names.get(name, NOTHING)
        taken = [value for value in values if isinstance(value, Data | Listing | Known | Many)]
        if any(isinstance(value, Data | Listing) for value in taken):
            self.names[name] = merged([before, *taken])
        elif isinstance(before, Many) and len(before.items) < MAX_ITEMS and taken:
            self.names[name] = Many((*before.items, *taken))

    def augmented(self, node: ast.AugAssign) -> None:
        added = self.value(node.value)
        if isinstance(node.target, ast.Subscript):
            self.absorb(node.target.value, [self.value(node.target.slice), added])
            return
        name = ast.unparse(node.target)
        before = self.names.get(name, NOTHING)
        if isinstance(added, Data) and (added.kind != "content" or (isinstance(before, Opaque) and before.number)):
            self.names[name] = Data(added.paths, "count")
        elif isinstance(before, Many) and isinstance(added, Many):
            self.names[name] = Many((*before.items, *added.items)[:MAX_ITEMS])
        elif isinstance(before, Known) and isinstance(added, Known):
            self.names[name] = Known(before.text + added.text)
        elif isinstance(added, Data | Listing):
            self.names[name] = merged([before, added])

    def loop(self, target: ast.expr, over: Value, body: list[ast.stmt]) -> None:
        if isinstance(over, Listing):
            self.over_listing(target, over, body)
            return
        for item in items_of(over)[:MAX_ITEMS]:
            self.bind(target, item)
            self.block(body)

    def over_listing(self, target: ast.expr, over: Listing, body: list[ast.stmt]) -> None:
        """For each name that the observation will tell; afterwards the names hold what one round leaves in them."""
        if over.walk:
            self.bind(target, over)
            self.block(body)
            return
        variable = target.elts[-1] if isinstance(target, ast.Tuple) and target.elts else target

        def once(value: str) -> Stream:
            script = self.fork()
            script.bind(target, NOTHING)
            script.bind(variable, Known(value, is_path=True))
            script.block(body)
            return tuple(script.shows)  # type: ignore[arg-type]

        if all(map(is_literal, over.printed)):
            for value in over.printed[:MAX_ITEMS]:
                self.shows += once(value)
        elif any(once(value) for value in over.printed):
            self.shows.append(Loop(over.printed, over.base, once, "python: a loop over a listing", self.shell.cwd))
        kept = len(self.shows)
        self.bind(variable, items_of(over)[0])
        self.block(body)
        del self.shows[kept:]

    def value(self, node: ast.expr) -> Value:
        self.left[0] -= 1
        if self.left[0] <= 0:
            return NOTHING
        match node:
            case ast.Constant(str(text)):
                return Known(text)
            case ast.Constant(constant):
                return Opaque(number=isinstance(constant, int | float))
            case ast.Name(name):
                return self.names.get(name, NOTHING)
            case ast.Call():
                return called(self, node)
            case ast.Attribute():
                return self.attribute(node)
            case ast.JoinedStr(parts):
                return self.formatted([self.value(part) for part in parts])
            case ast.FormattedValue(inner):
                return self.value(inner)
            case ast.BinOp():
                return self.binary(node)
            case ast.Subscript():
                return self.subscript(node)
            case ast.Tuple(items) | ast.List(items) | ast.Set(items):
                return self.collection(items)
            case _:
                return self.other(node)

    def other(self, node: ast.expr) -> Value:
        match node:
            case ast.Dict(keys, values):
                return self.collection([part for part in (*keys, *values) if part is not None])
            case (
                ast.ListComp(element, generators)
                | ast.SetComp(element, generators)
                | ast.GeneratorExp(element, generators)
            ):
                return self.comprehension([element], generators)
            case ast.DictComp(key, value, generators):
                return self.comprehension([key, value], generators)
            case ast.IfExp(_, body, orelse):
                return merged([self.value(body), self.value(orelse)])
            case ast.BoolOp(_, values):
                return merged([self.value(value) for value in values])
            case ast.Compare(left, _, rights):
                sides = [self.value(left), *map(self.value, rights)]
                data = merged(sides)
                return Data(data.paths, "count") if isinstance(data, Data) else NOTHING
            case ast.UnaryOp(ast.Not(), operand):
                data = self.value(operand)
                return Data(data.paths, "count") if isinstance(data, Data) else NOTHING
            case ast.UnaryOp(_, operand) | ast.Starred(operand) | ast.Await(operand):
                return self.value(operand)
            case ast.NamedExpr(target, value):
                made = self.value(value)
                self.bind(target, made)
                return made
            case ast.Lambda():
                return Defined(node)
            case _:
                return NOTHING

    def collection(self, items: list[ast.expr]) -> Value:
        values = [self.value(item) for item in items]
        if any(isinstance(value, Data | Listing) for value in flat(values)) and not all(
            isinstance(value, Known) for value in values
        ):
            kinds = {type(value) for value in values}
            return merged(values) if len(kinds) > 1 or Data not in kinds else Many(tuple(values))
        return Many(tuple(values))

    def formatted(self, values: list[Value]) -> Value:
        data = merged([value for value in values if isinstance(value, Data | Listing)])
        if isinstance(data, Listing) or (isinstance(data, Data) and data.kind != "count"):
            return data
        return Known("".join(map(text_of, values)))

    def binary(self, node: ast.BinOp) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.Div) and isinstance(left, Known) and isinstance(right, Known):
            return Known(joined(left.text, right.text), is_path=True)
        if isinstance(node.op, ast.Add) and isinstance(left, Known) and isinstance(right, Known):
            return Known(left.text + right.text)
        if isinstance(node.op, ast.Mod) and isinstance(left, Known):
            if not isinstance(right, Data | Listing) and not any(isinstance(v, Data | Listing) for v in flat([right])):
                return Known(UNKNOWN)
            return merged([right])
        data = [value for value in (left, right) if isinstance(value, Data | Listing)]
        if not data:
            return (
                NOTHING
                if not (isinstance(left, Many) and isinstance(right, Many))
                else Many((*left.items, *right.items))
            )
        made = merged(list(data))
        arithmetic = isinstance(node.op, ast.Sub | ast.Div | ast.Mult | ast.FloorDiv | ast.Pow)
        if isinstance(made, Data) and arithmetic and made.kind == "number":
            return Data(made.paths, "count")
        return made

    def subscript(self, node: ast.Subscript) -> Value:
        holder, key = self.value(node.value), node.slice
        match holder:
            case Data(paths, kind, _, grouped):
                return Data(paths, kind, column=isinstance(key, ast.Constant), grouped=grouped)
            case Many(items):
                return self.picked(items, key)
            case Listing(base, printed, _):
                return holder if isinstance(key, ast.Slice) else Known(printed[0] if printed else UNKNOWN, is_path=True)
            case Known():
                return Known(UNKNOWN)
            case _:
                return self.names.get(ast.unparse(node), NOTHING)

    def picked(self, items: tuple[Value, ...], key: ast.expr) -> Value:
        match key:
            case ast.Constant(int(index)) if -len(items) <= index < len(items):
                return items[index]
            case ast.UnaryOp(ast.USub(), ast.Constant(int(index))) if 0 < index <= len(items):
                return items[-index]
            case ast.Slice(lower, upper, None):
                bounds = [
                    part.value if isinstance(part, ast.Constant) and isinstance(part.value, int) else None
                    for part in (lower, upper)
                ]
                return Many(items[bounds[0] : bounds[1]])
            case _:
                return merged(list(items))

    def attribute(self, node: ast.Attribute) -> Value:
        text = self.dotted(node)
        if text in self.names:
            return self.names[text]
        if text == "sys.stdin":
            return self.stdin
        return method_or_attribute(self, self.value(node.value), node.attr, None)

    def dotted(self, node: ast.expr) -> str:
        """`pd.read_csv` as `pandas.read_csv`; "" for what is no plain chain of names."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        parts.append(self.imported.get(node.id, node.id))
        return ".".join(reversed(parts))

    def comprehension(self, elements: list[ast.expr], generators: list[ast.comprehension]) -> Value:
        """The elements for the first few items; a name from a listing stays a listing."""
        first = self.value(generators[0].iter)
        if _prints_inside(elements):
            self.as_loop(elements, generators)
            return NOTHING
        found: list[Value] = []
        for item in items_of(first)[:MAX_ITEMS]:
            self.bind(generators[0].target, first if isinstance(first, Listing) and first.walk else item)
            for generator in generators[1:]:
                self.bind(generator.target, merged(items_of(self.value(generator.iter))))
            for condition in generators[0].ifs:
                self.value(condition)
            found += [self.value(element) for element in elements]
        if isinstance(first, Listing) and found and all(isinstance(value, Known) for value in found):
            texts = tuple(value.text for value in found if isinstance(value, Known))
            bare = all(text == posixpath.basename(name) != name for text, name in zip(texts, first.printed, strict=False))
            folders = {posixpath.dirname(name) for name in first.printed}
            if bare and len(folders) == 1 and is_literal(folder := folders.pop()):
                return Listing(resolve(first.base, folder), texts)
            return Listing(first.base, texts)
        if found and all(isinstance(value, Known) for value in found):
            return Many(tuple(found))
        inner = merged(found)
        return inner

    def as_loop(self, elements: list[ast.expr], generators: list[ast.comprehension]) -> None:
        """`[print(f) for f in files]`, followed as the loop that it is."""
        body: list[ast.stmt] = [ast.Expr(element) for element in elements]
        for generator in reversed(generators):
            body = [ast.For(target=generator.target, iter=generator.iter, body=body, orelse=[])]
        self.block(body)

    def call_defined(self, function: Defined, arguments: list[Value], named: dict[str, Value]) -> Value:
        if self.depth > 8:
            return NOTHING
        script = self.fork()
        parameters = function.node.args
        for parameter, value in zip([*parameters.posonlyargs, *parameters.args], arguments, strict=False):
            script.names[parameter.arg] = value
        for name, value in named.items():
            script.names[name] = value
        if isinstance(function.node, ast.Lambda):
            made = script.value(function.node.body)
        else:
            script.block(function.node.body)
            made = merged(script.returned) if script.returned else NOTHING
        self.shows += script.shows
        return made

    def printed(self, values: list[Value], rule: str = "python: prints what it took from the file") -> None:
        """print(…): content, a listing, or text."""
        opened = flat(values)
        data = [value for value in opened if isinstance(value, Data) and value.kind != "count"]
        listings = [value for value in opened if isinstance(value, Listing)]
        for listing in listings:
            self.shows.append(Names(listing.base, "literal", "python: prints a listing", listing.printed))
        paths = tuple(dict.fromkeys(path for value in data for path in value.paths))
        if paths:
            label = " ".join(map(text_of, values)) if any(isinstance(value, Known) and value.text.strip() for value in values) else ""
            self.shows.append(Content(self.shell.facts.with_sources(paths), rule, base=self.shell.cwd, lead=label.lstrip("\n")))
        elif not listings:
            self.shows.append(Text(" ".join(map(text_of, values)) + "\n", "python: the agent's own text"))


def _prints_inside(elements: list[ast.expr]) -> bool:
    return any(isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id in ("print", "pprint") for e in elements)


def _piped(stdin: Stream | None, shell: Shell) -> Value:
    """What a script finds on its standard input."""
    if not stdin:
        return NOTHING
    paths = tuple(path for content in contents(stdin) for path in content.paths)
    if paths:
        return Data(paths)
    text = literal_text(stdin)
    if text is not None:
        return Many(tuple(Known(line) for line in text.splitlines()[:MAX_ITEMS]))
    return Listing(shell.cwd, printed_names(stdin))
