"""Which tool calls are operations on the tab."""

import pytest

from tabcore.tab.operations import Add, List, Operation, Resolve, Show, operation_of
from tabcore.trajectory import Json, ToolCall


@pytest.mark.parametrize(
    ("name", "arguments", "operation"),
    [
        ("tab_add", {"items": ["a", "b"]}, Add(("a", "b"))),
        ("add", {"items": ["a"]}, Add(("a",))),
        ("mcp__runningtab__add", {"items": "a"}, Add(("a",))),
        ("tab_add", {}, Add(())),
        ("resolve", {"id": "r1", "status": "done", "entry": "L2"}, Resolve("r1", "done", "L2")),
        ("tab_resolve", {"id": "r1", "status": "finished"}, Resolve("r1", "finished")),
        ("list", {"kind": "candidates"}, List("candidates")),
        ("tab_list", {}, List("requirements")),
        ("show", {"entry": "L10"}, Show("L10")),
    ],
)
def test_these_calls_are_operations(name: str, arguments: dict[str, Json], operation: Operation) -> None:
    assert operation_of(ToolCall("1", name, arguments)) == operation


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("list", {"path": "/tmp"}),
        ("list", {}),
        ("show", {"entry": "README"}),
        ("add", {"a": 1, "b": 2}),
        ("resolve", {"id": "JIRA-1", "status": "done"}),
        ("bash", {"command": "tab_add"}),
    ],
)
def test_other_tools_with_the_same_bare_names_are_not(name: str, arguments: dict[str, Json]) -> None:
    assert operation_of(ToolCall("1", name, arguments)) is None
