"""`runningtab analyze masked-recovery`: what a model, or the lexical baseline, recovers of values that were left out."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from tabcore.commands.printing import counted, print_json, print_table, say
from tabcore.commands.recovery_words import arm_line, given_line, recovery_json, sentence
from tabcore.text.printable import printable

if TYPE_CHECKING:
    from tabcore.analyses.masked_recovery import AskedCase, MaskedRecovery
    from tabcore.analyses.recovery_cases import Arm, MaskedValue, Protocol
    from tabcore.language_models import Endpoint, Parameters
    from tabcore.recovery import Asked, Choice, Plan, Progress
    from tabcore.text.value_rules import Rule

LEXICAL = "lexical"


def add_arguments(asked: argparse.ArgumentParser) -> None:
    """The options beside those of every question."""
    asked.add_argument("runs", nargs="*", metavar="RUN", help="ids of runs, or their beginnings (default: all)")
    for name in ("method", "suite"):
        asked.add_argument(f"--{name}", help=f"only runs of this {name}")
    asked.add_argument("--of-model", metavar="MODEL", help="only runs of this model")
    _add_whom(asked.add_argument_group("who is asked"))
    _add_what(asked.add_argument_group("what is asked"))


def _add_whom(group: argparse._ArgumentGroup) -> None:
    def add(name: str, metavar: str, default: str | float, help: str) -> None:
        group.add_argument(name, metavar=metavar, default=default, type=type(default), help=help)

    add("--model", "NAME", LEXICAL, "the model as the endpoint names it (lexical: the baseline, no model at all)")
    add("--base-url", "URL", "", "an OpenAI-compatible endpoint, for instance http://127.0.0.1:11434/v1")
    add("--key-variable", "VAR", "", "the environment variable that has its key (RUNNINGTAB_API_KEY)")
    add("--temperature", "T", 0.0, "(0)")
    add("--answer-tokens", "N", 1000, "tokens of an answer at most (1000)")
    add("--timeout", "S", 600.0, "seconds for one answer, further attempts included (600)")
    add("--at-once", "N", 2, "prompts asked at a time (2)")
    add("--max-calls", "N", 500, "refuse what may take more calls, and stop there (500)")
    add("--max-tokens", "N", 1_000_000, "the same for tokens, in both directions (1000000)")
    group.add_argument("--dry-run", action="store_true", help="say what would be asked, and send nothing")


def _add_what(group: argparse._ArgumentGroup) -> None:
    arms = ["no-tab", "review", "read-log"]
    group.add_argument("--arm", action="append", choices=arms, help="only this arm; may be repeated (all three)")
    group.add_argument(
        "--of", choices=["requirements", "rubrics", "both"], default="both", help="what counts as a requirement (both)"
    )
    group.add_argument(
        "--mask", choices=["whole", "number"], default="whole", help="mask all of a value, or its digits only (whole)"
    )
    group.add_argument("--keep-task", action="store_true", help="leave values in the task's own text unmasked")
    group.add_argument("--shown", type=int, default=3, metavar="K", help="entries and candidates in the review (3)")
    group.add_argument(
        "--bm25", choices=list(_VARIANTS), default="tab", help="the form of BM25 that ranks the review (tab)"
    )
    group.add_argument("--level", type=int, choices=range(6), default=3, help="context level that cuts results (3)")
    group.add_argument("--steps", type=int, default=4, metavar="N", help="times that entries may be opened (4)")
    group.add_argument("--guesses", type=int, default=1, metavar="N", help="numbers that count for a masked value (1)")
    group.add_argument("--context", type=int, default=32_000, metavar="N", help="tokens of the model's context (32000)")


_VARIANTS = {"tab": "the tab's", "okapi": "Okapi", "l": "L", "plus": "Plus"}


def run(options: argparse.Namespace, runs: Sequence[str] | None, rule: Rule) -> int:
    """Ask what is still to be asked, then print what all answers come to."""
    from tabcore import recovery

    protocol = _protocol(options, rule)
    choice = recovery.Choice(None if runs is None else tuple(runs), _arms(options))
    where, asked = _endpoint(options), None
    if where is not None:
        _announce(recovery.plan(options.db, choice, protocol, where), where)
        if options.dry_run:
            return 0
        asked = _ask(options, choice, protocol, where)
    found = recovery.masked_recovery(options.db, choice, protocol, options.model, _parameters(options))
    if options.json:
        told = {"stopped": asked.stopped, "faults": list(asked.faults)} if asked else {}
        print_json(recovery_json(found, options.model) | told)
    else:
        _print(found, options.model)
    return 1 if asked and (asked.stopped or asked.faults) else 0


def _protocol(options: argparse.Namespace, rule: Rule) -> Protocol:
    from tabcore.analyses.recovery_cases import KINDS, Protocol

    return Protocol(
        rule=rule,
        dates=options.dates,
        kinds=KINDS if options.of == "both" else (KINDS[options.of == "rubrics"],),
        form=options.mask,
        masks_task=not options.keep_task,
        shown=max(0, options.shown),
        variant=_VARIANTS[options.bm25],  # type: ignore[arg-type]
        level=options.level,
        steps=max(0, options.steps),
        guesses=max(1, options.guesses),
        context=options.context,
    )


def _arms(options: argparse.Namespace) -> tuple[Arm, ...]:
    from tabcore.analyses.recovery_cases import ARMS

    wanted = {arm.replace("-", " ") for arm in options.arm or ()}
    return tuple(arm for arm in ARMS if not wanted or arm in wanted)


def _parameters(options: argparse.Namespace) -> Parameters:
    from tabcore.language_models import Parameters

    return Parameters(options.temperature, options.answer_tokens)


def _endpoint(options: argparse.Namespace) -> Endpoint | None:
    if options.model == LEXICAL:
        return None
    from tabcore.language_models import endpoint

    return endpoint(options.base_url, options.model, options.key_variable, _parameters(options), options.timeout)


def _announce(plan: Plan, where: Endpoint) -> None:
    """What will be sent, and whether it leaves this machine, before anything is."""
    place = "stays on this machine" if where.is_local else f"leaves this machine for {where.host}"
    lines = [
        f"{where.model}: {counted(plan.conversations, 'conversation')} to have, {plan.answered} in the store; "
        f"at most {plan.calls:,} calls and {plan.tokens:,} tokens"
    ]
    if plan.conversations:
        lines.append(
            f"{plan.characters:,} characters of tasks, requirements and files that were read are sent at first; the text {place}"
        )
    for line in lines:
        print(printable(line, " "), file=sys.stderr, flush=True)


def _ask(options: argparse.Namespace, choice: Choice, protocol: Protocol, where: Endpoint) -> Asked:
    from tabcore import recovery

    limits = recovery.Limits(options.max_calls, options.max_tokens, max(1, options.at_once))
    with _cancelled_by_interrupt() as cancel:
        asked = recovery.ask(options.db, choice, protocol, where, limits, _ProgressLine(sys.stderr), cancel)
    stopped = [] if asked.stopped in ("", *asked.faults) else [f"stopped: {asked.stopped}"]
    for fault in (*asked.faults, *stopped):
        print(f"runningtab: {printable(fault, ' ')}", file=sys.stderr)
    if asked.stopped:
        print("runningtab: what was answered is kept; the same command goes on from there", file=sys.stderr)
    return asked


@contextmanager
def _cancelled_by_interrupt() -> Iterator[threading.Event]:
    """An event that Ctrl-C sets; a second Ctrl-C ends the program."""
    cancel = threading.Event()
    before = signal.getsignal(signal.SIGINT)

    def interrupted(*_: object) -> None:
        cancel.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, interrupted)
    try:
        yield cancel
    finally:
        signal.signal(signal.SIGINT, before)


def _print(found: MaskedRecovery, model: str) -> None:
    say(printable(sentence(found, model), " "))
    print_table([("arm", "recovered", "95 % interval", "paper", "answers"), *map(arm_line, found.arms)])
    say("")
    print_table(
        [
            ("arm", "given, characters", "cut", "tokens in", "tokens out", "seconds", "cost"),
            *map(given_line, found.arms),
        ]
    )
    if found.cases:
        say("")
        arms = [result.arm for result in found.arms]
        rows = [_row(asked, value, arms) for asked in found.cases for value in asked.case.values]
        print_table([("run", "item", "value", "held in", *arms, "requirement, masked"), *rows])


def _row(asked: AskedCase, value: MaskedValue, arms: Sequence[Arm]) -> tuple[str, ...]:
    words = {True: "recovered", False: "no", None: "not asked"}
    held = ", ".join(value.entries) or "not held"
    told = [words[asked.recovered(value, arm)] for arm in arms]
    case = asked.case
    return (case.material.run.run_id, case.item.item_id, value.text, held, *told, case.text)


class _ProgressLine:
    """Says how far the asking has come: at once on a terminal, every few seconds in a log file."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._terminal = stream.isatty()
        self._next = 0.0

    def __call__(self, now: Progress) -> None:
        ended = now.done + now.failed == now.of
        if time.monotonic() < self._next and not ended:
            return
        self._next = time.monotonic() + (0.2 if self._terminal else 5.0)
        failed = f", {now.failed} failed" if now.failed else ""
        line = f"asked: {now.done} of {now.of} conversations, {now.calls:,} calls, {now.tokens:,} tokens{failed}"
        head, end = ("\r\x1b[K", "\n" if ended else "") if self._terminal else ("", "\n")
        self._stream.write(f"{head}{line}{end}")
        self._stream.flush()
