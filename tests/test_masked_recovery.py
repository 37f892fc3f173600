"""Masked recovery: which requirements are asked for, what a model is given, and what its answers come to."""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from model_server import Body, ModelServer, Reply, answering, said
from small_logs import pi_agent, pi_log, pi_result, pi_user

from sample_runs import runs_folder
from tabcore import cli, recovery, rerun
from tabcore.analyses.masked_recovery import MaskedRecovery
from tabcore.analyses.rates import Rate
from tabcore.analyses.recovery_answers import Said, read_answer
from tabcore.analyses.recovery_cases import USUAL, Arm, Case, Protocol
from tabcore.commands.recovery_words import recovery_json, sentence
from tabcore.errors import UsageError
from tabcore.language_models import Answer, Endpoint, endpoint
from tabcore.recovery import LEXICAL, Choice, Limits
from tabcore.text.value_rules import Rule

BILLS = "no,payee,amount\n1,Aldgate,1234.50\n2,Fjord,7890.25\n3,Bergen,(356.10)\n"
RATES = "Rates from 28 June 2024: water 12.3%, heat 0.228 EUR\nA contract runs 24 months.\n"
TASK = "Write report.md on the bills of /ws, at most 1,234.50 for Aldgate"

ALL = Choice()


@dataclass
class Made:
    """A run that reads the bills and the rates and delivers `deliverable`; its requirements are rubrics."""

    folder: Path
    store: Path

    def run(self, rubrics: dict[str, str], deliverable: str = "Nothing to say", bills: str = BILLS) -> None:
        log = pi_log(
            pi_user(TASK),
            pi_agent("", ("c1", "bash", {"command": "ls /ws"})),
            pi_result("c1", "bills.csv\nrates.txt\nbills_of_2023.csv\n"),
            pi_agent("", ("c2", "bash", {"command": "cat /ws/bills.csv"})),
            pi_result("c2", bills),
            pi_agent("", ("c3", "bash", {"command": "cat /ws/rates.txt"})),
            pi_result("c3", RATES),
            pi_agent("", ("c4", "write", {"path": "/ws/report.md", "content": deliverable})),
            pi_result("c4", "ok"),
            pi_agent("Done."),
        )
        self.folder.mkdir(exist_ok=True)
        (self.folder / "session.jsonl").write_text(log)
        (self.folder / "task.md").write_text(TASK)
        (self.folder / "rubrics.json").write_text(json.dumps([{"id": i, "text": t} for i, t in rubrics.items()]))
        rerun.load([str(self.folder)], self.store)

    def cases(self, protocol: Protocol = USUAL) -> list[Case]:
        return list(recovery.found_cases(self.store, Choice(), protocol))

    def only(self, protocol: Protocol = USUAL) -> Case:
        [case] = self.cases(protocol)
        return case


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path / "run", tmp_path / "runs.duckdb")


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("samples") / "runs.duckdb"
    rerun.load([str(runs_folder())], store)
    return store


def told(
    store: Path, server: ModelServer, protocol: Protocol = USUAL, choice: Choice = ALL, **more: Any
) -> MaskedRecovery:
    """Ask the server, then what its answers come to."""
    recovery.ask(store, choice, protocol, at(server), **more)
    return recovery.masked_recovery(store, choice, protocol, "m")


def at(server: ModelServer) -> Endpoint:
    return endpoint(server.url, "m", timeout=20, environment={})


def rates(found: MaskedRecovery) -> dict[Arm, tuple[int, int]]:
    return {result.arm: (result.recovered.count, result.recovered.of) for result in found.arms}


def answer(*values: str, show: tuple[str, ...] = ()) -> Reply:
    return Reply(json.dumps({"show": list(show), "values": list(values)}))


def always(*values: str) -> Callable[[Body], Reply]:
    return lambda _: answer(*values)


# Which requirements are asked for


def test_a_requirement_is_asked_for_when_none_of_its_values_is_delivered_and_one_is_held(made: Made) -> None:
    made.run(
        {
            "left out": "States Aldgate's 1,234.50",
            "half delivered": "States 7,890.25 and 12.3 %",
            "not held": "States 5,555.55",
            "no value": "Ends with a greeting",
        },
        "Fjord: 7,890.25",
    )
    assert [case.item.item_id for case in made.cases()] == ["left out"]


