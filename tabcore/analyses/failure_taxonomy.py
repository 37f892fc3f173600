"""The rule-based proposer: the failure type of each failed rubric, decided from evidence alone, or "cannot tell".

What it looks at: the distinctive values that the rubric states, where each was shown, held and delivered; numbers of the
deliverable close to them; which files were opened, listed or never met, among them files that another run of the same task
read a value in; what the task states; and, where no value decides, what kind of thing the rubric asks for by its words.
`RULES` says what each rule is and in which order they are asked; the first that holds gives the type.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from tabcore.analyses.close_values import distortion
from tabcore.analyses.failure_types import FailureType
from tabcore.analyses.rubric_words import rubric_words
from tabcore.analyses.shown_but_missing import ExpectedValue, shown_but_missing
from tabcore.analyses.taxonomy_facts import DeliveredNumber, FileMet, TaxonomyFacts
from tabcore.analyses.value_facts import RubricFacts, RunFacts
from tabcore.text.number_stream import numbers_of
from tabcore.text.terms import terms

Certainty = Literal["decides", "suggests"]
"""Whether a proposal follows from facts of the record, or from names and words alone."""


@dataclass(frozen=True, slots=True)
class TypeEvidence:
    """One fact in words, with the turn and the file that it is about, 0 and "" for none."""

    words: str
    turn: int = 0
    path: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the rules say of one failed rubric. `type` is None for "cannot tell"; `rule` names the rule that decided."""

    type: FailureType | None
    rule: str
    certainty: Certainty
    evidence: tuple[TypeEvidence, ...]


@dataclass(frozen=True, slots=True)
class FailedRubric:
    """A failed rubric of a run, its distinctive values, and the proposal."""

    run: RunFacts
    rubric: RubricFacts
    values: tuple[ExpectedValue, ...]
    proposal: Proposal
    points: float = 1.0


@dataclass(frozen=True, slots=True)
class FailureTaxonomy:
    """The failed rubrics of a set of runs, in the order of runs and rubrics, and all rubrics of these runs."""

    failed: tuple[FailedRubric, ...]
    rubrics: tuple[RubricFacts, ...] = ()
    runs: tuple[RunFacts, ...] = ()

    @property
    def passed(self) -> int:
        """Rubrics that passed."""
        return sum(rubric.passed is True and not rubric.judge_failed for rubric in self.rubrics)

    @property
    def not_evaluated(self) -> int:
        """Rubrics without a verdict."""
        return sum(rubric.passed is None and not rubric.judge_failed for rubric in self.rubrics)

    @property
    def judge_failed(self) -> int:
        """Rubrics whose judge failed."""
        return sum(rubric.judge_failed for rubric in self.rubrics)

    def of(self, runs: Collection[str]) -> FailureTaxonomy:
        """The same for these runs alone, by their ids."""
        return FailureTaxonomy(
            tuple(one for one in self.failed if one.run.run_id in runs),
            tuple(rubric for rubric in self.rubrics if rubric.run_id in runs),
            tuple(run for run in self.runs if run.run_id in runs),
        )


def failure_taxonomy(facts: TaxonomyFacts) -> FailureTaxonomy:
    """Every failed rubric with a proposal. A rubric without a verdict, or whose judge failed, has none."""
    cases = _Cases(facts)
    rubrics = facts.values.rubrics
    judged = {rubric.run_id for rubric in rubrics}
    return FailureTaxonomy(
        tuple(cases.failed(rubric) for rubric in rubrics if rubric.passed is False and not rubric.judge_failed),
        rubrics,
        tuple(run for run in facts.values.runs if run.run_id in judged),
    )


