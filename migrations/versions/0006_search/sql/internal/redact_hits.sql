-- The last step of a search: what rules of their collections hide from this reader is taken out of
-- the hits.
create or replace function rag_internal.redact_hits(
    identity       rag_internal.identity,
    hits           rag.hit[],
    collection_ids bigint[] default null
) returns rag.hit[]
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
declare
    _redacted bigint[];
    _rules rag_internal.redaction_rule[];
    _hit rag.hit;
    _found record;
    _redaction rag_internal.redaction;
    _place integer;
    _shown rag.hit[] := '{}';
    _result rag.hit[] := '{}';
begin
    if (identity).sees_everything then
        return hits;
    end if;
    _redacted := rag_internal.redacted_collections(identity);
    if _redacted <> '{}' and exists (select from unnest(hits) h
                                     where h.corrected_query is not null)
       -- a word of any collection that was searched
       and exists (select from rag_internal.visible_collections(identity, null) k
                   where k.collection_id = any (_redacted)
                     and (redact_hits.collection_ids is null
                          or k.collection_id = any (redact_hits.collection_ids))) then
        for _place in 1 .. cardinality(hits) loop
            hits[_place].corrected_query := null;
        end loop;
    end if;
    if not exists (select from unnest(hits) h
                   left join rag_internal.document d using (document_id)
                   where d.document_id is null or d.collection_id = any (_redacted)) then
        return hits;
    end if;

    _rules := rag_internal.redaction_rules(_redacted);
    -- each document once; one that has gone meanwhile, maybe with its rules, has no hits any more
    for _found in
        select d as document, h.places
        from (select u.document_id, array_agg(u.ordinality::integer) as places
              from unnest(hits) with ordinality u
              group by u.document_id) h
        join rag_internal.document d using (document_id)
    loop
        if (_found.document).collection_id <> all (_redacted) then
            foreach _place in array _found.places loop
                _shown[_place] := hits[_place];
            end loop;
            continue;
        end if;
        _redaction := rag_internal.redaction_of(_found.document, _rules);
        foreach _place in array _found.places loop
            _hit := hits[_place];
            -- of a text that has changed meanwhile, nobody knows what to take out
            if _hit.content = substr((_found.document).content, _hit.start_offset + 1,
                                     _hit.end_offset - _hit.start_offset)
               and (_hit.expanded is null
                    or _hit.expanded = substr((_found.document).content, _hit.expanded_start + 1,
                                              _hit.expanded_end - _hit.expanded_start)) then
                _shown[_place] := rag_internal.redact_hit(_hit, _redaction,
                                                          (_found.document).content_hash);
            end if;
        end loop;
    end loop;

    foreach _hit in array _shown loop
        if not (_hit is null) then
            _result := array_append(_result, _hit);
        end if;
    end loop;
    return _result;
end
$$;

comment on function rag_internal.redact_hits(rag_internal.identity, rag.hit[], bigint[]) is
    'The hits as the identity may see them, in their order; collection_ids are those that were '
    'searched (null: all that it sees).';
alter function rag_internal.redact_hits(rag_internal.identity, rag.hit[],
    bigint[]) owner to rag_owner;
revoke all on function rag_internal.redact_hits(rag_internal.identity, rag.hit[],
    bigint[]) from public;
