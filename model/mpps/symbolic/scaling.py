"""Laws of speed-up against the number of senders: Amdahl, Gustafson, USL, critical sections."""

from sympy import Max, sqrt

from mpps.symbolic.form import Form, Law, quantity

_N = quantity("n", "n", "active senders, one per core", "1", "n >= 1")
_SPEEDUP = quantity("speedup", "speed-up", "rate relative to one sender", "1", "speedup >= 1")
_CONTENTION = quantity("contention", "contention", "share of a sender's work that is serial", "1", "0 to 1")
_SERIAL = quantity("serial", "serial", "share of the run on n senders that is serial", "1", "0 to 1")
_RATE_ONE = quantity("rate_one", "rate of one", "rate of one sender", "rate", "> 0")
_COHERENCE = quantity("coherence", "coherence", "cost of keeping a pair of senders consistent", "1", ">= 0")
_RATE = quantity("rate", "rate", "rate asked for", "rate", "> 0")
_RESPONSE = quantity("response_time", "response time", "time of one lap of a sender", "1 / rate", "> 0")
_CRITICAL = quantity("critical", "critical", "share of the work inside critical sections", "1", "0 to 1 - serial")
_MEETING = quantity(
    "contention_probability", "contention probability", "chance that two critical sections meet", "1", "0 to 1"
)


def amdahl() -> Law:
    """Speedup of fixed work with a serial share, its limit and its inverse."""
    n, s, c = _N.symbol, _CONTENTION.symbol, _SPEEDUP.symbol
    return Law(
        "amdahl",
        "How much faster is fixed work on n senders when a share of it is serial?",
        (_N, _SPEEDUP, _CONTENTION),
        (
            Form("speedup", n / (1 + s * (n - 1)), "rate relative to one sender", "1"),
            Form("efficiency", 1 / (1 + s * (n - 1)), "speed-up per sender", "1"),
            Form("limit", 1 / s, "speed-up of infinitely many senders", "1", "contention > 0, else unbounded"),
            Form("half_efficiency_n", 1 + 1 / s, "senders at half of the linear rate", "1", "contention > 0"),
            Form("n_for_speedup", c * (1 - s) / (1 - s * c), "senders that reach a speed-up", "1", "speedup < limit"),
            Form(
                "contention_from_speedup",
                (n / c - 1) / (n - 1),
                "contention that one measured speed-up implies (Karp and Flatt, CACM 33(5) 1990)",
                "1",
                "n > 1",
            ),
        ),
        "Amdahl, AFIPS 1967; as a bound of a closed network: Gunther, arXiv:0808.1431",
    )


def gustafson() -> Law:
    """Speedup of work that grows with the senders, and Amdahl's contention that gives the same."""
    n, s, c = _N.symbol, _SERIAL.symbol, _SPEEDUP.symbol
    return Law(
        "gustafson",
        "How much more work do n senders do in a fixed time when the serial part does not grow?",
        (_N, _SPEEDUP, _SERIAL),
        (
            Form("speedup", n - s * (n - 1), "work relative to one sender", "1"),
            Form("efficiency", (n - s * (n - 1)) / n, "speed-up per sender", "1"),
            Form("n_for_speedup", (c - s) / (1 - s), "senders that reach a speed-up", "1", "serial < 1"),
            Form(
                "amdahl_contention",
                s / (s + n * (1 - s)),
                "contention with which Amdahl's law gives the same speed-up",
                "1",
            ),
        ),
        "Gustafson, CACM 31(5) 1988; for more flows on more cores, not for one fixed packet path",
    )


