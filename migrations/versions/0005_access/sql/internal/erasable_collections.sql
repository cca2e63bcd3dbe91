-- Collections that an identity may erase from: its own ones.
create or replace function rag_internal.erasable_collections(
    identity    rag_internal.identity,
    collections text[]
) returns bigint[]
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    if collections is null then
        return array(select k.collection_id from rag_internal.collection k
                     where rag_internal.owns_collection(identity, k));
    end if;
    if collections = '{}' then
        raise exception using
            errcode = '22023',
            message = 'collections is empty',
            hint    = 'Name some, or leave it out: null is all that you own.';
    end if;
    return array(select (rag_internal.own_collection(identity, c.name, null)).collection_id
                 from unnest(collections) c (name));
end
$$;

comment on function rag_internal.erasable_collections(rag_internal.identity, text[]) is
    'null: all that it owns; P0002 and 42501 for names of others.';
alter function rag_internal.erasable_collections(rag_internal.identity, text[]) owner to rag_owner;
revoke all on function rag_internal.erasable_collections(rag_internal.identity, text[]) from public;
