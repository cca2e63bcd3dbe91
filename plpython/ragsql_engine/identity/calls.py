"""What SQL functions ask about tokens and the keys of tokens."""

import time
from typing import Any

from ragsql_engine.calls import Calls, translated
from ragsql_engine.errors import RagError, TokenRefused

_LEEWAY = 30
_MOST_LEEWAY = 300

_KEY = """
select k.kid, k.algorithm, k.key, k.issuer, k.audience, k.tenant,
       extract(epoch from k.not_before)::float8 as not_before,
       extract(epoch from k.not_after)::float8 as not_after,
       (select s.value from rag_internal.setting s where s.name = 'identity_leeway_seconds')
           as leeway
from rag_internal.identity_key k
where k.kid = $1
"""


class IdentityCalls(Calls):
    """Methods over rag_internal.identity_key. PyJWT is loaded when the first token comes."""

    @translated
    def verified_claims(self, token: str | None) -> dict[str, Any]:
        """sub, groups, tenant, clearance, role and kid of a token; 28000 for any doubt.

        Nothing of the token, its claims or its key is ever in an error.
        """
        from ragsql_engine.identity import claims, tokens
        from ragsql_engine.identity.keys import Key

        unverified = tokens.read(token)
        rows = self._rows(_KEY, ["text"], unverified.kid)
        if not rows:
            raise TokenRefused(
                "its key is not known", hint="rag.list_identity_keys() shows the keys there are."
            )
        key, now = Key.from_row(rows[0]), time.time()
        if not key.is_valid_at(now):
            raise TokenRefused(
                "its key is not valid now",
                hint="rag.list_identity_keys() shows from when to when each key is valid.",
            )
        return claims.read(unverified.payload(key), key, now, _leeway(rows[0]["leeway"]))

    @translated
    def stored_identity_key(self, algorithm: str, key: str) -> str:
        """The key as rag_internal.identity_key has it; 22023 for one that is unfit."""
        from ragsql_engine.identity.keys import stored_form

        return stored_form(algorithm, key)


def _leeway(setting: str | None) -> int:
    """Seconds that clocks may differ."""
    if setting is None:
        return _LEEWAY
    if not (setting.isascii() and setting.isdigit() and int(setting) <= _MOST_LEEWAY):
        raise RagError(
            "the setting identity_leeway_seconds is no number from 0 to 300",
            sqlstate="55000",
            hint="A superuser can correct it in rag_internal.setting.",
        )
    return int(setting)
