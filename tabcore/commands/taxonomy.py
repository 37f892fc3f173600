"""`runningtab analyze failure-taxonomy`, `analyze agreement` and `labels`: why rubrics failed, by rules, persons and models."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tabcore.commands.printing import counted, print_json, print_table, say
from tabcore.errors import UsageError
from tabcore.text.printable import printable

if TYPE_CHECKING:
    from tabcore.analyses.agreement import Agreement, Pair
    from tabcore.analyses.failure_taxonomy import FailedRubric, FailureTaxonomy
    from tabcore.analyses.rates import Rate
    from tabcore.exports.label_rows import Refusal

Command = Callable[[str, str, Callable[[argparse.Namespace], int]], argparse.ArgumentParser]


def add_taxonomy(command: Command, add_rule: Callable[[argparse.ArgumentParser], None]) -> None:
    """The two questions; `add_rule` adds the options of what counts as a value."""
    asked = command("failure-taxonomy", "of which type the failure of each failed rubric is, by rules alone", _types)
    _add_runs(asked)
    add_rule(asked)
    compared = command(
        "agreement", "how those who labelled failed rubrics agree: kappa, confusion, disagreements", _agree
    )
    _add_runs(compared)
    compared.add_argument(
        "--annotator",
        action="append",
        default=[],
        metavar="NAME",
        help="only this one; may be repeated (all, and the rules)",
    )
    compared.add_argument(
        "--with", dest="file", metavar="FILE", help="and the labels of this CSV or JSON lines file, not kept"
    )
    compared.add_argument("--json", action="store_true", help="print JSON for other programs")


def _add_runs(asked: argparse.ArgumentParser) -> None:
    asked.add_argument("runs", nargs="*", metavar="RUN", help="ids of runs, or their beginnings (default: all)")
    for name in ("method", "model", "suite"):
        asked.add_argument(f"--{name}", help=f"only runs of this {name}")


def add_labels(command: Command) -> None:
    """The labels as files; `command` makes one of a name, a help and a function."""
    given = command("export", "write labels or notes as CSV or JSON lines, for other tools", _export)
    given.add_argument(
        "output", nargs="?", metavar="FILE", help="ends in .csv or .jsonl (default: CSV to standard output)"
    )
    given.add_argument("--notes", action="store_true", help="the notes instead of the labels")
    taken = command(
        "import", "take in labels of a CSV or JSON lines file; what cannot be taken is refused row by row", _import
    )
    taken.add_argument(
        "file", metavar="FILE", help="columns run, rubric, type and annotator are needed; - for standard input"
    )
    taken.add_argument("--by", default="", metavar="NAME", help="who labelled, where rows name nobody")
    taken.add_argument("--json", action="store_true", help="print JSON for other programs")
    asked = command(
        "ask", "ask a model of which type each failed rubric is; what it quotes must occur in the record", _ask
    )
    _add_runs(asked)
    asked.add_argument("--with-model", required=True, metavar="NAME", help="the model as the endpoint names it")
    asked.add_argument(
        "--base-url", default="", metavar="URL", help="an OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1"
    )
    asked.add_argument(
        "--key-variable",
        default="",
        metavar="VAR",
        help="the environment variable that has its key (RUNNINGTAB_API_KEY)",
    )
    asked.add_argument("--max-calls", type=int, default=200, metavar="N", help="rubrics asked about at most (200)")
    asked.add_argument("--at-once", type=int, default=2, metavar="N", help="prompts asked at a time (2)")
    asked.add_argument("--show-prompt", action="store_true", help="print what would be asked first, and send nothing")
    asked.add_argument("--dry-run", action="store_true", help="say what would be asked, and send nothing")


def _types(options: argparse.Namespace) -> int:
    from tabcore.commands.analyze import chosen_runs, rule_of
    from tabcore.labelling import failure_taxonomy

    found = failure_taxonomy(options.db, chosen_runs(options), rule_of(options))
    if options.json:
        print_json(taxonomy_json(found))
    else:
        _print_types(found)
    return 0


def taxonomy_json(found: FailureTaxonomy) -> dict[str, Any]:
    """The answer as JSON: counts beside the paper's shares, and each failed rubric with its evidence."""
    from tabcore.analyses.failure_types import DEFINITIONS, PAPER_SHARES, TYPES

    counts = Counter(one.proposal.type for one in found.failed)
    return {
        "types": [
            {"type": name, "count": counts[name], "paper": PAPER_SHARES[name], "definition": DEFINITIONS[name]}
            for name in TYPES
        ],
        "cannot_tell": counts[None],
        "failed": len(found.failed),
        "passed": found.passed,
        "not_evaluated": found.not_evaluated,
        "judge_failed": found.judge_failed,
        "runs": len(found.runs),
        "rubrics": [
            {
                "run": one.run.run_id,
                "rubric": one.rubric.rubric_id,
                "text": one.rubric.text,
                "points": one.points,
                "type": one.proposal.type,
                "rule": one.proposal.rule,
                "certainty": one.proposal.certainty,
                "evidence": [
                    {"words": fact.words, "turn": fact.turn or None, "path": fact.path}
                    for fact in one.proposal.evidence
                ],
                "values": [value.text for value in one.values],
            }
            for one in found.failed
        ],
    }


