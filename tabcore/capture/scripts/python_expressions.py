"""Expressions of a Python script -> what their values are to capture."""

from __future__ import annotations

import ast
import posixpath
from typing import TYPE_CHECKING

from tabcore.capture.patterns import UNKNOWN, is_literal, resolve
from tabcore.capture.scripts.python_calls import called
from tabcore.capture.scripts.python_methods import method_or_attribute
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
from tabcore.capture.shows import Show

if TYPE_CHECKING:
    from tabcore.capture.shell_state import Shell

MAX_ITEMS = 60


class Expressions:
    """The names of a script and the values of its expressions; statements are followed in a subclass."""

    shell: Shell
    names: dict[str, Value]
    imported: dict[str, str]
    shows: list[Show]
    stdin: Value
    left: list[int]

    def bind(self, target: ast.expr, value: Value) -> None:
        """Gives a name, or several, a value."""
        raise NotImplementedError

    def absorb(self, holder: ast.expr, values: list[Value]) -> None:
        """Puts values into a container."""
        raise NotImplementedError

    def printed(self, values: list[Value]) -> None:
        """Shows values."""
        raise NotImplementedError

    def call_defined(self, function: Defined, arguments: list[Value], named: dict[str, Value]) -> Value:
        """What a function of the script gives."""
        raise NotImplementedError

    def as_loop(self, elements: list[ast.expr], generators: list[ast.comprehension]) -> None:
        """Follows a comprehension that prints as the loop that it is."""
        raise NotImplementedError

    def value(self, node: ast.expr) -> Value:
        self.left[0] -= 1
        if self.left[0] <= 0:
            return NOTHING
        if type(node) is ast.Name:
            return self.names.get(node.id, NOTHING)
        if type(node) is ast.Call:
            return called(self, node)
        if type(node) is ast.Attribute:
            return self.attribute(node)
        match node:
            case ast.Constant(str(text)):
                return Known(text)
            case ast.Constant(constant):
                return Opaque(number=isinstance(constant, int | float))
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
            case Listing(printed=printed):
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
            bare = all(
                text == posixpath.basename(name) != name for text, name in zip(texts, first.printed, strict=False)
            )
            folders = {posixpath.dirname(name) for name in first.printed}
            if bare and len(folders) == 1 and is_literal(folder := folders.pop()):
                return Listing(resolve(first.base, folder), texts)
            return Listing(first.base, texts)
        if found and all(isinstance(value, Known) for value in found):
            return Many(tuple(found))
        return merged(found)


def _prints_inside(elements: list[ast.expr]) -> bool:
    return any(
        isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id in ("print", "pprint") for e in elements
    )
