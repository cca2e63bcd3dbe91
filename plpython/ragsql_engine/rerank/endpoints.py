"""Where a reranker is reached over HTTP, under the same rules as embedding models."""

from typing import Any

from ragsql_engine.embedding.endpoints import Endpoint, address_of, check_key, check_types
from ragsql_engine.errors import InvalidParameter
from ragsql_engine.rerank.reranker import Reranker

STYLES = ("jina", "cohere", "tei")
"""How the request is written; jina is what most servers take (vLLM, llama.cpp, Infinity)."""

_KEYS = {
    "url": str,
    "model": str,
    "key_variable": str,
    "style": str,
    "timeout": (int, float),
}
_TIMEOUT = 60.0


def parse_endpoints(reranker: Reranker) -> list[Endpoint]:
    """The endpoints of a reranker, in its order of preference; 22023 where one cannot be."""
    if not reranker.model.endpoints:
        raise InvalidParameter(
            f"reranker {reranker.name} has no endpoint",
            hint="""Give one: endpoints => '[{"url": "http://127.0.0.1:8080/v1"}]'.""",
        )
    return [_endpoint(settings, reranker) for settings in reranker.model.endpoints]


def _endpoint(settings: Any, reranker: Reranker) -> Endpoint:
    check_types(settings, reranker.name, _KEYS)
    style = settings.get("style") or STYLES[0]
    if style not in STYLES:
        raise InvalidParameter(
            "the style of an endpoint is not known",
            hint=f"Known are {', '.join(STYLES)}.",
        )
    address = address_of(settings["url"], "rerank")
    if style == "tei" and address.get("socket"):
        address["target"] = "/rerank"
    endpoint = Endpoint(
        **address,
        model=settings.get("model") or reranker.name,
        key_variable=settings.get("key_variable"),
        style=style,
        timeout=settings.get("timeout") or _TIMEOUT,
    )
    check_key(endpoint)
    return endpoint
