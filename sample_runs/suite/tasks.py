"""The tasks of the suite: each with its workspace, made from a seed, and the values that it asks for.

A value stands in one file and a file has one value, so that "its file was never opened" is a plain fact. Beside it
stands one that is not asked for (`near`): what was paid beside what was billed, a first estimate beside the final figure.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sample_runs.suite.chance import chance

SEED = "runningtab suite 1"

Computed = Literal["sum", "difference", "mean", "change"]

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


@dataclass(frozen=True, slots=True)
class Item:
    """One value that a task asks for: `value` and `near` as a deliverable writes them, `asked` as a requirement does."""

    subject: str
    asked: str
    path: str
    value: str
    near: str


@dataclass(frozen=True, slots=True)
class SuiteTask:
    """A task. `deliverable` is "" where the answer itself is delivered.

    `computes` and `decimals` say what is worked out of the values; `total` is what a deliverable calls it. `points`
    tells how many values each checkpoint covers, () where each is a rubric.
    """

    name: str
    suite: str
    task_name: str
    text: str
    files: Mapping[str, str]
    items: tuple[Item, ...]
    computes: Computed
    decimals: int
    deliverable: str = ""
    heading: str = ""
    total: str = ""
    unit: str = "{}"
    points: tuple[int, ...] = ()

    @property
    def expected(self) -> str:
        """What is worked out of the right values, as a deliverable writes it."""
        return self.unit.format(f"{_worked_out(self):,.{self.decimals}f}")


def number(text: str) -> float:
    """The number in a value as it is written.

    >>> number("EUR 1,284.50"), number("12 kg")
    (1284.5, 12.0)
    """
    return float("".join(character for character in text if character in "0123456789.-"))


def formula(task: SuiteTask, numbers: Sequence[float | None]) -> str:
    """How the task's result is worked out of these numbers, in the order of its items; None for one that is not known.

    What is not known is left out, as by an agent that has not noticed. It is written for awk.
    """
    half = len(numbers) // 2
    known, before, after = (
        [f"{one:.15g}" for one in some if one is not None] for some in (numbers, numbers[:half], numbers[half:])
    )
    match task.computes:
        case "sum":
            return " + ".join(known) or "0"
        case "mean":
            return f"({' + '.join(known)}) / {len(known)}" if known else "0"
        case "difference":
            return " - ".join([*(after or ["0"]), *before])
        case "change":
            return f"100 * (({' + '.join(after)}) / ({' + '.join(before)}) - 1)" if before and after else "0"


def _worked_out(task: SuiteTask) -> float:
    numbers = [number(item.value) for item in task.items]
    half = len(numbers) // 2
    before, after = sum(numbers[:half]), sum(numbers[half:])
    match task.computes:
        case "sum":
            return before + after
        case "mean":
            return (before + after) / len(numbers)
        case "difference":
            return after - before
        case "change":
            return 100 * (after / before - 1)


def suite_tasks() -> tuple[SuiteTask, ...]:
    """All tasks, in the order of `tasks.toml`."""
    words = tomllib.loads((Path(__file__).resolve().parent / "tasks.toml").read_text(encoding="utf-8"))
    files = dict(_bulletins(words["bulletins"]))
    made = (_made(task) for task in words["task"])
    return (*made, *(_question(question, words["bulletins"], files) for question in words["question"]))


def _made(words: Mapping[str, Any]) -> SuiteTask:
    files: dict[str, str] = {}
    items = []
    for subject in words["subjects"]:
        fields = {"subject": subject, "file": subject.lower().replace(" ", "_")}
        path = words["path"].format(**fields)
        files[path], value, near = _FORMS[words["form"]](words, subject, path)
        items.append(Item(subject, words["asked"].format(**fields), path, value, near))
        for older in words["older"]:
            path = older.format(**fields)
            files[path], _, _ = _FORMS[words["form"]](words, subject, path)
    return SuiteTask(
        words["name"],
        words["suite"],
        words["task_name"],
        words["text"],
        dict(sorted(files.items())),
        tuple(items),
        "sum",
        words["decimals"],
        words["deliverable"],
        words["heading"],
        words["total"],
        words["unit"],
        tuple(words.get("points", ())),
    )


def _memo(words: Mapping[str, Any], subject: str, path: str) -> tuple[str, str, str]:
    """A memo's text, its value and the near one."""
    low, high = words["range"]
    value, near = (
        words["unit"].format(f"{drawn:,.{words['decimals']}f}")
        for drawn in (_drawn(path, "value", low, high), _drawn(path, "near", low / 6, high / 6))
    )
    said = [_picked(words["sentences"], path, place) for place in range(words["rows"])]
    half = len(said) // 2
    lines = (subject, "", *said[:half], f"{words['wanted']}: {value}", f"{words['near']}: {near}", *said[half:])
    return "\n".join(lines) + "\n", value, near


