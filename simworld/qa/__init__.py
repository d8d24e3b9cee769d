"""Questions with typed options, each a claim that the truth decides."""
