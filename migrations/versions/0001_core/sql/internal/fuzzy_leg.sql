-- Passages whose words look like those of the query.
create or replace function rag_internal.fuzzy_leg(query text, scope rag_internal.scope, cut bigint)
returns setof rag_internal.leg_hit
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set jit = off
as $$
declare
    _most_words constant integer := 32;
    _acl_ids bigint[] := (scope).acl_ids;
    _collection_ids bigint[] := (scope).collection_ids;
    _filter jsonb := (scope).filter;
    _filter_path jsonpath := (scope).filter_path;
    _vars jsonb := (scope).vars;
    _words text[] := tsvector_to_array(rag_internal.surface_forms(query));
    _telling text[];
begin
    -- stop words are looked for only where there is nothing else
    _telling := array(
        select w from unnest(_words) w
        where exists (select from rag_internal.collection k
                      where k.collection_id = any (_collection_ids)
                        and rag.analyze(w, k.text_config) <> ''));
    if cardinality(_telling) > 0 then
        _words := _telling;
    end if;

    return query
    with meaning as materialized (
        select s.query_word, s.similarity, rag_internal.any_of(array[s.word]) as word
        from rag_internal.similar_words(_words[:_most_words], scope) s
    ), best as (
        select c.chunk_id, c.document_id, c.chunk_index, m.query_word,
               max(m.similarity) as similarity
        from meaning m
        join rag_internal.live_chunk c on c.surface @@ m.word
        where c.acl_id = any (_acl_ids)
          and c.collection_id = any (_collection_ids)
          and (_filter is null or c.attributes @> _filter)
          and (_filter_path is null
               -- in this order: a path can fail, or take long, on a row that is hidden
               or case when c.acl_id = any (_acl_ids) and c.collection_id = any (_collection_ids)
                       then coalesce(jsonb_path_match(c.attributes, _filter_path, _vars, true),
                                     false) end)
        group by c.chunk_id, c.document_id, c.chunk_index, m.query_word
    ), scored as (
        select b.chunk_id, b.document_id, b.chunk_index,
               sum(b.similarity order by b.query_word collate "C")
                   / (select count(distinct m.query_word) from meaning m) as score
        from best b
        group by b.chunk_id, b.document_id, b.chunk_index
    )
    select 'fuzzy',
           (row_number() over (order by s.score desc, s.document_id, s.chunk_index))::integer,
           s.score, s.chunk_id, s.document_id, s.chunk_index
    from scored s
    order by 2
    limit cut;
end
$$;

comment on function rag_internal.fuzzy_leg(text, rag_internal.scope, bigint) is
    'At most cut passages by likeness of words: the mean, over the query words that visible '
    'passages have a like of, of the best similarity in the passage (0 where it has none). Of a '
    'longer query the first 32 words in alphabetical order count.';
alter function rag_internal.fuzzy_leg(text, rag_internal.scope, bigint) owner to rag_owner;
revoke all on function rag_internal.fuzzy_leg(text, rag_internal.scope, bigint) from public;
