-- How deep each leg looks for a page that ends at a place: in steps, so that neighbouring pages
-- agree.
create or replace function rag_internal.leg_depth(places bigint) returns bigint
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    return (
        select min(d) from unnest(array[100, 1000, 10000, 100000, 1000000, 9223372036854775807]) d
        where d >= places);
end
$$;

comment on function rag_internal.leg_depth(bigint) is
    'The least of 100, 1,000, 10,000, 100,000, 1,000,000 and everything that holds so many places.';
alter function rag_internal.leg_depth(bigint) owner to rag_owner;
revoke all on function rag_internal.leg_depth(bigint) from public;
