-- Those who are to get something, or whoever has it under these names.
create or replace function rag_internal.grantees(readers text[], tenant text, granted boolean)
returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    if granted then
        return array(
            select distinct rag_internal.principal_for(r, grantees.tenant) from unnest(readers) r);
    end if;
    return array(
        select distinct p
        from unnest(readers) r
        cross join lateral unnest(rag_internal.principals_named(r, grantees.tenant)) p);
end
$$;

comment on function rag_internal.grantees(text[], text, boolean) is
    'principal_id of readers: granted, as rag_internal.principal_for; else all that had the names.';
alter function rag_internal.grantees(text[], text, boolean) owner to rag_owner;
revoke all on function rag_internal.grantees(text[], text, boolean) from public;
