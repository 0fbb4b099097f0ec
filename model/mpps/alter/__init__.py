"""What-if on any path: a fitted path and a variant, changed, ready to be predicted.

    changes = parse_changes(["scale:receive body=0.5", "coalescing=8"])
    new = altered(fitted, variant, changes)
    predict(new.fitted.path, cores, variant=new.variant, settings=new.settings, fitted=new.fitted)

`parsing.py` reads changes, `stages.py` takes, adds and rescales stages, `amounts.py` changes packet, batch and link,
`flows.py` places flows on queues, `drafts.py` holds what they all do to a fit. Members stay the same ones, so what two
variants share cancels in their gain.
"""

from mpps.alter.drafts import Altered
from mpps.alter.engine import altered, fit_for_changes
from mpps.alter.parsing import KINDS, Change, parse_changes

__all__ = ["KINDS", "Altered", "Change", "altered", "fit_for_changes", "parse_changes"]
