"""Which lines of an observation belong to which show, when a command shows several things in a row.

A best path through (shows x lines): each show takes the next run of lines; what a line is worth to a show is in
`worth`. Cost: shows x lines; beyond MAX_CELLS only the lines that the agent's own text marks are told apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, product

from tabcore.capture.content_kinds import kinship
from tabcore.capture.joining import joined
from tabcore.capture.line_worth import fits, weight, worth
from tabcore.capture.patterns import is_literal
from tabcore.capture.shell_state import Facts
from tabcore.capture.shows import Content, Either, Loop, Names, Noise, Show, Stream, Text, Undecided

FIRST_LINE = 1.0
"""What it is worth that content is shown at all: files are seldom empty."""
DESCENT = 0.4
"""What it is worth that a sorted listing begins where the order of the lines goes back."""
DOUBT = 0.05
"""What less it is worth where the content may be empty without a word; among alternatives it makes no difference."""
MAX_CELLS = 400_000
MIN_ENDS = 50
MAX_COMBINATIONS = 8

Piece = tuple[Show, list[str]]


def aligned(shows: Sequence[Show], lines: list[str], facts: Facts) -> list[list[Piece]]:
    """Each show with its lines; of alternatives the one that fits best, or those that fit equally well."""
    vague: dict[int, Show] = {}
    choices = [_branches(show, vague) if isinstance(show, Either) else [(show,)] for show in shows]
    combinations = 1
    for branches in choices:
        combinations *= len(branches)
    if combinations > MAX_COMBINATIONS:
        return [_best(_flat([branches[0] for branches in choices]), lines, facts)[1]]
    fitted = [_best(joined(_flat(chosen)), lines, facts) for chosen in product(*choices)]
    scores = [score + sum(DOUBT for show, own in pieces if own and _is_doubtful(show)) for score, pieces in fitted]
    best = _of_kind([pieces for score, (_, pieces) in zip(scores, fitted, strict=True) if score > max(scores) - 1e-9])
    return [[(vague.get(id(show), show), own) for show, own in pieces] for pieces in best] if vague else best


def _tells_nothing(show: Show) -> bool:
    unknown_program = isinstance(show, Names) and show.form == "paths"
    return unknown_program or isinstance(show, Undecided) or (isinstance(show, Noise) and show.limit is None)


def _of_kind(alike: list[list[Piece]]) -> list[list[Piece]]:
    """Those of equally good alternatives whose files' endings suit their lines best."""
    if len(alike) == 1:
        return alike
    kinships = [
        sum(kinship(show.paths[0], own) for show, own in pieces if isinstance(show, Content) and len(show.paths) == 1)
        for pieces in alike
    ]
    return [pieces for pieces, value in zip(alike, kinships, strict=True) if value == max(kinships)]


def _branches(show: Either, vague: dict[int, Show]) -> list[Stream]:
    """Alternatives; output of which nothing is known (`vague`) may be anything, as well as content may."""
    found: list[Stream] = []
    for branch in show.branches:
        if all(map(_tells_nothing, branch)):
            standing = Content((), "output of which nothing is known")
            vague[id(standing)] = branch[0]
            found.append((standing,))
        else:
            found.append(branch)
    return found


def _flat(chosen: Sequence[Stream]) -> list[Show]:
    found: list[Show] = []
    for stream in chosen:
        for show in stream:
            found += _flat([show.branches[0]]) if isinstance(show, Either) and show.branches else [show]
    return found


def _best(shows: list[Show], lines: list[str], facts: Facts) -> tuple[float, list[Piece]]:
    if not shows:
        return 0.0, []
    if len(shows) == 1:
        limit = getattr(shows[0], "limit", None) or len(lines)
        beyond = 0.2 * max(0, len(lines) - limit)
        worths = worth(shows[0], lines[: min(limit, 200)], facts)
        begun = isinstance(shows[0], Content) and any(
            value > 0 and line.strip() for value, line in zip(worths, lines, strict=False)
        )
        return sum(worths) + (_first_line(shows[0]) if begun else 0.0) - beyond, [(shows[0], lines)]
    marks = _unique_marks(shows, lines)
    if marks:
        return _between(marks, shows, lines, facts)
    if len(shows) * len(lines) > MAX_CELLS:
        return 0.0, _by_marks(shows, lines, facts)
    return _through(shows, lines, facts)


