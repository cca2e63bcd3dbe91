"""What the embedder answers instead of a result."""

from __future__ import annotations


class ApiError(Exception):
    """An answer in OpenAI's shape of an error.

    status: of HTTP. code: a word for programs. retry_after: seconds, where trying again helps.
    The message never holds a text that was sent.
    """

    def __init__(
        self, status: int, code: str, message: str, *, retry_after: int | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.retry_after = retry_after

    @property
    def body(self) -> dict[str, dict[str, str]]:
        """The JSON of the answer."""
        kind = "invalid_request_error" if self.status < 500 else "server_error"
        return {"error": {"message": self.message, "type": kind, "code": self.code}}


def too_large(message: str) -> ApiError:
    """The request as a whole is more than is taken at once (413)."""
    return ApiError(413, "request_too_large", f"{message}; send it in parts")
