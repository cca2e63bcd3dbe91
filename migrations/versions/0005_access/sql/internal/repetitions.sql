-- How large a regular expression becomes: each bound is written out when it is compiled, and those
-- of groups may stand in one another.
create or replace function rag_internal.repetitions(pattern text) returns numeric
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select coalesce(round(exp(sum(ln(b.bound)) filter (where b.is_of_group))), 1)
           * coalesce(max(b.bound) filter (where not b.is_of_group), 1)
    from (select greatest(coalesce(nullif(m[3], ''), m[2])::numeric, 1) as bound,
                 m[1] <> '' as is_of_group
          from regexp_matches(pattern, '(\)?)\{([0-9]{1,9})(?:,([0-9]{0,9}))?\}', 'g') m) b
$$;

comment on function rag_internal.repetitions(text) is
    'The product of the bounds of its groups, times the largest other bound.';
alter function rag_internal.repetitions(text) owner to rag_owner;
revoke all on function rag_internal.repetitions(text) from public;
