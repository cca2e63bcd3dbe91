-- Refuses a question or a page that no search could answer.
create or replace function rag_internal.check_search(
    query        text,
    query_vector @extschema:vector@.vector,
    strategy     text,
    top_k        integer,
    skip         integer
) returns void
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    -- a vector can stand for the words where only meaning is asked for
    if query_vector is null or check_search.strategy is distinct from 'semantic'
       or not rag_internal.is_blank(check_search.query) then
        perform rag_internal.check_query(check_search.query);
    end if;
    if coalesce(top_k, 0) < 1 then
        raise exception using
            errcode = '22023',
            message = format('top_k is %s, but must be 1 or more', coalesce(top_k::text, 'null')),
            hint    = 'It has no upper limit.';
    elsif coalesce(skip, -1) < 0 then
        raise exception using
            errcode = '22023',
            message = format('skip is %s, but must be 0 or more', coalesce(skip::text, 'null')),
            hint    = 'The second page of 10 is top_k => 10, skip => 10.';
    end if;
end
$$;

comment on function rag_internal.check_search(text, @extschema:vector@.vector, text, integer,
    integer) is '22023 for a blank or overlong query, and for top_k or skip out of range.';
alter function rag_internal.check_search(text, @extschema:vector@.vector, text, integer,
    integer) owner to rag_owner;
revoke all on function rag_internal.check_search(text, @extschema:vector@.vector, text, integer,
    integer) from public;
