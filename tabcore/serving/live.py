"""LiveTab: the tab of one task, kept in its journal by as many processes as work on the task.

Each operation holds the journal, folds in what others have written since, does its own and writes that down before it
answers. Turns are counted by the journal: every step is a turn of its own, but for calls of one response, where the
host tells responses apart.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import PurePosixPath

from tabcore.capture import Workspace
from tabcore.journal import VERSION, Journal, Shown, Step
from tabcore.serving.memory import copied, know, learnt, recall
from tabcore.tab.events import Event
from tabcore.tab.keeper import Keeper
from tabcore.tab.operations import Operation
from tabcore.tab.tab import Tab
from tabcore.trajectory import Observation, ToolCall


class LiveTab:
    """The tab of the task that `journal` is of. `agent` names who works through this object, and `harness` its program.

    `told`: the agent is told what the tab says. `fresh_cwd`: the host starts every command in the same directory. A journal keeps the workspace it was begun with.
    """

    def __init__(
        self,
        journal: Journal,
        workspace: str,
        *,
        agent: str = "",
        harness: str = "",
        fresh_cwd: bool = False,
        told: bool = True,
    ) -> None:
        self.journal = journal
        self._root = str(PurePosixPath(workspace))
        self._agent = agent
        self._harness = harness
        self._fresh_cwd = fresh_cwd
        self._told = told
        self._forget()

    def observe(
        self, call: ToolCall, observation: Observation | None, *, cwd: str | None = None, response: str = ""
    ) -> str:
        """Capture one call and what it showed; the status line to show beside it.

        `cwd` is where the call was made, for a host that says so; else where this agent's latest call ended.
        """
        with self._held():
            turn, index = self._place(response)
            workspace = self._keeper.workspace
            workspace.cwd = cwd or self._cwds.get(self._agent) or (observation and observation.cwd) or self._root
            start, before = workspace.cwd, copied(workspace)
            events = self._keeper.observe(turn, index, call, observation)
            said = self._keeper.status_line(turn) if self._told else ""
            text, ended = (observation.text, observation.cwd) if observation else ("", None)
            shown = Shown(
                call.call_id, call.name, call.arguments, text, observation.is_error if observation else True, ended
            )
            step = Step(
                "call",
                turn,
                index,
                agent=self._agent,
                response=response,
                cwd=start,
                left_in="" if workspace.cwd == start else workspace.cwd,
                said=said,
                events=events,
                memory=learnt(before, events, workspace),
            )
            self._write(step, shown)
            return said

    def operate(self, operation: Operation, call: ToolCall, *, response: str = "") -> str:
        """Carry out one of the agent's four operations; the reply. A refusal is a reply too and is kept."""
        with self._held():
            turn, index = self._place(response)
            reply = self._keeper.operate(turn, index, operation)
            step = Step("operation", turn, index, agent=self._agent, response=response, events=reply.events)
            self._write(step, Shown(call.call_id, call.name, call.arguments, reply.text))
            return reply.text

    def state_task(self, text: str, *, once: bool = False, response: str = "") -> None:
        """A person said what is wanted. With `once`, only where nobody has said so yet."""
        with self._held():
            if not text.strip() or (once and self._keeper.tab.task):
                return
            turn = self._turn + 1
            events = self._keeper.state_task(turn, text.strip())
            self._write(Step("task", turn, agent=self._agent, response=response, events=events))

    def stop(self, *, check: bool = True, response: str = "") -> str | None:
        """The model answered without a tool call; the finish check to send, None where there is none to send.

        It is sent once; not where nothing was done yet, which is a talk and no task, nor without `check`.
        """
        with self._held():
            turn, index = self._place(response)
            events: tuple[Event, ...] = self._keeper.stop(turn)
            tab = self._keeper.tab
            begun = tab.read_log or tab.candidates or tab.requirements or tab.authored
            reply = self._keeper.finish_check(turn) if self._told and check and begun else None
            said = reply.text if reply else ""
            events += reply.events if reply else ()
            self._write(Step("stop", turn, index, agent=self._agent, response=response, said=said, events=events))
            return said or None

    def has_seen(self, response: str) -> bool:
        """True when this agent's response, or what a person said before it, stands in the journal."""
        with self._held():
            return (self._agent, response) in self._responses

    def tab(self) -> Tab:
        """The tab as it stands now, to look at."""
        with self._held():
            return self._keeper.tab

    def status_line(self) -> str:
        """The status line as it would stand beside the next call."""
        with self._held():
            return self._keeper.status_line(self._turn + 1)

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Holds the journal, with all that stands in it folded in; what fails in between is taken from there again."""
        with self.journal.held():
            is_whole = False
            try:
                if self.journal.made_anew:
                    self._forget()
                for step in self.journal.arrived():
                    self._fold(step)
                if not self._begun:
                    self._begin()
                yield
                is_whole = True
            finally:
                if not is_whole:
                    self.journal.rewind()
                    self._forget()

    def _begin(self) -> None:
        about = {
            "version": str(VERSION),
            "task": self.journal.path.stem,
            "workspace": self._root,
            "harness": self._harness,
        }
        about |= {"fresh_cwd": "true"} if self._fresh_cwd else {}
        about |= {"method": "running_tab"} if self._told else {}
        self._write(Step("begun", 0, agent=self._agent, about=about))
        self._begun = True

    def _write(self, step: Step, shown: Shown | None = None) -> None:
        """Write a step whose facts the keeper has folded in."""
        self.journal.append(step, shown)
        self._texts.settle()
        self._note(step)

    def _fold(self, step: Step) -> None:
        """A step of the journal: as if this object had done it."""
        if step.about is not None:
            self._begun = True
            self._root = step.about.get("workspace", self._root)
            self._keeper.workspace.root = self._keeper.workspace.cwd = self._root
            self._keeper.workspace.fresh_cwd = "fresh_cwd" in step.about
        for event in step.events:
            self._keeper.tab.apply(event)
        know(self._keeper.workspace, step.events)
        if step.memory is not None:
            recall(self._keeper.workspace, step.memory)
        self._note(step)

    def _note(self, step: Step) -> None:
        self._responses.add((step.agent, step.response))
        if step.kind in ("call", "operation", "stop"):
            self._turn, self._call = step.turn, step.call
            self._latest = step.agent, step.response
        if step.kind == "call":
            self._cwds[step.agent] = step.left_in or step.cwd

    def _place(self, response: str) -> tuple[int, int]:
        """Turn and position of the next call."""
        if response and self._latest == (self._agent, response):
            return self._turn, self._call + 1
        return self._turn + 1, 0

    def _forget(self) -> None:
        self._texts = _Texts(self.journal)
        self._keeper = Keeper(Workspace(self._root, self._root, self._fresh_cwd), texts=self._texts)
        self._begun = False
        self._turn, self._call = 0, -1
        self._latest = "", ""
        self._cwds: dict[str, str] = {}
        self._responses: set[tuple[str, str]] = set()


class _Texts(MutableMapping[str, str]):
    """Excerpts by digest: those of the step that is being made, and those that the journal has."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._new: dict[str, str] = {}

    def settle(self) -> None:
        """The journal has all of them now."""
        self._new.clear()

    def __getitem__(self, digest: str) -> str:
        return self._new[digest] if digest in self._new else self._journal.text(digest)

    def __setitem__(self, digest: str, text: str) -> None:
        self._new[digest] = text

    def __delitem__(self, digest: str) -> None:
        del self._new[digest]

    def __iter__(self) -> Iterator[str]:
        return iter(self._new)

    def __len__(self) -> int:
        return len(self._new)
