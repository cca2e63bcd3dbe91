-- What a search leaves unsaid, said by the collections it looks in, where they agree.
create or replace function rag_internal.search_defaults(collection_ids bigint[]) returns jsonb
language sql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
    select case when count(distinct k.search_defaults) = 1
                then (array_agg(k.search_defaults))[1]
                else '{}' end
    from rag_internal.collection k
    where k.collection_id = any (search_defaults.collection_ids)
$$;

comment on function rag_internal.search_defaults(bigint[]) is
    'search_defaults that all of the collections have; empty where they differ.';
alter function rag_internal.search_defaults(bigint[]) owner to rag_owner;
revoke all on function rag_internal.search_defaults(bigint[]) from public;
