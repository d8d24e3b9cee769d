"""Causal2Needles: cause and effect far apart in a long video; nothing is imported here."""
