-- Parses folded text under a configuration given by name.
create or replace function rag_internal.parse_text(config text, folded text) returns tsvector
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select to_tsvector(config::regconfig, folded)
$$;

comment on function rag_internal.parse_text(text, text) is
    'to_tsvector under a configuration by name, qualified where it is not in pg_catalog; an '
    'unknown one is 42704.';
alter function rag_internal.parse_text(text, text) owner to rag_owner;
revoke all on function rag_internal.parse_text(text, text) from public;
grant execute on function rag_internal.parse_text(text, text) to rag_reader;
