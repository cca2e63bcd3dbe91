"""English words by what they do in a question."""

QUESTION_WORDS = frozenset("what how when where who whom whose which why".split())
# These also begin clauses that belong to a word before them: customers who pay late.
RELATIVE_WORDS = frozenset("when where who whom whose which".split())

DUMMIES = frozenset("do does did".split())
AUXILIARIES = DUMMIES | frozenset(
    """is are was were am be been being has have had can could should shall will would may might
    must cannot can't don't doesn't didn't isn't aren't wasn't weren't won't""".split()
)

DETERMINERS = frozenset(
    "the a an any all some my our your their its his her each every no this these those".split()
)
SUBJECTS = DETERMINERS | frozenset("i you we there anyone anybody someone somebody".split())

# What points back to something said before.
BACKWARD = frozenset(
    """it its itself they them their theirs themselves these those he him his she her hers this
    one ones former latter same""".split()
)

IMPERATIVES = frozenset(
    """find show list explain describe compare give tell get search look fetch summarize summarise
    define identify name locate check""".split()
)

SUBORDINATORS = frozenset(
    "if unless although though because while once whenever as before after since until".split()
)

# Words that take both sides of an "and".
BINDERS = frozenset(
    """between both compare compared comparing comparison versus vs contrast difference differences
    differ either whether relation relationship""".split()
)

PREPOSITIONS = frozenset(
    """of in on at by for from to into onto with about over under through during within across
    against per via like than as up down off out""".split()
)

CONNECTORS = frozenset("and then also".split())

NO_CONTENT = (
    QUESTION_WORDS
    | AUXILIARIES
    | SUBJECTS
    | BACKWARD
    | SUBORDINATORS
    | PREPOSITIONS
    | CONNECTORS
    | frozenset(
        """me us that or nor but so not without except excluding please just only too very there
        here much many more most often long far""".split()
    )
)
