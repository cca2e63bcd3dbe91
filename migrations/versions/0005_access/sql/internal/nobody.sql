-- The identity of who may read nothing.
create or replace function rag_internal.nobody(who name, why text) returns rag_internal.identity
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _identity rag_internal.identity;
begin
    _identity.who := nobody.who;
    _identity.tenant := '';
    _identity.clearance := 0;
    _identity.sees_everything := false;
    _identity.source := 'nobody';
    _identity.principal_ids := '{}';
    _identity.why := nobody.why;
    return _identity;
end
$$;

comment on function rag_internal.nobody(name, text) is 'An identity without principals.';
alter function rag_internal.nobody(name, text) owner to rag_owner;
revoke all on function rag_internal.nobody(name, text) from public;
