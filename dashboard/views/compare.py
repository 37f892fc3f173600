"""Compare: two runs of one task side by side, each difference linked into both replays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import streamlit as st

from dashboard import data, selection, table_data
from dashboard.parts import figure, frame, load_report
from tabcore.analyses.run_comparison import (
    DeliveredNumber,
    FileUse,
    NumberPair,
    OneRun,
    RunComparison,
    SeenNumber,
    counted,
)
from tabcore.presentation import score_charts
from tabcore.presentation.line_difference import STYLE, difference_html
from tabcore.presentation.plain import plain_line
from tabcore.rows import RunRow

Way = tuple[str, str, dict[str, str]]
"""A link from a row into either run: its words, the page, the address there."""
_STYLE = (
    '<style>[class*="st-key-links-"] [data-testid="stPageLink"] p, .st-key-row-links [data-testid="stPageLink"] p'
    " { text-decoration: underline; }</style>"
)
_LINES = 2000
"""Lines of a difference that are drawn."""


def render() -> None:
    """The page."""
    tasks = _tasks(data.runs())
    if not tasks:
        with st.container(border=True, key="empty"):
            st.markdown("**No task has two runs here.** This page sets two runs of one task side by side.")
            st.page_link("views/runs.py", label="Go to the runs")
        return
    left, right = _pair(tasks)
    found = table_data.two_runs(left.run_id, right.run_id)
    if left.simulated or right.simulated:
        with st.container(horizontal=True, vertical_alignment="center", key="simulated-line"):
            frame.simulated_word()
            st.text("A script decided what these runs do: their difference is no finding.")
    _head(found, left, right)
    names = (_short(left), _short(right))
    figure.plot(score_charts.two_lanes(found, names), "compare")
    parts: Mapping[str, Callable[[RunComparison, bool], None]] = {
        "Files": _files,
        "Requirements": _requirements,
        "Rubrics": _rubrics,
        "Values": _values,
        "Texts": _texts,
    }
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.segmented_control("Compare", list(parts), default="Files", key="compare-part", required=True)
        only = st.toggle("only what differs", key="only")
    parts[name or "Files"](found, only)


def _tasks(rows: Sequence[RunRow]) -> dict[str, list[RunRow]]:
    """Tasks with at least two runs, by their name and benchmark; those with runs of several methods first."""
    found: dict[str, list[RunRow]] = {}
    for row in rows:
        if row.parent is None:
            found.setdefault(" · ".join(filter(None, (selection.run_name(row), row.suite))), []).append(row)
    several = {task: runs for task, runs in found.items() if len(runs) > 1}
    return dict(sorted(several.items(), key=lambda task: (len({run.method for run in task[1]}) < 2, task[0])))


def _pair(tasks: Mapping[str, list[RunRow]]) -> tuple[RunRow, RunRow]:
    """The two runs: those of the address, else the first of dci and of running_tab of the chosen task."""
    wanted = [st.query_params.get("left", ""), st.query_params.get("right", "")]
    names = list(tasks)
    at = next((at for at, name in enumerate(names) if any(run.run_id in wanted for run in tasks[name])), 0)
    task = st.selectbox("Task", names, index=at, format_func=lambda name: plain_line(name, 100), key="compare-task")
    runs = tasks[task or names[0]]
    ids = [run.run_id for run in runs]
    first = ids.index(wanted[0]) if wanted[0] in ids else _first(runs, "dci", 0)
    second = ids.index(wanted[1]) if wanted[1] in ids else _first(runs, "running_tab", 1 if first == 0 else 0)
    columns = st.columns(2)
    chosen = []
    for column, side, index in zip(columns, ("Left", "Right"), (first, second), strict=True):
        with column:
            place = st.selectbox(
                side, range(len(runs)), index=index, format_func=lambda p: _long(runs[p]), key=f"{side}-{task}"
            )
            chosen.append(runs[place if place is not None else index])
    return chosen[0], chosen[1]


def _first(runs: Sequence[RunRow], method: str, otherwise: int) -> int:
    return next((at for at, run in enumerate(runs) if run.method == method), otherwise)


def _long(run: RunRow) -> str:
    attempt = f"attempt {run.attempt}" if run.attempt else ""
    parts = (run.method or "method not recorded", run.model or "", attempt, run.run_id)
    return plain_line(" · ".join(part for part in parts if part), 120)


def _short(run: RunRow) -> str:
    attempt = f" · {run.attempt}" if run.attempt else ""
    return plain_line(f"{run.method or run.run_id}{attempt}", 40)


def _head(found: RunComparison, left: RunRow, right: RunRow) -> None:
    """The effort of both, and how to each replay."""
    st.html(_STYLE)
    counts = {name: pair for name, pair in counted((found.left, found.right)).items() if any(pair)}
    st.dataframe(
        {"": ["left", "right"], **{name: [_number(one) for one in pair] for name, pair in counts.items()}},
        hide_index=True,
        column_config={name: st.column_config.TextColumn(alignment="right") for name in counts},
        alt="What either run took",
    )
    for column, run in zip(st.columns(2), (left, right), strict=True):
        with column, st.container(horizontal=True, key=f"links-{'left' if run is left else 'right'}"):
            query = selection.to_address(selection.Selection(run.run_id))
            side = "left" if run is left else "right"
            st.page_link("views/replay.py", label=f"{side}: replay", query_params=query)
            st.page_link("views/deliverable.py", label=f"{side}: deliverable", query_params=query)


def _number(number: float | None) -> str:
    return "" if number is None else f"{number:,.4g}" if number % 1 else f"{int(number):,}"


def _table(columns: Mapping[str, Sequence[object]], ways: Sequence[Sequence[Way]], key: str) -> None:
    """Rows of differences; a chosen one has its links into both runs."""
    if not ways:
        st.text("Nothing differs here." if st.session_state.get("only") else "Neither run has any.")
        return
    chosen = st.dataframe(
        {name: list(cells) for name, cells in columns.items()},
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        key=f"compare-{key}-{len(ways)}",
        height=load_report.height_of(len(ways), 18),
        placeholder="",
        alt=f"{key} of both runs",
    )
    picked = chosen["selection"]["rows"]
    if not picked:
        st.text("Choose a row to see it in both runs.")
        return
    with st.container(horizontal=True, key="row-links"):
        for label, page, query in ways[picked[0]]:
            st.page_link(page, label=label, query_params=query)


def _turns(found: RunComparison, left: int | None, right: int | None) -> list[Way]:
    """To a turn of either run."""
    sides = ("left", found.left, left), ("right", found.right, right)
    return [_turn_way(f"{side}: turn {turn} in the replay", run, turn) for side, run, turn in sides if turn is not None]


def _turn_way(label: str, run: OneRun, turn: int, mark: selection.Mark | None = None) -> Way:
    return label, "views/replay.py", selection.to_address(selection.Selection(run.run_id, turn, mark))


def _files(found: RunComparison, only: bool) -> None:
    pairs = [pair for pair in found.files if not (only and pair.left and pair.right)]
    _table(
        {
            "file": [plain_line(pair.path, 160) for pair in pairs],
            "left": [_use(pair.left) for pair in pairs],
            "right": [_use(pair.right) for pair in pairs],
            "only in": [_only(pair.left, pair.right) for pair in pairs],
        },
        [_turns(found, _turn(pair.left), _turn(pair.right)) for pair in pairs],
        "Files",
    )


def _use(use: FileUse | None) -> str:
    if use is None:
        return ""
    read = f"read at {use.read}" + (f", {use.times} times" if use.times > 1 else "") if use.read else ""
    return "; ".join(part for part in (read, f"written at {use.written}" if use.written else "") if part)


def _turn(use: FileUse | None) -> int | None:
    return (use.read or use.written) if use else None


def _only(left: object, right: object) -> str:
    return "" if (left is None) == (right is None) else "right" if left is None else "left"


def _requirements(found: RunComparison, only: bool) -> None:
    pairs = [pair for pair in found.requirements if not (only and pair.left and pair.right)]
    if not found.left.requirements and not found.right.requirements:
        st.text("Neither agent stated requirements; see the rubrics.")
        return
    sides = [(pair.left, pair.right) for pair in pairs]
    _table(
        {
            "left": [plain_line(left.text, 160) if left else "" for left, _ in sides],
            "left at the end": [left.status if left else "" for left, _ in sides],
            "right": [plain_line(right.text, 160) if right else "" for _, right in sides],
            "right at the end": [right.status if right else "" for _, right in sides],
            "only in": [_only(*pair) for pair in sides],
        },
        [_turns(found, left.turn if left else None, right.turn if right else None) for left, right in sides],
        "Requirements",
    )


def _rubrics(found: RunComparison, only: bool) -> None:
    pairs = [pair for pair in found.rubrics if not (only and pair.left == pair.right)]
    _table(
        {
            "rubric": [plain_line(pair.text, 200) for pair in pairs],
            "left": [_verdict(pair.left) for pair in pairs],
            "right": [_verdict(pair.right) for pair in pairs],
        },
        [_turns(found, *_written(found)) for _ in pairs],
        "Rubrics",
    )


def _verdict(passed: bool | None) -> str:
    return {True: "● passed", False: "○ failed", None: "not evaluated"}[passed]


def _written(found: RunComparison) -> tuple[int | None, int | None]:
    """When either run last wrote what it delivered."""
    left, right = (
        max((file.turn for file in run.delivered if file.turn), default=None) for run in (found.left, found.right)
    )
    return left, right


def _values(found: RunComparison, only: bool) -> None:
    small = st.checkbox("small counts and years too", key="compare-small")
    values = [
        pair for pair in found.numbers if small or any(one and one.distinctive for one in (pair.left, pair.right))
    ]
    pairs = [pair for pair in values if not (only and pair.left and pair.right)]
    _table(
        {
            "left": [plain_line(pair.left.text, 60) if pair.left else "" for pair in pairs],
            "right": [plain_line(pair.right.text, 60) if pair.right else "" for pair in pairs],
            "only in": [_only(pair.left, pair.right) for pair in pairs],
            "shown to left at turn": [pair.left_seen and pair.left_seen.turn for pair in pairs],
            "shown to right at turn": [pair.right_seen and pair.right_seen.turn for pair in pairs],
            "file": [plain_line(_path(pair), 100) for pair in pairs],
        },
        [
            [
                *_value_ways("left", found.left, pair.left, pair.left_seen),
                *_value_ways("right", found.right, pair.right, pair.right_seen),
            ]
            for pair in pairs
        ],
        "Values",
    )


def _value_ways(side: str, run: OneRun, value: DeliveredNumber | None, seen: SeenNumber | None) -> Iterator[Way]:
    """To the value where it was delivered and where it was first shown, marked in both."""
    if value is not None:
        query = selection.to_address(selection.Selection(run.run_id, file=value.path)) | {"value": str(value.start)}
        yield f"{side}: in its deliverable", "views/deliverable.py", query
    if seen is not None:
        mark = selection.Mark(seen.call, seen.start, seen.end)
        yield _turn_way(f"{side}: shown at turn {seen.turn}", run, seen.turn, mark)


def _path(pair: NumberPair) -> str:
    return pair.left.path if pair.left else pair.right.path if pair.right else ""


def _texts(found: RunComparison, only: bool) -> None:
    if not found.texts:
        st.text("Neither run delivered anything whose text is known.")
    for one in found.texts:
        st.text(f"− {plain_line(one.left, 100) or 'nothing'}   + {plain_line(one.right, 100) or 'nothing'}")
        if not one.lines:
            st.text("Their texts are the same.")
            continue
        st.html(STYLE + difference_html(one.lines[:_LINES]))
        if len(one.lines) > _LINES:
            st.text(f"and {len(one.lines) - _LINES:,} more lines")


if __name__ == "__main__":
    render()
