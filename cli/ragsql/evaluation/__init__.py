"""Judging searches: datasets in folders, measures, curves over a setting."""
