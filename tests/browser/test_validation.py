"""The validation page as people open it."""

import numpy as np
import pytest
from chromium import DESKTOP, PHONE, open_page
from test_pages import assert_well_behaved

from mpps.pages.validation import write_validation_page
from mpps.validate import validate

pytestmark = pytest.mark.browser


def last_value(training, at):
    """The last value, with intervals of a factor two either way."""
    return training.rate[-1] * np.array([0.5, 0.7, 1, 1.4, 2])[:, None] * np.ones(len(at))


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")], ids=["desktop", "phone"])
def test_the_page_draws_offline_and_fits(browser, tmp_path, size, scheme):
    path = write_validation_page(validate(forecaster=last_value), tmp_path)
    page = open_page(browser, path, size=size, scheme=scheme)
    assert_well_behaved(page)
    assert page.locator(".case").count() >= 6
    page.context.close()
