-- The one analyzer: what documents are indexed by and queries are asked in.
create or replace function rag.analyze(content text, config text default 'english') returns tsvector
language sql stable parallel safe
begin atomic
    select rag_internal.analyze_folded(rag_internal.canonical_text_config(config),
                                       rag_internal.fold_text(content), true);
end;

comment on function rag.analyze(text, text) is
    'The lexemes of a text under a text search configuration: words at their places, then '
    'identifiers and compounds as wholes. Case, accents and compatibility forms are folded. An '
    'unknown configuration is 42704.';
alter function rag.analyze(text, text) owner to rag_owner;
revoke all on function rag.analyze(text, text) from public;
grant execute on function rag.analyze(text, text) to rag_reader;
