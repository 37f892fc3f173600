"""A replay made by hand, of any size: what the widget is built and timed against without a store."""

from __future__ import annotations

from tabcore.errors import Problem
from tabcore.rows import CallRow, Decision, Replay, RunRow, TurnRow
from tabcore.tab.events import (
    Event,
    FileListed,
    FileRead,
    FinishChecked,
    Match,
    RequirementAdded,
    Resolved,
    Reviewed,
    Stopped,
    TaskStated,
)
from tabcore.tab.history import Difference
from tabcore.tab.timeline import timeline_of

TASK = "Write the travel policy guide with limits for each region"
_TOPICS = ("travel/policy", "energy/bill", "orders/supplier", "travel/region", "policy/limits")


def made_replay(turns: int = 300, candidates: int = 300, reads: int = 40, requirements: int = 6) -> Replay:
    """One run: requirements stated in turn 1, all files listed in turn 2, then read one after another, then resolved.

    Needs more turns than reads and requirements together.
    """
    facts = list(_facts(turns, candidates, reads, requirements))
    rows = tuple(_turn(number, facts) for number in range(1, turns + 1))
    row = _run_row(turns, candidates - reads, reads, requirements)
    difference = Difference(3, 0, "status line", "[tab] 9 open", rows[2].status_line)
    problem = Problem("made.jsonl", 4, "torn line", "the line ends in the middle of a string", "skipped", lost=True)
    return Replay(row, timeline_of(facts), rows, (difference,), (problem,))


def path_of(number: int) -> str:
    """The path of one made file."""
    return f"workspace/{_TOPICS[number % len(_TOPICS)]}/document_{number:04d}.txt"


def read_turn(number: int, turns: int, reads: int) -> int:
    """The turn in which the made run reads its n-th file, n from 0."""
    return 3 + number * (turns - 12) // max(1, reads)


def _facts(turns: int, candidates: int, reads: int, requirements: int) -> list[Event]:
    facts: list[Event] = [TaskStated(0, TASK)]
    facts += [RequirementAdded(1, 0, f"r{i}", f"the travel limits of region {i}") for i in range(1, requirements + 1)]
    facts += [FileListed(2, 0, path_of(i), "ls: lists paths") for i in range(candidates)]
    for i in range(reads):
        turn = read_turn(i, turns, reads)
        facts.append(FileRead(turn, 0, path_of(i), f"read {path_of(i)}", f"{i:032x}", 1_200 + i, rule="read: argument"))
    if requirements and reads >= 2:
        facts.append(Reviewed(turns - 8, 0, (Match("r1", ("L1", "L2"), (path_of(reads), path_of(reads + 3))),)))
        facts += [Resolved(turns - 7 + i, 0, f"r{i + 1}", "done", f"L{i + 1}") for i in range(min(5, requirements))]
    facts.append(Stopped(turns))
    facts.append(FinishChecked(turns, "some open", ("r6",), candidates - reads))
    return sorted(facts, key=lambda fact: fact.turn)


def _turn(number: int, facts: list[Event]) -> TurnRow:
    mine = [fact for fact in facts if fact.turn == number]
    decisions = tuple(
        Decision("read" if isinstance(fact, FileRead) else "listed", fact.path, fact.rule)
        for fact in mine
        if isinstance(fact, FileRead | FileListed)
    )
    operation = next((_OPERATIONS[type(fact)] for fact in mine if type(fact) in _OPERATIONS), "")
    stops = any(isinstance(fact, Stopped) for fact in mine)
    received = 0 if stops else 300 + (number * 7919) % 9000
    command = "ls -R workspace" if number == 2 else f"sed -n 1,{number}p {path_of(number)}"
    call = CallRow(
        0, f"c{number}", operation or "bash", command, received, number % 37 == 0, True, operation, decisions
    )
    status = f"[tab] 6 open | candidates: made, turn {number} | read log: made"
    return TurnRow(number, received, 40, "complete", stops, status, () if stops else (call,), line=number + 1)


_OPERATIONS: dict[type, str] = {RequirementAdded: "add", Resolved: "resolve", Reviewed: "list"}


def _run_row(turns: int, candidates: int, reads: int, requirements: int) -> RunRow:
    return RunRow(
        run_id="0123456789abcdef",
        path="made.jsonl",
        format="pi",
        harness="made",
        session="s",
        suite=None,
        task_name="travel guide",
        task=TASK,
        task_source="run folder",
        root="/workspace",
        root_source="run folder",
        method="running_tab",
        model="scripted",
        attempt=1,
        attempts=1,
        started=None,
        simulated="A made run; no model was asked.",
        parent=None,
        parent_call=None,
        recorded_tab=True,
        turns=turns,
        calls=turns - 1,
        observed_chars=1_000_000,
        reads=reads,
        files_read=reads,
        candidates=candidates,
        starred=candidates // 2,
        requirements=requirements,
        resolved=min(5, requirements),
        unknowns=0,
        differences=1,
        problems=1,
        abandoned=0,
        loaded="8 lines: 7 read, 1 skipped (line 4)",
    )
