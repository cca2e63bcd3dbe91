-- Leaves out of a ranking what a caller does not want to see twice: equal texts, and more than so
-- many passages of a document.
create or replace function rag_internal.choose_candidates(
    ranking rag_internal.leg_hit[],
    request rag_internal.search_request
) returns rag_internal.leg_hit[]
language plpgsql stable parallel restricted
set search_path = pg_catalog, pg_temp
as $$
begin
    if not (request).collapse and (request).max_per_document is null then
        return ranking;
    end if;
    return array(
        select row(s.leg, row_number() over (order by s.rank), s.score, s.document_id,
                   s.chunk_index, s.corrected_query)::rag_internal.leg_hit
        from (select t.*,
                     row_number() over (partition by t.document_id order by t.rank) as of_document
              from (select r.*,
                           row_number() over (partition by c.text_hash order by r.rank) as of_text
                    from unnest(ranking) r
                    join lateral (
                        select case when (request).collapse
                                    then md5(btrim(regexp_replace(
                                             lower(c.content), '[^[:alnum:]]+', ' ', 'g')))
                                    else c.chunk_id::text end as text_hash
                        from rag_internal.chunk c
                        where c.document_id = r.document_id and c.chunk_index = r.chunk_index
                    ) c on true) t
              where t.of_text = 1) s
        where coalesce(s.of_document <= (request).max_per_document, true)
        order by s.rank);
end
$$;

comment on function rag_internal.choose_candidates(rag_internal.leg_hit[],
    rag_internal.search_request) is
    'The ranking, each text once (case, white space and punctuation do not count) where collapse '
    'says so, and at most max_per_document passages of a document; ranks anew.';
alter function rag_internal.choose_candidates(rag_internal.leg_hit[], rag_internal.search_request)
    owner to rag_owner;
revoke all on function rag_internal.choose_candidates(rag_internal.leg_hit[],
    rag_internal.search_request) from public;
