-- The collection to write documents to, locked for share; made with the
-- built-in defaults when missing.
create or replace function rag_internal.collection_for_ingest(
    identity rag_internal.identity,
    name     text
) returns rag_internal.collection
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    perform rag_internal.require_visible_text('collection', collection_for_ingest.name);
    begin
        return rag_internal.own_collection(identity, collection_for_ingest.name, false);
    exception when no_data_found then
        null;  -- below
    end;
    begin
        perform rag_internal.create_collection(identity, collection_for_ingest.name, null, null,
                                               null, null, null, null, null, 'english', '{}', null,
                                               null, null);
        -- its owner may be a principal only now
        identity.principal_ids := identity.principal_ids
                               || rag_internal.principal_for('role:' || (identity).who);
    exception when duplicate_object then
        null;  -- made by somebody since: if it is hidden, the next line says so
    end;
    return rag_internal.own_collection(identity, collection_for_ingest.name, false);
exception when no_data_found then
    raise exception using
        errcode = '42710',
        message = format('the collection name "%s" is taken', collection_for_ingest.name),
        hint    = 'Choose another name, or ask its owner for access.';
end
$$;

comment on function rag_internal.collection_for_ingest(rag_internal.identity, text) is
    'The locked row of the collection, created where it is missing; 42501 or 42710 where it is '
    'another''s.';
alter function rag_internal.collection_for_ingest(rag_internal.identity, text) owner to rag_owner;
revoke all on function rag_internal.collection_for_ingest(rag_internal.identity, text) from public;
