"""mpps: models of packet-path scaling. What limits a kernel network path, what a packet costs, how it scales.

    import mpps
    path = mpps.load_path("...")
    mpps.predict(path, [8, 16, 32], variant="...").rows()
    mpps.fit_table("table.txt", [16, 32])      # your own measurements

Nothing is imported before it is asked for.
"""

import importlib
import sys
import types

#: Name -> the module that holds it. A name that is a module itself stands for that module.
_HOMES = {
    "MppsError": "errors",
    "advise": "advise",
    "altered": "alter",
    "baseline": "baseline",
    "charts": "charts",
    "compare": "compare",
    "corpus": "corpus",
    "datasets": "measurements",
    "explain": "explain",
    "explore": "explore",
    "fit": "compare",
    "fit_table": "answers.own",
    "laws": "laws",
    "load": "measurements",
    "load_machine": "machine",
    "load_path": "paths",
    "machines": "machine",
    "parse_changes": "alter",
    "path_names": "paths",
    "predict": "predict",
    "predict_table": "answers.own",
    "read": "readers",
    "record": "record",
    "report": "report",
    "sweep": "sweep",
    "tables": "tables",
    "under_load": "load",
    "validate": "validate",
    "whatif": "whatif",
    "whatif_table": "answers.patch",
}
#: Public names that are called otherwise at home.
_AT_HOME = {"path_names": "names"}
#: Modules named like the verb that they bring: the module itself can be called.
_VERBS = frozenset({"advise", "explore", "fit", "load", "predict", "record", "report", "sweep", "validate", "whatif"})

__all__ = sorted(_HOMES)


class _Verb(types.ModuleType):
    """A module that can be called by its name: `mpps.predict(...)` is `mpps.predict.predict(...)`."""

    def __call__(self, *arguments, **options):
        return _at_home(self.__name__.rpartition(".")[2])(*arguments, **options)


class _Package(types.ModuleType):
    """This package: when a module named like a verb is imported, from wherever, it becomes callable."""

    def __setattr__(self, name, value):
        if name in _VERBS and isinstance(value, types.ModuleType):
            value.__class__ = _Verb
        super().__setattr__(name, value)


def __getattr__(name: str):
    if name == "__version__":
        from importlib.metadata import version

        return version("mpps")
    if name not in _HOMES:
        raise AttributeError(f"module 'mpps' has no attribute {name!r}; it has {', '.join(__all__)}")
    if name in _VERBS or name == _HOMES[name]:
        return importlib.import_module(f"mpps.{name}")
    return _at_home(name)


def __dir__():
    return sorted({*globals(), *__all__, "__version__"})


def _at_home(name: str):
    return getattr(importlib.import_module(f"mpps.{_HOMES[name]}"), _AT_HOME.get(name, name))


sys.modules[__name__].__class__ = _Package
