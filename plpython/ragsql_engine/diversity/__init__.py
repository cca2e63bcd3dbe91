"""Variety in a ranking: maximal marginal relevance."""
