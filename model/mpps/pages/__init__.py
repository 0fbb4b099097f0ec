"""Executed notebooks as pages that need no network, and the index over them."""

from mpps.pages.drawings import CHART, write_png
from mpps.pages.formulas import mathml
from mpps.pages.index import write_index
from mpps.pages.page import prepare, title_of, write_page

__all__ = ["CHART", "mathml", "prepare", "title_of", "write_index", "write_page", "write_png"]
