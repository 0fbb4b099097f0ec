"""What notebooks call: a code path with its fit as rows for charts, as tables, and as sentences with the run's numbers.

    study = workbook.study("...", seed=1)
    charts.scaling(workbook.curves(study, cores), unit=study.unit, title=workbook.sentence("{a} beats {b}", ...))
"""

from mpps.workbook.answer import facts, figure, hashes, percent
from mpps.workbook.changes import ends, gain_table, gains, gives_up
from mpps.workbook.checks import errors, score, score_table, scores, unseen_rows
from mpps.workbook.costs import busy, clock_words, cost, cost_table, knee, limit, limit_regions, limit_table, share, total_ns
from mpps.workbook.curves import assumptions, at, beside, counts_to, curves, doubled, hypothetical, observed, on_machines, rate_table, short_title, spread, usl, usl_error, widest
from mpps.workbook.fits import error, error_of, held_out_table, identified, inside, inside_words, parameter_table, parameters, residuals, weights
from mpps.workbook.locking import deepest, implied, period_table, periods, queue
from mpps.workbook.formulas import latex, network, stages
from mpps.workbook.sides import datasets, gain_bar, moved_table, panel, source_table, summary, summary_table, work_bar
from mpps.workbook.source import card, fact, measured, printed, printed_changes, silence
from mpps.workbook.studies import Study, believing, study, study_of
from mpps.workbook.words import bullets, listed, markdown, say, sentence
