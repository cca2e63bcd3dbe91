-- Says why a passage has its BM25 score.
create or replace function rag_internal.explain_bm25(
    who         name,
    ticket      bytea,
    query       text,
    document_id uuid,
    chunk_index integer,
    collections text[],
    token       text
) returns setof rag.bm25_term
language plpgsql stable parallel unsafe security definer
set search_path = pg_catalog, pg_temp
set client_min_messages = warning
set standard_conforming_strings = on
set gin_fuzzy_search_limit = 0
set row_security = on
as $$
declare
    _scope rag_internal.scope := rag_internal.lexical_scope(
        rag_internal.authenticate(who, ticket, token), collections);
begin
    perform rag_internal.check_query(explain_bm25.query);
    if explain_bm25.document_id is null or explain_bm25.chunk_index is null then
        raise exception using
            errcode = '22023',
            message = 'document_id or chunk_index is null',
            hint    = 'Give those of a hit of rag.bm25_search.';
    end if;
    return query
        select t.*
        from rag_internal.bm25_terms(explain_bm25.query, _scope, explain_bm25.document_id,
                                     explain_bm25.chunk_index) t;
end
$$;

comment on function rag_internal.explain_bm25(name, bytea, text, uuid, integer, text[], text) is
    'See rag.explain_bm25.';
alter function rag_internal.explain_bm25(name, bytea, text, uuid, integer, text[],
    text) owner to rag_owner;
revoke all on function rag_internal.explain_bm25(name, bytea, text, uuid, integer, text[],
    text) from public;
grant execute on function rag_internal.explain_bm25(name, bytea, text, uuid, integer, text[],
    text) to rag_reader;
