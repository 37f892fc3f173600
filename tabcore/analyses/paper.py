"""The paper's tables as data, to stand beside ours (arXiv 2610.10444, Tables 1 to 4, Figures 2 and 5).

Scores are per cent, mean and standard deviation over three runs. What a figure shows without its number is not here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tabcore.analyses.score_facts import METHODS, METRICS, Metric
from tabcore.tab.switches import switch_named

MODELS = ("GPT-5.4 nano", "DeepSeek V4 Flash", "Gemini 3.8 Flash")
"""The models, in the order of the tables' columns."""

Figures = tuple[float, float]
"""Mean and standard deviation, per cent."""

_COLUMNS: tuple[Metric, ...] = (*METRICS["rubrics"], *METRICS["points"], *METRICS["answers"])

_TABLE_1 = """\
41.63 0.90 20.67 1.70 32.09 2.22 17.86 5.05 53.53 3.27 65.38 2.83
41.67 0.95 23.33 2.62 36.74 2.74 22.62 3.37 54.81 3.14 65.71 3.27
41.32 2.15 22.33 3.09 35.76 2.97 22.62 4.45 54.17 2.40 64.74 2.40
42.93 0.44 23.00 1.41 34.30 1.52 20.24 1.68 55.13 2.97 66.99 3.17
44.73 0.56 25.67 2.49 39.12 1.22 23.81 1.68 60.58 0.79 71.15 0.79
53.28 1.29 38.67 1.25 37.47 1.66 21.43 2.92 65.71 1.63 74.68 1.20
54.94 2.44 38.00 2.16 40.34 3.21 25.00 5.05 66.03 1.63 73.08 2.83
53.44 0.53 37.67 0.47 40.24 1.76 26.19 1.68 64.74 1.63 73.08 0.79
53.56 1.57 37.33 3.30 39.24 5.21 26.19 6.07 64.74 1.63 73.08 0.79
59.99 0.60 41.00 1.63 43.11 0.61 29.76 1.68 68.59 1.20 77.56 1.20
31.42 2.89 23.33 1.70 26.35 2.50 19.05 1.68 43.08 0.79 45.64 0.91
27.52 5.62 22.33 3.30 20.97 5.05 14.29 5.05 44.04 0.79 47.24 0.45
32.73 2.92 28.00 2.94 26.68 6.54 16.67 3.37 41.79 1.20 45.64 0.45
26.87 1.23 21.00 2.16 21.68 6.23 14.29 5.83 45.00 2.72 48.21 2.52
46.91 1.18 36.33 3.30 32.93 0.41 22.62 1.68 55.77 0.79 62.82 1.98
"""


def _scores() -> dict[tuple[str, str, Metric], Figures]:
    keys = [(model, method) for model in MODELS for method in METHODS]
    found: dict[tuple[str, str, Metric], Figures] = {}
    for (model, method), line in zip(keys, _TABLE_1.splitlines(), strict=True):
        numbers = list(map(float, line.split()))
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        found |= {(model, method, metric): pair for metric, pair in zip(_COLUMNS, pairs, strict=True)}
    return found


SCORES: Mapping[tuple[str, str, Metric], Figures] = _scores()
"""Table 1, by model, method and metric."""

HOLDINGS: Mapping[str, tuple[float, float, float]] = {
    "requirements": (4, 5, 4),
    "resolved_done": (74.0, 77.7, 50.7),
    "reviewed_beside": (87.1, 88.0, 69.9),
    "entries": (14, 18, 6),
    "files": (5, 11, 5),
    "excerpted": (17.7, 40.2, 12.1),
    "candidates": (147, 166, 294),
}
"""Table 2: medians per attempt, `resolved_done` and `reviewed_beside` per cent, `excerpted` in thousand characters."""

OPERATIONS: Mapping[str, tuple[float, float, float]] = {
    "add": (56.9, 100.0, 100.0),
    "list": (24.7, 27.2, 100.0),
    "resolve": (25.1, 21.6, 76.9),
    "show": (74.6, 32.4, 8.8),
    "operates_after": (72.6, 8.7, 5.1),
    "edits_after": (17.1, 5.2, 0.5),
    "opens": (22.7, 54.7, 19.0),
}
"""Table 3: per cent of attempts."""

ABLATION: Mapping[str, tuple[float, float]] = {
    "running_tab": (44.73, 25.67),
    "no_capture": (41.36, 22.33),
    "no_review": (41.87, 20.33),
    "no_evidence_check": (42.89, 24.33),
    "no_finish_check": (42.89, 23.00),
    "dci": (41.63, 20.67),
}
"""Table 4: Pass Rate and TCR@70 of GPT-5.4 nano on Workspace-Bench."""

LOST_POINTS: Mapping[str, float] = {
    "Extraction": 51.1,
    "Discovery": 17.6,
    "Reasoning": 10.3,
    "Formatting": 4.8,
    "Other": 16.1,
}
"""Figure 2 (top): per cent of the lost points of DCI with GPT-5.4 nano."""
EXTRACTION: Mapping[str, float] = {"Shown but Missing": 12.3, "Dropped or Distorted": 38.9}
"""The parts of Extraction there."""

VOLUME_DROP = (16.0, 27.0)
"""Figure 5: points by which dci's Pass Rate falls from the lightest to the heaviest third, over the models."""
VOLUME_RATIO = 2.0
"""Figure 5: the gain on the heaviest third, in gains on the lightest, on average."""


def model_named(name: str, default: str = MODELS[0]) -> str:
    """The paper's model that a record's name means, else the default.

    >>> model_named("openai/gpt-5.4-nano-2026"), model_named("deepseek-v4-flash"), model_named("scripted")
    ('GPT-5.4 nano', 'DeepSeek V4 Flash', 'GPT-5.4 nano')
    """
    plain = _letters(name)
    return next((model for model in MODELS if _letters(model) in plain), default)


def method_named(name: str) -> str:
    """A method or a switch by the paper's name where it is one of them, else as it stands.

    >>> method_named("RunningTab"), method_named("running_tab, no finish check"), method_named("Self-Refine")
    ('running_tab', 'no_finish_check', 'self_refine')
    >>> method_named("running_tab w/o capture"), method_named("mine")
    ('no_capture', 'mine')
    """
    known: Sequence[str] = [method for method in METHODS if _letters(method) == _letters(name)]
    return switch_named(name) or (known[0] if known else name)


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
