"""`python -m tabcore` is `runningtab`."""

import sys

from tabcore.cli import main

if __name__ == "__main__":
    sys.exit(main())
