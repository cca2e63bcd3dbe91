-- Keeps an answer for a while.
create or replace function rag_internal.keep_answer(result rag_internal.retrieval) returns void
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _request rag_internal.search_request := (result).request;
begin
    if current_setting('transaction_read_only') = 'on' then
        return;
    end if;
    perform rag_internal.forget_answers(100);
    insert into rag_internal.cached_answer
        (key, question_hash, question_terms, query_vector, collection_ids, status, ranking,
         leg_hits, expires_at)
    values ((result).answer_key, rag_internal.keyed_hash(convert_to(_request.query, 'UTF8')),
            case when _request.cache ? 'similarity'
                 then rag_internal.question_terms(_request.query) end,
            case when _request.cache ? 'similarity'
                 then rag_internal.question_vector(_request, (result).scope) end,
            (select s.collection_ids from rag_internal.sight((result).scope) s), (result).status,
            (result).ranking, (result).leg_hits,
            clock_timestamp() + make_interval(secs => (_request.cache ->> 'ttl')::float8));
end
$$;

comment on function rag_internal.keep_answer(rag_internal.retrieval) is
    'Keeps which passages answered the question, for the ttl of the cache. A transaction that can '
    'only read keeps nothing.';
alter function rag_internal.keep_answer(rag_internal.retrieval) owner to rag_owner;
revoke all on function rag_internal.keep_answer(rag_internal.retrieval) from public;
