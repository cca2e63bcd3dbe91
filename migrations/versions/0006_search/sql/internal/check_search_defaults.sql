-- Refuses defaults that a search could not use.
create or replace function rag_internal.check_search_defaults(search_defaults jsonb) returns void
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _known constant text[] := array[
        'bm25_lead', 'cache', 'candidates', 'close_similarity', 'collapse', 'correct_typos',
        'expand', 'fusion', 'gate', 'highlight', 'max_distance', 'max_per_document',
        'min_relevance', 'min_score', 'mmr_lambda', 'rerank', 'rerank_candidates',
        'rerank_optional', 'rrf_k', 'strategy', 'weights'];
    _unknown text;
begin
    if jsonb_typeof(search_defaults) <> 'object' then
        raise exception using errcode = '22023', message = 'search_defaults is not a JSON object';
    end if;
    select left(k, 100) into _unknown
    from jsonb_object_keys(search_defaults) k
    where k <> all (_known)
    limit 1;
    if found then
        raise exception using
            errcode = '22023',
            message = format('search_defaults has an unknown key: %s', _unknown),
            hint    = format('Known keys: %s.', array_to_string(_known, ', '));
    elsif search_defaults ?| '{min_relevance, gate}'
          and coalesce(search_defaults ->> 'rerank', 'none') = 'none' then
        raise exception using
            errcode = '22023',
            message = 'min_relevance and gate judge by rerank_score, and rerank is not set';
    end if;
    perform rag_internal.check_search_options(search_defaults);
    perform rag_internal.strategy_named(coalesce(search_defaults ->> 'strategy', 'hybrid'));
    perform rag_internal.hybrid_weights(
        search_defaults -> 'weights', search_defaults ->> 'fusion',
        coalesce((search_defaults ->> 'rrf_k')::integer, 60));
end
$$;

comment on function rag_internal.check_search_defaults(jsonb) is
    'Checks rag_internal.collection.search_defaults: arguments as rag.search takes them, and '
    'bm25_lead (of the best score over the second, from which on the semantic leg is skipped) and '
    'close_similarity (from which on nothing is reranked); 22023 for anything else.';
alter function rag_internal.check_search_defaults(jsonb) owner to rag_owner;
revoke all on function rag_internal.check_search_defaults(jsonb) from public;
