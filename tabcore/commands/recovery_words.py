"""Masked recovery in words and as JSON, the same on the command line and the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tabcore.analyses.masked_recovery import ArmResult, AskedCase, MaskedRecovery
    from tabcore.analyses.rates import Rate
    from tabcore.analyses.recovery_cases import Arm
    from tabcore.analyses.recovery_prompts import Conversation
    from tabcore.trajectory import Json


def model_name(model: str) -> str:
    """What a model's results are called: the baseline is never called a model.

    >>> model_name("lexical"), model_name("qwen")
    ('lexical baseline (no model)', 'qwen')
    """
    return "lexical baseline (no model)" if model == "lexical" else model


def sentence(found: MaskedRecovery, model: str) -> str:
    """The answer in one sentence."""
    if not found.cases:
        return "No requirement of these runs was left out entirely with one of its values in the read log."
    what = f"Of {_number(found.held, 'held value')} in {_number(len(found.cases), 'requirement')} left out entirely, "
    told = [f"{result.recovered.count} {_WITH[result.arm]}" for result in found.arms if result.answered]
    if not told:
        return f"{what}none was asked of {model_name(model)} yet."
    waiting = sum(result.waiting for result in found.arms)
    more = f"; {_number(waiting, 'question')} not asked yet" if waiting else ""
    who = f"the {model_name(model)}" if model == "lexical" else model
    return f"{what}{who} states {', '.join(told)}{more}."


_WITH: Mapping[Arm, str] = {
    "no tab": "given nothing",
    "review": "given the review",
    "read log": "given the whole read log",
}


def _number(count: int, thing: str) -> str:
    return f"{count:,} {thing}" + ("" if count == 1 else "s")


def percent(share: float | None) -> str:
    """ "45.8 %", or a dash."""
    return "–" if share is None else f"{100 * share:.1f} %"


def arm_line(result: ArmResult) -> tuple[str, ...]:
    """Arm, recovered, interval, the paper's value, what became of the answers."""
    from tabcore.analyses.masked_recovery import PAPER

    rate = result.recovered
    low, high = rate.interval or (None, None)
    shares = (f"{rate.count}/{rate.of} = {percent(rate.share)}", f"{percent(low)} to {percent(high)}")
    return (result.arm, *shares, percent(PAPER[result.arm]), how_words(result))


def how_words(result: ArmResult) -> str:
    """What became of the answers of an arm: "12 stated, 3 refused, 1 not asked"."""
    told = [f"{count} {how}" for how, count in result.how.items()]
    told += [f"{result.waiting} not asked"] if result.waiting else []
    told += [f"{result.beyond} numbers too many"] if result.beyond else []
    return ", ".join(told)


def given_line(result: ArmResult) -> tuple[str, ...]:
    """Arm, characters given and cut, tokens, time, cost; "–" where nobody told."""
    tokens = ["–" if count is None else f"{count:,}" for count in (result.tokens_in, result.tokens_out)]
    cost = "–" if result.cost is None else f"{result.cost:.4f}"
    return (result.arm, f"{result.given:,}", f"{result.cut:,}", *tokens, f"{result.seconds:.1f}", cost)


def recovery_json(found: MaskedRecovery, model: str) -> dict[str, Json]:
    """The answer as JSON: overall, by run, by requirement, by value."""
    runs = dict.fromkeys(asked.case.material.run.run_id for asked in found.cases)
    return {
        "model": model,
        "is_model": model != "lexical",
        "held": found.held,
        "requirements": len(found.cases),
        "arms": _arms_json(found.arms),
        "runs": {run: _arms_json(found.of_run(run)) for run in runs},
        "cases": [_case_json(asked) for asked in found.cases],
    }


def _arms_json(arms: Sequence[ArmResult]) -> dict[str, Json]:
    from tabcore.analyses.masked_recovery import PAPER

    return {
        arm.arm: {
            **rate_json(arm.recovered),
            "paper": PAPER[arm.arm],
            "answered": arm.answered,
            "waiting": arm.waiting,
            "characters_given": arm.given,
            "characters_cut": arm.cut,
            "tokens_in": arm.tokens_in,
            "tokens_out": arm.tokens_out,
            "seconds": arm.seconds,
            "cost": arm.cost,
            "numbers_beyond_the_bound": arm.beyond,
            "answers": dict(arm.how),
        }
        for arm in arms
    }


def rate_json(rate: Rate) -> dict[str, Json]:
    """A share with its interval."""
    low, high = rate.interval or (None, None)
    return {"recovered": rate.count, "of": rate.of, "share": rate.share, "low": low, "high": high}


def _case_json(asked: AskedCase) -> dict[str, Json]:
    case = asked.case
    return {
        "run": case.material.run.run_id,
        "kind": case.item.kind,
        "id": case.item.item_id,
        "requirement": case.item.text,
        "masked": case.text,
        "values": [
            {
                "value": value.text,
                "key": value.key,
                "held_in": list(value.entries),
                "recovered": {arm: asked.recovered(value, arm) for arm in asked.conversations},
            }
            for value in case.values
        ],
        "answers": {arm: _talk_json(talk) for arm, talk in asked.conversations.items()},
    }


def _talk_json(talk: Conversation) -> dict[str, Json] | None:
    if talk.said is None:
        return None
    return {
        "how": talk.said.how,
        "stated": [number.text for number in talk.said.numbers],
        "beyond": talk.said.beyond,
        "opened": list(talk.opened),
        "characters_given": talk.given,
        "characters_cut": talk.cut,
        "last": talk.answers[-1].text,
    }
