-- Where rules match in a text. Each rule is matched with the text as it is written, never with what
-- another rule has left of it; what matches overlap in becomes one span.
create or replace function rag_internal.redacted_spans(
    rules rag_internal.redaction_rule[],
    input text
) returns rag_internal.redacted_span[]
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    _matching rag_internal.redaction_rule[];
    _marks text[];
begin
    _matching := array(
        select r from unnest(rules) r where input collate "default" ~ r.pattern);
    if _matching = '{}' then
        return '{}';
    end if;
    -- put around matches, so that one pass over a text finds all of them
    _marks := array(
        select chr(c) from generate_series(1, 31) c
        where c not between 9 and 13 and strpos(input, chr(c)) = 0
        limit 2);
    if cardinality(_marks) < 2 then
        return array[row(0, length(input), 0, octet_length(input),
                         _matching[1].replacement)::rag_internal.redacted_span];
    end if;

    return array(
        with piece as (
            select r.name, r.replacement, p.n, p.piece,
                   split_part(p.piece, _marks[2], 1) as matched
            from unnest(_matching) r
            cross join unnest(string_to_array(
                regexp_replace(input collate "default", r.pattern,
                               _marks[1] || '\&' || _marks[2], 'g'),
                _marks[1])) with ordinality p (piece, n)
        ), match as (
            -- all pieces but the first have a mark in them; these are where a piece begins
            select m.name, m.replacement, m.n, length(m.matched) as chars,
                   octet_length(m.matched) as bytes,
                   sum(length(m.piece) - (m.n > 1)::integer) over earlier as first,
                   sum(octet_length(m.piece) - (m.n > 1)::integer) over earlier as first_byte
            from piece m
            window earlier as (partition by m.name order by m.n
                               rows between unbounded preceding and 1 preceding)
        ), told_apart as (
            select m.*,
                   m.first > coalesce(max(m.first + m.chars) over (
                       order by m.first, m.chars desc, m.name
                       rows between unbounded preceding and 1 preceding), -1) as is_apart
            from match m
            where m.n > 1 and m.chars > 0
        ), numbered as (
            select m.*, count(*) filter (where m.is_apart) over (
                       order by m.first, m.chars desc, m.name) as span
            from told_apart m
        )
        select row(min(m.first), max(m.first + m.chars), min(m.first_byte),
                   max(m.first_byte + m.bytes),
                   (array_agg(m.replacement order by m.first, m.chars desc, m.name))[1]
               )::rag_internal.redacted_span
        from numbered m
        group by m.span
        order by min(m.first));
end
$$;

comment on function rag_internal.redacted_spans(rag_internal.redaction_rule[], text) is
    'Disjoint spans in order; the replacement of each is that of the rule whose match begins it. A '
    'text that holds nearly every control character is one span as a whole.';
alter function rag_internal.redacted_spans(rag_internal.redaction_rule[], text) owner to rag_owner;
revoke all on function rag_internal.redacted_spans(rag_internal.redaction_rule[], text) from public;