def _print_types(found: FailureTaxonomy) -> None:
    from tabcore.analyses.failure_types import PAPER_SHARES, TYPES

    say(taxonomy_sentence(found))
    if not found.failed:
        return
    counts = Counter(one.proposal.type for one in found.failed)
    told = len(found.failed) - counts[None]
    rows = [
        (name, str(counts[name]), f"{counts[name] / told:.1%}" if told else "", f"{PAPER_SHARES[name]:.1%}")
        for name in TYPES
    ]
    print_table([("type", "rubrics", "of those told", "paper"), *rows, ("cannot tell", str(counts[None]), "", "")])
    say("")
    print_table([("run", "rubric", "type", "rule", "evidence"), *map(_line, found.failed)])


def taxonomy_sentence(found: FailureTaxonomy) -> str:
    """How many rubrics failed, and of how many the rules tell the type."""
    told = sum(one.proposal.type is not None for one in found.failed)
    left = [(found.not_evaluated, "without a verdict"), (found.judge_failed, "whose judge failed")]
    apart = "".join(f"; {count} {words} left out" for count, words in left if count)
    rubrics = counted(len(found.failed) + found.passed, "judged rubric")
    return f"Of {rubrics}, {len(found.failed)} failed; the rules tell the type of {told} of them{apart}."


def _line(one: FailedRubric) -> tuple[str, ...]:
    proposal = one.proposal
    return (
        one.run.run_id,
        one.rubric.rubric_id,
        proposal.type or "cannot tell",
        proposal.rule,
        proposal.evidence[0].words,
    )


def _agree(options: argparse.Namespace) -> int:
    from tabcore import labelling
    from tabcore.commands.analyze import chosen_runs

    found = labelling.failure_taxonomy(options.db, chosen_runs(options))
    others: Mapping[str, Any] = {}
    refused: Sequence[Refusal] = ()
    if options.file:
        from tabcore.exports.label_rows import read_rows

        others, refused = labelling.read_labellings(options.db, read_rows(_read(options.file)), Path(options.file).stem)
        others = _only_of(others, {(one.run.run_id, one.rubric.rubric_id) for one in found.failed})
    agreed = labelling.agreement(found, labelling.labels(options.db), others, options.annotator)
    if options.json:
        print_json(agreement_json(agreed) | {"refused": _refused_json(refused)})
    else:
        _print_agreement(agreed)
        _print_refused(refused)
    return 1 if refused else 0


def _only_of(labellings: Mapping[str, Mapping[Any, Any]], items: Collection[Any]) -> dict[str, Any]:
    return {who: {item: type_ for item, type_ in said.items() if item in items} for who, said in labellings.items()}


def agreement_json(found: Agreement) -> dict[str, Any]:
    """The answer as JSON, each pair with its matrix in the order of `types`."""
    from tabcore.analyses.failure_types import PAPER_KAPPA, TYPES

    return {
        "types": list(TYPES),
        "annotators": [{"name": name, "labelled": done, "left_open": left} for name, done, left in found.annotators],
        "krippendorff_alpha": found.alpha,
        "alpha_items": found.items,
        "paper_kappa": PAPER_KAPPA,
        "pairs": [_pair_json(pair) for pair in found.pairs],
    }


def _pair_json(pair: Pair) -> dict[str, Any]:
    return {
        "first": pair.first,
        "second": pair.second,
        "n": pair.agreed.of,
        "agreed": pair.agreed.count,
        "kappa": pair.kappa,
        "interval": pair.interval,
        "left_open": pair.undecided,
        "matrix": pair.matrix,
        "by_type": [
            {"type": one.type, "first": one.first, "second": one.second, "both": one.both, "agreement": one.share}
            for one in pair.by_type
        ],
        "disagreements": [
            {"run": one.item[0], "rubric": one.item[1], "first": one.first, "second": one.second}
            for one in pair.disagreements
        ],
    }


