"""All paths together: every row left out, the figures, the well and the badly predicted ones with the reason."""

from mpps import compare
from mpps.heldout.rows import cases, path_rows, summary
from mpps.heldout.words import cannot, reason
from mpps.paths import load_path, names


def document(paths=None, *, seed: int = 1) -> dict:
    """What the tables of code paths (slugs; all when None) say of rows that their fits did not see, plain JSON:

    {"schema": "mpps.heldout/1", "rows": [see `mpps.heldout`, with "reason"], "summary": [see `summary`],
     "cases": {"best": [row], "worst": [row]}, "cannot": [{"path", "title", "scope", "words": [sentence]}]}
    """
    rows, closed = [], []
    for slug in names() if paths is None else paths:
        path = load_path(slug)
        rows += [row | {"reason": reason(row, path.sender)} for row in path_rows(path, seed=seed)]
        for scope in path.scopes:
            if words := cannot(compare.fit(path, scope.name, seed=seed)):
                closed.append({"path": slug, "title": path.title, "scope": scope.name, "words": words})
    return {
        "schema": "mpps.heldout/1",
        "rows": rows,
        "summary": summary(rows),
        "cases": cases(rows, shown=6) if rows else {"best": [], "worst": []},
        "cannot": closed,
    }
