"""The demand of a stage: one text that is a formula for the reader and a number for the network.

The names that a demand may use: the parameters, `n` (senders), `shared` (0 for a sender alone, else 1),
`cross` (probability that two of the senders sit in different domains), `at(n, k)` (1 where n = k, else 0),
and the functions exp, log, sqrt, minimum, maximum.
"""

import functools

import numpy as np

FUNCTIONS = {
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "at": lambda n, k: (np.asarray(n) == k) * 1.0,
}


def formula(text: str):
    """The demand as a SymPy expression, for notebooks and tests."""
    import sympy

    names = {name: sympy.Symbol(name, positive=True) for name in compiled(text).co_names}
    names |= {name: sympy.Function(name) for name in ("at",)} | {
        "exp": sympy.exp,
        "log": sympy.log,
        "sqrt": sympy.sqrt,
        "minimum": sympy.Min,
        "maximum": sympy.Max,
    }
    return sympy.sympify(text, locals=names)


def evaluate(text: str, values: dict) -> np.ndarray:
    """A demand's number for values of all its names; the formula's independent twin."""
    return evaluate_with(text, values | FUNCTIONS)


@functools.cache
def compiled(text: str):
    """The demand as a code object; its `co_names` are the names that it uses."""
    return compile(text, "<demand>", "eval")


def evaluate_with(text: str, names: dict):
    """A demand's number; `names` holds the functions too."""
    return eval(compiled(text), {"__builtins__": {}}, names)
