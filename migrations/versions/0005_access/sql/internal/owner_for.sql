-- What an identity owns things as.
create or replace function rag_internal.owner_for(identity rag_internal.identity) returns bigint
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    if (identity).reader is null then
        raise exception using
            errcode = '42501',
            message = 'who has no name to ragsql can own nothing',
            hint    = 'select why from rag.whoami() tells how you are seen.';
    end if;
    return rag_internal.principal_for((identity).reader, (identity).tenant);
end
$$;

comment on function rag_internal.owner_for(rag_internal.identity) is
    'principal_id of the user or role that the identity is; 42501 for nobody and for groups alone.';
alter function rag_internal.owner_for(rag_internal.identity) owner to rag_owner;
revoke all on function rag_internal.owner_for(rag_internal.identity) from public;
