"""Coreutils and their like: programs that show their operands' text, whole, in part, or changed."""

from __future__ import annotations

import re

from tabcore.capture.patterns import STAR, is_literal
from tabcore.capture.programs.call import Call, Row, about, content, filtering, names_of
from tabcore.capture.shows import Content, Names, Noise, Stream, limited, mangled


def head(call: Call) -> Stream:
    """head, tail: a limit of lines; headings when there are several files."""
    parsed = call.parsed("n c lines bytes s sleep-interval pid")
    operands = [word for word in parsed.operands if not re.fullmatch(r"\+\d+", word)]
    limit = parsed.number("n", "lines", "number")
    if call.name == "tail" and str(parsed.value("n", "lines")).startswith("+"):
        limit = None
    if limit is None and not parsed.has("c", "bytes", "n", "lines") and len(operands) == len(parsed.operands):
        limit = 10
    if not operands:
        return limited(call.input(), limit)
    shown = call.content(operands, f"{call.name}: takes content", limit)
    several = len(operands) > 1 or not is_literal(operands[0]) or parsed.has("v", "verbose")
    if not several or parsed.has("q", "quiet", "silent"):
        return shown
    return tuple(_headed(show) if isinstance(show, Content) and len(shown) == 1 else show for show in shown)


def _headed(show: Content) -> Content:
    return Content(show.paths, show.rule, "headers", show.base)


def sed(call: Call) -> Stream:
    """sed: shows its operands, changed; -i changes them in place, w writes, $= counts."""
    parsed = call.parsed("e f expression file l line-length")
    scripts = parsed.values("e", "expression") + parsed.values("f", "file")
    operands = parsed.operands if scripts else parsed.operands[1:]
    script = (scripts or parsed.operands or [""])[0]
    if any(option == "i" or option.startswith(("in-place", "i.")) for option in parsed.options):
        return ()
    quiet = parsed.has("n", "quiet", "silent", "s")
    if quiet and script.strip("'\" ") in ("$=", "="):
        return (Noise("sed: prints the number of lines", 1),)
    limit = _sed_limit(script) if quiet else None
    if operands:
        return call.content(operands, "sed: takes content", limit)
    return limited(mangled(call.input()), limit)


def _sed_limit(script: str) -> int | None:
    """How many lines `1,6p` prints.

    >>> _sed_limit("3,6p"), _sed_limit("/a/p")
    (4, None)
    """
    match = re.fullmatch(r"\s*(\d{1,9})(?:,\s*(\+?)(\d{1,9}))?\s*p\s*;?\s*(?:\d+q)?\s*", script)
    if match is None:
        return None
    first, plus, last = match.groups()
    return 1 if last is None else int(last) + 1 if plus else max(1, int(last) - int(first) + 1)


def tee(call: Call) -> Stream:
    """tee: writes what passes through."""
    for word in call.parsed().operands:
        call.shell.facts.author(call.path(word), "tee: writes a file", call.input())
        text = "".join(getattr(show, "text", "") for show in call.input())
        if text and is_literal(text) and is_literal(word):
            call.shell.facts.scripts[call.path(word)] = text
    return call.input()


def sort(call: Call) -> Stream:
    """sort: shows its operands; -o writes, -c checks."""
    parsed = call.parsed("k t o S T output key field-separator parallel batch-size compress-program files0-from")
    target = parsed.value("o", "output")
    shown = call.content(parsed.operands, "sort: takes content") if parsed.operands else call.input()
    if target:
        call.shell.facts.author(call.path(target), "sort: -o writes a file", shown)
        return ()
    return () if parsed.has("c", "C", "check") else shown


def uniq(call: Call) -> Stream:
    """uniq: its first operand is shown, a second one written."""
    parsed = call.parsed("f s w skip-fields skip-chars check-chars")
    shown = call.content(parsed.operands[:1], "uniq: takes content") if parsed.operands else call.input()
    if len(parsed.operands) > 1:
        call.shell.facts.author(call.path(parsed.operands[1]), "uniq: writes its second operand", shown)
        return ()
    return mangled(shown) if parsed.has("c", "count") else shown


def wc(call: Call) -> Stream:
    """wc: counts beside names; over its input only a count."""
    parsed = call.parsed("files0-from total")
    if not parsed.operands:
        return (Noise("wc: counts its input", 1),)
    return names_of(call, parsed.operands, "counts", "wc: paths beside counts")


