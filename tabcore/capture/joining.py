"""Contents side by side that nothing tells apart, made one: `cat a; cat b`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tabcore.capture.shows import Content, Show


def joined(stream: Iterable[Show]) -> list[Show]:
    """The stream with neighbouring contents made one, since nothing tells where one ends."""
    runs: dict[int, list[Content]] = {}
    shows: list[Show] = []
    for show in stream:
        last = shows[-1] if shows else None
        if isinstance(show, Content) and isinstance(last, Content) and _alike(last, show):
            runs.setdefault(len(shows) - 1, [last]).append(show)
        elif show != last:
            shows.append(show)
    for place, run in runs.items():
        shows[place] = _merged(run)
    return shows


def _alike(last: Content, show: Content) -> bool:
    """True when nothing tells where the one content ends and the other begins."""
    unnamed = show.naming == last.naming == "none" and not show.lead
    return unnamed and show.deep == last.deep and show.sought is last.sought


def _merged(run: list[Content]) -> Content:
    limits = [show.limit for show in run if show.limit is not None]
    return replace(
        run[0],
        paths=tuple(dict.fromkeys(path for show in run for path in show.paths)),
        limit=sum(limits) if len(limits) == len(run) else None,
        computed=all(show.computed for show in run),
        partial=any(show.partial for show in run),
        files=sum(show.files for show in run),
        doubtful=tuple(path for show in run for path in show.doubtful),
    )