def _unique_marks(shows: list[Show], lines: list[str]) -> list[tuple[int, int]]:
    """Shows that are one line of the agent's own text which stands once in the observation: (show, line), in order."""
    sought: dict[str, int] = {}
    times = Counter(show for show in shows if isinstance(show, Text))
    for position, show in enumerate(shows):
        if not isinstance(show, Text) or len(show.text) < 4 or show.text[-1] != "\n" or not is_literal(show.text):
            continue
        if "\n" not in show.text[:-1] and times[show] == 1:
            sought[show.text[:-1]] = -1 if show.text[:-1] in sought else position
    places: dict[str, int] = {}
    for place, line in enumerate(lines if sought else ()):
        if line in sought:
            places[line] = -1 if line in places else place
    marks = [(position, places.get(text, -1)) for text, position in sought.items() if position >= 0]
    marks = [(position, place) for position, place in marks if place >= 0]
    return marks if all(before[1] < after[1] for before, after in pairwise(marks)) else []


def _between(
    marks: list[tuple[int, int]], shows: list[Show], lines: list[str], facts: Facts
) -> tuple[float, list[Piece]]:
    """The stretches between such marks, each by itself."""
    score = 0.0
    pieces: list[Piece] = []
    show_from = line_from = 0
    for position, place in [*marks, (len(shows), len(lines))]:
        own, within = shows[show_from:position], lines[line_from:place]
        if len(own) == 1 and getattr(own[0], "limit", None) is None and not isinstance(own[0], Text):
            score += sum(worth(own[0], within[:200], facts))
            pieces.append((own[0], within))
        elif own:
            inner, fitted = _best(own, within, facts) if len(own) > 1 else _through(own, within, facts)
            score += inner
            pieces += fitted
        if position < len(shows):
            score += 7.0
            pieces.append((shows[position], lines[place : place + 1]))
        show_from, line_from = position + 1, place + 1
    return score, pieces


def _through(shows: list[Show], lines: list[str], facts: Facts) -> tuple[float, list[Piece]]:
    score, places = _placed(shows, lines, facts)
    return score, [(show, lines[start:end]) for show, start, end in places]


def _placed(shows: list[Show], lines: list[str], facts: Facts) -> tuple[float, list[tuple[Show, int, int]]]:
    """The best path: each show with the first of its lines and the one after the last."""
    count = len(lines)
    before = [-0.2 * position for position in range(count + 1)]
    origins: list[list[int]] = []
    for show in shows:
        if isinstance(show, Text):
            now, origin = _text_step(show, lines, before)
        else:
            now, origin = _run_step(show, lines, before, facts)
        origins.append(origin)
        before = now
    end = max(range(count + 1), key=lambda position: before[position] - 0.2 * (count - position))
    score = before[end] - 0.2 * (count - end)
    places: list[tuple[Show, int, int]] = []
    for show, origin in zip(reversed(shows), reversed(origins), strict=True):
        start, taken_to = origin[end], end
        while start < 0:
            taken_to -= 1
            start = origin[taken_to]
        places.append((show, start, taken_to))
        end = start
    return score, _widened(places[::-1], count)


def _widened(places: list[tuple[Show, int, int]], count: int) -> list[tuple[Show, int, int]]:
    """A show that stands alone between two texts of the agent's own has all the lines between them."""
    marks = [i for i, (show, start, end) in enumerate(places) if isinstance(show, Text | Noise) and end > start]
    for before, after in zip([-1, *marks], [*marks, len(places)], strict=True):
        between = [i for i in range(before + 1, after) if not isinstance(places[i][0], Text | Noise | Undecided)]
        if len(between) == 1 and getattr(places[between[0]][0], "limit", None) is None:
            start = places[before][2] if before >= 0 else 0
            stop = places[after][1] if after < len(places) else count
            places[between[0]] = (places[between[0]][0], start, stop)
    return places


def _skipping(now: list[float], origin: list[int]) -> tuple[list[float], list[int]]:
    """Lines that nothing explains cost a little; -1 marks them on the way back."""
    for position in range(1, len(now)):
        if now[position - 1] - 0.2 > now[position]:
            now[position], origin[position] = now[position - 1] - 0.2, -1
    return now, origin


def _text_step(show: Text, lines: list[str], before: list[float]) -> tuple[list[float], list[int]]:
    """The agent's own text: exactly its lines, or nothing where it was not shown."""
    now, origin = list(before), list(range(len(before)))
    text = show.text
    open_end = not text.endswith("\n")
    wanted = text.removesuffix("\n").split("\n")
    if open_end:
        wanted = wanted[:-1] if wanted[-1] == "" else wanted
    size = len(wanted)
    checks = [fits(pattern, last=open_end and position == size - 1) for position, pattern in enumerate(wanted)]
    total = sum(weight(pattern, show.certain) for pattern in wanted)
    for end in range(size, len(before)):
        start = end - size
        if before[start] + total > now[end] and all(fit(lines[start + i]) for i, fit in enumerate(checks)):
            if open_end:
                now[start] = max(now[start], before[start] + total)
            else:
                now[end], origin[end] = before[start] + total, start
    return _skipping(now, origin)


