-- The collection to write documents to, locked for share; made with the
-- built-in defaults when missing.
create or replace function rag_internal.collection_for_ingest(
    identity rag_internal.identity,
    name     text
) returns rag_internal.collection
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _collection rag_internal.collection;
    _owner_id bigint;
begin
    perform rag_internal.require_visible_text('collection', collection_for_ingest.name);
    perform rag_internal.check_sources(identity, array[collection_for_ingest.name], 'ingest');
    begin
        _collection := rag_internal.own_collection(identity, collection_for_ingest.name, false,
                                                   or_write => true);
        perform rag_internal.check_sources(identity, array[_collection.name], 'ingest',
                                           is_real => true);
        return _collection;
    exception when no_data_found then
        if collection_for_ingest.name ~ '(^|/)(role|user|group):.*/' then
            raise;  -- OWNER/NAME: nothing that could be made
        end if;
    end;
    _owner_id := rag_internal.owner_for(identity);
    begin
        perform rag_internal.create_collection(identity, collection_for_ingest.name, null, null,
                                               null, null, null, null, null, 'english', '{}', null,
                                               null, null);
    exception when duplicate_object then
        null;  -- made in another session since
    end;
    -- its owner may be a principal only now
    identity.principal_ids := identity.principal_ids || _owner_id;
    return rag_internal.own_collection(identity, collection_for_ingest.name, false,
                                       or_write => true);
end
$$;

comment on function rag_internal.collection_for_ingest(rag_internal.identity, text) is
    'The locked row of the collection, created where it is missing; 42501 where it is another''s, '
    'or not a source that the tenant may ingest into.';
alter function rag_internal.collection_for_ingest(rag_internal.identity, text) owner to rag_owner;
revoke all on function rag_internal.collection_for_ingest(rag_internal.identity, text) from public;
