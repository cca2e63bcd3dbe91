-- Refuses a query that is not worth its cost.
create or replace function rag_internal.check_query(query text) returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    perform rag_internal.require_visible_text('query', query);
    if octet_length(query) > 500000 then
        raise exception using
            errcode = '22023',
            message = format('query has %s bytes, more than 500,000', octet_length(query)),
            hint    = 'Ask with the sentences that matter.';
    -- a shorter one cannot have so many
    elsif octet_length(query) > 2000 and length(rag_internal.surface_forms(query)) > 1000 then
        raise exception using
            errcode = '22023',
            message = format('query has %s distinct words, more than 1,000',
                             length(rag_internal.surface_forms(query))),
            hint    = 'Ask with the sentences that matter.';
    end if;
end
$$;

comment on function rag_internal.check_query(text) is
    '22023 for a query without visible characters, of more than 500,000 bytes or of more than '
    '1,000 distinct words.';
alter function rag_internal.check_query(text) owner to rag_owner;
revoke all on function rag_internal.check_query(text) from public;
