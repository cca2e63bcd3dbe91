"""One process that loads models once and serves them to many database sessions."""
