"""`python -m tabcore` is `runningtab`. A hook is answered here, before anything else is imported."""

import os
import sys


def main() -> int:
    """Run one command; the exit code."""
    if sys.argv[1:2] == ["hook"]:
        from tabcore.serving import quick_dataclasses

        quick_dataclasses.use()
        from tabcore.serving import hooks

        code = hooks.main(sys.argv[2:])
        os._exit(code)  # all is on the disk; taking the interpreter down would cost a tenth of the hook's time
    from tabcore import cli

    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
