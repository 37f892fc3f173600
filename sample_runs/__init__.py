"""Small recorded runs of our own: scripted re-enactments, executed for real. See README.md for where each comes from."""

from __future__ import annotations

from pathlib import Path

SUITE_RUNS = 648
"""How many runs the suite has."""

SUITE_SIMULATED = (
    "Simulated run: a plan with made-up rates of lapses gave the model's responses; tools, tab and checks are real, task"
    " and words are our own."
)
"""The sentence that every run of the suite bears."""


def runs_folder() -> Path:
    """The folder that holds one run folder per sample run."""
    return Path(__file__).resolve().parent / "runs"


def suite_archive() -> Path:
    """The archive of the simulated runs that fill the paper's tables."""
    return Path(__file__).resolve().parent / "suite.tar.gz"
