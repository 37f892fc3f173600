"""Small recorded runs of our own: scripted re-enactments, executed for real. See README.md for where each comes from."""

from __future__ import annotations

from pathlib import Path


def runs_folder() -> Path:
    """The folder that holds one run folder per sample run."""
    return Path(__file__).resolve().parent / "runs"
