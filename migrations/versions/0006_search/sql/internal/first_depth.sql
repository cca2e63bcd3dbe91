-- How deep the legs of a search look at first.
create or replace function rag_internal.first_depth(
    request rag_internal.search_request,
    places  bigint
) returns bigint
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    return (
        select case when (request).strategy in ('bm25', 'fuzzy') and (request).rerank is null
                         and (request).mmr_lambda is null
                    then first_depth.places
                    else rag_internal.leg_depth(
                        greatest(first_depth.places, (request).candidates)) end);
end
$$;

comment on function rag_internal.first_depth(rag_internal.search_request, bigint) is
    'Of a lexical leg alone: just what is asked for. Else a tier of rag_internal.leg_depth that '
    'holds the places and candidates.';
alter function rag_internal.first_depth(rag_internal.search_request, bigint) owner to rag_owner;
revoke all on function rag_internal.first_depth(rag_internal.search_request, bigint) from public;
