"""What the verbs `machine ...` do."""

import pathlib

from mpps.errors import MppsError


def detect(
    core_to_core: pathlib.Path | None, sysfs: str | None, out: pathlib.Path | None, kind: str | None, nic: str | None
) -> None:
    """`mpps machine detect`: the card on stdout, or in `out`, which must not exist yet."""
    from mpps.machine.detect import detect as detected

    if out is not None and out.suffix not in (".yaml", ".yml"):
        raise MppsError(f"--out {out}: expected a name that ends in .yaml, by which --machine tells a card from a slug")
    if out is not None and out.exists():
        raise MppsError(f"--out {out}: it exists already and may hold your corrections; name another file or remove it")
    text = detected(None if sysfs == "none" else sysfs or "/", matrix=core_to_core, kind=kind, nic=nic)
    if out is None:
        print(text, end="")
        return
    _write(out, text)
    print(f"{out}: written; correct what you know better, then: mpps predict PATH --cores 1-64 --machine {out}")


def _write(out: pathlib.Path, text: str) -> None:
    """The whole file or none, and never over another."""
    try:
        file = out.open("x", encoding="utf-8")
    except OSError as error:
        raise MppsError(f"--out {out}: cannot write it: {error.strerror or error}") from None
    try:
        with file:
            file.write(text)
    except OSError as error:
        out.unlink(missing_ok=True)
        raise MppsError(f"--out {out}: cannot write it: {error.strerror or error}") from None