def _print_agreement(found: Agreement) -> None:
    who = ", ".join(f"{name} {done}{f' (+{left} left open)' if left else ''}" for name, done, left in found.annotators)
    say(printable(f"Labelled rubrics: {who or 'none'}.", " "))
    if len(found.annotators) > 2:
        alpha = "not defined" if found.alpha is None else f"{found.alpha:.3f}"
        say(f"Krippendorff's alpha over {counted(found.items, 'rubric')} with two labels or more: {alpha}")
    for pair in found.pairs:
        say("")
        say(printable(pair_sentence(pair), " "))
        if not pair.agreed.of:
            continue
        rows = [
            (
                one.type,
                str(one.first),
                str(one.second),
                str(one.both),
                f"{one.share:.2f}" if one.share is not None else "",
            )
            for one in pair.by_type
        ]
        print_table([("type", pair.first, pair.second, "both", "agreement"), *rows])
        for apart in pair.disagreements:
            run, rubric = apart.item
            say(printable(f"  {run} {rubric}: {pair.first} {apart.first}, {pair.second} {apart.second}", " "))
    if not found.pairs:
        say(
            "One annotator agrees with nobody: label in the browser, or take labels in with: runningtab labels import FILE"
        )


def pair_sentence(pair: Pair) -> str:
    """A pair's kappa in one line."""
    if not pair.agreed.of:
        return f"{pair.first} and {pair.second} labelled no rubric both."
    kappa = "kappa is not defined: one type throughout" if pair.kappa is None else f"kappa {pair.kappa:.3f}"
    between = f" ({pair.interval[0]:.3f} to {pair.interval[1]:.3f})" if pair.interval else ""
    left = f"; {pair.undecided} left open by one of them" if pair.undecided else ""
    return f"{pair.first} and {pair.second}: {kappa}{between}, agreed on {_share(pair.agreed)}{left}; paper 0.83"


def _share(rate: Rate) -> str:
    return f"{rate.count} of {rate.of}"


def _export(options: argparse.Namespace) -> int:
    from tabcore import labelling
    from tabcore.exports.label_rows import COLUMNS, as_csv, as_jsonl, label_rows, note_rows

    rows = note_rows(labelling.notes(options.db)) if options.notes else label_rows(labelling.labels(options.db))
    columns = (list(rows[0]) if rows else ["run", "note"]) if options.notes else COLUMNS
    name = options.output or ""
    text = as_jsonl(rows) if name.endswith((".jsonl", ".ndjson")) else as_csv(rows, columns)
    if not name:
        say(printable(text.rstrip("\n"), "\n"))
        return 0
    try:
        Path(name).write_text(text, "utf-8")
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise UsageError(name, f"it cannot be written ({reason})", "Name a file in a folder of yours") from fault
    say(printable(f"{counted(len(rows), 'row')} written: {name}", " "))
    return 0


def _import(options: argparse.Namespace) -> int:
    from tabcore.exports.label_rows import read_rows
    from tabcore.labelling import take_in

    found = take_in(options.db, read_rows(_read(options.file)), options.by)
    if options.json:
        print_json({"added": found.added, "known": found.known, "refused": _refused_json(found.refused)})
    else:
        say(f"{counted(found.added, 'label')} added, {found.known} known before, {len(found.refused)} refused")
        _print_refused(found.refused)
    return 1 if found.refused else 0


def _ask(options: argparse.Namespace) -> int:
    from tabcore import annotating
    from tabcore.commands.analyze import chosen_runs
    from tabcore.language_models import endpoint

    where = endpoint(options.base_url, options.with_model, options.key_variable)
    plan = annotating.plan(options.db, chosen_runs(options), where.model, max(1, options.max_calls))
    place = "stays on this machine" if where.is_local else f"leaves this machine for {where.host}"
    told = f"{counted(len(plan.prompts), 'rubric')} to ask about, {plan.known} labelled before; {plan.characters:,} characters, the text {place}"
    print(printable(told, " "), file=sys.stderr, flush=True)
    if options.show_prompt:
        for message in plan.prompts[0][1].messages if plan.prompts else ():
            say(printable(f"[{message.role}]\n{message.text}\n", "\n"))
    if options.show_prompt or options.dry_run or not plan.prompts:
        return 0
    found = annotating.annotate(options.db, plan, where, options.at_once)
    say(f"{counted(found.labelled, 'label')} kept, {found.left_open} left open, {len(found.refused)} refused")
    for (run, rubric), why in found.refused:
        say(printable(f"  {run} {rubric} refused: {why}", " "))
    for fault in found.faults:
        print(f"runningtab: {printable(fault, ' ')}", file=sys.stderr)
    return 1 if found.faults or found.refused else 0


def _read(name: str) -> str:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise UsageError(name, f"it cannot be read ({reason})", "Name a CSV or JSON lines file") from fault
    except UnicodeDecodeError as fault:
        raise UsageError(name, f"byte {fault.start} is no UTF-8", "Save it as UTF-8") from fault


def _refused_json(refused: Sequence[Refusal]) -> list[dict[str, Any]]:
    return [{"row": one.row, "why": one.why} for one in refused]


def _print_refused(refused: Sequence[Refusal]) -> None:
    for one in refused:
        say(printable(f"  row {one.row} refused: {one.why}", " "))
