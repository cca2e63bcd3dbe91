-- Words of the dictionary that may be near a misspelt one. Who may know which of them is asked of
-- the postings, before any of them counts.
create or replace function rag_internal.near_words(
    misspelt     text,
    variants     text[],
    max_distance integer,
    fresh        text[]
) returns text[]
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
set jit = off
set pg_trgm.similarity_threshold = 0.2
as $$
begin
    if variants is not null then
        -- short words share too few trigrams with their misspellings
        return array(select w.word from rag_internal.word w
                     where w.word = any (variants)
                     union
                     select f from unnest(fresh) f where f = any (variants));
    end if;
    if misspelt ~ '[^\x01-\x7f]' and @extschema:pg_trgm@.show_trgm(U&'\0434') = '{}' then
        -- the locale of the database knows no letters but those of ASCII: others make no trigrams
        return array(
            select w.word
            from rag_internal.word w
            where length(w.word) between length(misspelt) - max_distance
                                     and length(misspelt) + max_distance
              and w.word ~ '[^\x01-\x7f]'
            union
            select f from unnest(fresh) f where f ~ '[^\x01-\x7f]');
    end if;
    return array(
        select w.word
        from rag_internal.word w
        where w.word operator(@extschema:pg_trgm@.%) misspelt
          and length(w.word) between length(misspelt) - max_distance
                                 and length(misspelt) + max_distance
        union
        select f from unnest(fresh) f where f operator(@extschema:pg_trgm@.%) misspelt);
end
$$;

comment on function rag_internal.near_words(text, text[], integer, text[]) is
    'Those of the variants that are words, where variants are given; else words that share '
    'trigrams with misspelt (similarity 0.2) and differ by at most max_distance in length. Where '
    'the locale makes no trigrams of a word, those that differ so in length. fresh: words that '
    'the dictionary has not got yet, at most max_distance edits away; the same holds for them.';
alter function rag_internal.near_words(text, text[], integer, text[]) owner to rag_owner;
revoke all on function rag_internal.near_words(text, text[], integer, text[]) from public;
