"""Programs that query structured text and tables: jq and its like, csvkit, xsv, mlr, sqlite3, duckdb."""

from __future__ import annotations

import re
from dataclasses import replace

from tabcore.capture.programs.call import Call, Row, content, filtering, writes_to
from tabcore.capture.shows import Content, Noise, Stream, mangled

_REDUCES = re.compile(r"\b(?:length|add|any|all|count|size|sum|min_by|max_by)\b\s*\)*\s*$|\blength\b")


def jq(call: Call) -> Stream:
    """jq, yq, gojq, dasel, xq: a filter and files; a filter that ends in a count shows no content."""
    parsed = call.parsed(
        "arg argjson slurpfile rawfile args jsonargs indent f from-file p o input-format output-format L"
    )
    words = _without_bindings(call.arguments)
    parsed = Call(call.name, words, call.shell).parsed("indent f from-file p o input-format output-format L")
    from_file = parsed.has("f", "from-file")
    operands = parsed.operands
    if call.name in ("yq", "dasel") and operands[:1] in (
        ["e"],
        ["eval"],
        ["ea"],
        ["eval-all"],
        ["r"],
        ["read"],
        ["select"],
    ):
        operands = operands[1:]
    program = "" if from_file else (operands[0] if operands else ".")
    files = operands if from_file else operands[1:]
    if call.name in ("yq", "xq", "dasel", "gron", "fx", "jless") and operands and not files and call.stdin is None:
        program, files = ".", operands
    if "i" in parsed.options and call.name == "yq":
        return ()
    computed = _REDUCES.search(program) is not None
    if parsed.has("n", "null-input") and not files:
        return (Noise("jq -n: no input"),)
    if files:
        return call.content(files, f"{call.name}: takes content", computed=computed)
    return reduced(call.input()) if computed else mangled(call.input())


def _without_bindings(words: list[str]) -> list[str]:
    """Arguments without `--arg name value` and its like."""
    kept: list[str] = []
    skip = 0
    for word in words:
        if skip:
            skip -= 1
        elif word in ("--arg", "--argjson", "--slurpfile", "--rawfile"):
            skip = 2
        elif word in ("--args", "--jsonargs"):
            break
        else:
            kept.append(word)
    return kept


def reduced(stream: Stream) -> Stream:
    """A stream of which only numbers may remain: where only numbers are seen, they were computed."""
    return tuple(replace(show, computed=True) if isinstance(show, Content) else show for show in mangled(stream))


_AGGREGATE = re.compile(
    r"(?is)^\s*(?:with\b.*\)\s*)?select\s+(?:(?:count|sum|avg|total|min|max|median|stddev)\s*\([^)]*\)(?:\s*as\s+\w+|\s+\w+)?\s*,?\s*)+from\b(?!.*\bgroup\s+by\b)"
)
_QUOTED_FILE = re.compile(r"'([^'\n]+\.[A-Za-z0-9]{1,8})'|\bfrom\s+\"([^\"\n]+\.\w{1,8})\"", re.IGNORECASE)
_COPY_TO = re.compile(r"(?is)\bcopy\b.*?\bto\s+'([^'\n]+)'")


def sql(call: Call) -> Stream:
    """sqlite3, duckdb: a database and statements; duckdb also reads files that a statement names in quotes."""
    parsed = call.parsed("c cmd s init separator nullvalue newline f", "single")
    statements = " ".join([*parsed.values("c", "cmd", "s"), *parsed.operands[1:]])
    if len(parsed.operands) == 1 and re.search(r"(?i)\b(?:select|from|describe)\b", parsed.operands[0]):
        statements += " " + parsed.operands[0]
    piped = "".join(getattr(show, "text", "") for show in call.input())
    statements += " " + piped
    targets = _COPY_TO.findall(statements)
    for target in targets:
        call.shell.facts.author(call.path(target), f"{call.name}: COPY … TO writes a file")
    files = (
        [a or b for a, b in _QUOTED_FILE.findall(statements) if (a or b) not in targets]
        if call.name != "sqlite3"
        else []
    )
    files += [word for word in parsed.operands[:1] if word != ":memory:" and not re.search(r"\s", word)]
    if not files or (targets and not re.search(r"(?i);\s*(?:select|from)", statements)):
        return ()
    if _AGGREGATE.search(statements):
        return (Noise(f"{call.name}: totals only"),)
    return call.content(files, f"{call.name}: shows rows")


