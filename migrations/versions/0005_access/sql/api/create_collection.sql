-- Makes a collection with settings of its own; rag.ingest makes one with the built-in settings.
create or replace function rag.create_collection(
    name            text,
    description     text    default null,
    readers         text[]  default '{}',
    strategy        text    default 'word',
    chunk_size      integer default null,
    overlap         integer default null,
    min_chunk_size  integer default null,
    model           text    default null,
    text_config     text    default 'english',
    search_defaults jsonb   default '{}',
    min_value       real    default null,
    title_weight    integer default null,
    heading_weight  integer default null,
    security_level  integer default null,
    tenant          text    default null
) returns rag.collection_info
language sql volatile parallel unsafe
begin atomic
    select rag_internal.make_collection(
        c.who, c.ticket, create_collection.name, create_collection.description,
        create_collection.readers, create_collection.strategy, create_collection.chunk_size,
        create_collection.overlap, create_collection.min_chunk_size, create_collection.model,
        create_collection.text_config, create_collection.search_defaults,
        create_collection.min_value, create_collection.title_weight,
        create_collection.heading_weight, create_collection.security_level,
        create_collection.tenant)
    from rag_internal.caller c;
end;

comment on function rag.create_collection(text, text, text[], text, integer, integer, integer, text,
    text, jsonb, real, integer, integer, integer, text) is
    'Makes a collection that the caller owns and reads; readers are the further default readers '
    'of its documents. strategy and sizes as in rag.chunk_text, null the strategy''s own. '
    'Passages whose value is below min_value are stored, but get no vector. model null: the '
    'default model; none: no vectors. title_weight (null: 2), heading_weight (null: 1): how often '
    'the title and the heading path count in each passage for BM25, 0 to 10. security_level (null: '
    '0): the clearance that readers need. tenant: only rag_admin may name another than its own. '
    '42710 where the caller owns one of that name, 22023 for a bad setting.';
alter function rag.create_collection(text, text, text[], text, integer, integer, integer, text,
    text, jsonb, real, integer, integer, integer, text) owner to rag_owner;
revoke all on function rag.create_collection(text, text, text[], text, integer, integer, integer,
    text, text, jsonb, real, integer, integer, integer, text) from public;
grant execute on function rag.create_collection(text, text, text[], text, integer, integer, integer,
    text, text, jsonb, real, integer, integer, integer, text) to rag_writer;
