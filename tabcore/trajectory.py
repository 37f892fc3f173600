"""What a recorded run is, whatever harness wrote it.

Reading order: `RunHeader` (what is known before the first turn), `Turn` (one model response with its
tool calls and their observations), `Run` (the whole, when it fits in memory). Readers stream
`Piece`s; `collect()` makes `Run`s of them.

Words follow ATIF (Agent Trajectory Interchange Format, v1.5) where it has one: tool call,
observation, session, agent. A *turn* is ATIF's agent step, or several of them where a converter split
one response.

Texts are exactly those of the record. Where a part of a text is not what its bearer says (a line
number in a tool's result, a reminder in a person's message, a status line of the tab), a `Span` marks it
and the text stays whole.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tabcore.errors import Problem

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

Origin = Literal["person", "agent", "tool", "harness", "tab"]
"""Whose words a text is: the person's, the agent's, a tool's, the harness's own insertion, or the tab's."""

MessageKind = Literal["prompt", "system", "reminder", "environment", "compaction", "copied", "notice", "shell"]
"""prompt: a person asks · system: the system or developer prompt · reminder: inserted beside a message ·
environment: working directory, date, project notes · compaction: a summary that replaces earlier turns ·
copied: earlier context stated again · notice: the harness reports or nags · shell: the person's own command."""

Outcome = Literal["complete", "aborted", "failed"]
"""How a model response ended. Only a complete response without a tool call is a stop."""


