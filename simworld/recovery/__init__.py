"""Does a metric measure causal understanding? Models of known competence are held against it."""

from simworld.recovery.recover import recover

__all__ = ["recover"]
