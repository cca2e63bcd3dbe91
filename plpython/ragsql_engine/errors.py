"""Errors of the engine. Each carries the SQLSTATE and the hint the SQL caller will see."""


class RagError(Exception):
    """An expected failure. `session.Engine` turns it into an SQL error, once.

    `sqlstate` is a five-character code, `detail` says what was found, `hint` what to do next.
    """

    sqlstate = "XX000"

    def __init__(
        self,
        message: str,
        *,
        sqlstate: str | None = None,
        detail: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.sqlstate = sqlstate or type(self).sqlstate
        self.detail = detail
        self.hint = hint


class InvalidParameter(RagError):
    """An argument outside what the function accepts (22023)."""

    sqlstate = "22023"


class InvalidVector(RagError):
    """A model gave a text a vector that cannot be stored: not finite, or zero (22000)."""

    sqlstate = "22000"


class TextRefused(RagError):
    """The provider refuses a text; others may do (22000)."""

    sqlstate = "22000"


class LimitExceeded(RagError):
    """A text is longer than its model reads (54000)."""

    sqlstate = "54000"


class ProviderUnavailable(RagError):
    """A model cannot be used now, whatever the text (55000).

    `certain`: there is no point in trying single texts; else one of them may be the reason.
    `retry_after`: seconds that the provider asked to wait, where it did.
    """

    sqlstate = "55000"

    def __init__(
        self,
        message: str,
        *,
        certain: bool = True,
        retry_after: float | None = None,
        detail: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, detail=detail, hint=hint)
        self.certain = certain
        self.retry_after = retry_after


class ModelMissing(ProviderUnavailable):
    """The files of a model are absent or damaged, or there is no room to load it (55000)."""


class DimensionMismatch(ProviderUnavailable):
    """A model gives vectors of another size than it is registered with (55000)."""


class PackageMissing(ProviderUnavailable):
    """A Python package that the engine stands on cannot be imported (55000)."""

    def __init__(self, error: ImportError) -> None:
        super().__init__(
            f"the Python package {error.name or 'needed'} cannot be imported by the server",
            detail=str(error),
            hint="Install ragsql with its dependencies for the server's Python; "
            "`ragsql doctor` says where it looks.",
        )


class NotFound(RagError):
    """What was named does not exist or is hidden from the caller (P0002)."""

    sqlstate = "P0002"


class TokenRefused(RagError):
    """A token that does not prove who asks (28000). Says which check failed, never of what."""

    sqlstate = "28000"

    def __init__(self, reason: str, *, hint: str) -> None:
        super().__init__(f"token refused: {reason}", hint=hint)


class EngineMismatch(RagError):
    """The SQL functions and this library are of different versions (55000)."""

    sqlstate = "55000"


class IndexDamaged(RagError):
    """Stored bytes of the lexical index cannot be what was written (XX002)."""

    sqlstate = "XX002"

    def __init__(self, message: str, *, detail: str | None = None) -> None:
        super().__init__(
            f"the lexical index is damaged: {message}",
            detail=detail,
            hint="Call rag.rebuild_index('...') for each collection; if it happens again, "
            "check the server's disk.",
        )
