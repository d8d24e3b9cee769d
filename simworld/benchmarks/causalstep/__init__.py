"""CausalStep: stepwise causal questions about the segments of a video; nothing is imported here."""
