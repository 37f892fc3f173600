"""Masked recovery: given nothing, the review or the whole read log, does a model find a value that was left out?

The paper's Figure 4 (right), arXiv 2610.10444, section 5: of the held values of requirements that a deliverable left out
entirely, how many does a model state when they are masked? What counts is a value that the read log holds; others of the
same requirement are shown and not counted. A case whose answer is not known yet, or failed, counts in neither number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tabcore.analyses.rates import Rate
from tabcore.analyses.recovery_cases import ARMS, Arm, Case, MaskedValue, Protocol
from tabcore.analyses.recovery_prompts import Conversation, converse
from tabcore.language_models import Answer, Prompt

PAPER: Mapping[Arm, float] = {"no tab": 0.084, "review": 0.458, "read log": 0.781}
"""Recovered of the held values, by the attempt's own model (Figure 4 right)."""

Ask = Callable[[Prompt, Case], Answer | None]
"""The answer to a prompt about a case, None where it is not known."""


@dataclass(frozen=True, slots=True)
class AskedCase:
    """A case and what was said of it in each arm that was asked."""

    case: Case
    conversations: Mapping[Arm, Conversation]

    def recovered(self, value: MaskedValue, arm: Arm) -> bool | None:
        """Whether an arm's answer states the value; None where there is no answer yet."""
        talk = self.conversations.get(arm)
        return talk.said.recovers(value) if talk is not None and talk.said is not None else None


@dataclass(frozen=True, slots=True)
class ArmResult:
    """What one arm recovered of the held values, and what it was given for that, summed over the `answered` cases.

    `waiting` cases have no answer. `tokens_in`, `tokens_out` and `cost` are None where the endpoint did not tell them for
    every answer. `beyond` counts numbers that answers stated beyond what counts, `how` what became of the answers.
    """

    arm: Arm
    recovered: Rate
    answered: int
    waiting: int
    given: int
    cut: int
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None
    seconds: float
    beyond: int
    how: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class MaskedRecovery:
    """The answer of one model for a set of runs."""

    cases: tuple[AskedCase, ...]
    arms: tuple[ArmResult, ...]

    @property
    def held(self) -> int:
        """How many values are asked for."""
        return sum(len(asked.case.held) for asked in self.cases)

    def of_run(self, run_id: str) -> tuple[ArmResult, ...]:
        """The same for one run."""
        arms = [result.arm for result in self.arms]
        return _arms([asked for asked in self.cases if asked.case.material.run.run_id == run_id], arms)


def masked_recovery(
    cases: Iterable[Case],
    protocol: Protocol,
    ask: Ask,
    arms: Sequence[Arm] = ARMS,
    answer_tokens: int = 0,
    *,
    with_messages: bool = True,
) -> MaskedRecovery:
    """What the known answers come to, in the order of the cases. Without messages it takes little memory: a read log is
    said anew for each case."""
    asked = []
    for case in cases:
        one = _asked(case, protocol, ask, arms, answer_tokens)
        asked.append(one if with_messages else _without_messages(one))
    return MaskedRecovery(tuple(asked), _arms(asked, arms))


def _asked(case: Case, protocol: Protocol, ask: Ask, arms: Sequence[Arm], answer_tokens: int) -> AskedCase:
    talks = {arm: converse(case, arm, protocol, lambda prompt: ask(prompt, case), answer_tokens) for arm in arms}
    return AskedCase(case, talks)


def _without_messages(asked: AskedCase) -> AskedCase:
    talks = {arm: replace(talk, messages=(), pending=None) for arm, talk in asked.conversations.items()}
    return AskedCase(asked.case, talks)


def _arms(cases: Sequence[AskedCase], arms: Sequence[Arm]) -> tuple[ArmResult, ...]:
    return tuple(_arm(arm, [(asked, asked.conversations[arm]) for asked in cases]) for arm in arms)


def _arm(arm: Arm, pairs: Sequence[tuple[AskedCase, Conversation]]) -> ArmResult:
    done = [(asked, talk) for asked, talk in pairs if talk.said is not None]
    found = [bool(asked.recovered(value, arm)) for asked, _ in done for value in asked.case.held]
    answers = [answer for _, talk in done for answer in talk.answers]
    how: dict[str, int] = {}
    for _, talk in done:
        said = talk.said.how if talk.said else ""
        how[said] = how.get(said, 0) + 1
    return ArmResult(
        arm,
        Rate(sum(found), len(found)),
        len(done),
        len(pairs) - len(done),
        sum(talk.given for _, talk in done),
        sum(talk.cut for _, talk in done),
        _sum([answer.tokens_in for answer in answers]),
        _sum([answer.tokens_out for answer in answers]),
        _cost([answer.cost for answer in answers]),
        round(sum(answer.seconds for answer in answers), 3),
        sum(talk.said.beyond for _, talk in done if talk.said),
        how,
    )


def _sum(told: Sequence[int | None]) -> int | None:
    known = [number for number in told if number is not None]
    return sum(known) if known and len(known) == len(told) else None


def _cost(told: Sequence[float | None]) -> float | None:
    known = [number for number in told if number is not None]
    return sum(known) if known and len(known) == len(told) else None
