-- The words of visible passages that a query word can mean: itself where it occurs, else
-- those within typing distance. Every candidate is masked by visibility, so a hidden word is
-- neither seen nor in the way.
create or replace function rag_internal.similar_words(query_words text[], scope rag_internal.scope)
returns table (query_word text, word text, similarity double precision)
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set jit = off
set pg_trgm.similarity_threshold = 0.2
as $$
declare
    _acl_ids bigint[] := (scope).acl_ids;
    _collection_ids bigint[] := (scope).collection_ids;
    _configs text[] := array(select distinct k.text_config from rag_internal.collection k
                             where k.collection_id = any ((scope).collection_ids));
    _word text;
    _max_distance integer;
    _near text[];
begin
    foreach _word in array query_words loop
        if exists (select from rag_internal.live_chunk c
                   where c.surface @@ rag_internal.any_of(array[_word])
                     and c.acl_id = any (_acl_ids) and c.collection_id = any (_collection_ids)) then
            return query select _word, _word, 1.0::double precision;
            continue;
        end if;
        _max_distance := case when length(_word) < 3 or _word ~ '\d' then 0
                              when length(_word) <= 5 then 1 else 2 end;
        continue when _max_distance = 0;
        -- short words share too few trigrams with their misspellings
        _near := array(
            select w.word from rag_internal.word w
            where w.word operator(@extschema:pg_trgm@.%) _word
              and length(w.word) between length(_word) - _max_distance
                                     and length(_word) + _max_distance
            union
            select w.word from rag_internal.word w
            where _max_distance = 1
              and length(w.word) between length(_word) - 1 and length(_word) + 1);
        return query
            select _word, n.candidate,
                   1 - n.distance::double precision / greatest(length(_word), length(n.candidate))
            from rag_internal.closest_words(_word, _near, _max_distance) n
            where n.candidate !~ '\d'
              -- a misspelling does not mean a stop word
              and exists (select from unnest(_configs) k where rag.analyze(n.candidate, k) <> '')
              and exists (select from rag_internal.live_chunk c
                          where c.surface @@ rag_internal.any_of(array[n.candidate])
                            and c.acl_id = any (_acl_ids)
                            and c.collection_id = any (_collection_ids));
    end loop;
end
$$;

comment on function rag_internal.similar_words(text[], rag_internal.scope) is
    'For each query word the visible words it may stand for; similarity 1 for itself, else 1 - '
    'distance / length of the longer. Distance: at most 2, 1 for words of 3 to 5 letters, 0 for '
    'shorter ones and for words with a digit.';
alter function rag_internal.similar_words(text[], rag_internal.scope) owner to rag_owner;
revoke all on function rag_internal.similar_words(text[], rag_internal.scope) from public;
