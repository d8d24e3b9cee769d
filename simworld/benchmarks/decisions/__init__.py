"""Decisions: which change would have prevented what went wrong; nothing is imported here."""