def mlr(call: Call) -> Stream:
    """Miller: verbs, then files."""
    words = call.arguments
    files = [word for word in words if re.search(r"\.(?:csv|tsv|json|jsonl|txt|dkvp|md|nidx|pprint)(?:\.gz)?$", word)]
    files += [] if files else [word for word in words if re.search(r"/[^/\s]+$", word) and "$" not in word]
    if "-n" in words:
        return ()
    computed = any(word in ("count", "stats1", "step") for word in words)
    if "-I" in words:
        return ()
    return call.content(files, "mlr: takes content", computed=computed) if files else reduced(call.input())


def csvsql(call: Call) -> Stream:
    """csvsql --query: rows of its operands."""
    parsed = call.parsed("query d q u e db tables insert prefix i dialect db-schema")
    if _AGGREGATE.search(parsed.value("query") or ""):
        return (Noise("csvsql: totals only"),)
    return call.content(parsed.operands, "csvsql: shows rows") if parsed.operands else call.input()


def xsv(call: Call) -> Stream:
    """xsv, qsv: a subcommand, its arguments, then a file."""
    parsed = call.parsed("d delimiter o output s select n c l i len start end w width p pad f jobs j limit")
    if not parsed.operands:
        return call.input()
    verb, rest = parsed.operands[0], parsed.operands[1:]
    if verb in ("count",):
        return (Noise(f"{call.name} count: a bare count", 1),)
    skip = {"select": 1, "search": 1, "partition": 1, "split": 1, "replace": 2, "join": 0}.get(verb, 0)
    files = rest[skip:] if len(rest) > skip else []
    if verb in ("join", "diff"):
        files = [word for word in rest if "." in word]
    return call.content(files, f"{call.name} {verb}: takes content") if files else mangled(call.input())


def to_csv(call: Call) -> Stream:
    """xlsx2csv, in2csv, ssconvert: a sheet as text; a second operand, where there is one, is written."""
    parsed = call.parsed(
        "s n d l f sheet sheetname delimiter format k p i e t a skip-lines K dateformat floatformat names-only write-sheets sep"
    )
    if parsed.has("n", "names") and call.name == "in2csv" and not parsed.value("n"):
        return call.content(parsed.operands, "in2csv -n: sheet names")
    if not parsed.operands:
        return call.input()
    if (
        call.name in ("xlsx2csv", "xls2csv", "ssconvert")
        and len(parsed.operands) > 1
        and not parsed.operands[1].startswith("fd:")
    ):
        source = call.content(parsed.operands[:1], f"{call.name}: takes content")
        call.shell.facts.author(call.path(parsed.operands[1]), f"{call.name}: writes its second operand", source)
        return ()
    return call.content(parsed.operands[:1], f"{call.name}: takes content")


def datamash(call: Call) -> Stream:
    """datamash: statistics of its input."""
    return reduced(call.input())


_CSVKIT = "d q u p z e L K c C m r f y g delimiter columns encoding not-columns groups regex match file skip-lines max-rows max-columns max-column-width decimal-format"

ROWS: dict[str, Row] = {
    **dict.fromkeys(["jq", "yq", "gojq", "jaq", "xq", "tomlq", "dasel", "gron", "fx", "jless", "jid", "jello"], jq),
    **dict.fromkeys(
        ["sqlite3", "sqlite", "duckdb", "litecli", "clickhouse-local", "q", "textql", "dsq", "trdsql"], sql
    ),
    **dict.fromkeys(["mlr", "miller"], mlr),
    **dict.fromkeys(["xsv", "qsv", "xan", "csvtk"], xsv),
    "csvsql": csvsql,
    **dict.fromkeys(
        ["csvlook", "csvcut", "csvsort", "csvjoin", "csvjson", "csvstack", "csvclean", "csvformat", "csvstat"],
        filtering(_CSVKIT),
    ),
    "csvgrep": filtering(_CSVKIT),
    **dict.fromkeys(["in2csv", "xlsx2csv", "xls2csv", "ssconvert", "xlscat", "xls2txt", "ods2csv"], to_csv),
    "datamash": datamash,
    **dict.fromkeys(["json_pp", "jsonlint", "prettier", "js-beautify", "tidy"], filtering("parser indent")),
    "xmllint": writes_to("output", "xpath schema dtdvalid encode"),
    "xmlstarlet": content("t m v N o n i T c", skip=1),
    "xidel": filtering("e extract s"),
    "pup": filtering("f i"),
    "htmlq": filtering("f a"),
    "parquet-tools": content("n rows", skip=1),
    "pqrs": content("n", skip=1),
    "visidata": content(),
    "vd": content(),
    "tidy-viewer": filtering(),
    "protoc": content(),
    "plutil": content("o"),
}
