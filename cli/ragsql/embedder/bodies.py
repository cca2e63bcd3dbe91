"""The requests that the embedder understands, and their bounds."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StrictStr, ValidationError, model_validator

from ragsql.embedder.errors import ApiError, too_large

MOST_INPUTS = 2048
"""Texts of one request, as with OpenAI."""

MOST_BYTES = 16 * 1024 * 1024
"""Bytes of one request's body."""

MOST_DOCUMENTS = 1000

Text = Annotated[str, StrictStr]


class Body(BaseModel):
    """A request; what it holds beyond the known fields is ignored, as clients send much."""

    model_config = ConfigDict(extra="ignore", hide_input_in_errors=True)

    model: Text
    revision: Text | None = None
    """Refused with 409 unless it is the one of the files here."""


class EmbeddingsBody(Body):
    """POST /v1/embeddings, as OpenAI defines it, with input_type as Voyage and Cohere have it."""

    input: Text | list[Text]
    encoding_format: Literal["float", "base64"] = "float"
    input_type: Literal["query", "passage", "document"] = "passage"
    dimensions: int | None = None

    @property
    def texts(self) -> list[str]:
        """The inputs; one text is a list of one."""
        return [self.input] if isinstance(self.input, str) else self.input

    @property
    def kind(self) -> str:
        """query or passage."""
        return "query" if self.input_type == "query" else "passage"


class RerankBody(Body):
    """POST /v1/rerank, the shape that Jina and Cohere share; `texts` is TEI's word."""

    query: Text
    documents: list[Text] = Field(min_length=1)
    top_n: int | None = Field(default=None, ge=1)
    return_documents: bool = False

    @model_validator(mode="before")
    @classmethod
    def _normalise(cls, values: Any) -> Any:
        """Take TEI's names, and documents given as objects with a text."""
        if not isinstance(values, dict):
            return values
        documents = values.get("documents", values.get("texts"))
        if isinstance(documents, list):
            documents = [one.get("text") if isinstance(one, dict) else one for one in documents]
        returned = values.get("return_documents", values.get("return_text", False))
        return {**values, "documents": documents, "return_documents": returned}


Parsed = TypeVar("Parsed", bound=Body)


def parse(content: bytes, shape: type[Parsed]) -> Parsed:
    """Read a body; raises ApiError (400) that names the field and never what it held."""
    try:
        values = json.loads(content)
    except (ValueError, RecursionError):
        raise ApiError(400, "invalid_json", "the body is not JSON") from None
    try:
        return shape.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = ".".join(str(part) for part in first["loc"][:2]) or "body"
        raise ApiError(400, "invalid_request", f"{field}: {first['msg']}") from None


def check_texts(texts: list[str], name: str, most: int) -> None:
    """Raises ApiError where there are no texts, too many, or blank ones (400, 413)."""
    if not texts:
        raise ApiError(400, "invalid_request", f"{name}: there is no text")
    if len(texts) > most:
        raise too_large(f"{name}: {len(texts)} texts, at most {most} are taken at once")
    for number, text in enumerate(texts):
        if not text.strip():
            raise ApiError(400, "invalid_request", f"{name}[{number}] is blank")
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise ApiError(400, "invalid_request", f"{name}[{number}] is not valid Unicode")
