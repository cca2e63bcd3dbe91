"""What a question asks: its parts, how each is best looked for, and what to ask next.

Plain functions of text. They know English; a question in another language is one part, as it is.
"""

from ragsql_engine.understanding.parts import Part, decompose
from ragsql_engine.understanding.terms import follow_up_terms

__all__ = ["Part", "decompose", "follow_up_terms"]
