"""The reading process: documents in on standard input, answers out on standard output."""

from __future__ import annotations

import os
import sys

from tabcore.documents.child import serve

if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "wb")
    # What a parser prints goes the way of the errors, not into an answer.
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answers)
