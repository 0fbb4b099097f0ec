"""What a metric is where no card says it: judged by its name and its unit, leaving out what neither tells."""

import functools
import re

from mpps.corpus.cards import COST, ELAPSED, KINDS, PER_INSTANCE, SPREAD, THROUGHPUT, UTILISATION, Metric

__all__ = ["KINDS", "guessed"]

_pattern = functools.partial(re.compile, flags=re.IGNORECASE)

_TIME = "ns|us|ms|s|sec|secs|second|seconds|min|minute|minutes|h|hour|hours"
_ONE = "(?:thread|core|cpu|producer|consumer|instance|queue|worker|client|process|task|job|user|socket|flow|vcpu|lock)"

_SPREAD = _pattern(r"(.+?)_(?:stdev|stddev|std|sd|standard_deviation|sigma)")
_OFFERED = _pattern(r"(?:^|_)offered(?:_|$)|(?:^|_)at_(?:load|utilisation|utilization)(?:_|$)")
_SHARE = _pattern(r"%|percent|percentage|pct|fraction|share|ratio|x|times")
_SHARE_NAME = _pattern(r"(?:^|_)(?:idle|util\w*|busy|pct|percent|efficiency|speedup|ratio|change|delta)(?:_|$)")
_COST_UNIT = _pattern(rf"(?:(?:{_TIME}|cycles|ticks|instructions|bytes)(?:/|_per_)\w+|cycles|ticks|instructions)")
_TIME_UNIT = _pattern(_TIME)
_TIME_NAME = _pattern(r"(?:^|_)(?:elapsed|duration|runtime|run_time|wall|wallclock|completion|time)(?:_|$)")
_RATE_UNIT = _pattern(rf".*(?:/|per_)(?:{_TIME})|[kMGT]?(?:pps|bps|qps|rps|tps|ops|iops|flops|hz)|.*_(?:pps|bps|ops)")
_RATE_NAME = _pattern(
    r"(?:^|_)(?:throughput|rate|bandwidth|lookups|ops|operations|iops|creates|events|requests|transactions|packets"
    r"|goodput|qps|pps|tps|rps)(?:_|$)",
)
_LOSS = _pattern(r"(?:^|_)(?:lost|loss|losses|drops|dropped|errors|retries|retransmits|misses)(?:_|$)")
_EACH = _pattern(rf"(?:^|_)(?:per_{_ONE}|each)(?:_|$)|/{_ONE}$")


#: Names that the hold-out protocol counts as rates, whatever their unit.
RATES = frozenset(
    [
        "bandwidth",
        "creates",
        "drop_rate",
        "events",
        "forward_rate",
        "iops_at_n_jobs",
        "lock_rate",
        "lookups",
        "packet_rate",
        "redirect_rate",
        "throughput",
        "throughput_at_n_users",
        "throughput_median",
        "throughput_total",
        "total_ops_1e7_per_run",
        "tx_rate",
        "tx_rate_run1",
    ]
)


def guessed(metric: str, unit: str) -> Metric:
    """What a metric of that name and unit most likely is.

    Elapsed time counts as that of a fixed work, unless the name says that the work is per thread (or its like).
    """
    if metric in RATES:
        return Metric(THROUGHPUT, "rate of all together")
    if match := _SPREAD.fullmatch(metric):
        return Metric(SPREAD, "standard deviation", of=match[1])
    if _OFFERED.search(metric):
        return Metric(UTILISATION, "value at an offered load", left_out="n is an offered load, not a count of senders")
    if _SHARE.fullmatch(unit) or _SHARE_NAME.search(metric):
        return Metric(UTILISATION, "share or ratio", left_out="a share or a ratio, no rate")
    if _LOSS.search(metric):
        return Metric(COST, "losses", left_out="a loss, no throughput")
    if _TIME_UNIT.fullmatch(unit):
        if not _TIME_NAME.search(metric):
            return Metric(COST, "time of one operation", left_out="a time of one operation, no rate")
        return Metric(ELAPSED, "elapsed time", convert="n / value" if _EACH.search(metric) else "1 / value")
    if _COST_UNIT.fullmatch(unit):
        return Metric(COST, "cost of one operation", left_out="a cost of one operation, no rate")
    if _RATE_UNIT.fullmatch(unit) or _RATE_NAME.search(metric):
        if _EACH.search(metric) or _EACH.search(unit):
            return Metric(PER_INSTANCE, "rate of one of n", convert="n * value")
        return Metric(THROUGHPUT, "rate of all together")
    return Metric(COST, "not known", left_out="neither name nor unit says that it is a rate")
