"""Whether a reranker could be used, without using it."""

from typing import Any

from ragsql_engine.embedding.providers import Providers, Settings, allowed
from ragsql_engine.embedding.status import of_endpoints, sentences, told
from ragsql_engine.errors import InvalidParameter, RagError
from ragsql_engine.rerank.endpoints import parse_endpoints
from ragsql_engine.rerank.reranker import Reranker

_PATIENCE = 2.0  # seconds, for an embedder on this host


def check(reranker: Reranker, settings: Settings) -> None:
    """Refuse what cannot be registered.

    InvalidParameter for endpoints that cannot be; 42501 for hosts and variables that are not
    allowed.
    """
    if reranker.model.provider == "http":
        permission = allowed(settings)
        for endpoint in parse_endpoints(reranker):
            permission.check(endpoint)
    elif reranker.model.endpoints:
        raise InvalidParameter(
            "a reranker of the provider fastembed has no endpoints",
            hint="Leave them out, or choose the provider http.",
        )


def status(
    reranker: Reranker, root: str | None, settings: Settings, providers: Providers
) -> dict[str, Any]:
    """present, directory, detail. Loads no weights; of the network it asks an embedder only."""
    if reranker.model.provider == "http":
        return _of_endpoints(reranker, settings)
    if settings.embedder:
        return _of_embedder(reranker, settings.embedder, providers)
    return _of_files(reranker, root)


def _of_endpoints(reranker: Reranker, settings: Settings) -> dict[str, Any]:
    try:
        endpoints = parse_endpoints(reranker)
    except InvalidParameter as error:
        return told(False, error.message)
    return of_endpoints(endpoints, settings)


def _of_embedder(reranker: Reranker, url: str, providers: Providers) -> dict[str, Any]:
    try:
        providers.rerank_embedder(reranker, url).health(_PATIENCE)
    except RagError as error:
        return told(False, sentences(error))
    return told(True, "the embedder answers")


def _of_files(reranker: Reranker, root: str | None) -> dict[str, Any]:
    from ragsql_engine.rerank.cross_encoder import require_weights, reranker_directory

    try:
        directory = reranker_directory(root, reranker)
    except RagError as error:
        return told(False, error.message)
    try:
        weights = require_weights(reranker, directory)
    except RagError as error:
        return told(False, sentences(error), str(directory))
    return told(True, f"{weights.name}, {weights.stat().st_size / 1e6:.1f} MB", str(directory))
