-- The title counts in every passage of its document.
create or replace function rag_internal.follow_title() returns trigger
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _collection rag_internal.collection;
begin
    select k.* into _collection from rag_internal.collection k
    where k.collection_id = new.collection_id;
    perform rag_internal.reindex_document(new, _collection);
    return null;
end
$$;

comment on function rag_internal.follow_title() is
    'Renews the lexemes of a document whose title changed.';
alter function rag_internal.follow_title() owner to rag_owner;
revoke all on function rag_internal.follow_title() from public;