def _table(words: Mapping[str, Any], subject: str, path: str) -> tuple[str, str, str]:
    """A table's text with its sums in the last line, the value and the near one."""
    low, high = words["range"]
    decimals = words["decimals"]
    wanted = [round(_drawn(path, f"value {row}", low, high), decimals) for row in range(words["rows"])]
    near = [round(one * (0.8 + 0.3 * chance(SEED, path, "share", row)), decimals) for row, one in enumerate(wanted)]
    rows = [f"{row},{a:.{decimals}f},{b:.{decimals}f}" for row, (a, b) in enumerate(zip(wanted, near, strict=True), 1)]
    sums = f"sum,{sum(wanted):.{decimals}f},{sum(near):.{decimals}f}"
    text = "\n".join((f"# {subject}", f"no,{words['wanted']},{words['near']}", *rows, sums)) + "\n"
    return text, *(words["unit"].format(f"{sum(column):,.{decimals}f}") for column in (wanted, near))


_FORMS: Mapping[str, Callable[[Mapping[str, Any], str, str], tuple[str, str, str]]] = {"memo": _memo, "table": _table}


def _bulletins(words: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for year in words["years"]:
        for month in range(1, 13):
            head = (words["office"], f"Bulletin for {_MONTHS[month - 1]} {year}", "")
            columns = f"{'':<28}{'estimate':>10}{'final':>10}"
            rows = (
                f"{measure:<28}{near:>10}{value:>10}"
                for measure in words["measures"]
                for value, near in [_figures(words, measure, year, month)]
            )
            path = words["path"].format(year=year, month=month)
            yield path, "\n".join((*head, columns, *rows)) + "\n"


def _figures(words: Mapping[str, Any], measure: str, year: int, month: int) -> tuple[str, str]:
    """The final figure of a month and its first estimate, which is off by less than one per cent."""
    low, high = words["measures"][measure]
    final = _drawn(measure, f"{year} {month}", low, high)
    estimate = final * (0.994 + 0.004 * chance(SEED, measure, year, month, "estimate"))
    return f"{final:,.1f}", f"{estimate:,.1f}"


def _question(words: Mapping[str, Any], bulletins: Mapping[str, Any], files: Mapping[str, str]) -> SuiteTask:
    items = []
    for year, month in (map(int, month.split("-")) for month in words["months"]):
        subject = f"{_MONTHS[month - 1]} {year}"
        value, near = _figures(bulletins, words["measure"], year, month)
        path = bulletins["path"].format(year=year, month=month)
        items.append(Item(subject, f"{words['measure']}, {subject}", path, value, near))
    name, text = words["name"], words["text"]
    suite = "OfficeQA-like"
    return SuiteTask(name, suite, name.upper(), text, files, tuple(items), words["computes"], words["decimals"])


def _drawn(place: str, name: str, low: float, high: float) -> float:
    return low + (high - low) * chance(SEED, place, name)


def _picked(sentences: Sequence[str], path: str, place: int) -> str:
    return sentences[int(chance(SEED, path, "sentence", place) * len(sentences))]