@dataclass(frozen=True)
class _Case:
    """One failed rubric and all that the rules ask."""

    run: RunFacts
    rubric: RubricFacts
    values: tuple[ExpectedValue, ...]
    files: Mapping[str, FileMet]
    numbers: tuple[DeliveredNumber, ...]
    others: frozenset[str]
    stated: frozenset[str]
    elsewhere: Mapping[str, frozenset[str]]

    @cached_property
    def absent(self) -> tuple[ExpectedValue, ...]:
        return tuple(value for value in self.values if not value.delivered)

    @cached_property
    def words(self) -> frozenset[str]:
        """What the rubric is about."""
        return rubric_words(self.rubric.text)

    @cached_property
    def named(self) -> tuple[FileMet | str, ...]:
        """The files that the rubric names, as the run met them, else by their name alone; not what was delivered."""
        delivered = {number.path for number in self.numbers}
        names = dict.fromkeys(_FILE.findall(self.rubric.text))
        own = {path.rsplit("/", 1)[-1] for path in delivered}
        return tuple(self._met(name) or name for name in names if name.rsplit("/", 1)[-1] not in own)

    def _met(self, name: str) -> FileMet | None:
        return next((met for path, met in self.files.items() if f"/{path}".endswith(f"/{name}")), None)


_FILE = re.compile(
    r"[\w./-]*\w\.(?:csv|docx?|html?|ipynb|json|jsonl|md|pdf|pptx?|py|rtf|sql|tsv|txt|xlsx?|xml|ya?ml|zip)\b"
)
_Rule = Callable[[_Case], "Proposal | None"]


def _decided(
    type: FailureType | None, rule: str, *evidence: TypeEvidence, certainty: Certainty = "decides"
) -> Proposal:
    return Proposal(type, rule, certainty, evidence)


def _nothing_delivered(case: _Case) -> Proposal | None:
    if case.run.delivered:
        return None
    if case.run.source is None:
        return _decided("Other", "nothing delivered", TypeEvidence("the run delivered nothing that is known"))
    return _decided(
        None, "unread deliverable", TypeEvidence("no text of what the run delivered is known"), certainty="suggests"
    )


def _distorted(case: _Case) -> Proposal | None:
    """An expected value is absent, and one close to it stands on a line with words of the rubric."""
    found = []
    for value in case.absent:
        for number in case.numbers:
            how = "" if number.key in case.others else distortion(value.key, number.key)
            if how and case.words & frozenset(terms(number.line)):
                where = f"{number.path}, line {number.number}"
                found.append(
                    TypeEvidence(f"{value.text} is not delivered, {number.text} is ({where}): {how}", path=number.path)
                )
                break
    return _decided("Dropped or Distorted", "distorted", *found) if found else None


def _shown(case: _Case) -> Proposal | None:
    """An expected value is absent and stands in a file that the agent opened."""
    found = []
    for value in case.absent:
        if value.held:
            late = case.run.written is not None and value.held.turn >= case.run.written
            when = f"only at turn {value.held.turn}, after the last writing" if late else f"at turn {value.held.turn}"
            among = value.held.entries
            where = f"{', '.join(among[:3])}{', …' if among[3:] else ''}: {value.held.path if len(among) == 1 else 'several files'}"
            words = f"{value.text} was read {when} ({where}) and is not delivered"
            found.append(TypeEvidence(words, value.held.turn, value.held.path))
    return _decided("Shown but Missing", "shown and absent", *found) if found else None


def _in_a_file_never_opened(case: _Case) -> Proposal | None:
    """An absent value stands in a file's name, or in a file that another run of the task read; it was never opened."""
    found = []
    for value in case.absent:
        for met in case.files.values():
            if met.opened is None and value.key in _keys_of_name(met.path):
                words = f"{value.text} stands in the name of {met.path}, which was listed at turn {met.listed}, never opened"
                found.append(TypeEvidence(words, met.listed or 0, met.path))
        paths = case.elsewhere.get(value.key, frozenset())
        if paths and not any(path in case.files and case.files[path].opened for path in paths):
            found += [
                _never_opened(case, path, f"{value.text}, as another run read, stands in") for path in sorted(paths)
            ]
    return _decided("Discovery", "file never opened", *found) if found else None


@lru_cache(1 << 16)
def _keys_of_name(path: str) -> frozenset[str]:
    """The values in a path, with and without its extension, which may touch a number."""
    return frozenset(key for name in (path, path.rpartition(".")[0]) for key, *_ in numbers_of(name))