def usl() -> Law:
    """The universal scalability law: contention and coherence, its peak, its limits and its inverse."""
    n, x1, s, k = _N.symbol, _RATE_ONE.symbol, _CONTENTION.symbol, _COHERENCE.symbol
    x, r = _RATE.symbol, _RESPONSE.symbol
    slowdown = 1 + s * (n - 1) + k * n * (n - 1)
    rest = x1 / x - (s - k)
    root = sqrt((s - k) ** 2 + 4 * k * (x1 * r + s - 1))
    return Law(
        "usl",
        "What rate do n senders reach when they queue for shared work and keep shared data consistent?",
        (_N, _RATE_ONE, _CONTENTION, _COHERENCE, _RATE, _RESPONSE),
        (
            Form("rate", x1 * n / slowdown, "rate of n senders", "rate"),
            Form("capacity", n / slowdown, "rate relative to one sender", "1"),
            Form("efficiency", 1 / slowdown, "rate per sender, relative to one sender", "1"),
            Form("response_time", slowdown / x1, "time of one lap of a sender (Little's law: n / rate)", "1 / rate"),
            Form(
                "peak_n",
                sqrt((1 - s) / k),
                "senders at the highest rate",
                "1",
                "coherence > 0, contention + coherence <= 1",
            ),
            Form(
                "peak_rate",
                x1 / (s - k + 2 * sqrt(k * (1 - s))),
                "highest rate",
                "rate",
                "contention + coherence <= 1",
            ),
            Form(
                "knee", 1 / (s - k + 2 * sqrt(k * (1 - s))), "senders where the linear rate meets the highest rate", "1"
            ),
            Form("contention_limit", x1 / s, "rate that contention alone would allow", "rate", "contention > 0"),
            Form("contention_point", 1 / s, "senders where the linear rate meets that limit", "1", "contention > 0"),
            Form(
                "half_efficiency_n",
                2 * (1 + s) / (s - k + sqrt((s - k) ** 2 + 4 * k * (1 + s))),
                "senders at half of the linear rate",
                "1",
            ),
            Form("time_parallel", 1 / n, "parallel part of the time of a unit of work", "time of one sender"),
            Form("time_contention", s * (n - 1) / n, "what contention adds to it", "time of one sender"),
            Form("time_coherence", k * (n - 1), "what coherence adds to it", "time of one sender"),
            Form(
                "n_for_rate",
                2 * (1 - s) / (rest + sqrt(rest**2 - 4 * k * (1 - s))),
                "senders that reach a rate, before the peak",
                "1",
                "rate of one <= rate <= highest rate",
            ),
            Form(
                "n_for_response_time",
                (k - s + root) / (2 * k),
                "senders at which a lap takes that long",
                "1",
                "response time >= that of one sender, coherence > 0",
            ),
            Form(
                "n_for_response_time_conjugate",
                2 * (x1 * r + s - 1) / (s - k + root),
                "the same without a division by coherence",
                "1",
                "coherence <= contention",
            ),
        ),
        "Gunther, Guerrilla Capacity Planning, 2007, equations 4.31 and 4.33; Gunther, arXiv:0808.1431",
    )


def critical_sections() -> Law:
    """Amdahl's law with critical sections that meet by chance."""
    n, fs, fc, px = _N.symbol, _SERIAL.symbol, _CRITICAL.symbol, _MEETING.symbol
    fn = 1 - fs - fc
    pc = fc / (1 - fs)
    average = fc * pc * px + (fc * (1 - pc * px) + fn) / n
    slowest = fc * px + (fc * (1 - px) + fn) / (2 * n)
    time = fs + Max(average, slowest)
    return Law(
        "critical_sections",
        "How much faster is fixed work on n senders when part of it runs inside critical sections?",
        (_N, _SERIAL, _CRITICAL, _MEETING),
        (
            Form("time", time, "time relative to one sender", "1"),
            Form("speedup", 1 / time, "rate relative to one sender", "1"),
            Form("limit", 1 / (fs + fc * px), "speed-up of infinitely many senders", "1", "serial + critical > 0"),
        ),
        "Eyerman and Eeckhout, ISCA 2010, section 3: the larger of the average and the slowest thread",
    )
