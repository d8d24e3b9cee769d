"""Scripted physics scenes whose causal claims are checked by intervening and simulating again."""

__version__ = "0.1.0"