def _run_step(show: Show, lines: list[str], before: list[float], facts: Facts) -> tuple[list[float], list[int]]:
    """A run of lines: the best start for each end, within the show's limit of lines."""
    worths = worth(show, lines, facts)
    limit = getattr(show, "limit", None)
    begins = _begins(show, lines, worths)
    bonus = _first_line(show) if isinstance(show, Content) else 0.5 if isinstance(show, Names) or limit else 0.0
    sums = [0.0]
    for value in worths:
        sums.append(sums[-1] + value)
    now, origin = list(before), list(range(len(before)))
    best: list[int] = []
    head = 0
    keys = [before[place] - sums[place] + begins[place] for place in range(len(before))]
    for end in range(1, len(before)):
        while len(best) > head and keys[best[-1]] < keys[end - 1]:
            best.pop()
        best.append(end - 1)
        if limit is not None:
            while end - best[head] > limit:
                head += 1
                if head == len(best):
                    break
        if head == len(best):
            continue
        start = best[head]
        value = keys[start] + sums[end] + bonus
        if value >= now[end]:
            now[end], origin[end] = value, start
    return _skipping(now, origin)


def _first_line(show: Show) -> float:
    """Where a line may be of several contents, it is of one that surely shows something."""
    return FIRST_LINE - DOUBT if _is_doubtful(show) else FIRST_LINE


def _is_doubtful(show: Show) -> bool:
    return isinstance(show, Content) and bool(show.doubtful) and len(show.doubtful) == len(show.paths)


def _begins(show: Show, lines: list[str], worths: list[float]) -> list[float]:
    """For each place, what it is worth that a listing or a loop begins there."""
    if isinstance(show, Loop):
        return [*(DESCENT if value >= 3.0 else 0.0 for value in worths), 0.0]
    if isinstance(show, Names) and show.form == "ls" and "l" in show.options:
        return [*(DESCENT if line.startswith("total ") else 0.0 for line in lines), 0.0]
    sorted_names = (
        isinstance(show, Names) and show.form == "ls" and not show.mangled and not set(show.options) & set("tSUrfRl")
    )
    if not sorted_names:
        return [0.0] * (len(lines) + 1)
    folded = [line.casefold() for line in lines]
    return [
        0.0,
        *(DESCENT if now < before else 0.0 for before, now in pairwise(folded)),
        0.0,
        0.0,
    ][: len(lines) + 1]


def _by_marks(shows: list[Show], lines: list[str], facts: Facts) -> list[Piece]:
    """For very long observations: cut at the agent's own lines, in order; what lies between two is told apart by its ends."""
    pieces: list[Piece] = []
    position = 0
    waiting: list[Show] = []
    places: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        places.setdefault(line, []).append(number)
    for show in shows:
        wanted = show.text.strip("\n") if isinstance(show, Text) else ""
        place = next((number for number in places.get(wanted, []) if number >= position), None) if wanted else None
        if place is None:
            waiting.append(show)
            continue
        pieces += _by_ends(waiting, lines[position:place], facts)
        waiting, position = [], place + 1
    return [*pieces, *_by_ends(waiting, lines[position:], facts)]


def _by_ends(shows: list[Show], lines: list[str], facts: Facts) -> list[Piece]:
    """Shows with the lines that they have at the beginning and the end of many; the middle belongs to what lies around it."""
    half = MAX_CELLS // (4 * max(1, len(shows)))
    between = len(lines) - 2 * half
    if len(shows) < 2 or between <= 0 or half < MIN_ENDS:
        return _through(shows, lines, facts)[1] if between <= 0 and len(shows) > 1 else [(one, lines) for one in shows]
    places = _placed(shows, lines[:half] + lines[-half:], facts)[1]
    around = [i for i, (show, start, end) in enumerate(places) if start <= half <= end and start < end]
    open_ended = [i for i in around if getattr(places[i][0], "limit", None) is None] or around
    middle = lines[half : half + MIN_ENDS]
    has_middle = max(open_ended, key=lambda i: sum(worth(places[i][0], middle, facts)), default=-1)
    pieces: list[Piece] = []
    for i, (show, start, end) in enumerate(places):
        later = start >= half if i != has_middle else start > half
        reaches = end > half if i != has_middle else end >= half
        pieces.append((show, lines[start + between * later : end + between * reaches]))
    return pieces
