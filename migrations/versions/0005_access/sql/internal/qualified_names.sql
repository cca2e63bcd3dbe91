-- How a collection is named where its name alone may mean several.
create or replace function rag_internal.qualified_names(
    name   text,
    owner  rag_internal.principal,
    tenant text
) returns text[]
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select array[
        format('%s/%s', rag_internal.reader_name(owner), name),
        format('%s%s/%s', case when tenant <> '' then tenant || '/' end,
               rag_internal.reader_name(owner), name)]
$$;

comment on function rag_internal.qualified_names(text, rag_internal.principal, text) is
    'OWNER/NAME and TENANT/OWNER/NAME (as the first where there is no tenant).';
alter function rag_internal.qualified_names(text, rag_internal.principal, text) owner to rag_owner;
revoke all on function rag_internal.qualified_names(text, rag_internal.principal, text) from public;
