"""Search by vectors: SQL over rag_internal.embedding, with what a caller sees as constants."""
