"""The target benchmarks, one folder each; nothing is imported here."""
