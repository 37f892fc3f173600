"""The simulated agent: a plan of work that says what to do next, given what the tools and the tab have answered.

It takes figures from the task's own list instead of understanding a text, and it is subject to the lapses of
`lapses.py`. All else is real: commands are executed, sums are awk's, entries are cited by the ids that the tab gave.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from shlex import quote

from sample_runs.suite.lapses import Fate, Lapse, Occasion
from sample_runs.suite.tasks import Item, SuiteTask, formula, number
from tabcore.agent import Method, Response
from tabcore.agent.models import Entry, ToolResult, ToolSpec, UserText
from tabcore.tab.messages import TODO_BLOCK
from tabcore.trajectory import Json, ToolCall

Step = tuple[str, tuple[tuple[str, Mapping[str, Json]], ...]]
"""What the agent says, and its calls by name and arguments; none for a stop."""

Work = Generator[Step, tuple[str, ...], None]
"""Gives steps, is sent what was answered to each: the results of its calls, or what was said to a stop."""

_ENTRY = re.compile(r"^(L\d+): (\S+) \(", re.MULTILINE)
_ADDED = re.compile(r"^added (r\d+): (.*)$", re.MULTILINE)
_FILES_A_CALL = 3


class SimulatedModel:
    """A model whose responses are the steps of a plan of work."""

    def __init__(self, name: str, work: Work) -> None:
        self.name = name
        self._work = work
        self._turn = 0

    def respond(self, conversation: Sequence[Entry], tools: Sequence[ToolSpec], seconds: float) -> Response:
        """The plan's next step."""
        text, calls = next(self._work) if self._turn == 0 else self._work.send(_answered(conversation))
        self._turn += 1
        named = (
            ToolCall(f"call_{self._turn}_{place}", name, arguments) for place, (name, arguments) in enumerate(calls, 1)
        )
        return Response(text, tuple(named))


def _answered(conversation: Sequence[Entry]) -> tuple[str, ...]:
    """What came since the last response."""
    last = max(place for place, entry in enumerate(conversation) if isinstance(entry, Response))
    return tuple(
        entry.blocks[0] if isinstance(entry, ToolResult) else entry.text
        for entry in conversation[last + 1 :]
        if isinstance(entry, ToolResult | UserText)
    )


def work(task: SuiteTask, method: Method, fate: Fate) -> Work:
    """The plan of work of one run."""
    return _Worker(task, method, fate).work()


