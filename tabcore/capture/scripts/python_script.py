"""A Python script, followed without running it: what it shows and writes.

Statements are followed in order, both branches of an if, loops over known items item by item, loops over a listing
as a `Loop` that the observation unrolls.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TYPE_CHECKING

from tabcore.capture.patterns import UNKNOWN, is_literal
from tabcore.capture.scripts.python_expressions import MAX_ITEMS, Expressions
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
    merged,
    text_of,
)
from tabcore.capture.shows import Content, Loop, Names, Show, Stream, Text, contents, literal_text, printed_names

if TYPE_CHECKING:
    from tabcore.capture.shell_state import Shell

MAX_CODE = 300_000
MAX_STEPS = 12_000
"""Expressions that are followed in one script, loops counted through."""


def python_shows(
    code: str, shell: Shell, stdin: Stream | None, arguments: list[str], cell: bool = False
) -> Stream | None:
    """What a script shows; None when it is no Python. `cell`: a notebook's, which shows its last value."""
    if len(code) > MAX_CODE:
        return None
    try:
        tree = _parsed(_without_magics(code) if cell else code)
        script = Script(shell.child(), stdin, arguments)
        ended = shell.facts.errors.stopped_at
        script.block([one for one in tree.body if one.lineno <= ended] if ended else tree.body)
        if cell and tree.body and isinstance(last := tree.body[-1], ast.Expr) and not _prints(last):
            script.printed([script.value(last.value)])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tuple(script.shows)


@lru_cache(maxsize=16)
def _parsed(code: str) -> ast.Module:
    """The tree of a script; agents run the one that they wrote many times."""
    return ast.parse(code)


def _without_magics(code: str) -> str:
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in code.split("\n"))


def _prints(node: ast.Expr) -> bool:
    return isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name) and node.value.func.id == "print"


class Script(Expressions):
    """A script being followed: its names, and what it has shown so far."""

    def __init__(self, shell: Shell, stdin: Stream | None, arguments: list[str], left: list[int] | None = None) -> None:
        self.shell = shell
        self.names: dict[str, Value] = {
            "sys.argv": Many(tuple(Known(word) for word in arguments)),
            "__file__": Known(UNKNOWN),
        }
        self.imported: dict[str, str] = {}
        self.shows: list[Show] = []
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
            return tuple(script.shows)

        if all(map(is_literal, over.printed)):
            for value in over.printed[:MAX_ITEMS]:
                self.shows += once(value)
        elif any(once(value) for value in over.printed):
            self.shows.append(Loop(over.printed, over.base, once, "python: a loop over a listing", self.shell.cwd))
        kept = len(self.shows)
        self.bind(variable, items_of(over)[0])
        self.block(body)
        del self.shows[kept:]

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
            label = (
                " ".join(map(text_of, values))
                if any(isinstance(value, Known) and value.text.strip() for value in values)
                else ""
            )
            self.shows.append(
                Content(self.shell.facts.with_sources(paths), rule, base=self.shell.cwd, lead=label.lstrip("\n"))
            )
        elif not listings:
            self.shows.append(Text(" ".join(map(text_of, values)) + "\n", "python: the agent's own text"))


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
