-- Refuses weights that an index has no room for.
create or replace function rag_internal.check_text_weights(
    title_weight   integer,
    heading_weight integer
) returns void
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    if not coalesce(title_weight, 0) between 0 and 10
       or not coalesce(heading_weight, 0) between 0 and 10 then
        raise exception using
            errcode = '22023',
            message = format('title_weight is %s and heading_weight %s, but both must be 0 to 10',
                             coalesce(title_weight::text, 'null'),
                             coalesce(heading_weight::text, 'null')),
            hint    = 'It is how often a title or heading counts in each passage; 0: not at all.';
    end if;
end
$$;

comment on function rag_internal.check_text_weights(integer, integer) is
    '22023 outside 0 to 10; null is allowed.';
alter function rag_internal.check_text_weights(integer, integer) owner to rag_owner;
revoke all on function rag_internal.check_text_weights(integer, integer) from public;
