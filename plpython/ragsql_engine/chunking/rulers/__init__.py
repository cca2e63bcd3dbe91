"""Strategies without structure: passages of a fixed number of words, characters or tokens."""
