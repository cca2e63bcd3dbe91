-- A step of a search that began at a moment and ends now.
create or replace function rag_internal.search_step(
    step     text,
    route    text,
    why      text,
    passages bigint,
    started  timestamptz
) returns rag.search_step
language plpgsql volatile parallel unsafe
set search_path = pg_catalog, pg_temp
as $$
begin
    return (
        select row(step, route, why, passages,
                   extract(epoch from clock_timestamp() - started) * 1000,
                   null, null, null, null, null, null)::rag.search_step);
end
$$;

comment on function rag_internal.search_step(text, text, text, bigint, timestamptz) is
    'The step with the milliseconds it took.';
alter function rag_internal.search_step(text, text, text, bigint, timestamptz) owner to rag_owner;
revoke all on function rag_internal.search_step(text, text, text, bigint, timestamptz) from public;