def diff(call: Call) -> Stream:
    """diff: the lines that differ, of both files; with -q only their names."""
    parsed = call.parsed("U C x X I L label exclude unified context width W from-file to-file color")
    operands = parsed.operands
    if call.name in ("colordiff", "icdiff", "delta", "sdiff", "wdiff", "vimdiff"):
        return call.content(operands, f"{call.name}: shows differing lines")
    if call.name == "cmp" or parsed.has("q", "brief", "s", "report-identical-files"):
        loud = call.name == "cmp" and parsed.has("l", "b", "print-bytes")
        return call.content(operands, "cmp: shows differing bytes") if loud else _compared(call, operands)
    if parsed.has("r", "recursive"):
        paths = tuple(call.path(word) for word in operands)
        return (Content(paths, "diff -r: a file's differing lines", "diff", call.shell.cwd, deep=True),)
    shown = call.content(operands, f"{call.name}: shows differing lines")
    names = names_of(call, operands, "compared", f"{call.name}: names the files that differ")
    return (*shown, *names) if call.name == "diff" else shown


def _compared(call: Call, operands: list[str]) -> Stream:
    return (Names(call.shell.cwd, "compared", f"{call.name}: names the files that differ"),)


def dd(call: Call) -> Stream:
    """dd if=… of=…: shows the input unless an output is named."""
    settings = dict(word.split("=", 1) for word in call.arguments if "=" in word)
    shown = call.content([settings["if"]], "dd: takes content") if "if" in settings else call.input()
    if "of" in settings and not settings["of"].startswith("/dev/"):
        call.shell.facts.author(call.path(settings["of"]), "dd: writes a file", shown)
        return ()
    return shown


def split(call: Call) -> Stream:
    """split, csplit: cut a file into pieces, which are the agent's own; nothing of it is shown."""
    if call.name == "csplit":
        prefix = call.parsed("f b n prefix suffix-format digits").value("f", "prefix") or "xx"
    else:
        prefix = (call.parsed("a b C l n t additional-suffix bytes lines number filter").operands[1:] or ["x"])[0]
    call.shell.facts.author_all(call.path(prefix) + STAR, f"{call.name}: writes the pieces")
    return ()


def line_editor(call: Call) -> Stream:
    """ed, ex: the lines that their commands print; sizes are figures."""
    return call.content(call.parsed("p c S T u").operands, f"{call.name}: prints lines", computed=True)


def tr(call: Call) -> Stream:
    """tr: changes its input; NULs made into line ends leave names as they are."""
    separators = {r"\0", r"\n", r"\000", "\0", "\n", r"\r", " ", r"\t", "-d", "-s"}
    plain = all(word in separators or word.strip("'\"") in separators for word in call.arguments)
    return call.input() if plain else mangled(call.input())


def checksum(call: Call) -> Stream:
    """md5sum and its like: hashes beside names."""
    parsed = call.parsed("a algorithm l length")
    if parsed.has("c", "check"):
        return names_of(call, [], "^(?P<path>.+): (?:OK|FAILED.*)$", f"{call.name} -c: paths that were checked")
    if not parsed.operands or parsed.operands == ["-"]:
        return (Noise(f"{call.name}: a hash of its input", 1),)
    return names_of(call, parsed.operands, "hashes", f"{call.name}: paths beside hashes")


def capture_file(call: Call) -> Stream:
    """tshark, tcpdump -r: packets of a capture file."""
    taken = call.parsed("r Y z T e f i c w d o E").value("r")
    return call.content([taken], f"{call.name} -r: takes content") if taken else ()


def strings(call: Call) -> Stream:
    """strings: the text in a binary."""
    return content("n t e bytes radix encoding s output-separator")(call)


