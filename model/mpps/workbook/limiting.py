"""What limits, where the rate peaks and where a change breaks even: sentences with the run's numbers."""

from mpps.answers.found import explained
from mpps.sentences.rows import readable
from mpps.sentences.words import break_even_words, chance, count, limit_words, peak_words
from mpps.text import percent
from mpps.whatif import GAIN, WhatIf
from mpps.workbook.studies import Study
from mpps.workbook.words import bullets, markdown


def limits_words(study: Study, *variants: str):
    """For each variant what limits it from where on, and where it peaks, with intervals, as Markdown."""
    lines = []
    for name in variants or study.variants:
        variant = study.variant(name)
        unit = study.forecast(name, study.counts(name) or study.counts()).unit
        series = readable({"variant": name, "unit": unit} | explained(study.fitted, variant, unit, study.seed))
        lines.append(f"{limit_words(study.path, series)} {peak_words(study.path, series)}".strip())
    return markdown(bullets(lines))


def break_even(study: Study, change: WhatIf, n: int) -> str:
    """From which count on a change gains, and up to which, with intervals, and how surely it gains with n: two sentences
    that follow the name of the change and a colon."""
    series = {
        "gain_from": change.gain_from.as_dict(),
        "gain_until": change.gain_until.as_dict(),
        "gain_above": round(GAIN - 1, 9),
        "searched_to": change.searched,
    }
    sure = chance(next(row["p"] for row in change.rows() if row["n"] == n))
    above = percent(series["gain_above"], 1)
    surely = f"With {count(study.path, n)} a gain above {above} has a probability of {sure}."
    words = f"{break_even_words(study.path, series)} {surely}".replace("of above", "above").replace("of below", "below")
    return words[:1].lower() + words[1:]
