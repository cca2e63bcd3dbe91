-- What a search leaves unsaid, said by the collections it finds passages in, where they agree.
create or replace function rag_internal.search_defaults(scope rag_internal.scope) returns jsonb
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    return (
        select case when count(distinct k.search_defaults) = 1
                    then (array_agg(k.search_defaults))[1]
                    else '{}' end
        from rag_internal.collection k
        where k.collection_id = any (
            (select s.collection_ids from rag_internal.sight(scope) s)::bigint[]));
end
$$;

comment on function rag_internal.search_defaults(rag_internal.scope) is
    'search_defaults that all collections with a passage in scope have; empty where they differ.';
alter function rag_internal.search_defaults(rag_internal.scope) owner to rag_owner;
revoke all on function rag_internal.search_defaults(rag_internal.scope) from public;
