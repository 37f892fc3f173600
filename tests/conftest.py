"""The option of the tests' long form."""

import pytest
from hypothesis import settings

settings.register_profile("short", derandomize=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the long form of tests too: minutes to hours")


def pytest_configure(config: pytest.Config) -> None:
    """Laws are tried on the same cases each time, and with --long on others each time."""
    if not config.getoption("--long"):
        settings.load_profile("short")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests marked `long` run with --long only."""
    if not config.getoption("--long"):
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip(reason="long form: run it with --long"))
