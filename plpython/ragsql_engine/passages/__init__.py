"""Passages as they are shown: what matched in them, where a citation points now, a prompt of them.

`marking` finds the words of a question in a text, `words` says where words are; `citations` looks
for a passage by its hash; `prompt` writes a context of passages that fits a number of tokens.
"""
