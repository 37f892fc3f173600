"""The spans of one trace -> runs. What a span says is the reader's to find out; here is how they make up a run.

A model's span is a turn. Each repeats the conversation so far: only what was not told before becomes a message. A
result is what the next prompt shows of it, or else what the tool's span holds. A model's span around others (the
framework's around the client library's) tells again what those tell: they are the turns, and what they leave out is
taken from it. Spans below a tool's span are a sub-agent's: a run of their own where a model is among them, and
otherwise the tool's own workings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tabcore.readers.assembly import Response, RunAssembler
from tabcore.readers.base import Account
from tabcore.readers.contents import arguments
from tabcore.readers.trace_messages import Said, packed_arguments
from tabcore.trajectory import Message, Observation, Piece, RunEnded, RunHeader, RunStarted, Span, ToolCall, Usage

DEPTH = 100
"""Spans lie in no more spans than this."""


@dataclass(slots=True)
class Node:
    """What every span has, and all that is kept of one that only lies around others. `line` is its place in the log."""

    ident: str
    parent: str
    line: int
    start: float | None
    end: float | None


@dataclass(slots=True)
class ModelSpan(Node):
    """A model was asked, and answered."""

    heard: list[Said] = field(default_factory=list)
    said: Said = field(default_factory=lambda: Said("assistant"))
    model: str | None = None
    usage: Usage | None = None
    failed: bool = False


@dataclass(slots=True)
class ToolSpan(Node):
    """A tool ran. `call_id` is "" where the span does not name the call."""

    call_id: str = ""
    name: str = ""
    asked: object = None
    shown: Said = field(default_factory=lambda: Said("tool"))
    is_error: bool = False


@dataclass(slots=True)
class RetrievalSpan(Node):
    """Documents were looked up by the program, not by a call; each with the file that it comes from, if told."""

    documents: list[tuple[str, str]] = field(default_factory=list)


def is_told(nodes: Iterable[Node]) -> bool:
    """True when a model, a tool or a look-up is among the spans."""
    return any(isinstance(node, ModelSpan | ToolSpan | RetrievalSpan) for node in nodes)


def read_traces(
    traces: Mapping[str, Sequence[Node]], header: Callable[[str], RunHeader], account: Account, *, silent: str
) -> Iterator[Piece]:
    """The runs of a log's traces, by their idents; those without a model, a tool or a look-up are passed over.

    `header` says what is known of a trace by its ident, "" for none. A log that has no other traces is one run without
    turns, and `silent` says what was looked for.
    """
    told = {ident: nodes for ident, nodes in traces.items() if is_told(nodes)}
    for ident, nodes in told.items():
        read_trace(nodes, ident, header(ident), account)
        yield from account.drain()
    if not told:
        account.note(0, "no turns", silent, "kept without turns")
        account.pieces += [RunStarted("", header("")), RunEnded("", header(""))]
    yield from account.close()


def read_trace(nodes: Iterable[Node], key: str, header: RunHeader, account: Account) -> None:
    """The trace's run, and one for each sub-agent, into the account."""
    ordered = sorted(nodes, key=lambda node: (node.start is None, node.start or 0.0, node.line))
    by_ident = {node.ident: node for node in ordered if node.ident}
    wrappers = _wrappers(ordered, by_ident)
    groups: dict[str, list[Node]] = {}
    for node in ordered:
        if node.ident not in wrappers:
            groups.setdefault(_owner(node, by_ident), []).append(node)
    main = _TraceRun(key, header, account)
    main.read(groups.pop("", []))
    for ident, group in groups.items():
        tool = by_ident[ident]
        if any(isinstance(node, ModelSpan) for node in group):
            call = main.calls.get(ident, tool.call_id if isinstance(tool, ToolSpan) else "")
            _TraceRun(f"{key}.{ident}", replace(header, parent_key=key, parent_call=call or None), account).read(group)


def _ancestors(node: Node, by_ident: dict[str, Node]) -> Iterable[Node]:
    """The recorded spans around a span, from the inside; a circle, or DEPTH of them, end the walk."""
    met = {node.ident}
    while len(met) < DEPTH and (above := by_ident.get(node.parent)) is not None and above.ident not in met:
        met.add(above.ident)
        yield above
        node = above


def _owner(node: Node, by_ident: dict[str, Node]) -> str:
    return next((above.ident for above in _ancestors(node, by_ident) if isinstance(above, ToolSpan)), "")


def _wrappers(ordered: list[Node], by_ident: dict[str, Node]) -> set[str]:
    """The model's spans that lie around others. What those leave out is filled in: prompt of the first, answer of the last."""
    inside: dict[str, list[ModelSpan]] = {}
    for node in ordered:
        for above in _ancestors(node, by_ident) if isinstance(node, ModelSpan) else ():
            if isinstance(above, ToolSpan):
                break
            if isinstance(above, ModelSpan) and isinstance(node, ModelSpan):
                inside.setdefault(above.ident, []).append(node)
    for ident in reversed([node.ident for node in ordered if node.ident in inside]):
        around, within = by_ident[ident], [node for node in inside[ident] if node.ident not in inside]
        if isinstance(around, ModelSpan) and within:
            within[0].heard = within[0].heard or around.heard
            if not (within[-1].said.text or within[-1].said.calls):
                within[-1].said = around.said
            if len(within) == 1:
                within[0].usage = within[0].usage or around.usage
                within[0].model = within[0].model or around.model
    return set(inside)


