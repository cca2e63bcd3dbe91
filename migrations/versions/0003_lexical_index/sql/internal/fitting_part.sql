-- As much of the beginning of a folded text as surely fits a tsvector, which ends at 1 MB; a title
-- and headings find place beside it. Up to 100,000 bytes fit: no script and no kind of identifier
-- makes more than eight bytes of one.
create or replace function rag_internal.fitting_part(folded text) returns text
language sql immutable parallel safe
begin atomic
    with recursive cut as (
        select folded as part, rag_internal.tsvector_bound(folded) as bound
        where octet_length(folded) > 100000
        union all
        select s.part, rag_internal.tsvector_bound(s.part)
        from (select c.part, char_length(c.part) * (0.97 * 900000 / c.bound) as length
              from cut c
              where c.bound > 900000 and octet_length(c.part) > 100000) c
        cross join lateral (
            select left(c.part, c.length::integer) as part offset 0) l
        cross join lateral (
            -- not within a word
            select left(l.part, -strpos(reverse(right(l.part, 3000)), ' ')) as part
            where strpos(reverse(right(l.part, 3000)), ' ') > 0
            union all
            select l.part where strpos(reverse(right(l.part, 3000)), ' ') = 0) s
    )
    select case when octet_length(folded) <= 100000 then folded
                else (select c.part from cut c order by octet_length(c.part) limit 1) end;
end;

comment on function rag_internal.fitting_part(text) is
    'The part of a folded text that is analysed: all of it up to 100,000 bytes and as long as its '
    'distinct words, identifiers and positions come to 900,000 bytes.';
alter function rag_internal.fitting_part(text) owner to rag_owner;
revoke all on function rag_internal.fitting_part(text) from public;
grant execute on function rag_internal.fitting_part(text) to rag_reader;