class _Worker:
    """One run's plan. `lapses` are those not yet mended; `ids` and `entries` are the tab's names for things."""

    def __init__(self, task: SuiteTask, method: Method, fate: Fate) -> None:
        self._task = task
        self._method = method
        self._fate = fate
        self._lapses: dict[str, Lapse] = {}
        for item in task.items:
            if (lapse := fate.lapse(item.path)) is not None:
                self._lapses[item.path] = lapse
        self._ids: dict[str, str] = {}
        self._entries: dict[str, str] = {}
        self._answer = ""

    def work(self) -> Work:
        """All steps to the last stop."""
        has_tab = self._method.tab is not None
        if has_tab and not self._fate.has("states no requirement"):
            yield from self._state()
        yield self._opening(), (_bash(f"find {self._folder} -type f | sort"),)
        yield from self._read([item for item in self._task.items if self._lapses.get(item.path) != "unopened"])
        if self._ids and not self._fate.has("pulls no review"):
            yield from self._review()
        yield from self._deliver()
        if self._ids:
            yield from self._resolve(
                [item for item in self._task.items if not self._fate.has("leaves open", item.path)]
            )
        [said] = yield self._stop()
        yield from self._look_again(said)
        yield self._stop()

    def _opening(self) -> str:
        """The first words: a list of what is asked for where the method wants one."""
        if TODO_BLOCK not in self._method.instruction:
            return "I look at what there is."
        return "\n".join(["What the task asks for:", *(f"- {item.asked}" for item in self._task.items)])

    @property
    def _folder(self) -> str:
        return "." if self._task.deliverable else self._task.items[0].path.split("/")[0]

    def _state(self) -> Work:
        [reply] = yield (
            "What the task asks for, one by one.",
            (("tab_add", {"items": [item.asked for item in self._task.items]}),),
        )
        asked = {text: ident for ident, text in _ADDED.findall(reply)}
        self._ids = {item.path: asked[item.asked] for item in self._task.items}

    def _read(self, items: Iterable[Item]) -> Work:
        """Opens the files of items, some a call."""
        paths = [item.path for item in items]
        for some in (paths[start : start + _FILES_A_CALL] for start in range(0, len(paths), _FILES_A_CALL)):
            call = ("read", {"path": some[0]}) if len(some) == 1 else _bash(f"cat {' '.join(map(quote, some))}")
            yield ("Now these." if len(some) > 1 else "One more."), (call,)

    def _review(self) -> Work:
        [reply] = yield "Before I write: how do the requirements stand?", (("tab_list", {"kind": "requirements"}),)
        yield from self._open(self._mend("review", reply))
        if self._method.tab and self._method.tab.capture and self._fate.has("shows an entry"):
            yield from self._look_up()
            first = next(iter(self._entries.values()), None)
            if first:
                yield f"I look at {first} once more.", (("tab_show", {"entry": first}),)

    def _mend(self, occasion: Occasion, told: str, *, any_opened: bool = False) -> list[Item]:
        """Mends what an occasion mends of the lapses whose files it names; gives those that must be opened for it."""
        to_open = []
        for item in self._task.items:
            lapse = self._lapses.get(item.path)
            named = item.path in told or (any_opened and lapse != "unopened")
            if lapse and named and self._fate.mends(occasion, lapse, item.path):
                del self._lapses[item.path]
                to_open += [item] if lapse == "unopened" else []
        return to_open

    def _open(self, items: Sequence[Item]) -> Work:
        yield from self._read(items)

    def _delivered(self) -> list[tuple[Item, str]]:
        """The values that go into the deliverable, as they are written there."""
        kept = [item for item in self._task.items if self._lapses.get(item.path) in (None, "swapped")]
        return [(item, item.near if item.path in self._lapses else item.value) for item in kept]

    def _deliver(self) -> Work:
        """Works out and writes the deliverable, or the answer that the next stop gives."""
        lines = self._delivered()
        known = {item.path: number(value) for item, value in lines}
        sought = formula(self._task, [known.get(item.path) for item in self._task.items])
        [printed] = yield (
            "I work it out.",
            (_bash(f"awk 'BEGIN {{ printf \"%.{self._task.decimals}f\\n\", {sought} }}'"),),
        )
        self._answer = printed.strip()
        if self._task.deliverable:
            total = self._task.unit.format(f"{float(self._answer):,.{self._task.decimals}f}")
            content = _written(self._task, lines, total)
            yield "I write it down.", (("write", {"path": self._task.deliverable, "content": content}),)

    def _look_up(self) -> Work:
        """Learns the ids of the read log: for each file its newest entry."""
        [reply] = yield "Which entries are there?", (("tab_list", {"kind": "read_log"}),)
        self._entries = {path: ident for ident, path in _ENTRY.findall(reply)}

    def _resolve(self, items: Sequence[Item]) -> Work:
        """Resolves requirements; what is refused is looked into."""
        captured = self._method.tab is not None and self._method.tab.capture
        if captured:
            yield from self._look_up()
        calls = tuple(("tab_resolve", self._resolution(item, captured)) for item in items)
        if not calls:
            return
        replies = yield "What is settled.", calls
        refused = [item for item, reply in zip(items, replies, strict=True) if reply.startswith("Refused")]
        if refused:
            yield from self._refused(refused)

    def _resolution(self, item: Item, captured: bool) -> Mapping[str, Json]:
        ident = self._ids[item.path]
        unopened = self._lapses.get(item.path) == "unopened"
        if unopened and not self._fate.has("claims unseen", item.path):
            return {"id": ident, "status": "unavailable", "reason": "in no file that I have opened"}
        done: dict[str, Json] = {"id": ident, "status": "done"}
        if captured:
            done["entry"] = self._entries.get(item.path) or next(iter(self._entries.values()), "L1")
        return done

    def _refused(self, items: Sequence[Item]) -> Work:
        """Looks through the candidates for what a refusal named, opens it, or gives the requirement up."""
        [reply] = yield "Then it must stand in a file that I have not opened.", (("tab_list", {"kind": "candidates"}),)
        mended = [item for item in self._mend("refusal", reply) if item in items]
        if mended:
            yield from self._open(mended)
            yield from self._deliver()
            yield from self._look_up()
        yield (
            "These, then.",
            tuple(
                (
                    "tab_resolve",
                    {"id": self._ids[item.path], "status": "done", "entry": self._entries[item.path]}
                    if item in mended
                    else {
                        "id": self._ids[item.path],
                        "status": "unavailable",
                        "reason": "in no file that I have opened",
                    },
                )
                for item in items
            ),
        )

    def _look_again(self, said: str) -> Work:
        """What the words said to the first stop lead to."""
        if self._method.tab is None:
            before = dict(self._lapses)
            self._mend("second look", said, any_opened=True)
            if before != self._lapses:
                yield from self._deliver()
            return
        stated_late = not self._ids
        if stated_late:
            yield from self._state()
        before = dict(self._lapses)
        yield from self._open(self._mend("finish check", said))
        if before != self._lapses:
            yield from self._deliver()
        mended = [path for path in before if path not in self._lapses]
        left = [
            item
            for item in self._task.items
            if stated_late or item.path in mended or self._fate.has("leaves open", item.path)
        ]
        if left:
            yield from self._resolve(left)

    def _stop(self) -> Step:
        if self._task.deliverable:
            return f"Finished: {self._task.deliverable}.", ()
        return f"<FINAL_ANSWER>{self._answer}</FINAL_ANSWER>", ()


def _bash(command: str) -> tuple[str, Mapping[str, Json]]:
    return "bash", {"command": command}


def _written(task: SuiteTask, lines: Sequence[tuple[Item, str]], total: str) -> str:
    """A deliverable's text: a table with its total, in the format that the file's name asks for."""
    if task.deliverable.endswith(".csv"):
        rows = [(item.subject, value) for item, value in lines] + [(task.total, total)]
        return "\n".join([task.heading, *(f"{name},{number(value):.{task.decimals}f}" for name, value in rows), ""])
    head = [f"# {task.heading}", "", "| of | |", "|---|---|"]
    return "\n".join(
        [*head, *(f"| {item.subject} | {value} |" for item, value in lines), "", f"{task.total}: {total}", ""]
    )