class _TraceRun:
    """One run of a trace, filled span by span."""

    def __init__(self, key: str, header: RunHeader, account: Account) -> None:
        self.calls: dict[str, str] = {}
        self._account = account
        self._run = RunAssembler(key, header, account)
        self._told: Counter[tuple[str, ...]] = Counter()
        self._shown: dict[str, Said] = {}
        self._answered: set[str] = set()
        self._documents: list[tuple[str, str]] = []
        self._last: ModelSpan | None = None

    def read(self, nodes: list[Node]) -> None:
        """All spans of the run, by their start."""
        for node in nodes:
            for said in node.heard if isinstance(node, ModelSpan) else ():
                if said.role == "tool" and said.call_id:
                    self._shown.setdefault(said.call_id, said)
        for node in nodes:
            match node:
                case ModelSpan():
                    self._model(node)
                case ToolSpan():
                    self._tool(node)
                case RetrievalSpan():
                    self._documents += node.documents
        self._leave_documents(nodes[-1].line if nodes else 0)
        if self._run.turns == 0:
            self._account.note(0, "no turns", f"the trace {self._run.key} holds no response", "kept without turns")
        self._run.end()

    def _model(self, span: ModelSpan) -> None:
        if self._last is not None and _is_same(self._last, span):
            return
        heard: Counter[tuple[str, ...]] = Counter()
        for said in span.heard:
            heard[said.key] += 1
            if heard[said.key] > self._told[said.key]:
                self._told[said.key] = heard[said.key]
                self._hear(said, span)
        self._leave_documents(span.line)
        self._last = span
        response = Response("", span.line, span.start, span.model, usage=span.usage)
        response.outcome = "failed" if span.failed else "complete"
        response.texts += [span.said.text] if span.said.text else []
        response.reasonings += [span.said.reasoning] if span.said.reasoning else []
        for place, call in enumerate(span.said.calls):
            given = arguments(packed_arguments(call.arguments), call.name, span.line, self._account)
            response.calls.append(ToolCall(call.call_id or f"{span.ident}.{place}", call.name, given, span.line))
        self._run.respond(response)
        self._told[span.said.key] += 1

    def _hear(self, said: Said, span: ModelSpan) -> None:
        """Something of a prompt that no earlier prompt or answer of the run holds."""
        line, time = span.line, span.start
        match said.role:
            case "system":
                self._run.say(Message(said.text, "harness", "system", line, time))
            case "assistant":
                self._run.say(Message(said.text, "agent", "copied", line, time))
            case "tool" if self._run.turns == 0:
                self._run.say(Message(said.text, "tool", "copied", line, time))
            case "tool":
                call = said.call_id or next((call.call_id for call in self._run.awaited()), "")
                if call and call not in self._answered:
                    self._answered.add(call)
                    self._run.observe(Observation(call, said.text, images=said.images, line=line, time=time))
            case _:
                spans, self._documents = _retrieved(said.text, self._documents)
                self._run.say(Message(said.text, "person", "prompt", line, time, spans))

    def _tool(self, span: ToolSpan) -> None:
        call_id = self._call_of(span)
        self.calls[span.ident] = call_id
        if call_id in self._answered:
            return
        self._answered.add(call_id)
        shown = self._shown.get(call_id, span.shown)
        self._run.observe(
            Observation(call_id, shown.text, span.is_error, images=shown.images, line=span.line, time=span.end)
        )

    def _call_of(self, span: ToolSpan) -> str:
        """The id of the call that a tool's span answers; where no response holds it, the last one is given it."""
        if span.call_id and (self._run.awaits(span.call_id) or span.call_id in self._answered):
            return span.call_id
        given = arguments(packed_arguments(span.asked), span.name, span.line, self._account)  # type: ignore[arg-type]
        open_calls = [call for call in self._run.awaited() if call.name == span.name]
        best = next((call for call in open_calls if call.arguments == given), open_calls[0] if open_calls else None)
        if best is not None and not span.call_id:
            return best.call_id
        call_id = span.call_id or span.ident
        if self._run.response is None:
            what = f'the tool "{span.name}" ran before any response'
            self._account.note(span.line, "no response", what, "kept in a turn without words")
            self._run.respond(Response("", span.line, span.start))
        self._run.call(ToolCall(call_id, span.name, given, span.line))
        return call_id

    def _leave_documents(self, line: int) -> None:
        """Documents that no prompt shows word for word are told apart, so that they are not lost."""
        for source, text in self._documents:
            head = f"{source}\n" if source else ""
            self._run.say(
                Message(
                    head + text, "harness", "environment", line, None,
                    (Span(0, len(head), "harness", "source"),) if head else (),
                )
            )  # fmt: skip
        self._documents = []


def _is_same(one: ModelSpan, other: ModelSpan) -> bool:
    """True for one response told by two libraries side by side: the same words, at overlapping times."""
    if (one.said.text, one.said.calls) != (other.said.text, other.said.calls) or not (one.said.text or one.said.calls):
        return False
    return one.end is not None and other.start is not None and other.start < one.end


def _retrieved(text: str, documents: list[tuple[str, str]]) -> tuple[tuple[Span, ...], list[tuple[str, str]]]:
    """Where retrieved documents stand in a prompt, and those that do not.

    >>> _retrieved("Use: abc. Q?", [("a.txt", "abc"), ("b.txt", "xyz")])
    ((Span(start=5, end=8, origin='harness', what='retrieved document a.txt'),), [('b.txt', 'xyz')])
    """
    spans: list[Span] = []
    missing: list[tuple[str, str]] = []
    after = 0
    for source, document in documents:
        start = text.find(document, after) if document else -1
        if start < 0:
            missing.append((source, document))
            continue
        after = start + len(document)
        spans.append(Span(start, after, "harness", f"retrieved document {source}".rstrip()))
    return tuple(spans), missing