_TEXT_FILTERS: dict[str, Row] = {
    name: filtering(values)
    for name, values in {
        "cut": "d f c b delimiter fields characters bytes output-delimiter",
        "paste": "d delimiters",
        "join": "1 2 j t a v o e",
        "column": "s c o N R W E H separator output-separator table-columns table-right",
        "fold": "w width",
        "fmt": "w width p g prefix goal",
        "expand": "t tabs",
        "unexpand": "t tabs",
        "rev": "",
        "pr": "l w o h s S W N n e i",
        "nl": "b d f h i l n s v w body-numbering number-format number-width",
        "iconv": "f t from-code to-code o output c",
        "base64": "w wrap",
        "base32": "w wrap",
        "basenc": "w wrap",
        "xxd": "l s c g o b",
        "hexdump": "n s e f",
        "hd": "n s",
        "od": "A j N S t w",
        "hexyl": "n s c length skip",
        "dos2unix": "",
        "unix2dos": "",
        "ul": "t",
        "colrm": "",
        "look": "",
        "comm": "output-delimiter",
        "tsort": "",
        "ptx": "",
        "html2text": "width encoding from_encoding o b style nobs ascii utf8",
        "lynx": "width dump cfg",
        "w3m": "T cols I O o",
        "elinks": "dump-width",
        "links": "width",
        "glow": "w s style width",
        "mdcat": "",
        "ansifilter": "",
        "recode": "",
        "uconv": "f t",
        "detex": "",
        "untex": "",
        "fromdos": "",
    }.items()
}

_SHOWN_WHOLE: dict[str, Row] = {
    name: content(values)
    for name, values in {
        "cat": "",
        "tac": "s separator",
        "bat": "l language r line-range style theme H highlight-line tabs terminal-width wrap color paging file-name m map-syntax",
        "batcat": "l language r line-range style theme H highlight-line tabs wrap color paging",
        "less": "p P b h j k o O t T x y z",
        "more": "n",
        "most": "",
        "view": "c",
        "pg": "",
        "zcat": "",
        "gzcat": "",
        "bzcat": "",
        "xzcat": "",
        "zstdcat": "",
        "lz4cat": "",
        "lzcat": "",
        "zless": "",
        "zmore": "",
        "pygmentize": "l f O o",
        "highlight": "O S",
        "source-highlight": "s f i",
        "ccat": "",
        "shuf": "n i o head-count random-source",
        "gunzip": "S suffix",
        "bunzip2": "",
        "unxz": "",
        "zstd": "",
        "numfmt": "from to",
        "ts": "",
        "pv": "",
        "sponge": "",
        "spell": "",
        "aspell": "l d lang",
        "hunspell": "d",
        "vim": "c",
        "nano": "",
    }.items()
}


def decompress(call: Call) -> Stream:
    """gzip -dc, gunzip -c, xz -dc: content on standard output; without -c a file is replaced."""
    parsed = call.parsed("S suffix T threads")
    to_output = parsed.has("c", "stdout", "to-stdout")
    if parsed.has("l", "list"):
        return names_of(call, parsed.operands, "any", f"{call.name} -l: names what it holds")
    if not parsed.operands:
        return call.input()
    if to_output and (parsed.has("d", "decompress", "uncompress") or call.name.startswith("un") or "un" in call.name):
        return call.content(parsed.operands, f"{call.name} -dc: takes content")
    return call.content(parsed.operands, f"{call.name} -c: takes content") if to_output else ()


ROWS: dict[str, Row] = {
    **_TEXT_FILTERS,
    **_SHOWN_WHOLE,
    "head": head,
    "tail": head,
    "sed": sed,
    "gsed": sed,
    "tee": tee,
    "sort": sort,
    "uniq": uniq,
    "wc": wc,
    "diff": diff,
    "cmp": diff,
    "sdiff": diff,
    "colordiff": diff,
    "icdiff": diff,
    "wdiff": diff,
    "delta": diff,
    "dd": dd,
    "tr": tr,
    "strings": strings,
    "split": split,
    "csplit": split,
    **dict.fromkeys(["ed", "ex"], line_editor),
    **dict.fromkeys(["tshark", "tcpdump", "capinfos"], capture_file),
    **dict.fromkeys(
        [
            "md5sum",
            "sha1sum",
            "sha224sum",
            "sha256sum",
            "sha384sum",
            "sha512sum",
            "b2sum",
            "shasum",
            "md5",
            "xxhsum",
            "b3sum",
        ],
        checksum,
    ),
    "cksum": about("cksums", "a algorithm"),
    "sum": about("cksums"),
    **dict.fromkeys(["gzip", "gunzip", "xz", "unxz", "bzip2", "bunzip2", "zstd", "unzstd", "lz4"], decompress),
}
