-- How many passages a search could return, page after page.
create or replace function rag.count_matches(
    query            text,
    collections      text[]                    default null,
    strategy         text                      default 'bm25',
    filter           jsonb                     default null,
    filter_path      jsonpath                  default null,
    vars             jsonb                     default null,
    min_score        double precision          default null,
    min_updated_at   timestamptz               default null,
    max_updated_at   timestamptz               default null,
    as_of            timestamptz               default null,
    include_archived boolean                   default null,
    query_vector     @extschema:vector@.vector default null,
    token            text                      default null
) returns bigint
language sql stable parallel unsafe
begin atomic
    select rag_internal.count_matches(
               c.who, c.ticket, count_matches.token,
               rag_internal.search_request(
                   query => count_matches.query, collections => count_matches.collections,
                   strategy => count_matches.strategy, filter => count_matches.filter,
                   filter_path => count_matches.filter_path, vars => count_matches.vars,
                   min_score => count_matches.min_score,
                   min_updated_at => count_matches.min_updated_at,
                   max_updated_at => count_matches.max_updated_at, as_of => count_matches.as_of,
                   include_archived => count_matches.include_archived,
                   query_vector => count_matches.query_vector))
    from rag_internal.caller c;
end;

comment on function rag.count_matches(text, text[], text, jsonb, jsonpath, jsonb, double precision,
    timestamptz, timestamptz, timestamptz, boolean, @extschema:vector@.vector, text) is
    'Passages that rag.search with these arguments finds, whatever the page: bm25, those with a '
    'word of the query; fuzzy, those with a word like one; semantic, all with a vector, so give '
    'min_score; hybrid, those that any leg finds. Counted over what the caller can see. Arguments '
    'as in rag.search.';
alter function rag.count_matches(text, text[], text, jsonb, jsonpath, jsonb, double precision,
    timestamptz, timestamptz, timestamptz, boolean, @extschema:vector@.vector, text) owner to
    rag_owner;
revoke all on function rag.count_matches(text, text[], text, jsonb, jsonpath, jsonb, double
    precision, timestamptz, timestamptz, timestamptz, boolean, @extschema:vector@.vector, text) from
    public;
grant execute on function rag.count_matches(text, text[], text, jsonb, jsonpath, jsonb, double
    precision, timestamptz, timestamptz, timestamptz, boolean, @extschema:vector@.vector, text) to
    rag_reader;
