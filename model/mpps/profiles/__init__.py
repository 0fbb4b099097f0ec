"""Profile likelihood intervals for one table and one family of curves, many tables at once."""
