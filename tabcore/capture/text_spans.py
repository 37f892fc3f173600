"""Lines of a long text that hold one of several words, found by plain search; and a text without some of its parts."""

from __future__ import annotations

MAX_LINES = 20_000


def lines_with(text: str, words: tuple[str, ...], longest: int) -> list[tuple[int, int]]:
    """Start and end of each line that holds one of the words, in order; lines over `longest` are left out.

    >>> lines_with("a\\nno such file\\nb", ("such",), 100)
    [(2, 14)]
    """
    spans: dict[int, int] = {}
    find = text.find
    for word in words:
        place = find(word)
        if place < 0:
            continue
        while place >= 0 and len(spans) < MAX_LINES:
            start = text.rfind("\n", 0, place) + 1
            end = text.find("\n", place)
            end = len(text) if end < 0 else end
            if end - start <= longest:
                spans[start] = end
            place = text.find(word, end)
    return sorted(spans.items())


def without(text: str, cuts: list[tuple[int, int]]) -> str:
    """The text without the parts in `cuts`, each with the one character that follows it, a line end.

    >>> without("a\\nb\\nc", [(2, 3)])
    'a\\nc'
    """
    kept: list[str] = []
    position = 0
    for start, end in sorted(cuts):
        if start >= position:
            kept.append(text[position:start])
        position = max(position, min(end + 1, len(text)))
    return "".join([*kept, text[position:]])