StatedKind = Literal["read", "listed", "searched", "changed"]
"""read, changed (written anew, or edited): of a file · listed, searched: of a folder or file."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What the record itself says of a file, beside what its calls and results show.

    `call_id` is the call of which it is said, "" where it is said of all that came before. `path` is absolute where the
    record tells the directory; a bare name is any file of that name. `source` is the record's field.
    """

    kind: StatedKind
    path: str
    source: str
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start:end` of a text that come from somebody other than the text's bearer."""

    start: int
    end: int
    origin: Origin
    what: str = ""


def without(text: str, spans: Iterable[Span], origins: Container[Origin]) -> str:
    """A text less the spans of the given origins.

    >>> without("Write it.<reminder>", [Span(9, 19, "harness")], {"harness"})
    'Write it.'
    """
    for span in sorted((s for s in spans if s.origin in origins), key=lambda s: -s.start):
        text = text[: span.start] + text[span.end :]
    return text


@dataclass(frozen=True, slots=True)
class Message:
    """Text that reached the model without a tool call. `line` is its place in the log, from 1."""

    text: str
    origin: Origin
    kind: MessageKind
    line: int = 0
    time: float | None = None
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as the agent made it.

    `arguments` are the decoded ones, to be treated as read-only. Where the record's arguments were
    no JSON object they stand under the one name `""`, and a `Problem` says so.
    """

    call_id: str
    name: str
    arguments: Mapping[str, Json]
    line: int = 0


@dataclass(frozen=True, slots=True)
class Observation:
    """What a tool call returned, exactly as the model was shown it.

    `call_id` names the call, which may stand in an earlier turn; it is `""` where one text answers all
    the calls of its turn (a terminal's screen) or no call at all. `spans` marks what in `text` is not
    the tool's. `images` counts pictures that were shown and are not part of `text`.
    """

    call_id: str
    text: str
    is_error: bool = False
    spans: tuple[Span, ...] = ()
    images: int = 0
    exit_code: int | None = None
    cwd: str | None = None
    line: int = 0
    time: float | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one response, counted once per response; cost in US dollars as the record states it."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One model response with its tool calls, and the observations shown after it.

    `number` counts from 1. `before` is what reached the model between the previous turn and this
    response. `stated` is what the record says of files up to the next response. `time` is in seconds since 1970, UTC; None where the record has none. `cwd` is the
    working directory where the record states one for this turn.
    """

    number: int
    text: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    observations: tuple[Observation, ...] = ()
    before: tuple[Message, ...] = ()
    outcome: Outcome = "complete"
    model: str | None = None
    usage: Usage | None = None
    cwd: str | None = None
    line: int = 0
    time: float | None = None
    stated: tuple[Stated, ...] = ()

    @property
    def is_stop(self) -> bool:
        """True for a complete response without a tool call."""
        return not self.calls and self.outcome == "complete"


@dataclass(frozen=True, slots=True)
class Task:
    """The text that asks for a deliverable, and where it was found ("run folder", "first message")."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Rubric:
    """One criterion by which a deliverable is judged; `points` is its weight."""

    rubric_id: str
    text: str
    points: float = 1.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's word on one rubric. `passed` is None where it was not evaluated or the judge failed."""

    rubric_id: str
    passed: bool | None
    evidence: str = ""
    judge_failed: bool = False


DeliverableSource = Literal["file", "written", "code", "answer"]
"""file: it lies beside the log · written: the record holds what the agent wrote into it · code: the record holds only
the code that made it · answer: no file was written, the last answer is what was delivered."""


@dataclass(frozen=True, slots=True)
class DeliverablePiece:
    """Characters `start:end` of a deliverable's text and where they sit in the file.

    `place` is how people are shown it ("Costs!B4", "paragraph 3"). Pieces of one table or sheet share `table` and have
    their `row` and `column`, from 1; others have "" and 0. `raw` is what a cell stores where that differs from what it shows.
    """

    start: int
    end: int
    place: str
    table: str = ""
    row: int = 0
    column: int = 0
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Deliverable:
    """A file that the run delivered. `text` is None where none is known; `turn` is when it was last written, where known.

    `kind` is the file's by its content ("docx", "xlsx"), "" for what was never a file.
    """

    path: str
    size: int
    sha256: str
    text: str | None = None
    source: DeliverableSource = "file"
    turn: int | None = None
    kind: str = ""
    pieces: tuple[DeliverablePiece, ...] = ()


@dataclass(frozen=True, slots=True)
class RunHeader:
    """What is known of a run apart from its turns.

    `format` is the reader's name; `harness` the agent program's, as recorded; `session` the record's own id.
    `root` is the workspace root where somebody states it, `cwd` the first working directory.
    `fresh_cwd` is true for a harness that starts each command in the same directory.
    `parent_key` and `parent_call` are set for a sub-agent. `simulated` is a sentence for runs that were
    scripted or re-enacted; every page shows it.
    """

    format: str
    harness: str = ""
    session: str = ""
    task: Task | None = None
    root: str | None = None
    cwd: str | None = None
    fresh_cwd: bool = False
    method: str | None = None
    model: str | None = None
    attempt: int | None = None
    attempts: int | None = None
    suite: str | None = None
    task_name: str | None = None
    started: float | None = None
    simulated: str | None = None
    parent_key: str | None = None
    parent_call: str | None = None


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run begins. `key` tells the runs of one log apart: `""` for the first, the sub-agent's id for another."""

    key: str
    header: RunHeader


@dataclass(frozen=True, slots=True)
class TurnRead:
    """The next turn of run `key`. `abandoned` turns lie on a branch that the record gave up."""

    key: str
    turn: Turn
    abandoned: bool = False


@dataclass(frozen=True, slots=True)
class RunEnded:
    """Run `key` has no more turns. `header` is the final one; `after` is what was said after the last turn.

    `rubrics` and `verdicts` are those that the log itself holds of the run.
    """

    key: str
    header: RunHeader
    after: tuple[Message, ...] = ()
    rubrics: tuple[Rubric, ...] = ()
    verdicts: tuple[Verdict, ...] = ()


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of a log's lines (of a JSON log: its steps or messages). `untimed` records have no time."""

    unit: str = "line"
    total: int = 0
    read: int = 0
    skipped: tuple[int, ...] = ()
    untimed: int = 0

    def __str__(self) -> str:
        """ "8 lines: 7 read, 1 skipped (line 4), 3 without time"; at most ten places are named."""
        parts = [f"{self.read} read"]
        if self.skipped:
            shown = ", ".join(map(str, self.skipped[:10])) + (", …" if len(self.skipped) > 10 else "")
            parts.append(f"{len(self.skipped)} skipped ({self.unit} {shown})")
        if self.untimed:
            parts.append(f"{self.untimed} without time")
        return f"{self.total} {self.unit}{'' if self.total == 1 else 's'}: {', '.join(parts)}"


Piece = RunStarted | TurnRead | RunEnded | Problem | Tally
"""What a reader yields, in the order of the log. Pieces of several runs may interleave."""


@dataclass(frozen=True, slots=True)
class Run:
    """A recorded run, whole. `run_id` is a hash of the log's content."""

    run_id: str
    path: str
    header: RunHeader
    turns: tuple[Turn, ...] = ()
    abandoned: tuple[Turn, ...] = ()
    after: tuple[Message, ...] = ()
    rubrics: tuple[Rubric, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    deliverables: tuple[Deliverable, ...] = ()
    problems: tuple[Problem, ...] = ()
    tally: Tally = field(default_factory=Tally)


def run_key(digest: str, key: str) -> str:
    """The id of a run: 16 hex digits of its log's sha256, and the run's key within the log.

    >>> run_key("ab" * 32, ""), run_key("ab" * 32, "agent-1")
    ('abababababababab', 'abababababababab.agent-1')
    """
    return digest[:16] + (f".{key}" if key else "")


def collect(pieces: Iterable[Piece], *, digest: str, path: str) -> tuple[Run, ...]:
    """The runs of one log, in the order in which they began; each carries the log's problems and tally.

    >>> header = RunHeader("pi")
    >>> [run] = collect([RunStarted("", header), TurnRead("", Turn(1)), RunEnded("", header)], digest="0" * 64, path="x")
    >>> run.run_id, len(run.turns)
    ('0000000000000000', 1)
    """
    headers: dict[str, RunHeader] = {}
    turns: dict[str, list[Turn]] = {}
    abandoned: dict[str, list[Turn]] = {}
    ended: dict[str, RunEnded] = {}
    problems: list[Problem] = []
    tally = Tally()
    for piece in pieces:
        match piece:
            case RunStarted(key, header):
                headers[key] = header
            case TurnRead(key, turn, gave_up):
                (abandoned if gave_up else turns).setdefault(key, []).append(turn)
            case RunEnded(key):
                ended[key] = piece
            case Problem():
                problems.append(piece)
            case Tally():
                tally = piece
    return tuple(
        Run(
            run_id=run_key(digest, key),
            path=path,
            header=end.header,
            turns=tuple(turns.get(key, ())),
            abandoned=tuple(abandoned.get(key, ())),
            after=end.after,
            rubrics=end.rubrics,
            verdicts=end.verdicts,
            problems=tuple(problems),
            tally=tally,
        )
        for key, end in ((key, ended.get(key, RunEnded(key, header))) for key, header in headers.items())
    )
