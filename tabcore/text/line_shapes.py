r"""Which lines are plain: those in which every digit stands where no rule of the full matcher can touch it.

Told by regular expressions of RE2 (as Arrow runs them over all lines at once, a nanosecond or two a character), which
say what a plain line looks like from end to end: CSV rows; and *free* lines, prose, table rows and JSON members, where
every number has a left and a right neighbour out of short lists. What a rule of the full matcher could still take by
its words (a label before, a scale, a currency or a month after) is searched for and makes the line not plain.

Lines are bytes in Latin-1, one byte a character; a property test holds this and the full matcher together.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tabcore.text.no_values import LABEL_WORDS, NAMING_WORDS

Mask = npt.NDArray[np.bool_]


class Shapes(NamedTuple):
    """Which lines hold nothing, which are plain rows, which are plain free lines; the rest is not plain."""

    empty: Mask
    rows: Mask
    free: Mask


PREFIX = 1  # the byte that stands for each of a prefix: a line number of the read tool, file and line of a search
ARROW = "\x84"  # stands for the arrow after a line number
UNREAD = "\x80"  # stands for a character that Latin-1 has not and that may be a number
_BEGIN = r"^\x01*"
_END = r"\r?\n?$"
_ODD = r"\x80-\xbf\xd7\xf7"  # signs of Latin-1, such as £ and ½; its letters are not odd
_WHOLE = r"(?:0|[1-9][0-9]{0,9})"
_SIMPLE = rf"{_WHOLE}(?:\.[0-9]{{1,10}})?"
_NUMBER = rf"(?:{_SIMPLE}|[1-9][0-9]{{0,2}}(?:,[0-9]{{3}})+(?:\.[0-9]{{1,10}})?)"

# What the full matcher takes off the front: up to a tab or an arrow, to the second colon, to a point or parenthesis.
_NUMBERED = r"^(?: +[0-9]+\t| *[0-9]+\x84)"
_NUMBERS_OF_LISTS = r"^[ ]*[0-9]{1,3}[.)] +[A-Za-z`*\"(]"
_SEARCHED = r"^\.{0,2}[A-Za-z_/][\w/ -]*\.[a-z]{2,4}:[0-9]+:(?:[0-9]+,|[^0-9\n])"
LONGEST_NAME = 190  # characters before the first colon

_HOLDS_ONE = r"[0-9\x80\xbc-\xbe]"
_LISTED = r"^[-dlbcps][-rwxsStT]{9}[.+@]?[ \t][^\n\x85]*\n?$"
_PATH = (
    r"^(?:==>? )?(?:[A-Za-z]{4,}(?:[_./-][A-Za-z0-9]+)*"
    r"|(?:[~.]{1,2}|[A-Za-z_][\w.~-]*)?/(?:[\w.~-]+/)*[\w.~-]*[A-Za-z_][\w.~-]*)(?: <==)?\n?$"
)
_BLOB = r"^[A-Za-z0-9+/]{40,}={0,2}\r?\n?$"  # base64
_EMPTY = f"{_LISTED}|{_PATH}|{_BLOB}"

# A row: cells of a number, a day or words that have no digit; at least one is no number, or all might be one number.
_DAY = (
    r"(?:19|20)[0-9]{2}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    r"|02-(?:0[1-9]|1[0-9]|2[0-8]))"
)
_SIGNED = r"-(?:0\.[0-9]{1,10}|[1-9][0-9]{0,9}(?:\.[0-9]{1,10})?)"
_WORDS = rf"(?:[^0-9,\s{_ODD}][^0-9,\n{_ODD}]*)?"
_CELL = rf"(?:{_SIMPLE}|{_SIGNED}|{_DAY}|{_WORDS})"
_ROW = rf"{_BEGIN}(?:{_SIMPLE}|{_DAY}|{_WORDS}),(?:{_CELL},)*(?:{_SIMPLE}|{_SIGNED}|{_DAY}|[^0-9,\s{_ODD}][^0-9,\n{_ODD}]*){_END}"
_ONLY_NUMBERS = rf"{_BEGIN}(?:-?{_SIMPLE},)*-?{_SIMPLE}{_END}"
_NO_ROW = r"://|www\.|\.\.|\. \. |^\x01*(?:[1-9]|1[0-2])\.(?:19|20)[0-9]{2}[^0-9]"

# A free line: every digit is of a number between such neighbours, or of what is no value wherever it stands.
_BEFORE = rf"(?:(?:{_BEGIN}| )(?:[a-z]{{2,}}|a) |\| |\": ?|\": ?\"|[A-Za-z]: |[A-Za-z_]=)"
_OPENED = rf"(?:-?{_NUMBER}|\${_NUMBER}|\({_NUMBER})"
_AFTER = rf"(?:[.,;]?{_END}|,? [a-z]{{2,}}(?:[ ,.;:=]|{_END})| a [a-z]| ?\||\}}|\]|\)(?:[.,;:]?{_END}|[,;:]? [a-z]|[,;:] )|,? ?\")"
_FILL = rf"[^0-9\n{_ODD}]"
_ENDINGS = "csv|tsv|xlsx?|docx?|pptx?|pdf|txt|md|json|jsonl|py|js|ts|html?|xml|ya?ml|zip|gz|tar|log|png|jpe?g|sql|sh|ipynb|parquet|eml"
_CLOCK = r"[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?"
_HIDDEN = "|".join(
    [
        rf"[A-Za-z0-9_][\w.-]*\.(?:{_ENDINGS})\b",  # files
        r"(?:^|[ \"'(\[])(?:[~.]{1,2}|[A-Za-z_][\w.~-]*)?/(?:[\w.~-]+/)*[\w.~-]*[A-Za-z_][\w.~-]*",  # paths
        r"\b[a-z]{2,8}://[^\s\"'<>()$=\x80-\xbf]*",  # addresses
        r"(?:[A-Za-z]{4,}|[a-z]{3})(?:[-/.]|_+)?[0-9]+[A-Za-z]*(?:_+[0-9A-Za-z]+)*",  # digits after letters
        r"\b[A-MO-WYZa-mo-wyz](?:[-/.]|_+)?[0-9]+[A-Za-z]*\b|\b[A-Za-z]{1,3}(?:[-/]|_+)[0-9]+[A-Za-z]*\b",
        rf"(?:^|[ (\[\"'])(?:{_DAY}(?:[T ]{_CLOCK})?|{_CLOCK})(?:[ )\]\"'Z]|{_END})",  # days and hours
    ]
)
_LEFT = rf"{_BEGIN}(?:{_FILL}|{_BEFORE}{_OPENED}|\|(?:-?{_NUMBER}|\${_NUMBER})|{_HIDDEN})*{_END}"
_RIGHT = rf"{_BEGIN}(?:{_FILL}|(?:{_NUMBER}%?\)?|\${_NUMBER}[kKmMbBT]?){_AFTER}|{_HIDDEN})*{_END}"
_ALONE = rf"^-?{_NUMBER}%?{_END}|{_BEGIN}(?:{_NUMBER}%?|\${_NUMBER}){_END}"
_COUNTED = rf"^ +{_WHOLE} [A-Z][a-z\xfc]{{2,}}[ ,][^0-9\n{_ODD}]*{_END}"

_MONTHS = """
janvier février mars avril mai juin juillet août septembre octobre novembre décembre janv févr juil déc
"""
_TAKING = f"""
thousand thousands million millions billion billions trillion trillions lakh lakhs lac crore crores cr bn mn mln mio
bln tn trn tausend mille milliard milliards percent per pct pour euro euros dollar dollars pounds livres rupees yuan
renminbi yen francs kronor kroner kr am pm uhr rue avenue boulevard place quai chemin points point pts de {_MONTHS}
"""
_NAMING = f"""
kr rs usd eur nr v ver update version release firmware build pandas numpy room salle bureau week weeks semaine semaines
nummer konto kennzeichen jusqu {_MONTHS}
"""
_OTHER_LABELS = "im am à vers avant dès après"
_CAPITALS = """
Mio Mrd Tsd Tausend Million Millionen Milliarde Milliarden Billionen Prozent Euro Euros Dollar Franken Kronen Swiss
Schweizer Pfund Uhr Yen Jan Feb Mar Apr May Jun Jul Aug Sep Sept Oct Nov Dec January February March April June July
August September October November December Januar Februar Juni Juli Oktober Dezember Mai Mrz Okt Dez Bio Std Mds
"""


def _any(words: str | frozenset[str]) -> str:
    """The ASCII words of a list as one group: a word with other letters stands beside no plain number."""
    listed = words.split() if isinstance(words, str) else words
    return "(?:" + "|".join(sorted(re.escape(word) for word in listed if word.isascii())) + ")"


_MONTH_AND_YEAR = r"(?:^|[^0-9.,])(?:[1-9]|1[0-2])\.(?:19|20)[0-9]{2}(?:[^0-9]|$)"
# The number of a line or a list before what makes a day or an hour of it: 12, a tab, June.
_NO_PREFIX = (
    rf"^\x01+ *(?:{_any(_CAPITALS + _MONTHS)}|[AaPp]\.?[Mm]|h|o'clock|of|de|and|to|und|bis|et|au)(?:[^a-zA-Z]|$)"
)
_NUMBER_END = r"[0-9][%kKmMbBT]?\)?"
_NO_FREE = "|".join(
    [
        # words that a number belongs to, after it
        rf"{_NUMBER_END},? {_any(_TAKING)}(?:[^a-zA-Z]|$)",
        # ranges, and a day before the name of a month
        rf"{_NUMBER_END},? (?:up to|to|bis|through|hasta|and|und|et|of) (?:[-$(]{{0,2}}[0-9]|[A-Z]|mars|mai|juin)",
        # words that name a number: each, and those that name only what has no mark of a value
        rf"(?:(?:^\x01*| ){_any(NAMING_WORDS)}|(?:^\x01*| ){_any(_NAMING)}|ummer|ennzeichen|konto|nr) [-$(]?[0-9]",
        rf"(?:^\x01*| )(?:{_any(LABEL_WORDS)}|{_any(_TAKING)}|{_any(_OTHER_LABELS)}) -?[0-9.]+(?:$|[^0-9%.,]|[.,](?:[^0-9]|$))",
        # 6.2024 is a month; a year of which something is counted is no year: left to the full matcher
        _MONTH_AND_YEAR,
        r"\.\.|\. \. ",
        # an address goes on to the next blank
        r"(?:://|www\.)[^\s\"'<>]*[=(|$][-$(]*[0-9]",
        # a currency before the name of a file
        rf"\$[0-9][\w.,-]*\.(?:{_ENDINGS})\b",
        # a line break that is written out is none of the letters before a number, nor of a currency's before it
        r"\\[nrt][-+(]?[A-Za-z$]{0,4} ?[0-9]",
        # labels with a colon; lists that a label begins
        _NO_PREFIX,
        rf"(?i:(?:^|[^a-z]){_any(LABEL_WORDS)}\.?: ?\"?[-$(]?[0-9])",
        r"(?:doi|DOI|arXiv|ummer|ennzeichen|onto|nr\.?) ?: ?\"?[-$(]?[0-9]",
        r"[a-z][0-9]+[a-z]?,? ?(?:and|or|to|und|oder|bis|et|ou|through|[-&/,]) ?[0-9]",
        # parentheses that begin a cell and do not fill it
        r"\| \([0-9.,]+%?\)(?:$|[^ ]| $| [^|])|\"\([0-9.,]+%?\)(?:$|[^\"]|\" )",
    ]
)
_NO_COUNT = rf"{_MONTH_AND_YEAR}|^ +[0-9]+ {_any(_CAPITALS)}[ ,]|Street|St\.|Road|Rd|Ave|Lane|Drive|^ +[0-9]+ {_any(frozenset(word.capitalize() for word in LABEL_WORDS))}[ ,]"


def shapes(lines: pa.Array) -> Shapes:
    """The shapes of lines (binary, Latin-1), each with or without its line break."""
    empty = ~_holding(lines, _HOLDS_ONE) | _holding(lines, _EMPTY)
    rows = among(lines, ~empty, _ROW, f"{_ONLY_NUMBERS}|{_NO_ROW}|{_NO_PREFIX}")
    free = among(lines, ~(empty | rows), _LEFT, _NO_FREE, _RIGHT)
    rest = ~(empty | rows | free)
    free |= among(lines, rest, f"{_ALONE}|{_COUNTED}", _NO_COUNT)
    return Shapes(empty, rows, free)


class Prefixes(NamedTuple):
    """Which lines begin with a line number, with a file's name and a number between colons, with a number of a list."""

    numbered: Mask
    searched: Mask
    listed: Mask


def prefixed(lines: pa.Array) -> Prefixes:
    """The prefixes that the full matcher takes off lines."""
    return Prefixes(*(_holding(lines, pattern) for pattern in (_NUMBERED, _SEARCHED, _NUMBERS_OF_LISTS)))


def among(lines: pa.Array, asked: Mask, shape: str, never: str, also: str | None = None) -> Mask:
    """Of the lines asked for, those that have the shape, and the other one where it is given, and not the last."""
    left = np.flatnonzero(asked)
    for pattern, wanted in ((shape, True), (also, True), (never, False)):
        if pattern is not None and len(left):
            left = left[_holding(lines.take(pa.array(left)), pattern) == wanted]
    found = np.zeros(len(asked), bool)
    found[left] = True
    return found


def _holding(lines: pa.Array, pattern: str) -> Mask:
    mask: Any = pc.match_substring_regex(lines, pattern).to_numpy(zero_copy_only=False)
    return np.asarray(mask, bool)
