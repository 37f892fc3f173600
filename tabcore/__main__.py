"""`python -m tabcore` is `runningtab`. A hook is answered here, before anything else is imported."""

import sys


def main() -> int:
    """Run one command; the exit code."""
    if sys.argv[1:2] == ["hook"]:
        from tabcore.serving import hooks

        return hooks.main(sys.argv[2:])
    from tabcore import cli

    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
