"""One browser for all browser tests; without one they are skipped in a single line, or fail where one is required."""

import os

import chromium
import pytest

MISSING = "no chromium found (install it, or name one with MPPS_CHROMIUM)"


def pytest_collection_modifyitems(config, items):
    """Without a browser one test stands for all: its line in the summary says how many were skipped and why."""
    wanted = [item for item in items if item.get_closest_marker("browser")]
    if not wanted or chromium.find() or os.environ.get("MPPS_REQUIRE_BROWSER") == "1":
        return
    wanted[0].add_marker(pytest.mark.skip(reason=f"{len(wanted)} browser tests: {MISSING}"))
    config.hook.pytest_deselected(items=wanted[1:])
    items[:] = [item for item in items if item not in wanted[1:]]


@pytest.fixture(scope="session")
def browser():
    path = chromium.find()
    if path is None:
        pytest.fail(f"MPPS_REQUIRE_BROWSER=1, but {MISSING}")
    with chromium.launched(path) as launched:
        yield launched
