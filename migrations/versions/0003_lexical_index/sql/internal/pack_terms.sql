-- The terms of a passage as rag_internal.pending holds them. Bound at its creation, so that it is
-- planned as a part of the statement that calls it.
create or replace function rag_internal.pack_terms(terms text[]) returns bytea
language sql immutable parallel safe
begin atomic
    select convert_to(case when cardinality(terms) = 0 then E'\x02'
                           else array_to_string(terms, E'\x01') || E'\x01\x02' end, 'UTF8');
end;

comment on function rag_internal.pack_terms(text[]) is
    'UTF-8; byte 1 after each term, byte 2 at the end.';
alter function rag_internal.pack_terms(text[]) owner to rag_owner;
revoke all on function rag_internal.pack_terms(text[]) from public;
