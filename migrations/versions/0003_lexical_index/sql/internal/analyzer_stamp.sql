-- What lexemes are made with: another version, or other stemmers, make others.
create or replace function rag_internal.analyzer_stamp(text_config text) returns text
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select rag_internal.analyzer_version() || ':' || rag_internal.analyzer_fingerprint(text_config)
$$;

comment on function rag_internal.analyzer_stamp(text) is
    'Version and fingerprint of the analyzer under a configuration.';
alter function rag_internal.analyzer_stamp(text) owner to rag_owner;
revoke all on function rag_internal.analyzer_stamp(text) from public;
