"""Whether a model could be used, without using it."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ragsql_engine.embedding.providers import Providers, Settings, allowed
from ragsql_engine.errors import InvalidParameter, RagError
from ragsql_engine.files import model_directory
from ragsql_engine.model import Model

if TYPE_CHECKING:
    from ragsql_engine.embedding.endpoints import Endpoint

_PATIENCE = 2.0  # seconds, for an embedder on this host


def check(model: Model, settings: Settings) -> None:
    """Refuse what cannot be registered.

    InvalidParameter for endpoints that cannot be, or a name that fastembed does not know; 42501
    for hosts and variables that are not allowed.
    """
    if model.provider == "openai":
        from ragsql_engine.embedding.endpoints import parse_endpoints

        permission = allowed(settings)
        for endpoint in parse_endpoints(model):
            permission.check(endpoint)
        return
    if model.endpoints:
        raise InvalidParameter(
            f"a model of the provider {model.provider} has no endpoints",
            hint="Leave them out, or choose the provider openai.",
        )
    if model.provider == "fastembed":
        from ragsql_engine.embedding.fastembed_provider import weights_file

        weights_file(model)


def status(
    model: Model, root: str | None, settings: Settings, providers: Providers
) -> dict[str, Any]:
    """present, directory, detail. Loads no weights; of the network it asks an embedder only."""
    if model.provider == "external":
        return told(True, "vectors come with the call")
    if model.provider == "openai":
        return _of_endpoints(model, settings)
    if settings.embedder:
        return _of_embedder(model, settings.embedder, providers)
    return _of_files(model, root)


def _of_endpoints(model: Model, settings: Settings) -> dict[str, Any]:
    from ragsql_engine.embedding.endpoints import parse_endpoints

    try:
        endpoints = parse_endpoints(model)
    except InvalidParameter as error:
        return told(False, error.message)
    return of_endpoints(endpoints, settings)


def of_endpoints(endpoints: "Sequence[Endpoint]", settings: Settings) -> dict[str, Any]:
    """Present where one endpoint is allowed and has its key: that is enough."""
    permission, present, found = allowed(settings), False, []
    for endpoint in endpoints:
        variable = endpoint.key_variable
        try:
            permission.require(endpoint)
        except RagError as error:
            found.append(error.message)
            continue
        if variable and not os.environ.get(variable, "").strip():
            found.append(f"{endpoint.label} has no key: {variable} is not set for the server")
        else:
            present = True
            found.append(f"{endpoint.label} is allowed")
    return told(present, "; ".join(found))


def _of_embedder(model: Model, url: str, providers: Providers) -> dict[str, Any]:
    try:
        provider = providers.embedder(model, url)
        provider.health(_PATIENCE)
    except RagError as error:
        return told(False, sentences(error))
    return told(True, "the embedder answers")


def _of_files(model: Model, root: str | None) -> dict[str, Any]:
    from ragsql_engine.embedding.fastembed_provider import require_weights

    try:
        directory = model_directory(root, model)
    except RagError as error:
        return told(False, error.message)
    try:
        weights = require_weights(model, directory)
    except RagError as error:
        return told(False, sentences(error), str(directory))
    return told(True, f"{weights.name}, {weights.stat().st_size / 1e6:.1f} MB", str(directory))


def sentences(error: RagError) -> str:
    """Message and detail of an error."""
    return f"{error.message}. {error.detail or ''}".strip()


def told(present: bool, detail: str, directory: str = "") -> dict[str, Any]:
    """A status as SQL reads it."""
    return {"present": present, "directory": directory, "detail": detail}
