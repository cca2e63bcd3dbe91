-- What a signed token says, verified in the engine. Nobody calls this but rag_owner's functions.
create or replace function rag_internal.verified_claims(token text) returns jsonb
language plpython3u stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
import json
if "ragsql" not in GD:
    plpy.execute("select rag_internal.load_engine()")
return json.dumps(GD["ragsql"].require(6).verified_claims(token))
$$;

comment on function rag_internal.verified_claims(text) is
    'sub, groups, tenant, clearance, role and kid of a token (JWT) whose signature, times, issuer, '
    'audience and tenant fit a key of rag_internal.identity_key; tenant, clearance and role are '
    'null where it has none. 28000 otherwise, without a word of the token.';
alter function rag_internal.verified_claims(text) owner to rag_owner;
revoke all on function rag_internal.verified_claims(text) from public;
