"""The code paths, one file each: adding a file with a `PATH` adds a code path."""

import functools
import importlib
import pkgutil

from mpps.errors import unknown_name
from mpps.path import CodePath


@functools.lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """Slugs of the code paths, alphabetical."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def load_path(slug: str) -> CodePath:
    """The code path called `slug`; an unknown one is an error with the nearest names."""
    if slug not in names():
        raise unknown_name("code path", slug, names())
    return importlib.import_module(f"{__name__}.{slug}").PATH