def test_of_a_requirement_only_the_held_values_count(made: Made) -> None:
    made.run({"a": "States 1,234.50 and 5,555.55"})
    case = made.only()
    assert [(value.text, value.entries) for value in case.values] == [("1,234.50", ("L1",)), ("5,555.55", ())]
    assert [value.text for value in case.held] == ["1,234.50"]


def test_what_is_held_and_equal_follows_the_rule(made: Made) -> None:
    made.run({"a": "Bergen costs 356.10", "b": "A contract of 24 months"})
    assert made.cases() == []
    signed = made.cases(replace(USUAL, rule=Rule(either_sign=True, digits=2)))
    assert [case.item.item_id for case in signed] == ["a", "b"]


def test_dates_are_asked_for_in_the_same_way(made: Made) -> None:
    made.run({"a": "Valid from 2024-06-28", "b": "Heat costs 0.228"})
    assert [case.item.item_id for case in made.cases(replace(USUAL, dates=True))] == ["a"]


def test_the_agents_own_file_holds_nothing(made: Made) -> None:
    made.run({"a": "A total of 77,777.77"}, "Nothing")
    log = made.folder / "session.jsonl"
    log.write_text(log.read_text().replace("cat /ws/rates.txt", "cat /ws/report.md").replace("0.228", "77,777.77"))
    rerun.load([str(made.folder)], made.store)
    assert [case.item.item_id for case in made.cases()] == ["a"]


