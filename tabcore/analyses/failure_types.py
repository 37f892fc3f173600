"""The six types of failure (the paper's Figure 2, top): their names, definitions, and shares of the points lost.

The first three are the paper's words, section 3.1 of arXiv 2610.10444; of the last three it gives the name and the share
only, their definitions are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

FailureType = Literal["Shown but Missing", "Dropped or Distorted", "Discovery", "Reasoning", "Formatting", "Other"]
"""Why a rubric failed."""

TYPES: tuple[FailureType, ...] = get_args(FailureType)
"""In the order of the keys 1 to 6 and of every figure."""

DEFINITIONS: Mapping[FailureType, str] = {
    "Shown but Missing": (
        "What the rubric expects is absent from the deliverable, although it appears in the output of a file that the agent "
        "had opened."
    ),
    "Dropped or Distorted": (
        "It is absent with no such evidence (the agent worked it out, or the task states it), or it is present but inexact, "
        "misplaced or misread."
    ),
    "Discovery": "The file that holds it was never opened, whether it was listed or not.",
    "Reasoning": "Everything needed was on the screen; the conclusion or the calculation was not made, or is wrong.",
    "Formatting": "The content is there; the form that was asked for is not: file type, headings, tables, order, length.",
    "Other": "None of these: nothing was delivered, or the rubric asks for what neither the task nor any file has.",
}

PAPER_SHARES: Mapping[FailureType, float] = {
    "Shown but Missing": 0.123,
    "Dropped or Distorted": 0.389,
    "Discovery": 0.176,
    "Reasoning": 0.103,
    "Formatting": 0.048,
    "Other": 0.161,
}
"""Of the points that DCI with GPT-5.4 nano lost; they sum to 99.9 %. The first two are the paper's Extraction, 51.1 %;
Reasoning, Formatting and Other are from a published summary of the figure."""

PAPER_KAPPA = 0.83
"""Cohen's kappa between the paper's language-model annotators and people."""

PAPER_SUCCESS: Mapping[str, float] = {"running_tab": 0.270, "dci": 0.207}
"""Rubric success within Shown but Missing, by method."""


def named_type(text: str) -> FailureType | None:
    """The type that a text names, by its name in any case or its number; None for anything else.

    >>> named_type("shown_but_missing"), named_type("3"), named_type("typo")
    ('Shown but Missing', 'Discovery', None)
    """
    folded = " ".join(text.replace("_", " ").replace("-", " ").casefold().split())
    if folded in map(str, range(1, len(TYPES) + 1)):
        return TYPES[int(folded) - 1]
    return next((name for name in TYPES if name.casefold() == folded), None)
