-- Makes a collection and describes it.
create or replace function rag_internal.make_collection(
    who             name,
    ticket          bytea,
    name            text,
    description     text,
    readers         text[],
    strategy        text,
    chunk_size      integer,
    overlap         integer,
    min_chunk_size  integer,
    model           text,
    text_config     text,
    search_defaults jsonb,
    min_value       real,
    title_weight    integer,
    heading_weight  integer,
    security_level  integer,
    tenant          text
) returns rag.collection_info
language plpgsql volatile parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _identity rag_internal.identity := rag_internal.authenticate(who, ticket);
    _info rag.collection_info;
begin
    perform rag_internal.create_collection(
        _identity, make_collection.name, make_collection.description, make_collection.readers,
        make_collection.strategy, make_collection.chunk_size, make_collection.overlap,
        make_collection.min_chunk_size, make_collection.model,
        coalesce(make_collection.text_config, 'english'),
        coalesce(make_collection.search_defaults, '{}'), make_collection.min_value,
        make_collection.title_weight, make_collection.heading_weight,
        make_collection.security_level, make_collection.tenant);
    _identity := rag_internal.authenticate(who, ticket);  -- its owner may be a principal only now
    select i.* into _info
    from rag_internal.collection_info(_identity, array[
        format('%s%s/%s', nullif(coalesce(make_collection.tenant, _identity.tenant), '') || '/',
               _identity.reader, make_collection.name)]) i;
    return _info;
end
$$;

comment on function rag_internal.make_collection(name, bytea, text, text, text[], text, integer,
    integer, integer, text, text, jsonb, real, integer, integer, integer, text) is
    'See rag.create_collection.';
alter function rag_internal.make_collection(name, bytea, text, text, text[], text, integer, integer,
    integer, text, text, jsonb, real, integer, integer, integer, text) owner to rag_owner;
revoke all on function rag_internal.make_collection(name, bytea, text, text, text[], text, integer,
    integer, integer, text, text, jsonb, real, integer, integer, integer, text) from public;
grant execute on function rag_internal.make_collection(name, bytea, text, text, text[], text,
    integer, integer, integer, text, text, jsonb, real, integer, integer, integer,
    text) to rag_writer;
