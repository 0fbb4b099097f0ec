"""The live explorer: sliders for what the model rests on, and the whole model behind them.

    mpps.explore(path)                          # a code path, in JupyterLab as a widget
    mpps.explore("results.csv")                 # a table of your own
    mpps.explore(path).respond({"cores": 8, "settings": {"section_ns": 40}})["here"]

Where no widget runs (a report, an exported page, a terminal) the same object shows its chart and its sentence.
"""

from mpps.explore.answering import respond, simulated
from mpps.explore.explorer import Explorer
from mpps.explore.opening import opened

__all__ = ["Explorer", "explore", "respond", "simulated"]


def explore(
    path_or_fit,
    *,
    variant: str | None = None,
    machine: str | None = None,
    placement: str | None = None,
    against: str | None = None,
    explanation: str | None = None,
    cores: int | None = None,
    cores_max: int = 64,
    settings: dict | None = None,
    seed: int = 1,
    **options,
) -> Explorer:
    """Sliders for a code path, a fit, or a table of your own; shows itself at the end of a notebook cell.

    path_or_fit: the name of a code path, a `CodePath`, its `Fit`, or a table: a file, a data set, several files, a
    `Reading`, an answer of `mpps.fit_table`. variant, machine (a name or a YAML card) and placement (both for code paths
    alone), explanation (for tables alone), against (another variant, which the gain compares with): where the choices
    stand at first; cores: the slider of cores, at the largest measured count when None, up to cores_max; settings: parameter -> value, sliders that are
    moved already. options: of `mpps.read`, for files. Raises `MppsError` for unknown names and impossible values.
    """
    model = opened(
        path_or_fit, variant=variant, machine=machine, cores_max=_most(cores_max), seed=seed, options=options
    )
    asked = {"variant": variant, "machine": machine, "placement": placement}
    asked |= {"against": against, "explanation": explanation}
    if model.kind == "table" and variant not in model.series:
        asked["variant"] = None  # the column of variants
    given = {name: value for name, value in asked.items() if value is not None}
    return Explorer(model, model.start(given | {"cores": cores, "settings": settings}))


def _most(cores_max) -> int:
    from mpps.errors import MppsError
    from mpps.explore.position import MOST_CORES

    if isinstance(cores_max, bool) or not isinstance(cores_max, int) or not 2 <= cores_max <= MOST_CORES:
        raise MppsError(f"cores_max={cores_max!r}: expected a whole number from 2 to {MOST_CORES}")
    return cores_max
