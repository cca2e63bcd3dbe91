"""What goes wrong at an endpoint, in the words that SQL callers see.

A fault never quotes what was sent or what came back, beyond a status and an identifier.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from ragsql_engine.embedding.endpoints import Endpoint
from ragsql_engine.embedding.http_answers import usual_wait
from ragsql_engine.embedding.http_client import Trouble
from ragsql_engine.errors import ProviderUnavailable, RagError, TextRefused

_REFUSES_TEXT = (400, 413, 422)
# Some servers answer 400 where they do not know the model, which is no text's doing.
_UNKNOWN_MODEL = ("model_not_found", "DeploymentNotFound", "invalid_model")
_BACKOFF = 0.3  # seconds before the second try, on average; then twice as many
_EMBEDDER = (
    "`ragsql embedder --attach` starts it again; without the setting embedder each session loads "
    "the model by itself."
)


@dataclass(frozen=True, slots=True)
class Fault:
    """An error, and what may help: `may_pass`: another endpoint, or later the same one.

    `again`: another try in a moment; a `wait` that the error carries goes before that.
    """

    error: RagError
    may_pass: bool = False
    again: bool = False

    def delay(self, attempt: int) -> float | None:
        """Seconds until the next try of this endpoint is sensible; None for never in this call."""
        wait = getattr(self.error, "retry_after", None)
        if wait is not None:
            return float(wait)
        return random.uniform(0.5, 1.5) * _BACKOFF * 2**attempt if self.again else None


def of_trouble(trouble: Trouble, endpoint: Endpoint, timeout: float) -> Fault:
    """The fault of an endpoint that gave no answer."""
    label = endpoint.label
    hint = _EMBEDDER if endpoint.trusted else None
    if trouble.kind == "unreachable":
        verb = "does not answer" if endpoint.trusted else "cannot be reached"
        hint = hint or "Check that it runs, and that the database server may reach it."
        error = ProviderUnavailable(f"{label} {verb}", detail=_sentence(trouble.reason), hint=hint)
        return Fault(error, may_pass=True)
    if trouble.kind == "timeout":
        message = f"{label} gave no answer within {timeout:g} s"
        hint = hint or "The endpoint's timeout can be set where the model is added."
        return Fault(ProviderUnavailable(message, certain=False, hint=hint), may_pass=True)
    if trouble.kind == "broken":
        message = f"{label} broke the connection off"
        error = ProviderUnavailable(message, certain=False, hint=hint)
        return Fault(error, may_pass=True, again=True)
    return malformed(f"an answer of more than {trouble.reason}", endpoint)


def of_status(status: int, code: str, wait: float | None, endpoint: Endpoint) -> Fault:
    """The fault that an answer's status tells. `wait` is what Retry-After asks for."""
    label, told = endpoint.label, f"({status}{code})"
    is_unknown = status == 404 or code.strip(" []") in _UNKNOWN_MODEL
    if status in _REFUSES_TEXT and not is_unknown:
        return Fault(TextRefused(f"{label} refuses a text {told}"))
    if status == 429:
        seconds = usual_wait() if wait is None else wait
        hint = f"It asks to wait {seconds:.0f} s."
        message = f"{label} has too many requests {told}"
        error = ProviderUnavailable(message, retry_after=seconds, hint=hint)
        return Fault(error, may_pass=True)
    if status == 408 or status >= 500:
        is_busy = status == 503 and wait is not None  # and says so: it is not the text
        error = ProviderUnavailable(f"{label} failed {told}", certain=is_busy, retry_after=wait)
        return Fault(error, may_pass=True, again=True)
    if status in (401, 403) and not is_unknown:
        return Fault(_key_refused(endpoint, told))
    what, hint = f"{label} does not accept the request", ""
    if is_unknown:
        what = f"{label} does not know model {endpoint.model}"
        hint = "Check its url and the model's name there; some servers must fetch a model first."
    elif 300 <= status < 400:
        what = f"{label} leads elsewhere"
        hint = "Redirects are not followed: give the url that it leads to, and allow its host."
    elif status == 409 and endpoint.trusted:
        hint = "It has another revision of the model: restart it, or register the model anew."
    return Fault(ProviderUnavailable(f"{what} {told}", hint=hint or None))


def malformed(how: str, endpoint: Endpoint) -> Fault:
    """The fault of an endpoint that answered with something else than asked for."""
    return Fault(ProviderUnavailable(f"{endpoint.label} gave {how}", certain=False))


def key_missing(variable: str, how: str) -> ProviderUnavailable:
    """The error for a variable without a usable key."""
    return ProviderUnavailable(
        f"the environment variable {variable} {how}",
        hint="Set it to the endpoint's key in the environment that the server starts in, and "
        "restart the server.",
    )


def merged(faults: Sequence[Fault], model: str) -> RagError:
    """One error for all endpoints of a model, none of which could answer."""
    errors = [fault.error for fault in faults if isinstance(fault.error, ProviderUnavailable)]
    if len(errors) == 1:
        return errors[0]
    waits = [error.retry_after for error in errors if error.retry_after is not None]
    return ProviderUnavailable(
        f"no endpoint of model {model} can be used now",
        certain=all(error.certain for error in errors),
        retry_after=min(waits, default=None),
        detail="; ".join(error.message for error in errors) + ".",
        hint=next((error.hint for error in errors if error.hint), None),
    )


def _key_refused(endpoint: Endpoint, told: str) -> ProviderUnavailable:
    variable = endpoint.key_variable
    if variable is None:
        return ProviderUnavailable(
            f"{endpoint.label} wants a key {told}",
            hint="Name the environment variable that holds it: key_variable of the endpoint.",
        )
    return ProviderUnavailable(
        f"{endpoint.label} refuses the key in {variable} {told}",
        hint="Set the variable to a valid key in the environment that the server starts in, and "
        "restart the server.",
    )


def _sentence(reason: str) -> str | None:
    return f"{reason[0].upper()}{reason[1:]}." if reason else None