def test_a_run_that_delivered_nothing_left_nothing_out(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    log = pi_log(pi_user(TASK), pi_agent("", ("c1", "bash", {"command": "cat /ws/bills.csv"})), pi_result("c1", BILLS))
    (folder / "session.jsonl").write_text(log)
    (folder / "rubrics.json").write_text(json.dumps([{"id": "a", "text": "States 1,234.50"}]))
    rerun.load([str(folder)], tmp_path / "runs.duckdb")
    assert recovery.found_cases(tmp_path / "runs.duckdb") == ()


def test_the_agents_requirements_and_the_rubrics_are_told_apart(samples: Path) -> None:
    def kinds(*wanted: str) -> set[str]:
        found = recovery.found_cases(samples, Choice(), replace(USUAL, kinds=wanted))  # type: ignore[arg-type]
        return {case.item.kind for case in found}

    assert kinds("rubric item") == {"rubric item"}
    assert kinds("requirement") <= {"requirement"}


# How they are masked


def test_every_equal_value_is_masked_in_the_requirement_and_in_the_task(made: Made) -> None:
    made.run({"a": "Aldgate gets 1,234.50, that is EUR 1234.5 of bill 1"})
    case = made.only()
    assert case.text == "Aldgate gets [____], that is [____] of bill 1"
    assert case.task == "Write report.md on the bills of /ws, at most [____] for Aldgate"


def test_the_tasks_own_mention_stays_when_it_is_told_to(made: Made) -> None:
    made.run({"a": "Aldgate gets 1,234.50"})
    assert "1,234.50 for Aldgate" in made.only(replace(USUAL, masks_task=False)).task


def test_what_only_a_looser_rule_takes_as_equal_is_masked_too(made: Made) -> None:
    made.run({"a": "Water rises by 12.3 %, a factor of 0.123, or 12.3 in a hundred"})
    assert made.only().text == "Water rises by [____], a factor of [____], or [____] in a hundred"


def test_with_the_digits_masked_alone_the_bare_number_answers(made: Made) -> None:
    made.run({"a": "Water rises by 12.3 %"})
    whole, bare = made.only(), made.only(replace(USUAL, form="number"))
    assert (whole.text, bare.text) == ("Water rises by [____]", "Water rises by [____] %")
    answered = [read_answer(Answer('{"values": ["12.3"]}'), case, 1, may_show=False) for case in (whole, bare)]
    assert [one.recovers(case.values[0]) for one, case in zip(answered, (whole, bare), strict=True)] == [False, True]


def test_no_arm_but_the_log_itself_ever_sees_a_masked_value(made: Made) -> None:
    made.run({"a": "Aldgate gets 1,234.50"}, bills="no,payee,amount\n1,Aldgate,see below\n9,Aldgate again,1234.50\n")
    with answering(always()) as server:
        told(made.store, server)
    without_log = [said(body) for body in server.requests if "Read log:" not in said(body)]
    assert len(without_log) == 2
    assert not any(re.search(r"1,?234\.50?", text) for text in without_log)


def test_masked_values_rank_nothing(made: Made) -> None:
    """The value stands in one entry only; a review by the unmasked text would put that entry first."""
    made.run({"a": "The sum of 1,234.50 for water and heat"})
    with answering(always()) as server:
        told(made.store, server, choice=Choice(arms=("review",)))
    [body] = server.requests
    review = said(body).partition("from your reads:")[2]
    assert "L2 rates.txt" in review
    assert "L1" not in review


def test_secrets_stay_masked_in_prompts(made: Made) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLA"
    made.run({"a": f"Aldgate, whose key is {key}, gets 1,234.50"}, bills=f"{BILLS}key {key}\n")
    with answering(always()) as server:
        told(made.store, server)
    assert len(server.requests) == 3
    assert not any(key in said(body) for body in server.requests)
    assert "[secret: AWS Access Key]" in said(server.requests[-1])


# What a model is given in each arm


def test_the_three_arms_give_nothing_the_review_and_the_log(made: Made) -> None:
    made.run({"a": "Aldgate gets 1,234.50"})
    with answering(always()) as server:
        told(made.store, server, limits=Limits(at_once=1))
    nothing, review, log = (body["messages"][1]["content"] for body in server.requests)
    assert (
        nothing == f"Task:\n{TASK.replace('1,234.50', '[____]')}\n\nRequirement, to be completed:\nAldgate gets [____]"
    )
    assert review.removeprefix(nothing) == (
        "\n\n[tab] Requirements: 1 open, 0 resolved\na [open] Aldgate gets [____]\n from your reads:\n"
        "  L1 bills.csv: 1,Aldgate,1234.50\n never opened: nothing that shares a word"
    )
    assert log.removeprefix(nothing) == (
        f"\n\nRead log: 2 entries\n\nL1: bills.csv (turn 2, {len(BILLS)} chars)\ncommand: cat /ws/bills.csv\n---\n{BILLS}"
        f"\n\nL2: rates.txt (turn 3, {len(RATES)} chars)\ncommand: cat /ws/rates.txt\n---\n{RATES}"
    )


def test_in_the_review_arm_the_model_opens_entries_step_by_step(made: Made) -> None:
    made.run({"a": "Heat costs EUR 0.228"})
    replies = [answer(show=("L1",)), answer("77", show=("L2", "L9")), answer("0.228 EUR")]
    with answering(replies) as server:
        found = told(made.store, server, choice=Choice(arms=("review",)))
    assert rates(found) == {"review": (1, 1)}
    [asked] = found.cases
    assert asked.conversations["review"].opened == ("L1", "L2")
    second = server.requests[2]["messages"][-1]["content"]
    assert RATES in second
    assert "show L9: there is no such entry. Known: L1, L2." in second
    assert "You may open entries 2 more times." in second


def test_it_cannot_open_entries_for_ever(made: Made) -> None:
    made.run({"a": "Heat costs EUR 0.228"})
    replies = [answer(show=("L1",)), answer(show=("L2",)), answer(show=("L1",))]
    with answering(replies) as server:
        found = told(made.store, server, replace(USUAL, steps=2), Choice(arms=("review",)))
    assert len(server.requests) == 3
    assert "No more entries can be opened" in said(server.requests[-1])
    assert rates(found) == {"review": (0, 1)}


def test_one_that_asks_for_nothing_new_is_asked_for_the_values(made: Made) -> None:
    made.run({"a": "Heat costs EUR 0.228"})
    with answering(lambda _: answer(show=("L1",))) as server:
        told(made.store, server, choice=Choice(arms=("review",)))
    assert len(server.requests) == 3
    assert "L1 was shown above." in said(server.requests[-1])
    assert "No more entries can be opened" in said(server.requests[-1])
    assert [body["response_format"]["json_schema"]["schema"]["required"] for body in server.requests] == [
        ["show", "values"],
        ["show", "values"],
        ["values"],
    ]


def test_a_log_longer_than_the_context_is_cut_and_says_so(made: Made) -> None:
    made.run({"a": "Heat costs EUR 0.228"}, bills=BILLS + "9,Filler,1\n" * 4000)
    with answering(always()) as server:
        found = told(made.store, server, replace(USUAL, context=6000), Choice(arms=("read log",)))
    [body] = server.requests
    assert re.search(r"\[\.\.\.truncated, \d+ chars omitted\]", said(body))
    assert len(said(body)) < 6000 * 4
    [result] = found.arms
    assert result.cut > 20_000


def test_results_are_cut_as_at_the_chosen_context_level(made: Made) -> None:
    made.run({"a": "Heat costs EUR 0.228"}, bills=BILLS + "9,Filler,1\n" * 4000)
    assert _cut(made, level=3) == len(BILLS) + 44_000 - 20_000
    assert _cut(made, level=0) == 0


def _cut(made: Made, level: int) -> int:
    choice = Choice(arms=("read log",))
    [result] = recovery.masked_recovery(made.store, choice, replace(USUAL, level=level, context=10**6), LEXICAL).arms
    return result.cut


@pytest.mark.parametrize("variant", ["the tab's", "Okapi", "L", "Plus"])
def test_the_review_can_be_ranked_by_another_form_of_bm25(made: Made, variant: str) -> None:
    made.run({"a": "Heat costs EUR 0.228"})
    protocol = replace(USUAL, variant=variant, shown=1)  # type: ignore[arg-type]
    [asked] = recovery.masked_recovery(made.store, Choice(arms=("review",)), protocol).cases
    assert asked.conversations["review"].opened == ("L2",)


# What an answer says


@pytest.mark.parametrize(
    ("text", "how", "numbers"),
    [
        ('{"values": ["EUR 1,234.50"]}', "stated", ["EUR 1,234.50"]),
        ('{"values": [1234.5]}', "stated", ["1234.5"]),
        ('```json\n{"values": ["1234.50"]}\n```', "stated", ["1234.50"]),
        ("Aldgate gets 1234.50 euros.", "stated", ["1234.50 euros"]),
        ("<think>It may be 99.99 or 88.88</think> It is 1234.50", "stated", ["1234.50"]),
        ('{"values": ["1234.50", "77', "stated", ["1234.50"]),
        ('{"values": ["[____]"]}', "repeated the mask", []),
        ("Aldgate gets [____]", "repeated the mask", []),
        ('{"values": []}', "no value", []),
        ("I am sorry, I cannot tell.", "no value", []),
        ("", "empty", []),
        ('{"values": null}', "no value", []),
        ('{"values": {"a": [["1234.50"]]}}', "stated", ["1234.50"]),
        ("{" * 3000, "no value", []),
    ],
)
def test_answers_are_read_however_they_are_written(made: Made, text: str, how: str, numbers: list[str]) -> None:
    made.run({"a": "Aldgate gets 1,234.50"})
    found = read_answer(Answer(text), made.only(), 1, may_show=False)
    assert (found.how, [number.text for number in found.numbers]) == (how, numbers)


def test_an_answer_that_lists_every_number_recovers_by_the_first_alone(made: Made) -> None:
    made.run({"a": "Aldgate gets 1,234.50"})
    thirty = [f"{n}.75" for n in range(100, 129)] + ["1234.50"]
    found = read_answer(Answer(json.dumps({"values": thirty})), made.only(), 1, may_show=False)
    assert ([number.text for number in found.numbers], found.beyond) == (["100.75"], 29)
    assert not found.recovers(made.only().values[0])


def test_numbers_that_the_masked_requirement_still_states_use_up_nothing(made: Made) -> None:
    made.run({"a": "Aldgate gets 1,234.50 of the 9,999.25 in the budget"}, "of 9,999.25")
    made.run({"a": "Aldgate gets 1,234.50 for bill 1 of 3"})
    found = read_answer(Answer("Bill 1 of 3 is 1,234.50."), made.only(), 1, may_show=False)
    assert [number.text for number in found.numbers] == ["1,234.50"]


def test_a_refusal_and_an_answer_that_was_cut_off_are_told_apart(made: Made) -> None:
    made.run({"a": "Aldgate gets 1,234.50"})

    def how(answer: Answer) -> str:
        return read_answer(answer, made.only(), 1, may_show=False).how

    assert how(Answer("I cannot help with 1,234.50", finish="refused")) == "refused"
    assert how(Answer("Let me think about", finish="cut")) == "cut off"


def test_prose_may_ask_to_open_an_entry(made: Made) -> None:
    made.run({"a": "Aldgate gets 1,234.50"})
    wanted = read_answer(Answer("Let me open the entry L2 first."), made.only(), 1, may_show=True)
    assert wanted == Said("no value", show=("L2",), in_prose=True)


# What it comes to


def test_recovered_is_a_held_value_that_the_answer_states(made: Made) -> None:
    made.run({"a": "States 1,234.50 and 5,555.55", "b": "States 7,890.25", "c": "Heat at 0.228"})

    def knows_two(body: Body) -> Reply:
        return answer("1234.5", "5,555.55") if "[____] and [____]" in said(body) else answer("7 890.25")

    with answering(knows_two) as server:
        found = told(made.store, server)
    assert rates(found) == {"no tab": (2, 3), "review": (2, 3), "read log": (2, 3)}
    assert found.arms[0].recovered.interval == Rate(2, 3).interval
    assert (found.arms[0].tokens_in, found.arms[0].tokens_out, found.arms[0].cost) == (300, 30, None)
    assert sentence(found, "m") == (
        "Of 3 held values in 3 requirements left out entirely, m states 2 given nothing, 2 given the review, "
        "2 given the whole read log."
    )


def test_the_json_tells_each_value_run_and_answer(made: Made) -> None:
    made.run({"a": "States 1,234.50"})
    with answering(always("1234.50")) as server:
        found = recovery_json(told(made.store, server), "m")
    [case] = found["cases"]
    assert case["values"] == [
        {
            "value": "1,234.50",
            "key": "1234.5",
            "held_in": ["L1"],
            "recovered": {"no tab": True, "review": True, "read log": True},
        }
    ]
    [run] = found["runs"].values()
    assert run["review"]["recovered"] == found["arms"]["review"]["recovered"] == 1


def test_the_lexical_baseline_needs_no_model_and_is_never_called_one(samples: Path) -> None:
    found = recovery.masked_recovery(samples)
    assert rates(found) == {"no tab": (0, 18), "review": (16, 18), "read log": (8, 18)}
    assert "lexical baseline (no model)" in sentence(found, LEXICAL)
    assert recovery_json(found, LEXICAL)["is_model"] is False
    assert recovery.models(samples) == ()


def test_the_lexical_baseline_takes_no_number_from_the_id_of_a_requirement(made: Made) -> None:
    made.run({"7001": "Aldgate has 4,820 lamps, old and new ones"}, bills="Aldgate\nlamps: 4820\n")
    assert rates(recovery.masked_recovery(made.store)) == {"no tab": (0, 1), "review": (1, 1), "read log": (1, 1)}


# Asking: kept, resumed, limited, cancelled


def test_nothing_is_asked_twice(made: Made) -> None:
    made.run({"a": "States 1,234.50", "b": "Heat at 0.228"})
    with answering(always("1234.50")) as server:
        first = told(made.store, server)
        assert len(server.requests) == 6
        assert told(made.store, server) == first
        assert len(server.requests) == 6


def test_another_setting_asks_only_what_it_changes(made: Made) -> None:
    made.run({"a": "Aldgate gets 1,234.50", "b": "Heat for Aldgate at 0.228"})
    with answering(always("1234.50")) as server:

        def asked(protocol: Protocol, choice: Choice = ALL) -> int:
            before = len(server.requests)
            told(made.store, server, protocol, choice)
            return len(server.requests) - before

        assert asked(USUAL, Choice(arms=("no tab",))) == 2
        assert asked(USUAL) == 4
        assert asked(replace(USUAL, masks_task=False)) == 3
        assert asked(replace(USUAL, shown=1)) == 1
        assert asked(replace(USUAL, rule=Rule(digits=4))) == 0


def test_each_prompt_is_kept_with_its_answer(made: Made) -> None:
    made.run({"a": "States 1,234.50"})
    with answering(always("1234.50")) as server:
        told(made.store, server)
    with rerun.open_store(made.store).reading() as connection:
        rows = connection.execute("SELECT prompt, answer, model, base_url FROM answers ORDER BY rowid").fetchall()
    assert sorted(json.loads(row[0])["messages"][1]["text"] for row in rows) == sorted(
        body["messages"][1]["content"] for body in server.requests
    )
    assert {row[1:] for row in rows} == {('{"show": [], "values": ["1234.50"]}', "m", server.url)}
    [model] = recovery.models(made.store)
    assert (model.model, model.answers) == ("m", 3)


def test_a_deleted_run_takes_what_was_asked_about_it_along(made: Made) -> None:
    made.run({"a": "States 1,234.50"})
    with answering(always("1234.50")) as server:
        told(made.store, server)
    [run] = rerun.runs(made.store)
    rerun.delete(made.store, run.run_id)
    assert recovery.models(made.store) == ()


def test_answers_survive_a_fault_and_the_next_time_goes_on_from_there(made: Made) -> None:
    made.run({name: f"{name} is 1,234.50" for name in "abcde"})
    replies = [answer("1234.50")] * 4 + [Reply("no credit left", 401)]
    with answering(replies) as server:
        asked = recovery.ask(made.store, Choice(), USUAL, at(server), Limits(at_once=1))
    assert "no credit left" in asked.stopped
    assert recovery.masked_recovery(made.store, model="m").arms[0].answered == 4
    with answering(always("1234.50")) as server:
        assert rates(told(made.store, server))["read log"] == (5, 5)
    assert len(server.requests) == 11


def test_one_failed_prompt_is_told_and_counts_in_no_rate(made: Made) -> None:
    made.run({"a": "States 1,234.50", "b": "Heat at 0.228"})

    def failing(body: Body) -> Reply:
        if "Heat" in said(body):
            return Reply("odd", 418)
        return answer("1234.50")

    with answering(failing) as server:
        asked = recovery.ask(made.store, Choice(), USUAL, at(server))
    assert (asked.stopped, asked.progress.done, asked.progress.failed, len(asked.faults)) == ("", 3, 3, 1)
    assert rates(recovery.masked_recovery(made.store, model="m"))["review"] == (1, 1)


def test_an_endpoint_that_fails_again_and_again_is_left_alone(made: Made) -> None:
    made.run({name: f"{name} is 1,234.50" for name in "abcdefgh"})
    with answering([Reply("odd", 418)]) as server:
        asked = recovery.ask(made.store, Choice(), USUAL, at(server), Limits(at_once=1))
    assert asked.stopped == "5 prompts failed in a row"
    assert len(server.requests) == 5


def test_what_may_cost_more_than_is_allowed_is_refused_before_anything_is_sent(made: Made) -> None:
    made.run({"a": "States 1,234.50"})
    with answering(always()) as server:
        plan = recovery.plan(made.store, Choice(), USUAL, at(server))
        assert (plan.conversations, plan.calls) == (3, 7)
        for limits in (Limits(calls=6), Limits(tokens=plan.tokens - 1)):
            with pytest.raises(UsageError, match="nothing was sent"):
                recovery.ask(made.store, Choice(), USUAL, at(server), limits)
        assert server.requests == []
        assert recovery.ask(made.store, Choice(), USUAL, at(server), Limits(calls=7, tokens=plan.tokens)).stopped == ""


def test_it_stops_where_the_tokens_that_were_used_reach_the_limit(made: Made) -> None:
    made.run({name: f"{name} is 1,234.50" for name in "abc"})
    greedy = Reply('{"values": []}', usage={"prompt_tokens": 90_000, "completion_tokens": 0})
    with answering([greedy]) as server:
        asked = recovery.ask(made.store, Choice(), USUAL, at(server), Limits(tokens=200_000, at_once=1))
    assert "limit" in asked.stopped
    assert len(server.requests) == 3


def test_no_more_are_asked_at_a_time_than_is_allowed(made: Made) -> None:
    made.run({name: f"{name} is 1,234.50" for name in "abcd"})
    with answering(lambda _: Reply('{"values": []}', wait=0.05)) as server:
        recovery.ask(made.store, Choice(), USUAL, at(server), Limits(at_once=3))
    assert server.most_at_once == 3


def test_it_is_cancelled_in_the_middle_of_an_answer_and_keeps_the_others(made: Made) -> None:
    made.run({name: f"{name} is 1,234.50" for name in "abc"})
    cancel = threading.Event()
    replies = [answer("1234.50"), answer("1234.50"), Reply("late", wait=8)]
    cancelled: list[float] = []

    def cancel_at_the_third() -> None:
        while len(server.requests) < 3:
            time.sleep(0.01)
        cancelled.append(time.monotonic())
        cancel.set()

    with answering(replies) as server:
        threading.Thread(target=cancel_at_the_third, daemon=True).start()
        asked = recovery.ask(made.store, Choice(), USUAL, at(server), Limits(at_once=1), cancel=cancel)
        assert time.monotonic() - cancelled[0] < 6
    assert asked.stopped == "cancelled"
    assert recovery.masked_recovery(made.store, model="m").arms[0].answered == 2


def test_progress_is_told_as_it_comes(made: Made) -> None:
    made.run({"a": "States 1,234.50"})
    seen: list[tuple[int, int]] = []
    with answering(always()) as server:
        recovery.ask(made.store, Choice(), USUAL, at(server), progress=lambda now: seen.append((now.done, now.of)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_one_requirement_is_asked_anew_as_a_person_masked_it(made: Made) -> None:
    made.run({"a": "Aldgate gets 1,234.50", "b": "Heat at 0.228"})
    [case, _] = made.cases()
    choice = Choice(arms=("no tab",), case=case.name, text="Somebody gets [____]")
    with answering(always("1234.50")) as server:
        found = told(made.store, server, choice=choice)
    [body] = server.requests
    assert body["messages"][1]["content"].endswith("Somebody gets [____]")
    assert rates(found) == {"no tab": (1, 1)}


# The command


def _command(store: Path, *options: str) -> int:
    return cli.main(["analyze", "masked-recovery", "--db", str(store), *options])


def test_the_command_gives_all_three_arms_in_one_go(
    samples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "runs.duckdb"
    store.write_bytes(samples.read_bytes())

    def reads_on(body: Body) -> Reply:
        if "EUR 0.85" in said(body):
            return answer("EUR 0.85")
        return answer(show=("L4",)) if "[tab] Requirements" in said(body) else answer()

    with answering(reads_on) as server:
        assert _command(store, "--model", "m", "--base-url", server.url, "--json") == 0
        shown = capsys.readouterr()
        told = json.loads(shown.out)
        assert {arm: (one["recovered"], one["of"]) for arm, one in told["arms"].items()} == {
            "no tab": (0, 18),
            "review": (2, 18),
            "read log": (2, 18),
        }
        assert "stays on this machine" in shown.err
        assert "asked: 51 of 51 conversations" in shown.err
        before = len(server.requests)
        assert _command(store, "--model", "m", "--base-url", server.url) == 0
        assert len(server.requests) == before
    assert "m states 0 given nothing, 2 given the review, 2 given the whole read log" in capsys.readouterr().out


def test_a_dry_run_sends_nothing(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with answering(always()) as server:
        assert _command(samples, "--model", "m", "--base-url", server.url, "--dry-run") == 0
    assert server.requests == []
    assert "51 conversations to have" in capsys.readouterr().err


def test_a_model_without_an_endpoint_is_wrong_usage(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _command(samples, "--model", "m") == 2
    assert "OpenAI-compatible endpoint" in capsys.readouterr().err


def test_a_wrong_key_ends_with_the_remedy_and_a_failure(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with answering([Reply("Incorrect API key", 401)]) as server:
        assert _command(samples, "--model", "m", "--base-url", server.url) == 1
    assert "RUNNINGTAB_API_KEY" in capsys.readouterr().err


REAL = os.environ.get("RUNNINGTAB_TEST_ENDPOINT", "")
"""BASE_URL MODEL of a real model to be asked, for instance "http://127.0.0.1:11434/v1 qwen2.5:1.5b"."""


@pytest.fixture
def real() -> Endpoint:
    if not REAL:
        pytest.skip("set RUNNINGTAB_TEST_ENDPOINT='BASE_URL MODEL' to ask a real model")
    url, _, model = REAL.partition(" ")
    return endpoint(url, model)


def test_a_real_model_answers_in_all_three_arms_once(made: Made, real: Endpoint) -> None:
    """What it recovers is its own affair: a small model may well miss it."""
    made.run({"a": "Aldgate gets 1,234.50"})
    asked = recovery.ask(made.store, Choice(), USUAL, real, Limits(at_once=1))
    assert (asked.stopped, asked.faults) == ("", ())
    found = recovery.masked_recovery(made.store, model=real.model, parameters=real.parameters)
    assert [result.answered for result in found.arms] == [1, 1, 1]
    assert all(talk.answers[-1].text for talk in found.cases[0].conversations.values())
    assert recovery.ask(made.store, Choice(), USUAL, real).progress.calls == 0
