"""Working through the queue of passages that wait for a vector."""
