"""How well moves to other hosts hold."""
