"""BM25 over an inverted index kept in ordinary tables.

A part is a segment or the pending documents. A segment is immutable: its documents are arrays
(`documents`), its postings are bytes (`codec`) in blocks of consecutive terms (`blocks`). `build`
makes a segment of pending documents, `merge` makes one of several.
"""