def _never_opened(case: _Case, path: str, words: str) -> TypeEvidence:
    met = case.files.get(path)
    listed = f"listed at turn {met.listed}" if met and met.listed else "never met"
    return TypeEvidence(f"{words} {path}: {listed}, never opened", met.listed or 0 if met else 0, path)


def _dropped(case: _Case) -> Proposal | None:
    """An absent value was on the screen without any file that states it, or the task states it."""
    found = []
    for value in case.absent:
        if value.shown:
            turn = value.shown[0].turn
            found.append(
                TypeEvidence(
                    f"{value.text} was on the screen at turn {turn}, out of no file, and is not delivered", turn
                )
            )
        elif value.key in case.stated:
            found.append(TypeEvidence(f"{value.text} stands in the task and is not delivered"))
    return _decided("Dropped or Distorted", "dropped", *found) if found else None


def _named_file(case: _Case) -> Proposal | None:
    """The rubric names a file that the agent never opened."""
    found = []
    for one in case.named:
        met = one if isinstance(one, FileMet) else None
        if met is None or met.opened is None:
            found.append(_never_opened(case, met.path if met else str(one), "the rubric names"))
    return _decided("Discovery", "named file never opened", *found) if found else None


_FORM = re.compile(
    r"\b(?:format(?:s|ted|ting)?|headings?|headlines?|titled|bold|italics?|bullets?|numbered|markdown|layout|laid out|fonts?|"
    r"file ?names?|named as|saved? as|sheet named|column order|sorted|alphabetical(?:ly)?|pages? long|word (?:count|limit)|"
    r"words or (?:less|fewer)|placeholders?|template)\b|格式|标题|字体|排版|命名|排序",
    re.IGNORECASE,
)
_THOUGHT = re.compile(
    r"\b(?:conclu\w+|infer\w*|explain\w*|analy[sz]\w+|interpret\w*|argu\w+|justif\w+|deriv\w+|estimat\w+|comput\w+|calculat\w+|"
    r"works? out|sums?|totals?|averages?|means? of|differences?|ratios?|growth|compar\w+|rank\w*|recommend\w*|cause[sd]?|reasons?)\b"
    r"|计算|合计|总计|平均|差异|比较|分析|推断|结论|原因",
    re.IGNORECASE,
)


def _form(case: _Case) -> Proposal | None:
    """No expected value is absent, and the rubric asks for a form."""
    word = None if case.absent else _FORM.search(case.rubric.text)
    if word is None:
        return None
    return _decided(
        "Formatting", "asks for a form", TypeEvidence(f"the rubric asks for a form: “{word[0]}”"), certainty="suggests"
    )


def _misplaced(case: _Case) -> Proposal | None:
    """All expected values are delivered, and still the rubric failed."""
    if case.absent or not case.values:
        return None
    places = [(value, value.delivered[0]) for value in case.values]
    found = [TypeEvidence(f"{value.text} is delivered ({place.path})", path=place.path) for value, place in places]
    words = TypeEvidence("every value is there, and the rubric failed: misplaced or misread")
    return _decided("Dropped or Distorted", "delivered and failed", words, *found)


def _thought(case: _Case) -> Proposal | None:
    """What is expected was never shown by anything, and the rubric asks to work it out."""
    word = _THOUGHT.search(case.rubric.text)
    if word is None or not case.run.delivered:
        return None
    never = [TypeEvidence(f"{value.text} was never on the screen and is not delivered") for value in case.absent]
    asked = TypeEvidence(f"the rubric asks to work it out: “{word[0]}”")
    return _decided("Reasoning", "asks to work out", *never, asked, certainty="suggests")


