-- Documents with a text that matches, among those that an identity can read: no pattern is tried on
-- others, whose texts could make it fail or take long.
create or replace function rag_internal.matching_documents(
    identity       rag_internal.identity,
    collection_ids bigint[],
    pattern        text,
    kind           text,
    among          uuid[] default null
) returns setof uuid
language plpgsql stable parallel unsafe
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_variable
begin
    return query
        select d.document_id
        from (select d.*
              from rag_internal.document d
              where d.collection_id = any (collection_ids)
                and (among is null or d.document_id = any (among))
                and d.acl_id in (select rag_internal.visible_acls(identity))
              offset 0) d
        where rag_internal.matches_pattern(d.content, pattern, kind)
           or rag_internal.matches_pattern(d.title, pattern, kind)
           or rag_internal.matches_pattern(d.source, pattern, kind)
           or rag_internal.matches_pattern(d.version, pattern, kind)
           or (d.tags <> '{}' and rag_internal.any_matches(d.tags, pattern, kind))
           or (d.metadata <> '{}'
               and rag_internal.any_matches(rag_internal.json_texts(d.metadata), pattern, kind))
           -- what rag.ingest_chunks was given besides the content
           or exists (
               select from rag_internal.chunk c
               where c.document_id = d.document_id
                 and (rag_internal.matches_pattern(c.embed_text, pattern, kind)
                      or (c.heading <> '{}'
                          and rag_internal.any_matches(c.heading, pattern, kind))
                      or (c.metadata <> '{}'
                          and rag_internal.any_matches(rag_internal.json_texts(c.metadata),
                                                       pattern, kind))));
end
$$;

comment on function rag_internal.matching_documents(rag_internal.identity, bigint[], text, text,
    uuid[]) is
    'Documents in these collections (among null: any of them) whose content, title, source, '
    'version, tags or metadata match, or a heading, metadata or embed_text of their passages.';
alter function rag_internal.matching_documents(rag_internal.identity, bigint[], text, text,
    uuid[]) owner to rag_owner;
revoke all on function rag_internal.matching_documents(rag_internal.identity, bigint[], text, text,
    uuid[]) from public;
