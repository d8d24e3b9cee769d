"""CaST-Bench: why-questions answered with boxes as evidence; nothing is imported here."""
