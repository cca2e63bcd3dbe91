-- Tells a caller how much a passage is worth.
create or replace function rag_internal.predict_chunk_value(
    who     name,
    ticket  bytea,
    content text,
    heading text[],
    kind    text
) returns real
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
begin
    perform rag_internal.authenticate(who, ticket);
    perform rag_internal.require_visible_text('content', predict_chunk_value.content);
    return rag_internal.passage_value(predict_chunk_value.content,
                                      coalesce(predict_chunk_value.heading, '{}'),
                                      coalesce(predict_chunk_value.kind, 'prose'));
end
$$;

comment on function rag_internal.predict_chunk_value(name, bytea, text, text[], text) is
    'See rag.predict_chunk_value.';
alter function rag_internal.predict_chunk_value(name, bytea, text, text[], text) owner to rag_owner;
revoke all on function rag_internal.predict_chunk_value(name, bytea, text, text[],
    text) from public;
grant execute on function rag_internal.predict_chunk_value(name, bytea, text, text[],
    text) to rag_reader;
