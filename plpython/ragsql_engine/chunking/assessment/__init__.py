"""Judgements of texts and passages: type, value, quality."""
