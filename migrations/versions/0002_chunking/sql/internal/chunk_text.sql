-- Splits a text for a caller, as an ingest would.
create or replace function rag_internal.chunk_text(
    who            name,
    ticket         bytea,
    content        text,
    strategy       text,
    chunk_size     integer,
    overlap        integer,
    min_chunk_size integer,
    model          text,
    source         text,
    language       text,
    mime           text
) returns setof rag.text_chunk
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _model rag_internal.model;
begin
    perform rag_internal.authenticate(who, ticket);
    perform rag_internal.require_visible_text('content', chunk_text.content);
    if chunk_text.model is distinct from 'none'
       and (chunk_text.model is not null
            or exists (select from rag_internal.model m where m.is_default)) then
        _model := rag_internal.find_model(chunk_text.model);
    end if;
    return query
        select p.*
        from rag_internal.split_text(chunk_text.content, coalesce(chunk_text.strategy, 'word'),
                                     chunk_text.chunk_size, chunk_text.overlap,
                                     chunk_text.min_chunk_size, _model, chunk_text.source,
                                     chunk_text.language, chunk_text.mime) p;
end
$$;

comment on function rag_internal.chunk_text(name, bytea, text, text, integer, integer, integer,
    text, text, text, text) is
    'See rag.chunk_text.';
alter function rag_internal.chunk_text(name, bytea, text, text, integer, integer, integer, text,
    text, text, text) owner to rag_owner;
revoke all on function rag_internal.chunk_text(name, bytea, text, text, integer, integer, integer,
    text, text, text, text) from public;
grant execute on function rag_internal.chunk_text(name, bytea, text, text, integer, integer,
    integer, text, text, text, text) to rag_reader;
