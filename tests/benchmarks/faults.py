"""What faults cost: `python tests/benchmarks/faults.py [--long] [--json FILE]`; --long kills 100 times and damages 10 stores.

Older stores, damaged ones, one from the future, a full disk, a folder without rights, kill -9: each line is a law of the
tests, with how many cases of it were tried and how many held.
"""

from __future__ import annotations

import sys

from attacks import main

if __name__ == "__main__":
    sys.exit(main(__doc__, ("test_faults.py",)))
