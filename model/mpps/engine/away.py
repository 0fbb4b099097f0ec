"""A notebook executed by whoever takes the task: its text goes there, what came out comes back as text.

The worker needs mpps with its data and nothing of this machine; every file of the batch is written here.
"""

import pathlib
import tempfile

from mpps import engine


def executed(name: str, notebook: str, values: dict, cell_seconds: int | None) -> dict:
    """Execute the JSON of a notebook in a folder that is gone afterwards: seconds, error, cell, and the texts of the executed
    `notebook` and of its `record`, None where there is none."""
    with tempfile.TemporaryDirectory(prefix="mpps-away-", ignore_cleanup_errors=True) as place:
        folder = pathlib.Path(place).resolve()
        source, output, record = folder / f"{name}.source.ipynb", folder / f"{name}.ipynb", folder / f"{name}.json"
        source.write_text(notebook, encoding="utf-8")
        engine.prepare()
        done = engine.execute(source, output, parameters=values, record_file=record, cell_seconds=cell_seconds)
        return {
            "seconds": done.seconds,
            "error": done.error,
            "cell": done.cell,
            "notebook": output.read_text(encoding="utf-8") if output.is_file() else None,
            "record": record.read_text(encoding="utf-8") if record.is_file() else None,
        }


def written(found: dict, output: pathlib.Path, record_file: pathlib.Path) -> engine.Execution:
    """What a worker sent, as if it had run here: its files written, and the execution."""
    for text, file in ((found["notebook"], output), (found["record"], record_file)):
        if text is not None:
            file.write_text(text, encoding="utf-8")
    return engine.Execution(output, found["seconds"], found["error"], found["cell"])
