"""The data tables behind the figures of failure types, with n in each row and the paper's value beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tabcore.analyses.agreement import Agreement, Pair
from tabcore.analyses.failure_types import PAPER_SHARES, PAPER_SUCCESS, TYPES
from tabcore.analyses.lost_points import Lost
from tabcore.analyses.rates import Rate

Columns = dict[str, list[object]]

DECIMALS = {"kappa": 3, "95 % from": 3, "to": 3, "agreement": 2}
"""Decimals of columns that are no counts; those in per cent have one."""


def lost_points_table(groups: Sequence[Lost]) -> Columns:
    """One row a group and type."""
    rows = [(one, name) for one in groups for name in TYPES]
    return {
        "group": [one.group for one, _ in rows],
        "type": [name for _, name in rows],
        "rubrics": [one.rubrics[name] for one, name in rows],
        "points": [one.points[name] for one, name in rows],
        "share of points, %": [_percent(one.share(name)) for one, name in rows],
        "paper, %": [round(100 * PAPER_SHARES[name], 1) for _, name in rows],
        "n": [one.labelled for one, _ in rows],
        "without a type": [one.open_rubrics for one, _ in rows],
    }


def success_table(rates: Mapping[str, Rate]) -> Columns:
    """One row a method."""
    intervals = [rate.interval or (None, None) for rate in rates.values()]
    return {
        "method": list(rates),
        "passed": [rate.count for rate in rates.values()],
        "n": [rate.of for rate in rates.values()],
        "success, %": [_percent(rate.share) for rate in rates.values()],
        "from, %": [_percent(low) for low, _ in intervals],
        "to, %": [_percent(high) for _, high in intervals],
        "paper, %": [_percent(PAPER_SUCCESS.get(name)) for name in rates],
    }


def flow_table(moves: Mapping[tuple[str, str], int], first: str, second: str) -> Columns:
    """One row a move."""
    return {
        f"under {first}": [a for a, _ in moves],
        f"under {second}": [b for _, b in moves],
        "rubrics": list(moves.values()),
    }


def kappa_table(found: Agreement) -> Columns:
    """One row a pair of annotators."""
    pairs = found.pairs
    return {
        "first": [pair.first for pair in pairs],
        "second": [pair.second for pair in pairs],
        "kappa": [None if pair.kappa is None else round(pair.kappa, 3) for pair in pairs],
        "95 % from": [round(pair.interval[0], 3) if pair.interval else None for pair in pairs],
        "to": [round(pair.interval[1], 3) if pair.interval else None for pair in pairs],
        "agreed": [pair.agreed.count for pair in pairs],
        "n": [pair.agreed.of for pair in pairs],
        "left open by one": [pair.undecided for pair in pairs],
    }


def by_type_table(pair: Pair) -> Columns:
    """One row a type."""
    return {
        "type": [one.type for one in pair.by_type],
        f"{pair.first} used": [one.first for one in pair.by_type],
        f"{pair.second} used": [one.second for one in pair.by_type],
        "both": [one.both for one in pair.by_type],
        "agreement": [None if one.share is None else round(one.share, 2) for one in pair.by_type],
    }


def _percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 1)
