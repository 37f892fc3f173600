"""Scores capture on gold cases: `python tests/score_capture.py CASES.jsonl [-v]`.

A case has a tool call, an observation and the right answer; cases of one `sequence` share a workspace, in the order of `step`, and
are compared with `state_after` too. Prints precision and recall per kind, with -v what is wrong, and last `exact N/M`.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tabcore.capture import Captured, Workspace, capture
from tabcore.tab.keeper import Keeper
from tabcore.trajectory import Observation, ToolCall

Case = dict[str, Any]
ROOT = "/workspace"
KINDS = ("reads", "listed", "authored")
FINDING = {"reads": "read", "listed": "listed", "authored": "authored"}


class State:
    """The tab after the calls so far, by the engine that a run's tab is derived with."""

    def __init__(self, workspace: Workspace) -> None:
        self.keeper = Keeper(workspace)

    def follow(self, case: Case, captured: Captured) -> None:
        """Folds in what one call gave."""
        observation = Observation(case["id"], case["observation"], case["is_error"])
        self.keeper.fold(0, 0, ToolCall(case["id"], case["tool"], case["arguments"]), observation, captured.findings)

    def paths(self, part: str) -> set[str]:
        """The paths that a part of the tab holds: "candidates", "read" or "authored"."""
        tab = self.keeper.tab
        held = {
            "candidates": set(tab.candidates),
            "read": {entry.path for entry in tab.read_log.values()},
            "authored": tab.authored,
        }
        return held[part]


@dataclass(slots=True)
class Scored:
    """One case's result: sets said, sets wrong, and what else differs."""

    case: Case
    captured: Captured
    wrong: dict[str, tuple[set[str], set[str]]]
    state_wrong: list[str]
    cwd_right: bool

    @property
    def exact(self) -> bool:
        """True when all three sets, and the state where there is one, are right."""
        return not any(missing or extra for missing, extra in self.wrong.values()) and not self.state_wrong


def run_cases(cases: Iterable[Case]) -> Iterator[Scored]:
    """Each case with its result; a sequence keeps its workspace."""
    workspaces: dict[str, tuple[Workspace, State]] = {}
    for case in cases:
        made = _workspace(case)
        fresh = (made, State(made))
        workspace, state = workspaces.setdefault(case["sequence"], fresh) if "sequence" in case else fresh
        yield score(case, workspace, state)


def _workspace(case: Case) -> Workspace:
    workspace = Workspace(root=case.get("root", ROOT), cwd=case["cwd_before"], fresh_cwd=case["harness"] == "fresh")
    for need in case.get("needs", ()):
        if need.startswith("home="):
            workspace.home = need.removeprefix("home=")
    return workspace


def score(case: Case, workspace: Workspace, state: State) -> Scored:
    """Runs one case through capture and compares."""
    call = ToolCall(case["id"], case["tool"], case["arguments"])
    captured = capture(call, Observation(case["id"], case["observation"], case["is_error"]), workspace)
    state.follow(case, captured)
    wrong = {kind: _compared(case, kind, set(captured.paths(FINDING[kind]))) for kind in KINDS}  # type: ignore[arg-type]
    return Scored(case, captured, wrong, _state_wrong(case, state), captured.cwd == case["cwd_after"])


def _compared(case: Case, kind: str, said: set[str]) -> tuple[set[str], set[str]]:
    right = set(case[kind])
    optional = set(case.get(f"optional_{kind}", ())) - right
    said = {path for path in said if not path.startswith("/")} - optional
    return right - said, said - right


def _state_wrong(case: Case, state: State) -> list[str]:
    expected = case.get("state_after")
    if expected is None:
        return []
    found: list[str] = []
    optional = {
        "candidates": set(expected.get("optional_candidates", ())) | set(case.get("optional_listed", ())),
        "read": set(case.get("optional_reads", ())) | set(expected.get("optional_read", ())),
        "authored": set(case.get("optional_authored", ())) | set(expected.get("optional_authored", ())),
    }
    for name, loose in optional.items():
        said = {path for path in state.paths(name) if not path.startswith("/")}
        right = set(expected[name])
        if said - loose != right - loose:
            found.append(f"{name}: missing {sorted(right - loose - said)} extra {sorted(said - right - loose)}")
    return found


def report(results: list[Scored], verbose: bool) -> str:
    """The figures as text, the last line `exact N/M`."""
    totals: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    families: defaultdict[str, Counter[str]] = defaultdict(Counter)
    lines: list[str] = []
    for result in results:
        for kind in KINDS:
            missing, extra = result.wrong[kind]
            totals[kind].update(tp=len(set(result.case[kind]) - missing), fn=len(missing), fp=len(extra))
        families[result.case["family"]].update(n=1, exact=result.exact)
        if verbose and not result.exact:
            lines += _explained(result)
    for kind, t in totals.items():
        lines.append(f"{kind:9s} precision {precision(t):.4f}  recall {recall(t):.4f}")
    lines += [f"  {family:18s} {c['exact']}/{c['n']}" for family, c in families.items()]
    lines.append(f"cwd_after agrees {sum(r.cwd_right for r in results)}/{len(results)}")
    if verbose:
        lines += [
            f"  cwd {r.case['id']}: {r.captured.cwd} for {r.case['cwd_after']}" for r in results if not r.cwd_right
        ]
    return "\n".join([*lines, f"exact {sum(r.exact for r in results)}/{len(results)}"])


def precision(total: Counter[str]) -> float:
    """Right ones among those said."""
    return total["tp"] / max(1, total["tp"] + total["fp"])


def recall(total: Counter[str]) -> float:
    """Said ones among the right."""
    return total["tp"] / max(1, total["tp"] + total["fn"])


def _explained(result: Scored) -> list[str]:
    command = result.case["arguments"].get("command", result.case["arguments"])
    lines = [f"{result.case['id']} ({result.case['difficulty']}): {command!s:.200}"]
    for kind, (missing, extra) in result.wrong.items():
        if missing or extra:
            lines.append(f"    {kind}: missing {sorted(missing)[:8]} extra {sorted(extra)[:8]}")
    return [*lines, *(f"    state {text}" for text in result.state_wrong)]


def load_cases(path: Path) -> list[Case]:
    """The cases of a file, one a line."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def main(arguments: list[str]) -> None:
    """Prints the report on the files that are named."""
    paths = [argument for argument in arguments if not argument.startswith("-")]
    if not paths:
        sys.exit("usage: score_capture.py CASES.jsonl [-v]")
    cases = [case for path in paths for case in load_cases(Path(path))]
    sys.stdout.write(report(list(run_cases(cases)), "-v" in arguments) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
