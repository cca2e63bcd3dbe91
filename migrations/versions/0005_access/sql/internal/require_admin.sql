-- Refuses what only administrators may do.
create or replace function rag_internal.require_admin(identity rag_internal.identity, what text)
returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    if not (identity).sees_everything then
        raise exception using
            errcode = '42501',
            message = format('only rag_admin may %s', what),
            hint    = 'Ask an administrator; select why from rag.whoami() tells how you are seen.';
    end if;
end
$$;

comment on function rag_internal.require_admin(rag_internal.identity, text) is
    '42501 for who does not see everything.';
alter function rag_internal.require_admin(rag_internal.identity, text) owner to rag_owner;
revoke all on function rag_internal.require_admin(rag_internal.identity, text) from public;
