-- Changes settings of a collection.
create or replace function rag.alter_collection(
    name            text,
    description     text    default null,
    strategy        text    default null,
    chunk_size      integer default null,
    overlap         integer default null,
    min_chunk_size  integer default null,
    model           text    default null,
    text_config     text    default null,
    search_defaults jsonb   default null,
    min_value       real    default null,
    title_weight    integer default null,
    heading_weight  integer default null
) returns rag.collection_info
language sql volatile parallel unsafe
begin atomic
    select rag_internal.alter_collection(
        c.who, c.ticket, alter_collection.name, alter_collection.description,
        alter_collection.strategy, alter_collection.chunk_size, alter_collection.overlap,
        alter_collection.min_chunk_size, alter_collection.model, alter_collection.text_config,
        alter_collection.search_defaults, alter_collection.min_value,
        alter_collection.title_weight, alter_collection.heading_weight)
    from rag_internal.caller c;
end;

comment on function rag.alter_collection(text, text, text, integer, integer, integer, text, text,
    jsonb, real, integer, integer) is
    'Changes what is given; null leaves as it is. Another strategy starts from its own sizes. '
    'Chunking (min_value too; 0 embeds everything) applies to what is ingested from now on (the '
    'next ingest of an unchanged text splits it anew); a text configuration and the weights of '
    'title and headings apply at once. The model of a collection with documents is 55000.';
alter function rag.alter_collection(text, text, text, integer, integer, integer, text, text, jsonb,
    real, integer, integer) owner to rag_owner;
revoke all on function rag.alter_collection(text, text, text, integer, integer, integer, text, text,
    jsonb, real, integer, integer) from public;
grant execute on function rag.alter_collection(text, text, text, integer, integer, integer, text,
    text, jsonb, real, integer, integer) to rag_writer;
