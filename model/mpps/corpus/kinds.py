"""What a metric is where no card says it: judged by its name and its unit, leaving out what neither tells."""

import re

from mpps.corpus.cards import COST, ELAPSED, KINDS, PER_INSTANCE, SPREAD, THROUGHPUT, UTILISATION, Metric

__all__ = ["KINDS", "guessed"]

_TIME = "ns|us|ms|s|sec|secs|second|seconds|min|minute|minutes|h|hour|hours"
_ONE = "(?:thread|core|cpu|producer|consumer|instance|queue|worker|client|process|task|job|user|socket|flow|vcpu|lock)"

_SPREAD = re.compile(r"(.+?)_(?:stdev|stddev|std|sd|standard_deviation|sigma)", re.I)
_OFFERED = re.compile(r"(?:^|_)offered(?:_|$)|(?:^|_)at_(?:load|utilisation|utilization)(?:_|$)", re.I)
_SHARE = re.compile(r"%|percent|percentage|pct|fraction|share|ratio|x|times", re.I)
_SHARE_NAME = re.compile(r"(?:^|_)(?:idle|util\w*|busy|pct|percent|efficiency|speedup|ratio|change|delta)(?:_|$)", re.I)
_COST_UNIT = re.compile(
    rf"(?:(?:{_TIME}|cycles|ticks|instructions|bytes)(?:/|_per_)\w+|cycles|ticks|instructions)", re.I
)
_TIME_UNIT = re.compile(_TIME, re.I)
_TIME_NAME = re.compile(r"(?:^|_)(?:elapsed|duration|runtime|run_time|wall|wallclock|completion|time)(?:_|$)", re.I)
_RATE_UNIT = re.compile(
    rf".*(?:/|per_)(?:{_TIME})|[kMGT]?(?:pps|bps|qps|rps|tps|ops|iops|flops|hz)|.*_(?:pps|bps|ops)", re.I
)
_RATE_NAME = re.compile(
    r"(?:^|_)(?:throughput|rate|bandwidth|lookups|ops|operations|iops|creates|events|requests|transactions|packets"
    r"|goodput|qps|pps|tps|rps)(?:_|$)",
    re.I,
)
_LOSS = re.compile(r"(?:^|_)(?:lost|loss|losses|drops|dropped|errors|retries|retransmits|misses)(?:_|$)", re.I)
_EACH = re.compile(rf"(?:^|_)(?:per_{_ONE}|each)(?:_|$)|/{_ONE}$", re.I)


def guessed(metric: str, unit: str) -> Metric:
    """What a metric of that name and unit most likely is.

    Elapsed time counts as that of a fixed work, unless the name says that the work is per thread (or its like).
    """
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
