"""What scripts and languages ask for: where sentences end, which rules hold."""