def _name_alike(case: _Case) -> Proposal | None:
    """What is expected was never shown, and a file that was listed and never opened has rare words of the rubric."""
    if not case.absent:
        return None
    counts: dict[str, int] = defaultdict(int)
    names = {path: frozenset(terms(path)) & case.words for path in case.files}
    for shared in names.values():
        for word in shared:
            counts[word] += 1
    opened = {word for path, shared in names.items() if case.files[path].opened for word in shared}
    most = max(1, len(case.files) // 4)
    alike = {path: {w for w in shared - opened if counts[w] <= most} for path, shared in names.items()}
    best = sorted((path for path, shared in alike.items() if shared), key=lambda path: -len(alike[path]))[:3]
    never = [TypeEvidence(f"{value.text} was never on the screen") for value in case.absent]
    found = [_never_opened(case, path, f"“{', '.join(sorted(alike[path]))}” stands in the name of") for path in best]
    return _decided("Discovery", "name of a file never opened", *never, *found, certainty="suggests") if found else None


RULES: tuple[tuple[str, _Rule], ...] = (
    ("The run delivered nothing: Other. What it delivered cannot be read: cannot tell.", _nothing_delivered),
    ("A value is absent, one close to it stands beside words of the rubric: Dropped or Distorted.", _distorted),
    ("A value is absent and stands in a file that the agent opened: Shown but Missing.", _shown),
    ("A value is absent and stands in a file that the agent never opened: Discovery.", _in_a_file_never_opened),
    ("A value is absent and was on the screen out of no file, or the task states it: Dropped or Distorted.", _dropped),
    ("The rubric names a file that the agent never opened: Discovery.", _named_file),
    ("No value is absent and the rubric asks for a form: Formatting.", _form),
    ("Every value is delivered and the rubric failed: Dropped or Distorted.", _misplaced),
    ("Nothing showed what is expected and the rubric asks to work it out: Reasoning.", _thought),
    ("A value was never shown, a file never opened has rare words of the rubric in its name: Discovery.", _name_alike),
)
"""What each rule says, in the order in which they are asked."""


class _Cases:
    """Cases of a set of runs: each fact once, by run."""

    def __init__(self, facts: TaxonomyFacts) -> None:
        self._facts = facts
        self._runs = {run.run_id: run for run in facts.values.runs}
        self._values: dict[tuple[str, str], list[ExpectedValue]] = defaultdict(list)
        self._expecting: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for value in shown_but_missing(facts.values).values:
            self._values[value.run.run_id, value.rubric.rubric_id].append(value)
            self._expecting[value.run.run_id][value.key].add(value.rubric.rubric_id)
        self._files: dict[str, dict[str, FileMet]] = defaultdict(dict)
        for met in facts.files:
            self._files[met.run_id][met.path] = met
        self._numbers = _grouped(facts.numbers)
        self._held: dict[tuple[tuple[str | None, str], str], set[str]] = defaultdict(set)
        for one in facts.values.held:
            self._held[_task(self._runs[one.run_id]), one.expected].add(one.path)

    def failed(self, rubric: RubricFacts) -> FailedRubric:
        run = self._runs[rubric.run_id]
        values = tuple(self._values.get((run.run_id, rubric.rubric_id), ()))
        rubrics_of = self._expecting[run.run_id]
        others = {key for key, names in rubrics_of.items() if names != {rubric.rubric_id}}
        case = _Case(
            run,
            rubric,
            values,
            self._files[run.run_id],
            self._numbers.get(run.run_id, ()),
            frozenset(others),
            (self._facts.stated or {}).get(run.run_id, frozenset()),
            {value.key: frozenset(self._held.get((_task(run), value.key), ())) for value in values if not value.held},
        )
        points = (self._facts.points or {}).get((run.run_id, rubric.rubric_id), 1.0)
        return FailedRubric(run, rubric, values, proposed(case), points)


def proposed(case: _Case) -> Proposal:
    """What the first rule says that holds."""
    for _, rule in RULES:
        if proposal := rule(case):
            return proposal
    why = "no distinctive value" if not case.values else "nothing that the run met"
    return _decided(None, "cannot tell", TypeEvidence(f"{why} says why the rubric failed"), certainty="suggests")


def _grouped(numbers: Iterable[DeliveredNumber]) -> dict[str, tuple[DeliveredNumber, ...]]:
    found: dict[str, list[DeliveredNumber]] = defaultdict(list)
    for number in numbers:
        found[number.run_id].append(number)
    return {run_id: tuple(of_run) for run_id, of_run in found.items()}


def _task(run: RunFacts) -> tuple[str | None, str]:
    """What makes two runs runs of the same task."""
    return run.suite, run.name
